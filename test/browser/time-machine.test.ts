/** The time machine: everything follows, nothing can be changed, and nobody forgets to be in the past. */
import { expect, test } from 'vitest';
import { consoleOfFile, looksOf, openAt } from '../support/console-visit.ts';
import { dayAhead } from '../support/today.ts';

const service = consoleOfFile();

const day = dayAhead(14);

test('calendar, queue and memory show what was known; changes since are listed; each change can be stepped through', async () => {
  const { user, page, faults } = await service.visit();
  const lunch = { title: 'Lunch', scheduled_for: `${day}T12:00`, duration_minutes: 45 };
  const { body: event } = await user.post('/calendar/create', lunch).expect(201);
  const action = { action_type: 'schedule', title: 'Long ago', scheduled_for: `${day}T10:00`, duration_minutes: 60 };
  const { body: plans } = await user.agent.post('/agent/plan', { actions: [action] }).expect(200);
  const { seq } = (await user.get(`/agent/plan?uid=${plans[0].uid}`).expect(200)).body;
  await user.post('/agent/reject', { uid: plans[0].uid }).expect(200);
  await user.patch('/calendar/edit', { uid: event.uid, updates: { scheduled_for: `${day}T13:00` } }).expect(200);
  await user.post('/memory/push', { traces: [{ type: 'observation', content: 'It is late.' }] }).expect(201);

  await openAt(page, service.app, `?view=week&date=${day}`);
  await page.getByRole('button', { name: 'Time machine' }).click();
  await page.getByLabel('or ledger number').fill(String(seq));
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  const banner = page.getByRole('region', { name: 'Time machine' });
  await banner.getByText(`ledger number ${seq}`).waitFor();
  await banner.getByText(/^Last change, .*: agent proposed “Long ago”/).waitFor();
  expect(await page.title()).toBe('In the past – Calendar – Almanac');
  await page
    .getByRole('button', { name: /^Lunch/ })
    .getByText('12:00')
    .waitFor();
  await page.getByRole('button', { name: /^Proposal of agent: Long ago/ }).click();
  await page.getByText('It waited for a decision at that time.').waitFor();
  expect(await page.getByRole('button', { name: /Approve|Reject|New event/ }).count()).toBe(0);
  await page.keyboard.press('Escape');

  await banner.getByRole('button', { name: 'Compare with now' }).click();
  await banner.getByRole('button', { name: '3 changes' }).click();
  const list = page.getByRole('dialog', { name: 'What changed' });
  await list.getByRole('heading', { name: 'Notes' }).waitFor();
  await list.getByText('It is late.').waitFor();
  await list.getByText('Rejected', { exact: true }).waitFor();
  await list.getByText(/^Moved from .*12:00 to .*13:00$/).waitFor();
  // Fields that serve the service, and its records, are not among them.
  expect(await list.innerText()).not.toMatch(/revision|estimate|decision|›|_|\dT\d/);
  expect(await looksOf(page)).toEqual([]);
  await list.getByRole('button', { name: 'Calendar (1)' }).click();
  expect(await list.getByRole('listitem').getByRole('link').allInnerTexts()).toEqual(['Lunch']);
  await list.getByRole('link', { name: 'Lunch' }).click();
  // It is on the calendar twice: where it was, and where it is now.
  await page.getByRole('button', { name: /^Lunch.*at another time later/ }).waitFor();
  await page.getByRole('button', { name: /^Lunch.*there only later/ }).waitFor();
  await banner.getByRole('button', { name: 'Stop comparing' }).click();
  await page.getByRole('button', { name: /^Lunch/ }).waitFor();

  await page.getByRole('link', { name: /^Queue/ }).click();
  await page.getByRole('heading', { name: 'Long ago' }).waitFor();
  await banner.getByRole('button', { name: 'One change earlier' }).click();
  await page.getByText('Nothing waited for a decision then.').waitFor();
  expect(page.url()).toMatch(`asof=${seq - 1}`);
  await page.getByRole('link', { name: 'Memory' }).click();
  await page.getByLabel(/^Show/).selectOption('everything');
  await page.getByRole('button', { name: /Lunch/ }).first().waitFor();
  expect(await page.getByText('It is late.').count()).toBe(0);
  await page.getByRole('link', { name: 'Account' }).click();
  await banner.getByText('this screen always shows now').waitFor();
  await page.getByRole('link', { name: 'Memory' }).click();
  await banner.getByRole('button', { name: 'Back to now' }).click();
  await page.getByText('It is late.').waitFor();
  expect(await banner.count()).toBe(0);
  expect(faults).toEqual([]);
});

