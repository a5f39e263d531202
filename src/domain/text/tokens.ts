/** Counts tokens as current OpenAI models do (o200k_base). */
import { createRequire } from 'node:module';
import type * as Encoding from 'gpt-tokenizer/encoding/o200k_base';
import { createWordCache } from './word-cache.ts';

let loaded: typeof Encoding | undefined;

/** The encoding is loaded on first use, because it takes about 115 ms, 16 MiB of heap and 60 MiB of resident memory. */
const encoding = (): typeof Encoding => {
  if (!loaded) {
    loaded = createRequire(import.meta.url)('gpt-tokenizer/encoding/o200k_base') as typeof Encoding;
    loaded.setMergeCacheSize(10_000);
  }
  return loaded;
};

/** `<|endoftext|>` in a text is ordinary characters, not a control token. */
const AS_TEXT = { disallowedSpecial: new Set<string>() };

/** No token of o200k_base is longer, in characters. */
const LONGEST_TOKEN = 128;
/** The encoder's time grows with the square of an unbroken run: it takes 217 ms for 8,000 CJK characters and 34 s for 100,000. */
const LONGEST_RUN = 256;
const RUN = /[\p{L}\p{M}]+|\s+|[^\s\p{L}\p{M}\p{N}]+/gu;

/**
 * Counts the tokens of a text exactly, except that a run of more than 256 letters, signs or spaces without a break counts one
 * token per byte. So it never counts too few, and is linear in the text.
 */
export const countTokens = (text: string): number => countUpTo(text, Infinity);

/** Counts the tokens, but stops above `max` and then returns some number above it. */
const countUpTo = (text: string, max: number): number => {
  if (UNEVEN.test(text)) return countPart(text);
  const space = text.indexOf(' ');
  return countWords(text, space, countFirst(text, 0, space < 0 ? text.length : space), max);
};

/**
 * Adds the tokens of the words from `space` on. Only the beginning of a token may be a space, so words between single spaces are
 * counted separately.
 */
const countWords = (text: string, from: number, before: number, max: number): number => {
  let tokens = before;
  let space = from;
  while (space >= 0 && tokens <= max) {
    const start = space + 1;
    space = text.indexOf(' ', start);
    tokens += countWord(text, start, space < 0 ? text.length : space);
  }
  return tokens;
};

/** The tokens of a text at the beginning, and of the same text after a space. */
export type Joined = { first: number; later: number };

export const countJoined = (text: string): Joined => {
  if (UNEVEN.test(text)) return { first: countPart(text), later: countTokens(` ${text}`) };
  const space = text.indexOf(' ');
  const end = space < 0 ? text.length : space;
  const rest = countWords(text, space, 0, Infinity);
  return { first: countFirst(text, 0, end) + rest, later: countWord(text, 0, end) + rest };
};

/** White space other than single spaces. */
const UNEVEN = /[^\S ]| {2}/;

const countFirst = createWordCache((word) => countPart(word));
/** Counts the tokens of a word with the space before it. */
const countWord = createWordCache((word) => countPart(` ${word}`));

const countPart = (text: string): number => {
  if (text.length <= LONGEST_RUN) return encoding().countTokens(text, AS_TEXT);
  let tokens = 0;
  let counted = 0;
  for (const { 0: run, index } of text.matchAll(RUN)) {
    if (run.length <= LONGEST_RUN) continue;
    tokens += encoding().countTokens(text.slice(counted, index), AS_TEXT) + Buffer.byteLength(run);
    counted = index + run.length;
  }
  return tokens + encoding().countTokens(text.slice(counted), AS_TEXT);
};

/** True where the text has at most `max` tokens. It is cheap for texts that are clearly short or clearly long. */
export const fitsTokens = (text: string, max: number): boolean =>
  Buffer.byteLength(text) <= max || (text.length <= max * LONGEST_TOKEN && countUpTo(text, max) <= max);

/** Returns a start of the text with at most `max` tokens, the longest that a binary search finds. It never splits a character. */
export const truncateToTokens = (text: string, max: number): string => {
  if (fitsTokens(text, max)) return text;
  let fits = 0;
  let tooLong = Math.min(text.length, max * LONGEST_TOKEN + 1);
  while (tooLong - fits > 1) {
    const middle = (fits + tooLong) >> 1;
    if (fitsTokens(text.slice(0, middle), max)) fits = middle;
    else tooLong = middle;
  }
  return wholeCharacters(text.slice(0, fits));
};

/** Drops half a surrogate pair at the end. */
const wholeCharacters = (text: string): string => (/[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text);
