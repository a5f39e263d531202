/** Slots: best first with reasons, what stood in the way, several at once, explicit times. */
import { describe, expect, test } from 'vitest';
import { checkSlot, findSlots, refusal, whyNone } from '../../src/domain/plan/slots.ts';
import type { SlotRequest } from '../../src/domain/plan/slots.ts';
import type { Interval } from '../../src/domain/time/time.ts';

const at = (clock: string, day = '2026-11-18') => `${day}T${clock}:00.000Z`;
const span = (start: string, end: string, day?: string): Interval => ({ start: at(start, day), end: at(end, day) });
const hours = (...days: string[]) => days.map((day) => span('08:00', '20:00', day));
const WED = span('00:00', '23:59');
const WEEK = { start: at('00:00'), end: at('00:00', '2026-11-25') };
const DAYS = ['2026-11-18', '2026-11-19', '2026-11-20', '2026-11-21', '2026-11-22', '2026-11-23', '2026-11-24'];

const request = (changes: Partial<SlotRequest> = {}): SlotRequest => ({
  window: WED,
  duration_minutes: 60,
  busy: [],
  windows: hours('2026-11-18'),
  now: at('00:00', '2026-11-17'),
  limit: 3,
  ...changes,
});
const starts = (changes: Partial<SlotRequest> = {}) =>
  findSlots(request(changes)).slots.map(({ start }) => start.slice(8, 16));
const codes = (changes: Partial<SlotRequest> = {}) =>
  findSlots(request(changes))
    .refused.map(refusal)
    .map(({ start, end, code }) => `${start.slice(11, 16)}-${end.slice(11, 16)} ${code}`);

describe('the best slots', () => {
  test.each<[string, Partial<SlotRequest>, string[]]>([
    ['of an empty day: its ends before its middle', {}, ['18T08:00', '18T19:00', '18T09:00']],
    ['never busy', { busy: [span('08:00', '10:00')], limit: 1 }, ['18T10:00']],
    [
      'fill a gap rather than start a long one',
      { busy: [span('09:00', '12:00'), span('13:00', '14:00')], limit: 2 },
      ['18T08:00', '18T12:00'],
    ],
    ['start where the last one ends', { busy: [span('08:00', '09:00')], limit: 1 }, ['18T09:00']],
    ['at a round time where that costs nothing', { busy: [span('08:00', '09:07')], limit: 1 }, ['18T09:15']],
    ['but exactly where it must be', { windows: [span('09:07', '10:07')] }, ['18T09:07']],
    [
      'today before the better fit of tomorrow',
      { window: WEEK, windows: [...hours('2026-11-18'), span('08:00', '09:00', '2026-11-19')], limit: 1 },
      ['18T08:00'],
    ],
    ['after now, at a readable time', { now: at('10:02'), limit: 1 }, ['18T10:15']],
    ['after the notice', { now: at('10:02'), notice_minutes: 60, limit: 1 }, ['18T11:15']],
    ['with room around what is busy', { busy: [span('09:30', '10:00')], buffer_minutes: 15, limit: 1 }, ['18T08:00']],
    ['or none of it', { busy: [span('09:10', '10:00')], buffer_minutes: 15, limit: 1 }, ['18T10:15']],
    ['at the preferred time', { preferred: { at: at('15:35') }, limit: 1 }, ['18T15:35']],
    [
      'near the preferred time',
      { preferred: { at: at('15:35') }, busy: [span('15:30', '16:00')], limit: 2 },
      ['18T16:00', '18T14:30'],
    ],
    ['in the preferred range', { preferred: { start: at('13:10'), end: at('15:00') }, limit: 1 }, ['18T13:15']],
    ['after a time', { preferred: { start: at('16:00') }, limit: 1 }, ['18T16:00']],
    ['before a time', { preferred: { end: at('09:30') }, limit: 1 }, ['18T08:00']],
    ['none where nothing is free', { busy: [WED] }, []],
    ['none where the day is too short', { duration_minutes: 721 }, []],
    ['none outside the tempo hours', { windows: [] }, []],
    ['none in the past', { now: at('00:00', '2026-11-19') }, []],
    [
      'outside the hours only where told so',
      { windows: [span('08:00', '09:00')], wider: hours('2026-11-18'), busy: [span('08:00', '08:30')], limit: 1 },
      ['18T08:30'],
    ],
    [
      'inside them first',
      { windows: [span('15:00', '16:00')], wider: hours('2026-11-18'), limit: 2 },
      ['18T15:00', '18T08:00'],
    ],
    [
      'as learned, before the day',
      {
        window: WEEK,
        windows: hours(...DAYS),
        weight: (start) => ({ bonus: start.startsWith('2026-11-20') ? 1 : 0, reason: 'Fridays' }),
        limit: 1,
      },
      ['20T08:00'],
    ],
    [
      'as learned, but never against the preferred time',
      {
        preferred: { at: at('10:00') },
        weight: (start) => ({ bonus: start === at('12:00') ? 9 : 0, reason: null }),
        limit: 1,
      },
      ['18T10:00'],
    ],
  ])('%s', (_, changes, expected) => {
    expect(starts(changes)).toEqual(expected);
  });

  test('count days in the zone', () => {
    // 22:00 UTC is the next day in Tokyo; so the gap that fits wins over the earlier end of a longer one of the day before.
    const windows = [span('13:00', '18:00'), span('20:00', '21:00')];
    expect(starts({ windows, limit: 2 })).toEqual(['18T20:00', '18T13:00']);
    expect(starts({ windows, limit: 2, zone: 'Asia/Tokyo' })).toEqual(['18T13:00', '18T14:00']);
  });

  test('say why', () => {
    const answer = findSlots(
      request({
        preferred: { at: at('11:40') },
        busy: [span('12:00', '13:00')],
        weight: () => ({ bonus: 0.2, reason: 'mornings were approved 5 of 5 times' }),
        limit: 1,
      }),
    );
    expect(answer.slots[0]).toMatchObject({
      start: at('11:00'),
      end: at('12:00'),
      duration_minutes: 60,
      reasons: [
        'the time is free and in its tempo hours',
        'it is 40 minutes from the preferred time',
        'mornings were approved 5 of 5 times',
        'it leaves the free time around it in one piece',
      ],
    });
  });

  test('what could not be used is told piece by piece', () => {
    const busy = [span('12:00', '13:00'), span('09:00', '10:30'), span('12:30', '13:30'), span('07:00', '07:30')];
    expect(codes({ window: span('06:00', '21:00'), now: at('06:30'), busy, duration_minutes: 120 })).toEqual([
      '06:00-06:30 slot:past',
      '06:30-08:00 slot:outside_tempo',
      '08:00-09:00 slot:too_short',
      '09:00-10:30 slot:blocked',
      '10:30-12:00 slot:too_short',
      '12:00-13:30 slot:blocked',
      '20:00-21:00 slot:outside_tempo',
    ]);
  });

  test.each<[Partial<SlotRequest>, string, string]>([
    [
      { busy: [span('08:30', '20:00')] },
      'slot:blocked',
      'the calendar is busy, the longest free time has 30 of 60 minutes',
    ],
    [{ windows: [] }, 'slot:outside_tempo', 'the tempo hours do not fit, the longest free time has 0 of 60 minutes'],
    [
      { now: at('23:58'), windows: [WED] },
      'slot:past',
      'the window is too soon or in the past, the longest free time has 1 of 60 minutes',
    ],
    [
      { window: span('09:00', '09:10') },
      'slot:blocked',
      'the window is too short, the longest free time has 10 of 60 minutes',
    ],
  ])('a search that finds none says why: %#', (changes, code, detail) => {
    const { slots, refused } = findSlots(request(changes));
    expect(slots).toEqual([]);
    expect(whyNone(refused, 60)).toEqual({ code, detail });
  });

  test('a day whose end is its last microsecond is whole', () => {
    const window = { start: at('23:00'), end: '2026-11-18T23:59:59.999999Z' };
    expect(findSlots(request({ window, windows: [window] })).slots[0]?.end).toBe('2026-11-19T00:00:00.000Z');
  });
});

