/** What calendar programs do, once each: every WebDAV route and report (story.ts has the rest). */
import type { TestApp } from './app.ts';
import { aCalendarServer, calendarOf, vevent as other } from './calendar-server.ts';
import { aDavUser, CALENDAR, fileOf, vevent } from './dav.ts';

const PROPS = '<D:prop xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><D:getetag/><C:calendar-data/></D:prop>';
const caldav = (name: string, inner: string): string =>
  `<C:${name} xmlns:C="urn:ietf:params:xml:ns:caldav" xmlns:D="DAV:">${inner}</C:${name}>`;
const RANGE = '<C:time-range start="20261101T000000Z" end="20270101T000000Z"/>';

export const query = (filter: string, data = PROPS): string =>
  caldav(
    'calendar-query',
    `${data}<C:filter><C:comp-filter name="VCALENDAR"><C:comp-filter name="VEVENT">${filter}</C:comp-filter></C:comp-filter></C:filter>`,
  );
export const multiget = (...hrefs: string[]): string =>
  caldav('calendar-multiget', PROPS + hrefs.map((href) => `<D:href>${href}</D:href>`).join(''));
export const sync = (token: string, more = ''): string =>
  `<D:sync-collection xmlns:D="DAV:"><D:sync-token>${token}</D:sync-token><D:sync-level>1</D:sync-level>${more}<D:prop><D:getetag/></D:prop></D:sync-collection>`;
export const freeBusy = (): string => caldav('free-busy-query', RANGE);

/** @returns the routes that were used */
export const liveByDav = async (app: TestApp): Promise<Set<string>> => {
  const user = await aDavUser(app);
  const server = await aCalendarServer();
  server.play('/x.ics', calendarOf(other('theirs', { DTSTART: '20270301T090000Z', SUMMARY: 'Read' })));
  const { body: source } = await user.post('/calendar/sources', { url: server.at('/x.ics'), name: 'x' }).expect(201);
  await app.services.calendar.sourceRefresh.settle();
  server.close();
  const actions = [{ action_type: 'schedule', title: 'x', scheduled_for: '2026-12-01T10:00', duration_minutes: 30 }];
  const [{ uid }] = (await user.agent.post('/agent/plan', { actions }).expect(200)).body;
  await user.dav('PUT', `${user.calendar}one.ics`, fileOf(...vevent('one')), CALENDAR);
  await user.dav('PUT', `${user.calendar}two.ics`, fileOf(...vevent('two', 'RRULE:FREQ=DAILY')), CALENDAR);
  const collections = [
    { id: `source-${source.id}`, name: 'one.ics', uid: 'one' },
    { id: 'agent-plan', name: `proposal-${uid}.ics`, uid: `proposal-${uid}` },
    { id: 'calendar', name: 'one.ics', uid: 'one' },
  ];
  const done = new Set<string>();
  // Removals come last, since they leave nothing to read.
  const routes = app.routes
    .filter(({ tag }) => tag === 'caldav')
    .toSorted((a, b) => Number(a.method === 'delete') - Number(b.method === 'delete'));
  for (const { method, path } of routes)
    for (const one of path.includes(':collection') ? collections : collections.slice(-1)) {
      const parts: Record<string, string> = { ':user_id': user.user_id, ':collection': one.id, ':name': one.name };
      const at = path.replace(/:\w+/g, (parameter) => parts[parameter] ?? '');
      const bodies: (string | undefined)[] =
        method === 'report'
          ? [
              query(RANGE),
              query('<C:prop-filter name="SUMMARY"/>'),
              multiget(`${at}/${one.name}`),
              sync(''),
              freeBusy(),
            ]
          : method === 'put'
            ? [fileOf(...vevent(one.uid, 'SUMMARY:New'))]
            : [undefined];
      for (const depth of ['0', '1'])
        for (const body of bodies) {
          const { status } = await user.dav(method.toUpperCase(), at, body, { Depth: depth });
          if (status >= 500) throw new Error(`${method} ${at} answered ${status}`);
        }
      done.add(`${method} ${path}`);
    }
  const first = await user.dav('REPORT', user.calendar, sync(''));
  const token = /urn:almanac:sync:[^<]+/.exec(first.text)?.[0] ?? '';
  await user.dav('DELETE', `${user.calendar}two.ics`);
  for (const path of [user.calendar, user.proposals]) await user.dav('REPORT', path, sync(token));
  return done;
};
