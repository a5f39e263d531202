/** Lists of large things: a page ends before it is too large, and a walk still tells each of them once. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { PAGE_BYTES } from '../../src/db/row-pages.ts';
import { anApp, aUser, type TestApp, type TestUser } from '../support/app.ts';

/** Traces, versions, plans and events, each of them so large that no page holds all. */
const COUNT = 40;
const LONG = 'tide '.repeat(20_000); // 100,000 characters, as many as a content may have

let app: TestApp;
let user: TestUser;
let uids: string[];
beforeAll(async () => {
  app = await anApp({ overrides: { checkAnswers: false } });
  user = await aUser(app);
  uids = Array.from({ length: COUNT }, (_, i) => `large-${String(i).padStart(2, '0')}`);
  for (let done = 0; done < COUNT; done += 8) {
    const traces = uids
      .slice(done, done + 8)
      .map((uid) => ({ uid, type: 'observation', content: LONG, tags: ['sea'] }));
    await user.post('/memory/push', { traces }).expect(201);
  }
  for (let version = 0; version < COUNT; version++)
    await user.patch('/memory/edit', { uid: 'large-00', updates: { content: `${version} ${LONG}`.slice(0, 100_000) } });
  for (let i = 0; i < COUNT; i++) {
    const action = { action_type: 'log', title: `Note ${i}`, content: LONG, scheduled_for: '2026-12-01T10:00' };
    await user.post('/agent/plan', { actions: [{ ...action, uid: `plan-${i}` }] }).expect(200);
  }
  const description = LONG.slice(0, 50_000);
  const event = { title: 'Ebb', duration_minutes: 30, description };
  for (let i = 0; i < 2 * COUNT; i++)
    await user.post('/calendar/create', { ...event, uid: `e${i}`, scheduled_for: '2026-11-22T10:00' }).expect(201);
  await user.post('/calendar/create', { ...event, scheduled_for: '2026-11-22T07:00', rrule: 'FREQ=DAILY' }).expect(201);
});
afterAll(() => app.close());

type Got = { status: number; text: string; body: unknown; headers: Record<string, string> };
type Ask = (address: string) => Promise<Got>;
const get: Ask = (address) => user.get(address);

/** Every page of a list, followed by its Link. */
const pagesOf = async (first: string, ask: Ask = get): Promise<Got[]> => {
  const pages: Got[] = [];
  for (let next: string | undefined = first; next;) {
    const page = await ask(next);
    expect(page.status, page.text.slice(0, 300)).toBe(200);
    pages.push(page);
    next = /<([^>]+)>; rel="next"/.exec(page.headers['link'] ?? '')?.[1];
  }
  return pages;
};

/** An answer may say a little more than its documents; history tells beside each what it changed, which may be all of it. */
const sizesOf = (pages: Got[]): number[] => pages.map((page) => Buffer.byteLength(page.text));
const A_LITTLE = 400_000;

type Item = { uid: string; version?: number };
const itemsOf = (pages: Got[]): Item[] =>
  pages.flatMap(({ body }) => (Array.isArray(body) ? body : (body as { traces: Item[] }).traces) as Item[]);

