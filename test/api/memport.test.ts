/** Context export as agents and people use it: four modes, pages, streams, points in time, what stays private, and the way back in. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { applyPatch, type PatchOperation } from '../../src/domain/diff.ts';
import { countTokens } from '../../src/domain/tokens.ts';
import { aKey, anApp, aUser, client, type Client, type TestApp, type TestUser } from '../support/app.ts';

type Trace = Record<string, unknown> & { uid: string; seq: number; content: string };
type Exported<T> = {
  results: T[];
  groups?: { key: string | null; count: number }[];
  as_of_seq: number;
  next_cursor: string | null;
} & Record<string, unknown>;

let app: TestApp;
beforeAll(async () => {
  app = await anApp();
});
afterAll(() => app.close());

const address = (user: TestUser, query: Record<string, unknown>): string =>
  `/memport/export?${new URLSearchParams({ user_id: user.user_id, ...(query as Record<string, string>) }).toString()}`;
const get = (user: TestUser, query: Record<string, unknown>, who: Client = user) => who.get(address(user, query));
const exported = async <T = Trace>(
  user: TestUser,
  query: Record<string, unknown>,
  who: Client = user,
): Promise<Exported<T>> => (await get(user, query, who).expect(200)).body;
const push = async (user: Client, traces: object[]): Promise<{ seq: number }[]> =>
  (
    await user
      .post('/memory/push', { traces: traces.map((t) => ({ type: 'observation', content: 'x', ...t })) })
      .expect(201)
  ).body;
const names = (results: { uid: string }[]): string[] => results.map((r) => r.uid);

/** Every result of a walk by cursor. */
const walk = async <T>(
  user: TestUser,
  query: Record<string, unknown>,
  meanwhile: () => Promise<unknown> = async () => undefined,
): Promise<T[]> => {
  const all: T[] = [];
  let page = await exported<T>(user, query);
  for (let pages = 0; pages < 100; pages++) {
    all.push(...page.results);
    if (!page.next_cursor) return all;
    await meanwhile();
    page = await exported<T>(user, { ...query, cursor: page.next_cursor });
  }
  throw new Error('the walk does not end');
};

/** The lines of a stream. */
const lines = async <T>(user: TestUser, query: Record<string, unknown>, who: Client = user): Promise<T[]> => {
  const answer = await fetch(`${app.url}${address(user, query)}`, {
    headers: { Authorization: `Bearer ${who.token}`, Accept: 'application/x-ndjson' },
  });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toContain('application/x-ndjson');
  expect(Number(answer.headers.get('almanac-as-of-seq'))).toBeGreaterThan(0);
  return (await answer.text())
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as T);
};

const aStory = async (): Promise<TestUser> => {
  const user = await aUser(app);
  await push(user, [
    {
      uid: 'a',
      content: 'The supplier wants the contract signed by Friday, says Jane Doe.',
      task_id: 'contract',
      tags: ['#legal'],
      linked_trace_ids: ['b', 'nowhere'],
      timestamp: '2026-11-18T09:00:00Z',
      authored_by: 'Jane Doe',
      chat_url: 'https://chat.example/1',
    },
    {
      uid: 'b',
      content: 'Jane doe answered.',
      task_id: 'contract',
      linked_trace_ids: ['a', 'c'],
      feedback_rating: 5,
      notes: 'see https://chat.example/1',
      timestamp: '2026-11-18T23:30:00Z',
      metadata: { by: 'jane doe' },
    },
    {
      uid: 'c',
      type: 'reflection',
      content: 'I plan better in the morning.',
      tempo_tag: '@morning',
      timestamp: '2026-11-19T09:00:00Z',
    },
    { uid: 'd', content: 'Nothing to do with it.', task_id: 'garden', timestamp: '2026-11-20T09:00:00Z' },
  ]);
  return user;
};

