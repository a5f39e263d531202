/** States that a calendar does not show every day: clock changes, zones, long texts, many proposals, a browser without Temporal. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { aUser, client, type TestUser } from '../support/app.ts';
import { violations } from '../support/console-page.ts';
import { consoleOfFile, openAt } from '../support/console-visit.ts';
import { dayAhead, instantIn } from '../support/today.ts';

const service = consoleOfFile();

const nextYear = Number(dayAhead(0).slice(0, 4)) + 1;

/** The last Sunday of a month, on which clocks change in Europe. */
const clockChange = (month: 3 | 10): string => {
  const year = nextYear;
  const last = new Date(Date.UTC(year, month, 0));
  last.setUTCDate(last.getUTCDate() - last.getUTCDay());
  return last.toISOString().slice(0, 10);
};

const eventsOn = async (user: TestUser, day: string): Promise<Record<string, unknown>[]> =>
  (await user.get(`/calendar/events?start=${day}&end=${day}`).expect(200)).body;

const drag = async (page: Page, name: RegExp, pixels: number): Promise<void> => {
  const block = page.getByRole('button', { name });
  await block.scrollIntoViewIfNeeded();
  const box = (await block.boundingBox()) as { x: number; y: number; height: number };
  await page.mouse.move(box.x + 30, box.y + 12);
  await page.mouse.down();
  await page.mouse.move(box.x + 30, box.y + 12 + pixels / 2, { steps: 3 });
  await page.mouse.move(box.x + 30, box.y + 12 + pixels, { steps: 3 });
  await page.mouse.up();
};
const HOUR = 56;

