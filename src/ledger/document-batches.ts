/** Reads documents of the ledger by seq in batches of limited size, so that an export of any length needs little memory. */
import { sql } from 'kysely';
import { createYielder } from '../common/yielding.ts';
import type { Db } from '../db/database.ts';
import { documentOf } from '../db/rows-by-key.ts';

/** A batch has at most this many bytes, or one larger document. Two batches are in memory at a time. */
const MAX_BYTES = 500_000;
const MOST_DOCUMENTS = 250;
const FEWEST_DOCUMENTS = 4;

/**
 * The next documents of `seqs`, as many as the bytes allow and at least one. An erased one is null. Uses the index ledger_pkey.
 */
const nextDocuments = async <D>(db: Db, user_id: string, seqs: readonly number[]): Promise<(D | null)[]> => {
  const { rows } = await sql<{ payload: D | null }>`
    select payload from (
      select s.i, l.payload, coalesce(sum(l.bytes) over (order by s.i), 0) - coalesce(l.bytes, 0) as before
      from unnest(${seqs}::bigint[]) with ordinality s(seq, i)
      left join ${documentOf(user_id, 's')} on true) d
    where before < ${MAX_BYTES} order by i`.execute(db);
  return rows.map((row) => row.payload);
};

/**
 * Yields documents in the order given, in batches, and yields to other requests between them. It reads the next batch while the caller
 * works on one. After a batch that large documents cut short, it requests fewer.
 */
export const readDocuments = async function* <D>(
  db: Db,
  user_id: string,
  seqs: readonly number[],
): AsyncGenerator<(D | null)[]> {
  const yieldToOthers = createYielder();
  let done = 0;
  const fetch = (size: number): Promise<(D | null)[]> | undefined => {
    if (done >= seqs.length) return undefined;
    const underway = nextDocuments<D>(db, user_id, seqs.slice(done, done + size));
    underway.catch(() => undefined); // The caller may stop before it awaits this.
    return underway;
  };
  for (let underway = fetch(MOST_DOCUMENTS); underway;) {
    const documents = await underway;
    done += documents.length;
    underway = fetch(Math.min(MOST_DOCUMENTS, Math.max(FEWEST_DOCUMENTS, documents.length * 2)));
    yield documents;
    // The embedded database answers in this thread, in the same iteration of the event loop.
    await yieldToOthers();
  }
};
