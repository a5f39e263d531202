/** What ends a session ends it for good, whatever is under way at that moment. */
import { setImmediate as nextIteration } from 'node:timers/promises';
import bcrypt from 'bcrypt';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { aKey, anApp, aUser, client, type TestApp } from '../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await anApp();
});
afterAll(() => app.close());

const anyone = () => client(app, null);
const lives = async (refresh_token: string): Promise<boolean> =>
  (await anyone().post('/user/refresh', { refresh_token })).status === 200;

/** The next checks of a password have their result, and keep it until they are told to go on. */
const heldChecks = (count: number) => {
  const { compare } = bcrypt;
  const [checked, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let left = count;
  const checks = vi.spyOn(bcrypt, 'compare').mockImplementation(async (password: string | Buffer, hash: string) => {
    const isSame = await compare(password, hash);
    if ((left -= 1) === 0) checked.resolve();
    await goOn.promise;
    return isSame;
  });
  return { checked: checked.promise.finally(() => checks.mockRestore()), goOn: goOn.resolve };
};

test('a login with the old password, begun before or while the password changes, leaves no session', async () => {
  const user = await aUser(app);
  const { email, password } = user;
  const { body: before } = await anyone().post('/user/login', { email, password }).expect(200);
  const { checked, goOn } = heldChecks(1);
  const during = anyone()
    .post('/user/login', { email, password })
    .then(({ status }) => status);
  await checked;
  await user
    .patch('/user/update', { updates: { password: 'a new horse battery', current_password: password } })
    .expect(200);
  goOn();
  expect(await during).toBe(401);
  await client(app, before.token).get('/user/profile').expect(401);
  expect(await lives(before.refresh_token)).toBe(false);
});

test.each([
  ['logout', false],
  ['logout everywhere', true],
])('a refresh during %s leaves no session', async (_what, everywhere) => {
  let alive = 0;
  for (let round = 0; round < 12; round++) {
    const user = await aUser(app);
    await user.get('/user/profile').expect(200);
    const later = async () => {
      for (let i = 0; i < round; i++) await nextIteration();
      return user.post('/user/logout', { everywhere });
    };
    const [refreshed] = await Promise.all([
      anyone().post('/user/refresh', { refresh_token: user.refresh_token }),
      later(),
    ]);
    const last = refreshed.status === 200 ? refreshed.body.refresh_token : user.refresh_token;
    if (await lives(last)) alive += 1;
  }
  expect(alive).toBe(0);
});

test('of two changes of the password at once one is refused, and the other one’s password holds', async () => {
  const user = await aUser(app);
  const { email, password } = user;
  const passwords = ['one horse battery', 'two horse battery'];
  const { checked, goOn } = heldChecks(2);
  void checked.then(goOn);
  const changes = await Promise.all(
    passwords.map((next) => user.patch('/user/update', { updates: { password: next, current_password: password } })),
  );
  const done = changes.findIndex(({ status }) => status === 200);
  expect(changes.map(({ status }) => status).toSorted()).toEqual([200, 422]);
  await anyone()
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

test('a key is refused as soon as the answer says that it was revoked', async () => {
  const user = await aUser(app);
  const key = await aKey(app, user, 'agent');
  await key.get('/agent/queue').expect(200);
  await user.delete(`/user/keys?id=${key.id}`).expect(200);
  await key.get('/agent/queue').expect(401);
});
