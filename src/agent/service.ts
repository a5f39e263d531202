/**
 * The planner queue as its routes use it: propose, decide, change and execute plans, and read the queue.
 *
 * Who calls whom in this folder:
 *
 *   feature.ts           makes the parts, and registers this service in plan-hooks.ts for memory, calendar and user
 *   routes.ts            calls service.ts, prompt-planner.ts and the state of executor.ts
 *   service.ts           (this file) joins the five parts that follow, and reads the queue itself
 *     submitted-proposals.ts   actions and pushed traces of clients       -> admit-proposal.ts
 *     decisions.ts             approve, reject, withdraw                  -> approval-rules.ts, plan-effects.ts
 *     taken-back.ts            undo                                       -> calendar, admit-proposal.ts
 *     plan-changes.ts          edits, feedback, changes on the calendar   -> approval-rules.ts, admit-proposal.ts
 *     execute-request.ts       POST /agent/execute                        -> plan-effects.ts
 *   prompt-planner.ts    from a prompt to proposals and corrections       -> interpret-prompt.ts, approval-rules.ts, service.ts,
 *                                                                            planner-reply.ts (what it says)
 *   executor.ts          executes due plans in the background             -> plan-effects.ts
 *   proposals-feed.ts    the feed for calendar programs and its links     -> service.ts
 *                        (proposals-feed-routes.ts and decision-page.ts show it)
 *   reschedule-targets.ts completes what changes an event                 -> calendar
 *   admit-proposal.ts    records a proposal, or its refusal               -> placement.ts (when), record-transition.ts
 *   placement.ts         chooses or checks the time of a proposal         -> series-placement.ts, tempo-check.ts
 *   series-placement.ts  the same for one that repeats                    -> plan-series.ts (its occurrences)
 *   approval-rules.ts    the checks of a decision                         -> counted-plans.ts, plan-series.ts, tempo-check.ts
 *   plan-effects.ts      the effects of an approved plan                  -> calendar, record-transition.ts
 *   record-transition.ts every change of a plan ends here                 -> ledger/trace-store.ts
 *
 * swap.ts finds plans that exchange places; proposal.ts has the shapes of proposals; plan-repetition.ts reads the repetition of a plan from a request;
 * queries.ts reads plans for all of them; problem-per-item.ts makes the problem of one item of several;
 * situation.ts reads the settings and the tempo by which plans are placed and checked.
 */
import type { CalendarService } from '../calendar/service.ts';
import type { Clock } from '../common/clock.ts';
import { forPage, type Db } from '../db/database.ts';
import { countingWindow, createLimitCounts, hasLimits } from '../domain/plan/limits.ts';
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
import { createDecisions } from './decisions.ts';
import type { PlanEffects } from './plan-effects.ts';
import type { Moves } from './record-transition.ts';
import type { ProposalAdmission } from './admit-proposal.ts';
import { countedBeside, countedIn } from './counted-plans.ts';
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
import { createPlanChanges } from './plan-changes.ts';
import { timeOf, type ApprovalRules } from './approval-rules.ts';
import { createExecuteRequests } from './execute-request.ts';
import type { QueueQuery } from './schemas.ts';
import type { SituationOf } from './situation.ts';
import { createSubmittedProposals } from './submitted-proposals.ts';
import { createTakenBack } from './taken-back.ts';
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
    const zone = situation.profile.timezone;
    const queue = await countByStatus(reads, user_id);
    const plans = await countedIn(reads, user_id, countingWindow(clock.now(), zone));
    return {
      mode: situation.settings.execution,
      queue,
      next_due: await nextWork(reads, user_id),
      limits: createLimitCounts(situation.settings.limits, zone, plans).usageAt(clock.now()),
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
    const { settings, profile } = await situationOf(reads, caller.user_id);
    if (plan.origin !== 'agent' || !hasLimits(settings.limits)) return [];
    const at = scheduled_for === undefined ? plan.scheduled_for : timeOf(scheduled_for, caller, timezone);
    const of = { limits: settings.limits, zone: profile.timezone };
    const { one, counts } = await countedBeside(reads, { ...plan, scheduled_for: at }, of, 'decided');
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
    ...createDecisions({ ...deps, problemOf }),
    ...createTakenBack(deps),
    ...createPlanChanges(deps),
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
