/** Finds busy time in a window: event by event, or merged into stretches. */
import type { Db } from '../db/database.ts';
import { mergeSpans, toInterval, toSpan, type Span } from '../domain/time/spans.ts';
import type { Interval } from '../domain/time/time.ts';
import { SERIES_STEPS, MAX_STRETCHES, tooMany } from './calendar-bounds.ts';
import { busySingles, busySpans, seriesIn, type Busy } from './queries.ts';
import type { EventResource } from './schemas.ts';
import { happenings, inOrder, takesTime, type Happened } from './timeline.ts';
import { runYielding } from '../common/yielding.ts';

type BusyOccurrence = Pick<Happened<EventResource>, 'event' | 'happening'>;

/**
 * Yields the busy occurrences of one series after the other, and undefined for others, so that the caller can yield to other
 * requests. Sorting them by time would take six times as long.
 */
function* busyOccurrences(series: readonly EventResource[], window: Span): Generator<BusyOccurrence | undefined> {
  for (const event of series) {
    yield undefined;
    for (const happening of happenings(event, window))
      yield takesTime(event, happening) ? { event, happening } : undefined;
  }
}

/** The same in the order of time. */
function* busyOccurrencesInOrder(
  series: readonly EventResource[],
  window: Span,
): Generator<BusyOccurrence | undefined> {
  for (const one of inOrder(series, () => ({ window })))
    yield one && takesTime(one.event, one.happening) ? one : undefined;
}

/** Makes a stretch of several events. It has an empty uid, since no single event takes it. */
const stretch = (span: Span): Busy => ({ ...toInterval(span), uid: '', title: '', plan_uid: null, task_id: null });

const busyOf = ({ event, happening }: BusyOccurrence): Busy => ({
  ...toInterval([happening.start, happening.end]),
  title: (happening.override ?? event).title,
  uid: event.uid,
  plan_uid: event.yields ? event.plan_uid : null,
  task_id: event.task_id,
});

/** Merging beyond this number keeps the memory bounded. */
const MERGED_AT = 4 * MAX_STRETCHES;

const bounded = <T>(list: T[]): T[] => {
  if (list.length > MAX_STRETCHES) throw tooMany();
  return list;
};

/** Lists the events of `apart` one by one and merges the others into stretches. The stretches are sorted by time. */
function* collectBusy(
  series: readonly EventResource[],
  window: Span,
  isApart: (uid: string) => boolean,
): Generator<undefined, { apart: Busy[]; stretches: Span[] }> {
  const apart: Busy[] = [];
  let stretches: Span[] = [];
  for (const one of busyOccurrences(series, window)) {
    yield;
    if (!one) continue;
    const { start, end } = one.happening;
    if (isApart(one.event.uid)) bounded(apart).push(busyOf(one));
    else stretches.push([start, end]);
    if (stretches.length > MERGED_AT) stretches = bounded(mergeSpans(stretches));
  }
  return { apart: bounded(apart), stretches: bounded(mergeSpans(stretches)) };
}

/** All busy time in a window, merged. `except` lists uids to leave out. @throws 422 too_many_occurrences */
export const busyStretches = async (
  db: Db,
  user_id: string,
  window: Interval,
  except: readonly string[] = [],
): Promise<Span[]> => {
  const singles = await busySpans(db, user_id, window, except, MAX_STRETCHES + 1);
  const series = (await seriesIn(db, user_id, window)).filter(({ uid }) => !except.includes(uid));
  const { stretches } = await runYielding(
    collectBusy(series, toSpan(window), () => false),
    SERIES_STEPS,
  );
  return bounded(mergeSpans([...bounded(singles), ...stretches]));
};

const byStart = (a: Interval, b: Interval): number => (a.start < b.start ? -1 : Number(a.start > b.start));

/**
 * Busy time of events and occurrences that overlap the window, sorted by time. `except` lists uids to leave out. With `apart`
 * only these uids are listed one by one; the others are merged into stretches with an empty uid.
 * @throws 422 too_many_occurrences
 */
