/** Windows and series: what is listed when, page by page; one occurrence, the following and all of them changed. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anApp, aUser, type TestApp } from '../support/app.ts';
import { call, create, list, NOVEMBER, times, titles, type Event } from '../support/calendar.ts';

let app: TestApp;
beforeAll(async () => {
  app = await anApp();
});
afterAll(() => app.close());

describe('windows', () => {
  test('by default from now for 30 days; sorted by time; with what is running already', async () => {
    const user = await aUser(app);
    await create(user, { title: 'yesterday', scheduled_for: '2026-11-20T10:00', duration_minutes: 30 });
    await create(user, { title: 'running', scheduled_for: '2026-11-20T10:00', duration_minutes: 1500 });
    await create(user, { title: 'later', scheduled_for: '2026-12-20T10:00', duration_minutes: 30 });
    await create(user, { title: 'soon', scheduled_for: '2026-11-22T10:00', duration_minutes: 30 });
    await create(user, { title: 'far', scheduled_for: '2026-12-24T10:00', duration_minutes: 30 });
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
    ['the end of time', 'start=9999-12-31', '/start', 'custom'],
    ['an unknown parameter', 'from=2026-11-01', '/from', 'unknown_field'],
    ['a limit over 1000', 'limit=5000', '/limit', 'too_big'],
    ['a time no calendar reaches', 'start=0001-01-01T00:00&timezone=Asia/Tokyo', '/start', 'custom'],
  ])('with %s are refused', async (_name, query, path, code) => {
    const user = await aUser(app);
    const { body } = await user.get(`/calendar/events?${query}`).expect(422);
    expect(body.errors).toContainEqual(expect.objectContaining({ path, code }));
  });

  test('are walked page by page, singles and series mixed, while the calendar changes', async () => {
    const user = await aUser(app);
    for (let day = 1; day <= 9; day++)
      await create(user, { title: `single ${day}`, scheduled_for: `2026-12-0${day}T09:00`, duration_minutes: 30 });
    const series = await create(user, {
      title: 'daily',
      scheduled_for: '2026-12-01T09:00',
      duration_minutes: 30,
      rrule: 'FREQ=DAILY;COUNT=9',
    });
    const seen: string[] = [];
    let firstLink = '';
    let next: string | undefined = '/calendar/events?start=2026-12-01&end=2026-12-31&limit=4';
    for (let page = 0; next; page++) {
      const answer: { body: Event[]; headers: Record<string, string> } = await user.get(next).expect(200);
      seen.push(...answer.body.map((e) => `${e.scheduled_for} ${e.title}`));
      next = /<([^>]+)>; rel="next"/.exec(answer.headers['link'] ?? '')?.[1];
      firstLink ||= next ?? '';
      if (page === 1) {
        await user.delete(`/calendar/remove?uid=${series.uid}`).expect(200);
        await create(user, { title: 'new', scheduled_for: '2026-12-08T09:00', duration_minutes: 30 });
      }
    }
    expect(seen).toHaveLength(18);
    expect(new Set(seen).size).toBe(18);
    expect(seen.map((text) => text.slice(0, 24))).toEqual(seen.map((text) => text.slice(0, 24)).toSorted());
    const { href } = new URL(firstLink, 'http://x');
    await user.get(href.replace('http://x', '').replace('end=2026-12-31', 'end=2026-12-30')).expect(422);
    const wire = JSON.parse(
      Buffer.from(new URL(firstLink, 'http://x').searchParams.get('cursor') ?? '', 'base64url').toString(),
    ) as { key: string[] };
    for (const key of [
      ['x', 'y', 'z', ''],
      [],
      ['2026-12-01T00:00:00.000Z', 'y', '', '2026-13-01T00:00:00.000Z/2026-12-31T00:00:00.000Z'],
    ]) {
      const forged = Buffer.from(JSON.stringify({ ...wire, key })).toString('base64url');
      const { body } = await user
        .get(`/calendar/events?start=2026-12-01&end=2026-12-31&limit=4&cursor=${forged}`)
        .expect(422);
      expect(body.code).toBe('invalid_cursor');
    }
  });

  test('as of a seq or a time show what was known then', async () => {
    const user = await aUser(app);
    const first = await create(user, call);
    app.clock.advance(60_000);
    await user
      .patch('/calendar/edit', { uid: first.uid, updates: { scheduled_for: '2026-12-01T10:00', title: 'Moved' } })
      .expect(200);
    const second = await create(user, { title: 'Second', scheduled_for: '2026-11-28T10:00' });
    await user.delete(`/calendar/remove?uid=${second.uid}`).expect(200);
    const then = await list(user, `${NOVEMBER}&as_of=${first.seq}`);
    expect(then.map((e) => e.title)).toEqual(['Call with the supplier']);
    expect(await list(user, `${NOVEMBER}&as_of=${second.seq}`)).toMatchObject([{ title: 'Second' }]);
    expect(await list(user, NOVEMBER)).toEqual([]);
    expect(await list(user, `${NOVEMBER}&as_of=2026-11-01`)).toEqual([]);
    expect((await user.get(`/calendar/event?uid=${first.uid}&as_of=${first.seq}`).expect(200)).body.title).toBe(
      'Call with the supplier',
    );
    await user.get(`/calendar/event?uid=${second.uid}&as_of=${first.seq}`).expect(404);
    await user.get('/calendar/events?as_of=whenever').expect(422);
  });
});

describe('a series', () => {
  const standup = {
    title: 'Standup',
    scheduled_for: '2026-10-19T09:00',
    duration_minutes: 15,
    rrule: 'FREQ=WEEKLY;BYDAY=MO',
  };
  const AUTUMN = 'start=2026-10-19&end=2026-11-15';

  test('keeps its wall time across the end of summer time', async () => {
    const user = await aUser(app);
    const { uid } = await create(user, standup);
    const found = await list(user, AUTUMN);
    expect(times(found)).toEqual([
      '2026-10-19T07:00:00.000Z',
      '2026-10-26T08:00:00.000Z',
      '2026-11-02T08:00:00.000Z',
      '2026-11-09T08:00:00.000Z',
    ]);
    expect(found.every((e) => e.uid === uid && e.recurrence_id === e.scheduled_for)).toBe(true);
    expect(found[1]).toMatchObject({
      end: '2026-10-26T08:15:00.000Z',
      local_start: '2026-10-26T09:00:00',
      rrule: 'FREQ=WEEKLY;BYDAY=MO',
    });
    expect(found[1]?.overrides).toBeUndefined();
  });

  test('moves one occurrence, renames it, and lets it go', async () => {
    const user = await aUser(app);
    const { uid } = await create(user, standup);
    const recurrence_id = '2026-10-26T08:00:00.000Z';
    const moved = await user
      .patch('/calendar/edit', {
        uid,
        recurrence_id,
        updates: { scheduled_for: '2026-10-27T11:00', title: 'Standup, late' },
      })
      .expect(200);
    expect(moved.body.overrides).toEqual({
      [recurrence_id]: {
        title: 'Standup, late',
        scheduled_for: '2026-10-27T10:00:00.000Z',
        local_start: '2026-10-27T11:00:00',
        timezone: 'Europe/Berlin',
      },
    });
    const found = await list(user, AUTUMN);
    expect(found[1]).toMatchObject({
      title: 'Standup, late',
      scheduled_for: '2026-10-27T10:00:00.000Z',
      end: '2026-10-27T10:15:00.000Z',
      recurrence_id,
    });
    expect(found).toHaveLength(4);
    const { body: traces } = await user.get('/memory/pull?type=calendar_event');
    expect(traces[0].content).toContain(
      'from Mon 26 Oct 2026 09:00–09:15 (Europe/Berlin) to Tue 27 Oct 2026 11:00–11:15',
    );
    // A new title of the series reaches every occurrence but the one with a title of its own.
    await user.patch('/calendar/edit', { uid, updates: { title: 'Daily' } }).expect(200);
    expect((await list(user, AUTUMN)).map((e) => e.title)).toEqual(['Daily', 'Standup, late', 'Daily', 'Daily']);
    const gone = await user.delete(`/calendar/remove?uid=${uid}&recurrence_id=${recurrence_id}`).expect(200);
    expect(gone.body).toEqual({ message: 'Removed from the series “Daily”.', uid, seq: expect.any(Number) });
    expect(times(await list(user, AUTUMN))).toEqual([
      '2026-10-19T07:00:00.000Z',
      '2026-11-02T08:00:00.000Z',
      '2026-11-09T08:00:00.000Z',
    ]);
    await user.delete(`/calendar/remove?uid=${uid}&recurrence_id=${recurrence_id}`).expect(422);
  });

  test('is split for this and the following, both halves linked', async () => {
    const user = await aUser(app);
    const { uid } = await create(user, standup);
    await user
      .patch('/calendar/edit', { uid, recurrence_id: '2026-11-09T08:00:00Z', updates: { title: 'Special' } })
      .expect(200);
    const { body: tail } = await user
      .patch('/calendar/edit', {
        uid,
        scope: 'following',
        recurrence_id: '2026-11-02T08:00:00Z',
        updates: { scheduled_for: '2026-11-02T10:00' },
      })
      .expect(200);
    expect(tail).toMatchObject({ split_from: uid, version: 1, scheduled_for: '2026-11-02T09:00:00.000Z' });
    const { body: head } = await user.get(`/calendar/event?uid=${uid}`).expect(200);
    expect(head).toMatchObject({ split_to: tail.uid, version: 3 });
    const found = await list(user, AUTUMN);
    expect(times(found)).toEqual([
      '2026-10-19T07:00:00.000Z',
      '2026-10-26T08:00:00.000Z',
      '2026-11-02T09:00:00.000Z',
      '2026-11-09T09:00:00.000Z',
    ]);
    expect(found.map((e) => e.title)).toEqual(['Standup', 'Standup', 'Standup', 'Special']);
    await user
      .delete(`/calendar/remove?uid=${tail.uid}&scope=following&recurrence_id=2026-11-09T09:00:00Z`)
      .expect(200);
    expect(await list(user, 'start=2026-10-19&end=2027-10-19')).toHaveLength(3);
  });

  test('moves as a whole by what one occurrence was moved, exceptions with it', async () => {
    const user = await aUser(app);
    const { uid } = await create(user, standup);
    await user.delete(`/calendar/remove?uid=${uid}&recurrence_id=2026-10-26T08:00:00Z`).expect(200);
    await user
      .patch('/calendar/edit', { uid, recurrence_id: '2026-11-09T08:00:00Z', updates: { title: 'Special' } })
      .expect(200);
    const { body } = await user
      .patch('/calendar/edit', {
        uid,
        scope: 'all',
        recurrence_id: '2026-11-02T08:00:00Z',
        updates: { scheduled_for: '2026-11-02T08:30' },
      })
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
    expect(times(await list(user, 'start=2026-10-19&end=2026-11-02'))).toEqual([
      '2026-10-19T07:00:00.000Z',
      '2026-10-28T08:00:00.000Z',
      '2026-11-02T08:00:00.000Z',
    ]);
    const { body } = await user
      .patch('/calendar/edit', { uid: other.uid, updates: { rrule: null, rdates: [] } })
      .expect(200);
    expect(body).toMatchObject({ rrule: null, exdates: [], rdates: [], overrides: {} });
    expect(await list(user, 'start=2026-10-01&end=2027-10-01')).toHaveLength(1);
  });

  test('of whole days repeats dates', async () => {
    const user = await aUser(app);
    const { uid } = await create(user, {
      title: 'Market',
      scheduled_for: '2026-10-24',
      all_day: true,
      rrule: 'FREQ=DAILY;COUNT=3',
    });
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
    [
      'an occurrence that is none',
      { recurrence_id: '2026-10-20T07:00:00Z', updates: { title: 'x' } },
      '/recurrence_id',
      'no_occurrence',
    ],
    [
      'a rule for one occurrence',
      { recurrence_id: '2026-10-26T08:00:00Z', updates: { rrule: 'FREQ=DAILY' } },
      '/updates/rrule',
      'of_series',
    ],
    [
      'a rule that never occurs',
      { updates: { rrule: 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30' } },
      '/updates/rrule',
      'invalid_rrule',
    ],
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