test('a comparison says lengths, settings, the end of a proposal and what is gone in the words of a person', async () => {
  const { user, page, faults } = await service.visit();
  const create = async (title: string, at: string) =>
    (await user.post('/calendar/create', { title, scheduled_for: `${day}T${at}`, duration_minutes: 45 }).expect(201))
      .body;
  const longer = await create('Longer', '08:00');
  const gone = await create('Gone', '10:00');
  const action = { action_type: 'schedule', title: 'Draft', scheduled_for: `${day}T12:00`, duration_minutes: 60 };
  const plan = (await user.agent.post('/agent/plan', { actions: [action] }).expect(200)).body[0];
  const from = (await user.get('/agent/changes').expect(200)).body.seq;
  await user.patch('/calendar/edit', { uid: longer.uid, updates: { duration_minutes: 60 } }).expect(200);
  await user.delete(`/calendar/remove?uid=${gone.uid}`).expect(200);
  await user.agent.post('/agent/withdraw', { uid: plan.uid }).expect(200);
  await user.patch('/user/update', { updates: { limits: { budget: { per_day: 3 } } } }).expect(200);

  await openAt(page, service.app, `?view=day&date=${day}&asof=${from}&until=now`);
  await page.getByRole('button', { name: '4 changes' }).click();
  const list = page.getByRole('dialog', { name: 'What changed' });
  await list.getByText(/^Length 45 min/).waitFor();
  await list.getByText(/^Plans per day nothing/).waitFor();
  await list.getByText('Withdrawn by its agent').waitFor();
  const text = (await list.innerText()).replaceAll(/\s+/g, ' ');
  expect(text).toMatch(/Length 45 min → to 1 h/);
  expect(text).toMatch(/removed Gone \w{3}/);
  expect(faults).toEqual([]);
});

test('any two moments are compared: what came, went and moved between them is drawn', async () => {
  const { user, page, faults } = await service.visit();
  const create = async (title: string, at: string) => {
    const given = { title, scheduled_for: `${day}T${at}`, duration_minutes: 60 };
    return (await user.post('/calendar/create', given).expect(201)).body;
  };
  const stays = await create('Stays', '08:00');
  const goes = await create('Goes', '10:00');
  const moves = await create('Moves', '12:00');
  const headOf = async (): Promise<number> => (await user.get('/agent/changes').expect(200)).body.seq;
  const from = await headOf();
  await user.delete(`/calendar/remove?uid=${goes.uid}`).expect(200);
  await user.patch('/calendar/edit', { uid: moves.uid, updates: { scheduled_for: `${day}T15:00` } }).expect(200);
  await create('Comes', '17:00');
  const until = await headOf();
  await user.patch('/calendar/edit', { uid: stays.uid, updates: { title: 'Stays no more' } }).expect(200);
  await create('Too late', '19:00');

  await openAt(page, service.app, `?view=day&date=${day}&asof=${from}&until=${until}`);
  await page.getByRole('button', { name: /^Comes/ }).waitFor();
  const drawn = await page
    .locator('.block')
    .evaluateAll((all) =>
      all.map((block) => [block.querySelector('.foreign')?.textContent, block.getAttribute('data-later')]),
    );
  expect(drawn).toEqual([
    ['Stays', null],
    ['Goes', 'gone'],
    ['Moves', 'moved'],
    ['Moves', 'new'],
    ['Comes', 'new'],
  ]);
  expect(await page.locator('.arrows path:not(marker path)').count()).toBe(1);
  expect(await looksOf(page)).toEqual([]);

  // The handles are moved with keys too, and never past each other. What a key does is said while one has the focus.
  const help = page.getByText('An arrow key moves this handle by 1 min. Home and End move it as far as it goes.');
  expect(await help.isVisible()).toBe(false);
  await page.getByRole('slider', { name: 'Earlier moment' }).focus();
  await page.keyboard.press('End');
  await help.waitFor();
  expect(await page.getByRole('slider', { name: 'Earlier moment' }).getAttribute('aria-valuetext')).toMatch(
    /\d\d:\d\d$/,
  );
  const banner = page.getByRole('region', { name: 'Time machine' });
  await banner.getByRole('slider', { name: 'Later moment' }).press('End');
  await page.getByRole('button', { name: /^Too late/ }).waitFor();
  expect(page.url()).toContain('until=now');
  await banner.getByRole('slider', { name: 'Earlier moment' }).press('Home');
  await page.getByRole('button', { name: /^Stays no more.*there only later/ }).waitFor();
  expect(await page.locator('.block:not([data-later])').count()).toBe(0);
  await page.getByRole('link', { name: 'Memory' }).click();
  await page.waitForURL(/until=now/);
  await banner.getByRole('button', { name: 'Back to now' }).click();
  expect(page.url()).not.toMatch(/until|asof/);
  expect(faults).toEqual([]);
});

