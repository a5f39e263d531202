/** Tempo profiles: what is accepted, which hours follow, exact on DST days. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defaultTempo } from '../../src/domain/plan/plan-settings.ts';
import { BUILT_IN_TAGS, TempoPreferences, TempoProfile, tempoWindows } from '../../src/domain/plan/tempo.ts';
import { WEEKDAYS } from '../../src/domain/plan/weekdays.ts';
import type { TempoSubject, TimeRange } from '../../src/domain/plan/tempo.ts';
import { dayBounds, instantOf, millis } from '../../src/domain/time/time.ts';
import { runs } from '../support/thoroughness.ts';

const profile = (changes: Partial<TempoPreferences> = {}, timezone = 'UTC') => ({
  ...defaultTempo(),
  ...changes,
  timezone,
});
const range = (name: string, start: string, end: string, days: TimeRange['days'] = [...WEEKDAYS]): TimeRange => ({
  name,
  days,
  start,
  end,
});
const tagged = (tempo_tag: string): TempoSubject => ({ tempo_tag });

/** 2026-11-18 is a Wednesday, 2026-11-21 a Saturday. */
const WED = dayBounds('2026-11-18', 'UTC');
const SAT = dayBounds('2026-11-21', 'UTC');
const shown = (windows: { start: string; end: string }[]) =>
  windows.map(({ start, end }) => `${start.slice(0, 16)}/${end.slice(0, 16)}`);

describe('the profile', () => {
  test('of a new user is valid and on its own hours every day', () => {
    expect(TempoPreferences.parse(defaultTempo())).toEqual(defaultTempo());
    expect(defaultTempo().time_ranges).toEqual([range('day', '08:00', '20:00')]);
    expect(
      TempoProfile.parse({
        ...profile(),
        user_id: 'u1',
        learned: { samples: 0, tags: {}, action_types: {} },
      }).user_id,
    ).toBe('u1');
  });

  test('of two new users share nothing that one could change', () => {
    defaultTempo().time_ranges[0]!.days.pop();
    expect(defaultTempo().time_ranges[0]!.days).toHaveLength(7);
  });

  const wide = [...WEEKDAYS].map((day) => range(day, '08:00', '20:00', [day]));
  test.each<[string, object, (string | number)[]]>([
    ['a range that ends before it starts', { time_ranges: [range('x', '12:00', '08:00')] }, ['time_ranges', 0, 'end']],
    ['an empty range', { time_ranges: [range('x', '12:00', '12:00')] }, ['time_ranges', 0, 'end']],
    ['25:00', { time_ranges: [range('x', '12:00', '25:00')] }, ['time_ranges', 0, 'end']],
    ['24:00 as a start', { time_ranges: [range('x', '24:00', '24:00')] }, ['time_ranges', 0, 'start']],
    ['no range at all', { time_ranges: [] }, ['time_ranges']],
    ['a day twice', { time_ranges: [range('x', '08:00', '09:00', ['MO', 'MO'])] }, ['time_ranges', 0, 'days']],
    ['a name twice', { time_ranges: [...wide, range('MO', '21:00', '22:00')] }, ['time_ranges']],
    ['a mapping to no range', { tag_mappings: { '@a': { ranges: ['no'] } } }, ['tag_mappings', '@a', 'ranges', 0]],
    ['an override to no range', { task_overrides: { t: { ranges: ['no'] } } }, ['task_overrides', 't', 'ranges', 0]],
    ['an unknown field', { tempo: 1 }, []],
    ['no length', { tag_mappings: { '@a': { duration_minutes: 0 } } }, ['tag_mappings', '@a', 'duration_minutes']],
    ['a fraction of a minute', { duration_biases: { log: { minutes: 1.5 } } }, ['duration_biases', 'log', 'minutes']],
    ['a factor of nothing', { duration_biases: { log: { factor: 0 } } }, ['duration_biases', 'log', 'factor']],
    [
      'more tags than a person has',
      { tag_mappings: Object.fromEntries(Array.from({ length: 201 }, (_, i) => [`@${i}`, {}])) },
      ['tag_mappings'],
    ],
    [
      'more than 64 KiB',
      {
        task_overrides: Object.fromEntries(
          Array.from({ length: 400 }, (_, i) => [`${i}`, { tempo_tag: 'x'.repeat(200) }]),
        ),
      },
      [],
    ],
  ])('refuses %s', (_, changes, path) => {
    const result = TempoPreferences.safeParse({ ...defaultTempo(), ...changes });
    expect(result.error?.issues[0]?.path).toEqual(path);
  });

  test('accepts names, own ranges and midnight', () => {
    const mapping = { '@night': { ranges: ['day', range('late', '22:00', '24:00')], duration_minutes: 45 } };
    expect(TempoPreferences.parse({ ...defaultTempo(), tag_mappings: mapping }).tag_mappings).toEqual(mapping);
  });

  test('can be told in JSON Schema', () => {
    expect(JSON.stringify(z.toJSONSchema(TempoProfile))).toContain('"readOnly":true');
  });
});

