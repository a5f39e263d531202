/** The console in Chromium, by role and name: its main stories, bad states, hostile text, and what axe-core finds. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/common/clock.ts';
import { anApp, aUser, testClock, type TestApp, type TestUser } from '../support/app.ts';
import { consolePage, launch, signIn, violations } from '../support/console-page.ts';
import { weekAhead } from '../support/today.ts';

let app: TestApp;
let browser: Browser;
beforeAll(async () => {
  // The page reads the clock of the browser, so the service must have the same time.
  const clock = { ...testClock(systemClock.now()), ...systemClock };
  [app, browser] = await Promise.all([anApp({ clock }), launch()]);
});
afterAll(async () => {
  await browser.close();
  await app.close();
});

/** As texts, because the types of Node know no page. */
const WIDER = 'document.documentElement.scrollWidth > innerWidth';

const monday = weekAhead(0);

const propose = async (user: TestUser, action: object): Promise<{ uid: string }> => {
  const base = { action_type: 'schedule', scheduled_for: `${monday}T10:00`, duration_minutes: 60 };
  const { body } = await user.agent.post('/agent/plan', { actions: [{ ...base, ...action }] }).expect(200);
  return body[0];
};
const planOf = async (user: TestUser, uid: string) => (await user.get(`/agent/plan?uid=${uid}`).expect(200)).body;

/** A person whose page shows the week of the proposals. */
const visit = async (look: { dark?: boolean; width?: number; height?: number } = {}, known?: TestUser) => {
  const user = known ?? (await aUser(app));
  const { page, faults } = await consolePage(browser, app, look);
  await signIn(page, user);
  await page.goto(`${app.url}/console/?view=week&date=${monday}`);
  await page.getByText('Live').waitFor();
  return { user, page, faults };
};

const ghost = (page: Page, title: string) =>
  page.getByRole('button', { name: new RegExp(`^Proposal of agent: (\\d\\d?:\\d\\d )?${title}`) });

