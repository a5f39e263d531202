/** Times with zones (RFC 9557) and names of zones, wherever the API takes them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anApp, aUser, client, type TestApp, type TestUser } from '../support/app.ts';
import { calendarText, create, imported, list, vevent } from '../support/calendar.ts';

let app: TestApp;
beforeAll(async () => {
  app = await anApp();
});
afterAll(() => app.close());

const ZONED = '2026-12-01T10:00:00+01:00[Europe/Berlin]';
const AT = '2026-12-01T09:00:00.000Z';
const DISAGREES = '2026-12-01T10:00:00+02:00[Europe/Berlin]';

const newYorker = () => aUser(app, { timezone: 'America/New_York' });

describe('a time as Temporal and Java write it', () => {
  test('is that instant for an event, and its zone is the event’s', async () => {
    const user = await newYorker();
    const event = await create(user, { title: 'Call', scheduled_for: ZONED, duration_minutes: 30 });
    expect(event).toMatchObject({ scheduled_for: AT, timezone: 'Europe/Berlin', local_start: '2026-12-01T10:00:00' });
    const own = { title: 'Here', scheduled_for: ZONED, duration_minutes: 30, timezone: 'Asia/Tokyo' };
    expect(await create(user, own)).toMatchObject({ scheduled_for: AT, timezone: 'Asia/Tokyo' });
    const updates = { scheduled_for: '2026-12-02T10:00[Europe/Berlin]' };
    const moved = await user.patch('/calendar/edit', { uid: event.uid, updates }).expect(200);
    expect(moved.body.scheduled_for).toBe('2026-12-02T09:00:00.000Z');
  });

  test('is that instant in traces, plans, queries and as_of', async () => {
    const user = await newYorker();
    const [pushed] = (
      await user.post('/memory/push', { traces: [{ type: 'observation', content: 'x', timestamp: ZONED }] }).expect(201)
    ).body;
    expect(pushed.timestamp).toBe(AT);
    const asked = encodeURIComponent(ZONED);
    expect((await user.get(`/memory/pull?start_time=${asked}&end_time=${asked}`).expect(200)).body).toHaveLength(1);
    expect((await user.get(`/memory/pull?as_of=${asked}`).expect(200)).body).toHaveLength(1);
    const action = { action_type: 'schedule', title: 'Write', scheduled_for: ZONED, duration_minutes: 30 };
    const [plan] = (await user.agent.post('/agent/plan', { actions: [action] }).expect(200)).body;
    expect(plan.scheduled_for).toBe(AT);
    await create(user, { title: 'Call', scheduled_for: ZONED, duration_minutes: 30 });
    expect(await list(user, `start=${asked}&end=${asked}`)).toHaveLength(1);
    const { body } = await user.post('/chat/plan-preview', {
      prompt: `Plan lunch with Ann at 2026-12-03T12:00+01:00[Europe/Berlin]`,
    });
    expect(body[0].scheduled_for).toBe('2026-12-03T11:00:00.000Z');
  });

  test('is refused where zone and offset disagree, with both of them told, and changes nothing', async () => {
    const user = await newYorker();
    const body = { title: 'Call', scheduled_for: DISAGREES, duration_minutes: 30 };
    const refused = await user.post('/calendar/create', body).expect(422);
    expect(refused.body.errors).toEqual([
      expect.objectContaining({
        path: '/scheduled_for',
        message: expect.stringContaining('is +01:00 then'),
      }),
    ]);
    await user
      .post('/memory/push', { traces: [{ type: 'observation', content: 'x', timestamp: DISAGREES }] })
      .expect(422);
    const asked = encodeURIComponent(DISAGREES);
    for (const query of [
      `/memory/pull?start_time=${asked}`,
      `/memory/pull?as_of=${asked}`,
      `/calendar/events?start=${asked}`,
    ])
      expect((await user.get(query).expect(422)).body.detail).toContain('+01:00');
    expect(await list(user, 'start=2026-11-01&end=2026-12-31')).toEqual([]);
  });

  test('with seconds in its offset is that instant', async () => {
    const user = await newYorker();
    const event = await create(user, {
      title: 'Odd',
      scheduled_for: '2026-12-01T10:00:00+05:30:15',
      duration_minutes: 5,
    });
    expect(event.scheduled_for).toBe('2026-12-01T04:29:45.000Z');
  });
});

describe('a zone that Intl knows and Temporal does not', () => {
  const NAMES: [string, string][] = [
    ['PST', 'America/Los_Angeles'],
    ['IST', 'Asia/Kolkata'],
    ['JST', 'Asia/Tokyo'],
    ['BST', 'Europe/London'],
  ];

  test.each(NAMES)('%s is refused wherever a zone is taken, and the right name is told', async (zone, instead) => {
    const user = await newYorker();
    const account = { email: `${zone}@example.org`, password: 'correct horse battery', timezone: zone };
    const event = { title: 'x', scheduled_for: '2026-12-01T10:00', duration_minutes: 5, timezone: zone };
    const trace = { type: 'observation', content: 'x', timestamp: '2026-12-01T10:00', timezone: zone };
    const refusals = [
      await client(app, null).post('/user/register', account),
      await user.patch('/user/update', { user_id: user.user_id, updates: { timezone: zone } }),
      await user.post('/tempo/adjust', { user_id: user.user_id, preferences: { timezone: zone } }),
      await user.post('/calendar/create', event),
      await user.get(`/calendar/events?timezone=${zone}`),
      await user.get(`/calendar/slots?timezone=${zone}`),
      await user.post('/memory/push', { traces: [trace] }),
      await imported(app, user, calendarText(vevent('UID:a', 'DTSTART:20261201T100000')), `?timezone=${zone}`),
    ];
    for (const { status, body } of refusals) {
      expect(status).toBe(422);
      expect(body.detail).toContain(instead);
    }
    expect((await user.get('/user/profile')).body.timezone).toBe('America/New_York');
  });

  test('in a file is a name like any other: its rules count, else the zone of the import', async () => {
    const user = await newYorker();
    const rules = [
      'BEGIN:VTIMEZONE',
      'TZID:IST',
      ...['BEGIN:STANDARD', 'DTSTART:19700101T000000', 'TZOFFSETFROM:+0530', 'TZOFFSETTO:+0530', 'END:STANDARD'],
      'END:VTIMEZONE',
    ].join('\r\n');
    const event = (uid: string, zone: string) =>
      vevent(`UID:${uid}`, `DTSTART;TZID=${zone}:20261201T100000`, 'DURATION:PT5M');
    const file = calendarText('X-WR-TIMEZONE:PST', rules, event('a', 'IST'), event('b', 'JST'));
    const { body } = await imported(app, user, file).expect(200);
    expect(body).toMatchObject({
      created: 2,
      report: [{ uid: 'b', level: 'warning', message: expect.stringContaining('JST') }],
    });
    const found = await list(user, 'start=2026-12-01&end=2026-12-01');
    expect(found.map((one) => one.scheduled_for)).toEqual(['2026-12-01T15:00:00.000Z']);
    expect((await user.get('/calendar/event?uid=a')).body.scheduled_for).toBe('2026-12-01T04:30:00.000Z');
  });

  /** Release 0.1.0 took these names; the service itself, without its schemas, does so still. */
  const storedBefore = async (user: TestUser, timezone: string): Promise<void> => {
    const by = { user_id: user.user_id, actor: 'user:session', origin: 'user' as const };
    await app.services.users.update(by as never, { timezone }, { expected: undefined, ip: '127.0.0.1' });
  };

  test('stored by release 0.1.0 is read as UTC: nothing fails, and it can be mended', async () => {
    const user = await newYorker();
    await storedBefore(user, 'PST');
    expect((await user.get('/user/profile').expect(200)).body.timezone).toBe('UTC');
    expect((await user.get(`/tempo/profile?user_id=${user.user_id}`).expect(200)).body.timezone).toBe('UTC');
    await user.get('/calendar/events').expect(200);
    await user.get('/calendar/slots').expect(200);
    await user.get('/agent/status').expect(200);
    await user.post('/chat/respond', { prompt: 'Plan 30 minutes of reading tomorrow' }).expect(200);
    const event = await create(user, { title: 'x', scheduled_for: '2026-12-01T10:00', duration_minutes: 5 });
    expect(event.scheduled_for).toBe('2026-12-01T10:00:00.000Z');
    await user
      .patch('/user/update', { user_id: user.user_id, updates: { timezone: 'America/Los_Angeles' } })
      .expect(200);
    expect((await user.get('/user/profile')).body.timezone).toBe('America/Los_Angeles');
  });
});

