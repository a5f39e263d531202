/** Extractive summaries, made without a model: the sentences that carry names, numbers, dates and decisions, in their order. */
import { readFacts, type Facts } from './facts.ts';
import { clauses, sentences, weightOf } from './sentences.ts';
import { countJoined, fitsTokens, truncateToTokens, type Joined } from './tokens.ts';

const DEFAULT_MAX_TOKENS = 60;
/** Sentences that did not fit before the search for smaller ones is given up. */
const MAX_MISSES = 12;
/** Share of its words a sentence may have in common with one chosen already. */
const MAX_OVERLAP = 0.7;
/** Weight below which a clause says nothing any more. */
const LEAST_PART = 40;

type Candidate = { index: number; sentence: string; words: readonly number[]; worth: number };

/**
 * The text in at most `max_tokens` tokens (o200k; default 60), whitespace-normalised: whole where it fits, else its most
 * telling sentences, verbatim. Deterministic and linear in the text; a character is never split.
 */
export const summarise = (content: string, options: { max_tokens?: number } = {}): string => {
  const budget = options.max_tokens ?? DEFAULT_MAX_TOKENS;
  const whole = (/[^\S ]| {2}/.test(content) ? content.replace(/\s+/g, ' ') : content).trim();
  if (fitsTokens(whole, budget)) return whole;
  const ranked = sentences(content)
    .flatMap((sentence) => parts(sentence, budget))
    .map((sentence, index): Candidate => {
      const { facts, words } = readFacts(sentence);
      return { index, sentence, words, worth: worth(facts, sentence, index === 0) };
    })
    .sort((a, b) => b.worth - a.worth || a.index - b.index);
  return choose(ranked, budget) || cutToFit(ranked[0]?.sentence ?? whole, budget);
};

/** Characters of a token in dense text: numbers, code, names. */
const FEWEST_CHARS = 2;

/** A sentence, or where it alone would be too long its clauses. */
const parts = (sentence: string, budget: number): string[] =>
  weightOf(sentence) <= budget * FEWEST_CHARS || fitsTokens(sentence, budget)
    ? [sentence]
    : clauses(sentence, Math.max(LEAST_PART, budget * FEWEST_CHARS));

/** The best sentences that fit together, in the order of the text. */
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

/** Of the sentences joined by spaces: a token has a space at its beginning only. */
const tokensOf = (joined: readonly Chosen[]): number =>
  joined.reduce((sum, { first, later }, i) => sum + (i === 0 ? first : later), 0);

/** What a sentence tells, per length: names, numbers, dates, decisions; the first one says what it is about. */
const worth = ({ number, date, decision, name }: Facts, sentence: string, isFirst: boolean): number => {
  const facts = Math.min(name, 4) + Math.min(number, 4) + Math.min(date, 3) + 2 * Math.min(decision, 2);
  return (0.3 + facts + (isFirst ? 1 : 0)) / (60 + weightOf(sentence));
};

/** Whether a sentence chosen already has most of its words. */
const isRepetition = (chosen: readonly Chosen[], words: readonly number[]): boolean =>
  chosen.some((one) => words.filter((word) => one.words.includes(word)).length >= MAX_OVERLAP * words.length);

/** The start of one sentence, up to a space where one is near. */
const cutToFit = (sentence: string, budget: number): string => {
  const cut = truncateToTokens(sentence, budget);
  const space = cut.length < sentence.length ? cut.lastIndexOf(' ') : -1;
  return (space > cut.length / 2 ? cut.slice(0, space) : cut).trim();
};
