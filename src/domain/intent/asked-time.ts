/** The time that a question is about: a day, a period or an hour, also one that is over. */
import { compareDays, mondayOf } from './time/calendar.ts';
import type { Every, Facet, Item } from './facet.ts';
import { gather, type Gathered } from './gather.ts';
import { dayTimes } from './hours.ts';
import type { AskedTime } from './types.ts';
import { wallInstant } from './when.ts';
import { addMinutes, type Instant, localDate } from '../time/time.ts';
import { NUMBERS, VAGUE, WEEKDAYS, weekdayMeant } from '../time/words-of-time.ts';

type Env = { now: Instant; zone: string; today: Temporal.PlainDate };
type Days = [from: Temporal.PlainDate, to: Temporal.PlainDate];

const POINT_MINUTES = 30;
/** 'after Friday' names no end. */
const OPEN_DAYS = 28;
const NUMBER = `\\d{1,3}|an?|${[...NUMBERS.keys()].join('|')}`;
const AGO = new RegExp(`^(${NUMBER}|a couple of|a few) (day|week|month|year)s? ago$`);
const LAST = new RegExp(
  `^(?:in |during |over |within )?(?:the )?(?:last|past|previous) (?:(${NUMBER}|few|couple of) )?(\\w+?)s?$`,
);

const countOf = (word: string | undefined): number =>
  word === undefined || /^an?$/.test(word)
    ? 1
    : (VAGUE.get(word.replace(/^a | of$/g, '')) ?? (Number(word) || NUMBERS.get(word)!));

/** The whole week, month or year around a day. */
const around = (unit: string, day: Temporal.PlainDate): Days | null => {
  if (unit === 'week') return [mondayOf(day), mondayOf(day).add({ days: 7 })];
  if (unit === 'month') return [day.with({ day: 1 }), day.with({ day: 1 }).add({ months: 1 })];
  if (unit === 'year') return [day.with({ day: 1, month: 1 }), day.with({ day: 1, month: 1 }).add({ years: 1 })];
  return null;
};

