/** Single things that a first-time user stumbled over: popovers, counts, lines of the grid, keys, names, contrast. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { aUser, type TestUser } from '../support/app.ts';
import { consoleOfFile, details, openAt } from '../support/console-visit.ts';
import { dayAhead } from '../support/today.ts';

const service = consoleOfFile();

const day = dayAhead(5);
const propose = async ({ agent }: TestUser, title: string, scheduled_for: string, minutes = 60): Promise<void> => {
  const action = { action_type: 'schedule', title, scheduled_for, duration_minutes: minutes };
  await agent.post('/agent/plan', { actions: [action] }).expect(200);
};
const isReady = (page: Page): Promise<void> =>
  page.getByRole('button', { name: 'Approve', exact: true, disabled: false }).first().waitFor();
const HOUR = 56;

test('what opens over the page closes by Escape, wherever the focus is, and by a press elsewhere', async () => {
  const { page, faults } = await service.visit('queue');
  const moments = page.getByText('See calendar, queue, memory and context as they were known');
  await page.keyboard.press('h');
  await moments.waitFor();
  await page.keyboard.press('Escape');
  await moments.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Time machine' }).click();
  await moments.waitFor();
  await page.getByRole('button', { name: 'An hour ago' }).focus();
  await page.keyboard.press('Escape');
  const toggle = page.getByRole('button', { name: 'Time machine' });
  expect(await toggle.and(page.locator(':focus')).count()).toBe(1);
  await toggle.press('Enter');
  await moments.waitFor();
  await page.getByRole('heading', { name: 'Queue' }).click();
  await moments.waitFor({ state: 'detached' });
  const person = page.locator('summary').first();
  const signOut = page.getByRole('button', { name: 'Sign out' });
  for (const close of [
    () => page.keyboard.press('Escape'),
    () => page.getByRole('heading', { name: 'Queue' }).click(),
  ]) {
    await person.press('Enter');
    await signOut.waitFor();
    await close();
    await signOut.waitFor({ state: 'hidden' });
  }
  await page.setViewportSize({ width: 390, height: 780 });
  await page.getByRole('button', { name: 'More' }).press('Enter');
  await page.getByRole('link', { name: 'Ledger' }).waitFor();
  await page.getByRole('heading', { name: 'Queue' }).click();
  await page.getByRole('link', { name: 'Ledger' }).waitFor({ state: 'hidden' });
  expect(faults).toEqual([]);
});

test('the number of waiting proposals counts a decision once', async () => {
  const { user, page } = await service.visit();
  for (const n of [1, 2, 3]) await propose(user, `Plan ${n}`, `${dayAhead(n)}T10:00`);
  await openAt(page, service.app, 'queue');
  await page.getByRole('link', { name: /Queue 3 waiting/ }).waitFor();
  await isReady(page);
  await page.evaluate(`window.counts = new Set();
    new MutationObserver(() => counts.add(parseInt(document.querySelector('nav .count')?.textContent)))
      .observe(document.querySelector('nav'), { childList: true, subtree: true, characterData: true })`);
  const isCounted = page.waitForResponse(
    async (response) => response.url().includes('/agent/status') && (await response.json()).queue.proposed === 2,
  );
  await page.keyboard.press('a');
  await isCounted;
  await page.getByRole('link', { name: /Queue 2 waiting/ }).waitFor();
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  expect(await page.evaluate<number[]>('[...counts]')).toEqual([2]);
});

test('a press just above a line of the grid means the line', async () => {
  const { page } = await service.visit(`?view=day&date=${day}`);
  const column = (await page.locator('.day').boundingBox()) as { x: number; y: number };
  const start = async (above: number): Promise<string> => {
    await page.mouse.click(column.x + 200, column.y + 10 * HOUR - above);
    const value = await details(page).getByLabel('Start').inputValue();
    await page.keyboard.press('Escape');
    await details(page).waitFor({ state: 'detached' });
    return value.slice(11);
  };
  // Clicks at one place are a double click.
  expect([await start(2), await start(12), await start(-2)]).toEqual(['10:00', '09:30', '10:00']);
});

test('the line of the time is at the new zone as soon as it is chosen', async () => {
  const user = await aUser(service.app, { timezone: 'Asia/Kolkata' });
  const { page } = await service.visit('?view=week', {}, user);
  const top = (): Promise<string> => page.evaluate("document.querySelector('.now').style.top");
  const before = await top();
  await page.getByRole('button', { name: 'Use Europe/Berlin' }).click();
  await page.getByText('Times are in Europe/Berlin now.').waitFor();
  await expect.poll(top).not.toBe(before);
});

test('a block that comes below a pointer at rest opens no card', async () => {
  const { user, page } = await service.visit();
  const event = { title: 'Standup', scheduled_for: `${day}T08:00`, duration_minutes: 60 };
  await user.post('/calendar/create', event).expect(201);
  await propose(user, 'Long work', `${day}T09:30`, 480);
  await openAt(page, service.app, `?view=day&date=${day}`);
  await page.getByRole('button', { name: /^Standup/ }).click();
  const remove = details(page).getByRole('button', { name: 'Remove' });
  const box = (await remove.boundingBox()) as { x: number; y: number };
  await remove.click();
  await page.getByText('Removed: Standup').waitFor();
  const under = await page.evaluate<string>(
    `document.elementFromPoint(${box.x + 10}, ${box.y + 10}).closest('.block')?.className ?? ''`,
  );
  expect(under).toContain('ghost');
  // A card opens a tenth of a second after the pointer is on a block (grid/card.ts).
  await page.waitForTimeout(300);
  expect(await details(page).count()).toBe(0);
  await page.mouse.move(box.x + 10, box.y + 14);
  await page.mouse.move(box.x + 12, box.y + 16);
  await details(page).waitFor();
});

test('the proposal that is read stays in view when new ones join the list above it', async () => {
  const { user, page } = await service.visit('', { height: 700 });
  await propose(user, 'Late', `${dayAhead(40)}T10:00`);
  await openAt(page, service.app, 'queue');
  await isReady(page);
  for (let n = 0; n < 20; n++) await propose(user, `Sooner ${n}`, `${dayAhead(2 + n)}T10:00`);
  await page.getByRole('button', { name: /^20 new/ }).waitFor();
  await page.keyboard.press('n');
  await page.getByRole('checkbox', { name: 'Select Sooner 0' }).waitFor();
  const bottom = async (): Promise<number> => {
    const box = await page.locator('.queue [aria-current="true"]').boundingBox();
    return box ? box.y + box.height : Infinity;
  };
  await expect.poll(bottom).toBeLessThanOrEqual(700);
  expect(await page.locator('.queue [aria-current="true"]').innerText()).toContain('Late');
});

test('Enter with Ctrl saves a note from its text', async () => {
  const { page, faults } = await service.visit('memory?write=');
  await page.getByLabel('Text').fill('The tide turns at six.');
  await page.keyboard.press('Control+Enter');
  await page.getByText('The note is saved.').waitFor();
  await page.getByRole('article', { name: 'Trace' }).getByText('The tide turns at six.').first().waitFor();
  expect(faults).toEqual([]);
});

test('the palette chooses an event with the name that is typed, and finds notes in memory and no records', async () => {
  const { user, page, faults } = await service.visit();
  await user
    .post('/memory/push', { traces: [{ type: 'observation', content: 'The dentist is in Potsdam.' }] })
    .expect(201);
  const event = { title: 'Dentist', scheduled_for: `${day}T09:00`, duration_minutes: 60 };
  await user.post('/calendar/create', event).expect(201);
  await propose(user, 'Ask for the bill', `${day}T12:00`);
  await page.keyboard.press('Control+k');
  await page.keyboard.type('dentist');
  const options = page.getByRole('dialog', { name: 'Go to or do' }).getByRole('option');
  await options.filter({ hasText: 'Event' }).waitFor();
  await expect.poll(() => options.and(page.locator('[aria-selected="true"]')).innerText()).toMatch(/^Event\s+Dentist/);
  const memory = await options.filter({ hasText: /^Memory/ }).allInnerTexts();
  expect(memory.filter((text) => !/Search for/.test(text))).toEqual([expect.stringContaining('dentist is in Potsdam')]);
  expect(faults).toEqual([]);
});

test.each([
  ['02:10', 0, '09:00'],
  ['06:10', 0, '07:00'],
  ['19:10', 0, '20:00'],
  ['20:10', 1, '09:00'],
])('at %s a new event begins at an hour at which people begin something', async (now, days, start) => {
  const { page } = await service.visit('', {}, await aUser(service.app, { timezone: 'UTC' }));
  await page.clock.setFixedTime(Date.parse(`${dayAhead(14)}T${now}:00Z`));
  await openAt(page, service.app, '');
  await page.getByRole('button', { name: 'New event' }).click();
  expect(await page.getByLabel('Start').inputValue()).toBe(`${dayAhead(14 + days)}T${start}`);
});

test('the question which of a series is meant can be cancelled', async () => {
  const { user, page } = await service.visit();
  const event = { title: 'Gym', scheduled_for: `${day}T09:00`, duration_minutes: 60, rrule: 'FREQ=DAILY;COUNT=3' };
  await user.post('/calendar/create', event).expect(201);
  await openAt(page, service.app, `?view=day&date=${day}`);
  await page.getByRole('button', { name: /^Gym/ }).press('Shift+ArrowDown');
  await page.keyboard.press('Enter');
  const question = page.getByRole('dialog', { name: 'Which of the series?' });
  expect(await question.innerText()).toMatch(/^From .* 9:00 to .* 9:15 – 10:15\. Which of the series/);
  await question.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: /^Gym/ }).getByText('9:00').waitFor();
});

test('a button that is disabled can be read', async () => {
  const { page } = await service.visit('tempo');
  const remove = page.getByRole('button', { name: /^Remove /, disabled: true });
  await remove.waitFor();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const contrast = await page.evaluate<number>(`(() => {
      const button = document.querySelector('button.danger:disabled');
      const { color, backgroundColor, opacity } = getComputedStyle(button);
      const light = (text) => {
        const [r, g, b] = text.match(/[\\d.]+/g).map((part) => part / 255).map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const [dark, bright] = [light(color), light(backgroundColor)].sort((a, b) => a - b);
      return opacity === '1' ? (bright + 0.05) / (dark + 0.05) : 0;
    })()`);
    expect(contrast).toBeGreaterThanOrEqual(4.5);
  }
});

test('in the dark theme a check box has the ground of other fields, and the accent where it is ticked', async () => {
  const { user, page } = await service.visit('', { dark: true });
  const action = {
    action_type: 'schedule',
    title: 'Read',
    scheduled_for: `${dayAhead(2)}T10:00`,
    duration_minutes: 30,
  };
  await user.agent.post('/agent/plan', { actions: [action] }).expect(200);
  await openAt(page, service.app, 'queue');
  const box = page.getByRole('checkbox', { name: 'Select Read' });
  await box.waitFor();
  const ground = (of: string): Promise<string> =>
    page.evaluate<string>(`getComputedStyle(document.querySelector('${of}')).backgroundColor`);
  expect(await page.evaluate(`getComputedStyle(document.querySelector('.row input')).appearance`)).toBe('none');
  expect(await ground('.row input')).toBe(await ground('.proposal [data-edit]'));
  await box.evaluate('document.querySelector(".row input").click()');
  expect(await ground('.row input:checked')).toBe(await ground('nav .count'));
  await page.getByRole('button', { name: 'Approve 1 selected' }).waitFor();
});
