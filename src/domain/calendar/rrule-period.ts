/**
 * Evaluates a recurrence rule in one of its periods (RFC 5545 §3.3.10): a year, month, week, day, hour or minute has a set of
 * days, each day a set of times, and BYSETPOS selects from that set. It computes with numbers on the wall clock, without zones.
 */
import { DAY_MS, modulo, weekdayOf, weekOf, yearNumberOf, yearOf, type Year } from '../time/day-numbers.ts';
import type { Wall } from '../time/wall-time.ts';
import type { RuleParts } from './rrule-parts.ts';

export type Freq = 'YEARLY' | 'MONTHLY' | 'WEEKLY' | 'DAILY' | 'HOURLY' | 'MINUTELY';

/** A period is an integer: the year, the month counted from year 0, or the week, day, hour or minute counted from the epoch. */
export type Rule = {
  interval: number;
  count: number | null;
  periodOf: (wall: Wall) => number;
  /** Lists the occurrences in a period, ascending. */
  wallsIn: (period: number) => Wall[];
  /**
   * Returns the first period from this one on that may have occurrences. It skips months, days and hours that the rule excludes.
   */
  atOrAfter: (period: number) => number;
  /** Returns the last period up to this one that may have occurrences. */
  atOrBefore: (period: number) => number;
};

export const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** The periods shorter than a day. */
const PERIOD_MS: Partial<Record<Freq, number>> = { HOURLY: HOUR_MS, MINUTELY: MINUTE_MS };

type Nth = { weekday: number; nth: number | null };

/** A rule's parts as numbers. Null means no restriction. Parts that the rule does not give come from DTSTART. */
type Meaning = {
  freq: Freq;
  weekStart: number;
  months: number[] | null;
  weeks: number[] | null;
  yearDays: number[] | null;
  monthDays: number[] | null;
  weekdays: Nth[] | null;
  hours: number[] | null;
  minutes: number[] | null;
  seconds: number[] | null;
  positions: number[] | null;
};

const nthOf = (text: string): Nth => {
  const nth = text.slice(0, -2);
  return { weekday: WEEKDAYS.indexOf(text.slice(-2)), nth: nth === '' ? null : Number(nth) };
};

type FromStart = Pick<Meaning, 'months' | 'monthDays' | 'weekdays' | 'hours' | 'minutes' | 'seconds'>;

/** Returns what DTSTART says where the rule does not (RFC 5545 §3.3.10). */
const fromStart = (parts: RuleParts, freq: Freq, start: Wall): FromStart => {
  const date = new Date(start);
  const isLongerThanDay = freq === 'YEARLY' || freq === 'MONTHLY' || freq === 'WEEKLY';
  const ofDays = [parts['BYYEARDAY'], parts['BYMONTHDAY'], parts['BYDAY']];
  const hasDays = ofDays.some((part) => part !== undefined);
  const startsWeekday: Nth[] = [{ weekday: weekdayOf(Math.floor(start / DAY_MS)), nth: null }];
  const byWeek = freq === 'WEEKLY' || parts['BYWEEKNO'] !== undefined;
  const isOpen = isLongerThanDay && !hasDays;
  const isDated = isOpen && !byWeek;
  return {
    months: freq === 'YEARLY' && isDated ? [date.getUTCMonth() + 1] : null,
    monthDays: isDated ? [date.getUTCDate()] : null,
    weekdays: isOpen && byWeek ? startsWeekday : null,
    hours: PERIOD_MS[freq] ? null : [date.getUTCHours()],
    minutes: freq === 'MINUTELY' ? null : [date.getUTCMinutes()],
    seconds: [date.getUTCSeconds()],
  };
};

const meaningOf = (parts: RuleParts, start: Wall): Meaning => {
  const list = (name: string): number[] | null => parts[name]?.split(',').map(Number) ?? null;
  const freq = parts['FREQ'] as Freq;
  const open = fromStart(parts, freq, start);
  return {
    freq,
    weekStart: Math.max(0, WEEKDAYS.indexOf(parts['WKST'] ?? 'MO')),
    months: list('BYMONTH') ?? open.months,
    weeks: list('BYWEEKNO'),
    yearDays: list('BYYEARDAY'),
    monthDays: list('BYMONTHDAY') ?? open.monthDays,
    weekdays: parts['BYDAY']?.split(',').map(nthOf) ?? open.weekdays,
    hours: list('BYHOUR') ?? open.hours,
    minutes: list('BYMINUTE') ?? open.minutes,
    seconds: list('BYSECOND') ?? open.seconds,
    positions: list('BYSETPOS'),
  };
};

