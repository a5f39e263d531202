/** The memory trace as the ledger stores it and the API answers it. Plans extend it. */
import { z } from 'zod';
import { Transition, type PlanFields } from '../plan/plan-fields.ts';
import { summarise } from '../text/extractive-summary.ts';
import { list } from './bounded-collections.ts';
import { InstantOut, Metadata, RecordedAt, Tag, TaskId, TimeIn, Uid } from './field-shapes.ts';
import { partsOf, type Field } from './fields.ts';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A trace's content may have this many characters. */
export const MAX_CONTENT = 100_000;
const MAX_LINKS = 1_000;
/** Plans collect more links than a push may contain. */
const MAX_IMPORTED_LINKS = 100_000;

export const Origin = z.enum(['user', 'agent', 'system', 'import']);
export type Origin = z.infer<typeof Origin>;

const NOT_SHOWN = 'A sensitive field. Only credentials with export:sensitive see it, not even the agent that set it.';
const HIDDEN =
  'A sensitive field. It is missing for credentials without export:sensitive, and its value is then blanked in every text too: what a person set everywhere, what an agent set in the traces of that agent.';

/** The fields that have an `input` may be changed later; null clears one. */
export const TRACE_FIELDS = {
  uid: { stored: z.string() },
  user_id: { stored: z.string() },
  task_id: { stored: z.string().nullable(), input: TaskId.nullable(), initial: null },
  tempo_tag: { stored: z.string().nullable(), input: Tag.nullable(), initial: null },
  type: { stored: z.string() },
  timestamp: { stored: InstantOut, input: TimeIn.describe('When it happened; by default now.') },
  content: { stored: z.string(), input: z.string().min(1).max(MAX_CONTENT).describe('The text.') },
  summary: {
    stored: z
      .string()
      .describe('A summary that consists of sentences of the content. It is always the same for the same content.'),
    anew: z.unknown(),
  },
  tags: {
    stored: z.array(z.string()),
    input: list(Tag, 100).describe('Tags by which it is found.'),
    initial: [],
  },
  metadata: { stored: z.record(z.string(), z.unknown()), input: Metadata, initial: {} },
  linked_trace_ids: {
    stored: z.array(z.string()),
    input: list(Uid, MAX_LINKS).describe('The uids of related traces, which need not exist yet.'),
    imported: list(Uid, MAX_IMPORTED_LINKS),
    initial: [],
  },
  child_trace_ids: {
    stored: z.array(z.string()),
    input: list(Uid, MAX_LINKS),
    imported: list(Uid, MAX_IMPORTED_LINKS),
    initial: [],
  },
  linked_event_uid: {
    stored: z.string().nullable(),
    input: Uid.describe('The uid of the event that it is about.').nullable(),
    initial: null,
  },
  feedback_rating: {
    stored: z.number().nullable(),
    input: z.number().min(1).max(5).describe('How good the trace is, from 1 (bad) to 5 (good).').nullable(),
    initial: null,
  },
  notes: { stored: z.string().nullable(), input: z.string().max(MAX_CONTENT).nullable(), initial: null },
  authored_by: {
    stored: z.string().nullable().describe(HIDDEN),
    input: z.string().max(1000).nullable().describe(NOT_SHOWN),
    initial: null,
  },
  chat_url: {
    stored: z.string().nullable().describe(HIDDEN),
    input: z.string().max(4000).nullable().describe(NOT_SHOWN),
    initial: null,
  },
  sensitive: {
    stored: z
      .object({
        salt: z
          .string()
          .describe('Random, so that the hash of the entry does not reveal the values to who tries some.'),
        agents: z
          .object({ authored_by: z.string(), chat_url: z.string() })
          .partial()
          .describe('The agents that set a value, as in the ledger; a person set the others.'),
      })
      .optional()
      .describe('Who set the sensitive fields. It is missing where both are null, and shown where they are.'),
    anew: z.unknown(),
  },
  recorded_by: {
    stored: z
      .string()
      .optional()
      .describe(
        'The agent that recorded the trace, as in the ledger (`agent:<key id>`). Only traces of agents have it.',
      ),
    anew: z.unknown(),
  },
  origin: { stored: Origin, anew: z.unknown() },
  version: { stored: z.number().int(), anew: z.unknown() },
  recorded_at: { stored: RecordedAt, anew: z.unknown() },
  updated_at: { stored: RecordedAt, anew: z.unknown() },
  seq: { stored: z.number().int().describe('The seq of this version in the user’s ledger.'), anew: z.unknown() },
} satisfies Record<string, Field>;

export const StoredTrace = z.object({
  ...partsOf(TRACE_FIELDS, 'stored'),
  /** Only the immutable record of a plan's transition has it. */
  transition: Transition.optional(),
  /** Only the last version of a removed trace has it. */
  removed: z.literal(true).optional(),
});
export type TraceDoc = z.infer<typeof StoredTrace>;

/** The fields that a request may set on a trace. */
export const traceInput = partsOf(TRACE_FIELDS, 'input');

const INITIAL = partsOf(TRACE_FIELDS, 'initial');

export type PlanDoc = TraceDoc & PlanFields & { type: 'agent_plan' };

export const isPlan = (trace: TraceDoc): trace is PlanDoc => trace.type === 'agent_plan';

/** The input of a new trace: `type`, `content` and the fields that differ from their defaults. */
export type TraceSeed = Pick<TraceDoc, 'uid' | 'user_id' | 'type' | 'content' | 'timestamp' | 'origin'> &
  Partial<
    Omit<
      TraceDoc,
      'summary' | 'sensitive' | 'recorded_by' | 'version' | 'recorded_at' | 'updated_at' | 'seq' | 'removed'
    >
  >;

/** A trace before the ledger has numbered and timed it. */
export type Unstamped<T extends TraceDoc = TraceDoc> = Omit<T, 'version' | 'recorded_at' | 'updated_at' | 'seq'>;

/** Fills the defaults (docs/decisions.md, The memory trace). */
export const newTrace = (seed: TraceSeed): Unstamped => ({
  ...INITIAL,
  ...seed,
  summary: summarise(seed.content),
});

/** A new content, and the summary that follows from it. */
export const withContent = (content: string): { content: string; summary: string } => ({
  content,
  summary: summarise(content),
});

/** Truncates text that the service makes to the length of a content. A surrogate pair that is cut becomes U+FFFD. */
export const asContent = (text: string): string => text.slice(0, MAX_CONTENT).toWellFormed();
