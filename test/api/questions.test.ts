/** Questions in the chat are answered from the calendar, the queue, the limits and memory; nothing is proposed. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anApp, aUser, type Client, type TestApp } from '../support/app.ts';
import { anAskedPerson, type AskedPerson } from '../support/asked-person.ts';

let app: TestApp;
let person: AskedPerson;
beforeAll(async () => {
  app = await anApp();
  person = await anAskedPerson(app);
});
afterAll(() => app.close());

type Titled = { title: string };
type Noted = { content: string; metadata: { role?: string }; title?: string };
type Answered = {
  reply: string;
  plans: unknown[];
  commands: unknown[];
  events: Titled[];
  traces: Noted[];
  warnings: string[];
};

const ask = async (who: Client, prompt: string): Promise<Answered & { grounds: Noted[] }> => {
  const body = (await who.post('/chat/respond', { prompt }).expect(200)).body as Answered;
  return { ...body, grounds: body.traces.filter(({ metadata }) => metadata.role === undefined) };
};
const note = (who: Client, content: string) =>
  who.post('/memory/push', { traces: [{ type: 'observation', content }] }).expect(201);
const titles = (events: Titled[]): string[] => events.map(({ title }) => title);

/** Question, what the reply says, the events and the start of the traces that it rests on. */
const ANSWERS: [question: string, reply: RegExp, events: string[], traces: string[]][] = [
  [
    'what is on Friday?',
    /^There are 3 events on Friday 27 November:\n• “Daily sync”.*\n• “Dentist”, Friday 27 November, 11:00 to 11:45, at Dr\. Weber.*\n• “Team dinner”/,
    ['Daily sync', 'Dentist', 'Team dinner'],
    [],
  ],
  [
    'what do I have on the weekend',
    /^Nothing is on your calendar from Saturday 28 November to Sunday 29 November; 1 proposal waits for a decision:\n• plan “Sort the photos”, Saturday 28 November, 10:00 to 11:00, proposed by an agent$/,
    [],
    ['Sort the photos'],
  ],
  [
    'who am I meeting on Monday',
    /“Project kickoff”, Monday 30 November, 14:00 to 15:00 \(with Lena and Tom\)/,
    ['Daily sync', 'Project kickoff'],
    [],
  ],
  [
    'do I have a meeting with Tom on Monday?',
    /^There is 1 event for “Tom” on Monday 30 November:/,
    ['Project kickoff'],
    [],
  ],
  [
    'do I have a meeting with Tom on Friday?',
    /^Nothing for “Tom” is on your calendar on Friday 27 November; 3 other events are\.$/,
    [],
    [],
  ],
  [
    'when am I free on Thursday?',
    /^You are free at these times on Thursday 26 November, within your tempo hours:\n• Thursday 26 November: 08:00 to 09:15, 09:30 to 16:00, 16:45 to 17:00, 18:00 to 20:00$/,
    ['Daily sync', 'Piano lesson', 'Haircut'],
    [],
  ],
  [
    'am I free in the mornings next week',
    /Monday 30 November: 07:00 to 09:15, 09:30 to 12:00/,
    Array.from({ length: 7 }, () => expect.any(String) as string),
    [],
  ],
  ['am I free at 3 on Thursday', /^Yes: nothing is on your calendar on Thursday 26 November, 15:00\.$/, [], []],
  [
    'am I free on Thursday at 4?',
    /^No, you are not free on Thursday 26 November, 16:00:\n• “Piano lesson”/,
    ['Piano lesson'],
    [],
  ],
  ['how long is the dentist', /^“Dentist” takes 45 minutes: Friday 27 November, 11:00 to 11:45\.$/, ['Dentist'], []],
  ['when is my next piano lesson', /^“Piano lesson”, Thursday 26 November, 16:00 to 16:45\.$/, ['Piano lesson'], []],
  ['when is the conference?', /^“Conference”, Tuesday 9 March 2027, 09:00 to 17:00\.$/, ['Conference'], []],
  ['where is the dentist', /^“Dentist” is at Dr\. Weber, Hauptstrasse 5:/, ['Dentist'], []],
  ['where is the haircut', /^“Haircut”, .*: no place is given\.$/, ['Haircut'], []],
  ['when is my meeting with the pope?', /^I found no event for “pope” in the next 366 days\.$/, [], []],
  [
    "what's next?",
    /^Next on your calendar:\n• “Daily sync”, Wednesday 25 November, 09:15/,
    ['Daily sync', 'Daily sync', 'Piano lesson'],
    [],
  ],
  [
    'what is waiting for my approval',
    /^There are 2 proposals waiting for a decision:\n• plan “Write the report”, Thursday 26 November, 10:00 to 11:00, proposed by an agent/,
    [],
    ['Write the report', 'Sort the photos'],
  ],
  ['what did the agents propose for tomorrow', /^There is 1 proposal of agents waiting/, [], ['Write the report']],
  ['what did I reject yesterday', /^There is no proposal rejected on Tuesday 24 November\.$/, [], []],
  ['how many plans may agents make today?', /^No limit is set/, [], []],
  [
    'what did I decide about the kitchen?',
    /^This is what I found about “kitchen”:\n• “We decided to paint the kitchen light grey.*” \(Tuesday 3 November\)$/,
    [],
    ['We decided'],
  ],
  ['remind me what the landlord said about the deposit', /by the end of January/, [], ['The landlord']],
  [
    'what do you know about Lena',
    /library[^]*“Project kickoff”[^]*“Lunch with Lena”/,
    ['Project kickoff', 'Lunch with Lena'],
    ['Lena prefers'],
  ],
  [
    'what did I decide about the bathroom?',
    /^I looked in memory and in the calendar and found nothing about “bathroom”\.$/,
    [],
    [],
  ],
  ['what is the capital of France?', /found nothing about “capital France”\. I can answer/, [], []],
  [
    'What did I do yesterday?',
    /^There were 2 events and 1 note on Tuesday 24 November:[^]*“Lunch with Lena”[^]*“Finished the tax return\.”/,
    ['Daily sync', 'Lunch with Lena'],
    ['Finished'],
  ],
  ['what time is it?', /^It is Wednesday 25 November, 08:00 \(Europe\/Berlin\)\.$/, [], []],
  ["what's on wensday?", /^There is 1 event on Wednesday 2 December/, ['Daily sync'], []],
];

