/** Reads how long an event of a file lasts: DTEND or DURATION. */
import { durationText, minutesOf, readDuration, type Duration } from '../durations.ts';
import { instantAt } from '../../time/wall-time.ts';
import type { Wall } from '../../time/wall-time.ts';
import type { Component, Property } from './components.ts';
import { fault, stampsOf } from './ics-times.ts';
import type { ClockFor } from './tzid-clocks.ts';

const DAY_MS = 86_400_000;

type Start = { wall: Wall; at: number; zone: string; isDay: boolean };
type Warn = (line: number, message: string) => void;

export type EventLength = {
  duration_minutes: number;
  /** The exact length, where it has nominal days or seconds (IcsExtras). */
  exact: string | null;
};

const find = ({ properties }: Component, name: string): Property | undefined =>
  properties.find((property) => property.name === name);

/**
 * Reads the length. Without DTEND and DURATION it is one day for a date, else zero (RFC 5545 §3.6.1). A DTEND gives exact time and a
 * DURATION nominal days (§3.8.5.3). An end before the start is a fault, because nobody knows which of the two is wrong.
 */
export function* readLength(
  component: Component,
  start: Start,
  clockFor: ClockFor,
  warn: Warn,
): Generator<undefined, EventLength> {
  const property = find(component, 'dtend') ?? find(component, 'duration');
  if (!property) return { duration_minutes: start.isDay ? 1440 : 0, exact: null };
  const found =
    property.name === 'duration' ? writtenLength(property, warn) : yield* lengthToEnd(property, start, clockFor);
  if (found.days < 0 || found.seconds < 0) throw fault(property.line, 'The event ends before it starts.');
  // A DTEND on the day of DTSTART is a common mistake that means this day.
  if (start.isDay)
    return { duration_minutes: Math.max(1, found.days + Math.round(found.seconds / 86_400)) * 1440, exact: null };
  const length = mayRepeat(component) ? found : atOnce(found, start);
  const isInMinutes = length.days === 0 && length.seconds % 60 === 0;
  return { duration_minutes: minutesOf(length), exact: isInMinutes ? null : durationText(length) };
}

const writtenLength = ({ line, raw }: Property, warn: Warn): Duration => {
  const read = readDuration(raw);
  if (!read) throw fault(line, `${raw.slice(0, 40)} is not a duration.`);
  if (read.doubt) warn(line, read.doubt);
  return read;
};

function* lengthToEnd(property: Property, start: Start, clockFor: ClockFor): Generator<undefined, Duration> {
  const [end] = yield* stampsOf(property, clockFor);
  if (!end) throw fault(property.line, 'DTEND cannot be read.');
  if (!start.isDay) return { days: 0, seconds: (end.at - start.at) / 1000 };
  // An end such as 23:59:59 is within the last day.
  return { days: Math.ceil((end.wall - start.wall) / DAY_MS), seconds: 0 };
}

/** Whether the length applies to more than one start, so that its days differ in their hours. */
const mayRepeat = (component: Component): boolean =>
  ['rrule', 'rdate', 'recurrence-id'].some((name) => find(component, name) !== undefined);

/** The length from one start, without nominal days. */
const atOnce = ({ days, seconds }: Duration, { wall, at, zone }: Start): Duration =>
  days === 0 ? { days, seconds } : { days: 0, seconds: (instantAt(wall + days * DAY_MS, zone) - at) / 1000 + seconds };
