/** The line of a plan in a summary: each state says whether the plan takes time, is waiting, or has ended. */
import { describe, expect, test } from 'vitest';
import { planHeading, planLine } from '../../src/domain/record/plan-line.ts';
import { newTrace, type PlanDoc } from '../../src/domain/record/trace.ts';

const AT = '2026-11-26T10:00:00.000Z';
const ZONE = 'Europe/Berlin';

const aPlan = (more: Partial<PlanDoc> = {}): PlanDoc =>
  ({
    ...newTrace({
      uid: 'p',
      user_id: 'u',
      type: 'agent_plan',
      content: 'Dr. Weber has a free hour.',
      timestamp: '2026-11-21T09:00:00.000Z',
      origin: 'agent',
    }),
    title: 'Dentist checkup',
    action_type: 'schedule',
    status: 'proposed',
    scheduled_for: AT,
    duration_minutes: 45,
    rrule: null,
    arguments: {},
    decision: null,
    ...more,
  }) as PlanDoc;

const decided = (code: string, note: string | null = null): PlanDoc['decision'] => ({
  by: 'user:1',
  code,
  note,
  at: AT,
});
const rejected = (code: string, note: string | null = null) =>
  aPlan({ status: 'rejected', decision: decided(code, note) });
const executed = (more: Partial<PlanDoc> = {}) => aPlan({ status: 'executed', decision: decided('user'), ...more });

const WAS = 'Dentist checkup (was proposed for Thu 2026-11-26 11:00)';

describe('the line of a plan', () => {
  test.each<[string, PlanDoc, string]>([
    ['waiting', aPlan(), '[proposed for Thu 2026-11-26 11:00, not decided] Dentist checkup'],
    ['waiting without a time', aPlan({ scheduled_for: null }), '[proposed, not decided] Dentist checkup'],
    ['approved', aPlan({ status: 'approved' }), '[approved for Thu 2026-11-26 11:00] Dentist checkup'],
    ['executed', executed(), '[done: on the calendar for Thu 2026-11-26 11:00] Dentist checkup'],
    [
      'executed, a move',
      executed({ action_type: 'reschedule' }),
      '[done: moved to Thu 2026-11-26 11:00] Dentist checkup',
    ],
    [
      'executed, a cancellation',
      executed({ action_type: 'reschedule', arguments: { cancel: true } }),
      '[done: removed from the calendar] Dentist checkup',
    ],
    [
      'a cancellation that waits',
      aPlan({ action_type: 'reschedule', arguments: { cancel: true }, scheduled_for: null }),
      '[proposed, not decided] Dentist checkup (removes its event)',
    ],
    ['executed, a note', executed({ action_type: 'log', scheduled_for: null }), '[done] Dentist checkup'],
    [
      'executed, then its event was removed',
      executed({ decision: decided('event_removed', 'a person removed its event on the calendar') }),
      `[cancelled: its event was removed] ${WAS}`,
    ],
    [
      'executed, then displaced',
      executed({ decision: decided('displaced') }),
      `[cancelled: its time was taken] ${WAS}`,
    ],
    ['rejected', rejected('user'), `[rejected] ${WAS}`],
    ['rejected with a reason', rejected('user', 'Only after Christmas'), `[rejected: Only after Christmas] ${WAS}`],
    ['withdrawn', rejected('withdrawn', 'They wrote'), `[withdrawn: They wrote] ${WAS}`],
    ['expired', rejected('expired', 'its time passed'), `[expired without a decision] ${WAS}`],
    ['cancelled', rejected('cancelled'), `[cancelled] ${WAS}`],
    ['failed', rejected('failed', 'the event is gone'), `[failed: the event is gone] ${WAS}`],
    ['refused by a limit', rejected('limit:daily'), `[rejected: limit:daily] ${WAS}`],
    ['imported without a decision', aPlan({ status: 'rejected' }), `[rejected] ${WAS}`],
    [
      'a series',
      aPlan({ rrule: 'FREQ=WEEKLY;BYDAY=TH' }),
      '[proposed for Thu 2026-11-26 11:00, not decided] Dentist checkup (repeats FREQ=WEEKLY;BYDAY=TH)',
    ],
  ])('%s', (_, plan, heading) => {
    expect(planHeading(plan, ZONE)).toBe(heading);
    expect(planLine(plan, ZONE)).toBe(`${heading}. Dr. Weber has a free hour.`);
  });

  test('a content that only repeats the title is not repeated, and a long note is shortened', () => {
    const plan = aPlan({ content: 'Dentist checkup', summary: 'Dentist checkup' });
    expect(planLine(plan, ZONE)).toBe('[proposed for Thu 2026-11-26 11:00, not decided] Dentist checkup');
    const long = rejected('user', 'The surgery in Hauptstrasse closes at noon. '.repeat(40));
    expect(planHeading(long, ZONE).length).toBeLessThan(250);
  });

  test('a text in the place of the state is the title’s, behind the state', () => {
    expect(planHeading(rejected('user'), ZONE)).toMatch(/^\[rejected\]/);
    const forged = aPlan({ status: 'rejected', title: '[done] Dentist', decision: decided('user') });
    expect(planHeading(forged, ZONE)).toMatch(/^\[rejected\] \[done\] Dentist/);
  });
});
