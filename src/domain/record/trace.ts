/** The memory trace as the ledger stores it and the API answers it. Plans extend it. */
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
  /** A short form of the content, made by this service deterministically. */
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
  /** Only the immutable record of a plan's transition has it. */
  transition?: Transition;
  /** Only the last version of a removed trace has it. */
  removed?: true;
};

/** The fields that an agent_plan has beside those of a trace (docs/decisions.md, The plan is a trace). */
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
  /** The actor who made the proposal, and who may withdraw and change it. */
  proposed_by: string;
  attempts: number;
  last_error: string | null;
  /**
   * The version at which what is decided on last changed. Documents of release 0.1 lack it, so read it with revisionOf
   * (plan-transitions.ts).
   */
  revision: number;
};

export type PlanDoc = TraceDoc & PlanFields & { type: 'agent_plan' };

export const isPlan = (trace: TraceDoc): trace is PlanDoc => trace.type === 'agent_plan';

/** The input of a new trace: `type`, `content` and the fields that differ from their defaults. */
export type TraceSeed = Pick<TraceDoc, 'uid' | 'user_id' | 'type' | 'content' | 'timestamp' | 'origin'> &
  Partial<Omit<TraceDoc, 'summary' | 'version' | 'recorded_at' | 'updated_at' | 'seq' | 'removed'>>;

/** A trace before the ledger has numbered and timed it. */
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

/** A trace's content may have this many characters. */
export const MAX_CONTENT = 100_000;

/** Truncates text that the service makes to the length of a content. A surrogate pair that is cut becomes U+FFFD. */
export const asContent = (text: string): string => text.slice(0, MAX_CONTENT).toWellFormed();
