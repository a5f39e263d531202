/** The sensitive values of one user: when each was set, and by which agent. It grows by what the database reports as new. */
import { runYielding } from '../common/yielding.ts';
import {
  buildingFinder,
  findAny,
  spellingsOf,
  type Find,
  type Finder,
  type Spelling,
} from '../domain/record/redact.ts';
import { foldedWords, unescaped } from '../domain/text/folded-words.ts';
import { lexemeOf } from '../domain/text/lexemes.ts';
import { terms } from '../domain/text/search-words.ts';
import { createWordFilter } from '../domain/text/word-filter.ts';

/** A version of a trace: the values that a person or one agent set on it, from `seq` until it was changed or removed. */
export type ValueRow = { seq: number; until: number | null; agent: string | null; values: string[] };

/** When a value was set, on however many traces: `open` holds the versions that have it now. */
type Times = { open: Set<number>; since: number; ended: [from: number, until: number][] };

/** What is hidden: what is set now, and what was set at these seqs. */
export type Moment = { now: boolean; at: readonly (number | undefined)[] };

/** New values are searched apart until there are this many. Then one automaton is built of all. */
const MOST_APART = 500;
/** A value that is set and removed again and again keeps this many times. Longer ago it counts as set throughout. */
const MOST_TIMES = 100;

const begin = (times: Times, seq: number): void => {
  if (times.open.size === 0) {
    // A change of the trace ends one version and begins the next with the same value.
    const continued = times.ended.at(-1)?.[1] === seq ? times.ended.pop() : undefined;
    times.since = continued ? continued[0] : seq;
  }
  times.open.add(seq);
};

const end = (times: Times, seq: number, until: number): void => {
  times.open.delete(seq);
  if (times.open.size > 0) return;
  times.ended.push([times.since, until]);
  if (times.ended.length <= MOST_TIMES) return;
  const [[from], [, to]] = times.ended.splice(0, 2) as [[number, number], [number, number]];
  times.ended.unshift([from, to]);
};

const wasSet = ({ open, since, ended }: Times, at: number): boolean =>
  (open.size > 0 && since <= at) || ended.some(([from, until]) => from <= at && at < until);

const isSet = (times: Times | undefined, { at, now }: Moment): boolean =>
  times !== undefined && ((now && times.open.size > 0) || at.some((seq) => seq !== undefined && wasSet(times, seq)));

/** A spelling needs this much memory beside its text. */
const BYTES_EACH = 600;

/** Words as they are compared in texts are kept behind this, apart from stems. It changes the hash of a word. */
const FOLDED = '\u0001';
/** What ends a sentence says nothing of whether a value goes on behind it. */
const ENDS: ReadonlySet<string> = new Set(' .!?。"”’»)');

/** The words of a text as it is written, and without the escapes of URLs. */
const bothWordsOf = (text: string): string[][] => [text, unescaped(text)?.text ?? ''].map(foldedWords);

