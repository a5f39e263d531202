/** What stays private in exports: authored_by and chat_url, other people, other scopes. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aKey, aUser, anApp, client, type TestApp } from '../support/app.ts';
import { aStory, address, exported, get, lines, push } from '../support/memport.ts';

let app: TestApp;
beforeAll(async () => {
  app = await anApp();
});
afterAll(() => app.close());

describe('what stays private', () => {
  test('authored_by and chat_url are absent and their values blanked wherever they stand, for who has no export:sensitive', async () => {
    const user = await aStory(app);
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
        const streamed = JSON.stringify(await lines(app, user, query, who));
        expect(streamed).not.toMatch(/jane doe|chat\.example|authored_by|chat_url/i);
      }
    const trusted = await get(user, { export_format: 'full' });
    expect(trusted.body.results[0]).toMatchObject({ authored_by: 'Jane Doe', chat_url: 'https://chat.example/1' });
    expect(trusted.body.results[1]).toMatchObject({ content: 'Jane doe answered.', authored_by: null });
  });

  test('a value that the person removes is no longer blanked, but in what was known while it was set', async () => {
    const user = await aStory(app);
    const shown = async (query: object = {}) =>
      (await get(user, { export_format: 'full', ...query }, user.agent).expect(200)).text;
    const { as_of_seq } = await exported(user, { export_format: 'full' });
    expect(await shown()).not.toMatch(/jane doe|chat\.example/i);
    await user.patch('/memory/edit', { uid: 'a', updates: { authored_by: null } }).expect(200);
    expect(await shown()).toMatch(/jane doe answered/i);
    expect(await shown()).not.toMatch(/chat\.example/i);
    await user.delete('/memory/remove?uid=a').expect(200);
    expect(await shown({ as_of: as_of_seq })).not.toMatch(/jane doe|chat\.example/i);
    // It is set again, so it is hidden in what was known in between too.
    await push(user, [{ uid: 'again', authored_by: 'Jane Doe', chat_url: 'https://chat.example/1' }]);
    for (let seq = as_of_seq; seq <= as_of_seq + 3; seq++)
      expect(await shown({ as_of: seq })).not.toMatch(/jane doe|chat\.example/i);
  });

  test('nowhere: not in plans, own data and the names of its members, events, the profile, cut summaries; in no mode', async () => {
    const user = await aUser(app);
    const secret = 'Zoë Quist';
    await push(user, [
      { uid: 'source', authored_by: secret, chat_url: 'https://chat.example/7', timestamp: '2026-11-01T00:00:00Z' },
    ]);
    const { body: plans } = await user
      .post('/agent/plan', {
        actions: [
          {
            action_type: 'schedule',
            title: `Meet ${secret}`,
            content: `ZOË QUIST, ${secret}`,
            reasoning: `${secret} asked`,
            metadata: { [secret]: [{ 'at https://chat.example/7': secret }] },
            tags: [secret],
            scheduled_for: '2026-11-25T10:00',
            duration_minutes: 30,
          },
        ],
      })
      .expect(200);
    await user.post('/agent/reject', { uid: plans[0].uid, note: `${secret} is away` }).expect(200);
    await push(user, [
      { uid: 'data', metadata: { 'zoë quist': 1, 'ZOË QUIST': { deep: [secret] } }, notes: `see ${secret}` },
      // So long that the summary is cut, and within the name.
      {
        uid: 'cut',
        content: Array.from({ length: 80 }, (_, i) => `${'so '.repeat(i % 4)}${secret} decided ${i}`).join(', '),
      },
    ]);
    await user
      .post('/calendar/create', {
        uid: 'event',
        title: `Tea with ${secret}`,
        description: secret,
        location: secret,
        url: 'https://chat.example/7',
        tags: [secret],
        scheduled_for: '2026-11-26T10:00',
        rrule: 'FREQ=DAILY;COUNT=3',
      })
      .expect(201);
    await user
      .patch('/calendar/edit', {
        user_id: user.user_id,
        uid: 'event',
        scope: 'this',
        recurrence_id: '2026-11-27T10:00',
        updates: { title: `Cake with ${secret}` },
      })
      .expect(200);
    await user.patch('/user/update', { user_id: user.user_id, updates: { display_name: secret } }).expect(200);
    const before = (await exported(user, { export_format: 'full' })).as_of_seq;
    await user
      .patch('/memory/edit', { uid: 'data', updates: { notes: `${secret}!`, metadata: { a: secret } } })
      .expect(200);
    const blind = await aKey(app, user, 'agent', ['export:read', 'calendar:read', 'user:read']);
    const all = 'traces,events,profile';
    for (const query of [
      { export_format: 'full', include: all },
      { export_format: 'full', group_by: 'task' },
      { export_format: 'summary', include_feedback: true },
      { export_format: 'summary', include_feedback: true, max_token_count: 5000 },
      { export_format: 'linked' },
      { export_format: 'diff', include: all },
      { export_format: 'diff', from: before, include: all },
    ]) {
      const { text } = await get(user, query, blind).expect(200);
      const streamed = JSON.stringify(await lines(app, user, query, blind));
      for (const told of [text, streamed]) {
        expect(told).not.toMatch(/zoë|quist|chat\.example/i);
        expect(told).toContain('[redacted]');
      }
    }
    const { results } = await exported(user, { export_format: 'full', include: all }, blind);
    expect(results.find((element) => element.uid === 'event')?.['overrides']).toMatchObject({
      '2026-11-27T09:00:00.000Z': { title: 'Cake with [redacted]' },
    });
  });

  test('events and the profile take their own scopes beside export:read, also from a checkpoint', async () => {
    const user = await aStory(app);
    await exported(user, { export_format: 'full', include: 'events,profile', checkpoint: 'all' });
    const key = await aKey(app, user, 'agent', ['export:read', 'calendar:read']);
    expect(
      (await get(user, { export_format: 'full', include: 'traces,events' }, key).expect(200)).body.results,
    ).toHaveLength(4);
    for (const query of [{ export_format: 'diff', include: 'profile' }, { from_checkpoint: 'all' }]) {
      expect((await get(user, query, key).expect(403)).body.missing).toEqual(['user:read']);
      const streamed = await fetch(`${app.url}${address(user, query)}`, {
        headers: { Authorization: `Bearer ${key.token}`, Accept: 'application/x-ndjson' },
      });
      expect(streamed.status).toBe(403);
      await streamed.body?.cancel();
    }
    expect(
      (
        await get(
          user,
          { export_format: 'full', include: 'events' },
          await aKey(app, user, 'agent', ['export:read']),
        ).expect(403)
      ).body.missing,
    ).toEqual(['calendar:read']);
  });

  test('a checkpoint gives each credential what it may see, whoever made it', async () => {
    const user = await aStory(app);
    const made = await get(user, { export_format: 'full', checkpoint: 'mine' }).expect(200);
    const byAgent = await get(user, { export_format: 'full', checkpoint: 'agents' }, user.agent).expect(200);
    const again = await get(user, { from_checkpoint: 'mine' }, user.agent).expect(200);
    expect(made.text).toContain('Jane Doe');
    expect(again.text).not.toMatch(/jane doe|chat\.example|authored_by|chat_url/i);
    expect(again.body.results).toEqual(byAgent.body.results);
    expect((await get(user, { from_checkpoint: 'agents' }).expect(200)).body.results).toEqual(made.body.results);
  });

  test('one’s own context only, with export:read only', async () => {
    const user = await aStory(app);
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
