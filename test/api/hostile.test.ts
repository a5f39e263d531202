/** Every route against values nobody should send: never a 5xx, always problem+json, and nothing changes on a refusal. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ActionIn } from '../../src/agent/schemas.ts';
import { NewEventIn } from '../../src/calendar/schemas.ts';
import { TempoPreferences } from '../../src/domain/plan/tempo.ts';
import type { Route } from '../../src/http/route.ts';
import { SearchBody, TraceIn } from '../../src/memory/schemas.ts';
import { aKey, anApp, aUser, type Client, type TestApp } from '../support/app.ts';
import { some } from '../support/thoroughness.ts';

const app: TestApp = await anApp();
let user: Client;
beforeAll(async () => {
  user = await aKey(app, await aUser(app), 'user');
});
afterAll(() => app.close());

const NASTY: unknown[] = [
  null,
  true,
  -1,
  0,
  1e308,
  2 ** 53,
  '',
  ' ',
  "'; drop table traces; --",
  '%00',
  '\u202e\ufeff',
  '𝔘𝔫𝔦😀',
  'x'.repeat(300),
  '../../etc/passwd',
  '2026-13-45',
  '9999-12-31T23:59:59Z',
  '0001-01-01',
  '-1',
  'NaN',
  [],
  [[]],
  [null],
  {},
  { __proto__: { admin: true } },
  { constructor: 1 },
];

/** Names of the members of an object schema; a refinement of the whole keeps its shape. */
const membersOf = (schema: z.ZodType | undefined): string[] =>
  schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];

const look = async (
  answer: {
    status: number;
    headers: Record<string, string>;
    body: { code?: string; jsonrpc?: string; error?: { code?: number } };
  },
  what: string,
) => {
  expect(answer.status, `${what} answered ${answer.status} ${JSON.stringify(answer.body)}`).toBeLessThan(500);
  // The Model Context Protocol has errors of its own (JSON-RPC 2.0) for messages that it cannot read.
  if (answer.status >= 400 && answer.body.jsonrpc === '2.0') expect(answer.body.error?.code, what).toBeTypeOf('number');
  // WebDAV has errors in XML.
  else if (answer.status >= 400 && !answer.headers['content-type']?.startsWith('application/xml')) {
    expect(answer.headers['content-type'], what).toMatch('application/problem+json');
    expect(answer.body.code, what).toBeTypeOf('string');
  }
};

const bombard = async (route: Route): Promise<void> => {
  for (const [i, name] of membersOf(route.query as z.ZodType | undefined).entries())
    for (const value of some(NASTY, i)) {
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      const address = `${route.path}?${new URLSearchParams({ [name]: text }).toString()}`;
      await look(await user[route.method](address, route.body ? {} : undefined), `${route.method} ${address}`);
    }
  for (const [i, name] of membersOf(route.body as z.ZodType | undefined).entries())
    for (const value of some(NASTY, i)) {
      await look(
        await user[route.method](route.path, { [name]: value }),
        `${route.path} ${JSON.stringify({ [name]: value })}`,
      );
    }
};

describe.each(app.routes.map((r) => [`${r.method} ${r.path}`, r] as const))('%s', (_name, route) => {
  test('takes whatever comes', { timeout: 60_000 }, async () => {
    await bombard(route);
    for (const raw of ['[]', '"x"', '42', 'null', '{"a":', '\u0000', '{"a":1e999}', '['.repeat(50_000)])
      if (route.method !== 'get') {
        const sent = user[route.method](route.path).set('Content-Type', 'application/json');
        await look(await sent.send(raw), `${route.path} with ${raw.slice(0, 20)}`);
      }
  });
});

/** One wrong value inside an otherwise good request gets past the first checks. */
const NESTED: [path: string, schema: z.ZodType, around: (member: object) => object][] = [
  ['/memory/push', TraceIn, (m) => ({ traces: [{ type: 'observation', content: 'x', ...m }] })],
  ['/memory/push', TraceIn, (m) => ({ traces: [{ type: 'agent_plan', content: 'x', action_type: 'schedule', ...m }] })],
  ['/agent/plan', ActionIn, (m) => ({ actions: [{ action_type: 'schedule', title: 'x', ...m }] })],
  ['/chat/plan-preview', ActionIn, (m) => ({ actions: [{ action_type: 'log', title: 'x', ...m }] })],
  ['/memory/search', SearchBody, (m) => ({ query: 'x', ...m })],
  [
    '/calendar/create',
    NewEventIn,
    (m) => ({ title: 'x', scheduled_for: '2026-12-01T10:00', duration_minutes: 30, ...m }),
  ],
  ['/tempo/adjust', TempoPreferences, (m) => ({ preferences: m })],
];

describe.each(NESTED)('inside %s', (path, schema, around) => {
  test('takes whatever comes', { timeout: 60_000 }, async () => {
    const names = membersOf(schema);
    expect(names.length).toBeGreaterThan(4);
    for (const [i, name] of names.entries())
      for (const value of some(NASTY, i)) {
        const body = around({ [name]: value });
        await look(await user.post(path, body), `${path} ${JSON.stringify(body)}`);
      }
  });
});

test('most routes have members to try', () => {
  const tried = app.routes.flatMap((r) => [...membersOf(r.query as z.ZodType), ...membersOf(r.body as z.ZodType)]);
  expect(tried.length).toBeGreaterThan(100);
});

test('after all that the ledger still verifies', async () => {
  expect((await user.get('/debug/audit').expect(200)).body.ok).toBe(true);
});
