/** Makes the snippet of a search result: the part of the text with the best matches, with these marked. */
import { words, type Word } from './search-words.ts';

const DEFAULT_MAX_CHARS = 240;
/** At most this many characters are scanned from the first plausible match on, because words cost 0.1 ms per 1,000 characters. */
const MAX_SCANNED = 20_000;

/**
 * Returns the best window of a text for search terms (from `parseQuery`): the one with the most different terms, then the most
 * matches, then the earliest. It is plain text on one line with `**matches**` marked and `…` where text is left out, and at most
 * `max_chars` characters of the text (default 240). Without matches it is the start of the text.
 */
export const snippet = (content: string, terms: readonly string[], options: { max_chars?: number } = {}): string => {
  const maxChars = options.max_chars ?? DEFAULT_MAX_CHARS;
  const hits = findHits(content, terms);
  const [first, last] = densest(hits, maxChars);
  const [start, end] = around(content, hits[first]?.start ?? 0, hits[last]?.end ?? 0, maxChars);
  const marked = mark(content, hits, start, end).replace(/\s+/g, ' ').trim();
  return (start > 0 ? '…' : '') + marked + (end < content.length ? '…' : '');
};

const findHits = (content: string, terms: readonly string[]): Word[] => {
  const wanted = new Set(terms);
  let from = 0;
  if (content.length > MAX_SCANNED) {
    const lower = content.toLowerCase();
    const places = terms.map((term) => lower.indexOf(term.replace(/e$/, ''))).filter((place) => place >= 0);
    // The scan starts at a space, so that no word is read from its middle.
    from = lower.length === content.length && places.length > 0 ? content.lastIndexOf(' ', Math.min(...places)) + 1 : 0;
  }
  return Array.from(words(content.slice(from, from + MAX_SCANNED)))
    .filter(({ term }) => wanted.has(term))
    .map(({ term, start, end }) => ({ term, start: start + from, end: end + from }));
};

/** Returns the first and last index of the matches in the best window. */
const densest = (hits: readonly Word[], maxChars: number): [number, number] => {
  const inside = new Map<string, number>();
  let best: [number, number] = [0, 0];
  let bestScore = 0;
  let first = 0;
  for (const [last, hit] of hits.entries()) {
    inside.set(hit.term, (inside.get(hit.term) ?? 0) + 1);
    for (let out = hits[first]; out && hit.end - out.start > maxChars && first < last; out = hits[++first]) {
      const left = (inside.get(out.term) ?? 0) - 1;
      if (left > 0) inside.set(out.term, left);
      else inside.delete(out.term);
    }
    const score = inside.size * 1_000_000 + (last - first);
    if (score > bestScore) {
      bestScore = score;
      best = [first, last];
    }
  }
  return best;
};

/** Widens the span to `maxChars`, with a third of the extra text before it, and then shortens it to whole words. */
const around = (content: string, from: number, to: number, maxChars: number): [number, number] => {
  const room = Math.max(0, maxChars - (to - from));
  let start = Math.max(0, from - Math.floor(room / 3));
  let end = Math.min(content.length, start + maxChars);
  start = Math.max(0, Math.min(start, end - maxChars));
  if (start > 0) start = wordStart(content, start, from);
  if (end < content.length) {
    const space = content.lastIndexOf(' ', end);
    if (space > Math.max(to, start)) end = space;
    else if (isLowSurrogate(content, end)) end--;
  }
  return [start, end];
};

const wordStart = (content: string, start: number, from: number): number => {
  const space = content.indexOf(' ', start);
  if (space >= 0 && space < from) return space + 1;
  return isLowSurrogate(content, start) ? start + 1 : start;
};

const isLowSurrogate = (text: string, at: number): boolean => /[\udc00-\udfff]/.test(text.charAt(at));

const mark = (content: string, hits: readonly Word[], start: number, end: number): string => {
  let text = '';
  let at = start;
  for (const span of joined(hits)) {
    if (span.start < at || span.end > end) continue;
    text += `${content.slice(at, span.start)}**${content.slice(span.start, span.end)}**`;
    at = span.end;
  }
  return text + content.slice(at, end);
};

/** Joins matches that touch or overlap, as pairs of CJK characters do. */
const joined = (hits: readonly Word[]): { start: number; end: number }[] => {
  const spans: { start: number; end: number }[] = [];
  for (const { start, end } of hits) {
    const last = spans.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else spans.push({ start, end });
  }
  return spans;
};
