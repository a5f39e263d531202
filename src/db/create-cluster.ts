/**
 * Creates the cluster of the embedded Postgres with the tables, in the directory that the first argument names: a process of its own
 * (embedded.ts).
 */
import { embeddedHandle } from './database.ts';
import { createPGlite } from './embedded.ts';
import { migrate } from './migrate.ts';
import { ensureVectors } from './vectors.ts';

const handle = embeddedHandle(await createPGlite(process.argv[2]), () => undefined);
await migrate(handle);
await ensureVectors(handle.db);
await handle.close();
