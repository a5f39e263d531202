/** The palette: a sentence shows what it would do, and everything is found by its name or by another word. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { OTHER_WORDS, PLACES } from '../../src/console/app/state/other-words.ts';
import {
  aConsole,
  aSecondLater,
  consoleOfFile,
  looksOf,
  openAt,
  type VisitedConsole,
} from '../support/console-visit.ts';
import type { TestUser } from '../support/app.ts';
import { aModel, answers } from '../support/model.ts';
import { ACTION } from '../support/planning.ts';
import { dayAhead } from '../support/today.ts';

const service = consoleOfFile();

const day = dayAhead(10);

const palette = (page: Page) => page.getByRole('dialog', { name: 'Go to or do' });
const option = (page: Page, name: RegExp) => palette(page).getByRole('option', { name });
const field = (page: Page) => palette(page).getByRole('combobox');
const chosen = (page: Page) => palette(page).getByRole('option', { selected: true });

const write = async (page: Page, text: string): Promise<void> => {
  if (!(await palette(page).isVisible())) await page.keyboard.press('Control+k');
  await field(page).fill(text);
};

/** Clicks when all answers are there, as nothing moves after that, and a second after the last click. */
const pick = async (page: Page, name: RegExp): Promise<void> => {
  await option(page, name).waitFor();
  await palette(page).getByText('Reading…').first().waitFor({ state: 'detached' });
  await aSecondLater(page);
  await option(page, name).click();
  await palette(page).waitFor({ state: 'detached' });
};

/** A person books only what has been shown for half a second; until then it stays a proposal. */
const haveRead = (page: Page): Promise<void> =>
  palette(page)
    .getByRole('option', { name: /Book it at once/, disabled: false })
    .waitFor();

const eventsOf = async (user: TestUser): Promise<unknown> =>
  (await user.get(`/calendar/events?start=${day}&end=${day}`).expect(200)).body;
const queueOf = async (user: TestUser): Promise<{ title: string }[]> =>
  (await user.get('/agent/queue').expect(200)).body as { title: string }[];

