/** What every change of the calendar leaves behind: ledger entries, a trace, messages; and decisions about plans. */
import type { KyselyPlugin } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anApp, aUser, type Client, type TestApp, type TestUser } from '../support/app.ts';
import { aBlock, calendarText, create, imported, list, vevent } from '../support/calendar.ts';

let app: TestApp;
beforeAll(async () => {
  app = await anApp();
});
afterAll(() => app.close());

type Message = { type: string; subject: string; sequence: number; data: { uid?: string; content?: string } };

const messages = async (user: Client, after: number): Promise<Message[]> => {
  const { body } = await user.get(`/agent/changes?after=${after}&limit=1000`).expect(200);
  return body.changes as Message[];
};
const head = async (user: Client): Promise<number> => (await user.get('/agent/changes').expect(200)).body.seq as number;

describe('every way an event changes', () => {
  const ways: [string, string, (user: TestUser, uid: string) => unknown, number][] = [
    ['an edit', 'event.updated', (user, uid) => user.patch('/calendar/edit', { uid, updates: { title: 'B' } }), 1],
    [
      'an edit of one occurrence',
      'event.updated',
      (user, uid) =>
        user.patch('/calendar/edit', { uid, recurrence_id: '2026-11-30T09:00:00Z', updates: { title: 'B' } }),
      1,
    ],
    ['a removal', 'event.removed', (user, uid) => user.delete(`/calendar/remove?uid=${uid}`), 1],
    [
      'a removal of one occurrence',
      'event.updated',
      (user, uid) => user.delete(`/calendar/remove?uid=${uid}&recurrence_id=2026-11-30T09:00:00Z`),
      1,
    ],
    [
      'an import',
      'event.updated',
      (user, uid) =>
        imported(
          app,
          user,
          calendarText(
            vevent(
              `UID:${uid}`,
              'SEQUENCE:3',
              'DTSTART;TZID=Europe/Berlin:20261123T110000',
              'DURATION:PT30M',
              'SUMMARY:B',
              'RRULE:FREQ=WEEKLY',
            ),
          ),
        ),
      1,
    ],
    [
      'a split',
      'event.updated',
      (user, uid) =>
        user.patch('/calendar/edit', {
          uid,
          scope: 'following',
          recurrence_id: '2026-11-30T09:00:00Z',
          updates: { title: 'B' },
        }),
      2,
    ],
  ];

  test.each(ways)('%s is told once, with its trace', async (_name, type, change, events) => {
    const user = await aUser(app);
    const { uid } = await create(user, {
      title: 'A',
      scheduled_for: '2026-11-23T10:00',
      duration_minutes: 30,
      rrule: 'FREQ=WEEKLY',
    });
    const before = await head(user);
    await change(user, uid);
    const told = await messages(user, before);
    const about = told.filter((one) => one.type.startsWith('event.'));
    expect(about).toHaveLength(events);
    expect(about[0]).toMatchObject({ type });
    expect(about[0]?.subject).toContain(uid);
    expect(told.filter((one) => one.type === 'trace.created')).toHaveLength(events);
    const { body: traces } = await user.get('/memory/pull?type=calendar_event&order=desc&limit=10').expect(200);
    expect(traces).toHaveLength(1 + events);
    expect((await user.get('/debug/audit').expect(200)).body.ok).toBe(true);
  });

  test('a split is known from both sides', async () => {
    const user = await aUser(app);
    const { uid } = await create(user, {
      title: 'A',
      scheduled_for: '2026-11-23T10:00',
      duration_minutes: 30,
      rrule: 'FREQ=WEEKLY',
    });
    const { body: tail } = await user
      .patch('/calendar/edit', {
        uid,
        scope: 'following',
        recurrence_id: '2026-12-07T09:00:00Z',
        updates: { title: 'B' },
      })
      .expect(200);
    const { body: before } = await user.get(`/calendar/event?uid=${uid}`).expect(200);
    const { body: after } = await user.get(`/calendar/event?uid=${tail.uid}`).expect(200);
    expect([before.split_to, after.split_from]).toEqual([tail.uid, uid]);
    const found = await list(user, 'start=2026-11-23&end=2026-12-15');
    expect(found).toMatchObject([
      { uid, split_to: tail.uid },
      { uid, split_to: tail.uid },
      { uid: tail.uid, split_from: uid },
      { uid: tail.uid, split_from: uid },
    ]);
  });

  test('series split again and again are a chain', async () => {
    const user = await aUser(app);
    const series = { title: 'A', scheduled_for: '2026-11-23T10:00', duration_minutes: 30, rrule: 'FREQ=WEEKLY' };
    const { uid } = await create(user, series);
    const split = async (day: string, title: string): Promise<string> => {
      const recurrence_id = `2026-${day}T09:00:00Z`;
      const edit = { uid, scope: 'following', recurrence_id, updates: { title } };
      return (await user.patch('/calendar/edit', edit).expect(200)).body.uid as string;
    };
    const last = await split('12-21', 'C');
    const middle = await split('12-07', 'B');
    const chain = await Promise.all(
      [uid, middle, last].map(async (one) => (await user.get(`/calendar/event?uid=${one}`)).body),
    );
    expect(chain.map((one) => [one.split_from, one.split_to])).toEqual([
      [null, middle],
      [uid, last],
      [middle, null],
    ]);
    expect((await list(user, 'start=2026-11-23&end=2026-12-31')).map((event) => event.title).join('')).toBe('AABBCC');
  });

  test('an import tells of each event, in as many statements for ten as for a whole part', async () => {
    let statements = 0;
    const counter: KyselyPlugin = {
      transformQuery: ({ node }) => {
        statements += 1;
        return node;
      },
      transformResult: async ({ result }) => result,
    };
    const { database } = app;
    const { handle } = database;
    const counting = { ...database, handle: { ...handle, db: handle.db.withPlugin(counter) } };
    const other = await anApp({ database: counting, clock: app.clock });
    const countOf = async (count: number): Promise<number> => {
      const user = await aUser(other);
      const before = await head(user);
      const events = Array.from({ length: count }, (_, i) =>
        vevent(`UID:e${i}`, `DTSTART:202612${10 + (i % 20)}T100000Z`, 'DURATION:PT15M', `SUMMARY:Event ${i}`),
      );
      statements = 0;
      const { body } = await imported(other, user, calendarText(...events)).expect(200);
      const asked = statements;
      expect(body).toMatchObject({ created: count });
      const told = (await messages(user, before)).map((one) => one.type);
      expect(told.toSorted()).toEqual([...events.map(() => 'event.created'), ...events.map(() => 'trace.created')]);
      return asked;
    };
    try {
      const few = await countOf(10);
      expect(await countOf(40)).toBe(few);
    } finally {
      await other.close();
    }
  });
});

