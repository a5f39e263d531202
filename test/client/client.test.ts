/** The client against the real service, over a network that fails. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { AlmanacProblem, createClient } from '../../src/client/almanac-client.ts';
import { anApp, type TestApp, type TestUser } from '../support/app.ts';
import { aConnection, type Connection } from '../support/client-connection.ts';

let app: TestApp;
let user: TestUser;
let proxy: Connection['proxy'];
let connect: Connection['connect'];
beforeAll(async () => {
  app = await anApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  ({ user, proxy, connect } = await aConnection(app));
});
afterEach(() => proxy.close());

const note = (uid: string) => ({ uid, type: 'observation', content: `Note ${uid}.` });
const notes = (count: number, name = 'n') => Array.from({ length: count }, (_, i) => note(`${name}${i}`));

/** Sends through `fetch` and keeps what was sent. */
const listening = (answers: (Response | Error | undefined)[] = []) => {
  const sent: { path: string; key: string | null; token: string | null }[] = [];
  const listen: typeof fetch = async (input, init) => {
    const { url, headers } = input as Request;
    const { pathname } = new URL(url);
    sent.push({ path: pathname, key: headers.get('Idempotency-Key'), token: headers.get('Authorization') });
    const answer = answers.shift();
    if (answer instanceof Error) throw answer;
    return answer ?? fetch(input, init);
  };
  return { sent, fetch: listen };
};

/** @returns the problem with which a promise is rejected */
const problemFrom = async (promise: Promise<unknown>): Promise<AlmanacProblem> => {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof AlmanacProblem) return error;
  throw new Error(`no problem but ${String(error)}`);
};

describe('operations', () => {
  test('send and answer what openapi.yaml says', async () => {
    const client = connect();
    const [saved] = await client.memory.push({ traces: [note('a')] });
    expect(saved).toMatchObject({ uid: 'a', version: 1 });
    const edited = await client.memory.edit({ uid: 'a', updates: { content: 'Changed.' } }, { ifMatch: 1 });
    expect(edited).toMatchObject({ content: 'Changed.', version: 2 });
    const stale = client.memory.edit({ uid: 'a', updates: { content: 'Late.' } }, { ifMatch: 1 });
    expect((await problemFrom(stale)).status).toBe(412);
    await client.calendar.create({ title: 'Talk', scheduled_for: '2026-11-24T10:00', duration_minutes: 30 });
    const file = await client.calendar.exportIcs();
    expect(file).toContain('SUMMARY:Talk');
    const report = await client.calendar.importIcs({
      body: file.replace(/UID:.*/, 'UID:other'),
      timezone: 'Europe/Berlin',
    });
    expect(report).toMatchObject({ created: 1 });
    expect(await client.memory.remove({ uid: 'a' })).toMatchObject({ uid: 'a' });
    expect((await client.system.version()).name).toBe('almanac');
    const archive = await client.user.archive();
    expect(new Uint8Array(await archive.arrayBuffer()).subarray(0, 2)).toEqual(new Uint8Array([0x50, 0x4b]));
    const { data } = await client.http.GET('/tempo/profile');
    expect(data?.timezone).toBe('Europe/Berlin');
  });

  test('walk over all pages, or read one', async () => {
    const client = connect();
    await client.memory.push({ traces: notes(25) });
    const found: string[] = [];
    for await (const { uid } of client.memory.pull({ limit: 10, order: 'asc' })) found.push(uid);
    expect(found).toHaveLength(25);
    expect(new Set(found).size).toBe(25);
    const walk = client.memory.pull({ limit: 10 });
    const first = await walk.page();
    const second = await walk.page(first.cursor as string);
    expect([first.items.length, second.items.length]).toEqual([10, 10]);
    expect(second.items[0]?.uid).not.toBe(first.items[0]?.uid);
    expect(first.total).toBeNull();
    expect((await client.memory.pull({ limit: 10 }, { count: true }).page()).total).toBe(25);
    expect(
      await client.memport.results({ export_format: 'full', user_id: user.user_id, limit: 10 }).all(),
    ).toHaveLength(25);
    expect(await client.memory.search({ query: 'note', limit: 7 }).all()).toHaveLength(25);
    expect(await client.debug.traceDump({ limit: 10 }).all()).toHaveLength(25);
  });

  test('fail with one class of error', async () => {
    const problem = await problemFrom(connect().memory.push({ traces: [{ type: '!', content: '' }] }));
    expect(problem).toMatchObject({ status: 422, code: 'invalid_request', name: 'AlmanacProblem' });
    expect(problem.errors.map(({ path }) => path)).toEqual(['/traces/0/type', '/traces/0/content']);
    expect(problem.request_id).toMatch(/^[\w-]+$/);
    expect(problem.message).toBe(problem.problem.detail);
    const html = listening([new Response('<h1>It works</h1>', { status: 404 })]);
    expect(await problemFrom(connect({ fetch: html.fetch }).tempo.profile())).toMatchObject({
      ...{ status: 404, code: 'unexpected_answer', request_id: null },
    });
    await proxy.close();
    const silent = await problemFrom(connect({ retryFor: 0 }).tempo.profile());
    expect(silent).toMatchObject({ status: 0, code: 'unreachable' });
  });

  test.each(['127.0.0.1:8080', 'localhost:8080', 'almanac.example.org', '/api', ''])(
    'of the url “%s” say so',
    (url) => {
      const open = (): unknown => createClient({ url, credential: 'a-key' });
      expect(open).toThrow(AlmanacProblem);
      expect(open).toThrow(`url: ${url} is not the address of a service. Write it with its scheme`);
    },
  );

  test('are none where it is cancelled: that is an AbortError or a TimeoutError, as the README says', async () => {
    const cancelled = new AbortController();
    cancelled.abort();
    const reasons = [cancelled.signal, AbortSignal.timeout(0)].map(async (signal) => {
      await sleep(20);
      return connect()
        .tempo.profile({}, { signal })
        .catch((error: Error) => error.name);
    });
    expect(await Promise.all(reasons)).toEqual(['AbortError', 'TimeoutError']);
    const readme = readFileSync(join(import.meta.dirname, '../../src/client/README.md'), 'utf8');
    expect(readme).toMatch(/an `AbortError` after `abort\(\)`, a `TimeoutError` after/);
  });

  test('can be cancelled', async () => {
    const signal = AbortSignal.timeout(50);
    const client = connect();
    const { position } = await client.agent.changes();
    await expect(client.agent.changes({ after: position, wait: 25 }, { signal })).rejects.toThrow(
      signal.reason as Error,
    );
    await expect(client.memory.pull({}, { signal }).all()).rejects.toBe(signal.reason);
    proxy.setDown(true);
    proxy.cut();
    const late = AbortSignal.timeout(50);
    await expect(client.tempo.profile({}, { signal: late })).rejects.toThrow(late.reason as Error);
  });
});

