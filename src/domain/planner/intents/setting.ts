/** Makes a proposal to change the settings of a rule for all plans. */
import type { Limits } from '../../plan/limits.ts';
import type { PlanArguments } from '../../plan/plan-arguments.ts';
import { WEEKDAYS, type Weekday } from '../../plan/weekdays.ts';
import {
  hoursIn,
  type HoursChange,
  type TempoHours,
  weekHours,
  withHours,
  withoutHours,
} from '../../plan/tempo-hours.ts';
import { hasWord } from '../act/names.ts';
import { EACH_TIME } from '../words/rule-words.ts';
import { isLastingIn } from './rule-part.ts';
import { type Rule, rulesOf } from './rule.ts';
import type { KnownSettings } from './types.ts';

/**
 * What a rule changes; or that it can't be said by settings, is so already, excludes only time that is outside of the hours, or
 * leaves a tag or a task no hours.
 */
export type SettingChange =
  | { arguments: PlanArguments }
  | { why: 'unsaid' | 'same' | 'outside' }
  | { why: 'lost'; name: string };

const dayNamed = (day: number): Weekday => WEEKDAYS[day - 1]!;
const othersThan = (days: readonly Weekday[]): Weekday[] => WEEKDAYS.filter((day) => !days.includes(day));
const WHOLE = [[0, 1440]] as const;

const patched = (tempo: KnownSettings['tempo'], { patch }: { patch: object }): KnownSettings['tempo'] => {
  const { time_ranges, tag_mappings = {}, task_overrides = {} } = patch as Partial<TempoHours>;
  const joined = <T extends object>(own: Record<string, T>, more: Record<string, T>): Record<string, T> => ({
    ...own,
    ...Object.fromEntries(Object.entries(more).map(([key, value]) => [key, { ...own[key], ...value }])),
  });
  return {
    ...tempo,
    ...(time_ranges && { time_ranges }),
    tag_mappings: joined(tempo.tag_mappings, tag_mappings),
    task_overrides: joined(tempo.task_overrides, task_overrides),
  };
};

/** The days that have hours, where they are to be these: a new one has the hours that the others have. */
const withDays = (tempo: TempoHours, days: readonly Weekday[]): HoursChange | null => {
  const before = hoursIn(tempo.time_ranges);
  const missing = days.filter((day) => !before[day]);
  const known = new Map(
    days.flatMap((day) => (before[day] ? [[JSON.stringify(before[day]), before[day]] as const] : [])),
  );
  const [hours, ...others] = known.values();
  if (missing.length > 0 && (!hours || others.length > 0)) return null;
  if (missing.length === 0 || !hours) return withoutHours(tempo, weekHours(othersThan(days), WHOLE));
  return then(tempo, withHours(tempo, weekHours(missing, hours)), (next) =>
    withoutHours(next, weekHours(othersThan(days), WHOLE)),
  );
};

/** One change behind another. */
const then = (tempo: TempoHours, first: HoursChange, second: (next: TempoHours) => HoursChange): HoursChange => {
  if ('lost' in first) return first;
  const next = second(patched({ ...tempo, duration_biases: {} }, first));
  if ('lost' in next) return next;
  return { patch: mergedUses(first.patch, next.patch) };
};

const mergedUses = (one: object, other: object): Record<string, unknown> => {
  const [a, b] = [one as Partial<TempoHours>, other as Partial<TempoHours>];
  const uses = (key: 'tag_mappings' | 'task_overrides') =>
    (a[key] ?? b[key]) ? { [key]: { ...a[key], ...b[key] } } : {};
  return { ...a, ...b, ...uses('tag_mappings'), ...uses('task_overrides') };
};

const hoursOf = (
  rule: Extract<Rule, { rule: 'without' | 'hours' | 'days' }>,
  tempo: TempoHours,
): HoursChange | null => {
  const days = rule.days?.map(dayNamed);
  if (rule.rule === 'without') return withoutHours(tempo, weekHours(days ?? WEEKDAYS, rule.hours));
  if (rule.rule === 'days') return withDays(tempo, days ?? []);
  const own = days ?? WEEKDAYS.filter((day) => hoursIn(tempo.time_ranges)[day]);
  const change = withHours(tempo, weekHours(own, rule.hours));
  return rule.isAll ? then(tempo, change, (next) => withoutHours(next, weekHours(othersThan(own), WHOLE))) : change;
};

