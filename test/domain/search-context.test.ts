/** What a trace gains from its neighbours, from its task, and from what its text shows of itself. */
import { describe, expect, test } from 'vitest';
import { inContext, type Neighbour } from '../../src/memory/search/context.ts';
import type { Own, RankedTrace, Scored, Weighed } from '../../src/memory/search/rank.ts';
import { anOwn, aTrace, counted, resultOf, weighed } from '../support/ranking.ts';

const scored = (best: Own[], near: Neighbour[], query: Weighed): Scored[] => resultOf(inContext(best, near, query));
const only = (own: Own, query: Weighed): Scored | undefined => scored([own], [], query)[0];
const beside = (seq: number, lender: number, step: number, more: Partial<RankedTrace> = {}): Neighbour => ({
  ...aTrace(seq, { task_id: 'trip', ...more }),
  ...{ lender, step },
});
const inTrip = (seq: number, more: Partial<RankedTrace> = {}): RankedTrace => aTrace(seq, { task_id: 'trip', ...more });

describe('a trace alone', () => {
  test('its score adds weight times worth, and its share is the part of the words that it has', () => {
    const query = weighed([counted(2), counted(3), counted(5)]);
    const one = only(anOwn(aTrace(1), { 0: 1.5, 2: 0.5 }), query);
    expect(one).toMatchObject({ task: 0, said: false, lent: undefined });
    expect(one?.score).toBeCloseTo(2 * 1.5 + 5 * 0.5, 9);
    expect(one?.share).toBeCloseTo(7 / 10, 9);
  });

  test('a phrase and a time that is named beside words add to the score, and are no part of the share', () => {
    const hint = { word: false, timed: true };
    const query = weighed([counted(2), counted(3), counted(5, { word: false, phrase: true }), counted(1, hint)]);
    const one = only(anOwn(aTrace(1), { 0: 1, 2: 1, 3: 1 }), query);
    expect(one?.score).toBeCloseTo(8, 9);
    expect(one?.share).toBeCloseTo(2 / 5, 9);
  });

  test('tags of the query are no part of the share of its words', () => {
    expect(only(anOwn(aTrace(1), { 0: 1 }), weighed([counted(2), counted(6, { tag: true })]))?.share).toBe(1);
  });

  test('where the query has no words the share is 0', () => {
    const one = only(anOwn(aTrace(1), { 0: 1 }), weighed([counted(2, { word: false, phrase: true })]));
    expect(one).toMatchObject({ score: 2, share: 0 });
  });

  test('words of no weight add nothing', () => {
    expect(only(anOwn(aTrace(1), { 0: 1 }), weighed([counted(0)]))).toMatchObject({ score: 0, share: 0 });
  });

  test.each([
    ['the usual length', 10, 10, 1],
    ['longer by a fifth of an e-fold', 1_000 * Math.exp(0.2), 1_000, 1 + 0.2 * 0.2],
    ['much longer, which gains at most a tenth', 10_000, 10, 1.1],
    ['shorter by one e-fold', 1_000 / Math.E, 1_000, 0.8],
    ['much shorter, which loses at most two fifths', 1, 1_000, 0.6],
    ['without words', 0, 1, 1],
  ])('the factor of a text of %s', (_what, length, usual, factor) => {
    const one = only(anOwn(aTrace(1, { length }), { 0: 1 }), weighed([counted(4)], { length: usual }));
    expect(one?.score).toBeCloseTo(4 * factor, 9);
  });

  test.each<[string, boolean, Partial<RankedTrace>, number]>([
    ['somebody whose name is in the query says it', true, {}, 1.5],
    ['it ends with a question', false, { ends_asking: true }, 0.9],
    ['they say it as a question', true, { ends_asking: true }, 1.5 * 0.9],
    ['it asks and goes on', false, { asks: true }, 1],
    ['it tells a time and an amount, which counts later', false, { tells_time: true, tells_amount: true }, 1],
  ])('the factor where %s', (_what, said, signs, factor) => {
    const one = only(anOwn(aTrace(1, signs), { 0: 1 }, { said }), weighed([counted(4)]));
    expect(one?.score).toBeCloseTo(4 * factor, 9);
    expect(one?.said).toBe(said);
  });

  test('without traces there are no results', () => {
    expect(scored([], [], weighed([counted(1)]))).toEqual([]);
  });
});

