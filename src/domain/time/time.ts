/**
 * Reads and writes times. Instants are UTC ISO strings, and Temporal alone converts wall times. A wall time in a DST gap moves
 * forward by the gap; one in a fold is its first occurrence (Temporal's 'compatible').
 */

/** A UTC instant as the API answers it: `2026-11-21T09:00:00.000Z`, with six fraction digits only where microseconds matter. */
export type Instant = string;
/** A local calendar day, `2026-11-21`. */
export type LocalDate = string;
/** Half-open `[start, end)`. */
export type Interval = { start: Instant; end: Instant };

export type Temporalish = Temporal.Instant | Temporal.ZonedDateTime;

/**
 * RFC 3339 with the annotations of RFC 9557. Beyond these, seconds may be left out, a comma may precede their fraction (ISO
 * 8601), and an offset may have no minutes, no colon, or seconds (`+05:30:15`, as Temporal and Java write).
 */
const FORM =
  /^(?<date>\d{4}-\d\d-\d\d)(?:[Tt ](?<time>\d\d:\d\d(?::(?<second>\d\d)(?:[.,]\d{1,9})?)?)(?<offset>[Zz]|[+-]\d\d(?::\d\d(?::\d\d)?|\d\d(?:\d\d)?)?)?(?<suffix>(?:\[[^[\]]*\])*))?$/;
/** One annotation, `[Europe/Berlin]` or `[u-ca=iso8601]`. `!` marks one that a reader must understand. */
const ANNOTATION = /\[(?<critical>!?)(?:(?<key>[a-z_][a-z0-9_-]*)=)?(?<value>[^[\]]*)\]/g;

/** Formats an instant and truncates it to milliseconds. */
export const instantOf = (at: Temporalish | number): Instant =>
  new Date(typeof at === 'number' ? at : at.epochMilliseconds).toISOString();

/** Converts an instant string to milliseconds since the epoch. */
export const millis = (at: Instant): number => Date.parse(at);

export const addMinutes = (at: Instant, minutes: number): Instant => instantOf(millis(at) + minutes * 60_000);

export const minutesBetween = (start: Instant, end: Instant): number => (millis(end) - millis(start)) / 60_000;

/** The longest name has 32 characters. */
const MAX_ZONE = 100;

/**
 * True for an IANA zone name that Temporal knows (`Europe/Berlin`, `UTC`). Offsets alone are refused, and so are names that Intl
 * knows but Temporal cannot calculate with (`PST`, `IST`).
 */
export const isZone = (zone: string): boolean =>
  zone.length <= MAX_ZONE && /^[A-Za-z]/.test(zone) && isTemporalZone(zone);

const isTemporalZone = (zone: string): boolean => {
  try {
    return Boolean(new Temporal.ZonedDateTime(0n, zone));
  } catch {
    return false;
  }
};

/** Returns the zone of a stored profile. Release 0.1.0 also stored names that Temporal does not know, which are read as UTC. */
export const storedZone = (zone: string): string => (isZone(zone) ? zone : 'UTC');

/** Converts a wall time in a zone to its instant. */
export const wallToInstant = (wall: Temporal.PlainDateTime | string, zone: string): Instant =>
  instantOf(Temporal.PlainDateTime.from(wall).toZonedDateTime(zone, { disambiguation: 'compatible' }));

/** Converts an instant to the wall time in a zone, `2026-11-21T10:00:00`. */
export const localStart = (at: Instant, zone: string): string =>
  zoned(at, zone).toPlainDateTime().toString({ smallestUnit: 'second' });

export const zoned = (at: Instant, zone: string): Temporal.ZonedDateTime =>
  Temporal.Instant.from(at).toZonedDateTimeISO(zone);

const KEPT = /^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}(?:\d{3})?Z$/;

/** Returns whether a text is an instant in the form in which it is stored, which both databases can read. */
export const isKeptInstant = (text: string): boolean => {
  if (!KEPT.test(text)) return false;
  const at = millis(text); // Date would read 30 February as a day in March.
  return !Number.isNaN(at) && instantOf(at).startsWith(text.slice(0, 23));
};

/** Returns the local day of an instant. */
export const localDate = (at: Instant, zone: string): LocalDate => zoned(at, zone).toPlainDate().toString();

