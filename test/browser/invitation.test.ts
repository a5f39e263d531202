/** The link of an invitation in the console: one person makes an account with it, and is signed in. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { client } from '../support/app.ts';
import { consolePage } from '../support/console-page.ts';
import { aConsole, looksOf, type VisitedConsole } from '../support/console-visit.ts';

let service: VisitedConsole;
let link: string;
const PASSWORD = 'correct horse battery';
beforeAll(async () => {
  service = await aConsole();
  const { users, keys } = service.app.services;
  const { extra } = await users.create({ email: 'owner@example.org', password: PASSWORD }, true, (writer) =>
    keys.makeOwnerKey(writer, undefined),
  );
  link = (await client(service.app, extra).post('/user/invitations', { label: 'Grace' }).expect(201)).body.url;
});
afterAll(() => service.close());

test('a person makes an account with the link, stays signed in, and the link then says that it was used', async () => {
  const { page, faults } = await consolePage(service.browser, service.app, {});
  await page.goto(link);
  await page.getByText('You are invited.').waitFor();
  expect(page.url()).not.toContain('invitation'); // History would keep it.
  expect(await looksOf(page)).toEqual([]);
  await page.getByLabel('Name').fill('Grace');
  await page.getByLabel('E-mail').fill('grace@example.org');
  await page.getByLabel('Password').fill('password123');
  await page.getByRole('button', { name: 'Make an account' }).click();
  await page
    .getByRole('alert')
    .getByText(/choose a longer one/)
    .waitFor();
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Make an account' }).click();
  await page.getByText('Live').waitFor();
  await page.getByRole('banner').getByText('Grace').waitFor();
  await page.reload();
  await page.getByText('Live').waitFor();

  const other = (await consolePage(service.browser, service.app, {})).page;
  await other.goto(link);
  await other.getByLabel('E-mail').fill('late@example.org');
  await other.getByLabel('Password').fill(PASSWORD);
  await other.getByRole('button', { name: 'Make an account' }).click();
  await other
    .getByRole('alert')
    .getByText(/invitation is unknown, used, expired or revoked/)
    .waitFor();
  await other.getByRole('button', { name: 'Sign in to an account that you have' }).click();
  await other.getByRole('button', { name: 'Sign in' }).waitFor();
  expect(faults.filter((fault) => !/422/.test(fault))).toEqual([]);
});
