/** The time machine: everything follows, nothing can be changed, and nobody forgets to be in the past. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aConsole, looksOf, openAt, type VisitedConsole } from '../support/console-visit.ts';
import { dayAhead } from '../support/today.ts';

let service: VisitedConsole;
beforeAll(async () => {
  service = await aConsole();
});
afterAll(() => service.close());

const day = dayAhead(14);

test('calendar, queue and memory show what was known; changes since are listed; each change can be stepped through', async () => {
  const { user, page, faults } = await service.visit();
  const lunch = { title: 'Lunch', scheduled_for: `${day}T12:00`, duration_minutes: 45 };
  const { body: event } = await user.post('/calendar/create', lunch).expect(201);
  const action = { action_type: 'schedule', title: 'Long ago', scheduled_for: `${day}T10:00`, duration_minutes: 60 };
  const { body: plans } = await user.agent.post('/agent/plan', { actions: [action] }).expect(200);
  const { seq } = (await user.get(`/agent/plan?uid=${plans[0].uid}`).expect(200)).body;
  await user.post('/agent/reject', { uid: plans[0].uid }).expect(200);
  await user.patch('/calendar/edit', { uid: event.uid, updates: { scheduled_for: `${day}T13:00` } }).expect(200);
  await user.post('/memory/push', { traces: [{ type: 'observation', content: 'It is late.' }] }).expect(201);

  await openAt(page, service.app, `?view=week&date=${day}`);
  await page.getByRole('button', { name: 'Time machine' }).click();
  await page.getByLabel('or ledger number').fill(String(seq));
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  const banner = page.getByRole('region', { name: 'Time machine' });
  await banner.getByText(`ledger number ${seq}`).waitFor();
  await banner.getByText(/Last recorded: plan proposed/).waitFor();
  expect(await page.title()).toBe('In the past – Calendar – Almanac');
  await page
    .getByRole('button', { name: /^Lunch/ })
    .getByText('12:00')
    .waitFor();
  await page.getByRole('button', { name: /^Proposal of agent: Long ago/ }).click();
  await page.getByText('It waited for a decision at that time.').waitFor();
  expect(await page.getByRole('button', { name: /Approve|Reject|New event/ }).count()).toBe(0);
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: 'What changed since' }).click();
  const list = page.getByRole('dialog', { name: 'What changed since' });
  await list.getByRole('heading', { name: /^New since then/ }).waitFor();
  await list.getByText('It is late.').waitFor();
  await list.getByText('status: rejected').waitFor();
  await list.getByText(/time: .*13:00/).waitFor();
  expect(await looksOf(page)).toEqual([]);
  await list.getByRole('button', { name: 'Close' }).click();

  await page.getByRole('link', { name: /^Queue/ }).click();
  await page.getByRole('heading', { name: 'Long ago' }).waitFor();
  await banner.getByRole('button', { name: 'One change earlier' }).click();
  await page.getByText('Nothing waited for a decision then.').waitFor();
  expect(page.url()).toMatch(`asof=${seq - 1}`);
  await page.getByRole('link', { name: 'Memory' }).click();
  await page.getByLabel(/^Show/).selectOption('everything');
  await page.getByRole('button', { name: /Lunch/ }).first().waitFor();
  expect(await page.getByText('It is late.').count()).toBe(0);
  await page.getByRole('link', { name: 'Account' }).click();
  await banner.getByText('this screen always shows now').waitFor();
  await page.getByRole('link', { name: 'Memory' }).click();
  await banner.getByRole('button', { name: 'Back to now' }).click();
  await page.getByText('It is late.').waitFor();
  expect(await banner.count()).toBe(0);
  expect(faults).toEqual([]);
});

test('a phone is in the past too, by a time in the zone of the profile', async () => {
  const { user, page, faults } = await service.visit('', { width: 360, height: 740 });
  await user.post('/memory/push', { traces: [{ type: 'observation', content: 'New.' }] }).expect(201);
  await page.getByRole('button', { name: 'Time machine' }).click();
  await page.getByRole('button', { name: 'An hour ago' }).click();
  await page.getByRole('link', { name: 'Memory' }).click();
  await page.getByText('No note was here then.').waitFor();
  expect(await looksOf(page)).toEqual([]);
  expect(faults).toEqual([]);
});

test('a trace that was not known then is no fault', async () => {
  const { user, page } = await service.visit();
  const early = { uid: 'early', type: 'observation', content: 'It is early.' };
  await user.post('/memory/push', { traces: [early] }).expect(201);
  const { body } = await user.get('/agent/changes').expect(200);
  await user.post('/memory/push', { traces: [{ ...early, uid: 'late', content: 'It is late.' }] }).expect(201);
  await openAt(page, service.app, `memory?trace=late&asof=${body.seq}`);
  await page.getByText('This trace was not known then.').waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
});
