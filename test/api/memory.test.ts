/** Memory as a user meets it: push, pull, edit, history, remove, time travel; and what is refused. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PatchOperation } from '../../src/domain/record/json-patch.ts';
import { anApp, aUser, type Client, type TestApp, type TestUser } from '../support/app.ts';
import { patched } from '../support/patched.ts';
import { slicesOf } from '../support/slices.ts';
import { hearStatements } from '../support/statements.ts';

let app: TestApp;
beforeAll(async () => {
  app = await anApp();
});
afterAll(() => app.close());

type Trace = { uid: string; content: string; version: number; seq: number; recorded_at: string };
const note = <T extends object>(content: string, more?: T) => ({ type: 'observation', content, ...(more as T) });
const push = async (user: Client, ...traces: object[]) =>
  (await user.post('/memory/push', { traces }).expect(201)).body as Trace[];
const pull = async (user: Client, query = '') => (await user.get(`/memory/pull?${query}`).expect(200)).body as Trace[];
const contents = async (user: Client, query = '') => (await pull(user, query)).map((t) => t.content);

describe('push', () => {
  test('what was pushed is there, with defaults, wall times read in the user’s zone', async () => {
    const user = await aUser(app);
    const [one] = await push(
      user,
      note('first', { task_id: 'a', timestamp: '2026-11-20T10:00:00' }),
      note('second', { tags: ['#x'], timestamp: '2026-11-20T10:00:00Z' }),
      note('third', { timestamp: '2026-11-20T10:00:00', timezone: 'Asia/Tokyo' }),
    );
    expect(one).toMatchObject({ timestamp: '2026-11-20T09:00:00.000Z', version: 1 });
    expect(await contents(user, 'order=asc')).toEqual(['third', 'first', 'second']);
    expect((await pull(user, 'task_id=a'))[0]).toMatchObject({
      user_id: user.user_id,
      origin: 'user',
      summary: 'first',
      metadata: {},
      tags: [],
      linked_trace_ids: [],
      child_trace_ids: [],
      notes: null,
    });
    expect(await contents(user, 'tag=%23x')).toEqual(['second']);
  });

  test('any type of one’s own is stored and served alike; metadata comes back as given', async () => {
    const user = await aUser(app);
    const metadata = { nested: { list: [1, 'two', null], ключ: true } };
    await push(user, { type: 'mood_swing', content: 'x', metadata });
    expect((await pull(user, 'type=mood_swing'))[0]).toMatchObject({ type: 'mood_swing', metadata });
  });

  test('the same uid with the same body is the same answer; with another body 409 and nothing stored', async () => {
    const user = await aUser(app);
    const body = note('contract', { uid: 'c1', tags: ['a'] });
    const [first] = await push(user, body);
    await user.patch('/memory/edit', { uid: 'c1', updates: { content: 'edited since' } }).expect(200);
    expect(await push(user, note('new'), body, body)).toEqual([expect.anything(), first, first]);
    const refused = await user
      .post('/memory/push', { traces: [note('not stored'), note('other', { uid: 'c1' })] })
      .expect(409);
    expect(refused.body).toMatchObject({ code: 'uid_taken', uids: ['c1'] });
    await user.post('/memory/push', { traces: [note('a', { uid: 'twice' }), note('b', { uid: 'twice' })] }).expect(409);
    expect((await contents(user)).toSorted()).toEqual(['edited since', 'new']);
  });

  test('uids of long traces are compared in pieces, so that others are answered meanwhile', async () => {
    const user = await aUser(app);
    const long = 'lorem ipsum dolor '.repeat(5_400);
    const uids = Array.from({ length: 200 }, (_, n) => `long-${n}`);
    for (let n = 0; n < uids.length; n += 8)
      await push(user, ...uids.slice(n, n + 8).map((uid) => note(long, { uid })));
    const traces = uids.map((uid) => note('short', { uid }));
    const { longest, whole } = await slicesOf(async () => {
      const { body } = await user.post('/memory/push', { traces }).expect(409);
      expect(body).toMatchObject({ code: 'uid_taken', uids });
    });
    expect(longest).toBeLessThan(whole / 2);
  });

  test('a thousand at once keep their order; a thousand and one are refused', async () => {
    const user = await aUser(app);
    const many = Array.from({ length: 1001 }, (_, i) => note(`n${i}`));
    await user.post('/memory/push', { traces: many }).expect(422);
    const saved = await push(user, ...many.slice(0, 1000));
    expect(saved.every((t, i) => i === 0 || t.seq === (saved[i - 1] as Trace).seq + 1)).toBe(true);
    const stamps = (await pull(user, 'limit=1000&order=asc')).map((t) => t.recorded_at).sort();
    expect(new Set(stamps).size).toBe(1000); // strictly increasing, also within one millisecond
  });

  test('a thousand take as many statements as ten', async () => {
    const user = await aUser(app);
    const statementsOf = async (count: number, uids: boolean): Promise<string[]> => {
      const list = Array.from({ length: count }, (_, i) => note(`n${i}`, uids ? { uid: `${count}-${i}` } : {}));
      const ear = hearStatements();
      try {
        await push(user, ...list);
        // Beside the look at the credential, which is kept for a second, and the wake-up of other instances.
        return ear.heard.map((s) => s.text).filter((text) => !/\busers\b|pg_notify/.test(text));
      } finally {
        ear.stop();
      }
    };
    for (const uids of [false, true]) {
      const few = await statementsOf(10, uids);
      expect(few.length).toBeLessThan(10);
      expect((await statementsOf(1000, uids)).toSorted()).toEqual(few.toSorted());
    }
  });

  test('two at once with the same uid: one body wins, the other is told', async () => {
    const user = await aUser(app);
    const send = (content: string) => user.post('/memory/push', { traces: [note(content, { uid: 'race' })] });
    const statuses = (await Promise.all([send('a'), send('b'), send('a'), send('b')])).map((r) => r.status).sort();
    expect(statuses).toEqual([201, 201, 409, 409]);
    expect(await pull(user)).toHaveLength(1);
  });
});

describe('pull by tag', () => {
  const MANY = 400;
  let user: TestUser;
  let seq = 0;
  const all = Array.from({ length: MANY }, (_, i) => ({
    ...note(`n${i}`, { type: i % 3 ? 'observation' : 'reflection' }),
    tags: ['#every', ...(i % 2 ? ['#other'] : []), ...(i % 90 ? [] : ['#rare']), ...(i === 7 ? ['#one'] : [])],
    // Common lately, rare before.
    ...(i > 300 || i % 80 === 0 ? { tempo_tag: '@late' } : {}),
    timestamp: new Date(Date.UTC(2026, 0, 1) + i * 60_000).toISOString(),
  }));
  beforeAll(async () => {
    user = await aUser(app);
    const traces = all.map((one) => ({ ...one, tags: [...one.tags, ...(one.tempo_tag ? ['#late'] : [])] }));
    seq = (await push(user, ...traces)).at(-1)?.seq ?? 0;
  });

  const paged = async (query: string, limit: number): Promise<string[]> => {
    const seen: string[] = [];
    for (let path = `/memory/pull?${query}&limit=${limit}`; path;) {
      const answer = await user.get(path).expect(200);
      seen.push(...answer.body.map((t: Trace) => t.content));
      path = /<([^>]+)>; rel="next"/.exec(answer.headers['link'] ?? '')?.[1] ?? '';
    }
    return seen;
  };

  test.each(['#every', '#other', '#rare', '#one', '#late', '#none'])(
    '%s: the same pages whether it is met soon or looked up',
    async (tag) => {
      const named = tag === '#late' ? all.filter((t) => t.tempo_tag) : all.filter((t) => t.tags.includes(tag));
      const expected = named.map((t) => t.content);
      const by = `tag=${encodeURIComponent(tag)}`;
      expect(await paged(`${by}&order=asc`, 2)).toEqual(expected);
      expect(await paged(by, 30)).toEqual(expected.toReversed());
      const reflections = named.filter((t) => t.type === 'reflection').map((t) => t.content);
      expect(await paged(`${by}&type=reflection&order=asc`, 1)).toEqual(reflections);
      const later = named.filter((t) => t.timestamp > '2026-01-01T04:00:00Z').map((t) => t.content);
      expect(await paged(`${by}&order=asc&start_time=2026-01-01T04:00:30Z`, 3)).toEqual(later);
    },
  );

  test('as of a seq, whatever was changed since', async () => {
    const [{ uid }] = (await pull(user, 'tag=%23one')) as [Trace];
    await user.patch('/memory/edit', { uid, updates: { tags: ['#gone'] } }).expect(200);
    expect(await paged('tag=%23one', 2)).toEqual([]);
    expect(await paged(`tag=%23one&as_of=${seq}`, 2)).toEqual(['n7']);
    expect(await paged(`tag=%23other&order=asc&as_of=${seq}`, 9)).toEqual(
      all.filter((t) => t.tags.includes('#other')).map((t) => t.content),
    );
  });
});

describe('windows', () => {
  test('include both ends; a bare date is the local day', async () => {
    const user = await aUser(app);
    for (const timestamp of ['2026-11-19T23:00:00Z', '2026-11-20T22:59:59.999Z', '2026-11-20T23:00:00Z'])
      await push(user, note(timestamp, { timestamp }));
    expect(await contents(user, 'start_time=2026-11-20&end_time=2026-11-20&order=asc')).toEqual([
      '2026-11-19T23:00:00Z',
      '2026-11-20T22:59:59.999Z',
    ]);
    expect(await contents(user, 'start_time=2026-11-20T23:00:00Z')).toEqual(['2026-11-20T23:00:00Z']);
    expect(await contents(user, 'start_time=2026-11-22')).toEqual([]);
  });
});

describe('edit and history', () => {
  test('every edit is a version, and the patches lead from one to the next', async () => {
    const user = await aUser(app);
    const [{ uid }] = (await push(user, note('one', { tags: ['a', 'b'] }))) as [Trace];
    const edit = async (updates: object) => (await user.patch('/memory/edit', { uid, updates }).expect(200)).body;
    await edit({ content: 'two', metadata: { a: 1 } });
    const { summary } = await edit({ tags: ['b', 'c'], notes: 'hm', metadata: {}, content: 'three' });
    expect(summary).toBe('three');
    expect(await edit({ notes: null })).toMatchObject({ version: 4, notes: null, tags: ['b', 'c'] });
    const { body, headers } = await user.get(`/memory/history?uid=${uid}`).expect(200);
    expect(headers['etag']).toBe('"4"');
    expect(body.map((h: { version: number; action: string }) => [h.version, h.action])).toEqual([
      [4, 'updated'],
      [3, 'updated'],
      [2, 'updated'],
      [1, 'created'],
    ]);
    for (const [i, entry] of body.slice(0, -1).entries())
      expect(patched(body[i + 1].trace, entry.changes as PatchOperation[])).toEqual(entry.trace);
    expect(body.at(-1).changes).toEqual([]);
    const second = await user.get(`/memory/history?uid=${uid}&limit=3`).expect(200);
    const next = /<([^>]+)>/.exec(second.headers['link'] ?? '')?.[1] ?? '';
    expect((await user.get(next)).body.map((h: { version: number }) => h.version)).toEqual([1]);
  });

  test('a stale write is 412, what can’t be set is 422', async () => {
    const user = await aUser(app);
    const [{ uid }] = (await push(user, note('one'))) as [Trace];
    const edit = (updates: object, match?: string) => {
      const sent = user.patch('/memory/edit', { uid, updates });
      return match ? sent.set('If-Match', match) : sent;
    };
    expect((await edit({ content: 'two' }, '"1"').expect(200)).headers['etag']).toBe('"2"');
    expect((await edit({ content: 'three' }, '"1"').expect(412)).body).toMatchObject({
      code: 'version_mismatch',
      version: 2,
    });
    await edit({ content: 'three' }, '*').expect(200);
    for (const updates of [
      { origin: 'system' },
      { version: 9 },
      { seq: 1 },
      { uid: 'x' },
      { type: 'agent_plan' },
      { scheduled_for: '2026-12-01' },
      { content: null },
    ])
      await edit(updates).expect(422);
    await user.patch('/memory/edit', { uid: 'nothing', updates: { content: 'x' } }).expect(404);
  });

  test('concurrent edits all become versions', async () => {
    const user = await aUser(app);
    const [{ uid }] = (await push(user, note('0'))) as [Trace];
    await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        user.patch('/memory/edit', { uid, updates: { content: `${i}` } }).expect(200),
      ),
    );
    const { body } = await user.get(`/memory/history?uid=${uid}`);
    expect(body.map((h: { version: number }) => h.version)).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
  });
});

describe('remove', () => {
  test('ends a trace; its history stays, its uid is not free again', async () => {
    const user = await aUser(app);
    await push(user, note('gone', { uid: 'g' }), note('here'));
    await user.delete('/memory/remove?uid=g').set('If-Match', '"7"').expect(412);
    expect((await user.delete('/memory/remove?uid=g').expect(200)).body).toEqual({
      uid: 'g',
      removed: true,
      version: 2,
    });
    expect(await contents(user)).toEqual(['here']);
    await user.patch('/memory/edit', { uid: 'g', updates: { content: 'x' } }).expect(404);
    await user.delete('/memory/remove?uid=g').expect(404);
    const { body } = await user.get('/memory/history?uid=g').expect(200);
    expect(body.map((h: { action: string }) => h.action)).toEqual(['removed', 'created']);
    expect((await user.post('/memory/push', { traces: [note('other', { uid: 'g' })] }).expect(409)).body.code).toBe(
      'uid_taken',
    );
  });

  test('is taken back by a change of its last version, and by no change that does not name it', async () => {
    const user = await aUser(app);
    await push(user, note('the pot', { uid: 'key', tags: ['home'] }));
    await user.delete('/memory/remove?uid=key').expect(200);
    const put = (version: string) =>
      user.patch('/memory/edit', { uid: 'key', updates: { content: 'the pot' } }).set('If-Match', version);
    await put('*').expect(404);
    await put('"1"').expect(412);
    const { body, headers } = await put('"2"').expect(200);
    expect(body).toMatchObject({ content: 'the pot', tags: ['home'], version: 3 });
    expect(body).not.toHaveProperty('removed');
    expect(headers['etag']).toBe('"3"');
    expect(await contents(user)).toEqual(['the pot']);
    expect((await user.post('/memory/search', { query: 'pot' }).expect(200)).body).toHaveLength(1);
    await put('"2"').expect(412);
    await user.delete('/memory/remove?uid=key').set('If-Match', '"3"').expect(200);
    await user.delete('/memory/remove?uid=key').set('If-Match', '"4"').expect(404);
    await user.patch('/memory/edit', { uid: 'key', updates: {} }).set('If-Match', '"4"').expect(200);
    expect(await contents(user)).toEqual(['the pot']);
    await user
      .patch('/memory/edit', { uid: 'none', updates: { content: 'x' } })
      .set('If-Match', '"1"')
      .expect(404);
    const other = await aUser(app);
    await user.delete('/memory/remove?uid=key').expect(200);
    await other
      .patch('/memory/edit', { uid: 'key', updates: { content: 'x' } })
      .set('If-Match', '"6"')
      .expect(404);
  });
});

describe('kinds', () => {
  test('what was said in the chat is no note, now and as of then', async () => {
    const user = await aUser(app);
    await push(user, note('The tide is high at noon.', { uid: 'tide' }));
    await user.post('/chat/respond', { prompt: 'What did I note about the tide?' }).expect(200);
    const { headers } = await user.get('/memory/pull?limit=1').expect(200);
    const then = `as_of=${headers['almanac-as-of-seq']}`;
    await user.patch('/memory/edit', { uid: 'tide', updates: { content: 'The tide is low.' } }).expect(200);
    expect(await contents(user, 'kind=note')).toEqual(['The tide is low.']);
    expect(await contents(user, `kind=note&${then}`)).toEqual(['The tide is high at noon.']);
    for (const query of ['kind=chat', `kind=chat&${then}`])
      expect((await contents(user, query)).toSorted()).toEqual([
        expect.stringMatching(/^This is what I found/),
        'What did I note about the tide?',
      ]);
    const { body } = await user.post('/memory/search', { query: 'tide', kind: 'chat' }).expect(200);
    expect(body.map(({ kind }: { kind: string }) => kind)).toEqual(['chat', 'chat']);
  });

  test('notes, plans, decisions and events are told apart, and an agent’s from others’, now and later as of then', async () => {
    const user = await aUser(app);
    await push(user, note('mine'));
    const [{ uid: written }] = (await user.agent.post('/memory/push', { traces: [note('moorings')] }).expect(201)).body;
    const [{ trace: theirs }] = (await user.get(`/memory/history?uid=${written}`).expect(200)).body;
    const propose = async (title: string): Promise<string> =>
      (await user.agent.post('/agent/plan', { actions: [{ action_type: 'log', title }] }).expect(200)).body[0].uid;
    const uid = await propose('The tide table');
    await user.post('/agent/reject', { uid, note: 'not now' }).expect(200);
    await user
      .post('/calendar/create', { title: 'Dentist', scheduled_for: '2026-12-01T09:00', duration_minutes: 30 })
      .expect(201);
    const expected = {
      'kind=note': ['mine', 'moorings'],
      'kind=plan': [expect.stringContaining('The tide table')],
      'kind=decision': ['The person rejected the proposal “The tide table”: not now'],
      'kind=event': [expect.stringContaining('Dentist')],
      [`recorded_by=${theirs.recorded_by}&kind=note`]: ['moorings'],
      'origin=user&kind=note': ['mine'],
    };
    const look = async (query: string) => (await contents(user, query)).toSorted();
    for (const [query, texts] of Object.entries(expected)) expect(await look(query), query).toEqual(texts);
    const search = async (body: object): Promise<string[]> =>
      (await user.post('/memory/search', { query: 'tide mine moorings dentist', ...body }).expect(200)).body.map(
        ({ kind, snippet }: { kind: string; snippet: string }) => `${kind}: ${snippet.replaceAll('**', '')}`,
      );
    expect((await search({ kind: 'note' })).toSorted()).toEqual(['note: mine', 'note: moorings']);
    expect(await search({ recorded_by: theirs.recorded_by, kind: 'note' })).toEqual(['note: moorings']);
    expect(await search({ origin: 'user', kind: 'note' })).toEqual(['note: mine']);
    expect(await search({ kind: 'decision' })).toEqual([expect.stringMatching(/^decision: .*rejected the proposal/)]);
    expect(await search({ kind: 'plan' })).toEqual([expect.stringMatching(/^plan: /)]);
    expect(await search({ kind: 'event' })).toEqual([expect.stringMatching(/^event: /)]);
    const { headers } = await user.get('/memory/pull?limit=1').expect(200);
    const at = headers['almanac-as-of-seq'];
    for (const one of await pull(user, 'kind=note')) await user.delete(`/memory/remove?uid=${one.uid}`).expect(200);
    expect(await look('kind=note')).toEqual([]);
    for (const [query, texts] of Object.entries(expected))
      expect(await look(`${query}&as_of=${at}`), `${query} as of then`).toEqual(texts);
    expect(await search({ kind: 'note' })).toEqual([]);
    expect((await search({ kind: 'note', as_of: at })).toSorted()).toEqual(['note: mine', 'note: moorings']);
    await user.get('/memory/pull?kind=notes').expect(422);
    expect(await look(`recorded_by=agent:${uid}`)).toEqual([]);
  });
});

describe('time travel', () => {
  test('as_of a seq or a recorded time answers what was known then', async () => {
    const user = await aUser(app);
    const [{ seq }] = (await push(user, note('old', { uid: 'x' }), note('other', { uid: 'y' }))) as [Trace];
    const before = (await pull(user, 'order=asc')).at(-1) as Trace;
    app.clock.advance(1000);
    await user.patch('/memory/edit', { uid: 'x', updates: { content: 'new', task_id: 't' } }).expect(200);
    await user.delete('/memory/remove?uid=y').expect(200);
    await push(user, note('later'));
    expect((await contents(user)).toSorted()).toEqual(['later', 'new']);
    expect(await contents(user, `as_of=${seq}`)).toEqual(['old']);
    for (const then of [String(seq + 1), before.recorded_at, `${before.recorded_at.slice(0, 23)}Z`])
      expect((await contents(user, `as_of=${encodeURIComponent(then)}`)).toSorted()).toEqual(['old', 'other']);
    expect(await contents(user, `as_of=${seq + 1}&task_id=t`)).toEqual([]);
    expect((await user.get(`/memory/history?uid=x&as_of=${seq + 1}`).expect(200)).body).toHaveLength(1);
    expect(await contents(user, 'as_of=2000-01-01')).toEqual([]);
    await user.get('/memory/pull?as_of=yesterday').expect(422);
  });

  test('is the same after a few changes and after many, by every filter and in pages', async () => {
    const user = await aUser(app);
    const list = Array.from({ length: 230 }, (_, i) =>
      note(`n${i}`, {
        uid: `n${i}`,
        timestamp: `2026-11-0${1 + (i % 9)}`,
        task_id: `t${i % 2}`,
        tempo_tag: `@x${i % 3}`,
      }),
    );
    const at = (await push(user, ...list)).at(-1)?.seq;
    const queries = [
      '',
      'task_id=t1',
      'tempo_tag=%40x2&order=asc',
      'type=observation',
      'origin=user&start_time=2026-11-04',
      'kind=note',
      'kind=plan',
      'kind=decision',
    ];
    const pages = async (query: string): Promise<unknown[]> => {
      const all: unknown[] = [];
      for (let path = `/memory/pull?limit=70&as_of=${at}&${query}`; path;) {
        const { body, headers } = await user.get(path).expect(200);
        all.push(...body);
        path = /<([^>]+)>/.exec(headers['link'] ?? '')?.[1] ?? '';
      }
      return all;
    };
    const before = await Promise.all(queries.map(pages));
    const change = (uid: string) =>
      user.patch('/memory/edit', { uid, updates: { task_id: 'moved', tempo_tag: null } }).expect(200);
    for (const [from, to] of [
      [0, 20],
      [20, 225],
    ]) {
      await Promise.all(list.slice(from, to).map(({ uid }) => change(uid)));
      expect(await Promise.all(queries.map(pages))).toEqual(before);
    }
    expect(before[0]).toHaveLength(230);
  });
});
