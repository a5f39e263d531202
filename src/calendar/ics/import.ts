/**
 * Imports .ics files of other calendar programs. Importing a file again changes nothing: events are matched by UID and
 * RECURRENCE-ID, and a newer SEQUENCE wins. The report says what happened to each component.
 */
import type { Caller } from '../../domain/access/caller.ts';
import { OUTDATED } from '../../domain/calendar/ics/outdated.ts';
import { readingCalendar, type ReadEvent } from '../../domain/calendar/ics/read-ics.ts';
import type { Blanking } from '../../domain/record/blanking.ts';
import { canonicalJson } from '../../domain/record/canonical-json.ts';
import { strictRrule } from '../../domain/calendar/series-expansion.ts';
import { Problem, problem } from '../../common/problem.ts';
import type { Writer } from '../../ledger/ledger-writer.ts';
import type { Sensitive } from '../../ledger/sensitive-values.ts';
import type { StagedImports } from '../../ledger/staged-import.ts';
import { seriesLimit } from '../calendar-bounds.ts';
import { checkEvent, type EventDraft } from '../events/document.ts';
import { lastVersions } from '../queries.ts';
import type { EventResource, ImportReport } from '../schemas.ts';
import type { EventChange } from '../events/store.ts';
import { runYielding } from '../../common/yielding.ts';
import type { InTransaction } from '../in-transaction.ts';
import { createGroup, documentOf, keeping, MAX_UID, shownTo, withHidden, type Group } from './imported-event.ts';

/** The components of a part. On the embedded database it takes some 60 ms; smaller ones cost more in all. */
const PART = 40;

/** A file as it was sent. `charset` is the encoding that its sender names. */
export type CalendarFile = { bytes: Uint8Array; charset?: string | undefined };

/** The charset that a Content-Type header names. */
export const charsetOf = (type: string | undefined): string | undefined =>
  /;\s*charset="?([^";\s]+)/i.exec(type ?? '')?.[1];

type Outcome = ImportReport['components'][number]['outcome'];
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

function* judge(group: Group, existing: EventResource | null, show: Blanking): Generator<undefined, Verdict> {
  if (existing?.source_uid !== undefined && !existing.removed)
    return { what: 'failed', message: 'This event belongs to a calendar source, so a file cannot change it.' };
  if (group.uid.length > MAX_UID) return { what: 'failed', message: `A UID must have at most ${MAX_UID} characters.` };
  try {
    const shown = yield* shownTo(show, existing);
    const made = yield* withHidden(yield* documentOf(group, shown), existing, shown);
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

function* judging(
  groups: Group[],
  known: ReadonlyMap<string, EventResource>,
  show: Blanking,
): Generator<undefined, Verdict[]> {
  const verdicts: Verdict[] = [];
  for (const group of groups) {
    yield;
    verdicts.push(yield* judge(group, known.get(group.uid) ?? null, show));
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
  { uid, parts, outdated }: Group,
  verdict: Verdict,
  { add, notes }: ReturnType<typeof createReport>,
): Generator<undefined> {
  const reason = 'message' in verdict ? verdict.message : null;
  for (const { line, draft } of parts) {
    yield;
    if (reason === null && outdated.has(draft)) {
      add({ line, uid, recurrence_id: draft.recurrence_id, outcome: 'skipped', reason: OUTDATED });
      notes.push({ line, uid, level: 'warning', message: OUTDATED });
      continue;
    }
    const outcome = 'change' in verdict ? outcomeOf(draft, verdict.change) : verdict.what;
    add({ line, uid, recurrence_id: draft.recurrence_id, outcome, reason });
  }
  if ('message' in verdict)
    notes.push({ line: parts[0]?.line ?? 1, uid, level: LEVEL[verdict.what], message: verdict.message });
}

export type ImportDeps = { staged: StagedImports; inTransaction: InTransaction; sensitive: Sensitive };

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

export const createImport = ({ staged, inTransaction, sensitive }: ImportDeps) => {
  /** Compares groups with what is stored, and displaces agents' blocks for the new events. */
  const decide = async (writer: Writer, groups: Group[]): Promise<Verdict[]> => {
    const show = await sensitive.viewInWrite(writer.tx, writer.author);
    const judgeAll = async () => {
      const known = await lastVersions(
        writer.tx,
        writer.author.user_id,
        groups.map(({ uid }) => uid),
      );
      const verdicts = await runYielding(judging(groups, known, show));
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
    for (const { at, ...one } of left) report.add({ ...one, line: at, recurrence_id: null });
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
