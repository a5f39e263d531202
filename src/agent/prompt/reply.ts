/** Writes the planner's reply: a line for each plan, and in words what is not possible. */
import { ruleText } from '../../domain/calendar/rrule-text.ts';
import { dateName, dayName, daysName, lengthName, timeName } from '../../domain/time/say.ts';
import type { Intent } from '../../domain/planner/intents/types.ts';
import { cancels, isAllDay } from '../../domain/plan/plan.ts';
import { readArguments } from '../../domain/plan/plan-arguments.ts';
import { withReminders } from '../../domain/plan/reminders-said.ts';
import { OF_A_TIME, rejectionText } from '../../domain/plan/refusal.ts';
import { zoned, type Instant, type Interval } from '../../domain/time/time.ts';
import type { PlanDoc } from '../../domain/record/trace.ts';
import { CODES, type ProblemKind } from '../../common/problem-codes.ts';
import { Problem } from '../../common/problem.ts';

/**
 * Adds a line for each plan to the reply.
 * @param taken of each plan, the occurrences that are left out because their time is taken
 * @param offers the free times that are offered to choose from below
 */
export const listPlans = (
  reply: string,
  plans: PlanDoc[],
  zone: string,
  taken: ReadonlyMap<PlanDoc, readonly Instant[]>,
  offers: readonly FreeTime[],
): string => {
  const lines = plans.map((plan) => lineOf(plan, zone, taken.get(plan) ?? [], offers));
  return lines.length ? `${reply}\n${lines.join('\n')}` : reply;
};

const lineOf = (plan: PlanDoc, zone: string, taken: readonly Instant[], offers: readonly FreeTime[]): string => {
  const { status, decision, title, duration_minutes: minutes } = plan;
  if (cancels(plan) && status === 'proposed') return `• cancel ${title}`;
  const what = plan.action_type === 'configure' ? `change the settings: ${title}` : title;
  const name = `• ${what}${spokenStart(plan, zone)}`;
  if (decision?.code === 'withdrawn') return `${name}: withdrawn`;
  if (status === 'rejected')
    return `${name}: not possible, because ${rejectionText(plan) || decision?.code}${spokenFree(decision?.alternatives ?? [], offers, zone)}`;
  const length = isAllDay(plan) ? daysName : lengthName;
  const reminders = withReminders(readArguments(plan).reminders);
  return `${name}${minutes ? `, ${length(minutes)}` : ''}${spokenRepetition(plan, taken)}${reminders && `, ${reminders}`}`;
};

const spokenStart = (plan: PlanDoc, zone: string): string => {
  if (!plan.scheduled_for) return '';
  return ` ${isAllDay(plan) ? spokenDate(plan.scheduled_for, zone) : spokenTime(plan.scheduled_for, zone)}`;
};

/** A free time that is offered instead of the one that was refused, and the request for it. */
export type FreeTime = { label: string; commands: Intent[] };

/** The only request of a prompt, where its time was refused, and free times instead. */
export type OnlyRefusal = { intent: Intent; times: readonly Interval[] };

export const alternativesOf = ({ options }: Problem): Interval[] =>
  ((options.extra ?? {}) as { alternatives?: Interval[] }).alternatives ?? [];

export const freeTimes = (refusal: OnlyRefusal | undefined, zone: string, now: Instant): FreeTime[] => {
  if (!refusal) return [];
  const { between: _b, part_of_day: _p, avoid: _a, reading: _r, arguments: given, ...rest } = refusal.intent;
  const { after: _f, before: _t, ...kept } = given;
  const { scheduled_for: asked } = rest;
  const [nameOf, length] = given.all_day ? [dateName, daysName] : [timeName, lengthName];
  const instead = asked === undefined ? '' : ` instead of ${nameOf(asked, zone, now)}`;
  const isChange = rest.target_event_uid !== undefined || rest.target_plan_uid !== undefined;
  const long = rest.duration_minutes === undefined ? '' : ` and make it ${length(rest.duration_minutes)} long`;
  return refusal.times.map(({ start }) => {
    const when = nameOf(start, zone, now);
    const content = isChange ? `“${rest.title}”: move it to ${when}${long}.` : rest.content;
    const reasoning = `You chose this free time${instead}.`;
    return {
      label: `${rest.title}, ${when}`,
      commands: [{ ...rest, content, scheduled_for: start, arguments: kept, reasoning }],
    };
  });
};

