/** Schemas of the chat endpoints. */
import { z } from 'zod';
import { Literal, LITERAL_FAULT, literalWithin, ProposedPlan, Reading } from '../agent/reading-schemas.ts';
import { PlanContext, Prompt } from '../agent/schemas.ts';
import { QUESTION_KINDS, PARTS_OF_DAY } from '../domain/planner/intents/types.ts';
import { PlanArguments } from '../domain/plan/plan-arguments.ts';
import { ACTION_TYPES } from '../domain/plan/plan.ts';
import { list } from '../domain/record/bounded-collections.ts';
import { InstantOut, Uid } from '../domain/record/field-shapes.ts';
import { ProblemBody } from '../http/problems/json.ts';
import { UserId } from '../http/shapes.ts';
import { Occurrence } from '../calendar/schemas.ts';
import { Plan, Trace } from '../memory/schemas.ts';

export const RespondRequest = z
  .strictObject({
    user_id: UserId,
    prompt: Prompt,
    literal: Literal.optional(),
    context: PlanContext.optional(),
    in_reply_to: Uid.optional().describe(
      'The uid of the reply that this prompt continues: the trace with metadata.role `reply` in its `traces`. Without it a prompt continues the last reply of the last hour to the same credential, and one with `literal` continues none.',
    ),
    stream: z.boolean().optional().describe('Whether to answer as an event stream, as with Accept: text/event-stream.'),
  })
  .refine(literalWithin, LITERAL_FAULT)
  .meta({ id: 'RespondRequest' });

const Span = z.object({ start: InstantOut, end: InstantOut });

const Command = z
  .object({
    action_type: z.enum(ACTION_TYPES),
    title: z.string().describe('What is to be done. For a change, the title of the event or proposal that is meant.'),
    content: z.string(),
    task_id: z.string().optional(),
    tempo_tag: z.string().optional(),
    tags: z.array(z.string()),
    scheduled_for: InstantOut.optional().describe('The exact time that was named or follows from the words.'),
    between: Span.optional().describe('The window in which free time is looked for.'),
    part_of_day: z
      .enum(PARTS_OF_DAY)
      .optional()
      .describe('The part of each day that was asked for, where `between` spans several days.'),
    avoid: z.array(Span).optional().describe('Times within `between` that were left out.'),
    duration_minutes: z.number().optional(),
    duration_delta_minutes: z.number().optional().describe('By how much the length changes.'),
    rrule: z.string().optional(),
    exdates: z.array(InstantOut).optional().describe('The occurrences of the series that were left out.'),
    target_event_uid: z.string().optional().describe('The event that is to change.'),
    target_plan_uid: z.string().optional().describe('The waiting proposal that was corrected.'),
    arguments: PlanArguments,
    reasoning: z.string().describe('Which words of the prompt led to it.'),
    reading: Reading.optional(),
  })
  .meta({
    id: 'Command',
    description: 'An action as the planner understood it, before it has a slot. What was not said is missing.',
  });

const AskedQuestion = z
  .object({
    kind: z.enum(QUESTION_KINDS).describe('What is asked; other is anything that is looked up in memory.'),
    about: z.string().describe('The words that say what it is about; empty where there are none.'),
    time: Span.nullable(),
  })
  .meta({ id: 'AskedQuestion', description: 'A question as it was understood.' });

const Choice = z
  .object({
    label: z
      .string()
      .describe(
        'What it means. Sent as the next prompt, with `in_reply_to`, it chooses; so do words such as “the first” or “both”.',
      ),
    commands: z.array(Command).describe('What would be proposed.'),
  })
  .meta({ id: 'Choice', description: 'One of several readings of a prompt that differ in their effect.' });

export const Response = z
  .object({
    reply: z
      .string()
      .describe(
        'What is proposed, and the answers to questions: a list, or prose of the model with the numbers of its sources, which follow.',
      ),
    commands: z
      .array(Command)
      .describe(
        'What was understood as a request, in the order of `plans`: each plan carries out the command of its place.',
      ),
    questions: z.array(AskedQuestion).describe('What was understood as a question.'),
    choices: z
      .array(Choice)
      .describe('The readings, or the free times, between which the reply asks; nothing is proposed of them yet.'),
    plans: z.array(Plan).describe('The proposals, including those that were refused.'),
    traces: z
      .array(Trace)
      .describe(
        'The traces of the prompt and the reply (with metadata.role), and then the traces that an answer rests on.',
      ),
    events: z.array(Occurrence).describe('The events that an answer rests on.'),
    planner: z.object({ mode: z.enum(['built-in', 'model']), model: z.string().nullable() }),
    warnings: z.array(z.string()),
  })
  .meta({ id: 'ChatResponse' });
export type Response = z.infer<typeof Response>;

/** An event of the stream (text/event-stream), whose data is JSON. */
export const ChatEvent = z.discriminatedUnion('event', [
  z
    .object({ event: z.literal('delta'), data: z.object({ text: z.string() }) })
    .meta({ description: 'A piece of the reply. `done` may have another reply, which replaces what was sent.' }),
  z
    .object({ event: z.literal('done'), data: Response })
    .meta({ description: 'The last event, with the same object as the JSON answer.' }),
  z
    .object({ event: z.literal('problem'), data: ProblemBody })
    .meta({ description: 'The last event, if the answer failed.' }),
]);

/** A plan that is not stored: where it would be placed and why. */
export const Preview = ProposedPlan.meta({
  id: 'PlanPreview',
  description: 'A proposal as it would be in the queue; it is not stored.',
});

export const SummariesRequest = z.strictObject({
  user_id: UserId,
  trace_ids: list(Uid, 1000).min(1),
  max_token_count: z
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe('The largest number of tokens (o200k) of all summaries together.'),
});

export const TraceSummary = z
  .object({
    uid: z.string(),
    type: z.string(),
    task_id: z.string().nullable(),
    timestamp: InstantOut,
    summary: z.string(),
    token_count: z.number().int(),
    by: z
      .enum(['model', 'extractive'])
      .optional()
      .describe('What wrote the summary, if a model is configured. An extract consists of sentences of the trace.'),
  })
  .meta({ id: 'TraceSummary' });
