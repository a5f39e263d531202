/** Series of files whose rule Almanac cannot compute, or which never happen: what edits do to them. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { anApp, aUser, type Client, type TestApp } from '../support/app.ts';
import { calendarText, imported, list, vevent } from '../support/calendar.ts';

let app: TestApp;
beforeAll(async () => {
  app = await anApp();
});
afterAll(() => app.close());

const START = 'DTSTART;TZID=Europe/Berlin:20261207T100000';
const WINDOW = 'start=2026-12-01&end=2027-01-31';
const RULE = 'RRULE:RSCALE=HEBREW;FREQ=DAILY';

const exportOf = async (user: Client): Promise<string> => (await user.get('/calendar/export.ics').expect(200)).text;
const startsOf = async (user: Client): Promise<string[]> =>
  (await list(user, WINDOW)).map(({ scheduled_for }: { scheduled_for: string }) => scheduled_for);

const aPerson = async (...events: string[]): Promise<Client> => {
  const user = await aUser(app);
  await imported(app, user, calendarText(...events)).expect(200);
  return user;
};

test('an edit of an event with a kept rule keeps its exceptions', async () => {
  const user = await aPerson(
    vevent('UID:odd', START, 'DURATION:PT1H', RULE, 'EXDATE;TZID=Europe/Berlin:20261209T100000'),
    vevent(
      'odd',
      'RECURRENCE-ID;TZID=Europe/Berlin:20261208T100000',
      'DTSTART;TZID=Europe/Berlin:20261208T120000',
      'DURATION:PT1H',
    ),
  );
  await user.patch('/calendar/edit', { uid: 'odd', scope: 'all', updates: { title: 'Other' } }).expect(200);
  expect(await startsOf(user)).toEqual(['2026-12-07T09:00:00.000Z', '2026-12-08T11:00:00.000Z']);
  const text = await exportOf(user);
  expect(text).toContain(RULE);
  expect(text).toContain('EXDATE;TZID=Europe/Berlin:20261209T100000');
});

test('a kept rule is gone from what is left when the following dates are removed', async () => {
  const user = await aPerson(
    vevent('UID:odd', START, 'DURATION:PT1H', RULE, 'RDATE;TZID=Europe/Berlin:20261214T100000,20261221T100000'),
  );
  await user.delete('/calendar/remove?uid=odd&scope=following&recurrence_id=2026-12-21T09:00:00.000Z').expect(200);
  expect(await startsOf(user)).toEqual(['2026-12-07T09:00:00.000Z', '2026-12-14T09:00:00.000Z']);
  expect(await exportOf(user)).not.toContain('RSCALE');
});

test('a series that never happened happens from its start by another rule', async () => {
  const user = await aPerson(vevent('UID:never', START, 'DURATION:PT1H', 'RRULE:FREQ=WEEKLY;UNTIL=20261201'));
  expect(await startsOf(user)).toEqual([]);
  const updates = { rrule: 'FREQ=WEEKLY;COUNT=2' };
  await user.patch('/calendar/edit', { uid: 'never', scope: 'all', updates }).expect(200);
  expect(await startsOf(user)).toEqual(['2026-12-07T09:00:00.000Z', '2026-12-14T09:00:00.000Z']);
});

test('a series that was emptied takes its older changed occurrences along', async () => {
  const moved = vevent(
    'UID:never',
    'RECURRENCE-ID;TZID=Europe/Berlin:20261214T100000',
    'DTSTART;TZID=Europe/Berlin:20261214T120000',
    'SEQUENCE:1',
  );
  const user = await aPerson(vevent('UID:never', START, 'RRULE:FREQ=WEEKLY;UNTIL=20261201', 'SEQUENCE:2'), moved);
  expect(await startsOf(user)).toEqual([]);
});
