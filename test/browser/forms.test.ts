/** The form of an event and of a proposal: the end beside the length, and how it repeats. */
import { expect, test } from 'vitest';
import { aUser } from '../support/app.ts';
import { consoleOfFile, openAt } from '../support/console-visit.ts';
import { dayAhead, weekAhead } from '../support/today.ts';

const shown = consoleOfFile();

test('an event has an end, which follows its start and length, also over a clock change, and gives its length', async () => {
  const { user, page, faults } = await shown.visit('', {}, await aUser(shown.app, { timezone: 'Europe/Berlin' }));
  await page.getByRole('button', { name: 'New event' }).click();
  const details = page.getByRole('dialog', { name: 'Details' });
  await details.getByLabel('Title').fill('Night shift');
  await details.getByLabel('Start').fill('2027-03-28T01:30');
  await details.getByLabel('Minutes').fill('60');
  const end = details.getByLabel('End');
  expect(await end.inputValue()).toBe('2027-03-28T03:30');
  await end.fill('2027-03-28T01:15');
  await details.getByRole('button', { name: 'Create' }).click();
  expect(await end.evaluate((field) => (field as unknown as { validationMessage: string }).validationMessage)).toBe(
    'The end must be later than the start.',
  );
  await end.fill('');
  expect(await end.evaluate((field) => (field as unknown as { validationMessage: string }).validationMessage)).toBe('');
  await details.getByLabel('Start').fill('2027-10-31T01:00');
  expect(await end.inputValue()).toBe('2027-10-31T02:00');
  await end.fill('2027-10-31T03:00');
  expect(await details.getByLabel('Minutes').inputValue()).toBe('180');
  await details.getByRole('button', { name: 'Create' }).click();
  await page.getByText('Created: Night shift').waitFor();
  const { body } = await user.get('/calendar/events?start=2027-10-30&end=2027-11-01').expect(200);
  expect(body).toEqual([expect.objectContaining({ title: 'Night shift', duration_minutes: 180 })]);
  expect(faults).toEqual([]);
});

test('a new event says before it is created what is at its time', async () => {
  const { user, page, faults } = await shown.visit();
  const date = dayAhead(3);
  const focus = { title: 'Focus', scheduled_for: `${date}T10:00`, duration_minutes: 60 };
  await user.post('/calendar/create', focus).expect(201);
  await openAt(page, shown.app, `?view=day&date=${date}`);
  await page.getByRole('button', { name: /^Focus/ }).waitFor();
  await page.getByRole('button', { name: 'New event' }).click();
  const details = page.getByRole('dialog', { name: 'Details' });
  const overlaps = details.getByText('Overlaps Focus, ');
  await details.getByLabel('Start').fill(`${date}T09:30`);
  await details.getByLabel('Minutes').fill('30');
  expect(await overlaps.count()).toBe(0);
  await details.getByLabel('Minutes').fill('31');
  await overlaps.waitFor();
  expect(await overlaps.innerText()).toMatch(/10:00 to 11:00$/);
  await details.getByLabel('Whole days').check();
  await overlaps.waitFor({ state: 'detached' });
  expect(faults).toEqual([]);
});

test('a proposal is approved until another end, and a series until another time of day', async () => {
  const { user, page, faults } = await shown.visit();
  const action = { action_type: 'schedule', duration_minutes: 60 };
  const propose = (title: string, days: number, more: object = {}) =>
    user.agent
      .post('/agent/plan', { actions: [{ ...action, title, scheduled_for: `${dayAhead(days)}T23:00`, ...more }] })
      .expect(200);
  await propose('Once', 3);
  await propose('Often', 4, { rrule: 'FREQ=WEEKLY;COUNT=3' });
  await openAt(page, shown.app, 'queue');
  for (const [title, end] of [
    ['Once', `${dayAhead(4)}T00:30`],
    ['Often', '00:30'],
  ] as const) {
    const card = page.getByRole('article', { name: `Proposal: ${title}` });
    await card.getByRole('button', { name: /^Approve/, disabled: false }).waitFor();
    await card.getByRole('button', { name: 'Edit' }).click();
    await card.getByLabel('End').fill(end);
    expect(await card.getByLabel('Minutes').inputValue()).toBe('90');
    await card.getByRole('button', { name: 'Approve with changes' }).click();
    await page.getByText(`Approved: ${title}`).waitFor();
  }
  const { body } = await user.get(`/calendar/events?start=${dayAhead(3)}&end=${dayAhead(5)}`).expect(200);
  expect(body.map((event: { duration_minutes: number }) => event.duration_minutes)).toEqual([90, 90]);
  expect(faults).toEqual([]);
});

