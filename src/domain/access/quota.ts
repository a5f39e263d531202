/** What one account may hold of something (sockets, tickets, checkpoints), and how much of it agents may use up. */
import type { Caller } from './caller.ts';

/** One agent's key, and all agents together; the rest is always left for the person. */
const ONE_AGENT = 1 / 5;
const AGENTS = 3 / 5;

/** How much is held by now: of the account, and of this credential. */
export type Held = { all: number; own: number };

/** Whether this credential may not have another one. */
export const isUsedUp = ({ origin }: Pick<Caller, 'origin'>, most: number, { all, own }: Held): boolean => {
  if (all >= most) return true;
  const atLeastOne = (share: number): number => Math.max(1, Math.floor(most * share));
  return origin === 'agent' && (all >= atLeastOne(AGENTS) || own >= atLeastOne(ONE_AGENT));
};
