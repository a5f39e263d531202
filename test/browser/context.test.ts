/** The context screen: its result as a file, in the words of a person, and the names of checkpoints. */
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { consoleOfFile, looksOf, openAt } from '../support/console-visit.ts';
import { dayAhead } from '../support/today.ts';

const service = consoleOfFile();

type Answer = Record<string, unknown> & { results: { uid: string }[]; groups: { key: string; count: number }[] };
const downloaded = async (page: Page): Promise<{ name: string; answer: Answer }> => {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download', exact: true }).click(),
  ]);
  return { name: file.suggestedFilename(), answer: JSON.parse(await readFile(await file.path(), 'utf8')) };
};

test('the file has what the API answers, of all pages, for the parameters that are shown', async () => {
  const { user, page, faults } = await service.visit();
  for (const [task_id, count] of [
    ['attic', 700],
    ['kitchen', 700],
  ] as const)
    await user
      .post('/memory/push', {
        traces: Array.from({ length: count }, (_, n) => ({ type: 'note', content: `Note ${n}.`, task_id })),
      })
      .expect(201);
  await openAt(page, service.app, 'context?mode=full&group_by=task');
  await page.getByText('100 results, and more on further pages').waitFor();
  const { name, answer } = await downloaded(page);
  expect(name).toBe(`almanac-context-${dayAhead(0)}.json`);
  await page.getByText(`Downloaded: ${name}, 1,400 results.`).waitFor();
  expect(answer).toMatchObject({ export_format: 'full', next_cursor: null });
  expect(answer.groups).toEqual([
    { key: 'attic', count: 700 },
    { key: 'kitchen', count: 700 },
  ]);
  const { body: all } = await user.get('/memport/export?export_format=full&group_by=task').expect(200);
  expect(answer.results.slice(0, 1000)).toEqual(all.results);
  expect(new Set(answer.results.map(({ uid }) => uid)).size).toBe(1400);
  // A summary has one page, whose answer is the file.
  await page.getByLabel('Summary: short lines').check();
  await page.getByRole('textbox', { name: 'Task' }).fill('kitchen');
  await page.getByText(/^Left out: \d+ traces/).waitFor();
  await page.getByLabel('curl', { exact: true }).getByText('task_id=kitchen').waitFor();
  const { answer: summary } = await downloaded(page);
  const asked = 'export_format=summary&task_id=kitchen&group_by=task&max_token_count=4000';
  const { body } = await user.get(`/memport/export?${asked}`).expect(200);
  expect({ ...summary, generated_at: '' }).toEqual({ ...body, generated_at: '' });
  expect(faults).toEqual([]);
});

test('the preview says types, changes and links in words', async () => {
  const { user, page, faults } = await service.visit();
  const note = { uid: 'paint', type: 'observation', content: 'The kitchen will be green.', task_id: 'kitchen' };
  await user.post('/memory/push', { traces: [note] }).expect(201);
  const linked = { uid: 'later', type: 'observation', content: 'Buy the paint.', linked_trace_ids: ['paint'] };
  await user.post('/memory/push', { traces: [linked] }).expect(201);
  const action = {
    action_type: 'schedule',
    title: 'Paint',
    scheduled_for: `${dayAhead(3)}T10:00`,
    duration_minutes: 60,
  };
  await user.agent.post('/agent/plan', { actions: [action] }).expect(200);
  const { seq } = (await user.get('/agent/changes').expect(200)).body;
  await user
    .patch('/memory/edit', { uid: 'paint', updates: { content: 'It will be blue.', tags: ['home'] } })
    .expect(200);
  const results = page.getByRole('region', { name: 'The results' });
  await openAt(page, service.app, `context?mode=diff&from=${seq}`);
  await results.getByText(/^changed: tags, text$/).waitFor();
  await results.getByText('Tags: home; Text: It will be blue.').waitFor();
  await openAt(page, service.app, 'context?mode=linked&task_id=kitchen');
  await results.getByText(/ · note · kitchen · matches$/).waitFor();
  await openAt(page, service.app, 'context?mode=full&group_by=trace_type');
  await results.getByRole('heading', { name: 'Proposal' }).waitFor();
  await results.getByText(/ · proposal$/).waitFor();
  await page.getByLabel('Type', { exact: true }).fill('Proposals');
  await expect.poll(() => new URL(page.url()).searchParams.get('type')).toBe('agent_plan');
  await page.reload();
  expect(await page.getByLabel('Type', { exact: true }).inputValue()).toBe('proposal');
  await page.getByLabel('Task', { exact: true }).fill('nothing has this');
  await page.getByText(/ · nothing found/).waitFor();
  await openAt(page, service.app, 'context?mode=full&group_by=trace_type');
  await results.getByRole('heading', { name: 'Proposal' }).waitFor();
  expect(await results.innerText()).not.toMatch(/agent_plan|observation|depth|replace|\/\w/);
  expect(await looksOf(page)).toEqual([]);
  expect(faults).toEqual([]);
});

test('a checkpoint gets a name without spaces, and the field says what is allowed', async () => {
  const { user, page, faults } = await service.visit('context');
  const field = page.getByLabel('Name', { exact: true });
  const fault = (): Promise<string> =>
    field.evaluate((input) => (input as unknown as { validationMessage: string }).validationMessage);
  await page.getByText('A space becomes “-”.').waitFor();
  for (const [name, said] of [
    ['Größe', /^A name has letters from a to z or A to Z, digits and _ \. @ : \+ -, and no others\.$/],
    ['2026', /^A name of digits alone would be a ledger number/],
    ['   ', /^Write a name\.$/],
  ] as const) {
    await field.fill(name);
    await page.getByRole('button', { name: 'Save as checkpoint' }).click();
    expect(await fault()).toMatch(said);
  }
  await field.fill(' before trip');
  await page.getByText('It is saved as “before-trip”.').waitFor();
  expect(await fault()).toBe('');
  expect(await looksOf(page)).toEqual([]);
  await page.getByRole('button', { name: 'Save as checkpoint' }).click();
  await page.getByText('Saved: before-trip, with “-” for spaces').waitFor();
  await user.get('/memport/export?from_checkpoint=before-trip').expect(200);
  await page.getByText(/^Summary · ledger number \d+/).waitFor();
  expect(faults).toEqual([]);
});
