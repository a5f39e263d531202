/** What a match is worth (Okapi BM25, k1 = 1.2, b = 0.4), and which traces are the best by it. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Asked } from '../../src/memory/search/question.ts';
import {
  bestOf,
  byScore,
  rarity,
  saturated,
  weigh,
  type Candidate,
  type Frequencies,
} from '../../src/memory/search/rank.ts';
import { aCandidate, anOwn, aQuestion, aTag, aTrace, aWord, resultOf, weighed } from '../support/ranking.ts';

const weighing = (asked: Asked[], candidates: Candidate[], at = 10, frequencies: Frequencies[] = []) =>
  resultOf(weigh(aQuestion(asked, at), candidates, frequencies));
const seqs = (owns: { trace: { seq: number } }[]): number[] => owns.map(({ trace }) => trace.seq);

test.each([
  ['one match in a text of usual length', 1, 1, 1],
  ['two matches', 2, 1, (2 * 2.2) / (2 + 1.2)],
  ['a text of twice the usual length', 1, 2, 2.2 / (1 + 1.2 * (0.6 + 0.4 * 2))],
  ['a text of half the usual length', 1, 0.5, 2.2 / (1 + 1.2 * (0.6 + 0.4 * 0.5))],
  ['no match', 0, 1, 0],
  ['any number of matches', 1e12, 1, 2.2],
])('the frequency of %s', (_what, count, length, worth) => {
  expect(saturated(count, length)).toBeCloseTo(worth, 9);
});

test.each([
  ['one of ten', 1, 10, Math.log(1 + 9.5 / 1.5)],
  ['none', 0, 10, Math.log(1 + 10.5 / 0.5)],
  ['all', 10, 10, Math.log(1 + 0.5 / 10.5)],
  ['an estimate above all, which still counts', 20, 10, Math.log(1 + 0.5 / 20.5)],
])('the rarity of what %s have', (_what, n, all, idf) => {
  expect(rarity(n, all)).toBeCloseTo(idf, 9);
});

test('the higher score comes first, and of equals the newest', () => {
  const list = [
    { id: 3, points: 1 },
    { id: 9, points: 2 },
    { id: 8, points: 1 },
    { id: 1, points: 5 },
  ];
  const order = byScore<(typeof list)[number]>(
    ({ points }) => points,
    ({ id }) => id,
  );
  expect(list.toSorted(order).map(({ id }) => id)).toEqual([1, 9, 8, 3]);
});

describe('weigh', () => {
  test('the score adds rarity times frequency over the words that a trace has', () => {
    const { keyword, counted, length } = weighing(
      [aWord('boat'), aWord('cellar')],
      [aCandidate(1, { 0: 1, 1: 2 }), aCandidate(2, { 0: 1 })],
    );
    const boat = Math.log(1 + 8.5 / 2.5);
    const cellar = Math.log(1 + 9.5 / 1.5);
    expect(counted.map(({ n }) => n)).toEqual([2, 1]);
    expect(counted[0]?.idf).toBeCloseTo(boat, 9);
    expect(counted[1]?.idf).toBeCloseTo(cellar, 9);
    expect(length).toBe(10);
    expect(seqs(keyword)).toEqual([1, 2]);
    expect(keyword[0]?.score).toBeCloseTo(boat + cellar * (4.4 / 3.2), 9);
    expect(keyword[0]).toMatchObject({ ords: [0, 1], worth: [1, expect.closeTo(4.4 / 3.2, 9)] });
    expect(keyword[1]?.score).toBeCloseTo(boat, 9);
  });

  test('a phrase adds to the score of its words, and is known as one', () => {
    const phrase: Asked = { arm: 'keyword', term: 'boat cellar', query: "'boat' <-> 'cellar'", as: 'phrase' };
    const { keyword, counted } = weighing([aWord('boat'), phrase], [aCandidate(1, { 0: 1, 1: 1 })]);
    expect(counted).toMatchObject([
      { word: true, phrase: false },
      { word: false, phrase: true },
    ]);
    expect(keyword[0]?.score).toBeCloseTo(2 * Math.log(1 + 9.5 / 1.5), 9);
  });

  test('the usual length is the mean over matches, so what matches more counts more in it', () => {
    const { keyword, length } = weighing(
      [aWord('boat'), aWord('cellar')],
      [aCandidate(1, { 0: 1, 1: 1 }, { length: 30 }), aCandidate(2, { 0: 1 }, { length: 60 })],
    );
    expect(length).toBe((2 * 30 + 60) / 3);
    expect(keyword[1]?.worth[0]).toBeCloseTo(2.2 / (1 + 1.2 * (0.6 + 0.4 * 1.5)), 9);
  });

  test.each<[string, Frequencies | undefined, number]>([
    ['looked up: the candidates are counted', { rare: true, expected: 7 }, 2],
    ['not looked up: the estimate counts', { rare: false, expected: 7 }, 7],
    ['not looked up and without an estimate', { rare: false, expected: null }, 2],
    ['without any information', undefined, 2],
  ])('a word %s', (_what, frequency, n) => {
    const { counted } = weighing(
      [aWord('boat')],
      [aCandidate(1, { 0: 1 }), aCandidate(2, { 0: 1 })],
      10,
      frequency ? [frequency] : [],
    );
    expect(counted[0]).toMatchObject({ n, idf: expect.closeTo(Math.log(1 + (10.5 - n) / (n + 0.5)), 9) });
  });

  test.each([
    ['time', 0.7],
    ['time without any weight', 0],
  ])('a %s has its own weight, however many traces are of it', (_what, weight) => {
    const june = { start: '2026-06-01T00:00:00.000Z', end: '2026-07-01T00:00:00.000Z' } as Extract<
      Asked,
      { start: unknown }
    >;
    const time: Asked = { ...june, arm: 'keyword', term: 'june', dates: "'~2026-06':*", weight, as: 'hint' };
    const { counted, keyword } = weighing(
      [aWord('boat'), time],
      [1, 2, 3].map((seq) => aCandidate(seq, { 1: 1 })),
    );
    expect(counted[0]?.timed).toBe(false);
    expect(counted[1]).toMatchObject({ timed: true, word: false, idf: weight, n: 3 });
    expect(keyword.map(({ score }) => score)).toEqual([weight, weight, weight]);
  });

  test('words and tags are ranked apart, and what has both takes part twice', () => {
    const { keyword, tag } = weighing(
      [aWord('boat'), aTag('#sea')],
      [aCandidate(1, { 0: 1 }), aCandidate(2, { 1: 1 }), aCandidate(3, { 0: 1, 1: 2 })],
    );
    const idf = Math.log(1 + 8.5 / 2.5);
    expect(seqs(keyword)).toEqual([1, 3]);
    expect(seqs(tag)).toEqual([2, 3]);
    expect(keyword[1]).toMatchObject({ ords: [0], score: expect.closeTo(idf, 9) });
    expect(tag[1]).toMatchObject({ ords: [1], score: expect.closeTo(idf * (4.4 / 3.2), 9) });
  });

  test('a word is a name where anybody of that name speaks, and only what they say is said by them', () => {
    const { keyword, named } = weighing(
      [aWord('maria'), aWord('pottery')],
      [aCandidate(1, { 0: 1, 1: 1 }, { said: [0] }), aCandidate(2, { 0: 1, 1: 1 }), aCandidate(3, { 1: 1 })],
    );
    expect([...named]).toEqual([0]);
    expect(keyword.map(({ said }) => said)).toEqual([true, false, false]);
  });

  test('without candidates nothing is found, and every word has the rarity of one that no trace has', () => {
    const { keyword, tag, counted, named, length } = weighing([aWord('boat')], []);
    expect({ keyword, tag, named: named.size, length }).toEqual({ keyword: [], tag: [], named: 0, length: 1 });
    expect(counted[0]).toMatchObject({ n: 0, idf: expect.closeTo(Math.log(22), 9) });
  });

  test('whatever the order of the candidates, the result is the same', () => {
    const asked = [aWord('boat'), aWord('cellar'), aTag('#sea')];
    const candidate = fc.record({
      frequencies: fc.dictionary(fc.constantFrom('0', '1', '2'), fc.constantFrom(0.5, 1, 2), { minKeys: 1 }),
      length: fc.integer({ min: 1, max: 40 }),
      boost: fc.constantFrom(0.9, 1, 1.1),
    });
    fc.assert(
      fc.property(fc.array(candidate, { maxLength: 20 }), fc.infiniteStream(fc.nat()), (list, numbers) => {
        const candidates = list.map(({ frequencies, ...more }, i) => aCandidate(i, frequencies, more));
        const places = new Map(candidates.map((one) => [one, numbers.next().value as number]));
        const shuffled = candidates.toSorted((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0));
        expect(bestOf(weighing(asked, shuffled))).toEqual(bestOf(weighing(asked, candidates)));
      }),
    );
  });
});

describe('bestOf', () => {
  const best = (owns: [seq: number, score: number, boost?: number][]): number[] =>
    seqs(
      bestOf(
        weighed([], { keyword: owns.map(([seq, score, boost = 1]) => anOwn(aTrace(seq, { boost }), {}, { score })) }),
      ),
    );

  test('the boost counts', () => {
    expect(
      best([
        [1, 2],
        [2, 1.9, 1.1],
        [3, 2.1, 0.9],
      ]),
    ).toEqual([2, 1, 3]);
  });

  test('of equals the newest is first', () => {
    expect(
      best([
        [2, 1],
        [3, 1],
        [1, 1],
      ]),
    ).toEqual([3, 2, 1]);
  });

  test('a thousand take part, and those with the lowest scores do not', () => {
    const owns = Array.from({ length: 1_002 }, (_, seq): [number, number] => [seq, seq === 0 ? 2 : 1]);
    const found = best(owns);
    expect(found).toHaveLength(1_000);
    expect(found.slice(0, 2)).toEqual([0, 1_001]);
    expect(found).not.toContain(1);
    expect(found).not.toContain(2);
  });

  test('without candidates there is none', () => {
    expect(best([])).toEqual([]);
  });
});