describe('deciding', () => {
  test('a proposal arrives live; one click approves it, with the reason and the limits in view; both windows follow', async () => {
    const { user, page, faults } = await visit();
    const second = await visit({}, user);
    await user.patch('/user/update', { updates: { limits: { budget: { per_day: 3 } } } }).expect(200);
    await propose(user, { title: 'Read the paper', reasoning: 'It is due on Friday.' });
    await ghost(page, 'Read the paper').hover();
    const card = page.getByRole('dialog', { name: 'Details' });
    await card.getByText('It is due on Friday.').waitFor();
    await card.getByText('0 of 3 approved that day').waitFor();
    await page.getByRole('button', { name: 'Approve Read the paper' }).click();
    await page.getByText('Approved: Read the paper').waitFor();
    for (const one of [page, second.page]) {
      await one.getByRole('button', { name: 'Read the paper', exact: false }).first().waitFor();
      await expect.poll(() => ghost(one, 'Read the paper').count()).toBe(0);
    }
    // The card followed the pointer, so it goes with the ghost.
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(async () => (await user.get('/calendar/events').expect(200)).body).toEqual([]);
    expect([...faults, ...second.faults]).toEqual([]);
  });

  test('a drag asks for the new time, and approves at it', async () => {
    const { user, page } = await visit();
    const { uid } = await propose(user, { title: 'Move me' });
    // What has just come is not dragged.
    await page.getByRole('button', { name: 'Approve Move me', disabled: false }).waitFor();
    const box = (await ghost(page, 'Move me').boundingBox()) as { x: number; y: number; width: number; height: number };
    await page.mouse.move(box.x + 20, box.y + 30);
    await page.mouse.down();
    await page.mouse.move(box.x + 20, box.y + 60, { steps: 4 });
    await page.mouse.move(box.x + 20 + (box.width + 3), box.y + 30 + 2 * 56, { steps: 4 });
    await page.mouse.up();
    await page.getByRole('button', { name: /^Approve at Tue .*12:00$/ }).click();
    await expect.poll(async () => (await planOf(user, uid)).status).toBe('executed');
    const { body } = await user.get(`/calendar/events?start=${monday}&end=${weekAhead(6)}`);
    expect(body[0].local_start).toMatch(`${weekAhead(1)}T12:00`);
  });

  test('Escape puts a dragged proposal back', async () => {
    const { user, page } = await visit();
    const { uid } = await propose(user, { title: 'Stay here' });
    await ghost(page, 'Stay here').focus();
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: /^Approve at Mon .*10:15$/ }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    expect(await planOf(user, uid)).toMatchObject({ status: 'proposed', version: 1 });
    await expect.poll(() => ghost(page, 'Stay here').innerText()).toMatch('10:00');
  });

  test('the queue is decided by keys', async () => {
    const { user, page, faults } = await visit();
    const uids: string[] = [];
    for (const [n, title] of ['one', 'two', 'three', 'four'].entries())
      uids.push((await propose(user, { title, scheduled_for: `${weekAhead(n)}T09:00` })).uid);
    // What comes after the queue was opened is announced, and is no part of the list yet.
    await page.getByRole('link', { name: /^Queue.*4/ }).click();
    await page.getByRole('checkbox', { name: 'Select four' }).waitFor();
    // Edit gives the focus to the form, so that a key that follows decides nothing.
    await page.keyboard.press('e');
    await page.getByLabel('Title').waitFor();
    await page.keyboard.press('a');
    expect(await page.getByLabel('Title').inputValue()).toBe('aone');
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await page.getByRole('button', { name: 'Approve', exact: true, disabled: false }).waitFor();
    await page.keyboard.press('r');
    await page.getByLabel('Reason, which the agent can read').fill('not today');
    await page.keyboard.press('Enter');
    await page.getByText('Rejected: one').waitFor();
    // The next one has to be read before.
    await page.getByRole('heading', { name: 'two' }).waitFor();
    await page.getByRole('button', { name: 'Approve', exact: true, disabled: false }).waitFor();
    await page.keyboard.press('a');
    await page.getByText('Approved: two').waitFor();
    await page.getByRole('checkbox', { name: 'Select four' }).waitFor();
    await page.keyboard.press('x');
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.getByRole('button', { name: 'Approve 2' }).click();
    await page.getByText('Approved: “three” and 1 more.').waitFor();
    await page.getByText('Nothing waits for you.').waitFor();
    const states = await Promise.all(uids.map(async (uid) => (await planOf(user, uid)).status));
    expect(states).toEqual(['rejected', 'executed', 'executed', 'executed']);
    expect(faults).toEqual([]);
  });

  test('a plan that changed under the cursor is not approved, and the page says so', async () => {
    const { user, page } = await visit();
    const { uid } = await propose(user, { title: 'Changing' });
    await ghost(page, 'Changing').waitFor();
    await page.route('**/agent/approve', async (route) => {
      await user.agent.patch('/memory/edit', { uid, updates: { title: 'Changed' } }).expect(200);
      await route.continue();
    });
    await page.getByRole('button', { name: 'Approve Changing' }).click();
    await page.locator('[role=status]').getByText('This proposal was changed in another place meanwhile').waitFor();
    await ghost(page, 'Changed').waitFor();
    expect((await planOf(user, uid)).status).toBe('proposed');
  });

  test('an approval that a limit refuses shows the limit', async () => {
    const { user, page } = await visit();
    await propose(user, { title: 'First' });
    await propose(user, { title: 'Second', scheduled_for: `${monday}T13:00` });
    await user.patch('/user/update', { updates: { limits: { budget: { per_day: 1 } } } }).expect(200);
    await page.getByRole('button', { name: 'Approve First' }).click();
    await page.getByText('Approved: First').waitFor();
    await page.getByRole('button', { name: 'Approve Second' }).click();
    await page.getByText('The limits allow at most 1').waitFor();
    await ghost(page, 'Second').waitFor();
  });
});

