/** What a request leaves out: days, and parts of the day. */
import type { Clock, Facet, Part } from '../facet.ts';
import { dayName, WEEKDAY_NAMES } from '../../time/say.ts';

export type Except = Extract<Facet, { kind: 'except' }>;
export const NOTHING: Except = { kind: 'except', weekdays: [], dates: [], parts: [] };

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
