/** Words of time mean one thing in the whole product: the planner, a question, and memory's index of what a text tells. */
import { describe, expect, test } from 'vitest';
import { understand } from '../../src/domain/planner/intents/understand.ts';
import { readTime } from '../../src/domain/planner/time/read-time.ts';
import { settle, type Settled } from '../../src/domain/planner/time/settle.ts';
import { relativeDates } from '../../src/domain/time/relative-dates.ts';
import { WEEKDAYS } from '../../src/domain/time/words-of-time.ts';

const zone = 'Europe/Berlin';
const names = [...WEEKDAYS.keys()].filter((name) => name.endsWith('day'));
const days = Array.from({ length: 7 }, (_, i) => Temporal.PlainDate.from('2026-11-23').add({ days: i }).toString());

const settled = (text: string, today: string): Settled | undefined => {
  const now = Temporal.PlainDateTime.from(`${today}T08:00`);
  return settle(readTime(text), { now, zone, today: now.toPlainDate() }).groups[0];
};
const dayOf = (text: string, today: string): string | undefined => settled(text, today)?.days[0]?.from.toString();
const asked = (text: string, today: string): string | undefined => {
  const { questions } = understand(text, { now: `${today}T07:00:00.000Z`, zone, events: [], pending: [] });
  const start = questions[0]?.time?.start;
  return start && Temporal.Instant.from(start).toZonedDateTimeISO(zone).toPlainDate().toString();
};

describe.each(days)('said on %s', (today) => {
  test.each(names)('next %s is one day in a plan, in a question and in memory', (name) => {
    const day = dayOf(`next ${name}`, today);
    expect(day).toMatch(/^2026-/);
    expect(relativeDates(`We meet next ${name}`, today)).toEqual([day]);
    expect(asked(`what is on next ${name}?`, today)).toBe(day);
  });

  test.each(['week', 'weekend', 'month', 'year'])('next %s too', (unit) => {
    const [first] = relativeDates(`next ${unit}`, today);
    expect(dayOf(`next ${unit}`, today)?.startsWith(first!)).toBe(true);
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
  ['the last day of the month', '2026-11-30'],
  ['on the eve of Christmas', '2026-12-24'],
  ['the day before Christmas', '2026-12-24'],
  ['in a couple of days', '2026-11-25'],
  ['in a few days', '2026-11-26'],
])('%s, said on Monday 23 November, is %s', (text, day) => {
  expect(dayOf(text, MONDAY)).toBe(day);
});

test('a couple is two, in a length, a question and memory', () => {
  expect(readTime('for a couple of hours', 'length').items).toMatchObject([
    { item: 'length', amount: { minutes: 120 } },
  ]);
  expect(relativeDates('a couple of days ago', MONDAY)).toEqual(['2026-11-21']);
  expect(asked('what did I do a couple of days ago?', MONDAY)).toBe('2026-11-21');
});

test.each([
  ['at 15h', 900],
  ['at 15h30', 930],
  ['at 8.30', 510],
  ['at 0930', 570],
  ["at 18 o'clock", 1080],
  ['at quarter before nine', 525],
  ['at a quarter past nine', 555],
  ['at half eight', 510],
])('%s is minute %d of the day', (text, minute) => {
  expect(settled(text, MONDAY)?.slots.map(({ at }) => at)).toEqual([minute]);
});
