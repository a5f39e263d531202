/** System routes as operators and debuggers meet them. */
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/db/database.ts';
import { SCALAR } from '../../src/system/docs.ts';
import { aKey, anApp, aUser, client, type TestApp, type TestUser } from '../support/app.ts';
import { follow, notes } from '../support/follower.ts';
import { damage } from '../support/tamper.ts';

const TOKEN = 'a-token-for-the-scraper';

let app: TestApp;
let user: TestUser;
beforeAll(async () => {
  app = await anApp({ env: { METRICS_TOKEN: TOKEN }, overrides: { commit: 'abc1234' } });
  user = await aUser(app);
});
afterAll(() => app.close());

describe('health and version', () => {
  test('anybody may ask', async () => {
    const anybody = client(app, null);
    expect((await anybody.get('/health').expect(200)).body).toEqual({
      status: 'ok',
      database: 'ok',
      executor: 'stopped',
      clock_skew_ms: 0,
    });
    expect((await anybody.get('/health/ready').expect(200)).body.status).toBe('ok');
    expect((await anybody.get('/v1/health/live').expect(200)).body).toEqual({ status: 'ok' });
    expect((await anybody.get('/version').expect(200)).body).toEqual({
      name: 'almanac',
      api_version: expect.stringMatching(/^1\.\d+\.\d+$/),
      build: { version: expect.stringMatching(/^\d+\.\d+\.\d+/), commit: 'abc1234', node: process.versions.node },
      database: { kind: app.database.handle.kind, version: expect.stringMatching(/^1\d/) },
      features: expect.objectContaining({
        semantic_search: app.database.vectors,
        model_planner: false,
        registration: true,
      }),
    });
  });

  test('without a database: alive, but neither well nor ready; version and metrics still answer', async () => {
    const handle = await openDatabase(
      { DATABASE_URL: 'postgres://127.0.0.1:1/nobody', DATA_DIR: '', DATABASE_POOL: 2 },
      () => undefined,
    );
    const adrift = await anApp({ database: { ...app.database, handle }, env: { METRICS_TOKEN: TOKEN } });
    const anybody = client(adrift, null);
    const health = await anybody.get('/health').expect(503);
    expect(health.body).toMatchObject({ status: 'unavailable', database: 'away' });
    expect(health.headers['retry-after']).toBe('2');
    await anybody.get('/health/ready').expect(503);
    await anybody.get('/health/live').expect(200);
    expect((await anybody.get('/version').expect(200)).body.database.version).toBeNull();
    const { text } = await client(adrift, TOKEN).get('/metrics').expect(200);
    expect(text).toContain('almanac_database_up 0');
    await adrift.close();
    await handle.close();
  });
});

describe('a database that takes connections and never says a word', () => {
  test('is away: requests are refused, not left hanging', async () => {
    const held = new Set<Socket>();
    const mute = createServer((socket) => held.add(socket)).listen(0, '127.0.0.1');
    await once(mute, 'listening');
    const { port } = mute.address() as AddressInfo;
    const handle = await openDatabase(
      { DATABASE_URL: `postgres://127.0.0.1:${port}/nobody`, DATA_DIR: '', DATABASE_POOL: 2 },
      () => undefined,
    );
    const adrift = await anApp({ database: { ...app.database, handle } });
    const [refused, { body, headers }] = await Promise.all([
      client(adrift, `alm_user_${'a'.repeat(16)}_${'b'.repeat(46)}`).get('/health/ready'),
      client(adrift, 'x'.repeat(40)).get('/memory/pull').expect(503),
    ]);
    expect(refused.status).toBe(503);
    expect(body.code).toBe('database_unavailable');
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    await adrift.close();
    for (const socket of held) socket.destroy();
    mute.close();
    await handle.close();
  });
});

describe('stopping', () => {
  test('readiness ends first, service after it', async () => {
    const own = await anApp({ database: app.database, env: { DRAIN_SECONDS: '1' } });
    const author = await aUser(own);
    const closed = own.close();
    const ready = await client(own, null).get('/health/ready').expect(503);
    expect(ready.body).toMatchObject({ status: 'stopping', database: 'ok' });
    expect(ready.headers['retry-after']).toBeDefined();
    await client(own, null).get('/health/live').expect(200);
    await author.post('/memory/push', { traces: [{ type: 'observation', content: 'in time' }] }).expect(201);
    await closed;
    await expect(fetch(`${own.url}/health/live`)).rejects.toThrow('fetch failed');
  });
});

