/** Reads pages of occurrences in a window: single events through an index, series expanded no further than a page needs. */
import { Problem } from '../common/problem.ts';
import { atMostCounted } from '../db/count-rows.ts';
import type { Db } from '../db/database.ts';
import { PAGE_BYTES, type Page } from '../db/row-pages.ts';
import type { Happening } from '../domain/calendar/series-expansion.ts';
import { toSpan, type Span } from '../domain/time/spans.ts';
import { instantOf, millis, type Instant, type Interval } from '../domain/time/time.ts';
import { SERIES_STEPS } from './calendar-bounds.ts';
import { changedSince, countSingles, seriesIn, singlesPage } from './queries.ts';
import type { EventResource, Occurrence } from './schemas.ts';
import { happeningOf, inOrder, withTimeline } from './timeline.ts';
import { runYielding } from '../common/yielding.ts';

/** The sort key of an occurrence: start, uid, and recurrence_id or ''. */
export type OccurrenceKey = [Instant, string, string];

export type OccurrencePage = {
  tag?: string | undefined;
  after?: OccurrenceKey | undefined;
  limit: number;
  /** At most this many occurrences of each series, and no more than a fair share of half the page. */
  each?: number;
  /** The page ends before it exceeds this; PAGE_BYTES by default. */
  bytes?: number;
};

export const keyOf = (o: Occurrence): OccurrenceKey => [o.scheduled_for, o.uid, o.recurrence_id ?? ''];

/** The sort key with numbers. An event without recurrence_id has -Infinity. */
type SortPosition = [start: number, uid: string, id: number];

const positionOf = ([at, uid, id]: OccurrenceKey): SortPosition => [
  millis(at),
  uid,
  id === '' ? -Infinity : millis(id),
];

/** Sorts as the database does (collate "C" compares bytes), so that a page begins where the one before ended. */
const comparePositions = (a: SortPosition, b: SortPosition): number => {
  if (a[0] !== b[0]) return a[0] - b[0];
  if (a[1] === b[1]) return a[2] === b[2] ? 0 : a[2] - b[2];
  return Buffer.compare(Buffer.from(a[1]), Buffer.from(b[1]));
};

const toOccurrence = ({ overrides: _o, ics: _i, href: _h, ...event }: EventResource): Occurrence => event;

const isTagged = (event: EventResource, tag: string | undefined): boolean =>
  tag === undefined || event.tempo_tag === tag || event.tags.includes(tag);

/** An occurrence whose document is not built yet: many are examined and few are on the page. */
type Candidate = { position: SortPosition; event: EventResource; happening: Happening<EventResource> | null };

const single = (event: EventResource): Candidate => ({
  position: positionOf([event.scheduled_for, event.uid, event.recurrence_id ?? '']),
  event,
  happening: null,
});

type Wanted = { tag: string | undefined; after: SortPosition | undefined; limit: number; each: number | undefined };

/** Returns the first occurrences of these series after `after`, in order. Yields at each. */
function* firstOf(events: EventResource[], window: Span, wanted: Wanted): Generator<undefined, Candidate[]> {
  const { tag, after, limit, each } = wanted;
  const found: Candidate[] = [];
  const share = each === undefined ? {} : { most: Math.min(each, Math.ceil(limit / 2 / Math.max(1, events.length))) };
  // A series without the tag can have overrides with it.
  const look = (event: EventResource) => ({ window, since: after?.[0], changedOnly: !isTagged(event, tag), ...share });
  for (const one of inOrder(events, look)) {
    yield;
    if (!one) continue;
    const { event, happening } = one;
    const position: SortPosition = [happening.start, event.uid, happening.id ?? -Infinity];
    if (!isTagged(happening.override ?? event, tag) || (after && comparePositions(position, after) <= 0)) continue;
    found.push({ position, event, happening });
    if (found.length === limit) break;
  }
  return found;
}

const written = ({ event, happening }: Candidate): Occurrence =>
  toOccurrence(happening ? happeningOf(event, happening) : event);

/** The usual bytes of an occurrence as JSON, without its longer texts. */
const USUAL_BYTES = 1_000;

/** Cuts a page to `most` bytes but never to nothing, since each occurrence of a series repeats all of its text. */
const fittingOccurrences = (list: Occurrence[], most: number): Occurrence[] => {
  let bytes = 0;
  const over = list.findIndex(({ description, tags, linked_trace_ids }, i) => {
    bytes += USUAL_BYTES + (description?.length ?? 0) + 100 * (tags.length + linked_trace_ids.length);
    return i > 0 && bytes > most;
  });
  return over < 0 ? list : list.slice(0, over);
};

/**
 * A page of the first `limit` occurrences after `after` that overlap a half-open window, sorted by start, uid and
 * recurrence_id. With `seq` it shows them as they were then, so that later writes do not shift the pages.
 */
export const pageOf = async (
  db: Db,
  user_id: string,
  window: Interval,
  page: OccurrencePage,
  seq?: number,
): Promise<Page<Occurrence>> => {
  const { tag, after, limit, each, bytes = PAGE_BYTES } = page;
  const [begin, end] = toSpan(window);
  const position = after && positionOf(after);
  const from = position ? Math.max(position[0], begin) : begin;
  const key = after && ([after[0], after[1]] as [Instant, string]);
  const until = seq ?? Number.MAX_SAFE_INTEGER;
  const singles = await singlesPage(db, user_id, window, { after: key, limit: limit + 1, tag }, until);
  const found = singles.items.map(single);
  const isPart = singles.more || found.length > limit;
  // A page full of single events ends with its last one, which may begin before the window. Later occurrences are not on the
  // page.
  const last = !isPart ? end : Math.max((found.at(-1) as Candidate).position[0], from) + 1;
  const rest = { start: instantOf(from), end: instantOf(last) };
  const series = await seriesIn(db, user_id, rest, seq);
  const others = seq === undefined ? series : [...series, ...(await changedSince(db, user_id, rest, seq))];
  const wanted = { tag, after: position, limit: limit + 1, each };
  const all = [...found, ...(await runYielding(firstOf(others, [from, last], wanted), SERIES_STEPS))].sort((a, b) =>
    comparePositions(a.position, b.position),
  );
  const items = fittingOccurrences(all.slice(0, limit).map(written), bytes);
  return { items, more: isPart || items.length < all.length };
};

/** Counts the occurrences of these events. Yields at each. */
function* countingOf(events: EventResource[], window: Span, tag: string | undefined): Generator<undefined, number> {
  let count = 0;
  for (const event of events)
    for (const { override } of withTimeline(event).happenings({ window, changedOnly: !isTagged(event, tag) })) {
      yield;
      if (isTagged(override ?? event, tag)) count += 1;
    }
  return count;
}

/** How many occurrences overlap a window as of a seq; null where they are more than one request can examine. */
export const countOccurrences = async (
  db: Db,
  user_id: string,
  window: Interval,
  tag: string | undefined,
  seq: number,
): Promise<number | null> => {
  const singles = await countSingles(db, user_id, window, tag, seq);
  if (singles === null) return null;
  try {
    const others = [...(await seriesIn(db, user_id, window, seq)), ...(await changedSince(db, user_id, window, seq))];
    return atMostCounted(singles + (await runYielding(countingOf(others, toSpan(window), tag), SERIES_STEPS)));
  } catch (error) {
    if (error instanceof Problem && error.code === 'too_many_occurrences') return null;
    throw error;
  }
};
