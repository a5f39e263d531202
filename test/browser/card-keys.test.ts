/** The card that is open on the calendar has the keys of the queue, events are removed by a key, and the focus and the days stay. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { TestUser } from '../support/app.ts';
import { aSecondLater, consoleOfFile, details, openAt } from '../support/console-visit.ts';
import { weekAhead } from '../support/today.ts';

const service = consoleOfFile();

const day = weekAhead(0);
const DAY = `?view=day&date=${day}`;
const block = (page: Page, title: string) => page.locator('.block').filter({ hasText: title }).locator('.body');
/** The text of the block that has the focus; empty where none has. */
const focusedBlock = (page: Page): Promise<string> =>
  page.evaluate('document.activeElement.matches("[data-block]") ? document.activeElement.innerText : ""');
const focused = (page: Page): Promise<string> => page.evaluate('document.activeElement.innerText');

const propose = async (user: TestUser, title: string, time: string, more: object = {}): Promise<string> =>
  (
    await user.agent
      .post('/agent/plan', {
        actions: [{ action_type: 'schedule', title, scheduled_for: `${day}T${time}`, duration_minutes: 60, ...more }],
      })
      .expect(200)
  ).body[0].uid;
const create = (user: TestUser, title: string, time: string, more: object = {}) =>
  user.post('/calendar/create', { title, scheduled_for: `${day}T${time}`, duration_minutes: 60, ...more }).expect(201);
const isReady = (page: Page): Promise<void> =>
  details(page).locator('[data-approve]:not([aria-disabled="true"])').waitFor();

/** Opens the first card, and presses the key that approves as soon as it is there: nobody has read it. */
const PRESS_AT_ONCE = `new Promise((done) => {
  new MutationObserver((_, observer) => {
    const button = document.querySelector('.card [data-approve]');
    if (!button) return;
    observer.disconnect();
    button.dispatchEvent(new KeyboardEvent('keydown', { key: 'a', bubbles: true, cancelable: true }));
    done();
  }).observe(document.body, { subtree: true, childList: true });
  document.querySelector('.block.ghost .body').click();
})`;

test('arrows lead on from a check mark, and a day above the hours does not scroll them', async () => {
  const { user, page, faults } = await service.visit();
  await propose(user, 'Walk', '09:00');
  await propose(user, 'Swim', '11:00');
  await openAt(page, service.app, `?view=week&date=${day}`);
  const mark = page.getByRole('button', { name: 'Approve Walk' });
  await mark.focus();
  await page.keyboard.press('ArrowDown');
  expect(await focused(page)).toMatch('Swim');
  await block(page, 'Walk').focus();
  await page.keyboard.press('Tab');
  await page.keyboard.press('ArrowDown');
  expect(await focused(page)).toMatch('Swim');
  const hours = page.getByRole('region', { name: 'Hours' });
  const scrolled = (): Promise<number> => hours.evaluate((one) => (one as unknown as { scrollTop: number }).scrollTop);
  await hours.focus();
  const before = await scrolled();
  expect(before).toBeGreaterThan(0);
  for (let n = 0; n < 7; n += 1) {
    await page.keyboard.press('Tab');
    expect(await scrolled()).toBe(before);
  }
  expect(faults).toEqual([]);
});

test('after a decision by a key the next proposal has the focus, and Enter takes nothing back', async () => {
  const { user, page, faults } = await service.visit();
  for (const [n, title] of ['Walk', 'Swim', 'Run', 'Read'].entries())
    await propose(user, title, `${9 + 2 * n}:00`.padStart(5, '0'));
  await openAt(page, service.app, DAY);
  const queue = async (): Promise<string[]> =>
    (await user.get('/agent/queue').expect(200)).body.map(({ title }: { title: string }) => title);
  await page.getByRole('button', { name: 'Approve Walk', disabled: false }).waitFor();
  await block(page, 'Walk').focus();
  await page.keyboard.press('Enter');
  await isReady(page);
  await page.keyboard.press('a');
  await expect.poll(() => focusedBlock(page)).toMatch('Swim');
  await page.keyboard.press('Enter');
  await isReady(page);
  await page.keyboard.press('r');
  await page.getByLabel('Reason, which the agent can read').fill('too early');
  await page.keyboard.press('Enter');
  await expect.poll(() => focusedBlock(page)).toMatch('Run');
  // Beside its card too, and behind the last one is the first that is left.
  await block(page, 'Read').focus();
  await page.getByRole('button', { name: 'Approve Read', disabled: false }).waitFor();
  await aSecondLater(page);
  await page.keyboard.press('a');
  await expect.poll(() => focusedBlock(page)).toMatch('Run');
  await expect.poll(queue).toEqual(['Run']);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect.poll(queue).toEqual(['Run']);
  expect(faults).toEqual([]);
});

