/** Productions: days, several days, periods, and their bounds. */
import { type Cycle, cycleMeant, weekdayMeant, type Which } from '../../time/words-of-time.ts';
import type { Day, Facet } from '../facet.ts';
import { MONTHS, wordAt } from '../words.ts';
import { dayName } from '../../time/say.ts';
import { compareDays, mondayOf, nthWeekday } from './calendar.ts';
import type { Place, Productions } from './chart.ts';
import { movable } from './holidays.ts';
import type { Amount } from './make-lengths.ts';

type Date = Temporal.PlainDate;
/** A day as named; `past` where it is named as gone by, `fault` where there is no such day. */
export type Named = Day & { past?: true; fault?: string };
type Period = { unit: Cycle; from: Date; to: Date; past?: true };
type Choice = { days: Named[]; choice?: true };

const none = (today: Date, fault: string): Named => ({ date: today, fault });
const WHICH = 'Which day do you mean?';
const suffix = (n: number): string =>
  n % 100 > 10 && n % 100 < 14 ? 'th' : (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th');
const monthName = (month: number): string =>
  [...MONTHS.keys()].find((name) => MONTHS.get(name) === month)!.replace(/^./, (c) => c.toUpperCase());

/** A day of a month; without a year the next one from today on. */
const dated = (today: Date, month: number, day: number, year?: number): Named => {
  const length = (y: number): number => Temporal.PlainYearMonth.from({ year: y, month }).daysInMonth;
  if (day < 1 || day > (year ? length(year) : month === 2 ? 29 : length(today.year)))
    return none(today, `${monthName(month)} has no ${day}${suffix(day)}. ${WHICH}`);
  if (year !== undefined && (year < 2000 || year > 2200))
    return none(today, `The year ${year} is too far away. ${WHICH}`);
  if (year) return { date: Temporal.PlainDate.from({ year, month, day }) };
  let y = today.year;
  while (day > length(y) || compareDays(Temporal.PlainDate.from({ year: y, month, day }), today) < 0) y++;
  return { date: Temporal.PlainDate.from({ year: y, month, day }), roll: { years: 1 } };
};

/** 5/12 could be either, so it is asked. */
const slashed = (today: Date, text: string): Named | null => {
  const [a = 0, b = 0, y] = text.split(/[./]/).map(Number);
  const year = y === undefined ? undefined : y < 100 ? 2000 + y : y;
  const isDotted = text.includes('.');
  if (!isDotted && a >= 1 && b >= 1 && a <= 12 && b <= 12 && a !== b)
    return none(today, `Is ${text} the ${a}${suffix(a)} of ${monthName(b)} or ${monthName(a)} ${b}${suffix(b)}?`);
  const [month, day] = b > 12 && !isDotted ? [a, b] : [b, a];
  if (month >= 1 && month <= 12) return dated(today, month, day, year);
  return /\/\d{4}$/.test(text) || day > 12 ? none(today, `${text} is not a date. ${WHICH}`) : null;
};

const monthless = (today: Date, day: number, ahead = 0): Named | null => {
  if (day < 1 || day > 31) return null;
  let month = today.toPlainYearMonth().add({ months: ahead });
  while (month.daysInMonth < day || compareDays(month.toPlainDate({ day }), today) < 0)
    month = month.add({ months: 1 });
  return { date: month.toPlainDate({ day }), roll: { months: 1 } };
};

/** A weekday with the word beside it. A bare one and 'this' go on to the next week where the day is over. */
const weekday = (today: Date, n: number, which: Which): Named => {
  const date = weekdayMeant(today, n, which);
  if (which === 'last') return { date, weekday: n, past: true };
  if (which === 'bare') return { date, weekday: n, roll: { days: 7 }, bare: true };
  return which === 'this' || which === 'coming' ? { date, weekday: n, roll: { days: 7 } } : { date, weekday: n };
};

/** The nth of a weekday in a month, -1 the last: the next such from today on. */
const nthOf = (
  place: Place,
  nth: number,
  n: number,
  month: number | undefined,
  ahead: number,
  year?: number,
): Named | null => {
  if (nth > 5) return null;
  const { today } = place;
  const here = today.toPlainYearMonth();
  let base = month ? here.with({ month, ...(year && { year }) }) : here.add({ months: ahead });
  if (!year && compareDays(nthWeekday(base, n, nth), today) < 0) base = base.add(month ? { years: 1 } : { months: 1 });
  return { date: nthWeekday(base, n, nth) };
};

const cycleOf = (day: Date, unit: Cycle, n: number): Period => ({
  unit,
  ...cycleMeant(day, unit, n),
  ...(n < 0 && { past: true as const }),
});
const monthOf = (today: Date, month: number, year?: number): Period => {
  const from = Temporal.PlainDate.from({ year: year ?? today.year + (month < today.month ? 1 : 0), month, day: 1 });
  return { unit: 'month', from, to: from.add({ months: 1 }) };
};

const WEEK_SECTIONS: Record<string, [number, number]> = { start: [0, 2], middle: [1, 4], end: [3, 5] };
const SHARES: Record<string, [number, number]> = { start: [0, 0.25], middle: [0.3, 0.7], end: [0.75, 1] };
const sectionOf = ({ unit, from, to, past }: Period, section: string, today: Date): Period | null => {
  if (past) return null;
  if (section === 'rest') return { unit, from: compareDays(today, from) > 0 ? today : from, to };
  const days = from.until(to, { largestUnit: 'day' }).days;
  const [a, b] =
    unit === 'week'
      ? WEEK_SECTIONS[section]!
      : (SHARES[section]!.map((share, i) => Math.max(i, Math.round(days * share))) as [number, number]);
  return { unit, from: from.add({ days: a }), to: from.add({ days: b }) };
};

/** The days from one to the other, both included; the second is the next such after the first. */
const rangeOf = (first: Named, second: Named, isOpen: boolean): Facet[] | null => {
  if (first.fault || second.fault || first.past || second.past) return null;
  const start = inWeekOf(first, second);
  let last = second.date;
  if (compareDays(last, start.date) < 0 && second.roll) last = last.add(second.roll);
  if (compareDays(last, start.date) < 0)
    return [{ kind: 'fault', ask: `${dayName(last)} comes before ${dayName(start.date)}. Which days do you mean?` }];
  const ends: [Day, Day] = [start, second];
  return [
    { kind: 'period', from: start.date, to: last.add({ days: 1 }), ends, ...(isOpen && { open: true as const }) },
  ];
};

const edgeOf = (day: Named, side: string): Facet[] => {
  const { date } = day;
  if (day.fault) return [{ kind: 'fault', ask: day.fault }];
  if (day.past) return [{ kind: 'past' }];
  if (side === 'from') return [{ kind: 'edge', from: date, said: day }];
  if (side === 'after') return [{ kind: 'edge', from: date.add({ days: 1 }), said: day }];
  return [{ kind: 'edge', until: side === 'before' ? date : date.add({ days: 1 }), said: day }];
};

const periodFacet = ({ from, to, past }: Period): Facet[] => [past ? { kind: 'past' } : { kind: 'period', from, to }];
/** A list longer than a month is none. */
const MOST_DAYS = 31;
/** 'Tuesday and Thursday of next week': both are of that week. */
const inWeekOf = (day: Named, { date, weekday: n, roll }: Named): Named =>
  day.bare && n !== undefined && !roll
    ? { date: mondayOf(date).add({ days: day.weekday! - 1 }), weekday: day.weekday! }
    : day;
const joined = (first: Named, more: Choice, isOr: boolean): Choice | null => {
  const day = inWeekOf(first, more.days[0]!);
  return day.past || day.fault || more.days.some(({ past, fault }) => past || fault) || more.days.length >= MOST_DAYS
    ? null
    : { days: [day, ...more.days], ...((isOr || more.choice) && { choice: true }) };
};
const week = (amount: Amount): { week?: true } => (amount.calendar?.weeks ? { week: true } : {});

const NAMED_DAYS: Productions = {
  offset: ({ today, arg }): Named => {
    const days = Number(arg);
    return { date: today.add({ days }), ...(days < 0 && { past: true }) };
  },
  monthDay: ({ today, arg }, ...[a, b, year]: [number, number, number?]) =>
    arg === 'dom' ? dated(today, b, a, year) : dated(today, a, b, year),
  dotted: ({ today }, text: string) => {
    const [day = 0, month = 0] = text.split('.').map(Number);
    return month >= 1 && month <= 12 ? dated(today, month, day) : null;
  },
  slashed: ({ today }, text: string) => slashed(today, text),
  isoDay: ({ today }, text: string) => {
    const [year = 0, month = 0, day = 0] = text.split('-').map(Number);
    return month < 1 || month > 12 || year < 1
      ? none(today, `${text} is not a date. ${WHICH}`)
      : dated(today, month, day, year);
  },
  monthless: ({ today, arg }, day: number) => monthless(today, day, Number(arg || 0)),
  weekday: ({ today, arg }, n: number) => weekday(today, n, arg as Which),
  weekdayDate: ({ today }, n: number, day: Named | number): Named | null => {
    const date = typeof day === 'number' ? monthless(today, day) : day;
    return date && !date.fault && date.date.dayOfWeek === n ? { date: date.date } : null;
  },
  beside: ({ arg }, day: Named): Named | null =>
    day.past || day.fault ? null : { date: day.date.add({ days: Number(arg) }) },
  lastOf: ({ today }, period: Period | number): Named | null => {
    const { to, past, unit } = typeof period === 'number' ? monthOf(today, period) : period;
    return past || unit === 'weekend' ? null : { date: to.subtract({ days: 1 }) };
  },
  nth: (place, ...values: number[]) => {
    const { arg, spans } = place;
    const [n, day, when, year] = arg === 'last' ? [-1, ...values] : values;
    const month = spans.some(({ kind }) => kind === 'month') ? when : undefined;
    const ahead = month ? 0 : (when ?? (wordAt(place.tokens, place.to - 2) === 'next' ? 1 : 0));
    return nthOf(place, n!, day!, month, ahead, year);
  },
  offsetBy: ({ today }, amount: Amount): Named | null =>
    amount.calendar ? { date: today.add(amount.calendar), ...week(amount) } : null,
  agoBy: ({ today }, amount: Amount): Named | null =>
    amount.calendar ? { date: today.subtract(amount.calendar), past: true } : null,
  offsetFrom: (_, amount: Amount, { date, roll, past, fault }: Named): Named | null =>
    amount.calendar && !past && !fault ? { date: date.add(amount.calendar), ...(roll && { roll }) } : null,
  yearly: ({ today, arg }): Named => {
    const [month = 1, day = 1] = arg.split(' ').map(Number);
    return dated(today, month, day);
  },
  movable: ({ today, arg }): Named => {
    const [name = '', days] = arg.split(' ');
    return { date: movable(name, Number(days), today) };
  },
  advent: ({ today }, n: number): Named | null => (n <= 4 ? { date: movable('advent', 7 * (n - 1), today) } : null),
};

export const DAYS: Productions = {
  ...NAMED_DAYS,
  days: (_, day: Named): Choice => ({ days: [day] }),
  daysAnd: ({ arg, spans, tokens }, day: Named, more: Choice) => {
    // 'Friday, the 27th' is one day said twice
    const { to } = spans[0]!;
    const isComma = wordAt(tokens, to) === ',' && spans[1]!.from === to + 1;
    if (isComma && (day.weekday === undefined) !== (more.days[0]!.weekday === undefined)) return null;
    return joined(day, more, arg === 'or');
  },
  // '1st & 3rd of December'
  domAnd: (_, day: number, last: Named): Choice | null =>
    last.fault || last.past || day < 1 || day >= last.date.day
      ? null
      : { days: [{ date: last.date.with({ day }) }, last] },
  daysBeside: ({ today }, n: number, more: Choice) => joined(weekday(today, n, 'bare'), more, false),
  dayAndNext: ({ arg }, first: Named): Choice | null => {
    if (first.weekday === undefined || first.past) return null;
    const days: Named[] = [first, { date: first.date.add({ days: 7 }), weekday: first.weekday }];
    return arg ? { days, choice: true } : { days };
  },
  dayRange: ({ arg }, ...values: Named[]) => {
    return rangeOf(values[0]!, values[1]!, arg === 'open');
  },
  dayRangeTo: ({ tokens, to }, first: Named, day: number) =>
    first.fault || day <= first.date.day || day > first.date.daysInMonth || wordAt(tokens, to) === 'am'
      ? null
      : rangeOf(first, { date: first.date.with({ day }) }, false),
  dayRangeFrom: ({ tokens, spans }, day: number, last: Named) => {
    const isNamed = tokens.slice(spans[1]!.from, spans[1]!.to).some(({ word }) => MONTHS.has(word));
    return !isNamed || last.fault || day < 1 || day >= last.date.day
      ? null
      : rangeOf({ date: last.date.with({ day }) }, last, false);
  },
  daysFacet: (_, ...values: unknown[]) => {
    const { days, choice } = values.at(-1) as Choice;
    const [{ past, fault }] = days as [Named];
    if (fault) return [{ kind: 'fault', ask: fault }];
    return past ? [{ kind: 'past' }] : [{ kind: 'days', days, ...(choice && { choice }) }];
  },
  dayFacet: (_, day: Named): Facet[] => [{ kind: 'days', days: [day] }],
  wholePeriod: (_, { from, to, past }: Period): Facet[] | null =>
    past ? null : [{ kind: 'whole' }, { kind: 'period', from, to }],
  wholeOf: (_, { days }: Choice): Facet[] | null =>
    days.some(({ past, fault }) => past || fault) ? null : [{ kind: 'whole' }, { kind: 'days', days }],
  dayEdge: ({ arg, spans }, ...values: unknown[]) => {
    const at = spans.findIndex(({ kind }) => kind === 'dayat');
    return edgeOf(values[at] as Named, arg);
  },
  fromToday: ({ today }): Facet[] => [{ kind: 'edge', from: today, said: { date: today } }],

  cycle: ({ today, arg }, unit: Cycle) => cycleOf(today, unit, Number(arg)),
  cycleNow: ({ today, arg }) => cycleOf(today, arg as Cycle, 0),
  monthPeriod: ({ today }, month: number, year?: number) => monthOf(today, month, year),
  weekOf: (_, day: Named) => (day.fault ? null : cycleOf(day.date, 'week', 0)),
  nextFew: ({ today, arg, tokens, to }, amount?: Amount) => {
    if (amount && (!amount.calendar || (arg !== 'facet' && !wordAt(tokens, to - 1).endsWith('s')))) return null;
    const end = amount ? today.add(amount.calendar!).add({ days: 1 }) : today.add({ days: Number(arg) });
    const period: Period = { unit: 'week', from: today, to: end };
    return arg === 'facet' ? periodFacet(period) : period;
  },
  lastWeekend: ({ today, tokens, to }, period?: Period): Period => {
    const { to: end } = period ?? cycleOf(today, 'month', wordAt(tokens, to - 2) === 'next' ? 1 : 0);
    const sunday = end.subtract({ days: 1 + (end.subtract({ days: 1 }).dayOfWeek % 7) });
    return { unit: 'weekend', from: sunday.subtract({ days: 1 }), to: sunday.add({ days: 1 }) };
  },
  section: ({ today, arg }, period: Period) => sectionOf(period, arg, today),
  midweek: ({ today }): Period => {
    const from = today.subtract({ days: today.dayOfWeek - 2 });
    return { unit: 'week', from, to: from.add({ days: 3 }) };
  },
  period: (_, ...values: unknown[]) => periodFacet(values.at(-1) as Period),
  exceptPeriod: ({ today, spans }, ...values: unknown[]): Facet[] | null => {
    const { from, to, past } = values[spans.findIndex(({ kind }) => kind === 'period')] as Period;
    return past || compareDays(from, today) > 0 ? null : [{ kind: 'edge', from: to, said: null }];
  },
  past: (): Facet[] => [{ kind: 'past' }],
  today: ({ today }): Facet[] => [{ kind: 'days', days: [{ date: today }] }],
  periodEdge: ({ arg }, ...values: unknown[]): Facet[] => {
    const { from, to, past } = values.findLast((value) => typeof value === 'object') as Period;
    if (past) return [{ kind: 'past' }];
    if (arg === 'from') return [{ kind: 'edge', from, said: { date: from } }];
    if (arg === 'after') return [{ kind: 'edge', from: to, said: null }];
    return [{ kind: 'edge', until: arg === 'before' ? from : to, said: null, period: [from, to] }];
  },
};
