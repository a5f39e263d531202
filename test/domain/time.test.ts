/** The rule of time (decisions §4), over gaps and folds. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dayBounds, isZone, localDate, minutesBetween, readTime, weekBounds } from '../../src/domain/time.ts';
import { clockOf, instantAt, wallAt } from '../../src/domain/walls.ts';

describe('readTime', () => {
  test.each([
    ['2026-11-21T09:00:00Z', 'Europe/Berlin', '2026-11-21T09:00:00.000Z'],
    ['2026-11-21T09:00+05:30', 'Europe/Berlin', '2026-11-21T03:30:00.000Z'],
    ['2026-11-21T09:00', 'Europe/Berlin', '2026-11-21T08:00:00.000Z'],
    ['2026-07-21 09:00:30', 'Europe/Berlin', '2026-07-21T07:00:30.000Z'],
    ['2026-11-21T09:00:00.123456Z', 'UTC', '2026-11-21T09:00:00.123456Z'],
    ['2026-03-29T02:30', 'Europe/Berlin', '2026-03-29T01:30:00.000Z'], // gap: 03:30 summer time
    ['2026-10-25T02:30', 'Europe/Berlin', '2026-10-25T00:30:00.000Z'], // fold: first occurrence
    ['2026-10-04T02:15', 'Australia/Lord_Howe', '2026-10-03T15:45:00.000Z'], // half-hour gap
    ['2026-11-01T01:30', 'America/New_York', '2026-11-01T05:30:00.000Z'],
    ['2026-11-21', 'Asia/Kolkata', '2026-11-20T18:30:00.000Z'],
  ])('%s in %s is %s', (input, zone, instant) => {
    expect(readTime(input, zone)).toBe(instant);
  });

  test('a bare date ends with the day’s last microsecond, also on days of 23 and 25 hours', () => {
    expect(readTime('2026-03-29', 'Europe/Berlin', 'end')).toBe('2026-03-29T21:59:59.999999Z');
    expect(readTime('2026-10-25', 'Europe/Berlin', 'end')).toBe('2026-10-25T22:59:59.999999Z');
  });

  test.each([
    '',
    'tomorrow',
    '2026',
    '2026-13-01',
    '2026-02-30',
    '2026-11-21T25:00',
    '2026-11-21T09:00+99:00',
    '21.11.2026',
    '0000-01-01',
    '-002026-01-01T00:00:00Z',
    '2026-11-21T09:00:00Z[Europe/Berlin]',
  ])('%j is not a time', (input) => {
    expect(readTime(input, 'UTC')).toBeNull();
  });
});

describe('days and weeks', () => {
  test('are those of the zone', () => {
    expect(localDate('2026-11-21T23:30:00.000Z', 'Europe/Berlin')).toBe('2026-11-22');
    const lengths = ['2026-03-29', '2026-03-30', '2026-10-25'].map((d) => {
      const { start, end } = dayBounds(d, 'Europe/Berlin');
      return minutesBetween(start, end) / 60;
    });
    expect(lengths).toEqual([23, 24, 25]);
    expect(weekBounds('2027-01-01T12:00:00.000Z', 'Europe/Berlin')).toEqual({
      key: '2026-W53',
      start: '2026-12-27T23:00:00.000Z',
      end: '2027-01-03T23:00:00.000Z',
    });
  });

  test.each([
    ['Europe/Berlin', true],
    ['UTC', true],
    ['Mars/Olympus', false],
    ['+02:00', false],
    ['', false],
  ])('%s is a zone: %s', (zone, is) => {
    expect(isZone(zone)).toBe(is);
  });
});

describe('a zone’s clock in numbers', () => {
  const zones = ['UTC', 'Europe/Berlin', 'Europe/Dublin', 'Africa/Casablanca', 'Australia/Lord_Howe', 'Pacific/Apia'];
  const moment = fc
    .integer({ min: Date.UTC(1890, 0), max: Date.UTC(2300, 0) })
    .map((at) => Math.floor(at / 900_000) * 900_000);

  test('is Temporal’s, in gaps and folds and across centuries', () => {
    fc.assert(
      fc.property(fc.constantFrom(...zones), moment, (zone, at) => {
        const clock = clockOf(zone);
        expect(clock.wallAt(at)).toBe(wallAt(at, zone));
        expect(clock.instantAt(at)).toBe(instantAt(at, zone));
      }),
      { numRuns: 2_000 },
    );
    for (const zone of zones.slice(1)) {
      const clock = clockOf(zone);
      let next = Temporal.Instant.from('2000-01-01T00:00:00Z').toZonedDateTimeISO(zone).getTimeZoneTransition('next');
      for (; next && next.year < 2030; next = next.getTimeZoneTransition('next'))
        for (
          let wall = next.epochMilliseconds - 86_400_000;
          wall < next.epochMilliseconds + 86_400_000;
          wall += 900_000
        )
          expect(clock.instantAt(wall)).toBe(instantAt(wall, zone));
    }
  });
});
