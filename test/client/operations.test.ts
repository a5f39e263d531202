/** The client's table of operations against openapi.yaml, and the types that follow from it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { parse } from 'yaml';
import {
  createClient,
  type DecisionResult,
  type HistoryEntry,
  type Plan,
  type SavedTrace,
  type SearchHit,
  type SummaryResult,
  type Trace,
} from '../../src/client/almanac-client.ts';
import type { paths } from '../../src/client/openapi-types.ts';
import { DELETES_WITH_BODY, OPERATIONS, PUBLIC } from '../../src/client/operations.ts';

type Schema = { $ref?: string; properties?: Record<string, unknown> };
type Media = Record<string, { schema: Schema }>;
type Operation = {
  security: unknown[];
  parameters: { name?: string; in?: string }[];
  requestBody?: { content: Media };
  responses: Record<string, { headers?: object; content?: Media }>;
};
const document = parse(readFileSync(join(import.meta.dirname, '../../openapi.yaml'), 'utf8')) as {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};

const entries = Object.values(OPERATIONS).flatMap((group) => Object.values(group) as string[]);
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => [`${method} ${path}`, operation] as const),
);
const byName = new Map<string, Operation>(operations);
const nameOf = (entry: string): string => entry.replace('*', '').split(' ').slice(0, 2).join(' ');

/** What a program does not call: pages and files for people and other programs, the socket, MCP, and the probes. */
const LEFT_OUT = [
  'get /calendar/feed.ics',
  'get /calendar/proposals.ics',
  'get /calendar/decide',
  'post /calendar/decide',
  'get /ws',
  'post /mcp',
  'get /health/live',
  'get /health/ready',
  'get /openapi.json',
  'get /docs',
  'get /llms.txt',
] as const;

type Method = 'get' | 'post' | 'patch' | 'delete' | 'put';
type Documented = {
  [P in keyof paths]: { [M in Method]: paths[P][M] extends object ? `${M} ${P}` : never }[Method];
}[keyof paths];
type Groups = typeof OPERATIONS;
type Entry = { [G in keyof Groups]: Groups[G][keyof Groups[G]] }[keyof Groups];
type Plain<E> = E extends `${infer M}* ${infer P}` ? `${M} ${P}` : E extends `${infer N} text/calendar` ? N : E;

describe('the operations of the client', () => {
  test('are those of openapi.yaml', () => {
    // The compiler names those that the table lacks.
    expectTypeOf<Exclude<Documented, Plain<Entry> | (typeof LEFT_OUT)[number]>>().toBeNever();
    expect([...new Set(entries.map(nameOf)), ...LEFT_OUT].toSorted()).toEqual([...byName.keys()].toSorted());
  });

  test.each(entries)('%s walks pages where the answer has some', (entry) => {
    const operation = byName.get(nameOf(entry)) as Operation;
    const success = Object.entries(operation.responses).find(([status]) => status.startsWith('2'))?.[1];
    const hasPages = 'Link' in (success?.headers ?? {});
    // An export has both forms: one page as an object, and all results.
    expect(entry.includes('*') || entry === OPERATIONS.memport.export).toBe(hasPages);
  });

  test.each(entries)('%s needs a credential unless it is public', (entry) => {
    const path = nameOf(entry).split(' ')[1] as string;
    expect(PUBLIC.has(path)).toBe(byName.get(nameOf(entry))?.security.length === 0);
  });

  test.each(entries.filter((entry) => entry.startsWith('delete ')))(
    '%s sends a body where it is documented',
    (entry) => {
      const path = nameOf(entry).split(' ')[1] as string;
      expect(DELETES_WITH_BODY.has(path)).toBe(byName.get(nameOf(entry))?.requestBody !== undefined);
    },
  );

  test.each(entries)('%s has no name in both query and body', (entry) => {
    const { parameters, requestBody } = byName.get(nameOf(entry)) as Operation;
    const query = parameters.filter((one) => one.in === 'query' && one.name !== 'cursor').map(({ name }) => name);
    const schema = requestBody?.content['application/json']?.schema;
    const named = schema?.$ref ? document.components.schemas[schema.$ref.split('/').at(-1) as string] : schema;
    const names = Object.keys(named?.properties ?? {});
    expect(names.length === 0 || query.length === 0).toBe(true);
    expect(names).not.toContain('body');
    const types = Object.keys(requestBody?.content ?? {});
    expect(types.length === 0 || types.includes(entry.split(' ')[2] ?? 'application/json')).toBe(true);
  });
});

test('the answers have their types', () => {
  const client = createClient({ url: 'http://127.0.0.1:1', credential: 'none' });
  expectTypeOf(client.memory.push).returns.resolves.toEqualTypeOf<SavedTrace[]>();
  expectTypeOf(client.memory.pull({}).all).returns.resolves.toEqualTypeOf<Trace[]>();
  expectTypeOf(client.memory.search({ query: 'x' }).all).returns.resolves.toEqualTypeOf<SearchHit[]>();
  expectTypeOf(client.memory.history({ uid: 'x' }).all).returns.resolves.toEqualTypeOf<HistoryEntry[]>();
  expectTypeOf(() => client.agent.approve({ uid: 'x' })).returns.resolves.toEqualTypeOf<Plan>();
  expectTypeOf(() => client.agent.approve({ uids: ['x'] })).returns.resolves.toEqualTypeOf<DecisionResult[]>();
  const summary = () => client.memport.export({ export_format: 'summary', user_id: 'me' });
  expectTypeOf(summary).returns.resolves.toHaveProperty('results').toEqualTypeOf<SummaryResult[]>();
  expectTypeOf(client.calendar.exportIcs).returns.resolves.toEqualTypeOf<string>();
  expectTypeOf(client.user.archive).returns.resolves.toEqualTypeOf<Response>();
  // @ts-expect-error -- content is required
  const faulty = () => client.memory.push({ traces: [{ type: 'observation' }] });
  // @ts-expect-error -- there is no such parameter
  const unknown = () => client.memory.pull({ task: 'x' });
  expect([faulty, unknown]).toHaveLength(2);
});
