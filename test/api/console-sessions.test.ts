/** Sessions of the console: the refresh token in a cookie, the link that `npm start` prints, and the files themselves. */
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aKey, anApp, aUser, client, type Client, type TestApp, type TestUser } from '../support/app.ts';
import { refusal } from '../support/follower.ts';

let app: TestApp;
let user: TestUser;
beforeAll(async () => {
  app = await anApp();
  user = await aUser(app);
});
afterAll(() => app.close());

const own = (): string => app.url;
const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  request(app.url).post(path).set(headers).send(body);
const login = (headers: Record<string, string>) =>
  post('/user/login', { email: user.email, password: user.password, refresh_in: 'cookie' }, headers);
const setCookie = (answer: { headers: Record<string, unknown> }): string =>
  (answer.headers['set-cookie'] as string[] | undefined)?.[0] ?? '';
const pairOf = (answer: { headers: Record<string, unknown> }): string => setCookie(answer).split(';')[0] as string;

describe('the refresh token in a cookie', () => {
  test('is set by a login of our own page, is for one path only, and is not in the answer', async () => {
    const answer = await login({ Origin: own() }).expect(200);
    expect(answer.body.refresh_token).toBe('');
    expect(setCookie(answer)).toMatch(
      /^almanac_refresh=[\w.-]{60,}; Path=\/user\/refresh; Max-Age=2592000; HttpOnly; SameSite=Strict$/,
    );
    await client(app, answer.body.token).get('/user/profile').expect(200);
  });

  test('is Secure where the page came over TLS', async () => {
    const answer = await login({ Origin: own().replace('http:', 'https:') }).expect(200);
    expect(setCookie(answer)).toMatch(/; Secure$/);
  });

  test.each([
    ['another site', () => ({ Origin: 'https://example.com' })],
    ['another port of this machine', () => ({ Origin: 'http://127.0.0.1:1' })],
    ['an opaque origin', () => ({ Origin: 'null' })],
    ['no page', () => ({})],
  ])('is not set for %s', async (_whose, headers) => {
    const answer = await login(headers() as Record<string, string>).expect(403);
    expect(answer.body.code).toBe('forbidden_origin');
    expect(answer.headers['set-cookie']).toBe(undefined);
  });

  test('is replaced by each refresh, and the old one ends the login', async () => {
    const first = await login({ Origin: own() }).expect(200);
    const headers = { Origin: own(), Cookie: `other=1; ${pairOf(first)}` };
    const second = await post('/user/refresh', {}, headers).expect(200);
    expect(second.body.refresh_token).toBe('');
    expect(pairOf(second)).not.toBe(pairOf(first));
    app.clock.advance(60_001);
    await post('/user/refresh', {}, headers).expect(401);
    await post('/user/refresh', {}, { Origin: own(), Cookie: pairOf(second) }).expect(401);
  });

  test('does nothing for another page, which also does not use it up', async () => {
    const cookie = pairOf(await login({ Origin: own() }).expect(200));
    for (const headers of [{ Origin: 'http://localhost:3000' }, { Origin: 'null' }, {}])
      await post('/user/refresh', {}, { ...headers, Cookie: cookie }).expect(403);
    await post('/user/refresh', {}, { Origin: own(), Cookie: cookie }).expect(200);
  });

  test('is asked for where a refresh has neither body nor cookie', async () => {
    const { body } = await post('/user/refresh', {}, { Origin: own() }).expect(401);
    expect(body.detail).toMatch('neither in the body nor in the cookie');
  });

  test('is not set for clients of the API, whose body has the token', async () => {
    const answer = await post('/user/login', { email: user.email, password: user.password }).expect(200);
    expect(answer.headers['set-cookie']).toBe(undefined);
    const next = await post('/user/refresh', { refresh_token: answer.body.refresh_token }).expect(200);
    expect(next.headers['set-cookie']).toBe(undefined);
    expect(next.body.refresh_token).toMatch(/^[\w.-]{60,}$/);
  });

  test('is cleared by a logout', async () => {
    const { body } = await login({ Origin: own() }).expect(200);
    const answer = await client(app, body.token).post('/user/logout', {}).set('Origin', own()).expect(200);
    expect(setCookie(answer)).toMatch(/^almanac_refresh=; Path=\/user\/refresh; Max-Age=0;/);
  });
});

