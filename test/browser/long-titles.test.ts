/** Titles as long as the API takes: they can be read before a decision, and leave the buttons of messages in view. */
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { consoleOfFile, details, looksOf, openAt } from '../support/console-visit.ts';
import type { TestUser } from '../support/app.ts';
import { dayAhead } from '../support/today.ts';

const service = consoleOfFile();

/** `Plan 0 with many words … to the end`, of exactly so many characters. */
const longText = (start: string, length: number): string => {
  const end = ' to the end';
  return start + ' with many words'.repeat(length).slice(0, length - start.length - end.length) + end;
};
const LONGEST_TITLE = 500;

const propose = (user: TestUser, actions: object[]) =>
  user.agent
    .post('/agent/plan', { actions: actions.map((one) => ({ action_type: 'schedule', duration_minutes: 60, ...one })) })
    .expect(200);

/** Whether nothing of it is cut, by itself or by what is around it, where that does not scroll. */
const isWhole = (text: Locator): Promise<boolean> =>
  text.evaluate((element) => {
    const { scrollHeight, scrollWidth, clientHeight, clientWidth } = element as unknown as Record<
      'scrollHeight' | 'scrollWidth' | 'clientHeight' | 'clientWidth',
      number
    >;
    const isInline = clientHeight === 0;
    return isInline || (scrollHeight <= clientHeight + 1 && scrollWidth <= clientWidth + 1);
  });

const wholeIn = async (card: Locator, text: string): Promise<void> => {
  const all = await card.locator(':is(h2, dd, .siblings li) .foreign').filter({ hasText: text }).all();
  expect(all.length).toBeGreaterThan(0);
  for (const one of all) expect(await isWhole(one)).toBe(true);
};

test.each([1280, 360])('a long title is read in full on each card that decides, at %i px', async (width) => {
  const { user, page, faults } = await service.visit('', { width, height: 800 });
  const title = longText('Plan', LONGEST_TITLE);
  const sibling = longText('Other', LONGEST_TITLE);
  const { body } = await propose(user, [
    { title, scheduled_for: `${dayAhead(2)}T10:00`, arguments: { location: longText('Hall', LONGEST_TITLE) } },
    { title: sibling, scheduled_for: `${dayAhead(3)}T10:00`, rrule: 'FREQ=DAILY;COUNT=3' },
  ]);
  expect(body).toHaveLength(2);
  await openAt(page, service.app, 'queue');
  await page.getByRole('button', { name: /^Plan/ }).click();
  const card = page.getByRole('article', { name: /^Proposal: Plan/ });
  for (const text of [title, sibling, 'Hall with many words']) await wholeIn(card, text);
  await card.getByRole('button', { name: 'Approve', exact: true, disabled: false }).waitFor();
  await card.getByRole('button', { name: 'Approve', exact: true }).click({ trial: true });
  // The question of a series is below the whole title.
  await page
    .getByRole('button', { name: /^Other/ })
    .first()
    .click();
  const series = page.getByRole('article', { name: /^Proposal: Other/ });
  await series.getByRole('button', { name: /^Approve the series/, disabled: false }).waitFor();
  await wholeIn(series, sibling);
  expect(await looksOf(page)).toEqual([]);

  await openAt(page, service.app, `?view=day&date=${dayAhead(2)}`);
  await page.locator('.block').filter({ hasText: 'Plan' }).first().click();
  await details(page).getByRole('button', { name: 'Approve', exact: true, disabled: false }).waitFor();
  await wholeIn(details(page), title);
  await details(page).getByRole('button', { name: 'Approve', exact: true }).click();
  await page.getByText(/^Approved: Plan/).waitFor();
  await page.locator('.block').filter({ hasText: 'Plan' }).first().click();
  await details(page).getByRole('button', { name: 'Edit' }).waitFor();
  await wholeIn(details(page), title);
  expect(await looksOf(page)).toEqual([]);
  expect(faults).toEqual([]);
});

test('a change says in full what it changes, and into what', async () => {
  const { user, page } = await service.visit('', { width: 360, height: 800 });
  const title = longText('Old', LONGEST_TITLE);
  const given = { title, scheduled_for: `${dayAhead(2)}T10:00`, duration_minutes: 60 };
  const { body } = await user.post('/calendar/create', given).expect(201);
  const becomes = { title: longText('New', LONGEST_TITLE), location: longText('Hall', 1_000) };
  const description = longText('Notes', 5_000);
  const change = { action_type: 'reschedule', target_event_uid: body.uid, arguments: { ...becomes, description } };
  await user.agent.post('/agent/plan', { actions: [{ title: 'Change it', ...change }] }).expect(200);
  await openAt(page, service.app, 'queue');
  await page.getByRole('button', { name: /^Change it/ }).click();
  const card = page.getByRole('article', { name: 'Proposal: Change it' });
  await card.getByText(title).waitFor();
  for (const text of [title, becomes.title, becomes.location]) await wholeIn(card, text);
  // A text without a short limit scrolls, by the keyboard too.
  const scrolling = card.locator('.scrolls').filter({ hasText: 'Notes with many words' });
  await scrolling.focus();
  await page.keyboard.press('End');
  await expect
    .poll(() =>
      scrolling.evaluate((element) => {
        const box = element as unknown as Record<'scrollTop' | 'clientHeight' | 'scrollHeight', number>;
        return box.scrollTop + box.clientHeight >= box.scrollHeight - 1;
      }),
    )
    .toBe(true);
  expect(await looksOf(page)).toEqual([]);
});

