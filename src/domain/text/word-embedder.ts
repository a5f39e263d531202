/**
 * The built-in embedder: the sum of the vectors of a text's words (word-table.ts). It needs no model and no network, and gives
 * the same vector everywhere. It knows English words only.
 */
import { terms } from './search-words.ts';
import { withoutSpeaker } from './speech.ts';
import { addWord, DIMENSIONS } from './word-table.ts';

/** The name that a search answer's `explain` shows. */
export const EMBEDDER = `builtin-words-${DIMENSIONS}`;

/** At most this many words are read, because more would only approach an average. */
const MAX_TERMS = 2_000;

/** Sums the vectors of terms. Terms that the table does not have add nothing. */
export const embedTerms = (words: readonly string[]): Float64Array => {
  const sum = new Float64Array(DIMENSIONS);
  for (const word of words) addWord(sum, word);
  return sum;
};

/**
 * Returns a vector for cosine similarity, or the zero vector for a text without known words. The name of the speaker is left
 * out: it would make all that a person says alike.
 */
export const embed = (text: string): Float64Array => embedTerms(terms(withoutSpeaker(text), MAX_TERMS));

/** The largest number in a literal; float4 holds integers exactly up to sixteen times as large. */
const LARGEST = 1_000_000;

/**
 * Writes a vector's direction for pgvector, `[1000000,-250000]`. Cosine ignores the length, and integers are parsed eight times
 * as fast as fractions (8 vectors of 1,536 on PGlite: 12 ms instead of 100).
 */
export const toVectorLiteral = (vector: ArrayLike<number>): string => {
  let largest = 0;
  for (let i = 0; i < vector.length; i++) largest = Math.max(largest, Math.abs(vector[i] ?? 0));
  return `[${Array.from(vector, (x) => Math.round((x / (largest || 1)) * LARGEST) || 0).join(',')}]`; // `|| 0` avoids -0.
};
