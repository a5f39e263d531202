/** Cooperative yielding: long work goes on in slices, and between them sockets, other requests and the database's answers are served. */
import { setImmediate } from 'node:timers/promises';
import { createShares, whoAsks } from './fair-shares.ts';
import type { Problem } from './problem.ts';

/** What others wait at most; the waiting itself costs some 20 µs. */
const SLICE_MS = 1;
/** For generators: a fifth of the 50 ms that no request may block others for, because one step may take long itself. */
const STEPS_SLICE_MS = 10;

/** The result is awaited between two pieces of work: it yields where this work has gone on for a slice. */
export const createYielder = (): (() => Promise<void>) => {
  let since = performance.now();
  return async () => {
    if (performance.now() - since <= SLICE_MS) return;
    await setImmediate();
    since = performance.now();
  };
};

/** As map, and yields every few milliseconds. */
export const mapYielding = async <T, R>(list: readonly T[], make: (item: T, index: number) => R): Promise<R[]> => {
  const made: R[] = [];
  const yieldToOthers = createYielder();
  for (const [index, item] of list.entries()) {
    await yieldToOthers();
    made.push(make(item, index));
  }
  return made;
};

/** How many steps some work may take, and what is said where it takes more. */
export type StepBudget = { steps: number; refusal: () => Problem };

/** Runs a generator to its end and yields between its steps. @throws the budget's refusal */
export const runYielding = async <T>(work: Generator<unknown, T>, budget?: StepBudget): Promise<T> => {
  let since = performance.now();
  for (let steps = 0; ; steps += 1) {
    if (budget && steps > budget.steps) throw budget.refusal();
    const { done, value } = work.next();
    if (done) return value;
    // An await for each step would cost more than the step.
    if (performance.now() - since < STEPS_SLICE_MS) continue;
    await setImmediate();
    since = performance.now();
  }
};

/** The pieces that a generator makes, each when it is wanted; others are served after each. */
export async function* yieldingPieces(work: Iterable<string>): AsyncGenerator<string> {
  for (const piece of work) {
    yield piece;
    await setImmediate();
  }
}

const loop = createShares({ size: 1, each: () => 1, mostWaiting: 1_000, patienceMs: 30_000 });

/** Runs work that can't be cut in slices: one such piece in each iteration of the event loop, users in turn. @throws 429 */
export const runFairly = async <T>(work: () => T): Promise<T> => {
  const who = whoAsks();
  await loop.take(who);
  void setImmediate().then(() => loop.give(who));
  return work();
};
