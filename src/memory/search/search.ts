/** Answers a search: parses the query, asks the database, and builds the results with snippets and explanations. */
import type { Clock } from '../../common/clock.ts';
import type { Db } from '../../db/database.ts';
import type { VectorSupport } from '../../db/vectors.ts';
import type { Caller } from '../../domain/access/caller.ts';
import { snippet } from '../../domain/text/snippet.ts';
import { isPlan, type TraceDoc } from '../../domain/record/trace.ts';
import { MAX_QUERY_TERMS, terms as termsOf } from '../../domain/text/search-words.ts';
import { problem } from '../../common/problem.ts';
import { mapYielding } from '../../common/yielding.ts';
import type { Sensitive } from '../../ledger/sensitive-values.ts';
import { explain, type Reasons } from './explain.ts';
import { askedOf, marksOf, type Parsed } from './parse.ts';
import type { Question } from './question.ts';
import { find, type Found } from './find.ts';
import type { SearchBody, SearchHit } from '../schemas.ts';
import { showsMatch } from './hidden.ts';
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

/** Results that are read for a query with a hidden word, of which some may not be shown: as many as the longest page has, and one. */
const MOST_READ = 101;

const textOf = (trace: TraceDoc): string =>
  [isPlan(trace) ? trace.title : null, trace.content, trace.notes].filter(Boolean).join('\n');

const round = (value: number): number => Number(Math.min(1, Math.max(0, value)).toFixed(4));

export const createSearch = ({ db, reads, clock, sensitive, vectors, whyNoVectors, probeFor }: SearchDeps) => {
  const frequencies = createWordFrequencies(db);
  const why = whyNoVectors ?? 'this Postgres has no pgvector';
  const { read } = createReadQuestion({ vectors, probeFor, reads, clock, sensitive });

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

  const asksHidden = async (caller: Caller, { query }: SearchBody, at: number): Promise<boolean> => {
    const { isHidden } = await sensitive.viewWithWords(caller, at);
    return termsOf(query).some(isHidden);
  };

  /**
   * The results as this caller may see them, null where one may not be known. A query with a hidden word must not tell which traces
   * have it.
   */
  const show = async (
    caller: Caller,
    body: SearchBody,
    at: number,
    hits: readonly (Found & { trace: TraceDoc })[],
    { terms, ...reasons }: Reasons & { terms: string[] },
  ): Promise<{ items: (SearchHit | null)[]; isHiding: boolean }> => {
    const marks = marksOf(
      body.mode === 'semantic' || body.mode === 'tag' ? termsOf(body.query, MAX_QUERY_TERMS) : terms,
    );
    const { show, isHidden } = await sensitive.viewWithWords(caller, at);
    const isHiding = termsOf(body.query).some(isHidden);
    const items = await mapYielding(hits, (hit): SearchHit | null => {
      const trace = show(hit.trace);
      if (isHiding && !showsMatch(hit, trace, isHidden)) return null;
      const { uid, type: kind, task_id: task, tempo_tag: tempo, timestamp, summary } = trace;
      return {
        ...{ uid, type: kind, task_id: task, tempo_tag: tempo, timestamp, summary },
        snippet: snippet(textOf(trace), marks),
        confidence: round(hit.confidence),
        ...(body.explain ? { explain: explain(body.mode, hit, reasons, isHidden) } : {}),
      };
    });
    return { items, isHiding };
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
    const { question, parsed, probing } = await read(caller, body, position, without);
    const { at, offset } = question;
    const isWide = await asksHidden(caller, body, at);
    const { found, terms, corrected } = await askWithCorrections(
      caller,
      isWide ? { ...question, limit: MOST_READ } : question,
      parsed,
    );
    const hits = found.flatMap(({ trace, ...hit }) => (trace ? { ...hit, trace } : []));
    const reasons = { terms, corrected, probing, unavailable: vectors ? null : why };
    const { items, isHiding } = await show(caller, body, at, hits, reasons);
    const seen = items.flatMap((item, i) => (item ? [{ item, end: i + 1 }] : []));
    const shown = seen.slice(0, body.limit);
    // What follows is a page only where the caller may know of it. Without a hidden word that is everything that was found.
    const hasMore = isHiding ? seen.length > shown.length : found.length > shown.length;
    const semantic = position?.semantic ?? probing.probe;
    const next = hasMore ? { at, offset: offset + (shown.at(-1)?.end ?? 0), semantic } : null;
    return { items: shown.map(({ item }) => item), next };
  };

  return { search };
};

export type Search = ReturnType<typeof createSearch>;
