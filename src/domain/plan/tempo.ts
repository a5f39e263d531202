/**
 * Tempo preferences: when a person wants which kind of work, and how long it takes. This file has their schemas, the built-in
 * tags, and the computation of windows and durations.
 */
import { z } from 'zod';
import { dictionary, list } from '../record/bounded-collections.ts';
import { intersectSpans, mergeSpans, toInterval, toSpan } from '../time/spans.ts';
import type { Span } from '../time/spans.ts';
import { lengthName } from '../time/say.ts';
import { localDate, millis, wallToInstant } from '../time/time.ts';
import type { Interval } from '../time/time.ts';
import { WEEKDAYS } from './weekdays.ts';

export const Weekday = z
  .enum(WEEKDAYS)
  .meta({ id: 'Weekday', description: 'A day of the week, as RFC 5545 names it.' });
export type Weekday = z.infer<typeof Weekday>;

/** This bounds the whole profile in characters of JSON, because a client can merge any number of patches into it. */
const MAX_PREFERENCES_SIZE = 64 * 1024;
const MAX_MINUTES = 24 * 60;

const Name = z.string().min(1).max(64);
const Tag = z.string().min(1).max(255);
const Minutes = z.int().min(1).max(MAX_MINUTES);
const clock = (pattern: RegExp, description: string) =>
  z.string().regex(pattern, 'must be a wall time in the form HH:MM').meta({ description });

export const TimeRange = z
  .strictObject({
    name: Name.meta({ description: 'The name by which tag_mappings and task_overrides use this range.' }),
    days: list(Weekday, 7)
      .min(1)
      .refine((days) => new Set(days).size === days.length, 'must name each day at most once'),
    start: clock(/^([01]\d|2[0-3]):[0-5]\d$/, 'The wall time in the user’s zone at which the range starts, HH:MM.'),
    end: clock(
      /^(([01]\d|2[0-3]):[0-5]\d|24:00)$/,
      'The wall time before which the range ends, HH:MM or 24:00; it is later than start.',
    ),
  })
  .refine(({ start, end }) => start < end, { path: ['end'], message: 'must be later than start' })
  .meta({
    id: 'TimeRange',
    description: 'Hours of the day on some days of the week. Hours across midnight need two ranges.',
    examples: [{ name: 'day', days: ['MO', 'TU', 'WE', 'TH', 'FR'], start: '08:00', end: '20:00' }],
  });
export type TimeRange = z.infer<typeof TimeRange>;

const Ranges = list(z.union([Name, TimeRange]), 20)
  .min(1)
  .meta({ description: 'Names of time_ranges, or other ranges.' });

export const TagMapping = z.strictObject({ ranges: Ranges.optional(), duration_minutes: Minutes.optional() }).meta({
  id: 'TagMapping',
  description: 'When work with this tag happens and how long it takes. What is missing has its built-in value.',
});
export type TagMapping = z.infer<typeof TagMapping>;

export const DurationBias = z
  .strictObject({
    factor: z
      .number()
      .min(0.1)
      .max(10)
      .optional()
      .meta({ description: 'Multiplies a length that neither the request nor its task fixes.' }),
    minutes: Minutes.optional().meta({ description: 'The length if the request names none.' }),
  })
  .meta({ id: 'DurationBias' });
export type DurationBias = z.infer<typeof DurationBias>;

export const TaskOverride = z
  .strictObject({
    ranges: Ranges.optional(),
    duration_minutes: Minutes.optional(),
    tempo_tag: Tag.optional().meta({ description: 'The tag of this task’s work if the request names none.' }),
  })
  .meta({
    id: 'TaskOverride',
    description: 'When work of one task happens and how long it takes; it has priority over the tag.',
  });
export type TaskOverride = z.infer<typeof TaskOverride>;

const preferences = {
  time_ranges: list(TimeRange, 50)
    .min(1)
    .meta({ description: 'The tempo hours: when agents may place work without a time.' }),
  tag_mappings: dictionary(Tag, TagMapping, 200).meta({
    description: 'The meaning of each tempo tag; it has priority over the built-in meaning.',
  }),
  duration_biases: dictionary(Tag, DurationBias, 200).meta({
    description: 'How long plans take, by tempo tag or action_type.',
  }),
  task_overrides: dictionary(z.string().min(1).max(255), TaskOverride, 500).meta({
    description: 'Exceptions for tasks, by task_id.',
  }),
  use_learned: z.boolean().meta({ description: 'Whether slots are ranked by what was learned.' }),
};

