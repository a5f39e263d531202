/** Plans with reminders: a new event that has some, and a change of those of an event, of one occurrence or of all later ones. */
import request from 'supertest';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { anApp, onMonday, type Client, type TestApp, type TestUser } from '../support/app.ts';
import { callTool, mcpClient } from '../support/mcp.ts';

let app: TestApp;
let person: TestUser;
let user: Client;
let agent: Client;
beforeAll(async () => {
  app = await anApp();
});
afterAll(() => app.close());

const at = { scheduled_for: '2026-11-27T13:00', duration_minutes: 60 };
const lunch = { action_type: 'schedule', title: 'Lunch with Bea', ...at };

beforeEach(async () => {
  ({ person, user, agent } = await onMonday(app));
});

const plan = async (action: object, by = agent) =>
  (await by.post('/agent/plan', { actions: [action] }).expect(200)).body[0];
/** Approves the plan as it is now. */
const approve = async (uid: string) => {
  const { version } = (await user.get(`/agent/plan?uid=${uid}`).expect(200)).body;
  return (await user.post('/agent/approve', { uid, expected_version: version }).expect(200)).body;
};
const undo = (uid: string) => user.post('/agent/undo', { uid }).expect(200);
const now = async (uid: string) => (await user.get(`/calendar/event?uid=${uid}`).expect(200)).body;
const book = async (more: object): Promise<string> =>
  (await user.post('/calendar/create', { title: 'Dentist', ...at, ...more }).expect(201)).body.uid;
const change = (uid: string, args: object, more: object = {}) =>
  plan({ action_type: 'reschedule', title: 'Remind', target_event_uid: uid, arguments: args, ...more });
/** The reminders of the events of three weeks, by their starts. */
const reminders = async (): Promise<number[][]> => {
  const { body } = await user.get('/calendar/events?start=2026-11-23&end=2026-12-12').expect(200);
  return (body as { reminders: number[] }[]).map((event) => event.reminders);
};

describe('a new event', () => {
  test('has the reminders of its plan, and is taken back with them', async () => {
    const actions = [{ ...lunch, arguments: { reminders: [30, 1440] } }];
    const { body: dry } = await agent.post('/chat/plan-preview', { actions }).expect(200);
    expect(dry).toMatchObject([{ arguments: { reminders: [30, 1440] } }]);
    const { uid } = await plan(actions[0]!);
    const { linked_event_uid: event } = await approve(uid);
    expect(await now(event)).toMatchObject({ title: 'Lunch with Bea', reminders: [30, 1440] });
    await undo(uid);
    await user.get(`/calendar/event?uid=${event}`).expect(404);
    await approve(uid);
    expect(await reminders()).toEqual([[30, 1440]]);
  });

  test('has them in each occurrence of a series, and on whole days', async () => {
    const series = { ...lunch, rrule: 'FREQ=WEEKLY;COUNT=2', arguments: { reminders: [10] } };
    const days = {
      ...lunch,
      title: 'Fair',
      scheduled_for: '2026-12-02',
      arguments: { all_day: true, reminders: [600] },
    };
    await approve((await plan(series)).uid);
    await approve((await plan({ ...days, duration_minutes: 1440 })).uid);
    expect(await reminders()).toEqual([[10], [600], [10]]);
  });

  test('has those that a person gave the plan while it waited', async () => {
    const { uid } = await plan({ ...lunch, arguments: { location: 'Canteen', reminders: [30] } });
    const updates = { arguments: { location: 'Canteen', reminders: [5] } };
    const { body } = await user.patch('/memory/edit', { uid, updates }).expect(200);
    expect(body).toMatchObject({ version: 2, arguments: updates.arguments });
    expect(await now((await approve(uid)).linked_event_uid)).toMatchObject({ location: 'Canteen', reminders: [5] });
  });

  test('is proposed by a push and by the tool propose as well', async () => {
    const pushed = { ...lunch, type: 'agent_plan', content: 'Lunch', arguments: { reminders: [15] } };
    const { body } = await agent.post('/memory/push', { traces: [pushed] }).expect(201);
    await approve(body[0].uid);
    const mcp = await mcpClient(app.url, person.agent.token);
    const actions = [{ ...lunch, scheduled_for: '2026-11-28T13:00', arguments: { reminders: [0] } }];
    await approve((await callTool(mcp, 'propose', { actions })).value.plans[0].uid);
    const { events } = (await callTool(mcp, 'list_events', { start: '2026-11-27', end: '2026-11-28' })).value;
    expect(events).toMatchObject([{ reminders: [15] }, { reminders: [0] }]);
  });
});

