/**
 * R4: every route x {none, revoked, expired, missing scope, agent key, other user, owner}, exactly the decided status.
 * A route that is absent from the table fails the test.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { possibleScopes, type Scope } from '../../src/domain/access/caller.ts';
import type { OpenApi } from '../../src/http/openapi/document.ts';
import type { Route } from '../../src/http/route.ts';
import { aKey, anApp, aUser, client, type Client, type TestApp, type TestUser } from '../support/app.ts';

const app: TestApp = await anApp({
  env: { METRICS_TOKEN: 'a-metrics-token-of-some-length' },
});

type Fixture = {
  task: string;
  trace: string;
  plan: string;
  event: string;
  /** The ledger number of its creation. */
  change: number;
  key: string;
  webhook: string;
  source: string;
  /** A proposal that has a time, which calendar programs see. */
  proposal: string;
  feed: string;
  checkpoint: string;
};

type Case = {
  /** Query string, built from the owner's things. */
  query?: (f: Fixture, owner: TestUser) => string;
  body?: (f: Fixture, owner: TestUser) => object;
  /** The uid of an event to write. */
  event?: (f: Fixture) => string;
  /** Raw body with its type, for imports. */
  raw?: [type: string, text: string];
  accept?: string;
  /** The path of a route that has parameters in it. */
  path?: (f: Fixture, owner: TestUser) => string;
  /** What the owner gets; what another user gets for the same request. */
  owner: number;
  other: number;
  /** What a default agent key gets, where its scopes allow the route. */
  agent?: number;
  /** Public routes: what anybody gets. */
  anybody?: number;
  /** The scopes, where not the route but its handler checks them. */
  scopes?: Scope[];
};

const q = (parameters: Record<string, string>): string => `?${new URLSearchParams(parameters).toString()}`;
const soon = '2026-12-01T10:00';
const actions = [{ action_type: 'schedule', title: 'x', scheduled_for: soon, duration_minutes: 30 }];

