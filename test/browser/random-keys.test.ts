/**
 * The queue under random keys, while agents propose, change and withdraw (R19). Every decision that the page sends must name a plan
 * and a version that its card showed for half a second before. RANDOM_KEYS_SECONDS sets how long it runs.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { consoleOfFile, openAt } from '../support/console-visit.ts';
import { dayAhead } from '../support/today.ts';

const SECONDS = Number(process.env['RANDOM_KEYS_SECONDS'] ?? 20);
/** The rule says 500 ms. The recorder looks at each frame, so it may see a card one frame late. */
const READ_MS = 450;

const service = consoleOfFile();

/** The card has been shown for as long as a decision needs. */
const isRead = (page: Page): Promise<void> =>
  page.getByRole('button', { name: 'Approve', exact: true, disabled: false }).waitFor();

/** Notes at each frame which title the card has and since when, and what it was when a decision was sent. */
const RECORDER = `(() => {
  const sent = [];
  let title, since = 0;
  const look = () => {
    const now = document.querySelector('.queue .detail .proposal h2')?.textContent ?? '';
    if (now !== title) { title = now; since = performance.now(); }
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
  const plain = fetch;
  globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    if (!/\\/agent\\/(approve|reject)$/.test(request.url)) return plain(request);
    const body = await request.clone().json();
    // The card asks what an approval would answer.
    if (body.simulate) return plain(request);
    const one = { title, shown: performance.now() - since, body, status: 0 };
    sent.push(one);
    const answer = await plain(request);
    one.status = answer.status;
    return answer;
  };
  globalThis.sentDecisions = sent;
})()`;

type Sent = {
  title: string;
  shown: number;
  status: number;
  body: { uid?: string; uids?: string[]; expected_version?: number };
};

const sentOf = (page: Page): Promise<Sent[]> => page.evaluate<Sent[]>('globalThis.sentDecisions');

test(
  `no proposal is decided that the card has not shown for half a second (${SECONDS} s of random keys)`,
  async () => {
    const { user, page, faults } = await service.visit();
    await page.addInitScript(RECORDER);
    const random = fc.sample(fc.infiniteStream(fc.nat()), 1)[0]!;
    const dice = (sides: number): number => (random.next().value as number) % sides;
    let made = 0;
    const waiting = new Map<string, { title: string; version: number }>();
    /** The title that a version of a plan has: titles say both, so the card shows which it is. */
    const titles = new Map<string, string>();
    const remember = ({ uid, version, title }: { uid: string; version: number; title: string }): void => {
      waiting.set(uid, { title, version });
      titles.set(`${uid} ${version}`, title);
    };
    /** What the person saves themselves, or takes back after they approved it with changes, has a title of theirs. */
    const saved: Promise<{ uid?: string; version: number; title: string }>[] = [];
    page.on('response', (response) => {
      if (/\/(memory\/edit|agent\/undo)$/.test(response.url()) && response.ok()) saved.push(response.json());
    });
    const propose = async (): Promise<void> => {
      const n = made++;
      // Random times, so that some are sooner than what is read. Some repeat.
      const scheduled_for = `${dayAhead(1 + dice(28))}T${String(6 + dice(14)).padStart(2, '0')}:${dice(2) ? '00' : '30'}`;
      const action = { action_type: 'schedule', title: `Plan ${n}`, scheduled_for, duration_minutes: 15 };
      const { status, body } = await user.agent.post('/agent/plan', {
        actions: [dice(5) ? action : { ...action, rrule: 'FREQ=WEEKLY;COUNT=3' }],
      });
      if (status === 200 && body[0].status === 'proposed') remember(body[0]);
    };
    const any = (): [string, { title: string; version: number }] | undefined => [...waiting][dice(waiting.size || 1)];
    const disturb = async (): Promise<void> => {
      const what = dice(4);
      const one = any();
      if (what < 2 || !one) return propose();
      const [uid, { title }] = one;
      if (what === 2) {
        const { status, body } = await user.agent.patch('/memory/edit', { uid, updates: { title: `${title}*` } });
        if (status === 200) remember(body);
      } else {
        await user.agent.post('/agent/withdraw', { uid });
        waiting.delete(uid);
      }
    };
    const sent: Sent[] = [];
    /** What was sent since the page was loaded, which its next load forgets. */
    const collect = async (): Promise<void> => {
      sent.push(...(await sentOf(page)));
    };
    for (let n = 0; n < 12; n++) await propose();
    await openAt(page, service.app, 'queue');
    const until = performance.now() + SECONDS * 1_000;
    const disturbing = (async () => {
      while (performance.now() < until) {
        await disturb();
        await sleep(40 + dice(200));
      }
    })();
    const KEYS = [
      ...'a a a a r r e j j j k k x n n z'.split(' '),
      'Enter',
      'Enter',
      'Escape',
      'Tab',
      ' ',
      'm',
      'u',
      'Shift+Tab',
    ];
    let pressed = 0;
    while (performance.now() < until) {
      await page.keyboard.press(KEYS[dice(KEYS.length)] as string);
      pressed++;
      // Mostly a quick typist, sometimes a reader.
      await sleep(dice(4) ? dice(120) : 300 + dice(1_200));
      if (page.url().includes('/console/queue')) continue;
      await collect();
      await openAt(page, service.app, 'queue');
    }
    await disturbing;
    await collect();
    // Everything may have been rejected.
    await propose();
    // A key still decides on what is read, whatever the random ones have opened.
    await openAt(page, service.app, 'queue');
    await page
      .getByRole('button', { name: /^Approve/, disabled: false })
      .first()
      .waitFor();
    await page.keyboard.press('r');
    await page.getByLabel('Reason, which the agent can read').press('Enter');
    await expect.poll(async () => (await sentOf(page)).length).toBe(1);
    await collect();
    for (const { uid, version, title } of await Promise.all(saved)) if (uid) titles.set(`${uid} ${version}`, title);
    /** Decisions and undos make versions too, which keep the title of the one before. */
    const titleAt = (uid: string, version: number): string | undefined =>
      Array.from({ length: version }, (_, n) => titles.get(`${uid} ${version - n}`)).find(
        (title) => title !== undefined,
      );
    const wrong = sent.flatMap(({ title, shown, status, body }) => {
      // A form keeps the version that it shows, and the service refuses it where the plan was changed: nothing is decided.
      if (status !== 200) return [];
      // Rows that were selected are decided together by another rule (they show title and time themselves).
      if (body.uid === undefined) return [];
      const meant = titleAt(body.uid, body.expected_version ?? 0);
      return title === meant && shown >= READ_MS ? [] : [{ title, meant, shown: Math.round(shown), body }];
    });
    expect(wrong).toEqual([]);
    expect(pressed).toBeGreaterThan(SECONDS);
    expect(faults.filter((fault) => !/409|412/.test(fault))).toEqual([]);
  },
  (SECONDS + 60) * 1_000,
);

