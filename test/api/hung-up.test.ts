/** Requests whose clients hang up: their work counts until it ends, and what nobody waits for is not begun. */
import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import express, { type Request, type Response } from 'express';
import { z } from 'zod';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { gzipSync } from 'node:zlib';
import { mount, type MountDeps } from '../../src/http/mount.ts';
import { route, routes, Stream } from '../../src/http/route.ts';
import { createLog } from '../../src/observability/log.ts';

const AGENT = { user_id: 'u', actor: 'agent:1', credential_id: '1', origin: 'agent', scopes: new Set(), zone: 'UTC' };
/** What one agent's key may have under way. */
const MOST = 12;

let begun = 0;
let running = 0;
let gate = Promise.withResolvers<void>();
let closed = 0;
/** The requests that have arrived. */
const arrived: { req: Request; res: Response }[] = [];
/** Whether the body is being read, or the answer is being sent. */
const isInTheMiddle = ({ req, res }: (typeof arrived)[number]): boolean =>
  req.readableFlowing === true || res.headersSent;
let server: Server;
let port = 0;

async function* withoutEnd(): AsyncGenerator<string> {
  for (;;) yield ' '.repeat(100_000);
}

const work = routes('system', [
  route({
    id: 'work',
    method: 'get',
    path: '/work',
    summary: 'Work',
    undocumented: true,
    scopes: [],
    response: z.object({}),
    handler: async () => {
      begun += 1;
      running += 1;
      await gate.promise;
      running -= 1;
      return {};
    },
  }),
  route({
    id: 'take',
    method: 'post',
    path: '/take',
    summary: 'Take a body',
    undocumented: true,
    scopes: [],
    body: z.object({}),
    response: z.object({}),
    handler: () => ({}),
  }),
  route({
    id: 'give',
    method: 'get',
    path: '/give',
    summary: 'Give an answer without an end',
    undocumented: true,
    scopes: [],
    response: z.string(),
    produces: 'text/plain',
    handler: () => new Stream('text/plain', withoutEnd()),
  }),
]);

beforeAll(async () => {
  const router = express.Router();
  const deps = {
    log: createLog('silent'),
    authenticate: async () => AGENT,
    rate: { take: async () => undefined },
    pageOf: () => undefined,
    clientAddress: () => '127.0.0.1',
    metrics: { begun: () => undefined, ended: () => undefined, observe: () => undefined, refused: () => undefined },
    stopping: () => false,
    zoneOf: async () => null,
    present: async (_caller: unknown, answer: unknown) => answer,
    checkAnswers: false,
  } as unknown as MountDeps;
  mount(router, work, deps);
  const app = express();
  app.use((req, res, next) => {
    res.locals['address'] = new URL(req.url, 'http://localhost');
    res.once('close', () => (closed += 1));
    arrived.push({ req, res });
    next();
  });
  app.use(router);
  server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as { port: number }).port;
});
afterAll(() => server.close());

/** Sends a request, of whose body only this part comes. @returns its status, and a way to hang up */
const ask = (path = '/work', headers = {}, part?: Buffer) => {
  const asking = request({
    ...{ port, host: '127.0.0.1', path, method: part ? 'POST' : 'GET' },
    headers: { Authorization: 'Bearer x', ...headers },
  });
  const status = new Promise<number | 'none'>((done) => {
    asking.on('error', () => done('none'));
    asking.on('response', (answer) => {
      // The rest of a long answer is not read.
      answer.once('data', () => answer.pause());
      done(answer.statusCode ?? 0);
    });
  });
  if (part) asking.write(part);
  else asking.end();
  return { status, hangUp: () => asking.destroy() };
};

test('the share of a request is given back when its work has ended, not when its client hangs up', async () => {
  const all = Array.from({ length: 40 }, ask);
  await expect.poll(() => begun).toBe(MOST);
  for (const { hangUp } of all) hangUp();
  await expect.poll(() => closed).toBe(40);
  expect(await Promise.all(all.map(({ status }) => status))).toEqual(all.map(() => 'none'));
  // Nothing else may begin while the work of those that have hung up goes on.
  const later = ask();
  const last = ask();
  last.hangUp();
  await last.status;
  expect([begun, running]).toEqual([MOST, MOST]);
  gate.resolve();
  expect(await later.status).toBe(200);
  // Of those that waited, only the one whose client is still there has begun.
  expect([begun, running]).toEqual([MOST + 1, 0]);
  gate = Promise.withResolvers();
});

const JSON_BODY = { 'Content-Type': 'application/json' };
const text = Buffer.from(JSON.stringify({ notes: 'A talk' }));

test.each([
  ['a body', '/take', { ...JSON_BODY, 'Content-Length': 1_000 }, text],
  ['a body of unknown length', '/take', JSON_BODY, text],
  ['a compressed body', '/take', { ...JSON_BODY, 'Content-Encoding': 'gzip' }, gzipSync(text).subarray(0, -9)],
  ['an answer', '/give', {}, undefined],
])('a client that hangs up in the middle of %s gives its share back', async (_what, path, headers, part) => {
  arrived.length = 0;
  const all = Array.from({ length: MOST }, () => ask(path, headers, part));
  await expect.poll(() => arrived.filter(isInTheMiddle).length).toBe(MOST);
  const [before, later] = [begun, ask()];
  await expect.poll(() => arrived.length).toBe(MOST + 1);
  expect(begun).toBe(before);
  for (const { hangUp } of all) hangUp();
  gate.resolve();
  expect(await later.status).toBe(200);
});
