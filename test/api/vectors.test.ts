/** Why semantic search is off: pgvector is missing, may not be installed, or is where the service does not look. */
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openDatabase, type DatabaseHandle } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { ensureVectors } from '../../src/db/vectors.ts';
import { anApp, aUser } from '../support/app.ts';
import { onPostgres, testDatabase } from '../support/db.ts';
import { hasVectors, IF_VECTORS } from '../support/vectors.ts';

const server = process.env['TEST_DATABASE_URL'] ?? '';
const open = (user: string, database: string): Promise<DatabaseHandle> => {
  const url = new URL(server);
  [url.username, url.pathname] = [user || url.username, `/${database || url.pathname.slice(1)}`];
  return openDatabase({ DATABASE_URL: url.href, DATA_DIR: '', DATABASE_POOL: 2 }, () => undefined);
};

test.runIf(onPostgres && !hasVectors)('a Postgres without pgvector is said to have none', async () => {
  const database = await testDatabase();
  expect(await ensureVectors(database.handle.db)).toEqual({
    vectors: false,
    whyNoVectors: 'this Postgres has no pgvector',
  });
  await database.close();
});

describe.runIf(onPostgres && hasVectors)(`a Postgres that has pgvector${IF_VECTORS}`, () => {
  const name = `almanac_test_${randomBytes(6).toString('hex')}`;
  let admin: DatabaseHandle;
  beforeEach(async () => {
    admin = await open('', '');
    await admin.exec(`create role ${name} login`);
    await admin.exec(`create database ${name} owner ${name}`);
  });
  afterEach(async () => {
    await admin.exec(`drop database ${name} with (force)`);
    await admin.exec(`drop role ${name}`);
    await admin.close();
  });

  test('which the role may not install', async () => {
    const handle = await open(name, name);
    await migrate(handle);
    const support = await ensureVectors(handle.db);
    expect(support.vectors).toBe(false);
    expect(support.whyNoVectors).toBe(
      `the database role ${name} may not install pgvector; an administrator of the database can (create extension vector;)`,
    );
    const app = await anApp({
      database: { handle, ...support, again: async () => handle, close: handle.close },
      overrides: support,
    });
    const user = await aUser(app);
    await user.post('/memory/push', { traces: [{ type: 'observation', content: 'a note' }] }).expect(201);
    const refused = await user.post('/memory/search', { query: 'note', mode: 'semantic' }).expect(501);
    expect(refused.body.detail).toContain(`${name} may not install pgvector`);
    const [hit] = (await user.post('/memory/search', { query: 'note', explain: true }).expect(200)).body;
    expect(hit.explain.unavailable.semantic).toContain(`${name} may not install pgvector`);
    await app.close();
  });

  test('in a schema where the service does not look', async () => {
    const owner = await open('', name);
    await owner.exec('create schema elsewhere');
    await owner.exec('create extension vector schema elsewhere');
    await migrate(owner);
    const support = await ensureVectors(owner.db);
    expect(support.vectors).toBe(false);
    expect(support.whyNoVectors).toMatch(
      /^pgvector is in the schema elsewhere.*alter extension vector set schema public/,
    );
    await owner.exec('alter extension vector set schema public');
    expect(await ensureVectors(owner.db)).toEqual({ vectors: true });
    await owner.close();
  });
});
