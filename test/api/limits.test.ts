/** The person's limits hold whatever an agent tries: dates of its own choosing, other names for the same thing, sheer numbers. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aKey, anApp, aUser, type Client, type TestApp, type TestUser } from '../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await anApp();
});
afterAll(() => app.close());

type Plan = {
  uid: string;
  status: string;
  scheduled_for: string | null;
  decision: { code: string } | null;
  conflicts: string[];
  conflicts_count: number;
};

const call = (more: object = {}) => ({
  ...{ action_type: 'schedule', title: 'Call the supplier', scheduled_for: '2026-11-27T15:30', duration_minutes: 20 },
  ...more,
});
const log = (more: object = {}) => ({ action_type: 'log', title: 'Note', ...more });

const propose = async (who: Client, ...actions: object[]): Promise<Plan[]> =>
  (await who.post('/agent/plan', { actions }).expect(200)).body;
const codes = (plans: Plan[]) => plans.map(({ decision }) => decision?.code ?? null);
const limit = (user: TestUser, limits: object) => user.patch('/user/update', { updates: { limits } }).expect(200);
const approve = (user: TestUser, uid: string) => user.post('/agent/approve', { uid });
const edit = (who: Client, uid: string, updates: object) => who.patch('/memory/edit', { uid, updates });
const pushed = async (user: TestUser, ...traces: object[]): Promise<Plan[]> => {
  const plan = (more: object) => ({ type: 'agent_plan', action_type: 'log', content: 'Note', ...more });
  const { body } = await user.agent.post('/memory/push', { traces: traces.map(plan) }).expect(201);
  const found = body.map(({ uid }: Plan) => user.get(`/agent/plan?uid=${uid}`).expect(200));
  return (await Promise.all<{ body: Plan }>(found)).map((answer) => answer.body);
};

describe('a plan counts by its time, else by when it was recorded', () => {
  test('never by a timestamp that the agent chose', async () => {
    const user = await aUser(app);
    await limit(user, { budget: { per_day: 1 } });
    const plans = await pushed(user, ...[1, 2, 3, 4].map((day) => ({ timestamp: `2020-01-0${day}T10:00:00Z` })));
    expect(codes(plans)).toEqual([null, 'limit:budget_day', 'limit:budget_day', 'limit:budget_day']);
    expect(codes(await propose(user.agent, log()))).toEqual(['limit:budget_day']);
  });

  test('nor by one that a proposal was edited to', async () => {
    const user = await aUser(app);
    const [early, late] = await pushed(user, { timestamp: '2020-01-01T10:00:00Z' }, {});
    for (const { uid } of [early, late] as Plan[])
      await edit(user.agent, uid, { timestamp: '2020-02-01T10:00:00Z' }).expect(200);
    await limit(user, { cadence: [{ id: 'one-note', action_type: 'log', max: 1, per: 'week' }] });
    await approve(user, (early as Plan).uid).expect(200);
    const refused = await approve(user, (late as Plan).uid).expect(409);
    expect(refused.body).toMatchObject({ code: 'limit_reached', limit: 'limit:cadence:one-note' });
    const { body } = await user.get('/agent/status').expect(200);
    expect(body.limits).toMatchObject([{ used: 1, waiting: 1, left: 0 }]);
  });

  test('nor by a time that a cancellation was given, as it takes effect at once', async () => {
    const user = await aUser(app);
    await limit(user, { budget: { per_day: 1 } });
    const events = await Promise.all(
      [10, 11].map((hour) =>
        user.post('/calendar/create', { title: 'Visit', scheduled_for: `2026-11-25T${hour}:00` }).expect(201),
      ),
    );
    const cancel = (event: number, scheduled_for: string) => ({
      ...{ action_type: 'reschedule', title: 'Cancel', arguments: { cancel: true }, scheduled_for },
      target_event_uid: events[event]?.body.uid,
    });
    const plans = await propose(user.agent, cancel(0, '2027-05-01T10:00'), cancel(1, '2027-06-01T10:00'));
    expect(codes(plans)).toEqual([null, 'limit:budget_day']);
  });

  test('a displaced plan makes room for its own new proposal, and for no other', async () => {
    const user = await aUser(app);
    await limit(user, { budget: { per_day: 1 } });
    const [plan] = (await propose(user.agent, call({ scheduled_for: '2026-11-27T09:00' }))) as [Plan];
    await approve(user, plan.uid).expect(200);
    await user
      .post('/calendar/create', { title: 'Doctor', scheduled_for: '2026-11-27T09:10', duration_minutes: 30 })
      .expect(201);
    const [again] = (await user.get('/agent/queue').expect(200)).body as [Plan];
    expect(again).toMatchObject({ status: 'proposed', scheduled_for: '2026-11-27T08:45:00.000Z' }); // the same day
    expect(codes(await propose(user.agent, call()))).toEqual(['limit:budget_day']);
    expect((await approve(user, again.uid).expect(200)).body.status).toBe('executed');
    expect(codes(await propose(user.agent, call()))).toEqual(['limit:budget_day']);
  });
});

describe('only_in_tempo', () => {
  const keptInTempo = async (): Promise<TestUser> => {
    const user = await aUser(app);
    await limit(user, { only_in_tempo: true });
    return user;
  };
  const keptOnWeekdays = async (): Promise<TestUser> => {
    const user = await keptInTempo();
    const early = { name: 'early', days: ['MO', 'TU', 'WE', 'TH', 'FR'], start: '08:00', end: '12:00' };
    await user.post('/tempo/adjust', { preferences: { time_ranges: [early] } }).expect(200);
    return user;
  };
  const wholeDay = (scheduled_for: string, more: object = {}) =>
    call({ scheduled_for, duration_minutes: 1440, ...more, arguments: { all_day: true } });
  const inTempo = ({ scheduled_for }: Plan): boolean => {
    const at = Temporal.Instant.from(scheduled_for as string).toZonedDateTimeISO('Europe/Berlin');
    return at.hour >= 8 && at.add({ minutes: 20 }).hour < 20;
  };

  test.each([
    ['an hour of the night', call({ scheduled_for: '2026-11-27T03:00' })],
    ['an end beyond the hours', call({ scheduled_for: '2026-11-27T19:50' })],
    ['hours asked for in words', call({ scheduled_for: null, arguments: { after: '22:00' } })],
    ['hours before the day', call({ scheduled_for: null, arguments: { before: '07:00' } })],
  ])('refuses %s', async (_what, action) => {
    const user = await keptInTempo();
    expect(codes(await propose(user.agent, action))).toEqual(['slot:outside_tempo']);
  });

  test('refuses a built-in tag where the person has no such hours, and takes a tag that the person mapped', async () => {
    const user = await keptOnWeekdays();
    const evening = [
      call({ scheduled_for: '2026-11-27T18:00', tempo_tag: '@evening' }),
      call({ scheduled_for: null, tempo_tag: '@evening' }),
    ];
    expect(codes(await propose(user.agent, ...evening))).toEqual(['slot:outside_tempo', 'slot:outside_tempo']);
    const late = { name: 'late', days: ['FR'], start: '18:00', end: '21:00' };
    await user.post('/tempo/adjust', { preferences: { tag_mappings: { '@late': { ranges: [late] } } } }).expect(200);
    expect(codes(await propose(user.agent, call({ scheduled_for: '2026-11-27T18:00', tempo_tag: '@late' })))).toEqual([
      null,
    ]);
  });

  test.each(['Call Ana tomorrow night', 'Call Ana on Friday at 22:00', 'Call Ana on Friday after 21:00'])(
    'keeps an agent that says “%s” within the hours',
    async (prompt) => {
      const user = await keptInTempo();
      const { body } = await user.agent.post('/agent/plan', { prompt }).expect(200);
      expect(body).toHaveLength(1);
      for (const plan of body as Plan[])
        expect(plan.status === 'rejected' ? plan.decision?.code : inTempo(plan)).toBe(
          plan.status === 'rejected' ? 'slot:outside_tempo' : true,
        );
    },
  );

  test('binds agents, not the person; and a cancellation changes no time', async () => {
    const user = await keptInTempo();
    expect(codes(await propose(user, call({ scheduled_for: '2026-11-27T22:00' })))).toEqual([null]);
    const { body: event } = await user
      .post('/calendar/create', { title: 'Party', scheduled_for: '2026-11-27T23:00', duration_minutes: 60 })
      .expect(201);
    const cancel = {
      action_type: 'reschedule',
      title: 'Cancel',
      target_event_uid: event.uid,
      arguments: { cancel: true },
    };
    expect(codes(await propose(user.agent, cancel))).toEqual([null]);
  });

  test('takes whole days of which each has tempo hours', async () => {
    const user = await keptOnWeekdays();
    const days = [
      wholeDay('2026-11-27'),
      wholeDay('2026-11-25', { duration_minutes: 3 * 1440 }),
      wholeDay('2026-11-28'),
      wholeDay('2026-11-26', { duration_minutes: 3 * 1440 }),
      wholeDay('2026-11-28', { rrule: 'FREQ=WEEKLY;COUNT=3' }),
    ];
    const outside = 'slot:outside_tempo';
    expect(codes(await propose(user.agent, ...days))).toEqual([null, null, outside, outside, outside]);
  });

  test('counts hours that pass midnight for both days, of one proposal as of two', async () => {
    const user = await keptInTempo();
    const late = { name: 'late', days: ['FR'], start: '22:00', end: '24:00' };
    const early = { name: 'early', days: ['SA'], start: '00:00', end: '02:00' };
    await user.post('/tempo/adjust', { preferences: { time_ranges: [late, early] } }).expect(200);
    const days = [
      wholeDay('2026-11-27'),
      wholeDay('2026-11-28'),
      wholeDay('2026-11-27', { duration_minutes: 2 * 1440 }),
      wholeDay('2026-11-29'),
    ];
    expect(codes(await propose(user.agent, ...days))).toEqual([null, null, null, 'slot:outside_tempo']);
  });

  test('binds what an agent edits its proposal into', async () => {
    const user = await keptOnWeekdays();
    const [plan] = (await propose(user.agent, wholeDay('2026-11-27'))) as [Plan];
    const refused = await edit(user.agent, plan.uid, { scheduled_for: '2026-11-28' }).expect(409);
    expect(refused.body).toMatchObject({ code: 'limit_reached', limit: 'slot:outside_tempo' });
  });
});

describe('arguments say what their action takes, and nothing else', () => {
  const bad: [string, object, string][] = [
    ['cancel on a schedule', call({ arguments: { cancel: true } }), 'cancel'],
    ['cancel that is text', call({ action_type: 'reschedule', arguments: { cancel: 'true' } }), 'cancel'],
    ['all_day on a reschedule', call({ action_type: 'reschedule', arguments: { all_day: true } }), 'all_day'],
    ['all_day that is not true', call({ arguments: { all_day: 'yes' } }), 'all_day'],
    ['hours that are none', call({ arguments: { after: '99:99' } }), 'after'],
    ['hours of a number', call({ arguments: { before: 5 } }), 'before'],
    ['hours in the wrong order', call({ arguments: { after: '18:00', before: '09:00' } }), 'before'],
    ['hours on a log', log({ arguments: { after: '18:00' } }), 'after'],
    ['data of the caller’s own', call({ arguments: { colour: 'red' } }), 'colour'],
  ];

  test.each(bad)('%s is refused as an action, in a preview, as a trace', async (_what, action, field) => {
    const user = await aUser(app);
    const paths = async (path: string, body: object): Promise<string[]> =>
      (await user.agent.post(path, body).expect(422)).body.errors.map((fault: { path: string }) => fault.path);
    for (const path of ['/agent/plan', '/chat/plan-preview'])
      expect(await paths(path, { actions: [log(), action] })).toEqual([`/actions/1/arguments/${field}`]);
    const traces = [{ type: 'agent_plan', content: 'x', ...action }];
    expect(await paths('/memory/push', { traces })).toEqual([`/traces/0/arguments/${field}`]);
    expect((await user.get('/agent/queue?status=all').expect(200)).body).toEqual([]);
  });

  test('and is refused as an edit', async () => {
    const user = await aUser(app);
    const [plan] = (await propose(user.agent, call())) as [Plan];
    for (const given of [{ cancel: true }, { colour: 'red' }, { after: 'noon' }]) {
      const { body } = await edit(user.agent, plan.uid, { arguments: given }).expect(422);
      expect(body.errors[0].path).toBe(`/updates/arguments/${Object.keys(given)[0]}`);
    }
    await edit(user.agent, plan.uid, { arguments: { after: '12:00' }, metadata: { colour: 'red' } }).expect(200);
  });

  test('an imported plan keeps what it said, and what it said does nothing', async () => {
    const user = await aUser(app);
    const odd = { cancel: 'true', all_day: 1, after: 99, deep: [{ er: 1.5 }] };
    const plan = {
      ...{ uid: 'old', type: 'agent_plan', content: 'x', timestamp: '2026-11-01T10:00:00Z', action_type: 'schedule' },
      ...{ status: 'proposed', arguments: odd, scheduled_for: '2026-11-27T15:30:00Z', duration_minutes: 30 },
    };
    await user.post('/memport/import', { traces: [plan] }).expect(200);
    const [shown] = (await user.get('/agent/queue?status=all').expect(200)).body;
    expect(shown).toMatchObject({ uid: 'old', arguments: odd, conflicts: [], conflicts_count: 0 });
    expect((await user.get('/debug/audit').expect(200)).body.ok).toBe(true);
  });
});

describe('the limits of an agent', () => {
  test('can’t be changed by a scope that a key of an earlier release still holds', async () => {
    const user = await aUser(app);
    const old = await aKey(app, user, 'agent');
    await app.database.handle.query(
      "update api_keys set scopes = scopes || array['tempo:write', 'user:write', 'plan:decide'] where user_id = $1 and id = $2",
      [user.user_id, old.id],
    );
    const { body } = await old.post('/tempo/adjust', { preferences: { timezone: 'Asia/Tokyo' } }).expect(403);
    expect(body).toMatchObject({ code: 'insufficient_scope', missing: ['tempo:write'] });
    await old.patch('/user/update', { updates: { limits: null } }).expect(403);
    const { body: keys } = await user.get('/user/keys').expect(200);
    expect(keys.find(({ id }: { id: string }) => id === old.id).scopes).not.toContain('tempo:write');
  });

  test('are not learned from what agents say of plans: only a person’s rating counts', async () => {
    const user = await aUser(app);
    const [rated] = (await propose(user.agent, call())) as [Plan];
    await approve(user, rated.uid).expect(200);
    const rate = (who: Client, feedback_rating: number) =>
      who.post('/agent/feedback', { uid: rated.uid, feedback_rating }).expect(200);
    const learned = async () => (await user.get('/tempo/profile').expect(200)).body.learned.action_types.schedule;
    await rate(user.agent, 5);
    expect(await learned()).toMatchObject({ rated: 0, rating: null });
    await rate(user, 2);
    await user.agent.post('/agent/feedback', { uid: rated.uid, notes: 'Only a note.' }).expect(200);
    expect(await learned()).toMatchObject({ rated: 1, rating: 2 });
    await rate(user.agent, 5);
    expect(await learned()).toMatchObject({ rated: 1, rating: 2 });
    const [own] = await pushed(user, {
      action_type: 'schedule',
      feedback_rating: 5,
      scheduled_for: '2026-11-28T15:30',
    });
    await approve(user, (own as Plan).uid).expect(200);
    expect(await learned()).toMatchObject({ approved: 2, rated: 1, rating: 2 });
  });
});

describe('many proposals', () => {
  const many = (count: number, more: object = {}) => Array.from({ length: count }, () => call(more));

  test('for one time name some of their rivals, and count all', async () => {
    const user = await aUser(app);
    const plans = await propose(user.agent, ...many(30), call({ scheduled_for: '2026-11-27T17:00' }));
    const { body } = await user.get('/agent/queue?limit=1000').expect(200);
    expect(body).toHaveLength(31);
    for (const plan of (body as Plan[]).slice(0, 30)) {
      expect(plan.conflicts_count).toBe(29);
      expect(new Set(plan.conflicts)).toHaveLength(20);
      expect(plan.conflicts).not.toContain(plan.uid);
    }
    expect(body[30]).toMatchObject({ uid: plans[30]?.uid, conflicts: [], conflicts_count: 0 });
  });

  test('of one key are refused beyond 1,000; another key and the person are not', async () => {
    const user = await aUser(app);
    for (let i = 0; i < 10; i++) await propose(user.agent, ...Array.from({ length: 100 }, () => log()));
    const refused = await user.agent.post('/agent/plan', { actions: [log()] }).expect(409);
    expect(refused.body).toMatchObject({ code: 'too_many_pending', max: 1000, pending: 1000 });
    expect(refused.body.detail).toContain('POST /agent/withdraw');
    await user.agent.post('/agent/plan', { prompt: 'Log that all is well' }).expect(409);
    await user.agent
      .post('/memory/push', { traces: [{ type: 'agent_plan', action_type: 'log', content: 'x' }] })
      .expect(409);
    await propose(await aKey(app, user, 'agent'), log());
    await propose(user, log());
    const [first] = (await user.get('/agent/queue?limit=1').expect(200)).body as [Plan];
    await user.agent.post('/agent/withdraw', { uid: first.uid });
    await user.post('/agent/reject', { uids: (await user.get('/agent/queue?limit=5')).body.map((p: Plan) => p.uid) });
    await propose(user.agent, log());
  });

  test('do not keep a displaced plan from its new proposal', async () => {
    const user = await aUser(app);
    const [plan] = (await propose(user.agent, call())) as [Plan];
    await approve(user, plan.uid).expect(200);
    for (let i = 0; i < 10; i++) await propose(user.agent, ...Array.from({ length: 100 }, () => log()));
    await user.post('/calendar/create', { title: 'Doctor', scheduled_for: '2026-11-27T15:30' }).expect(201);
    const { body } = await user.get('/agent/queue?limit=1').expect(200);
    expect(body[0]).toMatchObject({ title: 'Call the supplier', status: 'proposed' });
  });
});

describe('what a person is shown before a decision', () => {
  type Limit = { code: string; used: number; left: number; needed: number; start: string };
  const limitsOf = async (user: TestUser, uid: string, at?: string): Promise<Limit[]> =>
    (await user.get(`/agent/limits?uid=${uid}${at ? `&scheduled_for=${at}` : ''}`).expect(200)).body;

  test('which limits a plan uses, on its own day and week, and whether they allow it', async () => {
    const user = await aUser(app);
    await limit(user, { budget: { per_day: 2, per_week: 9 } });
    const [one, two, three, mine] = [
      ...(await propose(user.agent, call({ duration_minutes: 5 }), call({ scheduled_for: '2026-11-27T09:00' }))),
      ...(await propose(user.agent, call({ scheduled_for: '2026-11-28T09:00' }))),
      ...(await propose(user, call({ scheduled_for: '2026-11-27T11:00' }))),
    ] as [Plan, Plan, Plan, Plan];
    expect(await limitsOf(user, one.uid)).toMatchObject([
      { code: 'limit:budget_day', used: 0, left: 2, needed: 1, start: '2026-11-26T23:00:00.000Z' },
      { code: 'limit:budget_week', used: 0, left: 9, needed: 1, start: '2026-11-22T23:00:00.000Z' },
    ]);
    for (const { uid } of [one, two]) await approve(user, uid).expect(200);
    expect((await limitsOf(user, one.uid))[0]).toMatchObject({ used: 1, left: 1 }); // beside itself
    expect((await limitsOf(user, three.uid))[0]).toMatchObject({ used: 0, left: 2 });
    expect((await limitsOf(user, three.uid, '2026-11-27T16:00'))[0]).toMatchObject({ used: 2, left: 0, needed: 1 });
    const refused = await user
      .post('/agent/approve', { uid: three.uid, edits: { scheduled_for: '2026-11-27T16:00' } })
      .expect(409);
    expect(refused.body).toMatchObject({ code: 'limit_reached', limit: 'limit:budget_day' });
    expect(await limitsOf(user, mine.uid)).toEqual([]);
    await (await aUser(app)).get(`/agent/limits?uid=${one.uid}`).expect(404);
    await user.get(`/agent/limits?uid=${one.uid}&scheduled_for=soon`).expect(422);
  });

  test('of a plan that repeats the day or week where least is left', async () => {
    const user = await aUser(app);
    await limit(user, { budget: { per_week: 4 } });
    const [busy] = await propose(user.agent, call({ scheduled_for: '2026-12-08T18:00' }));
    await approve(user, busy?.uid as string).expect(200);
    const rrule = 'FREQ=WEEKLY;BYDAY=MO,TU;COUNT=6';
    const [series] = await propose(user.agent, call({ scheduled_for: '2026-11-30T09:00', rrule }));
    expect(await limitsOf(user, series?.uid as string)).toMatchObject([
      { used: 1, left: 3, needed: 2, start: '2026-12-06T23:00:00.000Z' },
    ]);
  });

  test('who proposed, and what became of the plans of each agent', async () => {
    const user = await aUser(app);
    const gone = await aKey(app, user, 'agent');
    const [kept] = await propose(gone, log({ title: 'Kept' }));
    await propose(user.agent, log(), log());
    await propose(user, log());
    await approve(user, kept?.uid as string).expect(200);
    await user.delete(`/user/keys?id=${gone.id}`).expect(200);
    const { body } = await user.get('/agent/activity').expect(200);
    const agent = { kind: 'agent', id: gone.id, label: expect.any(String) };
    expect(body.find((a: { agent: { id: string } }) => a.agent.id === gone.id)).toEqual({
      ...{ agent, proposed: 0, approved: 0, rejected: 0, executed: 1, last_used_at: null },
    });
    expect(body.find((a: { agent: { id: string } }) => a.agent.id !== gone.id)).toMatchObject({
      ...{ agent: { kind: 'agent', label: 'agent' }, proposed: 2, executed: 0, last_used_at: expect.any(String) },
    });
    expect(body).toHaveLength(2);
    const first = await user.get('/agent/activity?limit=1').expect(200);
    const next = /<([^>]+)>/.exec(first.headers['link'] ?? '')?.[1] ?? '';
    expect([...first.body, ...(await user.get(next).expect(200)).body]).toEqual(body);
    const queue = (await user.get('/agent/queue').expect(200)).body as { proposer: { label: string } }[];
    expect(queue.map((plan) => plan.proposer.label).toSorted()).toEqual(['agent', 'agent', 'login']);
    const keys = (await user.get('/user/keys').expect(200)).body as { id: string; revoked_at: string | null }[];
    expect(keys.find(({ id }) => id === gone.id)).toMatchObject({
      ...{ revoked_at: app.clock.now(), last_used_at: expect.any(String) },
    });
    expect(keys.filter(({ revoked_at }) => revoked_at === null)).toHaveLength(1);
    const pages = [];
    for (let path = '/user/keys?limit=1'; path;) {
      const answer = await user.get(path).expect(200);
      pages.push(...answer.body);
      path = /<([^>]+)>/.exec(answer.headers['link'] ?? '')?.[1] ?? '';
    }
    expect(pages).toEqual(keys);
  });
});

describe('beside a process of the release before', () => {
  const columns = 'counts_at, wanted, proposed_by';
  const rowsOf = async (user: TestUser) =>
    (
      await app.database.handle.query(
        `select uid, ${columns} from traces where user_id = $1 and type = 'agent_plan' order by uid`,
        [user.user_id],
      )
    ).rows;

  test('plans that it writes get what new ones are written with', async () => {
    const user = await aUser(app);
    const { body: event } = await user
      .post('/calendar/create', { title: 'Visit', scheduled_for: '2026-11-25T10:00' })
      .expect(201);
    const target = { action_type: 'reschedule', target_event_uid: event.uid, title: 'Visit' };
    const [block, , , , withdrawn] = await propose(
      user.agent,
      ...[call(), call({ scheduled_for: '2026-11-28T15:30' })],
      { ...target, scheduled_for: '2026-12-01T10:00', arguments: { cancel: true } },
      ...[log(), log(), { ...target, scheduled_for: '2026-12-02T10:00' }],
      call({ scheduled_for: '2026-11-29', duration_minutes: 1440, arguments: { all_day: true } }),
      call({ scheduled_for: '2026-11-01T15:30' }),
    );
    await propose(user, call({ scheduled_for: '2026-11-28T16:30' }));
    await user.agent.post('/agent/withdraw', { uid: withdrawn?.uid }).expect(200);
    await approve(user, (block as Plan).uid).expect(200);
    await user.post('/calendar/create', { title: 'Doctor', scheduled_for: '2026-11-27T15:30' }).expect(201);

    const written = await rowsOf(user);
    expect(written.filter(({ counts_at }) => counts_at === null)).toHaveLength(4); // displaced, withdrawn, past, the person's
    expect(written.filter(({ wanted }) => wanted !== null)).toHaveLength(4);
    const { handle } = app.database;
    const mine = "user_id = $1 and type = 'agent_plan'";
    await handle.query(`create table before_0011 as select * from traces where ${mine}`, [user.user_id]);
    await handle.query(`update before_0011 set ${columns.replaceAll(/\w+/g, (column) => `${column} = null`)}`, []);
    await handle.query(`delete from traces where ${mine}`, [user.user_id]);
    await handle.query('insert into traces select * from before_0011', []);
    await handle.query('drop table before_0011', []);
    expect(await rowsOf(user)).toEqual(written);
    expect((await user.get('/debug/audit').expect(200)).body).toMatchObject({ ok: true });
  });

  test('and those that it changes', async () => {
    const user = await aUser(app);
    const [plan] = (await propose(user.agent, call())) as [Plan];
    await edit(user.agent, plan.uid, { scheduled_for: '2026-12-01T15:30' }).expect(200);
    const written = await rowsOf(user);
    const { handle } = app.database;
    const first = `select seq from ledger where user_id = $1 and subject_uid = $2 and version = 1`;
    await handle.query(`update traces t set seq = f.seq from (${first}) f where t.user_id = $1 and t.uid = $2`, [
      user.user_id,
      plan.uid,
    ]);
    const [changed] = await rowsOf(user);
    expect(Date.parse(changed?.['counts_at'] as string)).toBe(Date.parse('2026-11-27T14:30:00Z'));
    expect(changed?.['wanted']).not.toBe(written[0]?.['wanted']);
  });
});
