/** Full exports: traces as they are, groups, pages, streams, points in time. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aUser, anApp, type TestApp } from '../support/app.ts';
import { aStory, exported, lines, names, push, walk, type Trace } from '../support/memport.ts';

let app: TestApp;
beforeAll(async () => {
  app = await anApp();
});
afterAll(() => app.close());

describe('full', () => {
  test('has the traces as they are; groups are in order and counted', async () => {
    const user = await aStory(app);
    const { body: pulled } = await user.get('/memory/pull?order=asc').expect(200);
    expect((await exported(user, { export_format: 'full' })).results).toEqual(pulled);
    const byTask = await exported(user, { export_format: 'full', group_by: 'task' });
    expect(byTask.groups).toEqual([
      { key: 'contract', count: 2 },
      { key: 'garden', count: 1 },
      { key: null, count: 1 },
    ]);
    expect(byTask.results.map((t) => [t.uid, t['group']])).toEqual([
      ['a', 'contract'],
      ['b', 'contract'],
      ['d', 'garden'],
      ['c', null],
    ]);
    const byType = await exported(user, { export_format: 'full', group_by: 'trace_type' });
    expect(byType.groups).toEqual([
      { key: 'observation', count: 3 },
      { key: 'reflection', count: 1 },
    ]);
    const byDay = await exported(user, { export_format: 'full', group_by: 'day' });
    expect(byDay.groups).toEqual([
      { key: '2026-11-18', count: 1 },
      { key: '2026-11-19', count: 2 },
      { key: '2026-11-20', count: 1 },
    ]);
  });

  test('include_feedback=false leaves rating and notes out', async () => {
    const user = await aStory(app);
    const { results } = await exported(user, { export_format: 'full', include_feedback: 'false' });
    for (const trace of results)
      for (const field of ['feedback_rating', 'notes']) expect(trace).not.toHaveProperty(field);
  });

  test.each([undefined, 'task', 'trace_type', 'day'])(
    'pages and stream hold each trace once, as of the first page (group_by %s)',
    async (group_by) => {
      const user = await aUser(app);
      await push(
        user,
        Array.from({ length: 23 }, (_, i) => ({
          uid: `t${i}`,
          type: i % 3 ? 'observation' : 'reflection',
          ...(i % 4 ? { task_id: `task ${i % 4}` } : {}),
          timestamp: new Date(Date.UTC(2026, 10, 1 + (i % 5))).toISOString(),
        })),
      );
      const query = { export_format: 'full', ...(group_by ? { group_by } : {}) };
      const whole = (await exported(user, query)).results;
      let n = 0;
      const paged = await walk<Trace>(user, { ...query, limit: 5 }, async () => {
        await user.patch('/memory/edit', { uid: `t${n}`, updates: { task_id: 'moved' } }).expect(200);
        await user.delete(`/memory/remove?uid=t${22 - n++}`).expect(200);
        await push(user, [{ task_id: 'task 1' }]);
      });
      expect(paged).toEqual(whole);
      expect(await lines(app, user, { ...query, as_of: whole.reduce((seq, t) => Math.max(seq, t.seq), 0) })).toEqual(
        whole,
      );
    },
  );

  test('long traces come whole in shorter pages, and as lines', async () => {
    const user = await aUser(app);
    const long = (i: number): object => ({
      uid: `t${10 + i}`,
      content: `${i} `.repeat(33_000).slice(0, 99_999),
      metadata: { i },
      timestamp: `2026-11-01T00:00:${10 + i}Z`,
    });
    for (let i = 0; i < 24; i += 6)
      await push(
        user,
        Array.from({ length: 6 }, (_, k) => long(i + k)),
      );
    const first = await exported(user, { export_format: 'full' });
    expect(first.results.length).toBeLessThan(24);
    const paged = await walk<Trace>(user, { export_format: 'full' });
    expect(paged.map((t) => t['metadata'])).toEqual(Array.from({ length: 24 }, (_, i) => ({ i })));
    expect(await lines(app, user, { export_format: 'full' })).toEqual(paged);
    for (const export_format of ['linked', 'diff']) expect(await walk(user, { export_format })).toHaveLength(24);
    const heir = await aUser(app);
    expect((await heir.post('/memport/import', first).expect(200)).body.created).toBe(first.results.length);
  });

  test('more than a batch streams whole', async () => {
    const user = await aUser(app);
    for (let i = 0; i < 2; i++)
      await push(
        user,
        Array.from({ length: 800 }, (_, k) => ({ content: `note ${i} ${k}` })),
      );
    const streamed = await lines<Trace>(app, user, { export_format: 'full' });
    expect(new Set(names(streamed)).size).toBe(1600);
    expect((await exported(user, { export_format: 'full' })).results).toHaveLength(1000);
  });

  test('include: events that overlap the window or match the task, and the profile, each told by its subject', async () => {
    const user = await aStory(app);
    const event = (uid: string, scheduled_for: string, more: object = {}) =>
      user.post('/calendar/create', { uid, title: uid, scheduled_for, duration_minutes: 60, ...more }).expect(201);
    await event('early', '2026-11-17T23:30'); // into the 18th
    await event('series', '2026-11-01T10:00', { rrule: 'FREQ=WEEKLY;COUNT=8', task_id: 'contract', tags: ['#legal'] });
    await event('late', '2026-11-20T10:00');
    /** The calendar's own traces aside. */
    const told = async (query: object) =>
      (await exported(user, { export_format: 'full', ...query })).results
        .filter((element) => element['type'] !== 'calendar_event')
        .map((element) => `${String(element['subject'])} ${element.uid}`);
    const profile = `profile ${user.user_id}`;
    expect((await told({ include: 'profile,events' })).filter((e) => !e.startsWith('trace'))).toEqual([
      'event series',
      'event early',
      'event late',
      profile,
    ]);
    expect(await told({ include: 'events', start_time: '2026-11-18', end_time: '2026-11-19' })).toEqual([
      'event series',
      'event early',
    ]);
    expect(await told({ include: 'events', end_time: '2026-10-31' })).toEqual([]);
    expect(await told({ include: 'traces,events,profile', task_id: 'contract' })).toEqual([
      'trace a',
      'trace b',
      'event series',
      profile,
    ]);
    expect(await told({ include: 'traces,events', tag: '#legal' })).toEqual(['trace a', 'event series']);
    const grouped = await exported(user, { export_format: 'full', include: 'traces', group_by: 'task', tag: '#legal' });
    expect(grouped.results[0]).toMatchObject({ subject: 'trace', uid: 'a', group: 'contract' });
    const { as_of_seq: then } = await exported(user, { export_format: 'full' });
    await user.delete('/calendar/remove?uid=series').expect(200);
    await user
      .patch('/calendar/edit', { user_id: user.user_id, uid: 'late', updates: { scheduled_for: '2026-12-20T10:00' } })
      .expect(200);
    const window = { include: 'events', start_time: '2026-11-20', end_time: '2026-11-30' };
    expect(await told(window)).toEqual([]);
    expect(await told({ ...window, as_of: then })).toEqual(['event series', 'event late']);
    const { results } = await exported(user, {
      export_format: 'full',
      include: 'events',
      as_of: then,
      task_id: 'contract',
    });
    const { body: asShown } = await user
      .get(`/calendar/events?start=2026-11-01&end=2026-11-02&as_of=${then}`)
      .expect(200);
    expect(results[0]).toMatchObject({
      subject: 'event',
      title: 'series',
      seq: asShown[0].seq,
      rrule: asShown[0].rrule,
    });
  });

  test('as_of tells what was known then', async () => {
    const user = await aStory(app);
    const before = await exported(user, { export_format: 'full' });
    app.clock.advance(5000);
    await user.patch('/memory/edit', { uid: 'a', updates: { content: 'rewritten' } }).expect(200);
    await user.delete('/memory/remove?uid=d').expect(200);
    const then = await exported(user, { export_format: 'full', as_of: before.as_of_seq });
    expect(then.results).toEqual(before.results);
    const at = await exported(user, { export_format: 'full', as_of: before.results.at(-1)?.['recorded_at'] });
    expect(at.results).toEqual(before.results);
  });
});