describe('a day on which clocks change', () => {
  test.each([
    ['23', clockChange(3), '1:00–4:00', '2:00'],
    ['25', clockChange(10), '1:00–2:00', '2:00'],
  ])('of %s hours: an event that lasts over the change keeps its length when it is moved', async (_, day, before) => {
    const { user, page, faults } = await service.visit(`?view=day&date=${day}`);
    const given = { title: 'Night shift', scheduled_for: `${day}T01:00`, duration_minutes: 120 };
    await user.post('/calendar/create', given).expect(201);
    const shift = page.getByRole('button', { name: /^Night shift/ });
    await shift.getByText(before).waitFor();
    await drag(page, /^Night shift/, -HOUR);
    await page.getByText(/^Moved to .*0:00: Night shift/).waitFor();
    expect(await eventsOn(user, day)).toMatchObject([
      { local_start: expect.stringContaining(`${day}T00:00`), duration_minutes: 120 },
    ]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await shift.getByText(before).waitFor();
    expect(await eventsOn(user, day)).toMatchObject([{ duration_minutes: 120 }]);
    expect(faults).toEqual([]);
  });

  test.each([
    ['23', clockChange(3), '1:00–4:00'],
    ['25', clockChange(10), '1:00–2:00'],
  ])(
    'of %s hours: a proposal over the change is drawn as it will be, and moved with its length',
    async (_, day, before) => {
      const { user, page, faults } = await service.visit(`?view=day&date=${day}`);
      const action = { action_type: 'schedule', title: 'Watch the sky', scheduled_for: `${day}T01:00` };
      await user.agent.post('/agent/plan', { actions: [{ ...action, duration_minutes: 120 }] }).expect(200);
      const ghost = page.getByRole('button', { name: /^Proposal of agent: Watch the sky/ });
      await ghost.getByText(before).waitFor();
      await ghost.scrollIntoViewIfNeeded();
      await page.getByRole('button', { name: 'Approve Watch the sky', disabled: false }).waitFor();
      await drag(page, /^Proposal of agent: Watch the sky/, 4 * HOUR);
      await page.getByRole('button', { name: /^Approve at .*5:00$/ }).click();
      await page.getByText('Approved: Watch the sky').waitFor();
      expect(await eventsOn(user, day)).toMatchObject([
        { local_start: expect.stringContaining(`${day}T05:00`), duration_minutes: 120 },
      ]);
      expect(faults).toEqual([]);
    },
  );
});

test('times are in the zone of the profile, also in one without clock changes and half an hour off', async () => {
  const user = await aUser(service.app, { timezone: 'Asia/Kolkata' });
  const day = dayAhead(10);
  const { page, faults } = await service.visit(`?view=day&date=${day}`, {}, user);
  const given = { title: 'Chai', scheduled_for: `${day}T09:15`, duration_minutes: 30 };
  await user.post('/calendar/create', given).expect(201);
  await page.getByRole('button', { name: /^Chai/ }).getByText('9:15').waitFor();
  await drag(page, /^Chai/, 2 * HOUR);
  await page.getByText(/^Moved to .*11:15: Chai/).waitFor();
  expect(await eventsOn(user, day)).toMatchObject([{ scheduled_for: `${day}T05:45:00.000Z` }]);
  expect(faults).toEqual([]);
});

test('an event of whole days is on each of its days, over the end of a month', async () => {
  // A year in which 30 April is no Sunday, so that the week of that day has days of both months.
  const year = new Date(Date.UTC(nextYear, 3, 30)).getUTCDay() === 0 ? nextYear + 1 : nextYear;
  const { user, page, faults } = await service.visit(`?view=month&date=${year}-04-15`);
  const given = { title: 'Journey', scheduled_for: `${year}-04-29`, all_day: true, duration_minutes: 5 * 1440 };
  await user.post('/calendar/create', given).expect(201);
  const journey = page.getByRole('button', { name: /^(All day\s*)?Journey/ });
  await expect.poll(() => journey.count()).toBe(5);
  await openAt(page, service.app, `?view=month&date=${year}-05-15`);
  await expect.poll(() => journey.count()).toBeGreaterThanOrEqual(3);
  await openAt(page, service.app, `?view=agenda&date=${year}-05-01`);
  await expect.poll(() => journey.count()).toBe(3);
  await openAt(page, service.app, `?view=week&date=${year}-04-30`);
  await expect.poll(() => journey.count()).toBeGreaterThanOrEqual(3);
  expect(faults).toEqual([]);
});

test('a trace of 100,000 characters is shown, searched and changed, and its difference is short', async () => {
  const { user, page, faults } = await service.visit();
  const lines = Array.from({ length: 1_000 }, (_, n) => `Line ${n} ${'of a long report '.repeat(5)}end.`);
  const content = lines.join('\n').slice(0, 99_000);
  const trace = { uid: 'long', type: 'observation', content: `${content}\nThe harbour is closed.` };
  await user.post('/memory/push', { traces: [trace] }).expect(201);
  await openAt(page, service.app, 'memory?find=harbour&trace=long');
  const article = page.getByRole('article', { name: 'Trace' });
  await article.getByRole('button', { name: 'Edit' }).click();
  // Chromium would type 1,000 lines by 2,001 inputs, each with a layout: 14 s on an idle machine. A person changes two words.
  const text = article.getByLabel('Text');
  await text.focus();
  for (const [before, word, instead] of [
    ['Line ', '3', 'three'],
    ['is ', 'closed', 'open'],
  ] as const) {
    const start = (await text.inputValue()).indexOf(before + word) + before.length;
    await page.evaluate(`document.activeElement.setSelectionRange(${start}, ${start + word.length})`);
    await page.keyboard.insertText(instead);
  }
  const edited = trace.content.replace('Line 3 of', 'Line three of').replace('is closed', 'is open');
  // A failure would print both texts otherwise.
  expect((await text.inputValue()) === edited).toBe(true);
  await article.getByRole('button', { name: 'Save' }).click();
  await article.getByText('Version 2').waitFor();
  await article.locator('ins', { hasText: 'three' }).waitFor();
  expect(await article.locator('ins').allInnerTexts()).toEqual(['three', 'open.']);
  expect((await article.locator('ol').last().innerText()).length).toBeLessThan(5_000);
  expect(faults).toEqual([]);
});

test('a browser without Temporal shows the first time of a proposed series and says so, and all times of an approved one', async () => {
  const { user, page, faults } = await service.visit();
  await page.addInitScript('delete globalThis.Temporal');
  const day = dayAhead(8);
  const rrule = 'FREQ=DAILY;COUNT=3';
  const action = { action_type: 'schedule', title: 'Walk', scheduled_for: `${day}T09:00`, duration_minutes: 30, rrule };
  await user.agent.post('/agent/plan', { actions: [action] }).expect(200);
  await openAt(page, service.app, `?view=agenda&date=${day}`);
  const walks = page.getByRole('button', { name: /^(Proposal of agent: )?\d?\d:\d\d\s*Walk/ });
  await expect.poll(() => walks.count()).toBe(1);
  await page.getByRole('button', { name: /^Approve the whole series Walk, until/ }).click();
  await page.getByText('Only the first time is drawn here').waitFor();
  await page.getByRole('button', { name: /^Approve the series/ }).click();
  await expect.poll(() => walks.count()).toBe(3);
  expect(faults).toEqual([]);
});

test('what answers an earlier question is shown weaker until the answer comes, and can be read', async () => {
  const day = dayAhead(8);
  const { user, page, faults } = await service.visit(`?view=week&date=${day}`);
  const looks = async (): Promise<string[]> => {
    const found: string[] = [];
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      found.push(...(await violations(page)).map((fault) => `${colorScheme}: ${fault}`));
    }
    return found;
  };
  await user.post('/calendar/create', { title: 'Dentist', scheduled_for: `${day}T09:00` }).expect(201);
  await page.getByRole('button', { name: /^Dentist/ }).waitFor();
  await page.route('**/calendar/events?*', () => undefined);
  // A narrow window shows fewer days.
  await page.setViewportSize({ width: 360, height: 800 });
  await page.locator('[data-stale] .block.event').waitFor();
  expect(await looks()).toEqual([]);
  await user
    .post('/memory/push', { traces: [{ type: 'observation', content: 'The ferry leaves at six.' }] })
    .expect(201);
  await openAt(page, service.app, 'context');
  await page.getByText('The ferry leaves at six.').waitFor();
  await page.route('**/memport/export?*', () => undefined);
  await page.getByRole('textbox', { name: 'Task' }).fill('ferries');
  await page.locator('[data-stale]').getByText('The ferry leaves at six.').waitFor();
  expect(await looks()).toEqual([]);
  expect(faults).toEqual([]);
});

