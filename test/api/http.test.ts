/** What holds on every route: problems, request ids, methods, media types, limits, idempotency, paging, the /v1 alias. */
import { request as httpRequest } from 'node:http';
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aKey, anApp, aUser, client, type TestApp, type TestUser } from '../support/app.ts';

let app: TestApp;
let user: TestUser;
beforeAll(async () => {
  app = await anApp({ env: { CORS_ORIGINS: 'https://front.example' } });
  user = await aUser(app);
});
afterAll(() => app.close());

const trace = (content: string, more: object = {}) => ({ type: 'observation', content, ...more });
const push = (...traces: object[]) => user.post('/memory/push', { traces });

describe('problems', () => {
  test('a parameter that is sent twice is named', async () => {
    for (const path of ['/memory/pull?limit=1&limit=2', '/user/keys?limit=1&limit=2', '/memory/pull?x=1&x=2']) {
      const { body } = await user.get(path).expect(422);
      expect(body.errors).toEqual([
        { path: `/${path.includes('x=') ? 'x' : 'limit'}`, code: 'repeated', message: 'must be sent only once' },
      ]);
    }
  });

  test('an integer that a double would change is refused, and others are kept', async () => {
    const push = (metadata: string) =>
      request(app.server)
        .post('/memory/push')
        .set({ Authorization: `Bearer ${user.token}`, 'Content-Type': 'application/json' })
        .send(`{"traces":[{"type":"observation","content":"9007199254740993","metadata":${metadata}}]}`);
    for (const lost of ['9007199254740993', '-12345678901234567890'])
      expect((await push(`{"n":${lost}}`).expect(422)).body.detail).toContain(lost);
    await push('{"n":9007199254740992,"s":"9007199254740993","f":0.12345678901234567,"e":1e20,"z":-0}').expect(201);
  });

  test('a member that is sent twice in one object is refused with its path', async () => {
    const send = (text: string, type = 'application/json', path = '/memory/push') =>
      request(app.server)
        .post(path)
        .set({ Authorization: `Bearer ${user.token}`, 'Content-Type': type })
        .send(text);
    const trace = (more: string) => `{"type":"observation","content":"say: \\"a\\": 1, {\\"a\\": 2}"${more}}`;
    const repeated = {
      '{"traces":[],"traces":[]}': '/traces',
      [`{"traces":[${trace('')},${trace(',"content" : "other"')}]}`]: '/traces/1/content',
      [`{"traces":[${trace(',"metadata":{"a":[1,{"b":{}}],"c":{"x":1,"y":[],"\\u0078":{"x":2}}}')}]}`]:
        '/traces/0/metadata/c/x',
    };
    for (const [text, path] of Object.entries(repeated)) {
      const { body } = await send(text).expect(422);
      expect(body.errors).toEqual([{ path, code: 'repeated', message: 'must be sent only once in its object' }]);
    }
    const line = '{"uid":"line","type":"observation","content":"one","content":"two"}';
    const { body } = await send(`\n${line}`, 'application/x-ndjson', '/memport/import').expect(422);
    expect(body.errors).toMatchObject([{ path: '/traces/0/content', code: 'repeated' }]);
    // Equal names in different objects, and what looks like members in a string, are fine.
    await send(`{"traces":[${trace(',"metadata":{"a":{"a":{"a":"\\"a\\":"}}}')},${trace('')}]}`).expect(201);
  });

  test('an unknown address, a wrong method, and their Allow', async () => {
    const missing = await user.get('/nothing/here').expect(404);
    expect(missing.headers['content-type']).toMatch('application/problem+json');
    expect(missing.body).toMatchObject({
      code: 'route_not_found',
      status: 404,
      request_id: missing.headers['x-request-id'],
    });
    const wrong = await user.delete('/memory/push').expect(405);
    expect(wrong.headers['allow']).toBe('POST, OPTIONS');
    expect(wrong.body.code).toBe('method_not_allowed');
  });

  test('no credential and a bad one are 401 with a challenge', async () => {
    for (const token of [null, 'nonsense', `alm_user_${'a'.repeat(16)}_${'b'.repeat(46)}`, 'a.b.c', 'x'.repeat(40)]) {
      const { headers, body } = await client(app, token).get('/memory/pull').expect(401);
      expect(headers['www-authenticate']).toMatch(/^Bearer/);
      expect(body.code).toBe('unauthenticated');
    }
    await request(app.server).get('/memory/pull').set('Authorization', 'Basic dXNlcjpwYXNz').expect(401);
  });

  test('a missing scope is named', async () => {
    const key = await aKey(app, user, 'user', ['memory:read']);
    const { body } = await key.post('/memory/push', { traces: [trace('x')] }).expect(403);
    expect(body).toMatchObject({ code: 'insufficient_scope', missing: ['memory:write'] });
  });

  test('malformed JSON, other media types, broken encodings', async () => {
    const raw = (type: string, text: string | Buffer, headers: Record<string, string> = {}) =>
      user
        .post('/memory/push')
        .set({ 'Content-Type': type, ...headers })
        .send(text as string);
    expect((await raw('application/json', '{"traces": [').expect(400)).body.code).toBe('malformed_json');
    expect((await raw('text/plain', 'hello').expect(415)).body.code).toBe('unsupported_media_type');
    expect((await raw('application/json; charset=latin1', '{}').expect(415)).body.code).toBe('unsupported_media_type');
    const latin1 = Buffer.from(JSON.stringify({ traces: [trace('café')] }), 'latin1');
    expect(
      (
        await raw('application/json', latin1)
          .serialize((bytes) => bytes as string)
          .expect(400)
      ).body.code,
    ).toBe('malformed_request');
    await raw('application/json', '"just text"').expect(422);
    await raw('application/json', 'null').expect(422);
  });

  test('every fault is listed with its path, unknown fields included', async () => {
    const { body } = await push(trace('fine'), {
      type: 'Bad Type',
      content: '',
      feedback_rating: 9,
      colour: 'red',
    }).expect(422);
    expect(body.code).toBe('invalid_request');
    const paths = body.errors.map((e: { path: string }) => e.path).toSorted();
    expect(paths).toEqual(['/traces/1/colour', '/traces/1/content', '/traces/1/feedback_rating', '/traces/1/type']);
    expect((await user.get('/memory/pull?limit=0&nonsense=1').expect(422)).body.errors).toHaveLength(2);
  });

  test('what no database can hold is refused, and nothing is stored', async () => {
    const other = await aUser(app);
    for (const content of ['nul \u0000 inside', 'lone \ud800 surrogate'])
      expect(
        (await other.post('/memory/push', { traces: [trace('good'), trace(content)] }).expect(422)).body.errors[0],
      ).toMatchObject({ path: '/traces/1/content', code: 'unstorable' });
    const deep = JSON.stringify({
      traces: [trace('x', { metadata: JSON.parse('{"a":'.repeat(60) + '1' + '}'.repeat(60)) })],
    });
    await other.post('/memory/push').set('Content-Type', 'application/json').send(deep).expect(422);
    await other.get('/memory/pull?task_id=%00').expect(422);
    expect((await other.get('/memory/pull')).body).toEqual([]);
  });

  test('a body over 1 MiB is 413', async () => {
    const { body } = await push(...Array.from({ length: 20 }, () => trace('x'.repeat(99_000)))).expect(413);
    expect(body.code).toBe('body_too_large');
  });

  test('an address that can’t be decoded is not a 5xx', async () => {
    const status = await new Promise<number>((resolve, reject) => {
      const sent = httpRequest(
        app.url,
        { path: '/%E0%A4%A', headers: { Authorization: `Bearer ${user.token}` } },
        (res) => {
          res.resume();
          resolve(res.statusCode ?? 0);
        },
      );
      sent.on('error', reject).end();
    });
    expect([400, 404]).toContain(status);
  });

  test('someone else’s things do not exist', async () => {
    const [{ uid }] = (await push(trace('mine')).expect(201)).body;
    const other = await aUser(app);
    expect((await other.patch('/memory/edit', { uid, updates: { content: 'stolen' } }).expect(404)).body.code).toBe(
      'trace_not_found',
    );
    await other.get(`/memory/history?uid=${uid}`).expect(404);
    await other.delete(`/memory/remove?uid=${uid}`).expect(404);
    await other.get(`/memory/pull?user_id=${user.user_id}`).expect(403);
    await other.post('/memory/push', { user_id: user.user_id, traces: [trace('x')] }).expect(403);
    await other.post('/memory/push', { traces: [trace('x', { user_id: user.user_id })] }).expect(403);
  });
});

