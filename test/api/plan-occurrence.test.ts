/** A plan that names a series changes the occurrence that was meant when it was proposed, however late it is approved. */
import { afterAll, beforeEach, beforeAll, describe, expect, test } from 'vitest';
import { anApp, onMonday, type Client, type TestApp } from '../support/app.ts';

let app: TestApp;
let user: Client;
let sync: string;
beforeAll(async () => {
  app = await anApp();
});
afterAll(() => app.close());

/** The daily sync is at 09:15. */
beforeEach(async () => {
  ({ user } = await onMonday(app));
  const series = { scheduled_for: '2026-11-23T09:15', duration_minutes: 15, rrule: 'FREQ=DAILY;COUNT=4' };
  sync = (await user.post('/calendar/create', { title: 'Daily sync', ...series }).expect(201)).body.uid;
});

const starts = async (): Promise<string[]> => {
  const { body } = await user.get('/calendar/events?start=2026-11-20&end=2026-11-30').expect(200);
  return (body as { scheduled_for: string; duration_minutes: number }[]).map(
    (event) => `${event.scheduled_for.slice(8, 16)} ${event.duration_minutes}`,
  );
};
const propose = async (action: object) =>
  (
    await user
      .post('/agent/plan', {
        actions: [{ action_type: 'reschedule', title: 'Sync', target_event_uid: sync, ...action }],
      })
      .expect(200)
  ).body[0];
const cancel = { arguments: { cancel: true } };

describe('the occurrence', () => {
  test('is the next one of the time of the proposal', async () => {
    const plan = await propose(cancel);
    expect(plan).toMatchObject({
      arguments: { cancel: true, recurrence_id: '2026-11-23T08:15:00.000Z' },
      expires_at: '2026-11-23T08:30:00.000Z',
    });
    app.clock.set('2026-11-23T08:20:00.000Z'); // it has begun: the next one is tomorrow's
    await user.post('/agent/approve', { uid: plan.uid }).expect(200);
    expect(await starts()).toEqual(['24T08:15 15', '25T08:15 15', '26T08:15 15']);
  });

  test('may be named, and must exist', async () => {
    const plan = await propose({ arguments: { cancel: true, recurrence_id: '2026-11-25T08:15:00.000Z' } });
    await user.post('/agent/approve', { uid: plan.uid }).expect(200);
    expect(await starts()).toEqual(['23T08:15 15', '24T08:15 15', '26T08:15 15']);
    const wrong = { cancel: true, recurrence_id: '2026-11-25T09:15:00.000Z' };
    const action = { action_type: 'reschedule', title: 'Sync', target_event_uid: sync, arguments: wrong };
    const { body } = await user.post('/agent/plan', { actions: [action] }).expect(422);
    expect(body.errors).toMatchObject([{ path: '/actions/0/arguments/recurrence_id', code: 'no_occurrence' }]);
  });

  test('is the one that the words name', async () => {
    for (const prompt of ['skip the daily sync on Wednesday', 'move the daily sync on Tuesday to 19:30']) {
      const { plans } = (await user.post('/chat/respond', { prompt }).expect(200)).body;
      await user.post('/agent/approve', { uid: plans[0].uid }).expect(200);
    }
    expect(await starts()).toEqual(['23T08:15 15', '24T18:30 15', '26T08:15 15']);
  });

  test('gets longer by what is asked, from the length that it has itself', async () => {
    const recurrence_id = '2026-11-25T08:15:00.000Z';
    await user.patch('/calendar/edit', { uid: sync, recurrence_id, updates: { duration_minutes: 30 } }).expect(200);
    const { plans } = (
      await user.post('/chat/respond', { prompt: 'extend the daily sync on Wednesday by 15 minutes' }).expect(200)
    ).body;
    await user.post('/agent/approve', { uid: plans[0].uid }).expect(200);
    expect(await starts()).toEqual(['23T08:15 15', '24T08:15 15', '25T08:15 45', '26T08:15 15']);
  });

  test('stays the same when the proposal is sent again', async () => {
    const uid = 'again';
    const first = await propose({ ...cancel, uid });
    app.clock.set('2026-11-23T08:20:00.000Z');
    expect(await propose({ ...cancel, uid })).toEqual(first);
  });
});

test('a cancellation of what is over lapses', async () => {
  const plan = await propose(cancel);
  app.clock.set('2026-11-23T09:00:00.000Z');
  await user.post('/agent/approve', { uid: plan.uid }).expect(409);
  await app.executor.round();
  const { body } = await user.get(`/agent/plan?uid=${plan.uid}`).expect(200);
  expect(body.decision).toMatchObject({ by: 'policy', code: 'expired' });
  expect(await starts()).toHaveLength(4);
});

test('a change of length alone keeps the start', async () => {
  const plan = await propose({ duration_minutes: 30, arguments: { recurrence_id: '2026-11-24T08:15:00.000Z' } });
  expect(plan.scheduled_for).toBe('2026-11-24T08:15:00.000Z');
  await user.post('/agent/approve', { uid: plan.uid }).expect(200);
  expect(await starts()).toEqual(['23T08:15 15', '24T08:15 30', '25T08:15 15', '26T08:15 15']);
});

test('a correction that does not fit is answered in words', async () => {
  const say = async (prompt: string) => (await user.post('/chat/respond', { prompt }).expect(200)).body;
  const { plans } = await say('call Ina tomorrow at 8 for 30 minutes');
  const { reply, plans: none } = await say('make it 9:10');
  expect(none).toEqual([]);
  expect(reply).toMatch(/taken[^]*These times are free:/);
  expect((await user.get(`/agent/plan?uid=${plans[0].uid}`)).body.scheduled_for).toBe('2026-11-24T07:00:00.000Z');
});
