/** A memo of what words amount to, for texts that use the same words again: looked up in place, without cutting the word out. */

const SLOTS = 1 << 16;
/** Length and characters of the word in a slot: half a cache line. */
const RECORD = 16;
const LONGEST = RECORD - 1;
/** V8 keeps a longer part of a text as a pointer into it: remembered, it would keep the text. */
const LONGEST_COPIED = 12;

/**
 * Remembers `compute` by word, each slot the last word that fell into it: bounded, and many times as fast as a Map, which needs the
 * word as a string of its own first (46 words: 2 µs against 15). Longer words are computed each time.
 * @returns what the word from `start` to `end` of a text amounts to.
 */
export const createWordCache = <T>(compute: (word: string) => T): ((text: string, start: number, end: number) => T) => {
  // Up to 2.5 MiB, of which a process that reads no texts needs nothing.
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
    words[at] = 0; // until its value is known
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
