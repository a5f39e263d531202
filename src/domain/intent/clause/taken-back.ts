/** What is taken back within a sentence: 'at six, no, seven', 'on Tuesday, sorry, Wednesday'. The later time counts. */
import type { Facet, Item } from '../facet.ts';
import { groupsOf } from '../facet.ts';
import { readNumber } from '../time/read-times.ts';
import { phraseAt, type Token, wordAt } from '../words.ts';
import { TAKING_BACK } from '../words/speech.ts';

/** How far a corrected time may be from the words that take it back. */
const NEAR = 7;

const isMark = (tokens: readonly Token[], { from, facets }: Item): boolean =>
  facets.length === 0 && [',', '-', '–', '—', '.'].includes(wordAt(tokens, from));

/** The index of the item behind the words that take back, which begin at `i`; null where there are none. */
const behindMarker = (tokens: readonly Token[], items: readonly Item[], i: number): number | null => {
  let at = i;
  let isSaid = false;
  while (at < items.length) {
    const item = items[at]!;
    const next = item.facets.length === 0 ? phraseAt(tokens, item.from, TAKING_BACK) : null;
    if (next === null && !isMark(tokens, item)) break;
    isSaid ||= next !== null;
    const from = next ?? item.to;
    while (at < items.length && items[at]!.from < from) at++;
  }
  return isSaid ? at : null;
};

/** A bare number behind a clock time or a length is one too: 'at six, no, seven'. */
const asTime = (tokens: readonly Token[], item: Item, gone: Facet): Item | null => {
  const number = item.facets.length === 0 ? readNumber(tokens, item.from) : null;
  const { n, next } = number ?? { n: 0, next: 0 };
  if (!number || !Number.isInteger(n) || n < 1) return null;
  if (gone.kind === 'clock' && n <= 24)
    return { from: item.from, to: next, facets: [{ kind: 'clock', times: [{ hour: n, minute: 0, fixed: n > 12 }] }] };
  return gone.kind === 'duration' && n < 600
    ? { from: item.from, to: next, facets: [{ kind: 'duration', minutes: n }] }
    : null;
};

export type Kept = { items: Item[]; void: Item[] };

/** The items that count, and those that were taken back with the words that do so. */
export const withoutTakenBack = (tokens: readonly Token[], all: readonly Item[]): Kept => {
  const items = [...all];
  const taken: Item[] = [];
  for (let i = 1; i < items.length; i++) {
    const gone = items[i - 1]!;
    if (gone.facets.length === 0 || gone.kept) continue;
    const behind = behindMarker(tokens, items, i);
    if (behind === null) continue;
    let first = i - 1;
    while (first > 0 && items[first - 1]!.facets.length > 0 && !items[first - 1]!.kept) first--;
    const run = items.slice(first, i);
    const groups = groupsOf(run.flatMap(({ facets }) => facets));
    const number = items[behind] && asTime(tokens, items[behind], gone.facets[0]!);
    const next = items
      .slice(behind, behind + NEAR)
      .find(
        ({ facets, kept }) => facets.length > 0 && !kept && [...groupsOf(facets)].some((group) => groups.has(group)),
      );
    if (!number && !next) continue;
    const rest = number
      ? [number, ...items.slice(behind).filter(({ from }) => from >= number.to)]
      : items.slice(behind);
    // 'Friday at 3, no, at 4' keeps its day
    const said = groupsOf((number ? [number] : items.slice(behind, behind + NEAR)).flatMap(({ facets }) => facets));
    const stays = run.filter(({ facets }) => ![...groupsOf(facets)].some((group) => said.has(group)));
    taken.push(...run.filter((item) => !stays.includes(item)), ...items.slice(i, behind));
    items.splice(first, items.length, ...stays, ...rest);
    i = first + stays.length;
  }
  return { items, void: taken };
};
