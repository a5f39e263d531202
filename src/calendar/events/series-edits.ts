/** Computes the document of a series after an edit of one, the following or all occurrences. Pure. */
import { canonicalJson } from '../../domain/record/canonical-json.ts';
import { icsAfter, isSameIcs, type Fields } from '../../domain/calendar/ics/companions.ts';
import { happensNever } from '../../domain/calendar/ics/file-rules.ts';
import { ruleMoved } from '../../domain/calendar/rule-moved.ts';
import { splitSeries } from '../../domain/calendar/series-expansion.ts';
import { instantOf, millis, type Instant } from '../../domain/time/time.ts';
import { instantAt, midnightOf, wallAt, wallOf, wallText } from '../../domain/time/wall-time.ts';
import {
  checkEvent,
  isSeries,
  sortedOnce,
  wallStart,
  withChanges,
  withoutKeptRule,
  type EventChanges,
  type EventDraft,
} from './document.ts';
import { OVERRIDABLE, type EventOverride } from '../schemas.ts';
import { happenings, occurrenceAt, withTimeline, spanOf } from '../timeline.ts';

/** The next occurrence of a series is searched in this much time. */
const NEXT_MS = 10 * 366 * 86_400_000;

/**
 * Whether a series has this occurrence, moved or not. It must be fast, since a series with thousands of overrides calls it for
 * each.
 */
export const hasOccurrence = (series: EventDraft, recurrence_id: Instant): boolean => {
  if (Object.hasOwn(series.overrides, recurrence_id)) return true;
  if (series.exdates.includes(recurrence_id)) return false;
  if (recurrence_id === series.scheduled_for || series.rdates.includes(recurrence_id)) return true;
  const at = millis(recurrence_id);
  return happenings({ ...series, overrides: {}, exdates: [], rdates: [] }, [at, at + 1]).some(({ id }) => id === at);
};

/** Whether a series has no occurrence left. */
export const isEmpty = (series: EventDraft): boolean => {
  const { start, end } = spanOf(series);
  return end !== null && happenings(series, [millis(start), millis(end) + 1]).next().done === true;
};

/** The recurrence_id of the first occurrence that starts at or after an instant, in the next ten years. */
export const nextOccurrence = (series: EventDraft, from: Instant): Instant | null => {
  const at = millis(from);
  const next = withTimeline(series)
    .happenings({ window: [at, at + NEXT_MS], since: at })
    .next().value;
  return next?.id == null ? null : instantOf(next.id);
};

export const byId = (overrides: EventDraft['overrides'], isKept: (id: Instant) => boolean): EventDraft['overrides'] =>
  Object.fromEntries(Object.entries(overrides).filter(([id]) => isKept(id)));

/** The override of an occurrence: those values of `own` that differ from the series'. */
export const overrideOf = (series: EventDraft, recurrence_id: Instant, own: EventDraft): EventOverride => {
  const plain = occurrenceAt({ ...series, overrides: {} }, recurrence_id);
  const differs = (key: (typeof OVERRIDABLE)[number]) =>
    plain[key] !== own[key] && canonicalJson([plain[key]]) !== canonicalJson([own[key]]);
  const kept = Object.fromEntries(OVERRIDABLE.filter(differs).map((key) => [key, own[key]])) as EventOverride;
  // Start, wall time and zone are stored together, since each has a meaning only with the others.
  if (kept.scheduled_for !== undefined || kept.local_start !== undefined)
    Object.assign(kept, { scheduled_for: own.scheduled_for, local_start: own.local_start, timezone: own.timezone });
  if (own.ics !== series.ics && canonicalJson(own.ics ?? null) !== canonicalJson(series.ics ?? null))
    kept.ics = own.ics ?? { properties: [], components: [] };
  return kept;
};

/** The series with an override for one occurrence. */
export const withOccurrence = (series: EventDraft, recurrence_id: Instant, own: EventDraft): EventDraft => ({
  ...series,
  overrides: { ...series.overrides, [recurrence_id]: overrideOf(series, recurrence_id, own) },
});

export const changeThis = (series: EventDraft, recurrence_id: Instant, changes: EventChanges): EventDraft =>
  withOccurrence(series, recurrence_id, withChanges(occurrenceAt(series, recurrence_id), changes));

/** The series without some occurrences. */
export const removeThese = (series: EventDraft, ids: readonly Instant[]): EventDraft => {
  const removed = new Set(ids);
  return {
    ...series,
    exdates: sortedOnce([...series.exdates, ...ids]),
    overrides: byId(series.overrides, (id) => !removed.has(id)),
  };
};

/** The series without one occurrence. */
export const removeThis = (series: EventDraft, recurrence_id: Instant): EventDraft =>
  removeThese(series, [recurrence_id]);

/**
 * Changes all of a series. A new start given for the occurrence `meant` moves every occurrence by the same wall time, and
 * rule, exdates and overrides move with them. A new rule keeps those that still occur.
 * @throws 422
 */
