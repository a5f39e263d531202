/** When: turns what was gathered about time into exact instants and windows in the user's zone. */
import { compareDays } from './time/calendar.ts';
import type { Day, Part } from './facet.ts';
import type { Gathered } from './gather.ts';
import { dayTimes, type DayTimes, openHourAsk, type Wall } from './hours.ts';
import { layOut, type Laid, MOST } from './layout.ts';
import { PARTS } from './time/make-parts.ts';
import type { PartOfDay } from './types.ts';
import { type Except, exceptName, isLeftOut, partsLeftOut } from './time/except.ts';
import {
  addMinutes,
  dayBounds,
  type Instant,
  instantOf,
  type Interval,
  localDate,
  millis,
  minutesBetween,
  wallToInstant,
} from '../time/time.ts';
import { lengthName, minutesName, timeName, windowName } from '../time/say.ts';

export type Slot = {
  at?: Instant;
  between?: Interval;
  part?: PartOfDay;
  minutes?: number;
  all_day?: true;
  /** 'HH:MM' of each day in a window of several days. */
  after?: string;
  before?: string;
  /** What of the window was left out. */
  avoid?: Interval[];
};
/** `isOpenHour`: `ask` asks which half of the day is meant. */
export type Placement = { slots: Slot[]; notes: string[]; ask?: string; isOpenHour?: true; reasons?: string[] };
/** `inherit`: the day of the request before ('gym tomorrow at 7 and breakfast at 8:30'); `floor`: that it comes after it. */
export type WhenEnv = {
  now: Instant;
  zone: string;
  hint?: Part | undefined;
  inherit?: Temporal.PlainDate | undefined;
  floor?: Instant | undefined;
  /** A bare 6 or 7 is asked about. */
  asksHour?: true;
};

export const todayOf = ({ now, zone }: Pick<WhenEnv, 'now' | 'zone'>): Temporal.PlainDate =>
  Temporal.PlainDate.from(localDate(now, zone));

/** The instant `minutes` of wall time after a day's midnight. */
export const wallInstant = (date: Temporal.PlainDate, { minutes, zone: own }: Wall, zone: string): Instant =>
  wallToInstant(
    date.toPlainDateTime().add({ days: Math.floor(minutes / 1440), minutes: Math.round(minutes % 1440) }),
    own ?? zone,
  );

const later = (a: Instant, b: Instant): Instant => (millis(a) >= millis(b) ? a : b);

/** A window of one day, cut to what is still to come; null where nothing, or too little, is left. */
const windowOn = (
  date: Temporal.PlainDate,
  from: number,
  to: number,
  env: WhenEnv,
  need: number,
  zone = env.zone,
): Interval | null => {
  const start = later(later(wallInstant(date, { minutes: from }, zone), env.now), env.floor ?? env.now);
  const end = wallInstant(date, { minutes: to }, zone);
  return minutesBetween(start, end) >= need ? { start, end } : null;
};

const LEAST = 1;
/** How far 'Friday' may be moved on to find one that is not over. */
const rollOnce = (day: Day): Day | null => (day.roll ? { ...day, date: day.date.add(day.roll) } : null);

const overAsk = (at: Instant, env: WhenEnv): string =>
  `${timeName(at, env.zone, env.now)} is already over. When should it be instead?`;

/** What is left of a stretch that has begun, from the next full minute. */
const restOf = (at: Instant, minutes: number, { now }: WhenEnv): Slot | null => {
  const start = instantOf(Math.ceil((millis(now) + 1) / 60_000) * 60_000);
  const left = minutesBetween(start, at) + minutes;
  return left >= 1 ? { at: start, minutes: left } : null;
};

