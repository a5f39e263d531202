/** Which days, hours and bounds a span of time means, when it is known what was said before. */
import { wallMinute, type ZonedBase } from './zones.ts';
import { isSure } from './clocks.ts';
import { flattened, grouped, hasClock, isDay } from './group.ts';
import { type Hint, minuteOf, startAndLength } from './settle-clock.ts';
import { compareDays, type DayBase, type DayRange, daysFrom, laterOf, NoSuchDay, settleDays } from './settle-days.ts';
import type { Amount, Clock, Days, Edge, Every, Item, Moment, PartOfDay, Time } from './types.ts';

type PlainDate = Temporal.PlainDate;

/** Minutes of the day, and how long where an end is said; it may be of the day before or after, in another zone. */
export type Slot = { at: number; minutes?: number; dayShift?: number };
/** The minutes of the day between which a thing is to start. */
export type Hours = { after?: number; before?: number };
export type DayBound = { edge: Edge; from: PlainDate; to: PlainDate; at?: number };

export type Settled = {
  days: DayRange[];
  slots: Slot[];
  hours?: Hours;
  /** A time from which on it is: its start, or a limit of it. */
  start?: number;
  /** A time by which it is over. */
  over?: number;
  /** The part of the day that is left out. */
  notHours?: PartOfDay;
  bounds: DayBound[];
  not: DayRange[];
  every: Every[];
  notEvery: Every[];
  length?: Amount;
  isSame?: true;
  isWhole?: true;
  /** Why these days cannot be. */
  fault?: string;
};
/** Several groups are days with times of their own, or, with `isChoice`, alternatives. */
export type Settlement = { groups: Settled[]; isChoice: boolean };

/** `hint` is what the hours are likely to be, where they do not say it. */
export type Base = DayBase & ZonedBase & { now: Temporal.PlainDateTime; hint?: Hint | undefined };

const empty = (): Settled => ({ days: [], slots: [], bounds: [], not: [], every: [], notEvery: [] });

const partIn = (items: readonly Item[]): PartOfDay | undefined => {
  const found = items.find((item) => item.item === 'part');
  return found?.item === 'part' ? found.part : undefined;
};

type Reading = { base: Base; settled: Settled; hint: Hint | undefined; isNot: boolean; isLastOpen?: boolean };

const dayOf = ({ settled, base }: Reading): PlainDate => settled.days[0]?.from ?? base.said ?? base.today;

/** The hours that are within both. */
export const narrowed = (hours: Hours | undefined, more: Hours): Hours => {
  const after = Math.max(hours?.after ?? -1, more.after ?? -1);
  const before = Math.min(hours?.before ?? Infinity, more.before ?? Infinity);
  return { ...(after >= 0 && { after }), ...(before < Infinity && { before }) };
};

const addDays = (reading: Reading, days: Days): void => {
  const { settled, base, isNot } = reading;
  const before = settled.days.at(-1);
  // 'next week, Wednesday': a day of that week
  const inside = before?.isWindow ? { today: laterOf(before.from, base.today), window: before } : undefined;
  const found = settleDays(days, inside ?? { ...base, said: before?.to ?? base.said });
  const [first] = found;
  // 'next week, Monday to Wednesday': the days within the stretch that was said before
  const isWithin =
    first && before && compareDays(first.from, before.from) >= 0 && compareDays(first.to, before.to) <= 0;
  if (isWithin && !isNot && compareDays(before.from, before.to) < 0) settled.days.pop();
  (isNot ? settled.not : settled.days).push(...found);
};

const addClock = (reading: Reading, clock: Clock): void => {
  const { settled, base, hint, isNot } = reading;
  if (isNot) return;
  const meant = minuteOf(clock, { hint, after: clock.zone ? undefined : settled.slots.at(-1)?.at });
  const slot = wallMinute(clock.zone, meant, dayOf(reading), base);
  // 'at 7 and 19': the first is in the morning; '4 pm London, 5 pm CET' is one time
  const last = settled.slots.at(-1);
  const is24 = isSure(clock) && !clock.half && !clock.zone && clock.hour > 12;
  if (last && is24 && reading.isLastOpen && last.at >= 1020 && last.at >= slot.at - 60) last.at -= 720;
  else if (last?.at === slot.at && last.dayShift === slot.dayShift) return;
  settled.slots.push(slot);
  reading.isLastOpen = !isSure(clock);
};

