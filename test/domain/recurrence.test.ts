/** Recurrence: DST tables against known instants, rules, windows and exceptions. */
import { describe, expect, test } from 'vitest';
import type { Schedule } from '../../src/domain/calendar/schedule.ts';
import { expand, seriesEnd, splitSeries } from '../../src/domain/calendar/series-expansion.ts';
import { allDay, series } from '../support/events.ts';

const LIMIT = { limit: 10_000 };
const year = (first: number, count = 1) => ({
  start: `${first}-01-01T00:00:00.000Z`,
  end: `${first + count}-01-01T00:00:00.000Z`,
});
const window = (start: string, end: string) => ({ start: `${start}:00.000Z`, end: `${end}:00.000Z` });
const starts = (master: Schedule, within = year(2026), overrides: Schedule[] = []) =>
  expand(master, overrides, within, LIMIT).map((found) => found.scheduled_for.slice(0, 16));

describe('wall time stays, instants follow the zone', () => {
  // each row: the local days around a change of the clocks, and the instants by the zone's published offsets
  test.each([
    [
      'Berlin, into summer',
      'Europe/Berlin',
      '2026-03-28T09:00:00',
      ['2026-03-28T08:00', '2026-03-29T07:00', '2026-03-30T07:00'],
    ],
    [
      'Berlin, gap',
      'Europe/Berlin',
      '2026-03-28T02:30:00',
      ['2026-03-28T01:30', '2026-03-29T01:30', '2026-03-30T00:30'],
    ],
    [
      'Berlin, out of summer',
      'Europe/Berlin',
      '2026-10-24T09:00:00',
      ['2026-10-24T07:00', '2026-10-25T08:00', '2026-10-26T08:00'],
    ],
    [
      'Berlin, fold',
      'Europe/Berlin',
      '2026-10-24T02:30:00',
      ['2026-10-24T00:30', '2026-10-25T00:30', '2026-10-26T01:30'],
    ],
    [
      'New York, gap',
      'America/New_York',
      '2026-03-07T02:30:00',
      ['2026-03-07T07:30', '2026-03-08T07:30', '2026-03-09T06:30'],
    ],
    [
      'New York, fold',
      'America/New_York',
      '2026-10-31T01:30:00',
      ['2026-10-31T05:30', '2026-11-01T05:30', '2026-11-02T06:30'],
    ],
    // half an hour forward: 02:15 does not exist and becomes 02:45
    [
      'Lord Howe, gap',
      'Australia/Lord_Howe',
      '2026-10-03T02:15:00',
      ['2026-10-02T15:45', '2026-10-03T15:45', '2026-10-04T15:15'],
    ],
    [
      'Lord Howe, fold',
      'Australia/Lord_Howe',
      '2026-04-04T01:45:00',
      ['2026-04-03T14:45', '2026-04-04T14:45', '2026-04-05T15:15'],
    ],
    [
      'Kolkata, none',
      'Asia/Kolkata',
      '2026-03-28T09:00:00',
      ['2026-03-28T03:30', '2026-03-29T03:30', '2026-03-30T03:30'],
    ],
    [
      'São Paulo, gap at midnight',
      'America/Sao_Paulo',
      '2018-11-03T00:00:00',
      ['2018-11-03T03:00', '2018-11-04T03:00', '2018-11-05T02:00'],
    ],
    [
      'São Paulo, summer time no more',
      'America/Sao_Paulo',
      '2026-11-03T00:30:00',
      ['2026-11-03T03:30', '2026-11-04T03:30', '2026-11-05T03:30'],
    ],
  ])('%s', (_name, zone, wall, instants) => {
    const within = year(Number(wall.slice(0, 4)));
    expect(starts(series('FREQ=DAILY;COUNT=3', wall, zone), within)).toEqual(instants);
    expect(starts(series('FREQ=DAILY', wall, zone), within).slice(0, 3)).toEqual(instants);
  });

  test('a series begun in a gap goes on at the wall time meant', () => {
    const master = series('FREQ=DAILY;COUNT=2', '2026-03-29T02:30:00', 'Europe/Berlin');
    expect(master.scheduled_for).toBe('2026-03-29T01:30:00.000Z');
    expect(starts(master)).toEqual(['2026-03-29T01:30', '2026-03-30T00:30']);
  });

  test('a series begun in the second pass of a fold begins there', () => {
    const master = series('FREQ=DAILY;COUNT=2', '2026-10-25T02:30:00', 'Europe/Berlin', {
      scheduled_for: '2026-10-25T01:30:00.000Z',
    });
    expect(starts(master)).toEqual(['2026-10-25T01:30', '2026-10-26T01:30']);
  });

  test('nothing occurs in the first pass of a fold before a start in the second', () => {
    const master = series('FREQ=MINUTELY;INTERVAL=20;COUNT=3', '2026-10-25T02:30:00', 'Europe/Berlin', {
      scheduled_for: '2026-10-25T01:30:00.000Z',
    });
    expect(starts(master)).toEqual(['2026-10-25T01:30', '2026-10-25T02:10']);
  });

  test('every hour through a gap: the hour that is missing is not told twice', () => {
    const master = series('FREQ=HOURLY;COUNT=4', '2026-03-29T01:00:00', 'Europe/Berlin');
    expect(starts(master)).toEqual(['2026-03-29T00:00', '2026-03-29T01:00', '2026-03-29T02:00']);
  });

  describe('through a gap, each instant once and in order', () => {
    const halfHours = series('FREQ=MINUTELY;INTERVAL=30', '2019-03-30T23:30:00', 'Asia/Beirut', {
      duration_minutes: 15,
    });
    const quarters = series('FREQ=DAILY;BYHOUR=0,1;BYMINUTE=15,45;COUNT=12', '2019-03-30T00:15:00', 'Asia/Beirut');

    test('where moved times meet those behind the gap', () => {
      const found = starts(halfHours, window('2019-03-30T21:00', '2019-03-31T00:00'));
      expect(found).toEqual([
        '2019-03-30T21:30',
        '2019-03-30T22:00',
        '2019-03-30T22:30',
        '2019-03-30T23:00',
        '2019-03-30T23:30',
      ]);
    });

    test('where the window ends between them', () => {
      expect(starts(halfHours, window('2019-03-30T22:00', '2019-03-30T22:30'))).toEqual(['2019-03-30T22:00']);
      expect(starts(halfHours, window('2019-03-30T22:30', '2019-03-30T23:00'))).toEqual(['2019-03-30T22:30']);
    });

    test('where they fall between those behind the gap, also for where a series ends and is cut', () => {
      const rule = series(
        'FREQ=DAILY;BYHOUR=0,1;BYMINUTE=20,50;BYSETPOS=2,3;COUNT=4',
        '2019-03-30T00:50:00',
        'Asia/Beirut',
      );
      // 0:50 becomes 1:50, which comes after 1:20
      expect(starts(rule, year(2019))).toEqual([
        '2019-03-29T22:50',
        '2019-03-29T23:20',
        '2019-03-30T22:20',
        '2019-03-30T22:50',
      ]);
      expect(seriesEnd(rule)).toBe('2019-03-30T23:50:00.000Z');
      const { before, after } = splitSeries(rule, '2019-03-30T22:30:00.000Z');
      expect(before?.rrule).toContain('UNTIL=20190330T222000Z');
      expect(after?.start).toBe('2019-03-30T22:50:00.000Z');
    });

    test('as many as there are instants', () => {
      const found = starts(quarters, year(2019));
      expect(found).toEqual([...new Set(found)].toSorted());
      expect(found).toHaveLength(10);
    });
  });

  test('the end keeps exact minutes across the change', () => {
    const master = series('FREQ=WEEKLY;COUNT=1', '2026-03-29T01:30:00', 'Europe/Berlin', { duration_minutes: 90 });
    expect(expand(master, [], year(2026), LIMIT)[0]?.end).toBe('2026-03-29T02:00:00.000Z');
  });
});

