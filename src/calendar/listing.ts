/** Pages of what happens in a window: single events by index, series expanded no further than a page needs. */
import type { Db } from '../db/client.ts';
import type { Occurrence as Happening } from '../domain/recurrence.ts';
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

const isTagged = (event: EventResource, tag: string | undefined): boolean =>
  tag === undefined || event.tempo_tag === tag || event.tags.includes(tag);

/** An occurrence not yet written out: of the many that are looked at, a page shows few. */
type Candidate = { key: OccurrenceKey; event: EventResource; happening: Happening<EventResource> | null };

const single = (event: EventResource): Candidate => ({
  key: [event.scheduled_for, event.uid, event.recurrence_id ?? ''],
  event,
  happening: null,
});

/** Occurrences of these events that come after `after`, in any order. */
const expanded = (events: EventResource[], window: Interval, { tag, after }: OccurrencePage): Candidate[] =>
  events.flatMap((event) =>
    happenings(event, window).flatMap((happening): Candidate[] => {
      const key: OccurrenceKey = [happening.scheduled_for, event.uid, happening.recurrence_id ?? ''];
      return isTagged(happening.override ?? event, tag) && (!after || compareKeys(key, after) > 0)
        ? [{ key, event, happening }]
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
  const from = after && after[0] > window.start ? after[0] : window.start;
  const key = after && ([after[0], after[1]] as [Instant, string]);
  const singles = await singlesPage(db, user_id, window, { after: key, limit, tag }, seq ?? Number.MAX_SAFE_INTEGER);
  const series = await seriesIn(db, user_id, { start: from, end: window.end }, seq);
  const others = seq === undefined ? series : [...series, ...(await changedSince(db, user_id, seq))];
  const found = singles.map(single);
  // A page full of single events ends with the last of them: what comes later is not on it.
  const last =
    singles.length < limit ? millis(window.end) : millis((singles.at(-1) as EventResource).scheduled_for) + 1;
  for (let look = FIRST_LOOK_MS; ; look *= 4) {
    const reach = others.length ? Math.min(millis(from) + look, last) : last;
    const until = instantOf(reach);
    const all = [...found.filter((one) => one.key[0] < until), ...expanded(others, { start: from, end: until }, page)];
    if (all.length < limit && reach < last) continue;
    return all
      .sort((a, b) => compareKeys(a.key, b.key))
      .slice(0, limit)
      .map(written);
  }
};
