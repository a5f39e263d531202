/** What was typed into a form and not sent is there again: after another screen, a click outside, a reload, and the end of a session. */
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { aUser, type TestUser } from '../support/app.ts';
import { signIn } from '../support/console-page.ts';
import { consoleOfFile, details, looksOf, openAt } from '../support/console-visit.ts';
import { instantIn, millisIn, weekAhead } from '../support/today.ts';

const service = consoleOfFile();

const day = weekAhead(0);
const bringBack = (page: Page) => page.getByRole('button', { name: 'Bring it back' });
const again = (page: Page) => page.getByRole('status').filter({ hasText: 'This is what you typed before.' });

const propose = async (user: TestUser, title: string, time: string): Promise<{ uid: string }> =>
  (
    await user.agent
      .post('/agent/plan', {
        actions: [{ action_type: 'schedule', title, scheduled_for: `${day}T${time}`, duration_minutes: 30 }],
      })
      .expect(200)
  ).body[0];

/**
 * A form: where it is, what the person does to see it, and a field of it. Buttons are pressed by a key, because a second click so soon
 * at the same place would be a double click.
 */
type Form = {
  at: string;
  open?: (page: Page) => Promise<unknown>;
  field: (page: Page) => Locator;
  text?: string;
  isOffered?: true;
};

const FORMS: Record<string, Form> = {
  'a new event': {
    at: `?view=day&date=${day}`,
    open: (page) => page.getByRole('button', { name: 'New event' }).press('Enter'),
    field: (page) => details(page).getByLabel('Title'),
    isOffered: true,
  },
  'a change of an event': {
    at: `?view=day&date=${day}`,
    open: async (page) => {
      const form = details(page).getByLabel('Notes');
      await page.getByRole('button', { name: /^Dentist/ }).click();
      const edit = details(page).getByRole('button', { name: 'Edit' });
      await form.or(edit).waitFor();
      if (!(await form.count())) await edit.press('Enter');
    },
    field: (page) => details(page).getByLabel('Notes'),
  },
  'a change of a proposal': {
    at: 'queue',
    open: async (page) => {
      const card = page.getByRole('article', { name: 'Proposal: Walk' });
      await card.getByRole('button', { name: 'Edit' }).or(card.getByLabel('Note')).waitFor();
      if (!(await card.getByLabel('Note').count())) await card.getByRole('button', { name: 'Edit' }).press('Enter');
    },
    field: (page) => page.getByRole('article', { name: 'Proposal: Walk' }).getByLabel('Note'),
  },
  'a reason': {
    at: 'queue',
    open: async (page) => {
      const card = page.getByRole('article', { name: 'Proposal: Walk' });
      await card.getByRole('button', { name: 'Reject' }).first().press('Enter');
    },
    field: (page) => page.getByLabel('Reason, which the agent can read'),
  },
  'a message': { at: 'chat', field: (page) => page.getByLabel('Message') },
  'a change of a note': {
    at: 'memory?trace=boat',
    open: async (page) => {
      const edit = page.getByRole('article', { name: 'Trace' }).getByRole('button', { name: 'Edit' });
      await edit.or(page.getByLabel('Text')).waitFor();
      if (await edit.count()) await edit.press('Enter');
    },
    field: (page) => page.getByLabel('Text'),
  },
  'a rule': { at: 'tempo', field: (page) => page.getByLabel('Name of the rule') },
  'a tag': { at: 'tempo', field: (page) => page.getByRole('combobox', { name: 'Tag', exact: true }) },
  'a limit': { at: 'tempo', field: (page) => page.getByLabel('Plans per week'), text: '17' },
  'a name': { at: 'account', field: (page) => page.getByLabel('Name', { exact: true }) },
  'a checkpoint': { at: 'context', field: (page) => page.getByLabel('Name', { exact: true }), text: 'before-the-move' },
  'an agent': { at: 'agents', field: (page) => page.getByPlaceholder('Research agent') },
  'a program': { at: 'agents', field: (page) => page.getByLabel('Name of the program') },
  'another calendar': { at: 'agents', field: (page) => page.getByLabel('Name of the calendar') },
  'a webhook': { at: 'agents', field: (page) => page.getByLabel('What for') },
};

