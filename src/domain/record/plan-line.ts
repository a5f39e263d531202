/** Writes a plan and its state in one line, so that a reader does not take a rejected plan for a planned one. */
import { summarise } from '../text/extractive-summary.ts';
import { zoned, type Instant } from '../time/time.ts';
import type { PlanDoc } from './trace.ts';
import { changesFollowing, DISPLACED, isOffCalendar, SERIES_REMOVED, UNDONE } from '../plan/plan.ts';

const NOTE_TOKENS = 30;

/** `Fri 2026-11-27 11:00`, as wall time in the zone. */
const when = (at: Instant, zone: string): string => {
  const wall = zoned(at, zone);
  return `${wall.toLocaleString('en-GB', { weekday: 'short' })} ${wall.toPlainDate().toString()} ${wall.toPlainTime().toString({ smallestUnit: 'minute' })}`;
};

/** What the codes of ended plans mean. Others are written as they are, such as `limit:daily`. */
const ENDINGS: Record<string, string> = {
  user: 'rejected',
  withdrawn: 'withdrawn',
  expired: 'expired without a decision',
  cancelled: 'cancelled',
  failed: 'failed',
  [DISPLACED]: 'cancelled: its time was taken',
  [SERIES_REMOVED]: 'cancelled: its event was removed',
  [UNDONE]: 'taken back',
};

/** The notes of these say no more than the code. */
const SAID_BY_CODE = new Set(['expired', DISPLACED, SERIES_REMOVED]);

const DONE = {
  schedule: 'done: on the calendar for',
  reschedule: 'done: moved to',
  reflect: 'done',
  log: 'done',
  configure: 'done',
};

const ended = (code: string, note: string | null): string => {
  const how = ENDINGS[code] ?? `rejected: ${code}`;
  const why = note && !SAID_BY_CODE.has(code) ? summarise(note, { max_tokens: NOTE_TOKENS }) : '';
  return why ? `${how}: ${why}` : how;
};

const isCancellation = ({ action_type, arguments: { cancel } }: PlanDoc): boolean =>
  action_type === 'reschedule' && cancel === true;

/** What is true of the plan now. It has a time only where the plan has it or waits for it. */
const state = (plan: PlanDoc, time: string | null): string => {
  const { status, action_type, decision } = plan;
  const at = time ? ` for ${time}` : '';
  if (isPast(plan)) return ended(decision?.code ?? 'user', decision?.note ?? null);
  if (status === 'proposed') return `proposed${at}, not decided`;
  if (status === 'approved') return `approved${at}`;
  if (isCancellation(plan)) return 'done: removed from the calendar';
  return time ? `${DONE[action_type]} ${time}` : 'done';
};

/** Whether the plan takes no time any more. */
const isPast = (plan: PlanDoc): boolean =>
  plan.status === 'rejected' || (plan.status === 'executed' && isOffCalendar(plan));

/**
 * The beginning of the line of a plan: its state in brackets, then its title and what else a reader must know of it.
 * `[rejected: after Christmas] Dentist checkup (was proposed for Thu 2026-11-05 11:00)`
 * @param zone the time zone of the wall times
 */
export const planHeading = (plan: PlanDoc, zone: string): string => {
  const time = plan.scheduled_for && when(plan.scheduled_for, zone);
  const more = [
    ...(isCancellation(plan) && plan.status !== 'executed' ? ['removes its event'] : []),
    ...(changesFollowing(plan) ? ['with all later ones of its series'] : []),
    ...(plan.rrule ? [`repeats ${plan.rrule}`] : []),
    ...(isPast(plan) && time ? [`was proposed for ${time}`] : []),
  ];
  const title = summarise(plan.title, { max_tokens: NOTE_TOKENS });
  return `[${state(plan, time)}] ${title}${more.length ? ` (${more.join('; ')})` : ''}`;
};

/** The line of a plan: its heading, and the summary of its content where that says more than the title. */
export const planLine = (plan: PlanDoc, zone: string): string => {
  const heading = planHeading(plan, zone);
  return plan.summary === plan.title ? heading : `${heading}. ${plan.summary}`;
};
