/** The planner queue as people and agents use it: propose, decide, execute; limits, slots, races. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aKey, anApp, aUser, type TestApp, type TestUser } from '../support/app.ts';
import { changeSchema } from '../support/db.ts';

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

const propose = async (agent: TestUser['agent'], ...actions: object[]) =>
  (await agent.post('/agent/plan', { actions }).expect(200)).body;
const events = async (user: TestUser) =>
  (await user.get('/calendar/events?start=2026-11-20&end=2027-01-31').expect(200)).body;
const traces = async (user: TestUser, query = '') => (await user.get(`/memory/pull?${query}`).expect(200)).body;

describe('from proposal to event', () => {
  test('an agent proposes, the person approves, the calendar shows it, the record tells it', async () => {
    const user = await aUser(app);
    const [plan] = await propose(user.agent, call({ reasoning: 'The contract ends soon.' }));
    expect(plan).toMatchObject({
      status: 'proposed',
      origin: 'agent',
      scheduled_for: '2026-11-27T14:30:00.000Z',
      version: 1,
      decision: null,
      type: 'agent_plan',
    });
    expect(plan.reasoning).toContain('The contract ends soon.');
    expect(plan.temporal_estimate).toEqual({
      start: '2026-11-27T14:30:00.000Z',
      end: '2026-11-27T14:50:00.000Z',
      duration_minutes: 20,
    });
    const queue = await user.get('/agent/queue').expect(200);
    expect(queue.body.map((p: { uid: string }) => p.uid)).toEqual([plan.uid]);
    expect(await events(user)).toEqual([]);

    const { body: done } = await user
      .post('/agent/approve', { uid: plan.uid, note: 'Good.', expected_version: 1 })
      .expect(200);
    expect(done).toMatchObject({ status: 'executed', decision: { code: 'user', note: 'Good.' } });
    const [event] = await events(user);
    expect(event).toMatchObject({
      uid: done.linked_event_uid,
      title: 'Call the supplier',
      plan_uid: plan.uid,
      scheduled_for: '2026-11-27T14:30:00.000Z',
      duration_minutes: 20,
    });
    const children = await traces(user, 'order=asc');
    const records = children.filter((t: { transition?: object }) => t.transition);
    expect(
      records.map((t: { transition: { from: string; to: string } }) => `${t.transition.from}>${t.transition.to}`),
    ).toEqual(['proposed>approved', 'approved>executed']);
    for (const record of records) expect(record.linked_trace_ids).toEqual([plan.uid]);
    expect(done.child_trace_ids).toEqual(expect.arrayContaining(records.map((t: { uid: string }) => t.uid)));
    const happened = children.find((t: { type: string }) => t.type === 'calendar_event');
    expect(done.child_trace_ids).toContain(happened.uid);
    const { body: history } = await user.get(`/memory/history?uid=${plan.uid}`).expect(200);
    expect(history.map((h: { action: string }) => h.action)).toEqual(['executed', 'approved', 'proposed']);
    // Approving again is the same answer again, also with the version seen first.
    expect((await user.post('/agent/approve', { uid: plan.uid, expected_version: 1 }).expect(200)).body.version).toBe(
      done.version,
    );
    expect(await events(user)).toHaveLength(1);
  });

  test('reschedule moves, cancel removes, reflect and log leave traces', async () => {
    const user = await aUser(app);
    const { body: event } = await user
      .post('/calendar/create', { title: 'Dentist', scheduled_for: '2026-11-25T10:00', duration_minutes: 60 })
      .expect(201);
    const [move] = await propose(user.agent, {
      action_type: 'reschedule_event',
      title: 'Move the dentist',
      target_event_uid: event.uid,
      scheduled_for: '2026-11-26T11:00',
    });
    expect(move).toMatchObject({ action_type: 'reschedule', duration_minutes: 60 });
    await user.post('/agent/approve', { uid: move.uid }).expect(200);
    expect((await events(user))[0]).toMatchObject({
      uid: event.uid,
      scheduled_for: '2026-11-26T10:00:00.000Z',
      duration_minutes: 60,
    });
    const [cancel] = await propose(user.agent, {
      action_type: 'reschedule',
      title: 'Cancel the dentist',
      target_event_uid: event.uid,
      arguments: { cancel: true },
    });
    await user.post('/agent/approve', { uid: cancel.uid }).expect(200);
    expect(await events(user)).toEqual([]);

    await user
      .post('/memory/push', { traces: [{ type: 'observation', content: 'Deploy 42 went fine.', task_id: 'deploy' }] })
      .expect(201);
    const [log, reflect] = await propose(
      user.agent,
      { action_type: 'log', title: 'Deploy', content: 'The deploy took 4 minutes.', task_id: 'deploy' },
      { action_type: 'reflect', title: 'Deploy', content: 'What did we learn?', task_id: 'deploy' },
    );
    const { body } = await user.post('/agent/approve', { uids: [log.uid, reflect.uid] }).expect(200);
    expect(body.map((r: { status: number; plan: { status: string } }) => [r.status, r.plan.status])).toEqual([
      [200, 'executed'],
      [200, 'executed'],
    ]);
    const [reflection] = await traces(user, 'type=reflection');
    expect(reflection.content).toContain('Deploy 42 went fine');
    expect(reflection.content).toContain('The deploy took 4 minutes');
    expect(reflection.linked_trace_ids[0]).toBe(reflect.uid);
  });

  test('what is meant for later waits for its time, is never early, and catches up', async () => {
    const own = await anApp({ database: app.database });
    const user = await aUser(own);
    const person = await aKey(own, user, 'user'); // outlives the session
    const log = {
      action_type: 'log',
      title: 'Later',
      content: 'It is time.',
      scheduled_for: '2026-11-21T12:00',
      task_id: 'later',
    };
    const [later] = await propose(user.agent, log);
    expect((await person.post('/agent/approve', { uid: later.uid }).expect(200)).body.status).toBe('approved');
    own.clock.set('2026-11-21T10:59:59.999Z');
    await own.executor.round();
    expect((await person.get(`/agent/plan?uid=${later.uid}`).expect(200)).body.status).toBe('approved');
    expect((await user.agent.post('/agent/execute', { task_id: 'later' }).expect(200)).body.log[0]).toMatchObject({
      to: 'approved',
      problem: { code: 'not_due' },
    });
    own.clock.set('2026-11-23T08:00:00.000Z'); // two days later: a downtime
    await Promise.all([own.executor.round(), own.executor.round()]);
    expect((await person.get(`/agent/plan?uid=${later.uid}`).expect(200)).body).toMatchObject({
      status: 'executed',
      attempts: 1,
    });
    const { body } = await person.get('/memory/pull?task_id=later&type=observation').expect(200);
    expect(body.filter((t: { content: string }) => t.content === 'It is time.')).toHaveLength(1);
    await own.close();
  });

  test('undecided proposals lapse when their time has passed', async () => {
    const own = await anApp({ database: app.database });
    const user = await aUser(own);
    const [plan] = await propose(user.agent, call({ scheduled_for: '2026-11-21T10:15' }));
    own.clock.set('2026-11-21T09:30:00.000Z');
    expect((await user.post('/agent/approve', { uid: plan.uid }).expect(409)).body.code).toBe('illegal_transition');
    await own.executor.round();
    const { body } = await user.get('/agent/queue?status=rejected').expect(200);
    expect(body[0]).toMatchObject({ uid: plan.uid, decision: { by: 'policy', code: 'expired' } });
    await own.close();
  });
});

describe('deciding', () => {
  test('an agent can’t decide, and can only take back its own', async () => {
    const user = await aUser(app);
    const [plan] = await propose(user.agent, call());
    for (const path of ['/agent/approve', '/agent/reject'])
      expect((await user.agent.post(path, { uid: plan.uid }).expect(403)).body.missing).toEqual(['plan:decide']);
    const other = await aKey(app, user, 'agent');
    expect((await other.post('/agent/withdraw', { uid: plan.uid }).expect(403)).body.code).toBe('not_yours_to_edit');
    expect(
      (await other.patch('/memory/edit', { uid: plan.uid, updates: { title: 'Mine now' } }).expect(403)).body.code,
    ).toBe('not_yours_to_edit');
    const { body } = await user.agent.post('/agent/withdraw', { uid: plan.uid }).expect(200);
    expect(body).toMatchObject({ status: 'rejected', decision: { code: 'withdrawn' } });
    expect((await user.post('/agent/approve', { uid: plan.uid }).expect(409)).body).toMatchObject({
      code: 'illegal_transition',
      from: 'rejected',
      to: 'approved',
    });
  });

  test('approval binds the version that was seen', async () => {
    const user = await aUser(app);
    const [plan] = await propose(user.agent, call());
    await user.agent
      .patch('/memory/edit', { uid: plan.uid, updates: { title: 'Call the other supplier' } })
      .expect(200);
    expect((await user.post('/agent/approve', { uid: plan.uid, expected_version: 1 }).expect(412)).body).toMatchObject({
      code: 'version_mismatch',
      version: 2,
    });
    await user.post('/agent/approve', { uid: plan.uid }).set('If-Match', '"1"').expect(412);
    await user.post('/agent/approve', { uid: plan.uid }).set('If-Match', '"2"').expect(200);
    expect(
      (await user.agent.patch('/memory/edit', { uid: plan.uid, updates: { title: 'Too late' } }).expect(403)).body.code,
    ).toBe('not_yours_to_edit');
  });

  test('edit and approve in one', async () => {
    const user = await aUser(app);
    const [plan] = await propose(user.agent, call());
    const edits = { title: 'Ring the supplier', scheduled_for: '2026-11-27T16:00', duration_minutes: 30 };
    const { body } = await user.post('/agent/approve', { uid: plan.uid, edits }).expect(200);
    expect(body).toMatchObject({
      title: 'Ring the supplier',
      scheduled_for: '2026-11-27T15:00:00.000Z',
      duration_minutes: 30,
      status: 'executed',
    });
    expect((await events(user))[0]).toMatchObject({
      title: 'Ring the supplier',
      scheduled_for: '2026-11-27T15:00:00.000Z',
      duration_minutes: 30,
    });
  });

  test('simulated, an approval answers what it would answer now, and keeps nothing', async () => {
    const user = await aUser(app);
    const [plan] = await propose(user.agent, call());
    const ask = (more: object = {}) => user.post('/agent/approve', { uid: plan.uid, simulate: true, ...more });
    const { body: would } = await ask().expect(200);
    expect(would).toMatchObject({ status: 'executed', decision: { code: 'user' } });
    await user
      .post('/calendar/create', { title: 'Lunch', scheduled_for: '2026-11-27T15:00', duration_minutes: 60 })
      .expect(201);
    expect((await ask().expect(409)).body).toMatchObject({ code: 'slot_taken', busy: [{ title: 'Lunch' }] });
    await ask({ edits: { scheduled_for: '2026-11-27T16:00' } }).expect(200);
    await user.agent.post('/agent/approve', { uid: plan.uid, simulate: true }).expect(403);
    expect((await user.get(`/agent/plan?uid=${plan.uid}`).expect(200)).body).toMatchObject(plan);
    expect((await events(user)).map(({ title }: { title: string }) => title)).toEqual(['Lunch']);
  });

  test('a batch is answered item by item', async () => {
    const user = await aUser(app);
    const stranger = await aUser(app);
    const [theirs] = await propose(stranger.agent, call());
    const [one, two] = await propose(user.agent, call(), call({ scheduled_for: '2026-11-27T15:40' }));
    await user.post('/agent/reject', { uid: two.uid }).expect(200);
    const { body } = await user.post('/agent/approve', { uids: [one.uid, two.uid, theirs.uid, 'nothing'] }).expect(200);
    expect(body.map((r: { status: number; problem?: { code: string } }) => [r.status, r.problem?.code])).toEqual([
      [200, undefined],
      [409, 'illegal_transition'],
      [404, 'plan_not_found'],
      [404, 'plan_not_found'],
    ]);
    await user.post('/agent/approve', {}).expect(422);
    await user.post('/agent/approve', { uid: 'a', uids: ['b'] }).expect(422);
  });

  test('an executed plan may be edited by a person only, and that is recorded', async () => {
    const user = await aUser(app);
    const [plan] = await propose(user.agent, call());
    await user.post('/agent/approve', { uid: plan.uid }).expect(200);
    await user.agent.patch('/memory/edit', { uid: plan.uid, updates: { content: 'x' } }).expect(403);
    const { body } = await user
      .patch('/memory/edit', { uid: plan.uid, updates: { content: 'Called; they sign on Monday.' } })
      .expect(200);
    expect(body).toMatchObject({ status: 'executed', content: 'Called; they sign on Monday.' });
    const records = (await traces(user, 'type=observation')).filter(
      (t: { transition?: { to: string } }) => t.transition?.to === 'edited',
    );
    expect(records).toHaveLength(1);
    await user.patch('/memory/edit', { uid: plan.uid, updates: { scheduled_for: '2026-12-01T10:00' } }).expect(422);
    expect(
      (await user.patch('/memory/edit', { uid: records[0].uid, updates: { content: 'rewritten' } }).expect(409)).body
        .code,
    ).toBe('immutable_trace');
    expect((await user.delete(`/memory/remove?uid=${records[0].uid}`).expect(409)).body.code).toBe('immutable_trace');
  });

  test('an approved plan can be cancelled until it is carried out', async () => {
    const user = await aUser(app);
    await user.patch('/user/update', { updates: { execution: 'manual' } }).expect(200);
    const [plan] = await propose(user.agent, call());
    expect((await user.post('/agent/approve', { uid: plan.uid }).expect(200)).body.status).toBe('approved');
    expect(await events(user)).toEqual([]);
    expect((await user.post('/agent/reject', { uid: plan.uid }).expect(200)).body.decision.code).toBe('cancelled');
    expect((await user.post('/agent/execute', { task_id: 'contract' }).expect(409)).body.code).toBe('not_approved');
  });

  test('feedback lands on the trace and in the log', async () => {
    const user = await aUser(app);
    const [plan] = await propose(user.agent, call());
    await user.post('/agent/approve', { uid: plan.uid }).expect(200);
    const { body } = await user
      .post('/agent/feedback', { uid: plan.uid, feedback_rating: 4, notes: 'Good hour.' })
      .expect(200);
    expect(body).toMatchObject({ feedback_rating: 4, notes: 'Good hour.', status: 'executed' });
    expect((await traces(user, 'tag=feedback'))[0].linked_trace_ids).toEqual([plan.uid]);
    await user.post('/agent/feedback', { uid: plan.uid }).expect(422);
    await user.post('/agent/feedback', { uid: plan.uid, feedback_rating: 6 }).expect(422);
    await user.post('/agent/feedback', { uid: 'nothing', feedback_rating: 1 }).expect(404);
  });
});

describe('execution by hand', () => {
  test('simulate runs the same code and keeps nothing; execute once, then replay', async () => {
    const user = await aUser(app);
    await user.patch('/user/update', { updates: { execution: 'manual' } }).expect(200);
    const [plan] = await propose(user.agent, call());
    expect((await user.agent.post('/agent/execute', { task_id: 'contract' }).expect(409)).body.code).toBe(
      'not_approved',
    );
    await user.agent.post('/agent/execute', { task_id: 'no such task' }).expect(404);
    await user.post('/agent/approve', { uid: plan.uid }).expect(200);
    const before = (await user.post('/debug/trace-dump', {}).expect(200)).body.metadata.seq;
    const simulated = await user.agent.post('/agent/execute', { task_id: 'contract', simulate: true }).expect(200);
    expect(simulated.body).toMatchObject({
      simulated: true,
      log: [{ uid: plan.uid, from: 'approved', to: 'executed' }],
      events: [{ title: 'Call the supplier' }],
    });
    expect(await events(user)).toEqual([]);
    expect((await user.post('/debug/trace-dump', {})).body.metadata.seq).toBe(before);
    const { body } = await user.agent.post('/agent/execute', { task_id: 'contract' }).expect(200);
    expect(body).toMatchObject({ simulated: false, log: [{ uid: plan.uid, to: 'executed' }] });
    const again = await user.agent.post('/agent/execute', { task_id: 'contract' }).expect(200);
    expect(again.body).toMatchObject({ replayed: true, log: body.log });
    expect(await events(user)).toHaveLength(1);
  });
});

test('from manual to automatic, what is approved is carried out; and back, it waits', async () => {
  const user = await aUser(app);
  await user.patch('/user/update', { updates: { execution: 'manual' } }).expect(200);
  const [plan] = await propose(user.agent, call());
  await user.post('/agent/approve', { uid: plan.uid }).expect(200);
  await app.executor.round();
  expect(await events(user)).toEqual([]);
  await user.patch('/user/update', { updates: { execution: 'automatic' } }).expect(200);
  await user.patch('/user/update', { updates: { execution: 'manual' } }).expect(200);
  await app.executor.round();
  expect(await events(user)).toEqual([]);
  await user.patch('/user/update', { updates: { execution: 'automatic' } }).expect(200);
  await app.executor.round();
  expect(await events(user)).toHaveLength(1);
});

describe('failures', () => {
  /** Approved under manual execution, so that the world can change before the executor comes. */
  const approvedLater = async (user: TestUser, action: object) => {
    await user.patch('/user/update', { updates: { execution: 'manual' } }).expect(200);
    const [plan] = await propose(user.agent, action);
    await user.post('/agent/approve', { uid: plan.uid }).expect(200);
    return plan.uid as string;
  };
  const execute = async (user: TestUser, on: TestApp = app) => {
    await user.patch('/user/update', { updates: { execution: 'automatic' } }).expect(200);
    await on.executor.round();
  };
  const read = async (user: Pick<TestUser, 'get'>, uid: string) =>
    (await user.get(`/agent/plan?uid=${uid}`).expect(200)).body;

  test('a slot taken meanwhile gives the plan back to the record, not to the calendar', async () => {
    const user = await aUser(app);
    const uid = await approvedLater(user, call());
    await user
      .post('/calendar/create', { title: 'Doctor', scheduled_for: '2026-11-27T15:00', duration_minutes: 60 })
      .expect(201);
    await execute(user);
    expect(await read(user, uid)).toMatchObject({ status: 'rejected', decision: { by: 'policy', code: 'slot_taken' } });
    expect((await events(user)).map((e: { title: string }) => e.title)).toEqual(['Doctor']);
  });

  test('what can never work fails at once and says why', async () => {
    const user = await aUser(app);
    const event = await user
      .post('/calendar/create', { title: 'Dentist', scheduled_for: '2026-11-25T10:00', duration_minutes: 60 })
      .expect(201);
    const uid = await approvedLater(user, {
      action_type: 'reschedule',
      title: 'x',
      target_event_uid: event.body.uid,
      scheduled_for: '2026-11-26T10:00',
    });
    await user.delete(`/calendar/remove?uid=${event.body.uid}`).expect(200);
    await execute(user);
    const plan = await read(user, uid);
    expect(plan).toMatchObject({ status: 'rejected', attempts: 1, decision: { code: 'failed' } });
    expect(plan.last_error).toContain(event.body.uid);
  });

  test('a fault of the service is tried again, later each time, five times', async () => {
    const own = await anApp({ database: app.database });
    const user = await aUser(own);
    const person = await aKey(own, user, 'user');
    const { handle } = app.database;
    await changeSchema(
      handle,
      `create function broken() returns trigger language plpgsql as $$ begin
        if new.task_id = 'broken' then raise exception 'broken page' using errcode = 'XX000'; end if; return new; end $$`,
      'create trigger broken before insert on events for each row execute function broken()',
    );
    const uid = await approvedLater(user, call({ task_id: 'broken', scheduled_for: '2026-12-27T15:30' }));
    await execute(user, own);
    expect(await read(person, uid)).toMatchObject({ status: 'approved', attempts: 1, last_error: expect.any(String) });
    await own.executor.round(); // not before its next try is due
    expect((await read(person, uid)).attempts).toBe(1);
    for (let tries = 2; tries <= 4; tries++) {
      own.clock.advance(20 * 60_000);
      await own.executor.round();
      expect(await read(person, uid)).toMatchObject({ status: 'approved', attempts: tries });
    }
    await changeSchema(handle, 'drop trigger broken on events');
    own.clock.advance(20 * 60_000);
    await own.executor.round();
    expect(await read(person, uid)).toMatchObject({ status: 'executed', attempts: 5, last_error: null });
    expect(JSON.stringify(await read(person, uid))).not.toContain('broken page');
    await own.close();
  });
});

