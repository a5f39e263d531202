/**
 * Stores traces: their ledger entries, the rows by which they are found, and their built-in embeddings. Every feature that
 * writes traces uses this.
 */
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../db/database.ts';
import { documentOf, eachKey } from '../db/rows-by-key.ts';
import { SENSITIVE, setterOf, type SensitivePart } from '../domain/record/blanking.ts';
import { stepOf } from '../domain/plan/plan-transitions.ts';
import { KIND_OF_MOVE, MOVES, type Move, type MoveName } from '../domain/plan/plan.ts';
import type { PlanDoc, TraceDoc, Unstamped } from '../domain/record/trace.ts';
import { embed, EMBEDDER, toVectorLiteral } from '../domain/text/word-embedder.ts';
import { hasRelativeDates } from '../domain/time/relative-dates.ts';
import { storedZone } from '../domain/time/time.ts';
import { mapYielding } from '../common/yielding.ts';
import type { Author, Writer } from './ledger-writer.ts';
import { byOf, refusedMove } from './transition-problems.ts';
import { dueOf, endedRows, keepPast, store, TRACE_COLUMNS, type Due, type Ended } from './trace-rows.ts';

export type NewTrace = {
  trace: Unstamped;
  /** The kind of the ledger entry; `trace.created` unless it is a plan. */
  kind?: string;
};

export type TraceChange = {
  /** The version that was changed. */
  from: TraceDoc;
  to: TraceDoc;
};

export type PlanChange = Due & {
  changes?: Partial<PlanDoc>;
  /** A JSON Pointer to the plan's fields in the request, for the paths of faults. */
  at?: string | undefined;
};

/** Whether a new plan is decided already. Only an imported record may be. */
const isDecided = (trace: Unstamped): boolean => {
  const { status } = trace as Partial<PlanDoc>;
  return trace.type === 'agent_plan' && status !== 'proposed' && trace.origin !== 'import';
};

/** Throws where code tries to change a plan without the state machine. That is an error of the service and never of a request. */
const refusePlans = (docs: readonly Unstamped[], how: string): void => {
  const plan = docs.find((doc) => doc.type === 'agent_plan');
  if (plan)
    throw new Error(
      `plan ${plan.uid} can’t be ${how}: every change of a plan is a move (domain/plan/plan-transitions.ts)`,
    );
};

const saltOf = (from: SensitivePart | undefined): string =>
  from?.sensitive?.salt ?? Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('base64url');

/**
 * Who recorded a trace and who set its sensitive values, as members of the new version. What stays is still set by who set it, so
 * that no other change makes a value somebody else's.
 */
const setBy = (author: Author, from: SensitivePart | undefined, to: SensitivePart) => {
  const actor = author.origin === 'agent' ? author.actor : null;
  const set = SENSITIVE.filter((name) => typeof to[name] === 'string');
  const agents = set.flatMap((name) => {
    const agent = from && from[name] === to[name] ? setterOf(from, name) : actor;
    return agent === null ? [] : [[name, agent] as const];
  });
  const { sensitive: _s, recorded_by: _r, ...rest } = to as TraceDoc;
  const recorded_by = from ? from.recorded_by : (actor ?? undefined);
  return {
    ...rest,
    ...(recorded_by === undefined ? {} : { recorded_by }),
    ...(set.length ? { sensitive: { salt: saltOf(from), agents: Object.fromEntries(agents) } } : {}),
  };
};

/** Computing the rows of this many traces takes about as long as a round trip. */
const FLUSH_EARLY_FROM = 20;

/** Copies vectors into embeddings_past before a change, as keepPast copies rows. */
const keepPastEmbeddings = async (db: Db, user_id: string, ended: Ended): Promise<void> => {
  await sql`
    insert into embeddings_past (user_id, uid, seq, until, model, embedding)
    select t.user_id, t.uid, t.seq, f.seq, t.model, t.embedding
    from ${endedRows(sql`embeddings`, user_id, ended)}`.execute(db);
};