describe('text of others', () => {
  const HOSTILE = [
    '<img src=x onerror="document.title=1"><script>document.title=2</script>',
    '\u202Egnp.exe\u202C \u2066\u2067 right',
    `Z${'\u0301\u0316\u0489'.repeat(100)}algo`,
    '\u200B\u200D\uFEFF zero width',
    'W'.repeat(190),
  ];
  const SCREENS = [
    ...['', '?view=month', '?view=agenda', 'queue', 'memory', 'memory?view=timeline', 'context', 'tempo', 'agents'],
    ...['ledger', 'account', ...HOSTILE.map((_, n) => `memory?trace=hostile-${n}`)],
  ];

  /** The same text in every field that takes it. */
  const fill = async (user: TestUser, text: string, n: number): Promise<void> => {
    const day = dayAhead(3);
    const when = { scheduled_for: `${day}T0${n}:00`, duration_minutes: 60 };
    const short = text.slice(0, 60);
    const event = { title: text, ...when, description: text, location: text, url: 'https://example.org/a' };
    await user.post('/calendar/create', event).expect(201);
    const action = { action_type: 'schedule', title: text, ...when, scheduled_for: `${day}T1${n}:00`, reasoning: text };
    const more = { content: `${text} more`, task_id: short, tags: [short], arguments: { location: text } };
    await user.agent.post('/agent/plan', { actions: [{ ...action, ...more }] }).expect(200);
    await user.post('/user/keys', { kind: 'agent', label: text.slice(0, 200) }).expect(201);
    const trace = {
      uid: `hostile-${n}`,
      type: 'observation',
      content: text,
      task_id: short,
      tags: [short],
      notes: text,
    };
    await user.post('/memory/push', { traces: [trace] }).expect(201);
    await user.patch('/memory/edit', { uid: `hostile-${n}`, updates: { content: `${text} ${text}` } }).expect(200);
    await user.patch('/user/update', { updates: { display_name: text.slice(0, 100) } }).expect(200);
  };

  const fillTempo = async (user: TestUser): Promise<void> => {
    const names = HOSTILE.map((text) => text.slice(0, 60));
    const time_ranges = names.map((name) => ({ name, days: ['MO', 'TU'], start: '09:00', end: '12:00' }));
    const tag_mappings = Object.fromEntries(names.map((name) => [name, { ranges: [name], duration_minutes: 30 }]));
    await user.post('/tempo/adjust', { preferences: { time_ranges, tag_mappings } }).expect(200);
  };

  test('is only text in every field of every screen, and widens no page', async () => {
    const user = await aUser(service.app);
    for (const [n, text] of HOSTILE.entries()) await fill(user, text, n);
    await fillTempo(user);
    const { page, faults } = await service.visit('', {}, user);
    for (const width of [1400, 360]) {
      await page.setViewportSize({ width, height: 800 });
      for (const screen of SCREENS) {
        await openAt(page, service.app, screen);
        await page.getByText('Loading…').waitFor({ state: 'detached' });
        const seen = await page.evaluate<[number, boolean]>(
          `[document.querySelectorAll('img, main script').length, document.documentElement.scrollWidth > innerWidth]`,
        );
        expect([screen, width, ...seen]).toEqual([screen, width, 0, false]);
        expect(await page.title()).toMatch(/ – Almanac$/);
      }
    }
    await openAt(page, service.app, `?view=agenda&date=${dayAhead(3)}`);
    await page
      .getByRole('button', { name: /^Proposal of agent/ })
      .first()
      .click();
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await page.getByText(/^Approved: /).waitFor();
    expect(faults).toEqual([]);
  });
});

