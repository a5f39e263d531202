/** A decision on one plan of a swap: the version that is named belongs to the plan that is named. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anApp, aUser, type TestApp, type TestUser } from '../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await anApp();
});
afterAll(() => app.close());

// oxlint-disable-next-line typescript/no-explicit-any -- plans as answered
type Plan = any;
const DAY = '2026-11-27';
const planOf = async (user: TestUser, uid: string): Promise<Plan> =>
  (await user.get(`/agent/plan?uid=${uid}`).expect(200)).body;
const eventsOf = async (user: TestUser): Promise<Plan[]> =>
  (await user.get('/calendar/events?start=2026-11-20&end=2026-12-31').expect(200)).body.map(
    ({ title, local_start }: Plan) => `${title} ${local_start.slice(11, 16)}`,
  );
const BEFORE = ['Dentist 11:00', 'Lunch 13:00'];
const AFTER = ['Lunch 11:00', 'Dentist 13:00'];

/** A swap of which some plans were changed by their agent, so that these are at version 2. */
const aSwap = async (user: TestUser, ...changed: number[]): Promise<[Plan, Plan]> => {
  const uids: string[] = [];
  for (const [title, time] of [
    ['Dentist', '11:00'],
    ['Lunch', '13:00'],
  ])
    uids.push(
      (
        await user
          .post('/calendar/create', { title, scheduled_for: `${DAY}T${time}`, duration_minutes: 45 })
          .expect(201)
      ).body.uid,
    );
  const actions = ['13:00', '11:00'].map((time, i) => ({
    ...{ action_type: 'reschedule', title: `Move ${i}`, target_event_uid: uids[i], scheduled_for: `${DAY}T${time}` },
  }));
  const { body: plans } = await user.agent.post('/agent/plan', { actions }).expect(200);
  for (const i of changed)
    await user.agent.patch('/memory/edit', { uid: plans[i].uid, updates: { title: `Changed ${i}` } }).expect(200);
  const both = [await planOf(user, plans[0].uid), await planOf(user, plans[1].uid)] as [Plan, Plan];
  expect(both.map(({ swaps_with }) => swaps_with)).toEqual([both[1].uid, both[0].uid]);
  return both;
};
const approve = (user: TestUser, uid: string, more: object = {}) => user.post('/agent/approve', { uid, ...more });

