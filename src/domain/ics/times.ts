/** The times of an iCalendar component: dates, UTC, TZID and floating ones, in the forms files really have. */
import type { Instant } from '../time.ts';
import { instantOf } from '../time.ts';
import { instantAt, wallOf } from '../walls.ts';
import type { Wall } from '../walls.ts';
import type { Clock } from './clocks.ts';
import type { Property } from './components.ts';

/** A time as written: `wall` on the clock it was written by, `at` its instant, both in milliseconds; `zone` is IANA. */
export type Stamp = { form: 'date' | 'utc' | 'wall'; wall: Wall; at: number; zone: string };

/**
 * The times of a property, several for EXDATE and RDATE; of a period its start. Without TZID and Z a time is read by
 * `clock(null)`. Throws a RangeError with a reason for people where one is no time.
 */
export const stampsOf = ({ jcal, raw }: Property, clock: (tzid: string | null) => Clock): Stamp[] => {
  const tzid = jcal[1]['tzid'];
  const { zone, instant } = clock(typeof tzid === 'string' ? tzid : null);
  return jcal.slice(3).map((value) => {
    const text = String(Array.isArray(value) ? value[0] : value);
    const [, date, time, utc] = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d)?)?[:T]*(Z)?)?$/.exec(text) ?? [];
    if (date === undefined) throw new RangeError(`${raw.slice(0, 40)} is not a time.`);
    const wall = readWall(`${date}T${time ?? '00:00'}`, raw);
    if (time === undefined) return { form: 'date', wall, at: instantAt(wall, zone), zone };
    return utc ? { form: 'utc', wall, at: wall, zone: 'UTC' } : { form: 'wall', wall, at: instant(wall), zone };
  });
};

const readWall = (text: string, raw: string): Wall => {
  try {
    return wallOf(text);
  } catch {
    throw new RangeError(`${raw.slice(0, 40)} is not a time.`);
  }
};

/** The instant of an RFC 5545 UTC time such as LAST-MODIFIED, or null. */
export const instantIn = (property: Property | undefined, clock: (tzid: string | null) => Clock): Instant | null => {
  try {
    const [stamp] = property ? stampsOf(property, clock) : [];
    return stamp ? instantOf(stamp.at) : null;
  } catch {
    return null;
  }
};

/** Minutes of a DURATION from a start: days are those of the wall clock, hours exact (RFC 5545 §3.3.6). */
export const minutesOf = (duration: string, start: number, zone: string): number => {
  try {
    const from = Temporal.Instant.fromEpochMilliseconds(start).toZonedDateTimeISO(zone);
    return (from.add(duration).epochMilliseconds - start) / 60_000;
  } catch {
    throw new RangeError(`${duration.slice(0, 40)} is not a duration.`);
  }
};
