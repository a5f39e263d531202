/** Plans of the type configure: a change of the limits or the tempo waits, is decided, and is taken back like every plan. */
import { afterAll, describe, expect, test } from 'vitest';
import { aKey, anApp, aUser, onMonday, type Client, type TestApp, type TestUser } from '../support/app.ts';
import { callTool, mcpClient } from '../support/mcp.ts';

const app: TestApp = await anApp();
afterAll(() => app.close());

type Plan = { uid: string; version: number; status: string };
const DAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];
const hours = (start: string, end: string) => [{ name: 'day', days: DAYS, start, end }];
const configure = (given: object, more: object = {}) => ({
  ...{ action_type: 'configure', title: 'Nothing before nine', arguments: given, ...more },
});
const fewer = (per_day: number | null) => ({ limits: { budget: { per_day } } });
const later = (start: string) => ({ tempo: { time_ranges: hours(start, '20:00') } });

const propose = async (who: Client, ...actions: object[]): Promise<[Plan, ...Plan[]]> =>
  (await who.post('/agent/plan', { actions }).expect(200)).body;
const approve = async (user: TestUser, { uid, version }: Plan): Promise<Plan> =>
  (await user.post('/agent/approve', { uid, expected_version: version }).expect(200)).body;
const undo = (user: TestUser, { uid }: Plan) => user.post('/agent/undo', { uid });
const carriedOut = async (user: TestUser, given: object): Promise<Plan> => {
  const plan = await approve(user, (await propose(user.agent, configure(given)))[0]);
  expect(plan.status).toBe('executed');
  return plan;
};
const settingsOf = async (user: TestUser) => {
  const { settings, tempo } = (await user.get('/user/profile').expect(200)).body;
  return { limits: settings.limits, ranges: tempo.time_ranges };
};
const START = { budget: { per_day: null, per_week: null }, cadence: [], only_in_tempo: false };

