/**
 * Brings what programs write loosely into the form of RFC 5545, where its meaning is certain: blanks around names, parameters and
 * values, and other forms of times.
 */
import { isUtf8 } from 'node:buffer';
import { instantOf } from '../../time/time.ts';
import { paceOf } from './pace.ts';
import { hasMoreValues, MAX_DATES, MAX_READ } from './limits.ts';

/** A value in its strict form. `doubt` says what was read as something else. */
type Strict = { raw: string; doubt: string | null };

/** The name and parameters without the blanks around their marks. A parameter without a name or a value is left out. */
export const tidyHead = (head: string): string => {
  const parts: string[] = [];
  let [part, isQuoted] = ['', false];
  for (const piece of head.split(/([";])/)) {
    if (piece === '"') isQuoted = !isQuoted;
    if (piece === ';' && !isQuoted) {
      parts.push(part);
      part = '';
    } else part += piece;
  }
  const [name = '', ...parameters] = [...parts, part].map(tidyParameter);
  return [name, ...parameters.filter((parameter) => parameter.indexOf('=') > 0)].join(';');
};

const tidyParameter = (parameter: string): string => {
  const at = parameter.indexOf('=');
  return at < 0 ? parameter.trim() : `${parameter.slice(0, at).trim()}=${parameter.slice(at + 1).trim()}`;
};

const TIMES = /^(dtstart|dtend|recurrence-id|rdate|exdate|dtstamp|created|last-modified|trigger)$/;
/** A word or number, which has no blanks around it. */
const WORDS =
  /^(duration|rrule|status|transp|sequence|method|tzid|tzoffsetfrom|tzoffsetto|x-microsoft-cdo-alldayevent)$/;

/** Whether blanks in the parameters of a property are not a part of them. */
export const isTidied = (name: string): boolean => TIMES.test(name) || WORDS.test(name);

/** The forms of ISO 8601, and those with a blank instead of the T. The seconds may have a fraction. */
const LOOSE =
  /^(\d{4})-?(\d\d)-?(\d\d)(?:(?:\s?T|\s)\s?(\d\d):?(\d\d)(?::?(\d\d)(?:\.\d{1,9})?)?\s?(Z|[+-]\d\d:?\d\d)?)?$/i;
/** As RFC 5545 §3.3.4 and §3.3.5 write them, and without seconds. */
const STRICT = /^\d{8}(T(?!24)\d{4}([0-5]\d)?Z?)?$/;
/** The texts that Almanac reads. Whatever VALUE says of them, they are TEXT. */
const TEXTS = /^(summary|description|location)$/;
const ENCODED = /;ENCODING=QUOTED-PRINTABLE(?=;|$)/i;

/** Returns the head of a property without the parameters that a decoded text, or a text that Almanac reads, must not have. */
export const headOfText = (name: string, head: string, isDecoded: boolean): string => {
  const bare = TEXTS.test(name) ? head.replace(/;VALUE=[^;:"]*/gi, '') : head;
  return isDecoded ? bare.replace(ENCODED, '').replace(/;CHARSET=[^;:"]*/gi, '') : bare;
};

/**
 * Decodes the QUOTED-PRINTABLE text of vCalendar 1.0, which airlines and waste calendars still write; null where the text is not
 * encoded. Its soft line breaks became `\\n` where the next line had no name.
 */
export const decodedText = (head: string, raw: string): string | null => {
  if (!ENCODED.test(head) || raw.length > MAX_READ) return null;
  // A soft line break ends with an equals sign, which is never a character of the text.
  const joined = raw.replaceAll('=\\n', '').replace(/=(?![0-9A-F]{2})/gi, '');
  const bytes = joined.replace(/(?:=[0-9A-F]{2})+/gi, (run) => {
    const decoded = Buffer.from(run.replaceAll('=', ''), 'hex');
    return isUtf8(decoded) ? decoded.toString('utf8') : decoded.toString('latin1');
  });
  return bytes.replace(/\r\n?|\n/g, '\\n');
};

/** A time that its VALUE calls a date. Midnight is left a date, because Exchange writes whole days so. */
export const isTimeCalledDate = (name: string, head: string, raw: string): boolean =>
  TIMES.test(name) && DATE_VALUE.test(head) && /^\s*[\d-]{8,10}T(?!00:?00)\d\d/i.test(raw);

export const DATE_VALUE = /;VALUE=DATE(?=;|$)/i;

/** A longer value is neither a time nor a word. */
const MAX_WORD = 200;
/** A value takes up to 2 µs. */
const VALUE_UNITS = 200;

/** @param hasZone whether a TZID says how far the times are from UTC */
export function* strictValue(name: string, raw: string, hasZone: boolean): Generator<undefined, Strict> {
  if (!TIMES.test(name)) return { raw: WORDS.test(name) && raw.length <= MAX_WORD ? raw.trim() : raw, doubt: null };
  // Nearly all times are in this form. Of too many dates none is read.
  if (raw.length > MAX_READ || STRICT.test(raw) || hasMoreValues(raw, MAX_DATES)) return { raw, doubt: null };
  const isDue = paceOf();
  let doubt: string | null = null;
  const values: string[] = [];
  for (const value of raw.split(',')) {
    if (isDue(VALUE_UNITS + value.length)) yield;
    const parts = value.length > MAX_WORD ? [] : value.split('/').map((part) => strictTime(part.trim(), hasZone));
    values.push(parts.length === 0 ? value : parts.map(({ strict }) => strict).join('/'));
    for (const part of parts) doubt ??= part.doubt;
  }
  return { raw: values.join(','), doubt };
}

/** A time in the form of RFC 5545. What is no time, or not certain, is left as it is. */
const strictTime = (text: string, hasZone: boolean): { strict: string; doubt: string | null } => {
  const strict = basicForm(text, hasZone) ?? text;
  const isSame = strict === text.toUpperCase().replaceAll(/\s/g, '') || strict === text;
  return { strict, doubt: isSame ? null : `${text} was read as ${strict}.` };
};

const basicForm = (text: string, hasZone: boolean): string | null => {
  const [, year, month, day, hour, minute, second = '', zone = ''] = LOOSE.exec(text) ?? [];
  if (year === undefined) return null;
  if (hour === undefined) return `${year}${month}${day}`;
  const isOffset = /^[+-]/.test(zone);
  // An offset beside a TZID may contradict it.
  if (isOffset && hasZone) return null;
  const isNextDay = hour === '24' && minute === '00' && /^(00)?$/.test(second);
  try {
    if (isOffset) return `${basic(atOffset(`${year}-${month}-${day}T${hour}:${minute}:${second || '00'}`, zone))}Z`;
    if (isNextDay) return `${dayAfter(`${year}-${month}-${day}`)}T000000${zone.toUpperCase()}`;
  } catch {
    return null;
  }
  // A leap second is read as the one before (RFC 5545 §3.3.12).
  return `${year}${month}${day}T${hour}${minute}${second === '60' ? '59' : second}${zone.toUpperCase()}`;
};

const atOffset = (wall: string, offset: string): string =>
  instantOf(Temporal.Instant.from(`${wall}${offset.slice(0, 3)}:${offset.slice(-2)}`).epochMilliseconds).slice(0, 19);

const dayAfter = (date: string): string => basic(Temporal.PlainDate.from(date).add({ days: 1 }).toString());

const basic = (text: string): string => text.replaceAll(/[-:]/g, '');
