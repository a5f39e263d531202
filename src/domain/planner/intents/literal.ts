/** Words of a request that are not read: they belong to a name, whatever they say. */
import type { Span } from '../request.ts';
import { JOINTS } from '../words/act-words.ts';
import { ARTICLE } from './texts.ts';
import type { Ranges } from './types.ts';

/** A text in which words are not read. */
export type Mask = {
  /** The text with letters in the place of these words that no text has: offsets stay, and nothing of them is a time or a verb. */
  text: string;
  /** The same in another text, such as the name of an event, so that the words can be compared. */
  inName: (name: string) => string;
  /** A value with the words as they were written, in all of its texts. */
  unmask: <T>(value: T) => T;
};

/** Letters of CJK extension A, and signs for private use. */
const LETTERS = 0x3400;
const SIGNS = 0xe000;
const MASKS = /[\u3400-\u4dbf\ue000-\uf8ff]/g;
const WORDS = /[\p{L}\p{M}\p{N}]+/gu;
const MARKS = /[^\p{L}\p{M}\p{N}\s]/gu;

/** 'Drinks' is compared as 'drink'. */
const stemOf = (word: string): string => word.toLowerCase().replace(/(?<=..)s$/, '');

const isPlain = (value: object): boolean => Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;

/** Every text in a value of lists and plain objects. */
const mapTexts = <T>(value: T, map: (text: string) => string): T => {
  if (typeof value === 'string') return map(value) as T;
  if (typeof value !== 'object' || value === null || !isPlain(value)) return value;
  if (Array.isArray(value)) return value.map((one) => mapTexts(one, map)) as T;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, mapTexts(one, map)])) as T;
};

const READ_ALL: Omit<Mask, 'text'> = { inName: (name) => name, unmask: (value) => value };

export const maskOf = (text: string, literal: Ranges): Mask => {
  if (literal.length === 0) return { text, ...READ_ALL };
  const own = new Set(text);
  const written = new Map<string, string>();
  const words = new Map<string, string>();
  const masking = (from: number) => {
    let next = from;
    return (unit: string): string => {
      while (own.has(String.fromCharCode(next))) next++;
      const mask = String.fromCharCode(next++);
      written.set(mask, unit);
      return mask;
    };
  };
  const letter = masking(LETTERS);
  const sign = masking(SIGNS);
  const ofWord = (word: string): string => {
    const known = words.get(stemOf(word));
    if (known?.length === word.length) return known;
    const mask = word.replaceAll(/[\s\S]/g, letter);
    words.set(stemOf(word), mask);
    return mask;
  };
  const hidden = (part: string): string =>
    part.replaceAll(WORDS, ofWord).replaceAll(MARKS, (mark) => mark.replaceAll(/[\s\S]/g, sign));
  const masked = literal.reduce(
    (all, [from, to]) => all.slice(0, from) + hidden(all.slice(from, to)) + all.slice(to),
    text,
  );
  return {
    text: masked,
    inName: (name) => name.replaceAll(WORDS, (word) => words.get(stemOf(word)) ?? word),
    unmask: (value) => mapTexts(value, (one) => one.replaceAll(MASKS, (mask) => written.get(mask) ?? mask)),
  };
};

const isBlank = (text: string): boolean => text.trim() === '';

/** Names are compared without their article. */
const withoutArticle = (text: string, [from, to]: Ranges[number]): Ranges[number] => {
  const words = text.slice(from, to).trimStart();
  const { length } = ARTICLE.exec(words.toLowerCase())?.[0] ?? '';
  return [to - words.length + length, to];
};

/** The stretches within a text that have words, each with the whole of what it has a part of, in order; those side by side are one. */
export const within = (text: string, literal: Ranges, whole: Ranges): Ranges => {
  const all: [number, number][] = [];
  const wide = literal
    .map((one) => withoutArticle(text, one))
    .filter(([from, to]) => !isBlank(text.slice(from, to)))
    .map(([from, to]) => {
      const parts = whole.filter(([start, end]) => start < to && end > from);
      const ends = parts.map(([, end]) => end);
      return [Math.min(from, ...parts.map(([start]) => start)), Math.min(text.length, Math.max(to, ...ends))] as const;
    });
  for (const [from, to] of wide.toSorted(([a], [b]) => a - b)) {
    const last = all.at(-1);
    if (last && (from < last[1] || isBlank(text.slice(last[1], from)))) last[1] = Math.max(last[1], to);
    else all.push([from, to]);
  }
  return all;
};

const TOKENS = /[\p{L}\p{M}\p{N}]+|[^\p{L}\p{M}\p{N}\s]/gu;

/**
 * What joins words within values that are hidden from some readers, as stretches of the text. It is not read, so that no text of
 * a proposal has only a part of a value: 'Ada and Vexley' would be two names.
 */
export const jointsOf = (text: string, whole: Ranges): Ranges =>
  whole.flatMap(([from, to]) =>
    [...text.slice(from, to).matchAll(TOKENS)].flatMap(({ 0: token, index }) =>
      index > 0 && index + token.length < to - from && JOINTS.has(token.toLowerCase())
        ? [[from + index, from + index + token.length] as const]
        : [],
    ),
  );

const isName = ({ role }: Span): boolean => role === 'title' || role === 'target';

/** The spans of a masked text, with each of these stretches in one name: that which has a part of it, or else one of its own. */
export const named = (text: string, spans: readonly Span[], literal: Ranges): Span[] => {
  let all = [...spans];
  for (const [start, end] of literal) {
    const name = all.find((span) => isName(span) && span.from < end && span.to > start);
    const own: Span = {
      role: 'title',
      ...name,
      from: Math.min(name?.from ?? start, start),
      to: Math.max(name?.to ?? end, end),
    };
    const others = all.flatMap((span) => {
      const { from, to } = span;
      if (span === name) return [];
      if (from >= own.to || to <= own.from) return [span];
      return [
        ...(from < own.from ? [{ ...span, to: own.from }] : []),
        ...(to > own.to ? [{ ...span, from: own.to }] : []),
      ];
    });
    const kept = others.filter(({ from, to }) => !isBlank(text.slice(from, to)));
    all = [...kept, own].toSorted((a, b) => a.from - b.from);
  }
  return all;
};
