/**
 * Limits requests per minute by credential, or by address where there is none. Each process counts for itself; with WORKERS the
 * primary counts for all.
 */
import cluster from 'node:cluster';
import { RateLimiterCluster, RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { Problem } from '../common/problem.ts';

/** The header fields that tell a client where it is within its limit (draft-ietf-httpapi-ratelimit-headers-10). */
export type RateLimitFields = { RateLimit: string; 'RateLimit-Policy': string };

export type RateLimit = {
  /** @returns undefined where there is no limit @throws 429 */
  take: (key: string) => Promise<RateLimitFields | undefined>;
};

const SECONDS = 60;

/** @param perMinute 0 switches the limit off */
export const createRateLimit = (perMinute: number): RateLimit => {
  if (perMinute === 0) return { take: async () => undefined };
  const options = { keyPrefix: 'rate', points: perMinute, duration: SECONDS };
  const limiter = cluster.isWorker
    ? new RateLimiterCluster({ ...options, timeoutMs: 1_000 })
    : new RateLimiterMemory(options);
  const policy = `"minute";q=${perMinute};w=${SECONDS}`;
  const fields = ({ remainingPoints, msBeforeNext }: RateLimiterRes): RateLimitFields => ({
    RateLimit: `"minute";r=${Math.max(0, remainingPoints)};t=${Math.max(0, Math.ceil(msBeforeNext / 1000))}`,
    'RateLimit-Policy': policy,
  });
  return {
    take: async (key) => {
      try {
        return fields(await limiter.consume(key));
      } catch (refused) {
        if (!(refused instanceof RateLimiterRes)) return undefined; // The primary is unreachable, which is no reason to refuse the request.
        const seconds = Math.max(1, Math.ceil(refused.msBeforeNext / 1000));
        throw new Problem(
          'too_many_requests',
          `More than ${perMinute} requests came within a minute. Try again in ${seconds} s.`,
          {
            headers: { 'Retry-After': String(seconds), ...fields(refused) },
          },
        );
      }
    },
  };
};
