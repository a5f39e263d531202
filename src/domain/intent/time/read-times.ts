/** Reads the times of a prompt: the longest span of the chart at each place, and what of it belongs to the title too. */
import type { Facet, Item, Scan } from '../facet.ts';
import { resultOf } from '../../text/result-of.ts';
import {
  DAY_NOUNS,
  endsPhrase,
  HOLIDAY_NAMES,
  LOOKS,
  MONTHS,
  NUMBERED,
  ORDINALS,
  TENS,
  UNITS,
  WEEKDAY_PLURALS,
  WEEKDAYS,
  PLACES,
  WEEKLY_NOUNS,
  ZONES,
} from '../words/time-words.ts';
import { setOf } from '../words/phrases.ts';
import { type Token, wordAt } from '../words/tokens.ts';
import { CLOCK_GRAMMAR } from '../words/clock-grammar.ts';
import { DAY_GRAMMAR } from '../words/day-grammar.ts';
import { type Chart, chartOf, type Grammar, grammarOf, type Latent, type Span } from './chart.ts';
import { CONDITIONS, isClear } from './conditions.ts';
import { CLOCKS } from './make-clocks.ts';
import { DAYS } from './make-days.ts';
import { type Amount, LENGTHS } from './make-lengths.ts';
import { PARTS, PARTS_OF_TIME } from './make-parts.ts';
import { REPEATS } from './make-repeats.ts';
import { OPENING_MARKS } from '../words/speech.ts';

const GRAMMAR: Grammar = grammarOf(
  DAY_GRAMMAR + CLOCK_GRAMMAR,
  { ...LENGTHS, ...DAYS, ...CLOCKS, ...PARTS_OF_TIME, ...REPEATS },
  CONDITIONS,
);

const FRACTIONS: ReadonlyMap<string, number> = new Map([
  ['½', 0.5],
  ['¼', 0.25],
  ['¾', 0.75],
  ['1/2', 0.5],
  ['1/4', 0.25],
  ['3/4', 0.75],
]);
const TABLES: [kind: string, table: ReadonlyMap<string, number>][] = [
  ['weekday', WEEKDAYS],
  ['weekdays', WEEKDAY_PLURALS],
  ['month', MONTHS],
  ['ord', ORDINALS],
  ['unit', UNITS],
];

/** What the figures of a token may be. */
const figures = (text: string): [kind: string, value: unknown][] => {
  const number = Number(text.replace(',', '.'));
  return [
    ['number', number],
    ...(/^\d{1,2}$/.test(text) ? [['two', number] as [string, unknown]] : []),
    ...(/^[0-5]\d$/.test(text) ? [['sixty', number] as [string, unknown]] : []),
    ...(/^20\d\d$/.test(text) ? [['year', number] as [string, unknown]] : []),
    ...(/^(?:[01]\d|2[0-3])[0-5]\d$/.test(text) ? [['military', text] as [string, unknown]] : []),
    ...(/^\d{1,2}\.\d{2}$/.test(text) ? [['dotted', text] as [string, unknown]] : []),
    ...(/^\d{1,2}\.\d{1,2}$/.test(text) ? [['dots', text] as [string, unknown]] : []),
  ];
};

const clockKind = (text: string): string => {
  const [hour = 0, minute = 0] = text.split(':').map(Number);
  return minute > 59 || hour > 24 ? 'badclock' : 'hm';
};

const CITIES: ReadonlyMap<string, string> = new Map([
  ...Intl.supportedValuesOf('timeZone').map((name): [string, string] => [
    name.slice(name.lastIndexOf('/') + 1).toLowerCase(),
    name,
  ]),
  ...PLACES,
]);
/** 'UTC', 'New York time'. */
const zoneAt = (tokens: readonly Token[], i: number): { zone: string; to: number } | null => {
  const token = tokens[i]!;
  const zone = ZONES.get(token.word);
  if (zone && token.text === token.text.toUpperCase()) return { zone, to: i + 1 };
  const size = [1, 2, 3].find((n) => wordAt(tokens, i + n) === 'time');
  const city =
    size &&
    CITIES.get(
      tokens
        .slice(i, i + size)
        .map(({ text }) => text.toLowerCase())
        .join('_'),
    );
  return size && city ? { zone: city, to: i + size + 1 } : null;
};

