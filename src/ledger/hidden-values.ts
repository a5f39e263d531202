/** The sensitive values of one user: when each was set, and by which agent. It grows by what the database reports as new. */
import { runYielding } from '../common/yielding.ts';
import { buildingFinder, findAll, type Finder } from '../domain/record/redact.ts';
import { lexemeOf } from '../domain/text/lexemes.ts';
import { terms } from '../domain/text/search-words.ts';

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

export const createHiddenValues = () => {
  const texts: string[] = [];
  /** By value, and by the agent that set it; null is a person. */
  const times: Map<string | null, Times>[] = [];
  const numbers = new Map<string, number>();
  let upto = 0;
  let characters = 0;
  /** The stems of all words of all values. */
  const stems = new Set<string>();
  /** The first finder has the values up to `sorted`, the second one those after it. */
  let finders: Finder[] = [];
  let sorted = 0;

  const timesOf = (text: string, agent: string | null): Times => {
    let number = numbers.get(text);
    if (number === undefined) {
      number = texts.push(text) - 1;
      times.push(new Map());
      numbers.set(text, number);
      characters += text.length;
      for (const word of terms(text)) stems.add(lexemeOf(word));
    }
    const by = times[number] as Map<string | null, Times>;
    const found = by.get(agent) ?? { open: new Set(), since: 0, ended: [] };
    by.set(agent, found);
    return found;
  };

  /** A large number of values takes seconds, in which others are served. */
  const build = async (): Promise<void> => {
    const isFew = finders.length > 0 && texts.length - sorted <= MOST_APART;
    const find = await runYielding(buildingFinder(isFew ? texts.slice(sorted) : texts));
    finders = isFew ? [finders[0] as Finder, find] : [find];
    if (!isFew) sorted = texts.length;
  };

  return {
    upto: (): number => upto,
    size: (): number => characters + 100 * texts.length + 1,

    /** Takes what was set or ended after `upto`. One call must end before the next begins. */
    add: async (rows: readonly ValueRow[]): Promise<void> => {
      const before = texts.length;
      const events = rows.flatMap((row) => [
        ...(row.seq > upto ? [{ seq: row.seq, isEnd: false, row }] : []),
        ...(row.until === null ? [] : [{ seq: row.until, isEnd: true, row }]),
      ]);
      for (const { isEnd, row } of events.sort((a, b) => a.seq - b.seq || Number(b.isEnd) - Number(a.isEnd)))
        for (const text of new Set(row.values))
          if (isEnd) end(timesOf(text, row.agent), row.seq, row.until as number);
          else begin(timesOf(text, row.agent), row.seq);
      if (texts.length > before) await build();
      // Only now: a reader who is up to date must find the new values too.
      upto = Math.max(upto, events.at(-1)?.seq ?? 0);
    },

    /** Finds what is hidden at a moment in a text that this agent recorded; null is a person, or nobody known. */
    find: (text: string, agent: string | null, moment: Moment) =>
      findAll(
        finders.map((find, i) =>
          find(text, (number) => {
            const by = times[number + (i ? sorted : 0)] as Map<string | null, Times>;
            return isSet(by.get(null), moment) || (agent !== null && isSet(by.get(agent), moment));
          }),
        ),
      ),

    /** Whether a word is part of some value, in any form. */
    hasWord: (word: string): boolean => stems.has(lexemeOf(word)),

    /** Whether some value is hidden at one of two moments only. */
    differ: (one: Moment, other: Moment): boolean =>
      times.some((by) => by.values().some((each) => isSet(each, one) !== isSet(each, other))),
  };
};

export type HiddenValues = ReturnType<typeof createHiddenValues>;
