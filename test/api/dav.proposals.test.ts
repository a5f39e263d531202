/** Proposals in a calendar program: moving edits, confirming approves, deleting rejects, and nothing else decides. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aKey, anApp, type Client, type TestApp } from '../support/app.ts';
import { aDavUser, CALENDAR, preconditionsIn, responsesIn, syncTokenIn, type DavUser } from '../support/dav.ts';
import { multiget, query, sync } from '../support/dav-story.ts';

let app: TestApp;
let user: DavUser;
beforeAll(async () => {
  app = await anApp();
  user = await aDavUser(app);
});
afterAll(() => app.close());

let days = 0;
/** A proposal of the agent on a day of its own. */
const propose = async (more: object = {}) => {
  const day = String((days += 1)).padStart(2, '0');
  const action = { action_type: 'schedule', title: 'Write', reasoning: 'You asked for it.', duration_minutes: 60 };
  const actions = [{ ...action, scheduled_for: `2026-12-${day}T10:00`, ...more }];
  const [plan] = (await user.agent.post('/agent/plan', { actions }).expect(200)).body;
  const path = `${user.proposals}proposal-${plan.uid}.ics`;
  const read = await user.dav('GET', path);
  return { uid: plan.uid as string, path, read, etag: read.headers.get('etag') ?? '', day };
};
const planOf = async (uid: string) => (await user.get(`/agent/plan?uid=${uid}`).expect(200)).body;
const put = (path: string, text: string, etag?: string, dav = user.dav) =>
  dav('PUT', path, text, { ...CALENDAR, ...(etag === undefined ? {} : { 'If-Match': etag }) });

test('a proposal is a tentative event with its reason and without links', async () => {
  const { read } = await propose();
  expect(read.text).toContain('STATUS:TENTATIVE');
  expect(read.text).toContain('You asked for it.');
  expect(read.text).not.toContain('http');
});

test('moving edits it, pins it, and no agent moves it any more', async () => {
  const { uid, path, read, etag, day } = await propose();
  const moved = read.text
    .replaceAll(`202612${day}T09`, `202612${day}T13`)
    .replaceAll(`T10`, 'T14')
    .replaceAll('T110000', 'T150000');
  expect((await put(path, moved, etag)).status).toBe(204);
  const plan = await planOf(uid);
  expect(plan).toMatchObject({ status: 'proposed', pinned: true });
  expect(plan.scheduled_for.slice(0, 10)).toBe(`2026-12-${day}`);
  expect(plan.scheduled_for).not.toContain('T09:');
  const later = { uid, updates: { scheduled_for: `2026-12-${day}T18:00` } };
  expect((await user.agent.patch('/memory/edit', later).expect(403)).body.code).toBe('time_pinned');
  expect((await user.agent.patch('/memory/edit', { uid, updates: { pinned: false } }).expect(403)).body.code).toBe(
    'time_pinned',
  );
  await user.agent.patch('/memory/edit', { uid, updates: { reasoning: 'Another reason.' } }).expect(200);
  await user.patch('/memory/edit', { uid, updates: { pinned: false } }).expect(200);
  await user.agent.patch('/memory/edit', later).expect(200);
  // A stale tag decides nothing.
  for (const text of [moved, read.text.replace('TENTATIVE', 'CONFIRMED')])
    expect((await put(path, text, etag)).status).toBe(412);
  expect((await user.dav('DELETE', path, undefined, { 'If-Match': etag })).status).toBe(412);
  expect((await planOf(uid)).status).toBe('proposed');
});

test('confirming approves it, and it can be read for a minute', async () => {
  const { uid, path, read, etag } = await propose();
  const before = syncTokenIn((await user.dav('REPORT', user.proposals, sync(''))).text);
  expect((await put(path, read.text.replace('TENTATIVE', 'CONFIRMED'), etag)).status).toBe(204);
  const plan = await planOf(uid);
  expect(plan).toMatchObject({ status: 'executed', decision: { code: 'user' } });
  const history = (await user.get(`/memory/history?uid=${uid}`).expect(200)).body as {
    action: string;
    actor: object;
  }[];
  expect(history.find(({ action }) => action === 'approved')?.actor).toMatchObject({ kind: 'user', label: 'user' });
  const again = await user.dav('GET', path);
  expect([again.status, again.text.includes('STATUS:CONFIRMED')]).toEqual([200, true]);
  expect(responsesIn((await user.dav('REPORT', user.proposals, multiget(path))).text)[0]?.status).toBeNull();
  // Confirming again is the same answer.
  expect((await put(path, again.text, again.headers.get('etag') ?? '')).status).toBe(204);
  // The event is on the calendar, and the proposal is gone for a program that asks what changed.
  expect((await user.dav('GET', `${user.calendar}${plan.linked_event_uid}.ics`)).text).toContain('SUMMARY:Write');
  const after = responsesIn((await user.dav('REPORT', user.proposals, sync(before))).text);
  expect(after).toContainEqual(expect.objectContaining({ href: path, status: 'HTTP/1.1 404 Not Found' }));
  expect((await user.dav('DELETE', path)).status).toBe(404);
  app.clock.advance(61_000);
  expect((await user.dav('GET', path)).status).toBe(404);
});

