/** Scores candidates by the worth of what they match (BM25), and keeps the best. */
import type { Asked, Question } from './question.ts';

/** Parameters of Okapi BM25. */
const K1 = 1.2;
const B = 0.4;
/** The number of best traces by their own words that take part. */
const DEPTH = 1_000;

/** A trace that takes part in the ranking. */
export type RankedTrace = {
  seq: number;
  /** Read only where meaning is compared. */
  uid: string;
  task_id: string | null;
  timestamp: string;
  /** The number of distinct words. */
  length: number;
  boost: number;
  asks: boolean;
  ends_asking: boolean;
  tells_time: boolean;
  tells_amount: boolean;
};
/** A trace that matches: what it matches (places in `asked`), how often, and whether it is said by somebody of that name. */
export type Candidate = RankedTrace & { ords: number[]; said: boolean[]; tf: number[] };

/** Whether something is looked up, and in a long ledger how many traces are expected to have it (word-frequencies.ts). */
export type Frequencies = { rare: boolean; expected: number | null };

/** One thing that the query asks for, with the number of traces that have it. */
export type Counted = {
  term: string;
  tag: boolean;
  word: boolean;
  phrase: boolean;
  timed: boolean;
  n: number;
  idf: number;
};

/** What a candidate matches in one arm. `said`: somebody says it whose name the query has. */
export type Own = { trace: RankedTrace; said: boolean; ords: number[]; worth: number[]; score: number };

export type Weighed = {
  counted: Counted[];
  /** The words that are the name of somebody who speaks. */
  named: Set<number>;
  /** The usual length of a candidate. */
  length: number;
  keyword: Own[];
  tag: Own[];
};

export type Scored = {
  trace: RankedTrace;
  said: boolean;
  /** What neighbours lend it, by word. */
  lent: ReadonlyMap<number, number> | undefined;
  task: number;
  share: number;
  score: number;
};

/** The saturated frequency of BM25: 1 for one match in a text of usual length, at most 2.2. */
export const saturated = (count: number, length: number): number =>
  (count * (K1 + 1)) / (count + K1 * (1 - B + B * length));

/** The inverse document frequency of BM25, where `n` of `all` texts match. */
export const rarity = (n: number, all: number): number => Math.log(1 + Math.max(0.5, all - n + 0.5) / (n + 0.5));

/** The best first; of equals the newest. It returns small integers, since V8 allocates each fraction that a comparison returns. */
export const byScore = <T>(score: (one: T) => number, seq: (one: T) => number) => {
  return (a: T, b: T): number => {
    const one = score(a);
    const other = score(b);
    return one > other ? -1 : one < other ? 1 : seq(b) - seq(a);
  };
};

/** Scoring yields once for this many traces, since each yield takes longer than a trace. */
export const STEP = 32;

const count = (
  asked: readonly Asked[],
  candidates: readonly Candidate[],
  frequencies: readonly Frequencies[],
  at: number,
): Counted[] => {
  const occurring = asked.map(() => 0);
  for (const { ords } of candidates) for (const ord of ords) occurring[ord] = (occurring[ord] ?? 0) + 1;
  return asked.map((a, ord) => {
    const { rare, expected } = frequencies[ord] ?? { rare: true, expected: null };
    const n = rare || expected === null ? (occurring[ord] ?? 0) : expected;
    const weight = 'weight' in a ? a.weight : undefined;
    return {
      ...{ term: a.term, tag: a.arm === 'tag', word: a.as === 'word', phrase: a.as === 'phrase', n },
      timed: weight !== undefined,
      idf: weight ?? rarity(n, at),
    };
  });
};

const nothing = (trace: RankedTrace): Own => ({ trace, said: false, ords: [], worth: [], score: 0 });

/**
 * Weighs what the candidates match. The document frequency of a word is counted over the candidates, so it says how well the
 * word distinguishes among the selected traces.
 */
export const weigh = function* (
  { asked, at }: Question,
  candidates: readonly Candidate[],
  frequencies: readonly Frequencies[],
): Generator<undefined, Weighed> {
  const counted = count(asked, candidates, frequencies, at);
  let matches = 0;
  let lengths = 0;
  const named = new Set<number>();
  for (const { ords, said, length } of candidates) {
    matches += ords.length;
    lengths += ords.length * length;
    said.forEach((is, i) => is && named.add(ords[i] as number));
  }
  const length = matches ? lengths / matches : 1;
  const keyword: Own[] = [];
  const tag: Own[] = [];
  for (const [i, trace] of candidates.entries()) {
    if (i % STEP === 0) yield;
    let own: Own | undefined;
    let tags: Own | undefined;
    for (let m = 0; m < trace.ords.length; m++) {
      const ord = trace.ords[m] as number;
      const { tag: isTag, idf } = counted[ord] as Counted;
      const one = isTag ? (tags ??= nothing(trace)) : (own ??= nothing(trace));
      const worth = saturated(trace.tf[m] ?? 0, trace.length / length);
      one.ords.push(ord);
      one.worth.push(worth);
      one.score += idf * worth;
      if (trace.said[m]) one.said = true;
    }
    if (own) keyword.push(own);
    if (tags) tag.push(tags);
  }
  return { counted, named, length, keyword, tag };
};

/** Those that are best by their own words. */
export const bestOf = ({ keyword }: Weighed): Own[] =>
  keyword
    .toSorted(
      byScore<Own>(
        ({ score, trace }) => score * trace.boost,
        ({ trace }) => trace.seq,
      ),
    )
    .slice(0, DEPTH);
