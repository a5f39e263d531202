/** Requests made from openapi.yaml, then spoiled: each from a seed and its number alone, so that any of them can be made again. */
import { Buffer } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { parse } from 'yaml';
import { dayAhead } from '../support/today.ts';

export type Schema = {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  format?: string;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  items?: Schema;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
};
export type Parameter = { $ref?: string; name?: string; in?: string; schema?: Schema };
type Operation = {
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, unknown>;
};

export type Target = { method: string; path: string; operation: Operation };

/** A request as it goes out; what is not set is left out. */
export type Made = {
  number: number;
  target: Target;
  method: string;
  path: string;
  /** Which credential: the person's key, the agent's, a bad one or none. */
  as: 'person' | 'agent' | 'nonsense' | 'nobody';
  headers: Record<string, string | string[]>;
  body?: Buffer;
  /** What was done to it. */
  spoiled: string[];
};

const document = parse(readFileSync(join(import.meta.dirname, '../../openapi.yaml'), 'utf8')) as {
  paths: Record<string, Record<string, Operation>>;
};

const METHODS = new Set(['get', 'post', 'patch', 'delete']);

export const targets: Target[] = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item)
    .filter(([method]) => METHODS.has(method))
    .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
);

export const deref = <T extends { $ref?: string }>(node: T): T => {
  let found: unknown = node;
  while ((found as T).$ref)
    found = ((found as T).$ref as string)
      .slice(2)
      .split('/')
      .reduce<unknown>((at, name) => (at as Record<string, unknown>)[name.replaceAll('~1', '/')], document);
  return found as T;
};

export type Dice = {
  /** 0 to 1. */
  roll: () => number;
  below: (count: number) => number;
  of: <T>(list: readonly T[]) => T;
  chance: (p: number) => boolean;
};

/** Mulberry32, started from both numbers. */
export const dice = (seed: number, number: number): Dice => {
  let state = (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(number + 1, 0xc2b2ae35)) >>> 0;
  const roll = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (count: number): number => Math.floor(roll() * count);
  return { roll, below, of: (list) => list[below(list.length)] as never, chance: (p) => roll() < p };
};

/** Things that exist for every person of the trial, so that requests get past "not found". */
export const KNOWN = {
  trace: 'known-trace',
  event: 'known-event',
  plan: 'known-plan',
  task: 'known-task',
  tag: 'known',
};

/** Days ahead, because proposals for past days are refused, and a time that no clock in Berlin shows. */
const TIMES = [
  `${dayAhead(5)}T10:00`,
  dayAhead(5),
  `${dayAhead(6)}T08:00:00Z`,
  `${dayAhead(3)}T23:30:00+01:00`,
  '2027-03-28T02:30',
];
const WORDS = ['thesis', 'a walk tomorrow at nine', 'deep work', '@morning', '#known', 'ß ş İ', '会议', '🙂', 'x'];

/** A value by the name of its field, where only some are of use. */
export const byName = (name: string, d: Dice): unknown => {
  if (/^(trace_)?ids$|^uids$|linked_trace_ids/.test(name)) return [KNOWN.trace, KNOWN.plan].slice(0, 1 + d.below(2));
  if (name === 'uid' || name === 'target_event_uid') return d.of([KNOWN.trace, KNOWN.event, KNOWN.plan, 'unknown']);
  if (name === 'task_id') return KNOWN.task;
  if (name === 'timezone') return d.of(['Europe/Berlin', 'Asia/Kathmandu', 'UTC']);
  if (name === 'wait') return 0;
  if (name === 'export_format') return d.of(['summary', 'full', 'linked', 'diff']);
  if (/(^|_)(start|end|time|from|to|for|expires_at|timestamp|as_of)$/.test(name)) return d.of(TIMES);
  if (name === 'rrule') return d.of(['FREQ=DAILY;COUNT=3', 'FREQ=WEEKLY;BYDAY=MO,TH', 'FREQ=YEARLY']);
  return undefined;
};

const sampleObject = (schema: Schema, d: Dice, depth: number): Record<string, unknown> => {
  const made: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(schema.properties ?? {}))
    if (schema.required?.includes(name) || d.chance(0.35)) {
      // Whose things are meant is the caller; other users are another test's (authorization).
      if (name !== 'user_id')
        made[name] = (d.chance(0.7) ? byName(name, d) : undefined) ?? sample(member, d, depth + 1);
    }
  if (typeof schema.additionalProperties === 'object' && d.chance(0.5))
    made['any'] = sample(schema.additionalProperties, d, depth + 1);
  return made;
};

