/** What a plan changes of the settings, as a list for people. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { defaultTempo, NO_LIMITS, type PlanSettings } from '../../src/domain/plan/plan-settings.ts';
import { Limits, LimitsPatch } from '../../src/domain/plan/limits.ts';
import { ACTION_TYPES } from '../../src/domain/plan/plan.ts';
import {
  settingChanges,
  settingsAfter,
  settingsSet,
  type SettingsPatch,
} from '../../src/domain/plan/setting-changes.ts';
import { TempoPreferences, type TimeRange } from '../../src/domain/plan/tempo.ts';
import { WEEKDAYS } from '../../src/domain/plan/weekdays.ts';
import { patchedTempo } from '../../src/tempo/patched-tempo.ts';
import { defaultSettings, patchSettings } from '../../src/user/profile.ts';

const NEW: PlanSettings = { limits: NO_LIMITS, tempo: defaultTempo() };
const after = (given: SettingsPatch, before = NEW): PlanSettings => settingsAfter(before, given) as PlanSettings;
/** Each row as `name: before → after`. */
const said = (given: SettingsPatch, before = NEW): string[] =>
  settingChanges(before, after(given, before)).rows.map((row) => `${row.name}: ${row.before} → ${row.after}`);
const set = (given: SettingsPatch): string[] | undefined =>
  settingsSet(given)?.rows.map((row) => `${row.name}: ${row.after}`);

const WORK: TimeRange[] = [
  { name: 'work', days: ['MO', 'TU', 'WE', 'TH', 'FR'], start: '09:00', end: '17:00' },
  { name: 'market', days: ['SA'], start: '10:00', end: '14:00' },
];
const BUSY = after({
  limits: { budget: { per_day: 4 }, cadence: [{ id: 'one', action_type: 'reflect', max: 1, per: 'day' }] },
  tempo: {
    time_ranges: WORK,
    tag_mappings: { '@deep': { ranges: ['work'], duration_minutes: 90 } },
    duration_biases: { '@call': { factor: 1.5 } },
    task_overrides: { report: { tempo_tag: '@deep' } },
  },
});

test('the defaults are those of the schemas', () => {
  expect(NO_LIMITS).toEqual(Limits.parse({}));
  expect(TempoPreferences.parse(defaultTempo())).toEqual(defaultTempo());
});

