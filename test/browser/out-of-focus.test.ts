/** Words that were meant for a form decide on nothing, also where the focus has fallen out of it; and a key decides only on what was turned to. */
import { expect, test } from 'vitest';
import type { TestUser } from '../support/app.ts';
import { consoleOfFile, details, openAt } from '../support/console-visit.ts';
import { weekAhead } from '../support/today.ts';

const service = consoleOfFile();

const day = weekAhead(0);
const DAY = `?view=day&date=${day}`;

const propose = async (user: TestUser, title: string, time: string) => {
  const action = { action_type: 'schedule', title, scheduled_for: `${day}T${time}`, duration_minutes: 60 };
  return (await user.agent.post('/agent/plan', { actions: [action] }).expect(200)).body[0];
};
const waiting = async (user: TestUser): Promise<string[]> =>
  (await user.get('/agent/queue').expect(200)).body.map(({ title }: { title: string }) => title);
const FOCUSED = 'document.activeElement.name';

test('after the question of an overlap is cancelled, what is typed goes on in the title', async () => {
  const { user, page, faults } = await service.visit(DAY);
  const { uid } = await propose(user, 'Focus', '12:00');
  await user.post('/agent/approve', { uid }).expect(200);
  await propose(user, 'Walk', '16:00');
  await page.getByRole('button', { name: /^Proposal of .*: Walk/ }).waitFor();
  await page.getByRole('button', { name: 'New event' }).click();
  await details(page).getByLabel('Start').fill(`${day}T12:30`);
  await details(page).getByLabel('Title').fill('Zoo');
  await page.keyboard.press('Enter');
  const question = page.getByRole('dialog', { name: 'This time is taken' });
  await question.waitFor();
  await page.keyboard.press('Enter');
  await question.waitFor({ state: 'detached' });
  expect(await page.evaluate<string>(FOCUSED)).toBe('title');
  await page.keyboard.press('End');
  await page.keyboard.type(' pazzam');
  expect(await details(page).getByLabel('Title').inputValue()).toBe('Zoo pazzam');
  // Also where the focus falls out of the form in another way.
  await page.evaluate('document.activeElement.blur()');
  await page.keyboard.type('zap');
  expect(await details(page).getByLabel('Title').inputValue()).toBe('Zoo pazzamzap');
  expect(await waiting(user)).toEqual(['Walk']);
  expect(faults.filter((fault) => !/409/.test(fault))).toEqual([]);
});

test('a key approves on the calendar only what was turned to and could be read', async () => {
  const { user, page, faults } = await service.visit(DAY);
  await propose(user, 'Late walk', '22:30');
  const block = page.getByRole('button', { name: /^Proposal of .*: Late walk/ });
  await block.waitFor();
  // It is below the window until the key turns to it.
  await page.keyboard.press('p');
  await page.keyboard.press('a');
  await details(page).getByRole('heading', { name: 'Late walk' }).waitFor();
  expect(await waiting(user)).toEqual(['Late walk']);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Approve Late walk', disabled: false }).waitFor();
  await propose(user, 'Early walk', '21:00');
  await page.getByRole('button', { name: 'Approve Early walk', disabled: false }).waitFor();
  // It is in view, and the person does not know that it is the next one.
  await page.getByRole('heading', { level: 1 }).click();
  await page.keyboard.press('p');
  await page.keyboard.press('a');
  await details(page).getByRole('heading', { name: 'Early walk' }).waitFor();
  expect(await waiting(user)).toEqual(['Early walk', 'Late walk']);
  await details(page).getByRole('button', { name: 'Approve', exact: true, disabled: false }).waitFor();
  await page.keyboard.press('a');
  await page.getByText('Approved: Early walk').waitFor();
  expect(faults).toEqual([]);
});

test('the button that revokes for ever does nothing under a second click', async () => {
  const { user, page, faults } = await service.visit();
  await user.post('/user/keys', { label: 'Robot', kind: 'agent' }).expect(201);
  const labels = async (): Promise<string[]> =>
    (await user.get('/user/keys').expect(200)).body.flatMap(
      ({ label, revoked_at }: { label: string; revoked_at: string | null }) => (revoked_at === null ? label : []),
    );
  await openAt(page, service.app, 'agents');
  await page.getByRole('button', { name: 'Revoke Robot' }).click();
  const revoke = page.getByRole('button', { name: 'Revoke for ever', disabled: true });
  await revoke.click({ force: true });
  expect(await labels()).toContain('Robot');
  await page.getByRole('button', { name: 'Revoke for ever', disabled: false }).click();
  await expect.poll(labels).not.toContain('Robot');
  expect(faults).toEqual([]);
});

test('a double click on “New note” leaves the focus in its text', async () => {
  const { user, page, faults } = await service.visit();
  await propose(user, 'Walk', '16:00');
  await openAt(page, service.app, 'memory');
  await page.getByRole('button', { name: 'New note' }).dblclick();
  await page.keyboard.type('pizza');
  expect(await page.getByLabel('Text').inputValue()).toBe('pizza');
  expect(await waiting(user)).toEqual(['Walk']);
  expect(faults).toEqual([]);
});

test('a form of a proposal that waits no longer says so, and its text stays until it is closed', async () => {
  const { user, page, faults } = await service.visit();
  const { uid } = await propose(user, 'Walk', '16:00');
  await openAt(page, service.app, 'queue');
  const card = page.getByRole('article');
  await card.getByRole('button', { name: 'Edit' }).click();
  await card.getByLabel('Title').fill('Walk with Jo');
  await user.agent.post('/agent/withdraw', { uid }).expect(200);
  await card.getByText('These changes were not sent. You can copy them.').waitFor();
  expect(await card.getByRole('button', { name: /^(?:Approve|Only save)/ }).count()).toBe(0);
  await card.getByLabel('Title').press('Enter');
  expect(await card.getByLabel('Title').inputValue()).toBe('Walk with Jo');
  expect(await page.locator('.messages [data-bad]').count()).toBe(0);
  await card.getByRole('button', { name: 'Close' }).click();
  await card.getByRole('button', { name: 'Bring them back' }).click();
  expect(await card.getByLabel('Title').inputValue()).toBe('Walk with Jo');
  expect(faults).toEqual([]);
});
