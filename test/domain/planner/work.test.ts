import fc from 'fast-check';
import { expect, test } from 'vitest';
import { act } from '../../../src/domain/planner/act/act.ts';
import { ROLES, type Span } from '../../../src/domain/planner/request.ts';
import { readTime } from '../../../src/domain/planner/time/read-time.ts';
import { MOST_TOKENS } from '../../../src/domain/planner/time/tokens.ts';
import { KNOWN } from '../../bench/act-effects.ts';

/** Words of time and others, and signs that no calendar knows. */
const WORDS =
  `tuesday at 9 and half past seven the 31 february 14.12. 2026-13-45 99:99 every second week until before after
choir dentist guitar it everything cancel move not except in two hours or twice a day 0 -1 1e9 ½ 😀 ' " ( ) : ; , . ~
next year last the day before for 90 minutes 1/0 24:00 0:00 12/31 monday to wednesday from now on midnight ß İ \u0000`.split(
    /[ \n]/,
  );

const text = fc.array(fc.constantFrom(...WORDS), { maxLength: 24 }).map((words) => words.join(' '));
const request = fc
  .tuple(text, fc.array(fc.tuple(fc.constantFrom(...ROLES), fc.nat(120), fc.nat(30)), { maxLength: 10 }))
  .map(([words, found]) => ({
    text: words,
    spans: found
      .map(([role, from, length]): Span => ({ role, from, to: from + length }))
      .toSorted((a, b) => a.from - b.from),
  }));

test('5,000 requests of any words and stretches have at least one action each', () => {
  fc.assert(
    fc.property(request, (one) => {
      expect(act(one, KNOWN).length).toBeGreaterThan(0);
    }),
    { numRuns: 5000 },
  );
});

/** Steps of the chart at each token; ordinary spans of ten words take some thousands in all. */
const MOST_STEPS = 6001 * MOST_TOKENS;

test('the work for a span of time is bounded', () => {
  const long = 'tuesday 9 and the first second of 10 to 3 or half '.repeat(2000);
  expect(readTime(long).steps).toBeLessThan(MOST_STEPS);
  expect(readTime('next tuesday the 15th from 9 to half past eleven').steps).toBeLessThan(6000);
});

test('what is behind the longest span is not read', () => {
  const { unread } = readTime('tuesday '.repeat(500));
  expect(unread.at(-1)).toContain('tuesday');
});

test('a request of 100,000 characters with a thousand stretches has an end', () => {
  const words = 'choir on tuesday at 9, '.repeat(4350).slice(0, 100_000);
  const spans = Array.from({ length: 1000 }, (_, i): Span => ({
    role: i % 2 === 0 ? 'title' : 'when',
    from: i * 90,
    to: i * 90 + 40,
  }));
  const actions = act({ text: words, spans }, KNOWN);
  expect(actions.length).toBeGreaterThan(0);
  expect(actions.length).toBeLessThan(5000);
});
