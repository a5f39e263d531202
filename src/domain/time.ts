/**
 * The one rule of time: instants are UTC ISO strings, wall times are read in a zone with Temporal, never with Date or SQL.
 * A wall time in a DST gap moves forward by the gap; one in a fold is its first occurrence (Temporal's 'compatible').
 */

/** A UTC instant as answered by the API: `2026-11-21T09:00:00.000Z`; six fraction digits only where microseconds matter. */
export type Instant = string;
/** A local calendar day, `2026-11-21`. */
export type LocalDate = string;
/** Half-open `[start, end)`. */
export type Interval = { start: Instant; end: Instant };

export type Temporalish = Temporal.Instant | Temporal.ZonedDateTime;

const HAS_OFFSET = /(?:[zZ]|[+-]\d{2}(?::?\d{2})?)$/;
const DATE_ONLY = /^\d{4}-\d{2}-\d{2}$/;
const DATE_TIME = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?/;

/** Formats an instant, cut to milliseconds. */
export const instantOf = (at: Temporalish | number): Instant =>
  new Date(typeof at === 'number' ? at : at.epochMilliseconds).toISOString();

/** Milliseconds since the epoch of an instant string. */
export const millis = (at: Instant): number => Date.parse(at);

export const addMinutes = (at: Instant, minutes: number): Instant => instantOf(millis(at) + minutes * 60_000);

export const minutesBetween = (start: Instant, end: Instant): number => (millis(end) - millis(start)) / 60_000;

/** True for an IANA zone name this runtime knows (`Europe/Berlin`, `UTC`); bare offsets are refused. */
export const isZone = (zone: string): boolean => {
  if (!/^[A-Za-z]/.test(zone)) return false;
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: zone }));
  } catch {
    return false;
  }
};

/** The instant of a wall time in a zone. */
export const wallToInstant = (wall: Temporal.PlainDateTime | string, zone: string): Instant =>
  instantOf(Temporal.PlainDateTime.from(wall).toZonedDateTime(zone, { disambiguation: 'compatible' }));

/** The wall time of an instant in a zone, `2026-11-21T10:00:00`. */
export const localStart = (at: Instant, zone: string): string =>
  zoned(at, zone).toPlainDateTime().toString({ smallestUnit: 'second' });

export const zoned = (at: Instant, zone: string): Temporal.ZonedDateTime =>
  Temporal.Instant.from(at).toZonedDateTimeISO(zone);

/** The local day an instant falls on. */
export const localDate = (at: Instant, zone: string): LocalDate => zoned(at, zone).toPlainDate().toString();

/** The local day as `[first instant, first instant of the next day)`; 23 or 25 hours long on DST days. */
export const dayBounds = (date: LocalDate, zone: string): Interval => {
  const day = Temporal.PlainDate.from(date);
  return { start: instantOf(day.toZonedDateTime(zone)), end: instantOf(day.add({ days: 1 }).toZonedDateTime(zone)) };
};

/** The ISO week (Monday first) around an instant, as its key `2026-W47` and half-open bounds. */
export const weekBounds = (at: Instant, zone: string): Interval & { key: string } => {
  const day = zoned(at, zone).toPlainDate();
  const monday = day.subtract({ days: day.dayOfWeek - 1 });
  const key = `${day.yearOfWeek}-W${String(day.weekOfYear).padStart(2, '0')}`;
  return {
    key,
    start: instantOf(monday.toZonedDateTime(zone)),
    end: instantOf(monday.add({ days: 7 }).toZonedDateTime(zone)),
  };
};

/**
 * Reads a time as the API accepts it (decisions §4): with an offset it is that instant, without one it is wall time in
 * `zone`; a bare date is that local day's first instant (`edge: 'start'`) or its last microsecond (`edge: 'end'`).
 * Answers null where it is not a time.
 */
export const readTime = (input: string, zone: string, edge: 'start' | 'end' = 'start'): Instant | null => {
  if (isInstant(input)) return inRange(input);
  try {
    if (DATE_ONLY.test(input)) {
      const { start, end } = dayBounds(input, zone);
      return inRange(edge === 'start' ? start : `${instantOf(millis(end) - 1).slice(0, -1)}999Z`);
    }
    if (!DATE_TIME.test(input)) return null;
    if (HAS_OFFSET.test(input.slice(10))) return fitInstant(Temporal.Instant.from(input));
    return fitInstant(
      Temporal.PlainDateTime.from(input).toZonedDateTime(zone, { disambiguation: 'compatible' }).toInstant(),
    );
  } catch {
    return null;
  }
};

/** As programs write it, and as it is kept: a tenth of what reading it as anything else takes. */
const isInstant = (input: string): boolean => {
  if (input.length !== 24 || !input.endsWith('Z')) return false;
  const at = new Date(input);
  return !Number.isNaN(at.getTime()) && at.toISOString() === input;
};

/** Years 1 to 9999 only: both databases and ISO 8601 without sign agree on those. */
const inRange = (text: string): Instant | null => (/^(?!0000)\d{4}-/.test(text) ? text : null);

/** Microseconds survive where given. */
const fitInstant = (at: Temporal.Instant): Instant | null => {
  const text = at.toString({ smallestUnit: 'microsecond' });
  return inRange(text.endsWith('000Z') ? `${text.slice(0, -4)}Z` : text);
};
