/** Lines, names, blanks and times as programs write them beside RFC 5545 (issue 46). */
import { describe, expect, test } from 'vitest';
import { file, vevent, writeCalendar } from '../support/events.ts';
import { bytesOf, eventsOf, NOW, READER } from '../support/corpus.ts';
import { readCalendar } from '../support/read-at-once.ts';

const START = 'DTSTART:20261201T100000Z';
const readOne = (...lines: string[]) => {
  const { events, report } = readCalendar(file(...vevent(...lines)), READER);
  return { event: events[0]!.event, told: report.map(({ message }) => message) };
};
const writtenOf = (text: string) => writeCalendar(eventsOf(text), { now: NOW });

describe('names', () => {
  test.each(['CATEGORY_COLOR:-1', 'X-A_B-C;P_Q=1:v', 'OWN:1'])('%s is a property of its own', (line) => {
    const { event, told } = readOne(START, line);
    expect(told).toEqual([]);
    expect(event.ics?.properties).toEqual([[line.split(/[;:]/)[0]!.toLowerCase(), {}, 'x-line', line]]);
    expect(writtenOf(file(...vevent(START, line)))).toContain(`\r\n${line}\r\n`);
  });

  test('one in small letters that nobody knows is written in capitals, so that every reader finds it again', () => {
    const text = writtenOf(file(...vevent(START, 'own-name:1')));
    expect(text).toContain('\r\nOWN-NAME:1\r\n');
  });

  test.each(['UID:other', START, 'RRULE:FREQ=DAILY;COUNT=2', 'EXDATE:20261202T100000Z', 'BEGIN:VALARM', 'X-OWN:1'])(
    'a line without a name is no part of %s',
    (line) => {
      const found = readOne(START, line, 'no name', ...(line === 'BEGIN:VALARM' ? ['END:VALARM'] : []));
      const without = readOne(START, line, ...(line === 'BEGIN:VALARM' ? ['END:VALARM'] : []));
      expect(found.event).toEqual(without.event);
      expect(found.told).toEqual(['This line is not valid and was ignored: no name']);
    },
  );

  test.each([
    ['DESCRIPTION', 'description'],
    ['LOCATION', 'location'],
  ] as const)('a line without a name continues %s', (name, field) => {
    expect(readOne(START, `${name}:First`, '10:30 second', 'https://example.org').event[field]).toBe(
      'First\n10:30 second\nhttps://example.org',
    );
  });

  test.each(['X-FOO BAR:1', 'X.FOO:1', 'X-A/B:1'])(
    '%s is left out, because other readers refuse the whole file for such a name',
    (line) => {
      expect(readOne(START, line).told).toEqual([`This line is not valid and was ignored: ${line}`]);
    },
  );

  test('a line of control characters alone is no line', () => {
    expect(readOne(START, '\0').told).toEqual([]);
  });

  test('several lines without a name are reported once', () => {
    expect(readOne('no name', 'and: none', START).told).toEqual([
      String.raw`This line is not valid and was ignored: no name\nand: none`,
    ]);
  });

  test('a long UID whose fold lost its space is one UID', () => {
    const uid = '040000008200E00074C5B7101A82E008'.repeat(4);
    const text = file('BEGIN:VEVENT', `UID:${uid.slice(0, 71)}`, uid.slice(71), START, 'END:VEVENT');
    expect(readCalendar(text, READER).events[0]?.event.uid).toBe(uid);
  });

  test('a byte order mark inside of the file is no part of a name', () => {
    const text = `${file(...vevent(START))}\r\n\uFEFF${file('BEGIN:VEVENT', 'UID:two', START, 'END:VEVENT')}`;
    expect(readCalendar(text, READER)).toMatchObject({ report: [], events: [{}, {}] });
  });

  test.each(['a1\\nb', 'a\\,b\\;c', 'a\\:b', '"q"', 'a\tb', ' a  b ', 'a\\\\nb', 'a;b,c', 'DOMAIN\\user', 'ÄÖ\uFEFFü'])(
    'the UID %j is the same in the export, and when that is read',
    (uid) => {
      const text = file('BEGIN:VEVENT', `UID:${uid}`, START, 'END:VEVENT');
      const [event] = eventsOf(text);
      expect(eventsOf(writtenOf(text))).toEqual([event]);
    },
  );
});

