/** Changes of tempo hours in the console, compared with what tags and tasks mean by them. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  changeDay,
  changeSet,
  patchOf,
  removeDay,
  removeSet,
  restored,
  type Hours,
} from '../../src/console/app/tempo/hours.ts';
import { DAYS, type Day, type Range } from '../../src/console/app/ui/hours-text.ts';
import { mergePatch } from '../../src/domain/record/merge-patch.ts';
import { defaultTempo } from '../../src/domain/plan/plan-settings.ts';
import { TempoPreferences } from '../../src/domain/plan/tempo.ts';

const TIMES = [
  { start: '08:00', end: '12:00' },
  { start: '08:00', end: '20:00' },
  { start: '13:00', end: '24:00' },
];
const times = fc.constantFrom(...TIMES);
const days = fc.subarray([...DAYS], { minLength: 1 });
const name = fc.constantFrom('day', 'day 2', 'day 3', 'hours 1', 'night');
const set: fc.Arbitrary<Range> = fc.record({ name, days, times }).map(({ times: { start, end }, ...rest }) => ({
  ...rest,
  start,
  end,
}));
const anyHours: fc.Arbitrary<Hours> = fc
  .uniqueArray(set, { selector: (one) => one.name, minLength: 1, maxLength: 5 })
  .chain((time_ranges) => {
    const ranges = fc.subarray(
      time_ranges.map((one): string | Range => one.name),
      { minLength: 1 },
    );
    return fc.record({
      time_ranges: fc.constant(time_ranges),
      tag_mappings: fc.dictionary(fc.constantFrom('@a', '@b'), fc.record({ ranges })),
      task_overrides: fc.dictionary(fc.constantFrom('t'), fc.record({ ranges })),
    });
  });

/** What each tag and task, and all hours together, mean: days with their times. */
const meaningOf = ({ time_ranges, tag_mappings, task_overrides }: Hours): Record<string, string[]> => {
  const mean = (names: readonly unknown[]): string[] =>
    time_ranges
      .filter((one) => names.includes(one.name))
      .flatMap((one) => one.days.map((day) => `${day} ${one.start} ${one.end}`))
      .toSorted();
  const users = { ...tag_mappings, ...task_overrides };
  return {
    all: mean(time_ranges.map((one) => one.name)),
    ...Object.fromEntries(Object.entries(users).map(([user, { ranges }]) => [user, mean(ranges ?? [])])),
  };
};

const change = fc.record({ hours: anyHours, at: fc.nat(), dayAt: fc.nat(), to: times });
const placeOf = ({ hours, at, dayAt }: { hours: Hours; at: number; dayAt: number }): [Range, Day] => {
  const old = hours.time_ranges[at % hours.time_ranges.length] as Range;
  return [old, old.days[dayAt % old.days.length] as Day];
};

/** The service takes it as a patch, and the patch back restores what was. */
const expectTaken = (before: Hours, after: Hours): void => {
  const stored = { ...defaultTempo(), ...before };
  const next = mergePatch(stored, patchOf(before, after));
  expect(next).toEqual({ ...stored, ...after });
  expect(TempoPreferences.safeParse(next).error).toBeUndefined();
  expect(mergePatch(next, patchOf(after, restored(after, before, after)))).toEqual(stored);
};

test('another time of one day is that for all who name its set, and nothing else is different', () => {
  fc.assert(
    fc.property(change, ({ to, ...given }) => {
      const { hours } = given;
      const [old, day] = placeOf(given);
      const { next, name: own } = changeDay(hours, old, day, to);
      if (typeof next === 'string') throw new Error(next);
      const was = `${day} ${old.start} ${old.end}`;
      const users = { ...hours.tag_mappings, ...hours.task_overrides };
      for (const [user, before] of Object.entries(meaningOf(hours))) {
        const expected = [...before];
        if (user === 'all' || users[user]?.ranges?.includes(old.name))
          expected.splice(expected.indexOf(was), 1, `${day} ${to.start} ${to.end}`);
        expect([user, meaningOf(next)[user]]).toEqual([user, expected.toSorted()]);
      }
      expect(next.time_ranges.find((one) => one.name === own)).toMatchObject(to);
      expect(next.time_ranges.find((one) => one.name === own)?.days).toContain(day);
      expectTaken(hours, next);
    }),
  );
});

test('a day, a set and a name go without another, or the reason is said', () => {
  fc.assert(
    fc.property(change, (given) => {
      const { hours } = given;
      const [old, day] = placeOf(given);
      const renamed = changeSet(hours, old, { ...old, name: 'other' });
      if (typeof renamed === 'string') throw new Error(renamed);
      expect(meaningOf(renamed)).toEqual(meaningOf(hours));
      expectTaken(hours, renamed);
      const without = removeDay(hours, old, day);
      if (typeof without !== 'string') {
        expect(meaningOf(without)['all']).toHaveLength((meaningOf(hours)['all']?.length ?? 0) - 1);
        expectTaken(hours, without);
      } else expect(old.days).toHaveLength(1);
      const gone = removeSet(hours, old);
      if (typeof gone !== 'string') expectTaken(hours, gone);
      else expect(gone).toMatch(/^At least one set|has no other hours/);
    }),
  );
});

test('hours have bounds, which are said before anything is sent', () => {
  const many = (count: number): Hours => ({
    time_ranges: Array.from({ length: count }, (_, n) => ({ name: `h ${n + 2}`, days: [...DAYS], ...TIMES[0]! })),
    tag_mappings: { '@a': { ranges: Array.from({ length: Math.min(count, 20) }, (_, n) => `h ${n + 2}`) } },
    task_overrides: {},
  });
  const late = { start: '20:00', end: '21:00' };
  const [full, named] = [many(50), many(20)];
  expect(changeDay(full, full.time_ranges[0]!, 'MO', late).next).toMatch(/^There are 50 sets of hours/);
  expect(changeDay(named, named.time_ranges[0]!, 'MO', late).next).toMatch(/^The tag “@a” has 20 sets/);
  const long = { ...named.time_ranges[0]!, name: 'x'.repeat(64) };
  const { name: own } = changeDay({ ...named, tag_mappings: {}, time_ranges: [long] }, long, 'MO', late);
  expect(own.length).toBeLessThanOrEqual(64);
});
