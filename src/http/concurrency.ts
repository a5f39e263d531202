/** Limits how many requests of one user are under way, so that the memory which one user takes is bounded. */
import type { Response } from 'express';
import { createShares } from '../common/fair-shares.ts';

/** The body of a waiting request is not read yet, so waiting takes little memory. */
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
    /**
     * Holds the places until the answer is sent, because an answer that the client does not read takes memory too.
     * @throws 429
     */
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