/** Lists times in milliseconds of a day or hour, ascending. */
const timesOf = (hours: number[], minutes: number[], seconds: number[]): number[] => {
  const times = hours.flatMap((hour) =>
    minutes.flatMap((minute) => seconds.map((second) => hour * HOUR_MS + minute * MINUTE_MS + second * 1000)),
  );
  return [...new Set(times)].sort((a, b) => a - b);
};

/** Returns whether a number is in the list, counted from the start or (negative) from the end of `length`. */
const isIn = (list: number[] | null, position: number, length: number): boolean =>
  list === null || list.includes(position) || list.includes(position - length - 1);

/** The year of a day, and the index of the month in it. */
type YearMonth = { year: Year; month: number };

/** Returns a filter for days by BYDAY. Ordinals count in the month, or in the year for a yearly rule without months. */
const weekdayFilter = ({ freq, months, weekdays }: Meaning): ((day: number, yearMonth: () => YearMonth) => boolean) => {
  const plain = WEEKDAYS.map((_, weekday) => weekdays?.some((one) => one.weekday === weekday && one.nth === null));
  const nths = weekdays?.filter(({ nth }) => nth !== null) ?? [];
  const inYear = freq === 'YEARLY' && months === null;
  return (day, yearMonth) => {
    const weekday = weekdayOf(day);
    if (weekdays === null || plain[weekday]) return true;
    const named = nths.filter((one) => one.weekday === weekday);
    if (named.length === 0) return false;
    const { year, month } = yearMonth();
    const { first, length } = inYear ? year : (year.months[month] as Year['months'][number]);
    const fromStart = Math.floor((day - first) / 7) + 1;
    const fromEnd = -Math.floor((first + length - 1 - day) / 7) - 1;
    return named.some(({ nth }) => nth === fromStart || nth === fromEnd);
  };
};

/** Returns a filter for days by the rule's date parts. It keeps the last year, because days are asked for in order. */
const dayFilter = (m: Meaning): ((day: number) => boolean) => {
  let year: Year = yearOf(1970);
  const yearMonthOf = (day: number): YearMonth => {
    if (day < year.first || day >= year.first + year.length) year = yearOf(yearNumberOf(day));
    let month = Math.floor((day - year.first) / 31);
    while (month < 11 && (year.months[month + 1] as Year['months'][number]).first <= day) month += 1;
    return { year, month };
  };
  const isWeekday = weekdayFilter(m);
  const byDate = m.months !== null || m.monthDays !== null || m.yearDays !== null;
  const isDate = (day: number): boolean => {
    const { month } = yearMonthOf(day);
    const { first, length } = year.months[month] as Year['months'][number];
    return (
      (m.months === null || m.months.includes(month + 1)) &&
      isIn(m.monthDays, day - first + 1, length) &&
      isIn(m.yearDays, day - year.first + 1, year.length)
    );
  };
  const isWeek = (day: number): boolean => {
    if (m.weeks === null) return true;
    const { number, count } = weekOf(day, m.weekStart);
    return isIn(m.weeks, number, count);
  };
  return (day) => isWeekday(day, () => yearMonthOf(day)) && (!byDate || isDate(day)) && isWeek(day);
};

const range = (first: number, length: number): number[] => {
  const numbers: number[] = [];
  for (let at = first; at < first + length; at++) numbers.push(at);
  return numbers;
};

/** Lists the days of a month that BYMONTHDAY can accept. */
const daysOfMonth = ({ monthDays }: Meaning, { first, length }: Year['months'][number]): number[] => {
  if (monthDays === null) return range(first, length);
  const named = monthDays.map((day) => (day > 0 ? day : length + 1 + day)).filter((day) => day > 0 && day <= length);
  return [...new Set(named)].sort((a, b) => a - b).map((day) => first + day - 1);
};