describe('summary', () => {
  test('has the four fields, oldest first, and says what it is', async () => {
    const user = await aStory();
    const body = await exported(user, { export_format: 'summary' });
    expect(body).toMatchObject({
      user_id: user.user_id,
      export_format: 'summary',
      omitted: null,
      next_cursor: null,
      generated_at: app.clock.now(),
    });
    expect(body.results[2]).toEqual({
      type: 'reflection',
      task_id: null,
      timestamp: '2026-11-19T09:00:00.000Z',
      summary: 'I plan better in the morning.',
    });
    expect(body.results).toHaveLength(4);
    const [, rated] = (await exported(user, { export_format: 'summary', include_feedback: true })).results;
    expect(rated).toMatchObject({ feedback_rating: 5, notes: 'see https://chat.example/1' });
  });

  test.each([
    [{ task_id: 'contract' }, 2],
    [{ tempo_tag: '@morning' }, 1],
    [{ type: 'reflection' }, 1],
    [{ tag: '#legal' }, 1],
    [{ start_time: '2026-11-19', end_time: '2026-11-19' }, 2], // 23:30 UTC is the 19th in Berlin
    [{ start_time: '2026-11-18T09:00:00Z', end_time: '2026-11-18T09:00:00Z' }, 1],
    [{ task_id: 'none' }, 0],
  ])('filters: %j', async (filter, count) => {
    const user = await aStory();
    expect((await exported(user, { export_format: 'summary', ...filter })).results).toHaveLength(count);
  });

  test('never has more tokens than asked for, keeps what is worth most, and tells what it left out', async () => {
    const user = await aUser(app);
    const many = Array.from({ length: 60 }, (_, i) => ({
      uid: `t${i}`,
      content: `Note ${i}: on day ${i} the harbour “opened” at ${i % 24} o’clock. ${'🚢 '.repeat(i % 4)}`,
      timestamp: new Date(Date.UTC(2026, 8, 1 + i)).toISOString(),
      ...(i === 0 ? { feedback_rating: 5, linked_trace_ids: ['t1', 't2', 't3', 't4', 't5'] } : {}),
    }));
    await push(user, many);
    const whole = await exported(user, { export_format: 'summary' });
    for (const group_by of [undefined, 'day']) {
      for (const max_token_count of [1, 2, 40, 100, 555, 5000]) {
        const body = await exported<{ summary: string }>(user, {
          export_format: 'summary',
          max_token_count,
          ...(group_by ? { group_by } : {}),
        });
        if (body.results.length) expect(countTokens(JSON.stringify(body.results))).toBeLessThanOrEqual(max_token_count);
        expect(body.results.length + ((body['omitted'] as { count: number } | null)?.count ?? 0)).toBe(
          whole.results.length,
        );
        expect(body.next_cursor).toBeNull();
        if (max_token_count === 555) expect(body.results.map((r) => r.summary).join()).toMatch(/Note 0:.*Note 59:/s);
      }
    }
    const tight = await exported(user, { export_format: 'summary', max_token_count: 1 });
    expect(tight['omitted']).toEqual({
      count: 60,
      oldest: '2026-09-01T00:00:00.000Z',
      newest: '2026-10-30T00:00:00.000Z',
    });
  });

  test('comes from the cache until something is written, and answers 304 to who has it', async () => {
    const user = await aStory();
    const ask = () => get(user, { export_format: 'summary', max_token_count: 200 });
    const first = await ask();
    app.clock.advance(1000);
    const again = await ask();
    expect([first.headers['x-cache'], again.headers['x-cache']]).toEqual(['miss', 'hit']);
    expect(again.text).toBe(first.text);
    expect(again.headers['etag']).toBe(first.headers['etag']);
    const known = await ask().set('If-None-Match', `"other", ${first.headers['etag']}`);
    expect([known.status, known.text, known.headers['etag']]).toEqual([304, '', first.headers['etag']]);
    app.clock.advance(21 * 60_000);
    expect((await ask()).headers['x-cache']).toBe('miss');
    await push(user, [{ content: 'something new' }]);
    const after = await ask().set('If-None-Match', first.headers['etag'] as string);
    expect([after.status, after.headers['x-cache']]).toEqual([200, 'miss']);
    expect((await get(user, { export_format: 'summary', max_token_count: 200 }, user.agent)).headers['x-cache']).toBe(
      'miss',
    ); // sees less
  });
});

