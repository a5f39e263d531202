import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DIMENSIONS, embed, EMBEDDER, toVectorLiteral } from '../../src/domain/text/hashed-embedder.ts';
import { sha256Hex } from '../../src/domain/record/canonical-json.ts';

const cosine = (a: string, b: string): number => {
  const right = embed(b);
  return embed(a).reduce((sum, x, i) => sum + x * (right[i] ?? 0), 0);
};

describe('embed', () => {
  test('is the same on every machine', () => {
    expect(EMBEDDER).toBe('builtin-hash-384');
    expect(sha256Hex(toVectorLiteral(embed('We agreed with Zürich on 2026-11-21. 記憶 😀')))).toBe(
      '193a72c15854d082192b44d5338dab996db190728273e265fe03d24c51efafa8',
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
