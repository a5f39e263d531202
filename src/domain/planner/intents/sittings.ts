/** Several sittings of one thing: each gets a day of the stretch, evenly spread. */
import type { Creation } from '../act/actions.ts';
import { daysFrom, daysIn } from '../time/settle-days.ts';

type PlainDate = Temporal.PlainDate;

/** One request proposes at most this number. */
export const MOST = 60;

/** `times` days out of `days`, evenly apart; days are used twice only where there are too few. */
const spread = (days: readonly PlainDate[], times: number): PlainDate[] => {
  if (times > days.length) return Array.from({ length: times }, (_, i) => days[Math.floor((i * days.length) / times)]!);
  if (times === 1) return [days[0]!];
  return Array.from({ length: times }, (_, i) => days[Math.round((i * (days.length - 1)) / (times - 1))]!);
};

/** The first days that are so far apart; null where they do not fit. */
const apartBy = (days: readonly PlainDate[], times: number, apart: number): PlainDate[] | null => {
  const found: PlainDate[] = [];
  for (const day of days) {
    const last = found.at(-1);
    if (!last || daysFrom(last, day) >= apart) found.push(day);
  }
  return found.length < times ? null : found.slice(0, times);
};

/** Working days where they suffice, else all; not the days that are left out. */
const usable = (from: PlainDate, to: PlainDate, times: number, avoid: readonly PlainDate[]): PlainDate[] => {
  const days = daysIn({ from, to }).filter((day) => !avoid.some((one) => one.equals(day)));
  const working = days.filter(({ dayOfWeek }) => dayOfWeek <= 5);
  return working.length >= times ? working : days;
};

/** The sittings of a creation, each on its day; itself where it is one. */
export const sittingsOf = (creation: Creation): Creation[] => {
  const { times = 1, apart = 1, avoid = [], date, ...rest } = creation;
  if (times < 2 || creation.series) return [creation];
  const count = Math.min(times, MOST);
  if (!('from' in date)) return Array.from({ length: count }, () => ({ ...rest, date }));
  const days = usable(date.from, date.to, count, avoid);
  if (days.length === 0) return [creation];
  const even = spread(days, count);
  const isApart = even.every((day, i) => i === 0 || daysFrom(even[i - 1]!, day) >= apart);
  return (isApart ? even : (apartBy(days, count, apart) ?? even)).map((day) => ({ ...rest, date: day }));
};
