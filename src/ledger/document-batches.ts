/** Documents of the ledger by seq, some megabytes at a time at most: what an export of any size holds in memory. */
import { sql } from 'kysely';
import type { Db } from '../db/database.ts';
import { DOCUMENT_BYTES } from '../db/row-pages.ts';

/** Bytes of documents read at once; a single one may be larger. Two such batches are held. */
const MAX_BYTES = 500_000;
const MOST = 250;
const FEWEST = 4;

/**
 * The next documents of `seqs`, as many as the bytes allow, at least one; null for one that was erased. Rides on ledger_pkey.
 */
const nextDocuments = async <D>(db: Db, user_id: string, seqs: readonly number[]): Promise<(D | null)[]> => {
  const { rows } = await sql<{ payload: D | null }>`
    select payload from (
      select s.i, l.payload, coalesce(sum(l.size) over (order by s.i), 0) - coalesce(l.size, 0) as before
      from unnest(${seqs}::bigint[]) with ordinality s(seq, i)
      left join lateral (
        select payload, ${DOCUMENT_BYTES} as size
        from ledger where user_id = ${user_id} and seq = s.seq offset 0) l on true) d
    where before < ${MAX_BYTES} order by i`.execute(db);
  return rows.map((row) => row.payload);
};

/**
 * Documents in the order asked, in batches; while one is looked at, the next is on its way. Where large ones cut a batch short,
 * the next is asked for less.
 */
export const readDocuments = async function* <D>(
  db: Db,
  user_id: string,
  seqs: readonly number[],
): AsyncGenerator<(D | null)[]> {
  let done = 0;
  const fetch = (size: number): Promise<(D | null)[]> | undefined => {
    if (done >= seqs.length) return undefined;
    const underway = nextDocuments<D>(db, user_id, seqs.slice(done, done + size));
    underway.catch(() => undefined); // nobody may come for it
    return underway;
  };
  for (let underway = fetch(MOST); underway;) {
    const documents = await underway;
    done += documents.length;
    underway = fetch(Math.min(MOST, Math.max(FEWEST, documents.length * 2)));
    yield documents;
  }
};
