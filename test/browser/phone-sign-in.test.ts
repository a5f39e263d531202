/** QR codes of the console, read as a phone reads them: one signs the phone in, one subscribes its calendar. */
import { decodeQR } from 'qr/decode.js';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { consoleOfFile, looksOf } from '../support/console-visit.ts';
import { consolePage } from '../support/console-page.ts';

const service = consoleOfFile();

type Pixels = { width: number; height: number; data: number[] };

/** What a camera reads of the code, from the pixels of a screenshot. A page without a policy decodes the picture. */
const read = async (page: Page, name: string): Promise<string> => {
  const code = page.getByRole('img', { name });
  await code.scrollIntoViewIfNeeded();
  const picture = (await code.screenshot()).toString('base64');
  const context = await service.browser.newContext();
  const blank = await context.newPage();
  const { data, ...size } = await blank.evaluate<Pixels>(`(async () => {
    const image = new Image();
    image.src = 'data:image/png;base64,${picture}';
    await image.decode();
    const { width, height } = image;
    const drawn = new OffscreenCanvas(width, height).getContext('2d');
    drawn.drawImage(image, 0, 0);
    return { width, height, data: [...drawn.getImageData(0, 0, width, height).data] };
  })()`);
  await context.close();
  return decodeQR({ ...size, data: Uint8Array.from(data) });
};

const both = ['light', 'dark'] as const;

test('a phone that reads the code is signed in, once, and is in the list of logins', async () => {
  const { user, page, faults } = await service.visit('account');
  const section = page.getByRole('region', { name: 'Sign in a phone' });
  await section.getByRole('button', { name: 'Show a QR code' }).click();
  const link = await section.getByLabel('the login link', { exact: true }).innerText();
  expect(link).toContain(`${service.app.url}/console/#ticket=`);
  await section.getByText(/^It works once, until \d\d:\d\d\./).waitFor();
  await section.getByText('A phone cannot open this address, because it is that of this machine only').waitFor();
  for (const colorScheme of both) {
    await page.emulateMedia({ colorScheme });
    expect(await read(page, 'QR code of the login link')).toBe(link);
  }
  const box = await page.getByRole('img', { name: 'QR code of the login link' }).boundingBox();
  expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(180);
  expect(await looksOf(page)).toEqual([]);

  const phone = await consolePage(service.browser, service.app, { width: 390, height: 844 });
  await phone.page.goto(link);
  await phone.page.getByText('Live').waitFor();
  expect(phone.page.url()).not.toContain('ticket'); // History would keep it.
  expect(await phone.page.getByText('Stay signed in').count()).toBe(0);
  await phone.page.reload();
  await phone.page.getByText('Live').waitFor();

  await section.getByRole('button', { name: 'Done' }).click();
  await section.getByRole('button', { name: 'Show a QR code' }).waitFor();
  expect(await page.content()).not.toContain(link);
  const logins = page.getByRole('region', { name: 'Where you are signed in' });
  // The third one is that of the test itself.
  await expect.poll(() => logins.getByRole('listitem').count()).toBe(3);
  expect((await user.get('/user/sessions').expect(200)).body).toHaveLength(3);

  const late = await consolePage(service.browser, service.app, { width: 390, height: 844 });
  await late.page.goto(link);
  await late.page.getByText('That link was used or is older than ten minutes.').waitFor();
  expect([...faults, ...phone.faults]).toEqual([]);
});

test('a browser that is signed in asks before a link of somebody else signs it in', async () => {
  const { user } = await service.visit();
  const { link } = (await user.post('/user/login-links', {}).expect(201)).body;
  const other = await service.visit();
  const { page } = other;
  await page.goto(link);
  const stay = page.getByRole('button', { name: 'Stay signed in' });
  await stay.waitFor();
  expect(page.url()).not.toContain('ticket'); // History would keep it.
  expect(await looksOf(page)).toEqual([]);
  await stay.click();
  await page.getByText('Live').waitFor();
  await page
    .getByText(other.user.email.split('@')[0] as string)
    .first()
    .waitFor();
  // Nothing has used the link.
  await page.goto(link);
  await page.getByRole('button', { name: 'Sign in with the link' }).click();
  await page.getByText('Live').waitFor();
  await page
    .getByText(user.email.split('@')[0] as string)
    .first()
    .waitFor();
  expect(other.faults).toEqual([]);
  // A used link, which the service refuses, changes nothing.
  await page.goto(link);
  await page.getByRole('button', { name: 'Sign in with the link' }).click();
  await page.getByText('Live').waitFor();
});

test('a code that has expired goes away, and another one can be shown', async () => {
  const { page, faults } = await service.visit('account');
  await page.route('**/user/login-links', async (route) => {
    const answer = await route.fetch();
    const made = (await answer.json()) as object;
    await route.fulfill({ response: answer, json: { ...made, expires_at: '2020-01-01T00:00:00.000Z' } });
  });
  const section = page.getByRole('region', { name: 'Sign in a phone' });
  await section.getByRole('button', { name: 'Show a QR code' }).click();
  await section.getByText('The code has expired. Show another one.').waitFor();
  expect(await section.getByRole('img').count()).toBe(0);
  expect(await looksOf(page)).toEqual([]);
  await page.unroute('**/user/login-links');
  await section.getByRole('button', { name: 'Show a QR code' }).click();
  await section.getByRole('img').waitFor();
  expect(await section.getByText('The code has expired.').count()).toBe(0);
  expect(faults).toEqual([]);
});

test('the address of a feed is a link for this device and a code for a phone, and a password is neither', async () => {
  const { page, faults } = await service.visit('agents');
  const make = async (kind: string): Promise<string> => {
    await page.getByLabel('Name of the program').fill('My phone');
    await page.getByRole('combobox', { name: 'What it may do' }).selectOption(kind);
    await page.getByRole('button', { name: 'Create address or password' }).click();
    return page.getByLabel('the address or password', { exact: true }).innerText();
  };
  const feed = await make('Show my events');
  const calendar = feed.replace('http:', 'webcal:');
  expect(await page.getByRole('link', { name: 'Subscribe on this device' }).getAttribute('href')).toBe(calendar);
  for (const colorScheme of both) {
    await page.emulateMedia({ colorScheme });
    expect(await read(page, 'QR code of the calendar’s address')).toBe(calendar);
  }
  await page.getByText('A phone cannot open this address').waitFor();
  expect(await looksOf(page)).toEqual([]);
  await page.getByRole('button', { name: 'I have copied it' }).click();

  expect(await make('CalDAV, only to read')).toMatch(/^alm_/);
  expect(await page.getByRole('link', { name: 'Subscribe on this device' }).count()).toBe(0);
  expect(await page.getByRole('img', { name: /^QR code/ }).count()).toBe(0);
  expect(faults).toEqual([]);
});
