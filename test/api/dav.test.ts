/** CalDAV as calendar programs use it: discovery, credentials, properties, and resources with their preconditions. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { anApp, type TestApp } from '../support/app.ts';
import {
  aDavUser,
  CALENDAR,
  davClient,
  fileOf,
  preconditionsIn,
  responsesIn,
  vevent,
  XML,
  type DavUser,
  parseXml,
} from '../support/dav.ts';
import { weekAhead } from '../support/today.ts';

let app: TestApp;
let user: DavUser;
beforeAll(async () => {
  app = await anApp();
  user = await aDavUser(app);
});
afterAll(() => app.close());

const propfind = (...names: string[]) =>
  `<D:propfind xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav" xmlns:X="urn:x"><D:prop>${names.map((name) => `<${name}/>`).join('')}</D:prop></D:propfind>`;

test('a program finds the calendars from the bare host', async () => {
  for (const method of ['GET', 'PROPFIND']) {
    const answer = await fetch(`${app.url}/.well-known/caldav`, { method, redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([301, '/dav/']);
  }
  // Thunderbird asks there for properties already.
  const asked = await fetch(`${app.url}/.well-known/caldav`, {
    method: 'PROPFIND',
    headers: { ...XML, Depth: '0' },
    body: propfind('D:current-user-principal'),
    redirect: 'manual',
  });
  expect(asked.status).toBe(301);
  const unknown = await fetch(`${app.url}/dav/`, { method: 'PROPFIND' });
  expect(unknown.status).toBe(401);
  expect(unknown.headers.get('www-authenticate')).toMatch(/^Basic realm=/);
  const options = await fetch(`${app.url}/dav/`, { method: 'OPTIONS' });
  expect(options.status).toBe(200);
  expect(options.headers.get('dav')).toBe('1, 3, access-control, calendar-access');
  expect(options.headers.get('allow')).toBe('OPTIONS, GET, HEAD, PUT, DELETE, PROPFIND, PROPPATCH, REPORT');

  const root = await user.dav('PROPFIND', '/dav/', propfind('D:current-user-principal', 'X:unknown'), {
    ...XML,
    Depth: '0',
  });
  expect(root.status).toBe(207);
  const [first] = responsesIn(root.text);
  expect(first?.missing).toEqual(['unknown']);
  const principal = first?.found['current-user-principal']?.children[0]?.text ?? '';
  const about = await user.dav('PROPFIND', principal, propfind('C:calendar-home-set', 'C:calendar-user-address-set'), {
    Depth: '0',
  });
  const found = responsesIn(about.text)[0]?.found ?? {};
  expect(found['calendar-user-address-set']?.children[0]?.text).toBe(`mailto:${user.email}`);
  const home = found['calendar-home-set']?.children[0]?.text ?? '';
  const listed = responsesIn(
    (await user.dav('PROPFIND', home, propfind('D:resourcetype', 'D:displayname'), { Depth: '1' })).text,
  );
  expect(listed.map(({ href }) => href)).toEqual([home, user.calendar, user.proposals]);
  expect(listed[1]?.found['resourcetype']?.children.map(({ name }) => name)).toContain(
    '{urn:ietf:params:xml:ns:caldav}calendar',
  );
});

test('only the e-mail address with an API key of the account opens it', async () => {
  const agentKey = user.agent.token ?? '';
  const feed = (await user.post('/user/keys', { kind: 'feed', label: 'feed' }).expect(201)).body.key;
  const other = await aDavUser(app);
  const statusOf = async (email: string, key: string) =>
    (await davClient(app, email, key)('PROPFIND', '/dav/', undefined, { Depth: '0' })).status;
  expect(await statusOf(user.email.toUpperCase(), user.key)).toBe(207);
  expect(await statusOf(user.email, agentKey)).toBe(207);
  expect(await statusOf(user.email, user.password)).toBe(401);
  expect(await statusOf(user.email, feed)).toBe(401);
  expect(await statusOf(other.email, user.key)).toBe(401);
  expect(await statusOf(user.email, user.token ?? '')).toBe(401);
  expect(await statusOf('', user.key)).toBe(401);
  expect((await fetch(`${app.url}/dav/`, { method: 'PROPFIND', headers: { Authorization: 'Basic !' } })).status).toBe(
    401,
  );
  // A credential for CalDAV opens nothing else as Basic.
  expect((await user.dav('GET', '/user/whoami')).status).toBe(401);
});

test('who the person is, is shown to their own programs and to agents that may read the profile', async () => {
  const person = await aDavUser(app);
  const updates = { display_name: 'Ada Lovelace' };
  await person.patch('/user/update', { user_id: person.user_id, updates }).expect(200);
  const SHOWN = [person.email, updates.display_name];
  const asked = propfind('D:displayname', 'C:calendar-user-address-set', 'D:current-user-principal');
  const principal = `/dav/principals/${person.user_id}`;

  const told = async (dav: DavUser['dav']) => {
    const answer = await dav('PROPFIND', principal, asked, { Depth: '0' });
    expect(answer.status).toBe(207);
    const [{ found, missing }] = responsesIn(answer.text) as [ReturnType<typeof responsesIn>[number]];
    expect(found['current-user-principal']?.children[0]?.text).toBe(`${principal}/`);
    return { texts: SHOWN.filter((text) => answer.text.includes(text)), missing };
  };
  // Programs of the person find these also with a key for the calendar only, whose profile is closed to it.
  for (const scopes of [['calendar:read', 'calendar:write'], ['calendar:read'], ['user:read']])
    expect(await told(await person.with(scopes))).toEqual({ texts: SHOWN, missing: [] });
  expect(await told(await person.with(['user:read'], 'agent'))).toEqual({ texts: SHOWN, missing: [] });
  for (const scopes of [['tempo:read'], ['calendar:read', 'plan:read', 'memory:read', 'export:read', 'debug:read']])
    expect(await told(await person.with(scopes, 'agent'))).toEqual({
      texts: [],
      missing: ['displayname', 'calendar-user-address-set'],
    });

  // Nothing else under /dav says it either, by any address, depth or form of the question.
  const agent = await person.with(['tempo:read', 'calendar:read', 'plan:read'], 'agent');
  const home = `/dav/calendars/${person.user_id}`;
  const ALL = '<D:propfind xmlns:D="DAV:"><D:allprop/></D:propfind>';
  for (const path of ['/', '/dav/', '/dav/principals', principal, home, `${home}/calendar/`, `${home}/agent-plan/`])
    for (const at of [path, `/v1${path}`])
      for (const body of [undefined, asked, ALL])
        for (const Depth of ['0', '1']) {
          const { status, text } = await agent('PROPFIND', at, body, { Depth });
          expect(status).toBe(207);
          for (const shown of SHOWN) expect(text, `${at} ${Depth} ${body}`).not.toContain(shown);
        }
});

test('the privileges are those of the scopes', async () => {
  const privileges = async (dav: DavUser['dav'], path: string) => {
    const answer = await dav('PROPFIND', path, propfind('D:current-user-privilege-set'), { Depth: '0' });
    const set = responsesIn(answer.text)[0]?.found['current-user-privilege-set'];
    return set?.children.map(({ children: [one] }) => one?.name.replace(/^.*\}/, ''));
  };
  expect(await privileges(user.dav, user.calendar)).toEqual(
    expect.arrayContaining(['read', 'write', 'bind', 'unbind']),
  );
  const reader = await user.with(['calendar:read']);
  expect(await privileges(reader, user.calendar)).not.toEqual(expect.arrayContaining(['write']));
  expect(await privileges(user.dav, user.proposals)).not.toContain('bind');
  const listed = await reader('PROPFIND', user.calendar.replace('calendar/', ''), propfind('D:displayname'), {
    Depth: '1',
  });
  expect(responsesIn(listed.text).map(({ href }) => href)).not.toContain(user.proposals);
  const agent = await user.with(['calendar:read', 'plan:read', 'plan:propose'], 'agent');
  expect((await agent('PUT', `${user.calendar}x.ics`, fileOf(...vevent('x')), CALENDAR)).status).toBe(403);
});

const NAMESPACES =
  'xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav" xmlns:A="http://apple.com/ns/ical/" xmlns:X="urn:x"';
const update = (set: string, remove = '') =>
  `<D:propertyupdate ${NAMESPACES}>${set ? `<D:set><D:prop>${set}</D:prop></D:set>` : ''}${remove ? `<D:remove><D:prop>${remove}</D:prop></D:remove>` : ''}</D:propertyupdate>`;
/** The names of properties by status. */
const outcomes = (text: string): Record<string, string[]> =>
  Object.fromEntries(
    [...text.matchAll(/<D:propstat>.*?<\/D:propstat>/gs)].map(([stat]) => [
      /HTTP\/1.1 (\d+)/.exec(stat)?.[1] ?? '',
      [.../<D:prop>(.*)<\/D:prop>/s.exec(stat)![1]!.matchAll(/<(?:\w+:)?([\w-]+)[^>]*\/>/g)].map(
        ([, name]) => name ?? '',
      ),
    ]),
  );

