/** What it means for plans that a person takes a change of the calendar back (docs/decisions.md, A decision can be taken back). */
import { problem } from '../../common/problem.ts';
import { KIND_OF_MOVE, PLAN_KINDS } from '../../domain/plan/plan.ts';
import { canonicalJson } from '../../domain/record/canonical-json.ts';
import type { PlanDoc } from '../../domain/record/trace.ts';
import type { Writer } from '../../ledger/ledger-writer.ts';
import { versionsOf, type EntryOfWrite } from '../../ledger/read-ledger.ts';
import type { PlanHooks } from '../plan-hooks.ts';
import { findPlans } from '../queries.ts';
import { UNDONE } from './propose-again.ts';
import type { Moves } from './record-transition.ts';

/** What a change of the calendar does to plans: it takes their time, is recorded with them, and makes proposals instead. */
const FOLLOWING: ReadonlySet<string> = new Set([
  KIND_OF_MOVE.lose_time,
  KIND_OF_MOVE.follow,
  KIND_OF_MOVE.refuse,
  'plan.proposed',
]);

const isOfPlan = ({ kind }: EntryOfWrite): boolean => (PLAN_KINDS as readonly string[]).includes(kind);

const refuseDecisions = (entries: readonly EntryOfWrite[]): void => {
  const decision = entries.find((entry) => isOfPlan(entry) && !FOLLOWING.has(entry.kind));
  if (decision)
    throw problem(
      'not_undoable',
      `This change is part of a decision on plan ${decision.subject_uid}. Take that decision back (POST /agent/undo).`,
    );
};

const decidedSince = ({ uid, status }: PlanDoc): Error =>
  problem(
    'changed_since',
    `Plan ${uid} was proposed for this change and is ${status} by now. Take the decision on it back first (POST /agent/undo).`,
    { uid },
  );

const changedSince = ({ uid }: PlanDoc): Error =>
  problem('changed_since', `Plan ${uid} was changed since, so the change stays. Change the event itself.`, { uid });

export const createChangeTakenBack = ({ moves }: { moves: Moves }): PlanHooks['changeTakenBack'] => {
  /** Withdraws a proposal that was made because another plan lost its time. */
  const withdraw = async (writer: Writer, plan: PlanDoc): Promise<void> => {
    if (plan.status === 'approved' || plan.status === 'executed') throw decidedSince(plan);
    if (plan.status === 'proposed') await moves.make(writer, plan, 'withdraw', { code: UNDONE });
  };

  /** Gives a plan the decision that it had before the change. */
  const regain = async (writer: Writer, plan: PlanDoc, own: readonly EntryOfWrite[]): Promise<void> => {
    const { user_id } = writer.author;
    const below = (own[0] as EntryOfWrite).version;
    const { items } = await versionsOf<PlanDoc>(writer.tx, user_id, 'trace', plan.uid, { below, limit: 1 });
    const before = items[0]?.payload;
    const isSame = canonicalJson(plan.decision) === canonicalJson(own.at(-1)?.decision ?? null);
    if (!before || plan.status !== 'executed' || !isSame) throw changedSince(plan);
    await moves.make(writer, plan, 'regain', { code: UNDONE, again: before.decision });
  };

  return async (writer, entries) => {
    refuseDecisions(entries);
    const uids = [...new Set(entries.filter(isOfPlan).map(({ subject_uid }) => subject_uid))];
    const plans = await findPlans(writer.tx, writer.author.user_id, uids);
    for (const plan of plans) {
      const own = entries.filter((entry) => isOfPlan(entry) && entry.subject_uid === plan.uid);
      if (own[0]?.kind === 'plan.proposed') await withdraw(writer, plan);
      else await regain(writer, plan, own);
    }
    return plans.map(({ uid }) => uid);
  };
};