/** Lists the days of a period that the rule may accept, ascending. For a period shorter than a day it is that day. */
const candidatesOf = (m: Meaning): ((period: number) => number[]) => {
  switch (m.freq) {
    case 'YEARLY': {
      const months = [...new Set(m.months ?? range(1, 12))].sort((a, b) => a - b);
      return (period) => {
        const year = yearOf(period);
        return months.flatMap((month) => daysOfMonth(m, year.months[month - 1] as Year['months'][number]));
      };
    }
    case 'MONTHLY':
      return (period) => {
        const month = modulo(period, 12);
        if (m.months !== null && !m.months.includes(month + 1)) return [];
        return daysOfMonth(m, yearOf(Math.floor(period / 12)).months[month] as Year['months'][number]);
      };
    case 'WEEKLY':
      return (period) => range(period * 7 - 3 + m.weekStart, 7);
    case 'DAILY':
      return (period) => [period];
    default: {
      const perDay = DAY_MS / (PERIOD_MS[m.freq] as number);
      return (period) => [Math.floor(period / perDay)];
    }
  }
};

const periodOf = ({ freq, weekStart }: Meaning, wall: Wall): number => {
  const day = Math.floor(wall / DAY_MS);
  switch (freq) {
    case 'YEARLY':
      return yearNumberOf(day);
    case 'MONTHLY':
      return yearNumberOf(day) * 12 + new Date(wall).getUTCMonth();
    case 'WEEKLY':
      return Math.floor((day + 3 - weekStart) / 7);
    case 'DAILY':
      return day;
    default:
      return Math.floor(wall / (PERIOD_MS[freq] as number));
  }
};

/**
 * Lists the times of a period, in milliseconds from the start of the period's day; it is empty where BYHOUR or BYMINUTE excludes
 * the period.
 */
const timesIn = (m: Meaning): ((period: number) => number[]) => {
  const { hours, minutes, seconds } = m;
  const all = seconds ?? [];
  if (m.freq === 'HOURLY')
    return (period) => {
      const hour = modulo(period, 24);
      return hours !== null && !hours.includes(hour) ? [] : timesOf([hour], minutes ?? [], all);
    };
  if (m.freq === 'MINUTELY') {
    const within = timesOf([0], [0], all);
    return (period) => {
      const [hour, minute] = [modulo(Math.floor(period / 60), 24), modulo(period, 60)];
      const isMeant = (hours?.includes(hour) ?? true) && (minutes?.includes(minute) ?? true);
      return isMeant ? within.map((time) => hour * HOUR_MS + minute * MINUTE_MS + time) : [];
    };
  }
  const times = timesOf(hours ?? [], minutes ?? [], all);
  return () => times;
};

/** Moves a number in one direction to an accepted one, at most to the first one after (or before) its cycle. */
type Seek = (from: number) => number;
type Direction = 1 | -1;

/** Returns the nearest of some numbers, at `from` or further in the direction; null where there is none. */
const nearest = (sorted: readonly number[], from: number, direction: Direction): number | null =>
  (direction === 1 ? sorted.find((one) => one >= from) : sorted.findLast((one) => one <= from)) ?? null;

/** Moves from a month, counted from year 0, to the nearest one that BYMONTH accepts. */
const monthSeek = ({ months }: Meaning, direction: Direction): Seek => {
  if (months === null) return (month) => month;
  const sorted = [...new Set(months)].sort((a, b) => a - b).map((month) => month - 1);
  const [first = 0, last = 0] = [sorted[0], sorted.at(-1)];
  return (month) => {
    const year = Math.floor(month / 12);
    const found = nearest(sorted, modulo(month, 12), direction);
    if (found !== null) return year * 12 + found;
    return (year + direction) * 12 + (direction === 1 ? first : last);
  };
};

/**
 * Moves from a day to the nearest one whose month, date and weekday may be accepted. dayFilter checks the other parts of the
 * rule.
 */
const daySeek = (m: Meaning, direction: Direction): Seek => {
  const seekMonth = monthSeek(m, direction);
  const isOpen = m.months === null && m.monthDays === null;
  const plain = new Set(m.weekdays?.every(({ nth }) => nth === null) ? m.weekdays.map(({ weekday }) => weekday) : []);
  const isWeekday = (day: number): boolean => plain.size === 0 || plain.has(weekdayOf(day));
  let year = yearOf(1970);
  const monthAt = (month: number) => {
    if (year.year !== Math.floor(month / 12)) year = yearOf(Math.floor(month / 12));
    return year.months[modulo(month, 12)] as Year['months'][number];
  };
  /** Moves to a day in an accepted month. Where that month has no accepted day, it is the first day beyond the month. */
  const byDate = (day: number): number => {
    const own = yearNumberOf(day) * 12 + new Date(day * DAY_MS).getUTCMonth();
    const month = seekMonth(own);
    const there = monthAt(month);
    const [first, last] = [there.first, there.first + there.length - 1];
    const from = month === own ? day : direction === 1 ? first : last;
    if (m.monthDays === null) return from;
    const days = daysOfMonth(m, there).filter(isWeekday);
    return nearest(days, from, direction) ?? (direction === 1 ? last + 1 : first - 1);
  };
  return (day) => {
    let at = isOpen ? day : byDate(day);
    while (!isWeekday(at)) at += direction;
    return at;
  };
};

