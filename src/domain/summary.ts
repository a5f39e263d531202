/** Extractive summaries, made without a model: the sentences that carry names, numbers, dates and decisions, in their order. */
import { sentences } from './sentences.ts';
import { fitsTokens, truncateToTokens } from './tokens.ts';

const DEFAULT_MAX_TOKENS = 60;
/** Sentences that did not fit before the search for smaller ones is given up. */
const MAX_MISSES = 12;
/** Share of its words a sentence may have in common with one chosen already. */
const MAX_OVERLAP = 0.7;

const wordSet = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const DATES = wordSet(
  'january february march april june july august september october november december jan feb mar apr jun jul aug sep sept oct ' +
    'nov dec monday tuesday wednesday thursday friday saturday sunday today tomorrow yesterday tonight noon midnight week month ' +
    'quarter year deadline due until',
);
const DECISIONS = wordSet(
  'decided decide decision agreed agree approved approve rejected reject refused confirmed cancelled canceled chose chosen ' +
    'selected moved postponed rescheduled promised committed signed accepted resolved fixed shipped must will shall never always ' +
    'need needs todo action because therefore instead prefer prefers wants',
);

type Candidate = { index: number; sentence: string; worth: number };

/**
 * The text in at most `max_tokens` tokens (o200k; default 60), whitespace-normalised: whole where it fits, else its most
 * telling sentences, verbatim. Deterministic and linear in the text; a character is never split.
 */
export const summarise = (content: string, options: { max_tokens?: number } = {}): string => {
  const budget = options.max_tokens ?? DEFAULT_MAX_TOKENS;
  const whole = content.replace(/\s+/g, ' ').trim();
  if (fitsTokens(whole, budget)) return whole;
  const ranked = sentences(content)
    .map((sentence, index): Candidate => ({ index, sentence, worth: worth(sentence, index === 0) }))
    .sort((a, b) => b.worth - a.worth || a.index - b.index);
  return choose(ranked, budget) || cutToFit(ranked[0]?.sentence ?? whole, budget);
};

/** The best sentences that fit together, in the order of the text. */
const choose = (ranked: readonly Candidate[], budget: number): string => {
  let chosen: Candidate[] = [];
  let text = '';
  let misses = 0;
  for (const candidate of ranked) {
    if (misses > MAX_MISSES) break;
    const attempt = [...chosen, candidate].sort((a, b) => a.index - b.index);
    const joined = attempt.map(({ sentence }) => sentence).join(' ');
    if (chosen.some(({ sentence }) => saysTheSame(sentence, candidate.sentence)) || !fitsTokens(joined, budget)) {
      misses++;
    } else {
      chosen = attempt;
      text = joined;
    }
  }
  return text;
};

/** What a sentence tells, per length: names, numbers, dates, decisions; the first one says what it is about. */
const worth = (sentence: string, isFirst: boolean): number => {
  let names = 0;
  let numbers = 0;
  let dates = 0;
  let decisions = 0;
  for (const [position, raw] of sentence.split(' ').entries()) {
    const word = raw.toLowerCase().replace(/[.,;:!?)"'”]+$/, '');
    if (/\p{N}/u.test(word)) numbers++;
    else if (DATES.has(word)) dates++;
    else if (DECISIONS.has(word)) decisions++;
    else if (position > 0 && word.length > 1 && /^["'“(@#]?\p{Lu}/u.test(raw)) names++;
  }
  const facts = Math.min(names, 4) + Math.min(numbers, 4) + Math.min(dates, 3) + 2 * Math.min(decisions, 2);
  return (0.3 + facts + (isFirst ? 3 : 0)) / (60 + sentence.length);
};

const saysTheSame = (chosen: string, candidate: string): boolean => {
  const known = wordSet(chosen.toLowerCase());
  const own = [...wordSet(candidate.toLowerCase())];
  return own.filter((word) => known.has(word)).length >= MAX_OVERLAP * own.length;
};

/** The start of one sentence, up to a space where one is near. */
const cutToFit = (sentence: string, budget: number): string => {
  const cut = truncateToTokens(sentence, budget);
  const space = cut.length < sentence.length ? cut.lastIndexOf(' ') : -1;
  return (space > cut.length / 2 ? cut.slice(0, space) : cut).trim();
};
