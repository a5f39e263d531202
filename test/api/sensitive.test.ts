/** One rule for all readers: without export:sensitive nobody sees authored_by, chat_url, or their values in any text. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { possibleScopes, type Scope } from '../../src/domain/access/caller.ts';
import { KEPT_WHOLE } from '../../src/domain/record/blanking.ts';
import { davRoutes, type DavDeps } from '../../src/dav/routes.ts';
import type { Route } from '../../src/http/route.ts';
import { aKey, anApp, aUser, type Client, type TestApp, type TestUser } from '../support/app.ts';
import { query } from '../support/dav-story.ts';
import { follow } from '../support/follower.ts';
import { hearStatements } from '../support/statements.ts';
import { unzipped } from '../support/zip.ts';
import { aModel, fails, type StubModel } from '../support/model.ts';
import { hasVectors, IF_VECTORS } from '../support/vectors.ts';

const SECRET = 'Zoë Quist';
const WORD = 'Zebulonia';
const ADDRESS = 'https://chat.example/7';
const HIDDEN = /zoë|quist|zebulonia|chat\.example|"authored_by"|"chat_url"/i;

let app: TestApp;
let model: StubModel;
let user: TestUser;
/** Everything that an agent can hold, and everything but export:sensitive. */
let agent: Client;
let blind: Client;

const soon = (hour: number): string => `2026-12-0${1 + (hour % 7)}T${String(8 + (hour % 11)).padStart(2, '0')}:00`;
let hours = 0;
const action = (more: object = {}) => ({
  ...{
    action_type: 'schedule',
    title: `Meet ${SECRET}`,
    content: `${SECRET} and ${WORD}`,
    reasoning: `${SECRET} asked`,
  },
  ...{ arguments: {}, tags: [WORD], task_id: 'talks', duration_minutes: 5, scheduled_for: soon(hours++) },
  ...more,
});

const push = (who: Client, trace: object) =>
  who.post('/memory/push', { traces: [{ type: 'observation', content: `${SECRET} said so.`, ...trace }] }).expect(201);

