/** Reads the results of the four export modes, and the members that each mode adds to the answer. */
import type { Db } from '../../db/database.ts';
import type { Caller } from '../../domain/access/caller.ts';
import type { Blanking } from '../../domain/record/blanking.ts';
import { canonicalJson } from '../../domain/record/canonical-json.ts';
import { informationOf } from '../../domain/text/extractive-summary.ts';
import { createPacker } from '../../domain/text/token-budget.ts';
import type { TraceDoc } from '../../domain/record/trace.ts';
import type { Sensitive } from '../../ledger/sensitive-values.ts';
import type { Parameters, Request } from '../checkpoints.ts';
import { walkDiff, type DiffWalk, type Difference } from './diff.ts';
import { edgesOf, groupFactsOf } from './links.ts';
import { inOrder, mostUseful, omittedBy, type Ranked } from './summary-ranking.ts';
import { zoneAt } from '../queries.ts';
import { createReach, grouped, type Reach, type Reaches } from './link-reach.ts';
import type { Export } from '../schemas.ts';
import { createView, groupOf, isToldByPlan, summaryOf, type View } from './views.ts';
import { itemsAt, walkFull, walkLinked, type Key, type Walk } from './walks.ts';

export type Result = { key: Key; seq: number; group: string | null; element: object };

/** The members that a mode adds to the answer beside its results. */
export type ExtraMembers = Pick<Export, 'omitted' | 'token_count' | 'edges' | 'missing' | 'from_seq'>;

export type Reading = {
  results: AsyncIterable<Result>;
  /** Computes those members for the results of one page. */
  extraMembers: (page: Result[]) => ExtraMembers | Promise<ExtraMembers>;
  /** True where one page holds all results. */
  whole?: boolean;
};

export type ModesDeps = { db: Db; sensitive: Sensitive; reaches: Reaches };

/** The facts that decide groups are read for this many traces at once. */
const FACTS_BATCH = 5_000;

/** Under a budget, the texts of this many more traces than can fit are compared by what they tell. */
const MORE_READ = 500;
/** What a text full of names, numbers, dates and decisions adds to the score. */
const FOR_INFORMATION = 1.5;

const withGroup = (element: object, group: string | null, { group_by }: Parameters): object =>
  group_by ? { ...element, group } : element;

const traceItem = (doc: TraceDoc) => ({ subject: 'trace' as const, doc });

const differenceOf = ({ op, subject, uid, shown, patch }: Difference, { include }: Parameters): object => ({
  op,
  ...(include ? { subject } : {}),
  uid,
  ...(shown ? { [subject]: shown } : {}),
  ...(patch ? { patch } : {}),
});

/**
 * The most useful summaries that fit the token budget, in the order of the export. Which fit depends on all of them, so there
 * is one page.
 */
const summariesInBudget = async (
  w: Walk,
  view: View,
  p: Parameters,
  { budget, zone }: { budget: number; zone: string },
): Promise<Reading> => {
  const packer = createPacker(budget);
  const kept = new Map<number, Result & { uid: string }>();
  const ranked: Ranked = w;
  const scored = packer.isFull() ? [] : await mostUseful(ranked, packer.most + MORE_READ);
  const offers: (Result & { uid: string; score: number })[] = [];
  for await (const [{ seq, score }, document] of itemsAt(w, scored)) {
    const doc = document as unknown as TraceDoc;
    const group = p.group_by ? groupOf(doc, p.group_by, p.zone) : null;
    const element = withGroup(summaryOf(view(traceItem(doc)), zone), group, p);
    offers.push({
      key: [],
      seq,
      group,
      element,
      uid: doc.uid,
      score: score + FOR_INFORMATION * informationOf(doc.summary),
    });
  }
  for (const offer of offers.sort((a, b) => b.score - a.score)) {
    if (packer.isFull()) break;
    if (packer.offer(JSON.stringify(offer.element))) kept.set(offer.seq, offer);
  }
  const omitted = await omittedBy(ranked, [...kept.keys()]);
  const column = p.group_by === 'task' ? 'task_id' : p.group_by === 'trace_type' ? 'type' : null;
  const order = await inOrder(
    ranked,
    Array.from(kept.values(), (result) => result.uid),
    column,
  );
  return {
    results: (async function* () {
      for (const seq of order) yield kept.get(seq) as Result;
    })(),
    extraMembers: () => ({ omitted, token_count: packer.tokens() }),
    whole: true,
  };
};

