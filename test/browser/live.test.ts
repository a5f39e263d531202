/** What the console says when the service is away, when its socket is cut, and when a change is refused. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { consoleOfFile } from '../support/console-visit.ts';
import { dayAhead } from '../support/today.ts';

const service = consoleOfFile();

const day = dayAhead(10);
const WEEK = `?view=week&date=${day}`;

/** A wire that can be cut: sockets close, and requests fail. */
const aWire = async (page: Page): Promise<{ cut: () => Promise<void>; mend: () => Promise<void> }> => {
  const sockets = new Set<{ close: () => Promise<void> }>();
  let whole = true;
  await page.routeWebSocket(/\/ws/, (socket) => {
    if (!whole) return void socket.close();
    socket.connectToServer();
    sockets.add(socket);
  });
  return {
    cut: async () => {
      whole = false;
      await page.route('**', (route) => route.abort());
      await Promise.all(Array.from(sockets, (socket) => socket.close()));
      sockets.clear();
    },
    mend: async () => {
      whole = true;
      await page.unroute('**');
    },
  };
};

test('a lost connection is told, a change fails with a reason, and what happened meanwhile arrives afterwards', async () => {
  const { user, page } = await service.visit();
  const wire = await aWire(page);
  await page.goto(`${service.app.url}/console/${WEEK}`);
  await page.getByText('Live').waitFor();
  const lunch = { title: 'Lunch', scheduled_for: `${day}T12:00`, duration_minutes: 60 };
  await user.post('/calendar/create', lunch).expect(201);
  const event = page.getByRole('button', { name: /^Lunch/ });
  await event.waitFor();
  const call = { action_type: 'schedule', title: 'Call', scheduled_for: `${day}T16:00`, duration_minutes: 60 };
  await user.agent.post('/agent/plan', { actions: [call] }).expect(200);
  const yes = page.getByRole('button', { name: 'Approve Call', disabled: false });
  await yes.waitFor();
  await wire.cut();
  await page.getByText('No connection: what you see may be old').waitFor();
  await user.post('/calendar/create', { ...lunch, title: 'Meanwhile', scheduled_for: `${day}T14:00` }).expect(201);
  await event.focus();
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Enter');
  await event.getByText('12:15').waitFor();
  await page.getByText('Almanac does not answer. Is it running?').first().waitFor();
  await event.getByText('12:00').waitFor();
  await yes.click();
  await page.getByText('Not approved: “Call”. Almanac does not answer.').waitFor();
  await yes.waitFor();
  await wire.mend();
  await page.getByRole('button', { name: /^Meanwhile/ }).waitFor({ timeout: 30_000 });
  await page.getByText('Live').waitFor();
});

test('a change that the service refuses goes back, with the sentence of the service', async () => {
  const { user, page } = await service.visit(WEEK);
  const lunch = { title: 'Lunch', scheduled_for: `${day}T12:00`, duration_minutes: 60 };
  const { body } = await user.post('/calendar/create', lunch).expect(201);
  await page.route('**/calendar/edit', async (route) => {
    await user.patch('/calendar/edit', { uid: body.uid, updates: { title: 'Lunch with Ben' } }).expect(200);
    await route.continue();
  });
  await page.getByRole('button', { name: /^Lunch/ }).press('Shift+ArrowDown');
  await page.keyboard.press('Enter');
  await page.locator('[role=status]').getByText('This event was changed in another place meanwhile').waitFor();
  await page.getByRole('button', { name: /^Lunch with Ben.*12:00/ }).waitFor();
  expect((await user.get(`/calendar/event?uid=${body.uid}`).expect(200)).body.local_start).toMatch('12:00');
});

test('of a proposal that was decided on meanwhile, the message says so without the words of the API', async () => {
  const { user, page } = await service.visit();
  const call = { action_type: 'schedule', title: 'Call', scheduled_for: `${day}T16:00`, duration_minutes: 60 };
  const [{ uid }] = (await user.agent.post('/agent/plan', { actions: [call] }).expect(200)).body;
  await page.goto(`${service.app.url}/console/queue`);
  const approve = page.getByRole('button', { name: 'Approve', exact: true, disabled: false });
  await approve.waitFor();
  await page.route('**/agent/approve', async (route) => {
    await user.post('/agent/reject', { uid });
    await route.continue();
  });
  await approve.click();
  await page.getByText('Not approved: “Call”. It no longer waits.', { exact: true }).waitFor();
});
