/** Proposals that change the settings: what a card says of them, what an approval changes, and what undo brings back. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { client, type TestUser } from '../support/app.ts';
import { aSecondLater, consoleOfFile, looksOf, openAt } from '../support/console-visit.ts';
import { dayAhead, weekAhead } from '../support/today.ts';

const service = consoleOfFile();

const WORKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR'];
const NOTHING_BEFORE_NINE = {
  title: 'Nothing before nine',
  arguments: {
    tempo: { time_ranges: [{ name: 'day', days: WORKDAYS, start: '09:00', end: '20:00' }] },
    limits: { only_in_tempo: true },
  },
};
type Action = { title: string; arguments: object; scheduled_for?: string };
const propose = async (by: Pick<TestUser, 'post'>, ...actions: Action[]): Promise<string[]> => {
  const configure = actions.map((action) => ({ action_type: 'configure', ...action }));
  const { body } = await by.post('/agent/plan', { actions: configure }).expect(200);
  return (body as { uid: string }[]).map(({ uid }) => uid);
};
const card = (page: Page, title: string) => page.getByRole('article', { name: `Proposal: ${title}` });
/** The rows of a card: each name, and what is beside it. */
const factsOf = async (page: Page, title: string): Promise<Record<string, string>> => {
  const list = card(page, title).locator('dl');
  const [names, texts] = await Promise.all([list.locator('dt').allInnerTexts(), list.locator('dd').allInnerTexts()]);
  return Object.fromEntries(names.map((name, n) => [name, (texts[n] ?? '').replaceAll(/\s+/g, ' ')]));
};
const approve = (page: Page) => page.getByRole('button', { name: 'Approve', exact: true, disabled: false }).click();
const hoursOf = async (user: TestUser) => (await user.get('/tempo/profile').expect(200)).body.time_ranges;
const block = (page: Page, day: string) => page.getByRole('button', { name: new RegExp(`^day.*, ${day}`) });

const NINE = {
  Hours: 'every day 8:00 to 20:00 → to Monday to Friday 9:00 to 20:00',
  'Agents outside your hours': 'allowed → to refused',
};

test('a card says how the settings are and would be, an approval changes them, and undo brings them back', async () => {
  const { user, page, faults } = await service.visit();
  await propose(user, NOTHING_BEFORE_NINE);
  await openAt(page, service.app, 'queue');
  const shown = card(page, 'Nothing before nine');
  await shown.getByText('You · Change of settings').waitFor();
  await shown.getByText('At once, when you approve it').waitFor();
  expect(await factsOf(page, 'Nothing before nine')).toMatchObject(NINE);
  await page.getByText('Change of settings · at once · You').waitFor();
  expect(await looksOf(page)).toEqual([]);
  await approve(page);
  await page.getByText('Approved: Nothing before nine').waitFor();
  expect(await hoursOf(user)).toMatchObject([{ days: WORKDAYS, start: '09:00' }]);

  await page.getByRole('link', { name: 'Tempo and limits' }).click();
  await block(page, 'Mon').getByText('9:00–20:00').waitFor();
  expect(await block(page, 'Sat').count()).toBe(0);
  const inHours = page.getByLabel('Refuse what agents propose outside of the tempo hours');
  expect(await inHours.isChecked()).toBe(true);
  await page.keyboard.press('Control+z');
  await page.getByText('Taken back: Nothing before nine waits for you again.').waitFor();
  await block(page, 'Sat').getByText('8:00–20:00').waitFor();
  await expect.poll(() => inHours.isChecked()).toBe(false);
  await page.keyboard.press('Control+y');
  await page.getByText('Approved: Nothing before nine').waitFor();
  await block(page, 'Mon').getByText('9:00–20:00').waitFor();
  await expect.poll(() => inHours.isChecked()).toBe(true);

  await page.getByRole('link', { name: /^Queue/ }).click();
  await page.getByRole('button', { name: 'Decided' }).click();
  const decided = page.getByRole('listitem').filter({ hasText: 'Nothing before nine' });
  await decided.getByText('Monday to Friday 9:00 to 20:00').waitFor();
  await decided.getByText('refused', { exact: true }).waitFor();
  expect(await decided.locator('del').count()).toBe(0);
  expect(await looksOf(page)).toEqual([]);
  expect(faults).toEqual([]);
});

