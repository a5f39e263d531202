/** What is made of days and clock times: moments, bounds, repetitions, relations. */
import type { Productions } from './chart.ts';
import type { Amount, Clock, Days, Edge, Every, EveryUnit, Item, Moment, PartOfDay } from './types.ts';

type Side = 'before' | 'after' | 'between' | 'during';

const bound = (edge: Edge, at: Moment): Item => ({ item: 'bound', edge, at });
const TODAY: Days = { of: 'today', plus: 0 };

const every = (unit: EveryUnit, more: Partial<Every> = {}): Item => ({ item: 'every', every: { unit, ...more } });
const sorted = (days: readonly number[]): number[] => [...new Set(days)].sort((a, b) => a - b);
const setIn = (values: readonly unknown[]): number[] | undefined =>
  values.find((value) => Array.isArray(value)) as number[];

/** 'every three days' of an amount; years are months of the calendar. */
const everyAmount = ({ minutes, days, months }: Amount, times = 1): Item | null => {
  const n = (minutes ?? days ?? months ?? 0) * times;
  if (!n || (minutes && days)) return null;
  if (minutes) return n % 60 ? every('minute', { step: n }) : every('hour', { step: n / 60 });
  if (months) return n % 12 ? every('month', { step: n }) : every('year', { step: n / 12 });
  return n % 7 ? every('day', { step: n }) : every('week', { step: n / 7 });
};

const relation = (
  side: string,
  more: { by?: Amount; isExact?: true; isFromStart?: true; days?: Days; part?: PartOfDay } = {},
): Item => ({
  item: 'relation',
  side: side as Side,
  ...more,
});
const partWith = (values: readonly unknown[]): PartOfDay | undefined =>
  values.find((value) => typeof value === 'object' && value !== null && 'from' in value && 'to' in value) as PartOfDay;