/** Something that fits the schema, more or less. */
export const sample = (node: Schema, d: Dice, depth = 0): unknown => {
  const schema = deref(node);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return d.of(schema.enum);
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants) return sample(d.of(variants), d, depth + 1);
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map((part) => sample(part, d, depth + 1)));
  const type = Array.isArray(schema.type) ? d.of(schema.type) : schema.type;
  if (depth > 8) return null;
  switch (type) {
    case 'object':
      return sampleObject(schema, d, depth);
    case 'array':
      return Array.from({ length: Math.max(schema.minItems ?? 0, d.below(3)) }, () =>
        sample(schema.items ?? {}, d, depth + 1),
      );
    case 'integer':
    case 'number': {
      const low = schema.minimum ?? 0;
      return low + d.below(Math.min((schema.maximum ?? low + 100) - low, 100) + 1);
    }
    case 'boolean':
      return d.chance(0.5);
    case 'null':
      return null;
    default:
      return schema.format === 'date-time' ? d.of(TIMES) : schema.format === 'email' ? 'a@example.org' : d.of(WORDS);
  }
};

const deep = (depth: number, open: string, close: string): string => `${open.repeat(depth)}1${close.repeat(depth)}`;

/** Values nobody should send, as JSON text: some of them no object of this language can hold. */
const NASTY: string[] = [
  ...['null', 'true', 'false', '0', '-0', '-1', '1', '0.1', '1e-400', '1e308', '1e400', '-1e999', '1e21'],
  ...['2147483647', '2147483648', '9007199254740993', '99999999999999999999', '-9223372036854775809'],
  ...[
    '""',
    '" "',
    '"\\u0000"',
    '"a\\u0000b"',
    '"\\ud800"',
    '"\\udc00x"',
    '"\\ud83d\\ude00"',
    '"\\uffff"',
    '"\\u202e\\ufeff"',
  ],
  ...[
    '"NaN"',
    '"Infinity"',
    '"null"',
    '"undefined"',
    '"true"',
    '"-1"',
    '"0x10"',
    '"1e3"',
    '"%00"',
    '"%zz"',
    '"../../etc/passwd"',
  ],
  ...[
    '"__proto__"',
    '"constructor"',
    '"\'; drop table traces; --"',
    '"$1"',
    '"{{7*7}}"',
    '"\\\\"',
    '"\\""',
    '"<script>"',
  ],
  ...[
    '"2026-13-45"',
    '"2026-02-30"',
    '"9999-12-31T23:59:59Z"',
    '"0001-01-01"',
    '"+275760-09-13T00:00:00Z"',
    '"2026-12-01T25:00"',
    '"-000001-01-01"',
  ],
  ...[
    '"FREQ=SECONDLY"',
    '"FREQ=DAILY;COUNT=99999999"',
    '"FREQ=YEARLY;BYMONTHDAY=31;BYMONTH=2"',
    '"Mars/Olympus"',
    '"Etc/GMT+99"',
  ],
  ...[
    '[]',
    '[[]]',
    '[null]',
    '{}',
    '[{}]',
    '{"__proto__": {"admin": true}}',
    '{"constructor": {"prototype": {"x": 1}}}',
    '{"toString": 1}',
    '{"": 1}',
  ],
  ...[deep(31, '[', ']'), deep(40, '[', ']'), deep(40, '{"a":', '}'), deep(3_000, '[', ']')],
  ...[
    JSON.stringify('x'.repeat(256)),
    JSON.stringify('x'.repeat(10_001)),
    JSON.stringify('é'.repeat(100_001)),
    `[${'1,'.repeat(5_000)}1]`,
  ],
];

/** A member that is written as it stands: JSON.stringify sees only its name. */
const raw = (marks: string[], text: string): string => {
  marks.push(text);
  return `\u0001${marks.length - 1}\u0001`;
};

type Container = Record<string, unknown> | unknown[];
const containersOf = (value: unknown): Container[] =>
  typeof value === 'object' && value !== null
    ? [value as Container, ...Object.values(value).flatMap(containersOf)]
    : [];

