/**
 * One user's work touches one user's rows: every statement the service sends finds them by an index that begins with user_id,
 * and every key, constraint and index of user data begins with it. What looks across users is named here, with its reason.
 */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anApp, type TestApp } from '../support/app.ts';
import { hasCitus } from '../support/citus.ts';
import { testDatabase } from '../support/db.ts';
import { genericPlansOf, hearStatements, plansOf, type Scan, type Statement } from '../support/statements.ts';
import { liveByDav } from '../support/dav-story.ts';
import { liveEverything } from '../support/story.ts';

/** Indexes and constraints of user data that don't begin with user_id. */
const ACROSS: Record<string, string> = {
  users_email_key: 'an address belongs to one account, and finds it at login',
  api_keys_id: 'a key is looked up by its id alone: it names no user',
  traces_due: 'the executor asks what is due, of anybody',
  traces_lapse: 'the executor asks which proposals have lapsed, of anybody',
  calendar_sources_due: 'the reader of sources asks what is due, of anybody',
  imports_idle: 'every instance asks for imports of anybody whose process has ended',
  idempotency_age: 'the sweep forgets keys whose day is over',
};

/** Statements across users, by how they begin. */
const WHOLE: Record<string, string> = {
  "select status, count(*) as count from traces where type = 'agent_plan' group by status":
    'the metrics count the plans of all, on the index that holds only plans',
  'select w.user_id, w.id from webhooks w join ledger_heads h':
    'every instance asks for webhooks of anybody that have something to send; a user has ten at most',
  'select count(*) filter (where failing_since is null)': 'the metrics count the sources of all',
  'select count(*) filter (where status =': 'the metrics count the webhooks of all',
  'select "user_id", "email", "epoch", "disabled" from "users" where "admin" =':
    'each start asks once for the owner, to print a login link',
  'select coalesce(sum(greatest(0, h.seq - coalesce(p.seq, 0))), 0)::bigint as behind':
    'the metrics count the entries that a reader of all ledgers has not read',
  'select h.user_id from (select user_id from users where user_id >': 'the command users -- list, in pages',
  'select u.user_id, u.email, u.admin, u.disabled': 'the command users -- list, in pages',
  'delete from "refresh_tokens" where "expires_at" <': 'the sweep, every ten minutes; the table is small',
  'delete from "tickets" where "expires_at" <': 'the sweep, every ten minutes; tickets live for 30 seconds',
};

const READS = /^\s*(select|with|insert|update|delete)\b/i;
/** Ends at a string, an operator or a bracket: `user_id = $1`, `(user_id)::text = 'x'`, `user_id = ANY (...)`. */
const OWN = /\buser_id\)?(::text)? = /;

/** People who have lived the same: with a single one, any index would do. */
const CROWD = 40;

let app: TestApp;
let userTables: Set<string>;
let columns: Map<string, string[]>;
let statements: Statement[];
let done: Set<string>;

const rowsOf = async (text: string): Promise<Record<string, string>[]> =>
  (await app.database.handle.query(text, [])).rows as Record<string, string>[];

/** Gives everybody of a crowd the rows of one. */
const crowdAround = async (user_id: string): Promise<void> => {
  const { db } = app.database.handle;
  const tables = ['users', ...[...userTables].filter((table) => table !== 'users')];
  for (const table of tables) {
    const { rows } = await sql<{ name: string }>`
      select column_name as name from information_schema.columns
      where table_schema = 'public' and table_name = ${table} order by ordinal_position`.execute(db);
    const own = new Set(['user_id', 'email', 'id']);
    const values = rows.map(({ name }) => (own.has(name) ? sql`t.${sql.ref(name)} || '-' || n` : sql.ref(`t.${name}`)));
    await sql`insert into ${sql.table(table)} (${sql.join(rows.map(({ name }) => sql.ref(name)))})
      select ${sql.join(values)} from ${sql.table(table)} t, generate_series(1, ${CROWD}::int) n where t.user_id = ${user_id}`.execute(
      db,
    );
  }
};

