/** Answers a search: parses the query, asks the database, and builds the results with snippets and explanations. */
import type { Clock } from '../../common/clock.ts';
import type { Db } from '../../db/database.ts';
import type { VectorSupport } from '../../db/vectors.ts';
import type { Caller } from '../../domain/access/caller.ts';
import { traceKind } from '../../domain/record/trace-kind.ts';
import { snippet } from '../../domain/text/snippet.ts';
import { isPlan, type TraceDoc } from '../../domain/record/trace.ts';
import { MAX_QUERY_TERMS, terms as termsOf } from '../../domain/text/search-words.ts';
import { problem } from '../../common/problem.ts';
import { mapYielding } from '../../common/yielding.ts';
import type { Sensitive } from '../../ledger/sensitive-values.ts';
import { explain, type Reasons } from './explain.ts';
import { askedOf, marksOf, type Parsed } from './parse.ts';
import type { Hiding, Question } from './question.ts';
import { find, type Found } from './find.ts';
import { createLooking } from './hidden.ts';
import type { SearchBody, SearchHit } from '../schemas.ts';
import type { Probes } from '../embeddings/query-embeddings.ts';
import { correct } from './typos.ts';
import { createWordFrequencies } from './word-frequencies.ts';
import { createReadQuestion, type SearchPosition } from './read-question.ts';

export type SearchDeps = VectorSupport & {
  db: Db;
  /** For the short statements of a search. */
  reads: Db;
  clock: Clock;
  sensitive: Sensitive;
  probeFor: Probes;
};

const textOf = (trace: TraceDoc): string =>
  [isPlan(trace) ? trace.title : null, trace.content, trace.notes].filter(Boolean).join('\n');

const round = (value: number): number => Number(Math.min(1, Math.max(0, value)).toFixed(4));

export const createSearch = ({ db, reads, clock, sensitive, vectors, whyNoVectors, probeFor }: SearchDeps) => {
  const frequencies = createWordFrequencies(db);
  const why = whyNoVectors ?? 'this Postgres has no pgvector';
  const { read } = createReadQuestion({ vectors, probeFor, reads, clock, sensitive });

  /** The results. Words that no trace has are replaced by their corrections. */
  const askWithCorrections = async (question: Question, parsed: Parsed) => {
    const { user_id, hiding } = question;
    const looking = hiding && createLooking(db, user_id, hiding.show);
    const first = await find(db, frequencies, question, looking);
    const corrections = await correct(db, question, first.unknown, looking);
    if (!corrections.size) return { found: first.found, terms: parsed.terms, corrected: undefined };
    const terms = [...new Set(parsed.terms.map((term) => corrections.get(term) ?? term))];
    const { found } = await find(db, frequencies, { ...question, asked: askedOf({ ...parsed, terms }) }, looking);
    return { found, terms, corrected: Object.fromEntries(corrections) };
  };

  /** The results as this caller may see them. */
  const present = async (
    body: SearchBody,
    { show }: Hiding,
    hits: readonly (Found & { trace: TraceDoc })[],
    { terms, ...reasons }: Reasons & { terms: string[] },
  ): Promise<SearchHit[]> => {
    const marks = marksOf(
      body.mode === 'semantic' || body.mode === 'tag' ? termsOf(body.query, MAX_QUERY_TERMS) : terms,
    );
    return mapYielding(hits, (hit): SearchHit => {
      const trace = show(hit.trace);
      const { uid, type, task_id, tempo_tag, timestamp, summary } = trace;
      return {
        ...{ uid, type, kind: traceKind(trace), task_id, tempo_tag, timestamp, summary },
        snippet: snippet(textOf(trace), marks),
        confidence: round(hit.confidence),
        ...(body.explain ? { explain: explain(body.mode, hit, reasons) } : {}),
      };
    });
  };

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
    const { question, parsed, probing, view } = await read(caller, body, position, without);
    const { at, offset } = question;
    const { found, terms, corrected } = await askWithCorrections(question, parsed);
    // A trace that is not there fills no page: it is on the next one, and so is what follows it.
    const hits = found.flatMap(({ trace, ...hit }) => (trace ? { ...hit, trace } : [])).slice(0, body.limit);
    const items = await present(body, view, hits, { terms, corrected, probing, unavailable: vectors ? null : why });
    const semantic = position?.semantic ?? probing.probe;
    const next = found.length > items.length ? { at, offset: offset + items.length, semantic } : null;
    return { items, next };
  };

  return { search };
};

export type Search = ReturnType<typeof createSearch>;
