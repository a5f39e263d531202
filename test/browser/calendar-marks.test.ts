/** What blocks, months and forms of the calendar show of series, proposed changes and short times, and what is said of a change. */
import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import type { TestUser } from '../support/app.ts';
import { signIn } from '../support/console-page.ts';
import { consoleOfFile, details, looksOf, openAt } from '../support/console-visit.ts';
import { weekAhead } from '../support/today.ts';

const service = consoleOfFile();

const day = weekAhead(0);
const DAY = `?view=day&date=${day}`;
const create = async (user: TestUser, title: string, time: string, more: object = {}): Promise<{ uid: string }> =>
  (
    await user
      .post('/calendar/create', { title, scheduled_for: `${day}T${time}`, duration_minutes: 60, ...more })
      .expect(201)
  ).body;
const plan = (user: TestUser, ...actions: object[]) => user.agent.post('/agent/plan', { actions }).expect(200);
const schedule = (title: string, time: string, duration_minutes: number, more: object = {}) => ({
  ...{ action_type: 'schedule', title, scheduled_for: `${day}T${time}`, duration_minutes },
  ...more,
});
const before = (part: Locator): Promise<string> =>
  part.locator('.foreign').evaluate((element) => {
    const { getComputedStyle: styleOf } = globalThis as unknown as {
      getComputedStyle: (element: unknown, part: string) => { content: string };
    };
    return styleOf(element, '::before').content;
  });
const boxOf = async (part: Locator) =>
  (await part.boundingBox()) as { x: number; y: number; width: number; height: number };

test('blocks of a series are marked, whether it is proposed or on the calendar', async () => {
  const { user, page } = await service.visit();
  await create(user, 'Standup', '08:00', { rrule: 'FREQ=DAILY;COUNT=3', duration_minutes: 15 });
  await create(user, 'Dentist', '15:00');
  await plan(user, schedule('Read', '18:00', 60, { rrule: 'FREQ=DAILY;COUNT=3' }));
  await openAt(page, service.app, DAY);
  const block = (title: string) => page.locator('.block').filter({ hasText: title });
  await block('Read').waitFor();
  expect(await before(block('Standup'))).toContain('↻');
  expect(await before(block('Read'))).toContain('↻');
  expect(await before(block('Dentist'))).not.toContain('↻');
  await page.getByRole('button', { name: /^Standup.*, repeats$/ }).waitFor();
});

test('a month marks what proposals would move and cancel', async () => {
  const { user, page } = await service.visit();
  const [dentist, call] = [await create(user, 'Dentist', '15:00'), await create(user, 'Call', '17:00')];
  await user
    .post('/calendar/create', { title: 'Choir', scheduled_for: `${weekAhead(2)}T19:00`, duration_minutes: 60 })
    .expect(201);
  const moved = { title: 'Dentist', scheduled_for: `${weekAhead(1)}T13:00`, duration_minutes: 60 };
  await plan(user, { action_type: 'reschedule', target_event_uid: dentist.uid, ...moved });
  await plan(user, {
    action_type: 'reschedule',
    target_event_uid: call.uid,
    title: 'Call',
    arguments: { cancel: true },
  });
  await openAt(page, service.app, `?view=month&date=${day}`);
  const chip = (title: string) => page.locator('.chip.event').filter({ hasText: title });
  await page.locator('.chip.ghost').first().waitFor();
  await page.locator('.chip[data-fate]').nth(1).waitFor();
  expect(await before(chip('Dentist'))).toContain('→');
  expect(await before(chip('Call'))).toContain('✕');
  expect(await before(chip('Choir'))).toBe('none');
  expect(await looksOf(page)).toEqual([]);
});

test.each([1400, 1000, 800])('the button to approve lies over no time, at a width of %i', async (width) => {
  const { user, page } = await service.visit('', { width });
  await plan(user, ...[30, 45, 60].map((minutes, n) => schedule('Walk along the river', `${10 + 2 * n}:00`, minutes)));
  await openAt(page, service.app, `?view=week&date=${day}`);
  const ghosts = page.locator('.block.ghost');
  await ghosts.nth(2).waitFor();
  for (const ghost of await ghosts.all()) {
    const yes = ghost.locator('.yes');
    if (!(await yes.isVisible())) continue;
    const [time, button] = [await boxOf(ghost.locator('.time')), await boxOf(yes)];
    expect(time.x + time.width).toBeLessThanOrEqual(button.x);
  }
});

test('the end of a time is whole in its field, or below the length', async () => {
  const { page } = await service.visit(DAY);
  await page.getByRole('button', { name: 'New event' }).click();
  for (const width of [1400, 701, 390, 320]) {
    await page.setViewportSize({ width, height: 900 });
    const [start, end] = [await boxOf(details(page).getByLabel('Start')), await boxOf(details(page).getByLabel('End'))];
    // A field of a day and a time with AM or PM needs so much.
    expect(Math.min(start.width, end.width)).toBeGreaterThanOrEqual(222);
  }
});

