/**
 * Applies a move of the state machine to a plan, or says why it is not possible. Every change of a plan passes here when it is
 * written (ledger/trace-store.ts). It checks the table of moves, who may make the move, and what a plan needs before it can be
 * executed.
 */
import { canonicalJson } from '../record/canonical-json.ts';
import { readArguments, type PlanArguments } from './plan-arguments.ts';
import { cancels, isAllDay, MOVES, keepsTime, type Move, type MoveName, type Mover, type Status } from './plan.ts';
import type { PlanDoc, Unstamped } from '../record/trace.ts';

/** The fields on which a person decides. Feedback, tags, links and attempts are not among them. */
const DECIDED_ON = [
  'title',
  'content',
  'action_type',
  'scheduled_for',
  'duration_minutes',
  'rrule',
  'exdates',
  'on_conflict',
  'timezone',
  'swaps_with',
  'target_event_uid',
  'arguments',
  'task_id',
  'tempo_tag',
] as const satisfies (keyof PlanDoc)[];

export const isRewritten = (from: PlanDoc, to: PlanDoc): boolean =>
  DECIDED_ON.some((field) => canonicalJson([from[field]]) !== canonicalJson([to[field]]));

/**
 * The version at which what is decided on last changed, or at which a decision was taken back. Documents of release 0.1 do not record it; for them it is the newest
 * version.
 */
export const revisionOf = ({ revision, version }: { revision?: number; version: number }): number =>
  revision ?? version;

/** Returns whether a client that read `version` of a plan has read what is decided on now. */
export const hasSeen = (plan: PlanDoc, version: number): boolean =>
  revisionOf(plan) <= version && version <= plan.version;

/** An imported plan is only a record: it can neither be decided nor executed. */
export const isRecord = ({ origin }: Pick<PlanDoc, 'origin'>): boolean => origin === 'import';

/** The actor of a move. `decides` says that the credential holds plan:decide. */
export type MoveActor = { actor: string; decides: boolean };

export type PlanFault = { field: keyof PlanDoc; code: string; message: string };
type Draft = Unstamped<PlanDoc>;

/** Whether patches of the settings say nothing. */
const changesNothing = ({ limits = {}, tempo = {} }: PlanArguments): boolean =>
  Object.keys(limits).length + Object.keys(tempo).length === 0;

/** Lists what a plan lacks before it can be executed. */
export const missingIn = (plan: Draft): PlanFault[] => {
  const faults: PlanFault[] = [];
  const need = (field: keyof Draft, message: string): void => {
    if (plan[field] === null) faults.push({ field, code: 'required', message });
  };
  if (plan.action_type === 'schedule') {
    need('scheduled_for', 'is required for a plan that makes an event');
    if (!isAllDay(plan)) need('duration_minutes', 'is required for a plan that makes an event');
  }
  if (plan.action_type === 'reschedule') {
    need('target_event_uid', 'is required: name the event to reschedule');
    if (!cancels(plan) && !keepsTime(plan)) need('scheduled_for', 'is required for a plan that moves an event');
  }
  if (plan.action_type === 'configure' && changesNothing(readArguments(plan)))
    faults.push({ field: 'arguments', code: 'required', message: 'must have limits or tempo: what it changes' });
  return faults;
};

export type Refusal =
  | { why: 'mover' }
  | { why: 'record' }
  | { why: 'status'; to: Status | 'edited' }
  | { why: 'missing'; faults: PlanFault[] };

/** Returns whether this credential may make the move in any state of the plan. */
export const mayMake = (plan: PlanDoc, name: MoveName, { actor, decides }: MoveActor): boolean =>
  MOVES[name].by.some((mover: Mover) =>
    mover === 'person' ? decides : mover === 'proposer' ? plan.proposed_by === actor : true,
  );

/** Returns why this credential can't make the move now, or null. */
export const refusalOf = (plan: PlanDoc, name: MoveName, by: MoveActor): Refusal | null => {
  const move: Move = MOVES[name];
  if (!mayMake(plan, name, by)) return { why: 'mover' };
  if (!move.from.includes(plan.status)) return { why: 'status', to: move.to === 'same' ? 'edited' : move.to };
  return isRecord(plan) && move.to !== 'same' ? { why: 'record' } : null;
};

/** Returns the plan after the move, or why the move is refused. */
export const stepOf = (
  plan: PlanDoc,
  name: MoveName,
  changes: Partial<PlanDoc>,
  by: MoveActor,
): { to: PlanDoc } | { refused: Refusal } => {
  const refused = refusalOf(plan, name, by);
  if (refused) return { refused };
  const move: Move = MOVES[name];
  const to: PlanDoc = { ...plan, ...changes, status: move.to === 'same' ? plan.status : move.to };
  const rewritten = isRewritten(plan, to);
  if (rewritten && isRecord(plan)) return { refused: { why: 'record' } };
  if (rewritten && !move.rewrites) throw new Error(`the move ${name} may not change what plan ${plan.uid} decides on`);
  const faults = move.rewrites && plan.status !== 'executed' ? missingIn(to) : [];
  if (faults.length) return { refused: { why: 'missing', faults } };
  // A decision that was taken back can't be repeated by somebody who read the plan before.
  const renewed = rewritten || name === 'reopen';
  return { to: { ...to, revision: renewed ? plan.version + 1 : revisionOf(plan) } };
};
