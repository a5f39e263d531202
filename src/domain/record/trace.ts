/** The memory trace as a document: what the ledger keeps, what the API answers. Plans extend it. */
import type { ActionType, Decision, Status, Transition } from '../plan/plan.ts';
import { summarise } from '../text/extractive-summary.ts';
import type { Instant } from '../time/time.ts';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export type TraceDoc = {
  uid: string;
  user_id: string;
  task_id: string | null;
  tempo_tag: string | null;
  type: string;
  timestamp: Instant;
  content: string;
  /** Compressed form of content, made here and deterministic. */
  summary: string;
  tags: string[];
  metadata: Record<string, unknown>;
  linked_trace_ids: string[];
  child_trace_ids: string[];
  linked_event_uid: string | null;
  feedback_rating: number | null;
  notes: string | null;
  authored_by: string | null;
  chat_url: string | null;
  origin: 'user' | 'agent' | 'system' | 'import';
  version: number;
  recorded_at: Instant;
  updated_at: Instant;
  seq: number;
  /** Only on the immutable record of a plan's transition. */
  transition?: Transition;
  /** Only on the last version of a removed trace. */
  removed?: true;
};

/** What an agent_plan has beside a trace's fields (docs/decisions.md, The plan is a trace). */
export type PlanFields = {
  title: string;
  action_type: ActionType;
  status: Status;
  scheduled_for: Instant | null;
  duration_minutes: number | null;
  target_event_uid: string | null;
  arguments: Record<string, unknown>;
  reasoning: string;
  temporal_estimate: { start: Instant | null; end: Instant | null; duration_minutes: number | null };
  decision: Decision | null;
  expires_at: Instant | null;
  executed_at: Instant | null;
  /** Actor that made the proposal: who may withdraw and change it. */
  proposed_by: string;
  attempts: number;
  last_error: string | null;
  /** Version at which what is decided on last changed. Documents of release 0.1 lack it: read it with plan-transitions.ts revisionOf. */
  revision: number;
};

export type PlanDoc = TraceDoc & PlanFields & { type: 'agent_plan' };

export const isPlan = (trace: TraceDoc): trace is PlanDoc => trace.type === 'agent_plan';

/** What a new trace is made from: `type` and `content` and what differs from the defaults. */
export type TraceSeed = Pick<TraceDoc, 'uid' | 'user_id' | 'type' | 'content' | 'timestamp' | 'origin'> &
  Partial<Omit<TraceDoc, 'summary' | 'version' | 'recorded_at' | 'updated_at' | 'seq' | 'removed'>>;

/** A trace before the ledger has stamped it. */
export type Unstamped<T extends TraceDoc = TraceDoc> = Omit<T, 'version' | 'recorded_at' | 'updated_at' | 'seq'>;

/** Fills the defaults (docs/decisions.md, The memory trace). */
export const newTrace = (seed: TraceSeed): Unstamped => ({
  task_id: null,
  tempo_tag: null,
  tags: [],
  metadata: {},
  linked_trace_ids: [],
  child_trace_ids: [],
  linked_event_uid: null,
  feedback_rating: null,
  notes: null,
  authored_by: null,
  chat_url: null,
  ...seed,
  summary: summarise(seed.content),
});

/** Characters a trace's content may have. */
export const MAX_CONTENT = 100_000;

/** Text that the service itself puts together, at the length a content may have; a character cut in half becomes U+FFFD. */
export const asContent = (text: string): string => text.slice(0, MAX_CONTENT).toWellFormed();