describe('all-day events are dates', () => {
  test('days of 23 and 25 hours', () => {
    const found = expand(
      allDay('FREQ=YEARLY;BYMONTH=3,10;BYDAY=-1SU;COUNT=2', '2026-03-29', 'Europe/Berlin'),
      [],
      year(2026),
      LIMIT,
    );
    expect(found.map(({ scheduled_for, end }) => [scheduled_for.slice(0, 16), end.slice(0, 16)])).toEqual([
      ['2026-03-28T23:00', '2026-03-29T22:00'],
      ['2026-10-24T22:00', '2026-10-25T23:00'],
    ]);
  });

  test('a day whose midnight does not exist begins with its first instant', () => {
    const found = expand(allDay('FREQ=DAILY;COUNT=3', '2018-11-03', 'America/Sao_Paulo'), [], year(2018), LIMIT);
    expect(found.map(({ scheduled_for, end }) => [scheduled_for.slice(0, 16), end.slice(0, 16)])).toEqual([
      ['2018-11-03T03:00', '2018-11-04T03:00'],
      ['2018-11-04T03:00', '2018-11-05T02:00'],
      ['2018-11-05T02:00', '2018-11-06T02:00'],
    ]);
  });

  test('several days overlap a window they began before', () => {
    const master = allDay('FREQ=MONTHLY', '2026-01-30', 'Europe/Berlin', { duration_minutes: 3 * 1440 });
    expect(starts(master, window('2026-02-01T12:00', '2026-02-02T12:00'))).toEqual(['2026-01-29T23:00']);
  });

  test('UNTIL is a day, whatever time stands behind it', () => {
    for (const until of ['20260103', '20260103T000000Z', '20260103T235959Z']) {
      expect(starts(allDay(`FREQ=DAILY;UNTIL=${until}`, '2026-01-01', 'America/New_York'))).toHaveLength(3);
    }
  });
});