test('what a program sets about how a calendar is shown is kept, and all programs read it', async () => {
  const zone = fileOf('BEGIN:VTIMEZONE', 'TZID:America/New_York', 'END:VTIMEZONE');
  const names = ['D:displayname', 'C:calendar-description', 'C:calendar-timezone', 'C:schedule-calendar-transp'];
  const look = async (dav: DavUser['dav'], path: string) => {
    const body = `<D:propfind ${NAMESPACES}><D:prop><A:calendar-color/><A:calendar-order/>${names.map((name) => `<${name}/>`).join('')}</D:prop></D:propfind>`;
    const found = responsesIn((await dav('PROPFIND', path, body, { Depth: '0' })).text)[0]?.found ?? {};
    return Object.fromEntries(
      Object.entries(found).map(([name, { text, children }]) => [name, children[0]?.name.replace(/^.*\}/, '') ?? text]),
    );
  };
  const before = await look(user.dav, user.calendar);
  expect(before).toMatchObject({ displayname: 'Almanac', 'calendar-color': '#3D49B8FF', 'calendar-order': '0' });
  expect(before['calendar-timezone']).toContain('TZID:Europe/Berlin');
  const set = `<D:displayname>Mine &amp; yours</D:displayname><A:calendar-color symbolic-color="red">#FF2968FF</A:calendar-color><A:calendar-order>7</A:calendar-order><C:calendar-description>Words</C:calendar-description><C:calendar-timezone><![CDATA[${zone}]]></C:calendar-timezone><C:schedule-calendar-transp><C:transparent/></C:schedule-calendar-transp>`;
  const answer = await user.dav('PROPPATCH', user.calendar, update(set), XML);
  expect([answer.status, Object.keys(outcomes(answer.text))]).toEqual([207, ['200']]);
  expect(outcomes(answer.text)['200']).toHaveLength(6);
  const after = await look(await user.with(['calendar:read']), user.calendar);
  expect(after).toMatchObject({
    displayname: 'Mine & yours',
    'calendar-description': 'Words',
    'calendar-color': '#FF2968FF',
    'calendar-order': '7',
    'schedule-calendar-transp': 'transparent',
  });
  expect(after['calendar-timezone']).toContain('TZID:America/New_York');
  // It is a setting of the person, and its change is in the ledger; the same again is no change.
  const { body: profile } = await user.get('/user/profile').expect(200);
  expect(profile.settings.calendars.calendar).toMatchObject({ name: 'Mine & yours', timezone: 'America/New_York' });
  const tag = (await user.get('/user/profile')).headers['etag'];
  expect(tag).toMatch(/^"\d+"$/);
  await user.dav('PROPPATCH', user.calendar, update(set), XML);
  expect((await user.get('/user/profile')).headers['etag']).toBe(tag);
  await user.patch('/user/update', { updates: { execution: 'manual' } }).expect(200);
  expect((await look(user.dav, user.calendar)).displayname).toBe('Mine & yours');
  expect((await look(user.dav, user.proposals)).displayname).toBe('Almanac: proposals');

  const removed = await user.dav('PROPPATCH', user.calendar, update('', '<D:displayname/><A:calendar-color/>'), XML);
  expect(Object.keys(outcomes(removed.text))).toEqual(['200']);
  expect(await look(user.dav, user.calendar)).toMatchObject({ displayname: 'Almanac', 'calendar-color': '#3D49B8FF' });
});

