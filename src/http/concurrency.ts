/** Limits on the requests of one account that are under way, so that what it sends at once takes a bounded amount of memory. */
import type { Response } from 'express';
import { createShares } from '../common/fair-shares.ts';
import type { Caller } from '../domain/access/caller.ts';
import { agentsMost } from '../domain/access/quota.ts';

/** Requests of one person. The bodies of those that wait are not read yet. */
const MOST = 64;
const MOST_WAITING = 1_000;
const PATIENCE_MS = 30_000;

export const createConcurrencyLimit = () => {
  const limitOf = (most: number) =>
    createShares({ size: Infinity, each: () => most, mostWaiting: MOST_WAITING, patienceMs: PATIENCE_MS });
  const agents = agentsMost(MOST);
  const ofPerson = limitOf(MOST);
  const ofAgents = limitOf(agents.all);
  const ofKey = limitOf(agents.one);

  /** Agents are counted apart: one that sends its bodies slowly must not keep the person from revoking its key. */
  const limitsOf = ({ origin, user_id, actor }: Caller) =>
    origin === 'agent'
      ? [
          { limit: ofKey, who: `${user_id} ${actor}` },
          { limit: ofAgents, who: user_id },
        ]
      : [{ limit: ofPerson, who: user_id }];

  return {
    /** Taken until the answer has left, because one that nobody reads takes memory too. @throws 429 */
    take: async (caller: Caller, cost: number, res: Response): Promise<void> => {
      if (cost === 0) return;
      const give: (() => void)[] = [];
      const giveAll = (): void => give.forEach((one) => one());
      try {
        for (const { limit, who } of limitsOf(caller)) {
          await limit.take(who, cost);
          give.push(() => limit.give(who, cost));
        }
      } catch (error) {
        giveAll();
        throw error;
      }
      if (res.closed) giveAll();
      else res.once('close', giveAll);
    },
  };
};

export type ConcurrencyLimit = ReturnType<typeof createConcurrencyLimit>;
