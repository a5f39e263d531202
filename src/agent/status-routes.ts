/** Routes under /agent that show the state of agents: the executor and the queue, each agent, and the limits of a plan. */
import { z } from 'zod';
import type { Clock } from '../common/clock.ts';
import { PageQuery } from '../http/cursors.ts';
import { route } from '../http/route.ts';
import { UserId } from '../http/shapes.ts';
import { textPage } from '../http/pages/text-pages.ts';
import type { Executor } from './decide/executor.ts';
import type { Planner } from './prompt/planner.ts';
import { AgentActivity, AgentStatus, PlanLimit, PlanLimitsQuery } from './status-schemas.ts';
import type { AgentService } from './service.ts';

export type StatusRoutesDeps = { agent: AgentService; planner: Planner; executor: Executor; clock: Clock };

export const statusRoutes = ({ agent, planner, executor, clock }: StatusRoutesDeps) => [
  route({
    id: 'getAgentStatus',
    method: 'get',
    path: '/agent/status',
    summary: 'Read the state of the executor, the queue and the limits',
    scopes: ['plan:read'],
    query: z.strictObject({ user_id: UserId }),
    response: AgentStatus,
    handler: async ({ caller }) => {
      const { mode, queue, next_due, limits } = await agent.status(caller.user_id);
      const { is, last_run } = executor.state();
      const overdue = next_due && Date.parse(next_due) < clock.millis() - 1000 ? 1 : 0;
      return {
        executor: { mode, running: is === 'running', last_run, overdue },
        queue,
        next_due,
        limits,
        planner: planner.mode,
      };
    },
  }),
  route({
    id: 'listAgentActivity',
    method: 'get',
    path: '/agent/activity',
    summary: 'Count the plans of each agent',
    description:
      'Lists the agent keys that have proposed plans, by their ids, with the number of their plans in each status. A revoked key keeps its counts and its label.',
    scopes: ['plan:read'],
    query: z.strictObject({ user_id: UserId, ...PageQuery }),
    response: z.array(AgentActivity),
    list: 'counted',
    examples: { query: { limit: 20 } },
    handler: ({ caller: { user_id }, query }) =>
      textPage(query, {
        name: 'activity',
        keyOf: ({ agent: { kind, id } }) => `${kind}:${id}`,
        read: (after, limit) => agent.activity(user_id, after, limit),
        count: () => agent.countAgents(user_id),
      }),
  }),
  route({
    id: 'getPlanLimits',
    method: 'get',
    path: '/agent/limits',
    summary: 'Read which limits a plan uses',
    description:
      'Lists the limits that count the plan, with what is used and left on the local day or in the ISO week of the plan, or of `scheduled_for`. So a person sees before the approval whether the limits allow it. The list is empty for a plan of the person, which no limit binds.',
    problems: ['plan_not_found', 'too_many_occurrences'],
    scopes: ['plan:read'],
    query: PlanLimitsQuery,
    response: z.array(PlanLimit),
    list: 'complete',
    examples: { query: { uid: 'call-supplier' } },
    handler: ({ caller, query }) => agent.limitsOf(caller, query),
  }),
];
