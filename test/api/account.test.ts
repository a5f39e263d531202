/** The end of an account: nothing of the person is left anywhere, and what is left verifies. */
import { createHash, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifyLedger } from '../../src/ledger/audit.ts';
import { PROJECTIONS } from '../../src/process/all-projections.ts';
import { readConfig } from '../../src/process/config.ts';
import { firstStart } from '../../src/process/welcome.ts';
import { aKey, anApp, aUser, client, type TestApp, type TestUser } from '../support/app.ts';
import { onPostgres } from '../support/db.ts';
import { follow, notes } from '../support/follower.ts';
import { aLife } from '../support/life.ts';

let app: TestApp;
beforeAll(async () => {
  app = await anApp();
});
afterAll(() => app.close());

const erase = (who: { delete: TestUser['delete'] }, password = 'correct horse battery') =>
  who.delete('/user/account', { password });
const verify = (user_id: string) => verifyLedger(app.database.handle.db, user_id, { projections: PROJECTIONS });

const tables = async (column?: string): Promise<string[]> => {
  const { rows } = await sql<{ name: string }>`
    select distinct t.table_name as name from information_schema.tables t join information_schema.columns c using (table_schema, table_name)
    where t.table_schema = current_schema() and t.table_type = 'BASE TABLE' and ${column ?? null}::text is null or c.column_name = ${column ?? null}
    order by 1`.execute(app.database.handle.db);
  return rows.map((row) => row.name).filter((name) => !name.startsWith('kysely_'));
};

/** Where which of these words stand, as text or as bytes: `table: word`. */
const found = async (words: string[]): Promise<string[]> => {
  const all: string[] = [];
  for (const name of await tables()) {
    const { rows } = await sql<{ word: string }>`
      with all_rows as materialized (select t::text as row from ${sql.table(name)} t)
      select word from unnest(${words}::text[]) word
      where exists (select from all_rows where row ilike '%' || word || '%'
                       or row like '%' || encode(convert_to(word, 'UTF8'), 'hex') || '%')`.execute(
      app.database.handle.db,
    );
    all.push(...rows.map(({ word }) => `${name}: ${word}`));
  }
  return all;
};