export const RANGES: Productions = {
  momentDay: (_, days: Days, clock?: Clock): Moment => ({ days, ...(clock && { clock }) }),
  momentClock: (_, clock: Clock, days?: Days): Moment => ({ clock, ...(days && { days }) }),
  momentPart: (_, ...values: (Days | PartOfDay | Clock | string)[]): Moment => {
    const days = values.find((one): one is Days => typeof one === 'object' && 'of' in one)!;
    const clock = values.find((one): one is Clock => typeof one === 'object' && 'hour' in one);
    const part = partWith(values.filter((one) => one !== days));
    return { days, ...(clock ? { clock: { ...clock, ...(part && { part }) } } : part && { part }) };
  },
  momentNight: (_, { days, part }: Moment, clock?: Clock): Moment => ({
    days: days!,
    ...(clock ? { clock: { ...clock, part: part! } } : { part: part! }),
  }),
  domClock: (_, day: number, clock: Clock): Moment => ({ days: { of: 'date', day }, clock }),
  momentHours: (_, { from }: { from: Clock }): Moment => ({ clock: from }),
  momentOnlyPart: (_, part: PartOfDay): Moment => ({ part }),
  stretch: (_, from: Moment, to: Moment): Item | null =>
    from.days && (from.clock || to.clock || from.part) ? { item: 'stretch', from, to } : null,
  stretchDays: (_, a: Days, b: Clock, c: Days, d: Clock): Item => ({
    item: 'stretch',
    from: { days: a, clock: b },
    to: { days: c, clock: d },
  }),
  stretchClocks: (_, a: Clock, b: Days, c: Clock, d: Days): Item => ({
    item: 'stretch',
    from: { days: b, clock: a },
    to: { days: d, clock: c },
  }),

  bound: (_, edge: Edge, at: Moment) => bound(edge, at),
  boundSure: (constant, at: Moment): Item => ({ item: 'bound', edge: constant as Edge, at, isSure: true }),
  boundIs: (constant, at: Moment | Days) => bound(constant as Edge, 'of' in at ? { days: at } : at),
  boundClock: (constant, clock: Clock) => bound(constant as Edge, { clock }),
  boundNow: (_, at: Moment) => bound('until', at),
  boundToday: () => bound('from', { days: TODAY }),
  boundOpen: () => bound('until', {}),
  beforeWeekend: () => bound('before', { days: { of: 'cycle', unit: 'weekend', step: 0 } }),
  net: (_, n: number, days: Days) => bound('by', { days: { of: 'plus', days, by: { days: n } } }),
  wholeDays: (_, days: Days): Item[] => [{ item: 'whole' }, { item: 'days', days }],
  notDays: (_, days: Days): Item[] => [{ item: 'not' }, { item: 'days', days }],
  notPart: (_, part: PartOfDay): Item[] => [{ item: 'not' }, { item: 'part', part }],
  notEvery: (_, weekdays: number[]): Item[] => [{ item: 'not' }, every('week', { weekdays })],
  notItem: (): Item => ({ item: 'not' }),
  orItem: (): Item => ({ item: 'or' }),
  sameItem: (): Item => ({ item: 'same' }),

  set: (constant) => constant.split(' ').map(Number),
  setOf: (_, n: number) => [n],
  union: (_, ...sets: number[][]) => sorted(sets.flat()),
  pair: (_, a: number, b: number) => sorted([a, b]),
  through: (_, a: number, b: number) =>
    sorted(Array.from({ length: ((b - a + 7) % 7) + 1 }, (_, i) => ((a - 1 + i) % 7) + 1)),
  weekly: (constant, ...values: unknown[]): Item[] | null => {
    const weekdays = setIn(values);
    const part = partWith(values);
    if (!weekdays) return null;
    const step = Number(constant);
    const item = every('week', { ...(step > 1 && { step }), weekdays });
    return part ? [item, { item: 'part', part }] : [item];
  },
  weeklyTimes: (_, times: number, weekdays: number[]): Item[] => [
    every('week', { weekdays }),
    { item: 'count', times },
  ],
  dailyTimes: (_, times: number): Item[] => [every('day'), { item: 'count', times }],
  weeklyNth: (_, n: number, weekdays: number[]) => (n > 1 ? [every('week', { step: n, weekdays })] : null),
  everyUnit: (constant, unit: Amount) => [everyAmount(unit, Number(constant))],
  everyAmount: (_, ...values: unknown[]) => {
    const made = everyAmount(values.at(-1) as Amount);
    return made && [made];
  },
  everyOrd: (_, n: number, unit: Amount) => [everyAmount(unit, n)],
  everyHours: (constant) => [every('hour', { step: Number(constant) })],
  every: (constant) => {
    const [unit, step] = constant.split(' ');
    return [every(unit as EveryUnit, Number(step) > 1 ? { step: Number(step) } : {})];
  },
  everyDayPart: (_, ...values: unknown[]): Item[] => {
    const parts = values.filter((one): one is PartOfDay => typeof one === 'object' && one !== null && 'from' in one);
    return [every('day'), ...parts.map((part): Item => ({ item: 'part', part }))];
  },
  everyTimes: (constant, n?: number, part?: PartOfDay): Item[] => [
    every(constant as EveryUnit, { times: n ?? 2 }),
    ...(part ? [{ item: 'part', part } as const] : []),
  ],
  weeklyTimesIn: (_, times: number, weekdays: number[], days: Days): Item[] => [
    every('week', { weekdays }),
    { item: 'count', times },
    { item: 'days', days },
  ],
  schoolPart: (constant): Item[] => {
    const [from = 0, to = 0] = constant.split(' ').map(Number);
    return [every('week', { weekdays: [1, 2, 3, 4, 5] }), { item: 'part', part: { from, to } }];
  },
  everyDayOfWeek: (): Item[] => [every('day'), { item: 'days', days: { of: 'cycle', unit: 'week', step: 0 } }],
  onOff: (_, on: number, off: number) => [every('day', { cycle: [on, off] })],
  // 'the last weekday' is the last working day
  nthWeekly: (_, nth: number[] | number, weekdays: number[]) => [
    every('month', { nth: [nth].flat(), ...(weekdays.length === 5 ? { isWorkday: true as const } : { weekdays }) }),
  ],
  nthQuarterly: (_, nth: number[] | number, weekdays: number[]) => [
    every('month', { step: 3, nth: [nth].flat(), weekdays }),
  ],
  nthWorkday: (constant) => [every('month', { nth: [Number(constant)], isWorkday: true })],
  monthDay: (constant) => [every('month', { monthDays: [Number(constant)] })],
  monthDays: (_, days: number | number[]) =>
    [days].flat().every((day) => day >= 1 && day <= 31) ? [every('month', { monthDays: [days].flat() })] : null,
  monthDaysStep: (constant, day: number) => [every('month', { step: Number(constant), monthDays: [day] })],
  everyMonths: (constant) => [every('month', { step: Number(constant), monthDays: [1] })],
  yearlyDays: (_, day: number, months: number[]) =>
    months.length > 1 ? [every('year', { months, monthDays: [day] })] : null,
  everyMonth: (_, month: number) => [every('year', { months: [month] })],
  yearlyOn: (_, days: Days): Item[] => [every('year'), { item: 'days', days }],

  relation: (constant, exact?: string) => relation(constant, exact ? { isExact: true } : {}),
  relationOnWay: (constant) => relation(constant, { isExact: true }),
  relationSameDay: () => relation('during', { by: { days: 0 } }),
  // 'an hour later' counts from the start, 'an hour after' from the end
  relationLater: (_, by: Amount) => relation('after', { by, isFromStart: true }),
  relationBy: (constant, by: Amount) => relation(constant, { by }),
  relationFixed: (constant) => {
    const [side = '', minutes] = constant.split(' ');
    return relation(side, { by: { minutes: Number(minutes) } });
  },
  relationMinutes: (constant, minutes: number) => relation(constant, { by: { minutes } }),
  relationDay: (constant) => relation(constant, { by: { days: 1 } }),
  relationPart: (constant, ...values: unknown[]) => {
    const part = partWith(values);
    return part ? relation(constant, { ...(constant !== 'during' && { by: { days: 1 } }), part }) : null;
  },
  relationWeekday: (constant, n: number) =>
    relation(constant, { days: { of: 'weekday', weekday: n, which: constant as 'before' | 'after' } }),
  relationWeek: (constant) =>
    relation(constant, { days: { of: 'cycle', unit: 'week', step: constant === 'before' ? -1 : 1, isSaid: true } }),
  conditionItem: (): Item => ({ item: 'condition' }),
  factorItem: (_, item: Item) => item,
};
