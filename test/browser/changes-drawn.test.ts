/** The calendar draws what proposals would change, and its blocks are reached and moved by keys. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestUser } from '../support/app.ts';
import { aCalendarServer, calendarOf, vevent, type CalendarServer } from '../support/calendar-server.ts';
import { aConsole, details, looksOf, openAt, type VisitedConsole } from '../support/console-visit.ts';
import { weekAhead as day } from '../support/today.ts';

let shown: VisitedConsole;
let elsewhere: CalendarServer;
beforeAll(async () => {
  [shown, elsewhere] = await Promise.all([aConsole(), aCalendarServer()]);
});
afterAll(async () => {
  elsewhere.close();
  await shown.close();
});

const week = `?view=week&date=${day(0)}`;

const propose = async (user: TestUser, ...actions: object[]): Promise<{ uid: string }[]> =>
  (await user.agent.post('/agent/plan', { actions }).expect(200)).body;
const book = async (user: TestUser, title: string, scheduled_for: string, more: object = {}) =>
  (await user.post('/calendar/create', { title, scheduled_for, duration_minutes: 60, ...more }).expect(201)).body;
const titlesOf = async (user: TestUser): Promise<string[]> =>
  (await user.get(`/calendar/events?start=${day(0)}&end=${day(6)}`).expect(200)).body.map(
    ({ title, local_start }: { title: string; local_start: string }) => `${title} ${local_start.slice(0, 16)}`,
  );
const block = (page: Page, title: string) => page.locator('.block.event').filter({ hasText: title });
const ghost = (page: Page, title: string) => page.locator('.block.ghost').filter({ hasText: title });
const focused = (page: Page): Promise<string> => page.evaluate<string>("document.activeElement?.innerText ?? ''");

test('a cancellation strikes its occurrence, on its day, and its card leads to the proposal', async () => {
  const { user, page, faults } = await shown.visit();
  const { uid } = await book(user, 'Yoga', `${day(0)}T08:00`, { rrule: 'FREQ=DAILY;COUNT=3' });
  const { body } = await user.get(`/calendar/events?start=${day(1)}&end=${day(1)}`).expect(200);
  const [{ recurrence_id }] = body;
  await propose(user, {
    action_type: 'reschedule',
    title: 'Make room',
    target_event_uid: uid,
    arguments: { cancel: true, recurrence_id },
  });
  await openAt(page, shown.app, week);
  await ghost(page, 'Make room').waitFor();
  const fates = await block(page, 'Yoga').evaluateAll((all) => all.map((one) => one.getAttribute('data-fate')));
  expect(fates).toEqual([null, 'cancelled', null]);
  await page.getByRole('button', { name: /^Yoga.*a proposal would cancel it/ }).click();
  await details(page).getByRole('link', { name: 'Cancel it' }).click();
  await page.getByRole('article', { name: 'Proposal: Make room' }).waitFor();
  expect(page.url()).not.toContain('plan=');
  await openAt(page, shown.app, week);
  // Its check mark opens the card, which says what goes.
  await page.getByRole('button', { name: 'Approve the cancellation Make room', disabled: false }).click();
  await details(page).getByText('Removes').waitFor();
  await details(page).getByRole('button', { name: 'Approve the cancellation', disabled: false }).click();
  await expect.poll(() => block(page, 'Yoga').count()).toBe(2);
  expect(await titlesOf(user)).toEqual([`Yoga ${day(0)}T08:00`, `Yoga ${day(2)}T08:00`]);
  expect(faults).toEqual([]);
});

test('a move is drawn from where to where, a swap both ways, and neither half is a conflict of the other', async () => {
  const { user, page, faults } = await shown.visit();
  const call = await book(user, 'Call', `${day(0)}T10:00`);
  const lunch = await book(user, 'Lunch', `${day(1)}T12:00`);
  const dentist = await book(user, 'Dentist', `${day(3)}T09:00`);
  const move = { action_type: 'reschedule', duration_minutes: 60 };
  await propose(
    user,
    { ...move, title: 'Later', target_event_uid: dentist.uid, scheduled_for: `${day(4)}T15:00` },
    { ...move, title: 'Call at noon', target_event_uid: call.uid, scheduled_for: `${day(1)}T12:00` },
    { ...move, title: 'Lunch at ten', target_event_uid: lunch.uid, scheduled_for: `${day(0)}T10:00` },
  );
  await openAt(page, shown.app, week);
  const arrows = page.locator('.arrows > path');
  await expect.poll(() => arrows.count()).toBe(3);
  expect(await page.locator('.arrows > path[data-swap]').count()).toBe(2);
  await page.getByRole('button', { name: /^Dentist.*a proposal would move it/ }).waitFor();
  // The arrow begins at the event and ends at the proposal.
  const places = await page.evaluate<
    [number, number][]
  >(`[...document.querySelectorAll('.arrows > path:not([data-swap])')]
    .flatMap((path) => [0, path.getTotalLength()].map((at) => path.getPointAtLength(at).matrixTransform(path.getScreenCTM())))
    .map(({ x, y }) => [x, y])`);
  const boxes = [await block(page, 'Dentist').boundingBox(), await ghost(page, 'Later').boundingBox()];
  for (const [n, [x, y]] of places.entries()) {
    const box = boxes[n] as { x: number; y: number; width: number; height: number };
    expect(x).toBeGreaterThanOrEqual(box.x - 2);
    expect(x).toBeLessThanOrEqual(box.x + box.width + 2);
    expect(y).toBeGreaterThanOrEqual(box.y);
    expect(y).toBeLessThanOrEqual(box.y + box.height);
  }
  expect(await looksOf(page)).toEqual([]);
  const queue: { title: string; conflicts_count: number }[] = (await user.get('/agent/queue').expect(200)).body;
  expect(queue.map(({ conflicts_count }) => conflicts_count)).toEqual([0, 0, 0]);
  await page.getByRole('button', { name: 'Approve Later', disabled: false }).click();
  await expect.poll(() => arrows.count()).toBe(2);
  expect(faults).toEqual([]);
});

test('a reflection with a time, a new title and a whole day are drawn', async () => {
  const { user, page, faults } = await shown.visit();
  const { uid } = await book(user, 'Standup', `${day(2)}T09:00`, { reminders: [10] });
  const changed = { title: 'Daily', reminders: [1440, 5] };
  await propose(
    user,
    { action_type: 'reflect', title: 'Look back', scheduled_for: `${day(4)}T17:00` },
    { action_type: 'reschedule', title: 'Name it', target_event_uid: uid, arguments: changed },
    { action_type: 'schedule', title: 'Fair', scheduled_for: day(3), arguments: { all_day: true } },
  );
  await openAt(page, shown.app, week);
  await ghost(page, 'Look back').getByText('17:00').waitFor();
  await ghost(page, 'Name it').getByText('9:00').waitFor();
  await page.getByRole('button', { name: /^Standup.*a proposal would change it/ }).waitFor();
  const whole = page.locator('.whole-day').filter({ hasText: 'Fair' });
  expect(await whole.getAttribute('data-hue')).toBe(await ghost(page, 'Look back').getAttribute('data-hue'));
  await whole.getByRole('button', { name: 'Approve Fair' }).waitFor();
  await page.getByRole('button', { name: 'Approve Look back', disabled: false }).click();
  await page.getByText('Approved: Look back').waitFor();
  await page.getByRole('button', { name: 'Approve Name it', disabled: false }).click();
  await details(page).getByText('New title').waitFor();
  await details(page).getByText('Reminders: 10 min before').waitFor();
  await details(page).getByText('New reminders').waitFor();
  await details(page).getByText('1 d before and 5 min before').waitFor();
  await details(page).getByRole('button', { name: 'Approve', exact: true, disabled: false }).click();
  await page.getByRole('button', { name: /^Daily/ }).waitFor();
  expect(faults).toEqual([]);
});

test('a block moves by any number of keys, and is saved once', async () => {
  const { user, page, faults } = await shown.visit(week);
  const { uid } = await book(user, 'Lunch', `${day(1)}T12:00`);
  const lunch = page.getByRole('button', { name: /^Lunch/ });
  await lunch.focus();
  for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight', 'Alt+ArrowDown'])
    await page.keyboard.press(`Shift+${key}`);
  await page.getByText(/^Wed,? .* 12:30 – 13:45\./).waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => page.locator('.preview').count()).toBe(0);
  expect(await titlesOf(user)).toEqual([`Lunch ${day(1)}T12:00`]);
  for (const key of ['ArrowUp', 'ArrowUp', 'ArrowUp', 'ArrowRight']) await page.keyboard.press(`Shift+${key}`);
  await page.keyboard.press('Enter');
  await expect.poll(() => titlesOf(user)).toEqual([`Lunch ${day(2)}T11:15`]);
  expect((await user.get(`/calendar/event?uid=${uid}`).expect(200)).body.version).toBe(2);
  // Who leaves the block gives the move up.
  await page.getByRole('button', { name: /^Lunch.*11:15/ }).focus();
  await page.keyboard.press('Shift+ArrowDown');
  await page.locator('.preview').waitFor();
  await page.keyboard.press('Tab');
  await expect.poll(() => page.locator('.preview').count()).toBe(0);
  expect(await titlesOf(user)).toEqual([`Lunch ${day(2)}T11:15`]);
  expect(faults).toEqual([]);
});

test('Tab goes from proposal to proposal, and arrow keys reach every block', async () => {
  const { user, page } = await shown.visit();
  for (let hour = 8; hour < 14; hour += 1)
    await book(user, `Meeting ${hour}`, `${day(0)}T${String(hour).padStart(2, '0')}:00`);
  const read = { action_type: 'schedule', title: 'Read', scheduled_for: `${day(0)}T15:00`, duration_minutes: 60 };
  await propose(
    user,
    { ...read, rrule: 'FREQ=DAILY;COUNT=5' },
    { ...read, title: 'Write', scheduled_for: `${day(4)}T17:00` },
  );
  await openAt(page, shown.app, week);
  await ghost(page, 'Write').waitFor();
  await page.keyboard.press('p');
  expect(await focused(page)).toContain('Read');
  let steps = 0;
  while (!(await focused(page)).includes('Write') && steps < 20) {
    await page.keyboard.press('Tab');
    steps += 1;
  }
  expect(steps).toBeLessThanOrEqual(5);
  await page.keyboard.press('ArrowLeft');
  expect(await focused(page)).toContain('Read');
  for (let n = 0; n < 3; n += 1) await page.keyboard.press('ArrowLeft');
  const reached: string[] = [];
  for (let n = 0; n < 6; n += 1) {
    await page.keyboard.press('ArrowUp');
    reached.push(/Meeting \d+/.exec(await focused(page))?.[0] ?? '');
  }
  expect(reached).toEqual([13, 12, 11, 10, 9, 8].map((hour) => `Meeting ${hour}`));
});

test('an event of a calendar elsewhere has its name and colour, and is not changed here', async () => {
  const { user, page, faults } = await shown.visit();
  const start = `${day(2).replaceAll('-', '')}T100000Z`;
  elsewhere.play('/team.ics', calendarOf(vevent('review', { DTSTART: start, DURATION: 'PT1H', SUMMARY: 'Review' })));
  await user
    .post('/calendar/sources', { url: elsewhere.at('/team.ics'), name: 'Team calendar', color: '#b3261e' })
    .expect(201);
  await shown.app.services.calendar.sourceRefresh.settle();
  await openAt(page, shown.app, week);
  const review = block(page, 'Review');
  await expect.poll(() => review.evaluate((one) => one.getAttribute('style'))).toContain('#b3261e');
  await review.getByRole('button').focus();
  await page.keyboard.press('Shift+ArrowDown');
  expect(await page.locator('.preview').count()).toBe(0);
  await page.keyboard.press('Enter');
  await details(page).getByText('Team calendar').waitFor();
  expect(await details(page).getByRole('button').allInnerTexts()).toEqual(['×']);
  expect(await looksOf(page)).toEqual([]);
  expect(faults).toEqual([]);
});