const summaries = (
  w: Walk,
  view: View,
  p: Parameters,
  { from, zone }: { from: Key | undefined; zone: string },
): Reading => ({
  results: (async function* () {
    for await (const { key, seq, value, group } of walkFull(w, from))
      if (!(value.subject === 'trace' && isToldByPlan(value.doc)))
        yield { key, seq, group, element: withGroup(summaryOf(view(value), zone), group, p) };
  })(),
  extraMembers: () => ({ omitted: null }),
});

const full = (w: Walk, view: View, p: Parameters, from: Key | undefined): Reading => ({
  results: (async function* () {
    for await (const { key, seq, value, group } of walkFull(w, from)) {
      const shown = p.include ? { subject: value.subject, ...view(value) } : view(value);
      yield { key, seq, group, element: withGroup(shown, group, p) };
    }
  })(),
  extraMembers: () => ({}),
});

const reachOf = (w: Walk, max_depth: number | undefined): Reach => {
  const reach = createReach(w, { filter: w.filter, max_depth });
  const { group_by } = w;
  if (!group_by) return reach;
  return grouped(reach, async (seqs) => {
    const groups: (string | null)[] = [];
    for (let done = 0; done < seqs.length; done += FACTS_BATCH)
      for (const facts of await groupFactsOf(w, seqs.slice(done, done + FACTS_BATCH)))
        groups.push(groupOf(facts, group_by, w.zone));
    return groups;
  });
};

export const createModes = ({ db, sensitive, reaches }: ModesDeps) => {
  const linked = (w: Walk, view: View, p: Parameters, from: Key | undefined): Reading => {
    const { user_id, at, filter, group_by, zone } = w;
    const { max_depth } = p;
    const question = canonicalJson(JSON.parse(JSON.stringify({ user_id, at, filter, group_by, zone, max_depth })));
    const reached = (count: number) => reaches.first(question, () => reachOf(w, max_depth), count);
    return {
      results: (async function* () {
        for await (const { key, seq, value, group } of walkLinked(w, reached, from)) {
          const shown = { ...view(traceItem(value.trace)), depth: value.depth };
          yield { key, seq, group, element: withGroup(shown, group, p) };
        }
      })(),
      extraMembers: (page) =>
        edgesOf(
          w,
          page.map(({ element }) => element as TraceDoc),
        ),
    };
  };

  const diff = async (caller: Caller, w: Walk, p: Parameters, from: Key | undefined): Promise<Reading> => {
    const since = p.from_seq ?? 0;
    const { before, earlier, after, differ } = await sensitive.viewsBetween(caller, since, w.at);
    const view = (show: Blanking): View => createView({ show, feedback: p.include_feedback });
    const walk: DiffWalk = {
      ...w,
      since,
      ...{ before: view(before), earlier: view(earlier), after: view(after), reblanked: differ },
    };
    return {
      results: (async function* () {
        for await (const { key, seq, value, group } of walkDiff(walk, from))
          yield { key, seq, group, element: withGroup(differenceOf(value, p), group, p) };
      })(),
      extraMembers: () => ({ from_seq: since }),
    };
  };

  /** Reads the results of an export from a key on, as this credential may see them. */
  const read = async (
    caller: Caller,
    { parameters: p, at }: Request,
    from: Key | undefined,
    at_once: number,
  ): Promise<Reading> => {
    const { group_by, zone } = p;
    const show = await sensitive.viewOf(caller, at);
    // A reader who is not shown a tag does not find anything by it.
    const filter = p.filter.tag === undefined ? p.filter : { ...p.filter, tag: show(p.filter.tag) };
    const w: Walk = {
      db,
      user_id: caller.user_id,
      at,
      filter,
      group_by,
      zone,
      subjects: p.include ?? ['trace'],
      at_once,
    };
    const view = createView({ show, feedback: p.include_feedback });
    if (p.export_format === 'full') return full(w, view, p, from);
    if (p.export_format === 'linked') return linked(w, view, p, from);
    if (p.export_format === 'diff') return diff(caller, w, p, from);
    const planZone = await zoneAt(db, caller.user_id, at);
    return p.max_token_count === undefined
      ? summaries(w, view, p, { from, zone: planZone })
      : summariesInBudget(w, view, p, { budget: p.max_token_count, zone: planZone });
  };

  return { read };
};
