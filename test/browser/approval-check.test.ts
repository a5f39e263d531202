/** What an approval would answer is on card and row before it is made, and follows the calendar; a taken time has others beside it. */
import { expect, test } from 'vitest';
import type { TestUser } from '../support/app.ts';
import { aSecondLater, consoleOfFile, looksOf, openAt } from '../support/console-visit.ts';
import { weekAhead } from '../support/today.ts';

const service = consoleOfFile();

const day = weekAhead(0);

const propose = async (user: TestUser, more: object = {}): Promise<string> =>
  (
    await user.agent
      .post('/agent/plan', {
        actions: [
          { action_type: 'schedule', title: 'Focus', scheduled_for: `${day}T12:00`, duration_minutes: 60, ...more },
        ],
      })
      .expect(200)
  ).body[0].uid;
/** An agent may have so many approved on a day. */
const allow = (user: TestUser, max: number) =>
  user
    .patch('/user/update', {
      updates: { limits: { cadence: [{ id: 'few', action_type: 'schedule', per: 'day', max }] } },
    })
    .expect(200);
const book = async (user: TestUser, time: string, date = day): Promise<string> =>
  (
    await user
      .post('/calendar/create', { title: 'Lunch', scheduled_for: `${date}T${time}`, duration_minutes: 60 })
      .expect(201)
  ).body.uid;
const startsOf = async (user: TestUser, title: string): Promise<string[]> => {
  const { body } = await user.get(`/calendar/events?start=${day}&end=${weekAhead(21)}`).expect(200);
  return body
    .filter((event: Record<string, string>) => event['title'] === title)
    .map(({ local_start }: Record<string, string>) => local_start);
};

/** Presses the first of the free times at the moment at which it becomes another one. */
const PRESS_ON_CHANGE = `new Promise((done) => {
  const first = () => document.querySelector('[data-free="1"]');
  const before = first().textContent;
  new MutationObserver((_, observer) => {
    if (!first() || first().textContent === before) return;
    observer.disconnect();
    first().click();
    done();
  }).observe(document.body, { subtree: true, childList: true, characterData: true });
})`;

test.each(['queue', 'calendar'] as const)('an event that is made later is on the card of the %s', async (screen) => {
  const { user, page, faults } = await service.visit();
  await propose(user);
  if (screen === 'queue') await openAt(page, service.app, 'queue');
  else {
    await openAt(page, service.app, `?view=day&date=${day}`);
    await page.getByRole('button', { name: /Focus/ }).first().click();
  }
  const card = page.getByRole('article', { name: 'Proposal: Focus' });
  await card.getByRole('button', { name: 'Approve', exact: true }).waitFor();
  expect(await card.getByText(/Overlaps/).count()).toBe(0);
  const uid = await book(user, '12:30');
  await card.getByText(/^Overlaps Lunch .*12:30 to 13:30$/).waitFor();
  await user.delete(`/calendar/remove?uid=${uid}`).expect(200);
  await card.getByText(/Overlaps/).waitFor({ state: 'detached' });
  expect(faults).toEqual([]);
});

test('a free time beside a taken one is approved by its key, and a refusal names no instant', async () => {
  const { user, page } = await service.visit();
  await propose(user);
  await openAt(page, service.app, 'queue');
  await book(user, '12:30');
  const card = page.getByRole('article', { name: 'Proposal: Focus' });
  const free = card.getByRole('group', { name: 'Approve at another time:' });
  await free.getByRole('button', { disabled: false }).nth(2).waitFor();
  expect(await free.getByRole('button').count()).toBe(3);
  await card.getByRole('button', { name: 'Approve', exact: true }).click();
  const refusal = page.getByText(/taken by “Lunch”/);
  await refusal.waitFor();
  expect(await refusal.textContent()).not.toMatch(/\d{4}-\d\d-\d\dT/);
  expect(await startsOf(user, 'Focus')).toEqual([]);
  const chosen = ((await free.getByRole('button').first().textContent()) ?? '').replace(/^1 /, '');
  await page.keyboard.press('1');
  await page.getByText(`Approved: Focus, ${chosen}`, { exact: true }).waitFor();
  const [start] = await startsOf(user, 'Focus');
  expect(start).not.toBe(`${day}T12:00`);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Taken back: Focus waits for you again.').waitFor();
});

test('a free time that has only just appeared is not approved by the key for the one before', async () => {
  const { user, page } = await service.visit();
  await propose(user);
  await book(user, '12:30');
  await openAt(page, service.app, 'queue');
  const free = page.getByRole('group', { name: 'Approve at another time:' });
  await free.getByRole('button', { disabled: false }).first().waitFor();
  const [start] = (await user.get(`/calendar/slots?start=${day}T12:00&duration_minutes=60&limit=1`).expect(200)).body
    .slots;
  // The person presses as the list changes.
  const pressed = page.evaluate(PRESS_ON_CHANGE);
  await user.post('/calendar/create', { title: 'Call', scheduled_for: start.start, duration_minutes: 60 }).expect(201);
  await pressed;
  await page.getByText('These times have only just appeared. Read them, then choose.').waitFor();
  expect(await startsOf(user, 'Focus')).toEqual([]);
});

