/** Keys in the queue: each decides on what the person sees and has read, or says why it does nothing. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { TestUser } from '../support/app.ts';
import { consoleOfFile, openAt } from '../support/console-visit.ts';
import { dayAhead } from '../support/today.ts';

const service = consoleOfFile();

/** A window of 1360×850 at 200 %. */
const ZOOMED = { width: 680, height: 425 };

const proposeEach = async ({ agent }: TestUser, ...titles: string[]): Promise<string[]> => {
  const uids: string[] = [];
  for (const [n, title] of titles.entries()) {
    const scheduled_for = `${dayAhead(2 + n)}T10:00`;
    const actions = [{ action_type: 'schedule', title, scheduled_for, duration_minutes: 60 }];
    const { body } = await agent.post('/agent/plan', { actions }).expect(200);
    uids.push(body[0].uid);
  }
  return uids;
};
const planOf = async (user: TestUser, uid: string) => (await user.get(`/agent/plan?uid=${uid}`).expect(200)).body;
const statuses = (user: TestUser, uids: string[]): Promise<string[]> =>
  Promise.all(uids.map(async (uid) => (await planOf(user, uid)).status));

const card = (page: Page, title: string) => page.getByRole('article', { name: `Proposal: ${title}` });
/** The card has been there for so long that it can be decided on. */
const isRead = (page: Page, title: string): Promise<void> =>
  card(page, title)
    .getByRole('button', { name: /^Approve/, disabled: false })
    .first()
    .waitFor();
const body = (page: Page, title: string) => page.locator('.queue .list .body').filter({ hasText: title });
const press = async (page: Page, ...keys: string[]): Promise<void> => {
  for (const key of keys) await page.keyboard.press(key);
};
const isTitleInView = (page: Page): Promise<boolean> =>
  page.evaluate<boolean>(`(() => {
    const title = document.querySelector('.queue .detail h2');
    const { left, top, width, height } = title.getBoundingClientRect();
    return title.contains(document.elementFromPoint(left + width / 2, top + height / 2));
  })()`);

test('Escape closes the form of a proposal and keeps what was typed, and keys are keys again', async () => {
  const { user, page, faults } = await service.visit();
  const uids = await proposeEach(user, 'Coffee', 'Tea', 'Milk');
  await openAt(page, service.app, 'queue');
  await isRead(page, 'Coffee');
  await press(page, 'e');
  await page.keyboard.type('qz');
  await press(page, 'Escape');
  await expect.poll(() => page.getByLabel('Title').count()).toBe(0);
  await card(page, 'Coffee').getByText('You typed changes before and did not send them.').waitFor();
  await press(page, 'j', 'j', 'Enter');
  await card(page, 'Milk').waitFor();
  await press(page, 'k', 'k');
  await card(page, 'Coffee').getByRole('button', { name: 'Bring them back' }).click();
  expect(await page.getByLabel('Title').inputValue()).toContain('qz');
  expect(await statuses(user, uids)).toEqual(['proposed', 'proposed', 'proposed']);
  expect(faults).toEqual([]);
});

test('the form of a proposal can only save, with a way back', async () => {
  const { user, page, faults } = await service.visit();
  const [uid] = (await proposeEach(user, 'Coffee')) as [string];
  await openAt(page, service.app, 'queue');
  await isRead(page, 'Coffee');
  await press(page, 'e');
  await page.getByLabel('Title').fill('Long coffee');
  await page.getByLabel('Minutes').fill('90');
  await page.getByRole('button', { name: 'Only save' }).click();
  await page.getByText('Saved, not decided: Long coffee').waitFor();
  expect(await planOf(user, uid)).toMatchObject({ title: 'Long coffee', duration_minutes: 90, status: 'proposed' });
  await isRead(page, 'Long coffee');
  expect(await page.getByText('You typed changes before').count()).toBe(0);
  await press(page, 'z');
  await page.getByText('Taken back: the proposal Coffee is as before.').waitFor();
  expect(await planOf(user, uid)).toMatchObject({ title: 'Coffee', duration_minutes: 60, status: 'proposed' });
  // The check of a card may ask just before the new version is known.
  expect(faults.filter((fault) => !/412/.test(fault))).toEqual([]);
});

test('a draft of the next proposal does not open by itself: after a decision, Enter approves nothing and z undoes', async () => {
  const { user, page, faults } = await service.visit();
  const uids = await proposeEach(user, 'Apple', 'Berry');
  await openAt(page, service.app, 'queue');
  await body(page, 'Berry').click();
  await isRead(page, 'Berry');
  await press(page, 'e');
  await page.keyboard.type('D2 ');
  await body(page, 'Apple').click();
  await isRead(page, 'Apple');
  await press(page, 'e');
  await page.getByLabel('Title').fill('D1 Apple');
  await press(page, 'Enter');
  await page.getByText('Approved: D1 Apple').waitFor();
  await isRead(page, 'Berry');
  await press(page, 'Enter');
  await press(page, 'z');
  await page.getByText(/^Taken back: .* waits for you again/).waitFor();
  expect(await statuses(user, uids)).toEqual(['proposed', 'proposed']);
  expect(faults).toEqual([]);
});

