/**
 * One RFC 5545 recurrence rule on the wall clock: read, checked, and walked without zones.
 * rrule-temporal runs in UTC on wall times taken as if they were UTC, so that no rule ever meets a DST change;
 * recurrence.ts then turns each wall time into its instant.
 */
import { RRuleTemporal } from 'rrule-temporal';
import type { Wall } from './walls.ts';

/** The parts of a rule by name, upper case: `{ FREQ: 'WEEKLY', BYDAY: 'MO,WE' }`. */
export type RuleParts = Record<string, string>;

/** Walks a rule; every wall time is one the rule itself makes, DTSTART only where it matches. */
export type RuleWalk = {
  /** Wall times in `[from, to]`, ascending. */
  between: (from: Wall, to: Wall) => Wall[];
  /** The last one before `at`. */
  previous: (at: Wall) => Wall | null;
  /** The first one at or after DTSTART. */
  first: () => Wall | null;
};

const MAX_LENGTH = 2_000;
const MAX_COUNT = 10_000;
/** Every quarter of an hour. */
const MAX_PER_DAY = 96;
/** Periods walked for one answer; 100,000 empty years take 0.3 s. */
const MAX_PERIODS = 100_000;
/** The one fault that takes long to find: up to a tenth of a second. */
export const NEVER_OCCURS = 'The rule never occurs, or not within thousands of its periods.';
/** Periods walked for the first occurrence: 10,000 years, or 27 years of days. */
const MAX_PERIODS_TO_FIRST = 10_000;

export const DAY_MS = 86_400_000;
/** Time ends with the year 9999, as ISO 8601 without sign does. */
export const LAST_WALL: Wall = Date.UTC(9999, 11, 31);

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
  BYDAY: /^[+-]?\d{0,2}(MO|TU|WE|TH|FR|SA|SU)(,[+-]?\d{0,2}(MO|TU|WE|TH|FR|SA|SU))*$/,
};

/** The parts of a rule as written; names it does not know and doubled ones stay for `faultOf` to tell. */
export const partsOf = (rrule: string): RuleParts =>
  Object.fromEntries(
    rrule
      .toUpperCase()
      .split(';')
      .map((part) => {
        const [name = '', value = ''] = part.split('=', 2);
        return [name, value];
      }),
  );

export const textOf = (parts: RuleParts): string =>
  Object.entries(parts)
    .map(([name, value]) => `${name}=${value}`)
    .join(';');

/** Opens a rule for walking from the wall time it starts at; UNTIL is left to the caller, who knows the zone. */
export const walkRule = (
  parts: RuleParts,
  start: Wall,
  options: { strict?: boolean; maxPeriods?: number } = {},
): RuleWalk => {
  const { UNTIL: _until, ...rest } = parts;
  const rule = new RRuleTemporal({
    rruleString: textOf(rest),
    dtstart: zonedWall(start),
    maxIterations: options.maxPeriods ?? MAX_PERIODS,
    strict: options.strict ?? false,
  });
  const millisOf = (hit: { epochMilliseconds: number } | null): Wall | null => hit?.epochMilliseconds ?? null;
  return {
    between: (from, to) => rule.between(new Date(from), new Date(to), true).map((hit) => hit.epochMilliseconds),
    previous: (at) => millisOf(rule.previous(new Date(at))),
    first: () => millisOf(rule.next(new Date(start), true)),
  };
};

const zonedWall = (wall: Wall): Temporal.ZonedDateTime =>
  Temporal.Instant.fromEpochMilliseconds(wall).toZonedDateTimeISO('UTC');

/**
 * Why a rule cannot be kept, or null. Besides faults against RFC 5545 §3.3.10 it refuses rules that never occur, more
 * than 10,000 by COUNT or 96 a day. Takes at most a tenth of a second, whatever the rule.
 */
export const faultOf = (rrule: string, start: Wall, allDay: boolean): string | null => {
  if (rrule.length > MAX_LENGTH) return `A rule has at most ${MAX_LENGTH} characters.`;
  const names = rrule
    .toUpperCase()
    .split(';')
    .map((part) => part.split('=', 1)[0]);
  const doubled = names.find((name, at) => names.indexOf(name) !== at);
  if (doubled !== undefined) return `${doubled || 'An empty part'} occurs twice.`;
  const parts = partsOf(rrule);
  return grammarFault(parts) ?? sizeFault(parts, allDay) ?? walkFault(parts, start);
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
  if (parts['UNTIL'] && !isTime(parts['UNTIL'])) return `UNTIL=${parts['UNTIL']} is not a time.`;
  return parts['COUNT'] && parts['UNTIL'] ? 'COUNT and UNTIL exclude each other.' : null;
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
    return 'An all-day event repeats by days, not by times of day.';
  }
  if (perDay(parts) > MAX_PER_DAY) return `More than ${MAX_PER_DAY} occurrences a day are not kept.`;
  const positions = parts['BYSETPOS']?.split(',').map((item) => Math.abs(Number(item))) ?? [];
  if (['DAILY', 'HOURLY', 'MINUTELY'].includes(parts['FREQ'] ?? '') && Math.max(...positions) > perDay(parts)) {
    return 'BYSETPOS is beyond what a period holds.';
  }
  if (Number(parts['COUNT'] ?? 0) > MAX_COUNT) return `COUNT is at most ${MAX_COUNT}.`;
  return null;
};

/** The most occurrences one day can hold by the rule's times of day; days and BYSETPOS only take away from it. */
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

const walkFault = (parts: RuleParts, start: Wall): string | null => {
  const { COUNT: _count, ...endless } = parts;
  let walk: RuleWalk;
  try {
    walk = walkRule(endless, start, { strict: true, maxPeriods: MAX_PERIODS_TO_FIRST });
  } catch (error) {
    return error instanceof Error ? error.message : 'The rule cannot be read.';
  }
  try {
    return walk.first() === null ? NEVER_OCCURS : null;
  } catch {
    return NEVER_OCCURS;
  }
};
