/**
 * Blanks sensitive values (who wrote a trace, where its chat is) wherever they occur in free text: whole words only, in any
 * spelling of the same text (folded-words.ts), and percent-encoded as in URLs.
 */
import { eachWord, foldedWords, hashOf, unescaped } from '../text/folded-words.ts';
import { buildingAutomaton } from '../text/word-automaton.ts';

export const BLANK = '[redacted]';
/** One character would blank every initial and, where words have no spaces, parts of words. */
const SHORTEST = 2;

/** A part of a text: [start, end). */
export type Place = [start: number, end: number];

/** Finds values in texts. @param isHidden whether the value with this number counts */
export type Finder = (text: string, isHidden?: (value: number) => boolean) => Place[];

const wordsOf = (value: string): string[] => {
  const words = foldedWords(value.trim());
  const [from, to] = [words[0] === ' ' ? 1 : 0, words.at(-1) === ' ' ? -1 : words.length];
  return words.slice(from, to);
};

const IS_URL = /:\/\/|%[0-9a-f]{2}/i;

/** The spellings under which a value is looked for: itself, and a URL without its percent-encoding too. */
const spellings = (value: string): string[][] =>
  [value, (IS_URL.test(value) && unescaped(value)?.text) || ''].map(wordsOf).filter((words) => {
    const text = words.join('');
    return Array.from(text.normalize('NFC')).length >= SHORTEST && text !== 'redacted' && text !== BLANK;
  });

/** The places in order, where overlapping ones are one. */
const united = (places: Place[]): Place[] => {
  const found: Place[] = [];
  for (const [start, end] of places.toSorted((a, b) => a[0] - b[0] || b[1] - a[1])) {
    const last = found.at(-1);
    if (last && start < last[1]) last[1] = Math.max(last[1], end);
    else found.push([start, end]);
  }
  return found;
};

function* inWords(values: readonly string[]): Generator<string[][]> {
  for (const value of values) yield spellings(value);
}

/**
 * Builds a finder of these values, in steps. It finds in a time that is linear in the text, whatever their number and however
 * they begin alike.
 */
export function* buildingFinder(values: readonly string[]): Generator<undefined, Finder> {
  const automaton = yield* buildingAutomaton(inWords(values));
  if (automaton.words.size === 0) return () => [];
  // Most words of a text are passed over by their hash alone. Between values only the first words of values count.
  const size = 2 ** Math.min(22, 12 + Math.ceil(Math.log2(automaton.words.size + 1)));
  const [first, any] = [new Uint8Array(size), new Uint8Array(size)];
  for (const [word, id] of automaton.words) {
    const at = hashOf(word) & (size - 1);
    any[at] = 1;
    if (automaton.after(0, id) !== 0) first[at] = 1;
  }

  const placesIn = (text: string, isHidden: (value: number) => boolean): Place[] => {
    const places: Place[] = [];
    let state = 0;
    /** Where the words since the last state 0 start. */
    let starts: number[] = [];
    eachWord(text, {
      wants: (hash) => (state === 0 ? first : any)[hash & (size - 1)] === 1,
      word: (word, start, end) => {
        const id = word === null ? undefined : automaton.words.get(word);
        state = id === undefined ? 0 : automaton.after(state, id);
        if (state === 0) {
          if (starts.length) starts = [];
          return;
        }
        starts.push(start);
        const depth = automaton.longestAt(state, isHidden);
        if (depth) places.push([starts[starts.length - depth] as number, end]);
      },
    });
    return places;
  };

  return (text, isHidden = () => true) => {
    const places = placesIn(text, isHidden);
    const decoded = unescaped(text);
    if (decoded)
      for (const [start, end] of placesIn(decoded.text, isHidden))
        places.push([decoded.starts[start] as number, decoded.ends[end - 1] as number]);
    return united(places);
  };
}

/** Builds a finder of a few values. */
export const createFinder = (values: readonly string[]): Finder => {
  const building = buildingFinder(values);
  for (;;) {
    const { done, value } = building.next();
    if (done) return value;
  }
};

/** Returns a function that replaces what the finders find. */
export const blankedBy =
  (find: (text: string) => Place[]) =>
  (text: string): string => {
    const places = find(text);
    if (!places.length) return text;
    let out = '';
    let copied = 0;
    for (const [start, end] of places) {
      out += text.slice(copied, start) + BLANK;
      copied = end;
    }
    return out + text.slice(copied);
  };

/** Returns a function that replaces every occurrence of these values by `[redacted]`, overlapping occurrences as one. */
export const redact = (values: readonly string[]): ((text: string) => string) => {
  const find = createFinder(values);
  return blankedBy((text) => find(text));
};

/** Unites what several finders find in a text. */
export const findAll = (places: Place[][]): Place[] => {
  const some = places.filter((one) => one.length);
  return some.length > 1 ? united(some.flat()) : (some[0] ?? []);
};

/**
 * Blanks every string in a JSON value and returns a new value. With `names` it also blanks the names of members; names that
 * become equal are numbered.
 */
export const blankDeep = (blank: (text: string) => string, { names = false } = {}): (<T>(value: T) => T) => {
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
