/** Carriers: “please enter it”, “put that in please” behind what is to be entered say only that it is a request. */
import type { Item } from '../facet.ts';
import { type Token, wordAt } from '../words.ts';
import { CARRIED } from '../words/name-doubts.ts';
import { CARRIER_VERBS, CARRIER_WORDS } from '../words/speech.ts';

const ENDS = /^[.!?;]$/;
const TIMES = new Set(['days', 'clock', 'hours', 'instant', 'every']);
const STAYS = new Set(['whole', 'duration']);

const isEnd = (tokens: readonly Token[], item: Item | undefined): boolean =>
  item === undefined || tokens[item.from]!.kind === 'break' || ENDS.test(wordAt(tokens, item.from));

/** Where the carrier begins that ends before `end`; `end` where there is none. */
const carrierBefore = (tokens: readonly Token[], items: readonly Item[], start: number, end: number): number => {
  let from = end;
  while (from > start) {
    const { from: at, facets } = items[from - 1]!;
    const fits =
      facets.length > 0 ? facets.every(({ kind }) => STAYS.has(kind)) : CARRIER_WORDS.has(wordAt(tokens, at));
    if (!fits) break;
    from--;
  }
  while (from < end && (items[from]!.facets.length > 0 || /^(?:for|to|in)$/.test(wordAt(tokens, items[from]!.from))))
    from++;
  const words = items.slice(from, end).map((item) => wordAt(tokens, item.from));
  const before = items.slice(start, from);
  const verb = words.find((word) => CARRIER_VERBS.has(word));
  const asked =
    verb !== undefined &&
    (verb !== 'block' || words.some((word) => /^(?:calendar|diary|agenda)$/.test(word))) &&
    words.some((word) => CARRIED.has(word));
  const isNamed =
    before.some(({ facets }) => facets.some(({ kind }) => TIMES.has(kind))) &&
    before.filter(({ facets, from: at }) => facets.length === 0 && tokens[at]?.kind === 'word').length > 0;
  return asked && isNamed ? from : end;
};

/** The items without the words of carriers at the ends of sentences. */
export const withoutCarriers = (tokens: readonly Token[], items: readonly Item[]): Item[] => {
  const left: Item[] = [];
  let start = 0;
  for (let at = 0; at <= items.length; at++) {
    if (!isEnd(tokens, items[at])) continue;
    const from = carrierBefore(tokens, items, start, at);
    left.push(...items.slice(start, from), ...items.slice(from, at).filter(({ facets }) => facets.length > 0));
    if (at < items.length) left.push(items[at]!);
    start = at + 1;
  }
  return left;
};
