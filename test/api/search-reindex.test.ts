/** Rows of an earlier release: found as they are, and computed again in the background, in steps that can be interrupted. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TERMS, TERMS_PROGRESS } from '../../src/ledger/trace-rows.ts';
import { anApp, aUser, type TestApp, type TestUser } from '../support/app.ts';
import { testDatabase, type TestDatabase } from '../support/db.ts';

let database: TestDatabase;
const apps: TestApp[] = [];
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(async () => {
  for (const app of apps) await app.close();
  await database.close();
});
const instance = async (): Promise<TestApp> => {
  const app = await anApp({ database });
  apps.push(app);
  return app;
};

const rows = async ({ user_id }: TestUser) =>
  (
    await sql<{ uid: string; terms: number | null }>`
      select uid, seq, terms, recorded_by, search::text from traces where user_id = ${user_id}
      union all select uid, seq, terms, recorded_by, search::text from traces_past where user_id = ${user_id} order by uid, seq`.execute(
      database.handle.db,
    )
  ).rows;

/** Leaves the rows as a release without signs and authors has written them. */
const age = async ({ user_id }: TestUser): Promise<void> => {
  const { db } = database.handle;
  for (const table of ['traces', 'traces_past'])
    await sql`
      update ${sql.table(table)} t set terms = null, recorded_by = null, search = ts_delete(t.search, array(
        select lexeme from unnest(t.search) where lexeme ~ '^[@?~]'))
      where user_id = ${user_id}`.execute(db);
};
const lag = async (user: TestUser): Promise<number> => {
  const { text } = await user.get('/metrics').expect(200);
  return Number(/^almanac_search_reindex_lag (\d+)$/m.exec(text)?.[1]);
};

test('old rows are found, and become as if this release had written them, whatever interrupts it', async () => {
  const app = await instance();
  const user = await aUser(app);
  const traces = Array.from({ length: 90 }, (_, i) => ({
    ...{ uid: `t${i}`, type: 'observation', timestamp: '2026-05-08T16:00:00Z' },
    content: `Maria: boat number ${i} came yesterday?`,
  }));
  await user.post('/memory/push', { traces }).expect(201);
  await user.patch('/user/update', { updates: { timezone: 'Asia/Tokyo' } }).expect(200);
  for (let i = 0; i < 40; i++)
    await user.patch('/memory/edit', { uid: `t${i}`, updates: { content: `Jon: ship ${i}, today` } }).expect(200);
  await user.delete('/memory/remove?uid=t50').expect(200);
  const action = {
    action_type: 'schedule',
    title: 'Paint tomorrow',
    scheduled_for: '2026-11-25T09:00',
    duration_minutes: 30,
  };
  const { body: plans } = await user.post('/agent/plan', { actions: [action] }).expect(200);
  await user.post('/agent/approve', { uid: plans[0].uid }).expect(200);
  const whole = await rows(user);
  await age(user);
  expect(await rows(user)).not.toEqual(whole);

  const found = await user.post('/memory/search', { query: 'boat number 77', mode: 'keyword' }).expect(200);
  expect(found.body[0].uid).toBe('t77');
  const { body: aged } = await user.get('/debug/audit').expect(200);
  expect(aged).toMatchObject({ ok: true, outdated: expect.any(Number) });
  expect(aged.outdated).toBeGreaterThan(100);

  const next = await instance();
  const { db } = database.handle;
  expect(await lag(user)).toBeGreaterThan(100);
  // A process that was killed in the middle leaves its claim.
  await sql`
    insert into embedding_progress (user_id, model, seq, claimed_until)
    values (${user.user_id}, ${TERMS_PROGRESS}, 40, now() - interval '1 second')`.execute(db);
  await sql`update embedding_progress set seq = 0 where user_id = ${user.user_id} and model = ${TERMS_PROGRESS}`.execute(
    db,
  );
  await Promise.all([app.reindex.settle(), next.reindex.settle()]);
  await next.reindex.settle();
  expect(await rows(user)).toEqual(whole);
  expect(await lag(user)).toBe(0);
  expect((await user.get('/debug/audit').expect(200)).body).toMatchObject({ ok: true, outdated: 0 });

  // Where the service has read already, a row with other terms was changed by somebody else.
  await age(user);
  const { body: changed } = await user.get('/debug/audit').expect(200);
  expect(changed).toMatchObject({ ok: false, first_bad: { why: 'index_differs' } });
});

test('the time that a waiting series wants is made again, and is no damage until then', async () => {
  const app = await instance();
  const user = await aUser(app);
  const at = '2026-11-27T12:30:00.000Z';
  const own = { title: 'Lunch', scheduled_for: at, duration_minutes: 60 };
  await user.post('/calendar/create', own).expect(201);
  const action = { action_type: 'schedule', title: 'Read', scheduled_for: at, duration_minutes: 60 };
  await user.agent.post('/agent/plan', { actions: [{ ...action, rrule: 'FREQ=WEEKLY;COUNT=3' }] }).expect(200);
  const { db } = database.handle;
  const wanted = async () =>
    (
      await sql<{
        at: Date;
      }>`select lower(wanted) as at from traces where user_id = ${user.user_id} and wanted is not null`.execute(db)
    ).rows;
  const fresh = await wanted();
  expect(fresh).toHaveLength(1);
  await sql`
    update traces set terms = ${TERMS - 1}, wanted = tstzrange(${at}, ${at}::timestamptz + interval '1 hour')
    where user_id = ${user.user_id} and wanted is not null`.execute(db);
  expect(await wanted()).not.toEqual(fresh);
  await sql`delete from embedding_progress where model = ${TERMS_PROGRESS}`.execute(db);
  expect((await user.get('/debug/audit').expect(200)).body).toMatchObject({ ok: true, outdated: 1 });
  await (await instance()).reindex.settle();
  expect(await wanted()).toEqual(fresh);
  expect((await user.get('/debug/audit').expect(200)).body).toMatchObject({ ok: true, outdated: 0 });
});

test('a trace that is edited meanwhile keeps what the edit wrote, and other users keep theirs', async () => {
  const app = await instance();
  const [one, two] = [await aUser(app), await aUser(app)];
  for (const user of [one, two])
    await user
      .post('/memory/push', {
        traces: Array.from({ length: 60 }, (_, i) => ({
          uid: `t${i}`,
          type: 'observation',
          content: `Ann: note ${i}?`,
        })),
      })
      .expect(201);
  await age(one);
  await sql`delete from embedding_progress where model = ${TERMS_PROGRESS}`.execute(database.handle.db);
  const edits = Array.from({ length: 20 }, (_, i) =>
    one.patch('/memory/edit', { uid: `t${i}`, updates: { content: `Bob: edited ${i}` } }).expect(200),
  );
  const later = await instance();
  await Promise.all([...edits, later.reindex.settle()]);
  for (const user of [one, two]) {
    expect((await user.get('/debug/audit').expect(200)).body).toMatchObject({ ok: true });
    for (const { terms } of await rows(user)) expect(terms).toBe(TERMS);
  }
});
