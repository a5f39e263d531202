import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  allQuery,
  anyQuery,
  lexemeOf,
  noneQuery,
  phraseQuery,
  searchVector,
  tagLexeme,
  type Searchable,
} from '../../src/domain/text/lexemes.ts';

const trace = (fields: Partial<Searchable>): Searchable => ({
  content: '',
  notes: null,
  task_id: null,
  tempo_tag: null,
  tags: [],
  ...fields,
});

describe('searchVector', () => {
  test('words by field and place: title A, tags and task B, content and notes D', () => {
    const vector = searchVector(
      trace({ title: 'Plans', content: 'the plan is planned', notes: 'late', task_id: 'thesis', tags: ['@Deep_Work'] }),
    );
    expect(vector).toBe("'plan':1A,9,10 '#deep_work':3B 'thesis':4B 'deep':6B 'work':7B 'late':12");
  });

  test.each([
    [['#Legal'], "'#legal':2B 'legal':4B"],
    [['legal'], "'#legal':2B 'legal':4B"],
    [['##legal'], "'#legal':2B 'legal':4B"],
    [["it's \\"], "'#it''s \\\\':2B"],
  ])('a tag is one lexeme whatever its sign and case, and its words: %j', (tags, vector) => {
    expect(searchVector(trace({ tags }))).toBe(vector);
  });

  test('the tempo tag is a tag', () => {
    expect(searchVector(trace({ tempo_tag: '@morning' }))).toBe("'#morning':2B 'morn':4B");
  });

  test('stays within what a tsvector holds', () => {
    const han = Array.from({ length: 100_000 }, (_, i) => String.fromCodePoint(0x4e00 + ((i * 7919) % 20_000))).join(
      '',
    );
    const vector = searchVector(trace({ content: han }));
    expect(Buffer.byteLength(vector)).toBeLessThan(2_000_000);
    expect(
      Math.max(...Array.from(vector.matchAll(/'([^']+)'/g), ([, lexeme = '']) => lexeme.length)),
    ).toBeLessThanOrEqual(64);
  });

  test('has the positions that Postgres keeps: 256 of a lexeme, and one beyond 16,383', () => {
    const words = Array.from({ length: 17_000 }, (_, i) => `w${i}`);
    const vector = searchVector(trace({ content: `${'run '.repeat(300)}${words.join(' ')} w9 w9` }));
    const placesOf = (lexeme: string) => new RegExp(`'${lexeme}':([\\d,]+)`).exec(vector)?.[1]?.split(',');
    const first = Number(placesOf('run')?.[0]);
    expect(placesOf('run')).toEqual(Array.from({ length: 256 }, (_, i) => String(first + i)));
    expect(placesOf('w9')).toEqual([String(first + 309), '16383']);
    expect(placesOf('w16999')).toEqual(['16383']);
  });

  test('every lexeme is quoted, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.array(fc.string({ unit: 'grapheme' })), (content, tags) => {
        const vector = searchVector(trace({ content, tags }));
        expect(vector).toMatch(/^(?:'(?:[^'\\]|''|\\\\)+':\d+[AB]?(?:,\d+[AB]?)*(?: |$))*$/s);
      }),
    );
  });
});

describe('queries', () => {
  test.each([
    [anyQuery(['plan', 'plans']), "'plan' | 'plans'"],
    [anyQuery(["a' | 'b"]), "'a'' | ''b'"],
    [anyQuery([lexemeOf('x'.repeat(100))]), `'${'x'.repeat(64)}'`],
    [anyQuery([tagLexeme('@Deep_Work')]), "'#deep_work'"],
    [allQuery(['a', '#B'].map(tagLexeme)), "'#a' & '#b'"],
    [noneQuery(tagLexeme('chat')), "!'#chat'"],
    [phraseQuery(['deep', 'work']), "'deep' <-> 'work'"],
    [phraseQuery(['deep', 'work'], true), "'deep':A <-> 'work':A"],
  ])('%s', (query, expected) => {
    expect(query).toBe(expected);
  });

  test('a long word is asked for as it is stored', () => {
    const word = '💥'.repeat(40);
    expect(lexemeOf(word).isWellFormed()).toBe(true);
    expect(searchVector(trace({ content: 'a'.repeat(300) }))).toBe(`'${lexemeOf('a'.repeat(300))}':3`);
  });
});
