/**
 * Takes decisions back (POST /agent/undo): the plan waits for a decision again, and what its execution made is undone in the same
 * write, or the request is refused with the reason (docs/decisions.md, A decision can be taken back).
 */
import type { CalendarService } from '../../calendar/service.ts';
import type { Clock } from '../../common/clock.ts';
import { problem } from '../../common/problem.ts';
import type { Caller } from '../../domain/access/caller.ts';
import { DISPLACED } from '../../domain/plan/plan.ts';
import { lapsesAt } from '../../domain/plan/plan-time.ts';
import { millis } from '../../domain/time/time.ts';
import type { PlanDoc } from '../../domain/record/trace.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Writer } from '../../ledger/ledger-writer.ts';
import { findTraces, type TraceStore } from '../../ledger/trace-store.ts';
import { requireComplete, requireMove } from '../../ledger/transition-problems.ts';
import type { ProposalAdmission } from '../propose/admit.ts';
import { checkSeen, requireSeen } from './approval-rules.ts';
import type { DecisionOptions } from './decisions.ts';
import { firstOf, repeatingOf } from '../place/plan-series.ts';
import { executionRecords, loadPlan } from '../queries.ts';
import { createProposeAgain, UNDONE } from './propose-again.ts';
import type { Moves } from './record-transition.ts';
import type { SituationOf } from '../prompt/situation.ts';
import { partnerOf } from './swap.ts';

export type TakenBackDeps = {
  ledger: Ledger;
  clock: Clock;
  traces: TraceStore;
  calendar: CalendarService;
  moves: Moves;
  admission: ProposalAdmission;
  situationOf: SituationOf;
};

const isTrace = ({ kind }: { kind: string }): boolean => kind === 'trace.created';

export const createTakenBack = ({ ledger, clock, traces, calendar, moves, admission, situationOf }: TakenBackDeps) => {
  const proposeAgain = createProposeAgain({ moves, admission, situationOf });

  const isOver = (plan: PlanDoc): boolean => {
    const lapses = lapsesAt(plan);
    return lapses !== null && millis(lapses) < clock.millis();
  };

  /** Removes the traces that reflections and logs made. @throws 409 changed_since */
  const removeMade = async (writer: Writer, uids: string[]): Promise<void> => {
    for (const trace of await findTraces(writer.tx, writer.author.user_id, uids)) {
      if (trace.version > 1)
        throw problem(
          'changed_since',
          `The trace ${trace.uid} was changed after the plan made it, so it stays. Remove the trace itself.`,
          { uid: trace.uid },
        );
      await traces.remove(writer, trace);
    }
  };

  /** Undoes what the execution of these plans made. @throws 409 */
  const compensate = async (writer: Writer, executed: readonly PlanDoc[]): Promise<void> => {
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
      return effects.filter(({ kind }) => isWriting || kind.startsWith('event.')).map((one) => ({ ...one, seq }));
    });
    const [written, changed] = [made.filter(isTrace), made.filter((one) => !isTrace(one))];
    if (written.length)
      await removeMade(
        writer,
        written.map(({ uid }) => uid),
      );
    // Two occurrences of one series are changed by one version of it.
    const events = new Map(changed.map(({ uid, seq }) => [uid, { uid, executedAt: seq }]));
    const links = executed.map(({ uid }) => uid);
    if (events.size) await calendar.inTransaction.takeBack(writer, [...events.values()], links);
  };

  const reopen = (writer: Writer, plan: PlanDoc, note: string | null): Promise<PlanDoc> => {
    const series = repeatingOf(plan);
    const expires_at = series ? firstOf(series) : lapsesAt(plan);
    const changes = { executed_at: null, linked_event_uid: null, last_error: null, expires_at };
    return moves.make(writer, plan, 'reopen', { code: UNDONE, note, changes, due_at: null });
  };

  /**
   * Takes the decision on a plan back, and on the one with which it exchanges places. Nothing changes where the plan waits already.
   * @returns the plan, or the proposal that was made again because the time of the rejected one is over
   * @throws 404, 409 changed_since, illegal_transition, slot_taken, too_many_pending, 412, 428
   */
  const undo = (
    caller: Caller,
    uid: string,
    { note, seenOf = () => undefined, simulate = false }: DecisionOptions & { simulate?: boolean },
  ): Promise<PlanDoc> =>
    ledger.write(
      caller,
      async (writer) => {
        const plan = await loadPlan(writer.tx, caller.user_id, uid);
        if (plan.status === 'proposed') return plan;
        const partner = await partnerOf(writer.tx, plan);
        const plans = partner?.status === plan.status ? [plan, partner] : [plan];
        for (const one of plans) {
          checkSeen(one, seenOf(one.uid));
          requireMove(writer.author, one, 'reopen');
        }
        // A caller that names the version of one plan of a swap names that of the other too.
        if (partner && plans.includes(partner) && seenOf(uid) !== undefined)
          requireSeen(partner, seenOf(partner.uid), plan);
        const over = plans.find(isOver);
        if (plan.status === 'rejected' && over) return proposeAgain(writer, over, note ?? null);
        for (const one of plans) requireComplete(one);
        if (plan.status === 'executed') await compensate(writer, plans);
        const reopened: PlanDoc[] = [];
        for (const one of plans) reopened.push(await reopen(writer, one, note ?? null));
        return reopened[0] as PlanDoc;
      },
      { simulate },
    );

  return { undo };
};
