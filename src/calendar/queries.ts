/** Reads events from the database: documents, pages of single events, series and busy time, current or as of a seq. */
import { sql, type RawBuilder } from 'kysely';
import { countRows } from '../db/count-rows.ts';
import type { Db } from '../db/database.ts';
import { documentOf, eachKey, entryOf, oneByOne, onlyKey } from '../db/rows-by-key.ts';
import { markOf, writeLedgerPosition } from '../ledger/ledger-position.ts';
import { fitting, pageOfRows, type Page } from '../db/row-pages.ts';
import type { Instant, Interval } from '../domain/time/time.ts';
import { MOST_READ, tooLarge } from './calendar-bounds.ts';
import type { EventResource } from './schemas.ts';

/** From a start to an end; an `end` of null is open. */
export type Outline = { start: Instant; end: Instant | null };

const windowOf = ({ start, end }: Outline): RawBuilder<unknown> => sql`tstzrange(${start}, ${end})`;

/**
 * Current documents by uid, in no particular order. Unknown and removed uids are missing. Uses the indexes events_pkey,
 * ledger_pkey.
 */
export const findEvents = async (db: Db, user_id: string, uids: string[]): Promise<EventResource[]> => {
  if (!uids.length) return [];
  const { rows } = await sql<{ payload: EventResource }>`
    select l.payload from ${eachKey(uids, sql`select seq from events where user_id = ${user_id} and ${onlyKey()}`, 'e')}
    cross join ${documentOf(user_id, 'e')}`.execute(db);
  return rows.map((r) => r.payload);
};

/** The last version of each uid, removed ones included. Uses the unique key of the ledger. */
export const lastVersions = async (db: Db, user_id: string, uids: string[]): Promise<Map<string, EventResource>> => {
  const last = sql`
    select payload from ledger where user_id = ${user_id} and subject = 'event' and subject_uid = key.uid order by version desc limit 1`;
  const { rows } = await sql<{ payload: EventResource }>`select l.payload from ${eachKey(uids, last, 'l')}`.execute(db);
  return new Map(rows.map((r) => [r.payload.uid, r.payload]));
};

/** An event that a write changed, a ledger number at which it has been changed, and one at which it had not, where that is earlier. */
export type Made = { uid: string; executedAt: number; after?: number };

/** What a write made of an event, what it was before, where it existed, and what it is now. */
export type Around = { made: EventResource; before: EventResource | undefined; now: EventResource };

/** By uid, in one round trip. Uses the unique key of the ledger. */
export const versionsAround = async (
  db: Db,
  user_id: string,
  made: readonly Made[],
): Promise<Map<string, Partial<Around>>> => {
  const [uids, seqs] = [made.map(({ uid }) => uid), made.map(({ executedAt }) => executedAt)];
  const afters = made.map(({ after }) => after ?? null);
  const event = sql`user_id = ${user_id} and subject = 'event' and subject_uid = key.uid`;
  const newest = (name: keyof Around, condition: RawBuilder<unknown>) => sql`
    (select ${sql.lit(name)} as name, payload from ledger where ${event} ${condition} limit 1)`;
  const { rows } = await sql<{ uid: string; name: keyof Around; payload: EventResource }>`
    select key.uid, l.name, l.payload from unnest(${uids}::text[], ${seqs}::bigint[], ${afters}::bigint[]) as key(uid, seq, after)
    cross join ${oneByOne(
      sql`${newest('now', sql`order by version desc`)}
          union all ${newest('made', sql`and seq <= key.seq order by version desc`)}
          union all ${newest('before', sql`and seq <= coalesce(key.after, key.seq) order by version desc offset case when key.after is null then 1 else 0 end`)}`,
      'l',
    )}`.execute(db);
  const around = new Map<string, Partial<Around>>(uids.map((uid) => [uid, {}]));
  for (const { uid, name, payload } of rows) Object.assign(around.get(uid) as Partial<Around>, { [name]: payload });
  return around;
};

/** Filters rows `e` by tag. The caller checks the tags of overrides. */
const tagged = (tag: string | undefined): RawBuilder<unknown> =>
  tag === undefined ? sql`` : sql`and (e.tempo_tag = ${tag} or e.tags @> array[${tag}]::text[])`;

