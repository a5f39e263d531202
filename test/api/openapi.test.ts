/** openapi.yaml: up to date, sound, and true to what the routes take. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { SCOPES } from '../../src/domain/access/caller.ts';
import { CODES } from '../../src/common/problem-codes.ts';
import { openApiSteps, toYaml, type OpenApi, type Operation } from '../../src/http/openapi/document.ts';
import { route, routes, type Route } from '../../src/http/route.ts';
import { anApp, type TestApp } from '../support/app.ts';

let app: TestApp;
let document: OpenApi;
/** Iterations of the event loop while the document was built. */
let iterations = 0;
beforeAll(async () => {
  app = await anApp();
  let isBuilt = false;
  const iteration = (): void => {
    iterations += 1;
    if (!isBuilt) setImmediate(iteration);
  };
  setImmediate(iteration);
  document = await app.openapi();
  isBuilt = true;
});
afterAll(() => app.close());

const operations = (): (Operation & { method: string; path: string })[] =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, op]) => ({ ...op, method, path })),
  );

/** Every object in a JSON value. */
const objects = function* (value: unknown): Generator<Record<string, unknown>> {
  if (Array.isArray(value)) for (const item of value) yield* objects(item);
  else if (value && typeof value === 'object') {
    yield value as Record<string, unknown>;
    for (const item of Object.values(value)) yield* objects(item);
  }
};

const at = (pointer: string): unknown =>
  pointer
    .slice(2)
    .split('/')
    .reduce<unknown>((node, key) => (node as Record<string, unknown> | undefined)?.[key], document);

describe('the file', () => {
  test('is what the routes say; otherwise run npm run openapi', () => {
    const file = readFileSync(join(import.meta.dirname, '../../openapi.yaml'), 'utf8');
    expect(file === toYaml(document), 'openapi.yaml is stale: npm run openapi').toBe(true);
    expect(parse(file)).toEqual(JSON.parse(JSON.stringify(document)));
  });
});

describe('the document', () => {
  test('is valid OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate(toYaml(document));
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
  });

  test('has no warning in the recommended rules of Redocly, but that a socket answers 101', async () => {
    const config = await createConfig({ extends: ['recommended'] });
    const found = await lintFromString({ source: toYaml(document), absoluteRef: '/openapi.yaml', config });
    expect(found.map(({ ruleId, location }) => `${ruleId} ${location[0]?.pointer}`)).toEqual([
      'operation-2xx-response #/paths/~1ws/get/responses',
    ]);
  });

  test('holds every route and nothing else', () => {
    const shown = operations().map((op) => `${op.method} ${op.path}`);
    const described = app.routes.filter((r) => !r.undocumented);
    expect(shown.toSorted()).toEqual(described.map((r) => `${r.method} ${r.path}`).toSorted());
  });

  test('every reference leads somewhere', () => {
    const refs = [...objects(document)].flatMap((o) => (typeof o['$ref'] === 'string' ? [o['$ref']] : []));
    expect(refs.length).toBeGreaterThan(100);
    expect(refs.filter((ref) => !ref.startsWith('#/components/') || at(ref) === undefined)).toEqual([]);
  });

  test('operations have an id of their own, a known tag, texts, and their scopes', () => {
    const ids = operations().map((op) => op.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    const tags = new Set(document.tags.map((t) => t.name));
    for (const op of operations()) {
      const route = app.routes.find((r) => r.method === op.method && r.path === op.path) as Route;
      expect(tags).toContain(op.tags[0]);
      expect(op.summary).toMatch(/^\S.{5,80}$/);
      expect(op.operationId).toMatch(/^[a-z]+([A-Z][A-Za-z]+)?$/);
      expect(op['x-scopes']).toEqual(route.scopes === 'public' ? [] : route.scopes);
      for (const scope of op['x-scopes']) expect(SCOPES).toHaveProperty([scope]);
      expect(op.security).toHaveLength(route.scopes === 'public' ? 0 : 1);
    }
  });

  test('parameters are named once, and GET has no body', () => {
    for (const op of operations()) {
      const names = op.parameters.map((p) => ('name' in p ? p.name : p.$ref));
      expect(names).toEqual([...new Set(names)]);
      expect(op.method === 'get' && op.requestBody !== undefined).toBe(false);
    }
  });

  test('every answer has a text, a success and problems', () => {
    for (const op of operations()) {
      const statuses = Object.keys(op.responses);
      expect(statuses.some((s) => /^[123]\d\d$/.test(s))).toBe(true);
      expect(statuses).toContain('500');
      expect(statuses).not.toContain('default');
      for (const answer of Object.values(op.responses))
        expect('$ref' in answer || answer.description.length > 0).toBe(true);
    }
  });

  test('lists are announced to page', () => {
    const wrong = operations().filter((op) => {
      const pages = op.parameters.some((p) => 'name' in p && p.name === 'cursor');
      const links = Object.values(op.responses).some((r) => 'headers' in r && r.headers?.['Link']);
      return links !== pages;
    });
    expect(wrong.map((op) => op.path)).toEqual([]);
  });

  test('answers have one content type, so that no generated type is a string or something else', () => {
    for (const op of operations())
      for (const answer of Object.values(op.responses))
        if ('content' in answer) expect(Object.keys(answer.content ?? {}), op.operationId).toHaveLength(1);
    const streams = document.paths['/chat/respond']?.['post']?.responses['200'];
    expect(streams).toMatchObject({
      'x-on-accept': { 'text/event-stream': { itemSchema: { oneOf: [{}, {}, {}] } } },
    });
  });

  test('unions say by which value their schemas are told apart', () => {
    const wrong = [...objects(document.components.schemas)].flatMap(({ discriminator, oneOf }) => {
      if (discriminator === undefined) return oneOf === undefined ? [] : [oneOf];
      const { propertyName, mapping } = discriminator as { propertyName: string; mapping: Record<string, string> };
      return Object.entries(mapping).filter(([value, ref]) => {
        const { properties, required } = at(ref) as { properties: Record<string, object>; required: string[] };
        const { const: only, enum: several } = properties[propertyName] as { const?: string; enum?: string[] };
        return !required.includes(propertyName) || !(several ?? [only]).includes(value);
      });
    });
    expect(wrong).toEqual([]);
    for (const name of ['Change', 'SocketMessage', 'ContextExport', 'DiffResult'])
      expect(at(`#/components/schemas/${name}`), name).toHaveProperty('discriminator.mapping');
  });

  test('no named schema of a request has a default, which openapi-typescript would take for a required member', () => {
    const found = Object.entries(document.components.schemas).flatMap(([name, { properties = {}, required = [] }]) =>
      Object.entries(properties as Record<string, object>)
        .filter(([key, schema]) => 'default' in schema && !(required as string[]).includes(key))
        .map(([key]) => `${name}.${key}`),
    );
    expect(found).toEqual([]);
  });

  test('names every problem code', () => {
    expect((document.components.schemas['ProblemCode'] as { enum: string[] }).enum).toEqual(Object.keys(CODES));
  });
});

