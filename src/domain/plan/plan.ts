/** The life of a plan: four states, one table of moves, one lookup (docs/decisions.md, Four states, one table of moves). */
import type { Instant } from '../time/time.ts';

export const STATUSES = ['proposed', 'approved', 'rejected', 'executed'] as const;
export type Status = (typeof STATUSES)[number];

export const ACTION_TYPES = ['schedule', 'reschedule', 'reflect', 'log'] as const;
export type ActionType = (typeof ACTION_TYPES)[number];

/** Names the specification's examples use for the same things. */
export const ACTION_ALIASES: Record<string, ActionType> = { add_event: 'schedule', reschedule_event: 'reschedule' };

/**
 * Who may make a move: a person (a credential with plan:decide), the credential that proposed the plan, the service itself
 * (code that carries out a rule or an effect, in whoever’s write), or anyone whom the route lets in.
 */
export type Mover = 'person' | 'proposer' | 'service' | 'anyone';

export type Move = {
  from: readonly Status[];
  to: Status | 'same';
  by: readonly Mover[];
  /** It may change what is decided on (plan-transitions.ts DECIDED_ON). */
  rewrites?: true;
  /** It sets when the executor is to carry the plan out; every other move leaves that time as it is. */
  sets_due?: true;
};

/** Every change of a plan there is; everything else is `illegal_transition`. */
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
  /** A pending proposal is changed: by an edit, or by a correction in words. */
  revise: { from: ['proposed'], to: 'same', by: ['proposer', 'person'], rewrites: true },
  /** A person changes what was approved: a new decision. */
  amend: { from: ['approved'], to: 'same', by: ['person'], rewrites: true, sets_due: true },
  /** A person changes an approved plan in what nobody decided on: tags, links, metadata. */
  label: { from: ['approved'], to: 'same', by: ['person'] },
  /** The executor tries again later. */
  retry: { from: ['approved'], to: 'same', by: ['service'], sets_due: true },
  edit: { from: ['executed'], to: 'same', by: ['person'], rewrites: true },
  /** Its event was changed on the calendar. */
  follow: { from: ['executed'], to: 'same', by: ['service'] },
  /** Feedback. */
  annotate: { from: STATUSES, to: 'same', by: ['anyone'] },
} as const satisfies Record<string, Move>;

export type MoveName = keyof typeof MOVES;

/** The code of an executed plan whose block gave way: it takes no room any more, and was proposed anew. */
export const DISPLACED = 'displaced';

export type Decision = {
  /** The actor, or `policy`. */
  by: string;
  /** `user`, `withdrawn`, `expired`, `cancelled`, `failed`, `slot_taken`, or a code of limits and slots. */
  code: string;
  note: string | null;
  at: Instant;
  /** Free times instead, where a slot was refused. */
  alternatives?: { start: Instant; end: Instant }[];
};

/** The record of a transition, on an immutable observation. `to` is `edited` where an executed plan was edited. */
export type Transition = {
  plan_uid: string;
  from: Status;
  to: Status | 'edited';
  actor: string;
  code: string;
  note: string | null;
};

/** Ledger kinds, which are also the types of realtime messages. */
export const KIND_OF_MOVE: Record<MoveName, string> = {
  approve: 'plan.approved',
  reject: 'plan.rejected',
  withdraw: 'plan.rejected',
  expire: 'plan.rejected',
  refuse: 'plan.rejected',
  execute: 'plan.executed',
  cancel: 'plan.rejected',
  fail: 'plan.rejected',
  displace: 'plan.rejected',
  revise: 'queue.changed',
  amend: 'plan.edited',
  label: 'plan.edited',
  retry: 'queue.changed',
  edit: 'plan.edited',
  follow: 'plan.edited',
  annotate: 'trace.updated',
};

/** What a plan does to the calendar; `arguments` as stored, which may be older than their schema (plan-arguments.ts). */
export type Acting = { action_type: ActionType; arguments: Record<string, unknown> };

/** A reschedule that takes its event off the calendar. */
export const cancels = (plan: Acting): boolean =>
  plan.action_type === 'reschedule' && plan.arguments['cancel'] === true;

export const isAllDay = (plan: Acting): boolean =>
  plan.action_type === 'schedule' && plan.arguments['all_day'] === true;

/** Slots concern what takes room in the calendar. */
export const takesTime = (plan: Acting): boolean =>
  (plan.action_type === 'schedule' || plan.action_type === 'reschedule') && !cancels(plan) && !isAllDay(plan);

/** What the record of a move says that it led to. */
export const recordedAs = (status: Status, name: MoveName): Status | 'edited' => {
  if (name === 'edit' || name === 'follow') return 'edited';
  const { to }: Move = MOVES[name];
  return to === 'same' ? status : to;
};