type Fault = { path: (string | number)[]; message: string };

/** Checks what single fields can't: names are unique, references exist, and the whole is small enough. */
const faultsOf = (given: z.infer<z.ZodObject<typeof preferences>>): Fault[] => {
  const names = new Set(given.time_ranges.map(({ name }) => name));
  const faults: Fault[] = [];
  if (names.size < given.time_ranges.length)
    faults.push({ path: ['time_ranges'], message: 'must have names that are unique' });
  for (const field of ['tag_mappings', 'task_overrides'] as const)
    for (const [key, { ranges }] of Object.entries(given[field]))
      for (const [i, range] of (ranges ?? []).entries())
        if (typeof range === 'string' && !names.has(range))
          faults.push({
            path: [field, key, 'ranges', i],
            message: `must be the name of a time range; none is named ${JSON.stringify(range)}`,
          });
  if (JSON.stringify(given).length > MAX_PREFERENCES_SIZE)
    faults.push({ path: [], message: `must have at most ${MAX_PREFERENCES_SIZE} characters as JSON` });
  return faults;
};

/** The part of the profile that its owner writes. A merge patch is applied first, and the result is parsed with this schema. */
export const TempoPreferences = z
  .strictObject(preferences)
  .superRefine((given, context) => {
    for (const fault of faultsOf(given)) context.addIssue({ code: 'custom', ...fault });
  })
  .meta({ id: 'TempoPreferences', description: 'The timing preferences of a user.' });
export type TempoPreferences = z.infer<typeof TempoPreferences>;

/** A merge patch of members that may be missing. */
const patchOf = <S extends z.ZodRawShape>({ shape }: z.ZodObject<S>) =>
  z
    .strictObject(
      Object.fromEntries(Object.entries(shape).map(([name, member]) => [name, (member as z.ZodType).nullable()])),
    )
    .partial()
    .nullable();

/**
 * A JSON Merge Patch on TempoPreferences. Its members are checked by themselves; whether the result is consistent is known only with
 * the preferences that it changes.
 */
export const TempoPatch = z
  .strictObject({
    time_ranges: preferences.time_ranges.nullable(),
    tag_mappings: dictionary(Tag, patchOf(TagMapping), 200).nullable(),
    duration_biases: dictionary(Tag, patchOf(DurationBias), 200).nullable(),
    task_overrides: dictionary(z.string().min(1).max(255), patchOf(TaskOverride), 500).nullable(),
    use_learned: preferences.use_learned.nullable(),
  })
  .partial()
  .refine(
    (patch) => JSON.stringify(patch).length <= MAX_PREFERENCES_SIZE,
    `must have at most ${MAX_PREFERENCES_SIZE} characters as JSON`,
  )
  .meta({
    id: 'TempoPatch',
    description: 'A JSON Merge Patch (RFC 7396) on the timing preferences; null restores a default.',
  });

const Count = z.int().min(0);
const verdicts = {
  approved: Count,
  rejected: Count,
  moved: Count.meta({ description: 'The number of plans that were approved at another time than proposed.' }),
  rated: Count,
  rating: z.number().min(1).max(5).nullable().meta({ description: 'The mean of the ratings, 1 (bad) to 5 (good).' }),
};
export const Verdicts = z
  .strictObject(verdicts)
  .meta({ id: 'Verdicts', description: 'The number of decisions of each kind.' });
export type Verdicts = z.infer<typeof Verdicts>;

export const LearnedKind = z
  .strictObject({
    ...verdicts,
    hours: z
      .record(z.string().regex(/^(MO|TU|WE|TH|FR|SA|SU)-([01]\d|2[0-3])$/), Verdicts)
      .meta({ description: 'The decisions by local weekday and hour of the start, such as "TU-09".' }),
    duration: z
      .strictObject({ count: Count, proposed_minutes: z.number(), decided_minutes: z.number() })
      .nullable()
      .meta({ description: 'The mean length that was proposed and the mean length that was approved.' }),
  })
  .meta({ id: 'LearnedKind', description: 'What was learned about a tag or an action_type.' });