/** Spoils one place of the body. @returns what was done */
const spoilBody = (body: unknown, d: Dice, marks: string[]): string => {
  const holder = d.of(containersOf(body)) as Record<string, unknown> | undefined;
  if (!holder) return 'nothing';
  const name = d.of([...Object.keys(holder), 'unknown_field', '__proto__', 'constructor', 'user_id']);
  const how = d.below(8);
  if (how === 0) {
    delete holder[name];
    return `without ${name}`;
  }
  const value = d.of(NASTY);
  // Own members of such names exist in JSON texts only.
  Object.defineProperty(holder, name, {
    value: raw(marks, value),
    enumerable: true,
    configurable: true,
    writable: true,
  });
  if (how === 1) {
    Object.defineProperty(holder, `${name}\u0002`, {
      value: raw(marks, d.of(NASTY)),
      enumerable: true,
      configurable: true,
    });
    return `${name} twice`;
  }
  return `${name} = ${value.slice(0, 40)}`;
};

/** The body as text, with the raw members in their places and names twice where that was wanted. */
const write = (body: unknown, marks: string[]): string =>
  JSON.stringify(body)
    .replaceAll('\\u0002', '')
    .replaceAll(/"\\u0001(\d+)\\u0001"/g, (_all, i: string) => marks[Number(i)] as string);

const ENCODINGS: [
  name: string,
  encode: (text: string, d: Dice) => { body: Buffer; headers: Record<string, string> },
][] = [
  ['gzip', (t) => ({ body: gzipSync(t), headers: { 'Content-Encoding': 'gzip' } })],
  ['deflate', (t) => ({ body: deflateSync(t), headers: { 'Content-Encoding': 'deflate' } })],
  ['br', (t) => ({ body: brotliCompressSync(t), headers: { 'Content-Encoding': 'br' } })],
  ['a bomb', () => ({ body: BOMB, headers: { 'Content-Encoding': 'gzip' } })],
  ['half of a gzip', (t) => ({ body: gzipSync(t).subarray(0, 12), headers: { 'Content-Encoding': 'gzip' } })],
  ['no gzip at all', (t) => ({ body: Buffer.from(t), headers: { 'Content-Encoding': 'gzip' } })],
  ['gzip twice', (t) => ({ body: gzipSync(gzipSync(t)), headers: { 'Content-Encoding': 'gzip, gzip' } })],
  ['an unknown encoding', (t) => ({ body: Buffer.from(t), headers: { 'Content-Encoding': 'zstd-9' } })],
  [
    'utf-16',
    (t) => ({ body: Buffer.from(t, 'utf16le'), headers: { 'Content-Type': 'application/json; charset=utf-16le' } }),
  ],
  ['utf-16 unannounced', (t) => ({ body: Buffer.from(`\ufeff${t}`, 'utf16le'), headers: {} })],
  [
    'latin1',
    (t) => ({
      body: Buffer.from(`${t}é`, 'latin1'),
      headers: { 'Content-Type': 'application/json; charset=iso-8859-1' },
    }),
  ],
  [
    'an unknown charset',
    (t) => ({ body: Buffer.from(t), headers: { 'Content-Type': 'application/json; charset=klingon' } }),
  ],
  [
    'broken utf-8',
    (t) => ({ body: Buffer.concat([Buffer.from(t.slice(0, -1)), Buffer.from([0xff, 0xc0, 0x80, 0x7d])]), headers: {} }),
  ],
  ['a byte order mark', (t) => ({ body: Buffer.from(`\ufeff${t}`), headers: {} })],
  [
    'another type',
    (t, d) => ({
      body: Buffer.from(t),
      headers: {
        'Content-Type': d.of([
          'text/plain',
          'multipart/form-data; boundary=x',
          'application/x-www-form-urlencoded',
          'application/',
          ';',
          'text/calendar',
          'application/json; charset="',
          'application/merge-patch+json',
        ]),
      },
    }),
  ],
  ['cut off', (t, d) => ({ body: Buffer.from(t.slice(0, d.below(t.length))), headers: {} })],
  [
    'garbage',
    (_t, d) => ({ body: Buffer.from(Array.from({ length: 1 + d.below(200) }, () => d.below(256))), headers: {} }),
  ],
  ['trailing text', (t) => ({ body: Buffer.from(`${t} {}`), headers: {} })],
  ['a single value', (_t, d) => ({ body: Buffer.from(d.of(NASTY)), headers: {} })],
  ['two MiB', () => ({ body: Buffer.alloc(2 * 1024 * 1024, ' '), headers: {} })],
  ['nothing', () => ({ body: Buffer.alloc(0), headers: {} })],
];
/** 64 MiB of nothing in 64 KiB. */
const BOMB = gzipSync(Buffer.alloc(64 * 1024 * 1024, ' '));

