/**
 * The clock as a dependency: tests stop it and move it; nothing else in src asks what time it is. On a server Postgres it is the
 * database's (db/database-clock.ts).
 */
import type { Instant } from '../domain/time/time.ts';

/** `skew_ms`: by how much the machine's own clock is ahead of this one. `sure`: whether this one was compared of late. */
export type ClockState = { skew_ms: number; sure: boolean };

export type Clock = { now: () => Instant; millis: () => number; state: () => ClockState };

/** The machine's own; right for the embedded database, which has no other. */
export const systemClock: Clock = {
  now: () => new Date().toISOString(),
  millis: () => Date.now(),
  state: () => ({ skew_ms: 0, sure: true }),
};
