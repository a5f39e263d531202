/**
 * Converts refusals of the state machine of plans (domain/plan/plan-transitions.ts) to problems, and the author of a write to
 * what the state machine knows about it.
 */
import {
  missingIn,
  refusalOf,
  revisionOf,
  type MoveActor,
  type PlanFault,
  type Refusal,
} from '../domain/plan/plan-transitions.ts';
import type { MoveName } from '../domain/plan/plan.ts';
import type { PlanDoc, Unstamped } from '../domain/record/trace.ts';
import { invalid, problem, type Problem } from '../common/problem.ts';
import type { Author } from './ledger-writer.ts';

export const byOf = ({ actor, scopes }: Author): MoveActor => ({ actor, decides: scopes?.has('plan:decide') ?? false });

const stateOf = ({ status, decision }: PlanDoc): string => (decision ? `${status} (${decision.code})` : status);

const incomplete = (faults: PlanFault[], at: string): Problem =>
  invalid(faults.map(({ field, code, message }) => ({ path: `${at}/${field}`, code, message })));

/** Makes the problem. @param at a JSON Pointer to the plan's fields in the request */
export const refusedMove = (plan: PlanDoc, refused: Refusal, at = ''): Problem => {
  if (refused.why === 'status')
    return problem('illegal_transition', `Plan ${plan.uid} is ${stateOf(plan)} and cannot become ${refused.to}.`, {
      from: plan.status,
      to: refused.to,
    });
  if (refused.why === 'missing') return incomplete(refused.faults, at);
  if (refused.why === 'record')
    return problem(
      'illegal_transition',
      `Plan ${plan.uid} was imported. It is a record that nobody can decide on, change or execute. Propose it again instead.`,
      { from: plan.status, to: plan.status },
    );
  return problem(
    'not_yours_to_edit',
    plan.status === 'proposed'
      ? `Plan ${plan.uid} was proposed by ${plan.proposed_by}. Only that credential or a person (plan:decide) can change or withdraw it.`
      : `Plan ${plan.uid} is ${plan.status}. Only a person (plan:decide) may change it.`,
  );
};

/** Checks before expensive work that a move is allowed. @throws 403, 409 */
export const requireMove = (author: Author, plan: PlanDoc, name: MoveName): void => {
  const refused = refusalOf(plan, name, byOf(author));
  if (refused) throw refusedMove(plan, refused);
};

/** Checks that what was read before the write is still what is decided on. @throws 409 */
export const requireUnchanged = (plan: PlanDoc, read: number): void => {
  if (revisionOf(plan) <= read) return;
  throw problem(
    'illegal_transition',
    `Plan ${plan.uid} was changed in the meantime: version ${read} was read, and it is at version ${plan.version}. Read it again, then repeat the change.`,
    { from: plan.status, to: 'edited', version: plan.version },
  );
};

/** Checks that a plan can be executed. @throws 422 with what it lacks */
export const requireComplete = (plan: Unstamped<PlanDoc>, at = ''): void => {
  const faults = missingIn(plan);
  if (faults.length) throw incomplete(faults, at);
};
