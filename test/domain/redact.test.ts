import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { blankDeep, buildingFinder, createFinder, redact, spellingsOf } from '../../src/domain/record/redact.ts';
import { runs } from '../support/thoroughness.ts';

const built = (...values: Parameters<typeof buildingFinder>) => {
  const building = buildingFinder(...values);
  for (;;) {
    const { done, value } = building.next();
    if (done) return value;
  }
};

describe('redact', () => {
  test.each<[string, string[], string, string]>([
    ['every occurrence', ['Anna'], 'Anna told Anna.', '[redacted] told [redacted].'],
    ['any case', ['Anna'], 'ANNA, anna', '[redacted], [redacted]'],
    ['literally', ['a.b*'], 'a.b* axb*', '[redacted] axb*'],
    ['longest first', ['Anna', 'Anna Schmidt'], 'Anna Schmidt and Anna', '[redacted] and [redacted]'],
    ['overlapping as one', ['anna smith', 'smith jones'], 'by anna smith jones.', 'by [redacted].'],
    [
      'whole words only',
      ['ann', 'the', 'ing'],
      'annual, other, being, Joann, the',
      'annual, other, being, Joann, [redacted]',
    ],
    [
      'beside marks',
      ['ann'],
      '(ann) ann’s ann_1 ann-ann @ann',
      '([redacted]) [redacted]’s [redacted]_1 [redacted]-[redacted] @[redacted]',
    ],
    ['a digit belongs to the word', ['ann'], 'ann2 2ann', 'ann2 2ann'],
    [
      'a URL',
      ['https://chat.example/c/1'],
      'see https://chat.example/c/1?x, https://chat.example/c/12',
      'see [redacted]?x, https://chat.example/c/12',
    ],
    ['one character stays', ['a', '', '  x ', '李', 'é'], 'a x 李 é é', 'a x 李 é é'],
    ['two characters', ['Bo', '田中'], 'Bo, Bob, 田中さんは', '[redacted], Bob, [redacted]さんは'],
    ['spaces around a value', [' Anna '], 'by Anna', 'by [redacted]'],
    ['lengths that change in lower case', ['İpek'], 'İİ İPEK, İpek', 'İİ [redacted], [redacted]'],
    ['final sigma', ['ΣΑΣ'], 'σασ σας σασα', '[redacted] [redacted] σασα'],
    ['sharp s', ['Groß'], 'GROSS gross GROẞ groß', '[redacted] [redacted] [redacted] [redacted]'],
    ['a dotless i is another letter', ['kis'], 'kıs KIS', 'kıs [redacted]'],
    ['astral characters', ['😀😀'], 'x😀😀y', 'x[redacted]y'],
    ['astral letters', ['𝐀𝐧𝐧𝐚'], 'Anna 𝐀𝐧𝐧𝐚 𝐀𝐧𝐧𝐚s', '[redacted] [redacted] 𝐀𝐧𝐧𝐚s'],
    ['decomposed and composed', ['Zoë Quist'], 'Zoe\u0308 Quist, Zoë Quist', '[redacted], [redacted]'],
    ['without its mark it is another word', ['Zoe'], 'Zoë Zoe\u0308 Zoe', 'Zoë Zoe\u0308 [redacted]'],
    [
      'white space of any kind',
      ['Zoë Quist'],
      'Zoë\u00a0Quist, Zoë  Quist, Zoë\r\n\tQuist, Zoë\u3000Quist',
      '[redacted], [redacted], [redacted], [redacted]',
    ],
    ['what nobody sees', ['Zoë Quist'], 'Z\u200bo\u00adë \u2060Quist\ufeff!', '[redacted]\ufeff!'],
    ['compatibility forms', ['Office 1'], 'Oﬃce ①, ＯＦＦＩＣＥ　１', '[redacted], [redacted]'],
    [
      'percent-encoding',
      ['Zoë Quist'],
      'x?by=Zo%C3%AB%20Quist&a, Zo%c3%ab+Quist, Zo%65',
      'x?by=[redacted]&a, [redacted], Zo%65',
    ],
    [
      'of a URL in a URL',
      ['https://chat.example/a%20b'],
      '?u=https%3A%2F%2Fchat.example%2Fa%2520b https://chat.example/a b',
      '?u=[redacted] [redacted]',
    ],
    ['broken percent-encoding', ['Zoë'], '%FF%C3 Zo%C3%AB%ZZ %', '%FF%C3 [redacted]%ZZ %'],
    ['escapes of iCalendar', ['Quist, Zoë'], 'X-BY:Quist\\, Zoë', 'X-BY:[redacted]'],
    ['escapes of its parameters', ['Zoë "Z" Quist'], `CN="Zoë ^'Z^' Quist"`, 'CN="[redacted]"'],
    ['lines in its parameters', ['Zoë Quist'], 'X-P=Zoë^nQuist;', 'X-P=[redacted];'],
    [
      'Hangul with a particle, not a part of a syllable',
      ['지수', '가나'],
      '지수가 가나는 가난',
      '[redacted]가 [redacted]는 가난',
    ],
    ['an expansion is blanked whole', ['عليه'], 'x ﷺ y', 'x [redacted] y'],
    ['marks in another order', ['a\u0323\u0302b'], 'a\u0302\u0323b ậb', '[redacted] [redacted]'],
    ['our own blanks stay', ['redacted', '[redacted]'], '[redacted] redacted', '[redacted] redacted'],
    ['no values', [], 'text', 'text'],
  ])('%s', (_, values, text, expected) => {
    expect(redact(values)(text)).toBe(expected);
  });

  /** Another writing of a text, made without the code that finds it. */
  const disguises: ((text: string) => string)[] = [
    (text) => text,
    (text) => text.normalize('NFD'),
    (text) => text.toUpperCase(),
    (text) => text.replaceAll(' ', '\u00a0'),
    (text) => text.replaceAll(' ', ' \u2009\n '),
    (text) => Array.from(text).join('\u200d'),
    (text) => Array.from(text).join('\u00ad').normalize('NFD'),
    (text) => encodeURIComponent(text),
    (text) => encodeURIComponent(text.normalize('NFD')).replaceAll('%20', '+'),
    (text) => text.replaceAll(/[!-~]/g, (c) => String.fromCharCode(c.charCodeAt(0) + 0xfee0)),
  ];
  const WORDS = ['zoë', 'quist', 'ÅSA', 'Ólafur', 'Nguyễn', 'Müller', 'Ivan', 'Иван', 'Σοφία', 'x1'];
  /** None of these is a word of a value, though they look alike or contain one. */
  const OTHERS = [
    'zoe',
    'zoës',
    'quisty',
    'asa',
    'olafur',
    'muller',
    'ivanov',
    'Ивана',
    'the',
    '%',
    '+',
    '=',
    'x',
    '12',
    '—',
    '🙂',
    'été',
    '\\',
  ];

  test('values in any spelling are blanked, nothing else changes, and the places are right', () => {
    const value = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 }).map((words) => words.join(' '));
    const part = fc.oneof(
      fc.record({ of: fc.nat(), disguise: fc.constantFrom(...disguises) }),
      fc.constantFrom(...OTHERS),
    );
    fc.assert(
      fc.property(
        fc.uniqueArray(value, { minLength: 1, maxLength: 6 }),
        fc.array(part, { maxLength: 20 }),
        (values, parts) => {
          const texts = parts.map((one) =>
            typeof one === 'string'
              ? [one, one]
              : [one.disguise(values[one.of % values.length] as string), '[redacted]'],
          );
          // A bar stands alone, so that no value continues from one part into the next.
          const text = texts.map(([written]) => written).join(' | ');
          expect(redact(values)(text)).toBe(texts.map(([, shown]) => shown).join(' | '));
        },
      ),
      { numRuns: runs(10_000) },
    );
  });

  test('of values in ASCII it finds what a regular expression finds', () => {
    const piece = fc.string({ unit: fc.constantFrom('a', 'b', 'A', ' ', '.'), maxLength: 6 });
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 5 }),
        piece,
        fc.array(piece, { maxLength: 20 }),
        (values, first, parts) => {
          const text = [first, ...parts].join('');
          const hidden = new Set<number>();
          for (const value of values.map((v) => v.trim()).filter((v) => v.length >= 2)) {
            const pattern = RegExp.escape(value).replaceAll(/(\\x20| )+/g, ' +');
            const border = (edge: string | undefined, look: string) => (/[a-z]/i.test(edge ?? '') ? look : '');
            const found = new RegExp(
              `(?=(${border(value[0], '(?<![a-z])')}${pattern}${border(value.at(-1), '(?![a-z])')}))`,
              'gi',
            );
            for (const { index, 1: match } of text.matchAll(found))
              for (let i = index; i < index + (match as string).length; i++) hidden.add(i);
          }
          const expected = Array.from(text, (c, i) => (hidden.has(i) ? '' : c)).join('');
          expect(redact(values)(text).replaceAll('[redacted]', '')).toBe(expected);
        },
      ),
      { numRuns: runs(10_000) },
    );
  });

  test('serves 100,000 values and hostile texts', () => {
    const urls = Array.from({ length: 100_000 }, (_, i) => `https://chat.example/c/${i}`);
    const blank = redact([...urls, ...Array.from({ length: 200 }, (_, i) => 'a '.repeat(i + 2))]);
    expect(blank(`see ${urls[99_999]} now`)).toBe('see [redacted] now');
    expect(blank('a '.repeat(50_000)).trim()).toBe('[redacted]');
    for (const hostile of ['ﷺ', '\u0301', '%41', '+', '\u1161', 'é\u0323\u0301', 'a\u0301 '])
      expect(blank(hostile.repeat(100_000)).length).toBeGreaterThan(0);
  });

  test('the work grows with the text, not with the product of text and values', () => {
    const near = `${'a '.repeat(2_000)}b`;
    const find = createFinder([near, ...Array.from({ length: 50 }, (_, i) => `${'a '.repeat(1_000 + i)}c`)]);
    expect(find('a '.repeat(200_000))).toEqual([]);
  });

  test('only the values that count are found, the longest that does', () => {
    const finder = built(['Anna', 'Anna Schmidt', 'told Anna Schmidt'].flatMap(spellingsOf));
    const places = (...hidden: number[]) => finder.asking((value) => hidden.includes(value))('I told Anna Schmidt');
    expect(places(0)).toEqual([[7, 11]]);
    expect(places(0, 1)).toEqual([[7, 19]]);
    expect(places(2)).toEqual([[2, 19]]);
    expect(places()).toEqual([]);
  });
});