describe('a time at the ends of the calendar', () => {
  const TIMES = [
    ...['0000-01-01', '0000-12-31T23:59:59Z', '0001-01-01', '0001-01-01T00:00:00Z', '0001-01-01T00:00:00+18:00'],
    ...['0099-12-31T23:59:59Z', '0100-01-01T00:00:00Z', '9899-12-31T23:59:59Z', '9900-01-01', '9999-12-31'],
    ...['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59-18:00', '10000-01-01', '+010000-01-01T00:00:00Z'],
  ];
  const SENTENCES: ((at: string) => string)[] = [
    (at) => `Plan a call on ${at}`,
    (at) => `Move the call to ${at}`,
    (at) => `Plan a run every day until ${at}`,
    (at) => `What do I have on ${at}?`,
    (at) => `What is on my calendar before ${at}?`,
    (at) => `What did I note since ${at}?`,
    (at) => `What did I note before ${at}?`,
    (at) => `What did I propose on ${at}?`,
    (at) => `Am I free on ${at}?`,
    (at) => `What happened between ${at} and 9999-12-31?`,
  ];

  test.each(TIMES)('in a prompt is understood or asked about: %s', async (at) => {
    const user = await aUser(app, { timezone: 'Pacific/Kiritimati' });
    for (const sentence of SENTENCES)
      for (const path of ['/chat/respond', '/chat/plan-preview', '/agent/plan']) {
        const { status, body } = await user.post(path, { prompt: sentence(at) });
        expect(status, `${path} ${sentence(at)} ${JSON.stringify(body)}`).toBe(200);
      }
  });

  test.each(TIMES)('in the context of a prompt does no harm: %s', async (at) => {
    const user = await aUser(app);
    const calendar = [
      { title: 'x', start: at, duration_minutes: 999_999 },
      { title: 'y', start: '2026-12-01T09:00Z', end: at },
    ];
    const prompt = 'Plan 30 minutes of reading on Tuesday';
    await user.post('/agent/plan', { prompt, context: { calendar } }).expect(200);
  });
});
