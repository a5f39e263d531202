/** Nothing moves under the reader while a screen loads, or while proposals come and go. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { TestUser } from '../support/app.ts';
import { consoleOfFile, openAt } from '../support/console-visit.ts';
import { weekAhead as day } from '../support/today.ts';

const shown = consoleOfFile();

/** The sum that browsers report, of which 0.1 is good for a page as it loads. */
const MOST = 0.02;
const WATCH = `window.shifts = [];
  new PerformanceObserver((list) => {
    for (const { hadRecentInput, value, sources } of list.getEntries())
      if (!hadRecentInput) shifts.push([value, sources.map(({ node }) => node?.className || node?.nodeName).join(' ')]);
  }).observe({ type: 'layout-shift', buffered: true });`;

/** So long an answer takes, so that each is painted by itself. What is asserted does not depend on it. */
const DELAY_MS = 60;
const watch = async (page: Page): Promise<void> => {
  await page.addInitScript(WATCH);
  await page.route('**/*', async (route) => {
    const isAnswer = ['xhr', 'fetch'].includes(route.request().resourceType());
    if (isAnswer) await new Promise((resolve) => setTimeout(resolve, DELAY_MS));
    await route.continue();
  });
};

const shiftsOf = (page: Page): Promise<[value: number, what: string][]> => page.evaluate('window.shifts');
const shiftOf = async (page: Page): Promise<number> => (await shiftsOf(page)).reduce((sum, [value]) => sum + value, 0);

const propose = async ({ agent }: TestUser, title: string, scheduled_for: string): Promise<void> => {
  const action = {
    action_type: 'schedule',
    title,
    scheduled_for,
    duration_minutes: 45,
    content: 'It is due this week.',
  };
  await agent.post('/agent/plan', { actions: [action] }).expect(200);
};

const SCREENS = [
  ...['', `?view=week&date=${day(0)}`, '?view=month', `?view=agenda&date=${day(0)}`],
  ...['queue', 'queue?show=decided', 'queue?show=refused', 'chat', 'memory', 'context'],
  ...['tempo', 'agents', 'ledger', 'account'],
  ...['?asof=20', 'queue?asof=20&until=now', 'agents?asof=20'],
];

test.each([1400, 360])('a screen of %i px moves nothing while it loads', async (width) => {
  const { user, page, faults } = await shown.visit('', { width, height: 800 });
  for (let n = 0; n < 14; n += 1) {
    const scheduled_for = `${day(n % 7)}T${10 + 2 * Math.floor(n / 7)}:00`;
    await user.post('/calendar/create', { title: `Event ${n}`, scheduled_for, duration_minutes: 60 }).expect(201);
    await propose(user, `Proposal ${n}`, `${day(n % 7)}T${14 + Math.floor(n / 7)}:00`);
  }
  const traces = Array.from({ length: 12 }, (_, n) => ({ type: 'note', content: `Note ${n}` }));
  await user.post('/memory/push', { traces }).expect(201);
  await watch(page);
  const moved: unknown[] = [];
  for (const screen of SCREENS) {
    await openAt(page, shown.app, screen);
    await page.waitForLoadState('networkidle');
    if ((await shiftOf(page)) > MOST) moved.push(screen, await shiftsOf(page));
  }
  expect(moved).toEqual([]);
  expect(faults).toEqual([]);
});

test('proposals that come and go move no row of the queue', async () => {
  const { user, page } = await shown.visit();
  for (let n = 0; n < 3; n += 1) await propose(user, `Proposal ${n}`, `${day(n)}T14:00`);
  await watch(page);
  await openAt(page, shown.app, 'queue');
  // What comes while the screen opens joins the list at once.
  await page.getByRole('button', { name: 'Approve', exact: true, disabled: false }).waitFor();
  await page.waitForLoadState('networkidle');
  await page.evaluate('window.shifts.length = 0');
  await propose(user, 'Sooner', `${day(0)}T09:00`);
  await page.getByRole('button', { name: '1 new' }).waitFor();
  const { body } = await user.get('/agent/queue').expect(200);
  const { uid } = body.find(({ title }: { title: string }) => title === 'Proposal 2');
  await user.agent.post('/agent/withdraw', { uid }).expect(200);
  await page.getByText('“Proposal 2” no longer waits').waitFor();
  expect(await shiftsOf(page)).toEqual([]);
});