/** Moves from a minute or an hour of a day to the nearest one that BYHOUR and BYMINUTE accept; null where the day has no more. */
const timeSeek = (m: Meaning, direction: Direction): ((within: number) => number | null) => {
  if (m.hours === null && (m.minutes === null || m.freq === 'HOURLY')) return (within) => within;
  const sorted = (list: number[] | null, length: number): number[] =>
    [...new Set(list ?? range(0, length))].sort((a, b) => a - b);
  const hours = sorted(m.hours, 24);
  if (m.freq === 'HOURLY') return (hour) => nearest(hours, hour, direction);
  const minutes = sorted(m.minutes, 60);
  const edge = direction === 1 ? (minutes[0] as number) : (minutes.at(-1) as number);
  return (within) => {
    const hour = Math.floor(within / 60);
    const minute = hours.includes(hour) ? nearest(minutes, within % 60, direction) : null;
    if (minute !== null) return hour * 60 + minute;
    const next = nearest(hours, hour + direction, direction);
    return next === null ? null : next * 60 + edge;
  };
};

/** Moves from a period to the nearest one that may have occurrences. */
const periodSeek = (m: Meaning, isDay: (day: number) => boolean, direction: Direction): Seek => {
  const seekDay = daySeek(m, direction);
  switch (m.freq) {
    case 'YEARLY':
      return (year) => year;
    case 'MONTHLY':
      return monthSeek(m, direction);
    case 'WEEKLY': {
      if (m.months === null) return (week) => week;
      const inMonths = daySeek({ ...m, monthDays: null, weekdays: null }, direction);
      const weekOfDay = (day: number) => Math.floor((day + 3 - m.weekStart) / 7);
      const startOf = (week: number) => week * 7 - 3 + m.weekStart;
      return (week) => weekOfDay(inMonths(direction === 1 ? startOf(week) : startOf(week) + 6));
    }
    case 'DAILY':
      return seekDay;
    default: {
      const perDay = DAY_MS / (PERIOD_MS[m.freq] as number);
      const seekTime = timeSeek(m, direction);
      const edge = (day: number) => (direction === 1 ? day * perDay : (day + 1) * perDay - 1);
      let good = NaN; // The last accepted day is kept, because consecutive periods are mostly of the same day.
      return (period) => {
        const own = Math.floor(period / perDay);
        const day = own === good ? own : seekDay(own);
        if (day !== good && !isDay(day)) return edge(day + direction);
        good = day;
        const from = day === own ? period : edge(day);
        const time = seekTime(modulo(from, perDay));
        return time === null ? edge(day + direction) : day * perDay + time;
      };
    }
  }
};

/** Applies BYSETPOS: selects these positions of the set, each once. */
const picked = (walls: Wall[], positions: number[]): Wall[] => {
  const chosen = new Set(positions.map((position) => (position > 0 ? position - 1 : walls.length + position)));
  return walls.filter((_, at) => chosen.has(at));
};

/** Reads a rule that has passed faultOf (rrule.ts). The caller applies UNTIL, because it depends on the zone. */
export const ruleOf = (parts: RuleParts, start: Wall): Rule => {
  const m = meaningOf(parts, start);
  const isDay = dayFilter(m);
  const [candidates, times] = [candidatesOf(m), timesIn(m)];
  return {
    interval: Number(parts['INTERVAL'] ?? 1),
    count: parts['COUNT'] === undefined ? null : Number(parts['COUNT']),
    periodOf: (wall) => periodOf(m, wall),
    wallsIn: (period) => {
      const at = times(period);
      if (at.length === 0) return [];
      const walls: Wall[] = [];
      for (const day of candidates(period)) if (isDay(day)) for (const time of at) walls.push(day * DAY_MS + time);
      return m.positions === null ? walls : picked(walls, m.positions);
    },
    atOrAfter: periodSeek(m, isDay, 1),
    atOrBefore: periodSeek(m, isDay, -1),
  };
};
