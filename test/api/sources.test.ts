/** Calendar sources: what is read, what changes when the file changes, and what stays when reading fails. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anApp, aUser, aKey, type Client, type TestUser } from '../support/app.ts';
import { aCalendarServer, calendarOf, vevent, type CalendarServer } from '../support/calendar-server.ts';

const app = await anApp();
let server: CalendarServer;
beforeAll(async () => {
  server = await aCalendarServer();
});
afterAll(async () => {
  server.close();
  await app.close();
});

/** A person with a key, since a login would expire when the clock moves, and their agent. */
const aPerson = async () => {
  const user = await aUser(app);
  return { ...user, ...(await aKey(app, user, 'user')) };
};

let paths = 0;
const aPath = (): string => `/calendar-${(paths += 1)}.ics`;
/** A minute, so that what is due is read. */
const settle = async (minutes = 0): Promise<void> => {
  app.clock.advance(minutes * 60_000);
  await app.services.calendar.sourceRefresh.settle();
};
type Shown = { id: string; status: string; events: number; unread: number; last_error: string | null; url: string };
const subscribe = async (who: Client, path: string, more: object = {}): Promise<Shown> => {
  const { body } = await who
    .post('/calendar/sources', { url: server.at(path), name: 'Work', refresh_minutes: 60, ...more })
    .expect(201);
  await settle();
  return body;
};
const stateOf = async (who: Client, id: string) =>
  (await who.get('/calendar/sources').expect(200)).body.find((one: Shown) => one.id === id);
type Listed = {
  uid: string;
  title: string;
  scheduled_for: string;
  source_uid?: string;
  busy: boolean;
  version: number;
};
const listed = async (who: Client, start = '2026-11-01', end = '2027-02-28'): Promise<Listed[]> =>
  (await who.get(`/calendar/events?start=${start}&end=${end}&limit=1000`).expect(200)).body;
const titles = async (who: Client): Promise<string[]> => (await listed(who)).map(({ title }) => title);
const at = (time: string, title: string, more: Record<string, string> = {}): Record<string, string> => ({
  DTSTART: time,
  DURATION: 'PT30M',
  SUMMARY: title,
  ...more,
});