/** What rules ask for, one behind the other. */
type Asked = {
  hours: Record<string, unknown>;
  budget: Partial<Limits['budget']>;
  lengths: Record<string, { minutes: number }>;
  isStrict: boolean;
};

const askedBy = (
  rules: readonly Rule[],
  tag: string | undefined,
  { tempo }: KnownSettings,
): Asked | Extract<SettingChange, { why: string }> => {
  const asked: Asked = { hours: {}, budget: {}, lengths: {}, isStrict: false };
  let next: KnownSettings['tempo'] = tempo;
  for (const rule of rules) {
    if (rule.rule === 'most') asked.budget[rule.per === 'day' ? 'per_day' : 'per_week'] = rule.max;
    else if (rule.rule === 'length')
      asked.lengths[tag ?? (rule.isDeep ? '@deep_work' : 'schedule')] = { minutes: rule.minutes };
    else {
      const change = hoursOf(rule, next);
      if (!change) return { why: 'unsaid' };
      if ('lost' in change) return { why: 'lost', name: change.lost };
      asked.hours = mergedUses(asked.hours, change.patch);
      next = patched(next, change);
      asked.isStrict ||= rule.isStrict;
    }
  }
  return asked;
};

const isEmpty = (values: object): boolean => Object.keys(values).length === 0;
const only = <T>(values: Record<string, T>, isNew: (key: string, value: T) => boolean): Record<string, T> =>
  Object.fromEntries(Object.entries(values).filter(([key, value]) => isNew(key, value)));

/** Whether a rule may be about a day that is named beside it: 'a long flight on Friday, and nothing before eleven'. */
const isOfOneDay = (rules: readonly Rule[], text: string): boolean =>
  rules.some((rule) => rule.rule === 'without' && rule.days === null) &&
  !isLastingIn(text) &&
  !hasWord(text, EACH_TIME);

/** 'Never before 8' where the hours begin at 8: to refuse all time outside of the hours would be more than that. */
const excludesNothing = (rules: readonly Rule[], { hours, isStrict }: Asked): boolean =>
  isStrict && isEmpty(hours) && rules.some(({ rule }) => rule === 'without');

/** What is said beside a rule: the tempo tag of the words, and whether another time is said. */
export type BesideRule = { tag?: string | undefined; isTimed?: boolean };

const isOfOther = (rules: readonly Rule[], text: string, { tag, isTimed }: BesideRule): boolean =>
  (isTimed && isOfOneDay(rules, text)) || (tag !== undefined && rules.some(({ rule }) => rule !== 'length'));

/** What rules change of the settings. */
export const settingChange = (text: string, beside: BesideRule, settings: KnownSettings): SettingChange => {
  const rules = rulesOf(text);
  if (!rules || isOfOther(rules, text, beside)) return { why: 'unsaid' };
  const asked = askedBy(rules, beside.tag, settings);
  if ('why' in asked) return asked;
  const { limits, tempo } = settings;
  const budget = only(asked.budget, (key, max) => limits.budget[key as keyof Limits['budget']] !== max);
  const lengths = only(asked.lengths, (key, { minutes }) => tempo.duration_biases[key]?.minutes !== minutes);
  if (excludesNothing(rules, asked) && !limits.only_in_tempo) return { why: 'outside' };
  const limitsPatch = {
    ...(!isEmpty(budget) && { budget }),
    ...(asked.isStrict && !limits.only_in_tempo && { only_in_tempo: true }),
  };
  const tempoPatch = { ...asked.hours, ...(!isEmpty(lengths) && { duration_biases: lengths }) };
  if (isEmpty(limitsPatch) && isEmpty(tempoPatch)) return { why: 'same' };
  return {
    arguments: {
      ...(!isEmpty(limitsPatch) && { limits: limitsPatch }),
      ...(!isEmpty(tempoPatch) && { tempo: tempoPatch }),
    },
  };
};
