/** Agents’ blocks that give way to a person’s events; free and busy time. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Interval } from '../../src/domain/time/time.ts';
import { aKey, anApp, aUser, TEST_START, type TestApp } from '../support/app.ts';
import { aBlock, create, list, NOVEMBER } from '../support/calendar.ts';

let app: TestApp;
beforeAll(async () => {
  app = await anApp();
});
afterAll(() => app.close());

describe('an agent’s block', () => {
  test('gives way to a person’s event, and its plan returns to the queue', async () => {
    const user = await aUser(app);
    const block = await aBlock(user, 'Write chapter', '2026-11-23T10:00');
    expect(await list(user, NOVEMBER)).toMatchObject([
      { title: 'Write chapter', plan_uid: block.plan, yields: true, origin: 'agent' },
    ]);
    await create(user, { title: 'Dentist', scheduled_for: '2026-11-23T10:30', duration_minutes: 30 });
    expect((await list(user, NOVEMBER)).map((e) => e.title)).toEqual(['Dentist']);
    const { body: queue } = await user.get('/agent/queue').expect(200);
    expect(queue).toHaveLength(1);
    expect(queue[0]).toMatchObject({ title: 'Write chapter', status: 'proposed' });
    expect(queue[0].reasoning).toContain('Dentist');
    expect(queue[0].scheduled_for >= '2026-11-23T10:00:00.000Z').toBe(true);
  });

  test('gives way to an event that is moved onto it, and to an occurrence of a series', async () => {
    const user = await aUser(app);
    await aBlock(user, 'Read', '2026-11-23T10:00');
    await aBlock(user, 'Sort', '2026-12-07T09:00');
    const { uid } = await create(user, { title: 'Lunch', scheduled_for: '2026-11-23T13:00', duration_minutes: 30 });
    await user.patch('/calendar/edit', { uid, updates: { scheduled_for: '2026-11-23T10:45' } }).expect(200);
    await create(user, {
      title: 'Weekly',
      scheduled_for: '2026-11-30T09:30',
      duration_minutes: 30,
      rrule: 'FREQ=WEEKLY',
    });
    expect((await list(user, 'start=2026-11-23&end=2026-12-07')).map((e) => e.title)).toEqual([
      'Lunch',
      'Weekly',
      'Weekly',
    ]);
    expect((await user.get('/agent/queue')).body).toHaveLength(2);
  });

  test('stays where a person moves it, and that is a decision about the plan', async () => {
    const user = await aUser(app);
    const block = await aBlock(user, 'Write', '2026-11-24T10:00');
    const { uid } = await create(user, { title: 'Meeting', scheduled_for: '2026-11-24T14:00', duration_minutes: 60 });
    const { body } = await user
      .patch('/calendar/edit', { uid: block.event, updates: { scheduled_for: '2026-11-24T14:00' } })
      .expect(200);
    expect(body).toMatchObject({ yields: false, plan_uid: block.plan });
    await create(user, { title: 'Third', scheduled_for: '2026-11-24T14:00', duration_minutes: 60 });
    expect(await list(user, NOVEMBER)).toHaveLength(3);
    const { body: history } = await user.get(`/memory/history?uid=${block.plan}`).expect(200);
    expect(history[0].action).toBe('edited');
    expect((await user.get(`/calendar/event?uid=${uid}`)).body.version).toBe(1);
  });

  test('that is over stays in the calendar, taking no time', async () => {
    const user = await aUser(app);
    const block = await aBlock(user, 'Write', '2026-11-23T08:00');
    const key = await aKey(app, user, 'user');
    app.clock.set('2026-11-23T12:00:00.000Z');
    try {
      await create(key, { title: 'It was something else', scheduled_for: '2026-11-23T08:30', duration_minutes: 30 });
      const found = (await key.get(`/calendar/event?uid=${block.event}`).expect(200)).body;
      expect(found).toMatchObject({ busy: false, version: 2 });
      expect((await key.get('/agent/queue')).body).toEqual([]);
    } finally {
      app.clock.set(TEST_START);
    }
  });

  test('is refused on busy time, also that of a series, and by the database itself', async () => {
    const user = await aUser(app);
    await create(user, {
      title: 'Standup',
      scheduled_for: '2026-11-23T09:00',
      duration_minutes: 30,
      rrule: 'FREQ=DAILY',
    });
    const { body } = await user.agent
      .post('/agent/plan', {
        actions: [{ action_type: 'schedule', title: 'Write', scheduled_for: '2026-12-15T09:15', duration_minutes: 30 }],
      })
      .expect(200);
    expect(body[0]).toMatchObject({ status: 'rejected', decision: { code: 'slot:blocked' } });
    await create(user, { title: 'Mine', scheduled_for: '2026-11-23T15:00', duration_minutes: 60 });
    const double = app.database.handle.query(
      `insert into events select user_id, 'x', seq, 1, during, span, false, true, null, null, '{}', 'plan', int8range(null, null) from events where user_id = $1 and not recurring`,
      [user.user_id],
    );
    await expect(double).rejects.toMatchObject({ code: '23P01' });
  });
});

describe('free and busy', () => {
  test('slots are free, within the tempo hours, and say why; none says why not', async () => {
    const user = await aUser(app);
    await create(user, {
      title: 'Morning',
      scheduled_for: '2026-11-23T08:00',
      duration_minutes: 120,
      rrule: 'FREQ=DAILY;COUNT=5',
    });
    const { body } = await user
      .get('/calendar/slots?start=2026-11-23&end=2026-11-23&duration_minutes=90&tempo_tag=%40deep_work')
      .expect(200);
    expect(body.slots[0]).toMatchObject({
      start: '2026-11-23T09:00:00.000Z',
      end: '2026-11-23T10:30:00.000Z',
      duration_minutes: 90,
    });
    expect(body.slots[0].reasons.length).toBeGreaterThan(0);
    expect(body.rejected).toEqual([]);
    const past = (await user.get('/calendar/slots?start=2026-11-01&end=2026-11-02&duration_minutes=30').expect(200))
      .body;
    expect(past.slots).toEqual([]);
    expect(past.rejected[0].code).toBe('slot:past');
    const full = (await user.get('/calendar/slots?start=2026-11-23T08:00&end=2026-11-23T10:00').expect(200)).body;
    expect(full.slots).toEqual([]);
    expect(full.rejected).toMatchObject([
      { code: 'slot:blocked', start: '2026-11-23T07:00:00.000Z', end: '2026-11-23T09:00:00.000Z' },
    ]);
    expect(full).toMatchObject({
      rejected_count: 1,
      why: 'the calendar is busy, the longest free time has 0 of 30 minutes',
    });
    await user.get('/calendar/slots?duration_minutes=0').expect(422);
    await user.get('/calendar/slots?start=2026-01-01&end=2028-01-01').expect(422);
  });

  test('slots keep a buffer and the notice asked for', async () => {
    const user = await aUser(app);
    await create(user, { title: 'Noon', scheduled_for: '2026-11-23T12:00', duration_minutes: 60 });
    const { body } = await user
      .get('/calendar/slots?start=2026-11-23T11:00&end=2026-11-23T14:00&duration_minutes=45&buffer_minutes=30&limit=5')
      .expect(200);
    expect(body.slots).toEqual([]);
    const later = (await user.get('/calendar/slots?duration_minutes=30&notice_minutes=2880&limit=1').expect(200)).body;
    expect(later.slots[0].start >= '2026-11-23T09:00:00.000Z').toBe(true);
  });

  test('of very many refused pieces the first hundred are told, and how many there are', async () => {
    const user = await aUser(app);
    await create(user, {
      title: 'Often',
      scheduled_for: '2026-11-23T00:00',
      duration_minutes: 10,
      rrule: 'FREQ=MINUTELY;INTERVAL=15',
    });
    const { body } = await user.get('/calendar/slots?start=2026-11-23&end=2026-12-23&duration_minutes=30').expect(200);
    expect(body).toMatchObject({ slots: [], why: 'the calendar is busy, the longest free time has 5 of 30 minutes' });
    expect(body.rejected).toHaveLength(100);
    expect(body.rejected_count).toBeGreaterThan(31 * 2 * 12 * 4);
  });

  test('busy time is a VFREEBUSY for programs that ask for one', async () => {
    const user = await aUser(app);
    await create(user, { title: 'Secret', scheduled_for: '2026-11-23T10:00', duration_minutes: 60 });
    const answer = await user
      .get('/calendar/freebusy?start=2026-11-23&end=2026-11-23')
      .set('Accept', 'text/calendar')
      .expect(200)
      .expect('Content-Type', /^text\/calendar/);
    const lines = answer.text.split('\r\n');
    expect(lines).toContain('DTSTART:20261122T230000Z');
    expect(lines).toContain('FREEBUSY;FBTYPE=BUSY:20261123T090000Z/20261123T100000Z');
    expect(answer.text).not.toContain('Secret');
  });

  test('busy time is merged and says nothing else; cancelled and free events take none', async () => {
    const user = await aUser(app);
    await create(user, { title: 'a', scheduled_for: '2026-11-23T10:00', duration_minutes: 60 });
    await create(user, { title: 'b', scheduled_for: '2026-11-23T10:30', duration_minutes: 60 });
    await create(user, { title: 'c', scheduled_for: '2026-11-23T12:00', duration_minutes: 60, busy: false });
    await create(user, { title: 'd', scheduled_for: '2026-11-23T13:00', duration_minutes: 60, status: 'cancelled' });
    const series = await create(user, {
      title: 'e',
      scheduled_for: '2026-11-23T15:00',
      duration_minutes: 60,
      rrule: 'FREQ=DAILY',
    });
    const query = '/calendar/freebusy?start=2026-11-23T09:00&end=2026-11-23T15:30';
    const { body } = await user.get(query).expect(200);
    const told = (list: Interval[]) => list.map(({ start, end }) => `${start.slice(11, 16)}-${end.slice(11, 16)}`);
    expect(told(body.busy)).toEqual(['09:00-10:30', '14:00-14:30']);
    expect(told(body.free)).toEqual(['08:00-09:00', '10:30-14:00']);
    await user
      .patch('/calendar/edit', {
        uid: series.uid,
        recurrence_id: series.scheduled_for,
        updates: { status: 'cancelled' },
      })
      .expect(200);
    expect(told((await user.get(query)).body.busy)).toEqual(['09:00-10:30']);
  });
});