describe('a calendar as Google serves it', () => {
  let user: TestUser;
  let id: string;
  const path = aPath();
  let events: [string, Record<string, string>][] = [
    ['a', at('20261201T090000Z', 'Stand-up', { RRULE: 'FREQ=DAILY;COUNT=3' })],
    ['b', at('20261210T090000Z', 'Review')],
  ];

  test('is read at once, and its events belong to it', async () => {
    user = await aPerson();
    server.playGoogle(path, () => events);
    const made = await subscribe(user, path, { color: '#3366cc' });
    id = made.id;
    expect(made).toMatchObject({ status: 'new', url: server.at(path), color: '#3366cc' });
    expect(await titles(user)).toEqual(['Stand-up', 'Stand-up', 'Stand-up', 'Review']);
    expect((await listed(user)).every(({ source_uid }) => source_uid === id)).toBe(true);
    const shown = await stateOf(user, id);
    expect(shown).toMatchObject({ status: 'ok', events: 2, unread: 0, failing_since: null, last_error: null });
    expect(shown.url).toBe(`${new URL(server.at('/')).origin}/…`);
  });

  test('that has not changed changes nothing, although each answer has other DTSTAMPs', async () => {
    const before = (await user.get('/agent/changes?after=0')).body.seq;
    await settle(61);
    expect(server.asked.filter((one) => one.path === path)).toHaveLength(2);
    expect((await user.get('/agent/changes?after=0')).body.seq).toBe(before);
  });

  test('is followed: changed, added, gone', async () => {
    const [standUp] = events as [(typeof events)[0]];
    events = [standUp, ['c', at('20261211T090000Z', 'Retro')]];
    await settle(61);
    expect(await titles(user)).toEqual(['Stand-up', 'Stand-up', 'Stand-up', 'Retro']);
    // The file decides, whatever its SEQUENCE says, and what it no longer says about the series is gone.
    events = [['a', at('20261201T100000Z', 'Stand-up', { RRULE: 'FREQ=DAILY;COUNT=2' })]];
    await settle(61);
    expect((await listed(user)).map(({ scheduled_for }) => scheduled_for)).toEqual([
      '2026-12-01T10:00:00.000Z',
      '2026-12-02T10:00:00.000Z',
    ]);
    expect(await stateOf(user, id)).toMatchObject({ events: 1, status: 'ok' });
  });

  test('keeps the history of what is gone', async () => {
    const before = await user.get('/calendar/events?start=2026-12-10&end=2026-12-10&as_of=8').expect(200);
    expect(before.body.map((one: Listed) => one.title)).toEqual(['Review']);
    expect((await user.get('/debug/audit').expect(200)).body).toMatchObject({ ok: true });
  });

  test('cannot be changed here, by nobody', async () => {
    const [one] = (await listed(user)) as [Listed];
    const { uid } = one;
    const updates = { title: 'Mine' };
    for (const sent of [
      user.patch('/calendar/edit', { uid, updates }),
      user.patch('/calendar/edit', { uid, updates, scope: 'this', recurrence_id: one.scheduled_for }),
      user.delete(`/calendar/remove?uid=${uid}`),
    ])
      expect((await sent.expect(409)).body).toMatchObject({ code: 'source_event', source_uid: id });
    const writer = await aKey(app, user, 'user', ['calendar:write']);
    const unread = await writer.delete(`/calendar/remove?uid=${uid}`).expect(409);
    expect(unread.body).toMatchObject({ code: 'source_event', source_uid: id });
    expect(unread.text).not.toContain('Stand-up');
    const action = {
      action_type: 'reschedule',
      title: 'Later',
      target_event_uid: uid,
      scheduled_for: '2026-12-20T10:00',
    };
    const { body } = await user.agent.post('/agent/plan', { actions: [action] }).expect(409);
    expect(body).toMatchObject({ code: 'source_event', source_uid: id });
    const file = calendarOf(vevent(uid, at('20261201T120000Z', 'Mine', { SEQUENCE: '9' })));
    const imported = await user.post('/calendar/import').set('Content-Type', 'text/calendar').send(file).expect(422);
    expect(imported.body.components[0]).toMatchObject({ outcome: 'failed', reason: expect.stringContaining('source') });
    const chat = await user.post('/chat/respond', { prompt: 'Move the stand-up to 2026-12-20 at 10:00' }).expect(200);
    expect(chat.body).toMatchObject({ plans: [], reply: expect.stringContaining('belongs to a calendar source') });
    expect((await listed(user))[0]).toMatchObject({ version: one.version, title: 'Stand-up' });
  });

  test('is left out of feeds and exports of the calendar, and is in its free and busy time', async () => {
    await user.post('/calendar/create', { title: 'Mine', scheduled_for: '2026-12-03T09:00Z', duration_minutes: 30 });
    const exported = (await user.get('/calendar/export.ics').expect(200)).text;
    expect(exported).toContain('SUMMARY:Mine');
    expect(exported).not.toContain('Stand-up');
    const { key } = (await user.post('/user/keys', { kind: 'feed', label: 'feed' })).body;
    const feed = (await user.get(`/calendar/feed.ics?key=${key}`).expect(200)).text;
    expect(feed).toContain('SUMMARY:Mine');
    expect(feed).not.toContain('Stand-up');
    const { body } = await user.get('/calendar/freebusy?start=2026-12-01&end=2026-12-01').expect(200);
    expect(body.busy).toEqual([{ start: '2026-12-01T10:00:00.000Z', end: '2026-12-01T10:30:00.000Z' }]);
  });

  test('goes with its events when it is removed', async () => {
    await user.delete(`/calendar/sources?id=${id}`).expect(200);
    expect(await titles(user)).toEqual(['Mine']);
    await user.delete(`/calendar/sources?id=${id}`).expect(404);
    expect((await user.get('/debug/audit').expect(200)).body).toMatchObject({ ok: true });
  });
});