export const busyTime = async (
  db: Db,
  user_id: string,
  window: Interval,
  { except = [], apart }: { except?: readonly string[] | undefined; apart?: readonly string[] | undefined } = {},
): Promise<Busy[]> => {
  const apartUids = apart && new Set(apart);
  const others = apartUids ? await busySpans(db, user_id, window, [...except, ...apartUids], MAX_STRETCHES + 1) : [];
  const isNone = apartUids?.size === 0;
  const singles = isNone
    ? []
    : await busySingles(db, user_id, window, apartUids ? { except, only: [...apartUids] } : { except });
  const series = (await seriesIn(db, user_id, window)).filter(({ uid }) => !except.includes(uid));
  const found = await runYielding(
    collectBusy(series, toSpan(window), (uid) => apartUids?.has(uid) ?? true),
    SERIES_STEPS,
  );
  const stretches = mergeSpans([...bounded(others), ...found.stretches]);
  return [...stretches.map(stretch), ...singles, ...found.apart].sort(byStart);
};

/** Yields, and marks those of the times that overlap a busy occurrence of a series. */
function* markTaken(series: readonly EventResource[], times: readonly Span[], mark: (busy: Span) => void): Generator {
  const [first, last] = [times[0], times.at(-1)];
  if (!first || !last) return;
  for (const one of busyOccurrences(series, [first[0], last[1]])) {
    yield;
    if (one) mark([one.happening.start, one.happening.end]);
  }
}

/** The position of the first of sorted spans that ends after a time. */
const firstEndingAfter = (spans: readonly Span[], at: number): number => {
  let low = 0;
  for (let high = spans.length; low < high;) {
    const middle = (low + high) >> 1;
    if ((spans[middle] as Span)[1] > at) high = middle;
    else low = middle + 1;
  }
  return low;
};

/** The starts of those of some times that overlap busy time. `times` are of equal length and sorted. */
export const takenStarts = async (db: Db, user_id: string, times: readonly Span[]): Promise<number[]> => {
  const [first, last] = [times[0], times.at(-1)];
  if (!first || !last) return [];
  const window = toInterval([first[0], last[1]]);
  const taken = new Set<number>();
  const mark = ([from, to]: Span): void => {
    for (let i = firstEndingAfter(times, from); (times[i]?.[0] ?? Infinity) < to; i += 1)
      taken.add((times[i] as Span)[0]);
  };
  mergeSpans(bounded(await busySpans(db, user_id, window, [], MAX_STRETCHES + 1))).forEach(mark);
  await runYielding(markTaken(await seriesIn(db, user_id, window), times, mark), SERIES_STEPS);
  return [...taken].sort((a, b) => a - b);
};

/** An answer lists at most this many overlapping events. */
const MOST_LISTED = 20;

/**
 * The busy events that overlap any of some busy times, sorted by time, at most 20. `times` is sorted.
 * @param since only events that were changed after this seq count
 */
export const busyDuring = async (
  db: Db,
  user_id: string,
  times: readonly Span[],
  except: readonly string[],
  since = 0,
): Promise<Busy[]> => {
  const [first, last] = [times[0], times.at(-1)];
  if (!first || !last) return [];
  const span: Span = [first[0], last[1]];
  let at = 0;
  const overlaps = (start: number, end: number): boolean => {
    while ((times[at]?.[1] ?? Infinity) <= start) at += 1;
    return (times[at]?.[0] ?? Infinity) < end;
  };
  const window = toInterval(span);
  const singles = (await busySingles(db, user_id, window, { except, since })).filter((one) => overlaps(...toSpan(one)));
  const counts = ({ uid, seq }: EventResource): boolean => seq > since && !except.includes(uid);
  const series = (await seriesIn(db, user_id, window)).filter(counts);
  at = 0;
  function* found(): Generator<undefined, Busy[]> {
    const all: Busy[] = [];
    for (const one of busyOccurrencesInOrder(series, span)) {
      yield;
      if (one && overlaps(one.happening.start, one.happening.end)) all.push(busyOf(one));
      if (all.length === MOST_LISTED) break;
    }
    return all;
  }
  return [...singles, ...(await runYielding(found(), SERIES_STEPS))].sort(byStart).slice(0, MOST_LISTED);
};
