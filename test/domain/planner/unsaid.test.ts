/** Times and lengths of a model's actions that no word of the prompt says, which the reply asks about. */
import { describe, expect, test } from 'vitest';
import type { Intent, IntentContext } from '../../../src/domain/planner/intents/types.ts';
import { understand } from '../../../src/domain/planner/intents/understand.ts';
import { unsaid } from '../../../src/domain/planner/intents/unsaid.ts';
import { addMinutes } from '../../../src/domain/time/time.ts';

/** Monday 23 November, 08:00 in Berlin. */
const context: IntentContext = {
  now: '2026-11-23T07:00:00.000Z',
  zone: 'Europe/Berlin',
  events: [
    { uid: 'dentist', title: 'Dentist', scheduled_for: '2026-11-25T09:00:00.000Z', duration_minutes: 30 },
    { uid: 'flight', title: 'Flight to Lisbon', scheduled_for: '2026-12-10T06:10:00.000Z', duration_minutes: 190 },
  ],
  pending: [],
};
const anIntent = (more: Partial<Intent>): Intent => ({
  ...{ action_type: 'schedule', title: 'Run', content: '', tags: [], arguments: {}, reasoning: '' },
  ...more,
});
/** A run at a wall time in Berlin of November 2026. */
const at = (day: number, hour: number, more: Partial<Intent> = {}): Intent =>
  anIntent({ scheduled_for: addMinutes('2026-11-01T00:00:00.000Z', (day - 1) * 1440 + hour * 60 - 60), ...more });
const dentist = (more: Partial<Intent>): Intent =>
  anIntent({ action_type: 'reschedule', title: 'Dentist', target_event_uid: 'dentist', ...more });
const whole = (day: number, days: number): Intent =>
  at(day, 0, { arguments: { all_day: true }, duration_minutes: days * 1440 });

const run = (prompt: string, intents: Intent[], known = context): { said: string; steps: number } => {
  const work = unsaid(prompt, intents, understand(prompt, known).intents, known);
  for (let steps = 1; ; steps++) {
    const { done, value } = work.next();
    if (done) return { said: value.join(' '), steps };
  }
};

