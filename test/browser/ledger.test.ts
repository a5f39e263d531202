/** The ledger in the console: entries with their documents, filters, and verification with the browser's own hashes. */
import { expect, test } from 'vitest';
import { consoleOfFile, looksOf, openAt } from '../support/console-visit.ts';
import { dayAhead, instantIn } from '../support/today.ts';

const service = consoleOfFile();

test('entries are listed newest first, filtered, opened, and verified in the browser; damage is found', async () => {
  const { user, page, faults } = await service.visit();
  const trace = { type: 'observation', content: 'Entry number 1: “naïve” 😀.', metadata: { b: 1e21, a: [0.1, null] } };
  const traces = Array.from({ length: 60 }, (_, n) => ({ ...trace, uid: `trace-${n}` }));
  await user.post('/memory/push', { traces }).expect(201);
  await user.agent.post('/memory/push', { traces: [{ ...trace, uid: 'agents' }] }).expect(201);
  await page.getByRole('link', { name: 'Ledger' }).click();
  const entries = page.getByRole('main').getByRole('listitem');
  await expect.poll(() => entries.count()).toBe(50);
  await page.getByRole('button', { name: 'Show older entries' }).click();
  await expect.poll(() => entries.count()).toBeGreaterThan(60);
  await page.getByLabel('By').selectOption({ label: 'agent' });
  await expect.poll(() => entries.count()).toBe(1);
  await entries.first().getByText('agent wrote “Entry number 1').click();
  await entries.first().getByRole('definition').getByText('Entry number 1').waitFor();
  await entries.first().getByText('As the service keeps it').click();
  await entries.getByLabel('Document', { exact: true }).getByText('"uid": "agents"').waitFor();
  await page.getByLabel('By').selectOption({ label: 'anyone' });
  await page.getByLabel('About').selectOption('key');
  await entries.first().getByText('You made the key “agent”').waitFor();
  await page.getByLabel('About').selectOption('');
  await page.getByLabel('Search the ledger').fill('MADE agent');
  await page.getByLabel('Search the ledger').press('Enter');
  await expect.poll(() => entries.count()).toBe(1);
  // Another screen searches for the same parameter of the address, and the ledger for nothing.
  await page.getByRole('link', { name: 'Memory' }).click();
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await page.getByLabel('Search memory').fill('naïve');
  await page.getByLabel('Search memory').press('Enter');
  await page.locator('.hits > li').nth(49).waitFor();
  expect(asked.filter((path) => path.endsWith('/memport/ledger'))).toEqual([]);
  await page.getByRole('link', { name: 'Ledger' }).click();
  await page.getByLabel('Search the ledger').fill('MADE agent');
  await page.getByLabel('Search the ledger').press('Enter');
  await expect.poll(() => entries.count()).toBe(1);
  await page.getByLabel('Search the ledger').fill('');
  await page.getByLabel('Search the ledger').press('Enter');
  await expect.poll(() => entries.count()).toBeGreaterThan(60);
  await page.getByLabel('Up to').fill(dayAhead(-30));
  await page.getByText('No entry is like that.').waitFor();
  await page.getByLabel('Up to').fill('');
  await expect.poll(() => entries.count()).toBeGreaterThan(60);
  await page.getByRole('button', { name: 'Verify in this browser' }).click();
  const { body: audit } = await user.get('/debug/audit').expect(200);
  await page.getByText(`All ${audit.checked} entries are as they were written.`).waitFor();
  await page.getByText(audit.head.hash).first().waitFor();
  expect(await looksOf(page)).toEqual([]);

  await page.route('**/memport/ledger?limit=500*', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: (await response.text()).replace('"uid":"trace-7"', '"uid":"trace-8"') });
  });
  await page.getByRole('button', { name: 'Verify in this browser' }).click();
  await page.getByRole('alert').getByText('its document was changed').waitFor();
  expect(faults).toEqual([]);
});