const exactOn = (
  day: Day,
  times: Extract<DayTimes, { exact: unknown }>['exact'],
  env: WhenEnv,
  many: boolean,
): { slots: Slot[]; ask?: string } => {
  const slots: Slot[] = [];
  for (const { start, minutes } of times) {
    const at = wallInstant(day.date, start, env.zone);
    const length = minutes === undefined ? {} : { minutes };
    if (millis(at) > millis(env.now)) {
      slots.push({ at, ...length });
      continue;
    }
    const left = start.clip && minutes !== undefined ? restOf(at, minutes, env) : null;
    if (left) {
      slots.push(left);
      continue;
    }
    if (many) continue;
    const rolled = times.length === 1 ? rollOnce(day) : null;
    if (rolled) return exactOn({ date: rolled.date }, times, env, false);
    const other =
      start.otherHalf === undefined ? null : wallInstant(day.date, { ...start, minutes: start.otherHalf }, env.zone);
    if (!other || millis(other) <= millis(env.now)) return { slots: [], ask: overAsk(at, env) };
    slots.push({ at: other, ...length });
  }
  return { slots };
};

const windowSlotOn = (
  day: Day,
  window: Extract<DayTimes, { window: unknown }>['window'],
  env: WhenEnv,
  need: number,
  many: boolean,
): { slots: Slot[]; ask?: string } => {
  const between = windowOn(day.date, window.from, window.to, env, need, window.zone ?? env.zone);
  if (between) return { slots: [{ between, ...(window.part && { part: window.part }) }] };
  if (many) return { slots: [] };
  const rolled = rollOnce(day);
  if (rolled) return windowSlotOn({ date: rolled.date }, window, env, need, false);
  const full = {
    start: wallInstant(day.date, { minutes: window.from }, env.zone),
    end: wallInstant(day.date, { minutes: window.to }, env.zone),
  };
  const over = millis(full.end) <= millis(env.now);
  return {
    slots: [],
    ask: over
      ? `${windowName(full, env.zone)} is already over. When should it be instead?`
      : `${lengthName(need)} does not fit into ${windowName(full, env.zone)} any more. When should it be?`,
  };
};

const allDayOn = (day: Day, env: WhenEnv): { slots: Slot[]; ask?: string } => {
  const { start, end } = dayBounds(day.date.toString(), env.zone);
  if (millis(start) > millis(env.now))
    return { slots: [{ at: start, minutes: minutesBetween(start, end), all_day: true }] };
  const rolled = rollOnce(day);
  if (rolled) return allDayOn({ date: rolled.date }, env);
  return millis(end) > millis(env.now)
    ? { slots: [{ between: { start: env.now, end } }] }
    : { slots: [], ask: overAsk(start, env) };
};

/** 'every hour from 9 to 17' as clock times of a day. */
const minuteSteps = (g: Gathered, times: DayTimes): DayTimes => {
  const step = g.every?.step ?? 60;
  const said =
    'window' in times && times.said
      ? times.window
      : 'exact' in times && times.exact[0]?.minutes
        ? { from: times.exact[0].start.minutes, to: times.exact[0].start.minutes + times.exact[0].minutes }
        : { from: 8 * 60, to: 20 * 60 };
  const exact: { start: Wall }[] = [];
  for (let minutes = said.from; minutes <= said.to && exact.length <= MOST; minutes += step)
    exact.push({ start: { minutes } });
  return { exact };
};

const periodSlot = (from: Temporal.PlainDate, to: Temporal.PlainDate, times: DayTimes, env: WhenEnv): Slot | null => {
  const start = later(wallInstant(from, { minutes: 0 }, env.zone), env.now);
  const end = wallInstant(to, { minutes: 0 }, env.zone);
  if (millis(start) >= millis(end)) return null;
  const window = 'window' in times && times.said ? times.window : null;
  const named = window?.part ? PARTS[window.part]! : null;
  // 'before 9 in the morning', 'early in the morning'
  const isPart = named !== null && named.from * 60 === window!.from && named.to * 60 === window!.to;
  const hours =
    window && !isPart
      ? {
          ...(window.from > 0 && { after: minutesName(window.from) }),
          ...(window.to < 1440 && { before: minutesName(window.to) }),
        }
      : {};
  return { between: { start, end }, ...(isPart && { part: window!.part! }), ...hours };
};

