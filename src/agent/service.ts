/** The planner queue: proposing, deciding, changing, executing, feedback. Every decision is one write under the user's lock. */
import { randomUUIDv7 } from 'node:crypto';
import type { CalendarService } from '../calendar/service.ts';
import type { Clock } from '../clock.ts';
import type { Db } from '../db/client.ts';
import type { Caller } from '../domain/caller.ts';
import { checkLimits, usage, countingWindow } from '../domain/limits.ts';
import { STATUSES, type Status } from '../domain/plan.ts';
import { addMinutes, millis, readTime, type Instant, type Interval } from '../domain/time.ts';
import { isPlan, newTrace, type PlanDoc, type TraceDoc } from '../domain/trace.ts';
import { invalid, invalidAt, notFound, problem, Problem, stale } from '../errors.ts';
import type { Ledger, Writer } from '../ledger/ledger.ts';
import { findTrace, type TraceStore } from '../ledger/traces.ts';
import type { TraceIn, TraceUpdates } from '../memory/schema.ts';
import type { Execution, Outcome } from './execute.ts';
import { estimate, illegalTransition, type Moves } from './moves.ts';
import type { Proposal, Proposing, Situation } from './propose.ts';
import { tagsOf } from './propose.ts';
import { conflictsOf, executionRecords, findPlans, loadPlan, nextWork, plansOfTask, queuePage } from './queries.ts';
import type { ActionIn, Edits, ExecutionLog, QueueQuery } from './schema.ts';

export type AgentDeps = {
  db: Db;
  ledger: Ledger;
  clock: Clock;
  traces: TraceStore;
  calendar: CalendarService;
  moves: Moves;
  proposing: Proposing;
  execution: Execution;
  /** The user's settings and tempo, read inside the write. */
  situationOf: (db: Db, user_id: string) => Promise<Situation>;
};

/** Where a displaced plan looks for room. */
const DISPLACED_SEARCH_MINUTES = 14 * 24 * 60;

const timeOf = (text: string | null | undefined, caller: Caller, zone?: string): Instant | null =>
  text == null ? null : (readTime(text, zone ?? caller.zone) as Instant);

/** Members of a pushed agent_plan that belong to its trace rather than to the plan. */
const traceFields = (caller: Caller, input: TraceIn): Partial<TraceDoc> => {
  const { uid: _u, user_id: _i, type: _t, content: _c, timezone, status: _s, title: _ti, action_type: _a, scheduled_for: _f, duration_minutes: _d, target_event_uid: _e, arguments: _g, reasoning: _r, timestamp, ...rest } = input;
  const set = Object.fromEntries(Object.entries(rest).filter(([, v]) => v !== undefined));
  return { ...set, ...(timestamp === undefined ? {} : { timestamp: timeOf(timestamp, caller, timezone) as Instant }) };
};

