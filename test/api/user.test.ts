/** Credentials as people and attackers meet them: login, refresh rotation, keys, scopes, revocation, profile. */
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aKey, anApp, aUser, client, type TestApp } from '../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await anApp();
});
afterAll(() => app.close());

const anyone = () => client(app, null);

describe('login', () => {
  test('answers a token that works, and the user', async () => {
    const user = await aUser(app);
    const { body } = await anyone()
      .post('/user/login', { email: user.email.toUpperCase(), password: user.password })
      .expect(200);
    expect(body).toMatchObject({
      token_type: 'Bearer',
      user: { user_id: user.user_id, email: user.email, timezone: 'Europe/Berlin' },
    });
    expect(Date.parse(body.expires_at) - app.clock.millis()).toBe(3_600_000);
    await client(app, body.token).get('/memory/pull').expect(200);
  });

  test('unknown account and wrong password answer alike, and are throttled alike', async () => {
    const user = await aUser(app);
    const guess = (email: string) => anyone().post('/user/login', { email, password: 'wrong password' });
    const wrong = await guess(user.email).expect(401);
    const unknown = await guess('nobody@example.org').expect(401);
    const { request_id: _a, ...one } = wrong.body;
    const { request_id: _b, ...two } = unknown.body;
    expect(one).toEqual(two);
    for (const email of [user.email, 'nobody@example.org']) {
      for (let i = 0; i < 9; i++) await guess(email).expect(401);
      const { headers, body } = await guess(email).expect(429);
      expect(body.code).toBe('too_many_logins');
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    }
    // The right password does not help while throttled.
    await anyone().post('/user/login', { email: user.email, password: user.password }).expect(429);
  });

  test('a right password gives the attempts back', async () => {
    const user = await aUser(app);
    for (let i = 0; i < 15; i++) {
      await anyone()
        .post('/user/login', { email: user.email, password: i % 2 ? user.password : 'wrong password' })
        .expect(i % 2 ? 200 : 401);
    }
  });

  test('tokens end after an hour, and forged ones never begin', async () => {
    const own = await anApp({ database: app.database });
    const user = await aUser(own);
    await user.get('/memory/pull').expect(200);
    const [head = '', payload = ''] = (user.token as string).split('.');
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const none = `${encode({ alg: 'none', typ: 'JWT' })}.${payload}.`;
    const otherKey = `${head}.${payload}.${createHmac('sha256', 'guess').update(`${head}.${payload}`).digest('base64url')}`;
    for (const forged of [none, otherKey]) await client(own, forged).get('/memory/pull').expect(401);
    own.clock.advance(3_601_000);
    await user.get('/memory/pull').expect(401);
    await own.close();
  });
});

describe('refresh', () => {
  test('rotates; reuse of an old token ends the family, tokens included', async () => {
    const user = await aUser(app);
    const refresh = (refresh_token: string) => anyone().post('/user/refresh', { refresh_token });
    const second = (await refresh(user.refresh_token).expect(200)).body;
    await client(app, second.token).get('/memory/pull').expect(200);
    app.clock.advance(60_001);
    await refresh(user.refresh_token).expect(401); // stolen and used again
    await refresh(second.refresh_token).expect(401);
    await expect
      .poll(async () => (await client(app, second.token).get('/memory/pull')).status, { timeout: 2000 })
      .toBe(401);
    await refresh('nonsense').expect(401);
  });

  test('a lost answer can be asked for again, until its token is used', async () => {
    const user = await aUser(app);
    const refresh = (refresh_token: string) => anyone().post('/user/refresh', { refresh_token });
    const both = await Promise.all([1, 2].map(() => refresh(user.refresh_token).expect(200)));
    app.clock.advance(59_000);
    const again = (await refresh(user.refresh_token).expect(200)).body;
    const successors = [...both.map((r) => r.body), again].map((body) => body.refresh_token as string);
    expect(new Set(successors).size).toBe(1);
    await client(app, again.token).get('/memory/pull').expect(200);
    const third = (await refresh(again.refresh_token).expect(200)).body;
    await refresh(user.refresh_token).expect(401); // its successor is used: somebody else has the token
    await refresh(third.refresh_token).expect(401);
  });
});

