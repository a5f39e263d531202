/**
 * The composition root: makes a server from the configuration and an open database. Only serve.ts, commands/run.ts and the tests
 * import it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import exampleAnswers from './generated/example-answers.json' with { type: 'json' };
import { proposalsFeedRoutes } from '../agent/feed/routes.ts';
import { agentRoutes } from '../agent/routes.ts';
import { calendarRoutes } from '../calendar/routes.ts';
import { countSources } from '../calendar/sources/queries.ts';
import { chatRoutes } from '../chat/routes.ts';
import type { Siblings } from './cluster.ts';
import { vacuumTables } from '../db/vacuum.ts';
import { createIdempotency } from '../http/idempotency/idempotency.ts';
import { createKeyQuota } from '../http/idempotency/quota.ts';
import { closeListener, createListener } from '../http/connection/listener.ts';
import { metricsByToken } from '../http/metrics-token.ts';
import { createMetrics } from '../observability/metrics.ts';
import type { MountDeps } from '../http/mount.ts';
import type { PerformDeps } from '../http/perform.ts';
import { onBehalfOfService } from '../common/fair-shares.ts';
import { runYielding } from '../common/yielding.ts';
import { API_VERSION, openApiSteps, type OpenApi } from '../http/openapi/document.ts';
import { createClientAddress } from '../http/connection/client-address.ts';
import { createPageOf } from '../http/connection/page.ts';
import { createOrigins } from '../http/connection/origins.ts';
import { createRateLimit } from '../http/rate-limit.ts';
import type { Route } from '../http/route.ts';
import { createHttp } from '../http/server.ts';
import { staticFiles } from '../http/pages/static-files.ts';
import { davRoutes } from '../dav/routes.ts';
import { headPosition } from '../ledger/ledger-position.ts';
import { createConsole } from '../console/console.ts';
import { createSocketServer, type LiveLimits } from '../live/socket-server.ts';
import { createPoll } from '../live/poll.ts';
import { liveRoutes } from '../live/routes.ts';
import { mcpRoutes } from '../mcp/routes.ts';
import { memoryRoutes } from '../memory/routes.ts';
import { searchRoutes } from '../memory/search/routes.ts';
import { createArchive } from '../memport/archive/archive.ts';
import { archiveRoutes } from '../memport/archive/routes.ts';
import { createImport } from '../memport/import-traces.ts';
import { memportRoutes } from '../memport/routes.ts';
import { PROJECTIONS } from './all-projections.ts';
import { RELEASE } from './release.ts';
import { createServices, type ServiceDeps } from './services.ts';
import { createSweep, EVERY_MS } from './sweep.ts';
import { systemRoutes } from '../system/routes.ts';
import { createSystemService } from '../system/service.ts';
import { NO_TELEMETRY, type Telemetry } from '../observability/telemetry.ts';
import { tempoRoutes } from '../tempo/routes.ts';
import { countWebhooks } from '../webhooks/queries.ts';
import { userRoutes } from '../user/routes.ts';
import { webhookRoutes } from '../webhooks/routes.ts';

export type AppDeps = Omit<ServiceDeps, 'telemetry' | 'passwordCost'> & {
  /** The commit of the build, for /version. */
  commit?: string;
  telemetry?: Telemetry;
  /** The other processes on this port (WORKERS). */
  siblings?: Siblings | null;
  /** The limit of Idempotency-Keys for one user and day; tests lower it. */
  maxIdempotencyKeys?: number;
  /** The rounds of bcrypt, 12 outside of tests. */
  passwordCost?: number;
  /** Checks every answer against its schema (tests). */
  checkAnswers?: boolean;
  /** Limits of sockets; tests shorten their times. */
  live?: Partial<LiveLimits>;
};

