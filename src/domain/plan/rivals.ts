/** Which proposals compete for the same time: for each of a page its rivals, counted exactly and the first of them named. */
import type { Span } from '../time/spans.ts';

export type Wish = { uid: string; span: Span };
export type Rivals = { count: number; uids: string[] };

/** How many of the ascending numbers are less than `limit`. */
const below = (sorted: readonly number[], limit: number): number => {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] as number) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
};

/**
 * The rivals of each wish in `asked`: the others of `all` whose time overlaps its own. Their count is the number of those that
 * start before its end, less those that end before its start; at most `most` are named, soonest first.
 * O(n log n) for the whole; naming stops as soon as the rivals, or `most` of them, are found.
 */
export const rivalsOf = (asked: readonly Wish[], all: readonly Wish[], most: number): Map<string, Rivals> => {
  const wishes = all.toSorted((a, b) => a.span[0] - b.span[0] || (a.uid < b.uid ? -1 : 1));
  const starts = wishes.map(({ span }) => span[0]);
  const ends = wishes.map(({ span }) => span[1]).sort((a, b) => a - b);
  const present = new Set(wishes.map(({ uid }) => uid));
  const longest = wishes.reduce((length, { span: [from, to] }) => Math.max(length, to - from), 0);
  const named = ({ uid, span: [from, to] }: Wish): Rivals => {
    const count = below(starts, to) - below(ends, from + 1) - (present.has(uid) ? 1 : 0);
    const uids: string[] = [];
    for (let i = below(starts, from - longest); uids.length < Math.min(count, most); i++) {
      const other = wishes[i];
      if (!other) break;
      if (other.uid !== uid && other.span[0] < to && other.span[1] > from) uids.push(other.uid);
    }
    return { count, uids };
  };
  return new Map(asked.map((wish) => [wish.uid, named(wish)]));
};
