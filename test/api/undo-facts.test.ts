/** What is taken back is what the ledger says, once for each decision, also where the plan was edited since. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aKey, anApp, aUser, type TestApp, type TestUser } from '../support/app.ts';
import { daysLater } from '../support/days-later.ts';

let app: TestApp;
beforeAll(async () => {
  app = await anApp();
});
afterAll(() => app.close());

// oxlint-disable-next-line typescript/no-explicit-any -- plans as answered
type Plan = any;
const DAY = '2026-11-27';
const call = (more: object = {}) => ({
  action_type: 'schedule',
  title: 'Call the supplier',
  scheduled_for: `${DAY}T15:30`,
  duration_minutes: 20,
  ...more,
});
const log = (more: object = {}) => ({ action_type: 'log', title: 'Note', content: 'The code is 4471.', ...more });
const propose = async (agent: Pick<TestUser, 'post'>, ...actions: object[]): Promise<Plan[]> =>
  (await agent.post('/agent/plan', { actions }).expect(200)).body;
const planOf = async (user: TestUser, uid: string): Promise<Plan> =>
  (await user.get(`/agent/plan?uid=${uid}`).expect(200)).body;
const eventsOf = async (user: TestUser): Promise<Plan[]> =>
  (await user.get('/calendar/events?start=2026-11-20&end=2027-01-31').expect(200)).body;
const pending = async (user: TestUser): Promise<Plan[]> => (await user.get('/agent/queue?limit=1000').expect(200)).body;
const approve = async (user: TestUser, uid: string, more: object = {}): Promise<Plan> => {
  const { version } = await planOf(user, uid);
  return (await user.post('/agent/approve', { uid, expected_version: version, ...more }).expect(200)).body;
};
const undo = (user: TestUser, uid: string, more: object = {}) => user.post('/agent/undo', { uid, ...more });

const later = (user: TestUser, work: () => Promise<void>) => daysLater(app, 8, user, work);

describe('what an execution made', () => {
  test.each([
    ['no links', () => []],
    ['the links of another plan', (_own: Plan, other: Plan) => other.child_trace_ids],
    ['its links in another order', (own: Plan) => own.child_trace_ids.toReversed()],
  ] as const)('is taken back where the person left the plan with %s', async (_, links) => {
    const user = await aUser(app);
    const [plan, other] = await propose(user.agent, call(), call({ scheduled_for: `${DAY}T17:00` }));
    for (const { uid } of [plan, other]) await approve(user, uid);
    const [own, foreign] = [await planOf(user, plan.uid), await planOf(user, other.uid)];
    const updates = { child_trace_ids: links(own, foreign), linked_event_uid: foreign.linked_event_uid };
    await user.patch('/memory/edit', { uid: plan.uid, updates }).expect(200);
    expect((await undo(user, plan.uid).expect(200)).body.status).toBe('proposed');
    expect((await eventsOf(user)).map(({ plan_uid }) => plan_uid)).toEqual([other.uid]);
    await approve(user, plan.uid);
    expect((await eventsOf(user)).map(({ plan_uid }) => plan_uid)).toEqual([plan.uid, other.uid]);
  });

  test('is taken back of the last execution, also of a note', async () => {
    const user = await aUser(app);
    const [plan] = await propose(user.agent, log());
    const notes = async (): Promise<string[]> =>
      (await user.get('/memory/pull?type=observation&limit=100').expect(200)).body
        .filter(({ content }: Plan) => content === 'The code is 4471.')
        .map(({ uid }: Plan) => uid);
    for (let i = 0; i < 2; i++) {
      await approve(user, plan.uid);
      expect(await notes()).toHaveLength(1);
      await user.patch('/memory/edit', { uid: plan.uid, updates: { child_trace_ids: [] } }).expect(200);
      await undo(user, plan.uid).expect(200);
      expect(await notes()).toEqual([]);
    }
  });

  test('is the log that a repeated request to execute answers', async () => {
    const user = await aUser(app);
    const [plan] = await propose(user.agent, call({ task_id: 'contract' }));
    const { linked_event_uid: uid } = await approve(user, plan.uid);
    await user.patch('/memory/edit', { uid: plan.uid, updates: { child_trace_ids: [] } }).expect(200);
    const { body } = await user.post('/agent/execute', { task_id: 'contract' }).expect(200);
    expect(body.replayed).toBe(true);
    expect(body.log[0].effects).toContainEqual({ kind: 'event.created', uid });
  });

  test('no longer counts in limits after its series was removed, whatever is edited', async () => {
    const user = await aUser(app);
    await user.patch('/user/update', { updates: { limits: { budget: { per_day: 1 } } } }).expect(200);
    const [plan] = await propose(user.agent, call({ rrule: 'FREQ=DAILY' }));
    const { linked_event_uid } = await approve(user, plan.uid);
    await user.delete(`/calendar/remove?uid=${linked_event_uid}`).expect(200);
    await user.patch('/memory/edit', { uid: plan.uid, updates: { title: 'Calls, as they were' } }).expect(200);
    const [next] = await propose(user.agent, call());
    expect(next).toMatchObject({ status: 'proposed' });
  });
});

describe('a proposal whose time is over', () => {
  test('is proposed again once, however often it is asked for', async () => {
    const user = await aUser(app);
    const [plan] = await propose(user.agent, call());
    await later(user, async () => {
      const answers = await Promise.all(Array.from({ length: 20 }, () => undo(user, plan.uid)));
      expect(new Set(answers.map(({ status, body }) => `${status} ${body.uid}`))).toHaveLength(1);
      const { body: again } = await undo(user, plan.uid).expect(200);
      expect((await pending(user)).map(({ uid }) => uid)).toEqual([again.uid]);
      // The old plan says why it was rejected, and what came of it.
      const old = await planOf(user, plan.uid);
      expect(old).toMatchObject({ status: 'rejected', decision: { code: 'expired', successor_uids: [again.uid] } });

      await user.post('/agent/reject', { uid: again.uid }).expect(200);
      const { body } = await undo(user, plan.uid).expect(409);
      expect(body).toMatchObject({ code: 'changed_since', uid: again.uid });
      expect((await undo(user, again.uid).expect(200)).body).toMatchObject({ uid: again.uid, status: 'proposed' });
      expect(await pending(user)).toHaveLength(1);
      expect((await user.get('/debug/audit').expect(200)).body.ok).toBe(true);
    });
  });

  test('is not marked by a try', async () => {
    const user = await aUser(app);
    const [plan] = await propose(user.agent, call());
    await later(user, async () => {
      await undo(user, plan.uid, { simulate: true }).expect(200);
      expect(await pending(user)).toEqual([]);
      expect((await planOf(user, plan.uid)).decision.successor_uids).toBeUndefined();
    });
  });

  test('stays rejected where its agent has as many proposals as it may', async () => {
    const user = await aUser(app);
    const agent = await aKey(app, user, 'agent');
    const [plan] = await propose(agent, call());
    await later(user, async () => {
      const many = await aKey(app, user, 'agent');
      for (let i = 0; i < 10; i++) await propose(agent, ...Array.from({ length: 100 }, () => log()));
      const { body } = await undo(user, plan.uid).expect(409);
      expect(body).toMatchObject({ code: 'too_many_pending', max: 1000, pending: 1000 });
      expect((await planOf(user, plan.uid)).decision.successor_uids).toBeUndefined();
      await propose(many, log());
    });
  });

  test('stays rejected where no time is free, and nothing is recorded', async () => {
    const user = await aUser(app);
    const [plan] = await propose(user.agent, call());
    await later(user, async () => {
      const always = { title: 'Away', scheduled_for: DAY, duration_minutes: 24 * 60, rrule: 'FREQ=DAILY' };
      await user.post('/calendar/create', always).expect(201);
      const all = async () => (await user.get('/agent/queue?status=all&limit=100').expect(200)).body;
      const before = await all();
      expect((await undo(user, plan.uid).expect(409)).body.code).toBe('slot_taken');
      expect(await all()).toEqual(before);
    });
  });
});

describe('a time that a person chose', () => {
  test.each([
    ['another start', { scheduled_for: `${DAY}T18:00` }, true],
    ['another length', { duration_minutes: 40 }, true],
    ['another title only', { title: 'Call Ada' }, false],
  ])('with the approval stays theirs after undo: %s', async (_, edits, pinned) => {
    const user = await aUser(app);
    const [plan] = await propose(user.agent, call());
    expect((await approve(user, plan.uid, { edits })).pinned).toBe(pinned);
    expect((await undo(user, plan.uid).expect(200)).body).toMatchObject({
      status: 'proposed',
      pinned,
      ...titled(edits),
    });
    const moved = await user.agent.patch('/memory/edit', { uid: plan.uid, updates: { scheduled_for: `${DAY}T19:00` } });
    expect([moved.status, moved.body.code]).toEqual(pinned ? [403, 'time_pinned'] : [200, undefined]);
  });
  const titled = (edits: object) => ('title' in edits ? { title: edits.title } : {});
});

describe('two changes of one event', () => {
  const anEvent = async (user: TestUser): Promise<Plan> =>
    (
      await user
        .post('/calendar/create', { title: 'Dentist', scheduled_for: `${DAY}T11:00`, duration_minutes: 45 })
        .expect(201)
    ).body;
  const change = (event: Plan, more: object) => ({
    ...{ action_type: 'reschedule', title: 'Change the dentist', target_event_uid: event.uid, ...more },
  });
  const startOf = async (user: TestUser): Promise<string[]> =>
    (await eventsOf(user)).map(({ title, local_start }) => `${title} ${local_start.slice(0, 16)}`);
  const first = `Dentist ${DAY}T11:00`;

  const changed = async (user: TestUser, ...all: object[]): Promise<Plan[]> => {
    const event = await anEvent(user);
    const plans = await propose(user.agent, ...all.map((one) => change(event, one)));
    for (const { uid } of plans) await approve(user, uid);
    return plans;
  };
  const moves = [{ scheduled_for: `${DAY}T14:00` }, { scheduled_for: `${DAY}T16:00` }];

  test('are taken back last to first, and not in another order', async () => {
    const user = await aUser(app);
    const [one, two] = await changed(user, ...moves);
    expect((await undo(user, one.uid).expect(409)).body.code).toBe('changed_since');
    await undo(user, two.uid).expect(200);
    expect(await startOf(user)).toEqual([`Dentist ${DAY}T14:00`]);
    await undo(user, one.uid).expect(200);
    expect(await startOf(user)).toEqual([first]);
    expect((await user.get('/debug/audit').expect(200)).body.ok).toBe(true);
  });

  test('are taken back together by their proposal', async () => {
    const user = await aUser(app);
    const [one] = await changed(user, ...moves);
    const { body } = await user.post('/agent/undo', { proposal_id: one.proposal_id }).expect(200);
    expect(body.map(({ status }: Plan) => status)).toEqual([200, 200]);
    expect(await startOf(user)).toEqual([first]);
  });

  test('of which the second removes it', async () => {
    const user = await aUser(app);
    const [one, two] = await changed(user, moves[0] as object, { arguments: { cancel: true } });
    expect(await startOf(user)).toEqual([]);
    for (const { uid } of [two, one]) await undo(user, uid).expect(200);
    expect(await startOf(user)).toEqual([first]);
  });

  test('stay where a person has changed the event in between', async () => {
    const user = await aUser(app);
    const event = await anEvent(user);
    const [one, two] = await propose(user.agent, ...moves.map((more) => change(event, more)));
    await approve(user, one.uid);
    await user.patch('/calendar/edit', { uid: event.uid, updates: { title: 'Dr. Weber' } }).expect(200);
    await approve(user, two.uid);
    await undo(user, two.uid).expect(200);
    expect((await undo(user, one.uid).expect(409)).body.code).toBe('changed_since');
    expect(await startOf(user)).toEqual([`Dr. Weber ${DAY}T14:00`]);
  });
});