const BELOW = 'These times are free:';

/** '. It would be free at Mon 23 Nov, 13:00; Mon 23 Nov, 14:00.', or that free times are below. */
const spokenFree = (times: readonly Interval[], offers: readonly FreeTime[], zone: string): string => {
  if (offers.length > 0) return `. ${BELOW}`;
  return times.length > 0
    ? `. It would be free at ${times.map(({ start }) => spokenTime(start, zone)).join('; ')}.`
    : '.';
};

/** Kinds of problems that can prevent a request of a person. The reply explains them, because they are no faults of the client. */
const EXPLAINABLE: ReadonlySet<ProblemKind> = new Set([
  'conflict',
  'stale',
  'precondition_required',
  'invalid',
  'not_found',
  'forbidden',
]);

/** @throws what can't be explained in a reply, such as a fault of the service or of an Idempotency-Key */
export const explainable = (error: unknown): Problem => {
  if (!(error instanceof Problem) || error.code.startsWith('idempotency_')) throw error;
  const [kind] = CODES[error.code];
  if (!EXPLAINABLE.has(kind)) throw error;
  return error;
};

export const nothingMade = (reasons: string[]): string => ['I changed and proposed nothing.', ...reasons].join(' ');

const STATUS_WORDS: Record<string, string> = {
  approved: 'was approved already',
  executed: 'was approved and carried out already',
  rejected: 'was rejected or taken back already',
  proposed: 'was changed in the meantime',
};

/** Why something is not possible, for a person, and the free times where the problem names some. */
export const inWords = (problem: Problem, zone: string, title?: string, offers: readonly FreeTime[] = []): string => {
  const { code, message, options } = problem;
  const { from, reason = '' } = (options.extra ?? {}) as { from?: string; reason?: string };
  const what = title === undefined ? 'The proposal' : `“${title}”`;
  if (code === 'illegal_transition' && from !== undefined)
    return `${what} ${STATUS_WORDS[from] ?? `is ${from}`}, so it stays as it is.`;
  if (code === 'not_yours_to_edit') return `${what} is a proposal of somebody else, so it stays as it is.`;
  if (code === 'plan_not_found') return `${what} does not wait for a decision any more.`;
  if (code === 'part_of_swap')
    return `${what} exchanges places with another proposal, so it stays as it is. Take both back, and say the new times.`;
  const why = OF_A_TIME[reason] ? `${what} stays as it is, because ${OF_A_TIME[reason]}` : message.replace(/\.$/, '');
  return `${why}${spokenFree(alternativesOf(problem), offers, zone)}`;
};

const MOST_DAYS = 12;

/** `Friday 11 December, Friday 18 December and 3 more`. */
const dayNames = (times: readonly Instant[], zone: string): string => {
  const names = times.slice(0, MOST_DAYS).map((at) => dayName(zoned(at, zone)));
  const last = times.length > MOST_DAYS ? `${times.length - MOST_DAYS} more` : names.pop();
  return [names.join(', '), last].filter(Boolean).join(' and ');
};

/** `, every week on Friday, without Friday 25 December; not possible on Friday 11 December, when the time is taken`. */
const spokenRepetition = ({ rrule, exdates, timezone }: PlanDoc, taken: readonly Instant[]): string => {
  if (rrule === null) return '';
  const zone = timezone ?? 'UTC';
  const without = exdates.filter((at) => !taken.includes(at));
  const left = without.length ? `, without ${dayNames(without, zone)}` : '';
  return `, ${ruleText(rrule)}${left}${taken.length ? `; not possible on ${dayNames(taken, zone)}, when the time is taken` : ''}`;
};

const spokenDate = (at: Instant, zone: string): string =>
  new Intl.DateTimeFormat('en-GB', { timeZone: zone, weekday: 'short', day: 'numeric', month: 'short' }).format(
    new Date(at),
  );

const spokenTime = (at: Instant, zone: string): string =>
  new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
  }).format(new Date(at));
