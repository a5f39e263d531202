import fc from 'fast-check';
import { expect, test } from 'vitest';
import { timesIn } from '../../src/domain/time/named-times.ts';
import { formsOf } from '../../src/domain/text/irregular-forms.ts';

const days = (query: string, today = '2026-11-21'): string[] =>
  timesIn(query, 'UTC', today).map(({ start, end }) => `${start.slice(0, 10)}/${end.slice(0, 10)}`);

test.each([
  ['on 7 May 2023', ['2023-05-07/2023-05-08']],
  ['on the 7th of May, 2023?', ['2023-05-07/2023-05-08']],
  ['May 7th, 2023', ['2023-05-07/2023-05-08']],
  ['2026-11-21', ['2026-11-21/2026-11-22']],
  ['2026-11', ['2026-11-01/2026-12-01']],
  ['Sept. 2021', ['2021-09-01/2021-10-01']],
  ['in 2022 and December 2021', ['2021-12-01/2022-01-01', '2022-01-01/2023-01-01']],
  ['in June', ['2026-06-01/2026-07-01']],
  ['in December', ['2025-12-01/2026-01-01']],
  ['22 November', ['2025-11-22/2025-11-23']],
  ['29 Feb 2024', ['2024-02-29/2024-03-01']],
  ['2025-02-30, room 2024b, 1999-13, version 2.2024-1', []],
  ['I may march', []],
  ['', []],
])('%s', (query, expected) => {
  expect(days(query)).toEqual(expected);
});

test('days are those of the zone, also where the clock changes', () => {
  const [day] = timesIn('29 March 2026', 'Europe/Berlin', '2026-11-21');
  expect(day).toMatchObject({ start: '2026-03-28T23:00:00.000Z', end: '2026-03-29T22:00:00.000Z', days: 1 });
});

test('whatever the text: at most four, each a span that begins before it ends', () => {
  const parts = fc.constantFrom(
    'May ',
    '31 ',
    '2023',
    '-',
    '02',
    'of ',
    'in ',
    ', ',
    'feb ',
    '0000',
    '29th ',
    '💥',
    '٣ ',
  );
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 40 }), (list) => {
      const times = timesIn(list.join(''), 'Pacific/Apia', '2026-11-21');
      expect(times.length).toBeLessThanOrEqual(4);
      for (const { start, end } of times) expect(Date.parse(start)).toBeLessThan(Date.parse(end));
    }),
  );
});

test.each([
  ['went', ['went', 'go', 'goe', 'gone']],
  ['gone', ['gone', 'go', 'goe', 'went']],
  ['supplier', ['supplier']],
])('forms of %s', (term, forms) => {
  expect(formsOf(term)).toEqual(forms);
});