export const createHiddenValues = () => {
  /** Values that are spelled alike are one: they blank the same texts. */
  const spellings: Spelling[] = [];
  /** By spelling, and by the agent that set it; null is a person. */
  const times: Map<string | null, Times>[] = [];
  const numbers = new Map<string, number>();
  let upto = 0;
  let bytes = 0;
  let ofAgents = 0;
  /** All words of all values: their stems, and as they are compared in texts. */
  const words = createWordFilter();
  /** The first finder has the spellings up to `sorted`, the second one those after it. */
  let finders: Finder[] = [];
  let sorted = 0;

  const numberOf = (spelling: Spelling): number => {
    const key = JSON.stringify([spelling.rest?.words, spelling.rest?.hash, spelling.words]);
    const found = numbers.get(key);
    if (found !== undefined) return found;
    const number = spellings.push(spelling) - 1;
    times.push(new Map());
    numbers.set(key, number);
    bytes += 2 * key.length + BYTES_EACH;
    return number;
  };

  /** The numbers of the spellings of a value. */
  const learn = (value: string): number[] => {
    for (const word of terms(value)) words.add(lexemeOf(word));
    for (const word of bothWordsOf(value).flat()) words.add(FOLDED + word);
    return spellingsOf(value).map(numberOf);
  };

  const timesOf = (number: number, agent: string | null): Times => {
    const by = times[number] as Map<string | null, Times>;
    const found = by.get(agent) ?? { open: new Set(), since: 0, ended: [] };
    by.set(agent, found);
    return found;
  };

  /** Takes the rows in the order of what happened. */
  function* taking(rows: readonly ValueRow[]): Generator<undefined> {
    const learned = new Map<string, number[]>();
    const events = rows.flatMap((row) => [
      ...(row.seq > upto ? [{ seq: row.seq, isEnd: false, row }] : []),
      ...(row.until === null ? [] : [{ seq: row.until, isEnd: true, row }]),
    ]);
    for (const { isEnd, row } of events.sort((a, b) => a.seq - b.seq || Number(b.isEnd) - Number(a.isEnd))) {
      yield;
      for (const value of row.values) {
        if (!learned.has(value)) learned.set(value, learn(value));
        if (row.agent !== null && !isEnd) ofAgents += row.agent.length + value.length;
      }
      for (const number of new Set(row.values.flatMap((value) => learned.get(value) as number[])))
        if (isEnd) end(timesOf(number, row.agent), row.seq, row.until as number);
        else begin(timesOf(number, row.agent), row.seq);
    }
  }

  /** A large number of values takes seconds, in which others are served. */
  const build = async (): Promise<void> => {
    const isFew = finders.length > 0 && spellings.length - sorted <= MOST_APART;
    const find = await runYielding(buildingFinder(isFew ? spellings.slice(sorted) : spellings));
    finders = isFew ? [finders[0] as Finder, find] : [find];
    if (!isFew) sorted = spellings.length;
  };

  const isHidden = (number: number, agent: string | null, moment: Moment): boolean => {
    const by = times[number] as Map<string | null, Times>;
    return isSet(by.get(null), moment) || (agent !== null && isSet(by.get(agent), moment));
  };

  return {
    upto: (): number => upto,
    /** In bytes. */
    size: (): number => bytes + words.bytes() + finders.reduce((sum, finder) => sum + finder.bytes, 0) + 1,
    /** How many characters agents have set in what was taken so far, with their names. */
    ofAgents: (): number => ofAgents,

    /** Takes what was set or ended after `upto`. One call must end before the next begins. */
    add: async (rows: readonly ValueRow[]): Promise<void> => {
      const before = spellings.length;
      await runYielding(taking(rows));
      if (spellings.length > before) await build();
      // Only now: a reader who is up to date must find the new values too.
      upto = rows.reduce((last, { seq, until }) => Math.max(last, seq, until ?? 0), upto);
    },

    /** Finds what is hidden at a moment in texts that this agent recorded; null is a person, or nobody known. */
    finderAt: (agent: string | null, moment: Moment): Find => {
      const from = sorted;
      const finds = finders.map(({ asking }, i) =>
        asking((number) => isHidden(i ? number + from : number, agent, moment)),
      );
      return findAny(finds);
    },

    /** Whether a word is part of some value, in any form. It says so of some other words too. */
    hasWord: (word: string): boolean => words.has(lexemeOf(word)),

    /** Whether some value may have begun at the end of a text that goes on: its last word is a word of a value. */
    mayGoOn: (text: string): boolean =>
      bothWordsOf(text).some((said) => {
        const last = said.findLast((word) => !ENDS.has(word));
        return last !== undefined && words.has(FOLDED + last);
      }),

    /** Whether some value is hidden at one of two moments only. */
    differ: (one: Moment, other: Moment): boolean =>
      times.some((by) => by.values().some((each) => isSet(each, one) !== isSet(each, other))),
  };
};

export type HiddenValues = ReturnType<typeof createHiddenValues>;