test('a sentence shows what it would do, Enter proposes it, an undo withdraws it, and a redo proposes it again', async () => {
  const { user, page, faults } = await service.visit('memory');
  await write(page, `Dinner with Jo on ${day} at 19:00 for 2 hours`);
  await option(page, /New event Dinner with Jo · .*19:00 · 2 h/).waitFor();
  await expect.poll(() => chosen(page).innerText()).toMatch(/^Propose/);
  expect(await queueOf(user)).toEqual([]);
  expect(await looksOf(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await palette(page).waitFor({ state: 'detached' });
  const said = page.getByText(/^Proposed: Dinner with Jo, .*19:00$/);
  await said.waitFor();
  expect(await queueOf(user)).toMatchObject([{ title: 'Dinner with Jo', duration_minutes: 120 }]);
  expect(await eventsOf(user)).toEqual([]);
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await page.getByRole('article', { name: 'Proposal: Dinner with Jo' }).waitFor();
  expect(page.url()).toMatch(`date=${day}`);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+z');
  await page.getByText(/^Taken back: Dinner with Jo/).waitFor();
  expect(await queueOf(user)).toEqual([]);
  await page.keyboard.press('Control+y');
  await said.waitFor();
  expect(await queueOf(user)).toMatchObject([{ title: 'Dinner with Jo' }]);
  await page.keyboard.press('Control+z');
  await expect.poll(() => queueOf(user)).toEqual([]);
  expect(faults).toEqual([]);
});

const bookDinner = async (page: Page): Promise<void> => {
  await write(page, `Dinner with Jo on ${day} at 19:00`);
  await option(page, /New event Dinner with Jo/).waitFor();
  await haveRead(page);
  await page.keyboard.press('Control+Enter');
  await page.getByText(/^Booked: Dinner with Jo, .*19:00$/).waitFor();
};

test('Ctrl and Enter books what was read, an undo leaves neither event nor proposal, and a redo books it again', async () => {
  const { user, page, faults } = await service.visit();
  await bookDinner(page);
  expect(await eventsOf(user)).toMatchObject([{ title: 'Dinner with Jo' }]);
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await page.getByRole('dialog', { name: 'Details' }).getByText('Dinner with Jo', { exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+z');
  await page.getByText(/^Taken back: Dinner with Jo/).waitFor();
  expect([await eventsOf(user), await queueOf(user)]).toEqual([[], []]);
  await page.keyboard.press('Control+Shift+z');
  await page.getByText(/^Booked: Dinner with Jo, .*19:00$/).waitFor();
  expect([await eventsOf(user), await queueOf(user)]).toMatchObject([[{ title: 'Dinner with Jo' }], []]);
  await page.keyboard.press('Control+z');
  await expect.poll(() => eventsOf(user)).toEqual([]);
  expect(faults).toEqual([]);
});

test('a redo books nothing that was changed elsewhere after the undo', async () => {
  const { user, page, faults } = await service.visit();
  await bookDinner(page);
  await page.keyboard.press('Control+z');
  await page.getByText(/^Taken back: Dinner with Jo/).waitFor();
  const { body } = await user.get('/agent/queue?status=rejected').expect(200);
  const [{ uid }] = body;
  await user.post('/agent/undo', { uid }).expect(200);
  await user.patch('/memory/edit', { uid, updates: { scheduled_for: `${day}T21:00` } }).expect(200);
  await page.keyboard.press('Control+y');
  await page.getByText(/^Proposed: Dinner with Jo, .*21:00\. It was changed meanwhile/).waitFor();
  expect([await eventsOf(user), await queueOf(user)]).toMatchObject([[], [{ uid }]]);
  expect(faults).toEqual([]);
});

test('a preview that has only just appeared is proposed and not booked', async () => {
  const { user, page } = await service.visit();
  await page.keyboard.press('Control+k');
  // In the page, the key follows the preview in the same task, so no time passes between.
  await page.evaluate<void>(`new MutationObserver((_, watching) => {
    if (!document.querySelector('.palette .lines')) return;
    watching.disconnect();
    const init = { key: 'Enter', ctrlKey: true, bubbles: true, cancelable: true };
    document.querySelector('.palette input').dispatchEvent(new KeyboardEvent('keydown', init));
  }).observe(document.body, { childList: true, subtree: true })`);
  await write(page, `Dinner with Jo on ${day} at 19:00`);
  await page.getByText(/^Proposed: Dinner with Jo, .* The preview had only just appeared/).waitFor();
  expect(await eventsOf(user)).toEqual([]);
  expect(await queueOf(user)).toMatchObject([{ title: 'Dinner with Jo' }]);
});

test('what is no longer as the preview showed it is proposed and not booked', async () => {
  const { user, page } = await service.visit();
  await write(page, `Dinner with Jo on ${day} at 19:00`);
  await option(page, /New event Dinner with Jo/).waitFor();
  await haveRead(page);
  // The service understands another length than a moment ago, which the page does not know yet.
  await page.route('**/agent/plan', async (route) => {
    const response = await route.fetch();
    const plans = (await response.json()) as { duration_minutes: number }[];
    await route.fulfill({ response, json: plans.map((plan) => ({ ...plan, duration_minutes: 15 })) });
  });
  await page.keyboard.press('Control+Enter');
  await page.getByText(/^Proposed: Dinner with Jo, .* It is not what the preview showed/).waitFor();
  expect(await eventsOf(user)).toEqual([]);
  expect(await queueOf(user)).toMatchObject([{ title: 'Dinner with Jo' }]);
});

test('a booking that is refused leaves the proposal, and says why', async () => {
  const { user, page } = await service.visit('', { width: 360, height: 740 });
  await page.getByRole('button', { name: 'Go to or search' }).click();
  await write(page, `Dinner with Jo on ${day} at 19:00`);
  await option(page, /New event Dinner with Jo/).waitFor();
  await haveRead(page);
  const detail = 'The day is full.';
  await page.route('**/agent/approve', async (route) => {
    const { uids } = route.request().postDataJSON() as { uids: string[] };
    const problem = { code: 'limit_reached', title: 'Limit reached', status: 409, detail };
    await route.fulfill({ json: uids.map((uid) => ({ uid, status: 409, problem })) });
  });
  await option(page, /Book it at once/).click();
  await page
    .getByText(/^Proposed: Dinner with Jo, .* It is not booked and waits in the queue: The day is full\.$/)
    .waitFor();
  expect(await looksOf(page)).toEqual([]);
  expect(await eventsOf(user)).toEqual([]);
  expect(await queueOf(user)).toMatchObject([{ title: 'Dinner with Jo' }]);
});

test('a series and a cancellation are proposed only', async () => {
  const { user, page, faults } = await service.visit();
  await user.post('/calendar/create', { title: 'Dentist', scheduled_for: `${day}T11:00`, duration_minutes: 45 });
  await write(page, 'Read every weekday at 8 for 30 minutes');
  await option(page, /New series Read · from .*every week/).waitFor();
  expect(await option(page, /Book it at once/).count()).toBe(0);
  await page.keyboard.press('Control+Enter');
  await page.getByText(/^Proposed: Read, .* A series waits in the queue/).waitFor();
  await write(page, 'Cancel the dentist');
  await option(page, /Cancels an event Dentist/).waitFor();
  await page.keyboard.press('Control+Enter');
  await page.getByText(/^Proposed: Dentist\. A cancellation waits in the queue/).waitFor();
  expect(await eventsOf(user)).toContainEqual(expect.objectContaining({ title: 'Dentist' }));
  expect((await queueOf(user)).map(({ title }) => title).toSorted()).toEqual(['Dentist', 'Read']);
  expect(faults).toEqual([]);
});

test('a swap is proposed only, and an undo withdraws both of its plans', async () => {
  const { user, page, faults } = await service.visit();
  for (const [title, hour] of [
    ['Dentist', 11],
    ['Yoga', 15],
  ])
    await user.post('/calendar/create', { title, scheduled_for: `${day}T${hour}:00`, duration_minutes: 45 });
  await write(page, 'Swap the dentist and yoga');
  await option(page, /Swap of two events Dentist .*Swap of two events Yoga/).waitFor();
  await page.keyboard.press('Control+Enter');
  await page.getByText(/^Proposed: Dentist, .* and 1 more\. A swap waits in the queue/).waitFor();
  expect(await queueOf(user)).toHaveLength(2);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText(/^Taken back: Dentist, .* and 1 more/).waitFor();
  expect(await queueOf(user)).toEqual([]);
  expect(faults).toEqual([]);
});

test('a preview says what is against it, and a refused plan cannot be proposed', async () => {
  const { user, page, faults } = await service.visit();
  await user.post('/calendar/create', { title: 'Dentist', scheduled_for: `${day}T11:00`, duration_minutes: 45 });
  await user.agent
    .post('/agent/plan', {
      actions: [{ action_type: 'schedule', title: 'Paper', scheduled_for: `${day}T19:00`, duration_minutes: 60 }],
    })
    .expect(200);
  await write(page, `Call the bank on ${day} at 19:00`);
  await option(page, /New event Call the bank .*Also wanted by Paper/).waitFor();
  await write(page, `Call the bank on ${day} at 11:00`);
  await option(page, /New event Call the bank .*Not possible: .*is taken.* Taken by Dentist, .*11:00–11:45/).waitFor();
  await page.keyboard.press('Control+Enter');
  await palette(page).getByText('Nothing is proposed, because this is not possible.').waitFor();
  await write(page, `Call the bank on ${day} at 12:00`);
  await option(page, /New event Call the bank .*12:00/).waitFor();
  expect((await queueOf(user)).map(({ title }) => title)).toEqual(['Paper']);
  expect(faults).toEqual([]);
});

test('a free time is proposed instead of one that is taken, and is taken back', async () => {
  const { user, page, faults } = await service.visit();
  await user.post('/calendar/create', { title: 'Dentist', scheduled_for: `${day}T11:00`, duration_minutes: 45 });
  await write(page, `Call the bank on ${day} at 11:00`);
  const offer = await option(page, /Propose it for .*, which is free/)
    .first()
    .innerText();
  const [, time = ''] = /(\d\d:\d\d), which/.exec(offer) ?? [];
  expect(await looksOf(page)).toEqual([]);
  await pick(page, new RegExp(`Propose it for .*${time}, which is free`));
  await page.getByText(new RegExp(`^Proposed: Call the bank, .*${time}`)).waitFor();
  expect(await queueOf(user)).toMatchObject([{ title: 'Call the bank', origin: 'user' }]);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText(/^Taken back: Call the bank/).waitFor();
  expect(await queueOf(user)).toEqual([]);
  expect(faults).toEqual([]);
});

test('a correction of a proposal is shown, proposed and taken back', async () => {
  const { user, page, faults } = await service.visit();
  await user
    .post('/agent/plan', {
      actions: [{ action_type: 'schedule', title: 'Tide tables', scheduled_for: `${day}T09:00`, duration_minutes: 60 }],
    })
    .expect(200);
  await page.getByRole('link', { name: /Queue 1 waiting/ }).waitFor();
  const [before] = await queueOf(user);
  await write(page, `Move the tide tables to ${day} at 15:00`);
  await option(page, /Changes a proposal Tide tables · .*15:00/).waitFor();
  await page.keyboard.press('Control+Enter');
  await page.getByText(/^Changed: Tide tables, .*15:00/).waitFor();
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await page.getByText('Taken back: Tide tables is as before.').waitFor();
  const { scheduled_for, duration_minutes, title } = before as unknown as Record<string, unknown>;
  expect(await queueOf(user)).toMatchObject([{ scheduled_for, duration_minutes, title }]);
  await write(page, 'Withdraw the proposal tide tables');
  await option(page, /Withdraws a proposal Tide tables/).waitFor();
  await page.keyboard.press('Enter');
  await page.getByText(/^Withdrawn: Tide tables/).waitFor();
  expect(await queueOf(user)).toEqual([]);
  await aSecondLater(page);
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await page.getByText('Taken back: Tide tables waits for you again.').waitFor();
  expect(await queueOf(user)).toMatchObject([{ title: 'Tide tables' }]);
  expect(faults).toEqual([]);
});

test('what is no plan shows none, and goes to the chat as the last option', async () => {
  const { page, faults } = await service.visit();
  const question = 'What is on my calendar today?';
  await write(page, question);
  await palette(page).getByText('No plan is understood in this.').waitFor();
  expect(await option(page, /^Propose|^Plan/).count()).toBe(0);
  await expect.poll(() => chosen(page).innerText()).toMatch(/^Chat/);
  await pick(page, /^Chat Write/);
  await expect.poll(() => page.getByLabel('Message').inputValue()).toBe(question);
  expect(faults).toEqual([]);
});

test('only the last text has a preview, and Enter before it does nothing', async () => {
  const { user, page, faults } = await service.visit();
  let held: (() => void) | undefined;
  const prompts: string[] = [];
  // The answer to the first text comes when the second one is there already.
  await page.route('**/chat/plan-preview', async (route) => {
    const { prompt } = route.request().postDataJSON() as { prompt: string };
    prompts.push(prompt);
    if (prompts.length === 1) await new Promise<void>((resolve) => (held = resolve));
    await route.continue();
  });
  await write(page, `Lunch with Ann on ${day} at 12:00`);
  await expect.poll(() => held !== undefined).toBe(true);
  await write(page, `Dinner with Jo on ${day} at 19:00`);
  await expect.poll(() => chosen(page).innerText()).toMatch(/Reading…/);
  await page.keyboard.press('Enter');
  await page.keyboard.press('Control+Enter');
  await palette(page).getByText('Reading…').first().waitFor();
  await palette(page).getByRole('status').getByText('Nothing was done yet. Read what is shown').waitFor();
  held?.();
  await option(page, /New event Dinner with Jo/).waitFor();
  expect(await option(page, /Lunch with Ann/).count()).toBe(0);
  expect(prompts).toEqual([`Lunch with Ann on ${day} at 12:00`, `Dinner with Jo on ${day} at 19:00`]);
  expect(await queueOf(user)).toEqual([]);
  // What is typed letter by letter is asked for at its end.
  prompts.length = 1;
  await field(page).fill('');
  await page.keyboard.type(`Tea with Bo on ${day} at 16:00`);
  await option(page, /New event Tea with Bo .*16:00/).waitFor();
  await expect.poll(() => prompts.at(-1)).toBe(`Tea with Bo on ${day} at 16:00`);
  expect(faults).toEqual([]);
});

test('a choice of the person stays when results arrive', async () => {
  const { page } = await service.visit();
  let go: (() => void) | undefined;
  await page.route('**/chat/plan-preview', async (route) => {
    await new Promise<void>((resolve) => (go = resolve));
    await route.continue();
  });
  await write(page, `Dinner with Jo on ${day} at 19:00`);
  await page.keyboard.press('ArrowUp');
  await expect.poll(() => chosen(page).innerText()).toMatch(/^Chat/);
  const height = async (): Promise<number | undefined> => (await palette(page).boundingBox())?.height;
  const before = await height();
  await expect.poll(() => go !== undefined).toBe(true);
  go?.();
  await option(page, /New event Dinner with Jo/).waitFor();
  expect(await chosen(page).innerText()).toMatch(/^Chat/);
  expect(await height()).toBe(before);
  const active = await field(page).getAttribute('aria-activedescendant');
  expect(await chosen(page).getAttribute('id')).toBe(active);
});

const NOTE = 'Coffee with Ana is on Monday and Friday, and not on other weekdays.';

test('words of a note find it, and Enter proposes nothing that was not chosen', async () => {
  const { user, page, faults } = await service.visit();
  await user.post('/memory/push', { traces: [{ type: 'observation', content: NOTE }] }).expect(201);
  let go = (): void => undefined;
  const isHeld = new Promise<void>((resolve) => (go = resolve));
  await page.route('**/memory/search**', async (route) => {
    await isHeld;
    await route.continue();
  });
  await write(page, 'coffee Monday Friday');
  // The preview is there before the notes are.
  await option(page, /New event Coffee .*Reading…/).waitFor();
  await page.keyboard.press('Enter');
  await palette(page).getByRole('status').getByText('Nothing was done yet. Read what is shown').waitFor();
  go();
  for (const [text, said] of [
    ['coffee Monday Friday', /New event Coffee .*2 proposals$/],
    ['coffee with Ana on Monday and Friday', /New event Coffee with Ana .*2 proposals$/],
    ['coffee with Ana on weekdays', /New series Coffee with Ana .*every week.*, without an end/],
  ] as const) {
    await write(page, text);
    await option(page, said).waitFor();
    await expect.poll(() => chosen(page).innerText()).toMatch(/^Memory\s+Coffee with Ana is/);
  }
  expect(await looksOf(page)).toEqual([]);
  await expect
    .poll(async () => {
      await page.keyboard.press('Enter');
      return palette(page).isVisible();
    })
    .toBe(false);
  await page.getByRole('article', { name: 'Trace' }).getByText(NOTE).first().waitFor();
  expect(await queueOf(user)).toEqual([]);
  await write(page, 'coffee Monday Friday');
  await expect.poll(() => chosen(page).innerText()).toMatch(/^Memory/);
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await page.getByText(/^Proposed: Coffee, /).waitFor();
  expect(await queueOf(user)).toHaveLength(2);
  expect(faults).toEqual([]);
});

test('several proposals need a second Enter where nothing else was found', async () => {
  const { user, page, faults } = await service.visit();
  await write(page, 'Piano on Monday, Tuesday and Wednesday');
  await option(page, /New event Piano .*\d+ proposals$/).waitFor();
  await expect.poll(() => chosen(page).innerText()).toMatch(/^Propose/);
  await page.keyboard.press('Control+Enter');
  await palette(page).getByRole('status').getByText('Nothing was done yet. Read what is shown').waitFor();
  expect(await queueOf(user)).toEqual([]);
  await page.keyboard.press('Enter');
  await page.getByText(/^Proposed: Piano, .* and \d+ more$/).waitFor();
  expect(faults).toEqual([]);
});

test('a failure is said, and the sentence is kept', async () => {
  const { user, page } = await service.visit();
  await write(page, `Dinner with Jo on ${day} at 19:00`);
  await option(page, /New event Dinner with Jo/).waitFor();
  await page.route('**/agent/plan', (route) =>
    route.fulfill({
      status: 409,
      contentType: 'application/problem+json',
      json: { code: 'limit_reached', title: 'No', detail: 'Too many wait.', status: 409 },
    }),
  );
  await page.keyboard.press('Enter');
  await palette(page).getByRole('status').getByText('Too many wait.').waitFor();
  expect(await field(page).inputValue()).toBe(`Dinner with Jo on ${day} at 19:00`);
  await page.unroute('**/agent/plan');
  // The time was taken since the preview.
  await page.route('**/agent/plan', async (route) => {
    const response = await route.fetch({ url: route.request().url().replace('/agent/plan', '/chat/plan-preview') });
    const plans = (await response.json()) as object[];
    const decision = {
      code: 'slot:blocked',
      note: 'It is taken now.',
      by: 'system:planner',
      at: `${day}T00:00:00.000Z`,
    };
    await route.fulfill({ response, json: plans.map((plan) => ({ ...plan, status: 'rejected', decision })) });
  });
  await page.keyboard.press('Enter');
  await palette(page).getByRole('status').getByText('Not possible: Dinner with Jo. It is taken now.').waitFor();
  await page.unroute('**/agent/plan');
  await page.keyboard.press('Enter');
  await page.getByText(/^Proposed: Dinner with Jo/).waitFor();
  expect(await queueOf(user)).toHaveLength(1);
});

test('a preview that cannot be read again stays, and can be proposed', async () => {
  const { user, page } = await service.visit();
  await write(page, `Dinner with Jo on ${day} at 19:00`);
  await option(page, /New event Dinner with Jo/).waitFor();
  await page.route('**/chat/plan-preview', (route) =>
    route.fulfill({
      status: 503,
      contentType: 'application/problem+json',
      json: { code: 'busy', title: 'Busy', detail: 'Too much at once.', status: 503 },
    }),
  );
  await user.post('/calendar/create', { title: 'Dentist', scheduled_for: `${day}T11:00` }).expect(201);
  await palette(page).getByRole('status').getByText('Too much at once.').waitFor();
  await expect.poll(() => chosen(page).innerText()).toMatch(/^Propose/);
  await page.keyboard.press('Enter');
  await page.getByText(/^Proposed: Dinner with Jo/).waitFor();
  expect(await queueOf(user)).toHaveLength(1);
});

test('an event, a proposal and an agent are found by beginnings of words, and opened', async () => {
  const { user, page, faults } = await service.visit('ledger');
  await user
    .post('/calendar/create', { title: 'Dentist in Potsdam', scheduled_for: `${day}T11:00`, duration_minutes: 45 })
    .expect(201);
  await user.post('/user/keys', { kind: 'agent', label: 'Kingfisher' }).expect(201);
  await user.agent
    .post('/agent/plan', {
      actions: [
        { action_type: 'schedule', title: 'Sooner', scheduled_for: `${day}T14:00`, duration_minutes: 45 },
        { action_type: 'schedule', title: 'Read on tides', scheduled_for: `${day}T15:00`, duration_minutes: 45 },
      ],
    })
    .expect(200);
  await write(page, 'pots dent');
  await pick(page, /^Event Dentist in Potsdam/);
  expect(page.url()).toMatch(`date=${day}`);
  await page.getByRole('dialog', { name: 'Details' }).getByText('Dentist in Potsdam').waitFor();
  await page.keyboard.press('Escape');
  await write(page, 'tides rea');
  await pick(page, /^Proposal Read on tides/);
  await page.getByRole('article', { name: 'Proposal: Read on tides' }).waitFor();
  await write(page, 'kingf');
  await pick(page, /^Agent Kingfisher/);
  await page.getByRole('heading', { name: 'Agents and keys' }).waitFor();
  expect(faults).toEqual([]);
});

test.each(PLACES.map((place) => [place.name, place] as const))(
  '“%s” leads to where that is done',
  async (name, place) => {
    const { page, faults } = await visitOnce();
    await write(page, place.words);
    await option(page, new RegExp(name)).waitFor();
    await write(page, name);
    // A sentence of the same words is an option too.
    await pick(page, new RegExp(`^${place.screen || 'Calendar'} ${name}`, 'i'));
    await expect.poll(() => page.url()).toMatch(`/console/${place.screen}`);
    const heading = page.getByRole('heading', { name: place.heading, exact: true }).first();
    await heading.waitFor();
    const bottom = async (): Promise<number> => {
      const box = await heading.boundingBox();
      return box ? box.y + box.height : Infinity;
    };
    await expect.poll(bottom).toBeLessThan(900);
    expect(faults).toEqual([]);
  },
);

test('“New event” is found on every screen, once on the calendar, and not in the past', async () => {
  const { page, faults } = await service.visit('memory');
  await write(page, 'new event');
  await option(page, /^Calendar New event/).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('article', { name: 'New event' }).waitFor();
  await page.keyboard.type('Zap the zoo');
  expect(await page.getByRole('article', { name: 'New event' }).getByLabel('Title').inputValue()).toBe('Zap the zoo');
  await page.keyboard.press('Escape');
  await write(page, 'new event');
  await expect.poll(() => option(page, /^Calendar New event/).count()).toBe(1);
  await page.keyboard.press('Escape');
  await openAt(page, service.app, `memory?asof=${service.app.clock.now()}`);
  await write(page, 'new event');
  await option(page, /^Memory Search for/).waitFor();
  expect(await option(page, /New event/).count()).toBe(0);
  expect(faults).toEqual([]);
});

test('what is typed behind a command that leads to a form is written there, and is no command', async () => {
  const { user, page, faults } = await service.visit();
  await write(page, `Dinner with Jo on ${day} at 19:00 for 2 hours`);
  await option(page, /New event Dinner with Jo/).waitFor();
  await haveRead(page);
  await page.keyboard.press('Control+Enter');
  await page.getByText(/^Booked: Dinner with Jo/).waitFor();
  await write(page, 'change the password');
  await pick(page, /^Account Change the password/);
  const current = page.getByLabel('Current password');
  await current.waitFor();
  await expect.poll(() => page.evaluate('document.activeElement.type')).toBe('password');
  await page.keyboard.type('zeppelin9');
  expect(await current.inputValue()).toBe('zeppelin9');
  // Before the screen is there, keys do nothing either.
  await page.getByRole('link', { name: 'Calendar' }).click();
  await write(page, 'connect an agent');
  await option(page, /^Agents Connect an agent/).waitFor();
  await palette(page).getByText('Reading…').first().waitFor({ state: 'detached' });
  await page.keyboard.press('Enter');
  await page.keyboard.type('zapz');
  await page.getByRole('heading', { name: 'Connect an agent' }).waitFor();
  await page.keyboard.type('z');
  expect(await eventsOf(user)).toMatchObject([{ title: 'Dinner with Jo' }]);
  // Where it leads to a list, keys are commands.
  await write(page, 'look at decided');
  await pick(page, /^Queue Look at decided proposals/);
  await page.getByRole('heading', { name: 'Queue' }).waitFor();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  await page.keyboard.press('Escape');
  // There is no field for it here.
  await write(page, 'sign in a phone');
  await pick(page, /^Account Sign in a phone/);
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Sign in a phone');
  await page.keyboard.type('zapper');
  await page.getByText('No field takes what you type, so keys do nothing. Press Escape or click to go on.').waitFor();
  expect(page.url()).toMatch('/console/account');
  expect(await eventsOf(user)).toMatchObject([{ title: 'Dinner with Jo' }]);
  await page.keyboard.press('Escape');
  await page.keyboard.press('z');
  await page.getByText(/^Taken back: Dinner with Jo/).waitFor();
  expect(await eventsOf(user)).toEqual([]);
  expect(faults).toEqual([]);
});

test('every other word belongs to a command that exists', async () => {
  const { page, faults } = await visitOnce();
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Calendar' }).click();
  const find = async (name: string, words: string): Promise<void> => {
    for (const word of words.split(' ')) {
      await write(page, word);
      const named = option(page, new RegExp(` ${name}`)).first();
      await named.waitFor();
    }
  };
  const { 'Back to now': back = '', ...others } = OTHER_WORDS;
  for (const [name, words] of Object.entries(others)) await find(name, words);
  await page.keyboard.press('Escape');
  await page.goto(`${service.app.url}/console/?asof=1`);
  await page.getByText('Live').waitFor();
  await find('Back to now', back);
  expect(faults).toEqual([]);
});

test('the past has no preview and no chat', async () => {
  const { page, faults } = await service.visit('?asof=1');
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await write(page, `Dinner with Jo on ${day} at 19:00`);
  await expect.poll(() => chosen(page).innerText()).toMatch(/Search for/);
  await expect.poll(() => palette(page).getByRole('status').innerText()).toMatch(/1 result$/);
  expect(await option(page, /^Propose|^Plan|^Chat/).count()).toBe(0);
  expect(asked.filter((path) => path.endsWith('plan-preview'))).toEqual([]);
  expect(await looksOf(page)).toEqual([]);
  expect(faults).toEqual([]);
});

let once: ReturnType<VisitedConsole['visit']> | undefined;
/** One page for all entries of the tables. */
const visitOnce = (): ReturnType<VisitedConsole['visit']> => (once ??= service.visit());

test('a model is asked what a sentence would do when the person wants to know it, and not for each word', async () => {
  const model = await aModel();
  const asking = await aConsole({ OPENAI_BASE_URL: model.baseURL });
  try {
    const scheduled_for = `${day}T19:00`;
    model.script(
      answers({
        reply: 'Here it is.',
        actions: [{ ...ACTION, title: 'Dinner with Jo', scheduled_for }],
        questions: [],
      }),
    );
    const { user, page } = await asking.visit();
    await write(page, 'Dinner with Jo');
    await field(page).fill(`Dinner with Jo on ${day} at 19:00`);
    await option(page, /shows what it would do/).waitFor();
    // The search has answered, so a preview would have been asked for.
    await palette(page).getByText('Reading…').waitFor({ state: 'detached' });
    expect(model.requests).toHaveLength(0);
    await page.keyboard.press('Enter');
    await option(page, /New event Dinner with Jo/).waitFor();
    expect(model.requests).toHaveLength(1);
    await page.keyboard.press('Enter');
    await page.getByText(/^Proposed: Dinner with Jo/).waitFor();
    expect(await queueOf(user)).toMatchObject([{ title: 'Dinner with Jo' }]);
  } finally {
    await asking.close();
    await model.close();
  }
});

test('keys that come while the page is busy close and open the palette in their order', async () => {
  const { page } = await service.visit();
  await write(page, 'Dinner');
  await page.evaluate(
    'setTimeout(() => { const end = performance.now() + 700; while (performance.now() < end); }, 50)',
  );
  const keys = [page.keyboard.press('Escape'), page.keyboard.press('Control+k')];
  await Promise.all(keys);
  await expect.poll(() => field(page).inputValue()).toBe('');
  expect(await palette(page).isVisible()).toBe(true);
});