const rowsOf = async (user_id: string): Promise<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (const name of await tables('user_id')) {
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from ${sql.table(name)} where user_id = ${user_id}`.execute(app.database.handle.db);
    counts[name] = rows[0]?.count ?? 0;
  }
  return counts;
};

describe('an erased account', () => {
  test('leaves no word of the person in any column of any table, and a ledger that verifies', async () => {
    const life = await aLife(app);
    const neighbour = await aUser(app);
    await notes(neighbour, 3);
    const before = await rowsOf(life.user_id);
    const untouched = Object.keys(before).filter((name) => before[name] === 0);
    // Written by a background worker where a model is configured.
    const ofModels = ['embedding_progress', 'model_embeddings'];
    expect(
      untouched.filter((name) => name !== 'erased_accounts' && !ofModels.includes(name)),
      'a table that aLife() (test/support/life.ts) does not fill: let it',
    ).toEqual([]);
    const places = await found(life.marks);
    const nowhere = life.marks.filter((mark) => !places.some((place) => place.endsWith(mark)));
    // What was only asked for is kept nowhere.
    expect(nowhere.map((mark) => mark.replace(/\d.*/, ''))).toEqual(['zqquery', 'zqprodid']);

    const sound = await verify(life.user_id);
    const { body } = await erase(life).expect(200);
    expect(body).toEqual({
      user_id: life.user_id,
      erased: true,
      head: { seq: sound.head.seq + 1, hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
    expect(await found([...life.marks, life.email])).toEqual([]);
    const after = Object.entries(await rowsOf(life.user_id)).filter(([, count]) => count > 0);
    expect(Object.fromEntries(after)).toEqual({ ledger: body.head.seq, erased_accounts: 1 });
    expect(await verify(life.user_id)).toEqual({ ok: true, outdated: 0, checked: body.head.seq, head: body.head });
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from ledger where user_id = ${life.user_id} and (payload is not null or subject_uid !~ '^[0-9a-f]{64}$')`.execute(
      app.database.handle.db,
    );
    expect(rows[0]?.count).toBe(0);
    expect(await verify(neighbour.user_id)).toMatchObject({ ok: true });
  });

  test('is nobody: every credential ends at once, and its address is free', async () => {
    const life = await aLife(app, 'Pacific/Chatham');
    const other = await anApp({
      database: onPostgres ? { ...app.database, handle: await app.database.again() } : app.database,
    });
    const bearers = [life.token, life.keys.user, life.keys.agent] as string[];
    for (const token of bearers) await client(other, token).get('/memory/pull').expect(200); // remembered there now
    const sockets = await Promise.all([app, other].map((one) => follow(one.url, { token: life.keys.agent })));
    for (const socket of sockets) socket.subscribe();
    await Promise.all(sockets.map((socket) => socket.synced()));
    const waiting = Promise.resolve(client(other, life.keys.agent).get('/agent/changes?wait=20').expect(401));
    await erase(life).expect(200);
    expect(await Promise.all(sockets.map((socket) => socket.closed))).toEqual([4401, 4401]);
    await waiting;
    for (const token of bearers) {
      await client(app, token).get('/memory/pull').expect(401);
      await expect.poll(async () => (await client(other, token).get('/memory/pull')).status).toBe(401);
    }
    const anyone = client(other, null);
    await anyone.get(`/calendar/feed.ics?key=${life.keys.feed}`).expect(401);
    await anyone.post('/user/refresh', { refresh_token: life.refresh_token }).expect(401);
    await anyone.post('/user/login', { email: life.email, password: life.password }).expect(401);
    await erase(life).expect(401);
    await expect(follow(app.url, { path: `/ws?ticket=${life.keys.ticket}` })).rejects.toThrow('401');
    const again = await anyone.post('/user/register', { email: life.email, password: life.password }).expect(201);
    expect(again.body.user.user_id).not.toBe(life.user_id);
    expect((await client(other, again.body.token).get('/memory/pull').expect(200)).body).toEqual([]);
    await other.close();
    if (onPostgres) await other.database.handle.close();
  });

  test('needs the person and their password', async () => {
    const user = await aUser(app);
    await user.agent.delete('/user/account', { password: user.password }).expect(403);
    await (await aKey(app, user, 'user', ['memory:read', 'user:read'])).delete('/user/account', {}).expect(403);
    for (const body of [{}, { password: 5 }, { password: user.password, user_id: user.user_id }])
      await user.delete('/user/account', body).expect(422);
    for (const password of ['wrong horse', '', user.password + 'x'.repeat(72)]) {
      const { body } = await erase(user, password).expect(422);
      expect(body.errors).toMatchObject([{ path: '/password', code: 'wrong_password' }]);
    }
    for (let i = 0; i < 7; i++) await erase(user, 'wrong horse').expect(422);
    await erase(user).expect(429); // guesses are throttled as logins are, with those
    await user.get('/user/profile').expect(200);
    const other = await aUser(app);
    const key = await aKey(app, other, 'user', ['user:write']);
    await erase(key).expect(200);
  });

  test('uids that are digests of others don’t stand in the way', async () => {
    const user = await aUser(app);
    const digest = (text: string) => createHash('sha256').update(text).digest('hex');
    const chain = Array.from({ length: 5 }).reduce<string[]>((all) => [...all, digest(all.at(-1) ?? '')], ['start']);
    for (const uids of [chain, chain.toReversed().map((uid) => `again ${uid}`)])
      await user
        .post('/memory/push', { traces: uids.map((uid) => ({ uid, type: 'observation', content: uid })) })
        .expect(201);
    const { body } = await erase(user).expect(200);
    expect(await verify(user.user_id)).toMatchObject({ ok: true, checked: body.head.seq });
  });

  test.each([
    ['', false],
    [', a new password among it', true],
  ])('whoever writes at the same time loses cleanly, and nothing comes back%s', async (_what, withPassword) => {
    const user = await aUser(app);
    const newPassword = { password: 'other horse battery', current_password: user.password };
    const key = await aKey(app, user, 'user');
    const action = { action_type: 'log', title: 'Late', scheduled_for: '2026-11-21T10:05:00Z' };
    const { body: plans } = await user.agent.post('/agent/plan', { actions: [action] }).expect(200);
    await user.post('/agent/approve', { uid: plans[0].uid }).expect(200);
    app.clock.advance(600_000);
    const writes = [
      ...Array.from({ length: 10 }, () => () => notesOnce(user)),
      ...Array.from({ length: 5 }, () => () => user.post('/user/keys', { kind: 'agent', label: 'late' })),
      ...Array.from({ length: 5 }, () => () => user.post('/user/ws-ticket', {})),
      ...Array.from({ length: 3 }, () => () => client(app, null).post('/user/login', { ...account(user) })),
      ...Array.from({ length: 3 }, () => () => erase(user)),
      () => client(app, null).post('/user/refresh', { refresh_token: user.refresh_token }),
      ...(withPassword ? [() => user.patch('/user/update', { updates: newPassword })] : []),
    ];
    const [order] = fc.sample(fc.shuffledSubarray(writes, { minLength: writes.length }), 1);
    const executed = app.executor.round();
    const answers = await Promise.all(order!.map((write) => write()));
    await executed;
    // Where the new password came first, the old one could not erase it.
    if ((await key.get('/user/profile')).status === 200) await erase(key, newPassword.password).expect(200);
    const strange = answers.filter(({ status }) => ![200, 201, 401, 404, 422].includes(status));
    expect(strange.map(({ status, body }) => ({ status, body }))).toEqual([]);
    await app.executor.round();
    const { ledger, ...rest } = await rowsOf(user.user_id);
    expect(Object.entries(rest).filter(([, count]) => count > 0)).toEqual([['erased_accounts', 1]]);
    expect(await verify(user.user_id)).toMatchObject({ ok: true, checked: ledger });
  });

  test('of the owner is not made anew by the next start, unless OWNER_EMAIL asks for it', async () => {
    const own = await anApp();
    const owner = await firstStart(own, readConfig({ OWNER_PASSWORD: 'correct horse battery' }));
    if (owner === null || owner === 'nobody') throw new Error('there was an account');
    await erase(client(own, owner.key)).expect(200);
    expect(await firstStart(own, readConfig({}))).toBe('nobody');
    expect(await firstStart(own, readConfig({ OWNER_EMAIL: 'owner@almanac.local' }))).toMatchObject({
      email: 'owner@almanac.local',
    });
    expect(await firstStart(own, readConfig({}))).toBeNull();
    await own.close();
  });
});

const account = ({ email, password }: TestUser) => ({ email, password });
const notesOnce = (user: TestUser) =>
  user
    .post('/memory/push', { traces: [{ type: 'observation', content: 'late' }] })
    .set('Idempotency-Key', randomUUID());
