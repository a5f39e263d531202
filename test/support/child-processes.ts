/** What tests give the programs of the service that they start as processes. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Node keeps here what it has compiled; a command then starts in two thirds of the time. */
export const COMPILED = { NODE_COMPILE_CACHE: join(tmpdir(), 'almanac-test', 'compiled') };