test('an undo that the service refuses is said in its words, and the settings stay', async () => {
  const { user, page, faults } = await service.visit();
  await propose(user, NOTHING_BEFORE_NINE);
  await openAt(page, service.app, 'queue');
  await card(page, 'Nothing before nine').waitFor();
  await approve(page);
  await page.getByText('Approved: Nothing before nine').waitFor();
  const time_ranges = [{ name: 'day', days: ['MO'], start: '10:00', end: '12:00' }];
  await user.post('/tempo/adjust', { preferences: { time_ranges } }).expect(200);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('were changed after the plan changed them, so they stay').waitFor();
  expect(await hoursOf(user)).toEqual(time_ranges);
  // The browser reports the refusal.
  expect(faults).toHaveLength(1);
});

test('an open card follows the settings, and says where it would change nothing or can change nothing any more', async () => {
  const { user, page, faults } = await service.visit();
  const tags = { '@deep': { ranges: ['day'], duration_minutes: 90 } };
  await propose(user, { title: 'Deep work', arguments: { tempo: { tag_mappings: tags } } });
  await openAt(page, service.app, 'queue');
  const tag = async (): Promise<string | undefined> => (await factsOf(page, 'Deep work'))['Tag @deep'];
  await expect.poll(tag).toBe('as built in → to every day 8:00 to 20:00; 1 h 30 min');
  const adjust = async (preferences: object): Promise<void> => {
    await user.post('/tempo/adjust', { preferences }).expect(200);
    // Another window changes the settings, and the person comes back to this one.
    await page.evaluate("dispatchEvent(new Event('focus'))");
  };
  await adjust({ tag_mappings: { '@deep': { duration_minutes: 20 } } });
  await expect.poll(tag).toBe('20 min → to every day 8:00 to 20:00; 1 h 30 min');
  await adjust({ tag_mappings: tags });
  await card(page, 'Deep work').getByText('Your settings already say this.').waitFor();
  await adjust({
    tag_mappings: { '@deep': null },
    time_ranges: [{ name: 'work', days: WORKDAYS, start: '09:00', end: '17:00' }],
  });
  await card(page, 'Deep work').getByText('They can no longer be changed like this.').waitFor();
  await card(page, 'Deep work')
    .getByText(/none is named "day"/)
    .waitFor();
  expect(await looksOf(page)).toEqual([]);
  expect(faults).toEqual([]);
});

test('what is approved and undone in another window follows on the screen of the settings', async () => {
  const { user, page, faults } = await service.visit();
  const [uid] = await propose(user, NOTHING_BEFORE_NINE);
  await openAt(page, service.app, 'tempo');
  await block(page, 'Sat').getByText('8:00–20:00').waitFor();
  // Another window of the person approves it.
  await user.post('/agent/approve', { uid }).expect(200);
  await block(page, 'Sat').waitFor({ state: 'detached' });
  await user.post('/agent/undo', { uid }).expect(200);
  await block(page, 'Sat').getByText('8:00–20:00').waitFor();
  expect(faults).toEqual([]);
});

test('an agent proposes limits of itself; on a phone the card has all of it, also where a tag has a long name', async () => {
  const { user, page, faults } = await service.visit('', { width: 360, height: 740 });
  const limits = {
    budget: { per_day: 6 },
    cadence: [{ id: 'one-reflection', action_type: 'reflect', max: 1, per: 'day' }],
  };
  const tag = '@'.padEnd(200, 'long');
  const tempo = { tag_mappings: { [tag]: { duration_minutes: 25 } }, use_learned: true };
  await propose(user.agent, { title: 'Less of me', arguments: { limits, tempo } });
  await openAt(page, service.app, 'queue');
  await page.getByRole('button', { name: /^Less of me/ }).click();
  const shown = card(page, 'Less of me');
  await shown.getByText('agent · Change of settings').waitFor();
  expect(await factsOf(page, 'Less of me')).toMatchObject({
    'Plans of agents per day': 'no limit → to 6',
    'Rule “one-reflection”': 'none → to at most 1 reflection a day',
    'Times by what was learned': 'off → to on',
  });
  expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false);
  expect(await looksOf(page)).toEqual([]);
  await approve(page);
  await page.getByText('Approved: Less of me').waitFor();
  expect((await user.get('/user/profile').expect(200)).body.settings.limits).toMatchObject(limits);
  expect(faults).toEqual([]);
});

