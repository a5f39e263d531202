/** A series as one document: its occurrences, and what an edit of one, of the following or of all makes of it. Pure. */
import { canonicalJson } from '../domain/jcs.ts';
import { eventEnd, happeningsOf, seriesEnd, splitSeries, type Happening } from '../domain/recurrence.ts';
import { intersectSpans, mergeSpans, type Span } from '../domain/spans.ts';
import { instantOf, localStart, millis, type Instant, type Interval } from '../domain/time.ts';
import { clockOf, instantAt, midnightOf, wallAt, wallOf, wallText } from '../domain/walls.ts';
import { problem } from '../errors.ts';
import {
  checkEvent,
  isBusy,
  isSeries,
  sortedOnce,
  wallStart,
  withChanges,
  type EventChanges,
  type EventDraft,
} from './document.ts';
import { OVERRIDABLE, type EventOverride } from './schema.ts';

const YEAR_MS = 366 * 86_400_000;
/** How far two series are compared, from where both run. */
const TWO_SERIES_MS = 10 * YEAR_MS;
/** How far the next occurrence of a series is looked for. */
const NEXT_MS = 10 * YEAR_MS;
/** No rule makes more than 96 a day (rrule.ts): this is what two years can hold. */
const MOST = 100_000;
/** Of all series for one answer; so many take half a second. */
const MOST_AT_ONCE = 500_000;

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

const overridesOf = <E extends EventDraft>(series: E): E[] =>
  Object.keys(series.overrides).map((id) => occurrenceAt(series, id));

/** When an event happens within a half-open window, by time. */
export const happenings = <E extends EventDraft>(event: E, window: Span, limit = MOST): Happening<E>[] =>
  happeningsOf(event, overridesOf(event), window, limit);

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

/** Busy time of an event within a window, by its start. */
const eachBusyTime = (
  event: EventDraft,
  window: Span,
  take: (start: number, end: number, title: string) => void,
): void => {
  for (const { start, end, override } of happenings(event, window)) {
    const own = override ?? event;
    if (start < end && isBusy(own)) take(start, end, own.title);
  }
};

export const busyTimes = (event: EventDraft, window: Span): Span[] => {
  const found: Span[] = [];
  eachBusyTime(event, window, (start, end) => found.push([start, end]));
  return found;
};

/**
 * Busy time of several events, told to `take`.
 * @throws 422 too_many_occurrences where that is more than one answer should hold up others for
 */
export const eachBusyTimeOf = <E extends EventDraft>(
  events: readonly E[],
  window: Span,
  take: (event: E, span: Span, title: string) => void,
): void => {
  let count = 0;
  for (const event of events) {
    eachBusyTime(event, window, (start, end, title) => {
      count += 1;
      take(event, [start, end], title);
    });
    if (count > MOST_AT_ONCE)
      throw problem(
        'too_many_occurrences',
        `Series occur more than ${MOST_AT_ONCE} times in that window: ask for a shorter one.`,
      );
  }
};

/** First and last moment of everything an event consists of; `end` is null where it never ends. */
export const spanOf = (event: EventDraft): { start: Instant; end: Instant | null } => {
  if (!isSeries(event)) return { start: event.scheduled_for, end: event.end };
  const moved = overridesOf(event);
  const starts = [event.scheduled_for, ...event.rdates, ...moved.map((o) => o.scheduled_for)];
  const last = seriesEnd(event);
  const ends = last === null ? [] : [last, ...moved.map((o) => o.end)];
  return {
    start: instantOf(Math.min(...starts.map(millis))),
    end: last === null ? null : instantOf(Math.max(...ends.map(millis))),
  };
};

export const hasBusyTime = (event: EventDraft): boolean => isBusy(event) || overridesOf(event).some(isBusy);

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

/**
 * Whether busy times of two events overlap. Exact wherever one of them is a single event, however far ahead; of two series
 * in the ten years from where both run.
 */
export const clash = (a: EventDraft, b: EventDraft): boolean => {
  const window = commonSpan(a, b);
  if (!window) return false;
  const taken = busyTimes(a, window);
  if (!taken.length) return false;
  return intersectSpans(mergeSpans(taken), mergeSpans(busyTimes(b, window))).length > 0;
};

export const intervalOf = (event: Pick<EventDraft, 'scheduled_for' | 'end'>): Interval => ({
  start: event.scheduled_for,
  end: event.end,
});

/** Whether a series has this occurrence, moved or not. Asked thousands of times where a series has as many exceptions. */
export const hasOccurrence = (series: EventDraft, recurrence_id: Instant): boolean => {
  if (Object.hasOwn(series.overrides, recurrence_id)) return true;
  if (series.exdates.includes(recurrence_id)) return false;
  if (recurrence_id === series.scheduled_for || series.rdates.includes(recurrence_id)) return true;
  const at = millis(recurrence_id);
  return happenings({ ...series, overrides: {}, exdates: [], rdates: [] }, [at, at + 1]).some(({ id }) => id === at);
};

/** Whether nothing of a series is left. */
export const isEmpty = (series: EventDraft): boolean => {
  const { start, end } = spanOf(series);
  return end !== null && happenings(series, [millis(start), millis(end) + 1], 1).length === 0;
};

/** The first occurrence that starts at or after an instant, within ten years. */
export const nextOccurrence = (series: EventDraft, from: Instant): Instant | null => {
  const at = millis(from);
  const next = happenings(series, [at, at + NEXT_MS], 500).find(({ start }) => start >= at);
  return next?.id === undefined || next.id === null ? null : instantOf(next.id);
};

