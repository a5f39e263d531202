/** The screens on which a person connects others: agents and keys, context, tempo and limits. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { client } from '../support/app.ts';
import { aConsole, looksOf, openAt, type VisitedConsole } from '../support/console-visit.ts';
import { dayAhead } from '../support/today.ts';

let shown: VisitedConsole;
let receiver: Server;
let receiverUrl: string;
beforeAll(async () => {
  shown = await aConsole();
  receiver = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(204).end());
  });
  await new Promise<void>((resolve) => {
    receiver.listen(0, '127.0.0.1', resolve);
  });
  receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
});
afterAll(async () => {
  await shown.close();
  receiver.close();
});

test('an agent gets a key with a snippet, its first proposal arrives live, and its key is revoked', async () => {
  const { page, faults } = await shown.visit('agents');
  await page.getByLabel('Name', { exact: true }).fill('Research <b>agent</b>');
  await page.getByRole('button', { name: 'Create key' }).click();
  const made = page.getByRole('region', { name: 'Key of Research <b>agent</b>' });
  const key = await made.getByLabel('the key', { exact: true }).innerText();
  expect(key).toMatch(/^alm_agent_/);
  await made.getByText('claude mcp add').waitFor();
  for (const host of ['Claude Desktop', 'VS Code', 'Cursor', 'TypeScript', 'curl']) {
    await made.getByRole('button', { name: host, exact: true }).click();
    expect(await made.getByLabel(`the text for ${host}`, { exact: true }).innerText()).toContain(key);
  }
  await made.getByText('Its first proposal will appear here.').waitFor();
  expect(await looksOf(page)).toEqual([]);
  const agent = client(shown.app, key);
  const action = { action_type: 'schedule', title: 'Read the paper', duration_minutes: 30 };
  await agent.post('/agent/plan', { actions: [action] }).expect(200);
  await made.getByText('Its first proposal is here: Read the paper').waitFor();
  await page.getByText('1 proposed · 0 approved · 0 not approved · 1 waits').waitFor();
  await made.getByRole('button', { name: 'I have copied it' }).click();
  expect(await page.content()).not.toContain(key);
  await page.getByRole('button', { name: 'Revoke Research <b>agent</b>' }).click();
  await page.getByRole('button', { name: 'Revoke for ever' }).click();
  await page.getByText('1 revoked or ended').waitFor();
  // Instances remember a credential for a moment.
  await vi.waitFor(() => agent.get('/user/whoami').expect(401), 3_000);
  expect(faults).toEqual([]);
});

test('the first proposal of an agent stays named with what became of it; a use is never denied', async () => {
  const { user, page, faults } = await shown.visit('agents');
  await page.getByLabel('Name', { exact: true }).fill('Planner');
  await page.getByRole('button', { name: 'Create key' }).click();
  const made = page.getByRole('region', { name: 'Key of Planner' });
  const key = await made.getByLabel('the key', { exact: true }).innerText();
  const card = page.getByRole('listitem').filter({ has: page.getByRole('button', { name: 'Revoke Planner' }) });
  await card.getByText('Agent · never used').waitFor();
  const agent = client(shown.app, key);
  const propose = async (title: string, days: number): Promise<string> => {
    const action = { action_type: 'schedule', title, scheduled_for: `${dayAhead(days)}T10:00`, duration_minutes: 30 };
    return (await agent.post('/agent/plan', { actions: [action] }).expect(200)).body[0].uid;
  };
  const first = await propose('Read the paper', 9);
  await made.getByText('Its first proposal is here: Read the paper Decide in the queue').waitFor();
  await card.getByText(/Agent · last used/).waitFor();
  // A later proposal for a sooner time is not the first one.
  await propose('Write the summary', 2);
  await page.getByText('2 proposed · 0 approved · 0 not approved · 2 wait').waitFor();
  await user.post('/agent/reject', { uid: first }).expect(200);
  await made.getByText('Its first proposal is here: Read the paper Rejected.').waitFor();
  expect(faults).toEqual([]);
});

test('who revokes the key of an agent is told how many of its proposals still wait, and sees them alone', async () => {
  const { user, page, faults } = await shown.visit('agents');
  const keyOf = async (label: string): Promise<string> =>
    (await user.post('/user/keys', { label, kind: 'agent' }).expect(201)).body.key;
  const [planner, writer] = [await keyOf('Planner'), await keyOf('Writer')];
  await keyOf('Reader');
  const actions = ['Read', 'Write', 'Walk'].map((title, n) => ({
    action_type: 'schedule',
    title,
    scheduled_for: `${dayAhead(2 + n)}T10:00`,
    duration_minutes: 30,
  }));
  await client(shown.app, planner)
    .post('/agent/plan', { actions: actions.slice(0, 2) })
    .expect(200);
  await client(shown.app, writer)
    .post('/agent/plan', { actions: actions.slice(2) })
    .expect(200);
  await openAt(page, shown.app, 'agents');
  const revoke = async (label: string): Promise<void> => {
    await page.getByRole('button', { name: `Revoke ${label}` }).click();
    await page.getByRole('button', { name: 'Revoke for ever' }).click();
  };
  const show = page.getByRole('button', { name: 'Show in the queue' });
  await revoke('Reader');
  await page.getByText('Revoked: Reader', { exact: true }).waitFor();
  expect(await show.count()).toBe(0);
  await revoke('Planner');
  await page.getByText('Revoked: Planner. 2 proposals of it still wait.').waitFor();
  await show.click();
  for (const title of ['Read', 'Write']) await page.getByRole('button', { name: new RegExp(`^${title}`) }).waitFor();
  expect(await page.getByRole('button', { name: /^Walk/ }).count()).toBe(0);
  expect(faults).toEqual([]);
});

test('what opens nothing any more is not shown to be copied: a revoked key, and the secret of a removed webhook', async () => {
  const { page, faults } = await shown.visit('agents');
  await page.getByLabel('Name', { exact: true }).fill('Planner');
  await page.getByRole('button', { name: 'Create key' }).click();
  const made = page.getByRole('region', { name: 'Key of Planner' });
  const key = await made.getByLabel('the key', { exact: true }).innerText();
  await page.getByRole('button', { name: 'Revoke Planner' }).click();
  await page.getByRole('button', { name: 'Revoke for ever' }).click();
  await page.getByText('The key of “Planner” is no longer valid, so it is not shown any more.').waitFor();
  expect(await page.content()).not.toContain(key);
  await page.getByLabel('Name', { exact: true }).waitFor();
  await page.getByLabel('Name of the program').fill('My phone');
  await page.getByRole('button', { name: 'Create address or password' }).click();
  await page.getByLabel('the address or password', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Revoke My phone' }).click();
  await page.getByRole('button', { name: 'Revoke for ever' }).click();
  await page.getByText('The address or password of “My phone” is no longer valid').waitFor();
  await page.getByLabel('Address that gets the changes').fill(receiverUrl);
  await page.getByRole('button', { name: 'Add webhook' }).click();
  await page.getByLabel('the secret', { exact: true }).waitFor();
  await page.getByRole('button', { name: `Remove ${receiverUrl}` }).click();
  await page.getByRole('button', { name: 'Remove for ever' }).click();
  await page.getByText(`The webhook to “${receiverUrl}” was removed, so its secret is not shown any more.`).waitFor();
  expect(faults).toEqual([]);
});

test('what an agent may do is said in sentences, which have room beside their boxes at every width', async () => {
  const { page, faults } = await shown.visit('agents');
  await page.getByText('What it may do: read, remember and propose').click();
  const box = page.getByRole('checkbox', { name: /^Propose plans and withdraw them\..*plan:propose$/ });
  expect(await box.isChecked()).toBe(true);
  for (const width of [320, 360, 700, 1024, 1400, 1920]) {
    await page.setViewportSize({ width, height: 900 });
    const { boxes, texts, area } = await page.evaluate<Record<'boxes' | 'texts' | 'area', number[]>>(`(() => {
      const widths = (selector) => [...document.querySelectorAll(selector)].map((one) => one.getBoundingClientRect().width);
      return { boxes: widths('.scopes input'), texts: widths('.scopes label > span'), area: widths('.scopes') };
    })()`);
    expect(new Set(boxes.map(Math.round))).toEqual(new Set([17]));
    // A line of text has room for some five words at least.
    expect([width, Math.min(...texts) >= Math.min(300, (area[0] ?? 0) - 40)]).toEqual([width, true]);
  }
  await page.setViewportSize({ width: 1400, height: 900 });
  expect(await looksOf(page)).toEqual([]);
  expect(faults).toEqual([]);
});

test('a calendar program gets an address, another calendar is refused with its reason, and a webhook is tried', async () => {
  const { page, faults } = await shown.visit('agents');
  await page.getByLabel('Name of the program').fill('My phone');
  await page.getByRole('combobox', { name: 'What it may do' }).selectOption('Show proposals, with links to decide');
  await page.getByRole('button', { name: 'Create address or password' }).click();
  const address = await page.getByLabel('the address or password', { exact: true }).innerText();
  expect(await (await fetch(address)).text()).toMatch(/^BEGIN:VCALENDAR/);
  await page.getByLabel('Name of the calendar').fill('Work');
  await page.getByLabel('Address of the .ics file').fill(`${receiverUrl}.ics`);
  await page.getByRole('button', { name: 'Subscribe' }).click();
  await page.getByText('Subscribed: Work').waitFor();
  await page.getByRole('button', { name: 'Remove Work and its events' }).click();
  await page.getByRole('button', { name: 'Remove with its events' }).click();
  await page.getByText('Removed with its events: Work').waitFor();
  await page.getByLabel('Address that gets the changes').fill(receiverUrl);
  await page.getByLabel('What for').fill('My script');
  await page.getByRole('button', { name: 'Add webhook' }).click();
  expect(await page.getByLabel('the secret', { exact: true }).innerText()).toMatch(/^whsec_/);
  // The secret of another one would take the place of this one.
  expect(await page.getByLabel('Address that gets the changes').count()).toBe(0);
  await page.getByRole('button', { name: 'Send a test to My script' }).click();
  await page.getByText('The test was delivered (204).').waitFor();
  await page.getByRole('button', { name: 'Deliveries' }).click();
  await page
    .getByText(/delivered \(204\)/)
    .last()
    .waitFor();
  expect(await looksOf(page)).toEqual([]);
  await page
    .getByRole('region', { name: `Secret of ${receiverUrl}` })
    .getByText('I have copied it')
    .click();
  await page.getByLabel('Address that gets the changes').waitFor();
  expect(faults).toEqual([]);
});

test('a context is built, counted, copied as calls and saved; the past gives that of then', async () => {
  const { user, page, faults } = await shown.visit();
  const content = 'The kitchen will be green.';
  const { body } = await user.post('/memory/push', { traces: [{ type: 'observation', content, task_id: 'kitchen' }] });
  await user.post('/memory/push', {
    traces: Array.from({ length: 40 }, (_, n) => ({ type: 'note', content: `Note ${n} <script> about paint.` })),
  });
  await openAt(page, shown.app, 'context');
  await page.getByText('Nothing was left out.').waitFor();
  await page.getByLabel('At most so many tokens').fill('400');
  await page.getByText(/^Left out: \d+ traces/).waitFor();
  expect(
    Number(
      (
        await page
          .getByText(/ tokens$/)
          .first()
          .innerText()
      ).replace(/\D/g, ''),
    ),
  ).toBeLessThanOrEqual(400);
  await page.getByRole('textbox', { name: 'Task' }).fill('kitchen');
  await page.getByText('1 result ').waitFor();
  await page.getByRole('region', { name: 'The results' }).getByText(content).waitFor();
  expect(await page.getByLabel('curl', { exact: true }).innerText()).toContain('task_id=kitchen&max_token_count=400');
  await page.getByRole('button', { name: 'MCP call', exact: true }).click();
  expect(JSON.parse(await page.getByLabel('MCP call', { exact: true }).innerText())).toEqual({
    method: 'tools/call',
    params: { name: 'export_context', arguments: { task_id: 'kitchen', max_tokens: 400 } },
  });
  expect(await looksOf(page)).toEqual([]);
  await page.getByLabel('Name', { exact: true }).fill('before-lunch');
  await page.getByRole('button', { name: 'Save as checkpoint' }).click();
  await page.getByText('Saved: before-lunch').waitFor();
  const { body: kept } = await user.get('/memport/export?from_checkpoint=before-lunch').expect(200);
  expect(kept.results).toMatchObject([{ task_id: 'kitchen' }]);
  await page.getByLabel('Difference: what changed between two points').check();
  await page.getByText(/added/).first().waitFor();
  await openAt(page, shown.app, `context?asof=${body[0].seq - 1}`);
  await page.getByText('Nothing matches.').waitFor();
  expect(await page.getByRole('button', { name: 'Save as checkpoint' }).count()).toBe(0);
  expect(faults).toEqual([]);
});

test('tempo hours are drawn, moved by keys and undone; limits show what is used; what was learned is shown with counts', async () => {
  const { user, page, faults } = await shown.visit();
  const limits = { budget: { per_day: 3 } };
  await user.patch('/user/update', { updates: { limits } }).expect(200);
  const reflect = { action_type: 'reflect', title: 'Look back' };
  const write = {
    action_type: 'schedule',
    title: 'Write',
    tempo_tag: '@evening',
    scheduled_for: `${dayAhead(9)}T18:00`,
  };
  const { body } = await user.agent.post('/agent/plan', { actions: [reflect, write] }).expect(200);
  for (const { uid } of body) await user.post('/agent/approve', { uid }).expect(200);
  await openAt(page, shown.app, 'tempo');
  await page.getByText('1 of 3 approved today').waitFor();
  const ranges = async () => (await user.get('/tempo/profile').expect(200)).body.time_ranges;
  const block = page.getByRole('button', { name: /^day ?, Wed/ });
  await block.focus();
  await page.keyboard.press('ArrowDown');
  await expect.poll(ranges).toMatchObject([
    { name: 'day', start: '08:00', end: '20:00' },
    { name: 'day 2', days: ['WE'], start: '08:15', end: '20:15' },
  ]);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(ranges).toEqual([{ name: 'day', days: expect.any(Array), start: '08:00', end: '20:00' }]);
  await expect.poll(() => block.innerText()).toMatch(/\b0?8:00/);
  const box = (await block.boundingBox()) as { x: number; y: number; width: number; height: number };
  await page.mouse.move(box.x + 20, box.y + box.height + 4);
  await page.mouse.down();
  await page.mouse.move(box.x + 20, box.y + box.height + 30, { steps: 3 });
  await page.mouse.up();
  await expect.poll(ranges).toMatchObject([{ name: 'day' }, { name: 'hours 2', days: ['WE'] }]);
  await page.getByRole('combobox', { name: 'Tag', exact: true }).fill('@writing');
  await page.getByRole('spinbutton', { name: 'Minutes' }).fill('50');
  await page.getByRole('group', { name: 'Preferred hours' }).getByLabel('hours 2').check();
  await page.getByRole('button', { name: 'Save tag' }).click();
  await page.getByText('hours 2 · 50 min').waitFor();
  await page.getByLabel('Name of the rule').fill('One reflection, please');
  await page.getByRole('combobox', { name: 'What' }).selectOption('reflections');
  await page.getByRole('button', { name: 'Add rule' }).click();
  await page.getByText('At most 1 reflection per day').waitFor();
  await page.getByText('1 of 1 approved today').waitFor();
  await page.getByLabel('Plans per day').fill('-1');
  await page.getByLabel('Rank times by what was learned').click();
  await expect.poll(async () => (await user.get('/tempo/profile')).body.use_learned).toBe(true);
  await page.getByRole('row', { name: /@evening 1 0 0/ }).waitFor();
  expect(await looksOf(page)).toEqual([]);
  expect(faults).toEqual([]);
});
