/** Limits how many Idempotency-Keys of one user are kept at a time, because each is a row with an answer that stays for a day. */
import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Db } from '../../db/database.ts';
import type { Caller } from '../../domain/access/caller.ts';
import { isUsedUp } from '../../domain/access/quota.ts';
import { Problem } from '../../common/problem.ts';

/** This is more than one request a second all day. Agents may use only their share of it. */
const MAX_KEYS = 100_000;
/** The database counts a user's keys once in this time; in between each instance counts for itself. */
const COUNTED_MS = 60_000;

export const createKeyQuota = ({ db, max = MAX_KEYS }: { db: Db; max?: number | undefined }) => {
  const known = new LRUCache<string, { count: number }>({ max: 10_000, ttl: COUNTED_MS });

  /** Counts through the index idempotency_keys_pkey, and stops at the limit. */
  const countOf = async (user_id: string): Promise<number> => {
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from (select 1 from idempotency_keys where user_id = ${user_id} limit ${max}) as kept`.execute(
      db,
    );
    return rows[0]?.count ?? 0;
  };

  return {
    /** @throws 429 */
    take: async ({ user_id, origin }: Pick<Caller, 'user_id' | 'origin'>): Promise<void> => {
      let kept = known.get(user_id);
      if (!kept) known.set(user_id, (kept = { count: await countOf(user_id) }));
      if (isUsedUp({ origin }, max, { all: kept.count, own: 0 }))
        throw new Problem(
          'too_many_idempotency_keys',
          `This user has sent ${kept.count} Idempotency-Keys within a day. Send fewer requests with a key, or wait.`,
          {
            headers: { 'Retry-After': '60' },
          },
        );
      kept.count += 1;
    },
  };
};

export type KeyQuota = ReturnType<typeof createKeyQuota>;