describe('a value that no word says is asked about', () => {
  test.each<[string, Intent[], string]>([
    ['Run on Thursday at 7', [at(26, 7)], ''],
    ['Run on Thursday at 7', [at(27, 7)], 'Friday 27 November for “Run”'],
    ['Run on Thursday at 7', [at(26, 9)], '09:00 for “Run”'],
    ['Run on Thursday from 7 to 8', [at(26, 8)], '08:00 for “Run”'],
    ['Run on Thursday at 7 for 40 minutes', [at(26, 7, { duration_minutes: 40 })], ''],
    ['Run on Thursday at 7 for 40 minutes', [at(26, 7, { duration_minutes: 70 })], '70 minutes for “Run”'],
    ['Run on Thursday from 7 to 8', [at(26, 7, { duration_minutes: 60 })], ''],
    ['Run at 7', [at(23, 19)], ''],
    ['Run at 7', [at(25, 7)], 'Wednesday 25 November for “Run”'],
    ['Run on Thursday', [at(26, 12)], ''],
    ['Run in the morning on Thursday', [at(26, 16)], '16:00 for “Run”'],
    ['Run right after the dentist', [at(25, 10.5)], ''],
    ['Run two days before the flight', [anIntent({ scheduled_for: '2026-12-08T09:00:00.000Z' })], ''],
    ['Run an hour before the dentist', [at(25, 9)], ''],
    ['Run an hour before the dentist', [at(25, 8)], '08:00 for “Run”'],
    ['Holiday from 24 to 26 November', [whole(24, 3)], ''],
    ['Holiday from 24 to 26 November', [whole(25, 3)], 'Friday 27 November for “Run”'],
    ['Run on Mondays and Fridays at 7', [at(23, 19, { rrule: 'FREQ=WEEKLY;BYDAY=MO,FR' })], ''],
    ['Run on Mondays and Fridays at 7', [at(23, 19, { rrule: 'FREQ=WEEKLY;BYDAY=MO,SA' })], 'Saturday for “Run”'],
    ['Run until Wednesday', [anIntent({ between: { start: context.now, end: '2026-11-25T23:00:00.000Z' } })], ''],
    [
      'Run this Thursday',
      [anIntent({ between: { start: '2026-11-26T23:00:00.000Z', end: '2026-11-27T23:00:00.000Z' } })],
      'Friday 27 November for “Run”',
    ],
    ['Rename the dentist to root canal', [dentist({ arguments: { title: 'Root canal' } })], ''],
    ['Rename the dentist to root canal', [dentist({ duration_minutes: 60 })], '1 hour for “Dentist”'],
    ['Dentist half an hour longer', [dentist({ duration_minutes: 60 })], ''],
    ['Move the dentist to 3 pm', [dentist({ scheduled_for: '2026-11-25T14:00:00.000Z' })], ''],
    ['Move the dentist to 3 pm', [dentist({ scheduled_for: '2026-11-26T14:00:00.000Z' })], 'Thursday 26 November'],
    ['Move the dentist to Friday, same time', [dentist({ scheduled_for: '2026-11-27T09:00:00.000Z' })], ''],
    ['Move the dentist to Friday, same time', [dentist({ scheduled_for: '2026-11-27T11:00:00.000Z' })], '12:00'],
    ['Dentist an hour later', [dentist({ scheduled_for: '2026-11-25T10:00:00.000Z' })], ''],
    ['Dentist an hour later', [dentist({ scheduled_for: '2026-11-25T08:00:00.000Z' })], '09:00 for “Dentist”'],
    ['Dentist ten minutes shorter', [dentist({ duration_minutes: 40 })], '40 minutes for “Dentist”'],
    ['Run on Thursday at 7 pm', [at(26, 19)], ''],
    ['Run on Thursday at 7 pm', [at(26, 7)], '07:00 for “Run”'],
    ['Run on Thursday at 19:00', [at(26, 7)], '07:00 for “Run”'],
    ['Run every day except Sunday at 7', [at(24, 7, { rrule: 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR,SA' })], ''],
    [
      'Run every Wednesday at 7',
      [at(25, 7, { rrule: 'FREQ=WEEKLY;BYDAY=WE', exdates: ['2026-12-30T06:00:00.000Z'] })],
      'Wednesday 30 December for “Run”',
    ],
    ['Run on Friday at 7', [at(27, 7, { scheduled_for: '2027-11-26T06:00:00.000Z' })], 'Friday 26 November 2027'],
    [
      'Buy a ticket for the flight, whenever',
      [anIntent({ between: { start: context.now, end: '2026-12-01T23:00:00.000Z' } })],
      '',
    ],
    ['Ein Lauf am Donnerstag mit der Gruppe um 7 Uhr', [at(27, 9)], ''],
    ['Log that I ran on Friday', [anIntent({ action_type: 'log' })], ''],
  ])('%s: %#', (prompt, intents, value) => {
    const { said } = run(prompt, intents);
    if (value === '') expect(said).toBe('');
    else expect(said).toContain(`Your words do not say ${value}`);
  });
});

describe('what the words say and an action does not have is asked about', () => {
  const weekly = { rrule: 'FREQ=WEEKLY;BYDAY=FR' };
  test.each<[string, Intent, string]>([
    ['Run on Thursday at 7', anIntent({}), 'no time for “Run”'],
    ['Run some time', anIntent({}), ''],
    ['Run on Thursday from 7 to 8', at(26, 7), 'no length for “Run”'],
    ['Run every Friday at 7', at(27, 7), 'no repetition for “Run”'],
    ['Run every Friday at 7', at(27, 7, weekly), ''],
    ['Run every Friday at 7 until Christmas', at(27, 7, weekly), 'no end for “Run”'],
    ['Run every Friday at 7 until Christmas', at(27, 7, { rrule: `${weekly.rrule};UNTIL=20261225` }), ''],
  ])('%s: %#', (prompt, intent, lack) => {
    const { said } = run(prompt, [intent]);
    expect(said).toBe(lack === '' ? '' : `Your words say more, but I have ${lack}. Is that right?`);
  });

  test('a change that changes nothing', () => {
    const same = dentist({ scheduled_for: '2026-11-25T09:00:00.000Z' });
    expect(run('Bring the dentist forward by a day', [same]).said).toBe(
      'Nothing changes for “Dentist”. Is that right?',
    );
    expect(run('The dentist stays on Wednesday', [same]).said).toBe('');
  });
});

test('what an earlier turn said holds where this one says nothing else', () => {
  const turns = [{ prompt: 'Run on Thursday at 7', reply: 'I propose: “Run”.' }];
  const known = { ...context, before: { prompt: 'Run on Thursday at 7', proposed: true, turns } };
  expect(run('for 40 minutes', [at(26, 7, { duration_minutes: 40 })], known).said).toBe('');
  expect(run('for 40 minutes', [at(26, 9, { duration_minutes: 40 })], known).said).toContain('09:00');
  expect(run('rather at 9', [at(26, 7)], known).said).toContain('07:00');
});

test('an event with fewer of the words gives no time', () => {
  const events = [
    { uid: 'team', title: 'Team lunch', scheduled_for: '2026-11-27T11:00:00.000Z', duration_minutes: 60 },
    { uid: 'bea', title: 'Lunch with Bea', scheduled_for: '2026-11-28T12:30:00.000Z', duration_minutes: 60 },
  ];
  const known = { ...context, events };
  expect(run('Run right after the team lunch', [at(27, 13)], known).said).toBe('');
  expect(run('Run right after the team lunch', [at(28, 14.5)], known).said).toContain('Saturday 28 November');
});

test('sixty series with a thousand dates, in a calendar full of the same name, are compared in steps', () => {
  const events = Array.from({ length: 2_000 }, (_, i) => ({
    ...{ uid: `run-${i}`, title: `Run ${i}`, duration_minutes: 30 },
    scheduled_for: addMinutes(context.now, i * 60),
  }));
  const prompt = Array.from({ length: 30 }, (_, i) => `run ${i} in ${i + 1} days at ${i % 24}:${i + 10}`).join(', ');
  const exdates = Array.from({ length: 1_000 }, (_, i) => addMinutes(context.now, i * 1440));
  const intents = Array.from({ length: 60 }, (_, i) => at(24, i % 24, { rrule: 'FREQ=DAILY', exdates }));
  const { steps, said } = run(prompt, intents, { ...context, events });
  expect(steps).toBeGreaterThan(intents.length);
  expect(said.length).toBeLessThan(1_000);
});

test('a prompt of more words than are read is not judged', () => {
  const words = 'The weather was nice and we talked about this and that. '.repeat(46);
  expect(run(`Run on Thursday at 7. ${words}`, [at(27, 7)]).said).toBe('');
  expect(run('Run on Thursday at 7. The weather was nice.', [at(27, 7)]).said).toContain('Friday 27 November');
});
