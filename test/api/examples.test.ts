/**
 * The examples of openapi.yaml are true: each request is sent to the service, and each answer is one that the service gave.
 * `npm run examples` writes the answers anew (src/process/generated/example-answers.json).
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import request from 'supertest';
import { afterAll, beforeAll, expect, test } from 'vitest';
import kept from '../../src/process/generated/example-answers.json' with { type: 'json' };
import type { Route } from '../../src/http/route.ts';
import { anApp, client, type Client, type TestApp } from '../support/app.ts';
import { aReceiver } from '../support/receiver.ts';
import { createContract } from '../support/contract.ts';

const FILE = join(import.meta.dirname, '../../src/process/generated/example-answers.json');
/** Long texts and the document itself are shown by their beginning. */
const MAX_TEXT = 600;

type Example = { query?: Record<string, unknown>; body?: unknown; text?: string };
/** What a request needs that no example can hold: secrets, and the ids that the service has given. */
type Given = { query?: Record<string, string>; body?: object | string; headers?: Record<string, string> };

let app: TestApp;
let session: { token: string; refresh_token: string };
let person: Client;
let agent: Client;
const found: Record<string, unknown> = {};
const statuses: Record<string, number> = {};

const routeOf = (id: string): Route => app.routes.find((r) => r.id === id) as Route;

/** Sends the example of an operation, with what it needs, and keeps the answer. */
const send = async (id: string, who: Client, given: Given = {}): Promise<Record<string, never>> => {
  const { method, path, accepts, status = 200, examples = {} } = routeOf(id);
  const { query, body, text }: Example = examples;
  const parameters = Object.entries({ ...query, ...given.query }).map(([k, v]) => [k, String(v)]);
  const search = parameters.length ? `?${new URLSearchParams(parameters).toString()}` : '';
  let sent = request(app.server)[method](path + search);
  if (who.token) sent = sent.set('Authorization', `Bearer ${who.token}`);
  sent = sent.set(given.headers ?? {});
  const payload = given.body ?? text ?? body;
  if (payload !== undefined) {
    const type = accepts?.types[0] ?? 'application/json';
    sent = sent.set('Content-Type', type).send(payload as object);
  }
  const answer = await sent;
  expect(answer.status, `${id}: ${answer.text}`).toBe(status);
  statuses[id] = answer.status;
  found[id] = /json/.test(answer.type) ? answer.body : answer.type === 'application/zip' ? 'PK...' : answer.text;
  return answer.body as Record<string, never>;
};

const MCP_HEADERS = {
  Accept: 'application/json, text/event-stream',
  'MCP-Protocol-Version': '2026-07-28',
  'Mcp-Method': 'tools/call',
  'Mcp-Name': 'get_limits',
};

const NOBODY: Client = { token: null } as Client;

