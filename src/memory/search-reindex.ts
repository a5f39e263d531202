/**
 * Computes the search terms of traces again that an earlier release wrote. It runs in the background from each start on, over a
 * part of one ledger at a time, and continues where a stopped or killed process left off. Until then a row is found by what the
 * earlier release knew of it.
 */
import { sql } from 'kysely';
import type { Db } from '../db/database.ts';
import { oneByOne } from '../db/rows-by-key.ts';
import type { TraceDoc } from '../domain/record/trace.ts';
import { storedZone } from '../domain/time/time.ts';
import { mapYielding } from '../common/yielding.ts';
import { TERMS, TRACE_COLUMNS } from '../ledger/trace-rows.ts';
import type { Logger } from '../observability/log.ts';
import { createEmbeddingLoop, type Reader } from './embedding-loop.ts';
import { advance, entriesBehind, WINDOW, type Claim } from './embedding-progress.ts';

/** The key of its progress. A release with other terms reads every ledger again. */
const KEY = `search-terms/${TERMS}`;
/** At most this many rows are computed and stored in one transaction, which holds the user's lock for about 30 ms. */
const ROWS = 32;

type Outdated = { seq: number; payload: TraceDoc; zone: string | null };

/** Entries after a claim, in the window, whose row has the terms of an earlier release. Uses the primary keys of both tables. */
const outdated = async (tx: Db, { user_id, seq }: Claim): Promise<Outdated[]> => {
  const { rows } = await sql<Outdated>`
    select l.seq, l.payload,
           (select p.payload ->> 'timezone' from ledger p
             where p.user_id = ${user_id} and p.subject = 'profile' and p.subject_uid = ${user_id} and p.seq <= l.seq
             order by p.version desc limit 1) as zone
    from ledger l
    cross join ${oneByOne(
      sql`select terms from traces where user_id = ${user_id} and uid = l.subject_uid and seq = l.seq
          union all
          select terms from traces_past where user_id = ${user_id} and uid = l.subject_uid and seq = l.seq`,
      't',
    )}
    where l.user_id = ${user_id} and l.seq > ${seq} and l.seq <= ${seq + WINDOW} and l.subject = 'trace'
      and coalesce(t.terms, 0) < ${TERMS}::smallint
    order by l.seq limit ${ROWS}`.execute(tx);
  return rows;
};

/** Computes some rows of a claim under the user's lock, since a write may replace them. @returns whether more are left */
const reindex = async (db: Db, from: Claim): Promise<boolean> =>
  db.transaction().execute(async (tx) => {
    const { user_id } = from;
    const { rows: heads } = await sql<{ seq: number }>`
      select seq from ledger_heads where user_id = ${user_id} for update`.execute(tx);
    const head = heads[0]?.seq ?? 0;
    const found = await outdated(tx, from);
    const upto = found.length === ROWS ? (found.at(-1)?.seq ?? head) : Math.min(head, from.seq + WINDOW);
    if (!(await advance(tx, KEY, from, upto))) return false;
    if (!found.length) return upto < head;
    const fresh = await mapYielding(found, ({ payload, zone }) => {
      const { uid, seq, search, terms } = TRACE_COLUMNS.row({ ...payload, zone: storedZone(zone ?? 'UTC') });
      return { uid, seq, search, terms };
    });
    const given = sql`json_to_recordset(${JSON.stringify(fresh)}::json) as f(uid text, seq bigint, search tsvector, terms smallint)`;
    const store = (table: string) =>
      sql`
        update ${sql.table(table)} t set search = f.search, terms = f.terms
        from ${given} where t.user_id = ${user_id} and t.uid = f.uid and t.seq = f.seq`.execute(tx);
    // Two statements, because Citus does not plan one that changes both tables. They are sent together.
    await Promise.all([store('traces_past'), store('traces')]);
    return upto < head;
  });

export const createReindex = ({ db, log }: { db: Db; log: Logger }) => {
  const reader: Reader = {
    key: async () => KEY,
    read: async (claims) => {
      const more: string[] = [];
      for (const claim of claims) if (await reindex(db, claim)) more.push(claim.user_id);
      return more;
    },
  };
  const loop = createEmbeddingLoop({ db, log, reader, lasting: false });
  return {
    start: loop.start,
    /** Computes everything that is outdated; tests wait for it. */
    settle: loop.settle,
    stop: loop.stop,
    /** The number of ledger entries of all users that it has yet to look at; 0 once it has finished. */
    behind: async (): Promise<number> => (loop.isDone() ? 0 : entriesBehind(db, { key: KEY })),
  };
};
