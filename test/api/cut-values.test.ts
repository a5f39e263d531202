/** A text that the service cuts and stores never ends in half of a value that is hidden from its later readers. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aKey, anApp, aUser, type Client, type TestApp, type TestUser } from '../support/app.ts';

const LONG = 'Ottoline Farnsworth of the Hollowmere Institute for Advanced Oceanic Studies and Tidal Research';
const PART = /Ottoline|Farnsworth|Hollowmere|Oceanic|Tidal/i;

let app: TestApp;
let user: TestUser;
let agent: Client;
beforeAll(async () => {
  app = await anApp();
  user = await aUser(app);
  agent = await aKey(app, user, 'agent', ['memory:read', 'plan:read', 'calendar:read']);
  await user.post('/memory/push', { traces: [{ type: 'observation', content: 'x', authored_by: LONG }] }).expect(201);
});
afterAll(() => app.close());

/** A text in which the value begins at this character. */
const withValueAt = (at: number): string => `${'so '.repeat(Math.ceil(at / 3)).slice(0, at - 1)} ${LONG} and others`;

const read = async (path: string): Promise<string> => (await agent.get(path).expect(200)).text;

test('a title that is made of the content of a pushed plan', async () => {
  const content = `Ask about the tides ${withValueAt(50)}`;
  const plan = { uid: 'pushed', type: 'agent_plan', content, action_type: 'schedule' };
  const time = { scheduled_for: '2026-11-24T10:00', duration_minutes: 30 };
  await user.post('/memory/push', { traces: [{ ...plan, ...time }] }).expect(201);
  expect(await read('/agent/plan?uid=pushed')).not.toMatch(PART);
  await user.post('/agent/approve', { uid: 'pushed' }).expect(200);
  const { body: events } = await user.get('/calendar/events?start=2026-11-24&end=2026-11-25').expect(200);
  expect(events).toMatchObject([{ title: expect.stringMatching(/^Ask about the tides so/) }]);
  expect(await read('/calendar/events?start=2026-11-24&end=2026-11-25')).not.toMatch(PART);
  expect(await read('/memory/pull?type=calendar_event')).not.toMatch(PART);
  // The same request again has the same answer.
  await user.post('/memory/push', { traces: [{ ...plan, ...time }] }).expect(201);
});

test('a title that is made of a content that is long in other ways', async () => {
  for (const word of ['7f3a9c1e44b2', '4839 2201', 'ναυσικά', 'zzzzzzzzzz'])
    for (let n = 1; n < 12; n++) {
      const uid = `made ${word} ${n}`;
      const plan = { uid, type: 'agent_plan', content: `Note ${`${word} `.repeat(n)}${LONG}`, action_type: 'log' };
      await user.post('/memory/push', { traces: [plan] }).expect(201);
      expect(await read(`/agent/plan?uid=${encodeURIComponent(uid)}`)).not.toMatch(PART);
    }
});

test('a title that is made for an imported plan', async () => {
  const plan = { type: 'agent_plan', action_type: 'log', status: 'executed', timestamp: '2025-01-01' };
  for (const at of [410, 450, 490])
    await user
      .post('/memport/import', { traces: [{ uid: `imported ${at}`, content: withValueAt(at), ...plan }] })
      .expect(200);
  for (const at of [410, 450, 490]) expect(await read(`/agent/plan?uid=imported%20${at}`)).not.toMatch(PART);
});

test('the sentence and the plan about an event with a long title', async () => {
  const title = withValueAt(480);
  const day = '20261125';
  const event = ['BEGIN:VEVENT', 'UID:long', `DTSTAMP:${day}T080000Z`, `DTSTART:${day}T090000Z`, `SUMMARY:${title}`];
  const ics = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:x', ...event, 'DURATION:PT1H', 'END:VEVENT', 'END:VCALENDAR'];
  const file = `${ics.join('\r\n')}\r\n`;
  await user.post('/calendar/import').set('Content-Type', 'text/calendar').send(file).expect(200);
  expect(await read('/memory/pull?type=calendar_event')).not.toMatch(PART);
  const move = { uid: 'move', action_type: 'reschedule', title: 'Later', target_event_uid: 'long' };
  const time = { scheduled_for: '2026-11-26T10:00', duration_minutes: 60 };
  await user.post('/agent/plan', { actions: [{ ...move, ...time }] }).expect(200);
  await user.patch('/memory/edit', { uid: 'move', updates: { arguments: { cancel: true } } }).expect(200);
  const { body: plan } = await user.get('/agent/plan?uid=move').expect(200);
  expect(plan).toMatchObject({ title: expect.stringMatching(/^Cancel “so /), content: `Cancel “${title}”` });
  expect(await read('/agent/plan?uid=move')).not.toMatch(PART);
});

test('what the chat quotes of a prompt', async () => {
  const asked = [
    `Cancel the ${withValueAt(50)} meeting`,
    `Plan 30 minutes of ${withValueAt(160)} tomorrow at 15:00`,
    `Plan lunch tomorrow at 12:00. Blub ${withValueAt(40)} blub.`,
    `When is the ${withValueAt(50)}?`,
    `Move the ${withValueAt(60)} to Tuesday`,
  ];
  for (const prompt of asked) {
    const { body } = await user.post('/chat/respond', { prompt }).expect(200);
    expect(body.traces[1].metadata.role).toBe('reply');
    expect(body.reply, prompt).toMatch(/so so|“/);
  }
  for (const path of ['/memory/pull?limit=200', '/agent/queue?limit=200'])
    for (const one of JSON.parse(await read(path))) expect(JSON.stringify(one)).not.toMatch(PART);
});