describe('retries', () => {
  const busy = (status: number, wait = '0') =>
    new Response('{}', { status, headers: { 'Retry-After': wait, 'Content-Type': 'application/problem+json' } });

  test('of a write share one Idempotency-Key, which another write does not have', async () => {
    const { sent, fetch } = listening([busy(503), busy(429), new TypeError('fetch failed'), busy(502)]);
    const client = connect({ fetch });
    await client.memory.push({ traces: [note('a')] });
    await client.memory.push({ traces: [note('b')] });
    const keys = sent.map(({ key }) => key);
    expect(keys).toHaveLength(6);
    expect(new Set(keys.slice(0, 5)).size).toBe(1);
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(keys[5]).not.toBe(keys[0]);
  });

  test('have an effect once where answers are lost', async () => {
    const client = connect();
    const before = (await client.agent.changes()).seq;
    proxy.loseAnswers(2);
    const [saved] = await client.memory.push({ traces: [{ type: 'observation', content: 'Once.' }] });
    expect(proxy.cuts()).toBe(2);
    expect((await client.agent.changes()).seq).toBe(before + 1);
    expect(saved?.seq).toBe(before + 1);
  });

  test('outlast an outage', async () => {
    proxy.setDown(true);
    proxy.cut();
    setTimeout(() => proxy.setDown(false), 600);
    expect(await connect().memory.push({ traces: [note('a')] })).toHaveLength(1);
  });

  test('end where another try changes nothing, or time is up', async () => {
    const refused = listening();
    await problemFrom(connect({ fetch: refused.fetch }).memory.history({ uid: 'nothing' }).all());
    expect(refused.sent).toHaveLength(1);
    const late = listening([busy(429, '60')]);
    expect(await problemFrom(connect({ fetch: late.fetch, retryFor: 5_000 }).tempo.profile())).toMatchObject({
      ...{ status: 429, retryAfter: 60_000 },
    });
    expect(late.sent).toHaveLength(1);
    const account = { email: 'once@example.org', password: 'correct horse battery' };
    const once = listening([new TypeError('fetch failed')]);
    await problemFrom(connect({ fetch: once.fetch }).user.register(account));
    expect(once.sent).toHaveLength(1);
  });

  test('give up a try without an answer', async () => {
    const { sent, fetch } = listening();
    const client = connect({ fetch });
    const { position } = await client.agent.changes();
    const waiting = client.agent.changes({ after: position, wait: 25 }, { timeout: 100, retryFor: 500 });
    expect(await problemFrom(waiting)).toMatchObject({ status: 0, code: 'unreachable' });
    expect(sent.length).toBeGreaterThan(2);
  });
});

