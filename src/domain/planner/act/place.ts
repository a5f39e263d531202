/** Puts a wish on days: at a time, within hours, on whole days, or somewhere in a stretch. */
import type { Hours, Slot } from '../time/settle.ts';
import { compareDays, type DayRange, daysFrom, daysIn, isOneDay, laterOf } from '../time/settle-days.ts';
import type { Creation } from './actions.ts';
import type { Clause } from './clause.ts';
import { compact } from './compact.ts';
import { forbiddenIn } from './limits.ts';
import { WHOLE_DAY_NOUNS } from '../words/act-words.ts';
import { hasWord } from './names.ts';
import type { Talk } from './talk.ts';
import type { Wish } from './wish.ts';

type PlainDate = Temporal.PlainDate;

/** Without any day, it is within these. */
const NEAR_DAYS = 14;
const WAKING = { from: 480, to: 1260 };
const DAY = 1440;
export const WEEK = 7;

/** What a thing is called, where, and its description. `isBlocking`: days are kept free as a whole. */
export type Thing = Pick<Creation, 'do' | 'title' | 'place' | 'notes'> & { isBlocking?: boolean };
/** What a proposal is made of. */
export type Making = { thing: Thing; wish: Wish; clause: Clause; talk: Talk };

export const nowMinute = ({ known: { now } }: Talk): number => now.hour * 60 + now.minute;

/** Hours with one end only end with the waking day; a thing of a known length is over by the end of them. */
const wakingHours = ({ after, before: end }: Hours, minutes = 0, now = 0): Hours => {
  const start = after ?? Math.min(WAKING.from, (end ?? WAKING.to) - 60);
  const before = end !== undefined && end - minutes > start ? end - minutes : end;
  const to = before ?? WAKING.to;
  // today's have begun already
  if (start < to) return { after: now > start && now < to ? now : start, before: to };
  // hours that exclude each other: what is said to end counts
  return before === undefined ? { after: start, before: DAY - 1 } : { after: Math.max(before - 60, 0), before };
};

const timeOf = ({ wish, talk }: Making, day: PlainDate | DayRange, slot: Slot | undefined): Creation['at'] => {
  if (slot) return slot.at % DAY;
  const isToday = !('from' in day) && day.equals(talk.today);
  return wish.hours ? wakingHours(wish.hours, wish.length.minutes, isToday ? nowMinute(talk) : 0) : null;
};

const dateOf = (day: PlainDate | DayRange, slot: Slot | undefined): Creation['date'] => {
  if ('from' in day) return { from: day.from, to: day.to };
  return slot ? day.add({ days: Math.floor(slot.at / DAY) + (slot.dayShift ?? 0) }) : day;
};

/** A thing on one day or in a stretch, at a time or within hours. */
export const placed = (
  making: Making,
  day: PlainDate | DayRange,
  slot: Slot | undefined,
  more: Partial<Creation> = {},
): Creation => {
  const { thing, wish } = making;
  const { isBlocking: _blocking, ...named } = thing;
  const { apart, notHours } = wish.limits;
  return compact({
    ...named,
    date: dateOf(day, slot),
    at: timeOf(making, day, slot),
    minutes: slot?.minutes ?? wish.length.minutes,
    times: wish.times,
    apart,
    avoidHours: slot ? undefined : notHours,
    ...more,
  });
};

const wholeDays = ({ thing, wish }: Making, from: PlainDate, days: number): Creation => {
  const { isBlocking: _blocking, ...named } = thing;
  return compact({ ...named, date: from, at: null, days, times: wish.times });
};

/** On a day, at each of its times. */
export const onEach = (making: Making, day: PlainDate, more: Partial<Creation> = {}): Creation[] => {
  const { slots } = making.wish;
  return (slots.length > 0 ? slots : [undefined]).map((slot) => placed(making, day, slot, more));
};

/** How many whole days a stretch is kept for; 0 where the thing only finds its place in it. */
const wholeOf = ({ thing, wish }: Making, day: DayRange): number => {
  const all = daysFrom(day.from, day.to) + 1;
  const { minutes, days } = wish.length;
  if (minutes !== undefined || thing.do === 'find') return 0;
  if (days === all || (days === 1 && !day.isWindow)) return all;
  const isKept = !day.isWindow || thing.isBlocking;
  return isKept && !wish.hours && !wish.times ? (days ?? all) : 0;
};

