/** With a model: a pending proposal is changed or taken back by words, as with the built-in planner; nobody else's is. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aUser, type TestApp } from '../support/app.ts';
import { answers, type StubModel } from '../support/model.ts';
import { aModelApp } from '../support/model-app.ts';
import { ACTION } from '../support/planning.ts';

let stub: StubModel;
let app: TestApp;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ stub, app, close } = await aModelApp());
});
afterAll(() => close());

const says = (change: object) =>
  stub.script(answers({ reply: 'As you wish.', actions: [{ ...ACTION, task_id: null, ...change }] }));

test('a proposal is moved, and taken back', async () => {
  const user = await aUser(app);
  says({ scheduled_for: '2026-11-23T10:00' });
  const first = (await user.post('/chat/respond', { prompt: 'Deep work on Monday at ten' }).expect(200)).body;
  const { uid } = first.plans[0];
  expect(first).toMatchObject({ planner: { mode: 'model' }, plans: [{ status: 'proposed', version: 1 }] });

  says({ target_plan_uid: uid, scheduled_for: '2026-11-24T11:00', duration_minutes: null });
  const moved = (await user.post('/chat/respond', { prompt: 'Rather Tuesday at eleven' }).expect(200)).body;
  expect(moved).toMatchObject({ planner: { mode: 'model' }, warnings: [] });
  expect(moved.plans).toMatchObject([
    { uid, status: 'proposed', version: 2, scheduled_for: '2026-11-24T10:00:00.000Z', duration_minutes: 90 },
  ]);

  says({ target_plan_uid: uid, duration_minutes: null, cancel: true });
  const gone = (await user.post('/chat/respond', { prompt: 'Forget it' }).expect(200)).body;
  expect(gone.plans).toMatchObject([{ uid, status: 'rejected', decision: { code: 'withdrawn' } }]);
  expect((await user.get('/agent/queue?status=proposed').expect(200)).body).toEqual([]);
});

test('an agent’s model changes no proposal of a person', async () => {
  const user = await aUser(app);
  says({ scheduled_for: '2026-11-23T10:00' });
  const [plan] = (await user.post('/agent/plan', { prompt: 'Deep work on Monday at ten' }).expect(200)).body;
  says({ target_plan_uid: plan.uid, scheduled_for: '2026-11-25T11:00' });
  await user.agent.post('/agent/plan', { prompt: 'Rather Wednesday at eleven' });
  expect(stub.requests.at(-1)?.body.messages.at(-1)?.content).toContain('a proposal of somebody else');
  const [same] = (await user.get('/agent/queue?status=proposed').expect(200)).body;
  expect(same).toMatchObject({ uid: plan.uid, version: 1, scheduled_for: '2026-11-23T09:00:00.000Z' });
});

test('of several windows the first with free time is taken, and a change to them names all', async () => {
  const user = await aUser(app);
  const windows = [24, 25].map((day) => ({ start: `2026-11-${day}T12:00`, end: `2026-11-${day}` }));
  says({ title: 'Haircut', between: windows[0], or_between: windows.slice(1) });
  const prompt = 'A haircut on Tuesday, failing that Wednesday, never in the morning';
  const first = (await user.post('/chat/respond', { prompt }).expect(200)).body;
  expect(first).toMatchObject({
    warnings: [],
    plans: [{ status: 'proposed', scheduled_for: expect.stringMatching(/^2026-11-24T1[1-9]/) }],
    commands: [{ avoid: [{ start: '2026-11-24T23:00:00.000Z', end: '2026-11-25T11:00:00.000Z' }] }],
  });

  const other = await aUser(app);
  const busy = { title: 'Away', scheduled_for: '2026-11-24T00:00', duration_minutes: 36 * 60 };
  await other.post('/calendar/create', busy).expect(201);
  const second = (await other.post('/chat/respond', { prompt }).expect(200)).body;
  expect(second.plans).toMatchObject([
    { status: 'proposed', scheduled_for: expect.stringMatching(/^2026-11-25T1[1-9]/) },
  ]);

  says({
    ...{ target_plan_uid: first.plans[0].uid, duration_minutes: null },
    ...{ between: windows[0], or_between: windows.slice(1) },
  });
  const { reply } = (await user.post('/chat/respond', { prompt: 'Tuesday or Wednesday, not too early' })).body;
  expect(reply).toContain('Tuesday 24 November, 12:00 to 24:00 or Wednesday 25 November, 12:00 to 24:00');
});