/** Everything that can hold a text, told with the secrets in it. */
const tellSecrets = async (): Promise<void> => {
  await push(user, {
    ...{ uid: 'source', authored_by: SECRET, chat_url: ADDRESS, content: `By ${SECRET} at ${ADDRESS}`, tags: [WORD] },
    ...{ notes: `see ${SECRET}`, metadata: { [SECRET]: [WORD] }, task_id: 'talks' },
  });
  await push(user, { uid: 'other', authored_by: WORD, linked_trace_ids: ['source'] });
  // The first value of the source ends below, so another trace keeps it.
  await push(user, { uid: 'keeper', authored_by: SECRET });
  // So long that summaries and snippets are cut, and within the name.
  const content = Array.from({ length: 90 }, (_, i) => `${'so '.repeat(i % 4)}${SECRET} decided ${i}`).join(', ');
  await push(user, { uid: 'long', content, task_id: 'talks' });
  await user
    .patch('/memory/edit', { uid: 'source', updates: { authored_by: `${SECRET} II`, notes: `${WORD}!` } })
    .expect(200);
  await user.patch('/user/update', { updates: { display_name: SECRET } }).expect(200);
  await user
    .post('/tempo/adjust', {
      preferences: {
        time_ranges: [{ name: WORD, days: ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'], start: '08:00', end: '20:00' }],
      },
    })
    .expect(200);
  await user
    .post('/calendar/create', {
      ...{ uid: 'tea', title: `Tea with ${SECRET}`, description: WORD, location: ADDRESS, tags: [WORD] },
      ...{ scheduled_for: '2026-12-20T10:00', duration_minutes: 30, rrule: 'FREQ=DAILY;COUNT=3' },
    })
    .expect(201);
  await user
    .patch('/calendar/edit', {
      uid: 'tea',
      recurrence_id: '2026-12-21T10:00',
      updates: { title: `Cake with ${SECRET}` },
    })
    .expect(200);
  await user.post('/agent/plan', { actions: [action({ uid: 'pending' })] }).expect(200);
  await user.post('/agent/plan', { actions: [action({ uid: 'gone' })] }).expect(200);
  await user.post('/agent/reject', { uid: 'gone', note: `${SECRET} is away` }).expect(200);
};

type Ask = {
  /** The whole path, where that of the route has parameters. */
  at?: () => string;
  path?: () => string | Promise<string>;
  body?: () => object | Promise<object>;
  /** A body in XML. */
  text?: string;
  type?: string;
  accept?: string;
  status?: number | number[];
};

const fresh = async (who: Client, more: object = {}): Promise<string> =>
  (await who.post('/agent/plan', { actions: [action(more)] }).expect(200)).body[0].uid;
const anEvent = async (): Promise<{ uid: string; seq: number }> =>
  (
    await user
      .post('/calendar/create', {
        title: `Walk with ${SECRET}`,
        scheduled_for: '2027-01-20T10:00',
        duration_minutes: 5,
      })
      .expect(201)
  ).body;
const exported = (format: string, more = '') => `?user_id=${user.user_id}&export_format=${format}${more}`;

const MCP_ARGUMENTS: Record<string, object> = {
  search_memory: { query: SECRET },
  list_events: { start: '2026-12-19', end: '2026-12-23' },
};

type Asks = { tells?: Ask[]; quiet?: Ask[] };

const NOWHERE = '0199f0f0-0000-7000-8000-000000000000';

/** The calendars that a program asks, with a resource in each: the person's, the proposals, and one that does not exist. */
const CALENDARS = [
  { collection: 'calendar', name: 'tea.ics' },
  { collection: 'agent-plan', name: 'proposal-pending.ics' },
  { collection: `source-${NOWHERE}`, name: 'tea.ics' },
];

/** What calendar programs ask. */
const davAsks = (): Record<string, Asks> => {
  const [ALL, EVENTS] = ['<propfind xmlns="DAV:"><allprop/></propfind>', query('')];
  const UPDATE = '<propertyupdate xmlns="DAV:"><set><prop><displayname/></prop></set></propertyupdate>';
  const all: Record<string, Asks> = {};
  for (const { method, path, scopes } of davRoutes({} as DavDeps)) {
    if (scopes === 'public') continue;
    const asked: Required<Asks> = { tells: [], quiet: [] };
    const text = { propfind: ALL, report: EVENTS, proppatch: UPDATE }[method as string];
    const isObject = path.includes(':name');
    const isRead = isObject ? method === 'get' : method === 'report';
    const isWrite = method === 'put' || method === 'delete';
    for (const { collection, name } of path.includes(':collection') ? CALENDARS : CALENDARS.slice(0, 1)) {
      const isThere = !collection.startsWith('source-');
      const at = () =>
        path
          .replace(':user_id', user.user_id)
          .replace(':collection', collection)
          .replace(':name', isWrite ? `${name}x` : name);
      const one = { at, ...(text === undefined ? {} : { text }) };
      if (!isThere) asked.quiet.push({ ...one, status: [403, 404] });
      else if (isRead && path.includes(':collection')) asked.tells.push({ ...one, status: isObject ? 200 : 207 });
      // 403 of a credential that may not write there.
      else if (isWrite) asked.quiet.push({ ...one, status: [403, 404] });
      else asked.quiet.push({ ...one, status: method === 'proppatch' ? [207, 403] : method === 'report' ? 403 : 207 });
    }
    all[`${method} ${path}`] = asked;
  }
  return all;
};

/**
 * How each route is asked, by whoever may; `tells` are asks whose answer to the owner holds a secret, so that silence means something.
 * A route that is absent fails the test.
 */
const asks = (who: Client): Record<string, Asks> => ({
  ...davAsks(),
  'post /chat/respond': {
    tells: [{ body: () => ({ prompt: `Move tea with ${SECRET} to Friday at 9` }) }],
    quiet: [{ body: () => ({ prompt: `Log that ${SECRET} is well`, stream: true }), type: 'text/event-stream' }],
  },
  'post /chat/plan-preview': { tells: [{ body: () => ({ actions: [action()] }) }] },
  'post /chat/trace-summary': {
    tells: [
      { body: () => ({ trace_ids: ['source', 'long'] }) },
      { body: () => ({ trace_ids: ['long'], max_token_count: 21 }) },
    ],
  },
  'post /memory/push': {
    quiet: [{ body: () => ({ traces: [{ type: 'observation', content: SECRET, authored_by: SECRET }] }), status: 201 }],
  },
  'get /memory/pull': {
    tells: [{}, { path: () => '?tag=Zebulonia' }, { path: () => '?as_of=12' }, { path: () => '?type=agent_plan' }],
  },
  'patch /memory/edit': {
    tells: [
      {
        body: async () => {
          const [{ uid }] = (await push(who, { authored_by: SECRET })).body;
          return { uid, updates: { tags: ['seen'] } };
        },
      },
    ],
  },
  'delete /memory/remove': { quiet: [{ path: async () => `?uid=${(await push(who, {})).body[0].uid}` }] },
  'get /memory/history': {
    tells: [{ path: () => '?uid=source' }, { path: () => '?uid=gone' }, { path: () => '?uid=source&limit=1' }],
  },
  'post /memory/search': {
    tells: [
      { body: () => ({ query: SECRET, explain: true }) },
      { body: () => ({ query: 'decided 77', limit: 3 }) },
      { body: () => ({ query: 'zebulonja', explain: true, mode: 'keyword' }) },
    ],
  },
  'post /calendar/create': {
    tells: [{ body: () => ({ title: SECRET, scheduled_for: '2027-02-01T10:00', duration_minutes: 5 }), status: 201 }],
  },
  'get /calendar/events': { tells: [{ path: () => '?start=2026-12-01&end=2026-12-31' }] },
  'get /calendar/event': { tells: [{ path: () => '?uid=tea' }] },
  'patch /calendar/edit': {
    tells: [{ body: async () => ({ uid: (await anEvent()).uid, updates: { duration_minutes: 6 } }) }],
  },
  'delete /calendar/remove': { tells: [{ path: async () => `?uid=${(await anEvent()).uid}` }] },
  'post /calendar/remove': { tells: [{ body: async () => ({ removals: [{ uid: (await anEvent()).uid }] }) }] },
  'post /calendar/undo': { tells: [{ body: async () => ({ seq: (await anEvent()).seq }) }] },
  'get /calendar/slots': { quiet: [{ path: () => '?duration_minutes=30' }] },
  'get /calendar/freebusy': { quiet: [{}] },
  'get /calendar/export.ics': { tells: [{}] },
  'post /calendar/import': {
    quiet: [{ body: () => ({}), status: 415 }],
  },
  'post /agent/plan': {
    tells: [{ body: () => ({ actions: [action()] }) }],
    quiet: [{ body: () => ({ prompt: `Remind me to call ${SECRET} on Monday at 10` }) }],
  },
  'get /agent/plan': { tells: [{ path: () => '?uid=pending' }] },
  'get /agent/queue': { tells: [{}, { path: () => '?status=rejected' }] },
  'post /agent/approve': {
    tells: [{ body: async () => ({ uid: await fresh(who) }) }, { body: async () => ({ uids: [await fresh(who)] }) }],
  },
  'post /agent/reject': { tells: [{ body: async () => ({ uid: await fresh(who), note: `No, ${SECRET}` }) }] },
  'post /agent/undo': {
    tells: [
      {
        body: async () => {
          const uid = await fresh(who);
          await who.post('/agent/reject', { uid, note: `No, ${SECRET}` }).expect(200);
          return { uid };
        },
      },
    ],
  },
  'post /agent/take-back': {
    tells: [
      {
        body: async () => {
          await fresh(user.agent);
          const [{ agent }] = (await user.get('/agent/activity').expect(200)).body;
          return { agent: agent.id, since: '0', simulate: true };
        },
      },
    ],
  },
  'post /agent/withdraw': { tells: [{ body: async () => ({ uid: await fresh(who) }) }] },
  'post /agent/execute': {
    tells: [
      {
        body: async () => {
          await user.patch('/user/update', { updates: { execution: 'manual' } }).expect(200);
          const task_id = `run ${hours}`;
          await user.post('/agent/approve', { uid: await fresh(user, { task_id }) }).expect(200);
          return { task_id };
        },
      },
    ],
  },
  'post /agent/feedback': { tells: [{ body: () => ({ uid: 'source', feedback_rating: 4 }) }] },
  'get /agent/status': { quiet: [{}] },
  'get /agent/activity': { quiet: [{}] },
  'get /agent/limits': { quiet: [{ path: () => '?uid=pending' }] },
  'get /agent/changes': { tells: [{ path: () => '?after=0&limit=1000' }] },
  'get /tempo/tags': { quiet: [{}] },
  'get /tempo/profile': { tells: [{}] },
  'post /tempo/adjust': { tells: [{ body: () => ({ preferences: {} }) }] },
  'post /user/logout': { quiet: [{ body: () => ({ everywhere: false }), status: 422 }] },
  'get /user/profile': { tells: [{}] },
  'patch /user/update': { tells: [{ body: () => ({ updates: { execution: 'automatic' } }) }] },
  'delete /user/account': { quiet: [{ body: () => ({ password: 'not the password' }), status: 422 }] },
  'get /user/archive': { quiet: [{}] }, // unpacked below
  'get /user/keys': { quiet: [{}] },
  'get /user/storage': { quiet: [{}] },
  'patch /user/storage': { quiet: [{ body: () => ({ limit_bytes: 1 }), status: 403 }] },
  'get /user/invitations': { quiet: [{ status: 403 }] },
  'post /user/invitations': { quiet: [{ body: () => ({ label: 'x' }), status: 403 }] },
  'delete /user/invitations': { quiet: [{ path: () => '?id=x', status: 403 }] },
  'post /user/keys': {
    tells: [{ body: () => ({ kind: 'agent', label: `for ${SECRET}`, scopes: ['tempo:read'] }), status: 201 }],
  },
  'delete /user/keys': {
    quiet: [
      {
        path: async () =>
          `?id=${(await user.post('/user/keys', { kind: 'agent', label: 'x', scopes: ['tempo:read'] }).expect(201)).body.id}`,
      },
    ],
  },
  'post /user/ws-ticket': { quiet: [{ body: () => ({}) }] },
  // Only a login makes one, and no login is here.
  'post /user/login-links': { quiet: [{ body: () => ({}), status: 403 }] },
  'get /ws': { quiet: [{ status: 400 }] }, // opened below
  'get /memport/export': {
    tells: ['full', 'summary', 'linked', 'diff'].map((format) => ({ path: () => exported(format) })),
  },
  'get /memport/ledger': { tells: [{}, { path: () => '?uid=pending' }] },
  'get /memport/checkpoints': { quiet: [{}] },
  'post /memport/checkpoints': {
    quiet: [{ body: () => ({ tag: `kept-${hours++}`, parameters: { export_format: 'full' } }), status: 201 }],
  },
  'patch /memport/checkpoints': { quiet: [{ body: () => ({ tag: 'none' }), status: 404 }] },
  'delete /memport/checkpoints': {
    quiet: [
      {
        path: async () => {
          const tag = `gone-${hours++}`;
          await who.post('/memport/checkpoints', { tag, parameters: { export_format: 'full' } }).expect(201);
          return `?tag=${tag}`;
        },
      },
    ],
  },
  'post /memport/import': { quiet: [{ body: () => ({ traces: [] }) }] },
  'post /debug/trace-dump': { tells: [{ body: () => ({}) }] },
  'get /debug/audit': { quiet: [{}] },
  'get /metrics': { quiet: [{}] },
  'get /user/sessions': { quiet: [{}] },
  'delete /user/sessions': { quiet: [{ path: () => '?id=none', status: 404 }] },
  'get /user/whoami': { quiet: [{}] },
  'post /mcp': {
    tells: ['search_memory', 'list_memory', 'list_events', 'list_proposals'].map((name) => ({
      accept: 'application/json, text/event-stream',
      body: () => ({
        ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
        params: { name, arguments: MCP_ARGUMENTS[name] ?? {} },
      }),
    })),
  },
  'post /user/webhooks': {
    tells: [{ body: () => ({ url: 'http://127.0.0.1:9/hook', description: `Tells ${SECRET}` }), status: 201 }],
  },
  'get /user/webhooks': { tells: [{}] },
  'patch /user/webhooks': { quiet: [{ body: () => ({ id: NOWHERE, updates: { status: 'active' } }), status: 404 }] },
  'delete /user/webhooks': { quiet: [{ path: () => `?id=${NOWHERE}`, status: 404 }] },
  'post /user/webhooks/rotate-secret': { quiet: [{ body: () => ({ id: NOWHERE }), status: 404 }] },
  'post /user/webhooks/test': { quiet: [{ body: () => ({ id: NOWHERE }), status: 404 }] },
  'get /user/webhooks/deliveries': { quiet: [{ path: () => `?id=${NOWHERE}`, status: 404 }] },
  'post /calendar/sources': {
    tells: [{ body: () => ({ url: 'http://127.0.0.1:9/x.ics', name: `Tells ${SECRET}` }), status: 201 }],
  },
  'get /calendar/sources': { tells: [{}] },
  'patch /calendar/sources': { quiet: [{ body: () => ({ id: NOWHERE, updates: { name: 'x' } }), status: 404 }] },
  'delete /calendar/sources': { quiet: [{ path: () => `?id=${NOWHERE}`, status: 404 }] },
  'post /calendar/sources/refresh': { quiet: [{ body: () => ({ id: NOWHERE }), status: 404 }] },
});

const ask = async (who: Client, name: string, { at, path, text, body, accept, status }: Ask): Promise<string> => {
  const [method, route] = name.split(' ') as ['get', string];
  const asked = who[method]((at?.() ?? route) + ((await path?.()) ?? ''), await body?.()).buffer(true);
  if (text !== undefined) void asked.set({ 'Content-Type': 'application/xml', Depth: '1' }).send(text);
  const answer = await (accept === undefined ? asked : asked.set('Accept', accept));
  expect([status ?? 200].flat(), `${name} answered ${answer.text}`).toContain(answer.status);
  return answer.text ?? '';
};

beforeAll(async () => {
  app = await anApp();
  user = await aUser(app);
  agent = await aKey(app, user, 'agent', possibleScopes('agent', false));
  blind = await aKey(
    app,
    user,
    'user',
    possibleScopes('user', false).filter((scope) => scope !== 'export:sensitive'),
  );
  await tellSecrets();
});
afterAll(() => app.close());

describe('every route', () => {
  test('is asked here, with what it is asked', () => {
    const secured = app.routes
      .filter((route) => route.scopes !== 'public')
      .map((route) => `${route.method} ${route.path}`);
    expect(Object.keys(asks(user)).toSorted()).toEqual(secured.toSorted());
  });

  const names = Object.keys(asks({} as Client));

  test.each(names)('%s tells neither an agent nor a blind key', async (name) => {
    const [method, path] = name.split(' ');
    const route = app.routes.find((r) => r.method === method && r.path === path) as Route;
    for (const [who, held] of [
      [agent, possibleScopes('agent', false)],
      [blind, possibleScopes('user', false)],
    ] as const) {
      if (!(route.scopes as Scope[]).every((scope) => held.includes(scope))) continue;
      const { tells = [], quiet = [] } = asks(who)[name] ?? {};
      for (const one of [...tells, ...quiet]) expect(await ask(who, name, one)).not.toMatch(HIDDEN);
    }
  });

  test.each(names.filter((name) => asks({} as Client)[name]?.tells))('%s tells the owner', async (name) => {
    for (const one of asks(user)[name]?.tells ?? []) expect(await ask(user, name, one)).toMatch(HIDDEN);
  });
});

describe('every other way out', () => {
  test('problems, which quote what stands in the way', async () => {
    const onTea = { scheduled_for: '2026-12-20T10:00' };
    const moved = (who: Client, uid: string) => who.patch('/memory/edit', { uid, updates: onTea }).expect(409);
    const told = await moved(user, await fresh(user, { title: 'a walk', content: 'a walk', reasoning: '' }));
    expect(told.body.detail).toContain(`Tea with ${SECRET}`);
    const { body, text } = await moved(agent, await fresh(agent, { title: 'a ride', content: 'a ride' }));
    expect(body).toMatchObject({ code: 'slot_taken', busy: [{ uid: 'tea', title: 'Tea with [redacted]' }] });
    expect(text).not.toMatch(HIDDEN);
  });

  test('a reflection, which keeps the beginnings of many texts', async () => {
    const long =
      'Professor Ottoline Farnsworth of the Hollowmere Institute for Advanced Oceanic Studies and Tidal Research';
    const content = `${long} wrote about the tides, and about the moon.`;
    for (let i = 0; i < 20; i++) await push(user, { task_id: 'tides', content, ...(i ? {} : { authored_by: long }) });
    await agent
      .post('/agent/plan', {
        actions: [{ uid: 'look-back', action_type: 'reflect', title: 'Look back', task_id: 'tides' }],
      })
      .expect(200);
    expect((await user.post('/agent/approve', { uid: 'look-back' }).expect(200)).body.status).toBe('executed');
    const [reflection] = (await agent.get('/memory/pull?type=reflection&task_id=tides').expect(200)).body;
    expect(reflection.content).toContain('wrote about the tides');
    expect(reflection.content).not.toMatch(/Ottoline|Farnsworth|Hollowmere|Oceanic/);
  });

  test('sockets, live and replayed', async () => {
    const [seeing, blinded] = [
      await follow(app.url, { token: user.token }),
      await follow(app.url, { token: agent.token }),
    ];
    for (const socket of [seeing, blinded]) {
      socket.subscribe(0);
      await socket.synced();
    }
    const [{ uid, seq }] = (await push(user, { authored_by: 'Somebody New', content: 'Somebody New says: Zoë Quist.' }))
      .body;
    for (const socket of [seeing, blinded]) await socket.next((message) => message.sequence === seq);
    expect(JSON.stringify(seeing.heard)).toMatch(/Somebody New says: Zoë Quist/);
    const told = JSON.stringify(blinded.heard);
    expect(told).toContain(uid);
    expect(told).toContain('[redacted] says: [redacted].');
    expect(told).not.toMatch(HIDDEN);
    expect(told).not.toContain('Somebody New');
    await Promise.all([seeing.close(), blinded.close()]);
  });

  test('streams of an export and of the chat, the archive', async () => {
    const streamed = async (path: string, init: RequestInit = {}): Promise<string> => {
      const headers = {
        Authorization: `Bearer ${agent.token}`,
        'Content-Type': 'application/json',
        ...(init.headers as Record<string, string>),
      };
      const answer = await fetch(`${app.url}${path}`, { ...init, headers });
      expect(answer.status).toBe(200);
      return answer.text();
    };
    expect(
      await streamed(`/memport/export${exported('full')}`, { headers: { Accept: 'application/x-ndjson' } }),
    ).not.toMatch(HIDDEN);
    const chat = await streamed('/chat/respond', {
      method: 'POST',
      body: JSON.stringify({ prompt: 'Move tea to Friday at 11', stream: true }),
    });
    expect(chat).toContain('event: done');
    const said = [...chat.matchAll(/^event: delta\ndata: (.*)$/gm)].map(
      ([, data]) => (JSON.parse(data as string) as { text: string }).text,
    );
    expect(said.join('')).toContain('[redacted]');
    expect(said.join('')).not.toMatch(HIDDEN);
    expect(chat).not.toMatch(HIDDEN);
    const archive = async (who: Client): Promise<string> => {
      const answer = await fetch(`${app.url}/user/archive`, { headers: { Authorization: `Bearer ${who.token}` } });
      return [...unzipped(Buffer.from(await answer.arrayBuffer())).values()].join('\n');
    };
    expect(await archive(user)).toMatch(HIDDEN);
    for (const who of [agent, blind]) expect((await archive(who)).replace(/\r\n /g, '')).not.toMatch(HIDDEN);
  });

  test('an answer kept under an Idempotency-Key is not another reader’s', async () => {
    const [{ uid }] = (await push(user, { authored_by: SECRET })).body;
    const body = { uid, updates: { tags: ['kept'] } };
    expect((await user.patch('/memory/edit', body).set('Idempotency-Key', 'shared').expect(200)).text).toMatch(HIDDEN);
    const again = await blind.patch('/memory/edit', body).set('Idempotency-Key', 'shared');
    expect(again.status).toBe(422);
    expect(again.text).not.toMatch(HIDDEN);
    // An agent has keys of its own: to it this one is new.
    const first = await agent.patch('/memory/edit', body).set('Idempotency-Key', 'shared').expect(200);
    expect(first.headers['idempotent-replayed']).toBeUndefined();
    expect(first.text).not.toMatch(HIDDEN);
  });

  test('what the model is shown for an agent', async () => {
    model = await aModel(fails(500));
    const other = await anApp({ database: app.database, env: { OPENAI_BASE_URL: model.baseURL, OPENAI_API_KEY: 'x' } });
    const prompt = 'Plan a talk about what was decided and tea';
    for (const who of [agent, user])
      await fetch(`${other.url}/chat/plan-preview`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${who.token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ prompt }),
      }).then((answer) => answer.text());
    const shown = model.requests.map(({ body }) => JSON.stringify(body.messages));
    const half = shown.length / 2;
    expect(shown.slice(0, half).join('')).toContain('redacted');
    expect(shown.slice(0, half).join('')).not.toMatch(HIDDEN);
    expect(shown.slice(half).join('')).toMatch(/Quist/);
    await other.close();
    await model.close();
  });
});