describe('a calendar as Outlook publishes it', () => {
  test('is asked with its ETag, and answers 304', async () => {
    const user = await aPerson();
    const path = aPath();
    let state = { tag: '"1"', body: calendarOf(vevent('a', at('20261201T090000Z', 'One'))) };
    server.playOutlook(path, () => state);
    const { id } = await subscribe(user, path);
    await settle(61);
    const [first, second] = server.asked.filter((one) => one.path === path);
    expect(first?.headers).not.toHaveProperty('if-none-match');
    expect(second).toMatchObject({ status: 304, headers: { 'if-none-match': '"1"' } });
    expect(second?.headers['if-modified-since']).toBe('Sat, 21 Nov 2026 09:00:00 GMT');
    expect(await stateOf(user, id)).toMatchObject({ status: 'ok', events: 1 });
    state = { tag: '"2"', body: calendarOf(vevent('a', at('20261201T090000Z', 'Two'))) };
    await settle(61);
    expect(await titles(user)).toEqual(['Two']);
    // Another busy concerns events that have not changed at the source, so the whole file is read.
    await user.patch('/calendar/sources', { id, updates: { busy: false } }).expect(200);
    await settle();
    expect((await listed(user)).map(({ busy }) => busy)).toEqual([false]);
  });
});

describe('a broken calendar', () => {
  let user: TestUser;
  let id: string;
  const path = aPath();
  const whole = calendarOf(vevent('a', at('20261201T090000Z', 'One')), vevent('b', at('20261202T090000Z', 'Two')));
  beforeAll(async () => {
    user = await aPerson();
    server.play(path, whole);
    ({ id } = await subscribe(user, path));
  });

  test.each<[string, Parameters<CalendarServer['play']>[1], string]>([
    ['is gone (404)', () => ({ status: 404 }), 'The server answered 404.'],
    ['is gone (410)', () => ({ status: 410 }), 'The server answered 410.'],
    ['fails (500)', () => ({ status: 500, body: whole }), 'The server answered 500.'],
    ['asks for a password', () => ({ status: 401 }), 'The server answered 401.'],
    ['is a page to log in', () => ({ body: '<html>Log in</html>' }), 'The answer is not a whole iCalendar file.'],
    ['is empty', () => ({ body: '' }), 'The answer is not a whole iCalendar file.'],
    ['is cut off', () => ({ body: whole.slice(0, -60) }), 'The answer is not a whole iCalendar file.'],
    [
      'answers 304 unasked',
      () => ({ status: 304 }),
      'The server answered 304, although it was asked for the whole file.',
    ],
    [
      'is compressed unasked',
      () => ({ headers: { 'Content-Encoding': 'gzip' }, body: whole }),
      'The answer is compressed, although that was not asked for.',
    ],
    [
      'redirects to a private network',
      () => ({ status: 302, headers: { Location: 'https://10.0.0.1/x.ics' } }),
      'The address must not name an address that is not public.',
    ],
    [
      'redirects to the metadata of the machine',
      () => ({ status: 302, headers: { Location: 'http://169.254.169.254/' } }),
      'The address must not name an address that is not public.',
    ],
    [
      'redirects in a circle',
      () => ({ status: 302, headers: { Location: path } }),
      'The server redirects more than 5 times.',
    ],
    [
      'is larger than 16 MiB',
      () => ({ body: Buffer.alloc(16 * 1024 * 1024 + 1, 'x') }),
      'The answer is larger than 16384 KiB.',
    ],
    [
      'loses its connection',
      (_q, response) => void response.socket?.destroy(),
      'The connection failed (ECONNRESET). The server closed the connection before it had answered.',
    ],
  ])('%s: its events stay, and it says why', async (_what, play, reason) => {
    server.play(path, play);
    await user.post('/calendar/sources/refresh', { id }).expect(202);
    await settle();
    const state = await stateOf(user, id);
    expect(state).toMatchObject({ status: 'failing', last_error: reason, events: 2 });
    expect(await titles(user)).toEqual(['One', 'Two']);
  });

  test('is read again with growing pauses, and says since when it fails', async () => {
    const since = (await stateOf(user, id)).failing_since;
    const asked = () => server.asked.filter((one) => one.path === path).length;
    server.play(path, () => ({ status: 503 }));
    await user.post('/calendar/sources/refresh', { id }).expect(202);
    await settle();
    const state = await stateOf(user, id);
    expect(state.failing_since).toBe(since);
    const pause = (Date.parse(state.refresh_at) - app.clock.millis()) / 60_000;
    expect(pause).toBe(Math.min(2 ** (state.failures - 1), 24 * 60));
    const before = asked();
    await settle(pause - 1);
    expect(asked()).toBe(before);
    await settle(1);
    expect(asked()).toBe(before + 1);
    server.play(path, whole);
    await user.post('/calendar/sources/refresh', { id }).expect(202);
    await settle();
    expect(await stateOf(user, id)).toMatchObject({ status: 'ok', failing_since: null, failures: 0, last_error: null });
  });

  test('that says less about an event keeps what cannot be read', async () => {
    const bad = vevent('b', { DTSTART: 'never', SUMMARY: 'Two' });
    server.play(path, calendarOf(vevent('a', at('20261201T090000Z', 'One!')), bad));
    await user.post('/calendar/sources/refresh', { id }).expect(202);
    await settle();
    expect(await titles(user)).toEqual(['One!', 'Two']);
    expect(await stateOf(user, id)).toMatchObject({ status: 'ok', unread: 1, events: 2 });
  });

  test('says why, in 20 bounded texts', async () => {
    const bad = Array.from({ length: 30 }, (_, n) => vevent(`bad-${n}`, { DTSTART: `never${'x'.repeat(600)}` }));
    const odd = vevent('odd', { ...at('20261201T090000Z', 'One'), 'DTSTART;TZID=Nowhere/Nothing': '20261201T090000' });
    server.play(
      path,
      calendarOf(odd.replace('DTSTART:20261201T090000Z\r\n', ''), vevent('b', { DTSTART: 'never' }), ...bad),
    );
    await user.post('/calendar/sources/refresh', { id }).expect(202);
    await settle();
    const { unread, unread_components, warnings } = await stateOf(user, id);
    expect(unread).toBe(31);
    expect(unread_components).toHaveLength(20);
    expect(unread_components[0]).toMatchObject({ uid: 'b', reason: expect.stringContaining('never') });
    expect(unread_components[0].line).toBeGreaterThan(3);
    expect(unread_components.every(({ reason }: { reason: string }) => reason.length <= 501)).toBe(true);
    expect(warnings).toMatchObject([{ uid: 'odd', reason: expect.stringContaining('Nowhere/Nothing') }]);
  });

  test('that shrinks to nothing removes its events', async () => {
    server.play(path, calendarOf());
    await user.post('/calendar/sources/refresh', { id }).expect(202);
    await settle();
    expect(await titles(user)).toEqual([]);
  });
});

