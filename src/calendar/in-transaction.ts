/**
 * Changes of the calendar for callers that already have a transaction: the agent's executor, imports and the routes. A person
 * may double-book and displaces agents' blocks; a plan's event is never put on busy time (docs/decisions.md, A person may
 * double-book, an agent may not).
 */
import { randomUUIDv7 } from 'node:crypto';
import type { Db } from '../db/database.ts';
import { toSpan } from '../domain/time/spans.ts';
import type { Interval } from '../domain/time/time.ts';
import { notFound } from '../common/problem.ts';
import type { Writer } from '../ledger/ledger-writer.ts';
import type { TempoService } from '../tempo/service.ts';
import { OVERVIEW } from './calendar-bounds.ts';
import { busyTime, busyDuring, takenStarts } from './busy.ts';
import { checkEvent, newEvent, type EventChanges, type NewEvent } from './events/document.ts';
import { planRemoval } from './events/edits.ts';
import { followingTimes, isDense } from './events/following.ts';
import { pageOf } from './listing.ts';
import { findEvents, type Busy } from './queries.ts';
import { createConflicts, type ConflictDeps } from './conflicts.ts';
import { planTogether, type Moved, type Together } from './events/moves-together.ts';
import type { EventResource, Occurrence } from './schemas.ts';
import type { EventChange, Written } from './events/store.ts';
import { createTakeBack } from './events/take-back.ts';
import { createSettling, isPerson, load, requireChangeable } from './events/settling.ts';
import { createTargets, type ChangeOptions } from './events/targets.ts';
import { createEventWrites } from './events/writes.ts';

export type InTransactionDeps = ConflictDeps & {
  tempo: TempoService;
};

/** An event as the API answers it, without the fields that only calendar programs need. */
export const present = ({ ics: _ics, href: _href, ...event }: EventResource): EventResource => ({
  ...event,
  overrides: Object.fromEntries(Object.entries(event.overrides).map(([id, { ics: _own, ...own }]) => [id, own])),
});

const shown = ({ event, trace }: Written) => ({ event: present(event), trace });

/** Where a series that was split before is split again, its continuation now continues the new series. */
const relinked = async (writer: Writer, from: EventResource, changes: EventChange[]): Promise<EventChange[]> => {
  const tail = changes.at(-1);
  if (tail?.what !== 'created' || tail.to.split_to === null) return [];
  const [next] = await findEvents(writer.tx, writer.author.user_id, [tail.to.split_to]);
  if (next?.split_from !== from.uid) return [];
  return [{ what: 'updated', from: next, to: { ...next, split_from: tail.to.uid, sequence: next.sequence + 1 } }];
};

