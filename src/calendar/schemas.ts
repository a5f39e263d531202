/** Schemas of calendar events: what requests contain, what is stored, what is answered. */
import { z } from 'zod';
import type { IcsExtras } from '../domain/calendar/event-doc.ts';
import { EVENT_FIELDS, FOUR_WEEKS, OCCURRENCE_FIELDS, StoredEvent } from '../domain/calendar/event-fields.ts';
import { partsOf } from '../domain/record/fields.ts';
import { PageQuery } from '../http/cursors.ts';
import { MAX_SERIES } from './calendar-bounds.ts';
import { InstantOut, Tag, TaskId, TimeIn, Uid, Zone } from '../domain/record/field-shapes.ts';
import { AsOf, UserId } from '../http/shapes.ts';

const { rrule, ...others } = partsOf(EVENT_FIELDS, 'input');
/** The fields that a person can set. null means "none". */
const input = z.object({
  ...others,
  rrule: rrule.describe(
    `RFC 5545 recurrence rule without "RRULE:"; repeats the wall time in the event’s zone. Endless ones are fine; at most 96 occurrences a day, and ${MAX_SERIES} series in a calendar (409 series_limit).`,
  ),
});
const updates = input.partial().shape;

export const NewEventIn = z
  .strictObject({
    user_id: UserId,
    uid: Uid.optional().describe(
      'Your own; default a UUIDv7. The same uid with the same body is the same answer again.',
    ),
    ...updates,
    title: input.shape.title,
    scheduled_for: input.shape.scheduled_for,
    duration_minutes: updates.duration_minutes.describe(
      'Default: from the tempo profile, else 30; 1440 for all-day events.',
    ),
    timezone: updates.timezone.describe('Zone of the event and of wall times given here; default the user’s.'),
  })
  .meta({ id: 'NewEvent', description: 'An event to create. A bare date without a duration is an all-day event.' });
export type NewEventIn = z.infer<typeof NewEventIn>;

export const EventUpdates = z
  .strictObject({
    ...updates,
    timezone: updates.timezone.describe('Puts the event into this zone; wall times given here are read in it.'),
  })
  .meta({ id: 'EventUpdates', description: 'New values; null clears. What is left out stays.' });
export type EventUpdates = z.infer<typeof EventUpdates>;

export const Scope = z
  .enum(['this', 'following', 'all'])
  .describe(
    'Of a series: one occurrence, that and all later ones, or all. Default: this with a recurrence_id, else all.',
  );
export type Scope = z.infer<typeof Scope>;

const RecurrenceId = TimeIn.describe('The occurrence meant, by the recurrence_id it was listed with.');

export const EditBody = z.strictObject({
  user_id: UserId,
  uid: Uid,
  updates: EventUpdates,
  scope: Scope.optional(),
  recurrence_id: RecurrenceId.optional(),
  timezone: Zone.optional().describe('Zone of wall times given here without offset.'),
});
export type EditBody = z.infer<typeof EditBody>;

export const RemoveQuery = z.strictObject({
  user_id: UserId,
  uid: Uid,
  scope: Scope.optional(),
  recurrence_id: RecurrenceId.optional(),
});
export type RemoveQuery = z.infer<typeof RemoveQuery>;

/** An occurrence's own values. Fields that are missing have the values of the series. */
export const EventOverride = z.object(partsOf(OCCURRENCE_FIELDS, 'stored')).partial().meta({ id: 'EventOverride' });
export type EventOverride = z.infer<typeof EventOverride> & { ics?: IcsExtras };

/** The fields for which an occurrence can have its own value. */
export const OVERRIDABLE = Object.keys(OCCURRENCE_FIELDS) as (keyof typeof OCCURRENCE_FIELDS)[];

export const Event = StoredEvent.extend({
  overrides: z.record(z.string(), EventOverride).describe('Changed occurrences by recurrence_id.'),
}).meta({ id: 'Event', description: 'A calendar event; a series with its changed occurrences is one event.' });

/** An event as it is stored. `ics` holds what an imported file said beyond our fields; only .ics shows it again. */
export type EventResource = Omit<z.infer<typeof Event>, 'overrides'> & {
  overrides: Record<string, EventOverride>;
  ics?: IcsExtras;
  /** Set only on the last version of a removed event. */
  removed?: true;
};

export const Occurrence = StoredEvent.meta({
  id: 'Occurrence',
  description: 'An event as it happens once; of a series with the series’ uid and its recurrence_id.',
});
export type Occurrence = z.infer<typeof Occurrence>;

