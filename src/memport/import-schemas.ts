/** Schemas of an import: traces as a full export answers them. */
import { z } from 'zod';
import { unreadList } from '../domain/record/bounded-collections.ts';
import { ImportedTransition, PLAN_FIELDS } from '../domain/plan/plan-fields.ts';
import { TimeIn, Uid } from '../domain/record/field-shapes.ts';
import { partsOf } from '../domain/record/fields.ts';
import { TRACE_FIELDS } from '../domain/record/trace.ts';
import { TraceIn } from '../memory/schemas.ts';

/** An import has at most this many traces. The lines of 16 MiB of an export are fewer. */
const MAX_IMPORT = 50_000;

/** Fields that the service sets. Exports contain them; an import ignores them and sets its own. */
export const ANEW = z.object({ ...partsOf(TRACE_FIELDS, 'anew'), group: z.unknown(), depth: z.unknown() }).partial();

export const ImportTrace = z
  .strictObject({
    subject: z
      .literal(
        'trace',
        'must be trace; import events with POST /calendar/import and the profile with PATCH /user/update',
      )
      .optional(),
    ...TraceIn.omit({ timezone: true }).shape,
    ...z.object({ ...partsOf(TRACE_FIELDS, 'imported'), ...partsOf(PLAN_FIELDS, 'imported') }).partial().shape,
    uid: Uid,
    timestamp: TimeIn,
    user_id: z
      .string()
      .max(64)
      .optional()
      .describe('The user of the export; the imported trace belongs to the caller.'),
    transition: ImportedTransition.optional(),
    ...ANEW.shape,
  })
  .meta({ id: 'ImportTrace', description: 'A trace as GET /memport/export?export_format=full answers it.' });
export type ImportTrace = z.infer<typeof ImportTrace>;

/** The envelope of an export, which may be sent back unchanged, also that of another account. Its members are ignored. */
const envelope = z
  .object({
    user_id: z
      .string()
      .max(64)
      .describe(
        'With results, the user of the export; the imported traces belong to the caller. With traces it may only name the caller.',
      ),
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
    'send either traces, or the results of an export',
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
    unchanged: z.number().int().describe('The number of traces that already existed with the same content.'),
    waiting: z
      .number()
      .int()
      .describe('The number of created plans that wait for a decision, as they did where they were exported.'),
    conflicts: z
      .array(z.string())
      .describe('The uids of traces that already exist with other content or were removed. They did not change.'),
  })
  .meta({ id: 'TraceImportReport' });
export type ImportReport = z.infer<typeof ImportReport>;