/** A week means its working days, unless more is wanted than they have. */
const workingDays = ({ wish }: Making, { from, to, isWindow }: DayRange): PlainDate =>
  isWindow && daysFrom(from, to) === WEEK - 1 && from.dayOfWeek === 1 && (wish.times ?? 0) <= 5
    ? to.subtract({ days: 2 })
    : to;

/** On a stretch of days: all of them, at a time on each, or somewhere in it. */
const onStretch = (making: Making, day: DayRange): Creation[] => {
  const { wish, talk } = making;
  const [slot] = wish.slots;
  if (slot?.minutes && !day.isWindow) return daysIn(day).map((one) => placed(making, one, slot));
  if (slot) return [placed(making, day.from, slot)];
  const whole = wholeOf(making, day);
  if (whole > 0) return [wholeDays(making, day.from, whole)];
  const from = laterOf(day.from, talk.today);
  const to = workingDays(making, day);
  const stretch = { from, to: compareDays(to, from) < 0 ? day.to : to };
  const avoid = forbiddenIn(wish.limits, stretch);
  return [
    placed(
      making,
      stretch,
      undefined,
      compact({ avoid: avoid.length > 0 ? avoid : undefined, days: wish.length.days }),
    ),
  ];
};

/** Whether a thing without a time takes the whole day. */
export const isWholeDay = ({ thing, wish }: Making): boolean => {
  if (wish.slots.length > 0) return false;
  if (wish.length.days !== undefined) return true;
  const isSo = !wish.isOpen && !wish.hours && wish.length.minutes === undefined && thing.do === 'create';
  return isSo && (thing.isBlocking === true || hasWord(thing.title, WHOLE_DAY_NOUNS));
};

const onDay = (making: Making, { from }: DayRange): Creation[] =>
  isWholeDay(making) && !(making.wish.times && making.wish.length.days === undefined)
    ? [wholeDays(making, from, making.wish.length.days ?? 1)]
    : onEach(making, from);

export const onDays = (making: Making): Creation[] =>
  making.wish.days.flatMap((day) => (isOneDay(day) ? onDay(making, day) : onStretch(making, day)));

/** Where no day is said: on the day spoken of, the next time the clock shows it, or within the next days. */
export const withDays = (wish: Wish, talk: Talk, hasOwnTime: boolean): Wish => {
  const { range, slots, hours } = wish;
  const [own] = wish.days;
  if (range && !(own && isOneDay(own))) {
    const to = range.to ?? range.from.add({ days: NEAR_DAYS });
    const from = laterOf(range.from, talk.today);
    return { ...wish, days: [{ from, to: laterOf(to, from), isWindow: true }], slots: range.to ? [] : slots };
  }
  if (own) return wish;
  const hasTime = slots.length > 0 || hours !== undefined;
  const day = wish.isAnyDay ? undefined : dayFor(wish, talk, hasTime, hasOwnTime);
  const near: DayRange = { from: talk.today, to: talk.today.add({ days: NEAR_DAYS }), isWindow: true };
  return { ...wish, days: [day ? { from: day, to: day } : near] };
};

const dayFor = ({ slots, hours }: Wish, talk: Talk, hasTime: boolean, hasOwnTime: boolean): PlainDate | undefined => {
  if (talk.said && (hasTime || !hasOwnTime)) return talk.said;
  if (!hasTime) return undefined;
  const last = slots[0]?.at ?? hours?.before ?? DAY;
  return last > nowMinute(talk) ? talk.today : talk.today.add({ days: 1 });
};

/** In a list of things without times of their own, each begins when the one before is over. */
export const behindLast = (wish: Wish, talk: Talk): Wish | null => {
  const last = talk.made.at(-1);
  const isTimed = wish.days.length > 0 || wish.range || wish.hours || wish.slots.length > 0;
  if (last?.at === undefined || isTimed) return null;
  const minute = last.at + last.minutes + (talk.gap ?? 0);
  const day = last.day.add({ days: Math.floor(minute / DAY) });
  const minutes = wish.length.minutes ?? talk.minutes;
  return { ...wish, days: [{ from: day, to: day }], slots: [{ at: minute % DAY }], length: compact({ minutes }) };
};