const WINDOW = 'Both ends are included; a bare date is that whole local day.';

export const EventsQuery = z.strictObject({
  user_id: UserId,
  start: TimeIn.optional().describe(`${WINDOW} Default now.`),
  end: TimeIn.optional().describe('Default 30 days after start; at most 2 years after it.'),
  tag: Tag.optional().describe('One of its tags, or its tempo_tag.'),
  timezone: Zone.optional().describe('Zone of times given here without offset.'),
  as_of: AsOf,
  ...PageQuery,
});
export type EventsQuery = z.infer<typeof EventsQuery>;

const asked = (max: number) => z.coerce.number().int().min(1).max(max);

export const SlotsQuery = z.strictObject({
  user_id: UserId,
  start: TimeIn.optional().describe(`${WINDOW} Default now.`),
  end: TimeIn.optional().describe('Default 7 days after start; at most a year after it.'),
  timezone: Zone.optional().describe('Zone of times given here without offset.'),
  duration_minutes: asked(24 * 60)
    .optional()
    .describe('Default: what the tempo profile says for the tag or task.'),
  tempo_tag: Tag.optional(),
  task_id: TaskId.optional(),
  buffer_minutes: z.coerce
    .number()
    .int()
    .min(0)
    .max(24 * 60)
    .default(0)
    .describe('Kept free around busy time.'),
  notice_minutes: z.coerce
    .number()
    .int()
    .min(0)
    .max(FOUR_WEEKS)
    .default(0)
    .describe('Nothing sooner than this from now.'),
  limit: asked(100).default(10).describe('Slots answered, 1 to 100.'),
});
export type SlotsQuery = z.infer<typeof SlotsQuery>;

export const SlotsAnswer = z
  .object({
    slots: z
      .array(
        z.object({ start: InstantOut, end: InstantOut, duration_minutes: z.number(), reasons: z.array(z.string()) }),
      )
      .describe('Best first; none overlaps another.'),
    rejected: z
      .array(z.object({ start: InstantOut, end: InstantOut, code: z.string(), detail: z.string() }))
      .describe('Where there is no slot: the first 100 parts of the window that could not be used, each with why.'),
    rejected_count: z.int().describe('How many such parts there are in all.'),
    why: z.string().nullable().describe('Where there is no slot: why, in a sentence.'),
  })
  .meta({ id: 'Slots' });

export const FreeBusyQuery = z.strictObject({
  user_id: UserId,
  start: TimeIn.optional().describe(`${WINDOW} Default now.`),
  end: TimeIn.optional().describe('Default 30 days after start; at most 2 years after it.'),
  timezone: Zone.optional().describe('Zone of times given here without offset.'),
});
export type FreeBusyQuery = z.infer<typeof FreeBusyQuery>;

const Span = z.object({ start: InstantOut, end: InstantOut });
export const FreeBusyAnswer = z.object({ ...Span.shape, busy: z.array(Span), free: z.array(Span) }).meta({
  id: 'FreeBusy',
  description: 'Busy time merged, without saying with what; free time is the rest of the window.',
});

export const File = z
  .instanceof(Uint8Array)
  .refine((bytes) => bytes.length > 0, 'is empty')
  .meta({ type: 'string', description: 'An iCalendar file.' });

export const ImportReport = z
  .object({
    created: z.int(),
    updated: z.int(),
    unchanged: z.int(),
    skipped: z.int().describe('Understood and left out: no events, or older than what is here.'),
    failed: z.int().describe('Could not be taken in.'),
    components: z
      .array(
        z.object({
          line: z.int().describe('Where it begins in the file, from 1.'),
          component: z.string().describe('VEVENT, VTODO, ...; empty for the rest of a file that is too long.'),
          uid: z.string().nullable(),
          recurrence_id: InstantOut.nullable().describe('On an occurrence of a series: which one.'),
          outcome: z.enum(['created', 'updated', 'unchanged', 'skipped', 'failed']),
          reason: z.string().nullable().describe('Why it was skipped, or failed and on which line.'),
        }),
      )
      .describe('What became of each component, by line; time zones apart.'),
    report: z
      .array(
        z.object({
          line: z.int().describe('Line of the file, from 1.'),
          uid: z.string().nullable(),
          level: z.enum(['info', 'warning', 'error']),
          message: z.string(),
        }),
      )
      .describe('What was found on the way, also in components that went in; at most 1000 of what was read.'),
  })
  .meta({ id: 'ImportReport', description: 'What became of a file: counts are of components.' });
export type ImportReport = z.infer<typeof ImportReport>;
