/** Exports asked for wrongly, and forged cursors. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aUser, anApp, type TestApp } from '../support/app.ts';
import { aStory, exported, get } from '../support/memport.ts';

let app: TestApp;
beforeAll(async () => {
  app = await anApp();
});
afterAll(() => app.close());

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
    [{ export_format: 'full', include: 'keys' }, '/include'],
    [{ export_format: 'full', include: '' }, '/include'],
    [{ export_format: 'full', include: 'events,' }, '/include'],
    [{ export_format: 'summary', include: 'traces' }, '/include'],
    [{ export_format: 'linked', include: 'events' }, '/include'],
    [{ export_format: 'full', include: 'events', group_by: 'day' }, '/group_by'],
    [{ export_format: 'diff', include: 'traces,profile', type: 'observation' }, '/type'],
    [{ from_checkpoint: 'x', include: 'events' }, '/include'],
    [{ export_format: 'full', checkpoint: '123' }, '/checkpoint'],
    [{ export_format: 'full', checkpoint: 'a b' }, '/checkpoint'],
    [{ from_checkpoint: 'x', task_id: 'y' }, '/task_id'],
    [{ export_format: 'full', colour: 'red' }, '/colour'],
    [{ export_format: 'full', include_feedback: 'maybe' }, '/include_feedback'],
  ])('%j is 422 with its path', async (query, path) => {
    const user = await aStory(app);
    const { body } = await get(user, query).expect(422);
    expect(body.errors[0].path).toBe(path);
  });

  test('user_id may be left out, or be me', async () => {
    const user = await aUser(app);
    for (const named of ['', '&user_id=me', `&user_id=${user.user_id}`]) {
      const { body } = await user.get(`/memport/export?export_format=full${named}`).expect(200);
      expect(body.user_id).toBe(user.user_id);
    }
  });

  test('points that are no points', async () => {
    const user = await aStory(app);
    expect((await get(user, { export_format: 'diff', from: 'unknown' }).expect(404)).body.code).toBe(
      'checkpoint_not_found',
    );
    expect((await exported(user, { export_format: 'diff', from: '999999999999999' })).results).toEqual([]);
    expect((await exported(user, { export_format: 'full', as_of: '999999999999999' })).results).toHaveLength(4);
    expect((await exported(user, { export_format: 'full', as_of: '0' })).results).toEqual([]);
  });

  test('a cursor continues only its own export, and a forged one is refused before it reaches the database', async () => {
    const user = await aStory(app);
    for (const query of [
      { export_format: 'full', limit: 1 },
      { export_format: 'full', limit: 1, group_by: 'task' },
      { export_format: 'diff', limit: 1 },
      { export_format: 'linked', limit: 1 },
      { export_format: 'full', limit: 1, include: 'traces,events,profile' },
      { export_format: 'diff', limit: 1, include: 'traces,events,profile' },
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
        ['trace', '2026-01-01T00:00:00Z', 'b'],
        ['event', 'then', 'b'],
        ['event'],
        ['profile', 1],
        ['__proto__', 1],
        [1, 'profile'],
        [1, 'constructor', '2026-01-01T00:00:00Z', 'b'],
      ]) {
        const cursor = Buffer.from(JSON.stringify({ ...wire, key })).toString('base64url');
        const answer = await get(user, { ...query, cursor });
        expect([200, 422], JSON.stringify(key)).toContain(answer.status);
      }
      const ahead = Buffer.from(JSON.stringify({ ...wire, at: 9_007_199_254_740_991 })).toString('base64url');
      await get(user, { ...query, cursor: ahead }).expect(410);
    }
  });
});
