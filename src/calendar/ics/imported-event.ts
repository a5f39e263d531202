/** The event or series that a file of another calendar program describes under one UID, on top of the one that exists. */
import { outdatedIn } from '../../domain/calendar/ics/outdated.ts';
import type { ReadEvent } from '../../domain/calendar/ics/read-ics.ts';
import { dayBounds, localDate, type Instant } from '../../domain/time/time.ts';
import { everything, type Blanking } from '../../domain/record/blanking.ts';
import { canonicalJson } from '../../domain/record/canonical-json.ts';
import { restored } from '../../ledger/sensitive-values.ts';
import { newEvent, withChanges, type EventDraft } from '../events/document.ts';
import { overrideOf } from '../events/series-edits.ts';
import type { EventOverride, EventResource, ImportReport } from '../schemas.ts';
import { occurrenceAt } from '../timeline.ts';

export const MAX_UID = 255;
const MAX_TAGS = 100;
const MAX_TAG = 100;

type Report = ImportReport['report'];
type Part = { line: number; draft: EventDraft };
/**
 * What a file says under one UID: the event or series, and single occurrences of it. documentOf adds to `outdated` those that the
 * series has removed since.
 */
export type Group = {
  uid: string;
  parts: Part[];
  master: EventDraft | null;
  occurrences: EventDraft[];
  outdated: Set<EventDraft>;
};

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
    outdated: new Set(),
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
  const isOutdated = outdatedIn(event);
  const overrides = { ...event.overrides };
  let { sequence } = event;
  // An earlier file had a single occurrence of this series and not the series; it becomes an override now.
  if (master && there?.recurrence_id) {
    for (const [id, own] of Object.entries({
      ...there.overrides,
      [there.recurrence_id]: overrideOf(event, there.recurrence_id, there),
    }))
      if (!isOutdated({ recurrence_id: id, sequence: there.sequence })) overrides[id] = own;
    sequence = Math.max(sequence, there.sequence);
  }
  for (const one of group.occurrences) {
    yield;
    const own = inZoneOf(one, existing);
    if (isOutdated(own)) {
      group.outdated.add(one);
      continue;
    }
    if (own.recurrence_id === event.recurrence_id) event = own;
    else overrides[own.recurrence_id as Instant] = overrideOf(event, own.recurrence_id as Instant, own);
    sequence = Math.max(sequence, own.sequence);
  }
  return { ...event, overrides, sequence };
}

const TEXTS = ['title', 'description', 'location', 'url', 'tags', 'ics'] as const;

/** What the sender of a file is shown of the existing event, one override after the other; the event itself where that is all. */
export function* shownTo(show: Blanking, existing: EventResource | null): Generator<undefined, EventResource | null> {
  if (!existing || existing.removed || show === everything) return existing;
  const shown = show({ ...existing, overrides: {} });
  // Without its texts, the event still says which values are hidden in an override.
  const rest = Object.fromEntries(Object.entries(existing).filter(([name]) => !TEXTS.some((text) => text === name)));
  const overrides: EventResource['overrides'] = {};
  for (const [id, own] of Object.entries(existing.overrides)) {
    yield;
    Object.assign(overrides, show({ ...rest, overrides: { [id]: own } }).overrides);
  }
  return { ...shown, overrides };
}

const isSameText = (a: unknown, b: unknown): boolean =>
  a === b || canonicalJson([a ?? null]) === canonicalJson([b ?? null]);

/** A file says each category once, and two that are hidden look the same. */
const repeated = (sent: string[], shown: string[]): string[] => {
  if (new Set(shown).size === shown.length) return sent;
  return [...shown.filter((tag) => sent.includes(tag)), ...sent.filter((tag) => !shown.includes(tag))];
};

/** The texts of an event or override, with the tags as they were shown. */
const textsOf = <T extends EventOverride>(sent: T, shown: EventOverride): Pick<T, (typeof TEXTS)[number]> => ({
  ...Object.fromEntries(TEXTS.flatMap((name) => (sent[name] === undefined ? [] : [[name, sent[name]]]))),
  ...(sent.tags && { tags: repeated(sent.tags, shown.tags ?? []) }),
});

type Seen = { shown: EventResource; stored: EventResource };

/** An override does not say what is the same in its series. A text that only looks the same is still its own. */
const withAlike = (own: EventOverride, series: EventDraft, shown: EventOverride, stored: EventOverride) => {
  const alike = TEXTS.filter(
    (name) =>
      own[name] === undefined && isSameText(shown[name], series[name]) && !isSameText(shown[name], stored[name]),
  );
  return { ...own, ...Object.fromEntries(alike.map((name) => [name, shown[name]])) };
};

function* overridesWithHidden(
  made: EventDraft,
  { shown, stored }: Seen,
): Generator<undefined, EventDraft['overrides']> {
  // A single occurrence becomes an override of its series.
  const seenIn = (event: EventResource, id: string) => (id === event.recurrence_id ? event : event.overrides[id]);
  const overrides: EventDraft['overrides'] = {};
  for (const [id, own] of Object.entries(made.overrides)) {
    yield;
    const [seen, there] = [seenIn(shown, id), seenIn(stored, id)];
    if (!seen || !there) overrides[id] = own;
    else if (own === seen) overrides[id] = there;
    else {
      const sent = { overrides: textsOf(withAlike(own, made, seen, there), seen) };
      overrides[id] = { ...own, ...restored(sent, { overrides: seen }, { overrides: there }).overrides };
    }
  }
  return overrides;
}

/**
 * The event with the texts that its sender means. It is made on top of what the sender is shown (shownTo), so that what the file
 * does not say stays as it is stored, and no comparison with a stored text tells what that is.
 * @throws 409 redacted_field
 */
export function* withHidden(
  made: EventDraft,
  stored: EventResource | null,
  shown: EventResource | null,
): Generator<undefined, EventDraft> {
  if (!stored || !shown || stored.removed || shown === stored) return made;
  const overrides = yield* overridesWithHidden(made, { shown, stored });
  // The series of a single occurrence is new.
  if (stored.recurrence_id !== null && Object.hasOwn(made.overrides, stored.recurrence_id))
    return { ...made, overrides };
  const { recurrence_id } = made;
  const isOther = recurrence_id !== null && recurrence_id !== stored.recurrence_id;
  const [seen, there] = isOther
    ? [occurrenceAt(shown, recurrence_id), occurrenceAt(stored, recurrence_id)]
    : [shown, stored];
  return { ...made, ...restored(textsOf(made, seen), seen, there), overrides };
}

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
