/**
 * Stores traces: their ledger entries, the rows by which they are found, and their built-in embeddings. Every feature that
 * writes traces uses this.
 */
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../db/database.ts';
import { documentOf, eachKey, only, onlyKey } from '../db/rows-by-key.ts';
import { stepOf } from '../domain/plan/plan-transitions.ts';
import { KIND_OF_MOVE, MOVES, type Move, type MoveName } from '../domain/plan/plan.ts';
import type { PlanDoc, TraceDoc, Unstamped } from '../domain/record/trace.ts';
import { mapYielding } from '../common/yielding.ts';
import { readDocuments } from './document-batches.ts';
import type { Writer } from './ledger-writer.ts';
import { byOf, refusedMove } from './transition-problems.ts';
import { keepPast, store, TRACE_COLUMNS, type Due } from './trace-rows.ts';
import { createRenewal, setBy, keepPastEmbeddings, zoneFor } from './renew-traces.ts';

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

export type PlanMove = { from: PlanDoc; name: MoveName; change: PlanChange };

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

/** Computing the rows of this many traces takes about as long as a round trip. */
const FLUSH_EARLY_FROM = 20;

export const createTraceStore = ({ vectors }: { vectors: boolean }) => {
  const { index, renew } = createRenewal({ vectors });
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

    /** Records new versions of traces, each at most once per write. Plans have changePlans. */
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
     * Changes plans by moves of the state machine, each plan once; nothing else changes plans. `from` was read under the user's lock.
     * @throws 403, 409, 422
     */
    changePlans: async (writer: Writer, list: PlanMove[]): Promise<PlanDoc[]> =>
      renew(
        writer,
        list.map(({ from, name, change: { due_at, changes = {}, at } }) => {
          const move: Move = MOVES[name];
          if (due_at !== undefined && !move.sets_due)
            throw new Error(`the move ${name} does not say when a plan is due`);
          const step = stepOf(from, name, changes, byOf(writer.author));
          if ('refused' in step) throw refusedMove(from, step.refused, at);
          return { from, to: step.to, kind: KIND_OF_MOVE[name], due_at };
        }),
      ),

    /** Removes traces: their last versions say so, and they are no longer found. */
    remove: (writer: Writer, list: readonly TraceDoc[]): TraceDoc[] => {
      if (!list.length) return [];
      refusePlans(list, 'removed');
      const { user_id } = writer.author;
      const docs = list.map((from) => {
        const version = from.version + 1;
        return writer.record<TraceDoc>({
          kind: 'trace.removed',
          subject: 'trace',
          uid: from.uid,
          version,
          payload: ({ seq, recorded_at }) => ({ ...from, version, updated_at: recorded_at, seq, removed: true }),
        });
      });
      const uids = docs.map(({ uid }) => uid);
      const deleteFrom = (table: RawBuilder<unknown>) =>
        sql`delete from ${table} where user_id = ${user_id} and uid = any(${uids})`.execute(writer.tx);
      writer.send(
        keepPast(writer.tx, user_id, docs),
        deleteFrom(sql`traces`),
        ...(vectors ? [keepPastEmbeddings(writer.tx, user_id, docs), deleteFrom(sql`embeddings`)] : []),
      );
      return docs;
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
  const found = eachKey(uids, sql`select seq from traces where user_id = ${user_id} and ${onlyKey()}`, 't');
  const { rows } = await sql<{ payload: T }>`
    select l.payload from ${found}
    cross join ${documentOf(user_id, 't')}`.execute(db);
  return rows.map((r) => r.payload);
};

/** The seqs of current documents by uid. Unknown and removed uids are missing. Uses the index traces_pkey. */
export const seqsOf = async (db: Db, user_id: string, uids: string[]): Promise<number[]> => {
  const found = eachKey(uids, sql`select seq from traces where user_id = ${user_id} and ${onlyKey()}`, 't');
  const { rows } = await sql<{ seq: number }>`select t.seq from ${found}`.execute(db);
  return rows.map((row) => row.seq);
};

/** The last version of each trace, of removed ones too. Uses the unique key of the ledger. */
export const lastTraces = async (db: Db, user_id: string, uids: readonly string[]): Promise<Map<string, TraceDoc>> => {
  const last = sql`
    select payload from ledger where user_id = ${user_id} and subject = 'trace' and subject_uid = key.uid order by version desc limit 1`;
  const { rows } = await sql<{ payload: TraceDoc }>`select l.payload from ${eachKey(uids, last, 'l')}`.execute(db);
  return new Map(rows.map(({ payload }) => [payload.uid, payload]));
};

/** The first version of a trace, and who recorded it. */
export type FirstVersion = { doc: TraceDoc; actor: string };

/**
 * The first versions of traces with these uids, of removed traces too. They decide what a uid refers to. Documents are read in
 * batches, since they can be long. Uses the ledger's unique key.
 */
export const firstVersions = async function* (
  db: Db,
  user_id: string,
  uids: readonly string[],
): AsyncGenerator<FirstVersion, undefined> {
  if (!uids.length) return;
  const first = sql`select seq, actor from ledger where user_id = ${user_id} and subject = 'trace' and subject_uid = key.uid and ${only('version', 1)}`;
  const { rows } = await sql<{
    seq: number;
    actor: string;
  }>`select f.seq, f.actor from ${eachKey(uids, first, 'f')}`.execute(db);
  const actors = rows.values();
  const seqs = rows.map(({ seq }) => seq);
  for await (const docs of readDocuments<TraceDoc>(db, user_id, seqs))
    for (const doc of docs) {
      const { actor } = actors.next().value as { actor: string };
      if (doc) yield { doc, actor };
    }
};

/** The first version of one trace. */
export const firstVersion = async (db: Db, user_id: string, uid: string): Promise<FirstVersion | undefined> =>
  (await firstVersions(db, user_id, [uid]).next()).value;

export const findTrace = async <T extends TraceDoc = TraceDoc>(
  db: Db,
  user_id: string,
  uid: string,
): Promise<T | null> => (await findTraces<T>(db, user_id, [uid]))[0] ?? null;
