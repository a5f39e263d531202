/** The residue rule: words of time in a prompt that no action accounts for, for actions that say less than the prompt. */
import { describe, expect, test } from 'vitest';
import { unaccounted } from '../../../src/domain/planner/intents/left-out.ts';
import type { Intent, IntentContext } from '../../../src/domain/planner/intents/types.ts';
import { addMinutes } from '../../../src/domain/time/time.ts';

/** Monday, 08:00 in Berlin. */
const context: IntentContext = {
  now: '2026-11-23T07:00:00.000Z',
  zone: 'Europe/Berlin',
  events: [],
  pending: [],
};

/** On Wednesday 25 November at 10:00 for an hour. */
const anIntent = (more: Partial<Intent> = {}): Intent => ({
  action_type: 'schedule',
  title: 'Writing',
  content: 'Writing',
  tags: [],
  scheduled_for: '2026-11-25T09:00:00.000Z',
  duration_minutes: 60,
  arguments: {},
  reasoning: '',
  ...more,
});

const run = <T>(work: Generator<undefined, T>): { value: T; steps: number } => {
  for (let steps = 1; ; steps++) {
    const { done, value } = work.next();
    if (done) return { value, steps };
  }
};

const left = (prompt: string, intents: Intent[], repeated: string[] = []): string =>
  run(unaccounted(prompt, intents, context, repeated)).value.join(' ');

describe('what a proposal must account for', () => {
  test.each<[string, Intent[], string]>([
    ['Writing on Wednesday at 10 for an hour', [anIntent()], ''],
    ['Writing on Thursday at 10', [anIntent()], 'on Thursday'],
    ['Writing on Wednesday at 11:30', [anIntent()], 'at 11:30'],
    ['Writing on Wednesday at 10 for two hours', [anIntent()], 'for two hours'],
    ['Writing on Wednesday in the evening', [anIntent()], 'in the evening'],
    ['Writing this week, not on Wednesday', [anIntent()], 'not on Wednesday'],
    ['Writing every Wednesday at 10', [anIntent()], ''],
    ['Writing every Friday at 10', [anIntent()], 'every Friday'],
    ['Writing before Wednesday at 10', [anIntent()], 'before Wednesday'],
    ['Writing on Wednesday at 4 am New York time', [anIntent()], ''],
    ['Writing on Wednesday at 10, reminder 30 min', [anIntent()], '30 min'],
    ['Writing on Wednesday at 10, reminder 30 min', [anIntent({ arguments: { reminders: [30] } })], ''],
    ['Writing on Wednesday at 10, notify me on Tuesday', [anIntent()], 'on Tuesday'],
    ['Writing on Wednesday at 10, notify me on Tuesday', [anIntent({ arguments: { reminders: [1440] } })], ''],
    ['If it rains, writing on Wednesday at 10', [anIntent()], 'If it rains'],
    ['Log that the call on Friday at 9 went well', [anIntent({ action_type: 'log' })], ''],
  ])('%s', (prompt, intents, words) => {
    const said = left(prompt, intents);
    if (words === '') expect(said).toBe('');
    else expect(said.toLowerCase()).toContain(words.toLowerCase());
  });

  const WRITING = 'Writing on Wednesday at 10';
  const reminded = (...reminders: number[]): Intent[] => [anIntent({ arguments: { reminders } })];
  /** Its time is looked for in a window. */
  const searched = (start: string, end: string): Intent => {
    const { scheduled_for: _, ...intent } = anIntent();
    return { ...intent, between: { start, end } };
  };
  /** Packing is at ten, too: 45 minutes, and two days, before a flight. */
  const flights = ['2026-11-25T09:45:00.000Z', '2026-11-27T15:00:00.000Z'].map((scheduled_for) => ({
    ...{ uid: scheduled_for, title: 'Flight', scheduled_for, duration_minutes: 90 },
  }));
  test.each<[string, Intent[], string]>([
    [`${WRITING}, remind me 30 minutes before`, [anIntent()], '30 minutes before'],
    [`${WRITING}, remind me 30 minutes before`, reminded(10), '30 minutes before'],
    [`${WRITING}, remind me 30 minutes before`, reminded(30), ''],
    // It takes an hour itself.
    [`${WRITING}, remind me an hour before`, [anIntent()], 'an hour before'],
    [`${WRITING}, remind me an hour before`, [anIntent({ content: 'Remind me an hour before' })], 'an hour before'],
    [`${WRITING} and ping me half an hour beforehand`, [anIntent()], 'half an hour beforehand'],
    [`${WRITING}, set a reminder for 20 minutes before it`, reminded(15), '20 minutes before'],
    [`${WRITING}, remind me a day and an hour before`, reminded(1440), 'a day and an hour before'],
    [`${WRITING}, remind me a day and an hour before`, reminded(60, 1440), ''],
    [
      `${WRITING}, remind me an hour before`,
      [anIntent(), anIntent({ scheduled_for: '2026-11-25T08:00:00.000Z', title: 'Reminder' })],
      '',
    ],
    ['remind me of the writing one hour before', reminded(), 'one hour before'],
    ['Remind me two days before', [anIntent()], ''],
    ['Remind me three days before', [anIntent()], 'three days before'],
    ['Remind me 45 minutes before the flight', [anIntent()], ''],
    ['Remind me an hour before the flight', [anIntent()], 'an hour before'],
    ['Remind me an hour before the flight', [searched('2026-11-25T08:00:00.000Z', '2026-11-25T09:00:00.000Z')], ''],
    [
      'Remind me an hour before the flight',
      [searched('2026-11-25T10:00:00.000Z', '2026-11-25T11:00:00.000Z')],
      'an hour before',
    ],
    ['Remind me three days before the flight to pack', [anIntent()], ''],
    ['Remind me an hour before', [anIntent({ arguments: { cancel: true } })], ''],
    ['Remind me the day before', [anIntent()], ''],
  ])('a reminder: %s', (prompt, intents, words) => {
    const said = run(unaccounted(prompt, intents, { ...context, events: flights }, [])).value.join(' ');
    if (words === '') expect(said).toBe('');
    else expect(said).toContain(words);
  });

  test('occurrences of series count', () => {
    const series = anIntent({ rrule: 'FREQ=WEEKLY;BYDAY=WE' });
    const starts = [0, 1, 2].map((week) => addMinutes('2026-11-25T09:00:00.000Z', week * 7 * 24 * 60));
    expect(left('Writing every Wednesday at 10 until 9 December', [series], starts)).toBe('');
    expect(left('Writing every Tuesday and Wednesday at 10', [series], starts)).toContain('every Tuesday');
  });
});

test('many series are compared in small steps: in one piece 12,000 occurrences took 4.8 seconds', () => {
  const prompt = Array.from({ length: 59 }, (_, i) => `jog ${i} every day at ${10 + (i % 8)}:${10 + (i % 50)}`).join(
    ', ',
  );
  const repeated = Array.from({ length: 59 * 200 }, (_, i) => addMinutes('2026-11-25T09:00:00.000Z', i * 60));
  const { steps } = run(unaccounted(prompt, [anIntent({ rrule: 'FREQ=DAILY' })], context, repeated));
  expect(steps).toBeGreaterThan(repeated.length);
});
