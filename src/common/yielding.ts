/** Work on many things in slices: sockets, other requests and the database's answers have their turn in between. */
import { setImmediate } from 'node:timers/promises';
import { createShares, whoAsks } from './fair-shares.ts';

/** What others wait at most; the waiting itself costs some 20 µs. */
const SLICE_MS = 1;

/** To be awaited between two pieces of work: lets others have their turn where this work has gone on for a slice. */
export const takingTurns = (): (() => Promise<void>) => {
  let since = performance.now();
  return async () => {
    if (performance.now() - since <= SLICE_MS) return;
    await setImmediate();
    since = performance.now();
  };
};

/** As map, but others have their turn every few milliseconds. */
export const mapInTurns = async <T, R>(list: readonly T[], make: (item: T, index: number) => R): Promise<R[]> => {
  const made: R[] = [];
  const turn = takingTurns();
  for (const [index, item] of list.entries()) {
    await turn();
    made.push(make(item, index));
  }
  return made;
};

const loop = createShares({ size: 1, each: () => 1, mostWaiting: 1_000, patienceMs: 30_000 });

/** Runs work that can't be cut in slices: one piece of it in each turn of the event loop, and users in turn. @throws 429 */
export const inTurn = async <T>(work: () => T): Promise<T> => {
  const who = whoAsks();
  await loop.take(who);
  void setImmediate().then(() => loop.give(who));
  return work();
};
