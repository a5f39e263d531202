/** A series as one document: its occurrences, and what an edit of one, of the following or of all makes of it. Pure. */
import { canonicalJson } from '../domain/jcs.ts';
import { eventEnd, expand, seriesEnd, splitSeries, type Occurrence as Happening } from '../domain/recurrence.ts';
import { instantOf, localStart, millis, overlaps, type Instant, type Interval } from '../domain/time.ts';
import { instantAt, midnightOf, wallAt, wallOf, wallText } from '../domain/walls.ts';
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

const YEAR_MINUTES = 366 * 24 * 60;
/** No rule makes more than 96 a day (rrule.ts): this is what two years can hold. */
const MOST = 100_000;

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
export const happenings = <E extends EventDraft>(event: E, window: Interval, limit = MOST): Happening<E>[] =>
  expand(event, overridesOf(event), window, { limit });

/** A happening as an event of its own; of a single event that event itself. */
export const happeningOf = <E extends EventDraft>(
  event: E,
  { recurrence_id, scheduled_for, end, override }: Happening<E>,
): E => {
  if (recurrence_id === null || !isSeries(event)) return event;
  const { rrule, rdates, exdates } = event;
  if (override) return { ...override, rrule, rdates, exdates };
  return { ...event, scheduled_for, end, local_start: localStart(scheduled_for, event.timezone), recurrence_id };
};

/** Busy time of an event within a window, each with its title there. */
export const busyTimes = (event: EventDraft, window: Interval): (Interval & { title: string })[] =>
  happenings(event, window).flatMap(({ scheduled_for: start, end, override }) => {
    const own = override ?? event;
    return isBusy(own) && start < end ? [{ start, end, title: own.title }] : [];
  });

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

/** Whether busy times of two events overlap; of two series those of the two years from where both run. */
export const clash = (a: EventDraft, b: EventDraft): boolean => {
  const [series, other] = isSeries(a) ? [a, b] : [b, a];
  if (!isSeries(series))
    return (
      isBusy(a) &&
      isBusy(b) &&
      a.scheduled_for < a.end &&
      b.scheduled_for < b.end &&
      overlaps(intervalOf(a), intervalOf(b))
    );
  if (!isSeries(other)) return isBusy(other) && busyTimes(series, intervalOf(other)).length > 0;
  const from = Math.max(millis(spanOf(a).start), millis(spanOf(b).start));
  const window = { start: instantOf(from), end: instantOf(from + 2 * YEAR_MINUTES * 60_000) };
  const times = busyTimes(series, window);
  return busyTimes(other, window).some((one) => times.some((time) => overlaps(one, time)));
};

export const intervalOf = (event: Pick<EventDraft, 'scheduled_for' | 'end'>): Interval => ({
  start: event.scheduled_for,
  end: event.end,
});

/** Whether a series has this occurrence, moved or not. */
export const hasOccurrence = (series: EventDraft, recurrence_id: Instant): boolean => {
  if (Object.hasOwn(series.overrides, recurrence_id)) return true;
  const at = { start: recurrence_id, end: instantOf(millis(recurrence_id) + 1) };
  return happenings({ ...series, overrides: {} }, at).some((o) => o.recurrence_id === recurrence_id);
};

/** Whether nothing of a series is left. */
export const isEmpty = (series: EventDraft): boolean => {
  const { start, end } = spanOf(series);
  return end !== null && happenings(series, { start, end: instantOf(millis(end) + 1) }, 1).length === 0;
};

/** The first occurrence that starts at or after an instant, within two years. */
export const nextOccurrence = (series: EventDraft, from: Instant): Instant | null => {
  const window = { start: from, end: instantOf(millis(from) + 2 * YEAR_MINUTES * 60_000) };
  return happenings(series, window, 500).find((o) => o.scheduled_for >= from)?.recurrence_id ?? null;
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
  if (own.ics && canonicalJson(own.ics) !== canonicalJson(series.ics ?? null)) kept.ics = own.ics;
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
