/** What a text shows counts in search: who says it, whether it asks, and what time it tells, in the user's zone. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aUser, anApp, type Client, type TestApp } from '../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await anApp();
});
afterAll(() => app.close());

type Hit = {
  uid: string;
  confidence: number;
  explain: { arms: { keyword?: { lent?: string[]; reasons?: string[] } } };
};

const push = (who: Client, traces: object[]) =>
  who.post('/memory/push', { traces: traces.map((t) => ({ type: 'observation', ...t })) }).expect(201);
const search = async (who: Client, query: string): Promise<Hit[]> =>
  (await who.post('/memory/search', { query, mode: 'keyword', explain: true }).expect(200)).body;
const uids = async (who: Client, query: string): Promise<string[]> => (await search(who, query)).map((hit) => hit.uid);

test('what somebody says comes before what is said to them', async () => {
  const user = await aUser(app);
  await push(user, [
    { uid: 'she', content: 'Maria: the pottery class was fun' },
    { uid: 'to-her', content: 'Jon: Maria, Maria, the pottery class was fun, said Maria' },
  ]);
  const hits = await search(user, 'Maria pottery class');
  expect(hits.map((h) => h.uid)).toEqual(['she', 'to-her']);
  expect(hits[0]?.explain.arms.keyword?.reasons).toEqual(['It is said by somebody whose name is in the query.']);
  expect(hits[1]?.explain.arms.keyword).not.toHaveProperty('reasons');
});

test('a speaker in the metadata counts as one in the text', async () => {
  const user = await aUser(app);
  await push(user, [
    { uid: 'other', content: 'the pottery class was fun', metadata: { speaker: 'Jon' } },
    { uid: 'she', content: 'the pottery class was fun', metadata: { speaker: 'Maria Lopez' } },
    { uid: 'number', content: 'the pottery class was fun', metadata: { speaker: 7 } },
  ]);
  expect((await uids(user, 'Maria pottery')).at(0)).toBe('she');
  expect((await uids(user, 'Lopez pottery')).at(0)).toBe('she');
  expect((await uids(user, 'Jon pottery')).at(0)).toBe('other');
});

test('the name of a speaker is not lent to the neighbours, and is found all the same', async () => {
  const user = await aUser(app);
  await push(
    user,
    ['Maria: hello', 'Jon: nice to see you', 'Jon: sit down'].map((content, i) => ({
      ...{ uid: `t${i}`, content, task_id: 'talk', timestamp: '2026-11-14T10:00:00Z' },
    })),
  );
  const hits = await search(user, 'Maria');
  expect(hits.map((h) => h.uid)).toEqual(['t0']);
  expect(hits[0]?.confidence).toBe(1);
});

test('the answer to a question gets more of its words, and the question comes after what tells the same', async () => {
  const user = await aUser(app);
  const said = (task_id: string, contents: string[]) =>
    contents.map((content, i) => ({ uid: `${task_id}${i}`, content, task_id, timestamp: '2026-11-14T10:00:00Z' }));
  await push(user, [
    ...said('asked', ['Which lighthouse did they like?', 'The red one']),
    ...said('told', ['Which lighthouse did they like.', 'The red one']),
  ]);
  const found = await uids(user, 'lighthouse');
  expect(found.slice(0, 2)).toEqual(['told0', 'asked0']);
  expect(found.slice(2)).toEqual(['asked1', 'told1']);
  const [, question] = await search(user, 'lighthouse');
  expect(question?.explain.arms.keyword?.reasons).toEqual(['It ends with a question, which lowers its score.']);
});

test('"yesterday" is a day in the zone of the user at the time, and stays it when they move', async () => {
  const user = await aUser(app, { timezone: 'Asia/Tokyo' });
  const told = [
    { uid: 'told', content: 'I saw the dentist yesterday', timestamp: '2026-05-08T16:00:00Z' }, // 9 May in Tokyo
    { uid: 'other', content: 'I saw the dentist again', timestamp: '2026-06-20T16:00:00Z' },
    { uid: 'third', content: 'I saw the dentist yesterday', timestamp: '2026-06-20T16:00:00Z' },
  ];
  await push(user, told);
  expect((await uids(user, 'dentist on 8 May 2026')).at(0)).toBe('told');
  expect((await uids(user, 'dentist in May 2026')).at(0)).toBe('told');
  await user.patch('/user/update', { updates: { timezone: 'America/New_York' } }).expect(200);
  expect((await uids(user, 'dentist on 8 May 2026')).at(0)).toBe('told');
  await push(user, [{ uid: 'moved', content: 'I fell yesterday', timestamp: '2026-05-08T16:00:00Z' }]);
  await push(user, [{ uid: 'fell', content: 'I fell', timestamp: '2026-07-08T16:00:00Z' }]);
  expect((await uids(user, 'fell on 7 May 2026')).at(0)).toBe('moved');
  const { body } = await user.get('/debug/audit').expect(200);
  expect(body).toMatchObject({ ok: true });
});

test('a question for a time or an amount raises what tells one', async () => {
  const user = await aUser(app);
  await push(user, [
    { uid: 'none', content: 'Ada adopted the grey cats' },
    { uid: 'when', content: 'Ada adopted the grey cats in 2019 after a long and patient search for them' },
    { uid: 'many', content: 'Ada adopted the grey cats, both of them, after a long and patient search' },
  ]);
  expect((await uids(user, 'When did Ada adopt cats?')).at(0)).toBe('when');
  expect((await uids(user, 'How many cats did Ada adopt?')).at(-1)).toBe('none');
  const [hit] = await search(user, 'When did Ada adopt cats?');
  expect(hit?.explain.arms.keyword?.reasons).toEqual(['The query asks for a time, and it tells one.']);
});

test('signs are no words: a misspelt word is never corrected to one', async () => {
  const user = await aUser(app);
  await push(user, [{ uid: 'a', content: 'Timo: is it nine?' }]);
  for (const query of ['timx', '~time', '@timo', '?'])
    for (const hit of await search(user, query)) expect(JSON.stringify(hit.explain)).not.toMatch(/[@~?]\w/);
});
