/**
 * Validates and evaluates one RFC 5545 recurrence rule on the wall clock, without zones. series-expansion.ts converts its
 * wall times to instants.
 */
import { DAY_MS } from '../time/day-numbers.ts';
import { partsOf, textOf, type RuleParts } from './rrule-parts.ts';
import { ruleOf, WEEKDAYS, type Rule } from './rrule-period.ts';
import type { Wall } from '../time/wall-time.ts';

export { DAY_MS };

/** Evaluates a rule. Every wall time is one that the rule itself gives; DTSTART is among them only where it matches. */
export type RuleWalk = {
  /** Gives the wall times in `[from, to]`, ascending, each computed on demand. */
  walls: (from: Wall, to: Wall) => Iterable<Wall>;
  between: (from: Wall, to: Wall) => Wall[];
  /** Returns the last wall time before `at`. */
  previous: (at: Wall) => Wall | null;
};

const MAX_LENGTH = 2_000;
const MAX_COUNT = 10_000;
/** This is one occurrence every quarter of an hour. */
const MAX_PER_DAY = 96;
export const NEVER_OCCURS = 'The rule has no occurrence, or none in thousands of its periods.';
/**
 * The validation visits at most this many periods up to the first occurrence, or up to the last one of a COUNT. A skip over
 * excluded periods counts once. The calendar repeats after 400 years, so a rule without an occurrence in 400 years, 4,800 months
 * or 20,871 weeks has none at all. These visits take some 20 ms.
 */
const MAX_VISITS: Record<string, number> = {
  YEARLY: 1_000,
  MONTHLY: 12_000,
  WEEKLY: 50_000,
  DAILY: 50_000,
  HOURLY: 50_000,
  MINUTELY: 50_000,
};

/** The range of times ends with the year 9999, as in ISO 8601 without a sign. */
export const LAST_WALL: Wall = Date.UTC(9999, 11, 31);
/** The latest instant. */
export const LAST_INSTANT = Date.UTC(10_000, 0, 1) - 1;

const numbers = (min: number, max: number, signed = false) => ({ min, max, signed });
const BY_NUMBERS: Record<string, ReturnType<typeof numbers>> = {
  BYSECOND: numbers(0, 59),
  BYMINUTE: numbers(0, 59),
  BYHOUR: numbers(0, 23),
  BYMONTH: numbers(1, 12),
  BYMONTHDAY: numbers(1, 31, true),
  BYYEARDAY: numbers(1, 366, true),
  BYWEEKNO: numbers(1, 53, true),
  BYSETPOS: numbers(1, 366, true),
};
const PATTERNS: Record<string, RegExp> = {
  FREQ: /^(SECONDLY|MINUTELY|HOURLY|DAILY|WEEKLY|MONTHLY|YEARLY)$/,
  INTERVAL: /^[1-9]\d{0,4}$/,
  COUNT: /^[1-9]\d*$/,
  UNTIL: /^\d{8}(T\d{6}Z?)?$/,
  WKST: /^(MO|TU|WE|TH|FR|SA|SU)$/,
  BYDAY:
    /^([+-]?([1-9]|[1-4]\d|5[0-3]))?(MO|TU|WE|TH|FR|SA|SU)(,([+-]?([1-9]|[1-4]\d|5[0-3]))?(MO|TU|WE|TH|FR|SA|SU))*$/,
};

/** An evaluation has reached its limit. */
class LimitReached extends Error {}

/** Counts the periods that evaluations have visited. */
export type VisitCount = { count: number };

/** Gives the wall times in `[from, to]` without regard to COUNT, visiting at most `most` periods. @throws LimitReached */
function* forward(
  rule: Rule,
  start: Wall,
  from: Wall,
  to: Wall,
  most = Infinity,
  visits: VisitCount = { count: 0 },
): Generator<Wall> {
  const begin = rule.periodOf(start);
  const last = rule.periodOf(Math.min(to, LAST_WALL));
  /** Returns the first period of the rule's interval at or after `period`. */
  const aligned = (period: number) => begin + Math.max(0, Math.ceil((period - begin) / rule.interval)) * rule.interval;
  let period = aligned(rule.periodOf(from));
  const enough = visits.count + most;
  for (; period <= last; visits.count += 1) {
    if (visits.count >= enough) throw new LimitReached();
    const next = rule.atOrAfter(period);
    if (next > period) {
      period = aligned(next);
      continue;
    }
    for (const wall of rule.wallsIn(period)) if (wall >= from && wall >= start && wall <= to) yield wall;
    period += rule.interval;
  }
}

