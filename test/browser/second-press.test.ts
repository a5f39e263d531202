/** A press means what was under the pointer before it: what has come there since is not pressed, dragged or typed into. */
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { TestUser } from '../support/app.ts';
import { consoleOfFile, details, openAt } from '../support/console-visit.ts';
import { weekAhead } from '../support/today.ts';

const service = consoleOfFile();

const day = weekAhead(0);
type Box = { x: number; y: number; width: number; height: number };
const boxOf = async (part: Locator): Promise<Box> => (await part.boundingBox()) as Box;

const create = async (user: TestUser, title: string, time: string): Promise<{ uid: string }> =>
  (await user.post('/calendar/create', { title, scheduled_for: `${day}T${time}`, duration_minutes: 60 }).expect(201))
    .body;
const propose = async (user: TestUser, title: string, scheduled_for: string): Promise<{ uid: string }> =>
  (
    await user.agent
      .post('/agent/plan', { actions: [{ action_type: 'schedule', title, scheduled_for, duration_minutes: 60 }] })
      .expect(200)
  ).body[0];
const statusOf = async (user: TestUser, { uid }: { uid: string }): Promise<string> =>
  (await user.get(`/agent/plan?uid=${uid}`).expect(200)).body.status;

/** The page counts the time between presses, which is set here, however long the machine takes. */
const holdClock = (page: Page): Promise<unknown> =>
  page.evaluate('window.at = performance.now(), performance.now = () => window.at');
const pass = (page: Page, ms: number): Promise<unknown> => page.evaluate(`window.at += ${ms}`);

const clockOf = (minutes: number): string =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;

/** How many proposals beside each other have one of their marks, which are at their right edges, in a stretch of the column. */
const countFor = (column: Box, from: number, to: number): number => {
  for (let count = 2; count < 9; count++)
    for (let n = 1; n <= count; n++) {
      const middle = column.x + (column.width * n) / count - 16;
      if (middle > from + 4 && middle < to - 4) return count;
    }
  throw new Error('No number of proposals has a mark there.');
};

test.each([100, 500, 900])(
  'a second click after %i ms approves nothing that lay below a card that has closed',
  async (ms) => {
    const { user, page, faults } = await service.visit();
    await create(user, 'Gym', '09:00');
    await openAt(page, service.app, `?view=day&date=${day}`);
    const gym = page.locator('.block.event').filter({ hasText: 'Gym' }).locator('.body');
    const remove = details(page).getByRole('button', { name: 'Remove', exact: true });
    await gym.press('Enter');
    const button = await boxOf(remove);
    await page.keyboard.press('Escape');
    const column = await boxOf(page.locator('.day').first());
    const minutes = Math.floor((((button.y + button.height / 2 - column.y) / column.height) * 1440) / 5) * 5 - 10;
    const count = countFor(column, button.x, button.x + button.width);
    const plans = new Map<string, { uid: string }>();
    for (let n = 1; n <= count; n++)
      plans.set(`Plan ${n}`, await propose(user, `Plan ${n}`, `${day}T${clockOf(minutes)}`));
    const marks = page.getByRole('button', { name: /^Approve Plan/, disabled: false });
    await marks.nth(count - 1).waitFor();
    await gym.press('Enter');
    const now = await boxOf(remove);
    const there = { x: 0, y: now.y + now.height / 2 };
    let title = '';
    for (const mark of await marks.all()) {
      const { x, y, width, height } = await boxOf(mark);
      if (x + width / 2 < now.x || x + width / 2 > now.x + now.width || there.y < y || there.y > y + height) continue;
      there.x = x + width / 2;
      title = (await mark.getAttribute('aria-label'))?.replace('Approve ', '') ?? '';
    }
    expect(plans.has(title)).toBe(true);
    await holdClock(page);
    await page.mouse.click(there.x, there.y);
    await page.getByText('Removed: Gym').waitFor();
    await pass(page, ms);
    await page.mouse.click(there.x, there.y);
    await page.mouse.click(there.x, there.y);
    if (ms > 400) await page.getByText('has only just come under the pointer. Click again.').waitFor();
    const plan = plans.get(title) as { uid: string };
    expect(await statusOf(user, plan)).toBe('proposed');
    await pass(page, 1_000);
    await page.mouse.click(there.x, there.y);
    await page.getByText(`Approved: ${title}`).waitFor();
    expect(await statusOf(user, plan)).toBe('executed');
    expect(faults).toEqual([]);
  },
);

