/** Imports that are larger than one part: they are written in parts, and as a whole or not at all, whatever ends in between. */
import { sql } from 'kysely';
import request from 'supertest';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aUser, anApp, client, type TestApp, type TestUser } from '../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await anApp();
});
afterAll(() => app.close());

const COUNT = 150;
const traces = (prefix: string, count = COUNT) =>
  Array.from({ length: count }, (_, n) => ({
    uid: `${prefix}-${n}`,
    ...{ type: 'observation', content: `note ${n} of ${prefix}`, timestamp: '2026-11-20T10:00:00Z' },
  }));

const calendarOf = (count: number): string =>
  [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//test//EN',
    ...Array.from({ length: count }, (_, n) =>
      [`BEGIN:VEVENT`, `UID:file-${n}`, `DTSTART:2026${String(1 + (n % 12)).padStart(2, '0')}10T090000Z`]
        .concat('DURATION:PT30M', `SUMMARY:Event ${n}`, 'END:VEVENT')
        .join('\r\n'),
    ),
    'END:VCALENDAR',
    '',
  ].join('\r\n');

const rowsLeft = async (user_id: string): Promise<number> => {
  const { rows } = await sql<{ count: number }>`
    select (select count(*) from imports where user_id = ${user_id}) + (select count(*) from import_parts where user_id = ${user_id}) as count`.execute(
    app.database.handle.db,
  );
  return Number(rows[0]?.count);
};
const uidsOf = async (user: TestUser): Promise<string[]> =>
  (await user.get('/memory/pull?limit=1000').expect(200)).body.map(({ uid }: { uid: string }) => uid);
const isSound = async (user: TestUser): Promise<void> => {
  expect((await user.get('/debug/audit').expect(200)).body).toMatchObject({ ok: true });
  expect(await rowsLeft(user.user_id)).toBe(0);
};

/** Runs `then` once a user has parts of an import that are waiting to be written. */
const onceAccepted = async (user_id: string, then: () => unknown): Promise<void> => {
  for (;;) {
    const { rows } = await sql`select from imports where user_id = ${user_id} and accepted`.execute(
      app.database.handle.db,
    );
    if (rows.length) break;
  }
  await then();
};

test('the changes of an import come in its order, and the report counts all parts', async () => {
  const user = await aUser(app);
  const before = (await user.get('/agent/changes').expect(200)).body.seq;
  const { body } = await user.post('/memport/import', { traces: traces('a') }).expect(200);
  expect(body).toEqual({ created: COUNT, unchanged: 0, waiting: 0, conflicts: [] });
  const { changes } = (await user.get(`/agent/changes?after=${before}&limit=1000`).expect(200)).body;
  expect(changes.map(({ subject }: { subject: string }) => subject)).toEqual(traces('a').map(({ uid }) => uid));
  const again = [...traces('a').slice(0, 90), { ...traces('a')[100], content: 'another' }, ...traces('b', 40)];
  const second = await user.post('/memport/import', { traces: again }).expect(200);
  expect(second.body).toEqual({ created: 40, unchanged: 90, waiting: 0, conflicts: ['a-100'] });
  await isSound(user);
});

test('a uid that two parts have is imported once', async () => {
  const user = await aUser(app);
  const twice = [...traces('a', 60), ...traces('a', 60)];
  const { body } = await user.post('/memport/import', { traces: twice }).expect(200);
  expect(body).toEqual({ created: 60, unchanged: 60, waiting: 0, conflicts: [] });
  await isSound(user);
});

