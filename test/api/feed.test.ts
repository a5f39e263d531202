/** The calendar as .ics for other programs: subscribed to, and exported. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import request from 'supertest';
import { anApp, aUser, type Client, type TestApp, type TestUser } from '../support/app.ts';
import { AUTUMN, calendarText, imported, list, MOVED, SINGLE, told, vevent, WEEKLY } from '../support/calendar.ts';

let app: TestApp;
beforeAll(async () => {
  app = await anApp();
});
afterAll(() => app.close());

const aFeed = async (user: TestUser): Promise<{ id: string; url: string }> => {
  const { body } = await user.post('/user/keys', { kind: 'feed', label: 'phone' }).expect(201);
  return { id: body.id, url: `/calendar/feed.ics?key=${body.key}` };
};
const fetchFeed = (url: string, etag?: string) =>
  request(app.server)
    .get(url)
    .set(etag ? { 'If-None-Match': etag } : {});

/** A series across the end of summer time with one occurrence moved and the rest cut. */
const aSeries = async (user: Client): Promise<string> => {
  const { body } = await user
    .post('/calendar/create', {
      title: 'Standup',
      scheduled_for: '2026-10-12T09:00',
      duration_minutes: 15,
      rrule: 'FREQ=WEEKLY',
    })
    .expect(201);
  const { uid } = body;
  await user
    .patch('/calendar/edit', {
      uid,
      recurrence_id: '2026-10-26T08:00:00Z',
      updates: { scheduled_for: '2026-10-27T11:00', title: 'Late' },
    })
    .expect(200);
  await user.delete(`/calendar/remove?uid=${uid}&recurrence_id=2026-11-02T08:00:00Z`).expect(200);
  await user.delete(`/calendar/remove?uid=${uid}&scope=following&recurrence_id=2026-11-16T08:00:00Z`).expect(200);
  return uid;
};

