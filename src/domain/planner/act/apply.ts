/** Narrows a wish by relations, limits and pieces. */
import { type Hours, narrowed, type Slot } from '../time/settle.ts';
import { compareDays, type DayRange, daysFrom, isOneDay, laterOf } from '../time/settle-days.ts';
import { isBusy } from './known.ts';
import type { Limits } from './limits.ts';
import type { Related } from './relate.ts';
import type { Talk } from './talk.ts';
import type { Wish } from './wish.ts';

const HALF_DAY = 720;
const WEEKDAYS = [1, 2, 3, 4, 5, 6, 7];
const one = (day: Temporal.PlainDate): DayRange => ({ from: day, to: day });

/** Several relations are several times; those of other days count from the first. */
const slotOf = (related: Related, first: Related, at: number): Slot => {
  const dayShift = related.day && first.day ? daysFrom(first.day, related.day) : 0;
  return { at: related.at ?? at, ...(dayShift !== 0 && { dayShift }) };
};

const relateDays = (wish: Wish, { day, before, range }: Related): void => {
  const [own] = wish.days;
  if (day && !own) wish.days = [one(day)];
  if (before?.from !== undefined && own?.from.equals(before.day))
    wish.hours = narrowed(wish.hours, { before: before.from });
  else if (range && !own) wish.range = { from: range.from, to: range.to };
};

/** Where it is to end when something begins; a length before another thing of this request is right before it. */
const endOf = ({ times }: Wish, { endsAt, before }: Related): number | undefined =>
  endsAt ?? (before?.isMade && !times ? before.from : undefined);

export const applyRelated = (wish: Wish, related: readonly Related[]): void => {
  const [first] = related;
  if (!first) return;
  const end = wish.length.minutes ? endOf(wish, first) : undefined;
  const ended = end === undefined ? undefined : end - wish.length.minutes!;
  if (ended !== undefined && first.before && wish.days.length === 0) wish.days = [one(first.before.day)];
  else relateDays(wish, first);
  relateTimes(wish, related, first.at ?? ended);
};

const relateTimes = (wish: Wish, related: readonly Related[], at: number | undefined): void => {
  const first = related[0]!;
  const [slot] = wish.slots;
  // 'from an hour before choir until half ten'
  if (at !== undefined && slot && slot.at !== at)
    wish.slots = [{ at, minutes: (((slot.at - at) % HALF_DAY) + HALF_DAY) % HALF_DAY }];
  else if (at !== undefined) wish.slots = related.map((one) => slotOf(one, first, at));
  else if (first.hours && !slot) wish.hours = narrowed(wish.hours, first.hours);
  if (wish.isSame && wish.slots.length === 0 && first.sameAt !== undefined) wish.slots = [{ at: first.sameAt }];
};

/** An hour that is left out leaves the rest of the day, a part of the day what is before or behind it. */
const PART = 180;
const limitHours = (wish: Wish, { hours, notHours }: Limits): void => {
  const isUnsaid = !wish.hours && wish.slots.length === 0 && wish.days.length === 0 && !wish.range;
  if (hours) wish.hours = narrowed(wish.hours, hours);
  if (hours && isUnsaid) wish.isAnyDay = true;
  if (!notHours || notHours.to - notHours.from < PART) return;
  const rest: Hours = notHours.from >= HALF_DAY ? { before: notHours.from } : { after: notHours.to };
  wish.hours = narrowed(wish.hours, rest);
};

const isWithin = (day: DayRange, stretch: DayRange): boolean =>
  compareDays(day.from, stretch.from) >= 0 && compareDays(day.to, stretch.to) <= 0;

const limitDays = (wish: Wish, { from, to, days }: Limits, { today }: Talk): void => {
  const [day] = wish.days;
  if (from ?? to) {
    const range = wish.range ?? { from: today, ...day };
    const isSooner = to && (!range.to || !day || compareDays(to, range.to) < 0);
    const last = isSooner ? to : range.to;
    wish.range = { from: from ?? range.from, ...(last && { to: last }) };
  }
  limitStretch(wish, days[0], from);
};

const limitStretch = (wish: Wish, wished: DayRange | undefined, from: Temporal.PlainDate | undefined): void => {
  const [day] = wish.days;
  if (wished && !day) wish.range = { from: from ?? wished.from, to: wished.to };
  else if (wished && day && !isOneDay(day) && isWithin(wished, day)) wish.days = [wished];
};

/** Limits of days: a stretch in which the thing finds its place. */
export const applyLimits = (wish: Wish, limits: Limits, talk: Talk): void => {
  limitHours(wish, limits);
  limitDays(wish, limits, talk);
  const { weekdays } = limits;
  if (!weekdays) return;
  if (wish.times || weekdays.length > 2) limits.notWeekdays.push(...WEEKDAYS.filter((day) => !weekdays.includes(day)));
  else limitWeekdays(wish, weekdays, talk);
};

const SEARCHED_DAYS = 60;
/** The first such weekday of the stretch; one that is quite free, where a whole day is wished for. */
const limitWeekdays = (wish: Wish, weekdays: readonly number[], { found, today }: Talk): void => {
  const { range } = wish;
  const stretch = range?.to ? { from: range.from, to: range.to } : wish.days[0];
  if (stretch && isOneDay(stretch)) return;
  const from = stretch ? laterOf(stretch.from, today.add({ days: 1 })) : today.add({ days: 1 });
  const isInside = (day: Temporal.PlainDate): boolean => !stretch || compareDays(day, stretch.to) <= 0;
  const isWhole = wish.length.days === 1;
  const day = Array.from({ length: SEARCHED_DAYS }, (_, i) => from.add({ days: i })).find(
    (one) => isInside(one) && weekdays.includes(one.dayOfWeek) && (!isWhole || !isBusy(found, one, 0, 1440)),
  );
  if (!day) return;
  delete wish.range;
  const next = day.add({ days: 1 });
  const isWeekend = day.dayOfWeek === 6 && weekdays.includes(7) && !isWhole && isInside(next);
  wish.days = [isWeekend ? { from: day, to: next, isWindow: true } : one(day)];
};

/** Pieces, the most of a day, a number of days: one thing becomes several sittings. */
export const applyPieces = (wish: Wish, { piece = Infinity, spread, perDay = Infinity }: Limits): void => {
  const { minutes } = wish.length;
  if (!minutes) return;
  const isEven = perDay < minutes && minutes % perDay === 0;
  const times = piece < minutes ? Math.round(minutes / piece) : isEven ? minutes / perDay : spread;
  if (!times || times < 2) return;
  wish.times = times;
  wish.length = { minutes: piece < minutes ? piece : Math.round(minutes / times) };
};

/** 'Friday at 2, until 4': the end is said apart. */
export const endAt = (wish: Wish, over: number | undefined): void => {
  const [slot] = wish.slots;
  if (over === undefined || wish.slots.length !== 1 || !slot || slot.minutes || wish.length.minutes) return;
  const end = over > slot.at ? over : over + HALF_DAY;
  if (end > slot.at) wish.slots = [{ ...slot, minutes: end - slot.at }];
};

/** An hour of 'between ten and four' is any hour of them. */
export const withinSlot = (wish: Wish): Wish => {
  const [slot] = wish.slots;
  const { minutes } = wish.length;
  if (wish.slots.length !== 1 || !slot?.minutes || !minutes || minutes >= slot.minutes) return wish;
  return { ...wish, slots: [], hours: { after: slot.at, before: slot.at + slot.minutes } };
};
