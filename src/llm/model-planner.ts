/**
 * The interface of a planner that uses a model: it takes facts and returns a reply with actions, or throws the reason why not.
 */
import type { Instant, Interval } from '../domain/time/time.ts';
import type { Question } from '../domain/planner/intents/types.ts';
import type { PlanArguments } from '../domain/plan/plan-arguments.ts';
import type { ActionType } from '../domain/plan/plan.ts';

/** An event that happens once, or an occurrence of a series. */
export type FactEvent = {
  uid: string;
  /** Which occurrence of a series it is. */
  recurrence_id?: Instant | null;
  rrule?: string | null;
  title: string;
  start: Instant;
  end: Instant;
  /** The first and the last date of what has no hours. */
  whole_days?: { from: string; to: string } | null;
  /** How the model was given it: several occurrences share `e1`. */
  ref?: string;
};

/** The facts that the model gets beside the prompt. They are data, never instructions. */
export type PlanningFacts = {
  now: Instant;
  zone: string;
  /** The free stretches of the next days, sorted; null where the credential may not know it; so are tempo and limits. */
  free: Interval[] | null;
  /** Sorted by their starts. */
  events: FactEvent[];
  /** `yours` is true where this credential may change it; `ref` is how the model was given it. */
  pending: {
    uid: string;
    action_type: ActionType;
    title: string;
    scheduled_for: Instant | null;
    rrule: string | null;
    yours: boolean;
    ref?: string;
  }[];
  tempo: unknown;
  limits: unknown;
  traces: { uid: string; type: string; task_id: string | null; timestamp: Instant; summary: string }[];
  /** The last prompts of this conversation and their replies, oldest first. */
  turns: { prompt: string; reply: string }[];
  context: unknown;
};

export type ModelAction = {
  action_type: ActionType;
  title: string;
  content: string;
  task_id: string | null;
  tempo_tag: string | null;
  tags: string[];
  scheduled_for: Instant | null;
  between: Interval | null;
  /** Times within `between` that are left out. */
  avoid: Interval[];
  /** Of whole days the time between their ends. */
  duration_minutes: number | null;
  /** How many whole days it takes, from `scheduled_for` on. */
  whole_days: number | null;
  /** The rule of a series (RFC 5545), whose first occurrence is at `scheduled_for`, or is placed in `between`. */
  rrule: string | null;
  exdates: Instant[];
  location: string | null;
  /** In minutes before the start; null leaves those of a target. */
  reminders: number[] | null;
  /** The new texts of a target. */
  new_title: string | null;
  notes: string | null;
  target_event_uid: string | null;
  target_recurrence_id: Instant | null;
  /** Whether all later occurrences are meant too. */
  from_now_on: boolean;
  target_plan_uid: string | null;
  cancel: boolean;
  /** What a change of the settings makes of them. */
  settings: Pick<PlanArguments, 'limits' | 'tempo'> | null;
  reasoning: string;
};

export type ModelAnswer = {
  reply: string;
  /** What of the request the actions leave out, as the model says it. */
  left_out: string;
  actions: ModelAction[];
  questions: Question[];
  /** Where the request has several readings, what each would propose; then there are no other actions. */
  choices: { label: string; actions: ModelAction[] }[];
};

export type ModelPlanner = {
  model: string;
  /** @throws Error whose message says, without secrets, why there is no valid answer */
  plan: (prompt: string, facts: PlanningFacts, signal?: AbortSignal) => Promise<ModelAnswer>;
};
