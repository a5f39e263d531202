/**
 * Caches recent summary exports. The key contains the ledger's seq, so an entry is never stale: after a write the key differs.
 */
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../common/clock.ts';

/** The cache holds at most this many characters, about 64 MB of memory. */
const MAX_CHARACTERS = 32_000_000;

export type SummaryCache<T> = { get: (key: string) => T | undefined; set: (key: string, value: T) => void };

/** Makes the cache. `minutes` 0 disables it. */
export const createSummaryCache = <T extends object>({
  minutes,
  clock,
}: {
  minutes: number;
  clock: Clock;
}): SummaryCache<T> => {
  if (minutes === 0) return { get: () => undefined, set: () => undefined };
  const kept = new LRUCache<string, T>({
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (value) => JSON.stringify(value).length,
    ttl: minutes * 60_000,
    ttlResolution: 0,
    perf: { now: clock.millis },
  });
  return { get: (key) => kept.get(key), set: (key, value) => void kept.set(key, value) };
};
