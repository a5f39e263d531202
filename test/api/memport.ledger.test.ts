/** The list of ledger entries: a client can verify the chain with it, and each credential sees the documents it may read. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { canonicalJson } from '../../src/domain/record/canonical-json.ts';
import { createLedgerPages } from '../../src/memport/ledger-lines.ts';
import type { Caller } from '../../src/domain/access/caller.ts';
import { aKey, anApp, aUser, type Client, type TestApp, type TestUser } from '../support/app.ts';

let app: TestApp;
let user: TestUser;
beforeAll(async () => {
  app = await anApp();
  user = await aUser(app);
  await user.post('/memory/push', { traces: [{ uid: 'a', type: 'observation', content: 'x', authored_by: 'Ann' }] });
  await user.patch('/memory/edit', { uid: 'a', updates: { content: 'y' } }).expect(200);
  await user.post('/agent/plan', { actions: [{ action_type: 'log', title: 'Mine' }] }).expect(200);
  await user.agent.post('/agent/plan', { actions: [{ action_type: 'log', title: 'Its' }] }).expect(200);
  const event = { uid: 'e', title: 'Tea', scheduled_for: '2026-12-01T10:00', duration_minutes: 30 };
  await user.post('/calendar/create', event).expect(201);
});
afterAll(() => app.close());

type Line = Record<string, unknown> & {
  seq: number;
  subject: string;
  subject_uid?: string;
  payload?: Record<string, unknown>;
  hash: string;
  by: { label: string };
};

const all = async (who: Client, query = '', limit = 3): Promise<Line[]> => {
  const found: Line[] = [];
  for (let path = `/memport/ledger?limit=${limit}${query}`; path;) {
    const answer = await who.get(path).expect(200);
    found.push(...answer.body);
    path = /<([^>]+)>/.exec(answer.headers['link'] ?? '')?.[1] ?? '';
  }
  return found;
};

const sha256 = async (...parts: Uint8Array<ArrayBuffer>[]): Promise<string> =>
  Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.concat(parts))).toString('hex');
const bytes = (text: string) => new TextEncoder().encode(text);

test('lets a client verify the chain with WebCrypto, newest first', async () => {
  const lines = await all(user);
  expect(lines.map((l) => l.seq)).toEqual(Array.from(lines, (_, i) => lines.length - i));
  for (const [i, { hash, by: _, subject_uid = '', payload, ...hashed }] of lines.entries()) {
    const before = lines[i + 1]?.hash ?? '0'.repeat(64);
    expect(await sha256(bytes(subject_uid))).toBe(hashed['subject_digest']);
    expect(await sha256(bytes(canonicalJson(payload)))).toBe(hashed['payload_hash']);
    expect(await sha256(Uint8Array.from(Buffer.from(before, 'hex')), bytes(canonicalJson(hashed)))).toBe(hash);
  }
  const { body } = await user.get('/debug/audit').expect(200);
  expect(body.head).toMatchObject({ seq: lines[0]?.seq, hash: lines[0]?.hash });
});

test('filters by subject, uid and actor, and looks back', async () => {
  expect((await all(user, '&subject=event')).map((l) => l.subject_uid)).toEqual(['e']);
  expect((await all(user, '&uid=a')).map((l) => [l['kind'], l['version']])).toEqual([
    ['trace.updated', 2],
    ['trace.created', 1],
  ]);
  const actor = String(
    (await all(user, '&subject=trace')).find((l) => String(l['actor']).startsWith('agent:'))?.['actor'],
  );
  const its = await all(user, `&actor=${actor}`);
  expect(its.length).toBeGreaterThan(0);
  expect(new Set(its.map((l) => l.by.label))).toEqual(new Set(['agent']));
  expect((await all(user, '&as_of=3')).map((l) => l.seq)).toEqual([3, 2, 1]);
  expect(await all(await aUser(app), '&uid=a')).toEqual([]);
  await user.get('/memport/ledger?subject=nothing').expect(422);
});

test('shows documents and uids only where the credential may read them, and blanks what it may not see', async () => {
  const lines = await all(await aKey(app, user, 'user', ['export:read']), '', 100);
  const of = (subject: string) => lines.filter((l) => l.subject === subject);
  for (const subject of ['event', 'profile', 'key'])
    for (const line of of(subject)) {
      expect(line).not.toHaveProperty('payload');
      expect(line).not.toHaveProperty('subject_uid');
    }
  expect(of('trace')[0]?.payload).toBeDefined();
  expect(JSON.stringify(lines)).not.toContain('Ann');
});

test('looks at a bounded number of entries for a page, and continues after them', async () => {
  const ledgerPage = createLedgerPages({ db: app.database.handle.db, mostExamined: 2 });
  const caller = { user_id: user.user_id, scopes: new Set(['export:read', 'export:sensitive']) } as unknown as Caller;
  const asker = { user_id: user.user_id, zone: 'UTC', now: app.clock.now() };
  const found: string[] = [];
  let pages = 0;
  for (let below: { at: number; seq: number } | undefined; ; pages++) {
    const page = await ledgerPage(caller, asker, { subject: 'profile', limit: 10 }, below);
    found.push(...page.items.map((l) => l.kind));
    if (page.next === null) break;
    below = { at: page.at, seq: page.next };
  }
  expect(found).toEqual(['profile.created']);
  expect(pages).toBeGreaterThan(2);
});
