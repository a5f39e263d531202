/** Creates the services of all features from the configuration and an open database, and connects them with each other. */
import { createPlanEffects } from '../agent/plan-effects.ts';
import { createExecutor } from '../agent/executor.ts';
import { createPlanHooks } from '../agent/plan-hooks.ts';
import { createMoves } from '../agent/record-transition.ts';
import { createPlanner } from '../agent/prompt-planner.ts';
import { createProposalAdmission } from '../agent/admit-proposal.ts';
import type { Situation } from '../agent/placement.ts';
import { createAgentService } from '../agent/service.ts';
import { createProposals } from '../calendar/proposals-feed.ts';
import { createCalendarService } from '../calendar/service.ts';
import { createChatService } from '../chat/service.ts';
import type { Clock } from '../common/clock.ts';
import type { Config } from './config.ts';
import type { DatabaseHandle, Db } from '../db/database.ts';
import { learnedWeight } from '../domain/plan/tempo-learning.ts';
import { createLedger } from '../ledger/ledger.ts';
import { createLedgerPositions } from '../ledger/ledger-position.ts';
import { createSensitive } from '../ledger/sensitive-values.ts';
import { createTraceStore } from '../ledger/trace-store.ts';
import { createHub } from '../live/hub.ts';
import { createModels } from '../llm/models.ts';
import type { Logger } from '../observability/log.ts';
import { createEmbeddings } from '../memory/trace-embeddings.ts';
import { createProbes } from '../memory/query-embeddings.ts';
import { SearchBody } from '../memory/schemas.ts';
import { createSearch } from '../memory/search.ts';
import { createMemoryService } from '../memory/service.ts';
import { createSummaries } from '../memory/trace-summaries.ts';
import { createSummaryCache } from '../memport/summary-cache.ts';
import { createMemportService, type Page } from '../memport/service.ts';
import type { Telemetry } from '../observability/telemetry.ts';
import { createTempoService } from '../tempo/service.ts';
import { createAccounts } from '../user/account-erasure.ts';
import { createAuthenticate } from '../user/authenticate.ts';
import { createKeys } from '../user/api-keys.ts';
import { createOwner } from '../user/owner-reset.ts';
import { createPasswords } from '../user/passwords.ts';
import { loadProfile } from '../user/profile.ts';
import { createUserService } from '../user/service.ts';
import { createSessions } from '../user/sessions.ts';
import { createThrottle } from '../user/login-throttle.ts';
import { createTickets } from '../user/socket-tickets.ts';

/** One address may register this many accounts. The limit is off together with the rate limit. */
const REGISTRATIONS_PER_HOUR = 30;

/** The model is shown the traces that a search for the first thousand characters of the prompt finds, at most ten. */
const RELEVANT_PROMPT = 1000;
const RELEVANT_TRACES = 10;

export type ServiceDeps = {
  config: Config;
  handle: DatabaseHandle;
  log: Logger;
  clock: Clock;
  jwtSecret: string;
  /** Whether pgvector is installed. */
  vectors: boolean;
  telemetry: Telemetry;
  /** The rounds of bcrypt. */
  passwordCost: number;
  /** The limit of checkpoints for one user; tests lower it. */
  maxCheckpoints?: number | undefined;
  /** Is called after each commit with the number of its entries. */
  counted: (entries: number) => void;
};