describe('rules', () => {
  test.each([
    [
      'last Friday',
      'FREQ=MONTHLY;BYDAY=-1FR;COUNT=3',
      '2026-01-30T10:00:00',
      ['2026-01-30T09:00', '2026-02-27T09:00', '2026-03-27T09:00'],
    ],
    [
      'the 31st leaves out short months',
      'FREQ=MONTHLY;COUNT=3',
      '2026-01-31T10:00:00',
      ['2026-01-31T09:00', '2026-03-31T08:00', '2026-05-31T08:00'],
    ],
    [
      'last working day',
      'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;COUNT=2',
      '2026-01-30T10:00:00',
      ['2026-01-30T09:00', '2026-02-27T09:00'],
    ],
    [
      'week start matters',
      'FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU',
      '2026-08-04T10:00:00',
      ['2026-08-04T08:00', '2026-08-16T08:00', '2026-08-18T08:00', '2026-08-30T08:00'],
    ],
    [
      'a start the rule leaves out is extra',
      'FREQ=WEEKLY;BYDAY=MO;COUNT=2',
      '2026-01-01T10:00:00',
      ['2026-01-01T09:00', '2026-01-05T09:00', '2026-01-12T09:00'],
    ],
    [
      'UNTIL as an instant is inclusive',
      'FREQ=DAILY;UNTIL=20260102T090000Z',
      '2026-01-01T10:00:00',
      ['2026-01-01T09:00', '2026-01-02T09:00'],
    ],
    [
      'UNTIL as a date lets in that local day',
      'FREQ=DAILY;UNTIL=20260102',
      '2026-01-01T23:30:00',
      ['2026-01-01T22:30', '2026-01-02T22:30'],
    ],
    [
      'UNTIL without Z is wall time',
      'FREQ=DAILY;UNTIL=20260102T100000',
      '2026-01-01T10:00:00',
      ['2026-01-01T09:00', '2026-01-02T09:00'],
    ],
  ])('%s', (_name, rrule, wall, instants) => {
    expect(starts(series(rrule, wall, 'Europe/Berlin'))).toEqual(instants);
  });

  test('a leap day comes back after eight years around 2100', () => {
    const master = series('FREQ=YEARLY', '2096-02-29T10:00:00', 'UTC');
    expect(starts(master, year(2096, 12))).toEqual(['2096-02-29T10:00', '2104-02-29T10:00']);
  });

  test('nothing is lost or doubled over windows laid end to end', () => {
    const master = series('FREQ=DAILY;INTERVAL=3', '1996-01-01T02:30:00', 'America/New_York');
    const whole = starts(master, year(2024, 3));
    expect([2024, 2025, 2026].flatMap((first) => starts(master, year(first)))).toEqual(whole);
    expect(whole).toHaveLength(366);
  });
});

