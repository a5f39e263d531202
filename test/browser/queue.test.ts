/** The queue with groups, records and refused proposals; the first visit; and more than a screen can hold. */
import { expect, test } from 'vitest';
import { client } from '../support/app.ts';
import { consoleOfFile, looksOf, openAt } from '../support/console-visit.ts';
import { dayAhead, instantIn, weekAhead } from '../support/today.ts';

const shown = consoleOfFile();

test('plans of one request are a group, each agent has a record, and a refused series is proposed again with its rule', async () => {
  const { user, page, faults } = await shown.visit();
  const at = (days: number, time: string) => `${dayAhead(days)}T${time}`;
  const write = { action_type: 'schedule', duration_minutes: 60 };
  const propose = (...actions: object[]) => user.agent.post('/agent/plan', { actions }).expect(200);
  await propose(
    { ...write, title: 'Draft', scheduled_for: at(3, '10:00') },
    { ...write, title: 'Review', scheduled_for: at(9, '10:00') },
  );
  await propose({ ...write, title: 'Alone', scheduled_for: at(5, '10:00') });
  await user
    .post('/calendar/create', { title: 'Away', scheduled_for: at(4, '15:00'), duration_minutes: 60 })
    .expect(201);
  const rrule = 'FREQ=WEEKLY;COUNT=4';
  await propose({ ...write, title: 'Gym', scheduled_for: at(4, '15:00'), rrule, on_conflict: 'refuse' });
  await openAt(page, shown.app, 'queue');
  await page.getByText('2 proposed together').waitFor();
  const rows = page.getByRole('checkbox');
  const names = await Promise.all((await rows.all()).map((row) => row.getAttribute('aria-label')));
  expect(names).toEqual(['Select Draft', 'Select Review', 'Select Alone']);
  await page.getByText('The agent and its record').click();
  await page.getByText('4 proposed · 0 approved · 1 not approved · 3 wait').waitFor();
  expect(await looksOf(page)).toEqual([]);
  await page.getByRole('button', { name: 'Select these 2' }).click();
  await page.keyboard.press('a');
  await page.getByText('Approved: “Draft” and 1 more.').waitFor();
  await page.getByRole('button', { name: 'Refused automatically' }).click();
  await page.getByText('its time was taken').waitFor();
  await page
    .getByRole('button', { name: /^Propose for / })
    .first()
    .click();
  await page.getByText('Proposed: Gym').waitFor();
  expect(await looksOf(page)).toEqual([]);
  const { body } = await user.get('/agent/queue').expect(200);
  expect(body).toContainEqual(expect.objectContaining({ title: 'Gym', rrule, origin: 'user', status: 'proposed' }));
  expect(faults).toEqual([]);
});

const event = (n: number, start: string): string =>
  [
    'BEGIN:VEVENT',
    `UID:e${n}`,
    'DTSTAMP:20260101T000000Z',
    `DTSTART:${start}`,
    'DURATION:PT1H',
    `SUMMARY:Event ${n}`,
    'END:VEVENT',
  ].join('\r\n');
const file = (events: string[]): string =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//test', ...events, 'END:VCALENDAR'].join('\r\n');

test('a first visit has examples, imports a file of 1,000 events, shows them, and one is dragged among them', async () => {
  const { user, page, faults } = await shown.visit();
  await page.getByRole('region', { name: 'Begin here' }).waitFor();
  expect(await looksOf(page)).toEqual([]);
  await page.getByRole('button', { name: 'Read for 30 minutes every weekday at 8' }).click();
  expect(await page.getByLabel('Message').inputValue()).toBe('Read for 30 minutes every weekday at 8');
  await page.getByRole('link', { name: 'Calendar' }).click();
  const start = (n: number): string =>
    `${dayAhead(n % 7).replaceAll('-', '')}T${String(8 + (n % 10)).padStart(2, '0')}${String(n % 60).padStart(2, '0')}00Z`;
  const events = Array.from({ length: 1_000 }, (_, n) => event(n, start(n)));
  await page
    .getByLabel('Import an .ics file')
    .setInputFiles({ name: 'my.ics', mimeType: 'text/calendar', buffer: Buffer.from(file(events)) });
  await page.getByText('Imported: 1000 new').waitFor({ timeout: 60_000 });
  await page
    .getByRole('link', { name: /^\d+ more/ })
    .first()
    .waitFor();
  expect(await page.getByRole('region', { name: 'Begin here' }).count()).toBe(0);
  await openAt(page, shown.app, `?view=day&date=${dayAhead(3)}`);
  const first = page.getByRole('button', { name: /^Event / }).first();
  await first.scrollIntoViewIfNeeded();
  const name = (await first.innerText()).split('\n')[0] as string;
  const box = (await first.boundingBox()) as { x: number; y: number };
  await page.mouse.move(box.x + 10, box.y + 8);
  await page.mouse.down();
  for (let n = 1; n <= 12; n++) await page.mouse.move(box.x + 10, box.y + 8 - n * 10);
  await page.mouse.up();
  await page.getByText(new RegExp(`^Moved to .*: ${name}$`)).waitFor({ timeout: 30_000 });
  const { body } = await user.get(`/calendar/event?uid=${name.replace('Event ', 'e')}`).expect(200);
  expect(body.version).toBe(2);
  expect(faults).toEqual([]);
});

