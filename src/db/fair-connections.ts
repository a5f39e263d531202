/** The connections of the database in fair shares (common/fair-shares.ts): on server Postgres those of the pool, on the embedded one its only one. */
import { PGliteAdapter, PGliteDialect, PGliteDriver, type PGliteDialectConfig, type PostgresPool } from 'kysely';
import type pg from 'pg';
import { createShares, whoAsks, type Shares } from '../common/fair-shares.ts';

/** Of the connections, one user holds at most one in so many. */
const SHARE = 4;
const MOST_WAITING = 1_000;
/** For one's own requests before it; whoever waits for the others alone waits much less. */
const PATIENCE_MS = 20_000;

export const sharesOf = (connections: number): Shares =>
  createShares({
    size: connections,
    each: () => Math.ceil(connections / SHARE),
    mostWaiting: MOST_WAITING,
    patienceMs: PATIENCE_MS,
  });

/** The pool as Kysely takes it, each connection charged to the user on whose behalf it is asked for. */
export const fairPool = (pool: pg.Pool, shares: Shares): PostgresPool => ({
  connect: async () => {
    const who = whoAsks();
    await shares.take(who);
    try {
      const client = await pool.connect();
      const release = client.release.bind(client);
      client.release = (destroy) => {
        release(destroy);
        shares.give(who);
      };
      return client;
    } catch (error) {
      shares.give(who);
      throw error;
    }
  },
  end: () => pool.end(),
  options: pool.options,
});

/** A statement of the embedded database runs in this process: without a pause hundreds of them would be one block. */
const SLICE_MS = 1;

class FairPGliteDriver extends PGliteDriver {
  readonly #shares = sharesOf(1);
  #holder: string | undefined;
  #since = 0;

  override async acquireConnection(): ReturnType<PGliteDriver['acquireConnection']> {
    const who = whoAsks();
    await this.#shares.take(who);
    this.#holder = who;
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

/** Users take turns at the one connection, in place of Kysely's lock, which serves whoever came first. */
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
