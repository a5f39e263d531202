/** Reads the documents of traces that a search has found. */
import { sql } from 'kysely';
import type { Db } from '../../db/database.ts';
import { fitting } from '../../db/row-pages.ts';
import { documentOf } from '../../db/rows-by-key.ts';
import type { TraceDoc } from '../../domain/record/trace.ts';

/** The documents by seq, in this order up to the bytes of a page: null for those after it. */
export const documents = async (
  db: Db,
  user_id: string,
  seqs: readonly number[],
): Promise<Map<number, TraceDoc | null>> => {
  if (!seqs.length) return new Map();
  const { rows } = await sql<{ seq: number; payload: TraceDoc | null }>`
    select p.seq, ${fitting(sql`p.place`)}
    from (select * from unnest(${seqs}::bigint[]) with ordinality as u(seq, place) limit ${seqs.length}) p
    cross join ${documentOf(user_id, 'p')}`.execute(db);
  return new Map(rows.map(({ seq, payload }) => [seq, payload]));
};
