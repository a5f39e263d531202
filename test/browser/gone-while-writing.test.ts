/** What a person types of a thing that goes away meanwhile stays in view, and no key decides anything. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { aUser, type TestUser } from '../support/app.ts';
import { consoleOfFile, details, looksOf, openAt } from '../support/console-visit.ts';
import { weekAhead } from '../support/today.ts';

const service = consoleOfFile();

const day = weekAhead(0);
const DAY = `?view=day&date=${day}`;
const reason = (page: Page) => page.getByLabel('Reason, which the agent can read');
const cardOf = (page: Page, title: string) => page.getByRole('article', { name: `Proposal: ${title}` });

const propose = async (user: TestUser, title: string, time: string): Promise<string> =>
  (
    await user.agent
      .post('/agent/plan', {
        actions: [{ action_type: 'schedule', title, scheduled_for: `${day}T${time}`, duration_minutes: 30 }],
      })
      .expect(200)
  ).body[0].uid;

const withdraw = (user: TestUser, uid: string) => user.agent.post('/agent/withdraw', { uid }).expect(200);
const approve = (user: TestUser, uid: string) => user.post('/agent/approve', { uid, expected_version: 1 }).expect(200);
const statusOf = async (user: TestUser, uid: string): Promise<string> =>
  (await user.get(`/agent/plan?uid=${uid}`).expect(200)).body.status;

test.each([
  ['withdrawn', withdraw, 'rejected'],
  ['approved in another tab', approve, 'executed'],
] as const)('a reason stays when its proposal is %s, and cannot be sent', async (_, end, status) => {
  const user = await aUser(service.app);
  const uid = await propose(user, 'Walk', '08:00');
  const next = await propose(user, 'Swim', '09:00');
  const { page, faults } = await service.visit('queue', {}, user);
  const card = cardOf(page, 'Walk');
  await card.getByRole('button', { name: 'Approve', disabled: false }).waitFor();
  await page.keyboard.press('r');
  await page.keyboard.type('It rains, a');
  await end(user, uid);
  await card.getByText('This proposal no longer waits for you. What you have written stays here.').waitFor();
  await card.getByText('This reason was not sent. You can copy it.').waitFor();
  // The next letters are for the field, which keeps the focus.
  await page.keyboard.type('nd more');
  await page.keyboard.press('Enter');
  expect(await reason(page).inputValue()).toBe('It rains, and more');
  expect(await card.getByRole('button', { name: 'Reject' }).count()).toBe(0);
  expect(await looksOf(page)).toEqual([]);
  await card.getByRole('button', { name: 'Close' }).click();
  await reason(page).waitFor({ state: 'detached' });
  await card.getByText('This proposal no longer waits for you.', { exact: true }).waitFor();
  for (const key of ['r', 'a']) await page.keyboard.press(key);
  expect([await statusOf(user, uid), await statusOf(user, next)]).toEqual([status, 'proposed']);
  expect(faults).toEqual([]);
});

test('a reason and a form of a proposal stay in the card of the calendar when it is withdrawn', async () => {
  const { user, page } = await service.visit();
  const [walk, swim] = [await propose(user, 'Walk', '08:00'), await propose(user, 'Swim', '10:00')];
  await openAt(page, service.app, DAY);
  const ghost = (title: string) => page.locator('.block.ghost').filter({ hasText: title }).getByRole('button').first();
  await ghost('Walk').click();
  await cardOf(page, 'Walk').getByRole('button', { name: 'Reject' }).click();
  await reason(page).fill('It rains');
  await withdraw(user, walk);
  await details(page).getByText('What you have written stays here.').waitFor();
  expect(await reason(page).inputValue()).toBe('It rains');
  await page.keyboard.press('Escape');
  await details(page).getByText('This is no longer on the calendar.').waitFor();
  await details(page).getByRole('button', { name: 'Close' }).click();
  await ghost('Swim').click();
  await cardOf(page, 'Swim').getByRole('button', { name: 'Edit' }).click();
  await details(page).getByLabel('Note').fill('Take a towel');
  await withdraw(user, swim);
  await details(page).getByText('What you have written stays here.').waitFor();
  expect(await details(page).getByLabel('Note').inputValue()).toBe('Take a towel');
});

test('a reason stays in the chat when the proposal is withdrawn', async () => {
  const { user, page } = await service.visit('chat');
  await page.getByLabel('Message').fill('Plan a walk tomorrow at 10');
  await page.getByLabel('Message').press('Enter');
  const card = page.getByRole('article', { name: /^Proposal: / });
  await card.getByRole('button', { name: 'Reject' }).click();
  await reason(page).fill('It rains');
  const { body } = await user.get('/agent/queue').expect(200);
  await user.post('/agent/reject', { uid: body[0].uid, expected_version: body[0].version }).expect(200);
  await card.getByText('What you have written stays here.').waitFor();
  expect(await reason(page).inputValue()).toBe('It rains');
  await card.getByRole('button', { name: 'Close' }).click();
  await page.getByText('This proposal no longer waits.', { exact: true }).waitFor();
});

test('the form of a note that is removed stays, also after a reload, and saving brings the note back', async () => {
  const { user, page, faults } = await service.visit();
  await user
    .post('/memory/push', { traces: [{ uid: 'boat', type: 'observation', content: 'The boat leaks.', tags: ['sea'] }] })
    .expect(201);
  await openAt(page, service.app, 'memory?trace=boat');
  const trace = page.getByRole('article', { name: 'Trace' });
  const text = trace.getByLabel('Text');
  await trace.getByRole('button', { name: 'Edit' }).click();
  await text.fill('The boat leaks at the stern');
  await user.delete('/memory/remove?uid=boat').expect(200);
  const save = trace.getByRole('button', { name: 'Save, and bring it back' });
  await trace.getByText('It was removed. What you typed stays here.').waitFor();
  await page.keyboard.type('.');
  expect(await text.inputValue()).toBe('The boat leaks at the stern.');
  expect(await looksOf(page)).toEqual([]);
  await page.reload();
  await save.waitFor();
  expect(await text.inputValue()).toBe('The boat leaks at the stern.');
  await save.click();
  await page.getByText('The note is saved, and is in memory again.').waitFor();
  const { body } = await user.get('/memory/history?uid=boat').expect(200);
  expect(body[0].trace).toMatchObject({ content: 'The boat leaks at the stern.', tags: ['sea'] });
  expect(body[0].trace.removed).toBeUndefined();
  await page.getByRole('button', { name: 'Undo' }).click();
  await trace.getByText('This was removed.').waitFor();
  expect(faults).toEqual([]);
});

test('the form of an event that is removed stays, and makes a new event of what was typed', async () => {
  const { user, page, faults } = await service.visit();
  const { body: event } = await user
    .post('/calendar/create', { title: 'Dentist', scheduled_for: `${day}T15:00`, duration_minutes: 60 })
    .expect(201);
  await openAt(page, service.app, DAY);
  await page.getByRole('button', { name: /^Dentist/ }).click();
  await details(page).getByRole('button', { name: 'Edit' }).click();
  await details(page).getByLabel('Notes').fill('Bring the card');
  await user.delete(`/calendar/remove?uid=${event.uid}`).expect(200);
  await details(page).getByText('This event is no longer on the days that are shown.').waitFor();
  await page.keyboard.type(' ad');
  expect(await details(page).getByLabel('Notes').inputValue()).toBe('Bring the card ad');
  expect(await looksOf(page)).toEqual([]);
  await details(page).getByRole('button', { name: 'Create a new event', disabled: false }).click();
  await page.getByText('Created: Dentist').waitFor();
  await details(page).waitFor({ state: 'detached' });
  const { body } = await user.get(`/calendar/events?start=${day}&end=${day}`).expect(200);
  expect(body).toMatchObject([
    { title: 'Dentist', description: 'Bring the card ad', scheduled_for: event.scheduled_for, duration_minutes: 60 },
  ]);
  expect(body[0].uid).not.toBe(event.uid);
  expect(faults).toEqual([]);
});

test('of a series that is removed while one of it is edited, the new event repeats only where that is chosen', async () => {
  const { user, page } = await service.visit();
  const { body: series } = await user
    .post('/calendar/create', {
      ...{ title: 'Swim', scheduled_for: `${day}T15:00`, duration_minutes: 60 },
      rrule: 'FREQ=DAILY;COUNT=3',
    })
    .expect(201);
  await openAt(page, service.app, DAY);
  await page.getByRole('button', { name: /^Swim/ }).click();
  await details(page).getByRole('button', { name: 'Edit' }).click();
  await details(page).getByLabel('Title').fill('Swim far');
  await user.delete(`/calendar/remove?uid=${series.uid}`).expect(200);
  await details(page).getByText('This event is no longer on the days that are shown.').waitFor();
  expect(await details(page).getByLabel('Repeats').inputValue()).toBe('never');
  await details(page).getByRole('button', { name: 'Create a new event', disabled: false }).click();
  await page.getByText('Created: Swim far').waitFor();
  const { body } = await user.get(`/calendar/events?start=${day}&end=${weekAhead(6)}`).expect(200);
  expect(body.map(({ title }: { title: string }) => title)).toEqual(['Swim far']);
});

test('what was typed into the form of a proposal that was withdrawn is there again after Escape', async () => {
  const user = await aUser(service.app);
  const uid = await propose(user, 'Walk', '08:00');
  const { page, faults } = await service.visit('queue', {}, user);
  const card = cardOf(page, 'Walk');
  await card.getByRole('button', { name: 'Edit' }).click();
  const title = card.getByLabel('Title');
  await title.fill('Walk by the river');
  await withdraw(user, uid);
  await card.getByText('This proposal no longer waits for you. What you have written stays here.').waitFor();
  await page.keyboard.press('Escape');
  await title.waitFor({ state: 'detached' });
  await card.getByRole('button', { name: 'Bring them back' }).click();
  expect(await title.inputValue()).toBe('Walk by the river');
  await page.keyboard.press('Escape');
  // It does not come again with the queue, which shows what waits.
  await page.getByRole('link', { name: 'Ledger' }).click();
  const next = await propose(user, 'Swim', '09:00');
  await page.getByRole('link', { name: /^Queue/ }).click();
  await cardOf(page, 'Swim').waitFor();
  expect([await statusOf(user, uid), await statusOf(user, next)]).toEqual(['rejected', 'proposed']);
  expect(faults).toEqual([]);
});
