/** Blanks sensitive values (who wrote a trace, where its chat is) wherever they occur in free text. */

const BLANK = '[redacted]';
/** A shorter value would blank half of every text. */
const SHORTEST = 3;

/**
 * Returns a function that replaces every occurrence of these values by `[redacted]`: literally, in any letter case, overlapping
 * occurrences as one. Values of under 3 characters are ignored. The time is linear in the text times the logarithm of the number
 * of values, so it can serve an export with 100,000 values.
 */
export const redact = (values: readonly string[]): ((text: string) => string) => {
  const sorted = [...new Set(values.map((value) => fold(value.trim())))]
    .filter((value) => value.length >= SHORTEST)
    .sort(byCodeUnit);
  if (sorted.length === 0) return (text) => text;
  const shorter = prefixes(sorted);
  const longest = sorted.reduce((most, value) => Math.max(most, value.length), 0);
  const starts = new Uint8Array(65_536);
  for (const value of sorted) starts[hash(value, 0)] = 1;
  return (text) => {
    const folded = fold(text);
    let out = '';
    let copied = 0;
    for (let at = 0; at <= folded.length - SHORTEST; at++) {
      if (starts[hash(folded, at)] === 0) continue;
      const end = at + longestAt(sorted, shorter, folded.slice(at, at + longest));
      if (end === at) continue;
      if (at >= copied) out += text.slice(copied, at) + BLANK;
      copied = Math.max(copied, end);
    }
    return copied === 0 ? text : out + text.slice(copied);
  };
};

/**
 * Works as `redact` on every string in a JSON value and returns a new value. With `names` it also blanks the names of members;
 * names that become equal are numbered.
 */
export const redactDeep = (values: readonly string[], { names = false } = {}): (<T>(value: T) => T) => {
  const blank = redact(values);
  const walk = (value: unknown): unknown => {
    if (typeof value === 'string') return blank(value);
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    const members = new Map<string, unknown>();
    for (const [key, item] of Object.entries(value)) members.set(names ? nameIn(members, blank(key)) : key, walk(item));
    return Object.fromEntries(members);
  };
  return walk as <T>(value: T) => T;
};

/** Returns a name that is not taken yet. */
const nameIn = (members: ReadonlyMap<string, unknown>, name: string): string => {
  for (let n = 2, free = name; ; n++) {
    if (!members.has(free)) return free;
    free = `${name} ${n}`;
  }
};

/** Lower-cases each code unit on its own, so that positions in the folded text are those of the text. */
const fold = (text: string): string => {
  const lower = text.toLowerCase().replaceAll('ς', 'σ');
  if (lower.length === text.length) return lower;
  return Array.from(text, (character) => {
    const folded = character.toLowerCase();
    return folded.length === character.length ? folded : character;
  })
    .join('')
    .replaceAll('ς', 'σ');
};

const byCodeUnit = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const hash = (text: string, at: number): number =>
  (text.charCodeAt(at) * 961 + text.charCodeAt(at + 1) * 31 + text.charCodeAt(at + 2)) & 0xffff;

/** For each value the index of the longest other value with which it begins, or -1. */
const prefixes = (sorted: readonly string[]): Int32Array => {
  const shorter = new Int32Array(sorted.length).fill(-1);
  for (const [i, value] of sorted.entries()) {
    let candidate = i - 1;
    while (candidate >= 0 && !value.startsWith(sorted[candidate] ?? '')) candidate = shorter[candidate] ?? -1;
    shorter[i] = candidate;
  }
  return shorter;
};

/**
 * Returns the length of the longest value with which the text begins, or 0. All such values sort at or before the text, and each
 * is a prefix of the next.
 */
const longestAt = (sorted: readonly string[], shorter: Int32Array, text: string): number => {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? '') <= text) low = middle + 1;
    else high = middle;
  }
  for (let i = low - 1; i >= 0; i = shorter[i] ?? -1) {
    const value = sorted[i] ?? '';
    if (text.startsWith(value)) return value.length;
  }
  return 0;
};
