/** Undo, where a person can still take back what they did: approved moves and swaps, changed events, removed occurrences. */
import type { Page, Route } from 'playwright-core';
import { expect, test } from 'vitest';
import type { TestUser } from '../support/app.ts';
import { consoleOfFile, openAt } from '../support/console-visit.ts';
import { weekAhead } from '../support/today.ts';

const service = consoleOfFile();

const day = weekAhead(0);
const next = weekAhead(1);
const WEEK = `?view=week&date=${day}`;

const book = async (user: TestUser, title: string, scheduled_for: string, more: object = {}): Promise<string> =>
  (await user.post('/calendar/create', { title, scheduled_for, duration_minutes: 45, ...more }).expect(201)).body.uid;
const move = (event: string, scheduled_for: string, more: object = {}) => ({
  ...{ action_type: 'reschedule', title: 'Move it', target_event_uid: event, scheduled_for, arguments: more },
});
const placesOf = async (user: TestUser): Promise<string[]> => {
  const { body } = await user.get(`/calendar/events?start=${day}&end=${weekAhead(3)}`).expect(200);
  return body.map(
    ({ title, local_start, duration_minutes }: Record<string, string>) =>
      `${title} ${local_start?.slice(0, 16)} ${duration_minutes}`,
  );
};
const undo = async (page: Page): Promise<void> => page.getByRole('button', { name: 'Undo' }).last().click();

test('an approved move is moved back, also of one occurrence', async () => {
  const { user, page, faults } = await service.visit();
  const dentist = await book(user, 'Dentist', `${day}T11:00`);
  const yoga = await book(user, 'Yoga', `${day}T08:00`, { rrule: 'FREQ=DAILY;COUNT=3' });
  const before = await placesOf(user);
  const { body: occurrences } = await user.get(`/calendar/events?start=${next}&end=${next}`).expect(200);
  const actions = [
    { ...move(dentist, `${next}T15:00`), duration_minutes: 60 },
    move(yoga, `${next}T18:00`, { recurrence_id: occurrences[0].recurrence_id }),
  ];
  for (const action of actions) {
    await user.agent.post('/agent/plan', { actions: [action] }).expect(200);
    await openAt(page, service.app, 'queue');
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await page.getByText(/^Approved: /).waitFor();
    expect(await placesOf(user)).not.toEqual(before);
    await undo(page);
    await expect.poll(() => placesOf(user)).toEqual(before);
    // The proposal waits again.
    await page.getByText(/^Taken back: /).waitFor();
    const { body: queue } = await user.get('/agent/queue').expect(200);
    expect(queue).toHaveLength(1);
    await user.post('/agent/reject', { uid: queue[0].uid }).expect(200);
  }
  expect(faults).toEqual([]);
});

test('an approved swap is swapped back', async () => {
  const { user, page, faults } = await service.visit();
  const call = await book(user, 'Call', `${day}T10:00`);
  const lunch = await book(user, 'Lunch', `${next}T12:00`);
  const before = await placesOf(user);
  await user.agent
    .post('/agent/plan', { actions: [move(call, `${next}T12:00`), move(lunch, `${day}T10:00`)] })
    .expect(200);
  await openAt(page, service.app, 'queue');
  await page.getByRole('button', { name: 'Approve both' }).click();
  await page.getByText(/^Approved: “.*” and 1 more\.$/).waitFor();
  expect(await placesOf(user)).toEqual([`Lunch ${day}T10:00 45`, `Call ${next}T12:00 45`]);
  await undo(page);
  await expect.poll(() => placesOf(user)).toEqual(before);
  // What was taken back is approved by the versions of both, and taken back in the list of what was decided.
  await page.getByRole('button', { name: 'Approve both' }).click();
  await expect.poll(() => placesOf(user)).not.toEqual(before);
  await openAt(page, service.app, 'queue');
  await page.getByRole('button', { name: 'Decided', exact: true }).click();
  await page.getByRole('button', { name: 'Take back…' }).first().click();
  await page.getByRole('button', { name: /^Undo what it did/ }).click();
  await expect.poll(() => placesOf(user)).toEqual(before);
  expect(faults).toEqual([]);
});

