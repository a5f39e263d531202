/** Parses content lines as properties (RFC 5545 §3.1). Only what Almanac reads is parsed; everything else is kept unchanged. */
import ICAL from 'ical.js';
import type { JcalProperty } from '../event-doc.ts';
import { contentLine, verbatim } from './jcal-text.ts';
import { hasMoreValues, MAX_DATES, MAX_READ } from './limits.ts';
import {
  DATE_VALUE,
  decodedText,
  headOfText,
  isTimeCalledDate,
  isTidied,
  strictValue,
  tidyHead,
} from './loose-values.ts';

/**
 * `raw` is the value as written, with its escapes. `jcal` is parsed where Almanac reads the property; for others it holds the
 * unchanged line. `doubt` says what was read as something else.
 */
export type Property = {
  line: number;
  name: string;
  raw: string;
  jcal: JcalProperty;
  kept: JcalProperty;
  doubt?: string;
};

/** A property may have this many characters before its value, because ical.js takes quadratic time for them. */
const MAX_HEAD = 10_000;
/** The last parameter may be longer where it has quotes (ALTREP with a page of HTML). ical.js takes 10 ms for this many. */
const MAX_QUOTED = 50_000;
/** ical.js takes up to 5 ms for this many characters of a value, so longer values are parsed in pieces. */
const MAX_PARSED = 20_000;
/** An event without these would be another event. Where one can't be parsed it is kept, so that the event is refused. */
const NEEDED = /^(dtstart|dtend|duration|recurrence-id|rrule|rdate|exdate)$/;
/** The properties that Almanac reads. All others are kept unchanged. */
const READ =
  /^(uid|dtstamp|dtstart|dtend|duration|recurrence-id|rrule|rdate|exdate|summary|description|location|url|categories|status|transp|sequence|created|last-modified|trigger|method|tzid|tzoffsetfrom|tzoffsetto|x-wr-timezone|x-microsoft-cdo-alldayevent|x-almanac-.*)$/;
/** These have several values, divided by commas. */
const LISTS = /^(rdate|exdate)$/;
/** The name and parameters of RFC 5545 §3.1. Each part ends at a mark that it cannot contain, so it takes linear time. */
const HEAD = /^[a-z0-9_-]+(?:;[a-z0-9_-]+=(?:"[^"]*"|[^";:,]*)(?:,(?:"[^"]*"|[^";:,]*))*)*$/i;

/** Parses a line; null where it is not valid. */
export function* parsing(line: number, written: string): Generator<undefined, Property | null> {
  const parts = yield* partsOf(withQuotedZone(written));
  if (!parts) return null;
  const { name, head, raw, mark, doubt } = parts;
  const text = head + mark + raw;
  const isSound = HEAD.test(head) && mark === ':';
  const kept = verbatim(name, text);
  const said = doubt === null ? {} : { doubt };
  if (!READ.test(name) && isSound) return { line, name, raw, jcal: kept, kept };
  const jcal = yield* jcalOf(name, text, raw);
  // What had to be corrected is kept as it is written, so that the export is read as the same.
  if (jcal) return { line, name, raw, jcal, kept: isSound ? kept : verbatim(name, contentLine(jcal)), ...said };
  return NEEDED.test(name) ? { line, name, raw, jcal: [name, {}, 'unknown', raw], kept } : null;
}

type Parts = { name: string; head: string; raw: string; mark: string; doubt: string | null };

/** Divides a line at the colon before its value. Null where what is before it is too long, or no property. */
function* partsOf(text: string): Generator<undefined, Parts | null> {
  const written = text.slice(0, headEnd(text.slice(0, MAX_HEAD + 1)));
  const mark = text.slice(written.length, written.length + 1);
  if (written.length > MAX_HEAD || (mark === '"' && !endsSoon(text, written.length))) return null;
  const named = nameIn(written);
  const head = isTidied(named) || !HEAD.test(written) ? tidyHead(written) : written;
  const name = nameIn(head);
  if (name === 'begin' || name === 'end') return null;
  const value = text.slice(written.length + 1);
  const decoded = decodedText(head, value);
  const own = { name, head: headOfText(name, head, decoded !== null), mark };
  if (decoded !== null) return { ...own, raw: decoded, doubt: 'The text was decoded from QUOTED-PRINTABLE.' };
  const strict = yield* strictValue(name, value, /;TZID=/i.test(head));
  if (!isTimeCalledDate(name, head, value)) return { ...own, ...strict };
  const doubt = `${value.slice(0, 40)} is not only a date, so it was read as a time.`;
  return { ...own, head: own.head.replace(DATE_VALUE, ''), raw: strict.raw, doubt };
}