describe('the feed', () => {
  test('is open to its key alone, until that is revoked', async () => {
    const user = await aUser(app);
    const feed = await aFeed(user);
    await user
      .post('/calendar/create', {
        title: 'Call; with, supplier',
        scheduled_for: '2026-11-27T15:30',
        duration_minutes: 20,
      })
      .expect(201);
    const { text, headers } = await fetchFeed(feed.url).expect(200);
    expect(headers['content-type']).toBe('text/calendar; charset=utf-8');
    expect(headers['cache-control']).toBe('private, no-cache');
    expect(text).toContain('SUMMARY:Call\\; with\\, supplier\r\n');
    expect(text).toContain('DTSTART;TZID=Europe/Berlin:20261127T153000\r\n');
    expect(text).toContain('BEGIN:VTIMEZONE\r\n');
    expect(text.split('\r\n').every((line) => Buffer.byteLength(line) <= 75)).toBe(true);
    await fetchFeed('/calendar/feed.ics?key=wrong').expect(401);
    await fetchFeed(`/calendar/feed.ics?key=${user.agent.token}`).expect(401);
    await fetchFeed('/calendar/feed.ics').expect(422);
    const key = new URL(feed.url, 'http://x').searchParams.get('key');
    await request(app.server).get('/calendar/events').set('Authorization', `Bearer ${key}`).expect(401);
    await user.delete(`/user/keys?id=${feed.id}`).expect(200);
    await expect.poll(async () => (await fetchFeed(feed.url)).status).toBe(401);
  });

  test('is 304 while nothing changes, and new after every create, edit and removal', async () => {
    const user = await aUser(app);
    const { url } = await aFeed(user);
    const tags = new Set<string>();
    const changedOnce = async () => {
      const { headers } = await fetchFeed(url).expect(200);
      const etag = headers['etag'] as string;
      expect(tags.has(etag)).toBe(false);
      tags.add(etag);
      expect((await fetchFeed(url, etag).expect(304)).text).toBe('');
      await fetchFeed(url, `W/${etag}, "x"`).expect(304);
      await fetchFeed(url, '"x"').expect(200);
    };
    await changedOnce();
    const { body } = await user.post('/calendar/create', { title: 'x', scheduled_for: '2026-11-27T15:30' }).expect(201);
    await changedOnce();
    await user.patch('/calendar/edit', { uid: body.uid, updates: { title: 'y' } }).expect(200);
    await changedOnce();
    await user.post('/calendar/create', { title: 'z', scheduled_for: '2026-11-27T15:30' }).expect(201);
    await changedOnce();
    await user.delete(`/calendar/remove?uid=${body.uid}`).expect(200);
    await changedOnce();
    await user
      .post('/memory/push', { traces: [{ type: 'observation', content: 'nothing of the calendar' }] })
      .expect(201);
    expect(tags.has((await fetchFeed(url)).headers['etag'] as string)).toBe(true);
  });

  test('moves SEQUENCE and LAST-MODIFIED with a change, and only then its text', async () => {
    const user = await aUser(app);
    const { url } = await aFeed(user);
    const { body } = await user.post('/calendar/create', { title: 'x', scheduled_for: '2026-11-27T15:30' }).expect(201);
    const before = (await fetchFeed(url)).text;
    app.clock.advance(60_000);
    expect((await fetchFeed(url)).text).toBe(before);
    await user.patch('/calendar/edit', { uid: body.uid, updates: { title: 'y' } }).expect(200);
    const after = (await fetchFeed(url)).text;
    const line = (text: string, name: string) => text.split('\r\n').find((one) => one.startsWith(name));
    expect([line(before, 'SEQUENCE'), line(after, 'SEQUENCE')]).toEqual(['SEQUENCE:0', 'SEQUENCE:1']);
    expect(line(before, 'LAST-MODIFIED')).not.toBe(line(after, 'LAST-MODIFIED'));
  });

  test('read into a second account shows the same instants', async () => {
    const user = await aUser(app);
    await aSeries(user);
    await user
      .post('/calendar/create', {
        title: 'Fair',
        scheduled_for: '2026-10-24',
        all_day: true,
        rrule: 'FREQ=DAILY;COUNT=3',
      })
      .expect(201);
    await user
      .post('/calendar/create', { title: 'Holiday there', scheduled_for: '2026-11-03', timezone: 'Asia/Tokyo' })
      .expect(201);
    const floating = vevent('UID:floats', 'DTSTART:20261110T070000', 'RRULE:FREQ=DAILY;COUNT=3', 'SUMMARY:Medicine');
    await imported(app, user, calendarText(floating)).expect(200);
    await user
      .post('/calendar/create', {
        title: 'Tokyo',
        scheduled_for: '2026-11-27T08:00',
        timezone: 'Asia/Tokyo',
        reminders: [10],
        tags: ['a, b'],
        url: 'https://example.org/?a=1;b=2',
      })
      .expect(201);
    const { text } = await fetchFeed((await aFeed(user)).url).expect(200);
    expect(text).toContain('DTSTART:20261110T070000\r\n');
    const second = await aUser(app, { timezone: 'America/New_York' });
    const { body } = await imported(app, second, text).expect(200);
    expect(body).toMatchObject({ created: 6, updated: 0, unchanged: 0, skipped: 0, failed: 0, report: [] });
    const [mine, theirs] = [await list(user, AUTUMN), await list(second, AUTUMN)];
    expect(told(theirs)).toEqual(told(mine));
    expect(theirs.map((o) => o.recurrence_id)).toEqual(mine.map((o) => o.recurrence_id));
    expect(theirs.at(-1)).toMatchObject({
      tags: ['a, b'],
      reminders: [10],
      url: 'https://example.org/?a=1;b=2',
      origin: 'import',
      timezone: 'Asia/Tokyo',
    });
    // Back into the first account it is nothing new, and the second says the same again.
    expect((await imported(app, user, text).expect(200)).body).toMatchObject({ created: 0, updated: 0, unchanged: 6 });
    expect((await imported(app, second, text).expect(200)).body).toMatchObject({
      created: 0,
      updated: 0,
      unchanged: 6,
    });
  });
});

describe('the export', () => {
  test('is the whole calendar, or what overlaps a window', async () => {
    const user = await aUser(app);
    await imported(app, user, calendarText(WEEKLY, MOVED, SINGLE)).expect(200);
    const whole = await user.get('/calendar/export.ics').expect(200);
    expect(whole.headers['content-disposition']).toBe('attachment; filename="almanac.ics"');
    expect(whole.text.match(/BEGIN:VEVENT/g)).toHaveLength(3);
    const part = (await user.get('/calendar/export.ics?start=2026-11-15').expect(200)).text;
    expect(part.split('\r\n').filter((line) => line.startsWith('UID:'))).toEqual(['UID:single']);
    await user.get('/calendar/export.ics?start=2026-11-15&end=2026-11-01').expect(422);
  });
});
