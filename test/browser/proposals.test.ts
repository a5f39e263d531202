/** What a proposal shows before it is decided on: series, swaps, plans of one request, and cancellations. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { TestUser } from '../support/app.ts';
import { consoleOfFile, looksOf, openAt } from '../support/console-visit.ts';
import { weekAhead } from '../support/today.ts';

const shown = consoleOfFile();

const day = weekAhead;
const week = `?view=week&date=${day(0)}`;

const propose = async (user: TestUser, ...actions: object[]): Promise<{ uid: string }[]> =>
  (await user.agent.post('/agent/plan', { actions }).expect(200)).body;
const book = async (user: TestUser, title: string, scheduled_for: string): Promise<{ uid: string }> =>
  (await user.post('/calendar/create', { title, scheduled_for, duration_minutes: 60 }).expect(201)).body;
const ghosts = (page: Page, title: string) =>
  page.getByRole('button', { name: new RegExp(`^Proposal of agent: ${title}`) });

test('a series shows its rule, what it leaves out, and every occurrence in view; what is approved is what was shown', async () => {
  const { user, page, faults } = await shown.visit();
  await book(user, 'Board meeting', `${day(2)}T09:00`);
  const rrule = 'FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR;COUNT=10';
  const series = {
    action_type: 'schedule',
    title: 'Read',
    scheduled_for: `${day(0)}T09:00`,
    duration_minutes: 30,
    rrule,
  };
  await propose(user, series);
  // It comes after the proposal, so only an approval would notice.
  await book(user, 'Dentist', `${day(3)}T09:00`);
  await openAt(page, shown.app, week);
  await expect.poll(() => ghosts(page, 'Read').count()).toBe(4);
  // The check mark of one occurrence asks before it approves the series, and says how often it happens.
  await page.getByRole('button', { name: 'Approve the whole series Read, 9 in all: asks first' }).nth(1).click();
  const card = page.getByRole('dialog', { name: 'Details' });
  await card.getByText('every weekday, 10 times').waitFor();
  await card.getByText('9 in all · 4 in the days shown').waitFor();
  await card.getByText(/^Wed,? .*9:00$/).waitFor();
  await card.getByText(/^An approval leaves out what is taken: Thu,? .*9:00\.$/).waitFor();
  expect(await looksOf(page)).toEqual([]);
  await card.getByRole('button', { name: 'Approve the series (8 of 9)' }).click();
  await expect.poll(() => page.getByRole('button', { name: /^Read/ }).count()).toBe(3);
  const { body } = await user.get(`/calendar/events?start=${day(0)}&end=${day(20)}`).expect(200);
  expect(body.filter(({ title }: { title: string }) => title === 'Read')).toHaveLength(8);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(() => page.getByRole('button', { name: /^Read/ }).count()).toBe(0);
  expect(faults).toEqual([]);
});

test('a moved series moves at every occurrence', async () => {
  const { user, page } = await shown.visit();
  const rrule = 'FREQ=DAILY;COUNT=3';
  const series = {
    action_type: 'schedule',
    title: 'Walk',
    scheduled_for: `${day(0)}T09:00`,
    duration_minutes: 30,
    rrule,
  };
  await propose(user, series);
  await openAt(page, shown.app, week);
  await ghosts(page, 'Walk').nth(2).focus();
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByText('Each time at 9:15').waitFor();
  expect(await ghosts(page, 'Walk').allInnerTexts()).toEqual(Array(3).fill(expect.stringContaining('9:15')));
  await page.getByRole('button', { name: 'Approve at 9:15 each time' }).click();
  await page.getByText('Approved: Walk').waitFor();
  const { body } = await user.get(`/calendar/events?start=${day(0)}&end=${day(6)}`).expect(200);
  expect(body.map(({ local_start }: { local_start: string }) => local_start.slice(0, 16))).toEqual(
    [0, 1, 2].map((after) => `${day(after)}T09:15`),
  );
});

test('a swap shows both events with both places, and is approved as a whole', async () => {
  const { user, page, faults } = await shown.visit();
  const call = await book(user, 'Call', `${day(0)}T10:00`);
  const lunch = await book(user, 'Lunch', `${day(1)}T12:00`);
  const move = { action_type: 'reschedule', duration_minutes: 60 };
  await propose(
    user,
    { ...move, title: 'Move the call', target_event_uid: call.uid, scheduled_for: `${day(1)}T12:00` },
    { ...move, title: 'Move the lunch', target_event_uid: lunch.uid, scheduled_for: `${day(0)}T10:00` },
  );
  await openAt(page, shown.app, 'queue');
  const card = page.getByRole('article', { name: 'Proposal: Move the lunch' });
  await card.getByText('Swap of two events').waitFor();
  await card.getByText('Its new time').waitFor();
  const facts = card.locator('dl');
  // The other event is read by itself.
  await expect
    .poll(() => facts.innerText())
    .toMatch(
      /Now\s+Lunch\s+Tue,? .* 12:00 · 1 h\s+Swaps with\s+Call\s+Mon,? .* 10:00 · 1 h\s+Its new time\s+Tue,? .* 12:00/,
    );
  await card.getByRole('button', { name: 'Approve both' }).click();
  await page.getByText('Approved: “Move the lunch” and 1 more.').waitFor();
  const { body } = await user.get(`/calendar/events?start=${day(0)}&end=${day(1)}`).expect(200);
  expect(body.map(({ title }: { title: string }) => title)).toEqual(['Lunch', 'Call']);
  expect(faults).toEqual([]);
});

test('a move of all later occurrences is said as one, marks them, and asks before it is approved', async () => {
  const { user, page, faults } = await shown.visit();
  const series = { scheduled_for: `${day(0)}T17:30`, duration_minutes: 45, rrule: 'FREQ=DAILY;COUNT=6' };
  const { uid } = (await user.post('/calendar/create', { title: 'Guitar', ...series }).expect(201)).body;
  const { body: all } = await user.get(`/calendar/events?start=${day(0)}&end=${day(6)}`).expect(200);
  const given = { scope: 'following', recurrence_id: all[1].recurrence_id };
  const move = { action_type: 'reschedule', title: 'Guitar later', target_event_uid: uid, arguments: given };
  await propose(user, { ...move, scheduled_for: `${day(1)}T18:30` });
  await openAt(page, shown.app, week);
  await expect.poll(() => page.getByRole('button', { name: /^Guitar.*a proposal would move it/ }).count()).toBe(5);
  await ghosts(page, 'Guitar later').click();
  const card = page.getByRole('dialog', { name: 'Details' });
  await card.getByText('Move of a series').waitFor();
  await card.getByText(/^From Tue,? .* 18:30 · 45 min$/).waitFor();
  await card.getByText(/^Tue,? .* 17:30 · 45 min, every day, 6 times: this and all later ones$/).waitFor();
  expect(await looksOf(page)).toEqual([]);
  await page.keyboard.press('a');
  await card.getByText('This changes all later times of a series.').waitFor();
  await card.getByRole('button', { name: 'Approve this and all later ones' }).click();
  const starts = async (): Promise<string[]> => {
    const { body } = await user.get(`/calendar/events?start=${day(0)}&end=${day(3)}`).expect(200);
    return body.map(({ local_start }: { local_start: string }) => local_start.slice(11, 16));
  };
  await expect.poll(starts).toEqual(['17:30', '18:30', '18:30', '18:30']);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(starts).toEqual(['17:30', '17:30', '17:30', '17:30']);
  expect(faults).toEqual([]);
});

test('a cancellation names the event, and plans of one request are decided together', async () => {
  const { user, page, faults } = await shown.visit();
  const { uid } = await book(user, 'Old habit', `${day(0)}T10:00`);
  const cancel = { action_type: 'reschedule', title: 'Make room', target_event_uid: uid, arguments: { cancel: true } };
  const gym = { action_type: 'schedule', title: 'Gym', scheduled_for: `${day(2)}T18:00`, duration_minutes: 60 };
  await propose(user, cancel, { ...gym, arguments: { location: 'Hall 2', reminders: [30] } });
  await openAt(page, shown.app, 'queue');
  const first = page.getByRole('article', { name: /^Proposal: / });
  await page.getByRole('button', { name: /^Make room/ }).click();
  await first.getByText('Removes').waitFor();
  await first.getByText('Old habit').waitFor();
  await page.getByRole('button', { name: /^Gym/ }).click();
  await first.getByText('Hall 2').waitFor();
  await first.getByText('30 min before').waitFor();
  await first.getByRole('button', { name: 'Approve all 2' }).click();
  await first.getByRole('button', { name: 'Approve 2, with 1 cancellation' }).click();
  await page.getByText('Approved: “Gym” and 1 more.').waitFor();
  const { body } = await user.get(`/calendar/events?start=${day(0)}&end=${day(6)}`).expect(200);
  expect(body).toMatchObject([{ title: 'Gym', location: 'Hall 2', reminders: [30] }]);
  expect(faults).toEqual([]);
});

test('short and whole-day proposals can be hit and decided on; where a column is too narrow, their card decides', async () => {
  const { user, page, faults } = await shown.visit();
  const quarter = (title: string, time: string) => ({
    ...{ action_type: 'schedule', title, scheduled_for: `${day(0)}T${time}`, duration_minutes: 15 },
  });
  const holiday = { action_type: 'schedule', title: 'Holiday', scheduled_for: day(1), arguments: { all_day: true } };
  await propose(user, quarter('Water', '09:00'), quarter('Feed the cat', '09:15'), quarter('Late', '23:50'), {
    ...holiday,
    duration_minutes: 1440,
  });
  await openAt(page, shown.app, `?view=day&date=${day(0)}`);
  const boxes = await Promise.all(
    ['Water', 'Feed the cat', 'Late'].map(async (title) => ghosts(page, title).boundingBox()),
  );
  for (const box of boxes) expect(box?.height).toBeGreaterThanOrEqual(24);
  const [first, second] = boxes;
  expect(second?.x).toBeGreaterThanOrEqual((first?.x ?? 0) + (first?.width ?? 0));
  expect(await looksOf(page)).toEqual([]);
  await openAt(page, shown.app, week);
  await page.setViewportSize({ width: 360, height: 740 });
  await page.getByRole('heading', { name: /^Mon.* – Wed/ }).waitFor();
  await page.getByRole('button', { name: 'Approve Holiday' }).waitFor();
  await ghosts(page, 'Feed the cat').waitFor();
  expect(await page.getByRole('button', { name: 'Approve Feed the cat' }).count()).toBe(0);
  expect(await looksOf(page)).toEqual([]);
  await ghosts(page, 'Feed the cat').click();
  await page
    .getByRole('dialog', { name: 'Details' })
    .getByRole('button', { name: 'Approve', exact: true, disabled: false })
    .click();
  await page.getByText('Approved: Feed the cat').waitFor();
  await page.setViewportSize({ width: 1400, height: 900 });
  await page.getByRole('button', { name: 'Approve Holiday', disabled: false }).click();
  await page.getByText('Approved: Holiday').waitFor();
  expect(faults).toEqual([]);
});
