/** The calendar as .ics: subscribed to, exported, and imported again, by other programs' files too. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import request from 'supertest';
import { anApp, aUser, type Client, type TestApp, type TestUser } from '../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await anApp();
});
afterAll(() => app.close());

type Told = { line: number; uid: string | null; level: string; message: string };
type Occurrence = { uid: string; title: string; scheduled_for: string; end: string; recurrence_id: string | null; busy: boolean };

const WINDOW = 'start=2026-10-01&end=2026-12-31';
const occurrences = async (user: Client): Promise<Occurrence[]> => (await user.get(`/calendar/events?${WINDOW}`).expect(200)).body;
const told = (list: Occurrence[]): string[] => list.map((o) => `${o.scheduled_for} ${o.end} ${o.title}`);

const aFeed = async (user: TestUser): Promise<{ id: string; url: string }> => {
  const { body } = await user.post('/user/keys', { kind: 'feed', label: 'phone' }).expect(201);
  return { id: body.id, url: `/calendar/feed.ics?key=${body.key}` };
};
const fetchFeed = (url: string, etag?: string) => request(app.server).get(url).set(etag ? { 'If-None-Match': etag } : {});
const imported = (user: Client, text: string, query = '') =>
  request(app.server).post(`/calendar/import${query}`).set('Authorization', `Bearer ${user.token}`).set('Content-Type', 'text/calendar').send(text);

const calendar = (...lines: string[]): string => ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Test//EN', ...lines, 'END:VCALENDAR', ''].join('\r\n');
const vevent = (...lines: string[]): string => ['BEGIN:VEVENT', 'DTSTAMP:20261101T000000Z', ...lines, 'END:VEVENT'].join('\r\n');
const WEEKLY = vevent('UID:weekly', 'DTSTART;TZID=Europe/Berlin:20261019T090000', 'DURATION:PT15M', 'SUMMARY:Weekly', 'RRULE:FREQ=WEEKLY;COUNT=4', 'X-COLOUR:red');
const MOVED = vevent('UID:weekly', 'RECURRENCE-ID;TZID=Europe/Berlin:20261026T090000', 'DTSTART;TZID=Europe/Berlin:20261027T110000', 'DURATION:PT15M', 'SUMMARY:Weekly, late');
const SINGLE = vevent('UID:single', 'DTSTART:20261121T100000Z', 'DTEND:20261121T110000Z', 'SUMMARY:Single', 'CATEGORIES:a,b');

/** A series across the end of summer time with one occurrence moved and the rest cut. */
const aSeries = async (user: Client): Promise<string> => {
  const { body } = await user.post('/calendar/create', { title: 'Standup', scheduled_for: '2026-10-12T09:00', duration_minutes: 15, rrule: 'FREQ=WEEKLY' }).expect(201);
  const { uid } = body;
  await user.patch('/calendar/edit', { uid, recurrence_id: '2026-10-26T08:00:00Z', updates: { scheduled_for: '2026-10-27T11:00', title: 'Late' } }).expect(200);
  await user.delete(`/calendar/remove?uid=${uid}&recurrence_id=2026-11-02T08:00:00Z`).expect(200);
  await user.delete(`/calendar/remove?uid=${uid}&scope=following&recurrence_id=2026-11-16T08:00:00Z`).expect(200);
  return uid;
};

describe('the feed', () => {
  test('is open to its key alone, until that is revoked', async () => {
    const user = await aUser(app);
    const feed = await aFeed(user);
    await user.post('/calendar/create', { title: 'Call; with, supplier', scheduled_for: '2026-11-27T15:30', duration_minutes: 20 }).expect(201);
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
    await new Promise((resolve) => setTimeout(resolve, 600));
    await fetchFeed(feed.url).expect(401);
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
    await user.post('/memory/push', { traces: [{ type: 'observation', content: 'nothing of the calendar' }] }).expect(201);
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
    await user.post('/calendar/create', { title: 'Fair', scheduled_for: '2026-10-24', all_day: true, rrule: 'FREQ=DAILY;COUNT=3' }).expect(201);
    await user.post('/calendar/create', { title: 'Tokyo', scheduled_for: '2026-11-27T08:00', timezone: 'Asia/Tokyo', reminders: [10], tags: ['a, b'], url: 'https://example.org/?a=1;b=2' }).expect(201);
    const { text } = await fetchFeed((await aFeed(user)).url).expect(200);
    const second = await aUser(app);
    const { body } = await imported(second, text).expect(200);
    expect(body).toMatchObject({ created: 4, updated: 0, unchanged: 0, skipped: 0, report: [] });
    const [mine, theirs] = [await occurrences(user), await occurrences(second)];
    expect(told(theirs)).toEqual(told(mine));
    expect(theirs.map((o) => o.recurrence_id)).toEqual(mine.map((o) => o.recurrence_id));
    expect(theirs.at(-1)).toMatchObject({ tags: ['a, b'], reminders: [10], url: 'https://example.org/?a=1;b=2', origin: 'import', timezone: 'Asia/Tokyo' });
    // Back into the first account it is nothing new, and the second says the same again.
    expect((await imported(user, text).expect(200)).body).toMatchObject({ created: 0, updated: 0, unchanged: 4 });
    expect((await imported(second, text).expect(200)).body).toMatchObject({ created: 0, updated: 0, unchanged: 4 });
  });
});

