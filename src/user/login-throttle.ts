/**
 * Limits failed logins per account and per address, and registrations per address. The counts are in the database, so that all
 * instances share them.
 */
import { hash } from 'node:crypto';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import type { DatabaseHandle } from '../db/database.ts';
import { networkOf } from '../domain/access/client-address.ts';
import { Problem } from '../common/problem.ts';

const WINDOW_SECONDS = 15 * 60;
const PER_ACCOUNT = 10;
const PER_ADDRESS = 50;
const HOUR_SECONDS = 3600;

/** Makes the limits. @param registrationsPerHour of one address; 0 means no limit */
export const createThrottle = (handle: DatabaseHandle, registrationsPerHour: number) => {
  // The library needs a client with query({name, text, values}). This one works with both databases.
  const storeClient = { query: (q: { text: string; values: unknown[] }) => handle.query(q.text, q.values) };
  const limiter = (keyPrefix: string, points: number, duration = WINDOW_SECONDS) =>
    new RateLimiterPostgres({
      storeClient,
      storeType: 'client',
      tableName: 'throttles',
      tableCreated: true,
      clearExpiredByTimeout: false,
      keyPrefix,
      points,
      duration,
    });
  const account = limiter('account', PER_ACCOUNT);
  const address = limiter('address', PER_ADDRESS);
  const registrations = limiter('registration', registrationsPerHour, HOUR_SECONDS);
  const short = (text: string): string => hash('sha256', text).slice(0, 32);

  const countOr429 = async (what: string, count: () => Promise<unknown>): Promise<void> => {
    try {
      await count();
    } catch (refused) {
      if (!(refused instanceof RateLimiterRes)) throw refused;
      const seconds = Math.max(1, Math.ceil(refused.msBeforeNext / 1000));
      throw new Problem('too_many_logins', `There were too many ${what}. Try again in ${seconds} s.`, {
        headers: { 'Retry-After': String(seconds) },
      });
    }
  };
  const networkKey = (ip: string): string => short(networkOf(ip));

  return {
    /** Counts an attempt before the password is checked, so that parallel guesses cannot evade the limit. @throws 429 */
    attempt: (email: string, ip: string): Promise<void> =>
      countOr429('failed logins', async () => {
        await account.consume(short(email));
        await address.consume(networkKey(ip));
      }),
    /** Counts a registration even where it fails later, since each costs a password hash. @throws 429 */
    registration: async (ip: string): Promise<void> => {
      if (registrationsPerHour) await countOr429('registrations', () => registrations.consume(networkKey(ip)));
    },
    /** Clears the counts after a correct password. */
    succeeded: async (email: string, ip: string): Promise<void> => {
      await Promise.all([account.delete(short(email)), address.reward(networkKey(ip))]);
    },
    sweep: async (now: number): Promise<void> => {
      await handle.query('delete from throttles where expire < $1', [now]);
    },
  };
};

export type Throttle = ReturnType<typeof createThrottle>;
