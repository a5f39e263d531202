/**
 * Divides a text into words that compare equal however they are spelled: in another letter case, composed or decomposed, in
 * compatibility forms (NFKC), with other or more white space, and with characters that nobody sees.
 */
import { resultOf } from './result-of.ts';

/**
 * What a character does in a word. JOINED characters form words. Each SINGLE one is a word, since its script writes words without
 * spaces (or, in Hangul, adds particles without one), so that their borders cannot be seen. A MARK belongs to the character
 * before it. A MANIFOLD character stands for several others.
 */
const [UNKNOWN, JOINED, SPACE, OTHER, SINGLE, MARK, IGNORED, MANIFOLD] = [0, 1, 2, 3, 4, 5, 6, 7] as const;
type Kind = typeof JOINED | typeof SPACE | typeof OTHER | typeof SINGLE | typeof MARK;

const IS_SPACE = /[\s\u0085]/u;
const IS_JOINED = /[\p{L}\p{N}]/u;
const IS_SINGLE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}]/u;
/** Combining marks, and the later letters of a Hangul syllable. */
const IS_MARK = /[\p{M}\u1160-\u11ff]/u;
const IS_IGNORED = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}]/u;

const kindOf = (character: string): Kind => {
  if (IS_SPACE.test(character)) return SPACE;
  if (IS_MARK.test(character)) return MARK;
  if (IS_SINGLE.test(character)) return SINGLE;
  return IS_JOINED.test(character) ? JOINED : OTHER;
};

/** Unicode's default case folding of one decomposed character. The upper case of ı is I, but it folds to itself. */
const inOneCase = (character: string): string =>
  character === 'ı' ? character : character.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ');

/** What a character becomes: one character as a rule, none where it is ignored, at most eighteen. */
const piecesOf = (character: string): { text: string; kind: Kind }[] => {
  if (!IS_SPACE.test(character) && IS_IGNORED.test(character)) return [];
  return Array.from(character.normalize('NFKD'))
    .flatMap((one) => Array.from(inOneCase(one).normalize('NFKD')))
    .map((text) => ({ text, kind: kindOf(text) }));
};

/** The characters of the Basic Multilingual Plane that were met: the kind, and what a character that becomes one becomes. */
const kinds = new Uint8Array(65_536);
const becomes = new Uint16Array(65_536);

/** One code unit of what a character becomes; a second half of a surrogate pair has the kind of the first. */
type Piece = { is: Kind; unit: number; isHalf: boolean };
/** What manifold and astral characters become. Texts of people have fewer different ones; others are computed again. */
const manifold = new Map<number, Piece[]>();
const MOST_KEPT = 20_000;

const manifoldOf = (codePoint: number): Piece[] => {
  const known = manifold.get(codePoint);
  if (known) return known;
  const made = piecesOf(String.fromCodePoint(codePoint)).flatMap(({ text, kind }) =>
    Array.from({ length: text.length }, (_, i) => ({ is: kind, unit: text.charCodeAt(i), isHalf: i > 0 })),
  );
  if (manifold.size < MOST_KEPT) manifold.set(codePoint, made);
  return made;
};

const learn = (code: number): number => {
  if ((code & 0xf800) === 0xd800) return (kinds[code] = MANIFOLD);
  const [first, ...others] = piecesOf(String.fromCharCode(code));
  const kind = !first ? IGNORED : others.length || first.text.length > 1 ? MANIFOLD : first.kind;
  becomes[code] = first?.text.charCodeAt(0) ?? 0;
  return (kinds[code] = kind);
};

/** Sorting marks takes the square of their number. No real text has more of them (UAX #15, Stream-Safe Text Format). */
const MOST_MARKS = 30;

/** The hash of a word that the scan computes on the way. */
export const hashOf = (word: string): number => {
  let hash = 0;
  for (let i = 0; i < word.length; i++) hash = (Math.imul(hash, 31) + word.charCodeAt(i)) | 0;
  return hash;
};

/** Passes on words and what is between them. White space counts as one word `' '`. */
export type Visit = {
  /** Whether the word with this hash is worth its text. */
  wants: (hash: number) => boolean;
  /** A word, its place [start, end) in the text, and its hash. The word is null where it was not wanted. */
  word: (word: string | null, start: number, end: number, hash: number) => void;
};

/** Units of the word that is being read. Longer words are of no value, so they are cut. */
const LONGEST = 8_192;
const units = new Uint16Array(LONGEST);

/** A step reads this many code units, in less than a millisecond. */
const STEP = 2_048;

