/**
 * The functions that other features call in the planner queue. The agent feature imports those features, so they cannot import it:
 * each says in a port of its own what it needs, and the agent feature registers what does it.
 */
import type { CalendarPlanPort } from '../calendar/plan-port.ts';
import type { MemoryPlanPort } from '../memory/plan-port.ts';
import type { MemportPlanPort } from '../memport/plan-port.ts';
import type { UserPlanPort } from '../user/plan-port.ts';

export type PlanHooks = MemoryPlanPort & MemportPlanPort & CalendarPlanPort & UserPlanPort;

/** The hooks with the function by which the agent feature registers them. */
export type OpenPlanHooks = PlanHooks & { register: (hooks: PlanHooks) => void };

export const createPlanHooks = (): OpenPlanHooks => {
  let registered: PlanHooks | undefined;
  const hooks = (): PlanHooks => {
    if (!registered)
      throw new Error(
        'No plan hooks are registered: create the agent feature before the first write (process/services.ts).',
      );
    return registered;
  };
  return {
    register: (given) => {
      if (registered) throw new Error('The plan hooks are registered already: create one agent feature for each set.');
      registered = given;
    },
    proposingTraces: (...args) => hooks().proposingTraces(...args),
    isSameProposal: (...args) => hooks().isSameProposal(...args),
    waitingPlan: (...args) => hooks().waitingPlan(...args),
    admitWaiting: (...args) => hooks().admitWaiting(...args),
    editPlan: (...args) => hooks().editPlan(...args),
    blockDisplaced: (...args) => hooks().blockDisplaced(...args),
    occurrencesDisplaced: (...args) => hooks().occurrencesDisplaced(...args),
    eventChanged: (...args) => hooks().eventChanged(...args),
    changeTakenBack: (...args) => hooks().changeTakenBack(...args),
    executionChanged: (...args) => hooks().executionChanged(...args),
  };
};
