/** Several unsent texts are offered, the kept ones are named after a new sign-in, and their hints fit into every form. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { signIn } from '../support/console-page.ts';
import { consoleOfFile, details, looksOf, openAt } from '../support/console-visit.ts';
import { weekAhead } from '../support/today.ts';

const service = consoleOfFile();

const day = weekAhead(0);
const DAY = `?view=day&date=${day}`;
const title = (page: Page) => details(page).getByLabel('Title');
const open = (page: Page): Promise<void> => page.getByRole('button', { name: 'New event' }).click();
const abandon = async (page: Page, text: string): Promise<void> => {
  await open(page);
  await title(page).fill(text);
  await page.keyboard.press('Escape');
  await details(page).waitFor({ state: 'detached' });
};
const offered = (page: Page): Promise<string[]> => details(page).locator('.draft li .foreign').allInnerTexts();

test('each abandoned new event is offered, up to five, and one that is brought back leaves its place to what was typed', async () => {
  const { page, faults } = await service.visit(DAY);
  await abandon(page, 'Book flights to Lisbon');
  await abandon(page, 'Call the plumber');
  await open(page);
  await details(page).getByText('You typed these before and did not send them.').waitFor();
  expect(await offered(page)).toEqual(['Call the plumber', 'Book flights to Lisbon']);
  await title(page).fill('Swim');
  await details(page).getByRole('button', { name: 'Bring it back: Book flights to Lisbon' }).click();
  expect(await title(page).inputValue()).toBe('Book flights to Lisbon');
  expect(await offered(page)).toEqual(['Swim', 'Call the plumber']);
  await page.keyboard.press('Escape');
  for (const n of [1, 2, 3]) await abandon(page, `Trip ${n}`);
  await open(page);
  await details(page).getByText('Almanac keeps the newest 5.').waitFor();
  expect(await offered(page)).toEqual(['Trip 3', 'Trip 2', 'Trip 1', 'Book flights to Lisbon', 'Swim']);
  expect(await looksOf(page)).toEqual([]);
  await details(page).getByRole('button', { name: 'Forget it: Trip 2' }).click();
  expect(await offered(page)).toEqual(['Trip 3', 'Trip 1', 'Book flights to Lisbon', 'Swim']);
  expect(faults).toEqual([]);
});

test('after a new sign-in it is said what was kept, and the way leads to its form, filled in', async () => {
  const { user, page } = await service.visit(DAY);
  await abandon(page, 'Book flights to Lisbon');
  await openAt(page, service.app, 'chat');
  await page.getByLabel('Message').fill('Plan a walk');
  await openAt(page, service.app, DAY);
  await abandon(page, 'Call the plumber');
  await openAt(page, service.app, 'ledger');
  await user.post('/user/logout', { everywhere: true }).expect(200);
  await page.getByText('Your session was ended. Sign in again.').waitFor();
  await signIn(page, user);
  await page.getByText('You typed “Call the plumber” and 2 more and did not send them. They are kept.').waitFor();
  await page.getByRole('button', { name: 'Show it' }).click();
  await title(page).waitFor();
  await expect.poll(() => title(page).inputValue()).toBe('Call the plumber');
  await details(page).getByRole('button', { name: 'Bring it back: Book flights to Lisbon' }).waitFor();
  expect(new URL(page.url()).search).toBe(DAY);
});

test.each([1400, 700, 390])('a hint takes a line of its own beside no field, at a width of %i', async (width) => {
  const { page } = await service.visit('chat', { width });
  await page.getByLabel('Message').fill('Plan a walk');
  await openAt(page, service.app, 'ledger');
  await openAt(page, service.app, 'chat');
  const box = async (part: string) => {
    const found = await page.locator(part).boundingBox();
    return found as { x: number; y: number; width: number; height: number };
  };
  await page.getByRole('button', { name: 'Discard' }).waitFor();
  const [form, hint, field, send] = [
    await box('.chat > form'),
    await box('.chat .draft'),
    await box('.chat textarea'),
    await box('.chat [type="submit"]'),
  ];
  expect(hint.width).toBeGreaterThan(form.width - 2);
  expect(hint.y + hint.height).toBeLessThanOrEqual(field.y);
  expect(send.x).toBeGreaterThanOrEqual(field.x + field.width);
  expect(send.y).toBeGreaterThan(hint.y + hint.height);
});

test('a form whose answer is late says so where its buttons are, in view', async () => {
  const { page } = await service.visit(DAY, { height: 480 });
  await page.route('**/calendar/create', () => undefined);
  await open(page);
  await title(page).fill('Swim');
  await page.keyboard.press('Enter');
  const late = details(page).getByText('Sent. Almanac has not answered yet.');
  await late.waitFor();
  const [card, line] = [await details(page).boundingBox(), await late.boundingBox()];
  const bottomOf = (box: { y: number; height: number } | null): number => (box ? box.y + box.height : NaN);
  expect(bottomOf(line)).toBeLessThanOrEqual(bottomOf(card));
  const hit = await page.evaluate<boolean>(`(() => {
    const line = document.querySelector('.card .slow');
    const { left, bottom } = line.getBoundingClientRect();
    return document.elementFromPoint(left + 5, bottom - 2) === line;
  })()`);
  expect(hit).toBe(true);
});