describe('a change of an event', () => {
  test('replaces its reminders, leaves its time, and is taken back', async () => {
    const uid = await book({ reminders: [10] });
    const proposed = await change(uid, { reminders: [1440, 60] });
    expect(proposed).toMatchObject({ status: 'proposed', scheduled_for: null });
    // Somebody else may book its time meanwhile.
    await book({ title: 'Call', scheduled_for: '2026-11-27T13:30' });
    await approve(proposed.uid);
    expect(await now(uid)).toMatchObject({ reminders: [1440, 60], scheduled_for: '2026-11-27T12:00:00.000Z' });
    await undo(proposed.uid);
    expect(await now(uid)).toMatchObject({ reminders: [10], scheduled_for: '2026-11-27T12:00:00.000Z' });
  });

  test('takes them away by an empty list, and leaves them without one', async () => {
    const uid = await book({ reminders: [10] });
    await approve((await change(uid, { title: 'Check-up' })).uid);
    expect(await now(uid)).toMatchObject({ title: 'Check-up', reminders: [10] });
    await approve((await change(uid, { reminders: [] })).uid);
    expect(await now(uid)).toMatchObject({ title: 'Check-up', reminders: [] });
  });

  test('can be a move too, and is taken back with it', async () => {
    const uid = await book({ reminders: [10] });
    const move = await change(uid, { reminders: [60] }, { scheduled_for: '2026-11-27T15:00' });
    await approve(move.uid);
    expect(await now(uid)).toMatchObject({ reminders: [60], scheduled_for: '2026-11-27T14:00:00.000Z' });
    await undo(move.uid);
    expect(await now(uid)).toMatchObject({ reminders: [10], scheduled_for: '2026-11-27T12:00:00.000Z' });
  });

  test('of a series is for one occurrence, or for it and all later ones', async () => {
    const uid = await book({ rrule: 'FREQ=WEEKLY;COUNT=3', scheduled_for: '2026-11-24T13:00', reminders: [10] });
    const second = { recurrence_id: '2026-12-01T12:00:00.000Z' };
    const one = await change(uid, { ...second, reminders: [30] });
    await approve(one.uid);
    expect(await reminders()).toEqual([[10], [30], [10]]);
    await undo(one.uid);
    expect(await reminders()).toEqual([[10], [10], [10]]);
    const rest = await change(uid, { ...second, scope: 'following', reminders: [45] });
    await approve(rest.uid);
    expect(await reminders()).toEqual([[10], [45], [45]]);
    await undo(rest.uid);
    expect(await reminders()).toEqual([[10], [10], [10]]);
  });

  test('of all later occurrences leaves one that has reminders of its own', async () => {
    const uid = await book({ rrule: 'FREQ=WEEKLY;COUNT=3', scheduled_for: '2026-11-24T13:00', reminders: [10] });
    await approve((await change(uid, { recurrence_id: '2026-12-08T12:00:00.000Z', reminders: [30] })).uid);
    const second = { recurrence_id: '2026-12-01T12:00:00.000Z', scope: 'following' };
    await approve((await change(uid, { ...second, reminders: [45] })).uid);
    expect(await reminders()).toEqual([[10], [45], [30]]);
  });
});

