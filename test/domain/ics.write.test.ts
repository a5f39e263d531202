/** What is written as iCalendar text: the calendar, its times and its zones. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EventDoc } from '../../src/domain/calendar/event-doc.ts';
import { onsetsOf } from '../../src/domain/calendar/ics/vtimezone-rules.ts';
import { vtimezone } from '../../src/domain/calendar/ics/vtimezone.ts';
import { wallAt } from '../../src/domain/time/wall-time.ts';
import { aDay, anEvent, at, eventLines, linesOf, NOW, write, writeCalendar, ZONES } from '../support/events.ts';
import { atOnce, readCalendar, readComponents } from '../support/read-at-once.ts';
import { runs } from '../support/thoroughness.ts';

describe('the calendar', () => {
  test('is framed as RFC 5545 and 7986 have it', () => {
    const text = writeCalendar([], {
      name: 'Work, mostly; \\o/\nnew',
      method: 'PUBLISH',
      now: NOW,
      refresh_minutes: 90,
    });
    expect(text.split('\r\n')).toEqual([
      'BEGIN:VCALENDAR',
      'VERSION:2.0',
      'PRODID:-//Almanac//Almanac//EN',
      'METHOD:PUBLISH',
      'NAME:Work\\, mostly\\; \\\\o/\\nnew',
      'X-WR-CALNAME:Work\\, mostly\\; \\\\o/\\nnew',
      'REFRESH-INTERVAL;VALUE=DURATION:PT1H30M',
      'X-PUBLISHED-TTL:PT1H30M',
      'END:VCALENDAR',
      '',
    ]);
  });

  test('writes an event in full', () => {
    const text = write(
      anEvent({
        title: 'Review; "all", of it',
        description: 'Line one\nLine \\ two',
        location: 'Room 1, left',
        url: 'https://example.org/a?b=1,2;c',
        tags: ['work', 'a,b'],
        status: 'tentative',
        busy: false,
        reminders: [15],
        sequence: 4,
      }),
    );
    expect(text.slice(text.indexOf('BEGIN:VEVENT')).split('\r\n')).toEqual([
      'BEGIN:VEVENT',
      'UID:one@example.org',
      'SEQUENCE:4',
      'DTSTAMP:20260502T080000Z',
      'SUMMARY:Review\\; "all"\\, of it',
      'TRANSP:TRANSPARENT',
      'LOCATION:Room 1\\, left',
      'DESCRIPTION:Line one\\nLine \\\\ two',
      'STATUS:TENTATIVE',
      'CREATED:20260501T080000Z',
      'LAST-MODIFIED:20260502T080000Z',
      'DTSTART;TZID=Europe/Berlin:20261121T100000',
      'DTEND;TZID=Europe/Berlin:20261121T110000',
      'URL:https://example.org/a?b=1,2;c',
      'CATEGORIES:work,a\\,b',
      'BEGIN:VALARM',
      'ACTION:DISPLAY',
      'DESCRIPTION:Review\\; "all"\\, of it',
      'TRIGGER:-PT15M',
      'END:VALARM',
      'END:VEVENT',
      'END:VCALENDAR',
      '',
    ]);
  });

  test('DTSTAMP is the moment of a message, and the last change in a feed', () => {
    expect(linesOf(writeCalendar([anEvent()], { name: 'x', now: NOW, method: 'REQUEST' }), 'DTSTAMP')).toEqual([
      'DTSTAMP:20260601T120000Z',
    ]);
    expect(linesOf(write(anEvent()), 'DTSTAMP')).toEqual(['DTSTAMP:20260502T080000Z']);
    expect(write(anEvent())).toBe(writeCalendar([anEvent()], { name: 'Almanac', now: '2026-06-02T00:00:00.000Z' }));
  });

  test('folds at 75 octets without cutting a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 }), (title) => {
        const text = write(anEvent({ title, description: `ä🎉${title}` }));
        const physical = text.split('\r\n');
        expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
        for (const line of physical) {
          expect(new TextEncoder().encode(line).length).toBeLessThanOrEqual(75);
          expect(line.isWellFormed()).toBe(true);
        }
      }),
      { numRuns: runs(200) },
    );
  });

  test('nothing in a text can add a line', () => {
    const evil = 'x\r\nEND:VEVENT\rATTACH:http://evil\u0000\u0007\u2028';
    const text = write(
      anEvent({ title: evil, description: evil, location: evil, tags: [evil], uid: evil, url: evil, task_id: evil }),
    );
    expect(linesOf(text, 'END:VEVENT')).toHaveLength(1);
    expect(linesOf(text, 'ATTACH')).toEqual([]);
  });
});

describe('a uid', () => {
  const readBack = (uids: string[]): string[] => {
    const text = write(...uids.map((uid) => anEvent({ uid })));
    return readCalendar(text, { zone: 'UTC' }).events.map(({ event }) => event.uid);
  };

  test('is read as it was written', () => {
    const uids = ['ab', 'a\nb', 'a\tb', 'a\\nb', 'a;b,c', 'ä\u2028ö', 'a%0Ab', 'x'.repeat(255)];
    expect(readBack(uids)).toEqual(uids);
  });

  test('that a file cannot hold stays another one', () => {
    const uids = ['ab', 'a\u0001b', 'a\rb', 'a\r\nb', 'a\u0085b', ' ab', 'ab ', '\nab', 'ab\t', '\u0007', ' '];
    const read = readBack(uids);
    expect(new Set(read).size).toBe(uids.length);
    expect(read[0]).toBe('ab');
    expect(readBack(read)).toEqual(read);
  });
});

describe('times as written', () => {
  const series = anEvent({ local_start: '2026-03-27T02:30:00', rrule: 'FREQ=DAILY;COUNT=9' });
  test.each<[string, EventDoc, string, string[]]>([
    ['a zone', anEvent(), 'DTSTART', ['DTSTART;TZID=Europe/Berlin:20261121T100000']],
    [
      'UTC',
      anEvent({ timezone: 'UTC' }),
      'DT',
      ['DTSTAMP:20260502T080000Z', 'DTSTART:20261121T100000Z', 'DTEND:20261121T110000Z'],
    ],
    [
      'a day',
      aDay('2026-03-29'),
      'DT',
      ['DTSTAMP:20260502T080000Z', 'DTSTART;VALUE=DATE:20260329', 'DTEND;VALUE=DATE:20260330'],
    ],
    ['no length', anEvent({ duration_minutes: 0 }), 'DTEND', []],
    [
      'the second pass of a fold',
      anEvent({ local_start: '2026-10-25T02:30:00', scheduled_for: at('2026-10-25T01:30') }),
      'DTSTART',
      ['DTSTART:20261025T013000Z'],
    ],
    [
      'an end in the second pass',
      anEvent({ local_start: '2026-10-25T01:30:00', duration_minutes: 120 }),
      'D',
      ['DTSTAMP:20260502T080000Z', 'DTSTART;TZID=Europe/Berlin:20261025T013000', 'DURATION:PT2H'],
    ],
    [
      'a series begun in a gap',
      anEvent({ local_start: '2026-03-29T02:30:00', rrule: 'FREQ=DAILY' }),
      'DTSTART',
      ['DTSTART;TZID=Europe/Berlin:20260329T023000'],
    ],
    [
      'EXDATE of a gap',
      { ...series, exdates: [at('2026-03-29T01:30')] },
      'EXDATE',
      ['EXDATE;TZID=Europe/Berlin:20260329T023000'],
    ],
    [
      'EXDATE across the change',
      { ...series, exdates: [at('2026-03-31T00:30'), at('2026-03-28T01:30')] },
      'EXDATE',
      ['EXDATE;TZID=Europe/Berlin:20260328T023000', 'EXDATE;TZID=Europe/Berlin:20260331T023000'],
    ],
    [
      'EXDATE of days',
      aDay('2026-03-28', { rrule: 'FREQ=DAILY', exdates: [at('2026-03-29T22:00')] }),
      'EXDATE',
      ['EXDATE;VALUE=DATE:20260330'],
    ],
    ['RDATE', { ...series, rdates: [at('2026-05-01T10:00')] }, 'RDATE', ['RDATE;TZID=Europe/Berlin:20260501T120000']],
    [
      'UNTIL of a date becomes UTC',
      { ...series, rrule: 'FREQ=DAILY;UNTIL=20260401' },
      'RRULE',
      ['RRULE:FREQ=DAILY;UNTIL=20260401T215959Z'],
    ],
    [
      'UNTIL of days becomes a date',
      aDay('2026-03-28', { rrule: 'FREQ=DAILY;UNTIL=20260401T120000Z' }),
      'RRULE',
      ['RRULE:FREQ=DAILY;UNTIL=20260401'],
    ],
  ])('%s', (_name, event, property, lines) => {
    expect(eventLines(write(event), property)).toEqual(lines);
  });

  test('RECURRENCE-ID has the form and zone of the series, whatever its occurrence became', () => {
    const override = (more: Partial<EventDoc>) =>
      anEvent({ timezone: 'America/New_York', local_start: '2026-03-29T09:00:00', ...more });
    expect(eventLines(write(series, override({ recurrence_id: at('2026-03-29T01:30') })), 'RECURRENCE-ID')).toEqual([
      'RECURRENCE-ID;TZID=Europe/Berlin:20260329T023000',
    ]);
    const days = aDay('2026-03-28', { rrule: 'FREQ=DAILY' });
    expect(eventLines(write(days, override({ recurrence_id: at('2026-03-29T22:00') })), 'RECURRENCE-ID')).toEqual([
      'RECURRENCE-ID;VALUE=DATE:20260330',
    ]);
  });
});

describe('an end in another zone', () => {
  const flight = (more: Partial<EventDoc> = {}) =>
    anEvent({
      timezone: 'America/New_York',
      local_start: '2026-10-24T18:00:00',
      scheduled_for: at('2026-10-24T22:00'),
      duration_minutes: 420,
      ics: { properties: [], components: [], end_zone: { start: 'America/New_York', end: 'Europe/London' } },
      ...more,
    });
  const ends = (event: EventDoc) => linesOf(write(event), 'DTEND');

  test('is written in it, with its VTIMEZONE', () => {
    const text = write(flight());
    expect(linesOf(text, 'DTEND')).toEqual(['DTEND;TZID=Europe/London:20261025T050000']);
    expect(linesOf(text, 'TZID')).toEqual(['TZID:America/New_York', 'TZID:Europe/London']);
  });

  test('keeps its zone when the event moves, and loses it when the event gets another zone', () => {
    const moved = { local_start: '2026-10-25T18:00:00', scheduled_for: at('2026-10-25T22:00') };
    expect(ends(flight(moved))).toEqual(['DTEND;TZID=Europe/London:20261026T050000']);
    expect(ends(flight({ timezone: 'America/Toronto' }))).toEqual(['DTEND;TZID=America/Toronto:20261025T010000']);
  });

  test('is in UTC where it was, and a length where its wall time comes twice', () => {
    const extras = { properties: [], components: [], end_zone: { start: 'America/New_York', end: 'UTC' } };
    expect(ends(flight({ ics: extras }))).toEqual(['DTEND:20261025T050000Z']);
    // At 01:30 UTC London has set its clocks back to 01:00.
    const text = write(flight({ duration_minutes: 210 }));
    expect([linesOf(text, 'DTEND'), linesOf(text, 'DURATION')]).toEqual([[], ['DURATION:PT3H30M']]);
  });
});

describe('VTIMEZONE', () => {
  const rules = (zone: string) =>
    linesOf(vtimezone(zone, 2026, 2026), 'RRULE').map((line) => line.slice('RRULE:FREQ=YEARLY;'.length));
  test.each([
    ['Europe/Berlin', ['BYMONTH=10;BYDAY=-1SU', 'BYMONTH=3;BYDAY=-1SU']],
    ['America/New_York', ['BYMONTH=11;BYDAY=1SU', 'BYMONTH=3;BYDAY=2SU']],
    ['Australia/Lord_Howe', ['BYMONTH=10;BYDAY=1SU', 'BYMONTH=4;BYDAY=1SU']],
    ['Asia/Jerusalem', ['BYMONTH=10;BYDAY=-1SU', 'BYMONTH=3;BYDAY=FR;BYMONTHDAY=23,24,25,26,27,28,29']],
    ['Asia/Kolkata', []],
    ['America/Sao_Paulo', []],
    ['UTC', []],
  ])('%s repeats yearly as %j', (zone, expected) => {
    expect(rules(zone)).toEqual(expected);
  });

  test('Berlin to the letter', () => {
    expect(vtimezone('Europe/Berlin', 2026, 2026).split('\r\n')).toEqual([
      'BEGIN:VTIMEZONE',
      'TZID:Europe/Berlin',
      'BEGIN:STANDARD',
      'DTSTART:20251026T030000',
      'TZOFFSETFROM:+0200',
      'TZOFFSETTO:+0100',
      'TZNAME:GMT+1',
      'RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU',
      'END:STANDARD',
      'BEGIN:DAYLIGHT',
      'DTSTART:20260329T020000',
      'TZOFFSETFROM:+0100',
      'TZOFFSETTO:+0200',
      'TZNAME:GMT+2',
      'RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU',
      'END:DAYLIGHT',
      'END:VTIMEZONE',
    ]);
  });

  test.each([
    ...ZONES,
    'UTC',
    'Europe/Dublin',
    'Africa/Casablanca',
    'Africa/Cairo',
    'America/Nuuk',
    'America/Santiago',
    'Asia/Jerusalem',
    'Asia/Kathmandu',
    'Asia/Tehran',
    'Pacific/Apia',
    'Pacific/Chatham',
    'America/St_Johns',
    'America/Havana',
    'Europe/Moscow',
    'Asia/Pyongyang',
  ])('gives %s the offsets the runtime knows, 2000 to 2050', (zone) => {
    const [component] = readComponents(vtimezone(zone, 2000, 2026)).components;
    const onsets = atOnce(onsetsOf(component!, 2000, 2050));
    const step = 5 * 86_400_000 + 3_600_000;
    for (let time = Date.UTC(2000, 0, 2); time < Date.UTC(2050, 0, 1); time += step) {
      const offset = onsets.findLast((onset) => onset.at <= time)?.to;
      expect([new Date(time).toISOString(), offset]).toEqual([new Date(time).toISOString(), wallAt(time, zone) - time]);
    }
  });

  test.each([...ZONES, 'Africa/Casablanca', 'Africa/El_Aaiun', 'Africa/Cairo', 'Pacific/Apia', 'Asia/Pyongyang'])(
    'of %s is right at every event it is written for, whether long ago or far off',
    (timezone) => {
      const years = [1975, 1999, 2011, 2026, 2049, 2070, 2087];
      const events = years.flatMap((year) =>
        ['03-20', '07-01', '12-31'].map((day) =>
          anEvent({ timezone, local_start: `${year}-${day}T12:00:00`, uid: `${year}${day}` }),
        ),
      );
      const [calendar] = readComponents(write(...events)).components;
      const zone = calendar!.components.find(({ name }) => name === 'vtimezone')!;
      const onsets = atOnce(onsetsOf(zone, 1970, 2090));
      for (const { scheduled_for, local_start } of events) {
        const at = Date.parse(scheduled_for);
        const offset = onsets.findLast((onset) => onset.at <= at)?.to;
        expect([local_start, offset]).toEqual([local_start, wallAt(at, timezone) - at]);
      }
    },
  );

  test('one for each zone in use, none for days and UTC', () => {
    const text = write(
      anEvent(),
      anEvent({ uid: 'b' }),
      anEvent({ uid: 'c', timezone: 'Asia/Kolkata' }),
      anEvent({ uid: 'd', timezone: 'UTC' }),
    );
    expect(linesOf(text, 'TZID:')).toEqual(['TZID:Europe/Berlin', 'TZID:Asia/Kolkata']);
    expect(linesOf(write(aDay('2026-01-01')), 'TZID:')).toEqual([]);
  });
});
