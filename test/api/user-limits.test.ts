/** What an account can make grow has an end, which is told; and what opens accounts can't be hurried or forged. */
import { createHmac, generateKeyPairSync } from 'node:crypto';
import bcrypt from 'bcrypt';
import jwt from 'jsonwebtoken';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createPasswords } from '../../src/user/passwords.ts';
import { aKey, anApp, aUser, client, type TestApp } from '../support/app.ts';
import { follow } from '../support/follower.ts';

const SECRET = 'a secret for tests that is long enough';

let app: TestApp;
beforeAll(async () => {
  app = await anApp();
});
afterAll(() => app.close());

const anyone = (at = app) => client(at, null);

describe('passwords', () => {
  test('an unknown account and a wrong password take the same work', async () => {
    const passwords = createPasswords(10);
    const hash = await passwords.hash('the right password');
    const compare = vi.spyOn(bcrypt, 'compare');
    onTestFinished(() => compare.mockRestore());
    for (const of of [hash, undefined]) expect(await passwords.matches('a wrong password', of)).toBe(false);
    const compared = compare.mock.calls.map(([, of]) => of);
    expect(compared.map((of) => bcrypt.getRounds(of))).toEqual([10, 10]);
    // bcrypt refuses at once what is no salt, or no whole hash.
    for (const of of compared) {
      expect(of).toMatch(/^\$2b\$\d\d\$[./A-Za-z0-9]{53}$/);
      expect(await bcrypt.hash('a wrong password', of.slice(0, 29))).toHaveLength(60);
    }
    expect(await passwords.matches('the right password', hash)).toBe(true);
  });

  test('more than 72 bytes match nothing, though bcrypt would look at 72 only', async () => {
    const passwords = createPasswords(4);
    const hash = await passwords.hash('x'.repeat(72));
    expect(await passwords.matches('x'.repeat(72), hash)).toBe(true);
    expect(await passwords.matches('x'.repeat(73), hash)).toBe(false);
  });

  test('a crowd waits in line, and beyond the line is sent away with a time to come back', async () => {
    const passwords = createPasswords(10);
    const under = Array.from({ length: 2 + 32 }, () => passwords.matches('guess', undefined));
    expect(passwords.admit).toThrow('at the moment');
    try {
      passwords.admit();
    } catch (error) {
      expect(error).toMatchObject({ code: 'too_many_logins', options: { headers: { 'Retry-After': '2' } } });
    }
    await Promise.all(under);
    expect(passwords.admit()).toBeUndefined();
  });
});

describe('registration', () => {
  test('is limited by address where the rate is, whatever comes of it', async () => {
    const strict = await anApp({ env: { RATE_LIMIT_PER_MINUTE: '1000' }, database: app.database });
    const register = (email: string) =>
      anyone(strict).post('/user/register', { email, password: 'correct horse battery' });
    const statuses: number[] = [];
    for (let i = 0; i < 30; i++)
      statuses.push((await register(i % 2 ? 'same@example.org' : `p${i}@example.org`)).status);
    expect(new Set(statuses)).toEqual(new Set([201, 409]));
    const { body, headers } = await register('one-more@example.org').expect(429);
    expect(body.code).toBe('too_many_logins');
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    await strict.close();
  });
});

describe('guessing', () => {
  test('bad credentials are counted by address, and good ones go on', async () => {
    const strict = await anApp({ env: { RATE_LIMIT_PER_MINUTE: '20' }, database: app.database, clock: app.clock });
    const user = await aUser(app);
    const guess = () => client(strict, `alm_user_${'a'.repeat(16)}_${'b'.repeat(46)}`).get('/memory/pull');
    for (let i = 0; i < 20; i++) await guess().expect(401);
    expect((await guess().expect(429)).body.code).toBe('too_many_requests');
    await client(strict, user.token).get('/memory/pull').expect(200);
    await strict.close();
  });

  test('a stolen key guesses the password no faster than a stranger', async () => {
    const user = await aUser(app);
    const guess = () =>
      user.patch('/user/update', { updates: { password: 'a new password', current_password: 'guess' } });
    const statuses: number[] = [];
    for (let i = 0; i < 11; i++) statuses.push((await guess()).status);
    expect(statuses).toEqual([...Array<number>(10).fill(422), 429]);
  });
});

