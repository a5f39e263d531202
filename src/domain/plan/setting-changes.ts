/** What a plan of the type configure changes, as a list for people. It has no schemas, so that the console can load it. */
import { isObject, mergePatch } from '../record/merge-patch.ts';
import { lengthName, WEEKDAY_NAMES } from '../time/say.ts';
import { countedKind, KINDS } from './kinds.ts';
import {
  defaultTempo,
  NO_LIMITS,
  type Bias,
  type Hours,
  type PlanSettings,
  type Rule,
  type Timing,
} from './plan-settings.ts';
import { daysText, WEEKDAYS, type Weekday } from './weekdays.ts';

/** The arguments of a plan, which may hold anything. */
export type SettingsPatch = Readonly<Record<string, unknown>>;

/** How days, times of day and lengths are said. */
export type SettingWords = {
  day: (day: Weekday) => string;
  clock: (time: string) => string;
  length: (minutes: number) => string;
};
const PLAIN: SettingWords = {
  day: (day) => WEEKDAY_NAMES[WEEKDAYS.indexOf(day)] as string,
  clock: (time) => time,
  length: lengthName,
};

type Row = { name: string; before: string; after: string };
/** The first rows, and how many more there are. */
type Listed<T> = { rows: T[]; more: number };
export type SettingChanges = Listed<Row>;
export type SettingsSet = Listed<Omit<Row, 'before'>>;

/** A profile may have hundreds of tags and tasks. */
const MOST_ROWS = 20;
const MOST_PARTS = 8;
const MOST_LETTERS = 100;

const cut = (text: string): string => {
  const letters = Array.from(text);
  return letters.length > MOST_LETTERS ? `${letters.slice(0, MOST_LETTERS - 1).join('')}…` : text;
};
const listed = <T>(rows: readonly T[]): Listed<T> => ({
  rows: rows.slice(0, MOST_ROWS),
  more: Math.max(0, rows.length - MOST_ROWS),
});

/** One piece of a setting; `full` has the names of hours too, which count only where nothing else differs. */
type Part = { text: string; full: string };
type Setting = {
  /** Where it is in the settings, and so in a merge patch on them. */
  path: readonly [string, string, ...string[]];
  name: string;
  /** Two of the same key mean the same. */
  key: string;
  parts: Part[];
};

const only = (text: string): Part[] => [{ text, full: text }];
const keyOf = (...of: unknown[]): string => JSON.stringify(of);

const inOrder = (days: readonly Weekday[]): Weekday[] => WEEKDAYS.filter((day) => days.includes(day));
const rangeKey = ({ name, days, start, end }: Hours): unknown => [name, inOrder(days), start, end];

const rangePart = ({ name, days, start, end }: Hours, { day, clock }: SettingWords): Part => {
  const text = `${daysText(days, day)} ${clock(start)} to ${clock(end)}`;
  return { text, full: `“${cut(name)}”: ${text}` };
};

type Known = { ranges: readonly Hours[]; words: SettingWords };

/** The hours and the length of a tag or of a task. */
const timedParts = ({ ranges = [], duration_minutes, tempo_tag }: Timing, known: Known): Part[] => [
  ...ranges.flatMap((one) => {
    if (typeof one !== 'string') return rangePart(one, known.words);
    const range = known.ranges.find(({ name }) => name === one);
    return range ? rangePart(range, known.words) : only(`“${cut(one)}”`);
  }),
  ...(duration_minutes === undefined ? [] : only(known.words.length(duration_minutes))),
  ...(tempo_tag === undefined ? [] : only(`as ${cut(tempo_tag)}`)),
];
const timedKey = ({ ranges, duration_minutes, tempo_tag }: Timing): string =>
  keyOf(
    ranges?.map((one) => (typeof one === 'string' ? one : rangeKey(one))),
    duration_minutes,
    tempo_tag,
  );

const biasParts = ({ minutes, factor }: Bias, { length }: SettingWords): Part[] => [
  ...(minutes === undefined ? [] : only(length(minutes))),
  ...(factor === undefined ? [] : only(`${factor} times as long`)),
];

