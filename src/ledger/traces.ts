/** Traces through the one door: their ledger entries and the rows they are found by. Every feature that leaves traces uses this. */
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../db/client.ts';
import { documentOf, eachKey, oneByOne } from '../db/keys.ts';
import { isRecord, stepOf } from '../domain/moves.ts';
import { KIND_OF_MOVE, MOVES, type Move, type MoveName } from '../domain/plan.ts';
import { countedAt, wantedBy } from '../domain/plan-time.ts';
import { isPlan, type PlanDoc, type TraceDoc, type Unstamped } from '../domain/trace.ts';
import { embed, EMBEDDER, toVectorLiteral } from '../domain/embed.ts';
import { searchVector } from '../domain/lexemes.ts';
import type { Instant } from '../domain/time.ts';
import { mapInTurns } from '../turns.ts';
import type { Writer } from './ledger.ts';
import { byOf, refusedMove } from './plan-moves.ts';

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
const keepPast = (until: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  insert into traces_past (user_id, until, ${sql.join(PAST.map((c) => sql.ref(c)))})
  select t.user_id, ${until}, ${sql.join(PAST.map((c) => sql.ref(`t.${c}`)))}`;

/** When the executor has to look at a plan: null = not at all, undefined = when it had to before. It stands in the row only. */
type Due = { due_at?: Instant | null | undefined };

/** Only what is approved here is ever due. */
const dueOf = (doc: TraceDoc, { due_at }: Due): { due_at: Instant | null } | { stays_due: true } => {
  if (!isPlan(doc) || doc.status !== 'approved' || isRecord(doc)) return { due_at: null };
  return due_at === undefined ? { stays_due: true } : { due_at };
};

/** New rows, or changed ones whose past is kept; in one statement. */
const store = async (
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

export type NewTrace = {
  trace: Unstamped;
  /** Ledger kind; `trace.created` unless it is a plan. */
  kind?: string;
};

export type TraceChange = {
  /** The version the change was made from. */
  from: TraceDoc;
  to: TraceDoc;
};

export type PlanChange = Due & {
  changes?: Partial<PlanDoc>;
  /** Where in the request the plan's fields stand, as a JSON Pointer: what faults are told by. */
  at?: string | undefined;
};

/** A plan starts as proposed; only a record of what was elsewhere comes with its status. */
const isDecided = (trace: Unstamped): boolean => {
  const { status } = trace as Partial<PlanDoc>;
  return trace.type === 'agent_plan' && status !== 'proposed' && trace.origin !== 'import';
};

/** A way around the table of moves: a fault of the service, never of a request. */
const refusePlans = (docs: readonly Unstamped[], how: string): void => {
  const plan = docs.find((doc) => doc.type === 'agent_plan');
  if (plan) throw new Error(`plan ${plan.uid} can’t be ${how}: every change of a plan is a move (domain/moves.ts)`);
};

/** Making the rows of so many takes about as long as a round trip. */
const MANY = 20;

export const createTraceStore = ({ vectors }: { vectors: boolean }) => {
  const index = async (db: Db, user_id: string, docs: TraceDoc[]): Promise<void> => {
    if (!vectors || !docs.length) return;
    const rows = await mapInTurns(docs, (d) => ({
      uid: d.uid,
      seq: d.seq,
      embedding: toVectorLiteral(embed(d.content)),
    }));
    await sql`
      with fresh as (select * from json_to_recordset(${JSON.stringify(rows)}::json) as r(uid text, seq bigint, embedding text)),
      past as (
        insert into embeddings_past
        select e.user_id, e.uid, e.seq, f.seq, e.model, e.embedding
        from fresh f cross join ${oneByOne(sql`select * from embeddings where user_id = ${user_id} and uid = f.uid`, 'e')})
      insert into embeddings (user_id, uid, seq, model, embedding)
      select ${user_id}, f.uid, f.seq, ${EMBEDDER}, f.embedding::vector from fresh f
      on conflict (user_id, uid) do update set seq = excluded.seq, model = excluded.model, embedding = excluded.embedding`.execute(
      db,
    );
  };

  /** Records new versions, whatever they are of. */
  const renew = async <T extends TraceDoc>(
    writer: Writer,
    list: (Due & { from: T; to: T; kind: string })[],
  ): Promise<T[]> => {
    const docs = list.map(({ from, to, kind }) =>
      writer.record<T>({
        kind,
        subject: 'trace',
        uid: from.uid,
        version: from.version + 1,
        payload: ({ seq, recorded_at }) => ({
          ...to,
          version: from.version + 1,
          recorded_at: from.recorded_at,
          updated_at: recorded_at,
          seq,
        }),
      }),
    );
    const { user_id } = writer.author;
    await store(
      writer.tx,
      user_id,
      await mapInTurns(docs, (doc, i) => ({ ...traceRow(doc), ...dueOf(doc, list[i] ?? {}) })),
      { changed: true },
    );
    const rewritten = docs.filter((doc, i) => doc.content !== list[i]?.from.content);
    await index(writer.tx, user_id, rewritten);
    return docs;
  };

  return {
    /** Adds traces in order. A uid that was used before breaks the unique key of the ledger (23505): check first. */
    insert: async (writer: Writer, list: NewTrace[]): Promise<TraceDoc[]> => {
      refusePlans(
        list.flatMap(({ trace }) => (isDecided(trace) ? [trace] : [])),
        'made as decided',
      );
      const docs = list.map(({ trace, kind = 'trace.created' }) =>
        writer.record<TraceDoc>({
          kind,
          subject: 'trace',
          uid: trace.uid,
          version: 1,
          payload: ({ seq, recorded_at }) => ({ ...trace, version: 1, recorded_at, updated_at: recorded_at, seq }),
        }),
      );
      const { user_id } = writer.author;
      // Of many, the database stores the entries while the rows are made.
      const [rows] = await Promise.all([
        mapInTurns(docs, (doc) => traceRow(doc)),
        docs.length > MANY ? writer.flush() : undefined,
      ]);
      await store(writer.tx, user_id, rows, { changed: false });
      await index(writer.tx, user_id, docs);
      return docs;
    },

    /** Records new versions of traces, each at most once per write. Plans have changePlan. */
    update: (writer: Writer, list: TraceChange[]): Promise<TraceDoc[]> => {
      refusePlans(
        list.map(({ from }) => from),
        'updated as a trace',
      );
      return renew(
        writer,
        list.map((change) => ({ ...change, kind: 'trace.updated' })),
      );
    },

    /** The one way in which a plan changes: a move of the table, from the version that was read under the user's lock. @throws 403, 409, 422 */
    changePlan: async (writer: Writer, from: PlanDoc, name: MoveName, change: PlanChange = {}): Promise<PlanDoc> => {
      const { due_at, changes = {}, at } = change;
      const move: Move = MOVES[name];
      if (due_at !== undefined && !move.sets_due) throw new Error(`the move ${name} does not say when a plan is due`);
      const step = stepOf(from, name, changes, byOf(writer.author));
      if ('refused' in step) throw refusedMove(from, step.refused, at);
      const [next] = await renew(writer, [{ from, to: step.to, kind: KIND_OF_MOVE[name], due_at }]);
      return next as PlanDoc;
    },

    /** Ends a trace: its last version says so, and it is found no more. */
    remove: async (writer: Writer, from: TraceDoc): Promise<TraceDoc> => {
      refusePlans([from], 'removed');
      const version = from.version + 1;
      const { user_id } = writer.author;
      const doc = writer.record<TraceDoc>({
        kind: 'trace.removed',
        subject: 'trace',
        uid: from.uid,
        version,
        payload: ({ seq, recorded_at }) => ({ ...from, version, updated_at: recorded_at, seq, removed: true }),
      });
      await sql`
        with t as (delete from traces where user_id = ${user_id} and uid = ${from.uid} returning *)
        ${keepPast(sql`${doc.seq}`)} from t`.execute(writer.tx);
      if (vectors)
        await sql`
          with e as (delete from embeddings where user_id = ${user_id} and uid = ${from.uid} returning *)
          insert into embeddings_past select user_id, uid, seq, ${doc.seq}, model, embedding from e`.execute(writer.tx);
      return doc;
    },
  };
};

export type TraceStore = ReturnType<typeof createTraceStore>;

/** Current documents by uid, in no particular order; unknown and removed ones are missing. Rides on traces_pkey, ledger_pkey. */
export const findTraces = async <T extends TraceDoc = TraceDoc>(
  db: Db,
  user_id: string,
  uids: string[],
): Promise<T[]> => {
  if (!uids.length) return [];
  const found = eachKey(uids, sql`select seq from traces where user_id = ${user_id} and uid = key.uid`, 't');
  const { rows } = await sql<{ payload: T }>`
    select l.payload from ${found}
    cross join ${documentOf(user_id, 't')}`.execute(db);
  return rows.map((r) => r.payload);
};

/** Documents as first recorded, by uid, removed ones too: what a uid stands for, for good. Rides on the ledger's unique key. */
export const firstVersions = async (db: Db, user_id: string, uids: string[]): Promise<Map<string, TraceDoc>> => {
  if (!uids.length) return new Map();
  const first = sql`select payload from ledger where user_id = ${user_id} and subject = 'trace' and subject_uid = key.uid and version = 1`;
  const { rows } = await sql<{ payload: TraceDoc }>`select f.payload from ${eachKey(uids, first, 'f')}`.execute(db);
  return new Map(rows.map(({ payload }) => [payload.uid, payload]));
};

export const findTrace = async <T extends TraceDoc = TraceDoc>(
  db: Db,
  user_id: string,
  uid: string,
): Promise<T | null> => (await findTraces<T>(db, user_id, [uid]))[0] ?? null;
