/** One block of the calendar: an event, or a waiting proposal as a ghost, in wall time. */
import type { Occurrence } from '../../../client/almanac-client.ts';
import type { Waiting } from '../state/data.ts';
import { isAllDay } from '../state/series.ts';
import { addMinutes, daysBetween, wallOf, type Wall } from '../state/wall-time.ts';
import { keyOf } from './targets.ts';

/** How an event differs at the later moment; `new` is drawn where it is then. */
export type Later = 'new' | 'gone' | 'moved' | 'changed';

export type Block = {
  key: string;
  title: string;
  start: Wall;
  /** By the clock on the wall, also on days of 23 or 25 hours. */
  minutes: number;
  allDay: boolean;
  /** Under which name its move is kept; the occurrences of a proposed series move together. */
  moves: string;
} & (
  | { kind: 'event'; event: Occurrence; later?: Later; /** The block of it before it moved. */ from?: string }
  | { kind: 'ghost'; plan: Waiting }
);

export type Ghost = Block & { kind: 'ghost' };
export type EventBlock = Block & { kind: 'event' };

export const endOf = ({ start, minutes }: Pick<Block, 'start' | 'minutes'>): Wall => addMinutes(start, minutes);
export const wallMinutes = (from: Wall, to: Wall): number =>
  daysBetween(from.date, to.date) * 1440 + to.minutes - from.minutes;

const DEFAULT_MINUTES = 30;

export const eventBlock = (event: Occurrence): EventBlock => {
  const { uid, recurrence_id, title, all_day } = event;
  // An all-day event is on its dates in every zone.
  const start = all_day ? { date: event.local_start.slice(0, 10), minutes: 0 } : wallOf(event.scheduled_for);
  const minutes = all_day ? event.duration_minutes : Math.max(0, wallMinutes(start, wallOf(event.end)));
  const key = keyOf(uid, recurrence_id);
  return {
    kind: 'event',
    key,
    moves: key,
    title,
    start,
    minutes,
    allDay: all_day || minutes >= 1440,
    event,
  };
};

/** By the clock on the wall: an event that lasts over a clock change ends an hour earlier or later on it. */
const wallLength = (start: Wall, at: number, minutes: number): number =>
  Math.max(0, wallMinutes(start, wallOf(at + minutes * 60_000)));

export const ghostBlock = (plan: Waiting, start: Wall, at: number, key: string): Block => {
  const length = plan.duration_minutes ?? DEFAULT_MINUTES;
  return {
    kind: 'ghost',
    key,
    moves: plan.uid,
    title: plan.title,
    start,
    minutes: isAllDay(plan) ? length : wallLength(start, at, length),
    allDay: isAllDay(plan),
    plan,
  };
};
