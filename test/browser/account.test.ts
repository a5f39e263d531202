/** The account in the console: profile, password, logins, the archive, and the end. */
import { expect, test } from 'vitest';
import { aUser } from '../support/app.ts';
import { consoleOfFile, looksOf } from '../support/console-visit.ts';

const service = consoleOfFile();

test('a person changes name, zone and password, signs another browser out, takes everything along, and leaves', async () => {
  const { user, page, faults } = await service.visit('', {}, await aUser(service.app, { timezone: 'UTC' }));
  await page.getByRole('link', { name: 'Account' }).click();
  await page.getByLabel('Name').fill('Ada');
  const offer = page.getByRole('complementary', { name: 'Time zone' });
  await offer.waitFor();
  const zone = page.getByLabel('Time zone or city');
  await zone.fill('Munich');
  await page.getByRole('button', { name: 'Save profile' }).click();
  expect(await zone.evaluate((field) => (field as unknown as { validationMessage: string }).validationMessage)).toBe(
    'Almanac does not know a time zone or city “Munich”. Choose one of the list, such as Europe/Berlin.',
  );
  for (const [city, named] of [
    ['berlin', 'Europe/Berlin'],
    ['New York', 'America/New_York'],
    ['Asia/Tokyo', 'Asia/Tokyo'],
  ]) {
    await zone.fill(city as string);
    // The browser's list of suggestions may be above the button, and takes a click.
    await page.getByRole('button', { name: 'Save profile' }).press('Enter');
    await expect.poll(async () => (await user.get('/user/whoami').expect(200)).body.timezone).toBe(named);
    await page.getByText(`Times are in ${named?.replace('_', ' ')} now.`).waitFor();
    await expect.poll(() => zone.inputValue()).toBe(named);
  }
  await page.getByText('The profile is saved. Times are in Asia/Tokyo now.').waitFor();
  await page.getByRole('banner').getByText('Ada').waitFor();
  expect((await user.get('/user/whoami').expect(200)).body.timezone).toBe('Asia/Tokyo');
  // The person has chosen, so the zone of the browser is not offered any more.
  expect(await offer.count()).toBe(0);
  expect(await looksOf(page)).toEqual([]);

  await page.getByLabel('Current password').fill(user.password);
  await page.getByLabel('New password').fill('another horse battery');
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByText(/^The password is changed\./).waitFor();
  await page.getByText('Live').waitFor();

  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download archive' }).click();
  expect((await download).suggestedFilename()).toMatch(/^almanac-\d+\.zip$/);

  await page.getByRole('button', { name: 'Erase my account' }).scrollIntoViewIfNeeded();
  await page.getByRole('region', { name: 'Erase the account' }).getByLabel('Password').fill('another horse battery');
  await page.getByLabel('I want everything to be deleted').check();
  await page.getByRole('button', { name: 'Erase my account' }).click();
  await page.getByText('Your account is erased.').waitFor();
  await user.get('/user/whoami').expect(401);
  expect(faults.filter((fault) => !/401/.test(fault))).toEqual([]);
});

test('a login elsewhere is ended, and that browser says so', async () => {
  const { user, page } = await service.visit('account');
  const other = await service.visit('', {}, user);
  await page.reload();
  const logins = page.getByRole('region', { name: 'Where you are signed in' });
  await logins.getByText('This page').waitFor();
  await logins.getByRole('button', { name: 'Sign out everywhere else' }).click();
  await page.getByText(/logins? (is|are) ended\./).waitFor();
  await other.page
    .getByText('Your session was ended. Sign in again. What you typed and did not send is kept.')
    .waitFor();
  await expect.poll(() => logins.getByRole('listitem').count()).toBe(1);
});

test('what is typed into the profile stays while the rest of it follows what was saved, here or elsewhere', async () => {
  const { user, page } = await service.visit('account');
  const name = page.getByLabel('Name', { exact: true });
  const zone = page.getByLabel('Time zone or city');
  await name.fill('Ada');
  await page.getByRole('banner').getByText('Live').waitFor();
  /** In another browser, and the person comes back to this one. */
  const change = async (updates: { display_name?: string; timezone?: string }): Promise<void> => {
    await user.patch('/user/update', { updates }).expect(200);
    await page.evaluate("dispatchEvent(new Event('focus'))");
  };
  await change({ timezone: 'Asia/Tokyo' });
  await expect.poll(() => zone.inputValue()).toBe('Asia/Tokyo');
  expect(await name.inputValue()).toBe('Ada');
  expect(await name.evaluate((field) => field === field.ownerDocument.activeElement)).toBe(true);
  await name.press('Enter');
  await page.getByText('The profile is saved.').waitFor();
  // What was sent is the person's own and not only typed any more, so a later change elsewhere is shown.
  await page.getByRole('banner').getByText('Ada', { exact: true }).waitFor();
  await change({ display_name: 'Eve' });
  await expect.poll(() => name.inputValue()).toBe('Eve');
  await name.fill('Eve of Berlin');
  await change({ display_name: 'Mallory' });
  await page.getByRole('banner').getByText('Mallory', { exact: true }).waitFor();
  expect(await name.inputValue()).toBe('Eve of Berlin');
});
