/** Schemas of calendar events: what requests contain, what is stored, what is answered. */
import { z } from 'zod';
import type { IcsExtras } from '../domain/calendar/event-doc.ts';
import { EVENT_FIELDS, OCCURRENCE_FIELDS, StoredEvent } from '../domain/calendar/event-fields.ts';
import { partsOf } from '../domain/record/fields.ts';
import { PageQuery } from '../http/cursors.ts';
import { MAX_SERIES } from './calendar-bounds.ts';
import {
  FOUR_WEEKS,
  InstantOut,
  NewUid,
  Scope,
  Tag,
  TaskId,
  TimeIn,
  Uid,
  Zone,
} from '../domain/record/field-shapes.ts';
import { list } from '../domain/record/bounded-collections.ts';
import { AsOf, ProblemOut, UserId } from '../http/shapes.ts';

const { rrule, ...others } = partsOf(EVENT_FIELDS, 'input');
/** The fields that a person can set. null means "none". */
const input = z.object({
  ...others,
  rrule: rrule.describe(
    `A recurrence rule (RFC 5545) without "RRULE:". It repeats the wall time in the time zone of the event, and may have no end. It may make at most 96 occurrences a day. A calendar holds at most ${MAX_SERIES} recurring events (409 series_limit).`,
  ),
});
const updates = input.partial().shape;

export const OnConflict = z
  .enum(['displace', 'keep', 'refuse'])
  .describe(
    'What happens to what agents have on the calendar at this time, with the approval of the person. `displace`, the default, removes it and proposes it again at another time. `keep` leaves both. `refuse` changes nothing and answers 409 slot_taken with what is there.',
  );
export type OnConflict = z.infer<typeof OnConflict>;

export const NewEventIn = z
  .strictObject({
    user_id: UserId,
    uid: NewUid.optional().describe(
      'A uid of your choice; by default a UUIDv7. Sent again with the same body, it gives the same answer. Without export:sensitive, only its sender may.',
    ),
    ...updates,
    title: input.shape.title,
    scheduled_for: input.shape.scheduled_for,
    duration_minutes: updates.duration_minutes.describe(
      'The length in minutes. The default is the one of the tempo profile, or else 30; for all-day events it is 1440.',
    ),
    timezone: updates.timezone.describe(
      'The time zone of the event and of wall times here; by default that of the user.',
    ),
    on_conflict: OnConflict.optional(),
  })
  .meta({
    id: 'NewEvent',
    description:
      'An event to create. If scheduled_for is a date without a time and there is no duration, it is an all-day event.',
  });
export type NewEventIn = z.infer<typeof NewEventIn>;

export const EventUpdates = z
  .strictObject({
    ...updates,
    timezone: updates.timezone.describe('The new time zone of the event, and the one of wall times here.'),
  })
  .meta({
    id: 'EventUpdates',
    description: 'The new values. null clears a field; a field that is missing does not change.',
  });
export type EventUpdates = z.infer<typeof EventUpdates>;

const ScopeIn = Scope.describe(
  'Which occurrences of a series are meant: one, that one and all later ones, or all. The default is this with a recurrence_id, and all without.',
);

const RecurrenceId = TimeIn.describe('The recurrence_id of the occurrence, as GET /calendar/events answers it.');

const which = { uid: Uid, scope: ScopeIn.optional(), recurrence_id: RecurrenceId.optional() };
const ExpectedVersion = z
  .int()
  .min(1)
  .optional()
  .describe('The version that you have read, as If-Match with a single event.');

const oneEdit = {
  ...which,
  updates: EventUpdates,
  timezone: Zone.optional().describe('The time zone of times here that have no offset; by default that of the user.'),
  on_conflict: OnConflict.optional(),
};
export type EventEdit = z.infer<z.ZodObject<typeof oneEdit>>;

/** The largest number of events that one request changes or removes. */
const MOST_EVENTS = 100;

