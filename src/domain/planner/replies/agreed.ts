/** 'Yes', 'ok, book it', 'sounds good, put it in my calendar': the whole prompt agrees to what waits, and only a decision approves it. */
import { AGREEING, BESIDE_AGREEING } from '../words/reply-words.ts';

/** No longer prompt only agrees. */
const LONGEST = 100;

/** How many words a phrase takes at a place; the longest of several. */
const phraseAt = (words: readonly string[], at: number, phrases: ReadonlySet<string>): number => {
  for (let length = 5; length > 0; length--) if (phrases.has(words.slice(at, at + length).join(' '))) return length;
  return 0;
};

export const agrees = (prompt: string): boolean => {
  if (prompt.length > LONGEST || /\?\s*$/.test(prompt)) return false;
  const words =
    prompt
      .toLowerCase()
      .replaceAll('’', "'")
      .match(/[\p{L}\p{N}']+/gu) ?? [];
  let hasAgreed = false;
  for (let i = 0; i < words.length;) {
    const yes = phraseAt(words, i, AGREEING);
    const length = yes || phraseAt(words, i, BESIDE_AGREEING);
    if (length === 0) return false;
    hasAgreed ||= yes > 0;
    i += length;
  }
  return hasAgreed;
};