test('two imports at once and other writes of the person in between are all done', async () => {
  const user = await aUser(app);
  const key = { 'Idempotency-Key': 'the-same' };
  const send = (prefix: string) => user.post('/memport/import', { traces: traces(prefix) });
  const file = request(app.server)
    .post('/calendar/import')
    .set('Authorization', `Bearer ${user.token}`)
    .set('Content-Type', 'text/calendar')
    .send(calendarOf(COUNT));
  const [one, two, events, ...others] = await Promise.all([
    send('a').set(key),
    send('b'),
    file,
    ...Array.from({ length: 5 }, (_, n) =>
      user.post('/memory/push', { traces: [{ type: 'observation', content: `own ${n}` }] }),
    ),
  ]);
  expect([one.body.created, two.body.created, events.body.created]).toEqual([COUNT, COUNT, COUNT]);
  expect(others.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
  const repeated = await send('a').set(key).expect(200);
  expect(repeated.headers['idempotent-replayed']).toBe('true');
  expect(repeated.body).toEqual(one.body);
  await isSound(user);
});

test('where the process stops after the acceptance, the next one writes the rest', async () => {
  const user = await aUser(app);
  const stopped = await anApp({ database: app.database, clock: app.clock });
  const answer = client(stopped, user.token)
    .post('/memport/import', { traces: traces('a', 1_000) })
    .then((done) => done);
  await onceAccepted(user.user_id, () => stopped.staged.stop());
  expect((await answer).body).toMatchObject({ code: 'shutting_down' });
  await stopped.close();
  expect((await uidsOf(user)).length).toBeLessThan(1_000);
  // On a server another instance may still be at work on it.
  await sql`update imports set touched_at = now() - interval '1 minute'`.execute(app.database.handle.db);
  const next = await anApp({ database: app.database, clock: app.clock });
  await next.resume();
  await next.close();
  expect(new Set(await uidsOf(user))).toEqual(new Set(traces('a', 1_000).map(({ uid }) => uid)));
  await isSound(user);
});

test('an import that was not accepted leaves nothing', async () => {
  const user = await aUser(app);
  const { db } = app.database.handle;
  await sql`insert into imports (user_id, id, kind, author, touched_at)
    values (${user.user_id}, 'dead', 'traces', '{}', now() - interval '2 hours')`.execute(db);
  await sql`insert into import_parts (user_id, import_id, position, items) values (${user.user_id}, 'dead', 0, '[]')`.execute(
    db,
  );
  await app.resume();
  expect(await uidsOf(user)).toEqual([]);
  await app.staged.sweep();
  await isSound(user);
});

test('the erasure of the account ends its import', async () => {
  const user = await aUser(app);
  const answer = user.post('/memport/import', { traces: traces('a', 1_000) }).then((done) => done);
  await onceAccepted(user.user_id, () => user.delete('/user/account', { password: user.password }).expect(200));
  expect((await answer).status).toBe(404);
  expect(await rowsLeft(user.user_id)).toBe(0);
  const { rows } = await sql`select from traces where user_id = ${user.user_id}`.execute(app.database.handle.db);
  expect(rows).toEqual([]);
});

test('a user with many imports that are not completed is refused another', async () => {
  const user = await aUser(app);
  const { db } = app.database.handle;
  for (let n = 0; n < 8; n++)
    await sql`insert into imports (user_id, id, kind, author, touched_at)
      values (${user.user_id}, ${`stuck ${n}`}, 'traces', '{}', now())`.execute(db);
  const refused = await user.post('/memport/import', { traces: traces('a') }).expect(429);
  expect(refused.headers['retry-after']).toBe('10');
  await user.post('/memport/import', { traces: traces('a', 3) }).expect(200);
  await sql`delete from imports where user_id = ${user.user_id}`.execute(db);
});

test('an import with a part that cannot be written is tried less and less often, and completed once it can be', async () => {
  const user = await aUser(app);
  const { db } = app.database.handle;
  const author = { actor: `user:${user.user_id}`, origin: 'api', scopes: [] };
  const mine = sql`user_id = ${user.user_id}`;
  await sql`insert into imports (user_id, id, kind, author, accepted, touched_at)
    values (${user.user_id}, 'broken', 'traces', ${JSON.stringify(author)}::jsonb, true, now())`.execute(db);
  await sql`insert into import_parts (user_id, import_id, position, items)
    values (${user.user_id}, 'broken', 0, '"no list of traces"')`.execute(db);
  const attemptsAfter = async (seconds: number): Promise<number | undefined> => {
    await sql`update imports set touched_at = now() - make_interval(secs => ${seconds}) where ${mine}`.execute(db);
    await app.staged.resume();
    const { rows } = await sql<{ attempts: number }>`select attempts from imports where ${mine}`.execute(db);
    return rows[0]?.attempts;
  };
  expect(await attemptsAfter(14)).toBe(0);
  expect(await attemptsAfter(16)).toBe(1);
  expect(await attemptsAfter(29)).toBe(1);
  expect(await attemptsAfter(31)).toBe(2);
  expect(await attemptsAfter(59)).toBe(2);
  await sql`update imports set attempts = 30 where ${mine}`.execute(db);
  expect(await attemptsAfter(3_599)).toBe(30);
  expect(await attemptsAfter(3_601)).toBe(31);
  const mended = JSON.stringify([{ ...traces('mended', 1)[0], source: { checkpoint: null } }]);
  await sql`update import_parts set items = ${mended} where ${mine}`.execute(db);
  expect(await attemptsAfter(3_601)).toBeUndefined();
  await isSound(user);
});
