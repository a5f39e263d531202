/** Schemas of memory traces. */
import { z } from 'zod';
import { list } from '../domain/record/bounded-collections.ts';
import { PatchOperation } from '../domain/record/json-patch.ts';
import { PlanFields, planInput } from '../domain/plan/plan-fields.ts';
import { STATUSES } from '../domain/plan/plan.ts';
import { TRACE_KINDS } from '../domain/record/trace-kind.ts';
import { Origin, StoredTrace, traceInput } from '../domain/record/trace.ts';
import { Actor, NewUid, RecordedAt, Tag, TaskId, TimeIn, Zone } from '../domain/record/field-shapes.ts';
import { AsOf, UserId } from '../http/shapes.ts';
import { PageQuery } from '../http/cursors.ts';

export const TraceType = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,63}$/, 'must have at most 64 lower-case letters, digits and underscores')
  .describe(
    'The type of the trace: observation, reflection, agent_plan, calendar_event, or a type that the client defines.',
  );

const Kind = z
  .enum(TRACE_KINDS)
  .describe(
    'note: what somebody wrote. plan: a proposal. decision: a transition of a plan. event: a change of the calendar. chat: a prompt or a reply; these have the tag chat.',
  );

const RecordedBy = z
  .string()
  .max(100)
  .describe('Finds only what this agent recorded. The value is `recorded_by` of a trace: `agent:<key id>`.');

const Timezone = Zone.optional().describe(
  'The time zone of times here that have no offset; by default that of the user.',
);

export const TraceIn = z
  .strictObject({
    uid: NewUid.optional().describe(
      'A uid of your choice; by default a UUIDv7. Sent again with the same body, it gives the same answer. Without export:sensitive, only its sender may.',
    ),
    user_id: UserId,
    type: TraceType,
    ...z.object(traceInput).partial().shape,
    content: traceInput.content,
    timezone: Timezone,
    status: z.literal('proposed').optional().describe('For agent_plan only. A new plan is always proposed.'),
    ...z.object(planInput).partial().shape,
  })
  .meta({
    id: 'TraceInput',
    description:
      'A trace to store. Only type and content are required. The fields of plans are allowed for the type agent_plan only.',
  });
export type TraceIn = z.infer<typeof TraceIn>;

export const TraceUpdates = z
  .strictObject({
    ...z.object(traceInput).partial().shape,
    timezone: Timezone,
    ...z.object(planInput).omit({ action_type: true, target_event_uid: true }).partial().shape,
    pinned: z
      .boolean()
      .optional()
      .describe('For plans: whether a person has chosen the time. Agents cannot set it. See Plan.pinned.'),
  })
  .meta({ id: 'TraceUpdates', description: 'The new values. The fields of plans are allowed for plans only.' });
export type TraceUpdates = z.infer<typeof TraceUpdates>;

/** A trace as the API answers it, without the sensitive fields for most credentials. */
const ShownTrace = StoredTrace.partial({ authored_by: true, chat_url: true });

export const Trace = ShownTrace.extend(PlanFields.partial().shape).meta({
  id: 'Trace',
  description:
    'A memory trace. A trace of type agent_plan has the fields of plans; the record of a transition has `transition`.',
});
export type Trace = z.infer<typeof Trace>;

export const Plan = ShownTrace.omit({ transition: true, removed: true })
  .extend({ ...PlanFields.shape, type: z.literal('agent_plan') })
  .meta({ id: 'Plan', description: 'A plan, which is a trace of type agent_plan.' });
export type Plan = z.infer<typeof Plan>;

export const Saved = Trace.pick({ uid: true, timestamp: true, version: true, seq: true }).meta({ id: 'SavedTrace' });
export type Saved = z.infer<typeof Saved>;

export const PullQuery = z.strictObject({
  user_id: UserId,
  task_id: TaskId.optional(),
  tempo_tag: Tag.optional(),
  type: TraceType.optional(),
  kind: Kind.optional(),
  tag: Tag.optional(),
  status: z.enum(STATUSES).optional(),
  origin: Origin.optional(),
  recorded_by: RecordedBy.optional(),
  start_time: TimeIn.optional(),
  end_time: TimeIn.optional(),
  order: z.enum(['asc', 'desc']).default('desc').describe('The order by timestamp.'),
  as_of: AsOf,
  ...PageQuery,
});
export type PullQuery = z.infer<typeof PullQuery>;