describe('the window', () => {
  const master = series('FREQ=DAILY', '2026-01-01T10:00:00', 'UTC');
  test.each([
    ['what ends at its start is out', '2026-02-01T11:00', '2026-02-01T12:00', []],
    ['what runs into it is in', '2026-02-01T10:59', '2026-02-01T12:00', ['2026-02-01T10:00']],
    ['what starts at its end is out', '2026-02-01T09:00', '2026-02-01T10:00', []],
    ['nothing before the series', '2025-02-01T09:00', '2025-03-01T10:00', []],
  ])('%s', (_name, start, end, instants) => {
    expect(starts(master, window(start, end))).toEqual(instants);
  });

  test('an event without length is found where it starts', () => {
    const instantaneous = series(undefined, '2026-02-01T10:00:00', 'UTC', { duration_minutes: 0 });
    expect(starts(instantaneous, window('2026-02-01T10:00', '2026-02-01T11:00'))).toEqual(['2026-02-01T10:00']);
    expect(starts(instantaneous, window('2026-02-01T09:00', '2026-02-01T10:00'))).toEqual([]);
  });

  test('limit cuts the soonest ones, also of a window without end', () => {
    const within = { start: '2026-03-01T00:00:00.000Z', end: '9999-01-01T00:00:00.000Z' };
    const found = expand(master, [], within, { limit: 2 });
    expect(found.map((one) => one.scheduled_for)).toEqual(['2026-03-01T10:00:00.000Z', '2026-03-02T10:00:00.000Z']);
  });

  test('a single event is its own occurrence', () => {
    const single = series(undefined, '2026-02-01T10:00:00', 'Europe/Berlin');
    expect(expand(single, [], year(2026), LIMIT)).toEqual([
      {
        uid: 'series',
        recurrence_id: null,
        scheduled_for: '2026-02-01T09:00:00.000Z',
        end: '2026-02-01T10:00:00.000Z',
      },
    ]);
  });
});

describe('exceptions', () => {
  const at = (day: number) => `2026-01-${String(day).padStart(2, '0')}T10:00:00.000Z`;
  const master = series('FREQ=DAILY;COUNT=4', '2026-01-01T10:00:00', 'UTC', {
    exdates: [at(2)],
    rdates: [at(20), at(3)],
  });
  const moved = (from: string, to: string): Schedule => ({
    ...series(undefined, to.slice(0, 19), 'UTC'),
    recurrence_id: from,
  });

  test('EXDATE takes away and counts, RDATE adds once', () => {
    expect(starts(master)).toEqual(['2026-01-01T10:00', '2026-01-03T10:00', '2026-01-04T10:00', '2026-01-20T10:00']);
  });

  test('RDATEs without a rule', () => {
    expect(starts({ ...master, rrule: undefined, exdates: [] })).toEqual([
      '2026-01-01T10:00',
      '2026-01-03T10:00',
      '2026-01-20T10:00',
    ]);
  });

  test('EXDATE may take away the start itself', () => {
    expect(starts({ ...master, exdates: [at(1)] })[0]).toBe('2026-01-02T10:00');
  });

  test('an override stands where it moved, and keeps the id of its occurrence', () => {
    const override = moved(at(3), '2026-01-05T18:00:00.000Z');
    const found = expand(master, [override], year(2026), LIMIT);
    expect(found.map((one) => [one.recurrence_id, one.scheduled_for, one.override === override])).toEqual([
      [at(1), at(1), false],
      [at(4), at(4), false],
      [at(3), '2026-01-05T18:00:00.000Z', true],
      [at(20), at(20), false],
    ]);
  });

  test('overrides moved out of the window are gone from it, those moved in are there', () => {
    const january = window('2026-01-01T00:00', '2026-01-31T00:00');
    expect(starts(master, january, [moved(at(3), '2026-05-01T10:00:00.000Z')])).not.toContain('2026-01-03T10:00');
    expect(
      starts(master, window('2026-05-01T00:00', '2026-06-01T00:00'), [moved(at(3), '2026-05-01T10:00:00.000Z')]),
    ).toEqual(['2026-05-01T10:00']);
  });

  test('an override of no occurrence is still an event', () => {
    expect(starts(master, year(2026), [moved(at(15), at(16))])).toContain('2026-01-16T10:00');
  });
});
