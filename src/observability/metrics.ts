/**
 * Gives Prometheus its metrics: requests, connections, the planner queue, the executor's delay, sockets and the process itself.
 */
import { sql } from 'kysely';
import {
  AggregatorRegistry,
  collectDefaultMetrics,
  Counter,
  Gauge,
  Histogram,
  Registry,
  type MetricObject,
} from 'prom-client';
import type { Clock } from '../common/clock.ts';
import type { DatabaseHandle } from '../db/database.ts';
import { STATUSES } from '../domain/plan/plan.ts';
import { millis, type Instant } from '../domain/time/time.ts';
import type { ProblemCode } from '../common/problem-codes.ts';

export type MetricsDeps = {
  handle: DatabaseHandle;
  clock: Clock;
  /** Returns the number of open sockets on this instance. */
  clients: () => number;
  /** The number of ledger entries that the embedding model has not read yet, and of texts that it refused. */
  embeddings: { behind: () => Promise<number>; skipped: () => number };
  /** The number of ledger entries whose traces may have the search terms of an earlier release. */
  reindex: { behind: () => Promise<number> };
  /** The attempts of this instance to deliver to webhooks, and the webhooks of all users by state. */
  webhooks: {
    counts: () => Record<'delivered' | 'failed', number>;
    states: () => Promise<Record<'active' | 'failing' | 'paused', number>>;
  };
  /** The calendar sources of all users by state. */
  sources: () => Promise<Record<'ok' | 'failing', number>>;
  /** The other processes on this port, whose figures are added. */
  siblings: {
    answerWith: (answer: () => Promise<unknown>) => void;
    ask: () => Promise<{ answers: unknown[]; primary: { started: number; restarts: number } | undefined }>;
  } | null;
};

/** Counts the plans of all users by status, through the partial index traces_plans alone. */
const plansByStatus = async (handle: DatabaseHandle): Promise<Map<string, number>> => {
  const { rows } = await sql<{ status: string; count: number }>`
    select status, count(*) as count from traces where type = 'agent_plan' group by status`.execute(handle.db);
  return new Map(rows.map((r) => [r.status, r.count]));
};

/** Returns by how many seconds the oldest due plan is late, 0 when nothing is due. It uses the index traces_due. */
const executorLag = async (handle: DatabaseHandle, clock: Clock): Promise<number> => {
  const { rows } = await sql<{
    due: Instant | null;
  }>`select min(due_at) as due from traces where due_at is not null`.execute(handle.db);
  const due = rows[0]?.due;
  return due ? Math.max(0, (clock.millis() - millis(due)) / 1000) : 0;
};

/** What the process says that has no siblings. */
const ALONE = { answers: [], primary: { started: performance.timeOrigin / 1_000, restarts: 0 } };
/** prom-client gives the mean of several processes, which hides one that is blocked; the largest is given instead. */
const LAG = 'nodejs_eventloop_lag_p99_seconds';

