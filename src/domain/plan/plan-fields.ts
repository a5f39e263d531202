/** The fields that an agent_plan has beside those of a trace (docs/decisions.md, The plan is a trace). */
import { z } from 'zod';
import { list } from '../record/bounded-collections.ts';
import { InstantOut, Metadata, TimeIn, Uid } from '../record/field-shapes.ts';
import { partsOf, type Field } from '../record/fields.ts';
import { PlanArguments } from './plan-arguments.ts';
import { ACTION_ALIASES, ACTION_TYPES, STATUSES, type ActionType } from './plan.ts';

/** The longest title that a plan may have, in characters. */
export const LONGEST_TITLE = 500;
const MAX_IMPORTED_MINUTES = 366 * 24 * 60;
const Name = z.string().max(255);
const Note = z.string().max(100_000).nullable();
const Count = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);

const OnConflict = z.enum(['skip', 'refuse']);

const DECISION_FIELDS = {
  /** The actor, or `policy`. */
  by: { stored: z.string(), imported: Name },
  code: {
    stored: z
      .string()
      .describe(
        'Why it was decided so, such as user, withdrawn, expired, cancelled, failed, slot_taken, limit:* or slot:*.',
      ),
    imported: Name,
  },
  note: { stored: z.string().nullable(), imported: Note },
  at: { stored: InstantOut, imported: TimeIn },
  alternatives: {
    stored: z
      .array(z.object({ start: InstantOut, end: InstantOut }))
      .optional()
      .describe('Free times that could be used instead, if a slot was refused.'),
    imported: list(z.object({ start: TimeIn, end: TimeIn }), 100).optional(),
  },
  successor_uids: {
    stored: z.array(z.string()).optional().describe('The plans that propose it again.'),
    imported: list(Uid, 100).optional(),
  },
} satisfies Record<string, Field>;

const Decision = z.object(partsOf(DECISION_FIELDS, 'stored')).meta({ id: 'Decision' });
export type Decision = z.infer<typeof Decision>;

const Ended = z.enum([...STATUSES, 'edited']);

const TRANSITION_FIELDS = {
  plan_uid: { stored: z.string(), imported: Uid },
  from: { stored: z.enum(STATUSES), imported: z.enum(STATUSES) },
  /** `edited` where an executed plan was edited. */
  to: { stored: Ended, imported: Ended },
  actor: { stored: z.string(), imported: Name },
  code: { stored: z.string(), imported: Name },
  note: { stored: z.string().nullable(), imported: Note },
} satisfies Record<string, Field>;

/** The record of a transition, which an immutable observation holds. */
export const Transition = z.object(partsOf(TRANSITION_FIELDS, 'stored')).meta({ id: 'Transition' });
export type Transition = z.infer<typeof Transition>;
export const ImportedTransition = z.object(partsOf(TRANSITION_FIELDS, 'imported'));