describe('the export', () => {
  test('is the whole calendar, or what overlaps a window', async () => {
    const user = await aUser(app);
    await imported(user, calendar(WEEKLY, MOVED, SINGLE)).expect(200);
    const whole = await user.get('/calendar/export.ics').expect(200);
    expect(whole.headers['content-disposition']).toBe('attachment; filename="almanac.ics"');
    expect(whole.text.match(/BEGIN:VEVENT/g)).toHaveLength(3);
    const part = (await user.get('/calendar/export.ics?start=2026-11-15').expect(200)).text;
    expect(part.match(/^UID:.*$/gm)).toEqual(['UID:single\r']);
    await user.get('/calendar/export.ics?start=2026-11-15&end=2026-11-01').expect(422);
  });
});

describe('an import', () => {
  test('takes events, series and moved occurrences in, with trace and ledger', async () => {
    const user = await aUser(app);
    const { body } = await imported(user, calendar(WEEKLY, MOVED, SINGLE)).expect(200);
    expect(body).toEqual({ created: 3, updated: 0, unchanged: 0, skipped: 0, report: [] });
    expect(told(await occurrences(user))).toEqual([
      '2026-10-19T07:00:00.000Z 2026-10-19T07:15:00.000Z Weekly',
      '2026-10-27T10:00:00.000Z 2026-10-27T10:15:00.000Z Weekly, late',
      '2026-11-02T08:00:00.000Z 2026-11-02T08:15:00.000Z Weekly',
      '2026-11-09T08:00:00.000Z 2026-11-09T08:15:00.000Z Weekly',
      '2026-11-21T10:00:00.000Z 2026-11-21T11:00:00.000Z Single',
    ]);
    const { body: traces } = await user.get('/memory/pull?type=calendar_event').expect(200);
    expect(traces).toHaveLength(2);
    expect(traces[0].origin).toBe('import');
    const { text } = await user.get('/calendar/export.ics').expect(200);
    expect(text).toContain('X-COLOUR:red\r\n');
  });

  test('again changes nothing; newer wins; older is told and left out', async () => {
    const user = await aUser(app);
    await imported(user, calendar(WEEKLY, MOVED, SINGLE)).expect(200);
    expect((await imported(user, calendar(WEEKLY, MOVED, SINGLE))).body).toMatchObject({ created: 0, updated: 0, unchanged: 3 });
    const newer = SINGLE.replace('SUMMARY:Single', 'SUMMARY:Single, renamed\r\nSEQUENCE:3');
    expect((await imported(user, calendar(newer))).body).toMatchObject({ updated: 1 });
    expect((await imported(user, calendar(newer))).body).toMatchObject({ unchanged: 1 });
    const { body } = await imported(user, calendar(SINGLE)).expect(200);
    expect(body).toMatchObject({ updated: 0, skipped: 1, report: [{ uid: 'single', level: 'info', line: 4 }] });
    const read = (await user.get('/calendar/event?uid=single').expect(200)).body;
    expect(read).toMatchObject({ title: 'Single, renamed', version: 2, sequence: 3, ics: undefined });
    // What was changed here since is newer than the file.
    await user.patch('/calendar/edit', { uid: 'single', updates: { title: 'Mine' } }).expect(200);
    expect((await imported(user, calendar(newer))).body).toMatchObject({ skipped: 1 });
    // What was removed here comes back only because it is imported again.
    await user.delete('/calendar/remove?uid=single').expect(200);
    expect((await imported(user, calendar(newer))).body).toMatchObject({ created: 1 });
    expect((await user.get('/calendar/event?uid=single').expect(200)).body).toMatchObject({ title: 'Single, renamed', version: 5 });
  });

  test('of occurrences before their series puts them together', async () => {
    const user = await aUser(app);
    const other = MOVED.replaceAll('20261026', '20261102').replace('20261027T11', '20261103T12').replace('late', 'later');
    expect((await imported(user, calendar(MOVED, other))).body).toMatchObject({ created: 2, skipped: 0 });
    expect((await occurrences(user)).map((o) => o.title)).toEqual(['Weekly, late', 'Weekly, later']);
    expect((await imported(user, calendar(MOVED, other))).body).toMatchObject({ unchanged: 2 });
    await imported(user, calendar(WEEKLY)).expect(200);
    expect((await occurrences(user)).map((o) => o.title)).toEqual(['Weekly', 'Weekly, late', 'Weekly, later', 'Weekly']);
  });

  test('reads floating times in the zone named, else in the user’s', async () => {
    const user = await aUser(app);
    const floating = (uid: string) => calendar(vevent(`UID:${uid}`, 'DTSTART:20261123T100000', 'DURATION:PT1H', 'SUMMARY:x'));
    await imported(user, floating('a')).expect(200);
    await imported(user, floating('b'), '?timezone=Asia/Tokyo').expect(200);
    expect((await occurrences(user)).map((o) => [o.uid, o.scheduled_for])).toEqual([
      ['b', '2026-11-23T01:00:00.000Z'],
      ['a', '2026-11-23T09:00:00.000Z'],
    ]);
  });

  test('displaces agents’ blocks as any event of a person does', async () => {
    const user = await aUser(app);
    const { body } = await user.agent.post('/agent/plan', { actions: [{ action_type: 'schedule', title: 'Write', scheduled_for: '2026-11-23T10:00', duration_minutes: 60 }] }).expect(200);
    await user.post('/agent/approve', { uid: body[0].uid }).expect(200);
    await imported(user, calendar(vevent('UID:d', 'DTSTART;TZID=Europe/Berlin:20261123T103000', 'DURATION:PT1H', 'SUMMARY:Dentist'))).expect(200);
    expect((await occurrences(user)).map((o) => o.title)).toEqual(['Dentist']);
    expect((await user.get('/agent/queue')).body).toHaveLength(1);
  });

  test('tells what is bad with its line, and takes what is good', async () => {
    const user = await aUser(app);
    const { body } = await imported(
      user,
      calendar(
        vevent('UID:no-start', 'SUMMARY:x'),
        vevent('UID:never', 'DTSTART:20261123T100000Z', 'RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30'),
        vevent(`UID:${'u'.repeat(300)}`, 'DTSTART:20261123T100000Z'),
        vevent('UID:bad-end', 'DTSTART:20261123T100000Z', 'DTEND:20261122T100000Z'),
        'BEGIN:VTODO\r\nUID:todo\r\nEND:VTODO',
        vevent('UID:late', 'DTSTART:99991231T230000Z', 'DURATION:P9D'),
        SINGLE,
        vevent('UID:tags', 'DTSTART:20261123T100000Z', `CATEGORIES:ok,${'t'.repeat(200)}`),
      ),
    ).expect(200);
    expect(body).toMatchObject({ created: 2, skipped: 5 });
    expect(body.report.filter((one: Told) => one.level === 'error').map((one: Told) => one.uid?.slice(0, 8))).toEqual(
      expect.arrayContaining(['no-start', 'never', 'uuuuuuuu', 'bad-end', 'late']),
    );
    expect(body.report.every((one: Told) => one.line > 0 && one.message.length > 0)).toBe(true);
    expect((await occurrences(user)).map((o) => o.title)).toEqual(['Single', '(no title)']);
  });

  test.each([
    ['no calendar at all', 'hello', 200],
    ['nothing', '', 422],
    ['a NUL', 'BEGIN:VCALENDAR\r\n\0', 422],
  ])('of %s changes nothing', async (_name, text, status) => {
    const user = await aUser(app);
    const answer = await imported(user, text).expect(status);
    if (status === 200) expect(answer.body).toMatchObject({ created: 0, report: [{ level: 'error' }] });
    expect(await occurrences(user)).toEqual([]);
  });

  test('needs its own type, its scope, and fits in 16 MiB', async () => {
    const user = await aUser(app);
    await user.post('/calendar/import', { text: 'x' }).expect(415);
    await imported(user.agent, calendar(SINGLE)).expect(403);
    await imported(user, 'x'.repeat(17 * 1024 * 1024)).expect(413);
  });

  test('of thousands of events is one write', async () => {
    const user = await aUser(app);
    const many = Array.from({ length: 1_500 }, (_, i) =>
      vevent(`UID:many-${i}`, `DTSTART:202611${String(1 + (i % 28)).padStart(2, '0')}T${String(i % 24).padStart(2, '0')}0000Z`, 'DURATION:PT30M', `SUMMARY:Event ${i}`),
    );
    expect((await imported(user, calendar(...many)).expect(200)).body).toMatchObject({ created: 1_500, skipped: 0 });
    expect((await imported(user, calendar(...many)).expect(200)).body).toMatchObject({ unchanged: 1_500 });
    const first = await user.get(`/calendar/events?${WINDOW}&limit=1000`).expect(200);
    expect(first.body).toHaveLength(1_000);
    expect(first.headers['link']).toContain('rel="next"');
  });
});