test('the queue shows one agent, selects a range with Shift, and says what stopped waiting by itself', async () => {
  const { user, page, faults } = await shown.visit();
  const key = (await user.post('/user/keys', { kind: 'agent', label: 'Second' }).expect(201)).body.key;
  const second = client(shown.app, key);
  const write = { action_type: 'schedule', duration_minutes: 60 };
  const propose = async (by: typeof second, title: string, days: number): Promise<string> =>
    (
      await by
        .post('/agent/plan', { actions: [{ ...write, title, scheduled_for: `${dayAhead(days)}T10:00` }] })
        .expect(200)
    ).body[0].uid;
  for (const [n, title] of ['One', 'Two', 'Three', 'Four'].entries()) await propose(user.agent, title, 3 + n);
  const other = await propose(second, 'Other', 8);
  await openAt(page, shown.app, 'queue');
  const rows = page.locator('.queue .list > li');
  await expect.poll(() => rows.count()).toBe(5);
  // What comes within the first half second joins the list at once.
  await page.getByRole('button', { name: /^Approve/, disabled: false }).waitFor();
  await page.getByLabel('Select One').click();
  await page.getByLabel('Select Three').click({ modifiers: ['Shift'] });
  await page.getByRole('button', { name: 'Approve 3 selected' }).waitFor();
  await page.getByRole('button', { name: 'Clear the selection' }).click();
  await page.getByLabel('Proposed by').selectOption({ label: 'Second' });
  await expect.poll(() => rows.count()).toBe(1);
  await page.getByRole('article', { name: 'Proposal: Other' }).waitFor();
  await propose(user.agent, 'Elsewhere', 20);
  await propose(second, 'Another', 9);
  await page.getByRole('button', { name: /^1 new/ }).click();
  await expect.poll(() => rows.count()).toBe(2);
  await second.post('/agent/withdraw', { uid: other }).expect(200);
  await page.getByText('“Other” no longer waits: withdrawn by its agent.').waitFor();
  const third = await propose(second, 'Third', 11);
  await page.getByRole('button', { name: /^1 new/ }).waitFor();
  await second.post('/agent/withdraw', { uid: third }).expect(200);
  await page.getByRole('button', { name: /^1 new/ }).waitFor({ state: 'detached' });
  // Nobody misses what the list has not shown.
  const notice = page.locator('p').filter({ hasText: 'no longer waits' });
  expect(await notice.locator('span').innerText()).toBe('“Other” no longer waits: withdrawn by its agent.');
  expect(await looksOf(page)).toEqual([]);
  await page.getByRole('link', { name: 'Show decided' }).click();
  await expect.poll(() => page.getByText(/^Withdrawn by its agent/).count()).toBe(2);
  await page.getByLabel('Proposed by').selectOption({ label: 'agent' });
  await page.getByText(/^No decision of this kind/).waitFor();
  await page.getByLabel('Proposed by').selectOption({ label: 'Second' });
  await expect.poll(() => page.getByText(/^Withdrawn by its agent/).count()).toBe(2);
  await page.getByLabel('Decision').selectOption({ label: 'Done' });
  await page.getByText(/^No decision of this kind/).waitFor();
  await openAt(page, shown.app, 'queue?by=agent:nobody');
  await page.getByText('Nothing waits for you from the one that is chosen.').waitFor();
  await page.getByLabel('Proposed by').selectOption({ label: 'anybody' });
  await expect.poll(() => rows.count()).toBe(6);
  expect(faults).toEqual([]);
});