describe('a guess of a hidden word is answered as any other', () => {
  test('of a question about proposals', async () => {
    const program = await aKey(app, user, 'agent', ['plan:propose', 'plan:read']);
    await user
      .post('/agent/plan', { actions: [{ action_type: 'log', title: `Call ${WORD} about sailing` }] })
      .expect(200);
    const said = async (who: Client, word: string): Promise<string> =>
      (await who.post('/chat/respond', { prompt: `Which proposals for ${word} are waiting?` }).expect(200)).body.reply;
    expect(await said(program, 'sailing')).toContain('There is 1 proposal');
    expect(await said(user, WORD)).toContain('about sailing');
    for (const word of [WORD, OTHER]) expect(await said(program, word)).toMatch(/^There is no proposal/);
  });

  const OTHER = 'Quentin';

  test('of a question about events', async () => {
    await user
      .post('/calendar/create', {
        title: `Dinner with ${WORD}`,
        scheduled_for: '2026-12-15T19:00',
        duration_minutes: 60,
      })
      .expect(201);
    for (const words of ['When is my meeting with', 'What is on my calendar on 15 december with']) {
      const said = async (who: Client, word: string): Promise<string> =>
        (await who.post('/chat/respond', { prompt: `${words} ${word}?` }).expect(200)).body.reply;
      expect(await said(user, WORD)).toContain('15 December');
      expect((await said(blind, WORD)).replaceAll('[redacted]', OTHER)).toBe(await said(blind, OTHER));
    }
  });

  test('of a plan that changes an event', async () => {
    await user
      .post('/calendar/create', {
        title: `Supper with ${WORD}`,
        scheduled_for: '2026-12-14T19:00',
        duration_minutes: 60,
      })
      .expect(201);
    const planned = async (word: string): Promise<{ title: string; target_event_uid: string }[]> =>
      (await agent.post('/chat/plan-preview', { prompt: `Cancel supper with ${word}` }).expect(200)).body;
    expect((await planned(WORD)).map((p) => p.target_event_uid)).toEqual(
      (await planned(OTHER)).map((p) => p.target_event_uid),
    );
    // What the agent may name, it may change, and the person reads the whole title.
    const { plans } = (await agent.post('/chat/respond', { prompt: 'Cancel supper on 14 december' }).expect(200)).body;
    const whole = (await user.get(`/agent/plan?uid=${plans[0].uid}`).expect(200)).body;
    expect(whole.title).toContain(`Supper with ${WORD}`);
    expect(whole.reasoning).toContain(`Supper with ${WORD}`);
    expect(JSON.stringify(whole)).not.toContain('[redacted]');
  });

  test('of a plan that changes a proposal', async () => {
    const proposed = { action_type: 'schedule', title: `Lunch with ${WORD}`, duration_minutes: 60 };
    const { body } = await agent
      .post('/agent/plan', { actions: [{ ...proposed, scheduled_for: '2026-12-17T12:00' }] })
      .expect(200);
    const { uid } = body[0];
    const planned = async (word: string): Promise<{ uid: string }[]> =>
      (await agent.post('/chat/plan-preview', { prompt: `Move lunch with ${word} to 15:00` }).expect(200)).body;
    const names = (plans: { uid: string }[]): boolean => plans.some((plan) => plan.uid === uid);
    expect(names(await planned(WORD))).toBe(names(await planned(OTHER)));
    // What the agent may name, it may change, and the person reads the whole title.
    await agent.post('/chat/respond', { prompt: 'Move lunch to 15:00' }).expect(200);
    const whole = (await user.get(`/agent/plan?uid=${uid}`).expect(200)).body;
    expect(whole).toMatchObject({ title: `Lunch with ${WORD}`, scheduled_for: '2026-12-17T14:00:00.000Z' });
    expect(JSON.stringify(whole)).not.toContain('[redacted]');
  });

  test('of an import of a trace, also by whoever made it', async () => {
    const trace = { type: 'observation', content: 'The budget is fine.', timestamp: '2026-11-01T10:00:00Z' };
    const imported = async (who: Client, uid: string, authored_by: string) =>
      (await who.post('/memport/import', { traces: [{ ...trace, uid, authored_by }] }).expect(200)).body;
    await user.post('/memory/push', { traces: [{ ...trace, uid: 'persons', authored_by: WORD }] }).expect(201);
    await agent.post('/memory/push', { traces: [{ ...trace, uid: 'agents' }] }).expect(201);
    await user.patch('/memory/edit', { uid: 'agents', updates: { authored_by: WORD } }).expect(200);
    for (const uid of ['persons', 'agents']) {
      for (const word of [WORD, OTHER])
        expect(await imported(agent, uid, word)).toMatchObject({ created: 0, unchanged: 0, conflicts: [uid] });
      expect(await imported(user, uid, WORD)).toMatchObject({ unchanged: 1, conflicts: [] });
      const { body } = await agent.post('/memport/import', { traces: [{ ...trace, uid }] }).expect(200);
      expect(body).toMatchObject({ unchanged: 1 });
    }
  });

  test('of an import of an event, which stays whole where its title is sent back as it was shown', async () => {
    const title = `Tea with ${WORD}`;
    await user
      .post('/calendar/create', { uid: 'guessed-tea', title, scheduled_for: '2026-12-16T15:00Z', duration_minutes: 60 })
      .expect(201);
    const imported = async (who: Client, summary: string, more: string[] = []) => {
      const lines = [
        'BEGIN:VCALENDAR',
        'VERSION:2.0',
        'PRODID:x',
        'BEGIN:VEVENT',
        'UID:guessed-tea',
        'DTSTAMP:20261101T000000Z',
      ];
      lines.push('DTSTART:20261216T150000Z', 'DTEND:20261216T160000Z', `SUMMARY:${summary}`, ...more);
      const sent = who.post('/calendar/import').set('Content-Type', 'text/calendar');
      return (await sent.send(`${[...lines, 'END:VEVENT', 'END:VCALENDAR'].join('\r\n')}\r\n`)).body;
    };
    const stored = async () => (await user.get('/calendar/event?uid=guessed-tea').expect(200)).body;
    const shown = (await blind.get('/calendar/event?uid=guessed-tea').expect(200)).body.title;
    expect(shown).toBe('Tea with [redacted]');
    for (const word of [WORD, OTHER])
      expect(await imported(blind, `Tea with ${word}`)).toMatchObject({ code: 'nothing_imported' });
    expect(await imported(blind, shown, ['LOCATION:Kitchen'])).toMatchObject({ updated: 1 });
    expect(await stored()).toMatchObject({ title, location: 'Kitchen' });
  });

  test('of a search that has more hits than a page', async () => {
    for (let n = 0; n < 3; n++) await push(user, { content: `Ring ${n} for ${WORD}` });
    for (const query of [WORD, 'Wilhelmina'])
      for (const limit of [1, 100]) {
        const { body, headers } = await blind.post('/memory/search', { query, limit }).expect(200);
        expect([body, headers['link']]).toEqual([[], undefined]);
      }
    // Beside a word that the agent sees, a hidden one changes nothing either.
    for (let n = 0; n < 3; n++) await push(user, { content: `Invoice ${n}` });
    await push(user, { content: `Invoice for ${WORD}` });
    const found = async (word: string) => {
      const { body, headers } = await blind.post('/memory/search', { query: `invoice ${word}`, limit: 1 }).expect(200);
      return [body.length, headers['link'] !== undefined];
    };
    expect(await found(WORD)).toEqual([1, true]);
    expect(await found('Wilhelmina')).toEqual([1, true]);
    const more = await user.post('/memory/search', { query: WORD, limit: 1 }).expect(200);
    expect(more.headers['link']).toContain('next');
  });

  describe('of a search by a word that is hidden in some traces and shown in others', () => {
    const asked = async (who: Client, body: object) => {
      const pages: { uid: string; confidence: number; explain?: object }[][] = [];
      for (let path: string | undefined = '/memory/search'; path;) {
        const answer: { body: (typeof pages)[number]; headers: Record<string, string> } = await who
          .post(path, { mode: 'keyword', ...body })
          .expect(200);
        pages.push(answer.body);
        path = /<(.*)>; rel="next"/.exec(answer.headers['link'] ?? '')?.[1];
      }
      return pages;
    };
    const people = async (...values: string[]) => {
      const person = await aUser(app);
      const program = await aKey(app, person, 'agent', possibleScopes('agent', false));
      for (const value of values) await push(person, { authored_by: value, content: 'A source.' });
      return { person, program };
    };
    const uids = (pages: { uid: string }[][]) => pages.flat().map(({ uid }) => uid);

    test('every page is full of what is shown', async () => {
      const { person, program } = await people('Zebulonia Quist');
      const traces = Array.from({ length: 130 }, (_, i) => ({ uid: `shown ${i}`, content: `Zebulonia is land ${i}.` }));
      traces.push(...Array.from({ length: 20 }, (_, i) => ({ uid: `not ${i}`, content: 'Zebulonia Quist: Hello.' })));
      await person
        .post('/memory/push', { traces: traces.map((trace) => ({ type: 'observation', ...trace })) })
        .expect(201);
      const pages = await asked(program, { query: 'Zebulonia', limit: 100 });
      expect(pages.map((page) => page.length)).toEqual([100, 30]);
      expect(new Set(uids(pages)).size).toBe(130);
      expect(uids(pages).filter((uid) => uid.startsWith('not'))).toEqual([]);
    });

    test('a page that is cut by its bytes is followed by the next', async () => {
      const { person, program } = await people('Zebulonia Quist');
      const long = (i: number) => ({
        uid: `t${i}`,
        type: 'observation',
        content: `Zebulonia ${i}: ${'so '.repeat(8_300)}`,
      });
      for (const from of [0, 25])
        await person.post('/memory/push', { traces: Array.from({ length: 25 }, (_, i) => long(from + i)) }).expect(201);
      const pages = await asked(program, { query: 'Zebulonia', limit: 50 });
      expect(pages.length).toBeGreaterThan(1);
      expect(new Set(uids(pages)).size).toBe(50);
    });

    test('what is shown whole is found by other forms and by named times too', async () => {
      const { person, program } = await people('went may');
      await push(person, { uid: 'form', content: 'We go to the lake.', timestamp: '2026-03-01T10:00:00Z' });
      await push(person, { uid: 'time', content: 'A boat.', timestamp: '2026-05-08T10:00:00Z' });
      await push(person, { uid: 'part', content: 'Went May?', timestamp: '2026-05-09T10:00:00Z' });
      expect(uids(await asked(program, { query: 'went' }))).toEqual(['form']);
      expect(uids(await asked(program, { query: 'May 2026' }))).toEqual(['time']);
    });

    test.skipIf(!hasVectors)(`the meaning of a text that is shown in part is not told${IF_VECTORS}`, async () => {
      const { person, program } = await people('harbour boat');
      await push(person, { uid: 'part', content: 'The harbour boat.' });
      await push(person, { uid: 'whole', content: 'A ship in the port.' });
      for (const query of ['harbour', 'boats']) {
        expect(uids(await asked(program, { query, mode: 'semantic' }))).toEqual(['whole']);
        expect(uids(await asked(person, { query, mode: 'semantic' }))).toEqual(['part', 'whole']);
      }
    });

    test.skipIf(!hasVectors)(`a guess that means what is hidden finds as any other does${IF_VECTORS}`, async () => {
      const { person, program } = await people('harbour boat');
      await push(person, { uid: 'part', content: 'Lunch at the harbour boat.' });
      await push(person, { uid: 'whole', content: 'Lunch at the office.' });
      for (const mode of ['hybrid', 'semantic'])
        for (const word of ['harbour', 'ship', 'violin']) {
          const found = (await asked(program, { query: `lunch ${word}`, mode, explain: true })).flat();
          const part = found.find(({ uid }) => uid === 'part');
          expect(part?.explain ?? {}).not.toHaveProperty('arms.semantic');
          expect(uids([found])).toEqual(mode === 'hybrid' ? expect.arrayContaining(['part', 'whole']) : ['whole']);
        }
    });

    test('a guess changes no confidence, no rank, no page and no correction', async () => {
      const { person, program } = await people('Zebulonia Quist');
      for (let i = 0; i < 4; i++) {
        await push(person, { uid: `t${i}`, content: `Invoice ${i}, ${'paid '.repeat(i)}`, task_id: 'bills' });
        await push(person, { content: `Invoice for Zebulonia Quist ${i}`, task_id: 'bills' });
        await push(person, { content: 'Zebulonia Quist' });
      }
      await push(person, { content: 'A quest.' });
      for (const limit of [1, 50])
        for (const mode of ['keyword', 'hybrid'])
          for (const words of ['invoice', 'paid "invoice', '']) {
            const guessed = (word: string) => asked(program, { query: `${words} ${word}`, mode, limit, explain: true });
            const told = JSON.stringify(await guessed('Quist')).replaceAll('quist', 'quast');
            expect(told).toBe(JSON.stringify(await guessed('Quast')));
          }
    });

    test('words are explained and corrected as others are, where they are shown', async () => {
      const { person, program } = await people('Zebulonia Quist');
      await push(person, { uid: 'hides', content: 'Zebulonia Quist: Hello.' });
      await push(person, { uid: 'shows', content: 'Zebulonia and Waltera.' });
      const [hit] = (await asked(program, { query: 'zebulonia waltera quist', explain: true })).flat();
      expect(hit).toMatchObject({
        uid: 'shows',
        explain: { arms: { keyword: { matched: ['zebulonia', 'waltera'] } } },
      });
      for (const [word, meant] of [
        ['zebuloniaa', 'zebulonia'],
        ['walteraa', 'waltera'],
      ] as const) {
        const [found] = (await asked(program, { query: word, explain: true })).flat();
        expect(found).toMatchObject({ uid: 'shows', explain: { corrected: { [word]: meant } } });
      }
      // What is shown nowhere is no correction.
      expect(await asked(program, { query: 'quisst' })).toEqual([[]]);
    });

    test('what is hidden is read once for the search, and once for the answer', async () => {
      const { person, program } = await people('Zebulonia Quist');
      await push(person, { content: 'Zebulonia is a land.' });
      const ear = hearStatements();
      await asked(program, { query: 'Zebulonia' });
      const read = ear.heard.filter(({ text }) => text.includes('false as of_agents'));
      ear.stop();
      expect(read).toHaveLength(2);
    });
  });

  test('of a uid that is sent again', async () => {
    const trace = { uid: 'sent again', type: 'observation', content: 'Notes', authored_by: WORD };
    const pushed = (who: Client, authored_by: string) =>
      who.post('/memory/push', { traces: [{ ...trace, authored_by }] });
    await pushed(user, WORD).expect(201);
    await pushed(user, WORD).expect(201);
    for (const word of [WORD, OTHER]) await pushed(blind, word).expect(409);
    const plan = (who: Client, title: string) =>
      who.post('/agent/plan', { actions: [{ uid: 'called', action_type: 'log', title }] });
    await plan(user, `Call ${WORD}`).expect(200);
    for (const word of [WORD, OTHER]) await plan(agent, `Call ${word}`).expect(409);
    const event = (who: Client, title: string) =>
      who.post('/calendar/create', {
        ...{ uid: 'lunch', title, scheduled_for: '2026-12-16T12:00', duration_minutes: 60 },
      });
    await event(user, `Lunch with ${WORD}`).expect(201);
    for (const word of [WORD, OTHER]) await event(blind, `Lunch with ${word}`).expect(409);
  });

  test('who made something may send it again without reading all', async () => {
    const traces = [{ uid: 'my own', type: 'observation', content: 'Mine', authored_by: 'bot nine' }];
    for (let times = 0; times < 2; times++) await agent.post('/memory/push', { traces }).expect(201);
  });
});