describe('requests', () => {
  test('a request id is taken over when it is harmless, else made', async () => {
    expect((await user.get('/memory/pull').set('X-Request-Id', 'abc-1')).headers['x-request-id']).toBe('abc-1');
    expect((await user.get('/memory/pull').set('X-Request-Id', 'a b"c')).headers['x-request-id']).toMatch(
      /^[0-9a-f-]{36}$/,
    );
  });

  test('everything is also served under /v1', async () => {
    await user.get('/v1/memory/pull').expect(200);
    expect((await user.get('/v1/nothing').expect(404)).body.code).toBe('route_not_found');
  });

  test('security headers are set, and CORS only for configured origins', async () => {
    const { headers } = await user.get('/memory/pull').set('Origin', 'https://front.example');
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['access-control-allow-origin']).toBe('https://front.example');
    expect(headers['x-powered-by']).toBeUndefined();
    expect(headers['strict-transport-security']).toMatch(/max-age=31536000; includeSubDomains/);
    expect(headers['referrer-policy']).toBe('no-referrer');
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['content-security-policy']).toBe(
      "default-src 'none';object-src 'none';base-uri 'none';form-action 'none';frame-ancestors 'none'",
    );
    expect(headers['set-cookie']).toBeUndefined();
    const exposed = String(headers['access-control-expose-headers']).split(',');
    for (const name of ['ETag', 'Link', 'Content-Disposition', 'RateLimit', 'RateLimit-Policy', 'Retry-After'])
      expect(exposed).toContain(name);
    expect(
      (await user.get('/memory/pull').set('Origin', 'https://evil.example')).headers['access-control-allow-origin'],
    ).not.toBe('https://evil.example');
  });
});

