/** Checks whether a plan, or every occurrence of a series, is in the tempo hours. */
import { isAllDay, type PlanAction } from '../../domain/plan/plan.ts';
import { hoursOf } from '../../domain/plan/plan-time.ts';
import { checkSlot, type SlotFault } from '../../domain/plan/slots.ts';
import { tempoWindows, type TempoProfile } from '../../domain/plan/tempo.ts';
import type { Span } from '../../domain/time/spans.ts';
import { dayBounds, instantOf, localDate, millis, type Instant, type Interval } from '../../domain/time/time.ts';
import { clockOf } from '../../domain/time/wall-time.ts';
import { countedOccurrences, repeatingOf, type Repeating } from './plan-series.ts';
import type { Subject } from '../propose/proposal.ts';

const WEEK_MS = 7 * 86_400_000;

type Timed = PlanAction &
  Subject & {
    scheduled_for: Instant | null;
    duration_minutes: number | null;
    rrule?: string | null | undefined;
    exdates?: readonly Instant[] | undefined;
    timezone?: string | null | undefined;
  };

/**
 * Says why the hours of an agent's plan, or of any of its occurrences, are outside the tempo hours; null where they are not.
 * @param times those of a series that the plan moves
 */
export const tempoFault = (
  plan: Timed,
  profile: TempoProfile,
  now: Instant,
  times?: readonly Span[],
): SlotFault | null => {
  const series = repeatingOf(plan);
  if (!series && !times) return tempoFaultOnce(plan, profile, now);
  const { wallAt } = clockOf(profile.timezone);
  const checked = new Set<string>();
  for (const [start, end] of times ?? countedOccurrences(series as Repeating)) {
    // Tempo hours are the same in every week, so each time of the week is checked once.
    const times = [start, end].map((at) => wallAt(at) % WEEK_MS).join();
    if (checked.has(times)) continue;
    checked.add(times);
    const fault = tempoFaultOnce({ ...plan, scheduled_for: instantOf(start) }, profile, now);
    if (fault) return fault;
  }
  return null;
};

/** An all-day event takes no hours. It is in the tempo hours where each of its days has some of them. */
const wholeDays = (windows: Interval[], zone: string): Interval[] =>
  windows.map(({ start, end }) => ({
    start: dayBounds(localDate(start, zone), zone).start,
    end: dayBounds(localDate(instantOf(millis(end) - 1), zone), zone).end,
  }));

const tempoFaultOnce = (plan: Timed, profile: TempoProfile, now: Instant): SlotFault | null => {
  const zone = profile.timezone;
  const hours = hoursOf(plan, zone);
  if (!hours) return null;
  const own = tempoWindows(profile, plan, hours, { strict: true });
  const windows = isAllDay(plan) ? wholeDays(own, zone) : own;
  // This does not check whether the time is over, since an all-day event of today has begun.
  return checkSlot({
    ...hours,
    busy: [],
    windows,
    now: hours.start < now ? hours.start : now,
    zone,
    only_in_tempo: true,
  });
};