test('an event that is only lengthened is said to end later, and one that is moved where it is', async () => {
  const { user, page } = await service.visit();
  await create(user, 'Dentist', '15:00');
  await create(user, 'Choir', '18:00');
  await openAt(page, service.app, DAY);
  const block = page.getByRole('button', { name: /^Dentist/ });
  await block.focus();
  await page.keyboard.press('Shift+Alt+ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByText(/^Now ends at .*16:15: Dentist/).waitFor();
  await page.getByRole('button', { name: /^Choir/ }).focus();
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByText(/^Moved to .*18:15: Choir/).waitFor();
  const { body } = await user.get(`/calendar/events?start=${day}&end=${day}`).expect(200);
  expect(body).toMatchObject([
    { local_start: expect.stringContaining('T15:00'), duration_minutes: 75 },
    { local_start: expect.stringContaining('T18:15'), duration_minutes: 60 },
  ]);
});

test('a double click on Save saves once and says so once, also where the answer comes between the clicks', async () => {
  const { page } = await service.visit('account');
  const name = page.getByLabel('Name', { exact: true });
  await name.fill('Ada');
  const save = page.locator('form').filter({ has: name }).getByRole('button', { name: 'Save' });
  let sent = 0;
  await page.route('**/user/update', (route) => {
    sent += 1;
    return route.continue();
  });
  const { x, y, width, height } = await boxOf(save);
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.mouse.down({ clickCount: 1 });
  await page.mouse.up({ clickCount: 1 });
  const said = page.locator('.messages p');
  await said.waitFor();
  await page.mouse.down({ clickCount: 2 });
  await page.mouse.up({ clickCount: 2 });
  // What is sent after it is answered after it.
  await name.fill('Eve');
  await name.press('Enter');
  await expect.poll(() => said.count()).toBe(2);
  expect(sent).toBe(2);
});

test('of two changes of an event the second one says whose counts, and the complaint goes when it is saved', async () => {
  const { user, page } = await service.visit();
  const { uid } = await create(user, 'Dentist', '15:00');
  await openAt(page, service.app, DAY);
  const edit = async (title: string, other: string): Promise<void> => {
    await page.getByRole('button', { name: /^Dentist/ }).click();
    await details(page).getByRole('button', { name: 'Edit' }).click();
    await details(page).getByLabel('Title').fill(title);
    await details(page).getByLabel('Notes').fill('Bring the card');
    // The page learns of the other change by the refusal.
    await page.route(
      '**/calendar/edit',
      async (route) => {
        await user.patch('/calendar/edit', { uid, updates: { title: other, location: 'Main street' } }).expect(200);
        await route.continue();
      },
      { times: 1 },
    );
    await details(page).getByRole('button', { name: 'Save' }).click();
    await details(page).getByText('It was changed meanwhile:').waitFor();
    await details(page).getByText(`title: ${other}`).waitFor();
    await message.waitFor();
  };
  const message = page
    .locator('.messages p')
    .getByText('This event was changed in another place meanwhile, so nothing was done.');
  await edit('Dentist at noon', 'Dentist of Ada');
  expect(await page.locator('.messages p').innerText()).not.toMatch(/\d/);
  await details(page).getByRole('button', { name: 'Save mine over it', disabled: false }).click();
  await page.getByText('Saved: Dentist at noon').waitFor();
  expect(await message.count()).toBe(0);
  const event = async () => (await user.get(`/calendar/event?uid=${uid}`).expect(200)).body;
  expect(await event()).toMatchObject({
    ...{ title: 'Dentist at noon', location: 'Main street', description: 'Bring the card' },
  });

  await edit('Dentist of mine', 'Dentist of Ben');
  await details(page).getByRole('button', { name: 'Use the other one' }).click();
  await expect.poll(() => details(page).getByLabel('Title').inputValue()).toBe('Dentist of Ben');
  expect(await event()).toMatchObject({ title: 'Dentist of Ben' });
  await page.locator('details.person summary').click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('You are signed out.').waitFor();
  await signIn(page, user);
  await page.getByText('Live').waitFor();
  expect(await message.count()).toBe(0);
});

test('what is said of a saved event has the title that it has now, which somebody else may have set', async () => {
  const { user, page } = await service.visit();
  const { uid } = await create(user, 'Lunch with Ada', '12:00');
  await openAt(page, service.app, DAY);
  await page.getByRole('button', { name: /^Lunch with Ada/ }).click();
  await details(page).getByRole('button', { name: 'Edit' }).click();
  await details(page).getByLabel('Notes').fill('Bring the card');
  await user.patch('/calendar/edit', { uid, updates: { title: 'Lunch with Bob' } }).expect(200);
  await details(page).getByText('title: Lunch with Bob').waitFor();
  await details(page).getByRole('button', { name: 'Save mine over it', disabled: false }).click();
  await page.getByText('Saved: Lunch with Bob').waitFor();

  // An occurrence has the title that was given to it alone.
  const { uid: series } = await create(user, 'Standup', '08:00', { rrule: 'FREQ=DAILY;COUNT=3' });
  const { body } = await user.get(`/calendar/events?start=${day}&end=${day}`).expect(200);
  const { recurrence_id } = body.find((one: { uid: string }) => one.uid === series);
  const alone = { uid: series, recurrence_id, scope: 'this', updates: { title: 'Retrospective' } };
  await user.patch('/calendar/edit', alone).expect(200);
  await page.getByRole('button', { name: /^Retrospective/ }).click();
  await details(page).getByRole('button', { name: 'Edit' }).click();
  await details(page).getByLabel('Notes').fill('In the hall');
  await details(page).getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved: Retrospective').waitFor();
});
