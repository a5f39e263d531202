/** The chat: what was understood, what is proposed in the reply and on the calendar beside it, and what it looks like. */
import { expect, test } from 'vitest';
import { consoleOfFile, looksOf, openAt } from '../support/console-visit.ts';
import { dayAhead } from '../support/today.ts';

const service = consoleOfFile();

const day = dayAhead(10);

test('a sentence becomes a ghost on the calendar beside it, with what was understood, and is approved in the reply', async () => {
  const { user, page, faults } = await service.visit('chat');
  const dentist = { title: 'Dentist', scheduled_for: `${day}T11:00`, duration_minutes: 45 };
  await user.post('/calendar/create', dentist).expect(201);
  await page.getByLabel('Message').fill(`Plan 45 minutes of deep work on #thesis on ${day} after 15:00`);
  await page.keyboard.press('Enter');
  const chips = page.getByRole('list', { name: 'How the words were read' }).getByRole('listitem');
  await chips.filter({ hasText: /^When.*in free time .* 15:00/ }).waitFor();
  // The card and the chips say the rest.
  expect(await page.getByRole('list', { name: 'Understood as' }).count()).toBe(0);
  const card = page.getByRole('article', { name: 'Proposal: Deep work on thesis' });
  for (const fact of [/15:00 · 45 min/, 'thesis · @deep_work']) await card.getByText(fact).waitFor();
  const calendar = page.getByRole('complementary', { name: 'Calendar' });
  const ghost = calendar.getByRole('button', { name: /^Proposal of You: Deep work on thesis/ });
  await ghost.waitFor();
  await calendar.getByRole('button', { name: /^Dentist/ }).waitFor();
  expect(await looksOf(page)).toEqual([]);
  await page
    .getByRole('article', { name: /^Proposal: / })
    .getByRole('button', { name: 'Approve' })
    .click();
  await page.getByText('This proposal no longer waits.').waitFor();
  await calendar.getByRole('button', { name: /^Deep work on thesis/ }).waitFor();
  expect(await ghost.count()).toBe(0);
  const { body } = await user.get(`/calendar/events?start=${day}&end=${day}`).expect(200);
  expect(body).toMatchObject([{ title: 'Dentist' }, { title: 'Deep work on thesis', duration_minutes: 45 }]);
  expect(faults).toEqual([]);
});

test('says what reads the sentences, in light and dark', async () => {
  for (const dark of [false, true]) {
    const { page, faults } = await service.visit('chat', { dark });
    await page.getByText(/^Sentences are read by the built-in planner, in English/).waitFor();
    expect(await looksOf(page)).toEqual([]);
    expect(faults).toEqual([]);
  }
});

test('a move names the event, a question its time, and the calendar follows both', async () => {
  const { user, page, faults } = await service.visit('chat');
  const dentist = { title: 'Dentist', scheduled_for: `${day}T11:00`, duration_minutes: 45 };
  await user.post('/calendar/create', dentist).expect(201);
  const calendar = page.getByRole('complementary', { name: 'Calendar' });
  const understood = page.getByRole('list', { name: 'Understood as' }).last().getByRole('listitem');
  await page.getByLabel('Message').fill(`What is on my calendar on ${day}?`);
  await page.keyboard.press('Enter');
  await understood.filter({ hasText: /^Question what is on the calendar$/ }).waitFor();
  await calendar.getByRole('button', { name: /^Dentist/ }).waitFor();
  await page.getByLabel('Message').fill(`Move the dentist to ${dayAhead(20)} at 16:00`);
  await page.keyboard.press('Enter');
  await understood.filter({ hasText: /^Change the event Dentist$/ }).waitFor();
  await page
    .getByRole('article', { name: /^Proposal: .*Dentist/ })
    .getByText(/16:00/)
    .first()
    .waitFor();
  await calendar.getByRole('button', { name: /^Proposal of You: .*Dentist/ }).waitFor();
  expect(faults).toEqual([]);
});

test('what a sentence withdraws is said, taken back, and told by the ledger as an answer of the chat', async () => {
  const { user, page, faults } = await service.visit('chat');
  const say = async (text: string): Promise<void> => {
    await page.getByLabel('Message', { exact: true }).fill(text);
    await page.keyboard.press('Enter');
  };
  const waiting = async (): Promise<string[]> =>
    (await user.get('/agent/queue').expect(200)).body.map(({ title }: { title: string }) => title);
  await say(`Read for an hour on ${day} at 17:00`);
  await page.getByRole('article', { name: /^Proposal: Read/ }).waitFor();
  await say('cancel that');
  await page
    .getByText(/^I have withdrawn “Read”/)
    .first()
    .waitFor();
  expect(await page.getByText('Withdrawn: Read').count()).toBe(1);
  expect(await page.locator('.failure').count()).toBe(0);
  expect(await waiting()).toEqual([]);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(waiting).toEqual(['Read']);
  expect(await looksOf(page)).toEqual([]);
  await openAt(page, service.app, 'ledger');
  await page.getByText(/^“I have withdrawn “Read”.*” was answered in the chat$/).waitFor();
  await page.getByText('You said “cancel that” in the chat').waitFor();
  expect(faults).toEqual([]);
});

test('a phone has no calendar beside the chat, and a way to it', async () => {
  const { page, faults } = await service.visit('chat', { width: 360, height: 740 });
  await page.getByLabel('Message').fill(`Schedule the review on ${day} at 14:00 for 45 minutes`);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Show on the calendar' }).click();
  await page.getByRole('button', { name: /^Proposal of You: .*review/i }).waitFor();
  expect(page.url()).toMatch(`date=${day}`);
  expect(faults).toEqual([]);
});

test('a taken time is said once, in words, and a free time is a button', async () => {
  const { user, page, faults } = await service.visit('chat');
  await user
    .post('/calendar/create', { title: 'Theatre', scheduled_for: `${day}T19:00`, duration_minutes: 120 })
    .expect(201);
  await page.getByLabel('Message').fill(`Dinner with Jo on ${day} at 19:00 for 2 hours`);
  await page.keyboard.press('Enter');
  const choices = page.getByRole('group', { name: 'Choices' }).getByRole('button');
  await choices.first().waitFor();
  const said = await page.locator('.exchanges').innerText();
  expect(said).toMatch(/I propose nothing\. At the time of “Dinner with Jo” there is “Theatre”/);
  expect(said.match(/not possible, because that time is taken/g)).toHaveLength(1);
  expect(said).not.toMatch(/^1\. /m);
  expect(await choices.count()).toBe(3);
  await choices.nth(1).click();
  await page.getByRole('article', { name: 'Proposal: Dinner with Jo' }).waitFor();
  expect(await looksOf(page)).toEqual([]);
  expect(faults).toEqual([]);
});
