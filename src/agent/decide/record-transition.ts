/** Makes a move of the state machine: writes the plan's next version and the immutable observation that records it. */
import { randomUUIDv7 } from 'node:crypto';
import type { Clock } from '../../common/clock.ts';
import { recordedAs, type MoveName } from '../../domain/plan/plan.ts';
import type { Decision, PlanFields } from '../../domain/plan/plan-fields.ts';
import { addMinutes, type Instant } from '../../domain/time/time.ts';
import { asContent, newTrace, type PlanDoc } from '../../domain/record/trace.ts';
import type { Writer } from '../../ledger/ledger-writer.ts';
import type { PlanChange, TraceStore } from '../../ledger/trace-store.ts';

/** Moves that decide nothing. They keep the decision, and only the plan's new version records them. */
type Quiet = 'revise' | 'label' | 'retry' | 'annotate';
type Deciding = Exclude<MoveName, Quiet>;

export type TransitionDetails = PlanChange & {
  /** Why, as a decision code; `user` where a person gave no other reason. */
  code: string;
  note?: string | null;
  alternatives?: Decision['alternatives'];
  successor_uids?: string[] | undefined;
  /** Stored on the record of the transition. */
  metadata?: Record<string, unknown>;
  /** Who decided, where it is not the writer: `policy`. */
  by?: string;
  /** The decision that a plan has again. */
  again?: Decision | null;
};

export const estimate = (
  scheduled_for: Instant | null,
  duration_minutes: number | null,
): PlanFields['temporal_estimate'] => ({
  start: scheduled_for,
  end: scheduled_for && duration_minutes ? addMinutes(scheduled_for, duration_minutes) : null,
  duration_minutes,
});

/** What a person and an agent read in memory of each move; `who` acted, and `plan` is the title of the plan. */
const SENTENCES: Record<Deciding, (who: string, plan: string) => string> = {
  approve: (who, plan) => `${who} approved the proposal ${plan}`,
  reject: (who, plan) => `${who} rejected the proposal ${plan}`,
  withdraw: (who, plan) => `${who} withdrew the proposal ${plan}`,
  expire: (_, plan) => `The proposal ${plan} expired without a decision`,
  refuse: (_, plan) => `The proposal ${plan} was refused`,
  execute: (_, plan) => `The approved plan ${plan} was carried out`,
  cancel: (who, plan) => `${who} cancelled the plan ${plan} after its approval`,
  fail: (_, plan) => `The approved plan ${plan} could not be carried out`,
  displace: (_, plan) => `The approved plan ${plan} lost its time`,
  reopen: (who, plan) => `${who} took the decision on ${plan} back, and it waits again`,
  propose_again: (who, plan) => `${who} took the decision on ${plan} back, and it was proposed again`,
  amend: (who, plan) => `${who} changed the approved plan ${plan}`,
  edit: (who, plan) => `${who} changed the plan ${plan} after it was carried out`,
  annul: (who, plan) => `${who} took back what the plan ${plan} had made`,
  follow: (who, plan) => `${who} changed the event of the plan ${plan}`,
  lose_time: (who, plan) => `${who} took the time of ${plan} for something else, and it was proposed again`,
  regain: (who, plan) => `${who} brought back what the plan ${plan} had made`,
};

/** Names what kind of actor it was: names can change, and the record cannot. `transition.actor` says exactly who. */
const actorIn = (actor: string): string =>
  actor.startsWith('user:') ? 'The person' : actor.startsWith('agent:') ? 'The agent' : 'The service';

export const createMoves = ({ traces, clock }: { traces: TraceStore; clock: Clock }) => {
  const record = (writer: Writer, plan: PlanDoc, uid: string, name: Deciding, details: TransitionDetails) => {
    const note = details.note ?? null;
    const { actor, origin } = writer.author;
    const said = `${SENTENCES[name](actorIn(details.by ?? actor), `“${plan.title}”`)}${note ? `: ${note}` : '.'}`;
    return newTrace({
      uid,
      user_id: plan.user_id,
      type: 'observation',
      task_id: plan.task_id,
      timestamp: clock.now(),
      origin,
      content: asContent(said),
      linked_trace_ids: [plan.uid],
      metadata: details.metadata ?? {},
      transition: {
        plan_uid: plan.uid,
        from: plan.status,
        to: recordedAs(plan.status, name),
        actor,
        code: details.code,
        note,
      },
    });
  };

  /**
   * The decision after a move. An executed plan keeps that of its approval, and a rejected one that is proposed again that of its
   * rejection. A plan that waits has none.
   */
  const decisionAfter = (name: Deciding, plan: PlanDoc, made: Decision, again?: Decision | null): Decision | null => {
    if (again !== undefined) return again;
    if (name === 'execute') return plan.decision;
    if (name === 'reopen') return null;
    return name === 'propose_again' ? { ...made, ...plan.decision } : made;
  };

  type Made = { plan: PlanDoc; name: Deciding; details: TransitionDetails };

  /** The version of the plan after the move, without what the table of moves adds. */
  const changeOf = (writer: Writer, { plan, name, details }: Made, uid: string): PlanChange => {
    const { code, note = null, alternatives, successor_uids, changes, due_at, at } = details;
    const decision: Decision = {
      by: details.by ?? writer.author.actor,
      code,
      note,
      at: clock.now(),
      ...(alternatives ? { alternatives } : {}),
      ...(successor_uids ? { successor_uids } : {}),
    };
    const children = changes?.child_trace_ids ?? plan.child_trace_ids;
    return {
      changes: {
        ...changes,
        decision: decisionAfter(name, plan, decision, details.again),
        child_trace_ids: [...children, uid],
      },
      due_at,
      at,
    };
  };

  /**
   * Makes moves that decide, of different plans, with as many statements as one takes.
   * @throws 403 not_yours_to_edit, 409 illegal_transition with from and to, 422
   */
  const makeAll = async (writer: Writer, list: Made[]): Promise<PlanDoc[]> => {
    if (!list.length) return [];
    const made = list.map((one) => ({ ...one, uid: randomUUIDv7() }));
    const next = await traces.changePlans(
      writer,
      made.map((one) => ({ from: one.plan, name: one.name, change: changeOf(writer, one, one.uid) })),
    );
    await traces.insert(
      writer,
      made.map(({ plan, uid, name, details }) => ({ trace: record(writer, plan, uid, name, details) })),
    );
    return next;
  };

  return {
    makeAll,

    /** Makes a move that decides. @throws as makeAll */
    make: async (writer: Writer, plan: PlanDoc, name: Deciding, details: TransitionDetails): Promise<PlanDoc> =>
      (await makeAll(writer, [{ plan, name, details }]))[0] as PlanDoc,

    /** Makes a move that decides nothing. @throws 403, 409, 422 */
    change: async (writer: Writer, from: PlanDoc, name: Quiet, change: PlanChange): Promise<PlanDoc> =>
      (await traces.changePlans(writer, [{ from, name, change }]))[0] as PlanDoc,
  };
};

export type Moves = ReturnType<typeof createMoves>;