test('keys that were meant for a form that is gone decide nothing', async () => {
  const { user, page } = await service.visit();
  const propose = async (title: string, days: number) =>
    (
      await user.agent
        .post('/agent/plan', {
          actions: [{ action_type: 'schedule', title, scheduled_for: `${dayAhead(days)}T10:00`, duration_minutes: 15 }],
        })
        .expect(200)
    ).body[0];
  const plan = await propose('Morning pages', 5);
  await propose('Last one', 9);
  await openAt(page, service.app, 'queue');
  await isRead(page);
  await page.keyboard.press('e');
  await page.getByLabel('Note').fill('a');
  // A sooner one is announced, and the form stays with what was written.
  await propose('Pack for Hamburg', 2);
  await page.getByRole('button', { name: '1 new' }).waitFor();
  await page.keyboard.type(' raa');
  expect(await page.getByLabel('Note').inputValue()).toBe('a raa');
  await user.agent.post('/agent/withdraw', { uid: plan.uid }).expect(200);
  await page.getByText('This proposal no longer waits for you.').waitFor();
  expect(await page.getByLabel('Note').inputValue()).toBe('a raa');
  // The field goes while it is written in: nothing that is typed then is a command.
  await page.evaluate("document.querySelector('.queue .detail form').remove()");
  await page.keyboard.type('aaraa');
  await page.getByText(/^No field takes what you type/).waitFor();
  const { body } = await user.get('/agent/queue').expect(200);
  expect(body.map(({ title }: { title: string }) => title)).toEqual(['Pack for Hamburg', 'Last one']);
});

test('keys are commands again after what was written is sent or given up', async () => {
  const { user, page, faults } = await service.visit();
  for (const [n, title] of ['First', 'Second', 'Third'].entries())
    await user.agent
      .post('/agent/plan', {
        actions: [{ action_type: 'schedule', title, scheduled_for: `${dayAhead(n + 3)}T10:00`, duration_minutes: 15 }],
      })
      .expect(200);
  const card = page.getByRole('article');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('queue');
  await page.keyboard.press('Enter');
  await card.getByRole('heading', { name: 'First' }).waitFor();
  await page.keyboard.press('j');
  await card.getByRole('heading', { name: 'Second' }).waitFor();
  await page.keyboard.press('r');
  await page.getByLabel('Reason, which the agent can read').fill('not yet');
  await page.keyboard.press('Escape');
  await page.keyboard.press('j');
  await card.getByRole('heading', { name: 'Third' }).waitFor();
  expect(faults).toEqual([]);
});

