/** Nothing is decided or lost by accident: events over approved ones, words typed after drawing, double clicks, failed decisions. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { TestUser } from '../support/app.ts';
import { consoleOfFile, details, openAt } from '../support/console-visit.ts';
import { weekAhead } from '../support/today.ts';

const service = consoleOfFile();

const day = weekAhead(0);
const DAY = `?view=day&date=${day}`;

const propose = async (user: TestUser, title: string, time: string, more: object = {}) =>
  (
    await user.agent
      .post('/agent/plan', {
        actions: [{ action_type: 'schedule', title, scheduled_for: `${day}T${time}`, duration_minutes: 60, ...more }],
      })
      .expect(200)
  ).body[0];
const approved = async (
  user: TestUser,
  ...of: Parameters<typeof propose> extends [TestUser, ...infer R] ? R : never
) => {
  const plan = await propose(user, ...of);
  return (await user.post('/agent/approve', { uid: plan.uid }).expect(200)).body;
};
const placesOf = async (user: TestUser): Promise<string[]> => {
  const { body } = await user.get(`/calendar/events?start=${day}&end=${weekAhead(6)}`).expect(200);
  return body.map(({ title, local_start }: Record<string, string>) => `${title} ${local_start?.slice(5, 16)}`);
};
const at = (title: string, time: string, days = 0): string => `${title} ${weekAhead(days).slice(5)}T${time}`;
const fill = async (page: Page, title: string, time: string): Promise<void> => {
  await page.getByRole('button', { name: 'New event' }).click();
  await details(page).getByLabel('Title').fill(title);
  await details(page).getByLabel('Start').fill(`${day}T${time}`);
  await details(page).getByRole('button', { name: 'Create' }).click();
};
const undo = async (page: Page): Promise<void> => page.getByRole('button', { name: 'Undo' }).last().click();

/** The titles and lengths on the day. */
const eventsOf = async (user: TestUser): Promise<[string, number][]> =>
  (await user.get(`/calendar/events?start=${day}&end=${day}`).expect(200)).body.map(
    ({ title, duration_minutes: minutes }: { title: string; duration_minutes: number }) => [title, minutes],
  );

test('an event over one that the person approved asks first, says what moved, and one undo restores all', async () => {
  const { user, page, faults } = await service.visit(DAY);
  const plan = await approved(user, 'Focus', '12:00');
  const before = [at('Focus', '12:00')];
  await fill(page, 'Lunch', '12:30');
  const question = page.getByRole('dialog', { name: 'This time is taken' });
  await question.getByText('Focus').waitFor();
  // The button says where to, and the question who decides then.
  await question.getByRole('button', { name: 'Propose the other again at a free time', exact: true }).waitFor();
  await question
    .getByText(/^What is proposed again comes off the calendar\. .* in the queue, where you decide\.$/)
    .waitFor();
  // Nothing has happened yet, and the form keeps what was typed.
  await question.getByRole('button', { name: 'Cancel' }).click();
  expect(await placesOf(user)).toEqual(before);
  expect(await details(page).getByLabel('Title').inputValue()).toBe('Lunch');
  await details(page).getByRole('button', { name: 'Create' }).click();
  await question.getByRole('button', { name: 'Propose the other' }).click();
  await page.getByText(/Created: Lunch\. “Focus” lost its time and is proposed again/).waitFor();
  expect(await placesOf(user)).toEqual([at('Lunch', '12:30')]);
  await undo(page);
  await page.getByText(/“Lunch” is removed\. “Focus” is on the calendar again\./).waitFor();
  expect(await placesOf(user)).toEqual(before);
  expect((await user.get('/agent/queue').expect(200)).body).toEqual([]);
  expect((await user.get(`/agent/plan?uid=${plan.uid}`).expect(200)).body.decision).toEqual(plan.decision);
  await fill(page, 'Lunch', '12:30');
  await question.getByRole('button', { name: 'Keep both' }).click();
  await page.getByText('Created: Lunch', { exact: true }).waitFor();
  expect(await placesOf(user)).toEqual([...before, at('Lunch', '12:30')]);
  expect(faults.filter((fault) => !/409/.test(fault))).toEqual([]);
});

