/** `Prefer: count=exact`: every list tells how many items all of its pages have, or openapi.yaml says why it does not. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Route } from '../../src/http/route.ts';
import { aKey, anApp, aUser, client, type Client, type TestApp, type TestUser } from '../support/app.ts';
import { aCalendarServer, calendarOf, type CalendarServer } from '../support/calendar-server.ts';

const COUNTED = { Prefer: 'count=exact' };

let app: TestApp;
let user: TestUser;
let admin: Client;
let server: CalendarServer;
let webhook: string;

const anAdmin = async (): Promise<Client> => {
  const { user_id, email, password } = await aUser(app);
  await app.database.handle.db.updateTable('users').set({ admin: true }).where('user_id', '=', user_id).execute();
  return client(app, (await client(app, null).post('/user/login', { email, password }).expect(200)).body.token);
};

beforeAll(async () => {
  app = await anApp();
  server = await aCalendarServer();
  user = await aUser(app);
  admin = await anAdmin();
  for (const label of ['Ada', 'Grace']) await admin.post('/user/invitations', { label }).expect(201);
  await user.patch('/user/update', { updates: { limits: { budget: { per_day: 9, per_week: 20 } } } }).expect(200);
  const trace = (uid: string, more: object = {}) => ({ uid, type: 'observation', content: `About ${uid}`, ...more });
  await user.post('/memory/push', {
    traces: [trace('a', { tempo_tag: '@tide' }), trace('b', { task_id: 't' }), trace('c', { task_id: 't' })],
  });
  for (const content of ['second', 'third']) await user.patch('/memory/edit', { uid: 'a', updates: { content } });
  const agents = [user.agent, await aKey(app, user, 'agent')];
  for (const [i, agent] of agents.entries()) {
    const actions = ['x', 'y'].map((title) => ({ uid: `${title}${i}`, action_type: 'log', title }));
    await agent.post('/agent/plan', { actions }).expect(200);
  }
  const event = (day: string, more: object = {}) => ({
    ...{ title: day, scheduled_for: `2026-12-${day}T10:00`, duration_minutes: 30, ...more },
  });
  const series = { uid: 'series', rrule: 'FREQ=DAILY;COUNT=9', tags: ['#often'] };
  for (const one of [event('01'), event('02', { uid: 'moved', tags: ['#often'] }), event('03', series)])
    await user.post('/calendar/create', one).expect(201);
  for (const tag of ['one', 'two'])
    await user.post('/memport/checkpoints', { tag, parameters: { export_format: 'full' } }).expect(201);
  for (const name of ['home', 'work']) {
    server.play(`/${name}.ics`, calendarOf());
    await user.post('/calendar/sources', { url: server.at(`/${name}.ics`), name }).expect(201);
    webhook = (await user.post('/user/webhooks', { url: server.at(`/${name}`) }).expect(201)).body.id;
  }
  const { id } = await aKey(app, user, 'user');
  await user.delete(`/user/keys?id=${id}`).expect(200);
  const { email, password } = user;
  await client(app, null).post('/user/login', { email, password }).expect(200);
});
afterAll(async () => {
  server.close();
  await app.close();
});

const totalOf = async (path: string, prefer = COUNTED.Prefer): Promise<string | undefined> => {
  const { headers } = await user.get(path).set('Prefer', prefer).expect(200);
  expect(headers['preference-applied']).toBe(headers['x-total-count'] === undefined ? undefined : 'count=exact');
  return headers['x-total-count'];
};

/** Requests of every list that is counted: one item on a page. */
const lists = (): Record<string, { path: string; body?: object; of?: Client }> => ({
  pullMemory: { path: '/memory/pull?type=observation&limit=1' },
  getMemoryHistory: { path: '/memory/history?uid=a&limit=1' },
  listLedger: { path: '/memport/ledger?limit=1' },
  listCheckpoints: { path: '/memport/checkpoints?limit=1' },
  listQueue: { path: '/agent/queue?limit=1' },
  listAgentActivity: { path: '/agent/activity?limit=1' },
  getPlanLimits: { path: '/agent/limits?uid=x0' },
  listEvents: { path: '/calendar/events?start=2026-12-01&end=2026-12-31&limit=1' },
  listSources: { path: '/calendar/sources?limit=1' },
  listTempoTags: { path: '/tempo/tags?limit=1' },
  listSessions: { path: '/user/sessions?limit=1' },
  listKeys: { path: '/user/keys?limit=1' },
  listInvitations: { path: '/user/invitations?limit=1', of: admin },
  listWebhooks: { path: '/user/webhooks?limit=1' },
  listWebhookDeliveries: { path: `/user/webhooks/deliveries?id=${webhook}` },
  dumpTraces: { path: '/debug/trace-dump', body: { limit: 1 } },
});

type Page = { status: number; text: string; body: { traces?: unknown[] } & unknown[]; headers: Record<string, string> };

const shapeOf = (schema: unknown): object => (schema as { shape?: object } | undefined)?.shape ?? {};
const isList = ({ method, response, query }: Route): boolean =>
  'cursor' in shapeOf(query) || (method === 'get' && response instanceof z.ZodArray);