test('the past is read as an agent whose key was valid then', async () => {
  const { user, page, faults } = await service.visit();
  const event = { title: 'Doctor', scheduled_for: `${day}T12:00`, duration_minutes: 45 };
  await user.post('/calendar/create', event).expect(201);
  const secret = { type: 'observation', content: 'Told by Robin.', authored_by: 'Robin' };
  await user.post('/memory/push', { traces: [secret] }).expect(201);
  const aKey = async (label: string) =>
    (await user.post('/user/keys', { kind: 'agent', label, scopes: ['memory:read'] }).expect(201)).body;
  const reader = await aKey('Reader');
  const { seq } = (await user.get('/agent/changes').expect(200)).body;
  await aKey('Later');

  await openAt(page, service.app, `?view=day&date=${day}&asof=${seq}`);
  await page.getByRole('button', { name: /^Doctor/ }).waitFor();
  const banner = page.getByRole('region', { name: 'Time machine' });
  const readers = banner.getByRole('combobox', { name: 'Known to' });
  await readers.selectOption('Known to Reader');
  await page.getByText('The agent lacks the scope calendar:read.').first().waitFor();
  await page.getByRole('button', { name: /^Doctor/ }).waitFor({ state: 'detached' });
  expect(await looksOf(page)).toEqual([]);
  expect(await readers.getByRole('option').allInnerTexts()).toEqual([
    'Known to you',
    'Known to agent',
    'Known to Reader',
  ]);
  await page.getByRole('link', { name: 'Memory' }).click();
  await page.getByText('Told by [redacted].').first().waitFor();
  expect(await page.getByText('Told by Robin.').count()).toBe(0);

  // Before its key was made, an agent knew nothing.
  const link = `memory?asof=${seq - 1}&reader=${reader.id}`;
  await openAt(page, service.app, link);
  await readers.getByRole('option', { name: 'Reader had no key then' }).waitFor({ state: 'attached' });
  await readers.selectOption('Known to you');
  await page.getByText('Told by Robin.').first().waitFor();
  expect(page.url()).not.toContain('reader');
  await banner.getByRole('button', { name: 'Back to now' }).click();
  expect(faults.filter((fault) => !fault.includes('403'))).toEqual([]);
});