test('of 10,000 waiting proposals the soonest are shown, the page says so, and they are decided as ever', async () => {
  const user = await aUser(service.app);
  const agents: TestUser['agent'][] = [];
  for (let n = 0; n < 5; n++) {
    const { body } = await user.post('/user/keys', { kind: 'agent', label: `Agent ${n}` }).expect(201);
    agents.push(client(service.app, body.key));
  }
  const minute = (n: number): string => instantIn(86_400_000 + n * 900_000);
  for (let n = 0; n < 10_000; n += 100) {
    const actions = Array.from({ length: 100 }, (_, i) => ({
      ...{ action_type: 'log', title: `Note ${n + i}`, content: 'x', scheduled_for: minute(n + i) },
    }));
    // 1,000 of each agent and 5,000 of the person is what may wait.
    await (agents[(n / 1_000) | 0] ?? user).post('/agent/plan', { actions }).expect(200);
  }
  const { page, faults } = await service.visit('queue', {}, user);
  await page.getByText('These are the soonest 500; 9500 more follow').waitFor();
  await page.getByRole('checkbox', { name: 'Select Note 1', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Approve', exact: true, disabled: false }).waitFor();
  await page.keyboard.press('r');
  await page.keyboard.press('Enter');
  await page.getByText('Rejected: Note 0').waitFor();
  await page.getByRole('checkbox', { name: 'Select Note 500', exact: true }).waitFor();
  await page.getByText('9499 more follow').waitFor();
  await openAt(page, service.app, `?view=week&date=${dayAhead(60)}`);
  await page.getByText('Only the soonest 500 proposals are drawn; 9499 later ones wait.').waitFor();
  expect(faults).toEqual([]);
});
