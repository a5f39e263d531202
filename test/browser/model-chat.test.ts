/** The chat with a language model: readings to choose from, a model that takes its time, and one that fails in a dialogue. */
import type { Locator, Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import type { TestUser } from '../support/app.ts';
import { consoleOfFile, looksOf } from '../support/console-visit.ts';
import { aModel, answers, fails, type Behaviour } from '../support/model.ts';
import { ACTION } from '../support/planning.ts';
import { dayAhead } from '../support/today.ts';

const stub = await aModel();
const service = consoleOfFile({ OPENAI_BASE_URL: stub.baseURL });
afterAll(() => stub.close());

const day = dayAhead(10);
const action = (title: string, time: string, more: object = {}) => ({
  ...{ ...ACTION, title, task_id: null, tempo_tag: null, tags: [], duration_minutes: 30 },
  ...{ scheduled_for: `${day}T${time}`, ...more },
});
const proposes = (...actions: object[]): Behaviour => answers({ reply: 'As you wish.', actions });
/** Answers when the test lets it. */
const held = (behaviour: Behaviour) => {
  let answer = (): void => undefined;
  const told = new Promise<void>((resolve) => (answer = resolve));
  const slow: Behaviour = (request, response) => void told.then(() => behaviour(request, response));
  return { slow, answer: () => answer() };
};

const field = (page: Page): Locator => page.getByLabel('Message', { exact: true });
const say = async (page: Page, text: string): Promise<void> => {
  await field(page).fill(text);
  await page.keyboard.press('Enter');
};
const card = (page: Page, title: string): Locator => page.getByRole('article', { name: `Proposal: ${title}` });
const exchange = (page: Page, prompt: string): Locator =>
  page.getByRole('log', { name: 'Conversation' }).locator('> article').filter({ hasText: prompt });
const waiting = async (user: TestUser): Promise<string[]> =>
  (await user.get('/agent/queue').expect(200)).body.map(({ title }: { title: string }) => title);
const focused = (page: Page): Promise<string> =>
  page.evaluate<string>("document.activeElement?.getAttribute('name') ?? document.activeElement?.tagName");
const WAITS = /^Almanac is reading this\./;

test('of two readings nothing is proposed until a button is pressed, and then only that one', async () => {
  const { user, page, faults } = await service.visit('chat');
  const readings = [
    action('Run in the park', '08:00', { choice: 1 }),
    action('Run at the gym', '18:00', { choice: 2 }),
  ];
  const choices = ['in the park at 8:00', 'at the gym at 18:00'];
  stub.script(answers({ reply: 'Where do you want to run?', choices, actions: readings }));
  await say(page, `A run on ${day}`);
  const group = page.getByRole('group', { name: 'Choices' });
  await group.getByRole('button').first().waitFor();
  expect(await group.getByRole('button').allInnerTexts()).toEqual(choices);
  await page.getByText('Where do you want to run?').waitFor();
  // The buttons have the choices, so the reply does not list them.
  expect(await page.locator('.exchanges').innerText()).not.toMatch(/^2\. /m);
  expect(await waiting(user)).toEqual([]);
  expect(await page.getByRole('article', { name: /^Proposal: / }).count()).toBe(0);
  expect(await looksOf(page)).toEqual([]);
  await group.getByRole('button', { name: 'at the gym' }).focus();
  for (const _ of [1, 2]) await page.keyboard.press('Enter');
  await card(page, 'Run at the gym').waitFor();
  expect(await waiting(user)).toEqual(['Run at the gym']);
  await expect.poll(() => exchange(page, 'at the gym at 18:00').count()).toBe(2);
  await expect.poll(() => focused(page)).toBe('prompt');
  expect(faults).toEqual([]);
});

test('while a slow model reads, that is said, words are kept, and the answer comes also after another screen', async () => {
  const { user, page, faults } = await service.visit('chat');
  const { slow, answer } = held(proposes(action('Reading', '10:00')));
  stub.script(slow);
  await say(page, `Read on ${day} at 10:00`);
  await exchange(page, 'Read on').getByText(WAITS).waitFor();
  expect(await focused(page)).toBe('prompt');
  expect(await looksOf(page)).toEqual([]);
  // The main button has no ground of its own while it waits, on which its text could not be read.
  const ground = `getComputedStyle(document.querySelector('.chat > form [type="submit"]:disabled')).backgroundColor`;
  expect(await page.evaluate<string>(ground)).toBe('rgba(0, 0, 0, 0)');
  // What is typed meanwhile waits too, and why is said.
  await say(page, 'and make it an hour');
  await page.getByText(/^The answer to your last message comes first/).waitFor();
  expect(await field(page).inputValue()).toBe('and make it an hour');
  expect(await exchange(page, 'and make it an hour').count()).toBe(0);
  await page.getByRole('link', { name: /^Queue/ }).click();
  await page.getByRole('heading', { name: 'Queue', level: 1 }).waitFor();
  await page.getByRole('link', { name: 'Chat' }).click();
  await exchange(page, 'Read on').getByText(WAITS).waitFor();
  expect(await field(page).inputValue()).toBe('and make it an hour');
  answer();
  await card(page, 'Reading').waitFor();
  expect(await page.getByText(WAITS).count()).toBe(0);
  expect(await field(page).inputValue()).toBe('and make it an hour');
  expect(await waiting(user)).toEqual(['Reading']);
  expect(stub.requests).toHaveLength(1);
  expect(faults).toEqual([]);
});

test('a reload while the model reads loses no words, and what is sent again is proposed once', async () => {
  const { user, page } = await service.visit('chat');
  const { slow, answer } = held(proposes(action('Reading', '10:00')));
  stub.script(slow, proposes(action('Reading', '10:00')));
  await say(page, `Read on ${day} at 10:00`);
  await exchange(page, 'Read on').getByText(WAITS).waitFor();
  await field(page).fill('and make it an hour');
  await page.reload();
  await exchange(page, 'Read on')
    .getByText(/^The page was left before the answer came/)
    .waitFor();
  expect(await field(page).inputValue()).toBe('and make it an hour');
  answer();
  await page.getByRole('button', { name: 'Send it again' }).click();
  await card(page, 'Reading').waitFor();
  expect(await waiting(user)).toEqual(['Reading']);
  expect(await exchange(page, 'Read on').count()).toBe(1);
  expect(await field(page).inputValue()).toBe('and make it an hour');
});

test('a model that fails in a dialogue changes nothing, and says so', async () => {
  const { user, page, faults } = await service.visit('chat');
  stub.script(proposes(action('Reading', '10:00')));
  await say(page, `Read on ${day} at 10:00`);
  await card(page, 'Reading')
    .getByText(/10:00 · 30 min/)
    .waitFor();
  const { slow, answer } = held(fails(500));
  stub.script(slow, fails(500));
  await say(page, 'Make it an hour, please');
  await exchange(page, 'Make it an hour').getByText(WAITS).waitFor();
  await field(page).fill('or two');
  answer();
  const failed = exchange(page, 'Make it an hour').first();
  await failed
    .getByText(/The language model gave no usable answer/)
    .first()
    .waitFor();
  await failed.getByText(/and change nothing\. Please send it again\./).waitFor();
  expect(await field(page).inputValue()).toBe('or two');
  expect(await waiting(user)).toEqual(['Reading']);
  await card(page, 'Reading')
    .getByText(/10:00 · 30 min/)
    .waitFor();
  expect(await looksOf(page)).toEqual([]);
  // The dialogue goes on as soon as the model answers.
  const [{ uid }] = (await user.get('/agent/queue').expect(200)).body;
  stub.script(proposes(action('', '10:00', { target_plan_uid: uid, duration_minutes: 60, scheduled_for: null })));
  await failed.getByRole('button', { name: 'Send it again' }).click();
  await page.getByText('It was changed again below.').waitFor();
  await card(page, 'Reading')
    .getByText(/10:00 · (?:1 h|60 min)/)
    .waitFor();
  expect(await page.getByRole('button', { name: 'Send it again' }).count()).toBe(0);
  expect(await field(page).inputValue()).toBe('or two');
  expect(await focused(page)).toBe('prompt');
  expect(await waiting(user)).toEqual(['Reading']);
  expect(faults).toEqual([]);
});
