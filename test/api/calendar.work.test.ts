/**
 * What a calendar can cost: files and series made to keep the service busy. Each is answered, others are served meanwhile, and
 * what is too much is refused with what to do.
 */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NEVER_OCCURS } from '../../src/domain/calendar/rrule.ts';
import { MAX_SERIES_SIZE, MAX_SERIES_SIZES, MOST_READ } from '../../src/calendar/calendar-bounds.ts';
import { anApp, aUser, type TestApp, type TestUser } from '../support/app.ts';
import { slicesOf } from '../support/slices.ts';
import { calendarText, create, imported, list, titles, vevent } from '../support/calendar.ts';

let app: TestApp;
beforeAll(async () => {
  app = await anApp();
});
afterAll(() => app.close());

const stamp = (at: number): string => new Date(at).toISOString().replaceAll(/[-:]|\.\d+/g, '');
const HOUR = 3_600_000;
const JANUARY = Date.UTC(2026, 0, 1, 9);

const quarterHours = (count: number, minutes = 1): string =>
  calendarText(
    ...Array.from({ length: count }, (_, i) =>
      vevent(
        `UID:quarter-${i}`,
        `DTSTART:20260101T00${String(i % 15).padStart(2, '0')}00Z`,
        `DURATION:PT${minutes}M`,
        'RRULE:FREQ=MINUTELY;INTERVAL=15',
        `SUMMARY:Quarter ${i}`,
      ),
    ),
  );

/** An hourly series of which so many occurrences are changed. */
const changedHours = (count: number, description = ''): string =>
  calendarText(
    vevent('UID:hourly', `DTSTART:${stamp(JANUARY)}`, 'DURATION:PT5M', 'RRULE:FREQ=HOURLY', 'SUMMARY:Hourly'),
    ...Array.from({ length: count }, (_, i) =>
      vevent(
        'UID:hourly',
        `RECURRENCE-ID:${stamp(JANUARY + (i + 1) * HOUR)}`,
        `DTSTART:${stamp(JANUARY + (i + 1) * HOUR + 60_000)}`,
        'DURATION:PT5M',
        `SUMMARY:Changed ${i}`,
        ...(description ? [`DESCRIPTION:${description}`] : []),
      ),
    ),
  );

describe('thousands of changed occurrences', () => {
  // Where each override was added to a copy of all before it, the import took 65 s.
  test('go in, come out and are found again', { timeout: 60_000 }, async () => {
    const user = await aUser(app);
    const text = changedHours(9_990);
    expect((await imported(app, user, text).expect(200)).body).toMatchObject({ created: 9_991, failed: 0 });
    const day = await list(user, 'start=2026-02-01T00:00Z&end=2026-02-01T23:59Z');
    expect(day.map(({ title }) => title.slice(0, 7))).toEqual(Array(24).fill('Changed'));
    expect((await imported(app, user, text).expect(200)).body).toMatchObject({ unchanged: 9_991, failed: 0 });
    const exported = (await user.get('/calendar/export.ics').expect(200)).text;
    expect(exported.match(/^RECURRENCE-ID/gm)).toHaveLength(9_990);
  });

  test('are refused where the series would be too large, with what to do', { timeout: 60_000 }, async () => {
    const user = await aUser(app);
    const body = (await imported(app, user, changedHours(400, 'x'.repeat(10_000))).expect(422)).body;
    expect(body.components[0].reason).toContain(`at most ${MAX_SERIES_SIZE} bytes`);
    expect(body).toMatchObject({ code: 'nothing_imported', failed: 401 });
    expect(await list(user, 'start=2026-01-01&end=2026-01-02')).toEqual([]);
  });

  test('of all series together have a bound, by import and by hand', async () => {
    const user = await aUser(app);
    const { uid } = await create(user, {
      title: 'Daily',
      scheduled_for: '2026-01-01T09:00Z',
      duration_minutes: 5,
      rrule: 'FREQ=DAILY',
    });
    // as if it had grown so large
    await sql`update events set size = ${MAX_SERIES_SIZES - 1_000} where user_id = ${user.user_id} and uid = ${uid}`.execute(
      app.database.handle.db,
    );
    const report = (await imported(app, user, changedHours(100)).expect(422)).body;
    expect(report.components[0].reason).toContain(`${MAX_SERIES_SIZES} bytes`);
    const description = 'x'.repeat(20_000);
    const large = { title: 'Large', scheduled_for: '2026-01-01T09:00Z', duration_minutes: 5, rrule: 'FREQ=DAILY' };
    const refused = await user.post('/calendar/create', { ...large, description }).expect(409);
    expect(refused.body.code).toBe('series_limit');
    // a single event is no series, and a small series is not counted
    await create(user, { title: 'One', scheduled_for: '2026-01-01T09:00Z', duration_minutes: 5, description });
    await create(user, large);
  });

  test('kept before there was a bound are not read all at once: which to end is told', async () => {
    const user = await aUser(app);
    const daily = { title: 'Daily', scheduled_for: '2026-01-01T09:00Z', duration_minutes: 5, rrule: 'FREQ=DAILY' };
    const { uid } = await create(user, daily);
    await sql`update events set size = ${MOST_READ + 1} where user_id = ${user.user_id} and uid = ${uid}`.execute(
      app.database.handle.db,
    );
    for (const path of ['events?start=2026-01-01&end=2026-01-02', 'slots', 'freebusy']) {
      const { body } = await user.get(`/calendar/${path}`).expect(422);
      expect(body).toMatchObject({ code: 'too_many_occurrences', uid, detail: expect.stringContaining(uid) });
    }
    await user.delete(`/calendar/remove?uid=${uid}`).expect(200);
    await user.get('/calendar/slots').expect(200);
  });
});

