/** The frame of the console: every screen is found, by pointer, by keys and by name. */
import { expect, test } from 'vitest';
import { consoleOfFile, looksOf } from '../support/console-visit.ts';

const console_ = consoleOfFile();

const SCREENS = [
  ...['Calendar', 'Queue', 'Chat', 'Memory', 'Context', 'Tempo and limits', 'Agents and keys', 'Ledger', 'Account'],
];

test.each([[1400], [360]])('each screen is one or two clicks away at %i px, and has a title', async (width) => {
  const { page, faults } = await console_.visit('', { width });
  for (const name of SCREENS) {
    const link = page.getByRole('navigation').getByRole('link', { name });
    if (!(await link.isVisible())) await page.getByRole('navigation').locator('button').click();
    await link.click();
    await expect.poll(() => page.title()).toBe(`${name} – Almanac`);
    await page.getByText('Loading…').waitFor({ state: 'detached' });
  }
  await page.goBack();
  await expect.poll(() => page.title()).toBe('Ledger – Almanac');
  expect(faults).toEqual([]);
});

test('the palette goes to screens and dates, does what the screen offers, and finds traces', async () => {
  const { user, page, faults } = await console_.visit();
  const trace = { uid: 'boat', type: 'observation', content: 'The boat needs a new sail.' };
  await user.post('/memory/push', { traces: [trace] }).expect(201);
  const choose = async (text: string, option: RegExp): Promise<void> => {
    await page.keyboard.press('Control+k');
    await page.keyboard.type(text);
    await page.getByRole('option', { name: option }).waitFor();
    while (!(await page.getByRole('option', { name: option, selected: true }).count()))
      await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
  };
  await choose('ledger', /Go to Ledger/);
  await expect.poll(() => page.title()).toBe('Ledger – Almanac');
  await choose('24 dec 2026', /24 December 2026/);
  await expect.poll(() => page.url()).toMatch(/console\/\?date=2026-12-24$/);
  await choose('new', /New event/);
  await page.getByLabel('Title').waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('sail');
  await page.getByRole('option', { name: /The boat needs a new sail/ }).waitFor();
  expect(await looksOf(page)).toEqual([]);
  await page.getByRole('option', { name: /The boat needs a new sail/ }).click();
  await page.getByRole('article', { name: 'Trace' }).waitFor();
  expect(faults).toEqual([]);
});

test('keys are listed on ?, can be switched off, and Tab begins with a way past the navigation', async () => {
  const { page } = await console_.visit();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  expect(await page.evaluate<string>('document.activeElement.tagName')).toBe('MAIN');
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Show a month').waitFor();
  expect(await looksOf(page)).toEqual([]);
  await page.getByLabel('Single keys are on').uncheck();
  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.keyboard.press('m');
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog', { name: 'Go to or do' }).waitFor();
  expect(page.url()).not.toMatch('view=month');
});

test('another screen begins at its top', async () => {
  const { page, faults } = await console_.visit('account', { width: 360, height: 500 });
  const scrolled = () => page.evaluate<number>("document.querySelector('main').scrollTop");
  await page.getByRole('button', { name: 'Save' }).first().waitFor();
  await page.evaluate("document.querySelector('main').scrollTop = 300");
  expect(await scrolled()).toBe(300);
  await page.getByRole('navigation').locator('button').click();
  await page.getByRole('navigation').getByRole('link', { name: 'Tempo and limits' }).click();
  await page.getByRole('heading', { name: 'Limits of agents' }).waitFor();
  // It could be scrolled as far.
  expect(await page.evaluate<number>("document.querySelector('main').scrollHeight")).toBeGreaterThan(800);
  expect(await scrolled()).toBe(0);
  expect(faults).toEqual([]);
});

test('at a high zoom the button that closes the card of the queue is on the card', async () => {
  const { user, page, faults } = await console_.visit('', { width: 700, height: 450 });
  const actions = [{ action_type: 'log', title: 'Read the tide table' }];
  await user.agent.post('/agent/plan', { actions }).expect(200);
  await page.getByRole('navigation').getByRole('link', { name: 'Queue' }).click();
  await page.locator('.queue .list > li').getByRole('button').click();
  const [card, close] = await Promise.all([
    page.locator('.queue .detail').boundingBox(),
    page.getByRole('button', { name: 'Close the card' }).boundingBox(),
  ]);
  expect(close!.y).toBeGreaterThanOrEqual(card!.y);
  expect(close!.x + close!.width).toBeLessThanOrEqual(card!.x + card!.width);
  expect(await looksOf(page)).toEqual([]);
  expect(faults).toEqual([]);
});
