/** The reader of roles: annotated lines, readings of any text, the file of weights, and training. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ROLES } from '../../../src/domain/planner/request.ts';
import { readRoles } from '../../../src/domain/planner/roles/reader.ts';
import { decodeWeights, encodeWeights, WEIGHTS_FILE } from '../../../src/domain/planner/roles/weights.ts';
import { MOST_WORDS, wordsOf } from '../../../src/domain/planner/roles/words.ts';
import { alike, annotated, written } from '../../support/annotated.ts';
import { rowsOf, tagsOf, trainNet } from '../../training/learn.ts';

const DATA = join(import.meta.dirname, '../../../data/requests');
const lines = readdirSync(DATA)
  .filter((file) => file.endsWith('.txt'))
  .sort()
  .flatMap((file) => readFileSync(join(DATA, file), 'utf8').split('\n'))
  .filter((line) => line !== '');

describe('an annotated line', () => {
  test('is the same after it was read and written', () => {
    expect(lines.length).toBeGreaterThan(19_000);
    expect(lines.filter((line) => written(annotated(line)) !== line)).toEqual([]);
  });

  test('gives the text that was typed and the places of its spans', () => {
    expect(annotated('[create:book] the [title:gym] (x) [when:at 6]')).toEqual({
      text: 'book the gym (x) at 6',
      spans: [
        { role: 'create', from: 0, to: 4 },
        { role: 'title', from: 9, to: 12 },
        { role: 'when', from: 17, to: 21 },
      ],
    });
  });

  test('with an unknown role is refused', () => {
    expect(() => annotated('[tilte:gym] at 6')).toThrow('"tilte" is no role');
  });

  test.each([
    ['[create:book] the [title:gym] on [when:friday]', '[create:book] [title:the gym] [when:on friday]'],
    ['[move:move] [target:it] to [when:Friday.]', '[move:move] [target:it] to [when:Friday].'],
    [
      '[title:gym] [when:mon] [join:,] [title:tea] at [when:4]',
      '[title:gym] [when:mon] [join:,] [title:tea] [when:at 4]',
    ],
    ['[agree:yes] begin [when:4]', '[agree:yes] begin [when:4]'],
  ])('%s has the bounds that all writers are taken to mean', (line, wanted) => {
    expect(written(alike(annotated(line)))).toBe(wanted);
  });
});

test('a text is cut into words, figures with their marks, other marks and line breaks', () => {
  expect(wordsOf('read “Three Weeks”\nat 9:30, 20min').map(({ text, from, glued }) => [text, from, glued])).toEqual([
    ['read', 0, false],
    ['“', 5, false],
    ['Three', 6, true],
    ['Weeks', 12, false],
    ['”', 17, true],
    ['\n', 18, true],
    ['at', 19, true],
    ['9:30', 22, false],
    [',', 26, true],
    ['20', 28, false],
    ['min', 30, true],
  ]);
});

describe('a reading', () => {
  const word = fc.oneof(
    fc.constantFrom(...new Set(lines.slice(0, 500).flatMap((line) => annotated(line).text.split(' ')))),
    fc.constantFrom(...",.;:!?-–“”'’()[]#@/&\n".split('')),
    fc.string({ unit: 'grapheme', maxLength: 12 }),
  );
  const texts = fc.array(fc.tuple(word, fc.constantFrom(' ', '', '  ', '\t')), { maxLength: 30 });

  test('has spans within the text and in order, and is at least as probable as the second', { timeout: 60_000 }, () => {
    expect(readRoles('')).toMatchObject({ best: { spans: [], probability: 1 }, second: null, doubts: [] });
    fc.assert(
      fc.property(texts, (parts) => {
        const text = parts.flat().join('');
        const { best, second, doubts } = readRoles(text);
        for (const spans of [best.spans, second?.spans ?? [], doubts]) {
          const places = [0, ...spans.flatMap(({ from, to }) => [from, to]), text.length];
          expect(places).toEqual(places.toSorted((a, b) => a - b));
          expect(spans.every(({ from, to }) => from < to)).toBe(true);
        }
        expect(best.spans.every(({ role }) => ROLES.includes(role))).toBe(true);
        expect(best.probability).toBeGreaterThanOrEqual(second?.probability ?? 0);
        expect(best.probability).toBeLessThanOrEqual(1);
        expect(second?.spans).not.toEqual(best.spans);
      }),
      { numRuns: 500 },
    );
  });

  test('of a long text ends with the words that are read', () => {
    const text = 'the gym, '.repeat(MOST_WORDS);
    expect(wordsOf(text)).toHaveLength(MOST_WORDS);
    const { best } = readRoles(text);
    expect(best.spans.every(({ to }) => to <= text.length / 3)).toBe(true);
  });

  test('of a plain request is right and sure', () => {
    const text = 'book the dentist on Friday at 3';
    const { best } = readRoles(text);
    expect(written({ text, spans: best.spans })).toBe('[create:book] [title:the dentist] [when:on Friday at 3]');
    expect(best.probability).toBeGreaterThan(0.7);
  });
});

test('the file of weights has at most 2 MB', () => {
  expect(statSync(WEIGHTS_FILE).size).toBeLessThanOrEqual(2_000_000);
});

describe('training', () => {
  const few = lines.slice(0, 60).map(annotated);
  const rows = rowsOf(few);
  const trained = () =>
    encodeWeights({
      ...{ rows, sharpness: 1 },
      nets: [1, 2].map((seed) => trainNet({ lines: few, rows, seed, epochs: 1 }, () => {})),
    });

  test('gives the same bytes each time, which are read as they were written', () => {
    const bytes = trained();
    expect(trained().equals(bytes)).toBe(true);
    expect(encodeWeights(decodeWeights(bytes)).equals(bytes)).toBe(true);
  });

  test('gives a word the tag of the span in which it begins', () => {
    const request = annotated('[title:a b] c [title:d][join:,] e');
    const tag = (role: 'title' | 'join') => 1 + 2 * ROLES.indexOf(role);
    expect(tagsOf(wordsOf(request.text), request)).toEqual([
      ...[tag('title'), tag('title') + 1, 0],
      ...[tag('title'), tag('join'), 0],
    ]);
  });
});