export const EditBody = z
  .strictObject({
    user_id: UserId,
    ...z.object(oneEdit).partial().shape,
    edits: list(z.strictObject({ ...oneEdit, expected_version: ExpectedVersion }), MOST_EVENTS)
      .min(1)
      .optional()
      .describe('Several events instead of one, each changed by itself. The answer is a list in the same order.'),
  })
  .superRefine(({ uid, updates, scope, recurrence_id, timezone, on_conflict, edits }, context) => {
    const add = (path: string, message: string): void => context.addIssue({ code: 'custom', path: [path], message });
    if (edits === undefined) {
      if (uid === undefined) add('uid', 'is required, or edits in its place');
      if (updates === undefined) add('updates', 'is required, or edits in its place');
    } else
      for (const [name, value] of Object.entries({ uid, updates, scope, recurrence_id, timezone, on_conflict }))
        if (value !== undefined) add(name, 'must be in each of edits instead');
  });
export type EditBody = z.infer<typeof EditBody>;

export const RemoveQuery = z.strictObject({ user_id: UserId, ...which });
export type EventRemoval = Omit<z.infer<typeof RemoveQuery>, 'user_id'>;

export const RemoveBody = z.strictObject({
  user_id: UserId,
  removals: list(z.strictObject({ ...which, expected_version: ExpectedVersion }), MOST_EVENTS).min(1),
});

/** An occurrence's own values. Fields that are missing have the values of the series. */
export const EventOverride = z.object(partsOf(OCCURRENCE_FIELDS, 'stored')).partial().meta({ id: 'EventOverride' });
export type EventOverride = z.infer<typeof EventOverride> & { ics?: IcsExtras };

/** The fields for which an occurrence can have its own value. */
export const OVERRIDABLE = Object.keys(OCCURRENCE_FIELDS) as (keyof typeof OCCURRENCE_FIELDS)[];

export const Event = StoredEvent.extend({
  overrides: z.record(z.string(), EventOverride).describe('The changed occurrences, by recurrence_id.'),
}).meta({ id: 'Event', description: 'A calendar event. A series is one event, with its changed occurrences.' });

/** An event as it is stored. `ics` holds what an imported file said beyond our fields; only .ics shows it again. */
export type EventResource = Omit<z.infer<typeof Event>, 'overrides'> & {
  overrides: Record<string, EventOverride>;
  ics?: IcsExtras;
  /** The name of its CalDAV resource, where a calendar program chose another one than `<uid>.ics`. */
  href?: string;
  /** Set only on the last version of a removed event. */
  removed?: true;
};

export const UndoBody = z.strictObject({
  user_id: UserId,
  seq: z
    .int()
    .min(1)
    .describe(
      'The ledger seq of the change: that of the event which the change answered, or of its entry in the history.',
    ),
  simulate: z.boolean().optional().describe('Answers what would be taken back, and changes nothing.'),
});

export const UndoAnswer = z.object({
  events: z
    .array(Event.extend({ removed: z.boolean().optional().describe('The change had created it, so it is removed.') }))
    .describe('The events as they are again.'),
  plan_uids: z.array(Uid).describe('The plans that changed with it.'),
});

export const Occurrence = StoredEvent.meta({
  id: 'Occurrence',
  description:
    'One occurrence of an event. An occurrence of a series has the uid of the series and its own recurrence_id.',
});
export type Occurrence = z.infer<typeof Occurrence>;

const WINDOW = 'Both ends are included; a date without a time is that whole local day.';

export const EventsQuery = z.strictObject({
  user_id: UserId,
  start: TimeIn.optional().describe(`The start of the window; by default now. ${WINDOW}`),
  end: TimeIn.optional().describe(
    'The end of the window; by default 30 days after start, and at most 2 years after it.',
  ),
  tag: Tag.optional().describe('Lists only events with this tag or tempo_tag.'),
  timezone: Zone.optional().describe('The time zone of times here that have no offset; by default that of the user.'),
  as_of: AsOf,
  ...PageQuery,
});
export type EventsQuery = z.infer<typeof EventsQuery>;

const asked = (max: number) => z.coerce.number().int().min(1).max(max);

