/** The times of an iCalendar component: dates, UTC, TZID and floating ones, in the forms files really have. */
import { instantOf } from '../../time/time.ts';
import type { Instant } from '../../time/time.ts';
import { instantAt, wallOf } from '../../time/wall-time.ts';
import type { Wall } from '../../time/wall-time.ts';
import type { Clock } from './tzid-clocks.ts';
import type { Property } from './components.ts';

/** A time as written: `wall` on the clock it was written by, `at` its instant, both in milliseconds; `zone` is IANA. */
export type Stamp = { form: 'date' | 'utc' | 'wall'; wall: Wall; at: number; zone: string };

type Fault = RangeError & { cause: number };

/** What is wrong, for people, and the line it is on as the error's cause. */
export const fault = (line: number, message: string): Fault => Object.assign(new RangeError(message), { cause: line });

export const isFault = (error: unknown): error is Fault =>
  error instanceof RangeError && typeof error.cause === 'number';

/** RFC 5545 §3.3.5 has no such form; ical.js leaves the offset out, and the time would be another one. */
const WITH_OFFSET = /T\d{4,6}Z?[+-]/i;

/**
 * The times of a property, several for EXDATE and RDATE; of a period its start. Without TZID and Z a time is read by
 * `clock(null)`. Throws a `fault` where one is no time.
 */
export const stampsOf = ({ line, jcal, raw }: Property, clock: (tzid: string | null) => Clock): Stamp[] => {
  if (WITH_OFFSET.test(raw))
    throw fault(
      line,
      `${raw.slice(0, 40)} has an offset, which times have not here: write them in UTC (Z), or with a TZID.`,
    );
  const tzid = jcal[1]['tzid'];
  const { zone, instant } = clock(typeof tzid === 'string' ? tzid : null);
  return jcal.slice(3).map((value) => {
    const text = String(Array.isArray(value) ? value[0] : value);
    // ical.js makes 2026-01-01T:: of a date in a place for times
    const [, date, time, utc] = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d)?)?:*(Z)?)?$/.exec(text) ?? [];
    try {
      const wall = wallOf(`${date}T${time ?? '00:00'}`);
      if (time === undefined) return { form: 'date', wall, at: instantAt(wall, zone), zone };
      return utc ? { form: 'utc', wall, at: wall, zone: 'UTC' } : { form: 'wall', wall, at: instant(wall), zone };
    } catch {
      throw fault(line, `${raw.slice(0, 40)} is not a time.`);
    }
  });
};

/** The instant of a property such as LAST-MODIFIED, or null. */
export const instantIn = (property: Property | undefined, clock: (tzid: string | null) => Clock): Instant | null => {
  try {
    const [stamp] = property ? stampsOf(property, clock) : [];
    return stamp ? instantOf(stamp.at) : null;
  } catch {
    return null;
  }
};

/** Minutes of a DURATION from a start: days are those of the wall clock, hours exact (RFC 5545 §3.3.6). */
export const minutesOf = ({ line, raw }: Property, start: number, zone: string): number => {
  try {
    const from = Temporal.Instant.fromEpochMilliseconds(start).toZonedDateTimeISO(zone);
    return (from.add(raw.trim()).epochMilliseconds - start) / 60_000;
  } catch {
    throw fault(line, `${raw.slice(0, 40)} is not a duration.`);
  }
};