const startOf = (slot: Slot): Instant => slot.at ?? slot.between!.start;

const ofDays = (days: readonly Day[], many: boolean, g: Gathered, times: DayTimes, env: WhenEnv): Placement => {
  const slots: Slot[] = [];
  for (const day of days) {
    const exact = 'exact' in times ? times.exact : null;
    const found =
      g.whole && !g.part && !g.clocks && !g.hours
        ? allDayOn(day, env)
        : exact
          ? exactOn(day, exact, env, many)
          : windowSlotOn(day, (times as Extract<DayTimes, { window: unknown }>).window, env, g.duration ?? LEAST, many);
    if (found.ask) return { slots: [], notes: [], ask: found.ask };
    slots.push(...found.slots);
    if (slots.length > MOST) break;
  }
  slots.sort((a, b) => millis(startOf(a)) - millis(startOf(b)));
  return slots.length > 0
    ? { slots, notes: [] }
    : { slots, notes: [], ask: 'All of that is already over. When should it be instead?' };
};

/** Where no day is named: today or the day after, the day of the request before, or anywhere. */
const openDays = (g: Gathered, times: DayTimes, env: WhenEnv): Placement => {
  const said = 'exact' in times || ((times as unknown) && 'window' in times && (times.said || env.floor !== undefined));
  if (!said && !g.whole && !env.inherit) return { slots: [{}], notes: [] };
  const day: Day = env.inherit ? { date: env.inherit } : { date: todayOf(env), roll: { days: 1 } };
  if ('exact' in times && times.exact.length > 1 && !env.inherit) {
    const today = ofDays([day], true, g, times, env);
    return today.slots.length === times.exact.length || (g.every && today.slots.length > 0)
      ? today
      : ofDays([{ date: day.date.add({ days: 1 }) }], true, g, times, env);
  }
  return ofDays([day], false, g, times, env);
};

/** 'by Friday at 17:00', 'by 5pm tomorrow': from now until then. */
const deadline = (g: Gathered, times: DayTimes, env: WhenEnv): Placement | null => {
  if (g.from || g.period || g.every || g.count || g.part || g.hours?.from) return null;
  const atClock =
    g.edgeDay && g.until && !g.days && 'exact' in times && g.clocks?.length === 1 ? times.exact[0]!.start : null;
  const byHour = g.days?.length === 1 && g.hours?.due && 'window' in times ? { minutes: times.window.to } : null;
  const day = atClock ? g.edgeDay : g.days?.[0];
  const end = atClock ?? byHour;
  if (!end || !day) return null;
  const at = wallInstant(day.date, end, env.zone);
  if (minutesBetween(env.now, at) < (g.duration ?? LEAST)) return { slots: [], notes: [], ask: overAsk(at, env) };
  return { slots: [{ between: { start: env.now, end: at } }], notes: [] };
};

const carryOut = (laid: Laid, g: Gathered, times: DayTimes, env: WhenEnv): Placement => {
  if (laid.kind === 'ask') return { slots: [], notes: [], ask: laid.ask };
  if (laid.kind === 'open') return openDays(g, times, env);
  if (laid.kind === 'days') return ofDays(laid.days, laid.many, g, times, env);
  if (laid.kind === 'span') {
    const [start, end] = [laid.from, laid.to].map((day) => dayBounds(day.toString(), env.zone).start) as [
      Instant,
      Instant,
    ];
    return { slots: [{ at: start, minutes: minutesBetween(start, end), all_day: true }], notes: [] };
  }
  const periods = laid.kind === 'period' ? [laid] : laid.periods;
  if ('exact' in times) return { slots: [], notes: [], ask: 'Which day should that be?' };
  const slots = periods.map(({ from, to }) => periodSlot(from, to, times, env)).filter((slot) => slot !== null);
  return slots.length > 0
    ? { slots, notes: [] }
    : { slots, notes: [], ask: 'That time is already over. When should it be instead?' };
};