export const HistoryEntry = z
  .object({
    version: z.number().int(),
    seq: z.number().int(),
    recorded_at: RecordedAt,
    actor: Actor,
    action: z
      .string()
      .describe('What made this version: created, updated, removed, proposed, approved, rejected, executed or edited.'),
    changes: z
      .array(PatchOperation)
      .describe('The JSON Patch (RFC 6902) from the version before; it is empty for the first version.'),
    trace: Trace,
  })
  .meta({ id: 'HistoryEntry' });
export type HistoryEntry = z.infer<typeof HistoryEntry>;

export const SearchMode = z
  .enum(['hybrid', 'keyword', 'tag', 'semantic'])
  .describe(
    'How to search. keyword finds traces with any of the words and ranks rare words higher. tag reads @word, #word and every other word as a tag. semantic compares embeddings. hybrid combines all three.',
  );

/** It has no name in openapi.yaml, since openapi-typescript takes a default in a named schema for a required member. */
export const SearchBody = z.strictObject({
  user_id: UserId,
  query: z
    .string()
    .max(10_000)
    .describe(
      'The words, "phrases", @tags and #tags to search for: the first 64 words and tags, and the first 8 phrases, count.',
    ),
  mode: SearchMode.default('hybrid'),
  task_id: TaskId.optional(),
  tempo_tag: Tag.optional(),
  tags: list(Tag, 100)
    .default([])
    .describe(
      'Finds only traces that have all of these tags; tempo_tag counts as a tag. @, # and upper case are ignored.',
    ),
  type: TraceType.optional(),
  kind: Kind.optional(),
  origin: Origin.optional(),
  recorded_by: RecordedBy.optional(),
  start_time: TimeIn.optional(),
  end_time: TimeIn.optional(),
  as_of: z.union([AsOf, z.number().int().min(0).transform(String)]),
  limit: z.number().int().min(1).max(100).default(10),
  explain: z.boolean().default(false),
});
export type SearchBody = z.infer<typeof SearchBody>;

const ArmExplained = z.object({
  rank: z.number().int(),
  score: z.number(),
  matched: z.array(z.string()).optional().describe('The word stems, times or tags that the trace has.'),
  lent: z.array(z.string()).optional().describe('The words that the traces before and after it in its task have.'),
  task: z.number().optional().describe('What the whole task adds to the score.'),
  reasons: z.array(z.string()).optional().describe('What else changed the score, in words.'),
  embedder: z.string().optional(),
});

export const SearchHit = z
  .object({
    ...StoredTrace.pick({ uid: true, type: true, task_id: true, tempo_tag: true, timestamp: true, summary: true })
      .shape,
    kind: Kind,
    snippet: z.string().describe('The part of the content that matches, with ** around the matches.'),
    confidence: z
      .number()
      .min(0)
      .max(1)
      .describe('The share of the query that was found. It never rises from one result to the next.'),
    explain: z
      .object({
        mode: SearchMode,
        arms: z.object({ keyword: ArmExplained, tag: ArmExplained, semantic: ArmExplained }).partial(),
        boost: z.number().describe('The factor of recency and feedback in the scores; 1 has no effect.'),
        corrected: z
          .record(z.string(), z.string())
          .optional()
          .describe('Words that no trace has, and the words that were searched for instead.'),
        unavailable: z
          .record(z.string(), z.string())
          .optional()
          .describe('Modes of search that were not used, with the reason.'),
        degraded: z
          .record(z.string(), z.string())
          .optional()
          .describe(
            'Modes of search that did not work as configured, with the reason, such as the built-in embedder in place of the model.',
          ),
        waiting: z
          .number()
          .int()
          .optional()
          .describe(
            'The number of ledger entries that the embedder has not read yet: a model follows the writes, and the built-in one reads again after some upgrades. Traces in them are found by words only.',
          ),
      })
      .optional(),
  })
  .meta({ id: 'SearchHit' });
export type SearchHit = z.infer<typeof SearchHit>;
