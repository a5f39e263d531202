import { expect, test } from 'vitest';
import { ruleText } from '../../src/domain/calendar/rrule-text.ts';

test.each([
  ['FREQ=DAILY', 'every day'],
  ['FREQ=WEEKLY;BYDAY=FR', 'every week on Friday'],
  ['FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE,FR;COUNT=6', 'every 2 weeks on Monday, Wednesday and Friday, 6 times'],
  ['FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;UNTIL=20261224', 'every weekday, until 24 December 2026'],
  ['FREQ=MONTHLY;BYDAY=1TU', 'every month on the first Tuesday'],
  ['FREQ=MONTHLY;BYDAY=-1FR', 'every month on the last Friday'],
  ['FREQ=MONTHLY;BYMONTHDAY=3', 'every month on day 3'],
  ['FREQ=YEARLY;COUNT=1', 'every year, once'],
  ['FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=1', 'by the rule FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=1'],
  ['FREQ=HOURLY;INTERVAL=6', 'by the rule FREQ=HOURLY;INTERVAL=6'],
  ['FREQ=MONTHLY;BYMONTHDAY=-2', 'by the rule FREQ=MONTHLY;BYMONTHDAY=-2'],
])('%s is %s', (rule, text) => {
  expect(ruleText(rule)).toBe(text);
});
