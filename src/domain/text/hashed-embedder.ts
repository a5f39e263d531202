/** The built-in embedder: hashed words, word pairs and character n-grams. No model, no network, the same vector everywhere. */
import { terms } from './search-words.ts';

/** Its name, as told in the search answer's `explain`. */
export const EMBEDDER = 'builtin-hash-384';
export const DIMENSIONS = 384;

const WORD_WEIGHT = 1;
const PAIR_WEIGHT = 0.5;
const GRAM_WEIGHT = 0.35;
const GRAM_SIZES = [3, 4];
/** Words read: more would only blur into an average. */
const MAX_TERMS = 2_000;

/** A unit vector of 384 dimensions, for cosine similarity; the zero vector for a text without words. */
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

/** Largest number of a literal: float4 holds whole numbers up to sixteen times as far. */
const LARGEST = 1_000_000;

/**
 * The direction of a vector as pgvector reads it, `[1000000,-250000]`: cosine knows no length, and whole numbers are read eight
 * times as fast as fractions (8 vectors of 1,536 on PGlite: 12 ms, not 100).
 */
export const toVectorLiteral = (vector: ArrayLike<number>): string => {
  let largest = 0;
  for (let i = 0; i < vector.length; i++) largest = Math.max(largest, Math.abs(vector[i] ?? 0));
  return `[${Array.from(vector, (x) => Math.round((x / (largest || 1)) * LARGEST) || 0).join(',')}]`; // 0, never -0
};

/** Each feature goes to one dimension with a sign, both from its hash; repetitions count logarithmically. */
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

/** FNV-1a over the code units, then murmur3's finaliser, since FNV's high bits alone are poor for short strings. */
const hash = (text: string): number => {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
};
