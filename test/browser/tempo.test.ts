/** The tempo screen: hours of one day and of a set, what tags mean by them, what is said, and the fields of the limits. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { TestUser } from '../support/app.ts';
import { aSecondLater, consoleOfFile, looksOf, openAt } from '../support/console-visit.ts';
import { dayAhead } from '../support/today.ts';

const service = consoleOfFile();

const ALL = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];
const without = (...gone: string[]): string[] => ALL.filter((day) => !gone.includes(day));
const tempoOf = async (user: TestUser) => (await user.get('/tempo/profile').expect(200)).body;
const rangesOf = async (user: TestUser) => (await tempoOf(user)).time_ranges;
const block = (page: Page, day: string) => page.getByRole('button', { name: new RegExp(`^day.*, ${day}`) });

test('keys change the hours of one day alone; days with equal hours share a set; each undo says what is as before', async () => {
  const { user, page, faults } = await service.visit('tempo');
  await block(page, 'Mon').focus();
  await page.keyboard.press('Shift+ArrowUp');
  await page.getByText('Changed: day 2, Monday 8:00 to 19:45. Every Monday now has these hours.').waitFor();
  // The focus stays on the block, which is in another set now.
  await page.keyboard.press('Shift+ArrowUp');
  await page.getByText('Changed: day 2, Monday 8:00 to 19:30').waitFor();
  await expect
    .poll(() => rangesOf(user))
    .toEqual([
      { name: 'day', days: without('MO'), start: '08:00', end: '20:00' },
      { name: 'day 2', days: ['MO'], start: '08:00', end: '19:30' },
    ]);
  await block(page, 'Wed').focus();
  await page.keyboard.press('Shift+ArrowUp');
  await page.keyboard.press('Shift+ArrowUp');
  await expect.poll(() => rangesOf(user)).toMatchObject([{ days: without('MO', 'WE') }, { days: ['MO', 'WE'] }]);
  expect(await rangesOf(user)).toHaveLength(2);
  for (const said of ['day 3, Wednesday 8:00 to 19:45', 'day, Wednesday 8:00 to 20:00']) {
    await page.keyboard.press('z');
    await page.getByText(`As before: ${said}`).waitFor();
  }
  for (const said of ['day 2, Monday 8:00 to 19:45', 'day, Monday 8:00 to 20:00']) {
    await page.keyboard.press('z');
    await page.getByText(`As before: ${said}`).waitFor();
  }
  expect(await rangesOf(user)).toEqual([{ name: 'day', days: ALL, start: '08:00', end: '20:00' }]);
  for (const end of ['19:45', '19:30']) {
    await page.keyboard.press('Control+y');
    await expect
      .poll(() => rangesOf(user))
      .toEqual([
        { name: 'day', days: without('MO'), start: '08:00', end: '20:00' },
        { name: 'day 2', days: ['MO'], start: '08:00', end },
      ]);
  }
  for (const said of ['day 2, Monday 8:00 to 19:45', 'day, Monday 8:00 to 20:00']) {
    await page.keyboard.press('z');
    await page.getByText(`As before: ${said}`).last().waitFor();
  }
  await expect.poll(() => rangesOf(user)).toHaveLength(1);
  expect(await rangesOf(user)).toEqual([{ name: 'day', days: ALL, start: '08:00', end: '20:00' }]);
  expect(faults).toEqual([]);
});

test('dragging and Delete concern one day, and undo brings the day back', async () => {
  const { user, page, faults } = await service.visit('tempo');
  const { x, y, height } = (await block(page, 'Thu').boundingBox())!;
  await page.mouse.move(x + 20, y + 30);
  await page.mouse.down();
  await page.mouse.move(x + 20, y + 30 + height / 12, { steps: 3 });
  await block(page, 'Thu').getByText('9:00–21:00').waitFor();
  await block(page, 'Fri').getByText('8:00–20:00').waitFor();
  await page.mouse.up();
  await page.getByText('Changed: day 2, Thursday 9:00 to 21:00. Every Thursday now has these hours.').waitFor();
  await expect.poll(() => rangesOf(user)).toMatchObject([{ days: without('TH') }, { name: 'day 2', days: ['TH'] }]);
  await block(page, 'Sat').focus();
  await page.keyboard.press('Delete');
  await page.getByText('Removed: day, Saturday 8:00 to 20:00').waitFor();
  await expect.poll(() => rangesOf(user)).toMatchObject([{ days: without('TH', 'SA') }, { days: ['TH'] }]);
  expect(await block(page, 'Sat').count()).toBe(0);
  await block(page, 'Sun').and(page.locator(':focus')).waitFor();
  await page.keyboard.press('z');
  await page.getByText('Back again: day, Saturday 8:00 to 20:00').waitFor();
  await block(page, 'Sat').waitFor();
  expect(await rangesOf(user)).toMatchObject([{ days: without('TH') }, { days: ['TH'] }]);
  expect(await looksOf(page)).toEqual([]);
  expect(faults).toEqual([]);
});

test('several changes of one day are undone one after the other, also when they were read again', async () => {
  const { user, page, faults } = await service.visit();
  await openAt(page, service.app, 'tempo');
  await block(page, 'Wed').focus();
  for (const end of ['19:45', '19:30', '19:15']) {
    await page.keyboard.press('Shift+ArrowUp');
    await page.getByText(new RegExp(`^Changed: day( 2)?, Wednesday 8:00 to ${end}`)).waitFor();
  }
  // What the page shows is what the service has answered when it also shows what was changed elsewhere.
  await user.post('/tempo/adjust', { preferences: { use_learned: true } }).expect(200);
  await page.evaluate("dispatchEvent(new Event('focus'))");
  await page.getByRole('checkbox', { name: /learned/, checked: true }).waitFor();
  for (const end of ['19:30', '19:45', '20:00']) {
    await page.keyboard.press('z');
    await page.getByText(new RegExp(`^As before: day( 2)?, Wednesday 8:00 to ${end}`)).waitFor();
  }
  expect(await rangesOf(user)).toHaveLength(1);
  expect(faults).toEqual([]);
});

test('an answer that is late and knows an earlier change only does not keep a change from being undone', async () => {
  const { page, faults } = await service.visit('tempo');
  const late: (() => void)[] = [];
  await page.route('**/user/profile*', async (route) => {
    const response = await route.fetch();
    await new Promise<void>((resolve) => late.push(resolve));
    await route.fulfill({ response });
  });
  const nextIsRead = async (): Promise<void> => {
    await expect.poll(() => late.length).toBe(1);
  };
  const answerOne = (): void => late.pop()!();
  await block(page, 'Wed').focus();
  await page.keyboard.press('Shift+ArrowUp');
  await page.getByText('Changed: day 2, Wednesday 8:00 to 19:45').waitFor();
  await nextIsRead();
  await page.keyboard.press('Shift+ArrowUp');
  await page.getByText('Changed: day 2, Wednesday 8:00 to 19:30').waitFor();
  // The first answer knows the first change, and the second one both.
  answerOne();
  await nextIsRead();
  await page.keyboard.press('z');
  await page.getByText('As before: day 2, Wednesday 8:00 to 19:45').waitFor();
  answerOne();
  await nextIsRead();
  await page.keyboard.press('z');
  await page.getByText('As before: day, Wednesday 8:00 to 20:00').waitFor();
  answerOne();
  expect(faults).toEqual([]);
});