describe('full', () => {
  test('has the traces as they are; groups are in order and counted', async () => {
    const user = await aStory();
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
    const user = await aStory();
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
      expect(await lines(user, { ...query, as_of: whole.reduce((seq, t) => Math.max(seq, t.seq), 0) })).toEqual(whole);
    },
  );

  test('more than a batch streams whole', async () => {
    const user = await aUser(app);
    for (let i = 0; i < 2; i++)
      await push(
        user,
        Array.from({ length: 800 }, (_, k) => ({ content: `note ${i} ${k}` })),
      );
    const streamed = await lines<Trace>(user, { export_format: 'full' });
    expect(new Set(names(streamed)).size).toBe(1600);
    expect((await exported(user, { export_format: 'full' })).results).toHaveLength(1000);
  });

  test('as_of tells what was known then', async () => {
    const user = await aStory();
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

describe('linked', () => {
  test('seeds and everything reachable, once, with depths, edges and what is missing', async () => {
    const user = await aStory();
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
    expect(await lines(user, { export_format: 'linked', tag: '#legal' })).toEqual(body.results);
    const grouped = await exported(user, { export_format: 'linked', tag: '#legal', group_by: 'task' });
    expect(grouped.results.map((t) => [t['group'], t.uid])).toEqual([
      ['contract', 'a'],
      ['contract', 'b'],
      [null, 'c'],
    ]);
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

type Difference = { op: string; uid: string; trace?: Trace; patch?: PatchOperation[] };

const applied = (from: Trace[], diff: Difference[]): Trace[] => {
  const all = new Map(from.map((t) => [t.uid, t]));
  for (const { op, uid, trace, patch } of diff) {
    if (op === 'added') expect(all.has(uid)).toBe(false);
    else expect(all.has(uid)).toBe(true);
    if (op === 'removed') all.delete(uid);
    else
      all.set(uid, op === 'added' ? (trace as Trace) : (applyPatch(all.get(uid), patch as PatchOperation[]) as Trace));
  }
  return [...all.values()].toSorted((a, b) => (a.uid < b.uid ? -1 : 1));
};

const byUid = (traces: Trace[]): Trace[] => traces.toSorted((a, b) => (a.uid < b.uid ? -1 : 1));

describe('diff', () => {
  test('one operation for each trace that is another, between two points of any kind', async () => {
    const user = await aStory();
    const { as_of_seq } = await exported(user, { export_format: 'full', checkpoint: 'before.work' });
    const start = app.clock.now();
    app.clock.advance(60_000);
    await user.patch('/memory/edit', { uid: 'a', updates: { content: 'one' } }).expect(200);
    await user.patch('/memory/edit', { uid: 'a', updates: { content: 'two' } }).expect(200);
    await user.delete('/memory/remove?uid=b').expect(200);
    await push(user, [{ uid: 'e' }, { uid: 'f' }]);
    await user.delete('/memory/remove?uid=f').expect(200);
    const body = await exported<Difference>(user, { export_format: 'diff', from: as_of_seq });
    expect(body.results.map(({ op, uid }) => [op, uid])).toEqual([
      ['changed', 'a'],
      ['removed', 'b'],
      ['added', 'e'],
    ]);
    expect(body).toMatchObject({ from_seq: as_of_seq });
    for (const point of [
      { from: 'before.work' },
      { start_time: start },
      { start_time: start, end_time: app.clock.now() },
    ])
      expect((await exported<Difference>(user, { export_format: 'diff', ...point })).results).toEqual(body.results);
    expect((await exported(user, { export_format: 'diff', from: as_of_seq, to: as_of_seq })).results).toEqual([]);
    expect(await walk(user, { export_format: 'diff', from: as_of_seq, limit: 1 })).toEqual(body.results);
    const grouped = await exported<Difference>(user, { export_format: 'diff', from: as_of_seq, group_by: 'task' });
    expect(grouped.groups).toEqual([
      { key: 'contract', count: 2 },
      { key: null, count: 1 },
    ]);
    expect(await walk(user, { export_format: 'diff', from: as_of_seq, group_by: 'task', limit: 1 })).toEqual(
      grouped.results,
    );
    expect((await exported(user, { export_format: 'diff' })).results).toHaveLength(4); // from the beginning: all that is there
  });

  test('an agent’s loop: export before, work, diff after, applied equals a fresh export', async () => {
    const user = await aStory();
    const before = await exported(user, { export_format: 'full' }, user.agent);
    await push(user.agent, [{ uid: 'done', content: 'worked on it', linked_trace_ids: ['a'] }]);
    await user.agent.patch('/memory/edit', { uid: 'd', updates: { tags: ['#x'] } }).expect(200);
    const diff = await exported<Difference>(user, { export_format: 'diff', from: before.as_of_seq }, user.agent);
    const fresh = await exported(user, { export_format: 'full' }, user.agent);
    expect(applied(before.results, diff.results)).toEqual(byUid(fresh.results));
  });

  test(
    'full(from) + diff = full(to), over random histories, filters and credentials',
    { timeout: 120_000 },
    async () => {
      const uid = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
      const fields = {
        content: fc.constantFrom('Mia was here', 'on the boat', 'MIA and the boat', 'elsewhere'),
        task_id: fc.constantFrom(null, 'one', 'two'),
        tags: fc.constantFrom([], ['#x'], ['#x', 'y']),
        authored_by: fc.constantFrom(null, null, 'Mia', 'the boat'),
        metadata: fc.constantFrom({}, { k: 'Mia', n: [1, { deep: 'the boat' }] }, { k: 'other', n: [2] }),
        notes: fc.constantFrom(null, 'by Mia'),
        linked_trace_ids: fc.array(uid, { maxLength: 3 }),
      };
      const step = fc.oneof(
        { weight: 3, arbitrary: fc.record({ op: fc.constant('push' as const), uid, fields: fc.record(fields) }) },
        {
          weight: 3,
          arbitrary: fc.record({
            op: fc.constant('edit' as const),
            uid,
            fields: fc.record(fields, { requiredKeys: [] }),
          }),
        },
        { weight: 1, arbitrary: fc.record({ op: fc.constant('remove' as const), uid, fields: fc.constant({}) }) },
      );
      await fc.assert(
        fc.asyncProperty(
          fc.array(step, { minLength: 2, maxLength: 14 }),
          fc.nat(),
          fc.nat(),
          async (history, one, other) => {
            const user = await aUser(app);
            const seqs = [(await exported(user, { export_format: 'full' })).as_of_seq];
            for (const { op, uid: name, fields: values } of history) {
              if (op === 'push')
                await user.post('/memory/push', { traces: [{ uid: name, type: 'observation', ...values }] });
              else if (op === 'edit') await user.patch('/memory/edit', { uid: name, updates: values });
              else await user.delete(`/memory/remove?uid=${name}`);
              seqs.push((await exported(user, { export_format: 'full', limit: 1 })).as_of_seq);
            }
            const [from, to] = [seqs[one % seqs.length] as number, seqs[other % seqs.length] as number].toSorted(
              (a, b) => a - b,
            );
            for (const who of [user, user.agent])
              for (const filter of [{}, { task_id: 'one' }, { tag: '#x' }]) {
                const at = async (seq: number | undefined) =>
                  (await exported(user, { export_format: 'full', as_of: seq, ...filter }, who)).results;
                const diff = (await exported<Difference>(user, { export_format: 'diff', from, to, ...filter }, who))
                  .results;
                const grouped = (
                  await exported<Difference>(
                    user,
                    { export_format: 'diff', from, to, group_by: 'task', ...filter },
                    who,
                  )
                ).results;
                const expected = byUid(await at(to));
                expect(applied(await at(from), diff)).toEqual(expected);
                expect(grouped.map((d) => [d.op, d.uid]).toSorted()).toEqual(diff.map((d) => [d.op, d.uid]).toSorted());
                expect(new Set(names(diff)).size).toBe(diff.length);
              }
          },
        ),
        { numRuns: 25 },
      );
    },
  );
});

describe('checkpoints', () => {
  test.each([
    [{ export_format: 'summary', max_token_count: 60, group_by: 'day' }],
    [{ export_format: 'full', limit: 2, task_id: 'contract' }],
    [{ export_format: 'full', limit: 1, group_by: 'task' }],
    [{ export_format: 'linked', tag: '#legal', limit: 2 }],
    [{ export_format: 'diff', from: '3', start_time: undefined }],
  ])('%j comes back byte by byte', async (query) => {
    const user = await aStory();
    const asked = Object.fromEntries(Object.entries(query).filter(([, v]) => v !== undefined));
    const first = await get(user, { ...asked, checkpoint: 'v1.0' }).expect(200);
    app.clock.advance(600_000);
    await user
      .patch('/memory/edit', { uid: 'a', updates: { content: 'changed', authored_by: 'answered' } })
      .expect(200);
    await user.delete('/memory/remove?uid=b').expect(200);
    await push(user, [{ uid: 'z', task_id: 'contract' }]);
    await user.patch('/user/update', { user_id: user.user_id, updates: { timezone: 'Pacific/Auckland' } }).expect(200);
    const again = await get(user, { from_checkpoint: 'v1.0' }).expect(200);
    expect(again.text).toBe(first.text);
    expect((await get(user, { from_checkpoint: 'v1.0', export_format: query.export_format }).expect(200)).text).toBe(
      first.text,
    );
    if (!first.body.next_cursor) return;
    const next = await get(user, { ...asked, checkpoint: 'v1.0', cursor: first.body.next_cursor }).expect(200);
    expect((await get(user, { from_checkpoint: 'v1.0', cursor: first.body.next_cursor }).expect(200)).text).toBe(
      next.text,
    );
  });

  test('a tag is used once, is listed, and belongs to the ledger', async () => {
    const user = await aStory();
    const { as_of_seq } = await exported(user, { export_format: 'full', checkpoint: 'one', task_id: 'contract' });
    expect((await get(user, { export_format: 'full', checkpoint: 'one' }).expect(409)).body.code).toBe('tag_taken');
    await exported(user, { export_format: 'summary', checkpoint: 'two' });
    const { body } = await user.get('/memport/checkpoints?limit=1').expect(200);
    expect(body).toEqual([
      {
        tag: 'one',
        seq: as_of_seq,
        created_at: app.clock.now(),
        parameters: expect.objectContaining({ export_format: 'full', filter: { task_id: 'contract' } }),
      },
    ]);
    const page = await user.get('/memport/checkpoints?limit=1');
    const next = /<(.*)>/.exec(page.headers['link'] as string)?.[1] as string;
    expect((await user.get(next).expect(200)).body.map((c: { tag: string }) => c.tag)).toEqual(['two']);
    expect((await user.get('/debug/audit').expect(200)).body.ok).toBe(true);
    expect((await (await aUser(app)).get('/memport/checkpoints').expect(200)).body).toEqual([]);
  });
});

describe('what stays private', () => {
  test('authored_by and chat_url are absent and their values blanked wherever they stand, for who has no export:sensitive', async () => {
    const user = await aStory();
    const key = await aKey(app, user, 'user', ['export:read']);
    for (const who of [user.agent, key])
      for (const query of [
        { export_format: 'full' },
        { export_format: 'summary', include_feedback: true },
        { export_format: 'linked' },
        { export_format: 'diff' },
        { export_format: 'full', task_id: 'contract', type: 'observation', group_by: 'task' },
      ]) {
        const { text } = await get(user, query, who).expect(200);
        expect(text).not.toMatch(/jane doe|chat\.example|authored_by|chat_url/i);
        expect(text).toContain('[redacted] answered.');
        const streamed = JSON.stringify(await lines(user, query, who));
        expect(streamed).not.toMatch(/jane doe|chat\.example|authored_by|chat_url/i);
      }
    const trusted = await get(user, { export_format: 'full' });
    expect(trusted.body.results[0]).toMatchObject({ authored_by: 'Jane Doe', chat_url: 'https://chat.example/1' });
    expect(trusted.body.results[1]).toMatchObject({ content: 'Jane doe answered.', authored_by: null });
  });

  test('a value stays blanked when the trace that had it has changed or gone', async () => {
    const user = await aStory();
    await user.patch('/memory/edit', { uid: 'a', updates: { authored_by: null, content: 'x' } }).expect(200);
    await user.delete('/memory/remove?uid=a').expect(200);
    expect((await get(user, { export_format: 'full' }, user.agent)).text).not.toMatch(/jane doe|chat\.example/i);
  });

  test('one’s own context only, with export:read only', async () => {
    const user = await aStory();
    const other = await aUser(app);
    expect((await other.get(address(user, { export_format: 'full' })).expect(403)).body.code).toBe('other_user');
    expect((await get(other, { export_format: 'full' })).body.results).toEqual([]);
    expect((await get(other, { from_checkpoint: 'one' }).expect(404)).body.code).toBe('checkpoint_not_found');
    const blind = await aKey(app, user, 'agent', ['memory:read']);
    expect((await get(user, { export_format: 'full' }, blind).expect(403)).body.missing).toEqual(['export:read']);
    await client(app, null)
      .get(address(user, { export_format: 'full' }))
      .expect(401);
  });
});

describe('import', () => {
  test('a full export comes back whole, in another account too; a second run changes nothing', async () => {
    const user = await aStory();
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
    await user
      .post('/agent/plan', { actions: [{ action_type: 'reflect', title: 'Later', scheduled_for: '2026-11-26T10:00' }] })
      .expect(200);
    const whole = await exported(user, { export_format: 'full' });
    expect((await user.post('/memport/import', whole).expect(200)).body).toEqual({
      created: 0,
      unchanged: whole.results.length,
      conflicts: [],
    });

    const heir = await aUser(app);
    const taken = { created: whole.results.length, unchanged: 0, conflicts: [] };
    expect((await heir.post('/memport/import', { traces: whole.results }).expect(200)).body).toEqual(taken);
    expect((await heir.post('/memport/import', { traces: whole.results }).expect(200)).body).toEqual({
      created: 0,
      unchanged: whole.results.length,
      conflicts: [],
    });
    const content = ({
      user_id: _u,
      origin: _o,
      version: _v,
      seq: _s,
      recorded_at: _r,
      updated_at: _a,
      expires_at: _e,
      ...rest
    }: Trace) => rest;
    const there = await exported(heir, { export_format: 'full' });
    expect(there.results.map(content)).toEqual(whole.results.map(content));
    for (const trace of there.results)
      expect(trace).toMatchObject({ user_id: heir.user_id, origin: 'import', version: 1 });
    expect((await heir.post('/memory/search', { query: 'supplier contract' }).expect(200)).body[0].uid).toBe('a');
  });

  test('an imported plan is a record: it never lapses and is never carried out by itself', async () => {
    const user = await aUser(app);
    const plan = (uid: string, status: string) => ({
      uid,
      type: 'agent_plan',
      content: 'old',
      title: 'Old',
      action_type: 'log',
      status,
      timestamp: '2025-01-01T00:00:00Z',
      scheduled_for: '2025-01-02T00:00:00Z',
      expires_at: '2025-01-02T00:00:00Z',
    });
    await user.post('/memport/import', { traces: [plan('p', 'proposed'), plan('q', 'approved')] }).expect(200);
    await app.executor.round();
    const { results } = await exported(user, { export_format: 'full' });
    expect(results.map((t) => [t.uid, t['status'], t['expires_at']])).toEqual([
      ['p', 'proposed', null],
      ['q', 'approved', null],
    ]);
  });

  test('conflicts are told and left alone', async () => {
    const user = await aStory();
    await user.delete('/memory/remove?uid=d').expect(200);
    const trace = (uid: string, content: string) => ({
      uid,
      type: 'observation',
      content,
      timestamp: '2026-11-20T09:00:00Z',
    });
    const { body } = await user
      .post('/memport/import', {
        traces: [trace('a', 'another'), trace('d', 'gone'), trace('n', 'new'), trace('n', 'new'), trace('n', 'newer')],
      })
      .expect(200);
    expect(body).toEqual({ created: 1, unchanged: 1, conflicts: ['a', 'd', 'n'] });
    expect((await user.get('/memory/history?uid=a').expect(200)).body).toHaveLength(1);
  });

  test('an agent may bring traces, but not the trace log of plans', async () => {
    const user = await aUser(app);
    const trace = { uid: 't', type: 'observation', content: 'x', timestamp: '2026-11-20T09:00:00Z' };
    await user.agent.post('/memport/import', { traces: [trace] }).expect(200);
    const transition = { plan_uid: 'p', from: 'proposed', to: 'approved', actor: 'user:x', code: 'user', note: null };
    for (const forged of [
      { ...trace, uid: 'p', type: 'agent_plan', action_type: 'log', status: 'approved' },
      { ...trace, uid: 'r', transition },
    ])
      expect((await user.agent.post('/memport/import', { traces: [trace, forged] }).expect(403)).body.missing).toEqual([
        'plan:decide',
      ]);
    await user.post('/memport/import', { traces: [{ ...trace, uid: 'r', transition }] }).expect(200);
    expect((await user.patch('/memory/edit', { uid: 'r', updates: { content: 'y' } }).expect(409)).body.code).toBe(
      'immutable_trace',
    );
  });

  test('takes more than the usual limit of a body', async () => {
    const user = await aUser(app);
    const traces = Array.from({ length: 40 }, (_, i) => ({
      uid: `t${i}`,
      type: 'observation',
      content: `${i} `.repeat(15_000),
      timestamp: '2026-11-20T09:00:00Z',
    }));
    expect((await user.post('/memport/import', { traces }).expect(200)).body.created).toBe(40);
  });

  test.each([
    [{}, 422],
    [{ traces: [], results: [] }, 422],
    [{ traces: [{ uid: 'a' }] }, 422],
    [{ traces: [{ uid: 'a', type: 'observation', content: 'x', timestamp: 'then' }] }, 422],
    [{ traces: [{ uid: 'a', type: 'observation', content: 'x', timestamp: '2026-01-01', status: 'approved' }] }, 422],
    [{ traces: [{ uid: 'a', type: 'agent_plan', content: 'x', timestamp: '2026-01-01' }] }, 422],
    [{ traces: [{ uid: 'a', type: 'observation', content: 'x', timestamp: '2026-01-01', colour: 'red' }] }, 422],
    [{ results: [], export_format: 'summary' }, 422],
    [{ traces: 'all' }, 422],
  ])('%j is refused', async (body, status) => {
    const user = await aUser(app);
    await user.post('/memport/import', body).expect(status);
  });
});

describe('hostile', () => {
  test.each([
    [{}, '/export_format'],
    [{ export_format: 'everything' }, '/export_format'],
    [{ export_format: 'full', start_time: 'soon' }, '/start_time'],
    [{ export_format: 'full', as_of: 'then' }, '/as_of'],
    [{ export_format: 'full', group_by: 'mood' }, '/group_by'],
    [{ export_format: 'full', max_token_count: 100 }, '/max_token_count'],
    [{ export_format: 'summary', max_token_count: 0 }, '/max_token_count'],
    [{ export_format: 'summary', max_token_count: 'many' }, '/max_token_count'],
    [{ export_format: 'full', from: 1 }, '/from'],
    [{ export_format: 'diff', from: 3, to: 2 }, '/from'],
    [{ export_format: 'diff', from: "1' or" }, '/from'],
    [{ export_format: 'diff', from: 1, start_time: '2026-01-01' }, '/from'],
    [{ export_format: 'full', limit: 1001 }, '/limit'],
    [{ export_format: 'full', checkpoint: '123' }, '/checkpoint'],
    [{ export_format: 'full', checkpoint: 'a b' }, '/checkpoint'],
    [{ from_checkpoint: 'x', task_id: 'y' }, '/task_id'],
    [{ export_format: 'full', colour: 'red' }, '/colour'],
    [{ export_format: 'full', include_feedback: 'maybe' }, '/include_feedback'],
  ])('%j is 422 with its path', async (query, path) => {
    const user = await aStory();
    const { body } = await get(user, query).expect(422);
    expect(body.errors[0].path).toBe(path);
  });

  test('user_id is required', async () => {
    const user = await aUser(app);
    expect((await user.get('/memport/export?export_format=full').expect(422)).body.errors[0].path).toBe('/user_id');
  });

  test('points that are no points', async () => {
    const user = await aStory();
    expect((await get(user, { export_format: 'diff', from: 'unknown' }).expect(404)).body.code).toBe(
      'checkpoint_not_found',
    );
    expect((await exported(user, { export_format: 'diff', from: '999999999999999' })).results).toEqual([]);
    expect((await exported(user, { export_format: 'full', as_of: '999999999999999' })).results).toHaveLength(4);
    expect((await exported(user, { export_format: 'full', as_of: '0' })).results).toEqual([]);
  });

  test('a cursor continues only its own export, and a forged one is refused before it reaches the database', async () => {
    const user = await aStory();
    for (const query of [
      { export_format: 'full', limit: 1 },
      { export_format: 'full', limit: 1, group_by: 'task' },
      { export_format: 'diff', limit: 1 },
      { export_format: 'linked', limit: 1 },
    ]) {
      const { next_cursor } = await exported(user, query);
      await get(user, { ...query, limit: 2, cursor: next_cursor }).expect(422);
      const wire = JSON.parse(Buffer.from(next_cursor as string, 'base64url').toString()) as {
        at: number;
        key: unknown[];
      };
      for (const key of [
        [],
        ['x'],
        ['x', 'y'],
        ['x', 'y', 'z'],
        [-1],
        [1e300],
        [0, 'x'],
        [1, 'x', 'y'],
        ['2026-01-01T00:00:00Z', 'nul\0'],
        ['contract', '2026', 'b'],
      ]) {
        const cursor = Buffer.from(JSON.stringify({ ...wire, key })).toString('base64url');
        const answer = await get(user, { ...query, cursor });
        expect([200, 422], JSON.stringify(key)).toContain(answer.status);
      }
      const ahead = Buffer.from(JSON.stringify({ ...wire, at: 9_007_199_254_740_991 })).toString('base64url');
      await get(user, { ...query, cursor: ahead }).expect(200);
    }
  });
});
