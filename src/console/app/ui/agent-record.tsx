/** What became of the plans of an agent. */
import type { AgentActivity } from '../../../client/almanac-client.ts';

/** `12 proposed · 8 approved · 3 not approved · 1 waits`. The service counts what expired with what was rejected. */
export const recordText = ({ proposed, approved, rejected, executed }: AgentActivity): string => {
  const all = proposed + approved + rejected + executed;
  const parts = [`${all} proposed`, `${approved + executed} approved`, `${rejected} not approved`];
  return [...parts, ...(proposed ? [proposed === 1 ? '1 waits' : `${proposed} wait`] : [])].join(' · ');
};
