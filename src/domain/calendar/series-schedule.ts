/** A series that no event holds yet, such as a proposed one: the schedule of the event that it will be, and its occurrences. */
import type { Span } from '../time/spans.ts';
import { dayBounds, instantOf, localDate, localStart, millis, type Instant } from '../time/time.ts';
import type { Schedule } from './schedule.ts';
import { timelineOf, type Happening } from './series-expansion.ts';

export type Series = {
  scheduled_for: Instant;
  duration_minutes: number | null;
  rrule: string;
  exdates: readonly Instant[];
  timezone: string;
  all_day: boolean;
};

const DAY_MINUTES = 24 * 60;

/** The event that the series will be, as far as its times go. */
export const scheduleOf = ({
  all_day,
  timezone,
  rrule,
  duration_minutes,
  scheduled_for,
  exdates,
}: Series): Schedule => {
  const minutes = duration_minutes ?? DAY_MINUTES;
  const day = (at: Instant): Instant => dayBounds(localDate(at, timezone), timezone).start;
  return {
    uid: '',
    scheduled_for: all_day ? day(scheduled_for) : instantOf(Math.floor(millis(scheduled_for) / 1000) * 1000),
    duration_minutes: all_day ? Math.ceil(minutes / DAY_MINUTES) * DAY_MINUTES : minutes,
    timezone,
    local_start: all_day ? `${localDate(scheduled_for, timezone)}T00:00:00` : localStart(scheduled_for, timezone),
    all_day,
    rrule,
    rdates: [],
    exdates: exdates.map((at) => (all_day ? day(at) : at)),
  };
};

/** The occurrences in a window, without the exdates, in order. */
export const happeningsOf = (series: Series, window: Span): Generator<Happening<Schedule>> =>
  timelineOf(scheduleOf(series), [])({ window });
