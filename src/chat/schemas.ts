/** Schemas of the chat endpoints. */
import { z } from 'zod';
import { PlanContext, Prompt } from '../agent/schemas.ts';
import { list } from '../domain/record/bounded-collections.ts';
import { InstantOut, Uid } from '../domain/record/field-shapes.ts';
import { UserId } from '../http/shapes.ts';
import { Plan, Trace } from '../memory/schemas.ts';

export const RespondRequest = z
  .strictObject({
    user_id: UserId,
    prompt: Prompt,
    context: PlanContext.optional(),
    stream: z.boolean().optional().describe('true = an event stream, as with Accept: text/event-stream.'),
  })
  .meta({ id: 'RespondRequest' });

const Command = z.looseObject({ action_type: z.string(), title: z.string(), reasoning: z.string() }).meta({
  id: 'Command',
  description:
    'One action as it was understood, before it was placed: action_type, title, times or window, duration, tags, target.',
});

export const Response = z
  .object({
    reply: z.string(),
    commands: z.array(Command),
    plans: z.array(Plan).describe('What entered the queue; refused ones included.'),
    traces: z.array(Trace).describe('The recorded prompt and reply, and the traces that were found relevant.'),
    planner: z.object({ mode: z.enum(['built-in', 'model']), model: z.string().nullable() }),
    warnings: z.array(z.string()),
  })
  .meta({ id: 'ChatResponse' });
export type Response = z.infer<typeof Response>;

/** A plan that is not stored: where it would be placed and why. */
export const Preview = Plan.meta({
  id: 'PlanPreview',
  description: 'A proposal as it would enter the queue; nothing was kept.',
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
    .describe('Tokens (o200k) for all summaries together.'),
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
      .describe('Who wrote it; told where a model is configured. Extracts are verbatim sentences.'),
  })
  .meta({ id: 'TraceSummary' });
