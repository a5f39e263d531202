/** Builds the OpenAPI 3.1 document of openapi.yaml and /openapi.json from the routes alone. */
import { stringify } from 'yaml';
import type { z } from 'zod';
import { SCOPES } from '../../domain/access/caller.ts';
import { CODES, type ProblemCode } from '../../common/problem-codes.ts';
import { problem } from '../../common/problem.ts';
import { LINES_TYPE, typesOf } from '../body/body.ts';
import { ZIP_TYPE } from '../body/zip.ts';
import { createSchemas, type JsonSchema, type Schemas } from './schemas.ts';
import { HEADERS, INTRODUCTION, PARAMETERS, TAGS } from './text.ts';
import { ProblemBody, renderProblem, STATUS } from '../problems/json.ts';
import { problemsOf } from '../problems/route-problems.ts';
import { hasPages, isCounted, isReading, type Route } from '../route.ts';

/** The version of the API, not of the build. It grows by semver when the routes change. */
export const API_VERSION = '1.0.0';

/** Beside a reference, OpenAPI 3.1 allows a description, which then counts in place of that of the component. */
type Ref = { $ref: string; description?: string };
type Parameter = {
  name: string;
  in: 'query';
  description?: string;
  required?: true;
  schema: JsonSchema;
  example?: unknown;
};
type Media = { schema?: JsonSchema; example?: unknown };
type Answer = {
  description: string;
  headers?: Record<string, Ref>;
  content?: Record<string, Media>;
  'x-on-accept'?: Record<string, { schema?: JsonSchema; itemSchema?: JsonSchema }>;
};

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
  'x-client-messages'?: JsonSchema;
};

/** An example of the answer of each operation, by its id. */
export type Answers = Record<string, unknown>;

export type OpenApi = {
  openapi: '3.1.1';
  info: {
    title: string;
    version: string;
    summary: string;
    description: string;
    contact: { name: string };
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

const descriptionOf = (codes: ProblemCode[]): string => `${codes.map((code) => `\`${code}\``).join(', ')}.`;

/** The answer of some problems with one status. */
const problemAnswer = (codes: ProblemCode[]): Answer => {
  const [first] = codes as [ProblemCode];
  const status = STATUS[CODES[first][0]];
  const example = renderProblem(problem(first, CODES[first][2]), '0199f0f0-0000-4000-8000-000000000000').body;
  return {
    description: descriptionOf(codes),
    headers: {
      ...headerRefs('X-Request-Id'),
      ...(status === 429 ? headerRefs('RateLimit', 'RateLimit-Policy') : {}),
      ...(status === 429 || status === 503 ? headerRefs('Retry-After') : {}),
      ...(status === 401 || status === 403 ? headerRefs('WWW-Authenticate') : {}),
    },
    content: { 'application/problem+json': { schema: schemaRef('Problem'), example } },
  };
};

type ProblemAnswers = { common: Record<string, Answer>; of: (route: Route) => Record<string, Ref> };

/**
 * The answers of the problems of each route, by status. There is a component for each status; the description beside a reference
 * names the codes of that route.
 */
const createProblemAnswers = (routes: Route[]): ProblemAnswers => {
  const byKind = (codes: ProblemCode[]) => [...Map.groupBy(codes, (code) => CODES[code][0])];
  const used = new Set(routes.flatMap(problemsOf));
  const all = byKind((Object.keys(CODES) as ProblemCode[]).filter((code) => used.has(code)));
  const common = all.map(([kind, codes]) => [pascal(kind), problemAnswer(codes)] as const);
  return {
    common: Object.fromEntries(common.toSorted(([a], [b]) => (a < b ? -1 : 1))),
    of: (route) =>
      Object.fromEntries(
        byKind(problemsOf(route)).map(([kind, codes]) => [
          STATUS[kind],
          { $ref: `#/components/responses/${pascal(kind)}`, description: descriptionOf(codes) },
        ]),
      ),
  };
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
  if (route.method !== 'get' && route.scopes !== 'public' && !route.otherProtocol) headers.push('Idempotency-Key');
  if (isReading(route)) headers.push('Read-As');
  if (isCounted(route)) headers.push('Prefer');
  if (route.method === 'patch' || route.method === 'delete') headers.push('If-Match');
  return [...queryParameters(route, schemas), ...headers.map((name) => ({ $ref: `#/components/parameters/${name}` }))];
};

const requestBody = (route: Route, schemas: Schemas): Pick<Operation, 'requestBody'> => {
  if (!route.body) return {};
  const body = route.body as z.ZodType;
  const example: unknown = route.examples?.text ?? route.examples?.body;
  const media: Media = {
    schema: schemas.convert(body, 'input'),
    ...(example === undefined ? {} : { example }),
  };
  const lines = {
    schema: { type: 'string', description: `The items of ${route.accepts?.lines}, one JSON text per line.` },
  };
  const zip = {
    schema: {
      type: 'string',
      format: 'binary',
      description: `A zip; the lines of ${route.accepts?.zipped?.file} are read.`,
    },
  };
  const others: Record<string, Media> = { [LINES_TYPE]: lines, [ZIP_TYPE]: zip };
  return {
    requestBody: {
      required: !body.safeParse({}).success,
      content: Object.fromEntries(typesOf(route).map((type) => [type, others[type] ?? media])),
    },
  };
};

