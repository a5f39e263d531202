/**
 * Blanks sensitive values (who wrote a trace, where its chat is) wherever they occur in free text: whole words only, in any
 * spelling of the same text (folded-words.ts), and percent-encoded as in URLs.
 */
import { resultOf } from '../text/result-of.ts';
import { foldedWords, hashOf, unescaped, visitingWords } from '../text/folded-words.ts';
import { buildingAutomaton, type Begun, type Ending, type Rest, type Sequence } from '../text/word-automaton.ts';
import { sha256Hex } from './canonical-json.ts';

export const BLANK = '[redacted]';
/** One character would blank every initial and, where words have no spaces, parts of words. */
const SHORTEST = 2;

/** A part of a text: [start, end). */
export type Place = [start: number, end: number];

/** Finds values in a text: at once, or in steps where the text may be long. */
export type Find = ((text: string) => Place[]) & { inSteps?: (text: string) => Steps<Place[]> };
type Steps<T> = Generator<undefined, T>;

const findBy = (inSteps: (text: string) => Steps<Place[]>): Find =>
  Object.assign((text: string) => resultOf(inSteps(text)), { inSteps });

function* findingBy(find: Find, text: string): Steps<Place[]> {
  return find.inSteps ? yield* find.inSteps(text) : find(text);
}

/** Finds spellings in texts, of all or of those that count. It takes some `bytes` of memory. */
export type Finder = { bytes: number; asking: (counts?: (spelling: number) => boolean) => Find };

/**
 * Words under which a value is looked for, as one text, and the rest of a long value. The rest has no words of its own, so that a
 * long value takes no more memory than a short one. Where another rest has the same hash, too much is blanked.
 */
export type Spelling = { words: string; rest: Rest | undefined };

/** No word contains these, since control characters are ignored. */
const [BETWEEN, HASHED] = ['\0', '\u0001'];

/** A longer word is compared by its hash. */
const LONGEST_WORD = 64;
const keyOf = (word: string): string =>
  word.length <= LONGEST_WORD ? word : `${HASHED}${hashOf(word)} ${sha256Hex(word)}`;
const hashOfKey = (key: string): number => (key.startsWith(HASHED) ? Number.parseInt(key.slice(1), 10) : hashOf(key));

/** Of a longer value its first words are looked for, and what follows is compared by a hash. */
const MOST_WORDS = 64;
const MOST_CHARACTERS = 200;

/** The hash of some words is a polynomial in this number, so that the hash of a part follows from those of two beginnings. */
const BASE = 0x01000193;
const withWord = (hash: number, word: number): number => (Math.imul(hash, BASE) + word) | 0;

const restOf = (words: readonly string[]): Rest => ({
  words: words.length,
  hash: words.reduce((hash, word) => withWord(hash, hashOf(word)), 0),
  power: words.reduce((power) => Math.imul(power, BASE), 1),
});

const spellingOf = (words: readonly string[]): Spelling => {
  let [count, characters] = [0, 0];
  while (count < Math.min(words.length, MOST_WORDS) && characters < MOST_CHARACTERS)
    characters += (words[count++] as string).length;
  const rest = words.length > count ? restOf(words.slice(count)) : undefined;
  return { words: words.slice(0, count).map(keyOf).join(BETWEEN), rest };
};

const wordsOf = (value: string): string[] => {
  const words = foldedWords(value.trim());
  const [from, to] = [words[0] === ' ' ? 1 : 0, words.at(-1) === ' ' ? -1 : words.length];
  return words.slice(from, to);
};

const IS_URL = /:\/\/|%[0-9a-f]{2}/i;

/** The spellings under which a value is looked for: itself, and a URL without its percent-encoding too. */
export const spellingsOf = (value: string): Spelling[] =>
  [value, (IS_URL.test(value) && unescaped(value)?.text) || '']
    .map(wordsOf)
    .filter((words) => {
      const text = words.join('');
      const isLong = text.length > 100 || Array.from(text.normalize('NFC')).length >= SHORTEST;
      return isLong && text !== 'redacted' && text !== BLANK;
    })
    .map(spellingOf);

/** Adds a place that ends no earlier than those before it. Overlapping ones become one. */
const addPlace = (places: Place[], start: number, end: number): void => {
  let last = places.at(-1);
  if (last && last[0] <= start && start < last[1]) {
    last[1] = end;
    return;
  }
  let from = start;
  for (; last && from < last[1]; last = places.at(-1)) {
    from = Math.min(from, last[0]);
    places.pop();
  }
  places.push([from, end]);
};

/** The places in order, where overlapping ones are one. */
const united = (places: Place[]): Place[] => {
  const found: Place[] = [];
  for (const [start, end] of places.toSorted((a, b) => a[1] - b[1])) addPlace(found, start, end);
  return found;
};

/** Compares what follows the beginnings of long values. The words after the first beginning are kept until the text ends. */
const createRests = () => {
  const ends: number[] = [];
  /** The hashes of the first words that are kept. */
  const hashes = [0];
  /** For each beginning the number of words that are kept before its rest, where its words start, how many they are, and whose it is. */
  const froms: number[] = [];
  const startsOf: (readonly number[])[] = [];
  const lengths: number[] = [];
  const begun: (readonly Begun[])[] = [];
  /** Where a rest that begins at a kept word ends; 0 where it does not follow. */
  const endOf = (from: number, { words, hash, power = 0 }: Begun['rest']): number => {
    const to = hash === undefined ? Math.min(from + words, ends.length) : from + words;
    if (to > ends.length || to === from) return 0;
    const found = ((hashes[to] as number) - Math.imul(hashes[from] as number, power)) | 0;
    return hash === undefined || found === hash ? (ends[to - 1] as number) : 0;
  };
  return {
    word: (hash: number, end: number): void => {
      hashes.push(withWord(hashes[ends.length] as number, hash));
      ends.push(end);
    },
    /** @param starts where the words until here start, to which words after this one may be added */
    begin: (starts: readonly number[], of: readonly Begun[]): void => {
      froms.push(ends.length);
      startsOf.push(starts);
      lengths.push(starts.length);
      begun.push(of);
    },
    /** What begins at one word overlaps. */
    places: (): Place[] => {
      const places: Place[] = [];
      for (let i = 0; i < begun.length; i++)
        for (const one of begun[i] as readonly Begun[]) {
          const until = endOf(froms[i] as number, one.rest);
          if (until === 0) continue;
          const start = startsOf[i]?.[(lengths[i] as number) - one.length] as number;
          const last = places.at(-1);
          if (last && start >= last[0] && start < last[1]) last[1] = Math.max(last[1], until);
          else places.push([start, until]);
        }
      return places;
    },
  };
};

