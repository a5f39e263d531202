/** Each mode as a walk: results one after the other in their order, each with the key at which the walk can go on. */
import type { Db } from '../db/client.ts';
import { jsonPatch } from '../domain/diff.ts';
import { readTime, type Instant } from '../domain/time.ts';
import type { TraceDoc } from '../domain/trace.ts';
import { problem } from '../errors.ts';
import { selectTraces, type TraceFilter } from '../memory/queries.ts';
import { createGraph, type Graph } from './graph.ts';
import { changesBetween, documents, groupKeys, reachable, type Change } from './queries.ts';
import type { GroupBy } from './schema.ts';
import { groupOf, type View } from './views.ts';

/** Rows read at once: what a stream holds in memory. */
export const BATCH = 500;

export type Key = (string | number)[];
/** `seq`: of the ledger entry a result stands on. */
export type Step<T> = { key: Key; seq: number; value: T; group: string | null };

export type Walk = {
  db: Db;
  user_id: string;
  /** Seq the export is true for. */
  at: number;
  filter: TraceFilter;
  group_by: GroupBy | undefined;
  zone: string;
};

const badCursor = () =>
  problem('invalid_cursor', 'The cursor is not one of this export: repeat it from its first page.');

/** A key that was forged or cut is refused here, before it reaches SQL. */
const timeAndUid = (key: Key): [Instant, string] => {
  const [at, uid] = key.slice(-2);
  if (typeof at !== 'string' || typeof uid !== 'string' || uid.includes('\0') || readTime(at, 'UTC') === null)
    throw badCursor();
  return [at, uid];
};

const integer = (value: string | number | undefined): number => {
  if (!Number.isSafeInteger(value) || (value as number) < 0) throw badCursor();
  return value as number;
};

/** Traces by time, or by group and time. Key: [group,] timestamp, uid. */
export const walkTraces = async function* (w: Walk, from: Key | undefined): AsyncGenerator<Step<TraceDoc>> {
  const column = w.group_by === 'task' ? 'task_id' : w.group_by === 'trace_type' ? 'type' : null;
  const all = column ? await groupKeys(w.db, w.user_id, w.at, w.filter, column) : [null];
  const start = column && from ? all.findIndex((key) => (key ?? '') === from[0]) : 0;
  if (start < 0) throw badCursor();
  let after = from && timeAndUid(from);
  for (const key of all.slice(start)) {
    const filter = column ? { ...w.filter, [column]: key } : w.filter;
    let batch: TraceDoc[];
    do {
      batch = await selectTraces(w.db, w.user_id, filter, { order: 'asc', after, limit: BATCH }, w.at);
      for (const value of batch) {
        after = [value.timestamp, value.uid];
        yield {
          key: column ? [key ?? '', ...after] : after,
          seq: value.seq,
          value,
          group: w.group_by ? groupOf(value, w.group_by, w.zone) : null,
        };
      }
    } while (batch.length === BATCH);
    after = undefined;
  }
};

/** In groups that keep the order within, groups sorted by key, no group last. */
const inGroups = <T>(items: T[], groupBy: (item: T) => string | null): T[] =>
  [...Map.groupBy(items, groupBy)]
    .sort(([a], [b]) => (a === null ? 1 : b === null ? -1 : a < b ? -1 : 1))
    .flatMap(([, members]) => members);

export type LinkedTrace = { trace: TraceDoc; depth: number };

export const linkedGraph = async (w: Walk): Promise<Graph> =>
  createGraph(await reachable(w.db, w.user_id, w.at, w.filter));

/** Traces of the graph, the nearest first. Key: how many were told. */
export const walkLinked = async function* (
  w: Walk,
  graph: Graph,
  from: Key | undefined,
): AsyncGenerator<Step<LinkedTrace>> {
  const { group_by } = w;
  const all = group_by ? inGroups(graph.placed, (p) => groupOf(p, group_by, w.zone)) : graph.placed;
  for (let done = from ? integer(from[0]) : 0; done < all.length; done += BATCH) {
    const part = all.slice(done, done + BATCH);
    const docs = await documents(
      w.db,
      w.user_id,
      part.map((p) => p.seq),
    );
    for (const [i, trace] of docs.entries())
      yield {
        key: [done + i + 1],
        seq: trace.seq,
        value: { trace, depth: part[i]?.depth ?? 0 },
        group: group_by ? groupOf(trace, group_by, w.zone) : null,
      };
  }
};

export type Difference = { op: 'added' | 'changed' | 'removed'; uid: string; trace?: unknown; patch?: unknown };