describe('every list', () => {
  test('of the route table is counted, or says why not', () => {
    const found = app.routes.filter(isList);
    expect(found.filter(({ list }) => list === undefined).map(({ id }) => id)).toEqual([]);
    expect(app.routes.filter((route) => route.list !== undefined && !isList(route))).toEqual([]);
    const counted = found.filter(({ list }) => typeof list === 'string').map(({ id }) => id);
    expect(counted.toSorted()).toEqual(Object.keys(lists()).toSorted());
  });

  test('says so in openapi.yaml', async () => {
    const { paths } = await app.openapi();
    for (const { id, list, method, path } of app.routes.filter(isList)) {
      const { parameters, description, responses } = paths[path]?.[method] ?? {};
      const isCounted = typeof list === 'string';
      const asks = parameters?.some((one) => '$ref' in one && one.$ref === '#/components/parameters/Prefer');
      expect(asks, id).toBe(isCounted);
      const success = responses?.['200'] as { headers?: object } | undefined;
      expect(Object.keys(success?.headers ?? {}).includes('X-Total-Count'), id).toBe(isCounted);
      if (typeof list === 'object') expect(description, id).toContain(list.uncounted);
    }
  });

  test('has as many items as it says, on every page', async () => {
    const totals: Record<string, number> = {};
    for (const [id, { path, body, of: caller = user }] of Object.entries(lists())) {
      let walked = 0;
      const said = new Set<string | undefined>();
      for (let next: string | undefined = path; next !== undefined;) {
        const page: Page = await (body ? caller.post(next, body) : caller.get(next)).set(COUNTED);
        expect(page.status, `${id} ${page.text}`).toBe(200);
        walked += (page.body.traces ?? page.body).length;
        said.add(page.headers['x-total-count']);
        next = /<([^>]+)>; rel="next"/.exec(page.headers['link'] ?? '')?.[1];
      }
      expect([...said], id).toEqual([String(walked)]);
      totals[id] = walked;
    }
    expect(totals).toMatchObject({
      ...{ pullMemory: 3, getMemoryHistory: 3, listQueue: 4, listAgentActivity: 2, listEvents: 11, getPlanLimits: 2 },
      ...{
        listCheckpoints: 2,
        listSources: 2,
        listWebhooks: 2,
        listSessions: 2,
        listWebhookDeliveries: 0,
        listInvitations: 2,
      },
    });
    expect(totals['listKeys']).toBeGreaterThan(2);
    expect(totals['listTempoTags']).toBeGreaterThan(10);
  });
});

describe('a count', () => {
  test('has the filters of the list', async () => {
    expect(await totalOf('/memory/pull?task_id=t&limit=1')).toBe('2');
    expect(await totalOf('/agent/queue?status=approved')).toBe('0');
    expect(await totalOf('/calendar/events?start=2026-12-01&end=2026-12-31&tag=%23often&limit=1')).toBe('10');
    expect(await totalOf('/calendar/events?start=2026-12-01&end=2026-12-04')).toBe('4');
    expect(await totalOf('/memport/ledger?uid=a&limit=1')).toBe('3');
    expect(await totalOf('/memport/ledger?subject=checkpoint')).toBe('2');
  });

  test('is as of the first page', async () => {
    const paths = ['/memory/pull?task_id=t&limit=1', '/calendar/events?start=2026-12-01&end=2026-12-31&limit=1'];
    const nexts = await Promise.all(
      paths.map(async (path) => /<([^>]+)>/.exec((await user.get(path)).headers['link'] ?? '')?.[1] ?? ''),
    );
    await user.post('/memory/push', { traces: [{ type: 'observation', content: 'later', task_id: 't' }] }).expect(201);
    await user.delete('/calendar/remove?uid=moved').expect(200);
    await user.patch('/calendar/edit', {
      ...{ uid: 'series', scope: 'all', updates: { rrule: 'FREQ=DAILY;COUNT=2' } },
    });
    expect(await Promise.all(nexts.map((next) => totalOf(next)))).toEqual(['2', '11']);
    expect(await Promise.all(paths.map((path) => totalOf(path)))).toEqual(['3', '3']);
  });

  test('is there only for those who prefer it', async () => {
    expect(await totalOf('/agent/queue', 'respond-async, count=exact')).toBe('4');
    for (const prefer of ['count=planned', 'discount=exact', ''])
      expect(await totalOf('/agent/queue', prefer)).toBe(undefined);
  });

  test('is left out where too much would have to be read for it', async () => {
    const event = { title: 'x', scheduled_for: '2027-01-01T00:00', duration_minutes: 1, rrule: 'FREQ=HOURLY' };
    for (let i = 0; i < 6; i++) await user.post('/calendar/create', event).expect(201);
    expect(await totalOf('/calendar/events?start=2027-01-01&end=2028-12-30&limit=1')).toBe(undefined);
    expect(await totalOf('/calendar/events?start=2027-01-01&end=2027-01-01&limit=1')).toBe('144');
  });
});
