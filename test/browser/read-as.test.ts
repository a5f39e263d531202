/** How the words of a sentence were read, in the palette and the chat, and words that are given back to the name by one press. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { aSecondLater, consoleOfFile, looksOf } from '../support/console-visit.ts';
import type { TestUser } from '../support/app.ts';
import { dayAhead } from '../support/today.ts';

const service = consoleOfFile();
const day = dayAhead(10);

const palette = (page: Page) => page.getByRole('dialog', { name: 'Go to or do' });
const option = (page: Page, name: RegExp) => palette(page).getByRole('option', { name });
const field = (page: Page) => palette(page).getByRole('combobox');
const chips = (page: Page) => page.getByRole('list', { name: 'How the words were read' }).last();
const chip = (page: Page, text: RegExp) => chips(page).getByRole('listitem').filter({ hasText: text });
const queueOf = async (user: TestUser): Promise<{ title: string }[]> =>
  (await user.get('/agent/queue').expect(200)).body as { title: string }[];
const focused = (page: Page): Promise<string> => page.evaluate<string>('document.activeElement.tagName');
const write = async (page: Page, text: string): Promise<void> => {
  await page.keyboard.press('Control+k');
  await field(page).fill(text);
};

test('the palette shows how words were read, and a press leaves them unread in the preview and in the proposal', async () => {
  const { user, page, faults } = await service.visit();
  await write(page, `Dinner and late show on ${day} at 19:00 for 2 hours`);
  await chip(page, /^Name.*“Dinner and late show”/).waitFor();
  await chip(page, /^How long.*“for 2 hours” = 2 hours/).waitFor();
  await chip(page, /^When.*19:00/).waitFor();
  expect(await looksOf(page)).toEqual([]);
  await chips(page).getByRole('button', { name: '“for 2 hours” is a part of the name' }).click();
  await chip(page, /^Part of the name.*“for 2 hours”/).waitFor();
  await option(page, /New event Dinner and late show for 2 hours/).waitFor();
  // The next Enter is for the sentence.
  await expect.poll(() => focused(page)).toBe('INPUT');
  expect(await looksOf(page)).toEqual([]);
  await palette(page).getByText('Reading…').first().waitFor({ state: 'detached' });
  await aSecondLater(page);
  await page.keyboard.press('Enter');
  await palette(page).waitFor({ state: 'detached' });
  await expect.poll(() => queueOf(user)).toMatchObject([{ title: 'Dinner and late show for 2 hours' }]);
  expect(faults).toEqual([]);
});

test('words that were left unread are read again by a press, and by another text', async () => {
  const { page } = await service.visit();
  await write(page, `Dinner on ${day} at 19:00 for 2 hours`);
  await chips(page).getByRole('button', { name: '“for 2 hours” is a part of the name' }).click();
  await option(page, /Dinner for 2 hours/).waitFor();
  await chips(page).getByRole('button', { name: 'Read it' }).click();
  await option(page, /New event Dinner · .*19:00 · 2 h/).waitFor();
  await chips(page).getByRole('button', { name: '“for 2 hours” is a part of the name' }).click();
  await option(page, /Dinner for 2 hours/).waitFor();
  await field(page).fill(`Dinner on ${day} at 19:00 for 3 hours`);
  await option(page, /New event Dinner · .*19:00 · 3 h/).waitFor();
  expect(await chips(page).getByText('Part of the name').count()).toBe(0);
});

test('the next Enter is for the sentence, whatever the pointer has crossed, also where it had no plan meanwhile', async () => {
  const { user, page, faults } = await service.visit();
  await write(page, 'Dinner tomorrow at 19:00');
  const button = chips(page).getByRole('button', { name: '“tomorrow at 19:00” is a part of the name' });
  await button.waitFor();
  await option(page, /^Chat/).hover();
  await expect.poll(() => palette(page).getByRole('option', { selected: true }).innerText()).toMatch(/^Chat/);
  await button.click();
  await palette(page).getByText('No plan is understood in this.').waitFor();
  await option(page, /^Chat/).hover();
  await chips(page).getByRole('button', { name: 'Read it' }).click();
  await option(page, /New event Dinner · .*19:00/).waitFor();
  await expect.poll(() => palette(page).getByRole('option', { selected: true }).innerText()).toMatch(/^Propose/);
  await palette(page).getByText('Reading…').first().waitFor({ state: 'detached' });
  await aSecondLater(page);
  await page.keyboard.press('Enter');
  await expect.poll(() => queueOf(user)).toMatchObject([{ title: 'Dinner' }]);
  expect(faults).toEqual([]);
});

test('a free time of what was read before is not offered while a sentence is read otherwise', async () => {
  const { user, page } = await service.visit();
  const taken = { title: 'Theatre', scheduled_for: `${day}T19:00`, duration_minutes: 60 };
  await user.post('/calendar/create', taken).expect(201);
  let held: (() => void) | undefined;
  await page.route('**/chat/plan-preview', async (route) => {
    const { literal } = route.request().postDataJSON() as { literal?: unknown };
    if (literal) await new Promise<void>((resolve) => (held = resolve));
    await route.continue();
  });
  await write(page, `Dinner on ${day} at 18:30 for 2 hours`);
  await option(page, /Propose it for/)
    .first()
    .waitFor();
  await chips(page).getByRole('button', { name: '“for 2 hours” is a part of the name' }).click();
  await option(page, /Reading…/).waitFor();
  expect(await option(page, /Propose it for/).count()).toBe(0);
  await expect.poll(() => held).toBeDefined();
  held!();
  await option(page, /Dinner for 2 hours/).waitFor();
});