describe('a change of the settings', () => {
  test('waits until the person approves it, and then changes only what it names', async () => {
    const user = await aUser(app);
    const [plan] = await propose(user.agent, configure({ ...later('09:00'), limits: { only_in_tempo: true } }));
    expect(plan).toMatchObject({ status: 'proposed', scheduled_for: null, expires_at: null });
    expect(await settingsOf(user)).toEqual({ limits: START, ranges: hours('08:00', '20:00') });
    const { body: simulated } = await user.post('/agent/approve', { uid: plan.uid, simulate: true }).expect(200);
    expect(simulated.status).toBe('executed');
    expect((await settingsOf(user)).limits).toEqual(START);

    await approve(user, plan);
    expect(await settingsOf(user)).toEqual({
      limits: { ...START, only_in_tempo: true },
      ranges: hours('09:00', '20:00'),
    });
    // The agent’s next proposal meets the new rule.
    const early = { action_type: 'schedule', title: 'Call', scheduled_for: '2026-11-24T08:00', duration_minutes: 30 };
    const [refused] = await propose(user.agent, early);
    expect(refused).toMatchObject({ status: 'rejected', decision: { code: 'slot:outside_tempo' } });
  });

  /** The kinds of the entries, oldest first. */
  const kindsOf = async (user: TestUser): Promise<string[]> => {
    const { body } = await user.get('/memport/ledger?limit=100').expect(200);
    return body.map(({ kind }: { kind: string }) => kind).toReversed();
  };

  test('is one entry of the ledger, before that of the plan, and the audit agrees', async () => {
    const user = await aUser(app);
    await carriedOut(user, fewer(3));
    const kinds = await kindsOf(user);
    expect(kinds.filter((kind) => kind === 'profile.updated')).toHaveLength(1);
    expect(kinds.indexOf('profile.updated')).toBe(kinds.indexOf('plan.executed') - 1);
    expect((await user.get('/debug/audit').expect(200)).body).toMatchObject({ ok: true });
  });

  test('that changes nothing is carried out, writes no profile, and can be taken back', async () => {
    const user = await aUser(app);
    const plan = await carriedOut(user, fewer(null));
    const kinds = await kindsOf(user);
    expect(kinds).toContain('plan.executed');
    expect(kinds).not.toContain('profile.updated');
    await undo(user, plan).expect(200);
  });

  test('takes effect at its time where it has one', async () => {
    const { user, agent } = await onMonday(app);
    const [{ uid }] = await propose(agent, configure(fewer(2), { scheduled_for: '2026-11-24T08:00' }));
    expect((await user.post('/agent/approve', { uid }).expect(200)).body.status).toBe('approved');
    const most = async () => (await user.get('/user/profile').expect(200)).body.settings.limits.budget.per_day;
    expect(await most()).toBeNull();
    app.clock.set('2026-11-24T07:00:00.000Z');
    await app.executor.round();
    expect(await most()).toBe(2);
  });

  test('that an edit of its arguments changes is decided on as it is then', async () => {
    const user = await aUser(app);
    const [plan] = await propose(user.agent, configure(fewer(3)));
    const updates = { arguments: fewer(5) };
    const { body: edited } = await user.patch('/memory/edit', { uid: plan.uid, updates }).expect(200);
    await user.post('/agent/approve', { uid: plan.uid }).expect(428);
    await approve(user, edited);
    expect((await settingsOf(user)).limits.budget.per_day).toBe(5);
    const wrong = { uid: plan.uid, updates: { arguments: { cancel: true } } };
    expect((await user.patch('/memory/edit', wrong).expect(422)).body.errors[0].path).toBe('/updates/arguments/cancel');
  });

  test('is what the person approved, whatever its agent makes of it at that moment', async () => {
    const user = await aUser(app);
    const approvals: number[] = [];
    for (let i = 0; i < 20; i++) {
      const [{ uid, version }] = await propose(user.agent, configure(fewer(i + 1)));
      const edit = { uid, updates: { arguments: fewer(1_000) } };
      const approving = () =>
        user.post('/agent/approve', { uid, expected_version: version }).then(({ status }) => status);
      const editing = () => user.agent.patch('/memory/edit', edit).then(({ status }) => status);
      // Either is first in some rounds; in the others the service decides.
      const first = await [approving, editing][i % 4]?.();
      const [approved, edited] = await Promise.all([
        i % 4 === 0 ? first : approving(),
        i % 4 === 1 ? first : editing(),
      ]);
      approvals.push(approved as number);
      expect([approved, edited].filter((status) => status === 200)).toHaveLength(1);
      const most = (await settingsOf(user)).limits.budget.per_day;
      expect(most).toBe(approved === 200 ? i + 1 : null);
      await user.post(approved === 200 ? '/agent/undo' : '/agent/reject', { uid }).expect(200);
    }
    expect(approvals).toContain(200);
  });

  test('is never an agent’s decision', async () => {
    const user = await aUser(app);
    const [plan] = await propose(user.agent, configure(fewer(100)));
    await user.agent.post('/agent/approve', { uid: plan.uid }).expect(403);
    await user.agent.patch('/user/update', { updates: fewer(100) }).expect(403);
    expect((await settingsOf(user)).limits.budget.per_day).toBeNull();
  });

  test('is proposed through MCP, where null switches a limit off', async () => {
    const user = await aUser(app);
    await user.patch('/user/update', { updates: fewer(1) }).expect(200);
    const mcp = await mcpClient(app.url, user.agent.token);
    const { value } = await callTool(mcp, 'propose', { actions: [configure(fewer(null))] });
    await approve(user, value.plans[0]);
    expect((await settingsOf(user)).limits.budget.per_day).toBeNull();
  });

  test('is a pushed trace too', async () => {
    const user = await aUser(app);
    const trace = { type: 'agent_plan', uid: 'rule', content: 'Three a day', ...configure(fewer(3)) };
    await user.agent.post('/memory/push', { traces: [trace] }).expect(201);
    const { body } = await user.get('/agent/plan?uid=rule').expect(200);
    await approve(user, body);
    expect((await settingsOf(user)).limits.budget.per_day).toBe(3);
  });
});

