/** A person of whom the tests of questions ask: a calendar, a memory and proposals of an agent. It is Wednesday 25 November 2026, 08:00 in Berlin. */
import { aKey, aUser, type Client, type TestApp } from './app.ts';

export type AskedPerson = Client & {
  user_id: string;
  agent: Client;
  /** The person with a key of these scopes. */
  as: (kind: 'user' | 'agent', scopes: string[]) => Promise<Client>;
};

export const NOW = '2026-11-25T07:00:00.000Z';

const EVENTS: [title: string, at: string, minutes: number, more?: object][] = [
  ['Daily sync', '2026-11-16T09:15', 15, { rrule: 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR' }],
  ['Piano lesson', '2026-11-19T16:00', 45, { rrule: 'FREQ=WEEKLY;BYDAY=TH' }],
  ['Lunch with Lena', '2026-11-24T12:30', 60],
  ['Haircut', '2026-11-26T17:00', 60],
  ['Dentist', '2026-11-27T11:00', 45, { location: 'Dr. Weber, Hauptstrasse 5' }],
  ['Team dinner', '2026-11-27T19:00', 120],
  ['Project kickoff', '2026-11-30T14:00', 60, { description: 'with Lena and Tom' }],
  ['Conference', '2027-03-09T09:00', 480],
];
const NOTES = [
  'We decided to paint the kitchen light grey and to keep the old tiles.',
  'The landlord agreed to return the deposit by the end of January.',
  'Lena prefers tea and works at the library on Fridays.',
];

/** The clock of the app is moved to NOW. */
export const anAskedPerson = async (app: TestApp): Promise<AskedPerson> => {
  app.clock.set(NOW);
  const owner = await aUser(app);
  const user = await aKey(app, owner, 'user');
  for (const [title, scheduled_for, duration_minutes, more] of EVENTS)
    await user.post('/calendar/create', { title, scheduled_for, duration_minutes, ...more }).expect(201);
  const traces = [
    ...NOTES.map((content) => ({ type: 'observation', content, timestamp: '2026-11-03T10:00' })),
    { type: 'observation', content: 'Finished the tax return.', timestamp: '2026-11-24T16:00' },
  ];
  await user.post('/memory/push', { traces }).expect(201);
  const actions = [
    { action_type: 'schedule', title: 'Write the report', scheduled_for: '2026-11-26T10:00', duration_minutes: 60 },
    { action_type: 'schedule', title: 'Sort the photos', scheduled_for: '2026-11-28T10:00', duration_minutes: 60 },
  ];
  await owner.agent.post('/agent/plan', { actions }).expect(200);
  return { ...user, user_id: owner.user_id, agent: owner.agent, as: (kind, scopes) => aKey(app, owner, kind, scopes) };
};
