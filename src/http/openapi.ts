/** Builds the OpenAPI 3.1 document of openapi.yaml and /openapi.json from the routes alone. */
import { stringify } from 'yaml';
import type { z } from 'zod';
import { SCOPES } from '../domain/access/caller.ts';
import { CODES, problem, type ProblemCode, type ProblemKind } from '../common/problem.ts';
import { LINES_TYPE, typesOf } from './body.ts';
import { createSchemas, type JsonSchema, type Schemas } from './openapi-schemas.ts';
import { HEADERS, INTRODUCTION, PARAMETERS, TAGS } from './openapi-text.ts';
import { renderProblem, STATUS } from './problem-json.ts';
import type { Route } from './route.ts';

/** The version of the API, not of the build. It grows by semver when the routes change. */
export const API_VERSION = '1.0.0';

type Ref = { $ref: string };
type Parameter = {
  name: string;
  in: 'query';
  description?: string;
  required?: true;
  schema: JsonSchema;
  example?: unknown;
};
type Media = { schema?: JsonSchema; example?: unknown };
type Answer = { description: string; headers?: Record<string, Ref>; content?: Record<string, Media> };

export type Operation = {
  tags: string[];
  operationId: string;
  summary: string;
  description?: string;
  security: Record<string, string[]>[];
  'x-scopes': string[];
  parameters: (Parameter | Ref)[];
  requestBody?: { required: boolean; content: Record<string, Media> };
  responses: Record<string, Answer | Ref>;
};

export type OpenApi = {
  openapi: '3.1.1';
  info: {
    title: string;
    version: string;
    summary: string;
    description: string;
    license: { name: string; identifier: string };
  };
  servers: { url: string; description: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, JsonSchema>;
    responses: Record<string, Answer>;
    headers: object;
    parameters: object;
    securitySchemes: object;
  };
};

const schemaRef = (name: string): Ref => ({ $ref: `#/components/schemas/${name}` });
const headerRefs = (...names: (keyof typeof HEADERS)[]): Record<string, Ref> =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** Converts `method_not_allowed` to `MethodNotAllowed`. */
const pascal = (name: string): string => name.replace(/(^|_)([a-z])/g, (_, __, letter: string) => letter.toUpperCase());

const codesOf = (kind: ProblemKind): ProblemCode[] =>
  (Object.keys(CODES) as ProblemCode[]).filter((code) => CODES[code][0] === kind);

const problemSchemas = (): Record<string, JsonSchema> => ({
  Problem: {
    type: 'object',
    description: 'A problem (RFC 9457). Some codes add members; the text of the code names them.',
    required: ['type', 'title', 'status', 'detail', 'code', 'request_id'],
    properties: {
      type: {
        type: 'string',
        format: 'uri-reference',
        description: 'The address that explains the code: `/docs#<code>`.',
      },
      title: { type: 'string' },
      status: { type: 'integer' },
      detail: { type: 'string', description: 'What is wrong with this request, and what to do.' },
      code: schemaRef('ProblemCode'),
      request_id: { type: 'string' },
      errors: { type: 'array', items: schemaRef('Fault') },
    },
  },
  ProblemCode: {
    type: 'string',
    description: [
      'A stable code. New codes may be added.',
      ...Object.entries(CODES).map(([code, [kind, , text]]) => `- \`${code}\` (${STATUS[kind]}): ${text}`),
    ].join('\n'),
    enum: Object.keys(CODES),
  },
  Fault: {
    type: 'object',
    required: ['path', 'code', 'message'],
    properties: {
      path: { type: 'string', description: 'The JSON Pointer (RFC 6901) of the value in the body or query.' },
      code: { type: 'string' },
      message: { type: 'string' },
    },
  },
});

