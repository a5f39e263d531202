/** Moves the rule of a series with its start, so that every occurrence moves by the same wall time. Pure. */
import { partsOf, textOf, type RuleParts } from './rrule-parts.ts';
import { DAY_MS, LAST_WALL, walkRule } from './rrule.ts';
import type { Schedule } from './schedule.ts';
import { untilOf, untilText } from './series-expansion.ts';
import { instantAt, midnightOf, wallAt, wallOf } from '../time/wall-time.ts';

const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];

/** The weekdays of a weekly rule some days later. Several days of every second week could get into another week, so they stay. */
const daysMoved = ({ FREQ, INTERVAL = '1', BYDAY }: RuleParts, days: number): RuleParts => {
  const named = BYDAY?.split(',') ?? [];
  const places = named.map((day) => WEEKDAYS.indexOf(day));
  const isMovable = FREQ === 'WEEKLY' && (named.length === 1 || INTERVAL === '1') && !places.includes(-1);
  if (!isMovable || named.length === 0) return {};
  return { BYDAY: places.map((place) => WEEKDAYS[(((place + days) % 7) + 7) % 7]).join() };
};

const untilMoved = (parts: RuleParts, from: Schedule, to: Schedule): RuleParts => {
  const { UNTIL } = parts;
  if (!UNTIL) return {};
  const shift = wallOf(to.local_start) - wallOf(from.local_start);
  const until = wallAt(untilOf(parts, from.timezone, from.all_day), from.timezone);
  return { UNTIL: untilText(instantAt(Math.min(until + shift, LAST_WALL), to.timezone), to) };
};

/** The rule of a series that begins at another time. A rule that names days of a month or a year stays as it is. */
export const ruleMoved = (from: Schedule, to: Schedule): string | null => {
  if (!from.rrule || (from.local_start === to.local_start && from.timezone === to.timezone)) return from.rrule ?? null;
  const parts = partsOf(from.rrule);
  const days = (midnightOf(wallOf(to.local_start)) - midnightOf(wallOf(from.local_start))) / DAY_MS;
  return textOf({ ...parts, ...daysMoved(parts, days), ...untilMoved(parts, from, to) });
};

/** Whether the rule itself gives the start. As DTSTART it is an occurrence in any case. */
export const givesStart = ({ rrule, local_start }: Schedule): boolean => {
  const wall = wallOf(local_start);
  return !rrule || walkRule(partsOf(rrule), wall).between(wall, wall).length > 0;
};
