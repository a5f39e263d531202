/**
 * Finds proposals that compete for the same time. For each of a page it counts its rivals exactly and names the first of them.
 */
import type { Span } from '../time/spans.ts';

export type Wish = { uid: string; span: Span };
export type Rivals = { count: number; uids: string[] };

/** Counts the numbers of an ascending list that are less than `limit`. */
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
 * Finds the rivals of each wish in `asked`: the others in `all` whose time overlaps its own. Their number is that of the wishes
 * which start before its end, less those which end before its start. At most `most` are named, earliest first. O(n log n) for
 * all; naming stops when the rivals, or `most` of them, are found.
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
