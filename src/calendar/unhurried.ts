/** Long work in slices: a file of megabytes, or a calendar full of series, must not keep others waiting. */
import { setImmediate } from 'node:timers/promises';
import type { Problem } from '../common/problem.ts';

/** A fifth of the 50 ms that no request may block others for: a step may take long itself. */
const SLICE_MS = 10;

/** How many steps some work may take, and what is said where it takes more. */
export type Budget = { steps: number; refusal: () => Problem };

/** Runs a generator to its end, each value a step; others have their turn in between. @throws the budget's refusal */
export const unhurried = async <T>(work: Generator<unknown, T>, budget?: Budget): Promise<T> => {
  let since = performance.now();
  for (let steps = 0; ; steps += 1) {
    if (budget && steps > budget.steps) throw budget.refusal();
    const { done, value } = work.next();
    if (done) return value;
    if (performance.now() - since < SLICE_MS) continue;
    await setImmediate();
    since = performance.now();
  }
};

/** The pieces a generator makes, each when it is wanted. */
export async function* inPieces(work: Iterable<string>): AsyncGenerator<string> {
  for (const piece of work) {
    yield piece;
    await setImmediate();
  }
}