export const PLAN_FIELDS = {
  title: {
    stored: z.string(),
    input: z
      .string()
      .trim()
      .min(1)
      .max(LONGEST_TITLE)
      .describe('What the person reads on the calendar and in the queue.'),
    imported: z.string().max(LONGEST_TITLE),
  },
  action_type: {
    stored: z.enum(ACTION_TYPES),
    input: z
      .enum([...ACTION_TYPES, 'add_event', 'reschedule_event'])
      .transform((a) => ACTION_ALIASES[a] ?? (a as ActionType))
      .describe(
        'What the plan does: schedule, reschedule, reflect or log; configure changes the limits or the tempo. add_event and reschedule_event mean schedule and reschedule.',
      ),
  },
  status: { stored: z.enum(STATUSES), imported: z.enum(STATUSES) },
  scheduled_for: { stored: InstantOut.nullable(), input: TimeIn.nullable(), initial: null },
  duration_minutes: {
    stored: z.number().nullable(),
    input: z
      .number()
      .int()
      .min(1)
      .max(7 * 24 * 60)
      .describe('The length in minutes; by default the one of the tempo profile.')
      .nullable(),
    initial: null,
  },
  rrule: {
    stored: z
      .string()
      .nullable()
      .describe('The recurrence rule (RFC 5545) of a plan that makes a series; null for one that happens once.'),
    input: z
      .string()
      .min(1)
      .max(2_000)
      .nullable()
      .describe(
        'For schedule only. A recurrence rule (RFC 5545) without "RRULE:". The plan then makes one series, which is decided on as a whole and repeats the wall time of scheduled_for. It may make at most 1,000 occurrences in 90 days. Occurrences of the next 90 days whose time is taken become exdates (see on_conflict).',
      ),
    initial: null,
  },
  exdates: {
    stored: z
      .array(InstantOut)
      .describe('The starts of occurrences that are left out: those that were named, and those whose time was taken.'),
    input: list(TimeIn, 1_000).describe('With rrule: the starts of occurrences that are left out.'),
    imported: list(TimeIn, 10_000),
    initial: [],
  },
  on_conflict: {
    stored: OnConflict,
    input: OnConflict.describe(
      'With rrule: what happens where the time of an occurrence is taken. skip leaves the occurrence out; refuse refuses the whole plan.',
    ),
    initial: 'skip',
  },
  timezone: {
    stored: z
      .string()
      .nullable()
      .describe('The time zone in which a series repeats its wall time; null for a plan that happens once.'),
    imported: z.string().max(64).nullable(),
    initial: null,
  },
  repeats_until: {
    stored: InstantOut.nullable().describe('The end of the last occurrence; null for a series without an end.'),
    imported: TimeIn.nullable(),
    initial: null,
  },
  proposal_id: {
    stored: z
      .string()
      .nullable()
      .describe('All plans that were proposed by one request have the same. They can be decided on together.'),
    imported: Name.nullable(),
    initial: null,
  },
  swaps_with: {
    stored: z
      .string()
      .nullable()
      .describe(
        'The uid of the plan of the same proposal with which this one exchanges places. Both are decided on and executed together.',
      ),
    imported: Uid.nullable(),
    initial: null,
  },
  pinned: {
    stored: z
      .boolean()
      .describe(
        'Whether a person has chosen the time. Agents cannot change it, and the planner chooses another time only where the person asks for one.',
      ),
    imported: z.boolean(),
    initial: false,
  },
  target_event_uid: {
    stored: z.string().nullable(),
    input: Uid.describe('For reschedule: the uid of the event that is moved, changed or cancelled.').nullable(),
    initial: null,
  },
  arguments: {
    stored: z.record(z.string(), z.unknown()),
    input: PlanArguments,
    imported: Metadata.describe('The status of the plan, which stays as it is; an imported plan is a record.'),
    initial: {},
  },
  reasoning: {
    stored: z.string(),
    input: z.string().max(10_000).describe('Why this, and why then. The person reads it to decide.'),
    initial: '',
  },
  temporal_estimate: {
    stored: z.object({
      start: InstantOut.nullable(),
      end: InstantOut.nullable(),
      duration_minutes: z.number().nullable(),
    }),
    imported: z.object({
      start: TimeIn.nullable(),
      end: TimeIn.nullable(),
      duration_minutes: z.number().min(0).max(MAX_IMPORTED_MINUTES).nullable(),
    }),
    initial: { start: null, end: null, duration_minutes: null },
  },
  decision: {
    stored: Decision.nullable(),
    imported: z.object(partsOf(DECISION_FIELDS, 'imported')).nullable(),
    initial: null,
  },
  expires_at: { stored: InstantOut.nullable(), imported: TimeIn.nullable(), initial: null },
  executed_at: { stored: InstantOut.nullable(), imported: TimeIn.nullable(), initial: null },
  /** The proposing actor and a person may withdraw and change the plan. */
  proposed_by: {
    stored: z.string().describe('The actor that made the proposal.'),
    imported: Name,
    initial: 'unknown',
  },
  attempts: { stored: z.number().int(), imported: Count, initial: 0 },
  last_error: { stored: z.string().nullable(), imported: Note, initial: null },
  /** Documents of release 0.1 lack it, so read it with revisionOf (plan-transitions.ts). */
  revision: {
    stored: z
      .number()
      .int()
      .describe(
        'The version at which the title, content, action, time, length, repetition, target, arguments, task or tempo tag last changed. A decision is bound to it.',
      ),
    imported: Count,
    initial: 1,
  },
} satisfies Record<string, Field>;

/** The values of fields that a request does not set, and that documents of earlier releases may lack. */
export const PLAN_DEFAULTS = partsOf(PLAN_FIELDS, 'initial');

export const PlanFields = z.object(partsOf(PLAN_FIELDS, 'stored'));
export type PlanFields = z.infer<typeof PlanFields>;

/** The fields that a request may set on a plan. */
export const planInput = partsOf(PLAN_FIELDS, 'input');
