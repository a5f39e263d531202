/** Every schema of a route has bounds, and a body that exceeds them is refused before it is parsed, or with its first faults. */
import { TOOLS } from '../../src/mcp/all-tools.ts';
import { inputOf } from '../../src/mcp/tool-definitions.ts';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { z } from 'zod';
import { Limits } from '../../src/domain/plan/limits.ts';
import { TempoPreferences } from '../../src/domain/plan/tempo.ts';
import type { Route } from '../../src/http/route.ts';
import { Subscribe } from '../../src/live/schemas.ts';
import { Settings } from '../../src/user/schemas.ts';
import { aKey, anApp, aUser, type Client, type TestApp } from '../support/app.ts';

const app: TestApp = await anApp({ overrides: { checkAnswers: false } });
let user: Client;
beforeAll(async () => {
  user = await aKey(app, await aUser(app), 'user');
});
afterAll(() => app.close());

type Def = z.core.$ZodTypeDef & Record<string, unknown>;
const defOf = (schema: unknown): Def => (schema as z.ZodType)._zod.def as unknown as Def;
const checksOf = (def: Def): Record<string, unknown>[] =>
  [
    def,
    ...((def['checks'] ?? []) as unknown as { _zod: { def: Record<string, unknown> } }[]).map((c) => c._zod.def),
  ] as Record<string, unknown>[];

/** What a schema is made of, by path: `[]` stands for an item, `{}` for a member of a record. */
function* parts(schema: unknown, path = ''): Generator<[path: string, def: Def]> {
  const def = defOf(schema);
  yield [path, def];
  for (const inner of ['innerType', 'in', 'out'] as const) if (def[inner]) yield* parts(def[inner], path);
  for (const option of (def['options'] ?? []) as unknown[]) yield* parts(option, path);
  if (def['element']) yield* parts(def['element'], `${path}[]`);
  if (def['valueType']) yield* parts(def['keyType'], `${path}{}`);
  if (def['valueType']) yield* parts(def['valueType'], `${path}{}`);
  for (const [name, member] of Object.entries(def['shape'] ?? {})) yield* parts(member, `${path}.${name}`);
}

/** A pattern from its begin to its end that repeats nothing without a limit. */
const isFinite = (pattern: unknown): boolean =>
  pattern instanceof RegExp && /^\^.*\$$/.test(pattern.source) && !/[^\\][*+]|,\}/.test(pattern.source);

const isBounded = (def: Def): boolean => {
  if (def.type === 'array' || def.type === 'record') return typeof def['most'] === 'number';
  if (def.type === 'string') return checksOf(def).some((c) => c['check'] === 'max_length' || isFinite(c['pattern']));
  return def.type !== 'unknown' && def.type !== 'any';
};

/** Data of the caller's own that is bounded as a whole, or that is not looked at. */
const ELSEWHERE: [RegExp, string][] = [
  [/\.(metadata|arguments)\{\}$/, 'the whole has 16 KiB at most'],
  [/\.(memory|calendar|schedule)\[\]\{\}$/, 'what a planner is shown is cut to a budget'],
  [/\.(preferences|limits|tempo|memory)\{\}$/, 'a merge patch: what comes of it is parsed by a schema with bounds'],
  [
    /\[\]\.(version|seq|recorded_at|recorded_by|sensitive|updated_at|summary|origin|group|depth)$/,
    'given anew on import, not looked at',
  ],
  [
    /^\/memport\/import body\.(groups|omitted|edges|missing|from_seq|checkpoint|as_of_seq|generated_at|next_cursor)$/,
    'what an export tells beside its results, not looked at',
  ],
  [/^\/mcp body$/, 'a message: its arguments are parsed by the schema of the tool, which is bounded'],
];

const schemas: [string, unknown][] = [
  ...app.routes.flatMap((r): [string, unknown][] => [
    ...(r.query ? [[`${r.path} query`, r.query] as [string, unknown]] : []),
    ...(r.body ? [[`${r.path} body`, r.body] as [string, unknown]] : []),
  ]),
  ['what merge patches lead to: limits', Limits],
  ['what merge patches lead to: settings', Settings],
  ['what merge patches lead to: tempo', TempoPreferences],
  ...TOOLS.map((tool): [string, unknown] => [`the tool ${tool.name}`, inputOf(tool)]),
  ['the socket', Subscribe],
];

