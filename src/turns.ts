/** Work on many things in slices: sockets, other requests and the database's answers have their turn in between. */
import { setImmediate } from 'node:timers/promises';

/** What others wait at most; the waiting itself costs some 20 µs. */
const SLICE_MS = 1;

/** As map, but others have their turn every few milliseconds. */
export const mapInTurns = async <T, R>(list: readonly T[], make: (item: T, index: number) => R): Promise<R[]> => {
  const made: R[] = [];
  let since = performance.now();
  for (const [index, item] of list.entries()) {
    if (performance.now() - since > SLICE_MS) {
      await setImmediate();
      since = performance.now();
    }
    made.push(make(item, index));
  }
  return made;
};