export type LearnedKind = z.infer<typeof LearnedKind>;

export const Learned = z
  .strictObject({
    samples: Count.meta({ description: 'The number of decisions that this is learned from.' }),
    tags: z.record(z.string(), LearnedKind),
    action_types: z.record(z.string(), LearnedKind),
  })
  .meta({
    id: 'Learned',
    description: 'What was learned from decisions and feedback, with the counts that support it.',
  });
export type Learned = z.infer<typeof Learned>;

export const TempoProfile = z
  .strictObject({
    user_id: z.string(),
    timezone: z.string().meta({ description: 'The IANA time zone of all wall times here.' }),
    ...preferences,
    learned: Learned.meta({ readOnly: true }),
  })
  .meta({ id: 'TempoProfile', description: 'The timing preferences of a user, and what was learned.' });
export type TempoProfile = z.infer<typeof TempoProfile>;

const EVERY_DAY: Weekday[] = [...WEEKDAYS];
const WORKDAYS: Weekday[] = WEEKDAYS.slice(0, 5);

type BuiltIn = { range?: TimeRange; duration_minutes?: number };
const within = (name: string, start: string, end: string, days = EVERY_DAY): TimeRange => ({ name, days, start, end });

const BUILT_IN: Record<string, BuiltIn> = {
  '@morning': { range: within('morning', '06:00', '12:00') },
  '@afternoon': { range: within('afternoon', '12:00', '17:00') },
  '@evening': { range: within('evening', '17:00', '22:00') },
  '@deep_work': { range: within('morning', '06:00', '12:00'), duration_minutes: 90 },
  '@shallow': { range: within('afternoon', '12:00', '17:00'), duration_minutes: 30 },
  '@meeting': { range: within('office hours', '09:00', '17:00', WORKDAYS), duration_minutes: 30 },
  '@recovery': { range: within('late afternoon', '15:00', '18:00'), duration_minutes: 20 },
  block_25: { duration_minutes: 25 },
  block_50: { duration_minutes: 50 },
  block_90: { duration_minutes: 90 },
};

/** The tags that every profile has (docs/decisions.md, Tempo guides, limits refuse). */
export const BUILT_IN_TAGS: readonly string[] = Object.keys(BUILT_IN);

/** Reads only own members, because keys come from clients, and `constructor` must not find an inherited member. */
const own = <V>(record: Record<string, V>, key: string | undefined): V | undefined =>
  key !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;

export type TempoSubject = { tempo_tag?: string | null | undefined; task_id?: string | null | undefined };
type Timing = Pick<TempoProfile, 'timezone' | 'time_ranges' | 'tag_mappings' | 'duration_biases' | 'task_overrides'>;

const known = (profile: Timing, subject: TempoSubject) => {
  const task = own(profile.task_overrides, subject.task_id ?? undefined);
  const tag = subject.tempo_tag ?? task?.tempo_tag;
  return { task, tag, mapping: own(profile.tag_mappings, tag), builtIn: own(BUILT_IN, tag) };
};

/**
 * Returns the weekly hours of some work. The first of these that is set applies: its task, the user's mapping of its tag, the
 * tag's built-in meaning, time_ranges.
 */
const rangesFor = (profile: Timing, subject: TempoSubject, strict: boolean): TimeRange[] => {
  const { task, mapping, builtIn } = known(profile, subject);
  const chosen = task?.ranges ?? mapping?.ranges;
  if (chosen)
    return chosen.flatMap((range) =>
      typeof range === 'string' ? profile.time_ranges.filter(({ name }) => name === range) : [range],
    );
  if (!builtIn?.range) return profile.time_ranges;
  const meant = builtIn.range;
  const common = profile.time_ranges.flatMap((range) => overlapOf(range, meant));
  return common.length > 0 || strict ? common : [meant];
};

/** Limits a built-in meaning to the user's own hours: where a day starts at 08:00, "morning" does not begin at 06:00. */
const overlapOf = (range: TimeRange, meant: TimeRange): TimeRange[] => {
  const days = range.days.filter((day) => meant.days.includes(day));
  const start = range.start > meant.start ? range.start : meant.start;
  const end = range.end < meant.end ? range.end : meant.end;
  return days.length > 0 && start < end ? [{ name: meant.name, days, start, end }] : [];
};

