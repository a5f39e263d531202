/** Memory as a user meets it: push, pull, edit, history, remove; and what is refused. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anApp, aUser, type TestApp } from '../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await anApp();
});
afterAll(() => app.close());

describe('push and pull', () => {
  test('what was pushed is there, in order, with defaults', async () => {
    const user = await aUser(app);
    const saved = await user
      .post('/memory/push', {
        traces: [
          { type: 'observation', content: 'first', task_id: 'a', timestamp: '2026-11-20T10:00:00' },
          { type: 'reflection', content: 'second', tags: ['#x'], timestamp: '2026-11-20T10:00:00Z' },
        ],
      })
      .expect(201);
    expect(saved.body.map((s: { version: number }) => s.version)).toEqual([1, 1]);
    expect(saved.body[0].timestamp).toBe('2026-11-20T09:00:00.000Z'); // wall time in Berlin
    const { body } = await user.get('/memory/pull?order=asc').expect(200);
    expect(body.map((t: { content: string }) => t.content)).toEqual(['first', 'second']);
    expect(body[0]).toMatchObject({
      task_id: 'a',
      origin: 'user',
      version: 1,
      metadata: {},
      linked_trace_ids: [],
      user_id: user.user_id,
    });
    expect((await user.get('/memory/pull?task_id=a')).body).toHaveLength(1);
    expect((await user.get('/memory/pull?tag=%23x')).body).toHaveLength(1);
  });
});