test('a key whose approval is refused leaves the focus where it is, so the next press decides on no other', async () => {
  const { user, page } = await service.visit();
  await propose(user, 'Walk', '09:00');
  await propose(user, 'Swim', '11:00');
  await openAt(page, service.app, DAY);
  await create(user, 'Dentist', '09:30');
  for (const title of ['Walk', 'Swim'])
    await page.getByRole('button', { name: `Approve ${title}`, disabled: false }).waitFor();
  const refused = page.getByText(/^Not approved: “Walk”/);
  await block(page, 'Walk').focus();
  for (let n = 0; n < 2; n += 1) {
    await aSecondLater(page);
    await page.keyboard.press('a');
    await refused.waitFor();
    await expect.poll(() => focusedBlock(page)).toMatch('Walk');
    await page.getByRole('button', { name: 'Approve Walk', disabled: false }).waitFor();
  }
  const { body } = await user.get('/agent/queue').expect(200);
  expect(body.map(({ title }: { title: string }) => title)).toEqual(['Walk', 'Swim']);
});

test('a, r and e act on the card that is open, also on one that only follows the pointer', async () => {
  const { user, page, faults } = await service.visit();
  for (const [n, title] of ['Walk', 'Swim', 'Run'].entries())
    await propose(user, title, `${9 + 2 * n}:00`.padStart(5, '0'));
  await propose(user, 'Read', '16:00', { rrule: 'FREQ=DAILY;COUNT=3' });
  await openAt(page, service.app, DAY);
  await block(page, 'Walk').waitFor();
  await page.evaluate(PRESS_AT_ONCE);
  await page.getByText(/“Walk” has only just come up or changed/).waitFor();
  await isReady(page);
  await page.keyboard.press('a');
  await page.getByText('Approved: Walk').waitFor();
  await block(page, 'Swim').hover();
  await isReady(page);
  await page.keyboard.press('r');
  await page.getByLabel('Reason, which the agent can read').fill('area');
  await page.keyboard.press('Enter');
  await page.getByText('Rejected: Swim').waitFor();
  await block(page, 'Run').click();
  await page.keyboard.press('e');
  await details(page).getByLabel('Note').fill('ear');
  expect(await details(page).getByLabel('Note').inputValue()).toBe('ear');
  await details(page).getByRole('button', { name: 'Cancel' }).click();
  await block(page, 'Read').click();
  await isReady(page);
  await page.keyboard.press('a');
  await details(page)
    .getByRole('group', { name: /Approve the series/ })
    .waitFor();
  await page.keyboard.press('z');
  await details(page)
    .getByRole('button', { name: /Approve the series/ })
    .waitFor();
  const { body } = await user.get('/agent/queue').expect(200);
  expect(body.map(({ title }: { title: string }) => title).toSorted()).toEqual(['Read', 'Run']);
  expect(faults).toEqual([]);
});

test('the list of shortcuts opens while a card is open, and names its keys', async () => {
  const { user, page } = await service.visit();
  await propose(user, 'Walk', '09:00');
  await openAt(page, service.app, DAY);
  await block(page, 'Walk').click();
  await page.keyboard.press('?');
  const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await list.getByRole('heading', { name: 'The open card' }).waitFor();
  expect(await list.getByText('Reject, with a reason').count()).toBe(1);
  await page.keyboard.press('Escape');
  await list.waitFor({ state: 'detached' });
  await details(page).getByRole('article', { name: 'Proposal: Walk' }).waitFor();
});

test('letters in a card that are no keys of it do nothing, and those in its fields are text', async () => {
  const { user, page } = await service.visit();
  await create(user, 'Dentist', '15:00');
  await propose(user, 'Walk', '09:00');
  await openAt(page, service.app, DAY);
  await block(page, 'Dentist').click();
  // The card also follows the pointer, and a click gives it the focus.
  await expect.poll(() => page.evaluate<boolean>("document.activeElement.closest('.card') !== null")).toBe(true);
  await page.keyboard.type('wear');
  await details(page).getByRole('button', { name: 'Edit' }).waitFor();
  expect(new URL(page.url()).search).toBe(DAY);
  await page.keyboard.press('Escape');
  await block(page, 'Walk').click();
  await page.keyboard.press('e');
  await details(page).getByLabel('Title').fill('');
  await page.keyboard.type('Walk near a quay');
  expect(await details(page).getByLabel('Title').inputValue()).toBe('Walk near a quay');
});