test('a tag and a task mean the same hours after a day got its own, and one undo restores all of them', async () => {
  const { user, page, faults } = await service.visit();
  const night = { name: 'night', days: ['SU'], start: '20:00', end: '23:00' };
  const before = {
    tag_mappings: { '@write': { ranges: ['day', night], duration_minutes: 50 }, '@read': { duration_minutes: 20 } },
    task_overrides: { thesis: { ranges: ['day'] } },
  };
  await user.post('/tempo/adjust', { preferences: before }).expect(200);
  await openAt(page, service.app, 'tempo');
  await block(page, 'Tue').focus();
  await page.keyboard.press('ArrowDown');
  await page.getByText(/Every Tuesday now has these hours\.$/).waitFor();
  const after = await tempoOf(user);
  expect(after.tag_mappings).toEqual({
    ...before.tag_mappings,
    '@write': { ranges: ['day', 'day 2', night], duration_minutes: 50 },
  });
  expect(after.task_overrides).toEqual({ thesis: { ranges: ['day', 'day 2'] } });
  await page.keyboard.press('z');
  await page.getByText('As before: day, Tuesday 8:00 to 20:00').waitFor();
  expect(await tempoOf(user)).toMatchObject(before);
  expect(await rangesOf(user)).toHaveLength(1);
  expect(faults).toEqual([]);
});

