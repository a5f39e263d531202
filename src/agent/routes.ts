/** Routes under /agent: propose, decide, execute, give feedback, read the status. */
import { z } from 'zod';
import type { Caller } from '../domain/access/caller.ts';
import { invalidAt } from '../common/problem.ts';
import type { Seen } from './decide/decisions.ts';
import { NOT_IN_IT, NOT_ITS_PARTNER, refuseOtherVersions, seen, type Bound, type Target } from './named-plans.ts';
import { KEYS, readCursor, writeCursor } from '../http/cursors.ts';
import { problemInAnswer, problemItem } from '../http/problems/json.ts';
import { reply, route, routes, type RequestFacts, type Route } from '../http/route.ts';
import { Uid } from '../domain/record/field-shapes.ts';
import { UserId } from '../http/shapes.ts';
import { asRead } from './prompt/planner.ts';
import { ProposedPlan } from './reading-schemas.ts';
import { Plan, Trace } from '../memory/schemas.ts';
import type { PlanDoc } from '../domain/record/trace.ts';
import {
  ApproveRequest,
  Decided,
  ExecuteRequest,
  ExecutionLog,
  FeedbackRequest,
  MOST_DECIDED,
  PlanRequest,
  PROPOSING_PROBLEMS,
  QueuedPlan,
  QueueQuery,
  RejectRequest,
  UndoRequest,
} from './schemas.ts';
import { statusRoutes, type StatusRoutesDeps } from './status-routes.ts';
import { takeBackRoutes } from './undo/routes.ts';