const someone = async (): Promise<TestUser> => {
  const user = await aUser(service.app);
  await user
    .post('/calendar/create', { title: 'Dentist', scheduled_for: `${day}T15:00`, duration_minutes: 60 })
    .expect(201);
  await propose(user, 'Walk', '08:00');
  await user
    .post('/memory/push', { traces: [{ uid: 'boat', type: 'observation', content: 'The boat leaks.' }] })
    .expect(201);
  return user;
};

test.each(Object.entries(FORMS))('%s', async (_, { at, open, field, isOffered, text = 'Zebra and a zoo' }) => {
  const user = await someone();
  const { page, faults } = await service.visit(at, {}, user);
  const show = async (): Promise<void> => {
    await open?.(page);
    await field(page).waitFor();
  };
  await show();
  await field(page).fill(text);
  await page.getByRole('link', { name: 'Ledger' }).click();
  await openAt(page, service.app, at);
  await show();
  if (isOffered) await bringBack(page).click();
  await expect.poll(() => field(page).inputValue()).toBe(text);
  await again(page).waitFor();
  await user.post('/user/logout', { everywhere: true }).expect(200);
  await page.getByText('Your session was ended. Sign in again.').waitFor();
  await signIn(page, user);
  if (!(await field(page).count())) await show();
  if (isOffered) await bringBack(page).press('Enter');
  await expect.poll(() => field(page).inputValue()).toBe(text);
  await again(page).getByRole('button', { name: 'Discard' }).click();
  expect(await field(page).inputValue()).not.toBe(text);
  // What is drawn again for another reason keeps the form.
  await propose(user, 'Run', '10:00');
  await page
    .getByRole('link', { name: /^Queue/ })
    .getByText('2')
    .waitFor();
  expect(await field(page).inputValue()).not.toBe(text);
  await openAt(page, service.app, at);
  await show();
  expect(await field(page).inputValue()).not.toBe(text);
  expect(faults.filter((fault) => !/401/.test(fault))).toEqual([]);
});

test('a click outside closes the form of a new event, whose text is offered where one is drawn next', async () => {
  const { user, page } = await service.visit(`?view=day&date=${day}`, {}, await someone());
  await page.getByRole('button', { name: /^Dentist/ }).waitFor();
  const draw = async (y: number): Promise<void> => {
    const hours = (await page.getByRole('region', { name: 'Hours' }).boundingBox()) as { x: number; y: number };
    await page.mouse.move(hours.x + 300, hours.y + y);
    await page.mouse.down();
    await page.mouse.move(hours.x + 300, hours.y + y + 60, { steps: 3 });
    await page.mouse.up();
    await details(page).getByLabel('Title').waitFor();
  };
  await draw(150);
  const first = await details(page).getByLabel('Start').inputValue();
  // The place stays on the grid as long as the form is open.
  await page.locator('.block.preview').waitFor();
  await page.keyboard.type('Trip to the zoo');
  await page.getByRole('heading', { level: 1 }).click();
  await details(page).waitFor({ state: 'detached' });
  expect(await page.locator('.block.preview').count()).toBe(0);
  await draw(300);
  expect(await details(page).getByLabel('Title').inputValue()).toBe('');
  await bringBack(page).click();
  expect(await details(page).getByLabel('Title').inputValue()).toBe('Trip to the zoo');
  expect(await details(page).getByLabel('Start').inputValue()).not.toBe(first);
  await page.keyboard.press('Enter');
  await page.getByText('Created: Trip to the zoo').waitFor();
  await details(page).waitFor({ state: 'detached' });
  await draw(600);
  expect(await details(page).getByLabel('Title').inputValue()).toBe('');
  // What is given up is not kept.
  await page.keyboard.type('Nothing');
  await details(page).getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'New event' }).click();
  expect(await details(page).getByLabel('Title').inputValue()).toBe('');
  const { body } = await user.get(`/calendar/events?start=${day}&end=${day}`).expect(200);
  expect(body).toHaveLength(2);
});