test('a second click on Undo does not do it again', async () => {
  const { user, page } = await service.visit();
  const { uid } = await create(user, 'Gym', '12:00');
  await openAt(page, service.app, `?view=day&date=${day}`);
  await page.locator('.block.event').filter({ hasText: 'Gym' }).locator('.body').press('Enter');
  await details(page).getByRole('button', { name: 'Remove', exact: true }).press('Enter');
  const { x, y, width, height } = await boxOf(page.getByRole('button', { name: 'Undo', exact: true }));
  await holdClock(page);
  await page.mouse.click(x + width / 2, y + height / 2);
  await page.getByRole('button', { name: 'Redo', exact: true }).waitFor();
  await pass(page, 700);
  await page.mouse.click(x + width / 2, y + height / 2);
  await page.getByText('has only just come under the pointer').waitFor();
  await user.get(`/calendar/event?uid=${uid}`).expect(200);
  await page.getByRole('button', { name: 'Redo', exact: true }).click();
  await page.getByText(/^Done again/).waitFor();
});

test('who draws does not drag what an agent has just proposed there', async () => {
  const { user, page, faults } = await service.visit();
  await openAt(page, service.app, `?view=day&date=${day}`);
  await page.locator('.day').first().waitFor();
  await holdClock(page);
  const plan = await propose(user, 'Spook', `${day}T12:00`);
  const { x, y, width, height } = await boxOf(page.locator('.block.ghost'));
  const there = { x: x + width / 2, y: y + height / 2 };
  await page.mouse.move(there.x, there.y);
  await page.mouse.down();
  await page.mouse.move(there.x, there.y + 20, { steps: 4 });
  await page.mouse.move(there.x, there.y + 40, { steps: 4 });
  await page.mouse.up();
  await page.getByRole('heading', { name: 'New event' }).waitFor();
  await page.keyboard.type('Dinner out');
  expect(await details(page).getByLabel('Title').inputValue()).toBe('Dinner out');
  expect(await statusOf(user, plan)).toBe('proposed');
  // A click without a movement opens what is there.
  await page.keyboard.press('Escape');
  await page.mouse.click(there.x, there.y - 10);
  await details(page).getByRole('heading', { name: 'Spook' }).waitFor();
  expect(faults).toEqual([]);
});

test('a blank between words that no field takes presses no button', async () => {
  const { user, page } = await service.visit();
  const plan = await propose(user, 'Run', `${day}T12:00`);
  await openAt(page, service.app, `?view=day&date=${day}`);
  await page.getByRole('button', { name: 'Approve Run', disabled: false }).waitFor();
  await page.locator('.block.ghost .body').click();
  const approve = details(page).getByRole('button', { name: 'Approve', disabled: false });
  await approve.focus();
  await page.keyboard.type('Dinner out');
  await page.keyboard.press('Enter');
  await page.getByText('No field takes what you type').waitFor();
  expect(await statusOf(user, plan)).toBe('proposed');
  // A turn of the person to something makes the keys act again.
  await page.keyboard.press('Escape');
  await page.locator('.block.ghost .body').focus();
  await page.keyboard.press('Enter');
  await approve.focus();
  await page.keyboard.press('Enter');
  await page.getByText('Approved: Run').waitFor();
});