test('a program that leaves STATUS out, or changes other properties, decides nothing', async () => {
  const { uid, path, read, etag } = await propose();
  const bare = read.text.replace('STATUS:TENTATIVE\r\n', '').replace(/DESCRIPTION:.*\r\n/, 'X-OTHER:1\r\n');
  expect((await put(path, bare, etag)).status).toBe(204);
  expect(await planOf(uid)).toMatchObject({ status: 'proposed', version: 1 });
  expect((await put(path, read.text.replace('TENTATIVE', 'CANCELLED'), etag)).status).toBe(403);
  expect((await put(path, 'nonsense', etag)).status).toBe(403);
  expect((await put(path, read.text.replace(/UID:.*\r\n/, 'UID:other\r\n'), etag)).status).toBe(403);
  expect((await planOf(uid)).status).toBe('proposed');
});

test('deleting rejects it, and an event cannot be added', async () => {
  const { uid, path, read, etag } = await propose();
  expect((await user.dav('DELETE', path, undefined, { 'If-Match': etag })).status).toBe(204);
  expect(await planOf(uid)).toMatchObject({ status: 'rejected', decision: { code: 'user' } });
  expect((await user.dav('GET', path)).status).toBe(404);
  expect((await put(`${user.proposals}new.ics`, read.text)).status).toBe(403);
  expect((await put(path, read.text)).status).toBe(403);
});

test('without plan:decide, and with an agent key, every write is 403', async () => {
  const { uid, path, read, etag } = await propose();
  const text = read.text.replace('TENTATIVE', 'CONFIRMED');
  const readers = [
    await user.with(['plan:read', 'calendar:read', 'calendar:write', 'plan:propose', 'plan:execute']),
    await user.with(['plan:read', 'calendar:read', 'plan:propose', 'plan:execute'], 'agent'),
  ];
  for (const dav of readers) {
    expect((await put(path, text, etag, dav)).status).toBe(403);
    expect((await dav('DELETE', path)).status).toBe(403);
    expect((await dav('GET', path)).status).toBe(200);
  }
  expect((await planOf(uid)).status).toBe('proposed');
});

test('a proposal that was changed needs the tag of what was read', async () => {
  const { uid, path } = await propose();
  await user.agent.patch('/memory/edit', { uid, updates: { title: 'Write more' } }).expect(200);
  const { text, headers } = await user.dav('GET', path);
  const confirmed = text.replace('TENTATIVE', 'CONFIRMED');
  expect((await put(path, confirmed)).status).toBe(428);
  expect((await put(path, confirmed, headers.get('etag') ?? '')).status).toBe(204);
});

test('the tag of one plan of a swap does not approve the other, which was changed', async () => {
  const events = { swap1: '2026-12-29T10:00', swap2: '2026-12-29T14:00' };
  for (const [uid, scheduled_for] of Object.entries(events))
    await user.post('/calendar/create', { uid, title: uid, scheduled_for, duration_minutes: 30 }).expect(201);
  const [first, second] = Object.values(events);
  const actions = [
    { action_type: 'reschedule', title: 'Move', target_event_uid: 'swap1', scheduled_for: second },
    { action_type: 'reschedule', title: 'Move', target_event_uid: 'swap2', scheduled_for: first },
  ];
  const { body: plans } = await user.agent.post('/agent/plan', { actions }).expect(200);
  const [uid, other] = plans.map((plan: { uid: string }) => plan.uid);
  const rename = (one: string) => user.agent.patch('/memory/edit', { uid: one, updates: { title: 'Changed' } });
  await rename(uid).expect(200);
  const confirm = async () => {
    const path = `${user.proposals}proposal-${uid}.ics`;
    const { text, headers } = await user.dav('GET', path);
    return (await put(path, text.replace('TENTATIVE', 'CONFIRMED'), headers.get('etag') ?? '')).status;
  };
  await rename(other).expect(200);
  expect(await confirm()).toBe(428);
  for (const one of [uid, other]) expect((await planOf(one)).status).toBe('proposed');
  // As it was proposed, the other one needs no version.
  await user.post('/agent/reject', { uid }).expect(200);
  const { body: fresh } = await user.agent.post('/agent/plan', { actions }).expect(200);
  await rename(fresh[0].uid).expect(200);
  const path = `${user.proposals}proposal-${fresh[0].uid}.ics`;
  const { text, headers } = await user.dav('GET', path);
  expect((await put(path, text.replace('TENTATIVE', 'CONFIRMED'), headers.get('etag') ?? '')).status).toBe(204);
  for (const one of fresh) expect((await planOf(one.uid)).status).toBe('executed');
});

