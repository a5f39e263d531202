/** The semantic arm in SQL: how near each of one user's traces is to what is looked for. */
import { sql, type RawBuilder } from 'kysely';
import { embed, EMBEDDER, toVectorLiteral } from '../domain/text/hashed-embedder.ts';

/** What the arm looks for: a text embedded by one embedder, whose vectors alone it is compared with. */
export type Probe = {
  /** Name of the embedder, as `explain` tells it. */
  embedder: string;
  /** Its key in embedding_progress; undefined for the built-in one, whose vectors stand in tables of their own. */
  model: string | undefined;
  /** The query's embedding as pgvector reads it. */
  vector: string;
  /** Its say in fusion, the keyword arm having 1. */
  weight: number;
  /** Ledger seq up to which the embedder has read: traces `t` with a later seq don't take part. */
  upto: number;
};

/** It knows spelling, not meaning: at 0.1 it cost 0.8 points of turn recall@10 on LoCoMo, at 0.02 nothing. */
const BUILTIN_WEIGHT = 0.02;

/** A probe of the built-in embedder, which embeds every trace as it is written; none for a text without words: it has no direction. */
export const builtinProbe = (text: string): Probe | undefined => {
  const vector = embed(text);
  if (vector.every((x) => x === 0)) return undefined;
  return {
    embedder: EMBEDDER,
    model: undefined,
    vector: toVectorLiteral(vector),
    weight: BUILTIN_WEIGHT,
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
 * `select uid, similarity` (cosine; NaN for a text without direction, which Postgres holds to be above all numbers) of the
 * versions that held at a seq: all of them, for a join that knows which are meant, or the `most` nearest; no rows without a
 * probe. An exact scan of one user's vectors through the primary keys.
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
