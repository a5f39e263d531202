/** Computes the time of a plan: the interval that must be free for it, and the day on which limits count it. */
import { isRecord } from './plan-transitions.ts';
import {
  cancels,
  DISPLACED,
  isAllDay,
  repeats,
  keepsTime,
  SERIES_REMOVED,
  takesTime,
  UNDONE,
  type PlanAction,
} from './plan.ts';
import { addMinutes, dayBounds, localDate, type Instant, type Interval } from '../time/time.ts';
import { canonicalJson } from '../record/canonical-json.ts';
import type { PlanDoc } from '../record/trace.ts';

type Timed = PlanAction & { scheduled_for: Instant | null };

/** Returns the interval that must be free, or null where the plan needs none or has none yet. */
export const neededTime = (plan: Timed & { duration_minutes: number | null }): Interval | null =>
  plan.scheduled_for !== null && plan.duration_minutes !== null && takesTime(plan)
    ? { start: plan.scheduled_for, end: addMinutes(plan.scheduled_for, plan.duration_minutes) }
    : null;

/**
 * Returns when a plan expires without a decision. A cancellation or a change of texts has no time of its own and keeps the end of
 * its event.
 */
export const lapsesAt = (plan: Timed & { expires_at: Instant | null }): Instant | null =>
  plan.scheduled_for === null && (cancels(plan) || keepsTime(plan)) ? plan.expires_at : plan.scheduled_for;

/** When a plan happens, as a text to compare. */
const timesOf = ({ scheduled_for, duration_minutes, rrule, exdates, timezone }: PlanDoc): string =>
  canonicalJson([scheduled_for, duration_minutes, rrule ?? null, exdates ?? [], timezone ?? null]);

/** Returns whether a change gives a plan another time. */
export const isMoved = (from: PlanDoc, to: PlanDoc): boolean => timesOf(from) !== timesOf(to);

const DAY_MINUTES = 24 * 60;

/**
 * Returns the interval that the plan takes on the calendar, whole local days for an all-day event; null where it is not on the
 * calendar.
 */
export const hoursOf = (plan: Timed & { duration_minutes: number | null }, zone: string): Interval | null => {
  if (plan.scheduled_for === null || !isAllDay(plan)) return neededTime(plan);
  const first = Temporal.PlainDate.from(localDate(plan.scheduled_for, zone));
  const days = Math.ceil((plan.duration_minutes ?? DAY_MINUTES) / DAY_MINUTES);
  const last = first.add({ days: days - 1 }).toString();
  return { start: dayBounds(first.toString(), zone).start, end: dayBounds(last, zone).end };
};

/** The first start of a plan that waits: that of a series is the first one that is not left out, at which it expires. */
const firstStart = (plan: PlanDoc): Instant | null => (repeats(plan) && plan.expires_at) || plan.scheduled_for;

/** Returns the interval for which a pending proposal competes. Imported plans are only records and compete for nothing. */
export const wantedBy = (plan: PlanDoc): Interval | null =>
  plan.status === 'proposed' && !isRecord(plan) ? neededTime({ ...plan, scheduled_for: firstStart(plan) }) : null;

/**
 * Returns the instant by whose local day and ISO week limits count a plan: its time, else when it was recorded. A cancellation
 * has no time of its own, because it takes effect on approval. `timestamp` does not count, because the agent chooses it.
 */
export const countsAt = (plan: Timed & { recorded_at: Instant }): Instant =>
  plan.scheduled_for !== null && !cancels(plan) ? plan.scheduled_for : plan.recorded_at;

/**
 * Works as countsAt for plans that limits count: agents' plans, neither rejected, displaced nor undone, and no series that the person
 * removed, which would count for ever. A displaced plan has been proposed again.
 */
export const countedAt = (plan: PlanDoc): Instant | null =>
  plan.origin === 'agent' &&
  plan.status !== 'rejected' &&
  plan.decision?.code !== DISPLACED &&
  plan.decision?.code !== UNDONE &&
  !(repeats(plan) && plan.decision?.code === SERIES_REMOVED)
    ? countsAt(plan)
    : null;

/**
 * Returns until when the occurrences of a plan that repeats count, `infinity` for a series without an end; null where it does not
 * repeat or does not count.
 */
export const countedUntil = (plan: PlanDoc): string | null =>
  repeats(plan) && countedAt(plan) !== null ? (plan.repeats_until ?? 'infinity') : null;
