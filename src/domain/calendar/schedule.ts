/** The part of an event that recurrence computes with. It depends on no schema, so that the console computes with it too. */
import type { Instant } from '../time/time.ts';

/** The fields that determine when an event happens. */
export type Schedule = {
  uid: string;
  scheduled_for: Instant;
  duration_minutes: number;
  timezone: string;
  local_start: string;
  all_day: boolean;
  rdates: Instant[];
  exdates: Instant[];
  rrule?: string | null | undefined;
  recurrence_id?: Instant | null | undefined;
  /** The exact length that a file gave (durations.ts). */
  ics?: { duration?: string } | undefined;
};
