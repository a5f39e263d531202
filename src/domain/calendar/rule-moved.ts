/** Moves the rule of a series with its start, so that every occurrence moves by the same wall time. Pure. */
import { partsOf, textOf, type RuleParts } from './rrule-parts.ts';
import { DAY_MS, LAST_WALL, walkRule } from './rrule.ts';
import type { Schedule } from './schedule.ts';
import { untilOf, untilText } from './series-expansion.ts';
import { instantAt, midnightOf, wallAt, wallOf } from '../time/wall-time.ts';

const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];
const TIMES_OF_DAY = ['BYHOUR', 'BYMINUTE', 'BYSECOND'];

const daysBetween = (from: Schedule, to: Schedule): number =>
  (midnightOf(wallOf(to.local_start)) - midnightOf(wallOf(from.local_start))) / DAY_MS;

/** Whether the days of a rule can move. Several days of every second week could get into another week. */
const isMovable = ({ FREQ, INTERVAL = '1', BYDAY = '' }: RuleParts): boolean => {
  const named = BYDAY.split(',');
  return FREQ === 'WEEKLY' && (named.length === 1 || INTERVAL === '1') && named.every((day) => WEEKDAYS.includes(day));
};

/**
 * Whether the rule of a series can move with its start: the start stays on its day, the rule names nothing but how often, or it
 * names days of the week that can move.
 */
export const ruleFollows = (from: Schedule, to: Schedule): boolean => {
  if (!from.rrule || from.local_start === to.local_start) return true;
  const parts = partsOf(from.rrule);
  const named = Object.keys(parts).filter((name) => name.startsWith('BY'));
  if (named.length === 0) return true;
  if (named.some((name) => TIMES_OF_DAY.includes(name))) return false;
  return daysBetween(from, to) === 0 || (named.join() === 'BYDAY' && isMovable(parts) && givesStart(from));
};

const daysMoved = ({ BYDAY }: RuleParts, days: number): RuleParts => {
  if (!BYDAY || days === 0) return {};
  const places = BYDAY.split(',').map((day) => WEEKDAYS.indexOf(day));
  return { BYDAY: places.map((place) => WEEKDAYS[(((place + days) % 7) + 7) % 7]).join() };
};

const untilMoved = (parts: RuleParts, from: Schedule, to: Schedule): RuleParts => {
  const { UNTIL } = parts;
  if (!UNTIL) return {};
  const shift = wallOf(to.local_start) - wallOf(from.local_start);
  const until = wallAt(untilOf(parts, from.timezone, from.all_day), from.timezone);
  return { UNTIL: untilText(instantAt(Math.min(until + shift, LAST_WALL), to.timezone), to) };
};

/** The rule of a series that begins at another time. A rule that cannot follow stays as it is. */
export const ruleMoved = (from: Schedule, to: Schedule): string | null => {
  const isSame = from.local_start === to.local_start && from.timezone === to.timezone;
  if (!from.rrule || isSame || !ruleFollows(from, to)) return from.rrule ?? null;
  const parts = partsOf(from.rrule);
  return textOf({ ...parts, ...daysMoved(parts, daysBetween(from, to)), ...untilMoved(parts, from, to) });
};

/** Whether the rule itself gives the start. As DTSTART it is an occurrence in any case. */
export const givesStart = ({ rrule, local_start }: Schedule): boolean => {
  const wall = wallOf(local_start);
  return !rrule || walkRule(partsOf(rrule), wall).between(wall, wall).length > 0;
};
