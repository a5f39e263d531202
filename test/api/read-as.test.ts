/** A person reads as an agent (`Read-As`) and is answered what the agent is, also in the past. Nothing is written. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { defaultScopes, possibleScopes, type Scope } from '../../src/domain/access/caller.ts';
import { isReading } from '../../src/http/route.ts';
import { aKey, anApp, aUser, type Client, type TestApp, type TestUser } from '../support/app.ts';
import type { Ask } from '../support/scopes/ask.ts';
import { markedPerson, type World } from '../support/scopes/person.ts';
import { davAsks } from '../support/scopes/protocols.ts';
import { readAsks } from '../support/scopes/reads.ts';
import { markedWords } from '../support/scopes/words.ts';
import { writeAsks } from '../support/scopes/writes.ts';

let app: TestApp;
beforeAll(async () => {
  app = await anApp();
  app.clock.set('2026-11-23T07:00:00.000Z');
});
afterAll(() => app.close());

type Answer = { status: number; body: string };
const send = async ({ token }: Client, { method, path, headers, body }: Ask, reader?: string): Promise<Answer> => {
  const named = reader === undefined ? {} : { 'Read-As': reader };
  const sent = {
    method,
    headers: { Authorization: `Bearer ${token}`, ...headers, ...named },
    redirect: 'manual' as const,
  };
  const answer = await fetch(app.url + path, body === undefined ? sent : { ...sent, body });
  return { status: answer.status, body: await answer.text() };
};

const davRoutes = () => app.routes.filter(({ tag, scopes }) => tag === 'caldav' && scopes !== 'public');
const asksOf = (w: World): Ask[] => [
  ...Object.values({ ...readAsks(w), ...writeAsks(w) }).flat(),
  ...davAsks(w, davRoutes()),
];
const routeOf = ({ method, path }: Ask) => {
  const parts = (path.split('?')[0] ?? '').split('/');
  return app.routes.find(
    (route) =>
      route.method === method.toLowerCase() &&
      route.path.split('/').length === parts.length &&
      route.path.split('/').every((part, i) => part.startsWith(':') || part === parts[i]),
  );
};
const idOf = ({ actor }: World): string => actor.replace('agent:', '');
const headOf = async (who: Client): Promise<number> => (await who.get('/debug/audit').expect(200)).body.head.seq;

/** The number of a request, and the words about who lacks a scope. */
const plain = ({ status, body }: Answer): string =>
  `${status} ${body.replaceAll(/"request_id":"[^"]*"/g, '').replaceAll('This credential lacks', 'The agent lacks')}`;

/** When a credential ends is its own, and the metrics count the requests before. */
const OWN = new Set(['/user/whoami', '/metrics']);

const READING = possibleScopes('agent', false).filter((scope) => scope.endsWith(':read'));

describe('every route that reads answers as it answers the agent', () => {
  const cases: { name: string; scopes: Scope[] }[] = [
    ...(['memory:read', 'calendar:read', 'plan:read', 'export:read'] as const).map((name) => ({
      name,
      scopes: [name],
    })),
    { name: 'all scopes that read', scopes: READING },
  ];
  test.each(cases)('with $name', async ({ scopes }) => {
    const w = await markedPerson(app, markedWords(), scopes);
    const different: string[] = [];
    const answered = new Set<string>();
    for (const one of asksOf(w)) {
      const route = routeOf(one);
      if (!route || !isReading(route) || OWN.has(route.path)) continue;
      const [seen, own] = [await send(w.me, one, idOf(w)), await send(w.who, one)];
      if (own.status < 300) answered.add(route.id);
      if (plain(seen) !== plain(own)) different.push(`${one.method} ${one.path} ${one.body ?? ''}`);
    }
    expect(different).toEqual([]);
    expect(answered.size).toBeGreaterThan(scopes.length > 1 ? 25 : 0);
  });
});

test('no request that writes is accepted, and none of those that read writes', async () => {
  const w = await markedPerson(app, markedWords(), defaultScopes('agent', false));
  const before = await headOf(w.me);
  const accepted: string[] = [];
  for (const one of asksOf(w)) {
    const route = routeOf(one);
    const { status } = await send(w.me, one, idOf(w));
    if (route && route.scopes !== 'public' && !isReading(route) && status < 400)
      accepted.push(`${one.method} ${one.path} ${status}`);
  }
  expect(accepted).toEqual([]);
  expect(await headOf(w.me)).toBe(before);
});

test('a socket is refused with it, because it would tell what the person may read', async () => {
  const user = await aUser(app);
  const { id } = await aKey(app, user, 'agent');
  const headers = { Authorization: `Bearer ${user.token}`, 'Read-As': id };
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const socket = new WebSocket(`${app.url.replace('http', 'ws')}/ws`, { headers });
    socket.once('unexpected-response', (_request, { statusCode }) => resolve(statusCode));
    socket.once('open', () => reject(new Error('the socket was opened')));
  });
  expect(status).toBe(422);
});

describe('who may read as whom', () => {
  const idOfAgent = async ({ agent }: TestUser): Promise<string> =>
    (await agent.get('/user/whoami').expect(200)).body.key_id;
  const pull = (who: Client, id: string) => who.get('/memory/pull').set('Read-As', id);

  test('a key that was revoked still answers for what was known', async () => {
    const user = await aUser(app);
    await user.post('/memory/push', { traces: [{ type: 'observation', content: 'Then.' }] }).expect(201);
    const { id } = await aKey(app, user, 'agent');
    const then = await headOf(user);
    await user.post('/memory/push', { traces: [{ type: 'observation', content: 'Later.' }] }).expect(201);
    await user.delete(`/user/keys?id=${id}`).expect(200);
    const { body } = await user.get(`/memory/pull?as_of=${then}`).set('Read-As', id).expect(200);
    expect(body.map(({ content }: { content: string }) => content)).toEqual(['Then.']);
  });

  test('only an agent’s key of the account can be named, by whoever makes keys and sees everything', async () => {
    const [user, stranger] = [await aUser(app), await aUser(app)];
    const id = await idOfAgent(user);
    const own = await aKey(app, user, 'user');
    for (const wrong of ['none', own.id, await idOfAgent(stranger)])
      expect((await pull(user, wrong).expect(404)).body.code).toBe('key_not_found');
    const { body } = await pull(user.agent, id).expect(403);
    expect(body.missing).toEqual(['keys:manage', 'export:sensitive']);
    const managing = await aKey(app, user, 'user', ['keys:manage', 'memory:read']);
    expect((await pull(managing, id).expect(403)).body.missing).toEqual(['export:sensitive']);
  });

  test('nobody reads more through an agent than without it', async () => {
    const user = await aUser(app);
    const id = await idOfAgent(user);
    const scopes = ['keys:manage', 'export:sensitive', 'memory:read'];
    const narrow = await aKey(app, user, 'user', scopes);
    await pull(narrow, id).expect(200);
    const events = '/calendar/events?start=2026-11-23&end=2026-11-24';
    expect((await narrow.get(events).expect(403)).body.missing).toEqual(['calendar:read']);
    const scopeless = await narrow.get('/user/whoami').set('Read-As', id).expect(200);
    expect(scopeless.body.scopes).toEqual(['memory:read']);
  });
});
