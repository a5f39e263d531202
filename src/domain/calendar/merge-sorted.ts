/** Merges many sorted sequences into one, lazily, with a binary heap. */

type Head<T> = { value: T; rest: Iterator<T> };

/**
 * Yields the values of sorted sequences in order and computes each on demand: the first needs one step of every sequence, each
 * further one O(log n). Of equal values the one of the earlier sequence comes first only if `compare` says so. It yields
 * `undefined` after the first step of each sequence, so that the caller can interrupt a long start.
 */
export function* merged<T>(
  sequences: Iterable<Iterable<T>>,
  compare: (a: T, b: T) => number,
): Generator<T | undefined, void> {
  const heap: Head<T>[] = [];
  for (const sequence of sequences) {
    const rest = sequence[Symbol.iterator]();
    const first = rest.next();
    if (!first.done) siftUp(heap, { value: first.value, rest }, compare);
    yield undefined;
  }
  for (let top = heap[0]; top; top = heap[0]) {
    yield top.value;
    const next = top.rest.next();
    if (!next.done) siftDown(heap, { value: next.value, rest: top.rest }, compare);
    else {
      const last = heap.pop() as Head<T>;
      if (heap.length) siftDown(heap, last, compare);
    }
  }
}

/** Inserts a head at the end of the heap and moves it up. */
const siftUp = <T>(heap: Head<T>[], head: Head<T>, compare: (a: T, b: T) => number): void => {
  let at = heap.length;
  while (at > 0) {
    const above = (at - 1) >> 1;
    const other = heap[above] as Head<T>;
    if (compare(other.value, head.value) <= 0) break;
    heap[at] = other;
    at = above;
  }
  heap[at] = head;
};

/** Replaces the top of the heap and moves the new one down. */
const siftDown = <T>(heap: Head<T>[], head: Head<T>, compare: (a: T, b: T) => number): void => {
  let at = 0;
  for (;;) {
    let below = 2 * at + 1;
    if (below >= heap.length) break;
    const right = heap[below + 1];
    if (right && compare(right.value, (heap[below] as Head<T>).value) < 0) below += 1;
    const other = heap[below] as Head<T>;
    if (compare(head.value, other.value) <= 0) break;
    heap[at] = other;
    at = below;
  }
  heap[at] = head;
};
