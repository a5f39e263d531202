/** Changes by long polling, for clients that hold no socket. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aKey, anApp, aUser, type TestApp } from '../support/app.ts';
import { headOf, note, notes, waitingFor } from '../support/follower.ts';

let app: TestApp;
beforeAll(async () => {
  app = await anApp();
});
afterAll(() => app.close());

// What is not told of a change waits for 25 s.
describe('polling', { timeout: 20_000 }, () => {
  test('answers the same messages, at most limit, and where to go on', async () => {
    const user = await aUser(app);
    const from = await headOf(user);
    const [first, second, third] = await notes(user, 3);
    const { body } = await user.get(`/agent/changes?after=${from}&limit=2`).expect(200);
    expect(body.changes.map((c: { sequence: number }) => c.sequence)).toEqual([first, second]);
    expect(body.seq).toBe(second);
    const rest = await user.get(`/agent/changes?after=${body.seq}`).expect(200);
    expect(rest.body).toMatchObject({
      seq: third,
      changes: [{ specversion: '1.0', type: 'trace.created', sequence: third }],
    });
  });

  test('waits for the next change', async () => {
    const user = await aUser(app);
    const from = await headOf(user);
    const { answer } = await waitingFor(() => user.get(`/agent/changes?after=${from}&wait=25`).then((r) => r.body));
    const seq = await note(user, 'awaited');
    expect(await answer).toMatchObject({ seq, changes: [{ data: { content: 'awaited' } }] });
  });

  test('answers empty when the wait is over, having moved past what is not shown', async () => {
    const user = await aUser(app);
    const blind = await aKey(app, user, 'agent', ['plan:read']);
    const seq = await note(user);
    const started = performance.now();
    const { body } = await blind.get('/agent/changes?after=0&wait=0.3').expect(200);
    expect(body).toMatchObject({ changes: [], seq });
    expect(performance.now() - started).toBeGreaterThan(280);
  });

  test('beyond the ledger is 410', async () => {
    const user = await aUser(app);
    const head = await headOf(user);
    const { body } = await user.get(`/agent/changes?after=${head + 1}`).expect(410);
    expect(body).toMatchObject({ code: 'seq_gone', seq: head });
  });

  test('revoking the key ends a wait with 401', async () => {
    const user = await aUser(app);
    const key = await aKey(app, user, 'agent');
    const from = await headOf(user);
    const { answer } = await waitingFor(() => key.get(`/agent/changes?after=${from}&wait=25`).then((r) => r.status));
    await user.delete(`/user/keys?id=${key.id}`).expect(200);
    expect(await answer).toBe(401);
  });

  test('a stopping instance answers its waiting clients', async () => {
    const own = await anApp({ database: app.database });
    const user = await aUser(own);
    const from = await headOf(user);
    const { answer } = await waitingFor(() => user.get(`/agent/changes?after=${from}&wait=25`).then((r) => r.body));
    await own.close();
    expect(await answer).toMatchObject({ changes: [], seq: from });
  });
});
