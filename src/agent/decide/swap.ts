/**
 * Two plans of one proposal that exchange places: each moves its event to where the other's is now. They do not block each other,
 * and are decided on and executed together.
 */
import type { Db } from '../../db/database.ts';
import { cancels, changesFollowing, type PlanAction } from '../../domain/plan/plan.ts';
import { canonicalJson } from '../../domain/record/canonical-json.ts';
import { addMinutes, millis, type Instant, type Interval } from '../../domain/time/time.ts';
import type { PlanDoc } from '../../domain/record/trace.ts';
import { problem } from '../../common/problem.ts';
import type { Proposal } from '../propose/proposal.ts';
import { findPlans } from '../queries.ts';

/** The other plan of a swap; null where a plan is none. */
export const partnerOf = async (db: Db, plan: PlanDoc): Promise<PlanDoc | null> => {
  if (!plan.swaps_with) return null;
  const [partner] = await findPlans(db, plan.user_id, [plan.swaps_with]);
  return partner ?? null;
};

const timesOf = (plan: PlanDoc): string =>
  canonicalJson([plan.scheduled_for, plan.duration_minutes, plan.target_event_uid, plan.arguments]);

/** Refuses to change the time of a plan that exchanges places with another one. @throws 409 part_of_swap */
export const refuseAlone = (from: PlanDoc, to: PlanDoc): void => {
  if (!from.swaps_with || timesOf(from) === timesOf(to)) return;
  throw problem(
    'part_of_swap',
    `Plan ${from.uid} exchanges places with plan ${from.swaps_with}, so its time cannot change alone. Reject the two, and propose the new times.`,
    { uids: [from.uid, from.swaps_with] },
  );
};

/** A proposal that moves an event, with where the event is now and where it goes. */
type Moving = { p: Proposal; from: Interval; to: Interval };

const overlap = (a: Interval, b: Interval): boolean =>
  millis(a.start) < millis(b.end) && millis(b.start) < millis(a.end);

/** Where an action moves its event; null where it moves none or a series, so that it can exchange places with nothing. */
export const destinationOf = (
  p: PlanAction & { scheduled_for: Instant | null; duration_minutes: number | null },
): Interval | null => {
  if (p.action_type !== 'reschedule' || cancels(p) || changesFollowing(p) || !p.scheduled_for || !p.duration_minutes)
    return null;
  return { start: p.scheduled_for, end: addMinutes(p.scheduled_for, p.duration_minutes) };
};

const movingOf = (p: Proposal): Moving[] => {
  const to = destinationOf(p);
  return to && p.from ? [{ p, from: p.from, to }] : [];
};

/** Finds the pairs of proposals that exchange places. Each proposal is in one pair at most. */
export const swapsIn = (proposals: readonly Proposal[]): Map<Proposal, Proposal> => {
  const pairs = new Map<Proposal, Proposal>();
  const moving = proposals.flatMap(movingOf);
  for (const [i, one] of moving.entries())
    for (const other of moving.slice(i + 1)) {
      if (pairs.has(one.p) || pairs.has(other.p)) continue;
      const isSame = one.p.target_event_uid === other.p.target_event_uid && one.from.start === other.from.start;
      if (isSame || overlap(one.to, other.to)) continue;
      if (!overlap(one.to, other.from) || !overlap(other.to, one.from)) continue;
      pairs.set(one.p, other.p);
      pairs.set(other.p, one.p);
    }
  return pairs;
};
