/** Finds out what each TZID of a file means, once for each. */
import { instantAt } from '../../time/wall-time.ts';
import type { Wall } from '../../time/wall-time.ts';
import { textIn } from './components.ts';
import type { Component, Property } from './components.ts';
import { DAY_MS } from '../rrule.ts';
import { paceOf } from './pace.ts';
import { instantByOnsets, onsetsOf, zoneByOnsets } from './vtimezone-rules.ts';
import { bareTzid, zoneByExactName, zoneByMeaning, type NamedZone } from '../../time/tzid-names.ts';

/** `instant` converts a wall time to its instant, both in milliseconds. `doubt` says what had to be assumed. */
export type Clock = {
  zone: string;
  instant: (wall: Wall) => number;
  doubt: string | null;
  /** Returns whether the doubt concerns a wall time; without it, it concerns all. */
  isDoubted?: (wall: Wall) => boolean;
};

/**
 * The clock of a TZID, or of none, for a property of the given line. It takes up to a tenth of a second to find, so it yields.
 */
export type ClockFor = (tzid: string | null, line: number) => Generator<undefined, Clock>;

/** Each takes up to a tenth of a second; real files have one or two. */
const MAX_ZONES_BY_RULES = 20;
/** The same for all calendars of one file. */
const MAX_ZONES_OF_FILE = 100;

/** What is compared of two definitions of one zone; real ones have less. */
const MAX_COMPARED = 20;
const MAX_RAW = 200;

/** Counts the zones of a file that were searched by their rules, and those that were compared with their rules. */
export type ZoneCount = { searched: number; compared: number };

/**
 * Returns the clock of each TZID of a calendar. Floating times are read in `zone`, unknown TZIDs in `fallback`. It yields,
 * because a file can have 50,000 zones, and so does a clock that has to be found.
 */
export function* clocksOf(
  vtimezones: Component[],
  users: Component[],
  { zone, fallback, count }: { zone: string; fallback: string; count: ZoneCount },
): Generator<undefined, ClockFor> {
  const { rules, doubled } = yield* definitionsIn(vtimezones);
  const years = yield* yearsOf(users);
  const known = new Map<string, Clock>();
  const own = zoneClock(zone, null);
  let byRules = 0;
  /** The rules of a file may be older than the law, so those of the zone count, and where they differ is a doubt. */
  function* comparedClock(named: string, tzid: string, rules?: Component): Generator<undefined, Clock> {
    const inUse = years.get(tzid);
    if (!rules || !inUse || named === 'UTC' || count.compared >= MAX_ZONES_BY_RULES) return zoneClock(named, null);
    count.compared += 1;
    const onsets = yield* onsetsOf(rules, Math.min(...inUse) - 1, Math.max(...inUse) + 1);
    if (onsets.length === 0) return zoneClock(named, null);
    const doubt = `The file has other rules for ${shown(tzid)}; its times were read by those of ${named}.`;
    const differs = (wall: Wall) => instantByOnsets(onsets, wall) !== instantAt(wall, named);
    // Near a change of the clocks, two readings of the same rules may differ.
    const isDoubted = (wall: Wall) => [-DAY_MS, 0, DAY_MS].every((apart) => differs(wall + apart));
    return { ...zoneClock(named, doubt), isDoubted };
  }
  function* clockOf(tzid: string): Generator<undefined, Clock> {
    const key = bareTzid(tzid);
    const component = rules.get(key);
    const named = zoneByExactName(tzid);
    if (named && isCertain(named, component)) return yield* comparedClock(named, tzid, component);
    // Where the file gives rules for it, a name such as GMT+0100 or a list of cities is only a name.
    const meant = located(named, component) ?? zoneByMeaning(tzid);
    if (component) byRules += 1;
    if (component && byRules <= MAX_ZONES_BY_RULES && count.searched < MAX_ZONES_OF_FILE) {
      count.searched += 1;
      const clock = yield* clockByRules(tzid, component, years.get(tzid) ?? [], meant?.zone ?? fallback);
      if (clock.doubt !== null || !doubled.has(key)) return clock;
      return { ...clock, doubt: `The file defines the time zone ${shown(tzid)} in two ways; the last one was used.` };
    }
    if (meant) return zoneClock(meant.zone, meant.doubt);
    return zoneClock(fallback, `The time zone ${shown(tzid)} is unknown; its times were read in ${fallback}.`);
  }
  return function* (tzid) {
    if (tzid === null) return own;
    const clock = known.get(tzid) ?? (yield* clockOf(tzid));
    known.set(tzid, clock);
    return clock;
  };
}

