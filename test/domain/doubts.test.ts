/** Doubts: what is asked about instead of planned, and what is planned although it is said in an unusual order. */
import { expect, test } from 'vitest';
import { understand } from '../../src/domain/intent/intent.ts';
import type { IntentContext } from '../../src/domain/intent/types.ts';
import { corpusContext } from '../support/requests.ts';

test.each([
  ['a time that points at another one', 'Enter "Drive to school" for half an hour directly before it'],
  ['a known event behind a verb that handles it', 'Lay the budget review on 16:00'],
  ['a definite thing without a time', 'put in the exam'],
  ['a whole day without a day', 'Kindly mark the entire day as "Day off"'],
  ['a sentence in a name', "The wedding's at two"],
  ['an hour that was not read', 'Jasmine for 11.20 on Thursday'],
  ['a day that was not read', 'Piano tuner 26th 10-11:30'],
  ['a way in which events are handled', 'Take the tapas evening off on Friday'],
  ['a clause of time', 'remind me tomorrow to ring Dougie when I am off the scaffold'],
  ['a note at a clock time', 'Note a date with Agnieszka on Friday at 20:00'],
  ['what is told beside a refusal', 'I have guests from Kraków on Saturday, please do not plan anything'],
  [
    'a plan of which more is said that is not understood',
    'oil change on Wednesday at one and they need it till about three they said',
  ],
])('%s is asked about', (_, prompt) => {
  const { intents, question } = understand(prompt, corpusContext());
  expect(intents).toEqual([]);
  expect(question).toMatch(/\?|it says what not to do/);
});

test.each([
  [
    'Meeting with Herr Krause on Thursday at 14:30, please enter',
    'Meeting with Herr Krause',
    '2026-11-26T13:30:00.000Z',
  ],
  [
    'Paediatrician for Mia on Wednesday at 8:15 put that in please',
    'Paediatrician for Mia',
    '2026-11-25T07:15:00.000Z',
  ],
  ['put Mrs Kunz down for highlights tomorrow at 15:00', 'Mrs Kunz for highlights', '2026-11-24T14:00:00.000Z'],
  ['Team dinner move half an hour later please', 'Team dinner', '2026-11-27T18:30:00.000Z'],
])('understands: %s', (prompt, title, at) => {
  const [intent, ...more] = understand(prompt, corpusContext()).intents;
  expect(more).toEqual([]);
  expect(intent).toMatchObject({ title, scheduled_for: at });
});

/** A conversation in which drinks and a roofer were proposed. */
const afterProposals = (): IntentContext => {
  const context = corpusContext();
  const of = (uid: string, title: string, scheduled_for: string) => ({
    ...{ uid, title, scheduled_for, action_type: 'schedule', duration_minutes: 60, proposal_id: 'one' },
  });
  const pending = [
    of('drinks', 'Drinks', '2026-11-28T18:00:00.000Z'),
    of('roofer', 'Roofer', '2026-11-30T08:00:00.000Z'),
  ];
  const before = { prompt: 'Drinks on Saturday at 19:00 and the roofer on Monday at 9', proposed: true };
  return { ...context, before, pending };
};

test.each([
  'that works',
  'it looks good',
  'nice, I like it',
  'hmm let me think about it',
  'I will ask Tom about it',
  'ok 1',
])('what waits stays after: %s', (prompt) => expect(understand(prompt, afterProposals()).intents).toEqual([]));

test('what waits is taken back by a correction that is not understood', () => {
  const { intents } = understand('no, rather the other way round', afterProposals());
  expect(intents.map(({ target_plan_uid }) => target_plan_uid)).toEqual(['drinks', 'roofer']);
});

test('three letters name no event that only begins with them', () => {
  const context = corpusContext();
  const events = [{ ...context.events[0]!, uid: 'heart', title: 'Cardiology' }];
  expect(understand('cancel the car', { ...context, events }).intents).toEqual([]);
  expect(understand('cancel the card', { ...context, events }).intents).toMatchObject([{ target_event_uid: 'heart' }]);
});
