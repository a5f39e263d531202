/**
 * Positions in a ledger that clients send back. A seq alone does not suffice: after a backup is restored, other entries get the
 * numbers that a client has seen. The hash of an entry covers everything before it, so some digits of it distinguish the two.
 */
import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Db } from '../db/database.ts';
import { problem } from '../common/problem.ts';

/** `mark` is null where the position had none, and at 0, before the first entry. */
export type LedgerPosition = { seq: number; mark: string | null };

const MARK_BYTES = 6;
/** A position as text: `41`, or `41.9f86d081884c`. */
export const LEDGER_POSITION = /^\d{1,15}(\.[0-9a-f]{12})?$/;

export const markOf = (hash: Buffer): string => hash.toString('hex', 0, MARK_BYTES);

export const writeLedgerPosition = ({ seq, mark }: LedgerPosition): string =>
  mark === null ? String(seq) : `${seq}.${mark}`;

export const readLedgerPosition = (text: string): LedgerPosition => {
  const [seq, mark = null] = text.split('.') as [string, string?];
  return { seq: Number(seq), mark };
};

/** The position of the newest entry. */
export const headPosition = async (db: Db, user_id: string): Promise<LedgerPosition> => {
  const head = await db
    .selectFrom('ledger_heads')
    .select(['seq', 'hash'])
    .where('user_id', '=', user_id)
    .executeTakeFirst();
  return head?.seq ? { seq: head.seq, mark: markOf(head.hash) } : { seq: 0, mark: null };
};

/** Marks are cached, since each page of a list needs the same one, and a restored backup is rare. */
const KEPT = { max: 10_000, ttl: 30_000 };

export const createLedgerPositions = ({ reads }: { reads: Db }) => {
  const kept = new LRUCache<string, string>(KEPT);

  /** The mark of an entry; undefined where it does not exist. Uses the index ledger_pkey. */
  const markAt = async (user_id: string, seq: number): Promise<string | undefined> => {
    const key = `${user_id} ${seq}`;
    const known = kept.get(key);
    if (known !== undefined || seq === 0) return known;
    const { rows } = await sql<{ hash: Buffer }>`
      select hash from ledger where user_id = ${user_id} and seq = ${seq}`.execute(reads);
    const mark = rows[0] && markOf(rows[0].hash);
    if (mark !== undefined) kept.set(key, mark);
    return mark;
  };

  return {
    markAt,

    /** Adds to a position the mark of the entry at its seq. */
    sealed: async <P extends { at: number }>(user_id: string, position: P): Promise<P & { mark?: string }> => {
      const mark = await markAt(user_id, position.at);
      return mark === undefined ? position : { ...position, mark };
    },

    /** Checks a position that a client sent back. @throws 410 cursor_gone where the ledger is not the one that it was made for */
    checked: async <P extends { at: number; mark?: string | undefined }>(
      user_id: string,
      position: P | undefined,
    ): Promise<P | undefined> => {
      if (position?.mark !== undefined && position.mark !== (await markAt(user_id, position.at)))
        throw problem(
          'cursor_gone',
          'The cursor is from before this database was restored from a backup. Start again with the first page.',
        );
      return position;
    },
  };
};

export type LedgerPositions = ReturnType<typeof createLedgerPositions>;
