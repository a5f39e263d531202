/** The automaton of Aho and Corasick over words: it finds any of many sequences of words in one pass. */

export type Automaton = {
  /** The number of each word that occurs in a sequence. */
  words: ReadonlyMap<string, number>;
  /** The state after another word. State 0 is the beginning of no sequence. */
  after: (state: number, word: number) => number;
  /** The length of the longest sequence that ends in a state, of those that count; 0 where none does. */
  longestAt: (state: number, counts: (sequence: number) => boolean) => number;
};

/** The states and edges. Most states have one edge, which is not worth a Map. */
const createEdges = () => {
  const depths = [0];
  const onlyWord = [-1];
  const onlyNext = [0];
  const more: (Map<number, number> | undefined)[] = [undefined];
  const find = (state: number, word: number): number =>
    onlyWord[state] === word ? (onlyNext[state] as number) : (more[state]?.get(word) ?? 0);
  const add = (state: number, word: number): number => {
    const known = find(state, word);
    if (known) return known;
    const made = depths.push((depths[state] as number) + 1) - 1;
    onlyWord.push(-1);
    onlyNext.push(0);
    more.push(undefined);
    if (onlyWord[state] === -1) [onlyWord[state], onlyNext[state]] = [word, made];
    else (more[state] ??= new Map()).set(word, made);
    return made;
  };
  const each = function* (state: number): Generator<[word: number, next: number]> {
    if (onlyWord[state] !== -1) yield [onlyWord[state] as number, onlyNext[state] as number];
    yield* more[state] ?? [];
  };
  return { depths, find, add, each };
};

/** Builds the automaton. @param sequences for each value its spellings in words */
export function* buildingAutomaton(sequences: Iterable<string[][]>): Generator<undefined, Automaton> {
  const words = new Map<string, number>();
  const { depths, find, add, each } = createEdges();
  /** The sequences that end in a state. */
  const endings = new Map<number, number[]>();
  let sequence = 0;
  for (const spellings of sequences) {
    yield;
    for (const spelling of spellings) {
      let state = 0;
      for (const word of spelling) {
        let id = words.get(word);
        if (id === undefined) words.set(word, (id = words.size));
        state = add(state, id);
      }
      const ending = endings.get(state);
      if (ending) ending.push(sequence);
      else endings.set(state, [sequence]);
    }
    sequence++;
  }

  /** The state of the longest shorter suffix, and the nearest state among those suffixes in which a sequence ends. */
  const fails = new Int32Array(depths.length);
  const shorter = new Int32Array(depths.length);
  const after = (from: number, word: number): number => {
    for (let state = from; ; state = fails[state] as number) {
      const next = find(state, word);
      if (next !== 0 || state === 0) return next;
    }
  };
  const queue = [0];
  for (let i = 0; i < queue.length; i++) {
    yield;
    const state = queue[i] as number;
    for (const [word, next] of each(state)) {
      const fail = state === 0 ? 0 : after(fails[state] as number, word);
      fails[next] = fail;
      shorter[next] = endings.has(fail) ? fail : (shorter[fail] as number);
      queue.push(next);
    }
  }

  return {
    words,
    after,
    longestAt: (state, counts) => {
      for (let at = state; at > 0; at = shorter[at] as number)
        if (endings.get(at)?.some(counts)) return depths[at] as number;
      return 0;
    },
  };
}
