/** Which days and hours of each week a part of a rule says. */
import { weekdaysOf } from '../act/repeat.ts';
import { isSure } from '../time/clocks.ts';
import { type Hint, minuteOf, startAndLength } from '../time/settle-clock.ts';
import type { Clock, Edge, Item, PartOfDay } from '../time/types.ts';
import { hasKind, type Part } from './rule-part.ts';

/** Minutes of a day, half-open. An end above 1440 is on the next day. */
export type Minutes = readonly [from: number, to: number];
/** `days` are weekdays, 1 Monday to 7, null where none is said. `isOneSided`: the hours are bounds or parts of the day. */
export type Week = { days: number[] | null; hours: Minutes[]; isOneSided: boolean; isDaysFirst: boolean };

const EVERY_DAY = [1, 2, 3, 4, 5, 6, 7];
type Days = Extract<Item, { item: 'days' }>['days'];
type Every = Extract<Item, { item: 'every' }>['every'];

const everyWeek = ({ unit, step = 1, weekdays, ...more }: Every): readonly number[] | null => {
  if (step !== 1 || Object.keys(more).length > 0) return null;
  if (unit === 'week') return weekdays ?? null;
  return unit === 'day' && !weekdays ? EVERY_DAY : null;
};

export const isWeekend = (days: Days): boolean =>
  days.of === 'cycle' && days.unit === 'weekend' && days.step === 0 && !days.isRest && !days.isSaid;

/** The weekdays that an item says; null where it says others. */
const daysOf = (item: Item): readonly number[] | null => {
  if (item.item === 'every') return everyWeek(item.every);
  if (item.item === 'whole') return EVERY_DAY;
  if (item.item !== 'days') return null;
  return isWeekend(item.days) ? [6, 7] : weekdaysOf(item.days);
};

/** A morning begins with the day, and an evening ends with it. */
const FIRST_OF_MORNING = 480;
const LAST_OF_EVENING = 1320;
const widened = ({ from, to }: PartOfDay): Minutes => [
  from <= FIRST_OF_MORNING ? 0 : from,
  to >= LAST_OF_EVENING ? 1440 : to,
];

/** 'After 8' of a rule is in the evening, and 'before 8' in the morning. */
const LATE: PartOfDay = { from: 720, to: 1380 };
const isStart = (edge: Edge): boolean => edge === 'after' || edge === 'from';

/** 'Only after 9' does not say which half of the day it means. */
const isOpen = (clock: Clock): boolean => !isSure(clock) && !clock.isExact && clock.hour >= 8 && clock.hour < 12;

const minuteAt = (clock: Clock, edge: Edge, part: PartOfDay | undefined, isOnly: boolean): number | null => {
  if (clock.zone || edge === 'by' || (isOnly && !part && isOpen(clock))) return null;
  const likely: Hint = isStart(edge) ? LATE : 'am';
  return minuteOf(clock, { hint: part ?? (isOnly ? undefined : likely) });
};

type Said = { from?: number; to?: number; part?: Minutes };
/** What the hours of a part are read with. */
type Around = { part: PartOfDay | undefined; isOnly: boolean };

const boundOf = ({ edge, at }: Extract<Item, { item: 'bound' }>, { part, isOnly }: Around): Said | null => {
  if (at.days) return null;
  if (at.clock) {
    const minute = minuteAt(at.clock, edge, at.part ?? at.clock.part ?? part, isOnly);
    if (minute === null) return null;
    return isStart(edge) ? { from: minute } : { to: minute };
  }
  if (!at.part) return null;
  const [from, to] = widened(at.part);
  return isStart(edge) ? { from: edge === 'after' ? to : from } : { to: edge === 'before' ? from : to };
};

/** The hours that an item says: a stretch, a start or an end; null where it says none. */
const hoursOf = (item: Item, around: Around): Said | null => {
  if (item.item === 'part') return { part: widened(item.part) };
  if (item.item === 'bound') return boundOf(item, around);
  if (item.item !== 'hours' || item.from.zone || item.to.zone) return null;
  const { at, minutes } = startAndLength(item.from, item.to, around.part);
  return { from: at, to: at + minutes };
};

type Stretches = Pick<Week, 'hours' | 'isOneSided'>;

/** A start and an end are one stretch where the start is first, and else what is before the end and what is after the start. */
const boundsOf = (from: number | undefined, to: number | undefined): Stretches => {
  if (from === undefined || to === undefined) {
    const edges: Minutes[] = from === undefined ? (to === undefined ? [] : [[0, to]]) : [[from, 1440]];
    return { hours: edges, isOneSided: edges.length > 0 };
  }
  if (from < to) return { hours: [[from, to]], isOneSided: false };
  return {
    hours: [
      [0, to],
      [from, 1440],
    ],
    isOneSided: true,
  };
};

const stretchesOf = (said: readonly Said[]): Stretches | null => {
  const whole = said.flatMap(({ from, to }): Minutes[] => (from !== undefined && to !== undefined ? [[from, to]] : []));
  const open = said.filter(({ from, to }) => (from === undefined) !== (to === undefined));
  const starts = open.flatMap(({ from }) => from ?? []);
  const ends = open.flatMap(({ to }) => to ?? []);
  const isUnclear = starts.length > 1 || ends.length > 1 || (open.length > 0 && whole.length > 0);
  if (isUnclear) return null;
  if (open.length > 0) return boundsOf(starts[0], ends[0]);
  if (whole.length > 0) return { hours: whole, isOneSided: false };
  const parts = said.flatMap(({ part }) => (part ? [part] : []));
  return { hours: parts, isOneSided: parts.length > 0 };
};

/** The days and the hours of a part: one run of each, as each of the hours holds for each day. Null where it says anything else. */
export const weekOf = (part: Part): Week | null => {
  const hasClock = part.items.some(({ item }) => item === 'bound' || item === 'hours');
  const parts = part.items.filter((item) => item.item === 'part');
  if (hasClock && parts.length > 1) return null;
  const around: Around = { part: hasClock ? parts[0]?.part : undefined, isOnly: hasKind(part, 'only') };
  const days: number[] = [];
  const said: Said[] = [];
  const runs: ('days' | 'hours')[] = [];
  for (const item of part.items.filter((one) => !hasClock || one.item !== 'part')) {
    const own = daysOf(item);
    const hours = own ? null : hoursOf(item, around);
    if (own) days.push(...own);
    else if (hours) said.push(hours);
    else return null;
    const run = own ? 'days' : 'hours';
    if (runs.at(-1) !== run) runs.push(run);
  }
  const stretches = runs.length > 2 ? null : stretchesOf(said);
  const weekdays = days.length > 0 ? [...new Set(days)].toSorted((a, b) => a - b) : null;
  return stretches && { ...stretches, days: weekdays, isDaysFirst: runs[0] === 'days' };
};
