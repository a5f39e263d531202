/** Reads the parts of an RRULE as programs write them, and leaves out those that mean nothing. */
import type { RuleParts } from '../rrule-parts.ts';
import { WEEKDAYS } from '../rrule-period.ts';

const NAMES = 'MONDAY TUESDAY WEDNESDAY THURSDAY FRIDAY SATURDAY SUNDAY'.split(' ');

export type CleanedRule = {
  parts: RuleParts;
  /** What was left out or read as something else, for a person. */
  changes: string[];
  /** Why the rule means something that Almanac cannot compute, or null. */
  unsupported: string | null;
};

/**
 * A part of a rule: its new value (null leaves it out), and whether a person should know of the change. Without a part that chooses
 * days or ends the rule, an event would happen far more often, so a rule with an unreadable one is not computed.
 */
type Cleaned = { value: string | null; isSaid: boolean } | 'unreadable';

/** What a rule repeats, which determines what some parts mean. */
type Context = { freq: string; isDay: boolean; names: ReadonlySet<string> };

const LEFT_OUT: Cleaned = { value: null, isSaid: true };
const silently = (value: string): Cleaned => ({ value, isSaid: false });
const shown = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)}…` : text);

const NUMBERS: Record<string, { min: number; max: number; signed?: true }> = {
  BYSECOND: { min: 0, max: 60 },
  BYMINUTE: { min: 0, max: 59 },
  BYHOUR: { min: 0, max: 23 },
  BYMONTH: { min: 1, max: 12 },
  BYMONTHDAY: { min: 1, max: 31, signed: true },
  BYYEARDAY: { min: 1, max: 366, signed: true },
  BYWEEKNO: { min: 1, max: 53, signed: true },
  BYSETPOS: { min: 1, max: 366, signed: true },
};
const WITHIN_DAY = new Set(['BYSECOND', 'BYMINUTE', 'BYHOUR']);

/** Reads each value of a list, also with a blank between two of them. Those that cannot be read are left out. */
const listOf = (list: string, read: (item: string) => { value: string; isSaid?: boolean } | null): Cleaned => {
  const items = list.split(/[,\s]/).filter((item) => item !== '');
  if (items.length === 0) return LEFT_OUT;
  const found = items.map(read);
  const values = new Set(found.flatMap((one) => one?.value ?? []));
  if (values.size === 0) return 'unreadable';
  const isSaid = found.some((one) => one === null || one.isSaid === true) || /[^,\s]\s+[^,\s]/.test(list);
  return { value: [...values].join(','), isSaid };
};

const numbersOf = (name: string, list: string): Cleaned => {
  const { min, max, signed } = NUMBERS[name] ?? { min: 0, max: 0 };
  return listOf(list, (item) => {
    const number = /^[+-]?\d{1,9}$/.test(item) ? Number(item) : NaN;
    const size = signed ? Math.abs(number) : number;
    if (!(size >= min && size <= max)) return null;
    // No clock of Almanac shows a leap second, so second 60 is the last second of its minute: the day stays the same.
    return { value: String(name === 'BYSECOND' ? Math.min(number, 59) : number) };
  });
};

const daysOf = (list: string, { freq, names }: Context): Cleaned => {
  const mayCount = (freq === 'MONTHLY' || freq === 'YEARLY') && !names.has('BYWEEKNO');
  return listOf(list, (item) => {
    const [, sign = '', digits = '', name = ''] = /^([+-]?)(\d{0,4})([A-Z]{2,9})$/.exec(item) ?? [];
    const [nth, day] = [Number(digits), name.slice(0, 2)];
    if (!NAMES.some((whole) => whole.startsWith(name)) || name === '' || nth > 53) return null;
    if (digits === '' && sign === '') return { value: day };
    // A number means the day of a month or year; where there is none, programs read the weekday.
    return nth === 0 || !mayCount ? { value: day, isSaid: true } : { value: `${sign === '-' ? '-' : ''}${nth}${day}` };
  });
};

/** A number over zero without leading zeros. Programs write COUNT=-1, COUNT=0 and INTERVAL=0 for a part that is not set. */
const sizeOf = (name: string, text: string): Cleaned => {
  const digits = /^\+?(\d+)(?:\.0+)?$/.exec(text)?.[1]?.replace(/^0+/, '');
  if (digits) return silently(digits);
  const isUnset = digits === '' || text === '' || text === '-1' || (name === 'COUNT' && /^-\d+$/.test(text));
  return isUnset ? LEFT_OUT : 'unreadable';
};

const UNTIL =
  /^(TZID=[^:]*:)?((?!000[01])\d{4})-?(0[1-9]|1[0-2])-?(0[1-9]|[12]\d|3[01])(?:T(?:(\d\d):?(\d\d)(?::?(\d\d)(?:[.,]\d+)?)?)?)?(Z|[+-]\d\d:?\d\d)?$/;

/** Reads UNTIL as a date, a wall time or in UTC. A day that its month does not have is the last of the month. */
const untilOf = (text: string): Cleaned => {
  const found = UNTIL.exec(text);
  if (text === '' || text.startsWith('00000000')) return LEFT_OUT;
  if (!found) return dateOf(text);
  const [, named, year, month, day, hour, minute, second, zone = ''] = found;
  const last = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  const date = `${year}${month}${Number(day) > last ? last : day}`;
  const isSaid = named !== undefined || Number(day) > last;
  if (hour === undefined) return { value: date, isSaid };
  const time = timeOf(hour, minute, second);
  if (time === null) return dateOf(text);
  if (zone === '' || zone === 'Z') return { value: `${date}T${time}${zone}`, isSaid };
  const at = inUtc(`${date}T${time}`, zone);
  return at === null ? dateOf(text) : { value: at, isSaid: true };
};

/** Of an end whose time cannot be read, the day counts. */
const dateOf = (text: string): Cleaned => {
  const [, date] = /^(\d{8})(?:\D|$)/.exec(text.replaceAll('-', '')) ?? [];
  return date !== undefined && UNTIL.test(date) ? { value: date, isSaid: true } : 'unreadable';
};

/** The end of a day and a leap second are read as the last second before them. */
const timeOf = (hour: string, minute = '00', second = '00'): string | null => {
  if (hour === '24' && minute === '00' && second === '00') return '235959';
  if (hour > '23' || minute > '59' || second > '60') return null;
  return `${hour}${minute}${second === '60' ? '59' : second}`;
};

/** A time with an offset, which UNTIL must not have, in UTC. */
const inUtc = (time: string, offset: string): string | null => {
  const iso = time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)$/, '$1-$2-$3T$4:$5:$6');
  const at = Date.parse(`${iso}${offset.replace(/(?<=^.\d\d)(?=\d\d$)/, ':')}`);
  const text = Number.isNaN(at) ? '' : new Date(at).toISOString().replace(/[-:]|\.\d+/g, '');
  return /^\d{8}T\d{6}Z$/.test(text) ? text : null;
};

/** Reads the value of a part by its name. */
const valueOf = (name: string, written: string, context: Context): Cleaned => {
  if (context.isDay && WITHIN_DAY.has(name)) return LEFT_OUT;
  if (NUMBERS[name]) return numbersOf(name, written);
  if (name === 'BYDAY') return daysOf(written, context);
  const text = written.replaceAll(/\s/g, '');
  if (name === 'INTERVAL' || name === 'COUNT') return sizeOf(name, text);
  if (name === 'UNTIL') return untilOf(text);
  if (name === 'WKST') return WEEKDAYS.includes(text.slice(0, 2)) ? silently(text.slice(0, 2)) : LEFT_OUT;
  return name === 'FREQ' ? silently(text) : LEFT_OUT;
};

/** Why a part gives the rule a meaning that Almanac cannot compute. */
const unsupportedPart = (name: string, value: string): string | null => {
  if (name === 'RSCALE' && value !== 'GREGORIAN') return `RSCALE=${shown(value)} is not supported.`;
  if (name === 'SKIP' && value !== 'OMIT') return `SKIP=${shown(value)} is not supported.`;
  // Some libraries have further parts of their own, such as BYEASTER, which choose the days.
  return name.startsWith('BY') && name !== 'BYDAY' && !NUMBERS[name] ? `${shown(name)} is not supported.` : null;
};

/** Splits a rule, in capital letters, into names and values. The first part of a name counts. */
const splitRule = (raw: string, changes: string[]): Map<string, string> => {
  const written = raw
    .toUpperCase()
    .replaceAll('"', '')
    .trim()
    .replace(/^RRULE:/, '');
  const found = new Map<string, string>();
  for (const piece of written.split(';')) {
    const part = piece.trim();
    if (part === '') continue;
    const mark = part.indexOf('=');
    const name = (mark < 0 ? part : part.slice(0, mark)).replaceAll(/\s/g, '');
    const value = mark < 0 ? '' : part.slice(mark + 1).trim();
    if (!found.has(name)) found.set(name, value);
    else if (found.get(name) !== value) changes.push(`${shown(name)} occurs twice in the rule; the first was used.`);
  }
  return found;
};

/** Parts that RFC 5545 §3.3.10 does not allow together, where one of them says nothing more. */
const withoutIdle = (parts: RuleParts, changes: string[]): RuleParts => {
  const { BYSETPOS, BYMONTHDAY, ...rest } = parts;
  const isOfWeeks = parts['FREQ'] === 'WEEKLY' && BYMONTHDAY !== undefined;
  const isAlone = BYSETPOS !== undefined && !Object.keys(rest).some((name) => name.startsWith('BY'));
  const leaves = [...(isOfWeeks ? ['BYMONTHDAY'] : []), ...(isAlone && (isOfWeeks || !BYMONTHDAY) ? ['BYSETPOS'] : [])];
  for (const name of leaves) changes.push(`${name}=${parts[name]} has no meaning in this rule and was left out.`);
  return Object.fromEntries(Object.entries(parts).filter(([name]) => !leaves.includes(name)));
};

/** Reads a rule of a file. `isDay` is whether the event has whole days. */
export const cleanedRule = (raw: string, isDay: boolean): CleanedRule => {
  const changes: string[] = [];
  const written = splitRule(raw, changes);
  const context: Context = { freq: written.get('FREQ') ?? '', isDay, names: new Set(written.keys()) };
  const parts: RuleParts = {};
  for (const [name, text] of written) {
    const unsupported = unsupportedPart(name, text);
    if (unsupported !== null) return { parts: {}, changes: [], unsupported };
    const cleaned = valueOf(name, text, context);
    if (cleaned === 'unreadable')
      return { parts: {}, changes: [], unsupported: `${shown(`${name}=${text}`)} cannot be read.` };
    const { value, isSaid } = cleaned;
    if (value !== null) parts[name] = value;
    if (!isSaid) continue;
    const part = shown(`${name}=${text}`);
    changes.push(
      value === null
        ? `${part} has no meaning in a rule and was left out.`
        : `${part} was read as ${shown(`${name}=${value}`)}.`,
    );
  }
  if (written.size === 0) changes.push('The rule is empty and was left out.');
  return { parts: withoutIdle(parts, changes), changes, unsupported: null };
};
