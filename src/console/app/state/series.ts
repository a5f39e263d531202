/** When a proposed series happens. It is computed by the code that the service decides with, so that both mean the same. */
import { signal } from '@preact/signals';
import type { happeningsOf } from '../../../domain/calendar/series-schedule.ts';
import { ruleText } from '../../../domain/calendar/rrule-text.ts';
import type { Plan } from '../../../client/almanac-client.ts';
import { addDays, daysBetween, momentOf, shortDate, wallOf, type Wall } from './wall-time.ts';

export const repeats = ({ rrule, scheduled_for }: Plan): boolean => rrule !== null && scheduled_for !== null;

export const cancels = ({ action_type, arguments: given }: Plan): boolean =>
  action_type === 'reschedule' && given['cancel'] === true;

/** Whether it changes an occurrence and all later ones of a series. */
export const changesFollowing = ({ action_type, arguments: given }: Plan): boolean =>
  action_type === 'reschedule' && given['scope'] === 'following';

/** Whether more than one time of a series is meant. */
export const isSeries = (plan: Plan): boolean => repeats(plan) || changesFollowing(plan);

/** Behind what it changes. */
export const later = (plan: Plan): string => (changesFollowing(plan) ? ' and all later ones' : '');

export const isAllDay = (plan: Plan): boolean => plan.action_type === 'schedule' && plan.arguments['all_day'] === true;

/** Computes the times of a series. Most calendars have no proposed one, so it is loaded where there is one. */
const happenings = signal<typeof happeningsOf>();

let loading: Promise<void> | undefined;
/** Browsers before 2026 may lack Temporal, and a script may not arrive: then the first time of a series is drawn only. */
export const loadSeries = (): Promise<void> => {
  loading ??=
    typeof Temporal === 'undefined'
      ? Promise.resolve()
      : import('../../../domain/calendar/series-schedule.ts').then(
          (loaded) => void (happenings.value = loaded.happeningsOf),
          () => undefined,
        );
  return loading;
};

const canCompute = (): boolean => {
  if (!happenings.value) void loadSeries();
  return happenings.value !== undefined;
};

/** Whether all times of it are known here; the calendar draws the first one only where they are not. */
export const isWhole = (plan: Plan): boolean => !repeats(plan) || canCompute();

export type Occurrence = { start: Wall; at: number };

const DAY_MS = 86_400_000;
/** No card and no calendar shows more of one series. */
const MOST = 1_000;

/** The occurrences that begin in the shown days; the plan itself where it happens once. */
export const occurrencesIn = (plan: Plan, first: string, days: number): Occurrence[] => {
  if (plan.scheduled_for === null) return [];
  const once = { start: startOf(plan, Date.parse(plan.scheduled_for)), at: Date.parse(plan.scheduled_for) };
  if (!repeats(plan) || !canCompute()) return [once];
  // The zones of the profile and of the series differ by a day at most.
  const from = Date.parse(`${first}T00:00:00Z`) - DAY_MS;
  return timesOf(plan, from, from + (days + 2) * DAY_MS)
    .map((at) => ({ start: startOf(plan, at), at }))
    .filter(({ start }) => start.date < addDays(first, days) && daysBetween(first, start.date) >= 0);
};

const timesOf = (plan: Plan, from: number, to: number): number[] => {
  const { scheduled_for, duration_minutes, rrule, exdates, timezone } = plan;
  const series = { duration_minutes, exdates, timezone: timezone ?? 'UTC', all_day: isAllDay(plan) };
  const times: number[] = [];
  for (const { start } of happenings.value?.(
    { ...series, scheduled_for: scheduled_for as string, rrule: rrule as string },
    [from, to],
  ) ?? []) {
    if (start >= from) times.push(start);
    if (times.length >= MOST) break;
  }
  return times;
};

/** An all-day event is on its date in every zone. */
const startOf = (plan: Plan, at: number): Wall =>
  isAllDay(plan) ? { date: wallOf(at, plan.timezone ?? undefined).date, minutes: 0 } : wallOf(at);

const counts = new WeakMap<Plan, number>();

/** How many occurrences a series with an end has, at most MOST. */
const countOf = (plan: Plan, end: string): number => {
  const known = counts.get(plan);
  if (known !== undefined) return known;
  const count = timesOf(plan, Date.parse(plan.scheduled_for as string), Date.parse(end) + 1).length;
  counts.set(plan, count);
  return count;
};

/**
 * `30 in all`, `without an end`, or until when, where the browser cannot count.
 * @param taken how many of them an approval leaves out, because their time is taken: `28 of 30`
 */
export const amountOf = (plan: Plan, taken = 0): string => {
  const { repeats_until: end } = plan;
  if (end === null) return 'without an end';
  if (!canCompute()) return `until ${momentOf(end)}`;
  const count = countOf(plan, end);
  if (count >= MOST) return `${MOST} or more in all`;
  return taken > 0 ? `${Math.max(0, count - taken)} of ${count}` : `${count} in all`;
};

export const repetitionText = ({ rrule }: Plan): string => ruleText(rrule as string);

/** The first occurrence that is not left out. */
export const firstStart = (plan: Plan): string | null =>
  repeats(plan) ? (plan.expires_at ?? plan.scheduled_for) : plan.scheduled_for;

/** 'Tue 1 Dec, 10:00', or 'Tue 1 Dec, all day', which is its date in every zone. */
export const startText = (plan: Plan): string => {
  const first = firstStart(plan);
  if (first === null) return '';
  return isAllDay(plan) ? `${shortDate(wallOf(first, plan.timezone ?? undefined).date)}, all day` : momentOf(first);
};