test('a sentence that is written again is read as a new one', async () => {
  const { page } = await service.visit();
  await write(page, `Dinner on ${day} at 19:00 for 2 hours`);
  await chips(page).getByRole('button', { name: '“for 2 hours” is a part of the name' }).click();
  await option(page, /Dinner for 2 hours/).waitFor();
  await page.keyboard.press('Escape');
  await palette(page).waitFor({ state: 'detached' });
  await write(page, `Dinner on ${day} at 19:00 for 2 hours`);
  await option(page, /New event Dinner · .*19:00 · 2 h/).waitFor();
  expect(await chips(page).getByText('Part of the name').count()).toBe(0);
});

test('Enter proposes nothing while a sentence is read otherwise', async () => {
  const { user, page } = await service.visit();
  let held: (() => void) | undefined;
  await page.route('**/chat/plan-preview', async (route) => {
    const { literal } = route.request().postDataJSON() as { literal?: unknown };
    if (literal) await new Promise<void>((resolve) => (held = resolve));
    await route.continue();
  });
  await write(page, `Dinner on ${day} at 19:00 for 2 hours`);
  await chips(page).getByRole('button', { name: '“for 2 hours” is a part of the name' }).click();
  await option(page, /Reading…/).waitFor();
  await aSecondLater(page);
  await page.keyboard.press('Enter');
  await palette(page).getByText('Nothing was done yet.').waitFor();
  expect(await queueOf(user)).toEqual([]);
  await expect.poll(() => held).toBeDefined();
  held!();
  await option(page, /Dinner for 2 hours/).waitFor();
  await page.keyboard.press('Enter');
  await expect.poll(() => queueOf(user)).toMatchObject([{ title: 'Dinner for 2 hours' }]);
});

const say = async (page: Page, text: string): Promise<void> => {
  await page.getByLabel('Message', { exact: true }).fill(text);
  await page.keyboard.press('Enter');
};
const card = (page: Page, title: string) => page.getByRole('article', { name: `Proposal: ${title}`, exact: true });

test('in the chat a press has the sentence read again in the place of its proposal, and Undo brings that back', async () => {
  const { user, page, faults } = await service.visit('chat');
  await say(page, `Dinner on ${day} at 19:00 for 2 hours`);
  await card(page, 'Dinner').waitFor();
  await chip(page, /^How long.*“for 2 hours” = 2 hours/).waitFor();
  expect(await looksOf(page)).toEqual([]);
  await chips(page).getByRole('button', { name: '“for 2 hours” is a part of the name' }).click();
  await card(page, 'Dinner for 2 hours').waitFor();
  await chip(page, /^Part of the name.*“for 2 hours”/).waitFor();
  expect(await queueOf(user)).toMatchObject([{ title: 'Dinner for 2 hours' }]);
  // Only the last answer can be read otherwise, and the message field takes what is typed next.
  expect(await page.getByRole('button', { name: /is a part of the name$/ }).count()).toBe(1);
  expect(await focused(page)).toBe('TEXTAREA');
  expect(await looksOf(page)).toEqual([]);
  await chips(page).getByRole('button', { name: 'Read it' }).click();
  await expect.poll(() => queueOf(user)).toMatchObject([{ title: 'Dinner', duration_minutes: 120 }]);
  await page.getByText('Withdrawn: “Dinner for 2 hours”').waitFor();
  await aSecondLater(page);
  const message = page.locator('.messages p').filter({ hasText: 'Withdrawn: “Dinner for 2 hours”' });
  await message.getByRole('button', { name: 'Undo' }).click();
  await expect
    .poll(async () => (await queueOf(user)).map(({ title }) => title).toSorted())
    .toEqual(['Dinner', 'Dinner for 2 hours']);
  expect(faults).toEqual([]);
});

