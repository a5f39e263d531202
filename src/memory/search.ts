/** Search: what a query asks for, the arms that look for it, and the answer as people read it. */
import type { Db } from '../db/client.ts';
import type { Caller } from '../domain/caller.ts';
import { embed, EMBEDDER, toVectorLiteral } from '../domain/embed.ts';
import { phraseQuery, tagQuery, tagsQuery, termQuery } from '../domain/lexemes.ts';
import { snippet } from '../domain/snippet.ts';
import { isPlan, type TraceDoc } from '../domain/trace.ts';
import { readTime, type Instant } from '../domain/time.ts';
import { MAX_QUERY_TERMS, parseQuery, terms as termsOf } from '../domain/words.ts';
import { problem } from '../errors.ts';
import { headSeq, resolveAsOf } from '../ledger/read.ts';
import { searchStatement, type Asked, type Found, type Question } from './search-sql.ts';
import type { SearchBody, SearchHit } from './schema.ts';
import { correct } from './typos.ts';

export type SearchDeps = {
  db: Db;
  /** Whether pgvector is there. */
  vectors: boolean;
  /** The user's setting recency_half_life_days. */
  halfLifeOf: (user_id: string) => Promise<number>;
};

/** Where a walk stands: the seq it is true for and how many results were told. */
export type SearchPosition = { at: number; offset: number };

/** Longer queries are texts, in which word order says little. */
const LONGEST_PHRASE = 8;

const NO_VECTORS = 'this Postgres has no pgvector';

type Parsed = { terms: string[]; tags: string[]; phrases: string[][] };