test('whole days are typed again after another screen, and "Discard" gives the hours back', async () => {
  const { page } = await service.visit('', {}, await someone());
  const show = () => page.getByRole('button', { name: 'New event' }).click();
  await show();
  await details(page).getByLabel('Whole days').check();
  await details(page).getByLabel('Days', { exact: true }).fill('3');
  await openAt(page, service.app, '');
  await show();
  await bringBack(page).click();
  await expect.poll(() => details(page).getByLabel('Days', { exact: true }).inputValue()).toBe('3');
  await details(page).getByLabel('Repeats').selectOption({ label: 'Every week' });
  await details(page).getByLabel('Until').waitFor();
  await again(page).getByRole('button', { name: 'Discard' }).click();
  await details(page).getByLabel('Minutes').waitFor();
  expect(await details(page).getByLabel('Whole days').isChecked()).toBe(false);
  expect(await details(page).getByLabel('Until').count()).toBe(0);
});

test('a card that only follows the pointer opens no form, and a click opens it with what was typed', async () => {
  const { page } = await service.visit(`?view=day&date=${day}`, {}, await someone());
  const walk = page.locator('.block.ghost').filter({ hasText: 'Walk' }).getByRole('button').first();
  const card = details(page).getByRole('article', { name: 'Proposal: Walk' });
  await walk.click();
  await card.getByRole('button', { name: 'Edit' }).click();
  await card.getByLabel('Note').fill('Take the dog');
  await page.getByRole('heading', { level: 1 }).click();
  await details(page).waitFor({ state: 'detached' });
  await walk.hover();
  await card.getByRole('button', { name: 'Edit' }).waitFor();
  expect(await card.getByLabel('Note').count()).toBe(0);
  await walk.click();
  await card.getByLabel('Note').waitFor();
  expect(await card.getByLabel('Note').inputValue()).toBe('Take the dog');
});

test('a draft of an event opens no form in the past', async () => {
  const { page } = await service.visit(`?view=day&date=${day}`, {}, await someone());
  const event = page.getByRole('button', { name: /^Dentist/ });
  await event.click();
  await details(page).getByRole('button', { name: 'Edit' }).click();
  await details(page).getByLabel('Notes').fill('Bring the card');
  await page.goto(`${service.app.url}/console/?view=day&date=${day}&asof=${instantIn(0)}`);
  await event.click();
  await details(page).getByRole('button', { name: 'Put back as it was then' }).waitFor();
  expect(await details(page).getByLabel('Notes').count()).toBe(0);
});

test('a proposal that changes while its form is open says how, and is approved as the form shows it', async () => {
  const { user, page } = await service.visit();
  const { uid } = await propose(user, 'Walk', '08:00');
  await openAt(page, service.app, 'queue');
  const card = page.getByRole('article', { name: /^Proposal: / });
  await card.getByRole('button', { name: 'Edit' }).click();
  await card.getByLabel('Note').fill('Take the dog');
  await user.agent.patch('/memory/edit', { uid, updates: { title: 'Long walk', duration_minutes: 60 } }).expect(200);
  await card.getByText('title: Long walk').waitFor();
  await card.getByText('length: 1 h').waitFor();
  expect(await card.getByLabel('Title').inputValue()).toBe('Walk');
  await card.getByRole('button', { name: 'Keep what I typed, and take the rest' }).click();
  expect(await card.getByLabel('Title').inputValue()).toBe('Long walk');
  expect(await card.getByLabel('Note').inputValue()).toBe('Take the dog');
  await expect
    .poll(async () => {
      await card
        .getByRole('button', { name: 'Approve with changes' })
        .click({ timeout: 1_000 })
        .catch(() => undefined);
      return (await user.get(`/agent/plan?uid=${uid}`).expect(200)).body.status;
    })
    .toBe('executed');
  const { body } = await user.get(`/agent/plan?uid=${uid}`).expect(200);
  expect(body).toMatchObject({ title: 'Long walk', duration_minutes: 60, decision: { note: 'Take the dog' } });
});

