/** The effects of approved plans on the calendar: an event that is made, moved, changed or cancelled. */
import type { CalendarService } from '../../calendar/service.ts';
import { cancels, isAllDay, keepsTime, type PlanAction } from '../../domain/plan/plan.ts';
import { isOnlyTitle } from '../../domain/plan/own-text.ts';
import { readArguments } from '../../domain/plan/plan-arguments.ts';
import type { Instant } from '../../domain/time/time.ts';
import type { PlanDoc, TraceDoc } from '../../domain/record/trace.ts';
import { invalidAt } from '../../common/problem.ts';
import type { Writer } from '../../ledger/ledger-writer.ts';
import type { Effect } from '../schemas.ts';

export type CalendarEffectsDeps = { calendar: CalendarService };

export type EffectResult = {
  effects: Effect[];
  children: string[];
  event_uid: string | null;
  traces: TraceDoc[];
  events: Record<string, unknown>[];
};

const DAY_MINUTES = 24 * 60;

type Reschedule = PlanAction & Pick<PlanDoc, 'scheduled_for' | 'duration_minutes'>;

/** What a reschedule changes in its event. */
export const changesOf = (plan: Reschedule) => {
  const { title, location, description, reminders } = readArguments(plan);
  const details = Object.fromEntries(
    Object.entries({ title, location, description, reminders }).filter(([, value]) => value !== undefined),
  );
  const times = {
    scheduled_for: plan.scheduled_for as Instant,
    ...(plan.duration_minutes ? { duration_minutes: plan.duration_minutes } : {}),
  };
  return { ...(keepsTime(plan) ? {} : times), ...details };
};

const targetOf = (plan: PlanDoc): string => {
  if (plan.target_event_uid) return plan.target_event_uid;
  throw invalidAt('/target_event_uid', 'required', 'a reschedule needs the event that it moves');
};

/** Which occurrences of its event a reschedule changes. */
export const meantBy = (plan: PlanDoc) => {
  const { recurrence_id, scope } = readArguments(plan);
  return { links: [plan.uid], byPlan: plan.uid, recurrence_id, scope };
};

export const movesOf = (plans: readonly PlanDoc[]) =>
  plans.map((plan) => ({
    uid: targetOf(plan),
    changes: changesOf(plan),
    recurrence_id: readArguments(plan).recurrence_id,
    byPlan: plan.uid,
  }));

export const createCalendarEffects = ({ calendar }: CalendarEffectsDeps) => {
  const schedule = async (writer: Writer, plan: PlanDoc): Promise<EffectResult> => {
    const all_day = isAllDay(plan);
    const minutes = plan.duration_minutes ?? DAY_MINUTES;
    const { location, reminders } = readArguments(plan);
    const { event, trace } = await calendar.inTransaction.insert(
      writer,
      {
        title: plan.title,
        ...(isOnlyTitle(plan) ? {} : { description: plan.content }),
        ...(location === undefined ? {} : { location }),
        ...(reminders === undefined ? {} : { reminders }),
        scheduled_for: plan.scheduled_for as Instant,
        duration_minutes: all_day ? Math.ceil(minutes / DAY_MINUTES) * DAY_MINUTES : minutes,
        all_day,
        ...(plan.rrule == null ? {} : { rrule: plan.rrule, exdates: plan.exdates }),
        ...(plan.timezone == null ? {} : { timezone: plan.timezone }),
        task_id: plan.task_id,
        tempo_tag: plan.tempo_tag,
        tags: plan.tags,
        plan_uid: plan.uid,
        origin: plan.origin,
      },
      { links: [plan.uid] },
    );
    return {
      effects: [
        { kind: 'event.created', uid: event.uid },
        { kind: 'trace.created', uid: trace.uid },
      ],
      children: [trace.uid],
      event_uid: event.uid,
      traces: [trace],
      events: [event],
    };
  };

  const reschedule = async (writer: Writer, plan: PlanDoc): Promise<EffectResult> => {
    const uid = targetOf(plan);
    const cancel = cancels(plan);
    const meant = meantBy(plan);
    const { others, ...last } = cancel
      ? { ...(await calendar.inTransaction.remove(writer, uid, meant)), others: [] }
      : await calendar.inTransaction.change(writer, uid, changesOf(plan), meant);
    const written = [...others, last];
    const kindOf = ({ uid: one }: { uid: string }): string =>
      cancel ? 'event.removed' : one === last.event.uid && one !== uid ? 'event.created' : 'event.updated';
    return {
      effects: written.flatMap(({ event, trace }) => [
        { kind: kindOf(event), uid: event.uid },
        { kind: 'trace.created', uid: trace.uid },
      ]),
      children: written.map(({ trace }) => trace.uid),
      event_uid: last.event.uid,
      traces: written.map(({ trace }) => trace),
      events: written.map(({ event }) => event),
    };
  };

  /** Moves the events of two plans at once. */
  const swap = async (writer: Writer, plans: readonly PlanDoc[]): Promise<EffectResult[]> => {
    const written = await calendar.inTransaction.changeTogether(writer, movesOf(plans));
    return plans.map((plan) => {
      const uid = targetOf(plan);
      const one = written.get(uid);
      if (!one) throw new Error(`event ${uid} was not written`);
      const { event, trace } = one;
      const effects = [
        { kind: 'event.updated', uid },
        { kind: 'trace.created', uid: trace.uid },
      ];
      return { effects, children: [trace.uid], event_uid: uid, traces: [trace], events: [event] };
    });
  };

  return { schedule, reschedule, swap };
};
