/** Whether the words say a day, a clock time or a length of an action, or whether it follows from what they name. */
import { addMinutes } from '../../time/time.ts';
import { type Heard, inHalf } from './heard.ts';
import { dayOf, daysOf, hasClock, hasDays, minutesOf, MOST_THINGS, type Scene, some, type Target } from './scene.ts';
import type { Intent } from './types.ts';

const MOST_APART = 20;
const DAY = 1440;
/** A part of the day may begin or end this number of minutes earlier or later. */
const NEAR_PART = 60;
/** The length of what has none. */
const UNIT = 30;

/** What a day is of an action: its start, an end of the window of a wish, or a day that a series leaves out. */
export type Way = 'start' | 'wish' | 'left out';
export type DaysSaid = (day: number, target: Target | undefined, way?: Way) => boolean;

/** The first of January 1970 was a Thursday. */
const weekdayOf = (day: number): number => ((((day + 3) % 7) + 7) % 7) + 1;

export const isIn = (day: number, { from, to }: { from: number; to: number }): boolean => day >= from && day <= to;
const ENDS = new Set(['before', 'by', 'until']);

/** Whether a day is said. A wish may be on any day up to one that bounds it. */
export const daysSaid = ({ all, zone, today, intents, named, builtIn }: Scene): DaysSaid => {
  const stretches = some(all, ({ days, bounds }) => [...days, ...bounds]);
  const bounds = some(all, (heard) => heard.bounds);
  const weekdays = new Set(some(all, ({ repeated }) => repeated));
  const windows = builtIn.flatMap(({ between }) => (between ? [between.start, addMinutes(between.end, -1)] : []));
  const known = new Set([
    ...[...named, ...builtIn].flatMap((one) => daysOf(one, zone)),
    ...windows.map((at) => dayOf(at, zone)),
  ]);
  const from = [...known, ...stretches.flatMap(({ from: first, to }) => [first, to]), today];
  const others = intents.flatMap((one) => daysOf(one, zone));
  const reached = new Set(
    some(all, ({ daysApart }) => daysApart, MOST_APART).flatMap((apart) =>
      [...from, ...others].map((day) => day + apart),
    ),
  );
  const last = Math.max(today, ...from);
  const isHeard = all.some(hasDays);
  const isOpen = all.some(({ relates }) => relates);
  const isAnyDay = all.some((heard) => heard.isAnyDay);
  const hasClocks = all.some(hasClock);
  const isNamed = (day: number, own: readonly number[]): boolean =>
    stretches.some((stretch) => isIn(day, stretch)) || known.has(day) || reached.has(day) || own.includes(day);
  const isBounded = (day: number): boolean =>
    bounds.every(({ edge, from: first, to }) => (ENDS.has(edge) ? day <= to : day >= first));
  const isRepeated = (day: number): boolean => isAnyDay || weekdays.has(weekdayOf(day));
  const isWished = (day: number): boolean => isOpen && isIn(day, { from: today, to: last });
  // A clock time alone is that of today or tomorrow.
  const isFree = (day: number, own: readonly number[]): boolean =>
    named.length + own.length === 0 && (!hasClocks || day <= today + 1);
  return (day, target, way = 'start') => {
    const own = target ? daysOf(target, zone) : [];
    if (isNamed(day, own)) return true;
    if (way === 'left out') return false;
    const isWish = way === 'wish';
    if (isRepeated(day) || (isWish && isWished(day))) return true;
    if (bounds.length > 0 && bounds.length === stretches.length) return isBounded(day);
    return !isHeard && !isOpen && ((isWish && !target) || isFree(day, own));
  };
};

/** The clock times that an action may begin at: `starts`, and what is as far from `from` as the words say. */
type Clocks = { starts: number[]; ends: number[]; near: number[]; from: number[]; target: number[] };

const clocksFor = (
  scene: Scene,
  heard: readonly Heard[],
  intent: Intent,
  target: Target | undefined,
  length: number,
): Clocks => {
  const { zone, points, builtInStarts } = scene;
  const near = points.filter(({ of }) => of !== target && of !== intent).flatMap(({ minutes }) => minutes);
  const said = some(heard, ({ clocks }) => clocks, MOST_THINGS);
  const ends = some(heard, (one) => one.ends, MOST_THINGS);
  // It may keep its start or its end.
  const kept = { ...target, duration_minutes: (target?.duration_minutes ?? length) - length };
  const own = target ? minutesOf({ title: target.title, ...kept }, zone) : [];
  return {
    ...{ starts: [...said, ...near, ...builtInStarts], ends, near: [...near, ...builtInStarts], target: own },
    from: [...near, ...said, ...ends, ...(near.length > 0 ? [] : own)],
  };
};

const isAt = (minute: number, starts: readonly number[], by = 0): boolean =>
  starts.some((at) => inHalf(at + by) === inHalf(minute));
