/** Traces as a collector receives them: a stub that speaks OTLP over HTTP listens, the service is a real process. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aPerson, call, get, ok, patch, post, type Person } from '../faults/api.ts';
import { aServer, type Server } from '../faults/server.ts';
import { COMPILED } from '../support/child-processes.ts';
import { migratedDirectory } from '../support/db.ts';

type Value = { stringValue?: string; intValue?: number; boolValue?: boolean };
type Span = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: Value }[];
  status: { code?: number };
};
type Batch = { resourceSpans: { resource: { attributes: Span['attributes'] }; scopeSpans: { spans: Span[] }[] }[] };

const SERVER_KIND = 2;
const spans: Span[] = [];
let resource: Span['attributes'] = [];
let received = '';

const collector = createServer((req, res) => {
  let text = '';
  req.on('data', (chunk) => (text += String(chunk)));
  req.on('end', () => {
    received += text;
    for (const { resource: of, scopeSpans } of (JSON.parse(text) as Batch).resourceSpans) {
      resource = of.attributes;
      spans.push(...scopeSpans.flatMap((scope) => scope.spans));
    }
    res.writeHead(req.url === '/v1/traces' ? 200 : 404, { 'Content-Type': 'application/json' }).end('{}');
  });
});

/** A model endpoint that has nothing to say, so that the built-in planner answers. */
const seenByModel: (string | undefined)[] = [];
const model = createServer((req, res) => {
  seenByModel.push(req.headers['traceparent']?.toString());
  res.writeHead(400).end('{}');
});

const listen = async (server: HttpServer): Promise<string> => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};
const attribute = (of: Span['attributes'], key: string) => {
  const { stringValue, intValue, boolValue } = of.find((a) => a.key === key)?.value ?? {};
  return stringValue ?? intValue ?? boolValue;
};
const spanOf = (request_id: string): Span | undefined =>
  spans.find((s) => attribute(s.attributes, 'almanac.request_id') === request_id);
const childrenOf = (parent: Span): Span[] => spans.filter((s) => s.parentSpanId === parent.spanId);

const folder = mkdtempSync(join(tmpdir(), 'almanac-telemetry-'));
let server: Server;
let person: Person;

beforeAll(async () => {
  await migratedDirectory(folder);
  server = await aServer({
    ...COMPILED,
    DATA_DIR: folder,
    OTEL_EXPORTER_OTLP_ENDPOINT: await listen(collector),
    OTEL_SERVICE_NAME: 'almanac-under-test',
    OPENAI_BASE_URL: await listen(model),
  });
  await server.start();
  person = await aPerson(server.url);
});
afterAll(async () => {
  await server.stop();
  collector.close();
  model.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('a trace', () => {
  test('names the route, its status and its request, and continues the caller’s', async () => {
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01`, 'X-Request-Id': 'traced-1' };
    await call(server.url, person.key, { ...get('/v1/memory/pull?task_id=somebodys-secret-task'), headers });
    await expect
      .poll(() => spanOf('traced-1'))
      .toMatchObject({
        traceId,
        parentSpanId: '00f067aa0ba902b7',
        name: 'GET /memory/pull',
        kind: SERVER_KIND,
      });
    const span = spanOf('traced-1') as Span;
    expect(attribute(span.attributes, 'http.route')).toBe('/memory/pull');
    expect(attribute(span.attributes, 'http.response.status_code')).toBe(200);
    expect(attribute(resource, 'service.name')).toBe('almanac-under-test');
    expect(BigInt(span.endTimeUnixNano)).toBeGreaterThan(BigInt(span.startTimeUnixNano));
  });

  test('holds the statements of the request, by name', async () => {
    const traces = [{ type: 'observation', content: 'words that nobody else may read' }];
    await call(server.url, person.key, post('/memory/push', { traces }, { 'X-Request-Id': 'traced-2' }));
    await expect.poll(() => spanOf('traced-2')).toBeDefined();
    const names = childrenOf(spanOf('traced-2') as Span).map((s) => s.name);
    expect(names).toEqual(expect.arrayContaining(['SELECT ledger_heads', 'WITH ledger']));
  });

  test('holds the call of the model, which is told of it', async () => {
    const headers = { 'X-Request-Id': 'traced-3' };
    const { body } = await call(
      server.url,
      person.key,
      post('/chat/plan-preview', { prompt: 'Log that all is well' }, headers),
    );
    expect(body).toHaveLength(1);
    await expect.poll(() => spanOf('traced-3')).toBeDefined();
    const request = spanOf('traced-3') as Span;
    const asked = spans.find((s) => s.traceId === request.traceId && s.name.startsWith('POST 127.0.0.1')) as Span;
    expect(attribute(asked.attributes, 'http.response.status_code')).toBe(400);
    expect(seenByModel).toContain(`00-${request.traceId}-${asked.spanId}-01`);
  });

  test('is made of what the executor carries out', async () => {
    const actions = [{ action_type: 'log', title: 'carried out', task_id: 'traced' }];
    const { body: plans } = await call(server.url, person.agent, post('/agent/plan', { actions }));
    const carryOut = (execution: string) =>
      ok(server.url, person.key, patch('/user/update', { updates: { execution } }));
    // So the approval itself does not carry it out.
    await carryOut('manual');
    await ok(server.url, person.key, post('/agent/approve', { uid: plans[0].uid }));
    await carryOut('automatic');
    const carried = (): Span | undefined => spans.find((s) => s.name === 'executor.execute');
    await expect.poll(carried, { timeout: 20_000 }).toBeDefined();
    expect(attribute((carried() as Span).attributes, 'almanac.action_type')).toBe('log');
    expect(childrenOf(carried() as Span).length).toBeGreaterThan(0);
  });

  test('tells nothing of a person: no text, no query, no credential, no parameter', () => {
    for (const secret of [
      'words that nobody',
      'somebodys-secret-task',
      'all is well',
      'carried out',
      person.user_id,
      person.key.slice(-20),
    ])
      expect(received.includes(secret), secret).toBe(false);
  });
});

test('a collector that is gone costs nothing but a line in the log', async () => {
  collector.closeAllConnections();
  collector.close();
  for (let i = 0; i < 5; i++) expect((await call(server.url, person.key, get('/memory/pull'))).status).toBe(200);
  await server.stop();
  expect(server.exitCode()).toBe(0);
});
