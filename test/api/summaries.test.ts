/** POST /chat/trace-summary: grounding snippets in the order asked, within a budget. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { countTokens } from '../../src/domain/tokens.ts';
import { allot } from '../../src/memory/summaries.ts';
import { anApp, aUser, type TestApp } from '../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await anApp();
});
afterAll(() => app.close());

type Summary = { uid: string; summary: string; token_count: number };

describe('trace-summary', () => {
  test('answers in the order asked, each as often as asked', async () => {
    const user = await aUser(app);
    await user
      .post('/memory/push', {
        traces: ['a', 'b'].map((uid) => ({
          uid,
          type: 'observation',
          content: `Note ${uid}.`,
          task_id: 't',
          timestamp: '2026-11-20T09:00:00Z',
        })),
      })
      .expect(201);
    const { body } = await user.post('/chat/trace-summary', { trace_ids: ['b', 'a', 'b'] }).expect(200);
    expect(body.map((s: Summary) => s.uid)).toEqual(['b', 'a', 'b']);
    expect(body[1]).toEqual({
      uid: 'a',
      type: 'observation',
      task_id: 't',
      timestamp: '2026-11-20T09:00:00.000Z',
      summary: 'Note a.',
      token_count: countTokens('Note a.'),
    });
  });

  test('never has more tokens than asked for, and shortens the long ones first', async () => {
    const user = await aUser(app);
    const long =
      'The harbour opens at nine. The pilot comes aboard at ten. We decided to sail on Friday. Nobody knew about the storm. '.repeat(
        20,
      );
    await user
      .post('/memory/push', {
        traces: [
          { uid: 'long', type: 'observation', content: long },
          { uid: 'short', type: 'observation', content: 'Sails are set.' },
        ],
      })
      .expect(201);
    for (const max_token_count of [1, 5, 12, 30, 500]) {
      const body: Summary[] = (
        await user.post('/chat/trace-summary', { trace_ids: ['long', 'short'], max_token_count }).expect(200)
      ).body;
      for (const { summary, token_count } of body) expect(token_count).toBe(countTokens(summary));
      expect(body.reduce((sum, s) => sum + s.token_count, 0)).toBeLessThanOrEqual(max_token_count);
      if (max_token_count >= 12) expect(body[1]?.summary).toBe('Sails are set.');
    }
  });

  test('names every unknown uid, somebody else’s and removed ones included', async () => {
    const user = await aUser(app);
    const other = await aUser(app);
    await other.post('/memory/push', { traces: [{ uid: 'theirs', type: 'observation', content: 'x' }] }).expect(201);
    await user
      .post('/memory/push', { traces: ['mine', 'gone'].map((uid) => ({ uid, type: 'observation', content: 'x' })) })
      .expect(201);
    await user.delete('/memory/remove?uid=gone').expect(200);
    const { body } = await user
      .post('/chat/trace-summary', { trace_ids: ['mine', 'theirs', 'gone', 'nowhere', 'theirs'] })
      .expect(404);
    expect(body).toMatchObject({ code: 'trace_not_found', uids: ['theirs', 'gone', 'nowhere'] });
  });
});

test('allot never gives more than there is, nor more than is needed, and leaves nothing that somebody needs', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(100), { minLength: 1, maxLength: 20 }), fc.nat(1000), (needs, budget) => {
      const shares = allot(needs, budget);
      const given = shares.reduce((a, b) => a + b, 0);
      expect(given).toBeLessThanOrEqual(budget);
      shares.forEach((share, i) => expect(share).toBeLessThanOrEqual(needs[i] ?? 0));
      expect(
        Math.min(
          budget,
          needs.reduce((a, b) => a + b, 0),
        ) - given,
      ).toBeLessThan(needs.length);
    }),
  );
});