const ruleText = ({ action_type, tag, max, per }: Rule): string =>
  `at most ${countedKind(max, action_type)} a ${per}${tag === undefined ? '' : ` with ${cut(tag)}`}`;

const limitSettings = ({ budget, cadence, only_in_tempo }: PlanSettings['limits']): Setting[] => [
  ...(['day', 'week'] as const).map((per): Setting => {
    const max = budget[`per_${per}`];
    return {
      path: ['limits', 'budget', `per_${per}`],
      name: `Plans of agents per ${per}`,
      key: keyOf(max),
      parts: only(max === null ? 'no limit' : String(max)),
    };
  }),
  ...cadence.map((rule): Setting => ({
    path: ['limits', 'cadence', rule.id],
    name: `Rule “${rule.id}”`,
    key: keyOf(rule.action_type, rule.tag, rule.max, rule.per),
    parts: only(ruleText(rule)),
  })),
  {
    path: ['limits', 'only_in_tempo'],
    name: 'Agents outside your hours',
    key: keyOf(only_in_tempo),
    parts: only(only_in_tempo ? 'refused' : 'allowed'),
  },
];

/** How the entries of each list are called, and the list as a whole. */
const LISTS = {
  tag_mappings: { all: 'All tags', one: (id: string) => `Tag ${cut(id)}` },
  duration_biases: {
    all: 'All usual lengths',
    one: (id: string) => `Usual length of ${Object.hasOwn(KINDS, id) ? KINDS[id as keyof typeof KINDS] : cut(id)}`,
  },
  task_overrides: { all: 'All tasks', one: (id: string) => `Task ${cut(id)}` },
};

const tempoSettings = (tempo: PlanSettings['tempo'], words: SettingWords): Setting[] => {
  const known = { ranges: tempo.time_ranges, words };
  const timed = (field: 'tag_mappings' | 'task_overrides'): Setting[] =>
    Object.entries<Timing>(tempo[field]).map(([id, given]) => ({
      ...{ path: ['tempo', field, id], name: LISTS[field].one(id) },
      ...{ key: timedKey(given), parts: timedParts(given, known) },
    }));
  return [
    {
      path: ['tempo', 'time_ranges'],
      name: 'Hours',
      key: keyOf(tempo.time_ranges.map(rangeKey)),
      parts: tempo.time_ranges.map((range) => rangePart(range, words)),
    },
    ...timed('tag_mappings'),
    ...Object.entries(tempo.duration_biases).map(([id, bias]): Setting => ({
      path: ['tempo', 'duration_biases', id],
      name: LISTS.duration_biases.one(id),
      key: keyOf(bias.minutes, bias.factor),
      parts: biasParts(bias, words),
    })),
    ...timed('task_overrides'),
    {
      path: ['tempo', 'use_learned'],
      name: 'Times by what was learned',
      key: keyOf(tempo.use_learned),
      parts: only(tempo.use_learned ? 'on' : 'off'),
    },
  ];
};

const settingsOf = ({ limits, tempo }: PlanSettings, words: SettingWords): Setting[] => [
  ...limitSettings(limits),
  ...tempoSettings(tempo, words),
];

/** What is said where an entry of a list is not there. */
const ABSENT: Readonly<Record<string, string>> = { cadence: 'none', task_overrides: 'none' };
const absentText = (field: string): string => ABSENT[field] ?? 'as built in';

const textOf = ({ parts }: Setting, of: keyof Part, other?: Setting): string => {
  const there = new Set(other?.parts.map((part) => part[of]));
  const texts = parts.map((part) => part[of]);
  // Of many, those come first that make the difference.
  if (texts.length > MOST_PARTS) texts.sort((a, b) => Number(there.has(a)) - Number(there.has(b)));
  const rest = texts.length - MOST_PARTS;
  const shown = [...texts.slice(0, MOST_PARTS), ...(rest > 0 ? [`and ${rest} more`] : [])];
  return shown.join('; ') || 'nothing of its own';
};