test('what was refused says why in the person’s own time, and leads to the limit that refused it', async () => {
  const { user, page, faults } = await shown.visit();
  const cadence = [{ id: 'no-notes', action_type: 'log', per: 'day', max: 0 }];
  await user.patch('/user/update', { updates: { timezone: 'Europe/Berlin', limits: { cadence } } }).expect(200);
  const at = { scheduled_for: `${dayAhead(4)}T12:00`, duration_minutes: 60 };
  await user.post('/calendar/create', { title: 'Lunch', ...at }).expect(201);
  const actions = [
    { action_type: 'schedule', title: 'Taken', ...at },
    { action_type: 'log', title: 'A note', content: 'Well done.' },
  ];
  await user.agent.post('/agent/plan', { actions }).expect(200);
  await openAt(page, shown.app, 'queue?show=refused');
  await page.getByText(/^\w{3} \d.*12:00 \(60 minutes\) is taken: busy from .*12:00 to .*13:00$/).waitFor();
  await page.getByText(/^At most 0 plans for notes per day; on /).waitFor();
  expect(await page.getByRole('main').innerText()).not.toMatch(/\d{4}-\d\d-\d\d|UTC|Europe/);
  expect(await looksOf(page)).toEqual([]);
  expect(await page.getByRole('link', { name: 'See this limit' }).count()).toBe(1);
  await page.getByRole('link', { name: 'See this limit' }).click();
  await page.locator('li:focus', { hasText: 'At most 0 notes per day' }).waitFor();
  expect(await looksOf(page)).toEqual([]);
  expect(faults).toEqual([]);
});

test('what expired was not rejected, and a filter finds it', async () => {
  const { user, page, faults } = await shown.visit();
  const write = { action_type: 'schedule', duration_minutes: 60 };
  const actions = [
    { ...write, title: 'Late', scheduled_for: instantIn(1_500) },
    { ...write, title: 'Unwanted', scheduled_for: `${dayAhead(4)}T12:00` },
  ];
  const { body } = await user.agent.post('/agent/plan', { actions }).expect(200);
  await user.post('/agent/reject', { uid: body[1].uid }).expect(200);
  await expect
    .poll(async () => {
      await shown.app.executor.round();
      return (await user.get('/agent/queue').expect(200)).body.length;
    })
    .toBe(0);
  await openAt(page, shown.app, 'queue?show=decided');
  const titles = page.getByRole('main').getByRole('heading', { level: 2 });
  await expect.poll(() => titles.count()).toBe(2);
  await page.getByText(/^Expired · /).waitFor();
  await page.getByLabel('Decision').selectOption({ label: 'Expired' });
  await expect.poll(() => titles.allInnerTexts()).toEqual(['Late']);
  await page.getByLabel('Decision').selectOption({ label: 'Rejected' });
  await expect.poll(() => titles.allInnerTexts()).toEqual(['Unwanted']);
  expect(faults).toEqual([]);
});

test('a cancellation names its event and when that is, and has nothing to edit', async () => {
  const { user, page, faults } = await shown.visit();
  const lunch = { title: 'Lunch', scheduled_for: `${dayAhead(4)}T12:00`, duration_minutes: 45 };
  const { uid } = (await user.post('/calendar/create', lunch).expect(201)).body;
  const cancel = { action_type: 'reschedule', title: 'No lunch', target_event_uid: uid, arguments: { cancel: true } };
  await user.agent.post('/agent/plan', { actions: [cancel] }).expect(200);
  await openAt(page, shown.app, 'queue');
  await page.getByText(/^Cancels an event · Lunch, .*12:00 · 45 min · agent$/).waitFor();
  expect(await page.getByText('at any time').count()).toBe(0);
  const card = page.getByRole('article', { name: 'Proposal: No lunch' });
  await card.getByRole('button', { name: 'Approve the cancellation' }).waitFor();
  expect(await card.getByRole('button', { name: 'Edit' }).count()).toBe(0);
  // It is on the calendar until the person approves that, so no line is drawn through its title.
  await openAt(page, shown.app, `?view=day&date=${dayAhead(4)}`);
  const title = page.locator('.block[data-fate="cancelled"] .foreign');
  await title.first().waitFor();
  const line = await page.evaluate<string>(
    `getComputedStyle(document.querySelector('.block[data-fate="cancelled"] .foreign')).textDecorationLine`,
  );
  expect(line).toBe('none');
  expect(faults).toEqual([]);
});