test('a PROPPATCH changes all of its properties or none', async () => {
  const cases: [string, string, object][] = [
    ['<D:displayname>x</D:displayname><D:getetag>1</D:getetag>', '', { 403: ['getetag'], 424: ['displayname'] }],
    ['<D:displayname>x</D:displayname>', '<X:other/>', { 403: ['other'], 424: ['displayname'] }],
    ['<A:calendar-color>red</A:calendar-color>', '', { 409: ['calendar-color'] }],
    ['<A:calendar-order>first</A:calendar-order>', '', { 409: ['calendar-order'] }],
    [`<D:displayname>${'x'.repeat(201)}</D:displayname>`, '', { 409: ['displayname'] }],
    ['<C:calendar-timezone>Berlin</C:calendar-timezone>', '', { 409: ['calendar-timezone'] }],
    ['<C:schedule-calendar-transp/>', '', { 409: ['schedule-calendar-transp'] }],
  ];
  const version = async () => (await user.get('/user/profile').expect(200)).headers['etag'];
  const before = await version();
  for (const [set, remove, expected] of cases) {
    const answer = await user.dav('PROPPATCH', user.calendar, update(set, remove), XML);
    expect([answer.status, outcomes(answer.text)], set.slice(0, 60)).toEqual([207, expected]);
  }
  const home = user.calendar.replace('calendar/', '');
  expect(outcomes((await user.dav('PROPPATCH', home, update('<D:displayname>x</D:displayname>'), XML)).text)).toEqual({
    403: ['displayname'],
  });
  for (const dav of [await user.with(['calendar:read']), await user.with(['calendar:read'], 'agent')])
    expect((await dav('PROPPATCH', user.calendar, update('<D:displayname>x</D:displayname>'), XML)).status).toBe(403);
  expect(await version()).toBe(before);
});

