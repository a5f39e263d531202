/** The calendar as .ics text: feed, export and import. An import is idempotent by UID and RECURRENCE-ID; newer SEQUENCE wins. */
import type { Clock } from '../clock.ts';
import type { Db } from '../db/client.ts';
import type { Caller } from '../domain/caller.ts';
import { readCalendar, type ReadEvent } from '../domain/ics/read.ts';
import { writeCalendar } from '../domain/ics/write.ts';
import { canonicalJson } from '../domain/jcs.ts';
import { strictRrule } from '../domain/recurrence.ts';
import { dayBounds, localDate, type Instant } from '../domain/time.ts';
import { Problem } from '../errors.ts';
import type { Ledger, Writer } from '../ledger/ledger.ts';
import { checkEvent, newEvent, withChanges, type EventDraft } from './document.ts';
import { calendarTag, documentsPage, lastVersions } from './queries.ts';
import type { EventResource, ImportReport } from './schema.ts';
import { occurrenceAt, withOccurrence } from './series.ts';
import type { EventChange, EventStore } from './store.ts';
import type { Within } from './within.ts';

/** Documents read at once, and events written at once. */
const CHUNK = 500;
const MAX_UID = 255;
const MAX_TAGS = 100;
const MAX_TAG = 100;
/** How often programs should fetch the feed again. */
const REFRESH_MINUTES = 15;

type Report = ImportReport['report'];
/** What a file says under one UID: the event or series, and single occurrences of it. */
type Group = { uid: string; line: number; master: EventDraft | null; occurrences: EventDraft[]; size: number };

const createGroup = (user_id: string, uid: string, found: ReadEvent[], report: Report): Group => {
  const drafts = found.map(({ line, event: { created_at: _c, updated_at: _u, ...said } }) => {
    const tags = said.tags.filter((tag) => tag.length <= MAX_TAG).slice(0, MAX_TAGS);
    if (tags.length < said.tags.length)
      report.push({
        line,
        uid,
        level: 'warning',
        message: `Categories beyond ${MAX_TAGS}, or longer than ${MAX_TAG} characters, are left out.`,
      });
    const known = {
      task_id: said.task_id && said.task_id.length <= MAX_UID ? said.task_id : null,
      tempo_tag: said.tempo_tag && said.tempo_tag.length <= MAX_TAG ? said.tempo_tag : null,
    };
    const { rrule = null, recurrence_id = null } = said;
    return newEvent({ ...said, ...known, tags, rrule, recurrence_id, origin: 'import' }, user_id);
  });
  return {
    uid,
    line: found[0]?.line ?? 1,
    master: drafts.find((draft) => draft.recurrence_id === null) ?? null,
    occurrences: drafts.filter((draft) => draft.recurrence_id !== null),
    size: found.length,
  };
};

/** Dates have no zone in a file: those of an all-day event known here stay dates of its own. */
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

/** The document a group makes, on top of what is there: a file without the series itself adds to it. */
const documentOf = (group: Group, existing: EventResource | null): EventDraft => {
  const master = group.master && inZoneOf(group.master, existing);
  const occurrences = group.occurrences.map((own) => inZoneOf(own, existing));
  const there = existing && !existing.removed ? existing : null;
  const [first] = occurrences;
  let event = (master ?? there ?? first) as EventDraft;
  // Occurrences came before their series did.
  if (master && there?.recurrence_id)
    event = withOccurrence({ ...event, overrides: there.overrides }, there.recurrence_id, there);
  for (const own of occurrences) {
    if (own.recurrence_id !== event.recurrence_id) event = withOccurrence(event, own.recurrence_id as Instant, own);
    else event = { ...own, overrides: event.overrides };
  }
  return { ...event, sequence: Math.max(event.sequence, ...occurrences.map((own) => own.sequence)) };
};

/** What Almanac alone knows of an event stays as it is; where a person's file puts a block, it stays. */
const keeping = (
  draft: EventDraft,
  { version: _v, created_at: _c, updated_at: _u, seq: _s, removed, ...known }: EventResource,
): EventDraft => {
  const { uid, user_id, origin, plan_uid, linked_trace_ids, split_from, split_to } = known;
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
    task_id: draft.task_id ?? known.task_id,
    tempo_tag: draft.tempo_tag ?? known.tempo_tag,
    yields: known.yields && isThere,
  };
};

/** A rule is written with its UNTIL in the RFC's form, and is the same rule when it comes back. */
const strict = (event: EventDraft): EventDraft => ({ ...event, rrule: strictRrule(event) });

