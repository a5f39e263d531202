/** Schemas of planning, deciding and executing. */
import { z } from 'zod';
import type { ProblemCode } from '../common/problem-codes.ts';
import { dictionary, list } from '../domain/record/bounded-collections.ts';
import { STATUSES } from '../domain/plan/plan.ts';
import { planInput } from '../domain/plan/plan-fields.ts';
import { foreignArguments } from '../domain/plan/plan-arguments.ts';
import { Cursor, Limit } from '../http/cursors.ts';
import { traceInput } from '../domain/record/trace.ts';
import { Actor, InstantOut, NewUid, TaskId, TimeIn, Uid, Zone } from '../domain/record/field-shapes.ts';
import { ProblemOut, UserId } from '../http/shapes.ts';
import { Plan, Trace } from '../memory/schemas.ts';
import { Literal, LITERAL_FAULT, literalWithin } from './reading-schemas.ts';

/** A text, or a trace or event as Almanac answered it. */
const Known = z.union([z.string().max(10_000), dictionary(z.string().max(255), z.unknown(), 100)]);

/** What the front end knows of memory and schedule. The planner treats it as data and never as instructions. */
export const PlanContext = z
  .strictObject({
    memory: list(Known, 200).optional(),
    calendar: list(Known, 500).optional(),
    schedule: list(Known, 500).optional(),
  })
  .meta({
    id: 'PlanContext',
    description:
      'Memory and schedule that the planner takes into account. Almanac looks up the uids of traces and events in it.',
  });
export type PlanContext = z.infer<typeof PlanContext>;

export const Prompt = z
  .string()
  .trim()
  .min(1)
  .max(100_000)
  .describe(
    'What the user wants, in their own words. The built-in planner reads the first 2,500 characters, to the end of a sentence, and a warning says what it did not read.',
  );

export const ActionIn = z
  .strictObject({
    uid: NewUid.optional().describe(
      'A uid of your choice; by default a UUIDv7. Sent again with the same body, it gives the same answer. Without export:sensitive, only its sender may.',
    ),
    action_type: planInput.action_type,
    title: planInput.title,
    content: traceInput.content.optional().describe('What the plan is about; by default the title.'),
    task_id: traceInput.task_id.optional(),
    tempo_tag: traceInput.tempo_tag.optional(),
    tags: traceInput.tags.optional(),
    scheduled_for: planInput.scheduled_for
      .optional()
      .describe(
        'When the action happens. If it is missing, the planner chooses the best free slot for schedule and reschedule.',
      ),
    timezone: Zone.optional().describe(
      'The time zone of times here that have no offset, and the one in which a series repeats; by default that of the user.',
    ),
    duration_minutes: planInput.duration_minutes.optional(),
    rrule: planInput.rrule.optional(),
    exdates: planInput.exdates.optional(),
    on_conflict: planInput.on_conflict.optional(),
    target_event_uid: planInput.target_event_uid.optional(),
    arguments: planInput.arguments.optional(),
    reasoning: planInput.reasoning.optional(),
    linked_trace_ids: traceInput.linked_trace_ids.optional(),
    metadata: traceInput.metadata.optional(),
    priority: z
      .number()
      .int()
      .min(-100)
      .max(100)
      .optional()
      .describe('Of several actions, the one with the higher priority gets its slot first. Default 0.'),
  })
  .superRefine(({ action_type, arguments: given }, context) => {
    for (const { field, message } of foreignArguments(action_type, given))
      context.addIssue({ code: 'custom', path: ['arguments', field], message });
  })
  .meta({
    id: 'ActionInput',
    description:
      'A proposed action. A reschedule with `arguments: {cancel: true}` cancels the target event; with `{scope: "following"}` it changes an occurrence and all later ones of a series.',
  });
export type ActionIn = z.infer<typeof ActionIn>;

