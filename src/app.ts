/** Composition root: from the configuration and an open database to a server. Only serve.ts, command.ts and the tests import this. */
import { setTimeout as sleep } from 'node:timers/promises';
import packageJson from '../package.json' with { type: 'json' };
import { createExecution } from './agent/execute.ts';
import { createExecutor } from './agent/executor.ts';
import { createMoves } from './agent/moves.ts';
import { createPlanner } from './agent/planner.ts';
import { createProposing } from './agent/propose.ts';
import type { Situation } from './agent/place.ts';
import { agentRoutes } from './agent/routes.ts';
import { createAgentService, type AgentService } from './agent/service.ts';
import { createProposals } from './calendar/proposals.ts';
import { calendarRoutes } from './calendar/routes.ts';
import { createCalendarService } from './calendar/service.ts';
import { chatRoutes } from './chat/routes.ts';
import { createChatService } from './chat/service.ts';
import type { Clock } from './clock.ts';
import type { Siblings } from './cluster.ts';
import type { Config } from './config.ts';
import type { DatabaseHandle, Db } from './db/client.ts';
import { learnedWeight } from './domain/learn.ts';
import { createIdempotency } from './http/idempotency.ts';
import { createKeyQuota } from './http/key-quota.ts';
import { closeListener, createListener } from './http/listener.ts';
import { createMetrics, metricsByToken } from './http/metrics.ts';
import type { MountDeps } from './http/mount.ts';
import { API_VERSION, buildOpenApi, type OpenApi } from './http/openapi.ts';
import { createRateLimit } from './http/rate.ts';
import type { Route } from './http/route.ts';
import { createHttp } from './http/server.ts';
import { createLedger } from './ledger/ledger.ts';
import { createTraceStore } from './ledger/traces.ts';
import { createChanges } from './live/changes.ts';
import { createHub } from './live/hub.ts';
import { createLive, type LiveLimits } from './live/live.ts';
import { createPoll } from './live/poll.ts';
import { liveRoutes } from './live/routes.ts';
import { Subscribe } from './live/schema.ts';
import { createModels } from './llm/models.ts';
import type { Logger } from './log.ts';
import { createEmbeddings } from './memory/embeddings.ts';
import { createProbes } from './memory/probes.ts';
import { memoryRoutes } from './memory/routes.ts';
import { SearchBody } from './memory/schema.ts';
import { createSearch } from './memory/search.ts';
import { searchRoutes } from './memory/search-routes.ts';
import { createMemoryService } from './memory/service.ts';
import { createSummaries } from './memory/summaries.ts';
import { createSummaryCache } from './memport/cache.ts';
import { createArchive } from './memport/archive.ts';
import { archiveRoutes } from './memport/archive-routes.ts';
import { createImport } from './memport/import.ts';
import { memportRoutes } from './memport/routes.ts';
import { createMemportService, type Page } from './memport/service.ts';
import { PROJECTIONS } from './projections.ts';
import { createSweep } from './sweep.ts';
import { systemRoutes } from './system/routes.ts';
import { createSystemService } from './system/service.ts';
import { NO_TELEMETRY, type Telemetry } from './telemetry.ts';
import { tempoRoutes } from './tempo/routes.ts';
import { createTempoService } from './tempo/service.ts';
import { createAccounts } from './user/account.ts';
import { createAuthenticate } from './user/authenticate.ts';
import { createKeys } from './user/keys.ts';
import { createPasswords } from './user/passwords.ts';
import { loadProfile } from './user/profile.ts';
import { userRoutes } from './user/routes.ts';
import { createUserService } from './user/service.ts';
import { createSessions } from './user/sessions.ts';
import { createThrottle } from './user/throttle.ts';
import { createTickets } from './user/tickets.ts';

