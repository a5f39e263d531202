/** Splits text into search terms. Stored texts and queries use the same folding, stop words and stemming. */
import { createWordCache } from './word-cache.ts';

/** A query may have this many terms and this many tags; further ones are ignored. */
export const MAX_QUERY_TERMS = 64;
/** And this many phrases, because the places of words are compared: 64 phrases in 200 long traces took a second. */
const MAX_PHRASES = 8;

export type Query = {
  /** The distinct stems in the query's order, without the words of tags. */
  terms: string[];
  /** The tags with their sign, lower-cased: `@deep_work`, `#thesis`. */
  tags: string[];
  /** The texts in double quotes, with normalised white space. Their words are among `terms` too. */
  phrases: string[];
};

/** A word of the text: its position (UTF-16 offsets) and the term under which it is indexed. */
export type Word = { term: string; start: number; end: number };

/** Scripts written without spaces between words. Their text is indexed by pairs of characters. */
const UNSPACED = ['Han', 'Hira', 'Kana', 'Thai', 'Laoo', 'Khmr'].map((script) => `\\p{scx=${script}}`).join('');
const WORD = new RegExp(
  String.raw`(?<run>[[\p{L}\p{M}]&&[${UNSPACED}]]+)|[[\p{L}\p{N}\p{M}]--[[\p{L}\p{M}]&&[${UNSPACED}]]]+(?:['’]\p{L}+)*`,
  'gv',
);
const ASCII = /^[\0-\x7f]*$/;
const DIGIT = 1;
const LETTER = 2;
/** The ASCII characters of which words consist. */
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  return /[A-Za-z]/.test(character) ? LETTER : /\d/.test(character) ? DIGIT : 0;
});
const TAG = /(?<![\p{L}\p{N}_])[@#][\p{L}\p{N}_](?:[\p{L}\p{N}\p{M}_./-]*[\p{L}\p{N}_])?/gu;
const PHRASE = /["“”]([^"“”]+)["“”]/gu;

const STOP_WORDS = new Set(
  (
    'a about after all also am an and any are as at be because been before being but by can could did do does doing for from had ' +
    'has have having he her here hers him his how i if in into is it its just me more most my no nor not of on or our ours out ' +
    'over own she should so some such than that the their theirs them then there these they this those through to too under up ' +
    'us very was we were what when where which while who whom why will with would you your yours'
  ).split(' '),
);

/** Lists the terms of a text in order, with repetitions and without stop words, at most `limit`. Linear in the text. */
export const terms = (text: string, limit = Infinity): string[] => {
  const found: string[] = [];
  if (ASCII.test(text)) return asciiTerms(text, limit);
  for (const { term } of words(text)) {
    if (found.length >= limit) break;
    found.push(term);
  }
  return found;
};

/** Works as `terms`, with positions, so that a snippet marks exactly what search matched. */
export const words = function* (text: string): Generator<Word> {
  for (const match of text.matchAll(WORD)) {
    const [word] = match;
    if (match.groups?.run) {
      yield* pairs(text, match.index, match.index + word.length);
      continue;
    }
    const end = match.index + word.length;
    const term = termAt(text, match.index, end);
    if (term !== '') yield { term, start: match.index, end };
  }
};

/** Returns the term of a word; undefined for a stop word. */
const termAt = createWordCache((word) => {
  const folded = fold(word);
  return STOP_WORDS.has(folded) ? '' : stem(folded);
});

/**
 * Finds in ASCII text, which most texts are, what WORD finds, in a sixth of the time. Every write makes the terms of its text.
 */
const asciiTerms = (text: string, limit: number): string[] => {
  const found: string[] = [];
  const isAt = (i: number, least: number): boolean => i < text.length && (KINDS[text.charCodeAt(i)] as number) >= least;
  for (let i = 0; i < text.length && found.length < limit; i++) {
    const start = i;
    while (isAt(i, DIGIT)) i++;
    if (i === start) continue;
    while (text[i] === "'" && isAt(i + 1, LETTER)) for (i++; isAt(i, LETTER); i++);
    const term = termAt(text, start, i);
    if (term !== '') found.push(term);
    i--; // The next word may begin where this one ends.
  }
  return found;
};

/** Parses a search query into words, `@tags` and `#tags`, and "quoted phrases". */
export const parseQuery = (query: string): Query => {
  const tags = new Set(Array.from(query.matchAll(TAG), ([tag]) => tag.normalize('NFKC').toLowerCase()));
  const phrases = new Set(Array.from(query.matchAll(PHRASE), ([, phrase = '']) => phrase.replace(/\s+/g, ' ').trim()));
  const rest = query.replace(TAG, ' ');
  return {
    terms: [...new Set(terms(rest))].slice(0, MAX_QUERY_TERMS),
    tags: [...tags].slice(0, MAX_QUERY_TERMS),
    phrases: [...phrases].filter(Boolean).slice(0, MAX_PHRASES),
  };
};

/** Converts to lower case and compatibility forms, and drops Latin accents and possessives. */
const fold = (word: string): string => {
  const lower = word.toLowerCase();
  if (/^[a-z0-9]*$/.test(lower)) return lower;
  return lower
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .toLowerCase()
    .replace(/['’]s$/, '')
    .replace(/['’]/g, '');
};

const pairAt = createWordCache((pair) => pair.normalize('NFKC').toLowerCase());

/** The pairs of characters of a run; one alone is a term too. */
const pairs = function* (text: string, from: number, to: number): Generator<Word> {
  const nextOf = (at: number): number => at + ((text.codePointAt(at) as number) > 0xffff ? 2 : 1);
  for (let start = from, middle = nextOf(from); start === from || middle < to;) {
    const end = middle < to ? nextOf(middle) : middle;
    yield { term: pairAt(text, start, end), start, end };
    [start, middle] = [middle, end];
  }
};

/**
 * A light stemmer for English: plurals, -ed, -ing, final e and y, doubled consonants. plan, plans, planned and planning get one
 * stem, and so do make and making. Short names differ from words (Tim, time).
 */
const stem = (word: string): string => {
  if (word.length < 3 || !/^[a-z]+$/.test(word)) return word;
  let root = word;
  if (word.length > 4 && /(?:ies|ied)$/.test(word)) root = word.slice(0, -3);
  else if (/(?:x|ch|sh|ss)es$/.test(word)) root = word.slice(0, -2);
  else if (word.length > 3 && /[^sui]s$/.test(word)) root = word.slice(0, -1);
  root = withoutEnding(root).replace(/(?:(?<=[^aeiou])y|(?<=.{4})e)$/, '');
  return root.replace(/([^aeiou])\1$/, '$1');
};

/** Removes -ed or -ing. A short root whose consonant was not doubled had an e (making, used). */
const withoutEnding = (word: string): string => {
  const bare = word.replace(/(?:(?<=[^e])ed|(?<=...ee)d|ing)$/, '');
  if (bare === word || bare.length < 2 || !/[aeiouy]/.test(bare)) return word;
  return /^[^aeiou]?[aeiou][^aeiouwxy]$/.test(bare) ? `${bare}e` : bare;
};
