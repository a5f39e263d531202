/** Limits how many requests of one account are under way, so that the memory which it takes is bounded. */
import type { Response } from 'express';
import { createShares } from '../common/fair-shares.ts';
import type { Caller } from '../domain/access/caller.ts';
import { agentsMost } from '../domain/access/quota.ts';

/** The limit for one person. The body of a waiting request is not read yet, so waiting takes little memory. */
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

  /** Agents are counted separately: an agent that sends its bodies slowly must not keep the person from revoking its key. */
  const limitsOf = ({ origin, user_id, actor }: Caller) =>
    origin === 'agent'
      ? [
          { limit: ofKey, who: `${user_id} ${actor}` },
          { limit: ofAgents, who: user_id },
        ]
      : [{ limit: ofPerson, who: user_id }];

  return {
    /** Holds the share until the answer is sent, because an answer that the client does not read takes memory too. @throws 429 */
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
