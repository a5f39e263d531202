import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  canonicalJson,
  entryHash,
  GENESIS_HASH,
  sha256Hex,
  unstorable,
} from '../../src/domain/record/canonical-json.ts';

describe('canonicalJson', () => {
  test('RFC 8785 §3.2.2', () => {
    const input = String.raw`{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}`;
    expect(canonicalJson(JSON.parse(input))).toBe(
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    );
  });

  test('does not depend on member order', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.integer()), (object) => {
        const reversed = Object.fromEntries(Object.entries(object).reverse());
        expect(canonicalJson(reversed)).toBe(canonicalJson(object));
      }),
    );
  });

  test.each([undefined, Number.NaN, Infinity, '\ud800'])('refuses %s', (value) => {
    expect(() => canonicalJson(value)).toThrow();
  });
});

describe('hashes', () => {
  test('sha256Hex hashes UTF-8', () => {
    expect(sha256Hex('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect(sha256Hex('€')).toBe(
      createHash('sha256')
        .update(Buffer.from([0xe2, 0x82, 0xac]))
        .digest('hex'),
    );
  });

  test('entryHash chains the bytes of the previous hash with the canonical entry', () => {
    const text = Buffer.from('{"a":1,"seq":2}');
    const expected = createHash('sha256')
      .update(Buffer.concat([Buffer.alloc(32), text]))
      .digest('hex');
    expect(entryHash(GENESIS_HASH, canonicalJson({ seq: 2, a: 1 }))).toBe(expected);
    expect(entryHash(expected, canonicalJson({ seq: 2, a: 1 }))).not.toBe(expected);
  });

  test.each(['', 'zz', GENESIS_HASH.slice(1), 'A'.repeat(64)])(
    'entryHash refuses %j as a previous hash',
    (previous) => {
      expect(() => entryHash(previous, '{}')).toThrow(TypeError);
    },
  );
});

describe('unstorable', () => {
  const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth));

  test.each<[string, unknown, ReturnType<typeof unstorable>]>([
    ['plain', { a: ['b', 1, null, true, '😀'] }, null],
    ['root', 'a\0', []],
    ['NUL', { a: ['b', { c: 'x\0y' }] }, ['a', 1, 'c']],
    ['lone surrogate', ['ok', '\ud83d'], [1]],
    ['member name with NUL', { a: { 'k\0': 1 } }, ['a', 'k\0']],
    ['member name with a lone surrogate', { '\udc00': 1 }, ['\ufffd']],
    ['beyond a double', JSON.parse('{"n": 1e999}'), ['n']],
    ['as deep as allowed', nested(32), null],
    ['too deep', nested(33), Array.from({ length: 32 }, () => 0)],
    ['as deep as a body can be', nested(100_000), Array.from({ length: 32 }, () => 0)],
  ])('%s', (_, value, path) => {
    expect(unstorable(value)).toEqual(path);
  });
});