describe('what one account can make grow', () => {
  test('tickets', async () => {
    const user = await aUser(app);
    const many = await Promise.all(Array.from({ length: 100 }, () => user.post('/user/ws-ticket', {})));
    expect(many.every((r) => r.status === 200)).toBe(true);
    const refused = await user.post('/user/ws-ticket', {}).expect(429);
    expect(refused.body.code).toBe('too_many_tickets');
    expect(refused.headers['retry-after']).toBe('30');
    await (await aUser(app)).post('/user/ws-ticket', {}).expect(200); // another's do not count
    app.clock.advance(31_000);
    await user.post('/user/ws-ticket', {}).expect(200);
  });

  test('API keys', async () => {
    const user = await aUser(app);
    const make = (kind: string) => user.post('/user/keys', { kind, label: 'x' });
    for (let i = 0; i < 199; i++) await make(i % 2 ? 'feed' : 'agent').expect(201);
    expect((await make('feed').expect(422)).body.errors[0].code).toBe('too_many_keys');
  });

  test('logins: the newest hundred live, the oldest ends', async () => {
    const user = await aUser(app);
    const login = async () =>
      (await anyone().post('/user/login', { email: user.email, password: user.password }).expect(200)).body;
    const first = await login();
    app.clock.advance(1000);
    let last = first;
    for (let i = 0; i < 100; i++) last = await login();
    await expect.poll(async () => (await client(app, first.token).get('/memory/pull')).status).toBe(401);
    await client(app, last.token).get('/memory/pull').expect(200);
    const { rows } = await app.database.handle.query(
      'select count(distinct family) as families from refresh_tokens where user_id = $1',
      [user.user_id],
    );
    expect(Number(rows[0]?.['families'])).toBe(100);
  });

  test('refresh tokens that were used: fifty are remembered', async () => {
    const user = await aUser(app);
    const used: string[] = [];
    let current = user.refresh_token;
    for (let i = 0; i < 60; i++) {
      app.clock.advance(1000);
      used.push(current);
      current = (await anyone().post('/user/refresh', { refresh_token: current }).expect(200)).body.refresh_token;
    }
    const { rows } = await app.database.handle.query('select count(*) as n from refresh_tokens where user_id = $1', [
      user.user_id,
    ]);
    expect(Number(rows[0]?.['n'])).toBe(51);
    // One that is forgotten is refused, one that is remembered ends the family.
    await anyone().post('/user/refresh', { refresh_token: used[0] }).expect(401);
    const next = (await anyone().post('/user/refresh', { refresh_token: current }).expect(200)).body.refresh_token;
    app.clock.advance(60_001);
    await anyone().post('/user/refresh', { refresh_token: used[59] }).expect(401);
    await anyone().post('/user/refresh', { refresh_token: next }).expect(401);
  });

  test('checkpoints', async () => {
    const user = await aUser(app);
    const tagged = (tag: string) =>
      user.get(`/memport/export?user_id=${user.user_id}&export_format=full&checkpoint=${tag}`);
    await app.database.handle.query(
      "insert into checkpoints (user_id, tag, seq, parameters, created_at) select $1, 'old-' || n, 1, '{}', now() from generate_series(1, 9999) as n",
      [user.user_id],
    );
    await tagged('the-last').expect(200);
    expect((await tagged('one-more').expect(409)).body.code).toBe('too_many_checkpoints');
  });

  test('Idempotency-Keys', async () => {
    const own = await anApp({ database: app.database, clock: app.clock, overrides: { maxIdempotencyKeys: 5 } });
    const user = await aUser(own);
    const push = (key: string) =>
      user.post('/memory/push', { traces: [{ type: 'observation', content: key }] }).set('Idempotency-Key', key);
    for (let i = 0; i < 5; i++) await push(`k${i}`).expect(201);
    const refused = await push('k5').expect(429);
    expect(refused.body.code).toBe('too_many_idempotency_keys');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    await user.post('/memory/push', { traces: [{ type: 'observation', content: 'without a key' }] }).expect(201);
    await own.close();
  });
});