// oxlint-disable-next-line eslint/max-lines-per-function -- This is a table of routes.
export const agentRoutes = ({ agent, planner, executor, clock }: StatusRoutesDeps): Route[] => {
  /** The plans that a request decides on. @throws 404, 422 */
  const targetsOf = async (
    caller: Caller,
    { uids, proposal_id, ...bound }: Target & Bound,
    which: 'waiting' | 'decided',
  ): Promise<string[]> => {
    if (proposal_id === undefined) return [...new Set(uids)];
    const plans = await agent.proposal(caller.user_id, proposal_id);
    const chosen = plans.flatMap((plan) => (plan.open === (which === 'waiting') ? [plan.uid] : []));
    refuseOtherVersions(bound, NOT_IN_IT, (uid) => plans.some((plan) => plan.uid === uid));
    // What a later plan changed is taken back before what an earlier one did.
    if (chosen.length <= MOST_DECIDED) return which === 'decided' ? chosen.toReversed() : chosen;
    const what = which === 'waiting' ? 'plans that wait for a decision' : 'plans that were decided on';
    const message = `has ${chosen.length} ${what}; name at most ${MOST_DECIDED} of them in uids`;
    throw invalidAt('/proposal_id', 'too_big', message);
  };

  /** Decides. For one uid it answers the plan, otherwise an array with a result for each. */
  const decide = async (
    caller: Caller,
    target: Target & Bound,
    request: RequestFacts,
    one: (uid: string, seen: Seen) => Promise<PlanDoc>,
    which: 'waiting' | 'decided' = 'waiting',
  ) => {
    const seenOf =
      (named: readonly string[]): Seen =>
      (uid) =>
        seen(target, uid, named, request);
    if (target.uid !== undefined) {
      if (target.expected_versions !== undefined) {
        const { swaps_with } = await agent.plan(caller.user_id, target.uid);
        refuseOtherVersions(target, NOT_ITS_PARTNER, (uid) => uid === swaps_with);
      }
      const plan = await one(target.uid, seenOf([target.uid]));
      return reply(plan, { etag: plan.version });
    }
    const named = await targetsOf(caller, target, which);
    const results = await agent.each(caller, named, (uid) => one(uid, seenOf(named)));
    return reply(
      results.map(({ item: uid, value, problem }) =>
        problem ? { uid, ...problemItem(problem, caller.request_id) } : { uid, status: 200, plan: value as PlanDoc },
      ),
    );
  };

  return routes('agent', [
    route({
      id: 'proposePlans',
      method: 'post',
      path: '/agent/plan',
      summary: 'Propose plans with a prompt or with actions',
      description:
        'Puts the proposals into the planner queue and answers them in order. A proposal that the limits or the calendar refuse has the status rejected, the code of the decision and free alternatives. At most 1,000 proposals of one agent key may wait for a decision, 5,000 of all agents, and 5,000 of the person; more are refused with 409 `too_many_pending`.',
      problems: PROPOSING_PROBLEMS,
      scopes: ['plan:propose'],
      body: PlanRequest,
      response: z.array(ProposedPlan),
      examples: {
        body: {
          actions: [
            {
              uid: 'call-supplier',
              action_type: 'schedule',
              title: 'Call the supplier',
              scheduled_for: '2026-11-27T15:30',
              duration_minutes: 20,
              task_id: 'contract',
            },
          ],
        },
      },
      handler: async ({ caller, body, request }) => {
        if (body.actions)
          return agent.submit(
            caller,
            body.actions.map((a) => agent.fromAction(caller, a)),
          );
        const { context, literal } = body;
        const planned = await planner.plan(caller, body.prompt as string, { context, literal, signal: request.signal });
        return asRead(planned);
      },
    }),
    route({
      id: 'listQueue',
      method: 'get',
      path: '/agent/queue',
      summary: 'List plans that wait for a decision',
      description:
        'Lists plans by time, soonest first; plans without a time come last. `conflicts` names the first 20 other proposals for the same time, and `conflicts_count` counts all of them.',
      scopes: ['plan:read'],
      query: QueueQuery,
      response: z.array(QueuedPlan),
      list: 'counted',
      examples: { query: { status: 'pending', task_id: 'contract' } },
      handler: async ({ caller, query }) => {
        const question = { status: query.status, task_id: query.task_id, proposal_id: query.proposal_id };
        const { items, more, count } = await agent.queue(
          caller.user_id,
          query,
          readCursor(question, query.cursor, KEYS.openTime)?.key,
        );
        const last = items.at(-1);
        return reply(items, {
          count,
          next:
            more && last ? writeCursor(question, { at: 0, key: [last.scheduled_for ?? 'infinity', last.uid] }) : null,
        });
      },
    }),
    route({
      id: 'getPlan',
      method: 'get',
      path: '/agent/plan',
      summary: 'Read one plan',
      problems: ['plan_not_found'],
      scopes: ['plan:read'],
      query: z.strictObject({ user_id: UserId, uid: Uid }),
      response: Plan,
      examples: { query: { uid: 'call-supplier' } },
      handler: async ({ caller, query }) => {
        const plan = await agent.plan(caller.user_id, query.uid);
        return reply(plan, { etag: plan.version });
      },
    }),
    route({
      id: 'approvePlans',
      method: 'post',
      path: '/agent/approve',
      summary: 'Approve plans',
      description:
        'Records the decision of a person. With `edits` the plan is changed and approved in one step. `expected_version` (or If-Match, or `expected_versions` with uids) binds the approval to the version that the person has read; it is required for a plan that was changed after it was proposed, also for the other plan of a swap, whose version is in `expected_versions`. Imported plans are records and cannot be approved. With automatic execution, plans that are due are executed in the same step, so the answer may show them as executed. With `proposal_id`, all plans of the proposal that wait for a decision are approved, each by itself. Two plans that exchange places (`swaps_with`) are approved and executed together, whichever of them is named. With `simulate` nothing is kept: the answer says what an approval would answer now.',
      problems: [
        'plan_not_found',
        'proposal_not_found',
        'event_not_found',
        'source_event',
        'illegal_transition',
        'part_of_swap',
        'slot_taken',
        'limit_reached',
        'series_limit',
        'redacted_field',
        'precondition_required',
        'version_mismatch',
        'too_many_occurrences',
      ],
      scopes: ['plan:decide', 'plan:read'],
      body: ApproveRequest,
      response: Decided,
      examples: { body: { uid: 'call-supplier', note: 'Fine.' } },
      handler: ({ caller, body, request }) =>
        decide(caller, body, request, (uid, seenOf) =>
          agent.approve(caller, uid, { note: body.note, edits: body.edits, seenOf, simulate: body.simulate }),
        ),
    }),
    route({
      id: 'rejectPlans',
      method: 'post',
      path: '/agent/reject',
      summary: 'Reject proposals, or cancel approved plans',
      problems: ['plan_not_found', 'proposal_not_found', 'illegal_transition', 'version_mismatch'],
      scopes: ['plan:decide', 'plan:read'],
      body: RejectRequest,
      response: Decided,
      examples: { body: { uids: ['tidy-notes', 'sort-mail'], note: 'Not this week.' } },
      handler: ({ caller, body, request }) =>
        decide(caller, body, request, (uid, seenOf) => agent.reject(caller, uid, { note: body.note, seenOf })),
    }),
    route({
      id: 'undoDecisions',
      method: 'post',
      path: '/agent/undo',
      summary: 'Take decisions back',
      description:
        'The plan waits for a decision again. What it did is undone in the same write: an event that it made is removed, an event that it moved, renamed or cancelled is as it was before, and a note or reflection that it wrote is removed. Where that was changed since, nothing happens and the answer is 409 `changed_since`. A rejected plan waits again too, also one that expired, was withdrawn or was refused by a limit; where its time is over, it is proposed again for a free time, and the answer is the new proposal; asked for again, it is the same one while that waits. With `simulate` nothing is kept: the answer says whether it is possible, and what the plan would be. Two plans that exchange places are taken back together. With `proposal_id`, all decided plans of the proposal are taken back, each by itself, the last one first.',
      problems: [
        'plan_not_found',
        'proposal_not_found',
        'illegal_transition',
        'changed_since',
        'slot_taken',
        'too_many_pending',
        'series_limit',
        'too_many_occurrences',
        'precondition_required',
        'version_mismatch',
      ],
      scopes: ['plan:decide', 'plan:read'],
      body: UndoRequest,
      response: Decided,
      examples: { body: { uid: 'call-supplier', simulate: true } },
      handler: ({ caller, body, request }) =>
        decide(
          caller,
          body,
          request,
          (uid, seenOf) => agent.undo(caller, uid, { note: body.note, seenOf, simulate: body.simulate }),
          'decided',
        ),
    }),
    route({
      id: 'withdrawPlan',
      method: 'post',
      path: '/agent/withdraw',
      summary: 'Withdraw proposals that this credential made',
      problems: ['plan_not_found', 'proposal_not_found', 'not_yours_to_edit', 'illegal_transition', 'version_mismatch'],
      scopes: ['plan:propose', 'plan:read'],
      body: RejectRequest,
      response: Decided,
      examples: { body: { uid: 'read-paper', note: 'I have read it already.' } },
      handler: ({ caller, body, request }) =>
        decide(caller, body, request, (uid, seenOf) => agent.withdraw(caller, uid, { note: body.note, seenOf })),
    }),
    route({
      id: 'executePlans',
      method: 'post',
      path: '/agent/execute',
      summary: 'Execute or simulate the approved plans of a task',
      description:
        'Executes at most 100 approved plans. A simulation runs the same code in a transaction and rolls it back. If the plans were executed before, the answer is the log of that time with `replayed: true`. A plan whose time has not come is reported as not_due. A plan that cannot be executed has its problem in the log and stays approved, and the other plans are executed. `traces` needs memory:read and `events` calendar:read; without the scope the list is empty.',
      problems: ['task_not_found', 'plan_not_found', 'not_approved'],
      scopes: ['plan:execute'],
      body: ExecuteRequest,
      response: ExecutionLog,
      examples: { body: { task_id: 'contract', simulate: true } },
      handler: async ({ caller, body }) => {
        const run = await agent.execute(caller, body);
        return {
          ...run,
          // What the plans wrote is shown as far as the credential may read it.
          traces: caller.scopes.has('memory:read') ? run.traces : [],
          events: caller.scopes.has('calendar:read') ? run.events : [],
          log: run.log.map(({ problem, ...entry }) => ({
            ...entry,
            ...(problem ? { problem: problemInAnswer(problem, caller.request_id) } : {}),
          })),
        };
      },
    }),
    route({
      id: 'giveFeedback',
      method: 'post',
      path: '/agent/feedback',
      summary: 'Rate a trace or comment on it',
      description:
        'Sets feedback_rating and notes of the trace, writes an observation to the trace log, and answers the trace.',
      problems: ['trace_not_found', 'immutable_trace', 'redacted_field'],
      scopes: ['memory:write', 'memory:read'],
      body: FeedbackRequest,
      response: Trace,
      examples: { body: { uid: 'note-1', feedback_rating: 5, notes: 'This was useful.' } },
      handler: async ({ caller, body }) => {
        const doc = await agent.feedback(caller, body.uid, body);
        return reply(doc, { etag: doc.version });
      },
    }),
    ...takeBackRoutes({ agent }),
    ...statusRoutes({ agent, planner, executor, clock }),
  ]);
};
