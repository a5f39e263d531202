/** Limits how many requests of one account are under way, so that the memory which it takes is bounded. */
import { createShares } from '../common/fair-shares.ts';
import type { Caller } from '../domain/access/caller.ts';
import { agentsMost } from '../domain/access/quota.ts';

/** The limit for one person. The body of a waiting request is not read yet, so waiting takes little memory. */
const MAX_UNDER_WAY = 64;
const MAX_WAITING = 1_000;
const MAX_WAIT_MS = 30_000;

export const createConcurrencyLimit = () => {
  const limitOf = (most: number) =>
    createShares({ size: Infinity, each: () => most, maxWaiting: MAX_WAITING, maxWaitMs: MAX_WAIT_MS });
  const agents = agentsMost(MAX_UNDER_WAY);
  const ofPerson = limitOf(MAX_UNDER_WAY);
  const ofAgents = limitOf(agents.all);
  const ofKey = limitOf(agents.one);

  /** Agents are counted separately: an agent that sends its bodies slowly must not keep the person from revoking its key. */
  const limitsOf = ({ origin, user_id, actor }: Caller) =>
    origin === 'agent'
      ? [
          { limit: ofKey, holder: `${user_id} ${actor}` },
          { limit: ofAgents, holder: user_id },
        ]
      : [{ limit: ofPerson, holder: user_id }];

  return {
    /**
     * Takes the shares of a request.
     * @returns a function that gives them back, once
     * @throws 429
     */
    take: async (caller: Caller, cost: number): Promise<() => void> => {
      const give: (() => void)[] = [];
      const giveAll = (): void => give.splice(0).forEach((one) => one());
      if (cost === 0) return giveAll;
      try {
        for (const { limit, holder } of limitsOf(caller)) {
          await limit.take(holder, cost);
          give.push(() => limit.give(holder, cost));
        }
      } catch (error) {
        giveAll();
        throw error;
      }
      return giveAll;
    },
  };
};

export type ConcurrencyLimit = ReturnType<typeof createConcurrencyLimit>;
