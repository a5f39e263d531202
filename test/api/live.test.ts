/** Realtime as clients meet it: the socket, long polling, several instances, and what ends a connection. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { aKey, anApp, aUser, client, type TestApp, type TestUser } from '../support/app.ts';
import { onPostgres, testDatabase } from '../support/db.ts';
import { follow, headOf, note, notes, refusal, type Follower, type FollowOptions } from '../support/follower.ts';

let app: TestApp;
beforeAll(async () => {
  app = await anApp({ overrides: { live: { perUser: 10, maxBuffered: 64 * 1024, drainMs: 300 } } });
});
afterAll(() => app.close());

const open: Follower[] = [];
const following = async (options: FollowOptions, at = app): Promise<Follower> => {
  const follower = await follow(at.url, options);
  open.push(follower);
  return follower;
};
afterEach(async () => {
  await Promise.all(open.splice(0).map((f) => f.close()));
});

describe('following on the socket', () => {
  test('replays what came after the seq, says synced, then goes on live', async () => {
    const user = await aUser(app);
    const before = await headOf(user);
    const first = await notes(user, 3);
    const socket = await following({ token: user.token });
    socket.subscribe(before);
    expect(await socket.synced()).toMatchObject({ type: 'synced', seq: first.at(-1) });
    expect(socket.sequences()).toEqual(first);
    const live = await note(user, 'live');
    const message = await socket.next((m) => m.sequence === live);
    expect(message).toEqual({
      specversion: '1.0',
      id: `${user.user_id}:${message.position}`,
      source: `/ledger/${user.user_id}`,
      type: 'trace.created',
      subject: message.data?.['uid'],
      time: message.data?.['recorded_at'],
      sequence: live,
      position: expect.stringMatching(new RegExp(`^${live}[.][0-9a-f]{12}$`)),
      data: expect.objectContaining({ content: 'live', user_id: user.user_id }),
    });
  });

  test('without a seq it follows from now on', async () => {
    const user = await aUser(app);
    await notes(user, 2);
    const socket = await following({ token: user.token, path: '/v1/ws' });
    socket.subscribe();
    await socket.synced();
    const live = await note(user);
    await socket.next((m) => m.sequence === live);
    expect(socket.sequences()).toEqual([live]);
  });

  test('long replays come in pages, whole and in order', async () => {
    const user = await aUser(app);
    const all = [...(await notes(user, 700)), ...(await notes(user, 600))];
    const socket = await following({ token: user.token });
    socket.subscribe(0);
    await socket.synced();
    expect(socket.sequences()).toEqual(all);
  });

  test('across disconnects under writing, every change comes exactly once', async () => {
    const user = await aUser(app);
    let last = await headOf(user);
    const written: number[] = [];
    const writing = (async () => {
      for (let i = 0; i < 40; i++) written.push(...(await notes(user, 1 + (i % 4))));
    })();
    const seen: number[] = [];
    for (const pause of [5, 60, 15, 90, 30, 120]) {
      const socket = await follow(app.url, { token: user.token });
      socket.subscribe(last);
      await sleep(pause);
      socket.ws.terminate();
      await socket.closed;
      seen.push(...socket.sequences());
      last = seen.at(-1) ?? last;
    }
    await writing;
    const socket = await following({ token: user.token });
    socket.subscribe(last);
    await socket.synced();
    expect([...seen, ...socket.sequences()]).toEqual(written);
  });

  test('nobody hears of somebody else', async () => {
    const [ada, bob] = await Promise.all([aUser(app), aUser(app)]);
    const socket = await following({ token: ada.token });
    socket.subscribe(0);
    await socket.synced();
    await note(bob);
    const mine = await note(ada);
    await socket.next((m) => m.sequence === mine);
    expect(socket.changes().every((m) => m.data?.['user_id'] === ada.user_id)).toBe(true);
  });

  test('a credential without memory:read is shown no traces, but moves on', async () => {
    const user = await aUser(app);
    const blind = await aKey(app, user, 'agent', ['plan:read', 'calendar:read']);
    const seq = await note(user);
    const socket = await following({ token: blind.token });
    socket.subscribe(0);
    expect(await socket.synced()).toMatchObject({ type: 'synced', seq });
    expect(socket.changes()).toEqual([]);
  });

  test('a seq the ledger has not reached is a reset; the socket can subscribe anew', async () => {
    const user = await aUser(app);
    const head = await headOf(user);
    const socket = await following({ token: user.token });
    socket.subscribe(head + 1);
    expect(await socket.next((m) => m.type === 'reset')).toMatchObject({
      type: 'reset',
      reason: 'seq_ahead',
      seq: head,
    });
    socket.subscribe(head);
    await socket.synced();
  });
});

describe('what is refused', () => {
  let user: TestUser;
  beforeAll(async () => {
    user = await aUser(app);
  });

  test.each([
    ['no credential', {}, 401, 'unauthenticated'],
    ['an unknown credential', { token: 'alm_user_x_y' }, 401, 'unauthenticated'],
    ['an unknown ticket', { path: '/ws?ticket=no' }, 401, 'unauthenticated'],
    ['another address', { path: '/memory/pull' }, 404, 'route_not_found'],
  ])('%s', async (_name, options, status, code) => {
    const answer = await refusal(app.url, options);
    expect(answer).toMatchObject({
      status,
      type: 'application/problem+json; charset=utf-8',
      body: { status, code, request_id: expect.any(String) },
    });
  });

  test('a page from elsewhere, whatever credential it has got hold of', async () => {
    const own = await anApp({ database: app.database, env: { CORS_ORIGINS: 'https://front.example' } });
    const open = (origin: string) =>
      new Promise<[code: number, reason: string] | 101>((resolve) => {
        const ws = new WebSocket(`${own.url.replace('http', 'ws')}/ws`, {
          origin,
          headers: { authorization: `Bearer ${user.token}` },
        });
        ws.on('close', (code, reason) => resolve([code, reason.toString()]));
        ws.on('open', () => ws.send('{"subscribe": {}}'));
        ws.on('message', () => (resolve(101), ws.terminate()));
      });
    expect(await open('https://front.example')).toBe(101);
    expect(await open(own.url)).toBe(101);
    for (const origin of [
      'https://evil.example',
      'null',
      'https://front.example.evil.example',
      `${own.url}.evil.example`,
    ])
      expect(await open(origin)).toEqual([4403, expect.stringMatching(/^forbidden_origin/)]);
    await own.close();
  });

  test('pages of PUBLIC_URL may open one behind a proxy that passes another Host', async () => {
    const behind = await anApp({ database: app.database, env: { PUBLIC_URL: 'https://almanac.example' } });
    const open = (origin: string) =>
      new Promise<number>((resolve) => {
        const headers = { authorization: `Bearer ${user.token}`, host: '127.0.0.1:8080' };
        const ws = new WebSocket(`${behind.url.replace('http', 'ws')}/ws`, { origin, headers });
        ws.on('close', resolve);
        ws.on('open', () => ws.send('{"subscribe": {}}'));
        ws.on('message', () => (resolve(101), ws.terminate()));
      });
    expect(await open('https://almanac.example')).toBe(101);
    expect(await open('https://almanac.example.evil.example')).toBe(4403);
    await behind.close();
  });

  test.each([
    ['HTTP/1.0', { Connection: 'close' }, 'Upgrade: websocket, Connection: Upgrade, the version HTTP/1.1'],
    ['HTTP/1.1', {}, 'Upgrade: websocket, Connection: Upgrade'],
    ['HTTP/1.1', { Upgrade: 'websocket' }, 'Connection: Upgrade'],
    ['HTTP/1.1', { Connection: 'Upgrade' }, 'Upgrade: websocket'],
  ])('a handshake that a proxy passed by %s with %j is told what it lacks', async (version, lines, missing) => {
    const { connect } = await import('node:net');
    const sent = {
      Host: 'x',
      'Sec-WebSocket-Key': 'AAAAAAAAAAAAAAAAAAAAAA==',
      'Sec-WebSocket-Version': '13',
      ...lines,
    };
    const head = [`GET /ws?ticket=x ${version}`, ...Object.entries(sent).map(([name, value]) => `${name}: ${value}`)];
    const text = await new Promise<string>((resolve) => {
      const raw = connect(Number(new URL(app.url).port), '127.0.0.1', () => raw.write(`${head.join('\r\n')}\r\n\r\n`));
      let all = '';
      raw.on('data', (chunk) => (all += String(chunk))).on('close', () => resolve(all));
      raw.on('data', () => all.includes('}') && raw.end());
    });
    expect(text).toMatch(/^HTTP\/1\.[01] 400 /);
    expect(text).toContain(`This WebSocket handshake lacks ${missing} (RFC 6455`);
    expect(text).toContain('proxy_set_header Upgrade $http_upgrade');
  });

  test('a page can read why: the socket opens, and closes with the code and the reason', async () => {
    const refused = (path: string, token: string | null = null) =>
      new Promise<[number, string]>((resolve) => {
        const headers = token ? { authorization: `Bearer ${token}` } : {};
        const ws = new WebSocket(`${app.url.replace('http', 'ws')}${path}`, { origin: app.url, headers });
        ws.on('message', () => resolve([0, 'it was served']));
        ws.on('close', (code, reason) => resolve([code, reason.toString()]));
      });
    expect(await refused('/ws?ticket=no')).toEqual([4401, expect.stringMatching(/^unauthenticated: The ticket/)]);
    expect(await refused('/ws')).toEqual([4401, 'unauthenticated']);
    const blind = await aKey(app, user, 'agent', ['memory:read']);
    expect(await refused('/ws', blind.token)).toEqual([
      4403,
      expect.stringMatching(/^insufficient_scope: .*plan:read/),
    ]);
  });

  test('on the embedded default, pages of this machine may open a socket and read answers', async () => {
    const listed = await anApp({ database: app.database, env: { CORS_ORIGINS: 'https://front.example' } });
    const postgres = { DATABASE_URL: 'postgres://elsewhere', JWT_SECRET: 'x'.repeat(32) };
    const server = await anApp({ database: app.database, env: postgres });
    const read = async (own: TestApp, origin: string) =>
      (await client(own, user.token).get('/user/whoami').set('Origin', origin)).headers['access-control-allow-origin'];
    for (const origin of ['http://localhost:5173', 'http://127.0.0.1:3000', 'http://[::1]:8000', 'https://localhost']) {
      expect(await read(app, origin)).toBe(origin);
      for (const own of [listed, server]) expect(await read(own, origin)).toBeUndefined();
    }
    for (const origin of ['http://localhost.evil.example', 'http://evil.example', 'null', 'http://127.0.0.1.nip.io'])
      expect(await read(app, origin)).toBeUndefined();
    await listed.close();
    await server.close();
  });

  test('a missing scope is named', async () => {
    const key = await aKey(app, user, 'agent', ['memory:read']);
    expect(await refusal(app.url, { token: key.token })).toMatchObject({
      status: 403,
      body: { code: 'insufficient_scope', missing: ['plan:read'] },
    });
  });

  test('a plain GET is told to upgrade', async () => {
    expect((await user.get('/ws').expect(400)).body.code).toBe('malformed_request');
  });

  test('a handshake without key is a problem too', async () => {
    const answer = await fetch(`${app.url}/health-of-nothing`); // the server lives on afterwards
    expect(answer.status).toBe(404);
    const { connect } = await import('node:net');
    const text = await new Promise<string>((resolve) => {
      const raw = connect(Number(new URL(app.url).port), '127.0.0.1', () =>
        raw.write(
          `GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nAuthorization: Bearer ${user.token}\r\n\r\n`,
        ),
      );
      let all = '';
      raw.on('data', (chunk) => (all += String(chunk))).on('close', () => resolve(all));
    });
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(text).toContain('"code":"malformed_request"');
  });

  test('more sockets than allowed', async () => {
    for (let i = 0; i < 10; i++) await following({ token: user.token });
    expect(await refusal(app.url, { token: user.token })).toMatchObject({
      status: 429,
      body: { code: 'too_many_sockets' },
    });
  });

  test('messages that mean nothing are answered, and too many end the socket', async () => {
    const socket = await following({ token: user.token });
    for (const text of [
      '{',
      '{"subscribe": {"after": -1}}',
      '{"subscribe": {}, "also": 1}',
      '{"approve": {"uid": "x"}}',
    ])
      socket.ws.send(text);
    await expect
      .poll(() => socket.heard.map((m) => m.problem?.['code']))
      .toEqual(['malformed_json', 'invalid_request', 'invalid_request', 'invalid_request']);
    expect(socket.heard[1]?.problem).toMatchObject({ status: 422, errors: [{ path: '/subscribe/after' }] });
    socket.ws.send(Buffer.from([0, 1]));
    expect(await socket.closed).toBe(1008);
  });

  test('a message that is too long', async () => {
    const socket = await following({ token: user.token });
    socket.ws.send('x'.repeat(5_000));
    expect(await socket.closed).toBe(1009);
  });

  test('a second subscription on one socket', async () => {
    const socket = await following({ token: user.token });
    socket.subscribe();
    await socket.synced();
    socket.subscribe(0);
    expect((await socket.next((m) => m.type === 'problem')).problem).toMatchObject({ code: 'malformed_request' });
  });
});

describe('tickets', () => {
  test('open one socket, once, within 30 seconds', async () => {
    const user = await aUser(app);
    const { body } = await user.post('/user/ws-ticket', {}).expect(200);
    const path = `/ws?ticket=${body.ticket}`;
    const socket = await following({ path });
    socket.subscribe(0);
    await socket.synced();
    expect(await refusal(app.url, { path })).toMatchObject({ status: 401 });
  });

  test('are worth nothing when the credential behind them is gone', async () => {
    const user = await aUser(app);
    const key = await aKey(app, user, 'agent');
    const { body } = await key.post('/user/ws-ticket', {}).expect(200);
    await user.delete(`/user/keys?id=${key.id}`).expect(200);
    expect(await refusal(app.url, { path: `/ws?ticket=${body.ticket}` })).toMatchObject({ status: 401 });
  });
});

describe('what ends a socket', () => {
  test('revoking the key, subscribed or not, and nothing later is shown', async () => {
    const user = await aUser(app);
    const key = await aKey(app, user, 'agent');
    const [subscribed, idle] = [await following({ token: key.token }), await following({ token: key.token })];
    subscribed.subscribe();
    await subscribed.synced();
    await user.delete(`/user/keys?id=${key.id}`).expect(200);
    const later = await note(user);
    expect(await Promise.all([subscribed.closed, idle.closed])).toEqual([4401, 4401]);
    expect(subscribed.sequences()).not.toContain(later);
  });

  test('a new password ends sockets of login sessions, not of keys', async () => {
    const user = await aUser(app);
    const [session, agent] = [await following({ token: user.token }), await following({ token: user.agent.token })];
    // The session is ended in the database as a change of password does it.
    await app.database.handle.db.deleteFrom('refresh_tokens').where('user_id', '=', user.user_id).execute();
    expect(await session.closed).toBe(4401);
    expect(agent.ws.readyState).toBe(agent.ws.OPEN);
  });

  test('expiry of the credential', async () => {
    const own = await anApp({ database: app.database });
    const user = await aUser(own);
    const { body } = await user
      .post('/user/keys', { kind: 'agent', label: 'short', expires_at: '2026-11-21T10:00:00Z' })
      .expect(201);
    const socket = await follow(own.url, { token: body.key });
    own.clock.advance(3_600_000);
    expect(await socket.closed).toBe(4401);
    await own.close();
  });

  test('not reading: cut off, and everything is there on resuming', async () => {
    const user = await aUser(app);
    const socket = await following({ token: user.token });
    const from = await headOf(user);
    socket.subscribe(from);
    await socket.synced();
    socket.ws.pause();
    const closing = vi.spyOn(WebSocket.prototype, 'close');
    onTestFinished(() => closing.mockRestore());
    // It reads on as soon as it was cut off, because the service waits two seconds for its answer to that.
    const isCut = (): boolean => closing.mock.calls.some(([code]) => code === 1013);
    const resumed = vi.waitUntil(isCut, { timeout: 25_000, interval: 5 }).then(() => socket.ws.resume());
    const big = Array.from({ length: 5 }, () => ({
      type: 'observation',
      content: 'big',
      notes: 'x'.repeat(99_000),
      metadata: { a: 'y'.repeat(16_000) },
    }));
    const written: number[] = [];
    for (let i = 0; i < 20; i++) {
      const { body } = await user.post('/memory/push', { traces: big }).expect(201);
      written.push(...body.map((t: { seq: number }) => t.seq));
    }
    await resumed;
    expect(await socket.closed).toBe(1013);
    expect(socket.sequences().length).toBeLessThan(written.length);
    const again = await following({ token: user.token });
    again.subscribe(socket.sequences().at(-1) ?? from);
    await again.synced();
    expect([...socket.sequences(), ...again.sequences()]).toEqual(written);
  });

  test('not answering pings', async () => {
    const own = await anApp({ database: app.database, overrides: { live: { pingMs: 100 } } });
    const user = await aUser(own);
    const [deaf, awake] = [
      await follow(own.url, { token: user.token, autoPong: false }),
      await follow(own.url, { token: user.token }),
    ];
    expect(await deaf.closed).toBe(1006);
    for (let pings = 0; pings < 3; pings++) await once(awake.ws, 'ping');
    expect(awake.ws.readyState).toBe(awake.ws.OPEN);
    await own.close();
    expect(await awake.closed).toBe(1001);
  });
});

describe.runIf(onPostgres)('two instances on one Postgres', () => {
  test.each([
    ['woken by notification', false],
    ['by polling alone, when notifications are lost', true],
  ])('a socket here follows what is written there, %s', async (_name, deaf) => {
    const database = await testDatabase();
    const handle = await database.again();
    const here = await anApp({ database });
    const there = await anApp({
      database: { ...database, handle: deaf ? { ...handle, listen: async () => async () => undefined } : handle },
    });
    const user = await aUser(here);
    const elsewhere = client(there, user.token);
    const socket = await follow(there.url, { token: user.token });
    socket.subscribe(0);
    await socket.synced();
    const written: number[] = [];
    for (let i = 0; i < 10; i++) {
      const [seq] = await notes(i % 2 ? elsewhere : user, 1);
      await socket.next((m) => m.sequence === seq);
      written.push(seq as number);
    }
    expect(socket.sequences()).toEqual(written);
    const key = await aKey(here, user, 'agent');
    const agent = await follow(there.url, { token: key.token });
    await user.delete(`/user/keys?id=${key.id}`).expect(200);
    expect(await agent.closed).toBe(4401);
    await there.close();
    await here.close();
    await handle.close();
    await database.close();
  });
});
