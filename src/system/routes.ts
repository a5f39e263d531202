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
    summary: 'Check the health of the service',
    description: 'Answers 200, or 503 with the same body while the database cannot be reached or accepts no writes.',
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
    summary: 'Check that the process is alive',
    description:
      'Answers 200 as long as the process runs, whatever the state of the database. Use it for liveness probes.',
    scopes: 'public',
    response: z.object({ status: z.literal('ok') }),
    handler: () => ({ status: 'ok' as const }),
  }),
  route({
    method: 'get',
    path: '/health/ready',
    summary: 'Check that the process can serve requests',
    description:
      'Answers 200, or 503 while the database cannot be reached or accepts no writes, or while the process is stopping. Use it for readiness probes and load balancers.',
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
      'Answers the traces that are not removed, as the ledger records them, with counts. For the next page, send the same body to the address in Link. The first page also verifies the ledger.',
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
      'Computes every hash of the ledger again, and compares the projections with the ledger. The answer names the seq of the first damage.',
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
      summary: 'Read the OpenAPI description',
      description: 'Answers the OpenAPI 3.1 document, which is the same as openapi.yaml in the source.',
      scopes: 'public',
      response: z.record(z.string(), z.unknown()),
      handler: () => reply(openapi(), { headers: PAGE_HEADERS }),
    }),
    route({
      method: 'get',
      path: '/docs',
      summary: 'Read the documentation in a browser',
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
      summary: 'Go to the documentation',
      description: 'Redirects to /docs.',
      scopes: 'public',
      response: z.string(),
      status: 302,
      produces: ['text/plain'],
      handler: () =>
        new Stream('text/plain; charset=utf-8', 'The documentation of Almanac is at /docs\n', {
          status: 302,
          headers: { Location: 'docs' },
        }),
    }),
  ];
};

export const systemRoutes = ({ system, positions, metrics, openapi }: SystemRoutesDeps): Route[] =>
  routes('system', [
    ...healthRoutes(system),
    route({
      method: 'get',
      path: '/version',
      summary: 'Read the version',
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
        'Answers metrics in the Prometheus text format. Send a credential with debug:read, or the METRICS_TOKEN of the operator as bearer token.',
      scopes: ['debug:read'],
      response: z.string(),
      produces: ['text/plain'],
      handler: async () => new Stream(metrics.contentType, await metrics.render()),
    }),
    ...documentRoutes(openapi),
  ]);