describe('a change is said', () => {
  test.each<[string, SettingsPatch, string[]]>([
    ['of a budget', { limits: { budget: { per_week: 6 } } }, ['Plans of agents per week: no limit → 6']],
    [
      'of rules',
      {
        limits: {
          cadence: [
            { id: 'one', action_type: 'reflect', max: 1, per: 'day' },
            { id: 'calls', action_type: 'reschedule', tag: '@call', max: 2, per: 'week' },
          ],
        },
      },
      [
        'Rule “one”: none → at most 1 reflection a day',
        'Rule “calls”: none → at most 2 changes of events a week with @call',
      ],
    ],
    ['of a switch', { limits: { only_in_tempo: true } }, ['Agents outside your hours: allowed → refused']],
    [
      'of hours',
      { tempo: { time_ranges: WORK } },
      ['Hours: every day 08:00 to 20:00 → Monday to Friday 09:00 to 17:00; Saturday 10:00 to 14:00'],
    ],
    [
      'of tags, lengths and tasks',
      {
        tempo: {
          tag_mappings: { '@x': { ranges: ['day'], duration_minutes: 45 } },
          duration_biases: { schedule: { minutes: 20, factor: 2 }, '@x': { factor: 0.5 } },
          task_overrides: { report: { duration_minutes: 60, tempo_tag: '@x' } },
          use_learned: true,
        },
      },
      [
        'Tag @x: as built in → every day 08:00 to 20:00; 45 minutes',
        'Usual length of new events: 30 minutes → 20 minutes; 2 times as long',
        'Usual length of tag @x: as built in → 0.5 times as long',
        'Task report: none → 1 hour; as @x',
        'Times by what was learned: off → on',
      ],
    ],
    ['of nothing', { limits: { only_in_tempo: false }, tempo: {} }, []],
    ['of no members', {}, []],
  ])('%s', (_, given, rows) => {
    expect(said(given)).toEqual(rows);
  });

  test('back to defaults, where null takes something away', () => {
    expect(
      said(
        {
          limits: { budget: null, cadence: null },
          tempo: { tag_mappings: { '@deep': null }, duration_biases: null, task_overrides: { report: null } },
        },
        BUSY,
      ),
    ).toEqual([
      'Plans of agents per day: 4 → no limit',
      'Rule “one”: at most 1 reflection a day → none',
      'Tag @deep: Monday to Friday 09:00 to 17:00; 90 minutes → as built in',
      'Usual length of tag @call: 1.5 times as long → as built in',
      'Task report: as @deep → none',
    ]);
  });

  test('by the names of hours where only these change', () => {
    const [work, market] = WORK as [TimeRange, TimeRange];
    const renamed = {
      time_ranges: [{ ...work, name: 'office' }, market],
      tag_mappings: { '@deep': { ranges: ['office'] } },
    };
    expect(said({ tempo: renamed }, BUSY)).toEqual([
      'Hours: “work”: Monday to Friday 09:00 to 17:00; “market”: Saturday 10:00 to 14:00 → “office”: Monday to Friday 09:00 to 17:00; “market”: Saturday 10:00 to 14:00',
      'Tag @deep: “work”: Monday to Friday 09:00 to 17:00; 90 minutes → “office”: Monday to Friday 09:00 to 17:00; 90 minutes',
    ]);
  });

  test('in the words that are given', () => {
    const words = { day: (day: string) => day, clock: (at: string) => `${at} h`, length: (n: number) => `${n} min` };
    const { rows } = settingChanges(NEW, after({ tempo: { time_ranges: WORK } }), words);
    expect(rows[0]?.after).toBe('MO to FR 09:00 h to 17:00 h; SA 10:00 h to 14:00 h');
  });

  const RULES = Array.from({ length: 50 }, (_, n) => ({
    ...{ id: `rule-${n}`, action_type: 'reflect', max: 90, per: 'day' },
  }));
  const LONG = '@'.padEnd(200, 'long');

  test('of much in all rows, with bounds of agents and what goes first', () => {
    const given = {
      limits: { cadence: RULES, only_in_tempo: null },
      tempo: {
        ...{ use_learned: true, task_overrides: { report: null } },
        time_ranges: [...WORK, { ...WORK[1], name: 'late', end: '23:00' }],
      },
    };
    const strict = after({ limits: { only_in_tempo: true } }, BUSY);
    const rows = said(given, strict);
    expect(rows.slice(0, 4)).toEqual([
      'Agents outside your hours: refused → allowed',
      expect.stringMatching(/^Hours: .*Saturday 10:00 to 23:00$/),
      'Rule “one”: at most 1 reflection a day → none',
      'Task report: as @deep → none',
    ]);
    expect(rows).toHaveLength(4 + 50 + 1);
    const many = Object.fromEntries(Array.from({ length: 150 }, (_, n) => [`@tag ${n}`, { duration_minutes: 5 }]));
    expect(said({ tempo: { tag_mappings: many } })).toHaveLength(150);
  });

  test('of many hours in full, with what differs first', () => {
    const ranges = Array.from({ length: 50 }, (_, n) => ({ ...(WORK[0] as TimeRange), name: `${n}` }));
    const [before, next] = [ranges, ranges.with(49, { ...(WORK[1] as TimeRange), name: 'last' })].map((time_ranges) =>
      after({ tempo: { time_ranges } }),
    ) as [PlanSettings, PlanSettings];
    const [row] = settingChanges(before, next).rows;
    expect(row?.after).toMatch(/^Saturday 10:00 to 14:00; /);
    expect(row?.after.split('; ')).toHaveLength(50);
  });

  test('of long names in full, and rows of one name are told apart', () => {
    const [one, other] = [`${LONG} one`, `${LONG} other`];
    const given = { tag_mappings: { [one]: { duration_minutes: 5 }, [other]: { duration_minutes: 5 } } };
    expect(said({ tempo: given })).toEqual([
      `Tag ${one}: as built in → 5 minutes`,
      `Tag ${other}: as built in → 5 minutes`,
    ]);
    const { rows } = settingChanges(NEW, after({ tempo: given }));
    expect(new Set(rows.map(({ key }) => key)).size).toBe(2);
    const as = (tag: string) => ({ tempo: { task_overrides: { report: { tempo_tag: tag } } } });
    expect(said(as(other), after(as(one)))).toEqual([`Task report: as ${one} → as ${other}`]);
  });

  test('of hours of its own that are those of a name', () => {
    const of = (range: unknown) => ({ tempo: { tag_mappings: { '@x': { ranges: [range] } } } });
    const [day] = NEW.tempo.time_ranges;
    expect(said(of(day), after(of('day')))).toEqual([
      'Tag @x: “day”: every day 08:00 to 20:00 → hours of its own, “day”: every day 08:00 to 20:00',
    ]);
  });
});

