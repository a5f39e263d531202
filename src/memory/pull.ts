/** Lists traces, as they are or were, and the versions of one. */
import type { Clock } from '../common/clock.ts';
import { runYielding } from '../common/yielding.ts';
import { forPage, type Db } from '../db/database.ts';
import { PAGE_BYTES } from '../db/row-pages.ts';
import type { Caller } from '../domain/access/caller.ts';
import { showing, type Blanking } from '../domain/record/blanking.ts';
import { jsonPatch } from '../domain/record/json-patch.ts';
import type { TraceDoc } from '../domain/record/trace.ts';
import { readTime, type Instant } from '../domain/time/time.ts';
import { notFound } from '../common/problem.ts';
import { readActors } from '../ledger/actors.ts';
import { countVersions, resolveAsOf, versionsOf, type Asker, type Entry } from '../ledger/read-ledger.ts';
import type { Sensitive } from '../ledger/sensitive-values.ts';
import { countTraces, selectNow, selectTraces, type TraceFilter } from './queries.ts';
import type { HistoryEntry, PullQuery } from './schemas.ts';

export type PullDeps = { clock: Clock; db: Db; reads: Db; sensitive: Sensitive };

export const filterOf = (caller: Caller, query: Partial<PullQuery>): TraceFilter => ({
  ...query,
  start: query.start_time === undefined ? undefined : (readTime(query.start_time, caller.zone, 'start') as Instant),
  end: query.end_time === undefined ? undefined : (readTime(query.end_time, caller.zone, 'end') as Instant),
});

type Version = Entry<TraceDoc>;

/**
 * The first versions, each with what it changed. They end before they exceed a page of bytes, since a patch can be much larger than
 * the trace.
 */
function* historyOf(
  versions: readonly Version[],
  most: number,
  show: Blanking,
  actorOf: (actor: string) => HistoryEntry['actor'],
): Generator<undefined, HistoryEntry[]> {
  const items: HistoryEntry[] = [];
  let bytes = 0;
  let trace = versions[0] && (yield* showing(show, versions[0].payload));
  for (const [i, { version, seq, recorded_at, actor, kind }] of versions.slice(0, most).entries()) {
    yield;
    const earlier = versions[i + 1];
    const before = earlier && (yield* showing(show, earlier.payload));
    const action = kind.slice(kind.indexOf('.') + 1);
    const changes = before ? jsonPatch(before, trace) : [];
    const item = { version, seq, recorded_at, actor: actorOf(actor), action, changes, trace: trace as TraceDoc };
    bytes += Buffer.byteLength(JSON.stringify(item));
    if (items.length && bytes > PAGE_BYTES) break;
    items.push(item);
    trace = before;
  }
  return items;
}

export const createPull = ({ clock, db, reads, sensitive }: PullDeps) => {
  const askerOf = ({ user_id, zone }: Caller): Asker => ({ user_id, zone, now: clock.now() });

  /** A page, and the seq it is true for. All pages have the seq of the first one, so that later writes do not shift them. */
  const pull = async (
    caller: Caller,
    query: PullQuery,
    position: { at: number; after: [Instant, string] | undefined } | undefined,
  ): Promise<{ items: TraceDoc[]; at: number; more: boolean }> => {
    const from = forPage({ db, reads }, query.limit);
    const asked = position?.at ?? (await resolveAsOf(reads, askerOf(caller), query.as_of));
    const sort = { order: query.order, after: position?.after, limit: query.limit + 1 };
    const filter = filterOf(caller, await asShown(caller, query));
    const { head, ...page } =
      asked === undefined
        ? await selectNow(from, caller.user_id, filter, sort)
        : { ...(await selectTraces(from, caller.user_id, filter, sort, asked)), head: asked };
    return { ...page, at: head };
  };

  /** A reader who is not shown a tag does not find traces by it. */
  const asShown = async (caller: Caller, query: PullQuery): Promise<PullQuery> =>
    query.tag === undefined ? query : { ...query, tag: await sensitive.present(caller, query.tag) };

  /** How many traces a pull has on all pages, as of a seq. */
  const count = async (caller: Caller, query: PullQuery, at: number): Promise<number | null> =>
    countTraces(db, caller.user_id, filterOf(caller, await asShown(caller, query)), at);

  const history = async (
    caller: Caller,
    uid: string,
    { as_of, below, limit }: { as_of?: string | undefined; below?: number | undefined; limit: number },
  ): Promise<{ items: HistoryEntry[]; more: boolean; count: () => Promise<number | null> }> => {
    const until = await resolveAsOf(reads, askerOf(caller), as_of);
    const from = forPage({ db, reads }, limit);
    // The page needs one more version, to compute what its last entry changed.
    const asked = { until, below, limit: limit + 1 };
    const { items: versions, more } = await versionsOf<TraceDoc>(from, caller.user_id, 'trace', uid, asked);
    if (!versions.length && below === undefined) throw notFound('trace', uid);
    // The patch compares texts as the caller may see them, so that it reveals no sensitive value.
    const show = await sensitive.viewOfVersions(caller);
    const actorOf = await readActors(
      from,
      caller.user_id,
      versions.map((entry) => entry.actor),
    );
    const most = more ? versions.length - 1 : limit;
    const items = await runYielding(historyOf(versions, most, show, actorOf));
    const count = () => countVersions(db, caller.user_id, 'trace', uid, until);
    return { items, more: versions.length > items.length, count };
  };

  return { pull, count, history };
};
