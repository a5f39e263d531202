/** Context export: pages and streams of each mode, from what was known at one seq; and checkpoints that repeat them. */
import { hash } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { Db } from '../db/client.ts';
import type { Caller } from '../domain/caller.ts';
import { canonicalJson } from '../domain/jcs.ts';
import { packSummaries, usefulness, type PackItem } from '../domain/pack.ts';
import type { Instant } from '../domain/time.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { SummaryCache } from './cache.ts';
import { keepCheckpoint, listCheckpoints, type Parameters, type Request } from './checkpoints.ts';
import { selectTraces } from '../memory/queries.ts';
import { readRequest } from './parameters.ts';
import { sensitiveValues } from './queries.ts';
import type { Export, ExportQuery } from './schema.ts';
import { countGroups, createView, summaryOf, type View } from './views.ts';
import { linkedGraph, walkDiff, walkLinked, walkTraces, type DiffWalk, type Key, type Walk } from './walks.ts';

export type MemportDeps = { db: Db; ledger: Ledger; clock: Clock; cache: SummaryCache<Page> };

/** Where a walk of pages stands. */
export type Position = { at: number; key: Key };

export type Page = { body: Omit<Export, 'next_cursor'>; next: Position | null };

/** Reads the client's cursor, which is bound to the question it continues. */
export type ReadPosition = (question: string) => Position | undefined;

export type Answer = Page & {
  question: string;
  /** Summary exports: the tag of what is answered, and whether it was made before. */
  etag?: string;
  cached?: boolean;
};

/** Long results make shorter pages: an answer is built in memory. */
const MAX_PAGE_CHARACTERS = 16_000_000;

type Result = { key: Key; seq: number; group: string | null; element: object };

/** What a mode tells beside its results. */
type Beside = Pick<Export, 'omitted' | 'edges' | 'missing' | 'from_seq'>;

type Reading = { results: AsyncIterable<Result>; beside: (page: Result[]) => Beside };

const withGroup = (element: object, group: string | null, { group_by }: Parameters): object =>
  group_by ? { ...element, group } : element;

/** The most useful summaries within the budget, in their order; decided over all of them, so there is one page. */
const packed = async (
  all: AsyncIterable<Result & { score: number; timestamp: Instant }>,
  budget: number,
): Promise<Reading> => {
  const results = new Map<string, Result>();
  const items: PackItem[] = [];
  for await (const { score, timestamp, ...result } of all) {
    const key = String(result.seq);
    results.set(key, result);
    items.push({ key, json: JSON.stringify(result.element), score, timestamp });
  }
  const { keys, omitted } = packSummaries(items, budget);
  const kept = keys.flatMap((key) => results.get(key) ?? []);
  return {
    results: (async function* () {
      yield* kept;
    })(),
    beside: () => ({ omitted }),
  };
};

