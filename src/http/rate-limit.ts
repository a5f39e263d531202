/**
 * Limits requests per minute by credential, or by address where there is none. Each process counts for itself; with WORKERS the
 * primary counts for all.
 */
import cluster from 'node:cluster';
import { RateLimiterCluster, RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { Problem } from '../common/problem.ts';

export type RateLimit = { take: (key: string) => Promise<void> };

/** @param perMinute 0 switches the limit off */
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
        if (!(refused instanceof RateLimiterRes)) return; // The primary is unreachable, which is no reason to refuse the request.
        const seconds = Math.max(1, Math.ceil(refused.msBeforeNext / 1000));
        throw new Problem(
          'too_many_requests',
          `More than ${perMinute} requests came within a minute. Try again in ${seconds} s.`,
          {
            headers: { 'Retry-After': String(seconds) },
          },
        );
      }
    },
  };
};
