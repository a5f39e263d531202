/** Long work in slices: a file of megabytes must not keep sockets and the executor waiting. */
import { setImmediate } from 'node:timers/promises';

/** A tenth of what S8 gives a message on its way. */
const SLICE_MS = 20;

/** Runs a generator to its end; other things have their turn in between. */
export const unhurried = async <T>(work: Generator<unknown, T>): Promise<T> => {
  let since = performance.now();
  for (;;) {
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