test('the line has marks for its days, and its handles are pulled with a mouse, also from one place', async () => {
  const { user, page, faults } = await service.visit();
  for (const content of ['One.', 'Two.', 'Three.'])
    await user.post('/memory/push', { traces: [{ type: 'observation', content }] }).expect(201);
  const { seq } = (await user.get('/agent/changes').expect(200)).body;
  await page.clock.setFixedTime(Date.parse(`${dayAhead(14)}T12:00:00Z`));
  await openAt(page, service.app, `?view=day&date=${day}&asof=${seq - 2}&until=${seq}`);
  const banner = page.getByRole('region', { name: 'Time machine' });
  const marks = page.locator('.timeline small');
  await marks.first().waitFor();
  const places = await marks.evaluateAll((all) => all.map((mark) => mark.getBoundingClientRect()));
  expect(places.length).toBeGreaterThan(3);
  expect(places.slice(1).filter(({ left }, n) => left <= (places[n]?.right ?? 0))).toEqual([]);
  // A step never reaches the later moment.
  await banner.getByRole('button', { name: 'One change later' }).click();
  await page.waitForURL((url) => url.searchParams.get('asof') === String(seq - 1));
  await banner.getByRole('button', { name: 'One change later', disabled: true }).waitFor();

  // All that happened is at the left end of the line, so both handles are there.
  const pull = async (from: number, to: number): Promise<void> => {
    const { x, y, width, height } = (await banner.getByRole('slider', { name: 'Later moment' }).boundingBox())!;
    const at = (part: number): [number, number] => [x + height / 2 + part * (width - height), y + height / 2];
    await page.mouse.move(...at(from));
    await page.mouse.down();
    await page.mouse.move(...at((from + to) / 2));
    await page.mouse.move(...at(to));
    await page.mouse.up();
  };
  await pull(0, 1);
  await page.waitForURL((url) => url.searchParams.get('until') === 'now');
  await banner.getByRole('slider', { name: 'Earlier moment' }).press('End');
  await page.waitForURL((url) => url.searchParams.get('asof')?.endsWith('Z') === true);
  // Now both are at the right end.
  const shown = page.url();
  await pull(1, 0.5);
  await page.waitForURL((url) => url.href !== shown);
  const { searchParams } = new URL(page.url());
  expect(searchParams.get('until')).toBe('now');
  expect(Math.abs(Date.parse(searchParams.get('asof')!) - Date.parse(`${dayAhead(7)}T12:00:00Z`))).toBeLessThan(864e5);

  // A moment that is chosen elsewhere may be after the one that is compared with.
  await openAt(page, service.app, `?view=day&date=${day}&asof=${seq - 2}&until=${seq - 1}`);
  await page.getByRole('button', { name: /^Time machine/ }).click();
  await page.getByLabel('or ledger number').fill(String(seq));
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await banner.getByText(`ledger number ${seq}`).waitFor();
  expect(new URL(page.url()).searchParams.has('until')).toBe(false);
  expect(faults).toEqual([]);
});

test('a phone is in the past too, by a time in the zone of the profile', async () => {
  const { user, page, faults } = await service.visit('', { width: 360, height: 740 });
  await user.post('/memory/push', { traces: [{ type: 'observation', content: 'New.' }] }).expect(201);
  await page.getByRole('button', { name: 'Time machine' }).click();
  await page.getByRole('button', { name: 'An hour ago' }).click();
  await page.getByRole('link', { name: 'Memory' }).click();
  await page.getByText('No note was here then.').waitFor();
  expect(await looksOf(page)).toEqual([]);
  expect(faults).toEqual([]);
});

test('a trace that was not known then is no fault', async () => {
  const { user, page } = await service.visit();
  const early = { uid: 'early', type: 'observation', content: 'It is early.' };
  await user.post('/memory/push', { traces: [early] }).expect(201);
  const { body } = await user.get('/agent/changes').expect(200);
  await user.post('/memory/push', { traces: [{ ...early, uid: 'late', content: 'It is late.' }] }).expect(201);
  await openAt(page, service.app, `memory?trace=late&asof=${body.seq}`);
  await page.getByText('This trace was not known then.').waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
});

test('in a low window all controls of the time machine can be reached above the navigation', async () => {
  const { user, page, faults } = await service.visit();
  await user.post('/memory/push', { traces: [{ type: 'observation', content: 'New.' }] }).expect(201);
  const { seq } = (await user.get('/agent/changes').expect(200)).body;
  for (const [width, height] of [
    [700, 450],
    [844, 390],
    [1400, 400],
    [320, 480],
  ] as const) {
    await page.setViewportSize({ width, height });
    await openAt(page, service.app, '');
    await page.getByRole('button', { name: 'Time machine' }).click();
    const panel = page.locator('#moments');
    const [box, bar] = [(await panel.boundingBox())!, (await page.getByRole('navigation').boundingBox())!];
    const end = width > 900 ? height : bar.y;
    expect([width, box.y + box.height <= end]).toEqual([width, true]);
    const controls = panel.locator('button, input');
    expect(await controls.count()).toBe(8);
    for (const control of await controls.all()) await control.click({ trial: true });
    await panel.getByLabel('or ledger number').fill(String(seq));
    await panel.getByRole('button', { name: 'Show', exact: true }).click();
    const banner = page.getByRole('region', { name: 'Time machine' });
    await banner.getByText(`ledger number ${seq}`).waitFor();
    for (const control of await banner.locator('button:enabled, select').all()) await control.click({ trial: true });
    // The menu of the person opens at the same place.
    await page.locator('header summary').click();
    await page.getByRole('button', { name: 'Sign out' }).click({ trial: true });
    await page.keyboard.press('Escape');
    await banner.getByRole('button', { name: 'Back to now' }).click();
    await banner.waitFor({ state: 'detached' });
  }
  expect(faults).toEqual([]);
});
