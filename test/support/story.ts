/** A story in which everything the service can do happens once: every route, filter and mode, the executor, the sweeps. */
import request from 'supertest';
import { createIdempotency } from '../../src/http/idempotency/idempotency.ts';
import { createSessions } from '../../src/user/sessions.ts';
import { createTickets } from '../../src/user/socket-tickets.ts';
import { aKey, aUser, client, type Client, type TestApp, type TestUser } from './app.ts';
import { aCalendarServer, calendarOf, vevent } from './calendar-server.ts';
import { follow } from './follower.ts';
import { aReceiver } from './receiver.ts';

type Answer = { body: never; text: string; headers: Record<string, string> };
type Headers = Record<string, string>;
/** Sends a request that has to work. */
type Call = (
  method: 'get' | 'post' | 'patch' | 'delete',
  path: string,
  body?: object,
  headers?: Headers,
) => Promise<Answer>;

/** Calls as a person and as their agent; `done` has the routes that worked. */
const caller = (app: TestApp, done: Set<string>) => {
  const as =
    (who: Client): Call =>
    async (method, path, body, headers = {}) => {
      // Every list is counted too.
      const answer = await who[method](path, body).set({ Prefer: 'count=exact', ...headers });
      if (answer.status >= 400) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`);
      done.add(`${method} ${path.split('?')[0]}`);
      return answer as unknown as Answer;
    };
  const raw = async (who: Client, path: string, type: string, text: string): Promise<void> => {
    await request(app.server)
      .post(path)
      .set({ Authorization: `Bearer ${who.token}`, 'Content-Type': type })
      .send(text)
      .expect(200);
    done.add(`post ${path}`);
  };
  return { as, raw };
};

const q = (parameters: Record<string, string>): string => `?${new URLSearchParams(parameters).toString()}`;
const nextPage = ({ headers }: Answer): string => /<([^>]+)>/.exec(headers['link'] ?? '')?.[1] ?? '';

const remember = async (me: Call, semantic: boolean): Promise<void> => {
  const trace = (uid: string, more: object = {}) => ({
    ...{ uid, type: 'observation', content: `The supplier signs contract ${uid}.`, task_id: 'contract' },
    ...{ tempo_tag: '@deep_work', tags: ['#legal'], linked_trace_ids: ['b'], authored_by: 'Jane', ...more },
  });
  const traces = [trace('a'), trace('b', { type: 'reflection' }), trace('c', { linked_event_uid: 'e1' })];
  await me('post', '/memory/push', { traces }, { 'Idempotency-Key': 'first' });
  await me('post', '/memory/push', { traces }, { 'Idempotency-Key': 'first' });
  await me('post', '/memory/push', { traces });
  await me('patch', '/memory/edit', { uid: 'a', updates: { content: 'Signed on Thursday.', notes: 'at last' } });
  await me('post', '/agent/feedback', { uid: 'a', feedback_rating: 5 });
  await me('delete', '/memory/remove?uid=c');
  const filters = { task_id: 'contract', tempo_tag: '@deep_work', tag: '#legal', type: 'observation', origin: 'user' };
  const window = { start_time: '2026-01-01', end_time: '2026-12-31' };
  for (const [name, value] of Object.entries(filters)) await me('get', `/memory/pull${q({ [name]: value })}`);
  for (const asked of [
    window,
    { ...filters, ...window },
    { status: 'approved' },
    { as_of: '3' },
    { as_of: '2026-11-21' },
  ])
    await me('get', `/memory/pull${q({ ...asked, order: 'asc' })}`);
  await me('get', nextPage(await me('get', '/memory/pull?limit=1')));
  await me('get', nextPage(await me('get', '/memory/history?uid=a&limit=1')));
  await me('get', '/memory/history?uid=a&as_of=5');
  for (const mode of ['hybrid', 'keyword', 'tag', ...(semantic ? ['semantic'] : [])])
    await me('post', '/memory/search', { query: '"supplier signs" kontract #legal', mode, explain: true });
  const { type, task_id, tempo_tag } = filters;
  await me('post', '/memory/search', {
    query: 'contract',
    type,
    task_id,
    tempo_tag,
    tags: ['legal'],
    ...window,
    as_of: 6,
  });
  await me('post', '/chat/trace-summary', { trace_ids: ['a', 'b'] });
};

const keepCalendar = async (app: TestApp, owner: TestUser, me: Call, raw: ReturnType<typeof caller>['raw']) => {
  const event = (uid: string, day: number, more: object = {}) => ({
    ...{
      uid,
      title: uid,
      scheduled_for: `2026-12-0${day}T10:00`,
      duration_minutes: 30,
      tags: ['#x'],
      task_id: 'contract',
    },
    ...more,
  });
  for (const one of [event('e1', 1), event('e2', 2), event('series', 3, { rrule: 'FREQ=DAILY;COUNT=5' })])
    await me('post', '/calendar/create', one);
  await me('patch', '/calendar/edit', { uid: 'e1', updates: { title: 'moved', scheduled_for: '2026-12-01T11:00' } });
  const occurrence = { uid: 'series', recurrence_id: '2026-12-04T10:00' };
  await me('patch', '/calendar/edit', { ...occurrence, scope: 'this', updates: { title: 'other' } });
  await me('patch', '/calendar/edit', { ...occurrence, scope: 'following', updates: { title: 'later' } });
  await me('patch', '/calendar/edit', { edits: [{ uid: 'e2', updates: { title: 'two' } }] });
  const gone = await me('delete', '/calendar/remove?uid=e2');
  await me('post', '/calendar/undo', { seq: (gone.body as { seq: number }).seq });
  await me('post', '/calendar/remove', { removals: [{ uid: 'e2' }] });
  await me('get', '/calendar/event?uid=e1');
  const span = { start: '2026-12-01', end: '2026-12-20' };
  for (const more of [{}, { tag: '#x' }, { as_of: '8' }]) await me('get', `/calendar/events${q({ ...span, ...more })}`);
  await me('get', nextPage(await me('get', `/calendar/events${q({ ...span, limit: '1' })}`)));
  await me('get', `/calendar/slots${q({ ...span, duration_minutes: '30' })}`);
  await me('get', `/calendar/freebusy${q(span)}`);
  await me('get', '/calendar/export.ics');
  const component = ['UID:ics', 'DTSTAMP:20261101T000000Z', 'DTSTART:20261205T150000Z', 'SUMMARY:From elsewhere'];
  const file = ['VERSION:2.0', 'PRODID:x', 'BEGIN:VEVENT', ...component, 'END:VEVENT'];
  await raw(owner, '/calendar/import', 'text/calendar', ['BEGIN:VCALENDAR', ...file, 'END:VCALENDAR'].join('\r\n'));
  const feed = async (scopes: string[]): Promise<string> =>
    ((await me('post', '/user/keys', { kind: 'feed', label: 'feed', scopes })).body as { key: string }).key;
  await me('get', `/calendar/feed.ics${q({ key: await feed(['calendar:read']) })}`);
  const proposals = await me('get', `/calendar/proposals.ics${q({ key: await feed(['plan:read', 'plan:decide']) })}`);
  const token = /decide\?token=([\w.-]+)/.exec(proposals.text.replace(/\r\n /g, ''))?.[1] ?? '';
  const page = await me('get', `/calendar/decide${q({ token })}`);
  const button = /name="token" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
  await raw(owner, '/calendar/decide', 'application/x-www-form-urlencoded', `token=${button}`);
  app.clock.advance(60_000);
};

const planAndDecide = async (app: TestApp, me: Call, agent: Call): Promise<void> => {
  const limits = { budget: { per_day: 40 }, cadence: [{ id: 'calm', action_type: 'reflect', max: 9, per: 'day' }] };
  await me('patch', '/user/update', { updates: { limits } });
  await me('post', '/tempo/adjust', { preferences: { tag_mappings: { '@admin': { duration_minutes: 20 } } } });
  const action = (uid: string, hour: number, more: object = {}) => ({
    ...{ uid, action_type: 'schedule', title: uid, task_id: 'contract', duration_minutes: 30 },
    ...{ scheduled_for: `2026-11-24T${hour}:00`, ...more },
  });
  const actions = [
    ...[
      action('p1', 10),
      action('p2', 11),
      action('p3', 12),
      action('p4', 13),
      action('rival', 10),
      action('open', 17),
    ],
    action('auto', 9, { scheduled_for: null }),
    action('due', 14, { action_type: 'log' }),
    action('think', 15, { action_type: 'reflect' }),
    action('lapses', 16),
    { uid: 'rule', action_type: 'configure', title: 'Fifty a day', arguments: { limits: { budget: { per_day: 50 } } } },
  ];
  await agent('post', '/agent/plan', { actions });
  await agent('post', '/memory/push', {
    traces: [{ ...action('pushed', 18), type: 'agent_plan', content: 'As a trace.' }],
  });
  await me('patch', '/memory/edit', { uid: 'pushed', updates: { title: 'Pushed' } });
  await me('post', '/agent/approve', { uid: 'p1', edits: { duration_minutes: 45 } });
  await me('post', '/agent/approve', { uids: ['p2', 'due', 'think'] });
  await me('post', '/agent/approve', { uid: 'rule' });
  await me('post', '/agent/undo', { uid: 'rule' });
  await me('post', '/agent/undo', { uid: 'p2' });
  await me('post', '/agent/approve', {
    uid: 'p2',
    expected_version: 4,
  });
  await me('post', '/agent/reject', { uid: 'p3' });
  await me('post', '/agent/undo', { uid: 'p3', simulate: true });
  await agent('post', '/agent/withdraw', { uid: 'p4' });
  const moved = { action_type: 'schedule', title: 'Series', scheduled_for: '2027-02-01T09:00', duration_minutes: 30 };
  const weekly = [
    { ...moved, rrule: 'FREQ=WEEKLY;COUNT=3' },
    { ...moved, scheduled_for: '2027-02-02T09:00' },
  ];
  const [{ proposal_id }] = (await agent('post', '/agent/plan', { actions: weekly })).body as [{ proposal_id: string }];
  await me('get', `/agent/queue${q({ proposal_id })}`);
  await me('post', '/agent/approve', { proposal_id });
  await me('post', '/calendar/create', { title: 'Guest', scheduled_for: '2027-02-08T09:00', duration_minutes: 30 });
  await me('get', '/agent/plan?uid=p1');
  await me('get', nextPage(await me('get', '/agent/queue?limit=1')));
  await me('get', `/agent/queue${q({ status: 'approved', task_id: 'contract' })}`);
  await me('get', '/agent/status');
  const [{ agent: doer }] = (await me('get', '/agent/activity')).body as [{ agent: { id: string } }];
  await me('post', '/agent/take-back', { agent: doer.id, since: '2026-11-21', simulate: true });
  for (const uid of ['p1', 'p2']) await me('get', `/agent/limits${q({ uid, scheduled_for: '2026-11-25' })}`);
  await me('post', '/agent/execute', { task_id: 'contract', simulate: true });
  await me('post', '/calendar/create', { title: 'wins', scheduled_for: '2026-11-24T11:10', duration_minutes: 10 });
  const { body } = await me('get', '/calendar/events?start=2026-11-24&end=2026-11-25');
  const block = (body as { uid: string; plan_uid: string | null }[]).find((e) => e.plan_uid === 'p1');
  await me('patch', '/calendar/edit', { uid: block?.uid, updates: { scheduled_for: '2026-11-25T10:00' } });
  await me('post', '/chat/respond', { prompt: 'Plan two hours of deep work for the thesis tomorrow' });
  await me('post', '/chat/plan-preview', { prompt: 'Remind me to call Ana on Monday at 10' });
  await agent('post', '/agent/plan', { prompt: 'Move wins to Thursday at 9' });
  app.clock.set('2026-11-24T16:30:00.000Z');
  await app.executor.round();
  await me('post', '/agent/execute', { task_id: 'contract' });
};

const exportAndImport = async (me: Call, user_id: string): Promise<void> => {
  const path = (parameters: Record<string, string>): string => `/memport/export${q({ user_id, ...parameters })}`;
  const full = await me('get', path({ export_format: 'full' }));
  await me('get', path({ export_format: 'full', include: 'traces,events,profile', as_of: '9' }));
  await me('get', path({ export_format: 'full' }), undefined, { Accept: 'application/x-ndjson' });
  for (const group_by of ['day', 'task', 'trace_type'])
    await me('get', path({ export_format: 'summary', group_by, tempo_tag: '@deep_work', max_token_count: '500' }));
  await me('get', path({ export_format: 'summary', task_id: 'contract', checkpoint: 'kept' }));
  await me('get', path({ from_checkpoint: 'kept' }));
  await me('get', path({ export_format: 'linked', task_id: 'contract' }));
  await me('get', path({ export_format: 'linked', uid: 'a', max_depth: '2' }));
  await me('get', path({ export_format: 'linked', as_of: '9', start_time: '2026-01-01', end_time: '2026-12-31' }));
  await me('get', path({ export_format: 'diff', from: '4', to: 'kept' }));
  await me('get', path({ export_format: 'diff', start_time: '2026-11-01', end_time: '2026-12-31' }));
  await me('post', '/memport/checkpoints', { tag: 'short', parameters: { export_format: 'full', as_of: 9 } });
  await me('get', '/memport/checkpoints');
  await me('get', nextPage(await me('get', '/memport/ledger?limit=1')));
  for (const uid of ['a', 'e1']) await me('get', `/memport/ledger${q({ uid, as_of: '40' })}`);
  await me('get', `/memport/ledger${q({ subject: 'event', actor: 'user:session' })}`);
  await me('patch', '/memport/checkpoints', { tag: 'short', as_of: '10' });
  await me('delete', '/memport/checkpoints?tag=short');
  await me('get', '/user/archive');
  const { results } = full.body as { results: { uid: string }[] };
  const again = (n: number) => results.slice(0, 3).map((t) => ({ ...t, uid: `again${n}-${t.uid}` }));
  // One in a single part, and one in several.
  for (const times of [1, 10])
    await me('post', '/memport/import', { traces: Array.from({ length: times }, (_, n) => again(times + n)).flat() });
};

const liveWith = async (app: TestApp, owner: TestUser, me: Call): Promise<void> => {
  const { ticket } = (await me('post', '/user/ws-ticket', {})).body as { ticket: string };
  for (const how of [{ token: owner.token }, { path: `/ws?ticket=${ticket}` }]) {
    const socket = await follow(app.url, how);
    socket.subscribe(1);
    await socket.synced();
    await socket.close();
  }
  await me('get', '/agent/changes?after=2&limit=5');
};

const sendChanges = async (app: TestApp, me: Call): Promise<void> => {
  const receiver = await aReceiver();
  try {
    const made = await me('post', '/user/webhooks', { url: receiver.url });
    const { id } = made.body as { id: string };
    await me('post', '/user/webhooks/test', { id });
    await me('post', '/user/webhooks/rotate-secret', { id });
    for (const status of [200, 500, 410]) {
      receiver.answer(() => status);
      await me('post', '/memory/push', { traces: [{ type: 'observation', content: 'sent' }] });
      app.clock.advance(1000);
      await app.sender.settle();
    }
    await me('get', '/user/webhooks');
    await me('get', `/user/webhooks/deliveries?id=${id}`);
    await me('patch', '/user/webhooks', { id, updates: { status: 'active' } });
    await me('delete', `/user/webhooks?id=${id}`);
    await me('post', '/user/webhooks', { url: receiver.url });
  } finally {
    receiver.close();
  }
};

const readOtherCalendars = async (app: TestApp, me: Call): Promise<void> => {
  const server = await aCalendarServer();
  try {
    const event = (uid: string) => vevent(uid, { DTSTART: '20270301T090000Z', SUMMARY: 'Read' });
    server.play('/x.ics', calendarOf(event('a'), event('b')));
    const { id } = (await me('post', '/calendar/sources', { url: server.at('/x.ics'), name: 'Other' })).body as {
      id: string;
    };
    const settle = () => app.services.calendar.sourceRefresh.settle();
    await settle();
    for (const play of [calendarOf(event('a')), () => ({ status: 500 })]) {
      server.play('/x.ics', play);
      await me('post', '/calendar/sources/refresh', { id });
      await settle();
    }
    await me('get', '/calendar/sources');
    await me('patch', '/calendar/sources', { id, updates: { busy: false } });
    await me('delete', `/calendar/sources?id=${id}`);
    server.play('/x.ics', calendarOf(event('a')));
    await me('post', '/calendar/sources', { url: server.at('/x.ics'), name: 'Other' });
    await settle();
  } finally {
    server.close();
  }
};

const runTheService = async (app: TestApp, me: Call): Promise<void> => {
  for (const path of [
    '/',
    '/health',
    '/health/live',
    '/health/ready',
    '/version',
    '/openapi.json',
    '/docs',
    '/docs/scalar.js',
    '/docs/page.js',
    '/docs/openapi.json',
    '/llms.txt',
    '/metrics',
  ])
    await me('get', path);
  await me('post', '/debug/trace-dump', { task_id: 'contract', type: 'observation', as_of: '9' });
  await me('post', '/debug/trace-dump', {});
  await me('get', '/debug/audit');
  const { handle } = app.database;
  const deps = { handle, db: handle.db, clock: app.clock, secret: 'x' };
  await app.resume();
  await app.staged.sweep();
  await createIdempotency(deps).sweep();
  await createTickets(deps).sweep();
  await createSessions(deps).sweep();
};

/** What an administrator does, and the operator. */
const inviteAndLimit = async (app: TestApp, me: Call, anybody: Call): Promise<void> => {
  const invite = async () =>
    (await me('post', '/user/invitations', { label: 'a guest' })).body as { id: string; invitation: string };
  const { invitation } = await invite();
  await me('delete', `/user/invitations?id=${(await invite()).id}`);
  await me('get', '/user/invitations?limit=1');
  await me('get', '/user/invitations');
  const guest = { email: 'guest@example.org', password: 'a long enough password' };
  const { user } = (await anybody('post', '/user/register', { ...guest, invitation })).body as {
    user: { user_id: string };
  };
  await me('get', '/user/storage');
  await me('patch', '/user/storage', { limit_bytes: 1_000_000_000 });
  const { operator } = app.services;
  await operator.list('', 10);
  await operator.find(guest.email);
  await operator.reset(user.user_id);
  await operator.limitStorage(user.user_id, 5_000_000);
  await operator.disable(user.user_id);
  await operator.enable(user.user_id);
  await operator.erase(user.user_id);
};

const keepAccounts = async (app: TestApp, as: (who: Client) => Call, owner: TestUser): Promise<void> => {
  const [me, anybody] = [as(owner), as(client(app, null))] as const;
  await me('get', `/user/profile${q({ user_id: owner.user_id })}`);
  await me('get', '/user/whoami');
  await me('get', '/tempo/tags');
  await me('get', '/tempo/profile');
  const { id } = (await me('post', '/user/keys', { kind: 'user', label: 'short' })).body as { id: string };
  await me('get', '/user/keys');
  await me('delete', `/user/keys?id=${id}`);
  const { email, password } = owner;
  const short = await anybody('post', '/user/register', { email: 'new@example.org', password });
  await as(client(app, (short.body as { token: string }).token))('delete', '/user/account', { password });
  const session = (await anybody('post', '/user/login', { email, password })).body as { refresh_token: string };
  await anybody('post', '/user/refresh', { refresh_token: session.refresh_token });
  const { db } = app.database.handle;
  const admin = (is: boolean) =>
    db.updateTable('users').set({ admin: is }).where('user_id', '=', owner.user_id).execute();
  await admin(true);
  const linked = await anybody('post', '/user/login-link', { ticket: await app.services.links.issueForOwner() });
  await inviteAndLimit(app, as(client(app, (linked.body as { token: string }).token)), anybody);
  await admin(false);
  const updates = { password: 'a new horse battery', current_password: password };
  await me('patch', '/user/update', { updates });
  const login = async (): Promise<string> =>
    ((await anybody('post', '/user/login', { email, password: updates.password })).body as { token: string }).token;
  await login();
  const here = as(client(app, await login()));
  const { link } = (await here('post', '/user/login-links', {})).body as { link: string };
  await anybody('post', '/user/login-link', { ticket: link.split('#ticket=')[1] });
  const { body } = await here('get', '/user/sessions?limit=1');
  await here('get', '/user/sessions');
  await here('delete', `/user/sessions?id=${(body as { id: string }[])[0]?.id}`);
  await as(client(app, await login()))('delete', '/user/sessions?others=true');
  for (const everywhere of [false, true]) await as(client(app, await login()))('post', '/user/logout', { everywhere });
  await login();
};

/** @returns the routes that worked, as `get /path` */
export const liveEverything = async (app: TestApp): Promise<{ done: Set<string>; user_id: string }> => {
  const done = new Set<string>(['get /ws']);
  const { as, raw } = caller(app, done);
  const person = await aUser(app);
  // A login token would not outlive the days of the story.
  const owner = { ...person, ...(await aKey(app, person, 'user')) };
  const [me, agent] = [as(owner), as(owner.agent)] as const;
  await remember(me, app.database.vectors);
  await planAndDecide(app, me, agent);
  await keepCalendar(app, owner, me, raw);
  await exportAndImport(me, owner.user_id);
  await liveWith(app, owner, me);
  await readOtherCalendars(app, me);
  await sendChanges(app, me);
  await runTheService(app, me);
  const mcp = { Accept: 'application/json, text/event-stream' };
  await agent('post', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' }, mcp);
  await keepAccounts(app, as, owner);
  return { done, user_id: owner.user_id };
};
