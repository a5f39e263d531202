/** What one account may hold of something (sockets, tickets, checkpoints), and how much of it agents may use up. */
import type { Caller } from './caller.ts';

/** One agent's key, and all agents together; the rest is always left for the person. */
const ONE_AGENT = 1 / 5;
const AGENTS = 3 / 5;

/** How much is held by now: of the account, and of this credential. */
export type Held = { all: number; own: number };

/** Of `most`, how much one agent's key and all agents together may hold; one at least. */
export const agentsMost = (most: number): { one: number; all: number } => {
  const atLeastOne = (share: number): number => Math.max(1, Math.floor(most * share));
  return { one: atLeastOne(ONE_AGENT), all: atLeastOne(AGENTS) };
};

/** Whether this credential may not have another one. */
export const isUsedUp = ({ origin }: Pick<Caller, 'origin'>, most: number, { all, own }: Held): boolean => {
  if (all >= most) return true;
  const agents = agentsMost(most);
  return origin === 'agent' && (all >= agents.all || own >= agents.one);
};
