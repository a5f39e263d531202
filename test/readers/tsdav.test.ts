/** CalDAV as tsdav uses it, a library of web front ends: discovery, objects, sync. */
import { createDAVClient } from 'tsdav';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { anApp, type TestApp } from '../support/app.ts';
import { aDavUser, fileOf, vevent, type DavUser } from '../support/dav.ts';

let app: TestApp;
let user: DavUser;
beforeAll(async () => {
  app = await anApp();
  user = await aDavUser(app);
});
afterAll(() => app.close());

test('finds the calendars from the bare host, writes an event, and follows changes', async () => {
  const client = await createDAVClient({
    serverUrl: app.url,
    credentials: { username: user.email, password: user.key },
    authMethod: 'Basic',
    defaultAccountType: 'caldav',
  });
  const calendars = await client.fetchCalendars();
  expect(calendars.map(({ displayName }) => displayName)).toEqual(['Almanac', 'Almanac: proposals']);
  const [calendar] = calendars as [(typeof calendars)[number]];
  const made = await client.createCalendarObject({
    calendar,
    filename: 'ts@dav.ics',
    iCalString: fileOf(...vevent('ts@dav')),
  });
  expect(made.status).toBe(201);
  const [object] = await client.fetchCalendarObjects({ calendar });
  expect(object?.data).toContain('SUMMARY:Dentist');
  const changed = await client.updateCalendarObject({
    calendarObject: {
      url: object?.url ?? '',
      etag: object?.etag ?? '',
      data: String(object?.data).replace('Dentist', 'Surgeon'),
    },
  });
  expect(changed.status).toBe(204);
  expect((await user.get('/calendar/event?uid=ts@dav').expect(200)).body.title).toBe('Surgeon');
  const window = { start: '2026-12-01T00:00:00Z', end: '2026-12-31T00:00:00Z' };
  expect(await client.fetchCalendarObjects({ calendar, timeRange: window, expand: true })).toHaveLength(1);
  await user
    .post('/calendar/create', { title: 'By REST', scheduled_for: '2026-12-05T10:00', duration_minutes: 30 })
    .expect(201);
  const synced = await client.smartCollectionSync({
    collection: { ...calendar, objects: [], objectMultiGet: client.calendarMultiGet },
    method: 'webdav',
  });
  expect(synced.objects).toHaveLength(2);
  const [first] = await client.fetchCalendarObjects({ calendar });
  expect((await client.deleteCalendarObject({ calendarObject: first as never })).status).toBe(204);
});
