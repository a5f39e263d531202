import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_QUERY_TERMS, parseQuery, terms, words } from '../../src/domain/text/search-words.ts';

describe('terms', () => {
  test.each([
    'plan plans planned planning',
    'make makes making',
    'use uses used using',
    'agree agrees agreed agreeing',
    'story stories',
    'try tries tried trying',
    'class classes',
    'box boxes',
    'write writes writing',
    'Zürich ZURICH zu\u0308rich',
    "Anna ANNA Anna's Anna’s",
    'file ﬁle files',
    'ＡＢＣ abc',
  ])('one term for: %s', (forms) => {
    expect(new Set(terms(forms)).size).toBe(1);
  });

  test.each([
    ['Tim', 'time'],
    ['news', 'analysis'],
    ['fall', 'fail'],
    ['king', 'kin'],
  ])('%s and %s stay apart', (a, b) => {
    expect(terms(a)).not.toEqual(terms(b));
  });

  test.each([
    ['The meet with ACME on 2026-11-21 at 15:30!', ['meet', 'acme', '2026', '11', '21', '15', '30']],
    ['', []],
    ['what is it', []],
    ['the the plan plan', ['plan', 'plan']],
    ['記憶', ['記憶']],
    ['データ', ['デー', 'ータ']],
    ['水', ['水']],
    ['API接口v2', ['api', '接口', 'v2']],
    ['Привет, мир', ['привет', 'мир']],
    ['camel_case foo.bar', ['camel', 'case', 'foo', 'bar']],
  ])('%j', (text, expected) => {
    expect(terms(text)).toEqual(expected);
  });

  test('stops at the limit', () => {
    expect(terms('one two three four', 2)).toEqual(['one', 'two']);
  });
});

test('words stand where they are in the text, in order', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (text) => {
      let last = -1;
      for (const { term, start, end } of words(text)) {
        expect(start).toBeGreaterThan(last);
        expect(terms(text.slice(start, end))).toEqual([term]);
        last = start;
      }
    }),
  );
});

describe('parseQuery', () => {
  test('tags, phrases and words', () => {
    expect(parseQuery('Find "deep  work" notes for @Deep_Work #thesis, mail a@b.com and (#x) @morning.')).toEqual({
      terms: ['find', 'deep', 'work', 'note', 'mail', 'b', 'com'],
      tags: ['@deep_work', '#thesis', '#x', '@morning'],
      phrases: ['deep work'],
    });
  });

  test.each(['', '   ', '@ # ""', '"', '"unclosed', '\ud800', '@@@###'])('odd input %j is no error', (query) => {
    expect(parseQuery(query).tags).toEqual([]);
    expect(parseQuery(query).phrases).toEqual([]);
  });

  test('has each term once and no more than the cap, however long the query', () => {
    const query = Array.from({ length: 50_000 }, (_, i) => `w${i} @t${i} w${i}`).join(' ');
    const { terms: found, tags } = parseQuery(query);
    expect(found).toHaveLength(MAX_QUERY_TERMS);
    expect(new Set(found).size).toBe(MAX_QUERY_TERMS);
    expect(tags).toHaveLength(MAX_QUERY_TERMS);
  });
});
