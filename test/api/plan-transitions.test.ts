/** What may be made of a plan, as stories: records that stay records, decisions on what was seen, plans that can be carried out. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aKey, anApp, aUser, type TestApp, type TestUser } from '../support/app.ts';
import { changeSchema } from '../support/db.ts';
import { theLastVersion } from '../support/plans.ts';

let app: TestApp;
beforeAll(async () => {
  app = await anApp();
});
afterAll(() => app.close());

const call = (more: object = {}) => ({
  action_type: 'schedule',
  title: 'Call the supplier',
  scheduled_for: '2026-11-27T15:30',
  duration_minutes: 20,
  task_id: 'contract',
  ...more,
});

// oxlint-disable-next-line typescript/no-explicit-any -- plans as answered
type Plan = any;
const propose = async (agent: Pick<TestUser, 'post'>, ...actions: object[]): Promise<Plan[]> =>
  (await agent.post('/agent/plan', { actions }).expect(200)).body;
const read = async (user: Pick<TestUser, 'get'>, uid: string): Promise<Plan> =>
  (await user.get(`/agent/plan?uid=${uid}`).expect(200)).body;
const events = async (user: TestUser): Promise<Plan[]> =>
  (await user.get('/calendar/events?start=2026-11-20&end=2027-01-31').expect(200)).body;
const edit = (who: Pick<TestUser, 'patch'>, uid: string, updates: object) =>
  who.patch('/memory/edit', { uid, updates });
const manually = (user: TestUser) => user.patch('/user/update', { updates: { execution: 'manual' } }).expect(200);
const anEvent = async (user: TestUser, title = 'Board meeting'): Promise<Plan> =>
  (await user.post('/calendar/create', { title, scheduled_for: '2026-11-25T10:00', duration_minutes: 60 }).expect(201))
    .body;
const aMove = async (user: TestUser, more: object = {}): Promise<Plan> => {
  const event = await anEvent(user);
  const move = { action_type: 'reschedule', title: 'Move it to 11', target_event_uid: event.uid };
  return (await propose(user.agent, { ...move, scheduled_for: '2026-11-25T11:00', ...more }))[0];
};

describe('an imported plan', () => {
  const imported = async (user: TestUser, status: string): Promise<string> => {
    const uid = `was-${status}`;
    const trace = { uid, type: 'agent_plan', content: 'As it was.', timestamp: '2026-11-20T10:00' };
    const plan = { ...call(), action_type: 'log', scheduled_for: '2026-11-21T08:00', status };
    await user.post('/memport/import', { traces: [{ ...trace, ...plan }] }).expect(200);
    return uid;
  };

  test('stays a record, whatever is noted on it', async () => {
    const user = await aUser(app);
    const uid = await imported(user, 'approved');
    await user.agent.post('/agent/feedback', { uid, feedback_rating: 5 }).expect(200);
    await edit(user, uid, { tags: ['#old'] }).expect(200);
    await user.patch('/user/update', { updates: { execution: 'manual' } }).expect(200);
    await user.patch('/user/update', { updates: { execution: 'automatic' } }).expect(200);
    await app.executor.round();
    expect(await read(user, uid)).toMatchObject({ status: 'approved', executed_at: null, tags: ['#old'] });
    const { body } = await user.post('/agent/execute', { task_id: 'contract' }).expect(409);
    expect(body).toMatchObject({ code: 'not_approved' });
    expect(body.detail).toContain('imported');
  });

  test('waits for nobody: it is not pending, does not lapse, and can’t be approved', async () => {
    const user = await aUser(app);
    const uid = await imported(user, 'proposed');
    await edit(user, uid, { tags: ['#old'] }).expect(200);
    await app.executor.round();
    expect((await user.get('/agent/queue').expect(200)).body).toEqual([]);
    expect((await user.get('/agent/queue?status=proposed').expect(200)).body).toMatchObject([{ uid, revision: 1 }]);
    const { body } = await user.post('/agent/approve', { uid, expected_version: 2 }).expect(409);
    expect(body).toMatchObject({ code: 'illegal_transition' });
    expect(body.detail).toContain('was imported');
    expect((await edit(user, uid, { title: 'Now' }).expect(409)).body.code).toBe('illegal_transition');
    expect((await read(user, uid)).status).toBe('proposed');
  });

  test('can’t be made due, not even in SQL', async () => {
    const user = await aUser(app);
    await imported(user, 'approved');
    const alive = `update traces set due_at = now() where user_id = $1 and uid = 'was-approved'`;
    await expect(app.database.handle.query(alive, [user.user_id])).rejects.toThrow('traces_due_approved');
  });
});

test('notes on an approved plan leave the time when it is carried out', async () => {
  const own = await anApp({ database: app.database });
  const user = await aUser(own);
  const person = await aKey(own, user, 'user');
  const [later] = await propose(user.agent, call({ action_type: 'log', scheduled_for: '2026-11-21T12:00' }));
  await person.post('/agent/approve', { uid: later.uid }).expect(200);
  await user.agent.post('/agent/feedback', { uid: later.uid, notes: 'Soon.' }).expect(200);
  await edit(person, later.uid, { tags: ['#soon'] }).expect(200);
  own.clock.set('2026-11-21T10:59:59.999Z');
  await own.executor.round();
  expect((await read(person, later.uid)).status).toBe('approved');
  own.clock.set('2026-11-21T11:00:00.000Z');
  await own.executor.round();
  expect((await read(person, later.uid)).status).toBe('executed');
  await own.close();
});

describe('what is approved is what was seen', () => {
  test('a plan changed since it was proposed needs the version that was seen', async () => {
    const user = await aUser(app);
    const [plan] = await propose(user.agent, call());
    expect(plan).toMatchObject({ version: 1, revision: 1 });
    expect((await edit(user.agent, plan.uid, { title: 'Call the bank' }).expect(200)).body.revision).toBe(2);
    const { body } = await user.post('/agent/approve', { uid: plan.uid }).expect(428);
    expect(body).toMatchObject({ code: 'precondition_required', version: 2, revision: 2 });
    expect(body.detail).toContain('expected_version');
    await user.post('/agent/approve', { uid: plan.uid, edits: { title: 'x' } }).expect(428);
    await user.post('/agent/approve', { uid: plan.uid, expected_version: 1 }).expect(412);
    expect((await user.get('/agent/queue').expect(200)).body).toMatchObject([{ uid: plan.uid, revision: 2 }]);
    const { changes } = (await user.get('/agent/changes?after=0').expect(200)).body;
    expect(changes.at(-1)).toMatchObject({ type: 'queue.changed', data: { uid: plan.uid, revision: 2 } });
    await user.post('/agent/approve', { uid: plan.uid }).set('If-Match', '"2"').expect(200);
    // Again is the same answer again; not to somebody who has seen something else.
    await user.post('/agent/approve', { uid: plan.uid, expected_version: 2 }).expect(200);
    await user.post('/agent/approve', { uid: plan.uid, expected_version: 1 }).expect(412);
  });

  test('feedback and tags, looped, take no approval away', async () => {
    const user = await aUser(app);
    const [plan] = await propose(user.agent, call());
    for (let i = 1; i <= 5; i++) {
      await user.agent.post('/agent/feedback', { uid: plan.uid, feedback_rating: i }).expect(200);
      await edit(user.agent, plan.uid, { tags: [`#${i}`] }).expect(200);
    }
    expect(await read(user, plan.uid)).toMatchObject({ version: 11, revision: 1 });
    expect((await user.post('/agent/approve', { uid: plan.uid, expected_version: 1 }).expect(200)).body.status).toBe(
      'executed',
    );
    const [other] = await propose(user.agent, call({ scheduled_for: '2026-11-27T17:00' }));
    await user.agent.post('/agent/feedback', { uid: other.uid, feedback_rating: 1 }).expect(200);
    await user.post('/agent/reject', { uid: other.uid, expected_version: 1 }).expect(200);
  });

  test('several are approved with a version for each', async () => {
    const user = await aUser(app);
    const [one, two, three] = await propose(
      user.agent,
      ...[9, 10, 11].map((hour) => call({ scheduled_for: `2026-11-27T${String(hour).padStart(2, '0')}:00` })),
    );
    for (const { uid } of [one, two]) await edit(user.agent, uid, { content: 'Other words.' }).expect(200);
    const uids = [one.uid, two.uid, three.uid];
    const batch = (expected_versions?: object) => user.post('/agent/approve', { uids, expected_versions });
    const { body } = await batch({ [one.uid]: 2 }).expect(200);
    expect(body.map((r: Plan) => [r.status, r.problem?.code])).toEqual([
      [200, undefined],
      [428, 'precondition_required'],
      [200, undefined],
    ]);
    expect((await batch({ stranger: 1 }).expect(422)).body.errors[0].path).toBe('/expected_versions');
    await user.post('/agent/approve', { uid: two.uid, expected_versions: { [two.uid]: 2 } }).expect(422);
    await user.post('/agent/reject', { uids: [two.uid], expected_versions: { [two.uid]: 1 } }).expect(200);
    expect((await read(user, two.uid)).status).toBe('proposed');
  });

  test('a move that became a cancellation says so, whatever the agent called it', async () => {
    const user = await aUser(app);
    const plan = await aMove(user);
    const { body } = await edit(user.agent, plan.uid, { arguments: { cancel: true }, title: 'Move it to 11' }).expect(
      200,
    );
    expect(body).toMatchObject({ title: 'Cancel “Board meeting”', content: 'Cancel “Board meeting”' });
    await user.post('/agent/approve', { uid: plan.uid }).expect(428);
    expect(await events(user)).toHaveLength(1);
    const back = (await edit(user.agent, plan.uid, { arguments: {} }).expect(200)).body;
    expect(back).toMatchObject({ title: 'Move “Board meeting”' });
    const own = { arguments: { cancel: true }, title: 'No board this week' };
    expect((await edit(user, plan.uid, own).expect(200)).body.title).toBe('No board this week');
  });

  test('a cancellation that is corrected to a time is a move, and says so', async () => {
    const user = await aUser(app);
    const plan = await aMove(user, { title: 'Cancel the board', scheduled_for: null, arguments: { cancel: true } });
    const [same] = (await user.agent.post('/agent/plan', { prompt: 'Move it to Friday at 14:00' }).expect(200)).body;
    expect(same).toMatchObject({ uid: plan.uid, title: 'Move “Board meeting”', arguments: {} });
    await user.post('/agent/approve', { uid: plan.uid, expected_version: same.version }).expect(200);
    expect(await events(user)).toMatchObject([{ scheduled_for: '2026-11-27T13:00:00.000Z' }]);
  });

  test('a move that is corrected to another time names that one', async () => {
    const user = await aUser(app);
    await anEvent(user);
    const ask = async (prompt: string): Promise<Plan> =>
      (await user.agent.post('/agent/plan', { prompt }).expect(200)).body[0];
    const first = await ask('Move the board meeting to Friday at 14:00');
    expect(first).toMatchObject({ action_type: 'reschedule', content: expect.stringContaining('14:00') });
    const second = await ask('Move it to 16:00');
    expect(second).toMatchObject({ uid: first.uid, scheduled_for: '2026-11-27T15:00:00.000Z' });
    expect(second.content).toContain('16:00');
    expect(second.content).not.toContain('14:00');
  });

  test('plans of release 0.1, which don’t say their revision, stay approvable', async () => {
    const user = await aUser(app);
    const [fresh, changed] = await propose(user.agent, call(), call({ scheduled_for: '2026-11-27T17:00' }));
    await edit(user.agent, changed.uid, { title: 'Changed' }).expect(200);
    for (const { uid } of [fresh, changed])
      await theLastVersion(app, user.user_id, uid, (plan) => ({ ...plan, revision: undefined }));
    expect((await user.get('/agent/queue').expect(200)).body).toMatchObject([{ revision: 1 }, { revision: 2 }]);
    await user.post('/agent/approve', { uid: fresh.uid }).expect(200);
    await user.post('/agent/approve', { uid: changed.uid }).expect(428);
    await user.agent.post('/agent/feedback', { uid: changed.uid, feedback_rating: 4 }).expect(200);
    await user.post('/agent/approve', { uid: changed.uid, expected_version: 2 }).expect(200);
  });
});

test.each([
  ['Move call the supplier to 16:00', 'user', true],
  ['Make call the supplier 45 minutes long', 'user', true],
  ['Move call the supplier to next week', 'user', false],
  ['Move call the supplier to 16:00', 'agent', false],
])('“%s” by the %s pins what is named: %s', async (prompt, by, pinned) => {
  const user = await aUser(app);
  const who = by === 'user' ? user : user.agent;
  const [plan] = await propose(who, call());
  await who.post('/chat/respond', { prompt }).expect(200);
  expect((await user.get(`/agent/plan?uid=${plan.uid}`).expect(200)).body).toMatchObject({ version: 2, pinned });
});

test('a person who chose the length of a proposal may ask in words for any other time', async () => {
  const user = await aUser(app);
  const [plan] = await propose(user, call());
  await user.post('/chat/respond', { prompt: 'Make call the supplier 45 minutes long' }).expect(200);
  expect(await read(user, plan.uid)).toMatchObject({ pinned: true, version: 2 });
  await user.post('/chat/respond', { prompt: 'Move call the supplier to next week' }).expect(200);
  const moved = await read(user, plan.uid);
  expect(moved).toMatchObject({ duration_minutes: 45, version: 3 });
  expect(moved.scheduled_for).not.toBe(plan.scheduled_for);
});

test('two corrections of one proposal in a prompt are both made', async () => {
  const user = await aUser(app);
  const [plan] = await propose(user.agent, call());
  const prompt = 'Move call the supplier to 16:00. Make call the supplier 45 minutes long.';
  await user.agent.post('/agent/plan', { prompt }).expect(200);
  expect(await read(user, plan.uid)).toMatchObject({ scheduled_for: '2026-11-27T15:00:00.000Z', duration_minutes: 45 });
});

describe('what could never be carried out', () => {
  test('is refused when it is proposed or changed', async () => {
    const user = await aUser(app);
    const endless = call({ scheduled_for: null, duration_minutes: null, arguments: { cancel: true } });
    expect([200, 422]).toContain((await user.agent.post('/agent/plan', { actions: [endless] })).status);
    const cancel = await aMove(user, { scheduled_for: null, arguments: { cancel: true } });
    const bare = (await edit(user.agent, cancel.uid, { arguments: {} }).expect(422)).body;
    expect(bare.errors).toMatchObject([{ path: '/updates/scheduled_for', code: 'required' }]);
    const [day] = await propose(
      user.agent,
      call({ scheduled_for: '2026-11-28', duration_minutes: null, arguments: { all_day: true } }),
    );
    await edit(user.agent, day.uid, { scheduled_for: null }).expect(422);
    const { body } = await user.get('/agent/queue').expect(200);
    for (const { uid, version } of body)
      await user.post('/agent/approve', { uid, expected_version: version }).expect(200);
  });

  test('is refused by an approval where release 0.1 let it in, and takes nothing from the others of a batch', async () => {
    const user = await aUser(app);
    const [good, bad, fine] = await propose(
      user.agent,
      call(),
      call({ scheduled_for: '2026-11-27T17:00' }),
      call({ scheduled_for: '2026-11-27T18:00' }),
    );
    await theLastVersion(app, user.user_id, bad.uid, (plan) => ({ ...plan, scheduled_for: null }));
    const body = { uids: [good.uid, bad.uid, fine.uid] };
    const first = await user.post('/agent/approve', body).set('Idempotency-Key', 'all').expect(200);
    expect(first.body.map((r: Plan) => [r.status, r.problem?.errors?.[0].path])).toEqual([
      [200, undefined],
      [422, '/edits/scheduled_for'],
      [200, undefined],
    ]);
    const again = await user.post('/agent/approve', body).set('Idempotency-Key', 'all').expect(200);
    expect(again.body).toEqual(first.body);
    const edits = { scheduled_for: '2026-11-27T19:00' };
    await user.post('/agent/approve', { uid: bad.uid, edits }).expect(200);
  });

  test('a fault of the service with one plan is that plan’s, in a batch and in a task', async () => {
    const own = await anApp({ env: { LOG_LEVEL: 'silent' } });
    const user = await aUser(own);
    await changeSchema(
      own.database.handle,
      `create function broken() returns trigger language plpgsql as $$ begin
        if new.task_id = 'broken' then raise exception 'broken page' using errcode = 'XX000'; end if; return new; end $$`,
      'create trigger broken before insert on events for each row execute function broken()',
    );
    const [one, bad, two] = await propose(
      user.agent,
      call(),
      call({ task_id: 'broken', scheduled_for: '2026-11-27T17:00' }),
      call({ scheduled_for: '2026-11-27T18:00' }),
    );
    const batch = () =>
      user
        .post('/agent/approve', { uids: [one.uid, bad.uid, two.uid] })
        .set('Idempotency-Key', 'batch')
        .expect(200);
    const { body } = await batch();
    expect(body.map((r: Plan) => [r.status, r.plan?.status ?? r.problem.code])).toEqual([
      [200, 'executed'],
      [500, 'internal_error'],
      [200, 'executed'],
    ]);
    expect(JSON.stringify(body)).not.toContain('broken page');
    expect((await batch()).body).toEqual(body);
    expect((await read(user, bad.uid)).status).toBe('proposed');
    await manually(user);
    await user.post('/agent/approve', { uid: bad.uid }).expect(200);
    const run = (await user.post('/agent/execute', { task_id: 'broken' }).expect(200)).body;
    expect(run.log).toMatchObject([{ uid: bad.uid, to: 'approved', problem: { code: 'internal_error', status: 500 } }]);
    expect((await user.get('/debug/audit').expect(200)).body.ok).toBe(true);
    await own.close();
  });
});

describe('a task', () => {
  test('is executed as far as it goes: a plan whose event is gone has its own problem', async () => {
    const user = await aUser(app);
    await manually(user);
    const move = await aMove(user, { task_id: 'contract' });
    const [before, after] = await propose(
      user.agent,
      call({ scheduled_for: '2026-11-24T09:00' }),
      call({ scheduled_for: '2026-11-27T09:00' }),
    );
    await user.post('/agent/approve', { uids: [before.uid, move.uid, after.uid] }).expect(200);
    await user.delete(`/calendar/remove?uid=${move.target_event_uid}`).expect(200);
    const told = [
      [before.uid, 'executed', undefined],
      [move.uid, 'approved', 'event_not_found'],
      [after.uid, 'executed', undefined],
    ];
    for (const simulate of [true, false]) {
      const { body } = await user.agent.post('/agent/execute', { task_id: 'contract', simulate }).expect(200);
      expect(body.log.map((e: Plan) => [e.uid, e.to, e.problem?.code])).toEqual(told);
      expect(body.events).toHaveLength(2);
    }
    expect((await events(user)).map((e) => e.plan_uid)).toEqual([before.uid, after.uid]);
    expect((await user.get('/debug/audit').expect(200)).body.ok).toBe(true);
    await user.post('/agent/reject', { uid: move.uid }).expect(200);
  });

  test('finds its approved plan among a thousand others', async () => {
    const user = await aUser(app);
    await manually(user);
    const old = (i: number) => ({
      ...call({ action_type: 'log', scheduled_for: '2026-11-20T10:00' }),
      ...{ uid: `old-${i}`, type: 'agent_plan', content: 'Old.', timestamp: '2026-11-20T10:00', status: 'rejected' },
    });
    await user.post('/memport/import', { traces: Array.from({ length: 1000 }, (_, i) => old(i)) }).expect(200);
    const [plan] = await propose(user.agent, call());
    await user.post('/agent/approve', { uid: plan.uid }).expect(200);
    const { body } = await user.agent.post('/agent/execute', { task_id: 'contract' }).expect(200);
    expect(body.log).toMatchObject([{ uid: plan.uid, to: 'executed' }]);
    expect((await user.agent.post('/agent/execute', { task_id: 'contract' }).expect(200)).body.replayed).toBe(true);
  });

  test('with more plans than one request carries out says so; those that wait don’t keep others from it', async () => {
    const user = await aUser(app);
    await manually(user);
    const log = (scheduled_for: string | null) => call({ action_type: 'log', scheduled_for });
    const waiting = await propose(user.agent, ...Array.from({ length: 60 }, () => log('2026-11-22T10:00')));
    const ready = await propose(user.agent, ...Array.from({ length: 60 }, () => log(null)));
    const uids = [...waiting, ...ready].map((p) => p.uid);
    await user.post('/agent/approve', { uids: uids.slice(0, 100) }).expect(200);
    await user.post('/agent/approve', { uids: uids.slice(100) }).expect(200);
    const run = async () => (await user.agent.post('/agent/execute', { task_id: 'contract' }).expect(200)).body;
    const first = await run();
    expect(first.more).toBe(true);
    expect(first.log).toHaveLength(100);
    expect(first.log.filter((e: Plan) => e.to === 'executed')).toHaveLength(60);
    const second = await run();
    expect(second.more).toBeUndefined();
    expect(second.log.every((e: Plan) => e.problem?.code === 'not_due')).toBe(true);
  });
});

test('an edit of an approved plan passes what its approval passed: the budget of the day, and room', async () => {
  const user = await aUser(app);
  const limits = {
    budget: { per_day: 1 },
    cadence: [{ id: 'calm', action_type: 'schedule', tag: '#call', max: 1, per: 'week' }],
  };
  await user.patch('/user/update', { updates: { execution: 'manual', limits } }).expect(200);
  const [full, plan] = await propose(
    user.agent,
    call({ tags: ['#call'] }),
    call({ scheduled_for: '2026-11-26T10:00' }),
  );
  await user.post('/agent/approve', { uids: [full.uid, plan.uid] }).expect(200);
  const onto = (updates: object, status: number) => edit(user, plan.uid, updates).expect(status);
  expect((await onto({ scheduled_for: '2026-11-27T10:00' }, 409)).body).toMatchObject({
    code: 'limit_reached',
    limit: 'limit:budget_day',
  });
  expect((await onto({ tags: ['#call'] }, 409)).body.limit).toBe('limit:cadence:calm');
  await anEvent(user);
  expect((await onto({ scheduled_for: '2026-11-25T10:30' }, 409)).body.code).toBe('slot_taken');
  expect(await read(user, plan.uid)).toMatchObject({ version: 2, scheduled_for: '2026-11-26T09:00:00.000Z', tags: [] });
  const { body } = await onto({ scheduled_for: '2026-11-26T12:00' }, 200);
  expect(body).toMatchObject({ status: 'approved', decision: { note: 'edited after approval' }, revision: 3 });
});
