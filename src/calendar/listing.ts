/** Pages of what happens in a window: single events by index, series expanded no further than a page needs. */
import type { Db } from '../db/client.ts';
import type { Happening } from '../domain/recurrence.ts';
import { toSpan, type Span } from '../domain/spans.ts';
import { instantOf, millis, type Instant, type Interval } from '../domain/time.ts';
import { changedSince, seriesIn, singlesPage } from './queries.ts';
import type { EventResource, Occurrence } from './schema.ts';
import { happeningOf, happenings } from './series.ts';

/** Where a page ended: start, uid, recurrence_id or ''. */
export type OccurrenceKey = [Instant, string, string];

export type OccurrencePage = { tag?: string | undefined; after?: OccurrenceKey | undefined; limit: number };

/** How far series are expanded at first, of so many; a full page is mostly found within. */
const FIRST_LOOK_MS = 14 * 86_400_000;
const FIRST_SERIES = 200;

export const keyOf = (o: Occurrence): OccurrenceKey => [o.scheduled_for, o.uid, o.recurrence_id ?? ''];

/** The same as numbers; -1 for no recurrence_id. */
type Place = [start: number, uid: string, id: number];

const placeOf = ([at, uid, id]: OccurrenceKey): Place => [millis(at), uid, id === '' ? -Infinity : millis(id)];

/** The database's order (collate "C" is that of bytes), so that a page begins where the one before ended. */
const comparePlaces = (a: Place, b: Place): number => {
  if (a[0] !== b[0]) return a[0] - b[0];
  if (a[1] === b[1]) return a[2] === b[2] ? 0 : a[2] - b[2];
  return Buffer.compare(Buffer.from(a[1]), Buffer.from(b[1]));
};

const toOccurrence = ({ overrides: _o, ics: _i, ...event }: EventResource): Occurrence => event;

const isTagged = (event: EventResource, tag: string | undefined): boolean =>
  tag === undefined || event.tempo_tag === tag || event.tags.includes(tag);

/** An occurrence not yet written out: of the many that are looked at, a page shows few. */
type Candidate = { place: Place; event: EventResource; happening: Happening<EventResource> | null };

const single = (event: EventResource): Candidate => ({
  place: placeOf([event.scheduled_for, event.uid, event.recurrence_id ?? '']),
  event,
  happening: null,
});

/** Occurrences of these events that come after `after`, in any order. */
const expanded = (
  events: EventResource[],
  window: Span,
  { tag, after }: { tag: string | undefined; after: Place | undefined },
): Candidate[] =>
  events.flatMap((event) =>
    happenings(event, window).flatMap((happening): Candidate[] => {
      const place: Place = [happening.start, event.uid, happening.id ?? -Infinity];
      return isTagged(happening.override ?? event, tag) && (!after || comparePlaces(place, after) > 0)
        ? [{ place, event, happening }]
        : [];
    }),
  );

const written = ({ event, happening }: Candidate): Occurrence =>
  toOccurrence(happening ? happeningOf(event, happening) : event);

/**
 * The first `limit` occurrences overlapping a half-open window after `after`, by start, uid and recurrence_id.
 * With `seq` as they were then, so that a walk over pages is not moved by writes meanwhile.
 */
export const pageOf = async (
  db: Db,
  user_id: string,
  window: Interval,
  page: OccurrencePage,
  seq?: number,
): Promise<Occurrence[]> => {
  const { tag, after, limit } = page;
  const [begin, end] = toSpan(window);
  const place = after && placeOf(after);
  const from = place ? Math.max(place[0], begin) : begin;
  const key = after && ([after[0], after[1]] as [Instant, string]);
  const found = (
    await singlesPage(db, user_id, window, { after: key, limit, tag }, seq ?? Number.MAX_SAFE_INTEGER)
  ).map(single);
  // A page full of single events ends with the last of them, which may have begun before the window: what comes later is not on it.
  const last = found.length < limit ? end : Math.max((found.at(-1) as Candidate).place[0], from) + 1;
  const rest = { start: instantOf(from), end: instantOf(last) };
  const series = await seriesIn(db, user_id, rest, seq);
  const others = seq === undefined ? series : [...series, ...(await changedSince(db, user_id, rest, seq))];
  for (let look = FIRST_LOOK_MS / Math.max(1, others.length / FIRST_SERIES); ; look *= 4) {
    const reach = others.length ? Math.min(from + Math.ceil(look), last) : last;
    const all = [
      ...found.filter((one) => one.place[0] < reach),
      ...expanded(others, [from, reach], { tag, after: place }),
    ];
    if (all.length < limit && reach < last) continue;
    return all
      .sort((a, b) => comparePlaces(a.place, b.place))
      .slice(0, limit)
      .map(written);
  }
};
