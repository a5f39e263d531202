/** Plans that were proposed by one request: decided by their proposal_id, and swaps, which are decided together. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { aKey, aUser, anApp, onMonday, type Client, type TestApp, type TestUser } from '../support/app.ts';
import { changeSchema } from '../support/db.ts';

let app: TestApp;
let person: TestUser;
let user: Client;
let agent: Client;
beforeAll(async () => {
  app = await anApp();
});
afterAll(() => app.close());

beforeEach(async () => {
  ({ person, user, agent } = await onMonday(app));
});

// oxlint-disable-next-line typescript/no-explicit-any -- a plan or an event as answered
type Doc = Record<string, any> & { uid: string; version: number };

const propose = async (actions: object[], by: Client = agent): Promise<Doc[]> =>
  (await by.post('/agent/plan', { actions }).expect(200)).body;
const at = (hour: number, more: object = {}) => ({
  action_type: 'schedule',
  title: `At ${hour}`,
  scheduled_for: `2026-11-25T${String(hour).padStart(2, '0')}:00`,
  duration_minutes: 30,
  ...more,
});
const planOf = async (uid: string): Promise<Doc> => (await user.get(`/agent/plan?uid=${uid}`).expect(200)).body;
const book = async (title: string, scheduled_for: string, more: object = {}): Promise<Doc> =>
  (await user.post('/calendar/create', { title, scheduled_for, duration_minutes: 60, ...more }).expect(201)).body;
const calendar = async (): Promise<string[]> => {
  const { body } = await user.get('/calendar/events?start=2026-11-20&end=2026-12-31&limit=1000').expect(200);
  return (body as Doc[]).map((event) => `${event['title']} ${event['scheduled_for'].slice(8, 16)}`);
};

describe('a proposal_id', () => {
  test('is that of all plans of a request, and of no other', async () => {
    const plans = await propose([at(9), at(10)]);
    const [other] = await propose([at(11)]);
    const ids = new Set(plans.map((plan) => plan['proposal_id']));
    expect(ids.size).toBe(1);
    expect(ids.has(other?.['proposal_id'])).toBe(false);
    const traces = [at(13), at(14)].map((plan) => ({ ...plan, type: 'agent_plan', content: 'Pushed' }));
    const note = { type: 'observation', content: 'Between' };
    const { body } = await agent.post('/memory/push', { traces: [traces[0], note, traces[1]] }).expect(201);
    const pushed = await Promise.all([body[0].uid, body[2].uid].map(planOf));
    expect(pushed[0]?.['proposal_id']).toBe(pushed[1]?.['proposal_id']);
    const { body: queue } = await user.get(`/agent/queue?proposal_id=${plans[0]?.['proposal_id']}`).expect(200);
    expect(queue.map(({ uid }: Doc) => uid)).toEqual(plans.map(({ uid }) => uid));
    expect((await user.get('/agent/queue?proposal_id=unknown').expect(200)).body).toEqual([]);
  });

  test('cannot be chosen, so that nothing joins a proposal that a person has read', async () => {
    const [{ proposal_id }] = (await propose([at(9)])) as [Doc];
    await agent.post('/agent/plan', { actions: [at(10, { proposal_id })] }).expect(422);
    const trace = { ...at(10), type: 'agent_plan', content: 'x', proposal_id };
    await agent.post('/memory/push', { traces: [trace] }).expect(422);
  });

  test('approves what still waits, each plan by itself', async () => {
    const plans = await propose([at(9), at(10), at(11), at(12)]);
    const { proposal_id } = plans[0] as Doc;
    const [first, second, third, last] = plans as [Doc, Doc, Doc, Doc];
    await user.post('/agent/reject', { uid: first.uid }).expect(200);
    await book('Dentist', '2026-11-25T10:00');
    await agent.patch('/memory/edit', { uid: third.uid, updates: { title: 'Changed' } }).expect(200);
    const { body } = await user.post('/agent/approve', { proposal_id }).expect(200);
    expect(body).toMatchObject([
      { uid: second.uid, status: 409, problem: { code: 'slot_taken' } },
      { uid: third.uid, status: 428 },
      { uid: last.uid, status: 200, plan: { status: 'executed' } },
    ]);
    const expected_versions = { [third.uid]: (await planOf(third.uid)).version };
    const again = await user.post('/agent/approve', { proposal_id, expected_versions }).expect(200);
    expect(again.body).toMatchObject([{ status: 409 }, { uid: third.uid, status: 200 }]);
    await user.post('/agent/reject', { uid: second.uid }).expect(200);
    expect((await user.post('/agent/approve', { proposal_id, expected_versions }).expect(200)).body).toEqual([]);
    expect((await planOf(first.uid))['status']).toBe('rejected');
  });

  test('rejects and withdraws; an agent withdraws only its own', async () => {
    const [one, two] = [await propose([at(9), at(10)]), await propose([at(11), at(12)])];
    const { body } = await user.post('/agent/reject', { proposal_id: one[0]?.['proposal_id'], note: 'No' }).expect(200);
    expect(body.map(({ plan }: Doc) => plan.decision.code)).toEqual(['user', 'user']);
    const proposal_id = two[0]?.['proposal_id'];
    const other = await aKey(app, person, 'agent');
    const refused = (await other.post('/agent/withdraw', { proposal_id }).expect(200)).body;
    expect(refused).toMatchObject([{ status: 403 }, { status: 403 }]);
    await agent.post('/agent/approve', { proposal_id }).expect(403);
    const back = (await agent.post('/agent/withdraw', { proposal_id }).expect(200)).body;
    expect(back.map(({ plan }: Doc) => plan.decision.code)).toEqual(['withdrawn', 'withdrawn']);
    const [a, b] = await propose([at(13), at(14)]);
    const several = await agent.post('/agent/withdraw', { uids: [a?.uid, b?.uid] }).expect(200);
    expect(several.body.map(({ status }: Doc) => status)).toEqual([200, 200]);
  });

  test('must be known, stand alone, and name at most 100 plans', async () => {
    const [plan] = await propose([at(9)]);
    const { proposal_id, uid } = plan as Doc;
    const { body } = await user.post('/agent/approve', { proposal_id: randomUUID() }).expect(404);
    expect(body.code).toBe('proposal_not_found');
    await user.post('/agent/approve', { proposal_id, uid }).expect(422);
    await user.post('/agent/approve', { proposal_id, edits: { title: 'x' } }).expect(422);
    await user.post('/agent/reject', { proposal_id, expected_version: 1 }).expect(422);
    await user.post('/agent/approve', { proposal_id, expected_versions: { other: 1 } }).expect(422);
    const stranger = await aUser(app);
    await stranger.post('/agent/approve', { proposal_id }).expect(404);
    const log = { type: 'agent_plan', action_type: 'log', content: 'One of many' };
    const { body: pushed } = await agent
      .post('/memory/push', { traces: Array.from({ length: 101 }, () => log) })
      .expect(201);
    const many = (await planOf(pushed[0].uid))['proposal_id'];
    const refused = await user.post('/agent/approve', { proposal_id: many }).expect(422);
    expect(refused.body.errors).toMatchObject([{ path: '/proposal_id' }]);
    await user.post('/agent/reject', { uid: pushed[0].uid }).expect(200);
    expect((await user.post('/agent/reject', { proposal_id: many }).expect(200)).body).toHaveLength(100);
  });
});

describe('a swap', () => {
  let dentist: Doc;
  let call: Doc;
  beforeEach(async () => {
    dentist = await book('Dentist', '2026-11-25T10:00');
    call = await book('Call', '2026-11-26T15:00', { duration_minutes: 30 });
  });
  const move = (event: Doc, scheduled_for: string, more: object = {}) => ({
    action_type: 'reschedule',
    title: `Move ${event['title']}`,
    target_event_uid: event.uid,
    scheduled_for,
    ...more,
  });
  const swap = (more: object = {}) =>
    propose([move(dentist, '2026-11-26T15:00', more), move(call, '2026-11-25T10:00')]) as Promise<[Doc, Doc]>;
  const BEFORE = ['Dentist 25T09:00', 'Call 26T14:00'];
  const AFTER = ['Call 25T09:00', 'Dentist 26T14:00'];

  test('is proposed, approved by either plan, and executed at once', async () => {
    const [one, other] = await swap();
    expect([one['status'], other['status']]).toEqual(['proposed', 'proposed']);
    expect([one['swaps_with'], other['swaps_with']]).toEqual([other.uid, one.uid]);
    const { body } = await user.post('/agent/approve', { uid: other.uid }).expect(200);
    expect(body).toMatchObject({ uid: other.uid, status: 'executed', linked_event_uid: call.uid });
    expect(await planOf(one.uid)).toMatchObject({ status: 'executed', linked_event_uid: dentist.uid });
    expect(await calendar()).toEqual(AFTER);
    const { body: traces } = await user.get('/memory/pull?type=calendar_event').expect(200);
    expect(traces).toHaveLength(4);
    await user.post('/agent/approve', { uid: one.uid }).expect(200);
    expect(await calendar()).toEqual(AFTER);
  });

  test('approved by both plans at once happens once', async () => {
    const [one, other] = await swap();
    const answers = await Promise.all([one, other, one].map(({ uid }) => user.post('/agent/approve', { uid })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await calendar()).toEqual(AFTER);
    const plan = await planOf(one.uid);
    expect(plan['attempts']).toBe(1);
    const { body } = await user.get(`/memory/history?uid=${one.uid}`).expect(200);
    expect(body.map(({ action }: Doc) => action)).toEqual(['executed', 'approved', 'proposed']);
  });

  test('approved by proposal_id answers both', async () => {
    const [one] = await swap();
    const { body } = await user.post('/agent/approve', { proposal_id: one['proposal_id'] }).expect(200);
    expect(body.map(({ plan }: Doc) => plan.status)).toEqual(['executed', 'executed']);
    expect(await calendar()).toEqual(AFTER);
  });

  test('is rejected, withdrawn and expires as a whole', async () => {
    const [one, other] = await swap();
    await user.post('/agent/reject', { uid: one.uid, note: 'No' }).expect(200);
    expect(await planOf(other.uid)).toMatchObject({ status: 'rejected', decision: { code: 'user', note: 'No' } });
    const [third, fourth] = await swap();
    await agent.post('/agent/withdraw', { uid: fourth.uid }).expect(200);
    expect(await planOf(third.uid)).toMatchObject({ status: 'rejected', decision: { code: 'withdrawn' } });
    const [fifth, sixth] = await swap();
    app.clock.set('2026-11-25T09:30:00.000Z');
    await user.post('/agent/approve', { uid: fifth.uid }).expect(409);
    await app.executor.round();
    for (const { uid } of [fifth, sixth])
      expect(await planOf(uid)).toMatchObject({ status: 'rejected', decision: { code: 'expired' } });
    expect(await calendar()).toEqual(BEFORE);
  });

  test('is not approved while one of its plans was changed unseen', async () => {
    const [one, other] = await swap();
    await agent.patch('/memory/edit', { uid: other.uid, updates: { title: 'Something else' } }).expect(200);
    await user.post('/agent/approve', { uid: one.uid }).expect(428);
    expect(await calendar()).toEqual(BEFORE);
    const expected_versions = { [other.uid]: (await planOf(other.uid)).version };
    const { body } = await user
      .post('/agent/approve', { proposal_id: one['proposal_id'], expected_versions })
      .expect(200);
    expect(body.map(({ status }: Doc) => status)).toEqual([200, 200]);
    expect(await calendar()).toEqual(AFTER);
  });

  test('keeps its times: one plan cannot go elsewhere alone', async () => {
    const [one] = await swap();
    const updates = { scheduled_for: '2026-11-27T10:00' };
    const { body } = await agent.patch('/memory/edit', { uid: one.uid, updates }).expect(409);
    expect(body.code).toBe('part_of_swap');
    await user.post('/agent/approve', { uid: one.uid, edits: updates }).expect(409);
    expect(await planOf(one.uid)).toMatchObject({ version: 1, status: 'proposed' });
  });

  test('does not happen by half where a time was taken meanwhile', async () => {
    const [one, other] = await swap();
    await book('Trip', '2026-11-26T15:00', { duration_minutes: 15 });
    const { body } = await user.post('/agent/approve', { uid: one.uid }).expect(409);
    expect(body.code).toBe('slot_taken');
    expect(await calendar()).toEqual([...BEFORE, 'Trip 26T14:00']);
    for (const { uid } of [one, other]) expect((await planOf(uid))['status']).toBe('proposed');
  });

  test('leaves nothing behind where it fails between its halves', async () => {
    const [one, other] = await swap();
    const { handle } = app.database;
    await changeSchema(
      handle,
      `create function fail_between() returns trigger language plpgsql as $$ begin raise exception 'power cut'; end $$`,
      `create trigger fail_between before insert on ledger for each row
        when (new.kind = 'plan.executed') execute function fail_between()`,
    );
    await user.post('/agent/approve', { uid: one.uid }).expect(500);
    await changeSchema(handle, 'drop trigger fail_between on ledger');
    expect(await calendar()).toEqual(BEFORE);
    for (const { uid } of [one, other]) expect(await planOf(uid)).toMatchObject({ version: 1, status: 'proposed' });
    await user.post('/agent/approve', { uid: other.uid }).expect(200);
    expect(await calendar()).toEqual(AFTER);
  });

  test('is refused as a whole where one half is not possible', async () => {
    await book('Lunch', '2026-11-26T15:45', { duration_minutes: 60 });
    const plans = await swap();
    expect(plans.map(({ status, decision }) => [status, decision.code])).toEqual([
      ['rejected', 'slot:blocked'],
      ['rejected', 'slot:blocked'],
    ]);
    expect(plans[1]?.['decision'].note).toContain('exchanges places');
  });

  test('with manual execution waits, and is executed or cancelled as a whole', async () => {
    await user.patch('/user/update', { updates: { execution: 'manual' } }).expect(200);
    const [one, other] = await swap({ task_id: 'teeth' });
    await user.post('/agent/approve', { uid: other.uid }).expect(200);
    expect((await planOf(one.uid))['status']).toBe('approved');
    const simulated = await user.post('/agent/execute', { task_id: 'teeth', simulate: true }).expect(200);
    expect(simulated.body.log).toHaveLength(2);
    expect(await calendar()).toEqual(BEFORE);
    const { body } = await user.post('/agent/execute', { task_id: 'teeth' }).expect(200);
    expect(body.log.map(({ uid, to }: Doc) => [uid, to])).toEqual([
      [one.uid, 'executed'],
      [other.uid, 'executed'],
    ]);
    expect(await calendar()).toEqual(AFTER);
    const [third, fourth] = (await propose([move(dentist, '2026-11-25T10:00'), move(call, '2026-11-26T15:00')])) as [
      Doc,
      Doc,
    ];
    await user.post('/agent/approve', { uid: third.uid }).expect(200);
    await user.post('/agent/reject', { uid: fourth.uid }).expect(200);
    expect(await planOf(third.uid)).toMatchObject({ status: 'rejected', decision: { code: 'cancelled' } });
  });

  test('the executor carries out both, or gives both up', async () => {
    await user.patch('/user/update', { updates: { execution: 'manual' } }).expect(200);
    const [one, other] = await swap();
    await user.post('/agent/approve', { uid: one.uid }).expect(200);
    await book('Trip', '2026-11-26T15:00', { duration_minutes: 15 });
    await user.patch('/user/update', { updates: { execution: 'automatic' } }).expect(200);
    await app.executor.round();
    for (const { uid } of [one, other])
      expect(await planOf(uid)).toMatchObject({ status: 'rejected', decision: { code: 'slot_taken' } });
    await user.patch('/user/update', { updates: { execution: 'manual' } }).expect(200);
    const { body } = await user.get('/calendar/events?start=2026-11-26&end=2026-11-26').expect(200);
    const trip = (body as Doc[]).find(({ title }) => title === 'Trip') as Doc;
    await user.delete(`/calendar/remove?uid=${trip.uid}`).expect(200);
    const [third] = await swap();
    await user.post('/agent/approve', { uid: third.uid }).expect(200);
    await user.patch('/user/update', { updates: { execution: 'automatic' } }).expect(200);
    await app.executor.round();
    expect(await calendar()).toEqual(AFTER);
  });

  test('of agents’ blocks passes the constraint of the database', async () => {
    const blocks = await propose([at(8), at(12)]);
    await user.post('/agent/approve', { proposal_id: blocks[0]?.['proposal_id'] }).expect(200);
    const [first, second] = await Promise.all(blocks.map(({ uid }) => planOf(uid)));
    const [one] = await propose([
      { ...at(12), action_type: 'reschedule', target_event_uid: first?.['linked_event_uid'] },
      { ...at(8), action_type: 'reschedule', target_event_uid: second?.['linked_event_uid'] },
    ]);
    await user.post('/agent/approve', { uid: one?.uid }).expect(200);
    expect(await calendar()).toEqual(['At 12 25T07:00', 'Dentist 25T09:00', 'At 8 25T11:00', 'Call 26T14:00']);
  });

  test('works for occurrences: of two series, and of one', async () => {
    const gym = await book('Gym', '2026-11-24T18:00', { rrule: 'FREQ=WEEKLY;COUNT=2' });
    const choir = await book('Choir', '2026-11-26T18:00', { rrule: 'FREQ=WEEKLY;COUNT=2' });
    const id = (recurrence_id: string) => ({ arguments: { recurrence_id } });
    const [one] = await propose([
      move(gym, '2026-12-03T18:00', id('2026-12-01T17:00:00.000Z')),
      move(choir, '2026-12-01T18:00', id('2026-12-03T17:00:00.000Z')),
    ]);
    await user.post('/agent/approve', { uid: one?.uid }).expect(200);
    const evenings = async () => (await calendar()).filter((line) => /Gym|Choir|Sync/.test(line));
    expect(await evenings()).toEqual(['Gym 24T17:00', 'Choir 26T17:00', 'Choir 01T17:00', 'Gym 03T17:00']);
    const sync = await book('Sync', '2026-12-07T09:00', { rrule: 'FREQ=DAILY;COUNT=2', duration_minutes: 30 });
    const [other] = await propose([
      move(sync, '2026-12-08T09:00', id('2026-12-07T08:00:00.000Z')),
      move(sync, '2026-12-07T09:00', id('2026-12-08T08:00:00.000Z')),
    ]);
    expect(other?.['swaps_with']).not.toBeNull();
    await user.post('/agent/approve', { uid: other?.uid }).expect(200);
    const { body: event } = await user.get(`/calendar/event?uid=${sync.uid}`).expect(200);
    expect(event.overrides).toMatchObject({
      '2026-12-07T08:00:00.000Z': { scheduled_for: '2026-12-08T08:00:00.000Z' },
      '2026-12-08T08:00:00.000Z': { scheduled_for: '2026-12-07T08:00:00.000Z' },
    });
    expect(event.version).toBe(2);
  });

  test('a chain is no swap: the first move is refused while its place is taken', async () => {
    const plans = await propose([move(dentist, '2026-11-26T15:00'), move(call, '2026-11-27T09:00')]);
    expect(plans.map(({ status, swaps_with }) => [status, swaps_with])).toEqual([
      ['rejected', null],
      ['proposed', null],
    ]);
  });
});

test('many proposals are judged by what is booked when they are recorded', async () => {
  let refused = 0;
  for (let hour = 8; hour < 20; hour++) {
    const actions = [0, 5, 10, 15, 20, 25].map((minute) => ({
      ...at(hour, { title: 'Work', scheduled_for: `2026-11-26T${String(hour).padStart(2, '0')}:${minute + 10}` }),
      duration_minutes: 5,
    }));
    const [plans, event] = await Promise.all([propose(actions), book('Own', actions[3]?.scheduled_for as string)]);
    const plan = plans[3] as Doc;
    const isLater = plan['seq'] > event['seq'];
    expect(plan['status']).toBe(isLater ? 'rejected' : 'proposed');
    refused += Number(isLater);
  }
  expect(refused).toBeGreaterThan(0);
});

test('pushed plans are placed beside each other, also where other traces stand between them', async () => {
  const plan = (title: string) => ({
    ...{ type: 'agent_plan', action_type: 'schedule', title, content: title, duration_minutes: 60 },
  });
  const traces = [plan('First'), { type: 'observation', content: 'Between' }, plan('Second'), plan('Third')];
  const { body } = await agent.post('/memory/push', { traces }).expect(201);
  const seqs = (body as Doc[]).map((saved) => saved['seq']);
  expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
  const plans = await Promise.all([0, 2, 3].map((i) => planOf(body[i].uid)));
  expect(new Set(plans.map((one) => one['scheduled_for'])).size).toBe(3);
  expect(new Set(plans.map((one) => one['proposal_id'])).size).toBe(1);
  // The same again is the same answer, also with others.
  const again = body.map(({ uid }: Doc, i: number) => ({ ...traces[i], uid }));
  const { body: more } = await agent.post('/memory/push', { traces: [...again, plan('Fourth')] }).expect(201);
  expect(more.slice(0, 4)).toEqual(body);
});
