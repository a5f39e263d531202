/**
 * Takes decisions back (POST /agent/undo): the plan waits for a decision again, and what its execution made is undone in the same
 * write, or the request is refused with the reason (docs/decisions.md, A decision can be taken back).
 */
import type { Clock } from '../../common/clock.ts';
import type { Caller } from '../../domain/access/caller.ts';
import { UNDONE } from '../../domain/plan/plan.ts';
import { lapsesAt } from '../../domain/plan/plan-time.ts';
import { millis } from '../../domain/time/time.ts';
import type { PlanDoc } from '../../domain/record/trace.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { requireComplete, requireMove } from '../../ledger/transition-problems.ts';
import type { ProposalAdmission } from '../propose/admit.ts';
import { checkSeen, requireSeen } from '../decide/approval-rules.ts';
import type { DecisionOptions } from '../decide/decisions.ts';
import { firstOf, repeatingOf } from '../place/plan-series.ts';
import { loadPlan } from '../queries.ts';
import type { Compensation } from './compensation.ts';
import { createProposeAgain } from './propose-again.ts';
import type { Moves } from '../decide/record-transition.ts';
import type { SituationOf } from '../prompt/situation.ts';
import { partnerOf } from '../decide/swap.ts';

export type TakenBackDeps = {
  ledger: Ledger;
  clock: Clock;
  compensate: Compensation;
  moves: Moves;
  admission: ProposalAdmission;
  situationOf: SituationOf;
};

/** The move by which a plan waits for a decision again. */
export const reopening = (plan: PlanDoc, note: string | null = null) => {
  const series = repeatingOf(plan);
  const expires_at = series ? firstOf(series) : lapsesAt(plan);
  const changes = { executed_at: null, linked_event_uid: null, last_error: null, expires_at };
  return { plan, name: 'reopen', details: { code: UNDONE, note, changes, due_at: null } } as const;
};

export const createTakenBack = ({ ledger, clock, compensate, moves, admission, situationOf }: TakenBackDeps) => {
  const proposeAgain = createProposeAgain({ moves, admission, situationOf });

  const isOver = (plan: PlanDoc): boolean => {
    const lapses = lapsesAt(plan);
    return lapses !== null && millis(lapses) < clock.millis();
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
        // What the plans made may be undone already, with all that their agent caused.
        const made = plans.filter(({ status, decision }) => status === 'executed' && decision?.code !== UNDONE);
        if (made.length) await compensate(writer, made);
        const reopened = await moves.makeAll(
          writer,
          plans.map((one) => reopening(one, note)),
        );
        return reopened[0] as PlanDoc;
      },
      { simulate },
    );

  return { undo };
};
