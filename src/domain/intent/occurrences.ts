/** Occurrences: the days a repetition falls on. */
import { compareDays, mondayOf, nextWeekday, nthWeekday } from './time/calendar.ts';
import type { Every } from './facet.ts';

/**
 * The days a repetition falls on from `from` (inclusive) to `to` (exclusive), at most `most`. Steps of weeks count from the
 * first occurrence, so 'every other Friday' begins with the coming one. Weeks and months without a day are not laid out here.
 */
export const occurrences = (
  every: Every,
  from: Temporal.PlainDate,
  to: Temporal.PlainDate,
  most: number,
): Temporal.PlainDate[] => {
  const days: Temporal.PlainDate[] = [];
  const push = (day: Temporal.PlainDate): boolean => {
    if (compareDays(day, to) >= 0 || days.length >= most) return false;
    if (compareDays(day, from) >= 0) days.push(day);
    return true;
  };
  if (every.unit === 'month') {
    for (let n = 0, start = from.toPlainYearMonth(); n < 1200; n++) {
      const month = start.add({ months: n });
      const day = every.nth
        ? nthWeekday(month, every.weekdays![0]!, every.nth)
        : month.daysInMonth < every.monthday!
          ? null
          : month.toPlainDate({ day: every.monthday! });
      const starts = days.length === 0 || (day !== null && monthsApart(days[0]!, day) % every.step === 0);
      if (day && day.month === month.month && starts && !push(day)) break;
    }
    return days;
  }
  if (every.unit === 'week') {
    const first = every.weekdays!.map((weekday) => nextWeekday(from, weekday)).toSorted(compareDays)[0]!;
    const monday = mondayOf(first);
    for (let week = 0; week < 5300; week += every.step)
      if (!every.weekdays!.every((weekday) => push(monday.add({ days: 7 * week + weekday - 1 })))) break;
    return days;
  }
  const step = every.unit === 'day' ? every.step : 1;
  for (let n = 0; push(from.add({ days: n * step })); n++);
  return days;
};

const monthsApart = (a: Temporal.PlainDate, b: Temporal.PlainDate): number =>
  (b.year - a.year) * 12 + b.month - a.month;
