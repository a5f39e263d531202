/** Completes proposals that change an event: which occurrence they mean, when it is now, and what they leave open. */
import type { CalendarService } from '../../calendar/service.ts';
import type { Clock } from '../../common/clock.ts';
import { invalid, notFound } from '../../common/problem.ts';
import { readArguments, type PlanArguments } from '../../domain/plan/plan-arguments.ts';
import { rewords } from '../../domain/plan/plan.ts';
import { millis } from '../../domain/time/time.ts';
import type { Reading } from '../../ledger/ledger-writer.ts';
import type { Proposal } from '../propose/proposal.ts';

const NO_OCCURRENCE =
  'is not an occurrence of this series, or the series does not occur any more; GET /calendar/events lists them';

const SHORTEST_MINUTES = 5;
const changedLength = (minutes: number, delta: number | undefined): number =>
  delta === undefined ? minutes : Math.max(SHORTEST_MINUTES, minutes + delta);

/** The occurrence of an event that a reschedule means. */
type Meant = NonNullable<ReturnType<CalendarService['inTransaction']['occurrenceOf']>>;

/** Whether a proposal asks for another length and for no other time. */
const isResized = (p: Proposal, { after, before }: PlanArguments): boolean =>
  (p.duration_minutes !== null || p.duration_delta_minutes !== undefined) &&
  !(p.between || p.part_of_day || after || before);

/** A proposal in which the event that it changes settles what was left open. */
const settled = (p: Proposal, event: Meant, now: number): Proposal => {
  const args = readArguments(p);
  const { task_id, tempo_tag } = p.trace ?? {};
  const scheduled_for = p.scheduled_for ?? (isResized(p, args) && !args.cancel ? event.scheduled_for : null);
  const hasOwnTime = !args.cancel && !rewords({ ...p, scheduled_for });
  return {
    ...p,
    from: { start: event.scheduled_for, end: event.end },
    scheduled_for,
    duration_minutes: p.duration_minutes ?? changedLength(event.duration_minutes, p.duration_delta_minutes),
    arguments: event.recurrence_id === null ? p.arguments : { ...p.arguments, recurrence_id: event.recurrence_id },
    lapses_at: !hasOwnTime && millis(event.end) > now ? event.end : null,
    trace: {
      ...p.trace,
      task_id: task_id ?? event.task_id ?? null,
      tempo_tag: tempo_tag ?? event.tempo_tag ?? null,
      linked_event_uid: event.uid,
    },
  };
};

/**
 * The event a reschedule wants to move must be there. What the proposal leaves open is settled now, so that the person approves
 * what will happen: of a series the occurrence; the length, where only a time is asked; the time, where only a length is.
 */
export const createCompletion = ({ calendar, clock }: { calendar: CalendarService; clock: Clock }) => {
  return async ({ tx, author }: Reading, proposals: Proposal[]): Promise<Proposal[]> => {
    const wanted = proposals.flatMap((p) => p.target_event_uid ?? []);
    const events = new Map((await calendar.inTransaction.find(tx, author.user_id, wanted)).map((e) => [e.uid, e]));
    const missing = wanted.filter((uid) => !events.has(uid));
    if (missing.length) throw notFound('event', missing);
    for (const event of events.values()) calendar.inTransaction.requireChangeable(event);
    const meant = proposals.map((p) => {
      const event = p.target_event_uid ? events.get(p.target_event_uid) : undefined;
      return event ? calendar.inTransaction.occurrenceOf(event, readArguments(p).recurrence_id) : undefined;
    });
    const faults = proposals.flatMap((p, i) => {
      const path = `${p.at ?? ''}/target_event_uid`;
      if (p.action_type === 'reschedule')
        return p.target_event_uid
          ? meant[i] === null
            ? [{ path: `${p.at ?? ''}/arguments/recurrence_id`, code: 'no_occurrence', message: NO_OCCURRENCE }]
            : []
          : [{ path, code: 'required', message: 'is required: name the event to reschedule' }];
      // A plan's target does not count as busy, so only a plan that moves an event may have one.
      return p.target_event_uid ? [{ path, code: 'unknown_field', message: 'is allowed for reschedule only' }] : [];
    });
    if (faults.length) throw invalid(faults);
    return proposals.map((p, i) => {
      const event = meant[i];
      return event ? settled(p, event, clock.millis()) : p;
    });
  };
};
