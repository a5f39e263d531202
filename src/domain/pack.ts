/** Which results of a summary export are kept when they don't all fit the caller's token budget. */
import { millis, type Instant } from './time.ts';
import { countTokens } from './tokens.ts';

export type PackItem = {
  key: string;
  /** The result exactly as it will be serialised. */
  json: string;
  /** Higher is kept first; see `usefulness`. */
  score: number;
  timestamp: Instant;
};

export type Packed = {
  /** Keys of the kept items, in the order given. */
  keys: string[];
  /** What was left out, null where nothing was. */
  omitted: { count: number; oldest: Instant; newest: Instant } | null;
  /** Tokens of `[a,b,c]` as kept, without the overhead. */
  token_count: number;
};

/** Items in a row that did not fit before the rest is left out: bounds the counting to the budget, not to the input. */
const MAX_MISSES = 50;
/** JSON of summaries has 3 to 5 characters a token; an item this long for what is left is not worth counting. */
const MAX_CHARS_PER_TOKEN = 10;

/**
 * Keeps the items of highest score so that `[a,b,c]` and `overhead` tokens beside it stay within `max_token_count`, counted with
 * o200k: never exceeded. Equal scores: the newer first. Time grows with the budget, and n log n with the items.
 */
export const packSummaries = (items: readonly PackItem[], max_token_count: number, overhead = 0): Packed => {
  const budget = max_token_count - overhead;
  const chosen = withinBudget(byUsefulness(items), budget);
  let kept = inOrder(items, chosen);
  let tokens = countTokens(asArray(kept));
  // Tokens of the parts and of the whole can differ where they meet, so the whole has the last word.
  while (tokens > budget && kept.length > 0) {
    const dropped = Math.max(1, Math.ceil((tokens - budget) / 100));
    for (const item of [...chosen].slice(-dropped)) chosen.delete(item);
    kept = inOrder(items, chosen);
    tokens = countTokens(asArray(kept));
  }
  return { keys: kept.map(({ key }) => key), omitted: omission(items, chosen), token_count: tokens };
};

const byUsefulness = (items: readonly PackItem[]): PackItem[] =>
  items.toSorted((a, b) => b.score - a.score || (a.timestamp < b.timestamp ? 1 : a.timestamp > b.timestamp ? -1 : 0));

/** The best items whose own tokens add up to at most the budget, best first. */
const withinBudget = (ranked: readonly PackItem[], budget: number): Set<PackItem> => {
  const chosen = new Set<PackItem>();
  let left = budget - countTokens('[]');
  let misses = 0;
  for (const item of ranked) {
    if (misses > MAX_MISSES) break;
    const tokens = item.json.length > left * MAX_CHARS_PER_TOKEN ? Infinity : countTokens(`${item.json},`);
    if (tokens > left) {
      misses++;
      continue;
    }
    chosen.add(item);
    left -= tokens;
    misses = 0;
  }
  return chosen;
};

const inOrder = (items: readonly PackItem[], chosen: ReadonlySet<PackItem>): PackItem[] =>
  items.filter((item) => chosen.has(item));

const asArray = (items: readonly PackItem[]): string => `[${items.map(({ json }) => json).join(',')}]`;

const omission = (items: readonly PackItem[], chosen: ReadonlySet<PackItem>): Packed['omitted'] => {
  const first = items.find((item) => !chosen.has(item));
  if (!first) return null;
  const omitted = { count: 0, oldest: first.timestamp, newest: first.timestamp };
  for (const item of items) {
    if (chosen.has(item)) continue;
    omitted.count++;
    if (item.timestamp < omitted.oldest) omitted.oldest = item.timestamp;
    if (item.timestamp > omitted.newest) omitted.newest = item.timestamp;
  }
  return omitted;
};

const HALF_LIFE_DAYS = 14;
const DAY_MS = 86_400_000;

/**
 * How useful a trace is to an agent about to work: recent (1, halved every 14 days before `newest`), rated (-0.5 for 1 to 0.5 for
 * 5), linked (up to 0.5). `newest` is the newest timestamp exported, not the clock, so that the same state gives the same bytes.
 */
export const usefulness = (
  trace: { timestamp: Instant; feedback_rating?: number | null; links: number },
  newest: Instant,
): number => {
  const days = Math.max(0, millis(newest) - millis(trace.timestamp)) / DAY_MS;
  const rated = trace.feedback_rating == null ? 0 : (trace.feedback_rating - 3) / 4;
  return 0.5 ** (days / HALF_LIFE_DAYS) + rated + Math.min(0.5, trace.links / 10);
};
