/** Similarity in SQL: of all of a user's traces, and of candidates that words have found. */
import { sql, type RawBuilder } from 'kysely';
import { embed, EMBEDDER, toVectorLiteral } from '../../domain/text/word-embedder.ts';

/** The query's text, embedded by one embedder and compared with the vectors of that one alone. */
export type Probe = {
  /** The name of the embedder, which `explain` shows. */
  embedder: string;
  /** Its key in embedding_progress. undefined for the built-in one, whose vectors have tables of their own. */
  model: string | undefined;
  /** The embedding of the query in the notation of pgvector. */
  vector: string;
  /** The ledger seq up to which the embedder has read. Later traces `t` are left out. */
  upto: number;
};

/**
 * Embeds a query with the built-in embedder, which embeds every trace as it is written. undefined for a text without words,
 * whose vector is zero, and for one without words that the table has.
 */
export const builtinProbe = (text: string): Probe | undefined => {
  const vector = embed(text);
  if (vector.every((x) => x === 0)) return undefined;
  return {
    embedder: EMBEDDER,
    model: undefined,
    vector: toVectorLiteral(vector),
    upto: Number.MAX_SAFE_INTEGER,
  };
};

const heldVectors = (user_id: string, at: number, { model, embedder }: Probe): RawBuilder<unknown> =>
  model === undefined
    ? sql`
      select uid, embedding from embeddings where user_id = ${user_id} and seq <= ${at} and model = ${embedder}
      union all
      select uid, embedding from embeddings_past
      where user_id = ${user_id} and seq <= ${at} and until > ${at} and model = ${embedder}`
    : sql`
      select uid, embedding from model_embeddings
      where user_id = ${user_id} and model = ${model} and seq <= ${at} and until > ${at}`;

/*
 * Why there is no HNSW index. One user's vectors, 384 long, on PGlite (two busy cores, exact and index in the same run):
 *   20,000: the nearest 1,000 that fusion ranks: exact 33 ms, HNSW 34 ms (finds all); nearest 100: 28 and 12 ms (finds 83%)
 *   100,000: nearest 1,000: exact 123 ms, HNSW 68 ms, finds 80%; nearest 100: 108 and 19 ms, finds 68%
 * An index over all users would visit the others' vectors too (iterative scan): a user with a tenth of them pays ten times that.
 * Building it takes 311 s for 100,000, in which the embedded database answers nobody, 195 MB beside 156, and 7 ms for each insert.
 * So up to 100,000 the scan is as fast or exact where the index is neither; halfvec, half as large, is 3 to 8 times as slow there.
 */

/**
 * `select uid, similarity` (cosine) of the versions at a seq: all of them, for a join with the selected ones, or the `most`
 * nearest. A zero vector has the similarity NaN, which Postgres sorts above all numbers. Without a probe there are no rows. It
 * scans all vectors of the user through the primary keys.
 */
export const nearest = (
  user_id: string,
  at: number,
  probe: Probe | undefined,
  most: number | null,
): RawBuilder<unknown> => {
  if (probe === undefined) return sql`select null::text as uid, null::float8 as similarity where false`;
  const all = sql`
    select uid, 1 - (embedding <=> ${probe.vector}::vector) as similarity from (${heldVectors(user_id, at, probe)}) v`;
  // Joining first costs three times as much: 503 ms, not 154, for 100,000 vectors on PGlite (whole search, same run).
  return most === null
    ? all
    : sql`
    select uid, similarity from (${all} offset 0) s where similarity < 'NaN' order by similarity desc, uid limit ${most}`;
};
