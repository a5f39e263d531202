/** What a plan of the type configure changes, as a list for people. It has no schemas, so that the console can load it. */
import { mergePatch } from '../record/merge-patch.ts';
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

/** `key` tells rows apart that have one name. */
type Row = { key: string; name: string; before: string; after: string };
/** All rows, because a person decides by them. The schemas bound how many there are. */
export type SettingChanges = { rows: Row[] };
/** The first rows, and how many more there are. */
export type SettingsSet = { rows: Omit<Row, 'before'>[]; more: number };

/** What a plan sets is also a text; that may be short. */
const MOST_ROWS = 20;
const MOST_PARTS = 8;
const MOST_LETTERS = 100;

const cut = (text: string): string => {
  const letters = Array.from(text);
  return letters.length > MOST_LETTERS ? `${letters.slice(0, MOST_LETTERS - 1).join('')}…` : text;
};

/** How names are said: whole, or cut. */
type Say = SettingWords & { named: (text: string) => string };
const inFull = (words: SettingWords): Say => ({ ...words, named: (text) => text });
const inShort = (words: SettingWords): Say => ({ ...words, named: cut });

/** One piece of a setting; `full` has the names of hours too, which count only where nothing else differs. */
type Part = { text: string; full: string };
type Setting = {
  /** Where it is in the settings, and so in a merge patch on them. */
  path: readonly [string, string, ...string[]];
  name: string;
  /** Two of the same meaning say the same. */
  meaning: string;
  parts: Part[];
};

const only = (text: string): Part[] => [{ text, full: text }];
const keyOf = (...of: unknown[]): string => JSON.stringify(of);

const inOrder = (days: readonly Weekday[]): Weekday[] => WEEKDAYS.filter((day) => days.includes(day));
const rangeKey = ({ name, days, start, end }: Hours): unknown => [name, inOrder(days), start, end];

const rangePart = ({ name, days, start, end }: Hours, { day, clock, named }: Say, isOwn = false): Part => {
  const text = `${daysText(days, day)} ${clock(start)} to ${clock(end)}`;
  return { text, full: `${isOwn ? 'hours of its own, ' : ''}“${named(name)}”: ${text}` };
};

/** What is said where an entry of a list is not there. */
const ABSENT: Readonly<Record<string, string>> = { cadence: 'none', task_overrides: 'none' };
const absentText = (field: string): string => ABSENT[field] ?? 'as built in';

/** In a patch, null takes a member away. */
type Patched<T> = { [K in keyof T]: T[K] | null };
const memberParts = <T>(name: string, given: T | null | undefined, parts: (given: T) => Part[], absent: string) =>
  given === undefined ? [] : given === null ? only(`${name}: ${absent}`) : parts(given);

type Timed = 'tag_mappings' | 'task_overrides';
/** The hours and the length of a tag or of a task. */
const timedParts = (
  { ranges, duration_minutes, tempo_tag }: Patched<Timing>,
  known: readonly Hours[],
  field: Timed,
  say: Say,
): Part[] => {
  const rangeParts = (some: readonly (string | Hours)[]): Part[] =>
    some.flatMap((one) => {
      if (typeof one !== 'string') return rangePart(one, say, true);
      const range = known.find(({ name }) => name === one);
      return range ? rangePart(range, say) : only(`“${say.named(one)}”`);
    });
  const absent = absentText(field);
  return [
    ...memberParts('hours', ranges, rangeParts, absent),
    ...memberParts('length', duration_minutes, (minutes) => only(say.length(minutes)), absent),
    ...memberParts('tag', tempo_tag, (tag) => only(`as ${say.named(tag)}`), absent),
  ];
};
const timedKey = ({ ranges, duration_minutes, tempo_tag }: Patched<Timing>): string =>
  keyOf(
    ranges?.map((one) => (typeof one === 'string' ? one : rangeKey(one))),
    duration_minutes,
    tempo_tag,
  );

/** How the entries of each list are called, and the list as a whole. */
const LISTS = {
  tag_mappings: { all: 'All tags', one: (id: string) => `Tag ${id}` },
  duration_biases: {
    all: 'All usual lengths',
    one: (id: string) => `Usual length of ${Object.hasOwn(KINDS, id) ? KINDS[id as keyof typeof KINDS] : `tag ${id}`}`,
  },
  task_overrides: { all: 'All tasks', one: (id: string) => `Task ${id}` },
};
type List = keyof typeof LISTS;
const FIELDS = Object.keys(LISTS) as List[];

