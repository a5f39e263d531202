/** Splits the words of a span of time: words, figures, marks. */
import { SPELLINGS } from '../words/time-words.ts';

/** `glued`: no space before it, as the unit of '20min'. `from` and `to` are offsets into the words. */
export type Token = { word: string; from: number; to: number; glued: boolean };

/** A span of time is short; what is longer is a mistake of the reader of roles, and its rest counts as not read. */
export const MOST_TOKENS = 120;

const PIECE =
  /\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}(?:st|nd|rd|th)(?!\p{L})|\d{1,2}[.:]\d{2}[.:]\d{2}(?!\d)|\d{1,2}([./])\d{1,2}(?:\1(?:\d{4}|\d{2}))?(?:\.(?!\d))?(?![\d])|\d+(?:[.:]\d+|,\d(?!\d))?|[\p{L}\p{M}]+(?:'[\p{L}\p{M}]+)*|[^\s]/gu;

/** A possessive has the meaning of its word: "today's". Other apostrophes belong to the word: "o'clock". */
const plain = (word: string): string => {
  const own = word.endsWith("'s") ? word.slice(0, -2) : word;
  return SPELLINGS.get(own) ?? own;
};

const folded = (words: string): string =>
  words
    .toLowerCase()
    .replace(/[’`´‘]/g, "'")
    .replace(/[–—−‐‑]/g, '-');

/** At most MOST_TOKENS of them, of the first 2,000 characters. */
export const tokensOf = (words: string): Token[] => {
  const tokens: Token[] = [];
  let end = -1;
  for (const found of folded(words.slice(0, 2000)).matchAll(PIECE)) {
    if (tokens.length >= MOST_TOKENS) break;
    const [piece] = found;
    tokens.push({ word: plain(piece), from: found.index, to: found.index + piece.length, glued: end === found.index });
    end = found.index + piece.length;
  }
  return tokens;
};
