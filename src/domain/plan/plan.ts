/**
 * The state machine of a plan: four states and the table of moves between them (docs/decisions.md, Four states, one table of
 * moves).
 */

export const STATUSES = ['proposed', 'approved', 'rejected', 'executed'] as const;
export type Status = (typeof STATUSES)[number];

export const ACTION_TYPES = ['schedule', 'reschedule', 'reflect', 'log', 'configure'] as const;
export type ActionType = (typeof ACTION_TYPES)[number];

/** The types that are executed at their time, and not at their approval as changes of the calendar are. */
export const TIMED_TYPES: readonly ActionType[] = ['reflect', 'log', 'configure'];

/** Other names for action types, which the specification's examples use. */
export const ACTION_ALIASES: Record<string, ActionType> = { add_event: 'schedule', reschedule_event: 'reschedule' };

/**
 * Who may make a move: a person (a credential with plan:decide), the credential that proposed the plan, the service (code that
 * applies a rule or an effect, in any caller's write), or anyone whom the route admits.
 */
export type Mover = 'person' | 'proposer' | 'service' | 'anyone';

export type Move = {
  from: readonly Status[];
  to: Status | 'same';
  by: readonly Mover[];
  /** The move may change what is decided on (plan-transitions.ts DECIDED_ON). */
  rewrites?: true;
  /** The move sets the time at which the executor executes the plan. No other move changes it. */
  sets_due?: true;
};

/** All changes of a plan. Any other one is `illegal_transition`. */
export const MOVES = {
  approve: { from: ['proposed'], to: 'approved', by: ['person'], rewrites: true, sets_due: true },
  reject: { from: ['proposed'], to: 'rejected', by: ['person'] },
  withdraw: { from: ['proposed'], to: 'rejected', by: ['proposer', 'person'] },
  expire: { from: ['proposed'], to: 'rejected', by: ['service'] },
  refuse: { from: ['proposed'], to: 'rejected', by: ['service'] },
  execute: { from: ['approved'], to: 'executed', by: ['service'] },
  cancel: { from: ['approved'], to: 'rejected', by: ['person'] },
  fail: { from: ['approved'], to: 'rejected', by: ['service'] },
  displace: { from: ['approved'], to: 'rejected', by: ['service'] },
  /** A person takes a decision back: the plan waits again, and what it did is undone in the same write. */
  reopen: { from: ['approved', 'rejected', 'executed'], to: 'proposed', by: ['person'], sets_due: true },
  /** A person takes the rejection of a plan back whose time is over: another plan proposes it again, which this one names. */
  propose_again: { from: ['rejected'], to: 'same', by: ['person'] },
  /** A pending proposal is changed by an edit, or by feedback that the planner interprets. */
  revise: { from: ['proposed'], to: 'same', by: ['proposer', 'person'], rewrites: true },
  /** A person changes what was approved, which is a new decision. */
  amend: { from: ['approved'], to: 'same', by: ['person'], rewrites: true, sets_due: true },
  /** A person changes parts of an approved plan that are not decided on: tags, links, metadata. */
  label: { from: ['approved'], to: 'same', by: ['person'] },
  /** The executor will try again later. */
  retry: { from: ['approved'], to: 'same', by: ['service'], sets_due: true },
  edit: { from: ['executed'], to: 'same', by: ['person'], rewrites: true },
  /** The plan's event was changed on the calendar. */
  follow: { from: ['executed'], to: 'same', by: ['service'] },
  /** A person takes back what the plan made and does not want it again, as with all that one agent caused. */
  annul: { from: ['executed'], to: 'same', by: ['person'] },
  /** A person's event took the time of the plan's event, which is proposed again as another plan. */
  lose_time: { from: ['executed'], to: 'same', by: ['service'] },
  /** A person takes a change back, and what the plan made is as it was before. */
  regain: { from: ['executed'], to: 'same', by: ['service'] },
  /** Feedback is added. */
  annotate: { from: STATUSES, to: 'same', by: ['anyone'] },
} as const satisfies Record<string, Move>;

export type MoveName = keyof typeof MOVES;

/** The code of an executed plan whose block was displaced. It takes no time any more, and the plan was proposed again. */
export const DISPLACED = 'displaced';

