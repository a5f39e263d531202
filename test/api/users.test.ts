/** Users of one instance: invitations, disabled accounts, limits of storage, and the operator's command. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import request from 'supertest';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { verifyLedger } from '../../src/ledger/audit.ts';
import { PROJECTIONS } from '../../src/process/all-projections.ts';
import { createUsersCommand } from '../../src/process/commands/users.ts';
import { UsageError, type CommandContext } from '../../src/process/commands/operator-command.ts';
import { readConfig } from '../../src/process/config.ts';
import { anApp, aUser, client, type Client, type TestApp, type TestUser } from '../support/app.ts';
import { waitingFor } from '../support/follower.ts';
import { hearStatements, rowsReadBy } from '../support/statements.ts';

let app: TestApp;
let closed: TestApp;
let admin: Awaited<ReturnType<typeof anAdmin>>;
beforeAll(async () => {
  app = await anApp();
  closed = await anApp({ database: app.database, clock: app.clock, env: { ALLOW_REGISTRATION: 'false' } });
  admin = await anAdmin();
});
afterAll(async () => {
  await closed.close();
  await app.close();
});

const PASSWORD = 'correct horse battery';
let people = 0;
const email = (): string => `invited-${(people += 1)}@example.org`;

/** With an API key, which outlasts the hours that these tests move the clock. */
const anAdmin = async (): Promise<Client & { user_id: string; email: string; agent: Client }> => {
  const address = email();
  const { users, keys } = app.services;
  const { user, extra } = await users.create({ email: address, password: PASSWORD }, true, (writer) =>
    keys.makeOwnerKey(writer, undefined),
  );
  const person = client(app, extra);
  const agent = (await person.post('/user/keys', { kind: 'agent', label: 'agent' }).expect(201)).body.key;
  return { ...person, user_id: user.user_id, email: address, agent: client(app, agent) };
};
const invite = async (by: Client = admin, body: object = {}) =>
  (await by.post('/user/invitations', body).expect(201)).body as {
    id: string;
    invitation: string;
    url: string;
    expires_at: string;
  };
const register = (invitation: string | undefined, address = email()) =>
  client(closed, null).post('/user/register', {
    email: address,
    password: PASSWORD,
    ...(invitation === undefined ? {} : { invitation }),
  });
const audit = async (user_id: string) =>
  (await verifyLedger(app.database.handle.db, user_id, { projections: PROJECTIONS })).first_bad ?? 'intact';
const login = (user: TestUser) => client(app, null).post('/user/login', { email: user.email, password: user.password });