describe('rules that hardly ever match', () => {
  test('are listed, however many there are and however they are looked at', { timeout: 60_000 }, async () => {
    const user = await aUser(app);
    const leap = (i: number) =>
      vevent(
        `UID:leap-${i}`,
        `DTSTART:20260101T${String(i % 24).padStart(2, '0')}0000Z`,
        'DURATION:PT5M',
        `RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=29;COUNT=${100 + (i % 7)}`,
      );
    const file = calendarText(...Array.from({ length: 500 }, (_, i) => leap(i)));
    expect((await imported(app, user, file).expect(200)).body.created).toBe(500);
    expect(await list(user, 'start=2027-01-01&end=2027-12-31')).toEqual([]);
    expect(await list(user, 'start=2028-02-29&end=2028-02-29&limit=1000')).not.toEqual([]);
  });

  test(
    'are no longer read in a file once finding out has taken enough, component by component',
    { timeout: 60_000 },
    async () => {
      const user = await aUser(app);
      const never = (i: number) =>
        vevent(`UID:never-${i}`, `DTSTART:20260101T06000${i % 10}Z`, 'RRULE:FREQ=HOURLY;INTERVAL=24;BYHOUR=5');
      const single = vevent('UID:single', 'DTSTART:20261201T100000Z', 'SUMMARY:Single');
      const file = calendarText(...Array.from({ length: 300 }, (_, i) => never(i)), single);
      const { body } = await imported(app, user, file).expect(200);
      const reasons: string[] = body.components.map(({ reason }: { reason: string | null }) => reason ?? '');
      const never_occur = body.report.filter(({ message }: { message: string }) =>
        message.includes(NEVER_OCCURS),
      ).length;
      // Those whose rule is known to have no occurrence happen once, and keep it.
      expect(never_occur).toBeGreaterThan(20);
      expect(body).toMatchObject({ created: 1 + never_occur, failed: 300 - never_occur });
      expect(reasons.filter((reason) => reason.includes('in another file')).length).toBeGreaterThan(200);
    },
  );
});

describe('series by the quarter of an hour', () => {
  test('sixty of them leave room for a prompt, which still finds what stands far behind', async () => {
    const user = await aUser(app);
    await imported(app, user, quarterHours(60)).expect(200);
    await create(user, { title: 'Dentist', scheduled_for: '2026-12-15T10:00', duration_minutes: 30 });
    const reading = await user.post('/chat/respond', { prompt: 'Plan 10 minutes of reading tomorrow' }).expect(200);
    expect(reading.body.plans).toHaveLength(1);
    const move = await user.post('/chat/respond', { prompt: 'Cancel the dentist' }).expect(200);
    expect(move.body.plans).toMatchObject([{ title: expect.stringContaining('Dentist') }]);
  });

  describe('two thousand of them', () => {
    let user: TestUser;
    beforeAll(async () => {
      user = await aUser(app);
      await imported(app, user, quarterHours(2_000)).expect(200);
    });

    test('are listed page by page, in order and once each', { timeout: 60_000 }, async () => {
      const first = await user.get('/calendar/events?start=2026-12-01T00:00Z&end=2028-11-30&limit=1000').expect(200);
      const next = /<([^>]+)>/.exec(first.headers['link'] ?? '')?.[1] as string;
      const second = await user.get(next.slice(next.indexOf('/calendar'))).expect(200);
      const keys = [...first.body, ...second.body].map((o) => `${o.scheduled_for} ${o.uid}`);
      expect(new Set(keys).size).toBe(2_000);
      expect(keys).toEqual(keys.toSorted());
      expect(await list(user, 'start=2026-12-01&end=2028-11-30&tag=none')).toEqual([]);
    });

    test('are too much for a long window of free or busy time: a shorter one is asked for', async () => {
      for (const path of ['slots?start=2026-12-01&end=2027-11-30', 'freebusy?start=2026-12-01&end=2028-11-30']) {
        const { body } = await user.get(`/calendar/${path}`).expect(422);
        expect(body).toMatchObject({ code: 'too_many_occurrences', detail: expect.stringContaining('shorter') });
      }
      const hour = 'start=2026-12-01T10:00Z&end=2026-12-01T11:00Z';
      expect((await user.get(`/calendar/freebusy?${hour}`).expect(200)).body.free).toEqual([]);
      await user.get(`/calendar/slots?${hour}`).expect(200);
    });

    test('leave others their turn', { timeout: 60_000 }, async () => {
      const { longest, whole } = await slicesOf(() =>
        user.get('/calendar/freebusy?start=2026-12-01&end=2028-11-30').expect(422),
      );
      expect(longest).toBeLessThan(whole / 2);
    });

    test('answer a prompt with what is wrong, never with a fault of the service', { timeout: 60_000 }, async () => {
      const { status, body } = await user.post('/chat/respond', { prompt: 'Plan 10 minutes of reading tomorrow' });
      expect([200, 422]).toContain(status);
      if (status === 422) expect(body.code).toBe('too_many_occurrences');
    });
  });
});

test('an event of a file stands where it did beside a series that is moved into its way', async () => {
  const user = await aUser(app);
  await imported(app, user, changedHours(3)).expect(200);
  const updates = { title: 'Every hour' };
  await user.patch('/calendar/edit', { uid: 'hourly', scope: 'all', updates }).expect(200);
  expect(titles(await list(user, 'start=2026-01-01T09:00Z&end=2026-01-01T13:30Z'))).toEqual([
    'Every hour',
    'Changed 0',
    'Changed 1',
    'Changed 2',
    'Every hour',
  ]);
});