/** What a word or number may be by itself. */
const lexed = (scan: Scan, i: number): Span[] => {
  const { kind, text, word, glued } = scan.tokens[i]!;
  const span = (name: string, value: unknown, to = i + 1): Span => ({ kind: name, from: i, to, value });
  const own = FRACTIONS.get(text);
  const fraction = own === undefined ? [] : [span('fraction', own)];
  if (kind === 'number') return own === undefined ? figures(text).map(([name, value]) => span(name, value)) : fraction;
  if (kind === 'date') return [span('slashed', text), ...fraction];
  if (kind === 'clock') return [span(clockKind(text), text)];
  if (kind === 'iso') return [span(text.length === 10 ? 'isoday' : 'isotime', text)];
  if (kind !== 'word') return [];
  const spans = TABLES.flatMap(([name, table]) => {
    const value = table.get(word);
    return value === undefined || !isClear(scan, i) ? [] : [span(name, value)];
  });
  const tens = TENS.get(word);
  if (tens && tens > 1) spans.push(span('tens', tens * 10));
  if (word === 'm' && glued) spans.push(span('u', ['minutes', 1]));
  const zone = zoneAt(scan.tokens, i);
  return zone ? [...spans, span('zone', zone.zone, zone.to)] : spans;
};

/** Tokens no time begins with. */
const isOpaque = ({ kind, word }: Token): boolean =>
  kind === 'quote' || kind === 'tag' || kind === 'break' || (kind === 'mark' && !OPENING_MARKS.has(word));

const longest = (chart: Chart, i: number, firm: boolean): Span | undefined => {
  const spans = [...(chart[i]!['facet'] ?? []), ...(firm ? (chart[i]!['latent'] ?? []) : [])];
  return spans.length === 0 ? undefined : spans.reduce((best, span) => (span.to > best.to ? span : best));
};

const DAY_KINDS = new Set(['days', 'every', 'period', 'edge']);
/** Whether the last item, a comma aside, names days: a bare number behind it may be an hour. */
const followsDay = (items: readonly Item[], tokens: readonly Token[]): boolean => {
  const last = items.at(-1);
  const item = last && wordAt(tokens, last.from) === ',' ? items.at(-2) : last;
  const isDay = item !== undefined && !item.kept && item.facets.some(({ kind }) => DAY_KINDS.has(kind));
  // 'Monday 10 to 11 interview, 11 to 12 lecture'
  return isDay || (item !== last && items.some(({ facets }) => facets[0]?.kind === 'hours' && facets[0].exact));
};

/** A number that no name owns: not that of 'bed 6'. */
const isFigure = (tokens: readonly Token[], i: number): boolean =>
  tokens[i]!.kind === 'number' && !NUMBERED.has(wordAt(tokens, i - 1));
/** 'Monday: plumber 10, painter 11' */
const isHeaded = (items: readonly Item[], tokens: readonly Token[]): boolean => {
  const first = items.findIndex(({ facets }) => facets.length === 0);
  return (
    first > 0 &&
    wordAt(tokens, items[first]!.from) === ':' &&
    items.slice(0, first).some(({ facets }) => facets.some(({ kind }) => DAY_KINDS.has(kind)))
  );
};

