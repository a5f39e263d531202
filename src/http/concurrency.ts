/** Places for the requests of one user that are under way: what he sends at once costs no more memory than these do. */
import type { Response } from 'express';
import { createShares } from '../common/fair-shares.ts';

/** The bodies of requests that wait for a place are not read yet. */
const PLACES = 64;
const MOST_WAITING = 1_000;
const PATIENCE_MS = 30_000;

export const createConcurrencyLimit = () => {
  const shares = createShares({
    size: Infinity,
    each: () => PLACES,
    mostWaiting: MOST_WAITING,
    patienceMs: PATIENCE_MS,
  });
  return {
    /** Taken until the answer has left: one that nobody reads costs memory too. @throws 429 */
    take: async (user_id: string, cost: number, res: Response): Promise<void> => {
      if (cost === 0) return;
      await shares.take(user_id, cost);
      const give = (): void => shares.give(user_id, cost);
      if (res.closed) give();
      else res.once('close', give);
    },
  };
};

export type ConcurrencyLimit = ReturnType<typeof createConcurrencyLimit>;
