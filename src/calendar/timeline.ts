/** Computes when events occur: the occurrences of a series, several events in one order, and whether two events overlap. Pure. */
import { merged } from '../domain/calendar/merge-sorted.ts';
import {
  eventEnd,
  seriesEnd,
  spanMs,
  timelineOf,
  type Override,
  type Happening,
  type TimelineQuery,
  type Timeline,
} from '../domain/calendar/series-expansion.ts';
import { resultOf } from '../domain/text/result-of.ts';
import type { Span } from '../domain/time/spans.ts';
import { instantOf, localStart, millis, type Instant, type Interval } from '../domain/time/time.ts';
import { clockOf, wallText } from '../domain/time/wall-time.ts';
import { isBusy, isSeries, type EventDraft } from './events/document.ts';
import type { EventOverride } from './schemas.ts';

const YEAR_MS = 366 * 86_400_000;
/** Two endless series are compared for this long, from when both have begun. */
const TWO_SERIES_MS = 10 * YEAR_MS;
/** The occurrence of a series at `recurrence_id`, as an event. */
export const occurrenceAt = <E extends EventDraft>(series: E, recurrence_id: Instant): E => {
  const own: EventOverride = Object.hasOwn(series.overrides, recurrence_id)
    ? (series.overrides[recurrence_id] ?? {})
    : {};
  const timezone = own.timezone ?? series.timezone;
  const event: E = {
    ...series,
    scheduled_for: recurrence_id,
    local_start: localStart(own.scheduled_for ?? recurrence_id, timezone),
    ...own,
    rrule: null,
    rdates: [],
    exdates: [],
    overrides: {},
    recurrence_id,
  };
  return { ...event, end: eventEnd(event) };
};

/** The overrides of a series and their times. Their documents are built only on demand. */
const changedOf = <E extends EventDraft>(series: E): Override<E>[] =>
  Object.entries(series.overrides).map(([id, own]) => ({
    ...changedSpan(series, id, own),
    id: millis(id),
    doc: () => occurrenceAt(series, id),
  }));

const changedSpan = (series: EventDraft, id: Instant, own: EventOverride): { start: number; end: number } => {
  const { scheduled_for = id, timezone = series.timezone, all_day = series.all_day } = own;
  const { duration_minutes = series.duration_minutes, ics = series.ics } = own;
  const start = millis(scheduled_for);
  // Exact minutes need no wall time, which takes longer to find.
  if (!all_day && ics?.duration === undefined) return { start, end: start + duration_minutes * 60_000 };
  const local_start = own.local_start ?? localStart(scheduled_for, timezone);
  return spanMs({ scheduled_for, local_start, timezone, all_day, duration_minutes, ics });
};

/** An event with its timeline, which is prepared once and read several times. */
export type WithTimeline<E extends EventDraft> = { event: E; happenings: Timeline<E> };

export const withTimeline = <E extends EventDraft>(event: E): WithTimeline<E> => ({
  event,
  happenings: timelineOf(event, changedOf(event)),
});

/** The occurrences of an event in a half-open window, sorted by time and computed on demand. */
export const happenings = <E extends EventDraft>(event: E, window: Span): Generator<Happening<E>> =>
  withTimeline(event).happenings({ window });

/**
 * An occurrence among those of several events. `rank` is the position of the event's uid, which sorts occurrences of equal
 * start.
 */
export type Happened<E extends EventDraft> = { event: E; rank: number; happening: Happening<E> };

/** Sorts by start, uid and recurrence_id, as the database sorts single events (collate "C" compares bytes). */
const compareHappened = (a: Happened<EventDraft>, b: Happened<EventDraft>): number =>
  a.happening.start - b.happening.start ||
  a.rank - b.rank ||
  (a.happening.id ?? -Infinity) - (b.happening.id ?? -Infinity);

/**
 * The occurrences of several events, sorted by start, uid and recurrence_id and computed on demand. Yields `undefined` after
 * each event it prepares, so that the caller can yield to other requests.
 * @param look which part of an event to expand; null skips it
 */
export function* inOrder<E extends EventDraft>(
  events: readonly E[],
  look: (event: E) => (TimelineQuery & { most?: number }) | null,
): Generator<Happened<E> | undefined, void> {
  const ranked = events
    .map((event) => ({ event, bytes: Buffer.from(event.uid) }))
    .sort((a, b) => Buffer.compare(a.bytes, b.bytes));
  function* of(event: E, rank: number): Generator<Happened<E>> {
    const asked = look(event);
    if (!asked) return;
    for (const happening of withTimeline(event)
      .happenings(asked)
      .take(asked.most ?? Infinity))
      yield { event, rank, happening };
  }
  yield* merged<Happened<E>>(
    ranked.map(({ event }, rank) => of(event, rank)),
    compareHappened,
  );
}