/** Each app has a registry of its own instead of the process-wide one, because tests run several apps in one process. */
// oxlint-disable-next-line eslint/max-lines-per-function -- This is a list of metrics.
export const createMetrics = ({
  handle,
  clock,
  clients,
  embeddings,
  reindex,
  webhooks,
  sources,
  siblings,
}: MetricsDeps) => {
  /** Figures of each process. */
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  Object.assign(registry.getSingleMetric(LAG) ?? {}, { aggregator: 'max' });
  siblings?.answerWith(() => registry.getMetricsAsJSON());
  /** Figures from the database, which are the same in every process. */
  const shared = new Registry();

  const requests = new Histogram({
    name: 'almanac_http_request_duration_seconds',
    help: 'Time from the request to the end of the answer. /agent/changes includes the requested wait.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30],
    registers,
  });
  const underWay = new Gauge({
    name: 'almanac_http_requests_under_way',
    help: 'Requests that are not answered yet, including waiting requests of /agent/changes.',
    registers,
  });
  const problems = new Counter({
    name: 'almanac_problems_total',
    help: 'Problems by their code (openapi.yaml), without those of sockets.',
    labelNames: ['code'],
    registers,
  });
  const tools = new Histogram({
    name: 'almanac_mcp_tool_duration_seconds',
    help: 'Time of each call of an MCP tool, by its result: ok, or the code of the problem.',
    labelNames: ['tool', 'result'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30],
    registers,
  });
  const commits = new Counter({
    name: 'almanac_ledger_commits_total',
    help: 'Writes committed by this instance.',
    registers,
  });
  const entries = new Counter({
    name: 'almanac_ledger_entries_total',
    help: 'Ledger entries that those writes added.',
    registers,
  });
  void new Gauge({
    name: 'almanac_database_connections',
    help: 'Database connections of this instance, and requests that wait for one.',
    labelNames: ['state'],
    registers,
    collect() {
      const { total, idle, waiting } = handle.pool();
      this.set({ state: 'busy' }, total - idle);
      this.set({ state: 'idle' }, idle);
      this.set({ state: 'waiting' }, waiting);
    },
  });
  void new Gauge({
    name: 'almanac_socket_clients',
    help: 'Sockets open on this instance.',
    registers,
    collect() {
      this.set(clients());
    },
  });
  const workers = new Gauge({
    name: 'almanac_workers',
    help: 'Processes on this port that this answer includes.',
    registers: [shared],
  });
  const started = new Gauge({
    name: 'almanac_start_time_seconds',
    help: 'When the service started; with WORKERS, when the process started that replaces workers.',
    registers: [shared],
  });
  const restarts = new Counter({
    name: 'almanac_worker_restarts_total',
    help: 'Workers that ended unexpectedly and were replaced since the service started.',
    registers: [shared],
  });
  void new Gauge({
    name: 'almanac_process_memory_max_bytes',
    help: 'Resident memory of the process on this port that uses the most.',
    registers,
    aggregator: 'max',
    collect() {
      this.set(process.memoryUsage.rss());
    },
  });
  const readOnly = new Gauge({
    name: 'almanac_database_read_only',
    help: '1 when the database answers and accepts no writes.',
    registers: [shared],
  });
  const up = new Gauge({
    name: 'almanac_database_up',
    help: '1 when the database answered this scrape.',
    registers: [shared],
  });
  const plans = new Gauge({
    name: 'almanac_plans',
    help: 'Plans of all users by status.',
    labelNames: ['status'],
    registers: [shared],
  });
  const lag = new Gauge({
    name: 'almanac_executor_lag_seconds',
    help: 'The delay of the plan that is due the longest; 0 when none is due.',
    registers: [shared],
  });

  const behind = new Gauge({
    name: 'almanac_embedding_lag',
    help: 'Ledger entries of all users that the embedding model, or after an upgrade the built-in embedder, has not read yet.',
    registers: [shared],
  });
  const unindexed = new Gauge({
    name: 'almanac_search_reindex_lag',
    help: 'Ledger entries of all users that are still to be checked for search terms of an earlier release; 0 when the last look, every 15 s, left none.',
    registers: [shared],
  });
  void new Gauge({
    name: 'almanac_embedding_skipped',
    help: 'Texts that the embedding model refused since this instance started.',
    registers,
    collect() {
      this.set(embeddings.skipped());
    },
  });

  void new Gauge({
    name: 'almanac_webhook_attempts',
    help: 'Attempts to deliver a change to a webhook since this instance started, by their result.',
    labelNames: ['result'],
    registers,
    collect() {
      for (const [result, count] of Object.entries(webhooks.counts())) this.set({ result }, count);
    },
  });
  const endpoints = new Gauge({
    name: 'almanac_webhooks',
    help: 'Webhooks of all users by state. A failing one is tried again.',
    labelNames: ['state'],
    registers: [shared],
  });

  const calendars = new Gauge({
    name: 'almanac_calendar_sources',
    help: 'Calendar sources of all users by state. A failing one keeps its events and is tried again.',
    labelNames: ['state'],
    registers: [shared],
  });

  /** Updates the gauges that read the database. If it is unreachable, the other figures are still served. */
  const askDatabase = async (): Promise<void> => {
    try {
      const [counts, late, unread, outdated, states, read] = await Promise.all([
        plansByStatus(handle),
        executorLag(handle, clock),
        embeddings.behind(),
        reindex.behind(),
        webhooks.states(),
        sources(),
        handle.ping(),
      ]);
      for (const status of STATUSES) plans.set({ status }, counts.get(status) ?? 0);
      lag.set(late);
      behind.set(unread);
      unindexed.set(outdated);
      for (const [state, count] of Object.entries(states)) endpoints.set({ state }, count);
      for (const [state, count] of Object.entries(read)) calendars.set({ state }, count);
      up.set(1);
      readOnly.set(Number(handle.isReadOnly()));
    } catch {
      plans.reset();
      lag.reset();
      behind.reset();
      unindexed.reset();
      endpoints.reset();
      calendars.reset();
      up.set(0);
      readOnly.set(0);
    }
  };

  return {
    /** mount() calls this when a request begins. */
    begun: (): void => underWay.inc(),
    ended: (): void => underWay.dec(),
    observe: (route: { method: string; path: string }, status: number, seconds: number): void =>
      requests.observe({ method: route.method.toUpperCase(), route: route.path, status }, seconds),
    refused: (code: ProblemCode): void => problems.inc({ code }),
    toolCalled: (tool: string, result: ProblemCode | 'ok', seconds: number): void =>
      tools.observe({ tool, result }, seconds),

    /** The ledger calls this after each commit (ledger.onCommit). */
    committed: (added: number): void => {
      commits.inc();
      entries.inc(added);
    },

    contentType: registry.contentType,

    /** Renders the Prometheus text format 0.0.4. */
    render: async (): Promise<string> => {
      const [{ answers: others, primary }] = await Promise.all([siblings?.ask() ?? ALONE, askDatabase()]);
      workers.set(1 + others.length);
      if (primary) {
        started.set(primary.started);
        restarts.reset();
        restarts.inc(primary.restarts);
      }
      const own = others.length
        ? AggregatorRegistry.aggregate([await registry.getMetricsAsJSON(), ...(others as MetricObject[][])])
        : registry;
      return `${await own.metrics()}\n${await shared.metrics()}`;
    },
  };
};

export type Metrics = ReturnType<typeof createMetrics>;
