/**
 * Reads the periods of RDATE (RFC 5545 §3.8.5.2). An occurrence with a length of its own is a changed occurrence of its series, so
 * every reader of events knows it.
 */
import { minutesOf, readDuration } from '../durations.ts';
import type { EventContent } from '../event-doc.ts';
import { instantOf, type Instant } from '../../time/time.ts';
import { wallAt, wallText } from '../../time/wall-time.ts';
import type { Property } from './components.ts';
import { stampsOf, type Stamp } from './ics-times.ts';
import { paceOf } from './pace.ts';
import type { ClockFor } from './tzid-clocks.ts';

/** An event may have this many exceptions of all kinds. */
const MAX_PERIODS = 1_000;
/** A period takes some 20 µs. */
const PERIOD_UNITS = 2_000;

/** An occurrence with a length of its own, in minutes. */
export type Period = { at: number; minutes: number };

/** @throws a fault where a start or an end cannot be read */
export function* periodsOf(property: Property, clockFor: ClockFor): Generator<undefined, Period[]> {
  if (property.jcal[2] !== 'period') return [];
  const isDue = paceOf();
  const periods: Period[] = [];
  for (const value of property.jcal.slice(3, 3 + MAX_PERIODS)) {
    if (isDue(PERIOD_UNITS)) yield;
    if (!Array.isArray(value)) continue;
    const [start, end] = value.map(String);
    const [name, parameters, type] = property.jcal;
    const at = function* (text = ''): Generator<undefined, Stamp | undefined> {
      return (yield* stampsOf({ ...property, jcal: [name, parameters, type, text] }, clockFor))[0];
    };
    const from = yield* at(start);
    const length = end?.includes('P') ? readDuration(end) : null;
    const to = length ? undefined : yield* at(end);
    const minutes = length ? minutesOf(length) : Math.ceil(((to?.at ?? NaN) - (from?.at ?? NaN)) / 60_000);
    if (from && minutes >= 0) periods.push({ at: from.at, minutes });
  }
  return periods;
}

/** The changed occurrence of a period. */
export const occurrenceOf = <E extends EventContent>(
  event: E,
  { at, minutes }: Period,
): E & { recurrence_id: Instant } => {
  const { duration: _, ...ics } = event.ics ?? { properties: [], components: [] };
  const start = instantOf(at);
  return {
    ...event,
    ...(event.ics && { ics }),
    ...{ recurrence_id: start, scheduled_for: start, local_start: wallText(wallAt(at, event.timezone)) },
    ...{ duration_minutes: minutes, rrule: null, rdates: [], exdates: [] },
  };
};
