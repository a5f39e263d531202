/** What ends a session ends it for good, whatever is under way at that moment. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aKey, anApp, aUser, client, type TestApp } from '../support/app.ts';

let app: TestApp;
let slow: TestApp;
beforeAll(async () => {
  app = await anApp();
  // Its password checks take some 40 ms, so that there is a time between reading the account and having checked its password.
  slow = await anApp({ database: app.database, overrides: { passwordCost: 9 } });
});
afterAll(async () => {
  await slow.close();
  await app.close();
});

const anyone = (on = app) => client(on, null);
const lives = async (refresh_token: string, on = app): Promise<boolean> =>
  (await anyone(on).post('/user/refresh', { refresh_token })).status === 200;

test('a login with the old password, begun before or while the password changes, leaves no session', async () => {
  let alive = 0;
  let begun = 0;
  for (let round = 0; round < 8; round++) {
    const user = await aUser(slow);
    const { email, password } = user;
    const change = user
      .patch('/user/update', { updates: { password: 'a new horse battery', current_password: password } })
      .expect(200)
      .then(() => undefined);
    const logins = Array.from({ length: 8 }, async (_, i) => {
      await sleep(round + i * 12);
      return anyone(slow).post('/user/login', { email, password });
    });
    await change;
    for (const { status, body } of await Promise.all(logins)) {
      expect([200, 401]).toContain(status);
      if (status !== 200) continue;
      begun += 1;
      if (await lives(body.refresh_token, slow)) alive += 1;
      expect((await client(slow, body.token).get('/user/profile')).status).toBe(401);
    }
  }
  expect(begun).toBeGreaterThan(0);
  expect(alive).toBe(0);
});

test.each([
  ['logout', false],
  ['logout everywhere', true],
])('a refresh during %s leaves no session', async (_what, everywhere) => {
  let alive = 0;
  for (let round = 0; round < 40; round++) {
    const user = await aUser(app);
    await user.get('/user/profile').expect(200);
    const [refreshed] = await Promise.all([
      anyone().post('/user/refresh', { refresh_token: user.refresh_token }),
      sleep(round % 8).then(() => user.post('/user/logout', { everywhere })),
    ]);
    const last = refreshed.status === 200 ? refreshed.body.refresh_token : user.refresh_token;
    if (await lives(last)) alive += 1;
  }
  expect(alive).toBe(0);
});

test('of two changes of the password at once one is refused, and the other one’s password holds', async () => {
  const user = await aUser(slow);
  const { email, password } = user;
  const passwords = ['one horse battery', 'two horse battery'];
  const changes = await Promise.all(
    passwords.map((next) => user.patch('/user/update', { updates: { password: next, current_password: password } })),
  );
  const done = changes.findIndex(({ status }) => status === 200);
  expect(changes.map(({ status }) => status).toSorted()).toEqual([200, 422]);
  await anyone(slow)
    .post('/user/login', { email, password: passwords[done] as string })
    .expect(200);
});

test('a key that is revoked while it makes another makes none', async () => {
  for (let round = 0; round < 10; round++) {
    const user = await aUser(app);
    const stolen = await aKey(app, user, 'user');
    await stolen.get('/user/keys').expect(200);
    const [revoked, ...made] = await Promise.all([
      user.delete(`/user/keys?id=${stolen.id}`),
      ...Array.from({ length: 4 }, () => stolen.post('/user/keys', { kind: 'user', label: 'another' })),
    ]);
    expect(revoked.status).toBe(200);
    const keys = (await user.get('/user/keys').expect(200)).body as { label: string; id: string; created_at: string }[];
    const after = made.filter(({ status }) => status === 201);
    expect(keys.filter(({ label }) => label === 'another')).toHaveLength(after.length);
    expect((await stolen.post('/user/keys', { kind: 'user', label: 'late' })).status).toBe(401);
  }
});
