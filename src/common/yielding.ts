/**
 * Cooperative yielding: long work is cut into slices, so that sockets, other requests and answers of the database are served in
 * between. Each iteration of the event loop runs one slice of all the long work there is, and users are served in rotation.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { createShares, currentHolder } from './fair-shares.ts';
import type { Problem } from './problem.ts';

/** Others wait at most this long for a slice to end. Each iteration costs some 20 µs. */
const SLICE_MS = 2;

/** Work under way is never refused a turn: the limits of requests bound how much of it there is. */
const NEVER_MS = 2 ** 31 - 1;
const turns = createShares({ size: 1, each: () => 1, maxWaiting: Infinity, maxWaitMs: NEVER_MS });

/** When the slice of this iteration ends. Undefined before it begins. */
let sliceEnd: number | undefined;

const isSliceOver = (): boolean => sliceEnd !== undefined && performance.now() >= sliceEnd;

const beginSlice = (): void => {
  if (sliceEnd !== undefined) return;
  sliceEnd = performance.now() + SLICE_MS;
  setImmediate(() => (sliceEnd = undefined));
};

const transactions = new AsyncLocalStorage<true>();

/**
 * Gives the work of a transaction the turns of its user first: other requests wait for its lock, and for the only connection of
 * the embedded database.
 */
export const inTransactionFirst = <T>(work: () => T): T => transactions.run(true, work);

/** Waits until it is this user's turn to work, and begins the slice or shares what is left of it. */
const takeTurn = async (holder: string | undefined): Promise<void> => {
  await turns.take(holder, 1, transactions.getStore());
  beginSlice();
};

const giveTurn = (holder: string | undefined): void => {
  if (isSliceOver()) setImmediate(() => turns.give(holder));
  else turns.give(holder);
};

/** The number of steps that some work may take, and the problem it ends with where it takes more. */
export type StepBudget = { steps: number; refusal: () => Problem };

/** Runs a generator to its end and yields between its steps. @throws the budget's refusal */
export const runYielding = async <T>(work: Iterator<unknown, T>, budget?: StepBudget): Promise<T> => {
  const holder = currentHolder();
  await takeTurn(holder);
  try {
    for (let steps = 0; ; steps += 1) {
      if (budget && steps > budget.steps) throw budget.refusal();
      const { done, value } = work.next();
      if (done) return value;
      // An await for each step would cost more than the step.
      if (!isSliceOver()) continue;
      setImmediate(() => turns.give(holder));
      await takeTurn(holder);
    }
  } finally {
    giveTurn(holder);
  }
};

function* mapping<T, R>(list: readonly T[], make: (item: T, index: number) => R): Generator<undefined, R[]> {
  const made: R[] = [];
  for (const [index, item] of list.entries()) {
    made.push(make(item, index));
    yield;
  }
  return made;
}

/** Works as Array.map, but yields to the event loop every few milliseconds. */
export const mapYielding = <T, R>(list: readonly T[], make: (item: T, index: number) => R): Promise<R[]> =>
  runYielding(mapping(list, make));

/** Runs work that can't be cut into slices, in its user's turn. */
export const runFairly = async <T>(work: () => T): Promise<T> => {
  const holder = currentHolder();
  await takeTurn(holder);
  try {
    return work();
  } finally {
    giveTurn(holder);
  }
};

/**
 * Returns a function to await between two pieces of work. It waits for this user's next turn when the current slice has lasted
 * long enough.
 */
export const createYielder = (): (() => Promise<void>) => {
  let since = performance.now();
  return async () => {
    if (performance.now() - since <= SLICE_MS) return;
    const holder = currentHolder();
    await nextIteration();
    await takeTurn(holder);
    setImmediate(() => turns.give(holder));
    since = performance.now();
  };
};

/** Gives the pieces of a generator on demand, and serves other work after each. */
export async function* yieldingPieces(work: Iterable<string>): AsyncGenerator<string> {
  for (const piece of work) {
    yield piece;
    await nextIteration();
  }
}
