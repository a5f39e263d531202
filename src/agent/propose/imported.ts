/**
 * Proposals of an import, which wait for a decision again. A file may say anything, so only what the service itself could have
 * proposed waits. Everything else stays a record, on which nobody can decide.
 */
import type { Clock } from '../../common/clock.ts';
import { foreignArguments, PlanArguments } from '../../domain/plan/plan-arguments.ts';
import { missingIn } from '../../domain/plan/plan-transitions.ts';
import { NewUid } from '../../domain/record/field-shapes.ts';
import { millis, type Instant } from '../../domain/time/time.ts';
import type { PlanDoc, Unstamped } from '../../domain/record/trace.ts';
import type { Reading } from '../../ledger/ledger-writer.ts';
import type { MemportPlanPort } from '../../memport/plan-port.ts';
import { estimate } from '../decide/record-transition.ts';
import { destinationOf } from '../decide/swap.ts';
import { repetitionFaults } from '../place/plan-repetition.ts';
import { endOf, firstOf, repeatingOf } from '../place/plan-series.ts';
import { pendingOf } from '../queries.ts';
import { MAX_PENDING } from './submitted.ts';

type Plan = Unstamped<PlanDoc>;

/** Whether the plan has what a proposal has, and nothing that only a decision gives. */
const isProposal = (plan: Plan, now: Instant): boolean => {
  const { action_type, decision, executed_at, child_trace_ids, title } = plan;
  if (!NewUid.safeParse(plan.uid).success) return false;
  if (decision !== null || executed_at !== null || child_trace_ids.length) return false;
  const given = PlanArguments.safeParse(plan.arguments);
  if (!given.success || foreignArguments(action_type, given.data).length) return false;
  if (plan.swaps_with !== null && destinationOf(plan) === null) return false;
  return (
    title.trim() !== '' &&
    missingIn(plan).length === 0 &&
    repetitionFaults({ ...plan, arguments: given.data }, plan.timezone ?? 'UTC', now, '').length === 0
  );
};

/** The plan with what the service computes of its time. */
const withTimes = (plan: Plan): Plan => {
  const series = repeatingOf(plan);
  const { scheduled_for, duration_minutes } = plan;
  return {
    ...plan,
    ...(series ? { expires_at: firstOf(series), repeats_until: endOf(series) } : { repeats_until: null }),
    ...(!series && scheduled_for !== null ? { expires_at: scheduled_for } : {}),
    temporal_estimate: estimate(scheduled_for, duration_minutes),
  };
};

const isAhead = ({ expires_at, rrule }: Plan, now: Instant): boolean =>
  expires_at === null ? rrule === null : millis(expires_at) > millis(now);

/** Whether two plans can exchange places: they name each other, and were proposed together. */
const isSwap = (one: Plan, other: Plan): boolean =>
  one.uid !== other.uid && other.swaps_with === one.uid && other.origin === one.origin;

/** The plans that are admitted as one: a plan alone, or two that exchange places. A plan whose partner is not there is left out. */
const withPartners = (plans: readonly Plan[]): Plan[][] => {
  const byUid = new Map(plans.map((plan) => [plan.uid, plan]));
  const grouped = new Set<string>();
  return plans.flatMap((plan) => {
    if (plan.swaps_with === null) return [[plan]];
    const partner = byUid.get(plan.swaps_with);
    if (!partner || !isSwap(plan, partner) || grouped.has(plan.uid)) return [];
    grouped.add(partner.uid);
    return [[plan, partner]];
  });
};

/** @returns how many more may wait beside those that do */
const placesLeft = async ({ tx, author }: Reading, origin: 'agent' | 'user'): Promise<number> =>
  MAX_PENDING - (await pendingOf(tx, { ...author, origin }, MAX_PENDING)).all;

export const createImportedPlans = ({ clock }: { clock: Clock }): MemportPlanPort => ({
  waitingPlan: (plan) => {
    const now = clock.now();
    if (!isProposal(plan, now)) return null;
    const timed = withTimes(plan);
    return isAhead(timed, now) ? timed : null;
  },

  admitWaiting: async (reading, plans) => {
    const admitted = new Set<string>();
    const grouped = withPartners(plans);
    for (const origin of ['agent', 'user'] as const) {
      const mine = grouped.filter(([plan]) => plan?.origin === origin);
      let left = mine.length ? await placesLeft(reading, origin) : 0;
      for (const group of mine) {
        if (group.length > left) continue;
        left -= group.length;
        for (const { uid } of group) admitted.add(uid);
      }
    }
    return admitted;
  },
});