// oxlint-disable-next-line eslint/max-lines-per-function -- It makes the parts in the order in which they need each other.
export const createApp = (deps: AppDeps) => {
  const { config, handle, log, clock, vectors, telemetry = NO_TELEMETRY, siblings = null } = deps;
  const { db } = handle;
  let stopping = false;

  const services = createServices({
    ...deps,
    telemetry,
    passwordCost: deps.passwordCost ?? 12,
  });
  const {
    models,
    embeddings,
    reindex,
    hub,
    ledger,
    staged,
    traces,
    positions,
    sessions,
    authenticate,
    keys,
    tickets,
    throttle,
    users,
  } = services;
  const { changes, webhooks, sender } = services;
  const { accounts, owner, tempo, memory, search, calendar, executor, agent, proposals, planner, reader } = services;
  const metrics = createMetrics({
    handle,
    clock,
    clients: () => live.clients(),
    embeddings,
    reindex,
    siblings,
    webhooks: { counts: sender.counts, states: () => countWebhooks(db) },
    sources: () => countSources(db),
  });
  ledger.onCommit((_user_id, _seq, entries) => metrics.committed(entries));
  const idempotency = createIdempotency({ db, clock });
  const keyQuota = createKeyQuota({ db, max: deps.maxIdempotencyKeys });
  const rate = createRateLimit(config.RATE_LIMIT_PER_MINUTE);
  // With origins of its own in CORS_ORIGINS, or on a Postgres, the service is no trial on one machine any more.
  const origins = createOrigins(config.CORS_ORIGINS, !config.DATABASE_URL && !config.CORS_ORIGINS.length);
  const pageOf = createPageOf(config.PUBLIC_URL, config.TRUST_PROXY);
  const clientAddress = createClientAddress(config.TRUST_PROXY);
  const live = createSocketServer({
    ...{ pageOf, clientAddress },
    db,
    hub,
    changes,
    clock,
    log,
    rate,
    authenticate: authenticate.bearer,
    redeem: tickets.redeem,
    origins,
    limits: deps.live,
  });

  const system = createSystemService({
    handle,
    build: { version: RELEASE, commit: deps.commit ?? 'unknown', node: process.versions.node },
    api_version: API_VERSION,
    features: {
      semantic_search: vectors,
      model_planner: models.planner !== null,
      registration: config.ALLOW_REGISTRATION,
    },
    projections: PROJECTIONS,
    sensitive: services.sensitive,
    clock,
    executor: () => executor.state().is,
    stopping: () => stopping,
  });

  let document: Promise<OpenApi> | undefined;
  const openapi = (): Promise<OpenApi> =>
    (document ??= onBehalfOfService(() => runYielding(openApiSteps(routes, exampleAnswers))));
  const rest: Route[] = [
    ...chatRoutes({
      chat: services.chat,
      agent,
      planner,
      log,
      present: services.sensitive.present,
      viewOf: services.sensitive.viewWithWords,
      summaries: services.summaries,
    }),
    ...memoryRoutes({ memory, positions }),
    ...searchRoutes({ search, positions }),
    ...memportRoutes({
      memport: services.memport,
      imports: createImport({ staged, traces, planHooks: services.planHooks, sensitive: services.sensitive }),
      positions,
    }),
    ...agentRoutes({ agent, planner, executor, clock }),
    ...calendarRoutes({ calendar, positions, authenticate }),
    ...proposalsFeedRoutes({ proposals, authenticate, publicUrl: config.PUBLIC_URL }),
    ...tempoRoutes({ tempo }),
    ...liveRoutes({ poll: createPoll({ hub, changes }) }),
    ...userRoutes({
      users,
      accounts,
      keys,
      tickets,
      links: services.links,
      tempoOf: tempo.tempoOf,
      ...{ invitations: services.invitations, storage: services.storage, publicUrl: config.PUBLIC_URL },
      limitStorage: services.limitStorage,
    }),
    ...webhookRoutes({ webhooks }),
    ...archiveRoutes(
      createArchive({
        db,
        clock,
        sensitive: services.sensitive,
        versions: { almanac: RELEASE, api: API_VERSION },
      }),
    ),
    ...systemRoutes({ system, positions, metrics, openapi }),
  ];

  const perform: PerformDeps = {
    zoneOf: users.zoneOf,
    agentScopes: keys.agentScopes,
    idempotency,
    keyQuota,
    present: services.sensitive.present,
    checkAnswers: deps.checkAnswers ?? false,
  };
  const common = {
    ...{ log, metrics, stopping: () => stopping },
    ...{ authenticate: authenticate.bearer, authenticateBasic: authenticate.basic },
  };
  const routes: Route[] = [
    ...rest,
    ...mcpRoutes({
      ...common,
      routes: rest,
      perform,
      clock,
      version: RELEASE,
      origins: config.CORS_ORIGINS,
    }),
    ...davRoutes({
      ...{ positions, now: clock.now, objects: calendar.objects, proposals: services.proposalObjects },
      ...{ sources: calendar.sources, present: services.sensitive.present },
      head: (user_id) => headPosition(handle.reads, user_id),
      personOf: async (user_id) => {
        const { email, profile } = await users.profile(user_id);
        const identity = { email, display_name: profile.display_name };
        return { identity, looks: profile.settings.calendars ?? {} };
      },
      changeLook: users.changeLook,
    }),
  ];
  const mountDeps: MountDeps = { ...common, ...perform, rate, pageOf, clientAddress };
  const app = createHttp(routes, mountDeps, {
    trustProxy: config.TRUST_PROXY,
    mayRead: origins,
    trace: telemetry.request,
    scraper: metricsByToken(metrics, config.METRICS_TOKEN),
    console: staticFiles(createConsole()),
  });

  const server = createListener(app);
  live.attach(server);

  // A clock that may be ahead would remove what has not expired.
  const whenSure = (work: () => Promise<void>) => async (): Promise<void> => {
    if (clock.state().sure) await work();
  };
  const sweeps = [idempotency.sweep, sessions.sweep, tickets.sweep, staged.sweep, () => throttle.sweep(clock.millis())];
  const sweep = createSweep(log, EVERY_MS.sweep, sweeps.map(whenSure));
  const vacuum = createSweep(log, EVERY_MS.vacuum, [
    async () => void (handle.kind === 'embedded' && !handle.isReadOnly() && (await vacuumTables(db))),
  ]);

  return {
    server,
    routes,
    openapi,
    executor,
    embeddings,
    reindex,
    sender,
    staged,
    services: {
      recordAccounts: services.recordAccounts,
      users,
      accounts,
      owner,
      operator: services.operator,
      invitations: services.invitations,
      storage: services.storage,
      keys,
      links: services.links,
      memory,
      search,
      ledger,
      authenticate,
      calendar,
    },
    /** Completes what an earlier process was stopped in, before the first request is served. */
    resume: staged.start,
    /** Starts the background work. Tests with a clock of their own run the executor themselves. */
    start: (): void => {
      executor.start();
      void calendar
        .rememberZones()
        .catch((err: unknown) =>
          log.warn({ err }, 'the time zone rules could not be stored; the next start will try again'),
        );
      void services
        .recordAccounts()
        .catch((err: unknown) =>
          log.warn({ err }, 'accounts of an earlier release could not be recorded; the next start will try again'),
        );
      embeddings.start();
      reindex.start();
      sender.start();
      calendar.sourceRefresh.start();
      sweep.start();
      vacuum.start();
    },
    /** Reports not ready from now on, serves for DRAIN_SECONDS more, then finishes the requests under way. */
    stop: async (): Promise<void> => {
      stopping = true;
      await sleep(config.DRAIN_SECONDS * 1000);
      sweep.stop();
      staged.stop();
      vacuum.stop();
      await Promise.all([
        executor.stop(),
        embeddings.stop(),
        reindex.stop(),
        sender.stop(),
        calendar.sourceRefresh.stop(),
      ]);
      await Promise.all([hub.stop(), live.stop()]);
      await closeListener(server);
      await reader.stop();
    },
  };
};

export type App = ReturnType<typeof createApp>;
