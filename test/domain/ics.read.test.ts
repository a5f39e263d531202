/** Times, zones and series as calendar programs write them. */
import { describe, expect, test } from 'vitest';
import { zoneByName } from '../../src/domain/time/tzid-names.ts';
import { at, file, vevent } from '../support/events.ts';
import { readCalendar } from '../support/read-at-once.ts';

const BERLIN = { zone: 'Europe/Berlin' };
const readOne = (text: string | Uint8Array, options = BERLIN) => {
  const { events, report } = readCalendar(text, options);
  expect(report).toEqual([]);
  expect(events).toHaveLength(1);
  return events[0]!.event;
};

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
    ['(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna', 'Europe/Berlin'],
    ['(UTC-05:00) Eastern Time (US and Canada)', 'America/New_York'],
    ['(GMT-08:00) Pacific Time (US and Canada); Tijuana', 'America/Los_Angeles'],
    ['(GMT-05:00) Indiana (East)', 'America/Indiana/Indianapolis'],
    ['(UTC+05:30) Chennai, Kolkata, Mumbai, New Delhi', 'Asia/Kolkata'],
    ['(UTC-03:00) Brasilia', 'America/Sao_Paulo'],
    ['(UTC-03:30) Newfoundland', 'America/St_Johns'],
    // La Paz in Bolivia has another offset.
    ['(GMT-07:00) Chihuahua, La Paz, Mazatlan', 'America/Mazatlan'],
    ['Chihuahua, La Paz, Mazatlan', null],
    ['(GMT) Greenwich Mean Time : Dublin, Edinburgh, Lisbon, London', 'Europe/London'],
    ['(UTC-11:00) Coordinated Universal Time-11', 'Etc/GMT+11'],
    ['(UTC) Coordinated Universal Time', 'UTC'],
    ['(GMT +01:00)', 'Etc/GMT-1'],
    ['(GMT+01.00) Sarajevo/Warsaw/Zagreb', 'Europe/Warsaw'],
    ['Amsterdam, Belgrade, Berlin, Brussels, Budapest, Madrid, Paris, Prague, Stockholm', 'Europe/Berlin'],
    ['Amsterdam\\, Berlin\\, Bern', 'Europe/Berlin'],
    ['Paris, Madrid', 'Europe/Paris'],
    ['Westeuropäische Normalzeit', 'Europe/Berlin'],
    ['中国标准时间', 'Asia/Shanghai'],
    ['Mexico Standard Time 2', 'America/Mazatlan'],
    ['GMT-0500', 'Etc/GMT+5'],
    ['Z', 'UTC'],
    ['US-Eastern', 'US/Eastern'],
    ['US/Pacific-New', 'US/Pacific'],
    [' "America/New_York-2" ', 'America/New_York'],
    ['Asia/Calcutta', 'Asia/Calcutta'],
    ['(UTC+03:17) Nowhere', null],
    ['GMT -0500 (Standard) / GMT -0400 (Daylight)', null],
    ['', null],
    ['constructor', null],
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

  test('UTC with a TZID beside is UTC, and a date has no zone', () => {
    const { events, report } = readCalendar(file(...vevent('DTSTART;TZID=Asia/Tokyo:20260701T100000Z')), BERLIN);
    expect(events[0]?.event).toMatchObject({ scheduled_for: at('2026-07-01T10:00'), timezone: 'UTC' });
    expect(report).toMatchObject([{ level: 'warning', message: 'DTSTART is in UTC (Z), so its TZID was ignored.' }]);
    expect(readOne(file(...vevent('DTSTART;VALUE=DATE;TZID=Asia/Tokyo:20260701')))).toMatchObject({
      scheduled_for: at('2026-06-30T22:00'),
      timezone: 'Europe/Berlin',
    });
  });

  test.each([
    [
      'zoned',
      'DTSTART;TZID=America/New_York:20260701T180000',
      'DTEND;TZID=Europe/London:20260702T060000',
      'Europe/London',
    ],
    ['a start in UTC', 'DTSTART:20260701T220000Z', 'DTEND;TZID=Europe/London:20260702T060000', 'Europe/London'],
    ['an end in UTC', 'DTSTART;TZID=America/New_York:20260701T180000', 'DTEND:20260702T050000Z', 'UTC'],
    [
      'one zone',
      'DTSTART;TZID=America/New_York:20260701T180000',
      'DTEND;TZID=America/New_York:20260702T010000',
      undefined,
    ],
    ['UTC in a calendar of a zone', 'DTSTART:20260701T220000Z', 'DTEND:20260702T050000Z', undefined],
  ])('the zone of an end: %s', (_name, start, end, zone) => {
    const { ics, timezone, duration_minutes } = readOne(file('X-WR-TIMEZONE:America/New_York', ...vevent(start, end)));
    expect(ics?.end_zone).toEqual(zone && { start: timezone, end: zone });
    expect(duration_minutes).toBe(420);
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
    const [series, own] = events.map(({ event }) => event);
    expect(series?.rdates).toEqual([at('2026-04-02T08:00'), at('2026-05-01T08:00')]);
    // A period with a length of its own is a changed occurrence.
    expect(own).toMatchObject({ recurrence_id: at('2026-05-01T08:00'), duration_minutes: 180, rdates: [] });
    expect(report).toEqual([]);
  });

  test.each([
    ['rrule:freq=weekly;byday=mo;', 'FREQ=WEEKLY;BYDAY=MO'],
    ['RRULE:FREQ=WEEKLY;UNTIL=20260401', 'FREQ=WEEKLY;UNTIL=20260401'],
    ['RRULE:FREQ=WEEKLY; BYDAY=MO', 'FREQ=WEEKLY;BYDAY=MO'],
  ])('%s', (line, rrule) => {
    expect(readOne(file(...vevent('DTSTART;TZID=Europe/Berlin:20260302T100000', line))).rrule).toBe(rrule);
  });
});
