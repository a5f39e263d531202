/** What R11 asks both sides: series with every part of a rule, on the days where clocks and calendars are odd. The same every time. */
import type { Schedule } from '../../src/domain/calendar/schedule.ts';
import { sortedOnce } from '../../src/calendar/events/document.ts';
import { dayBounds, instantOf, millis, wallToInstant, type Interval } from '../../src/domain/time/time.ts';
import { randomOf } from './trial.ts';

/** Times are wall times of the zone; each side finds their instants by itself. */
export type Case = {
  id: number;
  zone: string;
  all_day: boolean;
  /** `2026-11-21T10:00:00`. */
  start: string;
  duration_minutes: number;
  rrule: string;
  rdates: string[];
  exdates: string[];
  /** Starts in `[from, to)` are compared; instants. */
  from: string;
  to: string;
};

/** Odd offsets, gaps at midnight, half-hour and two-hour summer time, winter time in summer, a day left out, rules given up. */
export const ZONES = [
  'UTC',
  'Europe/Berlin',
  'Europe/Dublin',
  'Europe/Istanbul',
  'America/New_York',
  'America/St_Johns',
  'America/Sao_Paulo',
  'America/Santiago',
  'America/Asuncion',
  'America/Caracas',
  'Atlantic/Azores',
  'Africa/Cairo',
  'Africa/Casablanca',
  'Asia/Amman',
  'Asia/Beirut',
  'Asia/Gaza',
  'Asia/Kathmandu',
  'Asia/Kolkata',
  'Asia/Pyongyang',
  'Asia/Tehran',
  'Antarctica/Troll',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Pacific/Chatham',
];

const DAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const FIRST = Date.UTC(1998, 0, 1);
/** pytz, beneath the second reference, knows no rules after 2037. */
const LAST = Date.UTC(2033, 11, 31);
/** How far occurrences are compared, by frequency, in days. */
const REACH = { YEARLY: 3_500, MONTHLY: 1_500, WEEKLY: 900, DAILY: 500, HOURLY: 40, MINUTELY: 8 };
type Freq = keyof typeof REACH;

const createDice = (seed: number) => {
  const random = randomOf(seed);
  const between = (from: number, to: number): number => from + Math.floor(random() * (to - from + 1));
  const oneOf = <T>(list: readonly T[]): T => list[between(0, list.length - 1)] as T;
  const chance = (share: number): boolean => random() < share;
  const some = <T>(most: number, one: () => T): T[] => [...new Set(Array.from({ length: between(1, most) }, one))];
  return { between, oneOf, chance, some };
};
type Dice = ReturnType<typeof createDice>;

const wallText = (wall: number): string => new Date(wall).toISOString().slice(0, 19);

/** Every change of a zone's clocks from 2000 to 2037, as the wall time shown just before it. */
const changesOf = (zone: string): number[] => {
  const changes: number[] = [];
  let at = Temporal.Instant.from('2000-01-01T00:00:00Z').toZonedDateTimeISO(zone).getTimeZoneTransition('next');
  for (; at && at.year < 2034; at = at.getTimeZoneTransition('next'))
    changes.push(at.epochMilliseconds + at.subtract({ nanoseconds: 1 }).offsetNanoseconds / 1e6);
  return changes;
};
const CHANGES = new Map(ZONES.map((zone) => [zone, changesOf(zone)]));

/** A start: at a change of the clocks or a whole number of days before it, at an odd end of a month, or anywhere. */
const startIn = ({ between, oneOf, chance }: Dice, zone: string): number => {
  const changes = CHANGES.get(zone) ?? [];
  if (changes.length && chance(0.6)) {
    // within an hour and a half of the change: in its gap or fold, or right beside it
    const near = oneOf(changes) + between(-6, 6) * 15 * MINUTE_MS;
    return near - oneOf([0, 0, 1, 7, 14, 28, 30, 365, 366, 731]) * DAY_MS;
  }
  const time = between(0, 95) * 15 * MINUTE_MS;
  if (chance(0.4)) {
    const [month, day] = oneOf([
      [1, 29],
      [1, 28],
      [0, 31],
      [11, 31],
      [11, 29],
      [0, 1],
      [3, 30],
    ] as const);
    return Date.UTC(between(1998, 2032), month, day) + time;
  }
  return FIRST + between(0, (LAST - FIRST) / DAY_MS) * DAY_MS + time;
};

const listOf = (values: (number | string)[]): string => values.join(',');

type Parts = Record<string, string>;

const signed = ({ between, chance }: Dice, most: number): number => (chance(0.3) ? -1 : 1) * between(1, most);