export type PageOf = { after?: [Instant, string] | undefined; limit: number; tag?: string | undefined };

/** How many single events overlap a window and have not changed since `seq`. Uses the indexes of singlesPage. */
export const countSingles = (
  db: Db,
  user_id: string,
  { start, end }: Interval,
  tag: string | undefined,
  seq: number,
): Promise<number | null> => {
  const common = sql`events e where e.user_id = ${user_id} and not e.recurring and e.seq <= ${seq} ${tagged(tag)}`;
  return countRows(
    db,
    sql`(select from ${common} and e.span && tstzrange(${start}, ${start}, '[]') and lower(e.during) < ${start}
         union all select from ${common} and lower(e.during) >= ${start} and lower(e.during) < ${end}) e`,
  );
};

/**
 * Single events that overlap a window and have not changed since `seq`, sorted by start and uid. It unions the events under way
 * when the window begins (gist index events_span) and those that start in it (events_start), so the cost depends on the page
 * alone.
 */
export const singlesPage = async (
  db: Db,
  user_id: string,
  window: Interval,
  { after, limit, tag }: PageOf,
  seq: number,
): Promise<Page<EventResource>> => {
  const beyond = after
    ? sql`and (lower(e.during), e.uid collate "C") > (${after[0]}::timestamptz, ${after[1]})`
    : sql``;
  const common = sql`e.user_id = ${user_id} and not e.recurring and e.seq <= ${seq} ${tagged(tag)} ${beyond}`;
  const { rows } = await sql<{ payload: EventResource; fits: boolean }>`
    select ${fitting(sql`page.at, page.uid collate "C"`)}
    from ((select e.seq, lower(e.during) as at, e.uid from events e
            where ${common} and e.span && tstzrange(${window.start}, ${window.start}, '[]') and lower(e.during) < ${window.start})
          union all
          (select e.seq, lower(e.during), e.uid from events e
            where ${common} and lower(e.during) >= ${window.start} and lower(e.during) < ${window.end}
            order by lower(e.during), e.uid collate "C" limit ${limit})) page
    cross join ${documentOf(user_id, 'page')}
    order by page.at, page.uid collate "C" limit ${limit}`.execute(db);
  const { items, more } = pageOfRows(rows, limit);
  return { items: items.map((row) => row.payload), more };
};

/**
 * Series that overlap a window and have not changed since `seq`. Uses the indexes events_series, ledger_pkey.
 * @throws 422 too_many_occurrences where they are too large to read at once, which only series older than the limits can be
 */
export const seriesIn = async (db: Db, user_id: string, window: Interval, seq?: number): Promise<EventResource[]> => {
  const { rows } = await sql<{ uid: string; size: number; payload: EventResource | null }>`
    select e.uid, e.size, l.payload
    from (select uid, seq, size, sum(size) over () as total from events
           where user_id = ${user_id} and recurring and span && ${windowOf(window)}
             ${seq === undefined ? sql`` : sql`and seq <= ${seq}`}) e
    left join ${entryOf(user_id, 'e', sql`case when e.total <= ${MOST_READ} then payload end as payload`)} on true
    order by e.uid`.execute(db);
  return rows.map(({ payload }) => {
    if (payload) return payload;
    const largest = rows.reduce((a, b) => (b.size > a.size ? b : a));
    throw tooLarge(largest.uid, largest.size);
  });
};

/** The number of series in a calendar and their characters. Uses the index events_series. */
export const countSeries = async (db: Db, user_id: string): Promise<{ count: number; size: number }> => {
  const { rows } = await sql<{ count: number; size: number }>`
    select count(*) as count, coalesce(sum(size), 0)::bigint as size from events
    where user_id = ${user_id} and recurring`.execute(db);
  return rows[0] ?? { count: 0, size: 0 };
};

/**
 * Events in a window that were changed or removed after `seq`, as they were at `seq`. Uses the indexes events_past_span,
 * ledger_pkey.
 */
export const changedSince = async (db: Db, user_id: string, window: Outline, seq: number): Promise<EventResource[]> => {
  const { rows } = await sql<{ payload: EventResource }>`
    select l.payload from events_past p cross join ${documentOf(user_id, 'p')}
    where p.user_id = ${user_id} and p.span && ${windowOf(window)} and int8range(p.seq, p.until) @> ${seq}::bigint
    order by p.uid`.execute(db);
  return rows.map((r) => r.payload);
};

