/** What a trace's task and time say of it: neighbours lend, filters stay hard, the past is as it was, times nudge. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aUser, anApp, type Client, type TestApp } from '../support/app.ts';
import { runs } from '../support/thoroughness.ts';

type Hit = {
  uid: string;
  confidence: number;
  explain?: { arms: { keyword?: { rank: number; matched?: string[]; lent?: string[]; task?: number } } };
};

let app: TestApp;
beforeAll(async () => {
  app = await anApp();
});
afterAll(() => app.close());

const push = (who: Client, traces: object[]) =>
  who.post('/memory/push', { traces: traces.map((t) => ({ type: 'observation', ...t })) }).expect(201);
const search = async (who: Client, query: string, more: object = {}): Promise<Hit[]> =>
  (await who.post('/memory/search', { query, mode: 'keyword', ...more }).expect(200)).body;
const uids = async (who: Client, query: string, more: object = {}): Promise<string[]> =>
  (await search(who, query, more)).map((hit) => hit.uid);

/** One conversation, of one time, as a chat pushes it: uids say nothing of the order. */
const TALK = (
  [
    ['z', 'Hello there'],
    ['m', 'Shall we see the lighthouse on Saturday?'],
    ['a', 'Gladly, I bring the sandwiches'],
    ['q', 'And I the thermos'],
    ['c', 'Let us say nine'],
    ['x', 'Nine it is'],
  ] as const
).map(([uid, content]) => ({ uid, content, task_id: 'trip', timestamp: '2026-11-14T10:00:00Z' }));

describe('neighbours', () => {
  test('three to each side join a hit, the nearest first, in the order written where the time is one', async () => {
    const user = await aUser(app);
    await push(user, TALK);
    await push(user, [{ uid: 'far', content: 'A lighthouse needs paint' }]);
    const found = await search(user, 'lighthouse', { explain: true });
    expect(
      found
        .map((hit) => hit.uid)
        .slice(0, 2)
        .toSorted(),
    ).toEqual(['far', 'm']);
    expect(
      found
        .map((hit) => hit.uid)
        .slice(2)
        .toSorted(),
    ).toEqual(['a', 'c', 'q', 'z']);
    expect(found.findIndex((h) => h.uid === 'a')).toBeLessThan(found.findIndex((h) => h.uid === 'q'));
    expect(found.findIndex((h) => h.uid === 'q')).toBeLessThan(found.findIndex((h) => h.uid === 'c'));
    expect(found[2]?.explain?.arms.keyword).toMatchObject({ lent: ['lighthous'] });
    expect(found[2]?.explain?.arms.keyword).not.toHaveProperty('matched');
    expect(found.find((h) => h.uid === 'm')?.explain?.arms.keyword?.task).toBeGreaterThan(0);
    expect(found.find((h) => h.uid === 'far')?.explain?.arms.keyword).not.toHaveProperty('task');
  });

  test('a question spread over what was said one after the other is answered there', async () => {
    const user = await aUser(app);
    await push(user, TALK);
    await push(user, [
      { uid: 'other', content: 'Sandwiches again', task_id: 'work', timestamp: '2026-11-15T10:00:00Z' },
      { content: 'Nothing to report', task_id: 'work', timestamp: '2026-11-15T10:00:00Z' },
    ]);
    const [first, second] = await uids(user, 'sandwiches at the lighthouse');
    expect([first, second].toSorted()).toEqual(['a', 'm']);
  });

  test('traces without a task have none, and nobody else’s count', async () => {
    const [one, two] = [await aUser(app), await aUser(app)];
    await push(
      one,
      TALK.map((t) => ({ ...t, task_id: undefined })),
    );
    await push(
      two,
      TALK.map((t) => ({ ...t, content: t.content.replace('lighthouse', 'museum') })),
    );
    expect(await uids(one, 'lighthouse')).toEqual(['m']);
    expect(await uids(two, 'lighthouse')).toEqual([]);
  });

  test.each([
    [{ type: 'reflection' }, []],
    [{ tags: ['food'] }, []],
    [{ end_time: '2026-11-13' }, []],
    [{ task_id: 'other' }, []],
  ])('filters are hard on who lends: %j', async (filter, found) => {
    const user = await aUser(app);
    await push(user, TALK);
    expect(await uids(user, 'lighthouse', filter)).toEqual(found);
  });

  test('filters are hard on who is lent to', async () => {
    const user = await aUser(app);
    await push(
      user,
      TALK.map((t, i) => ({ ...t, tags: i % 2 ? ['food'] : [] })),
    );
    expect((await uids(user, 'lighthouse', { tags: ['food'] })).toSorted()).toEqual(['m', 'q']);
    await user.patch('/memory/edit', { uid: 'q', updates: { tags: [] } }).expect(200);
    expect(await uids(user, 'lighthouse', { tags: ['food'] })).not.toContain('q');
  });

  test('as_of: neighbours are those of then, in the task of then', async () => {
    const user = await aUser(app);
    const { body } = await push(user, TALK);
    const then = body.at(-1).seq;
    const before = await uids(user, 'lighthouse');
    await user.patch('/memory/edit', { uid: 'a', updates: { task_id: 'elsewhere' } }).expect(200);
    await user.patch('/memory/edit', { uid: 'm', updates: { content: 'Shall we stay at home?' } }).expect(200);
    await user.delete('/memory/remove?uid=q').expect(200);
    await push(user, [{ uid: 'late', content: 'I forgot', task_id: 'trip', timestamp: '2026-11-14T10:00:00Z' }]);
    expect(await uids(user, 'lighthouse')).toEqual([]);
    expect(await uids(user, 'lighthouse', { as_of: then })).toEqual(before);
  });

  test('the best of each task comes before the second of any that says as much', async () => {
    const user = await aUser(app);
    const said = (task_id: string) => [1, 2, 3].map((i) => ({ task_id, content: `Harvest, part ${i}` }));
    await push(user, [...said('one'), ...said('two')]);
    const { body } = await user.post('/memory/search', { query: 'harvest', mode: 'keyword' }).expect(200);
    expect(body).toHaveLength(6);
    expect(new Set(body.slice(0, 2).map((h: { task_id: string }) => h.task_id)).size).toBe(2);
  });
});

