/** Undo of what a person changed on the calendar, with what followed from it for agents' plans. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { Event, Plan } from '../../src/client/almanac-client.ts';
import { aKey, anApp, aUser, type Client } from '../support/app.ts';

const app = await anApp();
let user: Awaited<ReturnType<typeof aUser>>;
beforeEach(async () => {
  user = await aUser(app);
});

const create = async (more: object = {}): Promise<Event> =>
  (
    await user
      .post('/calendar/create', { title: 'Lunch', scheduled_for: '2026-11-27T12:00', duration_minutes: 60, ...more })
      .expect(201)
  ).body;
const undo = (seq: number, more: object = {}, who: Client = user) => who.post('/calendar/undo', { seq, ...more });
const remove = async (query: string): Promise<number> =>
  (await user.delete(`/calendar/remove?${query}`).expect(200)).body.seq;
const titles = async (): Promise<string[]> =>
  (await user.get('/calendar/events?start=2026-11-27&end=2026-12-20').expect(200)).body.map(
    ({ title, scheduled_for }: Event) => `${title} ${scheduled_for.slice(5, 16)}`,
  );
const waiting = async (): Promise<Plan[]> => (await user.get('/agent/queue').expect(200)).body;
const planOf = async (uid: string): Promise<Plan> => (await user.get(`/agent/plan?uid=${uid}`).expect(200)).body;

/** A plan of an agent that the person has approved, which is on the calendar. */
const approved = async (more: object = {}): Promise<Plan> => {
  const action = {
    action_type: 'schedule',
    title: 'Focus',
    scheduled_for: '2026-11-27T12:00',
    duration_minutes: 60,
    ...more,
  };
  const [plan] = (await user.agent.post('/agent/plan', { actions: [action] }).expect(200)).body;
  return (await user.post('/agent/approve', { uid: plan.uid }).expect(200)).body;
};

describe('an event', () => {
  test('that was created is removed, and is there again when that is taken back', async () => {
    const { seq } = await create();
    const { body } = await undo(seq).expect(200);
    expect(body).toMatchObject({ events: [{ title: 'Lunch', removed: true }], plan_uids: [] });
    expect(await titles()).toEqual([]);
    await undo(body.events[0].seq).expect(200);
    expect(await titles()).toEqual(['Lunch 11-27T11:00']);
  });

  test('that was removed is there again, whole', async () => {
    const before = await create({ location: 'Canteen', description: 'With Jo', tags: ['food'] });
    const seq = await remove(`uid=${before.uid}`);
    const [back] = (await undo(seq).expect(200)).body.events;
    const { version: _v, seq: _s, sequence: _n, updated_at: _u, ...rest } = before;
    expect(back).toMatchObject(rest);
    expect(back.version).toBe(3);
  });

  test('that was changed is as it was before', async () => {
    const { uid } = await create();
    const { body: changed } = await user
      .patch('/calendar/edit', { uid, updates: { title: 'Dinner', scheduled_for: '2026-11-27T19:00' } })
      .expect(200);
    await undo(changed.seq).expect(200);
    expect(await titles()).toEqual(['Lunch 11-27T11:00']);
  });

  test('that was changed again since stays, and the refusal says so', async () => {
    const { uid, seq } = await create();
    await user.patch('/calendar/edit', { uid, updates: { title: 'Dinner' } }).expect(200);
    const { body } = await undo(seq).expect(409);
    expect(body).toMatchObject({ code: 'changed_since', uid });
    expect(await titles()).toEqual(['Dinner 11-27T11:00']);
  });

  test('is only simulated on request', async () => {
    const { seq } = await create();
    expect((await undo(seq, { simulate: true }).expect(200)).body.events).toMatchObject([{ removed: true }]);
    expect(await titles()).toEqual(['Lunch 11-27T11:00']);
  });
});

describe('of a series', () => {
  const series = () => create({ title: 'Standup', scheduled_for: '2026-11-27T09:00', rrule: 'FREQ=WEEKLY;COUNT=3' });
  const ALL = ['Standup 11-27T08:00', 'Standup 12-04T08:00', 'Standup 12-11T08:00'];
  const one = 'recurrence_id=2026-12-04T09:00';

  test.each([
    ['an occurrence', `&${one}`],
    ['an occurrence and the later ones', `&${one}&scope=following`],
    ['all', '&scope=all'],
  ])('%s that was removed is there again', async (_, which) => {
    const { uid } = await series();
    const seq = await remove(`uid=${uid}${which}`);
    expect(await titles()).not.toEqual(ALL);
    await undo(seq).expect(200);
    expect(await titles()).toEqual(ALL);
  });

  test('the split by a change of the later ones is taken back', async () => {
    const { uid } = await series();
    const { body } = await user
      .patch('/calendar/edit', {
        uid,
        recurrence_id: '2026-12-04T09:00',
        scope: 'following',
        updates: { title: 'Sync' },
      })
      .expect(200);
    expect(await titles()).toEqual([ALL[0], 'Sync 12-04T08:00', 'Sync 12-11T08:00']);
    await undo(body.seq).expect(200);
    expect(await titles()).toEqual(ALL);
  });
});

