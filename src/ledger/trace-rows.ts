/** Rows of traces: what the documents in the ledger are found by, how they are stored, and what they were. */
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../db/database.ts';
import { oneByOne } from '../db/rows-by-key.ts';
import { searchVector } from '../domain/text/lexemes.ts';
import { isRecord } from '../domain/plan/plan-transitions.ts';
import { countedAt, wantedBy } from '../domain/plan/plan-time.ts';
import type { Instant } from '../domain/time/time.ts';
import { isPlan, type PlanDoc, type TraceDoc } from '../domain/record/trace.ts';

/** authored_by and chat_url where there are any. */
const sensitiveOf = (doc: TraceDoc): string[] | undefined => {
  const values = [doc.authored_by, doc.chat_url].filter((value) => value !== null);
  return values.length ? values : undefined;
};

/** What limits, conflicts and the cap on pending proposals ask about a plan. */
const claimsOf = (plan: PlanDoc) => {
  const wanted = wantedBy(plan);
  return {
    counts_at: countedAt(plan),
    wanted: wanted && `[${wanted.start},${wanted.end})`,
    proposed_by: plan.proposed_by,
  };
};

/** One row of the projection, as JSON for the database; what most traces have not is left out. */
export const traceRow = (doc: TraceDoc) => ({
  uid: doc.uid,
  seq: doc.seq,
  version: doc.version,
  type: doc.type,
  task_id: doc.task_id,
  tempo_tag: doc.tempo_tag,
  tags: doc.tags,
  origin: doc.origin,
  timestamp: doc.timestamp,
  transition_of: doc.transition?.plan_uid,
  ...(isPlan(doc)
    ? {
        status: doc.status,
        action_type: doc.action_type,
        scheduled_for: doc.scheduled_for,
        expires_at: doc.status === 'proposed' && !isRecord(doc) ? doc.expires_at : null,
        ...claimsOf(doc),
      }
    : {}),
  rating: doc.feedback_rating ?? undefined,
  event_uid: doc.linked_event_uid ?? undefined,
  sensitive: sensitiveOf(doc),
  search: searchVector({ ...doc, title: isPlan(doc) ? doc.title : undefined }),
});

/** How the database reads that JSON. */
export const ROW = sql`uid text, seq bigint, version integer, type text, task_id text, tempo_tag text, tags text[], origin text, "timestamp" timestamptz,
  transition_of text, status text, action_type text, scheduled_for timestamptz, expires_at timestamptz,
  counts_at timestamptz, wanted tstzrange, proposed_by text, rating real, event_uid text, sensitive text[], search text`;

/** Columns of traces_past, beside whose and until when. */
export const PAST = [
  'uid',
  'seq',
  'type',
  'task_id',
  'tempo_tag',
  'tags',
  'origin',
  'timestamp',
  'status',
  'action_type',
  'scheduled_for',
  'rating',
  'event_uid',
  'sensitive',
  'search',
];
/** Into traces_past go rows `t` as they were, with the seq that ends them. */
export const keepPast = (until: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  insert into traces_past (user_id, until, ${sql.join(PAST.map((c) => sql.ref(c)))})
  select t.user_id, ${until}, ${sql.join(PAST.map((c) => sql.ref(`t.${c}`)))}`;

/** When the executor has to look at a plan: null = not at all, undefined = when it had to before. It stands in the row only. */
export type Due = { due_at?: Instant | null | undefined };

/** Only what is approved here is ever due. */
export const dueOf = (doc: TraceDoc, { due_at }: Due): { due_at: Instant | null } | { stays_due: true } => {
  if (!isPlan(doc) || doc.status !== 'approved' || isRecord(doc)) return { due_at: null };
  return due_at === undefined ? { stays_due: true } : { due_at };
};

/** New rows, or changed ones whose past is kept; in one statement. */
export const store = async (
  db: Db,
  user_id: string,
  rows: (ReturnType<typeof traceRow> & (ReturnType<typeof dueOf> | object))[],
  { changed }: { changed: boolean },
): Promise<void> => {
  if (!rows.length) return;
  const past = changed
    ? sql`, past as (${keepPast(sql`f.seq`)} from fresh f cross join
        ${oneByOne(sql`select * from traces where user_id = ${user_id} and uid = f.uid`, 't')})`
    : sql``;
  // What is new can't be there: the ledger's unique key has refused it already.
  const instead = changed
    ? sql`
    on conflict (user_id, uid) do update set
      seq = excluded.seq, version = excluded.version, type = excluded.type, task_id = excluded.task_id, tempo_tag = excluded.tempo_tag,
      tags = excluded.tags, "timestamp" = excluded."timestamp", status = excluded.status, action_type = excluded.action_type,
      scheduled_for = excluded.scheduled_for, due_at = excluded.due_at, expires_at = excluded.expires_at,
      counts_at = excluded.counts_at, wanted = excluded.wanted, proposed_by = excluded.proposed_by, rating = excluded.rating,
      event_uid = excluded.event_uid, sensitive = excluded.sensitive, search = excluded.search`
    : sql``;
  const due = changed
    ? sql`case when r.stays_due then (select due_at from traces where user_id = ${user_id} and uid = r.uid) else r.due_at end`
    : sql`null`;
  await sql`
    with fresh as (
      select * from json_to_recordset(${JSON.stringify(rows)}::json) as r(${ROW}, due_at timestamptz, stays_due boolean))${past}
    insert into traces (user_id, uid, seq, version, type, task_id, tempo_tag, tags, origin, "timestamp",
                        transition_of, status, action_type, scheduled_for, due_at, expires_at, counts_at, wanted, proposed_by,
                        rating, event_uid, sensitive, search)
    select ${user_id}, r.uid, r.seq, r.version, r.type, r.task_id, r.tempo_tag, r.tags, r.origin, r."timestamp",
           r.transition_of, r.status, r.action_type, r.scheduled_for, ${due}, r.expires_at, r.counts_at, r.wanted, r.proposed_by,
           r.rating, r.event_uid, r.sensitive, r.search::tsvector
    from fresh r${instead}`.execute(db);
};
