/** The automaton of Aho and Corasick over words: it finds any of many sequences of words in one pass. */

/** What follows the words of a sequence that is too long to be looked for whole: the number of its words and their hash. */
export type Rest = { words: number; hash: number; power: number };
export type Sequence = { words: readonly string[]; rest?: Rest | undefined };

/** A sequence of which the first words end in a state, `length` of them. Without a hash any rest of that length will do. */
export type Begun = { length: number; rest: { words: number; hash?: number; power?: number } };
/** What ends in a state: the length of the longest whole sequence, 0 where there is none, and the beginnings of longer ones. */
export type Ending = { length: number; begun: readonly Begun[] };

export type Automaton = {
  /** The number of each word that occurs in a sequence. */
  words: ReadonlyMap<string, number>;
  states: number;
  /** The state after another word. State 0 is the beginning of no sequence. */
  after: (state: number, word: number) => number;
  /**
   * Returns what says what ends in a state, of the sequences that count. It finds the answer for a state once, so the work does
   * not depend on how many sequences end there.
   */
  asking: (counts: (sequence: number) => boolean) => (state: number) => Ending;
};

/** The rests of at most this number of sequences are compared at one place. */
const MOST_BEGUN = 64;
const NOTHING: Ending = { length: 0, begun: [] };

const doubled = (list: Int32Array): Int32Array<ArrayBuffer> => {
  const larger = new Int32Array(2 * list.length);
  larger.set(list);
  return larger;
};

/** The states and edges, 12 bytes each. Most states have one edge, which is not worth a Map. */
const createEdges = () => {
  let states = 1;
  let depths = new Int32Array(256);
  let onlyWord = new Int32Array(256);
  /** 0 where there is no edge. */
  let onlyNext = new Int32Array(256);
  const more = new Map<number, Map<number, number>>();
  const find = (state: number, word: number): number => {
    const next = onlyNext[state] as number;
    return next === 0 || onlyWord[state] === word ? next : (more.get(state)?.get(word) ?? 0);
  };
  const add = (state: number, word: number): number => {
    const known = find(state, word);
    if (known) return known;
    if (states === depths.length)
      [depths, onlyWord, onlyNext] = [doubled(depths), doubled(onlyWord), doubled(onlyNext)];
    const made = states++;
    depths[made] = (depths[state] as number) + 1;
    if (onlyNext[state] === 0) [onlyWord[state], onlyNext[state]] = [word, made];
    else {
      const others = more.get(state);
      if (others) others.set(word, made);
      else more.set(state, new Map([[word, made]]));
    }
    return made;
  };
  const each = function* (state: number): Generator<[word: number, next: number]> {
    if (onlyNext[state] !== 0) yield [onlyWord[state] as number, onlyNext[state] as number];
    yield* more.get(state) ?? [];
  };
  return { states: () => states, depth: (state: number): number => depths[state] as number, find, add, each };
};

/** What ends in a state, of its own sequences and of the shorter ones. */
const joined = (length: number, begun: Begun[], shorter: Ending): Ending => {
  if (length === 0 && !begun.length) return shorter;
  const all = [...begun, ...shorter.begun];
  const longest = (of: (one: Begun) => number): number => all.reduce((most, one) => Math.max(most, of(one)), 0);
  const any = { length: longest((one) => one.length), rest: { words: longest((one) => one.rest.words) } };
  return { length: length || shorter.length, begun: all.length > MOST_BEGUN ? [any] : all };
};

/** Builds the automaton. */
export function* buildingAutomaton(sequences: Iterable<Sequence>): Generator<undefined, Automaton> {
  const words = new Map<string, number>();
  const { states, depth, find, add, each } = createEdges();
  /** The last sequence that ends in a state, and for each sequence the one before it in the same state. */
  const last = new Map<number, number>();
  const before: (number | undefined)[] = [];
  const rests = new Map<number, Rest>();
  for (const sequence of sequences) {
    yield;
    let state = 0;
    for (const word of sequence.words) {
      let id = words.get(word);
      if (id === undefined) words.set(word, (id = words.size));
      state = add(state, id);
    }
    const number = before.push(last.get(state)) - 1;
    last.set(state, number);
    if (sequence.rest) rests.set(number, sequence.rest);
  }

  /** The state of the longest shorter suffix, and the nearest state from each on in which a sequence ends; 0 where none does. */
  const fails = new Int32Array(states());
  const ending = new Int32Array(states());
  const after = (from: number, word: number): number => {
    for (let state = from; ; state = fails[state] as number) {
      const next = find(state, word);
      if (next !== 0 || state === 0) return next;
    }
  };
  const queue = new Int32Array(states());
  for (let i = 0, queued = 1; i < queued; i++) {
    yield;
    const state = queue[i] as number;
    for (const [word, next] of each(state)) {
      const fail = state === 0 ? 0 : after(fails[state] as number, word);
      fails[next] = fail;
      ending[next] = last.has(next) ? next : (ending[fail] as number);
      queue[queued++] = next;
    }
  }

  const asking = (counts: (sequence: number) => boolean): ((state: number) => Ending) => {
    const known = new Map<number, Ending>();
    const endingIn = (state: number, shorter: Ending): Ending => {
      let length = 0;
      const begun: Begun[] = [];
      for (let one = last.get(state); one !== undefined; one = before[one]) {
        if (!counts(one)) continue;
        const rest = rests.get(one);
        if (rest) begun.push({ length: depth(state), rest });
        else length = depth(state);
      }
      return joined(length, begun, shorter);
    };
    const learn = (nearest: number): Ending => {
      const asked: number[] = [];
      let answer: Ending = NOTHING;
      for (let state = nearest; state !== 0; state = ending[fails[state] as number] as number) {
        const found = known.get(state);
        if (found) {
          answer = found;
          break;
        }
        asked.push(state);
      }
      for (const state of asked.reverse()) known.set(state, (answer = endingIn(state, answer)));
      return answer;
    };
    return (state) => {
      const nearest = ending[state] as number;
      return nearest === 0 ? NOTHING : (known.get(nearest) ?? learn(nearest));
    };
  };
  return { words, states: states(), after, asking };
}
