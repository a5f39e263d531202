/** What an approval would answer is on the card before it is made, and follows the calendar; a taken time has others beside it. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestUser } from '../support/app.ts';
import { aConsole, openAt, type VisitedConsole } from '../support/console-visit.ts';
import { weekAhead } from '../support/today.ts';

let service: VisitedConsole;
beforeAll(async () => {
  service = await aConsole();
});
afterAll(() => service.close());

const day = weekAhead(0);

const propose = async (user: TestUser, more: object = {}): Promise<void> =>
  void (await user.agent
    .post('/agent/plan', {
      actions: [
        { action_type: 'schedule', title: 'Focus', scheduled_for: `${day}T12:00`, duration_minutes: 60, ...more },
      ],
    })
    .expect(200));
const book = async (user: TestUser, time: string, date = day): Promise<string> =>
  (
    await user
      .post('/calendar/create', { title: 'Lunch', scheduled_for: `${date}T${time}`, duration_minutes: 60 })
      .expect(201)
  ).body.uid;
const startsOf = async (user: TestUser, title: string): Promise<string[]> => {
  const { body } = await user.get(`/calendar/events?start=${day}&end=${weekAhead(21)}`).expect(200);
  return body
    .filter((event: Record<string, string>) => event['title'] === title)
    .map(({ local_start }: Record<string, string>) => local_start);
};

/** Presses the first of the free times at the moment at which it becomes another one. */
const PRESS_ON_CHANGE = `new Promise((done) => {
  const first = () => document.querySelector('[data-free="1"]');
  const before = first().textContent;
  new MutationObserver((_, observer) => {
    if (!first() || first().textContent === before) return;
    observer.disconnect();
    first().click();
    done();
  }).observe(document.body, { subtree: true, childList: true, characterData: true });
})`;

test.each(['queue', 'calendar'] as const)('an event that is made later is on the card of the %s', async (screen) => {
  const { user, page, faults } = await service.visit();
  await propose(user);
  if (screen === 'queue') await openAt(page, service.app, 'queue');
  else {
    await openAt(page, service.app, `?view=day&date=${day}`);
    await page.getByRole('button', { name: /Focus/ }).first().click();
  }
  const card = page.getByRole('article', { name: 'Proposal: Focus' });
  await card.getByRole('button', { name: 'Approve', exact: true }).waitFor();
  expect(await card.getByText(/Overlaps/).count()).toBe(0);
  const uid = await book(user, '12:30');
  await card.getByText(/^Overlaps Lunch .*12:30 to 13:30$/).waitFor();
  await user.delete(`/calendar/remove?uid=${uid}`).expect(200);
  await card.getByText(/Overlaps/).waitFor({ state: 'detached' });
  expect(faults.filter((fault) => !/409/.test(fault))).toEqual([]);
});

test('a free time beside a taken one is approved by its key, and a refusal names no instant', async () => {
  const { user, page } = await service.visit();
  await propose(user);
  await openAt(page, service.app, 'queue');
  await book(user, '12:30');
  const card = page.getByRole('article', { name: 'Proposal: Focus' });
  const free = card.getByRole('group', { name: 'Approve at a free time' });
  await free.getByRole('button', { disabled: false }).nth(2).waitFor();
  expect(await free.getByRole('button').count()).toBe(3);
  await card.getByRole('button', { name: 'Approve', exact: true }).click();
  const refusal = page.getByText(/taken by “Lunch”/);
  await refusal.waitFor();
  expect(await refusal.textContent()).not.toMatch(/\d{4}-\d\d-\d\dT/);
  expect(await startsOf(user, 'Focus')).toEqual([]);
  const chosen = ((await free.getByRole('button').first().textContent()) ?? '').replace(/^1 /, '');
  await page.keyboard.press('1');
  await page.getByText(`Approved: Focus, ${chosen}`, { exact: true }).waitFor();
  const [start] = await startsOf(user, 'Focus');
  expect(start).not.toBe(`${day}T12:00`);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Taken back: Focus waits for you again.').waitFor();
});

test('a free time that has only just appeared is not approved by the key for the one before', async () => {
  const { user, page } = await service.visit();
  await propose(user);
  await book(user, '12:30');
  await openAt(page, service.app, 'queue');
  const free = page.getByRole('group', { name: 'Approve at a free time' });
  await free.getByRole('button', { disabled: false }).first().waitFor();
  const [start] = (await user.get(`/calendar/slots?start=${day}T12:00&duration_minutes=60&limit=1`).expect(200)).body
    .slots;
  // The person presses as the list changes.
  const pressed = page.evaluate(PRESS_ON_CHANGE);
  await user.post('/calendar/create', { title: 'Call', scheduled_for: start.start, duration_minutes: 60 }).expect(201);
  await pressed;
  await page.getByText('These times have only just appeared. Read them, then choose.').waitFor();
  expect(await startsOf(user, 'Focus')).toEqual([]);
});

test('a series says which of its times an approval leaves out', async () => {
  const { user, page } = await service.visit();
  await propose(user, { rrule: 'FREQ=WEEKLY;COUNT=3' });
  await openAt(page, service.app, 'queue');
  await book(user, '12:30', weekAhead(7));
  const card = page.getByRole('article', { name: 'Proposal: Focus' });
  await card.getByText(/An approval leaves out what is taken: .*12:00\.$/).waitFor();
  expect(await card.getByRole('group', { name: 'Approve at a free time' }).count()).toBe(0);
});
