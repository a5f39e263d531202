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
const PART = /T*([+-]?)(\d+(?:[.,]\d*)?)([WDHMS])/gy;
/** Units may be in any order and on either side of the T. Java writes a sign before each number. */
const WHOLE = /^([+-]?)P((?:[+-]?\d+(?:[.,]\d*)?[WDHMS]|T)*)$/;

export type ReadDuration = Duration & {
  /** What a person should know of the reading. */
  doubt: string | null;
};

/** Adds up the parts of a duration; a part of a day is exact time. */
const sumOf = (parts: string): Duration => {
  let [days, seconds] = [0, 0];
  for (const [, sign, digits = '', unit = ''] of parts.matchAll(PART)) {
    const value = Number(digits.replace(',', '.')) * (UNITS[unit] ?? 0) * (sign === '-' ? -1 : 1);
    const whole = unit === 'W' || unit === 'D' ? Math.trunc(value / DAY_SECONDS) : 0;
    days += whole;
    seconds += value - whole * DAY_SECONDS;
  }
  // A part of a second has no meaning in a calendar file.
  seconds = Math.round(seconds);
  return days * seconds < 0 ? { days: 0, seconds: days * DAY_SECONDS + seconds } : { days, seconds };
};

const doubtOf = (written: string): string | null => {
  const shown = written.slice(0, 40);
  if (!/\d/.test(written)) return `The duration ${shown} names no length and was read as zero.`;
  return /\dM/.test(written.split('T', 1)[0] ?? '')
    ? `A duration has no months, so the M of ${shown} was read as minutes.`
    : null;
};

/** Reads a duration tolerantly; null where the text is none. An empty one is zero. */
export const readDuration = (text: string): ReadDuration | null => {
  if (text.length > MAX_TEXT) return null;
  const written = text.toUpperCase().replace(/\s|"/g, '');
  const [, sign, parts] = WHOLE.exec(written || 'P') ?? [];
  if (parts === undefined) return null;
  const { days, seconds } = sumOf(parts);
  if (!(Math.abs(secondsOf({ days, seconds })) <= MAX_SECONDS)) return null;
  const turned = sign === '-' ? -1 : 1;
  return { days: turned * days + 0, seconds: turned * seconds + 0, doubt: doubtOf(written || '(empty)') };
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
