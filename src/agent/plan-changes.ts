/** Changes plans without a decision on a proposal: edits, feedback, and the effects of changes on the calendar. */
import { randomUUIDv7 } from 'node:crypto';
import type { Clock } from '../common/clock.ts';
import type { Caller } from '../domain/access/caller.ts';
import { canonicalJson } from '../domain/record/canonical-json.ts';
import { DISPLACED } from '../domain/plan/plan.ts';
import { foreignArguments, readArguments } from '../domain/plan/plan-arguments.ts';
import { addMinutes, millis, type Instant } from '../domain/time/time.ts';
import { lapsesAt } from '../domain/plan/plan-time.ts';
import { isRecord, isRewritten } from '../domain/plan/plan-transitions.ts';
import { asContent, isPlan, newTrace, type PlanDoc, type TraceDoc } from '../domain/record/trace.ts';
import { invalid, invalidAt, notFound, problem } from '../common/problem.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Writer } from '../ledger/ledger-writer.ts';
import { requireComplete, requireMove } from '../ledger/transition-problems.ts';
import type { Sensitive } from '../ledger/sensitive-values.ts';
import { findTrace, type TraceStore } from '../ledger/trace-store.ts';
import type { TraceUpdates } from '../memory/schemas.ts';
import { estimate, type Moves } from './record-transition.ts';
import type { ProposalAdmission } from './admit-proposal.ts';
import type { SituationOf } from './situation.ts';
import { findPlans } from './queries.ts';
import type { PlanHooks } from './plan-hooks.ts';
import { editedRepetition } from './plan-repetition.ts';
import type { Proposal } from './proposal.ts';
import { listTimes } from './series-placement.ts';
import { refuseAlone } from './swap.ts';
import { requireNotPinned, timeOf, type ApprovalRules } from './approval-rules.ts';

export type PlanChangesDeps = {
  ledger: Ledger;
  clock: Clock;
  traces: TraceStore;
  sensitive: Sensitive;
  moves: Moves;
  admission: ProposalAdmission;
  rules: ApprovalRules;
  situationOf: SituationOf;
};

/** When a plan happens, as a text to compare. */
const timesOf = ({ scheduled_for, duration_minutes, rrule, exdates, timezone }: PlanDoc): string =>
  canonicalJson([scheduled_for, duration_minutes, rrule ?? null, exdates ?? [], timezone ?? null]);

/** A displaced plan is placed again in this time. */
const DISPLACED_SEARCH_MINUTES = 14 * 24 * 60;
/** Of the displaced occurrences of a series only the next ones are proposed again, so that the queue stays readable. */
const MOST_AGAIN = 5;
const MOST_TITLES = 3;

