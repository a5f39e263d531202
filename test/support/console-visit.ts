/** A service with its console in Chromium, for one file of tests, and people who visit it. */
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { systemClock } from '../../src/common/clock.ts';
import { anApp, aUser, testClock, type TestApp, type TestUser } from './app.ts';
import { consolePage, launch, signIn, violations } from './console-page.ts';

export type Look = { dark?: boolean; width?: number; height?: number };
export type Visit = { user: TestUser; page: Page; faults: string[] };
export type VisitedConsole = {
  app: TestApp;
  browser: Browser;
  /** @param at a screen with its parameters, such as `memory?trace=1` */
  visit: (at?: string, look?: Look, known?: TestUser) => Promise<Visit>;
  close: () => Promise<void>;
};

export const aConsole = async (env: Record<string, string> = {}): Promise<VisitedConsole> => {
  // The page reads the clock of the browser, so the service must have the same time.
  const clock = { ...testClock(systemClock.now()), ...systemClock };
  const [app, browser] = await Promise.all([anApp({ clock, env }), launch()]);
  return {
    app,
    browser,
    visit: async (at = '', look = {}, known) => {
      const user = known ?? (await aUser(app));
      const { page, faults } = await consolePage(browser, app, look);
      await signIn(page, user);
      if (at) await openAt(page, app, at);
      return { user, page, faults };
    },
    close: async () => {
      await browser.close();
      await app.close();
    },
  };
};

/** The same for a whole file of tests: it starts before them and ends after them. */
export const consoleOfFile = (env?: Record<string, string>): VisitedConsole => {
  let started: VisitedConsole;
  beforeAll(async () => {
    started = await aConsole(env);
  });
  afterAll(() => started.close());
  return {
    get app() {
      return started.app;
    },
    get browser() {
      return started.browser;
    },
    visit: (...given) => started.visit(...given),
    close: () => started.close(),
  };
};

export const openAt = async (page: Page, app: TestApp, at: string): Promise<void> => {
  await page.goto(`${app.url}/console/${at}`);
  await page.getByText('Live').waitFor();
};

/** The card of the calendar. */
export const details = (page: Page): Locator => page.getByRole('dialog', { name: 'Details' });

/** Sets the clock forward by which the page counts the time between presses. */
export const aSecondLater = (page: Page): Promise<unknown> =>
  page.evaluate('{ const now = performance.now.bind(performance); performance.now = () => now() + 1000; }');

/** In both themes, at the width of a desk and of a phone: what axe-core finds, and whether the page is wider than the window. */
export const looksOf = async (page: Page): Promise<string[]> => {
  const found: string[] = [];
  const size = page.viewportSize() ?? { width: 1400, height: 900 };
  for (const width of [1400, 360])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme });
      // A narrow window may show other days, which are read first, if they can be.
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
      await page.locator('[data-stale]:not(:has(.failure), .failure ~ *)').first().waitFor({ state: 'detached' });
      const wide = await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth');
      const faults = [...(await violations(page)), ...(wide ? ['wider than the window'] : [])];
      found.push(...faults.map((fault) => `${colorScheme}, ${width} px: ${fault}`));
    }
  await page.setViewportSize(size);
  await page.emulateMedia({ colorScheme: 'light' });
  return found;
};
