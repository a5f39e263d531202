/** Routes of the system: /health, /version, /debug, /metrics and the documentation. */
import { z } from 'zod';
import type { Metrics } from '../observability/metrics.ts';
import type { OpenApi } from '../http/openapi.ts';
import { Cursor, KEYS, readCursor, writeCursor } from '../http/cursors.ts';
import { reply, route, routes, Stream, type Reply, type Route } from '../http/route.ts';
import { UserId } from '../http/shapes.ts';
import type { LedgerPositions } from '../ledger/ledger-position.ts';
import { renderDocs } from './docs.ts';
import { Audit, Dump, DumpBody, Health, Version } from './schemas.ts';
import type { SystemService } from './service.ts';

export type SystemRoutesDeps = {
  system: SystemService;
  positions: LedgerPositions;
  metrics: Metrics;
  openapi: () => OpenApi;
};

const ready = (health: Health, isReady: boolean): Reply<Health> =>
  isReady ? reply(health) : reply(health, { status: 503, headers: { 'Retry-After': '2' } });

const healthRoutes = (system: SystemService) => [
  route({
    method: 'get',
    path: '/health',
    summary: 'Is the service well?',
    description: '200 when it is; 503 with the same body while the database is away, or takes no writes.',
    scopes: 'public',
    response: Health,
    handler: async () => {
      const health = await system.health();
      return ready(health, health.database === 'ok');
    },
  }),
  route({
    method: 'get',
    path: '/health/live',
    summary: 'Is the process alive?',
    description: 'For liveness probes: 200 as long as the process answers at all, whatever the database does.',
    scopes: 'public',
    response: z.object({ status: z.literal('ok') }),
    handler: () => ({ status: 'ok' as const }),
  }),
  route({
    method: 'get',
    path: '/health/ready',
    summary: 'Should it be sent requests?',
    description:
      'For readiness probes and load balancers: 503 while the database is away or takes no writes, or the process is stopping.',
    scopes: 'public',
    response: Health,
    handler: async () => {
      const health = await system.health();
      return ready(health, health.status === 'ok');
    },
  }),
];

const debugRoutes = (system: SystemService, positions: LedgerPositions) => [
  route({
    method: 'post',
    path: '/debug/trace-dump',
    summary: 'Dump a snapshot of memory',
    description:
      'Living traces as the ledger alone tells them, with what stands about them. Pages: send the same body to the address in Link. The first page also verifies the ledger.',
    scopes: ['debug:read'],
    query: z.strictObject({ cursor: Cursor }),
    body: DumpBody,
    response: Dump,
    pages: true,
    examples: { body: { task_id: 'thesis', limit: 50 } },
    handler: async ({ caller, query, body, request }) => {
      const { limit: _, ...question } = body;
      const from = await positions.checked(caller.user_id, readCursor(question, query.cursor, KEYS.seq));
      const position = from && { at: from.at, after: from.key[0] };
      const { dump, at, next } = await system.dump(caller, body, position, request.signal);
      return reply(dump, {
        next: next === null ? null : writeCursor(question, await positions.sealed(caller.user_id, { at, key: [next] })),
      });
    },
  }),
  route({
    method: 'get',
    path: '/debug/audit',
    summary: 'Verify the ledger',
    description:
      'Recomputes every hash from the first entry to the head, and compares what is shown with what was recorded. Damage is located at its seq.',
    scopes: ['debug:read'],
    query: z.strictObject({ user_id: UserId }),
    response: Audit,
    handler: async ({ caller, request }) => reply(await system.audit(caller, request.signal)),
  }),
];

const PAGE_HEADERS = { 'Cache-Control': 'no-cache' };

const documentRoutes = (openapi: () => OpenApi) => {
  let page: { html: string; csp: string } | undefined;
  return [
    route({
      method: 'get',
      path: '/openapi.json',
      summary: 'Read this description',
      description: 'OpenAPI 3.1; the same as openapi.yaml in the source.',
      scopes: 'public',
      response: z.record(z.string(), z.unknown()),
      handler: () => reply(openapi(), { headers: PAGE_HEADERS }),
    }),
    route({
      method: 'get',
      path: '/docs',
      summary: 'Read this description in a browser',
      scopes: 'public',
      response: z.string(),
      produces: ['text/html'],
      handler: () => {
        page ??= renderDocs(openapi());
        return new Stream('text/html; charset=utf-8', page.html, {
          headers: { ...PAGE_HEADERS, 'Content-Security-Policy': page.csp },
        });
      },
    }),
    route({
      method: 'get',
      path: '/',
      summary: 'Find the documentation',
      description: 'Redirects to /docs.',
      scopes: 'public',
      response: z.string(),
      status: 302,
      produces: ['text/plain'],
      handler: () =>
        new Stream('text/plain; charset=utf-8', 'Almanac: see /docs\n', { status: 302, headers: { Location: 'docs' } }),
    }),
  ];
};

export const systemRoutes = ({ system, positions, metrics, openapi }: SystemRoutesDeps): Route[] =>
  routes('system', [
    ...healthRoutes(system),
    route({
      method: 'get',
      path: '/version',
      summary: 'Which version is this?',
      scopes: 'public',
      response: Version,
      handler: () => system.version(),
    }),
    ...debugRoutes(system, positions),
    route({
      method: 'get',
      path: '/metrics',
      summary: 'Read metrics',
      description:
        'Prometheus text format. A credential with debug:read, or the METRICS_TOKEN of the operator as bearer token.',
      scopes: ['debug:read'],
      response: z.string(),
      produces: ['text/plain'],
      handler: async () => new Stream(metrics.contentType, await metrics.render()),
    }),
    ...documentRoutes(openapi),
  ]);