/** The owner's things are 404 for others; lists and own things are 200 with nothing of the owner's in them. */
const CASES: Record<string, Case> = {
  'post /chat/respond': { body: () => ({ prompt: 'Log that all is well' }), owner: 200, other: 200 },
  'post /chat/plan-preview': { body: () => ({ actions }), owner: 200, other: 200 },
  'post /chat/trace-summary': { body: (f) => ({ trace_ids: [f.trace] }), owner: 200, other: 404 },
  'post /memory/push': {
    body: (_f, o) => ({ user_id: o.user_id, traces: [{ type: 'observation', content: 'x' }] }),
    owner: 201,
    other: 403,
  },
  'get /memory/pull': { query: (_f, o) => q({ user_id: o.user_id }), owner: 200, other: 403 },
  'patch /memory/edit': { body: (f) => ({ uid: f.trace, updates: { content: 'y' } }), owner: 200, other: 404 },
  'delete /memory/remove': { query: (f) => q({ uid: f.trace }), owner: 200, other: 404 },
  'get /memory/history': { query: (f) => q({ uid: f.trace }), owner: 200, other: 404 },
  'post /memory/search': { body: () => ({ query: 'x' }), owner: 200, other: 200 },
  'post /calendar/create': {
    body: () => ({ title: 'x', scheduled_for: soon, duration_minutes: 30 }),
    owner: 201,
    other: 201,
  },
  'get /calendar/events': { query: () => q({ start: '2026-11-01', end: '2026-12-31' }), owner: 200, other: 200 },
  'get /calendar/event': { query: (f) => q({ uid: f.event }), owner: 200, other: 404 },
  'patch /calendar/edit': { body: (f) => ({ uid: f.event, updates: { title: 'y' } }), owner: 200, other: 404 },
  'delete /calendar/remove': { query: (f) => q({ uid: f.event }), owner: 200, other: 404 },
  'post /calendar/remove': { body: (f) => ({ removals: [{ uid: f.event }] }), owner: 200, other: 200 },
  'post /calendar/undo': { body: (f) => ({ seq: f.change }), owner: 200, other: 410 },
  'get /calendar/slots': {
    query: () => q({ start: '2026-11-23', end: '2026-11-27', duration_minutes: '30' }),
    owner: 200,
    other: 200,
  },
  'get /calendar/freebusy': { query: () => q({ start: '2026-11-23', end: '2026-11-27' }), owner: 200, other: 200 },
  'post /calendar/sources': {
    body: () => ({ url: 'https://calendar.example.org/x.ics', name: 'x' }),
    owner: 201,
    other: 201,
  },
  'get /calendar/sources': { owner: 200, other: 200 },
  'patch /calendar/sources': { body: (f) => ({ id: f.source, updates: { name: 'x' } }), owner: 200, other: 404 },
  'delete /calendar/sources': { query: (f) => q({ id: f.source }), owner: 200, other: 404 },
  'post /calendar/sources/refresh': { body: (f) => ({ id: f.source }), owner: 202, other: 404 },
  'get /calendar/export.ics': { owner: 200, other: 200 },
  'get /calendar/feed.ics': { query: (f) => q({ key: f.feed }), owner: 200, other: 200, anybody: 200 },
  'get /calendar/proposals.ics': { query: (f) => q({ key: f.feed }), owner: 200, other: 200, anybody: 200 },
  'get /calendar/decide': { query: () => q({ token: 'x' }), owner: 401, other: 401, anybody: 401 },
  'post /calendar/decide': {
    raw: ['application/x-www-form-urlencoded', 'token=x'],
    owner: 401,
    other: 401,
    anybody: 401,
  },
  'post /calendar/import': {
    raw: ['text/calendar', 'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nEND:VCALENDAR\r\n'],
    owner: 200,
    other: 200,
  },
  'post /agent/plan': { body: () => ({ actions }), owner: 200, other: 200 },
  'get /agent/plan': { query: (f) => q({ uid: f.plan }), owner: 200, other: 404 },
  'get /agent/queue': { owner: 200, other: 200 },
  'post /agent/approve': { body: (f) => ({ uid: f.plan }), owner: 200, other: 404 },
  'post /agent/reject': { body: (f) => ({ uid: f.plan }), owner: 200, other: 404 },
  'post /agent/undo': { body: (f) => ({ uid: f.plan }), owner: 200, other: 404 },
  'post /agent/take-back': { body: (f) => ({ agent: f.key, since: '0', simulate: true }), owner: 200, other: 404 },
  'post /agent/withdraw': { body: (f) => ({ uid: f.plan }), owner: 200, other: 404, agent: 403 },
  'post /agent/execute': { body: (f) => ({ task_id: f.task }), owner: 409, other: 404, agent: 409 },
  'post /agent/feedback': { body: (f) => ({ uid: f.trace, feedback_rating: 3 }), owner: 200, other: 404 },
  'get /agent/status': { owner: 200, other: 200 },
  'get /agent/activity': { owner: 200, other: 200 },
  'get /agent/limits': { query: (f) => q({ uid: f.plan }), owner: 200, other: 404 },
  'get /agent/changes': { query: () => q({ after: '0' }), owner: 200, other: 200 },
  'get /tempo/tags': { owner: 200, other: 200 },
  'get /tempo/profile': { query: (_f, o) => q({ user_id: o.user_id }), owner: 200, other: 403 },
  'post /tempo/adjust': { body: (_f, o) => ({ user_id: o.user_id, preferences: {} }), owner: 200, other: 403 },
  'post /user/login': {
    body: (_f, o) => ({ email: o.email, password: o.password }),
    owner: 200,
    other: 200,
    anybody: 200,
  },
  'post /user/login-link': { body: () => ({ ticket: 'x' }), owner: 401, other: 401, anybody: 401 },
  'post /user/login-links': { body: () => ({}), owner: 201, other: 201 },
  'post /user/refresh': { body: () => ({ refresh_token: 'x' }), owner: 401, other: 401, anybody: 401 },
  'post /user/logout': { body: () => ({ everywhere: 'perhaps' }), owner: 422, other: 422 }, // a good one ends this table's own login
  'post /user/register': {
    body: () => ({ email: `${randomUUID()}@example.org`, password: 'correct horse' }),
    owner: 201,
    other: 201,
    anybody: 201,
  },
  'get /user/sessions': { owner: 200, other: 200 },
  'delete /user/sessions': { query: () => q({ id: 'x' }), owner: 404, other: 404 }, // a good one ends this table's own login
  'get /user/whoami': { owner: 200, other: 200 },
  'get /user/profile': { query: (_f, o) => q({ user_id: o.user_id }), owner: 200, other: 403 },
  'patch /user/update': {
    body: (_f, o) => ({ user_id: o.user_id, updates: { display_name: 'x' } }),
    owner: 200,
    other: 403,
  },
  'delete /user/account': { body: () => ({ password: 'not the password' }), owner: 422, other: 422 },
  'get /user/archive': { query: (_f, o) => q({ user_id: o.user_id }), owner: 200, other: 403 },
  'get /user/keys': { owner: 200, other: 200 },
  'post /user/keys': { body: () => ({ kind: 'agent', label: 'x' }), owner: 201, other: 201 },
  'delete /user/keys': { query: (f) => q({ id: f.key }), owner: 200, other: 404 },
  // Neither is an administrator; test/api/users.test.ts tries these as one.
  'get /user/invitations': { owner: 403, other: 403 },
  'post /user/invitations': { body: () => ({ label: 'x' }), owner: 403, other: 403 },
  'delete /user/invitations': { query: () => q({ id: 'x' }), owner: 403, other: 403 },
  'get /user/storage': { query: (_f, o) => q({ user_id: o.user_id }), owner: 200, other: 403 },
  'patch /user/storage': { body: (_f, o) => ({ user_id: o.user_id, limit_bytes: 1 }), owner: 403, other: 403 },
  'get /user/webhooks': { owner: 200, other: 200 },
  'post /user/webhooks': { body: () => ({ url: 'https://hooks.example.org/x' }), owner: 201, other: 201 },
  'patch /user/webhooks': {
    body: (f) => ({ id: f.webhook, updates: { description: 'x' } }),
    owner: 200,
    other: 404,
  },
  'delete /user/webhooks': { query: (f) => q({ id: f.webhook }), owner: 200, other: 404 },
  'post /user/webhooks/rotate-secret': { body: (f) => ({ id: f.webhook }), owner: 200, other: 404 },
  'post /user/webhooks/test': { body: (f) => ({ id: f.webhook }), owner: 200, other: 404 },
  'get /user/webhooks/deliveries': { query: (f) => q({ id: f.webhook }), owner: 200, other: 404 },
  'post /user/ws-ticket': { body: () => ({}), owner: 200, other: 200 },
  'get /ws': { owner: 400, other: 400 }, // without an upgrade
  'get /memport/export': { query: (_f, o) => q({ user_id: o.user_id, export_format: 'full' }), owner: 200, other: 403 },
  'get /memport/ledger': { query: (f) => q({ uid: f.trace }), owner: 200, other: 200 },
  'get /memport/checkpoints': { owner: 200, other: 200 },
  'post /memport/checkpoints': {
    body: (_f, o) => ({ user_id: o.user_id, tag: randomUUID(), parameters: { export_format: 'full' } }),
    owner: 201,
    other: 403,
  },
  'patch /memport/checkpoints': { body: (f) => ({ tag: f.checkpoint }), owner: 200, other: 404, agent: 403 },
  'delete /memport/checkpoints': { query: (f) => q({ tag: f.checkpoint }), owner: 200, other: 404, agent: 403 },
  'post /memport/import': { body: () => ({ traces: [] }), owner: 200, other: 200 },
  'get /': { owner: 302, other: 302, anybody: 302 },
  'get /health': { owner: 200, other: 200, anybody: 200 },
  'get /health/live': { owner: 200, other: 200, anybody: 200 },
  'get /health/ready': { owner: 200, other: 200, anybody: 200 },
  'get /version': { owner: 200, other: 200, anybody: 200 },
  'get /openapi.json': { owner: 200, other: 200, anybody: 200 },
  'get /docs': { owner: 200, other: 200, anybody: 200 },
  'get /docs/scalar.js': { owner: 200, other: 200, anybody: 200 },
  'get /docs/page.js': { owner: 200, other: 200, anybody: 200 },
  'get /docs/openapi.json': { owner: 200, other: 200, anybody: 200 },
  'get /llms.txt': { owner: 200, other: 200, anybody: 200 },
  'post /debug/trace-dump': { body: () => ({}), owner: 200, other: 200 },
  'get /debug/audit': { owner: 200, other: 200 },
  'post /mcp': {
    body: () => ({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    accept: 'application/json, text/event-stream',
    owner: 200,
    other: 200,
  },
  'get /metrics': { owner: 200, other: 200, anybody: 401 },
};

/**
 * The scope that reads each schema of an answer (docs/decisions.md, A write answers what its caller may read). A route whose answer
 * has one of them needs its scope too, whatever it does.
 */
const READ_BY: Record<string, Scope> = {
  Trace: 'memory:read',
  Event: 'calendar:read',
  CalendarSource: 'calendar:read',
  Plan: 'plan:read',
  QueuedPlan: 'plan:read',
  ProposedPlan: 'plan:read',
  PlanPreview: 'plan:read',
  TempoProfile: 'tempo:read',
  UserProfile: 'user:read',
};
/** Routes that show less than the schema could, or have a scope of their own for it. */
const EXCEPTIONS: Record<string, string> = {
  createEvent: 'the event as it was sent, also to a request that is repeated',
  proposePlans: 'the plans as they were sent and placed, also to a request that is repeated',
  previewPlans: 'the same',
  respondToPrompt: 'the same, and what each scope of reading allows',
  executePlans: 'traces and events as far as the scopes of reading allow',
  listChanges: 'each change as far as its scope allows',
};

/** The calendar programs' side. A path that names another user is not found. */
const XML: [string, string] = ['application/xml', '<propfind xmlns="DAV:"><prop><displayname/></prop></propfind>'];
const UPDATE = '<propertyupdate xmlns="DAV:"><set><prop><displayname>x</displayname></prop></set></propertyupdate>';
const MULTIGET = '<calendar-multiget xmlns="urn:ietf:params:xml:ns:caldav"/>';
const anEvent = (uid: string): [string, string] => [
  'text/calendar',
  [
    ...['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:x', 'BEGIN:VEVENT', `UID:${uid}`, 'DTSTAMP:20261101T090000Z'],
    ...[
      `DTSTART:202712${uid.startsWith('proposal') ? '04' : '03'}T140000Z`,
      'DURATION:PT30M',
      'SUMMARY:x',
      'END:VEVENT',
      'END:VCALENDAR',
      '',
    ],
  ].join('\r\n'),
];
const EVERYBODYS = { owner: 207, other: 207 };
const OWN = { owner: 207, other: 404 };

const ofPlace = (path: string, own: { owner: number; other: number }, at?: Case['path']): Record<string, Case> => ({
  [`propfind ${path}`]: { raw: XML, ...own, ...(at ? { path: at } : {}) },
  [`proppatch ${path}`]: { raw: ['text/xml', UPDATE], ...own, ...(at ? { path: at } : {}) },
  // Only calendars have reports.
  [`report ${path}`]: { raw: ['text/xml', MULTIGET], ...own, owner: 403, ...(at ? { path: at } : {}) },
  [`options ${path}`]: { owner: 200, other: 200, anybody: 200 },
});

const ofCollection = (
  segment: string,
  named: (f: Fixture) => [collection: string, name: string],
  writes: { put: number; delete: number; get: number; uid: (f: Fixture) => string; scopes: [Scope, Scope] },
): Record<string, Case> => {
  const path = '/dav/calendars/:user_id/:collection';
  const [reading, writing] = writes.scopes.map((scope) => ({ scopes: [scope] })) as [object, object];
  const at = (f: Fixture, { user_id }: TestUser) => `/dav/calendars/${user_id}/${named(f)[0]}/`;
  const object = (f: Fixture, owner: TestUser) => `${at(f, owner)}${named(f)[1]}`;
  const found = writes.get === 200 ? 207 : 404;
  const cases: Record<string, Case> = {
    [`propfind ${path}`]: { raw: XML, ...OWN, ...reading, path: at },
    [`proppatch ${path}`]: { raw: ['text/xml', UPDATE], ...OWN, ...writing, path: at },
    [`report ${path}`]: { raw: ['text/xml', MULTIGET], ...OWN, ...reading, path: at },
    [`options ${path}`]: { owner: 200, other: 200, anybody: 200 },
    [`propfind ${path}/:name`]: { raw: XML, owner: found, other: 404, ...reading, path: object },
    [`report ${path}/:name`]: { raw: ['text/xml', MULTIGET], owner: 403, other: 404, ...reading, path: object },
    [`get ${path}/:name`]: { owner: writes.get, other: 404, ...reading, path: object },
    [`put ${path}/:name`]: { event: writes.uid, owner: writes.put, other: 404, ...writing, path: object },
    [`delete ${path}/:name`]: { owner: writes.delete, other: 404, ...writing, path: object },
    [`options ${path}/:name`]: { owner: 200, other: 200, anybody: 200 },
  };
  return Object.fromEntries(Object.entries(cases).map(([name, one]) => [`${name} (${segment})`, one]));
};

const mine =
  (path: string) =>
  (_f: Fixture, { user_id }: TestUser) =>
    `${path}${user_id}/`;
Object.assign(CASES, {
  'get /.well-known/caldav': { owner: 301, other: 301, anybody: 301 },
  'propfind /.well-known/caldav': { owner: 301, other: 301, anybody: 301 },
  'propfind /': { raw: XML, ...EVERYBODYS },
  ...ofPlace('/dav', EVERYBODYS),
  ...ofPlace('/dav/principals', EVERYBODYS),
  'report /dav': { raw: ['text/xml', MULTIGET], owner: 403, other: 403 },
  'report /dav/principals': { raw: ['text/xml', MULTIGET], owner: 403, other: 403 },
  ...ofPlace('/dav/principals/:user_id', OWN, mine('/dav/principals/')),
  ...ofPlace('/dav/calendars/:user_id', OWN, mine('/dav/calendars/')),
  ...ofCollection('calendar', (f) => ['calendar', `${f.event}.ics`], {
    ...{ put: 204, delete: 204, get: 200 },
    uid: (f) => f.event,
    scopes: ['calendar:read', 'calendar:write'],
  }),
  ...ofCollection('agent-plan', (f) => ['agent-plan', `proposal-${f.proposal}.ics`], {
    ...{ put: 204, delete: 204, get: 200 },
    uid: (f) => `proposal-${f.proposal}`,
    scopes: ['plan:read', 'plan:decide'],
  }),
  ...ofCollection('source', (f) => [`source-${f.source}`, 'x.ics'], {
    ...{ put: 403, delete: 403, get: 404 },
    uid: () => 'x',
    scopes: ['calendar:read', 'calendar:write'],
  }),
} satisfies Record<string, Case>);

let owner: TestUser;
let other: TestUser;
let revoked: Client;
let expired: Client;

/** Fresh things for a request, so that one case never spoils the next. */
const fixture = async (route: Route): Promise<Fixture> => {
  const task = randomUUID();
  const [trace] = (
    await owner.post('/memory/push', { traces: [{ type: 'observation', content: 'the owner’s' }] }).expect(201)
  ).body;
  const [plan] = (
    await owner.post('/agent/plan', { actions: [{ action_type: 'log', title: 'x', task_id: task }] }).expect(200)
  ).body;
  const event = await owner
    .post('/calendar/create', { title: 'the owner’s', scheduled_for: '2026-11-30T10:00', duration_minutes: 30 })
    .expect(201);
  // An account holds 200 keys at most: only where they are asked for.
  const make = async (kind: string, scopes?: Scope[]) =>
    (await owner.post('/user/keys', { kind, label: 'x', scopes }).expect(201)).body;
  const key = ['/user/keys', '/agent/take-back'].includes(route.path) ? (await make('agent')).id : '';
  const feedScopes: Record<string, Scope> = {
    '/calendar/feed.ics': 'calendar:read',
    '/calendar/proposals.ics': 'plan:read',
  };
  const feedScope = feedScopes[route.path];
  const feed = feedScope ? (await make('feed', [feedScope])).key : '';
  const checkpoint = randomUUID();
  if (route.path === '/memport/checkpoints')
    await owner.post('/memport/checkpoints', { tag: checkpoint, parameters: { export_format: 'full' } }).expect(201);
  const webhook = route.path.startsWith('/user/webhooks') ? await aWebhook(owner) : '';
  const inCalendars = route.path.includes(':collection');
  const source = inCalendars || route.path.startsWith('/calendar/sources') ? await aSource(owner) : '';
  const proposal = inCalendars ? await aProposal(owner) : '';
  return {
    webhook,
    source,
    proposal,
    checkpoint,
    task,
    trace: trace.uid,
    plan: plan.uid,
    event: event.body.uid,
    change: event.body.seq,
    key,
    feed,
  };
};

/** A proposal of the owner's agent. */
const aProposal = async ({ agent }: TestUser): Promise<string> => {
  const at = '2027-12-10T10:00';
  const wanted = [{ action_type: 'schedule', title: 'the owner’s', scheduled_for: at, duration_minutes: 30 }];
  return (await agent.post('/agent/plan', { actions: wanted }).expect(200)).body[0].uid;
};

/** A webhook of a user, who has no other one afterwards: an account holds ten. Nobody listens at its address. */
const aWebhook = async (user: TestUser): Promise<string> => {
  for (const { id } of (await user.get('/user/webhooks').expect(200)).body)
    await user.delete(`/user/webhooks?id=${id}`).expect(200);
  const wanted = { url: 'http://127.0.0.1:9/', description: 'the owner’s' };
  return (await user.post('/user/webhooks', wanted).expect(201)).body.id;
};

/** A source of a user, who has no other one afterwards: an account holds twenty. */
const aSource = async (user: TestUser): Promise<string> => {
  for (const { id } of (await user.get('/calendar/sources').expect(200)).body)
    await user.delete(`/calendar/sources?id=${id}`).expect(200);
  const wanted = { url: 'http://127.0.0.1:9/x.ics', name: 'the owner’s' };
  return (await user.post('/calendar/sources', wanted).expect(201)).body.id;
};

/** What the last request of a route was given, as long as it was refused or only read. */
let unspoilt: { sample: Case; f: Fixture } | undefined;
const READS = new Set(['get', 'propfind', 'report', 'options']);

const send = async (
  who: Client,
  route: Route,
  sample: Case,
): Promise<{ status: number; type: string; body: { code?: string; missing?: string[] } }> => {
  const f = unspoilt?.sample === sample ? unspoilt.f : await fixture(route);
  const path = (sample.path?.(f, owner) ?? route.path) + (sample.query?.(f, owner) ?? '');
  const base = who[route.method](path, sample.body?.(f, owner));
  if (sample.accept) void base.set('Accept', sample.accept);
  if (route.basic) void base.set('Depth', '0');
  const raw = sample.event ? anEvent(sample.event(f)) : sample.raw;
  const answer = await (raw ? base.set('Content-Type', raw[0]).send(raw[1]) : base);
  unspoilt = answer.status >= 400 || READS.has(route.method) ? { sample, f } : undefined;
  return { status: answer.status, type: String(answer.headers['content-type']), body: answer.body };
};

beforeAll(async () => {
  owner = await aUser(app);
  other = await aUser(app);
  const gone = await aKey(app, owner, 'user');
  revoked = gone;
  await owner.delete(`/user/keys?id=${gone.id}`).expect(200);
  const short = await owner
    .post('/user/keys', { kind: 'user', label: 'short', expires_at: new Date(app.clock.millis() + 1000).toISOString() })
    .expect(201);
  expired = client(app, short.body.key);
  app.clock.advance(2000);
});
afterAll(() => app.close());

test('every route is in the table, and the table names no other', () => {
  const named = new Set(Object.keys(CASES).map(routeName));
  expect(app.routes.map((r) => `${r.method} ${r.path}`).toSorted()).toEqual([...named].toSorted());
});

/** Of a case, without what it is a case of: `get /x (y)`. */
const routeName = (name: string): string => name.replace(/ \(.*\)$/, '');

/** The schemas with a scope of reading that an answer has, the outermost of them. */
const answeredBy = ({ paths, components }: OpenApi, route: Route): string[] => {
  const found = new Set<string>();
  const seen = new Set<string>();
  const look = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return;
    const name = /^#\/components\/schemas\/(.*)$/.exec(String((part as { $ref?: string }).$ref))?.[1];
    if (name === undefined) return Object.values(part).forEach(look);
    if (seen.has(name)) return;
    seen.add(name);
    if (name in READ_BY) found.add(name);
    else look(components.schemas[name]);
  };
  const { responses = {} } = paths[route.path]?.[route.method] ?? {};
  for (const [status, answer] of Object.entries(responses)) if (status.startsWith('2')) look(answer);
  return [...found];
};

test('a route whose answer shows a stored thing needs the scope that reads it, whatever else it does', async () => {
  const document = await app.openapi();
  const lacking = app.routes.flatMap((route) => {
    const needed = answeredBy(document, route).map((name) => READ_BY[name] as Scope);
    return needed.every((scope) => route.scopes.includes(scope)) ? [] : route.id;
  });
  expect(lacking.toSorted()).toEqual(Object.keys(EXCEPTIONS).toSorted());
});

/** Each case with its route. A route that has no case fails the test above. */
const tried = Object.entries(CASES).flatMap(([name, sample]) =>
  app.routes
    .filter((route) => `${route.method} ${route.path}` === routeName(name))
    .map((route) => [name, route, sample] as const),
);

describe.each(tried.filter(([, { scopes }]) => scopes === 'public'))('%s', (_name, route, sample) => {
  test('answers anybody as decided', async () => {
    expect((await send(client(app, null), route, sample)).status).toBe(sample.anybody);
    expect((await send(owner, route, sample)).status).toBe(sample.owner);
  });
});

describe.each(tried.filter(([, { scopes }]) => scopes !== 'public'))('%s', (_name, route, sample) => {
  const scopes = sample.scopes ?? (route.scopes as Scope[]);

  test.each([
    ['without a credential', () => client(app, null)],
    ['with a revoked key', () => revoked],
    ['with an expired key', () => expired],
  ])('%s is 401', async (_what, who) => {
    const answer = await send(who(), route, sample);
    expect(answer).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
    expect(answer.type).toMatch('application/problem+json');
  });

  // Of the routes that need no scope, each tool of /mcp has its own (mcp-authorization.test.ts).
  if (scopes.length)
    test('without its scope is 403, and the scope is named', async () => {
      const rest = possibleScopes('user', false).filter((s) => !scopes.includes(s));
      const answer = await send(await aKey(app, owner, 'user', rest), route, sample);
      expect(answer).toMatchObject({ status: 403, body: { code: 'insufficient_scope', missing: scopes } });
    });

  // A credential that may write is not shown by the answer what it may not read.
  if (scopes.length > 1)
    test.each(scopes)('with all scopes but %s is 403', async (scope) => {
      const rest = possibleScopes('user', false).filter((s) => s !== scope);
      const answer = await send(await aKey(app, owner, 'user', rest), route, sample);
      expect(answer).toMatchObject({ status: 403, body: { code: 'insufficient_scope', missing: [scope] } });
      expect(JSON.stringify(answer.body)).not.toContain('the owner’s');
    });

  test('with an agent key', async () => {
    const answer = await send(owner.agent, route, sample);
    const held = [
      'memory:read',
      'memory:write',
      'calendar:read',
      'plan:read',
      'plan:propose',
      'plan:execute',
      'tempo:read',
      'export:read',
    ];
    if (scopes.every((s) => held.includes(s))) expect(answer.status).toBe(sample.agent ?? sample.owner);
    else expect(answer).toMatchObject({ status: 403, body: { code: 'insufficient_scope' } });
  });

  test('as another user', async () => {
    const answer = await send(other, route, sample);
    expect(answer.status).toBe(sample.other);
    expect(JSON.stringify(answer.body)).not.toContain('the owner’s');
  });

  test('as the owner', async () => {
    expect((await send(owner, route, sample)).status).toBe(sample.owner);
  });
});
