/** A credential that may write is not shown by the answer what it may not read (docs/decisions.md). */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Scope } from '../../src/domain/access/caller.ts';
import { aKey, anApp, aUser, type Client, type TestApp, type TestUser } from '../support/app.ts';
import { aModel, fails } from '../support/model.ts';

const SECRET = 'the surgeon';

let app: TestApp;
let user: TestUser;
beforeAll(async () => {
  app = await anApp();
  user = await aUser(app);
});
afterAll(() => app.close());

const withOnly = (...scopes: Scope[]): Promise<Client> => aKey(app, user, 'agent', scopes);
const needs = (scope: Scope) => ({ code: 'insufficient_scope', missing: [scope] });

test('memory:write does not read a trace by changing nothing in it', async () => {
  const note = { uid: 'note', type: 'observation', content: SECRET };
  const key = await withOnly('memory:write', 'plan:propose');
  await user.post('/memory/push', { traces: [note] }).expect(201);
  const actions = [{ uid: 'plan', action_type: 'log', title: SECRET }];
  await user.post('/agent/plan', { actions }).expect(200);
  for (const uid of ['note', 'plan']) {
    for (const updates of [{}, { task_id: 'x' }, { content: 'overwritten' }]) {
      const { body } = await key.patch('/memory/edit', { uid, updates }).expect(403);
      expect(body).toMatchObject(needs('memory:read'));
    }
    expect((await key.post('/agent/feedback', { uid, feedback_rating: 1 }).expect(403)).body).toMatchObject(
      needs('memory:read'),
    );
    const { body } = await user.get(`/memory/history?uid=${uid}`).expect(200);
    expect(body).toMatchObject([{ version: 1 }]);
  }
  // It may still add, and remove what is no plan; these answers show nothing that was stored.
  const added = await key.post('/memory/push', { traces: [{ type: 'observation', content: 'mine' }] }).expect(201);
  expect(Object.keys(added.body[0]).toSorted()).toEqual(['seq', 'timestamp', 'uid', 'version']);
  const taken = await key.post('/memory/push', { traces: [{ ...note, content: 'other' }] }).expect(409);
  const gone = await key.delete('/memory/remove?uid=note').expect(200);
  expect(JSON.stringify([taken.body, gone.body])).not.toContain(SECRET);
});

test('plan:propose is shown its proposals as it sent them, not what others made of them', async () => {
  const key = await withOnly('plan:propose');
  const body = { actions: [{ uid: 'mine', action_type: 'log', title: 'Tidy up' }] };
  const { body: first } = await key.post('/agent/plan', body).expect(200);
  await user.patch('/memory/edit', { uid: 'mine', updates: { content: SECRET, notes: SECRET } }).expect(200);
  const again = await key.post('/agent/plan', body).expect(200);
  expect(again.body).toEqual(first);
  for (const path of ['/chat/plan-preview', '/agent/plan', '/chat/respond']) {
    const sent = path === '/chat/respond' ? { prompt: 'Make it an hour later' } : body;
    expect((await key.post(path, sent).expect(200)).text).not.toContain(SECRET);
  }
  expect((await key.post('/agent/withdraw', { uid: 'mine' }).expect(403)).body).toMatchObject(needs('plan:read'));
  // With plan:read it sees the plan as it is, and may take it back.
  const reader = await aKey(app, user, 'agent', ['plan:propose', 'plan:read']);
  expect((await reader.get('/agent/plan?uid=mine').expect(200)).body).toMatchObject({ content: SECRET });
  // Another key may not repeat the request: its answer would confirm what the plan has.
  await reader.post('/agent/plan', body).expect(409);
});

