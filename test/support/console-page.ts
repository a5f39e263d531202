/** The console in Chromium: a page of a person, and what went wrong on it. */
import { chromium, type Browser, type Page } from 'playwright-core';
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import type { TestApp } from './app.ts';
import { SHIFT_OF_PAGES } from './shift-clock.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Its pages have the clock of the tests. */
export const launch = async (): Promise<Browser> => {
  const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  const newContext = browser.newContext.bind(browser);
  browser.newContext = async (options) => {
    const context = await newContext(options);
    await context.addInitScript(SHIFT_OF_PAGES);
    return context;
  };
  return browser;
};

export type ConsolePage = { page: Page; faults: string[] };

type Look = { width?: number; height?: number; dark?: boolean };

/** Opens a page. Errors on the console, refusals by the policy and requests to other servers are faults. */
export const consolePage = async (
  browser: Browser,
  app: TestApp,
  { width = 1400, height = 900, dark = false }: Look = {},
): Promise<ConsolePage> => {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: dark ? 'dark' : 'light',
    locale: 'en-GB',
    // That of the people of the tests, so that nothing is said about zones.
    timezoneId: 'Europe/Berlin',
  });
  // A step that takes longer has failed.
  context.setDefaultTimeout(30_000);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text());
  });
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(app.url)) faults.push(`request to ${request.url()}`);
  });
  await page.goto(`${app.url}/console/`);
  return { page, faults };
};

export const signIn = async (page: Page, { email, password }: { email: string; password: string }): Promise<void> => {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  // A click so soon after that of an earlier sign-in would be the second one of a double click.
  await page.getByLabel('Password').press('Enter');
  await page.getByText('Live').waitFor();
};

type AxeResult = { violations: { id: string; nodes: { target: string[] }[] }[] };

/** Returns what axe-core finds on the page. */
export const violations = async (page: Page): Promise<string[]> => {
  // What is still appearing is drawn in weaker colors.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  // In a world of its own, because the policy of the page forbids to add scripts.
  const session = await page.context().newCDPSession(page);
  const { frameTree } = await session.send('Page.getFrameTree');
  const { executionContextId: contextId } = await session.send('Page.createIsolatedWorld', {
    frameId: frameTree.frame.id,
  });
  const evaluate = async (expression: string): Promise<unknown> =>
    (await session.send('Runtime.evaluate', { contextId, expression, awaitPromise: true, returnByValue: true })).result
      .value;
  await evaluate(AXE);
  const result = (await evaluate("axe.run({ rules: { 'target-size': { enabled: true } } })")) as AxeResult;
  await session.detach();
  return result.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`);
};
