/** Doubts: what is asked about instead of planned, and what is planned although it is said in an unusual order. */
import { expect, test } from 'vitest';
import { understand } from '../../src/domain/intent/intent.ts';
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