test('where something else is there by the time the person answers, they are asked again', async () => {
  const { user, page } = await service.visit(DAY);
  await approved(user, 'Focus', '12:00', { duration_minutes: 40 });
  const sport = await propose(user, 'Sport', '12:45');
  await fill(page, 'Lunch', '12:30');
  const question = page.getByRole('dialog', { name: 'This time is taken' });
  await question.getByText('Focus').waitFor();
  await user.post('/agent/approve', { uid: sport.uid }).expect(200);
  await question.getByRole('button', { name: 'Propose the other' }).click();
  await question.getByText('Sport').waitFor();
  expect((await placesOf(user)).toSorted()).toEqual([at('Focus', '12:00'), at('Sport', '12:45')]);
  await question.getByRole('button', { name: 'Propose the other 2' }).click();
  await page.getByText(/Created: Lunch\. “Focus”, “Sport” lost/).waitFor();
  expect(await placesOf(user)).toEqual([at('Lunch', '12:30')]);
});

test('an event of the past that lost its time to another is not put back by removing the other', async () => {
  const { user, page } = await service.visit();
  await approved(user, 'Focus', '12:00');
  const { body: head } = await user.get('/memport/ledger?limit=1').expect(200);
  await user
    .post('/calendar/create', { title: 'Lunch', scheduled_for: `${day}T12:30`, duration_minutes: 60 })
    .expect(201);
  await openAt(page, service.app, `${DAY}&asof=${head[0].seq}`);
  await page.getByRole('button', { name: /^Focus/ }).click();
  await details(page).getByRole('button', { name: 'Put back as it was then' }).click();
  await page.getByText('“Focus” lost its time to “Lunch”.').waitFor();
  expect(await placesOf(user)).toEqual([at('Lunch', '12:30')]);
});

test('a drag over one that was approved asks first, and goes back where the person leaves it', async () => {
  const { user, page } = await service.visit(DAY);
  await approved(user, 'Focus', '12:00');
  await user
    .post('/calendar/create', { title: 'Call', scheduled_for: `${day}T11:00`, duration_minutes: 60 })
    .expect(201);
  const call = page.getByRole('button', { name: /^Call/ });
  await call.focus();
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Enter');
  const question = page.getByRole('dialog', { name: 'This time is taken' });
  await question.waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: /^Call.*11:00/ }).waitFor();
  const focused = (): Promise<string> => page.evaluate('document.activeElement.innerText');
  await expect.poll(focused).toMatch(/^Call/);
  // On another day it is drawn anew.
  for (const key of ['Shift+ArrowRight', 'Shift+ArrowLeft', 'Shift+ArrowDown', 'Enter']) await page.keyboard.press(key);
  await question.getByRole('button', { name: 'Cancel' }).click();
  await expect.poll(focused).toMatch(/^Call/);
  expect(await placesOf(user)).toEqual([at('Call', '11:00'), at('Focus', '12:00')]);
});

test.each(['drawn', 'by button', 'by key'])('a title is typed at once after a new event is %s', async (how) => {
  const { user, page, faults } = await service.visit(DAY);
  await approved(user, 'Focus', '20:00');
  const column = (await page.getByRole('region', { name: 'Hours' }).boundingBox()) as { x: number; y: number };
  if (how === 'by button') await page.getByRole('button', { name: 'New event' }).click();
  else if (how === 'by key') await page.keyboard.press('n');
  else {
    await page.mouse.move(column.x + 300, column.y + 200);
    await page.mouse.down();
    await page.mouse.move(column.x + 300, column.y + 260, { steps: 3 });
    await page.mouse.up();
  }
  await details(page).waitFor();
  await page.keyboard.type('Trip to the zoo');
  expect(await details(page).getByLabel('Title').inputValue()).toBe('Trip to the zoo');
  await page.keyboard.press('Enter');
  await page.getByText('Created: Trip to the zoo').waitFor();
  expect((await placesOf(user)).map((place) => place.slice(0, 5)).toSorted()).toEqual(['Focus', 'Trip ']);
  expect(faults).toEqual([]);
});

