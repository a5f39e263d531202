/** Requests whose clients hang up: their work counts until it ends, and what nobody waits for is not begun. */
import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import express from 'express';
import { z } from 'zod';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mount, type MountDeps } from '../../src/http/mount.ts';
import { route, routes } from '../../src/http/route.ts';
import { createLog } from '../../src/observability/log.ts';

const AGENT = { user_id: 'u', actor: 'agent:1', credential_id: '1', origin: 'agent', scopes: new Set(), zone: 'UTC' };
/** What one agent's key may have under way. */
const MOST = 12;

let begun = 0;
let running = 0;
let gate = Promise.withResolvers<void>();
let closed = 0;
let server: Server;
let port = 0;

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
    next();
  });
  app.use(router);
  server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as { port: number }).port;
});
afterAll(() => server.close());

/** Sends a request. @returns its status, and a way to hang up */
const ask = () => {
  const asking = request({ port, host: '127.0.0.1', path: '/work', headers: { Authorization: 'Bearer x' } });
  const status = new Promise<number | 'none'>((done) => {
    asking.on('error', () => done('none'));
    asking.on('response', (answer) => done(answer.resume().statusCode ?? 0));
  });
  asking.end();
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
