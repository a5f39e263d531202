/** Shapes of memory traces. */
import { z } from 'zod';
import { dictionary, list } from '../domain/record/bounded-collections.ts';
import { PatchOperation } from '../domain/record/json-patch.ts';
import { ACTION_ALIASES, ACTION_TYPES, STATUSES, type ActionType } from '../domain/plan/plan.ts';
import { PlanArguments } from '../domain/plan/plan-arguments.ts';
import { MAX_CONTENT } from '../domain/record/trace.ts';
import { InstantOut, RecordedAt, Tag, TaskId, TimeIn, Uid, Zone } from '../domain/record/field-shapes.ts';
import { AsOf, UserId } from '../http/shapes.ts';
import { PageQuery } from '../http/cursors.ts';

const METADATA_MAX_BYTES = 16 * 1024;

export const TraceType = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,63}$/, 'must be lower-case letters, digits and underscores, at most 64')
  .describe('observation, reflection, agent_plan, calendar_event, or a type of your own.');

/** Not more than fit into 16 KiB. */
const MAX_MEMBERS = 4_096;

export const Metadata = dictionary(z.string().max(METADATA_MAX_BYTES), z.unknown(), MAX_MEMBERS)
  .refine((m) => Buffer.byteLength(JSON.stringify(m)) <= METADATA_MAX_BYTES, 'must be at most 16 KiB of JSON')
  .describe('The caller’s own data, returned as given; at most 16 KiB.');

const Uids = list(Uid, 1000);
const Rating = z.number().min(1).max(5).describe('1 (bad) to 5 (good).');
const Content = z.string().min(1).max(MAX_CONTENT);

/** What may be changed later, each with null meaning "none". */
const changeable = {
  task_id: TaskId.nullable(),
  tempo_tag: Tag.nullable(),
  timestamp: TimeIn.describe('When it happened; default now.'),
  content: Content,
  tags: list(Tag, 100),
  metadata: Metadata,
  linked_trace_ids: Uids,
  child_trace_ids: Uids,
  linked_event_uid: Uid.nullable(),
  feedback_rating: Rating.nullable(),
  notes: z.string().max(MAX_CONTENT).nullable(),
  authored_by: z
    .string()
    .max(1000)
    .nullable()
    .describe('Sensitive: shown to credentials with export:sensitive only, not even to the agent that set it.'),
  chat_url: z
    .string()
    .max(4000)
    .nullable()
    .describe('Sensitive: shown to credentials with export:sensitive only, not even to the agent that set it.'),
};

export const ActionTypeIn = z
  .enum([...ACTION_TYPES, 'add_event', 'reschedule_event'])
  .transform((a) => ACTION_ALIASES[a] ?? (a as ActionType))
  .describe(
    'schedule, reflect, reschedule, log; add_event and reschedule_event are taken for schedule and reschedule.',
  );

/** What a proposal may say of itself. */
export const planInput = {
  title: z.string().trim().min(1).max(500),
  action_type: ActionTypeIn,
  scheduled_for: TimeIn.nullable(),
  duration_minutes: z
    .number()
    .int()
    .min(1)
    .max(7 * 24 * 60)
    .nullable(),
  target_event_uid: Uid.nullable(),
  arguments: PlanArguments,
  reasoning: z.string().max(10_000),
};

const Timezone = Zone.optional().describe('Zone of wall times given here without offset.');

export const TraceIn = z
  .strictObject({
    uid: Uid.optional().describe(
      'Your own; default a UUIDv7. The same uid with the same body is the same answer again.',
    ),
    user_id: UserId,
    type: TraceType,
    ...z.object(changeable).partial().shape,
    content: Content,
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
    ...z.object(changeable).partial().shape,
    timezone: Timezone,
    ...z.object(planInput).omit({ action_type: true, target_event_uid: true }).partial().shape,
  })
  .meta({ id: 'TraceUpdates', description: 'New values. Plan fields only on plans.' });
export type TraceUpdates = z.infer<typeof TraceUpdates>;

const Decision = z
  .object({
    by: z.string(),
    code: z.string().describe('user, withdrawn, expired, cancelled, failed, slot_taken, limit:*, slot:*'),
    note: z.string().nullable(),
    at: InstantOut,
    alternatives: z
      .array(z.object({ start: InstantOut, end: InstantOut }))
      .optional()
      .describe('Free times instead, where a slot was refused.'),
  })
  .meta({ id: 'Decision' });

const Transition = z
  .object({
    plan_uid: z.string(),
    from: z.enum(STATUSES),
    to: z.enum([...STATUSES, 'edited']),
    actor: z.string(),
    code: z.string(),
    note: z.string().nullable(),
  })
  .meta({ id: 'Transition' });

const HIDDEN = 'Left out for credentials without export:sensitive; its value is then blanked in every text too.';

const trace = {
  uid: z.string(),
  user_id: z.string(),
  task_id: z.string().nullable(),
  tempo_tag: z.string().nullable(),
  type: z.string(),
  timestamp: InstantOut,
  content: z.string(),
  summary: z.string().describe('Compressed form: extractive and deterministic.'),
  tags: z.array(z.string()),
  metadata: z.record(z.string(), z.unknown()),
  linked_trace_ids: z.array(z.string()),
  child_trace_ids: z.array(z.string()),
  linked_event_uid: z.string().nullable(),
  feedback_rating: z.number().nullable(),
  notes: z.string().nullable(),
  authored_by: z.string().nullable().optional().describe(HIDDEN),
  chat_url: z.string().nullable().optional().describe(HIDDEN),
  origin: z.enum(['user', 'agent', 'system', 'import']),
  version: z.number().int(),
  recorded_at: RecordedAt,
  updated_at: RecordedAt,
  seq: z.number().int().describe('Position in the user’s ledger.'),
};

const plan = {
  title: z.string(),
  action_type: z.enum(ACTION_TYPES),
  status: z.enum(STATUSES),
  scheduled_for: InstantOut.nullable(),
  duration_minutes: z.number().nullable(),
  target_event_uid: z.string().nullable(),
  arguments: z.record(z.string(), z.unknown()),
  reasoning: z.string(),
  temporal_estimate: z.object({
    start: InstantOut.nullable(),
    end: InstantOut.nullable(),
    duration_minutes: z.number().nullable(),
  }),
  decision: Decision.nullable(),
  expires_at: InstantOut.nullable(),
  executed_at: InstantOut.nullable(),
  proposed_by: z.string().describe('Actor that made the proposal.'),
  attempts: z.number().int(),
  last_error: z.string().nullable(),
  revision: z
    .number()
    .int()
    .describe(
      'Version at which what is decided on last changed: title, content, action, time, length, target, arguments, task or tempo tag. A decision is bound to it.',
    ),
};

export const Trace = z
  .object({
    ...trace,
    transition: Transition.optional(),
    removed: z.literal(true).optional(),
    ...z.object(plan).partial().shape,
  })
  .meta({
    id: 'Trace',
    description:
      'A memory trace; with the plan fields where type is agent_plan, with transition on the record of a plan’s transition.',
  });
export type Trace = z.infer<typeof Trace>;

export const Plan = z
  .object({ ...trace, ...plan, type: z.literal('agent_plan') })
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
  origin: z.enum(['user', 'agent', 'system', 'import']).optional(),
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
    ...z.object(trace).pick({ uid: true, type: true, task_id: true, tempo_tag: true, timestamp: true, summary: true })
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