export const changeAll = (from: EventDraft, changes: EventChanges, meant: Instant | null): EventDraft => {
  const series = changes.rrule === undefined ? from : withItsStart(from);
  const moves = withChanges(series, shiftedFrom(series, changes, meant));
  const to = checkEvent(
    changes.rrule === undefined ? { ...moves, rrule: ruleMoved(series, moves) } : moves,
    '/updates',
  );
  if (!isSeries(series) || !isSeries(to)) return to;
  const move = moveOf(series, to);
  const moved: EventDraft = {
    ...to,
    rdates: changes.rdates ? to.rdates : sortedOnce(series.rdates.map(move)),
    exdates: changes.exdates ? to.exdates : sortedOnce(series.exdates.map(move)),
    overrides: Object.fromEntries(
      Object.entries(series.overrides).map(([id, own]) => {
        const at = move(id);
        if (!WITH_COMPANIONS.some((name) => Object.hasOwn(own, name))) return [at, own];
        return [at, withOwnIcs(own, ofOccurrence(series, id, own), ofOccurrence(to, at, own))];
      }),
    ),
  };
  if (changes.rrule === undefined) return moved;
  return { ...moved, overrides: byId(moved.overrides, (id) => hasOccurrence({ ...moved, overrides: {} }, id)) };
};

/** The start of a series that never happened was excluded for that only, so it is an occurrence of another rule. */
const withItsStart = (series: EventDraft): EventDraft =>
  happensNever(series) ? { ...series, exdates: series.exdates.filter((at) => at !== series.scheduled_for) } : series;

/** An override without a value for these follows its series, also in what its file says of them. */
const WITH_COMPANIONS = ['location', 'description', 'busy', 'status', 'all_day', 'scheduled_for', 'reminders', 'ics'];

/** The fields of an occurrence that the properties of its file can contradict. It computes no times, so that it is fast. */
const ofOccurrence = (series: EventDraft, id: Instant, own: EventOverride): Fields =>
  ({ ...series, scheduled_for: id, ...own, local_start: own.local_start ?? id }) as Fields;

/** The override after a change of its series, with an `ics` of its own where that of the series does not fit it. */
const withOwnIcs = (own: EventOverride, before: Fields, after: Fields): EventOverride => {
  const ics = icsAfter(before, own.ics || !before.ics ? after : { ...after, ics: before.ics });
  if (!ics || ics === own.ics || (after.ics && isSameIcs(ics, after.ics))) return own;
  return { ...own, ics };
};

/** Computes the start of the whole series from a new start for one occurrence. */
const shiftedFrom = (series: EventDraft, changes: EventChanges, meant: Instant | null): EventChanges => {
  if (meant === null || changes.scheduled_for === undefined || meant === series.scheduled_for) return changes;
  const zone = changes.timezone ?? series.timezone;
  const wall = wallOf(wallStart(changes.scheduled_for, changes.local_start, zone));
  const start =
    wallOf(series.local_start) + wall - wallOf(occurrenceAt({ ...series, overrides: {} }, meant).local_start);
  return { ...changes, scheduled_for: instantOf(instantAt(start, zone)), local_start: wallText(start) };
};

/** Returns a function from an occurrence's old recurrence_id to its new one, by wall time. */
const moveOf = (from: EventDraft, to: EventDraft): ((id: Instant) => Instant) => {
  const shift = wallOf(to.local_start) - wallOf(from.local_start);
  if (shift === 0 && to.timezone === from.timezone) return (id) => id;
  return (id) => {
    const wall = wallTimeMeantAt(from, millis(id)) + shift;
    return instantOf(instantAt(to.all_day ? midnightOf(wall) : wall, to.timezone));
  };
};

/** The wall time that the rule meant by an instant. In a gap that is the wall time of the series, which no clock showed. */
const wallTimeMeantAt = ({ local_start, timezone }: EventDraft, at: number): number => {
  const shown = wallAt(at, timezone);
  const meant = wallOf(`${wallText(shown).slice(0, 10)}T${local_start.slice(11)}`);
  return instantAt(meant, timezone) === at ? meant : shown;
};

/** Splits a series before an occurrence. A side without occurrences is null. `uid` is the uid of the new series. */
export const split = (
  series: EventDraft,
  at: Instant,
  uid: string,
): { before: EventDraft | null; after: EventDraft | null } => {
  const { before, after } = splitSeries(series, at);
  // A rule that Almanac cannot compute can't be divided, and would add to both sides what the other has.
  const divided = withoutKeptRule(series);
  // The name of a CalDAV resource belongs to one event, so the new series has none yet.
  const { href: _, ...unnamed } = divided;
  const isBefore = (id: Instant) => millis(id) < millis(at);
  return {
    before: before && {
      ...divided,
      rrule: before.rrule ?? null,
      rdates: before.rdates,
      exdates: before.exdates,
      overrides: byId(series.overrides, isBefore),
    },
    after: after && {
      ...withChanges(unnamed, {
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
