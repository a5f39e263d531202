/** The types of a calendar event that recurrence and iCalendar code use: the part of the API's resource that they need. */
import type { Instant } from '../time/time.ts';

export type EventStatus = 'confirmed' | 'tentative' | 'cancelled';

/** A property in jCal form (RFC 7265): name, parameters, value type, values. */
export type JcalProperty = [
  name: string,
  params: Record<string, string | string[]>,
  type: string,
  ...values: unknown[],
];
/** A component in jCal form: name, properties, and the components inside it. */
export type JcalComponent = [name: string, properties: JcalProperty[], components: JcalComponent[]];

/** The parts of an imported event that Almanac has no field for; they are written back unchanged. */
export type IcsExtras = {
  properties: JcalProperty[];
  components: JcalComponent[];
  /** The zone in which a floating time was read. The time remains floating while the event is in that zone. */
  floating?: string;
};

/** The fields that determine when an event happens. */
export type Schedule = {
  uid: string;
  scheduled_for: Instant;
  /** Exact minutes; for an all-day event 1440 for each day, also on days of DST changes. */
  duration_minutes: number;
  /** The IANA name. */
  timezone: string;
  /**
   * The intended wall time, `2026-11-21T10:00:00`. Recurrence repeats it, even where `scheduled_for` had to move out of a DST
   * gap.
   */
  local_start: string;
  all_day: boolean;
  /** An RFC 5545 §3.3.10 rule without `RRULE:`. */
  rrule?: string | null | undefined;
  rdates: Instant[];
  exdates: Instant[];
  /** This document replaces that occurrence of the series with its uid. */
  recurrence_id?: Instant | null | undefined;
};

/** The fields of an event that iCalendar text transports, without its owner. */
export type EventContent = Schedule & {
  title: string;
  description: string | null;
  location: string | null;
  url: string | null;
  task_id: string | null;
  tempo_tag: string | null;
  tags: string[];
  status: EventStatus;
  busy: boolean;
  /** Minutes before the start. */
  reminders: number[];
  /** RFC 5545 §3.8.7.4: it grows with every change that matters to other participants. */
  sequence: number;
  ics?: IcsExtras;
};

/** An event with the times of its creation and last change, which iCalendar includes. */
export type EventDoc = EventContent & { created_at: Instant; updated_at: Instant };
