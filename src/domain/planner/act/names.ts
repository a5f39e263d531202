/** Compares the words of a request with the names of events. */
import { ALL_WORDS, GENERIC_NOUNS, ORDINALS, PRONOUNS, SMALL_WORDS } from '../words/act-words.ts';

/** The words of a text without signs, accents and possessives. */
export const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .replace(/['’]s?(?![\p{L}\p{N}])/gu, '')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .match(/[\p{L}\p{N}]+/gu) ?? [];

/** The words of a text that name something. */
export const nameWords = (text: string): string[] =>
  wordsOf(text).filter((word) => !SMALL_WORDS.has(word) && !ALL_WORDS.has(word));

/** Whether any of the words is in a table. */
export const hasWord = (text: string, table: ReadonlySet<string>): boolean =>
  wordsOf(text).some((word) => table.has(word));

/** Whether one letter is missing, more, other or exchanged. */
const isOneOff = (a: string, b: string): boolean => {
  if (a.length > b.length) return isOneOff(b, a);
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  if (start === a.length) return b.length - a.length === 1;
  if (b.length > a.length) return a.slice(start) === b.slice(start + 1);
  const isExchanged =
    a[start] === b[start + 1] && a[start + 1] === b[start] && a.slice(start + 2) === b.slice(start + 2);
  return isExchanged || a.slice(start + 1) === b.slice(start + 1);
};
/** Shorter words differ by a letter from too many others. */
const SHORTEST_MISSPELT = 6;

/** Whether a word, or one that it is a letter away from, is in a table. */
export const isNearly = (word: string, table: ReadonlySet<string>): boolean =>
  table.has(word) || (word.length >= SHORTEST_MISSPELT && [...table].some((one) => isOneOff(word, one)));

const SHORTEST_STEM = 4;
const fitsWord = (said: string, word: string): boolean => {
  if (said === word) return true;
  if (said.length >= SHORTEST_MISSPELT && Math.abs(said.length - word.length) < 2 && isOneOff(said, word)) return true;
  if (said.length < SHORTEST_STEM || word.length < SHORTEST_STEM) return false;
  return word.startsWith(said.slice(0, Math.max(SHORTEST_STEM, said.length - 2))) || said.startsWith(word);
};

/** How many of the words are in a name: 'tutorials' fits 'Statistics tutorial'. */
export const fitting = (words: readonly string[], title: string): number => {
  const names = nameWords(title);
  return words.filter((word) => names.some((name) => fitsWord(word, name))).length;
};

/** Whether a name is meant: all words are in it. Those that any event may be called by need not be. */
export const isNamed = (words: readonly string[], title: string): boolean => {
  const special = words.filter((word) => !GENERIC_NOUNS.has(word));
  const needed = special.length > 0 ? special : words;
  return needed.length > 0 && fitting(needed, title) === needed.length;
};

/** Words that name nothing by themselves: 'it', 'the second one', 'the same'. */
export const isPointing = (text: string): boolean =>
  wordsOf(text).every(
    (word) =>
      word === 'same' || PRONOUNS.has(word) || ALL_WORDS.has(word) || SMALL_WORDS.has(word) || ORDINALS.has(word),
  );
