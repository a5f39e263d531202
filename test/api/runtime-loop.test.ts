/** An agent runtime's loop with a standard JSON Patch library: context before a task, work, and the difference after, byte for byte. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { countTokens } from '../../src/domain/text/tokens.ts';
import { aKey, anApp, aUser, type Client, type TestApp, type TestUser } from '../support/app.ts';
import { exported, get, lines, push, type Difference } from '../support/memport.ts';
import { patched } from '../support/patched.ts';

let app: TestApp;
beforeAll(async () => {
  app = await anApp();
});
afterAll(() => app.close());

type Shown = Record<string, unknown> & { uid: string; subject: string };

const ALL = 'traces,events,profile';

/** Members by name: their order is no part of a JSON value (RFC 8259 §4). */
const canonical = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, member]): [string, unknown] => [name, canonical(member)])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
};
const bytes = (value: unknown): string => JSON.stringify(canonical(value));

/** What a runtime keeps: the elements of a full export, by what and which they are. */
const createReplica = (elements: Shown[]) => {
  const all = new Map(elements.map((element) => [`${element.subject} ${element.uid}`, element]));
  const order = ['trace', 'event', 'profile'];
  const place = (element: Shown): string =>
    `${order.indexOf(element.subject)} ${String(element['timestamp'] ?? element['scheduled_for'])} ${element.uid}`;
  return {
    apply: (differences: Difference[]): void => {
      for (const difference of differences) {
        const { op, subject = 'trace', uid, patch } = difference;
        const key = `${subject} ${uid}`;
        if (op === 'removed') all.delete(key);
        else if (op === 'added') all.set(key, { ...(difference[subject] as Shown), subject });
        else all.set(key, patched(all.get(key) as Shown, patch ?? []));
      }
    },
    elements: (): Shown[] => [...all.values()].sort((a, b) => (place(a) < place(b) ? -1 : 1)),
  };
};

const aMorning = async (user: TestUser): Promise<void> => {
  await push(user, [
    {
      uid: 'brief',
      content: 'The supplier wants the contract signed by Friday.',
      task_id: 'contract',
      tags: ['#legal'],
      timestamp: '2026-11-20T09:00:00Z',
      authored_by: 'Jane Doe',
    },
    {
      uid: 'price',
      content: 'Jane Doe offers 12,500 EUR a year.',
      task_id: 'contract',
      linked_trace_ids: ['brief'],
      timestamp: '2026-11-20T10:00:00Z',
      metadata: { source: 'mail', parties: ['us', 'jane doe'] },
    },
    { uid: 'lunch', content: 'Lunch was fine.', timestamp: '2026-11-20T12:00:00Z' },
  ]);
  await user
    .post('/calendar/create', {
      uid: 'call',
      title: 'Call the supplier',
      scheduled_for: '2026-11-24T10:00',
      duration_minutes: 30,
      task_id: 'contract',
    })
    .expect(201);
  await user
    .post('/calendar/create', {
      uid: 'weekly',
      title: 'Weekly review',
      scheduled_for: '2026-11-25T10:00',
      duration_minutes: 30,
      rrule: 'FREQ=WEEKLY;COUNT=6',
    })
    .expect(201);
};