describe('behind a proxy', () => {
  /** Two requests a minute of each address. */
  const statuses = async (trust: string, forwarded: string[]): Promise<number[]> => {
    const env = { RATE_LIMIT_PER_MINUTE: '2', TRUST_PROXY: trust };
    const proxied = await anApp({ env, database: app.database });
    const answers: number[] = [];
    for (const address of forwarded)
      answers.push((await client(proxied, null).get('/version').set('X-Forwarded-For', address)).status);
    await proxied.close();
    return answers;
  };

  test('the proxy’s word counts, and not what the client put in front of it', async () => {
    expect(await statuses('true', ['192.0.2.1', '192.0.2.1', '192.0.2.1', '192.0.2.2'])).toEqual([200, 200, 429, 200]);
    expect(await statuses('1', ['1.1.1.1, 192.0.2.1', '2.2.2.2, 192.0.2.1', '3.3.3.3, 192.0.2.1'])).toEqual([
      200, 200, 429,
    ]);
    expect(await statuses('2', ['192.0.2.1, 10.0.0.1', '192.0.2.1, 10.0.0.2', '192.0.2.1, 10.0.0.3'])).toEqual([
      200, 200, 429,
    ]);
  });

  test('without one nobody’s does', async () => {
    expect(await statuses('false', ['192.0.2.1', '192.0.2.2', '192.0.2.3'])).toEqual([200, 200, 429]);
  });
});

describe('Idempotency-Key', () => {
  test('the same request again is the first answer again', async () => {
    const send = () => user.post('/memory/push', { traces: [trace('once')] }).set('Idempotency-Key', 'k1');
    const first = await send().expect(201);
    const second = await send().expect(201);
    expect(second.body).toEqual(first.body);
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect(first.headers['idempotent-replayed']).toBeUndefined();
    const { body } = await user.get('/memory/pull');
    expect(body.filter((t: { content: string }) => t.content === 'once')).toHaveLength(1);
  });

  test('another body under the same key is 422, another user’s key is another key', async () => {
    await user
      .post('/memory/push', { traces: [trace('a')] })
      .set('Idempotency-Key', 'k2')
      .expect(201);
    expect(
      (
        await user
          .post('/memory/push', { traces: [trace('b')] })
          .set('Idempotency-Key', 'k2')
          .expect(422)
      ).body.code,
    ).toBe('idempotency_mismatch');
    const other = await aUser(app);
    await other
      .post('/memory/push', { traces: [trace('b')] })
      .set('Idempotency-Key', 'k2')
      .expect(201);
  });

  test('twenty at once have one effect', async () => {
    const send = () => user.post('/memory/push', { traces: [trace('twenty')] }).set('Idempotency-Key', 'k3');
    const statuses = (await Promise.all(Array.from({ length: 20 }, send))).map((r) => r.status);
    expect(new Set(statuses).difference(new Set([201, 409])).size).toBe(0);
    expect(statuses).toContain(201);
    const { body } = await user.get('/memory/pull');
    expect(body.filter((t: { content: string }) => t.content === 'twenty')).toHaveLength(1);
  });

  test('a refusal may be tried again, and an answer with a secret is never kept', async () => {
    await user.post('/memory/push', { traces: [] }).set('Idempotency-Key', 'k4').expect(422);
    await user
      .post('/memory/push', { traces: [trace('now')] })
      .set('Idempotency-Key', 'k4')
      .expect(201);
    const make = () => user.post('/user/keys', { kind: 'agent', label: 'secret' }).set('Idempotency-Key', 'k5');
    await make().expect(201);
    expect((await make().expect(409)).body.code).toBe('idempotency_secret');
    await user
      .post('/memory/push', { traces: [trace('x')] })
      .set('Idempotency-Key', 'has space')
      .expect(422);
  });

  test('a try that died is taken over, and one that was only slow has no effect any more', async () => {
    const other = await aUser(app);
    const write = (claim: string) =>
      app.services.ledger.write(
        { user_id: other.user_id, actor: 'user:test', origin: 'user', idempotency: { key: 'k7', claim } },
        async (writer) =>
          writer.record({ kind: 'trace.created', subject: 'trace', uid: claim, version: 1, payload: () => ({}) }),
      );
    const traces = [trace('k7')];
    const { handle } = app.database;
    await other.post('/memory/push', { traces }).set('Idempotency-Key', 'k7').expect(201);
    // As after kill -9 in the middle: claimed, no effect, no answer.
    await handle.query(
      "update idempotency_keys set effect_seq = null, answer = null, claim = 'slow' where key = 'k7' and user_id = $1",
      [other.user_id],
    );
    const retry = () => other.post('/memory/push', { traces }).set('Idempotency-Key', 'k7');
    expect((await retry().expect(409)).body.code).toBe('idempotency_running');
    app.clock.advance(31_000);
    await retry().expect(201);
    await expect(write('slow')).rejects.toMatchObject({ code: 'idempotency_running' });
    expect((await other.get('/memory/pull')).body).toHaveLength(2);
  });

  test('it is forgotten after a day', async () => {
    await user
      .post('/memory/push', { traces: [trace('day one')] })
      .set('Idempotency-Key', 'k6')
      .expect(201);
    app.clock.advance(25 * 3_600_000);
    const { body } = await client(app, user.token)
      .post('/user/refresh', { refresh_token: user.refresh_token })
      .expect(200);
    const later = client(app, body.token);
    const again = await later
      .post('/memory/push', { traces: [trace('day two')] })
      .set('Idempotency-Key', 'k6')
      .expect(201);
    expect(again.headers['idempotent-replayed']).toBeUndefined();
    user = { ...user, ...later, refresh_token: body.refresh_token };
  });
});