const budgetSetting = (per: 'day' | 'week', max: number | null): Setting => ({
  path: ['limits', 'budget', `per_${per}`],
  name: `Plans of agents per ${per}`,
  meaning: keyOf(max),
  parts: only(max === null ? 'no limit' : String(max)),
});
const inHoursSetting = (isOnly: boolean): Setting => ({
  path: ['limits', 'only_in_tempo'],
  name: 'Agents outside your hours',
  meaning: keyOf(isOnly),
  parts: only(isOnly ? 'refused' : 'allowed'),
});
const ruleSetting = ({ id, action_type, tag, max, per }: Rule, { named }: Say): Setting => ({
  path: ['limits', 'cadence', id],
  name: `Rule “${id}”`,
  meaning: keyOf(action_type, tag, max, per),
  parts: only(`at most ${countedKind(max, action_type)} a ${per}${tag === undefined ? '' : ` with ${named(tag)}`}`),
});
const hoursSetting = (ranges: readonly Hours[], say: Say): Setting => ({
  path: ['tempo', 'time_ranges'],
  name: 'Hours',
  meaning: keyOf(ranges.map(rangeKey)),
  parts: ranges.map((range) => rangePart(range, say)),
});
const learnedSetting = (isOn: boolean): Setting => ({
  path: ['tempo', 'use_learned'],
  name: 'Times by what was learned',
  meaning: keyOf(isOn),
  parts: only(isOn ? 'on' : 'off'),
});
const biasSetting = (id: string, { minutes, factor }: Patched<Bias>, { length, named }: Say): Setting => ({
  path: ['tempo', 'duration_biases', id],
  name: LISTS.duration_biases.one(named(id)),
  meaning: keyOf(minutes, factor),
  parts: [
    ...memberParts('length', minutes, (one) => only(length(one)), absentText('duration_biases')),
    ...memberParts('factor', factor, (one) => only(`${one} times as long`), absentText('duration_biases')),
  ],
});

/** The meaning of what is taken away. */
const GONE = '';

type Lists = { [F in List]?: Readonly<Record<string, Patched<Timing & Bias> | null>> | null };
/** An entry that is null is taken away, and so is a list. */
const listSettings = (lists: Lists, known: readonly Hours[], say: Say): Setting[] =>
  FIELDS.flatMap((field): Setting[] => {
    const { all, one } = LISTS[field];
    const list = lists[field];
    const gone = only(absentText(field));
    if (list === null) return [{ path: ['tempo', field], name: all, meaning: GONE, parts: gone }];
    return Object.entries(list ?? {}).map(([id, given]): Setting => {
      const path: Setting['path'] = ['tempo', field, id];
      if (given === null) return { path, name: one(say.named(id)), meaning: GONE, parts: gone };
      if (field === 'duration_biases') return biasSetting(id, given, say);
      const parts = timedParts(given, known, field, say);
      return { path, name: one(say.named(id)), meaning: timedKey(given), parts };
    });
  });

const settingsOf = ({ limits, tempo }: PlanSettings, say: Say): Setting[] => [
  budgetSetting('day', limits.budget.per_day),
  budgetSetting('week', limits.budget.per_week),
  inHoursSetting(limits.only_in_tempo),
  hoursSetting(tempo.time_ranges, say),
  ...limits.cadence.map((rule) => ruleSetting(rule, say)),
  ...listSettings(tempo, tempo.time_ranges, say),
  learnedSetting(tempo.use_learned),
];

/** What bounds agents comes first, then what is taken away. */
const FIRST: readonly string[] = ['budget', 'only_in_tempo', 'time_ranges'];
const rankOf = ({ path: [, field] }: Setting, isGone: boolean): number => (FIRST.includes(field) ? 0 : isGone ? 1 : 2);

const textOf = ({ parts }: Setting, of: keyof Part, other?: Setting): string => {
  const there = new Set(other?.parts.map((part) => part[of]));
  const texts = parts.map((part) => part[of]);
  // Of many, those come first that make the difference.
  if (texts.length > MOST_PARTS) texts.sort((a, b) => Number(there.has(a)) - Number(there.has(b)));
  return texts.join('; ') || 'nothing of its own';
};

