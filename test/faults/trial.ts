/** What a trial is, and how it tells what it tried and what went wrong. */
import type { Place } from './cluster.ts';

/** Things tried, and those of them that were lost, happened twice, or went wrong in another way; each named. */
export type Check = { what: string; tried: number; lost: string[]; doubled: string[]; wrong: string[] };

export type Outcome = {
  checks: Check[];
  /** Circumstances and figures, as sentences. */
  facts: string[];
};

export type Choices = {
  /** To repeat a run. */
  seed?: number;
  /** Only the cases whose name contains this. */
  part?: string;
};

export type Trial = {
  id: string;
  title: string;
  /** Where it runs when nothing is said; the first of them is where it makes most sense. */
  places: Place['kind'][];
  /** Whether it can run on the embedded database, which takes one process. */
  embedded: boolean;
  run: (place: Place, quick: boolean, say: (line: string) => void, choices: Choices) => Promise<Outcome>;
};

export const check = (what: string, tried: number, faults: Partial<Omit<Check, 'what' | 'tried'>> = {}): Check => ({
  what,
  tried,
  lost: [],
  doubled: [],
  wrong: [],
  ...faults,
});

/** A check of things that must each be found exactly once. `found` counts them by key. */
export const exactlyOnce = (what: string, keys: Iterable<string>, found: Map<string, number>): Check => {
  const all = [...keys];
  return check(what, all.length, {
    lost: all.filter((key) => !found.has(key)),
    doubled: all.filter((key) => (found.get(key) ?? 0) > 1),
  });
};

/** The same checks made for several people, as one list. */
export const merge = (lists: Check[][]): Check[] =>
  (lists[0] ?? []).map((first, i) => {
    const same = lists.map((list) => list[i] as Check);
    return {
      what: first.what,
      tried: same.reduce((sum, c) => sum + c.tried, 0),
      lost: same.flatMap((c) => c.lost),
      doubled: same.flatMap((c) => c.doubled),
      wrong: same.flatMap((c) => c.wrong),
    };
  });

export const faultsOf = (checks: Check[]): number =>
  checks.reduce((sum, c) => sum + c.lost.length + c.doubled.length + c.wrong.length, 0);

/** mulberry32: a seed gives the same numbers on every machine. */
export const randomOf = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
};

/** What a trial begins with where none is given. */
export const SEED = 20_261_121;

/**
 * A number from 0 up to 1. Each trial begins anew with its seed (run.ts), so what is done does not differ by the day. Processes are
 * killed and answers come when they do: the order of what runs at the same time, and with it who draws which number, stays chance.
 */
export const random = (): number => next();
let next = randomOf(SEED);
export const beginRandom = (seed: number): void => {
  next = randomOf(seed);
};

/** Whole number from `from` to `to`, both included. */
export const between = (from: number, to: number): number => from + Math.floor(random() * (to - from + 1));

export const oneOf = <T>(list: readonly T[]): T => list[between(0, list.length - 1)] as T;

const SAMPLES = 3;
const HEAD = ['trial', 'on', 'what was tried', 'times', 'lost', 'doubled', 'wrong'];

/** A plain table over all outcomes, with a few samples under whatever went wrong. */
export const table = (runs: { id: string; on: string; checks: Check[] }[]): string => {
  const rows = runs.flatMap(({ id, on, checks }) =>
    checks.map((c) => [
      id,
      on,
      c.what,
      ...[c.tried, c.lost.length, c.doubled.length, c.wrong.length].map((n) => n.toLocaleString('en')),
    ]),
  );
  const widths = HEAD.map((head, i) => Math.max(head.length, ...rows.map((row) => (row[i] ?? '').length)));
  const line = (cells: string[]): string =>
    cells.map((cell, i) => (i < 3 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  ');
  const samples = runs.flatMap(({ id, on, checks }) =>
    checks.flatMap((c) =>
      (['lost', 'doubled', 'wrong'] as const).flatMap((how) =>
        c[how].slice(0, SAMPLES).map((sample) => `  ${id} ${on}, ${c.what}, ${how}: ${sample}`),
      ),
    ),
  );
  return [line(HEAD), line(widths.map((w) => '-'.repeat(w))), ...rows.map(line), ...samples].join('\n');
};