test('a move is left as it is where the event was changed since', async () => {
  const { user, page } = await service.visit();
  const dentist = await book(user, 'Dentist', `${day}T11:00`);
  await user.agent.post('/agent/plan', { actions: [move(dentist, `${next}T15:00`)] }).expect(200);
  await openAt(page, service.app, 'queue');
  await page.getByRole('button', { name: 'Approve', exact: true }).click();
  await page.getByText(/^Approved: /).waitFor();
  await user.patch('/calendar/edit', { uid: dentist, updates: { title: 'Dr. Weber' } }).expect(200);
  await undo(page);
  await page.getByText(/was changed again since/).waitFor();
  expect(await placesOf(user)).toEqual([`Dr. Weber ${next}T15:00 45`]);
});

test('an event that was moved or changed, and an occurrence that was removed, are set back', async () => {
  const { user, page, faults } = await service.visit(WEEK);
  await book(user, 'Dentist', `${day}T11:00`, { location: 'Room 2' });
  await book(user, 'Yoga', `${day}T08:00`, { rrule: 'FREQ=DAILY;COUNT=3' });
  const before = await placesOf(user);
  const dentist = page.getByRole('button', { name: /^Dentist/ });
  await dentist.focus();
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Enter');
  await expect.poll(() => placesOf(user)).toContain(`Dentist ${day}T11:15 45`);
  await undo(page);
  await expect.poll(() => placesOf(user)).toEqual(before);
  await page.getByRole('button', { name: /^Dentist.*11:00/ }).click();
  const card = page.getByRole('dialog', { name: 'Details' });
  await card.getByRole('button', { name: 'Edit' }).click();
  await card.getByLabel('Where').fill('Hall');
  await card.getByLabel('Minutes').fill('90');
  await card.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved: Dentist').waitFor();
  expect(await placesOf(user)).toContain(`Dentist ${day}T11:00 90`);
  await undo(page);
  await expect.poll(() => placesOf(user)).toEqual(before);
  await page.getByRole('button', { name: /^Yoga/ }).nth(1).click();
  await card.getByRole('button', { name: 'Remove this one' }).click();
  await page.getByText('Removed: Yoga').waitFor();
  expect(await placesOf(user)).not.toEqual(before);
  await undo(page);
  await expect.poll(() => placesOf(user)).toEqual(before);
  const { body } = await user.get(`/calendar/events?start=${day}&end=${day}`).expect(200);
  expect(body[1]).toMatchObject({ title: 'Dentist', location: 'Room 2' });
  expect(faults).toEqual([]);
});

test('a drag over free time draws a new event with its length, and its creation is undone', async () => {
  const { user, page, faults } = await service.visit(`?view=day&date=${day}`);
  const column = (await page.getByRole('region', { name: 'Hours' }).boundingBox()) as { x: number; y: number };
  // Three hours below the upper edge of the hours.
  const [x, y] = [column.x + 300, column.y + 200];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x, y + 60, { steps: 3 });
  await page.mouse.move(x, y + 112, { steps: 3 });
  const times = page.getByText(/^\d\d?:\d\d–\d\d?:\d\d$/);
  await times.waitFor();
  await page.mouse.up();
  const card = page.getByRole('dialog', { name: 'Details' });
  await card.getByLabel('Title').fill('Drawn');
  expect(Number(await card.getByLabel('Minutes').inputValue())).toBeGreaterThanOrEqual(105);
  // The outline follows what is typed.
  await card.getByLabel('Minutes').fill('45');
  await card.getByLabel('Start').fill(`${day}T11:00`);
  await page.getByText('11:00–11:45', { exact: true }).waitFor();
  await card.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('button', { name: /^Drawn/ }).waitFor();
  await undo(page);
  await expect.poll(() => placesOf(user)).toEqual([]);
  expect(faults).toEqual([]);
});

