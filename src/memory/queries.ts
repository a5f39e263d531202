/** Reads traces, current or as of a seq, with the same filters. */
import { sql, type RawBuilder } from 'kysely';
import { countRows } from '../db/count-rows.ts';
import type { Db } from '../db/database.ts';
import { documentOf } from '../db/rows-by-key.ts';
import { fitting, pageOfRows, type Page } from '../db/row-pages.ts';
import type { TraceKind } from '../domain/record/trace-kind.ts';
import type { TraceDoc } from '../domain/record/trace.ts';
import type { Instant } from '../domain/time/time.ts';
import { FOUND_BY_NAMES, TRACE_COLUMNS } from '../ledger/trace-rows.ts';

/** Filters. A missing one does not filter. Windows include both ends. */
export type TraceFilter = {
  uid?: string | undefined;
  /** null selects traces without a task. */
  task_id?: string | null | undefined;
  tempo_tag?: string | undefined;
  type?: string | undefined;
  kind?: TraceKind | undefined;
  tag?: string | undefined;
  status?: string | undefined;
  origin?: string | undefined;
  recorded_by?: string | undefined;
  start?: Instant | undefined;
  end?: Instant | undefined;
};

/** The same as `traceKind`, in the words of the indexes traces_notes and traces_chat. */
const OF_KIND: Record<TraceKind, RawBuilder<unknown>> = {
  note: sql.raw(
    `t.transition_of is null and t.type not in ('agent_plan', 'calendar_event') and not t.tags @> array['chat']`,
  ),
  plan: sql.raw(`t.type = 'agent_plan'`),
  decision: sql.raw(`t.transition_of is not null and t.type not in ('agent_plan', 'calendar_event')`),
  event: sql.raw(`t.type = 'calendar_event'`),
  chat: sql.raw(
    `t.transition_of is null and t.type not in ('agent_plan', 'calendar_event') and t.tags @> array['chat']`,
  ),
};

/** The SQL conditions of a filter on a row `t` of current or past traces. */
export const conditions = (f: TraceFilter): RawBuilder<unknown> => {
  const all = [sql`true`];
  if (f.uid !== undefined) all.push(sql`t.uid = ${f.uid}`);
  if (f.task_id === null) all.push(sql`t.task_id is null`);
  else if (f.task_id !== undefined) all.push(sql`t.task_id = ${f.task_id}`);
  if (f.tempo_tag !== undefined) all.push(sql`t.tempo_tag = ${f.tempo_tag}`);
  if (f.type !== undefined) all.push(sql`t.type = ${f.type}`);
  if (f.kind !== undefined) all.push(OF_KIND[f.kind]);
  if (f.tag !== undefined) all.push(sql`t.tags @> array[${f.tag}]::text[]`);
  if (f.status !== undefined) all.push(sql`t.type = 'agent_plan' and t.status = ${f.status}`);
  if (f.origin !== undefined) all.push(sql`t.origin = ${f.origin}`);
  if (f.recorded_by !== undefined) all.push(sql`t.recorded_by = ${f.recorded_by}`);
  if (f.start !== undefined) all.push(sql`t."timestamp" >= ${f.start}`);
  if (f.end !== undefined) all.push(sql`t."timestamp" <= ${f.end}`);
  return sql.join(all, sql` and `);
};

const COLUMNS = sql`t.user_id, ${TRACE_COLUMNS.list('t', FOUND_BY_NAMES)}`;

/**
 * Every current and past row of traces. The parts of the union have no conditions of their own, since only then Postgres merges
 * them and applies conditions, order and joins to the indexes of both. A current row has the last bigint as `until`. Records of
 * transitions are immutable, so past rows are none of them.
 */
export const ALL_ROWS = sql`(select ${COLUMNS}, t.transition_of, 9223372036854775807 as until, false as past from traces t
  union all select ${COLUMNS}, null, t.until, true from traces_past t)`;

/**
 * The condition that a row `t` was valid at a seq: it began by then and was not changed or removed by then. Where nothing was
 * changed since, which is usual for a page of the current state, the past rows are not read (one lookup in traces_past_until).
 */
export const heldAt = (user_id: string, seq: number): RawBuilder<unknown> =>
  sql`t.user_id = ${user_id} and t.seq <= ${seq} and t.until > ${seq}
    and (not t.past or (select p.until from traces_past p where p.user_id = ${user_id} order by p.until desc limit 1) > ${seq})`;

export type Sort = { order: 'asc' | 'desc'; after?: [Instant, string] | undefined; limit: number };

/** A select of seq, timestamp and uid, sorted. */
type Found = RawBuilder<unknown>;

/** For each row of a page at most this many rows are read before the tag's own index is used: about 4 ms for a page of 100. */
const ROWS_PER_RESULT = 50;

/**
 * Rows of `from`, sorted, through an index that begins with the filtered columns: traces_time, _type, _tempo, _origin, _order.
 */
const inOrder = (from: RawBuilder<unknown>, filter: TraceFilter, sort: Sort): Found => {
  const { tag, ...others } = filter;
  return tag === undefined ? ordered(from, filter, sort) : tagged(from, tag, others, sort);
};