test('a set is changed as a whole in the list: its name stays with its tags, and what cannot be is said before it is sent', async () => {
  const { user, page, faults } = await service.visit();
  const time_ranges = [
    { name: 'early', days: ['MO', 'TU', 'WE'], start: '06:00', end: '08:00' },
    { name: 'day', days: ['MO'], start: '09:00', end: '17:00' },
  ];
  await user
    .post('/tempo/adjust', { preferences: { time_ranges, tag_mappings: { '@write': { ranges: ['early'] } } } })
    .expect(200);
  await openAt(page, service.app, 'tempo');
  await page.getByText('applies to all days of the set').waitFor();
  const early = page.getByRole('listitem').filter({ has: page.getByRole('button', { name: 'Remove early' }) });
  await early.getByRole('button', { name: 'Remove early' }).click();
  await page.getByText('The tag “@write” has no other hours than “early”.').waitFor();
  await early.getByLabel('Name').fill('day');
  await early.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Other hours have the name “day” already.').waitFor();
  await early.getByLabel('Name').fill('dawn');
  for (const day of ['Mon', 'Tue', 'Wed']) await early.getByLabel(day).uncheck();
  await early.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Choose at least one day, or remove these hours.').waitFor();
  for (const day of ['Mon', 'Tue', 'Wed']) await early.getByLabel(day).check();
  await early.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Changed: dawn, Monday to Wednesday 6:00 to 8:00').waitFor();
  expect((await tempoOf(user)).tag_mappings).toEqual({ '@write': { ranges: ['dawn'] } });
  // The last hours of a set, then the last ones of all.
  await block(page, 'Mon').focus();
  await page.keyboard.press('Delete');
  await page.getByText('Removed: day, Monday 9:00 to 17:00').waitFor();
  await page.getByRole('button', { name: 'Remove dawn', disabled: true }).waitFor();
  await page.locator('#one-stays').getByText('At least one set of hours must stay.').waitFor();
  for (const day of ['Mon', 'Tue']) {
    await page.getByRole('button', { name: new RegExp(`^dawn.*, ${day}`) }).press('Delete');
    await page.getByRole('button', { name: new RegExp(`^dawn.*, ${day}`) }).waitFor({ state: 'detached' });
  }
  await page.getByRole('button', { name: /^dawn.*, Wed/ }).press('Delete');
  await page
    .getByText(/^At least one set .* no time would be free for proposals\.$/)
    .last()
    .waitFor();
  await expect.poll(() => rangesOf(user)).toEqual([{ name: 'dawn', days: ['WE'], start: '06:00', end: '08:00' }]);
  expect(faults).toEqual([]);
});

test('the fields of the limits are on one line where one has a use, and learned hours are in words', async () => {
  const { user, page, faults } = await service.visit();
  await user.patch('/user/update', { updates: { limits: { budget: { per_day: 3 } } } }).expect(200);
  const write = { action_type: 'schedule', title: 'Write', scheduled_for: `${dayAhead(9)}T18:00` };
  const { body } = await user.agent.post('/agent/plan', { actions: [write] }).expect(200);
  await user.post('/agent/approve', { uid: body[0].uid }).expect(200);
  await openAt(page, service.app, 'tempo');
  for (const width of [320, 360, 500, 700, 1024, 1400, 1920]) {
    await page.setViewportSize({ width, height: 900 });
    const boxes = await Promise.all(
      ['Plans per day', 'Plans per week'].map(async (name) => (await page.getByLabel(name).boundingBox())!),
    );
    const [one, other] = boxes as [(typeof boxes)[0], (typeof boxes)[0]];
    expect([width, one.height, one.y === other.y || one.x === other.x]).toEqual([width, other.height, true]);
  }
  const row = page.getByRole('row', { name: /^New events 1 0 0/ });
  expect(await row.getByRole('cell').nth(3).innerText()).toMatch(/^\w{3} 18:00, 1 of 1 approved$/);
  expect(faults).toEqual([]);
});

test('a bar says where more was approved than a limit that was set later allows', async () => {
  const { user, page, faults } = await service.visit();
  const reflections = ['Monday', 'Tuesday'].map((title) => ({ action_type: 'reflect', title }));
  const { body } = await user.agent.post('/agent/plan', { actions: reflections }).expect(200);
  for (const { uid } of body) await user.post('/agent/approve', { uid }).expect(200);
  await openAt(page, service.app, 'tempo');
  const bar = page.getByRole('meter', { name: /approved today/ });
  for (const [max, is] of Object.entries({ 3: 'below', 2: 'full', 1: 'beyond' })) {
    await page.getByLabel('Plans per day').fill(max);
    await page.getByRole('button', { name: 'Save limits' }).click();
    await page.getByRole('meter', { name: `2 of ${max} approved today` }).waitFor();
    const shown = await bar.evaluate(({ value, low, high }: Record<'value' | 'low' | 'high', number>) =>
      value > high ? 'beyond' : value > low ? 'full' : 'below',
    );
    expect([max, shown]).toEqual([max, is]);
  }
  expect(faults).toEqual([]);
});

test('limits that were saved are undone and redone by keys', async () => {
  const { user, page, faults } = await service.visit();
  const limits = async () =>
    (await user.get('/user/profile').expect(200)).body.settings.limits.budget.per_day as number | null;
  const before = await limits();
  await openAt(page, service.app, 'tempo');
  await page.getByLabel('Plans per day').fill('3');
  await page.getByRole('button', { name: 'Save limits' }).click();
  await page.getByText('Limits saved.').waitFor();
  expect(await limits()).toBe(3);
  await page.keyboard.press('Control+z');
  await page.getByText('The limits are as before.').waitFor();
  expect(await limits()).toBe(before);
  await page.getByRole('button', { name: 'Redo' }).click();
  await expect.poll(limits).toBe(3);
  await aSecondLater(page);
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await expect.poll(limits).toBe(before);
  expect(faults).toEqual([]);
});
