/** Which results of a summary export are kept when they don't all fit the caller's token budget. */
import { countTokens } from './tokens.ts';

/** Results that did not fit before the rest is left out: bounds what is looked at by the budget, not by what there is. */
const MAX_MISSES = 200;
/** The shortest result there can be has more: its timestamp alone is 8 groups of digits with 7 signs between them. */
const LEAST_TOKENS = 20;
/** JSON of summaries has 3 to 5 characters a token; a result this long for what is left is not worth counting. */
const MAX_CHARS_PER_TOKEN = 12;
/** What every result begins with. No token reaches over it, so that the pieces between add up to the whole, exactly. */
const BEGIN = '{"';

export type Packer = {
  /** Offers the next best result, exactly as it will be serialised: an object whose first member's name begins with a letter. */
  offer: (json: string) => boolean;
  /** No further result is looked at. */
  isFull: () => boolean;
  /** Tokens of `[a,b,c]` as kept, at most, in whatever order. */
  tokens: () => number;
  /** Results that will be looked at, at most. */
  most: number;
};

/**
 * Takes results, best first, while `[a,b,c]` stays within `max_token_count`, counted with o200k: never exceeded. One too long
 * for what is left is passed over, so that smaller ones after it find room.
 */
export const createPacker = (max_token_count: number): Packer => {
  // Opening bracket and first BEGIN; every result adds the rest of itself and what leads to the next.
  let tokens = countTokens(`[${BEGIN}`);
  /** What it adds at most that one of them leads to "]" instead: which, is not known yet. */
  let closing = 0;
  let kept = 0;
  let misses = 0;
  const take = (json: string): boolean => {
    const left = max_token_count - tokens;
    if (json.length > left * MAX_CHARS_PER_TOKEN) return false;
    const rest = json.slice(BEGIN.length);
    const own = countTokens(`${rest},${BEGIN}`);
    const end = Math.max(closing, countTokens(`${rest}]`) - own);
    if (own + end > left) return false;
    tokens += own;
    closing = end;
    kept++;
    return true;
  };
  return {
    most: Math.ceil(max_token_count / LEAST_TOKENS) + MAX_MISSES,
    isFull: () => misses >= MAX_MISSES || tokens + LEAST_TOKENS > max_token_count,
    tokens: () => (kept ? tokens + closing : countTokens('[]')),
    offer: (json) => {
      const isTaken = take(json);
      if (!isTaken) misses++;
      return isTaken;
    },
  };
};
