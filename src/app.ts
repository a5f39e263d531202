/** Composition root: from the configuration and an open database to a server. Only main.ts and the tests import this. */
import { createServer, type Server } from 'node:http';
import { randomUUID } from 'node:crypto';
import express from 'express';
import helmet from 'helmet';
import cors from 'cors';
import type { Clock } from './clock.ts';
import type { Config } from './config.ts';
import type { DatabaseHandle } from './db/client.ts';
import { problem } from './errors.ts';
import { createIdempotency } from './http/idempotency.ts';
import { mount, sendProblem, type MountDeps } from './http/mount.ts';
import { createRateLimit } from './http/rate.ts';
import type { Route } from './http/route.ts';
import { createLedger } from './ledger/ledger.ts';
import { createTraceStore } from './ledger/traces.ts';
import { createChanges } from './live/changes.ts';
import { createHub } from './live/hub.ts';
import { createLive, type LiveLimits } from './live/live.ts';
import { createPoll } from './live/poll.ts';
import { liveRoutes } from './live/routes.ts';
import type { Logger } from './log.ts';
import { memoryRoutes } from './memory/routes.ts';
import { createSearch } from './memory/search.ts';
import { searchRoutes } from './memory/search-routes.ts';
import { createMemoryService } from './memory/service.ts';
import { createAuthenticate } from './user/authenticate.ts';
import { createKeys } from './user/keys.ts';
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
  /** bcrypt rounds; 12 outside of tests. */
  passwordCost?: number;
  /** Check every answer against its schema (tests). */
  checkAnswers?: boolean;
  /** Patience with socket clients, shorter in tests. */
  live?: Partial<LiveLimits>;
};

export const createApp = (deps: AppDeps) => {
  const { config, handle, log, clock, vectors } = deps;
  const { db } = handle;
  let stopping = false;

  const hub = createHub({ handle, log });
  const ledger = createLedger({ handle, clock, committed: hub.committed });
  const traces = createTraceStore({ vectors });
  const sessions = createSessions({ db, clock, secret: deps.jwtSecret });
  const authenticate = createAuthenticate({ db, clock, sessions });
  const keys = createKeys({ db, ledger, clock });
  const tickets = createTickets({ db, clock });
  const throttle = createThrottle(handle);
  const users = createUserService({ db, ledger, sessions, throttle, passwordCost: deps.passwordCost ?? 12, forget: authenticate.forget });
  const memory = createMemoryService({
    db,
    ledger,
    clock,
    traces,
    plans: {
      propose: () => Promise.reject(problem('internal_error', 'todo')),
      edit: () => Promise.reject(problem('internal_error', 'todo')),
    },
  });
  const search = createSearch({
    db,
    vectors,
    halfLifeOf: async (user_id) => (await loadProfile(db, user_id)).profile.settings.memory.recency_half_life_days,
  });
  const idempotency = createIdempotency({ db, clock });
  const rate = createRateLimit(config.RATE_LIMIT_PER_MINUTE);
  const changes = createChanges({ db, hub });
  const live = createLive({ db, hub, changes, clock, log, rate, authenticate: authenticate.bearer, redeem: tickets.redeem, limits: deps.live });

  const routes: Route[] = [
    ...memoryRoutes({ memory }),
    ...searchRoutes({ search }),
    ...userRoutes({
      users,
      keys,
      tickets,
      tempoOf: () => Promise.reject(new Error('todo')),
      registrationOpen: config.ALLOW_REGISTRATION,
    }),
    ...liveRoutes({ poll: createPoll({ hub, changes }) }),
  ];

  const mountDeps: MountDeps = {
    log,
    authenticate: authenticate.bearer,
    zoneOf: users.zoneOf,
    idempotency,
    rate,
    observe: () => undefined,
    stopping: () => stopping,
    checkAnswers: deps.checkAnswers ?? false,
  };

  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('trust proxy', config.TRUST_PROXY);
  app.use((req, res, next) => {
    const given = req.get('x-request-id');
    const request_id = given && /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID();
    res.locals['request_id'] = request_id;
    res.setHeader('X-Request-Id', request_id);
    next();
  });
  app.use(helmet());
  if (config.CORS_ORIGINS.length)
    app.use(cors({ origin: config.CORS_ORIGINS.includes('*') ? '*' : [...config.CORS_ORIGINS], exposedHeaders: ['ETag', 'Link', 'X-Request-Id', 'Idempotent-Replayed', 'Retry-After', 'X-Cache'], maxAge: 600 }));
  const router = express.Router();
  mount(router, routes, mountDeps);
  app.use('/v1', router);
  app.use(router);
  app.use((req, res) => sendProblem(res, problem('route_not_found', `There is nothing at ${req.path}; see /docs.`), log));
  app.use((error: unknown, _req: express.Request, res: express.Response, _next: express.NextFunction) => sendProblem(res, error, log));

  // Anything but a WebSocket upgrade (h2c, say) is answered as the plain request it also is.
  const server: Server = createServer({ shouldUpgradeCallback: (req) => req.headers.upgrade?.toLowerCase() === 'websocket' }, app);
  live.attach(server);
  return {
    server,
    routes,
    services: { users, keys, memory, ledger, authenticate },
    stop: async (): Promise<void> => {
      stopping = true;
      await hub.stop();
      await live.stop();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      });
    },
  };
};

export type App = ReturnType<typeof createApp>;
