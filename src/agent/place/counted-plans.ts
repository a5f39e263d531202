/** Reads what limits count: agents' plans, and of plans that repeat every occurrence. */
import { sql } from 'kysely';
import { runYielding, type StepBudget } from '../../common/yielding.ts';
import { problem } from '../../common/problem.ts';
import type { Db } from '../../db/database.ts';
import { documentOf } from '../../db/rows-by-key.ts';
import {
  countingWindow,
  createLimitCounts,
  hasLimits,
  type CountedPlan,
  type LimitCounts,
  type Limits,
} from '../../domain/plan/limits.ts';
import { countsAt } from '../../domain/plan/plan-time.ts';
import { toSpan } from '../../domain/time/spans.ts';
import { instantOf, millis, type Instant, type Interval } from '../../domain/time/time.ts';
import type { PlanDoc } from '../../domain/record/trace.ts';
import type { Situation } from '../propose/proposal.ts';
import { countedOccurrences, occurrencesOf, repeatingOf } from './plan-series.ts';

type Counted = CountedPlan & { uid: string };

export const tagsOf = ({ tempo_tag, tags }: { tempo_tag: string | null; tags: string[] }): string[] =>
  tempo_tag ? [tempo_tag, ...tags] : tags;

/** A count examines at most this many occurrences of other series. */
const MOST_STEPS = 200_000;
const STEPS: StepBudget = {
  steps: MOST_STEPS,
  refusal: () =>
    problem(
      'too_many_occurrences',
      `The plans of agents that repeat have more than ${MOST_STEPS} occurrences in the time that the limits concern. End some of these series first.`,
    ),
};

type Row = Pick<PlanDoc, 'uid' | 'action_type' | 'tempo_tag' | 'tags' | 'status'>;

const countedAs = (plan: Row): Omit<Counted, 'times'> => ({
  ...{ uid: plan.uid, action_type: plan.action_type, tags: tagsOf(plan), waits: plan.status === 'proposed' },
});

/** These plans with the times of their occurrences in a window. */
function* repeatedIn(plans: readonly PlanDoc[], window: Interval): Generator<undefined, Counted[]> {
  const found: Counted[] = [];
  const span = toSpan(window);
  for (const plan of plans) {
    const series = repeatingOf(plan);
    if (!series) continue;
    const times: number[] = [];
    for (const { start } of occurrencesOf(series, span)) {
      yield;
      if (start >= span[0]) times.push(start);
    }
    found.push({ ...countedAs(plan), times });
  }
  return found;
}

/**
 * Agents' plans that count against limits in a window, a series once for each occurrence. Uses the indexes traces_counted and
 * traces_counted_series.
 */
const countedIn = async (db: Db, user_id: string, window: Interval, only?: 'decided'): Promise<Counted[]> => {
  const statuses = only ? ['approved', 'executed'] : ['proposed', 'approved', 'executed'];
  const { rows: once } = await sql<Row & { at: Instant }>`
    select uid, action_type, tempo_tag, tags, status, counts_at as at from traces
    where user_id = ${user_id} and counts_at >= ${window.start} and counts_at < ${window.end} and counts_until is null
      and status = any(${statuses})`.execute(db);
  const { rows: series } = await sql<{ payload: PlanDoc }>`
    select l.payload
    from (select seq from traces where user_id = ${user_id} and counts_until >= ${window.start} and counts_at < ${window.end}
            and status = any(${statuses})) t
    cross join ${documentOf(user_id, 't')}`.execute(db);
  const repeated = repeatedIn(
    series.map(({ payload }) => payload),
    window,
  );
  return [
    ...once.map((row) => ({ ...countedAs(row), times: [millis(row.at)] })),
    ...(series.length ? await runYielding(repeated, STEPS) : []),
  ];
};

/** What plans are counted by: the limits of a person, and the zone of their days and weeks. */
type Counting = { limits: Limits; zone: string };

/** What plans of this origin are counted by; null where no limit binds them. Limits concern plans of agents only. */
export const countingFor = (origin: PlanDoc['origin'], { settings, profile }: Situation): Counting | null =>
  origin === 'agent' && hasLimits(settings.limits) ? { limits: settings.limits, zone: profile.timezone } : null;

/**
 * The counts of agents' plans in the weeks from one time to another.
 * @param only `decided` leaves out proposals that wait
 * @param except the uid of a plan that does not count
 */
export const limitCounts = async (
  db: Db,
  user_id: string,
  { limits, zone }: Counting,
  { start, end }: Interval,
  { only, except }: { only?: 'decided' | undefined; except?: string } = {},
): Promise<LimitCounts> => {
  const window = { start: countingWindow(start, zone).start, end: countingWindow(end, zone).end };
  const counted = await countedIn(db, user_id, window, only);
  return createLimitCounts(
    limits,
    zone,
    counted.filter(({ uid }) => uid !== except),
  );
};

/**
 * A plan as limits count it, and the counts of agents' plans beside it in the weeks of its times.
 * @param only `decided` leaves out proposals that wait
 */
export const countedBeside = async (
  db: Db,
  plan: PlanDoc,
  of: Counting,
  only?: 'decided',
): Promise<{ one: CountedPlan; counts: LimitCounts }> => {
  const times = countedTimes(plan);
  const span = { start: instantOf(times[0]), end: instantOf(times.at(-1) as number) };
  const one = { action_type: plan.action_type, tags: tagsOf(plan), times };
  return { one, counts: await limitCounts(db, plan.user_id, of, span, { only, except: plan.uid }) };
};

/** The times at which a plan counts, in epoch milliseconds: its own, or those of its occurrences. */
export const countedTimes = (
  plan: Parameters<typeof repeatingOf>[0] & Parameters<typeof countsAt>[0],
): [number, ...number[]] => {
  const series = repeatingOf(plan);
  const [first, ...others] = series ? countedOccurrences(series).map(([start]) => start) : [];
  return first === undefined ? [millis(countsAt(plan))] : [first, ...others];
};
