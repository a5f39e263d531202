/** A client as plain as can be: one request, one answer; and people to send them. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

/** A problem body stands where an answer is refused. */
// oxlint-disable-next-line typescript/no-explicit-any -- bodies are looked at by those who know the route
export type Answer = { status: number; body: any; headers: Headers };
export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';
export type Sent = { method: Method; path: string; body?: unknown; headers?: Record<string, string> };

const PATIENCE_MS = 120_000;

/** @throws where there is no whole answer */
export const call = async (url: string, token: string, { method, path, body, headers }: Sent): Promise<Answer> => {
  const response = await fetch(url + path, {
    method,
    headers: {
      Authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  const text = await response.text();
  const json = response.headers.get('content-type')?.includes('json') ?? false;
  return { status: response.status, headers: response.headers, body: json ? JSON.parse(text) : text };
};

/** As call, for requests that have to work. */
export const ok = async (url: string, token: string, sent: Sent): Promise<Answer> => {
  const answer = await call(url, token, sent);
  if (answer.status < 300) return answer;
  throw new Error(`${sent.method} ${sent.path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
};

const AGAIN_MS = 50;

/** The same request again until there is an answer: after lost connections, and while the database is away. */
export const insist = async (url: string, token: string, sent: Sent): Promise<Answer & { tries: number }> => {
  for (let tries = 1; ; tries++) {
    const answer = await call(url, token, sent).catch(() => null);
    if (answer && answer.status !== 503) return { ...answer, tries };
    await sleep(AGAIN_MS * (1 + Math.random())); // chance decides only when
  }
};

export const get = (path: string): Sent => ({ method: 'GET', path });
export const post = (path: string, body: unknown, headers: Record<string, string> = {}): Sent => ({
  method: 'POST',
  path,
  body,
  headers,
});
export const patch = (path: string, body: unknown, headers: Record<string, string> = {}): Sent => ({
  method: 'PATCH',
  path,
  body,
  headers,
});

export type Person = { user_id: string; key: string; agent: string };

/** Registers a person, with a key of their own and one for an agent. */
export const aPerson = async (url: string, timezone = 'Europe/Berlin'): Promise<Person> => {
  const registration = { email: `${randomUUID()}@example.org`, password: 'correct horse battery', timezone };
  const { body } = await ok(url, '', post('/user/register', registration));
  const key = async (kind: string): Promise<string> =>
    (await ok(url, body.token, post('/user/keys', { kind, label: 'trial' }))).body.key;
  return { user_id: body.user.user_id, key: await key('user'), agent: await key('agent') };
};

/** All pages of a list. */
export const walk = async <T>(url: string, token: string, path: string): Promise<T[]> => {
  const all: T[] = [];
  for (let next: string | undefined = path; next;) {
    const { body, headers }: Answer = await ok(url, token, get(next));
    all.push(...(body as T[]));
    next = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
  }
  return all;
};

/** A realtime message, as on the socket. */
export type Change = {
  sequence: number;
  type: string;
  subject: string;
  data: Record<string, unknown> & { version: number };
};

/** Every change a credential may see, after a seq. */
export const changesAfter = async (url: string, token: string, after: number): Promise<Change[]> => {
  const all: Change[] = [];
  for (let seq = after; ;) {
    const { body } = await ok(url, token, get(`/agent/changes?after=${seq}&limit=1000`));
    all.push(...(body.changes as Change[]));
    if (body.seq === seq) return all;
    seq = body.seq;
  }
};

export const audit = async (url: string, people: { user_id: string; key: string }[]): Promise<string[]> => {
  const broken: string[] = [];
  for (const { user_id, key } of people) {
    const { body } = await ok(url, key, get('/debug/audit'));
    if (!body.ok) broken.push(`ledger of ${user_id}: ${JSON.stringify(body.first_bad)}`);
  }
  return broken;
};
