/** Schemas of context export: the query, the results of each mode, checkpoints. */
import { z } from 'zod';
import { Event } from '../calendar/schemas.ts';
import { PatchOperation } from '../domain/record/json-patch.ts';
import { TempoPreferences } from '../domain/plan/tempo.ts';
import { Cursor, MAX_LIMIT, PageQuery } from '../http/cursors.ts';
import { Actor, InstantOut, Tag, TaskId, TimeIn, Uid } from '../domain/record/field-shapes.ts';
import { AsOf, QueryFlag, UserId } from '../http/shapes.ts';
import { Trace, TraceType } from '../memory/schemas.ts';
import { Settings } from '../user/schemas.ts';

export const EXPORT_FORMATS = ['summary', 'full', 'linked', 'diff'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export const GroupBy = z
  .enum(['day', 'task', 'trace_type'])
  .describe('How results are grouped; day is the local day of the timestamp.');
export type GroupBy = z.infer<typeof GroupBy>;

/** What can be exported, by the names of the parameter `include`, in the order of the export. */
export const INCLUDES = { traces: 'trace', events: 'event', profile: 'profile' } as const;
export type Subject = (typeof INCLUDES)[keyof typeof INCLUDES];
const SUBJECTS = Object.values(INCLUDES);

const included = Object.keys(INCLUDES).join('|');
const Include = z
  .string()
  .max(100)
  .regex(
    new RegExp(`^(${included})(,(${included}))*$`),
    'must be one or more of traces, events, profile, separated by commas',
  )
  .describe(
    'For full and diff: which of traces, events and profile to export; by default traces. With this parameter every result has a `subject`; traces come first, then events by start, then the profile. Filters by task and tag apply to events too, and a window selects the events that overlap it. Events need calendar:read, and the profile needs user:read or tempo:read.',
  );

/** A tag has a character that is not a digit, so that it is never read as a seq. */
export const CheckpointTag = z
  .string()
  .max(100)
  .regex(
    /^(?!\d+$)[\w.@:+-]{1,100}$/,
    'must have between 1 and 100 letters, digits or any of _ . @ : + -, and not only digits',
  );

const DiffPoint = z
  .string()
  .max(100)
  .regex(/^[\w.@:+-]{1,100}$/, 'must be a ledger seq or the tag of a checkpoint')
  .describe('For diff: a ledger seq, or the tag of a checkpoint.');

/** The parameters that decide the content of an export. A checkpoint stores them. */
const contentParameters = {
  start_time: TimeIn.optional().describe(
    'The start of the window, which is included; for diff the earlier point, in recorded time.',
  ),
  end_time: TimeIn.optional().describe(
    'The end of the window, which is included; for diff the later point, in recorded time.',
  ),
  uid: Uid.optional().describe('For linked: the trace from which the links are followed.'),
  max_depth: z.coerce
    .number()
    .int()
    .min(0)
    .max(1_000)
    .optional()
    .describe(
      'For linked: the largest number of links from a trace that matches the filters; by default all are followed.',
    ),
  tempo_tag: Tag.optional(),
  task_id: TaskId.optional(),
  type: TraceType.optional(),
  tag: Tag.optional(),
  group_by: GroupBy.optional(),
  include: Include.optional(),
  include_feedback: QueryFlag.optional().describe(
    'Whether the results have feedback_rating and notes. The default is true, and false for summaries.',
  ),
  max_token_count: z.coerce
    .number()
    .int()
    .min(1)
    .max(10_000_000)
    .optional()
    .describe(
      'For summary: the largest number of tokens (o200k) of the serialised results. The most useful ones are on a single page, and `omitted` describes the others.',
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
      'The largest number of results on a page, from 1 to 1000; by default 1000. A page also ends at 2 million characters. NDJSON has no pages.',
    ),
};

const NO_FORMAT = 'is required: summary, full, linked or diff; only from_checkpoint makes it unnecessary';

const ExportParameters = z.strictObject({
  user_id: UserId,
  export_format: z
    .enum(EXPORT_FORMATS)
    .optional()
    .describe('The format of the export. It is required without from_checkpoint.'),
  ...contentParameters,
  checkpoint: CheckpointTag.optional().describe(
    'Stores the parameters and the seq of this export under a tag, as POST /memport/checkpoints does.',
  ),
  from_checkpoint: CheckpointTag.optional().describe(
    'The tag of a checkpoint. The answer is the same export, byte by byte.',
  ),
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

const group = z.string().nullable().optional().describe('With group_by, the local day, the task_id or the type.');

const subject = z.enum(SUBJECTS).optional().describe('What the result is; only with include.');

const Exported = Trace.partial()
  .extend({
    uid: z.string(),
    subject: z.literal('trace').optional().describe('Only with include.'),
    group,
  })
  .meta({
    id: 'ExportedTrace',
    description: 'A trace. It has authored_by and chat_url only if the credential has export:sensitive.',
  });

const LinkedTrace = Exported.extend({
  depth: z.int().describe('The number of links from the nearest trace that matches the filters.'),
}).meta({ id: 'LinkedTrace', description: 'A trace of a linked export.' });

const ExportedEvent = Event.extend({ subject: z.literal('event').optional() }).meta({
  id: 'ExportedEvent',
  description: 'A calendar event. A series is one event, with its changed occurrences.',
});

const ExportedProfile = z
  .object({
    subject: z.literal('profile').optional(),
    uid: z.string().describe('The user_id of the profile.'),
    user_id: z.string(),
    display_name: z.string(),
    timezone: z.string(),
    settings: Settings,
    tempo: TempoPreferences,
  })
  .meta({
    id: 'ExportedProfile',
    description: 'The profile of a person: name, time zone, settings and timing preferences.',
  });

export const SummaryResult = z
  .object({
    ...Trace.pick({ type: true, task_id: true, timestamp: true, summary: true }).shape,
    summary: z
      .string()
      .describe(
        'A summary of the content. That of a plan begins with its state in brackets and its title: `[proposed for Thu 2026-11-26 11:00, not decided]`, `[approved for ...]`, `[done: on the calendar for ...]`, `[rejected: the reason]`. The times are in the time zone that the profile had at the seq of the export.',
      ),
    ...Trace.pick({ feedback_rating: true, notes: true }).partial().shape,
    group,
  })
  .meta({ id: 'SummaryResult' });

const difference = { subject, uid: z.string(), group };

export const DiffResult = z
  .discriminatedUnion('op', [
    z
      .object({
        ...difference,
        op: z.literal('added'),
        trace: Exported.optional(),
        event: ExportedEvent.optional().describe('Only with include.'),
        profile: ExportedProfile.optional().describe('Only with include.'),
      })
      .meta({
        id: 'DiffAdded',
        description: 'A trace, event or profile that the later export has and the earlier has not.',
      }),
    z.object({ ...difference, op: z.literal('changed'), patch: z.array(PatchOperation) }).meta({
      id: 'DiffChanged',
      description:
        'The JSON Patch (RFC 6902) from the trace, event or profile of the earlier export to that of the later.',
    }),
    z
      .object({ ...difference, op: z.literal('removed') })
      .meta({ id: 'DiffRemoved', description: 'A trace or event that the later export no longer has.' }),
  ])
  .meta({
    id: 'DiffResult',
    description:
      'The change of a trace, event or profile. The earlier full export with all these changes, sorted as exports are (by timestamp or start, then uid), equals the full export of the later point with the same filters and include.',
  });

export const Edge = z.object({ from: z.string(), to: z.string(), kind: z.enum(['linked', 'child', 'event']) }).meta({
  id: 'TraceEdge',
  description:
    'The kind of link: linked (linked_trace_ids), child (child_trace_ids) or event. An event link leads through linked_event_uid to the first calendar_event trace of that event, and from that one to the others.',
});
export type Edge = z.infer<typeof Edge>;

const exported = {
  user_id: z.string(),
  groups: z
    .array(z.object({ key: z.string().nullable(), count: z.number().int() }))
    .optional()
    .describe('With group_by, the groups of these results, in their order.'),
  checkpoint: z.string().optional(),
  as_of_seq: z.number().int().describe('The ledger seq of the export.'),
  generated_at: InstantOut,
  next_cursor: z.string().nullable(),
};

const FullResult = z.union([Exported, ExportedEvent, ExportedProfile]);

const SummaryExport = z
  .object({
    ...exported,
    export_format: z.literal('summary'),
    results: z.array(SummaryResult),
    omitted: z
      .object({ count: z.number().int(), oldest: InstantOut, newest: InstantOut })
      .nullable()
      .describe('The traces that max_token_count excluded, by timestamp; null if there are none.'),
    token_count: z
      .int()
      .optional()
      .describe('With max_token_count, how many tokens (o200k) the serialised results have at most.'),
  })
  .meta({ id: 'SummaryExport' });

const FullExport = z
  .object({ ...exported, export_format: z.literal('full'), results: z.array(FullResult) })
  .meta({ id: 'FullExport' });

const LinkedExport = z
  .object({
    ...exported,
    export_format: z.literal('linked'),
    results: z.array(LinkedTrace),
    edges: z.array(Edge).describe('The links of these results.'),
    missing: z.array(z.string()).describe('The uids that these results link to and that no trace has.'),
  })
  .meta({ id: 'LinkedExport' });

const DiffExport = z
  .object({
    ...exported,
    export_format: z.literal('diff'),
    results: z.array(DiffResult),
    from_seq: z.number().int().describe('The earlier point.'),
  })
  .meta({ id: 'DiffExport' });

export const Export = z
  .discriminatedUnion('export_format', [SummaryExport, FullExport, LinkedExport, DiffExport])
  .meta({ id: 'ContextExport' });

/** One line of an export as NDJSON: a result of the format that was asked for. */
export const ExportLine = z
  .union([SummaryResult, FullResult, LinkedTrace, DiffResult])
  .meta({ description: 'One result of an export, of the format that the request named.' });

/** An export while it is made, when its format is a parameter. */
export type Export = Omit<z.input<typeof FullExport>, 'export_format' | 'results'> &
  Partial<Pick<z.input<typeof SummaryExport>, 'omitted' | 'token_count'>> &
  Partial<Pick<z.input<typeof LinkedExport>, 'edges' | 'missing'>> &
  Partial<Pick<z.input<typeof DiffExport>, 'from_seq'>> & { export_format: ExportFormat; results: object[] };

export const CheckpointsQuery = z.strictObject({ user_id: UserId, ...PageQuery });

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
          .describe(
            'Whether the results have feedback_rating and notes. The default is true, and false for summaries.',
          ),
        as_of: z.union([AsOf, z.number().int().min(0).transform(String)]),
      })
      .describe('The parameters of the export, as for GET /memport/export.'),
  })
  .meta({ id: 'NewCheckpoint', description: 'A tag, and the parameters of the export to store under it.' });
export type NewCheckpoint = z.infer<typeof NewCheckpoint>;

export const MovedCheckpoint = z.strictObject({
  user_id: UserId,
  tag: CheckpointTag,
  as_of: AsOf.describe('The seq or time to which the checkpoint is moved; by default now.'),
});
export type MovedCheckpoint = z.infer<typeof MovedCheckpoint>;

export const Checkpoint = z
  .object({
    tag: z.string(),
    seq: z.number().int(),
    created_at: InstantOut,
    actor: Actor.describe('Who made the checkpoint.'),
    parameters: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'Checkpoint' });
export type Checkpoint = z.infer<typeof Checkpoint>;
