/** Chat as a person uses it: everyday sentences become proposals; previews keep nothing; answers stream. */
import { Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLog } from '../../src/observability/log.ts';
import { aKey, anApp, aUser, type TestApp, type TestUser } from '../support/app.ts';
import { aModel } from '../support/model.ts';

let app: TestApp;
beforeAll(async () => {
  app = await anApp();
});
afterAll(() => app.close());

const ask = async (user: TestUser, prompt: string, more: object = {}) =>
  (await user.post('/chat/respond', { prompt, ...more }).expect(200)).body;
type Plan = {
  uid: string;
  title: string;
  scheduled_for: string;
  duration_minutes: number;
  status: string;
  action_type: string;
  task_id: string | null;
  tempo_tag: string | null;
};

/** It is Saturday 21 November 2026, 10:00 in Berlin. */
describe('everyday sentences', () => {
  test('deep work tomorrow morning', async () => {
    const user = await aUser(app);
    const answer = await ask(user, 'Plan 90 minutes of deep work on #thesis tomorrow morning');
    expect(answer).toMatchObject({ planner: { mode: 'built-in', model: null }, warnings: [] });
    expect(answer.plans).toMatchObject([
      {
        status: 'proposed',
        action_type: 'schedule',
        task_id: 'thesis',
        tempo_tag: '@deep_work',
        duration_minutes: 90,
        origin: 'user',
      },
    ]);
    expect(answer.questions).toEqual([]);
    expect(answer.commands).toMatchObject([
      { action_type: 'schedule', task_id: 'thesis', tempo_tag: '@deep_work', tags: [], duration_minutes: 90 },
    ]);
    const [plan] = answer.plans as Plan[];
    expect(plan?.scheduled_for).toMatch(/^2026-11-22T(07|08|09):/); // 08:00 to 12:00 in Berlin
    expect(answer.reply).toContain(plan?.title);
    expect(answer.traces.map((t: { metadata: { role: string } }) => t.metadata.role)).toEqual(['prompt', 'reply']);
    expect(answer.plans[0].linked_trace_ids).toEqual([answer.traces[0].uid]);
    expect((await user.get('/agent/queue')).body.map((p: Plan) => p.uid)).toEqual([plan?.uid]);
  });

  test('what was understood is told: restrictions of a request, and the time of a question', async () => {
    const user = await aUser(app);
    const { commands } = await ask(user, 'Plan an hour of reading on Friday after 15:00');
    expect(commands).toMatchObject([{ between: { start: '2026-11-27T14:00:00.000Z' }, duration_minutes: 60 }]);
    const answer = await ask(user, 'What is on my calendar on Friday?');
    const time = { start: '2026-11-26T23:00:00.000Z', end: '2026-11-27T23:00:00.000Z' };
    expect(answer).toMatchObject({ commands: [], questions: [{ kind: 'agenda', about: '', time }] });
  });

  test('a call on Friday at 15:30 for 20 minutes', async () => {
    const user = await aUser(app);
    const { plans } = await ask(user, 'Schedule a call with the supplier on Friday at 15:30 for 20 minutes');
    expect(plans).toMatchObject([
      { scheduled_for: '2026-11-27T14:30:00.000Z', duration_minutes: 20, action_type: 'schedule' },
    ]);
  });

  test('move the dentist to next Tuesday 10am', async () => {
    const user = await aUser(app);
    const event = await user
      .post('/calendar/create', { title: 'Dentist', scheduled_for: '2026-11-23T14:00', duration_minutes: 45 })
      .expect(201);
    const { plans } = await ask(user, 'Move the dentist to next Tuesday 10am');
    expect(plans).toMatchObject([
      { action_type: 'reschedule', target_event_uid: event.body.uid, duration_minutes: 45, status: 'proposed' },
    ]);
    expect(plans[0].scheduled_for).toMatch(/^2026-(11-24|12-01)T09:00/);
  });

  test('reflections every Friday this month, a log at once, writing three times this week', async () => {
    const user = await aUser(app);
    const reflections = (await ask(user, 'Remind me to reflect on the sprint every Friday at 17:00 this month'))
      .plans as Plan[];
    expect(reflections.map((p) => [p.action_type, p.scheduled_for])).toEqual([['reflect', '2026-11-27T16:00:00.000Z']]);
    const log = (await ask(user, 'Log that the deploy went fine')).plans as Plan[];
    expect(log).toMatchObject([{ action_type: 'log', status: 'proposed' }]);
    app.clock.set('2026-11-23T07:00:00.000Z'); // a Monday
    const again = await aUser(app);
    const writing = (await ask(again, 'Block two hours for writing three times this week')).plans as Plan[];
    expect(writing.map((p) => [p.action_type, p.duration_minutes, p.status])).toEqual(
      Array.from({ length: 3 }, () => ['schedule', 120, 'proposed']),
    );
    expect(new Set(writing.map((p) => p.scheduled_for.slice(0, 10))).size).toBe(3);
    app.clock.set('2026-11-21T09:00:00.000Z');
  });

  test('what can’t be understood is asked, not guessed', async () => {
    const user = await aUser(app);
    const { plans, reply } = await ask(user, 'Move the piano tuner to Monday');
    expect(plans).toEqual([]);
    expect(reply).toMatch(/\?/);
    expect((await ask(user, 'hello')).plans).toEqual([]);
  });

  test('a correction changes the pending proposal', async () => {
    const user = await aUser(app);
    const [plan] = (await ask(user, 'Schedule a call with the supplier on Friday at 15:30 for 20 minutes'))
      .plans as Plan[];
    await ask(user, 'Make it 45 minutes');
    const { body } = await user.get('/agent/queue').expect(200);
    expect(body).toMatchObject([
      { uid: plan?.uid, duration_minutes: 45, version: 2, temporal_estimate: { duration_minutes: 45 } },
    ]);
  });
});