/** A request has a prompt or actions, never both. */
export const PlanRequest = z
  .strictObject({
    user_id: UserId,
    prompt: Prompt.optional(),
    literal: Literal.optional(),
    context: PlanContext.optional(),
    actions: list(ActionIn, 100).min(1).optional(),
  })
  .refine(literalWithin, LITERAL_FAULT)
  .refine((r) => (r.prompt === undefined) !== (r.actions === undefined), {
    message: 'send either prompt or actions',
    path: ['prompt'],
  })
  .meta({ id: 'PlanRequest' });
export type PlanRequest = z.infer<typeof PlanRequest>;

/** Why a proposal can be refused, or the change of one that the prompt names. */
export const PROPOSING_PROBLEMS: ProblemCode[] = [
  'plan_not_found',
  'event_not_found',
  'source_event',
  'uid_taken',
  'not_yours_to_edit',
  'illegal_transition',
  'part_of_swap',
  'time_pinned',
  'slot_taken',
  'limit_reached',
  'too_many_pending',
  'too_many_occurrences',
];

export const QueueQuery = z.strictObject({
  user_id: UserId,
  status: z
    .enum([...STATUSES, 'pending', 'all'])
    .default('pending')
    .describe(
      'Plans with this status. The default, pending, means proposals that wait for a decision; imported plans that are records do not.',
    ),
  task_id: TaskId.optional(),
  proposal_id: Uid.optional().describe('Plans that were proposed by one request.'),
  limit: Limit,
  cursor: Cursor,
});
export type QueueQuery = z.infer<typeof QueueQuery>;

export const QueuedPlan = Plan.extend({
  proposer: Actor.describe('Who proposed the plan: the actor `proposed_by` with its label.'),
  conflicts: z
    .array(z.string())
    .describe('The uids of other proposals that want the same time: the first 20, soonest first.'),
  conflicts_count: z.number().int().describe('The number of other proposals that want the same time.'),
}).meta({ id: 'QueuedPlan' });

const Version = z
  .number()
  .int()
  .min(1)
  .optional()
  .describe(
    'The version of the plan that you have read. If what is decided on has changed since then (see `revision`), the answer is 412; feedback and tags do not count. If-Match has the same effect.',
  );
const Versions = dictionary(Uid, z.number().int().min(1), 100)
  .optional()
  .describe(
    'With uids or proposal_id, the version of each plan that you have read; see expected_version. With uid, the version of the plan with which it exchanges places (`swaps_with`).',
  );
export const Note = z.string().max(10_000).optional();

export const Edits = z
  .strictObject({
    title: planInput.title.optional(),
    scheduled_for: TimeIn.optional(),
    timezone: Zone.optional(),
    duration_minutes: planInput.duration_minutes.unwrap().optional(),
    content: traceInput.content.optional(),
    rrule: planInput.rrule.optional(),
    exdates: planInput.exdates.optional(),
  })
  .meta({ id: 'ApprovalEdits', description: 'Changes that are made to the plan when it is approved.' });
export type Edits = z.infer<typeof Edits>;

/** A decision of one request concerns at most this many plans. */
export const MOST_DECIDED = 100;

const target = {
  user_id: UserId,
  uid: Uid.optional(),
  uids: list(Uid, MOST_DECIDED).min(1).optional(),
  proposal_id: Uid.optional().describe(
    `All plans of this proposal that still wait for a decision, at most ${MOST_DECIDED}. The answer is a list, which is empty where none waits.`,
  ),
};
type Target = { uid?: string | undefined; uids?: string[] | undefined; proposal_id?: string | undefined };

const oneTarget = ({ uid, uids, proposal_id }: Target): boolean =>
  [uid, uids, proposal_id].filter((given) => given !== undefined).length === 1;
const oneTargetFault = { message: 'send one of uid, uids and proposal_id', path: ['uid'] };

type Binding = Target & { expected_versions?: Record<string, number> | undefined };
/** A version of a plan that the request does not name would have no effect, so it is refused. */
const namedTargets = ({ uids, expected_versions = {} }: Binding): boolean =>
  uids === undefined || Object.keys(expected_versions).every((uid) => uids.includes(uid));