test('the list stays as it is read, a rejection has a reason, a series asks, and what was decided is taken back', async () => {
  const { user, page, faults } = await service.visit();
  const propose = async (title: string, days: number, more: object = {}) =>
    (
      await user.agent
        .post('/agent/plan', {
          actions: [
            { action_type: 'schedule', title, scheduled_for: `${dayAhead(days)}T10:00`, duration_minutes: 15, ...more },
          ],
        })
        .expect(200)
    ).body[0];
  const read = await propose('Morning pages', 5);
  const series = await propose('Gym', 9, { rrule: 'FREQ=WEEKLY;COUNT=20' });
  await openAt(page, service.app, 'queue');
  const card = page.getByRole('article');
  await card.getByRole('heading', { name: 'Morning pages' }).waitFor();
  await isRead(page);
  await propose('Pack for Hamburg', 2);
  await page.getByRole('button', { name: '1 new' }).waitFor();
  expect(await page.getByRole('checkbox').count()).toBe(2);
  await page.keyboard.press('a');
  await page.getByText('Approved: Morning pages').waitFor();
  // The next one is a series, which asks before.
  await card.getByRole('heading', { name: 'Gym' }).waitFor();
  await page.getByRole('button', { name: /^Approve the series/, disabled: false }).waitFor();
  await page.keyboard.press('a');
  await card.getByRole('group', { name: /^Approve the series \(20 in all\)/ }).waitFor();
  await page.keyboard.press('Enter');
  expect((await user.get(`/agent/plan?uid=${series.uid}`).expect(200)).body.status).toBe('proposed');
  await page.keyboard.press('r');
  await page.getByRole('button', { name: 'not now' }).click();
  await page.keyboard.type(' please');
  await page.keyboard.press('Enter');
  await page.getByText('Rejected: Gym').waitFor();
  const { body: rejected } = await user.agent.get(`/agent/plan?uid=${series.uid}`).expect(200);
  expect(rejected.decision).toMatchObject({ code: 'user', note: 'not now please' });
  // Undo by key: first the rejection, then the approval.
  await page.keyboard.press('z');
  await page.getByText('Taken back: Gym waits for you again.').waitFor();
  await page.keyboard.press('Control+z');
  await page.getByText('Taken back: Morning pages waits for you again.').waitFor();
  const { body: queue } = await user.get('/agent/queue').expect(200);
  expect(queue.map(({ title }: { title: string }) => title)).toEqual(['Pack for Hamburg', 'Morning pages', 'Gym']);
  // The list of decisions says before what cannot be taken back.
  const again = (await user.get(`/agent/plan?uid=${read.uid}`).expect(200)).body;
  const { body: done } = await user
    .post('/agent/approve', { uid: read.uid, expected_version: again.version })
    .expect(200);
  await user.patch('/calendar/edit', { uid: done.linked_event_uid, updates: { title: 'Changed' } }).expect(200);
  await page.getByRole('button', { name: 'Decided', exact: true }).click();
  await page.getByRole('button', { name: 'Take back…' }).click();
  await page.getByText(/^This cannot be taken back\. The event “Changed” was changed again since/).waitFor();
  expect(faults.filter((fault) => !/409/.test(fault))).toEqual([]);
});

test('who presses the key again because nothing has happened yet does not decide on the next proposal', async () => {
  const { user, page, faults } = await service.visit();
  for (const [n, title] of ['First', 'Second'].entries())
    await user.agent
      .post('/agent/plan', {
        actions: [{ action_type: 'schedule', title, scheduled_for: `${dayAhead(n + 3)}T10:00`, duration_minutes: 15 }],
      })
      .expect(200);
  await page.addInitScript(RECORDER);
  await openAt(page, service.app, 'queue');
  await isRead(page);
  await expect
    .poll(async () => {
      await page.keyboard.press('a');
      return (await sentOf(page)).length;
    })
    .toBe(2);
  const [first, second] = await sentOf(page);
  expect([first?.title, second?.title]).toEqual(['First', 'Second']);
  // The rule says 1,000 ms.
  expect(second?.shown).toBeGreaterThan(2 * READ_MS);
  expect(faults).toEqual([]);
});