test('Delete asks whether an event is removed, on its block and on its card, and one of another calendar stays', async () => {
  const { user, page, faults } = await service.visit();
  await create(user, 'Dentist', '15:00');
  await create(user, 'Choir', '18:00', { rrule: 'FREQ=DAILY;COUNT=3' });
  await openAt(page, service.app, DAY);
  await block(page, 'Dentist').focus();
  await page.keyboard.press('Delete');
  const question = (title: string) => details(page).getByRole('group', { name: `Remove ${title}?` });
  await question('Dentist').waitFor();
  expect(await focused(page)).toBe('Keep');
  await page.keyboard.press('Enter');
  await details(page).getByRole('button', { name: 'Edit' }).waitFor();
  await page.keyboard.press('Delete');
  await question('Dentist').getByRole('button', { name: 'Remove' }).click();
  await page.getByText('Removed: Dentist').waitFor();
  await expect.poll(() => focused(page)).toContain('Choir');
  await page.keyboard.press('Delete');
  await question('Choir').getByRole('button', { name: 'Remove this one' }).click();
  await page.getByText('Removed: Choir').waitFor();
  const { body } = await user.get(`/calendar/events?start=${day}&end=${weekAhead(6)}`).expect(200);
  expect(body).toHaveLength(2);
  expect(faults).toEqual([]);
});

test('the focus goes to the new event, or back to the button where it is not in view', async () => {
  const { page, faults } = await service.visit(DAY);
  const make = async (title: string, date: string): Promise<void> => {
    await page.getByRole('button', { name: 'New event' }).click();
    await details(page).getByLabel('Title').fill(title);
    await details(page).getByLabel('Start').fill(`${date}T12:00`);
    await page.keyboard.press('Enter');
    await page.getByText(`Created: ${title}`).waitFor();
  };
  await make('Swim', day);
  await expect.poll(() => focused(page)).toContain('Swim');
  // It has the focus, and its card is closed.
  expect(await details(page).count()).toBe(0);
  await make('Run', weekAhead(3));
  await expect.poll(() => focused(page)).toBe('New event');
  await page.getByRole('button', { name: 'New event' }).click();
  await page.keyboard.press('Escape');
  expect(await focused(page)).toBe('New event');
  expect(faults).toEqual([]);
});

test('the calendar shows the days, the view and the hours that were left, unless the address names others', async () => {
  const { user, page, faults } = await service.visit();
  await create(user, 'Dentist', '15:00');
  await openAt(page, service.app, DAY);
  const hours = page.getByRole('region', { name: 'Hours' });
  const top = () => hours.evaluate((element) => (element as unknown as { scrollTop: number }).scrollTop);
  const scrollTo = (to: number) =>
    hours.evaluate((element, at) => Object.assign(element as object, { scrollTop: at }), to);
  const link = (name: RegExp) => page.getByRole('link', { name });
  await block(page, 'Dentist').waitFor();
  await scrollTo(123);
  await link(/^Ledger/).click();
  await page.getByRole('heading', { name: 'Ledger' }).first().waitFor();
  await link(/^Calendar/).click();
  await block(page, 'Dentist').waitFor();
  expect(new URL(page.url()).search).toBe(DAY);
  await expect.poll(top).toBe(123);
  await page.keyboard.press('l');
  await page.getByRole('button', { name: 'List', pressed: true }).waitFor();
  await link(/^Queue/).click();
  await page.getByRole('heading', { name: 'Queue' }).waitFor();
  await page.goBack();
  await page.getByRole('button', { name: 'List', pressed: true }).waitFor();
  await page.keyboard.press('t');
  await link(/^Queue/).click();
  await page.getByRole('heading', { name: 'Queue' }).waitFor();
  await link(/^Calendar/).click();
  await page.getByRole('button', { name: 'List', pressed: true }).waitFor();
  expect(new URL(page.url()).searchParams.get('date')).toBe(null);
  expect(faults).toEqual([]);
});
