/** Linked exports: seeds, and all that is reachable from them. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aUser, anApp, type TestApp } from '../support/app.ts';
import { aStory, exported, lines, names, push, walk, type Trace } from '../support/memport.ts';
import { runs } from '../support/thoroughness.ts';

type Edge = { from: string; to: string; kind: string };

let app: TestApp;
beforeAll(async () => {
  app = await anApp();
});
afterAll(() => app.close());

describe('linked', () => {
  test('seeds and everything reachable, once, with depths, edges and what is missing', async () => {
    const user = await aStory(app);
    const body = await exported(user, { export_format: 'linked', tag: '#legal' });
    expect(body.results.map((t) => [t.uid, t['depth']])).toEqual([
      ['a', 0],
      ['b', 1],
      ['c', 2],
    ]);
    expect(body['edges']).toEqual([
      { from: 'a', to: 'b', kind: 'linked' },
      { from: 'a', to: 'nowhere', kind: 'linked' },
      { from: 'b', to: 'a', kind: 'linked' },
      { from: 'b', to: 'c', kind: 'linked' },
    ]);
    expect(body['missing']).toEqual(['nowhere']);
    expect(await walk(user, { export_format: 'linked', tag: '#legal', limit: 1 })).toEqual(body.results);
    expect(await lines(app, user, { export_format: 'linked', tag: '#legal' })).toEqual(body.results);
    const grouped = await exported(user, { export_format: 'linked', tag: '#legal', group_by: 'task' });
    expect(grouped.results.map((t) => [t['group'], t.uid])).toEqual([
      ['contract', 'a'],
      ['contract', 'b'],
      [null, 'c'],
    ]);
  });

  test('the graph around one trace, as far as it is asked for', async () => {
    const user = await aStory(app);
    const from = (uid: string, max_depth: number) => exported(user, { export_format: 'linked', uid, max_depth });
    const found = async (uid: string, depth: number) => (await from(uid, depth)).results.map((t) => t.uid);
    expect(await found('a', 0)).toEqual(['a']);
    expect(await found('a', 1)).toEqual(['a', 'b']);
    expect(await found('a', 2)).toEqual(['a', 'b', 'c']);
    expect(await found('c', 5)).toEqual(['c']);
    expect(await found('none', 5)).toEqual([]);
    expect((await from('a', 0))['edges']).toMatchObject([{ to: 'b' }, { to: 'nowhere' }]);
    const { body } = await user.get('/memport/export?export_format=full&uid=a&max_depth=-1').expect(422);
    expect(body.errors.map((e: { path: string }) => e.path)).toEqual(['/max_depth']);
    await user.get('/memport/export?export_format=full&uid=a').expect(422);
  });

  test('an executed plan leads to its records and, through its event, to the calendar’s trace', async () => {
    const user = await aUser(app);
    const [plan] = (
      await user
        .post('/agent/plan', {
          actions: [
            {
              action_type: 'schedule',
              title: 'Dentist',
              task_id: 'teeth',
              scheduled_for: '2026-11-25T10:00',
              duration_minutes: 30,
            },
          ],
        })
        .expect(200)
    ).body;
    await user.post('/agent/approve', { uid: plan.uid }).expect(200);
    const body = await exported(user, { export_format: 'linked', type: 'agent_plan' });
    const kinds = new Map((body['edges'] as { from: string; to: string; kind: string }[]).map((e) => [e.kind, e]));
    const types = new Map(body.results.map((t) => [t.uid, t['type']]));
    expect(kinds.get('child')?.from).toBe(plan.uid);
    expect(types.get(kinds.get('event')?.to ?? '')).toBe('calendar_event');
    expect(body['missing']).toEqual([]);
  });

  test('an event changed often: its first trace leads to the others, each to the first', async () => {
    const user = await aUser(app);
    await user
      .post('/calendar/create', { uid: 'e', title: 'Call', scheduled_for: '2026-11-25T10:00', duration_minutes: 30 })
      .expect(201);
    for (let i = 0; i < 4; i++) {
      app.clock.advance(1000);
      await user
        .patch('/calendar/edit', { user_id: user.user_id, uid: 'e', updates: { title: `Call ${i}` } })
        .expect(200);
    }
    await push(user, [{ uid: 'note', linked_event_uid: 'e', tags: ['#seed'], timestamp: '2026-11-01T00:00:00Z' }]);
    const body = await exported(user, { export_format: 'linked', tag: '#seed' });
    expect(body.results.map((t) => t['depth'])).toEqual([0, 1, 2, 2, 2, 2]);
    const [note, first, ...others] = names(body.results) as [string, string, ...string[]];
    const edges = (body['edges'] as Edge[]).map(({ from, to, kind }) => `${kind} ${from} ${to}`);
    expect(edges).toEqual([
      `event ${note} ${first}`,
      ...others.map((uid) => `event ${first} ${uid}`),
      ...others.map((uid) => `event ${uid} ${first}`),
    ]);
  });

  test('random graphs: reach, depth, edges and missing as a plain walk finds them, on every page, repeated and out of order', async () => {
    const uid = fc.nat({ max: 11 }).map((n) => `n${10 + n}`);
    const graph = fc.uniqueArray(
      fc.record({
        uid,
        linked: fc.array(uid, { maxLength: 4 }),
        children: fc.array(uid, { maxLength: 2 }),
        seed: fc.boolean(),
      }),
      { selector: (node) => node.uid, minLength: 1, maxLength: 10 },
    );
    await fc.assert(
      fc.asyncProperty(graph, fc.integer({ min: 1, max: 4 }), async (nodes, limit) => {
        const user = await aUser(app);
        await push(
          user,
          nodes.map((n) => ({
            uid: n.uid,
            linked_trace_ids: n.linked,
            child_trace_ids: n.children,
            tags: n.seed ? ['#seed'] : [],
            timestamp: '2026-11-01T00:00:00Z',
          })),
        );
        const byUid = new Map(nodes.map((n) => [n.uid, n]));
        const depths = new Map(nodes.filter((n) => n.seed).map((n) => [n.uid, 0]));
        for (const [from, depth] of depths)
          for (const to of [...(byUid.get(from)?.linked ?? []), ...(byUid.get(from)?.children ?? [])])
            if (byUid.has(to) && !depths.has(to)) depths.set(to, depth + 1);
        const expected = [...depths].sort(([a, x], [b, y]) => x - y || (a < b ? -1 : 1));
        const query = { export_format: 'linked', tag: '#seed', limit };
        const pages = [await exported(user, query)];
        while (pages.at(-1)?.next_cursor)
          pages.push(await exported(user, { ...query, cursor: pages.at(-1)?.next_cursor }));
        expect(pages.flatMap((page) => page.results.map((t) => [t.uid, t['depth']]))).toEqual(expected);
        for (const page of pages) {
          const edges = page.results.flatMap((t) =>
            (['linked', 'children'] as const).flatMap((kind) =>
              [...new Set(byUid.get(t.uid)?.[kind])].map((to) => ({
                from: t.uid,
                to,
                kind: kind === 'linked' ? 'linked' : 'child',
              })),
            ),
          );
          expect(page['edges']).toEqual(edges);
          expect(page['missing']).toEqual([...new Set(edges.map((e) => e.to))].filter((to) => !byUid.has(to)));
        }
        for (const [i, page] of pages.slice(1).toReversed().entries()) {
          const { next_cursor: cursor } = pages[pages.length - 2 - i] as { next_cursor: string };
          expect((await exported(user, { ...query, cursor })).results).toEqual(page.results);
        }
      }),
      { numRuns: runs(15), endOnFailure: true },
    );
  });

  test('a long chain that bites its own tail ends', async () => {
    const user = await aUser(app);
    const length = 600;
    await push(
      user,
      Array.from({ length }, (_, i) => ({
        uid: `n${i}`,
        linked_trace_ids: [`n${(i + 1) % length}`],
        task_id: i ? 'chain' : 'start',
      })),
    );
    const chain = await walk<Trace>(user, { export_format: 'linked', task_id: 'start', limit: 250 });
    expect(chain.map((t) => t['depth'])).toEqual(Array.from({ length }, (_, i) => i));
    await user.patch('/memory/edit', { uid: 'n10', updates: { linked_trace_ids: [] } }).expect(200);
    expect((await exported(user, { export_format: 'linked', task_id: 'start' })).results).toHaveLength(11);
  });
});