/** The code of an executed plan whose event a person removed. */
export const SERIES_REMOVED = 'event_removed';

/** The code of what was taken back: a plan that waits no longer, or whose effects are undone. */
export const UNDONE = 'undone';

/** The codes of executed plans of which what they made is undone or has left the calendar. */
export const OFF_CALENDAR: readonly string[] = [DISPLACED, SERIES_REMOVED, UNDONE];
export const isOffCalendar = ({ decision }: { decision: { code: string } | null }): boolean =>
  decision !== null && OFF_CALENDAR.includes(decision.code);

/** The ledger kind of each move, which is also the type of its realtime message. */
export const KIND_OF_MOVE = {
  approve: 'plan.approved',
  reject: 'plan.rejected',
  withdraw: 'plan.rejected',
  expire: 'plan.rejected',
  refuse: 'plan.rejected',
  execute: 'plan.executed',
  cancel: 'plan.rejected',
  fail: 'plan.rejected',
  displace: 'plan.rejected',
  reopen: 'plan.reopened',
  propose_again: 'plan.edited',
  revise: 'queue.changed',
  amend: 'plan.edited',
  label: 'plan.edited',
  retry: 'queue.changed',
  edit: 'plan.edited',
  annul: 'plan.edited',
  follow: 'plan.edited',
  lose_time: 'plan.displaced',
  regain: 'plan.edited',
  annotate: 'trace.updated',
} as const satisfies Record<MoveName, string>;

type MoveKind = Exclude<(typeof KIND_OF_MOVE)[MoveName], 'trace.updated'>;

/** The kinds of entries that are about plans and the queue. */
export const PLAN_KINDS: readonly ('plan.proposed' | MoveKind)[] = [
  'plan.proposed',
  ...new Set(Object.values(KIND_OF_MOVE).filter((kind) => kind !== 'trace.updated')),
];

/**
 * The parts of a plan that say what it does to the calendar. Stored `arguments` may be older than their schema
 * (plan-arguments.ts).
 */
export type PlanAction = { action_type: ActionType; arguments: Record<string, unknown> };

/** Returns whether a plan is a reschedule that cancels its event. */
export const cancels = (plan: PlanAction): boolean =>
  plan.action_type === 'reschedule' && plan.arguments['cancel'] === true;

/** Returns whether a plan changes an occurrence and all later ones of its series. */
export const changesFollowing = (plan: PlanAction): boolean =>
  plan.action_type === 'reschedule' && plan.arguments['scope'] === 'following';

/** Returns whether a plan makes a series. Documents of earlier releases have no rule. */
export const repeats = (plan: { rrule?: string | null | undefined }): boolean => typeof plan.rrule === 'string';

/** The arguments by which a reschedule changes what its event has beside its time. */
const DETAILS = ['title', 'location', 'description', 'reminders'] as const;

/** Returns whether a plan is a reschedule that changes only texts or reminders of its event. It has no time and moves nothing. */
export const keepsTime = (plan: PlanAction & { scheduled_for: string | null }): boolean =>
  plan.action_type === 'reschedule' &&
  plan.scheduled_for === null &&
  !cancels(plan) &&
  DETAILS.some((name) => plan.arguments[name] !== undefined) &&
  // With hours, a slot is searched.
  plan.arguments['after'] === undefined &&
  plan.arguments['before'] === undefined;

export const isAllDay = (plan: PlanAction): boolean =>
  plan.action_type === 'schedule' && plan.arguments['all_day'] === true;

/** Returns whether a plan takes time on the calendar. Only such plans need a slot. */
export const takesTime = (plan: PlanAction & { scheduled_for: string | null }): boolean =>
  (plan.action_type === 'schedule' || plan.action_type === 'reschedule') &&
  !cancels(plan) &&
  !keepsTime(plan) &&
  !isAllDay(plan);

/** Moves of an executed plan by which what it made is changed. */
const ON_CALENDAR: ReadonlySet<MoveName> = new Set<MoveName>(['edit', 'annul', 'follow', 'lose_time', 'regain']);

/** Returns the status that the record of a move gives as its result. */
export const recordedAs = (status: Status, name: MoveName): Status | 'edited' => {
  if (ON_CALENDAR.has(name)) return 'edited';
  const { to }: Move = MOVES[name];
  return to === 'same' ? status : to;
};
