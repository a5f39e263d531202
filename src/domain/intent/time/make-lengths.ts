/** Productions: numbers, lengths, shifts, counts. */
import { addMinutes, type Instant, instantOf, millis, zoned } from '../../time/time.ts';
import { VAGUE } from '../../time/words-of-time.ts';
import type { Facet, Length } from '../facet.ts';
import type { Productions } from './chart.ts';

/** Minutes on the clock, or days and longer, which the calendar decides; `unit` is the minutes of one. */
export type Amount = { minutes: number; unit: number; calendar?: Length };
type Unit = [name: 'minutes' | 'days' | 'weeks' | 'months' | 'years', factor: number];
type Way = 'by' | 'later' | 'earlier' | 'longer' | 'shorter';

/** Beyond a lifetime no calendar reaches and nothing is planned. */
const MOST_UNITS = 5000;
const MOST_MINUTES = 366 * 24 * 60;
/** No single thing lasts longer than a day. */
export const MOST_OF_A_DAY = 24 * 60;

const amountOf = (n: number, [name, factor]: Unit): Amount | null => {
  if (name === 'minutes') return n * factor > MOST_MINUTES ? null : { minutes: n * factor, unit: factor };
  return n > MOST_UNITS ? null : { minutes: 0, unit: 0, calendar: { [name]: Math.max(1, Math.round(n * factor)) } };
};
const minutesOf = ({ minutes }: Amount): number => Math.round(minutes);
const lengthOf = (amount: Amount): Length => amount.calendar ?? { minutes: minutesOf(amount) };
const plus = (amount: Amount, minutes: number): Amount => ({ ...amount, minutes: amount.minutes + minutes });

const durationOf = (amount: Amount, more: { each?: true } = {}): Facet[] | null => {
  if (amount.calendar) return null;
  const minutes = minutesOf(amount);
  if (minutes >= 1 && minutes <= MOST_OF_A_DAY) return [{ kind: 'duration', minutes, ...more }];
  const why = minutes < 1 ? 'That leaves no time at all.' : 'That is longer than a day.';
  return [{ kind: 'fault', ask: `${why} How long should it be?` }];
};

const shiftOf = (amount: Amount, way: Way): Facet[] => {
  const length = lengthOf(amount);
  return length.minutes === 0
    ? [{ kind: 'fault', ask: 'By how much shall it change?' }]
    : [{ kind: 'shift', length, way }];
};

const wallOf = (
  now: Instant,
  zone: string,
  amount: Amount,
): { hour: number; minute: number; date: Temporal.PlainDate } => {
  const at = zoned(now, zone).add({ minutes: amount.calendar ? 0 : minutesOf(amount) });
  return { hour: at.hour, minute: at.minute, date: at.toPlainDate() };
};

const countOf = (times: number): Facet[] | null =>
  Number.isInteger(times) && times >= 1 ? [{ kind: 'count', times: Math.min(times, 1000) }] : null;

export const LENGTHS: Productions = {
  '=': ({ arg }) => (/^-?\d+$/.test(arg) ? Number(arg) : arg),
  vague: ({ arg }) => VAGUE.get(arg)!,
  same: (_, ...values) => (values as unknown[])[0] ?? true,
  plus: ({ arg, spans }, a: number, b: number) =>
    arg && (a < 20 || b >= Number(arg) || spans.length < 2) ? null : a + b,
  hundreds: (_, n: number) => (n < 100 ? 100 + n : null),
  unit: ({ arg }) => {
    const [name, factor] = arg.split(' ');
    return [name, Number(factor)];
  },
  times: ({ arg }, n: number, unit: Unit) => amountOf(n + Number(arg || 0), unit),
  one: (_, unit: Unit | Amount) => (Array.isArray(unit) ? amountOf(1, unit) : unit),
  upper: (_, least: number, n: number, unit: Unit) =>
    n <= least || (unit[1] === 60 && n > 12) ? null : amountOf(n, unit),
  fixed: ({ arg }) => ({ minutes: Number(arg), unit: 0 }),
  tail: ({ arg }, amount: Amount) => (amount.unit === 60 ? plus(amount, Number(arg)) : null),
  tailed: (_, amount: Amount, more: Amount) =>
    amount.unit === 60 && more.unit === 1 ? plus(amount, more.minutes) : null,
  bareTail: (_, amount: Amount, n: number) => (amount.unit === 60 && n >= 5 && n < 60 ? plus(amount, n) : null),
  hoursMinutes: (_, hours: number, minutes: number) => (hours > 12 ? null : { minutes: hours * 60 + minutes, unit: 0 }),
  shift: ({ arg }, amount: Amount, way?: Way) => shiftOf(amount, way ?? (arg as Way)),
  // '+30m' is longer, '+1 day' later
  signed: ({ arg }, amount: Amount) =>
    shiftOf(amount, amount.calendar ? (arg ? 'earlier' : 'later') : arg ? 'shorter' : 'longer'),
  duration: ({ arg }, amount: Amount) => durationOf(amount, arg ? { each: true } : {}),
  durationPer: (_, amount: Amount, per: 'day' | 'week' | 'month') => {
    const length = durationOf(amount);
    const every: Facet = per === 'day' ? { kind: 'every', unit: 'day', step: 1 } : { kind: 'count', times: 1, per };
    return length?.[0]?.kind === 'duration' ? [...length, every] : null;
  },
  gap: ({ arg }, amount: Amount): Facet[] => [
    { kind: 'gap', length: lengthOf(amount), side: arg as 'before' | 'after' },
  ],
  withinHours: ({ now, zone, today }, amount: Amount): Facet[] | null => {
    const { hour, minute, ...end } = wallOf(now, zone, amount);
    return amount.calendar || !end.date.equals(today)
      ? null
      : [
          { kind: 'days', days: [{ date: today }] },
          { kind: 'hours', to: { hour, minute, fixed: true }, exact: false },
        ];
  },
  span: (_, { calendar }: Amount): Facet[] | null => (calendar ? [{ kind: 'span', length: calendar }] : null),
  spanUnit: (_, [name, factor]: Unit): Facet[] | null =>
    name === 'minutes' ? null : [{ kind: 'span', length: { [name]: factor } }],
  instant: ({ now }, amount: Amount): Facet[] | null => {
    const minute = instantOf(Math.ceil(millis(now) / 60_000) * 60_000);
    return amount.calendar ? null : [{ kind: 'instant', at: addMinutes(minute, minutesOf(amount)) }];
  },
  count: (_, times: number) => times,
  countOf: (_, times: number, per?: 'day' | 'week' | 'month') => {
    const counted = countOf(times);
    return counted && per ? counted.map((facet) => ({ ...facet, per })) : counted;
  },
  once: (_, per: 'day' | 'week' | 'month'): Facet[] => [{ kind: 'count', times: 1, per }],
  countEach: (_, times: number, amount: Amount) => {
    const [counted, length] = [countOf(times), durationOf(amount)];
    return counted && length?.[0]?.kind === 'duration' ? [...counted, ...length] : null;
  },
  apart: ({ arg }): Facet[] => [{ kind: 'apart', days: Number(arg) }],
};
