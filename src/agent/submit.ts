/** Proposals from clients into the queue: structured actions and pushed traces; the same uid again is the same answer. */
import type { CalendarService } from '../calendar/service.ts';
import type { Clock } from '../clock.ts';
import type { Db } from '../db/client.ts';
import type { Caller } from '../domain/caller.ts';
import type { Instant, Interval } from '../domain/time.ts';
import { isPlan, newTrace, type PlanDoc, type TraceDoc } from '../domain/trace.ts';
import { invalid, notFound, problem } from '../errors.ts';
import type { Ledger, Writer } from '../ledger/ledger.ts';
import { findTrace } from '../ledger/traces.ts';
import type { TraceIn } from '../memory/schema.ts';
import type { Proposing } from './propose.ts';
import type { Proposal, Situation } from './place.ts';
import { timeOf } from './rules.ts';
import type { ActionIn } from './schema.ts';

export type SubmitDeps = {
  ledger: Ledger;
  clock: Clock;
  calendar: CalendarService;
  proposing: Proposing;
  situationOf: (db: Db, user_id: string) => Promise<Situation>;
};

/** Members of a pushed agent_plan that belong to its trace rather than to the plan. */
const traceFields = (caller: Caller, input: TraceIn): Partial<TraceDoc> => {
  const {
    uid: _u,
    user_id: _i,
    type: _t,
    content: _c,
    timezone,
    status: _s,
    title: _ti,
    action_type: _a,
    scheduled_for: _f,
    duration_minutes: _d,
    target_event_uid: _e,
    arguments: _g,
    reasoning: _r,
    timestamp,
    ...rest
  } = input;
  const set = Object.fromEntries(Object.entries(rest).filter(([, v]) => v !== undefined));
  return { ...set, ...(timestamp === undefined ? {} : { timestamp: timeOf(timestamp, caller, timezone) as Instant }) };
};

export const createSubmitting = ({ ledger, clock, calendar, proposing, situationOf }: SubmitDeps) => {
  /** The event a reschedule wants to move must be there; its length is kept where none is asked. */
  const withTargets = async (writer: Writer, proposals: Proposal[]): Promise<Proposal[]> => {
    const wanted = proposals.flatMap((p) => p.target_event_uid ?? []);
    const events = new Map(
      (await calendar.within.find(writer.tx, writer.author.user_id, wanted)).map((e) => [e.uid, e]),
    );
    const missing = wanted.filter((uid) => !events.has(uid));
    if (missing.length) throw notFound('event', missing);
    const faults = proposals.flatMap((p, i) => {
      const path = `/actions/${i}/target_event_uid`;
      if (p.action_type === 'reschedule')
        return p.target_event_uid
          ? []
          : [{ path, code: 'required', message: 'is required to reschedule: the uid of the event' }];
      // Its target does not count as busy for a plan: only what moves an event may have one.
      return p.target_event_uid ? [{ path, code: 'unknown_field', message: 'belongs to reschedule only' }] : [];
    });
    if (faults.length) throw invalid(faults);
    return proposals.map((p) => {
      const event = p.target_event_uid ? events.get(p.target_event_uid) : undefined;
      if (!event) return p;
      const trace = {
        ...p.trace,
        task_id: p.trace?.task_id ?? event.task_id ?? null,
        tempo_tag: p.trace?.tempo_tag ?? event.tempo_tag ?? null,
        linked_event_uid: event.uid,
      };
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
    priority: action.priority,
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
        throw problem('uid_taken', `The uid ${uid} exists with other content: leave it out, or choose another.`, {
          uids: [uid],
        });
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
        const fresh = await propose(
          writer,
          proposals.filter((p) => !p.uid || !known.has(p.uid)),
        );
        return proposals.map((p) => (p.uid && known.get(p.uid)) || (fresh.shift() as PlanDoc));
      },
      { simulate },
    );

  /** A trace of type agent_plan from /memory/push. */
  const proposeTrace = async (writer: Writer, caller: Caller, uid: string, input: TraceIn): Promise<TraceDoc> => {
    const [plan] = await propose(writer, [
      {
        uid,
        action_type: input.action_type as Proposal['action_type'],
        title:
          input.title ??
          newTrace({
            uid,
            user_id: caller.user_id,
            type: 'agent_plan',
            content: input.content,
            timestamp: clock.now(),
            origin: caller.origin,
          }).summary.slice(0, 120),
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
  };

  return { propose, fromAction, submit, proposeTrace };
};
