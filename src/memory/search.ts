/** Answers a search: parses the query, asks the database, and builds the results with snippets and explanations. */
import type { Clock } from '../common/clock.ts';
import type { Db } from '../db/database.ts';
import type { VectorSupport } from '../db/vectors.ts';
import type { Caller } from '../domain/access/caller.ts';
import { tagLexeme } from '../domain/text/lexemes.ts';
import { answerAsked } from '../domain/text/speech.ts';
import { snippet } from '../domain/text/snippet.ts';
import { isPlan, type TraceDoc } from '../domain/record/trace.ts';
import { readTime, type Instant } from '../domain/time/time.ts';
import { MAX_QUERY_TERMS, terms as termsOf } from '../domain/text/search-words.ts';
import { problem } from '../common/problem.ts';
import { mapYielding } from '../common/yielding.ts';
import { headOf, recordedAt, resolveAsOf } from '../ledger/read-ledger.ts';
import type { Sensitive } from '../ledger/sensitive-values.ts';
import { loadProfile } from '../user/profile.ts';
import { askedOf, marksOf, parse, type Parsed } from './search-parse.ts';
import type { Question } from './search-question.ts';
import { find, type Found } from './search-find.ts';
import type { Signs } from './search-fuse.ts';
import type { SearchBody, SearchHit } from './schemas.ts';
import { showsMatch } from './search-hidden.ts';
import type { Pinned, Probes, Probing } from './query-embeddings.ts';
import { correct } from './search-typos.ts';
import { createWordFrequencies } from './word-frequencies.ts';

export type SearchDeps = VectorSupport & {
  db: Db;
  /** For the short statements of a search. */
  reads: Db;
  clock: Clock;
  sensitive: Sensitive;
  probeFor: Probes;
};

/** Where the next page continues: the seq, the number of results so far, and the embedder of the first page. */
export type SearchPosition = { at: number; offset: number; semantic?: Pinned | undefined };

const textOf = (trace: TraceDoc): string =>
  [isPlan(trace) ? trace.title : null, trace.content, trace.notes].filter(Boolean).join('\n');

/** What else changed a score, in words. */
const reasonsOf = ({ said, ends_asking, tells_time, tells_amount }: Signs): string[] => [
  ...(said ? ['It is said by somebody whose name is in the query.'] : []),
  ...(ends_asking ? ['It ends with a question, which lowers its score.'] : []),
  ...(tells_time ? ['The query asks for a time, and it tells one.'] : []),
  ...(tells_amount ? ['The query asks for an amount, and it tells one.'] : []),
];

const round = (value: number): number => Number(Math.min(1, Math.max(0, value)).toFixed(4));