export const createServices = (deps: ServiceDeps) => {
  const { config, handle, log, clock, vectors, telemetry, counted } = deps;
  const { db, reads } = handle;

  const models = createModels(config, log);
  const embeddings = createEmbeddings({ db, log, vectors, model: models.embeddings });
  const hub = createHub({ handle, log });
  const ledger = createLedger({
    handle,
    clock,
    committed: (user_id, seq, entries) => {
      counted(entries);
      hub.committed(user_id, seq);
      embeddings.committed(user_id);
    },
  });
  const traces = createTraceStore({ vectors });
  const sensitive = createSensitive({ reads });
  const positions = createLedgerPositions({ reads });

  const sessions = createSessions({ db, clock, secret: deps.jwtSecret });
  const authenticate = createAuthenticate({ db: reads, clock, sessions });
  const keys = createKeys({ db, ledger, clock });
  const tickets = createTickets({ db, clock });
  const passwords = createPasswords(deps.passwordCost);
  const throttle = createThrottle(handle, config.RATE_LIMIT_PER_MINUTE ? REGISTRATIONS_PER_HOUR : 0);
  const planHooks = createPlanHooks();
  const users = createUserService({
    db,
    reads,
    ledger,
    sessions,
    throttle,
    passwords,
    forget: authenticate.forget,
    planHooks,
  });

  const accounts = createAccounts({ db, ledger, throttle, passwords, forget: authenticate.forget });

  const owner = createOwner({ db, ledger, keys, passwords, sessions });

  const tempo = createTempoService({ db: reads, ledger, forget: authenticate.forget });
  const situationOf = async (tx: Db, user_id: string): Promise<Situation> => {
    const profile = await tempo.profileOf(user_id, tx);
    const { settings } = (await loadProfile(tx, user_id)).profile;
    const weight: Situation['weight'] = ({ trace, action_type }) =>
      profile.use_learned
        ? learnedWeight(profile.learned, { tag: trace?.tempo_tag, action_type }, profile.timezone)
        : undefined;
    return { profile, settings, weight };
  };

  const memory = createMemoryService({
    db,
    reads,
    ledger,
    clock,
    traces,
    sensitive,
    planHooks,
  });
  const search = createSearch({
    db,
    clock,
    sensitive,
    vectors,
    probeFor: createProbes({ model: models.embeddings, progress: embeddings.progress }),
    halfLifeOf: async (user_id) => (await loadProfile(db, user_id)).profile.settings.memory.recency_half_life_days,
  });
  const { summaries } = createSummaries({ db, sensitive, model: models.summaries });
  const cache = createSummaryCache<Page>({ minutes: config.SUMMARY_CACHE_MINUTES, clock });
  const memport = createMemportService({ db, ledger, clock, positions, cache, maxCheckpoints: deps.maxCheckpoints });
  const calendar = createCalendarService({
    db,
    reads,
    ledger,
    clock,
    traces,
    sensitive,
    profileOf: tempo.profileOf,
    planHooks,
  });

  const moves = createMoves({ traces, clock });
  const admission = createProposalAdmission({ clock, traces, calendar, moves });
  const execution = createPlanEffects({ clock, traces, calendar, moves, sensitive });
  const executor = createExecutor({
    handle,
    ledger,
    clock,
    log,
    moves,
    execution: {
      execute: (writer, plan) =>
        telemetry.span('executor.execute', { 'almanac.action_type': plan.action_type }, () =>
          execution.execute(writer, plan),
        ),
    },
  });
  const agent = createAgentService({
    db,
    reads,
    ledger,
    clock,
    traces,
    sensitive,
    calendar,
    moves,
    admission,
    execution,
    log,
    situationOf,
  });
  planHooks.register(agent);
  const proposals = createProposals({
    clock,
    secret: deps.jwtSecret,
    feedKey: authenticate.feedKey,
    targetTexts: (user_id, uids) => calendar.inTransaction.targetTexts(reads, user_id, uids),
    queue: {
      pending: async (user_id, limit) => (await agent.queue(user_id, { status: 'pending', limit }, undefined)).items,
      plan: agent.plan,
      approve: agent.approve,
      reject: agent.reject,
    },
  });
  const planner = createPlanner({
    db,
    ledger,
    clock,
    calendar,
    sensitive,
    agent,
    admission,
    moves,
    situationOf,
    model: models.planner,
    relevant: async (caller, prompt) => {
      const query = SearchBody.parse({ query: prompt.slice(0, RELEVANT_PROMPT), limit: RELEVANT_TRACES });
      return (await search.search(caller, query, undefined)).items;
    },
  });
  const chat = createChatService({
    ledger,
    clock,
    traces,
    planner,
    keepsChat: async (user_id) => (await loadProfile(db, user_id)).profile.settings.memory.record_chat,
  });

  return {
    models,
    embeddings,
    hub,
    ledger,
    traces,
    sensitive,
    positions,
    sessions,
    authenticate,
    keys,
    tickets,
    throttle,
    users,
    accounts,
    owner,
    tempo,
    memory,
    search,
    summaries,
    memport,
    calendar,
    executor,
    agent,
    proposals,
    planner,
    chat,
  };
};
