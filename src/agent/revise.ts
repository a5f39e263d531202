/** Changes of plans outside the table of moves: edits, feedback, and what happens to plans on the calendar. */
import { randomUUIDv7 } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { Db } from '../db/client.ts';
import type { Caller } from '../domain/caller.ts';
import { addMinutes, millis, type Instant } from '../domain/time.ts';
import { asContent, isPlan, newTrace, type PlanDoc, type TraceDoc } from '../domain/trace.ts';
import { invalidAt, notFound, problem } from '../errors.ts';
import type { Ledger, Writer } from '../ledger/ledger.ts';
import { findTrace, type TraceStore } from '../ledger/traces.ts';
import type { TraceUpdates } from '../memory/schema.ts';
import { estimate, illegalTransition, type Moves } from './moves.ts';
import type { Proposing } from './propose.ts';
import { takesRoom, type Situation } from './place.ts';
import { findPlans } from './queries.ts';
import { timeOf, type Rules } from './rules.ts';

export type ReviseDeps = {
  ledger: Ledger;
  clock: Clock;
  traces: TraceStore;
  moves: Moves;
  proposing: Proposing;
  rules: Rules;
  situationOf: (db: Db, user_id: string) => Promise<Situation>;
};

/** Where a displaced plan looks for room. */
const DISPLACED_SEARCH_MINUTES = 14 * 24 * 60;

export const createRevising = ({ ledger, clock, traces, moves, proposing, rules, situationOf }: ReviseDeps) => {
  /** PATCH /memory/edit on a plan (decisions §7). */
  const edit = async (writer: Writer, caller: Caller, from: TraceDoc, updates: TraceUpdates): Promise<TraceDoc> => {
    const plan = from as PlanDoc;
    const person = caller.scopes.has('plan:decide');
    if (plan.status === 'rejected') throw illegalTransition(plan, 'edited');
    const mayEdit = person || (plan.status === 'proposed' && plan.proposed_by === caller.actor);
    if (!mayEdit)
      throw problem(
        'not_yours_to_edit',
        plan.status === 'proposed'
          ? `Plan ${plan.uid} was proposed by ${plan.proposed_by}; editing it needs plan:decide.`
          : `Plan ${plan.uid} is ${plan.status}: only a person (plan:decide) may edit it.`,
      );
    const { timezone, timestamp, scheduled_for: time, ...rest } = updates;
    const set = Object.fromEntries(Object.entries(rest).filter(([, v]) => v !== undefined)) as Partial<PlanDoc>;
    const scheduled_for = time === undefined ? plan.scheduled_for : timeOf(time, caller, timezone);
    const duration_minutes = set.duration_minutes === undefined ? plan.duration_minutes : set.duration_minutes;
    const moved = scheduled_for !== plan.scheduled_for || duration_minutes !== plan.duration_minutes;
    if (moved && plan.status === 'executed')
      throw invalidAt(
        '/updates/scheduled_for',
        'executed',
        `is carried out: change the event instead (PATCH /calendar/edit, uid ${plan.linked_event_uid ?? 'of the event'})`,
      );
    const changes: Partial<PlanDoc> = {
      ...set,
      ...(timestamp === undefined ? {} : { timestamp: timeOf(timestamp, caller, timezone) as Instant }),
      scheduled_for,
      duration_minutes,
      temporal_estimate: estimate(scheduled_for, duration_minutes),
      expires_at: plan.status === 'proposed' ? scheduled_for : plan.expires_at,
      summary: newTrace({ ...plan, content: set.content ?? plan.content }).summary,
    };
    const wanted = { ...plan, ...changes };
    const situation = await situationOf(writer.tx, caller.user_id);
    if (moved) {
      if (scheduled_for && millis(scheduled_for) < clock.millis())
        throw invalidAt('/updates/scheduled_for', 'slot:past', 'is in the past');
      if (takesRoom(wanted) && (!scheduled_for || !duration_minutes))
        throw invalidAt('/updates/scheduled_for', 'required', 'a plan that takes room needs a time and a duration');
      await rules.checkRoom(writer, wanted);
    }
    if (caller.origin === 'agent') await rules.checkAgentsChange(writer, wanted, situation);
    if (plan.status === 'executed') return moves.make(writer, plan, 'edit', { code: 'user', changes });
    if (plan.status === 'proposed') return moves.change(writer, plan, changes, null);
    const decision = { by: caller.actor, code: 'user', note: 'edited after approval', at: clock.now() };
    return moves.change(writer, plan, { ...changes, decision }, rules.dueAt(wanted, situation), {
      code: 'user',
      note: 'edited',
    });
  };

  /** Feedback on any trace of the user's; said again in the trace log. */
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
          `The trace ${uid} records a transition and can’t be changed: give feedback on plan ${from.transition.plan_uid}.`,
        );
      const to = { ...from, feedback_rating: feedback_rating ?? from.feedback_rating, notes: notes ?? from.notes };
      const due_at =
        isPlan(from) && from.status === 'approved'
          ? rules.dueAt(from, await situationOf(writer.tx, caller.user_id))
          : null;
      const [doc] = await traces.update(writer, [{ from, to, due_at }]);
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
      return doc as TraceDoc;
    });

  /** A person's event took an agent's block: the plan is proposed again in the next free slot, and says why. */
  const displaced = async (
    writer: Writer,
    block: { plan_uid: string; event: { scheduled_for: Instant; duration_minutes: number } },
    by: { title: string; end: Instant },
  ): Promise<void> => {
    const [plan] = await findPlans(writer.tx, writer.author.user_id, [block.plan_uid]);
    if (!plan) return;
    const edited = await moves.make(writer, plan, 'edit', {
      code: 'displaced',
      note: `its block gave way to “${by.title}”`,
    });
    const start = millis(by.end) > clock.millis() ? by.end : clock.now();
    await proposing.propose(
      writer,
      [
        {
          action_type: 'schedule',
          title: plan.title,
          content: plan.content,
          scheduled_for: null,
          duration_minutes: block.event.duration_minutes,
          target_event_uid: null,
          arguments: plan.arguments,
          reasoning: `Its time ${block.event.scheduled_for} was taken by “${by.title}”, so it looks for another.`,
          between: { start, end: addMinutes(start, DISPLACED_SEARCH_MINUTES) },
          trace: { task_id: plan.task_id, tempo_tag: plan.tempo_tag, tags: plan.tags, linked_trace_ids: [edited.uid] },
          of: plan,
        },
      ],
      await situationOf(writer.tx, writer.author.user_id),
    );
  };

  /** A person changed the event of a plan: that is a decision about the plan, and is recorded as one. */
  const decidedOnCalendar = async (
    writer: Writer,
    { plan_uid, change }: { plan_uid: string; change: string },
  ): Promise<void> => {
    const [plan] = await findPlans(writer.tx, writer.author.user_id, [plan_uid]);
    if (plan?.status === 'executed')
      await moves.make(writer, plan, 'edit', {
        code: `event_${change}`,
        note: `its event was ${change} on the calendar`,
      });
  };

  return { edit, feedback, displaced, decidedOnCalendar };
};