export type DiffWalk = Walk & {
  /** Seq of the earlier point; `at` is the later one. */
  since: number;
  /** How this credential sees, or saw, traces at each point. */
  before: View;
  after: View;
  /** Whether values became sensitive between the points, so that traces nobody touched look different. */
  reblanked: boolean;
};

/** Whether a trace is among those meant, as SQL's conditions() decide it. */
const matches = (filter: TraceFilter, trace: TraceDoc | null): TraceDoc | null => {
  if (!trace) return null;
  const { task_id, tempo_tag, type, tag } = filter;
  const meant =
    (task_id === undefined || trace.task_id === task_id) &&
    (tempo_tag === undefined || trace.tempo_tag === tempo_tag) &&
    (type === undefined || trace.type === type) &&
    (tag === undefined || trace.tags.includes(tag));
  return meant ? trace : null;
};

/** What the earlier export needs to become the later one; null where nothing. */
const difference = (w: DiffWalk, change: Change): Difference | null => {
  const before = matches(w.filter, change.before);
  const after = matches(w.filter, change.after);
  const { uid } = change;
  if (!after) return before ? { op: 'removed', uid } : null;
  if (!before) return { op: 'added', uid, trace: w.after(after) };
  const patch = jsonPatch(w.before(before), w.after(after));
  return patch.length ? { op: 'changed', uid, patch } : null;
};

const stepOf = (w: DiffWalk, key: Key, change: Change): Step<Difference> | null => {
  const value = difference(w, change);
  const trace = matches(w.filter, change.after) ?? change.before;
  return (
    value && { key, seq: change.seq, value, group: w.group_by && trace ? groupOf(trace, w.group_by, w.zone) : null }
  );
};

/** Changed traces in the order of the ledger. Key: 0, seq. */
const walkChanges = async function* (w: DiffWalk, from: Key | undefined): AsyncGenerator<Step<Difference>> {
  let after = from ? integer(from[1]) : 0;
  let batch: Change[];
  do {
    batch = await changesBetween(w.db, w.user_id, { from: w.since, to: w.at, after, limit: BATCH });
    for (const change of batch) {
      after = change.seq;
      const step = stepOf(w, [0, change.seq], change);
      if (step) yield step;
    }
  } while (batch.length === BATCH);
};

/** Traces that did not change but are blanked otherwise. Key: 1, timestamp, uid. */
const walkReblanked = async function* (w: DiffWalk, from: Key | undefined): AsyncGenerator<Step<Difference>> {
  for await (const { key, value } of walkTraces({ ...w, group_by: undefined }, from?.slice(1))) {
    if (value.seq > w.since) continue;
    const step = stepOf(w, [1, ...key], { seq: value.seq, uid: value.uid, before: value, after: value });
    if (step) yield step;
  }
};

const walkLedger = async function* (w: DiffWalk, from: Key | undefined): AsyncGenerator<Step<Difference>> {
  if (!from || from[0] === 0) yield* walkChanges(w, from);
  if (w.reblanked) yield* walkReblanked(w, from?.[0] === 1 ? from : undefined);
};

/** Steps by the seq at which they stand. */
const stepsAt = async (w: DiffWalk, seqs: number[]): Promise<Map<number, Step<Difference>>> => {
  const changes = await changesBetween(w.db, w.user_id, {
    from: w.since,
    to: w.at,
    after: 0,
    limit: seqs.length,
    seqs,
  });
  const untouched = await documents(
    w.db,
    w.user_id,
    seqs.filter((seq) => seq <= w.since),
  );
  const all = [
    ...changes,
    ...untouched.map((trace) => ({ seq: trace.seq, uid: trace.uid, before: trace, after: trace })),
  ];
  return new Map(
    all.flatMap((change) => {
      const step = stepOf(w, [], change);
      return step ? [[change.seq, step] as const] : [];
    }),
  );
};

/** Differences in the order of the ledger; in groups the walk is made twice, so that only places are held. Key there: how many were told. */
export const walkDiff = async function* (w: DiffWalk, from: Key | undefined): AsyncGenerator<Step<Difference>> {
  if (!w.group_by) return yield* walkLedger(w, from);
  const places: { seq: number; group: string | null }[] = [];
  for await (const { seq, group } of walkLedger(w, undefined)) places.push({ seq, group });
  const all = inGroups(places, (place) => place.group);
  for (let done = from ? integer(from[0]) : 0; done < all.length; done += BATCH) {
    const part = all.slice(done, done + BATCH);
    const steps = await stepsAt(
      w,
      part.map((place) => place.seq),
    );
    for (const [i, { seq }] of part.entries()) {
      const step = steps.get(seq);
      if (step) yield { ...step, key: [done + i + 1] };
    }
  }
};
