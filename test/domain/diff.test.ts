import fc from 'fast-check';
import { applyPatch as referenceApply } from 'rfc6902';
import { describe, expect, test } from 'vitest';
import { applyPatch, jsonPatch, mergePatch, type PatchOperation } from '../../src/domain/diff.ts';

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

  test('applied, gives the other value, and leaves both as they were', () => {
    fc.assert(
      fc.property(json, json, (from, to) => {
        const before = JSON.stringify([from, to]);
        expect(JSON.stringify(sorted(applyPatch(from, jsonPatch(from, to))))).toBe(JSON.stringify(sorted(to)));
        expect(JSON.stringify([from, to])).toBe(before);
      }),
      { numRuns: 500 },
    );
  });

  test('is understood by another implementation', () => {
    const plain = fc
      .jsonValue()
      .map((value) => parse(JSON.stringify(value).replace(/__proto__|constructor|prototype/g, 'x')));
    fc.assert(
      fc.property(plain, plain, (from, to) => {
        const doc = { root: structuredClone(from) };
        const results = referenceApply(doc, jsonPatch({ root: from }, { root: to }) as never);
        expect(results.filter(Boolean)).toEqual([]);
        expect(doc.root).toEqual(to);
      }),
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

/** Member order is no part of a JSON value. */
const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, item]) => [key, sorted(item)]);
};

describe('applyPatch', () => {
  test.each<[string, unknown, PatchOperation[], unknown]>([
    [
      'A.2 add into an array',
      { foo: ['bar', 'baz'] },
      [{ op: 'add', path: '/foo/1', value: 'qux' }],
      { foo: ['bar', 'qux', 'baz'] },
    ],
    [
      'A.6 move',
      { foo: { bar: 'baz', waldo: 'fred' }, qux: { corge: 'grault' } },
      [{ op: 'move', from: '/foo/waldo', path: '/qux/thud' }],
      { foo: { bar: 'baz' }, qux: { corge: 'grault', thud: 'fred' } },
    ],
    [
      'A.7 move within an array',
      { foo: ['all', 'grass', 'cows', 'eat'] },
      [{ op: 'move', from: '/foo/1', path: '/foo/3' }],
      { foo: ['all', 'cows', 'eat', 'grass'] },
    ],
    [
      'A.8 test',
      { baz: 'qux', foo: ['a', 2, 'c'] },
      [
        { op: 'test', path: '/baz', value: 'qux' },
        { op: 'test', path: '/foo/1', value: 2 },
      ],
      { baz: 'qux', foo: ['a', 2, 'c'] },
    ],
    ['A.14 escapes', { '/': 9, '~1': 10 }, [{ op: 'test', path: '/~01', value: 10 }], { '/': 9, '~1': 10 }],
    [
      'A.16 add an array at the end',
      { foo: ['bar'] },
      [{ op: 'add', path: '/foo/-', value: ['abc', 'def'] }],
      { foo: ['bar', ['abc', 'def']] },
    ],
    ['copy', { a: { b: 1 } }, [{ op: 'copy', from: '/a', path: '/c' }], { a: { b: 1 }, c: { b: 1 } }],
    ['whole document', { a: 1 }, [{ op: 'replace', path: '', value: [] }], []],
    ['null is a value', { a: null }, [{ op: 'replace', path: '/a', value: 1 }], { a: 1 }],
  ])('RFC 6902 %s', (_, doc, operations, expected) => {
    expect(applyPatch(doc, operations)).toEqual(expected);
  });

  test.each<[string, unknown, PatchOperation]>([
    ['missing parent', { foo: 'bar' }, { op: 'add', path: '/baz/bat', value: 'qux' }],
    ['missing member', {}, { op: 'replace', path: '/a', value: 1 }],
    ['removed member', {}, { op: 'remove', path: '/a' }],
    ['inherited member', {}, { op: 'remove', path: '/toString' }],
    ['index past the end', [1], { op: 'add', path: '/2', value: 1 }],
    ['leading zero', [1, 2], { op: 'replace', path: '/01', value: 1 }],
    ['end of array read', [1], { op: 'remove', path: '/-' }],
    ['failed test', { a: '1' }, { op: 'test', path: '/a', value: 1 }],
    ['no pointer', { a: 1 }, { op: 'remove', path: 'a' }],
    ['bad escape', { 'a~2': 1 }, { op: 'remove', path: '/a~2' }],
    ['no value', {}, { op: 'add', path: '/a' }],
    ['no from', {}, { op: 'copy', path: '/a' }],
    ['into itself', { a: { b: 1 } }, { op: 'move', from: '/a', path: '/a/b' }],
    ['root removed', { a: 1 }, { op: 'remove', path: '' }],
  ])('refuses: %s', (_, doc, operation) => {
    expect(() => applyPatch(doc, [operation])).toThrow(`Operation 0 (${operation.op} ${operation.path})`);
  });

  test('never reaches a prototype', () => {
    const doc = applyPatch({}, [{ op: 'add', path: '/__proto__', value: { polluted: true } }]);
    expect(JSON.stringify(doc)).toBe('{"__proto__":{"polluted":true}}');
    expect(() => applyPatch({}, [{ op: 'add', path: '/constructor/prototype/polluted', value: 1 }])).toThrow(
      'no such place',
    );
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
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