describe('trace dump', () => {
  test('a snapshot in pages, with what stands about it', async () => {
    const author = await aUser(app);
    const seqs = await notes(author, 5);
    const { body: other } = await author.post('/memory/push', {
      traces: [{ type: 'reflection', content: 'r', task_id: 'a', timestamp: '2026-11-20T08:00:00Z' }],
    });
    const first = await author.post('/debug/trace-dump', { limit: 4 }).expect(200);
    expect(first.body.traces.map((t: { seq: number }) => t.seq)).toEqual(seqs.slice(0, 4));
    expect(first.body.metadata).toEqual({
      counts: { total: 6, by_type: { observation: 5, reflection: 1 } },
      seq: other[0].seq,
      ledger: { head: other[0].seq, verified: true },
      oldest: '2026-11-20T08:00:00.000Z',
      newest: '2026-11-21T09:00:00.000Z',
    });
    await notes(author, 3); // a walk is not moved by what is written meanwhile
    const next = /<([^>]+)>; rel="next"/.exec(first.headers['link'] ?? '')?.[1] ?? '';
    const second = await author.post(next, { limit: 4 }).expect(200);
    expect(second.body.traces.map((t: { seq: number }) => t.seq)).toEqual([seqs[4], other[0].seq]);
    expect(second.body.metadata).toMatchObject({ counts: { total: 6 }, seq: other[0].seq, ledger: { verified: null } });
    expect(second.headers['link']).toBeUndefined();
    await author.post(next, { limit: 4, type: 'reflection' }).expect(422);
  });

  test('filters, and answers from what was known then', async () => {
    const author = await aUser(app);
    const { body } = await author.post('/memory/push', {
      traces: [
        { type: 'observation', content: 'before', task_id: 'a' },
        { type: 'observation', content: 'gone' },
      ],
    });
    const then = body[1].seq;
    await author.patch('/memory/edit', { uid: body[0].uid, updates: { content: 'after' } }).expect(200);
    await author.delete(`/memory/remove?uid=${body[1].uid}`).expect(200);
    const contents = async (asked: object): Promise<string[]> =>
      (await author.post('/debug/trace-dump', asked).expect(200)).body.traces.map(
        (t: { content: string }) => t.content,
      );
    expect(await contents({})).toEqual(['after']);
    expect(await contents({ as_of: String(then) })).toEqual(['before', 'gone']);
    expect(await contents({ as_of: String(then), task_id: 'a' })).toEqual(['before']);
    expect(await contents({ type: 'reflection' })).toEqual([]);
  });
});

