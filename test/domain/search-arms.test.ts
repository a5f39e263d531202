/** How each arm of a search ranks: words with what meaning and the asked kind of answer add, tags, and meaning alone. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { byMeaning, byTags, byWords, type Result } from '../../src/memory/search/fuse.ts';
import type { RankedTrace, Scored } from '../../src/memory/search/rank.ts';
import { anOwn, aScored, aTrace, counted, weighed } from '../support/ranking.ts';

const order = (results: { seq: number }[]): number[] => results.map(({ seq }) => seq);
const scores = (results: Result[]): Record<number, number> =>
  Object.fromEntries(results.map(({ seq, score }) => [seq, score]));
const near = (value: number) => expect.closeTo(value, 9) as number;
const NO_GAINS = new Map<number, number>();

describe('byWords', () => {
  const words = (traces: [seq: number, score: number, more?: Partial<RankedTrace>][], gains = NO_GAINS): Result[] =>
    byWords(
      traces.map(([seq, score, more]) => aScored(aTrace(seq, more), score)),
      gains,
    );
  const trip = { task_id: 'trip' };
  const work = { task_id: 'work' };

  test('the best of each task and each trace without a task gain a fifth', () => {
    const found = words([
      [1, 10, trip],
      [2, 9, trip],
      [3, 8, work],
      [4, 7, work],
      [5, 6],
      [6, 5],
    ]);
    expect(scores(found)).toEqual({ 1: near(12), 2: 9, 3: near(9.6), 4: 7, 5: near(7.2), 6: near(6) });
    expect(order(found)).toEqual([1, 3, 2, 5, 4, 6]);
  });

  test('of the equals of a task the newest is its best', () => {
    const best = [
      [1, 5, trip],
      [3, 5, trip],
      [2, 5, trip],
    ] satisfies Parameters<typeof words>[0];
    expect(scores(words(best))).toEqual({ 1: 5, 2: 5, 3: near(6) });
    expect(order(words(best))).toEqual([3, 2, 1]);
  });

  test('the boost counts, before the best of a task is chosen', () => {
    const found = words([
      [1, 10, { ...trip, boost: 0.9 }],
      [2, 9.5, trip],
    ]);
    expect(scores(found)).toEqual({ 1: near(9), 2: near(11.4) });
    expect(found.map(({ boost }) => boost)).toEqual([1, 0.9]);
  });

  test('what is gained for meaning is a part of the best score, and can be lost', () => {
    const gains = new Map([
      [1, -0.2],
      [3, 0.3],
    ]);
    const found = words(
      [
        [1, 10],
        [2, 9],
        [3, 6],
      ],
      gains,
    );
    expect(scores(found)).toEqual({ 1: near(9.6), 2: near(10.8), 3: near(10.8) });
  });

  test('the gain can make another trace the best of a task', () => {
    const found = words(
      [
        [1, 10, trip],
        [2, 9, trip],
      ],
      new Map([[2, 0.2]]),
    );
    expect(scores(found)).toEqual({ 1: 10, 2: near(13.2) });
  });

  test('no score is below 0', () => {
    expect(
      scores(
        words(
          [
            [1, 10],
            [2, 1],
          ],
          new Map([[2, -0.5]]),
        ),
      ),
    ).toEqual({ 1: near(12), 2: 0 });
  });

  test('gains of zero change nothing', () => {
    const traces: Parameters<typeof words>[0] = [
      [1, 3, trip],
      [2, 5, trip],
      [3, 4],
    ];
    expect(words(traces, new Map([1, 2, 3].map((seq) => [seq, 0])))).toEqual(words(traces));
  });

  test.each<[string, Partial<RankedTrace>, number]>([
    ['a time', { tells_time: true }, 0.15],
    ['an amount', { tells_amount: true }, 0.1],
    ['both', { tells_time: true, tells_amount: true }, 0.25],
    ['neither', {}, 0],
  ])('where the query asks for %s, a trace that tells it gains a part of the best score', (_what, signs, part) => {
    const found = words([
      [1, 10],
      [2, 4, { ...signs, boost: 1.1 }],
    ]);
    expect(scores(found)).toEqual({ 1: near(12), 2: near((4 + 10 * part) * 1.1 * 1.2) });
  });

  test('the share is kept', () => {
    expect(byWords([aScored(aTrace(1), 1, { share: 0.4 })], NO_GAINS)).toMatchObject([{ seq: 1, share: 0.4 }]);
  });

  test('a thousand are ranked', () => {
    const found = words(Array.from({ length: 1_001 }, (_, seq) => [seq, seq === 0 ? 2 : 1]));
    expect(found).toHaveLength(1_000);
    expect(order(found.slice(0, 2))).toEqual([0, 1_000]);
    expect(order(found)).not.toContain(1);
  });

  test('without traces the list is empty', () => {
    expect(words([])).toEqual([]);
  });

  test('whatever the order of the traces, the result is the same', () => {
    const trace = fc.record({
      score: fc.constantFrom(1, 2, 3),
      task_id: fc.constantFrom(null, 'trip', 'work'),
      tells_time: fc.boolean(),
      gain: fc.constantFrom(-0.5, 0, 0.5),
      place: fc.nat(),
    });
    fc.assert(
      fc.property(fc.array(trace, { maxLength: 12 }), (list) => {
        const gains = new Map(list.map(({ gain }, seq) => [seq, gain]));
        const all = list.map(({ score, task_id, tells_time }, seq) =>
          aScored(aTrace(seq, { task_id, tells_time }), score),
        );
        const place = ({ trace: { seq } }: Scored): number => list[seq]?.place ?? 0;
        const shuffled = all.toSorted((a, b) => place(a) - place(b));
        expect(byWords(shuffled, gains)).toEqual(byWords(all, gains));
      }),
    );
  });
});

describe('byTags', () => {
  const TAGS = [counted(2, { tag: true }), counted(6, { tag: true }), counted(9)];

  test('the score is that of the tags, and the share is the part of the tags of the query', () => {
    const tag = [
      anOwn(aTrace(1), { 0: 1 }, { score: 2 }),
      anOwn(aTrace(2), { 1: 1 }, { score: 6 }),
      anOwn(aTrace(3, { boost: 1.1 }), { 0: 1, 1: 1 }, { score: 8 }),
    ];
    expect(byTags(weighed(TAGS, { tag }))).toEqual([
      { seq: 3, boost: 1.1, share: 1, score: near(8.8) },
      { seq: 2, boost: 1, share: 0.75, score: 6 },
      { seq: 1, boost: 1, share: 0.25, score: 2 },
    ]);
  });

  test('of equals the newest is first, and the trace of a task has no advantage', () => {
    const tag = [2, 3, 1].map((seq) => anOwn(aTrace(seq, { task_id: `${seq}` }), { 0: 1 }, { score: 2 }));
    const found = byTags(weighed(TAGS, { tag }));
    expect(order(found)).toEqual([3, 2, 1]);
    expect(scores(found)).toEqual({ 1: 2, 2: 2, 3: 2 });
  });

  test('a thousand are ranked, and without traces the list is empty', () => {
    const tag = Array.from({ length: 1_001 }, (_, seq) => anOwn(aTrace(seq), { 0: 1 }, { score: 2 }));
    expect(order(byTags(weighed(TAGS, { tag })))).toEqual(Array.from({ length: 1_000 }, (_, i) => 1_000 - i));
    expect(byTags(weighed([]))).toEqual([]);
  });
});

describe('byMeaning', () => {
  test('the score is similarity times boost, and the share is at most 1', () => {
    expect(
      byMeaning([
        { seq: 1, similarity: 0.5, boost: 1 },
        { seq: 2, similarity: 0.46, boost: 1.1 },
        { seq: 3, similarity: 1.0000001, boost: 0.9 },
        { seq: 4, similarity: 0.5, boost: 1 },
      ]),
    ).toEqual([
      { seq: 3, boost: 0.9, share: 1, score: near(0.90000009) },
      { seq: 2, boost: 1.1, share: 0.46, score: near(0.506) },
      { seq: 4, boost: 1, share: 0.5, score: 0.5 },
      { seq: 1, boost: 1, share: 0.5, score: 0.5 },
    ]);
  });

  test('a thousand are ranked, and without traces the list is empty', () => {
    const all = Array.from({ length: 1_001 }, (_, seq) => ({ seq, similarity: 0.5, boost: 1 }));
    expect(order(byMeaning(all))).toEqual(Array.from({ length: 1_000 }, (_, i) => 1_000 - i));
    expect(byMeaning([])).toEqual([]);
  });
});
