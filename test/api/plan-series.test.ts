/** Plans that repeat: one proposal, one decision, one series (docs/decisions.md, A plan may repeat). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { aKey, aUser, anApp, onMonday, type Client, type TestApp, type TestUser } from '../support/app.ts';

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
type Plan = Record<string, any> & { uid: string; version: number };
const MONDAYS = {
  action_type: 'schedule',
  title: 'Review',
  scheduled_for: '2026-11-30T09:00',
  duration_minutes: 60,
  rrule: 'FREQ=WEEKLY;COUNT=4',
};
const propose = async (action: object, by: Client = agent): Promise<Plan> =>
  (await by.post('/agent/plan', { actions: [{ ...MONDAYS, ...action }] }).expect(200)).body[0];
const refused = async (action: object) =>
  (await agent.post('/agent/plan', { actions: [{ ...MONDAYS, ...action }] }).expect(422)).body.errors;
const approve = async (uid: string, more: object = {}): Promise<Plan> =>
  (await user.post('/agent/approve', { uid, ...more }).expect(200)).body;
const book = async (title: string, scheduled_for: string, more: object = {}): Promise<Plan> =>
  (await user.post('/calendar/create', { title, scheduled_for, duration_minutes: 60, ...more }).expect(201)).body;
const calendar = async (end = '2027-03-31'): Promise<string[]> => {
  const { body } = await user.get(`/calendar/events?start=2026-11-20&end=${end}&limit=1000`).expect(200);
  return (body as Plan[]).map((event) => `${event['title']} ${event['scheduled_for'].slice(0, 16)}`);
};
const limit = (limits: object) => user.patch('/user/update', { updates: { limits } }).expect(200);

describe('a proposal', () => {
  test('becomes one series with one decision', async () => {
    const plan = await propose({});
    expect(plan).toMatchObject({
      status: 'proposed',
      rrule: 'FREQ=WEEKLY;COUNT=4',
      exdates: [],
      on_conflict: 'skip',
      timezone: 'Europe/Berlin',
      repeats_until: '2026-12-21T09:00:00.000Z',
      expires_at: '2026-11-30T08:00:00.000Z',
    });
    const done = await approve(plan.uid);
    expect(done['status']).toBe('executed');
    const { body: event } = await user.get(`/calendar/event?uid=${done['linked_event_uid']}`).expect(200);
    expect(event).toMatchObject({ rrule: plan['rrule'], exdates: [], plan_uid: plan.uid, yields: true });
    expect(await calendar()).toEqual([
      'Review 2026-11-30T08:00',
      'Review 2026-12-07T08:00',
      'Review 2026-12-14T08:00',
      'Review 2026-12-21T08:00',
    ]);
    const { body: traces } = await user.get('/memory/pull?type=calendar_event').expect(200);
    expect(traces).toHaveLength(1);
    await app.executor.round();
    expect(await calendar()).toHaveLength(4);
  });

  test('leaves out the occurrences of the next 90 days whose time is taken, and says which', async () => {
    await book('Dentist', '2026-12-07T09:30');
    await book('Weekly call', '2026-12-21T08:30', { rrule: 'FREQ=WEEKLY' });
    const plan = await propose({});
    expect(plan).toMatchObject({
      status: 'proposed',
      exdates: ['2026-12-07T08:00:00.000Z', '2026-12-21T08:00:00.000Z'],
    });
    expect(plan['reasoning']).toContain('2026-12-07 09:00, 2026-12-21 09:00 (Europe/Berlin)');
    await approve(plan.uid);
    expect((await calendar('2026-12-31')).filter((line) => line.startsWith('Review'))).toEqual([
      'Review 2026-11-30T08:00',
      'Review 2026-12-14T08:00',
    ]);
  });

  test('expires with its first occurrence that is left', async () => {
    await book('Dentist', '2026-11-30T09:00');
    expect(await propose({})).toMatchObject({
      scheduled_for: '2026-11-30T08:00:00.000Z',
      expires_at: '2026-12-07T08:00:00.000Z',
    });
  });

  test('can ask to be refused instead, and is refused where nothing is left', async () => {
    await book('Dentist', '2026-12-07T09:30');
    const plan = await propose({ on_conflict: 'refuse' });
    expect(plan).toMatchObject({ status: 'rejected', decision: { by: 'policy', code: 'slot:blocked' } });
    expect(plan['decision'].note).toContain('1 of 4 occurrences');
    expect(plan['decision'].alternatives.length).toBeGreaterThan(0);
    await book('Course', '2026-11-01T09:00', { rrule: 'FREQ=DAILY' });
    expect(await propose({})).toMatchObject({ status: 'rejected', decision: { code: 'slot:blocked' } });
  });

  test('without a time gets the start for which the fewest occurrences are taken, on a day of the rule', async () => {
    // Fridays from 08:00 to 12:00 are taken later on, but not this week.
    await book('Training', '2026-12-04T08:00', { duration_minutes: 240, rrule: 'FREQ=WEEKLY' });
    const plan = await propose({ scheduled_for: null, rrule: 'FREQ=WEEKLY;BYDAY=FR' });
    expect(plan).toMatchObject({ status: 'proposed', exdates: [] });
    expect(plan['scheduled_for'] >= '2026-11-27T11:00' && plan['scheduled_for'] < '2026-11-28').toBe(true);
    const monthly = await propose({ scheduled_for: null, rrule: 'FREQ=MONTHLY;BYDAY=1TU' });
    expect(monthly['scheduled_for'].slice(0, 10)).toBe('2026-12-01');
    expect((await refused({ scheduled_for: null, rrule: 'FREQ=DAILY;BYHOUR=9,17' }))[0].message).toContain(
      'scheduled_for',
    );
  });

  test('repeats the wall time of its zone', async () => {
    const plan = await propose({
      scheduled_for: '2027-03-01T09:00',
      timezone: 'America/New_York',
      rrule: 'FREQ=WEEKLY;COUNT=3',
    });
    expect(plan['timezone']).toBe('America/New_York');
    await approve(plan.uid);
    expect(await calendar()).toEqual(['Review 2027-03-01T14:00', 'Review 2027-03-08T14:00', 'Review 2027-03-15T13:00']);
  });

  test('sent again gives the same answer', async () => {
    await book('Dentist', '2026-12-07T09:30');
    const action = { uid: 'again', exdates: ['2026-12-14T09:00'] };
    const first = await propose(action);
    expect(first['exdates']).toHaveLength(2);
    expect(await propose(action)).toEqual(first);
    const other = { ...MONDAYS, ...action, rrule: 'FREQ=WEEKLY;COUNT=5' };
    await agent.post('/agent/plan', { actions: [other] }).expect(409);
  });

  test('can be pushed, and previewed', async () => {
    const { body: previews } = await agent.post('/chat/plan-preview', { actions: [MONDAYS] }).expect(200);
    expect(previews).toMatchObject([{ rrule: MONDAYS.rrule, timezone: 'Europe/Berlin' }]);
    const trace = { ...MONDAYS, type: 'agent_plan', content: 'Review', exdates: ['2026-12-14T09:00'] };
    const { body } = await agent.post('/memory/push', { traces: [trace] }).expect(201);
    await agent.post('/memory/push', { traces: [{ ...trace, uid: body[0].uid }] }).expect(201);
    await approve(body[0].uid);
    expect(await calendar()).toHaveLength(3);
  });
});

describe('what is refused', () => {
  test.each([
    ['a rule with a fault', { rrule: 'FREQ=SOMETIMES' }, '/actions/0/rrule'],
    ['every second', { rrule: 'FREQ=SECONDLY' }, '/actions/0/rrule'],
    ['every minute', { rrule: 'FREQ=MINUTELY' }, '/actions/0/rrule'],
    ['96 a day', { rrule: 'FREQ=MINUTELY;INTERVAL=15' }, '/actions/0/rrule'],
    ['a COUNT of 100,000', { rrule: 'FREQ=DAILY;COUNT=100000' }, '/actions/0/rrule'],
    ['a rule that never occurs', { rrule: 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30' }, '/actions/0/rrule'],
    ['BYSETPOS beyond its set', { rrule: 'FREQ=DAILY;BYHOUR=9;BYSETPOS=366' }, '/actions/0/rrule'],
    ['an end before the start', { rrule: 'FREQ=DAILY;UNTIL=20261101' }, '/actions/0/rrule'],
    ['a rule without a slot', { action_type: 'log' }, '/actions/0/rrule'],
    ['exdates without a rule', { rrule: null, exdates: ['2026-12-14T09:00'] }, '/actions/0/exdates'],
    ['on_conflict without a rule', { rrule: null, on_conflict: 'refuse' }, '/actions/0/on_conflict'],
    [
      'exdates that leave nothing',
      { rrule: 'FREQ=DAILY;COUNT=1', exdates: ['2026-11-30T09:00'] },
      '/actions/0/exdates',
    ],
    ['another word for a conflict', { on_conflict: 'ignore' }, '/actions/0/on_conflict'],
  ])('%s', async (_name, action, path) => {
    expect(await refused(action)).toMatchObject([{ path }]);
    expect((await user.get('/agent/queue?status=all').expect(200)).body).toEqual([]);
  });

  test('a push names the place of its fault', async () => {
    const note = { type: 'observation', content: 'Note' };
    const plan = { ...MONDAYS, type: 'agent_plan', content: 'Review', rrule: 'FREQ=SOMETIMES' };
    const { body } = await agent.post('/memory/push', { traces: [note, plan] }).expect(422);
    expect(body.errors).toMatchObject([{ path: '/traces/1/rrule' }]);
  });
});

describe('limits', () => {
  test('count each occurrence in its own local day and week', async () => {
    await limit({ budget: { per_week: 2 } });
    expect(await propose({ rrule: 'FREQ=DAILY;COUNT=3' })).toMatchObject({ decision: { code: 'limit:budget_week' } });
    const plan = await propose({ rrule: 'FREQ=WEEKLY;BYDAY=MO,WE' });
    expect(plan['status']).toBe('proposed');
    const once = (scheduled_for: string) => propose({ rrule: null, scheduled_for });
    expect(await once('2027-05-13T09:00')).toMatchObject({ decision: { code: 'limit:budget_week' } });
    await approve(plan.uid);
    const { body } = await user.get('/agent/status').expect(200);
    expect(body.limits).toMatchObject([{ used: 0, left: 2 }]);
    app.clock.set('2026-12-01T07:00:00.000Z');
    expect((await user.get('/agent/status').expect(200)).body.limits).toMatchObject([{ used: 2, left: 0 }]);
  });

  test('are checked for occurrences that come much later', async () => {
    await limit({ budget: { per_week: 1 } });
    const summers = { rrule: 'FREQ=DAILY;BYMONTH=6' };
    const plan = await propose(summers);
    expect(plan).toMatchObject({ status: 'rejected', decision: { code: 'limit:budget_week' } });
    expect(plan['decision'].note).toContain('in the week of Monday 31 May 2027');
  });

  test('bind the approval too, and no longer count a series that the person removed', async () => {
    const first = await propose({ rrule: 'FREQ=WEEKLY' });
    const second = await propose({ rrule: 'FREQ=WEEKLY', scheduled_for: '2026-12-01T09:00' });
    const done = await approve(first.uid);
    await limit({ budget: { per_week: 1 } });
    await user.post('/agent/approve', { uid: second.uid }).expect(409);
    await user.delete(`/calendar/remove?uid=${done['linked_event_uid']}`).expect(200);
    expect(await approve(second.uid)).toMatchObject({ status: 'executed' });
  });

  test('cadence rules count occurrences', async () => {
    await limit({ cadence: [{ id: 'one', action_type: 'schedule', max: 1, per: 'day' }] });
    const twice = { rrule: 'FREQ=DAILY;BYHOUR=9,15;COUNT=4' };
    expect(await propose(twice)).toMatchObject({ decision: { code: 'limit:cadence:one' } });
    expect((await propose({ rrule: 'FREQ=DAILY' }))['status']).toBe('proposed');
  });

  test('the tempo hours concern each occurrence', async () => {
    await limit({ only_in_tempo: true });
    const weekdays = { name: 'work', days: ['MO', 'TU', 'WE', 'TH', 'FR'], start: '09:00', end: '17:00' };
    await user.post('/tempo/adjust', { user_id: person.user_id, preferences: { time_ranges: [weekdays] } }).expect(200);
    expect(await propose({ rrule: 'FREQ=DAILY' })).toMatchObject({ decision: { code: 'slot:outside_tempo' } });
    expect((await propose({ rrule: 'FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR' }))['status']).toBe('proposed');
  });
});

describe('a decision', () => {
  test('leaves out what was booked since, in ten years', async () => {
    const plan = await propose({ rrule: 'FREQ=WEEKLY' });
    await book('Dentist', '2026-12-07T09:30');
    await book('Holiday', '2027-07-05T09:00');
    const done = await approve(plan.uid);
    expect(done).toMatchObject({
      status: 'executed',
      exdates: ['2026-12-07T08:00:00.000Z', '2027-07-05T07:00:00.000Z'],
    });
    expect(done['reasoning']).toContain('2027-07-05 09:00');
  });

  test('is refused where the plan asks for it', async () => {
    const plan = await propose({ on_conflict: 'refuse' });
    await book('Dentist', '2026-12-07T09:30');
    const { body } = await user.post('/agent/approve', { uid: plan.uid }).expect(409);
    expect(body).toMatchObject({ code: 'slot_taken', taken: ['2026-12-07T08:00:00.000Z'] });
    const edits = { exdates: ['2026-12-07T09:00'] };
    expect(await approve(plan.uid, { edits })).toMatchObject({
      status: 'executed',
      exdates: ['2026-12-07T08:00:00.000Z'],
    });
    expect((await calendar()).filter((line) => line.startsWith('Review'))).toHaveLength(3);
  });

  test('can change the rule, and move all of it', async () => {
    const plan = await propose({ exdates: ['2026-12-07T09:00'] });
    const edits = { rrule: 'FREQ=WEEKLY;COUNT=3', scheduled_for: '2026-12-01T10:00' };
    const done = await approve(plan.uid, { edits });
    expect(done).toMatchObject({ rrule: 'FREQ=WEEKLY;COUNT=3', exdates: ['2026-12-08T09:00:00.000Z'] });
    expect(await calendar()).toEqual(['Review 2026-12-01T09:00', 'Review 2026-12-15T09:00']);
  });

  test('binds what was seen: an agent that changes the repetition makes a new revision', async () => {
    const plan = await propose({});
    const edit = { uid: plan.uid, updates: { rrule: 'FREQ=DAILY;COUNT=4' } };
    const { body } = await agent.patch('/memory/edit', edit).expect(200);
    expect(body).toMatchObject({ rrule: 'FREQ=DAILY;COUNT=4', repeats_until: '2026-12-03T09:00:00.000Z' });
    await user.post('/agent/approve', { uid: plan.uid, expected_version: plan.version }).expect(412);
    await user.post('/agent/approve', { uid: plan.uid }).expect(428);
    await approve(plan.uid, { expected_version: body.version });
    expect(await calendar()).toHaveLength(4);
    await user.patch('/memory/edit', { uid: plan.uid, updates: { rrule: null } }).expect(422);
  });

  test('of a manual execution is carried out once', async () => {
    await user.patch('/user/update', { updates: { execution: 'manual' } }).expect(200);
    const plan = await propose({ task_id: 'review' });
    expect(await approve(plan.uid)).toMatchObject({ status: 'approved' });
    expect(await calendar()).toEqual([]);
    await user.post('/agent/execute', { task_id: 'review', simulate: true }).expect(200);
    expect(await calendar()).toEqual([]);
    await user.post('/agent/execute', { task_id: 'review' }).expect(200);
    const again = await user.post('/agent/execute', { task_id: 'review' }).expect(200);
    expect(again.body.replayed).toBe(true);
    expect(await calendar()).toHaveLength(4);
  });

  test('of two at once: one series gets each time', async () => {
    const [one, other] = [await propose({}), await propose({ title: 'Other' })];
    const answers = await Promise.all([one, other].map(({ uid }) => user.post('/agent/approve', { uid })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(new Set((await calendar()).map((line) => line.split(' ')[1])).size).toBe(4);
    expect(await calendar()).toHaveLength(4);
  });

  test('an agent’s single plan does not land on the series', async () => {
    await approve((await propose({})).uid);
    expect(await propose({ rrule: null, scheduled_for: '2026-12-14T09:30' })).toMatchObject({
      decision: { code: 'slot:blocked' },
    });
  });
});

describe('a person’s event on an agent’s series', () => {
  test('takes its time from one occurrence, which is proposed again', async () => {
    const { uid } = await approve((await propose({})).uid);
    await book('Dentist', '2026-12-07T09:30');
    expect(await calendar()).toEqual([
      'Review 2026-11-30T08:00',
      'Dentist 2026-12-07T08:30',
      'Review 2026-12-14T08:00',
      'Review 2026-12-21T08:00',
    ]);
    const { body: queue } = await user.get('/agent/queue').expect(200);
    expect(queue).toMatchObject([{ title: 'Review', rrule: null, linked_trace_ids: [uid], duration_minutes: 60 }]);
    expect(queue[0].scheduled_for >= '2026-12-07T09:30').toBe(true);
    const { body: plan } = await user.get(`/agent/plan?uid=${uid}`).expect(200);
    const decision = { code: 'occurrence_displaced', successor_uids: [queue[0].uid] };
    expect(plan).toMatchObject({ status: 'executed', decision });
  });

  test('a series of the person takes all the times; the next five are proposed again', async () => {
    await approve((await propose({ rrule: 'FREQ=WEEKLY;COUNT=8' })).uid);
    await book('Choir', '2026-12-07T09:00', { rrule: 'FREQ=WEEKLY' });
    expect((await calendar()).filter((line) => line.startsWith('Review'))).toEqual(['Review 2026-11-30T08:00']);
    expect((await user.get('/agent/queue').expect(200)).body).toHaveLength(5);
  });

  test('removes a series that has nothing left, and leaves alone what is over', async () => {
    const { uid } = await approve((await propose({ rrule: 'FREQ=DAILY;COUNT=2' })).uid);
    app.clock.set('2026-11-30T12:00:00.000Z');
    await book('Yesterday’s notes', '2026-11-30T09:00');
    expect(await calendar()).toHaveLength(3);
    await book('Trip', '2026-12-01T00:00', { duration_minutes: 1440 });
    expect(await calendar()).toEqual(
      ['Review 2026-11-30T08:00', 'Yesterday’s notes 2026-11-30T08:00', 'Trip 2026-11-30T23:00'].sort((a, b) =>
        a.slice(-16) < b.slice(-16) ? -1 : 1,
      ),
    );
    expect((await user.get(`/agent/plan?uid=${uid}`).expect(200)).body.decision.code).toBe('occurrence_displaced');
  });
});

test('an export keeps the series, and an import proposes it again', async () => {
  const plan = await propose({ exdates: ['2026-12-07T09:00'] });
  const { body } = await user.get(`/memport/export?export_format=full&user_id=${person.user_id}`).expect(200);
  const { body: me } = await user.get('/user/profile').expect(200);
  const there = await aUser(app);
  const other = await aKey(app, there, 'user');
  expect(me.user_id).not.toBe(there.user_id);
  await other.post('/memport/import', body).expect(200);
  expect((await other.post('/memport/import', body).expect(200)).body).toMatchObject({ created: 0, conflicts: [] });
  const { body: record } = await other.get(`/agent/plan?uid=${plan.uid}`).expect(200);
  const { rrule, exdates, timezone, repeats_until, proposal_id } = plan;
  expect(record).toMatchObject({ rrule, exdates, timezone, repeats_until, proposal_id, status: 'proposed' });
  const approved = (await other.post('/agent/approve', { uid: plan.uid }).expect(200)).body;
  expect(approved).toMatchObject({ status: 'executed', rrule, exdates });
});

test('a correction says again what was left out on request, and does not call it taken', async () => {
  await book('Trip', '2026-12-11T09:00');
  const say = async (prompt: string): Promise<string> =>
    (await user.post('/chat/respond', { prompt }).expect(200)).body.reply;
  expect(await say('Standup every Friday at 9 except 25 December')).toContain(
    ', without Friday 25 December; not possible on Friday 11 December, when the time is taken',
  );
  const corrected = await say('Make it 45 minutes');
  expect(corrected).toContain('45 minutes, every week on Friday, without');
  expect(corrected).toContain('Friday 25 December');
  expect(corrected).not.toContain('taken');
});

test('a day that is left out in words is left out besides those before', async () => {
  const say = async (prompt: string): Promise<void> => {
    await user.post('/chat/respond', { prompt }).expect(200);
  };
  await say('Stretching every Friday at 6am except 25 December');
  await say('Stretching not on 18 December');
  const { body } = await user.get('/agent/queue').expect(200);
  expect(body.find(({ title }: { title: string }) => title === 'Stretching')).toMatchObject({
    exdates: ['2026-12-18T05:00:00.000Z', '2026-12-25T05:00:00.000Z'],
    pinned: true,
  });
});