const HEADERS: [name: string, values: string[]][] = [
  ['If-Match', ['*', '"1"', 'W/"1"', '"', '', '"1", "2"', '1', '"999999999999999999999"', '"-1"', 'é', '"\t"']],
  ['If-None-Match', ['*', '"1"', 'W/"x"', '"', ',,,', '"a", W/"b", *']],
  ['Range', ['bytes=0-0', 'bytes=5-1', 'bytes=-', 'items=0-1', 'bytes=0-18446744073709551616', 'x']],
  ['Idempotency-Key', ['x', 'x'.repeat(256), 'a b', 'é', '', '"quoted"', '__proto__']],
  ['X-Request-Id', ['ok-1', 'x'.repeat(200), '<script>', '\u00e9', "'; drop", '__proto__']],
  [
    'Accept',
    [
      '*/*',
      'text/html',
      'application/x-ndjson',
      'text/event-stream',
      'q=',
      ';;;',
      'application/json;q=NaN',
      'x'.repeat(2_000),
    ],
  ],
  ['Accept-Encoding', ['gzip', 'identity;q=0', '*;q=0', 'x']],
  ['Accept-Language', ['*', 'xx-'.repeat(100)]],
  ['Origin', ['null', 'https://evil.example', 'x']],
  ['Cookie', ['a=b; c', '='.repeat(500)]],
  ['Expect', ['100-continue', '200-maybe']],
  ['Forwarded', ['for=1.2.3.4;proto=https']],
  ['X-Forwarded-For', ['1.2.3.4', 'x, y, z', '::1%eth0', '9'.repeat(500)]],
  ['X-HTTP-Method-Override', ['DELETE']],
  ['Transfer-Encoding', ['identity', 'gzip, chunked', 'chunked, chunked']],
  ['Upgrade', ['h2c', 'websocket', 'x']],
  [
    'Authorization',
    [
      'Basic YTpi',
      'Bearer',
      'Bearer  ',
      'Bearer a b',
      'bearer x.y.z',
      `Bearer ${'x'.repeat(8_000)}`,
      'Digest x',
      'Bearer null',
      'Bearer eyJhbGciOiJub25lIn0.e30.',
    ],
  ],
  ['X-Long', ['x'.repeat(20_000)]],
];
const OTHER_METHODS = [
  'PUT',
  'HEAD',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'PURGE',
  'SEARCH',
  'GET',
  'DELETE',
  'POST',
  'PATCH',
  'QUERY',
];

const spoilPath = (path: string, d: Dice): string =>
  d.of([
    (p: string) => `/${p}`,
    (p: string) => `${p}/`,
    (p: string) => p.toUpperCase(),
    (p: string) => `/v1/v1${p}`,
    (p: string) => `${p}%00`,
    (p: string) => `${p}%ff`,
    (p: string) => `${p}%`,
    (p: string) => `${p}/..%2f..%2fetc%2fpasswd`,
    (p: string) => `/.${p}/../..`,
    (p: string) => `http://elsewhere.example${p}`,
    (p: string) => `http://[${p}`,
    () => `*`,
    (p: string) => `${p}?%00=%ff&__proto__=1&a[b]=c&=&&`,
    (p: string) => `${p}?${'a='.repeat(3_000)}`,
    (p: string) => `${p}#fragment`,
    (p: string) => `${p}\\..\\`,
  ])(path);

/** Query text of a nasty value, percent-encoded or not quite. */
const queryText = (d: Dice): string => {
  const value = d.of(NASTY);
  if (value.length > 8_000) return 'x';
  let text: unknown;
  try {
    text = JSON.parse(value);
  } catch {
    text = value;
  }
  const plain = typeof text === 'string' ? text : JSON.stringify(text);
  return encodeURIComponent(Buffer.from(plain).toString()).replace(/%EF%BF%BD/g, d.chance(0.5) ? '%ff' : '%EF%BF%BD');
};

