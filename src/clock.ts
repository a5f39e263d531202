/** The clock as a dependency: tests stop it and move it; nothing else in src asks what time it is. */
import type { Instant } from './domain/time.ts';

export type Clock = { now: () => Instant; millis: () => number };

export const systemClock: Clock = { now: () => new Date().toISOString(), millis: () => Date.now() };
