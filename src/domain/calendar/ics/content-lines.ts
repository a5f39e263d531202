/**
 * Splits iCalendar text into content lines (RFC 5545 §3.1): decoded, unfolded and numbered, also for files that violate the
 * folding rules. It works on pieces of the text and yields undefined between them.
 */
import { isUtf8 } from 'node:buffer';
import { asProperty, continuationOf, isNamed } from './line-names.ts';
import { paceOf } from './pace.ts';
import { PIECE, sourceOf, utf8Pieces } from './text-pieces.ts';

/**
 * `isJoined` is true where a line without a name was taken as its continuation, `isCut` where it is longer than MAX_LINE,
 * `isNameless` where it has no name and continues nothing.
 */
export type Line = { line: number; text: string; isJoined?: true; isCut?: true; isNameless?: true };

/** Characters of a line in several parts, because a long text that grows piece by piece has to be copied again and again. */
type Gathered = Omit<Line, 'text'> & { parts: string[]; tail: string; length: number; lastLength: number };

/** An attachment inside an event may have 4 MB. */
export const MAX_LINE = 6_000_000;
/** The lines of a file as written, with continuations and empty ones. A file of 16 MiB with longer lines has fewer. */
export const MAX_WRITTEN_LINES = 2_000_000;
/** The work that each line takes beside its characters. */
const LINE_UNITS = 40;

/**
 * Where the file has more than MAX_WRITTEN_LINES, an empty line after them is the last.
 * @param charset the encoding that the sender declares; it is used where the bytes are not UTF-8
 */
export function* linesOf(input: string | Uint8Array, charset?: string): Generator<Line | undefined> {
  const { pieces, perLine } = yield* sourceOf(input, charset);
  let before: Gathered | null = null;
  for (const raw of unfolded(pieces())) {
    if (!raw) {
      yield;
      continue;
    }
    const content: Gathered = yield* contentOf(raw, perLine);
    const isEnd = raw.line > MAX_WRITTEN_LINES;
    if (!isEnd && (content.length === 0 || joins(before, content))) continue;
    if (before) yield lineOf(before);
    before = content;
  }
  if (before) yield lineOf(before);
}

const beginningOf = ({ parts, tail }: Gathered): string => parts[0] ?? tail;

/** Adds a line without a name to the one before, where it continues that; else marks it. */
const joins = (before: Gathered | null, content: Gathered): boolean => {
  const beginning = beginningOf(content);
  if (isNamed(beginning)) return false;
  const how = before?.isNameless
    ? 'break'
    : before && continuationOf(beginningOf(before), before.lastLength, beginning);
  if (!before || how === null) {
    const property = asProperty(beginning);
    if (property === null) content.isNameless = true;
    else if (content.parts.length > 0) content.parts[0] = property;
    else content.tail = property;
    return false;
  }
  if (how === 'break') add(before, '\\n');
  for (const part of [...content.parts, content.tail]) add(before, part);
  // What is left out is reported once.
  if (!before.isNameless) before.isJoined = true;
  before.lastLength = content.lastLength;
  return true;
};

const gather = (line: number): Gathered => ({ line, parts: [], tail: '', length: 0, lastLength: 0 });

/** Adds characters until the line has its greatest length. */
const add = (to: Gathered, text: string): void => {
  const room = MAX_LINE - to.length;
  if (text.length > room) to.isCut = true;
  to.tail += text.length > room ? text.slice(0, room) : text;
  to.length += Math.min(text.length, room);
  if (to.tail.length < PIECE) return;
  to.parts.push(to.tail);
  to.tail = '';
};

const textOf = ({ parts, tail }: Gathered): string => (parts.length === 0 ? tail : parts.join('') + tail);

const lineOf = (gathered: Gathered): Line => {
  const { line, isJoined, isCut, isNameless } = gathered;
  const marks = { ...(isJoined && { isJoined }), ...(isCut && { isCut }), ...(isNameless && { isNameless }) };
  return { line, text: textOf(gathered), ...marks };
};

/** A line that continues the one before. */
const isFolded = (text: string): boolean => text.startsWith(' ') || text.startsWith('\t');

/** Joins lines with their continuations, which begin with a space or tab. `lastLength` is the length of the last one. */
function* unfolded(pieces: Iterable<string>): Generator<Gathered | undefined> {
  const isDue = paceOf();
  let before: Gathered | null = null;
  let line = 0;
  for (const { text, begins } of writtenLines(pieces)) {
    if (isDue(LINE_UNITS + text.length)) yield;
    if (begins) line += 1;
    if (line > MAX_WRITTEN_LINES) break;
    if (before && (!begins || isFolded(text))) {
      add(before, begins ? text.slice(1) : text);
      before.lastLength = begins ? text.length : before.lastLength + text.length;
    } else if (text !== '' && text.trim() !== '') {
      if (before) yield before;
      before = gather(line);
      add(before, text);
      before.lastLength = text.length;
    }
  }
  if (before) yield before;
  if (line > MAX_WRITTEN_LINES) yield gather(line);
}

type Written = { text: string; begins: boolean };

/** Splits at CRLF, LF or CR. A line that is longer than a piece comes in several, of which only the first begins it. */
function* writtenLines(pieces: Iterable<string>): Generator<Written> {
  let rest = '';
  let begins = true;
  let isAfterCr = false;
  for (const piece of pieces) {
    if (piece === '') continue;
    let from = isAfterCr && piece.startsWith('\n') ? 1 : 0;
    isAfterCr = piece.endsWith('\r');
    let [cr, lf] = [-1, -1];
    for (;;) {
      // It uses indexOf, because a regular expression takes seconds for 16 MB of empty lines.
      if (cr < from) cr = placeOf(piece, '\r', from);
      if (lf < from) lf = placeOf(piece, '\n', from);
      const end = Math.min(cr, lf);
      if (end === Infinity) break;
      yield { text: rest + piece.slice(from, end), begins };
      [rest, begins] = ['', true];
      from = end + (cr + 1 === lf ? 2 : 1);
    }
    rest += piece.slice(from);
    if (rest.length < PIECE) continue;
    yield { text: rest, begins };
    [rest, begins] = ['', false];
  }
  if (rest !== '') yield { text: rest, begins };
}

const placeOf = (text: string, mark: string, from: number): number => {
  const at = text.indexOf(mark, from);
  return at < 0 ? Infinity : at;
};

/** Decodes the bytes of a line, and leaves out control characters. */
function* contentOf(raw: Gathered, perLine: boolean): Generator<undefined, Gathered> {
  const content: Gathered = { ...raw, parts: [], tail: '', length: 0 };
  for (const part of perLine ? decoded(textOf(raw)) : [...raw.parts, raw.tail]) {
    const text = part.replace(/[^\P{Cc}\t]+/gu, '');
    // A file that was put together from several has byte order marks inside.
    add(content, content.length === 0 ? text.replace(/^\uFEFF/, '') : text);
    if (raw.parts.length > 0) yield;
  }
  return content;
}

const windows1252 = new TextDecoder('windows-1252');

/** Decodes the bytes of a line as UTF-8, else as Windows-1252, which older programs wrote. */
function* decoded(text: string): Generator<string> {
  const bytes = Buffer.from(text, 'latin1');
  if (isUtf8(bytes)) yield* utf8Pieces(bytes);
  else for (let at = 0; at < bytes.length; at += PIECE) yield windows1252.decode(bytes.subarray(at, at + PIECE));
}
