/** What Prometheus sees: requests, connections, the queue, the executor's punctuality, sockets and the process itself. */
import { hash, timingSafeEqual } from 'node:crypto';
import type { RequestHandler } from 'express';
import { sql } from 'kysely';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Clock } from '../clock.ts';
import type { DatabaseHandle } from '../db/client.ts';
import { STATUSES } from '../domain/plan.ts';
import { millis, type Instant } from '../domain/time.ts';
import { bearer } from './mount.ts';
import type { Route } from './route.ts';

export type MetricsDeps = {
  handle: DatabaseHandle;
  clock: Clock;
  /** Sockets open on this instance. */
  clients: () => number;
};

/** Plans of all users by status; rides on the partial index traces_plans alone. */
const plansByStatus = async (handle: DatabaseHandle): Promise<Map<string, number>> => {
  const { rows } = await sql<{ status: string; count: number }>`
    select status, count(*) as count from traces where type = 'agent_plan' group by status`.execute(handle.db);
  return new Map(rows.map((r) => [r.status, r.count]));
};

/** Seconds by which the plan that is due the longest is late; 0 when nothing is due. Rides on traces_due. */
const executorLag = async (handle: DatabaseHandle, clock: Clock): Promise<number> => {
  const { rows } = await sql<{
    due: Instant | null;
  }>`select min(due_at) as due from traces where due_at is not null`.execute(handle.db);
  const due = rows[0]?.due;
  return due ? Math.max(0, (clock.millis() - millis(due)) / 1000) : 0;
};

/** A registry for each app, not the process-wide one: tests run several apps side by side. */
export const createMetrics = ({ handle, clock, clients }: MetricsDeps) => {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });

  const requests = new Histogram({
    name: 'almanac_http_request_duration_seconds',
    help: 'Time from request to the end of the answer. /agent/changes includes the wait that was asked for.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30],
    registers,
  });
  const commits = new Counter({
    name: 'almanac_ledger_commits_total',
    help: 'Writes committed by this instance.',
    registers,
  });
  void new Gauge({
    name: 'almanac_database_connections',
    help: 'Connections of this instance’s pool, and requests waiting for one.',
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
  const up = new Gauge({ name: 'almanac_database_up', help: '1 when the database answered this scrape.', registers });
  const plans = new Gauge({
    name: 'almanac_plans',
    help: 'Plans of all users by status.',
    labelNames: ['status'],
    registers,
  });
  const lag = new Gauge({
    name: 'almanac_executor_lag_seconds',
    help: 'By how much the plan that is due the longest is late; 0 when nothing is due.',
    registers,
  });

  /** The gauges that ask the database; without it the rest is told all the same. */
  const askDatabase = async (): Promise<void> => {
    try {
      const [counts, late] = await Promise.all([plansByStatus(handle), executorLag(handle, clock)]);
      for (const status of STATUSES) plans.set({ status }, counts.get(status) ?? 0);
      lag.set(late);
      up.set(1);
    } catch {
      plans.reset();
      lag.reset();
      up.set(0);
    }
  };

  return {
    /** For mount(). */
    observe: (route: Route, status: number, seconds: number): void =>
      requests.observe({ method: route.method.toUpperCase(), route: route.path, status }, seconds),

    /** For createLedger(). */
    committed: (): void => commits.inc(),

    contentType: registry.contentType,

    /** Prometheus text format 0.0.4. */
    render: async (): Promise<string> => {
      await askDatabase();
      return registry.metrics();
    },
  };
};

export type Metrics = ReturnType<typeof createMetrics>;

const digest = (text: string): Buffer => Buffer.from(hash('sha256', text), 'hex');

/** GET /metrics for a scraper that holds METRICS_TOKEN and no account; anybody else goes on to the route. */
export const metricsByToken =
  (metrics: Metrics, token: string | undefined): RequestHandler =>
  async (req, res, next) => {
    const given = bearer(req.headers.authorization);
    if (token === undefined || given === null || !timingSafeEqual(digest(given), digest(token))) return next();
    const text = await metrics.render();
    res.writeHead(200, { 'Content-Type': metrics.contentType, 'Cache-Control': 'no-store' }).end(text);
  };
