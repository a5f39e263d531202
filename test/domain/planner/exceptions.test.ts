/** What is said of all of a series with an exception or an end: never is more changed than was said. */
import { describe, expect, test } from 'vitest';
import { understand } from '../../../src/domain/planner/intents/understand.ts';
import type { IntentContext } from '../../../src/domain/planner/intents/types.ts';
import { addMinutes } from '../../../src/domain/time/time.ts';

const weekly = (uid: string, title: string, first: string) =>
  Array.from({ length: 6 }, (_, week) => {
    const at = addMinutes(first, week * 7 * 24 * 60);
    return { uid, title, recurrence_id: at, scheduled_for: at, duration_minutes: 45 };
  });

/** Monday, 23 November 2026, 08:00 in Berlin; guitar is on Fridays, choir on Sundays. */
const context: IntentContext = {
  now: '2026-11-23T07:00:00.000Z',
  zone: 'Europe/Berlin',
  events: [
    ...weekly('guitar', 'Guitar lesson', '2026-11-27T16:30:00.000Z'),
    ...weekly('choir', 'Choir', '2026-11-29T18:00:00.000Z'),
  ],
  pending: [],
};

/** Which occurrences are changed; '+' stands behind one with all later ones. */
const changed = (prompt: string): string[] =>
  understand(prompt, context).intents.map(
    ({ target_event_uid: uid, arguments: own }) =>
      `${uid} ${String(own.recurrence_id).slice(5, 10)}${own.scope === 'following' ? '+' : ''}`,
  );
const guitar = (...days: string[]): string[] => days.map((day) => `guitar ${day}`);
const WITHOUT_4 = guitar('11-27', '12-11', '12-18', '12-25', '01-01');
const UNTIL_CHRISTMAS = guitar('11-27', '12-04', '12-11', '12-18', '12-25');

describe('cancelled are all but the exceptions', () => {
  test.each([
    ['Cancel all guitar lessons', guitar('11-27+')],
    ['Cancel all guitar lessons except the one on 4 December', WITHOUT_4],
    ['Cancel all guitar lessons apart from the one on 4 December', WITHOUT_4],
    ['Cancel all guitar lessons, but not the one on 4 December', WITHOUT_4],
    ['Cancel all guitar lessons but keep the one on 4 December', WITHOUT_4],
    ['Cancel guitar from now on except on 4 December', WITHOUT_4],
    ['Stop guitar for good but keep 4 December', WITHOUT_4],
    ['Cancel all guitar lessons except those in December', guitar('11-27', '01-01')],
    ['Cancel all guitar lessons except Friday 27 November', guitar('12-04+')],
    ['Cancel guitar from now on until Christmas', UNTIL_CHRISTMAS],
    ['Cancel guitar on Fridays for good', guitar('11-27+')],
    ['cancel guitar and choir from now on', ['guitar 11-27+', 'choir 11-29+']],
    ['cancel guitar and choir for good', ['guitar 11-27+', 'choir 11-29+']],
  ])('%s', (prompt, expected) => {
    expect(changed(prompt)).toEqual(expected);
  });
});

describe('moved are all up to an end', () => {
  test.each([
    ['Guitar is at six from now on', guitar('11-27+')],
    ['Guitar is at six from now on until Christmas', UNTIL_CHRISTMAS],
    ['move guitar to 18:15 permanently until Christmas', UNTIL_CHRISTMAS],
  ])('%s', (prompt, expected) => {
    expect(changed(prompt)).toEqual(expected);
  });
});

test.each([
  'Cancel all guitar lessons except the next one',
  'Cancel all guitar lessons except the first one',
  'Cancel all guitar lessons other than the next one',
  'Cancel guitar after 4 December except on 1 May',
  'From now on guitar is at six except on 4 December',
  'From now on guitar is at six until Christmas',
  'Guitar is at six from now on, except the next one',
  'guitar is an hour later from now on except on 4 December',
  'move guitar to 18:15 for good, only in December',
])('asks: %s', (prompt) => {
  const { intents, question, reply } = understand(prompt, context);
  expect(intents).toEqual([]);
  expect(question ?? reply).toMatch(/^Which event|is a rule that I can’t set/);
});
