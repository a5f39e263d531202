/** Which days are meant, when it is known what today is and what was spoken of. */
import { cycleMeant, mondayOf, nextWeekday } from '../../time/words-of-time.ts';
import { holidayFrom } from './holidays.ts';
import type { Amount, Days, Nth } from './types.ts';

type PlainDate = Temporal.PlainDate;

/** Days from `from` to `to`, both included. `isWindow`: a stretch in which a thing finds its day, as 'next week'; `isEnd`: the end of one. */
export type DayRange = { from: PlainDate; to: PlainDate; isWindow?: true; isEnd?: true };

/**
 * `isEarlier`: a weekday is the one before the day spoken of, as that of a reminder.
 * `said` is the day last spoken of, `window` a stretch of days that holds for what follows: 'week of 14 December: ...'.
 */
export type DayBase = {
  today: PlainDate;
  said?: PlainDate | undefined;
  window?: DayRange | undefined;
  isEarlier?: boolean;
  stretch?: readonly DayRange[] | undefined;
};

/** A day that no calendar has, or that is not the weekday it is said to be. */
export class NoSuchDay extends Error {}

export const compareDays = (a: PlainDate, b: PlainDate): number => Temporal.PlainDate.compare(a, b);
export const laterOf = (a: PlainDate, b: PlainDate): PlainDate => (compareDays(a, b) < 0 ? b : a);
export const soonerOf = (a: PlainDate, b: PlainDate): PlainDate => (compareDays(a, b) > 0 ? b : a);
/** How many days after `from` `to` is. */
export const daysFrom = (from: PlainDate, to: PlainDate): number => from.until(to).days;
/** Each day of a range; at most 400. */
export const daysIn = ({ from, to }: { from: PlainDate; to: PlainDate }): PlainDate[] =>
  Array.from({ length: Math.min(Math.max(daysFrom(from, to) + 1, 0), 400) }, (_, i) => from.add({ days: i }));
export const isOneDay = ({ from, to }: DayRange): boolean => from.equals(to);

const one = (day: PlainDate): DayRange => ({ from: day, to: day });
const window = (from: PlainDate, to: PlainDate): DayRange => ({ from, to, isWindow: true });
const monthEnd = (day: PlainDate): PlainDate => day.with({ day: day.daysInMonth });

const existing = (year: number, month: number, day: number): PlainDate | null => {
  try {
    return Temporal.PlainDate.from({ year, month, day }, { overflow: 'reject' });
  } catch {
    return null;
  }
};

/** The first such day of a month from a day on; of the given weekday, where one of the next months has it. */
const dayOfMonth = (day: number, from: PlainDate, weekday?: number): PlainDate => {
  const months = Array.from({ length: 12 }, (_, i) => from.with({ day: 1 }).add({ months: i }));
  const days = months
    .map(({ year, month }) => existing(year, month, day))
    .filter((found): found is PlainDate => found !== null && compareDays(found, from) >= 0);
  const found = days.slice(0, 6).find((one) => weekday === undefined || one.dayOfWeek === weekday) ?? days[0];
  if (!found) throw new NoSuchDay('there is no such day');
  return found;
};

/** '12/5' said in November is the fifth of December rather than the twelfth of May. */
const isFar = (day: PlainDate, today: PlainDate): boolean => daysFrom(today, day) > 150;
const isNear = (day: PlainDate, today: PlainDate): boolean => daysFrom(today, day) >= 0 && daysFrom(today, day) < 60;

type Dated = Extract<Days, { of: 'date' }>;
/** A day that was spoken of, where it is still to come. */
const comingSaid = ({ today, said }: DayBase): PlainDate => laterOf(said ?? today, today);

