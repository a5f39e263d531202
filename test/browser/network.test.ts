/** What the console says and keeps while the network is away, and that it reads the rest when the network is back. */
import type { Request } from 'playwright-core';
import { expect, test } from 'vitest';
import { consoleOfFile, openAt } from '../support/console-visit.ts';
import { dayAhead } from '../support/today.ts';

const service = consoleOfFile();

const day = dayAhead(5);
const AWAY = 'No connection: what you see may be old';

test('without a network a card says what could not be read and why, keeps what was read, and is filled afterwards', async () => {
  const { user, page } = await service.visit();
  const event = { title: 'Dentist', scheduled_for: `${day}T09:00`, duration_minutes: 60 };
  const { body } = await user.post('/calendar/create', event).expect(201);
  const move = { action_type: 'reschedule', target_event_uid: body.uid, duration_minutes: 60 };
  for (const [title, scheduled_for] of [
    ['Earlier', `${dayAhead(4)}T10:00`],
    ['Move the dentist', `${day}T13:00`],
  ] as const)
    await user.agent.post('/agent/plan', { actions: [{ ...move, title, scheduled_for }] }).expect(200);
  await openAt(page, service.app, 'queue');
  const card = page.getByRole('article');
  await card.getByText('None are set.').waitFor();
  await card.getByText('Dentist').first().waitFor();
  await page.context().setOffline(true);
  await page.getByText(AWAY).waitFor();
  // What is asked for again fails, and stays. One request in five seconds asks for all.
  const from = performance.now();
  const asked = new Set<Request>();
  let failed = 0;
  page.on('request', (request) => asked.add(request));
  // Those that were under way when the network went fail too.
  page.on('requestfailed', (request) => (failed += asked.has(request) ? 1 : 0));
  for (let n = 0; n < 5; n += 1) await page.evaluate("dispatchEvent(new Event('focus'))");
  await card.getByText('None are set.').waitFor();
  // This card was not read before.
  await page.keyboard.press('j');
  await page.getByRole('heading', { name: 'Move the dentist' }).waitFor();
  const unread = card.getByText('This could not be read. There is no network.');
  await expect.poll(() => unread.count()).toBe(3);
  expect(await card.getByText('no longer exists').count()).toBe(0);
  expect(failed).toBeLessThanOrEqual(2 + (performance.now() - from) / 5_000);
  await page.context().setOffline(false);
  await expect.poll(() => unread.count()).toBe(0);
  await card.getByText('None are set.').waitFor();
  await card.getByRole('listitem').getByText('Dentist', { exact: true }).waitFor();
  expect(await page.getByText(AWAY).count()).toBe(0);
  await page.getByText('Live').waitFor();
});

test('an answer to an earlier request does not say that there is a network again', async () => {
  const { page } = await service.visit();
  await page.addInitScript(`
    const asked = fetch;
    window.late = [];
    fetch = async (request, init) => {
      const answer = await asked(request, init);
      if (window.isLate && request.url.endsWith('/agent/status')) await new Promise((done) => late.push(done));
      return answer;
    };`);
  await openAt(page, service.app, 'queue');
  await page.getByText('Live').waitFor();
  const turnTo = () => page.evaluate("dispatchEvent(new Event('focus'))");
  await page.evaluate('window.isLate = true');
  await turnTo();
  await expect.poll(() => page.evaluate<number>('late.length')).toBe(1);
  await page.evaluate('window.at = performance.now(), performance.now = () => window.at');
  await page.context().setOffline(true);
  await page.getByText(AWAY).waitFor();
  const further: string[] = [];
  page.on('request', (request) => further.push(request.url()));
  await page.evaluate('late[0]()');
  await turnTo();
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  // One in five seconds may ask for all.
  expect(further.length).toBeLessThanOrEqual(1);
  expect(await page.getByText(AWAY).count()).toBe(1);
});

test('a form that is sent without a network says that it may not be saved, and keeps the text', async () => {
  const { user, page } = await service.visit(`?view=day&date=${day}`);
  await page.getByRole('button', { name: 'New event' }).click();
  const details = page.getByRole('dialog', { name: 'Details' });
  const title = details.getByLabel('Title');
  await title.fill('Pay the rent');
  await page.context().setOffline(true);
  await title.press('Enter');
  await details.getByText('Not sent yet: there is no connection.').waitFor();
  await page.getByText('It may not be saved. There is no network.').waitFor();
  expect(await title.inputValue()).toBe('Pay the rent');
  await page.context().setOffline(false);
  await page.getByText('Live').waitFor();
  await title.press('Enter');
  await page.getByText('Created: Pay the rent').waitFor();
  expect((await user.get(`/calendar/events?start=${day}&end=${day}`).expect(200)).body).toMatchObject([
    { title: 'Pay the rent' },
  ]);
});

test('a form that is sent again before its answer makes one event, and says that it waits', async () => {
  const { user, page } = await service.visit(`?view=day&date=${day}`);
  let answer = (): void => undefined;
  const waited = new Promise<void>((resolve) => (answer = resolve));
  await page.route('**/calendar/create', async (route) => {
    await waited;
    await route.continue();
  });
  await page.getByRole('button', { name: 'New event' }).click();
  const details = page.getByRole('dialog', { name: 'Details' });
  await details.getByLabel('Title').fill('Pay the rent');
  await details.getByRole('button', { name: 'Create' }).click();
  await details.getByText('Sent. Almanac has not answered yet.').waitFor();
  await details.getByRole('button', { name: 'Create' }).click();
  answer();
  await page.getByText('Created: Pay the rent').waitFor();
  expect((await user.get(`/calendar/events?start=${day}&end=${day}`).expect(200)).body).toHaveLength(1);
});

test('where no socket can be had, an answer ends the word that there is no connection, and changes arrive', async () => {
  const { user, page } = await service.visit();
  await page.routeWebSocket(/\/ws/, (socket) => void socket.close());
  await page.goto(`${service.app.url}/console/?view=day&date=${day}`);
  const event = { title: 'Ferry', scheduled_for: `${day}T11:00`, duration_minutes: 60 };
  await page.getByText('Connecting').waitFor();
  await user.post('/calendar/create', event).expect(201);
  await page.getByRole('button', { name: /^Ferry/ }).waitFor();
  expect(await page.getByText(AWAY).count()).toBe(0);
  await page.context().setOffline(true);
  await page.getByText(AWAY).waitFor();
  await page.context().setOffline(false);
  await page.getByText('Connecting').waitFor();
});