test('an event of whole days is made, and stays one when it is changed', async () => {
  const { user, page, faults } = await service.visit(`?view=day&date=${day}`);
  await page.getByRole('button', { name: 'New event' }).click();
  const card = page.getByRole('dialog', { name: 'Details' });
  await card.getByLabel('Title').fill('Conference');
  await card.getByLabel('Whole days').check();
  await card.getByLabel('Days', { exact: true }).fill('2');
  await card.getByRole('button', { name: 'Create' }).click();
  const event = page.getByRole('button', { name: /^Conference/ });
  await event.click();
  await card.getByRole('button', { name: 'Edit' }).click();
  await card.getByLabel('First day').fill(next);
  await card.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved: Conference').waitFor();
  const { body } = await user.get(`/calendar/events?start=${day}&end=${weekAhead(3)}`).expect(200);
  expect(body).toMatchObject([{ all_day: true, duration_minutes: 2880 }]);
  expect(body[0].local_start).toMatch(next);
  expect(faults).toEqual([]);
});

test('what was undone is done again by keys and by the message, and not where something was changed since', async () => {
  const { user, page, faults } = await service.visit();
  const propose = (title: string) =>
    user.agent
      .post('/agent/plan', {
        actions: [{ action_type: 'schedule', title, scheduled_for: `${day}T15:00`, duration_minutes: 45 }],
      })
      .expect(200);
  const { body } = await propose('Focus');
  const uid: string = body[0].uid;
  const statusOf = async () => (await user.get(`/agent/plan?uid=${uid}`).expect(200)).body.status;
  await openAt(page, service.app, 'queue');
  await page.keyboard.press('Control+y');
  await page.getByText('Nothing was undone on this page in the last minute.').waitFor();
  await page.getByRole('button', { name: 'Approve', exact: true, disabled: false }).click();
  await page.getByText('Approved: Focus').waitFor();
  await page.keyboard.press('Control+z');
  await page.getByText('Taken back: Focus waits for you again.').waitFor();
  await page.keyboard.press('Control+Shift+z');
  await expect.poll(statusOf).toBe('executed');
  const back = page.getByRole('button', { name: 'Undo' });
  await back.waitFor();
  await page.keyboard.press('z');
  await page.getByRole('button', { name: 'Redo' }).click();
  await back.waitFor();
  expect(await statusOf()).toBe('executed');
  await page.keyboard.press('z');
  await page.getByRole('button', { name: 'Redo' }).waitFor();
  expect(await statusOf()).toBe('proposed');
  // Its agent changes it: what is done again is not what was undone.
  await user.agent.patch('/memory/edit', { uid, updates: { title: 'Deep focus' } }).expect(200);
  await page.keyboard.press('Control+y');
  await page.getByText(/^It was not done again\. /).waitFor();
  expect(await statusOf()).toBe('proposed');

  await openAt(page, service.app, WEEK);
  const dentist = page.getByRole('button', { name: /^Dentist/ });
  await book(user, 'Dentist', `${day}T11:00`);
  await dentist.focus();
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Enter');
  const moved = `Dentist ${day}T11:15 45`;
  await expect.poll(() => placesOf(user)).toContain(moved);
  await page.keyboard.press('Control+z');
  await page.getByText(/^Taken back: “Dentist” is as before: .*11:00–11:45\.$/).waitFor();
  await page.keyboard.press('Control+y');
  await expect.poll(() => placesOf(user)).toContain(moved);
  await page.getByText(/^Done again: “Dentist” is as you made it: .*11:15–12:00\.$/).waitFor();
  // The old place goes when the calendar is read again.
  await expect.poll(() => dentist.count()).toBe(1);
  await dentist.click();
  await page.getByRole('dialog', { name: 'Details' }).getByRole('button', { name: 'Remove' }).click();
  await page.getByText('Removed: Dentist').waitFor();
  await page.keyboard.press('Control+z');
  await page.getByText(/^Taken back: “Dentist” is as before: .*11:15–12:00\.$/).waitFor();
  await page.keyboard.press('Control+y');
  await page.getByText('Done again: “Dentist” is removed again.').waitFor();
  expect(await placesOf(user)).toEqual([]);
  expect(faults.filter((fault) => !/412/.test(fault))).toEqual([]);
});

