/**
 * VTIMEZONE as found in files (RFC 5545 §3.6.5): the offsets its rules give, and the IANA zone that has the same ones.
 * Outlook, Exchange and old programs name zones as they like ("Customized Time Zone"), so offsets are all there is to go by.
 */
import { DAY_MS, partsOf, walkRule } from '../rrule.ts';
import { wallAt, wallOf } from '../../time/wall-time.ts';
import type { Component } from './components.ts';
import { COMMON_ZONES } from '../../time/tzid-names.ts';

/** A change to another offset; all in milliseconds. */
export type Onset = { at: number; from: number; to: number };

/** Two changes a year for all the years a file can be about; more is no time zone. */
const MAX_ONSETS = 1_000;
const MAX_OBSERVANCES = 50;
const PART =
  /^(FREQ=YEARLY|INTERVAL=1|BYMONTH=\d{1,2}|BYDAY=[-+]?\d?[A-Z]{2}|BYMONTHDAY=[-\d,]{1,30}|WKST=[A-Z]{2}|UNTIL=[\dTZ]+)$/;
const SAMPLES_PER_YEAR = 24;

/** The changes a VTIMEZONE makes from the year `first` to the end of `last`, ascending, with the one in force before them. */
export const onsetsOf = (vtimezone: Component, first: number, last: number): Onset[] =>
  vtimezone.components
    .slice(-MAX_OBSERVANCES)
    .flatMap((observance) => {
      try {
        return observanceOnsets(observance, Date.UTC(first, 0), Date.UTC(last + 1, 0));
      } catch {
        // what cannot be read of a zone shows when no zone agrees with the rest
        return [];
      }
    })
    .sort((a, b) => a.at - b.at)
    .slice(-MAX_ONSETS);

/** The zone with the same offsets all through `years`: `preferred` before the well-known ones before all others; null for none. */
export const zoneByOnsets = (onsets: Onset[], years: number[], preferred: string): string | null => {
  if (onsets.length === 0) return null;
  const samples = years.flatMap((year) =>
    Array.from({ length: SAMPLES_PER_YEAR }, (_, at) => {
      const time = Date.UTC(year, 0, 8) + at * 15 * DAY_MS;
      return { time, offset: onsets.findLast((onset) => onset.at <= time)?.to ?? onsets[0]?.from };
    }),
  );
  const agrees = (zone: string) => samples.every(({ time, offset }) => wallAt(time, zone) - time === offset);
  return [preferred, ...COMMON_ZONES, ...Intl.supportedValuesOf('timeZone')].find(agrees) ?? null;
};

/** The instant of a wall time by the changes alone, for a zone that is nowhere but in its file. */
export const instantByOnsets = (onsets: Onset[], wall: number): number => {
  const offset = onsets.findLast(({ at, from }) => at + from <= wall)?.to ?? onsets[0]?.from ?? 0;
  return wall - offset;
};

const observanceOnsets = ({ properties }: Component, first: number, last: number): Onset[] => {
  const values = (name: string) => properties.filter((property) => property.name === name).map(({ raw }) => raw.trim());
  const [start = ''] = values('dtstart');
  const [from, to] = [offsetOf(values('tzoffsetfrom')[0]), offsetOf(values('tzoffsetto')[0])];
  const walls = [
    wallOf(start),
    ...values('rdate').flatMap((dates) => dates.split(',').slice(-MAX_ONSETS).map(wallOf)),
    ...ruleWalls(values('rrule')[0], wallOf(start), from, first, last),
  ].toSorted((a, b) => a - b);
  const before = walls.findLast((wall) => wall < first);
  return [...(before === undefined ? [] : [before]), ...walls.filter((wall) => wall >= first && wall < last)].map(
    (wall) => ({ at: wall - from, from, to }),
  );
};

/** The changes of a rule in `[first, last)`, and the last one before: the rule may have ended and still be in force. */
const ruleWalls = (rrule: string | undefined, start: number, from: number, first: number, last: number): number[] => {
  const text = rrule?.toUpperCase().replace(/;$/, '') ?? '';
  // the parts zones are made of: nothing else can be a zone, and nothing of these takes long
  if (!text.split(';').every((part) => PART.test(part))) return [];
  const parts = partsOf(text);
  const walk = walkRule(parts, start);
  const until = parts['UNTIL']
    ? wallOf(parts['UNTIL'].replace('Z', '')) + (parts['UNTIL'].endsWith('Z') ? from : 0)
    : Infinity;
  const previous = walk.previous(Math.min(first, until + 1));
  return [
    ...(previous === null ? [] : [previous]),
    ...(until < first ? [] : walk.between(first, Math.min(last, until))),
  ];
};

/** `+0530` or `-045602` in milliseconds. */
const offsetOf = (text = ''): number => {
  const [, sign, hours, minutes, seconds = 0] = /^([+-])(\d\d)(\d\d)(\d\d)?$/.exec(text) ?? [];
  if (sign === undefined) throw new RangeError(`not an offset: ${text}`);
  const size = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
  return sign === '-' ? -size : size;
};
