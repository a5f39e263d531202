/** Resolves what a text says of a time relative to its own day: "yesterday", "two weeks ago", "last month", a weekday. English only. */
import type { LocalDate } from './time.ts';
import { type Cycle, cycleMeant, NUMBERS, VAGUE, WEEKDAYS, weekdayMeant } from './words-of-time.ts';

const namesIn = (table: ReadonlyMap<string, number>): string => [...table.keys()].join('|');
/** 'sat', 'sun' and 'wed' are words too. */
const DAYS = [...WEEKDAYS.keys()].filter((name) => name.length > 4 || !/^(?:sat|sun|wed)/.test(name)).join('|');
const TOLD = new RegExp(
  `\\b(?:(?<before>yesterday|last (?:night|evening))|(?<same>today|tonight|this (?:morning|afternoon|evening))|(?<after>tomorrow)|` +
    `(?:(?:a )?(?<couple>couple)(?: of)?|(?<count>\\d{1,3}|an?|${namesIn(NUMBERS)})|(?:a )?(?<vague>few|several)) (?<unit>day|week|month|year)s? (?:ago|back|earlier)|` +
    `(?<which>last|past|previous|this|next) (?<span>week|weekend|month|year)|` +
    `(?<next>next )?(?<weekday>${DAYS}))\\b`,
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
  const { from, to } = cycleMeant(today, unit as Cycle, which === 'this' ? 0 : which === 'next' ? 1 : -1);
  if (unit === 'month') return [monthOf(from)];
  return unit === 'year' ? [yearOf(from)] : days(from, from.until(to).days);
};

/** A weekday is the last one before today, or with "next" that of the next week. */
const weekday = (today: Temporal.PlainDate, name: string, isNext: boolean): string[] =>
  days(weekdayMeant(today, WEEKDAYS.get(name)!, isNext ? 'next' : 'last'), 1);

const datesOf = (
  today: Temporal.PlainDate,
  { before, same, after, couple, count, vague, unit, ...more }: Groups,
): string[] => {
  if (before) return days(today.subtract({ days: 1 }), 1);
  if (same) return days(today, 1);
  if (after) return days(today.add({ days: 1 }), 1);
  if (unit) {
    const number = VAGUE.get(vague ?? couple ?? '') ?? (Number(count) || NUMBERS.get(count ?? '') || 1);
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
