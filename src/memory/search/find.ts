/**
 * Finds a page of results by short statements: the candidates, their neighbours, their vectors and the documents of the page.
 * The ranking between them is done in this process. The embedded database runs one statement at a time, so that everybody else
 * waits for a long one.
 */
import { sql } from 'kysely';
import { runYielding } from '../../common/yielding.ts';
import type { Db } from '../../db/database.ts';
import type { TraceDoc } from '../../domain/record/trace.ts';
import { ALL_ROWS } from '../queries.ts';
import { findNeighbours, inContext } from './context.ts';
import { byMeaning, byTags, byWords, DEPTH, pageOf, type Place } from './fuse.ts';
import { fromColumns, inColumns, type Columns } from './columns.ts';
import { documents } from './documents.ts';
import { knowable, shownWhole, type Looking } from './hidden.ts';
import { findCandidates } from './hits.ts';
import { gains, similarities } from './meaning.ts';
import { boost, held, isFiltered, type Question } from './question.ts';
import { bestOf, weigh } from './rank.ts';
import { nearest } from './semantic.ts';
import type { WordFrequencies } from './word-frequencies.ts';

/** `trace` is null where the page is full by bytes, so that the trace is on the next page. */
export type Found = Place & { trace: TraceDoc | null };

/** `unknown` lists words of the query that no trace has. */
export type Findings = { found: Found[]; unknown: string[] };

/** Where words and tags find fewer traces, all traces are compared with the query, and the nearest are added. */
const FEW = 10;
/** Texts with a lower cosine similarity have nothing in common. Those that are added to other results need more. */
const LEAST_SIMILARITY = 0.1;
const LEAST_ADDED = 0.4;

type Near = { seq: number; similarity: number; boost: number };
const NEAR = ['seq', 'similarity', 'boost'];

/**
 * The nearest of all traces. Without filters it takes the nearest before it reads their boosts, since a boost changes little (0.9
 * to 1.2).
 */
const scanned = async (db: Db, question: Question, least: number): Promise<Near[]> => {
  const { user_id, at, probe } = question;
  if (!probe) return [];
  const { rows } = await sql<Columns>`
    ${inColumns(
      NEAR,
      sql`
      select * from (
        select t.seq, n.similarity, ${boost(question)} as boost
        from (${nearest(user_id, at, probe, isFiltered(question) ? null : 2 * DEPTH)}) n join ${ALL_ROWS} t on t.uid = n.uid
        where ${held(question)} and t.seq <= ${probe.upto} offset 0) s
      where similarity >= ${least}::float8 and similarity < 'NaN' order by similarity * boost desc, seq desc limit ${DEPTH}`,
    )}`.execute(db);
  return fromColumns(rows[0], NEAR);
};

/** Combines matches by tag and word, words that neighbours lend, and similarity. */
export const find = async (
  db: Db,
  frequenciesOf: WordFrequencies,
  question: Question,
  looking: Looking | undefined,
): Promise<Findings> => {
  const { asked, compared, user_id } = question;
  const estimates = await frequenciesOf(question);
  const all = asked.length ? await findCandidates(db, question, estimates) : [];
  const { candidates, hidden } = await knowable(question, all, looking);
  const frequencies = estimates.map((one, ord) => (hidden[ord] ? { ...one, expected: null } : one));
  const weighed = await runYielding(weigh(question, candidates, frequencies));
  const best = bestOf(weighed);
  const near = await findNeighbours(db, question, best);
  const scored = await runYielding(inContext(best, near, weighed));
  const whole = compared ? await shownWhole(looking, scored, ({ trace }) => trace.seq) : [];
  const likeness = await similarities(db, question, whole, weighed);
  const words = byWords(scored, compared ? gains(scored, likeness, compared) : new Map());
  const similar: Near[] = scored.flatMap(({ trace }) => {
    const similarity = likeness.get(trace.seq);
    return similarity === undefined ? [] : [{ seq: trace.seq, similarity, boost: trace.boost }];
  });
  const isFew = scored.length < FEW;
  const others = compared && !isFew ? [] : await scanned(db, question, compared ? LEAST_ADDED : LEAST_SIMILARITY);
  const known = new Set(scored.map(({ trace }) => trace.seq));
  const further = await shownWhole(
    looking,
    others.filter(({ seq }) => !known.has(seq)),
    ({ seq }) => seq,
  );
  const meant = byMeaning([...similar, ...further]);
  const arms: Parameters<typeof pageOf>[0] = [
    ['keyword', words],
    ['tag', byTags(weighed)],
    ['semantic', meant],
  ];
  const unknown = weighed.counted.filter(({ n, word, tag, timed }) => n === 0 && word && !tag && !timed);
  const page = pageOf(arms, question, weighed, scored);
  const bySeq = await documents(
    db,
    user_id,
    page.map(({ seq }) => seq),
  );
  return {
    found: page.map((place) => ({ ...place, trace: bySeq.get(place.seq) ?? null })),
    unknown: unknown.map(({ term }) => term),
  };
};
