/**
 * Lets short reads share connections of the pool. Each statement is sent without waiting for the answer to the one before
 * (pipelining), so one write sends many statements and one read receives many answers. At 32 concurrent requests of one row, one
 * shared connection served 36,000 a second, ten separate ones 19,000 (node:http).
 */
import { PostgresDialect, PostgresDriver, type Driver, type PostgresPool } from 'kysely';
import { LRUCache } from 'lru-cache';
import type pg from 'pg';
import { createShares, onBehalfOfService, currentHolder } from '../common/fair-shares.ts';
import { sendTogether } from './prepared-statements.ts';

/** A connection takes this many statements before the next one is opened. */
const MAX_UNDER_WAY = 32;
/**
 * Where nothing has arrived for this long, the connection is busy with a long statement, and no other statement is queued behind
 * it.
 */
const BUSY_AFTER_MS = 4;

/** A statement that takes this long is slow. */
const SLOW_MS = 10;
/**
 * A user starts with this many statements under way. The number doubles after each quick statement, and falls after a slow one.
 */
const FIRST_WINDOW = 4;
const SLOW_WINDOW = 2;

/** The type that Kysely gives a connection of a pool. */
type Client = Awaited<ReturnType<PostgresPool['connect']>>;
type SharedConnection = { client: Promise<Client>; users: number; answeredAt: number; broken: boolean };

/** Returns whether an error ends the connection: the server closes it, or it is already lost. */
const endsConnection = ({ severity }: { severity?: unknown }): boolean => severity !== 'ERROR';

/**
 * Limits how many statements each user may have under way here. Statements wait behind a slow one, and a user who could send
 * hundreds of them would delay others on every shared connection.
 */
const createWindows = () => {
  const windows = new LRUCache<string, number>({ max: 10_000 });
  const windowOf = (holder: string): number => windows.get(holder) ?? FIRST_WINDOW;
  const shares = createShares({ size: Infinity, each: windowOf, maxWaiting: 1_000, maxWaitMs: 20_000 });
  return {
    ...shares,
    took: (holder: string | undefined, milliseconds: number): void => {
      if (holder === undefined) return;
      const now = windowOf(holder);
      if (milliseconds >= SLOW_MS) windows.set(holder, SLOW_WINDOW);
      else if (now < MAX_UNDER_WAY) windows.set(holder, Math.min(MAX_UNDER_WAY, 2 * now));
    },
  };
};

const createPipelinedPool = (pool: PostgresPool): PostgresPool => {
  const connections = new Set<SharedConnection>();
  const windows = createWindows();

  const releaseUser = (connection: SharedConnection, client: Client): void => {
    connection.users -= 1;
    if (connection.users) return;
    connections.delete(connection);
    client.release(connection.broken);
  };

  const open = (): SharedConnection => {
    const share = (connected: Client): Client => {
      const client = connected as unknown as pg.PoolClient;
      const query = (...args: [string, unknown[]]) => {
        sendTogether(client, setImmediate); // The statements of one iteration of the event loop.
        const [holder, sent] = [currentHolder(), performance.now()];
        const answered = (): void => {
          const now = performance.now();
          windows.took(holder, now - Math.max(sent, connection.answeredAt));
          connection.answeredAt = now;
        };
        const answer = client.query(...args);
        answer.then(answered, (error: object) => {
          answered();
          connection.broken ||= endsConnection(error);
        });
        return answer;
      };
      const release = (): void => {
        windows.give(currentHolder());
        releaseUser(connection, connected);
      };
      return { query: query as unknown as Client['query'], release };
    };
    const answered = (): void => void (connection.answeredAt = performance.now());
    const connecting = onBehalfOfService(() => pool.connect());
    const connection: SharedConnection = {
      client: connecting.then(share),
      users: 0,
      answeredAt: Infinity,
      broken: false,
    };
    connections.add(connection);
    connection.client.then(answered, () => connections.delete(connection));
    return connection;
  };

  const withCapacity = (): SharedConnection | undefined => {
    const since = performance.now() - BUSY_AFTER_MS;
    for (const connection of connections)
      if (connection.users < MAX_UNDER_WAY && connection.answeredAt > since && !connection.broken) return connection;
    return undefined;
  };

  return {
    connect: async () => {
      const holder = currentHolder();
      await windows.take(holder);
      const connection = withCapacity() ?? open();
      connection.users += 1;
      try {
        return await connection.client;
      } catch (error) {
        windows.give(holder);
        throw error;
      }
    },
    end: () => Promise.resolve(), // The pool belongs to openDatabase, which closes it.
    options: pool.options,
  };
};

/** Uses the same pool as everything else, for single statements that take milliseconds. */
export class PipelinedDialect extends PostgresDialect {
  readonly #pool: PostgresPool;
  constructor(pool: PostgresPool) {
    super({ pool });
    this.#pool = createPipelinedPool(pool);
  }
  override createDriver(): Driver {
    return new PipelinedDriver({ pool: this.#pool });
  }
}

/** A shared connection can't run a transaction, because statements of others would become part of it. */
class PipelinedDriver extends PostgresDriver {
  override beginTransaction(): Promise<void> {
    return Promise.reject(new Error('a shared connection has no transactions: use db, not reads'));
  }
}
