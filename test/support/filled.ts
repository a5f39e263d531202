/** Databases with rows in every table, and what tests of copies ask of them. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import pg from 'pg';
import { openDatabase, type DatabaseHandle } from '../../src/db/database.ts';
import { aUser, anApp, client, type TestApp } from './app.ts';
import { migratedDirectory } from './db.ts';
import { aLife, type Life } from './life.ts';

export const openHandle = (env: { DATABASE_URL?: string; DATA_DIR?: string }): Promise<DatabaseHandle> =>
  openDatabase({ DATA_DIR: '', DATABASE_POOL: 4, sessions: 'test', ...env }, (error) => console.error(error.message));

export const folder = (): string => mkdtempSync(join(tmpdir(), 'almanac-copy-'));

/** Makes an empty database on the server of the tests. */
export const anEmptyDatabase = async (): Promise<{ url: string; drop: () => Promise<void> }> => {
  const server = process.env['TEST_DATABASE_URL'] ?? '';
  const name = `almanac_test_${randomBytes(6).toString('hex')}`;
  const ask = async (text: string): Promise<void> => {
    const admin = new pg.Client({ connectionString: server });
    await admin.connect();
    await admin.query(text).finally(() => admin.end());
  };
  await ask(`create database ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => ask(`drop database if exists ${name} with (force)`) };
};

export const anInstance = (handle: DatabaseHandle, vectors: boolean): Promise<TestApp> =>
  anApp({
    database: { handle, vectors, again: () => Promise.reject(new Error('one process')), close: handle.close },
  });

/** Rows that the life of a person leaves only at times. */
const ODD_ROWS = [
  `insert into throttles (key, points, expire) values ('login:a', 3, 1790000000000) on conflict do nothing`,
  `insert into embedding_progress (user_id, model, seq) select user_id, 'model/3', 4 from users on conflict do nothing`,
  `insert into model_embeddings (user_id, model, uid, seq, embedding) select user_id, 'model/3', 'odd "uid"', 1, '[0.1,-1e-30,3]' from users on conflict do nothing`,
  `insert into embeddings_past (user_id, uid, seq, until, model, embedding) select user_id, E'\\ttab\\nline\\\\', 1, 2, 'm', '[1,2]' from users on conflict do nothing`,
];

/** Texts that lose something where a copy is not exact. */
const ODD_TEXTS = ['\ttab, \\N, \\., "quotes" and {braces}', 'line\r\nbreak   and \u2028 another', '\u{1F600} é and é'];

/** A database in a new DATA_DIR with rows in every table. The service that made it has ended. */
export const aFilledDirectory = async (): Promise<{
  DATA_DIR: string;
  env: { DATA_DIR: string };
  life: Life;
  remove: () => void;
}> => {
  const DATA_DIR = folder();
  await migratedDirectory(DATA_DIR);
  const handle = await openHandle({ DATA_DIR });
  const app = await anInstance(handle, true);
  const life = await aLife(app);
  await life.post('/memory/push', {
    traces: ODD_TEXTS.map((content, i) => ({ uid: `odd${i}`, type: 'observation', content, metadata: { n: 1e-7 } })),
  });
  const gone = await aUser(app);
  await gone.post('/memory/push', { traces: [{ type: 'observation', content: 'It goes.' }] }).expect(201);
  await gone.delete('/user/account', { password: gone.password }).expect(200);
  await client(app, null).post('/user/login', { email: life.email, password: 'wrong one' }).expect(401);
  await life.post('/agent/plan', {
    actions: [
      {
        uid: 'waiting',
        action_type: 'schedule',
        title: 'It waits',
        scheduled_for: '2026-11-24T15:00',
        duration_minutes: 30,
      },
      { uid: 'later', action_type: 'reflect', title: 'Later', scheduled_for: '2026-11-25T15:00' },
    ],
  });
  await life.post('/agent/approve', { uid: 'later' }).expect(200);
  for (const statement of ODD_ROWS) await sql.raw(statement).execute(handle.db);
  await handle.db.insertInto('zone_rules').values({ release: '2020a', offsets: '{"Etc/UTC": [[null, 0]]}' }).execute();
  await app.close();
  await handle.close();
  return { DATA_DIR, env: { DATA_DIR }, life, remove: () => rmSync(DATA_DIR, { recursive: true, force: true }) };
};

/** Every row of every table as text, by table; what the service itself copies rows with plays no part. */
export const allRows = async ({ db }: DatabaseHandle): Promise<Record<string, string[]>> => {
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = current_schema() and table_type = 'BASE TABLE' and table_name not like 'kysely%' order by 1`.execute(
    db,
  );
  const all: Record<string, string[]> = {};
  for (const { name } of tables) {
    const { rows } = await sql<{ row: string }>`select t::text as row from ${sql.table(name)} t`.execute(db);
    all[name] = rows.map(({ row }) => row).toSorted();
  }
  return all;
};

/** The tables that a Postgres without pgvector cannot hold. */
export const withoutVectors = (all: Record<string, string[]>): Record<string, string[]> =>
  Object.fromEntries(Object.entries(all).filter(([name]) => !name.includes('embedding')));
