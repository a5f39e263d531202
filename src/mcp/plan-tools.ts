/** Tools on proposals. Every change of the calendar begins here and is decided by the person, elsewhere. */
import { z } from 'zod';
import { ActionIn, QueuedPlan, QueueQuery, RejectRequest } from '../agent/schemas.ts';
import { dictionary, list } from '../domain/record/bounded-collections.ts';
import { PlanArguments } from '../domain/plan/plan-arguments.ts';
import { ACTION_TYPES } from '../domain/plan/plan.ts';
import { Uid } from '../domain/record/field-shapes.ts';
import { lean, leanList, leanOf, page, pageOutput, tool, type Call, type Result, type Tool } from './tool.ts';

const PlanItem = lean(QueuedPlan, [
  ...['uid', 'status', 'action_type', 'title', 'scheduled_for', 'duration_minutes', 'task_id', 'tempo_tag', 'content'],
  ...[
    'reasoning',
    'decision',
    'target_event_uid',
    'rrule',
    'proposal_id',
    'linked_event_uid',
    'expires_at',
    'last_error',
    'conflicts',
    'exdates',
  ],
  ...['proposed_by', 'version'],
]);

/** The results for plans that the caller knows. */
const Outcome = PlanItem.pick({
  ...{ uid: true, status: true, action_type: true, title: true, scheduled_for: true, duration_minutes: true },
  ...{
    reasoning: true,
    decision: true,
    proposal_id: true,
    rrule: true,
    exdates: true,
    linked_event_uid: true,
    last_error: true,
    version: true,
  },
});

const { metadata: _, ...actionFields } = ActionIn.shape;

/** The shapes of these patches are too long for a definition. The route checks them. */
const patch = (of: string) =>
  dictionary(z.string().max(255), z.unknown(), 5).describe(`For configure: a JSON Merge Patch on ${of}.`);
const Arguments = z
  .strictObject({
    ...PlanArguments.shape,
    limits: patch('budget {per_day, per_week}, cadence, only_in_tempo').optional(),
    tempo: patch('what get_tempo shows').optional(),
  })
  .describe('Further instructions for the action.');

const Action = z.strictObject({
  ...actionFields,
  action_type: z.enum(ACTION_TYPES).describe('What the plan does.'),
  exdates: list(z.string().max(100), 1_000)
    .optional()
    .describe('With rrule: the starts, as ISO 8601 times, of occurrences that are left out.'),
  arguments: Arguments.optional(),
});

const MAX_WAITED_FOR = 10;
const MAX_WAIT_SECONDS = 25;

type Plan = { uid: string; status: string };
type Changes = { changes: { subject: string }[]; position: string };

const readPlan = async (call: Call, uid: string): Promise<Plan> =>
  (await call('getPlan', { query: { uid } })).body as Plan;

/** Reads the plans, then follows the ledger from before that read, so that no decision is missed in between. */
const awaitDecision = async (
  uids: string[],
  seconds: number,
  { call, millis }: { call: Call; millis: () => number },
): Promise<Plan[]> => {
  const follow = async (query: object): Promise<Changes> => (await call('listChanges', { query })).body as Changes;
  const deadline = millis() + seconds * 1000;
  let { position } = await follow({});
  const plans = new Map<string, Plan>();
  const read = async (which: string[]): Promise<void> => {
    for (const plan of await Promise.all(which.map((uid) => readPlan(call, uid)))) plans.set(plan.uid, plan);
  };
  await read(uids);
  while ([...plans.values()].every(({ status }) => status === 'proposed')) {
    const wait = (deadline - millis()) / 1000;
    if (wait <= 0) break;
    const page = await follow({ after: position, wait });
    if (!page.changes.length) break;
    position = page.position;
    const changed = new Set(page.changes.map(({ subject }) => subject));
    await read(uids.filter((uid) => changed.has(uid)));
  }
  return [...plans.values()];
};