/** The days of words that name what is over: 'yesterday', 'last week', 'three days ago'. */
const daysGone = (words: string, today: Temporal.PlainDate): Days | null => {
  const oneDay = (day: Temporal.PlainDate): Days => [day, day.add({ days: 1 })];
  if (/^(?:earlier )?today$|^just now$/.test(words)) return oneDay(today);
  if (words === 'earlier this week') return [mondayOf(today), today.add({ days: 1 })];
  if (words.endsWith('before yesterday')) return oneDay(today.subtract({ days: 2 }));
  if (/^(?:yesterday|last night)/.test(words)) return oneDay(today.subtract({ days: 1 }));
  if (/^(?:recently|the other day)$/.test(words)) return [today.subtract({ days: 14 }), today.add({ days: 1 })];
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

/** A day or period that was read as coming, as the last one that has begun: 'what did I do on Monday?'. */
const gone = (facet: Facet, today: Temporal.PlainDate): Facet => {
  const back = (date: Temporal.PlainDate, step: Temporal.DurationLike): Temporal.PlainDate =>
    compareDays(date, today) > 0 ? date.subtract(step) : date;
  if (facet.kind === 'days')
    return {
      ...facet,
      days: facet.days.map((day) => ({ ...day, date: day.roll ? back(day.date, day.roll) : day.date })),
    };
  if (facet.kind !== 'period') return facet;
  if (compareDays(facet.from, today) > 0) {
    const length = facet.from.until(facet.to, { largestUnit: 'day' }).days;
    const step = length > 14 ? { years: 1 } : { days: 7 };
    return { ...facet, from: facet.from.subtract(step), to: facet.to.subtract(step) };
  }
  // 'This week' and 'this month' begin today where plans are made.
  const whole = around(facet.to.dayOfWeek === 1 ? 'week' : facet.to.day === 1 ? 'month' : '', today);
  return whole?.[1].equals(facet.to) ? { ...facet, from: whole[0] } : facet;
};

const daysOf = (g: Gathered, { today }: Env): Days | 'several' | null => {
  if (g.days?.length) {
    const dates = g.days.map(({ date }) => date).toSorted(compareDays);
    const end = dates.at(-1)!.add({ days: 1 });
    return dates[0]!.until(end).days === dates.length ? [dates[0]!, end] : 'several';
  }
  if (g.period) return [g.period.from, g.period.to];
  const from = g.from ?? today;
  return g.from || g.until ? [from, g.until ?? from.add({ days: OPEN_DAYS })] : null;
};

/** 'on Mondays', 'every Friday afternoon' */
const isWeekly = ({ unit, step, weekdays }: Every): boolean => unit === 'week' && step === 1 && weekdays !== undefined;

const named = (g: Gathered): boolean => g.part !== undefined || g.hours !== undefined || g.clocks !== undefined;

const withHours = ([from, to]: Days, g: Gathered, { zone }: Env): AskedTime | { ask: string } => {
  const at = (day: Temporal.PlainDate, minutes: number): Instant => wallInstant(day, { minutes }, zone);
  const times = dayTimes(g);
  if ('ask' in times) return { ask: times.ask };
  if ('exact' in times) {
    const [{ start, minutes = POINT_MINUTES }] = times.exact as [(typeof times.exact)[0]];
    const begin = wallInstant(from, start, zone);
    return {
      start: begin,
      end: addMinutes(begin, minutes),
      ...(times.exact[0]?.minutes === undefined && { isPoint: true }),
    };
  }
  const { from: first, to: last } = times.window;
  if (!times.said) return { start: at(from, 0), end: at(to, 0) };
  return from.add({ days: 1 }).equals(to)
    ? { start: at(from, first), end: at(from, last) }
    : { start: at(from, 0), end: at(to, 0), hours: { from: first, to: last } };
};

/**
 * The time that the words of a question name; null where they name none, a question back where it can't be read.
 * @param isPast whether the question is about what has been
 * @param wordsOf the text of an item
 */
export const readAskedTime = (
  items: readonly Item[],
  env: Env,
  isPast: boolean,
  wordsOf: (item: Item) => string,
): AskedTime | { ask: string } | null => {
  const { now, zone, today } = env;
  const said = items.filter(({ facets, kept }) => facets.length > 0 && !kept);
  const over = said.filter(({ facets }) => facets.some(({ kind }) => kind === 'past')).map(wordsOf);
  const unread = said.find(({ facets }) =>
    facets.some((facet) => (facet.kind === 'every' && !isWeekly(facet)) || facet.kind === 'except'),
  );
  if (unread) return { ask: `I could not read “${wordsOf(unread)}” in your question. Name a day or a period.` };
  const g = gather(said.flatMap(({ facets }) => facets).map((facet) => (isPast ? gone(facet, today) : facet)));
  if (g.ask) return { ask: g.ask };
  if (g.instant) return { start: g.instant, end: addMinutes(g.instant, POINT_MINUTES), isPoint: true };
  const before = over[0] === undefined ? null : daysGone(over[0], today);
  if (over.length > 0 && !before)
    return { ask: `I could not read “${over[0]}” in your question. Name a day or a period.` };
  const weekdays = g.every?.weekdays;
  const days = before ?? daysOf(g, env) ?? (weekdays ? [today, today.add({ days: OPEN_DAYS })] : null);
  if (days === 'several') return { ask: 'I look at one day or one period at a time. Which one do you mean?' };
  if (over[0]?.startsWith('last night')) g.part = { name: 'night', from: 18, to: 24 };
  if (days) return { ...withHours(days, g, env), ...(weekdays && { weekdays }) };
  if (said.some((item) => /^(?:right |just )?now$/.test(wordsOf(item))))
    return { start: now, end: addMinutes(now, POINT_MINUTES), isPoint: true };
  if (!named(g)) return null;
  const asked = withHours([today, today.add({ days: 1 })], g, env);
  const isOver = !isPast && 'end' in asked && localDate(asked.end, zone) === today.toString() && asked.end <= now;
  return isOver ? withHours([today.add({ days: 1 }), today.add({ days: 2 })], g, env) : asked;
};
