/** Every regular expression of the service takes time that is linear in the text, whoever wrote it. */
import { describe, expect, test } from 'vitest';
import { allExpressions, expressionsOf, unknownOf } from '../support/expressions.ts';
import { speechOf } from '../../src/domain/text/speech.ts';
import { isKnown } from '../../src/http/preconditions.ts';

test('recheck has found so, and what is new is checked by npm run expressions', () => {
  const all = allExpressions();
  expect(all.length).toBeGreaterThan(400);
  expect(unknownOf(all).map(({ place, source }) => `${place} /${source}/: run npm run expressions`)).toEqual([]);
});

test('the expressions of a file are found with their lines', () => {
  const text = 'const a = /x+/u;\nexport const b = <T,>(t: T) => [t, `${/y\\d*$/.test("z")}`];\n';
  expect(expressionsOf('a.ts', text)).toEqual([
    { place: 'a.ts:1', source: 'x+', flags: 'u' },
    { place: 'a.ts:2', source: String.raw`y\d*$`, flags: '' },
  ]);
});

describe('what a remark at the end of a text is', () => {
  test.each([
    ['Is it? [a picture]', true],
    ['Is it? [a picture]  \n', true],
    ['Is it? [a [b]', true],
    ['[x] Is it? [y]', true],
    ['Is it? [x] no', false],
    ['Is it? x]', false],
    ['Is it? [x]]', false],
    [']', false],
  ])('%s', (text, endsAsking) => {
    expect(speechOf(text).endsAsking).toBe(endsAsking);
  });
});

test.each([
  ['"a"', true],
  [' "b" ,\t"a" ', true],
  ['W/"a",,', true],
  ['*', true],
  ['"b"', false],
  ['a', false],
  ['"a" x', false],
])('of If-None-Match %s is known: %s', (header, known) => {
  expect(isKnown({ header: () => header }, 'a')).toBe(known);
});