test('what was decided or changed meanwhile is not read otherwise', async () => {
  const { page, faults } = await service.visit('chat');
  await say(page, `Dinner on ${day} at 19:00 for 2 hours`);
  await chips(page).getByRole('button', { name: '“for 2 hours” is a part of the name' }).waitFor();
  await aSecondLater(page);
  await card(page, 'Dinner').getByRole('button', { name: 'Approve', exact: true }).click();
  await page.getByText('This proposal no longer waits.').waitFor();
  await chip(page, /^How long/).waitFor();
  expect(await page.getByRole('button', { name: /is a part of the name$/ }).count()).toBe(0);
  expect(faults).toEqual([]);
});

test('where the words leave no time, the question keeps what was left unread', async () => {
  const { user, page, faults } = await service.visit('chat');
  await say(page, 'Dinner tomorrow at 19:00');
  await card(page, 'Dinner').waitFor();
  await chips(page).getByRole('button', { name: '“tomorrow at 19:00” is a part of the name' }).click();
  await page.getByText('When should it be?').waitFor();
  expect(await queueOf(user)).toEqual([]);
  await chips(page).getByRole('button', { name: 'Read it' }).click();
  await expect.poll(() => queueOf(user)).toMatchObject([{ title: 'Dinner' }]);
  expect(faults).toEqual([]);
});

test('a sentence that is read for the third time goes on from none of its earlier readings', async () => {
  const { user, page, faults } = await service.visit('chat');
  await say(page, 'Dinner with Jo for an hour tomorrow 7pm');
  await card(page, 'Dinner with Jo').waitFor();
  const press = async (words: string): Promise<void> =>
    chips(page)
      .getByRole('button', { name: `“${words}” is a part of the name` })
      .click();
  await press('for an hour');
  await chip(page, /^Part of the name.*“for an hour”/).waitFor();
  await press('tomorrow 7pm');
  await page.getByText('When should it be?').waitFor();
  expect(await queueOf(user)).toEqual([]);
  expect(faults).toEqual([]);
});

test('a sentence that cannot be read again is sent again by a press', async () => {
  const { user, page } = await service.visit('chat');
  await say(page, `Dinner on ${day} at 19:00 for 2 hours`);
  await card(page, 'Dinner').waitFor();
  // The proposal is withdrawn, and then the service refuses.
  await page.route('**/chat/respond', (route) => route.fulfill({ status: 400, json: { title: 'No', status: 400 } }));
  await chips(page).getByRole('button', { name: '“for 2 hours” is a part of the name' }).click();
  const again = page.getByRole('button', { name: 'Send it again' });
  await again.waitFor();
  expect(await queueOf(user)).toEqual([]);
  await page.unroute('**/chat/respond');
  await again.click();
  await card(page, 'Dinner for 2 hours').waitFor();
  await chip(page, /^Part of the name.*“for 2 hours”/).waitFor();
  expect(await queueOf(user)).toMatchObject([{ title: 'Dinner for 2 hours' }]);
  expect(await again.count()).toBe(0);
});

test('a proposal that was changed elsewhere a moment before is not withdrawn', async () => {
  const { user, page } = await service.visit('chat');
  await say(page, `Dinner on ${day} at 19:00 for 2 hours`);
  const button = chips(page).getByRole('button', { name: '“for 2 hours” is a part of the name' });
  await button.waitFor();
  const [{ uid }] = (await queueOf(user)) as unknown as [{ uid: string }];
  await page.route('**/agent/withdraw', async (route) => {
    await user.patch('/memory/edit', { uid, updates: { title: 'Dinner with Jo' } }).expect(200);
    await route.continue();
  });
  await button.click();
  await page
    .getByText(/changed/)
    .first()
    .waitFor();
  expect(await queueOf(user)).toMatchObject([{ uid, title: 'Dinner with Jo' }]);
});

test('words of which several proposals are made are shown once, with all of their times', async () => {
  const { user, page, faults } = await service.visit('chat');
  await say(page, 'Gym on monday at 9, wednesday at 10');
  await chip(page, /“on monday at 9” = on Monday .* at 09:00; on Wednesday .* at 10:00/).waitFor();
  await expect.poll(() => queueOf(user)).toMatchObject([{ title: 'Gym' }, { title: 'Gym' }]);
  expect(await page.getByRole('list', { name: 'How the words were read' }).count()).toBe(1);
  expect(faults).toEqual([]);
});
