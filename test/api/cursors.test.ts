/** Cursors and credentials that nobody here wrote, and conditions as RFC 9110 has them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { anApp, aUser, type TestApp, type TestUser } from '../support/app.ts';

let app: TestApp;
let user: TestUser;
beforeAll(async () => {
  app = await anApp();
  user = await aUser(app);
  const trace = { type: 'observation', content: 'tide tables', tags: ['sea'], tempo_tag: '@tide' };
  await user.post('/memory/push', {
    traces: [1, 2, 3].map((n) => ({ ...trace, uid: `t${n}`, task_id: `task${n}`, linked_trace_ids: ['t1', 't2'] })),
  });
  await user.patch('/memory/edit', { uid: 't1', updates: { content: 'tide and moon tables' } }).expect(200);
  for (const day of [24, 25, 26]) {
    const scheduled_for = `2026-11-${day}T10:00`;
    await user.post('/agent/plan', { actions: [{ action_type: 'reflect', title: 'Look back', scheduled_for }] });
    await user.post('/calendar/create', { title: 'Swim', scheduled_for, duration_minutes: 30 }).expect(201);
  }
  const rrule = 'FREQ=DAILY';
  await user.post('/calendar/create', { title: 'Walk', scheduled_for: '2026-11-24T07:00', duration_minutes: 9, rrule });
  for (const tag of ['one', 'two'])
    await user.get(`/memport/export?user_id=${user.user_id}&export_format=full&checkpoint=${tag}`).expect(200);
  await user.post('/user/keys', { kind: 'agent', label: 'second' }).expect(201);
});
afterAll(() => app.close());

type Ask = (cursor: string) => Promise<{ status: number; body: { code?: string }; headers: Record<string, string> }>;
const exportOf = (rest: string): [string, Ask] => [
  `export ${rest}`,
  (cursor) => user.get(`/memport/export?user_id=${user.user_id}&limit=1&export_format=${rest}${cursor}`),
];

const LISTS: [string, Ask][] = [
  ['pull', (cursor) => user.get(`/memory/pull?limit=1${cursor}`)],
  ['history', (cursor) => user.get(`/memory/history?uid=t1&limit=1${cursor}`)],
  ['search', (cursor) => user.post(`/memory/search?${cursor}`, { query: 'tide', limit: 1 })],
  ['queue', (cursor) => user.get(`/agent/queue?limit=1${cursor}`)],
  ['events', (cursor) => user.get(`/calendar/events?limit=1${cursor}`)],
  ['tags', (cursor) => user.get(`/tempo/tags?limit=1${cursor}`)],
  ['keys', (cursor) => user.get(`/user/keys?limit=1${cursor}`)],
  ['checkpoints', (cursor) => user.get(`/memport/checkpoints?limit=1${cursor}`)],
  ['trace-dump', (cursor) => user.post(`/debug/trace-dump?${cursor}`, { limit: 1 })],
  exportOf('summary'),
  exportOf('full'),
  exportOf('full&include=events,profile'),
  exportOf('full&group_by=task'),
  exportOf('linked'),
  exportOf('linked&group_by=day'),
  exportOf('diff&from=0'),
  exportOf('diff&from=0&group_by=task'),
];

const FORGED: unknown[] = [
  ...['', 'x', 'a\0b', '\ud800', "'; drop table traces; --", 'infinity', '-infinity', 'now', 'x'.repeat(2_000)],
  ...['2026-13-45T00:00:00.000Z', '2026-02-30T00:00:00.000Z', '0000-01-01T00:00:00.000Z', '+12026-01-01T00:00:00.000Z'],
  ...['2026-11-24T10:00:00+01:00[Europe/Berlin]', '2026-11-24', '2026-11-24T10:00:00.000Z/9999-11-24T10:00:00.000Z'],
  ...[
    '0001-01-01T00:00:00.000Z/9999-12-01T00:00:00.000Z',
    -1,
    1.5,
    2 ** 31,
    2 ** 53 - 1,
    2 ** 53,
    1e300,
    null,
    {},
    [],
    true,
  ],
];

const encode = (wire: object): string => `&cursor=${Buffer.from(JSON.stringify(wire)).toString('base64url')}`;

describe.each(LISTS)('a cursor of %s', (_name, ask) => {
  test('that was forged never reaches the database', async () => {
    const { headers, status } = await ask('');
    expect(status).toBe(200);
    const cursor = /cursor=([\w-]+)/.exec(headers['link'] ?? '')?.[1] ?? '';
    const wire = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as { q: string; at: number; key: unknown[] };
    expect((await ask(encode(wire))).status).toBe(200);
    const others = [
      ...wire.key.flatMap((_, i) => FORGED.map((value) => ({ ...wire, key: wire.key.with(i, value) }))),
      ...FORGED.map((at) => ({ ...wire, at })),
      ...[[], [1, 2, 3, 4, 5], ['a'], [0], ['a', 'b', 'c', 'd']].map((key) => ({ ...wire, key })),
    ];
    let refused = 0;
    for (const other of others) {
      const answer = await ask(encode(other));
      expect([200, 410, 422], `${JSON.stringify(other)} ${JSON.stringify(answer.body)}`).toContain(answer.status);
      if (answer.status === 410) expect(answer.body.code).toBe('cursor_gone'); // the ledger has no such place
      if (answer.status !== 422) continue;
      expect(answer.body.code).toBe('invalid_cursor');
      refused++;
    }
    expect(refused).toBeGreaterThan(20);
  });
});

test('a cursor of events does not widen the window that may be asked for', async () => {
  const { headers } = await user.get('/calendar/events?limit=1').expect(200);
  const cursor = /cursor=([\w-]+)/.exec(headers['link'] ?? '')?.[1] ?? '';
  const wire = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as { key: unknown[] };
  const wide = { ...wire, key: wire.key.with(3, '2026-11-01T00:00:00.000Z/2086-11-01T00:00:00.000Z') };
  const { body } = await user.get(`/calendar/events?limit=1${encode(wide)}`).expect(422);
  expect(body.code).toBe('invalid_cursor');
});

describe('a credential that can be none', () => {
  const knock = (query: string): Promise<number | undefined> =>
    new Promise((resolve) => {
      const socket = new WebSocket(`${app.url.replace('http', 'ws')}/ws?ticket=${query}`);
      socket.on('unexpected-response', (_request, response) => resolve(response.statusCode));
      socket.on('open', () => resolve(101));
      socket.on('error', () => undefined);
    });

  test.each([
    '%00.x',
    'x.%00',
    '%00',
    '.',
    'a.b.c',
    '%ED%A0%80.x',
    `${'x'.repeat(5_000)}.x`,
    "'.x",
    `x.${'y'.repeat(65)}`,
  ])('as a ticket is 401: %s', async (ticket) => {
    expect(await knock(ticket)).toBe(401);
  });

  test.each(['x', '..', 'a.b', `${'x'.repeat(400)}.y.z`, "'; drop.x.y", 'a.b.c.d'])(
    'as a refresh token is 401: %s',
    async (refresh_token) => {
      await user.post('/user/refresh', { refresh_token }).expect(401);
    },
  );
});

describe('If-Match (RFC 9110 §13.1.1)', () => {
  const edit = async (match: string): Promise<number> => {
    const updates = { content: `edited under ${match}` };
    const answer = await user.patch('/memory/edit', { uid: 't3', updates }).set('If-Match', match);
    if (answer.status === 400) expect(answer.body.code).toBe('malformed_request');
    return answer.status;
  };
  const version = async (): Promise<number> => (await user.get('/memory/history?uid=t3').expect(200)).body[0].version;

  test('is a list, of which one has to be the version', async () => {
    const now = await version();
    expect(await edit(`"other", "${now}"`)).toBe(200);
    expect(await edit(`"${now}", "${now + 7}"`)).toBe(412);
    expect(await edit(`, "a,b" ,,"${now + 1}",`)).toBe(200);
  });

  test('is * for whatever there is', async () => {
    expect(await edit('*')).toBe(200);
    await user
      .patch('/memory/edit', { uid: 'nowhere', updates: { notes: 'x' } })
      .set('If-Match', '*')
      .expect(404);
  });

  test('compares strongly: a weak tag is never the version', async () => {
    const now = await version();
    expect(await edit(`W/"${now}"`)).toBe(412);
    expect(await edit(`W/"${now}", "${now}"`)).toBe(200);
    await user
      .delete('/memory/remove?uid=t3')
      .set('If-Match', `W/"${now + 1}"`)
      .expect(412);
    const event = (await user.get('/calendar/events').expect(200)).body.find((e: { rrule: unknown }) => !e.rrule);
    const updates = { title: 'Dive' };
    await user.patch('/calendar/edit', { uid: event.uid, updates }).set('If-Match', 'W/"1"').expect(412);
    await user
      .patch('/user/update', { updates: { display_name: 'Ada' } })
      .set('If-Match', 'W/"1"')
      .expect(412);
    await user
      .post('/tempo/adjust', { preferences: { use_learned: true } })
      .set('If-Match', 'W/"1"')
      .expect(412);
    const [plan] = (await user.get('/agent/queue').expect(200)).body;
    await user.post('/agent/approve', { uid: plan.uid }).set('If-Match', `W/"${plan.version}"`).expect(412);
    await user.post('/agent/reject', { uid: plan.uid }).set('If-Match', `"0", "${plan.version}"`).expect(200);
  });

  test.each(['1', '"1', '1"', '"1" "2"', '"1", 2', 'w/"1"', 'W/ "1"', '*, "1"', '"a b"', ',', ''])(
    'that is malformed is 400, and changes nothing: %s',
    async (match) => {
      const now = await version();
      expect(await edit(match)).toBe(400);
      expect(await version()).toBe(now);
    },
  );
});

test('If-None-Match compares weakly, and is a list (RFC 9110 §13.1.2)', async () => {
  const address = `/memport/export?user_id=${user.user_id}&export_format=summary`;
  const { headers } = await user.get(address).expect(200);
  const tag = (headers['etag'] as string).replace(/^W\//, '');
  for (const known of [tag, `W/${tag}`, `"a,b", ${tag}`, ' * '])
    await user.get(address).set('If-None-Match', known).expect(304);
  for (const other of ['"other"', tag.slice(1, -1), `${tag} x`, ',,'])
    await user.get(address).set('If-None-Match', other).expect(200);
});

describe('a change that says nothing', () => {
  test('makes no version', async () => {
    const before = (await user.get('/memory/history?uid=t2').expect(200)).body[0];
    for (const updates of [{}, { timezone: 'Europe/Berlin' }]) {
      const { body, headers } = await user.patch('/memory/edit', { uid: 't2', updates }).expect(200);
      expect([body, headers['etag']]).toEqual([before.trace, `"${before.version}"`]);
    }
    const event = (await user.get('/calendar/events').expect(200)).body.find((e: { rrule: unknown }) => !e.rrule);
    const same = await user.patch('/calendar/edit', { uid: event.uid, updates: {} }).expect(200);
    expect(same.body.version).toBe(event.version);
    const profile = await user.get('/user/profile').expect(200);
    for (const updates of [{}, { timezone: profile.body.timezone }, { limits: {} }])
      expect((await user.patch('/user/update', { updates }).expect(200)).headers['etag']).toBe(profile.headers['etag']);
    const tempo = await user.post('/tempo/adjust', { preferences: {} }).expect(200);
    expect(tempo.headers['etag']).toBe(profile.headers['etag']);
  });

  test('is still refused where something else was seen', async () => {
    await user.patch('/memory/edit', { uid: 't2', updates: {} }).set('If-Match', '"77"').expect(412);
    await user.patch('/memory/edit', { uid: 'nowhere', updates: {} }).expect(404);
  });
});

test('an export names every parameter that is wrong or missing', async () => {
  const { body } = await user.get('/memport/export?limit=0').expect(422);
  expect(body.errors.map((fault: { path: string }) => fault.path).toSorted()).toEqual(['/export_format', '/limit']);
});