describe('an explicit time', () => {
  const check = (start: string, end: string, changes = {}) =>
    checkSlot({
      ...span(start, end),
      busy: [span('14:00', '15:00'), span('12:00', '13:00')],
      windows: [span('12:00', '18:00'), span('08:00', '12:00')],
      now: at('09:00'),
      only_in_tempo: false,
      ...changes,
    });
  test.each<[string, string, string, object, string | null]>([
    ['free', '10:00', '11:00', {}, null],
    ['right now', '09:00', '09:30', {}, null],
    ['between two blocks', '13:00', '14:00', {}, null],
    ['past', '08:59', '09:30', {}, 'slot:past'],
    ['on a block', '12:30', '12:45', {}, 'slot:blocked'],
    ['over a block', '11:00', '16:00', {}, 'slot:blocked'],
    ['outside the hours', '19:00', '20:00', {}, null],
    ['outside the hours, which bind', '17:30', '18:30', { only_in_tempo: true }, 'slot:outside_tempo'],
    ['inside the hours, which bind', '11:00', '12:00', { only_in_tempo: true }, null],
    ['over two touching ranges', '11:00', '13:00', { only_in_tempo: true, busy: [] }, null],
  ])('%s', (_, start, end, changes, code) => {
    expect(check(start, end, changes)?.code ?? null).toBe(code);
  });
  test('is told in local time', () => {
    expect(check('12:30', '12:45', { zone: 'Europe/Berlin' })?.detail).toBe(
      '2026-11-18 13:30 (15 minutes, Europe/Berlin) is taken: busy from 2026-11-18 13:00 to 2026-11-18 14:00',
    );
  });
});