const addHours = (reading: Reading, from: Clock, to: Clock): void => {
  const { settled, base, hint, isNot } = reading;
  const { at, minutes } = startAndLength(from, to, hint);
  if (isNot) {
    settled.notHours = { from: at, to: at + minutes };
    return;
  }
  const day = dayOf(reading);
  const start = wallMinute(from.zone, at, day, base);
  // a flight leaves and arrives in two zones
  const end = wallMinute(to.zone, at + minutes, day, base);
  const length = end.at + (end.dayShift ?? 0) * 1440 - start.at - (start.dayShift ?? 0) * 1440;
  settled.slots.push({ ...start, minutes: ((length % 1440) + 1440) % 1440 || 1440 });
};

const addPart = ({ settled, isNot }: Reading, part: PartOfDay): void => {
  if (isNot) settled.notHours = part;
  else settled.hours = narrowed(settled.hours, { after: part.from, before: part.to });
};

/** From one moment to another: a slot of several days. */
const addStretch = (reading: Reading, from: Moment, to: Moment): void => {
  const { settled, base, hint } = reading;
  const [first] = settleDays(from.days!, base);
  const [last] = to.days ? settleDays(to.days, { ...base, said: first!.to, window: undefined }) : [first];
  const minute = ({ clock, part }: Moment, hint: Hint | undefined, otherwise: number): number =>
    clock ? minuteOf(clock, { hint: clock.part ?? hint }) : (part?.from ?? otherwise);
  const start = minute(from, hint, 0);
  const end = to.clock ? minute(to, hint, 0) : (to.part?.to ?? 1440);
  const days = daysFrom(first!.from, last!.to);
  settled.days.push({ from: first!.from, to: first!.from });
  settled.slots.push({ at: start, minutes: Math.max(days * 1440 + end - start, 15) });
};

const flipped: Readonly<Record<Edge, Edge>> = {
  before: 'from',
  by: 'after',
  until: 'after',
  after: 'until',
  from: 'before',
};

/** 'Not until 6' is in the evening. */
const LATE: PartOfDay = { from: 720, to: 1380 };
const isStart = (edge: Edge): boolean => edge === 'after' || edge === 'from';
const boundOfPart = (edge: Edge, { from, to }: PartOfDay): Hours => {
  if (isStart(edge)) return { after: edge === 'after' ? to : from };
  return { before: edge === 'before' ? from : to };
};

const addDayBound = ({ settled, base }: Reading, edge: Edge, days: Days, at: number | undefined): void => {
  // 'before the end of the year' is before its last day
  for (const { from, to, isEnd } of settleDays(days, { ...base, said: settled.days.at(-1)?.to ?? base.said }))
    settled.bounds.push({
      edge: isEnd && edge === 'before' ? 'by' : edge,
      from,
      to,
      ...(at !== undefined && { at }),
    });
};

const addClockBound = (settled: Settled, edge: Edge, at: number, isSaid: boolean): void => {
  if (edge === 'from' && isSaid) {
    settled.start = at;
    return;
  }
  settled.hours = narrowed(settled.hours, isStart(edge) ? { after: at } : { before: at });
  if (!isStart(edge)) settled.over = at;
};

const addBound = (
  reading: Reading,
  { edge: said, at: { days, clock, part }, isSure }: Extract<Item, { item: 'bound' }>,
): void => {
  const { settled } = reading;
  const isNot = reading.isNot && !isSure;
  const edge = isNot ? flipped[said] : said;
  const late = edge === 'until' && isNot ? LATE : undefined;
  const at = clock && minuteOf(clock, { hint: part ?? clock.part ?? reading.hint ?? late });
  if (days) addDayBound(reading, edge, days, part ? (isStart(edge) ? part.from : part.to) : at);
  else if (at !== undefined) addClockBound(settled, edge, at, !isNot && !isSure);
  else if (part) settled.hours = narrowed(settled.hours, boundOfPart(edge, part));
};