test('words that are typed into a card without a field do nothing, also after a blank has closed it', async () => {
  const { user, page } = await service.visit(DAY);
  const plan = await approved(user, 'Focus', '12:00');
  await page.getByRole('button', { name: /^Focus/ }).click();
  await details(page).getByRole('button', { name: 'Close' }).focus();
  await page.keyboard.type('zebra walk z');
  await page.getByText(/^No field takes what you type/).waitFor();
  expect((await user.get(`/agent/plan?uid=${plan.uid}`).expect(200)).body.status).toBe('executed');
  // Escape turns the keys on again.
  await page.keyboard.press('Escape');
  await page.keyboard.press('w');
  await page.waitForURL(/view=week/);
});

test('a double click on Remove removes once, each removal is taken back, and the past puts back', async () => {
  const { user, page, faults } = await service.visit(DAY);
  await user
    .post('/calendar/create', {
      title: 'Gym',
      scheduled_for: `${day}T09:00`,
      duration_minutes: 60,
      rrule: 'FREQ=DAILY;COUNT=3',
    })
    .expect(201);
  await user
    .post('/calendar/create', { title: 'Dentist', scheduled_for: `${day}T15:00`, duration_minutes: 30 })
    .expect(201);
  const before = await placesOf(user);
  const { body: head } = await user.get('/memport/ledger?limit=1').expect(200);
  const removals = [
    ['Remove this one', /^Removed: Gym, \w+ \d+ \w+/],
    ['Remove this and later ones', /^Removed: Gym, from .* on$/],
    ['Remove the series', /^Removed: Gym, the whole series$/],
  ] as const;
  for (const [name, said] of removals) {
    await page.getByRole('button', { name: /^Gym/ }).click();
    await details(page).getByRole('button', { name, exact: true }).dblclick();
    await page.getByText(said).last().waitFor();
    expect(await placesOf(user)).not.toEqual(before);
    await page.keyboard.press('Escape');
    await page.keyboard.press('z');
    // The same message of the turn before may still be shown.
    await expect.poll(() => placesOf(user)).toEqual(before);
    await page.getByText('Taken back: “Gym” is as before.').last().waitFor();
  }
  await page.getByRole('button', { name: /^Dentist/ }).click();
  await details(page).getByRole('button', { name: 'Remove' }).dblclick();
  await page.getByText('Removed: Dentist').waitFor();
  await openAt(page, service.app, `${DAY}&asof=${head[0].seq}`);
  await page.getByRole('button', { name: /^Dentist/ }).click();
  await details(page).getByRole('button', { name: 'Put back as it was then' }).click();
  await page.getByText('Put back: Dentist').waitFor();
  expect(await placesOf(user)).toEqual(before);
  // What was only changed is as it was then too, one of a series alone.
  await openAt(page, service.app, DAY);
  for (const [name, minutes] of [
    ['Dentist', '50'],
    ['Gym', '90'],
  ] as const) {
    await page.getByRole('button', { name: new RegExp(`^${name}`) }).click();
    await details(page).getByRole('button', { name: 'Edit' }).click();
    await details(page).getByLabel('Minutes').fill(minutes);
    await details(page).getByRole('button', { name: 'Save' }).click();
    await page.getByText(`Saved: ${name}`).waitFor();
  }
  const changed = await eventsOf(user);
  await openAt(page, service.app, `${DAY}&asof=${head[0].seq}`);
  for (const name of ['Dentist', 'Gym']) {
    await page.getByRole('button', { name: new RegExp(`^${name}`) }).click();
    await details(page).getByRole('button', { name: 'Put back as it was then' }).click();
    await page.getByText(`Put back: ${name}`).last().waitFor();
  }
  expect(changed).toContainEqual(['Dentist', 50]);
  await expect
    .poll(() => eventsOf(user))
    .toEqual([
      ['Gym', 60],
      ['Dentist', 30],
    ]);
  expect(faults.filter((fault) => !/404/.test(fault))).toEqual([]);
});

test('an approval that does not work stays on its proposal, so the same key decides on no other', async () => {
  const { user, page } = await service.visit();
  await propose(user, 'First', '10:00');
  await propose(user, 'Second', '14:00');
  // The time of the first is taken by another program, which keeps both.
  await user
    .post('/calendar/create', { title: 'Call', scheduled_for: `${day}T10:00`, duration_minutes: 60 })
    .expect(201);
  await openAt(page, service.app, 'queue');
  const card = page.getByRole('article');
  await card.getByRole('heading', { name: 'First' }).waitFor();
  for (let times = 0; times < 3; times++) {
    await page.getByRole('button', { name: 'Approve', exact: true, disabled: false }).waitFor();
    await page.keyboard.press('a');
    await page
      .getByText(/is taken by/)
      .last()
      .waitFor();
    await card.getByRole('heading', { name: 'First' }).waitFor();
  }
  const { body } = await user.get('/agent/queue').expect(200);
  expect(body.map(({ title }: { title: string }) => title)).toEqual(['First', 'Second']);
});

