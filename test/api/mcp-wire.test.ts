/** POST /mcp as HTTP: credentials, origins, methods, and bodies that are hostile or not valid. */
import type { AddressInfo } from 'node:net';
import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aKey, anApp, aUser, client, type TestApp, type TestUser } from '../support/app.ts';

const app: TestApp = await anApp({
  env: { CORS_ORIGINS: 'https://front.example', PUBLIC_URL: 'https://almanac.example' },
});
let user: TestUser;
beforeAll(async () => {
  user = await aUser(app);
});
afterAll(() => app.close());

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const ACCEPT = 'application/json, text/event-stream';
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

type Sent = { method?: string; headers?: Record<string, string>; body?: string };
type Got = { status: number; headers: Record<string, string | string[] | undefined>; text: string };
const send = ({ method = 'POST', headers = {}, body }: Sent, token: string | null = user.agent.token): Promise<Got> =>
  new Promise((resolve, reject) => {
    const { port } = app.server.address() as AddressInfo;
    const all = {
      ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      Accept: ACCEPT,
      ...headers,
    };
    const sent = httpRequest({ port, host: '127.0.0.1', path: '/mcp', method, headers: all }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => (text += part));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
const post = (message: unknown, headers: Record<string, string> = {}, token?: string | null): Promise<Got> =>
  send({ headers, body: JSON.stringify(message) }, token === undefined ? user.agent.token : token);

describe('credentials', () => {
  test('no key is 401 with Bearer, a wrong key says invalid_token, and nothing points to OAuth', async () => {
    const none = await post(LIST, {}, null);
    expect(none.status).toBe(401);
    expect(none.headers['www-authenticate']).toBe('Bearer realm="almanac"');
    for (const token of ['wrong', `${user.agent.token}x`]) {
      const wrong = await post(LIST, {}, token);
      expect(wrong.status).toBe(401);
      expect(wrong.headers['www-authenticate']).toBe('Bearer realm="almanac", error="invalid_token"');
    }
    await user.get('/.well-known/oauth-protected-resource').expect(404);
    await user.get('/.well-known/oauth-protected-resource/mcp').expect(404);
  });

  test('a key without expiry works, a revoked one stops', async () => {
    const key = await aKey(app, user, 'agent');
    expect((await post(LIST, {}, key.token)).status).toBe(200);
    await user.delete(`/user/keys?id=${key.id}`).expect(200);
    await expect.poll(async () => (await post(LIST, {}, key.token)).status).toBe(401);
  });
});

describe('origins', () => {
  test.each([
    'https://evil.example',
    'null',
    'http://evil.example:80',
    'http://localhost.evil.example',
    'not an origin',
  ])('refuses pages of %s, also where their name leads here', async (origin) => {
    for (const headers of [{}, { Host: origin.replace(/^\w+:\/\//, '').replaceAll(' ', '') }]) {
      const { status, text } = await post(LIST, { Origin: origin, ...headers });
      expect([status, JSON.parse(text).code]).toEqual([403, 'forbidden_origin']);
    }
  });

  test('lets a page of this machine call only from the same port', async () => {
    const { port } = app.server.address() as AddressInfo;
    expect((await post(LIST, { Origin: `http://127.0.0.1:${port}` })).status).toBe(200);
    expect((await post(LIST, { Origin: 'http://127.0.0.1:1' })).status).toBe(403);
  });

  test.each(['https://front.example', 'https://almanac.example'])('lets pages of %s call', async (origin) => {
    expect((await post(LIST, { Origin: origin })).status).toBe(200);
  });
});

describe('methods', () => {
  test.each(['GET', 'DELETE', 'PUT'])('%s is 405 with Allow', async (method) => {
    const { status, headers } = await send({ method });
    expect(status).toBe(405);
    expect(headers['allow']).toBe('POST, OPTIONS');
  });
});

describe('requests', () => {
  test('has a request id in the answer and in a fault', async () => {
    const call = { ...LIST, method: 'tools/call', params: { name: 'memory_history', arguments: { uid: 'x' } } };
    const { headers, text } = await post(call, { 'X-Request-Id': 'my-request' });
    expect(headers['x-request-id']).toBe('my-request');
    expect(text).toContain('\\"request_id\\":\\"my-request\\"');
  });

  test.each([
    ['no body', undefined, 415],
    ['no JSON', 'hello', 400],
    ['half of it', '{"jsonrpc": "2.0", "id": 1', 400],
    ['a string', '"tools/list"', 400],
    ['null', 'null', 400],
    ['an empty object', '{}', 400],
    ['a batch', JSON.stringify([LIST, LIST]), 400],
    ['an empty batch', '[]', 400],
    ['another version of JSON-RPC', JSON.stringify({ ...LIST, jsonrpc: '1.0' }), 400],
    ['a method that is a number', JSON.stringify({ ...LIST, method: 1 }), 400],
    ['an id that is an object', JSON.stringify({ ...LIST, id: {} }), 400],
    ['params that are a text', JSON.stringify({ ...LIST, params: 'x' }), 400],
    ['more than 1 MiB', JSON.stringify({ ...LIST, params: { x: 'x'.repeat(1_100_000) } }), 413],
    ['too many values', `{"x": [${'1,'.repeat(300_000)}1]}`, 413],
    ['33 levels', `${'{"a":'.repeat(40)}1${'}'.repeat(40)}`, 422],
    ['100,000 levels', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, 422],
    ['NUL', JSON.stringify({ ...LIST, params: { x: '\0' } }), 422],
    ['__proto__', '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"__proto__":{"x":1}}}', 422],
  ])('with %s is refused', async (_what, body, expected) => {
    const { status, text, headers } = await send(body === undefined ? {} : { body });
    expect(status, text).toBe(expected);
    expect(headers['content-type']).toMatch(/json/);
    expect(text).not.toMatch(/node_modules|at file:/);
  });

  test.each(['application/json', 'text/event-stream', 'text/html'])('that accepts only %s is 406', async (accept) => {
    expect((await post(LIST, { Accept: accept })).status).toBe(406);
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/xml'])('as %s is 415', async (type) => {
    expect((await post(LIST, { 'Content-Type': type })).status).toBe(415);
  });

  test.each([
    ['no tool of that name', { name: 'approve' }, -32602],
    ['a name that is a number', { name: 7 }, -32602],
    ['arguments that are a list', { name: 'list_memory', arguments: [] }, -32602],
  ])('with %s are errors of the protocol', async (_what, params, code) => {
    const { text } = await post({ ...LIST, method: 'tools/call', params });
    expect(JSON.parse(/\{.*\}/.exec(text)?.[0] ?? '{}').error.code).toBe(code);
  });

  test.each([
    ['a member that there is not', { approve: true }],
    ['a list for a text', { task_id: ['x'] }],
    ['too long a text', { task_id: 'x'.repeat(300) }],
    ['a number that is a text', { limit: '5' }],
    ['too large a limit', { limit: 100_000 }],
    ['too few tokens', { max_tokens: 1 }],
    ['too many tokens', { max_tokens: 1e9 }],
    ['a forged cursor', { cursor: 'eyJxIjoieCJ9' }],
    ['another user', { user_id: 'somebody' }],
  ])('with %s in the arguments are errors of the tool', async (_what, args) => {
    const call = { ...LIST, method: 'tools/call', params: { name: 'list_memory', arguments: args } };
    const { status, text } = await post(call);
    expect(status).toBe(200);
    const { result } = JSON.parse(/\{.*\}/.exec(text)?.[0] ?? '{}');
    expect(result.isError).toBe(true);
    expect(JSON.parse(result.content[0].text)).toMatchObject({ code: /^invalid_/, what_to_do: expect.any(String) });
  });

  test('of 2026-07-28 must agree with their headers', async () => {
    const message = { ...LIST, params: { _meta: META } };
    const headers = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/list' };
    const good = await post(message, headers);
    expect([good.status, good.headers['content-type']]).toEqual([200, 'application/json']);
    expect((await post(message, { ...headers, 'Mcp-Method': 'prompts/list' })).status).toBe(400);
    expect((await post(message, { 'MCP-Protocol-Version': '2026-07-28' })).status).toBe(400);
    const unknown = { ...META, 'io.modelcontextprotocol/protocolVersion': '2030-01-01' };
    const { status, text } = await post({ ...LIST, params: { _meta: unknown } });
    expect([status, JSON.parse(text).error.code]).toEqual([400, -32022]);
  });

  test('with an Idempotency-Key are not kept; request_key is for that', async () => {
    const call = { ...LIST, method: 'tools/call', params: { name: 'get_limits', arguments: {} } };
    for (let i = 0; i < 2; i++) expect((await post(call, { 'Idempotency-Key': 'same' })).status).toBe(200);
  });

  test('a notification is accepted without a body', async () => {
    const { status, text } = await post({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect([status, text]).toEqual([202, '']);
  });
});

test('requests count in the rate limit, and tools in the metrics', async () => {
  const small = await anApp({ env: { RATE_LIMIT_PER_MINUTE: '30', METRICS_TOKEN: 'a-metrics-token-of-some-length' } });
  try {
    const person = await aUser(small);
    const call = { ...LIST, method: 'tools/call', params: { name: 'get_limits', arguments: {} } };
    const statuses: number[] = [];
    for (let i = 0; i < 32; i++) statuses.push((await person.agent.post('/mcp', call).set('Accept', ACCEPT)).status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(30);
    expect(statuses.slice(30)).toEqual([429, 429]);
    const { text } = await client(small, 'a-metrics-token-of-some-length').get('/metrics').expect(200);
    expect(text).toContain('almanac_mcp_tool_duration_seconds_count{tool="get_limits",result="ok"} 30');
  } finally {
    await small.close();
  }
});
