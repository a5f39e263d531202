/**
 * Computes the differences that turn an earlier export into a later one. Each side is seen as this credential sees, or saw, it.
 */
import { jsonPatch, type PatchOperation } from '../../domain/record/json-patch.ts';
import type { TraceFilter } from '../../memory/queries.ts';
import { changesPage, type Change } from '../queries.ts';
import type { Subject } from '../schemas.ts';
import { groupOf, inGroups, type Exported, type Item, type View } from './views.ts';
import { integer, itemsAt, walkFull, type Key, type Step, type Walk } from './walks.ts';

const BATCH = 500;

export type Difference = { op: 'added' | 'changed' | 'removed'; subject: Subject; uid: string } & {
  shown?: Exported;
  patch?: PatchOperation[];
};

export type DiffWalk = Walk & {
  /** The seq of the earlier point; `at` is the later one. */
  since: number;
  /** How this credential is shown documents of the earlier point and of the later one. */
  before: View;
  after: View;
  /** How documents of the earlier point were shown then, when other values were hidden. */
  earlier: View;
  /** True where other values are hidden now than then, so that unchanged documents look different too. */
  reblanked: boolean;
};

/** One document at both points; null where it did not exist. */
type Pair = { seq: number; uid: string; subject: Subject; before: Item | null; after: Item | null };

/**
 * Whether the filter selects a document, as conditions() decides in SQL. A diff has no window, and the profile is always
 * selected.
 */
const isSelected = ({ task_id, tempo_tag, type, tag }: TraceFilter, item: Item): boolean => {
  if (item.subject === 'profile') return true;
  const { doc } = item;
  return (
    (task_id === undefined || doc.task_id === task_id) &&
    (tempo_tag === undefined || doc.tempo_tag === tempo_tag) &&
    (type === undefined || (item.subject === 'trace' && item.doc.type === type)) &&
    (tag === undefined || doc.tags.includes(tag))
  );
};

/**
 * The patch from the earlier document, whether the client has it as it is shown now or as it was shown then. A member in which
 * the two differ is replaced whole: a patch of its parts would fail on one of them, or name what is hidden now.
 */
const patchBetween = (w: DiffWalk, before: Item, after: Item): PatchOperation[] => {
  const [from, to] = [w.before(before), w.after(after)];
  if (!w.reblanked) return jsonPatch(from, to);
  const then = w.earlier(before);
  const other = Object.keys(from).filter((name) => jsonPatch([then[name]], [from[name]]).length > 0);
  const without = (shown: Exported): object =>
    Object.fromEntries(Object.entries(shown).filter(([name]) => !other.includes(name)));
  return [
    ...jsonPatch(without(from), without(to)),
    ...other.map((name): PatchOperation => {
      const path = `/${name}`;
      return to[name] === undefined ? { op: 'remove', path } : { op: 'replace', path, value: to[name] };
    }),
  ];
};

/** What changes between the two states; null where nothing does. */
const difference = (
  w: DiffWalk,
  { uid, subject }: Pair,
  before: Item | null,
  after: Item | null,
): Difference | null => {
  if (!after) return before ? { op: 'removed', subject, uid } : null;
  if (!before) return { op: 'added', subject, uid, shown: w.after(after) };
  const patch = patchBetween(w, before, after);
  return patch.length ? { op: 'changed', subject, uid, patch } : null;
};

const stepOf = (w: DiffWalk, key: Key, pair: Pair): Step<Difference> | null => {
  const [before, after] = [pair.before, pair.after].map((item) => (item && isSelected(w.filter, item) ? item : null));
  const value = difference(w, pair, before ?? null, after ?? null);
  const item = after ?? before;
  const group = w.group_by && item?.subject === 'trace' ? groupOf(item.doc, w.group_by, w.zone) : null;
  return value && { key, seq: pair.seq, value, group };
};

