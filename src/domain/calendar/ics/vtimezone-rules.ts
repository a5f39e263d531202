/**
 * Reads the offsets that a VTIMEZONE defines (RFC 5545 §3.6.5) and finds an IANA zone with the same offsets. Outlook, Exchange
 * and old programs choose names freely ("Customized Time Zone"), so often only the offsets identify the zone.
 */
import { partsOf } from '../rrule-parts.ts';
import { DAY_MS, walkRule } from '../rrule.ts';
import { wallAt, wallOf } from '../../time/wall-time.ts';
import type { Component } from './components.ts';
import { COMMON_ZONES } from '../../time/windows-zones.ts';

/** A change of the offset, all in milliseconds. */
export type Onset = { at: number; from: number; to: number };

/** Two changes a year reach this limit only beyond all years of a file; no real time zone has more. */
const MAX_ONSETS = 1_000;
const MAX_OBSERVANCES = 50;
/** The rules of real zones have a quarter of these characters. */
const MAX_RULE = 500;
/** The number of years whose changes are listed at once. */
const SPAN_MS = 20 * 366 * DAY_MS;
const PART =
  /^(FREQ=YEARLY|INTERVAL=1|BYMONTH=\d{1,2}|BYDAY=[-+]?\d?[A-Z]{2}|BYMONTHDAY=[-\d,]{1,30}|WKST=[A-Z]{2}|UNTIL=[\dTZ]+)$/;
const SAMPLES_PER_YEAR = 24;

/** Lists the changes of a VTIMEZONE from the year `first` to the end of `last`, ascending, and the last change before. */
export function* onsetsOf(vtimezone: Component, first: number, last: number): Generator<undefined, Onset[]> {
  const onsets: Onset[] = [];
  // Earlier changes than this would be beyond the limit.
  const from = Date.UTC(Math.max(first, last - MAX_ONSETS), 0);
  for (const observance of vtimezone.components.slice(-MAX_OBSERVANCES)) {
    yield;
    try {
      onsets.push(...(yield* observanceOnsets(observance, from, Date.UTC(last + 1, 0))));
    } catch {
      // An unreadable part shows later, when no zone agrees with the rest.
    }
  }
  return onsets.sort((a, b) => a.at - b.at).slice(-MAX_ONSETS);
}

/**
 * Returns the zone with the same offsets in all `years`: `preferred` first, then well-known zones, then all others; null where
 * there is none.
 */
export function* zoneByOnsets(
  onsets: Onset[],
  years: number[],
  preferred: string,
): Generator<undefined, string | null> {
  if (onsets.length === 0) return null;
  const samples = years.flatMap((year) =>
    Array.from({ length: SAMPLES_PER_YEAR }, (_, at) => {
      const time = Date.UTC(year, 0, 8) + at * 15 * DAY_MS;
      return { time, offset: onsets.findLast((onset) => onset.at <= time)?.to ?? onsets[0]?.from };
    }),
  );
  const agrees = (zone: string) => samples.every(({ time, offset }) => wallAt(time, zone) - time === offset);
  for (const zone of [preferred, ...COMMON_ZONES, ...Intl.supportedValuesOf('timeZone')]) {
    yield;
    if (agrees(zone)) return zone;
  }
  return null;
}

/** Returns the instant of a wall time by the changes alone, for a zone that exists only in its file. */
export const instantByOnsets = (onsets: Onset[], wall: number): number => {
  const offset = onsets.findLast(({ at, from }) => at + from <= wall)?.to ?? onsets[0]?.from ?? 0;
  return wall - offset;
};

function* observanceOnsets({ properties }: Component, first: number, last: number): Generator<undefined, Onset[]> {
  const values = (name: string) => properties.filter((property) => property.name === name).map(({ raw }) => raw.trim());
  const [start = ''] = values('dtstart');
  const to = offsetOf(values('tzoffsetto')[0]);
  // Without the offset before, only the hour of the change is uncertain.
  const from = values('tzoffsetfrom')[0] === undefined ? to : offsetOf(values('tzoffsetfrom')[0]);
  const walls = [
    wallOf(start),
    ...(yield* datedWalls(values('rdate'))),
    ...(yield* ruleWalls(values('rrule')[0], { start: wallOf(start), from, first, last })),
  ].toSorted((a, b) => a - b);
  const before = walls.findLast((wall) => wall < first);
  return [...(before === undefined ? [] : [before]), ...walls.filter((wall) => wall >= first && wall < last)].map(
    (wall) => ({ at: wall - from, from, to }),
  );
}

/** The last dates of an observance. @throws where one is no date */
function* datedWalls(lines: string[]): Generator<undefined, number[]> {
  const walls: number[] = [];
  for (const dates of lines.toReversed()) {
    yield;
    const room = MAX_ONSETS - walls.length;
    if (room <= 0) break;
    // A date has at most 16 characters.
    for (const date of dates
      .slice(-room * 20)
      .split(',')
      .slice(-room))
      walls.push(wallOf(date));
  }
  return walls;
}

/**
 * Lists the changes of a rule in `[first, last)` and the last one before, because a rule that has ended may still be in force.
 */
function* ruleWalls(
  rrule: string | undefined,
  { start, from, first, last }: Record<'start' | 'from' | 'first' | 'last', number>,
): Generator<undefined, number[]> {
  if (rrule && rrule.length > MAX_RULE) return [];
  // Notes repeats the hour and minute of DTSTART in the rule.
  const text = rrule?.toUpperCase().replaceAll(/;BY(HOUR|MINUTE|SECOND)=\d+(?=;|$)|;$/g, '') ?? '';
  // Real zones use only these parts, and these are evaluated quickly.
  if (!text.split(';').every((part) => PART.test(part))) return [];
  const parts = partsOf(text);
  const walk = walkRule(parts, start);
  const until = parts['UNTIL']
    ? wallOf(parts['UNTIL'].replace('Z', '')) + (parts['UNTIL'].endsWith('Z') ? from : 0)
    : Infinity;
  const walls: number[] = [];
  // From the end, because only the last changes count.
  for (let to = Math.min(last, until); to >= first && walls.length < MAX_ONSETS;) {
    yield;
    const since = Math.max(first, to - SPAN_MS);
    for (const wall of walk.between(since, to)) walls.push(wall);
    to = since - 1;
  }
  const previous = walk.previous(Math.min(first, until + 1));
  return [...(previous === null ? [] : [previous]), ...walls];
}

/** Converts `+0530`, `-045602` or `+5:30` to milliseconds. */
const offsetOf = (text = ''): number => {
  const [, sign, hours, minutes, seconds = 0] = /^([+-])(\d{1,2}):?(\d\d):?(\d\d)?$/.exec(text) ?? [];
  if (sign === undefined) throw new RangeError(`not an offset: ${text}`);
  const size = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
  return sign === '-' ? -size : size;
};