/** What each mode makes of the query: in keyword mode a tag is its words, in tag mode a word is a tag. */
const parse = ({ query, mode, tags }: SearchBody): Parsed => {
  if (mode === 'semantic') return { terms: [], tags: [], phrases: [] };
  const asked = parseQuery(query);
  const words =
    mode === 'keyword' ? [...new Set(termsOf(query, 10 * MAX_QUERY_TERMS))].slice(0, MAX_QUERY_TERMS) : asked.terms;
  const bare = mode === 'tag' ? query.split(/[\s,;"“”]+/u).filter((word) => /[\p{L}\p{N}]/u.test(word)) : asked.tags;
  return {
    terms: mode === 'tag' ? [] : words,
    tags: mode === 'keyword' ? [] : [...new Set([...bare, ...tags])].slice(0, MAX_QUERY_TERMS),
    phrases: asked.phrases.map((phrase) => termsOf(phrase, LONGEST_PHRASE + 1)),
  };
};

/** Phrases in quotes, and the whole query as one: where its words stand together, or are the title. */
const phrasesOf = ({ terms, phrases }: Parsed): Asked[] => {
  const bonus = (query: string): Asked => ({ arm: 'keyword', term: query, query, bonus: true });
  const told = [...phrases, terms].filter((p) => p.length > 1 && p.length <= LONGEST_PHRASE);
  const title = terms.length && terms.length <= LONGEST_PHRASE ? [bonus(phraseQuery(terms, true))] : [];
  return terms.length ? [...new Set(told.map((p) => phraseQuery(p)))].map(bonus).concat(title) : [];
};

const askedOf = (parsed: Parsed): Asked[] => [
  ...parsed.terms.map((term): Asked => ({ arm: 'keyword', term, query: termQuery(term), bonus: false })),
  ...phrasesOf(parsed),
  ...[...new Set(parsed.tags.map(tagQuery))].map((query): Asked => ({
    arm: 'tag',
    term: query.slice(1, -1),
    query,
    bonus: false,
  })),
];

const textOf = (trace: TraceDoc): string =>
  [isPlan(trace) ? trace.title : null, trace.content, trace.notes].filter(Boolean).join('\n');

const round = (value: number): number => Number(Math.min(1, Math.max(0, value)).toFixed(4));

export const createSearch = ({ db, vectors, halfLifeOf }: SearchDeps) => {
  const vectorOf = (body: SearchBody): string | undefined => {
    if (!vectors || (body.mode !== 'hybrid' && body.mode !== 'semantic')) return undefined;
    const vector = embed(body.query);
    return vector.some((x) => x !== 0) ? toVectorLiteral(vector) : undefined; // no direction without words
  };

  const ask = async (question: Question) => {
    const { rows } = await searchStatement(question).execute(db);
    return { found: rows[0]?.found ?? [], unknown: rows[0]?.unknown ?? [] };
  };

  /** The findings; where a word is unknown, those for the word it was most likely meant to be. */
  const askWithCorrections = async (question: Question, parsed: Parsed) => {
    const first = await ask(question);
    const meant = await correct(db, question.user_id, question.at, first.unknown);
    if (!meant.size) return { found: first.found, terms: parsed.terms, corrected: undefined };
    const terms = [...new Set(parsed.terms.map((term) => meant.get(term) ?? term))];
    const { found } = await ask({ ...question, asked: askedOf({ ...parsed, terms }) });
    return { found, terms, corrected: Object.fromEntries(meant) };
  };

  const explain = (
    body: SearchBody,
    { arms, boost }: Found,
    corrected: Record<string, string> | undefined,
  ): SearchHit['explain'] => ({
    mode: body.mode,
    arms: Object.fromEntries(
      Object.entries(arms).map(([arm, { rank, score, matched }]) => [
        arm,
        { rank, score, ...(matched ? { matched } : {}), ...(arm === 'semantic' ? { embedder: EMBEDDER } : {}) },
      ]),
    ),
    boost,
    ...(corrected ? { corrected } : {}),
    ...(body.mode === 'hybrid' && !vectors ? { unavailable: { semantic: NO_VECTORS } } : {}),
  });

  /**
   * A page of results, best first.
   * @throws 501 semantic_unavailable in semantic mode without pgvector.
   */
  const search = async (
    caller: Caller,
    body: SearchBody,
    position: SearchPosition | undefined,
  ): Promise<{ items: SearchHit[]; at: number; next: number | null }> => {
    if (body.mode === 'semantic' && !vectors)
      throw problem(
        'semantic_unavailable',
        `Semantic search is not possible: ${NO_VECTORS}. Use hybrid, keyword or tag.`,
      );
    const { user_id, zone } = caller;
    const head = await headSeq(db, user_id);
    const at = position?.at ?? Math.min(head, (await resolveAsOf(db, user_id, zone, body.as_of)) ?? head);
    const offset = position?.offset ?? 0;
    const parsed = parse(body);
    const time = (text: string | undefined, edge: 'start' | 'end') =>
      text === undefined ? undefined : (readTime(text, zone, edge) as Instant);
    const { task_id, tempo_tag, type } = body;
    const question: Question = {
      user_id,
      at,
      filter: { task_id, tempo_tag, type, start: time(body.start_time, 'start'), end: time(body.end_time, 'end') },
      tagged: body.tags.length ? tagsQuery(body.tags) : undefined,
      asked: askedOf(parsed),
      vector: vectorOf(body),
      halfLifeDays: await halfLifeOf(user_id),
      limit: body.limit + 1,
      offset,
    };
    const { found, terms, corrected } = await askWithCorrections(question, parsed);
    const marks = body.mode === 'semantic' || body.mode === 'tag' ? termsOf(body.query, MAX_QUERY_TERMS) : terms;
    const items = found.slice(0, body.limit).map((hit): SearchHit => {
      const { uid, type: kind, task_id: task, tempo_tag: tempo, timestamp, summary } = hit.trace;
      return {
        ...{ uid, type: kind, task_id: task, tempo_tag: tempo, timestamp, summary },
        snippet: snippet(textOf(hit.trace), marks),
        confidence: round(hit.confidence),
        ...(body.explain ? { explain: explain(body, hit, corrected) } : {}),
      };
    });
    return { items, at, next: found.length > body.limit ? offset + body.limit : null };
  };

  return { search };
};

export type Search = ReturnType<typeof createSearch>;