/**
 * Returns a local day as `[first instant, first instant of the next day)`, which is 23 or 25 hours long on days of DST changes.
 */
export const dayBounds = (date: LocalDate, zone: string): Interval => {
  const day = Temporal.PlainDate.from(date);
  return { start: instantOf(day.toZonedDateTime(zone)), end: instantOf(day.add({ days: 1 }).toZonedDateTime(zone)) };
};

/** Returns the ISO week (Monday first) of an instant, as half-open bounds. */
export const weekBounds = (at: Instant, zone: string): Interval => {
  const day = zoned(at, zone).toPlainDate();
  const monday = day.subtract({ days: day.dayOfWeek - 1 });
  return {
    start: instantOf(monday.toZonedDateTime(zone)),
    end: instantOf(monday.add({ days: 7 }).toZonedDateTime(zone)),
  };
};

/** The parts of a written time: a date, and a time of day, an offset and a zone where they are given. */
type Written = { date: string; time?: string; offset?: string; zone?: string };

/**
 * Splits a text into its parts, or returns why it is not a time. The reason continues a sentence that begins with the field's
 * name.
 */
const writtenOf = (input: string): Written | string => {
  const groups = FORM.exec(input)?.groups;
  if (!groups) {
    if (/^[^T]*T.* \d\d:?\d\d$/.test(input))
      return 'has a space before its offset; write a plus sign as %2B in an address';
    return NO_TIME;
  }
  const { date = '', time, second, offset, suffix } = groups;
  if (second === '60') return 'names a leap second, which Almanac does not support; write second 59';
  if (time?.startsWith('24')) return 'has the hour 24; write 00:00 of the next day';
  const zone = suffix ? zoneIn(suffix) : {};
  if (typeof zone === 'string') return zone;
  return { date, ...(time && { time: time.replace(',', '.') }), ...(offset && { offset }), ...zone };
};

/**
 * Returns the zone of an annotation suffix (RFC 9557 §4.1), or why it cannot be read. An unknown annotation matters only if it is
 * critical (§3.3).
 */
const zoneIn = (suffix: string): { zone?: string } | string => {
  const found: { zone?: string } = {};
  for (const [i, { groups = {} }] of [...suffix.matchAll(ANNOTATION)].entries()) {
    const { critical, key, value = '' } = groups;
    if (key === undefined && i > 0) return 'has a time zone after other annotations; write it first';
    if (key === undefined && !isTemporalZone(value))
      return `has the time zone ${value}, which is not an IANA time zone`;
    if (key === undefined) found.zone = value;
    else if (critical && `${key}=${value}` !== 'u-ca=iso8601')
      return `has the critical annotation [${key}=${value}], which Almanac does not support; leave it out`;
  }
  return found;
};

const NO_TIME = 'must be an ISO 8601 date or time';

/** Returns the exact instant, or why there is none. @throws RangeError where a date or a time of day does not exist */
const exactly = ({ date, time, offset, zone }: Written, localZone: string): Temporal.Instant | string => {
  const wall = `${date}T${time}`;
  // By RFC 9557 §2.2, Z and -00:00 give the instant and say nothing about the local offset.
  const isUtc = /^(?:[Zz]|-00(?::?00)?)$/.test(offset ?? '');
  if (offset === undefined)
    return Temporal.PlainDateTime.from(wall)
      .toZonedDateTime(zone ?? localZone, { disambiguation: 'compatible' })
      .toInstant();
  const at = Temporal.Instant.from(`${wall}${isUtc ? 'Z' : offset}`);
  if (zone === undefined || isUtc) return at;
  const there = at.toZonedDateTimeISO(zone);
  // An offset in whole minutes also matches one with seconds, which zones had before 1972. The instant is then that of the zone.
  const rounded = Math.sign(there.offsetNanoseconds) * Math.round(Math.abs(there.offsetNanoseconds) / 60e9) * 60e9;
  const given = Temporal.PlainDateTime.from(wall).toZonedDateTime('UTC').epochNanoseconds - at.epochNanoseconds;
  if (BigInt(there.offsetNanoseconds) === given) return at;
  if (BigInt(rounded) === given) return at.add({ nanoseconds: Number(given) - there.offsetNanoseconds });
  return `has the offset ${offset}, but the offset in ${zone} is ${there.offset} then; correct one of them`;
};

