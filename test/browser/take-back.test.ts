/** A person undoes all that one agent caused: what goes and what stays is shown before, and one undo brings it back. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { consoleOfFile, looksOf, openAt } from '../support/console-visit.ts';
import type { TestUser } from '../support/app.ts';
import { dayAhead } from '../support/today.ts';

const service = consoleOfFile();

const day = dayAhead(3);

const plan = async (user: TestUser, title: string, at: string): Promise<{ uid: string; linked_event_uid: string }> => {
  const actions = [{ action_type: 'schedule', title, scheduled_for: `${day}T${at}`, duration_minutes: 45 }];
  const [{ uid }] = (await user.agent.post('/agent/plan', { actions }).expect(200)).body;
  return { uid, linked_event_uid: '' };
};
const book = async (user: TestUser, title: string, at: string): Promise<string> => {
  const { uid } = await plan(user, title, at);
  return (await user.post('/agent/approve', { uid }).expect(200)).body.linked_event_uid;
};
const titles = async (user: TestUser): Promise<string[]> =>
  ((await user.get(`/calendar/events?start=${day}&end=${day}`).expect(200)).body as { title: string }[])
    .map(({ title }) => title)
    .toSorted();

const dialog = (page: Page) => page.getByRole('dialog', { name: /^Undo what .* caused$/ });

/** A person whose agent has done something. */
const visit = async (look = {}) => {
  const visited = await service.visit('', look);
  const { user, page } = visited;
  await book(user, 'Focus', '10:00');
  const changed = await book(user, 'Reading', '14:00');
  await user.patch('/calendar/edit', { uid: changed, updates: { title: 'Reading with Jo' } }).expect(200);
  await plan(user, 'Walk', '16:00');
  await user.agent
    .post('/memory/push', { traces: [{ uid: 'its', type: 'observation', content: 'Tides were high' }] })
    .expect(201);
  await openAt(page, service.app, 'agents');
  await page.getByRole('button', { name: 'Undo what it caused…' }).click();
  await dialog(page).getByText('Focus').first().waitFor();
  return visited;
};

test('what goes and what stays is shown, then it is undone, and one undo brings it back', async () => {
  const { user, page, faults } = await visit();
  const text = await dialog(page).innerText();
  expect(text).toContain('Nothing is done yet. All of it can be undone together afterwards.');
  expect(text).toMatch(/Would be undone \(1\)\s+Focus/);
  expect(text).toMatch(/Would wait no longer \(1\)\s+Walk/);
  expect(text).toMatch(/Notes that would change \(1\)\s+Tides were high\s+removed/);
  expect(text).toMatch(
    /Would stay \(1\)\s+Reading\s+The event .*was changed again since \(version 2, \w+ \d+ \w+, [\d:]+\)/,
  );
  const strip = dialog(page).getByRole('list', { name: /what would be there/ });
  await strip.getByText('Reading with Jo').waitFor();
  expect(await strip.locator('[data-is="gone"]').allInnerTexts()).toEqual([expect.stringMatching('Focus')]);
  expect(await looksOf(page)).toEqual([]);
  await dialog(page).getByRole('button', { name: 'Undo 2 plans and 1 note', disabled: false }).click();
  await page.getByText(/^Taken back of .*: 2 plans and 1 note$/).waitFor();
  expect(await titles(user)).toEqual(['Reading with Jo']);
  expect((await user.get('/agent/queue').expect(200)).body).toEqual([]);
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await page.getByText(/^As before: 2 plans and 1 note/).waitFor();
  expect(await titles(user)).toEqual(['Focus', 'Reading with Jo']);
  expect((await user.get('/agent/queue').expect(200)).body).toMatchObject([{ title: 'Walk' }]);
  await user.get('/memory/history?uid=its').expect(200);
  expect(faults).toEqual([]);
});

test('what the agent does meanwhile is listed, and a later day has nothing', async () => {
  const { user, page, faults } = await visit();
  await plan(user, 'Swim', '18:00');
  await dialog(page).getByText('Swim').waitFor();
  await dialog(page).getByRole('button', { name: 'Undo 3 plans and 1 note', disabled: false }).waitFor();
  await dialog(page).getByRole('button', { name: 'Everything' }).click();
  await dialog(page).getByText('Swim').waitFor();
  // A moment, in the zone of the person: two days ahead nothing has happened yet.
  await dialog(page)
    .getByLabel('Since', { exact: true })
    .fill(`${dayAhead(2)}T09:30`);
  await dialog(page).getByText('It caused nothing that can be taken back.').waitFor();
  await dialog(page).getByRole('button', { name: 'Last hour' }).click();
  await dialog(page).getByText('Swim').waitFor();
  expect(await dialog(page).getByLabel('Since', { exact: true }).inputValue()).toBe('');
  await dialog(page).getByRole('button', { name: 'Cancel' }).click();
  expect(await titles(user)).toEqual(['Focus', 'Reading with Jo']);
  await page.getByText('Agents and keys').first().waitFor();
  expect(faults).toEqual([]);
});

test('what the agent did after the list that was read stays', async () => {
  const { user, page, faults } = await visit();
  const undo = dialog(page).getByRole('button', { name: 'Undo 2 plans and 1 note', disabled: false });
  await undo.waitFor();
  // From now on the list comes too late.
  await page.route('**/agent/take-back', async (route) => {
    if (route.request().postDataJSON().simulate !== true) await route.continue();
  });
  await plan(user, 'Swim', '18:00');
  await undo.click();
  await page.getByText(/^Taken back of .*: 2 plans and 1 note$/).waitFor();
  expect((await user.get('/agent/queue').expect(200)).body).toMatchObject([{ title: 'Swim' }]);
  expect(faults).toEqual([]);
});

test('an occurrence that was cancelled: the others of its series are not drawn as gone', async () => {
  const { user, page, faults } = await service.visit();
  const given = { title: 'Stand-up', scheduled_for: `${day}T09:00`, duration_minutes: 15, rrule: 'FREQ=DAILY;COUNT=5' };
  const { body: series } = await user.post('/calendar/create', given).expect(201);
  const next = dayAhead(4);
  const [one] = (await user.get(`/calendar/events?start=${next}&end=${next}`).expect(200)).body;
  const cancel = {
    ...{ action_type: 'reschedule', title: 'Cancel one', target_event_uid: series.uid },
    arguments: { cancel: true, recurrence_id: one.recurrence_id },
  };
  const [{ uid }] = (await user.agent.post('/agent/plan', { actions: [cancel] }).expect(200)).body;
  await user.post('/agent/approve', { uid }).expect(200);
  await book(user, 'Focus', '11:00');
  await openAt(page, service.app, 'agents');
  await page.getByRole('button', { name: 'Undo what it caused…' }).click();
  await dialog(page).getByText('The series Stand-up is as before').waitFor();
  const strip = dialog(page).getByRole('list', { name: /what would be there/ });
  await strip.getByText('Stand-up').waitFor();
  expect(await strip.locator('[data-is="gone"]').allInnerTexts()).toEqual([expect.stringMatching('Focus')]);
  expect(faults).toEqual([]);
});

test('on a phone', async () => {
  const { user, page, faults } = await visit({ width: 360, height: 740 });
  await dialog(page).getByRole('button', { name: 'Undo 2 plans and 1 note', disabled: false }).click();
  await page.getByText(/^Taken back of/).waitFor();
  expect(await titles(user)).toEqual(['Reading with Jo']);
  expect(faults).toEqual([]);
});
