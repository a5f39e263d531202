/** Common holidays by name: those on a fixed date, and those that move. */
import { nthWeekday } from './calendar.ts';

export const HOLIDAYS: [string, month: number, day: number][] = [
  ['christmas eve', 12, 24],
  ['christmas|christmas day', 12, 25],
  ['boxing day', 12, 26],
  ["new year's eve|new year eve|new years eve", 12, 31],
  ["new year's day|new year day|new year|new years|new years day", 1, 1],
  ["valentine's day|valentine day|valentines day", 2, 14],
  ['halloween', 10, 31],
  ["(st/saint) (nicholas/nicholas'/nicholas's) day", 12, 6],
  ["st patrick's day|saint patrick's day|st patrick day|saint patrick day", 3, 17],
];
/** Holidays that move: by weekday of a month, or by days from Easter Sunday. */
export const MOVABLE: [string, (year: number) => Temporal.PlainDate][] = [
  ['thanksgiving|thanksgiving day', (year) => nthWeekday(new Temporal.PlainYearMonth(year, 11), 4, 4)],
  ['black friday', (year) => nthWeekday(new Temporal.PlainYearMonth(year, 11), 4, 4).add({ days: 1 })],
  ['good friday', (year) => easter(year).subtract({ days: 2 })],
  ...['first', 'second', 'third', 'fourth'].map((nth, i): [string, (year: number) => Temporal.PlainDate] => [
    `(the/) ${nth} (sunday of/sunday in/) advent`,
    (year) => advent(year).add({ weeks: i }),
  ]),
  ['easter|easter sunday', (year) => easter(year)],
  ['easter monday', (year) => easter(year).add({ days: 1 })],
];

/** The fourth Sunday before Christmas. */
const advent = (year: number): Temporal.PlainDate => {
  const eve = Temporal.PlainDate.from({ year, month: 12, day: 24 });
  return eve.subtract({ days: (eve.dayOfWeek % 7) + 21 });
};

/** Easter Sunday by the Gregorian computus (Meeus, Jones and Butcher). */
const easter = (year: number): Temporal.PlainDate => {
  const [a, b, c] = [year % 19, Math.floor(year / 100), year % 100];
  const h = (19 * a + b - Math.floor(b / 4) - Math.floor((b - Math.floor((b + 8) / 25) + 1) / 3) + 15) % 30;
  const l = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - h - (c % 4)) % 7;
  const n = h + l - 7 * Math.floor((a + 11 * h + 22 * l) / 451) + 114;
  return Temporal.PlainDate.from({ year, month: Math.floor(n / 31), day: (n % 31) + 1 });
};
