/** Ranks traces for a summary export with a token budget, and counts what the export left out. */
import { sql } from 'kysely';
import type { Db } from '../../db/database.ts';
import { entryOf } from '../../db/rows-by-key.ts';
import type { Instant } from '../../domain/time/time.ts';
import { ALL_ROWS, conditions, heldAt, type TraceFilter } from '../../memory/queries.ts';

const HALF_LIFE_DAYS = 14;
const DAY_SECONDS = 86_400;
/** Each link adds a tenth, all together at most this. */
const MOST_FOR_LINKS = 0.5;
/** Plans tell what was decided, so they come before notes of the same age. */
const FOR_PLANS = 0.5;
/** Copies of events and the chat come after everything else: what they say is on the calendar, in plans and in notes. */
const FOR_COPIES = -3;

export type Ranked = { db: Db; user_id: string; at: number; filter: TraceFilter };

export type Scored = { seq: number; score: number };

/** The traces of a summary: those that the filter selects, without the records of transitions, which the lines of plans tell. */
const selected = ({ user_id, at, filter }: Ranked) =>
  sql`${ALL_ROWS} t where ${heldAt(user_id, at)} and ${conditions(filter)} and t.transition_of is null`;

/**
 * Seqs of the most useful traces, best first. The score adds recency (1, halved every 14 days before the newest trace), rating
 * (-0.5 for 1 to 0.5 for 5), links (a tenth for each to or from the trace, up to 0.5) and the kind of trace; of equal ones the
 * newer comes first. Recency counts from the newest trace and not from now, so that the same state gives the same summary. Links
 * are in the documents, which are read only where links can lift a trace into the result; links from other traces do not count.
 */
export const mostUseful = async (ranked: Ranked, most: number): Promise<Scored[]> => {
  const { db, user_id } = ranked;
  const { rows } = await sql<Scored>`
    with held as materialized (
      select t.seq, t.uid, t."timestamp", (t.event_uid is not null)::integer as events,
             0.5 ^ (date_part('epoch', max(t."timestamp") over () - t."timestamp") / ${DAY_SECONDS * HALF_LIFE_DAYS}::float8)
             + coalesce((t.rating - 3) / 4, 0)
             + case when t.type = 'agent_plan' then ${FOR_PLANS}::float8
                    when t.type = 'calendar_event' or t.tags @> array['chat'] then ${FOR_COPIES}::float8 else 0 end as unlinked
      from ${selected(ranked)}),
    needed as (select unlinked from held order by unlinked desc offset ${most - 1} limit 1),
    able as materialized (
      select h.*, l.links
      from held h
      cross join ${entryOf(user_id, 'h', sql`payload->'linked_trace_ids' || (payload->'child_trace_ids') as links`)}
      where h.unlinked + ${MOST_FOR_LINKS}::float8 >= coalesce((select unlinked from needed), '-infinity')),
    linked as materialized (
      select l.uid, count(*) as times from able a cross join lateral jsonb_array_elements_text(a.links) as l(uid) group by l.uid)
    select h.seq, h.unlinked
           + least(${MOST_FOR_LINKS}::float8, (jsonb_array_length(h.links) + h.events + coalesce(linked.times, 0)) / 10::float8) as score
    from able h left join linked using (uid)
    order by score desc, h."timestamp" desc, h.uid desc
    limit ${most}`.execute(db);
  return rows;
};

/** The seqs of these traces in the order of an export: by group, then by time. Grouping by day needs no `column`. */
export const inOrder = async (
  { db, user_id, at }: Ranked,
  uids: string[],
  column: 'task_id' | 'type' | null,
): Promise<number[]> => {
  const group = column ? sql`${sql.ref(`t.${column}`)} collate "C" nulls last,` : sql``;
  const { rows } = await sql<{ seq: number }>`
    select t.seq from ${ALL_ROWS} t where ${heldAt(user_id, at)} and t.uid = any(${uids})
    order by ${group} t."timestamp", t.uid`.execute(db);
  return rows.map((row) => row.seq);
};

export type Omitted = { count: number; oldest: Instant; newest: Instant };

/** Counts the traces that the filter selects without these seqs; null where there are none. */
export const omittedBy = async (ranked: Ranked, seqs: number[]): Promise<Omitted | null> => {
  const { rows } = await sql<Omitted>`
    select count(*) as count, min(t."timestamp") as oldest, max(t."timestamp") as newest
    from ${selected(ranked)}
      and not exists (select from unnest(${seqs}::bigint[]) kept where kept = t.seq)`.execute(ranked.db);
  return rows[0]?.count ? rows[0] : null;
};
