/** Holidays that move, by year. */
import { compareDays, nthWeekday } from './calendar.ts';

/** The fourth Sunday before Christmas. */
const advent = (year: number): Temporal.PlainDate => {
  const eve = Temporal.PlainDate.from({ year, month: 12, day: 24 });
  return eve.subtract({ days: (eve.dayOfWeek % 7) + 21 });
};

const thanksgiving = (year: number): Temporal.PlainDate => nthWeekday(new Temporal.PlainYearMonth(year, 11), 4, 4);

/** Easter Sunday by the Gregorian computus (Meeus, Jones and Butcher). */
const easter = (year: number): Temporal.PlainDate => {
  const [a, b, c] = [year % 19, Math.floor(year / 100), year % 100];
  const h = (19 * a + b - Math.floor(b / 4) - Math.floor((b - Math.floor((b + 8) / 25) + 1) / 3) + 15) % 30;
  const l = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - h - (c % 4)) % 7;
  const n = h + l - 7 * Math.floor((a + 11 * h + 22 * l) / 451) + 114;
  return Temporal.PlainDate.from({ year, month: Math.floor(n / 31), day: (n % 31) + 1 });
};

const DATES: Readonly<Record<string, (year: number) => Temporal.PlainDate>> = { easter, advent, thanksgiving };

/** The next such holiday from today on, some days away from the one that it is counted from. */
export const movable = (name: string, days: number, today: Temporal.PlainDate): Temporal.PlainDate => {
  const dateIn = (year: number): Temporal.PlainDate => DATES[name]!(year).add({ days });
  return compareDays(dateIn(today.year), today) < 0 ? dateIn(today.year + 1) : dateIn(today.year);
};
