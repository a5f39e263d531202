/** Changes the weekly hours of a tempo by a rule: without some hours, or with others on some days. Pure. */
import { intersectSpans, mergeSpans, type Span, subtractSpans } from '../time/spans.ts';
import type { TempoPreferences, TimeRange } from './tempo.ts';
import { WEEKDAYS, type Weekday } from './weekdays.ts';

export type TempoHours = Pick<TempoPreferences, 'time_ranges' | 'tag_mappings' | 'task_overrides'>;
/** Minutes of each day of a week. A day that is missing has none. */
export type WeekHours = Partial<Record<Weekday, readonly Span[]>>;
type HoursPatch = Partial<Record<keyof TempoHours, unknown>>;
/** A JSON Merge Patch, empty where nothing changes; or that the tempo would have no hours, or those of a tag or a task. */
export type HoursChange = { patch: HoursPatch } | { lost: string };

const LONGEST_NAME = 64;
const MOST_RANGES = 50;
const MOST_USED = 20;

const minutesOf = (clock: string): number => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3));
const clockAt = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
const spanOf = ({ start, end }: TimeRange): Span => [minutesOf(start), minutesOf(end)];
const lengthOf = ({ days, start, end }: TimeRange): number => days.length * (minutesOf(end) - minutesOf(start));

/** Hours that may end on the next day, as those of a week. */
export const weekHours = (days: readonly Weekday[], hours: readonly Span[]): WeekHours => {
  const week: Partial<Record<Weekday, Span[]>> = {};
  const add = (day: Weekday, from: number, to: number): void => {
    if (from < to) week[day] = mergeSpans([...(week[day] ?? []), [from, to]]);
  };
  for (const day of days)
    for (const [from, to] of hours) {
      const next = WEEKDAYS[(WEEKDAYS.indexOf(day) + 1) % WEEKDAYS.length]!;
      add(day, from, Math.min(to, 1440));
      add(next, 0, to - 1440);
    }
  return week;
};

/** The hours of each day in some ranges. */
export const hoursIn = (ranges: readonly TimeRange[]): WeekHours =>
  Object.fromEntries(
    WEEKDAYS.map(
      (day) => [day, mergeSpans(ranges.filter(({ days }) => days.includes(day)).map(spanOf))] as const,
    ).filter(([, spans]) => spans.length > 0),
  );

type SpansOn = (day: Weekday) => readonly Span[];
type NewName = (name: string) => string;

/** A range with other hours on each day: the longest part keeps its name. None where no hours are left. */
const rebuilt = (range: TimeRange, spansOn: SpansOn, newName: NewName): TimeRange[] => {
  const parts = new Map<string, TimeRange>();
  const days = [...new Set([...range.days, ...WEEKDAYS])];
  for (const day of days)
    for (const [from, to] of spansOn(day)) {
      const [start, end] = [clockAt(from), clockAt(to)];
      const part = parts.get(`${start} ${end}`);
      if (part) part.days.push(day);
      else parts.set(`${start} ${end}`, { name: range.name, days: [day], start, end });
    }
  const all = [...parts.values()];
  const longest = all.reduce((best, part) => (lengthOf(part) > lengthOf(best) ? part : best), all[0]!);
  return all.map((part) => (part === longest ? part : { ...part, name: newName(range.name) }));
};

/** Names that no range has yet: 'day 2'. */
const namesBeside = (ranges: readonly TimeRange[]): NewName => {
  const taken = new Set(ranges.map(({ name }) => name));
  return (name) => {
    const base = name.replace(/(?<!\s)\s+\d{1,2}$/, '').slice(0, LONGEST_NAME - 4);
    let n = 2;
    while (taken.has(`${base} ${n}`)) n++;
    taken.add(`${base} ${n}`);
    return `${base} ${n}`;
  };
};

type Uses = TempoHours['tag_mappings'] | TempoHours['task_overrides'];