test('blankDeep blanks strings at every depth, names of members where asked, and leaves all else, the argument included', () => {
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
  const blank = redact(['anna']);
  expect(Object.keys(blankDeep(blank)(value))).toEqual(Object.keys(value));
  expect(blankDeep(blank, { names: true })(value)).toEqual({
    content: 'by [redacted]',
    n: 1,
    list: ['[redacted]', { notes: null, ok: true }],
    '[redacted]': 'x',
    '[redacted] 2': [2],
    '[redacted] 3': 3,
    __proto__x: { 'for [redacted]': null },
  });
  expect(value).toEqual(copy);
  expect(JSON.stringify(blankDeep(blank, { names: true })(JSON.parse('{"__proto__": {"polluted": "anna"}}')))).toBe(
    '{"__proto__":{"polluted":"[redacted]"}}',
  );
});

describe('many values', () => {
  const countsIn = (values: string[], text: string): { asked: number; found: number } => {
    let asked = 0;
    const find = built(values.flatMap(spellingsOf)).asking(() => {
      asked += 1;
      return false;
    });
    const found = find(text).length;
    return { asked, found };
  };

  test('of one word in other letter cases are each asked for once in a text, however often the word is there', () => {
    const variants = Array.from({ length: 1_000 }, (_, n) =>
      Array.from('abcdefghij', (letter, i) => ((n >> i) & 1 ? letter.toUpperCase() : letter)).join(''),
    );
    expect(countsIn(variants, 'abcdefghij '.repeat(1_000))).toEqual({ asked: 1_000, found: 0 });
  });

  test('that contain each other are each asked for once', () => {
    const nested = Array.from({ length: 500 }, (_, n) => `a${' a'.repeat(n + 1)}`);
    expect(countsIn(nested, 'a '.repeat(2_000))).toEqual({ asked: 500, found: 0 });
  });

  test('of which a long one covers the places of very many short ones, are one place', () => {
    const long = Array.from({ length: 1_200 }, () => 'ab').join(' ');
    const text = Array.from({ length: 33_000 }, () => 'ab').join(' ');
    expect(redact(['ab', long])(text)).toBe('[redacted]');
  });

  test('take memory by their number, not by their length', () => {
    const url = (n: number, length: number) =>
      `https://chat.example/${n}/${Array.from({ length }, (_, i) => `${n}x${i}`).join('/')}`;
    const bytes = (length: number) =>
      built(Array.from({ length: 200 }, (_, n) => url(n, length)).flatMap(spellingsOf)).bytes;
    expect(bytes(600)).toBe(bytes(60));
  });
});

