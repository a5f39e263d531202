/** Routes of the system: /health, /version, /debug, /metrics and the documentation. */
import { z } from 'zod';
import type { Metrics } from '../observability/metrics.ts';
import type { OpenApi } from '../http/openapi/document.ts';
import { Cursor, KEYS, readCursor, writeCursor } from '../http/cursors.ts';
import { reply, route, routes, Stream, type Reply, type Route } from '../http/route.ts';
import { UserId } from '../http/shapes.ts';
import type { LedgerPositions } from '../ledger/ledger-position.ts';
import { DOCS_PAGE, DOCS_POLICY, DOCS_SCRIPT, llmsText, scalar, withSamples } from './docs.ts';
import { Audit, Dump, DumpBody, Health, Version } from './schemas.ts';
import type { SystemService } from './service.ts';

export type SystemRoutesDeps = {
  system: SystemService;
  positions: LedgerPositions;
  metrics: Metrics;
  openapi: () => Promise<OpenApi>;
};

const ready = (health: Health, isReady: boolean): Reply<Health> =>
  isReady ? reply(health) : reply(health, { status: 503, headers: { 'Retry-After': '2' } });

const healthRoutes = (system: SystemService) => [
  route({
    id: 'getHealth',
    method: 'get',
    path: '/health',
    summary: 'Check the health of the service',
    description: 'Answers 200, or 503 with the same body while the database cannot be reached or accepts no writes.',
    scopes: 'public',
    response: Health,
    otherStatuses: [503],
    handler: async () => {
      const health = await system.health();
      return ready(health, health.database === 'ok');
    },
  }),
  route({
    id: 'getLiveness',
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
    id: 'getReadiness',
    method: 'get',
    path: '/health/ready',
    summary: 'Check that the process can serve requests',
    description:
      'Answers 200, or 503 while the database cannot be reached or accepts no writes, or while the process is stopping. Use it for readiness probes and load balancers.',
    scopes: 'public',
    response: Health,
    otherStatuses: [503],
    handler: async () => {
      const health = await system.health();
      return ready(health, health.status === 'ok');
    },
  }),
];

const debugRoutes = (system: SystemService, positions: LedgerPositions) => [
  route({
    id: 'dumpTraces',
    method: 'post',
    path: '/debug/trace-dump',
    reads: true,
    summary: 'Dump a snapshot of memory',
    description:
      'Answers the traces that are not removed, as the ledger records them, with counts. For the next page, send the same body to the address in Link. The first page also verifies the ledger.',
    problems: ['cursor_gone'],
    scopes: ['debug:read'],
    query: z.strictObject({ cursor: Cursor }),
    body: DumpBody,
    response: Dump,
    list: 'counted',
    examples: { body: { task_id: 'contract', limit: 2 } },
    handler: async ({ caller, query, body, request }) => {
      const { limit: _, ...question } = body;
      const from = await positions.checked(caller.user_id, readCursor(question, query.cursor, KEYS.seq));
      const position = from && { at: from.at, after: from.key[0] };
      const { dump, at, next } = await system.dump(caller, body, position, request.signal);
      return reply(dump, {
        next: next === null ? null : writeCursor(question, await positions.sealed(caller.user_id, { at, key: [next] })),
        at,
        // Every page has the counts.
        count: async () => dump.metadata.counts.total,
      });
    },
  }),
  route({
    id: 'auditLedger',
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

const page = (type: string, text: string, headers: Record<string, string> = {}): Stream =>
  new Stream(`${type}; charset=utf-8`, text, { headers: { ...PAGE_HEADERS, ...headers } });

/** The parts of the page /docs, which openapi.yaml does not describe. */
const docsParts = (openapi: () => Promise<OpenApi>) => {
  const part = { method: 'get', scopes: 'public', response: z.string(), undocumented: true } as const;
  let samples: string | undefined;
  return [
    route({
      ...part,
      id: 'getDocsScalar',
      path: '/docs/scalar.js',
      summary: 'Read the script of Scalar',
      handler: ({ request }) => {
        const { bytes, headers } = scalar(request.header('accept-encoding'));
        const content = (async function* () {
          yield bytes;
        })();
        return new Stream('text/javascript; charset=utf-8', content, { headers: { ...PAGE_HEADERS, ...headers } });
      },
    }),
    route({
      ...part,
      id: 'getDocsScript',
      path: '/docs/page.js',
      summary: 'Read the script of the page',
      handler: () => page('text/javascript', DOCS_SCRIPT),
    }),
    route({
      ...part,
      id: 'getDocsDocument',
      path: '/docs/openapi.json',
      summary: 'Read the document with samples of the client',
      handler: async () => page('application/json', (samples ??= JSON.stringify(withSamples(await openapi())))),
    }),
  ];
};

const documentRoutes = (openapi: () => Promise<OpenApi>) => [
  ...docsParts(openapi),
  route({
    id: 'getOpenApi',
    method: 'get',
    path: '/openapi.json',
    summary: 'Read the OpenAPI description',
    description: 'Answers the OpenAPI 3.1 document, which is the same as openapi.yaml in the source.',
    scopes: 'public',
    response: z.record(z.string(), z.unknown()),
    handler: async () => reply(await openapi(), { headers: PAGE_HEADERS }),
  }),
  route({
    id: 'getDocs',
    method: 'get',
    path: '/docs',
    summary: 'Read the documentation in a browser',
    scopes: 'public',
    response: z.string(),
    produces: 'text/html',
    handler: () => page('text/html', DOCS_PAGE, { 'Content-Security-Policy': DOCS_POLICY }),
  }),
  route({
    id: 'getLlmsText',
    method: 'get',
    path: '/llms.txt',
    summary: 'Read what a language model needs to use the service',
    description:
      'Answers a short text in Markdown (llmstxt.org): how to call the service, and each operation in a line.',
    scopes: 'public',
    response: z.string(),
    produces: 'text/markdown',
    handler: async () => page('text/markdown', llmsText(await openapi())),
  }),
  route({
    id: 'getRoot',
    method: 'get',
    path: '/',
    summary: 'Go to the console',
    description: 'Redirects to /console/.',
    undocumented: true,
    scopes: 'public',
    response: z.string(),
    status: 302,
    produces: 'text/plain',
    handler: ({ request }) =>
      new Stream('text/plain; charset=utf-8', 'The console of Almanac is at /console/, its documentation at /docs\n', {
        status: 302,
        headers: { Location: request.url.pathname.startsWith('/v1') ? '../console/' : 'console/' },
      }),
  }),
];

export const systemRoutes = ({ system, positions, metrics, openapi }: SystemRoutesDeps): Route[] =>
  routes('system', [
    ...healthRoutes(system),
    route({
      id: 'getVersion',
      method: 'get',
      path: '/version',
      summary: 'Read the version',
      scopes: 'public',
      response: Version,
      handler: () => system.version(),
    }),
    ...debugRoutes(system, positions),
    route({
      id: 'getMetrics',
      method: 'get',
      path: '/metrics',
      summary: 'Read metrics',
      description:
        'Answers metrics in the Prometheus text format. Send a credential with debug:read, or the METRICS_TOKEN of the operator as bearer token.',
      scopes: ['debug:read'],
      response: z.string(),
      produces: 'text/plain',
      handler: async () => new Stream(metrics.contentType, await metrics.render()),
    }),
    ...documentRoutes(openapi),
  ]);
