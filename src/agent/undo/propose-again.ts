/**
 * Proposes a rejected plan again whose time is over, once, as another plan (docs/decisions.md, A decision can be taken back).
 */
import { randomUUIDv7 } from 'node:crypto';
import { problem } from '../../common/problem.ts';
import { repeats, UNDONE } from '../../domain/plan/plan.ts';
import { readArguments } from '../../domain/plan/plan-arguments.ts';
import type { PlanDoc } from '../../domain/record/trace.ts';
import type { Writer } from '../../ledger/ledger-writer.ts';
import type { SituationOf } from '../prompt/situation.ts';
import type { Judged, ProposalAdmission } from '../propose/admit.ts';
import type { Proposal } from '../propose/proposal.ts';
import { refuseTooMany } from '../propose/submitted.ts';
import { findPlans } from '../queries.ts';
import type { Moves } from '../decide/record-transition.ts';

export type ProposeAgainDeps = { moves: Moves; admission: ProposalAdmission; situationOf: SituationOf };

/** The plan that was proposed again for this one, while it waits. @throws 409 where it was decided on */
const successorOf = async (writer: Writer, plan: PlanDoc): Promise<PlanDoc | undefined> => {
  const [next] = await findPlans(writer.tx, plan.user_id, plan.decision?.successor_uids ?? []);
  if (!next || next.status === 'proposed') return next;
  throw problem(
    'changed_since',
    `Plan ${plan.uid} was proposed again as plan ${next.uid}, which is ${next.status}. Take the decision on that one back.`,
    { uid: next.uid },
  );
};

/** @throws 409 slot_taken */
const requireAdmitted = (plan: PlanDoc, { verdict }: Judged): void => {
  if (!verdict) return;
  throw problem(
    'slot_taken',
    `The time of plan ${plan.uid} has passed, and it cannot be proposed again: ${verdict.detail}.`,
    { alternatives: verdict.alternatives ?? [] },
  );
};

export const createProposeAgain = ({ moves, admission, situationOf }: ProposeAgainDeps) => {
  /** A proposal of the same for a free time, where the time of a rejected one is over. It is made once. @throws 409 */
  const proposeAgain = async (writer: Writer, plan: PlanDoc, note: string | null): Promise<PlanDoc> => {
    if (plan.action_type === 'reschedule' || repeats(plan))
      throw problem(
        'illegal_transition',
        `The time of plan ${plan.uid} has passed (${plan.scheduled_for ?? plan.expires_at}). Propose it again with another time (POST /agent/plan).`,
        { from: plan.status, to: 'proposed' },
      );
    const known = await successorOf(writer, plan);
    if (known) return known;
    const { action_type, title, content, duration_minutes, target_event_uid, reasoning, task_id, tempo_tag, tags } =
      plan;
    const { user_id, origin, proposed_by: actor } = plan;
    await refuseTooMany(writer.tx, { user_id, origin, actor }, 1);
    const uid = randomUUIDv7();
    const again: Proposal = {
      uid,
      ...{ action_type, title, content, scheduled_for: null, duration_minutes, target_event_uid, reasoning },
      arguments: readArguments(plan),
      trace: { task_id, tempo_tag, tags, linked_trace_ids: [plan.uid] },
      of: plan,
    };
    const judged = await admission.judgeAll(writer, [again], await situationOf(writer.tx, user_id));
    requireAdmitted(plan, judged[0] as Judged);
    await moves.make(writer, plan, 'propose_again', { code: UNDONE, note, successor_uids: [uid] });
    return (await admission.record(writer, judged))[0] as PlanDoc;
  };

  return proposeAgain;
};
