/** Words of time mean one thing in the whole product: the planner, a question, and memory's index of what a text tells. */
import { describe, expect, test } from 'vitest';
import type { Facet } from '../../src/domain/intent/facet.ts';
import { scanItems } from '../../src/domain/intent/time/read-times.ts';
import { understand } from '../../src/domain/intent/intent.ts';
import { tokenise } from '../../src/domain/intent/words.ts';
import { relativeDates } from '../../src/domain/time/relative-dates.ts';
import { WEEKDAYS } from '../../src/domain/time/words-of-time.ts';

const zone = 'Europe/Berlin';
const names = [...WEEKDAYS.keys()].filter((name) => name.endsWith('day'));
const days = Array.from({ length: 7 }, (_, i) => Temporal.PlainDate.from('2026-11-23').add({ days: i }).toString());

const facetsOf = (text: string, today: string): Facet[] =>
  scanItems({
    tokens: tokenise(text),
    now: `${today}T07:00:00.000Z`,
    zone,
    today: Temporal.PlainDate.from(today),
  }).flatMap(({ facets }) => facets);
const dayOf = (text: string, today: string): string | undefined => {
  const [facet] = facetsOf(text, today);
  return facet?.kind === 'days' ? facet.days[0]!.date.toString() : undefined;
};
const asked = (text: string, today: string): string | undefined => {
  const { questions } = understand(text, { now: `${today}T07:00:00.000Z`, zone, events: [], pending: [] });
  const start = questions[0]?.time?.start;
  return start && Temporal.Instant.from(start).toZonedDateTimeISO(zone).toPlainDate().toString();
};

describe.each(days)('said on %s', (today) => {
  test.each(names)('next %s is one day in a plan, in a question and in memory', (name) => {
    const day = dayOf(`next ${name}`, today);
    expect(relativeDates(`We meet next ${name}`, today)).toEqual([day]);
    expect(asked(`what is on next ${name}?`, today)).toBe(day);
  });

  test.each(['week', 'weekend', 'month', 'year'])('next %s too', (unit) => {
    const [facet] = facetsOf(`in next ${unit}`, today);
    const [first] = relativeDates(`next ${unit}`, today);
    expect(facet).toMatchObject({ kind: 'period' });
    expect(facet?.kind === 'period' && facet.from.toString().startsWith(first!)).toBe(true);
  });
});

const MONDAY = '2026-11-23';
test.each([
  ['next Friday', '2026-12-04'],
  ['this Friday', '2026-11-27'],
  ['Friday', '2026-11-27'],
  ['Friday week', '2026-12-04'],
  ['Friday fortnight', '2026-12-11'],
  ['the Monday after next', '2026-12-07'],
  ['Monday after next', '2026-12-07'],
  ['the last day of the month', '2026-11-30'],
  ['on the eve of Christmas', '2026-12-24'],
  ['the day before Christmas', '2026-12-24'],
  ['in a couple of days', '2026-11-25'],
  ['in a few days', '2026-11-26'],
])('%s, said on Monday 23 November, is %s', (text, day) => {
  expect(dayOf(text, MONDAY)).toBe(day);
});

test('a couple is two, in a length, a question and memory', () => {
  expect(facetsOf('for a couple of hours', MONDAY)).toEqual([{ kind: 'duration', minutes: 120 }]);
  expect(relativeDates('a couple of days ago', MONDAY)).toEqual(['2026-11-21']);
  expect(asked('what did I do a couple of days ago?', MONDAY)).toBe('2026-11-21');
});

test.each(['through', 'thru', 'to', '-'])('%s is known to ranges and to repetitions', (word) => {
  expect(facetsOf(`Monday ${word} Thursday`, MONDAY)).toMatchObject([{ kind: 'period' }]);
  expect(facetsOf(`every Monday ${word} Thursday`, MONDAY)).toEqual([
    { kind: 'every', unit: 'week', step: 1, weekdays: [1, 2, 3, 4] },
  ]);
});

test.each(['weekday', 'workday', 'business day', 'working day', 'school day'])(
  'every %s is Monday to Friday',
  (name) => {
    expect(facetsOf(`every ${name}`, MONDAY)).toMatchObject([{ kind: 'every', weekdays: [1, 2, 3, 4, 5] }]);
  },
);

test.each<[string, Facet]>([
  ['at 15h', { kind: 'clock', times: [{ hour: 15, minute: 0, fixed: true }] }],
  ['at 15h30', { kind: 'clock', times: [{ hour: 15, minute: 30, fixed: true }] }],
  ['at 8.30', { kind: 'clock', times: [{ hour: 8, minute: 30, fixed: false }] }],
  ['at 0930', { kind: 'clock', times: [{ hour: 9, minute: 30, fixed: true }] }],
  ["at 18 o'clock", { kind: 'clock', times: [{ hour: 18, minute: 0, fixed: true }] }],
  ['at the hour 9', { kind: 'clock', times: [{ hour: 9, minute: 0, fixed: false }] }],
  ['at quarter before nine', { kind: 'clock', times: [{ hour: 8, minute: 45, fixed: false }] }],
  ['at a quarter past nine', { kind: 'clock', times: [{ hour: 9, minute: 15, fixed: false }] }],
  ['from 3pm onwards', { kind: 'hours', from: { hour: 15, minute: 0, fixed: true }, exact: false }],
  ['by close of business', { kind: 'hours', to: { hour: 18, minute: 0, fixed: true }, exact: false }],
])('%s', (text, facet) => {
  expect(facetsOf(text, MONDAY)).toEqual([facet]);
});

test('half eight is 8:30 to some and 7:30 to others, so both are offered', () => {
  expect(facetsOf('at half eight', MONDAY)).toEqual([
    {
      kind: 'clock',
      times: [
        { hour: 8, minute: 30, fixed: false },
        { hour: 7, minute: 30, fixed: false },
      ],
      choice: true,
    },
  ]);
});
