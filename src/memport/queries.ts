/** What exports read: sensitive values, groups, changes between two seqs, the graph of links, checkpoints. */
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../db/client.ts';
import type { Instant } from '../domain/time.ts';
import type { TraceDoc } from '../domain/trace.ts';
import { ALL_ROWS, conditions, heldAt, type TraceFilter } from '../memory/queries.ts';

/**
 * Every value that authored_by or chat_url had up to a seq. Also of traces changed or removed since: a text that quotes it may
 * still be there. Rides on traces_sensitive and traces_past_sensitive.
 */
export const sensitiveValues = async (db: Db, user_id: string, seq: number): Promise<string[]> => {
  const { rows } = await sql<{ value: string }>`
    select distinct unnest(t.sensitive) as value from (
      select sensitive from traces where user_id = ${user_id} and seq <= ${seq} and sensitive is not null
      union all
      select sensitive from traces_past where user_id = ${user_id} and seq <= ${seq} and sensitive is not null) t`.execute(
    db,
  );
  return rows.map((r) => r.value);
};

/** Tasks or types there were at a seq, in their order; null stands for no task. */
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
    group by ${key} order by ${key} nulls last`.execute(db);
  return rows.map((r) => r.key);
};

/** Documents by seq, in the order asked. Rides on ledger_pkey. */
export const documents = async (db: Db, user_id: string, seqs: number[]): Promise<TraceDoc[]> => {
  const rows = await db
    .selectFrom('ledger')
    .select(['seq', 'payload'])
    .where('user_id', '=', user_id)
    .where('seq', '=', sql<number>`any(${seqs}::bigint[])`)
    .execute();
  const bySeq = new Map(rows.map((r) => [r.seq, r.payload as unknown as TraceDoc]));
  return seqs.flatMap((seq) => bySeq.get(seq) ?? []);
};

/** A trace before and after; null where there was none, or none any more. */
export type Change = { seq: number; uid: string; before: TraceDoc | null; after: TraceDoc | null };

const held = (payload: TraceDoc | null): TraceDoc | null => (payload?.removed ? null : payload);

/**
 * Traces with entries in (from, to], each at its last one, after `after`, oldest first. Work is by the entries between the two
 * points: a range of ledger_pkey; versions through ledger's unique key.
 */
export const changesBetween = async (
  db: Db,
  user_id: string,
  {
    from,
    to,
    after,
    limit,
    seqs,
  }: { from: number; to: number; after: number; limit: number; seqs?: number[] | undefined },
): Promise<Change[]> => {
  const chosen = seqs ? sql`and e.seq = any(${seqs}::bigint[])` : sql``;
  const { rows } = await sql<Change>`
    select e.seq, e.subject_uid as uid, b.payload as before, e.payload as after
    from ledger e
    left join lateral (
      select b.payload from ledger b
      where b.user_id = ${user_id} and b.subject = 'trace' and b.subject_uid = e.subject_uid and b.seq <= ${from}
      order by b.version desc limit 1) b on true
    where e.user_id = ${user_id} and e.subject = 'trace' and e.seq > ${Math.max(from, after)} and e.seq <= ${to} ${chosen}
      and not exists (select from ledger n where n.user_id = ${user_id} and n.subject = 'trace'
                        and n.subject_uid = e.subject_uid and n.version = e.version + 1 and n.seq <= ${to})
    order by e.seq limit ${limit}`.execute(db);
  return rows.map((r) => ({ ...r, before: held(r.before), after: held(r.after) }));
};

/** A trace of the graph with where its links lead; `seq` is null where no trace has the uid. */
export type Node = {
  uid: string;
  seq: number | null;
  type: string;
  task_id: string | null;
  timestamp: Instant;
  seed: boolean;
  linked: string[];
  children: string[];
  events: string[];
};

/** The calendar_event traces of a trace's event. Rides on traces_event. */
const eventTraces = (user_id: string, seq: number): RawBuilder<unknown> => sql`
  select e.uid from ${ALL_ROWS} e
  where e.user_id = ${user_id} and e.seq <= ${seq} and e.until > ${seq}
    and e.type = 'calendar_event' and e.event_uid = t.event_uid and e.uid <> t.uid`;

/**
 * Seeds and all that is reachable from them. A trace is visited once, so cycles end. `offset 0` keeps each step a look-up by primary
 * key: what comes next is never more than what was found last.
 */
export const reachable = async (db: Db, user_id: string, seq: number, filter: TraceFilter): Promise<Node[]> => {
  const { rows } = await sql<Node>`
    with recursive reached(uid) as (
      select t.uid from ${ALL_ROWS} t where ${heldAt(user_id, seq)} and ${conditions(filter)}
      union
      select next.uid from reached r cross join lateral (
        select x.uid from (select * from ${ALL_ROWS} t where ${heldAt(user_id, seq)} and t.uid = r.uid offset 0) t
        join ledger l on l.user_id = ${user_id} and l.seq = t.seq
        cross join lateral (
          select jsonb_array_elements_text(l.payload->'linked_trace_ids') as uid
          union all select jsonb_array_elements_text(l.payload->'child_trace_ids')
          union all ${eventTraces(user_id, seq)}) x
        offset 0) next
    )
    select r.uid, t.seq, t.type, t.task_id, t."timestamp", coalesce(t.seed, false) as seed,
           coalesce(t.linked, '{}') as linked, coalesce(t.children, '{}') as children, coalesce(t.events, '{}') as events
    from reached r left join lateral (
      select t.seq, t.type, t.task_id, t."timestamp", (${conditions(filter)}) as seed,
             array(select jsonb_array_elements_text(l.payload->'linked_trace_ids')) as linked,
             array(select jsonb_array_elements_text(l.payload->'child_trace_ids')) as children,
             array(${eventTraces(user_id, seq)}) as events
      from ${ALL_ROWS} t join ledger l on l.user_id = ${user_id} and l.seq = t.seq
      where ${heldAt(user_id, seq)} and t.uid = r.uid offset 0) t on true`.execute(db);
  return rows;
};
