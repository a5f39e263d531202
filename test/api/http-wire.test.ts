/** Bytes on the wire that are no good requests: each gets an end, and a problem where it can still be told one. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CODES } from '../../src/common/problem-codes.ts';
import { sendStream } from '../../src/http/mount.ts';
import { Stream } from '../../src/http/route.ts';
import { broken, bytes, exchange, type Wired } from '../faults/wire.ts';
import { anApp, aUser, type TestApp, type TestUser } from '../support/app.ts';

let app: TestApp;
let user: TestUser;
beforeAll(async () => {
  app = await anApp();
  user = await aUser(app);
});
afterAll(() => app.close());

const UPGRADE = [
  ...['Connection: Upgrade', 'Upgrade: websocket'],
  ...['Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='],
];

const answered = (answer: Wired | null | 'hung'): Wired => {
  expect(answer).not.toBe('hung');
  expect(answer).not.toBeNull();
  return answer as Wired;
};

test.each(broken('none').map(([name], i) => [name, i] as const))('%s', async (name, i) => {
  const pieces = broken(user.token as string)[i]?.[1] ?? [];
  const answer = await exchange(app.url, pieces, pieces.length > 1 ? 1 : 0);
  if (answer === null && name === 'TLS') return; // another protocol, which would not read ours
  const { status, headers, body } = answered(answer);
  expect(status).toBeLessThan(500);
  if (status < 400) return;
  expect(headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
  const said = JSON.parse(body) as { code: string; status: number; request_id: string };
  expect(Object.keys(CODES)).toContain(said.code);
  expect(said).toMatchObject({ status, request_id: headers.get('x-request-id') });
});

describe('an early refusal', () => {
  test('reaches a client that is still sending', async () => {
    const big = Buffer.alloc(4 * 1024 * 1024, ' ');
    const send = (headers: Record<string, string>) =>
      exchange(app.url, [bytes('POST', '/memory/push', { 'Content-Type': 'application/json', ...headers }, big)]);
    for (let i = 0; i < 10; i++) {
      expect(answered(await send({})).status).toBe(401);
      expect(answered(await send({ Authorization: `Bearer ${user.token}` })).status).toBe(413);
      expect(answered(await send({ Authorization: `Bearer ${user.token}`, 'Content-Type': 'text/plain' })).status).toBe(
        415,
      );
    }
  });

  test('ends a body that never ends', async () => {
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
    let answer = '';
    let sent = 0;
    socket.on('data', (data) => (answer += data.toString()));
    socket.on('error', () => undefined);
    socket.write(
      `POST /memory/push HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${user.token}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    const piece = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(0x10000, ' '), Buffer.from('\r\n')]);
    while (!socket.destroyed) {
      sent += piece.length;
      // The end of the connection comes as an error of the next write.
      if (!socket.write(piece))
        await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => socket.destroy());
    }
    expect(answer).toMatch(/^HTTP\/1.1 413 /);
    expect(answer).toContain('body_too_large');
    expect(sent).toBeLessThan(200 * 1024 * 1024);
  });

  test('of a body that unpacks to a thousand times its size', async () => {
    const { gzipSync } = await import('node:zlib');
    const headers = {
      Authorization: `Bearer ${user.token}`,
      'Content-Type': 'application/json',
      'Content-Encoding': 'gzip',
    };
    const answer = await exchange(app.url, [
      bytes('POST', '/memory/push', headers, gzipSync(Buffer.alloc(32 * 1024 * 1024))),
    ]);
    expect(answered(answer).status).toBe(413);
  });
});

describe('an early answer', () => {
  const big = Buffer.alloc(4 * 1024 * 1024, ' ');
  test.each([
    ['OPTIONS', '/user/login', 204],
    ['GET', '/health/live', 415],
    ['GET', '/nowhere', 404],
  ])('to %s %s reaches a client that is still sending', async (method, path, status) => {
    for (let i = 0; i < 10; i++)
      expect(answered(await exchange(app.url, [bytes(method, path, {}, big)])).status).toBe(status);
  });

  test.each([
    ['GET', '/nowhere'],
    ['SEARCH', '/health/ready'],
    ['OPTIONS', '/user/login'],
  ])('to %s %s reaches its client, whatever is wrong with what follows', async (method, path) => {
    for (let i = 0; i < 30; i++) {
      const { status } = answered(await exchange(app.url, [bytes(method, path, { 'Transfer-Encoding': 'identity' })]));
      expect(status).toBeLessThan(500);
    }
  });
});

test('a good request follows a good one on the same connection, and none that was smuggled in its body', async () => {
  const inside = 'GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n';
  const auth = { Authorization: `Bearer ${user.token}`, 'Content-Type': 'application/json', Connection: 'keep-alive' };
  const first = bytes(
    'POST',
    '/memory/push',
    auth,
    Buffer.from(JSON.stringify({ traces: [{ type: 'observation', content: inside }] })),
  );
  const second = bytes('GET', '/memory/pull', { Authorization: `Bearer ${user.token}` });
  const { status } = answered(await exchange(app.url, [first, second]));
  expect(status).toBe(201);
  const { body } = await user.get('/memory/pull').expect(200);
  expect(body).toHaveLength(1);
});

/** RFC 9112 §3.2. Two readers of the request, such as a proxy and this service, could take different ones. */
test.each([
  ['two hosts', 'GET /health', '1.1', ['Host: a.example', 'Host: b.example']],
  ['the same host twice', 'GET /health', '1.1', ['Host: a.example', 'host: a.example']],
  ['two hosts of HTTP/1.0', 'GET /health', '1.0', ['Host: a.example', 'Host: b.example']],
  ['an absolute address and two hosts', 'GET http://a.example/health', '1.1', ['Host: a.example', 'Host: b.example']],
  ['no host', 'GET /health', '1.1', []],
  ['two hosts of a socket', 'GET /ws', '1.1', ['Host: a.example', 'Host: b.example', ...UPGRADE]],
  ['no host of a socket', 'GET /ws', '1.1', UPGRADE],
])('%s are 400', async (_name, line, version, lines) => {
  const head = [`${line} HTTP/${version}`, ...lines, ...(line.includes('/ws') ? [] : ['Connection: close']), '', ''];
  const { status, headers, body } = answered(await exchange(app.url, [head.join('\r\n')]));
  expect(status).toBe(400);
  expect(headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
  expect(JSON.parse(body)).toMatchObject({ code: 'malformed_request', detail: expect.stringContaining('Host') });
});

/** In Node 26.10 such an answer could wait for a `drain` event that never comes (nodejs/node#62936). */
test('a stream of large pieces with other letters than ASCII ends', async () => {
  const piece = 'ż…'.repeat(20_000);
  async function* pieces() {
    for (let i = 0; i < 100; i++) yield piece;
  }
  const server = createServer((req, res) => void sendStream(req, res, new Stream('text/plain', pieces()), {}));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    const answer = await fetch(`http://127.0.0.1:${port}`, { signal: AbortSignal.timeout(10_000) });
    expect((await answer.text()).length).toBe(100 * piece.length);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