test('each act is one sentence, with who did it, from when a thing was moved, and all of its documents', async () => {
  const { user, page, faults } = await service.visit();
  const day = dayAhead(14);
  const call = { action_type: 'schedule', duration_minutes: 60 };
  const propose = async (title: string, scheduled_for: string): Promise<string> =>
    (await user.agent.post('/agent/plan', { actions: [{ ...call, title, scheduled_for }] }).expect(200)).body[0].uid;
  const approved = await propose('Approved', `${day}T10:00`);
  const withdrawn = await propose('Withdrawn', `${day}T12:00`);
  await propose('Late', instantIn(1_500));
  await propose('Never', `${dayAhead(-1)}T10:00`);
  await user.post('/agent/approve', { uid: approved }).expect(200);
  await user.post('/agent/withdraw', { uid: withdrawn }).expect(200);
  const lunch = { title: 'Lunch', scheduled_for: `${day}T14:00`, duration_minutes: 45 };
  const { uid } = (await user.post('/calendar/create', lunch).expect(201)).body;
  await user.patch('/calendar/edit', { uid, updates: { scheduled_for: `${day}T15:00` } }).expect(200);
  await expect
    .poll(async () => {
      await service.app.executor.round();
      return (await user.get('/agent/queue').expect(200)).body.length;
    })
    .toBe(0);
  await openAt(page, service.app, 'ledger');
  await page.getByText(/^You moved “Lunch” from .*14:00 to .*15:00$/).waitFor();
  const sentences = await page.locator('.ledger ol .what').allInnerTexts();
  expect(sentences.map((one) => one.replace(/ from .*/, ''))).toEqual([
    '“Late” expired without a decision',
    'You moved “Lunch”',
    'You put “Lunch” on the calendar',
    'You withdrew the proposal “Withdrawn”',
    'You approved “Approved”',
    '“Never” was refused: its time was over',
    'agent proposed “Never”',
    'agent proposed “Late”',
    'agent proposed “Withdrawn”',
    'agent proposed “Approved”',
    'You made the key “agent”',
    expect.stringMatching(/^You opened the account of/),
  ]);
  await page.getByText('You approved “Approved”').click();
  const kinds = page.getByRole('main').getByRole('heading', { level: 2 });
  await kinds.first().waitFor();
  const shown = (await kinds.allInnerTexts()).map((one) => one.replace(/^Entry \d+: /, ''));
  expect(shown[0]).toBe('You approved “Approved”');
  expect(shown.toSorted()).toEqual([
    expect.stringMatching(/^Created: Approved, .*10:00–11:00$/),
    'The approved plan “Approved” was carried out.',
    'You approved the proposal “Approved”.',
    'You approved “Approved”',
    'You carried out “Approved”',
    'You put “Approved” on the calendar',
  ]);
  expect(await looksOf(page)).toEqual([]);
  expect(faults).toEqual([]);
});

test('a change of the settings and of a note says what was changed, and an opened entry says it in words', async () => {
  const { user, page, faults } = await service.visit();
  await user.patch('/user/update', { updates: { limits: { budget: { per_day: 3 } } } }).expect(200);
  await user.post('/memory/push', { traces: [{ uid: 'n', type: 'observation', content: 'Bread' }] }).expect(201);
  await user.patch('/memory/edit', { uid: 'n', updates: { content: 'Milk' } }).expect(200);
  await openAt(page, service.app, 'ledger');
  await page.getByText(/^You changed the settings of “.*”: plans per day$/).click();
  await page.getByText('Plans per day nothing → to 3').waitFor();
  await page.getByText(/^You changed “Milk”: text$/).waitFor();
  expect(await looksOf(page)).toEqual([]);
  expect(faults).toEqual([]);
});

test('a long text ends in a sign that more of it was left out', async () => {
  const { user, page } = await service.visit();
  const content = 'word '.repeat(100).trim();
  await user.post('/memory/push', { traces: [{ type: 'observation', content }] }).expect(201);
  await openAt(page, service.app, 'ledger');
  await page.getByText(/^word .* word…$/).waitFor();
});
