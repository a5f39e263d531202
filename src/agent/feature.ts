/** Creates the agent feature: the planner queue, the planner that understands prompts, and the executor. */
import type { CalendarService } from '../calendar/service.ts';
import type { Clock } from '../common/clock.ts';
import type { DatabaseHandle } from '../db/database.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Sensitive } from '../ledger/sensitive-values.ts';
import type { TraceStore } from '../ledger/trace-store.ts';
import type { ModelPlanner } from '../llm/model-planner.ts';
import type { Search } from '../memory/search/search.ts';
import type { Logger } from '../observability/log.ts';
import type { Telemetry } from '../observability/telemetry.ts';
import type { TempoService } from '../tempo/service.ts';
import type { Authenticate } from '../user/authenticate.ts';
import { createProposalAdmission } from './propose/admit.ts';
import { createApprovalRules } from './decide/approval-rules.ts';
import { createExecutor } from './decide/executor.ts';
import { createPlanEffects } from './decide/plan-effects.ts';
import type { OpenPlanHooks } from './plan-hooks.ts';
import { createPlanner } from './prompt/planner.ts';
import { createPromptReader } from './prompt/reader.ts';
import { createProposals } from './feed/feed.ts';
import { createMoves } from './decide/record-transition.ts';
import { createAgentService } from './service.ts';
import { createSituationOf } from './prompt/situation.ts';

export type AgentFeatureDeps = {
  handle: DatabaseHandle;
  ledger: Ledger;
  clock: Clock;
  log: Logger;
  telemetry: Telemetry;
  traces: TraceStore;
  sensitive: Sensitive;
  planHooks: OpenPlanHooks;
  calendar: CalendarService;
  tempo: TempoService;
  search: Search;
  authenticate: Authenticate;
  jwtSecret: string;
  model: ModelPlanner | null;
};

export const createAgentFeature = (deps: AgentFeatureDeps) => {
  const { db, reads } = deps.handle;
  const moves = createMoves(deps);
  const admission = createProposalAdmission({ ...deps, moves });
  const execution = createPlanEffects({ ...deps, moves });
  const rules = createApprovalRules(deps);
  const parts = { ...deps, db, reads, moves, admission, execution, rules, situationOf: createSituationOf(deps.tempo) };
  const agent = createAgentService(parts);
  const reader = createPromptReader(deps);
  deps.planHooks.register(agent);
  return {
    agent,
    planner: createPlanner({ ...parts, agent, reader }),
    reader,
    executor: createExecutor(parts),
    proposals: createProposals({ ...parts, agent, secret: deps.jwtSecret }),
  };
};
