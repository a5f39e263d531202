/** `npm run move`: everything goes to another database, is the same there, and works. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { migrate } from '../../src/db/migrate.ts';
import { client } from '../support/app.ts';
import { COMPILED } from '../support/child-processes.ts';
import { commandHere, commandProcess } from '../support/commands.ts';
import { migratedDirectory, onPostgres } from '../support/db.ts';
import {
  aFilledDirectory,
  allRows,
  anEmptyDatabase,
  anInstance,
  folder,
  openHandle,
  withoutVectors,
} from '../support/filled.ts';
import { hasVectors } from '../support/vectors.ts';

type Env = { DATABASE_URL: string } | { DATA_DIR: string };
const addressOf = (env: Env): string => ('DATABASE_URL' in env ? env.DATABASE_URL : env.DATA_DIR);

let filled: Awaited<ReturnType<typeof aFilledDirectory>>;
let before: Record<string, string[]>;
const removals: (() => Promise<void> | void)[] = [];

/** An empty place: on the server of the tests where there is one, else another directory. */
const anEmptyPlace = async (): Promise<Env> => {
  if (onPostgres) {
    const { url, drop } = await anEmptyDatabase();
    removals.push(drop);
    return { DATABASE_URL: url };
  }
  return aDirectory();
};
/** A directory whose database has tables and no rows; Postgres takes seconds to create one. */
const aDirectory = async (): Promise<{ DATA_DIR: string }> => {
  const DATA_DIR = folder();
  await migratedDirectory(DATA_DIR);
  removals.push(() => rmSync(DATA_DIR, { recursive: true, force: true }));
  return { DATA_DIR };
};
const rowsAt = async (env: Env): Promise<Record<string, string[]>> => {
  const handle = await openHandle(env);
  return allRows(handle).finally(handle.close);
};
/** What arrives of the rows. Vectors need pgvector, and the embedded database has it. */
const kept = (all: Record<string, string[]>) => (hasVectors ? all : withoutVectors(all));
const move = (from: Env, to: Env) => commandHere(['move', '--to', addressOf(to)], from);

beforeAll(async () => {
  filled = await aFilledDirectory();
  writeFileSync(join(filled.DATA_DIR, 'jwt-secret'), 'a secret for tests that is long enough', { mode: 0o600 });
  before = await rowsAt(filled);
});
afterAll(async () => {
  filled.remove();
  for (const remove of removals) await remove();
});

test('the filled database has rows in every table, so that none is forgotten', () => {
  const empty = Object.entries(before).filter(([, rows]) => !rows.length);
  expect(empty.map(([name]) => name)).toEqual([]);
});

test('a copy knows tables, and nothing else that a database can hold', async () => {
  const handle = await openHandle(filled);
  const { rows } = await sql<{ what: string }>`
    select relname as what from pg_class c where relnamespace = current_schema()::regnamespace and relkind in ('S', 'v', 'm', 'p', 'f')
      and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
    union all select attname from pg_attribute a join pg_class c on c.oid = a.attrelid
    where relnamespace = current_schema()::regnamespace and relkind = 'r' and (attgenerated <> '' or attidentity <> '')`.execute(
    handle.db,
  );
  await handle.close();
  expect(rows).toEqual([]);
});

