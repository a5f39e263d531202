/**
 * Reads and writes durations (RFC 5545 §3.3.6). Their days are nominal: they follow the wall clock, and the rest is exact time. Other
 * grammars (ISO 8601, Temporal) have months where this one has minutes, so calendar files are read with this reader only.
 */

/** Whole days and exact seconds. Both have the same sign. */
export type Duration = { days: number; seconds: number };

/** A duration of more characters is none. */
const MAX_TEXT = 1_000;
/** No event lasts longer, because the times of events end with the year 9999. */
const MAX_SECONDS = 10_000 * 366 * 86_400;
const DAY_SECONDS = 86_400;
const UNITS: Record<string, number> = { W: 7 * DAY_SECONDS, D: DAY_SECONDS, H: 3_600, M: 60, S: 1 };
const PART = /([+-]?)(\d+(?:[.,]\d*)?)([WDHMS])/g;
/** Units may be in any order and on either side of the T. Java writes a sign before each number. */
const WHOLE = /^([+-]?)P((?:[+-]?\d+(?:[.,]\d*)?[WDHMS]|T)*)$/;

export type ReadDuration = Duration & {
  /** What a person should know of the reading. */
  doubt: string | null;
};

/** Reads a duration tolerantly; null where the text is none. */
export const readDuration = (text: string): ReadDuration | null => {
  if (text.length > MAX_TEXT) return null;
  const written = text.toUpperCase().replace(/\s|"/g, '');
  if (written === '') return { days: 0, seconds: 0, doubt: 'An empty duration was read as zero.' };
  const [, sign, parts = ''] = WHOLE.exec(written) ?? [];
  if (sign === undefined) return null;
  let [days, seconds, count] = [0, 0, 0];
  for (const [, own, digits = '', unit = ''] of parts.matchAll(PART)) {
    count += 1;
    const value = Number(digits.replace(',', '.')) * (UNITS[unit] ?? 0) * (own === '-' ? -1 : 1);
    const whole = unit === 'W' || unit === 'D' ? Math.trunc(value / DAY_SECONDS) : 0;
    days += whole;
    seconds += value - whole * DAY_SECONDS;
  }
  // A part of a second has no meaning in a calendar file.
  const turned = sign === '-' ? -1 : 1;
  const read = { days: turned * days + 0, seconds: turned * Math.round(seconds) + 0 };
  if (!(Math.abs(read.days * DAY_SECONDS) + Math.abs(read.seconds) <= MAX_SECONDS)) return null;
  const hasMonths = /\dM/.test(parts.split('T', 1)[0] ?? '');
  return {
    ...(read.days * read.seconds < 0 ? { days: 0, seconds: read.days * DAY_SECONDS + read.seconds } : read),
    doubt: hasMonths
      ? `A duration has no months, so the M of ${text.trim().slice(0, 40)} was read as minutes.`
      : count === 0
        ? `The duration ${text.trim().slice(0, 40)} names no length and was read as zero.`
        : null,
  };
};

/** Writes a duration that is not negative: `P1DT2H30M`. */
export const durationText = ({ days, seconds }: Duration): string => {
  const [hours, minutes, rest] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  const time = `${hours ? `${hours}H` : ''}${minutes ? `${minutes}M` : ''}${rest ? `${rest}S` : ''}`;
  if (days === 0 && time === '') return 'PT0S';
  return `P${days ? `${days}D` : ''}${time && `T${time}`}`;
};

/** All of a duration in seconds, where a day has 24 hours. */
export const secondsOf = ({ days, seconds }: Duration): number => days * DAY_SECONDS + seconds;

/** The whole minutes of a duration, rounded up. */
export const minutesOf = (duration: Duration): number => Math.ceil(secondsOf(duration) / 60);

/**
 * The exact length of a timed event. `ics.duration` is what a file says; it counts as long as it still is as long as
 * `duration_minutes`, which a person may have changed.
 */
export const lengthOf = (event: { duration_minutes: number; ics?: { duration?: string } | undefined }): Duration => {
  const kept = event.ics?.duration === undefined ? null : readDuration(event.ics.duration);
  return kept && minutesOf(kept) === event.duration_minutes
    ? { days: kept.days, seconds: kept.seconds }
    : { days: 0, seconds: event.duration_minutes * 60 };
};
