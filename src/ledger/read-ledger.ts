/** Reads the ledger: its head, the seq of a point in time, the entries after a seq, and the versions of one document. */
import { sql, type RawBuilder } from 'kysely';
import { countRows } from '../db/count-rows.ts';
import type { Db } from '../db/database.ts';
import { oneByOne, only } from '../db/rows-by-key.ts';
import { DOCUMENT_BYTES, fitting, pageOfRows, type Page } from '../db/row-pages.ts';
import { inMicroseconds } from '../db/driver-values.ts';
import type { Decision } from '../domain/plan/plan-fields.ts';
import { millis, readTime, timeFault, type Instant } from '../domain/time/time.ts';
import { invalidAt, problem } from '../common/problem.ts';
import type { Subject } from './ledger-writer.ts';

/** An entry with its document. */
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

const COLUMNS = sql.raw('seq, kind, subject, subject_uid, version, actor, recorded_at');

const EPOCH: Instant = '1970-01-01T00:00:00.000Z';

/** The newest entry: its seq and when it was recorded. */
export const headOf = async (db: Db, user_id: string): Promise<{ seq: number; recorded_at: Instant }> => {
  const { rows } = await sql<{ seq: number; recorded_at: Instant }>`
    select seq, recorded_at from ledger_heads where user_id = ${user_id}`.execute(db);
  return rows[0] ?? { seq: 0, recorded_at: EPOCH };
};

/** The seq of the newest entry. */
export const headSeq = async (db: Db, user_id: string): Promise<number> => (await headOf(db, user_id)).seq;

/** When an entry was recorded; the epoch where it does not exist. */
export const recordedAt = async (db: Db, user_id: string, seq: number): Promise<Instant> => {
  const { rows } = await sql<{ recorded_at: Instant }>`
    select recorded_at from ledger where user_id = ${user_id} and seq = ${seq}`.execute(db);
  return rows[0]?.recorded_at ?? EPOCH;
};

/** Whose ledger is read, in which zone, and the current time. */
export type Asker = { user_id: string; zone: string; now: Instant };

/** Where recorded times are ahead of the clock, a client's present may be this much behind ours. */
const PRESENT_MS = 60_000;

/**
 * The seq of the last entry recorded at or before an instant; 0 before the first. From the present on it is the newest entry:
 * recorded times increase even after a clock was set back, so entries can have times ahead of the clock. Uses the indexes
 * ledger_heads_pkey and ledger_time.
 */
const seqAt = async (db: Db, { user_id, now }: Asker, at: Instant): Promise<number> => {
  const { rows } = await sql<{ head: number; recorded_at: Instant; seq: number }>`
    select h.seq as head, h.recorded_at,
           coalesce((select l.seq from ledger l where l.user_id = ${user_id} and l.recorded_at <= ${at}
                     order by l.recorded_at desc limit 1), 0) as seq
    from ledger_heads h where h.user_id = ${user_id}`.execute(db);
  const [found] = rows;
  if (!found) return 0;
  const isAhead = millis(found.recorded_at) > millis(now);
  return isAhead && millis(at) >= millis(now) - PRESENT_MS ? found.head : found.seq;
};

/** A fraction of four digits or more means exactly that microsecond. */
const IS_EXACT = /[.,]\d{4}/;

/**
 * Like `seqAt`, for a time as clients write it. A time with milliseconds at most means the whole millisecond.
 * @returns undefined where the text is not a time
 */
export const seqAtTime = async (
  db: Db,
  asker: Asker,
  text: string,
  edge: 'start' | 'end',
): Promise<number | undefined> => {
  const at = readTime(text, asker.zone, edge);
  if (at === null) return undefined;
  return seqAt(db, asker, at.length === 24 && !IS_EXACT.test(text) ? `${at.slice(0, -1)}999Z` : at);
};

/**
 * Reads an `as_of` parameter (docs/decisions.md, Event time and recorded time): digits are a seq, anything else is a time in
 * the asker's zone.
 * @returns the seq, at most that of the head, so that all pages show one state; undefined without the parameter
 * @throws 422 where it is neither
 */
export const resolveAsOf = async (db: Db, asker: Asker, as_of?: string): Promise<number | undefined> => {
  if (as_of === undefined) return undefined;
  if (/^\d{1,15}$/.test(as_of)) return Math.min(Number(as_of), await headSeq(db, asker.user_id));
  const seq = await seqAtTime(db, asker, as_of, 'end');
  if (seq === undefined) throw invalidAt('/as_of', 'invalid_time', `${timeFault(as_of)}; send a time or a ledger seq`);
  return seq;
};