test.each<[string, SettingsPatch, PlanSettings?]>([
  ['names hours that are not there', { tempo: { tag_mappings: { '@x': { ranges: ['gone'] } } } }],
  ['takes hours away that a tag names', { tempo: { time_ranges: [WORK[1]] } }, BUSY],
  ['has a name twice', { tempo: { time_ranges: [WORK[0], WORK[0]] } }],
  ['has no hours', { tempo: { time_ranges: [] } }],
  ['is of another shape', { tempo: { time_ranges: 5 } }],
  ['is of another shape below', { tempo: { time_ranges: [{ name: 'x' }] } }],
  ['is of another shape in limits', { limits: { cadence: 5 } }],
])('a patch that %s is not applied', (_, given, before = NEW) => {
  expect(settingsAfter(before, given)).toBeNull();
});

describe('what a plan sets is said without what was before', () => {
  test.each<[string, SettingsPatch, string[]]>([
    [
      'of limits',
      { limits: { budget: { per_day: 3 }, only_in_tempo: false } },
      ['Plans of agents per day: 3', 'Agents outside your hours: allowed'],
    ],
    [
      'of no limit',
      { limits: { budget: null, cadence: [] } },
      ['Plans of agents per day: no limit', 'Plans of agents per week: no limit', 'Rules for agents: none'],
    ],
    ['of hours that are not known', { tempo: { tag_mappings: { '@x': { ranges: ['work'] } } } }, ['Tag @x: “work”']],
    [
      'of what goes',
      { tempo: { tag_mappings: { '@x': null }, task_overrides: null, use_learned: null } },
      ['Tag @x: as built in', 'All tasks: none', 'Times by what was learned: off'],
    ],
    [
      'of one member of an entry',
      { tempo: { duration_biases: { schedule: { factor: 2 } }, tag_mappings: { '@call': { ranges: ['day'] } } } },
      ['Tag @call: “day”', 'Usual length of new events: 2 times as long'],
    ],
    [
      'of members that go',
      {
        tempo: {
          tag_mappings: { '@call': { duration_minutes: null } },
          duration_biases: { schedule: { minutes: null, factor: 2 } },
          task_overrides: { report: { ranges: null, tempo_tag: null } },
        },
      },
      [
        'Tag @call: length: as built in',
        'Usual length of new events: length: as built in; 2 times as long',
        'Task report: hours: none; tag: none',
      ],
    ],
    ['of a list that goes', { tempo: { duration_biases: null } }, ['All usual lengths: as built in']],
    ['of hours as built in', { tempo: { time_ranges: null } }, ['Hours: every day 08:00 to 20:00']],
    ['of nothing', {}, []],
    ['of nothing in an entry', { tempo: { tag_mappings: { '@x': {} } } }, []],
  ])('%s', (_, given, rows) => {
    expect(set(given)).toEqual(rows);
  });
  test('in few rows and short texts, with bounds of agents first', () => {
    const cadence = Array.from({ length: 50 }, (_, n) => ({ id: `${n}`, action_type: 'log', max: 9, per: 'day' }));
    const ranges = Array.from({ length: 50 }, (_, n) => ({ ...WORK[0], name: `${n}` }));
    const found = settingsSet({ limits: { cadence, only_in_tempo: null }, tempo: { time_ranges: ranges } });
    expect([found?.rows.length, found?.more]).toEqual([20, 32]);
    expect(found?.rows.slice(0, 2)).toMatchObject([
      { name: 'Agents outside your hours', after: 'allowed' },
      { name: 'Hours', after: expect.stringMatching(/; and 42 more$/) },
    ]);
    const named = settingsSet({ tempo: { tag_mappings: { ['@'.repeat(255)]: { duration_minutes: 5 } } } });
    expect(named?.rows[0]?.name.length).toBeLessThan(120);
  });
  test('and not where it has another shape', () => {
    expect(set({ tempo: { time_ranges: 5 } })).toBeUndefined();
  });
});

