/**
 * Cooperative yielding: long work is cut into slices, so that sockets, other requests and answers of the database are served in
 * between.
 */
import { setImmediate } from 'node:timers/promises';
import { createShares, currentHolder } from './fair-shares.ts';
import type { Problem } from './problem.ts';

/** Others wait at most this long for a slice to end. Each yield costs some 20 µs. */
const SLICE_MS = 1;
/** A generator may take a fifth of the 50 ms for which a request may block others, because a single step may take long itself. */
const STEPS_SLICE_MS = 10;

/**
 * Returns a function to await between two pieces of work. It yields to the event loop when the current slice has lasted long
 * enough.
 */
export const createYielder = (): (() => Promise<void>) => {
  let since = performance.now();
  return async () => {
    if (performance.now() - since <= SLICE_MS) return;
    await setImmediate();
    since = performance.now();
  };
};

/** Works as Array.map, but yields to the event loop every few milliseconds. */
export const mapYielding = async <T, R>(list: readonly T[], make: (item: T, index: number) => R): Promise<R[]> => {
  const made: R[] = [];
  const yieldToOthers = createYielder();
  for (const [index, item] of list.entries()) {
    await yieldToOthers();
    made.push(make(item, index));
  }
  return made;
};

/** The number of steps that some work may take, and the problem it ends with where it takes more. */
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

/** Gives the pieces of a generator on demand, and serves other work after each. */
export async function* yieldingPieces(work: Iterable<string>): AsyncGenerator<string> {
  for (const piece of work) {
    yield piece;
    await setImmediate();
  }
}

const loop = createShares({ size: 1, each: () => 1, maxWaiting: 1_000, maxWaitMs: 30_000 });

/**
 * Runs work that can't be cut into slices. Each iteration of the event loop runs one such piece, and users are served in
 * rotation.
 * @throws 429 where one user has too many pieces waiting
 */
export const runFairly = async <T>(work: () => T): Promise<T> => {
  const holder = currentHolder();
  await loop.take(holder);
  void setImmediate().then(() => loop.give(holder));
  return work();
};
