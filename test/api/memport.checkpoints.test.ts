/** Checkpoints: an export kept under a tag comes back byte by byte. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aUser, anApp, client, type TestApp } from '../support/app.ts';
import { aStory, address, exported, get, push, type Query } from '../support/memport.ts';

let app: TestApp;
beforeAll(async () => {
  app = await anApp();
});
afterAll(() => app.close());

describe('checkpoints', () => {
  test.each([
    [{ export_format: 'summary', max_token_count: 60, group_by: 'day' }],
    [{ export_format: 'full', limit: 2, task_id: 'contract' }],
    [{ export_format: 'full', limit: 1, group_by: 'task' }],
    [{ export_format: 'linked', tag: '#legal', limit: 2 }],
    [{ export_format: 'diff', from: '3', start_time: undefined }],
  ])('%j comes back byte by byte', async (query) => {
    const user = await aStory(app);
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

  test('with events and profile, as a page and as lines, before and after a restart', async () => {
    const user = await aStory(app);
    await user
      .post('/calendar/create', { uid: 'e', title: 'Call', scheduled_for: '2026-11-25T10:00', duration_minutes: 30 })
      .expect(201);
    const streamOf = async (from: TestApp, query: Query): Promise<string> =>
      (
        await fetch(`${from.url}${address(user, query)}`, {
          headers: { Authorization: `Bearer ${user.token}`, Accept: 'application/x-ndjson' },
        })
      ).text();
    const query = { export_format: 'full', include: 'traces,events,profile', limit: 3 };
    const page = (await get(user, { ...query, checkpoint: 'all' }).expect(200)).text;
    const stream = await streamOf(app, { from_checkpoint: 'all' });
    expect(stream).toBe(
      await streamOf(app, { ...query }).then((now) => now.split('\n').slice(0, -1).join('\n') + '\n'),
    );
    app.clock.advance(600_000);
    await user
      .patch('/calendar/edit', {
        user_id: user.user_id,
        uid: 'e',
        updates: { title: 'Moved', scheduled_for: '2026-12-25T10:00' },
      })
      .expect(200);
    await user.delete('/calendar/remove?uid=e').expect(200);
    await user.delete('/memory/remove?uid=a').expect(200);
    await user
      .patch('/user/update', { user_id: user.user_id, updates: { timezone: 'Pacific/Auckland', display_name: 'Ada' } })
      .expect(200);
    const restarted = await anApp({ database: app.database, clock: app.clock });
    try {
      for (const instance of [app, restarted]) {
        const person = client(instance, user.token);
        expect((await person.get(address(user, { from_checkpoint: 'all' })).expect(200)).text).toBe(page);
        expect(await streamOf(instance, { from_checkpoint: 'all' })).toBe(stream);
      }
    } finally {
      await restarted.close();
    }
  });

  test('is moved to now or to another point, by its maker or a person, and the ledger keeps both', async () => {
    const user = await aStory(app);
    const tagged = async () => (await exported(user, { from_checkpoint: 'here' }))['as_of_seq'];
    await exported(user, { export_format: 'full', checkpoint: 'here' });
    const first = await tagged();
    await push(user, [{ uid: 'later', content: 'later' }]);
    const { body } = await user.patch('/memport/checkpoints', { tag: 'here' }).expect(200);
    expect(body).toMatchObject({ tag: 'here', actor: { label: 'login' }, parameters: { export_format: 'full' } });
    expect(await tagged()).toBe(body.seq);
    expect(body.seq).toBeGreaterThan(first);
    await user.patch('/memport/checkpoints', { tag: 'here', as_of: String(first) }).expect(200);
    expect(await tagged()).toBe(first);
    await exported(user, { export_format: 'diff', from: String(first), checkpoint: 'diff' });
    await user.patch('/memport/checkpoints', { tag: 'diff', as_of: '1' }).expect(422);
    await user.agent.patch('/memport/checkpoints', { tag: 'here' }).expect(403);
    await (await aUser(app)).patch('/memport/checkpoints', { tag: 'here' }).expect(404);
    const history = (await user.get('/memport/ledger?subject=checkpoint&uid=here').expect(200)).body;
    expect(history.map((e: { kind: string }) => e.kind)).toEqual([
      ...['checkpoint.updated', 'checkpoint.updated', 'checkpoint.created'],
    ]);
    expect((await user.get('/debug/audit').expect(200)).body.ok).toBe(true);
  });

  test('a tag is used once, is listed, and belongs to the ledger', async () => {
    const user = await aStory(app);
    const { as_of_seq } = await exported(user, { export_format: 'full', checkpoint: 'one', task_id: 'contract' });
    expect((await get(user, { export_format: 'full', checkpoint: 'one' }).expect(409)).body.code).toBe('tag_taken');
    await exported(user, { export_format: 'summary', checkpoint: 'two' });
    const { body } = await user.get('/memport/checkpoints?limit=1').expect(200);
    expect(body).toEqual([
      {
        tag: 'one',
        seq: as_of_seq,
        created_at: app.clock.now(),
        actor: { kind: 'user', id: 'session', label: 'login' },
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
