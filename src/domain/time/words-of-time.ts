/**
 * What words of time mean, for the whole product: the planner, questions, and the dates that memory's index finds in a text
 * read their names here and count with these functions (docs/decisions.md, "Words of time").
 */

/** Names in their order, 1 the first; abbreviations behind the full name. */
const table = (rows: string): ReadonlyMap<string, number> =>
  new Map(rows.split('|').flatMap((row, i) => row.split(' ').map((word): [string, number] => [word, i + 1])));

export const WEEKDAYS = table(
  'monday mon|tuesday tue tues|wednesday wed weds|thursday thu thur thurs|friday fri|saturday sat|sunday sun',
);
export const NUMBERS = table(
  'one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen',
);
/** 'a couple' is 2 wherever it is said; 'a few' and 'several' are 3 where a number is needed. */
export const VAGUE: ReadonlyMap<string, number> = new Map([
  ['couple', 2],
  ['few', 3],
  ['several', 3],
]);

/** The Monday of a day's ISO week. */
export const mondayOf = (date: Temporal.PlainDate): Temporal.PlainDate => date.subtract({ days: date.dayOfWeek - 1 });

/** The first such weekday (1 Monday to 7) from a day on, that day included. */
export const nextWeekday = (from: Temporal.PlainDate, weekday: number): Temporal.PlainDate =>
  from.add({ days: (weekday - from.dayOfWeek + 7) % 7 });

export type Which = 'bare' | 'this' | 'coming' | 'next' | 'after next' | 'week' | 'fortnight' | 'last';
/**
 * The day of a weekday with the word beside it, said on `today`. 'next Friday' is that of the next week, whichever day it is
 * today; 'Friday week' is seven days behind the coming one.
 */
export const weekdayMeant = (today: Temporal.PlainDate, weekday: number, which: Which): Temporal.PlainDate => {
  const coming = nextWeekday(today, weekday);
  if (which === 'next') return mondayOf(today).add({ days: 6 + weekday });
  if (which === 'after next') return mondayOf(today).add({ days: 13 + weekday });
  if (which === 'last') return nextWeekday(today.subtract({ days: 7 }), weekday);
  if (which === 'week') return coming.add({ days: 7 });
  if (which === 'fortnight') return coming.add({ days: 14 });
  return which === 'coming' && coming.equals(today) ? coming.add({ days: 7 }) : coming;
};

export type Cycle = 'week' | 'weekend' | 'month' | 'quarter' | 'year';
const STEPS: Record<Cycle, (n: number) => Temporal.DurationLike> = {
  week: (weeks) => ({ weeks }),
  weekend: (weeks) => ({ weeks }),
  month: (months) => ({ months }),
  quarter: (n) => ({ months: 3 * n }),
  year: (years) => ({ years }),
};
const startOf = (day: Temporal.PlainDate, unit: Cycle): Temporal.PlainDate => {
  if (unit === 'month') return day.with({ day: 1 });
  if (unit === 'year') return day.with({ day: 1, month: 1 });
  return unit === 'quarter' ? day.with({ day: 1, month: day.month - ((day.month - 1) % 3) }) : mondayOf(day);
};

/** The days of 'this week' (0), 'next month' (1), 'last year' (-1), half-open. */
export const cycleMeant = (
  today: Temporal.PlainDate,
  unit: Cycle,
  step: number,
): { from: Temporal.PlainDate; to: Temporal.PlainDate } => {
  const from = startOf(today, unit).add(STEPS[unit](step));
  return { from: unit === 'weekend' ? from.add({ days: 5 }) : from, to: from.add(STEPS[unit](1)) };
};