/** What changes from one state of the settings to another: nothing exactly where both mean the same. */
export const settingChanges = (before: PlanSettings, after: PlanSettings, words = PLAIN): SettingChanges => {
  const byPath = (settings: PlanSettings) => new Map(settingsOf(settings, words).map((one) => [keyOf(one.path), one]));
  const [old, next] = [byPath(before), byPath(after)];
  const rows = [...new Set([...next.keys(), ...old.keys()])].flatMap((path): Row[] => {
    const [was, is] = [old.get(path), next.get(path)];
    const one = is ?? was;
    if (!one || was?.key === is?.key) return [];
    const said = (of: keyof Part): Row => ({
      name: one.name,
      before: was ? textOf(was, of, is) : absentText(one.path[1]),
      after: is ? textOf(is, of, was) : absentText(one.path[1]),
    });
    const row = said('text');
    return [row.before === row.after ? said('full') : row];
  });
  return listed(rows);
};

const merged = ({ limits, tempo }: PlanSettings, given: SettingsPatch): PlanSettings => {
  const changed = mergePatch(limits, given['limits'] ?? {}) as Partial<PlanSettings['limits']>;
  return {
    limits: { ...NO_LIMITS, ...changed, budget: { ...NO_LIMITS.budget, ...changed.budget } },
    tempo: { ...defaultTempo(), ...(mergePatch(tempo, given['tempo'] ?? {}) as object) },
  };
};

/** Whether hours are there, each name once, and all that are named. */
const isConsistent = ({ tempo: { time_ranges, tag_mappings, task_overrides } }: PlanSettings): boolean => {
  const names = new Set(time_ranges.map(({ name }) => name));
  const users = [...Object.values(tag_mappings), ...Object.values(task_overrides)];
  const isKnown = ({ ranges = [] }: Timing): boolean =>
    ranges.every((one) => typeof one !== 'string' || names.has(one));
  return names.size > 0 && names.size === time_ranges.length && users.every(isKnown);
};

/**
 * The settings with the patches of a plan, where null restores a default. The service checks all of it with schemas (patched-tempo.ts).
 * @returns null where they can no longer be applied
 */
export const settingsAfter = (before: PlanSettings, given: SettingsPatch): PlanSettings | null => {
  try {
    const after = merged(before, given);
    settingsOf(after, PLAIN); // Throws where something has not the shape of settings.
    return isConsistent(after) ? after : null;
  } catch {
    return null;
  }
};

/** Whether a merge patch says what is at a path. */
const says = (patch: unknown, [first, ...rest]: readonly string[]): boolean => {
  if (first === undefined || !isObject(patch)) return true;
  return Object.hasOwn(patch, first) && says(patch[first], rest);
};

/** Entries of lists that a patch removes, and lists that it empties. */
const removals = (given: SettingsPatch): SettingsSet['rows'] => {
  const [limits, tempo] = [given['limits'], given['tempo']].map((part) => (isObject(part) ? part : {})) as [
    Record<string, unknown>,
    Record<string, unknown>,
  ];
  const { cadence } = limits;
  return [
    ...(cadence === null || (Array.isArray(cadence) && !cadence.length)
      ? [{ name: 'Rules for agents', after: 'none' }]
      : []),
    ...Object.entries(LISTS).flatMap(([field, { all, one }]) => {
      const list = tempo[field];
      if (list === null) return [{ name: all, after: absentText(field) }];
      const gone = isObject(list) ? Object.keys(list).filter((id) => list[id] === null) : [];
      return gone.map((id) => ({ name: one(id), after: absentText(field) }));
    }),
  ];
};

/** What a plan sets, where the settings before it are not known. @returns null where that is not readable */
export const settingsSet = (given: SettingsPatch, words = PLAIN): SettingsSet | null => {
  try {
    const after = merged({ limits: NO_LIMITS, tempo: defaultTempo() }, given);
    const set = settingsOf(after, words).filter(({ path }) => says(given, path));
    return listed([...set.map((one) => ({ name: one.name, after: textOf(one, 'text') })), ...removals(given)]);
  } catch {
    return null;
  }
};
