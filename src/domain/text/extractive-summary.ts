/**
 * Summarises a text without a model: it selects the sentences with names, numbers, dates and decisions, and keeps their order.
 */
import { readFacts, type Facts } from './facts.ts';
import { clauses, sentences, weightOf } from './sentences.ts';
import { countJoined, fitsTokens, truncateToTokens, type Joined } from './tokens.ts';

const DEFAULT_MAX_TOKENS = 60;
/** The tokens of the first longer sentences are counted, which takes 0.2 ms for each in Chinese. Further ones are divided. */
const MOST_COUNTED = 100;
/** The search for smaller sentences ends after this many that did not fit. */
const MAX_MISSES = 12;
/** A sentence may share this part of its words with one that is already selected. */
const MAX_OVERLAP = 0.7;
/** A clause with less weight carries no information. */
const LEAST_PART = 40;

type Candidate = { index: number; sentence: string; words: readonly number[]; worth: number };

/**
 * Shortens a text to at most `max_tokens` tokens (o200k; default 60), with normalised white space. A text that fits is returned
 * whole; of a longer one the most informative sentences are returned verbatim. It is deterministic, linear in the text, and never
 * splits a character.
 */
export const summarise = (content: string, options: { max_tokens?: number } = {}): string => {
  const budget = options.max_tokens ?? DEFAULT_MAX_TOKENS;
  const whole = (/[^\S ]| {2}/.test(content) ? content.replace(/\s+/g, ' ') : content).trim();
  if (fitsTokens(whole, budget)) return whole;
  let counted = 0;
  const isShort = (sentence: string): boolean =>
    weightOf(sentence) <= budget * FEWEST_CHARS || (counted++ < MOST_COUNTED && fitsTokens(sentence, budget));
  const ranked = sentences(content)
    .flatMap((sentence) => (isShort(sentence) ? [sentence] : parts(sentence, budget)))
    .map((sentence, index): Candidate => {
      const { facts, words } = readFacts(sentence);
      return { index, sentence, words, worth: worth(facts, sentence, index === 0) };
    })
    .sort((a, b) => b.worth - a.worth || a.index - b.index);
  return choose(ranked, budget) || cutToFit(ranked[0]?.sentence ?? whole, budget);
};

/** The fewest characters of a token, in dense text such as numbers, code and names. */
const FEWEST_CHARS = 2;

/** The clauses of a sentence that alone would be too long. */
const parts = (sentence: string, budget: number): string[] =>
  clauses(sentence, Math.max(LEAST_PART, budget * FEWEST_CHARS));

/** Selects the best sentences that fit together, in the order of the text. */
const choose = (ranked: readonly Candidate[], budget: number): string => {
  let chosen: Chosen[] = [];
  let misses = 0;
  for (const candidate of ranked) {
    if (misses > MAX_MISSES) break;
    const attempt = [...chosen, { ...candidate, ...countJoined(candidate.sentence) }].sort((a, b) => a.index - b.index);
    if (tokensOf(attempt) > budget || isRepetition(chosen, candidate.words)) misses++;
    else chosen = attempt;
  }
  return chosen.map(({ sentence }) => sentence).join(' ');
};

type Chosen = Candidate & Joined;

/**
 * Counts the tokens of the sentences joined by spaces. Only the beginning of a token may be a space, so each sentence counts for
 * itself.
 */
const tokensOf = (joined: readonly Chosen[]): number =>
  joined.reduce((sum, { first, later }, i) => sum + (i === 0 ? first : later), 0);

/**
 * Rates the information of a sentence relative to its length: names, numbers, dates, decisions. The first sentence gets a bonus,
 * since it usually states the subject.
 */
const worth = (facts: Facts, sentence: string, isFirst: boolean): number =>
  (0.3 + pointsOf(facts) + (isFirst ? 1 : 0)) / (60 + weightOf(sentence));

const pointsOf = ({ number, date, decision, name }: Facts): number =>
  Math.min(name, 4) + Math.min(number, 4) + Math.min(date, 3) + 2 * Math.min(decision, 2);

/** Half of the information that a text can have. */
const SOME_POINTS = 3;

/** How much a short text tells, by its names, numbers, dates and decisions: from 0 to almost 1. */
export const informationOf = (text: string): number => {
  const points = pointsOf(readFacts(text.replace(/\s+/g, ' ').trim()).facts);
  return points / (points + SOME_POINTS);
};

/** Returns whether a selected sentence already has most of these words. */
const isRepetition = (chosen: readonly Chosen[], words: readonly number[]): boolean =>
  chosen.some((one) => words.filter((word) => one.words.includes(word)).length >= MAX_OVERLAP * words.length);

/** Returns the start of a sentence, up to a space where one is near. */
const cutToFit = (sentence: string, budget: number): string => {
  const cut = truncateToTokens(sentence, budget);
  const space = cut.length < sentence.length ? cut.lastIndexOf(' ') : -1;
  return (space > cut.length / 2 ? cut.slice(0, space) : cut).trim();
};