const backward = (rule: Rule, start: Wall, at: Wall): Wall | null => {
  const begin = rule.periodOf(start);
  const aligned = (period: number) => begin + Math.floor((period - begin) / rule.interval) * rule.interval;
  for (let period = aligned(rule.periodOf(at)); period >= begin;) {
    const next = rule.atOrBefore(period);
    if (next < period) {
      period = aligned(next);
      continue;
    }
    const found = rule.wallsIn(period).findLast((wall) => wall < at && wall >= start);
    if (found !== undefined) return found;
    period -= rule.interval;
  }
  return null;
};

/**
 * Caches the last wall time of rules with COUNT. It is counted from DTSTART, and every evaluation of the series would repeat
 * that.
 */
const lastOfCounted = new Map<string, Wall>();
const MAX_COUNTED = 5_000;

const lastCounted = (rule: Rule, parts: RuleParts, start: Wall): Wall => {
  if (rule.count === null) return LAST_WALL;
  const key = `${start} ${textOf(parts)}`;
  const known = lastOfCounted.get(key);
  if (known !== undefined) return known;
  let left = rule.count;
  let last = start - 1;
  for (const wall of forward(rule, start, start, LAST_WALL)) {
    last = wall;
    left -= 1;
    if (left === 0) break;
  }
  if (lastOfCounted.size >= MAX_COUNTED) lastOfCounted.clear();
  lastOfCounted.set(key, last);
  return last;
};

/** Prepares a rule for evaluation from the wall time of its start. The caller applies UNTIL, because it depends on the zone. */
export const walkRule = (parts: RuleParts, start: Wall): RuleWalk => {
  const rule = ruleOf(parts, start);
  const last = lastCounted(rule, parts, start);
  const walls = (from: Wall, to: Wall): Iterable<Wall> => forward(rule, start, from, Math.min(to, last));
  return {
    walls,
    between: (from, to) => [...walls(from, to)],
    previous: (at) => backward(rule, start, Math.min(at, last + 1)),
  };
};

/**
 * Returns why a rule is not accepted, or null. Beside faults against RFC 5545 §3.3.10 it refuses rules that never occur, that
 * have a COUNT over 10,000, or more than 96 occurrences a day. It takes a few hundredths of a second at most for any rule.
 */
export const faultOf = (rrule: string, start: Wall, allDay: boolean, visits?: VisitCount): string | null => {
  if (rrule.length > MAX_LENGTH) return `A rule must have at most ${MAX_LENGTH} characters.`;
  const names = rrule
    .toUpperCase()
    .split(';')
    .map((part) => part.split('=', 1)[0]);
  const doubled = names.find((name, at) => names.indexOf(name) !== at);
  if (doubled !== undefined) return `${doubled || 'An empty part'} occurs twice.`;
  const parts = partsOf(rrule);
  return grammarFault(parts) ?? sizeFault(parts, allDay) ?? walkFault(parts, start, visits);
};

const grammarFault = (parts: RuleParts): string | null => {
  if (!parts['FREQ']) return 'FREQ is missing.';
  for (const [name, value] of Object.entries(parts)) {
    const range = BY_NUMBERS[name];
    const pattern = PATTERNS[name];
    if (!range && !pattern) return `${name || 'An empty part'} is not a part of a recurrence rule.`;
    if (range && !value.split(',').every((item) => inRange(item, range))) return `${name}=${value} is out of range.`;
    if (pattern && !pattern.test(value)) return `${name}=${value} cannot be read.`;
  }
  const misplaced = misplacedPart(parts);
  if (misplaced) return misplaced;
  if (parts['UNTIL'] && !isTime(parts['UNTIL'])) return `UNTIL=${parts['UNTIL']} is not a time.`;
  return parts['COUNT'] && parts['UNTIL'] ? 'COUNT and UNTIL exclude each other.' : null;
};