describe('audit', () => {
  test('an untouched ledger is whole; damage is located', async () => {
    const author = await aUser(app);
    const [seq] = await notes(author, 3);
    const sound = await author.get('/debug/audit').expect(200);
    expect(sound.body).toEqual({
      ok: true,
      outdated: 0,
      checked: 5,
      head: { seq: 5, hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
    await damage(
      app.database.handle.db,
      `update ledger set actor = 'nobody' where user_id = '${author.user_id}' and seq = ${seq}`,
    );
    const { body } = await author.get('/debug/audit').expect(200);
    expect(body).toMatchObject({ ok: false, checked: 2, head: { seq: 2 }, first_bad: { seq, why: 'entry_altered' } });
    expect((await author.post('/debug/trace-dump', {}).expect(200)).body.metadata.ledger.verified).toBe(false);
  });

  test('needs debug:read, which an agent has only when it was given', async () => {
    const allowed = await aKey(app, user, 'agent', ['debug:read']);
    const answers = [await user.agent.get('/debug/audit'), await allowed.get('/debug/audit')];
    expect(answers.map((a) => a.status)).toEqual([403, 200]);
  });
});

describe('metrics', () => {
  test('count requests, commits, plans and sockets', async () => {
    const own = await anApp({ database: app.database, env: { METRICS_TOKEN: TOKEN } });
    const author = await aUser(own);
    await notes(author, 1);
    await client(own, null).get('/memory/pull').expect(401);
    const socket = await follow(own.url, { token: author.token });
    const { text, headers } = await author.get('/metrics').expect(200);
    expect(headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(text).toMatch(
      /almanac_http_request_duration_seconds_count\{method="POST",route="\/memory\/push",status="201"\} 1/,
    );
    expect(text).toMatch(
      /almanac_http_request_duration_seconds_count\{method="GET",route="\/memory\/pull",status="401"\} 1/,
    );
    expect(text).toMatch(/almanac_ledger_commits_total 3/);
    expect(text).toMatch(/almanac_ledger_entries_total 3/);
    expect(text).toMatch(/almanac_problems_total\{code="unauthenticated"\} 1/);
    expect(text).toMatch(/almanac_http_requests_under_way 1/); // this one
    expect(text).toMatch(/almanac_workers 1/);
    expect(text).toMatch(/almanac_embedding_lag \d+/);
    expect(text).toMatch(/nodejs_eventloop_lag_p99_seconds/);
    expect(text).toMatch(/almanac_socket_clients 1/);
    expect(text).toMatch(/almanac_plans\{status="proposed"\} \d+/);
    expect(text).toMatch(/almanac_executor_lag_seconds 0/);
    expect(text).toMatch(/almanac_database_up 1/);
    expect(text).toMatch(/process_resident_memory_bytes \d+/);
    await socket.close();
    await own.close();
  });

  test('open to the scraper’s token and to debug:read, to nobody else', async () => {
    const asked: [string | null, string, number][] = [
      [TOKEN, '/metrics', 200],
      [TOKEN, '/v1/metrics', 200],
      [user.token, '/metrics', 200],
      [null, '/metrics', 401],
      [`${TOKEN}x`, '/metrics', 401],
      [user.agent.token, '/metrics', 403],
      [TOKEN, '/debug/audit', 401],
    ];
    for (const [token, path, status] of asked) expect((await client(app, token).get(path)).status).toBe(status);
  });

  test('tell of nobody in particular: no person, key or address that is not a route', async () => {
    const author = await aUser(app);
    const [seq] = await notes(author, 1);
    await author.get(`/memory/history?uid=none-${seq}`).expect(404);
    await author.get('/a/path/of/their/own').expect(404);
    const { text } = await client(app, TOKEN).get('/metrics').expect(200);
    for (const personal of [author.user_id, author.email, 'none-', '/a/path']) expect(text).not.toContain(personal);
    const routes = new Set([...text.matchAll(/route="([^"]*)"/g)].map((m) => m[1]));
    expect([...routes].filter((path) => !app.routes.some((r) => r.path === path))).toEqual([]);
    const labels = new Set([...text.matchAll(/[{,]([a-z_]+)="/g)].map((m) => m[1]));
    expect([...labels].filter((l) => /user|email|key|uid|ip|address/.test(l as string))).toEqual([]);
  });

  test('an unset token opens nothing', async () => {
    const own = await anApp({ database: app.database });
    expect((await client(own, 'undefined').get('/metrics')).status).toBe(401);
    await own.close();
  });
});

describe('documentation', () => {
  test('the page loads its parts from this service, and its policy allows nothing else', async () => {
    const { text, headers } = await request(app.server).get('/docs').expect(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(text).not.toMatch(/(src|href)="?(https?:)?\/\//);
    expect(text).not.toMatch(/<script>| on[a-z]+="| style="/);
    const policy = String(headers['content-security-policy']);
    for (const rule of ["default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'"])
      expect(policy.split('; ')).toContain(rule);
    for (const [, path] of text.matchAll(/src="([^"]+)"/g))
      for (const base of ['', '/v1']) await request(app.server).get(`${base}/${path}`).expect(200);
  });

  test('the script is that of the named version of Scalar, packed or not', async () => {
    for (const encoding of ['br', 'identity']) {
      const { text, headers } = await request(app.server)
        .get('/docs/scalar.js')
        .set('Accept-Encoding', encoding)
        .expect(200);
      expect(headers['content-encoding']).toBe(encoding === 'br' ? 'br' : undefined);
      expect(text).toContain(`@scalar/api-reference ${SCALAR.version}`);
      expect(hash('sha256', text)).toBe(SCALAR.sha256);
    }
  });

  test('each operation has a sample of the client', async () => {
    const { body } = await request(app.server).get('/docs/openapi.json').expect(200);
    const { paths } = body as { paths: Record<string, Record<string, { 'x-codeSamples': [{ source: string }] }>> };
    expect(Object.keys(paths)).toEqual(Object.keys((await app.openapi()).paths));
    expect(paths['/agent/approve']?.['post']?.['x-codeSamples'][0].source).toContain(
      'client.http.POST(\'/agent/approve\', {\n  body: {\n    uid: "call-supplier",',
    );
  });

  test('llms.txt names every operation and how to call it', async () => {
    const { text, headers } = await request(app.server).get('/llms.txt').expect(200);
    expect(headers['content-type']).toBe('text/markdown; charset=utf-8');
    expect(text).toMatch(/^# Almanac\n\n> /);
    expect(text).toContain('Authorization: Bearer');
    for (const [path, item] of Object.entries((await app.openapi()).paths))
      for (const [method, { summary }] of Object.entries(item))
        expect(text).toContain(`\n- ${method.toUpperCase()} ${path}: ${summary}\n`);
  });

  test('is found from the front door, and as JSON', async () => {
    const door = await request(app.server).get('/').expect(302);
    expect(door.headers['location']).toBe('console/');
    const { body } = await request(app.server).get('/v1/openapi.json').expect(200);
    expect(body).toMatchObject({ openapi: '3.1.1', info: { title: 'Almanac' } });
  });
});