const byId = (overrides: EventDraft['overrides'], isKept: (id: Instant) => boolean): EventDraft['overrides'] =>
  Object.fromEntries(Object.entries(overrides).filter(([id]) => isKept(id)));

/** The series with one occurrence that has values of its own: those of `own` that differ from the series'. */
export const withOccurrence = (series: EventDraft, recurrence_id: Instant, own: EventDraft): EventDraft => {
  const plain = occurrenceAt({ ...series, overrides: {} }, recurrence_id);
  const differs = (key: (typeof OVERRIDABLE)[number]) => canonicalJson([plain[key]]) !== canonicalJson([own[key]]);
  const kept = Object.fromEntries(OVERRIDABLE.filter(differs).map((key) => [key, own[key]])) as EventOverride;
  // Where it happens is told whole: the parts of it make sense together only.
  if (kept.scheduled_for !== undefined || kept.local_start !== undefined)
    Object.assign(kept, { scheduled_for: own.scheduled_for, local_start: own.local_start, timezone: own.timezone });
  if (canonicalJson(own.ics ?? null) !== canonicalJson(series.ics ?? null))
    kept.ics = own.ics ?? { properties: [], components: [] };
  return { ...series, overrides: { ...series.overrides, [recurrence_id]: kept } };
};

export const changeThis = (series: EventDraft, recurrence_id: Instant, changes: EventChanges): EventDraft =>
  withOccurrence(series, recurrence_id, withChanges(occurrenceAt(series, recurrence_id), changes));

/** The series without one occurrence. */
export const removeThis = (series: EventDraft, recurrence_id: Instant): EventDraft => ({
  ...series,
  exdates: sortedOnce([...series.exdates, recurrence_id]),
  overrides: byId(series.overrides, (id) => id !== recurrence_id),
});

/**
 * All of a series changed. A new start given for the occurrence `meant` moves every one by as much on the wall clock, and
 * what is known of single occurrences (left out, changed) moves along; a new rule keeps it where it still occurs. @throws 422
 */
export const changeAll = (series: EventDraft, changes: EventChanges, meant: Instant | null): EventDraft => {
  const to = checkEvent(withChanges(series, shiftedFrom(series, changes, meant)), '/updates');
  if (!isSeries(series) || !isSeries(to)) return to;
  const move = mover(series, to);
  const moved: EventDraft = {
    ...to,
    rdates: changes.rdates ? to.rdates : sortedOnce(series.rdates.map(move)),
    exdates: changes.exdates ? to.exdates : sortedOnce(series.exdates.map(move)),
    overrides: Object.fromEntries(Object.entries(series.overrides).map(([id, own]) => [move(id), own])),
  };
  if (changes.rrule === undefined) return moved;
  return { ...moved, overrides: byId(moved.overrides, (id) => hasOccurrence({ ...moved, overrides: {} }, id)) };
};

/** The start of the whole series, from the one given for one of its occurrences. */
const shiftedFrom = (series: EventDraft, changes: EventChanges, meant: Instant | null): EventChanges => {
  if (meant === null || changes.scheduled_for === undefined || meant === series.scheduled_for) return changes;
  const zone = changes.timezone ?? series.timezone;
  const wall = wallOf(wallStart(changes.scheduled_for, changes.local_start, zone));
  const start =
    wallOf(series.local_start) + wall - wallOf(occurrenceAt({ ...series, overrides: {} }, meant).local_start);
  return { ...changes, scheduled_for: instantOf(instantAt(start, zone)), local_start: wallText(start) };
};

/** Where an occurrence of the series is after its start has moved, by the wall clock. */
const mover = (from: EventDraft, to: EventDraft): ((id: Instant) => Instant) => {
  const shift = wallOf(to.local_start) - wallOf(from.local_start);
  if (shift === 0 && to.timezone === from.timezone) return (id) => id;
  return (id) => {
    const wall = wallMeantAt(from, millis(id)) + shift;
    return instantOf(instantAt(to.all_day ? midnightOf(wall) : wall, to.timezone));
  };
};

/** The wall time the rule meant by an instant: on the day of a gap that of the series, which the clock did not show. */
const wallMeantAt = ({ local_start, timezone }: EventDraft, at: number): number => {
  const shown = wallAt(at, timezone);
  const meant = wallOf(`${wallText(shown).slice(0, 10)}T${local_start.slice(11)}`);
  return instantAt(meant, timezone) === at ? meant : shown;
};

/** A series cut before an occurrence; either side is null where nothing is there. `uid` is the new series'. */
export const split = (
  series: EventDraft,
  at: Instant,
  uid: string,
): { before: EventDraft | null; after: EventDraft | null } => {
  const { before, after } = splitSeries(series, at);
  const isBefore = (id: Instant) => millis(id) < millis(at);
  return {
    before: before && {
      ...series,
      rrule: before.rrule ?? null,
      rdates: before.rdates,
      exdates: before.exdates,
      overrides: byId(series.overrides, isBefore),
    },
    after: after && {
      ...withChanges(series, {
        scheduled_for: after.start,
        local_start: after.local_start,
        rrule: after.rrule ?? null,
        rdates: after.rdates,
        exdates: after.exdates,
      }),
      uid,
      overrides: byId(series.overrides, (id) => !isBefore(id)),
      sequence: 0,
    },
  };
};