test.each(['make it Thursday', 'no, Thursday', 'move the holiday to Thursday'])(
  'whole days that get another day stay whole: %s',
  async (prompt) => {
    const user = await aUser(app);
    await ask(user, 'Holiday all day on Friday');
    await ask(user, prompt);
    const { body } = await user.get('/agent/queue').expect(200);
    expect(body).toMatchObject([
      { scheduled_for: '2026-11-25T23:00:00.000Z', duration_minutes: 1440, arguments: { all_day: true } },
    ]);
  },
);

describe('preview, context, stream', () => {
  test('what is taken back is withdrawn, and what is kept stays', async () => {
    const user = await aUser(app);
    await ask(user, 'Call Bob on Tuesday at 16:00');
    expect((await ask(user, 'keep it')).plans).toEqual([]);
    const { reply } = await ask(user, 'hm no, cancel that');
    expect(reply).toMatch(/• Call Bob .*: withdrawn$/m);
    expect((await user.get('/agent/queue').expect(200)).body).toEqual([]);
  });

  test('a preview keeps nothing', async () => {
    const user = await aUser(app);
    const before = (await user.get('/agent/changes?after=0')).body.seq;
    const { body } = await user
      .post('/chat/plan-preview', { prompt: 'Plan 90 minutes of deep work tomorrow morning' })
      .expect(200);
    expect(body[0].reasoning.length).toBeGreaterThan(10);
    await user.post('/chat/plan-preview', { actions: [{ action_type: 'log', title: 'x' }] }).expect(200);
    expect((await user.get('/agent/queue')).body).toEqual([]);
    expect((await user.get('/agent/changes?after=0')).body.seq).toBe(before);
  });

  test('the calendar that is handed over counts as busy, the memory is linked', async () => {
    const user = await aUser(app);
    const [note] = (
      await user
        .post('/memory/push', { traces: [{ type: 'observation', content: 'Chapter three is hard.' }] })
        .expect(201)
    ).body;
    const context = {
      memory: [{ uid: note.uid }, 'just words'],
      calendar: [{ title: 'Elsewhere', start: '2026-11-22T08:00', end: '2026-11-22T10:30' }],
    };
    const { plans } = await ask(user, 'Plan 90 minutes of deep work on #thesis tomorrow morning', { context });
    expect(plans[0].scheduled_for).toBe('2026-11-22T09:30:00.000Z');
    expect(plans[0].linked_trace_ids).toContain(note.uid);
  });

  test('streams the reply and ends with the whole answer', async () => {
    const user = await aUser(app);
    const { text, headers } = await user
      .post('/chat/respond', { prompt: 'Log that the deploy went fine' })
      .set('Accept', 'text/event-stream')
      .buffer(true)
      .expect(200);
    expect(headers['content-type']).toMatch('text/event-stream');
    const events = text.split('\n\n').filter((e) => e.startsWith('event:'));
    const done = JSON.parse((events.at(-1) ?? '').replace(/^event: done\ndata: /, ''));
    const said = events
      .slice(0, -1)
      .map((e) => JSON.parse(e.replace(/^event: delta\ndata: /, '')).text)
      .join('');
    expect(said.trim()).toBe(done.reply.trim());
    expect(done.plans).toHaveLength(1);
  });

  test('what is not wanted is not kept', async () => {
    const user = await aUser(app);
    await user.patch('/user/update', { updates: { memory: { record_chat: false } } }).expect(200);
    expect((await ask(user, 'hello')).traces).toEqual([]);
    expect((await user.get('/memory/pull?tag=chat')).body).toEqual([]);
  });
});