test('every list, dictionary and text of every schema has a bound', () => {
  const all = schemas.flatMap(([name, schema]) => [...parts(schema, name)]);
  expect(all.filter(([, def]) => def.type === 'array').length).toBeGreaterThan(30);
  expect(all.filter(([, def]) => def.type === 'string').length).toBeGreaterThan(150);
  const unbounded = all.filter(([, def]) => !isBounded(def)).map(([path]) => path);
  expect(unbounded.filter((path) => !ELSEWHERE.some(([pattern]) => pattern.test(path)))).toEqual([]);
  for (const [pattern] of ELSEWHERE) expect(unbounded.some((path) => pattern.test(path))).toBe(true); // none is left over
});

/** The body that holds `junk` where the path leads. */
const around = (path: string, junk: string): string => {
  const member = /^\.(\w+)(\[\])?(.*)$/.exec(path);
  if (!member) return junk;
  const [, name, isItem, rest = ''] = member;
  const inner = around(rest, junk);
  return `{"${name}":${isItem && rest ? `[${inner}]` : inner}}`;
};

const zeros = (count: number): string => `[${'0,'.repeat(count - 1)}0]`;
const MIB = 1024 * 1024;

const post = async (route: Route, text: string | Buffer, headers: Record<string, string> = {}) => {
  const answer = await fetch(`${app.url}${route.path}`, {
    method: route.method.toUpperCase(),
    headers: { Authorization: `Bearer ${user.token}`, 'Content-Type': 'application/json', ...headers },
    body: text,
  });
  const body = (await answer.json()) as { code: string; errors?: { path: string }[]; detail: string };
  return { answer, body };
};

/** Refused as a problem, with a hundred faults at most. */
const refused = ({ answer, body }: Awaited<ReturnType<typeof post>>, status: number[]): void => {
  expect(status).toContain(answer.status);
  expect(answer.headers.get('content-type')).toContain('application/problem+json');
  expect(body.errors?.length ?? 0).toBeLessThanOrEqual(100);
};

const listsOf = (route: Route): string[] => [
  ...new Set(
    [...parts(route.body)].filter(([path, def]) => def.type === 'array' && !path.includes('{}')).map(([path]) => path),
  ),
];
const withLists = app.routes.filter((r) => r.body && listsOf(r).length);

describe.each(withLists.map((r) => [r.path, r] as const))('a body of junk for %s', (_path, route) => {
  test.each(listsOf(route))('in %s is refused', async (path) => {
    refused(await post(route, around(path, zeros(MIB / 2 - 100))), [413, 422]);
    refused(await post(route, around(path, zeros(200_000))), [413, 422]);
    const strings = `[${'"",'.repeat(200_000)}""]`;
    refused(await post(route, around(path, strings)), [413, 422]);
  });
});

test('many good items with many faults each are refused with a hundred', async () => {
  const push = app.routes.find((r) => r.path === '/memory/push') as Route;
  const item = `{"type":"observation","content":"x","linked_trace_ids":${zeros(999)}}`;
  const { body, ...rest } = await post(push, `{"traces":[${Array(240).fill(item).join()}]}`);
  refused({ body, ...rest }, [422]);
  expect(body.errors).toHaveLength(100);
  expect(body.detail).toContain('at least 97 more');
  const names = `{${Array.from({ length: 60_000 }, (_, i) => `"n${i}":0`).join()}}`;
  refused(await post(push, names), [422]);
});