describe('what agents had on the calendar', () => {
  test('is there again, with its approval, and the proposal that was made instead is withdrawn', async () => {
    const plan = await approved();
    const { seq } = await create();
    expect(await titles()).toEqual(['Lunch 11-27T11:00']);
    expect(await waiting()).toHaveLength(1);
    const { body } = await undo(seq).expect(200);
    expect(body.plan_uids).toHaveLength(2);
    expect(await titles()).toEqual(['Focus 11-27T11:00']);
    expect(await waiting()).toEqual([]);
    expect(await planOf(plan.uid)).toMatchObject({ status: 'executed', decision: plan.decision });
    // It is a plan as before: its approval can be taken back.
    await user.post('/agent/undo', { uid: plan.uid }).expect(200);
    expect(await titles()).toEqual([]);
    expect(await waiting()).toMatchObject([{ uid: plan.uid }]);
  });

  test('as occurrences of a series is there again', async () => {
    await approved({ rrule: 'FREQ=DAILY;COUNT=3' });
    const { seq } = await create();
    expect(await titles()).toEqual(['Lunch 11-27T11:00', 'Focus 11-28T11:00', 'Focus 11-29T11:00']);
    await undo(seq).expect(200);
    expect(await titles()).toEqual(['Focus 11-27T11:00', 'Focus 11-28T11:00', 'Focus 11-29T11:00']);
    expect(await waiting()).toEqual([]);
  });

  test('is where the person approved the other time meanwhile, so nothing is taken back', async () => {
    await approved();
    const { seq } = await create();
    const [again] = await waiting();
    await user.post('/agent/approve', { uid: again?.uid }).expect(200);
    expect((await undo(seq).expect(409)).body).toMatchObject({ code: 'changed_since', uid: again?.uid });
    expect(await titles()).toHaveLength(2);
  });

  test('that was removed by the person is there again, and its plan is no longer called off', async () => {
    const plan = await approved();
    const seq = await remove(`uid=${plan.linked_event_uid}`);
    expect((await planOf(plan.uid)).decision?.code).toBe('event_removed');
    await undo(seq).expect(200);
    expect((await planOf(plan.uid)).decision).toEqual(plan.decision);
    expect(await titles()).toEqual(['Focus 11-27T11:00']);
  });

  test('is asked about first where the request says so, and may stay', async () => {
    const plan = await approved();
    const lunch = { title: 'Lunch', scheduled_for: '2026-11-27T12:30', duration_minutes: 60 };
    const { body } = await user.post('/calendar/create', { ...lunch, on_conflict: 'refuse' }).expect(409);
    expect(body).toMatchObject({ code: 'slot_taken', busy: [{ uid: plan.linked_event_uid, title: 'Focus' }] });
    expect(await titles()).toEqual(['Focus 11-27T11:00']);
    const { body: kept } = await user.post('/calendar/create', { ...lunch, on_conflict: 'keep' }).expect(201);
    expect(await titles()).toEqual(['Focus 11-27T11:00', 'Lunch 11-27T11:30']);
    // Another title moves nothing, and a move of the block is the person's.
    await user.patch('/calendar/edit', { uid: kept.uid, updates: { title: 'Brunch' } }).expect(200);
    expect(await titles()).toEqual(['Focus 11-27T11:00', 'Brunch 11-27T11:30']);
    expect(await waiting()).toEqual([]);
  });

  test('is asked about by a change of an event too', async () => {
    await approved();
    const { uid } = await create({ scheduled_for: '2026-11-27T15:00' });
    const updates = { scheduled_for: '2026-11-27T12:15' };
    await user.patch('/calendar/edit', { uid, updates, on_conflict: 'refuse' }).expect(409);
    const { body } = await user.patch('/calendar/edit', { uid, updates, on_conflict: 'displace' }).expect(200);
    expect(await titles()).toEqual(['Lunch 11-27T11:15']);
    await undo(body.seq).expect(200);
    expect(await titles()).toEqual(['Focus 11-27T11:00', 'Lunch 11-27T14:00']);
  });

  test('as a kept series stays when another title is given', async () => {
    await approved({ rrule: 'FREQ=DAILY;COUNT=3' });
    const { uid } = await create({ on_conflict: 'keep' });
    await user.patch('/calendar/edit', { uid, updates: { title: 'Brunch' } }).expect(200);
    expect(await titles()).toHaveLength(4);
  });
});