beforeAll(async () => {
  app = await anApp({ env: { METRICS_TOKEN: 'a-metrics-token-of-some-length' } });
  const owned = await rowsOf(
    "select table_name from information_schema.columns where table_schema = 'public' and column_name = 'user_id'",
  );
  userTables = new Set(owned.map((row) => row['table_name'] as string));
  const indexed = await rowsOf(`
    select i.relname as index, coalesce(a.attname, '') as first
    from pg_index x join pg_class i on i.oid = x.indexrelid join pg_namespace n on n.oid = i.relnamespace
    left join pg_attribute a on a.attrelid = x.indrelid and a.attnum = x.indkey[0] and a.attnum > 0
    where n.nspname = 'public'`);
  columns = new Map(indexed.map((row) => [row['index'] as string, [row['first'] as string]]));
  const ear = hearStatements();
  try {
    const story = await liveEverything(app);
    done = story.done.union(await liveByDav(app));
    ear.stop();
    await crowdAround(story.user_id);
  } finally {
    ear.stop();
  }
  const distinct = new Map(ear.heard.filter((s) => READS.test(s.text)).map((s) => [s.text, s]));
  statements = [...distinct.values()].filter((s) => [...userTables].some((table) => s.text.includes(table)));
  await app.database.handle.exec('analyze');
});
afterAll(() => app.close());

/** Why a scan may not be so, or null where it reads one user's rows. */
const fault = ({ text }: Statement, { table, index, condition }: Scan): string | null => {
  if (!userTables.has(table)) return null;
  if (Object.keys(WHOLE).some((start) => text.trim().startsWith(start))) return null;
  if (index === null) return `reads all of ${table}`;
  if (index in ACROSS) return null;
  if (columns.get(index)?.[0] !== 'user_id') return `reads ${table} by ${index}, which does not begin with user_id`;
  return OWN.test(condition) ? null : `reads ${table} by ${index} without user_id (${condition})`;
};

const faultsOf = async (list: Statement[]): Promise<string[]> => {
  const plans = await plansOf(app.database.handle.db, list);
  return plans.flatMap(({ statement, scans }) =>
    scans.flatMap((scan) => {
      const why = fault(statement, scan);
      return why ? [`${why}: ${statement.text.replace(/\s+/g, ' ').slice(0, 400)}`] : [];
    }),
  );
};

describe('every statement', () => {
  test('of every route was heard', () => {
    const missing = app.routes.map((r) => `${r.method} ${r.path}`).filter((route) => !done.has(route));
    expect(missing).toEqual([]);
    expect(statements.length).toBeGreaterThan(80);
  });

  // Plans of a coordinator do not show how the other machines read.
  test.skipIf(hasCitus)('reads one user’s rows by an index that begins with user_id', async () => {
    expect(await faultsOf(statements)).toEqual([]);
  });

  test.skipIf(hasCitus).each<[string, string, unknown[]]>([
    ['by another column', 'select payload from ledger where seq = $1', [1]],
    ['by a filter only', 'select seq from traces where type = $1 order by "timestamp"', ['observation']],
    ['in an update', 'update traces set rating = null where uid = $1', ['a']],
    ['in a join', 'select l.payload from traces t join ledger l on l.seq = t.seq where t.user_id = $1', ['a']],
    [
      'in a subquery',
      'select 1 from users u where u.user_id = $1 and exists (select 1 from traces where task_id = $2)',
      ['a', 'b'],
    ],
  ])('would be found without user_id: %s', async (_, text, values) => {
    expect(await faultsOf([{ text, values }])).toHaveLength(1);
  });

  test.skipIf(hasCitus)('no exception is left over', async () => {
    const plans = await plansOf(app.database.handle.db, statements);
    const used = new Set(plans.flatMap(({ scans }) => scans.map((scan) => scan.index)));
    expect(Object.keys(ACROSS).filter((index) => !used.has(index))).toEqual([]);
    const unsaid = Object.keys(WHOLE).filter((start) => !statements.some((s) => s.text.trim().startsWith(start)));
    expect(unsaid).toEqual([]);
  });
});

