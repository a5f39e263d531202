/** The page that a link of the proposals' feed opens: it looks as the console does, and decides without it. */
import { expect, test } from 'vitest';
import { consoleOfFile, looksOf } from '../support/console-visit.ts';
import { weekAhead } from '../support/today.ts';

const shown = consoleOfFile();

test('a link shows the proposal, and its buttons approve and reject with a note', async () => {
  const { user, page, faults } = await shown.visit();
  const action = { action_type: 'schedule', title: 'Gym', duration_minutes: 60 };
  const actions = [0, 1].map((n) => ({ ...action, scheduled_for: `${weekAhead(n)}T18:00` }));
  const { body: plans } = await user.agent.post('/agent/plan', { actions }).expect(200);
  const scopes = ['plan:read', 'plan:decide', 'calendar:read'];
  const { body: feed } = await user.post('/user/keys', { kind: 'feed', label: 'Phone', scopes }).expect(201);
  const { text } = await user.get(`/calendar/proposals.ics?key=${feed.key}`).expect(200);
  const tokens = [...text.replaceAll('\r\n ', '').matchAll(/decide\?token=([\w.-]+)&decision=approve/g)];
  for (const [n, decision] of ['approve', 'reject'].entries()) {
    await page.goto(`${shown.app.url}/calendar/decide?token=${tokens[n]?.[1]}&decision=${decision}`);
    await page.getByRole('main').getByRole('heading', { name: 'Gym' }).waitFor();
    expect(await looksOf(page)).toEqual([]);
    expect(await page.getByRole('button').allInnerTexts()).toEqual(['Approve', 'Reject']);
    await page.getByLabel('Note').fill('Fine.');
    await page.getByRole('button', { name: decision, exact: false }).click();
    await page.getByText(decision === 'approve' ? 'It is approved' : 'It is rejected').waitFor();
  }
  const decided = await Promise.all(plans.map(({ uid }: { uid: string }) => user.get(`/agent/plan?uid=${uid}`)));
  expect(decided.map(({ body }) => [body.status, body.decision.note])).toEqual([
    ['executed', 'Fine.'],
    ['rejected', 'Fine.'],
  ]);
  expect(faults).toEqual([]);
});