describe('without a model', () => {
  test.each([
    'What waits for me?',
    'Which proposals wait for a decision?',
    'show me what waits',
    'what needs my decision?',
    'what do I have to decide?',
    'is anything waiting for my approval?',
  ])('%s', async (question) => {
    expect((await ask(person, question)).reply).toMatch(/^There are 2 proposals waiting for a decision:/);
  });

  test.each(ANSWERS)('%s', async (question, reply, events, traces) => {
    const answer = await ask(person, question);
    expect(answer.reply).toMatch(reply);
    expect(titles(answer.events)).toEqual(events);
    expect(answer.grounds.map(({ title, content }) => title ?? content)).toEqual(
      traces.map((start) => expect.stringContaining(start)),
    );
    expect(answer).toMatchObject({ plans: [], commands: [], warnings: [], planner: { mode: 'built-in' } });
  });

  test('nothing was proposed by any of them', async () => {
    expect(titles((await person.get('/agent/queue').expect(200)).body)).toEqual([
      'Write the report',
      'Sort the photos',
    ]);
  });

  test('a long answer is cut, and says how much is missing', async () => {
    const { reply, events } = await ask(person, 'what is happening in December');
    expect(events).toHaveLength(12);
    expect(reply).toMatch(/^There are 28 events from Tuesday 1 December to Thursday 31 December:[^]*• and 16 more$/);
  });

  test('several questions are answered in their order, beside a request', async () => {
    const two = await ask(person, 'What is on Friday? And when is my haircut?');
    expect(two.reply).toMatch(/^There are 3 events on Friday[^]*\n\n“Haircut”, Thursday/);
    const mixed = await ask(person, 'Schedule gym on Saturday at 15:00. What is on Friday?');
    expect(mixed.reply).toMatch(/I propose: “Gym”[^]*There are 3 events on Friday/);
    expect(mixed.plans).toHaveLength(1);
    expect(titles(mixed.events)).toEqual(['Daily sync', 'Dentist', 'Team dinner']);
  });

  test('the reply is stored with links to what it rests on, and is not found as if it were memory', async () => {
    for (let n = 0; n < 12; n++) await ask(person, 'what did I decide about the kitchen?');
    const { grounds, traces, reply } = await ask(person, 'what did I decide about the kitchen?');
    expect(grounds).toHaveLength(1);
    expect(reply.match(/“We decided/g)).toHaveLength(1);
    const stored = traces.find(({ metadata }) => metadata.role === 'reply') as Noted & { linked_trace_ids: string[] };
    expect(stored.linked_trace_ids).toContain((grounds[0] as unknown as { uid: string }).uid);
  });

  test('notes that a person has tagged chat are found', async () => {
    const content = 'The plumber comes every spring.';
    await person.post('/memory/push', { traces: [{ type: 'observation', content, tags: ['chat'] }] }).expect(201);
    expect((await ask(person, 'what did you note about the plumber?')).reply).toContain('every spring');
  });

  test('a note with all words of a question comes before an event with some of them', async () => {
    const someone = await aUser(app, { timezone: 'Europe/Berlin' });
    const exam = 'The statistics exam is on 14 December at 9 in room H3.';
    const create = (title: string) =>
      someone.post('/calendar/create', { title, scheduled_for: '2026-11-27T14:00', duration_minutes: 60 }).expect(201);
    await create('Study statistics');
    const nearest = /^I found no event for “statistics exam” .*, but this:\n• “Study statistics”/;
    expect((await ask(someone, 'When is my statistics exam?')).reply).toMatch(nearest);
    // A note with some of the words says no more than the event.
    await note(someone, 'The statistics book is in the car.');
    expect((await ask(someone, 'When is my statistics exam?')).reply).toMatch(nearest);
    await note(someone, exam);
    const { reply, events, grounds } = await ask(someone, 'When is my statistics exam?');
    expect(reply).toMatch(/^I found no event for “statistics exam” .*“statistics exam”:\n• “The statistics exam is on/);
    expect([titles(events), grounds.map(({ content }) => content)]).toEqual([['Study statistics'], [exam]]);
  });

  test.each<[string, RegExp]>([
    [
      'what did I say about running in the evening?',
      /^This is what I found about “running evening”:\n• “I like running/,
    ],
    ['What did I note about the deposit in January?', /^This is what I found about “deposit”:\n• “The landlord/],
    ['what did I write about running last week?', /^I found nothing about “running” from .*, but this:\n• “I like/],
    [
      'What did I note this week?',
      /^2 notes were taken from Monday 23 November to Sunday 29 November:\n• “The landlord/,
    ],
    ['What did I note yesterday?', /^Nothing was noted on Tuesday 24 November\.$/],
  ])('the time in “%s” is when it was noted, or a part of it', async (question, answer) => {
    const someone = await aUser(app, { timezone: 'Europe/Berlin' });
    await note(someone, 'I like running in the evening better, as the knee is warm then.');
    await note(someone, 'The landlord returns the deposit in January.');
    expect((await ask(someone, question)).reply).toMatch(answer);
  });

  test('what was said in the chat is found where nothing was noted, without the question itself', async () => {
    const someone = await aUser(app, { timezone: 'Europe/Berlin' });
    const about = 'what did I say about the plumber?';
    expect((await ask(someone, about)).reply).toMatch(/found nothing about “plumber”/);
    await ask(someone, 'The plumber was not happy with the old pipes.');
    expect((await ask(someone, 'What did I say about the plumber?')).reply).toMatch(
      /^This was said in the chat about “plumber”:\n• “The plumber was not happy with the old pipes\.”/,
    );
    await note(someone, 'The plumber comes every year.');
    expect((await ask(someone, about)).reply).toMatch(/^This is what I found about “plumber”:\n• “The plumber comes/);
  });

  test('limits are told with what is used of them', async () => {
    await person.patch('/user/update', { updates: { limits: { budget: { per_day: 5 } } } }).expect(200);
    expect((await ask(person, 'how many plans may agents make today?')).reply).toBe(
      'The limits of agents’ plans:\n• plans, per day: 0 of 5 approved, 0 waiting, 5 left',
    );
    await person.patch('/user/update', { updates: { limits: { budget: { per_day: null } } } }).expect(200);
  });

  test('a rejected proposal is told as rejected, with the reason', async () => {
    const action = {
      action_type: 'schedule',
      title: 'Buy a boat',
      scheduled_for: '2026-11-29T10:00',
      duration_minutes: 60,
    };
    const [plan] = (await person.agent.post('/agent/plan', { actions: [action] }).expect(200)).body;
    await person.post('/agent/reject', { uid: plan.uid, note: 'Too expensive.' }).expect(200);
    expect((await ask(person, 'what did I reject today?')).reply).toMatch(/“Buy a boat”.*rejected \(Too expensive\.\)/);
    expect((await ask(person, 'what do you know about the boat?')).reply).toMatch(/“Buy a boat”.*rejected/);
  });
});

