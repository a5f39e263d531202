/** Exclusions: days and parts of the day that a request leaves out, 'any day except Friday', 'avoid mornings'. */
import { readAtom } from './dates.ts';
import { readDays } from './days.ts';
import type { Clock, Facet, Part, Reader } from './facet.ts';
import { readPart } from './parts.ts';
import { readPeriod } from './periods.ts';
import { compareDays } from './calendar.ts';
import { readEvery } from './recurrence.ts';
import { dayName, WEEKDAY_NAMES } from './say.ts';
import { phraseAt, type Token, wordAt } from './words.ts';

const LEADS =
  '(but/and/though/,) not|(any day/anytime/any time/every day/) (except/except for/except on/except in/but not/other than/apart from/besides/not counting)|any (day/time) but|anytime but|excluding|avoid|avoiding|not|(and/just/though/although/only) not|never';

const ONLY = '(but/and/) only (on/in/in the/during the/)|just (on/in/in the/)';
const WORKDAYS = '(on/) (any/a/some) (weekday/workday/working day)|(on/) weekdays only|only (on/) weekdays';

/** Whether a word is among the next six. */
const isNear = (tokens: readonly Token[], i: number, word: string): boolean => {
  for (let at = i; at < i + 7; at++) if (tokens[at]?.word === word) return true;
  return false;
};

const WORKING = '(outside/outside of) (working/work/office/business/school) hours';

/** 'mornings only', 'only on Mondays', 'any weekday': all other times are left out. */
const readOnly: Reader = (scan, i) => {
  const { tokens } = scan;
  const outside = phraseAt(tokens, i, WORKING);
  const working: Part = { name: 'afternoon', from: 9, to: 17, label: 'working hours' };
  if (outside) return { facets: [{ ...NOTHING, parts: [working] }], next: outside };
  const weekday = phraseAt(tokens, i, WORKDAYS);
  if (weekday) return { facets: [{ ...NOTHING, weekdays: [6, 7] }], next: weekday };
  const lead = phraseAt(tokens, i, ONLY);
  if (!lead && !isNear(tokens, i, 'only')) return null;
  for (const read of [readEvery, readDays, readPart]) {
    const found = read(scan, lead ?? i);
    const [facet] = found?.facets ?? [];
    const next = lead ? found?.next : found && phraseAt(tokens, found.next, 'only');
    if (!found || !facet || !next || found.facets.length > 1) continue;
    if (facet.kind === 'part') return { facets: [{ kind: 'part', part: facet.part }], next };
    const only = exceptOf(facet);
    if (facet.kind === 'every' && only)
      return {
        facets: [{ ...NOTHING, weekdays: [1, 2, 3, 4, 5, 6, 7].filter((day) => !only.weekdays.includes(day)) }],
        next,
      };
  }
  return null;
};

/** 'except Friday', 'not on Wednesday', 'avoid mornings', 'but not in the evening'. */
export const readExcept: Reader = (scan, i) => {
  const out = readOut(scan, i);
  if (out) return out;
  const wide = scan.tokens.slice(Math.max(0, i - 6), i).some(({ word }) => word === 'any' || word === 'anytime');
  const lead = phraseAt(scan.tokens, i, LEADS) ?? (wide ? phraseAt(scan.tokens, i, 'but') : null);
  if (!lead) return readOnly(scan, i);
  // 'not Saturday, Sunday': the second is the right one
  const first = i === 0 && lead === 1 ? readAtom(scan, lead) : null;
  if (first && !first.fault && wordAt(scan.tokens, first.next) === ',') {
    const except = exceptOf({ kind: 'days', days: [first.day] });
    if (except) return { facets: [except], next: first.next };
  }
  for (const read of [readEvery, readDays, readPart]) {
    const days = read(scan, lead) ?? read(scan, phraseAt(scan.tokens, lead, 'on|in') ?? lead);
    const part = days?.facets.length === 1 && days.facets[0]!.kind !== 'part' ? readPart(scan, days.next) : null;
    const found = part && days ? { facets: [...days.facets, ...part.facets], next: part.next } : days;
    const except = found && found.facets.length <= 2 ? leftOut(found.facets) : null;
    if (found && except) return { facets: [except], next: found.next };
  }
  // 'but not this week yet'
  const period = readPeriod(scan, lead);
  const [whole] = period?.facets ?? [];
  if (period && whole?.kind === 'period' && compareDays(whole.from, scan.today) <= 0)
    return {
      facets: [{ kind: 'edge', from: whole.to, said: null }],
      next: phraseAt(scan.tokens, period.next, 'yet') ?? period.next,
    };
  return null;
};