/** The agent's work, and what its person does meanwhile. */
const aTask = async (user: TestUser): Promise<void> => {
  const { agent } = user;
  await push(agent, [
    {
      uid: 'draft',
      content: 'Drafted the contract.',
      task_id: 'contract',
      linked_trace_ids: ['brief', 'price'],
      timestamp: '2026-11-21T09:30:00Z',
    },
    { uid: 'typo', content: 'Darfted.', task_id: 'contract', timestamp: '2026-11-21T09:20:00Z' },
  ]);
  await agent.patch('/memory/edit', { uid: 'price', updates: { linked_trace_ids: ['brief', 'draft'] } }).expect(200);
  // The agent is not shown the whole of this member, so that only the person may replace it.
  await user
    .patch('/memory/edit', {
      uid: 'price',
      updates: { metadata: { source: 'mail', parties: ['us'], 'a/b~c': [1] } },
    })
    .expect(200);
  await agent.delete('/memory/remove?uid=typo').expect(200);
  await agent.delete('/memory/remove?uid=lunch').expect(200);
  const [plan] = (
    await agent
      .post('/agent/plan', {
        actions: [
          {
            action_type: 'schedule',
            title: 'Sign',
            task_id: 'contract',
            scheduled_for: '2026-11-26T10:00',
            duration_minutes: 60,
          },
        ],
      })
      .expect(200)
  ).body;
  await user.post('/agent/approve', { uid: plan.uid }).expect(200);
  await user.post('/agent/feedback', { uid: 'draft', feedback_rating: 5, notes: 'as Jane Doe likes it' }).expect(200);
  await user
    .patch('/calendar/edit', {
      user_id: user.user_id,
      uid: 'call',
      updates: { title: 'Call Jane Doe', scheduled_for: '2026-11-24T11:00' },
    })
    .expect(200);
  const [, second] = (await user.get('/calendar/events?start=2026-11-23&end=2026-12-20').expect(200)).body.filter(
    (e: { uid: string }) => e.uid === 'weekly',
  );
  await user
    .patch('/calendar/edit', {
      user_id: user.user_id,
      uid: 'weekly',
      recurrence_id: second.recurrence_id,
      scope: 'this',
      updates: { title: 'Review, short' },
    })
    .expect(200);
  await user
    .patch('/user/update', {
      user_id: user.user_id,
      updates: { timezone: 'Asia/Tokyo', limits: { budget: { per_day: 3 } } },
    })
    .expect(200);
};

describe('an agent runtime', () => {
  const runtimes: [string, (user: TestUser) => Promise<Client>][] = [
    ['of the person', async (user) => user],
    [
      'that may not see who wrote what',
      async (user) => aKey(app, user, 'agent', ['export:read', 'calendar:read', 'user:read']),
    ],
  ];

  test.each(runtimes)('%s keeps in step by diffs alone', async (_, credential) => {
    const user = await aUser(app);
    await aMorning(user);
    const who = await credential(user);

    const brief = await exported<{ summary: string }>(
      user,
      { export_format: 'summary', task_id: 'contract', max_token_count: 200 },
      who,
    );
    expect(brief.results.length).toBeGreaterThan(1);
    expect(countTokens(JSON.stringify(brief.results))).toBeLessThanOrEqual(200);

    const before = await exported<Shown>(user, { export_format: 'full', include: ALL }, who);
    const replica = createReplica(before.results);
    expect(bytes(replica.elements())).toBe(bytes(before.results));

    await aTask(user);
    const after = await exported<Difference>(
      user,
      { export_format: 'diff', from: before.as_of_seq, include: ALL },
      who,
    );
    expect(new Set(after.results.map((d) => `${d.subject} ${d.op}`))).toEqual(
      new Set(['trace added', 'trace changed', 'trace removed', 'event added', 'event changed', 'profile changed']),
    );
    replica.apply(after.results);
    const fresh = await exported<Shown>(user, { export_format: 'full', include: ALL }, who);
    expect(fresh.as_of_seq).toBe(after.as_of_seq);
    expect(bytes(replica.elements())).toBe(bytes(fresh.results));

    // And once more from there, streamed, with nothing new in the end.
    await push(user, [{ uid: 'secret', content: 'x', chat_url: '12,500 EUR', timestamp: '2026-11-21T12:00:00Z' }]);
    replica.apply(
      await lines<Difference>(app, user, { export_format: 'diff', from: after.as_of_seq, include: ALL }, who),
    );
    const last = await exported<Shown>(user, { export_format: 'full', include: ALL }, who);
    expect(bytes(replica.elements())).toBe(bytes(last.results));
    const none = { export_format: 'diff', from: last.as_of_seq, include: ALL };
    expect((await exported(user, none, who)).results).toEqual([]);
  });

  test('lost its state: a time-bounded export and a diff bring it back', async () => {
    const user = await aUser(app);
    await aMorning(user);
    await exported(user, { export_format: 'full', include: ALL, checkpoint: 'before-the-task' });
    app.clock.advance(1_800_000);
    await aTask(user);
    const kept = (await get(user, { from_checkpoint: 'before-the-task' }).expect(200)).body as { results: Shown[] };
    const replica = createReplica(kept.results);
    replica.apply(
      (await exported<Difference>(user, { export_format: 'diff', from: 'before-the-task', include: ALL })).results,
    );
    const { results } = await exported<Shown>(user, { export_format: 'full', include: ALL });
    expect(bytes(replica.elements())).toBe(bytes(results));
  });
});
