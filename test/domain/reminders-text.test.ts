/** Reminders in words. */
import { expect, test } from 'vitest';
import { saidReminders, withReminders } from '../../src/domain/plan/reminders-said.ts';

test.each<[number[], string, string]>([
  [[], 'none', 'without reminders'],
  [[0], 'at the start', 'with a reminder at the start'],
  [[1], '1 minute before', 'with a reminder 1 minute before'],
  [[30], '30 minutes before', 'with a reminder 30 minutes before'],
  [[1440, 60], '1 day before and 1 hour before', 'with reminders 1 day before and 1 hour before'],
  [
    [10_080, 1500, 90],
    '7 days before, 25 hours before and 90 minutes before',
    'with reminders 7 days before, 25 hours before and 90 minutes before',
  ],
])('%j', (reminders, text, clause) => {
  expect(saidReminders(reminders)).toBe(text);
  expect(withReminders(reminders)).toBe(clause);
});

test('where nothing is said of reminders, nothing is', () => {
  expect(withReminders(undefined)).toBe('');
});
