/** What a model planner may be told and answer, for tests. */
import type { PlanningFacts } from '../../src/llm/model-planner.ts';
import { answers } from './model.ts';

export const NOW = '2026-11-21T09:00:00.000Z';
export const SECRET = 'sk-very-secret';

export const FACTS: PlanningFacts = {
  now: NOW,
  zone: 'Europe/Berlin',
  free: [{ start: '2026-11-23T08:00:00.000Z', end: '2026-11-23T09:30:00.000Z' }],
  events: [{ uid: 'dentist', title: 'Dentist', start: '2026-11-24T09:00:00.000Z', end: '2026-11-24T10:00:00.000Z' }],
  pending: [
    { uid: 'p1', action_type: 'schedule', title: 'Write', scheduled_for: null, rrule: null, yours: true },
    { uid: 'p2', action_type: 'schedule', title: 'Call', scheduled_for: null, rrule: null, yours: false },
  ],
  tempo: { time_ranges: [] },
  limits: {},
  traces: [{ uid: 't1', type: 'observation', task_id: 'thesis', timestamp: NOW, summary: 'Chapter two is due.' }],
  turns: [],
  context: null,
};

export const ACTION = {
  reasoning: 'You asked for it.',
  action_type: 'schedule',
  title: 'Deep work',
  content: 'Work on the thesis.',
  task_id: 'thesis',
  tempo_tag: '@deep_work',
  tags: ['writing'],
  scheduled_for: null as string | null,
  between: null as { start: string; end: string } | null,
  or_between: [] as { start: string; end: string }[],
  duration_minutes: 90 as number | null,
  whole_days: null as number | null,
  location: null as string | null,
  reminders: null as number[] | null,
  new_title: null as string | null,
  notes: null as string | null,
  rrule: null as string | null,
  exdates: [] as string[],
  target_event_uid: null as string | null,
  target_recurrence_id: null as string | null,
  from_now_on: false,
  target_plan_uid: null as string | null,
  cancel: false,
  settings: null as object | null,
};

const { or_between: _windows, ...said } = ACTION;
/** The action as it is read. */
export const READ = { ...said, avoid: [] };

export const good = (...changes: Partial<Record<keyof typeof ACTION, unknown>>[]): unknown => ({
  reply: 'I propose deep work.',
  actions: changes.map((change) => ({ ...ACTION, ...change })),
});
export const GOOD = answers(good({}));
