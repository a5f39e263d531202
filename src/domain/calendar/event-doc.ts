/** The types of a calendar event that recurrence and iCalendar code use: the part of the API's resource that they need. */
import type { OCCURRENCE_FIELDS, StoredEvent } from './event-fields.ts';
import type { Schedule } from './schedule.ts';

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
  /**
   * The exact length of a timed event whose days follow the wall clock, or which has seconds: `P1DT2H`, `PT59M59S`. It counts while
   * `duration_minutes` still is this length in minutes, rounded up.
   */
  duration?: string;
};

/** The fields of an event that iCalendar text transports, without its owner. */
export type EventContent = Schedule &
  Pick<StoredEvent, keyof typeof OCCURRENCE_FIELDS | 'sequence'> & { ics?: IcsExtras };

/** An event with the times of its creation and last change, which iCalendar includes. */
export type EventDoc = EventContent & Pick<StoredEvent, 'created_at' | 'updated_at'>;
