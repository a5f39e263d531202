/**
 * The clock as a dependency: nothing else in src reads the time, so tests can stop the clock and move it. On a Postgres server
 * db/database-clock.ts provides it.
 */
import type { Instant } from '../domain/time/time.ts';

/**
 * `skew_ms` says by how many milliseconds the machine's clock is ahead of this one. `sure` is false while this clock may be ahead of
 * the time, and `ahead_ms` says by how many milliseconds, where that is known.
 */
export type ClockState = { skew_ms: number; sure: boolean; ahead_ms: number };

export type Clock = { now: () => Instant; millis: () => number; state: () => ClockState };

/** The clock of this machine, which is believed. */
export const systemClock: Clock = {
  now: () => new Date().toISOString(),
  millis: () => Date.now(),
  state: () => ({ skew_ms: 0, sure: true, ahead_ms: 0 }),
};

/** The earliest that it may be, in milliseconds: what must not happen too early waits for it. */
export const earliest = (clock: Clock): number => clock.millis() - clock.state().ahead_ms;
