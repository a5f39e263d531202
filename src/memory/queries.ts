/** Reading traces, now or as of a seq, by the same filters. */
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../db/client.ts';
import type { TraceDoc } from '../domain/trace.ts';
import type { Instant } from '../domain/time.ts';

/** Hard filters; a missing one does not filter. Windows include both ends. */
export type TraceFilter = {
  /** null: those without a task. */
  task_id?: string | null | undefined;
  tempo_tag?: string | undefined;
  type?: string | undefined;
  tag?: string | undefined;
  status?: string | undefined;
  origin?: string | undefined;
  start?: Instant | undefined;
  end?: Instant | undefined;
};

/** Conditions on a row `t` of the projection, or of what it was. */
export const conditions = (f: TraceFilter): RawBuilder<unknown> => {
  const all = [sql`true`];
  if (f.task_id === null) all.push(sql`t.task_id is null`);
  else if (f.task_id !== undefined) all.push(sql`t.task_id = ${f.task_id}`);
  if (f.tempo_tag !== undefined) all.push(sql`t.tempo_tag = ${f.tempo_tag}`);
  if (f.type !== undefined) all.push(sql`t.type = ${f.type}`);
  if (f.tag !== undefined) all.push(sql`t.tags @> array[${f.tag}]::text[]`);
  if (f.status !== undefined) all.push(sql`t.type = 'agent_plan' and t.status = ${f.status}`);
  if (f.origin !== undefined) all.push(sql`t.origin = ${f.origin}`);
  if (f.start !== undefined) all.push(sql`t."timestamp" >= ${f.start}`);
  if (f.end !== undefined) all.push(sql`t."timestamp" <= ${f.end}`);
  return sql.join(all, sql` and `);
};

const COLUMNS = sql`t.user_id, t.uid, t.seq, t.type, t.task_id, t.tempo_tag, t.tags, t.origin, t."timestamp", t.status, t.action_type, t.scheduled_for,
    t.rating, t.event_uid, t.search`;

/**
 * Every row that traces are or were. The arms have no conditions of their own: only so does Postgres merge them, and what is
 * asked of the whole, order and joins included, reaches the indexes of both. What still is, is until the last bigint.
 */
export const ALL_ROWS = sql`(select ${COLUMNS}, 9223372036854775807 as until from traces t union all select ${COLUMNS}, t.until from traces_past t)`;

/** Of those the rows `t` that held at a seq: begun by then, and not changed or removed by then (index traces_past_until). */
export const heldAt = (user_id: string, seq: number): RawBuilder<unknown> =>
  sql`t.user_id = ${user_id} and t.seq <= ${seq} and t.until > ${seq}`;

export type Sort = { order: 'asc' | 'desc'; after?: [Instant, string] | undefined; limit: number };

/** Documents by timestamp, then uid. Rides on traces_time, or traces_task, traces_type, traces_tempo where those filter. */
export const selectTraces = async (
  db: Db,
  user_id: string,
  filter: TraceFilter,
  { order, after, limit }: Sort,
  seq?: number,
): Promise<TraceDoc[]> => {
  const direction = sql.raw(order);
  const beyond = after
    ? order === 'desc'
      ? sql`and (t."timestamp", t.uid) < (${after[0]}::timestamptz, ${after[1]})`
      : sql`and (t."timestamp", t.uid) > (${after[0]}::timestamptz, ${after[1]})`
    : sql``;
  const from =
    seq === undefined ? sql`traces t where t.user_id = ${user_id}` : sql`${ALL_ROWS} t where ${heldAt(user_id, seq)}`;
  const { rows } = await sql<{ payload: TraceDoc }>`
    select l.payload
    from (select t.seq, t."timestamp", t.uid from ${from} and ${conditions(filter)} ${beyond}
          order by t."timestamp" ${direction}, t.uid ${direction} limit ${limit}) page
    cross join lateral (select payload from ledger where user_id = ${user_id} and seq = page.seq offset 0) l -- always by ledger_pkey
    order by page."timestamp" ${direction}, page.uid ${direction}`.execute(db);
  return rows.map((r) => r.payload);
};
