/** What days and stretches of days are made of. */
import type { Productions } from './chart.ts';
import type { Amount, CycleUnit, Days, Nth } from './types.ts';

type Dated = Extract<Days, { of: 'date' }>;

const dateOf = (day: number, month?: number, year?: number): Dated | null =>
  day >= 1 && day <= 31
    ? { of: 'date', day, ...(month !== undefined && { month }), ...(year !== undefined && { year }) }
    : null;

const weekday = (n: number, which = ''): Days => ({
  of: 'weekday',
  weekday: n,
  ...(which && { which: which as 'next' | 'last' | 'after' | 'before' | 'that' }),
});
const cycle = (unit: CycleUnit, step: number, more: { isRest?: true; isSaid?: true } = {}): Days => ({
  of: 'cycle',
  unit,
  step,
  ...more,
});
const plus = (days: Days, by: Amount, isBack = false): Days => ({ of: 'plus', days, by, ...(isBack && { isBack }) });
const THIS_MONTH = cycle('month', 0);

const listOf = (first: Days, more: Days, isChoice: boolean): Days | null => {
  // 'Tuesday, the 15th' is one day
  const second = more.of === 'list' ? more.days[0]! : more;
  if (first.of === 'weekday' && second.of === 'date' && second.weekday === undefined) return null;
  const days = more.of === 'list' ? [first, ...more.days] : [first, more];
  // 'Mon, Wed, Fri till Easter': the end is of all
  const last = days.at(-1)!;
  if (first.of === 'weekday' && last.of === 'range' && last.from.of === 'weekday' && last.to.of !== 'weekday')
    return null;
  if (more.of === 'list' && Boolean(more.isChoice) !== isChoice && more.days.length > 1) return null;
  return { of: 'list', days, ...(isChoice && { isChoice: true as const }) };
};

/** Only days and weeks count a day from another: 'ten minutes friday' does not. */
const isLong = ({ minutes }: Amount): boolean => minutes === undefined;

/** '8, 15 and 22 December': the month of the last is that of all. */
const lowDates = (day: number, more: Days): Days | null => {
  const days = more.of === 'list' ? more.days : [more];
  const [first] = days;
  if (first?.of !== 'date' || first.month === undefined || day < 1 || day > 31) return null;
  const { weekday: _, ...date } = first;
  return { of: 'list', days: [{ ...date, day }, ...days] };
};

/** '28. to 30.12.', 'the 7th to the 9th of May': the month of the end is that of the start, or the one before. */
const lowRange = (low: number | Dated, to: Dated): Days | null => {
  const day = typeof low === 'number' ? low : low.day;
  if (to.month === undefined || day < 1 || day > 31) return null;
  const month = to.day < day ? ((to.month + 10) % 12) + 1 : to.month;
  return { of: 'range', from: { of: 'date', day, month, ...(to.year && { year: to.year }) }, to };
};

