/** Messages and notices have a place of their own: below them is nothing that can be pressed, and nothing is drawn over them. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { consoleOfFile, looksOf, openAt } from '../support/console-visit.ts';
import { dayAhead } from '../support/today.ts';

const service = consoleOfFile();

/** At points of each of them: what can be pressed below it, and what lies over it. */
const COVERED = `[...document.querySelectorAll('.messages p, .later')].flatMap((one) => {
  one.scrollIntoView({ block: 'nearest' });
  const { left, top, width, height } = one.getBoundingClientRect();
  return [0.05, 0.3, 0.5, 0.7, 0.95].flatMap((x) => [0.1, 0.5, 0.9].flatMap((y) => {
    const at = document.elementsFromPoint(left + x * width, top + y * height);
    const below = at.filter((part) => !one.contains(part) && part.matches('a, button, input, select, textarea, summary'));
    return [...below, ...(one.contains(at[0]) ? [] : [at[0]])].map((part) => one.textContent + ' | ' + part?.outerHTML.slice(0, 80));
  }));
})`;
const covered = (page: Page): Promise<string[]> => page.evaluate<string[]>(COVERED);

test.each([1400, 800, 390])('messages and notices lie over nothing at %i px', async (width) => {
  const { user, page } = await service.visit('', { width, height: 800 });
  const uids: string[] = [];
  for (let n = 0; n < 14; n++) {
    const action = { title: `Plan ${n}`, scheduled_for: `${dayAhead(2 + n)}T10:00`, duration_minutes: 60 };
    const { body } = await user.agent.post('/agent/plan', { actions: [{ action_type: 'schedule', ...action }] });
    uids.push(body[0].uid);
  }
  const ready = page.getByRole('button', { name: 'Approve', exact: true, disabled: false }).first();
  await openAt(page, service.app, 'queue');
  await page.getByRole('button', { name: /^Plan 0/ }).click();
  await ready.waitFor();
  await page.keyboard.press('a');
  await page.getByText('Approved: Plan 0').waitFor();
  await user.agent.post('/agent/withdraw', { uid: uids[6] }).expect(200);
  await page.getByText('“Plan 6” no longer waits').waitFor();
  expect(await covered(page)).toEqual([]);
  expect(await looksOf(page)).toEqual([]);
  await page.getByRole('button', { name: 'OK' }).click();

  await openAt(page, service.app, `?view=day&date=${dayAhead(3)}`);
  await page.getByRole('button', { name: /^12 proposals later|^11 proposals later/ }).waitFor();
  expect(await covered(page)).toEqual([]);
  await page.getByRole('button', { name: 'New event' }).click();
  const problem = { code: 'limit_reached', title: 'No', detail: 'The calendar is closed today.', status: 409 };
  await page.route('**/calendar/create', (route) =>
    route.fulfill({ status: 409, contentType: 'application/problem+json', json: problem }),
  );
  await page.getByLabel('Title').fill('Never');
  await page.keyboard.press('Enter');
  await page.getByText('The calendar is closed today.').waitFor();
  await page.locator('.later').evaluate('document.querySelector(".later").remove()');
  expect(await covered(page)).toEqual([]);
  await page.getByRole('button', { name: 'Create' }).click({ trial: true });

  await openAt(page, service.app, 'chat');
  await page.getByLabel('Message', { exact: true }).fill(`Read on ${dayAhead(1)} at 9 for 20 minutes`);
  await page.keyboard.press('Enter');
  await page.getByRole('article', { name: 'Proposal: Read' }).waitFor();
  await ready.click();
  await page.getByText('Approved: Read').waitFor();
  expect(await covered(page)).toEqual([]);
});

/** The links of the navigation that a pointer does not reach at their middle. */
const UNREACHED = `[...document.querySelectorAll('nav a, nav button')].filter((one) => one.checkVisibility()).flatMap((one) => {
  const { left, top, width, height } = one.getBoundingClientRect();
  const at = document.elementFromPoint(left + width / 2, top + height / 2);
  return one.contains(at) ? [] : [one.textContent];
})`;

test.each([
  [1400, 900],
  [1400, 600],
  [700, 450],
  [390, 780],
])('three long complaints leave the navigation and an open form in reach at %i × %i px', async (width, height) => {
  const { user, page } = await service.visit('', { width, height });
  const long = 'The calendar is closed today, and nobody knows for how long that will be so. '.repeat(4);
  // Equal complaints would be shown once.
  let refused = 0;
  for (const [title, time] of [
    ['Dentist', '09:00'],
    ['Choir', '11:00'],
  ])
    await user
      .post('/calendar/create', { title, scheduled_for: `${dayAhead(3)}T${time}`, duration_minutes: 60 })
      .expect(201);
  for (const path of ['create', 'edit'])
    await page.route(`**/calendar/${path}`, (route) =>
      route.fulfill({
        status: 409,
        contentType: 'application/problem+json',
        json: { code: 'limit_reached', title: 'No', detail: `${++refused}. ${long}`, status: 409 },
      }),
    );
  await openAt(page, service.app, `?view=day&date=${dayAhead(3)}`);
  const close = page.getByRole('button', { name: 'Close message' });
  // Of each event the last complaint is shown.
  for (const [n, title] of ['Dentist', 'Choir'].entries()) {
    await page.getByRole('button', { name: new RegExp(`^${title}`) }).focus();
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Enter');
    await expect.poll(() => close.count()).toBe(n + 1);
  }
  await page.getByRole('button', { name: 'New event' }).click();
  await page.getByLabel('Title').fill('Never');
  await page.getByRole('button', { name: 'Create' }).click();
  await expect.poll(() => close.count()).toBe(3);
  expect(await page.evaluate<string[]>(UNREACHED)).toEqual([]);
  await page.getByRole('button', { name: 'Create' }).click({ trial: true });
  for (let n = 3; n > 0; n -= 1) {
    await close.first().press('Enter');
    await expect.poll(() => close.count()).toBe(n - 1);
  }
});

test('what is too much for a column is behind a link that covers its hours and no others', async () => {
  const { user, page, faults } = await service.visit();
  const date = dayAhead(3);
  const add = (title: string, at: string, duration_minutes: number) =>
    user.post('/calendar/create', { title, scheduled_for: `${date}T${at}`, duration_minutes }).expect(201);
  await add('Conference', '00:30', 1380);
  for (let n = 0; n < 16; n++) await add(`Talk ${n}`, '10:00', 60);
  for (let n = 0; n < 16; n++) await add(`Workshop ${n}`, '15:00', 60);
  await openAt(page, service.app, `?view=week&date=${date}`);
  const heights = async (): Promise<number[]> => {
    const links = await page.getByRole('link', { name: /\d+ more on/ }).all();
    return Promise.all(links.map(async (one) => Math.round((await one.boundingBox())?.height ?? 0)));
  };
  await expect.poll(async () => (await heights()).length).toBe(2);
  // An hour has 56 px.
  expect(await heights()).toEqual([56, 56]);
  expect(faults).toEqual([]);
});