/** Reads for each change the documents at its two ends. */
const pairsOf = async function* (w: DiffWalk, changes: Change[]): AsyncGenerator<Pair> {
  const ends = changes.flatMap((change) =>
    (['before', 'after'] as const).flatMap((end) => {
      const seq = change[end];
      return seq === null ? [] : { seq, end, change };
    }),
  );
  const found = itemsAt(w, ends);
  let next = await found.next();
  for (const change of changes) {
    const { seq, uid, subject } = change;
    const pair: Pair = { seq, uid, subject, before: null, after: null };
    for (; !next.done && next.value[0].change === change; next = await found.next()) {
      const [{ end }, doc] = next.value;
      pair[end] = { subject, doc } as unknown as Item;
    }
    yield pair;
  }
};

/** Yields what changed, in the order of the ledger. Key: 0, seq. */
const walkChanges = async function* (w: DiffWalk, from: Key | undefined): AsyncGenerator<Step<Difference>> {
  const between = { subjects: w.subjects, from: w.since, to: w.at };
  let after = from ? integer(from[1]) : 0;
  let batch: Change[];
  do {
    batch = await changesPage(w.db, w.user_id, between, after, BATCH);
    for await (const pair of pairsOf(w, batch)) {
      after = pair.seq;
      const step = stepOf(w, [0, pair.seq], pair);
      if (step) yield step;
    }
  } while (batch.length === BATCH);
};

/** Yields what did not change but is blanked differently. Key: 1, and the key in the walk of everything. */
const walkReblanked = async function* (w: DiffWalk, from: Key | undefined): AsyncGenerator<Step<Difference>> {
  for await (const { key, seq, value } of walkFull({ ...w, group_by: undefined }, from?.slice(1))) {
    if (seq > w.since) continue;
    const step = stepOf(w, [1, ...key], { ...unchanged(value), seq });
    if (step) yield step;
  }
};

const unchanged = (item: Item): Omit<Pair, 'seq'> => ({
  subject: item.subject,
  uid: item.subject === 'profile' ? item.doc.user_id : item.doc.uid,
  before: item,
  after: item,
});

const walkLedger = async function* (w: DiffWalk, from: Key | undefined): AsyncGenerator<Step<Difference>> {
  if (!from || from[0] === 0) yield* walkChanges(w, from);
  if (w.reblanked) yield* walkReblanked(w, from?.[0] === 1 ? from : undefined);
};

/** Computes the steps at these seqs, changed or blanked differently, in the order given. */
const stepsAt = async (w: DiffWalk, seqs: number[]): Promise<Step<Difference>[]> => {
  const steps = new Map<number, Step<Difference>>();
  const between = { subjects: w.subjects, from: w.since, to: w.at, seqs };
  const note = (pair: Pair): void => {
    const step = stepOf(w, [], pair);
    if (step) steps.set(pair.seq, step);
  };
  for await (const pair of pairsOf(w, await changesPage(w.db, w.user_id, between, 0, seqs.length))) note(pair);
  const untouched = seqs.filter((seq) => seq <= w.since).map((seq) => ({ seq }));
  for await (const [{ seq }, doc] of itemsAt(w, untouched))
    note({ ...unchanged({ subject: 'trace', doc } as unknown as Item), seq });
  return seqs.flatMap((seq) => steps.get(seq) ?? []);
};

/** Documents of this many steps are held at once where steps are read a second time. */
const STEPS_AT_ONCE = 50;

/**
 * Yields differences in the order of the ledger, or in groups. For groups it walks twice, so that only positions are held in
 * memory; the key is then the number of results so far.
 */
export const walkDiff = async function* (w: DiffWalk, from: Key | undefined): AsyncGenerator<Step<Difference>> {
  if (!w.group_by) return yield* walkLedger(w, from);
  const found: { seq: number; group: string | null }[] = [];
  for await (const { seq, group } of walkLedger(w, undefined)) found.push({ seq, group });
  const seqs = inGroups(found, (one) => one.group).map((one) => one.seq);
  for (let done = from ? integer(from[0]) : 0; done < seqs.length; done += STEPS_AT_ONCE)
    for (const [i, step] of (await stepsAt(w, seqs.slice(done, done + STEPS_AT_ONCE))).entries())
      yield { ...step, key: [done + i + 1] };
};