test('the draft of a drawn event brings back its day, start and length, and not where another time is drawn', async () => {
  const { page } = await service.visit(DAY);
  const draw = async (y: number): Promise<void> => {
    const hours = (await page.getByRole('region', { name: 'Hours' }).boundingBox()) as { x: number; y: number };
    await page.mouse.move(hours.x + 300, hours.y + y);
    await page.mouse.down();
    await page.mouse.move(hours.x + 300, hours.y + y + 100, { steps: 3 });
    await page.mouse.up();
    await details(page).getByLabel('Title').waitFor();
  };
  const fields = (): Promise<string[]> =>
    Promise.all(['Start', 'Minutes', 'End'].map((name) => details(page).getByLabel(name).inputValue()));
  await draw(150);
  const drawn = await fields();
  // Of a drawn time alone nothing is kept: a person draws with one press.
  await page.keyboard.press('Escape');
  await draw(150);
  expect(await details(page).getByRole('button', { name: 'Bring it back' }).count()).toBe(0);
  await page.keyboard.type('Trip to the zoo');
  await openAt(page, service.app, `?view=day&date=${weekAhead(3)}`);
  await page.getByRole('button', { name: 'New event' }).click();
  expect(await fields()).not.toEqual(drawn);
  await details(page).getByRole('button', { name: 'Bring it back' }).click();
  expect(await fields()).toEqual(drawn);
  await page.keyboard.press('Escape');
  await draw(300);
  const other = await fields();
  await details(page).getByRole('button', { name: 'Bring it back' }).click();
  expect(await details(page).getByLabel('Title').inputValue()).toBe('Trip to the zoo');
  expect(await fields()).toEqual(other);
  // That is what it is now.
  await page.reload();
  await page.getByRole('button', { name: 'New event' }).click();
  await details(page).getByRole('button', { name: 'Bring it back' }).click();
  expect(await fields()).toEqual(other);
});

test('what is typed when the session ends does not land in the form of the sign-in', async () => {
  const { user, page } = await service.visit(DAY);
  await page.getByRole('button', { name: 'New event' }).click();
  await page.keyboard.type('Book fl');
  await user.post('/user/logout', { everywhere: true }).expect(200);
  await page.getByText('Your session was ended. Sign in again.').waitFor();
  await page.keyboard.type('ights');
  expect(await page.getByLabel('E-mail').inputValue()).toBe('');
  await page.keyboard.press('Tab');
  await page.keyboard.type('me');
  expect(await page.getByLabel('E-mail').inputValue()).toBe('me');
});
