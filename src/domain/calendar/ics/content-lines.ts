/**
 * Splits iCalendar text into content lines (RFC 5545 §3.1): decoded, unfolded and numbered, also for files that violate the
 * folding rules.
 */
import ICAL from 'ical.js';

/** `isJoined` is true where a line without a name was taken as its continuation. */
export type Line = { line: number; text: string; isJoined?: true };

/**
 * With `perLine` the text is bytes as Latin-1 that are decoded after unfolding, because some programs fold inside a character.
 */
type Source = { text: string; perLine: boolean };

/** A line of about this length was folded by a program that forgot the space. A shorter one contained a bare line break. */
const FOLDED_LENGTH = 70;
const NAME = /^([A-Za-z0-9-]+)[;:]/;

/** @param charset the encoding that the sender declares; it is used where the bytes are not UTF-8 */
export function* linesOf(input: string | Uint8Array, charset?: string): Generator<Line> {
  const { text, perLine } = sourceOf(input, charset);
  let before: (Line & { length: number }) | null = null;
  for (const { line, text: raw, lastLength } of unfolded(text)) {
    const content = (perLine ? decoded(raw) : raw).replace(/(?!\t)\p{Cc}/gu, '');
    if (before && !isNamed(content)) {
      before.text += before.length >= FOLDED_LENGTH ? content : `\\n${content}`;
      before.isJoined = true;
      before.length = lastLength;
      continue;
    }
    if (before) yield before;
    before = { line, text: content, length: lastLength };
  }
  if (before) yield before;
}

const sourceOf = (input: string | Uint8Array, charset: string | undefined): Source => {
  if (typeof input === 'string') return { text: input.replace(/^\uFEFF/, '').toWellFormed(), perLine: false };
  const wide = wideOf(input);
  const text = decodedAs(wide ?? 'utf-8', input) ?? (charset === undefined ? null : decodedAs(charset, input));
  if (text !== null) return { text: text.toWellFormed(), perLine: false };
  return { text: Buffer.from(input).toString('latin1').replace(/^ï»¿/, ''), perLine: true };
};

/** UTF-16 is recognised by its byte order mark, or by the zero byte beside the first letter. */
const wideOf = ([first, second]: Uint8Array): string | null => {
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return 'utf-16le';
  return (first === 0xfe && second === 0xff) || (first === 0 && second !== 0) ? 'utf-16be' : null;
};

/** Returns null where the bytes are not in the encoding, or its name is unknown. */
const decodedAs = (charset: string, bytes: Uint8Array): string | null => {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
};

/** Joins lines with their continuations, which begin with a space or tab. `lastLength` is the length of the last piece. */
function* unfolded(text: string): Generator<{ line: number; text: string; lastLength: number }> {
  let before: { line: number; text: string; lastLength: number } | null = null;
  let line = 0;
  for (const raw of piecesOf(text)) {
    line += 1;
    if (before && (raw.startsWith(' ') || raw.startsWith('\t'))) {
      before.text += raw.slice(1);
      before.lastLength = raw.length;
    } else if (raw !== '' && raw.trim() !== '') {
      if (before) yield before;
      before = { line, text: raw, lastLength: raw.length };
    }
  }
  if (before) yield before;
}

/** Splits at CRLF, LF or CR. It uses indexOf, because a regular expression takes seconds for 16 MB of empty lines. */
function* piecesOf(text: string): Generator<string> {
  let [cr, lf] = [0, 0];
  for (let from = 0; from <= text.length;) {
    if (cr !== Infinity && cr <= from) cr = placeOf(text, '\r', from);
    if (lf !== Infinity && lf <= from) lf = placeOf(text, '\n', from);
    const end = Math.min(cr, lf, text.length);
    yield text.slice(from, end);
    from = cr + 1 === lf && end === cr ? lf + 1 : end + 1;
  }
}

const placeOf = (text: string, mark: string, from: number): number => {
  const at = text.indexOf(mark, from);
  return at < 0 ? Infinity : at;
};

/** Names are usually upper case. In lower case only known ones count, so that `https://…` is not taken for one. */
const isNamed = (raw: string): boolean => {
  const name = NAME.exec(raw)?.[1];
  if (name === undefined) return false;
  const lower = name.toLowerCase();
  return name === name.toUpperCase() || /^(begin|end$|x-)/.test(lower) || lower in ICAL.design.icalendar.property;
};

/** Decodes the bytes of a line as UTF-8, else as Windows-1252, which older programs wrote. */
const decoded = (text: string): string => {
  if (!/[\u0080-\u00ff]/.test(text)) return text;
  const bytes = Uint8Array.from(text, (char) => char.charCodeAt(0));
  return decodedAs('utf-8', bytes) ?? new TextDecoder('windows-1252').decode(bytes);
};
