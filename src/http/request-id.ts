/** The id by which logs and problems name a request. */
import { randomUUID } from 'node:crypto';

const HARMLESS_ID = /^[\w.:-]{1,128}$/;

/** Returns the id that the client sent, where it is safe to write into headers and logs, else a new one. */
export const requestIdOf = (given: string | undefined): string =>
  given && HARMLESS_ID.test(given) ? given : randomUUID();
