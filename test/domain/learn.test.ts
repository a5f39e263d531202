/** Learning: counts that add up, a bonus that goes the right way, says why, and moves nothing but the ranking. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { learn, learnedWeight } from '../../src/domain/plan/tempo-learning.ts';
import type { Sample } from '../../src/domain/plan/tempo-learning.ts';
import { findSlots } from '../../src/domain/plan/slots.ts';
import { Learned } from '../../src/domain/plan/tempo.ts';
import { addMinutes } from '../../src/domain/time/time.ts';
import { runs } from '../support/thoroughness.ts';

const ZONE = 'Europe/Berlin';
/** 2026-11-17 is a Tuesday; Berlin is an hour ahead of UTC then. */
const at = (clock: string, day = '2026-11-17') => `${day}T${clock}:00.000Z`;
const sample = (start: string, decided: Sample['decided'] | 'as proposed', more: Partial<Sample> = {}): Sample => {
  const proposed = { start, duration_minutes: 60 };
  return {
    action_type: 'schedule',
    tags: ['@deep_work'],
    proposed,
    decided: decided === 'as proposed' ? proposed : decided,
    rating: null,
    ...more,
  };
};
const yes = (start: string, more: Partial<Sample> = {}) => sample(start, 'as proposed', more);
const no = (start: string, more: Partial<Sample> = {}) => sample(start, null, more);
const moved = (start: string, to: string, more: Partial<Sample> = {}) =>
  sample(start, { start: to, duration_minutes: 60 }, more);
const times = (n: number, one: Sample): Sample[] => Array.from({ length: n }, () => one);
const deep = { tag: '@deep_work', action_type: 'schedule' };

describe('what is counted', () => {
  test('nothing from nothing', () => {
    expect(learn([], ZONE)).toEqual({ samples: 0, tags: {}, action_types: {} });
  });

  test('by tag, action and local hour', () => {
    const learned = learn(
      [
        yes(at('08:00'), { rating: 5 }),
        yes(at('08:30'), { rating: 4 }),
        no(at('13:00'), { rating: 1 }),
        moved(at('13:00'), at('08:00', '2026-11-18')),
        moved(at('08:00'), at('08:15')),
        sample(at('23:30'), { start: at('23:30'), duration_minutes: 90 }, { tags: ['@deep_work', '@deep_work', '#x'] }),
        yes(at('08:00'), {
          action_type: 'reflect',
          tags: [],
          proposed: { start: at('08:00'), duration_minutes: null },
        }),
      ],
      ZONE,
    );
    expect(Learned.parse(learned)).toEqual(learned);
    expect(Object.keys(learned.tags)).toEqual(['@deep_work', '#x']);
    expect(Object.keys(learned.action_types)).toEqual(['schedule', 'reflect']);
    expect(learned.tags['@deep_work']).toEqual({
      approved: 5,
      rejected: 1,
      moved: 2,
      rated: 3,
      rating: 3.33,
      hours: {
        'TU-09': { approved: 3, rejected: 0, moved: 0, rated: 2, rating: 4.5 },
        'TU-14': { approved: 0, rejected: 1, moved: 1, rated: 1, rating: 1 },
        'WE-00': { approved: 1, rejected: 0, moved: 0, rated: 0, rating: null },
        'WE-09': { approved: 1, rejected: 0, moved: 0, rated: 0, rating: null },
      },
      duration: { count: 5, proposed_minutes: 60, decided_minutes: 66 },
    });
    expect(learned.action_types['reflect']?.duration).toBeNull();
  });

  test('tags named like what every object has', () => {
    const learned = learn(times(3, yes(at('08:00'), { tags: ['__proto__', 'constructor'] })), ZONE);
    expect(Object.keys(learned.tags)).toEqual(['__proto__', 'constructor']);
    expect(learnedWeight(learn([], ZONE), { tag: 'constructor', action_type: 'toString' }, ZONE)(at('08:00'))).toEqual({
      bonus: 0,
      reason: null,
    });
  });

  test('the 50 tags with the most decisions', () => {
    const samples = Array.from({ length: 60 }, (_, i) => times(i + 1, yes(at('08:00'), { tags: [`t${i}`] }))).flat();
    const kept = Object.keys(learn(samples, ZONE).tags);
    expect(kept).toHaveLength(50);
    expect(kept).toContain('t59');
    expect(kept).not.toContain('t9');
  });
});