const queryOf = (operation: Operation, d: Dice, spoiled: string[]): string => {
  const parts: string[] = [];
  for (const parameter of operation.parameters ?? []) {
    const { name = '', in: place, schema = {} } = deref(parameter);
    if (place !== 'query' || name === 'user_id' || name === 'cursor') continue;
    if (deref(parameter as { required?: boolean; $ref?: string }).required || d.chance(0.4)) {
      const value = (d.chance(0.7) ? byName(name, d) : undefined) ?? sample(schema, d);
      parts.push(`${name}=${encodeURIComponent(typeof value === 'string' ? value : JSON.stringify(value))}`);
    }
    if (d.chance(0.12)) {
      const text = queryText(d);
      // A request that waits for changes is meant to wait.
      parts.push(`${name}=${name === 'wait' && Number(text) > 0 ? '0' : text}`);
      spoiled.push(`query ${name}=${text.slice(0, 40)}`);
    }
  }
  if (d.chance(0.05)) {
    const cursor = d.of([
      'x',
      'e30',
      '%00',
      Buffer.from('{"at":1e999,"key":[null]}').toString('base64url'),
      Buffer.from('[]').toString('base64url'),
    ]);
    parts.push(`cursor=${cursor}`);
    spoiled.push('a cursor');
  }
  if (d.chance(0.04)) {
    parts.push(`${d.of(['unknown', '__proto__', 'constructor', 'toString', 'user_id'])}=${queryText(d)}`);
    spoiled.push('an unknown parameter');
  }
  return parts.length ? `?${parts.join('&')}` : '';
};

const bodyOf = (
  target: Target,
  d: Dice,
  spoiled: string[],
): { body: Buffer; headers: Record<string, string> } | null => {
  const content = target.operation.requestBody?.content;
  if (!content)
    return d.chance(0.05) ? { body: Buffer.from('{}'), headers: { 'Content-Type': 'application/json' } } : null;
  const type = d.of(Object.keys(content));
  const headers: Record<string, string> = { 'Content-Type': type };
  if (type !== 'application/json') {
    const text = d.of([
      'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nBEGIN:VEVENT\r\nUID:u\r\nDTSTAMP:20261101T000000Z\r\nDTSTART:20261201T100000Z\r\nDURATION:PT1H\r\nSUMMARY:x\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n',
      'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nDTSTART:99999999T999999Z\r\nRRULE:FREQ=SECONDLY\r\nEND:VEVENT\r\n',
      'BEGIN:VCALENDAR\r\n'.repeat(1_000),
      '{"uid": "x", "type": "observation", "content": "x"}\n{"uid": \n',
      'x',
      '\u0000',
    ]);
    spoiled.push('an import');
    return { body: Buffer.from(text), headers };
  }
  const made = sample((content[type] as { schema: Schema }).schema, d);
  const marks: string[] = [];
  for (let i = d.below(3); i > 0; i--) spoiled.push(spoilBody(made, d, marks));
  const text = write(made, marks);
  if (!d.chance(0.15)) return { body: Buffer.from(text), headers };
  const [name, encode] = d.of(ENCODINGS);
  const encoded = encode(text, d);
  spoiled.push(name);
  return { body: encoded.body, headers: { ...headers, ...encoded.headers } };
};

/** The request of this seed and number: every route in turn. */
export const make = (seed: number, number: number): Made => {
  const d = dice(seed, number);
  const target = targets[number % targets.length] as Target;
  const spoiled: string[] = [];
  const query = queryOf(target.operation, d, spoiled);
  const body = bodyOf(target, d, spoiled);
  const made: Made = {
    number,
    target,
    method: target.method,
    path: (d.chance(0.1) ? '/v1' : '') + target.path + query,
    as: d.of([
      'person',
      'person',
      'person',
      'person',
      'person',
      'person',
      'agent',
      'agent',
      'nonsense',
      'nobody',
    ] as const),
    headers: { ...body?.headers },
    ...(body ? { body: body.body } : {}),
    spoiled,
  };
  if (d.chance(0.05)) {
    made.method = d.of(OTHER_METHODS);
    spoiled.push(`method ${made.method}`);
  }
  if (d.chance(0.05)) {
    made.path = spoilPath(target.path, d);
    spoiled.push('path');
  }
  while (d.chance(0.15)) {
    const [name, values] = d.of(HEADERS);
    const value = d.of(values);
    made.headers[name] = value;
    spoiled.push(`${name}: ${value.slice(0, 30)}`);
  }
  return made;
};