describe('there and back', () => {
  let there: Env;

  test('every table is equal row by row, and a second run only compares', async () => {
    there = await anEmptyPlace();
    const first = await move(filled.env, there);
    expect(first).toMatchObject({ code: 0 });
    expect(first.stderr).toMatch(/compared [\d,]+ rows of \d+ tables: all are equal/);
    expect(first.stderr).toContain('0 damaged');
    expect(first.stdout).toContain('is unchanged. Do not start a service on it any more.');
    expect(kept(await rowsAt(there))).toEqual(kept(before));
    expect(await rowsAt(filled)).toEqual(before);

    if ('DATA_DIR' in there) {
      expect(first.stdout).toContain('Logins stay valid.');
      const file = join(there.DATA_DIR, 'jwt-secret');
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(readFileSync(file, 'utf8')).toBe('a secret for tests that is long enough');
    } else expect(first.stdout).toContain(`Set JWT_SECRET to the content of ${filled.DATA_DIR}/jwt-secret`);

    const again = await move(filled.env, there);
    expect(again).toMatchObject({ code: 0 });
    expect(again.stderr).toContain('The target has rows already. They are compared with the source.');

    // The last one is created.
    const { DATA_DIR } = await aDirectory();
    const back = { DATA_DIR: join(DATA_DIR, 'new') };
    expect(await move(there, back)).toMatchObject({ code: 0 });
    expect(kept(await rowsAt(back))).toEqual(kept(before));
  });

  test('a secret of logins that is there already is not overwritten', async () => {
    const other = await aDirectory();
    const file = join(other.DATA_DIR, 'jwt-secret');
    writeFileSync(file, 'another secret that is long enough too', { mode: 0o600 });
    expect((await move(filled.env, other)).stdout).toContain('stays, so everybody has to log in again');
    expect(readFileSync(file, 'utf8')).toBe('another secret that is long enough too');
  });

  test('logins, passwords, keys and a waiting proposal work there, and the ledger goes on', async () => {
    const { life } = filled;
    const handle = await openHandle(there);
    const app = await anInstance(handle, hasVectors);
    await client(app, life.token).get('/user/whoami').expect(200);
    await client(app, null).post('/user/refresh', { refresh_token: life.refresh_token }).expect(200);
    await client(app, null).post('/user/login', { email: life.email, password: life.password }).expect(200);
    const agent = client(app, life.keys.agent);
    await agent.get('/agent/queue').expect(200);
    await agent.post('/agent/approve', { uid: 'waiting' }).expect(403);
    const person = client(app, life.keys.user);
    expect((await person.get('/agent/queue').expect(200)).body.map(({ uid }: { uid: string }) => uid)).toContain(
      'waiting',
    );
    const { body: plan } = await person.post('/agent/approve', { uid: 'waiting' }).expect(200);
    expect(plan.status).toBe('executed');
    expect((await person.get('/user/webhooks').expect(200)).body).toHaveLength(1);
    expect((await person.get('/calendar/sources').expect(200)).body).toHaveLength(1);
    expect((await person.get('/debug/audit').expect(200)).body).toMatchObject({ ok: true });
    // The triggers that keep the ledger are there too.
    await expect(sql`update ledger set actor = 'me'`.execute(handle.db)).rejects.toThrow(/immutable/);
    await expect(sql`delete from traces where transition_of is not null`.execute(handle.db)).rejects.toThrow(
      /immutable/,
    );
    await app.close();
    await handle.close();
    // It is no copy any more, so a move to it is refused.
    const { code, stderr } = await move(filled.env, there);
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringMatching(/no copy of the source.*ledger/) });
  });
});

describe('refused, with what to do', () => {
  test('arguments that are missing or wrong', async () => {
    expect((await commandHere(['move'], filled.env)).stderr).toBe('Name the new database with --to <URL|directory>.\n');
    expect((await move(filled.env, filled.env)).stderr).toBe('The source and the target are the same database.\n');
    expect((await move({ DATA_DIR: '/nowhere' }, await aDirectory())).stderr).toContain('There is no database in');
    expect((await commandHere(['move', '--to', 'mysql://x/y'], filled.env)).stderr).toContain('DATABASE_URL');
  });

  test.runIf(onPostgres)('one database by two names', async () => {
    const { DATABASE_URL } = (await anEmptyPlace()) as { DATABASE_URL: string };
    expect(await move(filled.env, { DATABASE_URL })).toMatchObject({ code: 0 });
    const other = `${DATABASE_URL}?application_name=other`;
    expect((await move({ DATABASE_URL }, { DATABASE_URL: other })).stderr).toBe(
      'The source and the target are the same database.\n',
    );
  });

  test('a target with other rows, which gets no secret of logins', async () => {
    const other = await anEmptyPlace();
    const handle = await openHandle(other);
    if (onPostgres) await migrate(handle);
    await sql`insert into throttles (key, points) values ('theirs', 1)`.execute(handle.db);
    await handle.close();
    expect(await move(filled.env, other)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('The target is no copy of the source'),
    });
    if ('DATA_DIR' in other) expect(existsSync(join(other.DATA_DIR, 'jwt-secret'))).toBe(false);
  });

  test('a service that runs on the source or on the target', async () => {
    const place = await anEmptyPlace();
    expect(await move(filled.env, place)).toMatchObject({ code: 0 });
    const handle = await openHandle({ ...place, ...(onPostgres ? { sessions: 'almanac' } : {}) });
    await sql`select 1`.execute(handle.db);
    // Processes of their own, because a directory that this process has locked is free for it.
    const asProcess = (from: Env, to: Env) => commandProcess(['move', '--to', addressOf(to)], { ...from });
    for (const refused of [await asProcess(place, await aDirectory()), await asProcess(filled.env, place)])
      expect(refused).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(
          /Another process \(\d+\) uses .*Stop it, or wait|The service is running \(open sessions: 1\)\. Stop it first\./,
        ),
      });
    await handle.close();
  });
});

