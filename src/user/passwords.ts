/**
 * Hashes and compares passwords with bcrypt, two at a time. Each takes a quarter of a second on a thread of the small pool that
 * also serves files and DNS, so further logins wait in a queue, and beyond its limit are refused.
 */
import bcrypt from 'bcrypt';
import { Problem } from '../common/problem.ts';

const HASHES_AT_ONCE = 2;
/** This many hashes take four seconds at 12 rounds. */
const MOST_QUEUED = 32;
const MAX_BYTES = 72;

/** A hash that no password has. An unknown account is compared with it, so that it takes as long as a known one. */
const decoy = (cost: number): string =>
  `$2b$${String(cost).padStart(2, '0')}$abcdefghijklmnopqrstuuABCDEFGHIJKLMNOPQRSTUVWXYZabcde`;

/** Makes the functions. @param cost bcrypt rounds: 12, fewer in tests */
export const createPasswords = (cost: number) => {
  const queue: (() => void)[] = [];
  let running = 0;

  const queued = async <T>(work: () => Promise<T>): Promise<T> => {
    if (running < HASHES_AT_ONCE) running += 1;
    else await new Promise<void>((go) => queue.push(go)); // The finished work leaves its slot to this one.
    try {
      return await work();
    } finally {
      const next = queue.shift();
      if (next) next();
      else running -= 1;
    }
  };

  return {
    /** Call this before an attempt is counted. @throws 429 where the queue is full */
    admit: (): void => {
      if (queue.length >= MOST_QUEUED)
        throw new Problem('too_many_logins', 'Too many logins are running at the moment. Try again in 2 s.', {
          headers: { 'Retry-After': '2' },
        });
    },
    hash: (password: string): Promise<string> => queued(() => bcrypt.hash(password, cost)),
    /**
     * Without a hash (an unknown account) the comparison takes as long and is false. A password beyond 72 bytes is false too,
     * since bcrypt would ignore the rest.
     */
    matches: async (password: string, hash: string | undefined): Promise<boolean> => {
      const same = await queued(() => bcrypt.compare(password, hash ?? decoy(cost)));
      return same && hash !== undefined && Buffer.byteLength(password) <= MAX_BYTES;
    },
  };
};

export type Passwords = ReturnType<typeof createPasswords>;
