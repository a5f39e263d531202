/** The rule of time (docs/decisions.md, One rule for times), over gaps and folds. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  dayBounds,
  isZone,
  localDate,
  minutesBetween,
  readTime,
  timeFault,
  wallNamed,
  weekBounds,
  zoneNamed,
} from '../../src/domain/time/time.ts';
import { clockOf, instantAt, wallAt } from '../../src/domain/time/wall-time.ts';
import { nearestZones, zoneFault } from '../../src/domain/time/zone-suggestions.ts';
import { runs } from '../support/thoroughness.ts';

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
  ])('%j is not a time', (input) => {
    expect(readTime(input, 'UTC')).toBeNull();
  });
});

describe('RFC 9557', () => {
  test.each([
    ['2026-12-01T10:00:00+01:00[Europe/Berlin]', '2026-12-01T09:00:00.000Z'],
    ['2026-12-01T10:00[Europe/Berlin]', '2026-12-01T09:00:00.000Z'],
    ['2026-12-01T10:00:00Z[Europe/Berlin]', '2026-12-01T10:00:00.000Z'],
    ['2026-12-01T10:00:00-00:00[Europe/Berlin]', '2026-12-01T10:00:00.000Z'], // §2.2: as Z
    ['2026-12-01T10:00:00Z[!Europe/Berlin]', '2026-12-01T10:00:00.000Z'],
    ['2026-12-01T10:00:00+01:00[Europe/Berlin][u-ca=iso8601]', '2026-12-01T09:00:00.000Z'],
    ['2026-12-01T10:00:00+01:00[Europe/Berlin][!u-ca=iso8601]', '2026-12-01T09:00:00.000Z'],
    ['2026-12-01T10:00:00+01:00[u-ca=hebrew]', '2026-12-01T09:00:00.000Z'], // §3.3: how it is shown, and not critical
    ['2026-12-01T10:00:00+01:00[Europe/Berlin][knort=blargel]', '2026-12-01T09:00:00.000Z'],
    ['2026-12-01T10:00:00+01:00[+01:00]', '2026-12-01T09:00:00.000Z'],
    ['2026-12-01T10:00:00[+01:00]', '2026-12-01T09:00:00.000Z'],
    ['2026-10-25T02:30+01:00[Europe/Berlin]', '2026-10-25T01:30:00.000Z'], // fold: the offset says which
    ['2026-10-25T02:30[Europe/Berlin]', '2026-10-25T00:30:00.000Z'],
    ['2026-03-29T02:30[Europe/Berlin]', '2026-03-29T01:30:00.000Z'], // gap
    ['1890-01-01T10:00+00:53:28[Europe/Berlin]', '1890-01-01T09:06:32.000Z'],
    ['1890-01-01T10:00+00:53[Europe/Berlin]', '1890-01-01T09:06:32.000Z'], // an offset of minutes stands for it
    ['2026-12-01T10:00:00+05:30:15', '2026-12-01T04:29:45.000Z'],
    ['2026-12-01T10:00:00+053015', '2026-12-01T04:29:45.000Z'],
    ['2026-12-01T10:00+01', '2026-12-01T09:00:00.000Z'],
    ['2026-12-01T10:00+0100', '2026-12-01T09:00:00.000Z'],
    ['2026-12-01t10:00:00z', '2026-12-01T10:00:00.000Z'],
    ['2026-12-01T10:00:00,5Z', '2026-12-01T10:00:00.500Z'],
    ['2026-12-01T10:00:00,5', '2026-12-01T15:00:00.500Z'],
    ['2026-12-01T10:00:00.123456789Z', '2026-12-01T10:00:00.123456Z'],
  ])('%s is %s, whoever asks', (input, instant) => {
    expect(readTime(input, 'America/New_York')).toBe(instant);
    expect(timeFault(input)).toBeNull();
  });

  test.each([
    ['2026-12-01T10:00:00+02:00[Europe/Berlin]', 'is +01:00 then'],
    ['2026-03-29T02:30+01:00[Europe/Berlin]', 'offset'], // that wall time is in a gap
    ['1900-01-01T10:00+00:53[Europe/Berlin]', 'offset'],
    ['2026-12-01T10:00:00+02:00[+01:00]', 'offset'],
    ['2026-12-01T10:00:00+01:00[PST]', 'time zone PST'],
    ['2026-12-01T10:00[Mars/Olympus]', 'time zone Mars/Olympus'],
    ['2026-12-01T10:00:00Z[!knort=blargel]', '[knort=blargel]'],
    ['2026-12-01T10:00:00Z[Europe/Berlin][!u-ca=hebrew]', '[u-ca=hebrew]'],
    ['2026-12-01T10:00:00Z[u-ca=iso8601][Europe/Berlin]', 'first'],
    ['2026-12-01T10:00:00Z[Europe/Berlin][Europe/Paris]', 'first'],
    ['2026-12-01T10:00:00Z[]', 'time zone'],
    ['2026-12-01T10:00:00Z[Europe/Berlin', 'ISO 8601'],
    ['2026-12-01T10:00:00Z]', 'ISO 8601'],
    ['2026-12-01[Europe/Berlin]', 'ISO 8601'], // only a time of day has annotations
    ['2026-12-01T23:59:60Z', 'leap second'],
    ['2026-12-01T24:00', '00:00 of the next day'],
    ['2026-12-01T10:00 01:00', '%2B'], // a plus that was not encoded
    ['2026-12-01T10:00:00.1234567891Z', 'ISO 8601'],
    ['20261201T100000Z', 'ISO 8601'],
    ['2026-12-01T10', 'ISO 8601'],
    ['2026-12-01T10:00+05:3015', 'ISO 8601'],
    ['2026-12-01T10:00+05:30:15.5', 'ISO 8601'],
    ['2026-12-01T10:00+24:00', 'ISO 8601'],
    ['2026-12-01T10:00Zulu', 'ISO 8601'],
    ['2026-W49-2', 'ISO 8601'],
    ['9999-12-31T23:59-05:00', 'ISO 8601|years 1 to 9999'],
  ])('%s is refused, and why is told', (input, why) => {
    expect(readTime(input, 'America/New_York')).toBeNull();
    expect(timeFault(input)).toMatch(new RegExp(why.replaceAll(/[[\]+]/g, '\\$&')));
  });

  test('the wall time is that of the zone it names, and of no other', () => {
    expect(wallNamed('2026-03-29T02:30', 'Europe/Berlin')).toBe('2026-03-29T02:30:00');
    expect(wallNamed('2026-03-29T02:30[Europe/Berlin]', 'Europe/Berlin')).toBe('2026-03-29T02:30:00');
    expect(wallNamed('2026-03-29T02:30[Europe/Berlin]', 'America/New_York')).toBeNull();
    expect(wallNamed('2026-03-29T02:30+01:00', 'Europe/Berlin')).toBeNull();
    expect(wallNamed('2026-03-29', 'Europe/Berlin')).toBe('2026-03-29T00:00:00');
    expect(zoneNamed('2026-03-29T02:30[Europe/Berlin]')).toBe('Europe/Berlin');
    expect(zoneNamed('2026-03-29T02:30[+01:00]')).toBeUndefined();
  });

  test('a year of any zone is read back from what Temporal writes', () => {
    const zone = fc.constantFrom(...Intl.supportedValuesOf('timeZone'));
    const moment = fc.integer({ min: Date.UTC(1880, 0), max: Date.UTC(2100, 0) });
    fc.assert(
      fc.property(zone, moment, (timeZone, ms) => {
        const written = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timeZone);
        const at = readTime(written.toString(), 'Asia/Kathmandu');
        expect(Date.parse(at as string)).toBe(ms); // Temporal writes offsets in whole minutes: the zone tells the seconds
      }),
      { numRuns: runs(2_000) },
    );
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
      start: '2026-12-27T23:00:00.000Z',
      end: '2027-01-03T23:00:00.000Z',
    });
  });

  test.each([
    ['Europe/Berlin', true],
    ['UTC', true],
    ['Mars/Olympus', false],
    ['+02:00', false],
    ['PST', false], // Intl knows these, Temporal does not
    ['IST', false],
    ['BST', false],
    ['EST5EDT', true],
    ['US/Pacific', true],
    ['', false],
  ])('%s is a zone: %s', (zone, is) => {
    expect(isZone(zone)).toBe(is);
  });

  test('every zone that is offered is one; for what is none the nearest names are told', () => {
    for (const zone of Intl.supportedValuesOf('timeZone')) expect(isZone(zone)).toBe(true);
    const meant: [string, string][] = [
      ['PST', 'America/Los_Angeles'],
      ['ist', 'Asia/Kolkata or Europe/Dublin or Asia/Jerusalem'],
      ['BST', 'Europe/London or Asia/Dhaka'],
      ['JST', 'Asia/Tokyo'],
      ['Europe/Berln', 'Europe/Berlin'],
      ['berlin', 'Europe/Berlin'],
      ['America/New York', 'America/New_York'],
      ['W. Europe Standard Time', 'Europe/Berlin'],
      ['+01:00', 'Etc/GMT-1'],
      ['nonsense', 'a name such as Europe/Berlin'],
      ['x'.repeat(100_000), 'a name such as Europe/Berlin'],
    ];
    for (const [text, instead] of meant) expect(zoneFault(text)).toContain(`write ${instead}`);
    for (const zone of meant.slice(0, -2).flatMap(([text]) => nearestZones(text))) expect(isZone(zone)).toBe(true);
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
      { numRuns: runs(2_000) },
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