const WEEKDAY_NAMES = ['', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const sayDay = (day: PlainDate): string =>
  `${day.toLocaleString('en-GB', { day: 'numeric', month: 'long' })} is a ${WEEKDAY_NAMES[day.dayOfWeek]}`;

/** A weekday that fits a date only in more days than this was not meant. */
const NEAR = 92;

/** A date without a month. */
const monthlessMeant = ({ day, weekday }: Dated, { today, said, window, isEarlier }: DayBase): PlainDate => {
  // its weekday says which month is meant, whatever was said before
  if (weekday !== undefined) {
    const found = dayOfMonth(day, today, weekday);
    if (daysFrom(today, found) <= NEAR) return found;
    const next = dayOfMonth(day, today);
    throw new NoSuchDay(`${sayDay(next)}, not a ${WEEKDAY_NAMES[weekday]}`);
  }
  if (isEarlier && said) {
    const before = dayOfMonth(day, said.subtract({ months: 1 }).add({ days: 1 }));
    return compareDays(before, today) >= 0 ? before : dayOfMonth(day, today);
  }
  return dayOfMonth(day, window?.from ?? comingSaid({ today, said }));
};

/** That day of this year, or of the next one where it is over. */
const dayOfYear = (day: number, month: number, year: number | undefined, today: PlainDate): PlainDate | null => {
  if (year !== undefined) return existing(year, month, day);
  const found = existing(today.year, month, day);
  return found && compareDays(found, today) >= 0 ? found : existing(today.year + 1, month, day);
};

const dateMeant = (date: Dated, base: DayBase): PlainDate => {
  const { day, month, year, weekday, isSlash } = date;
  if (month === undefined) return monthlessMeant(date, base);
  const found = dayOfYear(day, month, year, base.today);
  if (!found) throw new NoSuchDay(`there is no ${day}.${month}.`);
  if (weekday !== undefined ? found.dayOfWeek === weekday : !isSlash || year !== undefined) return found;
  // written as in America
  const swapped = isSlash ? dayOfYear(month, day, year, base.today) : null;
  if (weekday === undefined)
    return swapped && isFar(found, base.today) && isNear(swapped, base.today) ? swapped : found;
  if (swapped?.dayOfWeek === weekday) return swapped;
  throw new NoSuchDay(`${sayDay(found)}, not a ${WEEKDAY_NAMES[weekday]}`);
};

type Weekday = Extract<Days, { of: 'weekday' }>;
const weekdayMeant = ({ weekday, which }: Weekday, base: DayBase): PlainDate => {
  const { today, said, window } = base;
  const from = said ?? today;
  if (which === 'next') return mondayOf(today).add({ days: 6 + weekday });
  if (which === 'last') return nextWeekday(today.subtract({ days: 7 }), weekday);
  if (which === 'after') return nextWeekday(from.add({ days: 1 }), weekday);
  if (which === 'before') return nextWeekday(from.subtract({ days: 7 }), weekday);
  if (which === 'that') return mondayOf(from).add({ days: weekday - 1 });
  if (window) return nextWeekday(window.from, weekday);
  if (said && compareDays(said, today) > 0) {
    const before = nextWeekday(said.subtract({ days: 6 }), weekday);
    return base.isEarlier && compareDays(before, today) >= 0 ? before : nextWeekday(said, weekday);
  }
  return nextWeekday(today.add({ days: 1 }), weekday);
};

type Cycle = Extract<Days, { of: 'cycle' }>;
const cycleRange = ({ unit, step, isRest, isSaid }: Cycle, { today, said }: DayBase): DayRange => {
  const { from, to } = cycleMeant(isSaid ? (said ?? today) : today, unit, step);
  const last = to.subtract({ days: 1 });
  return window(isRest ? laterOf(from, today) : from, last);
};

const moved = (day: PlainDate, { days = 0, months = 0 }: Amount, sign: 1 | -1): PlainDate =>
  day.add({ days: sign * days, months: sign * months });

const isWorkday = (day: PlainDate): boolean => day.dayOfWeek <= 5;
const nthOf = (n: number, what: Nth, { from, to }: DayRange): DayRange | null => {
  const pick = <T>(all: readonly T[]): T | undefined => all.at(n > 0 ? n - 1 : n);
  if (what === 'week') {
    // the last week is one that has most of its days in the month
    const start =
      n > 0
        ? nextWeekday(from, 1).add({ days: 7 * (n - 1) })
        : mondayOf(to.subtract({ days: 3 })).add({ days: 7 * (n + 1) });
    return window(start, start.add({ days: 6 }));
  }
  if (what === 'weekend') {
    const saturday = n > 0 ? nextWeekday(from, 6).add({ days: 7 * (n - 1) }) : nextWeekday(to.subtract({ days: 7 }), 6);
    return window(saturday, saturday.add({ days: 1 }));
  }
  const days = daysIn({ from, to });
  const day = pick(
    typeof what === 'number'
      ? days.filter(({ dayOfWeek }) => dayOfWeek === what)
      : what === 'workday'
        ? days.filter(isWorkday)
        : days,
  );
  return day ? one(day) : null;
};

/** A weekday, or a range of them, within other days: 'Tuesday of next week', 'the Friday before Christmas'. */
const within = (days: Days, stretch: DayRange): DayRange[] => {
  if (days.of === 'weekday' && days.which === 'before')
    return [one(nextWeekday(stretch.from.subtract({ days: 7 }), days.weekday))];
  if (days.of === 'weekday' && days.which === 'after')
    return [one(nextWeekday(stretch.to.add({ days: 1 }), days.weekday))];
  const inner: DayBase = { today: stretch.from, window: stretch };
  return settleDays(days, inner);
};

const between = (from: Days, to: Days, base: DayBase): DayRange => {
  const [first] = settleDays(from, base);
  const start = first!.from;
  const [last] = settleDays(to, {
    today: soonerOf(start, base.today),
    said: start,
    ...(base.window && from.of === 'weekday' && { window: { from: start, to: start } }),
  });
  // 'September to March' has begun where today is in it
  if (from.of === 'month' && to.of === 'month' && from.year === undefined) {
    const [begun, over] = [start.subtract({ years: 1 }), last!.to.subtract({ years: 1 })];
    if (compareDays(begun, base.today) <= 0 && compareDays(over, base.today) >= 0) return window(base.today, over);
  }
  let end = to.of === 'weekday' && compareDays(last!.to, start) < 0 ? nextWeekday(start, to.weekday) : last!.to;
  // 'from the 10th of December to 5 January', 'October to March'
  if (compareDays(end, start) < 0) end = end.add({ years: 1 });
  if (compareDays(end, start) < 0 || daysFrom(start, end) > 800) throw new NoSuchDay('the end is before the start');
  return { from: start, to: end, ...(first!.isWindow && last!.isWindow && { isWindow: true as const }) };
};

const week = (monday: PlainDate): DayRange => window(monday, monday.add({ days: 6 }));

const calendarWeek = (n: number, today: PlainDate): DayRange => {
  const monday = (year: number): PlainDate =>
    mondayOf(Temporal.PlainDate.from({ year, month: 1, day: 4 })).add({ days: 7 * (n - 1) });
  const from = monday(today.yearOfWeek ?? today.year);
  const start = compareDays(from.add({ days: 6 }), today) < 0 ? monday((today.yearOfWeek ?? today.year) + 1) : from;
  return { from: start, to: start.add({ days: 6 }) };
};

const monthOf = (month: number, year: number | undefined, today: PlainDate): DayRange => {
  const first = Temporal.PlainDate.from({ year: year ?? today.year, month, day: 1 });
  const from = year === undefined && month < today.month ? first.add({ years: 1 }) : first;
  return window(laterOf(from, from.month === today.month && from.year === today.year ? today : from), monthEnd(from));
};

const sliceOf = (from: number, to: number, stretch: DayRange): DayRange => {
  const days = daysFrom(stretch.from, stretch.to) + 1;
  const [a, b] = [Math.floor(days * from + 0.001), Math.max(Math.floor(days * to + 0.001) - 1, 0)];
  // a week ends with Friday
  const isWeekEnd = days === 7 && to === 1 && from > 0.5;
  if (isWeekEnd) return { ...window(stretch.from.add({ days: 3 }), stretch.from.add({ days: 4 })), isEnd: true };
  const part = window(stretch.from.add({ days: a }), stretch.from.add({ days: Math.max(a, b) }));
  return to === 1 && from > 0.5 ? { ...part, isEnd: true } : part;
};

/** A month as it is, also where it has begun: the first half of it does not begin today. */
const wholeOf = (days: Days, base: DayBase): DayRange[] =>
  settleDays(days, base).map((range) => (days.of === 'month' ? window(range.from.with({ day: 1 }), range.to) : range));

/** The days that are meant; each of a list. Throws NoSuchDay. */
/** The years that the service keeps (YEARS_FAULT), with some days between. */
const [FIRST_YEAR, LAST_YEAR] = [101, 9898];

/** The days that are meant. @throws NoSuchDay */
export const settleDays = (days: Days, base: DayBase): DayRange[] => {
  const found = daysMeant(days, base);
  if (found.some(({ from, to }) => from.year < FIRST_YEAR || to.year > LAST_YEAR))
    throw new NoSuchDay('a year must be between 100 and 9900');
  return found;
};

const daysMeant = (days: Days, base: DayBase): DayRange[] => {
  const { today } = base;
  switch (days.of) {
    case 'date':
      return [one(dateMeant(days, base))];
    case 'weekday':
      return [one(weekdayMeant(days, base))];
    case 'today':
      return [one(today.add({ days: days.plus }))];
    case 'said':
      return [one((base.said ?? today).add({ days: days.plus }))];
    case 'holiday':
      return [one(holidayFrom(days.name, comingSaid(base)))];
    case 'those':
      if (!base.stretch) throw new NoSuchDay('which days');
      return [...base.stretch];
    case 'cycle':
      return [cycleRange(days, base)];
    case 'calendarWeek':
      return [calendarWeek(days.week, today)];
    case 'month':
      return [monthOf(days.month, days.year, comingSaid(base))];
    case 'coming':
      return [window(today, moved(today, days.by, 1))];
    default:
      return settleMade(days, base);
  }
};

/** 'The first Monday of March'; what is over this year is meant of the next. */
const nthIn = (days: Extract<Days, { of: 'nth' }>, base: DayBase): DayRange[] => {
  const { n, what, in: stretch } = days;
  const nth = (of: Days): (DayRange | null)[] => wholeOf(of, base).map((one) => nthOf(n, what, one));
  let found = nth(stretch);
  const isOver = found[0] && compareDays(found[0].to, base.today) < 0;
  if (isOver && stretch.of === 'month' && stretch.year === undefined)
    found = nth({ ...stretch, year: base.today.year + 1 });
  if (found.some((one) => !one)) throw new NoSuchDay('there is no such day');
  return found as DayRange[];
};

/** Each day of a list follows the one before it. */
const listed = (days: readonly Days[], base: DayBase): DayRange[] => {
  const all: DayRange[] = [];
  for (const day of days) {
    const last = all.at(-1);
    const after = last ? { ...base, said: last.to, window: undefined } : base;
    const found = settleDays(day, last?.isWindow ? { today: last.from, window: last } : after);
    // 'the first week of February, Tuesday to Thursday': the days within it are meant
    const isWithin =
      last &&
      !isOneDay(last) &&
      compareDays(found[0]!.from, last.from) >= 0 &&
      compareDays(found.at(-1)!.to, last.to) <= 0;
    if (isWithin) all.pop();
    all.push(...found);
  }
  return all;
};

/** Days that are made of other days. */
const settleMade = (days: Days, base: DayBase): DayRange[] => {
  switch (days.of) {
    case 'weekOf':
      return settleDays(days.days, base).map(({ from }) => week(mondayOf(from)));
    case 'nth':
      return nthIn(days, base);
    case 'slice':
      return wholeOf(days.in, base).map((stretch) => sliceOf(days.from, days.to, stretch));
    case 'plus': {
      const sign = days.isBack ? -1 : 1;
      return settleDays(days.days, base).map((range) => ({
        ...range,
        from: moved(range.from, days.by, sign),
        to: moved(range.to, days.by, sign),
      }));
    }
    case 'range':
      return [between(days.from, days.to, base)];
    case 'in':
      return settleDays(days.in, base).flatMap((stretch) => within(days.days, stretch));
    case 'list':
      return listed(days.days, base);
    default:
      return [];
  }
};