describe('a login', () => {
  test('signs in at the first request, and refreshes once for all requests that need it', async () => {
    const { sent, fetch } = listening();
    const { email, password } = user;
    const sessions: string[] = [];
    const client = connect({
      fetch,
      credential: { email, password, onSession: ({ refresh_token }) => void sessions.push(refresh_token) },
    });
    await client.system.health();
    await Promise.all([client.tempo.profile(), client.user.profile()]);
    const paths = (): string[] => sent.splice(0).map(({ path }) => path);
    expect(paths().filter((path) => path.startsWith('/user/log'))).toEqual(['/user/login']);
    app.clock.advance(61 * 60_000);
    await Promise.all(Array.from({ length: 8 }, () => client.tempo.profile()));
    expect(paths().filter((path) => path === '/user/refresh')).toHaveLength(1);
    expect(new Set(sessions).size).toBe(2);
    await client.tempo.profile();
    expect(paths()).toEqual(['/tempo/profile']);
  });

  test('signs in again with the password where the refresh token was used up', async () => {
    const { sent, fetch } = listening();
    const { email, password } = user;
    const client = connect({ fetch, credential: { email, password } });
    await client.tempo.profile();
    await client.user.logout({});
    await client.tempo.profile();
    expect(sent.map(({ path }) => path).slice(-4)).toEqual([
      ...['/tempo/profile', '/user/refresh', '/user/login', '/tempo/profile'],
    ]);
  });

  test('survives the loss of the answer of a refresh', async () => {
    const { sent, fetch } = listening();
    let lost = 0;
    const losing: typeof globalThis.fetch = async (request, init) => {
      const answer = await fetch(request, init);
      if (!new URL((request as Request).url).pathname.endsWith('/refresh') || lost++) return answer;
      throw new TypeError('fetch failed');
    };
    const { refresh_token } = await connect().user.login({ email: user.email, password: user.password });
    const client = connect({ fetch: losing, credential: { refresh_token } });
    await client.tempo.profile();
    expect(sent.map(({ path }) => path)).toEqual(['/user/refresh', '/user/refresh', '/tempo/profile']);
  });

  test('continues from a stored refresh token, and ends with it', async () => {
    const sessions: string[] = [];
    const onSession = ({ refresh_token }: { refresh_token: string }) => void sessions.push(refresh_token);
    const first = connect({ credential: { refresh_token: user.refresh_token, onSession } });
    await first.tempo.profile();
    const again = connect({ credential: { refresh_token: sessions[0] as string } });
    await again.tempo.profile();
    await again.user.logout({});
    expect(await problemFrom(again.tempo.profile())).toMatchObject({ status: 401, code: 'unauthenticated' });
    expect(await problemFrom(again.tempo.profile())).toMatchObject({ status: 401 });
  });

  test('can be any function that answers tokens', async () => {
    const tokens = ['wrong', user.token as string];
    const client = connect({ credential: () => tokens.shift() ?? 'none' });
    expect((await client.tempo.profile()).timezone).toBe('Europe/Berlin');
    const problem = await problemFrom(connect({ credential: 'wrong' }).tempo.profile());
    expect(problem.status).toBe(401);
  });
});