describe('behind a proxy', () => {
  const PUBLIC = 'https://almanac.example.org';
  /** What nginx passes by its defaults: the Host of the service. */
  const signIn = (at: TestApp, headers: Record<string, string>) =>
    request(at.url)
      .post('/user/login')
      .set({ Host: '127.0.0.1:8080', ...headers })
      .send({ email: user.email, password: user.password, refresh_in: 'cookie' });

  test('that passes another Host, a page of PUBLIC_URL signs in, and no other page', async () => {
    const behind = await anApp({ database: app.database, env: { PUBLIC_URL: `${PUBLIC}/`, TRUST_PROXY: '1' } });
    const answer = await signIn(behind, { Origin: PUBLIC }).expect(200);
    expect(setCookie(answer)).toMatch(/; Secure$/);
    for (const origin of [`${PUBLIC}.evil.example`, 'http://almanac.example.org', `${PUBLIC}:8443`, `${PUBLIC}/x`])
      expect((await signIn(behind, { Origin: origin })).status).toBe(403);
    await behind.close();
  });

  test('the refusal says which Host was passed, and what to do', async () => {
    const { body } = await signIn(app, { Origin: PUBLIC }).expect(403);
    expect(body.detail).toContain(`If ${PUBLIC} is the address of this service`);
    expect(body.detail).toContain('must pass the header Host as the browser sent it (it passed 127.0.0.1:8080)');
    expect(body.detail).toContain('or PUBLIC_URL must be this address');
  });

  test('X-Forwarded-Host counts only with TRUST_PROXY', async () => {
    const headers = { Origin: PUBLIC, 'X-Forwarded-Host': 'almanac.example.org' };
    await signIn(app, headers).expect(403);
    const trusting = await anApp({ database: app.database, env: { TRUST_PROXY: '1' } });
    await signIn(trusting, headers).expect(200);
    await signIn(trusting, { ...headers, 'X-Forwarded-Host': 'almanac.example.org, proxy.internal' }).expect(200);
    await trusting.close();
  });

  test('the host of a page is compared with its port, whatever the letter case', async () => {
    await signIn(app, { Host: 'Almanac.Example.org:443', Origin: PUBLIC }).expect(200);
    await signIn(app, { Host: 'almanac.example.org:80', Origin: PUBLIC }).expect(403);
  });
});

describe('the login link', () => {
  const ticket = async (): Promise<string> => (await app.services.links.issueForOwner()) as string;
  beforeAll(async () => {
    await app.database.handle.db
      .updateTable('users')
      .set({ admin: true })
      .where('user_id', '=', user.user_id)
      .execute();
  });

  test('opens one session of the owner', async () => {
    const sent = await ticket();
    const { body } = await post('/user/login-link', { ticket: sent, refresh_in: 'cookie' }, { Origin: own() }).expect(
      200,
    );
    expect(body.user.user_id).toBe(user.user_id);
    await client(app, body.token).get('/user/profile').expect(200);
    await post('/user/login-link', { ticket: sent }).expect(401);
  });

  test('is used up even where two use it at the same time', async () => {
    const sent = await ticket();
    const statuses = await Promise.all(
      [1, 2, 3].map(async () => (await post('/user/login-link', { ticket: sent })).status),
    );
    expect(statuses.toSorted()).toEqual([200, 401, 401]);
  });

  test('is valid for ten minutes', async () => {
    const [early, late] = [await ticket(), await ticket()];
    app.clock.advance(9.9 * 60_000);
    await post('/user/login-link', { ticket: early }).expect(200);
    app.clock.advance(0.2 * 60_000);
    await post('/user/login-link', { ticket: late }).expect(401);
  });

  test('opens no socket, and a socket ticket opens no session', async () => {
    const sent = await ticket();
    const { body } = await user.post('/user/ws-ticket', {}).expect(200);
    await post('/user/login-link', { ticket: body.ticket }).expect(401);
    const socket = await new Promise<string>((resolve) => {
      const opened = new WebSocket(`${app.url.replace('http', 'ws')}/ws?ticket=${sent}`);
      opened.addEventListener('open', () => resolve('open'));
      opened.addEventListener('error', () => resolve('refused'));
    });
    expect(socket).toBe('refused');
    await post('/user/login-link', { ticket: sent }).expect(200);
  });

  test('is nothing after a change of the password', async () => {
    const sent = await ticket();
    const password = 'another horse, another battery';
    await user.patch('/user/update', { updates: { password, current_password: user.password } }).expect(200);
    await post('/user/login-link', { ticket: sent }).expect(401);
  });
});

