/** Calendar arithmetic on plain days. */
import { mondayOf, nextWeekday } from '../../time/words-of-time.ts';

export { mondayOf, nextWeekday };

export const compareDays = (a: Temporal.PlainDate, b: Temporal.PlainDate): number => Temporal.PlainDate.compare(a, b);

export const laterDay = (a: Temporal.PlainDate, b: Temporal.PlainDate | undefined): Temporal.PlainDate =>
  b && compareDays(b, a) > 0 ? b : a;

export const soonerDay = (a: Temporal.PlainDate, b: Temporal.PlainDate | undefined): Temporal.PlainDate =>
  b && compareDays(b, a) < 0 ? b : a;

/** The nth of a weekday in a month, -1 the last. */
export const nthWeekday = (month: Temporal.PlainYearMonth, weekday: number, nth: number): Temporal.PlainDate => {
  if (nth > 0) return nextWeekday(month.toPlainDate({ day: 1 }), weekday).add({ days: 7 * (nth - 1) });
  const last = month.toPlainDate({ day: month.daysInMonth });
  return last.subtract({ days: (last.dayOfWeek - weekday + 7) % 7 });
};
