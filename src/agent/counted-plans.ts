/** Reads what limits count: agents' plans, and of plans that repeat every occurrence. */
import { sql } from 'kysely';
import { runYielding, type StepBudget } from '../common/yielding.ts';
import { problem } from '../common/problem.ts';
import type { Db } from '../db/database.ts';
import { documentOf } from '../db/rows-by-key.ts';
import { countingWindow, type CountedPlan } from '../domain/plan/limits.ts';
import type { ActionType } from '../domain/plan/plan.ts';
import { countsAt } from '../domain/plan/plan-time.ts';
import { toSpan } from '../domain/time/spans.ts';
import { instantOf, type Instant, type Interval } from '../domain/time/time.ts';
import type { PlanDoc } from '../domain/record/trace.ts';
import { countedOccurrences, occurrencesOf, repeatingOf } from './plan-series.ts';

export type Counted = CountedPlan & { uid: string };

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

type Row = { uid: string; action_type: ActionType; tempo_tag: string | null; tags: string[] };

/** The occurrences of these plans in a window. */
function* occurrencesIn(plans: readonly PlanDoc[], window: Interval): Generator<undefined, Counted[]> {
  const found: Counted[] = [];
  for (const plan of plans) {
    const series = repeatingOf(plan);
    if (!series) continue;
    for (const { start } of occurrencesOf(series, toSpan(window))) {
      yield;
      const at = instantOf(start);
      if (at >= window.start) found.push({ uid: plan.uid, action_type: plan.action_type, tags: tagsOf(plan), at });
    }
  }
  return found;
}

/**
 * Agents' plans that count against limits in a window, a series once for each occurrence. Uses the indexes traces_counted and
 * traces_counted_series.
 */
export const countedIn = async (db: Db, user_id: string, window: Interval, only?: 'decided'): Promise<Counted[]> => {
  const statuses = only ? ['approved', 'executed'] : ['proposed', 'approved', 'executed'];
  const { rows: once } = await sql<Row & { at: Instant }>`
    select uid, action_type, tempo_tag, tags, counts_at as at from traces
    where user_id = ${user_id} and counts_at >= ${window.start} and counts_at < ${window.end} and counts_until is null
      and status = any(${statuses})`.execute(db);
  const { rows: series } = await sql<{ payload: PlanDoc }>`
    select l.payload
    from (select seq from traces where user_id = ${user_id} and counts_until >= ${window.start} and counts_at < ${window.end}
            and status = any(${statuses})) t
    cross join ${documentOf(user_id, 't')}`.execute(db);
  const repeated = occurrencesIn(
    series.map(({ payload }) => payload),
    window,
  );
  return [
    ...once.map((row) => ({ uid: row.uid, action_type: row.action_type, tags: tagsOf(row), at: row.at })),
    ...(series.length ? await runYielding(repeated, STEPS) : []),
  ];
};

/**
 * The times at which a plan counts, and the plans of agents beside it in the weeks of these times.
 * @param only `decided` leaves out proposals that wait
 */
export const countedBeside = async (
  db: Db,
  plan: PlanDoc,
  zone: string,
  only?: 'decided',
): Promise<{ one: CountedPlan; times: [Instant, ...Instant[]]; others: Counted[] }> => {
  const times = countedTimes(plan);
  const [at] = times;
  const last = times.at(-1) as Instant;
  const window = { start: countingWindow(at, zone).start, end: countingWindow(last, zone).end };
  const all = await countedIn(db, plan.user_id, window, only);
  const one = { action_type: plan.action_type, tags: tagsOf(plan), at };
  return { one, times, others: all.filter((other) => other.uid !== plan.uid) };
};

/** The times at which a plan counts: its own, or those of its occurrences. */
export const countedTimes = (
  plan: Parameters<typeof repeatingOf>[0] & Parameters<typeof countsAt>[0],
): [Instant, ...Instant[]] => {
  const series = repeatingOf(plan);
  const [first, ...others] = series ? countedOccurrences(series).map(([start]) => instantOf(start)) : [];
  return first === undefined ? [countsAt(plan)] : [first, ...others];
};
