/** Parses a query into what search looks for: words in all their forms, phrases, tags and times. */
import { timesIn } from '../../domain/time/named-times.ts';
import { formsOf } from '../../domain/text/irregular-forms.ts';
import { dateQuery, lexemeOf, phraseQuery, speakerQuery, tagLexeme } from '../../domain/text/lexemes.ts';
import { localDate, type Instant } from '../../domain/time/time.ts';
import { MAX_QUERY_TERMS, parseQuery, terms as termsOf } from '../../domain/text/search-words.ts';
import type { Asked } from './question.ts';
import type { SearchBody } from '../schemas.ts';

export type Parsed = {
  terms: string[];
  tags: string[];
  phrases: string[][];
  times: ReturnType<typeof timesIn>;
};

/** The words of a longer query are no phrase, since their order says little. */
const LONGEST_PHRASE = 8;
const YEAR = 365;

/**
 * Parses the query for a mode: in keyword mode a tag is its words, in tag mode a word is a tag. Times are in `zone`. A time
 * without a year is the last one before `known`, the recorded time of the newest entry.
 */
export const parse = ({ query, mode, tags }: SearchBody, zone: string, known: Instant): Parsed => {
  if (mode === 'semantic') return { terms: [], tags: [], phrases: [], times: [] };
  const asked = parseQuery(query);
  const words =
    mode === 'keyword' ? [...new Set(termsOf(query, 10 * MAX_QUERY_TERMS))].slice(0, MAX_QUERY_TERMS) : asked.terms;
  const bare = mode === 'tag' ? query.split(/[\s,;"“”]+/u).filter((word) => /[\p{L}\p{N}]/u.test(word)) : asked.tags;
  return {
    terms: mode === 'tag' ? [] : words,
    tags: mode === 'keyword' ? [] : [...new Set([...bare, ...tags])].slice(0, MAX_QUERY_TERMS),
    phrases: asked.phrases.map((phrase) => termsOf(phrase, LONGEST_PHRASE + 1)),
    times: mode === 'tag' ? [] : timesIn(query, zone, localDate(known, zone)),
  };
};

/** The words of the query that only name a time. A trace need not contain them. */
const wordsOfTimes = ({ times }: Parsed): Set<string> => new Set(times.flatMap(({ text }) => termsOf(text)));

/** The phrases in quotes, and the whole query as a phrase and as a title. */
const phrasesOf = ({ terms, phrases }: Parsed): Asked[] => {
  const phrase = (query: string): Asked => ({ arm: 'keyword', term: query, query, as: 'phrase' });
  const quoted = [...phrases, terms].filter((p) => p.length > 1 && p.length <= LONGEST_PHRASE);
  const title = terms.length && terms.length <= LONGEST_PHRASE ? [phrase(phraseQuery(terms, true))] : [];
  return terms.length ? [...new Set(quoted.map((p) => phraseQuery(p)))].map(phrase).concat(title) : [];
};

/** A time weighs as much as a word that as many traces contain, if the traces of a year were evenly spread. */
const timesOf = ({ times }: Parsed, as: 'word' | 'hint'): Asked[] =>
  times.map(({ text, start, end, days, date }) => ({
    arm: 'keyword',
    term: text,
    start,
    end,
    dates: dateQuery(date),
    weight: Math.log(1 + YEAR / days),
    as,
  }));

export const askedOf = (parsed: Parsed): Asked[] => {
  const hints = wordsOfTimes(parsed);
  const words = parsed.terms.map((term): Asked => ({
    ...{ arm: 'keyword', term, as: hints.has(term) ? 'hint' : 'word' },
    lexemes: formsOf(term).map(lexemeOf),
    said: speakerQuery(term),
  }));
  return [
    // Two words can be forms of the same word; one of them is enough.
    ...words.filter((a, i) => words.findIndex((b) => formsOf(b.term).includes(a.term)) === i),
    ...phrasesOf(parsed),
    ...timesOf(parsed, words.some(({ as }) => as === 'word') ? 'hint' : 'word'),
    ...[...new Set(parsed.tags.map(tagLexeme))].map((term): Asked => ({
      arm: 'tag',
      term,
      lexemes: [term],
      as: 'word',
    })),
  ];
};

/** The words that a snippet marks. */
export const marksOf = (terms: readonly string[]): string[] => terms.flatMap(formsOf);
