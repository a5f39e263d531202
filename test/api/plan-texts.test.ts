/** A reschedule that gives its event a new title, place or description, and leaves its time as it is. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { anApp, onMonday, type Client, type TestApp } from '../support/app.ts';

let app: TestApp;
let user: Client;
let agent: Client;
let yoga: string;
beforeAll(async () => {
  app = await anApp();
});
afterAll(() => app.close());

beforeEach(async () => {
  ({ user, agent } = await onMonday(app));
  const event = { title: 'Yoga', scheduled_for: '2026-11-25T18:30', duration_minutes: 60, location: 'Studio' };
  yoga = (await user.post('/calendar/create', event).expect(201)).body.uid;
});

const propose = async (action: object, by: Client = agent) =>
  (
    await by
      .post('/agent/plan', {
        actions: [{ action_type: 'reschedule', title: 'Change the yoga', target_event_uid: yoga, ...action }],
      })
      .expect(200)
  ).body[0];
const events = async () => (await user.get('/calendar/events?start=2026-11-20&end=2026-12-30').expect(200)).body;
const approve = (uid: string) => user.post('/agent/approve', { uid }).expect(200);

test('a new title leaves the time as it is, also where others book that time', async () => {
  const plan = await propose({ arguments: { title: 'Pilates' } });
  expect(plan).toMatchObject({ status: 'proposed', scheduled_for: null, expires_at: '2026-11-25T18:30:00.000Z' });
  await user.post('/calendar/create', { title: 'Call', scheduled_for: '2026-11-25T18:15', duration_minutes: 30 });
  const { body } = await approve(plan.uid);
  expect(body.status).toBe('executed');
  expect(await events()).toMatchObject([
    { title: 'Call' },
    { title: 'Pilates', location: 'Studio', scheduled_for: '2026-11-25T17:30:00.000Z', duration_minutes: 60 },
  ]);
});

test('texts can change together with the length, which keeps the start', async () => {
  const plan = await propose({ duration_minutes: 90, arguments: { location: 'Hall 2', description: 'Bring a mat.' } });
  expect(plan.scheduled_for).toBe('2026-11-25T17:30:00.000Z');
  await approve(plan.uid);
  expect(await events()).toMatchObject([
    { title: 'Yoga', location: 'Hall 2', description: 'Bring a mat.', duration_minutes: 90 },
  ]);
});

test('an event that is over can be renamed', async () => {
  app.clock.set('2026-11-26T07:00:00.000Z');
  const plan = await propose({ arguments: { title: 'Pilates' } });
  expect(plan).toMatchObject({ status: 'proposed', expires_at: null });
  await approve(plan.uid);
  expect(await events()).toMatchObject([{ title: 'Pilates', scheduled_for: '2026-11-25T17:30:00.000Z' }]);
});

test('of a series only the occurrence that is meant is renamed', async () => {
  const rule = { scheduled_for: '2026-11-24T09:15', duration_minutes: 15, rrule: 'FREQ=DAILY;COUNT=3' };
  const { body } = await user.post('/calendar/create', { title: 'Sync', ...rule }).expect(201);
  const plan = await propose({
    target_event_uid: body.uid,
    arguments: { recurrence_id: '2026-11-25T08:15:00.000Z', title: 'Review' },
  });
  await approve(plan.uid);
  expect((await events()).map(({ title }: { title: string }) => title)).toEqual(['Sync', 'Review', 'Yoga', 'Sync']);
});

test('a scheduled event gets its place; other actions take no texts', async () => {
  const dinner = { action_type: 'schedule', title: 'Dinner', scheduled_for: '2026-11-27T19:00', duration_minutes: 90 };
  const { body } = await agent
    .post('/agent/plan', { actions: [{ ...dinner, arguments: { location: 'Carla’s' } }] })
    .expect(200);
  await approve(body[0].uid);
  expect(await events()).toMatchObject([{ title: 'Yoga' }, { title: 'Dinner', location: 'Carla’s' }]);
  const wrong = [{ ...dinner, arguments: { title: 'Lunch' } }];
  const refused = await agent.post('/agent/plan', { actions: wrong }).expect(422);
  expect(refused.body.errors).toMatchObject([{ path: '/actions/0/arguments/title' }]);
});

test('a change of texts competes with no other proposal, and lapses with its event', async () => {
  const plan = await propose({ arguments: { title: 'Pilates' } });
  const other = { action_type: 'schedule', title: 'Read', scheduled_for: '2026-11-24T10:00', duration_minutes: 30 };
  await agent.post('/agent/plan', { actions: [other] }).expect(200);
  const { body } = await user.get('/agent/queue').expect(200);
  expect(body).toMatchObject([
    { title: 'Read', conflicts: [] },
    { uid: plan.uid, conflicts: [] },
  ]);
  app.clock.set('2026-11-25T18:31:00.000Z');
  await app.executor.round();
  expect((await user.get(`/agent/plan?uid=${plan.uid}`)).body).toMatchObject({
    status: 'rejected',
    decision: { code: 'expired' },
  });
});
