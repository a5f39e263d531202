import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hasRelativeDates, relativeDates } from '../../src/domain/time/relative-dates.ts';

/** A Saturday. */
const DAY = '2026-11-21';

test.each<[string, string[]]>([
  ['We met yesterday', ['2026-11-20']],
  ['last night it rained, and TODAY the sun shines', ['2026-11-20', '2026-11-21']],
  ['I leave tomorrow', ['2026-11-22']],
  ['three days ago', ['2026-11-18']],
  ['a few days ago', ['2026-11-16', '2026-11-17', '2026-11-18', '2026-11-19', '2026-11-20']],
  ['two weeks ago', ['2026-11-04', '2026-11-05', '2026-11-06', '2026-11-07', '2026-11-08', '2026-11-09', '2026-11-10']],
  ['a month ago', ['2026-10']],
  ['12 months ago', ['2025-11']],
  ['several years ago', ['2023']],
  ['last week', ['2026-11-09', '2026-11-10', '2026-11-11', '2026-11-12', '2026-11-13', '2026-11-14', '2026-11-15']],
  ['this weekend', ['2026-11-21', '2026-11-22']],
  ['next month', ['2026-12']],
  ['last year', ['2025']],
  ['on Friday', ['2026-11-20']],
  ['on Saturday', ['2026-11-14']],
  ['next Saturday', ['2026-11-28']],
  ['next Monday', ['2026-11-23']],
  ['She sat in the sun', []],
  ['Monday’s notes', ['2026-11-16']],
  ['nothing of a time', []],
])('%s', (text, dates) => {
  expect(relativeDates(text, DAY)).toEqual(dates);
  expect(hasRelativeDates(text)).toBe(dates.length > 0);
});

test('months and years end where they end', () => {
  expect(relativeDates('a month ago, last month and yesterday', '2026-03-31')).toEqual(['2026-02', '2026-03-30']);
  expect(relativeDates('yesterday, last month, last year', '2026-01-01')).toEqual(['2025-12-31', '2025-12', '2025']);
});

test('tells at most a hundred dates of a text, each once', () => {
  const text = Array.from({ length: 500 }, (_, i) => `${i} days ago`).join(', ');
  const dates = relativeDates(`${text}, ${text}`, DAY);
  expect(dates).toHaveLength(100);
  expect(new Set(dates).size).toBe(100);
});

test('whatever the text and the day, dates are days, months or years', () => {
  const words = fc.constantFrom(
    'next',
    'last',
    'two',
    '999',
    'years',
    'weeks',
    'ago',
    'weekend',
    'Tue',
    'a',
    'few',
    'this',
  );
  const day = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true });
  fc.assert(
    fc.property(fc.array(words), day, (text, on) => {
      for (const date of relativeDates(text.join(' '), on.toISOString().slice(0, 10)))
        expect(date).toMatch(/^(?:[+-]\d\d)?\d{4}(?:-\d\d(?:-\d\d)?)?$/);
    }),
  );
});
