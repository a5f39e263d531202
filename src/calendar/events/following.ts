/** Computes what a plan makes of an occurrence and all later ones, so that it can be checked before it is written. Pure. */
import { ruleText } from '../../domain/calendar/rrule-text.ts';
import { givesStart } from '../../domain/calendar/rule-moved.ts';
import type { Span } from '../../domain/time/spans.ts';
import { millis, type Instant } from '../../domain/time/time.ts';
import type { EventResource } from '../schemas.ts';
import { happenings, takesTime } from '../timeline.ts';
import type { EventChanges, EventDraft } from './document.ts';
import { planEdit } from './edits.ts';

const DAY_MS = 86_400_000;

/** The busy times of the series from its new start on, and why its rule cannot follow there. */
export type FollowingTimes = { times: Span[]; fault: string | null };

/** Why a series cannot begin at its new time: a rule such as “every month on the 3rd” does not move with the start. */
export const ruleFault = (from: EventDraft, to: EventDraft): string | null =>
  givesStart(from) && !givesStart(to)
    ? `must be a time that the rule of the series gives, which repeats ${ruleText(to.rrule as string)}; end the series and propose another one`
    : null;

/** @param most how many occurrences are looked at, in as many days @throws 422 */
export const followingTimes = (
  from: EventResource,
  recurrence_id: Instant,
  changes: EventChanges,
  { days, most }: { days: number; most: number },
): FollowingTimes => {
  const { affected } = planEdit(from, changes, { scope: 'following', recurrence_id }, () => '');
  const start = millis(affected.scheduled_for);
  const all = happenings(affected, [start, start + days * DAY_MS]).take(most);
  const times = [...all.filter((one) => takesTime(affected, one))].map(({ start: at, end }): Span => [at, end]);
  return { times, fault: ruleFault(from, affected) };
};
