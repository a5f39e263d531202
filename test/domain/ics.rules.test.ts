/** Rules and lengths of files (issue 46): what is read, how it is kept, and what is written. */
import { describe, expect, test } from 'vitest';
import type { EventDoc } from '../../src/domain/calendar/event-doc.ts';
import { durationText, readDuration } from '../../src/domain/calendar/durations.ts';
import { checkRrule, eventEnd } from '../../src/domain/calendar/series-expansion.ts';
import { bytesOf, eventsOf, happeningsOf, NOW, READER } from '../support/corpus.ts';
import { writeCalendar } from '../support/events.ts';
import { readCalendar } from '../support/read-at-once.ts';

const fileOf = (...lines: string[]): string =>
  [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//test//EN',
    ...['BEGIN:VEVENT', 'UID:one', 'DTSTAMP:20261001T080000Z', 'SUMMARY:One', ...lines, 'END:VEVENT'],
    'END:VCALENDAR',
    '',
  ].join('\r\n');

const oneOf = (...lines: string[]): EventDoc => eventsOf(fileOf(...lines))[0]!;
const BERLIN = 'DTSTART;TZID=Europe/Berlin:20261201T100000';
const ruleOf = (rule: string, start = BERLIN) => {
  const { events, report } = readCalendar(fileOf(start, `RRULE:${rule}`), READER);
  return { rrule: events[0]?.event.rrule, told: report.map(({ message }) => message) };
};
const linesOf = (event: EventDoc): string[] =>
  writeCalendar([event], { name: 'Almanac', now: NOW }).replaceAll('\r\n ', '').split('\r\n');
const written = (event: EventDoc, name: string): string[] =>
  linesOf(event).filter((line) => new RegExp(`^${name}[;:].*(2026|P)|^${name}:.*=`).test(line));

describe('durations', () => {
  test.each([
    ['P15M', 0, 900],
    ['-P15M', 0, -900],
    ['PT1D', 1, 0],
    ['PT1W', 7, 0],
    ['P1W2D', 9, 0],
    ['P1DT2H', 1, 7_200],
    [' pt1h 30m', 0, 5_400],
    ['+PT5M', 0, 300],
    ['PT-15M', 0, -900],
    ['-P1DT1H', -1, -3_600],
    ['P1DT-1H', 0, 23 * 3_600],
    ['PT1.5H', 0, 5_400],
    ['PT0,5M', 0, 30],
    ['P0.5D', 0, 43_200],
    ['P', 0, 0],
    ['-PT', 0, 0],
    ['', 0, 0],
    ['PT0S', 0, 0],
  ])('%j', (text, days, seconds) => {
    expect(readDuration(text)).toMatchObject({ days, seconds });
  });

  test.each(['PT', '-P', 'P1M', ''])('%j is read with a doubt', (text) => {
    expect(readDuration(text)?.doubt).toMatch(/read as/);
  });

  test.each(['one hour', 'P1Y', '15', 'PT15', `PT${'9'.repeat(40)}S`, 'P4000000D', `P${'1D'.repeat(600)}`])(
    '%j is none',
    (text) => {
      expect(readDuration(text)).toBeNull();
    },
  );

  test.each(['P1D', 'P1DT2H', 'PT59M59S', 'PT30S', 'P9DT1H1M1S', 'PT0S'])('%s is written', (text) => {
    expect(durationText(readDuration(text)!)).toBe(text);
  });
});