test('several ask before they are approved together; the form offers a title and a note, and a time only where there is one', async () => {
  const { user, page, faults } = await service.visit();
  const later = { ...NOTHING_BEFORE_NINE, title: 'From next week', scheduled_for: `${weekAhead(1)}T09:00` };
  await propose(user, later, NOTHING_BEFORE_NINE);
  await openAt(page, service.app, 'queue');
  await card(page, 'From next week').waitFor();
  const fields = async () =>
    Promise.all((await page.locator('form.edit input').all()).map((input) => input.getAttribute('name')));
  // The rows of the others do not say what they change.
  await page.getByRole('button', { name: 'Approve all 2', disabled: false }).click();
  await page.getByRole('button', { name: 'Approve 2, with 2 changes of settings' }).waitFor();
  await page.getByRole('button', { name: 'Not yet' }).click();
  await page.getByRole('button', { name: 'Edit' }).click();
  await expect.poll(fields).toEqual(['title', 'start', 'note']);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: /^Nothing before nine/ }).click();
  const shown = card(page, 'Nothing before nine');
  await shown.getByRole('button', { name: 'Approve', exact: true, disabled: false }).waitFor();
  await shown.getByRole('button', { name: 'Edit' }).click();
  await expect.poll(fields).toEqual(['title', 'note']);
  await page.getByLabel('Title').fill('Nothing before 9');
  await page.getByRole('button', { name: 'Approve with changes' }).click();
  await page.getByText('Approved: Nothing before 9').waitFor();
  expect(await hoursOf(user)).toMatchObject([{ start: '09:00' }]);
  expect(faults).toEqual([]);
});

test('in the time machine a card compares with the settings of then', async () => {
  const { user, page, faults } = await service.visit();
  const [uid] = await propose(user, NOTHING_BEFORE_NINE);
  const { seq } = (await user.get(`/agent/plan?uid=${uid}`).expect(200)).body;
  await user.post('/agent/approve', { uid }).expect(200);
  await openAt(page, service.app, `queue?asof=${seq}`);
  await card(page, 'Nothing before nine').getByText('It waited for a decision at that time.').waitFor();
  await expect.poll(() => factsOf(page, 'Nothing before nine')).toMatchObject(NINE);
  expect(faults).toEqual([]);
});

test('the calendar opens the card for it, and the palette has words for it', async () => {
  const { user, page, faults } = await service.visit();
  const at = dayAhead(3);
  await propose(user.agent, { ...NOTHING_BEFORE_NINE, scheduled_for: `${at}T10:00` });
  await openAt(page, service.app, `?view=week&date=${at}`);
  // Its block says too little for an approval.
  await page.getByRole('button', { name: 'Approve Nothing before nine', disabled: false }).click();
  await card(page, 'Nothing before nine').getByText('Change of settings').waitFor();
  await expect.poll(() => factsOf(page, 'Nothing before nine')).toMatchObject(NINE);
  expect(await looksOf(page)).toEqual([]);
  await propose(user.agent, { title: 'Learn of me', arguments: { tempo: { use_learned: true } } });
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('Learn of me');
  await page.getByRole('option', { name: /Learn of me.*at once/ }).waitFor();
  expect(faults).toEqual([]);
});

test('an agent that may not read the settings sees that they could not be read', async () => {
  const { user, page } = await service.visit();
  const scopes = ['plan:read', 'plan:propose', 'memory:read'];
  const { body: key } = await user.post('/user/keys', { kind: 'agent', label: 'Reader', scopes }).expect(201);
  const [uid] = await propose(client(service.app, key.key), NOTHING_BEFORE_NINE);
  const { seq } = (await user.get(`/agent/plan?uid=${uid}`).expect(200)).body;
  await openAt(page, service.app, `queue?asof=${seq}&reader=${key.id}`);
  await card(page, 'Nothing before nine').getByText('This could not be read.').waitFor();
});

const NOT_LOADED = "What it changes could not be loaded, so it can't be approved. Reload the page.";
const statusOf = async (user: TestUser, uid?: string): Promise<string> =>
  (await user.get(`/agent/plan?uid=${uid}`).expect(200)).body.status;

test('what a card cannot say is not approved, and can be rejected', async () => {
  const { user, page } = await service.visit();
  const [uid] = await propose(user, NOTHING_BEFORE_NINE);
  await page.route('**/setting-rows-*.js', (route) => route.abort());
  await openAt(page, service.app, 'queue');
  await card(page, 'Nothing before nine').getByText('They could not be loaded. Reload the page.').waitFor();
  await approve(page);
  await page.getByText(NOT_LOADED).waitFor();
  expect(await statusOf(user, uid)).toBe('proposed');
  await page.getByRole('button', { name: 'Reject', exact: true }).click();
  await page.getByRole('button', { name: 'Reject', exact: true }).click();
  await page.getByText('Rejected: Nothing before nine').waitFor();
  expect(await statusOf(user, uid)).toBe('rejected');
});