describe('times', () => {
  /** The same said on many days, near midnight in Berlin. */
  const days = [
    ['2025-11-20T22:30:00Z', 'day'],
    ['2025-11-20T23:30:00Z', 'next'],
    ['2026-06-10T12:00:00Z', 'june'],
    ['2025-06-10T12:00:00Z', 'june-before'],
    ['2024-01-10T12:00:00Z', 'year-before'],
  ].map(([timestamp, uid]) => ({ uid, timestamp, content: 'Lunch with Ada' }));

  test.each([
    ['lunch on 20 November 2025', 'day'],
    ['lunch on November 21st, 2025', 'next'],
    ['lunch 2025-11-21', 'next'],
    ['Ada in June 2025', 'june-before'],
    ['Ada in June 2026', 'june'],
    ['lunch in June', 'june'],
  ])('%s', async (query, first) => {
    const user = await aUser(app, { timezone: 'Europe/Berlin' });
    await push(user, days);
    const found = await uids(user, query);
    expect(found[0]).toBe(first);
    expect(found).toHaveLength(days.length); // a nudge, no filter
  });

  test('a time alone is a question, and explain tells it', async () => {
    const user = await aUser(app);
    await push(user, days);
    const found = await search(user, 'November 2025', { explain: true });
    expect(found.map((h) => h.uid).toSorted()).toEqual(['day', 'next']);
    expect(found[0]?.explain?.arms.keyword?.matched).toEqual(['november 2025']);
    expect(found[0]?.confidence).toBe(1);
  });
});

test('all forms of an irregular word are one', async () => {
  const user = await aUser(app);
  await push(user, [
    { uid: 'went', content: 'Ada went by boat' },
    { uid: 'goes', content: 'Ada goes by boat' },
    { uid: 'gone', content: 'Ada has gone' },
  ]);
  expect((await uids(user, 'go')).toSorted()).toEqual(['goes', 'gone', 'went']);
  const { body } = await user.post('/memory/search', { query: 'gone', mode: 'keyword' }).expect(200);
  expect(body.find((h: Hit) => h.uid === 'went').snippet).toContain('**went**');
});

test('whatever is asked: confidence falls, pages fit together under writes, and every result is the user’s and meant', async () => {
  const user = await aUser(app);
  const other = await aUser(app);
  const words = ['apple', 'boat', 'cellar', 'dune', 'ember', 'fjord', 'went', 'June 2025'];
  const some = (n: number): string => [1, 2, 3].map((k) => words[(n * k * 7 + k) % 7]).join(' ');
  const traces = Array.from({ length: 120 }, (_, i) => ({
    uid: `t${i}`,
    content: some(i),
    type: i % 3 ? 'observation' : 'reflection',
    timestamp: `2025-0${1 + (i % 9)}-10T10:00:00Z`,
    ...(i % 4 ? { task_id: `task-${i % 5}` } : {}),
  }));
  await push(user, traces);
  await push(
    other,
    traces.map((t) => ({ ...t, uid: `other-${t.uid}` })),
  );
  let written = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.subarray(words, { minLength: 1 }),
      fc.constantFrom({}, { type: 'reflection' }, { task_id: 'task-1' }),
      async (asked, filter) => {
        const query = { query: asked.join(' '), ...filter };
        const { body: whole } = await user.post('/memory/search', { ...query, limit: 100 }).expect(200);
        const seen: Hit[] = [];
        for (let path = '/memory/search'; path && seen.length < 60;) {
          const { body, headers } = await user.post(path, { ...query, limit: 20 }).expect(200);
          seen.push(...body);
          path = /<(.*)>; rel="next"/.exec(headers['link'] ?? '')?.[1] ?? '';
          await push(user, [{ uid: `new-${written++}`, content: some(written), task_id: 'task-1' }]);
        }
        expect(seen.map((h) => h.uid)).toEqual(whole.slice(0, seen.length).map((h: Hit) => h.uid));
        expect(whole.map((h: Hit) => h.confidence)).toEqual(
          whole.map((h: Hit) => h.confidence).toSorted((a: number, b: number) => b - a),
        );
        for (const { uid, type, task_id } of whole) {
          expect(uid).toMatch(/^(t|new-)/);
          expect({ type, task_id }).toMatchObject(filter);
        }
      },
    ),
    { numRuns: runs(12) },
  );
});
