/** As of what: points beyond the newest entry, and times while the clock stands behind the ledger. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anApp, aUser, TEST_START, testClock, type Client, type TestApp } from '../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await anApp();
});
afterAll(() => app.close());

type Answer = { body: unknown; headers: Record<string, string> };
type Item = { uid: string };

const push = (user: Client, uid: string, timestamp = '2026-11-20T10:00:00Z') =>
  user.post('/memory/push', { traces: [{ uid, type: 'observation', content: `note ${uid}`, timestamp }] }).expect(201);
const anEvent = (user: Client, uid: string) =>
  user
    .post('/calendar/create', { uid, title: uid, scheduled_for: '2026-11-25T10:00', duration_minutes: 5 })
    .expect(201);

const window = 'start=2026-11-01&end=2026-12-31';

describe('a walk as of a seq beyond the head', () => {
  const lists: [string, (user: Client, user_id: string, at: string) => PromiseLike<Answer>, (body: never) => Item[]][] =
    [
      [
        'pull',
        (user, _id, at) => user.get(`/memory/pull?type=observation&order=asc&limit=2&as_of=${at}`),
        (body: Item[]) => body,
      ],
      ['events', (user, _id, at) => user.get(`/calendar/events?${window}&limit=2&as_of=${at}`), (body: Item[]) => body],
      [
        'search',
        (user, _id, at) => user.post('/memory/search', { query: 'note', limit: 2, as_of: at }),
        (body: Item[]) => body,
      ],
      [
        'export',
        (user, id, at) =>
          user.get(`/memport/export?user_id=${id}&export_format=full&type=observation&limit=2&as_of=${at}`),
        (body: { results: Item[] }) => body.results,
      ],
      [
        'trace-dump',
        (user, _id, at) => user.post('/debug/trace-dump', { type: 'observation', limit: 2, as_of: at }),
        (body: { traces: Item[] }) => body.traces,
      ],
    ];

  test.each(lists)(
    '%s: stands at the head of its first page, whatever is written meanwhile',
    async (name, ask, itemsOf) => {
      const user = await aUser(app);
      for (let i = 1; i <= 5; i++) await push(user, `t${i}`, `2026-11-20T1${i}:00:00Z`);
      for (let i = 1; i <= 5; i++) await anEvent(user, `e${i}`);
      const beyond = '123456789';
      let page = await ask(user, user.user_id, beyond);
      const uids: string[] = [];
      for (let pages = 0; pages < 10; pages++) {
        uids.push(...itemsOf(page.body as never).map((item) => item.uid));
        const next = /<([^>]+)>/.exec(page.headers['link'] ?? '')?.[1];
        if (!next) break;
        // Later in the order of the list: a page after it would show it.
        await push(user, `new ${pages}`, '2026-11-21T08:00:00Z');
        await anEvent(user, `z new ${pages}`);
        await user.patch('/memory/edit', { uid: 't1', updates: { notes: `edit ${pages}` } }).expect(200);
        const isPost = name === 'search' || name === 'trace-dump';
        const same = {
          search: { query: 'note', limit: 2, as_of: beyond },
          'trace-dump': { type: 'observation', limit: 2, as_of: beyond },
        };
        page = await (isPost ? user.post(next, same[name as 'search']) : user.get(next));
      }
      const letter = name === 'events' ? 'e' : 't';
      expect(uids.toSorted()).toEqual([1, 2, 3, 4, 5].map((i) => `${letter}${i}`));
    },
  );

  test('the answer tells which seq it is of', async () => {
    const user = await aUser(app);
    await push(user, 'one');
    const [{ seq }] = (await user.get('/memory/pull').expect(200)).body;
    for (const path of [
      '/memory/pull?as_of=99999',
      '/memory/pull?as_of=2999-01-01',
      '/memory/pull',
      `/calendar/events?as_of=99999`,
    ])
      expect((await user.get(path).expect(200)).headers['almanac-as-of-seq']).toBe(String(seq));
  });
});

test('after the clock was set back, the present still shows what was written since, and the past what was known then', async () => {
  const clock = testClock(TEST_START);
  const own = await anApp({ clock });
  const user = await aUser(own);
  await push(user, 'before');
  await anEvent(user, 'before');
  clock.set('2026-11-21T08:00:00.000Z'); // an hour back
  await push(user, 'after');
  await anEvent(user, 'after');
  await user.patch('/memory/edit', { uid: 'before', updates: { notes: 'edited' } }).expect(200);
  const uids = (items: Item[]): string[] => items.map((item) => item.uid).toSorted();
  const both = ['after', 'before'];
  // A client's clock, or the way here, may be a little behind.
  for (const now of [clock.now(), '2026-11-21T07:59:58.000Z']) {
    const q = `as_of=${now}`;
    expect(uids((await user.get(`/memory/pull?type=observation&${q}`).expect(200)).body)).toEqual(both);
    expect(
      uids((await user.post('/memory/search', { query: 'note', type: 'observation', as_of: now }).expect(200)).body),
    ).toEqual(both);
    expect(uids((await user.get(`/calendar/events?${window}&${q}`).expect(200)).body)).toEqual(both);
    expect((await user.get(`/calendar/event?uid=after&${q}`).expect(200)).body.uid).toBe('after');
    expect((await user.get(`/memory/history?uid=before&${q}`).expect(200)).body).toHaveLength(2);
    const full = `/memport/export?user_id=${user.user_id}&type=observation&export_format`;
    expect(uids((await user.get(`${full}=full&${q}`).expect(200)).body.results)).toEqual(both);
    expect(uids((await user.get(`${full}=diff&end_time=${now}`).expect(200)).body.results)).toEqual(both);
    expect((await user.get(`${full}=diff&start_time=${now}`).expect(200)).body.results).toEqual([]);
    expect(
      uids((await user.post('/debug/trace-dump', { type: 'observation', as_of: now }).expect(200)).body.traces),
    ).toEqual(both);
  }
  expect((await user.get('/memory/pull?as_of=2026-11-21T07:00:00Z').expect(200)).body).toEqual([]);
  clock.set('2026-11-21T09:45:00.000Z');
  await push(user, 'later');
  const then = (await user.get('/memory/pull?type=observation&as_of=2026-11-21T09:30:00Z').expect(200)).body;
  expect(uids(then)).toEqual(both);
  await own.close();
});

test('a time with microseconds is exactly that one: an entry of that time is known, and one microsecond earlier it is not', async () => {
  const user = await aUser(app);
  await push(user, 'one');
  const [{ recorded_at }] = (await user.get('/memory/history?uid=one').expect(200)).body as [{ recorded_at: string }];
  const at = Temporal.Instant.from(recorded_at);
  const known = async (microseconds: number): Promise<Item[]> => {
    const as_of = at.add({ microseconds }).toString({ fractionalSecondDigits: 6 });
    return (await user.get(`/memory/pull?as_of=${as_of}`).expect(200)).body;
  };
  expect(await known(0)).toHaveLength(1);
  expect(await known(-1)).toEqual([]);
});