export const createPlanChanges = ({
  ledger,
  clock,
  traces,
  sensitive,
  moves,
  admission,
  rules,
  situationOf,
}: PlanChangesDeps) => {
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
      summary: newTrace({ ...plan, content: set.content ?? plan.content }).summary,
      ...editedRepetition(caller, plan, edited, repetition, '/updates'),
    };
  };

  /** Which move an edit of a plan with this status is. */
  const moveOf = (plan: PlanDoc, wanted: PlanDoc): 'revise' | 'amend' | 'label' | 'edit' => {
    if (plan.status === 'proposed') return 'revise';
    if (plan.status !== 'approved') return 'edit';
    return isRewritten(plan, wanted) ? 'amend' : 'label';
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
    const { scheduled_for } = edited;
    const moved = timesOf(edited) !== timesOf(plan);
    if (caller.origin === 'agent' && (moved || updates.pinned !== undefined)) requireNotPinned(plan, updates.pinned);
    // A person who moves a plan has chosen its time.
    if (moved && caller.origin === 'user') changes.pinned = updates.pinned ?? true;
    if (moved && plan.status === 'executed')
      throw invalidAt(
        '/updates/scheduled_for',
        'executed',
        `cannot change, because the plan is executed; change the event instead (PATCH /calendar/edit, uid ${plan.linked_event_uid ?? 'of the event'})`,
      );
    if (moved && scheduled_for && millis(scheduled_for) < clock.millis())
      throw invalidAt('/updates/scheduled_for', 'slot:past', 'must not be in the past');
    requireComplete(edited, '/updates');
    const situation = await situationOf(writer.tx, caller.user_id);
    if (moved || move === 'amend') Object.assign(changes, await rules.requireFreeTime(writer, edited));
    const wanted: PlanDoc = { ...plan, ...changes };
    if (caller.origin === 'agent') await rules.checkAgentsChange(writer, wanted, situation);
    const change = { changes, at: '/updates' };
    if (move === 'edit') {
      const code = plan.decision?.code === DISPLACED ? DISPLACED : 'user'; // New text does not restore a displaced block.
      return moves.make(writer, plan, move, { ...change, code });
    }
    if (move === 'revise') return moves.change(writer, plan, move, change);
    // The limits are checked as for an approval.
    await rules.checkBudget(writer, wanted, situation, 'decided');
    if (move === 'label') return moves.change(writer, plan, move, change);
    const due_at = rules.dueAt(wanted, situation);
    return moves.make(writer, plan, move, { ...change, code: 'user', note: 'edited after approval', due_at });
  };

  /** Stores feedback on a trace and records it as an observation. */
  const feedback = (
    caller: Caller,
    uid: string,
    { feedback_rating, notes }: { feedback_rating?: number | undefined; notes?: string | undefined },
  ): Promise<TraceDoc> =>
    ledger.write(caller, async (writer) => {
      const from = await findTrace(writer.tx, caller.user_id, uid);
      if (!from) throw notFound('trace', uid);
      if (from.transition)
        throw problem(
          'immutable_trace',
          `The trace ${uid} records a transition and cannot be changed. Give feedback on plan ${from.transition.plan_uid}.`,
        );
      await sensitive.refuseHiddenChanges(writer.tx, caller, from, { notes });
      const given = { feedback_rating: feedback_rating ?? from.feedback_rating, notes: notes ?? from.notes };
      const doc = isPlan(from)
        ? await moves.change(writer, from, 'annotate', { changes: given })
        : ((await traces.update(writer, [{ from, to: { ...from, ...given } }]))[0] as TraceDoc);
      const said = [feedback_rating === undefined ? '' : `rated ${feedback_rating} of 5`, notes ?? '']
        .filter(Boolean)
        .join(': ');
      const subject = isPlan(from) ? `plan “${from.title}”` : `${from.type} ${from.uid}`;
      const trace = newTrace({
        uid: randomUUIDv7(),
        user_id: caller.user_id,
        type: 'observation',
        task_id: from.task_id,
        timestamp: clock.now(),
        origin: caller.origin,
        content: asContent(`Feedback on ${subject}: ${said}`),
        linked_trace_ids: [uid],
        tags: ['feedback'],
      });
      await traces.insert(writer, [{ trace }]);
      return doc;
    });

  /** The proposal of something that a plan had put on the calendar, for the next free slot after an event of the person. */
  const again = (
    plan: PlanDoc,
    { scheduled_for, duration_minutes }: { scheduled_for: Instant; duration_minutes: number },
    by: { title: string; end: Instant },
  ): Proposal => {
    const start = millis(by.end) > clock.millis() ? by.end : clock.now();
    return {
      action_type: 'schedule',
      title: plan.title,
      content: plan.content,
      scheduled_for: null,
      duration_minutes,
      target_event_uid: null,
      arguments: readArguments({ ...plan, action_type: 'schedule' }),
      reasoning: `Its time ${scheduled_for} is now taken by “${by.title}”, so it needs another time.`,
      between: { start, end: addMinutes(start, DISPLACED_SEARCH_MINUTES) },
      trace: { task_id: plan.task_id, tempo_tag: plan.tempo_tag, tags: plan.tags, linked_trace_ids: [plan.uid] },
      of: plan,
    };
  };

  /** Proposes a plan again in the next free slot after a person's event displaced its block, and says why. */
  const blockDisplaced: PlanHooks['blockDisplaced'] = async (writer, block, by) => {
    const [plan] = await findPlans(writer.tx, writer.author.user_id, [block.plan_uid]);
    if (!plan) return;
    await moves.make(writer, plan, 'follow', { code: DISPLACED, note: `its time is now taken by “${by.title}”` });
    const situation = await situationOf(writer.tx, writer.author.user_id);
    await admission.propose(writer, [again(plan, block.event, by)], situation);
  };

  /** Proposes the next displaced occurrences of a series again, each by itself, and says why. The others are left out. */
  const occurrencesDisplaced: PlanHooks['occurrencesDisplaced'] = async (writer, { plan_uid, occurrences, isGone }) => {
    const [plan] = await findPlans(writer.tx, writer.author.user_id, [plan_uid]);
    if (!plan) return;
    const zone = plan.timezone ?? 'UTC';
    const times = occurrences.map(({ event }) => event.scheduled_for);
    const titles = [...new Set(occurrences.map(({ by }) => `“${by.title}”`))].slice(0, MOST_TITLES);
    await moves.make(writer, plan, 'follow', {
      code: isGone ? DISPLACED : 'occurrence_displaced',
      note: `its time is now taken by ${titles.join(', ')} at ${listTimes(times, zone)} (${zone})`,
    });
    const next = occurrences.slice(0, MOST_AGAIN).map(({ event, by }) => again(plan, event, by));
    await admission.propose(writer, next, await situationOf(writer.tx, writer.author.user_id));
  };

  /** Records it as a decision on a plan that a person changed its event. */
  const eventChanged = async (
    writer: Writer,
    { plan_uid, change }: { plan_uid: string; change: string },
  ): Promise<void> => {
    const [plan] = await findPlans(writer.tx, writer.author.user_id, [plan_uid]);
    if (plan?.status === 'executed')
      await moves.make(writer, plan, 'follow', {
        code: `event_${change}`,
        note: `a person ${change} its event on the calendar`,
      });
  };

  return { editPlan, feedback, blockDisplaced, occurrencesDisplaced, eventChanged };
};
