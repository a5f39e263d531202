/** Series as wholes: split, ended, and their rules checked. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Schedule } from '../../src/domain/calendar/schedule.ts';
import {
  checkRrule,
  eventEnd,
  expand,
  seriesEnd,
  splitSeries,
  timelineOf,
} from '../../src/domain/calendar/series-expansion.ts';
import { localStart, wallToInstant } from '../../src/domain/time/time.ts';
import { allDay, series } from '../support/events.ts';
import { runs } from '../support/thoroughness.ts';

const LIMIT = { limit: 10_000 };
const year = (first: number, count = 1) => ({
  start: `${first}-01-01T00:00:00.000Z`,
  end: `${first + count}-01-01T00:00:00.000Z`,
});
const starts = (master: Schedule, within = year(2026), overrides: Schedule[] = []) =>
  expand(master, overrides, within, LIMIT).map((found) => found.scheduled_for.slice(0, 16));

describe('splitting', () => {
  const whole = series('FREQ=WEEKLY;BYDAY=MO,TH;COUNT=10', '2026-01-01T02:30:00', 'Europe/Berlin', {
    exdates: ['2026-01-05T01:30:00.000Z', '2026-01-19T01:30:00.000Z'],
    rdates: ['2026-01-17T11:00:00.000Z', '2026-01-03T11:00:00.000Z'],
  });

  test('COUNT is shared out', () => {
    expect(splitSeries(whole, '2026-01-15T01:30:00.000Z')).toEqual({
      before: {
        rrule: 'FREQ=WEEKLY;BYDAY=MO,TH;UNTIL=20260112T013000Z',
        rdates: ['2026-01-03T11:00:00.000Z'],
        exdates: ['2026-01-05T01:30:00.000Z'],
      },
      after: {
        rrule: 'FREQ=WEEKLY;BYDAY=MO,TH;COUNT=6',
        start: '2026-01-15T01:30:00.000Z',
        local_start: '2026-01-15T02:30:00',
        rdates: ['2026-01-17T11:00:00.000Z'],
        exdates: ['2026-01-19T01:30:00.000Z'],
      },
    });
  });

  test('UNTIL stays on the later side, and days are told as days', () => {
    const split = splitSeries(
      allDay('FREQ=DAILY;UNTIL=20260110', '2026-01-01', 'Europe/Berlin'),
      '2026-01-03T23:00:00.000Z',
    );
    expect(split.before?.rrule).toBe('FREQ=DAILY;UNTIL=20260103');
    expect(split.after).toMatchObject({ rrule: 'FREQ=DAILY;UNTIL=20260110', local_start: '2026-01-04T00:00:00' });
  });

  test('at the start nothing is left before, past the end nothing after', () => {
    expect(splitSeries({ ...whole, rdates: [] }, whole.scheduled_for).before).toBeNull();
    expect(splitSeries(whole, '2027-01-01T00:00:00.000Z').after).toBeNull();
  });

  test('single dates alone may be left', () => {
    const single = series(undefined, '2026-01-01T10:00:00', 'UTC', { rdates: ['2026-02-01T12:00:00.000Z'] });
    expect(splitSeries(single, '2026-01-15T00:00:00.000Z')).toEqual({
      before: { rdates: [], exdates: [] },
      after: { start: '2026-02-01T12:00:00.000Z', local_start: '2026-02-01T12:00:00', rdates: [], exdates: [] },
    });
  });

  const zones = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata', 'America/Sao_Paulo'];
  const rules = [
    'DAILY',
    'WEEKLY',
    'MONTHLY',
    'WEEKLY;INTERVAL=2;BYDAY=TU,SU',
    'MONTHLY;BYDAY=-1FR,1MO',
    'HOURLY;INTERVAL=7',
    'YEARLY;BYMONTH=3,10;BYDAY=-1SU',
    'MONTHLY;BYDAY=MO,TU,WE;BYSETPOS=2,-1',
  ];
  const aSeries = fc
    .record({
      rule: fc.constantFrom(...rules),
      end: fc.constantFrom('', ';COUNT=1', ';COUNT=25', ';UNTIL=20260401T013000Z', ';UNTIL=20261025'),
      zone: fc.constantFrom(...zones),
      day: fc.integer({ min: 0, max: 700 }),
      time: fc.constantFrom('00:00', '01:30', '02:15', '02:30', '03:00', '17:45'),
    })
    .map(({ rule, end, zone, day, time }) => {
      const date = Temporal.PlainDate.from('2024-06-01').add({ days: day });
      return series(`FREQ=${rule}${end}`, `${date.toString()}T${time}:00`, zone);
    });

  test('both halves together are the whole', () => {
    fc.assert(
      fc.property(aSeries, fc.integer({ min: 0, max: 60 }), (master, pick) => {
        const within = year(2024, 4);
        const all = starts(master, within);
        const at = `${all[Math.min(pick, all.length - 1)]}:00.000Z`;
        const { before, after } = splitSeries(master, at);
        const half = (part: Partial<Schedule> | null) =>
          part ? starts({ ...master, rrule: undefined, ...part }, within) : [];
        const tail = after && { ...after, scheduled_for: after.start };
        expect([...half(before), ...half(tail)]).toEqual(all);
      }),
      { numRuns: runs(300) },
    );
  });

  test('every occurrence is the wall time meant, on its day', () => {
    fc.assert(
      fc.property(aSeries, (master) => {
        if (master.rrule?.includes('HOURLY')) return;
        const [, ...later] = expand(master, [], year(2024, 4), LIMIT);
        for (const { scheduled_for } of later) {
          const wall = localStart(scheduled_for, master.timezone);
          const meant = `${wall.slice(0, 10)}T${master.local_start.slice(11)}`;
          expect(wallToInstant(meant, master.timezone)).toBe(scheduled_for);
        }
      }),
      { numRuns: runs(200) },
    );
  });
});

test('only the changed occurrences in the window are made', () => {
  const hourly = series('FREQ=HOURLY', '2026-01-01T00:00:00', 'UTC');
  const [first, hour] = [Date.UTC(2026, 0, 1), 3_600_000];
  let made = 0;
  const changed = Array.from({ length: 9_990 }, (_, i) => {
    const id = first + (i + 1) * hour;
    return { id, start: id + 60_000, end: id + 120_000, doc: () => ((made += 1), hourly) };
  });
  const day = Date.UTC(2026, 1, 1);
  expect([...timelineOf(hourly, changed)({ window: [day, day + 24 * hour] })]).toHaveLength(24);
  expect(made).toBe(24);
});

describe('ends', () => {
  test.each<[string, Schedule, string | null]>([
    ['single', series(undefined, '2026-01-01T10:00:00', 'UTC'), '2026-01-01T11:00:00.000Z'],
    ['endless', series('FREQ=DAILY', '2026-01-01T10:00:00', 'UTC'), null],
    ['COUNT', series('FREQ=DAILY;COUNT=3', '2026-01-01T10:00:00', 'UTC'), '2026-01-03T11:00:00.000Z'],
    ['UNTIL', series('FREQ=DAILY;UNTIL=20260105T093000Z', '2026-01-01T10:00:00', 'UTC'), '2026-01-04T11:00:00.000Z'],
    [
      'RDATE after the rule',
      series('FREQ=DAILY;COUNT=3', '2026-01-01T10:00:00', 'UTC', { rdates: ['2026-02-01T10:00:00.000Z'] }),
      '2026-02-01T11:00:00.000Z',
    ],
    ['all day', allDay('FREQ=DAILY;COUNT=2', '2026-03-28', 'Europe/Berlin'), '2026-03-29T22:00:00.000Z'],
  ])('%s', (_name, master, end) => {
    expect(seriesEnd(master)).toBe(end);
  });

  test('an all-day event ends with its last day', () => {
    expect(eventEnd(allDay(undefined, '2026-10-24', 'Europe/Berlin', { duration_minutes: 2880 }))).toBe(
      '2026-10-25T23:00:00.000Z',
    );
  });
});

describe('checkRrule', () => {
  const start = '2026-01-01T09:00:00.000Z';
  test.each([
    'FREQ=DAILY',
    'freq=weekly;byday=mo',
    'FREQ=MONTHLY;BYDAY=+1MO,-1FR',
    'FREQ=MINUTELY;INTERVAL=15',
    'FREQ=DAILY;UNTIL=20260101',
    'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=SU',
  ])('keeps %s', (rrule) => {
    expect(checkRrule(rrule, start, 'Europe/Berlin')).toBeNull();
  });

  test.each([
    ['', 'FREQ is missing'],
    ['FREQ=DAILY;', 'An empty part'],
    ['INTERVAL=2', 'FREQ is missing'],
    ['FREQ=OFTEN', 'FREQ=OFTEN cannot be read'],
    ['FREQ=DAILY;INTERVAL=0', 'INTERVAL=0'],
    ['FREQ=DAILY;COUNT=0', 'COUNT=0'],
    ['FREQ=DAILY;COUNT=3;UNTIL=20260201', 'exclude each other'],
    ['FREQ=DAILY;COUNT=3;COUNT=4', 'COUNT occurs twice'],
    ['FREQ=DAILY;UNTIL=tomorrow', 'UNTIL=TOMORROW'],
    ['FREQ=DAILY;UNTIL=20260231', 'not a time'],
    ['FREQ=DAILY;UNTIL=20270101T250000Z', 'not a time'],
    ['FREQ=DAILY;UNTIL=20250101', 'before the start'],
    ['FREQ=DAILY;BYHOUR=24', 'BYHOUR=24 is out of range'],
    ['FREQ=DAILY;BYMONTHDAY=0', 'BYMONTHDAY=0 is out of range'],
    ['FREQ=WEEKLY;BYDAY=XX', 'BYDAY=XX cannot be read'],
    ['FREQ=WEEKLY;BYDAY=1MO', 'BYDAY'],
    ['FREQ=MONTHLY;BYWEEKNO=3', 'BYWEEKNO'],
    ['FREQ=DAILY;BYSETPOS=1', 'BYSETPOS'],
    ['FREQ=DAILY;BYEASTER=1', 'BYEASTER is not a part'],
    ['RSCALE=HEBREW;FREQ=YEARLY', 'RSCALE is not a part'],
    ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30', 'has no occurrence'],
    ['FREQ=DAILY;COUNT=10001', 'COUNT must be at most 10000'],
  ])('refuses %j', (rrule, reason) => {
    expect(checkRrule(rrule, start, 'Europe/Berlin')).toContain(reason);
  });

  test.each([
    'FREQ=SECONDLY',
    'FREQ=SECONDLY;INTERVAL=86400',
    'FREQ=MINUTELY',
    'FREQ=HOURLY;BYMINUTE=0,10,20,30,40',
    'FREQ=DAILY;BYHOUR=0,6,12,18;BYMINUTE=0,30;BYSECOND=0,1,2,3,4,5,6,7,8,9,10,11,12',
    'FREQ=MINUTELY;INTERVAL=15;BYMONTH=2;BYMONTHDAY=30',
    'FREQ=DAILY;BYHOUR=1,2;BYSETPOS=366',
    `FREQ=DAILY;BYMONTHDAY=${'1,'.repeat(2_000)}1`,
  ])('refuses the bomb %.60s', (rrule) => {
    expect(checkRrule(rrule, start, 'Europe/Berlin')).toEqual(expect.any(String));
  });

  test('an all-day event repeats by days', () => {
    expect(checkRrule('FREQ=WEEKLY;UNTIL=20260101', '2026-01-01', 'Europe/Berlin')).toBeNull();
    expect(checkRrule('FREQ=HOURLY', '2026-01-01', 'Europe/Berlin')).toContain('must not have times of day');
    expect(checkRrule('FREQ=DAILY;BYHOUR=9', '2026-01-01', 'Europe/Berlin')).toContain('must not have times of day');
  });
});
