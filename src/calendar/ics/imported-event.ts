/** The event or series that a file of another calendar program describes under one UID, on top of the one that exists. */
import type { ReadEvent } from '../../domain/calendar/ics/read-ics.ts';
import { dayBounds, localDate, type Instant } from '../../domain/time/time.ts';
import { newEvent, withChanges, type EventDraft } from '../events/document.ts';
import { overrideOf } from '../events/series-edits.ts';
import type { EventResource, ImportReport } from '../schemas.ts';

export const MAX_UID = 255;
const MAX_TAGS = 100;
const MAX_TAG = 100;

type Report = ImportReport['report'];
type Part = { line: number; draft: EventDraft };
/** What a file says under one UID: the event or series, and single occurrences of it. */
export type Group = { uid: string; parts: Part[]; master: EventDraft | null; occurrences: EventDraft[] };

/** Converts one component into an event of the user, and leaves out what does not fit the limits. */
const partOf = (user_id: string, { line, event }: ReadEvent, report: Report): Part => {
  const { created_at: _c, updated_at: _u, ...said } = event;
  const tags = said.tags.filter((tag) => tag.length <= MAX_TAG).slice(0, MAX_TAGS);
  if (tags.length < said.tags.length)
    report.push({
      line,
      uid: said.uid,
      level: 'warning',
      message: `Almanac imports at most ${MAX_TAGS} categories, each with at most ${MAX_TAG} characters; it ignored the others.`,
    });
  const known = {
    task_id: said.task_id && said.task_id.length <= MAX_UID ? said.task_id : null,
    tempo_tag: said.tempo_tag && said.tempo_tag.length <= MAX_TAG ? said.tempo_tag : null,
  };
  const { rrule = null, recurrence_id = null } = said;
  return { line, draft: newEvent({ ...said, ...known, tags, rrule, recurrence_id, origin: 'import' }, user_id) };
};

export function* createGroup(
  user_id: string,
  uid: string,
  found: ReadEvent[],
  report: Report,
): Generator<undefined, Group> {
  const parts: Part[] = [];
  for (const one of found) {
    yield;
    parts.push(partOf(user_id, one, report));
  }
  const drafts = parts.map(({ draft }) => draft);
  return {
    uid,
    parts,
    master: drafts.find((draft) => draft.recurrence_id === null) ?? null,
    occurrences: drafts.filter((draft) => draft.recurrence_id !== null),
  };
}

/** Dates of an .ics file have no zone. An all-day event that exists here keeps its own zone, and its dates are read in that. */
const inZoneOf = (draft: EventDraft, existing: EventResource | null): EventDraft => {
  if (!existing?.all_day || !draft.all_day || existing.timezone === draft.timezone) return draft;
  const { timezone } = existing;
  const day = (at: Instant) => dayBounds(localDate(at, draft.timezone), timezone).start;
  const { local_start, rdates, exdates } = draft;
  const changes = {
    timezone,
    local_start,
    scheduled_for: day(draft.scheduled_for),
    rdates: rdates.map(day),
    exdates: exdates.map(day),
  };
  return { ...withChanges(draft, changes), recurrence_id: draft.recurrence_id && day(draft.recurrence_id) };
};

/** Makes the document of a group on top of the existing one: a file without the series itself adds occurrences to it. */
export function* documentOf(group: Group, existing: EventResource | null): Generator<undefined, EventDraft> {
  const master = group.master && inZoneOf(group.master, existing);
  const there = existing && !existing.removed ? existing : null;
  const [first] = group.occurrences;
  let event = (master ?? there ?? (first && inZoneOf(first, existing))) as EventDraft;
  const overrides = { ...event.overrides };
  // An earlier file had a single occurrence of this series and not the series; it becomes an override now.
  if (master && there?.recurrence_id) {
    Object.assign(overrides, there.overrides);
    overrides[there.recurrence_id] = overrideOf(event, there.recurrence_id, there);
  }
  let { sequence } = event;
  for (const one of group.occurrences) {
    yield;
    const own = inZoneOf(one, existing);
    if (own.recurrence_id === event.recurrence_id) event = own;
    else overrides[own.recurrence_id as Instant] = overrideOf(event, own.recurrence_id as Instant, own);
    sequence = Math.max(sequence, own.sequence);
  }
  return { ...event, overrides, sequence };
}

/** Restores texts of an event (Sensitive.restoringIn). */
export type Restore = <T extends object>(from: object, sent: T) => T;

/** The event with the texts that its sender means. @throws 409 redacted_field */
export const withHidden = (made: EventDraft, existing: EventResource | null, restore: Restore): EventDraft => {
  if (!existing || existing.removed) return made;
  const { title, description, location, url, overrides, ics } = made;
  return { ...made, ...restore(existing, { title, description, location, url, overrides, ...(ics ? { ics } : {}) }) };
};

/** Keeps the fields that only Almanac knows. A block that a person's file moves is no longer displaced by others. */
export const keeping = (
  draft: EventDraft,
  { version: _v, created_at: _c, updated_at: _u, seq: _s, removed, ...known }: EventResource,
): EventDraft => {
  const { uid, user_id, origin, plan_uid, linked_trace_ids, split_from, split_to, href } = known;
  const isThere = draft.scheduled_for === known.scheduled_for && draft.end === known.end && !removed;
  return {
    ...draft,
    uid,
    user_id,
    origin,
    plan_uid,
    linked_trace_ids,
    split_from,
    split_to,
    ...(href === undefined ? {} : { href }),
    task_id: draft.task_id ?? known.task_id,
    tempo_tag: draft.tempo_tag ?? known.tempo_tag,
    yields: known.yields && isThere,
  };
};