export const createMemportService = ({ db, ledger, clock, cache }: MemportDeps) => {
  const isTrusted = (caller: Caller): boolean => caller.scopes.has('export:sensitive');

  const sensitiveTo = async (caller: Caller, seq: number): Promise<string[] | null> =>
    isTrusted(caller) ? null : sensitiveValues(db, caller.user_id, seq);

  const summaries = async (w: Walk, view: View, p: Parameters, from: Key | undefined): Promise<Reading> => {
    const each = async function* () {
      for await (const { key, seq, value, group } of walkTraces(w, from))
        yield { key, seq, group, trace: value, element: withGroup(summaryOf(view(value)), group, p) };
    };
    const { max_token_count: budget } = p;
    if (budget === undefined) return { results: each(), beside: () => ({ omitted: null }) };
    // Recency is counted from the newest trace, not from now: the same state gives the same summary.
    const [latest] = await selectTraces(db, w.user_id, w.filter, { order: 'desc', limit: 1 }, w.at);
    const newest = latest?.timestamp ?? clock.now();
    const scored = async function* () {
      for await (const { trace, ...result } of each()) {
        const links = trace.linked_trace_ids.length + trace.child_trace_ids.length + (trace.linked_event_uid ? 1 : 0);
        yield { ...result, timestamp: trace.timestamp, score: usefulness({ ...trace, links }, newest) };
      }
    };
    return packed(scored(), budget);
  };

  const full = (w: Walk, view: View, p: Parameters, from: Key | undefined): Reading => ({
    results: (async function* () {
      for await (const { key, seq, value, group } of walkTraces(w, from))
        yield { key, seq, group, element: withGroup(view(value), group, p) };
    })(),
    beside: () => ({}),
  });

  const linked = async (w: Walk, view: View, p: Parameters, from: Key | undefined): Promise<Reading> => {
    const graph = await linkedGraph(w);
    return {
      results: (async function* () {
        for await (const { key, seq, value, group } of walkLinked(w, graph, from))
          yield { key, seq, group, element: withGroup({ ...view(value.trace), depth: value.depth }, group, p) };
      })(),
      beside: (page) => {
        const edges = page.flatMap(({ element }) => graph.edgesOf((element as { uid: string }).uid));
        return { edges, missing: [...new Set(edges.map((e) => e.to).filter((uid) => !graph.exists(uid)))] };
      },
    };
  };

  const diff = async (
    caller: Caller,
    w: Walk,
    view: View,
    p: Parameters,
    known: string[] | null,
    from: Key | undefined,
  ): Promise<Reading> => {
    const since = p.from_seq ?? 0;
    const knownThen = await sensitiveTo(caller, since);
    const walk: DiffWalk = {
      ...w,
      since,
      before: createView({ sensitive: knownThen, feedback: p.include_feedback }),
      after: view,
      reblanked: (known?.length ?? 0) > (knownThen?.length ?? 0),
    };
    return {
      results: (async function* () {
        for await (const { key, seq, value, group } of walkDiff(walk, from))
          yield { key, seq, group, element: withGroup(value, group, p) };
      })(),
      beside: () => ({ from_seq: since }),
    };
  };

  const read = async (caller: Caller, { parameters: p, at }: Request, from: Key | undefined): Promise<Reading> => {
    const w: Walk = { db, user_id: caller.user_id, at, filter: p.filter, group_by: p.group_by, zone: p.zone };
    const sensitive = await sensitiveTo(caller, at);
    const view = createView({ sensitive, feedback: p.include_feedback });
    if (p.export_format === 'summary') return summaries(w, view, p, from);
    if (p.export_format === 'full') return full(w, view, p, from);
    return p.export_format === 'linked' ? linked(w, view, p, from) : diff(caller, w, view, p, sensitive, from);
  };

  const page = async (caller: Caller, request: Request, from: Key | undefined): Promise<Page> => {
    const { parameters: p, at, checkpoint } = request;
    const { results, beside } = await read(caller, request, from);
    const shown: Result[] = [];
    let size = 0;
    let more = false;
    for await (const result of results) {
      size += JSON.stringify(result.element).length;
      const isFull = shown.length === p.limit || size > MAX_PAGE_CHARACTERS;
      more = isFull && shown.length > 0 && p.max_token_count === undefined;
      if (more) break;
      shown.push(result);
    }
    const last = shown.at(-1);
    const body = {
      user_id: caller.user_id,
      export_format: p.export_format,
      results: shown.map((r) => r.element) as Export['results'],
      ...(p.group_by ? { groups: countGroups(shown.map((r) => r.group)) } : {}),
      ...beside(shown),
      ...(checkpoint === undefined ? {} : { checkpoint }),
      as_of_seq: at,
      generated_at: request.generated_at ?? clock.now(),
    };
    return { body, next: more && last ? { at, key: last.key } : null };
  };

  /** The request and where its walk stands. A walk stays at the seq of its first page, and its checkpoint is made there. */
  const resolve = async (
    caller: Caller,
    query: ExportQuery,
    positionOf: ReadPosition,
  ): Promise<{ request: Request; question: string; from: Key | undefined }> => {
    const { user_id, checkpoint, cursor } = query;
    const isKept = checkpoint !== undefined && cursor !== undefined;
    const asked = await readRequest(db, caller, isKept ? { user_id, from_checkpoint: checkpoint } : query);
    const question = canonicalJson(JSON.parse(JSON.stringify(asked.parameters)));
    const position = positionOf(question);
    if (!position)
      return {
        request:
          checkpoint === undefined ? asked : await keepCheckpoint(ledger, caller, checkpoint, asked, clock.now()),
        question,
        from: undefined,
      };
    const at = asked.checkpoint === undefined ? Math.min(position.at, asked.head) : asked.at;
    return { request: { ...asked, at }, question, from: position.key };
  };

  /**
   * A page of an export. Summaries come from the cache where the same was asked at the same seq.
   * @param isKnown whether the client has what a tag stands for; then nothing is made.
   */
  const exportPage = async (
    caller: Caller,
    query: ExportQuery,
    positionOf: ReadPosition,
    isKnown: (etag: string) => boolean,
  ): Promise<Answer | { etag: string; unchanged: true }> => {
    const { request, question, from } = await resolve(caller, query, positionOf);
    if (request.parameters.export_format !== 'summary') return { ...(await page(caller, request, from)), question };
    const { at, checkpoint } = request;
    const identity = canonicalJson({
      user_id: caller.user_id,
      at,
      question,
      checkpoint: checkpoint ?? null,
      from: from ?? null,
      trusted: isTrusted(caller),
    });
    const etag = hash('sha256', identity, 'base64url');
    if (isKnown(etag)) return { etag, unchanged: true };
    const known = cache.get(etag);
    const answer = known ?? (await page(caller, request, from));
    if (!known) cache.set(etag, answer);
    return { ...answer, question, etag, cached: known !== undefined };
  };

  /** All results, one JSON text per line, at one seq however long it takes; the first is read before this answers. */
  const exportLines = async (
    caller: Caller,
    query: ExportQuery,
    positionOf: ReadPosition,
  ): Promise<{ at: number; lines: AsyncIterable<string> }> => {
    const { request, from } = await resolve(caller, query, positionOf);
    const { results } = await read(caller, request, from);
    const iterator = results[Symbol.asyncIterator]();
    const first = await iterator.next();
    return { at: request.at, lines: inChunks(first, iterator) };
  };

  return {
    exportPage,
    exportLines,
    checkpoints: (user_id: string, after: string | undefined, limit: number) =>
      listCheckpoints(db, user_id, after, limit),
  };
};

/** Characters written at once: fewer, larger writes. */
const CHUNK = 64 * 1024;

const inChunks = async function* (first: IteratorResult<Result>, rest: AsyncIterator<Result>): AsyncGenerator<string> {
  let chunk = '';
  for (let step = first; !step.done; step = await rest.next()) {
    chunk += `${JSON.stringify(step.value.element)}\n`;
    if (chunk.length < CHUNK) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk) yield chunk;
};

export type MemportService = ReturnType<typeof createMemportService>;