const problemAnswer = (kind: ProblemKind): Answer => {
  const codes = codesOf(kind);
  const status = STATUS[kind];
  const example = renderProblem(
    problem(codes[0] as ProblemCode, CODES[codes[0] as ProblemCode][2]),
    '0199f0f0-0000-4000-8000-000000000000',
  ).body;
  return {
    description: `${codes.map((code) => `\`${code}\``).join(', ')}.`,
    headers: {
      ...headerRefs('X-Request-Id'),
      ...(status === 429 || status === 503 ? headerRefs('Retry-After') : {}),
      ...(status === 401 || status === 403 ? headerRefs('WWW-Authenticate') : {}),
    },
    content: { 'application/problem+json': { schema: schemaRef('Problem'), example } },
  };
};

const asks = (route: Route, name: string): boolean =>
  name in ((route.query as { shape?: object } | undefined)?.shape ?? {});

/** Derives from a route's properties which problems it can answer. */
const problemKinds = (route: Route): ProblemKind[] => {
  const kinds: ProblemKind[] = ['malformed'];
  if (route.scopes !== 'public') kinds.push('unauthenticated', 'forbidden', 'not_found');
  else if (route.body || route.query) kinds.push('unauthenticated'); // Such a route takes a credential of its own kind.
  if (route.method !== 'get') kinds.push('conflict');
  if (route.pages || asks(route, 'after')) kinds.push('gone');
  if (route.method !== 'get' && route.scopes !== 'public') kinds.push('stale'); // The client may send If-Match or expected_version.
  if (route.path === '/agent/approve') kinds.push('precondition_required');
  if (route.body) kinds.push('too_large', 'unsupported_media');
  if (route.body || route.query) kinds.push('invalid');
  return [...kinds, 'throttled', 'internal', 'unavailable'];
};

const queryParameters = (route: Route, schemas: Schemas): Parameter[] => {
  if (!route.query) return [];
  const { properties = {}, required = [] } = schemas.convert(route.query as z.ZodType, 'input') as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  const examples = (route.examples?.query ?? {}) as Record<string, unknown>;
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    ...(description === undefined ? {} : { description: description as string }),
    ...(required.includes(name) ? { required: true as const } : {}),
    schema,
    ...(name in examples ? { example: examples[name] } : {}),
  }));
};

const parametersOf = (route: Route, schemas: Schemas): (Parameter | Ref)[] => {
  const headers: (keyof typeof PARAMETERS)[] = ['X-Request-Id'];
  if (route.method !== 'get' && route.scopes !== 'public') headers.push('Idempotency-Key');
  if (route.method === 'patch' || route.method === 'delete') headers.push('If-Match');
  return [...queryParameters(route, schemas), ...headers.map((name) => ({ $ref: `#/components/parameters/${name}` }))];
};

const requestBody = (route: Route, schemas: Schemas): Pick<Operation, 'requestBody'> => {
  if (!route.body) return {};
  const body = route.body as z.ZodType;
  const media: Media = {
    schema: schemas.convert(body, 'input'),
    ...(route.examples?.body === undefined ? {} : { example: route.examples.body }),
  };
  const lines = {
    schema: { type: 'string', description: `The items of ${route.accepts?.lines}, one JSON text per line.` },
  };
  return {
    requestBody: {
      required: !body.safeParse({}).success,
      content: Object.fromEntries(typesOf(route).map((type) => [type, type === LINES_TYPE ? lines : media])),
    },
  };
};

const successOf = (route: Route, schemas: Schemas): Record<string, Answer> => {
  const schema = schemas.convert(route.response as z.ZodType, 'output');
  const others = route.produces ?? [];
  const onlyText = schema['type'] === 'string' && others.length > 0;
  const json: Media = {
    schema,
    ...(route.examples?.response === undefined ? {} : { example: route.examples.response }),
  };
  const names: (keyof typeof HEADERS)[] = ['X-Request-Id'];
  if (route.pages) names.push('Link');
  if (route.method === 'patch' || (route.method === 'get' && !route.pages && route.scopes !== 'public'))
    names.push('ETag');
  if (route.method !== 'get' && route.scopes !== 'public') names.push('Idempotent-Replayed');
  const status = route.status ?? 200;
  return {
    [status]: {
      description:
        status === 201
          ? 'The resource was created.'
          : status === 101
            ? 'The WebSocket is open. Each message has this schema.'
            : status === 302
              ? 'The documentation is at the address in Location.'
              : 'The request succeeded.',
      headers: headerRefs(...names),
      content: {
        ...(onlyText ? {} : { 'application/json': json }),
        ...Object.fromEntries(others.map((type) => [type, { schema: { type: 'string' } }])),
      },
    },
  };
};

