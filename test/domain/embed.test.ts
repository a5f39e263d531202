import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DIMENSIONS, embed, EMBEDDER, toVectorLiteral } from '../../src/domain/embed.ts';
import { sha256Hex } from '../../src/domain/jcs.ts';

const cosine = (a: string, b: string): number => {
  const right = embed(b);
  return embed(a).reduce((sum, x, i) => sum + x * (right[i] ?? 0), 0);
};

describe('embed', () => {
  test('is the same on every machine', () => {
    expect(EMBEDDER).toBe('builtin-hash-384');
    expect(sha256Hex(toVectorLiteral(embed('We agreed with Zürich on 2026-11-21. 記憶 😀')))).toBe(
      'a9ff59a4bdeb9e8672e11e13c06e63eb4bd695f9f1fea137c69aefca9b0642b1',
    );
  });

  test('is a unit vector', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 80 }), (text) => {
        const vector = embed(text);
        expect(vector).toHaveLength(DIMENSIONS);
        const length = Math.hypot(...vector);
        expect(length === 0 || Math.abs(length - 1) < 1e-5).toBe(true);
      }),
    );
  });

  test.each([
    ['planning the product launch', 'we planned a launch of the product', 'the dentist called about my tooth'],
    ['restaurant recommendations', 'a recommended restaurant', 'the quarterly budget'],
    ['Kubernetes cluster', 'kubernets clusters', 'garden flowers'],
    ['東京の天気', '東京は天気がいい', '会議の予算'],
  ])('%s is nearer to %s than to %s', (text, near, far) => {
    expect(cosine(text, near)).toBeGreaterThan(cosine(text, far) + 0.1);
  });

  test.each(['', '   ', 'the of and', '!?'])('%j has no direction', (text) => {
    expect(embed(text).every((x) => x === 0)).toBe(true);
  });
});

test.each<[number[], string]>([
  [[0, -0, 1, -0.5], '[0,0,1,-0.5]'],
  [[Math.fround(0.1), 1e-9], '[0.100000001,1e-9]'],
  [[], '[]'],
])('toVectorLiteral %j', (vector, literal) => {
  expect(toVectorLiteral(vector)).toBe(literal);
});

test('a literal gives the same float4 back', () => {
  fc.assert(
    fc.property(fc.float({ noNaN: true, noDefaultInfinity: true }), (x) => {
      const [back] = JSON.parse(toVectorLiteral([x])) as number[];
      expect(Math.fround(back ?? Number.NaN) === x).toBe(true);
    }),
  );
});
