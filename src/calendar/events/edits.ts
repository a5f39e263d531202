/** Computes what an edit or removal with its scope changes in which documents. Pure; in-transaction.ts writes the changes. */
import type { Instant } from '../../domain/time/time.ts';
import { icsAfter } from '../../domain/calendar/ics/companions.ts';
import { invalidAt } from '../../common/problem.ts';
import { isSeries, type EventChanges, type EventDraft } from './document.ts';
import * as sentence from './sentence.ts';
import type { Scope } from '../../domain/record/field-shapes.ts';
import type { EventOverride, EventResource } from '../schemas.ts';
import { changeAll, changeThis, hasOccurrence, isEmpty, removeThis, split } from './series-edits.ts';
import type { EventChange } from './store.ts';
import { occurrenceAt } from '../timeline.ts';

export type Target = { scope?: Scope | undefined; recurrence_id?: Instant | undefined };

/**
 * `affected` is the event with the new time, and `base` what it was before: of a series that is split, the later part. The last of
 * `changes` is the event that the API answers.
 */
export type Edit = { changes: EventChange[]; base: EventDraft; affected: EventDraft; moved: boolean };

type Resolved = { scope: 'all'; at: Instant | null } | { scope: 'this' | 'following'; at: Instant };

/** Decides which occurrences are meant. @throws 422 where scope and occurrence do not fit the event */
const resolve = (event: EventDraft, { scope, recurrence_id }: Target): Resolved => {
  if (!isSeries(event)) {
    if (recurrence_id !== undefined && recurrence_id !== (event.recurrence_id ?? event.scheduled_for))
      throw invalidAt('/recurrence_id', 'not_recurring', 'is allowed for a recurring event only; leave it out');
    return { scope: 'all', at: null };
  }
  if (recurrence_id !== undefined && !hasOccurrence(event, recurrence_id))
    throw invalidAt(
      '/recurrence_id',
      'no_occurrence',
      'must be an occurrence of this series; GET /calendar/events lists them',
    );
  if (scope === 'all' || (scope === undefined && recurrence_id === undefined))
    return { scope: 'all', at: recurrence_id ?? null };
  if (recurrence_id === undefined)
    throw invalidAt('/recurrence_id', 'required', `is required with scope ${scope}; name the occurrence of the series`);
  return { scope: scope ?? 'this', at: recurrence_id };
};

const OF_SERIES = ['rrule', 'rdates', 'exdates'] as const;

/** Whether the event occurs at other times than before. */
export const isMoved = (from: EventDraft, to: EventDraft): boolean =>
  from.scheduled_for !== to.scheduled_for ||
  from.end !== to.end ||
  from.rrule !== to.rrule ||
  from.rdates.join() !== to.rdates.join();

const next = (from: EventResource, to: EventDraft): EventDraft => ({ ...to, sequence: from.sequence + 1 });

const editThis = (from: EventResource, at: Instant, changes: EventChanges): Edit => {
  const field = OF_SERIES.find((name) => changes[name] !== undefined);
  if (field)
    throw invalidAt(
      `/updates/${field}`,
      'of_series',
      'cannot change for one occurrence; use the scope following or all',
    );
  const to = next(from, changeThis(from, at, changes));
  const before = occurrenceAt<EventDraft>(from, at);
  const affected = occurrenceAt(to, at);
  return {
    changes: [{ what: 'updated', from, to, content: sentence.changed(before, affected) }],
    base: before,
    affected,
    moved: isMoved(before, affected),
  };
};

const editAll = (from: EventResource, at: Instant | null, changes: EventChanges): Edit => {
  const to = next(from, changeAll(from, changes, at));
  return { changes: [{ what: 'updated', from, to }], base: from, affected: to, moved: isMoved(from, to) };
};

/** The series in which the occurrence has no values of its own for what changes, since the change names it. */
const withoutOwn = <E extends EventDraft>(series: E, at: Instant, changes: EventChanges): E => {
  const { [at]: own, ...others } = series.overrides;
  if (!own) return series;
  const gone = new Set([...Object.keys(changes), ...(changes.scheduled_for ? ['local_start', 'timezone'] : [])]);
  const kept: EventOverride = Object.fromEntries(Object.entries(own).filter(([name]) => !gone.has(name)));
  const ics = kept.ics && icsAfter({ ...series, ...own }, { ...series, ...kept });
  if (ics) kept.ics = ics;
  return { ...series, overrides: Object.keys(kept).length ? { ...others, [at]: kept } : others };
};

const editFollowing = (from: EventResource, at: Instant, changes: EventChanges, uid: string): Edit => {
  const { before, after } = split(from, at, uid);
  if (!before || !after) return editAll(from, at, changes);
  const to = changeAll({ ...after, split_from: from.uid }, changes, at);
  return {
    changes: [
      { what: 'updated', from, to: next(from, { ...before, split_to: uid }) },
      { what: 'created', from: null, to },
    ],
    base: after,
    affected: to,
    moved: isMoved(after, to),
  };
};

/** Computes an edit. @param uid makes the uid of a series that is split off @throws 422 */
export const planEdit = (from: EventResource, changes: EventChanges, target: Target, uid: () => string): Edit => {
  const { scope, at } = resolve(from, target);
  if (scope === 'all') return editAll(from, at, changes);
  if (scope === 'this') return editThis(from, at, changes);
  const series = withoutOwn(from, at, changes);
  const edit = editFollowing(series, at, changes, uid());
  return { ...edit, moved: edit.moved || isMoved(occurrenceAt(from, at), occurrenceAt(series, at)) };
};

/** Computes a removal. A series with no occurrence left is removed as a whole. @throws 422 */
export const planRemoval = (from: EventResource, target: Target): EventChange => {
  const { scope, at } = resolve(from, target);
  const whole: EventChange = { what: 'removed', from, to: from };
  if (scope === 'all') return whole;
  const rest = scope === 'this' ? removeThis(from, at) : split(from, at, from.uid).before;
  if (!rest || isEmpty(rest)) return whole;
  const gone = sentence.removed(occurrenceAt<EventDraft>(from, at));
  return {
    what: 'updated',
    from,
    to: next(from, rest),
    content: scope === 'this' ? gone : `${gone} and all later ones`,
  };
};
