/** When events happen: a series as its occurrences, several events in one order, and whether two of them clash. Pure. */
import { merged } from '../domain/calendar/merge-sorted.ts';
import {
  eventEnd,
  seriesEnd,
  spanMs,
  timelineOf,
  type Changed,
  type Happening,
  type Look,
  type Timeline,
} from '../domain/calendar/series-expansion.ts';
import type { Span } from '../domain/time/spans.ts';
import { instantOf, localStart, millis, type Instant, type Interval } from '../domain/time/time.ts';
import { clockOf, wallText } from '../domain/time/wall-time.ts';
import { isBusy, isSeries, type EventDraft } from './event-document.ts';
import type { EventOverride } from './schemas.ts';

const YEAR_MS = 366 * 86_400_000;
/** How far two series are compared, from where both run. */
const TWO_SERIES_MS = 10 * YEAR_MS;
/** The occurrence of a series at `recurrence_id`, as an event of its own. */
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

/** The changed occurrences of a series, and when they are; their documents are made only where they are wanted. */
const changedOf = <E extends EventDraft>(series: E): Changed<E>[] =>
  Object.entries(series.overrides).map(([id, own]) => ({
    ...changedSpan(series, id, own),
    id: millis(id),
    doc: () => occurrenceAt(series, id),
  }));

const changedSpan = (series: EventDraft, id: Instant, own: EventOverride): { start: number; end: number } => {
  const { scheduled_for = id, timezone = series.timezone, all_day = series.all_day } = own;
  const { duration_minutes = series.duration_minutes } = own;
  const start = millis(scheduled_for);
  if (!all_day) return { start, end: start + duration_minutes * 60_000 };
  const local_start = own.local_start ?? localStart(scheduled_for, timezone);
  return spanMs({ scheduled_for, local_start, timezone, all_day, duration_minutes });
};

/** An event opened to be looked at several times. */
export type Opened<E extends EventDraft> = { event: E; happenings: Timeline<E> };

export const opened = <E extends EventDraft>(event: E): Opened<E> => ({
  event,
  happenings: timelineOf(event, changedOf(event)),
});

/** When an event happens within a half-open window, by time, worked out as it is asked for. */
export const happenings = <E extends EventDraft>(event: E, window: Span): Generator<Happening<E>> =>
  opened(event).happenings({ window });

/** One happening among those of several events; `rank` is the event's among equals. */
export type Happened<E extends EventDraft> = { event: E; rank: number; happening: Happening<E> };

/** By start, uid and recurrence_id, as the database sorts single events (collate "C": by bytes). */
const compareHappened = (a: Happened<EventDraft>, b: Happened<EventDraft>): number =>
  a.happening.start - b.happening.start ||
  a.rank - b.rank ||
  (a.happening.id ?? -Infinity) - (b.happening.id ?? -Infinity);

/**
 * What happens of several events, by start, uid and recurrence_id, worked out as it is asked for: a look costs what it finds,
 * and opening the events. `undefined` comes between the openings, for whoever lets others have their turn.
 * @param look what of an event is looked at; null for nothing of it
 */
export function* inOrder<E extends EventDraft>(
  events: readonly E[],
  look: (event: E) => (Look & { most?: number }) | null,
): Generator<Happened<E> | undefined, void> {
  const ranked = events
    .map((event) => ({ event, bytes: Buffer.from(event.uid) }))
    .sort((a, b) => Buffer.compare(a.bytes, b.bytes));
  function* of(event: E, rank: number): Generator<Happened<E>> {
    const asked = look(event);
    if (!asked) return;
    for (const happening of opened(event)
      .happenings(asked)
      .take(asked.most ?? Infinity))
      yield { event, rank, happening };
  }
  yield* merged<Happened<E>>(
    ranked.map(({ event }, rank) => of(event, rank)),
    compareHappened,
  );
}

/** A happening as an event of its own; of a single event that event itself. */
export const happeningOf = <E extends EventDraft>(event: E, { id, start, end, override }: Happening<E>): E => {
  if (id === null || !isSeries(event)) return event;
  const { rrule, rdates, exdates, timezone } = event;
  if (override) return { ...override, rrule, rdates, exdates };
  const recurrence_id = instantOf(id);
  const scheduled_for = id === start ? recurrence_id : instantOf(start);
  const local_start = wallText(clockOf(timezone).wallAt(start));
  return { ...event, scheduled_for, end: instantOf(end), local_start, recurrence_id };
};

/** Whether a happening takes time. */
export const isTaken = (event: EventDraft, { start, end, override }: Happening<EventDraft>): boolean =>
  start < end && isBusy(override ?? event);

/** First and last moment of everything an event consists of; `end` is null where it never ends. */
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

/** Whether anything of an event takes time. */
export const hasBusyTime = (event: EventDraft): boolean =>
  isBusy(event) ||
  Object.values(event.overrides).some((own) =>
    isBusy({ busy: own.busy ?? event.busy, status: own.status ?? event.status }),
  );

/** Where an event is looked at for what stands in its way: all of it, of a series ten years. */
export const lookedAt = (event: EventDraft): Span => {
  const { start, end } = spanOf(event);
  const from = millis(start);
  const to = end === null ? Infinity : millis(end);
  return [from, isSeries(event) ? Math.min(to, from + TWO_SERIES_MS) : to];
};

/** Where both of two events can be busy; null for nowhere. */
const commonSpan = (a: EventDraft, b: EventDraft): Span | null => {
  const [one, other] = [spanOf(a), spanOf(b)];
  const from = Math.max(millis(one.start), millis(other.start));
  const ends = [one.end, other.end].flatMap((end) => (end === null ? [] : [millis(end)]));
  const to = isSeries(a) && isSeries(b) ? Math.min(...ends, from + TWO_SERIES_MS) : Math.min(...ends);
  return from < to ? [from, to] : null;
};

type Side = { event: EventDraft; side: number; one: Happening<EventDraft> };

/**
 * Whether busy times of two events overlap. Exact wherever one of them is a single event, however far ahead; of two series
 * in the ten years from where both run. Yields at each step.
 */
export function* clashing(a: Opened<EventDraft>, b: Opened<EventDraft>): Generator<undefined, boolean> {
  const window = commonSpan(a.event, b.event);
  if (!window) return false;
  const ends = [-Infinity, -Infinity];
  const sides = [a, b].map(({ event, happenings: all }, side) => all({ window }).map((one) => ({ event, side, one })));
  for (const next of merged<Side>(sides, (x, y) => x.one.start - y.one.start)) {
    yield;
    if (!next || !isTaken(next.event, next.one)) continue;
    const { side, one } = next;
    if (one.start < (ends[1 - side] as number)) return true;
    ends[side] = Math.max(ends[side] as number, one.end);
  }
  return false;
}

/** All of it at once. */
export const clash = (a: EventDraft, b: EventDraft): boolean => {
  const steps = clashing(opened(a), opened(b));
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
};

export const intervalOf = (event: Pick<EventDraft, 'scheduled_for' | 'end'>): Interval => ({
  start: event.scheduled_for,
  end: event.end,
});