describe('the list of logins', () => {
  const login = async (user: { email: string; password: string }, agent: string) =>
    (await anyone().post('/user/login', { email: user.email, password: user.password }).set('User-Agent', agent)).body;

  test('says where and when each began, and ends one or all others', async () => {
    const user = await aUser(app);
    const other = await aUser(app);
    app.clock.advance(1000);
    const began = app.clock.now();
    const [phone, laptop] = [await login(user, 'Phone/1'), await login(user, 'x'.repeat(5000))];
    app.clock.advance(1000);
    const later = (await anyone().post('/user/refresh', { refresh_token: phone.refresh_token }).expect(200)).body;
    const here = client(app, later.token);
    const list = (await here.get('/user/sessions').expect(200)).body as { id: string; client: string }[];
    expect(list).toHaveLength(3);
    const [mine, its] = [list.find((s) => s.client === 'Phone/1'), list.find((s) => s.client?.startsWith('xxx'))];
    expect(mine).toMatchObject({ current: true, started_at: began, last_used_at: app.clock.now() });
    expect(its).toMatchObject({ current: false, started_at: began, client: 'x'.repeat(300) });
    const first = await here.get('/user/sessions?limit=1').expect(200);
    expect(first.headers['link']).toMatch('rel="next"');
    await other.delete(`/user/sessions?id=${its?.id}`).expect(404);
    await here.delete(`/user/sessions?id=${its?.id}`).expect(200, { ended: 1 });
    await anyone().post('/user/refresh', { refresh_token: laptop.refresh_token }).expect(401);
    await here.delete(`/user/sessions?id=${its?.id}`).expect(404);
    await here.delete('/user/sessions?others=true').expect(200, { ended: 1 });
    await here.delete('/user/sessions?others=true').expect(200, { ended: 0 });
    expect((await here.get('/user/sessions')).body.map((s: { id: string }) => s.id)).toEqual([mine?.id]);
    for (const wrong of ['', '?others=false', `?id=${mine?.id}&others=true`])
      await here.delete(`/user/sessions${wrong}`).expect(422);
    expect((await user.agent.get('/user/sessions').expect(403)).body.missing).toEqual(['keys:manage']);
    await user.agent.delete('/user/sessions?others=true').expect(403);
    expect((await other.get('/user/sessions')).body).toHaveLength(1);
  });
});

describe('registration', () => {
  test('refuses what is weak, long, taken or switched off', async () => {
    const user = await aUser(app);
    const register = (body: object) => anyone().post('/user/register', body);
    expect((await register({ email: 'x', password: 'short' }).expect(422)).body.errors).toHaveLength(2);
    await register({ email: 'long@example.org', password: 'ü'.repeat(37) }).expect(422); // 74 bytes
    const common = await register({ email: 'weak@example.org', password: 'Password123' }).expect(422);
    expect(common.body.errors[0]).toMatchObject({ path: '/password', code: 'guessable' });
    await register({ email: 'zone@example.org', password: 'correct horse', timezone: 'Mars/Olympus' }).expect(422);
    expect((await register({ email: user.email.toUpperCase(), password: 'correct horse' }).expect(409)).body.code).toBe(
      'email_taken',
    );
    const closed = await anApp({ env: { ALLOW_REGISTRATION: 'false' }, database: app.database });
    expect(
      (
        await client(closed, null)
          .post('/user/register', { email: 'a@example.org', password: 'correct horse' })
          .expect(404)
      ).body.code,
    ).toBe('registration_closed');
    await closed.close();
  });
});

