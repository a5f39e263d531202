/** What memory asks of the planner queue, in its own write under the user's lock. The agent feature does it (src/agent/plan-hooks.ts). */
import type { Caller } from '../domain/access/caller.ts';
import type { PlanDoc, TraceDoc } from '../domain/record/trace.ts';
import type { Writer } from '../ledger/ledger-writer.ts';
import type { TraceIn, TraceUpdates } from './schemas.ts';

export type PushedPlan = { uid: string; input: TraceIn; at: string };
/** Records plans of a request as proposals, refused ones too. */
export type ProposePlans = (uids: readonly string[]) => Promise<TraceDoc[]>;
/** Memory calls this once in the write. `known` are the uids that an earlier request has recorded. */
export type ProposingIn = (writer: Writer, known: ReadonlySet<string>) => Promise<ProposePlans>;

export type MemoryPlanPort = {
  /**
   * Memory calls this for the pushed traces of type agent_plan of one request, before its write, since to judge many takes long.
   * They have the same `proposal_id`; `at` is the place of a trace in the request.
   */
  proposingTraces: (caller: Caller, list: readonly PushedPlan[], proposal_id: string) => Promise<ProposingIn>;
  /** Memory calls this when a pushed uid is a plan already. It says whether the push repeats the one that made the plan. */
  isSameProposal: (caller: Caller, first: PlanDoc, input: TraceIn) => boolean;
  /** Memory calls this for PATCH /memory/edit on a plan. It makes the edit a transition of the plan, or throws. */
  editPlan: (writer: Writer, caller: Caller, plan: PlanDoc, updates: TraceUpdates) => Promise<TraceDoc>;
};
