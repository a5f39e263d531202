/** Tempo as a person sets it: tags, the profile, and what it changes in calendar and planning. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aKey, anApp, aUser, type TestApp, type TestUser } from '../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await anApp();
});
afterAll(() => app.close());

const BUILT_IN = [
  '@afternoon',
  '@deep_work',
  '@evening',
  '@meeting',
  '@morning',
  '@recovery',
  '@shallow',
  'block_25',
  'block_50',
  'block_90',
];
const adjust = (user: TestUser, preferences: unknown) => user.post('/tempo/adjust', { preferences });

describe('tags', () => {
  test('are the built-in ones, the mapped ones and those in use: sorted, once each', async () => {
    const user = await aUser(app);
    expect((await user.get('/tempo/tags').expect(200)).body).toEqual(BUILT_IN);
    await adjust(user, {
      tag_mappings: { '@writing': { duration_minutes: 45 }, '@morning': { duration_minutes: 10 } },
    }).expect(200);
    await user
      .post('/memory/push', {
        traces: ['@zen', '@zen', '@deep_work', 'Alpha'].map((tempo_tag) => ({
          type: 'observation',
          content: 'x',
          tempo_tag,
        })),
      })
      .expect(201);
    await user
      .post('/calendar/create', { title: 'x', scheduled_for: '2026-11-23T10:00', tempo_tag: 'zzz' })
      .expect(201);
    const { body } = await user.get('/tempo/tags').expect(200);
    expect(body).toEqual([...BUILT_IN, '@writing', '@zen', 'Alpha', 'zzz'].toSorted());
    const other = await aUser(app);
    expect((await other.get('/tempo/tags')).body).toEqual(BUILT_IN);
  });

  test('page with a cursor', async () => {
    const user = await aUser(app);
    const seen: string[] = [];
    let next: string | undefined = '/tempo/tags?limit=4';
    while (next) {
      const answer: { body: string[]; headers: Record<string, string> } = await user.get(next).expect(200);
      seen.push(...answer.body);
      next = /<([^>]+)>; rel="next"/.exec(answer.headers['link'] ?? '')?.[1];
    }
    expect(seen).toEqual(BUILT_IN);
  });
});

describe('the profile', () => {
  test('begins with 08:00 to 20:00 every day, and nothing learned', async () => {
    const user = await aUser(app);
    const { body, headers } = await user.get(`/tempo/profile?user_id=${user.user_id}`).expect(200);
    expect(body).toMatchObject({
      user_id: user.user_id,
      timezone: 'Europe/Berlin',
      time_ranges: [{ name: 'day', start: '08:00', end: '20:00', days: ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] }],
      tag_mappings: {},
      task_overrides: {},
      use_learned: false,
      learned: { samples: 0 },
    });
    expect(headers['etag']).toBe('"1"');
    expect((await user.get('/user/profile').expect(200)).body.tempo).toEqual(body);
  });

  test('is patched member by member; null restores a default', async () => {
    const user = await aUser(app);
    const early = { name: 'early', days: ['MO', 'TU'], start: '06:00', end: '09:00' };
    await adjust(user, {
      time_ranges: [early],
      task_overrides: { thesis: { ranges: ['early'], duration_minutes: 120 } },
    }).expect(200);
    const { body } = await adjust(user, {
      task_overrides: { thesis: { duration_minutes: 60 }, other: { tempo_tag: '@shallow' } },
    }).expect(200);
    expect(body.time_ranges).toEqual([early]);
    expect(body.task_overrides).toEqual({
      thesis: { ranges: ['early'], duration_minutes: 60 },
      other: { tempo_tag: '@shallow' },
    });
    const restored = (await adjust(user, { time_ranges: null, task_overrides: { thesis: null } }).expect(200)).body;
    expect(restored.time_ranges[0].name).toBe('day');
    expect(restored.task_overrides).toEqual({ other: { tempo_tag: '@shallow' } });
    expect((await user.get('/tempo/profile')).body).toEqual(restored);
  });

  test('decides where free slots are', async () => {
    const user = await aUser(app);
    await adjust(user, { time_ranges: [{ name: 'night', days: ['MO'], start: '22:00', end: '24:00' }] }).expect(200);
    const { body } = await user.get('/calendar/slots?duration_minutes=60&limit=1').expect(200);
    expect(body.slots[0].start).toBe('2026-11-23T21:00:00.000Z');
  });

  test('holds the person’s zone: it changes wall times at once', async () => {
    const user = await aUser(app);
    const key = await aKey(app, user, 'user');
    expect((await adjust(user, { timezone: 'Asia/Tokyo' }).expect(200)).body.timezone).toBe('Asia/Tokyo');
    expect((await user.get('/user/profile')).body.timezone).toBe('Asia/Tokyo');
    for (const client of [user, key])
      expect(
        (await client.post('/calendar/create', { title: 'x', scheduled_for: '2026-11-23T10:00' }).expect(201)).body
          .scheduled_for,
      ).toBe('2026-11-23T01:00:00.000Z');
  });

  test('learns from decisions what was approved and rejected when', async () => {
    const user = await aUser(app);
    const propose = async (scheduled_for: string) =>
      (
        await user.agent
          .post('/agent/plan', {
            actions: [
              { action_type: 'schedule', title: 'Write', scheduled_for, duration_minutes: 30, tempo_tag: '@writing' },
            ],
          })
          .expect(200)
      ).body[0].uid;
    await user.post('/agent/approve', { uid: await propose('2026-11-24T09:00') }).expect(200);
    await user
      .post('/agent/approve', { uid: await propose('2026-11-24T11:00'), edits: { scheduled_for: '2026-11-24T14:00' } })
      .expect(200);
    await user.post('/agent/reject', { uid: await propose('2026-11-25T09:00') }).expect(200);
    await user.agent.post('/agent/withdraw', { uid: await propose('2026-11-26T09:00') }).expect(200);
    const { body } = await user.get('/tempo/profile').expect(200);
    expect(body.learned).toMatchObject({
      samples: 3,
      tags: {
        '@writing': {
          approved: 2,
          rejected: 1,
          moved: 1,
          hours: {
            'TU-09': { approved: 1 },
            'TU-11': { moved: 1 },
            'TU-14': { approved: 1 },
            'WE-09': { rejected: 1 },
          },
        },
      },
      action_types: { schedule: { approved: 2, rejected: 1 } },
    });
    await adjust(user, { use_learned: true }).expect(200);
    await user.get('/calendar/slots?tempo_tag=%40writing').expect(200);
  });

  test('the person’s rating counts, however often and whatever an agent rates', async () => {
    const user = await aUser(app);
    const action = { action_type: 'schedule', title: 'Write', scheduled_for: '2026-11-24T09:00', duration_minutes: 30 };
    const [{ uid }] = (await user.agent.post('/agent/plan', { actions: [action] }).expect(200)).body;
    await user.post('/agent/approve', { uid }).expect(200);
    const say = (who: TestUser['agent'], feedback: object) =>
      who.post('/agent/feedback', { uid, ...feedback }).expect(200);
    const rated = async () => {
      const { rated, rating } = (await user.get('/tempo/profile').expect(200)).body.learned.action_types.schedule;
      return { rated, rating };
    };
    await say(user.agent, { feedback_rating: 5 });
    await say(user, { notes: 'Too early.' });
    expect(await rated()).toEqual({ rated: 0, rating: null });
    await say(user, { feedback_rating: 1 });
    for (let i = 0; i < 25; i++) await say(user.agent, { feedback_rating: i % 2 ? 4 : 5 });
    await say(user, { notes: 'Still too early.' });
    expect(await rated()).toEqual({ rated: 1, rating: 1 });
    await say(user, { feedback_rating: 5 }); // what the agent said last
    expect(await rated()).toEqual({ rated: 1, rating: 5 });
  });

  test('has versions that If-Match guards', async () => {
    const user = await aUser(app);
    const first = await adjust(user, { use_learned: true }).set('If-Match', '"1"').expect(200);
    expect(first.headers['etag']).toBe('"2"');
    expect((await adjust(user, { use_learned: false }).set('If-Match', '"1"').expect(412)).body.code).toBe(
      'version_mismatch',
    );
  });
});

describe('what is refused', () => {
  const range = { name: 'a', days: ['MO'], start: '08:00', end: '09:00' };
  const bad: [string, unknown, string][] = [
    ['an unknown member', { colour: 'red' }, '/preferences/colour'],
    ['what is learned', { learned: { samples: 9 } }, '/preferences/learned'],
    ['somebody else in the patch', { user_id: 'x' }, '/preferences/user_id'],
    ['an unknown zone', { timezone: 'Mars/Olympus' }, '/preferences/timezone'],
    ['no zone', { timezone: null }, '/preferences/timezone'],
    [
      'a range that ends before it starts',
      { time_ranges: [{ ...range, end: '07:00' }] },
      '/preferences/time_ranges/0/end',
    ],
    ['a range on no day', { time_ranges: [{ ...range, days: [] }] }, '/preferences/time_ranges/0/days'],
    ['no range at all', { time_ranges: [] }, '/preferences/time_ranges'],
    ['two ranges of one name', { time_ranges: [range, range] }, '/preferences/time_ranges'],
    [
      'a mapping to a range that is not there',
      { tag_mappings: { '@x': { ranges: ['none'] } } },
      '/preferences/tag_mappings/@x/ranges/0',
    ],
    [
      'a length of nothing',
      { duration_biases: { schedule: { minutes: 0 } } },
      '/preferences/duration_biases/schedule/minutes',
    ],
    ['a mapping that is text', { tag_mappings: { '@x': 'morning' } }, '/preferences/tag_mappings/@x'],
    ['text', 'early', '/preferences'],
    ['nothing', null, '/preferences'],
  ];
  test.each(bad)('%s', async (_name, preferences, path) => {
    const user = await aUser(app);
    const { body } = await adjust(user, preferences).expect(422);
    expect(body.errors.map((fault: { path: string }) => fault.path)).toContain(path);
    expect((await user.get('/tempo/profile')).headers['etag']).toBe('"1"');
  });

  test('a wrong zone hides no other fault', async () => {
    const user = await aUser(app);
    const { body } = await adjust(user, { timezone: 'Mars/Olympus', time_ranges: [], learned: {} }).expect(422);
    expect(body.errors.map((fault: { path: string }) => fault.path).toSorted()).toEqual([
      '/preferences/learned',
      '/preferences/time_ranges',
      '/preferences/timezone',
    ]);
  });

  test('a member named __proto__ reaches no prototype', async () => {
    const user = await aUser(app);
    await user
      .post('/tempo/adjust')
      .set('Content-Type', 'application/json')
      .send('{"preferences":{"__proto__":{"use_learned":true}}}');
    expect((await user.get('/tempo/profile')).body.use_learned).toBe(false);
  });

  test('other people’s profiles, and credentials without the scope', async () => {
    const user = await aUser(app);
    const other = await aUser(app);
    expect((await user.get(`/tempo/profile?user_id=${other.user_id}`).expect(403)).body.code).toBe('other_user');
    await user.post('/tempo/adjust', { user_id: other.user_id, preferences: {} }).expect(403);
    await user.agent.get('/tempo/profile').expect(200);
    expect((await user.agent.post('/tempo/adjust', { preferences: {} }).expect(403)).body.missing).toEqual([
      'tempo:write',
    ]);
    const blind = await aKey(app, user, 'user', ['memory:read']);
    await blind.get('/tempo/tags').expect(403);
  });
});