describe('rules', () => {
  test.each([
    ['FREQ=WEEKLY;INTERVAL=01;COUNT=03', 'FREQ=WEEKLY;INTERVAL=1;COUNT=3'],
    ['FREQ=WEEKLY;INTERVAL=2.0;BYDAY=MONDAY,TUE', 'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TU'],
    ['FREQ=MONTHLY;BYDAY=01TU,-02WE', 'FREQ=MONTHLY;BYDAY=1TU,-2WE'],
    ['FREQ=DAILY;BYSECOND=60,59', 'FREQ=DAILY;BYSECOND=59'],
    ['RRULE:freq=daily ; count=2;;', 'FREQ=DAILY;COUNT=2'],
    ['FREQ=DAILY;COUNT=2;COUNT=2', 'FREQ=DAILY;COUNT=2'],
    ['FREQ=DAILY;UNTIL=2026-12-31', 'FREQ=DAILY;UNTIL=20261231'],
    ['FREQ=DAILY;UNTIL=2026-12-31T10:00:00.000Z', 'FREQ=DAILY;UNTIL=20261231T100000Z'],
    ['FREQ=WEEKLY;WKST=MONDAY', 'FREQ=WEEKLY;WKST=MO'],
  ])('%s says nothing', (rule, rrule) => {
    expect(ruleOf(rule)).toEqual({ rrule, told: [] });
  });

  test.each([
    ['FREQ=DAILY;INTERVAL=-1', 'FREQ=DAILY'],
    ['FREQ=DAILY;COUNT=', 'FREQ=DAILY'],
    ['FREQ=YEARLY;BYMONTH=12,13', 'FREQ=YEARLY;BYMONTH=12'],
    ['FREQ=YEARLY;BYDAY=54MO,2TU', 'FREQ=YEARLY;BYDAY=2TU'],
    ['FREQ=DAILY;UNTIL=20261131T240000', 'FREQ=DAILY;UNTIL=20261130T235959', 'DTSTART:20261101T100000'],
    ['FREQ=DAILY;UNTIL=TZID=Europe/Berlin:20261231T100000', 'FREQ=DAILY;UNTIL=20261231T100000'],
    ['FREQ=DAILY;UNTIL=00000000T000000Z', 'FREQ=DAILY'],
    ['FREQ=DAILY;UNTIL=20261231T256000Z', 'FREQ=DAILY;UNTIL=20261231'],
    ['FREQ=DAILY;UNTIL=20261231,COUNT=3', 'FREQ=DAILY;UNTIL=20261231'],
    ['FREQ=WEEKLY;BYDAY=MO TU,WE', 'FREQ=WEEKLY;BYDAY=MO,TU,WE'],
    ['FREQ=MONTHLY;BYMONTHDAY=1 5', 'FREQ=MONTHLY;BYMONTHDAY=1,5'],
    ['FREQ=DAILY;BYHOUR=9', 'FREQ=DAILY', 'DTSTART;VALUE=DATE:20261201'],
    ['FREQ=DAILY;COUNT', 'FREQ=DAILY'],
  ])('%s is said', (rule, rrule, start = BERLIN) => {
    const read = ruleOf(rule, start);
    expect(read).toMatchObject({ rrule, told: [expect.stringMatching(/left out|was read as/)] });
    expect(checkRrule(rrule, '2026-11-01T09:00:00.000Z', 'Europe/Berlin')).toBeNull();
  });

  // Without the part that cannot be read, the event would happen far more often.
  test.each([
    'FREQ=WEEKLY;BYDAY=MOTUWE',
    'FREQ=MONTHLY;BYMONTHDAY=32',
    'FREQ=YEARLY;BYMONTH=5L',
    'FREQ=YEARLY;BYDAY=FR;BYSETPOS=367',
    'FREQ=DAILY;INTERVAL=-2',
    'FREQ=WEEKLY;UNTIL=20261',
  ])('%s is kept, and the event happens once', (rule) => {
    const { rrule, told } = ruleOf(rule);
    expect([rrule, told]).toEqual([null, [expect.stringMatching(/cannot be read.*is kept as it is/)]]);
    expect(linesOf(oneOf(BERLIN, `RRULE:${rule}`))).toContain(`RRULE:${rule}`);
  });

  test.each(['RSCALE=HEBREW;FREQ=YEARLY', 'FREQ=MONTHLY;SKIP=FORWARD', 'FREQ=YEARLY;BYEASTER=0', 'FREQ=FORTNIGHTLY'])(
    '%s is kept as it came, until the event has another rule',
    (rule) => {
      const event = oneOf(BERLIN, `RRULE:${rule}`);
      expect(event.rrule).toBeNull();
      expect(linesOf(event)).toContain(`RRULE:${rule}`);
      expect(linesOf({ ...event, rrule: 'FREQ=DAILY;COUNT=2' })).not.toContain(`RRULE:${rule}`);
      const occurrence = { ...event, recurrence_id: event.scheduled_for };
      expect(linesOf(occurrence)).not.toContain(`RRULE:${rule}`);
    },
  );

  test('a series that ended before it began has no occurrence, here and where it is sent', () => {
    const event = oneOf(BERLIN, 'RRULE:FREQ=WEEKLY;UNTIL=20261130');
    expect(happeningsOf([event])).toEqual([]);
    expect(event.exdates).toEqual([event.scheduled_for]);
    const again = eventsOf(linesOf(event).join('\r\n'));
    expect(again).toEqual([event]);
    expect(happeningsOf(again)).toEqual([]);
    // An RDATE on its start is an occurrence all the same.
    const dated = oneOf(BERLIN, 'RRULE:FREQ=WEEKLY;UNTIL=20261130', 'RDATE;TZID=Europe/Berlin:20261201T100000');
    expect(happeningsOf([dated])).toHaveLength(1);
  });

  test('an alarm with a trigger that nobody can read is left out, and said', () => {
    const alarm = ['BEGIN:VALARM', 'ACTION:DISPLAY', 'TRIGGER:VALUE=DATE-TIME:20261201T080000Z', 'END:VALARM'];
    const { events, report } = readCalendar(fileOf(BERLIN, ...alarm), READER);
    expect(report).toMatchObject([{ line: 11, message: expect.stringContaining('alarm was left out') }]);
    expect(events[0]?.event.ics).toBeUndefined();
  });
});