/** A busy stretch of a single event. `plan_uid` is set on an agent's block. */
export type Busy = Interval & { uid: string; title: string; plan_uid: string | null; task_id: string | null };

/** Busy single events that overlap a window. Uses the indexes events_span, ledger_pkey. */
export const busySingles = async (
  db: Db,
  user_id: string,
  window: Interval,
  { except = [], only, since = 0 }: { except?: readonly string[]; only?: readonly string[]; since?: number },
): Promise<Busy[]> => {
  const { rows } = await sql<Busy>`
    select lower(e.during) as start, upper(e.during) as end, e.uid, l.payload->>'title' as title, e.plan_uid, e.task_id
    from events e cross join ${documentOf(user_id, 'e')}
    where e.user_id = ${user_id} and e.busy and not e.recurring and e.span && ${windowOf(window)} and e.uid <> all(${except})
      ${since ? sql`and e.seq > ${since}` : sql``} ${only ? sql`and e.uid = any(${only})` : sql``}
    order by 1, 3`.execute(db);
  return rows;
};

/**
 * Busy time of single events in milliseconds, merged in the database so that 10,000 adjacent blocks are few rows. Uses the
 * index events_span. date_part() is float8 arithmetic; extract() is numeric and makes the whole statement twice as slow.
 */
export const busySpans = async (
  db: Db,
  user_id: string,
  window: Interval,
  except: readonly string[],
  limit: number,
): Promise<[number, number][]> => {
  const { rows } = await sql<{ from: number; to: number }>`
    select date_part('epoch', lower(r)) * 1000 as from, date_part('epoch', upper(r)) * 1000 as to
    from (select unnest(range_agg(e.during)) as r from events e
           where e.user_id = ${user_id} and e.busy and not e.recurring and e.span && ${windowOf(window)}
             and e.uid <> all(${except})) merged
    limit ${limit}`.execute(db);
  return rows.map((r) => [r.from, r.to]);
};

/** Agents' blocks that overlap a span, series included. Uses the index events_span. */
export const blocksIn = async (db: Db, user_id: string, span: Outline): Promise<EventResource[]> => {
  const { rows } = await sql<{ payload: EventResource }>`
    select l.payload from events e cross join ${documentOf(user_id, 'e')}
    where e.user_id = ${user_id} and e.plan_uid is not null and e.busy and e.span && ${windowOf(span)}
    order by lower(e.during), e.uid`.execute(db);
  return rows.map((r) => r.payload);
};

/**
 * A text that identifies the state of a calendar, for ETags. Rows are only removed or get a higher seq, so no two states share
 * it.
 */
export const calendarTag = async (db: Db, user_id: string): Promise<string> => {
  const { rows } = await sql<{ seq: number; count: number; hash: Buffer | null }>`
    select e.seq, e.count, l.hash
    from (select coalesce(max(seq), 0) as seq, count(*) as count from events where user_id = ${user_id}) e
    left join ledger l on l.user_id = ${user_id} and l.seq = e.seq`.execute(db);
  const { seq = 0, count = 0, hash = null } = rows[0] ?? {};
  return `${writeLedgerPosition({ seq, mark: hash && markOf(hash) })}-${count}`;
};

/**
 * A page of documents whose span overlaps a window, sorted by uid, for feeds and exports. `own` leaves out the events of
 * sources. Uses the index events_pkey.
 */
export const documentsPage = async (
  db: Db,
  user_id: string,
  { start, end }: { start: Instant | null; end: Instant | null },
  after: string,
  limit: number,
  { own = false }: { own?: boolean } = {},
): Promise<EventResource[]> => {
  const { rows } = await sql<{ payload: EventResource }>`
    select l.payload
    from (select e.uid, e.seq from events e where e.user_id = ${user_id} and e.uid > ${after} and e.span && tstzrange(${start}, ${end})
             ${own ? sql`and e.source_uid is null` : sql``}
           order by e.uid limit ${limit}) page
    cross join ${documentOf(user_id, 'page')}
    order by page.uid`.execute(db);
  return rows.map((r) => r.payload);
};