/** Checks which parts may occur together (RFC 5545 §3.3.10). */
const misplacedPart = (parts: RuleParts): string | null => {
  const { FREQ: freq = '' } = parts;
  const beside = (name: string, ...allowed: string[]): string | null =>
    parts[name] === undefined || allowed.includes(freq) ? null : `${name} is not allowed with FREQ=${freq}.`;
  const nth = parts['BYDAY']?.split(',').find((day) => !WEEKDAYS.includes(day));
  if (nth !== undefined && freq !== 'MONTHLY' && freq !== 'YEARLY')
    return `BYDAY=${nth} is not allowed with FREQ=${freq}.`;
  if (nth !== undefined && parts['BYWEEKNO']) return `BYDAY=${nth} is not allowed with BYWEEKNO.`;
  if (
    parts['BYSETPOS'] &&
    !Object.keys(parts).some((name) => name !== 'BYSETPOS' && BY_NUMBERS[name]) &&
    !parts['BYDAY']
  )
    return 'BYSETPOS needs another BY part, and there is none.';
  return (
    beside('BYWEEKNO', 'YEARLY') ??
    beside('BYYEARDAY', 'YEARLY', 'SECONDLY', 'MINUTELY', 'HOURLY') ??
    beside('BYMONTHDAY', 'YEARLY', 'MONTHLY', 'DAILY', 'HOURLY', 'MINUTELY', 'SECONDLY')
  );
};

const isTime = (until: string): boolean => {
  try {
    return Boolean(Temporal.PlainDateTime.from(until.replace('Z', '')));
  } catch {
    return false;
  }
};

const inRange = (item: string, { min, max, signed }: ReturnType<typeof numbers>): boolean => {
  if (!/^[+-]?\d{1,3}$/.test(item)) return false;
  const value = Number(item);
  return signed ? Math.abs(value) >= min && Math.abs(value) <= max : value >= min && value <= max;
};

const sizeFault = (parts: RuleParts, allDay: boolean): string | null => {
  const withinDay = ['SECONDLY', 'MINUTELY', 'HOURLY'].includes(parts['FREQ'] ?? '');
  if (allDay && (withinDay || parts['BYHOUR'] || parts['BYMINUTE'] || parts['BYSECOND'])) {
    return 'The rule of an all-day event must not have times of day.';
  }
  if (perDay(parts) > MAX_PER_DAY) return `A rule must have at most ${MAX_PER_DAY} occurrences a day.`;
  const positions = parts['BYSETPOS']?.split(',').map((item) => Math.abs(Number(item))) ?? [];
  if (['DAILY', 'HOURLY', 'MINUTELY'].includes(parts['FREQ'] ?? '') && Math.max(...positions) > perDay(parts)) {
    return 'BYSETPOS is larger than the number of occurrences in a period.';
  }
  if (Number(parts['COUNT'] ?? 0) > MAX_COUNT) return `COUNT must be at most ${MAX_COUNT}.`;
  return null;
};

/**
 * Returns the most occurrences that one day can have by the rule's times of day. Date parts and BYSETPOS only reduce the number.
 */
const perDay = (parts: RuleParts): number => {
  const listed = (name: string, otherwise: number) => parts[name]?.split(',').length ?? otherwise;
  const interval = Number(parts['INTERVAL'] ?? 1);
  switch (parts['FREQ']) {
    case 'SECONDLY':
      return Infinity;
    case 'MINUTELY':
      return (
        Math.min(listed('BYHOUR', 24) * listed('BYMINUTE', 60), Math.ceil(1440 / interval)) * listed('BYSECOND', 1)
      );
    case 'HOURLY':
      return Math.min(listed('BYHOUR', 24), Math.ceil(24 / interval)) * listed('BYMINUTE', 1) * listed('BYSECOND', 1);
    default:
      return listed('BYHOUR', 1) * listed('BYMINUTE', 1) * listed('BYSECOND', 1);
  }
};

/**
 * Evaluates the rule up to its first occurrence, or up to the last one of a COUNT, so that any stored rule can be evaluated in
 * bounded time.
 */
const walkFault = (parts: RuleParts, start: Wall, visits?: VisitCount): string | null => {
  const walk = forward(ruleOf(parts, start), start, start, LAST_WALL, MAX_VISITS[parts['FREQ'] ?? ''], visits);
  try {
    if (walk.next().done) return NEVER_OCCURS;
  } catch {
    return NEVER_OCCURS;
  }
  try {
    for (let left = Number(parts['COUNT'] ?? 1); left > 1 && !walk.next().done; left--);
    return null;
  } catch {
    return 'COUNT reaches too far ahead. End the rule with UNTIL.';
  }
};