describe('what a person does to the event of an agent’s plan', () => {
  const move = { scheduled_for: '2026-11-25T15:00' };
  const inFile = (uid: string, sequence: number, start: string) =>
    calendarText(
      vevent(`UID:${uid}`, `SEQUENCE:${sequence}`, `DTSTART:${start}`, 'DURATION:PT60M', 'SUMMARY:Write chapter'),
    );
  const ways: [string, string, (user: TestUser, event: string) => PromiseLike<{ status: number }>][] = [
    ['moving it', 'event_moved', (user, uid) => user.patch('/calendar/edit', { uid, updates: move })],
    [
      'changing it',
      'event_edited',
      (user, uid) => user.patch('/calendar/edit', { uid, updates: { title: 'Chapter' } }),
    ],
    [
      'making a series of it',
      'event_moved',
      (user, uid) => user.patch('/calendar/edit', { uid, updates: { rrule: 'FREQ=WEEKLY' } }),
    ],
    ['removing it', 'event_removed', (user, uid) => user.delete(`/calendar/remove?uid=${uid}`)],
    [
      'moving it in another program',
      'event_moved',
      (user, uid) => imported(app, user, inFile(uid, 1, '20261125T140000Z')),
    ],
    [
      'changing it in another program',
      'event_edited',
      (user, uid) => imported(app, user, inFile(uid, 1, '20261124T090000Z').replace('Write chapter', 'Chapter')),
    ],
  ];

  test.each(ways)('%s is a decision about the plan', async (_name, code, act) => {
    const user = await aUser(app);
    const { plan, event } = await aBlock(user, 'Write chapter', '2026-11-24T10:00');
    const before = await head(user);
    expect((await act(user, event)).status).toBe(200);
    const { body: traces } = await user.get('/memory/pull?type=observation&order=desc&limit=1').expect(200);
    expect(traces[0]).toMatchObject({
      linked_trace_ids: [plan],
      transition: { plan_uid: plan, from: 'executed', to: 'edited', code },
    });
    const { body: history } = await user.get(`/memory/history?uid=${plan}`).expect(200);
    expect(history[0]).toMatchObject({ action: 'edited', trace: { status: 'executed' } });
    expect(history[0].trace.child_trace_ids).toContain(traces[0].uid);
    expect((await messages(user, before)).map((one) => one.type)).toContain('plan.edited');
  });

  test('one occurrence of the series it has become is one, too; an older file is none', async () => {
    const user = await aUser(app);
    const { plan, event } = await aBlock(user, 'Write chapter', '2026-11-24T10:00');
    await user.patch('/calendar/edit', { uid: event, updates: { rrule: 'FREQ=WEEKLY' } }).expect(200);
    const decisions = async () => (await user.get(`/memory/history?uid=${plan}`)).body.length as number;
    const before = await decisions();
    const recurrence_id = '2026-12-01T09:00:00Z';
    await user.patch('/calendar/edit', { uid: event, recurrence_id, updates: { title: 'Once' } }).expect(200);
    await user.delete(`/calendar/remove?uid=${event}&recurrence_id=${recurrence_id}`).expect(200);
    expect(await decisions()).toBe(before + 2);
    await imported(app, user, inFile(event, 0, '20261125T140000Z')).expect(200);
    expect(await decisions()).toBe(before + 2);
  });
});
