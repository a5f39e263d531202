/** The calendar event as the calendar's rules see it: what recurrence and iCalendar text need of the API's resource. */
import type { Instant } from '../time/time.ts';

export type EventStatus = 'confirmed' | 'tentative' | 'cancelled';

/** A property in jCal form (RFC 7265): name, parameters, value type, values. */
export type JcalProperty = [
  name: string,
  params: Record<string, string | string[]>,
  type: string,
  ...values: unknown[],
];
/** A component in jCal form: name, properties, components inside it. */
export type JcalComponent = [name: string, properties: JcalProperty[], components: JcalComponent[]];

/** What an imported file said about an event that Almanac has no field for; it is written back as it came. */
export type IcsExtras = {
  properties: JcalProperty[];
  components: JcalComponent[];
  /** The zone in which a floating time was read: it floats for as long as the event stays in that zone. */
  floating?: string;
};

/** What decides when an event happens. */
export type Schedule = {
  uid: string;
  scheduled_for: Instant;
  /** Exact minutes; for all-day events 1440 for each day, whatever the clocks do on it. */
  duration_minutes: number;
  /** IANA name. */
  timezone: string;
  /** The wall time meant, `2026-11-21T10:00:00`: recurrence repeats this one, also where `scheduled_for` had to leave a gap. */
  local_start: string;
  all_day: boolean;
  /** RFC 5545 §3.3.10 without `RRULE:`. */
  rrule?: string | null | undefined;
  rdates: Instant[];
  exdates: Instant[];
  /** This document stands for that occurrence of the series with its uid. */
  recurrence_id?: Instant | null | undefined;
};

/** What of an event travels in iCalendar text, without who owns it here. */
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
  /** RFC 5545 §3.8.7.4: grows with every change that matters to others. */
  sequence: number;
  ics?: IcsExtras;
};

/** An event with the times of its own life, as iCalendar tells them. */
export type EventDoc = EventContent & { created_at: Instant; updated_at: Instant };
