/** Exports context: pages and streams of each mode, all from one seq, and checkpoints that give an export again. */
import { hash } from 'node:crypto';
import type { Clock } from '../common/clock.ts';
import type { Db } from '../db/database.ts';
import type { Caller } from '../domain/access/caller.ts';
import { canonicalJson } from '../domain/record/canonical-json.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { LedgerPositions } from '../ledger/ledger-position.ts';
import { isTrusted, type Sensitive } from '../ledger/sensitive-values.ts';
import { createSummaryCache } from './export/summary-cache.ts';
import { deleteCheckpoint, countCheckpoints, listCheckpoints, MAX_CHECKPOINTS, type Request } from './checkpoints.ts';
import { createModes, type Result } from './export/modes.ts';
import { createLedgerPages } from './ledger-lines.ts';
import type { LedgerQuery } from './ledger-schemas.ts';
import { createReaches } from './export/link-reach.ts';
import type { Export, ExportQuery } from './schemas.ts';
import { countGroups } from './export/views.ts';
import type { Key } from './export/walks.ts';
import { createPoints, type Position, type ReadPosition } from './export/points.ts';

export type MemportDeps = {
  db: Db;
  ledger: Ledger;
  clock: Clock;
  positions: LedgerPositions;
  sensitive: Sensitive;
  /** 0 disables the cache of summaries. */
  summaryCacheMinutes: number;
  maxCheckpoints?: number | undefined;
};

export type Page = { body: Omit<Export, 'next_cursor'>; next: Position | null };

export type Answer = Page & {
  question: string;
  /** For summary exports: the ETag, and whether the answer came from the cache. */
  etag?: string;
  cached?: boolean;
};

/** A page ends at this many characters, since an answer is built in memory and an import accepts a page unchanged. */
const MAX_PAGE_CHARACTERS = 1_000_000;

export const createMemportService = ({
  db,
  ledger,
  clock,
  positions,
  sensitive,
  summaryCacheMinutes,
  maxCheckpoints = MAX_CHECKPOINTS,
}: MemportDeps) => {
  const cache = createSummaryCache<Page>({ minutes: summaryCacheMinutes, clock });
  const { askerOf, resolve, keep, move } = createPoints({ clock, db, ledger, maxCheckpoints });
  const ledgerPage = createLedgerPages({ db, sensitive });
  const { read } = createModes({ db, sensitive, reaches: createReaches() });

  const page = async (caller: Caller, request: Request, from: Key | undefined): Promise<Page> => {
    const { parameters: p, at, checkpoint } = request;
    const { results, extraMembers, whole = false } = await read(caller, request, from, p.limit + 1);
    const shown: Result[] = [];
    let size = 0;
    let more = false;
    for await (const result of results) {
      if (!whole) size += JSON.stringify(result.element).length;
      const isFull = shown.length === p.limit || size > MAX_PAGE_CHARACTERS;
      more = !whole && isFull && shown.length > 0;
      if (more) break;
      shown.push(result);
    }
    const last = shown.at(-1);
    const body = {
      user_id: caller.user_id,
      export_format: p.export_format,
      results: shown.map((r) => r.element),
      ...(p.group_by ? { groups: countGroups(shown.map((r) => r.group)) } : {}),
      ...(await extraMembers(shown)),
      ...(checkpoint === undefined ? {} : { checkpoint }),
      as_of_seq: at,
      generated_at: request.generated_at ?? clock.now(),
    };
    return { body, next: more && last ? { at, key: last.key } : null };
  };

  /**
   * A page of an export. A summary for the same query and seq comes from the cache.
   * @param isKnown whether the client already has the answer with an ETag; then the page is not built
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
      mark: (await positions.markAt(caller.user_id, at)) ?? null,
      question,
      checkpoint: checkpoint ?? null,
      from: from ?? null,
      trusted: isTrusted(caller),
      hidden: await sensitive.stateOf(caller),
    });
    const etag = hash('sha256', identity, 'base64url');
    if (isKnown(etag)) return { etag, unchanged: true };
    const known = cache.get(etag);
    const answer = known ?? (await page(caller, request, from));
    if (!known) cache.set(etag, answer);
    return { ...answer, question, etag, cached: known !== undefined };
  };

  /**
   * All results as one JSON text per line, all from one seq. It reads the first result before it returns, so that faults are
   * answered with their status.
   */
  const exportLines = async (
    caller: Caller,
    query: ExportQuery,
    positionOf: ReadPosition,
  ): Promise<{ at: number; lines: AsyncIterable<string> }> => {
    const { request, from } = await resolve(caller, query, positionOf);
    const { results } = await read(caller, request, from, STREAM_AT_ONCE);
    const iterator = results[Symbol.asyncIterator]();
    const first = await iterator.next();
    return { at: request.at, lines: inChunks(first, iterator) };
  };

  return {
    keep,
    move,
    forget: (caller: Caller, tag: string) => deleteCheckpoint(ledger, caller, tag),
    exportPage,
    exportLines,
    ledgerPage: (caller: Caller, query: LedgerQuery, below: { at: number; seq: number } | undefined) =>
      ledgerPage(caller, askerOf(caller), query, below),
    checkpoints: (user_id: string, after: string | undefined, limit: number) =>
      listCheckpoints(db, user_id, after, limit),
    countCheckpoints: (user_id: string) => countCheckpoints(db, user_id),
  };
};

/** A stream finds this many results at once: few statements, and few positions in memory. */
const STREAM_AT_ONCE = 2_000;
/** Lines are sent in chunks of this many characters, since fewer and larger writes are faster. */
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
