/** Edits a plan: PATCH /memory/edit (docs/decisions.md, Every change of a plan is a move). */
import type { Clock } from '../../common/clock.ts';
import { invalid, invalidAt } from '../../common/problem.ts';
import type { Caller } from '../../domain/access/caller.ts';
import { foreignArguments } from '../../domain/plan/plan-arguments.ts';
import { isMoved, lapsesAt } from '../../domain/plan/plan-time.ts';
import { isRecord, isRewritten } from '../../domain/plan/plan-transitions.ts';
import { isOffCalendar } from '../../domain/plan/plan.ts';
import { contentWith } from '../../domain/plan/own-text.ts';
import { withContent, type PlanDoc } from '../../domain/record/trace.ts';
import { millis, type Instant } from '../../domain/time/time.ts';
import type { Writer } from '../../ledger/ledger-writer.ts';
import { requireComplete, requireMove } from '../../ledger/transition-problems.ts';
import type { TraceUpdates } from '../../memory/schemas.ts';
import { editedRepetition } from '../place/plan-repetition.ts';
import type { SituationOf } from '../prompt/situation.ts';
import type { Situation } from '../propose/proposal.ts';
import { pinnedBy, requireNotPinned, timeOf, type ApprovalRules } from './approval-rules.ts';
import { checkProposedSettings } from './settings.ts';
import { estimate, type Moves } from './record-transition.ts';
import { refuseAlone } from './swap.ts';

export type PlanEditDeps = { clock: Clock; moves: Moves; rules: ApprovalRules; situationOf: SituationOf };

/** The moves that an edit can be. */
type EditMove = 'revise' | 'amend' | 'label' | 'edit';

/** The new values that an edit asks for, and those that follow from them. */
const wantedBy = (caller: Caller, plan: PlanDoc, updates: TraceUpdates): Partial<PlanDoc> => {
  const { timezone, timestamp, scheduled_for: time, rrule, exdates, on_conflict, ...rest } = updates;
  const foreign = foreignArguments(plan.action_type, rest.arguments);
  if (foreign.length)
    throw invalid(
      foreign.map(({ field, message }) => ({ path: `/updates/arguments/${field}`, code: 'custom', message })),
    );
  const set = Object.fromEntries(Object.entries(rest).filter(([, v]) => v !== undefined)) as Partial<PlanDoc>;
  const scheduled_for = time === undefined ? plan.scheduled_for : timeOf(time, caller, timezone);
  const duration_minutes = set.duration_minutes === undefined ? plan.duration_minutes : set.duration_minutes;
  const edited = { scheduled_for, duration_minutes, arguments: set.arguments ?? plan.arguments };
  const repetition = { rrule, exdates, on_conflict, timezone };
  return {
    ...set,
    ...(timestamp === undefined ? {} : { timestamp: timeOf(timestamp, caller, timezone) as Instant }),
    scheduled_for,
    duration_minutes,
    temporal_estimate: estimate(scheduled_for, duration_minutes),
    expires_at:
      plan.status === 'proposed' && !isRecord(plan) ? lapsesAt({ ...plan, ...set, scheduled_for }) : plan.expires_at,
    ...withContent(set.content ?? contentWith(plan, set.title ?? plan.title) ?? plan.content),
    ...editedRepetition(caller, plan, edited, repetition, '/updates'),
  };
};

/** Which move an edit of a plan with this status is. */
const moveOf = (plan: PlanDoc, wanted: PlanDoc): EditMove => {
  if (plan.status === 'proposed') return 'revise';
  if (plan.status !== 'approved') return 'edit';
  return isRewritten(plan, wanted) ? 'amend' : 'label';
};

/** @throws 422 */
const checkEditedSettings = async (writer: Writer, plan: PlanDoc, edited: PlanDoc): Promise<void> => {
  if (plan.action_type === 'configure' && plan.status === 'executed')
    throw invalidAt(
      '/updates/arguments',
      'executed',
      'cannot change, because the plan is executed; change the settings themselves (PATCH /user/update, POST /tempo/adjust), or take the decision back (POST /agent/undo)',
    );
  await checkProposedSettings(writer, [{ ...edited, at: '/updates' }]);
};

export const createPlanEdit = ({ clock, moves, rules, situationOf }: PlanEditDeps) => {
  /** @throws 422 where a plan cannot get this time by an edit */
  const checkNewTime = (plan: PlanDoc, { scheduled_for }: PlanDoc): void => {
    if (plan.status === 'executed')
      throw invalidAt(
        '/updates/scheduled_for',
        'executed',
        `cannot change, because the plan is executed; change the event instead (PATCH /calendar/edit, uid ${plan.linked_event_uid ?? 'of the event'})`,
      );
    if (scheduled_for && millis(scheduled_for) < clock.millis())
      throw invalidAt('/updates/scheduled_for', 'slot:past', 'must not be in the past');
  };

  /** Writes the edit. What was approved is checked against the limits again, as for an approval. */
  const makeMove = async (
    writer: Writer,
    plan: PlanDoc,
    move: EditMove,
    changes: Partial<PlanDoc>,
    situation: Situation,
  ): Promise<PlanDoc> => {
    const change = { changes, at: '/updates' };
    if (move === 'edit') {
      // New text restores nothing that is no longer on the calendar.
      const { code, successor_uids } = (isOffCalendar(plan) && plan.decision) || { code: 'user' };
      return moves.make(writer, plan, move, { ...change, code, successor_uids });
    }
    if (move === 'revise') return moves.change(writer, plan, move, change);
    const wanted: PlanDoc = { ...plan, ...changes };
    await rules.checkBudget(writer, wanted, situation, 'decided');
    if (move === 'label') return moves.change(writer, plan, move, change);
    const due_at = rules.dueAt(wanted, situation);
    return moves.make(writer, plan, move, { ...change, code: 'user', note: 'edited after approval', due_at });
  };

  /** Serves PATCH /memory/edit on a plan (docs/decisions.md, Every change of a plan is a move). */
  const editPlan = async (writer: Writer, caller: Caller, plan: PlanDoc, updates: TraceUpdates): Promise<PlanDoc> => {
    const asked = wantedBy(caller, plan, updates);
    const move = moveOf(plan, { ...plan, ...asked });
    requireMove(writer.author, plan, move);
    const own = caller.scopes.has('plan:decide') ? { title: updates.title, content: updates.content } : {};
    const changes = { ...asked, ...(await rules.describeAction(writer, plan, { ...plan, ...asked }, own)) };
    const edited: PlanDoc = { ...plan, ...changes };
    if (plan.status !== 'executed') refuseAlone(plan, edited);
    const moved = isMoved(plan, edited);
    if (caller.origin === 'agent' && (moved || updates.pinned !== undefined)) requireNotPinned(plan, updates.pinned);
    if (updates.pinned === undefined) Object.assign(changes, pinnedBy(caller, plan, edited));
    if (moved) checkNewTime(plan, edited);
    requireComplete(edited, '/updates');
    if (updates.arguments) await checkEditedSettings(writer, plan, edited);
    if (updates.arguments && (move === 'revise' || move === 'amend')) await rules.requireOccurrence(writer, edited);
    const situation = await situationOf(writer.tx, caller.user_id);
    if (moved || move === 'amend') Object.assign(changes, await rules.requireFreeTime(writer, edited));
    if (caller.origin === 'agent') await rules.checkAgentsChange(writer, { ...plan, ...changes }, situation);
    return makeMove(writer, plan, move, changes, situation);
  };

  return { editPlan };
};