const BESIDE = 'This one is not selected. Selected: “First” and “Second”';

/** A queue of four whose first two are ticked by keys, and whose third is read. */
const besideTicked = async () => {
  const visited = await service.visit();
  const { user, page } = visited;
  for (const [n, title] of ['First', 'Second', 'Third', 'Fourth'].entries()) await propose(user, title, `1${n}:00`);
  await openAt(page, service.app, 'queue');
  const card = page.getByRole('article');
  for (const title of ['First', 'Second']) {
    await card.getByRole('heading', { name: title }).waitFor();
    await page.keyboard.press('x');
    await page.keyboard.press('j');
  }
  await card.getByRole('heading', { name: 'Third' }).waitFor();
  await card.getByText(BESIDE).waitFor();
  return { ...visited, card };
};

test('where another card is read than the selected ones, the person says which of these they decide on', async () => {
  const { user, page, faults, card } = await besideTicked();
  const waiting = async (): Promise<string[]> =>
    (await user.get('/agent/queue').expect(200)).body.map(({ title }: { title: string }) => title);
  expect(await card.getByRole('button', { name: 'Approve', exact: true }).count()).toBe(0);
  await page.keyboard.press('a');
  await page
    .getByText(/^Other proposals than this one are selected\./)
    .first()
    .waitFor();
  expect(await page.evaluate<string>('document.activeElement.textContent')).toBe('Approve 2 selected');
  expect(await waiting()).toEqual(['First', 'Second', 'Third', 'Fourth']);
  await card.getByRole('button', { name: 'Decide on this one alone' }).click();
  await card.getByRole('button', { name: 'Approve', exact: true, disabled: false }).waitFor();
  await page.keyboard.press('a');
  await page.getByText('Approved: Third').waitFor();
  expect(await waiting()).toEqual(['First', 'Second', 'Fourth']);
  // The next one is not the one that was meant alone.
  await card.getByRole('heading', { name: 'Fourth' }).waitFor();
  await card.getByText('This one is not selected.').waitFor();
  await page.keyboard.press('k');
  await card.getByRole('heading', { name: 'Second' }).waitFor();
  await card.getByRole('button', { name: 'Approve 2 selected', disabled: false }).waitFor();
  await page.keyboard.press('a');
  await page.getByText('Approved: “First” and 1 more.').waitFor();
  expect(await waiting()).toEqual(['Fourth']);
  await card.getByRole('button', { name: 'Approve', exact: true }).waitFor();
  // What was ticked before another screen decides on nothing.
  await page.getByLabel('Select Fourth').check();
  await page.getByRole('link', { name: 'Ledger' }).click();
  await page.getByRole('link', { name: /^Queue/ }).click();
  await page.getByLabel('Select Fourth').waitFor();
  expect(await page.getByLabel('Select Fourth').isChecked()).toBe(false);
  expect(faults).toEqual([]);
});

