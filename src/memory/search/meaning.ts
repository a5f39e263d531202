/**
 * How near in meaning the query is to the traces that words have found. Their vectors are read by key, since a scan of all
 * vectors of a user would take longer than the rest of the search.
 */
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../../db/database.ts';
import { oneByOne } from '../../db/rows-by-key.ts';
import { EMBEDDER, embedTerms, toVectorLiteral } from '../../domain/text/word-embedder.ts';
import { fromColumns, inColumns, type Columns } from './columns.ts';
import type { Question } from './question.ts';
import type { Scored, Weighed } from './rank.ts';

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
const asked = ({ compared, probe, asked: all }: Question, { named }: Weighed): string | undefined => {
  if (compared !== 'words') return probe?.vector;
  const words = all.flatMap((one, ord) => ('said' in one && !named.has(ord) ? [one.term] : []));
  const vector = embedTerms(words);
  return vector.some((x) => x !== 0) ? toVectorLiteral(vector) : undefined;
};

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

const LIKENESS = ['seq', 'similarity'];

/** The similarity of each of the traces that has a vector. */
export const similarities = async (
  db: Db,
  question: Question,
  scored: readonly Scored[],
  weighed: Weighed,
): Promise<Map<number, number>> => {
  const vector = question.compared === undefined ? undefined : asked(question, weighed);
  if (vector === undefined || !scored.length) return new Map();
  const seqs = scored.map(({ trace }) => trace.seq);
  const uids = scored.map(({ trace }) => trace.uid);
  const { rows } = await sql<Columns>`
    ${inColumns(
      LIKENESS,
      sql`
      select * from (
        select s.seq, 1 - (e.embedding <=> ${vector}::vector) as similarity
        from (select * from unnest(${seqs}::bigint[], ${uids}::text[]) as u(seq, uid) limit ${scored.length}) s
        cross join ${oneByOne(vectorOf(question), 'e')}) v
      where similarity < 'NaN'`,
    )}`.execute(db);
  return new Map(fromColumns<{ seq: number; similarity: number }>(rows[0], LIKENESS).map((l) => [l.seq, l.similarity]));
};

const inOrder = ({ trace: a }: Scored, { trace: b }: Scored): number =>
  a.timestamp < b.timestamp ? -1 : a.timestamp > b.timestamp ? 1 : a.seq - b.seq;

/**
 * What each trace gains, in parts of the best score. It is above 0 for those that are nearer than the mean, with their
 * neighbours in the task.
 */
export const gains = (
  scored: readonly Scored[],
  likeness: ReadonlyMap<number, number>,
  compared: 'words' | 'model',
): Map<number, number> => {
  let sum = 0;
  for (const similarity of likeness.values()) sum += similarity;
  const mean = sum / likeness.size;
  const known = scored.filter(({ trace }) => likeness.has(trace.seq)).toSorted(inOrder);
  const tasks = Map.groupBy(known, ({ trace }) => trace.task_id ?? trace.seq);
  const gained = new Map<number, number>();
  for (const task of tasks.values()) {
    const near = task.map(({ trace }) => (likeness.get(trace.seq) ?? 0) - mean);
    for (const [i, { trace }] of task.entries()) {
      let total = near[i] ?? 0;
      let parts = 1;
      for (const [step, part] of AROUND.entries())
        for (const beside of [near[i - step - 1], near[i + step + 1]]) {
          if (beside === undefined) continue;
          total += part * beside;
          parts += part;
        }
      gained.set(trace.seq, (WEIGHT[compared] * CONTRAST * total) / parts);
    }
  }
  return gained;
};