test('a series repeats otherwise from one occurrence on, and one undo restores it', async () => {
  const { user, page, faults } = await shown.visit();
  const [first, second] = [weekAhead(0), weekAhead(7)];
  await user
    .post('/calendar/create', {
      title: 'Yoga',
      scheduled_for: `${first}T10:00`,
      duration_minutes: 60,
      rrule: 'FREQ=WEEKLY;COUNT=4',
    })
    .expect(201);
  const days = async (): Promise<string[]> => {
    const { body } = await user.get(`/calendar/events?start=${first}&end=${weekAhead(40)}`).expect(200);
    return body.map(({ local_start: start }: { local_start: string }) => start.slice(0, 10));
  };
  const before = await days();
  await openAt(page, shown.app, `?view=day&date=${second}`);
  const details = page.getByRole('dialog', { name: 'Details' });
  const edit = async (repeats: string): Promise<void> => {
    await page.getByRole('button', { name: /^Yoga/ }).click();
    await details
      .getByText(/every week, 4 times/)
      .first()
      .waitFor();
    await details.getByRole('button', { name: 'Edit' }).click();
    await details.locator('select[name="scope"]').selectOption({ label: 'this occurrence' });
    await details.getByLabel('Repeats').selectOption({ label: repeats });
    // What it was before stays, so the others cannot be meant.
    expect(await details.locator('select[name="scope"]').locator('option').allInnerTexts()).toEqual([
      'this and all later ones',
    ]);
    if (repeats !== 'Never') await details.getByLabel('Until').fill(weekAhead(9));
    await details.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved: Yoga').waitFor();
  };
  const undo = async (): Promise<void> => {
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await expect.poll(days).toEqual(before);
    await page.getByText('Taken back: “Yoga” is as before.', { exact: true }).first().waitFor();
    // What was split off is shown until the page has read again, and its card goes with it.
    await openAt(page, shown.app, `?view=day&date=${second}`);
  };
  await edit('Every day');
  await expect.poll(days).toEqual([first, second, weekAhead(8), weekAhead(9)]);
  await undo();
  await edit('Never');
  await expect.poll(days).toEqual([first, second]);
  await undo();
  expect(faults).toEqual([]);
});

test('a year that is being typed is none yet, and the form stays', async () => {
  const { user, page, faults } = await shown.visit(`?view=day&date=${weekAhead(0)}`);
  const plan = {
    action_type: 'schedule',
    title: 'Read',
    scheduled_for: `${weekAhead(0)}T12:00`,
    duration_minutes: 30,
  };
  await user.agent.post('/agent/plan', { actions: [plan] }).expect(200);
  const details = page.getByRole('dialog', { name: 'Details' });
  const typeYears = async (title: string): Promise<void> => {
    const start = details.getByLabel('Start');
    for (const year of ['0002', '0020', '0202', '2027']) await start.fill(`${year}-12-01T10:00`);
    expect(await details.getByLabel('Title').inputValue()).toBe(title);
    expect(await details.getByLabel('End').inputValue()).toContain('2027-12-01T1');
    await start.fill('0202-12-01T10:00');
    await details.getByLabel('Title').press('Enter');
    expect(await start.evaluate((field) => (field as unknown as { validity: { valid: boolean } }).validity.valid)).toBe(
      false,
    );
    await details.getByRole('button', { name: 'Cancel' }).click();
  };
  await page.getByRole('button', { name: 'New event' }).press('Enter');
  await details.getByLabel('Title').fill('Dentist');
  await typeYears('Dentist');
  await page.locator('.block.ghost .body').press('Enter');
  await details.getByRole('button', { name: 'Edit' }).press('Enter');
  await typeYears('Read');
  const { body } = await user.get('/agent/queue').expect(200);
  expect(body).toMatchObject([{ title: 'Read', revision: 1 }]);
  expect(faults).toEqual([]);
});

test('the form of a series fits into its card', async () => {
  const { user, page } = await shown.visit();
  const day = weekAhead(0);
  const rrule = 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;UNTIL=20991218T120000Z';
  const event = { title: 'Gym', scheduled_for: `${day}T12:00`, duration_minutes: 30, rrule };
  await user.post('/calendar/create', event).expect(201);
  await openAt(page, shown.app, `?view=day&date=${day}`);
  await page.locator('.block.event .body').first().press('Enter');
  const details = page.getByRole('dialog', { name: 'Details' });
  await details.getByRole('button', { name: 'Edit' }).press('Enter');
  await details.getByLabel('Repeats').waitFor();
  expect(
    await details.evaluate((card) => {
      const { scrollWidth, clientWidth } = card as unknown as { scrollWidth: number; clientWidth: number };
      return scrollWidth - clientWidth;
    }),
  ).toBe(0);
});