describe('slots and limits', () => {
  test('several without a time go around each other, the important one first', async () => {
    const user = await aUser(app);
    const focus = (title: string, priority?: number) => ({
      action_type: 'schedule',
      title,
      duration_minutes: 180,
      ...(priority ? { priority } : {}),
    });
    const plans = await propose(user.agent, focus('first'), focus('urgent', 5), focus('last'));
    expect(plans.map((p: { title: string }) => p.title)).toEqual(['first', 'urgent', 'last']);
    const [first, urgent, last] = plans.map((p: { scheduled_for: string }) => p.scheduled_for);
    expect(urgent < first && first < last).toBe(true);
    expect(Date.parse(last) - Date.parse(first)).toBeGreaterThanOrEqual(180 * 60_000);
  });

  test('a busy time is refused with a code and alternatives; a free one is found', async () => {
    const user = await aUser(app);
    await user
      .post('/calendar/create', { title: 'Board', scheduled_for: '2026-11-27T15:00', duration_minutes: 120 })
      .expect(201);
    const [refused] = await propose(user.agent, call());
    expect(refused).toMatchObject({ status: 'rejected', decision: { by: 'policy', code: 'slot:blocked' } });
    expect(refused.decision.alternatives.length).toBeGreaterThan(0);
    const [past] = await propose(user.agent, call({ scheduled_for: '2026-11-20T10:00' }));
    expect(past.decision.code).toBe('slot:past');
    const [placed] = await propose(user.agent, call({ scheduled_for: null }));
    expect(placed.status).toBe('proposed');
    expect(placed.scheduled_for).not.toBeNull();
    await user.post('/agent/approve', { uid: placed.uid }).expect(200);
  });

  test('the first approved takes the slot, the others show the conflict', async () => {
    const user = await aUser(app);
    const [one] = await propose(user.agent, call());
    const [two] = await propose(user.agent, call({ title: 'Gym' }));
    const { body: queue } = await user.get('/agent/queue').expect(200);
    expect(queue.find((p: { uid: string }) => p.uid === one.uid).conflicts).toEqual([two.uid]);
    await user.post('/agent/approve', { uid: two.uid }).expect(200);
    const { body } = await user.post('/agent/approve', { uid: one.uid }).expect(409);
    expect(body).toMatchObject({ code: 'slot_taken', busy: [{ title: 'Gym' }] });
    expect((await user.get('/agent/queue')).body[0].uid).toBe(one.uid);
  });

  test('budget and cadence bind agents, not the person; what is left is told', async () => {
    const user = await aUser(app);
    const limits = {
      budget: { per_day: 2 },
      cadence: [{ id: 'one-reflection', action_type: 'reflect', max: 1, per: 'week' }],
    };
    await user.patch('/user/update', { updates: { limits } }).expect(200);
    const plans = await propose(
      user.agent,
      ...[9, 10, 11].map((h) => call({ scheduled_for: `2026-11-24T${String(h).padStart(2, '0')}:00` })),
    );
    expect(plans.map((p: { decision: { code: string } | null }) => p.decision?.code ?? null)).toEqual([
      null,
      null,
      'limit:budget_day',
    ]);
    const [other] = await propose(user.agent, call({ scheduled_for: '2026-11-25T09:00' }));
    expect(other.status).toBe('proposed');
    const [mine] = (
      await user.post('/agent/plan', { actions: [call({ scheduled_for: '2026-11-24T14:00' })] }).expect(200)
    ).body;
    expect(mine).toMatchObject({ status: 'proposed', origin: 'user' });
    const reflect = (day: string) => ({
      action_type: 'reflect',
      title: 'Reflect',
      scheduled_for: `2026-12-${day}T17:00`,
    });
    const reflections = await propose(user.agent, reflect('01'), reflect('04'));
    expect(reflections[1].decision.code).toBe('limit:cadence:one-reflection');
    // A rejected one gives its place back.
    await user.post('/agent/reject', { uid: reflections[0].uid }).expect(200);
    expect((await propose(user.agent, reflect('04')))[0].status).toBe('proposed');
    const { body } = await user.get('/agent/status').expect(200);
    expect(body.limits.map((l: { code: string }) => l.code)).toEqual([
      'limit:budget_day',
      'limit:cadence:one-reflection',
    ]);
    expect(body.queue).toMatchObject({ proposed: 5, rejected: 3 });
    // Imported plans are records: no queue holds them.
    const plan = { type: 'agent_plan', action_type: 'log', content: 'Then', timestamp: '2026-11-01T10:00Z' };
    const traces = ['proposed', 'approved', 'rejected', 'executed'].map((s) => ({
      ...plan,
      uid: `was ${s}`,
      status: s,
    }));
    await user.post('/memport/import', { traces }).expect(200);
    expect((await user.get('/agent/status').expect(200)).body.queue).toEqual(body.queue);
  });

  test('what an agent may not propose it can’t edit a proposal into either', async () => {
    const user = await aUser(app);
    const limits = { budget: { per_day: 1 }, only_in_tempo: true };
    await user.patch('/user/update', { updates: { limits } }).expect(200);
    const [one, two] = await propose(user.agent, call(), call({ scheduled_for: '2026-11-26T15:30' }));
    const edit = (who: TestUser['agent'], updates: object) => who.patch('/memory/edit', { uid: two.uid, updates });
    expect((await edit(user.agent, { scheduled_for: '2026-11-27T10:00' }).expect(409)).body).toMatchObject({
      code: 'limit_reached',
      limit: 'limit:budget_day',
    });
    expect((await edit(user.agent, { scheduled_for: '2026-11-26T22:00' }).expect(409)).body).toMatchObject({
      code: 'limit_reached',
      limit: 'slot:outside_tempo',
    });
    await edit(user.agent, { scheduled_for: '2026-11-26T16:30', title: 'Later' }).expect(200);
    await edit(user, { scheduled_for: '2026-11-26T22:00' }).expect(200); // a person may
    expect((await user.post('/agent/approve', { uid: one.uid }).expect(200)).body.status).toBe('executed');
  });

  test('many at once never exceed the budget or overlap', async () => {
    const user = await aUser(app);
    const plans = (
      await Promise.all(
        Array.from({ length: 12 }, (_, i) =>
          propose(user.agent, call({ scheduled_for: `2026-11-24T10:${String(i * 4).padStart(2, '0')}` })),
        ),
      )
    ).flat();
    await user.patch('/user/update', { updates: { limits: { budget: { per_day: 3 } } } }).expect(200);
    const answers = await Promise.all(plans.map((p: { uid: string }) => user.post('/agent/approve', { uid: p.uid })));
    expect(answers.every((a) => a.status === 200 || a.status === 409)).toBe(true);
    const booked = await events(user);
    expect(booked.length).toBeLessThanOrEqual(3);
    expect(booked.length).toBe(answers.filter((a) => a.status === 200).length);
    booked.sort((a: { scheduled_for: string }, b: { scheduled_for: string }) =>
      a.scheduled_for.localeCompare(b.scheduled_for),
    );
    for (const [i, event] of booked.slice(1).entries())
      expect(Date.parse(event.scheduled_for)).toBeGreaterThanOrEqual(Date.parse(booked[i].end));
  });

  test('a person’s event on an agent’s block sends the plan back to the queue', async () => {
    const user = await aUser(app);
    const [plan] = await propose(user.agent, call());
    await user.post('/agent/approve', { uid: plan.uid }).expect(200);
    await user
      .post('/calendar/create', { title: 'Doctor', scheduled_for: '2026-11-27T15:40', duration_minutes: 30 })
      .expect(201);
    expect((await events(user)).map((e: { title: string }) => e.title)).toEqual(['Doctor']);
    const { body: queue } = await user.get('/agent/queue').expect(200);
    expect(queue).toHaveLength(1);
    expect(queue[0]).toMatchObject({ title: 'Call the supplier', status: 'proposed', linked_trace_ids: [plan.uid] });
    expect(queue[0].reasoning).toContain('Doctor');
    expect(queue[0].scheduled_for).not.toBe(plan.scheduled_for);
  });

  test('an agent that follows its plan learns which plan proposes it again, also after the text was edited', async () => {
    const user = await aUser(app);
    const [plan] = await propose(user.agent, call());
    await user.post('/agent/approve', { uid: plan.uid }).expect(200);
    const { position } = (await user.agent.get('/agent/changes').expect(200)).body;
    await user
      .post('/calendar/create', { title: 'Doctor', scheduled_for: '2026-11-27T15:40', duration_minutes: 30 })
      .expect(201);
    const { changes } = (await user.agent.get(`/agent/changes?after=${position}`).expect(200)).body;
    const told = changes.filter(({ subject }: { subject: string }) => subject === plan.uid);
    expect(told).toMatchObject([
      { type: 'plan.displaced', data: { status: 'executed', decision: { code: 'displaced' } } },
    ]);
    const [again] = told[0].data.decision.successor_uids;
    const successor = (await user.agent.get(`/agent/plan?uid=${again}`).expect(200)).body;
    expect(successor).toMatchObject({ status: 'proposed', title: plan.title, linked_trace_ids: [plan.uid] });
    await user.patch('/memory/edit', { uid: plan.uid, updates: { content: 'Other words' } }).expect(200);
    const { decision } = (await user.agent.get(`/agent/plan?uid=${plan.uid}`).expect(200)).body;
    expect(decision).toMatchObject({ code: 'displaced', successor_uids: [again] });
  });
});

