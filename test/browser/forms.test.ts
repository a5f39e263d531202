/** The end of an event beside its length. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aUser } from '../support/app.ts';
import { aConsole, openAt, type VisitedConsole } from '../support/console-visit.ts';
import { dayAhead } from '../support/today.ts';

let shown: VisitedConsole;
beforeAll(async () => {
  shown = await aConsole();
});
afterAll(() => shown.close());

test('an event has an end, which follows its start and length, also over a clock change, and gives its length', async () => {
  const { user, page, faults } = await shown.visit('', {}, await aUser(shown.app, { timezone: 'Europe/Berlin' }));
  await page.getByRole('button', { name: 'New event' }).click();
  const details = page.getByRole('dialog', { name: 'Details' });
  await details.getByLabel('Title').fill('Night shift');
  await details.getByLabel('Start').fill('2027-03-28T01:30');
  await details.getByLabel('Minutes').fill('60');
  const end = details.getByLabel('End');
  expect(await end.inputValue()).toBe('2027-03-28T03:30');
  await end.fill('2027-03-28T01:15');
  await details.getByRole('button', { name: 'Create' }).click();
  expect(await end.evaluate((field) => (field as unknown as { validationMessage: string }).validationMessage)).toBe(
    'The end must be later than the start.',
  );
  await end.fill('');
  expect(await end.evaluate((field) => (field as unknown as { validationMessage: string }).validationMessage)).toBe('');
  await details.getByLabel('Start').fill('2027-10-31T01:00');
  expect(await end.inputValue()).toBe('2027-10-31T02:00');
  await end.fill('2027-10-31T03:00');
  expect(await details.getByLabel('Minutes').inputValue()).toBe('180');
  await details.getByRole('button', { name: 'Create' }).click();
  await page.getByText('Created: Night shift').waitFor();
  const { body } = await user.get('/calendar/events?start=2027-10-30&end=2027-11-01').expect(200);
  expect(body).toEqual([expect.objectContaining({ title: 'Night shift', duration_minutes: 180 })]);
  expect(faults).toEqual([]);
});

test('a proposal is approved until another end, and a series until another time of day', async () => {
  const { user, page, faults } = await shown.visit();
  const action = { action_type: 'schedule', duration_minutes: 60 };
  const propose = (title: string, days: number, more: object = {}) =>
    user.agent
      .post('/agent/plan', { actions: [{ ...action, title, scheduled_for: `${dayAhead(days)}T23:00`, ...more }] })
      .expect(200);
  await propose('Once', 3);
  await propose('Often', 4, { rrule: 'FREQ=WEEKLY;COUNT=3' });
  await openAt(page, shown.app, 'queue');
  for (const [title, end] of [
    ['Once', `${dayAhead(4)}T00:30`],
    ['Often', '00:30'],
  ] as const) {
    const card = page.getByRole('article', { name: `Proposal: ${title}` });
    await card.getByRole('button', { name: /^Approve/, disabled: false }).waitFor();
    await card.getByRole('button', { name: 'Edit' }).click();
    await card.getByLabel('End').fill(end);
    expect(await card.getByLabel('Minutes').inputValue()).toBe('90');
    await card.getByRole('button', { name: 'Approve with changes' }).click();
    await page.getByText(`Approved: ${title}`).waitFor();
  }
  const { body } = await user.get(`/calendar/events?start=${dayAhead(3)}&end=${dayAhead(5)}`).expect(200);
  expect(body.map((event: { duration_minutes: number }) => event.duration_minutes)).toEqual([90, 90]);
  expect(faults).toEqual([]);
});
