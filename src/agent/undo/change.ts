/** What it means for plans that a person takes a change of the calendar back (docs/decisions.md, A decision can be taken back). */
import { problem } from '../../common/problem.ts';
import { KIND_OF_MOVE, PLAN_KINDS, UNDONE } from '../../domain/plan/plan.ts';
import { canonicalJson } from '../../domain/record/canonical-json.ts';
import type { PlanDoc } from '../../domain/record/trace.ts';
import { documentsAt, type EntryOfWrite } from '../../ledger/read-ledger.ts';
import type { PlanHooks } from '../plan-hooks.ts';
import { findPlans } from '../queries.ts';
import type { Moves } from '../decide/record-transition.ts';

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

export const changedSince = ({ uid }: PlanDoc): Error =>
  problem('changed_since', `Plan ${uid} was changed since, so the change stays. Change the event itself.`, { uid });

/** Whether the plan still has the decision of an entry. */
export const isSameDecision = ({ decision }: PlanDoc, entry: EntryOfWrite | undefined): boolean =>
  canonicalJson(decision) === canonicalJson(entry?.decision ?? null);

type Step = Parameters<Moves['makeAll']>[1][number];

/** A proposal that was made because another plan lost its time is withdrawn. */
const withdrawal = (plan: PlanDoc): Step[] => {
  if (plan.status === 'approved' || plan.status === 'executed') throw decidedSince(plan);
  return plan.status === 'proposed' ? [{ plan, name: 'withdraw', details: { code: UNDONE } }] : [];
};

/** A plan has the decision again that it had before the change. */
const regaining = (plan: PlanDoc, before: PlanDoc | undefined, last: EntryOfWrite): Step[] => {
  if (!before || plan.status !== 'executed' || !isSameDecision(plan, last)) throw changedSince(plan);
  return [{ plan, name: 'regain', details: { code: UNDONE, again: before.decision } }];
};

export const createChangeTakenBack =
  ({ moves }: { moves: Moves }): PlanHooks['changeTakenBack'] =>
  async (writer, entries) => {
    refuseDecisions(entries);
    const { tx, author } = writer;
    const own = Map.groupBy(entries.filter(isOfPlan), ({ subject_uid }) => subject_uid);
    const firsts = [...own].map(([uid, [first]]) => ({ uid, version: (first as EntryOfWrite).version - 1 }));
    const [plans, before] = await Promise.all([
      findPlans(tx, author.user_id, [...own.keys()]),
      documentsAt<PlanDoc>(tx, author.user_id, 'trace', firsts),
    ]);
    const steps = plans.flatMap((plan) => {
      const list = own.get(plan.uid) as EntryOfWrite[];
      if (list[0]?.kind === 'plan.proposed') return withdrawal(plan);
      return regaining(plan, before.get(plan.uid), list.at(-1) as EntryOfWrite);
    });
    await moves.makeAll(writer, steps);
    return plans.map(({ uid }) => uid);
  };
