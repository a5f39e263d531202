/** Decisions that are taken back: the plan waits again, and what it did is undone in the same write or not at all. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anApp, aUser, type TestApp, type TestUser } from '../support/app.ts';
import { daysLater } from '../support/days-later.ts';

let app: TestApp;
beforeAll(async () => {
  app = await anApp();
});
afterAll(() => app.close());

const DAY = '2026-11-27';
const call = (more: object = {}) => ({
  action_type: 'schedule',
  title: 'Call the supplier',
  scheduled_for: `${DAY}T15:30`,
  duration_minutes: 20,
  ...more,
});
const propose = async (user: TestUser, ...actions: object[]) =>
  (await user.agent.post('/agent/plan', { actions }).expect(200)).body;
const eventsOf = async (user: TestUser) =>
  (await user.get('/calendar/events?start=2026-11-20&end=2027-01-31').expect(200)).body;
const planOf = async (user: TestUser, uid: string) => (await user.get(`/agent/plan?uid=${uid}`).expect(200)).body;
const approve = async (user: TestUser, { uid, version }: { uid: string; version: number }) =>
  (await user.post('/agent/approve', { uid, expected_version: version }).expect(200)).body;
const undo = (user: TestUser, uid: string, more: object = {}) => user.post('/agent/undo', { uid, ...more });
const anEvent = async (user: TestUser, more: object = {}) =>
  (
    await user
      .post('/calendar/create', { title: 'Dentist', scheduled_for: `${DAY}T11:00`, duration_minutes: 45, ...more })
      .expect(201)
  ).body;
const asItWas = ({ version: _v, seq: _s, updated_at: _u, sequence: _q, ...rest }: Record<string, unknown>) => rest;

const later = (user: TestUser, work: () => Promise<void>) => daysLater(app, 8, user, work);

describe('an approval', () => {
  test('is taken back: the event goes, the proposal waits again, and it can be approved again', async () => {
    const user = await aUser(app);
    const [plan] = await propose(user, call());
    const done = await approve(user, plan);
    expect(await eventsOf(user)).toHaveLength(1);

    const { body: again } = await undo(user, plan.uid, { note: 'Too early.' }).expect(200);
    expect(again).toMatchObject({
      uid: plan.uid,
      status: 'proposed',
      decision: null,
      linked_event_uid: null,
      executed_at: null,
      expires_at: plan.expires_at,
    });
    expect(again.revision).toBe(again.version);
    expect(await eventsOf(user)).toEqual([]);
    const queue = (await user.get('/agent/queue').expect(200)).body;
    expect(queue.map(({ uid }: { uid: string }) => uid)).toEqual([plan.uid]);

    // Who read the plan before can't decide on it by that reading.
    await user.post('/agent/approve', { uid: plan.uid, expected_version: done.version }).expect(412);
    await user.post('/agent/approve', { uid: plan.uid }).expect(428);
    const twice = await approve(user, again);
    expect(twice.status).toBe('executed');
    expect(await eventsOf(user)).toMatchObject([{ uid: twice.linked_event_uid, plan_uid: plan.uid }]);
    expect(twice.linked_event_uid).not.toBe(done.linked_event_uid);
  });

  test('is on the record, as a transition with its reason, and on the feed of changes', async () => {
    const user = await aUser(app);
    const [plan] = await propose(user, call());
    await approve(user, plan);
    await undo(user, plan.uid, { note: 'Too early.' }).expect(200);
    const { body: changes } = await user.get('/agent/changes?after=0&limit=100').expect(200);
    expect(changes.changes.map(({ type }: { type: string }) => type)).toContain('plan.reopened');
    const { child_trace_ids } = await planOf(user, plan.uid);
    const { body: traces } = await user.get('/memory/pull?limit=100').expect(200);
    const record = traces.find(({ uid }: { uid: string }) => uid === child_trace_ids.at(-1));
    expect(record.transition).toMatchObject({ from: 'executed', to: 'proposed', code: 'undone', note: 'Too early.' });
  });

  test('that waits for its time is taken back, and nothing is executed', async () => {
    const user = await aUser(app);
    const [plan] = await propose(user, call({ action_type: 'log', content: 'Was it good?' }));
    expect((await approve(user, plan)).status).toBe('approved');
    expect((await undo(user, plan.uid).expect(200)).body.status).toBe('proposed');
    await later(user, async () => {
      expect(await planOf(user, plan.uid)).toMatchObject({ status: 'rejected', decision: { code: 'expired' } });
    });
  });

  test('of a series removes the series', async () => {
    const user = await aUser(app);
    const [plan] = await propose(user, call({ rrule: 'FREQ=WEEKLY;COUNT=5' }));
    await approve(user, plan);
    expect(await eventsOf(user)).toHaveLength(5);
    const { body } = await undo(user, plan.uid).expect(200);
    expect(body).toMatchObject({ status: 'proposed', rrule: 'FREQ=WEEKLY;COUNT=5' });
    expect(await eventsOf(user)).toEqual([]);
  });

  test('of a move puts the event back, with its texts', async () => {
    const user = await aUser(app);
    const event = await anEvent(user, { description: 'Bring the card' });
    const [plan] = await propose(user, {
      action_type: 'reschedule',
      title: 'Move the dentist',
      target_event_uid: event.uid,
      scheduled_for: `${DAY}T16:00`,
      arguments: { title: 'Dentist (moved)' },
    });
    await approve(user, plan);
    expect(await eventsOf(user)).toMatchObject([{ title: 'Dentist (moved)' }]);
    expect((await undo(user, plan.uid).expect(200)).body).toMatchObject({ status: 'proposed' });
    const { body: back } = await user.get(`/calendar/event?uid=${event.uid}`).expect(200);
    expect(asItWas(back)).toEqual(asItWas(event));
  });

  test('of a cancellation brings the event back under its uid, also one occurrence of a series', async () => {
    const user = await aUser(app);
    const event = await anEvent(user, { description: 'Bring the card' });
    const series = await anEvent(user, { title: 'Yoga', scheduled_for: `${DAY}T18:00`, rrule: 'FREQ=WEEKLY;COUNT=3' });
    const cancel = { action_type: 'reschedule', title: 'Cancel it', arguments: { cancel: true } };
    const [one] = await propose(user, { ...cancel, target_event_uid: event.uid });
    const [two] = await propose(user, { ...cancel, target_event_uid: series.uid });
    const before = await eventsOf(user);
    await approve(user, one);
    await approve(user, two);
    expect(await eventsOf(user)).toHaveLength(before.length - 2);
    for (const { uid } of [one, two]) await undo(user, uid).expect(200);
    const after = await eventsOf(user);
    expect(after.map(asItWas)).toEqual(before.map(asItWas));
    expect((await user.get('/debug/audit').expect(200)).body.ok).toBe(true);
  });

  test('of a note removes the note, unless it was changed', async () => {
    const user = await aUser(app);
    const note = { action_type: 'log', title: 'Note', content: 'Greta may not eat nuts.', scheduled_for: undefined };
    const [one] = await propose(user, note);
    const [two] = await propose(user, { ...note, content: 'The code is 4471.' });
    await approve(user, one);
    const done = await approve(user, two);
    await undo(user, one.uid).expect(200);
    const { body: notes } = await user.get('/memory/pull?type=observation&limit=100').expect(200);
    const texts = notes.map(({ content }: { content: string }) => content);
    expect(texts).not.toContain('Greta may not eat nuts.');
    const made = notes.find(({ content }: { content: string }) => content === 'The code is 4471.');
    expect(done.child_trace_ids).toContain(made.uid);
    await user.patch('/memory/edit', { uid: made.uid, updates: { content: 'The code is 4472.' } }).expect(200);
    const { body } = await undo(user, two.uid).expect(409);
    expect(body).toMatchObject({ code: 'changed_since', uid: made.uid });
    expect((await planOf(user, two.uid)).status).toBe('executed');
  });

  test('of two plans that exchange places is taken back for both', async () => {
    const user = await aUser(app);
    const dentist = await anEvent(user);
    const lunch = await anEvent(user, { title: 'Lunch', scheduled_for: `${DAY}T13:00` });
    const { body } = await user.post('/chat/respond', { prompt: 'swap the dentist and the lunch' }).expect(200);
    expect(body.reply).toContain('Dentist');
    const plans = (await user.get('/agent/queue').expect(200)).body;
    expect(plans).toHaveLength(2);
    const before = await eventsOf(user);
    await approve(user, plans[0]);
    expect((await eventsOf(user)).map(asItWas)).not.toEqual(before.map(asItWas));
    await undo(user, plans[1].uid).expect(200);
    expect((await eventsOf(user)).map(asItWas)).toEqual(before.map(asItWas));
    expect((await user.get('/agent/queue').expect(200)).body).toHaveLength(2);
    for (const { uid } of [dentist, lunch]) await user.get(`/calendar/event?uid=${uid}`).expect(200);
  });
});

describe('an approval whose effect was changed since', () => {
  test('stays, and the answer says why; a simulation says it before', async () => {
    const user = await aUser(app);
    const [plan] = await propose(user, call());
    const { linked_event_uid: uid } = await approve(user, plan);
    expect((await undo(user, plan.uid, { simulate: true }).expect(200)).body.status).toBe('proposed');
    expect(await eventsOf(user)).toHaveLength(1);
    await user.patch('/calendar/edit', { uid, updates: { title: 'Call Ada' } }).expect(200);
    for (const more of [{ simulate: true }, {}]) {
      const { body } = await undo(user, plan.uid, more).expect(409);
      expect(body).toMatchObject({ code: 'changed_since', uid });
      expect(body.detail).toContain('Call Ada');
    }
    expect(await eventsOf(user)).toMatchObject([{ title: 'Call Ada' }]);
    expect((await planOf(user, plan.uid)).status).toBe('executed');
  });

  test('stays where the event was removed, or its old time is taken by an agent’s block', async () => {
    const user = await aUser(app);
    const [plan] = await propose(user, call());
    const { linked_event_uid: uid } = await approve(user, plan);
    const [move] = await propose(user, {
      ...{ action_type: 'reschedule', title: 'Later', target_event_uid: uid, scheduled_for: `${DAY}T17:00` },
    });
    await approve(user, move);
    expect((await undo(user, plan.uid).expect(409)).body.code).toBe('changed_since');
    const [other] = await propose(user, call({ title: 'Another' }));
    await approve(user, other);
    expect((await undo(user, move.uid).expect(409)).body.code).toBe('slot_taken');
    await user.delete(`/calendar/remove?uid=${uid}`).expect(200);
    expect((await undo(user, move.uid).expect(409)).body.code).toBe('changed_since');
  });
});

describe('a rejection', () => {
  test.each(['reject', 'withdraw'])('by %s is taken back', async (way) => {
    const user = await aUser(app);
    const [plan] = await propose(user, call());
    const by = way === 'withdraw' ? user.agent : user;
    await by.post(`/agent/${way}`, { uid: plan.uid }).expect(200);
    expect((await undo(user, plan.uid).expect(200)).body).toMatchObject({ status: 'proposed', decision: null });
  });

  test('of a plan that expired proposes it again for a free time', async () => {
    const user = await aUser(app);
    const [plan] = await propose(user, call());
    await later(user, async () => {
      expect((await planOf(user, plan.uid)).decision).toMatchObject({ code: 'expired' });
      const { body: again } = await undo(user, plan.uid).expect(200);
      expect(again).toMatchObject({ status: 'proposed', title: plan.title, proposed_by: plan.proposed_by });
      expect(again.uid).not.toBe(plan.uid);
      expect(Date.parse(again.scheduled_for)).toBeGreaterThanOrEqual(app.clock.millis());
      expect((await planOf(user, plan.uid)).status).toBe('rejected');
    });
  });
});

test('several, a whole proposal, what waits already, and what is not there', async () => {
  const user = await aUser(app);
  const plans = await propose(user, call(), call({ scheduled_for: `${DAY}T17:00` }));
  const [one] = plans;
  await user.post('/agent/approve', { proposal_id: one.proposal_id }).expect(200);
  const { body: results } = await user.post('/agent/undo', { proposal_id: one.proposal_id }).expect(200);
  expect(results.map(({ plan }: { plan: { status: string } }) => plan.status)).toEqual(['proposed', 'proposed']);
  expect(await eventsOf(user)).toEqual([]);
  const { version } = await planOf(user, one.uid);
  expect((await undo(user, one.uid).expect(200)).body.version).toBe(version);
  const { body: mixed } = await user.post('/agent/undo', { uids: [one.uid, 'none'] }).expect(200);
  expect(mixed.map(({ status }: { status: number }) => status)).toEqual([200, 404]);
});

test('at once: one of two undos, and one of an undo and an edit of the event, takes effect', async () => {
  const user = await aUser(app);
  const [plan] = await propose(user, call());
  const { linked_event_uid: uid } = await approve(user, plan);
  const answers = await Promise.all([undo(user, plan.uid), undo(user, plan.uid)]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  const kinds = (await user.get('/agent/changes?after=0&limit=100').expect(200)).body.changes.map(
    ({ type }: { type: string }) => type,
  );
  expect(kinds.filter((type: string) => type === 'plan.reopened')).toHaveLength(1);
  await user.get(`/calendar/event?uid=${uid}`).expect(404);
  await approve(user, await planOf(user, plan.uid));
  const { linked_event_uid } = await planOf(user, plan.uid);
  const [edited, undone] = await Promise.all([
    user.patch('/calendar/edit', { uid: linked_event_uid, updates: { title: 'Mine' } }),
    undo(user, plan.uid),
  ]);
  expect([`${edited.status} ${undone.status}`]).toEqual([expect.stringMatching(/^(?:200 409|404 200)$/)]);
  expect((await user.get('/debug/audit').expect(200)).body.ok).toBe(true);
});
