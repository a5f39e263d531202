/** Executes an approved plan: the effects of the action types, in the transaction of the move to `executed`. */
import { randomUUIDv7 } from 'node:crypto';
import { sql } from 'kysely';
import type { CalendarService } from '../../calendar/service.ts';
import type { Clock } from '../../common/clock.ts';
import type { Db } from '../../db/database.ts';
import type { ActionType } from '../../domain/plan/plan.ts';
import { summarise } from '../../domain/text/extractive-summary.ts';
import { localDate, type Instant } from '../../domain/time/time.ts';
import { asContent, newTrace, type PlanDoc, type TraceDoc } from '../../domain/record/trace.ts';
import type { Writer } from '../../ledger/ledger-writer.ts';
import type { Sensitive } from '../../ledger/sensitive-values.ts';
import { findTraces, type TraceStore } from '../../ledger/trace-store.ts';
import type { Moves } from './record-transition.ts';
import type { Effect } from '../schemas.ts';
import { partnerOf } from './swap.ts';
import { configure } from './settings.ts';
import { createCalendarEffects, movesOf, type EffectResult } from './calendar-effects.ts';

export type Outcome = {
  plan: PlanDoc;
  effects: Effect[];
  at: Instant;
  traces: TraceDoc[];
  events: Record<string, unknown>[];
};

/** A reflection summarises this many traces. */
const LOOK_BACK = 20;
const REFLECTION_TOKENS = 400;

/** The latest traces of the task, without records of transitions. Uses the index traces_order or traces_time. */
const recent = async (db: Db, plan: PlanDoc): Promise<TraceDoc[]> => {
  const task = plan.task_id === null ? sql`true` : sql`task_id = ${plan.task_id}`;
  const { rows } = await sql<{ uid: string }>`
    select uid from traces where user_id = ${plan.user_id} and ${task} and transition_of is null and uid <> ${plan.uid}
    order by "timestamp" desc, uid desc limit ${LOOK_BACK}`.execute(db);
  const found = new Map(
    (
      await findTraces(
        db,
        plan.user_id,
        rows.map((r) => r.uid),
      )
    ).map((t) => [t.uid, t]),
  );
  return rows.flatMap((r) => found.get(r.uid) ?? []).reverse();
};

export const createPlanEffects = (deps: {
  clock: Clock;
  traces: TraceStore;
  calendar: CalendarService;
  moves: Moves;
  sensitive: Sensitive;
}) => {
  const { clock, traces, calendar, moves, sensitive } = deps;

  const { schedule, reschedule, swap } = createCalendarEffects({ calendar });

  const writeTrace = async (
    writer: Writer,
    plan: PlanDoc,
    type: string,
    content: string,
    links: string[],
  ): Promise<EffectResult> => {
    const trace = newTrace({
      uid: randomUUIDv7(),
      user_id: plan.user_id,
      type,
      content,
      task_id: plan.task_id,
      tempo_tag: plan.tempo_tag,
      tags: plan.tags,
      timestamp: clock.now(),
      origin: plan.origin,
      linked_trace_ids: [plan.uid, ...links],
    });
    const [doc] = await traces.insert(writer, [{ trace }]);
    return {
      effects: [{ kind: 'trace.created', uid: trace.uid }],
      children: [trace.uid],
      event_uid: null,
      traces: [doc as TraceDoc],
      events: [],
    };
  };

  const reflect = async (writer: Writer, plan: PlanDoc): Promise<EffectResult> => {
    const past = await recent(writer.tx, plan);
    const show = await sensitive.beforeCutting(writer.tx, plan.user_id);
    const about = plan.task_id ? `task ${plan.task_id}` : 'recent work';
    const lines = past.map(
      (t) =>
        `- ${localDate(t.timestamp, 'UTC')} ${t.type}: ${summarise(show(t).content, { max_tokens: Math.floor(REFLECTION_TOKENS / Math.max(1, past.length)) })}`,
    );
    const body = past.length
      ? `Looking back on ${past.length} ${past.length === 1 ? 'trace' : 'traces'} of ${about}:\n${lines.join('\n')}`
      : `There are no traces of ${about} yet.`;
    return writeTrace(
      writer,
      plan,
      'reflection',
      asContent(`${plan.content}\n\n${body}`),
      past.map((t) => t.uid),
    );
  };

  const EFFECTS: Record<ActionType, (writer: Writer, plan: PlanDoc) => Promise<EffectResult>> = {
    schedule,
    reschedule,
    reflect,
    log: (writer, plan) => writeTrace(writer, plan, 'observation', plan.content, []),
    configure,
  };

  const finish = async (writer: Writer, plan: PlanDoc, result: EffectResult): Promise<Outcome> => {
    const at = clock.now();
    const done = await moves.make(writer, plan, 'execute', {
      code: 'executed',
      metadata: { effects: result.effects },
      changes: {
        executed_at: at,
        attempts: plan.attempts + 1,
        last_error: null,
        child_trace_ids: [...plan.child_trace_ids, ...result.children],
        linked_event_uid: result.event_uid ?? plan.linked_event_uid,
      },
    });
    return { plan: done, effects: result.effects, at, traces: result.traces, events: result.events };
  };

  /**
   * Executes an approved plan in a write, and with it the one with which it exchanges places.
   * @param partner the other plan, where the caller has just approved it
   * @returns the outcome of the plan, and that of the other one
   * @throws what the effect throws; nothing has happened then
   */
  const execute = async (writer: Writer, plan: PlanDoc, partner?: PlanDoc): Promise<[Outcome, ...Outcome[]]> => {
    await writer.flush(); // Effects read the ledger, so what this write recorded before must be there.
    const other = partner ?? (await partnerOf(writer.tx, plan));
    if (!other) return [await finish(writer, plan, await EFFECTS[plan.action_type](writer, plan))];
    const [one, two] = (await swap(writer, [plan, other])) as [EffectResult, EffectResult];
    return [await finish(writer, plan, one), await finish(writer, other, two)];
  };

  /** Checks that two plans can exchange places. @throws 404, 409, 422 */
  const checkSwap = async (writer: Writer, plans: readonly PlanDoc[]): Promise<void> => {
    await calendar.inTransaction.checkTogether(writer, movesOf(plans));
  };

  return { execute, checkSwap };
};

export type PlanEffects = ReturnType<typeof createPlanEffects>;
