/**
 * The queries of exports: what existed at a seq, what changed between two seqs, and groups. They return seqs; documents are
 * read separately.
 */
import { sql } from 'kysely';
import type { Db } from '../db/database.ts';
import { storedZone, type Instant } from '../domain/time/time.ts';
import { ALL_ROWS, conditions, heldAt, type TraceFilter } from '../memory/queries.ts';
import type { Subject } from './schemas.ts';

/** The tasks or types of the traces at a seq, sorted. null is the group without a task. */
export const groupKeys = async (
  db: Db,
  user_id: string,
  seq: number,
  filter: TraceFilter,
  column: 'task_id' | 'type',
): Promise<(string | null)[]> => {
  const key = sql.ref(`t.${column}`);
  const { rows } = await sql<{ key: string | null }>`
    select ${key} as key from ${ALL_ROWS} t where ${heldAt(user_id, seq)} and ${conditions(filter)}
    group by ${key} order by ${key} collate "C" nulls last`.execute(db);
  return rows.map((r) => r.key);
};

/** Where to find a document. `at` is a trace's timestamp or an event's start. */
export type Found = { uid: string; seq: number; at: Instant };
export type After = [Instant, string];

/**
 * Traces at a seq, sorted by timestamp and uid. Uses the index traces_time, or traces_order, traces_type, traces_tempo where
 * those filter.
 */
export const tracesPage = async (
  db: Db,
  user_id: string,
  seq: number,
  filter: TraceFilter,
  after: After | undefined,
  limit: number,
): Promise<Found[]> => {
  const beyond = after ? sql`and (t."timestamp", t.uid) > (${after[0]}::timestamptz, ${after[1]})` : sql``;
  const { rows } = await sql<Found>`
    select t.uid, t.seq, t."timestamp" as at from ${ALL_ROWS} t where ${heldAt(user_id, seq)} and ${conditions(filter)} ${beyond}
    order by t."timestamp", t.uid limit ${limit}`.execute(db);
  return rows;
};

/**
 * Events at a seq, sorted by start and uid: those unchanged since (events_pkey), and earlier versions of those changed or
 * removed since (ledger_edits and the ledger's unique key). The query applies a window to the former; the caller applies it to
 * the latter.
 */
export const eventsPage = async (
  db: Db,
  user_id: string,
  seq: number,
  { task_id, tempo_tag, tag, start, end }: TraceFilter,
  after: After | undefined,
  limit: number,
): Promise<Found[]> => {
  const beyond = after ? sql`and (t.at, t.uid) > (${after[0]}::timestamptz, ${after[1]})` : sql``;
  const { rows } = await sql<Found>`
    select t.uid, t.seq, t.at from (
      select e.uid, e.seq, lower(e.during) as at, e.task_id, e.tempo_tag, e.tags from events e
      where e.user_id = ${user_id} and e.seq <= ${seq} and e.span && tstzrange(${start ?? null}, ${end ?? null}, '[]')
      union all
      select v.uid, v.seq, (v.payload->>'scheduled_for')::timestamptz, v.payload->>'task_id', v.payload->>'tempo_tag',
             array(select jsonb_array_elements_text(v.payload->'tags'))
      from (select distinct e.subject_uid as uid from ledger e
            where e.user_id = ${user_id} and e.subject = 'event' and e.version > 1 and e.seq > ${seq}) changed
      cross join lateral (
        select v.subject_uid as uid, v.seq, v.kind, v.payload from ledger v
        where v.user_id = ${user_id} and v.subject = 'event' and v.subject_uid = changed.uid and v.seq <= ${seq}
        order by v.version desc limit 1) v
      where v.kind <> 'event.removed') t
    where ${conditions({ task_id, tempo_tag, tag })} ${beyond}
    order by t.at, t.uid limit ${limit}`.execute(db);
  return rows;
};

/** The seq of the profile that was valid at a seq. Uses the ledger's unique key. */
export const profileAt = async (db: Db, user_id: string, seq: number): Promise<number | undefined> => {
  const row = await db
    .selectFrom('ledger')
    .select('seq')
    .where('user_id', '=', user_id)
    .where('subject', '=', 'profile')
    .where('subject_uid', '=', user_id)
    .where('seq', '<=', seq)
    .orderBy('version', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.seq;
};

/** The time zone of the profile that was valid at a seq, so that an export as of then has the wall times of then. */
export const zoneAt = async (db: Db, user_id: string, seq: number): Promise<string> => {
  const { rows } = await sql<{ zone: string | null }>`
    select payload ->> 'timezone' as zone from ledger
    where user_id = ${user_id} and subject = 'profile' and subject_uid = ${user_id} and seq <= ${seq}
    order by version desc limit 1`.execute(db);
  return storedZone(rows[0]?.zone ?? 'UTC');
};

/** A document that changed, with the seqs of its entries before and after; null where it did not exist. */
export type Change = { seq: number; subject: Subject; uid: string; before: number | null; after: number | null };

export type Between = {
  subjects: readonly Subject[];
  from: number;
  to: number;
  /** Restricts the changes to these entries. */
  seqs?: number[] | undefined;
};

/**
 * Documents with entries in (from, to], each at its last entry, after `after`, oldest first. The cost depends on the entries
 * between the two points: a range of ledger_pkey, and versions through the ledger's unique key.
 */
export const changesPage = async (
  db: Db,
  user_id: string,
  { subjects, from, to, seqs }: Between,
  after: number,
  limit: number,
): Promise<Change[]> => {
  const chosen = seqs ? sql`and e.seq = any(${seqs}::bigint[])` : sql``;
  const { rows } = await sql<Change>`
    select e.seq, e.subject, e.subject_uid as uid, b.seq as before,
           case when e.kind not like '%.removed' then e.seq end as after
    from ledger e
    left join lateral (
      select b.seq, b.kind from ledger b
      where b.user_id = ${user_id} and b.subject = e.subject and b.subject_uid = e.subject_uid and b.seq <= ${from}
      order by b.version desc limit 1) b on b.kind not like '%.removed'
    where e.user_id = ${user_id} and e.subject = any(${subjects}) and e.seq > ${Math.max(from, after)} and e.seq <= ${to} ${chosen}
      and not exists (select from ledger n where n.user_id = ${user_id} and n.subject = e.subject
                        and n.subject_uid = e.subject_uid and n.version = e.version + 1 and n.seq <= ${to})
    order by e.seq limit ${limit}`.execute(db);
  return rows;
};