describe('the streamed reply', () => {
  const prompt = 'Plan 90 minutes of deep work on #thesis tomorrow morning';

  test('comes in pieces, and whole in the end', async () => {
    const client = connect();
    const stream = client.chat.respond({ prompt, stream: true });
    let text = '';
    let pieces = 0;
    for await (const piece of stream) {
      text += piece;
      pieces++;
    }
    const whole = await stream.final();
    expect(pieces).toBeGreaterThan(3);
    expect(text).toBe(whole.reply);
    expect(whole.plans).toHaveLength(1);
    expect((await client.chat.respond({ prompt: 'What is on tomorrow?', stream: true }).final()).reply).not.toBe('');
    expect((await client.chat.respond({ prompt: 'What is on tomorrow?' })).plans).toEqual([]);
  });

  test('fails with a problem where it is refused or ends early', async () => {
    const refused = connect().chat.respond({ prompt: '', stream: true });
    expect((await problemFrom(refused.final())).errors[0]?.path).toBe('/prompt');
    const cut = () =>
      new Response('event: delta\ndata: {"text":"Half"}\n\nevent: del', {
        headers: { 'Content-Type': 'text/event-stream' },
      });
    const { sent, fetch } = listening([cut(), cut(), cut(), cut()]);
    const stream = connect({ fetch }).chat.respond({ prompt, stream: true });
    const heard: string[] = [];
    const reading = (async () => {
      for await (const piece of stream) heard.push(piece);
    })();
    expect(await problemFrom(reading)).toMatchObject({ code: 'unreachable' });
    expect(heard).toEqual(['Half']);
    expect((await problemFrom(stream.final())).code).toBe('unreachable');
    expect(new Set(sent.map(({ key }) => key)).size).toBe(1);
  });

  test('ends with another reply than it began with, where prose was not accepted as a whole', async () => {
    const events = [
      ['delta', { text: 'The kitchen is grey [1].' }],
      ['done', { reply: 'This is what I found.' }],
    ];
    const body = events.map(([name, data]) => `event: ${name as string}\ndata: ${JSON.stringify(data)}\n\n`).join('');
    const { fetch } = listening([new Response(body, { headers: { 'Content-Type': 'text/event-stream' } })]);
    const stream = connect({ fetch }).chat.respond({ prompt, stream: true });
    expect(await Array.fromAsync(stream)).toEqual(['The kitchen is grey [1].']);
    expect((await stream.final()).reply).toBe('This is what I found.');
  });

  test('is read across U+2028 and U+2029, which end no line of an event', async () => {
    const reply = 'The kitchen is grey [1].\u2028The tiles\u2029are old [1].';
    const body = `event: delta\ndata: ${JSON.stringify({ text: reply })}\n\nevent: done\ndata: ${JSON.stringify({ reply })}\n\n`;
    const { fetch } = listening([new Response(body, { headers: { 'Content-Type': 'text/event-stream' } })]);
    const stream = connect({ fetch }).chat.respond({ prompt, stream: true });
    expect(await Array.fromAsync(stream)).toEqual([reply]);
    expect((await stream.final()).reply).toBe(reply);
  });

  test('goes on where its connection broke, and plans only once', async () => {
    const { sent, fetch } = listening();
    let broken = false;
    /** Gives the first pieces of the first answer only. */
    const breaking: typeof globalThis.fetch = async (request, init) => {
      const answer = await fetch(request, init);
      if (broken || !answer.headers.get('Content-Type')?.includes('event-stream')) return answer;
      broken = true;
      const text = await answer.text();
      return new Response(text.slice(0, text.indexOf('event: delta', text.length / 4)), answer);
    };
    const stream = connect({ fetch: breaking }).chat.respond({ prompt: 'Log that the roof is dry', stream: true });
    let text = '';
    for await (const piece of stream) text += piece;
    const whole = await stream.final();
    expect(broken).toBe(true);
    expect(text).toBe(whole.reply);
    expect(whole.plans).toHaveLength(1);
    const asked = sent.filter(({ path }) => path === '/chat/respond');
    expect(asked.length).toBeGreaterThan(1);
    const queue = await connect().agent.queue({ status: 'all', limit: 100 }).all();
    expect(queue.filter(({ uid }) => uid === whole.plans[0]?.uid)).toHaveLength(1);
    expect(queue.filter(({ title }) => title === whole.plans[0]?.title)).toHaveLength(1);
  });
});