/** Ada's first days: every operation once, in an order in which each finds what it needs. */
const liveADay = async (): Promise<void> => {
  session = (await send('register', NOBODY)) as never;
  session = (await send('logIn', NOBODY)) as never;
  const { refresh_token } = session;
  const { db } = app.database.handle;
  await db.updateTable('users').set({ admin: true }).execute();
  await send('logInWithLink', NOBODY, { body: { ticket: await app.services.links.issueForOwner() } });
  await db.updateTable('users').set({ admin: false }).execute();
  session = (await send('refreshSession', NOBODY, { body: { refresh_token } })) as never;
  person = client(app, session.token);
  agent = client(app, (await send('createKey', person))['key'] ?? null);
  await send('listKeys', person);
  await send('listSessions', person);
  await send('makeLoginLink', person);
  await send('endSessions', person);
  for (const id of ['pushMemory', 'editMemory', 'pullMemory', 'getMemoryHistory', 'giveFeedback', 'searchMemory'])
    await send(id, person);
  await send('summarizeTraces', person);
  await person.post('/memory/push', { traces: [{ uid: 'note-2', type: 'observation', content: 'Not needed.' }] });
  await send('removeMemory', person);
  await send('adjustTempo', person);
  for (const id of ['getTempoProfile', 'listTempoTags', 'updateProfile', 'getProfile', 'whoami'])
    await send(id, person);
  await send('proposePlans', agent);
  const others = ['tidy-notes', 'sort-mail', 'read-paper', 'water-plants'].map((uid, i) => ({
    ...{ uid, action_type: 'schedule', title: uid.replace('-', ' '), duration_minutes: 20 },
    scheduled_for: `2026-11-27T1${i}:00`,
  }));
  await agent.post('/agent/plan', { actions: others }).expect(200);
  for (const id of ['listQueue', 'getPlan', 'getAgentStatus', 'listAgentActivity', 'getPlanLimits'])
    await send(id, person);
  await feeds();
  await send('approvePlans', person);
  await send('undoDecisions', person);
  await send('rejectPlans', person);
  await send('callMcp', agent, { headers: MCP_HEADERS });
  await send('withdrawPlan', agent);
  await send('executePlans', person);
  const [{ agent: actor }] = (await person.get('/agent/activity').expect(200)).body;
  await send('takeBackAgent', person, { body: { agent: actor.id, since: '0', simulate: true } });
  await send('listChanges', person);
  await send('createSocketTicket', person);
  for (const id of ['createEvent', 'listEvents', 'getEvent', 'editEvent', 'findSlots', 'getFreeBusy', 'importCalendar'])
    await send(id, person);
  await send('exportCalendar', person);
  const { seq } = await send('removeEvent', person);
  await send('undoCalendar', person, { body: { seq } });
  for (const id of ['removeEvents', 'previewPlans', 'respondToPrompt', 'exportMemory']) await send(id, person);
  for (const id of [
    'listLedger',
    'createCheckpoint',
    'listCheckpoints',
    'moveCheckpoint',
    'deleteCheckpoint',
    'importMemory',
  ])
    await send(id, person);
  for (const id of ['dumpTraces', 'auditLedger', 'getMetrics', 'downloadArchive']) await send(id, person);
  for (const id of ['getHealth', 'getLiveness', 'getReadiness', 'getVersion', 'getDocs', 'getOpenApi', 'getLlmsText'])
    await send(id, NOBODY);
  await administration();
  await sources();
  await webhooks();
  const [key] = (await person.get('/user/keys')).body as [{ id: string }];
  await send('revokeKey', person, { query: { id: key.id } });
  await send('logOut', person);
  await send('eraseAccount', client(app, ((await send('logIn', NOBODY)) as unknown as typeof session).token));
};

/** It comes after the audit, which finds that the person was made an administrator in the database. */
const administration = async (): Promise<void> => {
  await app.database.handle.db.updateTable('users').set({ admin: true }).execute();
  const { token } = (await send('logIn', NOBODY)) as unknown as typeof session;
  const owner = client(app, token);
  const { id } = await send('createInvitation', owner);
  for (const one of ['listInvitations', 'getStorage', 'limitStorage']) await send(one, owner);
  await send('revokeInvitation', owner, { query: { id: id ?? '' } });
};

const sources = async (): Promise<void> => {
  const id = String((await send('createSource', person))['id']);
  await send('listSources', person);
  await send('updateSource', person, { body: { id, updates: { color: '#3366cc' } } });
  await send('refreshSource', person, { body: { id } });
  await send('removeSource', person, { query: { id } });
};

const webhooks = async (): Promise<void> => {
  const receiver = await aReceiver();
  try {
    const id = String((await send('createWebhook', person))['id']);
    await send('listWebhooks', person);
    await person.patch('/user/webhooks', { id, updates: { url: receiver.url } }).expect(200);
    await send('testWebhook', person, { body: { id } });
    await send('rotateWebhookSecret', person, { body: { id } });
    await agent.post('/agent/plan', { actions: [{ action_type: 'log', title: 'Sent', uid: 'sent' }] }).expect(200);
    await app.sender.settle();
    await send('listWebhookDeliveries', person, { query: { id } });
    await send('updateWebhook', person, { body: { id, updates: { status: 'active' } } });
    await send('removeWebhook', person, { query: { id } });
  } finally {
    receiver.close();
  }
};

const feeds = async (): Promise<void> => {
  const scopes = ['calendar:read', 'plan:read', 'plan:decide'];
  const { key } = (await person.post('/user/keys', { kind: 'feed', label: 'feed', scopes })).body as { key: string };
  await send('getCalendarFeed', NOBODY, { query: { key } });
  await send('getProposalsFeed', NOBODY, { query: { key } });
  const token = /decide\?token=([\w.-]+)/.exec(String(found['getProposalsFeed']).replaceAll('\r\n ', ''))?.[1] ?? '';
  await send('showProposal', NOBODY, { query: { token } });
  const button = /name="token" value="([^"]+)"/.exec(String(found['showProposal']))?.[1] ?? '';
  await send('decideProposal', NOBODY, { body: `token=${button}` });
};

