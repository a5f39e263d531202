/** The ledger in the console: entries with their documents, filters, and verification with the browser's own hashes. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aConsole, looksOf, type VisitedConsole } from '../support/console-visit.ts';
import { dayAhead } from '../support/today.ts';

let service: VisitedConsole;
beforeAll(async () => {
  service = await aConsole();
});
afterAll(() => service.close());

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
