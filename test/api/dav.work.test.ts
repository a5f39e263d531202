/** What one WebDAV request may cost: each of these is refused, answered in part with 507, or answered once. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { anApp, type TestApp } from '../support/app.ts';
import { aDavUser, CALENDAR, fileOf, preconditionsIn, responsesIn, vevent, XML, type DavUser } from '../support/dav.ts';
import { multiget, query } from '../support/dav-story.ts';

let app: TestApp;
let user: DavUser;
beforeAll(async () => {
  app = await anApp();
  user = await aDavUser(app);
  await user.dav('PUT', `${user.calendar}a.ics`, fileOf(...vevent('a')), CALENDAR);
  const large = ['RRULE:FREQ=DAILY', `ATTACH:${'x'.repeat(900_000)}`];
  await user.dav('PUT', `${user.calendar}b.ics`, fileOf(...vevent('b', ...large)), CALENDAR);
});
afterAll(() => app.close());

const report = (body: string) => user.dav('REPORT', user.calendar, body, XML);
const matching = (text: string) =>
  query(`<C:prop-filter name="SUMMARY"><C:text-match>${text}</C:text-match></C:prop-filter>`);

test('a long text-match is refused', async () => {
  const refused = await report(matching('a'.repeat(1_000_000)));
  expect(refused.status).toBe(403);
  expect(preconditionsIn(refused.text)).toContain('valid-filter');
  expect((await report(matching('a'.repeat(1_024)))).status).toBe(207);
});

test('an expansion that repeats too much text ends the answer with 507', async () => {
  const expand = '<C:expand start="20261201T000000Z" end="20270601T000000Z"/>';
  const data = `<D:prop xmlns:D="DAV:"><C:calendar-data>${expand}</C:calendar-data></D:prop>`;
  const { status, text } = await report(query('', data));
  expect(status).toBe(207);
  const [first, last, ...more] = responsesIn(text);
  expect(more).toEqual([]);
  expect(first).toMatchObject({ href: `${user.calendar}a.ics`, status: null });
  expect(last).toMatchObject({ href: user.calendar, status: 'HTTP/1.1 507 Insufficient Storage' });
});

test('a resource that is asked for many times is answered once', async () => {
  const { text } = await report(multiget(...Array.from({ length: 5_000 }, () => `${user.calendar}b.ics`)));
  expect(responsesIn(text)).toHaveLength(1);
});

test('names of properties count with each resource', async () => {
  const names = Array.from({ length: 200 }, (_, i) => `<x${'y'.repeat(4_000)}${i}/>`).join('');
  const calendar = `/dav/calendars/${user.user_id}/calendar/`;
  for (let i = 0; i < 100; i += 1) await user.dav('PUT', `${calendar}${i}.ics`, fileOf(...vevent(String(i))), CALENDAR);
  const { status, text } = await report(query('', `<D:prop xmlns:D="DAV:">${names}</D:prop>`));
  expect(status).toBe(207);
  expect(responsesIn(text).at(-1)).toMatchObject({ status: 'HTTP/1.1 507 Insufficient Storage' });
});

test('a PROPPATCH of thousands of properties is refused, and changes nothing', async () => {
  const many = '<displayname>x</displayname>'.repeat(201);
  const body = `<propertyupdate xmlns="DAV:"><set><prop>${many}</prop></set></propertyupdate>`;
  expect((await user.dav('PROPPATCH', user.calendar, body, XML)).status).toBe(400);
  const found = await user.dav('PROPFIND', user.calendar, undefined, { Depth: '0' });
  expect(responsesIn(found.text)[0]?.found['displayname']?.text).toBe('Almanac');
});
