/** What became of the plans of an agent. */
import type { AgentActivity } from '../../../client/almanac-client.ts';

/** `12 proposed · 8 approved · 3 rejected · 1 waits`. */
export const recordText = ({ proposed, approved, rejected, executed }: AgentActivity): string => {
  const all = proposed + approved + rejected + executed;
  const parts = [`${all} proposed`, `${approved + executed} approved`, `${rejected} rejected`];
  return [...parts, ...(proposed ? [proposed === 1 ? '1 waits' : `${proposed} wait`] : [])].join(' · ');
};
