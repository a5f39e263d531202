/** R4 of MCP: every tool x {none, revoked, expired, missing scope, agent key, other user, owner}, exactly the decided result. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { possibleScopes, type Scope } from '../../src/domain/access/caller.ts';
import { TOOLS } from '../../src/mcp/all-tools.ts';
import { aKey, anApp, aUser, client, type Client, type TestApp, type TestUser } from '../support/app.ts';
import { callTool, mcpClient, type ToolAnswer } from '../support/mcp.ts';

const app: TestApp = await anApp();

type Fixture = { trace: string; plan: string };
/** The result: ok, or the code of the problem. */
type Case = { scopes: Scope[]; args?: (f: Fixture) => object; owner?: string; agent?: string; other?: string };

const actions = [{ action_type: 'log', title: 'x' }];
const CASES: Record<string, Case> = {
  search_memory: { scopes: ['memory:read'], args: () => ({ query: 'owner' }) },
  list_memory: { scopes: ['memory:read'] },
  append_memory: { scopes: ['memory:write'], args: () => ({ traces: [{ type: 'observation', content: 'x' }] }) },
  memory_history: { scopes: ['memory:read'], args: (f) => ({ uid: f.trace }), other: 'trace_not_found' },
  give_feedback: {
    scopes: ['memory:write', 'memory:read'],
    args: (f) => ({ uid: f.trace, feedback_rating: 3 }),
    other: 'trace_not_found',
  },
  export_context: { scopes: ['export:read'] },
  list_events: { scopes: ['calendar:read'] },
  find_free_slots: { scopes: ['calendar:read'] },
  propose: { scopes: ['plan:propose'], args: () => ({ actions }) },
  list_proposals: { scopes: ['plan:read'] },
  // The owner made the proposal, so that their agent may not withdraw it.
  withdraw_proposal: {
    scopes: ['plan:propose', 'plan:read'],
    args: (f) => ({ uid: f.plan }),
    agent: 'not_yours_to_edit',
    other: 'plan_not_found',
  },
  wait_for_decision: {
    scopes: ['plan:read'],
    args: (f) => ({ uids: [f.plan], wait_seconds: 0 }),
    other: 'plan_not_found',
  },
  who_am_i: { scopes: [] },
  get_limits: { scopes: ['plan:read'] },
  get_tempo: { scopes: ['tempo:read'] },
};

let owner: TestUser;
let other: TestUser;
let revoked: Client;
let expired: Client;

const fixture = async (): Promise<Fixture> => {
  const traces = [{ uid: randomUUID(), type: 'observation', content: 'the owner’s' }];
  const [trace] = (await owner.post('/memory/push', { traces }).expect(201)).body;
  const [plan] = (await owner.post('/agent/plan', { actions }).expect(200)).body;
  return { trace: trace.uid, plan: plan.uid };
};

const send = async (who: Client, name: string, { args }: Case): Promise<ToolAnswer> => {
  const mcp = await mcpClient(app.url, who.token, 'legacy');
  return callTool(mcp, name, { ...args?.(await fixture()) });
};
const resultOf = ({ isError, value }: ToolAnswer): string => (isError ? value.code : 'ok');

beforeAll(async () => {
  owner = await aUser(app);
  other = await aUser(app);
  const gone = await aKey(app, owner, 'user');
  revoked = gone;
  await owner.delete(`/user/keys?id=${gone.id}`).expect(200);
  const expires_at = new Date(app.clock.millis() + 1000).toISOString();
  const short = await owner.post('/user/keys', { kind: 'user', label: 'short', expires_at }).expect(201);
  expired = client(app, short.body.key);
  app.clock.advance(2000);
});
afterAll(() => app.close());

test('every tool is in the table, and the table names no other', async () => {
  expect(TOOLS.map(({ name }) => name)).toEqual(Object.keys(CASES));
  const mcp = await mcpClient(app.url, owner.token);
  expect((await mcp.listTools()).tools.map(({ name }) => name)).toEqual(Object.keys(CASES));
});

/** What is never a tool's: deciding, writing the calendar, changing limits and settings, making keys. */
const NEVER: Scope[] = [
  'plan:decide',
  'plan:execute',
  'calendar:write',
  'tempo:write',
  'user:write',
  'keys:manage',
  'admin',
];

test('no tool calls a route that decides, writes the calendar, changes limits or makes keys', () => {
  const called = new Set(TOOLS.flatMap((tool) => tool.routes));
  const scopes = app.routes.filter(({ id }) => called.has(id)).flatMap((route) => route.scopes as Scope[]);
  expect(scopes.length).toBeGreaterThan(10);
  expect(NEVER.filter((scope) => scopes.includes(scope))).toEqual([]);
});

test('a key without scopes sees no tool, resource or prompt that needs one', async () => {
  const mcp = await mcpClient(app.url, (await aKey(app, owner, 'agent', ['debug:read'])).token);
  expect((await mcp.listTools()).tools.map(({ name }) => name)).toEqual(['who_am_i']);
  expect((await mcp.listResources()).resources).toEqual([]);
  expect((await mcp.listResourceTemplates()).resourceTemplates).toEqual([]);
  expect((await mcp.listPrompts()).prompts).toEqual([]);
});

describe.each(Object.entries(CASES))('tool %s', (name, sample) => {
  const rest = possibleScopes('user', false).filter((scope) => !sample.scopes.includes(scope));

  test.each([
    ['without a credential', () => client(app, null)],
    ['with a revoked key', () => revoked],
    ['with an expired key', () => expired],
  ])('%s is 401', async (_what, who) => {
    const answer = await who()
      .post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } })
      .set('Accept', 'application/json, text/event-stream');
    expect(answer.status).toBe(401);
  });

  if (sample.scopes.length)
    test('without its scope is 403, and the scope is named', async () => {
      const key = await aKey(app, owner, 'user', rest);
      const mcp = await mcpClient(app.url, key.token);
      expect((await mcp.listTools()).tools.map((tool) => tool.name)).not.toContain(name);
      expect(await send(key, name, sample)).toMatchObject({
        isError: true,
        value: { code: 'insufficient_scope', missing: sample.scopes },
      });
    });

  // A credential that may write is not shown by the result what it may not read.
  if (sample.scopes.length > 1)
    test.each(sample.scopes)('with all scopes but %s is 403', async (scope) => {
      const key = await aKey(app, owner, 'user', [...rest, ...sample.scopes.filter((s) => s !== scope)]);
      const answer = await send(key, name, sample);
      expect(answer).toMatchObject({ isError: true, value: { code: 'insufficient_scope', missing: [scope] } });
      expect(answer.text).not.toContain('the owner’s');
    });

  test('with an agent key', async () => {
    expect(resultOf(await send(owner.agent, name, sample))).toBe(sample.agent ?? 'ok');
  });

  test('as another user', async () => {
    const answer = await send(other, name, sample);
    expect(resultOf(answer)).toBe(sample.other ?? 'ok');
    expect(answer.text).not.toContain('the owner’s');
  });

  test('as the owner', async () => {
    expect(resultOf(await send(owner, name, sample))).toBe(sample.owner ?? 'ok');
  });
});