const rangeOn = (day: Temporal.PlainDate, { start, end }: TimeRange, zone: string): Span => {
  const wall = end === '24:00' ? `${day.add({ days: 1 }).toString()}T00:00` : `${day.toString()}T${end}`;
  return [millis(wallToInstant(`${day.toString()}T${start}`, zone)), millis(wallToInstant(wall, zone))];
};

/**
 * Returns the parts of `window` in which work of this tag and task belongs: exact, half-open, sorted and merged, in the profile's
 * zone. A wall time in a DST gap moves forward by the gap, one in a fold is its first occurrence (docs/decisions.md, One rule for
 * times). With `strict` only hours that the person has set count; a tag's built-in hours are then limited to time_ranges.
 */
export const tempoWindows = (
  profile: Timing,
  subject: TempoSubject,
  window: Interval,
  { strict = false }: { strict?: boolean } = {},
): Interval[] => {
  const zone = profile.timezone;
  const ranges = rangesFor(profile, subject, strict);
  const last = Temporal.PlainDate.from(localDate(window.end, zone));
  const spans: Span[] = [];
  // It starts a day earlier, because a DST gap over midnight can move a range's end into the next day.
  let day = Temporal.PlainDate.from(localDate(window.start, zone)).subtract({ days: 1 });
  for (; Temporal.PlainDate.compare(day, last) <= 0; day = day.add({ days: 1 })) {
    const weekday = WEEKDAYS[day.dayOfWeek - 1];
    for (const range of ranges) if (range.days.some((d) => d === weekday)) spans.push(rangeOn(day, range, zone));
  }
  return intersectSpans(mergeSpans(spans), mergeSpans([toSpan(window)])).map(toInterval);
};

export type DurationRule = 'asked' | 'task' | 'tag_bias' | 'tag' | 'built_in' | 'action_bias' | 'default';
export type Duration = { minutes: number; rule: DurationRule; reason: string };
const DEFAULT_MINUTES = 30;

/**
 * Returns the duration in whole minutes and the rule that gave it. The first of these applies: the requested one, the task's, the
 * tag's bias, mapping and built-in meaning, the action's bias, 30. The factor of a bias changes only a duration that neither the
 * request nor the task has set.
 */
export const durationFor = (
  profile: Timing,
  subject: TempoSubject & { action_type: string; asked?: number | null | undefined },
): Duration => {
  const { task, tag, mapping, builtIn } = known(profile, subject);
  if (subject.asked != null)
    return { minutes: subject.asked, rule: 'asked', reason: `it takes ${lengthName(subject.asked)}, as requested` };
  if (task?.duration_minutes !== undefined)
    return {
      minutes: task.duration_minutes,
      rule: 'task',
      reason: `it takes ${lengthName(task.duration_minutes)}, as set for task ${subject.task_id}`,
    };
  const tagBias = own(profile.duration_biases, tag);
  const actionBias = own(profile.duration_biases, subject.action_type);
  const rules: [DurationRule, number | undefined, string][] = [
    ['tag_bias', tagBias?.minutes, `, as preferred for ${tag}`],
    ['tag', mapping?.duration_minutes, `, as set for ${tag}`],
    ['built_in', builtIn?.duration_minutes, `, as usual for ${tag}`],
    ['action_bias', actionBias?.minutes, `, as preferred for ${subject.action_type}`],
  ];
  const [rule, base = DEFAULT_MINUTES, why] = rules.find(([, minutes]) => minutes !== undefined) ?? [
    'default' as const,
    DEFAULT_MINUTES,
    ' by default',
  ];
  const factor = tagBias?.factor ?? actionBias?.factor ?? 1;
  const minutes = Math.min(MAX_MINUTES, Math.max(1, Math.round(base * factor)));
  const stretched = factor === 1 ? '' : `, multiplied by ${factor}`;
  return { minutes, rule, reason: `it takes ${lengthName(base)}${why}${stretched}` };
};

/** The length of a proposal, and what the proposal says about it: nothing where the length was given. */
export const lengthFor = (...given: Parameters<typeof durationFor>): { minutes: number; reasons: string[] } => {
  const { minutes, rule, reason } = durationFor(...given);
  return { minutes, reasons: rule === 'asked' ? [] : [reason] };
};