/** A page of the entries that match the conditions, with their hashes. The entry at `known` comes without its document. */
const entriesBy = async <P>(
  db: Db,
  conditions: RawBuilder<unknown>[],
  order: RawBuilder<unknown>,
  limit: number,
  known = 0,
): Promise<Page<Entry<P> & { hash: Buffer }>> => {
  const { rows } = await sql<Entry<P> & { hash: Buffer; fits: boolean }>`
    select ${COLUMNS}, hash, ${fitting(order, 2)}
    from (select ${COLUMNS}, hash, case when seq <> ${known} then payload end as payload,
                 case when seq <> ${known} then ${DOCUMENT_BYTES} else 0 end as bytes
          from ledger where ${sql.join(conditions, sql` and `)} order by ${order} limit ${limit + 1}) l
    order by ${order}`.execute(db);
  for (const row of rows) row.recorded_at = inMicroseconds(row.recorded_at);
  return pageOfRows(rows, limit);
};

/** A page of entries with their hashes. The first is that at `from` itself, without its document. Uses the index ledger_pkey. */
export const entriesFrom = (
  db: Db,
  user_id: string,
  from: number,
  limit: number,
): Promise<Page<Entry & { hash: Buffer }>> =>
  entriesBy(db, [sql`user_id = ${user_id}`, sql`seq >= ${from}`], sql`seq`, from > 0 ? limit + 1 : limit, from);

const ofDocument = (user_id: string, subject: Subject, uid: string, until: number | undefined): RawBuilder<unknown> =>
  sql`user_id = ${user_id} and subject = ${subject} and subject_uid = ${uid} ${until === undefined ? sql`` : sql`and seq <= ${until}`}`;

/** How many versions one document has up to `until`. Uses the unique key (user_id, subject, subject_uid, version). */
export const countVersions = (
  db: Db,
  user_id: string,
  subject: Subject,
  uid: string,
  until: number | undefined,
): Promise<number | null> => countRows(db, sql`ledger where ${ofDocument(user_id, subject, uid, until)}`);

/**
 * Versions of one document up to `until`, newest first. A page has at least two where they exist, since one shows what the
 * other changed. Uses the unique key (user_id, subject, subject_uid, version).
 */
export const versionsOf = async <P>(
  db: Db,
  user_id: string,
  subject: Subject,
  uid: string,
  { until, below, limit }: { until?: number | undefined; below?: number | undefined; limit: number },
): Promise<Page<Entry<P>>> => {
  const conditions = [ofDocument(user_id, subject, uid, until)];
  if (below !== undefined) conditions.push(sql`version < ${below}`);
  return entriesBy(db, conditions, sql`version desc`, limit);
};

/** The documents of one version of each thing, by uid, in one round trip. Uses the unique key of the ledger. */
export const documentsAt = async <P>(
  db: Db,
  user_id: string,
  subject: Subject,
  wanted: readonly { uid: string; version: number }[],
): Promise<Map<string, P>> => {
  const [uids, versions] = [wanted.map(({ uid }) => uid), wanted.map(({ version }) => version)];
  const { rows } = await sql<{ uid: string; payload: P }>`
    select key.uid, l.payload from unnest(${uids}::text[], ${versions}::integer[]) as key(uid, version)
    cross join ${oneByOne(
      sql`select payload from ledger
          where user_id = ${user_id} and subject = ${subject} and subject_uid = key.uid and ${only('version', sql`key.version`)}`,
      'l',
    )}`.execute(db);
  return new Map(rows.map(({ uid, payload }) => [uid, payload]));
};

/** Of a write at most this many entries are read. */
const MOST_OF_WRITE = 2_000;

/** An entry without its document, but with the decision that a plan has in it. */
export type EntryOfWrite = Omit<Entry, 'payload'> & { decision: Decision | null };

/**
 * The entries of the write to which an entry belongs, in order; none where the entry does not exist. An entry of an earlier release
 * is a write of its own. Uses the index ledger_pkey.
 * @throws 409 not_undoable where there are more than 2,000
 */
export const entriesOfWrite = async (db: Db, user_id: string, seq: number): Promise<EntryOfWrite[]> => {
  const { rows } = await sql<EntryOfWrite & { write_seq: number | null }>`
    with asked as (select coalesce(write_seq, seq) as first, write_seq from ledger where user_id = ${user_id} and seq = ${seq})
    select ${COLUMNS}, write_seq, case when subject = 'trace' then payload->'decision' end as decision from ledger
    where user_id = ${user_id} and seq >= (select first from asked) and seq <= (select first from asked) + ${MOST_OF_WRITE}
      and write_seq is not distinct from (select write_seq from asked)
    order by seq`.execute(db);
  const [first] = rows;
  if (first?.write_seq === null) return [first];
  if (rows.length > MOST_OF_WRITE)
    throw problem(
      'not_undoable',
      `This change has more than ${MOST_OF_WRITE} entries in the ledger, so it cannot be taken back as a whole.`,
    );
  return rows;
};
