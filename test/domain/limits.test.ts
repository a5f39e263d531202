/** Limits: budgets and cadence rules by local day and ISO week, off until set. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { countingWindow, createLimitCounts, Limits, LimitUsage } from '../../src/domain/plan/limits.ts';
import type { CountedPlan, LimitFault } from '../../src/domain/plan/limits.ts';
import { instantOf, millis } from '../../src/domain/time/time.ts';
import { runs } from '../support/thoroughness.ts';

const ZONE = 'Europe/Berlin';
const limits = (given: object): Limits => Limits.parse(given);
const plan = (at: string, action_type = 'schedule', ...tags: string[]): CountedPlan => ({
  action_type,
  tags,
  times: [millis(`${at}:00.000Z`)],
});
const checkLimits = (given: Limits, proposal: CountedPlan, counted: CountedPlan[], zone: string): LimitFault | null =>
  createLimitCounts(given, zone, counted).check(proposal);
const rule = (more: object = {}) => ({ id: 'r', action_type: 'reflect', max: 1, per: 'day', ...more });

describe('the settings', () => {
  test('of a new user are all off', () => {
    expect(Limits.parse({})).toEqual({ budget: { per_day: null, per_week: null }, cadence: [], only_in_tempo: false });
    const many = Array.from({ length: 50 }, () => plan('2026-11-18T09:00'));
    expect(checkLimits(Limits.parse({}), plan('2026-11-18T10:00'), many, ZONE)).toBeNull();
    expect(createLimitCounts(Limits.parse({}), ZONE, many).usageAt('2026-11-18T10:00:00.000Z')).toEqual([]);
  });
  test.each<[string, object, (string | number)[]]>([
    ['a negative budget', { budget: { per_day: -1 } }, ['budget', 'per_day']],
    ['half a plan', { budget: { per_week: 1.5 } }, ['budget', 'per_week']],
    ['an unknown field', { budget: { per_month: 3 } }, ['budget']],
    ['an unknown action', { cadence: [rule({ action_type: 'add' })] }, ['cadence', 0, 'action_type']],
    ['an unknown period', { cadence: [rule({ per: 'month' })] }, ['cadence', 0, 'per']],
    ['an id that is no code', { cadence: [rule({ id: 'One rule' })] }, ['cadence', 0, 'id']],
    ['the same id twice', { cadence: [rule(), rule()] }, ['cadence']],
    ['51 rules', { cadence: Array.from({ length: 51 }, (_, i) => rule({ id: `r${i}` })) }, ['cadence']],
  ])('refuse %s', (_, given, path) => {
    expect(Limits.safeParse(given).error?.issues[0]?.path).toEqual(path);
  });
});

describe('a proposal', () => {
  const day = limits({ budget: { per_day: 2 } });
  const week = limits({ budget: { per_week: 2 } });
  const reflect = limits({ cadence: [rule()] });
  const tagged = limits({ cadence: [rule({ id: 'calls', action_type: 'schedule', tag: '@call', per: 'week' })] });
  const [mon, wed, sun] = ['2026-11-16T09:00', '2026-11-18T09:00', '2026-11-22T09:00'].map((at) => plan(at)) as [
    CountedPlan,
    CountedPlan,
    CountedPlan,
  ];

  test.each<[string, Limits, CountedPlan, CountedPlan[], string | null]>([
    ['within the day', day, wed, [wed], null],
    ['over the day', day, wed, [wed, wed], 'limit:budget_day'],
    ['of another day', day, sun, [wed, wed], null],
    [
      'of any action',
      day,
      plan('2026-11-18T09:00', 'log'),
      [wed, plan('2026-11-18T10:00', 'reflect')],
      'limit:budget_day',
    ],
    ['within the week', week, sun, [mon], null],
    ['over the week, on its last day', week, sun, [mon, wed], 'limit:budget_week'],
    ['of the next week', week, plan('2026-11-23T09:00'), [mon, wed], null],
    ['the local day begins before UTC’s', day, plan('2026-11-17T23:30'), [wed, wed], 'limit:budget_day'],
    ['and ends before it', day, plan('2026-11-18T23:30'), [wed, wed], null],
    ['the local week begins before UTC’s', week, plan('2026-11-15T23:30'), [mon, wed], 'limit:budget_week'],
    ['none allowed', limits({ budget: { per_day: 0 } }), wed, [], 'limit:budget_day'],
    [
      'the day is told before the week',
      limits({ budget: { per_day: 1, per_week: 1 } }),
      wed,
      [wed],
      'limit:budget_day',
    ],
    [
      'over its cadence',
      reflect,
      plan('2026-11-18T20:00', 'reflect'),
      [plan('2026-11-18T09:00', 'reflect')],
      'limit:cadence:r',
    ],
    ['of another action than the rule', reflect, wed, [plan('2026-11-18T09:00', 'reflect')], null],
    ['others than the rule’s don’t count', reflect, plan('2026-11-18T20:00', 'reflect'), [wed, wed], null],
    ['without the rule’s tag', tagged, wed, [plan('2026-11-17T09:00', 'schedule', '@call')], null],
    [
      'with the rule’s tag',
      tagged,
      plan('2026-11-18T09:00', 'schedule', '#x', '@call'),
      [plan('2026-11-17T09:00', 'schedule', '@call')],
      'limit:cadence:calls',
    ],
    [
      'with it as tempo tag',
      tagged,
      { ...wed, tempo_tag: '@call' },
      [{ ...mon, tempo_tag: '@call' }],
      'limit:cadence:calls',
    ],
  ])('%s', (_, given, proposal, counted, code) => {
    expect(checkLimits(given, proposal, counted, ZONE)?.code ?? null).toBe(code);
  });

  test.each([
    // Days of 23, 25 and 23.5 hours: the last local minute counts, the next doesn't.
    ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00', '2026-03-29T21:59', '2026-03-29T22:00'],
    ['Europe/Berlin', '2026-10-25', '2026-10-24T22:00', '2026-10-25T22:59', '2026-10-25T23:00'],
    ['Australia/Lord_Howe', '2026-10-04', '2026-10-03T13:30', '2026-10-04T12:59', '2026-10-04T13:00'],
  ])('on a DST day: %s %s', (zone, _, first, last, next) => {
    const one = limits({ budget: { per_day: 1 } });
    expect(checkLimits(one, plan(last), [plan(first)], zone)?.code).toBe('limit:budget_day');
    expect(checkLimits(one, plan(first), [plan(last)], zone)?.code).toBe('limit:budget_day');
    expect(checkLimits(one, plan(next), [plan(first), plan(last)], zone)).toBeNull();
  });

  test('is told the limit, what is used, and when', () => {
    expect(checkLimits(day, wed, [wed, wed], ZONE)?.detail).toBe(
      'at most 2 plans per day; on Wednesday 18 November 2026 (Europe/Berlin): 2 approved, 0 waiting',
    );
    expect(
      checkLimits(
        tagged,
        plan('2027-01-01T09:00', 'schedule', '@call'),
        [plan('2026-12-28T09:00', 'schedule', '@call')],
        ZONE,
      )?.detail,
    ).toBe(
      'at most 1 plan for new events tagged @call per week; in the week of Monday 28 December 2026 (Europe/Berlin): 1 approved, 0 waiting',
    );
  });
});

test('usage tells what is used and left of each limit now', () => {
  const given = limits({ budget: { per_day: 2, per_week: 3 }, cadence: [rule()] });
  const counted = ['2026-11-16T09:00', '2026-11-18T09:00', '2026-11-18T10:00', '2026-11-19T09:00'].map((at) =>
    plan(at),
  );
  const told = createLimitCounts(given, ZONE, counted).usageAt('2026-11-18T12:00:00.000Z');
  expect(told.map(({ code, used, left, max }) => [code, used, left, max])).toEqual([
    ['limit:budget_day', 2, 0, 2],
    ['limit:budget_week', 4, 0, 3],
    ['limit:cadence:r', 0, 1, 1],
  ]);
  expect(told[0]).toMatchObject({ start: '2026-11-17T23:00:00.000Z', end: '2026-11-18T23:00:00.000Z' });
  expect(z.array(LimitUsage).parse(told)).toEqual(told);
});

test('usage and a refusal tell apart what was approved and what waits', () => {
  const given = limits({ budget: { per_day: 3 } });
  const [approved, waiting] = [plan('2026-11-18T09:00'), { ...plan('2026-11-18T10:00'), waits: true }];
  const counts = createLimitCounts(given, ZONE, [approved, waiting, waiting]);
  expect(counts.usageAt('2026-11-18T12:00:00.000Z')).toMatchObject([{ used: 1, waiting: 2, left: 0, max: 3 }]);
  const one = plan('2026-11-18T11:00');
  expect(counts.usageFor(one)).toMatchObject([{ used: 1, waiting: 2, left: 2, needed: 1 }]);
  expect(counts.check(one)?.detail).toContain('on Wednesday 18 November 2026 (Europe/Berlin): 1 approved, 2 waiting');
  expect(counts.check(one, 'decided')).toBeNull();
});

describe('random plans', () => {
  const from = Date.UTC(2026, 9, 12);
  const moments = fc.array(fc.integer({ min: 0, max: 28 * 1440 }), { maxLength: 60 });
  const rules = fc.record({
    per_day: fc.option(fc.integer({ min: 0, max: 3 })),
    per_week: fc.option(fc.integer({ min: 0, max: 8 })),
  });
  const zones = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Pacific/Auckland');

  test('let in one by one never overshoot a local day or ISO week, and waste none', () => {
    const property = fc.property(moments, rules, zones, (minutes, budget, zone) => {
      const given = limits({ budget });
      const local = new Intl.DateTimeFormat('sv', {
        timeZone: zone,
        year: 'numeric',
        month: '2-digit',
        day: '2-digit',
      });
      const dayOf = (at: string) => local.format(millis(at));
      // Mondays have day numbers of 4 mod 7 since the epoch, a Thursday.
      const weekOf = (at: string) => String(Math.floor((Date.parse(dayOf(at)) / 86_400_000 + 3) / 7));
      const accepted: CountedPlan[] = [];
      const used = new Map<string, number>();
      for (const minute of minutes) {
        const at = instantOf(from + minute * 60_000);
        const proposal: CountedPlan = { action_type: 'log', tags: [], times: [millis(at)] };
        const [d, w] = [used.get(dayOf(at)) ?? 0, used.get(weekOf(at)) ?? 0];
        const fits = d < (budget.per_day ?? Infinity) && w < (budget.per_week ?? Infinity);
        const window = countingWindow(at, zone);
        const loaded = accepted.filter(
          ({ times: [one = 0] }) => one >= millis(window.start) && one < millis(window.end),
        );
        expect(checkLimits(given, proposal, loaded, zone) === null).toBe(fits);
        if (!fits) continue;
        accepted.push(proposal);
        used.set(dayOf(at), d + 1);
        used.set(weekOf(at), w + 1);
      }
    });
    expect(() => fc.assert(property, { numRuns: runs(60) })).not.toThrow();
  });
});
