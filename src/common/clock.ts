/**
 * The clock as a dependency: nothing else in src reads the time, so tests can stop the clock and move it. On a Postgres server
 * db/database-clock.ts provides it.
 */
import type { Instant } from '../domain/time/time.ts';

/**
 * `skew_ms` says by how many milliseconds the machine's clock is ahead of this one. `sure` is true while the last comparison is
 * recent.
 */
export type ClockState = { skew_ms: number; sure: boolean };

export type Clock = { now: () => Instant; millis: () => number; state: () => ClockState };

/** The clock of this machine. It serves the embedded database, which runs in the same process. */
export const systemClock: Clock = {
  now: () => new Date().toISOString(),
  millis: () => Date.now(),
  state: () => ({ skew_ms: 0, sure: true }),
};
