/**
 * Fast arithmetic on wall times, which are numbers here: the milliseconds of the wall clock read as if it were UTC. It follows
 * the rule of time.ts ('compatible') for thousands of times: a conversion by `clockOf` takes 0.05 µs, one by Temporal 2 µs.
 */
import { millis, wallToInstant } from './time.ts';

export type Wall = number;

/** Reads `2026-11-21`, `2026-11-21T10:00:00` or iCalendar's `20261121T100000`. */
export const wallOf = (text: string): Wall =>
  Temporal.PlainDateTime.from(text).toZonedDateTime('UTC').epochMilliseconds;

/** Writes `2026-11-21T10:00:00`. */
export const wallText = (wall: Wall): string => new Date(wall).toISOString().slice(0, 19);

/** Returns the midnight at which a wall time's day begins. */
export const midnightOf = (wall: Wall): Wall => Math.floor(wall / 86_400_000) * 86_400_000;

/** Returns the wall time in a zone at an instant. */
export const wallAt = (at: number, zone: string): Wall =>
  at + Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone).offsetNanoseconds / 1e6;

/** Returns the instant of a wall time in a zone. */
export const instantAt = (wall: Wall, zone: string): number =>
  millis(wallToInstant(new Date(wall).toISOString().slice(0, -1), zone));

/** An offset of a zone and the instant at which it ends (Infinity for the last one), in milliseconds. */
export type OffsetPeriod = { until: number; offset: number };

/** Lists the offsets of a zone between two instants, including those in force at both. */
export const offsetPeriodsOf = (zone: string, from: number, to: number): OffsetPeriod[] => {
  const periods: OffsetPeriod[] = [];
  let at: Temporal.ZonedDateTime | null = Temporal.Instant.fromEpochMilliseconds(from).toZonedDateTimeISO(zone);
  while (at) {
    const next: Temporal.ZonedDateTime | null = at.getTimeZoneTransition('next');
    const until: number = next && next.epochMilliseconds <= to ? next.epochMilliseconds : Infinity;
    periods.push({ until, offset: at.offsetNanoseconds / 1e6 });
    at = until < Infinity ? next : null;
  }
  return periods;
};

/** Returns the wall time at an instant for these offsets. */
export const wallBy = (periods: readonly OffsetPeriod[], at: number): Wall => {
  let i = 0;
  while (at >= (periods[i] as OffsetPeriod).until) i += 1;
  return at + (periods[i] as OffsetPeriod).offset;
};

/** Returns the instant at which a clock with these offsets shows a wall time. */
const instantBy = (periods: readonly OffsetPeriod[], wall: Wall): number => {
  let i = 0;
  while (wall - (periods[i] as OffsetPeriod).offset >= (periods[i] as OffsetPeriod).until) i += 1;
  const period = periods[i] as OffsetPeriod;
  const before = periods[i - 1];
  // In the gap between two periods the earlier offset applies, which moves the time forward by the gap.
  const isInGap = before !== undefined && wall - period.offset < before.until;
  return wall - (isInGap ? before.offset : period.offset);
};

const BLOCK_MS = 8 * 366 * 86_400_000;
/** A wall time, read as UTC, is never further than this from its instant, even where a zone skips a day. */
const MARGIN_MS = 2 * 86_400_000;
const MAX_BLOCKS = 4_096;

/** A cache of offsets. The rules of a zone do not change while the process runs. */
const blocks = new Map<string, Map<number, OffsetPeriod[]>>();
let blockCount = 0;

/** Returns the offsets around a time. It may be wall time, because the blocks overlap. */
const offsetPeriodsAt = (ofZone: Map<number, OffsetPeriod[]>, zone: string, at: number): OffsetPeriod[] => {
  const block = Math.floor(at / BLOCK_MS);
  const known = ofZone.get(block);
  if (known) return known;
  if (blockCount >= MAX_BLOCKS) {
    blocks.clear();
    ofZone.clear();
    blocks.set(zone, ofZone);
    blockCount = 0;
  }
  blockCount += 1;
  const periods = offsetPeriodsOf(zone, block * BLOCK_MS - MARGIN_MS, (block + 1) * BLOCK_MS + MARGIN_MS);
  ofZone.set(block, periods);
  return periods;
};

/** Converts between instants and wall times of one zone. */
export type ZoneClock = { instantAt: (wall: Wall) => number; wallAt: (at: number) => Wall };

export const clockOf = (zone: string): ZoneClock => {
  const ofZone = blocks.get(zone) ?? new Map<number, OffsetPeriod[]>();
  blocks.set(zone, ofZone);
  return {
    instantAt: (wall) => instantBy(offsetPeriodsAt(ofZone, zone, wall), wall),
    wallAt: (at) => wallBy(offsetPeriodsAt(ofZone, zone, at), at),
  };
};