test('a card that does not know the settings of now is not approved', async () => {
  const { user, page } = await service.visit();
  const [uid] = await propose(user, NOTHING_BEFORE_NINE);
  let answer = (): void => undefined;
  const held = new Promise<void>((resolve) => (answer = resolve));
  await page.route('**/user/profile*', async (route) => {
    await held;
    await route.fulfill({ status: 503, json: { code: 'unavailable', message: 'Not now.' } });
  });
  await openAt(page, service.app, 'queue');
  await card(page, 'Nothing before nine').waitFor();
  await approve(page);
  await page.getByText('has only just come up or changed').waitFor();
  answer();
  await card(page, 'Nothing before nine').getByText('This could not be read.').waitFor();
  await approve(page);
  await page.getByText(NOT_LOADED).waitFor();
  expect(await statusOf(user, uid)).toBe('proposed');
});

test('while the script of the rows is loaded, it is not said that it failed', async () => {
  const { user, page, faults } = await service.visit();
  const [uid] = await propose(user, NOTHING_BEFORE_NINE);
  await user.post('/agent/approve', { uid }).expect(200);
  let arrive = (): void => undefined;
  const held = new Promise<void>((resolve) => (arrive = resolve));
  await page.route('**/setting-rows-*.js', async (route) => {
    await held;
    await route.continue();
  });
  await openAt(page, service.app, 'queue');
  await page.getByRole('button', { name: 'Decided' }).click();
  const decided = page.getByRole('listitem').filter({ hasText: 'Nothing before nine' });
  await decided.getByText('…', { exact: true }).waitFor();
  expect(await decided.getByText('could not be loaded').count()).toBe(0);
  arrive();
  await decided.getByText('refused', { exact: true }).waitFor();
  expect(faults).toEqual([]);
});

test('a card has all of a long change, with what bounds agents first', async () => {
  const { user, page, faults } = await service.visit('', { width: 360, height: 740 });
  await user.patch('/user/update', { updates: { limits: { only_in_tempo: true } } }).expect(200);
  const cadence = Array.from({ length: 30 }, (_, n) => ({
    ...{ id: `rule-${n}`, action_type: 'reflect', max: 90, per: 'day' },
  }));
  await propose(user, { title: 'Many rules', arguments: { limits: { cadence, only_in_tempo: null } } });
  await openAt(page, service.app, 'queue');
  await page.getByRole('button', { name: /^Many rules/ }).click();
  const rows = card(page, 'Many rules').locator('.scrolls dl');
  await rows.locator('dt').first().waitFor();
  const names = await rows.locator('dt').allInnerTexts();
  expect([names[0], names.length]).toEqual(['Agents outside your hours', 31]);
  expect(await rows.locator('dd').first().isVisible()).toBe(true);
  expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false);
  expect(await looksOf(page)).toEqual([]);
  expect(faults).toEqual([]);
});

test('a script that did not arrive is asked for again', async () => {
  const { user, page } = await service.visit();
  const [uid] = await propose(user, NOTHING_BEFORE_NINE);
  await page.route('**/setting-rows-*.js', (route) => route.abort());
  await openAt(page, service.app, 'queue');
  const shown = card(page, 'Nothing before nine');
  await shown.getByText('They could not be loaded. Reload the page.').waitFor();
  await page.unroute('**/setting-rows-*.js');
  // The list is read again.
  await propose(user, { title: 'Learn of me', arguments: { tempo: { use_learned: true } } });
  await shown.getByText('refused', { exact: true }).waitFor();
  // These rows have to be shown for long enough too.
  await aSecondLater(page);
  await approve(page);
  await page.getByText('Approved: Nothing before nine').waitFor();
  expect(await statusOf(user, uid)).toBe('executed');
});

test('what several hold is counted before they are approved together', async () => {
  const { user, page } = await service.visit();
  const at = `${dayAhead(3)}T10:00`;
  const dinner = { title: 'Dinner', scheduled_for: `${dayAhead(3)}T15:00`, duration_minutes: 60 };
  const { body: event } = await user.post('/calendar/create', dinner).expect(201);
  const cancelling = { target_event_uid: event.uid, scheduled_for: null, duration_minutes: null };
  const actions = [
    { action_type: 'schedule', title: 'Run', scheduled_for: at, duration_minutes: 30, rrule: 'FREQ=DAILY;COUNT=3' },
    { action_type: 'reschedule', title: 'Cancel dinner', ...cancelling, arguments: { cancel: true } },
    { action_type: 'configure', ...NOTHING_BEFORE_NINE },
  ];
  await user.post('/agent/plan', { actions }).expect(200);
  await openAt(page, service.app, 'queue');
  await page.getByRole('button', { name: 'Approve all 3', disabled: false }).click();
  await page
    .getByRole('button', { name: 'Approve 3, with 1 series, 1 cancellation and 1 change of settings' })
    .waitFor();
});
