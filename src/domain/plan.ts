/** The life of a plan: four states, one table of moves, one lookup. The glossary of decisions §7 as code. */
import type { Instant } from './time.ts';

export const STATUSES = ['proposed', 'approved', 'rejected', 'executed'] as const;
export type Status = (typeof STATUSES)[number];

export const ACTION_TYPES = ['schedule', 'reschedule', 'reflect', 'log'] as const;
export type ActionType = (typeof ACTION_TYPES)[number];

/** Names the specification's examples use for the same things. */
export const ACTION_ALIASES: Record<string, ActionType> = { add_event: 'schedule', reschedule_event: 'reschedule' };

/** Who may make a move: a person deciding, the agent that proposed, code enforcing a rule, the executor. */
export type Mover = 'person' | 'proposer' | 'policy' | 'executor';

type Move = { from: Status; to: Status; by: readonly Mover[] };

/** Every move there is; everything else is `illegal_transition`. */
export const MOVES = {
  approve: { from: 'proposed', to: 'approved', by: ['person'] },
  reject: { from: 'proposed', to: 'rejected', by: ['person'] },
  withdraw: { from: 'proposed', to: 'rejected', by: ['proposer', 'person'] },
  expire: { from: 'proposed', to: 'rejected', by: ['policy'] },
  refuse: { from: 'proposed', to: 'rejected', by: ['policy'] },
  execute: { from: 'approved', to: 'executed', by: ['executor'] },
  cancel: { from: 'approved', to: 'rejected', by: ['person'] },
  fail: { from: 'approved', to: 'rejected', by: ['executor'] },
  displace: { from: 'approved', to: 'rejected', by: ['policy', 'executor'] },
  edit: { from: 'executed', to: 'executed', by: ['person'] },
} as const satisfies Record<string, Move>;

export type MoveName = keyof typeof MOVES;

/** Codes of a decision; policy codes are those of limits and slots. */
export type DecisionCode =
  | 'user'
  | 'withdrawn'
  | 'expired'
  | 'cancelled'
  | 'failed'
  | 'slot_taken'
  | `limit:${string}`
  | `slot:${string}`;

export type Decision = {
  /** The actor, or `policy`. */
  by: string;
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
  edit: 'plan.edited',
};

export type Advance =
  | { ok: true; from: Status; to: Status; recorded: Status | 'edited' }
  | { ok: false; from: Status; to: Status };

/** Whether a plan in `status` can make a move, and where that leads. Who may make it is the scope's and the caller's matter. */
export const advance = (status: Status, name: MoveName): Advance => {
  const move: Move = MOVES[name];
  if (move.from !== status) return { ok: false, from: status, to: move.to };
  return { ok: true, from: status, to: move.to, recorded: name === 'edit' ? 'edited' : move.to };
};
