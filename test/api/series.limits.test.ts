/** What a calendar can hold, and how far ahead it is looked at. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MAX_SERIES } from '../../src/calendar/calendar-bounds.ts';
import { anApp, aUser, type TestApp, type TestUser } from '../support/app.ts';
import { aBlock, calendarText, create, imported, list, titles, vevent } from '../support/calendar.ts';

let app: TestApp;
beforeAll(async () => {
  app = await anApp();
});
afterAll(() => app.close());

const series = (uid: string): string =>
  vevent(`UID:${uid}`, 'DTSTART:20261201T100000Z', 'DURATION:PT15M', `SUMMARY:${uid}`, 'RRULE:FREQ=YEARLY');

describe('series', () => {
  test('are limited in number, however they come; what is refused changes nothing', async () => {
    const user = await aUser(app);
    const most = Array.from({ length: MAX_SERIES - 1 }, (_, i) => series(`s${i}`));
    expect((await imported(app, user, calendarText(...most)).expect(200)).body).toMatchObject({
      created: MAX_SERIES - 1,
    });
    const { body } = await imported(app, user, calendarText(series('last'), series('beyond'), series('s1'))).expect(
      200,
    );
    expect(body).toMatchObject({ created: 1, failed: 1, unchanged: 1 });
    expect(JSON.stringify(body.report)).toContain(`at most ${MAX_SERIES} recurring events`);
    const event = { title: 'Daily', scheduled_for: '2026-12-01T10:00', duration_minutes: 15 };
    const refused = await user.post('/calendar/create', { ...event, rrule: 'FREQ=DAILY' }).expect(409);
    expect(refused.body).toMatchObject({ code: 'series_limit', limit: MAX_SERIES });
    const { uid } = await create(user, event);
    await user.patch('/calendar/edit', { uid, updates: { rrule: 'FREQ=DAILY' } }).expect(409);
    const recurrence_id = '2027-12-01T10:00:00Z';
    const split = { uid: 's0', scope: 'following', recurrence_id, updates: { title: 'x' } };
    await user.patch('/calendar/edit', split).expect(409);
    expect((await user.get('/calendar/event?uid=s0')).body).toMatchObject({ version: 1, split_to: null });
    // What is a series already may change, and one that goes makes room for another.
    await user.patch('/calendar/edit', { uid: 's0', updates: { rrule: 'FREQ=MONTHLY' } }).expect(200);
    await user.delete('/calendar/remove?uid=s1').expect(200);
    await user.patch('/calendar/edit', { uid, updates: { rrule: 'FREQ=DAILY' } }).expect(200);
  });

  test('too dense to be looked at are told, with what to do', async () => {
    const user = await aUser(app);
    for (let i = 0; i < 8; i++)
      await create(user, {
        title: `Every quarter ${i}`,
        scheduled_for: '2026-11-23T00:00',
        duration_minutes: 5,
        rrule: 'FREQ=MINUTELY;INTERVAL=15',
      });
    const { body } = await user.get('/calendar/freebusy?start=2027-01-01&end=2028-12-31').expect(422);
    expect(body).toMatchObject({ code: 'too_many_occurrences', detail: expect.stringContaining('shorter') });
    const short = await user.get('/calendar/freebusy?start=2027-01-01&end=2027-01-01').expect(200);
    expect(short.body.busy).toHaveLength(96);
    expect(await list(user, 'start=2027-01-01&end=2028-12-31&limit=1000')).toHaveLength(1000);
  });
});

describe('far ahead', () => {
  const plan = async (user: TestUser, scheduled_for: string) => {
    const action = { action_type: 'schedule', title: 'Write', scheduled_for, duration_minutes: 30 };
    return (await user.agent.post('/agent/plan', { actions: [action] }).expect(200)).body[0];
  };

  test('a plan meets occurrences of a series that never ends', async () => {
    const user = await aUser(app);
    await create(user, {
      title: 'Monday',
      scheduled_for: '2026-11-23T09:00',
      duration_minutes: 60,
      rrule: 'FREQ=WEEKLY',
    });
    expect(await plan(user, '2061-11-21T09:30')).toMatchObject({
      status: 'rejected',
      decision: { code: 'slot:blocked' },
    });
    expect(await plan(user, '2061-11-22T09:30')).toMatchObject({ status: 'proposed' });
    const day = 'start=2061-11-21T09:00&end=2061-11-21T12:00&duration_minutes=60';
    const { body } = await user.get(`/calendar/slots?${day}`).expect(200);
    expect(body.slots.every((slot: { start: string }) => slot.start >= '2061-11-21T09:00:00.000Z')).toBe(true);
    expect((await user.get('/calendar/freebusy?start=2061-11-21&end=2061-11-21')).body.busy).toEqual([
      { start: '2061-11-21T08:00:00.000Z', end: '2061-11-21T09:00:00.000Z' },
    ]);
  });

  test('a new series takes the place of a block decades ahead', async () => {
    const user = await aUser(app);
    await aBlock(user, 'Far', '2061-11-21T09:30', 30);
    await create(user, {
      title: 'Monday',
      scheduled_for: '2026-11-23T09:00',
      duration_minutes: 60,
      rrule: 'FREQ=WEEKLY',
    });
    expect(titles(await list(user, 'start=2061-11-21&end=2061-11-21'))).toEqual(['Monday']);
    expect((await user.get('/agent/queue')).body).toMatchObject([{ title: 'Far', status: 'proposed' }]);
  });
});
