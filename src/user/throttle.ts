/** Failed logins, counted per account and per address in the database, so that all instances count together. */
import { hash } from 'node:crypto';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import type { DatabaseHandle } from '../db/client.ts';
import { Problem } from '../errors.ts';

const WINDOW_SECONDS = 15 * 60;
const PER_ACCOUNT = 10;
const PER_ADDRESS = 50;

export const createThrottle = (handle: DatabaseHandle) => {
  // The library asks for a client with query({name, text, values}); ours runs on both databases.
  const storeClient = { query: (q: { text: string; values: unknown[] }) => handle.query(q.text, q.values) };
  const limiter = (keyPrefix: string, points: number) =>
    new RateLimiterPostgres({
      storeClient,
      storeType: 'client',
      tableName: 'throttles',
      tableCreated: true,
      clearExpiredByTimeout: false,
      keyPrefix,
      points,
      duration: WINDOW_SECONDS,
    });
  const account = limiter('account', PER_ACCOUNT);
  const address = limiter('address', PER_ADDRESS);
  const short = (text: string): string => hash('sha256', text).slice(0, 32);

  return {
    /** Counts an attempt before the password is looked at, so that parallel guesses can't slip through. @throws 429 */
    attempt: async (email: string, ip: string): Promise<void> => {
      try {
        await account.consume(short(email));
        await address.consume(short(ip));
      } catch (refused) {
        if (!(refused instanceof RateLimiterRes)) throw refused;
        const seconds = Math.max(1, Math.ceil(refused.msBeforeNext / 1000));
        throw new Problem('too_many_logins', `Too many failed logins; try again in ${seconds} s.`, {
          headers: { 'Retry-After': String(seconds) },
        });
      }
    },
    /** A right password gives the attempts back. */
    succeeded: async (email: string, ip: string): Promise<void> => {
      await Promise.all([account.delete(short(email)), address.reward(short(ip))]);
    },
    sweep: async (now: number): Promise<void> => {
      await handle.query('delete from throttles where expire < $1', [now]);
    },
  };
};

export type Throttle = ReturnType<typeof createThrottle>;
