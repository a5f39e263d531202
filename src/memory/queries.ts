/** Reading traces, now or as of a seq, by the same filters. */
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../db/database.ts';
import { documentOf } from '../db/rows-by-key.ts';
import { fitting, pageOfRows, type Page } from '../db/row-pages.ts';
import type { TraceDoc } from '../domain/record/trace.ts';
import type { Instant } from '../domain/time/time.ts';
import { FOUND_BY_NAMES, TRACE_COLUMNS } from '../ledger/trace-rows.ts';

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

const COLUMNS = sql`t.user_id, ${TRACE_COLUMNS.list('t', FOUND_BY_NAMES)}`;

/**
 * Every row that traces are or were. The arms have no conditions of their own: only so does Postgres merge them, and what is
 * asked of the whole, order and joins included, reaches the indexes of both. What still is, is until the last bigint.
 */
export const ALL_ROWS = sql`(select ${COLUMNS}, 9223372036854775807 as until, false as past from traces t
  union all select ${COLUMNS}, t.until, true from traces_past t)`;

/**
 * Of those the rows `t` that held at a seq: begun by then, and not changed or removed by then. Where nothing was changed since,
 * as is the rule on a page of what is now, the past is not looked at (one look into traces_past_until).
 */
export const heldAt = (user_id: string, seq: number): RawBuilder<unknown> =>
  sql`t.user_id = ${user_id} and t.seq <= ${seq} and t.until > ${seq}
    and (not t.past or (select p.until from traces_past p where p.user_id = ${user_id} order by p.until desc limit 1) > ${seq})`;

export type Sort = { order: 'asc' | 'desc'; after?: [Instant, string] | undefined; limit: number };

/** A select of seq, timestamp and uid, in order. */
type Found = RawBuilder<unknown>;

/** Rows looked at for each row of a page before a tag is looked up by itself: some 4 ms for a page of 100. */
const WALK = 50;

/** Rows of `from` in order, by an index that begins with what is filtered by: traces_time, _type, _tempo, _origin, _order. */
const inOrder = (from: RawBuilder<unknown>, filter: TraceFilter, sort: Sort): Found => {
  const { tag, ...others } = filter;
  return tag === undefined ? ordered(from, filter, sort) : tagged(from, tag, others, sort);
};

const first = ({ order, limit }: Sort): RawBuilder<unknown> =>
  sql`order by t."timestamp" ${sql.raw(order)}, t.uid ${sql.raw(order)} limit ${limit}`;

const ordered = (from: RawBuilder<unknown>, filter: TraceFilter, sort: Sort, more = sql``): Found => {
  const { order, after } = sort;
  const beyond = after
    ? sql`and (t."timestamp", t.uid) ${sql.raw(order === 'desc' ? '<' : '>')} (${after[0]}::timestamptz, ${after[1]})`
    : sql``;
  return sql`select t.seq, t."timestamp", t.uid${more} from ${from} and ${conditions(filter)} ${beyond} ${first(sort)}`;
};

/**
 * A tag many have is met soon in the order of time, where its own index (traces_tags) would bring all of them to be sorted; of a
 * rare one that brings few.
 */
const tagged = (from: RawBuilder<unknown>, tag: string, others: TraceFilter, sort: Sort): Found => sql`
  with walked as materialized (
    select t.seq, t."timestamp", t.uid from (${ordered(from, others, { ...sort, limit: WALK * sort.limit }, sql`, t.tags`)}) t
    where ${conditions({ tag })} ${first(sort)}
  ), few as (select count(*) < ${sort.limit} as few from walked)
  select * from walked where not (select few from few)
  union all (select * from (${ordered(from, { ...others, tag }, sort)}) t where (select few from few))`;

/** Changes since a seq that are sorted rather than looked for in the order of time. */
const FEW = 200;

/**
 * As they were at a seq: those that still are, and those changed or removed since. Few of these are read whole (traces_past_until);
 * among many a page is found in order (traces_past_time and the like), and the other arm is not run.
 */
const asOf = (user_id: string, seq: number, filter: TraceFilter, sort: Sort): Found => {
  const few = sql`(select count(*) <= ${sql.lit(FEW)} from since)`;
  const then = sql`t.user_id = ${user_id} and t.seq <= ${seq}`;
  const past = (from: string, which: RawBuilder<unknown>): Found =>
    inOrder(sql`${sql.table(from)} t where ${which} and ${then} and t.until > ${seq}`, filter, sort);
  return sql`
    with since as materialized (
      select * from traces_past t where t.user_id = ${user_id} and t.until > ${seq} order by t.until limit ${sql.lit(FEW + 1)})
    select * from (
      (${inOrder(sql`traces t where ${then}`, filter, sort)})
      union all (${past('since', few)})
      union all (${past('traces_past', sql`not ${few}`)})) t ${first(sort)}`;
};

type Documents = Page<TraceDoc> & { head: number };

/** A page of the documents of what was found, always by ledger_pkey, with the seq they are true for. `limit` is one more than told. */
const documents = async (db: Db, user_id: string, found: Found, { order, limit }: Sort): Promise<Documents> => {
  const by = (row: string) =>
    sql`${sql.ref(`${row}.timestamp`)} ${sql.raw(order)}, ${sql.ref(`${row}.uid`)} ${sql.raw(order)}`;
  const { rows } = await sql<{ payload: TraceDoc; fits: boolean | null; head: number }>`
    select h.seq as head, page.payload, page.fits from ledger_heads h left join lateral (
      select page."timestamp", page.uid, ${fitting(by('page'))} from (${found}) page
      cross join ${documentOf(user_id, 'page')}) page on true
    where h.user_id = ${user_id} order by ${by('page')}`.execute(db);
  const held = rows.flatMap(({ payload, fits }) => (fits === null ? [] : { payload, fits })); // the head comes without any, too
  const { items, more } = pageOfRows(held, limit - 1);
  return { items: items.map((row) => row.payload), more, head: rows[0]?.head ?? 0 };
};

/** By timestamp, then uid, as they were at a seq. */
export const selectTraces = async (
  db: Db,
  user_id: string,
  filter: TraceFilter,
  sort: Sort,
  seq: number,
): Promise<Page<TraceDoc>> => documents(db, user_id, asOf(user_id, seq, filter, sort), sort);

/** By timestamp, then uid, as they are, and the seq they are true for: one statement, so one moment. */
export const selectNow = async (db: Db, user_id: string, filter: TraceFilter, sort: Sort): Promise<Documents> =>
  documents(db, user_id, inOrder(sql`traces t where t.user_id = ${user_id}`, filter, sort), sort);
