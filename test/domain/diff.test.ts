import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonPatch, type PatchOperation } from '../../src/domain/record/json-patch.ts';
import { joinedPatch, mergePatch } from '../../src/domain/record/merge-patch.ts';
import { patched } from '../support/patched.ts';
import { runs } from '../support/thoroughness.ts';

const parse = (text: string): unknown => JSON.parse(text) as unknown;

/** Small alphabets, so that two values share much; the member names are those that trip naive code. */
const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, 0, 1, 2, 'a', 'b', ''),
    fc.array(tie('value'), { maxLength: 6 }),
    fc
      .array(fc.tuple(fc.constantFrom('a', 'b', '', 'a/b', 'm~n', '0', '-', 'constructor', '__proto__'), tie('value')))
      .map((members) => Object.fromEntries(members)),
  ),
})).value;

describe('jsonPatch', () => {
  test.each<[string, unknown, unknown, PatchOperation[]]>([
    ['equal', { a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }, []],
    [
      'member',
      { a: 1, b: 2 },
      { a: 3, c: 4 },
      [
        { op: 'remove', path: '/b' },
        { op: 'replace', path: '/a', value: 3 },
        { op: 'add', path: '/c', value: 4 },
      ],
    ],
    ['appended', ['x'], ['x', 'y'], [{ op: 'add', path: '/1', value: 'y' }]],
    ['removed from the middle', ['x', 'y', 'z'], ['x', 'z'], [{ op: 'remove', path: '/1' }]],
    ['changed within an element', [{ a: 1 }, 2], [{ a: 2 }, 2], [{ op: 'replace', path: '/0/a', value: 2 }]],
    [
      'moved along',
      ['a', 'b', 'c', 'd'],
      ['b', 'c', 'e', 'd'],
      [
        { op: 'remove', path: '/0' },
        { op: 'add', path: '/2', value: 'e' },
      ],
    ],
    ['other kind', { a: [] }, { a: {} }, [{ op: 'replace', path: '/a', value: {} }]],
    ['escaped names', {}, { 'a/b~': null }, [{ op: 'add', path: '/a~1b~0', value: null }]],
    ['undefined is absent', { a: undefined, b: 1 }, { b: undefined, c: undefined }, [{ op: 'remove', path: '/b' }]],
  ])('%s', (_, from, to, expected) => {
    expect(jsonPatch(from, to)).toEqual(expected);
  });

  test('applied by another implementation, gives the other value, and leaves both as they were', () => {
    // The other implementation skips these names for safety, so that it gets the same patch with other names.
    const renamed = (value: unknown): unknown =>
      parse(JSON.stringify(value).replace(/__proto__|constructor/g, (name) => `x${name.length}`));
    fc.assert(
      fc.property(json, json, (from, to) => {
        const before = JSON.stringify([from, to]);
        const patch = renamed(jsonPatch(from, to)) as PatchOperation[];
        expect(patched(renamed(from), patch)).toEqual(renamed(to));
        expect(JSON.stringify([from, to])).toBe(before);
      }),
      { numRuns: runs(500) },
    );
  });

  test('long arrays with nothing in common stay cheap', () => {
    const from = Array.from({ length: 20_000 }, (_, i) => `a${i}`);
    const to = Array.from({ length: 10_000 }, (_, i) => `b${i}`);
    const patch = jsonPatch(from, to);
    expect(patch).toHaveLength(20_000);
    expect(patch.at(-1)).toEqual({ op: 'remove', path: '/10000' });
  });
});

describe('mergePatch', () => {
  test.each([
    ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
    ['{"a":"b"}', '{"a":null}', '{}'],
    ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
    ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
    ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
    ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
    ['["a","b"]', '["c","d"]', '["c","d"]'],
    ['{"a":"b"}', '["c"]', '["c"]'],
    ['{"a":"foo"}', 'null', 'null'],
    ['{"a":"foo"}', '"bar"', '"bar"'],
    ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
    ['[1,2]', '{"a":"b","c":null}', '{"a":"b"}'],
    ['{}', '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
  ])('RFC 7396 appendix A: %s with %s', (target, patch, result) => {
    expect(mergePatch(parse(target), parse(patch))).toEqual(parse(result));
  });

  test('never reaches a prototype', () => {
    const merged = mergePatch({}, parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'));
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test('changes neither argument', () => {
    const target = { a: { b: 1 } };
    expect(mergePatch(target, { a: { b: 2 } })).toEqual({ a: { b: 2 } });
    expect(target).toEqual({ a: { b: 1 } });
  });
});

describe('joinedPatch', () => {
  test('has the effect of one patch after another, where one patch can have it', () => {
    const leaf = fc.oneof(fc.constant(null), fc.integer({ min: 0, max: 3 }), fc.constant([1]));
    const name = fc.constantFrom('a', 'b', 'constructor');
    const { patch } = fc.letrec((tie) => ({
      patch: fc.dictionary(name, fc.oneof({ maxDepth: 3 }, leaf, tie('patch'))),
    }));
    let joinable = 0;
    fc.assert(
      fc.property(patch, patch, patch, (target, first, second) => {
        const joined = joinedPatch(first, second);
        if (joined === undefined) return;
        joinable++;
        expect(mergePatch(target, joined)).toEqual(mergePatch(mergePatch(target, first), second));
      }),
      { numRuns: runs(500) },
    );
    expect(joinable).toBeGreaterThan(20);
  });

  test('there is none that empties an object and gives it members', () => {
    expect(joinedPatch({ a: null }, { a: { b: 1 } })).toBeUndefined();
    expect(joinedPatch({ a: { b: null } }, { a: { c: 1 } })).toEqual({ a: { b: null, c: 1 } });
  });
});
