import fc from 'fast-check';
import { countTokens as reference } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, test } from 'vitest';
import { packSummaries, usefulness, type PackItem } from '../../src/domain/pack.ts';
import { countTokens } from '../../src/domain/tokens.ts';

const day = (n: number): string => `2026-01-${String(n).padStart(2, '0')}T00:00:00.000Z`;

const item = (n: number, score: number, summary = `Note ${n} about the launch`): PackItem => ({
  key: `t${n}`,
  json: JSON.stringify({ type: 'observation', task_id: null, timestamp: day(n), summary }),
  score,
  timestamp: day(n),
});

const serialised = (items: PackItem[], keys: string[]): string =>
  `[${items
    .filter(({ key }) => keys.includes(key))
    .map(({ json }) => json)
    .join(',')}]`;

const real = (text: string): number => reference(text, { disallowedSpecial: new Set() });

describe('packSummaries', () => {
  const items = [item(1, 0.1), item(2, 0.9), item(3, 0.5), item(4, 0.9)];
  const each = real(`${items[0]?.json},`);

  test('keeps everything where it fits', () => {
    expect(packSummaries(items, 10_000)).toEqual({
      keys: ['t1', 't2', 't3', 't4'],
      omitted: null,
      token_count: real(serialised(items, ['t1', 't2', 't3', 't4'])),
    });
  });

  test('keeps the best, in the order given, and tells what is left out', () => {
    const packed = packSummaries(items, each * 3 + 2);
    expect(packed.keys).toEqual(['t2', 't3', 't4']);
    expect(packed.omitted).toEqual({ count: 1, oldest: day(1), newest: day(1) });
  });

  test('of equal scores the newer', () => {
    expect(packSummaries(items, each + 2).keys).toEqual(['t4']);
  });

  test('a smaller one takes the room a larger one does not fit', () => {
    const large = item(5, 1, 'very long text '.repeat(50));
    expect(packSummaries([large, ...items], each + 2).keys).toEqual(['t4']);
  });

  test('leaves room for what stands beside the results', () => {
    expect(packSummaries(items, each * 3 + 2, each).keys).toEqual(['t2', 't4']);
  });

  test.each([0, 1, 5])('a budget of %d keeps nothing', (budget) => {
    expect(packSummaries(items, budget)).toMatchObject({
      keys: [],
      omitted: { count: 4, oldest: day(1), newest: day(4) },
    });
  });

  test('nothing to pack', () => {
    expect(packSummaries([], 100)).toEqual({ keys: [], omitted: null, token_count: 1 });
  });

  test('never exceeds the budget, loses count of nothing, and keeps the best one wherever it fits', () => {
    const summary = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 80 }),
      fc.constantFrom('', '"},{"', '\\', '\n\n', '<|endoftext|>', '记忆'.repeat(200), 'x'.repeat(600), '😀'.repeat(30)),
    );
    const list = fc.array(fc.tuple(fc.integer({ min: 1, max: 28 }), fc.integer({ min: 0, max: 5 }), summary), {
      maxLength: 25,
    });
    fc.assert(
      fc.property(list, fc.integer({ min: 0, max: 900 }), (rows, budget) => {
        const given = rows.map(([n, score, text], i): PackItem => ({ ...item(n, score, text), key: `k${i}` }));
        const packed = packSummaries(given, budget);
        const tokens = real(serialised(given, packed.keys));
        if (packed.keys.length > 0) expect(tokens).toBeLessThanOrEqual(budget);
        expect(packed.token_count).toBeGreaterThanOrEqual(tokens);
        expect(packed.keys.length + (packed.omitted?.count ?? 0)).toBe(given.length);
        const [best] = given.toSorted((a, b) => b.score - a.score || b.timestamp.localeCompare(a.timestamp));
        // Three tokens for the brackets, whatever they merge with.
        if (best && countTokens(best.json) + 3 <= budget) expect(packed.keys).toContain(best.key);
      }),
    );
  });

  test('a small budget out of 100,000 items counts only a few of them', () => {
    const many = Array.from({ length: 100_000 }, (_, i) => ({
      ...item((i % 28) + 1, (i * 7919) % 1000),
      key: `k${i}`,
    }));
    const packed = packSummaries(many, 1_000);
    expect(packed.keys.length).toBeGreaterThan(20);
    expect(packed.token_count).toBeGreaterThan(1_000 - 2 * each);
  });
});

test.each([
  ['newer', { timestamp: day(20), links: 0 }, { timestamp: day(1), links: 0 }],
  ['rated good', { timestamp: day(1), links: 0, feedback_rating: 5 }, { timestamp: day(1), links: 0 }],
  [
    'not rated bad',
    { timestamp: day(1), links: 0, feedback_rating: null },
    { timestamp: day(1), links: 0, feedback_rating: 1 },
  ],
  ['linked', { timestamp: day(1), links: 2 }, { timestamp: day(1), links: 0 }],
])('more useful: %s', (_, better, worse) => {
  expect(usefulness(better, day(20))).toBeGreaterThan(usefulness(worse, day(20)));
});