const HOLIDAY_ENDS = setOf('eve day');
const NEAR = setOf('today tomorrow tonight yesterday');
const OWNERS = setOf('the my our your');
/** Whether the day only describes the noun after it: "Friday's call", 'the Friday review'. */
const describes = ({ tokens }: Scan, from: number, to: number): boolean => {
  const [last, behind] = [wordAt(tokens, to - 1), wordAt(tokens, to)];
  const isFollowed = !endsPhrase(tokens, to) && tokens[to]?.kind === 'word';
  if (WEEKDAYS.has(last) && WEEKLY_NOUNS.has(behind)) return true;
  if (tokens[to - 1]?.possessive && !endsPhrase(tokens, to)) return true;
  // Thanksgiving dinner
  if (
    DAY_NOUNS.has(behind) &&
    !WEEKDAYS.has(last) &&
    !NEAR.has(last) &&
    tokens[to - 1]?.kind === 'word' &&
    to === from + 1
  )
    return true;
  // Christmas shopping, New Year's Eve dinner
  const isHoliday = (HOLIDAY_NAMES.has(last) && last !== 'friday') || wordAt(tokens, to - 2) === 'black';
  if (isFollowed && isHoliday && to <= from + 2 && !/^(?:on|at)$/.test(wordAt(tokens, from))) return true;
  if (isFollowed && HOLIDAY_ENDS.has(last) && to > from + 1) return true;
  const at = PARTS[behind] ? to + 1 : to;
  return (
    OWNERS.has(wordAt(tokens, from - 1)) &&
    WEEKDAYS.has(wordAt(tokens, from)) &&
    !endsPhrase(tokens, at) &&
    tokens[at]?.kind === 'word' &&
    !LOOKS.has(wordAt(tokens, at))
  );
};

/** A facet that also belongs to the title: 'morning run', 'a weekly review', "Friday's standup". */
const stays = (scan: Scan, { from, to }: Span, [first]: readonly Facet[]): boolean => {
  const { tokens } = scan;
  if (first?.kind === 'part') return first.loose === true;
  if (first?.kind === 'every')
    return (
      wordAt(tokens, from).endsWith('ly') && to === from + 1 && tokens[to]?.kind === 'word' && !endsPhrase(tokens, to)
    );
  if (first?.kind === 'period') return tokens[to - 1]!.possessive && !endsPhrase(tokens, to);
  return (first?.kind === 'days' || first?.kind === 'past') && describes(scan, from, to);
};

/** What was found in the tokens of a prompt, as single numbers are asked for afterwards. */
const charts = new WeakMap<readonly Token[], Chart>();

/** Lays the prompt out as words, tags and facets. It yields after each, as a long prompt takes tens of milliseconds. */
export function* scanningItems(scan: Scan): Generator<undefined, Item[]> {
  const items: Item[] = [];
  const { tokens, dated = false } = scan;
  const chart = chartOf(scan, GRAMMAR, lexed);
  charts.set(tokens, chart);
  yield;
  for (let i = 0; i < tokens.length;) {
    const found = isOpaque(tokens[i]!)
      ? undefined
      : longest(chart, i, followsDay(items, tokens) || (isFigure(tokens, i) && (dated || isHeaded(items, tokens))));
    if (!found) {
      items.push({ from: i, to: ++i, facets: [] });
      continue;
    }
    const facets = (found.kind === 'latent' ? (found.value as Latent).latent : found.value) as Facet[];
    items.push({ from: i, to: found.to, facets, ...(stays(scan, found, facets) && { kept: true }) });
    i = found.to;
  }
  return items;
}

/** The same at once, for a few words. */
export const scanItems = (scan: Scan): Item[] => resultOf(scanningItems(scan));

/** The longest span of a kind that no day is needed for, at one place. */
const valueAt = (tokens: readonly Token[], i: number, kind: string): Span | undefined => {
  const today = Temporal.PlainDate.from('2000-01-01');
  const chart =
    charts.get(tokens) ?? chartOf({ tokens, now: '2000-01-01T00:00:00.000Z', zone: 'UTC', today }, GRAMMAR, lexed);
  charts.set(tokens, chart);
  return chart[i]?.[kind]?.reduce((best, span) => (span.to > best.to ? span : best));
};

/** A number in figures or words: '45', 'twenty-five', 'a couple of'. */
export const readNumber = (tokens: readonly Token[], i: number): { n: number; next: number } | null => {
  const span = valueAt(tokens, i, 'n');
  return span ? { n: span.value as number, next: span.to } : null;
};

/** A length: '90 minutes', 'two and a half hours', 'three days'. */
export const readAmount = (tokens: readonly Token[], i: number): (Amount & { next: number }) | null => {
  const span = valueAt(tokens, i, 'amount');
  return span ? { ...(span.value as Amount), next: span.to } : null;
};