test('name, color and transparency of a source are fields of the source', async () => {
  const { body: source } = await user
    .post('/calendar/sources', { url: 'http://127.0.0.1:9/x.ics', name: 'Theirs' })
    .expect(201);
  const path = `${user.calendar.replace('calendar/', '')}source-${source.id}/`;
  const set =
    '<D:displayname>Holidays</D:displayname><A:calendar-color>#00FF00FF</A:calendar-color><A:calendar-order>3</A:calendar-order><C:schedule-calendar-transp><C:transparent/></C:schedule-calendar-transp>';
  expect(Object.keys(outcomes((await user.dav('PROPPATCH', path, update(set), XML)).text))).toEqual(['200']);
  const [listed] = (await user.get('/calendar/sources').expect(200)).body;
  expect(listed).toMatchObject({ name: 'Holidays', color: '#00FF00', busy: false });
  const id = `source-${source.id}`;
  const looks = async () => (await user.get('/user/profile').expect(200)).body.settings.calendars ?? {};
  expect((await looks())[id]).toEqual({ order: 3 });
  // What belongs to a calendar that is gone is forgotten with the next change.
  await user.delete(`/calendar/sources?id=${source.id}`).expect(200);
  await user.dav('PROPPATCH', user.calendar, update('<A:calendar-order>1</A:calendar-order>'), XML);
  expect(await looks()).not.toHaveProperty(id);
});

test('depth infinity is refused, and so are other methods', async () => {
  for (const headers of [{ Depth: 'infinity' }, undefined]) {
    const answer = await user.dav('PROPFIND', user.calendar, undefined, headers);
    expect(answer.status).toBe(403);
    expect(preconditionsIn(answer.text)).toContain('propfind-finite-depth');
  }
  for (const method of ['MKCALENDAR', 'LOCK', 'ACL', 'MOVE', 'COPY'])
    expect((await user.dav(method, user.calendar.replace('calendar/', 'new/'))).status).toBe(405);
});