export const createInTransaction = ({ clock, store, tempo, planHooks }: InTransactionDeps) => {
  const conflicts = createConflicts({ clock, store, planHooks });
  const { requireFreeTime, requireFreeTogether, displaceBlocks, shift } = conflicts;

  const { beyondSeries, write, decide, writeImported } = createEventWrites({ store, planHooks });
  const { occurrenceOf, targetOf, targetTexts } = createTargets({ clock });
  const takeBack = createTakeBack({ ...conflicts, write });
  const settle = createSettling({ ...conflicts, targetOf });

  /** Creates an event. @throws 409 slot_taken (an agent's block on busy time), 422 */
  const insert = async (
    writer: Writer,
    seed: NewEvent,
    { links, on_conflict: how }: Pick<ChangeOptions, 'links' | 'on_conflict'> = {},
  ): Promise<Written> => {
    const { user_id, origin } = writer.author;
    const timezone = seed.timezone ?? (await tempo.profileOf(user_id, writer.tx)).timezone;
    const linked_trace_ids = [...new Set([...(seed.linked_trace_ids ?? []), ...(links ?? [])])];
    const event = checkEvent(
      newEvent({ origin, ...seed, uid: seed.uid ?? randomUUIDv7(), timezone, linked_trace_ids }, user_id),
    );
    if (event.yields) await requireFreeTime(writer, event);
    else await displaceBlocks(writer, [event], { how });
    const [written] = await write(writer, [{ what: 'created', from: null, to: event }]);
    return shown(written as Written);
  };

  /**
   * Changes an event, or one, the following or all occurrences of a series. Returns the event with the new values; for
   * `following` that is the new series. `others` are the other events that were written, such as the series before it.
   * @throws 404, 409 slot_taken (for a plan, or as on_conflict says), 412, 422
   */
  const change = async (
    writer: Writer,
    uid: string,
    changes: EventChanges,
    options: ChangeOptions = {},
  ): Promise<Written & { others: Written[] }> => {
    const { from, edit } = await settle(writer, uid, changes, options);
    const written = await write(
      writer,
      [...(await relinked(writer, from, edit.changes)), ...edit.changes].map((one) => ({
        ...one,
        links: options.links,
      })),
    );
    if (isPerson(writer, options)) await decide(writer, from, edit.moved ? 'moved' : 'edited');
    return { ...shown(written.at(-1) as Written), others: written.slice(0, -1).map(shown) };
  };

  /** Computes what plans change at once, and checks that the new times are free. @throws 404, 409 slot_taken, 422 */
  const checkTogether = async (writer: Writer, moves: readonly Moved[]): Promise<Together> => {
    const uids = [...new Set(moves.map(({ uid }) => uid))];
    const events = new Map(
      (await findEvents(writer.tx, writer.author.user_id, uids)).map((event) => [event.uid, event]),
    );
    const missing = uids.filter((uid) => !events.has(uid));
    if (missing.length) throw notFound('event', missing);
    const together = planTogether(
      events,
      moves.map((move) => {
        const { recurrence_id } = targetOf(events.get(move.uid) as EventResource, move);
        return { ...move, recurrence_id };
      }),
    );
    await requireFreeTogether(writer, together);
    return together;
  };

  /** Changes several events by plans at once, so that they can exchange their times. @throws 404, 409 slot_taken, 422 */
  const changeTogether = async (writer: Writer, moves: readonly Moved[]): Promise<Map<string, Written>> => {
    const { changes } = await checkTogether(writer, moves);
    const written = await write(writer, changes);
    return new Map(written.map((one) => [one.event.uid, shown(one)]));
  };

  /** Removes an event, or one, the following or all occurrences of a series. @throws 404, 412, 422 */
  const remove = async (writer: Writer, uid: string, options: ChangeOptions = {}): Promise<Written> => {
    const from = await load(writer, uid, options.expected);
    const removal = planRemoval(from, targetOf(from, options));
    const [written] = await store(writer, [{ ...removal, links: options.links }]);
    if (isPerson(writer, options)) await decide(writer, from, removal.what === 'removed' ? 'removed' : 'edited');
    return shown(written as Written);
  };

  return {
    busy: busyTime,
    /** The first 20 busy events and occurrences that overlap a time, except one event. */
    busyDuring: (tx: Db, user_id: string, time: Interval, except: string | null): Promise<Busy[]> =>
      busyDuring(tx, user_id, [toSpan(time)], except === null ? [] : [except]),
    takenStarts,
    checkTogether,
    changeTogether,
    /** Checks a change by a plan as the change itself does. @throws 404, 409 slot_taken, 422 */
    checkChange: async (writer: Writer, uid: string, changes: EventChanges, options: ChangeOptions): Promise<void> =>
      void (await settle(writer, uid, changes, options)),
    followingTimes,
    isDense,
    insert,
    change,
    remove,
    takeBack: async (...given: Parameters<typeof takeBack>) => (await takeBack(...given)).map(shown),
    displaceBlocks,
    beyondSeries,
    writeImported,
    shift,
    occurrenceOf,
    requireChangeable,
    targetTexts,
    find: async (tx: Db, user_id: string, uids: string[]): Promise<EventResource[]> =>
      (await findEvents(tx, user_id, uids)).map(present),
    /** The events of a window that a prompt may refer to. Every series has a share of them. */
    overview: async (tx: Db, user_id: string, window: Interval): Promise<Occurrence[]> =>
      (await pageOf(tx, user_id, window, OVERVIEW)).items,
  };
};

export type InTransaction = ReturnType<typeof createInTransaction>;
