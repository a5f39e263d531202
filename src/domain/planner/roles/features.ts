/** What the reader of roles sees of a word: its letters, its form and its place, as numbers, and its meaning as a vector. */
import { terms } from '../../text/search-words.ts';
import { addWord, DIMENSIONS } from '../../text/word-table.ts';
import type { Word } from './words.ts';

/** A 32-bit hash (FNV-1a). */
const hash = (text: string): number => {
  let sum = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) sum = Math.imul(sum ^ text.charCodeAt(i), 0x01000193);
  return sum >>> 0;
};

/** 'Aa', 'a-a', '00': a run of letters is one sign, and each figure is one. */
const shapeOf = (text: string): string =>
  text
    .replace(/\p{Lu}+/gu, 'A')
    .replace(/[\p{Ll}\p{Lo}]+/gu, 'a')
    .replace(/\d/g, '0');

/** Figures by what they can be: an hour, an hour of 24, a day, a minute, a year, a time without a sign. */
const figureOf = (digits: string): string => {
  const value = Number(digits);
  if (digits.length <= 2) return value <= 12 ? '#12' : value <= 24 ? '#24' : value <= 31 ? '#31' : '#99';
  if (digits.length !== 4) return `#${digits.length} digits`;
  return value >= 1900 && value < 2100 ? '#year' : value < 2400 && value % 100 < 60 ? '#time' : '#4 digits';
};

/** Lower case, without the apostrophes that people leave out. */
const folded = (text: string): string => text.toLowerCase().replace(/['’]/g, '');

const plain = (word: string): string => (/^\d+$/.test(word) ? figureOf(word) : word.replace(/\d/g, '0'));

/** The features of each word, hashed. */
export const featuresOf = (words: readonly Word[]): number[][] =>
  words.map(({ text, glued }, i) => {
    const word = folded(text);
    const features = [`word ${plain(word)}`, `shape ${shapeOf(text)}`];
    if (word.length > 3)
      features.push(`begins ${word.slice(0, 3)}`, `ends ${word.slice(-3)}`, `ends ${word.slice(-2)}`);
    if (/['’]s$/i.test(text)) features.push('possessive');
    if (glued) features.push('glued');
    if (i === 0) features.push('first');
    if (i === words.length - 1) features.push('last');
    return features.map(hash);
  });

/** Vectors have this length whatever their weight in the table, so that their numbers are about as large as other inputs. */
const LENGTH = 4;

/** The vector of a word, or null where the table does not have it. */
export const vectorOf = ({ text }: Word): Float32Array | null => {
  const [stem] = terms(text.replace(/['’]s$/i, ''));
  if (stem === undefined) return null;
  const sum = new Float64Array(DIMENSIONS);
  addWord(sum, stem);
  const length = Math.sqrt(sum.reduce((all, x) => all + x * x, 0));
  return length > 0 ? Float32Array.from(sum, (x) => (x * LENGTH) / length) : null;
};