describe('neighbours', () => {
  const query = weighed([counted(2), counted(3)]);

  test.each([
    [1, false, 0.6],
    [2, false, 0.4],
    [3, false, 0.2],
    [-1, false, 0.5],
    [-2, false, 0.4],
    [-3, false, 0.2],
    [1, true, 0.84],
    [2, true, 0.4],
    [3, true, 0.2],
    [-1, true, 0.5],
    [4, false, 0],
    [-4, false, 0],
  ])('at step %i, where the lender asks: %s, gain %d of the words', (step, asks, part) => {
    const found = scored([anOwn(inTrip(1, { asks }), { 0: 1.5 })], [beside(2, 1, step)], query);
    expect(found.map(({ trace }) => trace.seq)).toEqual(part ? [1, 2] : [1]);
    if (!part) return;
    const [, borrower] = found;
    expect(borrower?.lent?.size).toBe(1);
    expect(borrower?.lent?.get(0)).toBeCloseTo(part * 1.5, 9);
    expect((borrower?.score ?? 0) - (borrower?.task ?? 0)).toBeCloseTo(2 * part * 1.5, 9);
    expect(borrower?.share).toBeCloseTo((2 * Math.min(1, part * 1.5)) / 5, 9);
  });

  test('a word that is lent more than once in full is one word of the share', () => {
    const [, borrower] = scored([anOwn(inTrip(1, { asks: true }), { 0: 2 })], [beside(2, 1, 1)], query);
    expect(borrower?.lent?.get(0)).toBeCloseTo(1.68, 9);
    expect(borrower?.share).toBeCloseTo(2 / 5, 9);
  });

  test.each([
    ['nearest first', [1, 2]],
    ['nearest last', [2, 1]],
  ])('of several lenders the most is taken, not the sum: %s', (_what, order) => {
    const best = [anOwn(inTrip(1), { 0: 1 }), anOwn(inTrip(2), { 0: 1, 1: 1 })];
    const steps = [0, 1, 2]; // of the lenders 1 and 2
    const near = order.map((lender) => beside(3, lender, steps[lender] ?? 0));
    const borrower = scored(best, near, query).find(({ trace }) => trace.seq === 3);
    expect(Object.fromEntries(borrower?.lent ?? [])).toEqual({ 0: 0.6, 1: 0.4 });
  });

  test('a word that a trace has itself gains a fifth of what is lent, and counts once in the share', () => {
    const best = [anOwn(inTrip(1), { 0: 1 }), anOwn(inTrip(2), { 0: 1.5, 1: 1 })];
    const found = scored(best, [beside(2, 1, 1)], query);
    expect(found.map(({ trace }) => trace.seq)).toEqual([1, 2]);
    const own = found[1];
    expect((own?.score ?? 0) - (own?.task ?? 0)).toBeCloseTo(2 * (1.5 + 0.2 * 0.6) + 3, 9);
    expect(own?.share).toBe(1);
  });

  test.each<[string, Weighed]>([
    ['the name of a speaker', weighed([counted(2)], { named: new Set([0]) })],
    ['a phrase', weighed([counted(2, { word: false, phrase: true })])],
    ['a time beside words', weighed([counted(2, { word: false, timed: true })])],
  ])('%s is not lent, and whoever is lent nothing is no result', (_what, of) => {
    const best = [anOwn(inTrip(1), { 0: 1 }, { said: true })];
    expect(scored(best, [beside(2, 1, 1)], of).map(({ trace }) => trace.seq)).toEqual([1]);
  });

  test('a neighbour of a trace that does not take part is no result', () => {
    expect(scored([anOwn(inTrip(1), { 0: 1 })], [beside(3, 2, 1)], query)).toHaveLength(1);
  });

  test('what is lent to a question counts less too', () => {
    const [, borrower] = scored([anOwn(inTrip(1), { 0: 1 })], [beside(2, 1, 1, { ends_asking: true })], query);
    expect(borrower?.score).toBeCloseTo(0.9 * (2 * 0.6 + (borrower?.task ?? NaN)), 9);
  });
});

describe('the task', () => {
  const tasks = (found: Scored[]): Record<number, number> =>
    Object.fromEntries(found.map(({ trace, task }) => [trace.seq, task]));
  const other = aTrace(3, { task_id: 'work' });

  test('adds its own BM25 over the number of its traces with each word, at four fifths, to all of them', () => {
    const best = [anOwn(inTrip(1), { 0: 1 }), anOwn(inTrip(2), { 0: 2 }), anOwn(other, { 1: 1 })];
    const found = scored([...best, anOwn(aTrace(4), { 0: 1 })], [beside(5, 2, 3)], weighed([counted(2), counted(3)]));
    // Each word is in one of two tasks: ln(1 + 1.5 / 1.5). The first is in two traces of its task.
    const trip = 0.8 * Math.log(2) * (4.4 / 3.2);
    expect(tasks(found)).toEqual({
      ...{ 1: expect.closeTo(trip, 9), 2: expect.closeTo(trip, 9), 3: expect.closeTo(0.8 * Math.log(2), 9) },
      ...{ 4: 0, 5: expect.closeTo(trip, 9) },
    });
    expect(found[0]?.score).toBeCloseTo(2 + trip, 9);
  });

  test('a word that each task has distinguishes none of them, and one that few have does', () => {
    const best = [anOwn(inTrip(1), { 0: 1, 1: 1 }), anOwn(other, { 0: 1 })];
    const found = tasks(scored(best, [], weighed([counted(1), counted(1)])));
    expect(found[3]).toBeCloseTo(0.8 * Math.log(1 + 0.5 / 2.5), 9);
    expect(found[1]).toBeCloseTo(0.8 * (Math.log(1 + 0.5 / 2.5) + Math.log(2)), 9);
  });

  test('the factors of who says it and of a question are of the whole score', () => {
    const found = scored(
      [anOwn(inTrip(1, { ends_asking: true }), { 0: 1 }, { said: true }), anOwn(other, { 1: 1 })],
      [],
      weighed([counted(2), counted(3)]),
    );
    expect(found[0]?.score).toBeCloseTo((2 + 0.8 * Math.log(2)) * 1.5 * 0.9, 9);
  });

  test.each<[string, boolean, Weighed]>([
    ['a word', true, weighed([counted(2)])],
    ['a time', true, weighed([counted(2, { word: false, timed: true })])],
    ['a phrase', false, weighed([counted(2, { word: false, phrase: true })])],
    ['a word that only names the time', false, weighed([counted(2, { word: false })])],
    ['the name of a speaker', false, weighed([counted(2)], { named: new Set([0]) })],
  ])('%s counts in it: %s', (_what, counts, query) => {
    const found = scored([anOwn(inTrip(1), { 0: 1 }), anOwn(other, {})], [], query);
    expect(tasks(found)[1]).toBeCloseTo(counts ? 0.8 * Math.log(2) : 0, 9);
  });
});