test('a series says which of its times an approval leaves out', async () => {
  const { user, page } = await service.visit();
  await propose(user, { rrule: 'FREQ=WEEKLY;COUNT=3' });
  await openAt(page, service.app, 'queue');
  await book(user, '12:30', weekAhead(7));
  const card = page.getByRole('article', { name: 'Proposal: Focus' });
  await card.getByText(/An approval leaves out what is taken: .*12:00\.$/).waitFor();
  expect(await card.getByRole('group', { name: 'Approve at another time:' }).count()).toBe(0);
  await card.getByRole('button', { name: 'Approve the series (2 of 3)', disabled: false }).waitFor();
  await page.keyboard.press('a');
  await card.getByText('This is a series: 2 of 3.').waitFor();
  await aSecondLater(page);
  await card.getByRole('button', { name: 'Approve the series (2 of 3)' }).click();
  await page.getByText(/^Approved: Focus, without .*12:00, because that time is taken$/).waitFor();
  expect(await startsOf(user, 'Focus')).toHaveLength(2);
});

test('free times are those that the limits allow, under words that say what a press does', async () => {
  const { user, page } = await service.visit();
  await propose(user);
  await user.post('/agent/approve', { uid: await propose(user, { title: 'Walk', scheduled_for: `${day}T09:00` }) });
  await book(user, '12:30');
  await allow(user, 1);
  await openAt(page, service.app, 'queue');
  const free = page.getByRole('group', { name: 'Approve at another time:' });
  await free.getByRole('button', { disabled: false }).nth(2).waitFor();
  await free.getByText('Approve at another time:').waitFor();
  const { body } = await user.get(`/calendar/slots?start=${day}T12:00&duration_minutes=60&limit=3`).expect(200);
  expect(body.slots[0].start).toMatch(day);
  const offered = await free.getByRole('button').allInnerTexts();
  expect(offered.filter((text) => /Mon/.test(text))).toEqual([]);
  expect(await looksOf(page)).toEqual([]);
  await free.getByRole('button').first().click();
  await page.getByText('Approved: Focus').waitFor();
  expect((await startsOf(user, 'Focus'))[0]).not.toMatch(day);
});

test('where no free time can be approved, the card says why', async () => {
  const { user, page } = await service.visit();
  await propose(user);
  await book(user, '12:30');
  await allow(user, 0);
  await openAt(page, service.app, 'queue');
  await page.getByText(/^The next free times cannot be approved either\. The limits allow at most 0/).waitFor();
  expect(await page.locator('[data-free]').count()).toBe(0);
});

test('a row says what is in the way of an approval, as long as it is, and keeps its height', async () => {
  const { user, page, faults } = await service.visit();
  const uid = await propose(user);
  const rival = await propose(user, { title: 'Call with Jo' });
  await propose(user, { title: 'Walk', scheduled_for: `${day}T18:00` });
  const long = 'A series with a name that is too long for a line';
  const rrule = 'FREQ=WEEKLY;COUNT=3';
  await propose(user, { title: long, scheduled_for: `${day}T19:00`, rrule, on_conflict: 'refuse' });
  await openAt(page, service.app, 'queue');
  const row = page.locator('.queue .list > li', { hasText: 'Focus' });
  const mark = row.locator('.against');
  await mark.getByText('2 want this time', { exact: true }).waitFor();
  const height = async () => (await row.boundingBox())?.height;
  const before = await height();
  // The rival is approved, so now it is an event that is in the way.
  await user.post('/agent/approve', { uid: rival }).expect(200);
  await mark.getByText(/^overlaps\s+Call with Jo$/).waitFor();
  expect(await height()).toBe(before);
  expect(await looksOf(page)).toEqual([]);
  const [event] = (await user.get(`/calendar/events?start=${day}&end=${weekAhead(1)}`).expect(200)).body;
  await user.delete(`/calendar/remove?uid=${event.uid}`).expect(200);
  await mark.waitFor({ state: 'detached' });
  expect(await height()).toBe(before);
  await allow(user, 0);
  // The limits are no change that the page is told of; it reads them again when the person returns to it.
  await page.evaluate("dispatchEvent(new Event('focus'))");
  await expect.poll(() => page.locator('.list .against').allInnerTexts()).toEqual(Array(3).fill('over a limit'));
  await allow(user, 9);
  await page.evaluate("dispatchEvent(new Event('focus'))");
  await mark.waitFor({ state: 'detached' });
  // Nothing moves when a mark comes, also where there is little space for it.
  await page.setViewportSize({ width: 360, height: 780 });
  await page.waitForTimeout(600);
  await page.evaluate(`window.shifts = [];
    new PerformanceObserver((list) => shifts.push(...list.getEntries().map(({ value }) => value))).observe({ type: 'layout-shift' })`);
  await user
    .post('/calendar/create', { title: 'Rehearsal', scheduled_for: `${day}T19:00`, duration_minutes: 60 })
    .expect(201);
  const narrow = page.locator('.queue .list > li', { hasText: long }).locator('.against');
  // Two of three times of the series are free, but it asks to be refused as a whole.
  await narrow.getByText('overlaps an event').waitFor();
  const shifts = await page.evaluate<number[]>('window.shifts');
  expect(shifts.reduce((sum, value) => sum + value, 0)).toBeLessThanOrEqual(0.02);
  expect((await user.get(`/agent/plan?uid=${uid}`).expect(200)).body.status).toBe('proposed');
  // Each refusal of a row is in an answer that is a success.
  expect(faults).toEqual([]);
});