describe.skipIf(hasCitus)('what keys name', () => {
  /** Rows read by less than what names them: everything of a user, where only some was asked for. */
  const wider = async (list: Statement[]): Promise<string[]> => {
    const { db } = app.database.handle;
    const plans = await genericPlansOf(db, list);
    return plans.flatMap(({ statement, scans }) =>
      scans
        .filter(
          ({ table, index, condition }) =>
            !((index ?? '') in ACROSS) &&
            /^(traces|events|ledger)$/.test(table) &&
            !/\b(uid|subject_uid|seq)\b/.test(condition),
        )
        .map((scan) => `${JSON.stringify(scan)}: ${statement.text.replace(/\s+/g, ' ').slice(0, 300)}`),
    );
  };

  beforeAll(async () => {
    // Users of few rows, as most are: then Postgres believes that anybody has few.
    const { handle } = app.database;
    await handle.exec(`insert into users (user_id, email, password_hash, admin, epoch)
      select 'few-' || n, 'few-' || n || '@example.org', '', false, 0 from generate_series(1, 8000) n`);
    await handle.exec(`insert into traces (user_id, uid, seq, version, type, tags, origin, "timestamp", search)
      select 'few-' || n, 't' || k, k, 1, 'observation', '{}', 'user', now(), '' from generate_series(1, 8000) n, generate_series(1, 3) k`);
    await handle.exec('analyze traces');
  });

  test('is found by its key, whatever the values will be and however many rows Postgres believes a user to have', async () => {
    const named = statements.filter((s) => s.text.includes('key(uid)'));
    expect(named.length).toBeGreaterThan(4);
    expect(await wider(named)).toEqual([]);
  });

  test('is found by its key also by a plan that was made for empty tables', async () => {
    const empty = await testDatabase();
    const documented = /^(traces|events)(_past)?$/;
    const named = /\bkey\(uid\)|\bjson_to_recordset\b/;
    /** Rows that are looked up one by one, each by reading all rows of the user. */
    const byUserOnly = async (list: Statement[]): Promise<string[]> => {
      const plans = await genericPlansOf(empty.handle.db, list);
      return plans.flatMap(({ statement: { text }, scans }) =>
        scans
          .filter(({ table }) => table === 'ledger' || (documented.test(table) && named.test(text)))
          .filter(({ condition }) => !/\b(uid|subject_uid|href|seq)\b/.test(condition))
          .map(({ table, index }) => `${table} by ${index}: ${text.replace(/\s+/g, ' ')}`),
      );
    };
    try {
      const lookups = statements.filter(({ text }) => /\boffset 0\)| between \S+ and \S+ order by/.test(text));
      expect(lookups.length).toBeGreaterThan(20);
      expect(await byUserOnly(lookups)).toEqual([]);
      for (const entry of ['seq = t.seq', "subject = 'trace' and subject_uid = t.uid and version = 1"]) {
        const one = `select payload from ledger where user_id = $1 and ${entry} offset 0`;
        const text = `select l.payload from traces t cross join lateral (${one}) l where t.user_id = $1`;
        expect(await byUserOnly([{ text, values: ['a'] }])).toHaveLength(1);
      }
    } finally {
      await empty.close();
    }
  });

  test('would be read whole by a join', async () => {
    const text = `select t.seq from json_to_recordset($2::json) as f(uid text) join traces t on t.user_id = $1 and t.uid = f.uid`;
    expect(await wider([{ text, values: ['few-1', '[]'] }])).toHaveLength(1);
  });
});

describe('every table of user data', () => {
  /** Tables without a user: nobody's data. */
  const NOBODYS = {
    accounts: 'every account that was ever made, also an erased one, in a chain of hashes',
    kysely_migration: 'what this database was brought up to',
    kysely_migration_lock: 'instances wait for each other at it',
    throttles: 'attempts to log in, by address: not all of them are anybody’s',
    zone_rules: 'time zones by release of their rules',
  };

  test('names its user, in every key, constraint and index first', async () => {
    const tables = await rowsOf("select tablename from pg_tables where schemaname = 'public' order by 1");
    expect(tables.map((row) => row['tablename'] as string).filter((t) => !userTables.has(t))).toEqual(
      Object.keys(NOBODYS),
    );
    const { rows } = await sql<{ name: string; kind: string; first: string; referred: string | null }>`
      select c.conname as name, c.contype::text as kind, a.attname as first, f.attname as referred
      from pg_constraint c
      join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
      left join pg_attribute f on f.attrelid = c.confrelid and f.attnum = c.confkey[1]
      where c.connamespace = 'public'::regnamespace and c.contype in ('p', 'u', 'f', 'x')
        and c.conrelid::regclass::text = any(${[...userTables]})
      union all
      select i.relname, 'i', coalesce(a.attname, ''), null
      from pg_index x join pg_class i on i.oid = x.indexrelid
      left join pg_attribute a on a.attrelid = x.indrelid and a.attnum = x.indkey[0] and a.attnum > 0
      where x.indrelid::regclass::text = any(${[...userTables]})`.execute(app.database.handle.db);
    const others = rows.filter((r) => r.first !== 'user_id' || (r.kind === 'f' && r.referred !== 'user_id'));
    expect([...new Set(others.map((r) => r.name))].toSorted()).toEqual(Object.keys(ACROSS).toSorted());
  });
});