describe('what was kept beside each other', () => {
  const both = ['Focus 11-27T11:00', 'Lunch 11-27T11:00', 'Focus 11-28T11:00', 'Focus 11-29T11:00'];
  const kept = async (): Promise<[series: string, lunch: string]> => {
    const { linked_event_uid } = await approved({ rrule: 'FREQ=DAILY;COUNT=3' });
    return [linked_event_uid as string, (await create({ on_conflict: 'keep' })).uid];
  };

  test.each([
    ['one after the other', [1, 0]],
    ['in the other order', [0, 1]],
  ])('is there again, both removed and taken back %s', async (_, order) => {
    const uids = await kept();
    expect((await titles()).toSorted()).toEqual(both.toSorted());
    const removals: number[] = [];
    for (const n of order) removals.push(await remove(`uid=${uids[n]}&scope=all`));
    for (const seq of removals.toReversed()) await undo(seq).expect(200);
    expect((await titles()).toSorted()).toEqual(both.toSorted());
    expect(await waiting()).toEqual([]);
  });

  test('yields to what came meanwhile', async () => {
    const [series, lunch] = await kept();
    const seq = await remove(`uid=${series}&scope=all`);
    await user.patch('/calendar/edit', { uid: lunch, updates: { scheduled_for: '2026-11-28T12:00' } }).expect(200);
    expect((await undo(seq).expect(409)).body).toMatchObject({ code: 'slot_taken', busy: [{ uid: lunch }] });
    expect(await titles()).toEqual(['Lunch 11-28T11:00']);
  });
});

test('a block of the past that is kept takes its time as before', async () => {
  const app = await anApp();
  const owner = await aUser(app);
  const action = { action_type: 'schedule', title: 'Focus', scheduled_for: '2026-11-27T12:00', duration_minutes: 60 };
  const [{ uid }] = (await owner.agent.post('/agent/plan', { actions: [action] }).expect(200)).body;
  const { linked_event_uid } = (await owner.post('/agent/approve', { uid }).expect(200)).body;
  const key = await aKey(app, owner, 'user');
  app.clock.set('2026-11-28T12:00:00.000Z');
  const lunch = { title: 'Lunch', scheduled_for: '2026-11-27T12:30', duration_minutes: 60 };
  await key.post('/calendar/create', { ...lunch, on_conflict: 'keep' }).expect(201);
  expect((await key.get(`/calendar/event?uid=${linked_event_uid}`).expect(200)).body).toMatchObject({ busy: true });
});

describe('what is refused', () => {
  test('an entry that does not exist, and one that is no change of the calendar', async () => {
    expect((await undo(99_999).expect(410)).body.code).toBe('seq_gone');
    const { seq } = (
      await user.post('/memory/push', { traces: [{ type: 'observation', content: 'Note' }] }).expect(201)
    ).body[0];
    expect((await undo(seq).expect(409)).body.code).toBe('not_undoable');
    for (const wrong of [0, -1, 1.5, '7', null]) await user.post('/calendar/undo', { seq: wrong }).expect(422);
  });

  test('what the approval of a plan made is taken back with the decision', async () => {
    const plan = await approved();
    const event: Event = (await user.get(`/calendar/event?uid=${plan.linked_event_uid}`).expect(200)).body;
    expect((await undo(event.seq).expect(409)).body).toMatchObject({ code: 'not_undoable' });
    expect(await titles()).toEqual(['Focus 11-27T11:00']);
  });

  test('an agent, a key that may not write, and somebody else', async () => {
    const { seq } = await create();
    await undo(seq, {}, user.agent).expect(403);
    await undo(seq, {}, await aKey(app, user, 'user', ['calendar:read'])).expect(403);
    await undo(seq, {}, await aUser(app)).expect(410);
    expect(await titles()).toEqual(['Lunch 11-27T11:00']);
  });

  test('of twenty at once one is done', async () => {
    await approved();
    const { seq } = await create();
    const answers = await Promise.all(Array.from({ length: 20 }, () => undo(seq)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await titles()).toEqual(['Focus 11-27T11:00']);
    expect(await waiting()).toEqual([]);
  });
});
