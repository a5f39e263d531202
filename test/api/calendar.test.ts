/** The calendar as a person meets it: events created, listed, moved, removed; series; blocks that give way; and what is refused. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Interval } from '../../src/domain/time.ts';
import { aKey, anApp, aUser, TEST_START, type Client, type TestApp, type TestUser } from '../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await anApp();
});
afterAll(() => app.close());

type Event = { uid: string; title: string; scheduled_for: string; end: string; version: number; recurrence_id: string | null; overrides: object };
type Fault = { path: string; code: string };

const create = async (user: Client, body: object): Promise<Event & Record<string, unknown>> => (await user.post('/calendar/create', body).expect(201)).body;
const list = async (user: Client, query: string): Promise<Event[]> => (await user.get(`/calendar/events?${query}`).expect(200)).body;
const times = (events: Event[]): string[] => events.map((event) => event.scheduled_for);
const NOVEMBER = 'start=2026-11-01&end=2026-11-30';

const call = { title: 'Call with the supplier', scheduled_for: '2026-11-27T15:30', duration_minutes: 20 };

/** Approves a plan of an agent's, so that its block stands in the calendar. */
const aBlock = async (user: TestUser, title: string, scheduled_for: string, duration_minutes = 60): Promise<{ plan: string; event: string }> => {
  const { body } = await user.agent.post('/agent/plan', { actions: [{ action_type: 'schedule', title, scheduled_for, duration_minutes }] }).expect(200);
  const approved = await user.post('/agent/approve', { uid: body[0].uid }).expect(200);
  return { plan: body[0].uid, event: approved.body.linked_event_uid };
};

