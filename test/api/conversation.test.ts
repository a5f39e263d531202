/** A conversation belongs to one credential, and a choice to the reply that offered it. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aKey, anApp, aUser, type Client, type TestApp, type TestUser } from '../support/app.ts';

let app: TestApp;
let user: TestUser;
beforeAll(async () => {
  app = await anApp();
});
afterAll(() => app.close());

type Answer = {
  reply: string;
  plans: { title: string; status: string; scheduled_for: string; target_event_uid: string | null }[];
  choices: { label: string; commands: { scheduled_for?: string }[] }[];
  traces: { uid: string; metadata: { role?: string } }[];
};

const say = async (who: Client, prompt: string, more: object = {}): Promise<Answer> =>
  (await who.post('/chat/respond', { prompt, ...more }).expect(200)).body;

const replyOf = ({ traces }: Answer): string => traces.find(({ metadata }) => metadata.role === 'reply')!.uid;

const agentOf = (person: TestUser): Promise<Client> =>
  aKey(app, person, 'agent', ['plan:propose', 'plan:read', 'memory:read', 'memory:write', 'calendar:read']);

const event = (uid: string, title: string, day: string) => ({
  ...{ uid, title, scheduled_for: `2026-11-${day}T10:00`, duration_minutes: 30 },
});

test('an agent that may read the chat does not continue what the person said', async () => {
  user = await aUser(app);
  const agent = await agentOf(user);
  await user.post('/calendar/create', event('t1', 'Theatre', '27')).expect(201);
  const { choices } = await say(user, 'Oncology appointment with Dr Meyer on Friday at 10');
  expect(choices.length).toBe(3);
  for (const prompt of ['morning', 'the first', choices[0]!.label.split(', ')[1]!, 'on Tuesday at 10:00']) {
    const { plans, reply } = await say(agent, prompt);
    expect(JSON.stringify([plans, reply]), prompt).not.toMatch(/oncology|meyer/i);
  }
  // Its prompts came between, and the person still chooses.
  expect((await say(user, 'the first')).plans).toMatchObject([{ title: expect.stringMatching(/oncology/i) }]);
});

test.each([
  'yes, book it',
  'ok book it',
  'Book it.',
  'sounds good, book it',
  'Yes, please book that',
  'great, put it in',
  'approve that',
  'add it to my calendar',
  'Perfect, schedule it!',
  'looks good',
  'confirm',
])('“%s” agrees to what waits, and only a decision approves it', async (prompt) => {
  user = await aUser(app);
  const [plan] = (await say(user, 'Read for an hour on Thursday at 5pm')).plans;
  // The second time the reply before proposed nothing.
  for (const _ of [1, 2]) {
    const { plans, reply } = await say(user, prompt);
    expect(reply).toBe('I only propose: approve “Read” here or in the queue, or tell me what to change about it.');
    expect(plans).toEqual([]);
  }
  const { title, scheduled_for } = plan!;
  expect((await user.get('/agent/queue').expect(200)).body).toMatchObject([{ title, scheduled_for }]);
});

test.each(['book it on Friday', 'put it in the morning', 'yes, but at 6', 'ok, and book the dentist too'])(
  '“%s” asks for something else, and is not taken for a yes',
  async (prompt) => {
    user = await aUser(app);
    await say(user, 'Read for an hour on Thursday at 5pm');
    expect((await say(user, prompt)).reply).not.toMatch(/^I only propose/);
  },
);

test('what is taken back is said as that, and not as a proposal', async () => {
  user = await aUser(app);
  await user.post('/calendar/create', event('d1', 'Dentist', '27')).expect(201);
  for (const prompt of ['cancel that', 'undo that', 'forget it']) {
    await say(user, 'Move the dentist to Thursday at 10');
    const { reply } = await say(user, prompt);
    expect(reply).toMatch(/^I have withdrawn “Dentist” on Thursday 26 November at 10:00\.\n/);
    expect((await user.get('/agent/queue').expect(200)).body).toEqual([]);
  }
});

test('after a refusal, “it” is what was refused, and no other proposal changes', async () => {
  const person = await aUser(app, { timezone: 'Europe/Berlin' });
  const theatre = { title: 'Theatre', scheduled_for: '2026-11-24T19:00', duration_minutes: 120 };
  await person.post('/calendar/create', theatre).expect(201);
  const waiting = async (): Promise<string[]> =>
    (await person.get('/agent/queue').expect(200)).body.map(
      ({ title, scheduled_for: at }: { title: string; scheduled_for: string }) => `${title} ${at.slice(0, 16)}`,
    );
  await say(person, 'Gym on Monday at 7am for an hour');
  const gym = 'Gym 2026-11-23T06:00';
  for (const [again, made] of [
    ['No, make it Wednesday at 8pm', '2026-11-25T19:00'],
    ['then Thursday at 6pm', '2026-11-26T17:00'],
    ['what about 9:30pm?', '2026-11-24T20:30'],
  ] as const) {
    const refused = await say(person, 'Dinner with Jo on Tuesday at 7pm for 2 hours');
    expect(refused.plans).toMatchObject([{ title: 'Dinner with Jo', status: 'rejected' }]);
    const { plans } = await say(person, again);
    expect(plans, again).toMatchObject([
      { title: 'Dinner with Jo', scheduled_for: `${made}:00.000Z`, duration_minutes: 120, status: 'proposed' },
    ]);
    expect((await waiting()).toSorted()).toEqual([`Dinner with Jo ${made}`, gym]);
    await say(person, 'cancel that');
    expect(await waiting()).toEqual([gym]);
  }
  for (const [prompt, reply] of [
    ['never mind', /^“Dinner with Jo” is not proposed, so there is nothing to take back/],
    ['cancel it', /^“Dinner with Jo” is not proposed/],
    ['yes, book it', /^“Dinner with Jo” is not possible at that time/],
  ] as const) {
    await say(person, 'Dinner with Jo on Tuesday at 7pm for 2 hours');
    expect((await say(person, prompt)).reply).toMatch(reply);
    expect(await waiting()).toEqual([gym]);
  }
  // What is named is meant.
  await say(person, 'Dinner with Jo on Tuesday at 7pm for 2 hours');
  await say(person, 'move the gym to 9');
  expect(await waiting()).toEqual(['Gym 2026-11-23T08:00']);
});

test.each([
  ['cancel it', { arguments: { cancel: true } }],
  ['make it 30 minutes', { duration_minutes: 30 }],
  ['an hour later', { scheduled_for: '2026-11-27T20:00:00.000Z' }],
])('after what was proposed is approved, “%s” is about the event that it became', async (prompt, changed) => {
  const person = await aUser(app);
  const [tea] = (await say(person, 'Tea with Yves on Friday at 19:00 for 30 minutes')).plans;
  const { plans } = await say(person, 'Book a massage on Friday at 20:00 for 1 hour');
  const [massage] = plans as unknown as { uid: string; version: number }[];
  await person.post('/agent/approve', { uid: massage!.uid, expected_version: massage!.version }).expect(200);
  const events = (await person.get('/calendar/events?start=2026-11-27&end=2026-11-28').expect(200)).body;
  const event = events.find(({ title }: { title: string }) => title === 'Massage');
  const answer = await say(person, prompt);
  expect(answer.plans, answer.reply).toMatchObject([{ title: 'Massage', target_event_uid: event.uid, ...changed }]);
  const waiting = (await person.get('/agent/queue').expect(200)).body;
  expect(waiting.map(({ title }: { title: string }) => title)).toContain(tea!.title);
});

test('after “it” was taken back, “it” is no other proposal that waits', async () => {
  const person = await aUser(app);
  const waiting = async (): Promise<string[]> =>
    (await person.get('/agent/queue').expect(200)).body.map(({ title }: { title: string }) => title);
  await say(person, 'Tea with Yves on Friday at 19:00 for 30 minutes');
  await say(person, 'Book a massage on Friday at 20:00 for 1 hour');
  await say(person, 'cancel it');
  const { reply, plans } = await say(person, 'cancel it');
  expect([reply, plans]).toEqual(['Which event do you mean by “it”?', []]);
  expect(await waiting()).toEqual(['Tea with Yves']);
});

test('an answer that quotes a note proposes nothing, so “it” is still what waits', async () => {
  const person = await aUser(app);
  await person
    .post('/memory/push', {
      traces: [{ type: 'observation', content: 'The landlord returns the deposit in January.' }],
    })
    .expect(201);
  const [tea] = (await say(person, 'Tea with Yves on Friday at 19:00 for 30 minutes')).plans;
  const { reply, traces } = await say(person, 'What did the landlord say about the deposit?');
  expect(reply).toMatch('January');
  expect(traces.length).toBeGreaterThan(2);
  expect((await say(person, 'make it 45 minutes')).plans).toMatchObject([{ title: tea!.title, duration_minutes: 45 }]);
});

test('“it” is what was proposed last, however many proposals of agents wait and however late its time is', async () => {
  const person = await aUser(app, { timezone: 'Europe/Berlin' });
  const agent = await aKey(app, person, 'agent', ['plan:propose', 'plan:read']);
  const many = Array.from({ length: 20 }, (_, n) => ({
    ...{ action_type: 'schedule', title: `Task ${n}`, duration_minutes: 5 },
    scheduled_for: `2026-11-23T${10 + Math.floor(n / 6)}:${n % 6}5`,
  }));
  for (const part of 'abcdef')
    await agent
      .post('/agent/plan', { actions: many.map((one) => ({ ...one, title: `${one.title} ${part}` })) })
      .expect(200);
  await say(person, 'Plan 20 minutes of Drums on Tuesday at 21:00');
  await say(person, 'Plan 45 minutes of guitar on Friday at 22:30');
  const { plans } = await say(person, 'make it 30 minutes');
  expect(plans).toMatchObject([{ title: 'Guitar', duration_minutes: 30 }]);
  await say(person, 'What is on Thursday?');
  expect((await say(person, 'No, make it 22:00')).plans).toMatchObject([
    { title: 'Guitar', duration_minutes: 30, scheduled_for: '2026-11-27T21:00:00.000Z' },
  ]);
  // All that is said of it is done.
  expect((await say(person, 'make it an hour earlier and 20 minutes')).plans).toMatchObject([
    { title: 'Guitar', duration_minutes: 20, scheduled_for: '2026-11-27T20:00:00.000Z' },
  ]);
  expect((await say(person, 'move the drums to 20:00')).plans).toMatchObject([
    { title: 'Drums', duration_minutes: 20, scheduled_for: '2026-11-24T19:00:00.000Z' },
  ]);
});

const CHOSEN = /^You chose this free time instead of Tuesday 24 November at 19:30\./;

test('a refusal says why in words, and a free time that it offers is chosen', async () => {
  const person = await aUser(app, { timezone: 'Europe/Berlin' });
  const theatre = { title: 'Theatre', scheduled_for: '2026-11-24T19:00', duration_minutes: 120 };
  await person.post('/calendar/create', theatre).expect(201);
  const refused = await say(person, 'Dinner with Jo on Tuesday at 7pm for 2 hours');
  expect(refused.reply).toBe(
    [
      'I propose nothing. At the time of “Dinner with Jo” there is “Theatre” (Tuesday 24 November at 19:00).',
      '• Dinner with Jo Tue 24 Nov, 19:00: not possible, because that time is taken. These times are free:',
      ...refused.choices.map(({ label }, n) => `${n + 1}. ${label}`),
    ].join('\n'),
  );
  // The tempo hours end at 18:00, and a dinner in the evening has other times in the evening.
  expect(refused.choices.map(({ commands }) => commands[0]!.scheduled_for)).toEqual(
    ['24T20:00', '25T15:00', '25T17:00'].map((at) => `2026-11-${at}:00.000Z`),
  );
  const [first, second] = refused.choices;
  for (const [prompt, choice] of [
    ['2', second],
    [first!.label, first],
  ] as const) {
    expect((await say(person, prompt)).plans).toMatchObject([
      { title: 'Dinner with Jo', status: 'proposed', scheduled_for: choice!.commands[0]!.scheduled_for },
    ]);
    await say(person, 'cancel that');
    await say(person, 'Dinner with Jo on Tuesday at 7pm for 2 hours');
  }
  // Of several only what is possible is said to be proposed, and the free times are told.
  const { reply, choices } = await say(person, 'Plan a run on Tuesday at 7pm and a call with Mum on Wednesday at 8am');
  expect(reply).toMatch(/^I propose: “Call with Mum”, on Wednesday 25 November at 08:00\. At the time of “Run”/);
  expect(reply).toMatch(
    /• Run Tue 24 Nov, 19:00: not possible, because that time is taken\. It would be free at \S+ \d+ Nov/,
  );
  expect(choices).toEqual([]);
  const corrected = await say(person, 'move the call with Mum to Tuesday at 19:30');
  expect(corrected.reply).toMatch(
    /^I changed and proposed nothing\. At the time of “Call with Mum” there is “Theatre” .*\n“Call with Mum” stays as it is, because that time is taken\. These times are free:\n1\. /,
  );
  const [instead] = corrected.choices;
  const moved = await say(person, '1');
  expect(moved.reply).toContain(`“Call with Mum”: move it to ${instead!.label.replace('Call with Mum, ', '')}`);
  expect(moved.plans).toMatchObject([
    {
      status: 'proposed',
      scheduled_for: instead!.commands[0]!.scheduled_for,
      reasoning: expect.stringMatching(CHOSEN),
    },
  ]);
  for (const { reply: text } of [refused, corrected]) expect(text).not.toMatch(/\d{4}-\d\d-\d\d/);
});

test('what would move or cancel an event of a day waits for that day too', async () => {
  const person = await aUser(app, { timezone: 'Europe/Berlin' });
  for (const one of [event('k1', 'Kickoff', '24'), event('s1', 'Standup', '25')])
    await person.post('/calendar/create', one).expect(201);
  await say(person, 'Move the kickoff to Thursday at 15:00');
  await say(person, 'Cancel the standup');
  expect((await say(person, 'What is on Tuesday?')).reply).toMatch(
    /^There is 1 event .*; 1 proposal waits for a decision:\n.*Kickoff.*\n• move “Kickoff”, Thursday 26 November/,
  );
  expect((await say(person, 'What is on Wednesday?')).reply).toMatch(/1 proposal waits .*:\n.*\n• cancel “Standup”/);
  expect((await say(person, 'What is on Thursday?')).reply).toMatch(/1 proposal waits .*:\n• move “Kickoff”/);
});

test('after a refusal, a hidden value that an agent guesses is answered as another word is', async () => {
  const person = await aUser(app, { timezone: 'Europe/Berlin' });
  const agent = await agentOf(person);
  const theatre = { title: 'Theatre', scheduled_for: '2026-11-24T19:00', duration_minutes: 120 };
  await person.post('/calendar/create', theatre).expect(201);
  const trace = { type: 'observation', content: 'Seen.', authored_by: 'Kjwvqwkx' };
  await person.post('/memory/push', { traces: [trace] }).expect(201);
  const answers = async (word: string): Promise<unknown> => {
    const refused = await say(agent, `${word} on Tuesday at 8pm`);
    const again = await say(agent, 'make it Wednesday at 8pm');
    await say(agent, 'cancel that');
    return [refused, again].map(({ plans }) => plans.map((plan) => [plan.scheduled_for, plan.status]));
  };
  const guess = await answers('Kjwvqwkx');
  expect(guess).toEqual([[['2026-11-24T19:00:00.000Z', 'rejected']], [['2026-11-25T19:00:00.000Z', 'proposed']]]);
  expect(await answers('Zbcdfghj')).toEqual(guess);
});

test('an agent does not turn what the person chooses', async () => {
  user = await aUser(app);
  const agent = await agentOf(user);
  for (const one of [
    ...[event('r1', 'Review', '24'), event('r2', 'Review', '25')],
    ...[event('s1', 'Standup', '24'), event('t1', 'Theatre', '27')],
  ])
    await user.post('/calendar/create', one).expect(201);
  const offered = await say(user, 'Tiling on Friday at 10');
  await say(agent, 'Cancel the review');
  await say(agent, 'Cancel the standup');
  const { plans } = await say(user, 'the second');
  expect(plans).toMatchObject([{ title: 'Tiling', target_event_uid: null }]);
  // Nor by what it makes of the traces of the conversation.
  const [said, reply] = offered.traces.map(({ uid }) => uid);
  const [, choices] = (await say(agent, 'Cancel the review')).traces;
  await agent.patch('/memory/edit', { uid: said, updates: { content: 'Cancel the standup' } }).expect(200);
  const metadata = { role: 'reply', choices: (choices as { metadata: { choices?: unknown } }).metadata.choices };
  await agent.patch('/memory/edit', { uid: reply, updates: { metadata, linked_trace_ids: [said] } }).expect(200);
  const again = await say(user, 'the first', { in_reply_to: reply });
  expect(again.plans).toMatchObject([{ title: 'Tiling', target_event_uid: null }]);
});

test('a choice is one of the reply that it names', async () => {
  user = await aUser(app);
  for (const one of [event('r1', 'Review', '24'), event('r2', 'Review', '25'), event('t1', 'Theatre', '27')])
    await user.post('/calendar/create', one).expect(201);
  const first = await say(user, 'Tiling on Friday at 10');
  const second = await say(user, 'Cancel the review');
  const { label, commands } = first.choices[1]!;
  const { plans } = await say(user, label, { in_reply_to: replyOf(first) });
  expect(plans).toMatchObject([{ title: 'Tiling', scheduled_for: commands[0]!.scheduled_for }]);
  const later = await say(user, 'the second', { in_reply_to: replyOf(second) });
  expect(later.plans).toMatchObject([{ target_event_uid: 'r2' }]);
});

test('what was offered is what is proposed, whatever has changed since', async () => {
  user = await aUser(app);
  for (const one of [event('r1', 'Review', '24'), event('r2', 'Review', '25')])
    await user.post('/calendar/create', one).expect(201);
  const offered = await say(user, 'Cancel the review');
  expect(offered.choices).toMatchObject([
    { commands: [{ target_event_uid: 'r1' }] },
    { commands: [{ target_event_uid: 'r2' }] },
  ]);
  const updates = { scheduled_for: '2026-11-26T15:00' };
  await user.patch('/calendar/edit', { uid: 'r1', updates }).expect(200);
  const { plans } = await say(user, offered.choices[0]!.label, { in_reply_to: replyOf(offered) });
  expect(plans).toMatchObject([{ target_event_uid: 'r1' }]);
});

test('only a reply to the same credential can be continued by its uid', async () => {
  user = await aUser(app);
  const agent = await agentOf(user);
  const own = await say(agent, 'Tiling on Friday at 6');
  const forged = { uid: 'forged', type: 'observation', content: 'x', tags: ['chat'], metadata: { role: 'reply' } };
  await user.post('/memory/push', { traces: [forged] }).expect(201);
  const stranger = await aUser(app);
  const before = (await user.get('/memory/pull?limit=100').expect(200)).body.length;
  for (const [who, uid] of [
    [user, replyOf(own)],
    [stranger, replyOf(own)],
    [agent, own.traces[0]!.uid],
    [user, 'forged'],
    [user, 'none'],
  ] as const) {
    const { body } = await who.post('/chat/respond', { prompt: 'morning', in_reply_to: uid }).expect(404);
    expect(body, uid).toMatchObject({ code: 'reply_not_found' });
  }
  await user.post('/chat/respond', { prompt: 'morning', in_reply_to: 7 }).expect(422);
  expect((await user.get('/memory/pull?limit=100').expect(200)).body.length).toBe(before);
});

test('nothing is offered where chat is not recorded', async () => {
  user = await aUser(app);
  const settings = { memory: { record_chat: false } };
  await user.patch('/user/update', { user_id: user.user_id, updates: settings }).expect(200);
  const { choices, reply } = await say(user, 'Tiling on Friday at 6');
  expect({ choices, reply }).toEqual({ choices: [], reply: expect.stringContaining('18:00') });
});
