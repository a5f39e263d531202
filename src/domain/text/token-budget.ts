/** Selects the results of a summary export that fit the caller's token budget. */
import { countTokens } from './tokens.ts';

/**
 * The search ends after this many results that did not fit, so its time depends on the budget and not on the number of results.
 */
const MAX_MISSES = 200;
/** Every result has more tokens, since its timestamp alone has 8 groups of digits with 7 signs between them. */
const LEAST_TOKENS = 20;
/**
 * JSON of summaries has 3 to 5 characters per token. A result with more characters than this for each remaining token is refused
 * without counting.
 */
const MAX_CHARS_PER_TOKEN = 12;
/**
 * Every result begins with this text. No token crosses it, so the tokens of the pieces between add up exactly to those of the
 * whole.
 */
const BEGIN = '{"';

export type Packer = {
  /**
   * Offers the next best result in its final serialised form, an object whose first member's name begins with a letter. Returns
   * whether it was kept.
   */
  offer: (json: string) => boolean;
  /** Returns true when no further result is considered. */
  isFull: () => boolean;
  /** Returns the most tokens that `[a,b,c]` of the kept results can have, in any order. */
  tokens: () => number;
  /** At most this many results are considered. */
  most: number;
};

/**
 * Keeps results, best first, while `[a,b,c]` has at most `max_token_count` tokens (o200k), which is never exceeded. A result that
 * is too long for the rest is skipped, so that smaller ones after it can still fit.
 */
export const createPacker = (max_token_count: number): Packer => {
  // The opening bracket and the first BEGIN. Every result adds its rest and the text up to the next one.
  let tokens = countTokens(`[${BEGIN}`);
  /** The most tokens that it can add when a result is followed by "]" instead. Which result will be last is not known yet. */
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
