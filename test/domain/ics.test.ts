/** iCalendar text: what is written, what is read from files as programs really write them, and that both agree. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EventDoc } from '../../src/domain/calendar.ts';
import { readComponents } from '../../src/domain/ics/components.ts';
import { readCalendar } from '../../src/domain/ics/read.ts';
import { onsetsOf } from '../../src/domain/ics/tzrules.ts';
import { vtimezone } from '../../src/domain/ics/vtimezone.ts';
import { writeCalendar } from '../../src/domain/ics/write.ts';
import { zoneByName } from '../../src/domain/ics/zones.ts';
import { addMinutes, localStart, wallToInstant } from '../../src/domain/time.ts';
import { wallAt } from '../../src/domain/walls.ts';

const NOW = '2026-06-01T12:00:00.000Z';
const BERLIN = { zone: 'Europe/Berlin' };
const ZONES = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata', 'America/Sao_Paulo'];

/** An event at a wall time of its zone. */
const anEvent = (more: Partial<EventDoc> = {}): EventDoc => {
  const { local_start = '2026-11-21T10:00:00', timezone = 'Europe/Berlin' } = more;
  return {
    uid: 'one@example.org',
    title: 'Sprint review',
    description: null,
    location: null,
    url: null,
    scheduled_for: wallToInstant(local_start, timezone),
    duration_minutes: 60,
    timezone,
    local_start,
    all_day: false,
    task_id: null,
    tempo_tag: null,
    tags: [],
    status: 'confirmed',
    busy: true,
    rrule: null,
    rdates: [],
    exdates: [],
    recurrence_id: null,
    reminders: [],
    sequence: 0,
    created_at: '2026-05-01T08:00:00.000Z',
    updated_at: '2026-05-02T08:00:00.000Z',
    ...more,
  };
};
const aDay = (date: string, more: Partial<EventDoc> = {}): EventDoc =>
  anEvent({ local_start: `${date}T00:00:00`, all_day: true, duration_minutes: 1440, ...more });

const write = (...events: EventDoc[]) => writeCalendar(events, { name: 'Almanac', now: NOW });
const linesOf = (text: string, name: string) =>
  text
    .replaceAll('\r\n ', '')
    .split('\r\n')
    .filter((line) => line.startsWith(name));
/** The lines of the events alone. */
const eventLines = (text: string, name: string) => linesOf(text.slice(text.indexOf('BEGIN:VEVENT')), name);

/** A calendar file around some lines. */
const file = (...lines: string[]) =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//test', ...lines, 'END:VCALENDAR'].join('\r\n');
const vevent = (...lines: string[]) => [
  'BEGIN:VEVENT',
  'UID:one@example.org',
  'DTSTAMP:20260101T000000Z',
  ...lines,
  'END:VEVENT',
];
const readOne = (text: string | Uint8Array, options = BERLIN) => {
  const { events, report } = readCalendar(text, options);
  expect(report).toEqual([]);
  expect(events).toHaveLength(1);
  return events[0]!.event;
};
const at = (instant: string) => `${instant}:00.000Z`;

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
      { numRuns: 200 },
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
      'DTEND',
      ['DTEND:20261025T013000Z'],
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
    const onsets = onsetsOf(component!, 2000, 2050);
    const step = 5 * 86_400_000 + 3_600_000;
    for (let time = Date.UTC(2000, 0, 2); time < Date.UTC(2050, 0, 1); time += step) {
      const offset = onsets.findLast((onset) => onset.at <= time)?.to;
      expect([new Date(time).toISOString(), offset]).toEqual([new Date(time).toISOString(), wallAt(time, zone) - time]);
    }
  });

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