describe('a single event', () => {
  test('is created with its defaults, found in its window, and leaves a trace', async () => {
    const user = await aUser(app);
    const answer = await user.post('/calendar/create', { ...call, task_id: 'contract', tags: ['#supplier'], reminders: [10] }).expect(201);
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
    expect(await create(user, { title: 'a', scheduled_for: '2026-11-23T10:00' })).toMatchObject({ duration_minutes: 30 });
    expect(await create(user, { title: 'b', scheduled_for: '2026-11-23T10:00', tempo_tag: '@deep_work' })).toMatchObject({ duration_minutes: 90 });
    await user.post('/tempo/adjust', { preferences: { task_overrides: { thesis: { duration_minutes: 120 } } } }).expect(200);
    expect(await create(user, { title: 'c', scheduled_for: '2026-11-23T10:00', task_id: 'thesis' })).toMatchObject({ duration_minutes: 120 });
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
    expect(event).toMatchObject({ scheduled_for: '2027-03-27T23:00:00.000Z', end: '2027-03-28T22:00:00.000Z', duration_minutes: 1440, busy: false, local_start: '2027-03-28T00:00:00' });
    expect(await create(user, { title: 'Birthday', scheduled_for: '2027-04-01' })).toMatchObject({ all_day: true, duration_minutes: 1440 });
    const refused = await user.post('/calendar/create', { title: 'Fair', scheduled_for: '2027-03-28', all_day: true, duration_minutes: 90 }).expect(422);
    expect(refused.body.errors[0]).toMatchObject({ path: '/duration_minutes', code: 'not_whole_days' });
  });

  test('is edited in new versions that If-Match guards', async () => {
    const user = await aUser(app);
    const { uid } = await create(user, { ...call, location: 'Room 1' });
    const edited = await user.patch('/calendar/edit', { uid, updates: { scheduled_for: '2026-11-27T16:00', location: null, tags: ['moved'] } }).set('If-Match', '"1"').expect(200);
    expect(edited.headers['etag']).toBe('"2"');
    expect(edited.body).toMatchObject({ version: 2, sequence: 1, scheduled_for: '2026-11-27T15:00:00.000Z', end: '2026-11-27T15:20:00.000Z', location: null, tags: ['moved'] });
    expect(edited.body.created_at).not.toBe(edited.body.updated_at);
    const stale = await user.patch('/calendar/edit', { uid, updates: { title: 'x' } }).set('If-Match', '"1"').expect(412);
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
    const moved = (await user.patch('/calendar/edit', { uid, updates: { timezone: 'America/New_York' } }).expect(200)).body;
    expect(moved).toMatchObject({ scheduled_for: '2026-11-27T14:30:00.000Z', local_start: '2026-11-27T09:30:00', timezone: 'America/New_York' });
    const tokyo = (await user.patch('/calendar/edit', { uid, updates: { scheduled_for: '2026-11-28T08:00' }, timezone: 'Asia/Tokyo' }).expect(200)).body;
    expect(tokyo).toMatchObject({ scheduled_for: '2026-11-27T23:00:00.000Z', local_start: '2026-11-27T18:00:00', timezone: 'America/New_York' });
  });

  test('is removed once', async () => {
    const user = await aUser(app);
    const { uid } = await create(user, call);
    const { body } = await user.delete(`/calendar/remove?uid=${uid}`).expect(200);
    expect(body).toEqual({ message: 'Removed “Call with the supplier”.', uid });
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
    expect((await user.post('/calendar/create', { ...call, uid: 'mine', title: 'other' }).expect(409)).body.code).toBe('uid_taken');
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

describe('windows', () => {
  test('by default from now for 30 days; sorted by time; with what is running already', async () => {
    const user = await aUser(app);
    await create(user, { title: 'yesterday', scheduled_for: '2026-11-20T10:00', duration_minutes: 30 });
    await create(user, { title: 'running', scheduled_for: '2026-11-20T10:00', duration_minutes: 1500 });
    await create(user, { title: 'later', scheduled_for: '2026-12-20T10:00', duration_minutes: 30 });
    await create(user, { title: 'soon', scheduled_for: '2026-11-22T10:00', duration_minutes: 30 });
    await create(user, { title: 'far', scheduled_for: '2026-12-24T10:00', duration_minutes: 30 });
    const titles = (events: Event[]) => events.map((event) => event.title);
    expect(titles(await list(user, ''))).toEqual(['running', 'soon', 'later']);
    expect(titles(await list(user, 'end=2026-11-20'))).toEqual(['yesterday', 'running']);
    expect(titles(await list(user, 'start=2026-12-20'))).toEqual(['later', 'far']);
    // Both ends are included, to the instant.
    expect(titles(await list(user, 'start=2026-12-01&end=2026-12-20T09:00:00Z'))).toEqual(['later']);
    expect(titles(await list(user, 'start=2026-12-01&end=2026-12-20T08:59:59.999Z'))).toEqual([]);
  });

  test('are filtered by tag and tempo tag', async () => {
    const user = await aUser(app);
    await create(user, { ...call, tags: ['a', 'b'] });
    await create(user, { ...call, tempo_tag: '@meeting' });
    expect(await list(user, `${NOVEMBER}&tag=a`)).toHaveLength(1);
    expect(await list(user, `${NOVEMBER}&tag=%40meeting`)).toHaveLength(1);
    expect(await list(user, `${NOVEMBER}&tag=none`)).toHaveLength(0);
  });

  test.each([
    ['the end before the start', 'start=2026-11-30&end=2026-11-01', '/end', 'empty_window'],
    ['more than two years', 'start=2026-01-01&end=2029-01-01', '/end', 'window_too_long'],
    ['no time', 'start=soon', '/start', 'custom'],
    ['an unknown parameter', 'from=2026-11-01', '/from', 'unknown_field'],
    ['a limit over 1000', 'limit=5000', '/limit', 'too_big'],
    ['a time that is not there in the zone', 'start=0001-01-01T00:00&timezone=Asia/Tokyo', '/start', 'invalid_time'],
  ])('with %s are refused', async (_name, query, path, code) => {
    const user = await aUser(app);
    const { body } = await user.get(`/calendar/events?${query}`).expect(422);
    expect(body.errors).toContainEqual(expect.objectContaining({ path, code }));
  });

  test('are walked page by page, singles and series mixed, while the calendar changes', async () => {
    const user = await aUser(app);
    for (let day = 1; day <= 9; day++) await create(user, { title: `single ${day}`, scheduled_for: `2026-12-0${day}T09:00`, duration_minutes: 30 });
    const series = await create(user, { title: 'daily', scheduled_for: '2026-12-01T09:00', duration_minutes: 30, rrule: 'FREQ=DAILY;COUNT=9' });
    const seen: string[] = [];
    let next: string | undefined = '/calendar/events?start=2026-12-01&end=2026-12-31&limit=4';
    for (let page = 0; next; page++) {
      const answer: { body: Event[]; headers: Record<string, string> } = await user.get(next).expect(200);
      seen.push(...answer.body.map((e) => `${e.scheduled_for} ${e.title}`));
      next = /<([^>]+)>; rel="next"/.exec(answer.headers['link'] ?? '')?.[1];
      if (page === 1) {
        await user.delete(`/calendar/remove?uid=${series.uid}`).expect(200);
        await create(user, { title: 'new', scheduled_for: '2026-12-08T09:00', duration_minutes: 30 });
      }
    }
    expect(seen).toHaveLength(18);
    expect(new Set(seen).size).toBe(18);
    expect(seen.map((text) => text.slice(0, 24))).toEqual(seen.map((text) => text.slice(0, 24)).toSorted());
    const foreign = await user.get(`/calendar/events?start=2026-12-02&cursor=${Buffer.from('{}').toString('base64url')}`).expect(422);
    expect(foreign.body.code).toBe('invalid_cursor');
  });

  test('as of a seq or a time show what was known then', async () => {
    const user = await aUser(app);
    const first = await create(user, call);
    app.clock.advance(60_000);
    await user.patch('/calendar/edit', { uid: first.uid, updates: { scheduled_for: '2026-12-01T10:00', title: 'Moved' } }).expect(200);
    const second = await create(user, { title: 'Second', scheduled_for: '2026-11-28T10:00' });
    await user.delete(`/calendar/remove?uid=${second.uid}`).expect(200);
    const then = await list(user, `${NOVEMBER}&as_of=${first['seq']}`);
    expect(then.map((e) => e.title)).toEqual(['Call with the supplier']);
    expect(await list(user, `${NOVEMBER}&as_of=${second['seq']}`)).toMatchObject([{ title: 'Second' }]);
    expect(await list(user, NOVEMBER)).toEqual([]);
    expect(await list(user, `${NOVEMBER}&as_of=2026-11-01`)).toEqual([]);
    expect((await user.get(`/calendar/event?uid=${first.uid}&as_of=${first['seq']}`).expect(200)).body.title).toBe('Call with the supplier');
    await user.get(`/calendar/event?uid=${second.uid}&as_of=${first['seq']}`).expect(404);
    await user.get('/calendar/events?as_of=whenever').expect(422);
  });
});

describe('a series', () => {
  const standup = { title: 'Standup', scheduled_for: '2026-10-19T09:00', duration_minutes: 15, rrule: 'FREQ=WEEKLY;BYDAY=MO' };
  const AUTUMN = 'start=2026-10-19&end=2026-11-15';

  test('keeps its wall time across the end of summer time', async () => {
    const user = await aUser(app);
    const { uid } = await create(user, standup);
    const found = await list(user, AUTUMN);
    expect(times(found)).toEqual(['2026-10-19T07:00:00.000Z', '2026-10-26T08:00:00.000Z', '2026-11-02T08:00:00.000Z', '2026-11-09T08:00:00.000Z']);
    expect(found.every((e) => e.uid === uid && e.recurrence_id === e.scheduled_for)).toBe(true);
    expect(found[1]).toMatchObject({ end: '2026-10-26T08:15:00.000Z', local_start: '2026-10-26T09:00:00', rrule: 'FREQ=WEEKLY;BYDAY=MO' });
    expect(found[1]?.overrides).toBeUndefined();
  });

  test('moves one occurrence, renames it, and lets it go', async () => {
    const user = await aUser(app);
    const { uid } = await create(user, standup);
    const recurrence_id = '2026-10-26T08:00:00.000Z';
    const moved = await user.patch('/calendar/edit', { uid, recurrence_id, updates: { scheduled_for: '2026-10-27T11:00', title: 'Standup, late' } }).expect(200);
    expect(moved.body.overrides).toEqual({
      [recurrence_id]: { title: 'Standup, late', scheduled_for: '2026-10-27T10:00:00.000Z', local_start: '2026-10-27T11:00:00', timezone: 'Europe/Berlin' },
    });
    const found = await list(user, AUTUMN);
    expect(found[1]).toMatchObject({ title: 'Standup, late', scheduled_for: '2026-10-27T10:00:00.000Z', end: '2026-10-27T10:15:00.000Z', recurrence_id });
    expect(found).toHaveLength(4);
    const { body: traces } = await user.get('/memory/pull?type=calendar_event');
    expect(traces[0].content).toContain('from Mon 26 Oct 2026 09:00–09:15 (Europe/Berlin) to Tue 27 Oct 2026 11:00–11:15');
    // A new title of the series reaches every occurrence but the one with a title of its own.
    await user.patch('/calendar/edit', { uid, updates: { title: 'Daily' } }).expect(200);
    expect((await list(user, AUTUMN)).map((e) => e.title)).toEqual(['Daily', 'Standup, late', 'Daily', 'Daily']);
    const gone = await user.delete(`/calendar/remove?uid=${uid}&recurrence_id=${recurrence_id}`).expect(200);
    expect(gone.body).toEqual({ message: 'Removed from the series “Daily”.', uid });
    expect(times(await list(user, AUTUMN))).toEqual(['2026-10-19T07:00:00.000Z', '2026-11-02T08:00:00.000Z', '2026-11-09T08:00:00.000Z']);
    await user.delete(`/calendar/remove?uid=${uid}&recurrence_id=${recurrence_id}`).expect(422);
  });

  test('is split for this and the following, both halves linked', async () => {
    const user = await aUser(app);
    const { uid } = await create(user, standup);
    await user.patch('/calendar/edit', { uid, recurrence_id: '2026-11-09T08:00:00Z', updates: { title: 'Special' } }).expect(200);
    const { body: tail } = await user
      .patch('/calendar/edit', { uid, scope: 'following', recurrence_id: '2026-11-02T08:00:00Z', updates: { scheduled_for: '2026-11-02T10:00' } })
      .expect(200);
    expect(tail).toMatchObject({ split_from: uid, version: 1, scheduled_for: '2026-11-02T09:00:00.000Z' });
    const { body: head } = await user.get(`/calendar/event?uid=${uid}`).expect(200);
    expect(head).toMatchObject({ split_to: tail.uid, version: 3 });
    const found = await list(user, AUTUMN);
    expect(times(found)).toEqual(['2026-10-19T07:00:00.000Z', '2026-10-26T08:00:00.000Z', '2026-11-02T09:00:00.000Z', '2026-11-09T09:00:00.000Z']);
    expect(found.map((e) => e.title)).toEqual(['Standup', 'Standup', 'Standup', 'Special']);
    await user.delete(`/calendar/remove?uid=${tail.uid}&scope=following&recurrence_id=2026-11-09T09:00:00Z`).expect(200);
    expect(await list(user, 'start=2026-10-19&end=2027-10-19')).toHaveLength(3);
  });

  test('moves as a whole by what one occurrence was moved, exceptions with it', async () => {
    const user = await aUser(app);
    const { uid } = await create(user, standup);
    await user.delete(`/calendar/remove?uid=${uid}&recurrence_id=2026-10-26T08:00:00Z`).expect(200);
    await user.patch('/calendar/edit', { uid, recurrence_id: '2026-11-09T08:00:00Z', updates: { title: 'Special' } }).expect(200);
    const { body } = await user
      .patch('/calendar/edit', { uid, scope: 'all', recurrence_id: '2026-11-02T08:00:00Z', updates: { scheduled_for: '2026-11-02T08:30' } })
      .expect(200);
    expect(body).toMatchObject({ local_start: '2026-10-19T08:30:00', exdates: ['2026-10-26T07:30:00.000Z'] });
    const found = await list(user, AUTUMN);
    expect(times(found)).toEqual(['2026-10-19T06:30:00.000Z', '2026-11-02T07:30:00.000Z', '2026-11-09T07:30:00.000Z']);
    expect(found.at(-1)?.title).toBe('Special');
  });

  test('ends when nothing is left of it, and becomes a single event without its rule', async () => {
    const user = await aUser(app);
    const { uid } = await create(user, { ...standup, rrule: 'FREQ=WEEKLY;COUNT=2' });
    await user.delete(`/calendar/remove?uid=${uid}&recurrence_id=2026-10-19T07:00:00Z`).expect(200);
    await user.delete(`/calendar/remove?uid=${uid}&recurrence_id=2026-10-26T08:00:00Z`).expect(200);
    await user.get(`/calendar/event?uid=${uid}`).expect(404);
    const other = await create(user, { ...standup, exdates: ['2026-10-26T09:00'], rdates: ['2026-10-28T09:00'] });
    expect(times(await list(user, 'start=2026-10-19&end=2026-11-02'))).toEqual(['2026-10-19T07:00:00.000Z', '2026-10-28T08:00:00.000Z', '2026-11-02T08:00:00.000Z']);
    const { body } = await user.patch('/calendar/edit', { uid: other.uid, updates: { rrule: null, rdates: [] } }).expect(200);
    expect(body).toMatchObject({ rrule: null, exdates: [], rdates: [], overrides: {} });
    expect(await list(user, 'start=2026-10-01&end=2027-10-01')).toHaveLength(1);
  });

  test('of whole days repeats dates', async () => {
    const user = await aUser(app);
    const { uid } = await create(user, { title: 'Market', scheduled_for: '2026-10-24', all_day: true, rrule: 'FREQ=DAILY;COUNT=3' });
    const found = await list(user, 'start=2026-10-01&end=2026-10-31');
    expect(found.map((e) => [e.scheduled_for, e.end])).toEqual([
      ['2026-10-23T22:00:00.000Z', '2026-10-24T22:00:00.000Z'],
      ['2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z'],
      ['2026-10-25T23:00:00.000Z', '2026-10-26T23:00:00.000Z'],
    ]);
    await user.delete(`/calendar/remove?uid=${uid}&recurrence_id=2026-10-25`).expect(200);
    expect(await list(user, 'start=2026-10-25&end=2026-10-25')).toHaveLength(0);
  });

  test.each([
    ['scope this without an occurrence', { scope: 'this', updates: { title: 'x' } }, '/recurrence_id', 'required'],
    ['an occurrence that is none', { recurrence_id: '2026-10-20T07:00:00Z', updates: { title: 'x' } }, '/recurrence_id', 'no_occurrence'],
    ['a rule for one occurrence', { recurrence_id: '2026-10-26T08:00:00Z', updates: { rrule: 'FREQ=DAILY' } }, '/updates/rrule', 'of_series'],
    ['a rule that never occurs', { updates: { rrule: 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30' } }, '/updates/rrule', 'invalid_rrule'],
    ['a rule that is no rule', { updates: { rrule: 'FREQ=NEVER' } }, '/updates/rrule', 'invalid_rrule'],
    ['a rule every second', { updates: { rrule: 'FREQ=SECONDLY' } }, '/updates/rrule', 'invalid_rrule'],
  ])('refuses %s', async (_name, edit, path, code) => {
    const user = await aUser(app);
    const { uid } = await create(user, standup);
    const { body } = await user.patch('/calendar/edit', { uid, ...edit }).expect(422);
    expect(body.errors).toContainEqual(expect.objectContaining({ path, code }));
    expect((await user.get(`/calendar/event?uid=${uid}`)).body.version).toBe(1);
  });
});

describe('an agent’s block', () => {
  test('gives way to a person’s event, and its plan returns to the queue', async () => {
    const user = await aUser(app);
    const block = await aBlock(user, 'Write chapter', '2026-11-23T10:00');
    expect(await list(user, NOVEMBER)).toMatchObject([{ title: 'Write chapter', plan_uid: block.plan, yields: true, origin: 'agent' }]);
    await create(user, { title: 'Dentist', scheduled_for: '2026-11-23T10:30', duration_minutes: 30 });
    expect((await list(user, NOVEMBER)).map((e) => e.title)).toEqual(['Dentist']);
    const { body: queue } = await user.get('/agent/queue').expect(200);
    expect(queue).toHaveLength(1);
    expect(queue[0]).toMatchObject({ title: 'Write chapter', status: 'proposed' });
    expect(queue[0].reasoning).toContain('Dentist');
    expect(queue[0].scheduled_for >= '2026-11-23T10:00:00.000Z').toBe(true);
  });

  test('gives way to an event that is moved onto it, and to an occurrence of a series', async () => {
    const user = await aUser(app);
    await aBlock(user, 'Read', '2026-11-23T10:00');
    await aBlock(user, 'Sort', '2026-12-07T09:00');
    const { uid } = await create(user, { title: 'Lunch', scheduled_for: '2026-11-23T13:00', duration_minutes: 30 });
    await user.patch('/calendar/edit', { uid, updates: { scheduled_for: '2026-11-23T10:45' } }).expect(200);
    await create(user, { title: 'Weekly', scheduled_for: '2026-11-30T09:30', duration_minutes: 30, rrule: 'FREQ=WEEKLY' });
    expect((await list(user, 'start=2026-11-23&end=2026-12-07')).map((e) => e.title)).toEqual(['Lunch', 'Weekly', 'Weekly']);
    expect((await user.get('/agent/queue')).body).toHaveLength(2);
  });

  test('stays where a person moves it, and that is a decision about the plan', async () => {
    const user = await aUser(app);
    const block = await aBlock(user, 'Write', '2026-11-24T10:00');
    const { uid } = await create(user, { title: 'Meeting', scheduled_for: '2026-11-24T14:00', duration_minutes: 60 });
    const { body } = await user.patch('/calendar/edit', { uid: block.event, updates: { scheduled_for: '2026-11-24T14:00' } }).expect(200);
    expect(body).toMatchObject({ yields: false, plan_uid: block.plan });
    await create(user, { title: 'Third', scheduled_for: '2026-11-24T14:00', duration_minutes: 60 });
    expect(await list(user, NOVEMBER)).toHaveLength(3);
    const { body: history } = await user.get(`/memory/history?uid=${block.plan}`).expect(200);
    expect(history[0].action).toBe('edited');
    expect((await user.get(`/calendar/event?uid=${uid}`)).body.version).toBe(1);
  });

  test('that is over stays in the calendar, taking no time', async () => {
    const user = await aUser(app);
    const block = await aBlock(user, 'Write', '2026-11-23T08:00');
    const key = await aKey(app, user, 'user');
    app.clock.set('2026-11-23T12:00:00.000Z');
    try {
      await create(key, { title: 'It was something else', scheduled_for: '2026-11-23T08:30', duration_minutes: 30 });
      const found = (await key.get(`/calendar/event?uid=${block.event}`).expect(200)).body;
      expect(found).toMatchObject({ busy: false, version: 2 });
      expect((await key.get('/agent/queue')).body).toEqual([]);
    } finally {
      app.clock.set(TEST_START);
    }
  });

  test('is refused on busy time, also that of a series, and by the database itself', async () => {
    const user = await aUser(app);
    await create(user, { title: 'Standup', scheduled_for: '2026-11-23T09:00', duration_minutes: 30, rrule: 'FREQ=DAILY' });
    const { body } = await user.agent.post('/agent/plan', { actions: [{ action_type: 'schedule', title: 'Write', scheduled_for: '2026-12-15T09:15', duration_minutes: 30 }] }).expect(200);
    expect(body[0]).toMatchObject({ status: 'rejected', decision: { code: 'slot:blocked' } });
    await create(user, { title: 'Mine', scheduled_for: '2026-11-23T15:00', duration_minutes: 60 });
    const double = app.database.handle.query(
      `insert into events select user_id, 'x', seq, 1, during, span, false, true, null, null, '{}', 'plan', int8range(null, null) from events where user_id = $1 and not recurring`,
      [user.user_id],
    );
    await expect(double).rejects.toMatchObject({ code: '23P01' });
  });
});

describe('free and busy', () => {
  test('slots are free, within the tempo hours, and say why; none says why not', async () => {
    const user = await aUser(app);
    await create(user, { title: 'Morning', scheduled_for: '2026-11-23T08:00', duration_minutes: 120, rrule: 'FREQ=DAILY;COUNT=5' });
    const { body } = await user.get('/calendar/slots?start=2026-11-23&end=2026-11-23&duration_minutes=90&tempo_tag=%40deep_work').expect(200);
    expect(body.slots[0]).toMatchObject({ start: '2026-11-23T09:00:00.000Z', end: '2026-11-23T10:30:00.000Z', duration_minutes: 90 });
    expect(body.slots[0].reasons.length).toBeGreaterThan(0);
    expect(body.rejected).toEqual([]);
    const past = (await user.get('/calendar/slots?start=2026-11-01&end=2026-11-02&duration_minutes=30').expect(200)).body;
    expect(past.slots).toEqual([]);
    expect(past.rejected[0].code).toBe('slot:past');
    const full = (await user.get('/calendar/slots?start=2026-11-23T08:00&end=2026-11-23T10:00').expect(200)).body;
    expect(full.slots).toEqual([]);
    expect(full.rejected).toMatchObject([{ code: 'slot:blocked', start: '2026-11-23T07:00:00.000Z', end: '2026-11-23T09:00:00.000Z' }]);
    await user.get('/calendar/slots?duration_minutes=0').expect(422);
    await user.get('/calendar/slots?start=2026-01-01&end=2028-01-01').expect(422);
  });

  test('slots keep a buffer and the notice asked for', async () => {
    const user = await aUser(app);
    await create(user, { title: 'Noon', scheduled_for: '2026-11-23T12:00', duration_minutes: 60 });
    const { body } = await user.get('/calendar/slots?start=2026-11-23T11:00&end=2026-11-23T14:00&duration_minutes=45&buffer_minutes=30&limit=5').expect(200);
    expect(body.slots).toEqual([]);
    const later = (await user.get('/calendar/slots?duration_minutes=30&notice_minutes=2880&limit=1').expect(200)).body;
    expect(later.slots[0].start >= '2026-11-23T09:00:00.000Z').toBe(true);
  });

  test('busy time is merged and says nothing else; cancelled and free events take none', async () => {
    const user = await aUser(app);
    await create(user, { title: 'a', scheduled_for: '2026-11-23T10:00', duration_minutes: 60 });
    await create(user, { title: 'b', scheduled_for: '2026-11-23T10:30', duration_minutes: 60 });
    await create(user, { title: 'c', scheduled_for: '2026-11-23T12:00', duration_minutes: 60, busy: false });
    await create(user, { title: 'd', scheduled_for: '2026-11-23T13:00', duration_minutes: 60, status: 'cancelled' });
    const series = await create(user, { title: 'e', scheduled_for: '2026-11-23T15:00', duration_minutes: 60, rrule: 'FREQ=DAILY' });
    const query = '/calendar/freebusy?start=2026-11-23T09:00&end=2026-11-23T15:30';
    const { body } = await user.get(query).expect(200);
    const told = (list: Interval[]) => list.map(({ start, end }) => `${start.slice(11, 16)}-${end.slice(11, 16)}`);
    expect(told(body.busy)).toEqual(['09:00-10:30', '14:00-14:30']);
    expect(told(body.free)).toEqual(['08:00-09:00', '10:30-14:00']);
    await user.patch('/calendar/edit', { uid: series.uid, recurrence_id: series.scheduled_for, updates: { status: 'cancelled' } }).expect(200);
    expect(told((await user.get(query)).body.busy)).toEqual(['09:00-10:30']);
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
    ['an end beyond the year 9999', { ...call, scheduled_for: '9999-12-31T23:59:00Z', duration_minutes: 1440 }, '/scheduled_for'],
    ['a NUL', { ...call, title: 'a\0b' }, '/title'],
    ['an exdate that is none', { ...call, rrule: 'FREQ=DAILY', exdates: ['x'] }, '/exdates/0'],
  ];
  test.each(bad)('%s', async (_name, body, path) => {
    const user = await aUser(app);
    const answer = await user.post('/calendar/create', body).expect(422);
    expect(answer.headers['content-type']).toContain('application/problem+json');
    expect(answer.body.errors.map((fault: Fault) => fault.path)).toContain(path);
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
    expect((await user.agent.post('/calendar/create', call).expect(403)).body).toMatchObject({ code: 'insufficient_scope', missing: ['calendar:write'] });
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
    const timed = await user.patch('/calendar/edit', { uid, updates: { all_day: false, scheduled_for: '2026-11-27T10:00', duration_minutes: 45 } }).expect(200);
    expect(timed.body).toMatchObject({ all_day: false, duration_minutes: 45, scheduled_for: '2026-11-27T09:00:00.000Z' });
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
