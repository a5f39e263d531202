/** Calendar arithmetic on plain days. */

export const compareDays = (a: Temporal.PlainDate, b: Temporal.PlainDate): number => Temporal.PlainDate.compare(a, b);

export const laterDay = (a: Temporal.PlainDate, b: Temporal.PlainDate | undefined): Temporal.PlainDate =>
  b && compareDays(b, a) > 0 ? b : a;

export const soonerDay = (a: Temporal.PlainDate, b: Temporal.PlainDate | undefined): Temporal.PlainDate =>
  b && compareDays(b, a) < 0 ? b : a;

/** The Monday of a day's ISO week. */
export const mondayOf = (date: Temporal.PlainDate): Temporal.PlainDate => date.subtract({ days: date.dayOfWeek - 1 });

/** The first such weekday (1 Monday to 7) from a day on, that day included. */
export const nextWeekday = (from: Temporal.PlainDate, weekday: number): Temporal.PlainDate =>
  from.add({ days: (weekday - from.dayOfWeek + 7) % 7 });

/** The nth of a weekday in a month, -1 the last. */
export const nthWeekday = (month: Temporal.PlainYearMonth, weekday: number, nth: number): Temporal.PlainDate => {
  if (nth > 0) return nextWeekday(month.toPlainDate({ day: 1 }), weekday).add({ days: 7 * (nth - 1) });
  const last = month.toPlainDate({ day: month.daysInMonth });
  return last.subtract({ days: (last.dayOfWeek - weekday + 7) % 7 });
};
