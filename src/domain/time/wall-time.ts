/**
 * Wall times as numbers: milliseconds of the wall clock read as if it were UTC. The same rule as time.ts ('compatible'),
 * for work over thousands of them: a `clockOf` a zone takes 0.05 µs a time where Temporal takes 2 µs.
 */
import { millis, wallToInstant } from './time.ts';

export type Wall = number;

/** `2026-11-21`, `2026-11-21T10:00:00` or iCalendar's `20261121T100000`. */
export const wallOf = (text: string): Wall =>
  Temporal.PlainDateTime.from(text).toZonedDateTime('UTC').epochMilliseconds;

/** `2026-11-21T10:00:00`. */
export const wallText = (wall: Wall): string => new Date(wall).toISOString().slice(0, 19);

/** The midnight a wall time's day begins with. */
export const midnightOf = (wall: Wall): Wall => Math.floor(wall / 86_400_000) * 86_400_000;

/** What the wall clock of a zone shows at an instant. */
export const wallAt = (at: number, zone: string): Wall =>
  at + Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone).offsetNanoseconds / 1e6;

/** The instant of a wall time. */
export const instantAt = (wall: Wall, zone: string): number =>
  millis(wallToInstant(new Date(wall).toISOString().slice(0, -1), zone));

/** An offset of a zone, and the instant at which it ends; Infinity for the last one. All in milliseconds. */
export type OffsetPeriod = { until: number; offset: number };

/** The offsets of a zone between two instants, with the one in force at each end. */
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

/** What a wall clock shows that keeps these offsets. */
export const wallBy = (periods: readonly OffsetPeriod[], at: number): Wall => {
  let i = 0;
  while (at >= (periods[i] as OffsetPeriod).until) i += 1;
  return at + (periods[i] as OffsetPeriod).offset;
};

/** The instant at which it shows a wall time. */
const instantBy = (periods: readonly OffsetPeriod[], wall: Wall): number => {
  let i = 0;
  while (wall - (periods[i] as OffsetPeriod).offset >= (periods[i] as OffsetPeriod).until) i += 1;
  const period = periods[i] as OffsetPeriod;
  const before = periods[i - 1];
  // within the gap between two periods the offset before it counts, which is the move forward by the gap
  const isInGap = before !== undefined && wall - period.offset < before.until;
  return wall - (isInGap ? before.offset : period.offset);
};

const BLOCK_MS = 8 * 366 * 86_400_000;
/** No wall time is further than this from its instant; a zone may even leave out a day. */
const MARGIN_MS = 2 * 86_400_000;
const MAX_BLOCKS = 4_096;

/** Offsets looked up before: what a zone's rules say does not change while the process runs. */
const blocks = new Map<string, Map<number, OffsetPeriod[]>>();
let blockCount = 0;

/** Those around a time, which may be wall time: blocks overlap. */
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

/** A zone's wall clock. */
export type ZoneClock = { instantAt: (wall: Wall) => number; wallAt: (at: number) => Wall };

export const clockOf = (zone: string): ZoneClock => {
  const ofZone = blocks.get(zone) ?? new Map<number, OffsetPeriod[]>();
  blocks.set(zone, ofZone);
  return {
    instantAt: (wall) => instantBy(offsetPeriodsAt(ofZone, zone, wall), wall),
    wallAt: (at) => wallBy(offsetPeriodsAt(ofZone, zone, at), at),
  };
};
