/**
 * The addresses of the service with the scopes that each needs, and what another spelling of one may give. These rules are written
 * here a second time on purpose: they use nothing of src.
 */
import { targets } from './requests.ts';

/** `status` is what a caller with the scopes gets; undefined where it depends on the name. */
export type Row = { method: string; path: string; scopes: string[] | 'public'; status?: number; query?: string };

/** Whose things the addresses name. */
export type World = { user_id: string; source: string; feed: string; token: string };

export const EVENT = 'known-event';
const ANY = '*';

const DAV_METHODS = { PROPFIND: 207, PROPPATCH: 207, REPORT: 403, OPTIONS: 200 };

const ofPlace = (path: string): Row[] =>
  Object.entries(DAV_METHODS).map(([method, status]) => ({
    ...{ method, path, status },
    scopes: method === 'OPTIONS' ? 'public' : [],
  }));

const ofCollection = (
  path: string,
  {
    reads,
    writes,
    name,
    write = 412,
    found = true,
  }: Record<'reads' | 'writes' | 'name', string> & Partial<{ write: number; found: boolean }>,
): Row[] => {
  const rows = (at: string, known: boolean): Row[] => {
    const status = (code: number): { status?: number } => (known ? { status: code } : {});
    return [
      { method: 'PROPFIND', path: at, scopes: [reads], ...status(found ? 207 : 404) },
      { method: 'REPORT', path: at, scopes: [reads], ...status(403) },
      { method: 'GET', path: at, scopes: [reads], ...status(found ? 200 : 404) },
      { method: 'PUT', path: at, scopes: [writes], ...status(write) },
      { method: 'DELETE', path: at, scopes: [writes], ...status(write) },
      { method: 'OPTIONS', path: at, scopes: 'public', status: 200 },
    ];
  };
  return [
    { method: 'PROPFIND', path, scopes: [reads], status: 207 },
    { method: 'PROPPATCH', path, scopes: [writes], status: 207 },
    { method: 'REPORT', path, scopes: [reads], status: 207 },
    { method: 'OPTIONS', path, scopes: 'public', status: 200 },
    ...rows(`${path}/${name}`, true),
    ...rows(`${path}/${ANY}`, false),
  ];
};

/** Of REST the scopes are those that the API document states. */
const REST: Row[] = targets
  .filter(
    ({ path }) => !['/mcp', '/ws', '/calendar/feed.ics', '/calendar/proposals.ics', '/calendar/decide'].includes(path),
  )
  .map(({ method, path, operation }) => ({
    ...{ method, path },
    scopes:
      (operation as { security?: unknown[] }).security?.length === 0
        ? 'public'
        : ((operation as { 'x-scopes'?: string[] })['x-scopes'] ?? []),
  }));

/** Every address of one person, in the one spelling that counts. */
export const addressesOf = ({ user_id, source, feed, token }: World, plan: string): Row[] => {
  const home = `/dav/calendars/${user_id}`;
  const page = (path: string, status = 200): Row => ({ method: 'GET', path, scopes: 'public', status });
  return [
    ...REST,
    { method: 'POST', path: '/mcp', scopes: [] },
    { method: 'GET', path: '/calendar/feed.ics', scopes: 'public', status: 200, query: `?key=${feed}` },
    { method: 'GET', path: '/calendar/proposals.ics', scopes: 'public', status: 403, query: `?key=${feed}` },
    { method: 'GET', path: '/calendar/decide', scopes: 'public', status: 401, query: `?token=${token}` },
    page('/', 302),
    page('/docs'),
    page('/docs/page.js'),
    page('/llms.txt'),
    page('/console/'),
    page('/console/plan'),
    page('/console/icon.svg'),
    // Each word is a screen of the page.
    { method: 'GET', path: `/console/${ANY}`, scopes: 'public' },
    { method: 'POST', path: '/calendar/decide', scopes: 'public' },
    page('/.well-known/caldav', 301),
    { ...page('/.well-known/caldav', 301), method: 'PROPFIND' },
    { method: 'PROPFIND', path: '/', scopes: [], status: 207 },
    ...['/dav', '/dav/principals', `/dav/principals/${user_id}`, home].flatMap(ofPlace),
    ...ofCollection(`${home}/calendar`, { reads: 'calendar:read', writes: 'calendar:write', name: `${EVENT}.ics` }),
    ...ofCollection(`${home}/agent-plan`, { reads: 'plan:read', writes: 'plan:decide', name: `proposal-${plan}.ics` }),
    ...ofCollection(`${home}/source-${source}`, {
      ...{ reads: 'calendar:read', writes: 'calendar:write', name: 'x.ics', write: 403, found: false },
    }),
  ];
};

const UNRESERVED = /[a-z0-9._~-]/i;

/** Removes dot segments (RFC 3986 §5.2.4). */
const withoutDots = (path: string): string => {
  const kept: string[] = [];
  const parts = path.split('/').slice(1);
  for (const [i, part] of parts.entries()) {
    if (part === '..') kept.pop();
    if (part !== '.' && part !== '..') kept.push(part);
    else if (i === parts.length - 1) kept.push('');
  }
  return `/${kept.join('/')}`;
};

/**
 * The path that a request target is equivalent to by RFC 3986 §6.2.2 and RFC 9112 §3.2.2, and by what the README allows: the
 * prefix /v1, and one slash at the end. Null where it is no address of this service.
 */
export const meaningOf = (target: string): string | null => {
  const found = /^(?:https?:\/\/[^/?#@\\]+(?=[/?]|$))?(\/[^?#]*)?(?:\?[^#]*)?$/i.exec(target);
  const path = found && (found[1] ?? (target === '' ? null : '/'));
  // What is no character of a URI, half an encoding, or an encoded separator or NUL.
  if (path === null || /[^\x21-\x7e]|[\\"<>^`{|}]|%(?![0-9a-f]{2})|%(?:2f|5c|00)/i.test(path)) return null;
  const decoded = path.replace(/%([0-9a-f]{2})/gi, (written, hex: string) => {
    const mark = String.fromCharCode(Number.parseInt(hex, 16));
    return UNRESERVED.test(mark) ? mark : written.toUpperCase();
  });
  const plain = withoutDots(decoded).replace(/^\/v1(?=\/|$)/, '');
  if (/\/\//.test(plain)) return null;
  return plain.startsWith('/console') ? plain : plain.replace(/(?<=.)\/$/, '') || '/';
};

const isPath = (row: Row, path: string): boolean => {
  const asked = row.path.replace(/(?<=.)\/$/, '');
  if (asked === path || row.path === path) return true;
  const name = asked.endsWith(`/${ANY}`) && path.startsWith(asked.slice(0, -1)) ? path.slice(asked.length - 1) : '';
  return name !== '' && !name.includes('/');
};

/** The row that a method and a path mean. A known name comes before the names that nobody knows. */
export const rowOf = (rows: readonly Row[], method: string, path: string): Row | undefined =>
  rows.find((row) => row.method === (method === 'HEAD' ? 'GET' : method) && isPath(row, path));
