/**
 * Reads the times of an iCalendar component: dates, UTC times, times with TZID and floating ones, also in common invalid forms.
 */
import { instantOf } from '../../time/time.ts';
import type { Instant } from '../../time/time.ts';
import { instantAt, wallOf } from '../../time/wall-time.ts';
import type { Wall } from '../../time/wall-time.ts';
import type { Clock, ClockFor } from './tzid-clocks.ts';
import { paceOf } from './pace.ts';
import type { Property } from './properties.ts';

/** A time as written: `wall` on the clock of the file, `at` its instant, both in milliseconds; `zone` is an IANA name. */
export type Stamp = { form: 'date' | 'utc' | 'wall'; wall: Wall; at: number; zone: string };

type Fault = RangeError & { cause: number };

/** An error for people. Its cause is the line number. */
export const fault = (line: number, message: string): Fault => Object.assign(new RangeError(message), { cause: line });

export const isFault = (error: unknown): error is Fault =>
  error instanceof RangeError && typeof error.cause === 'number';

/** RFC 5545 §3.3.5 has no such form. ical.js drops the offset, which would change the time. */
const WITH_OFFSET = /T\d{4,6}Z?[+-]/i;

/** A time takes some 10 µs. */
const TIME_UNITS = 1_000;

/**
 * Reads the times of a property, several for EXDATE and RDATE; of a period only the start. `clockFor(null)` reads a time without
 * TZID and Z. Throws a `fault` where a value is no time.
 */
export function* stampsOf({ line, jcal, raw }: Property, clockFor: ClockFor): Generator<undefined, Stamp[]> {
  if (WITH_OFFSET.test(raw))
    throw fault(
      line,
      `${raw.slice(0, 40)} has an offset, which times have not here: write them in UTC (Z), or with a TZID.`,
    );
  const tzid = jcal[1]['tzid'];
  const clock = yield* clockFor(typeof tzid === 'string' ? tzid : null);
  const isDue = paceOf();
  const stamps: Stamp[] = [];
  for (const value of jcal.slice(3)) {
    if (isDue(TIME_UNITS)) yield;
    stamps.push(stampOf(String(Array.isArray(value) ? value[0] : value), clock, { line, raw }));
  }
  return stamps;
}

const stampOf = (text: string, { zone, instant }: Clock, { line, raw }: Pick<Property, 'line' | 'raw'>): Stamp => {
  // ical.js writes a date as 2026-01-01T:: where it expects a time.
  const [, date, time, utc] = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d)?)?:*(Z)?)?$/.exec(text) ?? [];
  try {
    const wall = wallOf(`${date}T${time ?? '00:00'}`);
    if (time === undefined) return { form: 'date', wall, at: instantAt(wall, zone), zone };
    return utc ? { form: 'utc', wall, at: wall, zone: 'UTC' } : { form: 'wall', wall, at: instant(wall), zone };
  } catch {
    throw fault(line, `${raw.slice(0, 40)} is not a time.`);
  }
};

/** Returns the instant of a property such as LAST-MODIFIED, or null. */
export function* instantIn(property: Property | undefined, clockFor: ClockFor): Generator<undefined, Instant | null> {
  try {
    const [stamp] = property ? yield* stampsOf(property, clockFor) : [];
    return stamp ? instantOf(stamp.at) : null;
  } catch {
    return null;
  }
}