describe('zone names', () => {
  test.each([
    ['Europe/Berlin', 'Europe/Berlin'],
    ['europe/berlin', 'Europe/Berlin'],
    ['/mozilla.org/20050126_1/Europe/Berlin', 'Europe/Berlin'],
    ['/freeassociation.sourceforge.net/Tzfile/America/Argentina/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
    ['W. Europe Standard Time', 'Europe/Berlin'],
    ['W. Europe Standard Time 1', 'Europe/Berlin'],
    ['Pacific Standard Time (Mexico)', 'America/Tijuana'],
    ['GMT Standard Time', 'Europe/London'],
    ['(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna', 'Europe/Amsterdam'],
    ['(GMT-05:00) Eastern Time (US & Canada)', 'America/New_York'],
    ['tzone://Microsoft/Utc', 'UTC'],
    ['Customized Time Zone', null],
    ['__proto__', null],
  ])('%s is %s', (tzid, zone) => {
    expect(zoneByName(tzid)).toBe(zone);
  });
});

describe('times as read', () => {
  const customized = (...rules: [name: string, from: string, to: string, rrule: string][]) => [
    'BEGIN:VTIMEZONE',
    'TZID:Customized Time Zone',
    ...rules.flatMap(([name, from, to, rrule]) => [
      `BEGIN:${name}`,
      'DTSTART:16010101T020000',
      `TZOFFSETFROM:${from}`,
      `TZOFFSETTO:${to}`,
      `RRULE:${rrule}`,
      `END:${name}`,
    ]),
    'END:VTIMEZONE',
  ];
  const newYork = customized(
    ['STANDARD', '-0400', '-0500', 'FREQ=YEARLY;BYDAY=1SU;BYMONTH=11'],
    ['DAYLIGHT', '-0500', '-0400', 'FREQ=YEARLY;BYDAY=2SU;BYMONTH=3'],
  );
  const nowhere = customized(
    ['STANDARD', '+0220', '+0120', 'FREQ=YEARLY;BYDAY=1SU;BYMONTH=11'],
    ['DAYLIGHT', '+0120', '+0220', 'FREQ=YEARLY;BYDAY=1SU;BYMONTH=5'],
  );

  test.each<[string, string[], string, string, string]>([
    [
      'a TZID without VTIMEZONE',
      ['DTSTART;TZID=America/New_York:20260701T100000'],
      '2026-07-01T14:00',
      'America/New_York',
      '2026-07-01T10:00:00',
    ],
    [
      'a quoted TZID',
      ['DTSTART;TZID="America/New_York":20260701T100000'],
      '2026-07-01T14:00',
      'America/New_York',
      '2026-07-01T10:00:00',
    ],
    ['UTC', ['DTSTART:20260701T100000Z'], '2026-07-01T10:00', 'UTC', '2026-07-01T10:00:00'],
    [
      'UTC with a TZID beside',
      ['DTSTART;TZID=Europe/Berlin:20260701T100000Z'],
      '2026-07-01T10:00',
      'UTC',
      '2026-07-01T10:00:00',
    ],
    ['floating', ['DTSTART:20260701T100000'], '2026-07-01T08:00', 'Europe/Berlin', '2026-07-01T10:00:00'],
    [
      'a Windows zone',
      ['DTSTART;TZID=Tokyo Standard Time:20260701T100000'],
      '2026-07-01T01:00',
      'Asia/Tokyo',
      '2026-07-01T10:00:00',
    ],
    ['no seconds', ['DTSTART:20260701T1000'], '2026-07-01T08:00', 'Europe/Berlin', '2026-07-01T10:00:00'],
    [
      'a gap',
      ['DTSTART;TZID=Europe/Berlin:20260329T023000'],
      '2026-03-29T01:30',
      'Europe/Berlin',
      '2026-03-29T02:30:00',
    ],
    [
      'a fold',
      ['DTSTART;TZID=Europe/Berlin:20261025T023000'],
      '2026-10-25T00:30',
      'Europe/Berlin',
      '2026-10-25T02:30:00',
    ],
  ])('%s', (_name, lines, instant, timezone, local_start) => {
    expect(readOne(file(...vevent(...lines)))).toMatchObject({
      scheduled_for: at(instant),
      timezone,
      local_start,
      all_day: false,
    });
  });

  test('a zone known by its rules alone', () => {
    const text = file(
      ...newYork,
      ...vevent('DTSTART;TZID=Customized Time Zone:20260320T100000', 'RRULE:FREQ=WEEKLY;COUNT=5'),
    );
    expect(readOne(text)).toMatchObject({ timezone: 'America/New_York', scheduled_for: at('2026-03-20T14:00') });
  });

  test('the reader’s own zone comes first among those with the same rules', () => {
    const text = file(...newYork, ...vevent('DTSTART;TZID=Customized Time Zone:20260320T100000'));
    expect(readOne(text, { zone: 'America/Toronto' }).timezone).toBe('America/Toronto');
  });

  test('a zone nobody has: its instants hold, and it is told', () => {
    const { events, report } = readCalendar(
      file(...nowhere, ...vevent('DTSTART;TZID=Customized Time Zone:20260701T100000')),
      BERLIN,
    );
    expect(events[0]?.event).toMatchObject({ timezone: 'Europe/Berlin', scheduled_for: at('2026-07-01T07:40') });
    expect(report).toMatchObject([{ line: 22, level: 'warning', uid: 'one@example.org' }]);
  });

  test('a zone without rules or known name is read in the given one, and told', () => {
    const { events, report } = readCalendar(file(...vevent('DTSTART;TZID=Atlantis:20260701T100000')), BERLIN);
    expect(events[0]?.event.scheduled_for).toBe(at('2026-07-01T08:00'));
    expect(report[0]?.message).toContain('Atlantis');
  });

  test('Google: single events in UTC are in the calendar’s zone', () => {
    const text = file('X-WR-TIMEZONE:America/New_York', ...vevent('DTSTART:20260701T140000Z'));
    expect(readOne(text)).toMatchObject({
      timezone: 'America/New_York',
      local_start: '2026-07-01T10:00:00',
      scheduled_for: at('2026-07-01T14:00'),
    });
  });

  test.each([
    ['DTEND', ['DTSTART;VALUE=DATE:20261024', 'DTEND;VALUE=DATE:20261026'], 2880],
    ['neither', ['DTSTART;VALUE=DATE:20261024'], 1440],
    ['DTEND on the same day', ['DTSTART;VALUE=DATE:20261024', 'DTEND;VALUE=DATE:20261024'], 1440],
    ['DURATION', ['DTSTART;VALUE=DATE:20261024', 'DURATION:P2D'], 2880],
    ['no VALUE=DATE', ['DTSTART:20261024', 'DTEND:20261025'], 1440],
    [
      'Exchange',
      [
        'DTSTART;TZID=W. Europe Standard Time:20261024T000000',
        'DTEND;TZID=W. Europe Standard Time:20261026T000000',
        'X-MICROSOFT-CDO-ALLDAYEVENT:TRUE',
      ],
      2880,
    ],
  ])('days with %s', (_name, lines, minutes) => {
    expect(readOne(file(...vevent(...lines)))).toMatchObject({
      all_day: true,
      local_start: '2026-10-24T00:00:00',
      scheduled_for: at('2026-10-23T22:00'),
      duration_minutes: minutes,
    });
  });

  test.each([
    ['DTEND in another zone', ['DTEND;TZID=America/New_York:20260701T070000'], 180],
    ['DTEND without zone', ['DTEND:20260701T113000'], 90],
    ['DURATION', ['DURATION:PT1H30M'], 90],
    ['nothing', [], 0],
    ['seconds are rounded up', ['DTEND;TZID=Europe/Berlin:20260701T105959'], 60],
  ])('length by %s', (_name, lines, minutes) => {
    expect(readOne(file(...vevent('DTSTART;TZID=Europe/Berlin:20260701T100000', ...lines))).duration_minutes).toBe(
      minutes,
    );
  });

  test('a day of DURATION is a day on the wall, 24 hours are exact', () => {
    const minutes = (duration: string) =>
      readOne(file(...vevent('DTSTART;TZID=Europe/Berlin:20261024T120000', `DURATION:${duration}`))).duration_minutes;
    expect([minutes('P1D'), minutes('PT24H')]).toEqual([1500, 1440]);
  });
});

describe('series as read', () => {
  const weekly = vevent('DTSTART;TZID=Europe/Berlin:20260302T100000', 'RRULE:FREQ=WEEKLY');
  const child = (...lines: string[]) => vevent('DTSTART;TZID=Europe/Berlin:20260310T180000', ...lines);
  const overrideOf = (master: string[], line: string) => {
    const { events, report } = readCalendar(file(...child(line), ...master), BERLIN);
    expect(report).toEqual([]);
    return events.find(({ event }) => event.recurrence_id)?.event.recurrence_id;
  };

  test.each([
    ['in its zone', 'RECURRENCE-ID;TZID=Europe/Berlin:20260309T100000'],
    ['in UTC', 'RECURRENCE-ID:20260309T090000Z'],
    ['in another zone', 'RECURRENCE-ID;TZID=America/New_York:20260309T050000'],
    ['without a zone', 'RECURRENCE-ID:20260309T100000'],
    ['as a date', 'RECURRENCE-ID;VALUE=DATE:20260309'],
  ])('an override is told %s', (_name, line) => {
    expect(overrideOf(weekly, line)).toBe(at('2026-03-09T09:00'));
  });

  test.each([
    'RECURRENCE-ID;VALUE=DATE:20260331',
    'RECURRENCE-ID:20260331T000000Z',
    'RECURRENCE-ID;TZID=Europe/Berlin:20260331T000000',
  ])('an override of a day is told by %s', (line) => {
    expect(overrideOf(vevent('DTSTART;VALUE=DATE:20260303', 'RRULE:FREQ=WEEKLY'), line)).toBe(at('2026-03-30T22:00'));
  });

  test.each([
    [
      'several in a line',
      ['EXDATE;TZID=Europe/Berlin:20260309T100000,20260330T100000'],
      ['2026-03-09T09:00', '2026-03-30T08:00'],
    ],
    ['several lines', ['EXDATE:20260330T080000Z', 'EXDATE:20260309T090000Z'], ['2026-03-09T09:00', '2026-03-30T08:00']],
    ['dates', ['EXDATE;VALUE=DATE:20260309,20260330'], ['2026-03-09T09:00', '2026-03-30T08:00']],
    ['without a zone', ['EXDATE:20260309T100000'], ['2026-03-09T09:00']],
  ])('EXDATE: %s', (_name, lines, instants) => {
    expect(readOne(file(...weekly.slice(0, -1), ...lines, 'END:VEVENT')).exdates).toEqual(instants.map(at));
  });

  test('RDATE, periods among them', () => {
    const { events, report } = readCalendar(
      file(
        ...vevent(
          'DTSTART;TZID=Europe/Berlin:20260302T100000',
          'RDATE;TZID=Europe/Berlin:20260402T100000',
          'RDATE;VALUE=PERIOD:20260501T080000Z/PT3H',
        ),
      ),
      BERLIN,
    );
    expect(events[0]?.event.rdates).toEqual([at('2026-04-02T08:00'), at('2026-05-01T08:00')]);
    expect(report).toMatchObject([{ line: 9, level: 'warning' }]);
  });

  test.each([
    ['rrule:freq=weekly;byday=mo;', 'FREQ=WEEKLY;BYDAY=MO'],
    ['RRULE:FREQ=WEEKLY;UNTIL=20260401', 'FREQ=WEEKLY;UNTIL=20260401'],
    ['RRULE:FREQ=WEEKLY; BYDAY=MO', 'FREQ=WEEKLY;BYDAY=MO'],
  ])('%s', (line, rrule) => {
    expect(readOne(file(...vevent('DTSTART;TZID=Europe/Berlin:20260302T100000', line))).rrule).toBe(rrule);
  });
});

describe('files as they come', () => {
  const simple = vevent('DTSTART:20260701T100000Z', 'SUMMARY:Größe');
  const text = file(...simple);

  test.each<[string, string | Uint8Array]>([
    ['a byte order mark', `\uFEFF${text}`],
    ['a byte order mark in bytes', new TextEncoder().encode(`\uFEFF${text}`)],
    ['bare LF', text.replaceAll('\r\n', '\n')],
    ['bare CR', text.replaceAll('\r\n', '\r')],
    ['blank lines', text.replaceAll('\r\n', '\r\n\r\n')],
    ['no line break at the end, no END:VCALENDAR', text.slice(0, text.lastIndexOf('\r\n'))],
    ['folds with tabs', text.replace('SUMMARY:Grö', 'SUMM\r\n\tARY:Gr\n\tö')],
    ['Latin-1', Uint8Array.from(text, (char) => char.charCodeAt(0))],
    [
      'lower case',
      text.replace('BEGIN:VEVENT', 'begin:vevent').replace('SUMMARY', 'summary').replace('END:VEVENT', 'End:VEvent'),
    ],
  ])('%s', (_name, input) => {
    expect(readOne(input).title).toBe('Größe');
  });

  test('a fold within a character', () => {
    const bytes = new TextEncoder().encode(text);
    const within = bytes.indexOf(0xc3) + 1;
    const folded = [...bytes.slice(0, within), 13, 10, 32, ...bytes.slice(within)];
    expect(readOne(Uint8Array.from(folded)).title).toBe('Größe');
  });

  test.each([
    [
      'a line break in a text',
      ['DESCRIPTION:First line', 'second line', 'https://example.org'],
      'First line\nsecond line\nhttps://example.org',
    ],
    ['a fold without its space', [`DESCRIPTION:${'x'.repeat(70)}`, 'rest of it'], `${'x'.repeat(70)}rest of it`],
  ])('%s is joined and told', (_name, lines, description) => {
    const { events, report } = readCalendar(file(...vevent('DTSTART:20260701T100000Z', ...lines)), BERLIN);
    expect(events[0]?.event.description).toBe(description);
    expect(report).toMatchObject([{ line: 8, component: 'VEVENT', uid: 'one@example.org', level: 'warning' }]);
  });

  test('bad components are told by line, good ones go in', () => {
    const bad = (uid: string, ...lines: string[]) => ['BEGIN:VEVENT', `UID:${uid}`, ...lines, 'END:VEVENT'];
    const { events, report } = readCalendar(
      file(
        ...bad('no-start', 'SUMMARY:x'), // 4
        ...bad('bad-start', 'DTSTART:20261345T100000Z'), // 8
        ...bad('backwards', 'DTSTART:20260701T100000Z', 'DTEND:20260701T090000Z'), // 12
        ...bad('bomb', 'DTSTART:20260701T100000Z', 'RRULE:FREQ=SECONDLY'), // 17
        ...bad('never', 'DTSTART:20260701T100000Z', 'RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30'), // 22
        ...bad('bad-line', 'DTSTART:20260701T100000Z', 'X-A;B="c:d'), // 27
        'BEGIN:VTODO', // 32
        'UID:todo',
        'END:VTODO',
        ...simple, // 35
        'BEGIN:VEVENT', // 41
        'UID:cut',
        'DTSTART:20260701T100000Z',
      ),
      BERLIN,
    );
    expect(report.map(({ line, uid, level }) => [line, uid, level])).toEqual([
      [4, 'no-start', 'error'],
      [10, 'bad-start', 'error'],
      [15, 'backwards', 'error'],
      [20, 'bomb', 'error'],
      [25, 'never', 'error'],
      [30, 'bad-line', 'warning'],
      [32, undefined, 'warning'],
      [41, undefined, 'error'],
    ]);
    expect(events.map(({ line, event }) => [line, event.uid])).toEqual([
      [27, 'bad-line'],
      [35, 'one@example.org'],
    ]);
  });

  test.each([
    ['RRULE:FREQ=OFTEN', 'FREQ=OFTEN cannot be read.'],
    ['RECURRENCE-ID;TZID="Europe/Berlin:20260701T100000', 'is not a time.'],
    ['DTEND;X="Y:20260701T100000Z', 'is not a time.'],
    ['DURATION:soon', 'soon is not a duration.'],
  ])('an event whose %s cannot be read is not half read', (line, reason) => {
    const { events, report } = readCalendar(file(...vevent('DTSTART:20260701T100000Z', line)), BERLIN);
    expect(events).toEqual([]);
    expect(report).toMatchObject([{ line: 8, level: 'error', message: expect.stringContaining(reason) }]);
  });

  test('text that is no calendar', () => {
    for (const input of ['', 'hello', '<html>', '{"a":1}', 'BEGIN:VEVENT\nEND:VEVENT']) {
      expect(readCalendar(input, BERLIN)).toMatchObject({ events: [], report: [{ level: 'error' }] });
    }
  });

  test('the same event twice: the higher SEQUENCE counts', () => {
    const version = (title: string, sequence: number) =>
      vevent('DTSTART:20260701T100000Z', `SUMMARY:${title}`, `SEQUENCE:${sequence}`);
    const { events, report } = readCalendar(file(...version('new', 2), ...version('old', 1)), BERLIN);
    expect(events.map(({ event }) => event.title)).toEqual(['new']);
    expect(report).toMatchObject([{ line: 11, level: 'warning' }]);
  });

  test('an event without UID gets the same one each time', () => {
    const uids = [1, 2].map(
      () =>
        readCalendar(file('BEGIN:VEVENT', 'DTSTART:20260701T100000Z', 'SUMMARY:x', 'END:VEVENT'), BERLIN).events[0]
          ?.event.uid,
    );
    expect(uids[0]).toMatch(/@without-uid$/);
    expect(uids[0]).toBe(uids[1]);
  });

  test('METHOD:CANCEL cancels', () => {
    expect(readOne(file('METHOD:CANCEL', ...simple)).status).toBe('cancelled');
  });

  test('bombs end soon', () => {
    const components = file(...Array.from({ length: 25_000 }, () => 'BEGIN:VALARM\r\nEND:VALARM'));
    expect(readCalendar(components, BERLIN).report.at(-1)?.message).toContain('20000');
    const nested = 'BEGIN:X\r\n'.repeat(30_000);
    expect(readCalendar(nested, BERLIN).events).toEqual([]);
    const never = Array.from({ length: 500 }, (_, n) =>
      vevent(`UID:${n}`, 'DTSTART:20260701T100000Z', 'RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30'),
    );
    expect(readCalendar(file(...never.flat()), BERLIN).report).toHaveLength(500);
    const parameters = file(...vevent('DTSTART:20260701T100000Z', `X-A${';B=c'.repeat(500_000)}:x`));
    expect(readCalendar(parameters, BERLIN).report).toHaveLength(1);
  });

  test('no input makes it throw', () => {
    const whole = write(
      anEvent({ rrule: 'FREQ=WEEKLY', exdates: [at('2026-11-28T09:00')], reminders: [5], tags: ['a'] }),
      aDay('2026-01-01'),
    );
    const cut = fc.record({ from: fc.nat(whole.length), length: fc.nat(40), insert: fc.string({ maxLength: 12 }) });
    fc.assert(
      fc.property(fc.array(cut, { maxLength: 8 }), (cuts) => {
        const input = cuts.reduce(
          (text, { from, length, insert }) => text.slice(0, from) + insert + text.slice(from + length),
          whole,
        );
        const { events, report } = readCalendar(input, BERLIN);
        expect(events.every(({ event }) => event.uid !== '' && !Number.isNaN(Date.parse(event.scheduled_for)))).toBe(
          true,
        );
        expect(report.every(({ line, message }) => line > 0 && message !== '')).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

describe('what is kept', () => {
  const extras = [
    'ORGANIZER;CN="Müller, Hans":mailto:hans@example.org',
    'ATTENDEE;CUTYPE=INDIVIDUAL;PARTSTAT=ACCEPTED;CN=Ann;X-NUM-GUESTS=0:mailto:ann@example.org',
    'CLASS:PRIVATE',
    'GEO:48.137154;11.576124',
    'X-APPLE-STRUCTURED-LOCATION;X-TITLE="Hall: A";VALUE=URI:geo:48.1,11.5',
    'X-ALT-DESC;FMTTYPE=text/html:<b>a\\, b</b>\\nc',
  ];
  const alarm = [
    'BEGIN:VALARM',
    'ACTION:EMAIL',
    'TRIGGER:-PT30M',
    'ATTENDEE:mailto:a@example.org',
    'SUMMARY:s',
    'DESCRIPTION:d',
    'END:VALARM',
  ];
  const absolute = [
    'BEGIN:VALARM',
    'ACTION:AUDIO',
    'TRIGGER;VALUE=DATE-TIME:20260701T080000Z',
    'X-WR-ALARMUID:A1',
    'END:VALARM',
  ];
  const text = file(...vevent('DTSTART:20260701T100000Z', 'SUMMARY:Kept', ...extras, ...alarm, ...absolute));
  const kept = () => ({ ...anEvent(), ...readOne(text), created_at: NOW, updated_at: NOW });

  test('comes back out unchanged', () => {
    const out = write(kept()).replaceAll('\r\n ', '');
    for (const block of [...extras, alarm.join('\r\n'), absolute.join('\r\n')])
      expect(out).toContain(`\r\n${block}\r\n`);
  });

  test('an alarm is a reminder too, and goes with it', () => {
    expect(kept().reminders).toEqual([30]);
    expect(write({ ...kept(), reminders: [10] })).not.toContain('ACTION:EMAIL');
    expect(linesOf(write({ ...kept(), reminders: [30, 10] }), 'TRIGGER')).toEqual([
      'TRIGGER:-PT30M',
      'TRIGGER;VALUE=DATE-TIME:20260701T080000Z',
      'TRIGGER:-PT10M',
    ]);
  });

  test.each([
    ['TRIGGER:-P1D', [1440]],
    ['TRIGGER:-P1W', [10_080]],
    ['TRIGGER;RELATED=START:-PT1H30M', [90]],
    ['TRIGGER:PT0S', [0]],
    ['TRIGGER:PT5M', []],
    ['TRIGGER;RELATED=END:-PT5M', []],
    ['TRIGGER:-PT90S', []],
  ])('%s is %j', (trigger, reminders) => {
    const lines = vevent(
      'DTSTART:20260701T100000Z',
      'BEGIN:VALARM',
      'ACTION:DISPLAY',
      trigger,
      'DESCRIPTION:x',
      'END:VALARM',
    );
    expect(readOne(file(...lines)).reminders).toEqual(reminders);
  });
});

describe('read(write(x)) is x', () => {
  const word = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 60 })
    .map((text) => `a${text.replace(/[\p{Cc}]/gu, '')}`);
  const optional = fc.option(word, { nil: null });
  const event = fc
    .record({
      zone: fc.constantFrom(...ZONES, 'UTC'),
      day: fc.integer({ min: -400, max: 900 }),
      time: fc.constantFrom('00:00:00', '01:30:00', '01:45:00', '02:15:00', '02:30:00', '09:00:00', '23:59:30'),
      all_day: fc.boolean(),
      minutes: fc.integer({ min: 0, max: 3_000 }),
      secondPass: fc.boolean(),
      rrule: fc.constantFrom(
        null,
        'FREQ=DAILY',
        'FREQ=WEEKLY;BYDAY=MO,FR;COUNT=12',
        'FREQ=MONTHLY;BYDAY=-1SU;INTERVAL=2',
      ),
      dates: fc.uniqueArray(fc.integer({ min: 1, max: 300 }), { maxLength: 4 }),
      text: fc.record({
        title: word,
        description: optional,
        location: optional,
        task_id: optional,
        tempo_tag: optional,
      }),
      tags: fc.uniqueArray(
        word.map((tag) => tag.trim()),
        { maxLength: 4 },
      ),
      status: fc.constantFrom('confirmed', 'tentative', 'cancelled'),
      busy: fc.boolean(),
      reminders: fc.uniqueArray(fc.integer({ min: 0, max: 5_000 }), { maxLength: 3 }),
      sequence: fc.nat(1_000),
    })
    .map(({ zone, day, time, all_day, minutes, secondPass, rrule, dates, text, ...rest }): EventDoc => {
      const date = Temporal.PlainDate.from('2026-01-01').add({ days: day });
      const timezone = all_day ? BERLIN.zone : zone;
      const local_start = `${date}T${all_day ? '00:00:00' : time}`;
      const first = wallToInstant(local_start, timezone);
      const second = addMinutes(first, 60);
      const isSecond = secondPass && !rrule && localStart(second, timezone) === local_start;
      const others = dates.map((days) => wallToInstant(`${date.add({ days })}${local_start.slice(10)}`, timezone));
      return anEvent({
        ...rest,
        ...text,
        all_day,
        timezone,
        local_start,
        scheduled_for: isSecond ? second : first,
        duration_minutes: all_day ? (1 + (minutes % 5)) * 1440 : minutes,
        rrule,
        exdates: rrule ? [...new Set(others)].sort() : [],
        url: text.location === null ? null : 'https://example.org/?q=a,b;c',
      });
    });

  test('for any event', () => {
    fc.assert(
      fc.property(event, (written) => {
        expect(readOne(write(written))).toEqual(written);
      }),
      { numRuns: 400 },
    );
  });

  test('for a series with overrides', () => {
    fc.assert(
      fc.property(event, event, fc.integer({ min: 1, max: 100 }), (series, other, days) => {
        const master: EventDoc = {
          ...series,
          rrule: 'FREQ=DAILY',
          scheduled_for: wallToInstant(series.local_start, series.timezone),
        };
        const date = Temporal.PlainDate.from(master.local_start.slice(0, 10)).add({ days });
        const recurrence_id = wallToInstant(`${date}${master.local_start.slice(10)}`, master.timezone);
        const override: EventDoc = { ...other, rrule: null, exdates: [], recurrence_id };
        const { events, report } = readCalendar(write(master, override), BERLIN);
        expect(report).toEqual([]);
        expect(events.map((read) => read.event)).toEqual([master, override]);
      }),
      { numRuns: 200 },
    );
  });

  test('and write(read(x)) of what was written is the same text', () => {
    fc.assert(
      fc.property(event, (written) => {
        const text = write(written);
        expect(
          write({ ...written, ...readOne(text), created_at: written.created_at, updated_at: written.updated_at }),
        ).toBe(text);
      }),
      { numRuns: 100 },
    );
  });
});
