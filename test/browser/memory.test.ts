/** Memory in the console: found and explained, as a timeline, and one trace with its versions, links, rating and notes. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { consoleOfFile, looksOf } from '../support/console-visit.ts';
import { dayAhead, weekAhead } from '../support/today.ts';

const service = consoleOfFile();

test('a trace is found and explained, shows what its versions changed, and goes back to one of them', async () => {
  const { user, page, faults } = await service.visit();
  const traces = [
    { uid: 'kitchen', content: 'The kitchen will be green.', task_id: 'kitchen', linked_trace_ids: ['offer', 'lost'] },
    { uid: 'offer', content: 'The painter asks 1,400.', task_id: 'kitchen' },
    { uid: 'reply', content: 'The offer is fine.', task_id: 'kitchen', linked_trace_ids: ['kitchen'] },
  ].map((one) => ({ type: 'observation', ...one }));
  await user.post('/memory/push', { traces }).expect(201);
  await user.patch('/memory/edit', { uid: 'kitchen', updates: { content: 'The kitchen will be blue.' } }).expect(200);
  await page.getByRole('link', { name: 'Memory' }).click();
  await page.getByLabel('Search memory').fill('kitchen colour');
  await page.keyboard.press('Enter');
  const hit = page.getByRole('listitem').filter({ hasText: 'The kitchen will be blue' }).first();
  await hit.getByText('Why this one').click();
  await hit.getByText(/It has the words “kitchen”/).waitFor();
  expect(await page.locator('mark').first().innerText()).toBe('kitchen');
  await hit.getByRole('button').click();
  const trace = page.getByRole('article', { name: 'Trace' });
  await trace.locator('del').getByText('green.').waitFor();
  await trace.locator('ins').getByText('blue.').waitFor();
  const graph = trace.getByRole('group', { name: 'Graph of the links' });
  await expect.poll(() => graph.getByRole('link').count()).toBe(3);
  await trace.getByText('Links as a list').click();
  await trace.getByText('It links to lost, which does not exist').waitFor();
  await trace.getByText('It is linked from The offer is fine.').waitFor();
  expect(await looksOf(page)).toEqual([]);
  await page.getByRole('button', { name: 'See everything as of then' }).last().click();
  await page.getByRole('button', { name: /The kitchen will be green/ }).waitFor();
  expect(await trace.getByRole('button', { name: 'Edit' }).count()).toBe(0);
  expect(await looksOf(page)).toEqual([]);
  await page.getByRole('button', { name: 'Back to now' }).click();
  await graph.getByRole('link', { name: /links to: The painter/ }).focus();
  await page.keyboard.press('Enter');
  await trace.getByText('The painter asks 1,400.').first().waitFor();
  await page.getByRole('button', { name: 'By task' }).click();
  await page.getByRole('heading', { name: 'kitchen (3)' }).waitFor();
  expect(await looksOf(page)).toEqual([]);
  expect(faults).toEqual([]);
});

test('text, tags and notes are edited in place, a rating is given, and a stale edit is refused in the words of the service', async () => {
  const { user, page } = await service.visit();
  const first = { uid: 'boat', type: 'observation', content: 'The boat leaks.' };
  await user.post('/memory/push', { traces: [first] }).expect(201);
  await page.goto(`${service.app.url}/console/memory?trace=boat`);
  const trace = page.getByRole('article', { name: 'Trace' });
  await trace.getByRole('button', { name: 'Edit' }).click();
  await trace.getByLabel('Text').fill('The boat leaks at the stern.');
  await trace.getByLabel('Comment').fill('Ask Ben.');
  await trace.getByLabel('Tags').fill('boat repair');
  await trace.getByRole('button', { name: 'Save' }).click();
  await trace.locator('ins').getByText('at the stern.').waitFor();
  await trace.getByText('Ask Ben.').first().waitFor();
  await trace.getByRole('radio', { name: '4, good' }).check({ force: true });
  await expect
    .poll(async () => (await user.get('/memory/history?uid=boat').expect(200)).body[0].trace)
    .toMatchObject({ tags: ['boat', 'repair'], notes: 'Ask Ben.', feedback_rating: 4 });
  await trace.getByRole('button', { name: 'Edit' }).click();
  await trace.getByLabel('Text').fill('Mine.');
  await page.route('**/memory/edit', async (route) => {
    await user.patch('/memory/edit', { uid: 'boat', updates: { content: 'Of somebody else.' } }).expect(200);
    await route.continue();
  });
  await trace.getByRole('button', { name: 'Save' }).click();
  await page.locator('[role=status]').getByText('This note was changed in another place meanwhile').waitFor();
  expect(await trace.getByLabel('Text').inputValue()).toBe('Mine.');
});