describe('a source', () => {
  test('displaces an agent’s block, whose plan is proposed again', async () => {
    const user = await aPerson();
    const action = { action_type: 'schedule', title: 'Write', scheduled_for: '2026-12-01T10:00', duration_minutes: 60 };
    const [plan] = (await user.agent.post('/agent/plan', { actions: [action] }).expect(200)).body;
    await user.post('/agent/approve', { uid: plan.uid }).expect(200);
    const path = aPath();
    server.play(path, calendarOf(vevent('a', at('20261201T091500Z', 'Dentist'))));
    await subscribe(user, path);
    expect(await titles(user)).toEqual(['Dentist']);
    const queue = (await user.get('/agent/queue').expect(200)).body;
    expect(queue).toMatchObject([
      { title: 'Write', status: 'proposed', reasoning: expect.stringContaining('Dentist') },
    ]);
    // An agent cannot plan into it either.
    const again = await user.agent.post('/agent/plan', { actions: [{ ...action, title: 'Read' }] }).expect(200);
    expect(again.body[0]).toMatchObject({ status: 'rejected', decision: { code: 'slot:blocked' } });
  });

  test('with busy: false takes no time', async () => {
    const user = await aPerson();
    const path = aPath();
    const holiday = { 'DTSTART;VALUE=DATE': '20261225', SUMMARY: 'Christmas' };
    const series = vevent('b', at('20261201T090000Z', 'Open', { RRULE: 'FREQ=DAILY;COUNT=2' }));
    const moved = vevent(
      'b',
      at('20261202T110000Z', 'Open', { 'RECURRENCE-ID': '20261202T090000Z', TRANSP: 'OPAQUE' }),
    );
    server.play(path, calendarOf(vevent('a', holiday), series, moved));
    await subscribe(user, path, { busy: false });
    expect(await titles(user)).toEqual(['Open', 'Open', 'Christmas']);
    const { body } = await user.get('/calendar/freebusy?start=2026-12-01&end=2026-12-31').expect(200);
    expect(body.busy).toEqual([]);
  });

  test('keeps its UIDs apart from those of other sources and of the person', async () => {
    const user = await aPerson();
    const [one, two] = [aPath(), aPath()];
    server.play(one, calendarOf(vevent('same', at('20261201T090000Z', 'Of one'))));
    server.play(two, calendarOf(vevent('same', at('20261202T090000Z', 'Of two'))));
    const own = { uid: 'same', title: 'Own', scheduled_for: '2026-12-03T09:00Z', duration_minutes: 30 };
    await user.post('/calendar/create', own).expect(201);
    const { id } = await subscribe(user, one);
    await subscribe(user, two);
    expect(await titles(user)).toEqual(['Of one', 'Of two', 'Own']);
    await user.delete(`/calendar/sources?id=${id}`).expect(200);
    expect(await titles(user)).toEqual(['Of two', 'Own']);
  });

  test('follows redirects to the calendar', async () => {
    const user = await aPerson();
    const [from, to] = [aPath(), aPath()];
    server.play(from, () => ({ status: 301, headers: { Location: to } }));
    server.play(to, calendarOf(vevent('a', at('20261201T090000Z', 'There'))));
    await subscribe(user, from);
    expect(await titles(user)).toEqual(['There']);
  });

  test('shows its address once, also not in the ledger, and agents see the host alone', async () => {
    const user = await aPerson();
    const path = '/private-0123456789abcdef/basic.ics';
    server.play(path, calendarOf(vevent('a', at('20261201T090000Z', 'One'))));
    const { id } = await subscribe(user, path);
    await user.patch('/calendar/sources', { id, updates: { name: 'Home', url: server.at(path) } }).expect(200);
    await settle();
    const key = await aKey(app, user, 'user');
    const everything = [
      (await user.get('/calendar/sources').expect(200)).text,
      (await user.agent.get('/calendar/sources').expect(200)).text,
      (await key.get('/memory/pull?limit=1000').expect(200)).text,
      (await key.get(`/memport/export?user_id=me&export_format=full&include=traces,events,profile`)).text,
      JSON.stringify(
        (await app.database.handle.query('select payload from ledger where user_id = $1', [user.user_id])).rows,
      ),
    ];
    for (const text of everything) expect(text).not.toContain('private-0123456789abcdef');
    expect(everything[0]).toContain('Home');
    for (const sent of [
      user.agent.post('/calendar/sources', { url: server.at(path), name: 'x' }),
      user.agent.patch('/calendar/sources', { id, updates: { name: 'x' } }),
      user.agent.delete(`/calendar/sources?id=${id}`),
      user.agent.post('/calendar/sources/refresh', { id }),
    ])
      expect((await sent.expect(403)).body).toMatchObject({ missing: ['calendar:write'] });
  });

  test.each([
    ['https://10.0.0.1/x.ics', 'must not name an address that is not public'],
    ['webcal://me:secret@example.org/x.ics', 'must not contain a user name or a password'],
    ['file:///etc/passwd', 'must be a URL that begins with https://'],
  ])('is refused at %s', async (url, message) => {
    const user = await aPerson();
    const { body } = await user.post('/calendar/sources', { url, name: 'x' }).expect(422);
    expect(body.errors).toEqual([{ path: '/url', code: 'url_refused', message }]);
  });

  test('is read by one of several instances', async () => {
    const second = await anApp({ database: app.database, clock: app.clock });
    try {
      const user = await aPerson();
      const path = aPath();
      server.play(path, calendarOf(vevent('a', at('20261201T090000Z', 'One'))));
      await subscribe(user, path);
      app.clock.advance(61 * 60_000);
      const before = server.asked.filter((one) => one.path === path).length;
      await Promise.all([app, second].map((one) => one.services.calendar.sourceRefresh.settle()));
      expect(server.asked.filter((one) => one.path === path)).toHaveLength(before + 1);
    } finally {
      await second.close();
    }
  });

  test('that is removed while it is read leaves nothing', async () => {
    const user = await aPerson();
    const path = aPath();
    const { promise: reached, resolve } = Promise.withResolvers<() => void>();
    server.play(path, (_request, response) => {
      resolve(() => response.end(calendarOf(vevent('a', at('20261201T090000Z', 'Late')))));
      return 'silent';
    });
    const { id } = (await user.post('/calendar/sources', { url: server.at(path), name: 'x' }).expect(201)).body;
    const reading = settle();
    const answer = await reached;
    await user.delete(`/calendar/sources?id=${id}`).expect(200);
    answer();
    await reading;
    expect(await titles(user)).toEqual([]);
  });

  test('of 2,000 events is read in parts, while the person goes on', async () => {
    const user = await aPerson();
    const path = aPath();
    const many = Array.from({ length: 2_000 }, (_, i) =>
      vevent(
        `many-${i}`,
        at(`202612${String(1 + (i % 28)).padStart(2, '0')}T${String(i % 24).padStart(2, '0')}0000Z`, `Event ${i}`),
      ),
    );
    server.play(path, calendarOf(...many));
    const { id } = (await user.post('/calendar/sources', { url: server.at(path), name: 'Many' }).expect(201)).body;
    const reading = settle();
    const own = { title: 'Mine', scheduled_for: '2027-01-03T09:00Z', duration_minutes: 30 };
    await user.post('/calendar/create', own).expect(201);
    await reading;
    expect(await stateOf(user, id)).toMatchObject({ events: 2_000, status: 'ok' });
    // A source that changes much is read again later: a second for each change.
    const { refresh_at } = await stateOf(user, id);
    expect(Date.parse(refresh_at) - app.clock.millis()).toBe(60 * 60_000);
  });
});

