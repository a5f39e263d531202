/** A VEVENT as an event: what Almanac has fields for, and the rest kept to be written back. */
import type { EventContent, EventStatus } from '../calendar.ts';
import { checkRrule } from '../recurrence.ts';
import { instantOf, isZone } from '../time.ts';
import type { Instant } from '../time.ts';
import { instantAt, midnightOf, wallOf, wallText } from '../walls.ts';
import { alarmMinutes, alarmOf } from './alarms.ts';
import type { Clock } from './clocks.ts';
import { jcalOf } from './components.ts';
import type { Component, Property } from './components.ts';
import { instantIn, minutesOf, stampsOf } from './times.ts';
import type { Stamp } from './times.ts';

/** What a file says of an event; `created_at` and `updated_at` where it says them. */
export type ParsedEvent = EventContent & { created_at: Instant | null; updated_at: Instant | null };

/** How to read one component: its file's clocks, the zone for dates, and where doubts go. */
export type Reading = {
  clock: (tzid: string | null) => Clock;
  zone: string;
  /** X-WR-TIMEZONE: Google writes single events in UTC and names their zone once for all. */
  calendarZone: string | null;
  isCancelled: boolean;
  warn: (line: number, message: string) => void;
};

const MAX_DATES = 10_000;
const NO_TITLE = '(no title)';
const STATUSES: Record<string, EventStatus> = { CONFIRMED: 'confirmed', TENTATIVE: 'tentative', CANCELLED: 'cancelled' };
/** What is read into fields, or written anew each time. */
const READ = new Set(
  `uid dtstamp dtstart dtend duration rrule rdate exdate recurrence-id summary description location url categories status transp
  sequence created last-modified x-almanac-task-id x-almanac-tempo-tag x-almanac-timezone`.split(/\s+/),
);

/**
 * Reads a VEVENT. `recurrence` is its RECURRENCE-ID as written: which occurrence that is may only be clear from the
 * master. Throws a RangeError with a reason for people where it is no event.
 */
export const eventOf = (component: Component, uid: string, reading: Reading): { event: ParsedEvent; recurrence: Stamp | null } => {
  const one = (name: string) => component.properties.find((property) => property.name === name);
  const text = (name: string) => textOf(one(name));
  const start = startOf(component, reading);
  const title = text('summary') ?? NO_TITLE;
  const rrule = ruleOf(component, start, reading);
  const dates = (name: string) => datesOf(component, name, start, reading);
  const recurrence = one('recurrence-id');
  if (recurrence?.jcal[1]['range']) reading.warn(recurrence.line, 'RANGE is not supported; the change is for this occurrence only.');
  return {
    event: {
      uid,
      title,
      description: text('description'),
      location: text('location'),
      url: text('url'),
      scheduled_for: instantOf(start.at),
      duration_minutes: durationOf(component, start, reading),
      timezone: start.zone,
      local_start: wallText(start.wall),
      all_day: start.isDay,
      task_id: text('x-almanac-task-id'),
      tempo_tag: text('x-almanac-tempo-tag'),
      tags: tagsOf(component),
      status: reading.isCancelled ? 'cancelled' : (STATUSES[text('status')?.toUpperCase() ?? ''] ?? 'confirmed'),
      busy: text('transp')?.toUpperCase() !== 'TRANSPARENT',
      rrule,
      rdates: dates('rdate'),
      exdates: dates('exdate'),
      recurrence_id: null,
      sequence: Math.max(0, Number(one('sequence')?.jcal[3] ?? 0)),
      created_at: instantIn(one('created'), reading.clock),
      updated_at: instantIn(one('last-modified'), reading.clock),
      ...remindersAndRest(component, title),
    },
    recurrence: recurrence ? (stampsOf(recurrence, clockNear(start, reading))[0] ?? null) : null,
  };
};

type Start = { wall: number; at: number; zone: string; isDay: boolean };

const startOf = ({ line, properties }: Component, reading: Reading): Start => {
  const property = properties.find(({ name }) => name === 'dtstart');
  const [stamp] = property ? stampsOf(property, reading.clock) : [];
  if (!property || !stamp) throw new RangeError('DTSTART is missing.');
  const tzid = property.jcal[1]['tzid'];
  const doubt = typeof tzid === 'string' && stamp.form === 'wall' ? reading.clock(tzid).doubt : null;
  if (doubt) reading.warn(property.line, doubt);
  if (stamp.form === 'date' || isMarkedDay(properties, stamp)) {
    const wall = midnightOf(stamp.wall);
    return { wall, at: instantAt(wall, reading.zone), zone: reading.zone, isDay: true };
  }
  if (stamp.form === 'wall') return { ...stamp, isDay: false };
  const own = properties.find(({ name }) => name === 'x-almanac-timezone')?.raw;
  const recurs = properties.some(({ name }) => name === 'rrule' || name === 'rdate');
  const zone = own && isZone(own) ? own : (!recurs && reading.calendarZone) || 'UTC';
  return { wall: wallAt(stamp.at, zone), at: stamp.at, zone, isDay: false };
};
