/** Carries out a move of the state machine: the plan's next version and the immutable observation that records it. */
import { randomUUIDv7 } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { advance, KIND_OF_MOVE, type Decision, type MoveName } from '../domain/plan.ts';
import { addMinutes, type Instant } from '../domain/time.ts';
import { newTrace, type PlanDoc, type PlanFields } from '../domain/trace.ts';
import { problem } from '../errors.ts';
import type { Writer } from '../ledger/ledger.ts';
import type { TraceStore } from '../ledger/traces.ts';

export type MoveDetails = {
  /** Why, as a decision code; `user` where a person simply said so. */
  code: string;
  note?: string | null;
  /** Other fields of the plan that change with the move. */
  changes?: Partial<PlanDoc>;
  alternatives?: Decision['alternatives'];
  /** When the executor has to look at it; null = not at all. */
  due_at?: Instant | null;
  /** Kept on the record of the transition. */
  metadata?: Record<string, unknown>;
  /** Who decided, when that is not the writer: `policy`. */
  by?: string;
};

export const estimate = (
  scheduled_for: Instant | null,
  duration_minutes: number | null,
): PlanFields['temporal_estimate'] => ({
  start: scheduled_for,
  end: scheduled_for && duration_minutes ? addMinutes(scheduled_for, duration_minutes) : null,
  duration_minutes,
});

const SAYS: Record<MoveName, string> = {
  approve: 'approved',
  reject: 'rejected',
  withdraw: 'withdrawn',
  expire: 'expired undecided',
  refuse: 'refused',
  execute: 'executed',
  cancel: 'cancelled after approval',
  fail: 'given up after failing',
  displace: 'displaced from its time',
  edit: 'edited after execution',
};

export const illegalTransition = (plan: PlanDoc, to: string) =>
  problem(
    'illegal_transition',
    `Plan ${plan.uid} is ${plan.status}${plan.decision ? ` (${plan.decision.code})` : ''}: it can’t become ${to}.`,
    {
      from: plan.status,
      to,
    },
  );

export const createMoves = ({ traces, clock }: { traces: TraceStore; clock: Clock }) => {
  const record = (
    writer: Writer,
    plan: PlanDoc,
    uid: string,
    to: string,
    said: string,
    details: MoveDetails,
    by: string,
  ) => {
    const note = details.note ?? null;
    return newTrace({
      uid,
      user_id: plan.user_id,
      type: 'observation',
      task_id: plan.task_id,
      timestamp: clock.now(),
      origin: writer.author.origin,
      content: `Plan “${plan.title}” was ${said} by ${by} (${details.code})${note ? `: ${note}` : ''}`.slice(
        0,
        100_000,
      ),
      linked_trace_ids: [plan.uid],
      metadata: details.metadata ?? {},
      transition: {
        plan_uid: plan.uid,
        from: plan.status,
        to: to as 'edited',
        actor: writer.author.actor,
        code: details.code,
        note,
      },
    });
  };

  return {
    /** @throws 409 illegal_transition naming from and to */
    make: async (writer: Writer, plan: PlanDoc, name: MoveName, details: MoveDetails): Promise<PlanDoc> => {
      const step = advance(plan.status, name);
      if (!step.ok) throw illegalTransition(plan, step.to);
      const by = details.by ?? writer.author.actor;
      const uid = randomUUIDv7();
      const decision: Decision = {
        by,
        code: details.code,
        note: details.note ?? null,
        at: clock.now(),
        ...(details.alternatives ? { alternatives: details.alternatives } : {}),
      };
      const changed = { ...plan, ...details.changes };
      const to: PlanDoc = {
        ...changed,
        status: step.to,
        decision: name === 'execute' ? plan.decision : decision,
        child_trace_ids: [...changed.child_trace_ids, uid],
      };
      const [next] = await traces.update(writer, [
        { from: plan, to, kind: KIND_OF_MOVE[name], due_at: details.due_at ?? null },
      ]);
      await traces.insert(writer, [{ trace: record(writer, plan, uid, step.recorded, SAYS[name], details, by) }]);
      return next as PlanDoc;
    },

    /** A change of a plan that is no move of the table: of a pending proposal (`queue.changed`), or a person's of an approved plan. */
    change: async (
      writer: Writer,
      plan: PlanDoc,
      changes: Partial<PlanDoc>,
      due_at: Instant | null,
      details?: MoveDetails,
    ): Promise<PlanDoc> => {
      const uid = randomUUIDv7();
      const child_trace_ids = details ? [...plan.child_trace_ids, uid] : plan.child_trace_ids;
      const to = { ...plan, ...changes, child_trace_ids };
      const kind = details ? 'plan.edited' : 'queue.changed';
      const [next] = await traces.update(writer, [{ from: plan, to, kind, due_at }]);
      if (details) {
        const trace = record(writer, plan, uid, plan.status, 'changed after approval', details, writer.author.actor);
        await traces.insert(writer, [{ trace }]);
      }
      return next as PlanDoc;
    },
  };
};

export type Moves = ReturnType<typeof createMoves>;