describe('windows', () => {
  const mine = profile({
    time_ranges: [range('day', '08:00', '20:00'), range('night', '21:00', '24:00', ['SA'])],
    tag_mappings: {
      '@evening': { ranges: [range('own', '19:00', '23:00')] },
      '@either': { ranges: ['night', range('early', '05:00', '06:00'), range('earlier', '04:00', '05:00')] },
      '@deep_work': { duration_minutes: 60 },
    },
    task_overrides: { thesis: { ranges: [range('t', '06:00', '07:00')] }, paper: { tempo_tag: '@either' } },
  });
  test.each<[string, Parameters<typeof tempoWindows>[0], TempoSubject, typeof WED, string[]]>([
    ['no tag: the time ranges', profile(), {}, WED, ['2026-11-18T08:00/2026-11-18T20:00']],
    ['a tag nobody knows: the same', profile(), tagged('@x'), WED, ['2026-11-18T08:00/2026-11-18T20:00']],
    ['a tag every object has', profile(), tagged('constructor'), WED, ['2026-11-18T08:00/2026-11-18T20:00']],
    ['a length is no time of day', profile(), tagged('block_50'), WED, ['2026-11-18T08:00/2026-11-18T20:00']],
    ['built in, within the own hours', profile(), tagged('@morning'), WED, ['2026-11-18T08:00/2026-11-18T12:00']],
    ['afternoon', profile(), tagged('@afternoon'), WED, ['2026-11-18T12:00/2026-11-18T17:00']],
    ['evening', profile(), tagged('@evening'), WED, ['2026-11-18T17:00/2026-11-18T20:00']],
    ['meetings on a workday', profile(), tagged('@meeting'), WED, ['2026-11-18T09:00/2026-11-18T17:00']],
    ['no meetings on a Saturday', profile(), tagged('@meeting'), SAT, []],
    [
      'built in as it stands where the own hours never meet it',
      profile({ time_ranges: [range('night', '22:00', '24:00')] }),
      tagged('@morning'),
      WED,
      ['2026-11-18T06:00/2026-11-18T12:00'],
    ],
    ['the own meaning goes before', mine, tagged('@evening'), WED, ['2026-11-18T19:00/2026-11-18T23:00']],
    ['own length, built-in hours', mine, tagged('@deep_work'), WED, ['2026-11-18T08:00/2026-11-18T12:00']],
    ['touching ranges are one', mine, tagged('@either'), WED, ['2026-11-18T04:00/2026-11-18T06:00']],
    [
      'named ranges keep their days',
      mine,
      tagged('@either'),
      SAT,
      ['2026-11-21T04:00/2026-11-21T06:00', '2026-11-21T21:00/2026-11-22T00:00'],
    ],
    [
      'the task goes before its tag',
      mine,
      { tempo_tag: '@evening', task_id: 'thesis' },
      WED,
      ['2026-11-18T06:00/2026-11-18T07:00'],
    ],
    ['the task’s tag where none is given', mine, { task_id: 'paper' }, WED, ['2026-11-18T04:00/2026-11-18T06:00']],
    [
      'the tag given before the task’s',
      mine,
      { task_id: 'paper', tempo_tag: '@evening' },
      WED,
      ['2026-11-18T19:00/2026-11-18T23:00'],
    ],
    [
      'cut to the window',
      profile(),
      {},
      { start: '2026-11-18T09:30:00.000Z', end: '2026-11-18T10:00:00.000Z' },
      ['2026-11-18T09:30/2026-11-18T10:00'],
    ],
    ['an empty window', profile(), {}, { start: WED.start, end: WED.start }, []],
    [
      'in the profile’s zone',
      profile({}, 'Asia/Tokyo'),
      {},
      WED,
      ['2026-11-18T00:00/2026-11-18T11:00', '2026-11-18T23:00/2026-11-19T00:00'],
    ],
  ])('%s', (_, of, subject, window, expected) => {
    expect(shown(tempoWindows(of, subject, window))).toEqual(expected);
  });

  test('a day given by its last microsecond is whole', () => {
    const day = profile({ time_ranges: [range('d', '22:00', '24:00')] });
    const window = { start: WED.start, end: '2026-11-18T23:59:59.999999Z' };
    expect(tempoWindows(day, {}, window)).toEqual([
      { start: '2026-11-18T22:00:00.000Z', end: '2026-11-19T00:00:00.000Z' },
    ]);
  });

  test.each<[string, string, string, string, string, string[]]>([
    [
      'gap: a start moves forward',
      'Europe/Berlin',
      '2026-03-29',
      '02:30',
      '05:00',
      ['2026-03-29T01:30/2026-03-29T03:00'],
    ],
    [
      'gap: an end moves forward',
      'Europe/Berlin',
      '2026-03-29',
      '01:00',
      '02:30',
      ['2026-03-29T00:00/2026-03-29T01:30'],
    ],
    [
      'gap: the day is 23 hours',
      'Europe/Berlin',
      '2026-03-29',
      '00:00',
      '24:00',
      ['2026-03-28T23:00/2026-03-29T22:00'],
    ],
    [
      'fold: the first occurrence',
      'Europe/Berlin',
      '2026-10-25',
      '02:30',
      '04:00',
      ['2026-10-25T00:30/2026-10-25T03:00'],
    ],
    [
      'fold: the day is 25 hours',
      'Europe/Berlin',
      '2026-10-25',
      '00:00',
      '24:00',
      ['2026-10-24T22:00/2026-10-25T23:00'],
    ],
    ['gap at midnight', 'Africa/Cairo', '2026-04-24', '00:00', '02:00', ['2026-04-23T22:00/2026-04-23T23:00']],
    ['half an hour', 'Australia/Lord_Howe', '2026-10-04', '02:15', '03:00', ['2026-10-03T15:45/2026-10-03T16:00']],
  ])('%s', (_, zone, day, start, end, expected) => {
    const of = profile({ time_ranges: [range('r', start, end)] }, zone);
    expect(shown(tempoWindows(of, {}, dayBounds(day, zone)))).toEqual(expected);
  });

  test('are the minutes whose wall time is in a range, in every zone, over DST changes', () => {
    const zones = [
      'UTC',
      'Europe/Berlin',
      'America/New_York',
      'Asia/Kathmandu',
      'Australia/Lord_Howe',
      'Pacific/Chatham',
    ];
    const around = ['2026-03-08', '2026-03-29', '2026-04-05', '2026-09-27', '2026-10-04', '2026-10-25', '2026-11-01'];
    // Outside 00:01 to 04:00, where no wall time is skipped or doubled in these zones.
    const minute = fc.integer({ min: 4 * 60, max: 24 * 60 });
    const wall = (m: number) => `${String(Math.floor(m / 60)).padStart(2, '0')}:${String(m % 60).padStart(2, '0')}`;
    const ranges = fc.array(
      fc
        .tuple(
          fc.subarray([...WEEKDAYS], { minLength: 1 }),
          fc.uniqueArray(fc.oneof(minute, fc.constant(0)), { minLength: 2, maxLength: 2 }),
        )
        .map(([days, [a = 0, b = 1]]) => range('r', wall(Math.min(a, b)), wall(Math.max(a, b)), days)),
      { minLength: 1, maxLength: 4 },
    );
    const property = fc.property(
      fc.constantFrom(...zones),
      fc.constantFrom(...around),
      ranges,
      fc.integer({ min: -1440, max: 1440 }),
      fc.integer({ min: 1, max: 2880 }),
      (zone, day, time_ranges, offset, length) => {
        const from = millis(dayBounds(day, zone).start) + offset * 60_000;
        const window = { start: instantOf(from), end: instantOf(from + length * 60_000) };
        const found = tempoWindows(profile({ time_ranges }, zone), {}, window);
        const format = new Intl.DateTimeFormat('en-GB', {
          timeZone: zone,
          weekday: 'short',
          hour: '2-digit',
          minute: '2-digit',
        });
        for (let at = from; at < from + length * 60_000; at += 60_000) {
          const {
            weekday = '',
            hour,
            minute: m,
          } = Object.fromEntries(format.formatToParts(at).map((p) => [p.type, p.value]));
          const expected = time_ranges.some(
            (r) =>
              r.days.some((d) => d === weekday.slice(0, 2).toUpperCase()) &&
              r.start <= `${hour}:${m}` &&
              `${hour}:${m}` < r.end,
          );
          const inside = found.some(({ start, end }) => millis(start) <= at && at < millis(end));
          if (inside !== expected) throw new Error(`${zone} ${instantOf(at)}: ${inside}, expected ${expected}`);
        }
        for (const [i, next] of found.slice(1).entries())
          expect(millis(found[i]!.end)).toBeLessThan(millis(next.start));
      },
    );
    expect(() => fc.assert(property, { numRuns: runs(60) })).not.toThrow();
  });
});

test('the built-in tags', () => {
  expect(BUILT_IN_TAGS.toSorted()).toEqual(
    [
      '@morning',
      '@afternoon',
      '@evening',
      '@deep_work',
      '@shallow',
      '@meeting',
      '@recovery',
      'block_25',
      'block_50',
      'block_90',
    ].toSorted(),
  );
});
