/** How reciprocal rank fusion (constant 60) makes one list of the arms, and what a page of it says. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { pageOf, type Result } from '../../src/memory/search/fuse.ts';
import type { Arm } from '../../src/memory/search/question.ts';
import { anOwn, aScored, aTrace, counted, weighed } from '../support/ranking.ts';

const order = (results: { seq: number }[]): number[] => results.map(({ seq }) => seq);

/** Results of an arm in this order, with the share of each. */
const ranked = (list: (number | [seq: number, share: number])[]): Result[] =>
  list.map((one, i) => {
    const [seq, share] = typeof one === 'number' ? [one, 0.5] : one;
    return { seq, share, boost: 1, score: 100 - i };
  });
type Ranked = Parameters<typeof ranked>[0];
const arms = (keyword: Ranked, tag: Ranked, semantic: Ranked = []): [Arm, Result[]][] => [
  ['keyword', ranked(keyword)],
  ['tag', ranked(tag)],
  ['semantic', ranked(semantic)],
];
const page = (of: [Arm, Result[]][], limit = 5_000, offset = 0) => pageOf(of, { limit, offset }, weighed([]), []);

describe('pageOf', () => {
  test.each<[string, Ranked, Ranked, Ranked, number[]]>([
    ['one arm keeps its order', [2, 3, 1], [], [], [2, 3, 1]],
    ['what two arms have found comes first', [1, 2, 3], [3], [], [3, 1, 2]],
    // 1/62 + 1/62 is more than 1/61 + 1/64, since ranks add up by their reciprocals.
    ['two second places outweigh a first and a fourth', [1, 2, 3, 4], [5, 2, 6, 1], [], [2, 1, 5, 6, 3, 4]],
    ['of equals the newest is first', [1], [2], [], [2, 1]],
    ['of equals the newest is first, in either arm', [2], [1], [], [2, 1]],
    ['meaning does not change the order of what words have found', [1, 2], [], [2, 1], [1, 2]],
    ['meaning alone comes after words and tags', [1], [2], [3, 1, 4], [2, 1, 3, 4]],
    ['meaning can be all there is', [], [], [2, 1], [2, 1]],
    ['without results the page is empty', [], [], [], []],
  ])('%s', (_what, keyword, tag, semantic, expected) => {
    expect(order(page(arms(keyword, tag, semantic)))).toEqual(expected);
  });

  test.each([
    ['1/61 + 1/73 > 1/65 + 1/68', [1, 13], [5, 8]],
    ['1/66 + 1/69 > 1/62 + 1/74', [6, 9], [2, 14]],
  ])('the constant is 60, not 59 and not 61: %s', (_what, first, second) => {
    const arm = (i: 0 | 1): number[] =>
      Array.from({ length: 14 }, (_, at) => {
        const rank = at + 1;
        if (rank === first[i]) return 1;
        return rank === second[i] ? 2 : 100 * (i + 1) + at;
      });
    expect(order(page(arms(arm(0), arm(1)))).slice(0, 2)).toEqual([1, 2]);
  });

  test('meaning alone comes after the last of a thousand that words have found', () => {
    const thousand = Array.from({ length: 1_000 }, (_, i) => i);
    expect(order(page(arms(thousand, [], [5_000, 7]))).slice(-2)).toEqual([999, 5_000]);
  });

  test('the confidence is the largest share of words and tags, and that of meaning only for what meaning alone finds', () => {
    const found = page(
      arms(
        [
          [1, 0.5],
          [2, 0.625],
          [3, 0.25],
        ],
        [
          [1, 0.75],
          [2, 0.375],
        ],
        [
          [3, 1],
          [4, 0.125],
        ],
      ),
    );
    expect(found.map(({ seq, confidence }) => [seq, confidence])).toEqual([
      [1, 0.75],
      [2, 0.625],
      [3, 0.25],
      [4, 0.125],
    ]);
  });

  test('the confidence never rises: each result has at least that of those after it, on other pages too', () => {
    const of = arms(
      [
        [1, 0.25],
        [2, 0.5],
        [3, 0.125],
        [4, 0.375],
      ],
      [],
    );
    expect(page(of).map(({ confidence }) => confidence)).toEqual([0.5, 0.5, 0.375, 0.375]);
    expect([0, 1, 2, 3].flatMap((offset) => page(of, 1, offset)).map(({ confidence }) => confidence)).toEqual([
      ...[0.5, 0.5, 0.375, 0.375],
    ]);
  });

  test.each([
    [2, 0, [5, 4]],
    [2, 2, [3, 2]],
    [2, 4, [1]],
    [2, 5, []],
    [9, 3, [2, 1]],
  ])('a page of %i from %i', (limit, offset, expected) => {
    expect(order(page(arms([5, 4, 3, 2, 1], []), limit, offset))).toEqual(expected);
  });

  test('a result says its rank and score in each arm that has found it, on any page', () => {
    const [, second] = page(arms([1, 2], [3, 2, 1], [4, 2]));
    expect(second).toMatchObject({
      seq: 2,
      arms: { keyword: { rank: 2, score: 99 }, tag: { rank: 2, score: 99 }, semantic: { rank: 2, score: 99 } },
    });
    expect(page(arms([1, 2, 3], [3]), 1, 2)).toMatchObject([{ seq: 2, arms: { keyword: { rank: 2 } } }]);
    expect(Object.keys(page(arms([1], []))[0]?.arms ?? {})).toEqual(['keyword']);
  });

  test('it says what matches in the order of the query without phrases, what is lent, the task, and its signs', () => {
    const words = [
      counted(1, { term: 'boat' }),
      counted(1, { term: 'cellar' }),
      counted(1, { term: 'boat cellar', word: false, phrase: true }),
      counted(1, { term: 'dune' }),
      counted(1, { term: '#sea', tag: true }),
    ];
    const trace = aTrace(1, { boost: 1.1, ends_asking: true, tells_amount: true });
    const query = weighed(words, {
      keyword: [anOwn(trace, { 0: 1, 1: 1, 2: 1 }, { ords: [2, 1, 0] })],
      tag: [anOwn(trace, { 4: 1 })],
    });
    const scored = [aScored(trace, 5, { said: true, task: 0.5, lent: new Map([[3, 0.6]]) }), aScored(aTrace(2), 5)];
    const of: [Arm, Result[]][] = [
      ['keyword', [{ seq: 1, share: 1, boost: 1.1, score: 5 }, ...ranked([2])]],
      ['tag', ranked([1])],
      ['semantic', ranked([1])],
    ];
    const [one, two] = pageOf(of, { limit: 9, offset: 0 }, query, scored);
    expect(one?.boost).toBe(1.1);
    expect(one?.arms).toEqual({
      keyword: {
        ...{ rank: 1, score: 5, matched: ['boat', 'cellar'], lent: ['dune'], task: 0.5 },
        signs: { said: true, ends_asking: true, tells_time: false, tells_amount: true },
      },
      tag: { rank: 1, score: 100, matched: ['#sea'], lent: null, task: null, signs: null },
      semantic: { rank: 1, score: 100, matched: null, lent: null, task: null, signs: null },
    });
    expect(two?.arms.keyword).toMatchObject({
      ...{ rank: 2, matched: null, lent: null, task: 0 },
      signs: { said: false, ends_asking: false, tells_time: false, tells_amount: false },
    });
  });

  test('whatever the arms: each trace once, by the sum of 1 / (60 + rank), and pages fit together', () => {
    const arm = fc.uniqueArray(fc.tuple(fc.nat(30), fc.constantFrom(0, 0.5, 1)), { selector: ([seq]) => seq });
    fc.assert(
      fc.property(arm, arm, arm, fc.integer({ min: 1, max: 10 }), (keyword, tag, semantic, size) => {
        const of = arms(keyword, tag, semantic);
        const found = page(of);
        const text = (seq: number): number =>
          [keyword, tag].reduce((sum, list) => {
            const i = list.findIndex(([one]) => one === seq);
            return i < 0 ? sum : sum + 1 / (60 + i + 1);
          }, 0);
        const byText = new Set([...keyword, ...tag].map(([seq]) => seq));
        const byMeaningAlone = semantic.flatMap(([seq]) => (byText.has(seq) ? [] : [seq]));
        expect(order(found)).toEqual([
          ...[...byText].toSorted((a, b) => text(b) - text(a) || b - a),
          ...byMeaningAlone,
        ]);
        const confidences = found.map(({ confidence }) => confidence);
        expect(confidences).toEqual(confidences.toSorted((a, b) => b - a));
        const pages = Array.from({ length: Math.ceil(found.length / size) }, (_, i) => page(of, size, i * size));
        expect(pages.flat()).toEqual(found);
      }),
    );
  });
});
