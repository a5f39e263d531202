/** Computes what a plan makes of an occurrence and all later ones, so that it can be checked before it is written. Pure. */
import { ruleText } from '../../domain/calendar/rrule-text.ts';
import { ruleFollows } from '../../domain/calendar/rule-moved.ts';
import type { Span } from '../../domain/time/spans.ts';
import { instantOf, millis, type Instant } from '../../domain/time/time.ts';
import type { EventResource } from '../schemas.ts';
import { happenings, spanOf, takesTime } from '../timeline.ts';
import type { EventChanges, EventDraft } from './document.ts';
import { planEdit, type Edit } from './edits.ts';
import { byId } from './series-edits.ts';

const DAY_MS = 86_400_000;

/** The busy times of the series from its new start on, and why its rule cannot follow there. */
export type FollowingTimes = { times: Span[]; fault: string | null };

/** The first time of the rule and its rdates. An occurrence that a person has moved does not count, since it stays there. */
const firstOf = ({ scheduled_for, rdates: [first = scheduled_for] }: EventDraft): number =>
  Math.min(millis(scheduled_for), millis(first));

/** Whether an occurrence of a series takes time after an instant. */
const lastsBeyond = (series: EventDraft, at: number): boolean => {
  const { end } = spanOf(series);
  const isLater = end === null || millis(end) > at;
  return (
    isLater && happenings(series, [at, end === null ? Infinity : millis(end)]).some((one) => takesTime(series, one))
  );
};

/** Why a plan cannot give a series its new start: the rule does not move with it, or earlier occurrences are still to come then. */
export const followingFault = ({ changes, base, affected }: Edit): string | null => {
  if (affected.scheduled_for === base.scheduled_for) return null;
  if (!ruleFollows(base, affected))
    return `must leave the days and times that the rule of the series names as they are: it repeats ${ruleText(base.rrule as string)}; end the series and propose another one`;
  const kept = changes.length > 1 && changes[0]?.to;
  return kept && lastsBeyond(kept, firstOf(affected))
    ? 'must be after the earlier occurrences of the series, which keep their times'
    : null;
};

/** How many occurrences are looked at, in as many days. */
export type Within = { days: number; most: number };

/** Whether a series has more occurrences from one on, with those that are removed. */
export const isDense = (series: EventDraft, recurrence_id: Instant, { days, most }: Within): boolean => {
  const at = millis(recurrence_id);
  const whole = { ...series, exdates: [], overrides: {} };
  return (
    happenings(whole, [at, at + days * DAY_MS])
      .drop(most)
      .next().done !== true
  );
};

/** @throws 422 */
export const followingTimes = (
  from: EventResource,
  recurrence_id: Instant,
  changes: EventChanges,
  { days, most }: Within,
): FollowingTimes => {
  // Exceptions after these days, of which a series can have thousands, change nothing in them.
  const last = instantOf(millis(recurrence_id) + (days + 1) * DAY_MS);
  const isNear = (id: Instant): boolean => id <= last;
  const { exdates, rdates, overrides } = from;
  const near = {
    ...from,
    exdates: exdates.filter(isNear),
    rdates: rdates.filter(isNear),
    overrides: byId(overrides, isNear),
  };
  const edit = planEdit(near, changes, { scope: 'following', recurrence_id }, () => '');
  const { affected } = edit;
  const start = firstOf(affected);
  const all = happenings(affected, [start, start + days * DAY_MS]).take(most);
  const times = [...all.filter((one) => takesTime(affected, one))].map(({ start: at, end }): Span => [at, end]);
  return { times, fault: followingFault(edit) };
};