test('a plan shows who proposed and who decided', async () => {
  const { user, page, faults } = await service.visit();
  const action = { action_type: 'log', title: 'Note it', content: 'Noted.' };
  const { body } = await user.agent.post('/agent/plan', { actions: [action] }).expect(200);
  await user.post('/agent/reject', { uid: body[0].uid, note: 'Not now.' }).expect(200);
  await page.goto(`${service.app.url}/console/memory?trace=${body[0].uid}`);
  await page.getByText(/^proposed by agent, /).waitFor();
  await page.getByText(/rejected by you, .*: Not now\./).waitFor();
  // The record of the decision is a child of the plan and links to it, and is one node of the graph.
  await page.getByRole('heading', { name: 'Links (1)' }).waitFor();
  expect(faults).toEqual([]);
});

test('a note is written, changed, restored, and the restoring is undone', async () => {
  const { user, page, faults } = await service.visit('memory');
  await page.getByRole('button', { name: 'New note' }).click();
  const form = page.getByRole('article', { name: 'New note' });
  await page.keyboard.type('The key is under the pot.');
  await form.getByLabel('Tags').fill('home keys');
  expect(await looksOf(page)).toEqual([]);
  await form.getByRole('button', { name: 'Save note' }).click();
  const trace = page.getByRole('article', { name: 'Trace' });
  const versions = trace.locator('ol.versions > li');
  await trace.getByText('The key is under the pot.').waitFor();
  expect(await trace.getByRole('button', { name: 'Restore this version' }).count()).toBe(0);
  await trace.getByRole('button', { name: 'Edit' }).click();
  await trace.getByLabel('Text').fill('The key is with Ben.');
  await trace.getByRole('button', { name: 'Save', exact: true }).click();
  const text = async (): Promise<string> => {
    const { body } = await user.get('/memory/pull?tag=keys').expect(200);
    return body[0].content;
  };
  await expect.poll(text).toBe('The key is with Ben.');
  await versions.last().getByText('The key is under the pot.').waitFor();
  // The second click of a double click restores nothing over the first one.
  await trace.getByRole('button', { name: 'Restore this version' }).dblclick();
  await page.getByText('Restored: version 1').waitFor();
  await expect.poll(text).toBe('The key is under the pot.');
  await page.getByRole('button', { name: 'Undo' }).first().click();
  await expect.poll(text).toBe('The key is with Ben.');
  await expect.poll(() => versions.count()).toBe(4);
  expect(await looksOf(page)).toEqual([]);
  expect(faults).toEqual([]);
});

/** A new note, and then another text of it. */
const writeAndChange = async (page: Page): Promise<void> => {
  await page.goto(`${service.app.url}/console/memory?write=`);
  await page.getByRole('textbox', { name: 'Text' }).fill('The key is under the pot.');
  await page.getByRole('button', { name: 'Save note' }).click();
  const trace = page.getByRole('article', { name: 'Trace' });
  await trace.getByRole('button', { name: 'Edit' }).click();
  await trace.getByLabel('Text').fill('The key is with Ben.');
  await trace.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('The note is saved as a new version.').waitFor();
};

test('an undo of what was written before a later change says so, and changes nothing', async () => {
  const { user, page } = await service.visit();
  await writeAndChange(page);
  const older = page
    .getByRole('status')
    .locator('p')
    .filter({ hasText: /^The note is saved\.Undo/ });
  await older.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('You have changed this note since then. Undo the later change first.').waitFor();
  const { body } = await user.get('/memory/pull').expect(200);
  expect(body).toMatchObject([{ content: 'The key is with Ben.' }]);
});

test('a note that was saved or changed is taken back by a key, which says what is so now, and done again', async () => {
  const { user, page, faults } = await service.visit();
  const texts = async (): Promise<string[]> =>
    (await user.get('/memory/pull').expect(200)).body.map(({ content }: { content: string }) => content);
  await writeAndChange(page);
  await page.keyboard.press('z');
  const first = ['The key is under the pot.'];
  const before = page.getByText('Taken back: the note “The key is under the pot.” has its earlier text again.');
  await before.waitFor();
  expect(await texts()).toEqual(first);
  await page.keyboard.press('Control+y');
  await page.getByText('The note is saved as a new version.').waitFor();
  expect(await texts()).toEqual(['The key is with Ben.']);
  await page.keyboard.press('z');
  await before.waitFor();
  expect(await texts()).toEqual(first);
  await page.keyboard.press('z');
  await page.getByText('Taken back: the note “The key is under the pot.” is removed.').waitFor();
  expect(await texts()).toEqual([]);
  await page.keyboard.press('Control+y');
  await page.getByText('The note is saved.').waitFor();
  expect(await texts()).toEqual(first);
  expect(faults).toEqual([]);
});