test('plan:propose is told again that its proposal was refused', async () => {
  const person = await aUser(app);
  const key = await aKey(app, person, 'agent', ['plan:propose']);
  const time = { scheduled_for: '2026-11-26T10:00', duration_minutes: 30 };
  await person.post('/calendar/create', { title: 'Dentist', ...time }).expect(201);
  const kept = { uid: 'kept', action_type: 'log', title: 'Tidy up' };
  const body = { actions: [{ uid: 'refused', action_type: 'schedule', title: 'Call', ...time }, kept] };
  const first = await key.post('/agent/plan', body).expect(200);
  expect(first.body).toMatchObject([{ status: 'rejected', decision: { by: 'policy' } }, { status: 'proposed' }]);
  await person.post('/agent/reject', { uid: 'kept' }).expect(200);
  expect((await key.post('/agent/plan', body).expect(200)).body).toEqual(first.body);
});

test('plan:propose is not shown what a plan takes over from the event that it changes', async () => {
  const person = await aUser(app);
  const time = { scheduled_for: '2026-12-10T15:00', duration_minutes: 30 };
  const event = { uid: 'event', title: 'x', task_id: SECRET, tempo_tag: `@${SECRET}`, ...time };
  await person.post('/calendar/create', event).expect(201);
  const action = { uid: 'moves', action_type: 'reschedule', title: 'Move', target_event_uid: 'event' };
  const body = { actions: [{ ...action, scheduled_for: '2026-12-11T15:00' }] };
  const key = await aKey(app, person, 'agent', ['plan:propose']);
  for (const path of ['/chat/plan-preview', '/agent/plan', '/agent/plan'])
    expect((await key.post(path, body).expect(200)).body).toMatchObject([{ task_id: null, tempo_tag: null }]);
  const plan = (await person.get('/agent/plan?uid=moves').expect(200)).body;
  expect(plan).toMatchObject({ task_id: SECRET, tempo_tag: `@${SECRET}` });
});

test('plan:propose continues no conversation that it may not read', async () => {
  const person = await aUser(app);
  const key = await aKey(app, person, 'agent', ['plan:propose']);
  for (const [said, ...answers] of [
    [`Plan a call with ${SECRET} on Tuesday at half eight`, '1', '07:30', 'in the morning'],
    [`Plan a call with ${SECRET} on 30 February`, 'on Tuesday at 10:00', 'I meant 3 March at 10:00'],
  ])
    for (const prompt of answers) {
      await person.post('/chat/respond', { prompt: said }).expect(200);
      const { text } = await key.post('/chat/respond', { prompt }).expect(200);
      expect(text, prompt).not.toContain(SECRET);
    }
  // Its own prompts it may continue.
  await key.post('/chat/respond', { prompt: 'Plan a call with Ann on Tuesday at half eight' }).expect(200);
  const { body } = await key.post('/chat/respond', { prompt: '07:30' }).expect(200);
  expect(body.plans).toMatchObject([{ title: expect.stringContaining('Ann') }]);
});

test('the model is told what the credential may read, since its answer may tell any of it', async () => {
  const model = await aModel(fails(500));
  const env = { OPENAI_BASE_URL: model.baseURL, OPENAI_API_KEY: 'x' };
  const other = await anApp({ env });
  const person = await aUser(other);
  await person.post('/memory/push', { traces: [{ uid: 'known', type: 'observation', content: SECRET }] }).expect(201);
  const told = async (...scopes: Scope[]): Promise<Record<string, unknown>> => {
    const key = await aKey(other, person, 'agent', ['plan:propose', ...scopes]);
    const from = model.requests.length;
    await key.post('/chat/plan-preview', { prompt: `Plan a call about ${SECRET}` }).expect(200);
    const text = model.requests[from]?.body.messages.find(({ role }) => role === 'user')?.content ?? '';
    const blocks = text.matchAll(/<<<\w+ (tempo|limits|free|events|pending|traces)>>>\n(.*)\n/g);
    return Object.fromEntries(Array.from(blocks, ([, name, json]) => [name as string, JSON.parse(json as string)]));
  };
  const nothing = { tempo: null, limits: null, free: null, events: [], pending: [], traces: [] };
  expect(await told()).toEqual(nothing);
  expect(await told('tempo:read')).toEqual({ ...nothing, tempo: expect.objectContaining({ tag_mappings: {} }) });
  expect(await told('plan:read')).toEqual({ ...nothing, limits: expect.anything() });
  expect(await told('calendar:read')).toEqual({ ...nothing, free: expect.arrayContaining([expect.anything()]) });
  expect(await told('memory:read')).toEqual({ ...nothing, traces: [expect.stringContaining('the surgeon')] });
  await other.close();
  await model.close();
});