describe('kill -9 in the middle', () => {
  /** Starts a move in a process of its own. */
  const start = (from: Env, to: Env) => {
    const child = spawn(
      process.execPath,
      [join(import.meta.dirname, '../../src/process/command.js'), 'move', '--to', addressOf(to)],
      { env: { ...COMPILED, ...from }, stdio: 'ignore' },
    );
    return { child, ended: once(child, 'exit') as Promise<[number | null, string | null]> };
  };

  let all: Record<string, string[]>;
  // So many rows that a load takes a while.
  beforeAll(async () => {
    const source = await openHandle(filled);
    await sql`insert into throttles (key, points) select 'many' || n, n from generate_series(1, 30000) n`.execute(
      source.db,
    );
    all = await allRows(source);
    await source.close();
  });

  test('leaves nothing that a second run does not complete, at whatever moment', async () => {
    const to = await anEmptyPlace();
    let killed = 0;
    for (let wait = 200; ; wait *= 1.7) {
      const { child, ended } = start(filled.env, to);
      const won = await Promise.race([ended.then(() => 'ended'), sleep(wait).then(() => 'late')]);
      child.kill('SIGKILL');
      const [code] = await ended;
      if (won === 'ended') {
        expect(code).toBe(0);
        break;
      }
      killed += 1;
      expect(existsSync(filled.DATA_DIR)).toBe(true);
    }
    expect(killed).toBeGreaterThan(1);
    expect(await move(filled.env, to)).toMatchObject({ code: 0 });
    expect(kept(await rowsAt(to))).toEqual(kept(all));
    expect(await rowsAt(filled)).toEqual(all);
  }, 180_000);

  test.runIf(onPostgres)('while rows are loaded, nobody sees a part of them', async () => {
    const to = (await anEmptyPlace()) as { DATABASE_URL: string };
    const { child, ended } = start(filled.env, to);
    const watcher = await openHandle(to);
    const isLoading = async (): Promise<boolean> => {
      const { rows } = await sql`
        select from pg_locks l join pg_class c on c.oid = l.relation
        where c.relname = 'ledger' and l.mode = 'AccessExclusiveLock' and l.granted
          and l.database = (select oid from pg_database where datname = current_database())
          and exists (select from pg_stat_activity a where a.pid = l.pid and a.query like '%jsonb_array_elements%')`.execute(
        watcher.db,
      );
      return rows.length > 0;
    };
    await expect.poll(isLoading, { interval: 10 }).toBe(true);
    child.kill('SIGKILL');
    await ended;
    const { rows } = await sql<{ n: number }>`
      select (select count(*) from users) + (select count(*) from ledger) + (select count(*) from throttles) as n`.execute(
      watcher.db,
    );
    expect(rows[0]?.n).toBe(0);
    await watcher.close();
    expect(await move(filled.env, to)).toMatchObject({ code: 0 });
  });
});