describe('paging', () => {
  test('a walk sees each row of its start once, whatever is written meanwhile', async () => {
    const other = await aUser(app);
    const many = Array.from({ length: 25 }, (_, i) =>
      trace(`t${i}`, { uid: `t${i}`, timestamp: new Date(Date.UTC(2026, 0, 1, 0, i % 7)).toISOString() }),
    );
    await other.post('/memory/push', { traces: many }).expect(201);
    const seen: string[] = [];
    let next: string | undefined = '/memory/pull?limit=4';
    let pages = 0;
    while (next) {
      const page: request.Response = await other.get(next).expect(200);
      seen.push(...page.body.map((t: { uid: string; content: string }) => `${t.uid}=${t.content}`));
      next = /<([^>]+)>; rel="next"/.exec(page.headers['link'] ?? '')?.[1];
      // Between the pages: a new one in front, one moved across the cursor, one removed, one rewritten.
      await other.post('/memory/push', { traces: [trace('new', { timestamp: '2026-01-01T00:03:30Z' })] }).expect(201);
      await other
        .patch('/memory/edit', { uid: `t${pages}`, updates: { timestamp: '2020-01-01T00:00:00Z', content: 'moved' } })
        .expect(200);
      if (pages < 4) await other.delete(`/memory/remove?uid=t${20 + pages}`).expect(200);
      pages++;
    }
    expect(pages).toBe(7);
    expect(seen.toSorted()).toEqual(many.map((t) => `${(t as { uid?: string }).uid}=${t.content}`).toSorted());
  });

  test('a cursor belongs to its query', async () => {
    const other = await aUser(app);
    await other.post('/memory/push', { traces: [trace('a'), trace('b')] }).expect(201);
    const { headers } = await other.get('/memory/pull?limit=1');
    const cursor = /cursor=([^>&]+)/.exec(headers['link'] ?? '')?.[1];
    expect((await other.get(`/memory/pull?limit=1&order=asc&cursor=${cursor}`).expect(422)).body.code).toBe(
      'invalid_cursor',
    );
    expect((await other.get('/memory/pull?cursor=nonsense').expect(422)).body.code).toBe('invalid_cursor');
  });
});

describe('rate limit', () => {
  test('too many requests are 429 with Retry-After', async () => {
    const strict = await anApp({ env: { RATE_LIMIT_PER_MINUTE: '5' }, database: app.database, clock: app.clock });
    const busy = client(strict, user.token);
    for (let i = 0; i < 5; i++) {
      const answer = i
        ? await busy.get('/memory/pull').expect(200)
        : await busy.get('/memory/pull?colour=red').expect(422);
      expect(answer.headers['ratelimit-policy']).toBe('"minute";q=5;w=60');
      expect(answer.headers['ratelimit']).toMatch(new RegExp(`^"minute";r=${4 - i};t=(60|5\\d)$`));
    }
    const { headers, body } = await busy.get('/memory/pull').expect(429);
    expect(headers['ratelimit']).toMatch(/^"minute";r=0;t=\d+$/);
    expect((await client(strict, null).get('/version').expect(200)).headers['ratelimit']).toMatch(/r=4/);
    expect(body.code).toBe('too_many_requests');
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    await strict.close();
  });
});
