/** The requests of the generator of R15: the largest input of every route, MCP tool and DAV method, filled with expensive values. */
import { davBodies, files, MOST_BODY } from './r15-bodies.ts';
import { EXPENSIVE, fillings, largest, textOf, type Expensive } from './r15-expensive.ts';
import { events, icsOf } from './r15-scene.ts';
import { byName, deref, dice, targets, type Schema, type Target } from './requests.ts';
import type { Person } from './api.ts';
import { HOSTILE_FILES } from '../support/hostile-ics.ts';

export type Hostile = {
  /** What it is, so that it can be sent again by hand. */
  what: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: () => string | Uint8Array<ArrayBuffer>;
};
/** All requests for one route, tool or method. */
export type Batch = { name: string; requests: Hostile[] };
export type Tool = { name: string; inputSchema: Schema };
type Choice = { person: Person; tools: readonly Tool[]; quick: boolean; seed: number };

const MIB = 1024 * 1024;
const JSON_TYPE = 'application/json';
/** Of those of body.ts, what JSON takes is left off. */
const LIMITS: Record<string, number> = { '/memport/import': 11.7 * MIB };
const MOST_ADDRESS = 12_000;
/** Those that open a connection for long, end the account, or make requests of their own to others. */
const APART = new Set(['GET /ws', 'DELETE /user/account', 'POST /user/logout', 'DELETE /user/sessions']);

const typed = (type: string): Record<string, string> => ({ 'Content-Type': type });

const queryOf = ({ operation }: Target, value: Expensive): string => {
  const parts = (operation.parameters ?? []).flatMap((parameter) => {
    const { name = '', in: place, schema = {} } = deref(parameter);
    if (place !== 'query' || name === 'user_id' || name === 'cursor') return [];
    const share = MOST_ADDRESS / (operation.parameters ?? []).length / 9;
    const wanted = name === 'wait' ? 0 : (byName(name, PLAIN) ?? largest(schema, value, share, name));
    return [`${name}=${encodeURIComponent(typeof wanted === 'string' ? wanted : JSON.stringify(wanted))}`];
  });
  return parts.length ? `?${parts.join('&')}` : '';
};
const PLAIN = { ...dice(0, 0), of: <T>(list: readonly T[]): T => list[0] as T, chance: () => true };

/** Made when it is sent, because some are large. */
const ofRoute = (target: Target, value: Expensive): Hostile[] => {
  const { method, path, operation } = target;
  const base = { method, path: path + queryOf(target, value) };
  const schema = operation.requestBody?.content[JSON_TYPE]?.schema;
  if (!schema) return [{ ...base, what: `${method} ${path}: ${value.name}`, headers: {} }];
  return fillings(schema, value).map(({ what, make }) => ({
    ...base,
    what: `${method} ${path} ${what}: ${value.name}`,
    headers: typed(JSON_TYPE),
    body: () => JSON.stringify(make(LIMITS[path] ?? MOST_BODY)),
  }));
};

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'trial', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const ofTool = ({ name, inputSchema }: Tool, value: Expensive): Hostile[] =>
  fillings(inputSchema, value).map(({ what, make }) => ({
    what: `tool ${name} ${what}: ${value.name}`,
    method: 'POST',
    path: '/mcp',
    headers: {
      ...typed(JSON_TYPE),
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': 'tools/call',
      'Mcp-Name': name,
    },
    body: () => {
      const params = { name, arguments: make(MOST_BODY), _meta: META };
      return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    },
  }));

const calendarTyped = typed('text/calendar');

/** Requests that once stopped everybody; small trials send them too. Large imports are valid. */
const ONCE_FOUND: { name: string; request: Hostile }[] = [
  {
    name: 'POST /calendar/import of 12,000 events',
    request: {
      what: 'POST /calendar/import: 12,000 events',
      method: 'POST',
      path: '/calendar/import',
      headers: calendarTyped,
      body: () => icsOf(events(12_000, 'imported')),
    },
  },
  {
    name: 'POST /memport/import of 11.7 MiB',
    request: {
      what: 'POST /memport/import: 11.7 MiB of traces',
      method: 'POST',
      path: '/memport/import',
      headers: typed(JSON_TYPE),
      body: () => {
        const content = 'the supplier wants the contract signed by friday and ana asked for the figures again '.repeat(
          5,
        );
        const one = (n: number) => ({
          uid: `imported-${n}`,
          type: 'observation',
          timestamp: '2026-11-01T10:00:00Z',
          content,
        });
        const count = Math.floor((11.6 * MIB) / (JSON.stringify(one(10_000)).length + 1));
        return JSON.stringify({ traces: Array.from({ length: count }, (_, n) => one(n)) });
      },
    },
  },
];

