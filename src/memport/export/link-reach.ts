/**
 * Finds the traces reachable through links, nearest first. It searches only as far as a page needs and keeps the state for the
 * next page.
 */
import { LRUCache } from 'lru-cache';
import type { TraceFilter } from '../../memory/queries.ts';
import { LINKS_BATCH, nodesOf, targetsOf, type Node, type State } from './links.ts';
import { tracesPage, type After } from '../queries.ts';
import { inGroups } from './views.ts';

/** The seqs of the traces in the order of the search, and for each the number of steps from the nearest seed. */
export type Reached = { seqs: readonly number[]; depths: readonly number[] };

export type Reach = {
  /**
   * Returns at least the first `count` traces, or all there are.
   * @throws where the database failed; the search cannot go on then
   */
  first: (count: number) => Promise<Reached>;
  /** The approximate size in bytes. */
  bytes: () => number;
};

/** From which traces the search starts, and how far it goes. */
export type Start = { filter: TraceFilter; max_depth?: number | undefined };

type Level = { depth: number; seqs: number[] };

const inTime = (a: Node, b: Node): number =>
  a.timestamp < b.timestamp ? -1 : a.timestamp > b.timestamp ? 1 : a.uid < b.uid ? -1 : 1;

/** The traces that the filter selects, from which the search starts. */
const seeds = async function* (state: State, filter: TraceFilter, visited: Set<string>): AsyncGenerator<Level> {
  let after: After | undefined;
  do {
    const page = await tracesPage(state.db, state.user_id, state.at, filter, after, LINKS_BATCH);
    for (const { uid } of page) visited.add(uid);
    if (page.length) yield { depth: 0, seqs: page.map((found) => found.seq) };
    const last = page.at(-1);
    after = last && page.length === LINKS_BATCH ? [last.at, last.uid] : undefined;
  } while (after);
};

/** The traces one step further that were not visited before. Uids without a trace are marked too, so each is queried once. */
const nextLevel = async (state: State, level: readonly number[], visited: Set<string>): Promise<Node[]> => {
  const found: Node[] = [];
  for (let done = 0; done < level.length; done += LINKS_BATCH) {
    const targets = new Set(await targetsOf(state, level.slice(done, done + LINKS_BATCH)));
    const fresh = [...targets].filter((uid) => !visited.has(uid));
    for (const uid of fresh) visited.add(uid);
    for (let asked = 0; asked < fresh.length; asked += LINKS_BATCH)
      found.push(...(await nodesOf(state, fresh.slice(asked, asked + LINKS_BATCH))));
  }
  return found.sort(inTime);
};

/** Searches breadth first. Each trace is visited once, so cycles end. */
const levels = async function* (
  state: State,
  { filter, max_depth = Infinity }: Start,
  visited: Set<string>,
): AsyncGenerator<Level> {
  let level: number[] = [];
  for await (const part of seeds(state, filter, visited)) {
    level.push(...part.seqs);
    yield part;
  }
  for (let depth = 1; level.length && depth <= max_depth; depth++) {
    level = (await nextLevel(state, level, visited)).map((node) => node.seq);
    yield { depth, seqs: level };
  }
};

/** The bytes of a uid in the set, and of the two numbers of a trace. */
const BYTES_OF_UID = 120;
const BYTES_OF_PLACE = 16;

export const createReach = (state: State, start: Start): Reach => {
  const visited = new Set<string>();
  const walk = levels(state, start, visited);
  const seqs: number[] = [];
  const depths: number[] = [];
  let failed: unknown;

  /**
   * Finds the next traces; false where none is left. Concurrent readers are safe, since a generator serves its callers in
   * order.
   */
  const pull = async (): Promise<boolean> => {
    try {
      const { value: level, done } = await walk.next();
      if (failed !== undefined) throw failed; // A generator that threw reports only that it is done.
      if (done) {
        visited.clear();
        return false;
      }
      for (const seq of level.seqs) {
        seqs.push(seq);
        depths.push(level.depth);
      }
      return true;
    } catch (error) {
      failed = error;
      throw error;
    }
  };

  return {
    first: async (count) => {
      for (let isMore = true; isMore && seqs.length < count;) isMore = await pull();
      return { seqs, depths };
    },
    bytes: () => 1 + visited.size * BYTES_OF_UID + seqs.length * BYTES_OF_PLACE,
  };
};

/**
 * Sorts the traces into groups by key, those without a group last. The order in each group stays. It must find all traces
 * first.
 */
export const grouped = (reach: Reach, groupsOf: (seqs: readonly number[]) => Promise<(string | null)[]>): Reach => {
  let all: Promise<Reached> | undefined;
  const arrange = async (): Promise<Reached> => {
    const { seqs, depths } = await reach.first(Infinity);
    const groups = await groupsOf(seqs);
    const order = inGroups([...seqs.keys()], (i) => groups[i] ?? null);
    return { seqs: order.map((i) => seqs[i] as number), depths: order.map((i) => depths[i] as number) };
  };
  return { first: () => (all ??= arrange()), bytes: reach.bytes };
};

const MAX_BYTES = 32_000_000;

/** Keeps recent searches, so that the next page need not begin at the seeds again. */
export type Reaches = { first: (key: string, make: () => Reach, count: number) => Promise<Reached> };

/** The keys contain the seq, so an entry is never stale. An evicted search is repeated. */
export const createReaches = (): Reaches => {
  const kept = new LRUCache<string, Reach>({ maxSize: MAX_BYTES, sizeCalculation: (reach) => reach.bytes() });
  return {
    first: async (key, make, count) => {
      const reach = kept.get(key) ?? make();
      kept.delete(key); // A failed search must not stay, and a grown one needs its new size.
      const reached = await reach.first(count);
      // A finished search drops its set of visited uids and is small.
      if (reach.bytes() > MAX_BYTES) await reach.first(Infinity);
      kept.set(key, reach);
      return reached;
    },
  };
};
