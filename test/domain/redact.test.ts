import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { redact, redactDeep } from '../../src/domain/record/redact.ts';

describe('redact', () => {
  test.each<[string, string[], string, string]>([
    ['every occurrence', ['Anna'], 'Anna told Anna.', '[redacted] told [redacted].'],
    ['any case', ['Anna'], 'ANNA, anna', '[redacted], [redacted]'],
    ['literally', ['a.b*'], 'a.b* axb*', '[redacted] axb*'],
    ['longest first', ['Anna', 'Anna Schmidt'], 'Anna Schmidt and Anna', '[redacted] and [redacted]'],
    ['overlapping as one', ['anna smith', 'smith jones'], 'by anna smith jones.', 'by [redacted].'],
    ['touching ones', ['Anna'], 'AnnaAnna', '[redacted][redacted]'],
    ['inside words', ['ann'], 'annual', '[redacted]ual'],
    ['a URL', ['https://chat.example/c/1'], 'see https://chat.example/c/1?x', 'see [redacted]?x'],
    ['short values stay', ['ab', '', '  x '], 'ab x', 'ab x'],
    ['spaces around a value', [' Anna '], 'by Anna', 'by [redacted]'],
    ['lengths that change in lower case', ['İpek'], 'İİ İPEK, İpek', 'İİ [redacted], [redacted]'],
    ['final sigma', ['ΣΑΣ'], 'σασα σας', '[redacted]α [redacted]'],
    ['astral characters', ['😀😀'], 'x😀😀y', 'x[redacted]y'],
    ['no values', [], 'text', 'text'],
  ])('%s', (_, values, text, expected) => {
    expect(redact(values)(text)).toBe(expected);
  });

  test('what is left shows none of the values, and the rest is untouched', () => {
    const piece = fc.string({ unit: fc.constantFrom('a', 'b', 'A'), minLength: 0, maxLength: 6 });
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 5 }), fc.array(piece, { maxLength: 20 }), (values, parts) => {
        const text = parts.join(' ');
        const hidden = new Set<number>();
        for (const value of values.filter(({ length }) => length >= 3)) {
          for (let at = 0; at < text.length; at++) {
            if (text.slice(at, at + value.length).toLowerCase() !== value.toLowerCase()) continue;
            for (let i = at; i < at + value.length; i++) hidden.add(i);
          }
        }
        const expected = Array.from(text, (c, i) => (hidden.has(i) ? '' : c)).join('');
        expect(redact(values)(text).replaceAll('[redacted]', '')).toBe(expected);
      }),
      { numRuns: 500 },
    );
  });

  test('serves 100,000 values and hostile repetition', () => {
    const urls = Array.from({ length: 100_000 }, (_, i) => `https://chat.example/c/${i}`);
    const blank = redact([...urls, ...Array.from({ length: 200 }, (_, i) => 'a'.repeat(i + 3))]);
    expect(blank(`see ${urls[99_999]} now`)).toBe('see [redacted] now');
    expect(blank('a'.repeat(100_000))).toBe('[redacted]');
  });
});

test('redactDeep blanks strings at every depth, names of members where asked, and leaves all else, the argument included', () => {
  const value = {
    content: 'by Anna',
    n: 1,
    list: ['Anna', { notes: null, ok: true }],
    anna: 'x',
    ANNA: [2],
    '[redacted]': 3,
    __proto__x: { 'for anna': null },
  };
  const copy = structuredClone(value);
  expect(Object.keys(redactDeep(['anna'])(value))).toEqual(Object.keys(value));
  expect(redactDeep(['anna'], { names: true })(value)).toEqual({
    content: 'by [redacted]',
    n: 1,
    list: ['[redacted]', { notes: null, ok: true }],
    '[redacted]': 'x',
    '[redacted] 2': [2],
    '[redacted] 3': 3,
    __proto__x: { 'for [redacted]': null },
  });
  expect(value).toEqual(copy);
  expect(JSON.stringify(redactDeep(['anna'], { names: true })(JSON.parse('{"__proto__": {"polluted": "anna"}}')))).toBe(
    '{"__proto__":{"polluted":"[redacted]"}}',
  );
});