test('a note is removed at once, and comes back by undo, and later by its history', async () => {
  const { user, page, faults } = await service.visit();
  await user
    .post('/memory/push', { traces: [{ uid: 'pot', type: 'observation', content: 'In the pot.' }] })
    .expect(201);
  const all = async (): Promise<number> => (await user.get('/memory/pull').expect(200)).body.length;
  await page.goto(`${service.app.url}/console/memory?trace=pot`);
  const trace = page.getByRole('article', { name: 'Trace' });
  await trace.getByRole('button', { name: 'Remove' }).click();
  await page.getByText('The note is removed.').waitFor();
  await trace.getByText('This was removed.').waitFor();
  expect(await trace.getByRole('button', { name: /^(?:Edit|Remove)$/ }).count()).toBe(0);
  expect(await all()).toBe(0);
  expect(await looksOf(page)).toEqual([]);
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await expect.poll(all).toBe(1);
  await trace.getByRole('button', { name: 'Remove' }).click();
  await expect.poll(all).toBe(0);
  await page.reload();
  await trace.getByRole('button', { name: 'Restore this version' }).first().click();
  await expect.poll(all).toBe(1);
  await trace.getByRole('button', { name: 'Edit' }).waitFor();
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await expect.poll(all).toBe(0);
  expect(faults).toEqual([]);
});

test('notes come first; proposals, decisions and the calendar are behind a filter, and so are people, tasks and days', async () => {
  const { user, page, faults } = await service.visit();
  const note = (content: string, more = {}) => ({ traces: [{ type: 'observation', content, ...more }] });
  await user.post('/memory/push', note('The boat leaks.', { task_id: 'boat' })).expect(201);
  await user.post('/memory/push', note('An old note.', { timestamp: dayAhead(-40) })).expect(201);
  await user.agent.post('/memory/push', note('The tide is high.')).expect(201);
  const { body } = await user.agent
    .post('/agent/plan', {
      actions: [
        { action_type: 'schedule', title: 'Walk', scheduled_for: `${weekAhead(1)}T09:00`, duration_minutes: 30 },
      ],
    })
    .expect(200);
  await user.post('/agent/reject', { uid: body[0].uid, note: 'too early' }).expect(200);
  await user
    .post('/calendar/create', { title: 'Dentist', scheduled_for: `${weekAhead(1)}T15:00`, duration_minutes: 60 })
    .expect(201);
  await user.post('/chat/respond', { prompt: 'What did I note about the boat?' }).expect(200);
  await page.getByRole('link', { name: 'Memory' }).click();
  const hits = page.locator('.hits > li');
  const texts = async (): Promise<string[]> =>
    (await hits.allInnerTexts()).map((text) => text.split('\n')[0] as string).toSorted();
  await expect.poll(texts).toEqual(['An old note.', 'The boat leaks.', 'The tide is high.']);
  const by = page.getByLabel(/^By/);
  await by.selectOption({ label: 'agent' });
  await expect.poll(texts).toEqual(['The tide is high.']);
  await by.selectOption({ label: 'you' });
  await page.getByLabel('From').fill(dayAhead(-2));
  await expect.poll(texts).toEqual(['The boat leaks.']);
  await page.getByLabel('From').fill(dayAhead(2));
  await page.getByText('No note is like that.').waitFor();
  await page.getByLabel('From').fill('');
  await page.getByRole('button', { name: 'By task' }).click();
  await expect.poll(() => hits.count()).toBe(2);
  await page.getByRole('button', { name: 'Only this task' }).click();
  await expect.poll(texts).toEqual(['The boat leaks.']);
  await page.getByRole('button', { name: 'Task boat ×' }).click();
  await page.getByRole('button', { name: 'List', exact: true }).click();
  await page.getByLabel('From').fill('');
  await by.selectOption({ label: 'anyone' });
  const show = page.getByLabel(/^Show/);
  await show.selectOption('decisions');
  await expect.poll(texts).toEqual(['The person rejected the proposal “Walk”: too early']);
  await show.selectOption('changes of the calendar');
  await expect.poll(texts).toEqual([expect.stringMatching(/^Created: Dentist/)]);
  await show.selectOption('the chat');
  await expect.poll(texts).toEqual([expect.stringMatching(/^This is what I found/), 'What did I note about the boat?']);
  await show.selectOption('proposals');
  await expect.poll(() => hits.count()).toBe(1);
  await hits.getByRole('button').first().click();
  const trace = page.getByRole('article', { name: 'Trace' });
  await trace
    .getByText(/^Rejected: too early/)
    .first()
    .waitFor();
  expect(await trace.innerText()).not.toMatch(/user:session|[{}]|slot:|limit:/);
  expect(await looksOf(page)).toEqual([]);
  await show.selectOption('everything');
  await expect.poll(() => hits.count()).toBe(8);
  expect(faults).toEqual([]);
});
