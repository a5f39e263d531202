import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createWordCache } from '../../src/domain/text/word-cache.ts';
import { mapYielding } from '../../src/common/yielding.ts';
import { runs } from '../support/thoroughness.ts';

describe('a word memo', () => {
  test('answers as if it computed every time, wherever a word stands, and whatever fell into its slot', () => {
    const memo = createWordCache((word) => `<${word}>`);
    // 'Aa' and 'BB' have one digest, and so have all words made of them in the same order.
    const part = fc.constantFrom('Aa', 'BB', 'C', 'é', '記', '😀', '\ud83d', ' ', 'x'.repeat(40));
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), fc.nat(60), fc.nat(60), (parts, from, length) => {
        const text = parts.join('');
        const [start, end] = [Math.min(from, text.length), Math.min(from + length, text.length)];
        expect(memo(text, start, end)).toBe(`<${text.slice(start, end)}>`);
      }),
      { numRuns: runs(2_000) },
    );
  });

  test('computes a word once', () => {
    const computed: string[] = [];
    const memo = createWordCache((word) => computed.push(word));
    for (const text of ['one two', 'two one', 'tone one'])
      for (const at of [0, text.indexOf(' ') + 1]) memo(text, at, at + 3);
    expect(computed).toEqual(['one', 'two', 'ton']);
  });
});

test('mapYielding keeps the order, and others have their turn in between', async () => {
  const busy = (n: number): number => {
    for (const until = performance.now() + 5; performance.now() < until;);
    return n * 2;
  };
  let turns = 0;
  const other = setInterval(() => (turns += 1));
  expect(await mapYielding([1, 2, 3, 4, 5], busy)).toEqual([2, 4, 6, 8, 10]);
  clearInterval(other);
  expect(turns).toBeGreaterThan(1);
});