/** Visits the words of a text in order, in steps. The work is linear in the text. */
export function* visitingWords(text: string, { wants, word }: Visit): Generator<undefined, void> {
  let kind: Kind = OTHER;
  let length = 0;
  let hash = 0;
  let marks = 0;
  let start = 0;
  let end = 0;
  /** Whether the word is written in the text as it is compared. */
  let isPlain = true;
  const wordText = (isSorted: boolean): string => {
    if (length === 1) return String.fromCharCode(units[0] as number);
    if (isPlain && isSorted) return text.slice(start, end);
    const read = String.fromCharCode(...units.subarray(0, length));
    return isSorted ? read : read.normalize('NFD');
  };
  const close = (): void => {
    if (length === 0) return;
    // Marks in another order make another hash, so such a word is always looked at.
    const isSorted = marks < 2 || marks > MOST_MARKS;
    const isWanted = length <= LONGEST && (!isSorted || wants(hash));
    const read = isWanted ? wordText(isSorted) : null;
    word(read, start, end, isSorted || read === null ? hash : hashOf(read));
  };
  const put = (unit: number): void => {
    if (length < LONGEST) units[length] = unit;
    length++;
    hash = (Math.imul(hash, 31) + unit) | 0;
  };
  /** Adds a character to the word before it, or begins another one. */
  const add = (is: Kind, unit: number, at: number): void => {
    if (is === JOINED && (kind as number) === JOINED && length > 0) put(unit);
    else if (is === MARK && length > 0 && kind !== SPACE) {
      marks++;
      put(unit);
    } else if (is !== SPACE || kind !== SPACE || length === 0) {
      close();
      kind = is;
      length = 0;
      hash = 0;
      marks = 0;
      start = at;
      isPlain = true;
      put(is === SPACE ? 0x20 : unit);
    }
  };
  const addAll = (codePoint: number, at: number, next: number): void => {
    for (const { is, unit, isHalf } of manifoldOf(codePoint)) {
      if (isHalf) put(unit);
      else add(is, unit, at);
      isPlain = false;
      end = next;
    }
  };
  let stepEnd = STEP;
  for (let at = 0; at < text.length; at++) {
    if (at >= stepEnd) {
      stepEnd = at + STEP;
      // Another text may be read meanwhile.
      const begun = units.slice(0, length);
      yield;
      units.set(begun);
    }
    const code = text.charCodeAt(at);
    const known = kinds[code] as number;
    const is = known === UNKNOWN ? learn(code) : known;
    // Most characters continue a word, so this is written out.
    if (is === JOINED && (kind as number) === JOINED && length > 0 && length < LONGEST) {
      const unit = becomes[code] as number;
      units[length++] = unit;
      hash = (Math.imul(hash, 31) + unit) | 0;
      if (code !== unit) isPlain = false;
      end = at + 1;
    } else if (is === IGNORED) isPlain = false;
    else if (is === MANIFOLD) {
      const codePoint = text.codePointAt(at) as number;
      const next = codePoint > 0xffff ? at + 2 : at + 1;
      addAll(codePoint, at, next);
      at = next - 1;
    } else {
      add(is as Kind, becomes[code] as number, at);
      if (code !== becomes[code]) isPlain = false;
      end = at + 1;
    }
  }
  close();
}

/** The words of a text. */
export const foldedWords = (text: string): string[] => {
  const words: string[] = [];
  resultOf(visitingWords(text, { wants: () => true, word: (word) => words.push(word ?? '') }));
  return words;
};

/** A text with its escapes undone, with the place of each of its code units in the text before. */
export type Decoded = { text: string; starts: number[]; ends: number[] };

const ESCAPED = /(?:%[0-9a-f]{2})+|\+|\\[,;\\n]|\^[n^']/gi;

/** The characters of a run of `%XX`, each with its number of bytes. What is not UTF-8 stays as it is. */
const charactersOf = (run: string): { text: string; length: number }[] => {
  const bytes = Buffer.from(run.replaceAll('%', ''), 'hex');
  const found: { text: string; length: number }[] = [];
  for (let at = 0; at < bytes.length;) {
    const first = bytes[at] as number;
    const size = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    const text = bytes.toString('utf8', at, at + size);
    const isOne = !text.includes('\ufffd') && Array.from(text).length === 1;
    const length = isOne ? size : 1;
    found.push({ text: isOne ? text : run.slice(3 * at, 3 * at + 3), length });
    at += length;
  }
  return found;
};

/**
 * What an escape means: percent-encoding and `+` in URLs and forms, `\,` `\;` `\n` in stored lines of iCalendar, and `^n` `^^` `^'` in
 * their parameters (RFC 6868).
 */
const meantBy = (escape: string): { text: string; length: number }[] => {
  if (escape === '+') return [{ text: ' ', length: 1 }];
  if (escape === "^'") return [{ text: '"', length: 2 }];
  if (/^[\\^]/.test(escape)) return [{ text: /n/i.test(escape) ? ' ' : escape.slice(1), length: 2 }];
  return charactersOf(escape).map(({ text, length }) => ({ text, length: 3 * length }));
};

/** Undoes the escapes of a text; null where it has none. */
export const unescaped = (text: string): Decoded | null => {
  const pieces: string[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  const add = (piece: string, from: number, length: number): void => {
    pieces.push(piece);
    for (let i = 0; i < piece.length; i++) {
      starts.push(length ? from : from + i);
      ends.push(length ? from + length : from + i + 1);
    }
  };
  let copied = 0;
  for (const { 0: escape, index } of text.matchAll(ESCAPED)) {
    if (index > copied) add(text.slice(copied, index), copied, 0);
    copied = index;
    for (const { text: meant, length } of meantBy(escape)) {
      add(meant, copied, length);
      copied += length;
    }
  }
  if (pieces.length === 0) return null;
  add(text.slice(copied), copied, 0);
  return { text: pieces.join(''), starts, ends };
};
