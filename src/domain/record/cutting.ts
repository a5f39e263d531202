/** Cuts texts so that no hidden value is cut in two: nobody could recognise half of one when the text is blanked for a reader. */
import type { Find } from './redact.ts';

/** The first characters of a text, up to a value that would be cut in two. @param find finds the hidden values of the text */
export const cutBefore = (text: string, most: number, find: Find): string => {
  if (text.length <= most) return text;
  const split = find(text).find(([start, end]) => start < most && most < end);
  // The cut must not leave half of a surrogate pair.
  return text.slice(0, split ? split[0] : most).replace(/[\ud800-\udbff]$/, '');
};

/** A title for a text that has none: its beginning, in one line. @param find finds the hidden values of the text */
export const titleFrom = (text: string, most: number, find: Find): string =>
  cutBefore(text.replaceAll(/\s+/g, ' ').trim(), most, find) || '…';

/** Shorter parts tell nothing. */
const SHORTEST_PART = 3;
/** A longer part of a value is recognised by this many characters at its beginning. */
const LONGEST_PART = 300;
const IN_WORD = /[\p{L}\p{N}]$/u;

/** The length of the longest beginning of a value, shorter than it, with which a text ends (the failure function of Knuth, Morris and Pratt). */
const beginningAtEnd = (value: string, text: string): number => {
  const joined = `${value.slice(0, LONGEST_PART)}\0${text.slice(-LONGEST_PART)}`;
  const borders = [0];
  for (let i = 1, length = 0; i < joined.length; i++) {
    while (length > 0 && joined[i] !== joined[length]) length = borders[length - 1] as number;
    if (joined[i] === joined[length]) length++;
    borders.push(length);
  }
  let length = borders.at(-1) as number;
  while (length >= value.length || (length > 0 && IN_WORD.test(text.slice(0, text.length - length))))
    length = borders[length - 1] as number;
  return length;
};

const inOneCase = (text: string): string => {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text;
};

/** Returns a function that removes the beginning of a value from where a text was cut, which … says. */
export const withoutParts = (values: readonly string[]): ((text: string) => string) => {
  const wanted = [...new Set(values.map((value) => inOneCase(value.replaceAll(/\s+/g, ' '))))];
  return (text) => {
    const folded = inOneCase(text);
    let out = '';
    let from = 0;
    for (const { index } of text.matchAll(/…/g)) {
      const part = Math.max(0, ...wanted.map((value) => beginningAtEnd(value, folded.slice(from, index))));
      out += text.slice(from, part < SHORTEST_PART ? index : index - part);
      from = index;
    }
    return out + text.slice(from);
  };
};