describe('what it is worth', () => {
  const mornings = [...times(6, yes(at('08:00'))), ...times(6, no(at('13:00')))];
  const bonus = (samples: Sample[], start: string, subject: Parameters<typeof learnedWeight>[1] = deep) =>
    learnedWeight(learn(samples, ZONE), subject, ZONE)(start).bonus;

  test.each<[string, Sample[], string, number]>([
    ['approved hours are better', mornings, at('08:30'), 1],
    ['rejected ones worse', mornings, at('13:30'), -1],
    ['hours nobody decided about are neutral', mornings, at('10:00'), 0],
    ['the same hour of another day takes part', mornings, at('08:00', '2026-11-20'), 1],
    ['two decisions are an accident', [yes(at('08:00')), no(at('13:00'))], at('08:00'), 0],
    ['moved away is worse', times(5, moved(at('13:00'), at('08:00'))), at('13:00'), -1],
    ['moved to is better', times(5, moved(at('13:00'), at('08:00'))), at('08:00'), 1],
    [
      'good ratings are better',
      [...times(4, yes(at('08:00'), { rating: 5 })), ...times(4, yes(at('13:00'), { rating: 1 }))],
      at('08:00'),
      1,
    ],
    [
      'bad ratings worse',
      [...times(4, yes(at('08:00'), { rating: 5 })), ...times(4, yes(at('13:00'), { rating: 1 }))],
      at('13:00'),
      -1,
    ],
    ['always approved everywhere says nothing of an hour', times(50, yes(at('08:00'))), at('08:00'), 0],
  ])('%s', (_, samples, start, sign) => {
    expect(Math.sign(bonus(samples, start))).toBe(sign);
  });

  test('the exact weekday outweighs the hour of other days', () => {
    const samples = [...mornings, ...times(6, no(at('08:00', '2026-11-20')))];
    expect(bonus(samples, at('08:00', '2026-11-20'))).toBeLessThan(bonus(samples, at('08:00')));
  });

  test('a tag nobody decided about goes by its action', () => {
    expect(bonus(mornings, at('08:00'), { tag: '@new', action_type: 'schedule' })).toBeGreaterThan(0);
    expect(bonus(mornings, at('08:00'), { tag: null, action_type: 'log' })).toBe(0);
  });

  test('and the counts are named', () => {
    const weight = learnedWeight(
      learn([...mornings, yes(at('08:00'), { rating: 4 }), moved(at('13:10'), at('08:00'))], ZONE),
      deep,
      ZONE,
    );
    expect(weight(at('08:00')).reason).toBe(
      'this was learned from @deep_work plans on Tuesdays at 09:00: 8 approved, 0 rejected, 1 rated 4 on average',
    );
    expect(weight(at('13:00')).reason).toBe(
      'this was learned from @deep_work plans on Tuesdays at 14:00: 0 approved, 6 rejected, 1 moved',
    );
    expect(weight(at('08:00', '2026-11-20')).reason).toMatch(
      /^this was learned from @deep_work plans at 09:00 on other days: 8 approved/,
    );
    expect(weight(at('10:00'))).toEqual({ bonus: 0, reason: null });
  });

  const decided = fc.array(
    fc.record({
      day: fc.integer({ min: 0, max: 13 }),
      hour: fc.integer({ min: 6, max: 20 }),
      verdict: fc.constantFrom('yes', 'no', 'moved'),
      rating: fc.option(fc.integer({ min: 1, max: 5 })),
    }),
    { maxLength: 80 },
  );
  const samplesOf = (all: { day: number; hour: number; verdict: string; rating: number | null }[]): Sample[] =>
    all.map(({ day, hour, verdict, rating }) => {
      const start = addMinutes(at('00:00'), (day * 24 + hour) * 60);
      if (verdict === 'moved') return moved(start, addMinutes(start, 180), { rating });
      return verdict === 'yes' ? yes(start, { rating }) : no(start, { rating });
    });

  test('counts add up, order does not matter, the bonus stays within 1', () => {
    const property = fc.property(decided, fc.integer({ min: 0, max: 24 * 14 }), (all, hour) => {
      const learned = learn(samplesOf(all), ZONE);
      const reversed = learn(samplesOf(all.toReversed()), ZONE);
      expect(reversed).toEqual(learned);
      expect(learned.samples).toBe(all.length);
      const kind = learned.tags['@deep_work'];
      const hours = Object.values(kind?.hours ?? {});
      for (const field of ['approved', 'rejected', 'moved', 'rated'] as const)
        expect(kind?.[field] ?? 0).toBe(hours.reduce((sum, counts) => sum + counts[field], 0));
      const { bonus: worth, reason } = learnedWeight(learned, deep, ZONE)(addMinutes(at('00:00'), hour * 60));
      expect(Math.abs(worth)).toBeLessThanOrEqual(1);
      expect(reason === null).toBe(worth === 0);
    });
    expect(() => fc.assert(property, { numRuns: runs(100) })).not.toThrow();
  });

  test('only the ranking changes: the same free time, in another order', () => {
    const window = { start: at('07:00'), end: at('16:00') };
    const base = {
      window,
      windows: [window],
      busy: [{ start: at('10:00'), end: at('11:00') }],
      duration_minutes: 60,
      now: at('00:00'),
      limit: 100,
      zone: ZONE,
    };
    const property = fc.property(decided, (all) => {
      const weighed = findSlots({ ...base, weight: learnedWeight(learn(samplesOf(all), ZONE), deep, ZONE) });
      const plain = findSlots(base);
      expect(weighed.refused).toEqual(plain.refused);
      for (const { start, end } of weighed.slots) expect(start >= at('11:00') || end <= at('10:00')).toBe(true);
    });
    expect(() => fc.assert(property, { numRuns: runs(60) })).not.toThrow();
    const afternoons = [...times(6, no(at('07:00'))), ...times(6, yes(at('13:00')))];
    expect(findSlots({ ...base, weight: learnedWeight(learn(afternoons, ZONE), deep, ZONE) }).slots[0]?.start).toBe(
      at('13:00'),
    );
    expect(findSlots(base).slots[0]?.start).toBe(at('07:00'));
  });
});
