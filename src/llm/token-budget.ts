/** Keeps what the model is given within a number of tokens. It estimates, because the table of a tokenizer takes 60 MiB of memory. */
import { dataJson } from '../domain/text/data-json.ts';

const PLAIN = /[a-z ]/g;
/** Of ten languages with Latin letters, from English to Finnish and Vietnamese, none has more tokens than this. */
const PLAIN_OF_TOKEN = 3.5;

/**
 * An estimate of the tokens of o200k_base, which is rather too high: 7 small letters or spaces are 2 tokens, of other
 * characters 5 bytes are 3, as in dates, Chinese and emoji. Letters in no order, and rare scripts, have up to half more.
 */
export const costOf = (text: string): number => {
  const plain = text.match(PLAIN)?.length ?? 0;
  return plain / PLAIN_OF_TOKEN + (Buffer.byteLength(text) - plain) * 0.6;
};

/** What a value costs as JSON. */
export const costOfJson = (value: unknown): number => costOf(dataJson(value));

/** The text, cut where it costs more than `most`. No character is cut in half. */
export const clipped = (text: string, most: number): string => {
  const start = text.slice(0, Math.ceil(PLAIN_OF_TOKEN * most));
  if (start.length === text.length && costOfJson(text) <= most) return text;
  let left = most;
  let kept = '';
  for (const character of start) {
    left -= costOf(dataJson(character)) - COST_OF_QUOTES;
    if (left < 1) break;
    kept += character;
  }
  return `${kept.trimEnd()}…`;
};

const COST_OF_QUOTES = costOf('""');

const moreText = (count: number, what: string): string => `and ${count} more ${what}`;

/** The first lines that fit. */
export const fittingLines = (lines: Iterable<string>, most: number): string[] => {
  const kept: string[] = [];
  let left = most;
  for (const line of lines) {
    left -= costOfJson(line);
    if (left < 0) break;
    kept.push(line);
  }
  return kept;
};

/** The lines, and how many more there are. */
export const withMore = (lines: readonly string[], all: number, what: string): string[] =>
  lines.length < all ? [...lines, moreText(all - lines.length, what)] : [...lines];

const isMap = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/**
 * Settings with as many entries of their lists and dictionaries as fit, and how many more there are, such as `{ "time_ranges": [...],
 * "more": ["and 3 more task_overrides"] }`.
 */
export const fittingSettings = (settings: unknown, most: number): unknown => {
  if (!isMap(settings) || costOfJson(settings) <= most) return settings ?? null;
  const more: string[] = [];
  let left = most;
  const takes = (entry: unknown): boolean => {
    const cost = costOfJson(entry);
    if (cost > left) return false;
    left -= cost;
    return true;
  };
  const kept = Object.entries(settings).map(([name, member]) => {
    if (!isMap(member)) return [name, member];
    const all = Object.entries(member);
    const isList = Array.isArray(member);
    const fits = all.filter((entry) => takes(isList ? entry[1] : entry));
    if (fits.length < all.length) more.push(moreText(all.length - fits.length, name));
    return [name, isList ? fits.map(([, item]) => item) : Object.fromEntries(fits)];
  });
  return { ...Object.fromEntries(kept), more };
};