/** The order of rows `t` of a page. These texts are made once, because Kysely would put them together for each request. */
const BY = {
  asc: sql.raw('t."timestamp" asc, t.uid asc'),
  desc: sql.raw('t."timestamp" desc, t.uid desc'),
};
const FITTING = { asc: fitting(BY.asc), desc: fitting(BY.desc) };

const first = ({ order, limit }: Sort): RawBuilder<unknown> => sql`order by ${BY[order]} limit ${limit}`;

const ordered = (from: RawBuilder<unknown>, filter: TraceFilter, sort: Sort, more = sql``): Found => {
  const { order, after } = sort;
  const beyond = after
    ? sql`and (t."timestamp", t.uid) ${sql.raw(order === 'desc' ? '<' : '>')} (${after[0]}::timestamptz, ${after[1]})`
    : sql``;
  return sql`select t.seq, t."timestamp", t.uid${more} from ${from} and ${conditions(filter)} ${beyond} ${first(sort)}`;
};

/**
 * Reads rows in order of time and filters them by tag, which soon fills a page where many rows have the tag. Where too few are
 * found it uses the tag's index (traces_tags), which returns few rows of a rare tag.
 */
const tagged = (from: RawBuilder<unknown>, tag: string, others: TraceFilter, sort: Sort): Found => sql`
  with walked as materialized (
    select t.seq, t."timestamp", t.uid from (${ordered(from, others, { ...sort, limit: ROWS_PER_RESULT * sort.limit }, sql`, t.tags`)}) t
    where ${conditions({ tag })} ${first(sort)}
  ), few as (select count(*) < ${sort.limit} as few from walked)
  select * from walked where not (select few from few)
  union all (select * from (${ordered(from, { ...others, tag }, sort)}) t where (select few from few))`;

/** Up to this many past changes are read and sorted. With more, they are read in order of time. */
const MOST_SORTED = 200;

/**
 * Traces as they were at a seq: those that are unchanged, and those changed or removed since. Few of the latter are read whole
 * (traces_past_until). Of many, a page is read in order (traces_past_time and similar), and Postgres does not run the other
 * part.
 */
const asOf = (user_id: string, seq: number, filter: TraceFilter, sort: Sort): Found => {
  const few = sql`(select count(*) <= ${sql.lit(MOST_SORTED)} from since)`;
  const then = sql`t.user_id = ${user_id} and t.seq <= ${seq}`;
  const past = (from: RawBuilder<unknown>, which: RawBuilder<unknown>): Found =>
    inOrder(sql`${from} t where ${which} and ${then} and t.until > ${seq}`, filter, sort);
  // Records of transitions are immutable, as for ALL_ROWS.
  const rows = sql`(select *, null::text as transition_of from traces_past)`;
  return sql`
    with since as materialized (
      select * from ${rows} t where t.user_id = ${user_id} and t.until > ${seq} order by t.until limit ${sql.lit(MOST_SORTED + 1)})
    select * from (
      (${inOrder(sql`traces t where ${then}`, filter, sort)})
      union all (${past(sql`since`, few)})
      union all (${past(rows, sql`not ${few}`)})) t ${first(sort)}`;
};

type Documents = Page<TraceDoc> & { head: number };

/**
 * A page of the documents of `found`, always through ledger_pkey, with the seq they are true for. `limit` is one more than the
 * page has.
 */
const documents = async (db: Db, user_id: string, found: Found, { order, limit }: Sort): Promise<Documents> => {
  const { rows } = await sql<{ payload: TraceDoc; fits: boolean | null; head: number }>`
    select h.seq as head, t.payload, t.fits from ledger_heads h left join lateral (
      select t."timestamp", t.uid, ${FITTING[order]} from (${found}) t
      cross join ${documentOf(user_id, 't')}) t on true
    where h.user_id = ${user_id} order by ${BY[order]}`.execute(db);
  // The row of the head comes even where no trace is found.
  const page = rows.flatMap(({ payload, fits }) => (fits === null ? [] : { payload, fits }));
  const { items, more } = pageOfRows(page, limit - 1);
  return { items: items.map((row) => row.payload), more, head: rows[0]?.head ?? 0 };
};

/** How many traces the filter selects, as they were at a seq. */
export const countTraces = (db: Db, user_id: string, filter: TraceFilter, seq: number): Promise<number | null> =>
  countRows(db, sql`${ALL_ROWS} t where ${heldAt(user_id, seq)} and ${conditions(filter)}`);

/** A page of traces sorted by timestamp and uid, as they were at a seq. */
export const selectTraces = async (
  db: Db,
  user_id: string,
  filter: TraceFilter,
  sort: Sort,
  seq: number,
): Promise<Page<TraceDoc>> => documents(db, user_id, asOf(user_id, seq, filter, sort), sort);

/**
 * A page of current traces sorted by timestamp and uid, and the seq they are true for. One statement reads both, so they agree.
 */
export const selectNow = async (db: Db, user_id: string, filter: TraceFilter, sort: Sort): Promise<Documents> =>
  documents(db, user_id, inOrder(sql`traces t where t.user_id = ${user_id}`, filter, sort), sort);
