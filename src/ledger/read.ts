/** Reading the ledger: where it stands, what was known when, what changed since, and the versions of one thing. */
import { sql } from 'kysely';
import type { Db } from '../db/client.ts';
import { readTime, timeFault, type Instant } from '../domain/time.ts';
import { invalidAt } from '../errors.ts';
import type { Subject } from './ledger.ts';

/** An entry with its document, as readers want it. */
export type Entry<P = Record<string, unknown>> = {
  seq: number;
  kind: string;
  subject: Subject;
  subject_uid: string;
  version: number;
  actor: string;
  recorded_at: Instant;
  payload: P;
};

const COLUMNS = ['seq', 'kind', 'subject', 'subject_uid', 'version', 'actor', 'recorded_at', 'payload'] as const;

/** Seq of the newest entry. */
export const headSeq = async (db: Db, user_id: string): Promise<number> => {
  const head = await db.selectFrom('ledger_heads').select('seq').where('user_id', '=', user_id).executeTakeFirst();
  return head?.seq ?? 0;
};

/** When an entry was recorded; the epoch where there is none. */
export const recordedAt = async (db: Db, user_id: string, seq: number): Promise<Instant> => {
  const row = await db
    .selectFrom('ledger')
    .select('recorded_at')
    .where('user_id', '=', user_id)
    .where('seq', '=', seq)
    .executeTakeFirst();
  return row?.recorded_at ?? '1970-01-01T00:00:00.000Z';
};

/** Seq of the last entry recorded at or before an instant; 0 before the first. Rides on ledger_time. */
export const seqAt = async (db: Db, user_id: string, at: Instant): Promise<number> => {
  const row = await db
    .selectFrom('ledger')
    .select('seq')
    .where('user_id', '=', user_id)
    .where('recorded_at', '<=', at)
    .orderBy('recorded_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.seq ?? 0;
};

/**
 * Reads an `as_of` parameter (decisions §4): digits are a seq, anything else a time in `zone`.
 * @returns the seq, or undefined where nothing was asked.
 * @throws 422 where it is neither.
 */
export const resolveAsOf = async (
  db: Db,
  user_id: string,
  zone: string,
  as_of?: string,
): Promise<number | undefined> => {
  if (as_of === undefined) return undefined;
  if (/^\d{1,15}$/.test(as_of)) return Number(as_of);
  const at = readTime(as_of, zone, 'end');
  if (!at) throw invalidAt('/as_of', 'invalid_time', `${timeFault(as_of)}, and not a seq either`);
  // Milliseconds are how most times are shown; the whole millisecond is meant.
  return seqAt(db, user_id, at.length === 24 ? `${at.slice(0, -1)}999Z` : at);
};

/** Entries after `after`, oldest first, at most `limit`; `until` ends the range (inclusive). */
export const entriesAfter = async (
  db: Db,
  user_id: string,
  { after, until, limit, subjects }: { after: number; until?: number; limit: number; subjects?: Subject[] },
): Promise<Entry[]> => {
  let query = db.selectFrom('ledger').select(COLUMNS).where('user_id', '=', user_id).where('seq', '>', after);
  if (until !== undefined) query = query.where('seq', '<=', until);
  if (subjects) query = query.where('subject', '=', sql<string>`any(${subjects})`);
  return (await query.orderBy('seq').limit(limit).execute()) as Entry[];
};

/** All versions of one thing up to `until`, newest first. Rides on the unique key (user_id, subject, subject_uid, version). */
export const versionsOf = async <P>(
  db: Db,
  user_id: string,
  subject: Subject,
  uid: string,
  { until, below, limit }: { until?: number | undefined; below?: number | undefined; limit: number },
): Promise<Entry<P>[]> => {
  let query = db
    .selectFrom('ledger')
    .select(COLUMNS)
    .where('user_id', '=', user_id)
    .where('subject', '=', subject)
    .where('subject_uid', '=', uid);
  if (until !== undefined) query = query.where('seq', '<=', until);
  if (below !== undefined) query = query.where('version', '<', below);
  return (await query.orderBy('version', 'desc').limit(limit).execute()) as Entry<P>[];
};