function* inWords(spellings: Iterable<Spelling>): Generator<Sequence> {
  for (const { words, rest } of spellings) yield { words: words.split(BETWEEN), rest };
}

const BYTES_PER_STATE = 24;

/**
 * Builds a finder of these spellings, in steps. It finds in a time that is linear in the text, whatever their number and however
 * they begin alike.
 */
export function* buildingFinder(spellings: Iterable<Spelling>): Generator<undefined, Finder> {
  const automaton = yield* buildingAutomaton(inWords(spellings));
  if (automaton.words.size === 0) return { bytes: 0, asking: () => () => [] };
  // Most words of a text are passed over by their hash alone. Between values only the first words of values count.
  const size = 2 ** Math.min(22, 9 + Math.ceil(Math.log2(automaton.words.size + 1)));
  const [first, any] = [new Uint8Array(size), new Uint8Array(size)];
  for (const [word, id] of automaton.words) {
    const at = hashOfKey(word) & (size - 1);
    any[at] = 1;
    if (automaton.after(0, id) !== 0) first[at] = 1;
  }

  const finding = function* (text: string, endingIn: (state: number) => Ending): Steps<Place[]> {
    const places: Place[] = [];
    let rests: ReturnType<typeof createRests> | undefined;
    let state = 0;
    /** Where the words since the last state 0 start. */
    let starts: number[] = [];
    yield* visitingWords(text, {
      wants: (hash) => (state === 0 ? first : any)[hash & (size - 1)] === 1,
      word: (word, start, end, hash) => {
        rests?.word(hash, end);
        const id = word === null ? undefined : automaton.words.get(keyOf(word));
        state = id === undefined ? 0 : automaton.after(state, id);
        if (state === 0) {
          if (starts.length) starts = [];
          return;
        }
        starts.push(start);
        const { length, begun } = endingIn(state);
        if (length) addPlace(places, starts[starts.length - length] as number, end);
        if (begun.length) (rests ??= createRests()).begin(starts, begun);
      },
    });
    const long = rests?.places() ?? [];
    return long.length ? united(places.concat(long)) : places;
  };

  const asking: Finder['asking'] = (counts = () => true) => {
    const endingIn = automaton.asking(counts);
    return findBy(function* (text) {
      const places = yield* finding(text, endingIn);
      const decoded = unescaped(text);
      const more = decoded ? yield* finding(decoded.text, endingIn) : [];
      if (!decoded || !more.length) return places;
      const back = more.map(([start, end]): Place => [
        decoded.starts[start] as number,
        decoded.ends[end - 1] as number,
      ]);
      return united(places.concat(back));
    });
  };
  return { bytes: 2 * size + BYTES_PER_STATE * automaton.states, asking };
}

/** Builds a finder of a few values. */
export const createFinder = (values: readonly string[]): Find =>
  resultOf(buildingFinder(values.flatMap(spellingsOf))).asking();

/** Finds what any of these find. */
export const findAny = (finds: readonly Find[]): Find =>
  finds.length === 1
    ? (finds[0] as Find)
    : findBy(function* (text) {
        const found: Place[][] = [];
        for (const find of finds) {
          const places = yield* findingBy(find, text);
          if (places.length) found.push(places);
        }
        return found.length > 1 ? united(found.flat()) : (found[0] ?? []);
      });

const blankedAt = (text: string, places: readonly Place[]): string => {
  if (!places.length) return text;
  let out = '';
  let copied = 0;
  for (const [start, end] of places) {
    out += text.slice(copied, start) + BLANK;
    copied = end;
  }
  return out + text.slice(copied);
};

/** Returns a function that replaces what is found. */
export const blankedBy =
  (find: Find) =>
  (text: string): string =>
    blankedAt(text, find(text));

/** Works as blankedBy, in steps. */
export const blankingBy = (find: Find) =>
  function* (text: string): Steps<string> {
    return blankedAt(text, yield* findingBy(find, text));
  };

/** Returns a function that replaces every occurrence of these values by `[redacted]`, overlapping occurrences as one. */
export const redact = (values: readonly string[]): ((text: string) => string) => blankedBy(createFinder(values));

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
    const free = createFreeNames(members);
    for (const [key, item] of Object.entries(value)) members.set(names ? free(blank(key)) : key, walk(item));
    return Object.fromEntries(members);
  };
  return walk as <T>(value: T) => T;
};

/** Returns what gives a name that is not taken yet. It tries no numbered name twice. */
const createFreeNames = (taken: ReadonlyMap<string, unknown>): ((name: string) => string) => {
  const tried = new Map<string, number>();
  return (name) => {
    for (let n = (tried.get(name) ?? 0) + 1; ; n++) {
      const free = n === 1 ? name : `${name} ${n}`;
      tried.set(name, n);
      if (!taken.has(free)) return free;
    }
  };
};
