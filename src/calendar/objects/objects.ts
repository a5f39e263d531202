/**
 * Events as the resources of calendar programs (CalDAV): one resource for each uid, with the changed occurrences of its series.
 * A program replaces a whole resource, whereas an import merges.
 */
import type { Db } from '../../db/database.ts';
import type { Caller } from '../../domain/access/caller.ts';
import type { EventDoc } from '../../domain/calendar/event-doc.ts';
import { OUTDATED } from '../../domain/calendar/ics/outdated.ts';
import { readingCalendar, type ReadEvent } from '../../domain/calendar/ics/read-ics.ts';
import { notFound, problem, Problem } from '../../common/problem.ts';
import { mapYielding, runYielding } from '../../common/yielding.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Writer } from '../../ledger/ledger-writer.ts';
import type { Sensitive } from '../../ledger/sensitive-values.ts';
import { seriesLimit } from '../calendar-bounds.ts';
import { checkEvent, type EventDraft } from '../events/document.ts';
import { isSameSeries, type CalendarFile } from '../ics/import.ts';
import { createGroup, documentOf, keeping, shownTo, withHidden } from '../ics/imported-event.ts';
import type { InTransaction } from '../in-transaction.ts';
import {
  nameOf,
  objectsByName,
  objectsPage,
  objectStates,
  removedObjects,
  type CalendarId,
  type ObjectDocument,
} from './queries.ts';
import { lastVersions } from '../queries.ts';
import type { EventResource } from '../schemas.ts';
import { occurrenceAt } from '../timeline.ts';

export type { CalendarId } from './queries.ts';

/** A resource as a program reads it: the event first, then its changed occurrences. */
export type CalendarObject = { name: string; etag: string; events: [EventDoc, ...EventDoc[]] };

/** Checks the conditions of a request against the present tag; null where there is no resource. @throws 412 */
export type Precondition = (etag: string | null) => void;

/** The preconditions of RFC 4791 §5.3.2.1 that the content of a resource can violate. */
export type ObjectFault =
  | 'valid-calendar-data'
  | 'valid-calendar-object-resource'
  | 'supported-calendar-component'
  | 'no-uid-conflict';

const MAX_NAME = 255;

const refuse = (precondition: ObjectFault, detail: string, extra: object = {}): Problem =>
  problem('calendar_object_refused', detail, { precondition, ...extra });

/** The event of a file that contains exactly one. @throws 403 calendar_object_refused */
export const readObject = async ({ bytes, charset }: CalendarFile, zone: string): Promise<ReadEvent[]> => {
  const { events, left, report } = await runYielding(readingCalendar(bytes, { zone, charset }));
  const other = left.find(({ component, outcome }) => outcome === 'skipped' && component !== 'VEVENT');
  if (other) throw refuse('supported-calendar-component', `This calendar holds events, and no ${other.component}.`);
  const first = left.find(({ reason }) => reason !== OUTDATED);
  const fault = first ? { line: first.at, message: first.reason } : report.find(({ level }) => level === 'error');
  if (fault) throw refuse('valid-calendar-data', `Line ${fault.line}: ${fault.message}`);
  if (events.length === 0) throw refuse('valid-calendar-object-resource', 'The resource contains no event.');
  if (new Set(events.map(({ event }) => event.uid)).size > 1)
    throw refuse('valid-calendar-object-resource', 'A resource must contain one event: one UID.');
  return events;
};

const partsOf = (event: EventResource): [EventDoc, ...EventDoc[]] => [
  event,
  ...Object.keys(event.overrides).map((id) => occurrenceAt(event, id)),
];

export type ObjectsDeps = { reads: Db; ledger: Ledger; inTransaction: InTransaction; sensitive: Sensitive };

