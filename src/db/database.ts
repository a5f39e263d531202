/** Opens the database: Postgres on a server through pg, or PGlite in this process. The rest of the code sees one `Db`. */
import type { PGlite } from '@electric-sql/pglite';
import { Kysely, PostgresDialect, sql, type Dialect, type Transaction } from 'kysely';
import pg from 'pg';
import { FairPGliteDialect, fairPool, sharesOf } from './fair-connections.ts';
import { PipelinedDialect } from './pipelined-pool.ts';
import { pipelinedTransactions, type TransactionWork } from './pipelined-transaction.ts';
import { PreparingPGlite } from './prepared-embedded.ts';
import { PreparingClient } from './prepared-statements.ts';
import type { Database } from './tables.ts';
import { PARSERS } from './driver-values.ts';
import { watchDiskSpace, watchWrites, type Writable } from './write-watch.ts';
import { createWatch, silentError, type Watch } from './answer-watch.ts';

/** The database or a transaction on it; queries take either. */
export type Db = Kysely<Database> | Transaction<Database>;

export type DatabaseHandle = {
  kind: 'postgres' | 'embedded';
  db: Kysely<Database>;
  /** For single statements that take milliseconds: they share connections (pipelined-pool.ts), so it has no transactions. */
  reads: Kysely<Database>;
  /** Runs a transaction in as few round trips as the database allows (pipelined-transaction.ts). */
  transaction: <T>(work: TransactionWork<T>) => Promise<T>;
  /** Runs several statements at once (migrations). It takes no parameters. */
  exec: (statements: string) => Promise<void>;
  /** Runs a query outside Kysely, for libraries that bring their own SQL. */
  query: (text: string, values: unknown[]) => Promise<{ rows: Record<string, unknown>[]; rowCount: number }>;
  /** Wakes other instances (NOTIFY). The embedded database has none, so there it does nothing. */
  notify: (channel: string, payload: string) => Promise<void>;
  listen: (channel: string, onMessage: (payload: string) => void) => Promise<() => Promise<void>>;
  /** Resolves when the database has answered, and it is known whether it is read-only, before any write was refused. */
  ping: () => Promise<void>;
  /** Returns whether the database answers but refuses writes. */
  isReadOnly: () => boolean;
  pool: () => { total: number; idle: number; waiting: number };
  close: () => Promise<void>;
};

/** A page of at most this many rows is read in a few milliseconds. */
const SHORT_PAGE = 100;

/**
 * Chooses where to read a page of at most `rows`. A short page shares its connection; a long one would delay the statements
 * behind it.
 */
export const forPage = ({ db, reads }: { db: Db; reads: Db }, rows: number): Db => (rows <= SHORT_PAGE ? reads : db);

/** A pool that refuses at once while the database is known to be silent. */
class WatchedPool extends pg.Pool {
  watch: Watch | undefined;
  // oxlint-disable-next-line typescript/no-explicit-any -- pg's overloads can't be extended otherwise
  override connect(...args: any[]): any {
    if (this.watch?.isAway()) {
      const [done] = args as [((error: Error) => void)?];
      return done ? done(silentError()) : Promise.reject(silentError());
    }
    this.watch?.begin();
    return super.connect(...(args as []));
  }
}

/** Receives each statement that has ended, for tracing. */
type OnQuery = (statement: { text: string; milliseconds: number; failed: boolean }) => void;

const kyselyOver = (dialect: Dialect, onQuery: OnQuery | undefined): Kysely<Database> =>
  new Kysely<Database>({
    dialect,
    ...(onQuery && {
      log: ({ query, queryDurationMillis, level }) =>
        onQuery({ text: query.sql, milliseconds: queryDurationMillis, failed: level === 'error' }),
    }),
  });

/** Settings of every session. */
const SESSION = [
  'timezone=UTC',
  'datestyle=ISO',
  'bytea_output=hex',
  'jit=off',
  'idle_in_transaction_session_timeout=60000',
  // For a database that is distributed with Citus. Any other Postgres ignores them. SET LOCAL holds on every machine, which erasing
  // an account needs; two registrations at once do not deadlock over the copies of users; and two instances that claim rows of many
  // users at once do not either, as each asks the parts of a table one after the other.
  'citus.propagate_set_commands=local',
  'citus.all_modifications_commutative=on',
  'citus.multi_shard_modify_mode=sequential',
];

/** The name of the sessions of a service (application_name). Other programs use another name. */
export const SERVICE_SESSIONS = 'almanac';

