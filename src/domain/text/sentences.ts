/** Sentences of everyday text: prose, notes, lists, chat lines, Chinese and Japanese. */

/** Abbreviations whose full stop ends no sentence, whatever follows. */
const ABBREVIATIONS = new Set(
  (
    'mr mrs ms dr prof sr jr st vs etc e.g i.e cf ca approx no nr fig vol p pp inc ltd co corp dept est min max tel ext ' +
    'jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun bzw z.b d.h u.a str'
  ).split(' '),
);

/** Possible ends: stops before a space, ideographic stops anywhere, line ends. */
const END = /(?<![.!?…])[.!?…]+["'”’)\]]*(?=\s|$)|[。！？｡]+[」』”’）]*|[\r\n\u2028\u2029]+/gu;

/** Of one sign of a script whose signs are words, in letters. */
const SIGN_WEIGHT = 4;
const SIGN = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/g;

/** About how much room a text takes, in letters. */
export const weightOf = (text: string): number => text.length + (SIGN_WEIGHT - 1) * (text.match(SIGN)?.length ?? 0);

/** Longer ones are divided at commas and the like, and at the worst between words: a summary must be able to choose. */
const LONGEST = 240;
const CLAUSE = /[,;:)–—](?=\s)|[，、；：]|\s(?=[-–—]\s)/gu;

/** The sentences in order, trimmed and whitespace-normalised, none of a greater weight than 240. Linear in the text. */
export const sentences = (text: string): string[] => {
  const found: string[] = [];
  let start = 0;
  const take = (end: number): void => {
    const sentence = text.slice(start, end).replace(/\s+/g, ' ').trim();
    if (sentence.length * SIGN_WEIGHT > LONGEST && weightOf(sentence) > LONGEST)
      found.push(...clauses(sentence, LONGEST));
    else if (/[\p{L}\p{N}]/u.test(sentence)) found.push(sentence);
    start = end;
  };
  for (const match of text.matchAll(END)) {
    const end = match.index + match[0].length;
    if (!isInside(text, start, match.index, match[0], end)) take(end);
  }
  take(text.length);
  return found;
};

/** True where what looks like an end is none: an abbreviation, an initial, a list number, a line wrapped within a sentence. */
const isInside = (text: string, start: number, at: number, mark: string, end: number): boolean => {
  const goesOn = /^\s*\p{Ll}/u.test(text.slice(end, end + 8));
  if (/^[\r\n\u2028\u2029]/.test(mark)) return goesOn && /^\r?\n$/.test(mark);
  if (/^[。！？｡]/.test(mark)) return false;
  // Who begins sentences in lower case does not capitalise: then a stop is a stop.
  if (goesOn && !/^\s*\p{Ll}/u.test(text.slice(start, start + 8))) return true;
  if (mark !== '.') return false;
  const before = text.slice(Math.max(start, at - 12), at);
  const word = /[\p{L}.]*$/u.exec(before)?.[0] ?? '';
  const isListNumber = at - start <= before.length && /^\s*(?:\d{1,3}|\p{L})$/u.test(before);
  return isListNumber || /^\p{Lu}$/u.test(word) || ABBREVIATIONS.has(word.toLowerCase());
};

/** A long sentence in parts of at most this weight, cut at the last clause end that leaves a fair part. */
export const clauses = (sentence: string, longest: number): string[] => {
  const parts: string[] = [];
  let start = 0;
  while (start < sentence.length) {
    const window = sentence.slice(start, start + lengthOf(sentence.slice(start, start + longest), longest));
    const isLast = start + window.length === sentence.length;
    const fair = window.length / 4;
    const ends = isLast ? [] : Array.from(window.matchAll(CLAUSE), (match) => match.index + match[0].length);
    const space = isLast ? -1 : window.lastIndexOf(' ');
    const cut = isLast
      ? window.length
      : (ends.findLast((end) => end > fair) ?? (space > fair ? space : wholeLength(window)));
    parts.push(window.slice(0, cut).trim());
    start += cut;
  }
  return parts.filter((part) => /[\p{L}\p{N}]/u.test(part));
};

/** Characters of a text that have this weight together. */
const lengthOf = (text: string, weight: number): number => {
  let length = text.length;
  // Halving the excess ends soon, and at one character at the latest.
  while (length > 1 && weightOf(text.slice(0, length)) > weight)
    length = Math.max(1, Math.min(length - 1, Math.floor((length * weight) / weightOf(text.slice(0, length)))));
  return length;
};

/** Its length without half a surrogate pair at the end. */
const wholeLength = (text: string): number => text.length - (/[\ud800-\udbff]$/.test(text) ? 1 : 0);