/** Replaces what differs from run to run, so that the file changes only where the service does, and what looks like a secret. */
const settled = async (answers: Record<string, unknown>): Promise<Record<string, unknown>> => {
  const ids = new Map<string, string>();
  const numbered = (id: string): string => {
    if (!ids.has(id)) ids.set(id, `0199f0f0-0000-7000-8000-${String(ids.size + 1).padStart(12, '0')}`);
    return ids.get(id) as string;
  };
  const { openapi, info, servers } = await app.openapi();
  const shown = { ...answers, getOpenApi: { openapi, info: { title: info.title, version: info.version }, servers } };
  const short = (value: unknown): unknown =>
    typeof value === 'string' && value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)}...` : value;
  const text = JSON.stringify(Object.fromEntries(Object.entries(shown).map(([id, value]) => [id, short(value)])))
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, numbered)
    .replaceAll(/eyJ[\w-]+(\.[\w-]+)*/g, 'eyJ...')
    .replaceAll(/alm_([a-z]+)_\w+/g, 'alm_$1_...')
    .replaceAll(/whsec_[\w+/=]+/g, 'whsec_...')
    .replaceAll(/(?<="duration_ms":)\d+/g, '12')
    .replaceAll(/\b(?=[a-z]*\d)[a-z\d]{16}\b/g, 'k3f9zq27m1xw8t5b')
    .replaceAll(/_seconds_total [\d.]+/g, '_seconds_total 1.5')
    .replaceAll(/(?<="(?:refresh_token|ticket)":"|#ticket=)[^"]+/g, '...')
    .replaceAll(/(\d+)\.[0-9a-f]{12}/g, '$1.9f86d081884c')
    .replaceAll(/\b[0-9a-f]{64}\b/g, '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08')
    .replaceAll(/127\.0\.0\.1:\d+/g, 'localhost:8080');
  return JSON.parse(text) as Record<string, unknown>;
};

/** The names of members and the types of values, down to the first item of each list. */
const shapeOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.length ? [shapeOf(value[0])] : [];
  if (value === null || typeof value !== 'object') return value === null ? 'null' : typeof value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, item]) => [key, shapeOf(item)] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
};

beforeAll(async () => {
  app = await anApp();
  await liveADay();
  if (process.env['WRITE_EXAMPLES']) writeFileSync(FILE, `${JSON.stringify(await settled(found), null, 2)}\n`);
});
afterAll(() => app.close());

test('every operation has an example of its request that the service takes', () => {
  const without = app.routes.filter((r) => !r.undocumented && !(r.id in found)).map((r) => r.id);
  expect(without).toEqual(['openSocket']); // A socket is opened by no HTTP request; test/api/live.test.ts has its messages.
  const inputs = app.routes.filter((r) => (r.query ?? r.body) && !r.examples).map((r) => r.id);
  // All of their parameters are optional and say nothing: user_id, cursor.
  for (const id of inputs) {
    const shape = Object.keys((routeOf(id).query?.shape ?? {}) as object);
    expect(['user_id', 'timezone', 'ticket'], id).toEqual(expect.arrayContaining(shape));
  }
});

test('every answer is as its schema says, the one of now and the one in the document', async () => {
  const document = await app.openapi();
  const contract = createContract(document);
  const wrong = Object.entries(found).flatMap(([id, answer]) => {
    const { method, path, produces = 'application/json' } = routeOf(id);
    const at = contract.pointer('paths', path, method, 'responses', String(statuses[id]), 'content', produces);
    const example = document.paths[path]?.[method]?.responses[String(statuses[id])];
    const shown = example && 'content' in example ? example.content?.[produces]?.example : undefined;
    return [answer, shown].flatMap((one) => contract.faults(`${at}/schema`, one).map((fault) => `${id}: ${fault}`));
  });
  expect(wrong).toEqual([]);
});

test('the answers in the document have the form of those of now; otherwise run npm run examples', async () => {
  const now = JSON.parse(JSON.stringify(await settled(found))) as Record<string, unknown>;
  for (const [id, answer] of Object.entries(now))
    expect(shapeOf((kept as Record<string, unknown>)[id]), id).toEqual(shapeOf(answer));
});