test('a reason that is typed beside ticked rows is kept, and the person says for which proposals it is', async () => {
  const { user, page, faults, card } = await besideTicked();
  const rejected = async (): Promise<[string, string][]> =>
    (await user.get('/agent/queue?status=rejected').expect(200)).body.map(
      ({ title, decision }: { title: string; decision: { note: string } }) => [title, decision.note],
    );
  await page.keyboard.press('r');
  await page.keyboard.type('jazz at ten');
  await page.keyboard.press('Enter');
  await page.getByText(/^Nothing is rejected yet\. Press Enter for “Reject 2 selected”, or/).waitFor();
  expect(await card.getByLabel(/^Reason/).inputValue()).toBe('jazz at ten');
  expect(await rejected()).toEqual([]);
  await card.getByRole('button', { name: 'Reject this one alone', disabled: false }).click();
  await page.getByText('Rejected: Third').waitFor();
  expect(await rejected()).toEqual([['Third', 'jazz at ten']]);
  // The ones that are ticked still are, and the reason was for the other one.
  await card.getByText(BESIDE).waitFor();
  await page.keyboard.press('r');
  await page.keyboard.type('all full');
  // The second of two is no answer to what the first one asks.
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  expect(await rejected()).toEqual([['Third', 'jazz at ten']]);
  const isRejected = page.getByText('Rejected: “First” and 1 more.');
  await expect.poll(() => page.keyboard.press('Enter').then(() => isRejected.count())).toBe(1);
  expect((await rejected()).toSorted()).toEqual([
    ['First', 'all full'],
    ['Second', 'all full'],
    ['Third', 'jazz at ten'],
  ]);
  await page.keyboard.press('z');
  await page.getByText('Taken back: “First” and “Second” wait for you again.').waitFor();
  expect(faults).toEqual([]);
});

test('a key that is held opens a form, and writes nothing into it', async () => {
  const { user, page, faults } = await service.visit();
  await propose(user, 'Plan the trip', '10:00');
  await openAt(page, service.app, 'queue');
  const card = page.getByRole('article');
  await card.getByRole('heading', { name: 'Plan the trip' }).waitFor();
  const hold = async (key: string): Promise<void> => {
    for (let times = 0; times < 12; times++) await page.keyboard.down(key);
    await page.keyboard.up(key);
  };
  await hold('e');
  expect(await card.getByLabel('Title').inputValue()).toBe('Plan the trip');
  // What is held in the form itself is text.
  await page.keyboard.press('End');
  await hold('e');
  expect(await card.getByLabel('Title').inputValue()).toBe(`Plan the trip${'e'.repeat(12)}`);
  await card.getByLabel('Title').fill('Plan the trip');
  await page.keyboard.press('Escape');
  await hold('r');
  await card.getByLabel(/^Reason/).waitFor();
  expect(await card.getByLabel(/^Reason/).inputValue()).toBe('');
  expect(faults).toEqual([]);
});

test('the second click of a double click does not complain of what the first one did', async () => {
  const { user, page, faults } = await service.visit();
  const [note] = (await user.post('/memory/push', { traces: [{ type: 'observation', content: 'Blue door' }] })).body;
  await openAt(page, service.app, `memory?trace=${note.uid}`);
  await page.getByRole('button', { name: 'Remove', exact: true }).dblclick();
  await page.getByText('The note is removed.').waitFor();
  await page.getByRole('button', { name: 'Undo' }).dblclick();
  await page.getByText('Taken back: the note “Blue door” is in memory again.').waitFor();
  await page.getByRole('button', { name: 'Remove', exact: true }).waitFor();
  expect(await page.locator('.messages [data-bad]').count()).toBe(0);
  const { body } = await user.get(`/memory/history?uid=${note.uid}`).expect(200);
  expect(body.map(({ version }: { version: number }) => version)).toEqual([3, 2, 1]);
  expect(faults).toEqual([]);
});

test('the key that undoes takes back an open question, and nothing else', async () => {
  const { user, page, faults } = await service.visit(DAY);
  await page.getByRole('button', { name: 'New event' }).click();
  await details(page).getByLabel('Title').fill('Yoga');
  await details(page).getByRole('button', { name: 'Create' }).click();
  await page.getByText('Created: Yoga').waitFor();
  const action = { action_type: 'schedule', title: 'Run', scheduled_for: `${day}T18:00`, rrule: 'FREQ=DAILY;COUNT=3' };
  await user.agent.post('/agent/plan', { actions: [action] }).expect(200);
  await page.getByRole('link', { name: /^Queue/ }).click();
  const card = page.getByRole('article');
  await card.getByRole('button', { name: /^Approve/, disabled: false }).waitFor();
  await page.keyboard.press('a');
  await card.getByRole('button', { name: 'Not yet' }).waitFor();
  await page.keyboard.press('z');
  await card.getByRole('button', { name: 'Not yet' }).waitFor({ state: 'detached' });
  const { body } = await user.get(`/calendar/events?start=${day}&end=${day}`).expect(200);
  expect(body).toMatchObject([{ title: 'Yoga' }]);
  expect(faults).toEqual([]);
});
