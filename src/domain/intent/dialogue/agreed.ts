/** 'Yes', 'ok, book it', 'sounds good, put it in my calendar': the whole prompt agrees to what waits, and only a decision approves it. */
import { phraseAt, tokenise } from '../words.ts';
import { AGREEING, BESIDE_AGREEING } from '../words/speech.ts';

/** No longer prompt only agrees. */
const LONGEST = 100;
const MARKS = /^[.,;!–-]$/;

export const agrees = (prompt: string): boolean => {
  if (prompt.length > LONGEST) return false;
  const tokens = tokenise(prompt).filter(({ word }) => !MARKS.test(word));
  let agreed = false;
  for (let i = 0; i < tokens.length;) {
    const yes = phraseAt(tokens, i, AGREEING);
    const next = yes ?? phraseAt(tokens, i, BESIDE_AGREEING);
    if (next === null) return false;
    agreed ||= yes !== null;
    i = next;
  }
  return agreed;
};
