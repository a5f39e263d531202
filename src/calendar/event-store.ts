/** Events through the one door: for each change its ledger entry, the row it is found by, and its calendar_event trace. */
import { randomUUIDv7 } from 'node:crypto';
import { sql } from 'kysely';
import type { Clock } from '../common/clock.ts';
import type { Db } from '../db/database.ts';
import { isExclusionViolation } from '../db/sqlstate.ts';
import type { Instant } from '../domain/time/time.ts';
import { newTrace, type TraceDoc } from '../domain/record/trace.ts';
import { problem } from '../common/problem.ts';
import { documentColumns } from '../ledger/document-columns.ts';
import type { Writer } from '../ledger/ledger.ts';
import type { TraceStore } from '../ledger/trace-store.ts';
import { isSeries, sizeOf, type EventDraft } from './event-document.ts';
import * as sentence from './event-sentence.ts';
import type { EventResource } from './schemas.ts';
import { hasBusyTime, spanOf } from './timeline.ts';

export type EventChange = {
  what: 'created' | 'updated' | 'removed';
  /** The version before; null for the first. */
  from: EventResource | null;
  /** On removal the event as it was. */
  to: EventDraft;
  /** Traces the change follows from; default those of the event. */
  links?: string[] | undefined;
  /** What its trace says, where that is not about the event as a whole. */
  content?: string;
};

export type Written = { event: EventResource; trace: TraceDoc };

/** A range without length would be empty, and found by nobody: it is kept as one point. */
const range = (start: Instant, end: Instant | null): string => `[${start},${end ?? ''}${start === end ? ']' : ')'}`;

const holderOf = (event: EventResource): string | null => (event.yields ? event.plan_uid : null);

/** Columns of `events`: all but user_id. */
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
  // What takes no time can't be in the way.
  busy: {
    type: 'boolean',
    of: (event) => hasBusyTime(event) && (isSeries(event) || event.scheduled_for < event.end),
  },
  task_id: 'text',
  tempo_tag: 'text',
  tags: 'text[]',
  plan_uid: { type: 'text', of: holderOf },
  // A person's event gets a lane of its own, an agent's block all of them.
  lane: {
    type: 'int8range',
    of: (event) => (holderOf(event) === null ? `[${event.seq},${event.seq + 1})` : '(,)'),
  },
  size: { type: 'integer', of: sizeOf },
});

const rowsOf = (events: EventResource[]) =>
  sql`json_to_recordset(${JSON.stringify(events.map(EVENT_COLUMNS.row))}::json) as r(${EVENT_COLUMNS.types})`;

/** New and changed rows alike, in one statement. */
const store = async (db: Db, user_id: string, events: EventResource[]): Promise<void> => {
  if (!events.length) return;
  await sql`
    insert into events (user_id, ${EVENT_COLUMNS.list()})
    select ${user_id}, ${EVENT_COLUMNS.list('r')} from ${rowsOf(events)}
    on conflict (user_id, uid) do update set ${EVENT_COLUMNS.replaced}`.execute(db);
};

/** Makes rows again whose event is the same and whose time zone is not; answers how many were others. */
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
   * Carries out changes in order, each event at most once per call, in a handful of statements however many there are.
   * @throws 409 slot_taken where an agent's block would overlap busy time after all (events_no_double_booking).
   */
  return async (writer: Writer, changes: EventChange[]): Promise<Written[]> => {
    const { tx, author } = writer;
    const events = changes.map((change) => record(writer, change));
    const written = await traces.insert(
      writer,
      changes.map((change, i) => traceOf(writer, change, events[i] as EventResource)),
    );
    // Whoever reads the calendar later in this write joins the ledger.
    await writer.flush();
    // Of several that change places none is in another's way: rows leave before they come.
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
      throw problem('slot_taken', 'The time is busy: choose another, GET /calendar/slots shows free ones.');
    }
    return events.map((event, i) => ({ event, trace: written[i] as TraceDoc }));
  };
};

export type EventStore = ReturnType<typeof createEventStore>;
