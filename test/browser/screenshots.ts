/** `npm run screenshots` writes the pictures of the README: a week of one person, with proposals of two agents. */
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { client, type TestUser } from '../support/app.ts';
import { aConsole } from '../support/console-visit.ts';
import { weekAhead } from '../support/today.ts';

const FOLDER = join(import.meta.dirname, '../../docs/images');
const monday = weekAhead(0);
const day = weekAhead;

const EVENTS: [number, string, string, number][] = [
  ...([0, 1, 2, 3, 4].map((n) => [n, '09:30', 'Stand-up', 15]) as [number, string, string, number][]),
  [0, '13:00', 'Lunch with Ben', 60],
  [1, '10:30', 'Dentist', 45],
  [2, '14:00', 'Design review', 90],
  [3, '11:00', 'Call with the publisher', 45],
  [4, '15:00', 'Week in review', 60],
];
const PROPOSALS: ['Writing agent' | 'House agent', number, string, string, number, string][] = [
  [
    'Writing agent',
    0,
    '10:00',
    'Chapter two: first draft',
    120,
    'It is due on Friday, and your mornings are best for writing.',
  ],
  ['Writing agent', 2, '10:00', 'Chapter two: second draft', 120, 'Two days after the first draft, as you like it.'],
  ['Writing agent', 4, '10:30', 'Send chapter two', 30, 'The publisher asked for it by noon.'],
  ['House agent', 1, '15:00', 'Call the painter', 30, 'The offer ends on Wednesday.'],
  ['House agent', 3, '14:30', 'Compare three offers', 60, 'The third offer arrived today.'],
];

const fill = async (user: TestUser): Promise<void> => {
  await user
    .patch('/user/update', { updates: { display_name: 'Ada', limits: { budget: { per_day: 4 } } } })
    .expect(200);
  for (const [n, time, title, duration_minutes] of EVENTS)
    await user.post('/calendar/create', { title, scheduled_for: `${day(n)}T${time}`, duration_minutes }).expect(201);
  const note = { uid: 'hall', type: 'observation', task_id: 'house', tags: ['house', 'painter'] };
  const others = [
    {
      uid: 'offer',
      type: 'observation',
      task_id: 'house',
      content: 'The painter asks 1,400 for hall and kitchen.',
      linked_trace_ids: ['hall'],
    },
    {
      uid: 'colours',
      type: 'reflection',
      task_id: 'house',
      content: 'Warm colours suit the hall, cool ones the kitchen.',
      linked_trace_ids: ['hall'],
    },
  ];
  const content = 'The hall will be green. The painter comes in December.';
  await user.post('/memory/push', { traces: [{ ...note, content }, ...others] }).expect(201);
  await user.post('/agent/feedback', { uid: 'hall', feedback_rating: 4 }).expect(200);
  const edited = 'The hall will be yellow. The painter comes in January, after the holidays.';
  await user.patch('/memory/edit', { uid: 'hall', updates: { content: edited } }).expect(200);
};

const agentsOf = async (service: Awaited<ReturnType<typeof aConsole>>, user: TestUser) => {
  const agentOf = async (label: string) =>
    client(service.app, (await user.post('/user/keys', { kind: 'agent', label }).expect(201)).body.key);
  return { 'Writing agent': await agentOf('Writing agent'), 'House agent': await agentOf('House agent') };
};

const service = await aConsole();
const { user, page } = await service.visit('', { width: 1180, height: 720 });
await fill(user);
const agents = await agentsOf(service, user);
for (const [agent, n, time, title, duration_minutes, reasoning] of PROPOSALS) {
  const action = { action_type: 'schedule', title, reasoning, scheduled_for: `${day(n)}T${time}`, duration_minutes };
  await agents[agent].post('/agent/plan', { actions: [action] }).expect(200);
}
mkdirSync(FOLDER, { recursive: true });

const picture = async (name: string, of: Page = page): Promise<void> => {
  await of.waitForTimeout(500);
  const path = join(FOLDER, `${name}.png`);
  await of.screenshot({ path, animations: 'disabled' });
  process.stdout.write(`${name}.png ${Math.round(statSync(path).size / 1000)} kB\n`);
};
const open = async (at: string, of: Page = page): Promise<void> => {
  await of.goto(`${service.app.url}/console/${at}`);
  await of.getByText('Live').waitFor();
};

await open(`?view=week&date=${monday}`);
await page
  .getByRole('button', { name: /Chapter two: first draft/ })
  .first()
  .click();
await picture('calendar');
await open('queue');
await page.getByRole('heading', { name: 'Chapter two: first draft' }).first().waitFor();
await picture('queue');
await open('memory?find=painter&trace=hall');
await page.getByRole('article', { name: 'Trace' }).getByText('History').waitFor();
await picture('memory');
await open('chat');
await page.getByLabel('Message').fill(`Plan 90 minutes of reading on ${day(3)} at 16:00`);
await page.keyboard.press('Enter');
await page.getByRole('article', { name: /^Proposal/ }).waitFor();
await picture('chat');
const { body: changes } = await user.get('/agent/changes').expect(200);
await open(`?view=week&date=${monday}&asof=${changes.seq - 24}`);
await page.getByRole('button', { name: 'Compare with now' }).click();
await page.getByRole('button', { name: /^\d+ changes?/ }).waitFor();
await picture('time-machine');
const phone = await service.visit('', { width: 390, height: 780 }, user);
await open(`?date=${monday}`, phone.page);
await phone.page.getByText('Stand-up').first().waitFor();
await picture('phone', phone.page);
await service.close();