describe('sources of several users', () => {
  /** Paths in the order in which they are asked for; those that are held answer when `release` is called. */
  const watched = () => {
    const order: string[] = [];
    const held: (() => void)[] = [];
    const play = (path: string, isHeld = false): void =>
      server.play(path, (_request, response) => {
        order.push(path);
        if (!isHeld) return { body: calendarOf() };
        held.push(() => response.end(calendarOf()));
        return 'silent';
      });
    return { order, play, release: () => held.splice(0).forEach((answer) => answer()) };
  };
  const make = async (who: Client, path: string): Promise<string> =>
    (await who.post('/calendar/sources', { url: server.at(path), name: 'x' }).expect(201)).body.id;

  test('are read although those of another one never answer, and one of a user at a time in all instances', async () => {
    const [slow, other] = [await aPerson(), await aPerson()];
    const { order, play, release } = watched();
    const paths = Array.from({ length: 20 }, aPath);
    for (const path of paths) {
      play(path, true);
      await make(slow, path);
    }
    const reading = settle();
    let both: Promise<void> | undefined;
    try {
      await expect.poll(() => order).toHaveLength(1);
      const second = await anApp({ database: app.database, clock: app.clock });
      await second.services.calendar.sourceRefresh.settle();
      expect(order).toHaveLength(1);
      await second.close();
      const path = aPath();
      play(path);
      const id = await make(other, path);
      both = settle();
      await expect.poll(async () => (await stateOf(other, id)).status).toBe('ok');
      expect(order).toEqual([order[0], path]);
    } finally {
      for (const one of paths) play(one);
      release();
      await Promise.all([reading, both]);
    }
    expect(order).toHaveLength(21);
  });

  test('take turns: who was read longest ago is next, however long others are due', async () => {
    const [many, one, two] = [await aPerson(), await aPerson(), await aPerson()];
    const { order, play } = watched();
    const paths = Array.from({ length: 4 }, aPath);
    const [first, second] = [aPath(), aPath()];
    for (const path of [...paths, first, second]) play(path);
    for (const path of paths) await make(many, path);
    await make(one, first);
    await make(two, second);
    await settle();
    // Two are read at a time, so neither waits for more than one of the other user's.
    for (const path of [first, second]) expect(order.indexOf(path)).toBeLessThan(4);
    // Sources that are made again come after those who wait.
    order.length = 0;
    app.clock.advance(61 * 60_000);
    for (const { id } of (await many.get('/calendar/sources').expect(200)).body)
      await many.delete(`/calendar/sources?id=${id}`).expect(200);
    for (const path of paths) await make(many, path);
    await settle();
    for (const path of [first, second]) expect(order.indexOf(path)).toBeLessThan(3);
  });
});