test('a card shows its day and the notes that it comes from', async () => {
  const { user, page, faults } = await shown.visit();
  const date = weekAhead(1);
  const at = (time: string) => ({ scheduled_for: `${date}T${time}`, duration_minutes: 60 });
  await user
    .post('/memory/push', { traces: [{ uid: 'boat', type: 'observation', content: 'The boat leaks.' }] })
    .expect(201);
  await user.post('/calendar/create', { title: 'Lunch', ...at('12:00') }).expect(201);
  const plan = { action_type: 'schedule', linked_trace_ids: ['boat'] };
  await user.agent
    .post('/agent/plan', {
      actions: [
        { ...plan, title: 'Mend the boat', ...at('09:00') },
        { ...plan, title: 'Paint it', ...at('14:00') },
      ],
    })
    .expect(200);
  await openAt(page, shown.app, 'queue');
  const card = page.getByRole('article', { name: 'Proposal: Mend the boat' });
  const strip = card.getByRole('list', { name: /what is there, and this proposal$/ });
  const bars = strip.getByRole('listitem');
  await expect.poll(() => bars.count()).toBe(3);
  expect(await bars.allInnerTexts()).toEqual([
    expect.stringMatching(/Mend the boat$/),
    expect.stringMatching(/Lunch$/),
    expect.stringMatching(/Paint it$/),
  ]);
  const [own, lunch] = await Promise.all([bars.nth(0).boundingBox(), bars.nth(1).boundingBox()]);
  expect(own?.x).toBeLessThan(lunch?.x ?? 0);
  await card.getByRole('link', { name: 'The boat leaks.' }).waitFor();
  expect(await looksOf(page)).toEqual([]);
  await page.setViewportSize({ width: 640, height: 400 });
  await page.locator('.queue .list > li', { hasText: 'Mend the boat' }).getByRole('button').click();
  // It stands in the list, and not over it.
  await expect
    .poll(() => page.evaluate<string>("getComputedStyle(document.querySelector('.queue .detail')).position"))
    .toBe('relative');
  expect(await looksOf(page)).toEqual([]);
  await card.getByRole('link', { name: 'The boat leaks.' }).click();
  await page.getByRole('article', { name: 'Trace' }).getByText('The boat leaks.').first().waitFor();
  expect(faults).toEqual([]);
});

test('a decision on several says each reason with its titles, and keeps what was refused selected', async () => {
  const { user, page, faults } = await shown.visit();
  const at = (days: number) => ({ scheduled_for: `${dayAhead(days)}T12:00`, duration_minutes: 60 });
  const actions = [
    { action_type: 'schedule', title: 'Free', ...at(3) },
    { action_type: 'schedule', title: 'Taken', ...at(4) },
    { action_type: 'log', title: 'Note one', content: 'Well done.' },
    { action_type: 'log', title: 'Note two', content: 'Well done again.' },
  ];
  for (const action of actions) await user.agent.post('/agent/plan', { actions: [action] }).expect(200);
  await user.post('/calendar/create', { title: 'Lunch', ...at(4) }).expect(201);
  const cadence = [{ id: 'no-notes', action_type: 'log', per: 'day', max: 0 }];
  await user.patch('/user/update', { updates: { limits: { cadence } } }).expect(200);
  await openAt(page, shown.app, 'queue');
  await page.getByRole('button', { name: 'Approve', exact: true, disabled: false }).waitFor();
  await page.getByRole('button', { name: 'Select all' }).click();
  await page.getByRole('button', { name: 'Approve 4 selected', disabled: false }).click();
  const refusal = page.locator('.messages [data-bad]');
  await refusal.waitFor();
  const text = await refusal.innerText();
  expect(text).toMatch(/Not approved: “Taken”\. .* is taken by “Lunch”/);
  expect(text).toMatch(/Not approved: “Note one” and “Note two”\. The limits allow at most 0 plans for notes/);
  await page.getByText('Approved: “Free”.').waitFor();
  await page.getByRole('button', { name: 'Reject 3 selected' }).waitFor();
  for (const title of ['Taken', 'Note one', 'Note two'])
    expect(await page.getByLabel(`Select ${title}`).isChecked()).toBe(true);
  expect(await looksOf(page)).toEqual([]);
  await page.getByRole('button', { name: 'Reject 3 selected' }).click();
  await page.getByRole('button', { name: 'Reject 3 selected' }).click();
  await page.getByText('Rejected: “Taken” and 2 more.').waitFor();
  // What the complaint was about is decided.
  expect(await refusal.count()).toBe(0);
  await expect.poll(() => page.getByRole('button', { name: 'Clear the selection' }).count()).toBe(0);
  expect(faults).toEqual([]);
});

