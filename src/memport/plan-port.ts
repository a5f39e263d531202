/** What an import asks of the planner queue. The agent feature does it (src/agent/plan-hooks.ts). */
import type { PlanDoc, Unstamped } from '../domain/record/trace.ts';
import type { Reading } from '../ledger/ledger-writer.ts';

export type MemportPlanPort = {
  /**
   * An import calls this before its write, since a series takes long, for a plan that waited for a decision where it was exported.
   * @returns it as it would wait here; null where it stays a record
   */
  waitingPlan: (plan: Unstamped<PlanDoc>) => Unstamped<PlanDoc> | null;
  /** An import calls this in its write for those plans. @returns the uids of those for which the queue has capacity */
  admitWaiting: (reading: Reading, plans: readonly Unstamped<PlanDoc>[]) => Promise<Set<string>>;
};
