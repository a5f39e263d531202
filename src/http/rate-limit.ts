/** Requests per credential (or address, without one) and minute, counted in this process, or with WORKERS in the primary. */
import cluster from 'node:cluster';
import { RateLimiterCluster, RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { Problem } from '../common/problem.ts';

export type RateLimit = { take: (key: string) => Promise<void> };

/** @param perMinute 0 switches it off. */
export const createRateLimit = (perMinute: number): RateLimit => {
  if (perMinute === 0) return { take: async () => undefined };
  const options = { keyPrefix: 'rate', points: perMinute, duration: 60 };
  const limiter = cluster.isWorker
    ? new RateLimiterCluster({ ...options, timeoutMs: 1_000 })
    : new RateLimiterMemory(options);
  return {
    take: async (key) => {
      try {
        await limiter.consume(key);
      } catch (refused) {
        if (!(refused instanceof RateLimiterRes)) return; // nobody to ask: no reason to refuse
        const seconds = Math.max(1, Math.ceil(refused.msBeforeNext / 1000));
        throw new Problem('too_many_requests', `More than ${perMinute} requests a minute; try again in ${seconds} s.`, {
          headers: { 'Retry-After': String(seconds) },
        });
      }
    },
  };
};