test('a move of an event shows which, and its tag follows the event', async () => {
  const event = { uid: 'target', title: 'Dentist', scheduled_for: '2026-12-28T10:00', duration_minutes: 30 };
  await user.post('/calendar/create', event).expect(201);
  const target = {
    action_type: 'reschedule',
    target_event_uid: 'target',
    title: 'Move it',
    scheduled_for: '2026-12-28T15:00',
    duration_minutes: 30,
  };
  const { path, read, etag } = await propose(target);
  expect(read.text.replaceAll('\r\n ', '')).toContain('“Dentist”');
  const token = syncTokenIn((await user.dav('REPORT', user.proposals, sync(''))).text);
  await user.patch('/calendar/edit', { uid: 'target', updates: { title: 'Surgeon' } }).expect(200);
  expect((await put(path, read.text.replace('TENTATIVE', 'CONFIRMED'), etag)).status).toBe(412);
  const changed = responsesIn((await user.dav('REPORT', user.proposals, sync(token))).text);
  expect(changed.map(({ href }) => href)).toContain(path);
});

test('one occurrence of a series cannot be decided', async () => {
  const { path, read, etag } = await propose({ rrule: 'FREQ=DAILY;COUNT=3', scheduled_for: '2027-02-01T07:00' });
  expect(read.text).toContain('RRULE:FREQ=DAILY;COUNT=3');
  const one = read.text.replace(
    'END:VCALENDAR',
    'BEGIN:VEVENT\r\nUID:' +
      (/UID:(.*)\r/.exec(read.text)?.[1] ?? '') +
      '\r\nDTSTAMP:20261101T000000Z\r\nRECURRENCE-ID;TZID=Europe/Berlin:20270202T070000\r\nDTSTART;TZID=Europe/Berlin:20270202T090000\r\nDURATION:PT1H\r\nSUMMARY:Write\r\nEND:VEVENT\r\nEND:VCALENDAR',
  );
  expect((await put(path, one, etag)).status).toBe(403);
  expect(preconditionsIn((await user.dav('REPORT', user.proposals, sync('urn:other'))).text)).toContain(
    'valid-sync-token',
  );
});

test('all proposals are shown, also beyond a thousand', { timeout: 60_000 }, async () => {
  const many = await aDavUser(app);
  const other = await aKey(app, many, 'agent');
  const proposeMany = (from: Client, at: number) =>
    from
      .post('/agent/plan', {
        actions: Array.from({ length: 100 }, (_, i) => ({
          ...{ action_type: 'schedule', title: `Plan ${at + i}`, duration_minutes: 1 },
          scheduled_for: new Date(Date.UTC(2027, 0, 1) + (at + i) * 60_000).toISOString(),
        })),
      })
      .expect(200);
  for (let at = 0; at < 1_100; at += 100) await proposeMany(at < 600 ? many.agent : other, at);
  const first = (await many.dav('REPORT', many.proposals, sync(''))).text;
  expect(responsesIn(first)).toHaveLength(1_100);
  const [last = ''] = responsesIn(first)
    .map(({ href }) => href)
    .slice(-1);
  expect((await many.dav('GET', last)).text).toContain('SUMMARY:Plan 1099');
  const all = await many.dav('REPORT', many.proposals, query(''));
  expect(responsesIn(all.text)).toHaveLength(1_100);
  expect((await many.dav('DELETE', last)).status).toBe(204);
  const changes = responsesIn((await many.dav('REPORT', many.proposals, sync(syncTokenIn(first)))).text);
  expect(changes.map(({ href, status }) => [href, status])).toEqual([[last, 'HTTP/1.1 404 Not Found']]);
});
