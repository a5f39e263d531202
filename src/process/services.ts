/** Creates the features from the configuration and an open database, and gives each what it needs of the others. */
import { createAgentFeature } from '../agent/feature.ts';
import { createPlanHooks } from '../agent/plan-hooks.ts';
import { createProposalObjects } from '../agent/feed/objects.ts';
import { createCalendarService } from '../calendar/service.ts';
import { createAnswerQuestions } from '../chat/answer-questions.ts';
import { createLookUp } from '../chat/look-up.ts';
import { createChatService } from '../chat/service.ts';
import type { Clock } from '../common/clock.ts';
import type { Config } from './config.ts';
import type { DatabaseHandle } from '../db/database.ts';
import type { VectorSupport } from '../db/vectors.ts';
import { createLedger } from '../ledger/ledger.ts';
import { createLedgerPositions } from '../ledger/ledger-position.ts';
import { createSensitive } from '../ledger/sensitive-values.ts';
import { createStagedImports } from '../ledger/staged-import.ts';
import { createStorage } from '../ledger/storage.ts';
import { createTraceStore } from '../ledger/trace-store.ts';
import { createHub } from '../live/hub.ts';
import { createModels } from '../llm/models.ts';
import { createMemoryFeature } from '../memory/feature.ts';
import { createMemportService } from '../memport/service.ts';
import type { Logger } from '../observability/log.ts';
import type { Telemetry } from '../observability/telemetry.ts';
import { createTempoService } from '../tempo/service.ts';
import type { Networks } from '../outbound/destination.ts';
import { createOutbound } from '../outbound/guarded-fetch.ts';
import { isOnlyAccount } from '../user/create-account.ts';
import { createUserFeature } from '../user/feature.ts';
import { createWebhooksFeature } from '../webhooks/feature.ts';
import { createChanges } from '../live/changes.ts';

const LOOPBACK = ['127.0.0.0/8', '::1/128'];

/** The only account is that of the person whose machine it is. They may reach its other services, and a guest may not. */
const networksOf = (config: Config, { kind, reads }: DatabaseHandle): Networks => {
  const isOwn = kind === 'embedded' && !config.ALLOW_REGISTRATION;
  return config.OUTBOUND_NETWORKS ?? (isOwn ? async () => ((await isOnlyAccount(reads)) ? LOOPBACK : []) : []);
};

/** One address may register this many accounts. The limit is off together with the rate limit. */
const REGISTRATIONS_PER_HOUR = 30;

export type ServiceDeps = VectorSupport & {
  config: Config;
  handle: DatabaseHandle;
  log: Logger;
  clock: Clock;
  jwtSecret: string;
  telemetry: Telemetry;
  /** The rounds of bcrypt. */
  passwordCost: number;
  /** The limit of checkpoints for one user; tests lower it. */
  maxCheckpoints?: number | undefined;
};

export const createServices = (deps: ServiceDeps) => {
  const { config, handle, log, clock, jwtSecret, vectors, whyNoVectors, telemetry, passwordCost, maxCheckpoints } =
    deps;
  const { db, reads } = handle;

  const models = createModels(config, log);
  const storage = createStorage({ db, limitOfAll: config.USER_STORAGE_MB * 1e6 });
  const ledger = createLedger({ handle, clock, storage });
  const hub = createHub({ handle, log });
  ledger.onCommit(hub.committed);
  const traces = createTraceStore({ vectors });
  const staged = createStagedImports({ handle, ledger, storage, tell: (level, what, text) => log[level](what, text) });
  const sensitive = createSensitive({ reads });
  const positions = createLedgerPositions({ reads });
  const planHooks = createPlanHooks();
  const shared = { handle, db, reads, ledger, storage, staged, clock, log, traces, sensitive, planHooks };

  const registrationsPerHour = config.RATE_LIMIT_PER_MINUTE ? REGISTRATIONS_PER_HOUR : 0;
  const registrationOpen = config.ALLOW_REGISTRATION;
  const user = createUserFeature({ ...shared, jwtSecret, passwordCost, registrationsPerHour, registrationOpen });
  const { authenticate } = user;
  const tempo = createTempoService({ db: reads, ledger, authenticate });
  const memory = createMemoryFeature({ ...shared, models, vectors, whyNoVectors });
  const summaryCacheMinutes = config.SUMMARY_CACHE_MINUTES;
  const memport = createMemportService({ ...shared, positions, summaryCacheMinutes, maxCheckpoints });
  const outbound = createOutbound({ networks: networksOf(config, handle) });
  const calendar = createCalendarService({ ...shared, tempo, outbound });
  const agent = createAgentFeature({
    ...shared,
    ...{ calendar, tempo, authenticate, jwtSecret, telemetry },
    search: memory.search,
    model: models.planner,
  });
  const { edit } = memory.memory;
  const proposalObjects = createProposalObjects({ ...shared, calendar, agent: agent.agent, edit });
  const changes = createChanges({ db, hub, sensitive });
  const webhooks = createWebhooksFeature({ ...shared, changes, outbound });
  ledger.onCommit(webhooks.sender.follow);
  const lookUp = createLookUp({ ...shared, ...memory, calendar, tempo, agent: agent.agent });
  const answerQuestions = createAnswerQuestions({ clock, lookUp, prose: models.prose });
  const chat = createChatService({ db, ledger, clock, traces, planner: agent.planner, answerQuestions });

  return {
    ...{
      models,
      ledger,
      storage,
      staged,
      hub,
      traces,
      sensitive,
      positions,
      tempo,
      memport,
      calendar,
      chat,
      changes,
      proposalObjects,
      planHooks,
    },
    ...webhooks,
    ...user,
    ...memory,
    ...agent,
  };
};
