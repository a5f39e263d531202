/** Days that are over, which only questions speak of: 'yesterday', 'last week', 'three days ago'. */
import { mondayOf, NUMBERS, VAGUE, WEEKDAYS, weekdayMeant } from '../../time/words-of-time.ts';

type PlainDate = Temporal.PlainDate;
/** Half-open. */
export type Days = readonly [from: PlainDate, to: PlainDate];

const NUMBER = `\\d{1,3}|an?|${[...NUMBERS.keys()].join('|')}`;
const SO_LONG_AGO = `(${NUMBER}|a couple of|a few) (day|week|month|year)s? ago`;
const AGO = new RegExp(`^${SO_LONG_AGO}$`);
/** 'Two weeks ago', wherever it is in a text. */
export const AGO_WITHIN = new RegExp(`\\b${SO_LONG_AGO}\\b`, 'gi');
const LAST = new RegExp(
  `^(?:in |during |over |within )?(?:the )?(?:last|past|previous) (?:(${NUMBER}|few|couple of) )?(\\w+?)s?$`,
);

const countOf = (word: string | undefined): number =>
  word === undefined || /^an?$/.test(word)
    ? 1
    : (VAGUE.get(word.replace(/^a | of$/g, '')) ?? (Number(word) || NUMBERS.get(word)!));

const oneDay = (day: PlainDate): Days => [day, day.add({ days: 1 })];

/** The whole week, month or year around a day. */
export const around = (unit: string, day: PlainDate): Days | null => {
  if (unit === 'week') return [mondayOf(day), mondayOf(day).add({ days: 7 })];
  if (unit === 'month') return [day.with({ day: 1 }), day.with({ day: 1 }).add({ months: 1 })];
  if (unit === 'year') return [day.with({ day: 1, month: 1 }), day.with({ day: 1, month: 1 }).add({ years: 1 })];
  return null;
};

const FIXED: readonly [RegExp, (today: PlainDate) => Days][] = [
  [/^earlier today$|^just now$/, oneDay],
  [/^earlier this week$/, (today) => [mondayOf(today), today.add({ days: 1 })]],
  [/before yesterday$/, (today) => oneDay(today.subtract({ days: 2 }))],
  [/^(?:yesterday|last night)/, (today) => oneDay(today.subtract({ days: 1 }))],
  [/^(?:recently|the other day|lately)$/, (today) => [today.subtract({ days: 14 }), today.add({ days: 1 })]],
];

/** The days of words that name what is over; null of other words. */
export const daysGone = (words: string, today: PlainDate): Days | null => {
  const fixed = FIXED.find(([pattern]) => pattern.test(words));
  if (fixed) return fixed[1](today);
  const ago = AGO.exec(words);
  if (ago) {
    const day = today.subtract({ [`${ago[2]!}s`]: countOf(ago[1]) });
    return ago[2] === 'day' ? oneDay(day) : around(ago[2]!, day);
  }
  const [, count, unit] = LAST.exec(words) ?? [];
  if (unit === undefined) return null;
  const weekday = WEEKDAYS.get(unit);
  if (weekday) return oneDay(weekdayMeant(today, weekday, 'last'));
  if (unit === 'weekend') return [mondayOf(today).subtract({ days: 2 }), mondayOf(today)];
  if (!/^(?:day|week|month|year)$/.test(unit)) return null;
  const before = today.subtract({ [`${unit}s`]: countOf(count) });
  return count === undefined && unit !== 'day' ? around(unit, before) : [before, today.add({ days: 1 })];
};