test('a resource is written, read, replaced and removed under its conditions', async () => {
  const path = `${user.calendar}my%40name.ics`;
  const put = (file: string, headers: Record<string, string> = {}) =>
    user.dav('PUT', path, file, { ...CALENDAR, ...headers });
  const created = await put(fileOf(...vevent('one@example.org', 'X-FOO;VALUE=TEXT:a,b')), { 'If-None-Match': '*' });
  expect(created.status).toBe(201);
  expect(created.headers.get('etag')).toBeNull(); // GET gives other bytes
  expect((await put(fileOf(...vevent('one@example.org')), { 'If-None-Match': '*' })).status).toBe(412);

  const read = await user.dav('GET', `${user.calendar}my@name.ics`);
  const etag = read.headers.get('etag') ?? '';
  expect(read.status).toBe(200);
  expect(read.text).toContain('X-FOO;VALUE=TEXT:a,b\r\n');
  expect(read.headers.get('content-length')).toBe(String(Buffer.byteLength(read.text)));
  expect((await user.dav('GET', path, undefined, { 'If-None-Match': etag })).status).toBe(304);
  const head = await user.dav('HEAD', path);
  expect([head.status, head.headers.get('etag'), head.text]).toEqual([200, etag, '']);

  const same = await put(read.text, { 'If-Match': etag });
  expect([same.status, same.headers.get('etag')]).toEqual([204, etag]);
  expect((await put(fileOf(...vevent('one@example.org', 'SUMMARY:Other')), { 'If-Match': '"0"' })).status).toBe(412);
  expect((await put(fileOf(...vevent('one@example.org', 'SUMMARY:Other')), { 'If-Match': etag })).status).toBe(204);
  const after = await user.dav('GET', path);
  expect(after.text).toContain('SUMMARY:Other');
  expect(after.text).not.toContain('X-FOO');
  expect((await user.dav('DELETE', path, undefined, { 'If-Match': etag })).status).toBe(412);
  expect((await user.dav('DELETE', path, undefined, { 'If-Match': after.headers.get('etag') ?? '' })).status).toBe(204);
  expect((await user.dav('GET', path)).status).toBe(404);
  expect((await user.dav('DELETE', path)).status).toBe(404);
  // The same event again, under another name.
  expect(
    (await user.dav('PUT', `${user.calendar}again.ics`, fileOf(...vevent('one@example.org')), CALENDAR)).status,
  ).toBe(201);
  expect((await user.dav('GET', path)).status).toBe(404);
});

test('PUT replaces: overrides that are left out are gone, whatever the SEQUENCE', async () => {
  const path = `${user.calendar}series.ics`;
  const master = vevent('series', 'RRULE:FREQ=DAILY;COUNT=5', 'SEQUENCE:7');
  const moved = vevent(
    'series',
    'RECURRENCE-ID:20261204T140000Z',
    'DTSTART:20261204T160000Z',
    'SUMMARY:Moved',
    'SEQUENCE:7',
  );
  expect((await user.dav('PUT', path, fileOf(...master, ...moved), CALENDAR)).status).toBe(201);
  expect((await user.dav('GET', path)).text.match(/BEGIN:VEVENT/g)).toHaveLength(2);
  // A change by REST keeps name, UID and other properties, and gives a new tag.
  const before = (await user.dav('GET', path)).headers.get('etag');
  await user.patch('/calendar/edit', { uid: 'series', updates: { location: 'Here' }, scope: 'all' }).expect(200);
  const edited = await user.dav('GET', path);
  expect(edited.headers.get('etag')).not.toBe(before);
  expect(edited.text).toContain('LOCATION:Here');
  expect(edited.text).toContain('SUMMARY:Moved');
  const again = fileOf(...vevent('series', 'RRULE:FREQ=DAILY;COUNT=5', 'SEQUENCE:0'));
  expect((await user.dav('PUT', path, again, CALENDAR)).status).toBe(204);
  const after = (await user.dav('GET', path)).text;
  expect(after.match(/BEGIN:VEVENT/g)).toHaveLength(1);
  expect(after).not.toContain('LOCATION');
});

test('the zone of an end stays until the event gets another zone', async () => {
  const path = `${user.calendar}flight.ics`;
  const flight = vevent(
    'flight',
    'DTSTART;TZID=America/New_York:20261208T180000',
    'DTEND;TZID=Europe/London:20261209T060000',
    'RRULE:FREQ=WEEKLY;COUNT=3',
  );
  const ends = async () => (await user.dav('GET', path)).text.match(/^DTEND.*$/gm)?.map((line) => line.trim());
  const edit = (changes: Record<string, unknown>) => user.patch('/calendar/edit', { uid: 'flight', ...changes });
  expect((await user.dav('PUT', path, fileOf(...flight), CALENDAR)).status).toBe(201);
  expect(await ends()).toEqual(['DTEND;TZID=Europe/London:20261209T060000']);
  // An override inherits it, and each has the exact length.
  await edit({ recurrence_id: '2026-12-15T23:00:00.000Z', scope: 'this', updates: { location: 'Gate 2' } }).expect(200);
  expect(await ends()).toEqual([
    'DTEND;TZID=Europe/London:20261209T060000',
    'DTEND;TZID=Europe/London:20261216T060000',
  ]);
  await edit({ scope: 'all', updates: { timezone: 'America/Chicago' } }).expect(200);
  const inChicago: unknown = expect.stringMatching(/^DTEND;TZID=America\/Chicago:/);
  expect(await ends()).toEqual([inChicago, inChicago]);
});