const addAhead = ({ settled, base }: Reading, { minutes, days = 0, months = 0 }: Amount): void => {
  const then = base.now.add({ minutes: minutes ?? 0, days, months });
  const day = then.toPlainDate();
  settled.days.push({ from: day, to: day });
  if (minutes !== undefined) settled.slots.push({ at: then.hour * 60 + then.minute });
};

const addZone = (reading: Reading, zone: string): void => {
  const { settled, base } = reading;
  settled.slots = settled.slots.map((slot) => ({ ...slot, ...wallMinute(zone, slot.at, dayOf(reading), base) }));
};

const addItem = (reading: Reading, item: Item): void => {
  const { settled, isNot } = reading;
  switch (item.item) {
    case 'days':
      return addDays(reading, item.days);
    case 'clock':
      return addClock(reading, item.clock);
    case 'hours':
      return addHours(reading, item.from, item.to);
    case 'part':
      return addPart(reading, item.part);
    case 'stretch':
      return addStretch(reading, item.from, item.to);
    case 'bound':
      return addBound(reading, item);
    case 'zone':
      return addZone(reading, item.zone);
    case 'ahead':
      return addAhead(reading, item.amount);
    case 'every':
      (isNot ? settled.notEvery : settled.every).push(item.every);
      return;
    default:
      addRest(reading, item);
  }
};

const addRest = (reading: Reading, item: Item): void => {
  const { settled } = reading;
  if (item.item === 'same') settled.isSame = true;
  else if (item.item === 'whole') settled.isWhole = true;
  else if (item.item === 'length') settled.length = item.amount;
  else if (item.item === 'not') reading.isNot = true;
};

const settleGroup = (items: readonly Item[], base: Base): Settled => {
  const settled = empty();
  const part = items.some(hasClock) ? partIn(items) : undefined;
  const reading: Reading = { base, settled, hint: part ?? base.hint, isNot: false };
  try {
    // the days first, so that a clock of another zone knows its day
    const firsts = items.some(({ item }) => item === 'not') ? [] : items.filter(isDay);
    for (const item of [...firsts, ...items.filter((one) => !firsts.includes(one))])
      if (!(item.item === 'part' && part)) addItem(reading, item);
  } catch (error) {
    if (!(error instanceof NoSuchDay || error instanceof RangeError)) throw error;
    settled.fault = error instanceof NoSuchDay ? error.message : 'there is no such day';
  }
  return settled;
};

const withDaysAndHoursOfOthers = (groups: Settled[]): Settled[] => {
  const days = groups.find((group) => group.days.length > 0)?.days ?? [];
  const last = groups.findLast((group) => group.slots.length > 0 || group.hours);
  return groups.map((group) => ({
    ...group,
    ...(group.days.length === 0 && group.bounds.length === 0 && { days }),
    ...(group.slots.length === 0 &&
      !group.hours &&
      last && { slots: last.slots, ...(last.hours && { hours: last.hours }) }),
  }));
};

/** What a reading means, said on this day, after these words. */
export const settle = ({ items }: Pick<Time, 'items'>, base: Base): Settlement => {
  const options: Item[][] = [[]];
  for (const item of flattened(items, base))
    if (item.item === 'or') options.push([]);
    else options.at(-1)!.push(item);
  const filled = options.filter((option) => option.length > 0);
  let said = base;
  const next = (group: readonly Item[]): Settled => {
    const settled = settleGroup(group, said);
    const last = settled.days.at(-1)?.to;
    if (last && compareDays(last, base.today) >= 0) said = { ...said, said: last };
    return settled;
  };
  const groups =
    filled.length > 1 ? filled.map((option) => settleGroup(option, base)) : grouped(filled[0] ?? []).map(next);
  return { groups: filled.length > 1 ? withDaysAndHoursOfOthers(groups) : groups, isChoice: filled.length > 1 };
};