describe('a change by who is not shown the whole', () => {
  test('is refused where it would put blanks in the place of the person’s text', async () => {
    await push(user, {
      uid: 'mine',
      authored_by: SECRET,
      content: `${SECRET} said so.`,
      notes: 'plain',
      metadata: { a: WORD },
    });
    const shown = (await agent.get('/memory/pull?limit=1000').expect(200)).body.find(
      (t: { uid: string }) => t.uid === 'mine',
    );
    expect(shown).toMatchObject({ content: '[redacted] said so.', metadata: { a: '[redacted]' }, notes: 'plain' });
    expect(shown).not.toHaveProperty('authored_by');
    for (const updates of [
      { content: shown.content },
      { content: 'anything' },
      { authored_by: null },
      { authored_by: 'Me' },
      { chat_url: null, metadata: { a: 1 } },
    ]) {
      const refused = await agent.patch('/memory/edit', { uid: 'mine', updates });
      const plain = 'chat_url' in updates ? ['metadata'] : Object.keys(updates);
      expect(refused.body).toMatchObject({ status: 409, code: 'redacted_field', fields: plain });
    }
    await agent.patch('/memory/edit', { uid: 'mine', updates: { notes: 'fine', tags: ['#x'] } }).expect(200);
    await user.post('/agent/feedback', { uid: 'mine', notes: `ask ${WORD}` }).expect(200);
    expect((await agent.post('/agent/feedback', { uid: 'mine', notes: 'better' })).body.code).toBe('redacted_field');
    await user.patch('/memory/edit', { uid: 'mine', updates: { content: 'mine to change' } }).expect(200);
    const uid = await fresh(user, { scheduled_for: '2026-12-28T10:00' });
    const approve = (edits: object) => blind.post('/agent/approve', { uid, edits });
    expect((await approve({ title: 'Meet [redacted]' })).body.code).toBe('redacted_field');
    await approve({ duration_minutes: 6 }).expect(200);
    const tea = { uid: 'tea', scope: 'all' };
    expect((await blind.patch('/calendar/edit', { ...tea, updates: { title: 'Tea' } })).body.code).toBe(
      'redacted_field',
    );
    await blind.patch('/calendar/edit', { ...tea, updates: { duration_minutes: 31 } }).expect(200);
  });

  test('an agent may write the two fields where there is nothing yet, and is not shown them', async () => {
    const [{ uid }] = (await push(agent, { content: 'by a bot', authored_by: 'bot nine' })).body;
    const [{ uid: empty }] = (await push(agent, { content: 'by nobody' })).body;
    const edited = await agent.patch('/memory/edit', { uid: empty, updates: { authored_by: 'bot nine' } }).expect(200);
    expect(edited.body).not.toHaveProperty('authored_by');
    const all = (await user.get('/memory/pull?limit=1000').expect(200)).body as { uid: string; authored_by: string }[];
    expect(all.filter((t) => [uid, empty].includes(t.uid)).map((t) => t.authored_by)).toEqual(['bot nine', 'bot nine']);
  });
});