const describe = (route: Route): string => {
  const { scopes, description } = route;
  const needs =
    scopes === 'public'
      ? 'It needs no credential.'
      : scopes.length
        ? `It needs ${scopes.map((s) => `\`${s}\``).join(', ')}.`
        : 'It needs a credential with any scope.';
  return description ? `${description}\n\n${needs}` : needs;
};

/** Converts `get /agent/changes` to `getAgentChanges`. */
const operationId = ({ method, path }: Route): string =>
  method + (pascal(path.replace(/[^a-z]+/g, '_')).replaceAll('_', '') || 'Root');

const operationOf = (route: Route, schemas: Schemas): Operation => {
  const scopes = route.scopes === 'public' ? [] : route.scopes;
  return {
    tags: [route.tag],
    operationId: operationId(route),
    summary: route.summary,
    description: describe(route),
    security: route.scopes === 'public' ? [] : [{ bearer: [...scopes] }],
    'x-scopes': [...scopes],
    parameters: parametersOf(route, schemas),
    ...requestBody(route, schemas),
    responses: {
      ...successOf(route, schemas),
      ...Object.fromEntries(
        problemKinds(route).map((kind) => [STATUS[kind], { $ref: `#/components/responses/${pascal(kind)}` }]),
      ),
      default: { $ref: '#/components/responses/Problem' },
    },
  };
};

const securitySchemes = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'API key (alm_...) or JWT',
    description: ['Scopes:', ...Object.entries(SCOPES).map(([scope, text]) => `- \`${scope}\`: ${text}`)].join('\n'),
    'x-scopes': SCOPES,
  },
};

/**
 * @param routes every route of the app; the `extra` schemas are documented although no route answers them (messages that socket
 * clients send)
 */
export const buildOpenApi = (routes: Route[], extra: z.ZodType[] = []): OpenApi => {
  const schemas = createSchemas();
  const draft: OpenApi['paths'] = {};
  for (const route of routes) (draft[route.path] ??= {})[route.method] = operationOf(route, schemas);
  for (const schema of extra) schemas.convert(schema, 'input');
  const { schemas: named, document: paths } = schemas.finish(draft);
  const kinds = Object.keys(STATUS) as ProblemKind[];
  const anyProblem: Answer = {
    description: 'The request failed with another problem.',
    headers: headerRefs('X-Request-Id'),
    content: { 'application/problem+json': { schema: schemaRef('Problem') } },
  };
  return {
    openapi: '3.1.1',
    info: {
      title: 'Almanac',
      version: API_VERSION,
      summary: 'A service for the memory, the calendar and the agents of a person.',
      description: INTRODUCTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [
      { url: '/', description: 'This service.' },
      { url: '/v1', description: 'This service, with the paths of this major version.' },
    ],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: { ...named, ...problemSchemas() },
      responses: {
        ...Object.fromEntries(kinds.map((kind) => [pascal(kind), problemAnswer(kind)])),
        Problem: anyProblem,
      },
      headers: HEADERS,
      parameters: PARAMETERS,
      securitySchemes,
    },
  };
};

/** Writes the document as openapi.yaml holds it. The same routes always give the same text. */
export const toYaml = (document: OpenApi): string =>
  `# Written from the routes by \`npm run openapi\`; not edited by hand.\n${stringify(document, { lineWidth: 0, aliasDuplicateObjects: false })}`;