export const createTraceStore = ({ vectors }: { vectors: boolean }) => {
  const index = async (writer: Writer, docs: TraceDoc[], { changed }: { changed: boolean }): Promise<void> => {
    if (!vectors || !docs.length) return;
    const { tx, author } = writer;
    const { user_id } = author;
    const rows = await mapYielding(docs, (d) => ({
      uid: d.uid,
      seq: d.seq,
      embedding: toVectorLiteral(embed(d.content)),
    }));
    if (changed) writer.send(keepPastEmbeddings(tx, user_id, docs));
    writer.send(
      sql`
        insert into embeddings (user_id, uid, seq, model, embedding)
        select ${user_id}::text, f.uid, f.seq, ${EMBEDDER}::text, f.embedding::vector
        from json_to_recordset(${JSON.stringify(rows)}::json) as f(uid text, seq bigint, embedding text)
        on conflict (user_id, uid) do update set seq = excluded.seq, model = excluded.model, embedding = excluded.embedding`.execute(
        tx,
      ),
    );
  };

  /** The user's zone, which is read only where a text tells a date relative to its day. */
  const zoneFor = async (writer: Writer, docs: readonly Unstamped[]): Promise<string> => {
    if (!docs.some((doc) => hasRelativeDates(doc.content))) return 'UTC';
    const find = () =>
      sql<{ zone: string | null }>`
      select l.payload ->> 'timezone' as zone
      from users u left join ledger l on l.user_id = u.user_id and l.seq = u.profile_seq
      where u.user_id = ${writer.author.user_id}`.execute(writer.tx);
    const [found] = (await find()).rows;
    if (found?.zone) return storedZone(found.zone);
    await writer.flush(); // This write has changed the profile.
    return storedZone((await find()).rows[0]?.zone ?? 'UTC');
  };

  /** Records new versions of traces or plans. */
  const renew = async <T extends TraceDoc>(
    writer: Writer,
    list: (Due & { from: T; to: T; kind: string })[],
  ): Promise<T[]> => {
    if (!list.length) return [];
    const zone = await zoneFor(
      writer,
      list.map(({ to }) => to),
    );
    const docs = list.map(({ from, to, kind }) =>
      writer.record<T>({
        kind,
        subject: 'trace',
        uid: from.uid,
        version: from.version + 1,
        payload: ({ seq, recorded_at }) => ({
          ...(setBy(writer.author, from, to) as T),
          version: from.version + 1,
          recorded_at: from.recorded_at,
          updated_at: recorded_at,
          seq,
        }),
      }),
    );
    const { user_id } = writer.author;
    const rows = await mapYielding(docs, (doc, i) => ({
      ...TRACE_COLUMNS.row({ ...doc, zone }),
      ...dueOf(doc, list[i] ?? {}),
    }));
    writer.send(keepPast(writer.tx, user_id, docs), store(writer.tx, user_id, rows, { changed: true }));
    const rewritten = docs.filter((doc, i) => doc.content !== list[i]?.from.content);
    await index(writer, rewritten, { changed: true });
    return docs;
  };

  return {
    /** Inserts traces in order. A uid that exists violates the unique key of the ledger (23505), so callers check first. */
    insert: async (writer: Writer, list: NewTrace[]): Promise<TraceDoc[]> => {
      refusePlans(
        list.flatMap(({ trace }) => (isDecided(trace) ? [trace] : [])),
        'made as decided',
      );
      const zone = await zoneFor(
        writer,
        list.map(({ trace }) => trace),
      );
      const docs = list.map(({ trace, kind = 'trace.created' }) =>
        writer.record<TraceDoc>({
          kind,
          subject: 'trace',
          uid: trace.uid,
          version: 1,
          payload: ({ seq, recorded_at }) => ({
            ...setBy(writer.author, undefined, trace),
            version: 1,
            recorded_at,
            updated_at: recorded_at,
            seq,
          }),
        }),
      );
      const { user_id } = writer.author;
      // With many traces, the database stores the entries while the rows are computed.
      const [rows] = await Promise.all([
        mapYielding(docs, (doc) => TRACE_COLUMNS.row({ ...doc, zone })),
        docs.length > FLUSH_EARLY_FROM ? writer.flush() : undefined,
      ]);
      writer.send(store(writer.tx, user_id, rows, { changed: false }));
      await index(writer, docs, { changed: false });
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

    /**
     * Changes a plan by a move of the state machine; nothing else changes plans. `from` was read under the user's lock.
     * @throws 403, 409, 422
     */
    changePlan: async (writer: Writer, from: PlanDoc, name: MoveName, change: PlanChange = {}): Promise<PlanDoc> => {
      const { due_at, changes = {}, at } = change;
      const move: Move = MOVES[name];
      if (due_at !== undefined && !move.sets_due) throw new Error(`the move ${name} does not say when a plan is due`);
      const step = stepOf(from, name, changes, byOf(writer.author));
      if ('refused' in step) throw refusedMove(from, step.refused, at);
      const [next] = await renew(writer, [{ from, to: step.to, kind: KIND_OF_MOVE[name], due_at }]);
      return next as PlanDoc;
    },

    /** Removes a trace: its last version says so, and it is no longer found. */
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
      const deleteFrom = (table: RawBuilder<unknown>) =>
        sql`delete from ${table} where user_id = ${user_id} and uid = ${from.uid}`.execute(writer.tx);
      writer.send(
        keepPast(writer.tx, user_id, [doc]),
        deleteFrom(sql`traces`),
        ...(vectors ? [keepPastEmbeddings(writer.tx, user_id, [doc]), deleteFrom(sql`embeddings`)] : []),
      );
      return doc;
    },
  };
};

export type TraceStore = ReturnType<typeof createTraceStore>;

/**
 * Current documents by uid, in no particular order. Unknown and removed uids are missing. Uses the indexes traces_pkey,
 * ledger_pkey.
 */
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

/** The seqs of current documents by uid. Unknown and removed uids are missing. Uses the index traces_pkey. */
export const seqsOf = async (db: Db, user_id: string, uids: string[]): Promise<number[]> => {
  const found = eachKey(uids, sql`select seq from traces where user_id = ${user_id} and uid = key.uid`, 't');
  const { rows } = await sql<{ seq: number }>`select t.seq from ${found}`.execute(db);
  return rows.map((row) => row.seq);
};

/** The first versions by uid, of removed traces too. They decide what a uid refers to. Uses the ledger's unique key. */
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
