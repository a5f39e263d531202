/** Checks requests and answers against openapi.yaml, with a validator that shares no code with the service. */
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { OpenApi, Operation } from '../../src/http/openapi/document.ts';

type Sent = { method: string; url: URL; type: string | undefined; body: string };
type Received = { status: number; type: string | undefined; body: string };

const pointer = (...path: string[]): string =>
  path.map((part) => `/${encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('');

const plain = (type: string | undefined): string => (type ?? '').split(';')[0]?.trim().toLowerCase() ?? '';

export const createContract = (document: OpenApi) => {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: true });
  formats.default(ajv);
  ajv.addSchema({ ...JSON.parse(JSON.stringify(document)), $id: 'almanac' } as object);

  const faults = (path: string, value: unknown): string[] => {
    const validate = ajv.compile({ $ref: `almanac#${path}` });
    return validate(value)
      ? []
      : (validate.errors as ErrorObject[]).map(
          (e) => `${e.instancePath || '/'} ${e.message} ${JSON.stringify(e.params)}`,
        );
  };

  /** A parameter is a string in the address; the schema says what it means. */
  const read = (text: string, { type }: { type?: string }): unknown =>
    type === 'integer' || type === 'number' ? Number(text) : type === 'boolean' ? text === 'true' : text;

  const operationOf = (method: string, path: string): { op: Operation; at: string[] } | undefined => {
    const short = path.replace(/^\/v1\//, '/');
    const op = document.paths[short]?.[method.toLowerCase()];
    return op && { op, at: ['paths', short, method.toLowerCase()] };
  };

  const queryFaults = ({ op, at }: { op: Operation; at: string[] }, { searchParams }: URL): string[] => {
    const known = op.parameters.flatMap((p, i) => ('name' in p && p.in === 'query' ? [{ ...p, i }] : []));
    const missing = known.filter((p) => p.required && !searchParams.has(p.name)).map((p) => `${p.name} is missing`);
    const wrong = [...searchParams].flatMap(([name, text]) => {
      const parameter = known.find((p) => p.name === name);
      if (!parameter) return [`the parameter ${name} is not described`];
      const { i, schema } = parameter;
      const value = (schema as { type?: string }).type === 'array' ? searchParams.getAll(name) : read(text, schema);
      return faults(pointer(...at, 'parameters', String(i), 'schema'), value).map((fault) => `${name}${fault}`);
    });
    return [...missing, ...wrong];
  };

  const bodyFaults = ({ op, at }: { op: Operation; at: string[] }, { type, body }: Sent): string[] => {
    if (!body) return op.requestBody?.required ? ['the body is missing'] : [];
    if (!op.requestBody) return ['there is a body'];
    const media = plain(type);
    if (!(media in op.requestBody.content)) return [`the body has the type ${media}`];
    const value: unknown = media === 'application/json' ? JSON.parse(body) : body;
    return faults(pointer(...at, 'requestBody', 'content', media, 'schema'), value);
  };

  /** What is wrong with the answer. Streams are checked item by item. */
  const answerFaults = ({ op, at }: { op: Operation; at: string[] }, { status, type, body }: Received): string[] => {
    const answer = op.responses[status];
    if (!answer) return [`the status ${status} is not described`];
    const [base, described] =
      '$ref' in answer
        ? [answer.$ref.slice(1), document.components.responses[answer.$ref.split('/').at(-1) as string]]
        : [pointer(...at, 'responses', String(status)), answer];
    const media = plain(type);
    if (!body) return described?.content && status !== 304 ? ['the answer is empty'] : [];
    const other = described?.['x-on-accept']?.[media];
    if (other?.itemSchema) {
      const path = `${base}${pointer('x-on-accept', media, 'itemSchema')}`;
      return items(media, body).flatMap((item) => faults(path, item));
    }
    if (other) return [];
    if (!described?.content?.[media]) return [`the answer has the type ${media}`];
    const value: unknown = media.endsWith('json') ? JSON.parse(body) : body;
    return faults(`${base}${pointer('content', media, 'schema')}`, value);
  };

  return {
    /** Everything in which a request and its answer differ from the document; empty where they agree. */
    check: (sent: Sent, received: Received): string[] => {
      if (/^\/(docs\/.*)?$/.test(sent.url.pathname)) return []; // These are pages and parts of them.
      const found = operationOf(sent.method, sent.url.pathname);
      if (!found) return [`${sent.method} ${sent.url.pathname} is not described`];
      // A request that the service refuses may break the rules; the refusal may not.
      const request = received.status < 400 ? [...queryFaults(found, sent.url), ...bodyFaults(found, sent)] : [];
      return [...request, ...answerFaults(found, received)].map((fault) => `${found.op.operationId}: ${fault}`);
    },
    faults,
    pointer,
  };
};

const items = (media: string, body: string): unknown[] =>
  media === 'text/event-stream'
    ? body
        .split('\n\n')
        .filter((block) => block.startsWith('event: '))
        .map((block) => {
          const [, event, data] = /^event: (.*)\ndata: (.*)$/.exec(block) as unknown as [string, string, string];
          return { event, data: JSON.parse(data) as unknown };
        })
    : body
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as unknown);