const namedTargetsFault = {
  message: 'must name plans of uids only',
  path: ['expected_versions'],
};
const oneVersion = (r: Target & { expected_version?: number | undefined }): boolean =>
  r.uid !== undefined || r.expected_version === undefined;
const oneVersionFault = {
  message: 'is allowed with uid only; otherwise send expected_versions',
  path: ['expected_version'],
};

export const Simulate = z.boolean().default(false).describe('Runs the same code in a transaction and rolls it back.');

export const ApproveRequest = z
  .strictObject({
    ...target,
    note: Note,
    expected_version: Version.describe(
      'The version of the plan that you have read. It is required if the plan was changed after it was proposed (`revision` above 1); the answer is 428 without it. If what is decided on has changed since that version, the answer is 412. If-Match has the same effect.',
    ),
    expected_versions: Versions,
    edits: Edits.optional(),
    simulate: Simulate,
  })
  .refine(oneTarget, oneTargetFault)
  .refine(namedTargets, namedTargetsFault)
  .refine((r) => r.uid !== undefined || (r.edits === undefined && r.expected_version === undefined), {
    message: 'edits and expected_version are allowed with uid only',
    path: ['edits'],
  });
export type ApproveRequest = z.infer<typeof ApproveRequest>;

const decision = { ...target, note: Note, expected_version: Version, expected_versions: Versions };

export const RejectRequest = z
  .strictObject(decision)
  .refine(oneTarget, oneTargetFault)
  .refine(namedTargets, namedTargetsFault)
  .refine(oneVersion, oneVersionFault);
export type RejectRequest = z.infer<typeof RejectRequest>;

export const UndoRequest = z
  .strictObject({ ...decision, simulate: Simulate })
  .refine(oneTarget, oneTargetFault)
  .refine(namedTargets, namedTargetsFault)
  .refine(oneVersion, oneVersionFault);

export const ItemResult = z
  .object({
    uid: z.string(),
    status: z
      .number()
      .int()
      .describe(
        'The HTTP status that a request for this plan alone would have: 200, 403, 404, 409, 412, 422, 428 or 500.',
      ),
    plan: Plan.optional(),
    problem: ProblemOut.optional(),
  })
  .meta({ id: 'DecisionResult' });

export const Decided = z.union([Plan, z.array(ItemResult)]);

export const FeedbackRequest = z
  .strictObject({
    user_id: UserId,
    uid: Uid,
    feedback_rating: z.number().min(1).max(5).optional().describe('How good the trace is, from 1 (bad) to 5 (good).'),
    notes: z.string().max(100_000).optional(),
  })
  .refine((r) => r.feedback_rating !== undefined || r.notes !== undefined, {
    message: 'send feedback_rating, notes or both',
    path: ['feedback_rating'],
  });

export const ExecuteRequest = z.strictObject({
  user_id: UserId,
  task_id: TaskId,
  uid: Uid.optional().describe('Executes this plan of the task only.'),
  simulate: Simulate,
});

export const Effect = z
  .object({ kind: z.string(), uid: z.string() })
  .meta({ id: 'Effect', description: 'Something that the plan wrote, with the kind of its ledger entry and its uid.' });
export type Effect = z.infer<typeof Effect>;

export const ExecutionLog = z
  .object({
    task_id: z.string(),
    simulated: z.boolean(),
    replayed: z
      .literal(true)
      .optional()
      .describe('Says that the plans were executed before and that this is the log of that time.'),
    more: z
      .literal(true)
      .optional()
      .describe('Says that the task has further approved plans; send the request again to execute them.'),
    log: z.array(
      z.object({
        uid: z.string(),
        action_type: z.string(),
        from: z.enum(STATUSES),
        to: z.enum(STATUSES),
        effects: z.array(Effect),
        at: InstantOut,
        problem: ProblemOut.optional().describe('Why this plan was not executed; it is unchanged.'),
      }),
    ),
    traces: z.array(Trace),
    events: z.array(z.looseObject({ uid: z.string() })),
  })
  .meta({ id: 'ExecutionLog' });
export type ExecutionLog = z.infer<typeof ExecutionLog>;
