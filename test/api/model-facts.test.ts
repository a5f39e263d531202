/** The facts that the model is given of a real calendar: free time, events, and the turns of the conversation. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { aKey, aUser, TEST_START, type Client, type TestApp, type TestUser } from '../support/app.ts';
import { create } from '../support/calendar.ts';
import { answers, type StubModel } from '../support/model.ts';
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
  app.clock.set(TEST_START);
  user = await aUser(app);
  says('Fine.');
});

const says = (reply: string) => stub.script(answers({ reply, actions: [], questions: [] }));
/** A block of the last request. */
const given = (name: string): unknown => {
  const json = new RegExp(`^<<<\\d+ ${name}>>>\n(.*)$`, 'm').exec(
    stub.requests.at(-1)?.body.messages[1]?.content ?? '',
  )?.[1];
  return JSON.parse(json ?? '"no such block"');
};
const ask = async (who: Client, prompt: string, more: object = {}) =>
  (await who.post('/chat/respond', { prompt, ...more }).expect(200)).body;

describe('the calendar', () => {
  beforeEach(async () => {
    await create(user, { title: 'Dentist', scheduled_for: '2026-11-23T10:00', duration_minutes: 45 });
    await create(user, { title: 'Off', scheduled_for: '2026-11-25', all_day: true });
    await create(user, {
      ...{ title: 'Sync', scheduled_for: '2026-11-24T09:00', duration_minutes: 15 },
      rrule: 'FREQ=WEEKLY;BYDAY=TU',
    });
  });

  test('has a line for each day with free time in the tempo hours, for 14 days', async () => {
    const work = { name: 'work', days: ['MO', 'TU', 'WE', 'TH', 'FR'], start: '09:00', end: '17:00' };
    await user.post('/tempo/adjust', { preferences: { time_ranges: [work] } }).expect(200);
    await ask(user, 'Plan deep work');
    expect(given('free')).toEqual([
      'Mon 2026-11-23: 09:00-10:00, 10:45-17:00',
      'Tue 2026-11-24: 09:15-17:00',
      'Wed 2026-11-25: 09:00-17:00',
      'Thu 2026-11-26: 09:00-17:00',
      'Fri 2026-11-27: 09:00-17:00',
      'Mon 2026-11-30: 09:00-17:00',
      'Tue 2026-12-01: 09:15-17:00',
      'Wed 2026-12-02: 09:00-17:00',
      'Thu 2026-12-03: 09:00-17:00',
      'Fri 2026-12-04: 09:00-17:00',
    ]);
  });

  test('has a line for each event', async () => {
    await ask(user, 'Plan deep work');
    expect(given('events')).toEqual([
      'e1 Mon 2026-11-23 10:00-10:45: Dentist',
      'e2 Tue 2026-11-24 09:00-09:15, 2026-12-01 09:00, 2026-12-08 09:00, repeats FREQ=WEEKLY;BYDAY=TU: Sync',
      'e3 Wed 2026-11-25 all day: Off',
    ]);
  });

  test('is changed by the references that were given', async () => {
    const cancels = { ...ACTION, action_type: 'reschedule', duration_minutes: null, cancel: true };
    const actions = [{ target_event_uid: 'e2', target_recurrence_id: '2026-12-15T09:00' }, { target_event_uid: 'e1' }];
    stub.script(answers({ reply: 'ok', actions: actions.map((action) => ({ ...cancels, ...action })), questions: [] }));
    const { reply, plans } = await ask(user, 'Cancel the dentist and the sync on 15 December');
    expect(reply).toContain('cancel “Sync” on Tuesday 15 December at 09:00');
    expect(reply).toContain('cancel “Dentist” on Monday 23 November at 10:00');
    expect(plans).toHaveLength(2);
    await ask(user, 'Plan deep work');
    expect(given('pending')).toEqual(
      ['Sync', 'Dentist'].map((title, n) => `p${n + 1} yours reschedule without a time: ${title}`),
    );
  });

  test('is not known to who may not read it', async () => {
    await ask(await aKey(app, user, 'agent', ['plan:propose']), 'Plan deep work');
    expect([given('events'), given('free')]).toEqual([[], null]);
  });
});

describe('the turns', () => {
  test('are the last three of this credential, oldest first', async () => {
    await ask(user, 'first');
    expect(given('turns')).toEqual([]);
    for (const prompt of ['second', 'third']) await ask(user, prompt);
    await ask(user.agent, 'of the agent');
    await ask(user, 'fourth');
    await ask(user, 'fifth');
    const reply = 'Fine. Nothing was proposed or changed.';
    expect(given('turns')).toEqual(['second', 'third', 'fourth'].map((prompt) => ({ prompt, reply })));
  });

  test('end with the reply that the prompt names', async () => {
    const key = await aKey(app, user, 'user');
    const { traces } = await ask(key, 'first');
    app.clock.advance(60_000);
    await ask(key, 'second');
    await ask(key, 'third', { in_reply_to: traces[1].uid });
    expect(given('turns')).toMatchObject([{ prompt: 'first' }]);
    app.clock.advance(61 * 60_000);
    await ask(key, 'fourth', { in_reply_to: traces[1].uid });
    expect(given('turns')).toMatchObject([{ prompt: 'first' }]);
  });

  test('are of the last hour', async () => {
    const key = await aKey(app, user, 'user');
    await ask(key, 'first');
    app.clock.advance(59 * 60_000);
    await ask(key, 'second');
    expect(given('turns')).toHaveLength(1);
    app.clock.advance(2 * 60_000);
    await ask(key, 'third');
    expect(given('turns')).toMatchObject([{ prompt: 'second' }]);
  });

  test('are without those that the person removed', async () => {
    const { traces } = await ask(user, 'first');
    await ask(user, 'second');
    await user.delete(`/memory/remove?uid=${traces[0].uid}`).expect(200);
    await ask(user, 'third');
    expect(given('turns')).toMatchObject([{ prompt: 'second' }]);
  });

  test('are none where there is no conversation', async () => {
    await ask(user, 'first');
    await user.post('/agent/plan', { prompt: 'Gym tomorrow' });
    expect(given('turns')).toEqual([]);
  });

  test('hide what the credential may not see', async () => {
    await ask(user.agent, 'Ask Zebedee about it');
    await user
      .post('/memory/push', { traces: [{ type: 'observation', content: 'x', authored_by: 'Zebedee' }] })
      .expect(201);
    await ask(user.agent, 'second');
    expect(JSON.stringify(given('turns'))).toMatch(/Ask .* about it/);
    expect(JSON.stringify(given('turns'))).not.toContain('Zebedee');
  });
});