const isApart = (minute: number, starts: readonly number[], apart: readonly number[]): boolean =>
  apart.some((by) => isAt(minute, starts, by));
const isWithin = (minute: number, { after = 0, before = DAY }: Heard['hours'][number]): boolean =>
  minute >= after - NEAR_PART && minute <= before + NEAR_PART;

/** Whether a minute of the day is said as the start of this action. */
export const isClockSaid = (scene: Scene, intent: Intent, minute: number, target: Target | undefined): boolean => {
  const { own, all, intents } = scene;
  const heard = hasClock(own) || own.relates || own.changes.size > 0 ? [own] : all;
  const length = intent.duration_minutes ?? target?.duration_minutes ?? UNIT;
  const clocks = clocksFor(scene, heard, intent, target, length);
  const hasOthers = intents.length > 1;
  if (isPartSaid(heard, minute, hasOthers)) return true;
  if (own.isSame) return isAt(minute, clocks.near);
  if (isOtherHalf(heard, minute)) return false;
  if (isItself(clocks, minute, length, hasOthers)) return true;
  if (own.changes.size > 0) return isApart(minute, target ? clocks.target : clocks.starts, [...own.changes]);
  return isFromOther(heard, clocks, minute, hasOthers, target);
};

/** Where several things are said, a part of the day may be that of each. */
const isPartSaid = (heard: readonly Heard[], minute: number, hasOthers: boolean): boolean =>
  (hasOthers || heard.every(({ clocks }) => clocks.size === 0)) &&
  some(heard, ({ hours }) => hours).some((hours) => isWithin(minute, hours));

/** Whether the words say the same clock time of the other half of the day. */
const isOtherHalf = (heard: readonly Heard[], minute: number): boolean => {
  const at = inHalf(minute);
  const halves = some(heard, ({ exact }) => exact).filter((one) => inHalf(one) === at);
  return halves.length > 0 && !halves.includes(minute) && !heard.some(({ loose }) => loose.has(at));
};

/** It begins or ends then, or begins where another thing ends. */
const isItself = ({ starts, ends }: Clocks, minute: number, length: number, hasOthers: boolean): boolean =>
  isAt(minute, starts) || isAt(minute, [...starts, ...ends], -length) || (hasOthers && isAt(minute, ends));

/** 'An hour before the dentist'; 'two days before the flight' says no hour. */
const isFromOther = (
  heard: readonly Heard[],
  { from, near }: Clocks,
  minute: number,
  hasOthers: boolean,
  target: Target | undefined,
): boolean => {
  const apart = some(heard, (one) => one.minutesApart, MOST_APART);
  const isRelated = heard.some(({ relates }) => relates);
  if ((hasOthers || isRelated) && isApart(minute, from, apart)) return true;
  const isByDay = apart.length === 0 && heard.some(({ daysApart }) => daysApart.size > 0);
  return !heard.some(hasClock) && (near.length === 0 || isByDay || (!target && !isRelated));
};

const changesSomething = ({ target_event_uid: event, target_plan_uid: plan }: Intent): boolean =>
  event !== undefined || plan !== undefined;

/** 'Start half an hour later, the end stays'. */
const keepsEnd = (intent: Intent, target: Target | undefined, zone: string): boolean =>
  intent.scheduled_for !== undefined &&
  Boolean(target?.duration_minutes) &&
  minutesOf(intent, zone)[1] === minutesOf(target!, zone)[1];

/** Whether a length is said for this action, or follows from its start or end. */
export const isLengthSaid = (scene: Scene, intent: Intent, target: Target | undefined): boolean => {
  const { own, all, zone, builtIn } = scene;
  const { duration_minutes: minutes } = intent;
  if (minutes === undefined || minutes === target?.duration_minutes) return true;
  const known = [...(target ? [target, ...builtIn.filter(changesSomething)] : builtIn)].flatMap(
    ({ duration_minutes: one }) => one ?? [],
  );
  const changed = [...own.changes].flatMap((by) => known.map((one) => one + by));
  const lengths = some(
    own.lengths.size + own.changes.size + own.clocks.size + own.ends.size > 0 ? [own] : all,
    (one) => one.lengths,
  );
  if ([...lengths, ...known, ...changed].includes(minutes) || own.hasMultiple) return true;
  if (keepsEnd(intent, target, zone)) return true;
  const [begin] = minutesOf({ ...target, ...intent }, zone);
  const start = begin === undefined ? [] : [begin];
  const end = target ? minutesOf(target, zone).slice(1) : [];
  const isFromClock = [...start, ...end].some((at) =>
    [...own.clocks, ...own.ends].some((clock) => inHalf(clock - at) === minutes || inHalf(at - clock) === minutes),
  );
  return isFromClock || (!target && some(all, (one) => one.lengths).length === 0);
};