const isSame = (
  draft: EventDraft,
  { version: _v, created_at: _c, updated_at: _u, seq: _s, ...known }: EventResource,
): boolean => canonicalJson(strict(draft)) === canonicalJson(strict(known));

type Verdict =
  | { what: 'created' | 'updated'; change: EventChange }
  | { what: 'unchanged' }
  | { what: 'skipped'; level: 'info' | 'error'; message: string };

const judge = (group: Group, existing: EventResource | null): Verdict => {
  if (group.uid.length > MAX_UID)
    return { what: 'skipped', level: 'error', message: `A UID has at most ${MAX_UID} characters here.` };
  try {
    const made = documentOf(group, existing);
    const to = checkEvent(existing ? keeping(made, existing) : made);
    if (!existing || existing.removed) return { what: 'created', change: { what: 'created', from: existing, to } };
    if (to.sequence < existing.sequence)
      return { what: 'skipped', level: 'info', message: 'A newer version of it is here already.' };
    return isSame(to, existing)
      ? { what: 'unchanged' }
      : { what: 'updated', change: { what: 'updated', from: existing, to } };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { what: 'skipped', level: 'error', message: error.message };
  }
};

export const createIcs = ({
  db,
  ledger,
  clock,
  store,
  within,
}: {
  db: Db;
  ledger: Ledger;
  clock: Clock;
  store: EventStore;
  within: Within;
}) => {
  const write = async (user_id: string, window: { start: Instant | null; end: Instant | null }): Promise<string> => {
    const events: EventResource[] = [];
    let page: EventResource[] = [];
    do {
      page = await documentsPage(db, user_id, window, page.at(-1)?.uid ?? '', CHUNK);
      for (const event of page)
        events.push(event, ...Object.keys(event.overrides).map((id) => occurrenceAt(event, id)));
    } while (page.length === CHUNK);
    return writeCalendar(events, { name: 'Almanac', now: clock.now(), refresh_minutes: REFRESH_MINUTES });
  };

  /** Judges groups against what is there, and makes room for what is to come. */
  const decide = async (writer: Writer, groups: Group[]): Promise<Verdict[]> => {
    const look = async () => {
      const known = await lastVersions(
        writer.tx,
        writer.author.user_id,
        groups.map(({ uid }) => uid),
      );
      return groups.map((group) => judge(group, known.get(group.uid) ?? null));
    };
    const verdicts = await look();
    const room = await within.makeRoom(
      writer,
      verdicts.flatMap((verdict) => ('change' in verdict ? [verdict.change.to] : [])),
    );
    // A block that had to go may be one of the file's own events.
    return room > 0 ? look() : verdicts;
  };

  return {
    /** The feed's text and its tag; the text is made only when it is asked for. The tag changes with the year, as time zones do. */
    feed: async (user_id: string): Promise<{ tag: string; text: () => Promise<string> }> => ({
      tag: `${clock.now().slice(0, 4)}-${await calendarTag(db, user_id)}`,
      text: () => write(user_id, { start: null, end: null }),
    }),

    exportText: (caller: Caller, window: { start: Instant | null; end: Instant | null }): Promise<string> =>
      write(caller.user_id, window),

    /** Takes a file in, all of what is good in it in one write. @param zone of floating times and all-day events */
    importText: async (caller: Caller, text: string, zone: string): Promise<ImportReport> => {
      const { events, report: findings } = readCalendar(text, { zone });
      const report: Report = findings.map(({ line, uid = null, level, message }) => ({ line, uid, level, message }));
      const counts = {
        created: 0,
        updated: 0,
        unchanged: 0,
        skipped: findings.filter((f) => f.component === 'VEVENT' && f.level === 'error').length,
      };
      const groups = [...Map.groupBy(events, ({ event }) => event.uid)].map(([uid, found]) =>
        createGroup(caller.user_id, uid, found, report),
      );
      await ledger.write({ ...caller, origin: 'import' }, async (writer) => {
        for (let at = 0; at < groups.length; at += CHUNK) {
          const chunk = groups.slice(at, at + CHUNK);
          const verdicts = await decide(writer, chunk);
          await store(
            writer,
            verdicts.flatMap((verdict) => ('change' in verdict ? [verdict.change] : [])),
          );
          for (const [i, verdict] of verdicts.entries()) {
            const { uid, line, size } = chunk[i] as Group;
            counts[verdict.what] += size;
            if (verdict.what === 'skipped') report.push({ line, uid, level: verdict.level, message: verdict.message });
          }
        }
      });
      return { ...counts, report: report.sort((a, b) => a.line - b.line) };
    },
  };
};
