/**
 * The planner queue as its routes use it: propose, decide, change and execute plans, and read the queue.
 *
 * Who calls whom in this folder and its subfolders:
 *
 *   feature.ts                 makes the parts, and registers this service in plan-hooks.ts for other features
 *   routes.ts                  calls service.ts, prompt/planner.ts and the state of decide/executor.ts
 *   service.ts                 (this file) joins the parts that follow, and reads the queue itself
 *     propose/submitted.ts         actions and pushed traces of clients   -> propose/admit.ts
 *     propose/imported.ts          which plans of an import wait again
 *     decide/decisions.ts          approve, reject, withdraw              -> decide/approval-rules.ts, decide/plan-effects.ts
 *     undo/decisions.ts            undo of decisions                      -> undo/compensation.ts (calendar, traces),
 *                                                                            undo/propose-again.ts (-> propose/admit.ts)
 *     undo/agent.ts                undo of all that an agent caused       -> undo/compensation.ts, undo/traces.ts
 *     decide/edit-plan.ts          edits                                  -> decide/approval-rules.ts
 *     decide/calendar-changes.ts   what changes of the calendar mean      -> propose/admit.ts
 *     decide/execute-request.ts    POST /agent/execute                    -> decide/plan-effects.ts
 *     feedback.ts                  feedback on plans and other traces
 *   prompt/planner.ts          from a prompt to proposals                 -> prompt/interpret.ts (by prompt/facts.ts), service.ts,
 *                                                                            prompt/reply.ts (what it says)
 *   prompt/correct.ts          corrects a pending proposal                -> decide/approval-rules.ts, propose/admit.ts
 *   decide/executor.ts         executes due plans in the background       -> decide/plan-effects.ts
 *   feed/feed.ts               the feed for calendar programs, its links  -> service.ts
 *                              (feed/routes.ts and feed/decision-page.ts show it)
 *   place/reschedule-targets.ts  completes what changes an event          -> calendar
 *   propose/admit.ts           records a proposal, or its refusal         -> propose/beside.ts (beside what), propose/draft.ts,
 *                                                                            place/placement.ts (when), decide/record-transition.ts
 *   place/placement.ts         chooses or checks the time of a proposal   -> place/series-placement.ts, place/tempo-check.ts
 *   place/series-placement.ts  the same for one that repeats              -> place/plan-series.ts (its occurrences)
 *   place/counted-plans.ts     counts plans for the limits
 *   decide/approval-rules.ts   the checks of a decision                   -> place/counted-plans.ts, place/plan-series.ts
 *   decide/plan-effects.ts     the effects of an approved plan            -> decide/calendar-effects.ts, decide/record-transition.ts
 *   decide/record-transition.ts  every change of a plan ends here         -> ledger/trace-store.ts
 *
 * decide/swap.ts finds plans that exchange places; propose/proposal.ts has the shapes of proposals; place/plan-repetition.ts reads
 * the repetition of a plan from a request; queries.ts reads plans for all of them; prompt/situation.ts reads the settings and the
 * tempo by which plans are placed and checked.
 */
import type { CalendarService } from '../calendar/service.ts';
import type { Clock } from '../common/clock.ts';
import { forPage, type Db } from '../db/database.ts';
import type { Caller } from '../domain/access/caller.ts';
import { STATUSES, type Status } from '../domain/plan/plan.ts';
import type { Instant } from '../domain/time/time.ts';
import type { PlanDoc } from '../domain/record/trace.ts';
import { readActors } from '../ledger/actors.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Writer } from '../ledger/ledger-writer.ts';
import type { Sensitive } from '../ledger/sensitive-values.ts';
import type { TraceStore } from '../ledger/trace-store.ts';
import type { Logger } from '../observability/log.ts';
import { createAgentTakenBack } from './undo/agent.ts';
import { createRestored } from './undo/restored.ts';
import { createCompensation } from './undo/compensation.ts';
import { createDecisions } from './decide/decisions.ts';
import type { PlanEffects } from './decide/plan-effects.ts';
import type { Moves } from './decide/record-transition.ts';
import type { ProposalAdmission } from './propose/admit.ts';
import { countedBeside, countingFor, limitCounts } from './place/counted-plans.ts';
import {
  activityPage,
  countAgents,
  conflictsOf,
  countByStatus,
  countQueue,
  loadPlan,
  nextWork,
  plansOfProposal,
  queuePage,
  setDue,
} from './queries.ts';
import { createFeedback } from './feedback.ts';
import { createCalendarChanges } from './decide/calendar-changes.ts';
import { createPlanEdit } from './decide/edit-plan.ts';
import { timeOf, type ApprovalRules } from './decide/approval-rules.ts';
import { createExecuteRequests } from './decide/execute-request.ts';
import type { QueueQuery } from './schemas.ts';
import type { SituationOf } from './prompt/situation.ts';
import { createImportedPlans } from './propose/imported.ts';
import { createSubmittedProposals } from './propose/submitted.ts';
import { createTakenBack } from './undo/decisions.ts';
import { createProblemOf } from '../observability/problem-per-item.ts';