/** The users of ranges whose list of ranges changes, or one that would have none. */
const usesWith = (
  uses: Uses,
  partsOf: (range: TimeRange | string) => (TimeRange | string)[],
): { patch: Record<string, { ranges: (TimeRange | string)[] }> } | { lost: string } => {
  const patch: Record<string, { ranges: (TimeRange | string)[] }> = {};
  for (const [key, { ranges }] of Object.entries(uses)) {
    if (!ranges) continue;
    const next = ranges.flatMap(partsOf);
    if (next.length === 0 || next.length > MOST_USED) return { lost: key };
    if (JSON.stringify(next) !== JSON.stringify(ranges)) patch[key] = { ranges: next };
  }
  return { patch };
};

/** The change to other ranges: `parts` are those of each range, and `inline` changes a range that a tag or a task has of its own. */
const changeTo = (
  { time_ranges, tag_mappings, task_overrides }: TempoHours,
  parts: ReadonlyMap<string, readonly TimeRange[]>,
  inline: (range: TimeRange) => TimeRange[],
): HoursChange => {
  const next = time_ranges.flatMap(({ name }) => parts.get(name) ?? []);
  if (next.length === 0 || next.length > MOST_RANGES) return { lost: '' };
  const partsOf = (range: TimeRange | string): (TimeRange | string)[] =>
    typeof range === 'string' ? (parts.get(range) ?? []).map(({ name }) => name) : inline(range);
  const tags = usesWith(tag_mappings, partsOf);
  const tasks = usesWith(task_overrides, partsOf);
  if ('lost' in tags) return tags;
  if ('lost' in tasks) return tasks;
  return {
    patch: {
      ...(JSON.stringify(next) !== JSON.stringify(time_ranges) && { time_ranges: next }),
      ...(Object.keys(tags.patch).length > 0 && { tag_mappings: tags.patch }),
      ...(Object.keys(tasks.patch).length > 0 && { task_overrides: tasks.patch }),
    },
  };
};

/** The tempo without some hours: those of its ranges, and of the ranges that tags and tasks have of their own. */
export const withoutHours = (tempo: TempoHours, excluded: WeekHours): HoursChange => {
  const newName = namesBeside(tempo.time_ranges);
  const left = (range: TimeRange, name: NewName): TimeRange[] => {
    const isTouched = range.days.some((day) => intersectSpans([spanOf(range)], [...(excluded[day] ?? [])]).length > 0);
    const spansOn: SpansOn = (day) =>
      range.days.includes(day) ? subtractSpans([spanOf(range)], [...(excluded[day] ?? [])]) : [];
    return isTouched ? rebuilt(range, spansOn, name) : [range];
  };
  const parts = new Map(tempo.time_ranges.map((range) => [range.name, left(range, newName)]));
  return changeTo(tempo, parts, (range) => left(range, () => range.name));
};

/** The range that has the most of these days. */
const mainRange = (ranges: readonly TimeRange[], days: readonly Weekday[]): TimeRange =>
  ranges.reduce((best, range) => {
    const own = (one: TimeRange): number => lengthOf({ ...one, days: one.days.filter((day) => days.includes(day)) });
    return own(range) > own(best) ? range : best;
  });

/** The tempo with these hours on their days, whatever hours the days had. */
export const withHours = (tempo: TempoHours, week: WeekHours): HoursChange => {
  const days = WEEKDAYS.filter((day) => week[day]);
  const before = hoursIn(tempo.time_ranges);
  if (days.every((day) => JSON.stringify(before[day]) === JSON.stringify(week[day]))) return { patch: {} };
  const main = mainRange(tempo.time_ranges, days);
  const newName = namesBeside(tempo.time_ranges);
  const parts = new Map(
    tempo.time_ranges.map((range) => {
      const spansOn: SpansOn = (day) =>
        week[day] ? (range === main ? week[day] : []) : range.days.includes(day) ? [spanOf(range)] : [];
      const isTouched = range === main || range.days.some((day) => week[day]);
      return [range.name, isTouched ? rebuilt(range, spansOn, newName) : [range]];
    }),
  );
  return changeTo(tempo, parts, (range) => [range]);
};
