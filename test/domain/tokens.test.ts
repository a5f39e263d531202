import fc from 'fast-check';
import { countTokens as reference } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, test } from 'vitest';
import { countTokens, fitsTokens, truncateToTokens } from '../../src/domain/text/tokens.ts';

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  fc
    .array(fc.constantFrom('The ', 'budget ', '12,500 ', '记忆', '😀', '<|endoftext|>', '\n\n', '  ', 'x'.repeat(60)), {
      maxLength: 80,
    })
    .map((parts) => parts.join('')),
);

describe('countTokens', () => {
  test.each([
    ['', 0],
    ['hello world', 2],
    ['The quick brown fox', 4],
    ['<|endoftext|>', 7],
    ['😀', 1],
  ])('%j has %d', (input, count) => {
    expect(countTokens(input)).toBe(count);
  });

  test('agrees with the encoder wherever no run is over-long', () => {
    fc.assert(
      fc.property(text, (input) => {
        fc.pre(!/\S{257}|\s{257}/.test(input));
        expect(countTokens(input)).toBe(reference(input, { disallowedSpecial: new Set() }));
      }),
    );
  });

  test.each([['x'.repeat(2_000)], [`a ${'记忆'.repeat(500)} b`], [`a${' '.repeat(1_000)}b`], ['-'.repeat(900)]])(
    'never counts a long run short',
    (input) => {
      expect(countTokens(input)).toBeGreaterThanOrEqual(reference(input));
    },
  );

  test('an endless word answers, where the encoder alone would take half a minute', () => {
    expect(countTokens('记忆追踪'.repeat(25_000))).toBe(300_000);
  });
});

describe('truncateToTokens', () => {
  test('is a start of the text within the limit, and whole where it fits', () => {
    fc.assert(
      fc.property(text, fc.nat(60), (input, max) => {
        const cut = truncateToTokens(input, max);
        expect(input.startsWith(cut)).toBe(true);
        expect(countTokens(cut)).toBeLessThanOrEqual(max);
        expect(cut.isWellFormed()).toBe(input.isWellFormed());
        if (countTokens(input) <= max) expect(cut).toBe(input);
      }),
    );
  });

  test('does not cut more than it must', () => {
    expect(countTokens(truncateToTokens('one two three four five six seven eight '.repeat(50), 20))).toBe(20);
  });
});

test('fitsTokens agrees with countTokens', () => {
  fc.assert(
    fc.property(text, fc.nat(100), (input, max) => {
      expect(fitsTokens(input, max)).toBe(countTokens(input) <= max);
    }),
  );
});
