/** Writes every change of an event: its ledger entry, its row in `events`, and its calendar_event trace. */
import { randomUUIDv7 } from 'node:crypto';
import { sql } from 'kysely';
import type { Clock } from '../../common/clock.ts';
import type { Db } from '../../db/database.ts';
import { isExclusionViolation } from '../../db/sqlstate.ts';
import type { Instant } from '../../domain/time/time.ts';
import { newTrace, type TraceDoc } from '../../domain/record/trace.ts';
import { problem } from '../../common/problem.ts';
import { documentColumns } from '../../ledger/document-columns.ts';
import type { Writer } from '../../ledger/ledger-writer.ts';
import type { TraceStore } from '../../ledger/trace-store.ts';
import { isSeries, sizeOf, type EventDraft } from './document.ts';
import * as sentence from './sentence.ts';
import { nameOf } from '../objects/queries.ts';
import type { EventResource } from '../schemas.ts';
import { hasBusyTime, spanOf } from '../timeline.ts';

export type EventChange = {
  what: 'created' | 'updated' | 'removed';
  /** The version before; null for a new event. */
  from: EventResource | null;
  /** The new version. For a removal it is the event as it was. */
  to: EventDraft;
  /** The traces that the change follows from. The default is those of the event. */
  links?: string[] | undefined;
  /** The text of the trace, where the change does not concern the event as a whole. */
  content?: string;
};

export type Written = { event: EventResource; trace: TraceDoc };

/** The range of a column. A half-open range without length would be empty and match no window, so it is closed instead. */
const range = (start: Instant, end: Instant | null): string => `[${start},${end ?? ''}${start === end ? ']' : ')'}`;

const holderOf = (event: EventResource): string | null => (event.yields ? event.plan_uid : null);

/** The columns of `events`, without user_id. */
export const EVENT_COLUMNS = documentColumns<EventResource>({
  uid: 'text',
  seq: 'bigint',
  version: 'integer',
  during: { type: 'tstzrange', of: (event) => range(event.scheduled_for, event.end) },
  span: {
    type: 'tstzrange',
    of: (event) => {
      const { start, end } = spanOf(event);
      return range(start, end);
    },
  },
  recurring: { type: 'boolean', of: isSeries },
  // An event that takes no time can overlap nothing, so its busy is false.
  busy: {
    type: 'boolean',
    of: (event) => hasBusyTime(event) && (isSeries(event) || event.scheduled_for < event.end),
  },
  task_id: 'text',
  tempo_tag: 'text',
  tags: 'text[]',
  plan_uid: { type: 'text', of: holderOf },
  // The constraint events_no_double_booking compares this range. Events of persons have ranges of their own and may overlap;
  // an agent's block has the unbounded one and may overlap nothing.
  lane: {
    type: 'int8range',
    of: (event) => (holderOf(event) === null ? `[${event.seq},${event.seq + 1})` : '(,)'),
  },
  size: { type: 'integer', of: sizeOf },
  source_uid: { type: 'text', of: (event) => event.source_uid ?? null },
  href: { type: 'text', of: (event) => event.href ?? null },
});

const rowsOf = (events: EventResource[]) =>
  sql`json_to_recordset(${JSON.stringify(events.map(EVENT_COLUMNS.row))}::json) as r(${EVENT_COLUMNS.types})`;

/** Inserts new rows and updates existing ones in one statement. */
const store = async (db: Db, user_id: string, events: EventResource[]): Promise<void> => {
  if (!events.length) return;
  await sql`
    insert into events (user_id, ${EVENT_COLUMNS.list()})
    select ${user_id}, ${EVENT_COLUMNS.list('r')} from ${rowsOf(events)}
    on conflict (user_id, uid) do update set ${EVENT_COLUMNS.replaced}`.execute(db);
};

/**
 * Gives new events another resource name where a calendar program has given theirs to the file of another event. Programs choose
 * names as they like, and `uid` names the rest. Uses the index events_href.
 */