describe('what can’t be', () => {
  const refused = async (action: object) => {
    const user = await aUser(app);
    const { body } = await user.agent.post('/agent/plan', { actions: [action] }).expect(422);
    expect((await user.get('/agent/queue').expect(200)).body).toEqual([]);
    return body.errors.map(({ path }: { path: string }) => path);
  };

  test.each<[string, object, string]>([
    ['no change', configure({}), '/actions/0/arguments'],
    ['a patch that says nothing', configure({ limits: {}, tempo: {} }), '/actions/0/arguments'],
    ['an unknown preference that is null', configure({ tempo: { mood: null } }), '/actions/0/arguments/tempo/mood'],
    [
      'more tags than a profile has',
      configure({
        tempo: { tag_mappings: Object.fromEntries(Array.from({ length: 201 }, (_, i) => [`@${i}`, null])) },
      }),
      '/actions/0/arguments/tempo/tag_mappings',
    ],
    ['an unknown limit', configure({ limits: { hourly: 3 } }), '/actions/0/arguments/limits/hourly'],
    [
      'a limit of the wrong type',
      configure({ limits: { budget: { per_day: 'few' } } }),
      '/actions/0/arguments/limits/budget/per_day',
    ],
    ['an unknown preference', configure({ tempo: { mood: 1 } }), '/actions/0/arguments/tempo/mood'],
    ['what is read-only', configure({ tempo: { learned: {} } }), '/actions/0/arguments/tempo/learned'],
    ['the zone', configure({ tempo: { timezone: 'UTC' } }), '/actions/0/arguments/tempo/timezone'],
    [
      'a range that ends before it starts',
      configure({ tempo: { time_ranges: hours('10:00', '09:00') } }),
      '/actions/0/arguments/tempo/time_ranges/0/end',
    ],
    [
      'a range that nobody named',
      configure({ tempo: { tag_mappings: { '@a': { ranges: ['gone'] } } } }),
      '/actions/0/arguments/tempo/tag_mappings/@a/ranges/0',
    ],
    ['a rule of repetition', configure(fewer(1), { rrule: 'FREQ=DAILY' }), '/actions/0/rrule'],
    ['arguments of an event', configure({ ...fewer(1), location: 'Here' }), '/actions/0/arguments/location'],
    ['settings in an event', { ...configure(fewer(1)), action_type: 'log' }, '/actions/0/arguments/limits'],
  ])('%s', async (_, action, path) => {
    expect(await refused(action)).toContain(path);
  });

  test('a patch that has become impossible is refused at its approval, and the plan waits', async () => {
    const user = await aUser(app);
    const own = [{ name: 'early', days: ['MO'], start: '06:00', end: '09:00' }, ...hours('09:00', '20:00')];
    await user.post('/tempo/adjust', { preferences: { time_ranges: own } }).expect(200);
    const [plan] = await propose(user.agent, configure({ tempo: { tag_mappings: { '@run': { ranges: ['early'] } } } }));
    await user.post('/tempo/adjust', { preferences: { time_ranges: hours('09:00', '20:00') } }).expect(200);
    const { body } = await user.post('/agent/approve', { uid: plan.uid }).expect(422);
    expect(body.errors[0].message).toContain('"early"');
    expect((await user.get(`/agent/plan?uid=${plan.uid}`).expect(200)).body.status).toBe('proposed');
  });
});