describe('blanks and forms of times', () => {
  test.each<[string, string]>([
    ['DTSTART: 20261201T100000Z ', '2026-12-01T10:00:00.000Z'],
    ['DTSTART :\t20261201T100000Z\u00a0', '2026-12-01T10:00:00.000Z'],
    ['DTSTART; TZID = Europe/Berlin : 20261201T100000', '2026-12-01T09:00:00.000Z'],
    ['DTSTART;TZID= Europe/Berlin :20261201T100000', '2026-12-01T09:00:00.000Z'],
    ['DTSTART; TZID = "Europe/Berlin" :20261201 T100000', '2026-12-01T09:00:00.000Z'],
    ['DTSTART;VALUE= DATE: 20261201', '2026-11-30T23:00:00.000Z'],
    ['DTSTART:20261201t100000z', '2026-12-01T10:00:00.000Z'],
    ['DTSTART:20261201T1000Z', '2026-12-01T10:00:00.000Z'],
  ])('%j is read without a word', (line, instant) => {
    const { event, told } = readOne(line);
    expect({ at: event.scheduled_for, told }).toEqual({ at: instant, told: [] });
  });

  test.each<[string, string]>([
    ['2026-12-01T10:00:00', '20261201T100000'],
    ['2026-12-01T10:00:00Z', '20261201T100000Z'],
    ['2026-12-01 10:00', '20261201T1000'],
    ['20261201T100000.123Z', '20261201T100000Z'],
    ['20261201T100000+0100', '20261201T090000Z'],
    ['2026-12-01T10:00:00-05:30', '20261201T153000Z'],
    ['20261201T240000Z', '20261202T000000Z'],
    ['20261231T240000', '20270101T000000'],
    ['20261201T100060Z', '20261201T100059Z'],
    ['2026-12-01', '20261201'],
  ])('%s is read as %s, and this is said', (written, meant) => {
    const { event, told } = readOne(`DTSTART:${written}`);
    expect({ ...event, told }).toEqual({
      ...readOne(`DTSTART:${meant}`).event,
      told: [`${written} was read as ${meant}.`],
    });
  });

  test.each(['20261301T100000+0100', '20261201T100000Z+0100', '20261201T10', '01.12.2026', '12/01/2026'])(
    '%s is no time',
    (written) => {
      const { events, left } = readCalendar(file(...vevent(`DTSTART:${written}`)), READER);
      expect({ events, left: left.length }).toEqual({ events: [], left: 1 });
    },
  );

  test('blanks around words, numbers, rules and triggers are no part of them', () => {
    const [one, two] = eventsOf(bytesOf('blanks-around-times'));
    expect(one).toMatchObject({ status: 'cancelled', busy: false, sequence: 3, duration_minutes: 60 });
    expect(two).toMatchObject({ duration_minutes: 30, rrule: 'FREQ=DAILY;COUNT=4' });
    expect(two?.exdates).toEqual(['2026-10-31T09:00:00.000Z', '2026-11-01T09:00:00.000Z']);
    const alarm = ['BEGIN:VALARM', 'ACTION:DISPLAY', 'TRIGGER: -PT15M ', 'END:VALARM'];
    expect(readOne(START, ...alarm).event.reminders).toEqual([15]);
  });
});

describe('parameters', () => {
  test.each([
    ['SUMMARY;QUIET:Tea', 'SUMMARY:Tea'],
    ['SUMMARY;LANGUAGE=de;=x:Tee', 'SUMMARY;LANGUAGE=de:Tee'],
  ])('%s is read as %s', (line, meant) => {
    expect(readOne(START, line)).toEqual(readOne(START, meant));
  });

  test.each([
    'ATTENDEE;CN=Müller, "Q":mailto:q@example.org',
    'ATTENDEE;CN="A "B" C":mailto:q@example.org',
    'ORGANIZER;RSVP:mailto:a@example.org',
  ])('%s is the same in the export, and when that is read', (line) => {
    const text = file(...vevent(START, line));
    const [event] = eventsOf(text);
    expect(event?.ics?.properties).toHaveLength(1);
    expect(eventsOf(writtenOf(text))).toEqual([event]);
  });
});

test('a time that is called a date is a time, and midnight is a date', () => {
  const read = (value: string) => readCalendar(file(...vevent(`DTSTART;VALUE=DATE:${value}`)), READER);
  const timed = read('20261201T160000');
  expect(timed.events[0]?.event).toMatchObject({ all_day: false, scheduled_for: '2026-12-01T15:00:00.000Z' });
  expect(timed.report).toMatchObject([{ level: 'warning', message: expect.stringContaining('read as a time') }]);
  expect(read('20261201T000000').events[0]?.event).toMatchObject({ all_day: true });
});

test('texts of vCalendar 1.0, and those with another VALUE, are read as text', () => {
  const [event] = eventsOf(bytesOf('quoted-printable'));
  expect(event).toMatchObject({ description: 'Seat 12A\nGate=B7 open', location: 'Terminal 2, Gate B' });
  expect(event?.ics).toBeUndefined();
  const soft = ['DTSTART:20261201T100000Z', 'SUMMARY;ENCODING=QUOTED-PRINTABLE:M=C3=BCll=', 'abfuhr'];
  expect(eventsOf(file(...vevent(...soft)))[0]?.title).toBe('Müllabfuhr');
});