const nameIn = (head: string): string => /^[a-z0-9_-]*/i.exec(head)?.[0].toLowerCase() ?? '';

/** The property of a line that was cut. A needed one is kept, and can't be read. */
export const cutProperty = (line: number, text: string): Property | null => {
  const name = nameIn(text.slice(0, MAX_HEAD));
  const raw = text.slice(name.length + 1);
  return NEEDED.test(name) ? { line, name, raw, jcal: [name, {}, 'unknown', raw], kept: verbatim(name, text) } : null;
};

/**
 * Exchange writes zone names that contain colons and commas without quotes, as the last parameter before a time. This adds the
 * quotes.
 */
const withQuotedZone = (text: string): string => {
  if (text.length > MAX_READ || !/^[^:;]+;TZID=[^"]/i.test(text.slice(0, MAX_HEAD))) return text;
  // The time has no colon, and the name no semicolon.
  const colon = text.lastIndexOf(':');
  const semicolon = text.lastIndexOf(';', colon);
  const [parameter, times] = [text.slice(semicolon, colon), text.slice(colon + 1)];
  if (!/^;TZID=[^"]*[:,]/i.test(parameter) || parameter.includes('"') || !/^\s*\d{8}[\dTZ,\s]*$/i.test(times))
    return text;
  return `${text.slice(0, semicolon)}${parameter.slice(0, 6)}"${parameter.slice(6)}":${times}`;
};

/** Where the name and parameters end: at the first colon outside of quotes, or at a quote that nothing closes. */
const headEnd = (text: string): number => {
  let quote = -1;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '"') quote = quote < 0 ? at : -1;
    else if (text[at] === ':' && quote < 0) return at;
  }
  return quote < 0 ? text.length : quote;
};

/** Whether a quote that is open after MAX_HEAD characters is the last parameter, and not too long. */
const endsSoon = (text: string, quote: number): boolean => {
  if (text.length <= MAX_HEAD) return true;
  const end = text.slice(0, MAX_QUOTED).indexOf('"', quote + 1);
  return end >= 0 && text[end + 1] === ':';
};

/** Returns null where ical.js can't parse the property, or where it is too long. */
function* jcalOf(name: string, text: string, raw: string): Generator<undefined, JcalProperty | null> {
  // Rules are parsed elsewhere, because ical.js accepts only upper case and throws where the user needs an explanation.
  if (name === 'rrule' || raw.length > MAX_READ) return null;
  if (LISTS.test(name) && hasMoreValues(raw, MAX_DATES)) return null;
  try {
    if (raw.length <= MAX_PARSED) return ICAL.parse.property(text) as JcalProperty;
    return yield* inPieces(text, name);
  } catch {
    return null;
  }
}

/** Parses a long value in pieces. Only texts and lists of times are so long. @throws where it is something else */
function* inPieces(text: string, name: string): Generator<undefined, JcalProperty | null> {
  const from = headEnd(text) + 1;
  if (text[from - 1] !== ':') throw new RangeError('a quote is not closed');
  const isList = LISTS.test(name);
  const values: JcalProperty[3][] = [];
  let [head, first]: [string, JcalProperty | null] = [text.slice(0, from), null];
  for (let at = from; at < text.length;) {
    const end = isList ? endOfValues(text, at) : endOfText(text, at);
    const parsed = ICAL.parse.property(head + text.slice(at, end)) as JcalProperty;
    const [, , type, ...more] = parsed;
    if (!isList && !/^(text|uri|unknown)$/.test(type)) return null;
    // Parameters may be long too, so the other pieces have only the type of the value.
    first ??= parsed;
    head = type === 'unknown' ? `${name}:` : `${name};VALUE=${type.toUpperCase()}:`;
    for (const value of more) values.push(value);
    at = isList ? end + 1 : end;
    yield;
  }
  return first && ([...first.slice(0, 3), ...(isList ? values : [values.join('')])] as JcalProperty);
}

/** The end of a piece of a text, which is not within an escape: an even number of backslashes is before it. */
const endOfText = (text: string, from: number): number => {
  let end = Math.min(from + MAX_PARSED, text.length);
  let backslashes = 0;
  while (text[end - 1 - backslashes] === '\\' && end - backslashes > from) backslashes += 1;
  return end < text.length && backslashes % 2 === 1 ? end + 1 : end;
};

const endOfValues = (text: string, from: number): number => {
  if (from + MAX_PARSED >= text.length) return text.length;
  const comma = text.lastIndexOf(',', from + MAX_PARSED);
  if (comma < from) throw new RangeError('a value is too long');
  return comma;
};