test('a reason stays with its proposal when another row is read', async () => {
  const { user, page } = await service.visit();
  await propose(user, 'Walk', '08:00');
  await propose(user, 'Swim', '09:00');
  await openAt(page, service.app, 'queue');
  const reason = page.getByLabel('Reason, which the agent can read');
  const row = (title: string) => page.getByRole('listitem').filter({ hasText: title }).getByRole('button').first();
  const reject = async (title: string): Promise<void> => {
    await row(title).click();
    const card = page.getByRole('article', { name: `Proposal: ${title}` });
    // A decision counts once the card was shown for half a second.
    await card.getByRole('button', { name: 'Approve', disabled: false }).first().waitFor();
    await card.getByRole('button', { name: 'Reject' }).first().click();
    await reason.waitFor();
  };
  await reject('Walk');
  await reason.fill('It rains');
  await reject('Swim');
  expect(await reason.inputValue()).toBe('');
  await reject('Walk');
  expect(await reason.inputValue()).toBe('It rains');
  await page.keyboard.press('Enter');
  await page.getByText('Rejected: Walk').waitFor();
  const { body } = await user.agent.get('/agent/queue?status=rejected').expect(200);
  expect(body[0].decision.note).toBe('It rains');
});

test('a note that somebody else changes meanwhile is shown beside the form, and nothing is overwritten unseen', async () => {
  const { user, page } = await service.visit();
  await user
    .post('/memory/push', { traces: [{ uid: 'boat', type: 'observation', content: 'The boat leaks.' }] })
    .expect(201);
  await openAt(page, service.app, 'memory?trace=boat');
  const trace = page.getByRole('article', { name: 'Trace' });
  await trace.getByRole('button', { name: 'Edit' }).click();
  await trace.getByLabel('Text').fill('The boat leaks at the stern.');
  await user
    .patch('/memory/edit', { uid: 'boat', updates: { content: 'The boat is mended.', tags: ['done'] } })
    .expect(200);
  await trace.getByText('It was changed meanwhile:').waitFor();
  await trace.getByText('text: The boat is mended.').waitFor();
  expect(await trace.getByRole('button', { name: 'Save', exact: true }).count()).toBe(0);
  await trace.getByRole('button', { name: 'Save mine over it', disabled: false }).click();
  await page.getByText('The note is saved as a new version.').waitFor();
  const { body } = await user.get('/memory/history?uid=boat').expect(200);
  expect(body[0].trace).toMatchObject({ content: 'The boat leaks at the stern.', tags: ['done'] });
});

test('the conversation is there after a reload, and the field is empty after sending', async () => {
  const { page } = await service.visit('chat?write=Log%20that%20the%20boat%20leaks');
  const message = page.getByLabel('Message');
  expect(await message.inputValue()).toBe('Log that the boat leaks');
  await message.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('article', { name: /^Proposal: / }).waitFor();
  await expect.poll(() => message.inputValue()).toBe('');
  await page.reload();
  await page.getByText('Live').waitFor();
  await page.getByRole('log').getByText('Log that the boat leaks').first().waitFor();
  await page.getByRole('article', { name: /^Proposal: / }).waitFor();
  expect(await message.inputValue()).toBe('');
});

test('a new access token in the middle of an answer loses nothing of the conversation', async () => {
  const { page } = await service.visit('chat');
  const message = page.getByLabel('Message');
  const old = {
    status: 401,
    contentType: 'application/problem+json',
    body: JSON.stringify({
      type: 'about:blank',
      status: 401,
      code: 'unauthenticated',
      detail: 'The token is too old.',
    }),
  };
  // Tokens of the same second are the same, and a client does not send the same one again.
  const second = (): number => Math.floor(millisIn(0) / 1_000);
  const signedIn = second();
  await expect.poll(second).toBeGreaterThan(signedIn);
  let asked = 0;
  await page.route('**/chat/respond', (route) => (asked++ ? route.continue() : route.fulfill(old)));
  await message.fill('Log that the boat leaks');
  await message.press('Enter');
  await page.getByRole('article', { name: /^Proposal: / }).waitFor();
  expect(asked).toBe(2);
  await page.getByRole('log').getByText('Log that the boat leaks').first().waitFor();
});

