/** Opens the database: server Postgres through pg, or PGlite in this process. The rest of the code sees one `Db`. */
import { Kysely, PGliteDialect, PostgresDialect, sql, type Transaction } from 'kysely';
import pg from 'pg';
import type { Database } from './schema.ts';
import { PARSERS } from './values.ts';
import { openEmbedded } from './embedded.ts';

/** The database or a transaction on it: helpers take either. */
export type Db = Kysely<Database> | Transaction<Database>;

export type DatabaseHandle = {
  kind: 'postgres' | 'embedded';
  db: Kysely<Database>;
  /** Runs several statements at once (migrations); not for parameters. */
  exec: (statements: string) => Promise<void>;
  /** A query outside Kysely, for libraries that bring their own SQL. */
  query: (text: string, values: unknown[]) => Promise<{ rows: Record<string, unknown>[]; rowCount: number }>;
  /** Cross-instance wake-up; on the embedded database there are no other instances. */
  notify: (channel: string, payload: string) => Promise<void>;
  listen: (channel: string, heard: (payload: string) => void) => Promise<() => Promise<void>>;
  pool: () => { total: number; idle: number; waiting: number };
  close: () => Promise<void>;
};

/** Statement texts seen so far, with the name each is prepared under; bounded, since every name costs memory on every connection. */
const MAX_PREPARED = 500;
const statementNames = new Map<string, string>();
const nameOf = (text: string): string | undefined => {
  const known = statementNames.get(text);
  if (known || statementNames.size >= MAX_PREPARED) return known;
  const name = `s${statementNames.size}`;
  statementNames.set(text, name);
  return name;
};

/** A pg client that prepares and reuses every parameterised statement by name (measured 2x on single-row selects). */
class PreparingClient extends pg.Client {
  // oxlint-disable-next-line typescript/no-explicit-any -- pg's overloads can't be extended otherwise
  override query(...args: any[]): any {
    const [text, values, ...rest] = args;
    if (typeof text === 'string' && Array.isArray(values) && values.length > 0) {
      const name = nameOf(text);
      if (name) return super.query({ name, text, values }, ...(rest as []));
    }
    return super.query(...(args as [string]));
  }
}

const openPostgres = (url: string, size: number, onError: (error: Error) => void): DatabaseHandle => {
  const connection = {
    connectionString: url,
    application_name: 'almanac',
    connectionTimeoutMillis: 5_000,
    // Session settings travel with the start-up packet: no extra round trip.
    options:
      '-c timezone=UTC -c datestyle=ISO -c bytea_output=hex -c jit=off -c idle_in_transaction_session_timeout=60000',
    types: {
      getTypeParser: (oid: number, format?: unknown) => PARSERS[oid] ?? pg.types.getTypeParser(oid, format as 'text'),
    },
  };
  const pool = new pg.Pool({
    ...connection,
    max: size,
    idleTimeoutMillis: 30_000,
    Client: PreparingClient,
  });
  pool.on('error', onError);
  return {
    kind: 'postgres',
    db: new Kysely<Database>({ dialect: new PostgresDialect({ pool }) }),
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
    listen: (channel, heard) => keepListening(connection, channel, heard, onError),
    pool: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: async () => {
      await pool.end();
    },
  };
};

/** One connection for LISTEN, reopened while the service lives: polling beneath makes a gap harmless. */
const keepListening = async (
  connection: pg.ClientConfig,
  channel: string,
  heard: (payload: string) => void,
  onError: (error: Error) => void,
): Promise<() => Promise<void>> => {
  let stopped = false;
  let client: pg.Client | undefined;
  let retry: NodeJS.Timeout | undefined;
  const connect = async (): Promise<void> => {
    if (stopped) return;
    const next = new pg.Client(connection);
    client = next;
    const again = (error?: Error): void => {
      if (stopped || client !== next) return;
      client = undefined;
      if (error) onError(error);
      next.end().catch(() => undefined);
      retry = setTimeout(() => void connect(), 1_000);
    };
    next.on('error', again);
    next.on('end', () => again());
    next.on('notification', (message) => heard(message.payload ?? ''));
    try {
      await next.connect();
      await next.query(`listen ${pg.escapeIdentifier(channel)}`);
    } catch (error) {
      again(error as Error);
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
};

/**
 * Opens the configured database. `onError` hears of connections lost while idle.
 * @throws Error with a message for people when DATA_DIR is in use by another process.
 */
export const openDatabase = async (
  options: DatabaseOptions,
  onError: (error: Error) => void,
): Promise<DatabaseHandle> => {
  if (options.DATABASE_URL) return openPostgres(options.DATABASE_URL, options.DATABASE_POOL, onError);
  const embedded = await openEmbedded(options.DATA_DIR);
  return embeddedHandle(embedded.pglite, embedded.release);
};

/** The handle over a PGlite that is already open (tests load theirs from a migrated image). */
export const embeddedHandle = (
  pglite: Awaited<ReturnType<typeof openEmbedded>>['pglite'],
  release: () => void,
): DatabaseHandle => ({
  kind: 'embedded',
  db: new Kysely<Database>({ dialect: new PGliteDialect({ pglite }) }),
  exec: async (statements) => {
    await pglite.exec(statements);
  },
  query: async (text, values) => {
    const result = await pglite.query<Record<string, unknown>>(text, values);
    return { rows: result.rows, rowCount: result.affectedRows ?? result.rows.length };
  },
  notify: async () => undefined,
  listen: async () => async () => undefined,
  pool: () => ({ total: 1, idle: 1, waiting: 0 }),
  close: async () => {
    await pglite.close();
    release();
  },
});

export const ping = async (db: Db): Promise<void> => {
  await sql`select 1`.execute(db);
};
