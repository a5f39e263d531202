/** A calendar program's side of WebDAV, for tests. */
import { childOf, childrenOf, D, named, parsingXml, type Element } from '../../src/dav/xml.ts';
import { aUser, type TestApp, type TestUser } from './app.ts';

export const parseXml = (text: string): Element => {
  const steps = parsingXml(text);
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
};

export type DavAnswer = { status: number; headers: Headers; text: string };

/** One `response` of a multistatus: its status, or its properties by local name (with their XML children). */
export type DavResponse = { href: string; status: string | null; found: Record<string, Element>; missing: string[] };

const local = (name: string): string => name.replace(/^\{[^}]*\}/, '');

export const responsesIn = (text: string): DavResponse[] =>
  childrenOf(parseXml(text), named(D, 'response')).map((response) => {
    const stats = childrenOf(response, named(D, 'propstat'));
    const of = (code: string) =>
      stats
        .filter((stat) => childOf(stat, named(D, 'status'))?.text.includes(` ${code} `))
        .flatMap((stat) => childOf(stat, named(D, 'prop'))?.children ?? []);
    return {
      href: childOf(response, named(D, 'href'))?.text ?? '',
      status: childOf(response, named(D, 'status'))?.text ?? null,
      found: Object.fromEntries(of('200').map((property) => [local(property.name), property])),
      missing: of('404').map(({ name }) => local(name)),
    };
  });

export const syncTokenIn = (text: string): string => childOf(parseXml(text), named(D, 'sync-token'))?.text ?? '';

/** The preconditions that an error names. */
export const preconditionsIn = (text: string): string[] => parseXml(text).children.map(({ name }) => local(name));

export const davClient = (app: { url: string }, email: string, key: string) => {
  const Authorization = `Basic ${Buffer.from(`${email}:${key}`).toString('base64')}`;
  return async (
    method: string,
    path: string,
    body?: string | Uint8Array<ArrayBuffer>,
    headers: Record<string, string> = {},
  ): Promise<DavAnswer> => {
    const init = { method, headers: { Authorization, ...headers }, redirect: 'manual' as const };
    const answer = await fetch(app.url + path, body === undefined ? init : { ...init, body });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };
};

export type DavClient = ReturnType<typeof davClient>;

export type DavUser = TestUser & {
  dav: DavClient;
  key: string;
  calendar: string;
  proposals: string;
  with: (scopes: string[], kind?: 'user' | 'agent') => Promise<DavClient>;
};

/** A person with a calendar program. */
export const aDavUser = async (app: TestApp): Promise<DavUser> => {
  const user = await aUser(app);
  const keyOf = async (kind: string, scopes?: string[]): Promise<string> =>
    (await user.post('/user/keys', { kind, label: kind, ...(scopes ? { scopes } : {}) }).expect(201)).body.key;
  const key = await keyOf('user');
  const home = `/dav/calendars/${user.user_id}`;
  return {
    ...user,
    key,
    dav: davClient(app, user.email, key),
    calendar: `${home}/calendar/`,
    proposals: `${home}/agent-plan/`,
    with: async (scopes, kind = 'user') => davClient(app, user.email, await keyOf(kind, scopes)),
  };
};

/** A calendar file around lines. */
export const fileOf = (...lines: string[]): string =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//test//EN', ...lines, 'END:VCALENDAR', ''].join('\r\n');

/** A VEVENT. A property that is given replaces the one that it has otherwise. */
export const vevent = (uid: string, ...own: string[]): string[] => {
  const usual = ['DTSTAMP:20261101T090000Z', 'DTSTART:20261203T140000Z', 'DURATION:PT30M', 'SUMMARY:Dentist'];
  const name = (line: string): string => line.split(/[:;]/)[0] ?? '';
  const inner = own.findIndex((line) => line.startsWith('BEGIN:'));
  const names = (inner < 0 ? own : own.slice(0, inner)).map(name);
  const rest = usual.filter(
    (line) => !names.includes(name(line)) && !(names.includes('DTEND') && name(line) === 'DURATION'),
  );
  return ['BEGIN:VEVENT', `UID:${uid}`, ...rest, ...own, 'END:VEVENT'];
};

export const CALENDAR = { 'Content-Type': 'text/calendar; charset=utf-8' };
export const XML = { 'Content-Type': 'application/xml; charset=utf-8' };