test('while an agent proposes on and on, the rows are asked for together and not often', async () => {
  const { user, page } = await service.visit();
  for (let n = 0; n < 30; n++)
    await propose(user, { title: `Long ${n}`, scheduled_for: `${weekAhead(n)}T08:00`, duration_minutes: 30 });
  const asked: { at: number; uids: string[] }[] = [];
  page.on('response', async (response) => {
    if (!response.url().includes('/agent/approve')) return;
    const at = response.request().timing().startTime;
    // The card asks for its own proposal.
    const body: { uid: string }[] = await response.json();
    if (body.length > 1) asked.push({ at, uids: body.map(({ uid }) => uid) });
  });
  await openAt(page, service.app, 'queue');
  await expect.poll(() => asked.length).toBeGreaterThan(0);
  for (let n = 0; asked.length < 4; n++) {
    await propose(user, { title: `More ${n}`, scheduled_for: `${weekAhead(40)}T08:00`, duration_minutes: 5 });
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  for (const [n, { at, uids }] of asked.entries()) {
    expect(new Set(uids).size).toBe(uids.length);
    // Of 30 rows about half are in view.
    expect(uids.length).toBeLessThan(25);
    // A request may be told late, but not two seconds.
    if (n > 0) expect(at - (asked[n - 1]?.at ?? 0)).toBeGreaterThan(1_500);
  }
  const last = page.locator('.queue .list > li').last();
  const { length } = asked;
  await last.scrollIntoViewIfNeeded();
  await expect.poll(() => asked.slice(length).length).toBeGreaterThan(0);
});

test('a card names the proposals that want the same time, and leads to theirs', async () => {
  const { user, page, faults } = await service.visit();
  for (const title of ['Focus', 'Run', 'Lunch with Jo']) await propose(user, { title });
  await openAt(page, service.app, 'queue');
  await page.getByRole('button', { name: /^Focus/ }).click();
  const card = page.getByRole('article', { name: 'Proposal: Focus' });
  await expect
    .poll(() => card.locator('.against').innerText())
    .toMatch(/^“(Run|Lunch with Jo)” and “(Run|Lunch with Jo)” also want this time$/);
  expect(await looksOf(page)).toEqual([]);
  await card.getByRole('link', { name: /Run/ }).click();
  await page.getByRole('article', { name: 'Proposal: Run' }).waitFor();
  for (const title of ['Four', 'Five']) await propose(user, { title });
  await page
    .getByRole('article', { name: 'Proposal: Run' })
    .getByText(/“.*”, “.*”, “.*” and 1 more also want this time/)
    .waitFor();
  expect(faults).toEqual([]);
});

test.each(['queue', 'calendar'] as const)(
  'what the typed time would overlap is said in the form of the %s',
  async (screen) => {
    const { user, page, faults } = await service.visit();
    await propose(user, { title: 'Walk', scheduled_for: `${day}T16:00` });
    await propose(user);
    await book(user, '12:30');
    if (screen === 'queue') {
      await openAt(page, service.app, 'queue');
      await page.getByRole('listitem').filter({ hasText: 'Focus' }).getByRole('button').first().click();
    } else {
      await openAt(page, service.app, `?view=day&date=${day}`);
      await page.getByRole('button', { name: /Focus/ }).first().click();
    }
    const card = page.getByRole('article', { name: 'Proposal: Focus' });
    await card.getByText(/^Overlaps Lunch/).waitFor();
    await card.getByRole('button', { name: 'Edit' }).click();
    await card.getByText(/^Overlaps Lunch/).waitFor();
    await card.getByLabel('Start').fill(`${day}T09:00`);
    await card.getByText('Nothing is in the way at this time.').waitFor();
    expect(await card.getByText(/^Overlaps/).count()).toBe(0);
    await card.getByLabel('Minutes').fill('240');
    await card.getByText(/^Overlaps Lunch .*12:30 to 13:30$/).waitFor();
    await card.getByLabel('Minutes').fill('30');
    await card.getByLabel('Start').fill(`${day}T16:15`);
    await card.getByText('“Walk” also wants this time').waitFor();
    expect(await looksOf(page)).toEqual([]);
    expect(faults.filter((fault) => !/409/.test(fault))).toEqual([]);
  },
);
