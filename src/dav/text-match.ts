/** The text-match of filters (RFC 4791 §9.7.5), in slices: a value has up to a million characters, and many filters may read it. */
import { normalized } from '../domain/text/normalized.ts';
import { refusal } from './preconditions.ts';
import { C, childOf, named, type Element } from './xml.ts';
import type { Work } from './work.ts';

const asciiLower = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

const FOLDS: Record<string, (text: string) => string> = {
  'i;ascii-casemap': asciiLower,
  'i;octet': (text) => text,
  'i;unicode-casemap': (text) => normalized(text, 'NFKC').toLowerCase(),
};
export const COLLATIONS = Object.keys(FOLDS);

/** `sought` is folded already. */
export type TextMatch = { sought: string; fold: (text: string) => string; negate: boolean };

/** The limit on characters of the text that is looked for. */
const LONGEST = 1_024;

/** Reads the text-match of a filter. @throws 403 supported-collation, valid-filter */
export const readTextMatch = (filter: Element): TextMatch | null => {
  const match = childOf(filter, named(C, 'text-match'));
  if (!match) return null;
  const { collation = 'i;ascii-casemap', 'negate-condition': negate } = match.attributes;
  const fold = Object.hasOwn(FOLDS, collation) ? FOLDS[collation] : undefined;
  if (!fold) throw refusal(named(C, 'supported-collation'), `The collations are ${COLLATIONS.join(', ')}.`);
  if (match.text.length > LONGEST)
    throw refusal(named(C, 'valid-filter'), `The text of a text-match has at most ${LONGEST} characters.`);
  return { sought: fold(match.text), fold, negate: negate === 'yes' };
};

/** Characters of a value that are folded and searched at once. Folded they may be 18 times as many. */
const SLICE = 4_096;
/** A mark belongs to what is before it, and so does the second half of a character. */
const JOINS = /^[\p{M}\u1160-\u11ff\udc00-\udfff]/u;

/** Whether a slice ends within an escape. It begins outside of one. */
const isCut = (value: string, from: number, end: number): boolean => {
  let at = end;
  while (at > from && value[at - 1] === '\\') at -= 1;
  return (end - at) % 2 === 1;
};

/** Ends a slice where the next one begins with a character of its own. A value of marks alone is cut anyway. */
const endOf = (value: string, from: number): number => {
  const most = Math.min(from + 2 * SLICE, value.length);
  let end = Math.min(from + SLICE, value.length);
  while (end < most && JOINS.test(value.slice(end, end + 1))) end += 1;
  return isCut(value, from, end) ? end + 1 : end;
};

/** The value of a property without its escapes (RFC 5545 §3.3.11). */
const unescaped = (raw: string): string =>
  raw.includes('\\') ? raw.replace(/\\(.)/gs, (_all, mark: string) => (/[nN]/.test(mark) ? '\n' : mark)) : raw;

/** A search takes time in proportion to both lengths. This many characters that are sought cost as much as one visit more. */
const PER_SEARCH = 128;

/** Whether a value, which is escaped as iCalendar text is, matches. */
export function* isMatch(
  value: string,
  { sought, fold, negate }: TextMatch,
  work: Work,
): Generator<undefined, boolean> {
  let before = '';
  let isFound = sought === '';
  for (let from = 0; from < value.length && !isFound;) {
    const end = endOf(value, from);
    const text = before + fold(unescaped(value.slice(from, end)));
    work.text(text.length, 1 + sought.length / PER_SEARCH);
    isFound = text.includes(sought);
    before = text.slice(Math.max(0, text.length - sought.length + 1));
    from = end;
    yield;
  }
  return isFound !== negate;
}