test('PUT leaves out a moved occurrence that a newer version of its series has removed', async () => {
  const path = `${user.calendar}removed-after.ics`;
  const master = vevent('removed-after', 'RRULE:FREQ=DAILY;COUNT=2', 'EXDATE:20261202T140000Z', 'SEQUENCE:2');
  const moved = (sequence: number) =>
    vevent('removed-after', 'RECURRENCE-ID:20261202T140000Z', 'SUMMARY:Moved', `SEQUENCE:${sequence}`);
  expect((await user.dav('PUT', path, fileOf(...master, ...moved(1)), CALENDAR)).status).toBe(201);
  expect((await user.dav('GET', path)).text).not.toContain('Moved');
  expect((await user.dav('PUT', path, fileOf(...master, ...moved(3)), CALENDAR)).status).toBe(204);
  expect((await user.dav('GET', path)).text).toContain('Moved');
});

test('an event whose usual name a program gave to another file has a name of its own', async () => {
  const at = (name: string) => `${user.calendar}${name}.ics`;
  expect((await user.dav('PUT', at('clash'), fileOf(...vevent('has-it')), CALENDAR)).status).toBe(201);
  const event = { uid: 'clash', title: 'By REST', scheduled_for: '2026-12-03T10:00', duration_minutes: 30 };
  await user.post('/calendar/create', event).expect(201);
  const listed = responsesIn(
    (await user.dav('PROPFIND', user.calendar, propfind('D:getetag'), { Depth: '1' })).text,
  ).map(({ href }) => href);
  expect(new Set(listed).size).toBe(listed.length);
  expect((await user.dav('GET', at('clash'))).text).toContain('UID:has-it');
  const texts = await Promise.all(listed.slice(1).map(async (href) => (await user.dav('GET', href)).text));
  expect(texts.filter((text) => text.includes('UID:clash\r\n'))).toHaveLength(1);
  // A file is given no name that an event has.
  await user.post('/calendar/create', { ...event, uid: 'first' }).expect(201);
  const second = await user.dav('PUT', at('first'), fileOf(...vevent('other')), CALENDAR);
  expect([second.status, preconditionsIn(second.text)[0]]).toEqual([403, 'no-uid-conflict']);
});

test('a series with a name of its own is split, by a person and by a plan', async () => {
  const singer = await aDavUser(app);
  const own = `${singer.calendar}split-name.ics`;
  const first = weekAhead(1).replaceAll('-', '');
  const rule = [`DTSTART:${first}T090000Z`, `DTEND:${first}T094500Z`, 'RRULE:FREQ=WEEKLY;BYDAY=TU'];
  const lines = ['BEGIN:VEVENT', 'UID:named', 'DTSTAMP:20261101T000000Z', 'SUMMARY:Choir', ...rule, 'END:VEVENT'];
  expect((await singer.dav('PUT', own, fileOf(...lines), CALENDAR)).status).toBe(201);
  const target_event_uid = 'named';
  const which = (at: string) => ({ recurrence_id: `${at}T09:00:00.000Z`, scope: 'following' });
  const updates = { title: 'Choir at home' };
  const edit = { uid: target_event_uid, ...which(weekAhead(36)), updates };
  const { body: byPerson } = await singer.patch('/calendar/edit', edit).expect(200);
  const move = { scheduled_for: `${weekAhead(22)}T11:00:00.000Z`, arguments: which(weekAhead(22)) };
  const actions = [{ action_type: 'reschedule', title: 'Later', target_event_uid, ...move }];
  const [{ uid }] = (await singer.agent.post('/agent/plan', { actions }).expect(200)).body;
  const { body: byPlan } = await singer.post('/agent/approve', { uid }).expect(200);
  expect(byPlan.status).toBe('executed');
  const names = [own, ...[byPerson.uid, byPlan.linked_event_uid].map((one) => `${singer.calendar}${one}.ics`)];
  for (const name of names) expect((await singer.dav('GET', name)).text).toContain('RRULE:');
});

