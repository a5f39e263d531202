/**
 * Wall times as numbers: milliseconds of the wall clock read as if it were UTC. The same rule as time.ts ('compatible'),
 * for work over thousands of them: `wallReader` takes 0.05 µs a time where Temporal takes 2 µs.
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

/** A reader of the wall times between two instants of a zone; times outside are read by the nearest offset. */
export const wallReader = (zone: string, from: number, to: number): ((wall: Wall) => number) => {
  const spells: { until: number; offset: number }[] = [];
  let at: Temporal.ZonedDateTime | null = Temporal.Instant.fromEpochMilliseconds(from).toZonedDateTimeISO(zone);
  while (at) {
    const next: Temporal.ZonedDateTime | null = at.getTimeZoneTransition('next');
    const until: number = next && next.epochMilliseconds <= to ? next.epochMilliseconds : Infinity;
    spells.push({ until, offset: at.offsetNanoseconds / 1e6 });
    at = until < Infinity ? next : null;
  }
  return (wall) => {
    const found = spells.findIndex(({ until, offset }) => wall - offset < until);
    const spell = spells[found];
    const before = spells[found - 1];
    if (!spell) throw new RangeError(`no such wall time: ${wall}`);
    // within the gap between two spells the offset before it counts, which is the move forward by the gap
    const isInGap = before !== undefined && wall - spell.offset < before.until;
    return wall - (isInGap ? before.offset : spell.offset);
  };
};
