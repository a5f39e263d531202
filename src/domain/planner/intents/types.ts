/** What the built-in planner is given and what it answers: the shapes around `understand`. */
import type { PlanArguments } from '../../plan/plan-arguments.ts';
import type { Limits } from '../../plan/limits.ts';
import type { ActionType } from '../../plan/plan.ts';
import type { TempoPreferences } from '../../plan/tempo.ts';
import type { Instant, Interval } from '../../time/time.ts';
import type { Span } from '../request.ts';

export type KnownEvent = {
  uid: string;
  title: string;
  scheduled_for: Instant;
  duration_minutes: number;
  task_id?: string | null;
  plan_uid?: string | null;
  /** Of an occurrence of a series: which one. */
  recurrence_id?: string | null;
  location?: string | null;
  description?: string | null;
};

export type PendingPlan = {
  uid: string;
  title: string;
  action_type: string;
  scheduled_for?: Instant | null;
  duration_minutes?: number | null;
  task_id?: string | null;
  /** Plans that were proposed by one request have the same. */
  proposal_id?: string | null;
  /** A plan that repeats has a rule. */
  rrule?: string | null;
  /** The event that it moves or cancels, and which occurrence. */
  target_event_uid?: string | null;
  recurrence_id?: string | null;
  cancel?: boolean;
};

/** Longer prompts are read up to here, and the reply says so. */
export const MOST_CHARS = 2_500;

/** Half-open stretches of a text. */
export type Ranges = readonly (readonly [start: number, end: number])[];

/** The settings that a rule for all plans changes. */
export type KnownSettings = {
  limits: Limits;
  tempo: Pick<TempoPreferences, 'time_ranges' | 'tag_mappings' | 'task_overrides' | 'duration_biases'>;
};

/** `zone` is IANA; `pending` are the undecided proposals 'it' may mean: the conversation's, not the whole queue. */
export type IntentContext = {
  now: Instant;
  zone: string;
  events: KnownEvent[];
  pending: PendingPlan[];
  /** Missing where the caller may not read them. */
  settings?: KnownSettings;
  /** Values in the prompt that are hidden from some readers, as offsets. No text of a proposal has only a part of one. */
  whole?: Ranges;
  /** Words of the prompt that are not read, as offsets: they belong to a name. */
  literal?: Ranges;
  /** The prompt before this one in the conversation, whether proposals followed from it, and what its reply offered. */
  before?: {
    prompt: string;
    proposed: boolean;
    choices?: readonly Choice[];
    /** The one request of that prompt, where the limits or the calendar refused it. */
    refused?: Intent;
    /** What was spoken of last: at most a thing, and a question behind it. */
    talk?: readonly TalkItem[];
    /** The proposals that followed from it. */
    plan_uids?: readonly string[];
    /** The last prompts and their replies, oldest first. */
    turns?: readonly { prompt: string; reply: string }[];
  };
};

/** Words of a request and their role. */
export type Said = { role: string; text: string };
/** What was said of a thing, and the proposals that were made of it; without `plans`, those of the reply. */
export type TalkItem = { said: readonly Said[]; plans?: readonly string[] };

export const PARTS_OF_DAY = ['morning', 'afternoon', 'evening', 'night'] as const;
export type PartOfDay = (typeof PARTS_OF_DAY)[number];

/** A stretch of a prompt, as offsets, what it was read as, and what that means where it is a time or a length. */
export type ReadStretch = Span & { means?: string; doubtful?: true };
/** How a prompt was read: how probable it is that all roles are right, and the stretches that a proposal was made of. */
export type PromptReading = { probability: number; stretches: ReadStretch[] };

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
  /**
   * Makes a schedule a series: an RFC 5545 rule without `RRULE:`. The first occurrence is at `scheduled_for`, or it is placed in
   * `between` on a day of the rule. One intent is one series.
   */
  rrule?: string;
  /** The starts of occurrences that the request leaves out ('except on 24 December'). Other busy times need not be listed. */
  exdates?: Instant[];
  /**
   * The event of a reschedule; which occurrence of a series is in `arguments.recurrence_id`. Two intents of one prompt that move
   * each event to the time of the other are a swap.
   */
  target_event_uid?: string;
  /** A correction of this pending proposal: only what is to change is set. */
  target_plan_uid?: string;
  /** With `target_plan_uid`: it stands for the whole proposal, of which nothing else is kept. */
  replaces?: true;
  /**
   * `cancel: true`; `all_day: true`; `after` / `before` 'HH:MM' where a window of days has hours no part of day says; `title`,
   * `location`, `description`, `reminders`: what the target has then.
   */
  arguments: PlanArguments;
  reasoning: string;
  /** Of the prompt that asked for it; a choice that was made later has none. */
  reading?: PromptReading;
};

/** Half-open. */
export type AskedTime = Interval & {
  /** The wall minutes of each day that are meant, where the time spans several days: 'the mornings of next week'. */
  hours?: { from: number; to: number };
  /** The weekdays that are meant: 'on Mondays'. */
  weekdays?: readonly number[];
  /** An hour was named, and not a stretch: 'at 3'. */
  isPoint?: true;
};

/** What can be asked. The last is anything else, for which memory is searched too. */
export const QUESTION_KINDS = [
  'agenda',
  'next',
  'free',
  'when',
  'how_long',
  'where',
  'now',
  'queue',
  'limits',
  'memory',
  'done',
  'other',
] as const;
export type QuestionKind = (typeof QUESTION_KINDS)[number];

export type Question = {
  kind: QuestionKind;
  /** The words that say what it is about: 'piano lesson', 'kitchen'; '' where there are none. */
  about: string;
  /** null where no time is named. */
  time: AskedTime | null;
  /** The words of the time. They may be what memory has: 'the deposit in January'. */
  timeWords?: string;
  /** The last one is meant, not the next one: 'when was the dentist?'. */
  isPast: boolean;
  /** Of the queue: how the proposals were decided; null for those that wait. */
  status?: 'approved' | 'rejected';
  /** Of the queue: only what agents proposed. */
  byAgents?: true;
  /** Of what is next: what comes after the event that it is about. */
  isAfter?: true;
  /** Of free time: how long it must be. */
  minutes?: number;
  /** What has to be known before it can be answered. */
  ask?: string;
};

/** One of several readings, and what it would propose. */
export type Choice = { label: string; intents: Intent[] };

/** `question` is set where a guess would be needed; `unknown` are the pieces of the prompt nothing was made of. */
export type Understanding = {
  intents: Intent[];
  /** What is asked, in the order of the prompt; the reply does not answer it. */
  questions: Question[];
  question?: string;
  /** The readings between which the question asks. */
  choices?: Choice[];
  reply: string;
  unknown: string[];
  /** The words that hold of what was spoken of last. */
  talk?: readonly TalkItem[];
  /** Characters at the end of a long prompt that were not read. */
  unread: number;
};