test('an answer for the person who was signed in before goes into the conversation of nobody else', async () => {
  const { user: other, page } = await service.visit('chat');
  const user = await aUser(service.app);
  const message = page.getByLabel('Message');
  const log = page.getByRole('log');
  const changeTo = async (from: TestUser, to: TestUser): Promise<void> => {
    await from.post('/user/logout', { everywhere: true }).expect(200);
    await page.getByText('Your session was ended. Sign in again.').waitFor();
    await signIn(page, to);
    await message.waitFor();
  };
  await message.fill('Log that the car is clean');
  await message.press('Enter');
  await page.getByRole('article', { name: /^Proposal: / }).waitFor();
  await changeTo(other, user);
  const [asked, ready] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await page.route(
    '**/chat/respond',
    async (route) => {
      const response = await route.fetch();
      asked.resolve();
      await ready.promise;
      await route.fulfill({ response });
    },
    { times: 1 },
  );
  await message.fill('Log that my secret boat leaks');
  await message.press('Enter');
  await asked.promise;
  await changeTo(user, other);
  const answered = page.waitForResponse('**/chat/respond');
  ready.resolve();
  await answered;
  // The next prompt is answered although the other one was under way.
  await message.fill('What is on my calendar today?');
  await message.press('Enter');
  await expect.poll(() => log.innerText()).toMatch(/What is on my calendar today\?[^]*\n\n.*\w/);
  expect(await log.innerText()).toContain('the car is clean');
  expect(await log.innerText()).not.toContain('secret');
});

test('a prompt whose answer did not come before a reload says so', async () => {
  const { page } = await service.visit('chat');
  const message = page.getByLabel('Message');
  await page.route('**/chat/respond', () => undefined);
  await message.fill('Log that the boat leaks');
  await message.press('Enter');
  await page.getByRole('log').getByText('Log that the boat leaks').waitFor();
  await page.reload();
  await page.getByText('The page was left before the answer came. What was proposed is in the queue.').waitFor();
  expect(await page.getByRole('log').innerText()).toContain('Log that the boat leaks');
});

test('a tag of several words and the line breaks of a text stay as they are where only another field is changed', async () => {
  const { user, page } = await service.visit();
  const given = { tags: ['new york', 'sea'], content: 'One line.\r\nAnother one.' };
  await user.post('/memory/push', { traces: [{ uid: 'boat', type: 'observation', ...given }] }).expect(201);
  await openAt(page, service.app, 'memory?trace=boat');
  const trace = page.getByRole('article', { name: 'Trace' });
  await trace.getByRole('button', { name: 'Edit' }).click();
  await trace.getByLabel('Comment').fill('Ask Ben.');
  await trace.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('The note is saved as a new version.').waitFor();
  const { body } = await user.get('/memory/history?uid=boat').expect(200);
  expect(body[0].trace).toMatchObject({ ...given, notes: 'Ask Ben.' });
});

test('nobody who signs in next sees what was typed or said', async () => {
  const { user, page } = await service.visit('chat');
  const other = await aUser(service.app);
  const message = page.getByLabel('Message');
  await message.fill('What is on my calendar today?');
  await message.press('Enter');
  await page.getByRole('list', { name: 'Understood as' }).waitFor();
  await message.fill('My secret');
  await user.post('/user/logout', { everywhere: true }).expect(200);
  await page.getByText('Your session was ended. Sign in again.').waitFor();
  await signIn(page, other);
  await message.waitFor();
  expect(await message.inputValue()).toBe('');
  expect(await page.getByRole('log').innerText()).toBe('');
  await page.locator('.person summary').click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('You are signed out.').waitFor();
  expect(await page.evaluate('sessionStorage.length')).toBe(0);
  await signIn(page, user);
  await message.waitFor();
  expect(await message.inputValue()).toBe('');
});

