/** The first ten minutes of a person, as one story: from the link that the start prints to the first proposal of an agent. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { aUser } from '../support/app.ts';
import { consolePage } from '../support/console-page.ts';
import { consoleOfFile } from '../support/console-visit.ts';
import { dayAhead } from '../support/today.ts';

const service = consoleOfFile();

test('the first ten minutes', async () => {
  const { app, browser } = service;
  const owner = await aUser(app);
  const { db } = app.database.handle;
  await db.updateTable('users').set({ admin: true }).where('user_id', '=', owner.user_id).execute();
  const { page, faults } = await consolePage(browser, app);

  // Opens the link.
  await page.goto('about:blank');
  await page.goto(`${app.url}/console/#ticket=${await app.services.links.issueForOwner()}`);
  await page.getByText('Live').waitFor();

  // Types a sentence, and sees the ghost.
  const day = dayAhead(10);
  await page.getByRole('link', { name: 'Chat' }).click();
  await page.getByLabel('Message').fill(`Schedule the review on ${day} at 10:00 for 60 minutes`);
  await page.keyboard.press('Enter');
  await page.getByRole('article', { name: /^Proposal: .*review/i }).waitFor();
  await page.getByRole('link', { name: 'Calendar' }).click();
  await page.getByRole('button', { name: /^1 proposal later/ }).click();
  const ghost = page.getByRole('button', { name: /^Proposal of You: .*review/i });
  await ghost.scrollIntoViewIfNeeded();
  // What has just come is not dragged.
  await page
    .getByRole('button', { name: /^Approve .*review/i, disabled: false })
    .first()
    .waitFor();

  // Drags it an hour down, and approves it there.
  const box = (await ghost.boundingBox()) as { x: number; y: number };
  await page.mouse.move(box.x + 20, box.y + 20);
  await page.mouse.down();
  await page.mouse.move(box.x + 20, box.y + 50, { steps: 4 });
  await page.mouse.move(box.x + 20, box.y + 20 + 56, { steps: 4 });
  await page.mouse.up();
  await page.getByRole('button', { name: /^Approve at .*11:00$/ }).click();
  await page.getByText(/^Approved: .*review/i).waitFor();

  // Finds the event by the palette, and looks at its history.
  const event = page.getByRole('button', { name: /^[^:]*review.*11:00/i });
  await event.waitFor();
  await page.keyboard.press('Control+k');
  await page.keyboard.type(day);
  await page
    .getByRole('option', { name: /^Calendar/ })
    .first()
    .waitFor();
  await page.keyboard.press('Enter');
  await expect.poll(() => page.url()).toMatch(`date=${day}`);
  await event.click();
  await page.getByRole('link', { name: 'History of the proposal' }).click();
  await page.getByText(/^proposed by you/).waitFor();
  await page.getByText(/^approved by you/).waitFor();

  // Goes back to the moment of the proposal: the calendar has the ghost again, and no event.
  await page.getByRole('button', { name: 'See everything as of then' }).last().click();
  await page.getByRole('region', { name: 'Time machine' }).getByText('Read only').waitFor();
  await page.getByRole('link', { name: 'Calendar' }).click();
  await page.keyboard.press('Control+k');
  await page.keyboard.type(day);
  await page.keyboard.press('Enter');
  await ghost.getByText('10:00').waitFor();
  expect(await event.count()).toBe(0);
  await page.getByRole('button', { name: 'Back to now' }).click();
  await event.waitFor();

  // Connects an agent with the text that the page shows, and watches its first proposal arrive.
  await page.getByRole('link', { name: 'Agents and keys' }).click();
  await page.getByLabel('Name').first().fill('Planner');
  await page.getByRole('button', { name: 'Create key' }).click();
  const made = page.getByRole('region', { name: 'Key of Planner' });
  await made.getByRole('button', { name: 'curl' }).click();
  await made.getByText('Its first proposal will appear here.').waitFor();
  const command = (await made.locator('pre, code, textarea, input').allInnerTexts()).find((text) =>
    text.startsWith('curl'),
  );
  await promisify(execFile)('sh', ['-c', command ?? 'false']);
  await made.getByText(/^Its first proposal is here:/).waitFor();
  await page.getByRole('link', { name: /^Queue 1 waiting/ }).click();
  await page.getByRole('article', { name: /^Proposal: .*deep work/i }).waitFor();
  expect(faults).toEqual([]);
});
