/** Corrects misspelt words of a query to the nearest word in the user's recent traces. */
import { sql } from 'kysely';
import type { Db } from '../../db/database.ts';
import { editDistance } from '../../domain/text/edit-distance.ts';
import { formsOf } from '../../domain/text/irregular-forms.ts';
import { allQuery } from '../../domain/text/lexemes.ts';
import { ALL_ROWS, heldAt } from '../queries.ts';
import { shows, type Looking } from './hidden.ts';
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

/** The traces that are looked at in one step. */
const LOOKED_AT = 50;

/** Whether the reader is shown a word in one of the newest traces. */
const isShown = async (db: Db, { user_id, at }: Question, word: string, looking: Looking): Promise<boolean> => {
  const { rows } = await sql<{ seq: number }>`
    select recent.seq from (
      select t.seq, t.search from ${ALL_ROWS} t where ${heldAt(user_id, at)} order by t."timestamp" desc limit ${TRACES_READ}) recent
    where recent.search @@ ${allQuery([word])}::tsquery`.execute(db);
  const seqs = rows.map(({ seq }) => seq);
  for (let from = 0; from < seqs.length; from += LOOKED_AT) {
    const some = seqs.slice(from, from + LOOKED_AT);
    const looked = await looking(some);
    if (some.some((seq) => shows(looked.get(seq), word))) return true;
  }
  return false;
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
  const corrections = new Map<string, string>();
  for (const { term, near } of rows) {
    const nearest = near
      .map((word) => ({ word, distance: editDistance(word, term) }))
      .filter(({ word, distance }) => distance > 0 && distance <= tolerated(term, word))
      .sort((a, b) => a.distance - b.distance);
    for (const { word } of nearest) {
      if (
        looking &&
        formsOf(word).some((form) => hiding?.isHidden(form)) &&
        !(await isShown(db, question, word, looking))
      )
        continue;
      corrections.set(term, word);
      break;
    }
  }
  return corrections;
};
