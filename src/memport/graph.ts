/** The graph of links as linked export tells it: depths, edges, and what is missing. Pure. */
import type { Instant } from '../domain/time.ts';
import type { Node } from './queries.ts';
import type { Edge } from './schema.ts';

export type Placed = {
  uid: string;
  seq: number;
  depth: number;
  type: string;
  task_id: string | null;
  timestamp: Instant;
};

export type Graph = {
  /** Traces, the nearest first, then by time. */
  placed: Placed[];
  edgesOf: (uid: string) => Edge[];
  exists: (uid: string) => boolean;
};

const byDepth = (a: Placed, b: Placed): number =>
  a.depth - b.depth || (a.timestamp < b.timestamp ? -1 : a.timestamp > b.timestamp ? 1 : a.uid < b.uid ? -1 : 1);

export const createGraph = (nodes: readonly Node[]): Graph => {
  const known = new Map(nodes.filter((n) => n.seq !== null).map((n) => [n.uid, n]));
  const edgesOf = (uid: string): Edge[] => {
    const node = known.get(uid);
    if (!node) return [];
    const edges = (targets: string[], kind: Edge['kind']): Edge[] =>
      [...new Set(targets)].map((to) => ({ from: uid, to, kind }));
    return [
      ...edges(node.linked, 'linked'),
      ...edges(node.children, 'child'),
      ...edges(node.events.toSorted(), 'event'),
    ];
  };
  const depths = new Map<string, number>();
  let level = [...known.values()].filter((n) => n.seed).map((n) => n.uid);
  for (let depth = 0; level.length; depth++) {
    for (const uid of level) depths.set(uid, depth);
    const next = level.flatMap((uid) => {
      const node = known.get(uid);
      return node ? [...node.linked, ...node.children, ...node.events] : [];
    });
    level = [...new Set(next)].filter((uid) => known.has(uid) && !depths.has(uid));
  }
  const placed = [...known.values()].map(({ uid, seq, type, task_id, timestamp }) => ({
    ...{ uid, type, task_id, timestamp },
    seq: seq as number,
    depth: depths.get(uid) ?? 0,
  }));
  return { placed: placed.sort(byDepth), edgesOf, exists: (uid) => known.has(uid) };
};
