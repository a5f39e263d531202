/** Pages of what happens in a window: single events by index, series expanded no further than a page needs. */
import type { Db } from '../db/client.ts';
import { instantOf, millis, type Instant, type Interval } from '../domain/time.ts';
import { changedSince, seriesIn, singlesPage } from './queries.ts';
import type { EventResource, Occurrence } from './schema.ts';
import { happeningOf, happenings } from './series.ts';

/** Where a page ended: start, uid, recurrence_id or ''. */
export type OccurrenceKey = [Instant, string, string];

export type OccurrencePage = { tag?: string | undefined; after?: OccurrenceKey | undefined; limit: number };

/** How far series are expanded at first; a full page is mostly found within. */
const FIRST_LOOK_MS = 14 * 86_400_000;

export const keyOf = (o: Occurrence): OccurrenceKey => [o.scheduled_for, o.uid, o.recurrence_id ?? ''];

/** The database's order (collate "C" is that of bytes), so that a page begins where the one before ended. */
const compareKeys = (a: OccurrenceKey, b: OccurrenceKey): number => {
  if (a[0] !== b[0]) return a[0] < b[0] ? -1 : 1;
  return Buffer.compare(Buffer.from(a[1]), Buffer.from(b[1])) || (a[2] < b[2] ? -1 : Number(a[2] > b[2]));
};

const toOccurrence = ({ overrides: _o, ics: _i, ...event }: EventResource): Occurrence => event;

const isTagged = (event: Occurrence, tag: string | undefined): boolean =>
  tag === undefined || event.tempo_tag === tag || event.tags.includes(tag);

/** Occurrences of these events that come after `after`, in any order. */
const expanded = (events: EventResource[], window: Interval, { tag, after }: OccurrencePage): Occurrence[] =>
  events
    .flatMap((event) => happenings(event, window).map((happening) => toOccurrence(happeningOf(event, happening))))
    .filter((o) => isTagged(o, tag) && (!after || compareKeys(keyOf(o), after) > 0));

/**
 * The first `limit` occurrences overlapping a half-open window after `after`, by start, uid and recurrence_id.
 * With `seq` as they were then, so that a walk over pages is not moved by writes meanwhile.
 */
export const pageOf = async (db: Db, user_id: string, window: Interval, page: OccurrencePage, seq?: number): Promise<Occurrence[]> => {
  const { tag, after, limit } = page;
  const from = after && after[0] > window.start ? after[0] : window.start;
  const key = after && ([after[0], after[1]] as [Instant, string]);
  const singles = await singlesPage(db, user_id, window, { after: key, limit, tag }, seq ?? Number.MAX_SAFE_INTEGER);
  const series = await seriesIn(db, user_id, { start: from, end: window.end }, seq);
  const others = seq === undefined ? series : [...series, ...(await changedSince(db, user_id, seq))];
  const found = singles.map(toOccurrence);
  if (!others.length) return found;
  // A page full of single events ends with the last of them: what comes later is not on it.
  const last = singles.length < limit ? window.end : instantOf(millis((singles.at(-1) as EventResource).scheduled_for) + 1);
  for (let look = FIRST_LOOK_MS; ; look *= 4) {
    const reach = Math.min(millis(from) + look, millis(last));
    const until = instantOf(reach);
    const all = [...found.filter((o) => o.scheduled_for < until), ...expanded(others, { start: from, end: until }, page)];
    if (all.length < limit && reach < millis(last)) continue;
    return all.sort((a, b) => compareKeys(keyOf(a), keyOf(b))).slice(0, limit);
  }
};