/** What changes from one state of the settings to another: nothing exactly where both mean the same. */
export const settingChanges = (before: PlanSettings, after: PlanSettings, words = PLAIN): SettingChanges => {
  const byPath = (settings: PlanSettings) =>
    new Map(settingsOf(settings, inFull(words)).map((one) => [keyOf(one.path), one]));
  const [old, next] = [byPath(before), byPath(after)];
  const rows = [...new Set([...next.keys(), ...old.keys()])].flatMap((key) => {
    const [was, is] = [old.get(key), next.get(key)];
    const one = is ?? was;
    if (!one || was?.meaning === is?.meaning) return [];
    const said = (of: keyof Part): Row => ({
      ...{ key, name: one.name },
      before: was ? textOf(was, of, is) : absentText(one.path[1]),
      after: is ? textOf(is, of, was) : absentText(one.path[1]),
    });
    const row = said('text');
    return [{ rank: rankOf(one, !is), row: row.before === row.after ? said('full') : row }];
  });
  return { rows: rows.toSorted((a, b) => a.rank - b.rank).map(({ row }) => row) };
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
    settingsOf(after, inFull(PLAIN)); // Throws where something has not the shape of settings.
    return isConsistent(after) ? after : null;
  } catch {
    return null;
  }
};

type Limits = PlanSettings['limits'];
type LimitsPatch = Partial<Patched<Omit<Limits, 'budget'>>> & { budget?: Partial<Limits['budget']> | null };

const limitsSet = ({ budget, only_in_tempo, cadence }: LimitsPatch, say: Say): Setting[] => [
  ...(['day', 'week'] as const).flatMap((per) => {
    const max = budget === null ? null : budget?.[`per_${per}`];
    return max === undefined ? [] : budgetSetting(per, max);
  }),
  ...(only_in_tempo === undefined ? [] : [inHoursSetting(only_in_tempo ?? NO_LIMITS.only_in_tempo)]),
  ...(cadence === undefined || cadence?.length
    ? (cadence ?? []).map((rule) => ruleSetting(rule, say))
    : [
        {
          path: ['limits', 'cadence'] as const,
          name: 'Rules for agents',
          meaning: GONE,
          parts: only(absentText('cadence')),
        },
      ]),
];

type TempoPatch = Lists & { time_ranges?: Hours[] | null; use_learned?: boolean | null };

const tempoSet = ({ time_ranges, use_learned, ...lists }: TempoPatch, say: Say): Setting[] => {
  const { time_ranges: builtIn, use_learned: isLearned } = defaultTempo();
  const ranges = time_ranges === null ? builtIn : time_ranges;
  return [
    ...(ranges === undefined ? [] : [hoursSetting(ranges, say)]),
    ...listSettings(lists, ranges ?? [], say),
    ...(use_learned === undefined ? [] : [learnedSetting(use_learned ?? isLearned)]),
  ];
};

const shortOf = ({ path, name, parts }: Setting): SettingsSet['rows'][number] => {
  const rest = parts.length - MOST_PARTS;
  const shown = [...parts.slice(0, MOST_PARTS).map(({ text }) => text), ...(rest > 0 ? [`and ${rest} more`] : [])];
  return { key: keyOf(path), name, after: shown.join('; ') };
};

/**
 * What a plan sets, where the settings before it are not known: only what its patches say.
 * @returns null where that is not readable
 */
export const settingsSet = (given: SettingsPatch, words = PLAIN): SettingsSet | null => {
  try {
    const say = inShort(words);
    const set = [
      ...limitsSet((given['limits'] ?? {}) as LimitsPatch, say),
      ...tempoSet((given['tempo'] ?? {}) as TempoPatch, say),
    ]
      .filter(({ parts }) => parts.length)
      .toSorted((a, b) => rankOf(a, a.meaning === GONE) - rankOf(b, b.meaning === GONE));
    return { rows: set.slice(0, MOST_ROWS).map(shortOf), more: Math.max(0, set.length - MOST_ROWS) };
  } catch {
    return null;
  }
};