export const planTools: Tool[] = [
  tool({
    name: 'propose',
    title: 'Propose actions',
    description:
      'Proposes that something is put on the calendar (schedule), moved, renamed or cancelled (reschedule with target_event_uid), reflected on (reflect) or noted (log), or that the limits or the tempo hours of the person change (configure). The person decides about each proposal; nothing happens before. Without scheduled_for a free slot is chosen. Put actions that belong together into one call. A refused one has the code of its decision and free alternatives. If unsure, try with dry_run first. Tell the person what you proposed, never that it is booked.',
    effect: 'adds',
    routes: ['proposePlans', 'previewPlans'],
    input: {
      actions: list(Action, 20).min(1).describe('The proposed actions, 1 to 20, in order.'),
      dry_run: z
        .boolean()
        .default(false)
        .describe('Shows what would be proposed and where it would be placed, and stores nothing.'),
    },
    output: {
      dry_run: z.boolean(),
      plans: z.array(Outcome),
      left_out: z.int().optional().describe('Plans that did not fit into max_tokens; list_proposals shows them.'),
    },
    list: 'plans',
    data: true,
    run: async ({ actions, dry_run }, { call, request_key }) => {
      const { body } = dry_run
        ? await call('previewPlans', { body: { actions } })
        : await call('proposePlans', { body: { actions }, key: request_key });
      return { dry_run, plans: leanList(Outcome, body) };
    },
  }),
  tool({
    name: 'list_proposals',
    title: 'List proposals',
    description:
      'Lists the plans that wait for the person’s decision, soonest first, or those with another status. Use it before you propose, so that nothing is proposed twice, and to see how earlier proposals were decided.',
    effect: 'reads',
    routes: ['listQueue'],
    input: { ...QueueQuery.pick({ status: true, task_id: true }).shape, ...page },
    output: { plans: z.array(PlanItem), ...pageOutput },
    list: 'plans',
    data: true,
    run: async (query, { call }) => {
      const { body, next } = await call('listQueue', { query });
      return { plans: leanList(PlanItem, body), next_cursor: next };
    },
  }),
  tool({
    name: 'withdraw_proposal',
    title: 'Withdraw a proposal',
    description:
      'Takes back a proposal that you made with this key and that nobody has decided yet. Use it when the proposal is no longer wanted, or to propose something better instead.',
    effect: 'ends',
    routes: ['withdrawPlan'],
    input: {
      uid: Uid.describe('The uid of your proposal.'),
      note: z.string().max(10_000).optional().describe('Why it is withdrawn, for the person.'),
      expected_version: RejectRequest.shape.expected_version.describe('The version that you have read.'),
    },
    output: { plan: Outcome },
    data: true,
    run: async (body, { call, request_key }) => {
      const { body: plan } = await call('withdrawPlan', { body, key: request_key });
      return { plan: leanOf(Outcome, plan) };
    },
  }),
  tool({
    name: 'wait_for_decision',
    title: 'Wait for a decision',
    description:
      'Waits until the person has decided about one of these proposals, at most 25 seconds, and answers them all. Use it when your work depends on the answer. If `waiting` is not empty, call it again later or go on with other work; people may take days.',
    effect: 'reads',
    routes: ['getPlan', 'listChanges'],
    input: {
      uids: list(Uid, MAX_WAITED_FOR).min(1).describe(`The uids of proposals, 1 to ${MAX_WAITED_FOR}.`),
      wait_seconds: z
        .number()
        .min(0)
        .max(MAX_WAIT_SECONDS)
        .default(20)
        .describe('The longest time to wait, from 0 to 25; by default 20.'),
    },
    output: {
      plans: z.array(Outcome),
      waiting: z.array(z.string()).describe('The uids of those that are not decided yet.'),
      left_out: z.int().optional().describe('Plans that did not fit into max_tokens.'),
    },
    list: 'plans',
    data: true,
    run: async ({ uids, wait_seconds }, context): Promise<Result> => {
      context.release();
      const plans = await awaitDecision([...new Set(uids)], wait_seconds, context);
      const waiting = plans.filter(({ status }) => status === 'proposed').map(({ uid }) => uid);
      return { plans: leanList(Outcome, plans), waiting };
    },
  }),
];
