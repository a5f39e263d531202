/** Reads the graph of links: where traces link to, which of those exist, and the edges of a page. */
import { sql } from 'kysely';
import type { Db } from '../../db/database.ts';
import { documentOf } from '../../db/rows-by-key.ts';
import type { Instant } from '../../domain/time/time.ts';
import type { TraceDoc } from '../../domain/record/trace.ts';
import { ALL_ROWS, heldAt } from '../../memory/queries.ts';
import type { Edge } from '../schemas.ts';

/** One statement examines at most this many entries. */
export const LINKS_BATCH = 2_000;

/** The account and the seq whose graph is read. */
export type State = { db: Db; user_id: string; at: number };

/** The calendar_event traces of each event, sorted by time. Uses the indexes traces_event, traces_past_event. */
const eventTraces = async ({ db, user_id, at }: State, event_uids: string[]): Promise<Map<string, string[]>> => {
  if (!event_uids.length) return new Map();
  const { rows } = await sql<{ event_uid: string; uid: string }>`
    select t.event_uid, t.uid from ${ALL_ROWS} t
    where ${heldAt(user_id, at)} and t.type = 'calendar_event' and t.event_uid = any(${event_uids})
    order by t."timestamp", t.uid`.execute(db);
  const found = Map.groupBy(rows, (row) => row.event_uid);
  return new Map(Array.from(found, ([event, traces]) => [event, traces.map((t) => t.uid)]));
};

/**
 * The traces that a trace links to through its event. Each links to the event's first trace, and that one to all others, so an
 * event with a thousand changes has a thousand edges and not a million.
 */
const throughEvent = (uid: string, [first, ...others]: string[]): string[] =>
  first === undefined ? [] : uid === first ? others : [first];

type Linking = Pick<TraceDoc, 'uid' | 'linked_trace_ids' | 'child_trace_ids' | 'linked_event_uid'>;

const eventsOf = (traces: readonly Linking[]): string[] => [
  ...new Set(traces.flatMap((t) => t.linked_event_uid ?? [])),
];

/** The uids that the traces at these seqs link to, with repetitions. Uses the index ledger_pkey. */
export const targetsOf = async (state: State, seqs: number[]): Promise<string[]> => {
  const { rows } = await sql<Linking>`
    select l.subject_uid as uid, l.payload->'linked_trace_ids' as linked_trace_ids, l.payload->'child_trace_ids' as child_trace_ids,
           l.payload->>'linked_event_uid' as linked_event_uid
    from ledger l where l.user_id = ${state.user_id} and l.seq = any(${seqs}::bigint[]) and l.payload is not null`.execute(
    state.db,
  );
  const events = await eventTraces(state, eventsOf(rows));
  return rows.flatMap(({ uid, linked_trace_ids, child_trace_ids, linked_event_uid: event }) => [
    ...linked_trace_ids,
    ...child_trace_ids,
    ...(event === null ? [] : throughEvent(uid, events.get(event) ?? [])),
  ]);
};

/** A trace of the graph. */
export type Node = { uid: string; seq: number; type: string; task_id: string | null; timestamp: Instant };

/** Those of these uids that have a trace, in no particular order. Uses the indexes traces_pkey, traces_past_pkey. */
export const nodesOf = async ({ db, user_id, at }: State, uids: string[]): Promise<Node[]> => {
  const { rows } = await sql<Node>`
    select t.uid, t.seq, t.type, t.task_id, t."timestamp" from unnest(${uids}::text[]) u(uid)
    cross join lateral (select * from ${ALL_ROWS} t where ${heldAt(user_id, at)} and t.uid = u.uid offset 0) t`.execute(
    db,
  );
  return rows;
};

/** Those of these uids that have no trace. Uses the indexes traces_pkey, traces_past_pkey. */
const missingOf = async ({ db, user_id, at }: State, uids: string[]): Promise<Set<string>> => {
  const { rows } = await sql<{ uid: string }>`
    select u.uid from unnest(${uids}::text[]) u(uid)
    where not exists (select from (select 1 from ${ALL_ROWS} t where ${heldAt(user_id, at)} and t.uid = u.uid offset 0) t)`.execute(
    db,
  );
  return new Set(rows.map((row) => row.uid));
};

/** The facts that decide the groups of the traces at these seqs, in the order given. Uses the index ledger_pkey. */
export const groupFactsOf = async (
  { db, user_id }: State,
  seqs: readonly number[],
): Promise<Pick<TraceDoc, 'type' | 'task_id' | 'timestamp'>[]> => {
  const { rows } = await sql<Pick<TraceDoc, 'type' | 'task_id' | 'timestamp'>>`
    select l.payload->>'type' as type, l.payload->>'task_id' as task_id, l.payload->>'timestamp' as timestamp
    from unnest(${seqs}::bigint[]) with ordinality s(seq, i)
    left join ${documentOf(user_id, 's')} on true
    order by s.i`.execute(db);
  return rows;
};

/** The links of these traces without duplicates, and the uids they lead to that have no trace. */
export const edgesOf = async (
  state: State,
  traces: readonly Linking[],
): Promise<{ edges: Edge[]; missing: string[] }> => {
  const events = await eventTraces(state, eventsOf(traces));
  const edges = traces.flatMap(({ uid, linked_trace_ids, child_trace_ids, linked_event_uid: event }) => {
    const to = (targets: string[], kind: Edge['kind']): Edge[] =>
      [...new Set(targets)].map((target) => ({ from: uid, to: target, kind }));
    return [
      ...to(linked_trace_ids, 'linked'),
      ...to(child_trace_ids, 'child'),
      ...to(event === null ? [] : throughEvent(uid, events.get(event) ?? []), 'event'),
    ];
  });
  const targets = [...new Set(edges.map((edge) => edge.to))];
  const gone = await missingOf(state, targets);
  return { edges, missing: targets.filter((uid) => gone.has(uid)) };
};