test('plan:propose does not learn which uids exist by naming them in the context of a prompt', async () => {
  const person = await aUser(app);
  await person.post('/memory/push', { traces: [{ uid: 'known', type: 'observation', content: SECRET }] }).expect(201);
  const body = { prompt: 'Plan 30 minutes of reading tomorrow at 9', context: { memory: ['known', 'none'] } };
  const links = async (...scopes: Scope[]) => {
    const key = await aKey(app, person, 'agent', ['plan:propose', ...scopes]);
    return (await key.post('/chat/plan-preview', body).expect(200)).body[0].linked_trace_ids;
  };
  expect([await links(), await links('memory:read')]).toEqual([[], ['known']]);
});

test('plan:execute is told what happened, and shown what was written as far as it may read', async () => {
  const person = await aUser(app);
  await person.patch('/user/update', { user_id: person.user_id, updates: { execution: 'manual' } }).expect(200);
  await person.post('/memory/push', { traces: [{ type: 'observation', content: SECRET, task_id: 't' }] }).expect(201);
  const actions = [
    {
      uid: 's',
      action_type: 'schedule',
      title: SECRET,
      scheduled_for: '2026-12-08T10:00',
      duration_minutes: 30,
      task_id: 't',
    },
    { uid: 'r', action_type: 'reflect', title: 'Look back', task_id: 't' },
  ];
  await person.post('/agent/plan', { actions }).expect(200);
  await person.post('/agent/approve', { uids: ['s', 'r'] }).expect(200);
  const executed = async (simulate: boolean, ...scopes: Scope[]) => {
    const key = await aKey(app, person, 'agent', ['plan:execute', ...scopes]);
    const { body, text } = await key.post('/agent/execute', { task_id: 't', simulate }).expect(200);
    return {
      log: body.log.length,
      traces: body.traces.length,
      events: body.events.length,
      tells: text.includes(SECRET),
    };
  };
  expect(await executed(true, 'memory:read', 'calendar:read')).toEqual({ log: 2, traces: 2, events: 1, tells: true });
  expect(await executed(true, 'calendar:read')).toEqual({ log: 2, traces: 0, events: 1, tells: true });
  expect(await executed(true)).toEqual({ log: 2, traces: 0, events: 0, tells: false });
  expect(await executed(false)).toEqual({ log: 2, traces: 0, events: 0, tells: false });
});