describe('an approval of one plan', () => {
  test('by its version, where the other is as it was proposed', async () => {
    const user = await aUser(app);
    const [one, other] = await aSwap(user, 0);
    expect([one.version, other.version]).toEqual([2, 1]);
    await approve(user, one.uid, { expected_version: 2 }).expect(200);
    expect(await eventsOf(user)).toEqual(AFTER);
  });

  test('by If-Match, where the other is as it was proposed', async () => {
    const user = await aUser(app);
    const [one] = await aSwap(user, 0);
    await approve(user, one.uid).set('If-Match', '"2"').expect(200);
    expect(await eventsOf(user)).toEqual(AFTER);
  });

  test.each(['expected_version', 'If-Match'])('does not approve the other by its version, as %s', async (way) => {
    const user = await aUser(app);
    const [one, other] = await aSwap(user, 0, 1);
    expect([one.version, other.version]).toEqual([2, 2]);
    const asked = way === 'If-Match' ? approve(user, one.uid).set(way, '"2"') : approve(user, one.uid, { [way]: 2 });
    const { body } = await asked.expect(428);
    expect(body).toMatchObject({ code: 'precondition_required', uid: other.uid, version: 2, revision: 2 });
    expect(body.detail).toContain(other.uid);
    expect(body.detail).toContain('expected_versions');
    expect(await eventsOf(user)).toEqual(BEFORE);
  });

  test('by the versions of both, as the refusal says, also with edits', async () => {
    const user = await aUser(app);
    const [one, other] = await aSwap(user, 0, 1);
    const stale = { expected_version: 2, expected_versions: { [other.uid]: 1 } };
    await approve(user, one.uid, stale).expect(412);
    const edits = { title: 'Mine' };
    await approve(user, one.uid, { expected_version: 2, expected_versions: { [other.uid]: 2 }, edits }).expect(200);
    expect(await eventsOf(user)).toEqual(AFTER);
    expect((await planOf(user, one.uid)).title).toBe('Mine');
  });

  test('names no version of a plan that is not part of it', async () => {
    const user = await aUser(app);
    const [one, other] = await aSwap(user);
    for (const uid of [one.uid, 'another']) {
      const { body } = await approve(user, one.uid, { expected_versions: { [uid]: 1 } }).expect(422);
      expect(body.errors).toMatchObject([{ path: `/expected_versions/${uid}` }]);
    }
    await approve(user, one.uid, { expected_versions: { [other.uid]: 1 } }).expect(200);
  });

  test('of a list binds each to its own version', async () => {
    const user = await aUser(app);
    const [one, other] = await aSwap(user, 0, 1);
    const send = (expected_versions: object) =>
      user.post('/agent/approve', { uids: [one.uid, other.uid], expected_versions });
    const { body: refused } = await send({ [one.uid]: 2 }).expect(200);
    expect(refused.map(({ status }: Plan) => status)).toEqual([428, 428]);
    expect(await eventsOf(user)).toEqual(BEFORE);
    const { body } = await send({ [one.uid]: 2, [other.uid]: 2 }).expect(200);
    expect(body.map(({ status }: Plan) => status)).toEqual([200, 200]);
    expect(await eventsOf(user)).toEqual(AFTER);
  });
});

describe('a decision that executes nothing', () => {
  test.each(['reject', 'withdraw'])('%s needs the version of the plan that it names only', async (way) => {
    const user = await aUser(app);
    const [one, other] = await aSwap(user, 0);
    const by = way === 'reject' ? user : user.agent;
    const stale = { uid: one.uid, expected_versions: { [other.uid]: 7 } };
    await by.post(`/agent/${way}`, stale).expect(412);
    await by.post(`/agent/${way}`, { uid: one.uid, expected_version: 2 }).expect(200);
    for (const { uid } of [one, other]) expect((await planOf(user, uid)).status).toBe('rejected');
  });
});

test('undo binds each plan to its own version, and an approval after it needs both', async () => {
  const user = await aUser(app);
  const [one, other] = await aSwap(user, 0);
  await approve(user, one.uid, { expected_version: 2 }).expect(200);
  // The two are at different versions, and the other one is what was proposed.
  const [first, second] = [await planOf(user, one.uid), await planOf(user, other.uid)];
  expect(first.version).not.toBe(second.version);
  const undo = (more: object) => user.post('/agent/undo', { uid: one.uid, ...more });
  await undo({ expected_version: first.version }).expect(200);
  expect(await eventsOf(user)).toEqual(BEFORE);

  const [again, beside] = [await planOf(user, one.uid), await planOf(user, other.uid)];
  const { body } = await approve(user, one.uid, { expected_version: again.version }).expect(428);
  expect(body).toMatchObject({ uid: other.uid, version: beside.version });
  const both = { expected_version: again.version, expected_versions: { [other.uid]: beside.version } };
  await approve(user, one.uid, both).expect(200);

  // Both were changed since they were proposed, so a version of one is not enough.
  const [third, fourth] = [await planOf(user, one.uid), await planOf(user, other.uid)];
  const refused = await undo({ expected_version: third.version }).expect(428);
  expect(refused.body).toMatchObject({ uid: other.uid });
  await undo({ expected_version: third.version, expected_versions: { [other.uid]: 1 } }).expect(412);
  expect(await eventsOf(user)).toEqual(AFTER);
  await undo({ expected_version: third.version, expected_versions: { [other.uid]: fourth.version } }).expect(200);
  expect(await eventsOf(user)).toEqual(BEFORE);
});
