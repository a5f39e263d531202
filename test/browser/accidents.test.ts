/** What a first-time user lost or decided by accident, each once: keys, drafts, large approvals, the way back from the past, taps. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { TestUser } from '../support/app.ts';
import { consoleOfFile, details, openAt } from '../support/console-visit.ts';
import { dayAhead, weekAhead } from '../support/today.ts';

const service = consoleOfFile();

const day = weekAhead(0);
const DAY = `?view=day&date=${day}`;

const propose = async (
  { agent }: TestUser,
  ...titles: (string | [title: string, more: object])[]
): Promise<string[]> => {
  const actions = titles.map((given, n) => {
    const [title, more] = typeof given === 'string' ? [given, {}] : given;
    const scheduled_for = `${dayAhead(2 + n)}T${10 + n}:00`;
    return { action_type: 'schedule', title, scheduled_for, duration_minutes: 60, ...more };
  });
  const { body } = await agent.post('/agent/plan', { actions }).expect(200);
  return body.map(({ uid }: { uid: string }) => uid);
};
const proposeEach = async (user: TestUser, ...titles: Parameters<typeof propose>[1][]): Promise<string[]> => {
  const uids: string[] = [];
  for (const title of titles) uids.push(...(await propose(user, title)));
  return uids;
};
const anEvent = async (user: TestUser, title: string): Promise<string> => {
  const event = { title, scheduled_for: `${day}T15:00`, duration_minutes: 60 };
  return (await user.post('/calendar/create', event).expect(201)).body.uid;
};
const cancelling = (target_event_uid: string): object => ({
  action_type: 'reschedule',
  scheduled_for: null,
  duration_minutes: null,
  target_event_uid,
  arguments: { cancel: true },
});
const statusOf = async (user: TestUser, uid: string): Promise<string> =>
  (await user.get(`/agent/plan?uid=${uid}`).expect(200)).body.status;
const titlesOf = async (user: TestUser): Promise<string[]> => {
  const { body } = await user.get(`/calendar/events?start=${dayAhead(0)}&end=${dayAhead(21)}`).expect(200);
  return body.map(({ title }: { title: string }) => title).toSorted();
};
const isReady = (page: Page, name: string | RegExp = /^Approve/): Promise<void> =>
  page.getByRole('article').getByRole('button', { name, disabled: false }).first().waitFor();

test('what is typed on the chat screen is the message, wherever the focus is', async () => {
  const { user, page, faults } = await service.visit('queue');
  const [uid] = (await propose(user, 'Run')) as [string];
  await isReady(page);
  await page.keyboard.press('a');
  await page.getByText('Approved: Run').waitFor();
  await page.getByRole('link', { name: 'Chat' }).click();
  const message = page.getByLabel('Message', { exact: true });
  // Keys that are typed before the screen is there do nothing.
  await message.waitFor();
  await page.getByRole('heading', { name: 'Chat' }).click();
  await page.keyboard.type('zh, Pizza with Ben');
  expect(await message.inputValue()).toBe('zh, Pizza with Ben');
  await page.getByRole('heading', { name: 'Chat' }).click();
  await page.keyboard.type('!z');
  expect(await message.inputValue()).toBe('zh, Pizza with Ben!z');
  expect(await statusOf(user, uid)).not.toBe('proposed');
  expect(faults).toEqual([]);
});

test('a new event begins empty, and what was typed for another one is offered', async () => {
  const { user, page, faults } = await service.visit(DAY);
  const open = async (): Promise<void> => page.getByRole('button', { name: 'New event' }).click();
  const title = details(page).getByLabel('Title');
  const notes = details(page).getByLabel('Notes');
  await open();
  await title.fill('Book flights to Lisbon');
  await notes.fill('window seat');
  await page.keyboard.press('Escape');
  await open();
  await page.keyboard.type('Nap');
  expect([await title.inputValue(), await notes.inputValue()]).toEqual(['Nap', '']);
  await page.keyboard.press('Enter');
  await page.getByText('Created: Nap').waitFor();
  const { body } = await user.get(`/calendar/events?start=${day}&end=${day}`).expect(200);
  expect(body).toMatchObject([{ title: 'Nap', description: null }]);
  // Also after another event was made, and after a reload.
  await openAt(page, service.app, DAY);
  await open();
  await details(page).getByText('You typed “Book flights to Lisbon” before').waitFor();
  await details(page).getByRole('button', { name: 'Bring it back' }).click();
  expect([await title.inputValue(), await notes.inputValue()]).toEqual(['Book flights to Lisbon', 'window seat']);
  expect(await details(page).getByRole('button', { name: 'Bring it back' }).count()).toBe(0);
  await details(page).getByRole('button', { name: 'Create' }).click();
  await page.getByText('Created: Book flights to Lisbon').waitFor();
  await open();
  await title.waitFor();
  expect(await details(page).getByText('before and did not send it').count()).toBe(0);
  expect(faults).toEqual([]);
});

test('what is offered can be forgotten, which leaves what is typed now', async () => {
  const { page } = await service.visit(DAY);
  const open = async (): Promise<void> => page.getByRole('button', { name: 'New event' }).click();
  const title = details(page).getByLabel('Title');
  await open();
  await title.fill('First');
  await page.keyboard.press('Escape');
  await open();
  await title.fill('Second');
  await details(page).getByRole('button', { name: 'Forget it' }).click();
  expect(await title.inputValue()).toBe('Second');
  await page.keyboard.press('Escape');
  await open();
  await details(page).getByText('You typed “Second” before').waitFor();
});

test('the key that approves asks before an event is removed', async () => {
  const { user, page, faults } = await service.visit();
  const event = await anEvent(user, 'Coffee with Ben');
  const [uid] = (await propose(user, ['Cancel coffee with Ben', cancelling(event)])) as [string];
  await openAt(page, service.app, 'queue');
  await isReady(page, 'Approve the cancellation');
  await page.keyboard.press('a');
  await page.getByRole('button', { name: 'Not yet' }).waitFor();
  expect(await titlesOf(user)).toEqual(['Coffee with Ben']);
  await page.keyboard.press('Enter');
  expect(await statusOf(user, uid)).toBe('proposed');
  await isReady(page, 'Approve the cancellation');
  await page.keyboard.press('a');
  await page.getByRole('group', { name: 'Approve the cancellation?' }).getByRole('button').last().click();
  await page.getByText('Approved: Cancel coffee with Ben').waitFor();
  expect(await titlesOf(user)).toEqual([]);
  expect(faults).toEqual([]);
});

test('several are approved at once only when no series and no cancellation is among them, else it asks', async () => {
  const { user, page, faults } = await service.visit();
  const event = await anEvent(user, 'Dinner');
  await proposeEach(
    user,
    'Run',
    ['Gym', { rrule: 'FREQ=DAILY;COUNT=3', scheduled_for: `${dayAhead(2)}T12:00` }],
    ['Cancel dinner', cancelling(event)],
  );
  await openAt(page, service.app, 'queue');
  await page.getByRole('button', { name: 'Select all' }).click();
  const approve = page.getByRole('button', { name: 'Approve 3 selected', disabled: false });
  await approve.waitFor();
  await page.keyboard.press('a');
  const sure = page.getByRole('button', { name: 'Approve 3, with 1 series and 1 cancellation' });
  await sure.waitFor();
  expect(await titlesOf(user)).toEqual(['Dinner']);
  // The question is about this selection: with another one it is asked anew, and without a series it is not asked.
  await page.getByLabel('Select Gym').uncheck();
  await page.getByLabel('Select Cancel dinner').uncheck();
  await page.getByRole('button', { name: 'Approve 1 selected', disabled: false }).waitFor();
  await page.getByLabel('Select Run').uncheck();
  await page.getByRole('button', { name: 'Select all' }).click();
  await approve.click();
  await sure.click();
  await page.getByText(/^Approved: “.*” and 2 more\.$/).waitFor();
  expect(await titlesOf(user)).toEqual(['Gym', 'Gym', 'Gym', 'Run']);
  expect(faults).toEqual([]);
});

test('all plans of a request are approved at once, unless a series is among them', async () => {
  const { user, page } = await service.visit();
  await propose(user, 'Read', ['Swim', { rrule: 'FREQ=WEEKLY;COUNT=2' }]);
  await openAt(page, service.app, 'queue');
  await page.getByRole('button', { name: 'Approve all 2', disabled: false }).click();
  await page.getByRole('button', { name: 'Approve 2, with 1 series' }).waitFor();
  expect(await titlesOf(user)).toEqual([]);
  await page.getByRole('button', { name: 'Approve 2, with 1 series' }).click();
  await page.getByText('Approved: “Read” and 1 more.').waitFor();
});

test('back from the past, the queue is the one of now, soonest first', async () => {
  const { user, page, faults } = await service.visit();
  await propose(user, ['Late', { scheduled_for: `${dayAhead(9)}T10:00` }]);
  const { body: status } = await user.get('/memport/ledger?limit=1').expect(200);
  const seq = Number(status[0].seq);
  await propose(user, ['Soon', { scheduled_for: `${dayAhead(1)}T10:00` }]);
  await openAt(page, service.app, `queue?asof=${seq}`);
  await page.getByText('It waited for a decision at that time.').waitFor();
  // While the past is shown, a key undoes nothing, and no hint says so.
  await page.keyboard.press('z');
  await page.getByText('This is the past, where nothing is undone.').waitFor();
  await page.getByRole('button', { name: 'Back to now' }).first().click();
  await page.getByRole('article', { name: 'Proposal: Soon' }).waitFor();
  const rows = await page.getByRole('listitem').getByRole('button').allInnerTexts();
  expect(rows.map((text) => /Soon|Late/.exec(text)?.[0]).filter(Boolean)).toEqual(['Soon', 'Late']);
  expect(await page.getByRole('button', { name: /^\d+ new/ }).count()).toBe(0);
  expect(faults).toEqual([]);
});

test('a second tap at the same place does not approve what has moved there', async () => {
  const { user, page, faults } = await service.visit('', { width: 390, height: 780 });
  const uids = await proposeEach(
    user,
    ...[0, 1, 2].map((n): [string, object] => [`Plan ${n}`, { scheduled_for: `${dayAhead(2)}T1${n}:00` }]),
  );
  await openAt(page, service.app, `?view=agenda&date=${dayAhead(2)}`);
  const mark = page.getByRole('button', { name: 'Approve Plan 0', disabled: false });
  await mark.waitFor();
  const box = (await mark.boundingBox()) as { x: number; y: number; width: number; height: number };
  const cdp = await page.context().newCDPSession(page);
  const tap = async (): Promise<void> => {
    const touchPoints = [{ x: box.x + box.width / 2, y: box.y + box.height - 4 }];
    await cdp.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints });
    await cdp.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  };
  // The page counts the time between taps, which is set here, however long the machine takes.
  await page.evaluate('window.at = performance.now(), performance.now = () => window.at');
  await tap();
  await page.getByText('Approved: Plan 0').waitFor();
  await page.evaluate('window.at += 600');
  await tap();
  await page.getByText('has only just come under your finger').waitFor();
  const states = await Promise.all(uids.map((uid) => statusOf(user, uid)));
  expect(states.filter((one) => one === 'proposed')).toHaveLength(2);
  expect(faults).toEqual([]);
});

test('a key that is held presses nothing of what it has opened, and is a key again when it is let go', async () => {
  const { user, page, faults } = await service.visit();
  const gift = await anEvent(user, 'Buy a present');
  const [run, cancel] = await proposeEach(user, ['Run', { scheduled_for: `${day}T10:00` }], ['Stop', cancelling(gift)]);
  await openAt(page, service.app, DAY);
  const approve = page
    .getByRole('dialog', { name: 'Details' })
    .getByRole('button', { name: /^Approve/, disabled: false });
  const hold = async (title: string): Promise<void> => {
    await page.locator('.block.ghost').filter({ hasText: title }).locator('button.body').focus();
    await page.keyboard.down('Enter');
    await approve.waitFor();
    // By now a press decides.
    for (let n = 0; n < 10; n++) await page.keyboard.down('Enter');
    await page.keyboard.up('Enter');
  };
  for (const [title, uid] of [
    ['Run', run],
    ['Stop', cancel],
  ] as const) {
    await hold(title);
    expect(await statusOf(user, uid as string), title).toBe('proposed');
    await approve.press('Enter');
    await page.getByText(new RegExp(`^Approved: ${title}`)).waitFor();
  }
  expect(faults).toEqual([]);
});

test('every text has one of five sizes, and a view has one primary button', async () => {
  const { user, page } = await service.visit();
  await propose(user, 'Run');
  await user
    .post('/memory/push', { traces: [{ type: 'observation', content: 'The *tide* turns at six.' }] })
    .expect(201);
  const screens = ['', 'queue', 'chat', 'memory', 'context', 'tempo', 'agents', 'ledger', 'account'];
  const sizes = new Set<number>();
  const primaries: Record<string, number> = {};
  for (const screen of screens) {
    await openAt(page, service.app, screen);
    await page.waitForLoadState('networkidle');
    const found = await page.evaluate<[number[], number]>(`(() => {
      const texts = [...document.querySelectorAll('body *')].filter((one) => one.checkVisibility() && [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim()));
      const shown = [...document.querySelectorAll('button.primary')].filter((one) => one.checkVisibility());
      return [texts.map((one) => Math.round(parseFloat(getComputedStyle(one).fontSize))), shown.length];
    })()`);
    for (const size of found[0]) sizes.add(size);
    primaries[screen] = found[1];
  }
  expect([...sizes].toSorted((a, b) => a - b)).toEqual([12, 13, 15, 17, 20]);
  expect(Object.values(primaries).every((count) => count <= 1)).toBe(true);
});

test('in the chat, a sentence is one card: no fact is said twice, and the next sentence is below it', async () => {
  const { user, page, faults } = await service.visit('chat');
  const dentist = { title: 'Dentist', scheduled_for: `${dayAhead(1)}T15:00`, duration_minutes: 45 };
  await user.post('/calendar/create', dentist).expect(201);
  const say = async (text: string): Promise<void> => {
    await page.getByLabel('Message', { exact: true }).fill(text);
    await page.keyboard.press('Enter');
  };
  await say('Plan 90 minutes of deep work tomorrow at 10');
  const first = page.getByRole('article').filter({ hasText: 'Plan 90 minutes of deep work tomorrow at 10' }).first();
  await first.getByRole('button', { name: 'Approve', exact: true }).waitFor();
  expect((await first.innerText()).match(/1 h 30 min/g)).toHaveLength(1);
  expect(await first.getByRole('list', { name: 'Understood as' }).count()).toBe(0);
  await say('No, make it 4pm');
  const second = page.getByRole('article').filter({ hasText: 'No, make it 4pm' }).first();
  await second.getByText('16:00').first().waitFor();
  expect(await second.innerText()).not.toContain('What should I change?');
  await say('Read for 20 minutes tomorrow at 9');
  await page.getByRole('article', { name: 'Proposal: Read' }).waitFor();
  const [outer, inner] = [await second.boundingBox(), await second.getByRole('article').boundingBox()];
  expect(inner!.y + inner!.height).toBeLessThanOrEqual(outer!.y + outer!.height);
  await first.getByText('It was changed again below.').waitFor();
  // What else the reply says stays.
  await say('Write for 20 minutes tomorrow at 11. What is on my calendar tomorrow?');
  const both = page.getByRole('article').filter({ hasText: 'Write for 20 minutes' }).first();
  await both.getByRole('article', { name: 'Proposal: Write' }).waitFor();
  const reply = (await both.innerText()).split('Understood as')[0];
  expect(reply).toContain('• “Dentist”');
  expect(reply).not.toContain('• Write');
  // The check of the card may ask for the version before the correction.
  expect(faults.filter((fault) => !/412/.test(fault))).toEqual([]);
});
