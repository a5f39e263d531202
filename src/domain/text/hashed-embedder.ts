/**
 * The built-in embedder: hashes words, word pairs and character n-grams into a vector. It needs no model and no network, and
 * gives the same vector everywhere.
 */
import { terms } from './search-words.ts';

/** The name that a search answer's `explain` shows. */
export const EMBEDDER = 'builtin-hash-384';
export const DIMENSIONS = 384;

const WORD_WEIGHT = 1;
const PAIR_WEIGHT = 0.5;
const GRAM_WEIGHT = 0.35;
const GRAM_SIZES = [3, 4];
/** At most this many words are read, because more would only approach an average. */
const MAX_TERMS = 2_000;

/** Returns a unit vector of 384 dimensions for cosine similarity, or the zero vector for a text without words. */
export const embed = (text: string): Float32Array => {
  const found = terms(text, MAX_TERMS);
  const vector = new Float64Array(DIMENSIONS);
  add(vector, found, WORD_WEIGHT);
  add(
    vector,
    found.slice(1).map((term, i) => `${found[i]} ${term}`),
    PAIR_WEIGHT,
  );
  add(vector, found.flatMap(grams), GRAM_WEIGHT);
  const length = Math.sqrt(vector.reduce((sum, x) => sum + x * x, 0));
  return Float32Array.from(vector, (x) => (length > 0 ? x / length : 0));
};

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

/** Adds each feature to one dimension with a sign; its hash gives both. Repetitions count logarithmically. */
const add = (vector: Float64Array, features: readonly string[], weight: number): void => {
  const counts = new Map<number, number>();
  for (const feature of features) {
    const key = hash(feature);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  for (const [key, count] of counts) {
    const slot = key % DIMENSIONS;
    const value = weight * (1 + Math.log(count));
    vector[slot] = (vector[slot] ?? 0) + (key >= 0x80000000 ? -value : value);
  }
};

const grams = (term: string): string[] => {
  const framed = `^${term}$`;
  return GRAM_SIZES.flatMap((size) =>
    Array.from({ length: Math.max(0, framed.length - size + 1) }, (_, i) => framed.slice(i, i + size)),
  );
};

/** FNV-1a over the code units with the finaliser of murmur3, because the high bits of FNV alone are poor for short strings. */
const hash = (text: string): number => {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
};
