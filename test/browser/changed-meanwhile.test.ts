/** What an agent changes in a proposal while a person reads or has selected it is not what they decide on. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { TestUser } from '../support/app.ts';
import { violations } from '../support/console-page.ts';
import { consoleOfFile, looksOf, openAt } from '../support/console-visit.ts';
import { weekAhead } from '../support/today.ts';

const service = consoleOfFile();

const propose = async ({ agent }: TestUser, ...titles: string[]): Promise<string[]> => {
  const actions = titles.map((title, n) => ({
    ...{ action_type: 'schedule', title, duration_minutes: 30, scheduled_for: `${weekAhead(n)}T10:00` },
  }));
  const { body } = await agent.post('/agent/plan', { actions }).expect(200);
  return body.map(({ uid }: { uid: string }) => uid);
};
const change = ({ agent }: TestUser, uid: string | undefined, updates: object) =>
  agent.patch('/memory/edit', { uid, updates }).expect(200);
const statusOf = async (user: TestUser, uid: string | undefined): Promise<string> =>
  (await user.get(`/agent/plan?uid=${uid}`).expect(200)).body.status;
const enabled = (page: Page, name: RegExp) => page.getByRole('button', { name, disabled: false });

test('what an agent changes after it was selected is no longer selected, and the page says so', async () => {
  const { user, page, faults } = await service.visit();
  const [one, two, three] = await propose(user, 'Read', 'Swim', 'Cook');
  await openAt(page, service.app, 'queue');
  await page.getByRole('button', { name: 'Select all' }).click();
  await enabled(page, /^Approve 3 selected/).waitFor();
  await change(user, two, { title: 'Transfer money', scheduled_for: `${weekAhead(2)}T03:00`, duration_minutes: 240 });
  await page.getByText('“Transfer money” was changed and is no longer selected.').waitFor();
  expect(await page.getByLabel('Select Transfer money').isChecked()).toBe(false);
  expect(await page.getByText(/^Selected: “Read” and “Cook”/).count()).toBe(1);
  expect(await looksOf(page)).toEqual([]);
  await enabled(page, /^Approve 2 selected/).click();
  await page.getByText('Approved: “Read” and 1 more.').waitFor();
  expect(await statusOf(user, two)).toBe('proposed');
  expect([await statusOf(user, one), await statusOf(user, three)]).toEqual(['executed', 'executed']);
  expect(faults).toEqual([]);
});

test('a question about several is closed where one of them is changed', async () => {
  const { user, page, faults } = await service.visit();
  const [, two] = await propose(user, 'Read', 'Swim', 'Cook');
  const rrule = 'FREQ=WEEKLY;COUNT=3';
  const series = { action_type: 'schedule', title: 'Choir', scheduled_for: `${weekAhead(4)}T18:00`, rrule };
  await user.agent.post('/agent/plan', { actions: [{ ...series, duration_minutes: 60 }] }).expect(200);
  await openAt(page, service.app, 'queue');
  await page.getByRole('button', { name: 'Select all' }).click();
  await enabled(page, /^Approve 4 selected/).click();
  const question = page.getByRole('button', { name: /^Approve 4, with 1 series/ });
  await question.waitFor();
  await change(user, two, { title: 'Dive' });
  await question.waitFor({ state: 'detached' });
  await enabled(page, /^Approve 3 selected/).waitFor();
  expect(await page.getByLabel('Select Dive').isChecked()).toBe(false);
  expect(faults).toEqual([]);
});

/** Notes when the title of the card changes, and when its first button counts after that. A timer is never early. */
const READY_AFTER = `new Promise((done) => {
  const card = () => document.querySelector('.queue .detail .proposal');
  const title = card().querySelector('h2').textContent;
  let changed;
  const look = () => {
    const now = card();
    if (changed === undefined && now.querySelector('h2').textContent !== title) changed = performance.now();
    const isReady = now.querySelector('[data-approve]').getAttribute('aria-disabled') !== 'true';
    if (changed !== undefined && isReady) done(performance.now() - changed);
    else requestAnimationFrame(look);
  };
  look();
})`;

test('a card that was changed while it was open says what it was, and waits longer for its decision', async () => {
  const { user, page, faults } = await service.visit();
  const [uid] = await propose(user, 'Read', 'Swim');
  await openAt(page, service.app, 'queue');
  const card = page.getByRole('article', { name: /^Proposal: / });
  await card.getByRole('button', { name: 'Approve', exact: true, disabled: false }).waitFor();
  const ready = page.evaluate<number>(READY_AFTER);
  await change(user, uid, { title: 'Read it all', duration_minutes: 90 });
  // The frame that sees the change may be late by some.
  expect(await ready).toBeGreaterThan(1_800);
  const said = card.getByText('It was changed while you had it open. It was before:');
  await said.waitFor();
  expect(await card.locator('.meanwhile li').allTextContents()).toEqual(['title: Read', 'length: 30 min']);
  expect(await violations(page)).toEqual([]);
  // Another proposal has no such past, and neither has this one when it is opened again.
  await page.keyboard.press('j');
  await page.getByRole('article', { name: 'Proposal: Swim' }).waitFor();
  expect(await said.count()).toBe(0);
  await page.keyboard.press('k');
  await page.getByRole('article', { name: 'Proposal: Read it all' }).waitFor();
  expect(await said.count()).toBe(0);
  // What the person saves themselves is no news to them.
  await page.keyboard.press('e');
  await card.getByLabel('Title').fill('Read half');
  await card.getByRole('button', { name: 'Only save' }).click();
  await page.getByRole('article', { name: 'Proposal: Read half' }).waitFor();
  expect(await said.count()).toBe(0);
  expect(faults).toEqual([]);
});

test('back from the past, the queue is as it was left', async () => {
  const { user, page, faults } = await service.visit();
  await propose(user, 'Read', 'Swim', 'Cook');
  await openAt(page, service.app, 'queue');
  await page.locator('.queue .list .body', { hasText: 'Cook' }).click();
  await page.getByRole('article', { name: 'Proposal: Cook' }).waitFor();
  // It was read.
  await page.getByRole('button', { name: 'Approve', exact: true, disabled: false }).waitFor();
  await page.keyboard.press('h');
  await page.getByRole('button', { name: '10 minutes ago' }).click();
  await page.getByText('Nothing waited for a decision then').waitFor();
  // It is sooner than all others, and would be first.
  await user.agent
    .post('/agent/plan', {
      actions: [
        { action_type: 'schedule', title: 'Early', duration_minutes: 30, scheduled_for: `${weekAhead(0)}T07:00` },
      ],
    })
    .expect(200);
  await page.getByRole('button', { name: 'Back to now' }).click();
  await page.getByRole('button', { name: '1 new' }).waitFor();
  expect(await page.getByRole('article', { name: 'Proposal: Cook' }).count()).toBe(1);
  const rows = page.getByRole('checkbox');
  const names = await Promise.all((await rows.all()).map((row) => row.getAttribute('aria-label')));
  expect(names).toEqual(['Select Read', 'Select Swim', 'Select Cook']);
  expect(faults).toEqual([]);
});
