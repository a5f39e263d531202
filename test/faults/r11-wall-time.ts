/** R11, wall times: every change of the clocks of every zone from 2000 to 2040, and the wall times around it. */
import { clockOf, instantAt } from '../../src/domain/time/wall-time.ts';
import { ask } from './r11-python.ts';
import { check, type Check } from './trial.ts';

/** UTC second, offset after it in seconds. */
type Change = [at: number, offset: number];

const FROM = Date.UTC(2000, 0, 1);
const TO = Date.UTC(2041, 0, 1);

const changesOf = (zone: string): Change[] => {
  const changes: Change[] = [];
  const start = Temporal.Instant.fromEpochMilliseconds(FROM).toZonedDateTimeISO(zone);
  let offset = start.offsetNanoseconds;
  for (let at = start.getTimeZoneTransition('next'); at && at.epochMilliseconds < TO;) {
    if (at.offsetNanoseconds !== offset) changes.push([at.epochMilliseconds / 1000, at.offsetNanoseconds / 1e9]);
    offset = at.offsetNanoseconds;
    at = at.getTimeZoneTransition('next');
  }
  return changes;
};

/** In the gap or fold of each change, at its ends, and a second beside them; `2026-11-21T10:00:00`. */
const wallsAround = (zone: string, changes: Change[]): string[] => {
  let before = Temporal.Instant.fromEpochMilliseconds(FROM).toZonedDateTimeISO(zone).offsetNanoseconds / 1e9;
  const seconds = changes.flatMap(([at, after]) => {
    const [low, high] = [at + Math.min(before, after), at + Math.max(before, after)];
    before = after;
    return [low - 1, low, Math.floor((low + high) / 2), high - 1, high];
  });
  return seconds.map((second) => new Date(second * 1000).toISOString().slice(0, 19));
};

const said = (changes: Change[]): string =>
  changes
    .slice(0, 2)
    .map(([at, offset]) => `${new Date(at * 1000).toISOString()} to ${offset / 3600} h`)
    .join(', ');

export type ZonesCompared = { checks: Check[]; facts: string[]; differing: Set<string> };

/** @param sameData whether both sides were made from the same release of the zone data */
export const compareZones = async (zones: readonly string[], sameData: boolean): Promise<ZonesCompared> => {
  const theirs = await ask<Change[]>(zones.map((zone) => ({ do: 'changes', zone })));
  const ours = zones.map(changesOf);
  const differing = new Map<string, string>();
  for (const [i, zone] of zones.entries()) {
    const [mine, other] = [ours[i] as Change[], theirs[i] as Change[]];
    const missing = (of: Change[], from: Change[]) => of.filter((one) => !from.some((o) => o.join() === one.join()));
    if (JSON.stringify(mine) !== JSON.stringify(other))
      differing.set(zone, `${zone}: only here ${said(missing(mine, other))}; only there ${said(missing(other, mine))}`);
  }
  const same = zones.filter((zone) => !differing.has(zone));
  const walls = same.map((zone) => wallsAround(zone, ours[zones.indexOf(zone)] as Change[]));
  const instants = await ask<number[]>(same.map((zone, i) => ({ do: 'walls', zone, walls: walls[i] as string[] })));
  const wrong: string[] = [];
  let tried = 0;
  for (const [i, zone] of same.entries()) {
    const { instantAt: read } = clockOf(zone);
    for (const [j, text] of (walls[i] as string[]).entries()) {
      tried += 1;
      const wall = Date.parse(`${text}Z`);
      const expected = (instants[i] as number[])[j] as number;
      if (read(wall) !== expected * 1000 || instantAt(wall, zone) !== expected * 1000)
        wrong.push(`${text} in ${zone} is ${read(wall)} and ${instantAt(wall, zone)}, expected ${expected * 1000}`);
    }
  }
  return {
    checks: [
      check('zones, changes of their clocks 2000 to 2040', zones.length, {
        wrong: sameData ? [...differing.values()] : [],
      }),
      check('wall times at those changes', tried, { wrong }),
    ],
    facts: differing.size && !sameData ? [`Zones whose data differ: ${[...differing.values()].join('; ')}.`] : [],
    differing: new Set(differing.keys()),
  };
};
