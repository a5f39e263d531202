/** Completes proposals that change an event: which occurrence they mean, when it is now, and what they leave open. */
import type { CalendarService } from '../../calendar/service.ts';
import type { EventResource } from '../../calendar/schemas.ts';
import type { Clock } from '../../common/clock.ts';
import { recurs } from '../../domain/calendar/series-expansion.ts';
import { createYielder } from '../../common/yielding.ts';
import { invalid, notFound, type Fault } from '../../common/problem.ts';
import { readArguments, type PlanArguments } from '../../domain/plan/plan-arguments.ts';
import { changesFollowing, keepsTime, takesTime, type PlanAction } from '../../domain/plan/plan.ts';
import { dayBounds, localDate, millis, type Instant, type Interval } from '../../domain/time/time.ts';
import type { Reading } from '../../ledger/ledger-writer.ts';
import { changesOf } from '../decide/calendar-effects.ts';
import type { Proposal } from '../propose/proposal.ts';
import { CHECKED } from './plan-series.ts';

const NO_OCCURRENCE =
  'is not an occurrence of this series, or the series does not occur any more; GET /calendar/events lists them';
const NO_FIRST =
  'must be an occurrence of this series that has not ended, since all later ones change with it; GET /calendar/events lists them';

const NOT_RECURRING = 'is allowed for an occurrence of a series only; leave it out';

const SHORTEST_MINUTES = 5;
const changedLength = (minutes: number, delta: number | undefined): number =>
  delta === undefined ? minutes : Math.max(SHORTEST_MINUTES, minutes + delta);

/** The occurrence of an event that a reschedule means. */
type Meant = NonNullable<ReturnType<CalendarService['inTransaction']['occurrenceOf']>>;

/** Whether a proposal asks for another length and for no other time. */
const isResized = (p: Proposal, { after, before }: PlanArguments): boolean =>
  (p.duration_minutes !== null || p.duration_delta_minutes !== undefined) &&
  !(p.between || p.part_of_day || after || before);

/** The time of what keeps its time. Later occurrences keep that of the rule, also where this one has another. */
const keptTime = (p: Proposal, { scheduled_for, recurrence_id }: Meant): Instant =>
  (changesFollowing(p) && recurrence_id) || scheduled_for;

/** A series is searched another time of the same day, where the proposal names no other time. */
const dayOf = ({ scheduled_for, timezone }: Meant): Interval => dayBounds(localDate(scheduled_for, timezone), timezone);

/** A proposal in which the event that it changes settles what was left open. */
const settled = (p: Proposal, event: Meant, now: number): Proposal => {
  const args = readArguments(p);
  const { task_id, tempo_tag } = p.trace ?? {};
  const scheduled_for = p.scheduled_for ?? (isResized(p, args) && !args.cancel ? keptTime(p, event) : null);
  const hasOwnTime = !args.cancel && !keepsTime({ ...p, scheduled_for });
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

/** Why a plan cannot change the event or the occurrence that it names. */
export const targetFaults = (
  p: PlanAction & Pick<Proposal, 'at' | 'target_event_uid'>,
  event: EventResource | undefined,
  meant: Meant | null | undefined,
): Fault[] => {
  const at = p.at ?? '';
  const path = `${at}/target_event_uid`;
  // A plan's target does not count as busy, so only a plan that moves an event may have one.
  if (p.action_type !== 'reschedule')
    return p.target_event_uid ? [{ path, code: 'unknown_field', message: 'is allowed for reschedule only' }] : [];
  if (!event) return [{ path, code: 'required', message: 'is required: name the event to reschedule' }];
  if (meant === null) {
    const message = changesFollowing(p) ? NO_FIRST : NO_OCCURRENCE;
    return [{ path: `${at}/arguments/recurrence_id`, code: 'no_occurrence', message }];
  }
  return changesFollowing(p) && !recurs(event)
    ? [{ path: `${at}/arguments/scope`, code: 'not_recurring', message: NOT_RECURRING }]
    : [];
};

/** A time that is named must be one that the rule of the series can follow to. */
const ruleFault = ({ at = '', following, scheduled_for, duration_minutes }: Proposal): Fault | null => {
  const message = scheduled_for && following?.(scheduled_for, duration_minutes ?? 0, CHECKED).fault;
  return message ? { path: `${at}/scheduled_for`, code: 'invalid_rrule', message } : null;
};

const denseFault = ({ at = '' }: Proposal): Fault => ({
  path: `${at}/arguments/scope`,
  code: 'too_many_occurrences',
  message: `is for a series of at most ${CHECKED.most} occurrences in ${CHECKED.days} days, where it changes times`,
});

/**
 * The event a reschedule wants to move must be there. What the proposal leaves open is settled now, so that the person approves
 * what will happen: of a series the occurrence; the length, where only a time is asked; the time, where only a length is.
 */
export const createCompletion = ({ calendar, clock }: { calendar: CalendarService; clock: Clock }) => {
  /** A move of an occurrence and all later ones says when they are then, so that each can be checked. */
  const withFollowing = (p: Proposal, series: EventResource, event: Meant): Proposal => {
    if (!changesFollowing(p) || !takesTime(p)) return p;
    const following: Proposal['following'] = (scheduled_for, duration_minutes, within) =>
      calendar.inTransaction.followingTimes(
        series,
        event.recurrence_id as Instant,
        changesOf({ ...p, scheduled_for, duration_minutes }),
        within,
      );
    return { ...p, following, between: p.between ?? dayOf(event) };
  };

  return async ({ tx, author }: Reading, proposals: Proposal[]): Promise<Proposal[]> => {
    const wanted = proposals.flatMap((p) => p.target_event_uid ?? []);
    const events = new Map((await calendar.inTransaction.find(tx, author.user_id, wanted)).map((e) => [e.uid, e]));
    const missing = wanted.filter((uid) => !events.has(uid));
    if (missing.length) throw notFound('event', missing);
    for (const event of events.values()) calendar.inTransaction.requireChangeable(event);
    const meant = proposals.map((p) => {
      const event = p.target_event_uid ? events.get(p.target_event_uid) : undefined;
      const { recurrence_id, scope } = readArguments(p);
      return event ? calendar.inTransaction.occurrenceOf(event, recurrence_id, scope) : undefined;
    });
    const faults = proposals.flatMap((p, i) => targetFaults(p, events.get(p.target_event_uid ?? ''), meant[i]));
    if (faults.length) throw invalid(faults);
    const complete = proposals.map((p, i) => {
      const event = meant[i];
      const series = events.get(p.target_event_uid ?? '');
      return event && series ? withFollowing(settled(p, event, clock.millis()), series, event) : p;
    });
    const yieldToOthers = createYielder();
    for (const p of complete) {
      const series = p.following && events.get(p.target_event_uid ?? '');
      if (!series) continue;
      await yieldToOthers();
      const isDense = calendar.inTransaction.isDense(series, readArguments(p).recurrence_id as Instant, CHECKED);
      const found = isDense ? denseFault(p) : ruleFault(p);
      if (found) throw invalid([found]);
    }
    return complete;
  };
};