const max = fc.option(fc.nat(3));
const minutes = fc.integer({ min: 1, max: 3 });
const days = fc.subarray([...WEEKDAYS], { minLength: 1 });
const range = fc
  .record({
    name: fc.constantFrom('a', 'b'),
    days,
    start: fc.constantFrom('08:00', '09:00'),
    end: fc.constant('17:00'),
  })
  .map((one): TimeRange => one);
const optional = { requiredKeys: [] };
const rule = fc.record(
  {
    id: fc.constantFrom('one', 'two'),
    action_type: fc.constantFrom(...ACTION_TYPES),
    max: fc.nat(2),
    per: fc.constantFrom('day' as const, 'week' as const),
    tag: fc.constantFrom('@x', '@y'),
  },
  { requiredKeys: ['id', 'action_type', 'max', 'per'] },
);
const unique = <T>(of: fc.Arbitrary<T>, by: (one: T) => string, minLength = 0): fc.Arbitrary<T[]> =>
  fc.uniqueArray(of, { selector: by, minLength, maxLength: 3 });
const list = <T>(of: fc.Arbitrary<T>) =>
  fc.dictionary(fc.constantFrom('schedule', '@x', 'constructor'), of, { maxKeys: 2, noNullPrototype: true });
const limits = fc.record({
  budget: fc.record({ per_day: max, per_week: max }),
  cadence: unique(rule, ({ id }) => id),
  only_in_tempo: fc.boolean(),
});
const tempo = unique(range, ({ name }) => name, 1).chain((time_ranges) => {
  const ranges = fc.array(fc.oneof(fc.constantFrom(...time_ranges.map(({ name }) => name)), range), {
    minLength: 1,
    maxLength: 3,
  });
  return fc.record({
    time_ranges: fc.constant(time_ranges),
    tag_mappings: list(fc.record({ ranges, duration_minutes: minutes }, optional)),
    duration_biases: list(fc.record({ minutes, factor: fc.constantFrom(0.5, 2) }, optional)),
    task_overrides: list(fc.record({ ranges, duration_minutes: minutes, tempo_tag: fc.constantFrom('@x') }, optional)),
    use_learned: fc.boolean(),
  });
});
const settings: fc.Arbitrary<PlanSettings> = fc.record({
  limits: limits.map((one) => Limits.parse(one)),
  tempo: tempo.map((one) => TempoPreferences.parse(one)),
});