describe('keys', () => {
  test('are shown once, listed without secret, revoked at once', async () => {
    const user = await aUser(app);
    const made = await user.post('/user/keys', { kind: 'user', label: 'laptop', scopes: ['memory:read'] }).expect(201);
    expect(made.body.key).toMatch(/^alm_user_[0-9a-z]{16}_[0-9a-z]{46}$/);
    const key = client(app, made.body.key);
    await key.get('/memory/pull').expect(200);
    const { body: list } = await user.get('/user/keys').expect(200);
    expect(JSON.stringify(list)).not.toContain(made.body.key.slice(-40));
    expect(list.map((k: { label: string }) => k.label).sort()).toEqual(['agent', 'laptop']);
    await user.delete(`/user/keys?id=${made.body.id}`).expect(200);
    await expect.poll(async () => (await key.get('/memory/pull')).status).toBe(401);
    await user.delete(`/user/keys?id=${made.body.id}`).expect(404);
  });

  test('an agent key can never hold what is a person’s', async () => {
    const user = await aUser(app);
    for (const scope of [
      'plan:decide',
      'calendar:write',
      'tempo:write',
      'keys:manage',
      'user:write',
      'export:sensitive',
      'admin',
    ]) {
      const { body } = await user
        .post('/user/keys', { kind: 'agent', label: 'x', scopes: ['memory:read', scope] })
        .expect(422);
      expect(body.errors[0]).toMatchObject({ path: '/scopes/1', code: 'impossible_scope' });
    }
    await user.post('/user/keys', { kind: 'user', label: 'x', scopes: ['admin'] }).expect(422); // not an administrator
    const { body } = await user.post('/user/keys', { kind: 'agent', label: 'x' }).expect(201);
    expect(body.scopes.toSorted()).toEqual([
      'calendar:read',
      'export:read',
      'memory:read',
      'memory:write',
      'plan:execute',
      'plan:propose',
      'plan:read',
      'tempo:read',
    ]);
  });

  test('expire', async () => {
    const own = await anApp({ database: app.database });
    const user = await aUser(own);
    const { body } = await user
      .post('/user/keys', { kind: 'agent', label: 'x', expires_at: '2026-11-21T10:30:00+01:00' })
      .expect(201);
    const key = client(own, body.key);
    await key.get('/memory/pull').expect(200);
    own.clock.set('2026-11-21T09:30:00.000Z');
    await key.get('/memory/pull').expect(401);
    await user.post('/user/keys', { kind: 'agent', label: 'x', expires_at: '2020-01-01' }).expect(422);
    await own.close();
  });

  test('can’t hand out more than they were given, and someone else’s can’t be revoked', async () => {
    const user = await aUser(app);
    const narrow = await aKey(app, user, 'user', ['keys:manage', 'memory:read']);
    const { body } = await narrow.post('/user/keys', { kind: 'user', label: 'wider' }).expect(201);
    expect(body.scopes.toSorted()).toEqual(['keys:manage', 'memory:read']);
    await narrow.post('/user/keys', { kind: 'user', label: 'wider', scopes: ['user:write'] }).expect(403);
    const other = await aUser(app);
    await other.delete(`/user/keys?id=${narrow.id}`).expect(404);
  });
});

describe('who am I', () => {
  test('a login, a key and an agent are told what they are', async () => {
    const user = await aUser(app);
    const own = await user.get('/user/whoami').expect(200);
    expect(own.body).toMatchObject({ user_id: user.user_id, kind: 'user', key_id: null, label: null });
    expect(own.body).toMatchObject({ timezone: 'Europe/Berlin', expires_at: expect.any(String) });
    expect(own.body.scopes).toContain('plan:decide');
    const key = await aKey(app, user, 'agent', ['export:read']);
    expect((await key.get('/user/whoami').expect(200)).body).toEqual({
      ...{ user_id: user.user_id, kind: 'agent', key_id: key.id, label: 'test' },
      ...{ scopes: ['export:read'], timezone: 'Europe/Berlin', expires_at: null },
    });
  });

  test('user_id=me is the caller, wherever a user is named', async () => {
    const user = await aUser(app);
    const other = await aUser(app);
    expect((await user.get('/user/profile?user_id=me').expect(200)).body.user_id).toBe(user.user_id);
    await user.patch('/user/update', { user_id: 'me', updates: { display_name: 'Me' } }).expect(200);
    expect((await user.get('/user/profile').expect(200)).body.display_name).toBe('Me');
    const trace = { user_id: 'me', type: 'observation', content: 'mine' };
    await user.post('/memory/push', { user_id: 'me', traces: [trace] }).expect(201);
    expect((await user.get('/memory/pull?user_id=me').expect(200)).body[0].user_id).toBe(user.user_id);
    const named = `/user/profile?user_id=${other.user_id}`;
    expect((await user.get(named).expect(403)).body.code).toBe('other_user');
  });
});