describe('a login link that a person makes', () => {
  const make = async (who: Client): Promise<string> => {
    const { body } = await who.post('/user/login-links', {}).expect(201);
    return String(body.link).split('#ticket=')[1] as string;
  };
  const use = (ticket: string) => post('/user/login-link', { ticket });
  const another = async (of: TestUser): Promise<Client> => {
    const { email, password } = of;
    return client(app, (await post('/user/login', { email, password }).expect(200)).body.token);
  };

  test('signs that person in once, and leads to the console', async () => {
    const person = await aUser(app);
    const { body } = await person.post('/user/login-links', {}).expect(201);
    expect(body.link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/console\/#ticket=[\w.-]{60,}$/);
    expect(Date.parse(body.expires_at) - app.clock.millis()).toBe(10 * 60_000);
    const ticket = body.link.split('#ticket=')[1];
    const session = (await use(ticket).expect(200)).body;
    expect(session.user.user_id).toBe(person.user_id);
    const phone = client(app, session.token);
    expect((await phone.get('/user/sessions').expect(200)).body).toHaveLength(2);
    await use(ticket).expect(401);
    // The login of the phone lasts when the one that made the link has ended, and makes links too.
    await person.post('/user/logout', {}).expect(200);
    await use(await make(phone)).expect(200);
  });

  test('leads to PUBLIC_URL', async () => {
    const person = await aUser(app);
    const env = { PUBLIC_URL: 'https://almanac.example.org/api/' };
    const behind = await anApp({ database: app.database, env });
    const { body } = await client(behind, person.token).post('/user/login-links', {}).expect(201);
    expect(body.link).toMatch('https://almanac.example.org/api/console/#ticket=');
    await behind.close();
  });

  test('is valid for ten minutes', async () => {
    const person = await aUser(app);
    const [early, late] = [await make(person), await make(person)];
    app.clock.advance(9.9 * 60_000);
    await use(early).expect(200);
    app.clock.advance(0.2 * 60_000);
    expect((await use(late).expect(401)).body.code).toBe('unauthenticated');
  });

  test.each<[string, (person: TestUser) => Promise<unknown>]>([
    [
      'a change of the password',
      ({ password, ...person }) =>
        person.patch('/user/update', {
          updates: { password: 'another horse, another battery', current_password: password },
        }),
    ],
    ['a logout', (person) => person.post('/user/logout', {})],
    ['a logout everywhere', (person) => person.post('/user/logout', { everywhere: true })],
    ['the end of all other logins, of its own', (person) => person.delete('/user/sessions?others=true')],
    [
      'the end of all other logins, of another one',
      async (person) => (await another(person)).delete('/user/sessions?others=true'),
    ],
  ])('is nothing after %s', async (_what, end) => {
    const person = await aUser(app);
    const ticket = await make(person);
    expect(await end(person)).toHaveProperty('status', 200);
    expect((await use(ticket)).status).toBe(401);
  });

  test('stays where another login ends', async () => {
    const person = await aUser(app);
    const other = await another(person);
    const ticket = await make(person);
    await other.post('/user/logout', {}).expect(200);
    expect((await use(ticket)).status).toBe(200);
  });

  test('is refused for every key, and for somebody else', async () => {
    const person = await aUser(app);
    const agent = await person.agent.post('/user/login-links', {}).expect(403);
    expect(agent.body).toMatchObject({ code: 'insufficient_scope', missing: ['keys:manage'] });
    const key = await aKey(app, person, 'user');
    expect((await key.post('/user/login-links', {}).expect(403)).body.code).toBe('login_required');
    const narrow = await aKey(app, person, 'user', ['keys:manage']);
    expect((await narrow.post('/user/login-links', {}).expect(403)).body.code).toBe('login_required');
    const named = { user_id: (await aUser(app)).user_id };
    expect((await person.post('/user/login-links', named)).status).toBe(422);
    await app.database.handle.db
      .updateTable('users')
      .set({ admin: true })
      .where('user_id', '=', person.user_id)
      .execute();
    expect((await (await another(person)).post('/user/login-links', named)).status).toBe(422);
  });

  test('opens no socket, and a socket ticket opens no login', async () => {
    const person = await aUser(app);
    const ticket = await make(person);
    const { body } = await person.post('/user/ws-ticket', {}).expect(200);
    await use(body.ticket).expect(401);
    expect(await refusal(app.url, { path: `/ws?ticket=${ticket}` })).toMatchObject({ status: 401 });
    await use(ticket).expect(200);
  });

  test('is not repeated for an Idempotency-Key, and is stored as a hash', async () => {
    const person = await aUser(app);
    const asked = () => person.post('/user/login-links', {}).set('Idempotency-Key', 'make-a-link');
    const { link } = (await asked().expect(201)).body;
    expect((await asked().expect(409)).body.code).toBe('idempotency_secret');
    const { db } = app.database.handle;
    const stored = await Promise.all([
      db.selectFrom('tickets').selectAll().execute(),
      db.selectFrom('idempotency_keys').selectAll().execute(),
    ]);
    expect(JSON.stringify(stored)).not.toContain(link.slice(-43));
  });

  test('has at most twenty that wait, beside the tickets of sockets', async () => {
    const person = await aUser(app);
    const tickets: string[] = [];
    for (let i = 0; i < 20; i++) tickets.push(await make(person));
    const refused = await person.post('/user/login-links', {}).expect(429);
    expect(refused.body.code).toBe('too_many_tickets');
    expect(refused.headers['retry-after']).toBe('600');
    const sockets = await Promise.all(Array.from({ length: 100 }, () => person.post('/user/ws-ticket', {})));
    expect(sockets.every(({ status }) => status === 200)).toBe(true);
    await (await aUser(app)).post('/user/login-links', {}).expect(201);
    await use(tickets[0] as string).expect(200);
    await make(person);
    app.clock.advance(10 * 60_000);
    await make(person);
  });
});

describe('the files of the console', () => {
  const get = (path: string, headers: Record<string, string> = {}) => request(app.url).get(path).set(headers);

  test('are found from /', async () => {
    expect((await get('/').expect(302)).headers['location']).toBe('console/');
    expect((await get('/console').expect(301)).headers['location']).toBe('console/');
  });

  test('are a page that may load and call nothing but this service', async () => {
    const page = await get('/console/').expect(200);
    const policy = String(page.headers['content-security-policy']);
    expect(policy).toMatch("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).toMatch("require-trusted-types-for 'script'");
    expect(policy).not.toMatch('unsafe');
    expect(page.headers['cache-control']).toBe('no-cache');
    expect(page.text).not.toMatch(/<script(?![^>]* src=)|<style|style=|https?:/);
    expect((await get('/console/queue').expect(200)).text).toBe(page.text);
    await get('/console/', { 'If-None-Match': String(page.headers['etag']) }).expect(304);
  });

  test('have names that change with their content, and are compressed', async () => {
    const { text } = await get('/console/').expect(200);
    const names = [...text.matchAll(/(?:src|href)="([\w-]+\.(?:js|css))"/g)].map(([, name = '']) => name);
    expect(names.length).toBeGreaterThanOrEqual(2);
    for (const name of names) {
      const plain = await get(`/console/${name}`, { 'Accept-Encoding': 'identity' }).buffer().expect(200);
      expect(plain.headers['cache-control']).toBe('public, max-age=31536000, immutable');
      const response = await fetch(`${app.url}/console/${name}`, { headers: { 'Accept-Encoding': 'gzip' } });
      expect(response.headers.get('content-encoding')).toBe('gzip');
      expect(await response.text()).toBe(plain.text);
    }
  });

  test.each(['/console/nothing.js', '/console/../package.json', '/console/a/b', '/console/%2e%2e/x.js'])(
    '%s is 404',
    async (path) => {
      const { status } = await get(path);
      expect(status).toBe(404);
    },
  );

  test('are only read', async () => {
    expect((await post('/console/', {})).status).toBe(404);
  });
});
