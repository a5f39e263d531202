/** The rule of a series follows its start, so that all occurrences move by the same wall time. */
import { describe, expect, test } from 'vitest';
import { givesStart, ruleFollows, ruleMoved } from '../../src/domain/calendar/rule-moved.ts';
import type { Schedule } from '../../src/domain/calendar/schedule.ts';
import { readTime, type Instant } from '../../src/domain/time/time.ts';

const at = (local_start: string, rrule: string | null, more: Partial<Schedule> = {}): Schedule => {
  const timezone = more.timezone ?? 'Europe/Berlin';
  return {
    ...{ uid: 'e', duration_minutes: 45, timezone, all_day: false, rdates: [], exdates: [], rrule },
    ...{ local_start: `${local_start}:00`, scheduled_for: readTime(local_start, timezone) as Instant, ...more },
  };
};

describe('a rule', () => {
  test.each([
    ['FREQ=WEEKLY;BYDAY=TH', '2026-12-04T17:30', 'FREQ=WEEKLY;BYDAY=FR'],
    ['FREQ=WEEKLY;BYDAY=TH', '2026-12-03T18:00', 'FREQ=WEEKLY;BYDAY=TH'],
    ['FREQ=WEEKLY;BYDAY=TH', '2026-11-30T17:30', 'FREQ=WEEKLY;BYDAY=MO'],
    ['FREQ=WEEKLY;BYDAY=TH;INTERVAL=2', '2026-12-14T17:30', 'FREQ=WEEKLY;BYDAY=MO;INTERVAL=2'],
    ['FREQ=WEEKLY;BYDAY=SU,TH', '2026-12-04T17:30', 'FREQ=WEEKLY;BYDAY=MO,FR'],
    ['FREQ=WEEKLY;BYDAY=SU,TH;INTERVAL=2', '2026-12-04T17:30', 'FREQ=WEEKLY;BYDAY=SU,TH;INTERVAL=2'],
    ['FREQ=WEEKLY', '2026-12-04T17:30', 'FREQ=WEEKLY'],
    ['FREQ=MONTHLY;BYMONTHDAY=3', '2026-12-04T17:30', 'FREQ=MONTHLY;BYMONTHDAY=3'],
    ['FREQ=DAILY;UNTIL=20261217T163000Z', '2026-12-03T18:00', 'FREQ=DAILY;UNTIL=20261217T170000Z'],
    ['FREQ=DAILY;UNTIL=20261217T163000', '2026-12-05T17:30', 'FREQ=DAILY;UNTIL=20261219T153000Z'],
  ])('%s of Thu 3 Dec 17:30 is from %s on %s', (rrule, to, expected) => {
    expect(ruleMoved(at('2026-12-03T17:30', rrule), at(to, rrule))).toBe(expected);
  });

  test.each([
    ['FREQ=WEEKLY;BYDAY=TH;BYSETPOS=1', '2026-12-04T17:30'],
    ['FREQ=WEEKLY;BYDAY=TH;BYMONTH=12', '2026-12-04T17:30'],
    ['FREQ=WEEKLY;BYDAY=MO;UNTIL=20270110T000000Z', '2026-12-04T17:30'],
    ['FREQ=WEEKLY;BYDAY=TU,TH;INTERVAL=2;UNTIL=20270110T000000Z', '2026-12-08T17:30'],
    ['FREQ=MONTHLY;BYDAY=1TH,3TH;UNTIL=20270110T000000Z', '2026-12-17T17:30'],
    ['FREQ=DAILY;BYDAY=TH,FR;UNTIL=20270110T000000Z', '2026-12-04T17:30'],
    ['FREQ=DAILY;BYHOUR=17,18;UNTIL=20270110T000000Z', '2026-12-03T18:30'],
  ])('%s of Thu 3 Dec 17:30 stays as it is from %s on', (rrule, to) => {
    const [old, moved] = [at('2026-12-03T17:30', rrule), at(to, rrule)];
    expect([ruleFollows(old, moved), ruleMoved(old, moved)]).toEqual([false, rrule]);
  });

  test.each([
    ['FREQ=WEEKLY;BYDAY=TH', '2026-12-04T17:30'],
    ['FREQ=MONTHLY', '2026-12-04T17:30'],
    ['FREQ=MONTHLY;BYDAY=1TH', '2026-12-03T18:30'],
    ['FREQ=DAILY;BYHOUR=17,18', '2026-12-03T17:30'],
    [null, '2026-12-04T17:30'],
  ])('%s of Thu 3 Dec 17:30 follows to %s', (rrule, to) => {
    expect(ruleFollows(at('2026-12-03T17:30', rrule), at(to, rrule))).toBe(true);
  });

  test('keeps its end in the wall time of another zone', () => {
    const rrule = 'FREQ=DAILY;UNTIL=20261217T163000Z';
    const to = at('2026-12-03T17:30', rrule, { timezone: 'America/New_York' });
    expect(ruleMoved(at('2026-12-03T17:30', rrule), to)).toBe('FREQ=DAILY;UNTIL=20261217T223000Z');
  });

  test('of whole days ends as many days later', () => {
    const [from, to] = ['2026-12-03T00:00', '2026-12-05T00:00'].map((day) =>
      at(day, 'FREQ=DAILY;UNTIL=20261210', { all_day: true, duration_minutes: 1440 }),
    ) as [Schedule, Schedule];
    expect(ruleMoved(from, to)).toBe('FREQ=DAILY;UNTIL=20261212');
  });
});

test.each([
  ['FREQ=WEEKLY;BYDAY=TH', true],
  ['FREQ=WEEKLY;BYDAY=FR', false],
  ['FREQ=MONTHLY;BYMONTHDAY=15', false],
  [null, true],
])('%s gives Thu 3 Dec: %s', (rrule, expected) => {
  expect(givesStart(at('2026-12-03T17:30', rrule))).toBe(expected);
});
