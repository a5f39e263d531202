/**
 * Imports .ics files of other calendar programs. Importing a file again changes nothing: events are matched by UID and
 * RECURRENCE-ID, and a newer SEQUENCE wins. The report says what happened to each component.
 */
import type { Caller } from '../domain/access/caller.ts';
import { readingCalendar, type ReadEvent } from '../domain/calendar/ics/read-ics.ts';
import { canonicalJson } from '../domain/record/canonical-json.ts';
import { strictRrule } from '../domain/calendar/series-expansion.ts';
import { dayBounds, localDate, type Instant } from '../domain/time/time.ts';
import { Problem, problem } from '../common/problem.ts';
import type { Writer } from '../ledger/ledger-writer.ts';
import type { StagedImports } from '../ledger/staged-import.ts';
import { seriesLimit } from './calendar-bounds.ts';
import { checkEvent, newEvent, withChanges, type EventDraft } from './event-document.ts';
import { lastVersions } from './queries.ts';
import type { EventResource, ImportReport } from './schemas.ts';
import { overrideOf } from './series-edits.ts';
import type { EventChange } from './event-store.ts';
import { runYielding } from '../common/yielding.ts';
import type { InTransaction } from './in-transaction.ts';

/** The components of a part. On the embedded database it takes some 60 ms; smaller ones cost more in all. */
const PART = 40;
const MAX_UID = 255;
const MAX_TAGS = 100;
const MAX_TAG = 100;

/** A file as it was sent. `charset` is the encoding that its sender names. */
export type CalendarFile = { bytes: Uint8Array; charset?: string | undefined };

/** The charset that a Content-Type header names. */
export const charsetOf = (type: string | undefined): string | undefined =>
  /;\s*charset="?([^";\s]+)/i.exec(type ?? '')?.[1];

type Report = ImportReport['report'];
type Outcome = ImportReport['components'][number]['outcome'];
type Part = { line: number; draft: EventDraft };
/** What a file says under one UID: the event or series, and single occurrences of it. */
type Group = { uid: string; parts: Part[]; master: EventDraft | null; occurrences: EventDraft[] };

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

/** Writes UNTIL in the form of the RFC, so that a rule from a file equals the stored one. */
const withStrictRule = (event: EventDraft): EventDraft => ({ ...event, rrule: strictRrule(event) });

const isSame = (
  draft: EventDraft,
  { version: _v, created_at: _c, updated_at: _u, seq: _s, ...known }: EventResource,
): boolean => canonicalJson(withStrictRule(draft)) === canonicalJson(withStrictRule(known));

const PLAIN = { overrides: {}, sequence: 0 };

/** The same for a series: compares one override after the other and yields between them. */
export function* isSameSeries(draft: EventDraft, known: EventResource): Generator<undefined, boolean> {
  const ids = Object.keys(draft.overrides);
  if (draft.sequence !== known.sequence || ids.length !== Object.keys(known.overrides).length) return false;
  for (const id of ids) {
    yield;
    if (canonicalJson(draft.overrides[id] ?? null) !== canonicalJson(known.overrides[id] ?? null)) return false;
  }
  return isSame({ ...draft, ...PLAIN }, { ...known, ...PLAIN });
}

type Verdict =
  | { what: 'created' | 'updated'; change: EventChange }
  | { what: 'unchanged' }
  | { what: 'skipped' | 'failed'; message: string };

function* judge(group: Group, existing: EventResource | null): Generator<undefined, Verdict> {
  if (existing?.source_uid !== undefined && !existing.removed)
    return { what: 'failed', message: 'This event belongs to a calendar source, so a file cannot change it.' };
  if (group.uid.length > MAX_UID) return { what: 'failed', message: `A UID must have at most ${MAX_UID} characters.` };
  try {
    const made = yield* documentOf(group, existing);
    const to = checkEvent(existing ? keeping(made, existing) : made);
    if (!existing || existing.removed) return { what: 'created', change: { what: 'created', from: existing, to } };
    if (to.sequence < existing.sequence)
      return { what: 'skipped', message: 'The calendar already has a newer version.' };
    return (yield* isSameSeries(to, existing))
      ? { what: 'unchanged' }
      : { what: 'updated', change: { what: 'updated', from: existing, to } };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { what: 'failed', message: error.message };
  }
}

function* judging(groups: Group[], known: ReadonlyMap<string, EventResource>): Generator<undefined, Verdict[]> {
  const verdicts: Verdict[] = [];
  for (const group of groups) {
    yield;
    verdicts.push(yield* judge(group, known.get(group.uid) ?? null));
  }
  return verdicts;
}

/** The outcome of one component where something under its UID changed. */
const outcomeOf = ({ recurrence_id }: EventDraft, { from, to }: EventChange): Outcome => {
  if (!from || from.removed) return 'created';
  if (recurrence_id === null || recurrence_id === to.recurrence_id)
    return isSame({ ...to, ...PLAIN }, { ...from, ...PLAIN }) ? 'unchanged' : 'updated';
  const before = from.overrides[recurrence_id];
  if (!before) return 'created';
  return canonicalJson(before) === canonicalJson(to.overrides[recurrence_id] ?? null) ? 'unchanged' : 'updated';
};