describe('words that are not read', () => {
  const prompt = 'book black friday shopping on saturday at 10';
  const literal = [[5, 17]];
  const named = [{ title: 'Black friday shopping', scheduled_for: '2026-11-28T09:00:00.000Z' }];

  test('belong to the name, in a preview, a plan and the chat, and each answer says how the others were read', async () => {
    const user = await aUser(app);
    const { body: preview } = await user.post('/chat/plan-preview', { prompt, literal }).expect(200);
    const { body: plans } = await user.post('/agent/plan', { prompt, literal }).expect(200);
    const answer = await ask(user, prompt, { literal });
    for (const made of [preview, plans, answer.plans]) expect(made).toMatchObject(named);
    const reading = {
      probability: expect.any(Number),
      stretches: [
        { role: 'create', from: 0, to: 4 },
        { role: 'title', from: 5, to: 26 },
        { role: 'when', from: 27, to: prompt.length, means: 'on Saturday 28 November at 10:00' },
      ],
    };
    for (const [made] of [preview, plans, answer.commands]) expect(made.reading).toMatchObject(reading);
    // How it was read is said once; the plan itself has no part of it.
    const { body: stored } = await user.get(`/agent/plan?uid=${plans[0].uid}`).expect(200);
    expect(stored).not.toHaveProperty('reading');
  });

  test('make no prompt go on from how it was read before', async () => {
    const user = await aUser(app);
    const of = 'lunch tue 9-1 with jo';
    const { plans } = await ask(user, of);
    expect(plans).toMatchObject([{ title: 'Lunch with jo', duration_minutes: 240 }]);
    await user.post('/agent/withdraw', { uids: [plans[0].uid] }).expect(200);
    expect(await ask(user, of, { literal: [[6, 13]] })).toMatchObject({ plans: [], reply: 'When should it be?' });
    expect((await ask(user, 'on Friday at 12')).plans).toMatchObject([
      { title: 'Lunch tue 9-1 with jo', scheduled_for: '2026-11-27T11:00:00.000Z' },
    ]);
  });

  test.each<[string, unknown, object?]>([
    ['behind the prompt', [[5, 60]]],
    ['empty', [[5, 5]]],
    ['backwards', [[17, 5]]],
    [
      'with an overlap',
      [
        [5, 17],
        [10, 20],
      ],
    ],
    [
      'out of order',
      [
        [27, 30],
        [5, 17],
      ],
    ],
    ['below zero', [[-1, 5]]],
    ['no integers', [[0.5, 5]]],
    ['no pairs', [[5, 17, 20]]],
    ['no list', '5-17'],
    ['of actions', [[0, 1]], { prompt: undefined, actions: [{ action_type: 'log', title: 'x', content: 'x' }] }],
    ['too many', Array.from({ length: 51 }, (_, i) => [i, i + 1])],
  ])('are refused where they are %s', async (_, wrong, more = {}) => {
    const user = await aUser(app);
    for (const path of ['/agent/plan', '/chat/plan-preview']) {
      const { body } = await user.post(path, { ...{ prompt, literal: wrong }, ...more }).expect(422);
      expect(JSON.stringify(body)).toContain('literal');
    }
    expect((await user.get('/agent/queue').expect(200)).body).toEqual([]);
  });

  test('keep a value whole that is hidden from agents', async () => {
    const user = await aUser(app);
    const secret = 'Ottoline Friday Farnsworth';
    await user
      .post('/memory/push', { traces: [{ type: 'observation', content: 'x', authored_by: secret }] })
      .expect(201);
    const agent = await aKey(app, user, 'agent', ['plan:read', 'memory:read']);
    const of = `lunch with ${secret} on tuesday at noon`;
    const at = of.indexOf('Friday');
    const { plans } = await ask(user, of, { literal: [[at, at + 6]] });
    expect(plans).toMatchObject([{ title: `Lunch with ${secret}`, scheduled_for: '2026-11-24T11:00:00.000Z' }]);
    const { text } = await agent.get(`/agent/plan?uid=${plans[0].uid}`).expect(200);
    expect(text).not.toMatch(/Ottoline|Farnsworth/);
  });
});