test('a key that is pressed before the answer to a change undoes that change, and nothing where it fails', async () => {
  const { user, page } = await service.visit();
  await book(user, 'Dentist', `${day}T11:00`);
  await book(user, 'Choir', `${day}T14:00`);
  await openAt(page, service.app, WEEK);
  const move = async (title: RegExp): Promise<void> => {
    await page.getByRole('button', { name: title }).focus();
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Enter');
  };
  await move(/^Dentist/);
  await page.getByText(/^Moved to .*: Dentist$/).waitFor();
  const held = Promise.withResolvers<Route>();
  await page.route('**/calendar/edit', (route) => held.resolve(route), { times: 1 });
  await move(/^Choir/);
  const first = await held.promise;
  await page.keyboard.press('z');
  await first.continue();
  await page.getByText(/^Taken back: “Choir” is as before: .*14:00–14:45\.$/).waitFor();
  expect((await placesOf(user)).toSorted()).toEqual([`Choir ${day}T14:00 45`, `Dentist ${day}T11:15 45`]);
  const failing = Promise.withResolvers<Route>();
  await page.route('**/calendar/edit', (route) => failing.resolve(route), { times: 1 });
  await page.getByRole('button', { name: /^Choir.*14:00/ }).waitFor();
  await move(/^Choir/);
  const second = await failing.promise;
  await page.keyboard.press('z');
  const detail = 'The calendar is closed today.';
  const json = { code: 'limit_reached', title: 'No', detail, status: 409 };
  await second.fulfill({ status: 409, contentType: 'application/problem+json', json });
  await page.getByText(detail).waitFor();
  // The move of the other event was not meant, so a further key takes it back.
  expect((await placesOf(user)).toSorted()).toEqual([`Choir ${day}T14:00 45`, `Dentist ${day}T11:15 45`]);
  await page.keyboard.press('z');
  await page.getByText(/^Taken back: “Dentist” is as before: .*11:00–11:45\.$/).waitFor();
});

test('an event that is moved again before the answer to the first move is at its last place, and each move is undone', async () => {
  const { user, page } = await service.visit();
  await book(user, 'Dentist', `${day}T11:00`);
  await openAt(page, service.app, WEEK);
  const dentist = page.getByRole('button', { name: /^Dentist/ });
  const move = async (key: string): Promise<void> => {
    await dentist.focus();
    await page.keyboard.press(key);
    await page.keyboard.press('Enter');
  };
  const held = Promise.withResolvers<Route>();
  await page.route('**/calendar/edit', (route) => held.resolve(route), { times: 1 });
  await move('Shift+ArrowDown');
  const first = await held.promise;
  await move('Shift+ArrowDown');
  await move('Shift+ArrowDown');
  await first.continue();
  await page.getByText(/^Moved to .*11:45: Dentist$/).waitFor();
  expect(await placesOf(user)).toEqual([`Dentist ${day}T11:45 45`]);
  await page.keyboard.press('z');
  await page.getByText(/^Taken back: “Dentist” is as before: .*11:30–12:15\.$/).waitFor();
  await page.keyboard.press('z');
  await page.getByText(/^Taken back: “Dentist” is as before: .*11:15–12:00\.$/).waitFor();
  // What somebody else changed after it is not followed.
  const seen = Promise.withResolvers<Route>();
  await page.getByRole('button', { name: /^Dentist.*11:15/ }).waitFor();
  await page.route('**/calendar/edit', (route) => seen.resolve(route), { times: 1 });
  await move('Shift+ArrowUp');
  const last = await seen.promise;
  const { body } = await user.get(`/calendar/events?start=${day}&end=${day}`).expect(200);
  await user.patch('/calendar/edit', { uid: body[0].uid, updates: { title: 'Doctor' } }).expect(200);
  await last.continue();
  await page.getByText(/changed in another place/).waitFor();
  expect(await placesOf(user)).toEqual([`Doctor ${day}T11:15 45`]);
});