/** The order of rules and days, and that of members, mean nothing. */
const meaning = ({ limits, tempo }: PlanSettings): unknown => {
  const days = (one: unknown): unknown =>
    typeof one === 'string'
      ? one
      : { ...(one as TimeRange), days: WEEKDAYS.filter((day) => (one as TimeRange).days.includes(day)) };
  const users = (of: Record<string, { ranges?: unknown[] | undefined }>) =>
    Object.fromEntries(
      Object.entries(of).map(([id, { ranges, ...rest }]) => [
        id,
        { ...rest, ...(ranges && { ranges: ranges.map(days) }) },
      ]),
    );
  return {
    limits: { ...limits, cadence: limits.cadence.toSorted((a, b) => a.id.localeCompare(b.id)) },
    tempo: {
      ...tempo,
      time_ranges: tempo.time_ranges.map(days),
      tag_mappings: users(tempo.tag_mappings),
      task_overrides: users(tempo.task_overrides),
    },
  };
};
const isSame = (one: PlanSettings, other: PlanSettings): boolean => {
  try {
    expect(meaning(one)).toEqual(meaning(other));
    return true;
  } catch {
    return false;
  }
};

test('there are no rows exactly where both settings mean the same, and each row says two things', () => {
  fc.assert(
    fc.property(settings, settings, fc.subarray(['limits', 'tempo'] as const), (one, other, parts) => {
      const next = { ...one, ...Object.fromEntries(parts.map((part) => [part, other[part]])) };
      const { rows } = settingChanges(one, next);
      expect(rows.length === 0).toBe(isSame(one, next));
      for (const { before, after } of rows) expect(before).not.toBe(after);
      expect(settingChanges(one, structuredClone(one)).rows).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

const nullable = <T>(of: fc.Arbitrary<T>) => fc.option(of);
const limitsPatch = fc.record(
  {
    budget: nullable(fc.record({ per_day: max, per_week: max }, optional)),
    cadence: nullable(unique(rule, ({ id }) => id)),
    only_in_tempo: nullable(fc.boolean()),
  },
  optional,
);
const tempoPatch = tempo.chain((made) =>
  fc
    .subarray(Object.keys(made) as (keyof typeof made)[])
    .chain((fields) =>
      fc
        .tuple(...fields.map((field) => nullable(fc.constant(made[field]))))
        .map((values): Record<string, unknown> => Object.fromEntries(fields.map((field, n) => [field, values[n]]))),
    ),
);

test('a patch is applied as the service applies it, or both refuse it', () => {
  fc.assert(
    fc.property(settings, fc.record({ limits: limitsPatch, tempo: tempoPatch }, optional), (before, given) => {
      const byService = (): PlanSettings => ({
        limits: patchSettings(
          { ...defaultSettings(), limits: before.limits },
          { limits: LimitsPatch.parse(given.limits ?? {}) },
        ).limits,
        tempo: patchedTempo(before.tempo, given.tempo ?? {}, { at: [] }),
      });
      const found = settingsAfter(before, given);
      if (found === null) expect(byService).toThrow();
      else expect(found).toEqual(byService());
      expect(settingsSet(given)).not.toBeNull();
    }),
    { numRuns: 500 },
  );
});

test('whatever a plan holds, nothing is thrown', () => {
  fc.assert(
    fc.property(
      fc.dictionary(
        fc.constantFrom('limits', 'tempo'),
        fc.dictionary(
          fc.constantFrom('budget', 'cadence', 'time_ranges', 'tag_mappings', 'duration_biases'),
          fc.jsonValue(),
        ),
      ),
      (given) => {
        const next = settingsAfter(BUSY, given);
        expect(next && settingChanges(BUSY, next).rows).toSatisfy((rows) => rows === null || Array.isArray(rows));
        expect(settingsSet(given)?.more).toBeOneOf([undefined, 0]);
      },
    ),
    { numRuns: 500 },
  );
});