describe('what was changed is taken back', () => {
  test('to what it was, and the proposal waits again', async () => {
    const user = await aUser(app);
    await user.patch('/user/update', { updates: { limits: { budget: { per_week: 20 } } } }).expect(200);
    const plan = await carriedOut(user, { ...fewer(3), ...later('10:00') });
    expect((await undo(user, plan).expect(200)).body.status).toBe('proposed');
    expect(await settingsOf(user)).toEqual({
      limits: { ...START, budget: { per_day: null, per_week: 20 } },
      ranges: hours('08:00', '20:00'),
    });
    await approve(user, (await user.get(`/agent/plan?uid=${plan.uid}`).expect(200)).body);
    expect((await settingsOf(user)).limits.budget).toEqual({ per_day: 3, per_week: 20 });
  });

  test('beside what the person changed since, which stays', async () => {
    const user = await aUser(app);
    const plan = await carriedOut(user, later('10:00'));
    await user.patch('/user/update', { updates: { ...fewer(4), display_name: 'Kim' } }).expect(200);
    await undo(user, plan).expect(200);
    const now = await settingsOf(user);
    expect([now.limits.budget.per_day, now.ranges]).toEqual([4, hours('08:00', '20:00')]);
    expect((await user.get('/user/profile').expect(200)).body.display_name).toBe('Kim');
  });

  test('not where the person changed the same since, until that is as the plan left it', async () => {
    const user = await aUser(app);
    const plan = await carriedOut(user, fewer(3));
    await user.patch('/user/update', { updates: fewer(4) }).expect(200);
    expect((await undo(user, plan).expect(409)).body).toMatchObject({ code: 'changed_since' });
    expect((await settingsOf(user)).limits.budget.per_day).toBe(4);
    await user.patch('/user/update', { updates: fewer(3) }).expect(200);
    await undo(user, plan).expect(200);
    expect((await settingsOf(user)).limits.budget.per_day).toBeNull();
  });

  test('value by value: a neighbour that the person changed since stays', async () => {
    const user = await aUser(app);
    const plan = await carriedOut(user, { ...fewer(3), tempo: { tag_mappings: { '@a': { duration_minutes: 20 } } } });
    await user.patch('/user/update', { updates: { limits: { budget: { per_week: 20 } } } }).expect(200);
    const own = { tag_mappings: { '@b': { duration_minutes: 40 } } };
    await user.post('/tempo/adjust', { preferences: own }).expect(200);
    await undo(user, plan).expect(200);
    expect((await settingsOf(user)).limits.budget).toEqual({ per_day: null, per_week: 20 });
    expect((await user.get('/tempo/profile').expect(200)).body).toMatchObject(own);
    expect((await user.get('/tempo/profile').expect(200)).body.tag_mappings).not.toHaveProperty('@a');
  });

  test('also where a tag is called as a member that every object inherits', async () => {
    const user = await aUser(app);
    const plan = await carriedOut(user, { tempo: { tag_mappings: { constructor: { duration_minutes: 20 } } } });
    await undo(user, plan).expect(200);
    expect((await user.get('/tempo/profile').expect(200)).body.tag_mappings).toEqual({});
  });

  test('two changes of different tags, in any order', async () => {
    const user = await aUser(app);
    const tagged = (tag: string) => carriedOut(user, { tempo: { tag_mappings: { [tag]: { duration_minutes: 20 } } } });
    const [first, second] = [await tagged('@a'), await tagged('@b')];
    await undo(user, first).expect(200);
    expect((await user.get('/tempo/profile').expect(200)).body.tag_mappings).toEqual({
      '@b': { duration_minutes: 20 },
    });
    await undo(user, second).expect(200);
    expect((await user.get('/tempo/profile').expect(200)).body.tag_mappings).toEqual({});
  });

  test('and an executed plan keeps saying what it did', async () => {
    const user = await aUser(app);
    const { uid } = await carriedOut(user, fewer(3));
    const edit = { uid, updates: { arguments: fewer(9) } };
    const { body } = await user.patch('/memory/edit', edit).expect(422);
    expect(body.errors[0]).toMatchObject({ path: '/updates/arguments', code: 'executed' });
    await user.patch('/memory/edit', { uid, updates: { title: 'Three a day' } }).expect(200);
  });

  test('where the person changed it back already', async () => {
    const user = await aUser(app);
    const plan = await carriedOut(user, fewer(3));
    await user.patch('/user/update', { updates: fewer(null) }).expect(200);
    await undo(user, plan).expect(200);
    expect((await settingsOf(user)).limits.budget.per_day).toBeNull();
  });

  test('not where hours are named by now that would go', async () => {
    const user = await aUser(app);
    const early = { name: 'early', days: ['MO'], start: '06:00', end: '09:00' };
    const plan = await carriedOut(user, { tempo: { time_ranges: [early] } });
    await user.post('/tempo/adjust', { preferences: { tag_mappings: { '@run': { ranges: ['early'] } } } }).expect(200);
    expect((await undo(user, plan).expect(409)).body.code).toBe('changed_since');
    expect((await settingsOf(user)).ranges).toEqual([early]);
  });

  test('one after the other, the last first', async () => {
    const user = await aUser(app);
    const [first, second] = [await carriedOut(user, fewer(5)), await carriedOut(user, fewer(2))];
    await undo(user, first).expect(409);
    await undo(user, second).expect(200);
    await undo(user, first).expect(200);
    expect((await settingsOf(user)).limits.budget.per_day).toBeNull();
  });

  test('with all that an agent caused, and that again', async () => {
    const user = await aUser(app);
    await carriedOut(user, fewer(5));
    await carriedOut(user, { ...fewer(2), ...later('11:00') });
    const during = await settingsOf(user);
    const [{ agent }] = (await user.get('/agent/activity').expect(200)).body;
    const { body: done } = await user.post('/agent/take-back', { agent: agent.id, since: '0' }).expect(200);
    expect(done).toMatchObject({ left: [] });
    expect(await settingsOf(user)).toEqual({ limits: START, ranges: hours('08:00', '20:00') });
    await user.post('/agent/take-back', { seq: done.seq }).expect(200);
    expect(await settingsOf(user)).toEqual(during);
    expect((await user.get('/debug/audit').expect(200)).body).toMatchObject({ ok: true });
  });
});

