/** Where the built-in planner reads the same times as a model, nothing is asked about them; where it does not, the rest is. */
import { expect, test } from 'vitest';
import { reading, type LeftOver } from '../../src/agent/prompt/understand.ts';
import type { Intent, IntentContext } from '../../src/domain/planner/intents/types.ts';

/** Monday 23 November, 08:00 in Berlin. */
const known: IntentContext = {
  now: '2026-11-23T07:00:00.000Z',
  zone: 'Europe/Berlin',
  pending: [],
  events: ['2026-11-24T18:00:00.000Z', '2026-12-01T18:00:00.000Z'].map((at) => ({
    ...{ uid: 'choir', title: 'Choir', scheduled_for: at, duration_minutes: 60, recurrence_id: at },
  })),
};
const anIntent = (title: string, at: string, more: Partial<Intent> = {}): Intent => ({
  ...{ action_type: 'schedule', title, content: '', tags: [], arguments: {}, reasoning: '', scheduled_for: at },
  ...more,
});
const saidOf = (prompt: string, intents: Intent[]): string => {
  const work = reading({ prompt, known, intents });
  for (;;) {
    const { done, value } = work.next();
    if (done) return (value as LeftOver).said.join(' ');
  }
};

const run = anIntent('Run', '2026-11-26T06:00:00.000Z');
const choir = (recurrence_id: string) =>
  anIntent('Choir', '2026-12-02T19:00:00.000Z', {
    ...{ action_type: 'reschedule', target_event_uid: 'choir', arguments: { recurrence_id } },
  });

test.each<[string, Intent[], string]>([
  ['Run on Thursday at 7 and swim on Friday at 9', [run, anIntent('Swim', '2026-11-27T08:00:00.000Z')], ''],
  ['Run on Thursday at 7 and swim on Friday at 9', [run, { ...run, title: 'Swim' }], 'on Friday at 9'],
  ['Run on Thursday at 7 and swim on Friday at 9', [run], 'on Friday at 9'],
  ['Move the choir on 1 December to 8 pm on 2 December', [choir('2026-12-01T18:00:00.000Z')], ''],
  ['Move the choir on 1 December to 8 pm on 2 December', [choir('2026-11-24T18:00:00.000Z')], 'on 1 December'],
])('%s: %#', (prompt, intents, named) => {
  const said = saidOf(prompt, intents);
  if (named === '') expect(said).toBe('');
  else expect(said).toContain(named);
});
