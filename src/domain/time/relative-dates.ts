/** Resolves what a text says of a time relative to its own day: "yesterday", "two weeks ago", "last month", a weekday. English only. */
import type { LocalDate } from './time.ts';

const NUMBERS = 'one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve'.split('|');
const WEEKDAYS = 'monday|tuesday|wednesday|thursday|friday|saturday|sunday'.split('|');
const TOLD = new RegExp(
  `\\b(?:(?<before>yesterday|last (?:night|evening))|(?<same>today|tonight|this (?:morning|afternoon|evening))|(?<after>tomorrow)|` +
    `(?:(?<count>\\d{1,3}|an?|${NUMBERS.join('|')})|(?:a )?(?<vague>few|couple(?: of)?|several)) (?<unit>day|week|month|year)s? (?:ago|back|earlier)|` +
    `(?<which>last|past|previous|this|next) (?<span>week|weekend|month|year)|` +
    `(?<next>next )?(?<weekday>${WEEKDAYS.join('|')}|mon|tues?|thurs?|fri))\\b`,
  'gi',
);
/** A longer list would fill the index with the dates of one text. */
const MOST = 100;

type Groups = Record<string, string | undefined>;

const days = (from: Temporal.PlainDate, count: number): string[] =>
  Array.from({ length: count }, (_, i) => from.add({ days: i }).toString());
const monthOf = (day: Temporal.PlainDate): string => day.toPlainYearMonth().toString();
const yearOf = (day: Temporal.PlainDate): string => day.toString().slice(0, -6);

/** Ago: a vague week is any of two, a vague day any of five, and a vague month or year is three. */
const ago = (today: Temporal.PlainDate, unit: string, count: number, isVague: boolean): string[] => {
  if (unit === 'day') return isVague ? days(today.subtract({ days: 5 }), 5) : days(today.subtract({ days: count }), 1);
  if (unit === 'week') return days(today.subtract({ days: 7 * count + (isVague ? 7 : 3) }), isVague ? 14 : 7);
  if (unit === 'month') return [monthOf(today.subtract({ months: count }))];
  return [yearOf(today.subtract({ years: count }))];
};

const span = (today: Temporal.PlainDate, which: string, unit: string): string[] => {
  const step = which === 'this' ? 0 : which === 'next' ? 1 : -1;
  const monday = today.subtract({ days: today.dayOfWeek - 1 }).add({ weeks: step });
  if (unit === 'week') return days(monday, 7);
  if (unit === 'weekend') return days(monday.add({ days: 5 }), 2);
  return unit === 'month' ? [monthOf(today.add({ months: step }))] : [yearOf(today.add({ years: step }))];
};

/** A weekday is the last one before today, or with "next" the first one after it. */
const weekday = (today: Temporal.PlainDate, name: string, isNext: boolean): string[] => {
  const wanted = WEEKDAYS.findIndex((day) => day.startsWith(name.slice(0, 3))) + 1;
  const back = (today.dayOfWeek - wanted + 7) % 7 || 7;
  return days(isNext ? today.add({ days: (7 - back) % 7 || 7 }) : today.subtract({ days: back }), 1);
};

const datesOf = (today: Temporal.PlainDate, { before, same, after, count, vague, unit, ...more }: Groups): string[] => {
  if (before) return days(today.subtract({ days: 1 }), 1);
  if (same) return days(today, 1);
  if (after) return days(today.add({ days: 1 }), 1);
  if (unit) {
    const number = vague ? 3 : Number(count) || NUMBERS.indexOf(count ?? '') + 1 || 1;
    return ago(today, unit, number, vague !== undefined);
  }
  const { which, span: unitOfSpan, next, weekday: day } = more;
  return which && unitOfSpan ? span(today, which, unitOfSpan) : weekday(today, day ?? '', next !== undefined);
};

const ANY = new RegExp(TOLD.source, 'i');

/** Whether `relativeDates` would find any. */
export const hasRelativeDates = (text: string): boolean => ANY.test(text);

/** Lists the distinct days (2026-11-21), months (2026-11) and years (2026) that a text of the day `on` speaks of. */
export const relativeDates = (text: string, on: LocalDate): string[] => {
  const today = Temporal.PlainDate.from(on);
  const found = new Set<string>();
  for (const { groups = {} } of text.matchAll(TOLD)) {
    const lower = Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, value?.toLowerCase()]));
    for (const date of datesOf(today, lower)) found.add(date);
    if (found.size >= MOST) break;
  }
  return [...found].slice(0, MOST);
};