describe('who may not read the tempo', () => {
  const SECRET = { '@divorce': { ranges: ['chemo'] } };
  const secretive = async () => {
    const user = await aUser(app);
    const own = [{ name: 'chemo', days: ['MO'], start: '06:00', end: '09:00' }, ...hours('09:00', '20:00')];
    await user.post('/tempo/adjust', { preferences: { time_ranges: own, tag_mappings: SECRET } }).expect(200);
    return {
      user,
      agent: await aKey(app, user, 'agent', ['plan:propose', 'plan:read', 'memory:write', 'memory:read']),
    };
  };

  test.each<[string, object]>([
    ['hours in place of those that others use', { time_ranges: hours('08:00', '20:00') }],
    ['hours that may be there', { tag_mappings: { '@a': { ranges: ['chemo'] } } }],
    ['hours that are not there', { tag_mappings: { '@a': { ranges: ['guess'] } } }],
  ])('is not told whether a proposal fits: %s', async (_, tempo) => {
    const { agent } = await secretive();
    const [plan] = await propose(agent, configure({ tempo }));
    expect(plan.status).toBe('proposed');
    expect(JSON.stringify(plan)).not.toMatch(/divorce|06:00/);
    const updates = { arguments: { tempo } };
    await agent.patch('/memory/edit', { uid: plan.uid, updates }).expect(200);
  });

  test('and the person is, who decides', async () => {
    const { user, agent } = await secretive();
    const [{ uid }] = await propose(agent, configure({ tempo: { time_ranges: hours('08:00', '20:00') } }));
    const { body } = await user.post('/agent/approve', { uid }).expect(422);
    expect(body.errors[0]).toMatchObject({
      path: '/arguments/tempo/tag_mappings/@divorce/ranges/0',
      message: expect.stringContaining('"chemo"'),
    });
  });
});

test('a change for later that has become impossible is refused at its approval', async () => {
  const { user, agent } = await onMonday(app);
  const own = [{ name: 'early', days: ['MO'], start: '06:00', end: '09:00' }, ...hours('09:00', '20:00')];
  await user.post('/tempo/adjust', { preferences: { time_ranges: own } }).expect(200);
  const given = { tempo: { tag_mappings: { '@run': { ranges: ['early'] } } } };
  const [{ uid }] = await propose(agent, configure(given, { scheduled_for: '2026-11-24T08:00' }));
  await user.post('/tempo/adjust', { preferences: { time_ranges: hours('09:00', '20:00') } }).expect(200);
  await user.post('/agent/approve', { uid }).expect(422);
  expect((await user.get(`/agent/plan?uid=${uid}`).expect(200)).body.status).toBe('proposed');
});
