/** A person for R16: something of everything, and credentials with every kind of scopes. */
import { ok, post, aPerson, patch, type Person } from './api.ts';
import { addressesOf, EVENT, type Row } from './r16-addresses.ts';
import { bytes, exchange, type Wired } from './wire.ts';

export type Credential = { name: string; key: string | null; scopes: ReadonlySet<string> };
export type People = { url: string; person: Person; plan: string; rows: Row[]; credentials: Credential[] };

/** Texts that only the holder of a scope may read at an address of WebDAV or in a resource of MCP. */
export const SECRETS = { 'calendar:read': 'known-to-readers-of-events', 'plan:read': 'known-to-readers-of-plans' };

const SCOPES: [kind: 'user' | 'agent', ...scopes: string[]][] = [
  ['agent', 'memory:read'],
  ['agent', 'memory:read', 'memory:write', 'export:read'],
  ['agent', 'calendar:read'],
  ['agent', 'plan:read', 'plan:propose', 'plan:execute'],
  ['agent', 'calendar:read', 'plan:read'],
  ['user', 'calendar:write'],
  ['user', 'calendar:read', 'calendar:write'],
  ['user', 'plan:read', 'plan:decide'],
  ['user', 'plan:decide'],
  ['user', 'memory:read', 'user:read'],
  ['user', 'calendar:read', 'plan:decide', 'tempo:read'],
  ['user', 'debug:read', 'user:write', 'keys:manage'],
];

const EVENT_FILE = [
  ...['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:x', 'BEGIN:VEVENT', `UID:${EVENT}`, 'DTSTAMP:20261101T090000Z'],
  ...['DTSTART:20261203T140000Z', 'SUMMARY:x', 'END:VEVENT', 'END:VCALENDAR', ''],
].join('\r\n');
const MULTIGET = (href: string): string =>
  `<C:calendar-multiget xmlns:C="urn:ietf:params:xml:ns:caldav" xmlns:D="DAV:"><D:prop><C:calendar-data/></D:prop><D:href>${href}</D:href></C:calendar-multiget>`;
const BODIES: Record<string, (href: string) => [type: string, body: string]> = {
  PROPFIND: () => ['application/xml', '<propfind xmlns="DAV:"><prop><displayname/></prop></propfind>'],
  PROPPATCH: () => [
    'application/xml',
    '<propertyupdate xmlns="DAV:"><set><prop><displayname>renamed</displayname></prop></set></propertyupdate>',
  ],
  REPORT: (href) => ['application/xml', MULTIGET(href)],
  PUT: () => ['text/calendar', EVENT_FILE],
  POST: () => ['application/json', '{"spelled":true}'],
  PATCH: () => ['application/json', '{"spelled":true}'],
};

export type Asked = { method: string; target: string; key: string | null; body?: string; href?: string };

/** A tag that nothing has lets no write come about, whose scopes are checked before. */
const NO_EFFECT = { 'If-Match': '"no-such-tag"', Depth: '0' };

export const sent = (url: string, { method, target, key, body, href = '/' }: Asked): Promise<Wired | null | 'hung'> => {
  const [type, text] = BODIES[method]?.(href.replace(/[<&]/g, '')) ?? [];
  const content = body ?? text;
  const headers = {
    ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
    ...(type === undefined ? {} : { 'Content-Type': type }),
    ...(method === 'PUT' || method === 'DELETE' || method === 'PROPFIND' || method === 'REPORT' ? NO_EFFECT : {}),
    ...(target.includes('mcp') ? { Accept: 'application/json, text/event-stream' } : {}),
  };
  return exchange(url, [bytes(method, target, headers, content === undefined ? undefined : Buffer.from(content))]);
};

/** @param source a calendar source is made with this address, which need not answer */
export const furnished = async (url: string): Promise<People> => {
  const person = await aPerson(url);
  const { user_id, key, agent } = person;
  await ok(url, key, patch('/user/update', { user_id, updates: { execution: 'manual' } }));
  const event = {
    uid: EVENT,
    title: SECRETS['calendar:read'],
    scheduled_for: '2026-12-03T10:00',
    duration_minutes: 30,
  };
  await ok(url, key, post('/calendar/create', event));
  const actions = [
    { action_type: 'schedule', title: SECRETS['plan:read'], scheduled_for: '2099-12-10T10:00', duration_minutes: 30 },
  ];
  const plan = (await ok(url, agent, post('/agent/plan', { actions }))).body[0].uid as string;
  const from = { url: 'https://calendar.example.invalid/x.ics', name: 'x' };
  const source = (await ok(url, key, post('/calendar/sources', from))).body.id as string;
  const keyOf = async (kind: string, scopes: string[]): Promise<string> =>
    (await ok(url, key, post('/user/keys', { kind, label: 'r16', scopes }))).body.key;
  const feed = await keyOf('feed', ['calendar:read']);
  const all = (await ok(url, key, { method: 'GET', path: '/user/whoami' })).body.scopes as string[];
  const credentials: Credential[] = [
    { name: 'nobody', key: null, scopes: new Set() },
    { name: 'nonsense', key: 'alm_user_nonsense', scopes: new Set() },
    { name: 'a feed key', key: feed, scopes: new Set() },
    { name: 'the person', key, scopes: new Set(all) },
  ];
  for (const [kind, ...scopes] of SCOPES)
    credentials.push({ name: `${kind} ${scopes.join(' ')}`, key: await keyOf(kind, scopes), scopes: new Set(scopes) });
  const rows = await decided(url, addressesOf({ user_id, source, feed, token: 'x' }, plan), key);
  return { url, person, plan, rows, credentials };
};

/** Of REST the matrix decides the scopes (R4); what a holder of them gets for this request is looked at once. */
const decided = async (url: string, rows: Row[], key: string): Promise<Row[]> => {
  const done: Row[] = [];
  for (const row of rows) {
    if (row.status !== undefined || row.path.endsWith('/*')) {
      done.push(row);
      continue;
    }
    const answer = await sent(url, { method: row.method, target: row.path, key: row.scopes === 'public' ? null : key });
    if (answer === null || answer === 'hung') throw new Error(`${row.method} ${row.path} was not answered`);
    done.push({ ...row, status: answer.status });
  }
  return done;
};
