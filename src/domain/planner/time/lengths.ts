/** What numbers and lengths are made of. */
import type { Productions } from './chart.ts';
import type { Amount, Item, PartOfDay, Way } from './types.ts';

/** Beyond a lifetime no calendar reaches and nothing is planned. */
const MOST_DAYS = 36_600;
const MOST_MINUTES = 366 * 24 * 60;
/** Half a day is half of a day that a person works. */
const WORKING_DAY = 8 * 60;

const times = ({ minutes, days, months }: Amount, n: number): Amount | null => {
  const amount: Amount = {
    ...(minutes !== undefined && { minutes: Math.round(minutes * n) }),
    ...(days !== undefined && { days: Math.round(days * n) }),
    ...(months !== undefined && { months: Math.round(months * n) }),
  };
  if (days !== undefined && days * n < 1) return { minutes: Math.round(WORKING_DAY * days * n) };
  const isTooLong = (amount.minutes ?? 0) > MOST_MINUTES || (amount.days ?? 0) + (amount.months ?? 0) * 30 > MOST_DAYS;
  return isTooLong || n <= 0 ? null : amount;
};

const isHours = ({ minutes }: Amount): boolean => minutes !== undefined && minutes >= 60;

/** 'an hour and twenty minutes', 'two weeks and a day'; never minutes before hours. */
const sum = (a: Amount, b: Amount): Amount | null => {
  if (a.minutes !== undefined && b.minutes !== undefined)
    return isHours(a) && b.minutes < 60 ? { minutes: a.minutes + b.minutes } : null;
  if (a.days !== undefined && b.days !== undefined && b.days < a.days) return { days: a.days + b.days };
  return a.months !== undefined && b.days !== undefined ? { ...a, ...b } : null;
};

const length = (amount: Amount | null, way?: Way | ''): Item | null =>
  amount && { item: 'length', amount, ...(way && { way }) };

export const LENGTHS: Productions = {
  same: (_, value: unknown = true) => value,
  is: (constant) => constant,
  number: (constant) => Number(constant),
  numbers: (_, n: number, more?: number[]) => [n, ...(more ?? [])],
  add: (_, a: number, b: number) => (a >= 20 && b >= 10 ? null : a + b),
  hundreds: (_, n: number) => (n < 100 ? 100 * n : null),

  times: (constant, n: number, unit: Amount) => times(unit, n + Number(constant || 0)),
  upper: (_, least: number, n: number, unit: Amount) => (n > least ? times(unit, n) : null),
  one: (_, unit: Amount) => unit,
  andHalf: (_, amount: Amount) => (isHours(amount) ? sum(amount, { minutes: 30 }) : null),
  oneHalf: (_, unit: Amount) => times(unit, 1.5),
  fixedAmount: (constant) => ({ minutes: Number(constant) }),
  fixedMore: (constant, amount: Amount) => (isHours(amount) ? sum(amount, { minutes: Number(constant) }) : null),
  sum: (_, a: Amount, b: Amount) => sum(a, b),
  bareTail: (_, amount: Amount, n: number) =>
    isHours(amount) && n >= 5 && n < 60 ? sum(amount, { minutes: n }) : null,
  fraction: (constant, unit: Amount) => times(unit, Number(constant)),
  product: (_, n: number, _unit: unknown, m: number, unit?: Amount) => (unit ? times(unit, n * m) : null),
  productOf: (_, n: number, amount: Amount) => times(amount, n),

  length: (constant, amount: Amount) => length(amount, constant as Way),
  lengthOne: (constant, unit: Amount) => length(unit, constant as Way),
  lengthTimes: (constant, n: number, unit: Amount) => length(times(unit, n), constant as Way),
  lengthWay: (_, a: Amount | Way, b: Amount | Way) =>
    typeof a === 'string' ? length(b as Amount, a) : length(a, b as Way),
  bare: (constant, n: number): Item => ({ item: 'number', n, ...(constant && { way: constant as Way }) }),
  bareWay: (_, n: number, way: Way): Item => ({ item: 'number', n, way }),
  vague: (_, way?: Way): Item => ({ item: 'vague', ...(way && { way }) }),
  factor: (constant): Item => ({ item: 'factor', times: Number(constant) }),
  whole: (): Item => ({ item: 'whole' }),
  days: (constant) => length({ days: Number(constant) }),
  aheadFixed: (constant): Item => ({ item: 'ahead', amount: { minutes: Number(constant) } }),
  ahead: (_, amount: Amount): Item => ({ item: 'ahead', amount }),

  // dictation writes hours so
  fixedHours: (_, n: number): Amount => ({ minutes: 60 * n }),
  dayAmount: (_, days: number): Amount => ({ days }),
  countPart: (_, times: number, part: PartOfDay): Item[] => [
    { item: 'count', times },
    { item: 'part', part },
  ],
  countFixed: (constant): Item => ({ item: 'count', times: Number(constant) }),
  count: (_, n: number): Item | null => (Number.isInteger(n) && n <= 400 ? { item: 'count', times: n } : null),
  apart: (_, amount: Amount | number): Item => ({
    item: 'apart',
    amount: typeof amount === 'number' ? { minutes: amount } : amount,
  }),
  apartDays: (constant): Item => ({ item: 'apart', amount: { days: Number(constant) } }),
  piece: (constant, amount: Amount): Item => ({ item: 'piece', amount, ...(constant && { isLeast: true as const }) }),
  rateTimes: (_, n: number): Item => ({ item: 'rate', times: n }),
  rateOf: (_, amount: Amount): Item => ({ item: 'rate', amount }),
  spread: (_, { days }: Amount): Item | null => (days ? { item: 'spread', days } : null),
  spreadDays: (_, days: number): Item => ({ item: 'spread', days }),
};