export const createAgentService = (deps: AgentDeps) => {
  const { db, ledger, clock, traces, calendar, moves, proposing, execution, situationOf } = deps;

  /** The event a reschedule wants to move must be there; its length is kept where none is asked. */
  const withTargets = async (writer: Writer, proposals: Proposal[]): Promise<Proposal[]> => {
    const wanted = proposals.flatMap((p) => p.target_event_uid ?? []);
    const events = new Map((await calendar.within.find(writer.tx, writer.author.user_id, wanted)).map((e) => [e.uid, e]));
    const missing = wanted.filter((uid) => !events.has(uid));
    if (missing.length) throw notFound('event', missing);
    const faults = proposals.flatMap((p, i) => {
      const path = `/actions/${i}/target_event_uid`;
      if (p.action_type === 'reschedule') return p.target_event_uid ? [] : [{ path, code: 'required', message: 'is required to reschedule: the uid of the event' }];
      // Its target does not count as busy for a plan: only what moves an event may have one.
      return p.target_event_uid ? [{ path, code: 'unknown_field', message: 'belongs to reschedule only' }] : [];
    });
    if (faults.length) throw invalid(faults);
    return proposals.map((p) => {
      const event = p.target_event_uid ? events.get(p.target_event_uid) : undefined;
      if (!event) return p;
      const trace = { ...p.trace, task_id: p.trace?.task_id ?? event.task_id ?? null, tempo_tag: p.trace?.tempo_tag ?? event.tempo_tag ?? null, linked_event_uid: event.uid };
      return { ...p, duration_minutes: p.duration_minutes ?? event.duration_minutes, trace };
    });
  };

  const propose = async (writer: Writer, proposals: Proposal[], alsoBusy: Interval[] = []): Promise<PlanDoc[]> => {
    const situation = await situationOf(writer.tx, writer.author.user_id);
    return proposing.propose(writer, await withTargets(writer, proposals), situation, alsoBusy);
  };

  const fromAction = (caller: Caller, action: ActionIn): Proposal => ({
    uid: action.uid,
    action_type: action.action_type,
    title: action.title,
    content: action.content ?? action.title,
    scheduled_for: timeOf(action.scheduled_for, caller, action.timezone),
    duration_minutes: action.duration_minutes ?? null,
    target_event_uid: action.target_event_uid ?? null,
    arguments: action.arguments ?? {},
    reasoning: action.reasoning ?? '',
    trace: {
      task_id: action.task_id ?? null,
      tempo_tag: action.tempo_tag ?? null,
      tags: action.tags ?? [],
      linked_trace_ids: action.linked_trace_ids ?? [],
      metadata: action.metadata ?? {},
    },
  });

  /** Plans among these uids that were proposed before: the same answer again. @throws 409 where another trace has the uid. */
  const already = async (writer: Writer, proposals: Proposal[]): Promise<Map<string, PlanDoc>> => {
    const found = new Map<string, PlanDoc>();
    for (const { uid, title, action_type } of proposals) {
      const doc = uid === undefined ? null : await findTrace(writer.tx, writer.author.user_id, uid);
      if (!doc) continue;
      if (!isPlan(doc) || doc.title !== title || doc.action_type !== action_type)
        throw problem('uid_taken', `The uid ${uid} exists with other content: leave it out, or choose another.`, { uids: [uid] });
      found.set(doc.uid, doc);
    }
    return found;
  };

  /** Submits proposals; with `simulate` nothing is kept (plan-preview). Answers in the order given, refused ones included. */
  const submit = (caller: Caller, proposals: Proposal[], { simulate = false } = {}): Promise<PlanDoc[]> =>
    ledger.write(
      caller,
      async (writer) => {
        const known = await already(writer, proposals);
        const fresh = await propose(writer, proposals.filter((p) => !p.uid || !known.has(p.uid)));
        return proposals.map((p) => (p.uid && known.get(p.uid)) || (fresh.shift() as PlanDoc));
      },
      { simulate },
    );

  const checkVersion = (plan: PlanDoc, expected: number | string | undefined): void => {
    if (expected !== undefined && String(expected) !== String(plan.version)) throw stale('plan', plan.uid, expected, plan.version);
  };

  /** The time a plan wants must be free of everything busy but its own target. @throws 409 slot_taken */
  const checkRoom = async (writer: Writer, plan: PlanDoc): Promise<void> => {
    if (!proposing.takesRoom(plan) || !plan.scheduled_for || !plan.duration_minutes) return;
    const wanted = { start: plan.scheduled_for, end: addMinutes(plan.scheduled_for, plan.duration_minutes) };
    const busy = await calendar.within.busy(writer.tx, plan.user_id, wanted, { except: plan.target_event_uid ? [plan.target_event_uid] : [] });
    if (busy.length)
      throw problem('slot_taken', `${wanted.start} to ${wanted.end} is taken by ${busy.map((b) => `“${b.title}”`).join(', ')}: approve with another scheduled_for in edits, or reject.`, {
        busy: busy.map(({ uid, title, start, end }) => ({ uid, title, start, end })),
      });
  };

  /** What is approved already may not exceed the user's limits by this one. @throws 409 limit_reached */
  const checkBudget = async (writer: Writer, plan: PlanDoc, { profile, settings }: Situation): Promise<void> => {
    if (plan.origin !== 'agent') return;
    const at = plan.scheduled_for ?? plan.timestamp;
    const plans = await proposing.counted(writer.tx, plan.user_id, countingWindow(at, profile.timezone), 'decided');
    const verdict = checkLimits(settings.limits, { action_type: plan.action_type, tags: tagsOf(plan), at }, plans, profile.timezone);
    if (verdict) throw problem('limit_reached', `${verdict.detail}: reject it, move it, or raise the limit with PATCH /user/update.`, { limit: verdict.code });
  };

  /** When an approved plan is to be carried out: what takes room at once, the rest at its time; never with `manual`. */
  const dueAt = (plan: PlanDoc, { settings }: Situation): Instant | null => {
    if (settings.execution === 'manual') return null;
    const now = clock.now();
    const waits = (plan.action_type === 'reflect' || plan.action_type === 'log') && plan.scheduled_for && millis(plan.scheduled_for) > millis(now);
    return waits ? plan.scheduled_for : now;
  };

  const approveOne = (caller: Caller, uid: string, { note, expected_version, edits }: { note?: string | undefined; expected_version?: number | string | undefined; edits?: Edits | undefined }) =>
    ledger.write(caller, async (writer): Promise<PlanDoc> => {
      const plan = await loadPlan(writer.tx, caller.user_id, uid);
      // Approving again what is approved is the same answer again; a retry must not fail on the version it made itself.
      if ((plan.status === 'approved' || plan.status === 'executed') && !edits) return plan;
      if (plan.status !== 'proposed') throw illegalTransition(plan, 'approved');
      checkVersion(plan, expected_version);
      const scheduled_for = edits?.scheduled_for === undefined ? plan.scheduled_for : timeOf(edits.scheduled_for, caller, edits.timezone);
      const duration_minutes = edits?.duration_minutes ?? plan.duration_minutes;
      const content = edits?.content ?? plan.content;
      const changes = {
        title: edits?.title ?? plan.title,
        ...(edits?.content === undefined ? {} : { content, summary: newTrace({ ...plan, content }).summary }),
        scheduled_for,
        duration_minutes,
        temporal_estimate: estimate(scheduled_for, duration_minutes),
        expires_at: scheduled_for,
      };
      const wanted: PlanDoc = { ...plan, ...changes };
      if (scheduled_for && millis(scheduled_for) < clock.millis())
        throw problem('illegal_transition', `The time of plan ${uid} has passed (${scheduled_for}): approve with a later scheduled_for in edits, or reject.`, { from: plan.status, to: 'approved' });
      const situation = await situationOf(writer.tx, caller.user_id);
      await checkRoom(writer, wanted);
      await checkBudget(writer, wanted, situation);
      const due_at = dueAt(wanted, situation);
      const approved = await moves.make(writer, plan, 'approve', { code: 'user', note: note ?? null, changes, due_at });
      const now = due_at !== null && millis(due_at) <= clock.millis();
      return now ? (await execution.execute(writer, approved)).plan : approved;
    });

  const rejectOne = (caller: Caller, uid: string, { note, expected_version }: { note?: string | undefined; expected_version?: number | string | undefined }) =>
    ledger.write(caller, async (writer): Promise<PlanDoc> => {
      const plan = await loadPlan(writer.tx, caller.user_id, uid);
      if (plan.status === 'rejected' && (plan.decision?.code === 'user' || plan.decision?.code === 'cancelled')) return plan;
      checkVersion(plan, expected_version);
      if (plan.status === 'approved') return moves.make(writer, plan, 'cancel', { code: 'cancelled', note: note ?? null });
      return moves.make(writer, plan, 'reject', { code: 'user', note: note ?? null });
    });

  /** Each item stands alone: one that fails does not undo the others. */
  const each = async (uids: string[], decide: (uid: string) => Promise<PlanDoc>) => {
    const results: { uid: string; plan?: PlanDoc; problem?: Problem }[] = [];
    for (const uid of uids) {
      try {
        results.push({ uid, plan: await decide(uid) });
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        results.push({ uid, problem: error });
      }
    }
    return results;
  };

  const withdraw = (caller: Caller, uid: string, { note, expected_version }: { note?: string | undefined; expected_version?: number | string | undefined }) =>
    ledger.write(caller, async (writer): Promise<PlanDoc> => {
      const plan = await loadPlan(writer.tx, caller.user_id, uid);
      if (plan.proposed_by !== caller.actor && !caller.scopes.has('plan:decide'))
        throw problem('not_yours_to_edit', `Plan ${uid} was proposed by ${plan.proposed_by}: only that, or a person, can withdraw it.`);
      if (plan.status === 'rejected' && plan.decision?.code === 'withdrawn') return plan;
      checkVersion(plan, expected_version);
      return moves.make(writer, plan, 'withdraw', { code: 'withdrawn', note: note ?? null });
    });

  /** PATCH /memory/edit on a plan (decisions §7). */
  const edit = async (writer: Writer, caller: Caller, from: TraceDoc, updates: TraceUpdates): Promise<TraceDoc> => {
    const plan = from as PlanDoc;
    const person = caller.scopes.has('plan:decide');
    if (plan.status === 'rejected') throw illegalTransition(plan, 'edited');
    const mayEdit = person || (plan.status === 'proposed' && plan.proposed_by === caller.actor);
    if (!mayEdit)
      throw problem('not_yours_to_edit', plan.status === 'proposed' ? `Plan ${plan.uid} was proposed by ${plan.proposed_by}; editing it needs plan:decide.` : `Plan ${plan.uid} is ${plan.status}: only a person (plan:decide) may edit it.`);
    const { timezone, timestamp, scheduled_for: time, ...rest } = updates;
    const set = Object.fromEntries(Object.entries(rest).filter(([, v]) => v !== undefined)) as Partial<PlanDoc>;
    const scheduled_for = time === undefined ? plan.scheduled_for : timeOf(time, caller, timezone);
    const duration_minutes = set.duration_minutes === undefined ? plan.duration_minutes : set.duration_minutes;
    const moved = scheduled_for !== plan.scheduled_for || duration_minutes !== plan.duration_minutes;
    if (moved && plan.status === 'executed')
      throw invalidAt('/updates/scheduled_for', 'executed', `is carried out: change the event instead (PATCH /calendar/edit, uid ${plan.linked_event_uid ?? 'of the event'})`);
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
      if (scheduled_for && millis(scheduled_for) < clock.millis()) throw invalidAt('/updates/scheduled_for', 'slot:past', 'is in the past');
      if (proposing.takesRoom(wanted) && (!scheduled_for || !duration_minutes)) throw invalidAt('/updates/scheduled_for', 'required', 'a plan that takes room needs a time and a duration');
      await checkRoom(writer, wanted);
    }
    if (plan.status === 'executed') return moves.make(writer, plan, 'edit', { code: 'user', changes });
    if (plan.status === 'proposed') return moves.change(writer, plan, changes, null);
    const decision = { by: caller.actor, code: 'user', note: 'edited after approval', at: clock.now() };
    return moves.change(writer, plan, { ...changes, decision }, dueAt(wanted, situation), { code: 'user', note: 'edited' });
  };

  /** Feedback on any trace of the user's; said again in the trace log. */
  const feedback = (caller: Caller, uid: string, { feedback_rating, notes }: { feedback_rating?: number | undefined; notes?: string | undefined }): Promise<TraceDoc> =>
    ledger.write(caller, async (writer) => {
      const from = await findTrace(writer.tx, caller.user_id, uid);
      if (!from) throw notFound('trace', uid);
      if (from.transition) throw problem('immutable_trace', `The trace ${uid} records a transition and can’t be changed: give feedback on plan ${from.transition.plan_uid}.`);
      const to = { ...from, feedback_rating: feedback_rating ?? from.feedback_rating, notes: notes ?? from.notes };
      const due_at = isPlan(from) && from.status === 'approved' ? dueAt(from, await situationOf(writer.tx, caller.user_id)) : null;
      const [doc] = await traces.update(writer, [{ from, to, due_at }]);
      const said = [feedback_rating === undefined ? '' : `rated ${feedback_rating} of 5`, notes ?? ''].filter(Boolean).join(': ');
      const subject = isPlan(from) ? `plan “${from.title}”` : `${from.type} ${from.uid}`;
      const trace = newTrace({
        uid: randomUUIDv7(),
        user_id: caller.user_id,
        type: 'observation',
        task_id: from.task_id,
        timestamp: clock.now(),
        origin: caller.origin,
        content: `Feedback on ${subject}: ${said}`.slice(0, 100_000),
        linked_trace_ids: [uid],
        tags: ['feedback'],
      });
      await traces.insert(writer, [{ trace }]);
      return doc as TraceDoc;
    });

  /** A person's event took an agent's block: the plan is proposed again in the next free slot, and says why. */
  const displaced = async (writer: Writer, block: { plan_uid: string; event: { scheduled_for: Instant; duration_minutes: number } }, by: { title: string; end: Instant }): Promise<void> => {
    const [plan] = await findPlans(writer.tx, writer.author.user_id, [block.plan_uid]);
    if (!plan) return;
    const edited = await moves.make(writer, plan, 'edit', { code: 'displaced', note: `its block gave way to “${by.title}”` });
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
  const decidedOnCalendar = async (writer: Writer, { plan_uid, change }: { plan_uid: string; change: string }): Promise<void> => {
    const [plan] = await findPlans(writer.tx, writer.author.user_id, [plan_uid]);
    if (plan?.status === 'executed') await moves.make(writer, plan, 'edit', { code: `event_${change}`, note: `its event was ${change} on the calendar` });
  };

  const logOf = (outcome: Outcome) => ({ uid: outcome.plan.uid, action_type: outcome.plan.action_type, from: 'approved' as const, to: outcome.plan.status, effects: outcome.effects, at: outcome.at });

  /** What was done before, told from the record of the transition. */
  const replay = async (writer: Writer, task_id: string, done: PlanDoc[]): Promise<ExecutionLog> => {
    const records = await executionRecords(writer.tx, writer.author.user_id, done);
    const log = done.map((plan) => ({ uid: plan.uid, action_type: plan.action_type, from: 'approved' as const, to: plan.status, effects: records.get(plan.uid)?.effects ?? [], at: plan.executed_at as Instant }));
    return { task_id, simulated: false, replayed: true, log, traces: [], events: [] };
  };

  const execute = (caller: Caller, { task_id, uid, simulate }: { task_id: string; uid?: string | undefined; simulate: boolean }): Promise<ExecutionLog> =>
    ledger.write(
      caller,
      async (writer) => {
        const plans = await plansOfTask(writer.tx, caller.user_id, task_id, uid);
        if (!plans.length) throw uid === undefined ? notFound('task', task_id) : notFound('plan', uid);
        const approved = plans.filter((p) => p.status === 'approved');
        const executed = plans.filter((p) => p.status === 'executed');
        if (!approved.length && executed.length) return { ...(await replay(writer, task_id, executed)), simulated: simulate };
        if (!approved.length)
          throw problem('not_approved', `No plan of task ${task_id} is approved (${plans.map((p) => p.status).join(', ')}): a person has to approve first.`, { plans: plans.map((p) => ({ uid: p.uid, status: p.status })) });
        const answer: ExecutionLog = { task_id, simulated: simulate, log: [], traces: [], events: [] };
        for (const plan of approved) {
          const waits = (plan.action_type === 'reflect' || plan.action_type === 'log') && plan.scheduled_for !== null && millis(plan.scheduled_for) > clock.millis();
          if (waits && !simulate) {
            const detail = `Not before ${plan.scheduled_for}.`;
            answer.log.push({ uid: plan.uid, action_type: plan.action_type, from: 'approved', to: 'approved', effects: [], at: clock.now(), problem: { status: 409, code: 'not_due', detail } });
            continue;
          }
          const outcome = await execution.execute(writer, plan);
          answer.log.push(logOf(outcome));
          answer.traces.push(...outcome.traces);
          answer.events.push(...(outcome.events as ExecutionLog['events']));
        }
        return answer;
      },
      { simulate },
    );

  const STATUS_SETS: Record<QueueQuery['status'], Status[]> = {
    pending: ['proposed'],
    all: [...STATUSES],
    proposed: ['proposed'],
    approved: ['approved'],
    rejected: ['rejected'],
    executed: ['executed'],
  };

  const queue = async (user_id: string, { status, task_id, limit }: QueueQuery, key: (string | number)[] | undefined) => {
    const after = key ? { scheduled_for: String(key[0]), uid: String(key[1]), seq: 0 } : undefined;
    const found = await queuePage(db, user_id, { statuses: STATUS_SETS[status], task_id }, limit + 1, after);
    const items = found.slice(0, limit);
    const conflicts = await conflictsOf(db, user_id, items.filter((p) => p.status === 'proposed').map((p) => p.uid));
    return { items: items.map((p) => ({ ...p, conflicts: conflicts.get(p.uid) ?? [] })), more: found.length > limit };
  };

  const status = async (user_id: string) => {
    const situation = await situationOf(db, user_id);
    const zone = situation.profile.timezone;
    const rows = await db
      .selectFrom('traces')
      .select(['status', (eb) => eb.fn.countAll<number>().as('count')])
      .where('user_id', '=', user_id)
      .where('type', '=', 'agent_plan')
      .groupBy('status')
      .execute();
    const counts = Object.fromEntries(STATUSES.map((s) => [s, rows.find((r) => r.status === s)?.count ?? 0])) as Record<Status, number>;
    const plans = await proposing.counted(db, user_id, countingWindow(clock.now(), zone));
    return { mode: situation.settings.execution, queue: counts, next_due: await nextWork(db, user_id), limits: usage(situation.settings.limits, plans, clock.now(), zone) };
  };

  return {
    submit,
    propose,
    fromAction,
    /** A trace of type agent_plan from /memory/push. */
    proposeTrace: async (writer: Writer, caller: Caller, uid: string, input: TraceIn): Promise<TraceDoc> => {
      const [plan] = await propose(writer, [
        {
          uid,
          action_type: input.action_type as Proposal['action_type'],
          title: input.title ?? newTrace({ uid, user_id: caller.user_id, type: 'agent_plan', content: input.content, timestamp: clock.now(), origin: caller.origin }).summary.slice(0, 120),
          content: input.content,
          scheduled_for: timeOf(input.scheduled_for, caller, input.timezone),
          duration_minutes: input.duration_minutes ?? null,
          target_event_uid: input.target_event_uid ?? null,
          arguments: input.arguments ?? {},
          reasoning: input.reasoning ?? '',
          trace: traceFields(caller, input),
        },
      ]);
      return plan as PlanDoc;
    },
    approve: approveOne,
    reject: rejectOne,
    each,
    withdraw,
    edit,
    feedback,
    displaced,
    decidedOnCalendar,
    execute,
    queue,
    status,
    plan: (user_id: string, uid: string) => loadPlan(db, user_id, uid),
    dueAt,
  };
};

export type AgentService = ReturnType<typeof createAgentService>;