describe('examples', () => {
  test('are taken by the routes they belong to', () => {
    const wrong = app.routes.flatMap((r) => {
      const { body, query } = r.examples ?? {};
      const parsed = [body !== undefined && r.body.safeParse(body), query !== undefined && r.query.safeParse(query)];
      return parsed.some((p) => p && !p.success) ? [r.path] : [];
    });
    expect(wrong).toEqual([]);
  });
});

test('others are answered while the document is built', () => {
  expect(iterations).toBeGreaterThan(10);
});

describe('schemas', () => {
  const built = (...list: Parameters<typeof routes>[1]): OpenApi => {
    const steps = openApiSteps(routes('system', list));
    for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
  };
  const Inner = z.object({ a: z.string(), d: z.number().default(3) }).meta({ id: 'Inner' });
  const Outer = z.object({ inner: Inner }).meta({ id: 'Outer' });

  test('where input and output differ there are two, down to those that refer to them', () => {
    const both = built(
      route({
        id: 'x',
        method: 'post',
        path: '/x',
        summary: 'x',
        scopes: [],
        body: Outer,
        response: Outer,
        handler: ({ body }) => body,
      }),
    );
    expect(both.components.schemas).toMatchObject({
      Inner: { required: ['a', 'd'] },
      InnerInput: { required: ['a'] },
      Outer: { properties: { inner: { $ref: '#/components/schemas/Inner' } } },
      OuterInput: { properties: { inner: { $ref: '#/components/schemas/InnerInput' } } },
    });
    const op = both.paths['/x']?.['post'];
    expect(op?.requestBody?.content['application/json']?.schema).toEqual({ $ref: '#/components/schemas/OuterInput' });
  });

  test('where they are the same there is one', () => {
    const Same = z.strictObject({ a: z.string() }).meta({ id: 'Same' });
    const both = built(
      route({
        id: 'x',
        method: 'post',
        path: '/x',
        summary: 'x',
        scopes: [],
        body: Same,
        response: Same,
        handler: ({ body }) => body,
      }),
    );
    expect(Object.keys(both.components.schemas).filter((n) => n.startsWith('Same'))).toEqual(['Same']);
  });

  test('answers are open to additions, strict input is not', () => {
    const Strict = z.strictObject({ a: z.string() });
    const made = built(
      route({
        id: 'x',
        method: 'post',
        path: '/x',
        summary: 'x',
        scopes: [],
        body: Strict,
        response: z.object({ a: z.string() }),
        handler: ({ body }) => body,
      }),
    );
    const op = made.paths['/x']?.['post'];
    expect(op?.requestBody?.content['application/json']?.schema).toHaveProperty('additionalProperties', false);
    expect(op?.responses).not.toHaveProperty(['200', 'content', 'application/json', 'schema', 'additionalProperties']);
  });
});
