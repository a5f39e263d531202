/** Decides on plans: approve (also with edits), reject or cancel, withdraw. Each is one write under the user's lock. */
import type { Clock } from '../../common/clock.ts';
import type { Caller } from '../../domain/access/caller.ts';
import { mayMake } from '../../domain/plan/plan-transitions.ts';
import { lapsesAt } from '../../domain/plan/plan-time.ts';
import { millis, type Instant } from '../../domain/time/time.ts';
import { contentWith } from '../../domain/plan/own-text.ts';
import { withContent, type PlanDoc } from '../../domain/record/trace.ts';
import { problem, type SeenVersions } from '../../common/problem.ts';
import type { Sensitive } from '../../ledger/sensitive-values.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Writer } from '../../ledger/ledger-writer.ts';
import { byOf, requireComplete, requireMove } from '../../ledger/transition-problems.ts';
import type { PlanEffects } from './plan-effects.ts';
import { eachItem, type ProblemOf } from '../../observability/problem-per-item.ts';
import { estimate, type Moves } from './record-transition.ts';
import { loadPlan } from '../queries.ts';
import { editedRepetition } from '../place/plan-repetition.ts';
import { checkSeen, pinnedBy, requireSeen, timeOf, type ApprovalRules } from './approval-rules.ts';
import type { SituationOf } from '../prompt/situation.ts';
import { checkSettings } from './settings.ts';
import { partnerOf, refuseAlone } from './swap.ts';
import type { Edits } from '../schemas.ts';

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

/** The versions of plans that the caller has read. */
export type Seen = (uid: string) => SeenVersions | undefined;

export type DecisionOptions = { note?: string | undefined; seenOf?: Seen | undefined };

export type ApprovalOptions = DecisionOptions & { edits?: Edits | undefined; simulate?: boolean | undefined };

const unseen: Seen = () => undefined;

/** The values that the edits of an approval give a plan. */
const editedBy = (caller: Caller, plan: PlanDoc, edits: Edits | undefined): Partial<PlanDoc> => {
  const scheduled_for =
    edits?.scheduled_for === undefined ? plan.scheduled_for : timeOf(edits.scheduled_for, caller, edits.timezone);
  const duration_minutes = edits?.duration_minutes ?? plan.duration_minutes;
  const edited = { scheduled_for, duration_minutes, arguments: plan.arguments };
  const title = edits?.title ?? plan.title;
  const content = edits?.content ?? contentWith(plan, title);
  return {
    title,
    ...(content === undefined ? {} : withContent(content)),
    scheduled_for,
    duration_minutes,
    temporal_estimate: estimate(scheduled_for, duration_minutes),
    expires_at: lapsesAt({ ...plan, scheduled_for }),
    ...editedRepetition(caller, plan, edited, edits ?? {}, '/edits'),
  };
};

/** Judges whether a plan may be approved now. */
const createJudge =
  ({ clock, sensitive, rules, situationOf }: DecisionsDeps) =>
  /** What an approval changes in the plan, and the time at which it is due. @throws 403, 409, 412, 422, 428 */
  async (
    writer: Writer,
    caller: Caller,
    plan: PlanDoc,
    { edits, seen, named }: { edits?: Edits | undefined; seen: SeenVersions | undefined; named?: PlanDoc },
  ): Promise<{ changes: Partial<PlanDoc>; wanted: PlanDoc; due_at: Instant | null }> => {
    requireMove(writer.author, plan, 'approve');
    requireSeen(plan, seen, named);
    if (edits) await sensitive.refuseHiddenChanges(writer.tx, caller, plan, edits);
    const changes = editedBy(caller, plan, edits);
    const asked: PlanDoc = { ...plan, ...changes };
    refuseAlone(plan, asked);
    Object.assign(changes, pinnedBy(caller, plan, asked));
    if (asked.expires_at && millis(asked.expires_at) < clock.millis())
      throw problem(
        'illegal_transition',
        `The time of plan ${plan.uid} has passed (${asked.expires_at}). Approve the plan with a later scheduled_for in edits, or reject it.`,
        { from: plan.status, to: 'approved' },
      );
    requireComplete(asked, '/edits');
    await checkSettings(writer, [asked]);
    const situation = await situationOf(writer.tx, caller.user_id);
    if (!plan.swaps_with) Object.assign(changes, await rules.requireFreeTime(writer, asked));
    const wanted: PlanDoc = { ...plan, ...changes };
    await rules.checkBudget(writer, wanted, situation, 'decided');
    return { changes, wanted, due_at: rules.dueAt(wanted, situation) };
  };