describe('logout', () => {
  const login = async (user: { email: string; password: string }) =>
    (await anyone().post('/user/login', { email: user.email, password: user.password }).expect(200)).body;
  const gone = async (token: string): Promise<void> => {
    await expect.poll(async () => (await client(app, token).get('/memory/pull')).status).toBe(401);
  };

  test('ends this login, its refresh token and its sockets, and no other', async () => {
    const user = await aUser(app);
    const here = await login(user);
    const socket = await follow(app.url, { token: here.token });
    await client(app, here.token).post('/user/logout', {}).expect(200, { ended: true });
    await gone(here.token);
    expect(await socket.closed).toBe(4401);
    await anyone().post('/user/refresh', { refresh_token: here.refresh_token }).expect(401);
    await user.get('/memory/pull').expect(200);
    await user.agent.get('/memory/pull').expect(200);
  });

  test('everywhere ends all of them, of nobody else; a key has to say so', async () => {
    const user = await aUser(app);
    const other = await aUser(app);
    const logins = [await login(user), await login(user)];
    const key = await aKey(app, user, 'user');
    expect((await key.post('/user/logout', {}).expect(422)).body.errors[0].code).toBe('not_a_login');
    await other.post('/user/logout', { user_id: user.user_id, everywhere: true }).expect(403);
    await key.post('/user/logout', { everywhere: true }).expect(200);
    for (const { token } of [...logins, { token: user.token as string }]) await gone(token);
    await key.get('/memory/pull').expect(200);
    await other.get('/memory/pull').expect(200);
  });
});

describe('login tokens', () => {
  test('are taken only as they were made: one algorithm, one issuer, one audience, with an end', async () => {
    const user = await aUser(app);
    const claims = jwt.decode(user.token as string) as jwt.JwtPayload;
    const signed = (payload: object, options: jwt.SignOptions = {}, secret: jwt.Secret = SECRET) =>
      jwt.sign(payload, secret, { algorithm: 'HS256', ...options });
    const accepted = (token: string) => client(app, token).get('/memory/pull');
    await accepted(signed(claims)).expect(200); // the same again, by this test
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const pem = publicKey.export({ type: 'spki', format: 'pem' });
    const { exp: _exp, ...endless } = claims;
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const unsigned = (header: object) => `${encode(header)}.${encode(claims)}`;
    const hmac = (text: string, key: string, hash = 'sha256') =>
      `${text}.${createHmac(hash, key).update(text).digest('base64url')}`;
    const forged = {
      'no algorithm': `${unsigned({ alg: 'none' })}.`,
      'no algorithm, in other letters': `${unsigned({ alg: 'NonE' })}.`,
      'a longer hash of the same family': signed(claims, { algorithm: 'HS512' }),
      'a key pair': signed(claims, { algorithm: 'RS256' }, privateKey),
      'a public key taken for a secret': hmac(unsigned({ alg: 'HS256', typ: 'JWT' }), pem),
      'a key that the token brings along': signed(
        claims,
        { header: { alg: 'HS256', jwk: { kty: 'oct', k: 'eA' } } as never },
        'x',
      ),
      'a key id that is a path': signed(claims, { keyid: '../../dev/null' }, ''.padEnd(32)),
      'an empty secret': hmac(unsigned({ alg: 'HS256' }), ''),
      'another issuer': signed({ ...claims, iss: 'other' }),
      'another audience': signed({ ...claims, aud: 'other' }),
      'the past': signed({ ...claims, exp: Math.floor(app.clock.millis() / 1000) - 1 }),
      'another person': signed({ ...claims, sub: (await aUser(app)).user_id }),
      'a login that never was': signed({ ...claims, jti: 'f'.repeat(32) }),
      'an older password': signed({ ...claims, epoch: Number(claims['epoch']) - 1 }),
      'a cut signature': signed(claims).slice(0, -4),
      'a second signature': `${signed(claims)}.${signed(claims).split('.')[2]}`,
    };
    for (const [what, token] of Object.entries(forged))
      expect(`${what}: ${(await accepted(token)).status}`).toBe(`${what}: 401`);
    expect((await accepted(signed(endless))).status, 'without an end').toBe(401);
  });
});
