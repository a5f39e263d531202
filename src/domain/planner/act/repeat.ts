/** What the words of a repetition say: how often, from when, until when. */
import { readTime } from '../time/read-time.ts';
import { type Base, type Hours, settle, type Slot } from '../time/settle.ts';
import { compareDays, type DayRange, daysIn, soonerOf } from '../time/settle-days.ts';
import type { Amount, Days, Every, Item } from '../time/types.ts';
import { relate } from './relate.ts';
import { without } from './series.ts';
import type { Talk } from './talk.ts';

type PlainDate = Temporal.PlainDate;

export type Repeat = {
  every?: Every;
  from?: PlainDate;
  until?: PlainDate;
  times?: number;
  /** How long in all. */
  lasts?: Amount;
  /** Days that are named one by one. */
  list: PlainDate[];
  /** Days within which a number of them are, not said which: 'over the next three weeks'. */
  window?: DayRange;
  /** The part of the day, or the times, that the words say too. */
  hours?: Hours;
  slots: Slot[];
};

/** The weekdays of 'Mon Wed Fri' or 'Mon-Thu', on each of which a repeated thing is; null of other days. */
export const weekdaysOf = (days: Days): number[] | null => {
  if (days.of === 'weekday') return days.which ? null : [days.weekday];
  if (days.of === 'list') {
    const all = days.days.map(weekdaysOf);
    return all.includes(null) ? null : (all as number[][]).flat();
  }
  if (days.of !== 'range' || days.from.of !== 'weekday' || days.to.of !== 'weekday' || days.to.which) return null;
  const first = days.from.weekday;
  return Array.from({ length: ((days.to.weekday - first + 7) % 7) + 1 }, (_, i) => ((first - 1 + i) % 7) + 1);
};

const byWeekday = (a: number, b: number): number => a - b;

/** Bare weekdays are those of a weekly repetition. */
const split = (items: readonly Item[]): { every?: Every; others: Item[] } => {
  const said = items.filter((item) => item.item === 'every').map((item) => item.every);
  // 'every day from Friday to Sunday' is once
  const isDaily = said.some(({ unit, weekdays: own }) => unit === 'day' && !own);
  const isBare = (item: Item): boolean =>
    item.item === 'days' && weekdaysOf(item.days) !== null && !(isDaily && item.days.of === 'range');
  const bare = items.flatMap((item) => (item.item === 'days' && isBare(item) ? (weekdaysOf(item.days) ?? []) : []));
  const others = items.filter(
    (item) => item.item !== 'every' && !isBare(item) && !(item.item === 'days' && item.days.of === 'said'),
  );
  const [first, ...more] = said;
  const weekdays = [...new Set([...said.flatMap((one) => one.weekdays ?? []), ...bare])].sort(byWeekday);
  if (!first) return weekdays.length > 0 ? { every: { unit: 'week', weekdays }, others } : { others };
  let merged = first;
  for (const one of more) {
    const unit = one.weekdays && !one.nth ? merged.unit : one.unit;
    merged = Object.assign({}, merged, one, { unit });
  }
  const isPlain = first.unit === 'week' && !merged.nth;
  return { every: { ...merged, ...(weekdays.length > 0 && (isPlain || merged.weekdays) && { weekdays }) }, others };
};

const bounded = (repeat: Repeat, base: Base, others: readonly Item[]): void => {
  const settled = settle({ items: others }, base);
  for (const { days, bounds, slots, hours } of settled.groups) {
    for (const { edge, from, to, at } of bounds) {
      if (edge === 'from') repeat.from = from;
      else if (edge === 'after') repeat.from = to.add({ days: 1 });
      else end(repeat, edge === 'before' && at === undefined ? from.subtract({ days: 1 }) : to);
    }
    // the day of what it ends with: 'until the holidays (18 December)'
    const isEnd = others.some((item) => item.item === 'relation' && item.side === 'before');
    for (const range of days)
      if (isEnd && repeat.every) end(repeat, range.to);
      else addRange(repeat, range);
    repeat.slots.push(...slots);
    if (hours) repeat.hours = hours;
  }
};

const end = (repeat: Repeat, day: PlainDate): void => {
  repeat.until = soonerOf(day, repeat.until ?? day);
};

const addRange = (repeat: Repeat, { from, to, isWindow }: DayRange): void => {
  if (!repeat.every && isWindow) repeat.window = { from, to, isWindow };
  else if (!repeat.every) repeat.list.push(...daysIn({ from, to }));
  else {
    // 'January and February' are one stretch
    const isNext = repeat.until?.add({ days: 1 }).equals(from);
    if (isNext) {
      repeat.until = to;
      return;
    }
    repeat.from = from;
    // 'every year in November' does not end with it
    if (compareDays(from, to) < 0 && repeat.every.unit !== 'year') end(repeat, to);
  }
};

/** A repetition until something that the calendar knows, or that has its own day: 'until the exam on the 22nd'. */
const endedBy = (repeat: Repeat, texts: readonly string[], talk: Talk, others: readonly Item[]): void => {
  const text = texts.find((one) =>
    readTime(one, 'repeat').items.some((item) => item.item === 'relation' && item.side === 'before'),
  );
  if (text === undefined || repeat.until || others.some(({ item }) => item === 'days')) return;
  const end = relate(text, undefined, talk)?.range?.to;
  if (end) repeat.until = end;
};

/** 'Every day but Sunday' leaves weekdays out. */
const everyOf = (items: readonly Item[]): ReturnType<typeof split> => {
  const end = items.findIndex(({ item }) => item === 'not');
  if (end < 0) return split(items);
  const { every, others } = split(items.slice(0, end));
  const left = split(items.slice(end)).every?.weekdays ?? [];
  return { others, ...(every && { every: left.length > 0 ? without(every, left) : every }) };
};

/** The texts are the stretches of one repetition. */
export const repeatOf = (texts: readonly string[], base: Base, talk: Talk): Repeat => {
  const { every, others } = everyOf(readTime(texts.join(' ; '), 'repeat').items);
  const repeat: Repeat = { ...(every && { every }), list: [], slots: [] };
  for (const item of others) {
    if (item.item === 'count') repeat.times = item.times;
    if (item.item === 'length') repeat.lasts = item.amount;
  }
  const inAll = others.find((item) => item.item === 'days' && item.days.of === 'coming' && repeat.every);
  if (inAll?.item === 'days' && inAll.days.of === 'coming') repeat.lasts = inAll.days.by;
  bounded(
    repeat,
    base,
    others.filter((item) => item !== inAll),
  );
  endedBy(repeat, texts, talk, others);
  if (!repeat.every && (repeat.lasts || repeat.times) && repeat.list.length === 0) repeat.every = { unit: 'day' };
  return repeat;
};
