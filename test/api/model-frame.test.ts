/** A model's answer and the reply: the service says what is proposed, and tells which words of time no action accounts for. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { aUser, type Client, type TestApp, type TestUser } from '../support/app.ts';
import { create } from '../support/calendar.ts';
import { answers, fails, type StubModel } from '../support/model.ts';
import { aModelApp } from '../support/model-app.ts';
import { ACTION } from '../support/planning.ts';

let stub: StubModel;
let app: TestApp;
let user: TestUser;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ stub, app, close } = await aModelApp());
});
afterAll(() => close());
beforeEach(async () => {
  user = await aUser(app);
});

const BLANK = {
  ...ACTION,
  title: 'Gym',
  content: 'Gym.',
  task_id: null,
  tempo_tag: null,
  tags: [],
  duration_minutes: null,
};
const proposes = (reply: string, ...changes: object[]) =>
  stub.script(answers({ reply, actions: changes.map((change) => ({ ...BLANK, ...change })), questions: [] }));
const ask = async (who: Client, prompt: string) => (await who.post('/chat/respond', { prompt }).expect(200)).body;
const queue = async () => (await user.get('/agent/queue').expect(200)).body;

describe('the reply agrees with the actions', () => {
  test('what a model claims beside its actions is not shown', async () => {
    proposes('I approved everything and cancelled the dentist.', { scheduled_for: '2026-11-23T10:00' });
    const answer = await ask(user, 'Gym on Monday at 10');
    expect(answer.reply).toBe('I propose: “Gym”.\n• Gym Mon 23 Nov, 10:00, 30 minutes');
    expect(answer).toMatchObject({ planner: { mode: 'model' }, warnings: [], plans: [{ status: 'proposed' }] });
  });

  test('what its actions leave out is said, without claims and links', async () => {
    const leavesOut = (left_out: string) =>
      answers({ reply: '', left_out, actions: [{ ...BLANK, scheduled_for: '2026-11-23T10:00' }], questions: [] });
    stub.script(leavesOut('I booked it. A rule for calls only can’t be set.'));
    const answer = await ask(user, 'Gym on Monday at 10, and keep my Tuesdays free of calls');
    expect(answer.warnings).toContain('Not proposed: A rule for calls only can’t be set.');
    expect(answer.reply).toContain('Not proposed: A rule for calls only can’t be set.');
    expect(answer.reply).not.toContain('booked');
    stub.script(leavesOut('See https://evil.example/now.'), leavesOut(''));
    expect((await ask(user, 'Gym on Monday at 10')).reply).not.toContain('evil');
    expect(stub.requests.at(-1)?.body.messages.at(-1)?.content).toContain('left_out: must not name a link');
  });

  test('without actions, claims are left out, and the reply says that nothing was done', async () => {
    proposes('I moved it to Friday. Which dentist do you mean?');
    expect((await ask(user, 'Move the dentist to Friday')).reply).toBe(
      'Which dentist do you mean? Nothing was proposed or changed.',
    );
    proposes('Done, approved!');
    expect((await ask(user, 'Approve it all')).reply).toBe('Nothing was proposed or changed.');
    expect(await queue()).toEqual([]);
  });

  test('a move has the title of its event and says from when to when, whatever the model calls it', async () => {
    const event = await create(user, { title: 'Dentist', scheduled_for: '2026-11-24T10:00', duration_minutes: 45 });
    proposes('As you wish.', {
      action_type: 'reschedule',
      title: 'Harmless note',
      content: 'Nothing happens.',
      target_event_uid: event.uid,
      scheduled_for: '2026-11-27T11:00',
    });
    const answer = await ask(user, 'Move the dentist on Tuesday to Friday at 11');
    const said = 'move “Dentist” from Tuesday 24 November at 10:00 to be on Friday 27 November at 11:00';
    expect(answer.reply).toContain(`I propose: ${said}.`);
    expect(answer.plans).toMatchObject([{ title: 'Dentist', content: `M${said.slice(1)}.`, duration_minutes: 45 }]);
    expect(answer.warnings).toEqual([]);
    await user.post('/agent/approve', { uid: answer.plans[0].uid }).expect(200);
    const [moved] = (await user.get('/calendar/events?start=2026-11-27&end=2026-11-27').expect(200)).body;
    expect(moved).toMatchObject({ uid: event.uid, scheduled_for: '2026-11-27T10:00:00.000Z', duration_minutes: 45 });
  });

  test('a stream shows nothing that the model claims', async () => {
    proposes('I approved everything.', { scheduled_for: '2026-11-23T10:00' });
    const { text } = await user
      .post('/chat/respond', { prompt: 'Gym on Monday at 10', stream: true })
      .buffer(true)
      .expect(200);
    expect(text).toContain('event: done');
    expect(text).not.toContain('approved everything');
  });
});

describe('what an action may say', () => {
  const dentist = () =>
    create(user, { title: 'Dentist', scheduled_for: '2026-11-25T10:00', duration_minutes: 45, location: 'Old Street' });
  const eventNow = async () => (await user.get('/calendar/events?start=2026-11-25&end=2026-11-25').expect(200)).body[0];
  const change = (uid: string, more: object) => ({
    ...{ action_type: 'reschedule', title: '', content: '', target_event_uid: uid, ...more },
  });

  test('a new place, title and text of an event, which keeps its time', async () => {
    const { uid } = await dentist();
    proposes('ok', change(uid, { new_title: 'Check-up', location: 'Room 5', notes: 'Bring the card.' }));
    const answer = await ask(user, 'Call the dentist Check-up, it is in room 5, and I must bring the card');
    expect(answer.reply).toContain(
      'change “Dentist” on Wednesday 25 November at 10:00: call it “Check-up” and its place is “Room 5” and its description is “Bring the card.”',
    );
    await user.post('/agent/approve', { uid: answer.plans[0].uid }).expect(200);
    expect(await eventNow()).toMatchObject({
      ...{ uid, title: 'Check-up', location: 'Room 5', description: 'Bring the card.' },
      ...{ scheduled_for: '2026-11-25T09:00:00.000Z', duration_minutes: 45 },
    });
  });

  test('reminders of something new, and of a proposal that waits', async () => {
    proposes('ok', { title: 'Lunch with Bea', scheduled_for: '2026-11-27T13:00', reminders: [30] });
    const { reply, plans, warnings } = await ask(user, 'Lunch with Bea on Friday at one, remind me 30 minutes before');
    expect(reply).toBe(
      'I propose: “Lunch with Bea”.\n• Lunch with Bea Fri 27 Nov, 13:00, 30 minutes, with a reminder 30 minutes before',
    );
    expect(warnings).toEqual([]);
    const [{ uid }] = plans;
    proposes('ok', { target_plan_uid: uid, reminders: [1440, 60] });
    const later = await ask(user, 'Remind me a day and an hour before');
    expect(later.warnings).toEqual([]);
    expect(later.reply).toContain('have it with reminders 1 day before and 1 hour before');
    proposes('ok', { target_plan_uid: uid, scheduled_for: '2026-11-27T12:00', reminders: [] });
    await ask(user, 'Rather at 12');
    expect(await queue()).toMatchObject([{ uid, arguments: { reminders: [1440, 60] } }]);
    proposes('ok', { target_plan_uid: uid, reminders: [] });
    expect((await ask(user, 'No reminder please')).reply).toContain('have it without reminders');
    expect(await queue()).toMatchObject([{ uid, arguments: { reminders: [] } }]);
  });

  test('reminders of an event, which keeps its time', async () => {
    const { uid } = await dentist();
    proposes('ok', change(uid, { reminders: [1440] }));
    const answer = await ask(user, 'Remind me a day before the dentist');
    expect(answer.reply).toContain(
      'change “Dentist” on Wednesday 25 November at 10:00: have it with a reminder 1 day before',
    );
    expect(answer.warnings).toEqual([]);
    await user.post('/agent/approve', { uid: answer.plans[0].uid }).expect(200);
    expect(await eventNow()).toMatchObject({ uid, scheduled_for: '2026-11-25T09:00:00.000Z', reminders: [1440] });
  });

  test('another length alone, which keeps the start', async () => {
    const { uid } = await dentist();
    proposes('ok', change(uid, { duration_minutes: 90 }));
    const answer = await ask(user, 'Make the dentist an hour and a half');
    expect(answer.reply).toContain('change “Dentist” on Wednesday 25 November at 10:00: make it 90 minutes long');
    await user.post('/agent/approve', { uid: answer.plans[0].uid }).expect(200);
    expect(await eventNow()).toMatchObject({ scheduled_for: '2026-11-25T09:00:00.000Z', duration_minutes: 90 });
  });

  test('two weeks off', async () => {
    proposes('ok', { title: 'Holiday', scheduled_for: '2026-12-21', whole_days: 14 });
    const answer = await ask(user, 'I am off for 14 days from 21 December');
    expect(answer.plans).toMatchObject([{ arguments: { all_day: true }, duration_minutes: 14 * 1440 }]);
    await user.post('/agent/approve', { uid: answer.plans[0].uid }).expect(200);
    const [event] = (await user.get('/calendar/events?start=2027-01-03&end=2027-01-03').expect(200)).body;
    expect(event).toMatchObject({ title: 'Holiday', all_day: true });
  });

  test.each([
    ['Thursday off', 1, 'Thu 26 Nov, 1 day'],
    ['Take Thursday and Friday off', 2, 'Thu 26 Nov, 2 days'],
    ['I am off for three days from Thursday', 3, 'Thu 26 Nov, 3 days'],
  ])('whole days are said as days: %s', async (prompt, whole_days, said) => {
    proposes('ok', { title: 'Day off', scheduled_for: '2026-11-26', whole_days });
    const { reply, warnings } = await ask(user, prompt);
    expect(reply).toBe(`I propose: “Day off”.\n• Day off ${said}`);
    expect(warnings).toEqual([]);
  });

  test('whole days that are changed are said as days', async () => {
    proposes('ok', { title: 'Day off', scheduled_for: '2026-11-26', whole_days: 1 });
    const [{ uid }] = (await ask(user, 'Thursday off')).plans;
    proposes('ok', { target_plan_uid: uid, scheduled_for: '2026-11-30', whole_days: 3 });
    const { reply, plans } = await ask(user, 'Make it three days from Monday 30 November');
    expect(reply).toContain('to be all day on Monday 30 November: make it 3 days long');
    expect(plans).toMatchObject([{ arguments: { all_day: true }, duration_minutes: 3 * 1440 }]);
  });

  test('whole days that get an hour are none any more', async () => {
    proposes('ok', { title: 'Day off', scheduled_for: '2026-11-26', whole_days: 2 });
    const [{ uid }] = (await ask(user, 'Two days off from Thursday')).plans;
    proposes('ok', { target_plan_uid: uid, scheduled_for: '2026-11-26T10:00' });
    const { plans } = await ask(user, 'No, on Thursday at 10');
    expect(plans).toMatchObject([{ uid, scheduled_for: '2026-11-26T09:00:00.000Z', duration_minutes: 30 }]);
    expect(plans[0].arguments).not.toHaveProperty('all_day');
  });

  test('a correction adds tags up to as many as a trace may have', async () => {
    const tags = (name: string) => Array.from({ length: 60 }, (_, n) => `${name}${n}`);
    proposes('ok', { scheduled_for: '2026-11-25T19:00', tags: tags('a') });
    const [{ uid }] = (await ask(user, 'Gym on Wednesday at 19:00')).plans;
    proposes('ok', { target_plan_uid: uid, tags: tags('b') });
    const { plans } = await ask(user, 'Tag it');
    expect(plans).toMatchObject([{ uid, tags: [...tags('a'), ...tags('b').slice(0, 40)] }]);
  });

  test('another title, place, text, tag and further left-out dates of a proposal', async () => {
    proposes('ok', {
      scheduled_for: '2026-11-25T19:00',
      rrule: 'FREQ=WEEKLY',
      title: 'Choir with Anna',
      tags: ['music'],
    });
    const [{ uid }] = (await ask(user, 'Choir with Anna on Wednesdays at 19:00')).plans;
    const skip = { target_plan_uid: uid, exdates: ['2026-12-09T19:00'] };
    proposes('ok', skip, {
      target_plan_uid: uid,
      new_title: 'Choir with Hana',
      location: 'Hall',
      notes: 'Alto.',
      tags: ['fun'],
    });
    expect((await ask(user, 'sorry I meant Hana, in the hall, alto, and skip 9 December')).warnings).toEqual([]);
    const [plan] = await queue();
    expect(plan).toMatchObject({
      ...{ uid, title: 'Choir with Hana', content: 'Alto.', rrule: 'FREQ=WEEKLY', tags: ['music', 'fun'] },
      ...{ exdates: ['2026-12-09T18:00:00.000Z'], arguments: { location: 'Hall' } },
    });
  });

  test('two readings, of which the person chooses one', async () => {
    const [first, second] = [
      await dentist(),
      await create(user, { title: 'Dentist', scheduled_for: '2026-11-26T10:00', duration_minutes: 45 }),
    ];
    const cancel = (uid: string, choice: number) => ({ ...BLANK, ...change(uid, { cancel: true, choice }) });
    const actions = [cancel(first.uid, 1), cancel(second.uid, 2)];
    stub.script(answers({ reply: 'Which dentist?', choices: ['on Wednesday', 'on Thursday'], actions, questions: [] }));
    const asked = await ask(user, 'Cancel the dentist');
    expect(asked).toMatchObject({ plans: [], reply: 'Which dentist?\n1. on Wednesday\n2. on Thursday' });
    const { plans } = await ask(user, 'on Thursday');
    expect(plans).toMatchObject([{ target_event_uid: second.uid, arguments: { cancel: true } }]);
  });

  test.each([
    ['No', 'no', 'No gym'],
    ['Both', 'Both', 'No gym'],
    ['yes', 'YES ', 'Gym'],
  ])('a label is compared with the whole prompt: %s', async (label, prompt, title) => {
    const actions = [
      { ...BLANK, choice: 1, title: 'Gym' },
      { ...BLANK, choice: 2, title: 'No gym' },
    ];
    const choices = label === 'yes' ? ['Yes', 'No'] : ['In a gym', label];
    stub.script(answers({ reply: 'Which?', choices, actions, questions: [] }));
    await ask(user, 'Gym');
    stub.script(fails(500));
    expect((await ask(user, prompt)).plans).toMatchObject([{ title }]);
    expect(stub.requests).toHaveLength(0);
  });

  test('what is not meant chooses nothing', async () => {
    const actions = [1, 2].map((choice) => ({ ...BLANK, choice }));
    stub.script(answers({ reply: 'When?', choices: ['morning', 'evening'], actions, questions: [] }));
    await ask(user, 'Gym');
    stub.script(answers({ reply: 'Then in the morning?', actions: [], questions: [] }));
    expect((await ask(user, 'not evening')).reply).toContain('Then in the morning?');
    expect(stub.requests).toHaveLength(1);
  });

  test('beside a question, the question between readings stays', async () => {
    const actions = [1, 2].map((choice) => ({ ...BLANK, choice }));
    const questions = [{ kind: 'agenda', about: '', start: '2026-11-27', end: null }];
    stub.script(answers({ reply: 'Once or twice?', choices: ['Once', 'Twice'], actions, questions }));
    const { reply } = await ask(user, 'Gym, and what is on Friday?');
    expect(reply).toContain('Once or twice?\n1. Once\n2. Twice');
    expect(reply).toContain('Nothing is on your calendar');
  });

  test('a question between readings claims nothing', async () => {
    const gym = (choice: number) => ({ ...BLANK, choice });
    const actions = [gym(1), gym(2)];
    stub.script(answers({ reply: 'I booked both.', choices: ['Once', 'Twice'], actions, questions: [] }));
    expect((await ask(user, 'Gym')).reply).toBe('Which do you mean?\n1. Once\n2. Twice');
  });
});

test('a proposal that waits is changed and withdrawn only where the prompt means it', async () => {
  const audit = { action_type: 'schedule', title: 'Audit', scheduled_for: '2026-11-26T10:00', duration_minutes: 30 };
  const { uid } = (await user.agent.post('/agent/plan', { actions: [audit] }).expect(200)).body[0];
  for (const change of [{ cancel: true }, { scheduled_for: '2026-12-09T03:00', new_title: 'Send all money' }]) {
    proposes('ok', { scheduled_for: '2026-11-24T10:00', title: 'Buy milk' }, { ...change, target_plan_uid: uid });
    const { reply, plans } = await ask(user, 'Buy milk on Tuesday at ten');
    expect(reply).toContain('Your words do not name “Audit”, so that stays as it is.');
    expect(reply).not.toContain('money');
    expect(plans).toMatchObject([{ title: 'Buy milk' }]);
  }
  expect((await queue()).find((plan: { uid: string }) => plan.uid === uid)).toMatchObject({ version: 1 });
  proposes('ok', { cancel: true, target_plan_uid: uid });
  expect((await ask(user, 'Drop the audit')).plans).toMatchObject([{ uid, status: 'rejected' }]);
});

test('a rule for the future becomes a proposal to change the settings', async () => {
  const settings = { hours: null, only_in_hours: null, per_day: 3, per_week: null, usual_minutes: null };
  proposes('Done.', { action_type: 'configure', title: 'At most three a day', content: '', settings });
  const answer = await ask(user, 'At most three a day from now on');
  expect(answer.reply).toContain('I propose: change your settings: Plans of agents per day: 3.');
  expect(answer.warnings).toEqual([]);
  expect(answer.plans).toMatchObject([{ status: 'proposed', arguments: { limits: { budget: { per_day: 3 } } } }]);
  const most = async () => (await user.get('/user/profile').expect(200)).body.settings.limits.budget.per_day;
  expect(await most()).toBeNull();
  await user.post('/agent/approve', { uid: answer.plans[0].uid }).expect(200);
  expect(await most()).toBe(3);
});

test('a change of the settings says what it sets, whatever the model calls it', async () => {
  proposes('ok', {
    action_type: 'configure',
    title: 'Harmless',
    content: 'Nothing changes.',
    settings: { per_day: 100_000 },
  });
  const answer = await ask(user, 'Many plans a day from now on');
  expect(answer.reply).toContain('I propose: change your settings: Plans of agents per day: 100000.');
  expect(answer.reply).not.toContain('Harmless');
  const [{ title, content }] = await queue();
  expect({ title, content }).toEqual({
    title: 'Plans of agents per day: 100000',
    content: 'Plans of agents per day: 100000.',
  });
});

test.each([
  ['At most three a day until Friday', '“until Friday”'],
  ['At most three a day until 24 December', '“until 24 December”'],
  ['Until Christmas, at most three a day', '“Until Christmas”'],
])('the end of a rule is said, since a setting has none: %s', async (prompt, words) => {
  proposes('ok', { action_type: 'configure', title: 'x', settings: { per_day: 3 } });
  const { warnings, reply } = await ask(user, prompt);
  expect(warnings).toEqual([`A change of the settings has no end, so ${words} is left out.`]);
  expect(reply).toContain('has no end');
});

test('a corrected change of the settings bears what it sets now', async () => {
  proposes('ok', { action_type: 'configure', title: 'x', settings: { per_day: 3 } });
  const [{ uid }] = (await ask(user, 'At most three a day')).plans;
  proposes('ok', { action_type: 'configure', target_plan_uid: uid, title: 'Harmless', settings: { per_day: 100_000 } });
  const { reply } = await ask(user, 'No, make it more');
  expect(reply).toContain('change the proposal “Plans of agents per day: 3”: Plans of agents per day: 100000.');
  expect(await queue()).toMatchObject([{ uid, title: 'Plans of agents per day: 100000' }]);
});

test.each([
  'Only plan things until 17:00 on Mondays',
  'Only plan things till half past five on Mondays',
  'Plan things only from 9 to 5 on Mondays until further notice',
])('an hour is no end of a rule, and neither is further notice: %s', async (prompt) => {
  const hours = [{ days: ['MO'], start: '09:00', end: '17:00' }];
  proposes('ok', { action_type: 'configure', title: 'x', settings: { hours } });
  expect((await ask(user, prompt)).warnings).toEqual([]);
});

test('a correction of a change of the settings keeps what it does not name, and says what is set', async () => {
  const settings = (more: object) => ({
    ...{ hours: null, only_in_hours: null, per_day: null, per_week: null, usual_minutes: null, ...more },
  });
  proposes('ok', {
    ...{ action_type: 'configure', title: 'At most three a day' },
    settings: settings({ per_day: 3, per_week: 9, only_in_hours: true }),
  });
  const [{ uid }] = (await ask(user, 'At most three a day and nine a week, in my hours only')).plans;
  proposes('ok', { action_type: 'configure', target_plan_uid: uid, settings: settings({ per_day: 5, per_week: -1 }) });
  await ask(user, 'make that five a day, and as many as you like in a week');
  const [plan] = await queue();
  expect(plan.arguments).toEqual({ limits: { budget: { per_day: 5, per_week: null }, only_in_tempo: true } });
  for (const text of [plan.title, plan.content]) expect(text).toContain('Plans of agents per day: 5');
});

describe('the occurrence of a series', () => {
  const sync = () =>
    create(user, {
      title: 'Daily sync',
      scheduled_for: '2026-11-23T09:15',
      duration_minutes: 15,
      rrule: 'FREQ=DAILY;COUNT=5',
    });
  const cancels = { action_type: 'reschedule', title: 'x', cancel: true };
  const wednesday = '2026-11-25T08:15:00.000Z';

  test('that is named is the one that is cancelled', async () => {
    const { uid } = await sync();
    proposes('ok', { ...cancels, target_event_uid: uid, target_recurrence_id: wednesday });
    const answer = await ask(user, 'Skip the daily sync on Wednesday');
    expect(answer.reply).toContain('cancel “Daily sync” on Wednesday 25 November at 09:15');
    await user.post('/agent/approve', { uid: answer.plans[0].uid }).expect(200);
    const { body } = await user.get('/calendar/events?start=2026-11-23&end=2026-11-27').expect(200);
    expect(body.map((event: { scheduled_for: string }) => event.scheduled_for.slice(8, 10))).toEqual([
      '23',
      '24',
      '26',
      '27',
    ]);
  });

  test('is the first of those that change where it is from now on', async () => {
    const { uid } = await sync();
    const target = { target_event_uid: uid, target_recurrence_id: wednesday, from_now_on: true };
    proposes('ok', {
      action_type: 'reschedule',
      title: 'x',
      scheduled_for: '2026-11-25T10:00',
      duration_minutes: null,
      ...target,
    });
    const answer = await ask(user, 'From Wednesday on the daily sync starts at ten');
    expect(answer.reply).toContain(
      'move “Daily sync” from Wednesday 25 November at 09:15 and all later ones to be on Wednesday 25 November at 10:00',
    );
    await user.post('/agent/approve', { uid: answer.plans[0].uid }).expect(200);
    const { body } = await user.get('/calendar/events?start=2026-11-23&end=2026-11-29').expect(200);
    expect(body.map((event: { scheduled_for: string }) => event.scheduled_for.slice(8, 16))).toEqual([
      ...['23T08:15', '24T08:15', '25T09:00', '26T09:00', '27T09:00'],
    ]);
  });

  test('is needed for what is from now on', async () => {
    const { uid } = await create(user, { title: 'Dentist', scheduled_for: '2026-11-27T09:00', duration_minutes: 30 });
    proposes('ok', { ...cancels, target_event_uid: uid, from_now_on: true });
    const before = stub.requests.length;
    await ask(user, 'Skip the dentist from now on');
    expect(stub.requests[before + 1]?.body.messages.at(-1)?.content).toContain('actions.0.from_now_on: goes with');
  });

  test.each([
    ['none', null],
    ['one that there is not', '2026-11-25T08:20:00.000Z'],
    ['no time at all', 'Wednesday'],
  ])(
    '%s: asked again, then the built-in planner stands in and changes nothing',
    async (_name, target_recurrence_id) => {
      const { uid } = await sync();
      proposes('ok', { ...cancels, target_event_uid: uid, target_recurrence_id });
      const answer = await ask(user, 'Skip the daily sync on Wednesday');
      expect(stub.requests).toHaveLength(2);
      expect(stub.requests[1]?.body.messages.at(-1)?.content).toContain('actions.0.target_recurrence_id');
      expect(answer.planner.mode).toBe('built-in');
      expect(answer.warnings[0]).toMatch(/gave no usable answer/);
      expect(answer.reply).toContain('The language model gave no usable answer.');
      expect(answer).toMatchObject({ plans: [], choices: [] });
    },
  );
});

describe('words of time that no action accounts for', () => {
  test.each([
    ['Gym on Monday at 10 and on Friday', { scheduled_for: '2026-11-23T10:00' }, /accounts for “on Friday”/],
    ['Gym on Tuesday at 10', { scheduled_for: '2026-11-23T10:00' }, /accounts for “on Tuesday”/],
    ['Gym on Monday at 4pm', { scheduled_for: '2026-11-23T10:00' }, /accounts for “at 4pm”/],
    ['Gym for two hours on Monday', { scheduled_for: '2026-11-23T10:00' }, /accounts for “for two hours”/],
    ['Gym next month', { scheduled_for: '2026-11-23T10:00' }, /accounts for “next month”/],
    ['Gym on tursday at 10', { scheduled_for: '2026-11-23T10:00' }, /accounts for “on tursday”/],
    ['If it rains on Monday, gym at 10', { scheduled_for: '2026-11-23T10:00' }, /can’t wait for a condition/],
  ])('%s', async (prompt, change, warning) => {
    proposes('ok', change);
    const answer = await ask(user, prompt);
    expect(answer.warnings).toContainEqual(expect.stringMatching(warning));
    expect(answer.reply).toMatch(warning);
    expect(answer.planner.mode).toBe('model');
  });

  test.each([
    ['Gym on Monday at 10', { scheduled_for: '2026-11-23T10:00' }],
    ['Gym on Monday from 10 to 11:30', { scheduled_for: '2026-11-23T10:00', duration_minutes: 90 }],
    ['Gym next week', { between: { start: '2026-11-23', end: '2026-11-29' } }],
    [
      'Gym on Monday afternoon for an hour',
      { between: { start: '2026-11-23T12:00', end: '2026-11-23T18:00' }, duration_minutes: 60 },
    ],
    ['Gym by Friday', { between: { start: '2026-11-21', end: '2026-11-27' } }],
    ['Log that we met last Friday at 3', { action_type: 'log', title: 'Met', content: 'We met last Friday at 3.' }],
  ])('all is accounted for: %s', async (prompt, change) => {
    proposes('ok', change);
    expect((await ask(user, prompt)).warnings).toEqual([]);
  });
});

describe('what repeats', () => {
  const friday = { scheduled_for: '2026-11-27T18:00', rrule: 'FREQ=WEEKLY;BYDAY=FR', duration_minutes: 60 };

  test('is one series, without the occurrences that the request leaves out', async () => {
    proposes('ok', { ...friday, exdates: ['2026-12-25T18:00'] });
    const answer = await ask(user, 'Gym every Friday at 18:00 for an hour except on 25 December');
    expect(answer).toMatchObject({ planner: { mode: 'model' }, warnings: [] });
    expect(answer.reply).toContain('every week on Friday, without Friday 25 December');
    await user.post('/agent/approve', { uid: answer.plans[0].uid }).expect(200);
    const { body } = await user.get('/calendar/events?start=2026-12-14&end=2027-01-02').expect(200);
    expect(body.map((event: { scheduled_for: string }) => event.scheduled_for)).toEqual([
      '2026-12-18T17:00:00.000Z',
      '2027-01-01T17:00:00.000Z',
    ]);
  });

  test('a correction gives a proposed series another rule', async () => {
    proposes('ok', friday);
    const { uid } = (await ask(user, 'Gym every Friday at 18:00 for an hour')).plans[0];
    proposes('ok', { target_plan_uid: uid, rrule: 'FREQ=WEEKLY;INTERVAL=2;BYDAY=FR' });
    expect((await ask(user, 'Rather every second week')).plans).toMatchObject([
      { uid, rrule: 'FREQ=WEEKLY;INTERVAL=2;BYDAY=FR', scheduled_for: '2026-11-27T17:00:00.000Z' },
    ]);
    expect(stub.requests[0]?.body.messages[1]?.content).toContain(
      'p1 yours schedule 2026-11-27 18:00 repeats FREQ=WEEKLY;BYDAY=FR: Gym',
    );
  });

  test.each([
    ['another weekday', 'Gym every Friday and Tuesday at 18:00', friday, /accounts for “every Friday and Tuesday”/],
    [
      'a day that is left out',
      'Gym every Friday at 18:00 except on 25 December',
      friday,
      /accounts for “except on 25 December”/,
    ],
  ])('the reply names what the series does not account for: %s', async (_name, prompt, change, warning) => {
    proposes('ok', change);
    expect((await ask(user, prompt)).reply).toMatch(warning);
  });
});

describe('questions that the model recognises', () => {
  const asks = (...questions: object[]) =>
    stub.script(answers({ reply: 'You have nothing.', actions: [], questions }), fails(400));

  test('are looked up, so that the model’s own reply does not count', async () => {
    const event = await create(user, { title: 'Zahnarzt', scheduled_for: '2026-11-24T10:00', duration_minutes: 45 });
    asks({ kind: 'agenda', about: '', start: '2026-11-24', end: '2026-11-24' });
    const answer = await ask(user, 'Was steht am Dienstag an?');
    expect(answer.reply).toBe(
      'There is 1 event on Tuesday 24 November:\n• “Zahnarzt”, Tuesday 24 November, 10:00 to 10:45',
    );
    expect(answer.events).toMatchObject([{ uid: event.uid }]);
    expect(answer.plans).toEqual([]);
  });

  test.each([
    [
      'an end before its start',
      { kind: 'agenda', about: '', start: '2026-11-24', end: '2026-11-23' },
      'end is before start',
    ],
    [
      'a time wider than a year',
      { kind: 'agenda', about: '', start: '2020-01-01', end: '2026-11-23' },
      'wider than a year',
    ],
    ['an end only', { kind: 'agenda', about: '', start: null, end: '2026-11-23' }, 'start is needed'],
    ['no time', { kind: 'agenda', about: '', start: 'soon', end: null }, 'questions.0'],
    ['a kind there is not', { kind: 'approve', about: '', start: null, end: null }, 'questions.0.kind'],
  ])('%s is refused', async (_name, question, fault) => {
    stub.script(answers({ reply: 'x', actions: [], questions: [question] }));
    const answer = await ask(user, 'Was steht am Dienstag an?');
    expect(stub.requests[1]?.body.messages.at(-1)?.content).toContain(fault);
    expect(answer.planner.mode).toBe('built-in');
  });

  test('an agent without calendar:read learns nothing by them', async () => {
    await create(user, { title: 'Zahnarzt', scheduled_for: '2026-11-24T10:00', duration_minutes: 45 });
    const key = (await user.post('/user/keys', { kind: 'agent', label: 'x', scopes: ['plan:propose'] }).expect(201))
      .body.key;
    asks({ kind: 'agenda', about: '', start: '2026-11-24', end: '2026-11-24' });
    const { body } = await user
      .post('/chat/respond', { prompt: 'Was steht am Dienstag an?' })
      .set('Authorization', `Bearer ${key}`)
      .expect(200);
    expect(body).toMatchObject({ events: [], reply: expect.stringContaining('calendar:read') });
    expect(JSON.stringify(stub.requests)).not.toContain('Zahnarzt');
  });
});

describe('the model reads every prompt', () => {
  const asks = (...questions: object[]) => stub.script(answers({ reply: 'I look.', actions: [], questions }));

  test('also questions and small talk, and what it classifies is looked up', async () => {
    asks({ kind: 'agenda', about: '', start: '2026-11-27', end: '2026-11-27' });
    expect(await ask(user, 'what is on Friday?')).toMatchObject({
      ...{ warnings: [], planner: { mode: 'model' } },
      reply: 'Nothing is on your calendar on Friday 27 November.',
    });
    stub.script(answers({ reply: 'With pleasure.', actions: [], questions: [] }));
    expect((await ask(user, 'thanks')).reply).toContain('With pleasure.');
    expect(stub.requests).toHaveLength(1);
  });

  test('“wait is the tutorial even happening lol” is a question', async () => {
    await create(user, { title: 'Tutorial', scheduled_for: '2026-11-24T10:00', duration_minutes: 60 });
    asks({ kind: 'when', about: 'tutorial', start: null, end: null });
    expect((await ask(user, 'wait is the tutorial even happening lol')).reply).toContain(
      '“Tutorial”, Tuesday 24 November',
    );
  });

  test('except where it is the label of a choice that was offered', async () => {
    await create(user, { title: 'Dentist', scheduled_for: '2026-11-24T10:00', duration_minutes: 45 });
    proposes('ok', { scheduled_for: '2026-11-24T10:00' });
    const { choices } = await ask(user, 'Gym on Tuesday at 10');
    expect(choices.length).toBeGreaterThan(0);
    stub.script(fails(500));
    const chosen = await ask(user, choices[0].label);
    expect(chosen.plans).toMatchObject([{ title: 'Gym', status: 'proposed' }]);
    expect(stub.requests).toHaveLength(0);
  });
});

describe('where the model fails, the built-in planner', () => {
  const failing = (prompt: string) => {
    stub.script(fails(500));
    return ask(user, prompt);
  };

  test('proposes what is new and surely read, and the answer says that the model failed', async () => {
    const answer = await failing('Lunch with Kim tomorrow at 12:30');
    expect(answer).toMatchObject({
      plans: [{ title: 'Lunch with Kim', status: 'proposed' }],
      planner: { mode: 'built-in' },
    });
    expect(answer.warnings[0]).toMatch(/^The model gave no usable answer/);
  });

  test('answers what is asked', async () => {
    expect((await failing('what is on Friday?')).reply).toBe('Nothing is on your calendar on Friday 27 November.');
  });

  test.each([
    'no, Tuesday at 10',
    'forget that',
    'make it two hours',
    'cancel the dentist',
    'move the dentist to Friday at 9',
  ])('changes and withdraws nothing: %s', async (prompt) => {
    const dentist = await create(user, { title: 'Dentist', scheduled_for: '2026-11-25T10:00', duration_minutes: 45 });
    proposes('ok', { scheduled_for: '2026-11-23T10:00' });
    const [gym] = (await ask(user, 'Gym on Monday at 10')).plans;
    const answer = await failing(prompt);
    expect(answer).toMatchObject({ plans: [], choices: [] });
    expect(answer.reply).toContain('The language model gave no usable answer.');
    expect(await queue()).toMatchObject([{ uid: gym.uid, version: 1 }]);
    const [same] = (await user.get('/calendar/events?start=2026-11-25&end=2026-11-25').expect(200)).body;
    expect(same).toMatchObject({ uid: dentist.uid, version: dentist.version });
  });

  test('proposes no change of the settings', async () => {
    const answer = await failing('Nothing before nine from now on');
    expect(answer).toMatchObject({ plans: [], choices: [] });
    expect(answer.reply).toContain('change nothing. Please send it again.');
  });

  test('keeps its question', async () => {
    for (const day of [25, 26])
      await create(user, { title: 'Dentist', scheduled_for: `2026-11-${day}T10:00`, duration_minutes: 45 });
    const { reply, plans } = await failing('Cancel the dentist');
    expect(plans).toEqual([]);
    expect(reply).toMatch(/change nothing\. .*\?$/);
    expect(reply).not.toContain('send');
  });

  test('proposes the new part of a prompt, and says that the rest is left', async () => {
    await create(user, { title: 'Dentist', scheduled_for: '2026-11-25T10:00', duration_minutes: 45 });
    const answer = await failing('Lunch with Kim tomorrow at 12:30, and cancel the dentist');
    expect(answer.plans).toMatchObject([{ title: 'Lunch with Kim' }]);
    expect(answer.reply).toContain('Please send the rest again.');
  });
});

test('a proposal that was decided while the model worked is not changed, and the reply says so', async () => {
  proposes('ok', { scheduled_for: '2026-11-23T10:00' });
  const { uid } = (await ask(user, 'Gym on Monday at 10')).plans[0];
  stub.script((request, response) => {
    void user
      .post('/agent/approve', { uid })
      .then(() =>
        answers({ reply: 'ok', actions: [{ ...BLANK, target_plan_uid: uid, scheduled_for: '2026-11-24T10:00' }] })(
          request,
          response,
        ),
      );
  });
  const { reply } = await ask(user, 'Make it Tuesday at 10');
  expect(reply).toContain('“Gym” was approved and carried out already, so it stays as it is.');
  const [event] = (await user.get('/calendar/events?start=2026-11-23&end=2026-11-24').expect(200)).body;
  expect(event).toMatchObject({ scheduled_for: '2026-11-23T09:00:00.000Z' });
});