describe('the session', () => {
  test('lasts over a reload, ends where it is ended elsewhere, and says so', async () => {
    const { user, page, faults } = await visit();
    expect(await page.evaluate<string>('document.cookie')).toBe('');
    expect(await page.evaluate<string>('JSON.stringify(localStorage)')).not.toMatch(/eyJ|[0-9a-f]{24}/);
    expect(faults).toEqual([]);
    await user.post('/user/logout', { everywhere: true }).expect(200);
    await page.getByText('Your session was ended. Sign in again.').waitFor();
    await signIn(page, user);
  });

  test('that has ended says so also after a request that was under way is refused', async () => {
    const { user, page } = await visit();
    const [asked, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await page.route('**/calendar/events?*', async (route) => {
      asked.resolve();
      await gate.promise;
      await route.continue();
    });
    await user.post('/calendar/create', { title: 'Lunch', scheduled_for: `${monday}T12:00` }).expect(201);
    await asked.promise;
    await user.post('/user/logout', { everywhere: true }).expect(200);
    const why = page.getByText('Your session was ended. Sign in again.');
    await why.waitFor();
    const refused = page.waitForResponse(/\/user\/refresh$/);
    gate.resolve();
    expect((await refused).status()).toBe(401);
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))');
    expect(await why.count()).toBe(1);
  });

  test('begins with a link, once', async () => {
    const user = await aUser(app);
    const { db } = app.database.handle;
    await db.updateTable('users').set({ admin: true }).where('user_id', '=', user.user_id).execute();
    const link = `${app.url}/console/#ticket=${await app.services.links.issueForOwner()}`;
    await db.updateTable('users').set({ admin: false }).execute();
    const { page } = await consolePage(browser, app);
    await page.goto('about:blank');
    await page.goto(link);
    await page.getByText('Live').waitFor();
    expect(page.url()).toBe(`${app.url}/console/`);
    // The console is open in this tab already.
    const other = await consolePage(browser, app);
    await other.page.goto(link);
    await other.page.getByText(/That link was used/).waitFor();
  });
});

describe('accessibility and size', () => {
  test.each([
    [{ dark: false, width: 1400, height: 900 }],
    [{ dark: true, width: 1400, height: 900 }],
    [{ dark: false, width: 360, height: 740 }],
    [{ dark: true, width: 360, height: 740 }],
  ])('axe-core finds nothing on any screen: %j', async (look) => {
    const signedOut = await consolePage(browser, app, look);
    await signedOut.page.getByLabel('E-mail').waitFor();
    expect(await violations(signedOut.page)).toEqual([]);
    const { user, page, faults } = await visit(look);
    await propose(user, { title: 'A proposal', reasoning: 'A reason.' });
    const all_day = { title: 'All day', scheduled_for: weekAhead(1), all_day: true };
    await user.post('/calendar/create', all_day).expect(201);
    for (const view of ['day', 'week', 'month', 'agenda']) {
      await page.goto(`${app.url}/console/?view=${view}&date=${monday}`);
      const isDots = view === 'month' && look.width < 700;
      await (isDots ? page.getByRole('link', { name: / 1 proposal$/ }) : ghost(page, 'A proposal')).waitFor();
      expect([view, await violations(page)]).toEqual([view, []]);
      const wide = await page.evaluate<boolean>(WIDER);
      expect([view, wide]).toEqual([view, false]);
    }
    await ghost(page, 'A proposal').click();
    await page.getByRole('button', { name: 'Edit' }).click();
    expect(['card', await violations(page)]).toEqual(['card', []]);
    await page.goto(`${app.url}/console/queue`);
    const row = page.locator('.queue .list > li', { hasText: 'A proposal' });
    await row.waitFor();
    if (look.width < 700) {
      // On a phone the list comes first.
      expect(['list', await violations(page)]).toEqual(['list', []]);
      await row.getByRole('button').click();
    }
    await page.getByRole('heading', { name: 'A proposal' }).waitFor();
    expect(['queue', await violations(page)]).toEqual(['queue', []]);
    await page.getByRole('button', { name: 'Time machine' }).click();
    await page.getByRole('button', { name: 'An hour ago' }).click();
    await page.getByRole('button', { name: 'Back to now' }).waitFor();
    expect(['past', await violations(page)]).toEqual(['past', []]);
    expect(faults).toEqual([]);
  });

  test('the start page loads at most 60 kB of compressed script', async () => {
    const { page } = await consolePage(browser, app);
    const size = await page.evaluate<number>(`performance.getEntriesByType('resource')
      .filter(({ name }) => name.endsWith('.js'))
      .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`);
    process.stdout.write(`the start page loads ${size} bytes of compressed script\n`);
    expect(size).toBeGreaterThan(1000);
    expect(size).toBeLessThanOrEqual(60_000);
  });
});
