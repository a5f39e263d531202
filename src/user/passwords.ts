/**
 * Passwords: bcrypt, a few at a time. Each takes a quarter of a second of a core, on a thread of the small pool that also
 * serves files and names: a crowd of logins waits in line, and beyond the line is refused.
 */
import bcrypt from 'bcrypt';
import { Problem } from '../common/problem.ts';

const AT_ONCE = 2;
/** Four seconds of work at 12 rounds. */
const IN_LINE = 32;
const MAX_BYTES = 72;

/** Of nobody's password: what an unknown account is compared with, so that it costs the same. */
const decoy = (cost: number): string =>
  `$2b$${String(cost).padStart(2, '0')}$abcdefghijklmnopqrstuuABCDEFGHIJKLMNOPQRSTUVWXYZabcde`;

/** @param cost bcrypt rounds: 12, fewer in tests. */
export const createPasswords = (cost: number) => {
  const line: (() => void)[] = [];
  let running = 0;

  const queued = async <T>(work: () => Promise<T>): Promise<T> => {
    if (running < AT_ONCE) running += 1;
    else await new Promise<void>((go) => line.push(go)); // its place is handed over
    try {
      return await work();
    } finally {
      const next = line.shift();
      if (next) next();
      else running -= 1;
    }
  };

  return {
    /** To be asked before an attempt is counted. @throws 429 where the line is full */
    admit: (): void => {
      if (line.length >= IN_LINE)
        throw new Problem('too_many_logins', 'Too many people log in at this moment; try again in 2 s.', {
          headers: { 'Retry-After': '2' },
        });
    },
    hash: (password: string): Promise<string> => queued(() => bcrypt.hash(password, cost)),
    /** Without a hash (an unknown account) it takes as long and is false; bcrypt would look at 72 bytes only, so longer is false. */
    matches: async (password: string, hash: string | undefined): Promise<boolean> => {
      const same = await queued(() => bcrypt.compare(password, hash ?? decoy(cost)));
      return same && hash !== undefined && Buffer.byteLength(password) <= MAX_BYTES;
    },
  };
};

export type Passwords = ReturnType<typeof createPasswords>;