describe('lengths', () => {
  const endsOf = (name: string) => happeningsOf(eventsOf(bytesOf(name))).map(({ end }) => end);

  test('a series of nominal days is written with its DURATION, and an exact one with DTEND', () => {
    const [nominal, withHours, , hours] = eventsOf(bytesOf('nominal-days'));
    expect(nominal).toMatchObject({ duration_minutes: 1_440, ics: { duration: 'P1D' } });
    expect(written(nominal!, 'DURATION')).toEqual(['DURATION:P1D']);
    expect(written(nominal!, 'DTEND')).toEqual([]);
    expect(withHours).toMatchObject({ duration_minutes: 1_560, ics: { duration: 'P1DT2H' } });
    expect(hours?.ics?.duration).toBeUndefined();
    expect(written(hours!, 'DURATION')).toEqual([]);
  });

  test('another length makes the kept one void', () => {
    const [nominal] = eventsOf(bytesOf('nominal-days'));
    const longer = { ...nominal!, duration_minutes: 1_500 };
    expect(eventEnd(longer)).toBe('2026-03-29T10:00:00.000Z');
    expect(eventEnd(nominal!)).toBe('2026-03-29T08:00:00.000Z');
    expect(written(longer, 'DTEND')).toEqual(['DTEND;TZID=Europe/Berlin:20260329T120000']);
  });

  test('an end with seconds is kept, so that the event does not reach into the next day', () => {
    expect(endsOf('ends-with-seconds')).toEqual([
      '2026-12-01T22:59:59.000Z',
      '2026-12-02T09:59:59.000Z',
      '2026-12-03T22:59:59.000Z',
      '2026-12-04T22:59:59.000Z',
      '2026-12-05T10:00:00.000Z',
      '2026-12-07T23:00:00.000Z',
    ]);
    const events = eventsOf(bytesOf('ends-with-seconds'));
    expect(events.map(({ duration_minutes }) => duration_minutes)).toEqual([1_440, 60, 60, 60, 2_880]);
    expect(events.slice(0, 3).flatMap((event) => written(event, 'DTEND'))).toEqual([
      'DTEND;TZID=Europe/Berlin:20261201T235959',
      'DTEND;TZID=Europe/Berlin:20261202T105959',
      'DTEND;TZID=Europe/Berlin:20261203T235959',
    ]);
  });

  test('an alarm rings by the same reader, and is written as others read it', () => {
    const alarms = eventsOf(bytesOf('durations')).filter(({ reminders }) => reminders.length > 0);
    expect(alarms.map(({ reminders }) => reminders)).toEqual([[15], [15]]);
    expect(alarms.flatMap((event) => written(event, 'TRIGGER'))).toEqual(['TRIGGER:-PT15M', 'TRIGGER:-PT15M']);
  });
});