describe('an invitation', () => {
  test('makes one account where registration is closed', async () => {
    await register(undefined).expect(404);
    const made = await invite(admin, { label: 'Ada' });
    expect(made.url).toBe(`${app.url}/console/#invitation=${made.invitation}`);
    const { body } = await register(made.invitation).expect(201);
    await client(app, body.token).get('/user/profile').expect(200);
    const again = await register(made.invitation).expect(422);
    expect(again.body.errors).toMatchObject([{ path: '/invitation', code: 'invalid_invitation' }]);
    const { body: listed } = await admin.get('/user/invitations').expect(200);
    expect(listed).toMatchObject([{ id: made.id, label: 'Ada', used_by: body.user.user_id, revoked_at: null }]);
    expect(JSON.stringify(listed)).not.toContain(made.invitation.split('.')[2]);
    expect([await audit(admin.user_id), await audit(body.user.user_id)]).toEqual(['intact', 'intact']);
  });

  test('makes one account of two that are made at the same time', async () => {
    const { invitation } = await invite();
    const answers = await Promise.all(Array.from({ length: 4 }, () => register(invitation)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 422, 422, 422]);
  });

  test('is not used up by an address that has an account, or a weak password', async () => {
    const { invitation } = await invite();
    await register(invitation, admin.email).expect(409);
    await client(closed, null)
      .post('/user/register', { email: email(), password: 'password123', invitation })
      .expect(422);
    await register(invitation).expect(201);
  });

  test('expires, and can be revoked', async () => {
    const revoked = await invite();
    await admin.delete(`/user/invitations?id=${revoked.id}`).expect(200);
    await register(revoked.invitation).expect(422);
    expect((await admin.delete(`/user/invitations?id=${revoked.id}`).expect(404)).body.code).toBe(
      'invitation_not_found',
    );
    const short = await invite(admin, { expires_at: new Date(app.clock.millis() + 60_000).toISOString() });
    app.clock.advance(61_000);
    await register(short.invitation).expect(422);
    for (const days of [-1, 31]) {
      const expires_at = new Date(app.clock.millis() + days * 86_400_000).toISOString();
      await admin.post('/user/invitations', { expires_at }).expect(422);
    }
    expect(await audit(admin.user_id)).toBe('intact');
  });

  test('is refused when it was changed or made up, also by whoever can write to the database', async () => {
    const other = await invite();
    const { id, invitation } = await invite();
    const [user_id, , secret] = invitation.split('.');
    for (const forged of [
      'x',
      '',
      'a.b.c',
      `${user_id}.${id}.${'A'.repeat(43)}`,
      `${user_id}.${other.id}.${secret}`,
      `${invitation}.x`,
    ])
      await register(forged).expect(422);
    const { db } = app.database.handle;
    const row = { label: null, created_at: app.clock.now(), expires_at: '2027-01-01T00:00:00.000Z' };
    const hash = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from('invitation mine')));
    await db
      .insertInto('invitations')
      .values({ ...row, user_id: admin.user_id, id: 'zz', hash, seal: hash })
      .execute();
    await register(`${admin.user_id}.zz.mine`).expect(422);
    expect(await audit(admin.user_id)).toMatchObject({ why: 'projection_without_entry' });
    await db.deleteFrom('invitations').where('user_id', '=', admin.user_id).where('id', '=', 'zz').execute();
    await sql`update invitations set expires_at = '2030-01-01' where user_id = ${admin.user_id} and id = ${id}`.execute(
      db,
    );
    await register(invitation).expect(422);
    await sql`delete from invitations where user_id = ${admin.user_id} and id = ${id}`.execute(db);
  });

  test('needs whoever made it: not one who was disabled, erased, or is no administrator', async () => {
    const { operator } = app.services;
    const by = await anAdmin();
    const [demoted, disabled, erased] = [await invite(by), await invite(by), await invite(by)];
    const administers = (is: boolean) =>
      app.database.handle.db.updateTable('users').set({ admin: is }).where('user_id', '=', by.user_id).execute();
    await administers(false);
    await register(demoted.invitation).expect(422);
    await administers(true);
    await register(demoted.invitation).expect(201);
    await operator.disable(by.user_id);
    await register(disabled.invitation).expect(422);
    await operator.enable(by.user_id);
    await operator.erase(by.user_id);
    await register(erased.invitation).expect(422);
  });

  test('is for administrators only, and for none of their agents', async () => {
    const user = await aUser(app);
    for (const who of [user, user.agent, admin.agent])
      expect((await who.post('/user/invitations', {})).body).toMatchObject({
        code: 'insufficient_scope',
        missing: ['admin'],
      });
    await admin.post('/user/keys', { kind: 'agent', label: 'x', scopes: ['admin'] }).expect(422);
  });

  test('is one of a hundred at most that nobody has used', async () => {
    const by = await anAdmin();
    for (let i = 0; i < 100; i++) await invite(by);
    expect((await by.post('/user/invitations', {}).expect(409)).body.code).toBe('too_many_invitations');
    const { body, headers } = await by.get('/user/invitations?limit=60').set('Prefer', 'count=exact').expect(200);
    expect([body.length, headers['x-total-count']]).toEqual([60, '100']);
  });

  test('lets the console sign in at once, by its cookie', async () => {
    const { invitation } = await invite();
    const answer = await request(closed.url)
      .post('/user/register')
      .set('Origin', closed.url)
      .send({ email: email(), password: PASSWORD, invitation, refresh_in: 'cookie' });
    expect(answer.status).toBe(201);
    expect(answer.body.refresh_token).toBe('');
    expect(answer.headers['set-cookie']?.[0]).toMatch(/^almanac_refresh=.*HttpOnly/);
    expect((await register((await invite()).invitation).set('Origin', 'https://evil.example')).status).toBe(201); // no cookie
  });
});

