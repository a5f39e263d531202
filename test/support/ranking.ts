/** Parts of a search's ranking, for tests: each has plain values except for what the test is about. */
import type { Asked, Question } from '../../src/memory/search/question.ts';
import type { Candidate, Counted, Own, RankedTrace, Scored, Weighed } from '../../src/memory/search/rank.ts';

/** The result of a generator that yields between its steps. */
export const resultOf = <T>(work: Iterator<unknown, T>): T => {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
};

export const aTrace = (seq: number, more: Partial<RankedTrace> = {}): RankedTrace => ({
  ...{ seq, uid: `t${seq}`, task_id: null, timestamp: '2026-11-14T10:00:00Z', length: 10, boost: 1 },
  ...{ asks: false, ends_asking: false, tells_time: false, tells_amount: false },
  ...more,
});

/** A candidate that has the things at these places of the query, each with its frequency. */
export const aCandidate = (
  seq: number,
  frequencies: Record<number, number>,
  { said = [], ...more }: Partial<RankedTrace> & { said?: number[] } = {},
): Candidate => {
  const ords = Object.keys(frequencies).map(Number);
  return {
    ...aTrace(seq, more),
    ords,
    said: ords.map((ord) => said.includes(ord)),
    tf: Object.values(frequencies),
  };
};

export const aWord = (term: string): Asked => ({ arm: 'keyword', term, as: 'word', lexemes: [term] });
export const aTag = (term: string): Asked => ({ arm: 'tag', term, as: 'word', lexemes: [term] });

/** A query for these things in a ledger of `at` entries. */
export const aQuestion = (asked: Asked[], at: number): Question => ({
  ...{
    user_id: 'somebody',
    at,
    recorded_at: '2026-11-14T10:00:00.000Z',
    filter: {},
    tags: [],
    without: undefined,
    asked,
  },
  ...{ answer: { time: false, amount: false }, probe: undefined, compared: undefined },
  ...{ halfLifeDays: 30, limit: 10, offset: 0 },
});

/** One word of the query with the weight `idf`. */
export const counted = (idf: number, more: Partial<Counted> = {}): Counted => ({
  ...{ term: 'word', tag: false, word: true, phrase: false, timed: false, n: 1, idf },
  ...more,
});

export const weighed = (words: Counted[], more: Partial<Weighed> = {}): Weighed => ({
  ...{ counted: words, named: new Set<number>(), length: 10, keyword: [], tag: [] },
  ...more,
});

/** What a trace matches: the worth by place in the query. */
export const anOwn = (trace: RankedTrace, worths: Record<number, number>, more: Partial<Own> = {}): Own => ({
  ...{ trace, said: false, ords: Object.keys(worths).map(Number), worth: Object.values(worths), score: 0 },
  ...more,
});

export const aScored = (trace: RankedTrace, score: number, more: Partial<Scored> = {}): Scored => ({
  ...{ trace, said: false, lent: undefined, task: 0, share: 1, score },
  ...more,
});
