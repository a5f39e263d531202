/** The requests of the generator of R15: the largest input of every route, MCP tool and DAV method, filled with expensive values. */
import { EXPENSIVE, fillings, largest, RULES, textOf, type Expensive } from './r15-expensive.ts';
import { events, icsOf, veventOf } from './r15-scene.ts';
import { byName, deref, dice, targets, type Schema, type Target } from './requests.ts';
import type { Person } from './api.ts';

export type Hostile = {
  /** What it is, so that it can be sent again by hand. */
  what: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: () => string;
};
/** All requests for one route, tool or method. */
export type Batch = { name: string; requests: Hostile[] };
export type Tool = { name: string; inputSchema: Schema };
type Choice = { person: Person; tools: readonly Tool[]; quick: boolean; seed: number };

const MIB = 1024 * 1024;
const JSON_TYPE = 'application/json';
/** Of those of body.ts, what JSON takes is left off. */
const LIMITS: Record<string, number> = { '/memport/import': 11.7 * MIB };
const MOST_BODY = 0.95 * MIB;
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

const escaped = (text: string): string => text.replace(/[&<>"\r]/g, (mark) => `&#${mark.charCodeAt(0)};`);
const XML = 'xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"';
const query = (filter: string): string =>
  `<c:calendar-query ${XML}><d:prop><d:getetag/><c:calendar-data/></d:prop><c:filter><c:comp-filter name="VCALENDAR">${filter}</c:comp-filter></c:filter></c:calendar-query>`;
const bytesFor = (value: Expensive, bytes: number): string => {
  const share = Buffer.byteLength(escaped(textOf(value, 1_000))) / 1_000;
  return escaped(textOf(value, Math.floor(bytes / share)));
};
const event = (inside: string): string => query(`<c:comp-filter name="VEVENT">${inside}</c:comp-filter>`);
const match = (text: string, collation: string): string =>
  `<c:text-match collation="${collation}">${text}</c:text-match>`;
const range = (start: string, end: string): string => `<c:time-range start="${start}" end="${end}"/>`;

/** Reports and property requests at the largest. `name` says what of the body is large. */
const davBodies = (value: Expensive, person: Person): { name: string; method: string; body: () => string }[] => {
  const home = `/dav/calendars/${person.user_id}/calendar/`;
  const collations = ['i;ascii-casemap', 'i;octet', 'i;unicode-casemap'];
  const fits = (one: string): number => Math.floor(MOST_BODY / Buffer.byteLength(one));
  const many = (one: string): string => one.repeat(fits(one));
  return [
    ...collations.flatMap((collation) =>
      ['COMMENT', 'SUMMARY'].map((name) => ({
        name: `a text-match on ${name} in ${collation}`,
        method: 'REPORT',
        body: () =>
          event(`<c:prop-filter name="${name}">${match(bytesFor(value, MOST_BODY), collation)}</c:prop-filter>`),
      })),
    ),
    {
      name: 'text-matches of many properties',
      method: 'REPORT',
      body: () =>
        event(
          many(`<c:prop-filter name="COMMENT">${match(bytesFor(value, 900), 'i;unicode-casemap')}</c:prop-filter>`),
        ),
    },
    {
      name: 'filters within filters',
      method: 'REPORT',
      body: () => event('<c:comp-filter name="VALARM">'.repeat(9_000) + '</c:comp-filter>'.repeat(9_000)),
    },
    {
      name: 'many filters of parameters',
      method: 'REPORT',
      body: () =>
        event(
          `<c:prop-filter name="COMMENT">${many(`<c:param-filter name="X">${match(bytesFor(value, 90), 'i;octet')}</c:param-filter>`)}</c:prop-filter>`,
        ),
    },
    ...[
      ['20260101T000000Z', '20270101T000000Z'],
      ['21000101T000000Z', '21000102T000000Z'],
      ['99990101T000000Z', '99991231T000000Z'],
      ['19000101T000000Z', '99991231T000000Z'],
    ].map(([start = '', end = '']) => ({
      name: `alarms from ${start} to ${end}`,
      method: 'REPORT',
      body: () => event(`<c:comp-filter name="VALARM">${range(start, end)}</c:comp-filter>`),
    })),
    {
      name: 'all with their occurrences',
      method: 'REPORT',
      body: () =>
        event(range('20200101T000000Z', '20400101T000000Z')).replace(
          '<c:calendar-data/>',
          '<c:calendar-data><c:expand start="20260101T000000Z" end="20280101T000000Z"/></c:calendar-data>',
        ),
    },
    {
      name: 'free and busy of a century',
      method: 'REPORT',
      body: () => `<c:free-busy-query ${XML}>${range('20000101T000000Z', '21000101T000000Z')}</c:free-busy-query>`,
    },
    {
      name: 'many names',
      method: 'REPORT',
      body: () =>
        `<c:calendar-multiget ${XML}><d:prop><c:calendar-data/></d:prop>${many(`<d:href>${home}commented.ics</d:href>`)}</c:calendar-multiget>`,
    },
    {
      name: 'many other names',
      method: 'REPORT',
      body: () =>
        `<c:calendar-multiget ${XML}><d:prop><c:calendar-data/></d:prop>${Array.from({ length: fits(`<d:href>${home}0000000.ics</d:href>`) }, (_, n) => `<d:href>${home}${n}.ics</d:href>`).join('')}</c:calendar-multiget>`,
    },
    {
      name: 'a sync from the beginning',
      method: 'REPORT',
      body: () =>
        `<d:sync-collection ${XML}><d:sync-token/><d:sync-level>1</d:sync-level><d:prop><c:calendar-data/></d:prop></d:sync-collection>`,
    },
    {
      name: 'many properties',
      method: 'PROPFIND',
      body: () =>
        `<d:propfind ${XML}><d:prop>${Array.from({ length: fits('<c:p00000/>') }, (_, n) => `<c:p${n}/>`).join('')}</d:prop></d:propfind>`,
    },
    { name: 'all properties', method: 'PROPFIND', body: () => `<d:propfind ${XML}><d:allprop/></d:propfind>` },
    {
      name: 'a long name',
      method: 'PROPPATCH',
      body: () =>
        `<d:propertyupdate ${XML}><d:set><d:prop><d:displayname>${bytesFor(value, MOST_BODY)}</d:displayname></d:prop></d:set></d:propertyupdate>`,
    },
    {
      name: 'many changes of properties',
      method: 'PROPPATCH',
      body: () =>
        `<d:propertyupdate ${XML}>${many(`<d:set><d:prop><d:displayname>${bytesFor(value, 60)}</d:displayname></d:prop></d:set>`)}</d:propertyupdate>`,
    },
    {
      name: 'elements within elements',
      method: 'PROPFIND',
      body: () => `${'<d:propfind xmlns:d="DAV:">'.repeat(9_000)}${'</d:propfind>'.repeat(9_000)}`,
    },
  ];
};

const folded = (text: string): string => text.replace(/\\/g, '\\\\').replace(/\r?\n/g, '\\n').replace(/[;,]/g, '\\$&');
const TIMED = ['DTSTART:20261201T100000Z', 'DURATION:PT30M'];
const fitting = (one: string, bytes: number): number => Math.floor(bytes / (Buffer.byteLength(one) + 2));

/** Files of events at the largest. */
const files = (value: Expensive, bytes: number): { name: string; body: () => string }[] => {
  const text = folded(textOf(value, 5_000));
  const long = veventOf('long-00000', [...TIMED, `SUMMARY:${text.slice(0, 400)}`, `DESCRIPTION:${text}`]);
  const many = (one: string, limit = 50_000): string =>
    icsOf(Array.from({ length: Math.min(limit, fitting(one, bytes)) }, (_, n) => one.replace('-00000', `-${n}`)));
  return [
    { name: 'events with long texts', body: () => many(long) },
    {
      name: 'an event with many comments',
      body: () =>
        icsOf([
          veventOf('many', [
            ...TIMED,
            ...Array.from({ length: fitting(`COMMENT:${text}`, bytes) }, () => `COMMENT:${text}`),
          ]),
        ]),
    },
    ...RULES.map((rule, n) => ({
      name: `series of the ${n + 1}th rule`,
      body: () =>
        many(
          veventOf('rule-00000', ['DTSTART:20240229T090000Z', 'DURATION:PT5M', `RRULE:${rule}`, 'SUMMARY:Rule']),
          2_000,
        ),
    })),
    {
      name: 'a long line',
      body: () =>
        icsOf([veventOf('line', [...TIMED, `SUMMARY:${bytesFor(value, bytes / 2).replace(/[\r\n]/g, ' ')}`])]),
    },
    {
      name: 'components within components',
      body: () => icsOf(['BEGIN:VEVENT\r\n'.repeat(fitting('BEGIN:VEVENT', bytes))]),
    },
    {
      name: 'a time zone with many rules',
      body: () =>
        icsOf([
          `BEGIN:VTIMEZONE\r\nTZID:Own\r\n${'BEGIN:STANDARD\r\nDTSTART:19700101T000000\r\nRRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU\r\nTZOFFSETFROM:+0200\r\nTZOFFSETTO:+0100\r\nEND:STANDARD\r\n'.repeat(5_000)}END:VTIMEZONE`,
          veventOf('zoned', ['DTSTART;TZID=Own:20261201T100000', 'RRULE:FREQ=DAILY', 'SUMMARY:Zoned']),
        ]),
    },
    {
      name: 'an event with many exceptions',
      body: () =>
        icsOf([
          veventOf('except', [
            ...TIMED,
            'RRULE:FREQ=DAILY',
            ...Array.from(
              { length: 9_000 },
              (_, n) => `EXDATE:${new Date(Date.UTC(2027, 0, 1 + n, 10)).toISOString().replace(/[-:]|\.\d+/g, '')}`,
            ),
          ]),
        ]),
    },
  ];
};

const calendarTyped = typed('text/calendar');

/** Large imports that are valid. */
const IMPORTS: { name: string; request: Hostile }[] = [
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
        const one = { type: 'observation', content, task_id: 'imported', tags: ['large'] };
        return JSON.stringify({
          traces: Array.from({ length: Math.floor((11.7 * MIB) / (JSON.stringify(one).length + 1)) }, () => one),
        });
      },
    },
  },
];

const batch = (name: string, requests: Hostile[]): Batch[] => (requests.length ? [{ name, requests }] : []);

/** All of it in full; with `quick`, for each route, tool and method a few that the seed chooses, and always the imports. */
export const batches = ({ person, tools, quick, seed }: Choice): Batch[] => {
  let number = 0;
  const chosen = <T>(make: (value: Expensive) => T[]): T[] => {
    const d = dice(seed, number++);
    if (!quick) return EXPENSIVE.flatMap(make);
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
        .map(({ name, body }) => ({
          what: `${method} with ${name}: ${value.name}`,
          method,
          path: dav,
          headers: { ...typed('application/xml; charset=utf-8'), Depth: '1' },
          body,
        }));
  const filed =
    (method: string, path: string, bytes: number) =>
    (value: Expensive): Hostile[] =>
      files(value, bytes).map(({ name, body }) => ({
        what: `${method} ${path} of ${name}: ${value.name}`,
        method,
        path,
        headers: calendarTyped,
        body,
      }));
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
    ...batch('POST /calendar/import', chosen(filed('POST', '/calendar/import', quick ? MOST_BODY : 15 * MIB))),
    ...IMPORTS.flatMap(({ name, request }) => batch(name, [request])),
  ];
};
