/**
 * Changes of the tempo hours: of one day of a set, of a whole set, and with it of the tags and tasks that name the set. Each answers
 * the hours as they are then, or a sentence that says why that cannot be.
 */
import type { TempoProfile } from '../../../client/almanac-client.ts';
import { DAYS, type Day, type Range } from '../ui/hours-text.ts';

export type Hours = Pick<TempoProfile, 'time_ranges' | 'tag_mappings' | 'task_overrides'>;
export type Times = Pick<Range, 'start' | 'end'>;

/** What the service takes at most (domain/plan/tempo.ts). */
const MOST_SETS = 50;
const MOST_NAMED = 20;
const MOST_LETTERS = 64;

export const ONE_STAYS = 'At least one set of hours must stay. Without any, no time would be free for proposals.';

type Users = Record<string, { ranges?: (string | Range)[] }>;

/** The name without the number that makes it unique. */
const rootOf = (name: string): string => name.replace(/ \d+$/, '');

export const uniqueName = (root: string, { time_ranges }: Hours, from = 2): string => {
  const taken = new Set(time_ranges.map(({ name }) => name));
  let n = from;
  const named = (): string => `${root.slice(0, MOST_LETTERS - 4)} ${n}`;
  while (taken.has(named())) n += 1;
  return named();
};

/** The tags and tasks that name a set, as one text. */
const usersOf = ({ tag_mappings, task_overrides }: Hours, name: string): string =>
  [tag_mappings, task_overrides]
    .map((users: Users) => Object.keys(users).filter((user) => users[user]?.ranges?.includes(name)))
    .map((users) => JSON.stringify(users.toSorted()))
    .join();

/** Gives tags and tasks the names that a set has now, which may be none. */
const renamed = (users: Users, name: string, names: string[], what: string): Users | string => {
  const next: Users = { ...users };
  for (const [user, given] of Object.entries(users)) {
    if (!given.ranges?.includes(name)) continue;
    const ranges = [...new Set(given.ranges.flatMap((one) => (one === name ? names : [one])))];
    if (!ranges.length) return `The ${what} “${user}” has no other hours than “${name}”. Choose others for it first.`;
    if (ranges.length > MOST_NAMED) return `The ${what} “${user}” has ${MOST_NAMED} sets of hours, which is the most.`;
    next[user] = { ...given, ranges };
  }
  return next;
};

const withNames = (hours: Hours, time_ranges: Range[], name: string, names: string[]): Hours | string => {
  if (!time_ranges.length) return ONE_STAYS;
  if (time_ranges.length > MOST_SETS) return `There are ${MOST_SETS} sets of hours, which is the most.`;
  const tag_mappings = renamed(hours.tag_mappings, name, names, 'tag');
  if (typeof tag_mappings === 'string') return tag_mappings;
  const task_overrides = renamed(hours.task_overrides, name, names, 'task');
  return typeof task_overrides === 'string' ? task_overrides : { time_ranges, tag_mappings, task_overrides };
};

const inOrder = (days: readonly Day[]): Day[] => DAYS.filter((day) => days.includes(day));

/** Another set in which the day means the same: it has these times, a name of the same root, and the same tags and tasks. */
const sameElsewhere = (hours: Hours, old: Range, day: Day, { start, end }: Times): Range | undefined =>
  hours.time_ranges.find(
    (one) =>
      one !== old &&
      one.start === start &&
      one.end === end &&
      rootOf(one.name) === rootOf(old.name) &&
      !one.days.includes(day) &&
      usersOf(hours, one.name) === usersOf(hours, old.name),
  );

/**
 * Changes one day of a set. It leaves the set, unless that has no other day, and joins one that has these times or gets its own.
 * @returns also the name of the set that has the day then
 */
export const changeDay = (hours: Hours, old: Range, day: Day, times: Times): { next: Hours | string; name: string } => {
  const others = old.days.filter((one) => one !== day);
  const left: Range[] = others.length ? [{ ...old, days: others }] : [];
  const joined = sameElsewhere(hours, old, day, times);
  if (joined) {
    const next = hours.time_ranges.flatMap((one) => {
      if (one === joined) return [{ ...one, days: inOrder([...one.days, day]) }];
      return one === old ? left : [one];
    });
    const names = left.length ? [old.name] : [joined.name];
    return { next: withNames(hours, next, old.name, names), name: joined.name };
  }
  const name = left.length ? uniqueName(rootOf(old.name), hours) : old.name;
  const next = hours.time_ranges.flatMap((one) => (one === old ? [...left, { name, days: [day], ...times }] : [one]));
  return { next: withNames(hours, next, old.name, left.length ? [old.name, name] : [name]), name };
};

export const removeSet = (hours: Hours, old: Range): Hours | string =>
  withNames(
    hours,
    hours.time_ranges.filter((one) => one !== old),
    old.name,
    [],
  );

export const removeDay = (hours: Hours, old: Range, day: Day): Hours | string => {
  const days = old.days.filter((one) => one !== day);
  if (!days.length) return removeSet(hours, old);
  return { ...hours, time_ranges: hours.time_ranges.map((one) => (one === old ? { ...old, days } : one)) };
};

export const changeSet = (hours: Hours, old: Range, next: Range): Hours | string => {
  if (!next.days.length) return 'Choose at least one day, or remove these hours.';
  if (next.end <= next.start) return 'The end must be later than the start. Hours across midnight need two sets.';
  if (hours.time_ranges.some((one) => one !== old && one.name === next.name))
    return `Other hours have the name “${next.name}” already. Choose another one.`;
  const ranges = hours.time_ranges.map((one) => (one === old ? next : one));
  return withNames(hours, ranges, old.name, [next.name]);
};

export const addSet = (hours: Hours, added: Range): Hours | string =>
  withNames(hours, [...hours.time_ranges, added], added.name, [added.name]);

const NAMING = ['tag_mappings', 'task_overrides'] as const;

/** The hours that were, with the names that tags and tasks had then. What was removed of these since then stays removed. */
export const restored = (now: Hours, before: Hours, after: Hours): Hours => {
  const [tag_mappings, task_overrides] = NAMING.map((field) => {
    const [then, changed, users]: [Users, Users, Users] = [before[field], after[field], now[field]];
    const back = Object.keys(users).filter((user) => then[user]?.ranges !== changed[user]?.ranges);
    return {
      ...users,
      ...Object.fromEntries(back.map((user) => [user, { ...users[user], ranges: then[user]?.ranges }])),
    };
  }) as [Hours['tag_mappings'], Hours['task_overrides']];
  return { time_ranges: before.time_ranges, tag_mappings, task_overrides };
};

/** A tag or task that names hours which are not there. */
export const lost = (hours: Hours): string | undefined => {
  const names = new Set(hours.time_ranges.map(({ name }) => name));
  return NAMING.flatMap((field) => Object.entries<Users[string]>(hours[field])).find(([, { ranges }]) =>
    ranges?.some((one) => typeof one === 'string' && !names.has(one)),
  )?.[0];
};

/** What differs, as a JSON Merge Patch. */
export const patchOf = (before: Hours, after: Hours) => {
  const parts = NAMING.flatMap((field) => {
    const [old, next]: [Users, Users] = [before[field], after[field]];
    const users = Object.keys(next).filter((user) => old[user]?.ranges !== next[user]?.ranges);
    return users.length
      ? [[field, Object.fromEntries(users.map((user) => [user, { ranges: next[user]?.ranges }]))] as const]
      : [];
  });
  return { time_ranges: after.time_ranges, ...Object.fromEntries(parts) };
};
