/**
 * Divides the database's connections into fair shares (common/fair-shares.ts): those of the pool on a Postgres server, the only
 * one of the embedded database.
 */
import { PGliteAdapter, PGliteDialect, PGliteDriver, type PGlite, type PostgresPool } from 'kysely';
import { LRUCache } from 'lru-cache';
import type pg from 'pg';
import { createShares, currentHolder, isOfAgents, type Shares } from '../common/fair-shares.ts';

/** One user holds at most one in four of the connections, and the agents of one user one in six: a person's work comes first. */
const SHARE = 4;
const AGENTS_SHARE = 6;
const MAX_WAITING = 1_000;
/** A request waits at most this long. Only the user's own earlier requests take that long; those of others end much sooner. */
const MAX_WAIT_MS = 20_000;

export const sharesOf = (connections: number, isResting: (holder: string) => boolean = () => false): Shares =>
  createShares({
    size: connections,
    each: (holder) => (isResting(holder) ? 0 : Math.ceil(connections / (isOfAgents(holder) ? AGENTS_SHARE : SHARE))),
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

/**
 * A request has several statements one after the other. If each waited for a long statement of somebody else, the request would
 * take as many times as long. So whoever has held the connection for this long leaves it to others for as long again.
 */
const LONG_MS = 20;
const LONGEST_REST_MS = 250;
/** Nobody rests where nobody else has asked for the connection within this time. */
const RECENT_MS = 1_000;

class FairPGliteDriver extends PGliteDriver {
  readonly #resting = new Set<string>();
  readonly #shares = sharesOf(1, (holder) => this.#resting.has(holder));
  /** When each last asked for the connection. */
  readonly #asked = new LRUCache<string, number>({ max: 1_000 });
  #holder: string | undefined;
  #taken = 0;
  #since = 0;
  readonly #pglite: PGlite;

  constructor(pglite: PGlite) {
    super({ pglite });
    this.#pglite = pglite;
  }

  override async acquireConnection(): ReturnType<PGliteDriver['acquireConnection']> {
    const holder = currentHolder();
    if (holder !== undefined) this.#asked.set(holder, performance.now());
    await this.#shares.take(holder);
    // Kysely's driver would wait forever for a transaction to begin, and nobody would handle that it did not.
    if (this.#pglite.closed) {
      this.#shares.give(holder);
      throw new Error('PGlite is closed');
    }
    this.#holder = holder;
    this.#taken = performance.now();
    this.#since ||= this.#taken;
    return super.acquireConnection();
  }

  override async releaseConnection(): Promise<void> {
    const holder = this.#holder;
    this.#rest(holder);
    const give = (): void => this.#shares.give(holder);
    if (performance.now() - this.#since < SLICE_MS) return give();
    this.#since = 0;
    setImmediate(give);
  }

  #rest(holder: string | undefined): void {
    const now = performance.now();
    const held = now - this.#taken;
    if (holder === undefined || held < LONG_MS || !this.#isSharedWith(holder, now)) return;
    this.#resting.add(holder);
    setTimeout(
      () => {
        this.#resting.delete(holder);
        this.#shares.give(holder, 0);
      },
      Math.min(held, LONGEST_REST_MS),
    );
  }

  /** Whether somebody else has asked for the connection lately. */
  #isSharedWith(holder: string, now: number): boolean {
    // The map gives the most recent first, and at most one of the first two is this holder.
    const [first, second] = this.#asked.keys();
    const other = first === holder ? second : first;
    return other !== undefined && now - (this.#asked.peek(other) ?? 0) < RECENT_MS;
  }
}

/** Serves users in rotation on the single connection. It replaces Kysely's lock, which serves in order of arrival. */
export class FairPGliteDialect extends PGliteDialect {
  readonly #pglite: PGlite;
  constructor(pglite: PGlite) {
    super({ pglite });
    this.#pglite = pglite;
  }
  override createDriver(): PGliteDriver {
    return new FairPGliteDriver(this.#pglite);
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