describe('hostile and clumsy input', () => {
  test('is refused with what to do', async () => {
    const user = await aUser(app);
    await user.post('/agent/plan', {}).expect(422);
    await user.post('/agent/plan', { prompt: 'x', actions: [call()] }).expect(422);
    await user.post('/agent/plan', { actions: [call({ action_type: 'destroy' })] }).expect(422);
    await user.post('/agent/plan', { actions: [call({ scheduled_for: 'soon' })] }).expect(422);
    await user.post('/agent/plan', { actions: [call({ duration_minutes: 1e9 })] }).expect(422);
    await user.post('/agent/plan', { actions: [call({ status: 'approved' })] }).expect(422);
    expect(
      (
        await user
          .post('/agent/plan', { actions: [{ action_type: 'reschedule', title: 'x', target_event_uid: 'nothing' }] })
          .expect(404)
      ).body.code,
    ).toBe('event_not_found');
    await user.post('/agent/plan', { actions: [{ action_type: 'reschedule', title: 'x' }] }).expect(422);
    await user.post('/memory/push', { traces: [{ type: 'agent_plan', content: 'x' }] }).expect(422);
    await user
      .post('/memory/push', { traces: [{ type: 'agent_plan', content: 'x', action_type: 'log', status: 'executed' }] })
      .expect(422);
    expect((await user.get('/agent/queue?status=all')).body).toEqual([]);
  });

  test('no argument brings an agent onto a busy day', async () => {
    const user = await aUser(app);
    await user
      .post('/calendar/create', { title: 'Board', scheduled_for: '2026-11-27', all_day: true, busy: true })
      .expect(201);
    for (const given of [{ after: '10:00' }, { before: '12:00' }, { all_day: true }])
      for (const scheduled_for of ['2026-11-27T10:00', null]) {
        const [plan] = await propose(user.agent, call({ scheduled_for, arguments: given }));
        if (plan.status !== 'proposed') continue;
        await user.post('/agent/approve', { uid: plan.uid }).expect(200);
      }
    const day = (await user.get('/calendar/events?start=2026-11-27&end=2026-11-27').expect(200)).body;
    expect(day.filter((e: { busy: boolean }) => e.busy).map((e: { title: string }) => e.title)).toEqual(['Board']);
  });

  test('a uid stands for one proposal, for good', async () => {
    const user = await aUser(app);
    const action = call({ uid: 'mine', reasoning: 'Because.' });
    const [plan] = await propose(user.agent, action);
    expect(await propose(user.agent, action)).toEqual([plan]);
    const trace = { type: 'agent_plan', content: 'Log it', action_type: 'log', reasoning: 'Because.', uid: 'pushed' };
    const push = (more: object = {}) => user.agent.post('/memory/push', { traces: [{ ...trace, ...more }] });
    const first = await push().expect(201);
    expect((await push().expect(201)).body).toEqual(first.body);
    await user.post('/memory/push', { traces: [{ type: 'observation', content: 'x', uid: 'gone' }] }).expect(201);
    await user.delete('/memory/remove?uid=gone').expect(200);
    const refused = async (actions: object[]) =>
      expect((await user.agent.post('/agent/plan', { actions }).expect(409)).body.code).toBe('uid_taken');
    await refused([call({ ...action, scheduled_for: '2026-11-27T16:30' })]);
    await refused([call({ ...action, content: 'Something else' })]);
    await refused([call({ uid: 'gone' })]);
    await refused([call({ uid: 'twice' }), call({ uid: 'twice' })]);
    await push({ content: 'Log something else' }).expect(409);
    expect((await user.get('/agent/queue').expect(200)).body).toHaveLength(2);
  });

  test('a pushed agent_plan is a proposal like any other', async () => {
    const user = await aUser(app);
    const body = {
      traces: [
        {
          uid: 'plan-1',
          type: 'agent_plan',
          content: 'Call the supplier about the contract',
          action_type: 'add_event',
          scheduled_for: '2026-11-27T15:30',
          duration_minutes: 20,
          task_id: 'contract',
        },
      ],
    };
    const first = await user.agent.post('/memory/push', body).expect(201);
    expect((await user.agent.post('/memory/push', body).expect(201)).body).toEqual(first.body);
    const { body: queue } = await user.get('/agent/queue').expect(200);
    expect(queue).toMatchObject([{ uid: 'plan-1', status: 'proposed', origin: 'agent', action_type: 'schedule' }]);
    const reader = await aKey(app, user, 'agent', ['memory:write']);
    await reader.post('/memory/push', { traces: [{ ...body.traces[0], uid: 'plan-2' }] }).expect(403);
  });
});
