/** The API reference at /docs in Chromium: it loads nothing from elsewhere, finds operations, and sends requests to this service. */
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { anApp, aUser, type TestApp, type TestUser } from '../support/app.ts';
import { launch } from '../support/console-page.ts';

let app: TestApp;
let user: TestUser;
let browser: Browser;
let context: BrowserContext;
let page: Page;
/** Errors of the page, and requests to other servers. */
let faults: string[];

beforeAll(async () => {
  app = await anApp();
  user = await aUser(app);
  browser = await launch();
});
afterAll(async () => {
  await browser.close();
  await app.close();
});

beforeEach(async () => {
  context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  context.setDefaultTimeout(30_000);
  page = await context.newPage();
  faults = [];
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  page.on('pageerror', (error) => faults.push(error.message));
  context.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(app.url)) faults.push(request.url());
  });
  return () => context.close();
});

const open = async (): Promise<void> => {
  await page.goto(`${app.url}/docs`);
  await page.getByRole('heading', { name: 'Almanac', level: 1 }).waitFor();
};

const sectionOf = (title: string): Locator =>
  page.locator('section', { has: page.getByRole('heading', { name: title }) }).last();

const WHOAMI = 'Read who the credential belongs to, and what it may do';
const search = async (words: string, title: string): Promise<Locator> => {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Enter search query' }).fill(words);
  await page.getByRole('option', { name: title }).click();
  const section = sectionOf(title);
  const isShown = async (): Promise<boolean> => {
    const box = await section.getByRole('heading', { name: title }).boundingBox();
    return box !== null && box.y >= 0 && box.y < 900;
  };
  await expect.poll(isShown).toBe(true);
  return section;
};

test('search finds an operation by its path and by its words, and goes there', async () => {
  await open();
  await search('/user/whoami', WHOAMI);
  expect(page.url()).toMatch('#tag/user/GET/user/whoami');
  await search('approve', 'Approve plans');
  expect(page.url()).toMatch('#tag/agent/POST/agent/approve');
  expect(faults).toEqual([]);
});

test('a request is tried on this service, with the key that was given', async () => {
  await open();
  const section = await search('whoami', WHOAMI);
  const dialog = page.getByRole('dialog').last();
  const token = dialog.getByPlaceholder('Token');
  // The page is drawn part by part, and a click on a part that is drawn again opens nothing.
  const opens = async (): Promise<boolean> => {
    await section.getByRole('button', { name: 'Test Request' }).click({ timeout: 3_000 });
    return token.waitFor({ timeout: 3_000 }).then(() => true);
  };
  await expect.poll(() => opens().catch(() => false)).toBe(true);
  await token.fill(user.token as string);
  await dialog.getByRole('button', { name: 'Send' }).first().click();
  await dialog.getByText(user.user_id).first().waitFor();
  expect(faults).toEqual([]);
});

test('samples are in curl and TypeScript, and can be copied', async () => {
  await open();
  const section = await search('approve', 'Approve plans');
  const copied = async (): Promise<string> => {
    await section.locator('.scalar-code-copy').first().click();
    return page.evaluate<string>('navigator.clipboard.readText()');
  };
  expect(await copied()).toMatch(/^curl http:.*\/agent\/approve .*"uid": "call-supplier"/s);
  await section.getByRole('button', { name: 'Shell Curl' }).click();
  await page.getByRole('option', { name: 'TypeScript' }).click();
  await expect.poll(copied).toContain("client.http.POST('/agent/approve', {");
  expect(faults).toEqual([]);
});

test.each([360, 412])('the page fits a phone of %i px', async (width) => {
  await page.setViewportSize({ width, height: 740 });
  await open();
  for (const place of ['', '#tag/user/GET/user/whoami', '#tag/agent/POST/agent/approve']) {
    await page.goto(`${app.url}/docs${place}`);
    // The page is drawn part by part.
    await page.waitForTimeout(1000);
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
  }
  expect(faults).toEqual([]);
});
