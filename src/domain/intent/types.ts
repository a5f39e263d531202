/** What the built-in planner is told and what it answers: the shapes around `understand`. */
import type { PlanArguments } from '../plan/plan-arguments.ts';
import type { Instant, Interval } from '../time/time.ts';

export type KnownEvent = {
  uid: string;
  title: string;
  scheduled_for: Instant;
  duration_minutes: number;
  task_id?: string | null;
  plan_uid?: string | null;
  /** Of an occurrence of a series: which one. */
  recurrence_id?: string | null;
};

export type PendingPlan = {
  uid: string;
  title: string;
  action_type: string;
  scheduled_for?: Instant | null;
  duration_minutes?: number | null;
  task_id?: string | null;
};

/** `zone` is IANA; `pending` are the undecided proposals 'it' may mean: the conversation's, not the whole queue. */
export type IntentContext = { now: Instant; zone: string; events: KnownEvent[]; pending: PendingPlan[] };

export type ActionType = 'schedule' | 'reschedule' | 'reflect' | 'log';
export type PartOfDay = 'morning' | 'afternoon' | 'evening' | 'night';

export type Intent = {
  action_type: ActionType;
  /** Clean and capitalised: 'Deep work on thesis'. */
  title: string;
  /** What is to be done, logged or reflected on, as a sentence. */
  content: string;
  /** `#thesis` gives 'thesis'. */
  task_id?: string;
  /** '@deep_work', also from the words 'deep work'. */
  tempo_tag?: string;
  /** Other tags: '@anna' keeps its @, '#urgent' becomes 'urgent'. */
  tags: string[];
  /** Only where an exact time was named, or follows from the event moved ('to Friday' keeps its time of day). */
  scheduled_for?: Instant;
  /** Half-open window in which a free slot is to be found; never starts before now. */
  between?: Interval;
  /** Where `between` spans several days, the part of each day that was asked for. */
  part_of_day?: PartOfDay;
  /** Times within `between` that were left out: 'any day except Friday'. */
  avoid?: Interval[];
  duration_minutes?: number;
  duration_delta_minutes?: number;
  target_event_uid?: string;
  /** A correction of this pending proposal: only what is to change is set. */
  target_plan_uid?: string;
  /** `cancel: true`; `all_day: true`; `after` / `before` 'HH:MM' where a window of days has hours no part of day says. */
  arguments: PlanArguments;
  reasoning: string;
};

/** `question` is set where a guess would be needed; `unknown` are the pieces of the prompt nothing was made of. */
export type Understanding = {
  intents: Intent[];
  question?: string;
  reply: string;
  unknown: string[];
  /** Characters at the end of a long prompt that were not read. */
  unread: number;
};
