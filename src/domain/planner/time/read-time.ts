/** Reads a span of time: of all ways to cover its words with what the grammar knows, the cheapest. */
import { CLOCKS as CLOCK_RULES } from '../words/clocks.ts';
import { DAYS as DAY_RULES } from '../words/days.ts';
import { LENGTHS as LENGTH_RULES } from '../words/lengths.ts';
import { RANGES as RANGE_RULES } from '../words/ranges.ts';
import { COSTS, JOINTS, TOP } from '../words/top.ts';
import { type Chart, chartOf, grammarOf, type Phrase } from './chart.ts';
import { CLOCKS } from './clocks.ts';
import { DAYS } from './days.ts';
import { LENGTHS } from './lengths.ts';
import { lexed } from './lexicon.ts';
import { RANGES } from './ranges.ts';
import { type Token, tokensOf } from './tokens.ts';
import type { Item, Moment, Time } from './types.ts';

/** What a span is likely to be: a time, a length or a number of times, a repetition. It decides only between two readings. */
export type Kind = keyof typeof COSTS;

const GRAMMAR = grammarOf(LENGTH_RULES + CLOCK_RULES + DAY_RULES + RANGE_RULES + TOP, {
  ...LENGTHS,
  ...CLOCKS,
  ...DAYS,
  ...RANGES,
});

const UNREAD = 10;
/** A word behind 'before' or 'not' names what is meant. */
const NAME = 2;
/** A word that is a time by itself is seldom a name, and behind a comma something else begins. */
const TIME_AS_NAME = 5;
const NAME_BEHIND_COMMA = 4;
const CONDITION_WORD = 0.05;
/** Two items of a kind side by side are seldom meant: '12.10. 10.30' is a day and a time. */
const AGAIN = 1.5;

/** The way to a token: its cost, what it was last, and the piece that led here. */
type Step = {
  cost: number;
  last: string;
  from: Step | null;
  piece: { kind: string; from: number; to: number; value: unknown } | null;
};

const kindOf = (kind: string): string => kind.slice('top.'.length);
const NAMING = new Set(['relation', 'nearby', 'not']);
const isNaming = (last: string): boolean => NAMING.has(last);
const groupOf = (kind: string): string => (kind === 'hours' || kind === 'clocksaid' ? 'clock' : kind);

/** A condition is about everything up to the next comma. */
const endOfCondition = (tokens: readonly Token[], from: number): number => {
  const comma = tokens.findIndex(({ word }, i) => i > from && word === ',');
  return comma < 0 ? tokens.length : comma;
};

const isTime = (here: Chart[number]): boolean =>
  Object.keys(here).some(
    (kind) => kind === 'top.days' || kind === 'top.clock' || kind === 'top.every' || kind === 'top.part',
  );
const nameCost = (tokens: readonly Token[], chart: Chart, i: number): number => {
  const isBehindComma = tokens.slice(Math.max(i - 4, 0), i).some(({ word }) => word === ',');
  return (isBehindComma ? NAME_BEHIND_COMMA : NAME) + (isTime(chart[i]!) ? TIME_AS_NAME : 0);
};

/** The step from a way over a phrase. */
const stepOf = (
  tokens: readonly Token[],
  costs: Readonly<Record<string, number>>,
  from: Step,
  phrase: Phrase,
): { to: number; step: Step } => {
  const { kind, value } = phrase;
  if (kind === 'filler') {
    const last = JOINTS.has(tokens[phrase.from]!.word) && !isNaming(from.last) ? '' : from.last;
    return { to: phrase.from + 1, step: { cost: from.cost + (value as number), last, from, piece: null } };
  }
  const to = kind === 'condition' ? endOfCondition(tokens, phrase.to - 1) : phrase.to;
  const rest = kind === 'condition' ? CONDITION_WORD * (to - phrase.from) : 0;
  const again = groupOf(from.last) === groupOf(kind) && kind !== 'relation' ? AGAIN : 0;
  const cost = from.cost + (costs[kind] ?? 1) + rest + again;
  return { to, step: { cost, last: kind, from, piece: { ...phrase, to } } };
};

const cheapest = (tokens: readonly Token[], chart: Chart, kind: Kind): Step => {
  const costs = COSTS[kind];
  /** Per token the cheapest way by what was read last. */
  const ways: Map<string, Step>[] = Array.from({ length: tokens.length + 1 }, () => new Map<string, Step>());
  const offer = (at: number, step: Step): void => {
    const known = ways[at]!.get(step.last);
    if (!known || step.cost < known.cost) ways[at]!.set(step.last, step);
  };
  offer(0, { cost: 0, last: '', from: null, piece: null });
  for (const [i, here] of ways.slice(0, -1).entries())
    for (const from of here.values()) {
      const unread = isNaming(from.last) ? nameCost(tokens, chart, i) : UNREAD;
      const name = isNaming(from.last) ? 'name' : 'unread';
      offer(i + 1, {
        cost: from.cost + unread,
        last: from.last,
        from,
        piece: { kind: name, from: i, to: i + 1, value: null },
      });
      const tops = Object.entries(chart[i]!).filter(([top]) => top.startsWith('top.'));
      for (const [top, phrases] of tops)
        for (const phrase of phrases) {
          const { to, step } = stepOf(tokens, costs, from, { ...phrase, kind: kindOf(top) });
          offer(to, step);
        }
    }
  return [...ways.at(-1)!.values()].reduce((best, step) => (step.cost < best.cost ? step : best));
};

const itemsOf = (kind: string, value: unknown): Item[] => {
  if (kind !== 'night' && kind !== 'domclock')
    return Array.isArray(value) ? (value as Item[]).filter(Boolean) : [value as Item];
  const { days, clock, part } = value as Moment;
  const time: Item = clock ? { item: 'clock', clock } : { item: 'part', part: part! };
  return [{ item: 'days', days: days! }, time];
};

const read = (words: string, kind: Kind): Time => {
  const tokens = tokensOf(words);
  const { chart, steps } = chartOf(tokens, GRAMMAR, lexed);
  const items: Item[] = [];
  const [names, unread]: [string[], string[]] = [[], []];
  let laterNames = 0;
  for (let step: Step | null = cheapest(tokens, chart, kind); step; step = step.from) {
    if (!step.piece) continue;
    const { kind: piece, from, to, value } = step.piece;
    const said = words.slice(tokens[from]!.from, tokens[to - 1]!.to);
    if (piece === 'unread') unread.unshift(said);
    else if (piece === 'name') names.unshift(said);
    else items.unshift(...itemsOf(piece, value));
    // the names of a second relation are not those of the first
    if (piece === 'relation' || piece === 'nearby') {
      names.length -= laterNames;
      laterNames = names.length;
    }
  }
  const end = tokens.at(-1)?.to ?? 0;
  const rest = words.slice(end).trim();
  return { items, names, unread: rest ? [...unread, rest] : unread, steps };
};

/** The acts ask for the same span of a request several times, so the last ones are kept. */
const MOST_KEPT = 64;
const kept = new Map<string, Time>();

/** The words of a span of time, as a value that does not depend on what else was said. */
export const readTime = (words: string, kind: Kind = 'time'): Time => {
  const key = `${kind} ${words}`;
  const known = kept.get(key);
  if (known) return known;
  const time = read(words, kind);
  if (kept.size >= MOST_KEPT) kept.clear();
  kept.set(key, time);
  return time;
};