/**
 * Content types on request are beside `content`, since generators would make the type of the JSON answer `string | ...` of
 * them. They have the form of OpenAPI 3.2, where `itemSchema` describes one item of a stream. Schemas that only such extensions
 * use have no name, since linters report a component that nothing else refers to.
 */
const onAcceptOf = ({ onAccept }: Route, schemas: Schemas): Pick<Answer, 'x-on-accept'> => {
  if (!onAccept) return {};
  const media = Object.entries(onAccept).map(([type, item]) => {
    const schema = schemas.convert(item, 'output');
    return [type, schema['type'] === 'string' ? { schema } : { itemSchema: schema }];
  });
  return { 'x-on-accept': Object.fromEntries(media) as Answer['x-on-accept'] & object };
};

const successOf = (route: Route, schemas: Schemas, example: unknown): Record<string, Answer> => {
  const schema = schemas.convert(route.response as z.ZodType, 'output');
  const json: Media = {
    schema,
    ...(example === undefined ? {} : { example }),
  };
  const names: (keyof typeof HEADERS)[] = ['X-Request-Id', 'RateLimit', 'RateLimit-Policy'];
  if (hasPages(route)) names.push('Link');
  if (isCounted(route)) names.push('X-Total-Count', 'Preference-Applied');
  if (route.method === 'patch' || (route.method === 'get' && !hasPages(route) && route.scopes !== 'public'))
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
            : 'The request succeeded.',
      headers: headerRefs(...names),
      content: { [route.produces ?? 'application/json']: json },
      ...onAcceptOf(route, schemas),
    },
    ...Object.fromEntries(
      (route.otherStatuses ?? []).map((other) => [
        other,
        other === 304
          ? { description: 'The client has this answer already (If-None-Match).' }
          : {
              description: 'The service cannot serve requests at present.',
              content: { 'application/json': { schema } },
            },
      ]),
    ),
  };
};

const describe = (route: Route): string => {
  const { scopes, description, list } = route;
  const needs =
    scopes === 'public'
      ? 'It needs no credential.'
      : scopes.length
        ? `It needs ${scopes.map((s) => `\`${s}\``).join(', ')}.`
        : 'It needs a credential with any scope.';
  const uncounted = typeof list === 'object' ? `\`Prefer: count=exact\` is not applied: ${list.uncounted}` : undefined;
  return [description, uncounted, needs].filter((part) => part !== undefined).join('\n\n');
};

const operationOf = (
  route: Route,
  { schemas, problems, answers }: { schemas: Schemas; problems: ProblemAnswers; answers: Answers },
): Operation => {
  const scopes = route.scopes === 'public' ? [] : route.scopes;
  return {
    tags: [route.tag],
    operationId: route.id,
    summary: route.summary,
    description: describe(route),
    security: route.scopes === 'public' ? [] : [{ bearer: [] }],
    'x-scopes': [...scopes],
    parameters: parametersOf(route, schemas),
    ...requestBody(route, schemas),
    responses: {
      ...problems.of(route),
      ...successOf(route, schemas, answers[route.id]),
    },
    ...(route.clientMessages ? { 'x-client-messages': schemas.convert(route.clientMessages, 'input') } : {}),
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
 * Builds the document in steps of one operation each, so that others are answered in between. A step takes at most 40 ms, and all of
 * them take 240 ms.
 * @param all every route of the app; `answers` are the examples of answers
 */
export function* openApiSteps(all: Route[], answers: Answers = {}): Generator<undefined, OpenApi> {
  const schemas = createSchemas();
  const routes = all.filter((route) => !route.undocumented);
  const problems = createProblemAnswers(routes);
  const draft: OpenApi['paths'] = {};
  for (const route of routes) {
    (draft[route.path] ??= {})[route.method] = operationOf(route, { schemas, problems, answers });
    yield;
  }
  schemas.convert(ProblemBody, 'output');
  yield;
  const { schemas: named, document: paths } = schemas.finish(draft);
  return {
    openapi: '3.1.1',
    info: {
      title: 'Almanac',
      version: API_VERSION,
      summary: 'A service for the memory, the calendar and the agents of a person.',
      description: INTRODUCTION,
      contact: { name: 'The operator of this service' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [
      { url: '/', description: 'This service.' },
      { url: '/v1', description: 'This service, with the paths of this major version.' },
    ],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: named,
      responses: problems.common,
      headers: HEADERS,
      parameters: PARAMETERS,
      securitySchemes,
    },
  };
}

/** Writes the document as openapi.yaml holds it. The same routes always give the same text. */
export const toYaml = (document: OpenApi): string =>
  `# Written from the routes by \`npm run openapi\`; not edited by hand.\n${stringify(document, { lineWidth: 0, aliasDuplicateObjects: false })}`;