test('at 200 % zoom a key decides on nothing whose title is out of view, and shows it first', async () => {
  const { user, page } = await service.visit('', ZOOMED);
  const uids = await proposeEach(user, 'First', 'Second', 'Third', 'Fourth');
  await openAt(page, service.app, 'queue');
  await body(page, 'First').waitFor();
  // The first key opens the card that it would decide on.
  await press(page, 'a');
  await page.getByText('This is “First”. Read it, then press the key again.').waitFor();
  await isRead(page, 'First');
  await press(page, 'j');
  await isRead(page, 'Second');
  expect(await isTitleInView(page)).toBe(true);
  await press(page, 'a');
  await page.getByText('Approved: Second').waitFor();
  await isRead(page, 'Third');
  await expect.poll(() => isTitleInView(page)).toBe(true);
  for (const key of ['a', 'r']) {
    await body(page, 'Fourth').scrollIntoViewIfNeeded();
    await page.evaluate("document.querySelector('.queue .list').scrollIntoView({ block: 'end' })");
    expect(await isTitleInView(page)).toBe(false);
    await press(page, key);
    await page.getByText('“Third” has only just come up or changed. Read it, then decide.').first().waitFor();
    await expect.poll(() => isTitleInView(page)).toBe(true);
  }
  expect(await page.getByPlaceholder('Why? (the agent can read it)').count()).toBe(0);
  expect(await statuses(user, uids)).toEqual(['proposed', 'executed', 'proposed', 'proposed']);
});

test('keys work on a tick box, and Tab makes the row that it reaches the current one', async () => {
  const { user, page, faults } = await service.visit();
  const uids = await proposeEach(user, 'First', 'Second', 'Third');
  await openAt(page, service.app, 'queue');
  await isRead(page, 'First');
  await page.getByLabel('Select First').focus();
  await press(page, 'Tab', 'Tab');
  expect(await page.locator('input:focus-visible').getAttribute('aria-label')).toBe('Select Second');
  await isRead(page, 'Second');
  await press(page, 'j');
  await isRead(page, 'Third');
  await press(page, 'Shift+Tab', 'Space');
  await page.getByRole('button', { name: 'Approve 1 selected' }).waitFor();
  await press(page, 'x');
  await page.getByLabel('Select Third', { exact: true }).and(page.locator(':not(:checked)')).waitFor();
  await isRead(page, 'Third');
  await press(page, 'a');
  await page.getByText('Approved: Third').waitFor();
  expect(await statuses(user, uids)).toEqual(['proposed', 'proposed', 'executed']);
  expect(faults).toEqual([]);
});

test('after an undo the next key is for what came back', async () => {
  const { user, page, faults } = await service.visit();
  const uids = await proposeEach(user, 'First', 'Second');
  await openAt(page, service.app, 'queue');
  await isRead(page, 'First');
  await press(page, 'a');
  await page.getByText('Approved: First').waitFor();
  await isRead(page, 'Second');
  await press(page, 'z');
  await page.getByText('Taken back: First waits for you again.').waitFor();
  await isRead(page, 'First');
  await press(page, 'r');
  await page.getByPlaceholder('Why? (the agent can read it)').fill('no');
  await press(page, 'Enter');
  await page.getByText('Rejected: First').waitFor();
  expect(await statuses(user, uids)).toEqual(['rejected', 'proposed']);
  expect(faults).toEqual([]);
});

test('a key that comes before the answer to the last one says why it does nothing', async () => {
  const { user, page, faults } = await service.visit();
  const uids = await proposeEach(user, 'First', 'Second');
  await openAt(page, service.app, 'queue');
  await isRead(page, 'First');
  let answer = (): void => undefined;
  const held = new Promise<void>((resolve) => (answer = resolve));
  await page.route('**/agent/approve', async (route) => {
    if (!route.request().postDataJSON().simulate) await held;
    await route.continue();
  });
  await press(page, 'a', 'a', 'a');
  await page.getByText('The last decision is not answered yet. Read the next proposal, then decide.').waitFor();
  answer();
  await page.getByText('Approved: First').waitFor();
  expect(await statuses(user, uids)).toEqual(['executed', 'proposed']);
  expect(faults).toEqual([]);
});

test('while free times are looked for, the card says so', async () => {
  const { user, page } = await service.visit();
  await proposeEach(user, 'First');
  const busy = { title: 'Lunch', scheduled_for: `${dayAhead(2)}T10:30`, duration_minutes: 60 };
  await user.post('/calendar/create', busy).expect(201);
  let answer = (): void => undefined;
  const held = new Promise<void>((resolve) => (answer = resolve));
  await page.route('**/calendar/slots*', async (route) => {
    await held;
    await route.continue();
  });
  await openAt(page, service.app, 'queue');
  await card(page, 'First').getByText('Looking for free times…').waitFor();
  answer();
  await page.getByRole('group', { name: 'Approve at another time:' }).waitFor();
});

test('what ended by itself is let wait again, and what the person decided is taken back', async () => {
  const { user, page } = await service.visit();
  const [mine, gone] = (await proposeEach(user, 'Mine', 'Gone')) as [string, string];
  await user.post('/agent/reject', { uid: mine }).expect(200);
  await user.agent.post('/agent/withdraw', { uid: gone }).expect(200);
  await openAt(page, service.app, 'queue?show=decided');
  const row = (title: string) => page.getByRole('listitem').filter({ hasText: title });
  await row('Gone').getByRole('button', { name: 'Let it wait again…' }).waitFor();
  await row('Mine').getByRole('button', { name: 'Take back…' }).waitFor();
});

test('the row of a cancellation has its date, however long its title is', async () => {
  const { user, page, faults } = await service.visit();
  const title = 'A lunch with everybody who has ever worked on the calendar';
  const lunch = { title, scheduled_for: `${dayAhead(4)}T12:00`, duration_minutes: 45 };
  const { uid } = (await user.post('/calendar/create', lunch).expect(201)).body;
  const cancel = { action_type: 'reschedule', title: 'No lunch', target_event_uid: uid, arguments: { cancel: true } };
  await user.agent.post('/agent/plan', { actions: [cancel] }).expect(200);
  await openAt(page, service.app, 'queue');
  const line = body(page, 'No lunch').locator('small').last();
  await line.getByText(/12:00 · 45 min/).waitFor();
  expect(faults).toEqual([]);
});
