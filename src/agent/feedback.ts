/** Stores feedback on plans and other traces. */
import { randomUUIDv7 } from 'node:crypto';
import type { Clock } from '../common/clock.ts';
import type { Caller } from '../domain/access/caller.ts';
import { asContent, isPlan, newTrace, type TraceDoc } from '../domain/record/trace.ts';
import { notFound, problem } from '../common/problem.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Sensitive } from '../ledger/sensitive-values.ts';
import { findTrace, type TraceStore } from '../ledger/trace-store.ts';
import type { Moves } from './decide/record-transition.ts';

export type FeedbackDeps = { ledger: Ledger; clock: Clock; traces: TraceStore; sensitive: Sensitive; moves: Moves };

export const createFeedback = ({ ledger, clock, traces, sensitive, moves }: FeedbackDeps) => {
  /** Stores feedback on a trace and records it as an observation. */
  const feedback = (
    caller: Caller,
    uid: string,
    { feedback_rating, notes }: { feedback_rating?: number | undefined; notes?: string | undefined },
  ): Promise<TraceDoc> =>
    ledger.write(caller, async (writer) => {
      const from = await findTrace(writer.tx, caller.user_id, uid);
      if (!from) throw notFound('trace', uid);
      if (from.transition)
        throw problem(
          'immutable_trace',
          `The trace ${uid} records a transition and cannot be changed. Give feedback on plan ${from.transition.plan_uid}.`,
        );
      await sensitive.refuseHiddenChanges(writer.tx, caller, from, { notes });
      const given = { feedback_rating: feedback_rating ?? from.feedback_rating, notes: notes ?? from.notes };
      const doc = isPlan(from)
        ? await moves.change(writer, from, 'annotate', { changes: given })
        : ((await traces.update(writer, [{ from, to: { ...from, ...given } }]))[0] as TraceDoc);
      const said = [feedback_rating === undefined ? '' : `rated ${feedback_rating} of 5`, notes ?? '']
        .filter(Boolean)
        .join(': ');
      const subject = isPlan(from) ? `plan “${from.title}”` : `${from.type} ${from.uid}`;
      const trace = newTrace({
        uid: randomUUIDv7(),
        user_id: caller.user_id,
        type: 'observation',
        task_id: from.task_id,
        timestamp: clock.now(),
        origin: caller.origin,
        content: asContent(`Feedback on ${subject}: ${said}`),
        linked_trace_ids: [uid],
        tags: ['feedback'],
      });
      await traces.insert(writer, [{ trace }]);
      return doc;
    });

  return { feedback };
};