/** Parts that choose days, as RFC 5545's table lets them stand beside each frequency. */
const dayParts = (dice: Dice, freq: Freq): Parts => {
  const { between, oneOf, chance, some } = dice;
  const parts: Parts = {};
  const weekdays = (ordinals: number): string =>
    listOf(some(3, () => (ordinals && chance(0.6) ? String(signed(dice, ordinals)) : '') + oneOf(DAYS)));
  if (chance(freq === 'YEARLY' ? 0.5 : 0.15)) parts['BYMONTH'] = listOf(some(4, () => between(1, 12)));
  if (freq === 'YEARLY' && chance(0.15)) parts['BYWEEKNO'] = listOf(some(3, () => signed(dice, chance(0.3) ? 53 : 20)));
  if (freq === 'YEARLY' && !parts['BYWEEKNO'] && chance(0.12))
    parts['BYYEARDAY'] = listOf(some(4, () => signed(dice, 366)));
  if (freq !== 'WEEKLY' && chance({ YEARLY: 0.25, MONTHLY: 0.45, DAILY: 0.15, HOURLY: 0.1, MINUTELY: 0.05 }[freq]))
    parts['BYMONTHDAY'] = listOf(some(4, () => signed(dice, 31)));
  if (chance(freq === 'WEEKLY' || freq === 'MONTHLY' ? 0.6 : 0.35)) {
    const ordinals = freq === 'MONTHLY' ? 5 : freq === 'YEARLY' && !parts['BYWEEKNO'] ? (parts['BYMONTH'] ? 5 : 53) : 0;
    parts['BYDAY'] = weekdays(ordinals);
  }
  return parts;
};

const timeParts = ({ between, chance, some }: Dice, freq: Freq): Parts => {
  const parts: Parts = {};
  if (chance(freq === 'HOURLY' ? 0.2 : 0.12)) parts['BYHOUR'] = listOf(some(3, () => between(0, 23)));
  if (freq !== 'MINUTELY' && chance(0.12)) parts['BYMINUTE'] = listOf(some(2, () => between(0, 59)));
  if (chance(0.04)) parts['BYSECOND'] = listOf(some(2, () => between(0, 59)));
  return parts;
};

const ruleFor = (dice: Dice, all_day: boolean): Parts & { FREQ: Freq } => {
  const { between, oneOf, chance, some } = dice;
  const byDays = ['YEARLY', 'YEARLY', 'MONTHLY', 'MONTHLY', 'WEEKLY', 'WEEKLY', 'DAILY', 'DAILY'] as const;
  const freq: Freq = all_day ? oneOf(byDays) : oneOf([...byDays, 'HOURLY', 'MINUTELY']);
  const parts: Parts = { ...dayParts(dice, freq), ...(all_day ? {} : timeParts(dice, freq)) };
  if (Object.keys(parts).length > 0 && freq !== 'MINUTELY' && chance(0.2))
    parts['BYSETPOS'] = listOf(some(2, () => signed(dice, freq === 'YEARLY' || freq === 'MONTHLY' ? 4 : 2)));
  if (freq === 'MINUTELY') parts['INTERVAL'] = String(oneOf([15, 20, 30, 45, 60, 90, 1439]));
  else if (chance(0.4)) parts['INTERVAL'] = String(between(2, 5));
  if (chance(0.25)) parts['WKST'] = oneOf(DAYS);
  return { FREQ: freq, ...parts };
};

const untilText = (instant: number): string => new Date(instant).toISOString().replace(/[-:]|\.\d+/g, '');

const caseOf = (dice: Dice, id: number): Case => {
  const { between, oneOf, chance, some } = dice;
  const zone = ZONES[id % ZONES.length] as string;
  const all_day = chance(0.2);
  const time = startIn(dice, zone);
  const start = wallText(all_day ? Math.floor(time / DAY_MS) * DAY_MS : time);
  const parts = ruleFor(dice, all_day);
  const reach = REACH[parts.FREQ] * DAY_MS;
  const begin = millis(wallToInstant(start, zone));
  if (chance(0.25)) parts['COUNT'] = String(between(1, 40));
  else if (chance(0.3)) {
    const until = begin + between(0, reach / DAY_MS) * DAY_MS + between(-3, 3) * 15 * MINUTE_MS;
    const text = untilText(Math.max(until, begin));
    parts['UNTIL'] = all_day ? text.slice(0, 8) : text;
  }
  const rrule = Object.entries(parts)
    .map(([name, value]) => `${name}=${value}`)
    .join(';');
  // The age of a series must not matter: some are looked at years after they began.
  const later = parts['COUNT'] === undefined && chance(0.2) ? between(1, 3) * reach : 0;
  const within = (): string => {
    const at = millis(`${start}.000Z`) + later + between(0, reach / DAY_MS / 4) * DAY_MS;
    return wallText(all_day || chance(0.5) ? at : at + between(-40, 40) * 15 * MINUTE_MS);
  };
  return {
    id,
    zone,
    all_day,
    start,
    duration_minutes: all_day ? 1440 * between(1, 2) : oneOf([15, 60, 1500]),
    rrule,
    rdates: chance(0.2) ? some(3, within).sort() : [],
    exdates: chance(0.3) ? some(6, within).sort() : [],
    from: instantOf(begin + later),
    to: instantOf(begin + later + reach),
  };
};

export const casesOf = (count: number, seed: number): Case[] => {
  const dice = createDice(seed);
  return Array.from({ length: count }, (_, id) => caseOf(dice, id));
};

/** The case as the service keeps it. */
export const scheduleOf = ({ zone, all_day, start, rrule, ...rest }: Case): Schedule => {
  const at = (wall: string) => (all_day ? dayBounds(wall.slice(0, 10), zone).start : wallToInstant(wall, zone));
  return {
    uid: 'case',
    scheduled_for: at(start),
    duration_minutes: rest.duration_minutes,
    timezone: zone,
    local_start: start,
    all_day,
    rrule,
    rdates: sortedOnce(rest.rdates.map(at)),
    exdates: sortedOnce(rest.exdates.map(at)),
  };
};

export const windowOf = ({ from, to }: Case): Interval => ({ start: from, end: to });
