/** The fields of a calendar event. The API's schemas and the types of recurrence and iCalendar code are made of them. */
import { z } from 'zod';
import { list } from '../record/bounded-collections.ts';
import { InstantOut, RecordedAt, Reminders, Tag, TaskId, TimeIn, Uid, Zone } from '../record/field-shapes.ts';
import { partsOf, type Field } from '../record/fields.ts';
import { Origin } from '../record/trace.ts';

/** A year and a day. Anything longer is several events or a series. */
const MAX_DURATION = 366 * 24 * 60;

const Text = z.string().min(1).max(50_000);
/** Front ends make this a link, so schemes that run code are refused. */
const Link = z
  .url({ protocol: /^(?!(javascript|data|vbscript)$)/i, error: 'must be a URL with a scheme that is safe to open' })
  .max(4_000);
const Dates = list(TimeIn, 1_000);

const EventStatus = z.enum(['confirmed', 'tentative', 'cancelled']);
export type EventStatus = z.infer<typeof EventStatus>;

/** The fields for which an occurrence of a series can have its own value. */
export const OCCURRENCE_FIELDS = {
  title: { stored: z.string(), input: z.string().trim().min(1).max(500) },
  description: { stored: z.string().nullable(), input: Text.nullable(), initial: null },
  location: { stored: z.string().nullable(), input: Text.max(1_000).nullable(), initial: null },
  url: { stored: z.string().nullable(), input: Link.nullable(), initial: null },
  scheduled_for: {
    stored: InstantOut,
    input: TimeIn.describe(
      'The start. A time with an offset is that instant. A time without an offset is wall time in `timezone`, or else in the time zone of the user.',
    ),
  },
  /** Exact minutes, also on days of DST changes. */
  duration_minutes: {
    stored: z.number().describe('The length in minutes; an all-day event has 1440 for each day.'),
    input: z.int().min(1).max(MAX_DURATION),
  },
  timezone: { stored: z.string(), input: Zone },
  /** Recurrence repeats it, even where `scheduled_for` had to move out of a DST gap. */
  local_start: {
    stored: z.string().describe('The start as wall time, such as 2026-11-21T10:00:00. A series repeats this time.'),
  },
  all_day: {
    stored: z.boolean(),
    input: z
      .boolean()
      .describe(
        'Whether the event takes whole local days. scheduled_for is then the first day, and duration_minutes has 1440 for each day.',
      ),
  },
  task_id: { stored: z.string().nullable(), input: TaskId.nullable(), initial: null },
  tempo_tag: { stored: z.string().nullable(), input: Tag.nullable(), initial: null },
  tags: { stored: z.array(z.string()), input: list(Tag, 100), initial: [] },
  status: { stored: EventStatus, input: EventStatus, initial: 'confirmed' as const },
  busy: {
    stored: z.boolean(),
    input: z
      .boolean()
      .describe('Whether agents may not plan at this time. The default is true, and false for all-day events.'),
  },
  reminders: {
    stored: z.array(z.number()),
    input: Reminders.describe('The number of minutes before the start.'),
    initial: [],
  },
} satisfies Record<string, Field>;

export const EVENT_FIELDS = {
  uid: { stored: z.string() },
  user_id: { stored: z.string() },
  ...OCCURRENCE_FIELDS,
  end: { stored: InstantOut },
  /** An RFC 5545 §3.3.10 rule without `RRULE:`. */
  rrule: { stored: z.string().nullable(), input: z.string().min(1).max(2_000).nullable(), initial: null },
  rdates: {
    stored: z.array(InstantOut),
    input: Dates.describe('Starts that are added to those of the rule (RDATE).'),
    initial: [],
  },
  exdates: {
    stored: z.array(InstantOut),
    input: Dates.describe('Starts that are removed from those of the rule (EXDATE).'),
    initial: [],
  },
  /** A document with it replaces that occurrence of the series with its uid. */
  recurrence_id: {
    stored: InstantOut.nullable().describe(
      'The identifier of an occurrence in its series. It does not change when the occurrence is moved.',
    ),
    initial: null,
  },
  origin: { stored: Origin },
  plan_uid: { stored: z.string().nullable().describe('The plan that made the event.') },
  yields: {
    stored: z
      .boolean()
      .describe(
        'Whether this is an agent’s block, which is removed when a person books its time. It is false after a person has moved the event.',
      ),
  },
  linked_trace_ids: { stored: z.array(z.string()), input: list(Uid, 1_000), initial: [] },
  source_uid: {
    stored: z
      .string()
      .optional()
      .describe(
        'The calendar source that the event comes from; only its events have it, and they cannot be changed here.',
      ),
  },
  stale_since: {
    stored: InstantOut.optional().describe(
      'Since when the newest form of the event in its calendar source cannot be read. What is shown is the form before, which stops counting as busy after a day. Only such events have it.',
    ),
  },
  split_from: { stored: z.string().nullable().describe('The series that this one continues.'), initial: null },
  split_to: { stored: z.string().nullable().describe('The series that continues this one.'), initial: null },
  sequence: {
    stored: z.int().describe('The number of the revision, which grows with every change (RFC 5545 SEQUENCE).'),
    initial: 0,
  },
  version: { stored: z.int() },
  created_at: { stored: RecordedAt },
  updated_at: { stored: RecordedAt },
  seq: { stored: z.int().describe('The seq of this version in the user’s ledger.') },
} satisfies Record<string, Field>;

/** An event as it happens once: without the changed occurrences of a series. */
export const StoredEvent = z.object(partsOf(EVENT_FIELDS, 'stored'));
export type StoredEvent = z.infer<typeof StoredEvent>;
