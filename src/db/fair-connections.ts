/**
 * Divides the database's connections into fair shares (common/fair-shares.ts): those of the pool on a Postgres server, the only
 * one of the embedded database.
 */
import { PGliteAdapter, PGliteDialect, PGliteDriver, type PGliteDialectConfig, type PostgresPool } from 'kysely';
import type pg from 'pg';
import { createShares, currentHolder, isOfAgents, type Shares } from '../common/fair-shares.ts';

/** One user holds at most one in four of the connections, and the agents of one user one in six: a person's work comes first. */
const SHARE = 4;
const AGENTS_SHARE = 6;
const MAX_WAITING = 1_000;
/** A request waits at most this long. Only the user's own earlier requests take that long; those of others end much sooner. */
const MAX_WAIT_MS = 20_000;

export const sharesOf = (connections: number): Shares =>
  createShares({
    size: connections,
    each: (holder) => Math.ceil(connections / (isOfAgents(holder) ? AGENTS_SHARE : SHARE)),
    maxWaiting: MAX_WAITING,
    maxWaitMs: MAX_WAIT_MS,
  });

/** The pool in the shape that Kysely takes. Each connection counts for the user on whose behalf it is taken. */
export const fairPool = (pool: pg.Pool, shares: Shares): PostgresPool => ({
  connect: async () => {
    const holder = currentHolder();
    await shares.take(holder);
    try {
      const client = await pool.connect();
      const release = client.release.bind(client);
      client.release = (destroy) => {
        release(destroy);
        shares.give(holder);
      };
      return client;
    } catch (error) {
      shares.give(holder);
      throw error;
    }
  },
  end: () => pool.end(),
  options: pool.options,
});

/**
 * A statement of the embedded database runs in this process. Without a pause between them, hundreds of statements would block the
 * event loop.
 */
const SLICE_MS = 1;

class FairPGliteDriver extends PGliteDriver {
  readonly #shares = sharesOf(1);
  #holder: string | undefined;
  #since = 0;

  override async acquireConnection(): ReturnType<PGliteDriver['acquireConnection']> {
    const holder = currentHolder();
    await this.#shares.take(holder);
    this.#holder = holder;
    this.#since ||= performance.now();
    return super.acquireConnection();
  }

  override async releaseConnection(): Promise<void> {
    const give = (): void => this.#shares.give(this.#holder);
    if (performance.now() - this.#since < SLICE_MS) return give();
    this.#since = 0;
    setImmediate(give);
  }
}

/** Serves users in rotation on the single connection. It replaces Kysely's lock, which serves in order of arrival. */
export class FairPGliteDialect extends PGliteDialect {
  readonly #config: PGliteDialectConfig;
  constructor(config: PGliteDialectConfig) {
    super(config);
    this.#config = config;
  }
  override createDriver(): PGliteDriver {
    return new FairPGliteDriver(this.#config);
  }
  override createAdapter(): PGliteAdapter {
    return new FairPGliteAdapter();
  }
}

class FairPGliteAdapter extends PGliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}
