/** What a profile asks of the planner queue, in its own write under the user's lock. The agent feature does it (src/agent/plan-hooks.ts). */
import type { Writer } from '../ledger/ledger-writer.ts';
import type { Settings } from './schemas.ts';

export type UserPlanPort = {
  /** User calls this when settings.execution changed. It makes approved plans due (automatic), or no longer due (manual). */
  executionChanged: (writer: Writer, mode: Settings['execution']) => Promise<void>;
};
