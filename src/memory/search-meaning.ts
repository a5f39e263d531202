/**
 * The third part of the search statement: how near in meaning the query is to the traces that words have found. Their vectors
 * are read by key, since a scan of all vectors of a user would take longer than the rest of the search.
 */
import { sql, type RawBuilder } from 'kysely';
import { oneByOne } from '../db/rows-by-key.ts';
import { EMBEDDER } from '../domain/text/word-embedder.ts';
import type { Question } from './search-question.ts';

/**
 * What a trace gains for its meaning, in parts of the best score: a sentence model compares whole sentences, and the table of the
 * built-in embedder only words.
 */
const WEIGHT = { words: 0.4, model: 0.8 };
/** The meaning of the traces around counts at these parts, one to three steps away in the task. */
const AROUND = [0.6, 0.4, 0.2];
/** Together they are flatter than one alone, which this makes up for. */
const CONTRAST = 1.6;

/** The vector of the query. That of the built-in embedder leaves out names of speakers, as the vectors of traces do. */
const asked = ({ compared, probe }: Question): RawBuilder<unknown> =>
  compared === 'words'
    ? sql`select sum(meaning::vector) as vector from asked where meaning is not null and (ord in (select ord from named)) is not true`
    : sql`select ${probe?.vector}::vector as vector`;

/** The vector that the trace `s` had at the seq. */
const vectorOf = ({ compared, probe, user_id, at }: Question): RawBuilder<unknown> => {
  const valid = (upto: number) => sql`user_id = ${user_id} and uid = s.uid and seq <= ${upto}`;
  return compared === 'words'
    ? sql`
      select coalesce(
        (select embedding from embeddings where ${valid(at)} and model = ${EMBEDDER}),
        (select embedding from embeddings_past where ${valid(at)} and until > ${at} and model = ${EMBEDDER} order by seq desc limit 1)) as embedding`
    : sql`
      select embedding from model_embeddings
      where ${valid(Math.min(at, probe?.upto ?? at))} and model = ${probe?.model} and until > ${at} order by seq desc limit 1`;
};

const neighbours = (step: number, make: (c: RawBuilder<unknown>) => RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`${make(sql`lag(c, ${sql.lit(step)}) over task`)} + ${make(sql`lead(c, ${sql.lit(step)}) over task`)}`;
const all = (make: (c: RawBuilder<unknown>) => RawBuilder<unknown>): RawBuilder<unknown> =>
  sql.join(
    AROUND.map((part, i) => sql`${sql.lit(part)}::float8 * (${neighbours(i + 1, make)})`),
    sql` + `,
  );

/**
 * CTEs `likeness` (seq, similarity) of the traces in `scored`, and `meaning` (seq, gain): what each gains, in parts of the best
 * score. It is above 0 for those that are nearer than the mean, with their neighbours in the task.
 */
export const meaning = (question: Question): RawBuilder<unknown> =>
  question.compared === undefined
    ? sql`
  likeness as (select null::bigint as seq, null::float8 as similarity where false),
  meaning as (select null::bigint as seq, null::float8 as gain where false)`
    : sql`
  probe as materialized (
    ${asked(question)}
  ), likeness as materialized (
    select s.seq, s.task_id, s."timestamp", 1 - (e.embedding <=> (select vector from probe)) as similarity
    from scored s cross join ${oneByOne(vectorOf(question), 'e')}
  ), meaning as materialized (
    select seq, ${WEIGHT[question.compared] * CONTRAST}::float8 * (c + ${all((c) => sql`coalesce(${c}, 0)`)})
                / (1 + ${all((c) => sql`(${c} is not null)::int`)}) as gain
    from (select *, similarity - avg(similarity) over () as c from likeness where similarity < 'NaN') l
    window task as (partition by task_id, case when task_id is null then seq end order by "timestamp", seq)
  )`;