/** Says the doubt of a clock where the first time is read by it; `said` are the zones of which that was said. */
export const saying = (
  clockFor: ClockFor,
  said: Set<string>,
  warn: (line: number, message: string) => void,
): ClockFor =>
  function* (tzid, line) {
    const clock = yield* clockFor(tzid, line);
    const { doubt, isDoubted } = clock;
    if (tzid === null || doubt === null || said.has(tzid)) return clock;
    const instant: Clock['instant'] = (wall) => {
      if (!said.has(tzid) && (isDoubted?.(wall) ?? true)) {
        warn(line, doubt);
        said.add(tzid);
      }
      return clock.instant(wall);
    };
    return { ...clock, instant };
  };

/** Returns the clock of an IANA zone. */
export const zoneClock = (zone: string, doubt: string | null): Clock => ({
  zone,
  instant: (wall) => instantAt(wall, zone),
  doubt,
});

/** Abbreviations such as EST are zone names, but files that give rules for them mostly mean another zone. */
const isCertain = (named: string, rules: Component | undefined): boolean =>
  named.includes('/') || named === 'UTC' || !rules;

/** Returns the VTIMEZONE of each TZID, the last one where it has several, and the TZIDs of which these differ. */
function* definitionsIn(
  vtimezones: Component[],
): Generator<undefined, { rules: Map<string, Component>; doubled: Set<string> }> {
  const isDue = paceOf();
  const [rules, doubled] = [new Map<string, Component>(), new Set<string>()];
  for (const component of vtimezones) {
    if (isDue(1_000 + component.properties.length)) yield;
    const key = bareTzid(textIn(component, 'tzid') ?? '');
    const other = rules.get(key);
    if (other && rulesText(other) !== rulesText(component)) doubled.add(key);
    rules.set(key, component);
  }
  return { rules, doubled };
}

/** The zone of an exact name, or the one that libical writes beside a name of its own. */
const located = (named: string | null, rules: Component | undefined): NamedZone | null => {
  const location = rules?.properties.find(({ name }) => name === 'x-lic-location')?.raw;
  const zone = named ?? zoneByExactName(location ?? '');
  return zone === null ? null : { zone, doubt: null };
};

/** The rules of a VTIMEZONE, to be compared with those of another. */
const rulesText = ({ components }: Component): string =>
  components
    .slice(-MAX_COMPARED)
    .map(({ name, properties }) =>
      [name, ...properties.slice(0, MAX_COMPARED).map(({ raw }) => raw.slice(0, MAX_RAW))].join(),
    )
    .toSorted()
    .join();

function* clockByRules(tzid: string, rules: Component, years: number[], zone: string): Generator<undefined, Clock> {
  const [first, last] = [Math.min(...years), Math.max(...years)];
  const onsets = years.length === 0 ? [] : yield* onsetsOf(rules, first - 1, last + 1);
  // Rules written for the current year may disagree with the year in which a series began.
  const found = (yield* zoneByOnsets(onsets, [first, last], zone)) ?? (yield* zoneByOnsets(onsets, [last], zone));
  if (found) return zoneClock(found, null);
  if (onsets.length === 0)
    return zoneClock(zone, `The time zone ${shown(tzid)} cannot be read; its times were read in ${zone}.`);
  const doubt = `No IANA time zone has the rules of ${shown(tzid)}. Single times follow those rules; recurrences follow ${zone}.`;
  return { zone, instant: (wall) => instantByOnsets(onsets, wall), doubt };
}

const shown = (tzid: string): string => tzid.slice(0, 60);

/** The times that decide when an event happens. */
const TIMES = /^(dtstart|dtend|recurrence-id|rdate|exdate)$/;
/** Those that say when somebody wrote something. Their years count where a TZID has no other use. */
const STAMPS = /^(dtstamp|created|last-modified|trigger)$/;

type Years = Map<string, [first: number, last: number]>;

/** Returns the first and last year in which each TZID is used, also in alarms. */
function* yearsOf(events: Component[]): Generator<undefined, Map<string, number[]>> {
  const isDue = paceOf();
  const [times, stamps]: [Years, Years] = [new Map(), new Map()];
  for (const { properties } of events.flatMap((event) => [event, ...event.components])) {
    if (isDue(100 + properties.length)) yield;
    for (const property of properties) {
      const { name, jcal } = property;
      const tzid = jcal[1]['tzid'];
      if (typeof tzid !== 'string' || !(TIMES.test(name) || STAMPS.test(name))) continue;
      const years = TIMES.test(name) ? times : stamps;
      for (const year of yearsIn(property)) {
        if (isDue(10)) yield;
        const [first, last] = years.get(tzid) ?? [year, year];
        years.set(tzid, [Math.min(first, year), Math.max(last, year)]);
      }
    }
  }
  return new Map([...stamps, ...times]);
}

/** The years of a property's values, of which jCal writes each as `2026-12-01T10:00:00`. */
function* yearsIn({ jcal }: Property): Generator<number> {
  for (const value of jcal.slice(3)) {
    const year = Number(String(Array.isArray(value) ? value[0] : value).slice(0, 4));
    if (year > 0) yield year;
  }
}