export const SlotsQuery = z.strictObject({
  user_id: UserId,
  start: TimeIn.optional().describe(`The start of the window; by default now. ${WINDOW}`),
  end: TimeIn.optional().describe('The end of the window; by default 7 days after start, and at most a year after it.'),
  timezone: Zone.optional().describe('The time zone of times here that have no offset; by default that of the user.'),
  duration_minutes: asked(24 * 60)
    .optional()
    .describe('The length in minutes; by default the one of the tempo profile for the tag or task.'),
  tempo_tag: Tag.optional(),
  task_id: TaskId.optional(),
  buffer_minutes: z.coerce
    .number()
    .int()
    .min(0)
    .max(24 * 60)
    .default(0)
    .describe('The number of minutes to keep free before and after busy time.'),
  notice_minutes: z.coerce
    .number()
    .int()
    .min(0)
    .max(FOUR_WEEKS)
    .default(0)
    .describe('The smallest number of minutes between now and the start of a slot.'),
  limit: asked(100).default(10).describe('The largest number of slots in the answer, from 1 to 100.'),
});
export type SlotsQuery = z.infer<typeof SlotsQuery>;

export const SlotsAnswer = z
  .object({
    slots: z
      .array(
        z.object({ start: InstantOut, end: InstantOut, duration_minutes: z.number(), reasons: z.array(z.string()) }),
      )
      .describe('The free slots, best first; no slot overlaps another.'),
    rejected: z
      .array(z.object({ start: InstantOut, end: InstantOut, code: z.string(), detail: z.string() }))
      .describe('If there is no slot, the first 100 parts of the window that could not be used, each with the reason.'),
    rejected_count: z.int().describe('The number of all such parts.'),
    why: z.string().nullable().describe('If there is no slot, the reason.'),
  })
  .meta({ id: 'Slots' });

export const FreeBusyQuery = z.strictObject({
  user_id: UserId,
  start: TimeIn.optional().describe(`The start of the window; by default now. ${WINDOW}`),
  end: TimeIn.optional().describe(
    'The end of the window; by default 30 days after start, and at most 2 years after it.',
  ),
  timezone: Zone.optional().describe('The time zone of times here that have no offset; by default that of the user.'),
});
export type FreeBusyQuery = z.infer<typeof FreeBusyQuery>;

const Span = z.object({ start: InstantOut, end: InstantOut });
export const FreeBusyAnswer = z.object({ ...Span.shape, busy: z.array(Span), free: z.array(Span) }).meta({
  id: 'FreeBusy',
  description: 'Busy time in merged intervals, without the events. All other time in the window is free.',
});

export const File = z
  .instanceof(Uint8Array)
  .refine((bytes) => bytes.length > 0, 'must not be empty')
  .meta({ type: 'string', description: 'An iCalendar file.' });

export const ImportReport = z
  .object({
    created: z.int(),
    updated: z.int(),
    unchanged: z.int(),
    skipped: z
      .int()
      .describe('Components that were skipped, because they are no events or are older than the calendar.'),
    failed: z.int().describe('Components that could not be imported.'),
    components: z
      .array(
        z.object({
          line: z
            .int()
            .describe(
              'The line of the file where the component begins, or that of the fault for which it failed, from 1.',
            ),
          component: z
            .string()
            .describe(
              'The name of the component, such as VEVENT or VTODO. It is empty for the rest of a file that is too long.',
            ),
          uid: z.string().nullable(),
          recurrence_id: InstantOut.nullable().describe(
            'The RECURRENCE-ID, if the component is an occurrence of a series.',
          ),
          outcome: z.enum(['created', 'updated', 'unchanged', 'skipped', 'failed']),
          reason: z.string().nullable().describe('Why the component was skipped, or why it failed.'),
        }),
      )
      .describe('The result for each component except time zones, by line.'),
    report: z
      .array(
        z.object({
          line: z.int().describe('The line of the file, from 1.'),
          uid: z.string().nullable(),
          level: z.enum(['info', 'warning', 'error']),
          message: z.string(),
        }),
      )
      .describe('The first 1000 warnings, which can also be about components that were imported.'),
  })
  .meta({ id: 'ImportReport', description: 'The result of an import. The counts are of components.' });
export type ImportReport = z.infer<typeof ImportReport>;

export const EventResult = z
  .object({
    uid: z.string(),
    status: z.int().describe('The HTTP status that a request for this event alone would have.'),
    event: Event.optional(),
    problem: ProblemOut.optional(),
  })
  .meta({ id: 'EventResult', description: 'The result for one event of several.' });
