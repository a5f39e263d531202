/** Schemas of context export: the query, the results of each mode, checkpoints. */
import { z } from 'zod';
import { Event } from '../calendar/schemas.ts';
import { PatchOperation } from '../domain/record/json-patch.ts';
import { TempoPreferences } from '../domain/plan/tempo.ts';
import { Cursor, MAX_LIMIT, PageQuery } from '../http/cursors.ts';
import { InstantOut, Tag, TaskId, TimeIn } from '../domain/record/field-shapes.ts';
import { AsOf, QueryFlag, UserId } from '../http/shapes.ts';
import { Trace, TraceType } from '../memory/schemas.ts';
import { Settings } from '../user/schemas.ts';

export const EXPORT_FORMATS = ['summary', 'full', 'linked', 'diff'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export const GroupBy = z.enum(['day', 'task', 'trace_type']).describe('day: the local day of the timestamp.');
export type GroupBy = z.infer<typeof GroupBy>;

/** What can be exported, by the names of the parameter `include`, in the order of the export. */
export const INCLUDES = { traces: 'trace', events: 'event', profile: 'profile' } as const;
export type Subject = (typeof INCLUDES)[keyof typeof INCLUDES];
const SUBJECTS = Object.values(INCLUDES);

const included = Object.keys(INCLUDES).join('|');
const Include = z
  .string()
  .max(100)
  .regex(new RegExp(`^(${included})(,(${included}))*$`), 'must be one or more of traces, events, profile, with commas')
  .describe(
    'full and diff: what is exported, of traces, events, profile; default traces. Asked for, every result tells its `subject`: traces come first, then events by start, then the profile. Filters by task and tag hold for events too, and a window for events that overlap it. Events need calendar:read, the profile user:read.',
  );

/** A tag has a character that is not a digit, so that it is never read as a seq. */
export const CheckpointTag = z
  .string()
  .max(100)
  .regex(/^(?!\d+$)[\w.@:+-]{1,100}$/, 'must be 1 to 100 letters, digits or any of _ . @ : + -, and not only digits');

const DiffPoint = z
  .string()
  .max(100)
  .regex(/^[\w.@:+-]{1,100}$/, 'must be a ledger seq or the tag of a checkpoint')
  .describe('diff: a ledger seq, or the tag of a checkpoint.');

/** The parameters that decide the content of an export. A checkpoint stores them. */
const contentParameters = {
  start_time: TimeIn.optional().describe(
    'Start of the window, inclusive; for diff the earlier point, in recorded time.',
  ),
  end_time: TimeIn.optional().describe('End of the window, inclusive; for diff the later point, in recorded time.'),
  tempo_tag: Tag.optional(),
  task_id: TaskId.optional(),
  type: TraceType.optional(),
  tag: Tag.optional(),
  group_by: GroupBy.optional(),
  include: Include.optional(),
  include_feedback: QueryFlag.optional().describe('With feedback_rating and notes: default true, for summaries false.'),
  max_token_count: z.coerce
    .number()
    .int()
    .min(1)
    .max(10_000_000)
    .optional()
    .describe(
      'Summaries: tokens (o200k) that the serialised results may have; the most useful are kept on one page, `omitted` tells of the rest.',
    ),
  as_of: AsOf,
  from: DiffPoint.optional(),
  to: DiffPoint.optional(),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(MAX_LIMIT)
    .optional()
    .describe(
      'Results per page, 1 to 1000, default 1000; long ones make shorter pages (2 million characters). NDJSON is not paged.',
    ),
};

const NO_FORMAT = 'is required: summary, full, linked or diff; from_checkpoint brings it too';

const ExportParameters = z.strictObject({
  user_id: z.string().max(64).describe('Whose context; only your own.'),
  export_format: z.enum(EXPORT_FORMATS).optional().describe('Required, unless from_checkpoint brings it.'),
  ...contentParameters,
  checkpoint: CheckpointTag.optional().describe(
    'Keeps this export’s parameters and seq under a tag, as POST /memport/checkpoints does.',
  ),
  from_checkpoint: CheckpointTag.optional().describe('Repeats a kept export, byte by byte.'),
  cursor: Cursor,
});
/** The refinement runs also where other parameters are wrong, so that the answer names every fault. */
export const ExportQuery = ExportParameters.refine(
  (query) => query.export_format !== undefined || query.from_checkpoint !== undefined,
  { path: ['export_format'], message: NO_FORMAT, when: ({ value }) => typeof value === 'object' && value !== null },
);
export type ExportQuery = z.infer<typeof ExportQuery>;

/** The parameters that cannot be combined with from_checkpoint. */
export const CONTENT_PARAMETERS = Object.keys(contentParameters) as (keyof typeof contentParameters)[];

const group = z.string().nullable().optional().describe('With group_by: the local day, the task_id or the type.');

const subject = z.enum(SUBJECTS).optional().describe('With include.');

const Exported = Trace.partial()
  .extend({
    uid: z.string(),
    subject,
    group,
    depth: z.number().int().optional().describe('linked: steps from the nearest seed.'),
  })
  .meta({
    id: 'ExportedTrace',
    description: 'A trace, without authored_by and chat_url unless the credential has export:sensitive.',
  });

const ExportedEvent = Event.extend({ subject: z.literal('event').optional() }).meta({
  id: 'ExportedEvent',
  description: 'A calendar event; a series with its changed occurrences is one event.',
});

const ExportedProfile = z
  .object({
    subject: z.literal('profile').optional(),
    uid: z.string().describe('The user_id.'),
    user_id: z.string(),
    display_name: z.string(),
    timezone: z.string(),
    settings: Settings,
    tempo: TempoPreferences,
  })
  .meta({
    id: 'ExportedProfile',
    description: 'What a person has set: name, time zone, settings, timing preferences.',
  });

export const SummaryResult = z
  .object({
    ...Trace.pick({ type: true, task_id: true, timestamp: true, summary: true }).shape,
    ...Trace.pick({ feedback_rating: true, notes: true }).partial().shape,
    group,
  })
  .meta({ id: 'SummaryResult' });

export const DiffResult = z
  .object({
    op: z.enum(['added', 'changed', 'removed']),
    subject,
    uid: z.string(),
    trace: Exported.optional().describe('added: the trace.'),
    event: ExportedEvent.optional().describe('added, with include: the event.'),
    profile: ExportedProfile.optional().describe('added, with include: the profile.'),
    patch: z
      .array(PatchOperation)
      .optional()
      .describe('changed: RFC 6902, to be applied to the trace, event or profile of the earlier export.'),
    group,
  })
  .meta({
    id: 'DiffResult',
    description:
      'What one trace, event or profile of the earlier export needs. Done for all of them, and sorted as exports are (by timestamp or start, then uid), what there is equals the full export of the later point with the same filters and include.',
  });

export const Edge = z.object({ from: z.string(), to: z.string(), kind: z.enum(['linked', 'child', 'event']) }).meta({
  id: 'TraceEdge',
  description:
    'linked: linked_trace_ids. child: child_trace_ids. event: through linked_event_uid, to the first calendar_event trace of that event, and from that one to the others.',
});
export type Edge = z.infer<typeof Edge>;

export const Export = z
  .object({
    user_id: z.string(),
    export_format: z.enum(EXPORT_FORMATS),
    results: z.union([
      z.array(SummaryResult),
      z.array(DiffResult),
      z.array(Exported),
      z.array(z.union([Exported, ExportedEvent, ExportedProfile])),
    ]),
    groups: z
      .array(z.object({ key: z.string().nullable(), count: z.number().int() }))
      .optional()
      .describe('With group_by: the groups of these results, in their order.'),
    omitted: z
      .object({ count: z.number().int(), oldest: InstantOut, newest: InstantOut })
      .nullable()
      .optional()
      .describe('Summaries: what max_token_count left out, by timestamp; null for nothing.'),
    edges: z.array(Edge).optional().describe('linked: the links of these results.'),
    missing: z.array(z.string()).optional().describe('linked: uids that these results link to and that no trace has.'),
    from_seq: z.number().int().optional().describe('diff: the earlier point.'),
    checkpoint: z.string().optional(),
    as_of_seq: z.number().int().describe('Ledger seq the export is true for.'),
    generated_at: InstantOut,
    next_cursor: z.string().nullable(),
  })
  .meta({ id: 'ContextExport' });
export type Export = z.input<typeof Export>;

export const CheckpointsQuery = z.strictObject({ user_id: z.string().max(64).optional(), ...PageQuery });

export const NewCheckpoint = z
  .strictObject({
    user_id: UserId,
    tag: CheckpointTag,
    parameters: z
      .strictObject({
        export_format: z.enum(EXPORT_FORMATS),
        ...contentParameters,
        include_feedback: z
          .boolean()
          .optional()
          .describe('With feedback_rating and notes: default true, for summaries false.'),
        as_of: z.union([AsOf, z.number().int().min(0).transform(String)]),
      })
      .describe('As of GET /memport/export.'),
  })
  .meta({ id: 'NewCheckpoint', description: 'A tag, and the parameters of the export that it stands for.' });
export type NewCheckpoint = z.infer<typeof NewCheckpoint>;

export const Checkpoint = z
  .object({
    tag: z.string(),
    seq: z.number().int(),
    created_at: InstantOut,
    actor: z.string().describe('Who made it.'),
    parameters: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'Checkpoint' });
export type Checkpoint = z.infer<typeof Checkpoint>;