export type AppDeps = {
  config: Config;
  handle: DatabaseHandle;
  log: Logger;
  clock: Clock;
  jwtSecret: string;
  /** Whether pgvector is there. */
  vectors: boolean;
  /** Of the build, for /version. */
  commit?: string;
  telemetry?: Telemetry;
  /** The other processes on this port (WORKERS). */
  siblings?: Siblings | null;
  /** Idempotency-Keys of one user within a day; fewer in tests. */
  maxIdempotencyKeys?: number;
  /** bcrypt rounds; 12 outside of tests. */
  passwordCost?: number;
  /** Check every answer against its schema (tests). */
  checkAnswers?: boolean;
  /** Patience with socket clients, shorter in tests. */
  live?: Partial<LiveLimits>;
};

/** Of one address; off together with the rate limit. */
const REGISTRATIONS_PER_HOUR = 30;

/** What of a prompt is searched for, and how many traces the model is shown. */
const RELEVANT_PROMPT = 1000;
const RELEVANT_TRACES = 10;

export const createApp = (deps: AppDeps) => {
  const { config, handle, log, clock, vectors, telemetry = NO_TELEMETRY, siblings = null } = deps;
  const { db } = handle;
  let stopping = false;

  const models = createModels(config, log);
  const embeddings = createEmbeddings({ db, log, vectors, model: models.embeddings });
  const hub = createHub({ handle, log });
  const metrics = createMetrics({ handle, clock, clients: () => live.clients(), embeddings, siblings });
  const ledger = createLedger({
    handle,
    clock,
    committed: (user_id, seq, entries) => {
      metrics.committed(entries);
      hub.committed(user_id, seq);
      embeddings.committed(user_id);
    },
  });
  const traces = createTraceStore({ vectors });

  const sessions = createSessions({ db, clock, secret: deps.jwtSecret });
  const authenticate = createAuthenticate({ db, clock, sessions });
  const keys = createKeys({ db, ledger, clock });
  const tickets = createTickets({ db, clock });
  const passwords = createPasswords(deps.passwordCost ?? 12);
  const throttle = createThrottle(handle, config.RATE_LIMIT_PER_MINUTE ? REGISTRATIONS_PER_HOUR : 0);
  /** Features that need each other both ways meet here: memory, calendar and user reach the planner queue through this. */
  const agentDoor = (): AgentService => agent;
  const users = createUserService({
    db,
    ledger,
    sessions,
    throttle,
    passwords,
    forget: authenticate.forget,
    executionChanged: (writer, mode) => agentDoor().executionChanged(writer, mode),
  });

  const accounts = createAccounts({ db, ledger, throttle, passwords, forget: authenticate.forget });

  const tempo = createTempoService({ db, ledger, forget: authenticate.forget });
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
    ledger,
    clock,
    traces,
    plans: {
      propose: (writer, caller, uid, input) => agentDoor().proposeTrace(writer, caller, uid, input),
      same: (caller, first, input) => agentDoor().same(caller, first, input),
      edit: (writer, caller, plan, updates) => agentDoor().edit(writer, caller, plan, updates),
    },
  });
  const search = createSearch({
    db,
    vectors,
    probeFor: createProbes({ model: models.embeddings, progress: embeddings.progress }),
    halfLifeOf: async (user_id) => (await loadProfile(db, user_id)).profile.settings.memory.recency_half_life_days,
  });
  const { summaries } = createSummaries({ db, model: models.summaries });
  const cache = createSummaryCache<Page>({ minutes: config.SUMMARY_CACHE_MINUTES, clock });
  const memport = createMemportService({ db, ledger, clock, cache });
  const calendar = createCalendarService({
    db,
    ledger,
    clock,
    traces,
    profileOf: tempo.profileOf,
    displaced: (writer, block, by) => agentDoor().displaced(writer, block, by),
    decided: (writer, decision) => agentDoor().decidedOnCalendar(writer, decision),
  });

  const moves = createMoves({ traces, clock });
  const proposing = createProposing({ clock, traces, calendar, moves });
  const execution = createExecution({ clock, traces, calendar, moves });
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
  const agent = createAgentService({ db, ledger, clock, traces, calendar, moves, proposing, execution, situationOf });
  const proposals = createProposals({
    clock,
    secret: deps.jwtSecret,
    feedKey: authenticate.feedKey,
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
    agent,
    proposing,
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

  const idempotency = createIdempotency({ db, clock });
  const keyQuota = createKeyQuota({ db, max: deps.maxIdempotencyKeys });
  const rate = createRateLimit(config.RATE_LIMIT_PER_MINUTE);
  const changes = createChanges({ db, hub });
  const live = createLive({
    db,
    hub,
    changes,
    clock,
    log,
    rate,
    authenticate: authenticate.bearer,
    redeem: tickets.redeem,
    origins: config.CORS_ORIGINS,
    limits: deps.live,
  });

  const system = createSystemService({
    handle,
    build: { version: packageJson.version, commit: deps.commit ?? 'unknown', node: process.versions.node },
    api_version: API_VERSION,
    features: {
      semantic_search: vectors,
      model_planner: models.planner !== null,
      registration: config.ALLOW_REGISTRATION,
    },
    projections: PROJECTIONS,
    executorRuns: () => executor.state().running,
    stopping: () => stopping,
  });

  let document: OpenApi | undefined;
  const openapi = (): OpenApi => (document ??= buildOpenApi(routes, [Subscribe]));
  const routes: Route[] = [
    ...chatRoutes({ chat, agent, planner, log, summaries }),
    ...memoryRoutes({ memory }),
    ...searchRoutes({ search }),
    ...memportRoutes({ memport, imports: createImport({ ledger, traces }) }),
    ...agentRoutes({ agent, planner, executor, clock }),
    ...calendarRoutes({ calendar, proposals, authenticateFeed: authenticate.feed, publicUrl: config.PUBLIC_URL }),
    ...tempoRoutes({ tempo }),
    ...liveRoutes({ poll: createPoll({ hub, changes }) }),
    ...userRoutes({
      users,
      accounts,
      keys,
      tickets,
      tempoOf: tempo.tempoOf,
      registrationOpen: config.ALLOW_REGISTRATION,
    }),
    ...archiveRoutes(createArchive({ db, clock, versions: { almanac: packageJson.version, api: API_VERSION } })),
    ...systemRoutes({ system, metrics, openapi }),
  ];

  const mountDeps: MountDeps = {
    log,
    authenticate: authenticate.bearer,
    zoneOf: users.zoneOf,
    idempotency,
    keyQuota,
    rate,
    metrics,
    stopping: () => stopping,
    checkAnswers: deps.checkAnswers ?? false,
  };
  const app = createHttp(routes, mountDeps, {
    trustProxy: config.TRUST_PROXY,
    corsOrigins: config.CORS_ORIGINS,
    trace: telemetry.request,
    scraper: metricsByToken(metrics, config.METRICS_TOKEN),
  });

  const server = createListener(app);
  live.attach(server);

  const sweep = createSweep(log, [
    idempotency.sweep,
    sessions.sweep,
    tickets.sweep,
    () => throttle.sweep(clock.millis()),
  ]);

  return {
    server,
    routes,
    openapi,
    executor,
    embeddings,
    services: { users, accounts, keys, memory, search, ledger, authenticate, calendar },
    /** Background work; tests with a clock of their own drive the executor themselves. */
    start: (): void => {
      executor.start();
      void calendar
        .rememberZones()
        .catch((err: unknown) => log.warn({ err }, 'the time zone rules were not kept; the next start tries again'));
      embeddings.start();
      sweep.start();
    },
    /** Not ready from now on; serves for DRAIN_SECONDS more, then finishes what is under way. */
    stop: async (): Promise<void> => {
      stopping = true;
      await sleep(config.DRAIN_SECONDS * 1000);
      sweep.stop();
      await Promise.all([executor.stop(), embeddings.stop()]);
      await Promise.all([hub.stop(), live.stop()]);
      await closeListener(server);
    },
  };
};

export type App = ReturnType<typeof createApp>;
