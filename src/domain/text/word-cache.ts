/**
 * A cache of values computed from words. It looks words up in their text without copying them, for texts that use the same words
 * again.
 */

const SLOTS = 1 << 16;
/** A slot holds the length and the characters of a word, in half a cache line. */
const RECORD = 16;
const LONGEST = RECORD - 1;
/** V8 represents a longer substring as a pointer into its text, so a cached one would keep the text in memory. */
const LONGEST_COPIED = 12;

/**
 * Caches `compute` by word. Each slot holds the last word that hashed to it, so the size is bounded. It is many times as fast as
 * a Map, which needs each word as a separate string (46 words: 2 µs instead of 15). Longer words are computed each time.
 * @returns a function that gives the value of the word from `start` to `end` of a text
 */
export const createWordCache = <T>(compute: (word: string) => T): ((text: string, start: number, end: number) => T) => {
  // It takes up to 2.5 MiB and is allocated on first use.
  let words: Uint16Array | undefined;
  let values: (T | undefined)[] = [];
  return (text, start, end) => {
    if (!words) {
      words = new Uint16Array(SLOTS * RECORD);
      values = Array<T | undefined>(SLOTS).fill(undefined);
    }
    const length = end - start;
    if (length > LONGEST || length === 0) return compute(text.slice(start, end));
    let digest = 0;
    for (let i = start; i < end; i++) digest = (Math.imul(digest, 31) + text.charCodeAt(i)) | 0;
    const slot = (digest ^ (digest >>> 15)) & (SLOTS - 1);
    const at = slot * RECORD;
    let isKnown = words[at] === length;
    for (let i = 0; isKnown && i < length; i++) isKnown = words[at + 1 + i] === text.charCodeAt(start + i);
    if (isKnown) return values[slot] as T;
    words[at] = 0; // The slot is empty until the value is computed.
    for (let i = 0; i < length; i++) words[at + 1 + i] = text.charCodeAt(start + i);
    const value = compute(
      length > LONGEST_COPIED
        ? String.fromCharCode(...words.subarray(at + 1, at + 1 + length))
        : text.slice(start, end),
    );
    values[slot] = value;
    words[at] = length;
    return value;
  };
};
