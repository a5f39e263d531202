/** Exclusions: days and parts of the day that a request leaves out, 'any day except Friday', 'avoid mornings'. */
import { readDays } from './days.ts';
import type { Facet, Reader } from './facet.ts';
import { readPart } from './parts.ts';
import { readEvery } from './recurrence.ts';
import { dayName, WEEKDAY_NAMES } from './say.ts';
import { phraseAt } from './words.ts';

const LEADS =
  'except|except for|except on|except in|excluding|avoid|avoiding|but not|not|and not|other than|apart from' +
  '|any day except|any day but|any day but not|anytime except|anytime but|any time except|any time but|any time other than';

/** 'except Friday', 'not on Wednesday', 'avoid mornings', 'but not in the evening'. */
export const readExcept: Reader = (scan, i) => {
  const lead = phraseAt(scan.tokens, i, LEADS);
  if (!lead) return null;
  for (const read of [readEvery, readDays, readPart]) {
    const found = read(scan, lead) ?? read(scan, phraseAt(scan.tokens, lead, 'on|in') ?? lead);
    const [facet] = found?.facets ?? [];
    const except = found?.facets.length === 1 && facet ? exceptOf(facet) : null;
    if (found && except) return { facets: [except], next: found.next };
  }
  return null;
};

export type Except = Extract<Facet, { kind: 'except' }>;
const NOTHING: Except = { kind: 'except', weekdays: [], dates: [], parts: [] };

const exceptOf = (facet: Facet): Except | null => {
  if (facet.kind === 'part') return { ...NOTHING, parts: [facet.part] };
  if (facet.kind === 'every')
    return facet.weekdays && !facet.nth ? { ...NOTHING, weekdays: [...facet.weekdays] } : null;
  if (facet.kind !== 'days') return null;
  const [named, dated] = [true, false].map((is) => facet.days.filter((day) => (day.weekday !== undefined) === is));
  return { ...NOTHING, weekdays: named!.map(({ weekday }) => weekday!), dates: dated!.map(({ date }) => date) };
};

export const mergeExcept = (a: Except | undefined, b: Except): Except => ({
  kind: 'except',
  weekdays: [...(a?.weekdays ?? []), ...b.weekdays],
  dates: [...(a?.dates ?? []), ...b.dates],
  parts: [...(a?.parts ?? []), ...b.parts],
});

export const isLeftOut = (except: Except | undefined, day: Temporal.PlainDate): boolean =>
  except !== undefined && (except.weekdays.includes(day.dayOfWeek) || except.dates.some((date) => date.equals(day)));

/** 'Friday, mornings', as a note of what was left out. */
export const exceptName = ({ weekdays, dates, parts }: Except): string =>
  [
    ...weekdays.map((weekday) => `${WEEKDAY_NAMES[weekday - 1]}s`),
    ...dates.map((date) => dayName(date)),
    ...parts.map(({ name }) => `${name}s`),
  ].join(', ');