test('messages are closed one after the other at the same place', async () => {
  const { user, page } = await service.visit(`?view=day&date=${day}`);
  await create(user, 'Gym', '12:00');
  const gym = page.locator('.block.event').filter({ hasText: 'Gym' }).locator('.body');
  for (const times of [1, 2]) {
    await gym.press('Shift+ArrowDown');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByText(/^Moved to/).count()).toBe(times);
  }
  const close = page.getByRole('button', { name: 'Close message' });
  const { x, y, width, height } = await boxOf(close.first());
  await holdClock(page);
  for (const left of [1, 0]) {
    await page.mouse.click(x + width / 2, y + height / 2);
    await expect.poll(() => close.count()).toBe(left);
  }
});

/** Proposals of whole days, in the order in which the row has them. */
const proposeDays = async (user: TestUser, titles: readonly string[]): Promise<Map<string, { uid: string }>> => {
  const made = new Map<string, { uid: string }>();
  for (const title of titles) {
    const actions = [
      { action_type: 'schedule', title, scheduled_for: day, duration_minutes: 1440, arguments: { all_day: true } },
    ];
    const [plan] = (await user.agent.post('/agent/plan', { actions }).expect(200)).body;
    made.set(title, plan);
  }
  return made;
};

test.each([
  ['row', 100],
  ['row', 900],
  ['list', 100],
] as const)(
  'a click in a %s %i ms after another check mark was moved under the pointer approves nothing',
  async (look, ms) => {
    const { user, page, faults } = await service.visit();
    const plans = await proposeDays(user, ['One', 'Two', 'Three', 'Four']);
    await openAt(page, service.app, `?view=${look === 'row' ? 'week' : 'agenda'}&date=${day}`);
    const marks = page.getByRole('button', { name: /^Approve (?:One|Two|Three|Four)$/, disabled: false });
    await marks.nth(3).waitFor();
    const nameOf = async (n: number): Promise<string> =>
      (await marks.nth(n).getAttribute('aria-label'))!.replace('Approve ', '');
    const [gone, rested, meant] = [await nameOf(0), await nameOf(1), await nameOf(2)];
    const { x, y, width, height } = await boxOf(marks.nth(1));
    await page.mouse.move(x + width / 2, y + height / 2);
    await holdClock(page);
    await pass(page, 5_000);
    await user.agent.post('/agent/withdraw', { uid: plans.get(gone)!.uid }).expect(200);
    await page.getByRole('button', { name: `Approve ${gone}` }).waitFor({ state: 'detached' });
    expect(await nameOf(1), 'what is under the pointer now').toBe(meant);
    expect(Math.round((await boxOf(marks.nth(1))).y)).toBe(Math.round(y));
    await pass(page, ms);
    await page.mouse.down();
    await page.mouse.up();
    await page.getByText('What is there has only just come under the pointer. Click again.').waitFor();
    for (const title of [rested, meant]) expect(await statusOf(user, plans.get(title)!)).toBe('proposed');
    await pass(page, 1_100);
    await page.mouse.down();
    await page.mouse.up();
    await expect.poll(() => statusOf(user, plans.get(meant)!)).toMatch(/approved|executed/);
    expect(faults).toEqual([]);
  },
);

test('a second Enter does not approve what the first one has opened', async () => {
  const { user, page, faults } = await service.visit();
  const plan = await propose(user, 'Swim', `${day}T10:00`);
  await openAt(page, service.app, `?view=day&date=${day}`);
  await page.getByRole('button', { name: 'Approve Swim', disabled: false }).waitFor();
  await page.locator('.block.ghost .body').focus();
  await details(page).getByRole('button', { name: 'Approve', exact: true, disabled: false }).waitFor();
  await page.keyboard.press('Enter');
  await expect.poll(() => page.evaluate('document.activeElement.className')).toBe('card');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  expect(await statusOf(user, plan)).toBe('proposed');
  // Its key approves it.
  await page.keyboard.press('a');
  await expect.poll(() => statusOf(user, plan)).toMatch(/approved|executed/);
  expect(faults).toEqual([]);
});