/** The buttons of messages that a pointer does not reach without scrolling. */
const UNREACHED = `[...document.querySelectorAll('.messages :is(a, button)')].flatMap((one) => {
  const { left, top, width, height } = one.getBoundingClientRect();
  return [0.1, 0.9].every((y) => one.contains(document.elementFromPoint(left + width / 2, top + y * height)))
    ? [] : [one.parentElement.textContent.slice(0, 30) + ' | ' + one.textContent];
})`;
const unreached = (page: Page): Promise<string[]> => page.evaluate<string[]>(UNREACHED);

test.each([
  [1280, 800],
  [1280, 795],
  [1280, 720],
  [390, 780],
])(
  'the buttons of three long messages, and on a desk of a notice, are in view at %i × %i px',
  async (width, height) => {
    const { user, page } = await service.visit('', { width, height });
    const uids: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      const { body } = await propose(user, [
        { title: longText(`Plan ${n}`, LONGEST_TITLE), scheduled_for: `${dayAhead(2 + n)}T10:00` },
      ]);
      uids.push(body[0].uid);
    }
    await openAt(page, service.app, 'queue');
    const approve = async (n: number): Promise<void> => {
      await page.getByRole('button', { name: new RegExp(`^Plan ${n}`) }).click();
      const card = page.getByRole('article', { name: new RegExp(`^Proposal: Plan ${n}`) });
      await card.getByRole('button', { name: 'Approve', exact: true, disabled: false }).click();
    };
    await approve(0);
    await page.getByText('Approved: Plan 0').waitFor();
    const detail = 'The calendar is closed today, and nobody knows for how long that will be so. '.repeat(4);
    const problem = { code: 'limit_reached', title: 'No', detail, status: 409 };
    // Beside the click, the card asks what an approval would answer.
    await page.route('**/agent/approve', (route) =>
      route.request().postDataJSON().simulate
        ? route.continue()
        : route.fulfill({ status: 409, contentType: 'application/problem+json', json: problem }),
    );
    await approve(1);
    await page.getByText('Not approved: “Plan 1').waitFor();
    await page.unroute('**/agent/approve');
    if (width < 700) await page.getByRole('button', { name: 'Close the card' }).click();
    await approve(2);
    await page.getByText('Approved: Plan 2').waitFor();
    if (width < 700) await page.getByRole('button', { name: 'Close the card' }).click();
    // A phone has no room for it beside three messages, which scroll.
    if (width >= 700) {
      await user.agent.post('/agent/withdraw', { uid: uids[4] }).expect(200);
      await page.getByRole('button', { name: 'OK' }).waitFor();
    }
    await page.mouse.move(5, 5);
    expect(await unreached(page)).toEqual([]);
    // At what a person points, they read more of it.
    const earlier = page.locator('.messages p').filter({ hasText: 'Approved: Plan 0' }).locator('.foreign');
    const before = (await earlier.boundingBox())?.height ?? 0;
    await earlier.hover();
    expect((await earlier.boundingBox())?.height).toBeGreaterThan(before);
  },
);

test.each([
  [1280, 900, 2],
  [1280, 800, 1],
  [1280, 720, 2],
  [390, 844, 2],
])(
  'at %i × %i px a complaint says why without a pointer at it, also beside others (%i)',
  async (width, height, others) => {
    const { user, page } = await service.visit('', { width, height });
    for (let n = 0; n < 4; n += 1)
      await propose(user, [{ title: longText(`Plan ${n}`, LONGEST_TITLE), scheduled_for: `${dayAhead(2 + n)}T10:00` }]);
    await openAt(page, service.app, 'queue');
    const decide = async (n: number): Promise<void> => {
      await page.getByRole('button', { name: new RegExp(`^Plan ${n}`) }).click();
      const card = page.getByRole('article', { name: new RegExp(`^Proposal: Plan ${n}`) });
      await card.getByRole('button', { name: 'Approve', exact: true, disabled: false }).click();
      await page.getByText(new RegExp(`pproved: “?Plan ${n}`)).waitFor();
      if (width < 700) await page.getByRole('button', { name: 'Close the card' }).click();
      await page.mouse.move(5, 5);
      await page.evaluate('document.activeElement.blur()');
    };
    const detail = 'Two events are in the way: “Lunch with Jo” and “Dentist”. Choose another time.';
    const problem = { code: 'slot_taken', title: 'No', detail, status: 409 };
    // Beside the click, the card asks what an approval would answer.
    await page.route('**/agent/approve', (route) =>
      route.request().postDataJSON().simulate
        ? route.continue()
        : route.fulfill({ status: 409, contentType: 'application/problem+json', json: problem }),
    );
    const why = page.locator('.messages [data-bad] .foreign').filter({ hasText: detail });
    const isRead = async (): Promise<boolean> => {
      const [text, around] = [await why.boundingBox(), await page.locator('.messages').boundingBox()];
      if (!text || !around) return false;
      const isInside = text.y >= around.y && text.y + text.height <= around.y + around.height;
      return isInside && (await isWhole(why)) && (width > 700 || around.height <= height / 3);
    };
    await decide(0);
    expect(await why.innerText()).toMatch(/^Not approved: “Plan 0 [^”]{20,34}…”\. Two events/);
    await expect.poll(isRead).toBe(true);
    await page.unroute('**/agent/approve');
    for (let n = 1; n <= others; n += 1) {
      await decide(n);
      await expect.poll(isRead).toBe(true);
    }
  },
);
