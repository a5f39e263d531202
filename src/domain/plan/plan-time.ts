/** The time a plan takes: what has to be free for it, and the day by which limits count it. */
import { isRecord } from './plan-transitions.ts';
import { cancels, DISPLACED, isAllDay, takesTime, type Acting } from './plan.ts';
import { addMinutes, dayBounds, localDate, type Instant, type Interval } from '../time/time.ts';
import type { PlanDoc } from '../record/trace.ts';

type Timed = Acting & { scheduled_for: Instant | null };

/** The time it needs to be free, or null where it needs none or has none yet. */
export const neededTime = (plan: Timed & { duration_minutes: number | null }): Interval | null =>
  plan.scheduled_for !== null && plan.duration_minutes !== null && takesTime(plan)
    ? { start: plan.scheduled_for, end: addMinutes(plan.scheduled_for, plan.duration_minutes) }
    : null;

const DAY_MINUTES = 24 * 60;

/** The hours it stands at on the calendar, of an all-day event its whole local days; null where it stands nowhere. */
export const hoursOf = (plan: Timed & { duration_minutes: number | null }, zone: string): Interval | null => {
  if (plan.scheduled_for === null || !isAllDay(plan)) return neededTime(plan);
  const first = Temporal.PlainDate.from(localDate(plan.scheduled_for, zone));
  const days = Math.ceil((plan.duration_minutes ?? DAY_MINUTES) / DAY_MINUTES);
  const last = first.add({ days: days - 1 }).toString();
  return { start: dayBounds(first.toString(), zone).start, end: dayBounds(last, zone).end };
};

/** The time a pending proposal competes for. Imported plans are records and compete for nothing. */
export const wantedBy = (plan: PlanDoc): Interval | null =>
  plan.status === 'proposed' && !isRecord(plan) ? neededTime(plan) : null;

/**
 * The instant by whose local day and ISO week limits count a plan: its time, else when it was recorded. A cancellation has no
 * time of its own, as it takes effect on approval. `timestamp` plays no part: whoever proposes can choose it.
 */
export const countsAt = (plan: Timed & { recorded_at: Instant }): Instant =>
  plan.scheduled_for !== null && !cancels(plan) ? plan.scheduled_for : plan.recorded_at;

/** As countsAt, for plans that limits count: agents', neither rejected nor displaced (a displaced plan is proposed anew). */
export const countedAt = (plan: PlanDoc): Instant | null =>
  plan.origin === 'agent' && plan.status !== 'rejected' && plan.decision?.code !== DISPLACED ? countsAt(plan) : null;