const openPostgres = (
  url: string,
  { DATABASE_POOL: size, sessions = SERVICE_SESSIONS }: DatabaseOptions,
  onError: (error: Error) => void,
  onQuery: OnQuery | undefined,
): DatabaseHandle => {
  const connection = {
    connectionString: url,
    application_name: sessions,
    // Bounds the handshake and the wait for a free connection, so that a request is refused and does not hang.
    connectionTimeoutMillis: 4_000,
    keepAlive: true,
    // Sends a statement before the answers to earlier ones have arrived. Only pipelined-pool.ts and pipelined-transaction.ts make use of it.
    pipeline: true,
    // Session settings travel in the start-up packet, which saves a round trip.
    options: SESSION.map((setting) => `-c ${setting}`).join(' '),
    types: {
      getTypeParser: (oid: number, format?: unknown) => PARSERS[oid] ?? pg.types.getTypeParser(oid, format as 'text'),
    },
  };
  const busy = (): boolean => pool.totalCount > pool.idleCount || pool.waitingCount > 0;
  const watch = createWatch({ connection, busy, onError });
  class WatchedClient extends PreparingClient {
    constructor(config?: pg.ClientConfig) {
      super(config);
      watch.add(this);
    }
  }
  const pool = new WatchedPool({ ...connection, max: size, idleTimeoutMillis: 30_000, Client: WatchedClient });
  pool.watch = watch;
  pool.on('error', onError);
  const shares = sharesOf(size);
  const fair = fairPool(pool, shares);
  const dialect = new PostgresDialect({ pool: fair });
  const db = kyselyOver(dialect, onQuery);
  const writable = watchWrites(db, onError);
  pool.on('connect', (client) => {
    (client as pg.Client as PreparingClient).failed = writable.statementFailed;
  });
  return {
    kind: 'postgres',
    db,
    reads: kyselyOver(new PipelinedDialect(fair), onQuery),
    transaction: pipelinedTransactions(db, dialect, fair),
    exec: async (statements) => {
      await pool.query(statements);
    },
    query: async (text, values) => {
      const result = await pool.query(text, values);
      return { rows: result.rows, rowCount: result.rowCount ?? 0 };
    },
    notify: async (channel, payload) => {
      await pool.query('select pg_notify($1, $2)', [channel, payload]);
    },
    listen: (channel, onMessage) => keepListening(connection, channel, { onMessage, onError, onClient: watch.add }),
    ping: async () => {
      const { rows } = await sql<{ read_only: boolean }>`
        select pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as read_only`.execute(db);
      if (rows[0]?.read_only) await writable.saysReadOnly();
    },
    isReadOnly: writable.isReadOnly,
    pool: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount + shares.waiting() }),
    close: async () => {
      watch.stop();
      writable.stop();
      await pool.end();
    },
  };
};

type Listening = {
  onMessage: (payload: string) => void;
  onError: (error: Error) => void;
  /** Receives each client before it connects. */
  onClient: (client: pg.Client) => void;
};

/** Keeps one connection for LISTEN and reopens it while the service runs. Listeners also poll, so a gap loses nothing. */
const keepListening = async (
  connection: pg.ClientConfig,
  channel: string,
  { onMessage, onError, onClient }: Listening,
): Promise<() => Promise<void>> => {
  let stopped = false;
  let client: pg.Client | undefined;
  let retry: NodeJS.Timeout | undefined;
  const connect = async (): Promise<void> => {
    if (stopped) return;
    const next = new pg.Client(connection);
    client = next;
    onClient(next);
    const reconnect = (error?: Error): void => {
      if (stopped || client !== next) return;
      client = undefined;
      if (error) onError(error);
      next.end().catch(() => undefined);
      retry = setTimeout(() => void connect(), 1_000);
    };
    next.on('error', reconnect);
    next.on('end', () => reconnect());
    next.on('notification', (message) => onMessage(message.payload ?? ''));
    try {
      await next.connect();
      await next.query(`listen ${pg.escapeIdentifier(channel)}`);
    } catch (error) {
      reconnect(error as Error);
    }
  };
  await connect();
  return async () => {
    stopped = true;
    clearTimeout(retry);
    await client?.end().catch(() => undefined);
  };
};

export type DatabaseOptions = {
  DATABASE_URL?: string | undefined;
  DATA_DIR: string;
  DATABASE_POOL: number;
  /** The name of the sessions on a server, unless it is a service. */
  sessions?: string;
};

/**
 * Opens the configured database. `onError` receives the errors of connections that are lost while idle.
 * @throws Error with a message for people when another process uses DATA_DIR
 */
export const openDatabase = async (
  options: DatabaseOptions,
  onError: (error: Error) => void,
  onQuery?: OnQuery,
): Promise<DatabaseHandle> => {
  if (options.DATABASE_URL) return openPostgres(options.DATABASE_URL, options, onError, onQuery);
  // PGlite is loaded only where it is used, so that a service on a Postgres server does not hold it in memory.
  const { openEmbedded } = await import('./embedded.ts');
  const embedded = await openEmbedded(options.DATA_DIR);
  const { pglite, release } = embedded;
  const diskSpace = await watchDiskSpace(options.DATA_DIR, async (readOnly) => {
    onError(
      new Error(
        readOnly
          ? 'the disk is nearly full, so the database accepts no more writes'
          : 'the disk has space again, so the database accepts writes',
      ),
    );
    await pglite.exec(`set default_transaction_read_only = ${readOnly ? 'on' : 'off'}`);
  });
  return embeddedHandle(pglite, release, { onQuery, diskSpace });
};

/** The handle over a PGlite that is already open (tests load theirs from a migrated image). */
export const embeddedHandle = (
  pglite: PGlite,
  release: () => void,
  { onQuery, diskSpace }: { onQuery?: OnQuery | undefined; diskSpace?: Writable } = {},
): DatabaseHandle => {
  const db = kyselyOver(new FairPGliteDialect(new PreparingPGlite(pglite)), onQuery);
  return {
    kind: 'embedded',
    db,
    reads: db,
    transaction: (work) =>
      db.transaction().execute(async (tx) => {
        try {
          const { value, last } = await work(tx);
          await last;
          return value;
        } catch (error) {
          // Statements that are still queued must not run after the rollback, which would not undo them.
          await sql`select 1`.execute(tx).catch(() => undefined);
          throw error;
        }
      }),
    exec: async (statements) => {
      await pglite.exec(statements);
    },
    query: async (text, values) => {
      const result = await pglite.query<Record<string, unknown>>(text, values);
      return { rows: result.rows, rowCount: result.affectedRows ?? result.rows.length };
    },
    notify: async () => undefined,
    listen: async () => async () => undefined,
    ping: async () => {
      await sql`select 1`.execute(db);
    },
    isReadOnly: () => diskSpace?.isReadOnly() ?? false,
    pool: () => ({ total: 1, idle: 1, waiting: 0 }),
    close: async () => {
      diskSpace?.stop();
      await pglite.close();
      release();
    },
  };
};
