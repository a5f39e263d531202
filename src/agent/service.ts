/** The planner queue as its routes see it: proposing, deciding, changing, executing, and what is waiting. */
import type { CalendarService } from '../calendar/service.ts';
import type { Clock } from '../common/clock.ts';
import { forPage, type Db } from '../db/database.ts';
import { countingWindow, usage } from '../domain/plan/limits.ts';
import { STATUSES, type Status } from '../domain/plan/plan.ts';
import type { Instant } from '../domain/time/time.ts';
import type { PlanDoc } from '../domain/record/trace.ts';
import type { Ledger, Writer } from '../ledger/ledger.ts';
import type { Sensitive } from '../ledger/sensitive-values.ts';
import type { TraceStore } from '../ledger/trace-store.ts';
import type { Logger } from '../observability/log.ts';
import { createDeciding } from './decisions.ts';
import type { Execution } from './plan-effects.ts';
import type { Moves } from './record-transition.ts';
import type { Proposing } from './admit-proposal.ts';
import type { Situation } from './placement.ts';
import { conflictsOf, loadPlan, nextWork, queuePage, setDue } from './queries.ts';
import { createRevising } from './plan-changes.ts';
import { createRules } from './approval-rules.ts';
import { createRunning } from './execute-request.ts';
import type { QueueQuery } from './schemas.ts';
import { createSubmitting } from './submitted-proposals.ts';
import { createTold } from './problem-per-item.ts';

export type AgentDeps = {
  db: Db;
  reads: Db;
  ledger: Ledger;
  clock: Clock;
  traces: TraceStore;
  sensitive: Sensitive;
  calendar: CalendarService;
  moves: Moves;
  proposing: Proposing;
  execution: Execution;
  log: Logger;
  /** The user's settings and tempo, read inside the write. */
  situationOf: (db: Db, user_id: string) => Promise<Situation>;
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
  const { db, reads, clock, proposing, situationOf } = deps;
  const rules = createRules(deps);
  const told = createTold(deps.log);

  const queue = async (
    user_id: string,
    { status, task_id, limit }: QueueQuery,
    key: [at: Instant, uid: string] | undefined,
  ) => {
    const after = key ? { scheduled_for: key[0], uid: key[1] } : undefined;
    const from = forPage({ db, reads }, limit);
    const { items, more } = await queuePage(
      from,
      user_id,
      { statuses: STATUS_SETS[status], pending: status === 'pending', task_id },
      limit,
      after,
    );
    const rivals = await conflictsOf(from, user_id, items);
    const withRivals = (plan: PlanDoc) => {
      const { uids, count } = rivals.get(plan.uid) ?? { uids: [], count: 0 };
      return { ...plan, conflicts: uids, conflicts_count: count };
    };
    return { items: items.map(withRivals), more };
  };

  const status = async (user_id: string) => {
    const situation = await situationOf(reads, user_id);
    const zone = situation.profile.timezone;
    const rows = await reads
      .selectFrom('traces')
      .select(['status', (eb) => eb.fn.countAll<number>().as('count')])
      .where('user_id', '=', user_id)
      .where('type', '=', 'agent_plan')
      .where('origin', '<>', 'import')
      .groupBy('status')
      .execute();
    const counts = Object.fromEntries(STATUSES.map((s) => [s, rows.find((r) => r.status === s)?.count ?? 0])) as Record<
      Status,
      number
    >;
    const plans = await proposing.counted(reads, user_id, countingWindow(clock.now(), zone));
    return {
      mode: situation.settings.execution,
      queue: counts,
      next_due: await nextWork(reads, user_id),
      limits: usage(situation.settings.limits, plans, clock.now(), zone),
    };
  };
  return {
    ...createSubmitting(deps),
    ...createDeciding({ ...deps, rules, told }),
    ...createRevising({ ...deps, rules }),
    ...createRunning({ ...deps, told }),
    checkAgentsChange: rules.checkAgentsChange,
    sayAction: rules.sayAction,
    queue,
    status,
    plan: (user_id: string, uid: string) => loadPlan(reads, user_id, uid),
    executionChanged: (writer: Writer, mode: 'automatic' | 'manual') =>
      setDue(writer.tx, writer.author.user_id, mode, clock.now()),
  };
};

export type AgentService = ReturnType<typeof createAgentService>;
