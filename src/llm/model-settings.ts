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

/** The preferences that a model was given, as far as a change needs them. */
const Given = z.object({ time_ranges: z.array(z.object({ name: z.string() })) });

/** Ranges keep their names in order, since other preferences may use these. */
const named = (hours: NonNullable<NonNullable<AskedSettings>['hours']>, tempo: unknown) => {
  const given = Given.safeParse(tempo);
  const names = given.success ? given.data.time_ranges.map(({ name }) => name) : [];
  const taken = new Set(names);
  return hours.map((range, i) => {
    let n = i + 1;
    while (names[i] === undefined && taken.has(`hours ${n}`)) n += 1;
    const name = names[i] ?? `hours ${n}`;
    taken.add(name);
    return { name, ...range };
  });
};

const budgetOf = ({ per_day, per_week }: NonNullable<AskedSettings>) =>
  Object.fromEntries(
    Object.entries({ per_day, per_week }).flatMap(([name, most]) =>
      most === null ? [] : [[name, most === NO_LIMIT ? null : most]],
    ),
  );

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
  const ranges = hours && named(hours, tempo);
  for (const range of ranges ?? []) {
    const { error } = TimeRange.safeParse(range);
    if (error) fault(`hours: ${error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; ')}`);
  }
  if (hours?.length === 0) fault('hours: must not be empty');
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
