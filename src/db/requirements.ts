/**
 * Checks what the service needs of its database beside the migrations, so that the start fails with a message instead of requests
 * failing later.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { CompiledQuery, sql, type Kysely } from 'kysely';
import { openDatabase, type DatabaseHandle, type Db } from './database.ts';
import { isUnknownStatement } from './sqlstate.ts';
import type { Database } from './tables.ts';
import { whyUnreachable } from './unreachable.ts';

const OLDEST = 150_000;
/** Text is stored as UTF-8. A database without an encoding (SQL_ASCII) stores the bytes that it gets. */
const ENCODINGS = ['UTF8', 'SQL_ASCII'];
/**
 * The format of values in answers, which db/driver-values.ts relies on. Every connection asks for it, but a pooler may drop the
 * request.
 */
const SETTINGS = [
  { name: 'timezone', value: 'UTC', good: /^(Etc\/)?UTC$/ },
  { name: 'datestyle', value: 'ISO, MDY', good: /^ISO/ },
  { name: 'bytea_output', value: 'hex', good: /^hex$/ },
];

/** @throws Error with a message for people, where Postgres is too old or a pooler drops session settings */
export const checkDatabase = async (db: Db): Promise<void> => {
  const { rows } = await sql<{ name: string; setting: string }>`
    select name, setting from pg_settings
    where lower(name) = any(${['server_version_num', 'server_version', 'server_encoding', ...SETTINGS.map(({ name }) => name)]})`.execute(
    db,
  );
  const found = new Map(rows.map(({ name, setting }) => [name.toLowerCase(), setting]));
  if (Number(found.get('server_version_num')) < OLDEST)
    throw new Error(`Postgres ${found.get('server_version')} is too old. Almanac needs Postgres 15 or newer.`);
  const encoding = found.get('server_encoding') ?? '';
  if (!ENCODINGS.includes(encoding))
    throw new Error(
      `The database has the encoding ${encoding}, which cannot store all text. Create one with: create database <name> encoding 'UTF8' template template0;`,
    );
  const wrong = SETTINGS.filter(({ name, good }) => !good.test(found.get(name) ?? ''));
  if (wrong.length)
    throw new Error(
      `The database connection has ${wrong.map(({ name }) => `${name} = ${found.get(name)}`).join(', ')}, because a connection pooler ignores ` +
        `start-up options. Run these statements in the database, then start again: ${wrong.map(({ name, value }) => `alter database <name> set ${name} to '${value}';`).join(' ')}`,
    );
};

/** A pooler may lend the session to another client between the questions, so they are repeated. */
const ATTEMPTS = 5;
/**
 * A pooler with a single session holds the second question back until the first transaction ends, so it is not awaited for
 * longer.
 */
const ANSWER_WITHIN_MS = 2_000;

const pidOf = async (one: Kysely<Database>): Promise<number | undefined> =>
  (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(one)).rows[0]?.pid;

/**
 * @returns whether a statement that `one` has prepared still exists for it while `two` holds the session in which it was prepared
 */
const carriesStatements = async (one: Kysely<Database>, two: Kysely<Database>): Promise<boolean> => {
  // The random name makes a text that no process has prepared before in any session.
  const question = CompiledQuery.raw(`select pg_backend_pid() as pid, $1::text as "${randomUUID()}"`, ['almanac']);
  await one.executeQuery(question); // A text is prepared when it occurs for the second time (prepared-statements.ts).
  const { rows } = await one.executeQuery<{ pid: number }>(question);
  await sql`begin`.execute(two);
  try {
    if ((await pidOf(two)) !== rows[0]?.pid) return true;
    const asked = one.executeQuery(question).then(() => true);
    return await Promise.race([asked, sleep(ANSWER_WITHIN_MS, false, { ref: false })]);
  } finally {
    await sql`rollback`.execute(two);
  }
};

/**
 * Two connections that are open at once share a session only behind a pooler in transaction mode. Unless it supports prepared
 * statements, a statement of one connection is missing there, or belongs to another client under the same name.
 * @throws Error with a message for people
 */
export const checkSessions = (db: Kysely<Database>): Promise<void> =>
  db.connection().execute((one) =>
    db.connection().execute(async (two) => {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const carried = await carriesStatements(one, two).catch((error: unknown) => {
          if (isUnknownStatement(error)) return false;
          throw error;
        });
        if (!carried)
          throw new Error(
            'DATABASE_URL leads to a connection pooler in transaction mode that does not support prepared statements. ' +
              'Use session mode (pool_mode = session), or PgBouncer 1.21 or newer with max_prepared_statements = 200.',
          );
      }
    }),
  );

/**
 * Opens the configured database and checks it.
 * @throws Error with a message for people, also where it can't be reached
 */
export const openCheckedDatabase = async (
  ...[options, ...callbacks]: Parameters<typeof openDatabase>
): Promise<DatabaseHandle> => {
  const handle = await openDatabase(options, ...callbacks);
  try {
    if (options.DATABASE_URL) {
      await handle.ping().catch((error: unknown) => {
        throw new Error(whyUnreachable(options.DATABASE_URL as string, error));
      });
      await checkSessions(handle.db);
    }
    await checkDatabase(handle.db);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
};
