/** Limits how many of something (sockets, tickets, checkpoints) one account may hold, and how many of these its agents may. */
import type { Caller } from './caller.ts';

/** The share of one agent's key, and of all agents together. The rest stays free for the person. */
const ONE_AGENT = 1 / 5;
const AGENTS = 3 / 5;

/** The number that is held now by the whole account, and by this credential. */
export type Held = { all: number; own: number };

/** Returns how many of `most` one agent's key and all agents together may hold, at least one each. */
export const agentsMost = (most: number): { one: number; all: number } => {
  const atLeastOne = (share: number): number => Math.max(1, Math.floor(most * share));
  return { one: atLeastOne(ONE_AGENT), all: atLeastOne(AGENTS) };
};

/** Returns whether this credential may not have another one. */
export const isUsedUp = ({ origin }: Pick<Caller, 'origin'>, most: number, { all, own }: Held): boolean => {
  if (all >= most) return true;
  const agents = agentsMost(most);
  return origin === 'agent' && (all >= agents.all || own >= agents.one);
};
