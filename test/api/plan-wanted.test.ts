/** Proposals without a time keep off the times that waiting proposals want, as long as there are others. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { Plan, QueuedPlan } from '../../src/client/almanac-client.ts';
import { aKey, anApp, aUser, type Client } from '../support/app.ts';

const app = await anApp();
let user: Awaited<ReturnType<typeof aUser>>;
let other: Client;
beforeEach(async () => {
  user = await aUser(app);
  other = await aKey(app, user, 'agent');
});

const propose = async (who: Client, action: object): Promise<Plan[]> =>
  (
    await who
      .post('/agent/plan', { actions: [{ action_type: 'schedule', duration_minutes: 60, ...action }] })
      .expect(200)
  ).body;
const waiting = async (): Promise<QueuedPlan[]> => (await user.get('/agent/queue').expect(200)).body;
const prompt = async (words: string): Promise<Plan> =>
  (await user.post('/chat/respond', { prompt: words }).expect(200)).body.plans[0];

describe('a proposal without a time', () => {
  test('gets another time than one that another agent waits for, and both can be approved', async () => {
    const [first] = await propose(user.agent, { title: 'Read' });
    const [second] = await propose(other, { title: 'Write' });
    expect(second?.scheduled_for).not.toBe(first?.scheduled_for);
    expect((await waiting()).map(({ conflicts_count }) => conflicts_count)).toEqual([0, 0]);
    for (const uid of [first?.uid, second?.uid]) await user.post('/agent/approve', { uid }).expect(200);
  });

  test('gets the time of one that does not wait any more', async () => {
    const [first] = await propose(user.agent, { title: 'Read' });
    await user.post('/agent/reject', { uid: first?.uid }).expect(200);
    expect((await propose(other, { title: 'Write' }))[0]?.scheduled_for).toBe(first?.scheduled_for);
  });

  test('gets a wanted time where its window has no other, and the queue says so', async () => {
    const words = 'Plan an hour of reading on Friday between 15:00 and 16:00';
    const first = await prompt(words);
    const second = await prompt(words.replace('reading', 'writing'));
    expect(second?.scheduled_for).toBe(first?.scheduled_for);
    expect((await waiting()).map(({ conflicts_count }) => conflicts_count)).toEqual([1, 1]);
  });

  test('a series does not want a time that it leaves out', async () => {
    const taken = { title: 'Lunch', scheduled_for: '2026-11-27T12:00:00.000Z', duration_minutes: 60 };
    await user.post('/calendar/create', taken).expect(201);
    const at = '2026-11-27T12:30:00.000Z';
    const [series] = await propose(user.agent, { title: 'Read', scheduled_for: at, rrule: 'FREQ=WEEKLY;COUNT=3' });
    expect(series?.exdates).toEqual([at]);
    await propose(other, { title: 'Call', scheduled_for: '2026-11-27T13:15:00.000Z' });
    await propose(other, { title: 'Write', scheduled_for: '2026-12-04T12:00:00.000Z' });
    const counts = new Map((await waiting()).map(({ title, conflicts_count }) => [title, conflicts_count]));
    expect([...counts].toSorted()).toEqual([
      ['Call', 0],
      ['Read', 1],
      ['Write', 1],
    ]);
  });

  test('that names a time gets it, wanted or not', async () => {
    const scheduled_for = '2026-11-27T15:00:00.000Z';
    for (const who of [user.agent, other])
      expect((await propose(who, { title: 'Read', scheduled_for }))[0]).toMatchObject({ scheduled_for });
  });
});
