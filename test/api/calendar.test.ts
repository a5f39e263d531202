/** The calendar as a person meets it: events created, moved, removed; and what is refused. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aKey, anApp, aUser, type TestApp, type TestUser } from '../support/app.ts';
import { call, create, list, NOVEMBER } from '../support/calendar.ts';

let app: TestApp;
beforeAll(async () => {
  app = await anApp();
});
afterAll(() => app.close());

describe('several events in one request', () => {
  const make = async (who: TestUser, title: string): Promise<string> =>
    (await who.post('/calendar/create', { title, scheduled_for: '2026-12-10T10:00', duration_minutes: 30 }).expect(201))
      .body.uid;
  type Result = { uid: string; status: number; event?: { title: string; version: number }; problem?: { code: string } };

  test('are changed and removed one by one, each with its own result', async () => {
    const [me, other] = [await aUser(app), await aUser(app)];
    const [a, b, c, theirs] = [await make(me, 'a'), await make(me, 'b'), await make(me, 'c'), await make(other, 'd')];
    const changed: Result[] = (
      await me
        .patch('/calendar/edit', {
          edits: [
            { uid: a, updates: { title: 'A' }, expected_version: 1 },
            { uid: theirs, updates: { title: 'mine' } },
            { uid: b, updates: { title: 'B' }, expected_version: 7 },
            { uid: c, updates: { scheduled_for: '2026-12-11T10:00' } },
          ],
        })
        .expect(200)
    ).body;
    expect(changed.map((r) => [r.uid, r.status, r.problem?.code ?? r.event?.version])).toEqual([
      [a, 200, 2],
      [theirs, 404, 'event_not_found'],
      [b, 412, 'version_mismatch'],
      [c, 200, 2],
    ]);
    const removed: Result[] = (
      await me
        .post('/calendar/remove', {
          removals: [{ uid: a, expected_version: 1 }, { uid: b }, { uid: b }, { uid: theirs }],
        })
        .set('Idempotency-Key', 'several')
        .expect(200)
    ).body;
    expect(removed.map((r) => r.status)).toEqual([412, 200, 404, 404]);
    const window = '/calendar/events?start=2026-12-10&end=2026-12-11';
    const titles = async (who: TestUser) => (await who.get(window)).body.map((e: { title: string }) => e.title);
    expect(await titles(me)).toEqual(['A', 'c']);
    expect(await titles(other)).toEqual(['d']);
    await me.agent.post('/calendar/remove', { removals: [{ uid: c }] }).expect(403);
  });

  test('are named one way or the other, and at most a hundred', async () => {
    const me = await aUser(app);
    const edits = Array.from({ length: 101 }, () => ({ uid: 'x', updates: {} }));
    const paths = async (body: object) =>
      (await me.patch('/calendar/edit', body).expect(422)).body.errors.map((e: { path: string }) => e.path);
    expect(await paths({})).toEqual(['/uid', '/updates']);
    expect(await paths({ uid: 'x', updates: {}, edits: edits.slice(0, 1) })).toEqual(['/uid', '/updates']);
    expect(await paths({ edits })).toEqual(['/edits']);
    expect(await paths({ edits: [] })).toEqual(['/edits']);
    await me.post('/calendar/remove', { removals: edits.map(({ uid }) => ({ uid })) }).expect(422);
  });
});

describe('a single event', () => {
  test('is created with its defaults, found in its window, and leaves a trace', async () => {
    const user = await aUser(app);
    const answer = await user
      .post('/calendar/create', { ...call, task_id: 'contract', tags: ['#supplier'], reminders: [10] })
      .expect(201);
    expect(answer.headers['etag']).toBe('"1"');
    expect(answer.body).toMatchObject({
      title: 'Call with the supplier',
      scheduled_for: '2026-11-27T14:30:00.000Z',
      end: '2026-11-27T14:50:00.000Z',
      local_start: '2026-11-27T15:30:00',
      timezone: 'Europe/Berlin',
      all_day: false,
      status: 'confirmed',
      busy: true,
      origin: 'user',
      plan_uid: null,
      rrule: null,
      exdates: [],
      recurrence_id: null,
      version: 1,
      user_id: user.user_id,
      created_at: answer.body.updated_at,
    });
    expect(await list(user, NOVEMBER)).toHaveLength(1);
    expect(await list(user, 'start=2026-11-27&end=2026-11-27')).toHaveLength(1);
    expect(await list(user, 'start=2026-11-28&end=2026-11-30')).toHaveLength(0);
    const { body: traces } = await user.get('/memory/pull?type=calendar_event').expect(200);
    expect(traces).toHaveLength(1);
    expect(traces[0]).toMatchObject({
      content: 'Created: Call with the supplier, Fri 27 Nov 2026 15:30–15:50 (Europe/Berlin)',
      linked_event_uid: answer.body.uid,
      task_id: 'contract',
      tags: ['#supplier'],
      origin: 'user',
    });
  });

  test('lasts as long as the tempo profile says where no length is given', async () => {
    const user = await aUser(app);
    expect(await create(user, { title: 'a', scheduled_for: '2026-11-23T10:00' })).toMatchObject({
      duration_minutes: 30,
    });
    expect(
      await create(user, { title: 'b', scheduled_for: '2026-11-23T10:00', tempo_tag: '@deep_work' }),
    ).toMatchObject({ duration_minutes: 90 });
    await user
      .post('/tempo/adjust', { preferences: { task_overrides: { thesis: { duration_minutes: 120 } } } })
      .expect(200);
    expect(await create(user, { title: 'c', scheduled_for: '2026-11-23T10:00', task_id: 'thesis' })).toMatchObject({
      duration_minutes: 120,
    });
  });

  test.each([
    ['an offset', { scheduled_for: '2026-11-27T15:30:00+09:00' }, '2026-11-27T06:30:00.000Z'],
    ['UTC with milliseconds', { scheduled_for: '2026-11-27T15:30:00.250Z' }, '2026-11-27T15:30:00.250Z'],
    ['a zone beside it', { scheduled_for: '2026-11-27T15:30', timezone: 'Asia/Tokyo' }, '2026-11-27T06:30:00.000Z'],
    ['the user’s own zone', { scheduled_for: '2026-11-27T15:30' }, '2026-11-27T14:30:00.000Z'],
    ['a wall time in the gap', { scheduled_for: '2027-03-28T02:30' }, '2027-03-28T01:30:00.000Z'],
    ['a wall time in the fold', { scheduled_for: '2026-10-25T02:30' }, '2026-10-25T00:30:00.000Z'],
    ['a bare date with a length', { scheduled_for: '2026-11-27', duration_minutes: 60 }, '2026-11-26T23:00:00.000Z'],
  ])('starts when %s says', async (_name, when, expected) => {
    const user = await aUser(app);
    const event = await create(user, { title: 'x', duration_minutes: 30, ...when });
    expect(event.scheduled_for).toBe(expected);
  });

  test('may be all day: the local day, 23 hours long when clocks go forward, and not busy', async () => {
    const user = await aUser(app);
    const event = await create(user, { title: 'Fair', scheduled_for: '2027-03-28', all_day: true });
    expect(event).toMatchObject({
      scheduled_for: '2027-03-27T23:00:00.000Z',
      end: '2027-03-28T22:00:00.000Z',
      duration_minutes: 1440,
      busy: false,
      local_start: '2027-03-28T00:00:00',
    });
    expect(await create(user, { title: 'Birthday', scheduled_for: '2027-04-01' })).toMatchObject({
      all_day: true,
      duration_minutes: 1440,
    });
    const refused = await user
      .post('/calendar/create', { title: 'Fair', scheduled_for: '2027-03-28', all_day: true, duration_minutes: 90 })
      .expect(422);
    expect(refused.body.errors[0]).toMatchObject({ path: '/duration_minutes', code: 'not_whole_days' });
  });

  test('is edited in new versions that If-Match guards', async () => {
    const user = await aUser(app);
    const { uid } = await create(user, { ...call, location: 'Room 1' });
    const edited = await user
      .patch('/calendar/edit', { uid, updates: { scheduled_for: '2026-11-27T16:00', location: null, tags: ['moved'] } })
      .set('If-Match', '"1"')
      .expect(200);
    expect(edited.headers['etag']).toBe('"2"');
    expect(edited.body).toMatchObject({
      version: 2,
      sequence: 1,
      scheduled_for: '2026-11-27T15:00:00.000Z',
      end: '2026-11-27T15:20:00.000Z',
      location: null,
      tags: ['moved'],
    });
    expect(edited.body.created_at).not.toBe(edited.body.updated_at);
    const stale = await user
      .patch('/calendar/edit', { uid, updates: { title: 'x' } })
      .set('If-Match', '"1"')
      .expect(412);
    expect(stale.body).toMatchObject({ code: 'version_mismatch', version: 2 });
    await user.delete(`/calendar/remove?uid=${uid}`).set('If-Match', '"1"').expect(412);
    const { body: traces } = await user.get('/memory/pull?type=calendar_event');
    expect(traces[0].content).toBe(
      'Moved: Call with the supplier, from Fri 27 Nov 2026 15:30–15:50 (Europe/Berlin) to Fri 27 Nov 2026 16:00–16:20 (Europe/Berlin) (location, tags changed)',
    );
    const read = await user.get(`/calendar/event?uid=${uid}`).expect(200);
    expect(read.body).toEqual(edited.body);
    expect(read.headers['etag']).toBe('"2"');
  });

  test('keeps its instant when only its zone changes, and takes wall times in the zone given with them', async () => {
    const user = await aUser(app);
    const { uid } = await create(user, call);
    const moved = (await user.patch('/calendar/edit', { uid, updates: { timezone: 'America/New_York' } }).expect(200))
      .body;
    expect(moved).toMatchObject({
      scheduled_for: '2026-11-27T14:30:00.000Z',
      local_start: '2026-11-27T09:30:00',
      timezone: 'America/New_York',
    });
    const tokyo = (
      await user
        .patch('/calendar/edit', { uid, updates: { scheduled_for: '2026-11-28T08:00' }, timezone: 'Asia/Tokyo' })
        .expect(200)
    ).body;
    expect(tokyo).toMatchObject({
      scheduled_for: '2026-11-27T23:00:00.000Z',
      local_start: '2026-11-27T18:00:00',
      timezone: 'America/New_York',
    });
  });

  test('is removed once', async () => {
    const user = await aUser(app);
    const { uid } = await create(user, call);
    const { body } = await user.delete(`/calendar/remove?uid=${uid}`).expect(200);
    expect(body).toEqual({ message: 'Removed “Call with the supplier”.', uid, seq: expect.any(Number) });
    expect((await user.delete(`/calendar/remove?uid=${uid}`).expect(404)).body.code).toBe('event_not_found');
    await user.get(`/calendar/event?uid=${uid}`).expect(404);
    await user.patch('/calendar/edit', { uid, updates: { title: 'x' } }).expect(404);
    expect(await list(user, NOVEMBER)).toEqual([]);
    const { body: traces } = await user.get('/memory/pull?type=calendar_event&order=asc');
    expect(traces.map((t: { content: string }) => t.content.split(':')[0])).toEqual(['Created', 'Removed']);
  });

  test('may bring its own uid: the same body is the same answer, another is a conflict', async () => {
    const user = await aUser(app);
    const first = await create(user, { ...call, uid: 'mine' });
    expect(await create(user, { ...call, uid: 'mine' })).toEqual(first);
    expect(await list(user, NOVEMBER)).toHaveLength(1);
    expect((await user.post('/calendar/create', { ...call, uid: 'mine', title: 'other' }).expect(409)).body.code).toBe(
      'uid_taken',
    );
    await user.delete('/calendar/remove?uid=mine').expect(200);
    expect((await user.post('/calendar/create', { ...call, uid: 'mine' }).expect(409)).body.code).toBe('uid_taken');
    const other = await aUser(app);
    await create(other, { ...call, uid: 'mine', title: 'of somebody else' });
  });

  test('may be booked on top of another: a person may double-book', async () => {
    const user = await aUser(app);
    await create(user, call);
    await create(user, { ...call, title: 'At the same time' });
    expect(await list(user, NOVEMBER)).toHaveLength(2);
  });
});

describe('what is refused', () => {
  const bad: [string, object, string][] = [
    ['no title', { scheduled_for: '2026-11-27T15:30' }, '/title'],
    ['an empty title', { ...call, title: '   ' }, '/title'],
    ['no time', { title: 'x' }, '/scheduled_for'],
    ['a time that is none', { ...call, scheduled_for: 'tomorrow' }, '/scheduled_for'],
    ['a day that is none', { ...call, scheduled_for: '2026-02-30T10:00' }, '/scheduled_for'],
    ['a number for a time', { ...call, scheduled_for: 1_795_000_000 }, '/scheduled_for'],
    ['a negative length', { ...call, duration_minutes: -5 }, '/duration_minutes'],
    ['a length in text', { ...call, duration_minutes: '20' }, '/duration_minutes'],
    ['half a minute', { ...call, duration_minutes: 0.5 }, '/duration_minutes'],
    ['a length beyond a year', { ...call, duration_minutes: 1e9 }, '/duration_minutes'],
    ['an unknown field', { ...call, colour: 'red' }, '/colour'],
    ['a field of the service', { ...call, plan_uid: 'x' }, '/plan_uid'],
    ['an unknown zone', { ...call, timezone: 'Mars/Olympus' }, '/timezone'],
    ['a link that runs', { ...call, url: 'javascript:alert(1)' }, '/url'],
    ['an unknown status', { ...call, status: 'maybe' }, '/status'],
    ['tags in text', { ...call, tags: '#a' }, '/tags'],
    ['a rule with a line break', { ...call, rrule: 'FREQ=DAILY\r\nX-EVIL:1' }, '/rrule'],
    ['a rule that ends before it starts', { ...call, rrule: 'FREQ=DAILY;UNTIL=20200101' }, '/rrule'],
    [
      'an end beyond the year 9999',
      { ...call, scheduled_for: '9999-12-31T23:59:00Z', duration_minutes: 1440 },
      '/scheduled_for',
    ],
    ['a NUL', { ...call, title: 'a\0b' }, '/title'],
    ['an exdate that is none', { ...call, rrule: 'FREQ=DAILY', exdates: ['x'] }, '/exdates/0'],
  ];
  test.each(bad)('%s', async (_name, body, path) => {
    const user = await aUser(app);
    const answer = await user.post('/calendar/create', body).expect(422);
    expect(answer.headers['content-type']).toContain('application/problem+json');
    expect(answer.body.errors.map((fault: { path: string }) => fault.path)).toContain(path);
    expect(await list(user, NOVEMBER)).toEqual([]);
  });

  test('other people’s events are not there', async () => {
    const user = await aUser(app);
    const other = await aUser(app);
    const { uid } = await create(user, call);
    for (const answer of [
      await other.get(`/calendar/event?uid=${uid}`),
      await other.patch('/calendar/edit', { uid, updates: { title: 'x' } }),
      await other.delete(`/calendar/remove?uid=${uid}`),
    ])
      expect([answer.status, answer.body.code]).toEqual([404, 'event_not_found']);
    expect(await list(other, NOVEMBER)).toEqual([]);
    expect((await other.get(`/calendar/events?user_id=${user.user_id}`).expect(403)).body.code).toBe('other_user');
    await other.post('/calendar/create', { ...call, user_id: user.user_id }).expect(403);
  });

  test('an agent, and a key without the scope', async () => {
    const user = await aUser(app);
    const { uid } = await create(user, call);
    expect((await user.agent.post('/calendar/create', call).expect(403)).body).toMatchObject({
      code: 'insufficient_scope',
      missing: ['calendar:write'],
    });
    await user.agent.patch('/calendar/edit', { uid, updates: {} }).expect(403);
    await user.agent.delete(`/calendar/remove?uid=${uid}`).expect(403);
    expect(await list(user.agent, NOVEMBER)).toHaveLength(1);
    const blind = await aKey(app, user, 'user', ['memory:read']);
    await blind.get('/calendar/events').expect(403);
    await blind.get('/calendar/freebusy').expect(403);
  });

  test('all-day events become timed only with a length', async () => {
    const user = await aUser(app);
    const { uid } = await create(user, { title: 'Fair', scheduled_for: '2026-11-27', all_day: true });
    const { body } = await user.patch('/calendar/edit', { uid, updates: { all_day: false } }).expect(422);
    expect(body.errors[0]).toMatchObject({ path: '/updates/duration_minutes', code: 'required' });
    const timed = await user
      .patch('/calendar/edit', {
        uid,
        updates: { all_day: false, scheduled_for: '2026-11-27T10:00', duration_minutes: 45 },
      })
      .expect(200);
    expect(timed.body).toMatchObject({
      all_day: false,
      duration_minutes: 45,
      scheduled_for: '2026-11-27T09:00:00.000Z',
    });
  });

  test('a create repeated under its Idempotency-Key makes one event', async () => {
    const user = await aUser(app);
    const first = await user.post('/calendar/create', call).set('Idempotency-Key', 'k').expect(201);
    const again = await user.post('/calendar/create', call).set('Idempotency-Key', 'k').expect(201);
    expect(again.body).toEqual(first.body);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(await list(user, NOVEMBER)).toHaveLength(1);
  });
});