describe('profile', () => {
  test('is read and changed by merge patch, with versions', async () => {
    const user = await aUser(app);
    const read = await user.get('/user/profile').expect(200);
    expect(read.body).toMatchObject({
      user_id: user.user_id,
      email: user.email,
      settings: { execution: 'automatic', limits: { budget: { per_day: null } } },
    });
    expect(read.headers['etag']).toBe('"1"');
    const changed = await user
      .patch('/user/update', { updates: { timezone: 'Asia/Tokyo', limits: { budget: { per_day: 3 } } } })
      .set('If-Match', '"1"')
      .expect(200);
    expect(changed.body).toMatchObject({
      timezone: 'Asia/Tokyo',
      settings: { limits: { budget: { per_day: 3, per_week: null } } },
    });
    expect(
      (
        await user
          .patch('/user/update', { updates: { display_name: 'A' } })
          .set('If-Match', '"1"')
          .expect(412)
      ).body.code,
    ).toBe('version_mismatch');
    await user.patch('/user/update', { updates: { limits: { budget: { per_day: -1 } } } }).expect(422);
    await user.patch('/user/update', { updates: { limits: { colour: 1 } } }).expect(422);
    const rule = { id: 'One', action_type: 'reflect', max: 1, per: 'day' };
    const wrong = { budget: { per_day: -1 }, cadence: [rule], only_in_tempo: 'yes', colour: 1 };
    const updates = { limits: wrong, memory: { recency_half_life_days: 0 }, timezone: 'Mars/Olympus', size: 1 };
    const { errors } = (await user.patch('/user/update', { updates }).expect(422)).body;
    expect(errors.map(({ path }: { path: string }) => path).toSorted()).toEqual([
      '/updates/limits/budget/per_day',
      '/updates/limits/cadence/0/id',
      '/updates/limits/colour',
      '/updates/limits/only_in_tempo',
      '/updates/memory/recency_half_life_days',
      '/updates/size',
      '/updates/timezone',
    ]);
    const { body } = await user.patch('/user/update', { updates: { limits: null, execution: 'manual' } }).expect(200);
    expect(body.settings).toMatchObject({ execution: 'manual', limits: { budget: { per_day: null } } });
  });

  test('the new zone reads wall times from then on', async () => {
    const user = await aUser(app);
    await user.patch('/user/update', { updates: { timezone: 'Asia/Tokyo' } }).expect(200);
    const { body } = await user
      .post('/memory/push', { traces: [{ type: 'observation', content: 'x', timestamp: '2026-11-20T09:00' }] })
      .expect(201);
    expect(body[0].timestamp).toBe('2026-11-20T00:00:00.000Z');
  });

  test('a new password needs the old one and ends other sessions', async () => {
    const user = await aUser(app);
    await user.patch('/user/update', { updates: { password: 'another horse battery' } }).expect(422);
    await user
      .patch('/user/update', { updates: { password: 'another horse battery', current_password: 'wrong' } })
      .expect(422);
    await user
      .patch('/user/update', { updates: { password: 'another horse battery', current_password: user.password } })
      .expect(200);
    await expect.poll(async () => (await user.get('/memory/pull')).status, { timeout: 2000 }).toBe(401);
    await anyone().post('/user/login', { email: user.email, password: user.password }).expect(401);
    await anyone().post('/user/login', { email: user.email, password: 'another horse battery' }).expect(200);
    await user.agent.get('/memory/pull').expect(200); // keys live on until revoked
  });
});