test('a refusal names an event by its uid only, without calendar:read', async () => {
  const person = await aUser(app);
  const hour = (at: number) => ({ scheduled_for: `2026-12-09T${at}:00`, duration_minutes: 30 });
  const titled = (uid: string, time: object) => person.post('/calendar/create', { uid, title: SECRET, ...time });
  await person.patch('/user/update', { updates: { execution: 'manual' } }).expect(200);
  const plan = (uid: string, more: object) => ({ uid, action_type: 'schedule', title: 'Call', task_id: uid, ...more });
  const moved = plan('moved', {
    action_type: 'reschedule',
    target_event_uid: 'mine',
    scheduled_for: hour(16).scheduled_for,
  });
  await titled('mine', hour(14)).expect(201);
  const actions = [plan('late', hour(10)), plan('approved', hour(12)), moved];
  await person.post('/agent/plan', { actions }).expect(200);
  await person.post('/agent/approve', { uids: ['approved', 'moved'] }).expect(200);
  await person.post('/agent/execute', { task_id: 'moved' }).expect(200);
  for (const at of [10, 12]) await titled(`at-${at}`, hour(at)).expect(201);
  await person.patch('/calendar/edit', { uid: 'mine', updates: { scheduled_for: hour(18).scheduled_for } }).expect(200);

  const decide = async (...scopes: Scope[]): Promise<string[]> => {
    const key = await aKey(app, person, 'user', ['plan:decide', 'plan:read', 'plan:execute', ...scopes]);
    const answers = [
      await key.post('/agent/approve', { uid: 'late' }).expect(409),
      await key.post('/agent/approve', { uid: 'late', edits: { scheduled_for: hour(18).scheduled_for } }).expect(409),
      await key.post('/agent/execute', { task_id: 'approved', simulate: true }).expect(200),
      await key.post('/agent/undo', { uid: 'moved' }).expect(409),
    ];
    return answers.map(({ text }) => text);
  };
  const uids = ['at-10', 'mine', 'at-12', 'mine'];
  for (const [i, text] of (await decide()).entries()) {
    expect(text).not.toContain(SECRET);
    expect(text).toContain(uids[i]);
  }
  for (const text of await decide('calendar:read')) expect(text).toContain(SECRET);
});

test('calendar:write does not read an event by changing or removing it', async () => {
  const key = await aKey(app, user, 'user', ['calendar:write']);
  const event = { uid: 'visit', title: SECRET, scheduled_for: '2026-12-10T10:00', duration_minutes: 30 };
  await user.post('/calendar/create', event).expect(201);
  const edit = await key.patch('/calendar/edit', { uid: 'visit', updates: {} }).expect(403);
  expect(edit.body).toMatchObject(needs('calendar:read'));
  await key.post('/calendar/remove', { removals: [{ uid: 'visit' }] }).expect(403);
  const { body } = await key.delete('/calendar/remove?uid=visit').expect(200);
  expect(body).toEqual({ message: 'Removed the event.', uid: 'visit', seq: expect.any(Number) });
});

test('an answer that was kept under an Idempotency-Key is not shown to a credential with other scopes', async () => {
  await user.post('/memory/push', { traces: [{ uid: 'kept', type: 'observation', content: SECRET }] }).expect(201);
  const send = (who: Client) =>
    who.patch('/memory/edit', { uid: 'kept', updates: { task_id: 't' } }).set('Idempotency-Key', 'kept-1');
  await send(user).expect(200);
  const { status, text } = await send(await aKey(app, user, 'user', ['memory:write']));
  expect(status).toBe(403);
  expect(text).not.toContain(SECRET);
});

test('what a scope shows in other places is what its description says', async () => {
  const person = await aUser(app);
  const hidden = 'ann@hidden.example';
  await person
    .post('/memory/push', { traces: [{ type: 'observation', content: 'x', authored_by: hidden }] })
    .expect(201);
  const event = { title: `Call ${hidden}`, description: 'the notes', location: 'the place' };
  await person
    .post('/calendar/create', { ...event, scheduled_for: '2026-12-11T10:00', duration_minutes: 30 })
    .expect(201);
  // Traces of events have the title and the times, blanked; not the rest of the event.
  const reader = await aKey(app, person, 'agent', ['memory:read']);
  const { text } = await reader.get('/memory/pull?type=calendar_event').expect(200);
  expect(text).toContain('Created: Call ');
  for (const word of [hidden, 'the notes', 'the place']) expect(text).not.toContain(word);
  // A feed is for the person, and not blanked.
  const { key } = (await person.post('/user/keys', { kind: 'feed', label: 'phone' }).expect(201)).body;
  expect(await fetch(`${app.url}/calendar/feed.ics?key=${key}`).then((answer) => answer.text())).toContain(hidden);
});
