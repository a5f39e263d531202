/** Finds out what each TZID of a file means, once for each. */
import { instantAt } from '../../time/wall-time.ts';
import type { Wall } from '../../time/wall-time.ts';
import { textIn } from './components.ts';
import type { Component } from './components.ts';
import { instantByOnsets, onsetsOf, zoneByOnsets } from './vtimezone-rules.ts';
import { zoneByName, zoneByOffset } from '../../time/tzid-names.ts';

/** `instant` converts a wall time to its instant, both in milliseconds. `doubt` says what had to be assumed. */
export type Clock = { zone: string; instant: (wall: Wall) => number; doubt: string | null };

/** Each takes up to a tenth of a second; real files have one or two. */
const MAX_ZONES_BY_RULES = 20;

/** Returns the clock of each TZID of a file. Floating times are read in `zone`, unknown TZIDs in `fallback`. */
export const clocksOf = (
  vtimezones: Component[],
  users: Component[],
  zone: string,
  fallback: string,
): ((tzid: string | null) => Clock) => {
  const rules = new Map(vtimezones.map((component) => [textIn(component, 'tzid'), component]));
  const years = yearsOf(users);
  const known = new Map<string, Clock>();
  const own = zoneClock(zone, null);
  let byRules = 0;
  const clockOf = (tzid: string): Clock => {
    const component = rules.get(tzid);
    // Where the file gives rules for it, a name such as GMT+0100 is only a name.
    const named = zoneByName(tzid) ?? (component ? null : zoneByOffset(tzid));
    // Abbreviations such as EST are zone names, but files mostly mean another zone by them.
    if (named && (named.includes('/') || named === 'UTC' || !component)) return zoneClock(named, null);
    byRules += 1;
    if (!component || byRules > MAX_ZONES_BY_RULES) {
      return zoneClock(fallback, `The time zone ${shown(tzid)} is unknown; its times were read in ${fallback}.`);
    }
    return clockByRules(tzid, component, years.get(tzid) ?? [], named ?? fallback, fallback);
  };
  return (tzid) => {
    if (tzid === null) return own;
    const clock = known.get(tzid) ?? clockOf(tzid);
    known.set(tzid, clock);
    return clock;
  };
};

/** Returns the clock of an IANA zone. */
export const zoneClock = (zone: string, doubt: string | null): Clock => ({
  zone,
  instant: (wall) => instantAt(wall, zone),
  doubt,
});

const clockByRules = (tzid: string, rules: Component, years: number[], preferred: string, zone: string): Clock => {
  const [first, last] = [Math.min(...years), Math.max(...years)];
  const onsets = years.length === 0 ? [] : onsetsOf(rules, first - 1, last + 1);
  // Rules written for the current year may disagree with the year in which a series began.
  const found = zoneByOnsets(onsets, [first, last], preferred) ?? zoneByOnsets(onsets, [last], preferred);
  if (found) return zoneClock(found, null);
  if (onsets.length === 0)
    return zoneClock(zone, `The time zone ${shown(tzid)} cannot be read; its times were read in ${zone}.`);
  const doubt = `No IANA time zone has the rules of ${shown(tzid)}. Single times follow those rules; recurrences follow ${zone}.`;
  return { zone, instant: (wall) => instantByOnsets(onsets, wall), doubt };
};

const shown = (tzid: string): string => tzid.slice(0, 60);

/** Lists the years in which each TZID is used for a start. */
const yearsOf = (components: Component[]): Map<string, number[]> => {
  const years = new Map<string, number[]>();
  const starts = components.flatMap(({ properties }) => properties.filter(({ name }) => name === 'dtstart'));
  for (const { raw, jcal } of starts) {
    const tzid = jcal[1]['tzid'];
    const year = Number(raw.slice(0, 4));
    if (typeof tzid !== 'string' || !(year > 0)) continue;
    const [first = year, last = year] = years.get(tzid) ?? [];
    years.set(tzid, [Math.min(first, year), Math.max(last, year)]);
  }
  return years;
};