test('why a plan was not approved is said no longer than it is true', async () => {
  const { user, page } = await shown.visit();
  const at = { scheduled_for: `${dayAhead(4)}T12:00`, duration_minutes: 60 };
  const propose = (title: string, more: object) =>
    user.agent.post('/agent/plan', { actions: [{ action_type: 'schedule', title, ...more }] }).expect(200);
  await propose('Focus', at);
  await propose('Later', { ...at, scheduled_for: `${dayAhead(5)}T12:00` });
  const { uid } = (await user.post('/calendar/create', { title: 'Lunch', ...at }).expect(201)).body;
  await openAt(page, shown.app, 'queue');
  const approve = page.getByRole('button', { name: 'Approve', exact: true, disabled: false });
  await approve.click();
  const refusal = page.locator('.messages [data-bad]', { hasText: 'Not approved: “Focus”' });
  await refusal.waitFor();
  await user.delete(`/calendar/remove?uid=${uid}`).expect(200);
  await approve.click();
  await page.getByText('Approved: Focus').waitFor();
  expect(await refusal.count()).toBe(0);
});

test('who withdraws a proposal is not told that it was withdrawn', async () => {
  const { user, page } = await shown.visit();
  const propose = async (title: string, days: number): Promise<string> => {
    const action = { action_type: 'schedule', title, scheduled_for: `${dayAhead(days)}T12:00`, duration_minutes: 60 };
    return (await user.agent.post('/agent/plan', { actions: [action] }).expect(200)).body[0].uid;
  };
  const [mine, theirs] = [await propose('Mine', 3), await propose('Theirs', 4)];
  await propose('Stays', 5);
  await openAt(page, shown.app, 'queue');
  const rows = page.locator('.queue .list > li');
  await expect.poll(() => rows.count()).toBe(3);
  await user.post('/agent/withdraw', { uid: mine }).expect(200);
  await expect.poll(() => rows.count()).toBe(2);
  await user.agent.post('/agent/withdraw', { uid: theirs }).expect(200);
  // Only one is told of.
  await page.getByText('“Theirs” no longer waits: withdrawn by its agent.', { exact: true }).waitFor();
  expect(await page.getByText('“Mine” no longer waits').count()).toBe(0);
  expect(await page.getByText(/more does not wait either/).count()).toBe(0);
});

test('a rejection of more than one request may name is one decision, which one key takes back', async () => {
  const { user, page, faults } = await shown.visit();
  const note = (n: number) => ({ action_type: 'log', title: `Note ${n}`, content: `Number ${n}.` });
  for (const from of [0, 60])
    await user.agent.post('/agent/plan', { actions: Array.from({ length: 60 }, (_, n) => note(from + n)) }).expect(200);
  const waiting = async (): Promise<number> => (await user.get('/agent/queue?limit=500').expect(200)).body.length;
  await openAt(page, shown.app, 'queue');
  await page.getByRole('button', { name: 'Approve', exact: true, disabled: false }).waitFor();
  await page.getByRole('button', { name: 'Select all' }).click();
  await page.getByRole('button', { name: 'Reject 120 selected' }).click();
  await page.getByLabel('Reason, which the agent can read').fill('not now');
  await page.keyboard.press('Enter');
  await page.getByText('Rejected: “Note 0” and 119 more.').waitFor();
  expect(await waiting()).toBe(0);
  await page.keyboard.press('z');
  await page.getByText(/^Taken back: .* and 117 more wait for you again\.$/).waitFor();
  expect(await waiting()).toBe(120);
  expect(faults).toEqual([]);
});
