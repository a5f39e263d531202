/** A database whose answers would be read wrongly is refused at the start, with what to do. */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { migrate } from '../../src/db/migrate.ts';
import { checkDatabase, openCheckedDatabase } from '../../src/db/requirements.ts';
import { aBouncer, bouncerVersion } from '../support/bouncer.ts';
import { onPostgres, testDatabase, type TestDatabase } from '../support/db.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

test('the database as the service opens it will do', async () => {
  await expect(checkDatabase(database.handle.db)).resolves.toBeUndefined();
});

test.each([
  ['timezone', 'Europe/Berlin', "set timezone to 'UTC'"],
  ['datestyle', 'German', "set datestyle to 'ISO, MDY'"],
  ['bytea_output', 'escape', "set bytea_output to 'hex'"],
])('%s = %s is refused, with the statement that mends it', async (name, value, remedy) => {
  await database.handle.db.transaction().execute(async (tx) => {
    await sql`select set_config(${name}, ${value}, true)`.execute(tx);
    await expect(checkDatabase(tx)).rejects.toThrow(remedy);
  });
});

const open = (url: string) =>
  openCheckedDatabase({ DATABASE_URL: url, DATA_DIR: '', DATABASE_POOL: 4 }, () => undefined);

describe('a database that can’t be reached is told as DATABASE_URL, with what to do and without the password', () => {
  test.each([
    ['postgres://me:hunter2@127.0.0.1:1/almanac', /at 127\.0\.0\.1:1 .* user me \(ECONNREFUSED.* Start it, or correct/],
    ['postgres://me:hunter2@localhost:1/almanac', /at localhost:1 .*\(ECONNREFUSED/],
    ['postgres://me:hunter2@no-such-host.invalid/almanac', /no-such-host\.invalid:5432 .*host name is unknown/],
    ['postgres:///almanac?host=/no/such/folder', /\/no\/such\/folder\/\.s\.PGSQL\.5432 .*No Postgres answers/],
  ])('%s', async (url, told) => {
    const refused = await open(url).then(String, (error: Error) => error.message);
    expect(refused).toMatch(/^DATABASE_URL: the database almanac at /);
    expect(refused).toMatch(told);
    expect(refused).not.toContain('hunter2');
  });

  test.runIf(onPostgres)('no such database', async () => {
    const url = new URL(process.env['TEST_DATABASE_URL'] ?? '');
    url.pathname = '/almanac_nowhere';
    await expect(open(url.href)).rejects.toThrow(/^DATABASE_URL: .*3D000.*Create the database \(createdb\)/);
  });
});

test.runIf(onPostgres)('a role that may not create tables is refused with the statements that allow it', async () => {
  const base = new URL(process.env['TEST_DATABASE_URL'] ?? 'postgres://unset');
  const name = `almanac_test_${randomBytes(6).toString('hex')}`;
  const as = async (url: URL, ...statements: string[]): Promise<void> => {
    const client = new pg.Client({ connectionString: url.href });
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  };
  const target = Object.assign(new URL(base), { pathname: `/${name}` });
  const theirs = Object.assign(new URL(target), { username: name, password: 'secret' });
  await as(base, `create database ${name}`, `create role ${name} login password 'secret'`);
  try {
    await as(target, 'revoke all on schema public from public');
    const start = async () => {
      const handle = await open(theirs.href);
      return migrate(handle)
        .then(
          ({ applied }) => applied.length,
          (error: Error) => error.message,
        )
        .finally(handle.close);
    };
    const refused = await start();
    expect(refused).toMatch(new RegExp(`^The role ${name} of DATABASE_URL may not create what Almanac needs`));
    const statements = /start again: (.*)$/.exec(String(refused))?.[1] ?? '';
    await as(target, ...statements.split('; '));
    expect(await start()).toBeGreaterThan(10);
  } finally {
    await as(base, `drop database ${name} with (force)`, `drop role ${name}`);
  }
});

const bouncer = bouncerVersion();
/** What a pooler that drops start-up options leaves to the database. */
const SETTINGS = ["timezone to 'UTC'", "datestyle to 'ISO, MDY'", "bytea_output to 'hex'"];

describe.runIf(onPostgres && bouncer)('behind PgBouncer', () => {
  const base = process.env['TEST_DATABASE_URL'] ?? 'postgres://unset';
  const name = `almanac_test_${randomBytes(6).toString('hex')}`;
  const target = new URL(base);
  target.pathname = `/${name}`;
  const admin = async (...statements: string[]): Promise<void> => {
    const client = new pg.Client({ connectionString: base });
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  };
  /** @returns what the start says, null where it is content. */
  const told = async (settings: Record<string, string>, as?: string): Promise<string | null> => {
    const pooler = await aBouncer(target, settings);
    if (as) [pooler.url.username, pooler.url.password] = as.split(':') as [string, string];
    try {
      const handle = await open(pooler.url.href);
      await handle.close();
      return null;
    } catch (error) {
      return (error as Error).message;
    } finally {
      await pooler.stop();
    }
  };
  beforeAll(() => admin(`create database ${name}`, ...SETTINGS.map((s) => `alter database ${name} set ${s}`)));
  afterAll(() => admin(`drop database ${name} with (force)`));

  test('session mode will do', async () => {
    expect(await told({ pool_mode: 'session' })).toBeNull();
  });

  test.each([{ default_pool_size: '20' }, { default_pool_size: '2' }, { default_pool_size: '1' }])(
    'transaction mode that does not carry prepared statements along is refused (%o)',
    async (size) => {
      const carries = (bouncer as [number, number])[1] >= 21 ? { max_prepared_statements: '0' } : {};
      const refused = await told({ pool_mode: 'transaction', ...size, ...carries });
      expect(refused).toMatch(
        /^DATABASE_URL leads to a connection pooler in transaction mode.*Use session mode.*1\.21 or newer/,
      );
    },
  );

  test('a wrong password is told as such', async () => {
    const refused = await told({ pool_mode: 'session', auth_type: 'md5' }, 'somebody:hunter2');
    expect(refused).toMatch(/^DATABASE_URL: .* as user somebody \(.*correct (the )?user(,| or the) password/i);
    expect(refused).not.toContain('hunter2');
  });

  test('a Postgres without TLS that is asked for it is told as such', async () => {
    target.searchParams.set('sslmode', 'require');
    expect(await told({ pool_mode: 'session' })).toMatch(/does not support SSL.*Correct sslmode\.$/);
    target.searchParams.delete('sslmode');
  });
});
