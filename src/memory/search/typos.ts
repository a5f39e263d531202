/** Corrects misspelt words of a query to the nearest word in the user's recent traces. */
import { sql } from 'kysely';
import type { Db } from '../../db/database.ts';
import { editDistance } from '../../domain/text/edit-distance.ts';
import { allQuery } from '../../domain/text/lexemes.ts';
import { ALL_ROWS, heldAt } from '../queries.ts';
import { mayBeHidden, shownIn, type Looking } from './hidden.ts';
import type { Question } from './question.ts';

/** The words of this many newest traces are candidates. Reading them takes about 8 ms without an index. */
const TRACES_READ = 1_000;
/** Shorter words have too many similar ones. */
const SHORTEST = 4;
const MAX_TERMS = 8;
const CANDIDATES = 20;

/** Most typing errors are in the middle of words, so a long word with the right first letter may differ by two changes. */
const tolerated = (term: string, word: string): number => (term.length > 5 && term[0] === word[0] ? 2 : 1);

/**
 * LIKE patterns of the words that may be a correction: those with the same first letter, and those that differ in the first one
 * only, which is another, one too few or too many, or swapped with the second.
 */
const patternsOf = (term: string): string[] => {
  const [first = '', second = '', ...others] = term;
  const rest = others.join('');
  return [`${first}%`, `_${second}${rest}`, `_${term}`, `${second}${rest}`, `${second}${first}${rest}`];
};

/** Those of the words that the reader is shown in one of the newest traces. */
const shownWords = async (
  db: Db,
  { user_id, at }: Question,
  words: string[],
  looking: Looking,
): Promise<Set<string>> => {
  if (!words.length) return new Set();
  const { rows } = await sql<{ seq: number; words: string[] }>`
    select recent.seq, array_agg(asked.word) as words from (
      select t.seq, t.search from ${ALL_ROWS} t where ${heldAt(user_id, at)} order by t."timestamp" desc limit ${TRACES_READ}) recent
    join unnest(${words}::text[], ${words.map((word) => allQuery([word]))}::text[]) as asked(word, query)
      on recent.search @@ asked.query::tsquery
    group by recent.seq order by recent.seq desc`.execute(db);
  const looked = await looking(rows.map(({ seq }) => seq));
  return new Set(rows.flatMap((row) => shownIn(looked.get(row.seq), row.words)));
};

/**
 * The correction of each word that has one. Trigrams (pg_trgm) propose candidates, and the edit distance decides. A word that the
 * reader is shown nowhere is no correction.
 */
export const correct = async (
  db: Db,
  question: Question,
  unknown: string[],
  looking: Looking | undefined,
): Promise<Map<string, string>> => {
  const { user_id, at, hiding } = question;
  const terms = unknown.filter((term) => term.length >= SHORTEST && /^\p{L}+$/u.test(term)).slice(0, MAX_TERMS);
  if (!terms.length) return new Map();
  const { rows } = await sql<{ term: string; near: string[] }>`
    with vocabulary as materialized (
      select distinct word
      from (select unnest(tsvector_to_array(recent.search)) as word
            from (select t.search from ${ALL_ROWS} t where ${heldAt(user_id, at)} order by t."timestamp" desc limit ${TRACES_READ}) recent
            offset 0) w
      where word like any (${terms.flatMap(patternsOf)}::text[])
    )
    select asked.term, near.words as near
    from unnest(${terms}::text[]) as asked(term)
    cross join lateral (
      select array_agg(word) as words from (
        select word from vocabulary where abs(length(word) - length(asked.term)) <= 2 and word !~ '^[#@?~]'
        order by similarity(word, asked.term) desc, word limit ${CANDIDATES}) v
    ) near
    where near.words is not null`.execute(db);
  const isDoubtful = (word: string): boolean => hiding !== undefined && mayBeHidden(hiding, word);
  const doubtful = [...new Set(rows.flatMap(({ near }) => near.filter(isDoubtful)))];
  const shown = looking ? await shownWords(db, question, doubtful, looking) : new Set();
  const hidden = new Set(doubtful.filter((word) => !shown.has(word)));
  return new Map(
    rows.flatMap(({ term, near }) => {
      const [best] = near
        .filter((word) => !hidden.has(word))
        .map((word) => ({ word, distance: editDistance(word, term) }))
        .sort((a, b) => a.distance - b.distance);
      return best && best.distance > 0 && best.distance <= tolerated(term, best.word)
        ? [[term, best.word] as const]
        : [];
    }),
  );
};