export type AgentDeps = {
  db: Db;
  reads: Db;
  ledger: Ledger;
  clock: Clock;
  traces: TraceStore;
  sensitive: Sensitive;
  calendar: CalendarService;
  moves: Moves;
  admission: ProposalAdmission;
  execution: PlanEffects;
  log: Logger;
  situationOf: SituationOf;
  rules: ApprovalRules;
};

const STATUS_SETS: Record<QueueQuery['status'], Status[]> = {
  pending: ['proposed'],
  all: [...STATUSES],
  proposed: ['proposed'],
  approved: ['approved'],
  rejected: ['rejected'],
  executed: ['executed'],
};
export const createAgentService = (deps: AgentDeps) => {
  const { db, reads, clock, situationOf } = deps;
  const problemOf = createProblemOf(deps.log);
  const compensate = createCompensation(deps);

  const queue = async (
    user_id: string,
    { status, task_id, proposal_id, limit }: QueueQuery,
    key: [at: Instant, uid: string] | undefined,
  ) => {
    const after = key ? { scheduled_for: key[0], uid: key[1] } : undefined;
    const from = forPage({ db, reads }, limit);
    const filter = { statuses: STATUS_SETS[status], pending: status === 'pending', task_id, proposal_id };
    const { items, more } = await queuePage(from, user_id, filter, limit, after);
    const rivals = await conflictsOf(from, user_id, items);
    const actorOf = await readActors(
      from,
      user_id,
      items.map((plan) => plan.proposed_by),
    );
    const shown = (plan: PlanDoc) => {
      const { uids, count } = rivals.get(plan.uid) ?? { uids: [], count: 0 };
      return { ...plan, proposer: actorOf(plan.proposed_by), conflicts: uids, conflicts_count: count };
    };
    const count = () => countQueue(db, user_id, filter);
    return { items: items.map(shown), more, count };
  };

  const status = async (user_id: string) => {
    const situation = await situationOf(reads, user_id);
    const of = { limits: situation.settings.limits, zone: situation.profile.timezone };
    const now = clock.now();
    const queue = await countByStatus(reads, user_id);
    const counts = await limitCounts(reads, user_id, of, { start: now, end: now });
    return {
      mode: situation.settings.execution,
      queue,
      next_due: await nextWork(reads, user_id),
      limits: counts.usageAt(now),
    };
  };
  /** The limits that a plan counts in, at its time or at another one. @throws 404 */
  const limitsOf = async (
    caller: Caller,
    {
      uid,
      scheduled_for,
      timezone,
    }: { uid: string; scheduled_for?: string | undefined; timezone?: string | undefined },
  ) => {
    const plan = await loadPlan(reads, caller.user_id, uid);
    const of = countingFor(plan.origin, await situationOf(reads, caller.user_id));
    if (!of) return [];
    const at = scheduled_for === undefined ? plan.scheduled_for : timeOf(scheduled_for, caller, timezone);
    const { one, counts } = await countedBeside(reads, { ...plan, scheduled_for: at }, of);
    return counts.usageFor(one);
  };

  /** The agents after one of them, with the counts of their plans. */
  const activity = async (user_id: string, after: string | undefined, limit: number) => {
    const found = await activityPage(db, user_id, after, limit);
    const actorOf = await readActors(
      db,
      user_id,
      found.map(({ proposed_by }) => proposed_by),
    );
    return found.map(({ proposed_by, ...counts }) => ({ agent: actorOf(proposed_by), ...counts }));
  };

  return {
    ...createSubmittedProposals(deps),
    ...createImportedPlans(deps),
    ...createDecisions({ ...deps, problemOf }),
    ...createTakenBack({ ...deps, compensate }),
    ...createAgentTakenBack({ ...deps, compensate }),
    ...createRestored(deps),
    ...createPlanEdit(deps),
    ...createFeedback(deps),
    ...createCalendarChanges(deps),
    ...createExecuteRequests({ ...deps, problemOf }),
    queue,
    status,
    activity,
    countAgents: (user_id: string) => countAgents(db, user_id),
    limitsOf,
    plan: (user_id: string, uid: string) => loadPlan(reads, user_id, uid),
    proposal: (user_id: string, proposal_id: string) => plansOfProposal(reads, user_id, proposal_id),
    executionChanged: (writer: Writer, mode: 'automatic' | 'manual') =>
      setDue(writer.tx, writer.author.user_id, mode, clock.now()),
  };
};

export type AgentService = ReturnType<typeof createAgentService>;
