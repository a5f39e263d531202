/** Undoes what the execution of plans made: events, traces and settings, in the write that takes the decision back. */
import type { CalendarService } from '../../calendar/service.ts';
import type { EventResource, OnConflict } from '../../calendar/schemas.ts';
import { problem } from '../../common/problem.ts';
import { DISPLACED } from '../../domain/plan/plan.ts';
import type { PlanDoc, TraceDoc } from '../../domain/record/trace.ts';
import type { Writer } from '../../ledger/ledger-writer.ts';
import { documentsAt } from '../../ledger/read-ledger.ts';
import { findTraces, type TraceStore } from '../../ledger/trace-store.ts';
import { takeExecutedBack } from '../decide/settings.ts';
import { executionRecords } from '../queries.ts';
import { isAsMade } from './traces.ts';

const isTrace = ({ kind }: { kind: string }): boolean => kind === 'trace.created';
const isEvent = ({ kind }: { kind: string }): boolean => kind.startsWith('event.');

export const createCompensation = ({ traces, calendar }: { traces: TraceStore; calendar: CalendarService }) => {
  /** Removes the traces that reflections and logs made. @throws 409 changed_since */
  const removeMade = async (writer: Writer, uids: string[]): Promise<void> => {
    const { tx, author } = writer;
    const firsts = uids.map((uid) => ({ uid, version: 1 }));
    const made = await documentsAt<TraceDoc>(tx, author.user_id, 'trace', firsts);
    const found = await findTraces(tx, author.user_id, uids);
    const changed = found.find((trace) => !isAsMade({ made: made.get(trace.uid) as TraceDoc, now: trace }));
    if (changed)
      throw problem(
        'changed_since',
        `The trace ${changed.uid} was changed after the plan made it, so it stays. Remove the trace itself.`,
        { uid: changed.uid },
      );
    traces.remove(writer, found);
  };

  /**
   * @param on_conflict what happens to agents' blocks whose time a person's event takes again
   * @returns the events as they are again
   * @throws 409 changed_since, slot_taken, series_limit
   */
  return async (writer: Writer, executed: readonly PlanDoc[], on_conflict?: OnConflict): Promise<EventResource[]> => {
    const gone = executed.find(({ decision }) => decision?.code === DISPLACED);
    if (gone)
      throw problem(
        'changed_since',
        `The time of plan ${gone.uid} was taken by an event of yours, and the plan was proposed again. Decide on that proposal.`,
        { uid: gone.uid },
      );
    const records = await executionRecords(writer.tx, writer.author.user_id, [...executed]);
    const made = executed.flatMap((plan) => {
      const record = records.get(plan.uid);
      if (!record) throw new Error(`the ledger has no execution of plan ${plan.uid}`);
      const { effects, seq } = record;
      const isWriting = plan.action_type === 'reflect' || plan.action_type === 'log';
      // The calendar_event trace of an event is part of its history and stays.
      return effects.filter((one) => isWriting || !isTrace(one)).map((one) => ({ ...one, seq }));
    });
    await takeExecutedBack(writer, made);
    const [written, changed] = [made.filter(isTrace), made.filter(isEvent)];
    if (written.length)
      await removeMade(
        writer,
        written.map(({ uid }) => uid),
      );
    // Of several changes of an event the first counts. If a later one was not taken back, the event is not as the first left it, and
    // this is refused (changed_since).
    const inOrder = changed.toSorted((a, b) => b.seq - a.seq);
    const events = new Map(inOrder.map(({ uid, seq }) => [uid, { uid, executedAt: seq }]));
    if (!events.size) return [];
    const links = executed.map(({ uid }) => uid);
    const again = await calendar.inTransaction.takeBack(writer, [...events.values()], { links, on_conflict });
    return again.map(({ event }) => event);
  };
};

export type Compensation = ReturnType<typeof createCompensation>;
