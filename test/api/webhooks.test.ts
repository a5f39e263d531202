/** Webhooks: what is sent, in which order, and what happens when an endpoint fails, is slow, or an instance ends. */
import { afterAll, afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { aKey, anApp, aUser, client, type Client, type TestUser } from '../support/app.ts';
import { onPostgres } from '../support/db.ts';
import { aReceiver, type Answering, type Received, type Receiver } from '../support/receiver.ts';

const app = await anApp();
const receivers: Receiver[] = [];
afterEach(() => {
  for (const one of receivers.splice(0)) one.close();
});
afterAll(() => app.close());

const receiver = async (answering?: Answering): Promise<Receiver> => {
  const one = await aReceiver(answering);
  receivers.push(one);
  return one;
};
type Made = { id: string; secret: string; seq: number };
const hook = async (who: Client, to: Receiver, more: object = {}): Promise<Made> =>
  (await who.post('/user/webhooks', { url: to.url, ...more }).expect(201)).body;
const push = (who: Client, ...contents: string[]) =>
  who.post('/memory/push', { traces: contents.map((content) => ({ type: 'observation', content })) }).expect(201);
const stateOf = async (who: Client, id: string) =>
  (await who.get('/user/webhooks').expect(200)).body.find((one: { id: string }) => one.id === id);
const contents = (list: Receiver['accepted']): unknown[] => list.map(({ message }) => message.data['content']);
/** Sends what is due, also retries that are due within the time. */
const settle = async (minutes = 0): Promise<void> => {
  app.clock.advance(minutes * 60_000);
  await app.sender.settle();
};

describe('a change', () => {
  test('is sent as the socket has it, signed, after the webhook was made', async () => {
    const user = await aUser(app);
    await push(user, 'before');
    const to = await receiver();
    const { secret, seq } = await hook(user, to, { description: 'my backend' });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    await push(user, 'one', 'two');
    await settle();
    const { body } = await user.get(`/agent/changes?after=${seq}`).expect(200);
    expect(body.changes).toHaveLength(2);
    expect(to.all.map((one) => to.verified(one, secret))).toEqual(body.changes);
    const [first] = to.all;
    expect(first?.headers).toMatchObject({
      'content-type': 'application/cloudevents+json; charset=utf-8',
      'webhook-id': body.changes[0].id,
      host: new URL(to.url).host,
    });
    expect(first?.headers).not.toHaveProperty('authorization');
    expect(() => to.verified({ ...(first as Received), text: '{}' }, secret)).toThrow(/signature/);
    expect(await stateOf(user, (await user.get('/user/webhooks')).body[0].id)).toMatchObject({
      status: 'active',
      description: 'my backend',
      behind: 0,
      failures: 0,
      last_delivery_at: expect.any(String),
    });
  });

  test('is sent only where its type is asked for', async () => {
    const user = await aUser(app);
    const to = await receiver();
    const { id } = await hook(user, to, { types: ['event.created', 'plan.proposed'] });
    await push(user, 'not sent');
    const event = { title: 'Dentist', scheduled_for: '2026-12-01T10:00', duration_minutes: 30 };
    await user.post('/calendar/create', event).expect(201);
    await user.agent.post('/agent/plan', { actions: [{ action_type: 'log', title: 'Note it' }] }).expect(200);
    await settle();
    expect(to.all.map(({ message }) => message.type)).toEqual(['event.created', 'plan.proposed']);
    expect(await stateOf(user, id)).toMatchObject({ behind: 0 });
  });

  test('is shown as the credential sees it that made or last changed the webhook', async () => {
    const user = await aUser(app);
    const [whole, blank] = [await receiver(), await receiver()];
    const key = await aKey(app, user, 'user', ['keys:manage', 'memory:read']);
    await hook(user, whole);
    const { id } = await hook(key, blank);
    const secret = 'Jane Roe';
    await user
      .post('/memory/push', { traces: [{ type: 'observation', content: `${secret} wrote it`, authored_by: secret }] })
      .expect(201);
    const event = { title: 'Dentist', scheduled_for: '2026-12-01T10:00', duration_minutes: 30 };
    await user.post('/calendar/create', event).expect(201);
    await settle();
    expect(JSON.stringify(whole.all)).toContain(secret);
    expect(whole.all.map(({ message }) => message.type)).toContain('event.created');
    expect(blank.all.length).toBeGreaterThan(0);
    expect(JSON.stringify(blank.all)).not.toContain(secret);
    expect(blank.all.every(({ message }) => message.type.startsWith('trace.'))).toBe(true);
    // Nobody sends themselves more than they may read by changing the webhook of somebody who may read more.
    expect((await stateOf(user, id)).scopes).toEqual(['memory:read']);
    const other = (await user.get('/user/webhooks')).body.find((one: { id: string }) => one.id !== id);
    expect(other.scopes).toContain('export:sensitive');
    await key.patch('/user/webhooks', { id: other.id, updates: { url: blank.url } }).expect(200);
    expect((await stateOf(user, other.id)).scopes).toEqual(['memory:read']);
  });

  test('goes on after the account is erased: nothing is sent', async () => {
    const user = await aUser(app);
    const to = await receiver();
    await hook(user, to);
    await push(user, 'late');
    await user.delete('/user/account', { password: user.password }).expect(200);
    await settle();
    expect(to.all).toEqual([]);
  });
});

describe('a failed delivery', () => {
  test('is tried again with growing pauses, in order, and nothing is lost', async () => {
    const user = await aUser(app);
    const to = await receiver((n) => (n === 1 || n === 2 || n === 4 ? 500 : 200));
    const { id } = await hook(user, to);
    await push(user, 'a', 'b', 'c', 'd');
    await settle();
    expect(contents(to.accepted)).toEqual(['a']);
    expect(await stateOf(user, id)).toMatchObject({ status: 'active', failures: 1, failing_since: expect.any(String) });
    app.clock.advance(99);
    await app.sender.settle();
    expect(to.all).toHaveLength(2); // Its time has not come.
    app.clock.advance(1);
    await app.sender.settle();
    expect(await stateOf(user, id)).toMatchObject({ failures: 2 });
    await settle(1);
    expect(contents(to.accepted)).toEqual(['a', 'b']);
    expect(await stateOf(user, id)).toMatchObject({ failures: 1 });
    await settle(1);
    expect(contents(to.accepted)).toEqual(['a', 'b', 'c', 'd']);
    expect(await stateOf(user, id)).toMatchObject({ failures: 0, failing_since: null, behind: 0 });
    const { body } = await user.get(`/user/webhooks/deliveries?id=${id}`).expect(200);
    expect(body.map((one: { attempt: number; status: number }) => [one.attempt, one.status])).toEqual(
      [
        [1, 200],
        [2, 200],
        [1, 500],
        [3, 200],
        [2, 500],
        [1, 500],
        [1, 200],
      ], // newest first
    );
    expect(new Set(to.all.slice(1, 4).map((one) => one.id)).size).toBe(1);
  });

  test.each<[string, Answering]>([
    ['a redirect', () => ({ status: 302, headers: { Location: 'http://127.0.0.1:1/' } })],
    ['404', () => 404],
    ['a refusal with Retry-After', () => ({ status: 429, headers: { 'Retry-After': '60' } })],
  ])('is %s', async (_what, answering) => {
    const user = await aUser(app);
    const to = await receiver(answering);
    const { id } = await hook(user, to);
    await push(user, 'a');
    await settle();
    expect(await stateOf(user, id)).toMatchObject({ failures: 1, status: 'active' });
    expect(to.all).toHaveLength(1);
    const { body } = await user.get(`/user/webhooks/deliveries?id=${id}`).expect(200);
    expect(body[0]).toMatchObject({
      delivered: false,
      error: expect.stringMatching(/^The endpoint answered \d{3}\.$/),
    });
  });

  test('waits as long as Retry-After says', async () => {
    const user = await aUser(app);
    const to = await receiver((n) => (n ? 200 : { status: 503, headers: { 'Retry-After': '60' } }));
    await hook(user, to);
    await push(user, 'a');
    await settle();
    await settle(0.9);
    expect(to.all).toHaveLength(1);
    await settle(0.1);
    expect(contents(to.accepted)).toEqual(['a']);
  });

  test('for three days pauses the webhook, says so, and loses nothing', async () => {
    const user = await aKey(app, await aUser(app), 'user'); // A login would expire.
    const to = await receiver(() => 500);
    const { id } = await hook(user, to, { description: 'my backend' });
    await push(user, 'a');
    for (let hours = 0; hours < 71; hours += 1) await settle(60);
    expect(await stateOf(user, id)).toMatchObject({ status: 'active', failures: 72 - 1 });
    await settle(120);
    const paused = await stateOf(user, id);
    expect(paused).toMatchObject({ status: 'paused', paused_reason: expect.stringMatching(/^Deliveries have failed/) });
    const notices = (await user.get('/memory/pull?origin=system').expect(200)).body;
    expect(notices.at(-1).content).toMatch(/^The webhook “my backend” \(127\.0\.0\.1:\d+\) is paused\. /);
    const sent = to.all.length;
    await push(user, 'b');
    await settle(600);
    expect(to.all).toHaveLength(sent);
    to.answer(() => 200);
    const { body } = await user.patch('/user/webhooks', { id, updates: { status: 'active' } }).expect(200);
    expect(body).toMatchObject({ status: 'active', paused_reason: null, failing_since: null });
    await settle();
    expect(contents(to.accepted)).toEqual(['a', expect.stringContaining('is paused'), 'b']);
  });

  test('with 410 pauses the webhook at once', async () => {
    const user = await aUser(app);
    const to = await receiver(() => 410);
    const { id } = await hook(user, to);
    await push(user, 'a');
    await settle();
    expect(await stateOf(user, id)).toMatchObject({
      status: 'paused',
      paused_reason: 'The endpoint answered 410 Gone.',
    });
    expect((await user.get('/debug/audit').expect(200)).body).toMatchObject({ ok: true });
    // The audit notices a webhook that was changed behind the service's back.
    await app.database.handle.query("update webhooks set scopes = '{plan:read}' where id = $1", [id]);
    expect((await user.get('/debug/audit').expect(200)).body).toMatchObject({
      ok: false,
      first_bad: { why: 'projection_differs' },
    });
  });
});

describe('several instances', () => {
  test('send each change once, in order', async () => {
    const second = await anApp({ database: app.database, clock: app.clock });
    try {
      const user = await aUser(app);
      const to = await receiver();
      await hook(user, to);
      const expected: string[] = [];
      for (let round = 0; round < 5; round += 1) {
        const some = Array.from({ length: 30 }, (_, i) => `${round}/${i}`);
        expected.push(...some);
        await push(user, ...some);
        await Promise.all([app.sender.settle(), second.sender.settle()]);
      }
      await settle();
      expect(contents(to.all)).toEqual(expected);
    } finally {
      await second.close();
    }
  });

  test('take over what another one left, when its claim is over', async () => {
    const user = await aUser(app);
    const to = await receiver();
    const { id } = await hook(user, to);
    await push(user, 'a');
    const claimed = (until: string) =>
      app.database.handle.query(
        `update webhooks set claim = 'crashed', claimed_until = now() + $2::interval where id = $1`,
        [id, until],
      );
    await claimed('30 seconds');
    await settle();
    expect(to.all).toEqual([]);
    await claimed('-1 second');
    await settle();
    expect(contents(to.all)).toEqual(['a']);
  });

  test('stop without losing a position: what was under way is sent again with the same id', async () => {
    const third = await anApp({ database: app.database, clock: app.clock });
    const user = await aUser(app);
    const to = await receiver((n) => (n === 2 ? 'never' : 200));
    await hook(user, to);
    await push(user, 'a', 'b', 'c');
    const working = third.sender.settle().catch(() => undefined);
    await vi.waitFor(() => expect(to.all).toHaveLength(3), { timeout: 15_000 });
    await third.close();
    await working;
    await settle();
    expect(contents(to.all)).toEqual(['a', 'b', 'c', 'c']);
    expect(to.all[3]?.id).toBe(to.all[2]?.id);
  });
});

test('a webhook whose ledger cannot be read is tried again later, and not in a loop', async () => {
  const user = await aUser(app);
  const to = await receiver();
  const { id } = await hook(user, to);
  // As after a backup of another time was restored: the ledger has no such entry.
  await app.database.handle.query('update webhooks set seq = seq - 1000000 where id = $1', [id]);
  await push(user, 'a');
  await settle();
  expect(to.all).toEqual([]);
  const { next_attempt_at, status } = await stateOf(user, id);
  expect([status, Date.parse(next_attempt_at) - app.clock.millis()]).toEqual(['active', 5_000]);
});

test('a slow endpoint delays nobody else, and a commit wakes the sender', async () => {
  const own = await anApp();
  try {
    const user = await aUser(own);
    const [slow, quick] = [await receiver(() => 'never'), await receiver()];
    await hook(user, slow);
    await hook(user, quick);
    own.sender.start();
    await push(user, 'a');
    await vi.waitFor(() => expect(contents(quick.accepted)).toEqual(['a']), { timeout: 15_000 });
    await push(user, 'b');
    await vi.waitFor(() => expect(contents(quick.accepted)).toEqual(['a', 'b']), { timeout: 15_000 });
    expect(slow.all).toHaveLength(1);
    const { text } = await user.get('/metrics').expect(200);
    expect(text).toMatch(/almanac_webhook_attempts\{result="delivered"\} 2/);
    expect(text).toMatch(/almanac_webhooks\{state="active"\} 2/);
  } finally {
    await own.close();
  }
});

describe('a webhook', () => {
  let user: TestUser;

  test('is never made, seen or changed with an agent key', async () => {
    user = await aUser(app);
    const to = await receiver();
    const { id } = await hook(user, to);
    for (const sent of [
      user.agent.post('/user/webhooks', { url: to.url }),
      user.agent.get('/user/webhooks'),
      user.agent.patch('/user/webhooks', { id, updates: { url: to.url } }),
      user.agent.delete(`/user/webhooks?id=${id}`),
      user.agent.post('/user/webhooks/test', { id }),
      user.agent.get(`/user/webhooks/deliveries?id=${id}`),
    ])
      expect((await sent).body).toMatchObject({ code: 'insufficient_scope', missing: ['keys:manage'] });
  });

  test.each([
    ['https://10.0.0.1/', 'must not name an address that is not public'],
    ['https://[::ffff:a9fe:a9fe]/', 'must not name an address that is not public'],
    ['https://2852039166/', 'must not name an address that is not public'],
    ['https://me:secret@example.org/', 'must not contain a user name or a password'],
    ['javascript:alert(1)', 'must be a URL that begins with https://'],
    ['nothing', 'must be a URL that begins with https://'],
  ])('is not made for %s, nor changed to it', async (url, message) => {
    const before = (await user.get('/user/webhooks').expect(200)).body;
    const { body } = await user.post('/user/webhooks', { url }).expect(422);
    expect(body.errors).toEqual([{ path: '/url', code: 'url_refused', message }]);
    const changed = await user.patch('/user/webhooks', { id: before[0].id, updates: { url } }).expect(422);
    expect(changed.body.errors).toEqual([{ path: '/updates/url', code: 'url_refused', message }]);
    expect((await user.get('/user/webhooks').expect(200)).body).toEqual(before);
  });

  test('shows its secret once, and the ledger has neither the secret nor the path of the URL', async () => {
    const to = await receiver();
    const made = await user.post('/user/webhooks', { url: `${to.url}/path-secret` }).expect(201);
    const { secret, id } = made.body;
    expect(made.headers['cache-control']).toBe('no-store');
    expect(JSON.stringify((await user.get('/user/webhooks')).body)).not.toContain(secret);
    const { rows } = await app.database.handle.query('select payload::text as text from ledger where user_id = $1', [
      user.user_id,
    ]);
    const ledger = JSON.stringify(rows);
    expect(ledger).toContain(id);
    expect(ledger).not.toContain(secret);
    expect(ledger).not.toContain('path-secret');
    const { body } = await user.delete(`/user/webhooks?id=${id}`).expect(200);
    expect(body).toEqual({ id, removed: true });
    await user.delete(`/user/webhooks?id=${id}`).expect(404);
    expect((await user.get('/debug/audit').expect(200)).body).toMatchObject({ ok: true });
  });

  test('gets a new secret, and the previous one signs for a day', async () => {
    const to = await receiver();
    const { id, secret } = await hook(user, to);
    const { body: rotated } = await user.post('/user/webhooks/rotate-secret', { id }).expect(200);
    expect(rotated.secret).toMatch(/^whsec_/);
    expect(rotated.secret).not.toBe(secret);
    expect(rotated.previous_until).toBe(new Date(app.clock.millis() + 86_400_000).toISOString());
    const received = async () => {
      await user.post('/user/webhooks/test', { id }).expect(200);
      return to.all.at(-1) as Received;
    };
    const both = await received();
    expect(to.verified(both, rotated.secret)).toMatchObject({ type: 'webhook.test' });
    expect(to.verified(both, secret)).toMatchObject({ type: 'webhook.test' });
    await app.database.handle.query('update webhooks set previous_until = $2 where id = $1', [id, app.clock.now()]);
    const later = await received();
    expect(to.verified(later, rotated.secret)).toMatchObject({ type: 'webhook.test' });
    expect(() => to.verified(later, secret)).toThrow('signature');
    await user.post('/user/webhooks/rotate-secret', { id: 'none' }).expect(404);
    await user.delete(`/user/webhooks?id=${id}`).expect(200);
    expect((await user.get('/debug/audit').expect(200)).body).toMatchObject({ ok: true });
    to.close();
  });

  test('is tested at once, and told what came of it', async () => {
    const to = await receiver((n) => (n ? 500 : 200));
    const { id, secret } = await hook(user, to);
    const { body } = await user.post('/user/webhooks/test', { id }).expect(200);
    expect(body).toMatchObject({ type: 'webhook.test', delivered: true, status: 200, error: null });
    expect(to.verified(to.all[0] as never, secret)).toMatchObject({ type: 'webhook.test', subject: id });
    expect((await user.post('/user/webhooks/test', { id }).expect(200)).body).toMatchObject({
      delivered: false,
      status: 500,
    });
    to.close();
    expect((await user.post('/user/webhooks/test', { id }).expect(200)).body).toMatchObject({
      status: null,
      error:
        'The connection failed (ECONNREFUSED). Nothing answers at this address and port. Start the server, or correct the address.',
    });
    await user.delete(`/user/webhooks?id=${id}`).expect(200);
  });

  test('can be paused and changed while it sends, and then goes on with the new values', async () => {
    const [old, next] = [await receiver((n) => (n ? 'never' : 200)), await receiver()];
    const { id } = await hook(user, old);
    await push(user, 'a', 'b');
    const working = app.sender.settle();
    await vi.waitFor(() => expect(old.all).toHaveLength(2), { timeout: 15_000 });
    await user.patch('/user/webhooks', { id, updates: { url: next.url } }).expect(200);
    old.close(); // The delivery under way fails, and its sender has lost the claim.
    await working;
    await settle();
    expect(contents(next.accepted)).toContain('b');
    await user.patch('/user/webhooks', { id, updates: { status: 'paused' } }).expect(200);
    await push(user, 'c');
    await settle();
    expect(contents(next.accepted)).not.toContain('c');
    await user.delete(`/user/webhooks?id=${id}`).expect(200);
  });

  test('needs a credential that may read something', async () => {
    const key = await aKey(app, user, 'user', ['keys:manage']);
    const { body } = await key.post('/user/webhooks', { url: 'https://example.org/' }).expect(403);
    expect(body.missing).toEqual(['plan:read', 'memory:read', 'calendar:read']);
  });

  test('is refused beyond ten', async () => {
    const to = await receiver();
    const { length } = (await user.get('/user/webhooks').expect(200)).body;
    for (let i = length; i < 10; i += 1) await hook(user, to);
    const { body } = await user.post('/user/webhooks', { url: to.url }).expect(409);
    expect(body).toMatchObject({ code: 'too_many_webhooks' });
  });
});

/** The embedded database with closed registration, whose owner may reach the other services of the machine. */
test.skipIf(onPostgres)('reaches the machine itself only while its owner has the only account', async () => {
  const own = await anApp({ env: { ALLOW_REGISTRATION: 'false', OUTBOUND_NETWORKS: '' } });
  onTestFinished(() => own.close());
  const account = (email: string) => ({ email, password: 'correct horse battery' });
  const { users, keys } = own.services;
  const { extra } = await users.create(account('owner@example.org'), true, (writer) =>
    keys.makeOwnerKey(writer, undefined),
  );
  const owner = client(own, extra);
  const to = await receiver();
  const made = await owner.post('/user/webhooks', { url: to.url }).expect(201);
  const { body } = await owner.post('/user/invitations', {}).expect(201);
  const guest = await client(own, null)
    .post('/user/register', { ...account('guest@example.org'), invitation: body.invitation })
    .expect(201);
  for (const one of [owner, client(own, guest.body.token)]) {
    const refused = await one.post('/user/webhooks', { url: to.url }).expect(422);
    expect(refused.body.errors).toMatchObject([{ code: 'url_refused' }]);
    await one.post('/calendar/sources', { url: to.url, name: 'The machine' }).expect(422);
  }
  const { body: tried } = await owner.post('/user/webhooks/test', { id: made.body.id });
  expect([tried.delivered, to.all]).toEqual([false, []]);
});