describe('a disabled account', () => {
  const receiver = async () => {
    const got: string[] = [];
    /** What the webhook was told of. */
    const subjects: string[] = [];
    const server = createServer(async (req, res) => {
      got.push(req.url ?? '');
      if (req.method === 'POST') subjects.push(((await json(req)) as { subject: string }).subject);
      res
        .writeHead(200, { 'Content-Type': 'text/calendar' })
        .end('BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nEND:VCALENDAR\r\n');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    return { got, subjects, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  };
  const { stringify } = JSON;

  test('has no logins, keys, feeds, CalDAV, sockets or long polls, until it is enabled', async () => {
    const user = await aUser(app);
    const key = client(app, (await user.post('/user/keys', { kind: 'user', label: 'k' }).expect(201)).body.key);
    const feed = (await user.post('/user/keys', { kind: 'feed', label: 'f' }).expect(201)).body.key as string;
    const dav = () =>
      request(app.server)
        .propfind(`/dav/principals/${user.user_id}/`)
        .auth(user.email, String(key.token))
        .set('Depth', '0');
    await dav().expect(207);
    const { position } = (await key.get('/agent/changes').expect(200)).body;
    const feedStatus = async () => (await client(app, null).get(`/calendar/feed.ics?key=${feed}`)).status;
    expect(await feedStatus()).toBe(200);
    const { ticket } = (await key.post('/user/ws-ticket', {}).expect(200)).body as { ticket: string };
    const socket = new WebSocket(`${app.url.replace('http', 'ws')}/ws`, {
      headers: { authorization: `Bearer ${String(key.token)}` },
    });
    const ended = new Promise<number>((resolve) => socket.on('close', resolve));
    await new Promise((resolve) => socket.on('open', resolve));
    const { answer } = await waitingFor(() => key.get('/agent/changes?wait=25').then(({ status }) => status));

    await app.services.operator.disable(user.user_id);
    expect(await ended).toBe(4401);
    expect(await answer).toBe(401);
    // Credentials are cached for half a second.
    const statusesOf = (...all: Client[]) =>
      Promise.all(all.map(async (who) => (await who.get('/user/whoami')).status));
    await expect.poll(() => statusesOf(user, key, user.agent)).toEqual([401, 403, 403]);
    for (const who of [key, user.agent])
      expect((await who.get('/user/whoami').expect(403)).body.code).toBe('account_disabled');
    await expect.poll(async () => (await dav()).status).toBe(403);
    await expect.poll(feedStatus).toBe(403);
    await client(app, null).post('/user/refresh', { refresh_token: user.refresh_token }).expect(401);
    expect((await login(user).expect(403)).body.code).toBe('account_disabled');
    await client(app, null).post('/user/login', { email: user.email, password: 'wrong password' }).expect(401);
    const late = new WebSocket(`${app.url.replace('http', 'ws')}/ws?ticket=${ticket}`, { origin: app.url });
    expect(await new Promise((resolve) => late.on('close', resolve))).toBe(4401);

    await app.services.operator.enable(user.user_id);
    await expect.poll(() => statusesOf(key)).toEqual([200]);
    await user.get('/user/profile').expect(401); // Its login has ended for good.
    // Who follows changes goes on where they were.
    const traces = [{ uid: 'after', type: 'observation', content: 'x' }];
    await key.post('/memory/push', { traces }).expect(201);
    const { changes } = (await key.get(`/agent/changes?after=${position}`).expect(200)).body;
    expect(changes.map(({ subject }: { subject: string }) => subject)).toEqual(['after']);
    await login(user).expect(200);
    expect(await audit(user.user_id)).toBe('intact');
    const kinds = (await key.get('/memport/ledger?subject=profile').expect(200)).body.map(
      ({ kind, actor }: Record<string, string>) => [kind, actor],
    );
    expect(kinds.slice(0, 2)).toEqual([
      ['account.enabled', 'system:operator'],
      ['account.disabled', 'system:operator'],
    ]);
  });

  test('executes no plan that becomes due, and does so when it is enabled', async () => {
    const user = await aUser(app);
    const scheduled_for = new Date(app.clock.millis() + 3_600_000).toISOString();
    const actions = [{ action_type: 'log', title: 'note', scheduled_for }];
    const [{ uid }] = (await user.agent.post('/agent/plan', { actions }).expect(200)).body;
    await user.post('/agent/approve', { uid }).expect(200);
    const status = async () =>
      (
        await sql<{
          status: string;
        }>`select status from traces where user_id = ${user.user_id} and uid = ${uid}`.execute(app.database.handle.db)
      ).rows[0]?.status;
    await app.services.operator.disable(user.user_id);
    app.clock.advance(2 * 3_600_000);
    await app.executor.round();
    expect(await status()).toBe('approved');
    await app.services.operator.enable(user.user_id);
    await app.executor.round();
    expect(await status()).toBe('executed');
    expect(await audit(user.user_id)).toBe('intact');
  });

  test('costs no poll of the executor, which looks at what is overdue once in a while', async () => {
    const user = await aUser(app);
    const { db } = app.database.handle;
    await app.services.operator.disable(user.user_id);
    await sql`insert into traces (user_id, uid, seq, version, type, tags, origin, "timestamp", search, status, action_type, due_at, expires_at)
      select ${user.user_id}, 'overdue-' || n, 100000 + n, 1, 'agent_plan', '{}', 'agent', now(), '',
             case when n % 2 = 0 then 'approved' else 'proposed' end, 'log',
             case when n % 2 = 0 then '2020-01-01'::timestamptz end, case when n % 2 = 1 then '2020-01-01'::timestamptz end
      from generate_series(1, 400) n`.execute(db);
    const ear = hearStatements();
    const polls = () => ear.heard.filter(({ text }) => text.includes("'due' as what"));
    app.executor.start();
    await expect.poll(() => polls().length).toBeGreaterThan(2);
    await app.executor.stop();
    ear.stop();
    const visited = await rowsReadBy(db, polls().slice(0, 3));
    expect(visited[0]).toBeGreaterThanOrEqual(400);
    expect(visited.slice(1)).toEqual([0, 0]);
  });

  test('sends nothing to webhooks and reads no calendar source, until it is enabled', async () => {
    const user = await aUser(app);
    const { got, subjects, url } = await receiver();
    await user.post('/user/webhooks', { url: `${url}/hook` }).expect(201);
    const { id } = (await user.post('/calendar/sources', { url: `${url}/source.ics`, name: 's' }).expect(201)).body;
    await app.services.operator.disable(user.user_id);
    const author = { user_id: user.user_id, actor: 'system:operator', origin: 'system' as const };
    await app.services.ledger.write(author, async ({ tx }) => {
      await sql`update calendar_sources set refresh_at = '2020-01-01' where user_id = ${user.user_id} and id = ${id}`.execute(
        tx,
      );
    });
    const push = (who: Client, uid: string) =>
      who
        .post('/memory/push', { user_id: user.user_id, traces: [{ uid, type: 'observation', content: 'x' }] })
        .expect(201);
    for (const uid of ['first', 'second']) await push(admin, uid);
    await app.sender.settle();
    await app.services.calendar.sourceRefresh.settle();
    expect(got).toEqual([]);
    app.sender.start();
    app.services.calendar.sourceRefresh.start();
    onTestFinished(async () => {
      await app.sender.stop();
      await app.services.calendar.sourceRefresh.stop();
    });
    await app.services.operator.enable(user.user_id);
    await expect.poll(() => got.includes('/source.ics')).toBe(true);
    const { body } = await login(user);
    await push(client(app, body.token), 'third');
    await expect.poll(() => subjects).toEqual(['first', 'second', 'third']);
  });

  test('that somebody enabled in the database is found by the audit, and so is another limit', async () => {
    const user = await aUser(app);
    await app.services.operator.disable(user.user_id);
    const { db } = app.database.handle;
    const set = (values: object) => db.updateTable('users').set(values).where('user_id', '=', user.user_id).execute();
    await set({ disabled: false });
    expect(await audit(user.user_id)).toMatchObject({ why: 'projection_differs' });
    await set({ disabled: true, storage_limit: 0 });
    expect(await audit(user.user_id)).toMatchObject({ why: 'projection_differs' });
    await set({ storage_limit: null });
    expect(await audit(user.user_id)).toBe('intact');
    expect(stringify(await audit(user.user_id))).toBe('"intact"');
  });
});

describe('a limit of storage', () => {
  const push = (who: Client, bytes: number) =>
    who.post('/memory/push', { traces: [{ type: 'observation', content: 'x'.repeat(bytes) }] });
  const limited = async (bytes: number): Promise<TestUser> => {
    const user = await aUser(app);
    await admin.patch('/user/storage', { user_id: user.user_id, limit_bytes: bytes }).expect(200);
    return user;
  };
  const counted = async (user_id: string) =>
    (
      await sql<{ used: number; real: number }>`
        select h.counted_bytes as used, (select sum(bytes) from ledger l where l.user_id = ${user_id})::bigint as real
        from ledger_heads h where h.user_id = ${user_id}`.execute(app.database.handle.db)
    ).rows[0];

  test('refuses what adds to it, and lets the person read, decide, remove and leave', async () => {
    const user = await limited(60_000);
    const [{ uid }] = (await push(user, 20_000).expect(201)).body;
    const actions = [{ action_type: 'schedule', title: 'x', scheduled_for: '2026-12-07T10:00', duration_minutes: 30 }];
    const [{ uid: plan }] = (await user.agent.post('/agent/plan', { actions }).expect(200)).body;
    const full = await push(user, 60_000).expect(409);
    expect(full.body).toMatchObject({ code: 'storage_full', limit_bytes: 60_000 });
    expect(full.body.detail).toMatch(/only the operator can give more/);
    await push(user, 30_000).expect(201);
    const { used_bytes } = (await user.get('/user/storage').expect(200)).body;
    await admin.patch('/user/storage', { user_id: user.user_id, limit_bytes: used_bytes + 10 }).expect(200);
    const event = { title: 'y', scheduled_for: '2026-12-08T10:00', duration_minutes: 30 };
    await user.post('/calendar/create', event).expect(409);
    await user.post('/agent/approve', { uid: plan }).expect(200);
    await user.delete(`/memory/remove?uid=${uid}`).expect(200);
    await user.patch('/user/update', { updates: { display_name: 'Full' } }).expect(200);
    const { body } = await user.get('/user/storage').expect(200);
    expect(body).toMatchObject({ user_id: user.user_id, limit_bytes: used_bytes + 10 });
    const sums = await counted(user.user_id);
    expect(sums?.used).toBe(sums?.real);
    expect(body.used_bytes).toBe(sums?.real);
    await admin.patch('/user/storage', { user_id: user.user_id, limit_bytes: 0 }).expect(200);
    await push(user, 60_000).expect(201);
    expect(await audit(user.user_id)).toBe('intact');
  });

  test('leaves a tenth to the person that no agent can fill', async () => {
    const user = await limited(50_000);
    let status = 201;
    for (let i = 0; i < 30 && status === 201; i++) ({ status } = await push(user.agent, 3_000));
    expect(status).toBe(409);
    expect((await counted(user.user_id))?.used).toBeLessThan(45_000);
    await push(user, 2_000).expect(201);
  });

  test('is kept by pushes at the same time', async () => {
    const user = await limited(100_000);
    const answers = await Promise.all(Array.from({ length: 30 }, () => push(user, 10_000)));
    const done = answers.filter(({ status }) => status === 201).length;
    expect(done).toBeGreaterThan(5);
    expect(answers.filter(({ status }) => status === 409).length).toBe(30 - done);
    const sums = await counted(user.user_id);
    expect(sums?.used).toBe(sums?.real);
    expect(sums?.used).toBeLessThanOrEqual(100_000);
  });

  test('counts what an earlier release wrote once, and continues from there', async () => {
    const user = await aUser(app);
    await push(user, 5_000).expect(201);
    const { db } = app.database.handle;
    await sql`update ledger_heads set counted_seq = 0, counted_bytes = 0 where user_id = ${user.user_id}`.execute(db);
    await push(user, 5_000).expect(201); // Without a limit nothing is counted.
    expect((await counted(user.user_id))?.used).toBe(0);
    await admin.patch('/user/storage', { user_id: user.user_id, limit_bytes: 15_000 }).expect(200);
    const sums = await counted(user.user_id);
    expect(sums?.used).toBe(sums?.real);
    await push(user, 5_000).expect(409);
  });

  test('refuses a large import before it is accepted', async () => {
    const user = await limited(200_000);
    const traces = Array.from({ length: 400 }, (_, i) => ({
      uid: `t${i}`,
      type: 'observation',
      content: 'x'.repeat(1_000),
      timestamp: '2026-01-01T00:00:00Z',
    }));
    expect((await user.post('/memport/import', { traces }).expect(409)).body.code).toBe('storage_full');
    expect((await user.get('/memory/pull').expect(200)).body).toEqual([]);
  });

  test('is 507 for calendar programs, with the precondition of RFC 4331', async () => {
    const user = await limited(1);
    const key = (await user.post('/user/keys', { kind: 'user', label: 'phone' }).expect(201)).body.key as string;
    const ics = [
      'BEGIN:VCALENDAR',
      'VERSION:2.0',
      'PRODID:x',
      'BEGIN:VEVENT',
      'UID:q',
      'DTSTAMP:20261101T090000Z',
      'DTSTART:20261203T140000Z',
      'DURATION:PT30M',
      'SUMMARY:x',
      'END:VEVENT',
      'END:VCALENDAR',
      '',
    ];
    const answer = await request(app.server)
      .put(`/dav/calendars/${user.user_id}/calendar/q.ics`)
      .auth(user.email, key)
      .set('Content-Type', 'text/calendar')
      .send(ics.join('\r\n'));
    expect(answer.status).toBe(507);
    expect(answer.text).toContain('quota-not-exceeded');
  });

  test('is that of USER_STORAGE_MB for accounts without their own', async () => {
    const small = await anApp({ database: app.database, clock: app.clock, env: { USER_STORAGE_MB: '0.02' } });
    const user = await aUser(small);
    await push(user, 30_000).expect(409);
    expect((await user.get('/user/storage').expect(200)).body.limit_bytes).toBe(20_000);
    await small.services.operator.limitStorage(user.user_id, 0);
    await push(user, 30_000).expect(201);
    await small.close();
  });

  test('cannot be changed by the person', async () => {
    const user = await limited(50_000);
    await user.patch('/user/storage', { limit_bytes: 0 }).expect(403);
  });
});

describe('the command users', () => {
  const users = async (...args: string[]) => {
    const lines: string[] = [];
    const print = (line: string): void => void lines.push(line);
    const config = readConfig({ PUBLIC_URL: 'https://almanac.example.org' });
    const { run, options } = createUsersCommand(() => app.services);
    const { parseArgs } = await import('node:util');
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    await run(
      { print, progress: print, config, clock: app.clock } as Partial<CommandContext> as CommandContext,
      values as Record<string, string | boolean>,
      positionals,
    );
    return lines.join('\n');
  };

  test('invites, lists, resets, disables, enables, limits and erases', async () => {
    const told = await users('invite', '--label', 'Grace', '--days', '2');
    const [, invitation = ''] = /https:\/\/almanac\.example\.org\/console\/#invitation=(\S+)/.exec(told) ?? [];
    const address = email();
    const { body } = await register(invitation, address).expect(201);
    const { user_id } = body.user;
    const [, password] = /password {2}(\S+)/.exec(await users('reset', address.toUpperCase())) ?? [];
    await client(app, body.token).get('/user/profile').expect(401);
    await client(app, null).post('/user/login', { email: address, password }).expect(200);
    expect(await users('disable', address)).toContain('is disabled');
    expect(await users('disable', address)).toContain('is disabled already');
    expect(await users('list')).toMatch(
      new RegExp(`^disabled  user {3}${user_id}  ${address}  0\\.0 MB of no limit`, 'm'),
    );
    expect(await users('enable', user_id)).toContain('is enabled');
    expect(await users('storage', address, '--mb', '250')).toContain('250.0 MB');
    const listed = (await users('list', '--json'))
      .split('\n')
      .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
    expect(listed.find((one) => one.user_id === user_id)).toMatchObject({
      email: address,
      disabled: false,
      limit_bytes: 250_000_000,
    });
    expect(await audit(user_id)).toBe('intact');
    await expect(users('erase', address)).rejects.toThrow(/Add --yes/);
    expect(await users('erase', address, '--yes')).toContain('is erased');
    expect(await audit(user_id)).toBe('intact');
    await client(app, null).post('/user/login', { email: address, password }).expect(401);
  });

  test('invites in the name of an administrator that is not disabled, and of nobody else', async () => {
    const { operator, owner } = app.services;
    const disabled: string[] = [];
    for (let one = await owner.find(); one && !one.disabled; one = await owner.find()) {
      if (one.user_id === admin.user_id) {
        const [, invitation = ''] = /#invitation=(\S+)/.exec(await users('invite')) ?? [];
        await register(invitation).expect(201);
      }
      await operator.disable(one.user_id);
      disabled.push(one.user_id);
    }
    expect(disabled).toContain(admin.user_id);
    await expect(users('invite')).rejects.toThrow(/Every administrator is disabled/);
    for (const user_id of disabled) await operator.enable(user_id);
  });

  test.each([
    [[], /Say what to do: list, invite/],
    [['frob'], /Say what to do/],
    [['list', 'x', 'y'], /Say what to do/],
    [['reset'], /Name the account/],
    [['reset', 'nobody@example.org'], /There is no account nobody@example.org/],
    [['invite', '--days', '31'], /--days must be a number above 0/],
    [['storage', 'ADMIN'], /Give the limit/],
    [['storage', 'ADMIN', '--mb', 'much'], /Give the limit/],
    [['storage', 'ADMIN', '--mb', '0'], /Give the limit/],
  ])('%j is refused with what to do', async (args, why) => {
    const error: unknown = await users(...args.map((one) => (one === 'ADMIN' ? admin.email : one))).catch(
      (caught: unknown) => caught,
    );
    expect(error).toBeInstanceOf(UsageError);
    expect((error as Error).message).toMatch(why);
  });
});
