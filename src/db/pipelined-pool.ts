/**
 * Short reads share connections of the pool: each is sent without waiting for the answer to the one before (pipelining), so many
 * leave in one write and come back in one read. Measured at 32 requests at once on node:http with one row each: 36,000 a second
 * on one shared connection, 19,000 on ten of their own.
 */
import { PostgresDialect, PostgresDriver, type Driver, type PostgresPool } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Writable } from 'node:stream';
import type pg from 'pg';
import { createShares, onNobodysBehalf, whoAsks } from '../common/fair-shares.ts';
import { wire } from './answer-watch.ts';

/** Statements under way on one connection before the next one is opened. */
const MOST = 32;
/** A connection on which nothing has come back for this long is at work on something longer: nobody else gets in line behind it. */
const PATIENCE_MS = 4;

/** A statement that takes so long is slow. */
const SLOW_MS = 10;
/** Statements under way of one user: at first, and while his are slow; as long as they are quick, twice as many after each. */
const AT_FIRST = 4;
const WHILE_SLOW = 2;

/** What Kysely takes for a connection of its own. */
type Client = Awaited<ReturnType<PostgresPool['connect']>>;
type SharedConnection = { client: Promise<Client>; users: number; moved: number; broken: boolean };

/** Whether a connection is good for nothing after an error: the server ends it, or it is gone already. */
const isEnd = ({ severity }: { severity?: unknown }): boolean => severity !== 'ERROR';

/** All that is sent within one turn of the event loop leaves in one write. */
const together = (stream: Writable): void => {
  if (stream.writableCorked) return;
  stream.cork();
  setImmediate(() => stream.uncork());
};

/**
 * How many statements each user may have under way here. Behind a slow one others would wait, and on every connection there is if one
 * user could send hundreds of them at once.
 */
const createWindows = () => {
  const windows = new LRUCache<string, number>({ max: 10_000 });
  const windowOf = (who: string): number => windows.get(who) ?? AT_FIRST;
  const shares = createShares({ size: Infinity, each: windowOf, mostWaiting: 1_000, patienceMs: 20_000 });
  return {
    ...shares,
    took: (who: string | undefined, milliseconds: number): void => {
      if (who === undefined) return;
      const now = windowOf(who);
      if (milliseconds >= SLOW_MS) windows.set(who, WHILE_SLOW);
      else if (now < MOST) windows.set(who, Math.min(MOST, 2 * now));
    },
  };
};

const createPipelinedPool = (pool: PostgresPool): PostgresPool => {
  const connections = new Set<SharedConnection>();
  const windows = createWindows();

  const leave = (connection: SharedConnection, client: Client): void => {
    connection.users -= 1;
    if (connection.users) return;
    connections.delete(connection);
    client.release(connection.broken);
  };

  const open = (): SharedConnection => {
    const share = (connected: Client): Client => {
      const client = connected as unknown as pg.PoolClient;
      const query = (...args: [string, unknown[]]) => {
        together(wire(client));
        const [who, sent] = [whoAsks(), performance.now()];
        const answered = (): void => {
          const now = performance.now();
          windows.took(who, now - Math.max(sent, connection.moved));
          connection.moved = now;
        };
        const answer = client.query(...args);
        answer.then(answered, (error: object) => {
          answered();
          connection.broken ||= isEnd(error);
        });
        return answer;
      };
      const release = (): void => {
        windows.give(whoAsks());
        leave(connection, connected);
      };
      return { query: query as unknown as Client['query'], release };
    };
    const moved = (): void => void (connection.moved = performance.now());
    const connecting = onNobodysBehalf(() => pool.connect());
    const connection: SharedConnection = { client: connecting.then(share), users: 0, moved: Infinity, broken: false };
    connections.add(connection);
    connection.client.then(moved, () => connections.delete(connection));
    return connection;
  };

  const withCapacity = (): SharedConnection | undefined => {
    const since = performance.now() - PATIENCE_MS;
    for (const connection of connections)
      if (connection.users < MOST && connection.moved > since && !connection.broken) return connection;
    return undefined;
  };

  return {
    connect: async () => {
      const who = whoAsks();
      await windows.take(who);
      const connection = withCapacity() ?? open();
      connection.users += 1;
      try {
        return await connection.client;
      } catch (error) {
        windows.give(who);
        throw error;
      }
    },
    end: () => Promise.resolve(), // the pool belongs to somebody else
    options: pool.options,
  };
};

/** Over the same pool as everything else, for single statements that take milliseconds. */
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

/** What others send at the same time would be part of the transaction. */
class PipelinedDriver extends PostgresDriver {
  override beginTransaction(): Promise<void> {
    return Promise.reject(new Error('a shared connection has no transactions: use db, not reads'));
  }
}