export const createSearch = ({ db, reads, clock, sensitive, vectors, whyNoVectors, probeFor }: SearchDeps) => {
  const frequencies = createWordFrequencies(db);
  const why = whyNoVectors ?? 'this Postgres has no pgvector';
  const probingFor = async (
    { mode, query }: SearchBody,
    user_id: string,
    at: number,
    pinned: Pinned | undefined,
  ): Promise<Probing> =>
    vectors && (mode === 'hybrid' || mode === 'semantic') ? probeFor(user_id, at, query, pinned) : { probe: undefined };

  /** The entry that a search is true for: the one asked for, or the newest. */
  const entryOf = async (user_id: string, seq: number | undefined): Promise<{ seq: number; recorded_at: Instant }> =>
    seq === undefined ? headOf(reads, user_id) : { seq, recorded_at: await recordedAt(reads, user_id, seq) };

  /** The results. Words that no trace has are replaced by their corrections. */
  const askWithCorrections = async (caller: Caller, question: Question, parsed: Parsed) => {
    const first = await find(db, frequencies, question);
    const corrections = await correct(db, question.user_id, question.at, first.unknown);
    // A correction would reveal a word that this caller must not see.
    if (corrections.size) {
      const { isHidden } = await sensitive.viewWithWords(caller);
      for (const [asked, word] of corrections) if (isHidden(word)) corrections.delete(asked);
    }
    if (!corrections.size) return { found: first.found, terms: parsed.terms, corrected: undefined };
    const terms = [...new Set(parsed.terms.map((term) => corrections.get(term) ?? term))];
    const { found } = await find(db, frequencies, { ...question, asked: askedOf({ ...parsed, terms }) });
    return { found, terms, corrected: Object.fromEntries(corrections) };
  };

  const explain = (
    body: SearchBody,
    { arms, boost }: Pick<Found, 'arms' | 'boost'>,
    corrected: Record<string, string> | undefined,
    { probe, degraded, waiting }: Probing,
    isHidden: (word: string) => boolean,
  ): SearchHit['explain'] => ({
    mode: body.mode,
    arms: Object.fromEntries(
      Object.entries(arms).map(([arm, { rank, score, matched, lent, task, signs }]) => [
        arm,
        {
          rank,
          score,
          ...(matched ? { matched: matched.filter((word) => !isHidden(word)) } : {}),
          ...(lent ? { lent: lent.filter((word) => !isHidden(word)) } : {}),
          ...(task ? { task } : {}),
          ...(signs && reasonsOf(signs).length ? { reasons: reasonsOf(signs) } : {}),
          ...(arm === 'semantic' && probe ? { embedder: probe.embedder } : {}),
        },
      ]),
    ),
    boost,
    ...(corrected ? { corrected } : {}),
    ...(body.mode === 'hybrid' && !vectors ? { unavailable: { semantic: why } } : {}),
    ...(degraded ? { degraded: { semantic: degraded } } : {}),
    ...(waiting ? { waiting } : {}),
  });

  /**
   * A page of results, best first.
   * @param without a tag that no result has
   * @throws 501 semantic_unavailable in semantic mode without pgvector
   */
  const search = async (
    caller: Caller,
    body: SearchBody,
    position: SearchPosition | undefined,
    without?: string,
  ): Promise<{ items: SearchHit[]; next: SearchPosition | null }> => {
    if (body.mode === 'semantic' && !vectors)
      throw problem(
        'semantic_unavailable',
        `Semantic search is not possible, because ${why}. Use the mode hybrid, keyword or tag.`,
      );
    const { user_id, zone } = caller;
    const [known, { profile }] = await Promise.all([
      entryOf(user_id, position?.at ?? (await resolveAsOf(reads, { user_id, zone, now: clock.now() }, body.as_of))),
      loadProfile(reads, user_id),
    ]);
    const { seq: at, recorded_at } = known;
    const offset = position?.offset ?? 0;
    const probing = await probingFor(body, user_id, at, position?.semantic);
    // Traces whose vectors are not there yet are found by their words.
    const isLacking = body.mode === 'semantic' && probing.probe?.model === undefined && probing.waiting !== undefined;
    const mode = isLacking ? 'hybrid' : body.mode;
    const parsed = parse({ ...body, mode }, zone, recorded_at);
    const { probe } = probing;
    const compared = mode === 'hybrid' && probe ? (probe.model === undefined ? 'words' : 'model') : undefined;
    const time = (text: string | undefined, edge: 'start' | 'end') =>
      text === undefined ? undefined : (readTime(text, zone, edge) as Instant);
    const { task_id, tempo_tag, type } = body;
    const question: Question = {
      user_id,
      at,
      recorded_at,
      filter: { task_id, tempo_tag, type, start: time(body.start_time, 'start'), end: time(body.end_time, 'end') },
      tags: (await sensitive.present(caller, body.tags)).map(tagLexeme),
      without: without === undefined ? undefined : tagLexeme(without),
      asked: askedOf(parsed),
      answer: answerAsked(body.query),
      probe,
      compared,
      halfLifeDays: profile.settings.memory.recency_half_life_days,
      limit: body.limit + 1,
      offset,
    };
    const { found, terms, corrected } = await askWithCorrections(caller, question, parsed);
    const marks = marksOf(
      body.mode === 'semantic' || body.mode === 'tag' ? termsOf(body.query, MAX_QUERY_TERMS) : terms,
    );
    const { show, isHidden } = await sensitive.viewWithWords(caller, at);
    const shown = found.slice(0, body.limit).flatMap(({ trace, ...hit }) => (trace ? { ...hit, trace } : []));
    // A query with a hidden word must not tell which traces have it.
    const asksHidden = termsOf(body.query).some(isHidden);
    const items = await mapYielding(shown, (hit): SearchHit | null => {
      const trace = show(hit.trace);
      if (asksHidden && !showsMatch(hit, trace)) return null;
      const { uid, type: kind, task_id: task, tempo_tag: tempo, timestamp, summary } = trace;
      return {
        ...{ uid, type: kind, task_id: task, tempo_tag: tempo, timestamp, summary },
        snippet: snippet(textOf(trace), marks),
        confidence: round(hit.confidence),
        ...(body.explain ? { explain: explain(body, hit, corrected, probing, isHidden) } : {}),
      };
    });
    const listed = items.filter((item) => item !== null);
    const next = { at, offset: offset + shown.length, semantic: position?.semantic ?? probing.probe };
    return { items: listed, next: found.length > shown.length ? next : null };
  };

  return { search };
};

export type Search = ReturnType<typeof createSearch>;
