/** Sentences within a clause: a subject and its finite verb, by classes of words. */
import { type Token, wordAt } from '../words.ts';
import {
  ADVERBS,
  DISCOURSE,
  FINITE,
  PERSON_TITLES,
  PERSONS,
  PRONOUN_SUBJECTS,
  SHORT_SUBJECT,
  WEAK_FINITE,
} from '../words/speech.ts';

/** `verb` is the index of the finite verb; of 'I'm' it is that of the subject. */
export type Sentence = { subject: number; verb: number };

/** The most words of a subject. */
const LONGEST_SUBJECT = 6;
const isWordAt = (tokens: readonly Token[], i: number): boolean => tokens[i]?.kind === 'word';

/** The index behind words that only lead to a sentence: 'so', 'well,'. */
const afterDiscourse = (tokens: readonly Token[], i: number, to: number): number => {
  let at = i;
  while (at < to && (DISCOURSE.has(wordAt(tokens, at)) || wordAt(tokens, at) === ',')) at++;
  return at;
};

const afterAdverbs = (tokens: readonly Token[], i: number): number => {
  let at = i;
  while (ADVERBS.has(wordAt(tokens, at))) at++;
  return at;
};

/** 'Tom's', 'the landlord's': the verb is in the subject's last word. */
const isShortened = ({ possessive }: Token, next: Token | undefined): boolean =>
  possessive &&
  next !== undefined &&
  (ADVERBS.has(next.word) ||
    /(?:ing|ed)$/.test(next.word) ||
    ['off', 'away', 'ill', 'sick', 'out', 'got'].includes(next.word));

/** The full stop of 'Dr. Nowak'. */
const isTitled = (tokens: readonly Token[], i: number): boolean =>
  wordAt(tokens, i) === '.' && PERSON_TITLES.has(wordAt(tokens, i - 1));

const nounSentence = (tokens: readonly Token[], start: number, to: number): Sentence | null => {
  const end = Math.min(to, start + LONGEST_SUBJECT + 1);
  for (let at = start + 1; at < end && (isWordAt(tokens, at) || isTitled(tokens, at)); at++) {
    const word = wordAt(tokens, at);
    if (FINITE.has(word)) return { subject: start, verb: at };
    if (isShortened(tokens[at]!, tokens[at + 1]) && at > start) return { subject: start, verb: at };
  }
  return null;
};

/** The sentence that begins at `i`, words that lead to it aside; null where there is none. */
export const sentenceAt = (tokens: readonly Token[], i: number, to: number): Sentence | null => {
  const start = afterDiscourse(tokens, i, to);
  const word = wordAt(tokens, start);
  if (start >= to || !isWordAt(tokens, start) || word === 'to') return null;
  if (SHORT_SUBJECT.test(word)) return { subject: start, verb: start };
  if (PRONOUN_SUBJECTS.has(word)) {
    const at = afterAdverbs(tokens, start + 1);
    const next = wordAt(tokens, at);
    const isVerb = FINITE.has(next) || WEAK_FINITE.has(next) || (PERSONS.has(word) && /(?:ed|n't)$/.test(next));
    if (at < to && isVerb) return { subject: start, verb: at };
    // 'my neighbour and I', 'that Tuesday'
    if (PERSONS.has(word)) return null;
  }
  if (FINITE.has(word) || WEAK_FINITE.has(word)) return null;
  return nounSentence(tokens, start, to);
};