const withFreeNames = async ({ tx, author }: Writer, changes: EventChange[]): Promise<EventChange[]> => {
  const isNew = ({ what, from, to }: EventChange): boolean =>
    what === 'created' && (to.href == null || from !== null) && to.source_uid == null;
  const names = changes.filter(isNew).map(({ to }) => nameOf(to));
  if (!names.length) return changes;
  const { rows } = await sql<{ href: string }>`
    select href from events where user_id = ${author.user_id} and href = any(${names})`.execute(tx);
  if (!rows.length) return changes;
  const taken = new Set(rows.map(({ href }) => href));
  return changes.map((change) =>
    isNew(change) && taken.has(nameOf(change.to))
      ? { ...change, to: { ...change.to, href: nameOf({ uid: randomUUIDv7() }) } }
      : change,
  );
};

/** Computes the ranges of unchanged events again, for after an update of the time zone data. @returns how many rows changed */
export const refreshRows = async (db: Db, user_id: string, events: EventResource[]): Promise<number> => {
  if (!events.length) return 0;
  const { numAffectedRows } = await sql`
    update events e set during = r.during, span = r.span from ${rowsOf(events)}
    where e.user_id = ${user_id} and e.uid = r.uid and e.seq = r.seq
      and (e.during, e.span) is distinct from (r.during, r.span)`.execute(db);
  return Number(numAffectedRows ?? 0);
};

const contentOf = ({ what, from, to, content }: EventChange): string => {
  if (content !== undefined) return content;
  if (what === 'removed') return sentence.removed(to);
  return what === 'updated' && from ? sentence.changed(from, to) : sentence.created(to);
};

export const createEventStore = ({ clock, traces }: { clock: Clock; traces: TraceStore }) => {
  const record = (writer: Writer, { what, from, to }: EventChange): EventResource =>
    writer.record<EventResource>({
      kind: `event.${what}`,
      subject: 'event',
      uid: to.uid,
      version: (from?.version ?? 0) + 1,
      payload: ({ seq, recorded_at }) => {
        const { removed: _, ...draft }: EventDraft & { removed?: true } = to;
        return {
          ...draft,
          version: (from?.version ?? 0) + 1,
          created_at: from?.created_at ?? recorded_at,
          updated_at: recorded_at,
          seq,
          ...(what === 'removed' ? { removed: true as const } : {}),
        };
      },
    });

  const traceOf = (writer: Writer, change: EventChange, event: EventResource) => ({
    trace: newTrace({
      uid: randomUUIDv7(),
      user_id: writer.author.user_id,
      type: 'calendar_event',
      content: contentOf(change),
      timestamp: clock.now(),
      origin: writer.author.origin,
      task_id: event.task_id,
      tempo_tag: event.tempo_tag,
      tags: event.tags,
      linked_event_uid: event.uid,
      linked_trace_ids: change.links ?? event.linked_trace_ids,
    }),
  });

  /**
   * Writes changes in order, each event at most once per call, in a constant number of statements.
   * @throws 409 slot_taken where an agent's block would overlap busy time (events_no_double_booking)
   */
  return async (writer: Writer, asked: EventChange[]): Promise<Written[]> => {
    const { tx, author } = writer;
    const changes = await withFreeNames(writer, asked);
    const events = changes.map((change) => record(writer, change));
    const written = await traces.insert(
      writer,
      changes.map((change, i) => traceOf(writer, change, events[i] as EventResource)),
    );
    // Later reads in this transaction join the ledger, so its entries must be there.
    await writer.flush();
    // Events that move together may exchange their times, so their old rows are deleted before the new ones are inserted.
    const leaves = (event: EventResource, i: number): boolean =>
      event.removed === true || (changes.length > 1 && changes[i]?.what === 'updated');
    const gone = events.filter(leaves).map((event) => event.uid);
    if (gone.length) await sql`delete from events where user_id = ${author.user_id} and uid = any(${gone})`.execute(tx);
    try {
      await store(
        tx,
        author.user_id,
        events.filter((event) => !event.removed),
      );
    } catch (error) {
      if (!isExclusionViolation(error)) throw error;
      throw problem(
        'slot_taken',
        'The calendar is busy at this time. Choose another time; GET /calendar/slots lists free ones.',
      );
    }
    return events.map((event, i) => ({ event, trace: written[i] as TraceDoc }));
  };
};

export type EventStore = ReturnType<typeof createEventStore>;
