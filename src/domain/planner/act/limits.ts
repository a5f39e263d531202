/** Restrictions and wishes: they narrow the days and the hours, or say the size of the pieces. */
import { readTime } from '../time/read-time.ts';
import { type DayBound, type Hours, narrowed, settle, type Settled } from '../time/settle.ts';
import { compareDays, type DayRange, daysIn } from '../time/settle-days.ts';
import type { Item } from '../time/types.ts';
import { weekdaysOf } from './repeat.ts';
import { relate } from './relate.ts';
import { baseOf, type Talk } from './talk.ts';

type PlainDate = Temporal.PlainDate;

export type Limits = {
  hours?: Hours;
  notHours?: { from: number; to: number };
  /** A time by which it is over. */
  over?: number;
  from?: PlainDate;
  to?: PlainDate;
  /** Days that are wished for. */
  days: DayRange[];
  weekdays?: readonly number[];
  not: DayRange[];
  notWeekdays: number[];
  /** Minutes of a piece, the most of them in a day, and over how many days. */
  piece?: number;
  perDay?: number;
  spread?: number;
  /** Minutes, or days, between two. */
  gap?: number;
  apart?: number;
  /** How long it is at most. */
  length?: number;
  isWhole?: true;
  /** Wishes that are not about time, as they are written. */
  wishes: string[];
};

const addBound = (limits: Limits, { edge, from, to, at }: DayBound): void => {
  if (edge === 'from') limits.from = from;
  else if (edge === 'after') limits.from = to.add({ days: 1 });
  // before Friday noon is still on Friday
  else limits.to = edge === 'before' && at === undefined ? from.subtract({ days: 1 }) : to;
};

const addItem = (limits: Limits, item: Item): void => {
  if (item.item === 'piece') {
    if (!item.isLeast && item.amount.minutes) limits.piece = item.amount.minutes;
  } else if (item.item === 'rate') {
    if (item.amount?.minutes) limits.perDay = item.amount.minutes;
  } else if (item.item === 'spread') limits.spread = item.days;
  else if (item.item === 'apart') {
    if (item.amount.minutes) limits.gap = item.amount.minutes;
    else if (item.amount.days) limits.apart = item.amount.days;
  } else if (item.item === 'length' && !item.way && item.amount.minutes) limits.length = item.amount.minutes;
  else if (item.item === 'whole') limits.isWhole = true;
};

/** Bare weekdays of a wish are any such day: 'ideally Tuesday', 'not Mondays'. */
const addWeekdays = (limits: Limits, items: readonly Item[], isNot: boolean): void => {
  if (items.some(({ item }) => item === 'clock')) return;
  const wished = items.flatMap((item) => {
    if (item.item === 'every') return item.every.weekdays ?? [];
    if (item.item !== 'days') return [];
    return item.days.of === 'cycle' && item.days.unit === 'weekend' && item.days.step === 0
      ? [6, 7]
      : (weekdaysOf(item.days) ?? []);
  });
  if (wished.length === 0) return;
  if (isNot) limits.notWeekdays.push(...wished);
  else limits.weekdays = [...(limits.weekdays ?? []), ...wished];
};

const isWeekdays = (item: Item): boolean =>
  item.item === 'every' ||
  (item.item === 'days' &&
    (weekdaysOf(item.days) !== null ||
      (item.days.of === 'cycle' && item.days.unit === 'weekend' && item.days.step === 0)));

const addSettled = (limits: Limits, { days, slots, hours, notHours, bounds, not, start, over }: Settled): void => {
  if (over !== undefined) limits.over = over;
  if (start !== undefined) limits.hours = narrowed(limits.hours, { after: start });
  if (hours) limits.hours = narrowed(limits.hours, hours);
  const [slot] = slots;
  if (slot?.minutes) limits.hours = narrowed(limits.hours, { after: slot.at, before: slot.at + slot.minutes });
  else if (slot && days.length === 0) limits.hours = narrowed(limits.hours, { after: slot.at });
  if (notHours) limits.notHours = notHours;
  for (const bound of bounds) addBound(limits, bound);
  limits.days.push(...days);
  limits.not.push(...not);
};