test('nobody who signs in next sees the proposal that was read, or undoes what was done', async () => {
  const { user, page } = await service.visit();
  const other = await aUser(service.app);
  await propose(user, 'Secret swim', '07:00');
  await propose(user, 'Secret walk', '08:00');
  await openAt(page, service.app, 'queue');
  await page.getByRole('button', { name: 'Approve', exact: true, disabled: false }).waitFor();
  await page.keyboard.press('a');
  await page.getByText('Approved: Secret swim').waitFor();
  await page.getByRole('article', { name: 'Proposal: Secret walk' }).waitFor();
  await user.post('/user/logout', { everywhere: true }).expect(200);
  await page.getByText('Your session was ended. Sign in again.').waitFor();
  await signIn(page, other);
  await page.getByText('Nothing waits for you.').or(page.getByText('Secret')).first().waitFor();
  expect(await page.getByText('Secret').count()).toBe(0);
  await page.keyboard.press('z');
  await page.getByText(/^Nothing was done on this page in the last minute\./).waitFor();
});

test('after an undo the reason of the rejection is offered again, and what is typed replaces it', async () => {
  const { user, page } = await service.visit();
  await propose(user, 'Walk', '08:00');
  await openAt(page, service.app, 'queue');
  const card = page.getByRole('article', { name: 'Proposal: Walk' });
  const reason = page.getByLabel('Reason, which the agent can read');
  const ask = async (): Promise<void> => {
    await card.getByRole('button', { name: 'Approve', disabled: false }).first().waitFor();
    await card.getByRole('button', { name: 'Reject' }).click();
  };
  const takeBack = async (): Promise<void> => {
    await page.getByText('Rejected: Walk').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Taken back: Walk').first().waitFor();
  };
  const noteOf = async (): Promise<string> =>
    (await user.agent.get('/agent/queue?status=rejected').expect(200)).body[0].decision.note;
  await ask();
  await reason.fill('It rains');
  await page.keyboard.press('Enter');
  await takeBack();
  await ask();
  expect(await reason.inputValue()).toBe('It rains');
  await page.keyboard.press('Enter');
  await page.getByText('Rejected: Walk').waitFor();
  expect(await noteOf()).toBe('It rains');
  await takeBack();
  await ask();
  await page.keyboard.type('It snows');
  expect(await reason.inputValue()).toBe('It snows');
  await page.keyboard.press('Enter');
  await page.getByText('Rejected: Walk').waitFor();
  expect(await noteOf()).toBe('It snows');
});

test('signing out says what is not sent, and deletes it only after that', async () => {
  const { user, page, faults } = await service.visit(`?view=day&date=${day}`);
  const title = details(page).getByLabel('Title');
  const signOut = async (): Promise<void> => {
    await page.locator('.person summary').press('Enter');
    await page.locator('.person').getByRole('button', { name: 'Sign out' }).press('Enter');
  };
  await page.getByRole('button', { name: 'New event' }).press('Enter');
  await title.fill('Letter to Zoe');
  await page.keyboard.press('Escape');
  await signOut();
  const question = page.getByRole('dialog', { name: 'Sign out' });
  await question.getByText('You typed “Letter to Zoe” and did not send it. Signing out deletes it.').waitFor();
  expect(await looksOf(page)).toEqual([]);
  await question.getByRole('button', { name: 'Stay signed in' }).press('Enter');
  await question.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'New event' }).press('Enter');
  await bringBack(page).press('Enter');
  expect(await title.inputValue()).toBe('Letter to Zoe');
  await page.keyboard.press('Escape');
  await signOut();
  await question.getByRole('button', { name: 'Delete and sign out', disabled: false }).press('Enter');
  await page.getByText('You are signed out.').waitFor();
  expect(await page.evaluate('sessionStorage.length')).toBe(0);
  await signIn(page, user);
  await page.getByRole('button', { name: 'New event' }).press('Enter');
  await title.waitFor();
  expect(await bringBack(page).count()).toBe(0);
  // Without such a text nobody is asked.
  await page.keyboard.press('Escape');
  await signOut();
  await page.getByText('You are signed out.').waitFor();
  expect(faults).toEqual([]);
});