describe('the corpus of real files', () => {
  const folder = join(import.meta.dirname, '../corpus');
  test.each(readdirSync(folder).filter((name) => name.endsWith('.ics')))(
    '%s: reading it again changes nothing',
    async (name) => {
      const user = await aPerson();
      const path = aPath();
      server.play(path, () => ({
        body: readFileSync(join(folder, name)),
        headers: { 'Content-Type': 'text/calendar' },
      }));
      const { id } = await subscribe(user, path);
      const state = await stateOf(user, id);
      if (state.status === 'failing') {
        expect(state).toMatchObject({ events: 0, last_error: 'The answer is not a whole iCalendar file.' });
        return;
      }
      const { seq } = (await user.get('/agent/changes?after=0&limit=1')).body;
      const head = (await user.get('/agent/changes')).body.seq;
      expect(head).toBeGreaterThanOrEqual(seq);
      await user.post('/calendar/sources/refresh', { id }).expect(202);
      await settle();
      expect((await user.get('/agent/changes')).body.seq).toBe(head);
      expect(await stateOf(user, id)).toMatchObject({ status: 'ok', events: state.events, unread: state.unread });
      // An import of the same file finds the same events.
      const importer = await aPerson();
      await importer
        .post('/calendar/import')
        .set('Content-Type', 'text/calendar')
        .send(readFileSync(join(folder, name)));
      const named = (list: Listed[]) => list.map(({ title, scheduled_for }) => [title, scheduled_for]).toSorted();
      const [start, end] = ['2026-01-01', '2027-12-31'];
      expect(named(await listed(user, start, end))).toEqual(named(await listed(importer, start, end)));
    },
  );
});

