/** The way back in: a full export taken into an account. */
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aKey, anApp, aUser, type Client, type TestApp, type TestUser } from '../support/app.ts';
import { aStory, exported, get, lines, walk, type Query, type Trace } from '../support/memport.ts';

let app: TestApp;
beforeAll(async () => {
  app = await anApp();
});
afterAll(() => app.close());

describe('import', () => {
  test('accepts unchanged pages of the formats full and linked with traces only', async () => {
    const user = await aStory(app);
    const send = async (query: Query): Promise<number> => {
      const { body } = await get(user, query).expect(200);
      return (await (await aUser(app)).post('/memport/import', body)).status;
    };
    expect(await send({ export_format: 'full' })).toBe(200);
    expect(await send({ export_format: 'linked' })).toBe(200);
    expect(await send({ export_format: 'full', include: 'traces,profile' })).toBe(422);
    expect(await send({ export_format: 'summary' })).toBe(422);
    expect(await send({ export_format: 'diff', from: 1 })).toBe(422);
  });

  describe('of lines', () => {
    const send = (user: TestUser, text: string | Buffer) =>
      request(app.server)
        .post('/memport/import')
        .set('Authorization', `Bearer ${user.token}`)
        .set('Content-Type', 'application/x-ndjson')
        .send(text as string);

    test('a stream comes back as it came', async () => {
      const user = await aStory(app);
      const stream = await lines<Trace>(app, user, { export_format: 'full' });
      const heir = await aUser(app);
      const text = stream.map((line) => JSON.stringify(line)).join('\n');
      const { body } = await send(heir, `${text}\n\r\n`).expect(200);
      expect(body).toEqual({ created: stream.length, unchanged: 0, waiting: 0, conflicts: [] });
      expect((await send(heir, text).expect(200)).body).toMatchObject({ created: 0, unchanged: stream.length });
    });

    test('a line that is not JSON, or no trace, is named and nothing is taken', async () => {
      const user = await aUser(app);
      const good = JSON.stringify({ uid: 'a', type: 'observation', content: 'x', timestamp: '2026-11-20T10:00:00Z' });
      const { body } = await send(user, `${good}\n{"uid":`).expect(400);
      expect(body).toMatchObject({ code: 'malformed_json', detail: 'Line 2 is not valid JSON.' });
      await send(user, Buffer.from(good.replace('"x"', '"café"'), 'latin1')).expect(400);
      const refused = (await send(user, `${good}\n7`).expect(422)).body;
      expect(refused.errors).toMatchObject([{ path: '/traces/1' }]);
      expect((await user.get('/memory/pull').expect(200)).body).toEqual([]);
      // Elsewhere lines are not taken.
      await request(app.server)
        .post('/memory/push')
        .set('Authorization', `Bearer ${user.token}`)
        .set('Content-Type', 'application/x-ndjson')
        .send(good)
        .expect(415);
    });
  });

  test('a full export comes back whole, in another account too; a second run changes nothing', async () => {
    const user = await aStory(app);
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
      waiting: 0,
      conflicts: [],
    });

    const heir = await aUser(app);
    const taken = { created: whole.results.length, unchanged: 0, waiting: 1, conflicts: [] };
    expect((await heir.post('/memport/import', { traces: whole.results }).expect(200)).body).toEqual(taken);
    expect((await heir.post('/memport/import', { traces: whole.results }).expect(200)).body).toEqual({
      created: 0,
      unchanged: whole.results.length,
      waiting: 0,
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
      sensitive: _n,
      recorded_by: _b,
      ...rest
    }: Trace) => rest;
    const there = await exported(heir, { export_format: 'full' });
    expect(there.results.map(content)).toEqual(whole.results.map(content));
    for (const trace of there.results)
      expect(trace).toMatchObject({
        user_id: heir.user_id,
        // A proposal that waited waits again (import-zip.test.ts), and everything else is a record.
        origin: trace['status'] === 'proposed' ? 'user' : 'import',
        version: 1,
      });
    expect((await heir.post('/memory/search', { query: 'supplier contract' }).expect(200)).body[0].uid).toBe('a');
  });

  test('what the service writes by itself comes back too, page by page or as lines, events and profile left out', async () => {
    const user = await aStory(app);
    const propose = (actions: object[]) => user.agent.post('/agent/plan', { actions }).expect(200);
    await user.post('/chat/respond', { prompt: 'Plan an hour of deep work on #contract tomorrow at 10' }).expect(200);
    const [kept, refused, withdrawn] = (
      await propose([
        {
          action_type: 'schedule',
          title: 'Sign',
          task_id: 'contract',
          scheduled_for: '2026-11-26T10:00',
          reasoning: 'It is due.',
        },
        { action_type: 'schedule', title: 'In the past', scheduled_for: '2026-11-01T10:00' },
        { action_type: 'log', title: 'Note it', metadata: { deep: [{ er: 1.5 }] } },
      ])
    ).body;
    await user.post('/agent/approve', { uid: kept.uid, edits: { title: 'Sign it' }, note: 'fine' }).expect(200);
    await user.agent.post('/agent/withdraw', { uid: withdrawn.uid }).expect(200);
    await user.post('/agent/feedback', { uid: kept.uid, feedback_rating: 4, notes: 'good' }).expect(200);
    await user
      .post('/calendar/create', { title: 'Review', scheduled_for: '2026-11-25T10:00', rrule: 'FREQ=DAILY;COUNT=3' })
      .expect(201);
    expect(refused.status).toBe('rejected');
    const whole = await walk<Trace & { subject: string }>(user, {
      export_format: 'full',
      include: 'traces,events,profile',
    });
    const traces = whole.filter((element) => element.subject === 'trace');
    const facts = ({
      uid,
      content,
      timestamp,
      linked_trace_ids,
      child_trace_ids,
      metadata,
      ...rest
    }: Record<string, unknown>) => ({
      ...{ uid, content, timestamp, linked_trace_ids, child_trace_ids, metadata },
      plan: [
        'title',
        'status',
        'decision',
        'arguments',
        'reasoning',
        'temporal_estimate',
        'executed_at',
        'transition',
      ].map((field) => rest[field]),
    });

    const byPages = await aUser(app);
    for (let page = await exported(user, { export_format: 'full', limit: 7 }); ;) {
      expect((await byPages.post('/memport/import', page).expect(200)).body.created).toBe(page.results.length);
      if (!page.next_cursor) break;
      page = await exported(user, { export_format: 'full', limit: 7, cursor: page.next_cursor });
    }
    const byLines = await aUser(app);
    const parts = (await lines<Trace>(app, user, { export_format: 'full' })).toReversed();
    for (const part of [parts.slice(0, 9), parts.slice(9)])
      await byLines.post('/memport/import', { traces: part }).expect(200);
    for (const heir of [byPages, byLines]) {
      const there = await exported(heir, { export_format: 'full' });
      expect(there.results.map(facts)).toEqual(traces.map(facts));
      expect((await heir.post('/memport/import', { traces }).expect(200)).body).toEqual({
        created: 0,
        unchanged: traces.length,
        waiting: 0,
        conflicts: [],
      });
      expect((await heir.get('/debug/audit').expect(200)).body.ok).toBe(true);
    }
    const refusal = (await byPages.post('/memport/import', { results: whole }).expect(422)).body;
    expect(refusal.errors[0].message).toContain('POST /calendar/import');
    expect(refusal.errors[0].path).toBe(
      `/results/${whole.findIndex((element) => element.subject === 'event')}/subject`,
    );
  });

  test('what came blanked is another content than what is there: nothing is overwritten by it', async () => {
    const user = await aStory(app);
    const { results } = await exported(user, { export_format: 'full' }, user.agent);
    const { body } = await user.post('/memport/import', { results }).expect(200);
    expect(body).toEqual({ created: 0, unchanged: 2, waiting: 0, conflicts: ['a', 'b'] });
    expect((await exported(user, { export_format: 'full' })).results[0]?.content).toContain('Jane Doe');
  });

  test('without memory:read, a trace is compared with what the key imported itself only', async () => {
    const user = await aUser(app);
    const writer = await aKey(app, user, 'agent', ['memory:write']);
    const trace = (uid: string, content: string) => ({ uid, type: 'observation', content, timestamp: '2025-01-01' });
    const sent = async (who: Client, ...traces: object[]) =>
      (await who.post('/memport/import', { traces }).expect(200)).body;
    await sent(user, trace('theirs', 'yes'));
    await sent(writer, trace('own', 'mine'));
    for (const content of ['yes', 'no'])
      expect(await sent(writer, trace('theirs', content))).toMatchObject({ unchanged: 0, conflicts: ['theirs'] });
    expect(await sent(writer, trace('own', 'mine'))).toMatchObject({ unchanged: 1, conflicts: [] });
    // What the person made of it is no part of the comparison.
    await user.patch('/memory/edit', { uid: 'own', updates: { content: 'changed' } }).expect(200);
    expect(await sent(writer, trace('own', 'changed'))).toMatchObject({ unchanged: 0, conflicts: ['own'] });
  });

  test('a plan without a title gets the start of its content, whole characters only', async () => {
    const user = await aUser(app);
    const plan = {
      uid: 'p',
      type: 'agent_plan',
      content: `${'x'.repeat(499)}😀😀`,
      action_type: 'log',
      status: 'executed',
      timestamp: '2025-01-01',
    };
    await user.post('/memport/import', { traces: [plan] }).expect(200);
    expect((await exported(user, { export_format: 'full' })).results[0]?.['title']).toBe('x'.repeat(499));
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
    const user = await aStory(app);
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
    expect(body).toEqual({ created: 1, unchanged: 1, waiting: 0, conflicts: ['a', 'd', 'n'] });
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

  test('user_id tells of an export whose it was, and otherwise names the caller', async () => {
    const user = await aStory(app);
    const heir = await aUser(app);
    const { results, ...envelope } = await exported(user, { export_format: 'full', task_id: 'garden' });
    const named = { user_id: user.user_id, traces: results };
    expect((await heir.post('/memport/import', named).expect(403)).body.code).toBe('other_user');
    expect((await heir.post('/memport/import', { ...envelope, results }).expect(200)).body.created).toBe(1);
    expect((await exported(heir, { export_format: 'full' })).results[0]).toMatchObject({ user_id: heir.user_id });
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
