/** A change of the settings as a model gives it, and the arguments of a plan (type configure) that it means. */
import { z } from 'zod';
import type { PlanArguments } from '../domain/plan/plan-arguments.ts';
import { TimeRange } from '../domain/plan/tempo.ts';
import { WEEKDAYS } from '../domain/plan/weekdays.ts';

/** null leaves a limit as it is, so its end needs a number. */
const NO_LIMIT = -1;
const most = (per: string) =>
  z
    .number()
    .int()
    .min(NO_LIMIT)
    .max(100_000)
    .nullable()
    .default(null)
    .describe(`at most this many plans of agents a ${per}; -1 ends the limit`);

export const AskedSettings = z
  .strictObject({
    hours: z
      .array(z.strictObject({ days: z.array(z.enum(WEEKDAYS)).max(7), start: z.string(), end: z.string() }))
      .max(50)
      .nullable()
      .default(null)
      .describe(
        'all hours of the week in which agents may place work, as HH:MM to HH:MM or 24:00; they replace time_ranges',
      ),
    only_in_hours: z
      .boolean()
      .nullable()
      .default(null)
      .describe('true where nothing may be proposed outside of the hours'),
    per_day: most('day'),
    per_week: most('week'),
    usual_minutes: z
      .number()
      .int()
      .min(1)
      .max(1440)
      .nullable()
      .default(null)
      .describe('the length of new events where none is named'),
  })
  .nullable()
  .default(null)
  .describe('configure only: what changes; null for what stays');
export type AskedSettings = z.output<typeof AskedSettings>;

const Range = z.object({ name: z.string(), days: z.array(z.string()), start: z.string(), end: z.string() });
/** Tags or tasks, with the ranges that they use: names, or hours of their own. */
const Users = z.record(z.string(), z.object({ ranges: z.array(z.unknown()).default([]) })).default({});
/** The preferences that a model was given, as far as a change needs them. */
const Given = z.object({ time_ranges: z.array(Range), tag_mappings: Users, task_overrides: Users });
type Given = z.output<typeof Given>;

type Hours = NonNullable<NonNullable<AskedSettings>['hours']>[number];

const minuteOf = (clock: string): number => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3, 5));

/** How many minutes of a week two ranges have in common. */
const overlap = (one: Hours, other: Omit<z.output<typeof Range>, 'name'>): number => {
  const days = one.days.filter((day) => other.days.includes(day)).length;
  const from = Math.max(minuteOf(one.start), minuteOf(other.start));
  return days * Math.max(0, Math.min(minuteOf(one.end), minuteOf(other.end)) - from);
};

/** The names that ranges keep, because other preferences may use them: each goes to the hours that have most in common with it. */
const keptNames = (hours: readonly Hours[], { time_ranges }: Given): Map<number, string> => {
  const pairs = hours
    .flatMap((range, at) => time_ranges.map((was) => ({ at, name: was.name, minutes: overlap(range, was) })))
    .filter(({ minutes }) => minutes > 0)
    .toSorted((a, b) => b.minutes - a.minutes);
  const kept = new Map<number, string>();
  const given = new Set<string>();
  for (const { at, name } of pairs) {
    if (kept.has(at) || given.has(name)) continue;
    kept.set(at, name);
    given.add(name);
  }
  return kept;
};

/** The hours with names: those that they had, and new ones. */
const named = (hours: readonly Hours[], given: Given) => {
  const kept = keptNames(hours, given);
  const taken = new Set(given.time_ranges.map(({ name }) => name));
  return hours.map((range, i) => {
    const name = kept.get(i) ?? freeName(taken, i + 1);
    taken.add(name);
    return { name, ...range };
  });
};

/** 'hours 2', with the first number from `n` on that is not taken. */
const freeName = (taken: ReadonlySet<string>, n: number): string =>
  taken.has(`hours ${n}`) ? freeName(taken, n + 1) : `hours ${n}`;

/** A range that goes must not be one that a tag or a task uses, which no action can change. */
const checkUsers = (names: readonly string[], given: Given, fault: (message: string) => void): void => {
  const gone = given.time_ranges.filter(({ name }) => !names.includes(name));
  for (const { name, days, start, end } of gone) {
    const user = Object.entries({ ...given.task_overrides, ...given.tag_mappings }).find(([, { ranges }]) =>
      ranges.includes(name),
    );
    if (user)
      fault(
        `hours: leave out “${name}” (${days.join(', ')} ${start} to ${end}), which “${user[0]}” uses: keep some of these hours, or say in the reply that they can’t be left out`,
      );
  }
};

const budgetOf = ({ per_day, per_week }: NonNullable<AskedSettings>) =>
  Object.fromEntries(
    Object.entries({ per_day, per_week }).flatMap(([name, most]) =>
      most === null ? [] : [[name, most === NO_LIMIT ? null : most]],
    ),
  );

/** The hours as ranges of the preferences. */
const rangesOf = (hours: readonly Hours[], tempo: unknown, fault: (message: string) => void) => {
  const given = Given.safeParse(tempo).data ?? { time_ranges: [], tag_mappings: {}, task_overrides: {} };
  const ranges = named(hours, given);
  for (const range of ranges) {
    const { error } = TimeRange.safeParse(range);
    if (error) fault(`hours: ${error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; ')}`);
  }
  const names = ranges.map(({ name }) => name);
  if (hours.length === 0) fault('hours: must not be empty');
  else checkUsers(names, given, fault);
  return ranges;
};

/**
 * The arguments of the plan.
 * @param tempo the preferences as the model was given them
 * @param fault reports what is wrong
 */
export const settingsArguments = (
  asked: AskedSettings,
  tempo: unknown,
  fault: (message: string) => void,
): Pick<PlanArguments, 'limits' | 'tempo'> | null => {
  if (!asked) return null;
  const { hours, only_in_hours, usual_minutes } = asked;
  const ranges = hours && rangesOf(hours, tempo, fault);
  const budget = budgetOf(asked);
  const limits = {
    ...(Object.keys(budget).length > 0 && { budget }),
    ...(only_in_hours !== null && { only_in_tempo: only_in_hours }),
  };
  const changed = {
    ...(ranges && { time_ranges: ranges }),
    ...(usual_minutes !== null && { duration_biases: { schedule: { minutes: usual_minutes } } }),
  };
  return {
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(Object.keys(changed).length > 0 && { tempo: changed }),
  };
};
