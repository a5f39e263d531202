/**
 * Limits how much an account may store: the bytes of all documents in its ledger. The sum is in ledger_heads, where each write adds
 * its own bytes, so nothing is counted for a request. Only the entries of an earlier release are counted once, in steps.
 */
import { sql } from 'kysely';
import type { Db } from '../db/database.ts';
import { Problem } from '../common/problem.ts';

/** Agents may fill this share, so that the person can go on when an agent has written too much. */
const OF_AGENTS = 0.9;
/** One step of counting takes some 10 ms. */
const STEP = 5_000;

/** What a write is compared with. */
export type Space = { used: number; limit: number };

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

/** Who writes, as the author of a write says it. */
type Writing = { origin: string; accepted?: true };

/** Only what people and agents write is limited. What the service itself writes follows from that, or was accepted before. */
const isLimited = ({ origin, accepted }: Writing): boolean => origin !== 'system' && !accepted;

/** @throws 409 storage_full */
export const requireSpace = (author: Writing, { used, limit }: Space, more: number): void => {
  if (!isLimited(author)) return;
  const most = author.origin === 'agent' ? Math.floor(limit * OF_AGENTS) : limit;
  if (used + more <= most) return;
  const whose = author.origin === 'agent' ? `Agents may fill ${megabytes(most)} of the account’s` : 'The account has';
  throw new Problem(
    'storage_full',
    `${whose} ${megabytes(limit)} of storage, ${megabytes(used)} are used, and this needs ${megabytes(more)}. The history keeps what is removed, so only the operator can give more. Decisions and removals are still possible.`,
    { extra: { used_bytes: used, limit_bytes: limit } },
  );
};

/** The limit of an account: its own, or that of all; null where there is none. 0 means no limit. */
export const limitOf = (own: number | null, ofAll: number): number | null => (own ?? ofAll) || null;

export type StorageUse = { used_bytes: number; limit_bytes: number | null };

/** Counts entries of an earlier release in a transaction. @returns whether the count is complete. Uses the index ledger_pkey. */
const countSome = async (tx: Db, user_id: string): Promise<boolean> => {
  const { rows } = await sql<{ seq: number; counted_seq: number }>`
    select seq, counted_seq from ledger_heads where user_id = ${user_id} for update`.execute(tx);
  const [head] = rows;
  if (!head || head.counted_seq >= head.seq) return true;
  const upto = Math.min(head.seq, head.counted_seq + STEP);
  await sql`
    update ledger_heads set counted_seq = ${upto}, counted_bytes = counted_bytes + (
      select coalesce(sum(coalesce(bytes, octet_length(payload::text), 0)), 0) from ledger
      where user_id = ${user_id} and seq > ${head.counted_seq} and seq <= ${upto})
    where user_id = ${user_id}`.execute(tx);
  return upto === head.seq;
};

type Count = { seq: number; counted_seq: number; used_bytes: number; own: number | null };

const readCount = async (db: Db, user_id: string): Promise<Count | undefined> => {
  const { rows } = await sql<Count>`
    select h.seq, h.counted_seq, h.counted_bytes as used_bytes, u.storage_limit as own
    from ledger_heads h join users u on u.user_id = h.user_id where h.user_id = ${user_id}`.execute(db);
  return rows[0];
};

export const createStorage = ({ db, limitOfAll }: { db: Db; limitOfAll: number }) => {
  /** Counts what an earlier release wrote. */
  const count = async (user_id: string): Promise<void> => {
    while (!(await db.transaction().execute((tx) => countSome(tx, user_id))));
  };

  return {
    limitOfAll,
    count,
    /** What an account uses, and may use. null where there is no such account. Uses the indexes users_pkey and ledger_heads_pkey. */
    read: async (user_id: string): Promise<StorageUse | null> => {
      let row = await readCount(db, user_id);
      // The entries of an earlier release are counted first.
      for (; row && row.counted_seq < row.seq; row = await readCount(db, user_id)) await count(user_id);
      return row ? { used_bytes: row.used_bytes, limit_bytes: limitOf(row.own, limitOfAll) } : null;
    },
  };
};

export type Storage = ReturnType<typeof createStorage>;