describe('pages by bytes', () => {
  test.each(['', '&order=asc', '&as_of=2026-11-21T09:00:00Z', '&tag=sea'])('of pull%s', async (query) => {
    const pages = await pagesOf(`/memory/pull?limit=1000&type=observation${query}`);
    expect(pages.length).toBeGreaterThan(1);
    expect(Math.max(...sizesOf(pages))).toBeLessThan(PAGE_BYTES + A_LITTLE);
    const told = itemsOf(pages).map(({ uid }) => uid);
    expect(told.filter((uid) => uids.includes(uid)).toSorted()).toEqual(uids);
  });

  test('of history', async () => {
    const pages = await pagesOf('/memory/history?uid=large-00&limit=1000');
    expect(pages.length).toBeGreaterThan(1);
    expect(Math.max(...sizesOf(pages))).toBeLessThan(2 * PAGE_BYTES + A_LITTLE);
    const entries = itemsOf(pages) as unknown as { version: number; changes: unknown[] }[];
    expect(entries.map(({ version }) => version)).toEqual(Array.from({ length: COUNT + 1 }, (_, i) => COUNT + 1 - i));
    expect(entries.filter(({ changes }) => !changes.length).map(({ version }) => version)).toEqual([1]);
  });

  test('of the queue', async () => {
    const pages = await pagesOf('/agent/queue?limit=1000');
    expect(pages.length).toBeGreaterThan(1);
    expect(Math.max(...sizesOf(pages))).toBeLessThan(PAGE_BYTES + A_LITTLE);
    expect(new Set(itemsOf(pages).map(({ uid }) => uid)).size).toBe(COUNT);
    expect(itemsOf(pages)).toHaveLength(COUNT);
  });

  test('of the trace dump', async () => {
    const pages = await pagesOf('/debug/trace-dump', (address) =>
      user.post(address, { limit: 1000, type: 'observation' }),
    );
    expect(pages.length).toBeGreaterThan(1);
    expect(Math.max(...sizesOf(pages))).toBeLessThan(PAGE_BYTES + A_LITTLE);
    expect(itemsOf(pages).filter(({ uid }) => uids.includes(uid))).toHaveLength(COUNT);
  });

  test('of a search', async () => {
    const pages = await pagesOf('/memory/search', (address) =>
      user.post(address, { query: 'tide', type: 'observation', tags: ['sea'], limit: 100 }),
    );
    expect(pages.length).toBeGreaterThan(1);
    const told = itemsOf(pages).map(({ uid }) => uid);
    expect(told.toSorted()).toEqual(uids);
  });

  test('of events, and of what happens in a series', async () => {
    const pages = await pagesOf('/calendar/events?start=2026-11-22&end=2027-11-21&limit=1000');
    expect(Math.max(...sizesOf(pages))).toBeLessThan(PAGE_BYTES + A_LITTLE);
    const events = itemsOf(pages) as unknown as { uid: string; recurrence_id: string | null }[];
    expect(events.filter((event) => event.recurrence_id === null)).toHaveLength(2 * COUNT);
    expect(new Set(events.flatMap((event) => event.recurrence_id ?? [])).size).toBe(365);
    expect(events).toHaveLength(2 * COUNT + 365);
  });

  test('of changes, polled and on the socket', async () => {
    const { body: dump } = await user.post('/debug/trace-dump', { limit: 1 }).expect(200);
    const head = dump.metadata.seq as number;
    const polled: number[] = [];
    for (let after = 0; after < head;) {
      const { body, text } = await user.get(`/agent/changes?after=${after}&limit=1000`).expect(200);
      expect(Buffer.byteLength(text)).toBeLessThan(PAGE_BYTES + A_LITTLE);
      polled.push(...body.changes.map((c: { sequence: number }) => c.sequence));
      expect(body.seq).toBeGreaterThan(after);
      after = body.seq;
    }
    const pushed: number[] = [];
    const socket = new WebSocket(`${app.url.replace('http', 'ws')}/ws`, {
      headers: { Authorization: `Bearer ${user.token}` },
    });
    await new Promise<void>((resolve, reject) => {
      socket.on('open', () => socket.send(JSON.stringify({ subscribe: { after: 0 } })));
      socket.on('error', reject);
      socket.on('message', (data) => {
        const message = JSON.parse((data as Buffer).toString()) as { sequence?: number; type: string };
        if (message.sequence !== undefined) pushed.push(message.sequence);
        if (message.type === 'synced') resolve();
      });
    });
    socket.close();
    expect(polled.length).toBeGreaterThan(4 * COUNT);
    expect(pushed).toEqual(polled);
  });

  test('an export pages alike', async () => {
    const pages = await pagesOf(
      `/memport/export?user_id=${user.user_id}&export_format=full&limit=1000&type=observation`,
    );
    expect(pages.length).toBeGreaterThan(1);
    expect(Math.max(...sizesOf(pages))).toBeLessThan(PAGE_BYTES + A_LITTLE);
  });
});

test('of history, where what a version changed is many times as large as the trace', async () => {
  const versions = 40;
  await user.post('/memory/push', { traces: [{ uid: 'members', type: 'observation', content: 'x' }] }).expect(201);
  for (let version = 1; version < versions; version++) {
    const metadata = Object.fromEntries(Array.from({ length: 1_500 }, (_, i) => [`m${i}`, (version + i) % 10]));
    await user.patch('/memory/edit', { uid: 'members', updates: { metadata } }).expect(200);
  }
  const pages = await pagesOf('/memory/history?uid=members&limit=1000');
  expect(pages.length).toBeGreaterThan(2);
  expect(Math.max(...sizesOf(pages))).toBeLessThan(PAGE_BYTES + A_LITTLE);
  const told = pages.flatMap(({ body }) => body as { version: number; changes: object[] }[]);
  expect(told.map(({ version }) => version)).toEqual(Array.from({ length: versions }, (_, i) => versions - i));
  expect(told.slice(0, -2).every(({ changes }) => changes.length >= 1_500)).toBe(true);
});

test('summaries of many large traces are made a few at a time', async () => {
  const { body } = await user.post('/chat/trace-summary', { trace_ids: uids, max_token_count: 3_000 }).expect(200);
  expect(body.map((s: Item) => s.uid)).toEqual(uids);
  expect(body.every((s: { summary: string }) => s.summary.length > 0)).toBe(true);
});

test('one thing that is larger than a page is a page', async () => {
  const heir = await aUser(app);
  const links = Array.from({ length: 60_000 }, (_, i) => `${'x'.repeat(90)}${i}`);
  const trace = { uid: 'huge', type: 'observation', content: 'x', timestamp: '2026-11-20T10:00:00Z' };
  const traces = [1, 2, 3].map((n) => ({ ...trace, uid: `huge-${n}`, linked_trace_ids: n === 2 ? links : [] }));
  await heir.post('/memport/import', { traces }).expect(200);
  const pages = await pagesOf('/memory/pull?order=asc', (address) => heir.get(address));
  expect(pages.map((page) => itemsOf([page]).map(({ uid }) => uid))).toEqual([['huge-1'], ['huge-2'], ['huge-3']]);
  const { body } = await heir.get('/memory/history?uid=huge-2').expect(200);
  expect(body).toHaveLength(1);
});