describe('a long value', () => {
  const beginning = `https://chat.example/${'part/'.repeat(60)}`;
  const [one, other] = [`${beginning}thread?id=Zoë%20Quist`, `${beginning}thread?id=1`];

  test.each<[string, string, string]>([
    ['is blanked whole', `see ${one}, ${one}`, 'see [redacted], [redacted]'],
    ['ends at a border of words', `see ${one}ova ${one}.`, `see ${one}ova [redacted].`],
    ['in another letter case', one.toUpperCase(), '[redacted]'],
    ['without its percent-encoding', decodeURIComponent(one), '[redacted]'],
    ['encoded once more', `?u=${encodeURIComponent(one)}&x`, '?u=[redacted]&x'],
    ['with what nobody sees', Array.from(one).join('\u00ad'), '[redacted]'],
    ['another rest of the same length is not it', `${other} and more`, `${other} and more`],
    ['its beginning is not it', beginning, beginning],
    ['two that overlap', `${one} ${beginning}`, `[redacted] ${beginning}`],
  ])('%s', (_, text, expected) => {
    expect(redact([one])(text)).toBe(expected);
  });

  test('of one word', () => {
    const word = 'x'.repeat(4_000);
    expect(redact([word])(`a ${word.toUpperCase()} ${word}x`)).toBe(`a [redacted] ${word}x`);
  });

  test('inside of a longer one, and one of another length with the same beginning', () => {
    const values = [`${beginning}a/b/c/d`, `${beginning}a/b`, 'part/part'];
    expect(redact(values)(`${beginning}a/b/c/e`)).toBe('[redacted]/c/e');
    expect(redact(values)(`${beginning}a/b/c/d`)).toBe('[redacted]');
    expect(redact(values.slice(0, 2))(`${beginning}a/c`)).toBe(`${beginning}a/c`);
    expect(redact(values.slice(0, 1))(`${beginning}a/b`)).toBe(`${beginning}a/b`);
  });

  test('is never shown where more of them begin alike than are compared', () => {
    const values = Array.from({ length: 100 }, (_, n) => `${beginning}${'x/'.repeat(n)}${n}`);
    const blank = redact(values);
    for (const value of values) expect(blank(`see ${value}`)).toBe('see [redacted]');
    expect(blank(`see ${beginning}`)).not.toContain('part');
    expect(blank('https://chat.example/part')).toBe('https://chat.example/part');
  });

  test('is found as a shorter one is', () => {
    const piece = fc.string({ unit: fc.constantFrom('a', 'b', '/', ' '), maxLength: 30 });
    const long = fc.tuple(fc.nat(2), piece).map(([n, end]) => `${'ab/'.repeat(40 + n)}${end}z`);
    fc.assert(
      fc.property(fc.array(long, { minLength: 1, maxLength: 5 }), fc.array(fc.oneof(long, piece)), (values, parts) => {
        const text = parts.join(' ');
        const hidden = new Set<number>();
        for (const value of values) {
          const pattern = RegExp.escape(value).replaceAll(/(\\x20| )+/g, ' +');
          for (const { index, 1: match } of text.matchAll(new RegExp(`(?=((?<![a-z])${pattern}(?![a-z])))`, 'g')))
            for (let i = index; i < index + (match as string).length; i++) hidden.add(i);
        }
        const expected = Array.from(text, (c, i) => (hidden.has(i) ? '' : c)).join('');
        expect(redact(values)(text).replaceAll('[redacted]', '')).toBe(expected);
      }),
      { numRuns: runs(2_000) },
    );
  });
});

test('names that become equal are numbered, however many there are', () => {
  const names = Array.from({ length: 500 }, (_, n) => `a${'\u00ad'.repeat(n)}nna`);
  const shown = blankDeep(redact(['anna']), { names: true })(Object.fromEntries(names.map((name, n) => [name, n])));
  expect(Object.values(shown)).toEqual(names.map((_, n) => n));
  expect(Object.keys(shown).slice(0, 3)).toEqual(['[redacted]', '[redacted] 2', '[redacted] 3']);
});