export const createObjects = ({ reads, ledger, inTransaction, sensitive }: ObjectsDeps) => {
  const shown = async (caller: Caller, documents: readonly ObjectDocument[]): Promise<CalendarObject[]> => {
    const show = await sensitive.viewOf(caller);
    return mapYielding(documents, ({ name, etag, event }) => ({ name, etag, events: partsOf(show(event)) }));
  };

  const find = async (writer: Writer, name: string): Promise<ObjectDocument | null> =>
    (await objectsByName(writer.tx, writer.author.user_id, null, [name]))[0] ?? null;

  /** The event that a file describes, in place of an existing one. @throws 403, 409 redacted_field */
  const replacement = async (
    writer: Writer,
    caller: Caller,
    found: ReadEvent[],
    { existing, name }: { existing: EventResource | null; name: string },
  ): Promise<EventDraft> => {
    const { uid } = (found[0] as ReadEvent).event;
    const group = await runYielding(createGroup(caller.user_id, uid, found, []));
    // Without the series itself, the file replaces what was there; with it, the file names all changed occurrences.
    const shown = await runYielding(shownTo(await sensitive.viewInWrite(writer.tx, caller), existing));
    const made = await runYielding(documentOf(group, group.master ? withoutChanges(shown) : null));
    const sent = await runYielding(withHidden(made, existing, shown));
    const { href: _, ...event }: EventDraft = existing ? keeping(sent, existing) : { ...sent, origin: caller.origin };
    const named = name === nameOf({ uid }) ? event : { ...event, href: name };
    try {
      return checkEvent(named);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      throw refuse('valid-calendar-data', error.message);
    }
  };

  /** @throws 403 where the uid belongs to a resource of another name, or the name to a resource of another uid */
  const requireSameUid = (uid: string, at: ObjectDocument | null, known: EventResource | null): void => {
    const there = known && !known.removed ? known : null;
    if (at ? at.uid === uid : !there) return;
    const other = at?.event ?? (there as EventResource);
    throw refuse('no-uid-conflict', `The calendar has an event with this UID or name already: ${nameOf(other)}.`, {
      name: nameOf(other),
      source_uid: other.source_uid ?? null,
    });
  };

  /**
   * Creates or replaces a resource.
   * @throws 403 calendar_object_refused, 409 series_limit, 412
   */
  const put = async (
    caller: Caller,
    name: string,
    file: CalendarFile,
    check: Precondition,
  ): Promise<{ created: boolean }> => {
    if (name.length > MAX_NAME) throw refuse('valid-calendar-object-resource', 'The name of the resource is too long.');
    const found = await readObject(file, caller.zone);
    const { uid } = (found[0] as ReadEvent).event;
    if (uid.length > MAX_NAME) throw refuse('valid-calendar-data', `A UID must have at most ${MAX_NAME} characters.`);
    return ledger.write(caller, async (writer) => {
      const at = await find(writer, name);
      check(at?.etag ?? null);
      const last = async () => (await lastVersions(writer.tx, caller.user_id, [uid])).get(uid) ?? null;
      requireSameUid(uid, at, await last());
      const make = async () => replacement(writer, caller, found, { existing: await last(), name });
      await inTransaction.displaceBlocks(writer, [await make()]);
      // A displaced block may be this event itself, so it is compared with what is there now.
      const [from, to] = [await last(), await make()];
      const isThere = from !== null && !from.removed;
      if (isThere && (await runYielding(isSameSeries(to, from)))) return { created: false };
      const change = { what: isThere ? ('updated' as const) : ('created' as const), from, to };
      if ((await inTransaction.beyondSeries(writer, [change])).size) throw seriesLimit();
      await inTransaction.writeImported(writer, [change]);
      return { created: !isThere };
    });
  };

  /** Removes a resource. @throws 404, 412 */
  const remove = (caller: Caller, name: string, check: Precondition): Promise<void> =>
    ledger.write(caller, async (writer) => {
      const at = await find(writer, name);
      if (!at) throw notFound('event', name);
      check(at.etag);
      await inTransaction.remove(writer, at.uid, { scope: 'all' });
    });

  return {
    put,
    remove,
    states: (user_id: string, calendar: CalendarId, after?: number) => objectStates(reads, user_id, calendar, after),
    removed: (user_id: string, calendar: CalendarId, after: number) => removedObjects(reads, user_id, calendar, after),
    named: async (caller: Caller, calendar: CalendarId, names: readonly string[]): Promise<CalendarObject[]> =>
      shown(caller, await objectsByName(reads, caller.user_id, calendar, names)),
    /** The resources that overlap a window, in pages. */
    within: async function* (
      caller: Caller,
      calendar: CalendarId,
      window: Parameters<typeof objectsPage>[3],
      limit: number,
    ): AsyncGenerator<CalendarObject[]> {
      let page: ObjectDocument[] = [];
      do {
        const after = page.at(-1)?.uid ?? '';
        page = await objectsPage(reads, caller.user_id, calendar, window, { after, limit });
        if (page.length) yield shown(caller, page);
      } while (page.length === limit);
    },
  };
};

/** The existing event without what a file replaces. */
const withoutChanges = (existing: EventResource | null): EventResource | null =>
  existing && { ...existing, recurrence_id: null, overrides: {} };

export type CalendarObjects = ReturnType<typeof createObjects>;
