import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { embed, EMBEDDER, toVectorLiteral } from '../../src/domain/text/word-embedder.ts';
import { addWord, DIMENSIONS, encodeTable } from '../../src/domain/text/word-table.ts';
import { sha256Hex } from '../../src/domain/record/canonical-json.ts';

const dot = (a: Float64Array, b: Float64Array): number => a.reduce((sum, x, i) => sum + x * (b[i] ?? 0), 0);
const cosine = (a: string, b: string): number => {
  const [left, right] = [embed(a), embed(b)];
  return dot(left, right) / Math.sqrt(dot(left, left) * dot(right, right));
};

describe('embed', () => {
  test('is the same on every machine', () => {
    expect(EMBEDDER).toBe('builtin-words-128');
    expect(sha256Hex(toVectorLiteral(embed('We agreed with the doctor on the garden. 😀')))).toBe(
      'a78689e8c2d88f32563c787e03f225e49d278e277c3c783cba96993ced57f57e',
    );
  });

  test.each([
    ['planning the product launch', 'we planned a launch of the product', 'the dentist called about my tooth'],
    ['see a doctor', 'an appointment at the dentist', 'hiking in the mountains'],
    ['buy a car', 'the automobile was sold', 'flowers in the garden'],
    ['his pet', 'the dog barked', 'the quarterly budget'],
  ])('%s is nearer to %s than to %s', (text, near, far) => {
    expect(cosine(text, near)).toBeGreaterThan(cosine(text, far) + 0.1);
  });

  test('a common word counts less than a rare one', () => {
    const length = (word: string): number => Math.sqrt(dot(embed(word), embed(word)));
    expect(length('said')).toBeLessThan(0.7 * length('pottery'));
  });

  test('who says a text is not part of its meaning', () => {
    expect(embed('Mark: the dog barked')).toEqual(embed('the dog barked'));
    expect(embed('the mark of the dog')).not.toEqual(embed('the dog'));
  });

  test.each(['', '   ', 'the of and', '!?', '会議の予算', 'zqxjk'])('%j has no direction', (text) => {
    expect(embed(text).every((x) => x === 0)).toBe(true);
  });

  test('whatever the text, its vector is finite and has the length of the table', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 80 }), (text) => {
        const vector = embed(text);
        expect(vector).toHaveLength(DIMENSIONS);
        expect(vector.every(Number.isFinite)).toBe(true);
      }),
    );
  });
});

test('an encoded table has the size that its stems need', () => {
  const vector = Array.from({ length: DIMENSIONS }, (_, i) => i / 100);
  expect(
    encodeTable([
      { stem: 'one', vector },
      { stem: 'zwei', vector },
    ]),
  ).toHaveLength(4 + 8 + 2 * (4 + DIMENSIONS));
  const sum = new Float64Array(DIMENSIONS);
  addWord(sum, 'no such stem');
  expect(sum.every((x) => x === 0)).toBe(true);
});

test.each<[number[], string]>([
  [[0, -0, 1, -0.5], '[0,0,1000000,-500000]'],
  [[1e-9, -2e-9], '[500000,-1000000]'],
  [[0, 0], '[0,0]'],
  [[], '[]'],
])('toVectorLiteral %j', (vector, literal) => {
  expect(toVectorLiteral(vector)).toBe(literal);
});

test('a literal points where the vector does', () => {
  const vectors = fc.array(
    fc.float({ noNaN: true, noDefaultInfinity: true, min: Math.fround(-1e9), max: Math.fround(1e9) }),
    {
      minLength: 1,
      maxLength: 400,
    },
  );
  fc.assert(
    fc.property(vectors, (vector) => {
      const literal = JSON.parse(toVectorLiteral(vector)) as number[];
      expect(literal).toHaveLength(vector.length);
      for (const x of literal) expect(Math.fround(x)).toBe(x);
      const largest = Math.max(...vector.map(Math.abs));
      if (largest === 0) return;
      vector.forEach((x, i) => expect(Math.abs(x / largest - (literal[i] ?? 0) / 1e6)).toBeLessThan(1e-6));
    }),
  );
});
