/** What a single word or figure of a span of time may be. */
import {
  FILLERS,
  FRACTIONS,
  LETTER_WEEKDAYS,
  MONTHS,
  NOW,
  ORDINALS,
  PARTS,
  SHORT_WEEKDAYS,
  SMALL_NUMBERS,
  TENS,
  UNITS,
  WEEKDAY_PLURALS,
  WEEKDAYS,
  ZONES,
} from '../words/time-words.ts';
import { editDistance } from '../../text/edit-distance.ts';
import type { Token } from './tokens.ts';
import type { Amount, Clock, Days, PartOfDay } from './types.ts';

type Lexed = [kind: string, value: unknown];

const amountIn = (text: string): Amount => {
  const [unit = '', n] = text.split(' ');
  return { [unit]: Number(n) };
};
const partIn = (text: string): PartOfDay => {
  const [from = 0, to = 0] = text.split(' ').map(Number);
  return { from, to };
};

const WORDS: ReadonlyMap<string, readonly Lexed[]> = (() => {
  const words = new Map<string, Lexed[]>();
  const add = (kind: string, table: ReadonlyMap<string, unknown>): void => {
    for (const [word, value] of table) words.set(word, [...(words.get(word) ?? []), [kind, value]]);
  };
  for (const [kind, table] of Object.entries({
    weekday: WEEKDAYS,
    weekdays: WEEKDAY_PLURALS,
    shortday: SHORT_WEEKDAYS,
  }))
    add(kind, table);
  for (const [kind, table] of Object.entries({
    letterday: LETTER_WEEKDAYS,
    month: MONTHS,
    small: SMALL_NUMBERS,
    tens: TENS,
  }))
    add(kind, table);
  add('ordsmall', ORDINALS);
  add('fraction', FRACTIONS);
  add('unit', new Map([...UNITS].map(([word, text]) => [word, amountIn(text)])));
  add('part', new Map([...PARTS].map(([word, text]) => [word, partIn(text)])));
  add('now', new Map([...NOW].map(([word, plus]): [string, Days] => [word, { of: 'today', plus }])));
  add('zone', ZONES);
  add('top.filler', new Map([...FILLERS].map(([word, cost]) => [word, Number(cost)])));
  return words;
})();

/** Cities that zones are named after: 'London' of Europe/London. Those of several words are not read. */
const CITIES: ReadonlyMap<string, string> = new Map(
  Intl.supportedValuesOf('timeZone').map((name) => [name.slice(name.lastIndexOf('/') + 1).toLowerCase(), name]),
);

const clockOf = (hour: number, minute: number, more: Partial<Clock>): Lexed[] =>
  hour < 24 || (hour === 24 && minute === 0) ? [['', { hour, minute, ...more }]] : [];
const named = (kind: string, found: Lexed[]): Lexed[] => found.map(([, value]) => [kind, value]);

const yearOf = (text: string | undefined): { year?: number } =>
  text ? { year: text.length === 2 ? 2000 + Number(text) : Number(text) } : {};

/** A date in figures; where the second number is no month, it is written as in America. */
const dateOf = (kind: string, [a = '', b = '', year]: readonly string[]): Lexed[] => {
  const [day, month] = [Number(a), Number(b)];
  const isDate = (d: number, m: number): boolean => d >= 1 && d <= 31 && m >= 1 && m <= 12;
  const slash = kind === 'slash' ? { isSlash: true as const } : {};
  if (isDate(day, month))
    return [[kind, { of: 'date', day, month, ...yearOf(year), ...(day <= 12 && slash) } satisfies Days]];
  return kind === 'slash' && isDate(month, day)
    ? [[kind, { of: 'date', day: month, month: day, ...yearOf(year) } satisfies Days]]
    : [];
};

const shortFigures = (text: string): Lexed[] => {
  const n = Number(text);
  const isFixed = n > 12 || n === 0 || text.startsWith('0');
  const hour: Clock = { hour: n, minute: 0, ...(isFixed && { isFixed: true }) };
  const found: [isSo: boolean, lexed: Lexed][] = [
    [n < 24, ['hour', hour]],
    [text.length === 2 && n < 60, ['sixty', n]],
    [n >= 1 && n <= 31, ['dom', n]],
    [n >= 24 && n <= 31, ['highdom', n]],
  ];
  return found.filter(([isSo]) => isSo).map(([, one]) => one);
};