describe('an event whose newest form cannot be read', () => {
  const good = at('20261201T090000Z', 'Daily', { RRULE: 'FREQ=DAILY;COUNT=60' });
  const own = at('20261204T120000Z', 'Late', { 'RECURRENCE-ID': '20261204T090000Z' });
  const other = vevent('other', at('20261203T150000Z', 'Other'));
  const broken = (...more: string[]) => calendarOf(vevent('a', { ...good, DTSTART: 'never' }), other, ...more);
  const whole = calendarOf(vevent('a', good), vevent('a', own), other);
  const DAY = 24 * 60;
  const stale = async (who: Client) => (await listed(who)).filter((one) => 'stale_since' in one);
  const busyTimes = async (who: Client): Promise<number> => {
    const query = 'start=2026-12-03&end=2026-12-05';
    return (await who.get(`/calendar/freebusy?${query}`).expect(200)).body.busy.length;
  };

  test.each(['the whole file', '304'])('is marked, and counts as busy for a day (%s)', async (answer) => {
    const user = await aPerson();
    const path = aPath();
    server.play(path, whole);
    const { id } = await subscribe(user, path);
    const before = await busyTimes(user);
    const text = broken(vevent('a', own));
    if (answer === '304') server.playOutlook(path, () => ({ tag: '"broken"', body: text }));
    else server.play(path, text);
    await settle(61);
    const marked = await stale(user);
    expect(new Set(marked.map(({ title }) => title))).toEqual(new Set(['Daily', 'Late']));
    expect(marked).toHaveLength(60);
    expect((await listed(user)).find(({ title }) => title === 'Other')).not.toHaveProperty('stale_since');
    expect(await busyTimes(user)).toBe(before);
    // Nothing is written twice.
    const { seq } = (await user.get('/agent/changes?after=0')).body;
    await settle(61);
    expect((await user.get('/agent/changes?after=0')).body.seq).toBe(seq);
    for (let hour = 0; hour < DAY; hour += 120) await settle(120);
    expect(await stateOf(user, id)).toMatchObject({ status: 'ok', unread: 1 });
    expect((await stale(user)).some(({ busy }) => busy)).toBe(false);
    expect(await busyTimes(user)).toBe(1);
    const freed = (await user.get('/agent/changes?after=0')).body.seq;
    expect(freed).toBeGreaterThan(seq);
    await settle(61);
    expect((await user.get('/agent/changes?after=0')).body.seq).toBe(freed);
    // An agent can plan there now.
    const action = {
      action_type: 'schedule',
      title: 'Write',
      scheduled_for: '2026-12-04T09:00Z',
      duration_minutes: 30,
    };
    const [plan] = (await user.agent.post('/agent/plan', { actions: [action] }).expect(200)).body;
    expect(plan.status).toBe('proposed');
    // When it can be read again, it is as the file says.
    server.play(path, whole);
    await settle(61);
    expect(await stale(user)).toEqual([]);
    expect(await busyTimes(user)).toBe(before);
    expect(await stateOf(user, id)).toMatchObject({ unread: 0, unread_components: [] });
    expect((await user.get('/debug/audit').expect(200)).body).toMatchObject({ ok: true });
  });

  test.each(['the source fails', 'the source is set to be free'])('is free where %s', async (then) => {
    const user = await aPerson();
    const path = aPath();
    server.play(path, whole);
    const { id } = await subscribe(user, path);
    server.play(path, broken());
    await settle(61);
    expect((await stale(user)).some(({ busy }) => busy)).toBe(true);
    if (then === 'the source fails') {
      server.play(path, 'gone, please log in');
      for (let hour = 0; hour <= DAY; hour += 240) await settle(240);
      expect(await stateOf(user, id)).toMatchObject({ status: 'failing' });
    } else {
      await user.patch('/calendar/sources', { id, updates: { busy: false } }).expect(200);
      await settle(61);
    }
    expect(await stale(user)).not.toEqual([]);
    expect((await stale(user)).some(({ busy }) => busy)).toBe(false);
  });

  test('is marked, and not removed, where it may be a component without a UID', async () => {
    const user = await aPerson();
    const path = aPath();
    server.play(path, whole);
    const { id } = await subscribe(user, path);
    const { UID: _, ...nameless } = { UID: '', ...good };
    const text = calendarOf(vevent('a', { ...nameless, DTSTART: 'never' }), other).replace(/^UID:a\r\n/m, '');
    server.play(path, text);
    await settle(61);
    expect(await stateOf(user, id)).toMatchObject({ unread: 1, unread_components: [{ uid: null }] });
    expect(new Set((await stale(user)).map(({ title }) => title))).toEqual(new Set(['Daily', 'Late']));
  });

  test('is not marked where only an occurrence of it cannot be read', async () => {
    const user = await aPerson();
    const path = aPath();
    server.play(path, whole);
    const { id } = await subscribe(user, path);
    server.play(path, calendarOf(vevent('a', good), vevent('a', { ...own, DTSTART: 'never' }), other));
    await settle(61);
    expect(await stale(user)).toEqual([]);
    expect(await stateOf(user, id)).toMatchObject({ unread: 1, unread_components: [{ uid: 'a' }] });
    expect(await titles(user)).not.toContain('Late');
  });

  test('is gone at once where the newest form can be read and never happens', async () => {
    const user = await aPerson();
    const path = aPath();
    server.play(path, whole);
    await subscribe(user, path);
    const never = { ...good, RRULE: 'FREQ=DAILY;COUNT=1', EXDATE: good['DTSTART'] as string };
    server.play(path, calendarOf(vevent('a', never), other));
    await settle(61);
    expect(await titles(user)).toEqual(['Other']);
  });

  test('is gone at once where its new rule leaves nothing, as some programs delete a series', async () => {
    const user = await aPerson();
    const path = aPath();
    const lines = (RRULE: string) => {
      const own = vevent('s', {
        'DTSTART;TZID=Europe/Berlin': '20261201T100000',
        DURATION: 'PT1H',
        SUMMARY: 'Gone',
        RRULE,
      });
      return calendarOf(own, other);
    };
    server.play(path, lines('FREQ=WEEKLY;COUNT=4'));
    const { id } = await subscribe(user, path);
    expect(await titles(user)).toHaveLength(5);
    server.play(path, lines('FREQ=WEEKLY;UNTIL=20261130'));
    await settle(61);
    expect(await titles(user)).toEqual(['Other']);
    expect(await stateOf(user, id)).toMatchObject({ unread: 0, warnings: [{ uid: 's' }] });
  });
});