export const DAYS: Productions = {
  date: (_, day: number, month: number, year?: number) => dateOf(day, month, year),
  monthDate: (_, month: number, day: number, year?: number) => dateOf(day, month, year),
  dayNumber: (_, day: number) => dateOf(day),
  today: (constant): Days => ({ of: 'today', plus: Number(constant) }),
  said: (constant): Days => ({ of: 'said', plus: Number(constant) }),
  holiday: (constant, ...values: unknown[]): Days => {
    const known = values.find((value) => typeof value === 'object');
    if (known) return known as Days;
    return { of: 'holiday', name: constant || `advent ${7 * (Number(values[0]) - 1)}` };
  },
  weekday: (constant, a: number | string, b?: number | string) => {
    const [n, which] = typeof a === 'number' ? [a, b] : [b, a];
    return weekday(n as number, constant || (which as string | undefined));
  },
  weekdayNext: (_, a: number | string, b?: number) => (typeof a === 'number' ? weekday(a, 'next') : weekday(b!, a)),
  weekdayPlus: (constant, n: number) => {
    const [which = '', days] = constant.split(' ');
    return plus(weekday(n, which === 'this' ? '' : which), { days: Number(days) });
  },
  weekdayDate: (_, n: number, value: Dated | number) => {
    const date = typeof value === 'number' ? dateOf(value) : value;
    if (!date || date.weekday !== undefined) return null;
    return { ...date, weekday: n, ...((typeof value === 'number' || value.isBare) && { isBare: true as const }) };
  },
  dateWeekday: (_, value: Dated | number, n: number) => {
    const date = typeof value === 'number' ? dateOf(value) : value;
    return date && date.weekday === undefined ? { ...date, weekday: n } : null;
  },
  oneAfter: (): Days => plus({ of: 'said', plus: 0 }, { days: 7 }),

  plusDays: (constant, days: Days) => plus(days, { days: Number(constant) }),
  plus: (_, by: Amount, days: Days) => (isLong(by) ? plus(days, by) : null),
  plusBehindWeekday: (_, n: number, by: Amount) => (isLong(by) ? plus(weekday(n), by) : null),
  dateIn: (_, days: Days, date: Dated): Days | null =>
    days.of === 'cycle' && days.unit === 'month' ? { of: 'in', days: date, in: days } : null,
  newYear: (): Days => ({ of: 'month', month: 1 }),
  slashList: (_, date: Dated, month: number): Days | null =>
    date.month === undefined || date.month > 12
      ? null
      : { of: 'list', days: [date.day, date.month].map((day) => ({ of: 'date', day, month })) },
  plusBehind: (_, days: Days, by: Amount) =>
    isLong(by) && (days.of === 'today' || days.of === 'weekday') ? plus(days, by) : null,
  back: (_, by: Amount, days: Days) => (isLong(by) ? plus(days, by, true) : null),
  saidPlus: (_, by: Amount) => (isLong(by) ? plus({ of: 'said', plus: 0 }, by) : null),
  saidBack: (_, by: Amount) => (isLong(by) ? plus({ of: 'said', plus: 0 }, by, true) : null),
  plusOne: (constant, days: Days) => plus(days, { days: 1 }, constant === '-1'),
  weekdayBy: (constant, n: number, days: Days): Days => ({ of: 'in', days: weekday(n, constant), in: days }),

  cycle: (constant, unit: CycleUnit) => cycle(unit, Number(constant)),
  cycleIs: (constant) => cycle(constant.split(' ')[0] as CycleUnit, 0),
  cycleSaid: (constant, unit?: CycleUnit) => cycle(unit ?? 'week', Number(constant), { isSaid: true }),
  those: (): Days => ({ of: 'those' }),
  cycleRest: (_, unit: CycleUnit) => cycle(unit, 0, { isRest: true }),
  weekOf: (_, a: CycleUnit | Days | number, b?: Days | number) => {
    const value = b ?? a;
    const days = typeof value === 'number' ? dateOf(value) : (value as Days);
    if (!days || (typeof a === 'string' && a !== 'week' && a !== 'weekend')) return null;
    return a === 'weekend'
      ? { of: 'in', days: cycle('weekend', 0), in: { of: 'weekOf', days } }
      : { of: 'weekOf', days };
  },
  calendarWeek: (_, week: number) => (week >= 1 && week <= 53 ? { of: 'calendarWeek', week } : null),
  month: (_, month: number, year?: number): Days => ({ of: 'month', month, ...(year !== undefined && { year }) }),
  slice: (constant, ...values: unknown[]): Days => {
    const [from = 0, to = 1] = constant.split(' ').map(Number);
    return { of: 'slice', from, to, in: values.at(-1) as Days };
  },
  midweek: (): Days => ({ of: 'slice', from: 0.2, to: 0.6, in: cycle('week', 0) }),
  nth: (constant, n: number, days: Days): Days => ({ of: 'nth', n, what: constant as Nth, in: days }),
  nthLast: (constant, days: Days | CycleUnit | number = THIS_MONTH): Days => ({
    of: 'nth',
    n: -1,
    what: constant as Nth,
    in: typeof days === 'string' ? cycle(days, 0) : typeof days === 'number' ? { of: 'month', month: days } : days,
  }),
  nthFirst: (constant, days: Days): Days => ({ of: 'nth', n: 1, what: constant as Nth, in: days }),
  over: (constant): Days => {
    const [name = '', from, to] = constant.split(' ');
    return {
      of: 'range',
      from: { of: 'holiday', name: `${name} ${from}` },
      to: { of: 'holiday', name: `${name} ${to}` },
    };
  },
  betweenYears: (): Days => ({
    of: 'range',
    from: { of: 'holiday', name: 'christmas 1' },
    to: { of: 'holiday', name: 'newyear -1' },
  }),
  comingFixed: (constant): Days => ({ of: 'coming', by: { days: Number(constant) } }),
  coming: (_, amount: Amount): Days | null => (isLong(amount) ? { of: 'coming', by: amount } : null),
  weekBefore: (_, unit: CycleUnit | Days, days?: Days): Days =>
    plus({ of: 'weekOf', days: days ?? (unit as Days) }, { days: 7 }, true),
  weekAfter: (_, unit: CycleUnit | Days, days?: Days): Days =>
    plus({ of: 'weekOf', days: days ?? (unit as Days) }, { days: 7 }),
  quarterOf: (_, n: number): Days | null =>
    n >= 1 && n <= 4
      ? { of: 'range', from: { of: 'month', month: 3 * n - 2 }, to: { of: 'month', month: 3 * n } }
      : null,

  nthDay: (_, n: number, day: number, days: Days): Days => ({ of: 'nth', n, what: day, in: days }),
  nthLastDay: (_, day: number, days: Days): Days => ({ of: 'nth', n: -1, what: day, in: days }),
  nthDayBehind: (_, days: Days, n: number, day: number): Days => ({ of: 'nth', n, what: day, in: days }),
  nthTwo: (_, a: number, b: number, day: number, days: Days): Days => ({
    of: 'list',
    days: [a, b].map((n) => ({ of: 'nth', n, what: day, in: days })),
  }),
  nthOf: (_, n: number, days: Days) =>
    days.of === 'cycle' && days.unit === 'month' ? { of: 'nth', n, what: 'day', in: days } : null,
  dayIn: (_, a: number | Days, b: number | Days): Days | null => {
    const [n, days] = typeof a === 'number' ? [a, b as Days] : [b as number, a];
    return days.of === 'cycle' ||
      days.of === 'weekOf' ||
      days.of === 'calendarWeek' ||
      days.of === 'plus' ||
      days.of === 'slice' ||
      days.of === 'nth' ||
      days.of === 'month'
      ? { of: 'in', days: weekday(n), in: days }
      : null;
  },
  weekdayThatWeek: (_, n: number): Days => ({ of: 'in', days: weekday(n), in: cycle('week', 0, { isSaid: true }) }),

  lowRange: (_, low: number, to: Dated) => lowRange(low, to),
  wdaysLowRange: (_, _from: number, _to: number, low: number | Dated, to: Dated) => lowRange(low, to),
  numberRange: (_, a: number | Dated, b: number | Dated): Days | null => {
    const [from, to] = [a, b].map((one) => (typeof one === 'number' ? dateOf(one) : one));
    return from && to ? { of: 'range', from, to } : null;
  },
  monthRange: (_, month: number, a: number, b: number): Days | null => {
    const [from, to] = [dateOf(a, month), dateOf(b, month)];
    return from && to ? { of: 'range', from, to } : null;
  },
  monthsRange: (_, a: number, b: number): Days => ({
    of: 'range',
    from: { of: 'month', month: a },
    to: { of: 'month', month: b },
  }),
  wdayRange: (_, n: number, day: number, to: Days | number, last?: Dated): Days | null => {
    const from = dateOf(day);
    const end = typeof to === 'number' ? last : to;
    if (!from || !end) return null;
    return {
      of: 'range',
      from: { ...from, weekday: n, ...(end.of === 'date' && end.month && { month: end.month }) },
      to: end,
    };
  },
  range: (_, from: Days, to: Days): Days | null =>
    from.of === 'list' || to.of === 'list' || from.of === 'range' ? null : { of: 'range', from, to },
  wdaysIn: (_, ...values: (number | Days)[]): Days => {
    const [from, to] = values.filter((one) => typeof one === 'number');
    const days = values.find((one) => typeof one === 'object') as Days;
    return { of: 'in', days: { of: 'range', from: weekday(from!), to: weekday(to!) }, in: days };
  },
  rangeIn: (_, a: Days, b: Days): Days | null => {
    const [range, days] = a.of === 'range' ? [a, b] : [b, a];
    return range.of === 'range' && range.from.of === 'weekday' && range.to.of === 'weekday'
      ? { of: 'in', days: range, in: days }
      : null;
  },
  lowsDate: (_, low: number, more: Dated | Days) => lowDates(low, more),
  lowsChoice: (_, low: number, date: Dated): Days | null => {
    const days = lowDates(low, date);
    return days?.of === 'list' ? { ...days, isChoice: true } : null;
  },
  numberChoice: (_, a: number | Dated, b: number): Days | null => {
    const [first, second] = [typeof a === 'number' ? dateOf(a) : a, dateOf(b)];
    return first && second ? { of: 'list', days: [first, second], isChoice: true } : null;
  },
  sameList: (_, days: Days) => (days.of === 'list' ? days : null),
  sameNumber: (_, day: number | Dated) => (typeof day === 'number' ? dateOf(day) : day),
  numberList: (_, day: number | Dated, more: Days): Days | null => {
    const first = typeof day === 'number' ? dateOf(day) : day;
    return first && { of: 'list', days: [first, ...(more.of === 'list' ? more.days : [more])] };
  },
  list: (_, first: Days, more: Days) => listOf(first, more, false),
  choice: (_, first: Days, more: Days) => listOf(first, more, true),
  wdays: (_, ...days: number[]): Days => ({ of: 'list', days: days.map((n) => weekday(n)) }),
  twoCycles: (_, unit: CycleUnit | Days): Days => {
    const [from, to] = typeof unit === 'string' ? [cycle(unit, 0), cycle(unit, 1)] : [unit, plus(unit, { days: 7 })];
    return { of: 'range', from, to };
  },
  dayAndNext: (_, day: Days): Days => ({ of: 'list', days: [day, plus(day, { days: day.of === 'weekday' ? 7 : 1 })] }),
  months: (_, month: number, more?: number[]) => [month, ...(more ?? [])],
  monthList: (_, month: number, months: number[]): Days => ({
    of: 'list',
    days: [month, ...months].map((one) => ({ of: 'month', month: one })),
  }),
  firstDays: (constant): Days => ({ of: 'coming', by: { days: Number(constant) } }),
  daysItem: (_, days: Days) => ({ item: 'days', days }),
};
