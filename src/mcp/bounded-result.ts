/** Fits the result of a tool into its bound of tokens (o200k): long texts are shortened first, then items at the end are left out. */
import { dataJson } from '../domain/text/data-json.ts';
import { countTokens, fitsTokens } from '../domain/text/tokens.ts';
import type { Result } from './tool.ts';

export type Bounded = { result: Result; text: string; left_out: number };

/** Uids and codes have at most 255 characters, so no step shortens them. */
const STEPS = [4_000, 1_000, 300];
/** JSON of texts has 3 to 5 characters per token. A longer text is not counted, because that takes up to a second for a megabyte. */
const MAX_CHARS_PER_TOKEN = 8;
/** Members that are added to a result whose items were left out. */
const LEFT_OUT_TOKENS = 20;

/** Returns the value as text where it fits. Most values that are too long are recognised by their length. */
const fittingText = (value: Result, max_tokens: number): string | null => {
  if (JSON.stringify(value).length > max_tokens * MAX_CHARS_PER_TOKEN) return null;
  const text = dataJson(value);
  return fitsTokens(text, max_tokens) ? text : null;
};

const shortenText = (text: string, most: number): string =>
  text.length <= most
    ? text
    : `${text.slice(0, most).toWellFormed()}… [${text.length - most} more characters; ask for fewer items or allow more tokens]`;

const shorten = (value: unknown, most: number): unknown => {
  if (typeof value === 'string') return shortenText(value, most);
  if (Array.isArray(value)) return value.map((item) => shorten(item, most));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, shorten(part, most)]));
};

/** Counts the items that fit beside the rest of the result. Items are counted alone, which is a little more than within the list. */
const fittingItems = (result: Result, list: string, items: unknown[], max_tokens: number): number => {
  let left = max_tokens - countTokens(dataJson({ ...result, [list]: [] })) - LEFT_OUT_TOKENS;
  const beyond = items.findIndex((item) => (left -= countTokens(dataJson(item)) + 1) < 0);
  return beyond < 0 ? items.length : beyond;
};

const cutAfter = (result: Result, list: string, kept: number): { result: Result; left_out: number } => {
  const items = result[list] as unknown[];
  const left_out = items.length - kept;
  return { result: { ...result, [list]: items.slice(0, kept), ...(left_out ? { left_out } : {}) }, left_out };
};

/** Returns the result as it fits, or null where not even its frame does. */
export const bounded = (result: Result, list: string | undefined, max_tokens: number): Bounded | null => {
  const tryOut = (value: Result, left_out: number): Bounded | null => {
    const text = fittingText(value, max_tokens);
    return text === null ? null : { result: value, text, left_out };
  };
  const whole = tryOut(result, 0);
  if (whole) return whole;
  const shortened = STEPS.map((most) => shorten(result, most) as Result);
  for (const short of shortened) {
    const fit = tryOut(short, 0);
    if (fit) return fit;
  }
  if (!list) return null;
  for (const short of shortened.slice(1)) {
    const items = short[list] as unknown[];
    for (let kept = fittingItems(short, list, items, max_tokens); kept > 0; kept--) {
      const { result: cut, left_out } = cutAfter(short, list, kept);
      const fit = tryOut(cut, left_out);
      if (fit) return fit;
    }
  }
  const { result: none, left_out } = cutAfter(shortened.at(-1) as Result, list, 0);
  return tryOut(none, left_out);
};
