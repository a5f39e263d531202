import fc from 'fast-check';
import { countTokens as reference } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, test } from 'vitest';
import { createPacker } from '../../src/domain/text/token-budget.ts';
import { runs } from '../support/thoroughness.ts';

const result = (summary: string, rest: object = {}): string =>
  JSON.stringify({ type: 'observation', task_id: null, timestamp: '2026-11-18T09:00:00.000Z', summary, ...rest });

const real = (kept: string[]): number => reference(`[${kept.join(',')}]`, { disallowedSpecial: new Set() });

/** What is kept of results offered in order. */
const packed = (results: string[], budget: number) => {
  const packer = createPacker(budget);
  const kept: string[] = [];
  let offered = 0;
  for (const json of results) {
    if (packer.isFull()) break;
    offered++;
    if (packer.offer(json)) kept.push(json);
  }
  return { kept, offered, packer };
};

describe('createPacker', () => {
  const notes = [1, 2, 3, 4].map((n) => result(`Note ${n} about the launch`));
  const each = real(notes.slice(0, 2)) - real(notes.slice(0, 1));

  test('keeps everything where it fits, to the last token', () => {
    const whole = real(notes);
    expect(packed(notes, whole).kept).toEqual(notes);
    expect(packed(notes, whole - 1).kept).toEqual(notes.slice(0, 3));
  });

  test('a smaller one takes the room a larger one does not fit', () => {
    const large = result('very long text '.repeat(50));
    expect(packed([large, ...notes], each + 4).kept).toEqual([notes[0]]);
  });

  test.each([0, 1, 5, 20])('a budget of %d keeps nothing, and counts that', (budget) => {
    const { kept, packer } = packed(notes, budget);
    expect(kept).toEqual([]);
    expect(packer.tokens()).toBe(real([]));
  });

  const summary = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 80 }),
    fc.constantFrom(
      '',
      '"},{"',
      '\\',
      '\n\n',
      '{"',
      '!!!',
      '}]',
      '<|endoftext|>',
      '记忆'.repeat(200),
      'x'.repeat(600),
      '😀'.repeat(30),
    ),
  );
  const rest = fc.oneof(
    fc.constant({}),
    fc.record({ feedback_rating: fc.constantFrom(null, 4.5), notes: fc.option(summary) }),
    fc.record({ group: fc.option(summary) }),
  );
  const results = fc.array(
    fc.tuple(summary, rest).map(([text, more]) => result(text, more)),
    { maxLength: 25 },
  );

  test('never exceeds the budget in any order of what is kept, and keeps the first wherever it fits', () => {
    fc.assert(
      fc.property(results, fc.integer({ min: 0, max: 900 }), (given, budget) => {
        const { kept, packer } = packed(given, budget);
        if (kept.length) {
          expect(real(kept)).toBeLessThanOrEqual(budget);
          expect(real(kept.toReversed())).toBeLessThanOrEqual(budget);
        }
        expect(packer.tokens()).toBeGreaterThanOrEqual(real(kept));
        // Four tokens for the brackets, whatever they merge with.
        const [first] = given;
        const isLong = /[^\s\p{N}]{257}/u.test(first ?? '');
        if (first !== undefined && !isLong && real([first]) + 4 <= budget) expect(kept[0]).toBe(first);
      }),
      { numRuns: runs(300) },
    );
  });

  test('loses no token between results: what is counted is what there is', () => {
    fc.assert(
      fc.property(results, (given) => {
        fc.pre(!given.some((json) => /[^\s\p{N}]{257}/u.test(json)));
        const { kept, packer } = packed(given, 1_000_000);
        expect(kept).toEqual(given);
        expect(packer.tokens() - real(kept)).toBeLessThanOrEqual(2);
        expect(packer.tokens()).toBeGreaterThanOrEqual(real(kept));
      }),
    );
  });

  test('looks at no more than it says, however little fits', () => {
    for (const budget of [1, 100, 1_000]) {
      const { offered, packer, kept } = packed(
        Array.from({ length: 3_000 }, (_, i) => result(i % 7 ? 'x '.repeat(2_000) : `Note ${i}`)),
        budget,
      );
      expect(offered).toBeLessThanOrEqual(packer.most);
      expect(kept.length > 0).toBe(budget >= 100);
    }
  });
});
