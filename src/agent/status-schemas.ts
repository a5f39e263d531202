/** Schemas of the state of agents: the executor and the queue, each agent, and the limits of a plan. */
import { z } from 'zod';
import { Actor, InstantOut, TimeIn, Uid, Zone } from '../domain/record/field-shapes.ts';
import { LimitUsage } from '../domain/plan/limits.ts';
import { UserId } from '../http/shapes.ts';

export const PlanLimitsQuery = z.strictObject({
  user_id: UserId,
  uid: Uid,
  scheduled_for: TimeIn.optional().describe('Another time at which the plan would be approved; by default its own.'),
  timezone: Zone.optional(),
});

export const PlanLimit = LimitUsage.extend({
  needed: z.number().int().describe('What the plan takes of it. Above `left`, the approval is 409 `limit_reached`.'),
}).meta({
  id: 'PlanLimit',
  description:
    'One rule of the limits that a plan counts in, in the local day or ISO week of the plan. The plan itself is not counted. An approval needs `needed` of `left`, in which proposals that wait do not count. Of a plan that repeats it is the day or week where least is left.',
});

export const AgentActivity = z
  .object({
    agent: Actor,
    proposed: z.int().describe('The plans that wait for a decision.'),
    approved: z.int(),
    rejected: z.int().describe('The plans that were rejected, withdrawn, cancelled or refused by a limit.'),
    executed: z.int(),
    last_used_at: InstantOut.nullable().describe('When the key was used last; null where it was revoked.'),
  })
  .meta({ id: 'AgentActivity', description: 'The plans of an agent key, counted by their present status.' });

export const AgentStatus = z
  .object({
    executor: z.object({
      mode: z.enum(['automatic', 'manual']),
      running: z.boolean(),
      last_run: InstantOut.nullable(),
      overdue: z.number().int(),
    }),
    queue: z
      .object({ proposed: z.int(), approved: z.int(), rejected: z.int(), executed: z.int() })
      .describe('The number of plans with each status; imported plans that are records do not count.'),
    next_due: InstantOut.nullable(),
    limits: z.array(LimitUsage).describe('Of today and this week. Proposals that wait count in `left`.'),
    planner: z
      .object({ mode: z.enum(['built-in', 'model']), model: z.string().nullable() })
      .describe(
        'Who reads sentences: the built-in planner, in English, or a language model of this name (docs/models.md).',
      ),
  })
  .meta({ id: 'AgentStatus' });
