/** Schemas of memory traces. */
import { z } from 'zod';
import { list } from '../domain/record/bounded-collections.ts';
import { PatchOperation } from '../domain/record/json-patch.ts';
import { PlanFields, planInput } from '../domain/plan/plan-fields.ts';
import { STATUSES } from '../domain/plan/plan.ts';
import { Origin, StoredTrace, traceInput } from '../domain/record/trace.ts';
import { RecordedAt, Tag, TaskId, TimeIn, Uid, Zone } from '../domain/record/field-shapes.ts';
import { AsOf, UserId } from '../http/shapes.ts';
import { PageQuery } from '../http/cursors.ts';

export const TraceType = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,63}$/, 'must be lower-case letters, digits and underscores, at most 64')
  .describe('observation, reflection, agent_plan, calendar_event, or a type of your own.');

const Timezone = Zone.optional().describe('Zone of wall times given here without offset.');

export const TraceIn = z
  .strictObject({
    uid: Uid.optional().describe(
      'Your own; default a UUIDv7. The same uid with the same body is the same answer again.',
    ),
    user_id: UserId,
    type: TraceType,
    ...z.object(traceInput).partial().shape,
    content: traceInput.content,
    timezone: Timezone,
    status: z.literal('proposed').optional().describe('agent_plan only: a plan can only start as proposed.'),
    ...z.object(planInput).partial().shape,
  })
  .meta({
    id: 'TraceInput',
    description: 'A trace to store. Only type and content are required; plan fields only with type agent_plan.',
  });
export type TraceIn = z.infer<typeof TraceIn>;

export const TraceUpdates = z
  .strictObject({
    ...z.object(traceInput).partial().shape,
    timezone: Timezone,
    ...z.object(planInput).omit({ action_type: true, target_event_uid: true }).partial().shape,
  })
  .meta({ id: 'TraceUpdates', description: 'New values. Plan fields only on plans.' });
export type TraceUpdates = z.infer<typeof TraceUpdates>;

/** A trace as the API answers it, without the sensitive fields for most credentials. */
const ShownTrace = StoredTrace.partial({ authored_by: true, chat_url: true });

export const Trace = ShownTrace.extend(PlanFields.partial().shape).meta({
  id: 'Trace',
  description:
    'A memory trace; with the plan fields where type is agent_plan, with transition on the record of a plan’s transition.',
});
export type Trace = z.infer<typeof Trace>;

export const Plan = ShownTrace.omit({ transition: true, removed: true })
  .extend({ ...PlanFields.shape, type: z.literal('agent_plan') })
  .meta({ id: 'Plan', description: 'An agent_plan trace.' });
export type Plan = z.infer<typeof Plan>;

export const Saved = Trace.pick({ uid: true, timestamp: true, version: true, seq: true }).meta({ id: 'SavedTrace' });
export type Saved = z.infer<typeof Saved>;

export const PullQuery = z.strictObject({
  user_id: UserId,
  task_id: TaskId.optional(),
  tempo_tag: Tag.optional(),
  type: TraceType.optional(),
  tag: Tag.optional(),
  status: z.enum(STATUSES).optional(),
  origin: Origin.optional(),
  start_time: TimeIn.optional(),
  end_time: TimeIn.optional(),
  order: z.enum(['asc', 'desc']).default('desc').describe('By timestamp.'),
  as_of: AsOf,
  ...PageQuery,
});
export type PullQuery = z.infer<typeof PullQuery>;

export const HistoryEntry = z
  .object({
    version: z.number().int(),
    seq: z.number().int(),
    recorded_at: RecordedAt,
    actor: z.string(),
    action: z.string().describe('created, updated, removed, proposed, approved, rejected, executed, edited'),
    changes: z.array(PatchOperation).describe('RFC 6902, from the version before; empty on the first.'),
    trace: Trace,
  })
  .meta({ id: 'HistoryEntry' });
export type HistoryEntry = z.infer<typeof HistoryEntry>;

export const SearchMode = z
  .enum(['hybrid', 'keyword', 'tag', 'semantic'])
  .describe(
    'hybrid: all of them, fused. keyword: any of the words, the telling ones first. tag: @word, #word and every other word as a tag. semantic: by embedding.',
  );

export const SearchBody = z
  .strictObject({
    user_id: UserId,
    query: z.string().max(10_000).describe('Words, "phrases", @tags and #tags.'),
    mode: SearchMode.default('hybrid'),
    task_id: TaskId.optional(),
    tempo_tag: Tag.optional(),
    tags: list(Tag, 100)
      .default([])
      .describe('Only traces with every one of these, whatever their sign and letter case; tempo_tag counts.'),
    type: TraceType.optional(),
    start_time: TimeIn.optional(),
    end_time: TimeIn.optional(),
    as_of: z.union([AsOf, z.number().int().min(0).transform(String)]),
    limit: z.number().int().min(1).max(100).default(10),
    explain: z.boolean().default(false),
  })
  .meta({ id: 'SearchQuery' });
export type SearchBody = z.infer<typeof SearchBody>;

const ArmExplained = z.object({
  rank: z.number().int(),
  score: z.number(),
  matched: z.array(z.string()).optional().describe('Word stems and times the trace has, or tags.'),
  lent: z.array(z.string()).optional().describe('Words that those before and after it in its task have.'),
  task: z.number().optional().describe('What its whole task adds to the score.'),
  embedder: z.string().optional(),
});

export const SearchHit = z
  .object({
    ...StoredTrace.pick({ uid: true, type: true, task_id: true, tempo_tag: true, timestamp: true, summary: true })
      .shape,
    snippet: z.string().describe('The place that matches, hits marked with **.'),
    confidence: z.number().min(0).max(1).describe('Share of what was asked that was found; never rises down the list.'),
    explain: z
      .object({
        mode: SearchMode,
        arms: z.object({ keyword: ArmExplained, tag: ArmExplained, semantic: ArmExplained }).partial(),
        boost: z.number().describe('What recency and feedback made of the scores: 1 is nothing.'),
        corrected: z
          .record(z.string(), z.string())
          .optional()
          .describe('Words no trace has, and what was looked for instead.'),
        unavailable: z.record(z.string(), z.string()).optional().describe('Arms that did not take part, and why.'),
        degraded: z
          .record(z.string(), z.string())
          .optional()
          .describe('Arms that did not work as configured, and why: the built-in embedder in place of the model.'),
        waiting: z
          .number()
          .int()
          .optional()
          .describe('Ledger entries the embedding model has not read yet: traces among them are found by words only.'),
      })
      .optional(),
  })
  .meta({ id: 'SearchHit' });
export type SearchHit = z.infer<typeof SearchHit>;
