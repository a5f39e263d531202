/**
 * Makes rows of traces again that an earlier release wrote, also those that its processes write beside this one during an upgrade.
 * It runs in the background, over a part of one ledger at a time, and continues where a stopped or killed process left off. Until
 * then a row is found by what the earlier release knew of it.
 */
import { sql } from 'kysely';
import type { Db } from '../../db/database.ts';
import { oneByOne } from '../../db/rows-by-key.ts';
import type { TraceDoc } from '../../domain/record/trace.ts';
import { storedZone } from '../../domain/time/time.ts';
import { mapYielding } from '../../common/yielding.ts';
import { FOUND_BY_NAMES, TERMS, TERMS_PROGRESS, TRACE_COLUMNS } from '../../ledger/trace-rows.ts';
import type { Logger } from '../../observability/log.ts';
import { createEmbeddingLoop, type Reader } from '../embeddings/loop.ts';
import { advance, entriesBehind, WINDOW, type Claim } from '../embeddings/progress.ts';

/** The key of its progress. A release with other terms reads every ledger again. */
const KEY = TERMS_PROGRESS;
/** Entries that other processes wrote are looked at this often. */
const EVERY_MS = 15_000;
/** At most this many rows are computed and stored in one transaction, which holds the user's lock for about 30 ms. */
const ROWS = 32;

type Outdated = { at: number; seq: number; payload: TraceDoc; zone: string | null };

/**
 * Rows of an earlier release that began or ended with an entry after a claim, in the window; each with its document. An ended row
 * may be older than the claim. Uses the primary keys of the tables.
 */
const outdated = async (tx: Db, { user_id, seq }: Claim): Promise<Outdated[]> => {
  const { rows } = await sql<Outdated>`
    select l.seq as at, d.seq, d.payload,
           (select p.payload ->> 'timezone' from ledger p
             where p.user_id = ${user_id} and p.subject = 'profile' and p.subject_uid = ${user_id} and p.seq <= d.seq
             order by p.version desc limit 1) as zone
    from ledger l
    cross join ${oneByOne(
      sql`select seq, terms from traces where user_id = ${user_id} and uid = l.subject_uid and seq = l.seq
          union all
          select seq, terms from traces_past where user_id = ${user_id} and uid = l.subject_uid and (seq = l.seq or until = l.seq)`,
      't',
    )}
    join ledger d on d.user_id = ${user_id} and d.seq = t.seq
    where l.user_id = ${user_id} and l.seq > ${seq} and l.seq <= ${seq + WINDOW} and l.subject = 'trace'
      and coalesce(t.terms, 0) < ${TERMS}::smallint and d.payload is not null
    order by l.seq limit ${ROWS}`.execute(tx);
  return rows;
};

const valuesOf = (names: string[]): string[] => names.filter((name) => name !== 'uid' && name !== 'seq');
const ofPast = valuesOf(FOUND_BY_NAMES);
const ofCurrent = valuesOf(TRACE_COLUMNS.names);

/** Computes some rows of a claim under the user's lock, since a write may replace them. @returns whether more are left */
const reindex = async (db: Db, from: Claim): Promise<boolean> =>
  db.transaction().execute(async (tx) => {
    const { user_id } = from;
    const { rows: heads } = await sql<{ seq: number }>`
      select seq from ledger_heads where user_id = ${user_id} for update`.execute(tx);
    const head = heads[0]?.seq ?? 0;
    const found = await outdated(tx, from);
    // An entry has at most two rows, so the last one of a full list may be found in part. It is looked at again.
    const upto = found.length === ROWS ? (found.at(-1)?.at ?? head) - 1 : Math.min(head, from.seq + WINDOW);
    if (!(await advance(tx, KEY, from, upto))) return false;
    if (!found.length) return upto < head;
    const fresh = await mapYielding(found, ({ payload, zone }) =>
      TRACE_COLUMNS.row({ ...payload, zone: storedZone(zone ?? 'UTC') }),
    );
    const given = sql`json_to_recordset(${JSON.stringify(fresh)}::json) as f(${TRACE_COLUMNS.types})`;
    const store = (table: string, names: string[]) =>
      sql`
        update ${sql.table(table)} t set (${TRACE_COLUMNS.list(undefined, names)}) = row(${TRACE_COLUMNS.list('f', names)})
        from ${given} where t.user_id = ${user_id} and t.uid = f.uid and t.seq = f.seq`.execute(tx);
    // Two statements, because Citus does not plan one that changes both tables. They are sent together.
    await Promise.all([store('traces_past', ofPast), store('traces', ofCurrent)]);
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
  const loop = createEmbeddingLoop({ db, log, reader, everyMs: EVERY_MS });
  return {
    start: loop.start,
    /** Computes everything that is outdated; tests wait for it. */
    settle: loop.settle,
    stop: loop.stop,
    /**
     * The number of ledger entries of all users that it has yet to look at; 0 from when it has finished until it looks again. What is
     * written in between is counted then only: to count it always would scan all users for each reading of the metrics.
     */
    behind: async (): Promise<number> => (loop.isDone() ? 0 : entriesBehind(db, { key: KEY })),
  };
};