test('each counts once, of a plan and of an event', async () => {
  const { uid, arguments: given } = await plan({ ...lunch, arguments: { reminders: [30, 5, 30] } });
  expect(given).toEqual({ reminders: [30, 5] });
  expect(await now((await approve(uid)).linked_event_uid)).toMatchObject({ reminders: [30, 5] });
  const booked = await book({ scheduled_for: '2026-11-27T16:00', reminders: [10, 10] });
  expect(await now(booked)).toMatchObject({ reminders: [10] });
});

describe('are refused', () => {
  test.each([
    ['a number', 30, ''],
    ['a text in the list', ['30'], '/0'],
    ['a fraction', [1.5], '/0'],
    ['a time behind the start', [-5], '/0'],
    ['more than four weeks', [28 * 1440 + 1], '/0'],
    ['more than twenty', Array.from({ length: 21 }, (_, n) => n), ''],
    ['null', null, ''],
  ])('%s', async (_, value, below) => {
    const actions = [{ ...lunch, arguments: { reminders: value } }];
    const { body } = await agent.post('/agent/plan', { actions }).expect(422);
    expect(body.errors).toMatchObject([{ path: `/actions/0/arguments/reminders${below}` }]);
  });

  test.each(['log', 'reflect', 'configure'])('with the type %s', async (action_type) => {
    const args = { reminders: [30], ...(action_type === 'configure' && { limits: { budget: { per_day: 3 } } }) };
    const actions = [{ action_type, title: 'Other', arguments: args }];
    const { body } = await agent.post('/agent/plan', { actions }).expect(422);
    const message = 'is allowed for schedule and reschedule only';
    expect(body.errors).toMatchObject([{ path: '/actions/0/arguments/reminders', message }]);
  });
});

/** The feed of proposals, and the page of its first proposal. */
const feedAndPage = async () => {
  const scopes = ['calendar:read', 'plan:read', 'plan:decide'];
  const { body: feed } = await user.post('/user/keys', { kind: 'feed', label: 'phone', scopes }).expect(201);
  const get = (path: string) => request(app.server).get(path).set({ Accept: 'text/html,*/*;q=0.8' }).expect(200);
  const text = (await get(`/calendar/proposals.ics?key=${feed.key}`)).text.replaceAll('\r\n ', '');
  const link = new URL(/Approve: (http[^\\]+)/.exec(text)?.[1] ?? '');
  const { text: page } = await get(link.pathname + link.search);
  return { text, page };
};

test('the feed of proposals and its page say the reminders; the proposal itself rings no bell', async () => {
  await plan({ ...lunch, arguments: { reminders: [1440, 90, 0] } });
  const { text, page } = await feedAndPage();
  expect(text).toContain('Reminders: 1 day before\\, 90 minutes before and at the start.');
  expect(text).not.toContain('VALARM');
  expect(page).toContain('<p>Reminders: 1 day before, 90 minutes before and at the start</p>');
});

test('the page shows the reminders that an occurrence has now beside the new ones', async () => {
  const uid = await book({ rrule: 'FREQ=WEEKLY;COUNT=3', reminders: [10] });
  const second = { recurrence_id: '2026-12-04T12:00:00.000Z' };
  await approve((await change(uid, { ...second, reminders: [30] })).uid);
  await change(uid, { ...second, reminders: [] }, { scheduled_for: '2026-12-04T15:00' });
  expect((await feedAndPage()).page).toContain('<p>Reminders: 30 minutes before → <b>none</b></p>');
});

test('the feed and its page say no reminders of an event that is cancelled', async () => {
  const uid = await book({ reminders: [10] });
  await change(uid, { cancel: true, reminders: [30] }, { scheduled_for: at.scheduled_for });
  const { text, page } = await feedAndPage();
  expect(page).toContain('<b>Cancel</b>');
  expect(text + page).not.toContain('Reminders');
});