describe('an import', () => {
  const route = app.routes.find((r) => r.path === '/memport/import') as Route;
  const packed = { 'Content-Encoding': 'gzip' };
  const lines = { 'Content-Type': 'application/x-ndjson' };

  test('of 16 kB that unpack to 16 MiB of values is refused before they are parsed', async () => {
    const bodies = [
      `{"traces":${zeros(8_000_000)}}`,
      '['.repeat(16_000_000),
      `{"traces":[${'{},'.repeat(5_000_000)}{}]}`,
    ];
    const parse = vi.spyOn(JSON, 'parse');
    onTestFinished(() => parse.mockRestore());
    for (const text of bodies) {
      const bomb = gzipSync(text);
      expect(bomb.length).toBeLessThan(40_000);
      refused(await post(route, bomb, packed), [413]);
    }
    const line = gzipSync(`{"uid":"a"}\n${zeros(8_000_000)}`);
    refused(await post(route, line, { ...packed, ...lines }), [413]);
    refused(await post(route, gzipSync('0\n'.repeat(8_000_000)), { ...packed, ...lines }), [413]);
    refused(await post(route, gzipSync(' '.repeat(17 * MIB)), packed), [413]); // the limit is of what was unpacked
    expect(parse.mock.calls.reduce((characters, [text]) => characters + text.length, 0)).toBeLessThan(MIB);
  });

  test('of as many wrong items as it may hold tells the first hundred', async () => {
    for (const [text, headers] of [
      [`{"traces":${zeros(50_000)}}`, {}],
      [`{"results":${zeros(50_000)}}`, {}],
      ['0\n'.repeat(50_000), lines],
    ] as const) {
      const answer = await post(route, text, headers);
      refused(answer, [422]);
      expect(answer.body.errors).toHaveLength(100);
      expect(answer.body.errors?.[99]?.path).toMatch(/^\/(traces|results)\/99$/);
    }
    refused(await post(route, `{"traces":${zeros(50_001)}}`), [422]);
  });

  test('in another encoding than UTF-8 is refused', async () => {
    const type = { 'Content-Type': 'application/json; charset=utf-16le' };
    refused(await post(route, Buffer.from(`{"traces":${zeros(10)}}`, 'utf16le'), type), [415]);
  });
});

describe('a member named __proto__', () => {
  const TRACE = '"uid":"p","type":"observation","content":"x","timestamp":"2026-11-20T10:00:00Z"';
  test.each([
    [
      '/memory/push',
      `{"traces":[{"type":"observation","content":"x","metadata":{"a":{"__proto__":1}}}]}`,
      '/traces/0/metadata/a/__proto__',
    ],
    [
      '/memory/push',
      `{"traces":[{"type":"observation","content":"x","__proto__":{"admin":true}}]}`,
      '/traces/0/__proto__',
    ],
    [
      '/agent/plan',
      `{"actions":[{"action_type":"log","title":"x","arguments":{"__proto__":{}}}]}`,
      '/actions/0/arguments/__proto__',
    ],
    ['/user/update', `{"updates":{"limits":{"__proto__":{"budget":1}}}}`, '/updates/limits/__proto__'],
    ['/tempo/adjust', `{"preferences":{"tag_mappings":{"__proto__":{}}}}`, '/preferences/tag_mappings/__proto__'],
    ['/memory/search', `{"query":"x","__proto__":1}`, '/__proto__'],
    ['/memport/import', `{"traces":[{${TRACE},"metadata":{"__proto__":1}}]}`, '/traces/0/metadata/__proto__'],
  ])('is refused by %s, with its path', async (path, text, where) => {
    const route = app.routes.find((r) => r.path === path) as Route;
    const { answer, body } = await post(route, text);
    expect([answer.status, body.errors]).toMatchObject([422, [{ path: where, code: 'unstorable' }]]);
  });

  test('is refused in lines too', async () => {
    const route = app.routes.find((r) => r.path === '/memport/import') as Route;
    const text = `{${TRACE}}\n\n{${TRACE},"metadata":{"__proto__":1}}`;
    const { answer, body } = await post(route, text, { 'Content-Type': 'application/x-ndjson' });
    expect([answer.status, body.errors]).toMatchObject([422, [{ path: '/traces/1/metadata/__proto__' }]]);
  });

  test('and in addresses; constructor and prototype are names like others', async () => {
    const { body } = await user.get('/memory/pull?__proto__=1').expect(422);
    expect(body.errors).toMatchObject([{ path: '/__proto__' }]);
    const metadata = { constructor: { name: 1 }, prototype: [1], toString: 'x', hasOwnProperty: null };
    const [{ uid }] = (
      await user.post('/memory/push', { traces: [{ type: 'observation', content: 'x', metadata }] }).expect(201)
    ).body;
    const [trace] = (await user.get('/memory/pull').expect(200)).body;
    expect([trace.uid, JSON.stringify(trace.metadata)]).toEqual([
      uid,
      JSON.stringify(
        Object.fromEntries(Object.entries(metadata).toSorted(([a], [b]) => a.length - b.length || (a < b ? -1 : 1))),
      ),
    ]);
  });
});