const fourFigures = (text: string): Lexed[] => {
  const n = Number(text);
  const [hour, minute] = [Math.floor(n / 100), n % 100];
  const clock = minute < 60 ? clockOf(hour, minute, text.length === 4 ? { isFixed: true } : {}) : [];
  return [...named('compact', clock), ...(n >= 2000 && n < 2100 ? [['year', n] satisfies Lexed] : [])];
};

/** Figures without a sign in them. */
const figures = (text: string): Lexed[] => {
  const n = Number(text);
  const int: Lexed = ['int', n];
  if (text.length <= 2) return [int, ...shortFigures(text)];
  if (text.length <= 4) return [int, ...fourFigures(text)];
  if (text.length === 6)
    return [int, ...named('compact', clockOf(Math.floor(n / 10_000), Math.floor(n / 100) % 100, { isFixed: true }))];
  const isDate = text.length === 8;
  return [int, ...(isDate ? dateOf('isodate', [text.slice(6), text.slice(4, 6), text.slice(0, 4)]) : [])];
};

/** Two or three figures with points between them: 12.30, 14.12., 1.5. */
const pointed = (text: string, parts: readonly string[]): Lexed[] => {
  const [a = '', b = ''] = parts;
  const isTwo = parts.length === 2;
  const isClock = isTwo && b.length === 2 && Number(b) < 60 && Number(a) < 24;
  // '3.07' is a date, '3.00' and '3.05' are times
  const isDate = text.endsWith('.') || !isClock || /^0[1-46-9]$/.test(b);
  const decimal: Lexed[] = isTwo && !text.endsWith('.') ? [['decimal', Number(`${a}.${b}`)]] : [];
  const date = isDate ? dateOf('dots', parts) : [];
  if (!isClock) return [...date, ...decimal];
  // beside a weekday '4.12' is a date, else a time
  const bare = dateOf('maybedots', parts).map(([kind, value]): Lexed => [kind, { ...(value as Days), isBare: true }]);
  const clock = clockOf(Number(a), Number(b), a.startsWith('0') ? { isFixed: true } : {});
  return [...date, ...bare, ...named('dotclock', clock), ...decimal];
};

/** Figures with signs in them: 12:30, 14/12, 2026-12-14. */
const signed = (text: string): Lexed[] => {
  const parts = text.split(/[-:./,]/).filter(Boolean);
  const [a = '', b = ''] = parts;
  if (a.length === 4) return dateOf('isodate', [parts[2] ?? '', b, a]);
  if (text.includes(':')) {
    const more = { isExact: true as const, ...(a.startsWith('0') && { isFixed: true as const }) };
    return Number(b) < 60 ? named('hm', clockOf(Number(a), Number(b), more)) : [];
  }
  const half: Lexed[] = text === '1/2' ? [['fraction', 0.5]] : [];
  if (text.includes('/')) return [...dateOf('slash', parts), ...half];
  return text.includes(',') ? [['decimal', Number(`${a}.${b}`)]] : pointed(text, parts);
};

/** 'nineish' is nine. */
const withoutIsh = (word: string): string =>
  word.endsWith('ish') && SMALL_NUMBERS.has(word.slice(0, -3)) ? word.slice(0, -3) : word;

const ORDINAL = /^(\d+)(?:st|nd|rd|th)$/;

/** The zone that a word names: 'London', 'Pacific'. */
export const zoneNamed = (word: string): string | undefined => {
  const known = WORDS.get(word)?.find(([kind]) => kind === 'zone')?.[1];
  return (known as string | undefined) ?? CITIES.get(word);
};

/** Long words of time are known with one letter wrong too: 'thrusday', 'tomorow'. */
const LONG_WORD = 6;
const LONG_WORDS = [...WORDS.keys()].filter((word) => {
  const kinds = WORDS.get(word)!.map(([kind]) => kind);
  return (
    word.length >= LONG_WORD && kinds.some((kind) => ['weekday', 'month', 'now', 'part', 'weekdays'].includes(kind))
  );
});

/** What a token may be: kinds of the grammar with their values. */
export const lexed = ({ word }: Token): Lexed[] => {
  const known = WORDS.get(withoutIsh(word));
  if (known) return [...known];
  const ordinal = ORDINAL.exec(word);
  if (ordinal) return [['ord', Number(ordinal[1])]];
  if (/^\d+$/.test(word)) return figures(word);
  if (/^\d/.test(word)) return signed(word);
  const city = CITIES.get(word.normalize('NFKD').replace(/\p{M}/gu, ''));
  if (city) return [['zone', city]];
  const meant = word.length >= LONG_WORD ? LONG_WORDS.find((one) => editDistance(one, word) === 1) : undefined;
  return meant ? [...WORDS.get(meant)!] : [];
};