describe('a stream', () => {
  test('gives the same answer as JSON', async () => {
    const { text } = await person
      .post('/chat/respond', { prompt: 'what is on Friday?', stream: true })
      .buffer(true)
      .expect(200);
    const pieces = text.split('\n\n').filter((piece) => piece.startsWith('event:'));
    const done = JSON.parse((pieces.at(-1) ?? '').replace(/^event: done\ndata: /, '')) as Answered;
    const deltas = pieces.slice(0, -1).map((piece) => JSON.parse(piece.replace(/^event: delta\ndata: /, '')).text);
    const whole = await ask(person, 'what is on Friday?');
    expect(done.reply).toBe(whole.reply);
    expect(deltas.join('')).toBe(whole.reply);
    expect(done.events).toEqual(whole.events);
  });
});

describe('a credential learns only what it may read', () => {
  test.each([
    ['what is on Friday?', ['memory:read', 'plan:read'], /may not read the calendar \(calendar:read\)/, /Dentist/],
    ['when am I free on Thursday?', ['memory:read'], /calendar:read/, /09:15/],
    ['what did I decide about the kitchen?', ['calendar:read', 'plan:read'], /may not read memory/, /grey/],
    [
      'what is waiting for my approval',
      ['memory:read', 'calendar:read'],
      /may not read proposals and limits/,
      /report/,
    ],
    ['how many plans may agents make today?', ['memory:read'], /plan:read/, /limit is set/],
    ['what do you know about Lena', ['memory:read'], /library/, /kickoff|Lunch/],
    ['what is it with Lena?', ['calendar:read'], /kickoff/, /library/],
    ['What did I do yesterday?', ['calendar:read'], /Lunch with Lena/, /tax return/],
    ['What did I do yesterday?', ['memory:read'], /tax return/, /Lunch with Lena/],
    ['what is it with Lena?', [], /I can answer/, /library|kickoff/],
  ])('%s with %j', async (question, scopes, says, hides) => {
    for (const kind of ['agent', 'user'] as const) {
      const key = await person.as(kind, ['plan:propose', ...scopes]);
      const answer = await ask(key, question);
      expect(answer.reply).toMatch(says);
      expect(JSON.stringify([answer.reply, answer.events, answer.grounds])).not.toMatch(hides);
    }
  });

  test('sensitive values are blanked in the reply, also where it is stored', async () => {
    const content = `${'The garage door opens slowly. '.repeat(8)}Ask Wilhelmina Featherstonehaugh about the garage key.`;
    const traces = [{ type: 'observation', content, authored_by: 'Wilhelmina Featherstonehaugh' }];
    await person.post('/memory/push', { traces }).expect(201);
    const { reply, traces: stored } = await ask(person, 'what do you know about the garage key?');
    expect(reply).toContain('garage');
    expect(JSON.stringify([reply, stored.find(({ metadata }) => metadata.role === 'reply')])).not.toMatch(
      /Wilhelm|Feather/,
    );
  });
});