const OUT = '(is/are) (out/off limits/impossible/not possible)';
/** 'mornings are out' */
const readOut: Reader = (scan, i) => {
  if (!isNear(scan.tokens, i, 'is') && !isNear(scan.tokens, i, 'are')) return null;
  for (const read of [readEvery, readDays, readPart]) {
    const found = read(scan, i);
    const next = found && phraseAt(scan.tokens, found.next, OUT);
    const except = found?.facets.length === 1 ? exceptOf(found.facets[0]!) : null;
    if (next && except) return { facets: [except], next };
  }
  return null;
};

export type Except = Extract<Facet, { kind: 'except' }>;
const NOTHING: Except = { kind: 'except', weekdays: [], dates: [], parts: [] };

/** The days or the part of the day that are left out, or the part of these days: 'not on Sunday morning'. */
export const leftOut = ([facet, part]: readonly Facet[]): Except | null => {
  const whole = facet ? exceptOf(facet) : null;
  if (!whole || part === undefined) return whole;
  const { weekdays, dates } = whole;
  return part.kind === 'part' && whole.parts.length === 0
    ? { ...NOTHING, parts: [{ ...part.part, days: { weekdays, dates } }] }
    : null;
};

const exceptOf = (facet: Facet): Except | null => {
  if (facet.kind === 'part') return { ...NOTHING, parts: [facet.part] };
  if (facet.kind === 'every')
    return facet.weekdays && !facet.nth ? { ...NOTHING, weekdays: [...facet.weekdays] } : null;
  if (facet.kind !== 'days') return null;
  // 'except Friday' is each Friday, 'except this Friday' that one
  const [named, dated] = [true, false].map((is) => facet.days.filter((day) => (day.bare === true) === is));
  return { ...NOTHING, weekdays: named!.map(({ weekday }) => weekday!), dates: dated!.map(({ date }) => date) };
};

export const mergeExcept = (a: Except | undefined, b: Except): Except => ({
  kind: 'except',
  weekdays: [...(a?.weekdays ?? []), ...b.weekdays],
  dates: [...(a?.dates ?? []), ...b.dates],
  parts: [...(a?.parts ?? []), ...b.parts],
});

/** At an hour of its own, 'not on Friday evening' leaves out that Friday, or nothing. */
export const atClocks = (except: Except, clocks: readonly Clock[]): Except => {
  const isIn = ({ from, to }: Part): boolean =>
    clocks.some(({ hour, fixed }) => [hour, ...(fixed ? [] : [hour + 12])].some((one) => one >= from && one < to));
  const dayParts = except.parts.flatMap((part) => (part.days && isIn(part) ? [{ ...NOTHING, ...part.days }] : []));
  return dayParts.reduce(mergeExcept, { ...except, parts: except.parts.filter(({ days }) => !days) });
};

/** The parts of this day that are left out. */
export const partsLeftOut = ({ parts }: Except, day: Temporal.PlainDate): Part[] =>
  parts.filter(({ days }) => !days || isLeftOut({ ...NOTHING, ...days }, day));

export const isLeftOut = (except: Except | undefined, day: Temporal.PlainDate): boolean =>
  except !== undefined && (except.weekdays.includes(day.dayOfWeek) || except.dates.some((date) => date.equals(day)));

/** 'Friday, mornings', as a note of what was left out. */
export const exceptName = ({ weekdays, dates, parts }: Except): string =>
  [
    ...weekdays.map((weekday) => `${WEEKDAY_NAMES[weekday - 1]}s`),
    ...dates.map((date) => dayName(date)),
    ...parts.map(({ name, label, days }) => {
      const when = days ? exceptName({ ...NOTHING, ...days }) : '';
      return when ? `${when} in the ${name}` : (label ?? `${name}s`);
    }),
  ].join(', ');
