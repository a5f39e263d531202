/** The dates of holidays, by year. */
import { nextWeekday } from '../../time/words-of-time.ts';

const date = (year: number, month: number, day: number): Temporal.PlainDate =>
  Temporal.PlainDate.from({ year, month, day });

/** The nth of a weekday in a month, -1 the last. */
export const nthWeekday = (month: Temporal.PlainYearMonth, weekday: number, nth: number): Temporal.PlainDate => {
  if (nth > 0) return nextWeekday(month.toPlainDate({ day: 1 }), weekday).add({ days: 7 * (nth - 1) });
  const last = month.toPlainDate({ day: month.daysInMonth });
  return last.subtract({ days: (last.dayOfWeek - weekday + 7) % 7 }).subtract({ days: 7 * (-1 - nth) });
};

const nthIn = (month: number, weekday: number, nth: number) => (year: number) =>
  nthWeekday(new Temporal.PlainYearMonth(year, month), weekday, nth);
const fixed = (month: number, day: number) => (year: number) => date(year, month, day);

/** The fourth Sunday before Christmas. */
const advent = (year: number): Temporal.PlainDate => {
  const eve = date(year, 12, 24);
  return eve.subtract({ days: (eve.dayOfWeek % 7) + 21 });
};

/** Easter Sunday by the Gregorian computus (Meeus, Jones and Butcher). */
const easter = (year: number): Temporal.PlainDate => {
  const [a, b, c] = [year % 19, Math.floor(year / 100), year % 100];
  const h = (19 * a + b - Math.floor(b / 4) - Math.floor((b - Math.floor((b + 8) / 25) + 1) / 3) + 15) % 30;
  const l = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - h - (c % 4)) % 7;
  const n = h + l - 7 * Math.floor((a + 11 * h + 22 * l) / 451) + 114;
  return date(year, Math.floor(n / 31), (n % 31) + 1);
};

const DATES: Readonly<Record<string, (year: number) => Temporal.PlainDate>> = {
  easter,
  advent,
  christmas: fixed(12, 25),
  newyear: fixed(1, 1),
  epiphany: fixed(1, 6),
  valentine: fixed(2, 14),
  patrick: fixed(3, 17),
  anzac: fixed(4, 25),
  kings: fixed(4, 27),
  juneteenth: fixed(6, 19),
  july4: fixed(7, 4),
  halloween: fixed(10, 31),
  saints: fixed(11, 1),
  nicholas: fixed(12, 6),
  mothers: nthIn(5, 7, 2),
  memorial: nthIn(5, 1, -1),
  labor: nthIn(9, 1, 1),
  columbus: nthIn(10, 1, 2),
  thanksgiving: nthIn(11, 4, 4),
};

/** The next such holiday from a day on: 'easter -2' is two days before Easter. */
export const holidayFrom = (name: string, from: Temporal.PlainDate): Temporal.PlainDate => {
  const [holiday = '', days] = name.split(' ');
  // New Year's Eve belongs to the year before
  for (const year of [from.year, from.year + 1]) {
    const found = DATES[holiday]!(year).add({ days: Number(days) });
    if (Temporal.PlainDate.compare(found, from) >= 0) return found;
  }
  return DATES[holiday]!(from.year + 2).add({ days: Number(days) });
};