/** A wish behind 'if', 'otherwise' or 'rather than' is a second choice, and nothing is planned by it. */
const firstChoice = (items: readonly Item[]): readonly Item[] => {
  const end = items.findIndex(({ item }) => item === 'or');
  return (end < 0 ? items : items.slice(0, end)).filter(({ item }) => item !== 'condition');
};

const SECOND = /^(?:else|otherwise|if|failing|rather than)\b/i;

const addLimit = (limits: Limits, text: string, day: PlainDate | undefined, talk: Talk): void => {
  if (SECOND.test(text.trim())) {
    limits.wishes.push(text);
    return;
  }
  const { items, names } = readTime(text.split(/\brather than\b/i)[0]!);
  const wanted = firstChoice(items);
  if (wanted.length < items.length || wanted.length === 0) limits.wishes.push(text);
  for (const item of wanted) addItem(limits, item);
  const at = wanted.findIndex(({ item }) => item === 'not');
  addWeekdays(limits, at < 0 ? wanted : wanted.slice(0, at), false);
  addWeekdays(limits, at < 0 ? [] : wanted.slice(at), true);
  const isDeadline = wanted.some(({ item }) => item === 'clock');
  const others = wanted.filter((item) => (isDeadline || !isWeekdays(item)) && item.item !== 'relation');
  const base = { ...baseOf({ ...talk, ...(day && { said: day }) }), isEarlier: !day };
  const settled = settle({ items: others }, base);
  const relation = wanted.find((item) => item.item === 'relation');
  if (relation?.item === 'relation') return addRelation(limits, text, settled.groups[0]!, relation, names, day, talk);
  addSettled(limits, settled.groups[0]!);
};

/** 'before the exam on the 11th': by the event, where the calendar has it, else by its day. */
const addRelation = (
  limits: Limits,
  text: string,
  settled: Settled,
  { side }: Extract<Item, { item: 'relation' }>,
  names: readonly string[],
  day: PlainDate | undefined,
  talk: Talk,
): void => {
  const own = settled.days[0];
  if (own && side === 'before') limits.to = own.from.subtract({ days: 1 });
  else if (own && side === 'after') limits.from = own.to.add({ days: 1 });
  else {
    const related = relate(text, day, talk);
    if (!related) limits.wishes.push(text);
    else if (related.before) {
      const { from } = related.before;
      if (day?.equals(related.before.day) && from !== undefined)
        limits.hours = narrowed(limits.hours, { before: from });
      // a thing of this request that is still to come: the days before it
      limits.to = names.length === 0 ? related.before.day.subtract({ days: 1 }) : related.before.day;
    } else if (related.range) limits.to = related.range.to;
    else if (related.day && side === 'after') limits.from = related.day;
  }
};

/** 'But only in the afternoon' leaves nothing out. */
const BUT = /^\s*but\s+(?!not\b|never\b|no\b)(?:it (?:has to|must|should) be (?:done )?)?/i;

export const limitsOf = (texts: readonly string[], day: PlainDate | undefined, talk: Talk): Limits => {
  const limits: Limits = { days: [], not: [], notWeekdays: [], wishes: [] };
  for (const text of texts) addLimit(limits, text.replace(BUT, ''), day, talk);
  return limits;
};

/** The days of a stretch that the limits forbid. */
export const forbiddenIn = ({ not, notWeekdays }: Limits, stretch: DayRange | undefined): PlainDate[] => {
  const isInside = (day: PlainDate): boolean =>
    !stretch || (compareDays(day, stretch.from) >= 0 && compareDays(day, stretch.to) <= 0);
  const named = not.flatMap((range) => daysIn(range)).filter(isInside);
  const weekdays = stretch ? daysIn(stretch).filter(({ dayOfWeek }) => notWeekdays.includes(dayOfWeek)) : [];
  return [...named, ...weekdays];
};