/** Makes a report that counts the outcomes. */
const createReport = () => {
  const answer: ImportReport = {
    created: 0,
    updated: 0,
    unchanged: 0,
    skipped: 0,
    failed: 0,
    components: [],
    report: [],
  };
  return {
    notes: answer.report,
    add: (component: Omit<ImportReport['components'][number], 'component'> & { component?: string }) => {
      answer[component.outcome] += 1;
      answer.components.push({ component: 'VEVENT', ...component });
    },
    finish: (): ImportReport => {
      const byLine = (a: { line: number }, b: { line: number }) => a.line - b.line;
      return { ...answer, components: answer.components.sort(byLine), report: answer.report.sort(byLine) };
    },
  };
};

const nothingImported = (report: ImportReport): Problem => {
  const { line, reason } = report.components[0] ?? {};
  const message = `Nothing in the file was imported. Line ${line}: ${reason} Correct the components that the report names, then send the file again.`;
  return problem('nothing_imported', message, report);
};

const LEVEL = { skipped: 'info', failed: 'error' } as const;

/** Adds the outcome of a group to the report, component by component. */
function* addOutcomes(
  { uid, parts }: Group,
  verdict: Verdict,
  { add, notes }: ReturnType<typeof createReport>,
): Generator<undefined> {
  const reason = 'message' in verdict ? verdict.message : null;
  for (const { line, draft } of parts) {
    yield;
    const outcome = 'change' in verdict ? outcomeOf(draft, verdict.change) : verdict.what;
    add({ line, uid, recurrence_id: draft.recurrence_id, outcome, reason });
  }
  if ('message' in verdict)
    notes.push({ line: parts[0]?.line ?? 1, uid, level: LEVEL[verdict.what], message: verdict.message });
}

export type ImportDeps = { staged: StagedImports; inTransaction: InTransaction };

/** What a file says under each UID, as many components together as one write takes. */
const inParts = (events: ReadEvent[]): ReadEvent[][][] => {
  const parts: ReadEvent[][][] = [];
  let size = Infinity;
  for (const found of Map.groupBy(events, ({ event }) => event.uid).values()) {
    size += found.length;
    if (size <= PART) parts.at(-1)?.push(found);
    else {
      parts.push([found]);
      size = found.length;
    }
  }
  return parts;
};

/** The report of a part. */
type Told = Pick<ImportReport, 'components' | 'report'>;

export const createImport = ({ staged, inTransaction }: ImportDeps) => {
  /** Compares groups with what is stored, and displaces agents' blocks for the new events. */
  const decide = async (writer: Writer, groups: Group[]): Promise<Verdict[]> => {
    const judgeAll = async () => {
      const known = await lastVersions(
        writer.tx,
        writer.author.user_id,
        groups.map(({ uid }) => uid),
      );
      const verdicts = await runYielding(judging(groups, known));
      const changes = verdicts.flatMap((verdict) => ('change' in verdict ? [verdict.change] : []));
      const beyond = await inTransaction.beyondSeries(writer, changes);
      if (!beyond.size) return verdicts;
      const { message } = seriesLimit();
      return verdicts.map((verdict): Verdict =>
        'change' in verdict && beyond.has(verdict.change) ? { what: 'failed', message } : verdict,
      );
    };
    const verdicts = await judgeAll();
    const displaced = await inTransaction.displaceBlocks(
      writer,
      verdicts.flatMap((verdict) => ('change' in verdict ? [verdict.change.to] : [])),
    );
    // A displaced block may be one of the file's own events, so compare again.
    return displaced > 0 ? judgeAll() : verdicts;
  };

  /** Writes the valid components of a part. */
  const importPart = async (writer: Writer, part: ReadEvent[][]): Promise<Told> => {
    const report = createReport();
    const groups: Group[] = [];
    for (const found of part)
      groups.push(
        await runYielding(createGroup(writer.author.user_id, found[0]?.event.uid ?? '', found, report.notes)),
      );
    const verdicts = await decide(writer, groups);
    await inTransaction.writeImported(
      writer,
      verdicts.flatMap((verdict) => ('change' in verdict ? [verdict.change] : [])),
    );
    for (const [i, verdict] of verdicts.entries()) await runYielding(addOutcomes(groups[i] as Group, verdict, report));
    return report.finish();
  };

  const importAll = staged.define('events', importPart);

  /**
   * Imports all valid components of a file, or none.
   * @param zone of floating times and all-day events
   * @throws 422 nothing_imported where no component is valid
   */
  const importFile = async (caller: Caller, { bytes, charset }: CalendarFile, zone: string): Promise<ImportReport> => {
    const { events, report: findings, left } = await runYielding(readingCalendar(bytes, { zone, charset }));
    const report = createReport();
    for (const { line, uid = null, level, message } of findings) report.notes.push({ line, uid, level, message });
    for (const one of left) report.add({ ...one, recurrence_id: null });
    // A file that is no calendar has no components. Its fault is reported for the whole file.
    const whole = events.length + left.length === 0 ? findings.find(({ level }) => level === 'error') : undefined;
    if (whole)
      report.add({
        line: whole.line,
        component: '',
        uid: null,
        recurrence_id: null,
        outcome: 'failed',
        reason: whole.message,
      });
    await importAll({ ...caller, origin: 'import' }, inParts(events), ({ components, report: notes }) => {
      for (const component of components) report.add(component);
      report.notes.push(...notes);
    });
    const answer = report.finish();
    if (answer.failed > 0 && answer.failed === answer.components.length) throw nothingImported(answer);
    return answer;
  };

  return { importFile };
};
