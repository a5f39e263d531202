/** Decides on plans: approve (also with edits), reject or cancel, withdraw. Each is one write under the user's lock. */
import type { Clock } from '../common/clock.ts';
import { isDatabaseAway } from '../db/sqlstate.ts';
import type { Caller } from '../domain/access/caller.ts';
import { mayMake } from '../domain/plan/plan-transitions.ts';
import { lapsesAt } from '../domain/plan/plan-time.ts';
import { millis } from '../domain/time/time.ts';
import { newTrace, type PlanDoc } from '../domain/record/trace.ts';
import { problem, type Problem, type SeenVersions } from '../common/problem.ts';
import type { Sensitive } from '../ledger/sensitive-values.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { byOf, requireComplete, requireMove } from '../ledger/transition-problems.ts';
import type { PlanEffects } from './plan-effects.ts';
import type { ProblemOf } from './problem-per-item.ts';
import { estimate, type Moves } from './record-transition.ts';
import { loadPlan } from './queries.ts';
import { checkApproved, checkSeen, timeOf, type ApprovalRules } from './approval-rules.ts';
import type { SituationOf } from './situation.ts';
import type { Edits } from './schemas.ts';

export type DecisionsDeps = {
  ledger: Ledger;
  clock: Clock;
  sensitive: Sensitive;
  moves: Moves;
  execution: PlanEffects;
  rules: ApprovalRules;
  problemOf: ProblemOf;
  situationOf: SituationOf;
};

/** The version that the decision is for, and a note. */
export type DecisionOptions = { note?: string | undefined; expected_version?: SeenVersions | undefined };

export const createDecisions = ({
  ledger,
  clock,
  sensitive,
  moves,
  execution,
  rules,
  problemOf,
  situationOf,
}: DecisionsDeps) => {
  const approveOne = (
    caller: Caller,
    uid: string,
    { note, expected_version, edits }: DecisionOptions & { edits?: Edits | undefined },
  ) =>
    ledger.write(caller, async (writer): Promise<PlanDoc> => {
      const plan = await loadPlan(writer.tx, caller.user_id, uid);
      // Approving an approved plan again gives the same answer. The versions that the approval itself made do not count.
      const isAgain = (plan.status === 'approved' || plan.status === 'executed') && !edits;
      if (isAgain) {
        checkSeen(plan, expected_version);
        return plan;
      }
      requireMove(writer.author, plan, 'approve');
      checkApproved(plan, expected_version);
      if (edits) await sensitive.refuseHiddenChanges(writer.tx, caller, plan, edits);
      const scheduled_for =
        edits?.scheduled_for === undefined ? plan.scheduled_for : timeOf(edits.scheduled_for, caller, edits.timezone);
      const duration_minutes = edits?.duration_minutes ?? plan.duration_minutes;
      const content = edits?.content ?? plan.content;
      const changes = {
        title: edits?.title ?? plan.title,
        ...(edits?.content === undefined ? {} : { content, summary: newTrace({ ...plan, content }).summary }),
        scheduled_for,
        duration_minutes,
        temporal_estimate: estimate(scheduled_for, duration_minutes),
        expires_at: lapsesAt({ ...plan, scheduled_for }),
      };
      const wanted: PlanDoc = { ...plan, ...changes };
      if (wanted.expires_at && millis(wanted.expires_at) < clock.millis())
        throw problem(
          'illegal_transition',
          `The time of plan ${uid} has passed (${wanted.expires_at}). Approve the plan with a later scheduled_for in edits, or reject it.`,
          { from: plan.status, to: 'approved' },
        );
      requireComplete(wanted, '/edits');
      const situation = await situationOf(writer.tx, caller.user_id);
      await rules.checkTimeIsFree(writer, wanted);
      await rules.checkBudget(writer, wanted, situation, 'decided');
      const due_at = rules.dueAt(wanted, situation);
      const approved = await moves.make(writer, plan, 'approve', { code: 'user', note: note ?? null, changes, due_at });
      const now = due_at !== null && millis(due_at) <= clock.millis();
      return now ? (await execution.execute(writer, approved)).plan : approved;
    });

  const rejectOne = (caller: Caller, uid: string, { note, expected_version }: DecisionOptions) =>
    ledger.write(caller, async (writer): Promise<PlanDoc> => {
      const plan = await loadPlan(writer.tx, caller.user_id, uid);
      if (plan.status === 'rejected' && (plan.decision?.code === 'user' || plan.decision?.code === 'cancelled'))
        return plan;
      checkSeen(plan, expected_version);
      if (plan.status === 'approved')
        return moves.make(writer, plan, 'cancel', { code: 'cancelled', note: note ?? null });
      return moves.make(writer, plan, 'reject', { code: 'user', note: note ?? null });
    });

  /** Decides on each item in its own write. One that fails neither undoes the others nor hides their answers. */
  const each = async (caller: Caller, uids: string[], decide: (uid: string) => Promise<PlanDoc>) => {
    const results: { uid: string; plan?: PlanDoc; problem?: Problem }[] = [];
    for (const uid of uids) {
      try {
        results.push({ uid, plan: await decide(uid) });
      } catch (error) {
        if (isDatabaseAway(error)) throw error;
        results.push({ uid, problem: problemOf(error, caller) });
      }
    }
    return results;
  };

  const withdraw = (caller: Caller, uid: string, { note, expected_version }: DecisionOptions) =>
    ledger.write(caller, async (writer): Promise<PlanDoc> => {
      const plan = await loadPlan(writer.tx, caller.user_id, uid);
      const isBack = plan.status === 'rejected' && plan.decision?.code === 'withdrawn';
      if (isBack && mayMake(plan, 'withdraw', byOf(caller))) return plan;
      requireMove(writer.author, plan, 'withdraw');
      checkSeen(plan, expected_version);
      return moves.make(writer, plan, 'withdraw', { code: 'withdrawn', note: note ?? null });
    });

  return { approve: approveOne, reject: rejectOne, each, withdraw };
};