/** The times within a window that a request leaves out. */
const leftOutOf = (except: Except, { start, end }: Interval, zone: string): Interval[] => {
  const first = Temporal.PlainDate.from(localDate(start, zone));
  const days = Math.min(MOST_DAYS, first.until(localDate(end, zone), { largestUnit: 'day' }).days + 1);
  const at = (date: Temporal.PlainDate, hour: number) => wallInstant(date, { minutes: hour * 60 }, zone);
  return Array.from({ length: days }, (_, n) => first.add({ days: n })).flatMap((date) =>
    isLeftOut(except, date)
      ? [{ start: at(date, 0), end: at(date, 24) }]
      : partsLeftOut(except, date).map(({ from, to }) => ({
          start: at(date, from === FIRST_OF_MORNING ? 0 : from),
          end: at(date, to === LAST_OF_EVENING ? 24 : to),
        })),
  );
};
const MOST_DAYS = 400;
/** Who avoids mornings does not want 05:00, nor 22:00 who avoids evenings. */
const FIRST_OF_MORNING = 6;
const LAST_OF_EVENING = 22;

const withLeftOut = (slot: Slot, g: Gathered, { now, zone }: WhenEnv): Slot => {
  if (!g.except || slot.at) return slot;
  const between = slot.between ?? { start: now, end: addMinutes(now, OPEN_DAYS * 1440) };
  const avoid = leftOutOf(g.except, between, zone);
  return avoid.length > 0 ? { ...slot, between, avoid } : slot;
};
/** How far a time is looked for where none is named. */
const OPEN_DAYS = 14;

/** The slots a request asks for; one empty slot where it names no time. `ask` is set where it can't be. */
export const place = (g: Gathered, env: WhenEnv): Placement => {
  if (g.ask) return { slots: [], notes: [], ask: g.ask };
  if (g.instant)
    return millis(g.instant) > millis(env.now)
      ? { slots: [{ at: instantOf(millis(g.instant)) }], notes: [] }
      : { slots: [], notes: [], ask: overAsk(g.instant, env) };
  const open = env.asksHour ? openHourAsk(g, env.hint) : null;
  if (open) return { slots: [], notes: [], ask: open, isOpenHour: true };
  const plain = dayTimes(g, env.hint);
  const times = g.every?.unit === 'minute' ? minuteSteps(g, plain) : plain;
  if ('ask' in times) return { slots: [], notes: [], ask: times.ask };
  const due = deadline(g, times, env);
  if (due) return due;
  const today = todayOf(env);
  const usable = (date: Temporal.PlainDate): boolean =>
    !isLeftOut(g.except, date) && (compareDays(date, today) > 0 || usableToday(date, times, g, env));
  const laid = layOut(g, 'exact' in times, { today, usable });
  const placed = carryOut(laid, g, times, env);
  const cut = laid.cut || placed.slots.length > MOST;
  const notes = [
    ...(laid.note ? [laid.note] : []),
    ...(cut ? [`I propose the first ${MOST} of them; ask again for more.`] : []),
  ];
  if (g.except && placed.slots.length > 0) notes.push(`I leave out ${exceptName(g.except)}.`);
  return { ...placed, slots: placed.slots.slice(0, MOST).map((slot) => withLeftOut(slot, g, env)), notes };
};

/** Whether today still has free time: the time named, else the hours 8 to 20. */
const usableToday = (date: Temporal.PlainDate, times: DayTimes, g: Gathered, env: WhenEnv): boolean => {
  if ('ask' in times) return false;
  if ('exact' in times)
    return times.exact.some(({ start }) => millis(wallInstant(date, start, env.zone)) > millis(env.now));
  const { from, to } = times.said ? times.window : { from: 8 * 60, to: 20 * 60 };
  return windowOn(date, from, to, env, g.duration ?? 30) !== null;
};
