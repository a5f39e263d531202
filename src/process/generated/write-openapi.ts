/**
 * `npm run openapi`: writes openapi.yaml from the routes, and the types of src/client from openapi.yaml. With --check it only reports
 * whether both are up to date.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import { createApp } from '../app.ts';
import { systemClock } from '../../common/clock.ts';
import { readConfig } from '../config.ts';
import type { DatabaseHandle } from '../../db/database.ts';
import { toYaml } from '../../http/openapi/document.ts';
import { createLog } from '../../observability/log.ts';
import { areTypesOf, writeTypes } from './client-types.ts';

/** The routes are only read and never called, so no database is needed. */
const nobody: DatabaseHandle['db'] = new Kysely({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});
const noDatabase: DatabaseHandle = {
  kind: 'embedded',
  db: nobody,
  reads: nobody,
  transaction: () => Promise.reject(new Error('there is no database here')),
  exec: async () => undefined,
  query: async () => ({ rows: [], rowCount: 0 }),
  notify: async () => undefined,
  listen: async () => async () => undefined,
  ping: async () => undefined,
  isReadOnly: () => false,
  pool: () => ({ total: 0, idle: 0, waiting: 0 }),
  close: async () => undefined,
};

const file = join(import.meta.dirname, '../../../openapi.yaml');
const app = createApp({
  config: readConfig({}),
  handle: noDatabase,
  log: createLog('silent'),
  clock: systemClock,
  jwtSecret: 'signs nothing here',
  vectors: true,
});
const text = toYaml(await app.openapi());
if (!process.argv.includes('--check')) {
  writeFileSync(file, text);
  writeTypes(text);
} else if (readFileSync(file, 'utf8') !== text || !areTypesOf(text)) {
  process.stderr.write('openapi.yaml or src/client/openapi-types.ts is out of date. Run npm run openapi.\n');
  process.exitCode = 1;
}