/** An occurrence as an event. A single event is returned as it is. */
export const happeningOf = <E extends EventDraft>(event: E, { id, start, end, override }: Happening<E>): E => {
  if (id === null || !isSeries(event)) return event;
  const { rrule, rdates, exdates, timezone } = event;
  if (override) return { ...override, rrule, rdates, exdates };
  const recurrence_id = instantOf(id);
  const scheduled_for = id === start ? recurrence_id : instantOf(start);
  const local_start = wallText(clockOf(timezone).wallAt(start));
  return { ...event, scheduled_for, end: instantOf(end), local_start, recurrence_id };
};

/** Whether an occurrence takes time. */
export const takesTime = (event: EventDraft, { start, end, override }: Happening<EventDraft>): boolean =>
  start < end && isBusy(override ?? event);

/** The first start and last end of an event with all occurrences. `end` is null where it never ends. */
export const spanOf = (event: EventDraft): { start: Instant; end: Instant | null } => {
  const last = seriesEnd(event);
  let from = millis(event.scheduled_for);
  let to = last === null ? Infinity : millis(last);
  for (const rdate of event.rdates) from = Math.min(from, millis(rdate));
  for (const { start, end } of changedOf(event)) {
    from = Math.min(from, start);
    to = Math.max(to, end);
  }
  return { start: instantOf(from), end: to === Infinity ? null : instantOf(to) };
};

/** Whether any occurrence of an event takes time. */
export const hasBusyTime = (event: EventDraft): boolean =>
  isBusy(event) ||
  Object.values(event.overrides).some((own) =>
    isBusy({ busy: own.busy ?? event.busy, status: own.status ?? event.status }),
  );

/** The span in which an event is checked for overlaps: all of it, or ten years of a series. */
export const checkedSpan = (event: EventDraft): Span => {
  const { start, end } = spanOf(event);
  const from = millis(start);
  const to = end === null ? Infinity : millis(end);
  return [from, isSeries(event) ? Math.min(to, from + TWO_SERIES_MS) : to];
};

/** The span in which both events can be busy, or null. */
export const commonSpan = (a: EventDraft, b: EventDraft): Span | null => {
  const [one, other] = [spanOf(a), spanOf(b)];
  const from = Math.max(millis(one.start), millis(other.start));
  const ends = [one.end, other.end].flatMap((end) => (end === null ? [] : [millis(end)]));
  const to = isSeries(a) && isSeries(b) ? Math.min(...ends, from + TWO_SERIES_MS) : Math.min(...ends);
  return from < to ? [from, to] : null;
};

type Side = { event: EventDraft; side: number; one: Happening<EventDraft> };

/**
 * Whether busy times of two events overlap. Where one is a single event the answer is exact; of two series it covers ten years
 * from when both have begun. Yields at each step.
 */
export function* overlapping(a: WithTimeline<EventDraft>, b: WithTimeline<EventDraft>): Generator<undefined, boolean> {
  const window = commonSpan(a.event, b.event);
  if (!window) return false;
  const ends = [-Infinity, -Infinity];
  const sides = [a, b].map(({ event, happenings: all }, side) => all({ window }).map((one) => ({ event, side, one })));
  for (const next of merged<Side>(sides, (x, y) => x.one.start - y.one.start)) {
    yield;
    if (!next || !takesTime(next.event, next.one)) continue;
    const { side, one } = next;
    if (one.start < (ends[1 - side] as number)) return true;
    ends[side] = Math.max(ends[side] as number, one.end);
  }
  return false;
}

/** The same without yielding. */
export const overlap = (a: EventDraft, b: EventDraft): boolean =>
  resultOf(overlapping(withTimeline(a), withTimeline(b)));

export const intervalOf = (event: Pick<EventDraft, 'scheduled_for' | 'end'>): Interval => ({
  start: event.scheduled_for,
  end: event.end,
});

/** Yields at each occurrence, and returns the busy times of an event in a span, merged and sorted. */
export function* timesOf(event: EventDraft, window: Span): Generator<undefined, Span[]> {
  const times: [number, number][] = [];
  let last: [number, number] | undefined;
  for (const one of happenings(event, window)) {
    yield;
    if (!takesTime(event, one)) continue;
    if (last && one.start <= last[1]) last[1] = Math.max(last[1], one.end);
    else times.push((last = [one.start, one.end]));
  }
  return times;
}
