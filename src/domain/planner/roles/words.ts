/** The words of a request as the reader of roles sees them: words, figures, marks and line breaks. */

/** `from` and `to` are offsets into the text, half-open. `glued`: no space before it, as the unit of '20min'. */
export type Word = { text: string; from: number; to: number; glued: boolean };

/** Reading takes time and memory in proportion to the words, so further ones are not read. */
export const MOST_WORDS = 400;

/** Figures with their marks are one word: '9:30', '14.12', '3/12'. */
const WORD = /\n|[\p{L}\p{M}]+(?:['’]\p{L}+)*|\d+(?:[.:/]\d+)*|[^\s\p{L}\p{M}\d]/gu;

export const wordsOf = (text: string): Word[] => {
  const words: Word[] = [];
  for (const { 0: found, index: from } of text.matchAll(WORD)) {
    if (words.length >= MOST_WORDS) break;
    words.push({ text: found, from, to: from + found.length, glued: words.at(-1)?.to === from });
  }
  return words;
};