describe('a rule for all plans', () => {
  const rule = 'From now on nothing before nine on weekdays';
  const rangesOf = async (user: TestUser) => (await user.get('/tempo/profile').expect(200)).body.time_ranges;
  const before = [{ name: 'day', days: ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'], start: '08:00', end: '20:00' }];

  test('is a proposal to change the settings, and its approval can be taken back', async () => {
    const user = await aUser(app);
    const { plans, reply } = await ask(user, rule);
    expect(reply).toBe(
      'I propose to change your settings: Nothing before nine on weekdays.\n• change the settings: Nothing before nine on weekdays',
    );
    expect(plans).toMatchObject([{ action_type: 'configure', status: 'proposed', scheduled_for: null }]);
    expect(await rangesOf(user)).toEqual(before);
    const [{ uid, version }] = plans;
    await user.post('/agent/approve', { uid, expected_version: version }).expect(200);
    expect(await rangesOf(user)).toEqual([
      { name: 'day', days: ['MO', 'TU', 'WE', 'TH', 'FR'], start: '09:00', end: '20:00' },
      { name: 'day 2', days: ['SA', 'SU'], start: '08:00', end: '20:00' },
    ]);
    expect((await user.get('/user/profile').expect(200)).body.settings.limits.only_in_tempo).toBe(true);
    expect((await ask(user, 'Nothing before nine on weekdays')).reply).toMatch(/your settings say so already/);
    await user.post('/agent/undo', { uid }).expect(200);
    expect(await rangesOf(user)).toEqual(before);
  });

  test('is taken back in the conversation, and not changed like a thing with a time', async () => {
    const user = await aUser(app);
    const { plans } = await ask(user, rule);
    expect(await ask(user, 'move it to Friday at 3')).toMatchObject({ plans: [] });
    expect(await ask(user, 'forget that')).toMatchObject({
      plans: [{ uid: plans[0].uid, status: 'rejected', decision: { code: 'withdrawn' } }],
    });
  });

  test('is proposed beside other things of a prompt', async () => {
    const user = await aUser(app);
    const { plans } = await ask(user, 'book lunch with Sofia on Friday at 12, and from now on nothing before nine');
    expect(plans.map((plan: Plan) => plan.action_type)).toEqual(['schedule', 'configure']);
    const { plans: moved } = await ask(user, 'make it at 1');
    expect(moved).toMatchObject([{ uid: plans[0].uid, scheduled_for: '2026-11-27T12:00:00.000Z' }]);
    expect((await user.get('/agent/queue').expect(200)).body).toHaveLength(2);
  });

  test.each([
    [['plan:propose', 'plan:read', 'tempo:read'], 1],
    [['plan:propose', 'plan:read'], 0],
    [['plan:propose', 'tempo:read'], 0],
  ])('needs the scopes to read the settings: %s', async (scopes, proposed) => {
    const user = await aUser(app);
    const agent = await aKey(app, user, 'agent', scopes);
    const { body } = await agent.post('/agent/plan', { prompt: 'max 3 meetings a day' }).expect(200);
    expect(body).toHaveLength(proposed);
  });
});

test('a client that leaves while the model reads is no error of the service, and nothing comes of its prompt', async () => {
  const levels: number[] = [];
  const to = new Writable({
    write: (line, _encoding, done) => {
      levels.push((JSON.parse(String(line)) as { level: number }).level);
      done();
    },
  });
  const reached = Promise.withResolvers<void>();
  const model = await aModel(() => reached.resolve());
  const other = await anApp({ env: { OPENAI_BASE_URL: model.baseURL }, overrides: { log: createLog('warn', { to }) } });
  const person = await aUser(other);
  const leaving = new AbortController();
  const headers = { Authorization: `Bearer ${person.token}`, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ prompt: 'Gym on Monday at 10', stream: true });
  const asked = { method: 'POST', headers, body, signal: leaving.signal };
  const { body: stream } = await fetch(`${other.url}/chat/respond`, asked);
  const read = stream?.getReader().closed.catch(() => undefined);
  await reached.promise;
  leaving.abort();
  await read;
  // The planner warns when it gives up.
  await expect.poll(() => levels.length).toBeGreaterThan(0);
  expect((await person.get('/agent/queue').expect(200)).body).toEqual([]);
  await other.close();
  await model.close();
  expect(levels.filter((level) => level > 40)).toEqual([]);
});