export const createDecisions = (deps: DecisionsDeps) => {
  const { ledger, clock, moves, execution, problemOf } = deps;
  const judge = createJudge(deps);

  /** Approves a plan, and with it the one with which it exchanges places. Simulated, it says what an approval would answer now. */
  const approveOne = (
    caller: Caller,
    uid: string,
    { note, seenOf = unseen, edits, simulate = false }: ApprovalOptions,
  ) => {
    const approving = async (writer: Writer): Promise<PlanDoc> => {
      const plan = await loadPlan(writer.tx, caller.user_id, uid);
      // Approving an approved plan again gives the same answer. The versions that the approval itself made do not count.
      const isAgain = (plan.status === 'approved' || plan.status === 'executed') && !edits;
      if (isAgain) {
        checkSeen(plan, seenOf(uid));
        return plan;
      }
      const judged = [{ plan, ...(await judge(writer, caller, plan, { edits, seen: seenOf(uid) })) }];
      const partner = await partnerOf(writer.tx, plan);
      if (partner)
        judged.push({
          plan: partner,
          ...(await judge(writer, caller, partner, { seen: seenOf(partner.uid), named: plan })),
        });
      if (partner)
        await execution.checkSwap(
          writer,
          judged.map(({ wanted }) => wanted),
        );
      const approved: PlanDoc[] = [];
      for (const { plan: from, changes, due_at } of judged)
        approved.push(await moves.make(writer, from, 'approve', { code: 'user', note: note ?? null, changes, due_at }));
      const [first] = approved as [PlanDoc];
      const due_at = judged[0]?.due_at;
      const now = due_at != null && millis(due_at) <= clock.millis();
      return now ? (await execution.execute(writer, first, approved[1]))[0].plan : first;
    };
    return ledger.write(caller, approving, { simulate });
  };

  const rejectOne = (caller: Caller, uid: string, { note, seenOf = unseen }: DecisionOptions) =>
    ledger.write(caller, async (writer): Promise<PlanDoc> => {
      const plan = await loadPlan(writer.tx, caller.user_id, uid);
      if (plan.status === 'rejected' && (plan.decision?.code === 'user' || plan.decision?.code === 'cancelled'))
        return plan;
      const partner = await partnerOf(writer.tx, plan);
      for (const one of [plan, partner]) if (one) checkSeen(one, seenOf(one.uid));
      const isApproved = plan.status === 'approved';
      const [move, code] = isApproved ? (['cancel', 'cancelled'] as const) : (['reject', 'user'] as const);
      const rejected = await moves.make(writer, plan, move, { code, note: note ?? null });
      if (partner?.status === plan.status) await moves.make(writer, partner, move, { code, note: note ?? null });
      return rejected;
    });

  /** Decides on each plan in its own write. */
  const each = (caller: Caller, uids: string[], decide: (uid: string) => Promise<PlanDoc>) =>
    eachItem(caller, uids, decide, problemOf);

  const withdraw = (caller: Caller, uid: string, { note, seenOf = unseen }: DecisionOptions) =>
    ledger.write(caller, async (writer): Promise<PlanDoc> => {
      const plan = await loadPlan(writer.tx, caller.user_id, uid);
      const isBack = plan.status === 'rejected' && plan.decision?.code === 'withdrawn';
      if (isBack && mayMake(plan, 'withdraw', byOf(caller))) return plan;
      const partner = await partnerOf(writer.tx, plan);
      for (const one of [plan, partner]) {
        if (one) requireMove(writer.author, one, 'withdraw');
        if (one) checkSeen(one, seenOf(one.uid));
      }
      const withdrawn = await moves.make(writer, plan, 'withdraw', { code: 'withdrawn', note: note ?? null });
      if (partner) await moves.make(writer, partner, 'withdraw', { code: 'withdrawn', note: note ?? null });
      return withdrawn;
    });

  return { approve: approveOne, reject: rejectOne, each, withdraw };
};