/** Files of which one stopped everybody for seconds or minutes. */
const FILES_FOUND = /^(a TZID and commas|EXDATE with a TZID|bytes of 0xD8|line ends|alarms|many time zones)$/;

const PROMPT = '/chat/plan-preview';
const foundBefore = (person: Person): Batch[] => {
  const texts = EXPENSIVE.filter(({ name }) => name.startsWith('a date')).map((value) => textOf(value, 2_400));
  const reports = EXPENSIVE.slice(0, 1).flatMap((value) =>
    davBodies(value, person).filter(({ name }) => /COMMENT in i;unicode|alarms from 2100/.test(name)),
  );
  return [
    {
      name: `POST ${PROMPT} of 2.4 kB`,
      requests: texts.map((prompt) => ({
        ...{ what: `POST ${PROMPT} prompt: ${prompt.slice(0, 16)}...`, method: 'POST', path: PROMPT },
        headers: typed(JSON_TYPE),
        body: () => JSON.stringify({ prompt }),
      })),
    },
    {
      name: 'DAV REPORT of a large event and of alarms',
      requests: reports.map(({ name, body }) => ofReport(person, name, 'REPORT', body)),
    },
    {
      name: 'POST /calendar/import of hostile files',
      requests: HOSTILE_FILES.filter(({ name }) => FILES_FOUND.test(name)).map(({ name, most, make }) => ({
        what: `POST /calendar/import: ${name}`,
        ...{ method: 'POST', path: '/calendar/import', headers: calendarTyped },
        body: () => make(most),
      })),
    },
    ...ONCE_FOUND.map(({ name, request }) => ({ name, requests: [request] })),
  ];
};

const ofReport = (person: Person, what: string, method: string, body: () => string): Hostile => ({
  ...{ what: `${method} with ${what}`, method, path: `/dav/calendars/${person.user_id}/calendar/` },
  headers: { ...typed('application/xml; charset=utf-8'), Depth: '1' },
  body,
});

const batch = (name: string, requests: Hostile[]): Batch[] => (requests.length ? [{ name, requests }] : []);

const distinct = (list: Hostile[]): Hostile[] => [...new Map(list.map((one) => [one.what, one])).values()];

/** All of it in full; with `quick`, for each route, tool and method a few that the seed chooses, and always the imports. */
export const batches = ({ person, tools, quick, seed }: Choice): Batch[] => {
  let number = 0;
  const chosen = (make: (value: Expensive) => Hostile[]): Hostile[] => {
    const d = dice(seed, number++);
    if (!quick) return distinct(EXPENSIVE.flatMap(make));
    const made = make(d.of(EXPENSIVE));
    return made.length ? [d.of(made), d.of(made)] : [];
  };
  const dav = `/dav/calendars/${person.user_id}/calendar/`;
  const methods = ['REPORT', 'PROPFIND', 'PROPPATCH'];
  const ofDav =
    (method: string) =>
    (value: Expensive): Hostile[] =>
      davBodies(value, person)
        .filter((one) => one.method === method)
        .map(({ name, body }) => ofReport(person, name, method, body));
  const filed =
    (method: string, path: string, bytes: number) =>
    (value: Expensive): Hostile[] =>
      files(value, bytes).map(({ name, body }) => ({
        what: `${method} ${path.split('/').slice(-2).join('/')} of ${name}`,
        method,
        path,
        headers: calendarTyped,
        body,
      }));
  const largeFiles = (): Hostile[] =>
    distinct(EXPENSIVE.slice(0, 3).flatMap(filed('POST', '/calendar/import', 15 * MIB)));
  return [
    ...targets
      .filter(({ method, path }) => !APART.has(`${method} ${path}`) && path !== '/mcp')
      .flatMap((target) =>
        batch(
          `${target.method} ${target.path}`,
          chosen((value) => ofRoute(target, value)),
        ),
      ),
    ...tools.flatMap((tool) =>
      batch(
        `tool ${tool.name}`,
        chosen((value) => ofTool(tool, value)),
      ),
    ),
    ...methods.flatMap((method) => batch(`DAV ${method}`, chosen(ofDav(method)))),
    ...batch('DAV PUT', chosen(filed('PUT', `${dav}put.ics`, MOST_BODY))),
    ...batch('DAV GET', [
      { what: 'GET of the largest event', method: 'GET', path: `${dav}commented.ics`, headers: {} },
      { what: 'DELETE of an event', method: 'DELETE', path: `${dav}rule-0.ics`, headers: {} },
      { what: 'OPTIONS', method: 'OPTIONS', path: dav, headers: {} },
    ]),
    ...batch('POST /calendar/import', chosen(filed('POST', '/calendar/import', MOST_BODY))),
    ...batch('POST /calendar/import of 15 MiB', quick ? [] : largeFiles()),
    ...foundBefore(person),
  ];
};