type Edge = 'start' | 'end';

const readOrFault = (input: string, zone: string, edge: Edge): { at: Instant } | { fault: string } => {
  const written = writtenOf(input);
  if (typeof written === 'string') return { fault: written };
  let at: Instant | null;
  try {
    if (written.time === undefined) {
      const { start, end } = dayBounds(written.date, zone);
      at = inRange(edge === 'start' ? start : `${instantOf(millis(end) - 1).slice(0, -1)}999Z`);
    } else {
      const exact = exactly(written, zone);
      if (typeof exact === 'string') return { fault: exact };
      at = fitInstant(exact);
    }
  } catch {
    return { fault: NO_TIME };
  }
  return at === null ? { fault: 'must be in the years 1 to 9999' } : { at };
};

/**
 * Reads a time as the API accepts it (docs/decisions.md, One rule for times). With an offset it is that instant. Without one it
 * is a wall time in the zone that it names (`[Europe/Berlin]`, RFC 9557), else in `zone`. A date alone is that local day's first
 * instant (`edge: 'start'`) or its last microsecond (`edge: 'end'`).
 * @returns null where the text is not a time; timeFault says why
 */
export const readTime = (input: string, zone: string, edge: Edge = 'start'): Instant | null => {
  if (isInstant(input)) return inRange(input);
  const read = readOrFault(input, zone, edge);
  return 'at' in read ? read.at : null;
};

/** Says why a text is not a time, as the end of a sentence that begins with the field's name; null where it is one. */
export const timeFault = (input: string): string | null => {
  if (isInstant(input)) return null;
  const read = readOrFault(input, 'UTC', 'start');
  return 'fault' in read ? read.fault : null;
};

/** Returns the IANA zone that a time names; undefined where it names none. */
export const zoneNamed = (input: string): string | undefined => {
  const written = input.endsWith(']') ? writtenOf(input) : '';
  return typeof written === 'object' && written.zone !== undefined && isZone(written.zone) ? written.zone : undefined;
};

/**
 * Returns the wall time, `2026-11-21T10:00:00`, that a text names on the clock of `zone`; null where it names an instant, or a
 * time of another zone. It differs from the clock at the resulting instant where the wall time is in a DST gap.
 */
export const wallNamed = (input: string, zone: string): string | null => {
  if (isInstant(input)) return null;
  const written = writtenOf(input);
  if (typeof written === 'string' || written.offset !== undefined || (written.zone ?? zone) !== zone) return null;
  return Temporal.PlainDateTime.from(`${written.date}T${written.time ?? '00:00'}`).toString({ smallestUnit: 'second' });
};

/**
 * Returns whether a text has the form that programs write and the database stores. This check takes a tenth of the time of a full
 * parse.
 */
const isInstant = (input: string): boolean => {
  if (input.length !== 24 || !input.endsWith('Z')) return false;
  const at = new Date(input);
  return !Number.isNaN(at.getTime()) && at.toISOString() === input;
};

/** Accepts the years 1 to 9999, on which both databases and ISO 8601 without a sign agree. */
const inRange = (text: string): Instant | null => (/^(?!0000)\d{4}-/.test(text) ? text : null);

/**
 * The years of times from outside that are stored or calculated with: those in bodies and prompts. They keep distance from the
 * ends of what both databases, Date and four-digit years can hold, so that adding a zone offset or a duration stays in it.
 */
export const YEARS_FAULT = 'must be between the years 100 and 9900';
const [EARLIEST, LATEST] = [millis('0100-01-01T00:00:00.000Z'), millis('9900-01-01T00:00:00.000Z') - 1];

/** Returns whether an instant is in these years. */
export const isInYears = (at: Instant): boolean => millis(at) >= EARLIEST && millis(at) <= LATEST;

/** The nearest instant that is in these years. */
export const intoYears = (at: Instant): Instant =>
  isInYears(at) ? at : instantOf(Math.min(Math.max(millis(at), EARLIEST), LATEST));

/** Writes six fraction digits where microseconds were given. */
const fitInstant = (at: Temporal.Instant): Instant | null => {
  const text = at.toString({ smallestUnit: 'microsecond' });
  return inRange(text.endsWith('000Z') ? `${text.slice(0, -4)}Z` : text);
};