test('what is no single event is refused with the precondition of the RFC', async () => {
  const put = async (name: string, file: string, headers: Record<string, string> = CALENDAR) => {
    const answer = await user.dav('PUT', `${user.calendar}${name}.ics`, file, headers);
    return [answer.status, answer.status === 403 ? preconditionsIn(answer.text)[0] : null];
  };
  await put('taken', fileOf(...vevent('taken')));
  expect(await put('bad', 'no calendar')).toEqual([403, 'valid-calendar-data']);
  expect(await put('bad', '')).toEqual([403, 'valid-calendar-data']);
  expect(await put('bad', fileOf(...vevent('x', 'DTSTART:soon')))).toEqual([403, 'valid-calendar-data']);
  expect(await put('bad', fileOf(...vevent('x', 'DTEND:soon')))).toEqual([403, 'valid-calendar-data']);
  expect(await put('bad', fileOf())).toEqual([403, 'valid-calendar-object-resource']);
  expect(await put('bad', fileOf(...vevent('x'), ...vevent('y')))).toEqual([403, 'valid-calendar-object-resource']);
  expect(await put('bad', fileOf('BEGIN:VTODO', 'UID:t', 'SUMMARY:x', 'END:VTODO'))).toEqual([
    403,
    'supported-calendar-component',
  ]);
  expect(await put('second-name', fileOf(...vevent('taken')))).toEqual([403, 'no-uid-conflict']);
  expect(await put('taken', fileOf(...vevent('another-uid')))).toEqual([403, 'no-uid-conflict']);
  expect((await put('large', 'x'.repeat(1_100_000)))[0]).toBe(413);
  expect((await user.dav('GET', `${user.calendar}bad.ics`)).status).toBe(404);
});

test('a chunked body of any type of content is read', async () => {
  const bytes = new TextEncoder().encode(fileOf(...vevent('chunked')));
  const body = new ReadableStream({
    start: (controller) => {
      for (let at = 0; at < bytes.length; at += 50) controller.enqueue(bytes.slice(at, at + 50));
      controller.close();
    },
  });
  const Authorization = `Basic ${Buffer.from(`${user.email}:${user.key}`).toString('base64')}`;
  const init = { method: 'PUT', headers: { Authorization }, body, duplex: 'half' } as RequestInit;
  expect((await fetch(`${app.url}${user.calendar}chunked.ics`, init)).status).toBe(201);
});

test('XML with a document type, with entities, too deep or broken is a 4xx', async () => {
  const bodies = [
    '<!DOCTYPE x [<!ENTITY a "b">]><D:propfind xmlns:D="DAV:"><D:allprop/></D:propfind>',
    '<D:propfind xmlns:D="DAV:">&undefined;</D:propfind>',
    '<a>'.repeat(200_000),
    `${'<a>'.repeat(100)}${'</a>'.repeat(100)}`,
    '<D:propfind xmlns:D="DAV:">',
    '<D:propfind/>',
    'no xml',
    '<propfind xmlns="DAV:"><prop><a b="1" b="2"/></prop></propfind>',
  ];
  for (const body of bodies)
    for (const method of ['PROPFIND', 'REPORT', 'PROPPATCH']) {
      const { status } = await user.dav(method, user.calendar, body, { ...XML, Depth: '0' });
      expect(status, `${method} ${body.slice(0, 40)}`).toBeGreaterThanOrEqual(400);
      expect(status, `${method} ${body.slice(0, 40)}`).toBeLessThan(500);
    }
  expect(() => parseXml('<a>\u0000</a>')).toThrow();
});

test('another person’s calendars do not exist', async () => {
  const other = await aDavUser(app);
  for (const method of ['PROPFIND', 'GET', 'PUT', 'DELETE', 'REPORT'])
    expect(
      (
        await other.dav(method, `${user.calendar}taken.ics`, /^(GET|DELETE)$/.test(method) ? undefined : '<a/>', {
          Depth: '0',
        })
      ).status,
    ).toBe(404);
});
