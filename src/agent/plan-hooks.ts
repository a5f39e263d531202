/**
 * The functions that other features call in the planner queue, in their own write under the user's lock. The agent feature
 * imports memory, calendar and user, so these cannot import it: they call the hooks, and the agent feature registers their
 * implementations.
 */
import type { Caller } from '../domain/access/caller.ts';
import type { PlanDoc, TraceDoc } from '../domain/record/trace.ts';
import type { Instant } from '../domain/time/time.ts';
import type { Writer } from '../ledger/ledger-writer.ts';
import type { TraceIn, TraceUpdates } from '../memory/schemas.ts';
import type { Settings } from '../user/schemas.ts';

export type PlanHooks = {
  /**
   * Memory calls this for pushed traces of type agent_plan. It records each as a proposal, refused ones too. All of one request
   * have the same `proposal_id`; `at` is the place of a trace in the request.
   */
  proposeTraces: (
    writer: Writer,
    caller: Caller,
    list: readonly { uid: string; input: TraceIn; at: string }[],
    proposal_id: string,
  ) => Promise<TraceDoc[]>;
  /** Memory calls this when a pushed uid is a plan already. It says whether the push repeats the one that made the plan. */
  isSameProposal: (caller: Caller, first: PlanDoc, input: TraceIn) => boolean;
  /** Memory calls this for PATCH /memory/edit on a plan. It makes the edit a transition of the plan, or throws. */
  editPlan: (writer: Writer, caller: Caller, plan: PlanDoc, updates: TraceUpdates) => Promise<TraceDoc>;
  /** Calendar calls this when an agent's block was removed for an event of a person. It proposes the plan again, later. */
  blockDisplaced: (
    writer: Writer,
    block: { plan_uid: string; event: { scheduled_for: Instant; duration_minutes: number } },
    /** This event may not be in the calendar yet. */
    by: { title: string; end: Instant },
  ) => Promise<void>;
  /**
   * Calendar calls this when occurrences of an agent's series were left out for events of a person. It proposes the next ones
   * again. `isGone` says that the series has no occurrence left and was removed.
   */
  occurrencesDisplaced: (
    writer: Writer,
    displaced: {
      plan_uid: string;
      occurrences: {
        event: { scheduled_for: Instant; duration_minutes: number };
        by: { title: string; end: Instant };
      }[];
      isGone: boolean;
    },
  ) => Promise<void>;
  /** Calendar calls this when a person changed or removed the event of a plan. It records that as a decision on the plan. */
  eventChanged: (
    writer: Writer,
    decision: { plan_uid: string; change: 'moved' | 'edited' | 'removed' },
  ) => Promise<void>;
  /** User calls this when settings.execution changed. It makes approved plans due (automatic), or no longer due (manual). */
  executionChanged: (writer: Writer, mode: Settings['execution']) => Promise<void>;
};

/** The hooks with the function by which the agent feature registers them. */
export type OpenPlanHooks = PlanHooks & { register: (hooks: PlanHooks) => void };

export const createPlanHooks = (): OpenPlanHooks => {
  let registered: PlanHooks | undefined;
  const hooks = (): PlanHooks => {
    if (!registered)
      throw new Error(
        'No plan hooks are registered: create the agent feature before the first write (process/services.ts).',
      );
    return registered;
  };
  return {
    register: (given) => {
      if (registered) throw new Error('The plan hooks are registered already: create one agent feature for each set.');
      registered = given;
    },
    proposeTraces: (...args) => hooks().proposeTraces(...args),
    isSameProposal: (...args) => hooks().isSameProposal(...args),
    editPlan: (...args) => hooks().editPlan(...args),
    blockDisplaced: (...args) => hooks().blockDisplaced(...args),
    occurrencesDisplaced: (...args) => hooks().occurrencesDisplaced(...args),
    eventChanged: (...args) => hooks().eventChanged(...args),
    executionChanged: (...args) => hooks().executionChanged(...args),
  };
};