test('members with fixed words, times and links are never blanked: they would not be what their schema says', async () => {
  const unnamed = new Set<string>();
  const look = (schema: Record<string, unknown>, name: string): void => {
    if (
      ('enum' in schema || 'const' in schema || schema['format'] === 'date-time') &&
      schema['type'] !== 'boolean' &&
      !KEPT_WHOLE.has(name) &&
      !name.startsWith('component ')
    )
      unnamed.add(name);
    for (const [key, value] of Object.entries((schema['properties'] ?? {}) as Record<string, Record<string, unknown>>))
      look(value, key);
    for (const part of ['anyOf', 'allOf', 'oneOf'])
      for (const one of (schema[part] ?? []) as Record<string, unknown>[]) look(one, name);
    if (typeof schema['items'] === 'object') look(schema['items'] as Record<string, unknown>, name);
  };
  const { components } = (await app.openapi()) as unknown as {
    components: { schemas: Record<string, Record<string, unknown>> };
  };
  for (const [name, schema] of Object.entries(components.schemas)) look(schema, `component ${name}`);
  // Elsewhere these are sentences, and are looked through.
  for (const name of ['why', 'reason']) unnamed.delete(name);
  // The stream of a chat writes the names of its events beside the data, which alone is blanked.
  unnamed.delete('event');
  expect([...unnamed].toSorted()).toEqual([]);
});
