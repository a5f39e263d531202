/** Shapes of an import: traces as a full export answers them. */
import { z } from 'zod';
import { MAX_DURATION } from '../calendar/schemas.ts';
import { list, unreadList } from '../domain/record/bounded-collections.ts';
import { STATUSES } from '../domain/plan/plan.ts';
import { TimeIn, Uid } from '../domain/record/field-shapes.ts';
import { ActionTypeIn, Metadata, TraceIn } from '../memory/schemas.ts';

/** Traces of one import: more than 16 MiB of an export's lines hold. */
const MAX_IMPORT = 50_000;
/** Plans gather more links than a push may bring. */
const MAX_LINKS = 100_000;
const MAX_NOTE = 100_000;

/** What the service gives to a trace: taken along in exports, given anew on import. */
const given = z
  .object({
    version: z.unknown(),
    seq: z.unknown(),
    recorded_at: z.unknown(),
    updated_at: z.unknown(),
    summary: z.unknown(),
    origin: z.unknown(),
    group: z.unknown(),
    depth: z.unknown(),
  })
  .partial();

const Links = list(Uid, MAX_LINKS).optional();
const Minutes = z.number().min(0).max(MAX_DURATION).nullable();
const Name = z.string().max(255);
const Note = z.string().max(MAX_NOTE).nullable();

/** What happened to a plan, as its export tells it. */
const record = z
  .object({
    decision: z
      .object({
        by: Name,
        code: Name,
        note: Note,
        at: TimeIn,
        alternatives: list(z.object({ start: TimeIn, end: TimeIn }), 100).optional(),
      })
      .nullable(),
    temporal_estimate: z.object({
      start: TimeIn.nullable(),
      end: TimeIn.nullable(),
      duration_minutes: Minutes,
    }),
    executed_at: TimeIn.nullable(),
    expires_at: TimeIn.nullable(),
    proposed_by: Name,
    attempts: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER),
    last_error: Note,
    revision: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER),
  })
  .partial();

const Transition = z.object({
  plan_uid: Uid,
  from: z.enum(STATUSES),
  to: z.enum([...STATUSES, 'edited']),
  actor: Name,
  code: Name,
  note: Note,
});

export const ImportTrace = z
  .strictObject({
    subject: z
      .literal(
        'trace',
        'must be trace: events go back through POST /calendar/import, the profile through PATCH /user/update',
      )
      .optional(),
    ...TraceIn.omit({ timezone: true, status: true, action_type: true }).shape,
    uid: Uid,
    timestamp: TimeIn,
    linked_trace_ids: Links,
    child_trace_ids: Links,
    user_id: z.string().max(64).optional().describe('Becomes yours.'),
    ...record.shape,
    title: z.string().max(500).optional(),
    arguments: Metadata.optional().describe('Kept as given: an imported plan is a record.'),
    status: z.enum(STATUSES).optional(),
    action_type: ActionTypeIn.optional(),
    transition: Transition.optional(),
    ...given.shape,
  })
  .meta({ id: 'ImportTrace', description: 'A trace as GET /memport/export?export_format=full answers it.' });
export type ImportTrace = z.infer<typeof ImportTrace>;

/** The envelope of an export is welcome, that of another account too: it can be sent back as it came. What it tells is not looked at. */
const envelope = z
  .object({
    user_id: z
      .string()
      .max(64)
      .describe('With results: whose they were; they become yours. With traces it may only name the caller.'),
    export_format: z.enum(['full', 'linked']),
    groups: z.unknown(),
    omitted: z.unknown(),
    edges: z.unknown(),
    missing: z.unknown(),
    from_seq: z.unknown(),
    checkpoint: z.unknown(),
    as_of_seq: z.unknown(),
    generated_at: z.unknown(),
    next_cursor: z.unknown(),
  })
  .partial();

export const ImportBody = z
  .strictObject({
    ...envelope.shape,
    traces: unreadList(ImportTrace, MAX_IMPORT).optional(),
    results: unreadList(ImportTrace, MAX_IMPORT).optional(),
  })
  .refine(
    (body) => (body.traces === undefined) !== (body.results === undefined),
    'send either traces, or results as exported',
  )
  .meta({ id: 'ImportBody' })
  .transform(({ traces, results, user_id }) =>
    traces
      ? { sent: { items: traces, member: 'traces' as const }, user_id }
      : { sent: { items: results ?? [], member: 'results' as const } },
  );

export const ImportReport = z
  .object({
    created: z.number().int(),
    unchanged: z.number().int().describe('Were there with the same content.'),
    conflicts: z.array(z.string()).describe('Uids that exist with other content, or were removed: left as they are.'),
  })
  .meta({ id: 'TraceImportReport' });
export type ImportReport = z.infer<typeof ImportReport>;
