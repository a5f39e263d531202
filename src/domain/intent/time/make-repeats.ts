/** Productions: repetitions, and what a request leaves out. */
import type { Day, Every, Facet, Part } from '../facet.ts';
import { WEEKDAYS, wordAt } from '../words.ts';
import type { Productions } from './chart.ts';
import { leftOut, NOTHING } from './except.ts';
import { PARTS } from './make-parts.ts';
import type { Amount } from './make-lengths.ts';

type Weekdays = readonly number[];
const every = (unit: Every['unit'], step: number, more: Partial<Every> = {}): Every => ({
  kind: 'every',
  unit,
  step,
  ...more,
});
const sorted = (days: Iterable<number>): number[] => [...new Set(days)].toSorted((a, b) => a - b);
const weekly = (weekdays: Weekdays, step = 1): Every => every('week', step, { weekdays: sorted(weekdays) });
const isSet = (value: unknown): value is Weekdays => Array.isArray(value);
const setIn = (values: readonly unknown[]): Weekdays => values.findLast(isSet) ?? [];
const monthly = (unit: Every['unit']): boolean => unit === 'month';

/** 'every 3 days', 'every 90 minutes'. */
const everyAmount = (step: number, { calendar, minutes }: Amount): Every | null => {
  if (calendar?.days) return every('day', calendar.days * step);
  if (calendar?.weeks) return every('week', calendar.weeks * step);
  if (calendar?.months) return every('month', calendar.months * step);
  if (calendar?.years) return every('month', 12 * calendar.years * step);
  return minutes >= 5 ? every('minute', Math.round(minutes)) : null;
};

const UNITS: Record<string, Every['unit']> = { week: 'week', month: 'month' };
const daysOf = (weekdays: Weekdays): Facet => weekly(weekdays);

export const REPEATS: Productions = {
  group: ({ arg }) => arg.split(' ').map(Number),
  weekdaySet: (_, n: number) => [n],
  union: (_, ...values: unknown[]) =>
    sorted(values.flatMap((value) => (isSet(value) ? value : typeof value === 'number' ? [value] : []))),
  unionDay: (_, n: number, more: Weekdays) => sorted([n, ...more]),
  through: (_, first: number, last: number) => {
    const days = [first];
    for (let day = first; day !== last; day = (day % 7) + 1) days.push((day % 7) + 1);
    return sorted(days);
  },
  weekly: (_, step: number, weekdays: Weekdays) => weekly(weekdays, step),
  everyUnit: (_, step: number, unit: string) => {
    if (unit === 'weekend') return weekly([6, 7], step);
    if (unit === 'year') return every('month', 12 * step);
    return unit === 'quarter' ? every('month', 3 * step) : every(UNITS[unit]!, step);
  },
  everyDay: (_, step: number) => every('day', step),
  everyHour: ({ tokens, to }, step: number) =>
    wordAt(tokens, to - 1) === 'minute' ? null : every('minute', 60 * step),
  everyFortnight: () => every('week', 2),
  everyAmount: (_, step: number, amount: Amount) => everyAmount(step, amount),
  adverb: ({ arg }) => {
    const [unit, step] = arg.split(' ');
    return every(unit as Every['unit'], Number(step));
  },
  onMonthday: (_, one: Every, monthday: number) =>
    monthly(one.unit) && !one.weekdays && !one.monthday ? { ...one, monthday } : null,
  onNth: ({ arg }, one: Every, ...values: number[]) => {
    const [nth, weekday] = arg ? [-1, values[0]!] : (values as [number, number]);
    return monthly(one.unit) && !one.monthday && !one.weekdays ? { ...one, weekdays: [weekday], nth } : null;
  },
  onWeekdays: (_, one: Every, weekdays: Weekdays) =>
    one.unit === 'week' && !one.weekdays ? { ...one, weekdays: sorted(weekdays) } : null,
  nthMonthly: ({ arg }, ...values: number[]) => {
    const [nth, weekday] = arg ? [-1, values[0]!] : (values as [number, number]);
    return nth > 5 ? null : every('month', 1, { weekdays: [weekday], nth });
  },
  dayMonthly: (_, monthday: number) => every('month', 1, { monthday }),
  everyFacet: (_, one: Every): Facet[] => [one],
  everyPlain: (_, one: Every): Facet[] => [one],
  weeklyFacet: (_, ...values: unknown[]): Facet[] => [daysOf(setIn(values))],
  dayParts: ({ tokens, from }): Facet[] => [
    weekly(WEEKDAYS.has(wordAt(tokens, from)) ? [WEEKDAYS.get(wordAt(tokens, from))!] : [1, 2, 3, 4, 5]),
  ],
  nextSome: (_, times: number, weekdays: Weekdays): Facet[] => [weekly(weekdays), { kind: 'count', times }],
  edgeOfWeek: ({ arg }): Facet[] => [weekly([Number(arg)])],
  edgeOfEach: ({ arg }, ...values: unknown[]): Facet[] => {
    const weekdays = setIn(values);
    const part: Part = arg === 'end' ? { name: 'afternoon', from: 16, to: 18 } : PARTS['morning']!;
    return [weekdays.length > 0 ? weekly(weekdays) : every('day', 1), { kind: 'part', part }];
  },

  except: (_, ...values: unknown[]): Facet[] | null => {
    const facets = values.filter(isSet).flat() as unknown as Facet[];
    const except = leftOut(facets);
    return except && [except];
  },
  exceptDay: (_, day: Day): Facet[] | null => {
    const except = leftOut([{ kind: 'days', days: [day] }]);
    return except && [except];
  },
  exceptWork: (): Facet[] => [{ ...NOTHING, parts: [{ name: 'afternoon', from: 9, to: 17, label: 'working hours' }] }],
  onlyWeek: (): Facet[] => only([1, 2, 3, 4, 5]),
  onlyWorkdays: (_, weekdays: Weekdays): Facet[] => only(weekdays),
  only: (_, ...values: unknown[]): Facet[] | null => {
    const [facet, more] = setIn(values) as unknown as Facet[];
    if (facet?.kind === 'part' && !more) return [{ kind: 'part', part: facet.part }];
    return facet?.kind === 'every' && facet.weekdays && !facet.nth && !more ? only(facet.weekdays) : null;
  },
};
const only = (weekdays: Weekdays): Facet[] => [
  { ...NOTHING, weekdays: [1, 2, 3, 4, 5, 6, 7].filter((day) => !weekdays.includes(day)) },
];
