/** Schemas of calendar sources: what requests contain and what is answered. */
import { z } from 'zod';
import { InstantOut } from '../../domain/record/field-shapes.ts';
import { PageQuery } from '../../http/cursors.ts';
import { UserId } from '../../http/shapes.ts';

/** A user has at most this many. */
export const MAX_SOURCES = 20;

const Url = z
  .string()
  .max(4_000)
  .describe(
    'The address of the .ics file (https or webcal), on a public address, such as the secret address of a Google calendar. It is a secret: it is shown in this answer and never again.',
  );
const Name = z.string().trim().min(1).max(200);
const Busy = z
  .boolean()
  .describe(
    'Whether its events take time. With false none does, as for holidays; with true the file decides for each.',
  );
const RefreshMinutes = z.int().min(5).max(10_080).describe('How often it is read, in minutes.');
const Color = z
  .string()
  .regex(/^#[0-9a-f]{6}$/i, 'must be a color such as #3366cc')
  .nullable()
  .describe('A color in which front ends show its events.');

export const NewSource = z.strictObject({
  user_id: UserId,
  url: Url,
  name: Name,
  busy: Busy.default(true),
  refresh_minutes: RefreshMinutes.default(60),
  color: Color.default(null),
});
export type NewSource = z.infer<typeof NewSource>;

export const SourceEdit = z.strictObject({
  user_id: UserId,
  id: z.string().max(64),
  updates: z
    .strictObject({
      url: Url.optional(),
      name: Name.optional(),
      busy: Busy.optional(),
      refresh_minutes: RefreshMinutes.optional(),
      color: Color.optional(),
    })
    .meta({ id: 'SourceUpdates', description: 'The new values. A field that is missing does not change.' }),
});
export type SourceEdit = z.infer<typeof SourceEdit>;

export const SourceRef = z.strictObject({ user_id: UserId, id: z.string().max(64) });
export const SourcesQuery = z.strictObject({ user_id: UserId, ...PageQuery });

const SourceFinding = z
  .object({
    line: z.int().describe('The line in the file, from 1.'),
    uid: z
      .string()
      .nullable()
      .describe('The UID of the component, or the one that Almanac made where an event has none.'),
    reason: z.string(),
  })
  .meta({ id: 'CalendarSourceFinding' });

export const Source = z
  .object({
    id: z.string().describe('The `source_uid` of its events.'),
    name: z.string(),
    url: z.string().describe('The address without its secret part.'),
    busy: z.boolean(),
    color: z.string().nullable(),
    refresh_minutes: z.int(),
    status: z.enum(['new', 'ok', 'failing']).describe('A source that fails keeps the events that were read last.'),
    events: z.int().describe('How many events it has here; a series is one.'),
    unread: z.int().describe('How many components of the file could not be read.'),
    unread_components: z.array(SourceFinding).describe('The first 20 of these, and why they could not be read.'),
    warnings: z
      .array(SourceFinding)
      .describe('The first 20 things in the file that were changed or left out when it was read.'),
    failing_since: InstantOut.nullable(),
    failures: z.int().describe('How often it has failed since then.'),
    last_error: z.string().nullable().describe('Why it failed the last time.'),
    last_success_at: InstantOut.nullable(),
    refresh_at: InstantOut.describe('When it is read next.'),
    created_at: InstantOut,
    updated_at: InstantOut,
  })
  .meta({ id: 'CalendarSource' });
export type Source = z.infer<typeof Source>;

export const MadeSource = Source.extend({
  url: z.string().describe('The whole address, which is shown only once.'),
}).meta({ id: 'NewCalendarSource' });
