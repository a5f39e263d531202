/** The lexicon is the one place of the planner's words: its grammar is well formed, and what other files still hold may only shrink. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CLOCK_GRAMMAR } from '../../src/domain/intent/words/clock-grammar.ts';
import { DAY_GRAMMAR } from '../../src/domain/intent/words/day-grammar.ts';
import { MONTHS, NUMBERS, WEEKDAYS } from '../../src/domain/time/words-of-time.ts';

const ROOT = join(import.meta.dirname, '../../src/domain/intent');
const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
/** 'one|two|three', 'a b c' as a set of words, or the same in a pattern: three words or more. */
const LIST = /setOf\(\s*['"`][^'"`]*\s[^'"`]*\s|[\p{L})]\|[\p{L}( ]+\|[\p{L}(]/gu;
const listsIn = (file: string): number => readFileSync(join(ROOT, file), 'utf8').match(LIST)?.length ?? 0;

/** Lower it when words move to words/. */
const MOST_ELSEWHERE = 655;

test('word lists outside the lexicon do not grow', () => {
  const elsewhere = files.filter((file) => !file.startsWith('words/'));
  const lists = elsewhere.map((file) => [file, listsIn(file)] as const).filter(([, count]) => count > 0);
  expect(
    lists.reduce((sum, [, count]) => sum + count, 0),
    lists.map(([file, count]) => `${file} ${count}`).join('\n'),
  ).toBeLessThanOrEqual(MOST_ELSEWHERE);
});

const rules = `${DAY_GRAMMAR}\n${CLOCK_GRAMMAR}`.split('\n').filter((line) => line.includes(' <- '));
const made = new Set(rules.map((line) => line.split(' <- ')[0]!.trim()));
/** What the tables and figures give. */
const LEXED =
  'weekday weekdays month ord unit tens two sixty year military dotted dots number fraction slashed hm badclock isoday isotime zone'.split(
    ' ',
  );

test('every kind that a rule needs is made by a rule or by a word, and every kind is needed', () => {
  const needed = new Set(rules.flatMap((line) => [...line.matchAll(/\{(\w+)\+?\}/g)].map(([, kind]) => kind!)));
  expect([...needed].filter((kind) => !made.has(kind) && !LEXED.includes(kind))).toEqual([]);
  expect([...made, ...LEXED].filter((kind) => !needed.has(kind) && kind !== 'facet')).toEqual([]);
});

test('no rule is written twice', () => {
  expect(rules.filter((line, i) => rules.indexOf(line) !== i)).toEqual([]);
});

test('a name stands once in its table', () => {
  for (const table of [WEEKDAYS, MONTHS, NUMBERS]) expect(new Set(table.values()).size).toBeGreaterThan(6);
});
