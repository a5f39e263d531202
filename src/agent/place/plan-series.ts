/** Computes when a plan that repeats occurs, and checks its rule. The occurrences are those of the event that it will make. */
import { givesStart } from '../../domain/calendar/rule-moved.ts';
import { checkRrule, seriesEnd, type Happening } from '../../domain/calendar/series-expansion.ts';
import { happeningsOf, scheduleOf as seriesSchedule, type Series } from '../../domain/calendar/series-schedule.ts';
import type { Schedule } from '../../domain/calendar/schedule.ts';
import { isAllDay, type PlanAction } from '../../domain/plan/plan.ts';
import type { Span } from '../../domain/time/spans.ts';
import { instantOf, localDate, millis, type Instant } from '../../domain/time/time.ts';

/** Occurrences must be free for this long, from the first one or from now. */
export const CHECKED_DAYS = 90;
/** Every occurrence in that time is compared with the calendar, and may become an exdate. */
const MOST_CHECKED = 1_000;
/** Limits and tempo hours are checked for the first 2,000 occurrences, in at most ten years. */
const MOST_COUNTED = 2_000;
/** The calendar compares series for ten years. */
export const TEN_YEARS_MS = 10 * 366 * 86_400_000;
const DAY_MS = 86_400_000;

/** Which occurrences of a series that a plan moves must be free, and for which tempo hours are checked. */
export const CHECKED = { days: CHECKED_DAYS, most: MOST_CHECKED };
export const COUNTED = { days: TEN_YEARS_MS / DAY_MS, most: MOST_COUNTED };

/** The parts of a plan that say when it happens. */
export type Repeating = PlanAction & {
  scheduled_for: Instant;
  duration_minutes: number | null;
  rrule: string;
  exdates: readonly Instant[];
  timezone: string;
};

/** Returns a plan as one that repeats, or null where it has no rule or no time yet. */
export const repeatingOf = (
  plan: PlanAction & {
    scheduled_for: Instant | null;
    duration_minutes: number | null;
    rrule?: string | null | undefined;
    exdates?: readonly Instant[] | undefined;
    timezone?: string | null | undefined;
  },
): Repeating | null =>
  plan.rrule != null && plan.scheduled_for !== null
    ? {
        action_type: plan.action_type,
        arguments: plan.arguments,
        scheduled_for: plan.scheduled_for,
        duration_minutes: plan.duration_minutes,
        rrule: plan.rrule,
        exdates: plan.exdates ?? [],
        timezone: plan.timezone ?? 'UTC',
      }
    : null;

const seriesOf = (plan: Repeating): Series => ({ ...plan, all_day: isAllDay(plan) });

/** The event that the plan will make, as far as its times go. */
const scheduleOf = (plan: Repeating): Schedule => seriesSchedule(seriesOf(plan));

/** The occurrences in a window, without the exdates, in order. */
export const occurrencesOf = (plan: Repeating, window: Span): Generator<Happening<Schedule>> =>
  happeningsOf(seriesOf(plan), window);

/** The window in which occurrences must be free. */
export const checkedWindow = ({ scheduled_for }: Pick<Repeating, 'scheduled_for'>, now: Instant): Span => {
  const from = millis(scheduled_for);
  return [from, Math.max(from, millis(now)) + CHECKED_DAYS * DAY_MS];
};

/** The occurrences that limits and tempo hours are checked for. */
export const countedOccurrences = (plan: Repeating): Span[] => {
  const from = millis(plan.scheduled_for);
  return [...occurrencesOf(plan, [from, from + TEN_YEARS_MS]).take(MOST_COUNTED)].map(({ start, end }): Span => [
    start,
    end,
  ]);
};

/** The first occurrence that is not left out, in ten years. */
export const firstOf = (plan: Repeating): Instant | null => {
  const from = millis(plan.scheduled_for);
  const { value } = occurrencesOf(plan, [from, from + TEN_YEARS_MS]).next();
  return value ? instantOf(value.start) : null;
};

/** When the last occurrence ends; null for a series without an end. */
export const endOf = (plan: Repeating): Instant | null => seriesEnd(scheduleOf(plan));

/** Whether the rule itself gives the start. As DTSTART it is an occurrence in any case. */
export const matchesStart = (plan: Repeating): boolean => givesStart(scheduleOf(plan));

/** Returns why a rule cannot be used for a plan, or null. */
export const ruleFault = (plan: Repeating): string | null => {
  const schedule = scheduleOf(plan);
  const start = schedule.all_day ? localDate(schedule.scheduled_for, plan.timezone) : schedule.scheduled_for;
  const fault = checkRrule(plan.rrule, start, plan.timezone);
  if (fault !== null) return fault;
  const from = millis(schedule.scheduled_for);
  let count = 0;
  for (const _ of occurrencesOf({ ...plan, exdates: [] }, [from, from + CHECKED_DAYS * DAY_MS]))
    if (++count > MOST_CHECKED)
      return `A proposal must have at most ${MOST_CHECKED} occurrences in ${CHECKED_DAYS} days.`;
  return null;
};

/** The starts of those occurrences whose time is taken. Both lists are sorted, and `busy` is merged. */
export const takenOf = (occurrences: Iterable<{ start: number; end: number }>, busy: readonly Span[]): number[] => {
  const taken: number[] = [];
  let at = 0;
  for (const { start, end } of occurrences) {
    while ((busy[at]?.[1] ?? Infinity) <= start) at += 1;
    if ((busy[at]?.[0] ?? Infinity) < end) taken.push(start);
  }
  return taken;
};
